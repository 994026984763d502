/* A and B of a step against Ridders' differences of the very same step, and the reverse mode against them, on every
 * robot of ours at random states. */
#include "support/check.h"
#include "support/random_tree.h"

#include "measure/differences.h"
#include "tactus/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Relative to max(1, largest entry) of each block, as `tactus check` has it. */
#define TOL_GRADIENT 1e-7
#define TOL_REVERSE  1e-10
/* First step of the differences. */
#define FIRST_STEP 1e-3
/* What outputs hold before a call. */
#define UNTOUCHED 7.25

static const char *const ROBOTS[] = {
    "pendulum",  "double_pendulum", "cartpole", "double_cartpole", "box",   "hopper",    "half_cheetah", "ant",
    "quadruped", "humanoid",        "atlas",    "panda",           "xarm6", "quadrotor", "catapult",     "jumpworm"};

typedef struct Case {
    tacModel *m;
    tacOptions options;
    tacSim *sim;
    int nx, ndx, nu, column;
    double *x, *u, *moved_x, *moved_u, *move, *y, *y0;
} Case;

static double *numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

/* Ends with a number that is none. */
static const struct {
    tacIntegrator id;
    const char *name;
} INTEGRATORS[] = {{TAC_INTEGRATOR_EULER, "Euler"},
                   {TAC_INTEGRATOR_RK4, "RK4"},
                   {TAC_INTEGRATOR_IMPLICIT, "implicit"},
                   {TAC_INTEGRATOR_IMPLICITFAST, "implicitfast"},
                   {TAC_INTEGRATOR_RKMK4, "RKMK4"}};
enum { NINTEGRATOR = 5 };

static Case open_case(const char *path, tacIntegrator integrator, unsigned inputs) {
    Case c = {0};
    tacError err;
    if (tac_load(path, &c.m, &err) != TAC_OK) print_error("%s\n", err.text);
    CHECK(c.m != NULL);
    c.options = tac_default_options(c.m);
    c.options.contact = TAC_CONTACT_MODEL_NONE;
    c.options.integrator = integrator;
    c.options.inputs = inputs;
    CHECK_INT(tac_sim_new(c.m, &c.options, &c.sim, &err), TAC_OK);
    c.nx = tac_nx(c.m), c.ndx = tac_ndx(c.m), c.nu = tac_ninput(c.m, &c.options);
    c.x = numbers(c.nx), c.moved_x = numbers(c.nx), c.y = numbers(c.nx), c.y0 = numbers(c.nx);
    c.u = numbers(c.nu), c.moved_u = numbers(c.nu), c.move = numbers(c.ndx);
    return c;
}

static void close_case(Case *c) {
    double *all[] = {c->x, c->u, c->moved_x, c->moved_u, c->move, c->y, c->y0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    tac_sim_free(c->sim);
    tac_model_free(c->m);
}

static void draw_state(Case *c, uint64_t seed) { random_point(c->m, &c->options, seed, c->x, c->u); }

/* Column `column` of [dx | du] as a motion of (x, u), the next state's displacement as output. */
static int step_along(void *context, double t, double *out) {
    Case *c = context;
    const tacModel *m = c->m;
    memset(c->move, 0, (size_t)c->ndx * sizeof(double));
    memcpy(c->moved_u, c->u, (size_t)c->nu * sizeof(double));
    memcpy(c->moved_x, c->x, (size_t)c->nx * sizeof(double));
    if (c->column < m->nv) {
        c->move[c->column] = t;
        tac_qpos_add(m, c->x, c->move, c->moved_x);
    } else if (c->column < c->ndx) {
        c->moved_x[m->nq - m->nv + c->column] += t;
    } else {
        c->moved_u[c->column - c->ndx] += t;
    }
    if (tac_step(c->sim, c->moved_x, c->moved_u, c->y, NULL) != TAC_OK) return 1;
    tac_qpos_sub(m, c->y, c->y0, out);
    for (int i = m->nv; i < c->ndx; i++)
        out[i] = c->y[m->nq - m->nv + i];
    return 0;
}

/* Largest error over max(1, largest entry), worst of A and B. */
static double jacobian_error(Case *c, const double *A, const double *B) {
    double *column = numbers(c->ndx), *work = numbers(difference_work(c->ndx)), worst = 0, largest = 1;
    for (c->column = 0; c->column < c->ndx + c->nu; c->column++) {
        CHECK_INT(difference_ridders(step_along, c, c->ndx, FIRST_STEP, column, NULL, work), 0);
        for (int i = 0; i < c->ndx; i++) {
            double analytic = c->column < c->ndx ? A[i * c->ndx + c->column] : B[i * c->nu + c->column - c->ndx];
            worst = worse(worst, fabs(analytic - column[i]));
            largest = fmax(largest, fabs(column[i]));
        }
    }
    free(column);
    free(work);
    return worst / largest;
}

/* |A^T ybar - x| and |B^T ybar - u|, relative. */
static double reverse_error(Case *c, const double *A, const double *B, uint64_t seed) {
    double *ybar = numbers(c->ndx), *gx = numbers(c->ndx), *gu = numbers(c->nu), worst = 0;
    for (int i = 0; i < c->ndx; i++)
        ybar[i] = tac_random_normal(seed, 5, (uint64_t)i);
    CHECK_INT(tac_step_vjp(c->sim, c->x, c->u, ybar, &(tacGrad){gx, gu, NULL}, NULL), TAC_OK);
    for (int j = 0; j < c->ndx + c->nu; j++) {
        double sum = 0, scale = 1, got = j < c->ndx ? gx[j] : gu[j - c->ndx];
        for (int i = 0; i < c->ndx; i++) {
            double entry = j < c->ndx ? A[i * c->ndx + j] : B[i * c->nu + j - c->ndx];
            sum += ybar[i] * entry;
            scale = fmax(scale, fabs(ybar[i] * entry));
        }
        worst = worse(worst, fabs(sum - got) / scale);
    }
    free(ybar);
    free(gx);
    free(gu);
    return worst;
}

static void check_case(Case *c, uint64_t seed) {
    double *A = numbers(c->ndx * c->ndx), *B = numbers(c->ndx * c->nu), *y = numbers(c->nx);
    draw_state(c, seed);
    CHECK_INT(tac_step(c->sim, c->x, c->u, c->y0, NULL), TAC_OK);
    CHECK_INT(tac_step_jac(c->sim, c->x, c->u, y, &(tacJac){A, B, NULL}, NULL), TAC_OK);
    CHECK_INT(memcmp(y, c->y0, (size_t)c->nx * sizeof *y), 0); /* the same map, to the bit */
    CHECK_LT(jacobian_error(c, A, B), TOL_GRADIENT);
    CHECK_LT(reverse_error(c, A, B, seed), TOL_REVERSE);
    free(A);
    free(B);
    free(y);
}

/* A small world with everything at once: a mocap body that carries a chain, ball joints with springs, in-parent, site
 * and slider-crank transmissions, a reference site, filters and integrators, gravity compensation through actuators. */
static void everything(void **state) {
    (void)state;
    for (int k = 0; k < NINTEGRATOR; k++) {
        print_message("%s\n", INTEGRATORS[k].name);
        Case c =
            open_case("test/data/everything.xml", INTEGRATORS[k].id, TAC_INPUT_QFRC | TAC_INPUT_XFRC | TAC_INPUT_MOCAP);
        CHECK(c.m->nmocap == 1 && c.m->na > 0 && c.m->ntendon > 0);
        for (uint64_t seed = 1; seed <= 10; seed++)
            check_case(&c, seed);
        close_case(&c);
    }
}

static void check_robots(tacIntegrator integrator) {
    for (size_t r = 0; r < sizeof ROBOTS / sizeof *ROBOTS; r++) {
        char path[256];
        snprintf(path, sizeof path, "models/%s.xml", ROBOTS[r]);
        Case c = open_case(path, integrator, r % 2 ? TAC_INPUT_QFRC | TAC_INPUT_XFRC : 0);
        for (uint64_t seed = 1; seed <= 2; seed++) {
            print_message("%s, seed %d\n", path, (int)seed);
            check_case(&c, seed);
        }
        close_case(&c);
    }
}

static void robots_euler(void **state) { (void)state, check_robots(TAC_INTEGRATOR_EULER); }
static void robots_rk4(void **state) { (void)state, check_robots(TAC_INTEGRATOR_RK4); }
static void robots_rkmk4(void **state) { (void)state, check_robots(TAC_INTEGRATOR_RKMK4); }
static void robots_implicit(void **state) { (void)state, check_robots(TAC_INTEGRATOR_IMPLICIT); }
static void robots_implicitfast(void **state) { (void)state, check_robots(TAC_INTEGRATOR_IMPLICITFAST); }

/* 1: nobody wrote to it. */
static int is_untouched(int n, const double *a) {
    for (int i = 0; i < n; i++)
        if (a[i] != UNTOUCHED) return 0;
    return 1;
}

static int is_finite(int n, const double *a) {
    for (int i = 0; i < n; i++)
        if (!isfinite(a[i])) return 0;
    return 1;
}

static void fill(int n, double *a) {
    for (int i = 0; i < n; i++)
        a[i] = UNTOUCHED;
}

/* Finite numbers, or a status and nothing written; returns 1 where it is the status. */
static int check_whole(Case *c, double *A, double *B, double *g) {
    int na = c->ndx * c->ndx, nb = c->ndx * c->nu;
    fill(na, A), fill(nb, B), fill(c->nx, c->y), fill(c->ndx, g);
    for (int i = 0; i < c->ndx; i++)
        c->move[i] = 1;
    tacStatus jac = tac_step_jac(c->sim, c->x, c->u, c->y, &(tacJac){A, B, NULL}, NULL);
    tacStatus vjp = tac_step_vjp(c->sim, c->x, c->u, c->move, &(tacGrad){g, NULL, NULL}, NULL);
    if (jac == TAC_ERR_NONFINITE)
        CHECK(is_untouched(na, A) && is_untouched(nb, B) && is_untouched(c->nx, c->y));
    else
        CHECK(is_finite(na, A) && is_finite(nb, B) && is_finite(c->nx, c->y));
    CHECK(vjp == TAC_ERR_NONFINITE ? is_untouched(c->ndx, g) : is_finite(c->ndx, g));
    return jac == TAC_ERR_NONFINITE && tac_step(c->sim, c->x, c->u, c->y, NULL) == TAC_OK;
}

/* What a refused state says of a step is nothing, whatever the step before said. */
static void refusals_say_nothing_of_other_steps(void **state) {
    (void)state;
    static const tacContactModel CONTACTS[] = {TAC_CONTACT_MODEL_LCP, TAC_CONTACT_MODEL_NCP, TAC_CONTACT_MODEL_SOFT};
    for (size_t k = 0; k < 3; k++) {
        Case c = open_case("models/quadruped.xml", TAC_INTEGRATOR_EULER, 0);
        tacStepInfo info;
        tacError err;
        double *A = numbers(c.ndx * c.ndx);
        tac_sim_free(c.sim);
        c.options.contact = CONTACTS[k];
        CHECK_INT(tac_sim_new(c.m, &c.options, &c.sim, &err), TAC_OK);
        tac_default_state(c.m, c.x);
        CHECK(tac_step(c.sim, c.x, c.u, c.y, &info) == TAC_OK || info.status == TAC_ERR_UNSOLVED);
        CHECK(info.contacts > 0);
        c.x[c.nx - 1] = (double)NAN;
        CHECK_INT(tac_step(c.sim, c.x, c.u, c.y, &info), TAC_ERR_NONFINITE);
        CHECK(info.contacts == 0 && info.active_set == 0 && info.start == TAC_OK && info.bad_index == c.nx - 1);
        CHECK_INT(tac_step_jac(c.sim, c.x, c.u, c.y, &(tacJac){.A = A}, &info), TAC_ERR_NONFINITE);
        CHECK(info.contacts == 0 && info.active_set == 0);
        free(A);
        close_case(&c);
    }
}

/* A filter's time constant below the least one is held there: the step does not move with it. */
static void least_time_constant_is_constant(void **state) {
    (void)state;
    static const tacDynType TYPES[] = {TAC_DYN_FILTER, TAC_DYN_FILTER_EXACT};
    for (int k = 0; k < 2; k++) {
        tacBuilder *b = tac_model_begin();
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        tacGeomDef geom = tac_default_geom();
        tacActuatorDef motor = tac_default_actuator();
        tacModel *m;
        tacSim *sim;
        tacError err;
        double x[3] = {0.1, 0.2, 0.3}, u = 0.5, y[3], P[3] = {UNTOUCHED, UNTOUCHED, UNTOUCHED};
        int id = tac_model_add_body(b, 0, &body);
        joint.type = TAC_JOINT_HINGE, geom.type = TAC_GEOM_SPHERE, geom.size[0] = 0.1;
        motor.trnid[0] = tac_model_add_joint(b, id, &joint), motor.dyntype = TYPES[k], motor.gainprm[0] = 1;
        tac_model_add_geom(b, id, &geom);
        tac_model_add_actuator(b, &motor);
        CHECK_INT(tac_model_finish(b, &m, &err), TAC_OK);
        tac_builder_free(b);
        CHECK_INT(tac_param_set(m, "actuator/#0.dynprm[0]", 1e-16, &err), TAC_OK);
        CHECK_INT(tac_param_register(m, "actuator/#0.dynprm[0]", NULL, &err), TAC_OK);
        tacOptions options = tac_default_options(m);
        options.contact = TAC_CONTACT_MODEL_NONE;
        CHECK_INT(tac_sim_new(m, &options, &sim, &err), TAC_OK);
        CHECK_INT(tac_step_jac(sim, x, &u, y, &(tacJac){.P = P}, NULL), TAC_OK);
        for (int i = 0; i < 3; i++)
            CHECK(P[i] == 0);
        tac_sim_free(sim);
        tac_model_free(m);
    }
}

/* A box that moves so fast that the step is still a number and its derivative is none; of ncp no step that turns so
 * fast is solved, and those that are have one. */
static void overflow_is_told(tacContactModel contact, tacIntegrator integrator) {
    static const double SPEEDS[] = {1e100, 1e160, 1e300};
    Case c = open_case("models/box.xml", integrator, 0);
    tacError err;
    tac_sim_free(c.sim);
    c.options.contact = contact;
    CHECK_INT(tac_sim_new(c.m, &c.options, &c.sim, &err), TAC_OK);
    double *A = numbers(c.ndx * c.ndx), *B = numbers(c.ndx * c.nu), *g = numbers(c.ndx);
    int told = 0;
    for (int i = 0; i < c.m->nv; i++)
        for (size_t k = 0; k < sizeof SPEEDS / sizeof *SPEEDS; k++) {
            tac_default_state(c.m, c.x);
            tac_default_input(c.m, &c.options, c.u);
            c.x[c.m->nq + i] = SPEEDS[k];
            told += check_whole(&c, A, B, g);
        }
    int expected = contact != TAC_CONTACT_MODEL_NCP;
    if ((told > 0) != expected) print_error("contact %d, integrator %d\n", (int)contact, (int)integrator);
    CHECK((told > 0) == expected);
    free(A), free(B), free(g);
    close_case(&c);
}

static void overflows_are_told(void **state) {
    (void)state;
    for (int i = 0; i < NINTEGRATOR; i++) {
        overflow_is_told(TAC_CONTACT_MODEL_NONE, INTEGRATORS[i].id);
        overflow_is_told(TAC_CONTACT_MODEL_SOFT, INTEGRATORS[i].id);
    }
    overflow_is_told(TAC_CONTACT_MODEL_LCP, TAC_INTEGRATOR_EULER);
    overflow_is_told(TAC_CONTACT_MODEL_NCP, TAC_INTEGRATOR_EULER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots_euler),
        cmocka_unit_test(robots_rk4),
        cmocka_unit_test(robots_rkmk4),
        cmocka_unit_test(robots_implicit),
        cmocka_unit_test(robots_implicitfast),
        cmocka_unit_test(everything),
        cmocka_unit_test(refusals_say_nothing_of_other_steps),
        cmocka_unit_test(least_time_constant_is_constant),
        cmocka_unit_test(overflows_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
