/* Derivatives of inverse dynamics against Ridders' differences, on trees with every joint type, several joints per
 * body, and numbering that is not depth first; reverse mode against the Jacobian. */
#include "support/check.h"
#include "support/random_tree.h"

#include "dynamics/inverse.h"
#include "dynamics/kinematics.h"
#include "dynamics/mass.h"
#include "measure/differences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ridders' differences reach about 1e-10 of the largest entry here. */
#define TOL_GRADIENT 1e-8
/* Two orders of summation of the same products. */
#define TOL_REVERSE 1e-12

typedef struct Setup {
    tacModel *m;
    tacWork w;
    void *memory;
    double *q, *v, *a, *move, *moved_q, *moved_v, *dq, *dv;
    int column, wrt_velocity;
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
    s.q = numbers(nq), s.v = numbers(nv), s.a = numbers(nv), s.move = numbers(nv);
    s.moved_q = numbers(nq), s.moved_v = numbers(nv);
    s.dq = numbers(nv * nv), s.dv = numbers(nv * nv);
    random_state(s.m, seed, s.q, s.v);
    for (int i = 0; i < nv; i++)
        s.a[i] = tac_random_normal(seed, 3, (uint64_t)i);
    return s;
}

static void free_setup(Setup *s) {
    double *all[] = {s->q, s->v, s->a, s->move, s->moved_q, s->moved_v, s->dq, s->dv};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(s->memory);
    tac_model_free(s->m);
}

/* tau along one column's direction */
static int inverse_along(void *context, double t, double *out) {
    Setup *s = context;
    memset(s->move, 0, (size_t)s->m->nv * sizeof(double));
    memcpy(s->moved_v, s->v, (size_t)s->m->nv * sizeof(double));
    if (s->wrt_velocity)
        s->moved_v[s->column] += t;
    else
        s->move[s->column] = t;
    tac_qpos_add(s->m, s->q, s->move, s->moved_q);
    tac_kinematics_q(s->m, &s->w, s->moved_q, NULL);
    tac_kinematics_v(s->m, &s->w, s->moved_v);
    tac_rnea(s->m, &s->w, s->moved_v, s->a, out);
    return 0;
}

/* Largest difference of a whole Jacobian over its largest entry. */
static double jacobian_error(Setup *s, const double *jacobian, int wrt_velocity) {
    int n = s->m->nv;
    double *column = numbers(n), *work = numbers(difference_work(n)), worst = 0, largest = 0;
    s->wrt_velocity = wrt_velocity;
    for (s->column = 0; s->column < n; s->column++) {
        CHECK_INT(difference_ridders(inverse_along, s, n, 0.05, column, NULL, work), 0);
        for (int i = 0; i < n; i++) {
            worst = worse(worst, fabs(column[i] - jacobian[i * n + s->column]));
            largest = fmax(largest, fabs(column[i]));
        }
    }
    free(column);
    free(work);
    CHECK(largest > 1);
    return worst / largest;
}

static void jacobians_equal_differences(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        Setup s = make_setup(seed, 8 + (int)seed);
        tac_kinematics_q(s.m, &s.w, s.q, NULL);
        tac_rnea_jac(s.m, &s.w, s.v, s.a, s.m->nv, s.dq, s.dv);
        CHECK_LT(jacobian_error(&s, s.dq, 0), TOL_GRADIENT);
        CHECK_LT(jacobian_error(&s, s.dv, 1), TOL_GRADIENT);
        free_setup(&s);
    }
}

static void reverse_equals_jacobian(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        Setup s = make_setup(seed, 12);
        int n = s.m->nv;
        double *lambda = numbers(n), *qbar = numbers(n), *vbar = numbers(n), *q_row = numbers(n), *v_row = numbers(n);
        for (int i = 0; i < n; i++)
            lambda[i] = tac_random_normal(seed, 4, (uint64_t)i);
        tac_kinematics_q(s.m, &s.w, s.q, NULL);
        tac_rnea_jac(s.m, &s.w, s.v, s.a, s.m->nv, s.dq, s.dv);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                q_row[j] += lambda[i] * s.dq[i * n + j];
                v_row[j] += lambda[i] * s.dv[i * n + j];
            }
        tac_rnea_vjp(s.m, &s.w, s.v, s.a, lambda, qbar, vbar);
        CHECK_ARRAY(n, qbar, q_row, TOL_REVERSE);
        CHECK_ARRAY(n, vbar, v_row, TOL_REVERSE);
        double *all[] = {lambda, qbar, vbar, q_row, v_row};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            free(all[i]);
        free_setup(&s);
    }
}

/* ID is linear in a: what a part of the accelerations adds at rest is d(M x)/dq, and where x has none in a tree nothing
 * is added there. */
static void mass_alone_is_a_difference(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        Setup s = make_setup(seed, 12);
        int n = s.m->nv;
        double *still = numbers(n), *none = numbers(n * n), *mass = numbers(n * n);
        memset(s.v, 0, (size_t)n * sizeof *s.v);
        for (int i = 0; i < n && seed % 2 == 0; i++) /* half of the trees at rest, dofs in between as well */
            if (s.m->body_root[s.m->dof_body[i]] % 2 == 0 || i % 3 == 0) s.a[i] = 0;
        tac_kinematics_q(s.m, &s.w, s.q, NULL);
        tac_rnea_jac(s.m, &s.w, s.v, still, n, none, s.dv);
        tac_rnea_jac(s.m, &s.w, s.v, s.a, n, s.dq, s.dv);
        for (int i = 0; i < n * n; i++)
            s.dq[i] -= none[i], mass[i] = 1;
        tac_mass_mul_jac(s.m, &s.w, s.a, n, mass);
        for (int i = 0; i < n * n; i++)
            mass[i] -= 1;
        CHECK_ARRAY(n * n, mass, s.dq, TOL_REVERSE);
        free(still), free(none), free(mass);
        free_setup(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobians_equal_differences),
        cmocka_unit_test(reverse_equals_jacobian),
        cmocka_unit_test(mass_alone_is_a_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
