/* Derivatives of forward dynamics against Ridders' differences of articulated bodies, on trees with every joint type,
 * several joints per body, and numbering that is not depth first. */
#include "support/check.h"
#include "support/random_tree.h"

#include "dynamics/forward.h"
#include "dynamics/kinematics.h"
#include "measure/differences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ridders' differences reach about 1e-10 of the largest entry here. */
#define TOL_GRADIENT 1e-8
/* Articulated bodies and the factored mass matrix are two ways to the same acceleration. */
#define TOL_SAME 1e-9

enum { BY_Q, BY_V, BY_TAU, BLOCKS };

typedef struct Setup {
    tacModel *m;
    tacWork w;
    void *memory;
    double *q, *v, *tau, *a, *move, *moved_q, *moved_v, *moved_tau, *jac;
    int column, block;
} Setup;

static double *numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

static Setup make_setup(uint64_t seed, int nbody) {
    Setup s = {.m = random_tree(seed, nbody)};
    size_t bytes = tac_work_bytes(s.m);
    s.memory = aligned_alloc(TAC_ARENA_ALIGN, bytes);
    memset(s.memory, 0xFF, bytes);
    tacArena arena;
    tac_arena_init(&arena, s.memory, bytes);
    CHECK(tac_work_layout(&s.w, s.m, &arena));
    int nq = s.m->nq, nv = s.m->nv;
    s.q = numbers(nq), s.v = numbers(nv), s.tau = numbers(nv), s.a = numbers(nv), s.move = numbers(nv);
    s.moved_q = numbers(nq), s.moved_v = numbers(nv), s.moved_tau = numbers(nv), s.jac = numbers(3 * nv * nv);
    random_state(s.m, seed, s.q, s.v);
    for (int i = 0; i < nv; i++)
        s.tau[i] = tac_random_normal(seed, 3, (uint64_t)i);
    return s;
}

static void free_setup(Setup *s) {
    double *all[] = {s->q, s->v, s->tau, s->a, s->move, s->moved_q, s->moved_v, s->moved_tau, s->jac};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(s->memory);
    tac_model_free(s->m);
}

static tacStatus differentiate(Setup *s) {
    memset(s->jac, 0xFF, (size_t)(3 * s->m->nv * s->m->nv) * sizeof(double));
    tac_kinematics_q(s->m, &s->w, s->q, NULL);
    tac_kinematics_v(s->m, &s->w, s->v);
    return tac_forward_jac(s->m, &s->w, s->v, s->tau, s->a, s->jac);
}

/* a by articulated bodies along one column's direction */
static int forward_along(void *context, double t, double *out) {
    Setup *s = context;
    size_t bytes = (size_t)s->m->nv * sizeof(double);
    memset(s->move, 0, bytes);
    memcpy(s->moved_v, s->v, bytes);
    memcpy(s->moved_tau, s->tau, bytes);
    double *moved[BLOCKS] = {s->move, s->moved_v, s->moved_tau};
    moved[s->block][s->column] += t;
    tac_qpos_add(s->m, s->q, s->move, s->moved_q);
    tac_kinematics_q(s->m, &s->w, s->moved_q, NULL);
    tac_kinematics_v(s->m, &s->w, s->moved_v);
    return tac_aba(s->m, &s->w, s->moved_v, s->moved_tau, out) != TAC_OK;
}

/* Largest difference of one block over its largest entry. */
static double block_error(Setup *s, int block) {
    int n = s->m->nv;
    double *column = numbers(n), *work = numbers(difference_work(n)), worst = 0, largest = 0;
    s->block = block;
    for (s->column = 0; s->column < n; s->column++) {
        CHECK_INT(difference_ridders(forward_along, s, n, 0.02, column, NULL, work), 0);
        for (int i = 0; i < n; i++) {
            worst = worse(worst, fabs(column[i] - s->jac[i * 3 * n + block * n + s->column]));
            largest = fmax(largest, fabs(column[i]));
        }
    }
    free(column);
    free(work);
    CHECK(largest > 0);
    return worst / largest;
}

static void blocks_equal_differences(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        Setup s = make_setup(seed, 8 + (int)seed);
        CHECK_INT(differentiate(&s), TAC_OK);
        for (int block = 0; block < BLOCKS; block++)
            CHECK_LT(block_error(&s, block), TOL_GRADIENT);
        free_setup(&s);
    }
}

static void acceleration_equals_articulated_bodies(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Setup s = make_setup(seed, 12);
        double *a = numbers(s.m->nv);
        CHECK_INT(differentiate(&s), TAC_OK);
        s.block = BY_Q, s.column = 0;
        CHECK_INT(forward_along(&s, 0, a), 0);
        CHECK_ARRAY(s.m->nv, s.a, a, TOL_SAME);
        free(a);
        free_setup(&s);
    }
}

/* da/dtau is the inverse of a symmetric matrix; the call repeats to the bit whatever the output held. */
static void inverse_is_symmetric_and_repeats(void **state) {
    (void)state;
    Setup s = make_setup(3, 15);
    int n = s.m->nv;
    CHECK_INT(differentiate(&s), TAC_OK);
    double *first = numbers(3 * n * n), largest = 0, worst = 0;
    memcpy(first, s.jac, (size_t)(3 * n * n) * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            worst = worse(worst, fabs(first[i * 3 * n + 2 * n + j] - first[j * 3 * n + 2 * n + i]));
            largest = fmax(largest, fabs(first[i * 3 * n + 2 * n + j]));
        }
    CHECK_LT(worst, TOL_SAME * largest);
    CHECK_INT(differentiate(&s), TAC_OK);
    CHECK_INT(memcmp(first, s.jac, (size_t)(3 * n * n) * sizeof(double)), 0);
    free(first);
    free_setup(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_equal_differences),
        cmocka_unit_test(acceleration_equals_articulated_bodies),
        cmocka_unit_test(inverse_is_symmetric_and_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
