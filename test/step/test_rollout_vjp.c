/* The reverse mode of whole rollouts: against products of single Jacobians, against differences of the rollout, and
 * against itself with other memory. */
#include "dynamics/robots.h"
#include "support/check.h"

#include "measure/differences.h"
#include "tactus/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Relative to the size of the terms that are added up. */
#define TOL_CHAIN 1e-12
/* Of a directional derivative over a thousand steps, relative to it. */
#define TOL_ROLLOUT 1e-6
#define FIRST_STEP  1e-4

enum { SHORT = 9, LONG = 1000, INTEGRATORS = 5 };

/* A rollout of n steps with a loss: covectors at every state. */
typedef struct Path {
    tacModel *m;
    tacOptions options;
    tacSim *sim;
    int n, nx, ndx, nu, np;
    double *x0, *U, *X, *Xbar, *xbar, *gx, *gU, *gtheta;
    double *dx0, *dU, *moved_x, *moved_U, *moved_X, *move; /* a direction, and the rollout along it */
    void *memory;
    size_t bytes;
} Path;

static double *normals(int n, double scale, uint64_t stream) {
    double *x = robot_array(n);
    for (int i = 0; i < n; i++)
        x[i] = scale * tac_random_normal(17, stream, (uint64_t)i);
    return x;
}

/* Takes the model over. */
static Path open_path(tacModel *m, tacIntegrator integrator, int n, double push) {
    Path p = {.m = m, .n = n};
    p.options = tac_default_options(m);
    p.options.contact = TAC_CONTACT_MODEL_NONE;
    p.options.integrator = integrator;
    CHECK_INT(tac_sim_new(m, &p.options, &p.sim, NULL), TAC_OK);
    p.nx = tac_nx(m), p.ndx = tac_ndx(m), p.nu = tac_ninput(m, &p.options), p.np = m->nparam;
    p.x0 = robot_array(p.nx), p.X = robot_array((n + 1) * p.nx), p.moved_X = robot_array((n + 1) * p.nx);
    p.gx = robot_array(p.ndx), p.gU = robot_array(n * p.nu), p.gtheta = robot_array(p.np);
    p.U = normals(n * p.nu, push, 1), p.dU = normals(n * p.nu, push, 2), p.dx0 = normals(p.ndx, 0.1, 3);
    p.Xbar = normals((n + 1) * p.ndx, 1, 4), p.xbar = normals(p.ndx, 1, 5);
    p.moved_x = robot_array(p.nx), p.moved_U = robot_array(n * p.nu), p.move = robot_array(p.ndx);
    p.bytes = tac_rollout_vjp_bytes(m, n, n);
    p.memory = aligned_alloc(64, p.bytes);
    CHECK(p.memory != NULL);
    double *d = normals(m->nv, 0.2, 6), *v = normals(m->nv + m->na, 0.2, 7);
    tac_qpos_add(m, m->qpos_0, d, p.x0);
    memcpy(p.x0 + m->nq, v, (size_t)(m->nv + m->na) * sizeof *v);
    free(d), free(v);
    CHECK_INT(tac_rollout(p.sim, p.x0, p.U, n, p.X, NULL), TAC_OK);
    return p;
}

static void close_path(Path *p) {
    double *all[] = {p->x0,     p->U,   p->X,       p->Xbar,    p->xbar,    p->gx,   p->gU,
                     p->gtheta, p->dx0, p->moved_x, p->moved_U, p->moved_X, p->move, p->dU};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(p->memory);
    tac_sim_free(p->sim);
    tac_model_free(p->m);
}

static tacTrajectory trajectory(const Path *p) {
    return (tacTrajectory){.n = p->n, .x0 = p->x0, .U = p->U, .Xbar = p->Xbar, .xbar = p->xbar};
}

static tacStatus pull(Path *p, const tacTrajectory *path, int count) {
    tacCheckpoints memory = {count, p->memory, tac_rollout_vjp_bytes(p->m, p->n, count)};
    tacGrad grad = {p->gx, p->gU, p->np > 0 ? p->gtheta : NULL};
    return tac_rollout_vjp(p->sim, path, &memory, &grad, NULL);
}

static uint64_t hash_gradient(const Path *p) {
    uint64_t h = tac_hash(p->gx, (size_t)p->ndx * sizeof(double), 0);
    h = tac_hash(p->gU, (size_t)(p->n * p->nu) * sizeof(double), h);
    return tac_hash(p->gtheta, (size_t)p->np * sizeof(double), h);
}

/* --- Against products of Jacobians -------------------------------------------------------------------------------- */

/* y += s A^T x, A rows x n */
static void add_transposed(int rows, int n, const double *A, const double *x, double *y) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            y[j] += A[i * n + j] * x[i];
}

static void check_chain(tacIntegrator integrator) {
    tacModel *m = robot_creature();
    CHECK_INT(tac_param_register(m, "body/#2.mass", NULL, NULL), TAC_OK);
    CHECK_INT(tac_param_register(m, "option.gravity[2]", NULL, NULL), TAC_OK);
    CHECK_INT(tac_param_register(m, "actuator/#1.dynprm[0]", NULL, NULL), TAC_OK);
    CHECK_INT(tac_param_register(m, "option.timestep", NULL, NULL), TAC_OK);
    Path p = open_path(m, integrator, SHORT, 0.5);
    double *A = robot_array(p.ndx * p.ndx), *B = robot_array(p.ndx * p.nu), *P = robot_array(p.ndx * p.np);
    double *lambda = robot_array(p.ndx), *next = robot_array(p.ndx), *u = robot_array(p.nu), *theta = robot_array(p.np);
    tacTrajectory path = trajectory(&p);
    CHECK_INT(pull(&p, &path, 2), TAC_OK);
    for (int i = 0; i < p.ndx; i++)
        lambda[i] = p.Xbar[SHORT * p.ndx + i] + p.xbar[i];
    for (int k = SHORT - 1; k >= 0; k--) {
        tacJac jac = {A, B, P};
        CHECK_INT(tac_step_jac(p.sim, p.X + k * p.nx, p.U + k * p.nu, NULL, &jac, NULL), TAC_OK);
        memset(u, 0, (size_t)p.nu * sizeof *u);
        add_transposed(p.ndx, p.nu, B, lambda, u);
        CHECK_ARRAY(p.nu, p.gU + k * p.nu, u, TOL_CHAIN);
        add_transposed(p.ndx, p.np, P, lambda, theta);
        memcpy(next, p.Xbar + k * p.ndx, (size_t)p.ndx * sizeof *next);
        add_transposed(p.ndx, p.ndx, A, lambda, next);
        memcpy(lambda, next, (size_t)p.ndx * sizeof *next);
    }
    print_message("d(loss)/d(theta) %g %g %g %g\n", theta[0], theta[1], theta[2], theta[3]);
    CHECK(theta[0] != 0 && theta[1] != 0 && theta[2] != 0 && theta[3] != 0);
    CHECK_ARRAY(p.ndx, p.gx, lambda, TOL_CHAIN);
    CHECK_ARRAY(p.np, p.gtheta, theta, TOL_CHAIN);
    free(A), free(B), free(P), free(lambda), free(next), free(u), free(theta);
    close_path(&p);
}

static void equals_products_of_jacobians(void **state) {
    (void)state;
    for (int i = 0; i < INTEGRATORS; i++)
        check_chain((tacIntegrator)i);
}

/* --- Against differences of the rollout --------------------------------------------------------------------------- */

/* The loss along the direction, linear in the displacement of every state. */
static int loss_along(void *context, double t, double *out) {
    Path *p = context;
    const tacModel *m = p->m;
    for (int i = 0; i < m->nv; i++)
        p->move[i] = t * p->dx0[i];
    tac_qpos_add(m, p->x0, p->move, p->moved_x);
    for (int i = m->nv; i < p->ndx; i++)
        p->moved_x[m->nq - m->nv + i] = p->x0[m->nq - m->nv + i] + t * p->dx0[i];
    for (int i = 0; i < p->n * p->nu; i++)
        p->moved_U[i] = p->U[i] + t * p->dU[i];
    if (tac_rollout(p->sim, p->moved_x, p->moved_U, p->n, p->moved_X, NULL) != TAC_OK) return 1;
    *out = 0;
    for (int k = 0; k <= p->n; k++) {
        const double *there = p->moved_X + k * p->nx, *here = p->X + k * p->nx, *bar = p->Xbar + k * p->ndx;
        tac_qpos_sub(m, there, here, p->move);
        for (int i = m->nv; i < p->ndx; i++)
            p->move[i] = there[m->nq - m->nv + i] - here[m->nq - m->nv + i];
        for (int i = 0; i < p->ndx; i++)
            *out += p->move[i] * (bar[i] + (k == p->n ? p->xbar[i] : 0));
    }
    return 0;
}

static void check_differences(const char *file, tacIntegrator integrator) {
    tacModel *m = NULL;
    CHECK_INT(tac_load(file, &m, NULL), TAC_OK);
    Path p = open_path(m, integrator, LONG, 0.05);
    tacTrajectory path = trajectory(&p);
    double work[64], expected, got = 0;
    CHECK(difference_work(1) <= 64);
    CHECK_INT(difference_ridders(loss_along, &p, 1, FIRST_STEP, &expected, NULL, work), 0);
    CHECK_INT(pull(&p, &path, LONG), TAC_OK);
    for (int i = 0; i < p.ndx; i++)
        got += p.gx[i] * p.dx0[i];
    for (int i = 0; i < p.n * p.nu; i++)
        got += p.gU[i] * p.dU[i];
    print_message("%s, integrator %d: %.9g, difference %.2g\n", file, (int)integrator, got, fabs(got / expected - 1));
    CHECK(fabs(expected) > 1e-3);
    CHECK_LT(fabs(got - expected) / fabs(expected), TOL_ROLLOUT);
    /* the same bits with ten states */
    uint64_t hash = hash_gradient(&p);
    CHECK_INT(pull(&p, &path, 10), TAC_OK);
    CHECK(hash_gradient(&p) == hash);
    close_path(&p);
}

static void equals_differences(void **state) {
    (void)state;
    const char *const files[] = {"models/pendulum.xml", "models/cartpole.xml", "models/quadrotor.xml",
                                 "models/panda.xml"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        for (int i = 0; i < INTEGRATORS; i++)
            check_differences(files[f], (tacIntegrator)i);
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

/* Any number of kept states, given states, and missing rows of the loss. */
static void memory_changes_no_bit(void **state) {
    (void)state;
    enum { STEPS = 60 };
    Path p = open_path(robot_creature(), TAC_INTEGRATOR_EULER, STEPS, 0.5);
    tacTrajectory path = trajectory(&p), given = path;
    uint64_t first = 0;
    for (int count = STEPS + 5; count >= 0; count = count > 12 ? count / 2 : count - 1) {
        memset(p.memory, 0xFF, tac_rollout_vjp_bytes(p.m, STEPS, count < STEPS ? count : STEPS));
        CHECK_INT(pull(&p, &path, count), TAC_OK);
        if (first == 0) first = hash_gradient(&p);
        CHECK(hash_gradient(&p) == first);
    }
    given.X = p.X;
    CHECK_INT(pull(&p, &given, 0), TAC_OK);
    CHECK(hash_gradient(&p) == first);
    /* memory is proportional to what is kept, and no more is asked for than can help */
    size_t none = tac_rollout_vjp_bytes(p.m, STEPS, 0), ten = tac_rollout_vjp_bytes(p.m, STEPS, 10);
    CHECK(ten - none >= 10 * (size_t)p.nx * sizeof(double));
    CHECK(ten - none <= 10 * ((size_t)p.nx * sizeof(double) + sizeof(int)) + 128);
    CHECK_INT(tac_rollout_vjp_bytes(p.m, STEPS, 1000000), tac_rollout_vjp_bytes(p.m, STEPS, STEPS - 2));
    CHECK_INT(tac_rollout_vjp_bytes(NULL, STEPS, 1), 0);
    close_path(&p);
}

/* A loss of the last state alone is a loss whose other rows are zero. */
static void missing_rows_are_zero(void **state) {
    (void)state;
    Path p = open_path(robot_creature(), TAC_INTEGRATOR_RK4, SHORT, 0.5);
    tacTrajectory path = trajectory(&p);
    path.Xbar = NULL;
    CHECK_INT(pull(&p, &path, 3), TAC_OK);
    uint64_t hash = hash_gradient(&p);
    memset(p.Xbar, 0, (size_t)((SHORT + 1) * p.ndx) * sizeof(double));
    memcpy(p.Xbar + SHORT * p.ndx, p.xbar, (size_t)p.ndx * sizeof(double));
    path = trajectory(&p);
    path.xbar = NULL;
    CHECK_INT(pull(&p, &path, 3), TAC_OK);
    CHECK(hash_gradient(&p) == hash);
    /* no steps: the gradient is the loss's own; arrays that are not wanted are left out */
    path.n = 0;
    CHECK_INT(
        tac_rollout_vjp(p.sim, &path, &(tacCheckpoints){0, p.memory, p.bytes}, &(tacGrad){p.gx, NULL, NULL}, NULL),
        TAC_OK);
    CHECK(memcmp(p.gx, p.Xbar, (size_t)p.ndx * sizeof(double)) == 0);
    close_path(&p);
}

/* --- Bad input ---------------------------------------------------------------------------------------------------- */

static void bad_input(void **state) {
    (void)state;
    Path p = open_path(robot_creature(), TAC_INTEGRATOR_EULER, SHORT, 0.5);
    tacTrajectory path = trajectory(&p), bad = path;
    tacCheckpoints memory = {3, p.memory, p.bytes};
    tacGrad grad = {p.gx, p.gU, NULL};
    tacStepInfo info;
    p.gx[0] = 7;
    CHECK_INT(tac_rollout_vjp(NULL, &path, &memory, &grad, &info), TAC_ERR_ARGUMENT);
    CHECK_INT(info.status, TAC_ERR_ARGUMENT);
    CHECK_INT(tac_rollout_vjp(p.sim, NULL, &memory, &grad, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_rollout_vjp(p.sim, &path, NULL, &grad, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_rollout_vjp(p.sim, &path, &memory, NULL, NULL), TAC_ERR_ARGUMENT);
    bad.n = -1;
    CHECK_INT(tac_rollout_vjp(p.sim, &bad, &memory, &grad, NULL), TAC_ERR_ARGUMENT);
    bad = path, bad.U = NULL;
    CHECK_INT(tac_rollout_vjp(p.sim, &bad, &memory, &grad, NULL), TAC_ERR_ARGUMENT);
    bad = path, bad.x0 = NULL;
    CHECK_INT(tac_rollout_vjp(p.sim, &bad, &memory, &grad, NULL), TAC_ERR_ARGUMENT);
    tacCheckpoints small = {3, p.memory, tac_rollout_vjp_bytes(p.m, SHORT, 3) - 1},
                   crooked = {3, (char *)p.memory + 8, p.bytes};
    CHECK_INT(tac_rollout_vjp(p.sim, &path, &small, &grad, NULL), TAC_ERR_ARENA_FULL);
    CHECK_INT(tac_rollout_vjp(p.sim, &path, &crooked, &grad, NULL), TAC_ERR_ARGUMENT);
    small = (tacCheckpoints){-1, p.memory, p.bytes};
    CHECK_INT(tac_rollout_vjp(p.sim, &path, &small, &grad, NULL), TAC_ERR_ARGUMENT);
    p.U[2 * p.nu + 1] = (double)NAN;
    CHECK_INT(tac_rollout_vjp(p.sim, &path, &memory, &grad, &info), TAC_ERR_NONFINITE);
    CHECK_INT(info.bad_index, p.nx + 1);
    p.U[2 * p.nu + 1] = 0;
    p.xbar[0] = (double)INFINITY;
    CHECK_INT(tac_rollout_vjp(p.sim, &path, &memory, &grad, &info), TAC_ERR_NONFINITE);
    CHECK_INT(info.bad_index, -1);
    CHECK(p.gx[0] == 7);
    close_path(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_products_of_jacobians),
        cmocka_unit_test(equals_differences),
        cmocka_unit_test(memory_changes_no_bit),
        cmocka_unit_test(missing_rows_are_zero),
        cmocka_unit_test(bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
