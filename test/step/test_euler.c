/* One semi-implicit step: closed forms, flags, bad input. */
#include "dynamics/robots.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOL_EXACT 1e-15

/* A sliding mass m with spring k and damper d. */
static tacModel *oscillator(double k, double d, int disable) {
    tacBuilder *b = tac_model_begin();
    tacOptionDef option = tac_default_option();
    tacJointDef joint = tac_default_joint();
    option.gravity = (tacVec3){0, 0, 0};
    option.timestep = 0.1;
    option.disable = disable;
    tac_model_set_option(b, &option);
    joint.type = TAC_JOINT_SLIDE;
    joint.axis = (tacVec3){1, 0, 0};
    joint.stiffness = k;
    joint.damping = d;
    tac_model_add_joint(b, robot_body(b, 0, (tacVec3){0, 0, 0}, 2, (tacVec3){0, 0, 0}, (tacVec3){1, 1, 1}), &joint);
    return robot_finish(b);
}

static void step_once(const tacModel *m, const double *x, double *y) {
    tacSim *sim = robot_sim(m);
    double *u = robot_array(m->nu + m->nv + 6 * m->nbody + 7 * m->nmocap);
    tacStepInfo info;
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NONE;
    o.inputs = TAC_INPUT_QFRC | TAC_INPUT_XFRC | TAC_INPUT_MOCAP;
    tac_default_input(m, &o, u);
    CHECK_INT(tac_step(sim, x, u, y, &info), TAC_OK);
    CHECK_INT(info.status, TAC_OK);
    CHECK_INT(info.bad_index, -1);
    tac_sim_free(sim);
    free(u);
}

/* v+ = (m v - h k q) / (m + h d), q+ = q + h v+; with explicit damping v+ = v - h (k q + d v) / m. */
static void damping_is_implicit(void **state) {
    (void)state;
    const double x[2] = {0.3, -0.7}, h = 0.1, k = 5, d = 4;
    const int flags[] = {0, TAC_DISABLE_EULERDAMP, TAC_DISABLE_DAMPER, TAC_DISABLE_SPRING};
    const double next[] = {(2 * x[1] - h * k * x[0]) / (2 + h * d), x[1] - h * (k * x[0] + d * x[1]) / 2,
                           x[1] - h * k * x[0] / 2, 2 * x[1] / (2 + h * d)};
    for (int i = 0; i < 4; i++) {
        tacModel *m = oscillator(k, d, flags[i]);
        double y[2];
        step_once(m, x, y);
        CHECK_NEAR(y[1], next[i], TOL_EXACT);
        CHECK_NEAR(y[0], x[0] + h * next[i], TOL_EXACT);
        tac_model_free(m);
    }
}

/* A damping far beyond what an explicit step bears. */
static void stiff_damping_is_stable(void **state) {
    (void)state;
    tacModel *m = oscillator(0, 1e6, 0);
    double x[2] = {0, 1}, y[2];
    step_once(m, x, y);
    CHECK_NEAR(y[1], 2 / (2 + 1e5), TOL_EXACT);
    tac_model_free(m);
}

/* A free body turns by exp(h w+) on the child's side, and stays of unit length. */
static void rotation(void **state) {
    (void)state;
    tacModel *m = robot_free_body();
    double x[13] = {1, 2, 3, 2, 0, 0, 0, 0.1, 0.2, 0.3, 0, 0, 5}, y[13], h = *m->option_timestep;
    step_once(m, x, y);
    const double expected[7] = {1 + 0.1 * h, 2 + 0.2 * h, 3 + 0.3 * h, cos(2.5 * h), 0, 0, sin(2.5 * h)};
    CHECK_ARRAY(7, y, expected, TOL_EXACT);
    CHECK_ARRAY(6, y + 7, x + 7, TOL_EXACT);
    tac_model_free(m);
}

/* Forces through every input block: qfrc at the joint, force and torque at a body's centre of mass, in world axes. */
static void applied_forces(void **state) {
    (void)state;
    tacModel *m = robot_free_body();
    tacSim *sim = robot_sim(m);
    double x[13] = {0, 0, 0, sqrt(0.5), 0, 0, sqrt(0.5)}, u[6 + 12] = {0}, qacc[6];
    u[0] = 4, u[3] = 1; /* generalized: world force, body torque */
    u[12] = 2,
    u[15] = u[16] = 6; /* body 1: world force, world torque about x and y; the body stands turned by 90 degrees */
    CHECK_INT(tac_acceleration(sim, x, u, qacc), TAC_OK);
    const double expected[6] = {3, 0, 0, 7, -3, 0};
    CHECK_ARRAY(6, qacc, expected, 1e-14);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* A mocap body moves its children's world: gravity turns with it. */
static void mocap_input(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacBodyDef base = tac_default_body();
    base.mocap = 1;
    int parent = tac_model_add_body(b, 0, &base);
    int body = robot_body(b, parent, (tacVec3){0, 0, 0}, 1, (tacVec3){0, 0, 0}, (tacVec3){1, 1, 1});
    robot_joint(b, body, TAC_JOINT_SLIDE, (tacVec3){1, 0, 0});
    tacModel *m = robot_finish(b);
    tacSim *sim = robot_sim(m);
    double x[2] = {0, 0}, u[1 + 18 + 7] = {0}, qacc;
    u[22] = 1;
    CHECK_INT(tac_acceleration(sim, x, u, &qacc), TAC_OK);
    CHECK_NEAR(qacc, 0, TOL_EXACT);
    u[22] = 3 * cos(0.5), u[24] = 3 * sin(0.5); /* tipped by 1 rad about y, not of unit length: x points down */
    CHECK_INT(tac_acceleration(sim, x, u, &qacc), TAC_OK);
    CHECK_NEAR(qacc, 9.81 * sin(1), 1e-14);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* Output may be the input. */
static void in_place(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    double *x = robot_array(tac_nx(m)), *y = robot_array(tac_nx(m));
    robot_state(m, x, 5);
    step_once(m, x, y);
    step_once(m, x, x);
    CHECK(memcmp(x, y, (size_t)tac_nx(m) * sizeof *x) == 0);
    free(x), free(y);
    tac_model_free(m);
}

/* NaN and infinity anywhere in x or u are found by index, and y is not touched. */
static void nonfinite_input(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    tacSim *sim = robot_sim(m);
    int nx = tac_nx(m), nu = m->nu + m->nv + 6 * m->nbody;
    double *x = robot_array(nx), *u = robot_array(nu), *y = robot_array(nx);
    tacStepInfo info;
    robot_state(m, x, 1);
    for (int i = 0; i < nx + nu; i++) {
        double *entry = i < nx ? x + i : u + i - nx, kept = *entry;
        *entry = i % 2 ? nan("") : -HUGE_VAL;
        memset(y, 0x11, (size_t)nx * sizeof *y);
        CHECK_INT(tac_step(sim, x, u, y, &info), TAC_ERR_NONFINITE);
        CHECK_INT(info.status, TAC_ERR_NONFINITE);
        CHECK_INT(info.bad_index, i);
        for (size_t k = 0; k < (size_t)nx * sizeof *y; k++)
            CHECK(((unsigned char *)y)[k] == 0x11);
        *entry = kept;
    }
    CHECK_INT(tac_step(sim, x, u, y, &info), TAC_OK);
    free(x), free(u), free(y);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* A step that overflows says so instead of passing infinity on. */
static void overflow(void **state) {
    (void)state;
    tacModel *m = robot_double_pendulum();
    tacSim *sim = robot_sim(m);
    double x[4] = {0.1, 0.2, 1e200, -1e200}, u[2 + 18] = {0}, y[4] = {7, 7, 7, 7};
    const double kept[4] = {7, 7, 7, 7};
    tacStepInfo info;
    CHECK_INT(tac_step(sim, x, u, y, &info), TAC_ERR_NONFINITE);
    CHECK_INT(info.bad_index, -1);
    CHECK_ARRAY(4, y, kept, 0);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* Two point masses on rods, folded onto the axis of the first: the inertia is singular there, and the step says so. */
static void singular_inertia(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacOptionDef option = tac_default_option();
    option.literal_inertia = 1;
    tac_model_set_option(b, &option);
    int arm = robot_body(b, 0, (tacVec3){0, 0, 0}, 0, (tacVec3){0, 0, 0}, (tacVec3){0, 0, 0});
    int mass = robot_body(b, arm, (tacVec3){1, 0, 0}, 1, (tacVec3){0, 0, 0}, (tacVec3){0, 0, 0});
    robot_joint(b, arm, TAC_JOINT_HINGE, (tacVec3){0, 1, 0});
    robot_joint(b, mass, TAC_JOINT_SLIDE, (tacVec3){1, 0, 0});
    tacModel *m = robot_finish(b);
    tacSim *sim = robot_sim(m);
    double x[4] = {0, -1, 0, 0}, u[2 + 18] = {0}, y[4] = {7, 7, 7, 7}, qacc[2] = {7, 7};
    const double kept[4] = {7, 7, 7, 7};
    CHECK_INT(tac_step(sim, x, u, y, NULL), TAC_ERR_SINGULAR);
    CHECK_INT(tac_acceleration(sim, x, u, qacc), TAC_ERR_SINGULAR);
    CHECK_INT(tac_mass_solve(sim, x, x, qacc), TAC_ERR_SINGULAR);
    CHECK_INT(tac_forward_dynamics(sim, x, x, x, qacc), TAC_ERR_SINGULAR);
    CHECK_ARRAY(4, y, kept, 0);
    CHECK_ARRAY(2, qacc, kept, 0);
    x[1] = -0.5;
    CHECK_INT(tac_step(sim, x, u, y, NULL), TAC_OK);
    tac_sim_free(sim);
    tac_model_free(m);
}

static void missing_arguments(void **state) {
    (void)state;
    tacModel *m = robot_pendulum();
    tacSim *sim = robot_sim(m);
    double x[2] = {0}, u[1 + 12] = {0}, y[2];
    tacStepInfo info;
    CHECK_INT(tac_step(NULL, x, u, y, &info), TAC_ERR_ARGUMENT);
    CHECK_INT(info.status, TAC_ERR_ARGUMENT);
    CHECK_INT(tac_step(sim, NULL, u, y, &info), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_step(sim, x, NULL, y, &info), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_step(sim, x, u, NULL, &info), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_acceleration(sim, x, u, NULL), TAC_ERR_ARGUMENT);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* A model without a moving part steps to itself. */
static void nothing_moves(void **state) {
    (void)state;
    tacModel *m = robot_finish(tac_model_begin());
    tacSim *sim = robot_sim(m);
    double x[1] = {0}, u[6] = {0}, y[1] = {3};
    CHECK_INT(tac_nx(m), 0);
    CHECK_INT(tac_step(sim, x, u, y, NULL), TAC_OK);
    CHECK_NEAR(y[0], 3, 0);
    tac_sim_free(sim);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damping_is_implicit),
        cmocka_unit_test(stiff_damping_is_stable),
        cmocka_unit_test(rotation),
        cmocka_unit_test(applied_forces),
        cmocka_unit_test(mocap_input),
        cmocka_unit_test(in_place),
        cmocka_unit_test(nonfinite_input),
        cmocka_unit_test(overflow),
        cmocka_unit_test(singular_inertia),
        cmocka_unit_test(missing_arguments),
        cmocka_unit_test(nothing_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
