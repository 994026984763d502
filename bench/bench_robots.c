/* Smooth quantities beside MuJoCo's on the same model and state, in one run, interleaved. CSV on standard output:
 *   model,nv,what,us_tactus,us_peer,ratio,error
 * `error` is the largest relative difference of the two results in this run; of crba_factor, also what is left of
 * M x = b when the factor solves it. */
#include "measure/timing.h"

#include "measure/agreement.h"

#include "dynamics/forward.h"
#include "dynamics/inverse.h"
#include "dynamics/kinematics.h"
#include "dynamics/mass.h"
#include "tactus/io.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Scene {
    tacModel *m;
    tacWork w;
    double *q, *v, *a, *tau;
    mjModel *mj;
    mjData *d;
} Scene;

static void ours_inverse(void *context) {
    Scene *s = context;
    tac_kinematics_q(s->m, &s->w, s->q, NULL);
    tac_kinematics_v(s->m, &s->w, s->v);
    tac_rnea(s->m, &s->w, s->v, NULL, s->tau);
}

static void peer_inverse(void *context) {
    Scene *s = context;
    mj_kinematics(s->mj, s->d);
    mj_comPos(s->mj, s->d);
    mj_comVel(s->mj, s->d);
    mj_rne(s->mj, s->d, 0, s->d->qfrc_bias);
}

static void ours_mass(void *context) {
    Scene *s = context;
    tac_crba(s->m, &s->w);
    tac_factor(s->m, &s->w, NULL);
}

static void peer_mass(void *context) {
    Scene *s = context;
    mj_crb(s->mj, s->d);
    mj_factorM(s->mj, s->d);
}

static void ours_aba(void *context) {
    Scene *s = context;
    tac_aba(s->m, &s->w, s->v, s->tau, s->a);
}

static void set_state(Scene *s) {
    double *move = calloc((size_t)s->m->nv, sizeof *move);
    for (int i = 0; i < s->m->nv; i++) {
        move[i] = 0.5 * tac_random_normal(1, 0, (uint64_t)i);
        s->v[i] = tac_random_normal(1, 1, (uint64_t)i);
    }
    tac_qpos_add(s->m, s->m->qpos_0, move, s->q);
    memcpy(s->d->qpos, s->q, (size_t)s->m->nq * sizeof(double));
    memcpy(s->d->qvel, s->v, (size_t)s->m->nv * sizeof(double));
    free(move);
}

static double mass_difference(Scene *s) {
    size_t n = (size_t)s->m->nv;
    double *ours = malloc(n * n * sizeof *ours), *theirs = malloc(n * n * sizeof *theirs);
    tac_mass_dense(s->m, &s->w, ours);
    mj_fullM(s->mj, theirs, s->d->qM);
    double error = relative_error((int)(n * n), ours, theirs);
    free(ours);
    free(theirs);
    return error;
}

/* M (M^-1 b) - b for random b, relative: the factor that was timed solves with the matrix that was timed. */
static double factor_residual(Scene *s) {
    int n = s->m->nv;
    double *b = malloc((size_t)n * sizeof *b), *x = malloc((size_t)n * sizeof *x),
           *back = malloc((size_t)n * sizeof *b);
    for (int i = 0; i < n; i++)
        b[i] = x[i] = tac_random_normal(1, 2, (uint64_t)i);
    tacStatus status = tac_factor(s->m, &s->w, NULL);
    tac_solve(s->m, &s->w, x);
    tac_mass_mul(s->m, &s->w, x, back);
    double error = status == TAC_OK ? relative_error(n, back, b) : HUGE_VAL;
    free(b);
    free(x);
    free(back);
    return error;
}

static double error_of(Scene *s, const char *what) {
    if (strcmp(what, "crba_factor") == 0) return worse(mass_difference(s), factor_residual(s));
    return relative_error(s->m->nv, s->tau, s->d->qfrc_bias);
}

static void compare_pair(Scene *s, const char *name, const char *what, benchWork ours, benchWork peer) {
    benchTime t[2];
    bench_interleaved(2, (benchWork[]){ours, peer}, (void *[]){s, s}, 41, 2e-3, t);
    printf("%s,%d,%s,%.4f,%.4f,%.4f,%.3g\n", name, s->m->nv, what, 1e6 * t[0].median, 1e6 * t[1].median,
           t[0].median / t[1].median, error_of(s, what));
}

static void time_aba(Scene *s, const char *name) {
    benchTime t;
    bench_interleaved(1, (benchWork[]){ours_aba}, (void *[]){s}, 41, 2e-3, &t);
    printf("%s,%d,aba,%.4f,,,\n", name, s->m->nv, 1e6 * t.median);
}

static int run_model(const char *path) {
    Scene s = {0};
    tacError err;
    char text[1024];
    if (tac_load(path, &s.m, &err) != TAC_OK) return fprintf(stderr, "%s\n", err.text), 2;
    s.mj = mj_loadXML(path, NULL, text, sizeof text);
    if (s.mj == NULL) return fprintf(stderr, "MuJoCo: %s\n", text), 2;
    s.d = mj_makeData(s.mj);
    size_t bytes = tac_work_bytes(s.m);
    void *memory = aligned_alloc(TAC_ARENA_ALIGN, tac_arena_round(bytes));
    tacArena arena;
    tac_arena_init(&arena, memory, tac_arena_round(bytes));
    tac_work_layout(&s.w, s.m, &arena);
    size_t n = (size_t)(s.m->nq + 3 * s.m->nv);
    double *numbers = calloc(n, sizeof *numbers);
    s.q = numbers, s.v = s.q + s.m->nq, s.a = s.v + s.m->nv, s.tau = s.a + s.m->nv;
    set_state(&s);
    compare_pair(&s, path, "kinematics_rnea", ours_inverse, peer_inverse);
    compare_pair(&s, path, "crba_factor", ours_mass, peer_mass);
    time_aba(&s, path);
    free(numbers);
    free(memory);
    mj_deleteData(s.d);
    mj_deleteModel(s.mj);
    tac_model_free(s.m);
    return 0;
}

int main(int argc, char **argv) {
    printf("model,nv,what,us_tactus,us_peer,ratio,error\n");
    for (int i = 1; i < argc; i++) {
        int code = run_model(argv[i]);
        if (code != 0) return code;
    }
    return 0;
}
