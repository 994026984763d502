/* evidence_contact_steps CONTACT MODEL...: the contact model along a motion of each model under random controls:
 * allocations of steps, Jacobians and reverse modes (of bodies too), their bits, and those of batches on one and two
 * threads. One JSON line per model:
 *   {"model":..., "steps":N, "in_contact":N, "unsolved":N, "allocations":N, "counted_at_load":N, "same_map":0|1,
 *    "bits":hash, "batch1":hash, "batch2":hash} */
#include "count_allocations.h"
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Derivatives are taken at every GAP-th state, which are the worlds of the batch too. */
enum { STEPS = 480, HOLD = 20, GAP = 30, WORLDS = STEPS / GAP, CONTROLS = 7 /* random stream */ };

typedef struct Arrays {
    double *A, *B, *ybar, *gx, *gu; /* WORLDS of each */
    double *X, *U, *Y;
    double *zbar, *gz; /* of one world's bodies */
} Arrays;

typedef struct Figures {
    long in_contact, unsolved, allocations;
    int same_map;
    uint64_t bits, batch[2];
} Figures;

static void require(const Scene *s, const char *what, tacStatus status) {
    if (status != TAC_ERR_UNSOLVED) scene_require(s, what, status);
}

static size_t body_numbers(const Scene *s) { return 12 * (size_t)s->model->nbody + (size_t)s->model->na; }

/* World w of the batch is the present state: its derivatives, alone. */
static void differentiate(Scene *s, Arrays *a, size_t w, Figures *f) {
    size_t ndx = (size_t)tac_ndx(s->model), nx = (size_t)s->nx, nu = (size_t)s->nu;
    double *A = a->A + w * ndx * ndx, *B = a->B + w * ndx * nu, *gx = a->gx + w * ndx, *gu = a->gu + w * nu;
    double *y = a->Y + w * nx;
    memcpy(a->X + w * nx, s->x, nx * sizeof(double));
    memcpy(a->U + w * nu, s->u, nu * sizeof(double));
    require(s, "step", tac_step(s->sim, s->x, s->u, s->y, NULL));
    require(s, "Jacobian", tac_step_jac(s->sim, s->x, s->u, y, &(tacJac){A, B, NULL}, NULL));
    require(s, "reverse mode", tac_step_vjp(s->sim, s->x, s->u, a->ybar + w * ndx, &(tacGrad){gx, gu, NULL}, NULL));
    tacMaximalGrad bodies = {.span = s->options.dt, .z = a->gz};
    require(s, "reverse mode of bodies", tac_step_maximal_vjp(s->sim, s->x, s->u, a->zbar, &bodies, NULL));
    f->same_map &= memcmp(y, s->y, nx * sizeof(double)) == 0;
    f->bits = tac_hash(A, ndx * ndx * sizeof(double), f->bits);
    f->bits = tac_hash(B, ndx * nu * sizeof(double), f->bits);
    f->bits = tac_hash(gx, ndx * sizeof(double), f->bits);
    f->bits = tac_hash(a->gz, body_numbers(s) * sizeof(double), f->bits);
}

static void move(Scene *s, Arrays *a, Figures *f) {
    tacStepInfo info;
    tac_default_state(s->model, s->x);
    if (s->model->nkey > 0) memcpy(s->x, s->model->key_qpos, (size_t)s->model->nq * sizeof(double));
    for (int k = 0; k < STEPS; k++) {
        for (int i = 0; i < s->model->nu; i++)
            s->u[i] = scene_control(s, CONTROLS, (uint64_t)(k / HOLD), i);
        long before = counted_allocations();
        if (k % GAP == 0) differentiate(s, a, (size_t)(k / GAP), f);
        require(s, "step", tac_step(s->sim, s->x, s->u, s->x, &info));
        f->allocations += counted_allocations() - before;
        f->in_contact += info.contacts > 0;
        f->unsolved += info.status == TAC_ERR_UNSOLVED;
        f->bits = tac_hash(s->x, (size_t)s->nx * sizeof(double), f->bits);
    }
}

static uint64_t hash_batch(const Scene *s, Arrays *a, int threads) {
    size_t ndx = (size_t)tac_ndx(s->model), nx = (size_t)s->nx, nu = (size_t)s->nu, n = WORLDS;
    tacJac jac = {a->A, a->B, NULL};
    tacGrad grad = {a->gx, a->gu, NULL};
    require(s, "batch of Jacobians",
            tac_batch_step_jac(s->model, &s->options, WORLDS, a->X, a->U, a->Y, &jac, threads));
    require(s, "batch of reverse modes",
            tac_batch_step_vjp(s->model, &s->options, WORLDS, a->X, a->U, a->ybar, &grad, threads));
    uint64_t hash = tac_hash(a->A, n * ndx * ndx * sizeof(double), 0);
    hash = tac_hash(a->B, n * ndx * nu * sizeof(double), hash);
    hash = tac_hash(a->gx, n * ndx * sizeof(double), hash);
    hash = tac_hash(a->gu, n * nu * sizeof(double), hash);
    return tac_hash(a->Y, n * nx * sizeof(double), hash);
}

static Arrays arrays_make(const Scene *s) {
    size_t ndx = (size_t)tac_ndx(s->model), nx = (size_t)s->nx, nu = (size_t)s->nu, n = WORLDS;
    Arrays a = {scene_doubles(n * ndx * ndx),  scene_doubles(n * ndx * nu), scene_doubles(n * ndx),
                scene_doubles(n * ndx),        scene_doubles(n * nu),       scene_doubles(n * nx),
                scene_doubles(n * nu),         scene_doubles(n * nx),       scene_doubles(body_numbers(s)),
                scene_doubles(body_numbers(s))};
    for (size_t i = 0; i < n * ndx; i++)
        a.ybar[i] = tac_random_normal(8, 0, (uint64_t)i);
    for (size_t i = 0; i < body_numbers(s); i++)
        a.zbar[i] = tac_random_normal(8, 1, (uint64_t)i);
    return a;
}

static void arrays_free(Arrays *a) {
    double *all[] = {a->A, a->B, a->ybar, a->gx, a->gu, a->X, a->U, a->Y, a->zbar, a->gz};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static int run_model(const char *path, tacContactModel contact) {
    Scene s = scene_load(path);
    Figures f = {.same_map = 1};
    scene_require(&s, "simulation", scene_set_contact(&s, contact, NULL));
    Arrays a = arrays_make(&s);
    long loaded = counted_allocations();
    move(&s, &a, &f);
    for (int t = 0; t < 2; t++)
        f.batch[t] = hash_batch(&s, &a, t + 1);
    printf(
        "{\"model\":\"%s\",\"steps\":%d,\"in_contact\":%ld,\"unsolved\":%ld,\"allocations\":%ld,"
        "\"counted_at_load\":%ld,\"same_map\":%d,\"bits\":\"%016llx\",\"batch1\":\"%016llx\",\"batch2\":\"%016llx\"}\n",
        path, STEPS, f.in_contact, f.unsolved, f.allocations, loaded, f.same_map, (unsigned long long)f.bits,
        (unsigned long long)f.batch[0], (unsigned long long)f.batch[1]);
    arrays_free(&a);
    scene_free(&s);
    return f.allocations != 0 || !f.same_map || f.batch[0] != f.batch[1];
}

int main(int argc, char **argv) {
    if (argc < 3) return fprintf(stderr, "usage: %s lcp|ncp|soft MODEL...\n", argv[0]), 2;
    tacContactModel contact = scene_contact_named(argv[1]);
    int code = 0;
    for (int i = 2; i < argc; i++)
        code |= run_model(argv[i], contact);
    return code;
}
