/* Derivatives of steps of each model, with every integrator: the reverse mode against the forward one on random pairs,
 * allocations, and bits, alone and in batches on one and two threads. One JSON line per model:
 *   {"model":..., "pairs":N, "reverse":error, "allocations":N, "counted_at_load":N,
 *    "bits":hash, "batch1":hash, "batch2":hash}
 * usage: evidence_gradients PAIRS MODEL... (pairs per model) */
#include "count_allocations.h"
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const tacIntegrator INTEGRATORS[] = {TAC_INTEGRATOR_EULER, TAC_INTEGRATOR_RK4, TAC_INTEGRATOR_IMPLICIT,
                                            TAC_INTEGRATOR_IMPLICITFAST, TAC_INTEGRATOR_RKMK4};
enum { NINTEGRATOR = sizeof INTEGRATORS / sizeof *INTEGRATORS, WORLDS = 16, ROLLOUT = 8, KEPT = 2, MOST_PARAMS = 24 };

/* One simulation's derivatives. */
typedef struct Work {
    Scene *s;
    tacSim *sim;
    int ndx, np;
    double *A, *B, *P, *ybar, *gx, *gu, *gtheta, *dx, *du, *dtheta, *U, *gU;
    void *kept;
    size_t kept_bytes;
} Work;

/* A few parameters spread over the whole list. */
static void register_some(tacModel *m) {
    int n = tac_param_count(m);
    for (int i = 0; i < MOST_PARAMS; i++) {
        char path[512];
        if (tac_param_path(m, (int)((long)i * n / MOST_PARAMS), path, sizeof path) == TAC_OK)
            tac_param_register(m, path, NULL, NULL);
    }
    tac_param_register(m, "option.gravity[2]", NULL, NULL);
}

static Work work_make(Scene *s, tacIntegrator integrator) {
    tacOptions options = s->options;
    options.integrator = integrator;
    Work w = {.s = s, .ndx = tac_ndx(s->model), .np = s->model->nparam};
    scene_require(s, "simulation", tac_sim_new(s->model, &options, &w.sim, NULL));
    size_t ndx = (size_t)w.ndx, nu = (size_t)s->nu, np = (size_t)w.np;
    w.A = scene_doubles(ndx * ndx), w.B = scene_doubles(ndx * nu), w.P = scene_doubles(ndx * np);
    w.ybar = scene_doubles(ndx), w.gx = scene_doubles(ndx), w.gu = scene_doubles(nu), w.gtheta = scene_doubles(np);
    w.dx = scene_doubles(ndx), w.du = scene_doubles(nu), w.dtheta = scene_doubles(np);
    w.U = scene_doubles(ROLLOUT * nu), w.gU = scene_doubles(ROLLOUT * nu);
    w.kept_bytes = tac_rollout_vjp_bytes(s->model, ROLLOUT, KEPT);
    w.kept = aligned_alloc(64, (w.kept_bytes + 63) / 64 * 64);
    if (w.kept == NULL) exit(2);
    return w;
}

static void work_free(Work *w) {
    double *all[] = {w->A, w->B, w->P, w->ybar, w->gx, w->gu, w->gtheta, w->dx, w->du, w->dtheta, w->U, w->gU};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(w->kept);
    tac_sim_free(w->sim);
}

static void differentiate(Work *w) {
    Scene *s = w->s;
    scene_require(s, "Jacobian", tac_step_jac(w->sim, s->x, s->u, s->y, &(tacJac){w->A, w->B, w->P}, NULL));
    scene_require(s, "reverse mode",
                  tac_step_vjp(w->sim, s->x, s->u, w->ybar, &(tacGrad){w->gx, w->gu, w->gtheta}, NULL));
}

static void roll_back(Work *w) {
    tacTrajectory path = {.n = ROLLOUT, .x0 = w->s->x, .U = w->U, .xbar = w->ybar};
    tacCheckpoints memory = {KEPT, w->kept, w->kept_bytes};
    scene_require(w->s, "rollout", tac_rollout_vjp(w->sim, &path, &memory, &(tacGrad){w->gx, w->gU, w->gtheta}, NULL));
}

/* --- Reverse against forward ------------------------------------------------------------------------------------- */

static void draw(double *x, int n, uint64_t stream, uint64_t k) {
    for (int i = 0; i < n; i++)
        x[i] = tac_random_normal(k, stream, (uint64_t)i);
}

/* sum += ybar . (M dx); scale += sizes of its terms */
static void add_product(const Work *w, int n, const double *M, const double *dx, double *sum, double *scale) {
    for (int i = 0; i < w->ndx; i++)
        for (int j = 0; j < n; j++) {
            double term = w->ybar[i] * M[(size_t)i * (size_t)n + (size_t)j] * dx[j];
            *sum += term;
            *scale += fabs(term);
        }
}

/* |ybar . (A dx + B du + P dtheta) - (gx . dx + gu . du + gtheta . dtheta)|, relative */
static double pair_error(Work *w, uint64_t k) {
    double forward = 0, scale = 0, reverse = 0;
    scene_randomize(w->s, k);
    draw(w->ybar, w->ndx, 11, k), draw(w->dx, w->ndx, 12, k), draw(w->du, w->s->nu, 13, k),
        draw(w->dtheta, w->np, 14, k);
    differentiate(w);
    add_product(w, w->ndx, w->A, w->dx, &forward, &scale);
    add_product(w, w->s->nu, w->B, w->du, &forward, &scale);
    add_product(w, w->np, w->P, w->dtheta, &forward, &scale);
    for (int i = 0; i < w->ndx; i++)
        reverse += w->gx[i] * w->dx[i];
    for (int i = 0; i < w->s->nu; i++)
        reverse += w->gu[i] * w->du[i];
    for (int i = 0; i < w->np; i++)
        reverse += w->gtheta[i] * w->dtheta[i];
    return fabs(forward - reverse) / fmax(1, scale);
}

/* --- Bits -------------------------------------------------------------------------------------------------------- */

static uint64_t hash_all(const Work *w, uint64_t hash) {
    size_t ndx = (size_t)w->ndx, nu = (size_t)w->s->nu, np = (size_t)w->np, number = sizeof(double);
    hash = tac_hash(w->s->y, (size_t)w->s->nx * number, hash);
    hash = tac_hash(w->A, ndx * ndx * number, hash);
    hash = tac_hash(w->B, ndx * nu * number, hash);
    hash = tac_hash(w->P, ndx * np * number, hash);
    hash = tac_hash(w->gx, ndx * number, hash);
    hash = tac_hash(w->gu, nu * number, hash);
    return tac_hash(w->gtheta, np * number, hash);
}

static uint64_t hash_states(Work *w) {
    uint64_t hash = 0;
    for (uint64_t k = 0; k < WORLDS; k++) {
        scene_randomize(w->s, k);
        draw(w->ybar, w->ndx, 11, k);
        differentiate(w);
        hash = hash_all(w, hash);
        draw(w->U, ROLLOUT * w->s->nu, 15, k);
        for (int i = 0; i < ROLLOUT * w->s->nu; i++)
            w->U[i] *= 0.1;
        roll_back(w);
        hash = hash_all(w, hash);
    }
    return hash;
}

static uint64_t hash_batch(Work *w, tacIntegrator integrator, int threads) {
    Scene *s = w->s;
    tacOptions options = s->options;
    options.integrator = integrator;
    size_t nx = (size_t)s->nx, nu = (size_t)s->nu, ndx = (size_t)w->ndx, np = (size_t)w->np, n = WORLDS;
    double *X = scene_doubles(n * nx), *U = scene_doubles(n * nu), *Ybar = scene_doubles(n * ndx);
    double *A = scene_doubles(n * ndx * ndx), *B = scene_doubles(n * ndx * nu), *P = scene_doubles(n * ndx * np);
    double *gx = scene_doubles(n * ndx), *gu = scene_doubles(n * nu), *gtheta = scene_doubles(n * np);
    for (size_t k = 0; k < n; k++) {
        scene_randomize(s, k);
        memcpy(X + k * nx, s->x, nx * sizeof(double));
        memcpy(U + k * nu, s->u, nu * sizeof(double));
        draw(Ybar + k * ndx, w->ndx, 11, k);
    }
    scene_require(s, "batch of Jacobians",
                  tac_batch_step_jac(s->model, &options, WORLDS, X, U, NULL, &(tacJac){A, B, P}, threads));
    scene_require(s, "batch of reverse modes",
                  tac_batch_step_vjp(s->model, &options, WORLDS, X, U, Ybar, &(tacGrad){gx, gu, gtheta}, threads));
    uint64_t hash = tac_hash(A, n * ndx * ndx * sizeof(double), 0);
    hash = tac_hash(B, n * ndx * nu * sizeof(double), hash);
    hash = tac_hash(P, n * ndx * np * sizeof(double), hash);
    hash = tac_hash(gx, n * ndx * sizeof(double), hash);
    hash = tac_hash(gu, n * nu * sizeof(double), hash);
    hash = tac_hash(gtheta, n * np * sizeof(double), hash);
    double *all[] = {X, U, Ybar, A, B, P, gx, gu, gtheta};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    return hash;
}

/* --- One model --------------------------------------------------------------------------------------------------- */

typedef struct Figures {
    long pairs, allocations;
    double reverse;
    uint64_t bits, batch[2];
} Figures;

static void measure(Scene *s, tacIntegrator integrator, long pairs, Figures *f) {
    Work w = work_make(s, integrator);
    differentiate(&w);
    for (long k = 0; k < pairs; k++)
        scene_grow(&f->reverse, pair_error(&w, (uint64_t)k));
    f->pairs += pairs;
    scene_randomize(s, 1);
    long before = counted_allocations();
    differentiate(&w);
    roll_back(&w);
    f->allocations += counted_allocations() - before;
    uint64_t bits = hash_states(&w);
    f->bits = tac_hash(&bits, sizeof bits, f->bits);
    for (int t = 0; t < 2; t++) {
        uint64_t hash = hash_batch(&w, integrator, t + 1);
        f->batch[t] = tac_hash(&hash, sizeof hash, f->batch[t]);
    }
    work_free(&w);
}

int main(int argc, char **argv) {
    long pairs = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    int code = 0;
    for (int i = 2; i < argc; i++) {
        tacError err;
        tacModel *model = NULL;
        Figures f = {0};
        if (tac_load(argv[i], &model, &err) != TAC_OK) return fprintf(stderr, "%s\n", err.text), 2;
        register_some(model);
        Scene s = scene_make(argv[i], model);
        long loaded = counted_allocations();
        for (int k = 0; k < NINTEGRATOR; k++)
            measure(&s, INTEGRATORS[k], pairs / NINTEGRATOR + 1, &f);
        printf("{\"model\":\"%s\",\"pairs\":%ld,\"reverse\":%.3e,\"params\":%d,\"allocations\":%ld,"
               "\"counted_at_load\":%ld,\"bits\":\"%016llx\",\"batch1\":\"%016llx\",\"batch2\":\"%016llx\"}\n",
               argv[i], f.pairs, f.reverse, model->nparam, f.allocations, loaded, (unsigned long long)f.bits,
               (unsigned long long)f.batch[0], (unsigned long long)f.batch[1]);
        if (!(f.reverse <= 1e-10) || f.allocations != 0 || loaded == 0 || f.batch[0] != f.batch[1]) code = 1;
        scene_free(&s);
    }
    return code;
}
