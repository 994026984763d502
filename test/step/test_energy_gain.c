/* tacStepInfo.energy_gain against closed forms (docs/theory/step.md, ST19, ST20). */
#include "dynamics/robots.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

#define STEP      0.01
#define GRAVITY   9.81
#define MASS      2.0
#define TOL_EXACT 1e-12

/* One body of 2 kg on a joint; gravity along -z. */
typedef struct Body {
    tacModel *m;
    tacSim *sim;
    double x[13], u[32];
} Body;

static Body open_body(tacJointType type, double gravity, double gravcomp, double stiffness, double damping) {
    Body b = {0};
    tacBuilder *builder = tac_model_begin();
    tacOptionDef option = tac_default_option();
    option.timestep = STEP, option.gravity = (tacVec3){0, 0, -gravity};
    tac_model_set_option(builder, &option);
    tacVec3 inertia = {0.1, 0.1, 0.1};
    int body = robot_body(builder, 0, (tacVec3){0, 0, 1}, MASS, (tacVec3){0, 0, 0}, inertia);
    tacJointDef joint = tac_default_joint();
    joint.type = type, joint.axis = (tacVec3){0, 0, 1}, joint.stiffness = stiffness, joint.damping = damping;
    int id = tac_model_add_joint(builder, body, &joint);
    if (type == TAC_JOINT_SLIDE) robot_motor(builder, id, 1);
    b.m = robot_finish(builder);
    CHECK_INT(tac_param_set(b.m, "body/#1.gravcomp", gravcomp, NULL), TAC_OK);
    tacOptions options = tac_default_options(b.m);
    options.contact = TAC_CONTACT_MODEL_NONE, options.integrator = TAC_INTEGRATOR_EULER;
    options.inputs = TAC_INPUT_QFRC | TAC_INPUT_XFRC;
    CHECK_INT(tac_sim_new(b.m, &options, &b.sim, NULL), TAC_OK);
    tac_default_state(b.m, b.x);
    tac_default_input(b.m, &options, b.u);
    return b;
}

static void close_body(Body *b) {
    tac_sim_free(b->sim);
    tac_model_free(b->m);
}

static double gain_of(Body *b) {
    tacStepInfo info;
    CHECK_INT(tac_step(b->sim, b->x, b->u, b->x, &info), TAC_OK); /* y may be x */
    return info.energy_gain;
}

/* Semi-implicit Euler in free fall loses m g^2 h^2 / 2 a step, at any velocity. */
static void free_fall(void **state) {
    (void)state;
    Body b = open_body(TAC_JOINT_FREE, GRAVITY, 0, 0, 0);
    b.x[b.m->nq + 2] = 3;
    for (int k = 0; k < 5; k++)
        CHECK_NEAR(gain_of(&b), -0.5 * MASS * GRAVITY * GRAVITY * STEP * STEP, TOL_EXACT);
    close_body(&b);
}

/* E - h/2 k q v is kept, so that a step gains h/2 k (q+ v+ - q v). */
static void spring(void **state) {
    (void)state;
    const double k = 50;
    Body b = open_body(TAC_JOINT_SLIDE, 0, 0, k, 0);
    double sum = 0;
    b.x[0] = 0.3, b.x[1] = 1;
    for (int i = 0; i < 200; i++) {
        double before = b.x[0] * b.x[1], gain = gain_of(&b);
        CHECK_NEAR(gain, 0.5 * STEP * k * (b.x[0] * b.x[1] - before), TOL_EXACT);
        sum += gain;
    }
    CHECK(fabs(sum) > TOL_EXACT);
    close_body(&b);
}

/* What motors, forces on dofs and on bodies, and gravity compensation give is work, and no gain. */
static void inputs_work(void **state) {
    (void)state;
    Body slide = open_body(TAC_JOINT_SLIDE, 0, 0, 0, 0), body = open_body(TAC_JOINT_FREE, GRAVITY, 1, 0, 0);
    slide.x[1] = 0.7, slide.u[0] = 5, slide.u[1] = -2;
    slide.u[2 + 6 + 2] = 3; /* force on body 1 along z */
    CHECK_NEAR(gain_of(&slide), 0, TOL_EXACT);
    CHECK_NEAR(slide.x[1], 0.7 + STEP * (5 - 2 + 3) / MASS, TOL_EXACT);
    double *force = body.u + body.m->nv + 6;
    body.x[body.m->nq + 2] = 2;
    for (int i = 0; i < 6; i++)
        force[i] = 1 + i, body.u[i] = 0.5 - 0.2 * i;
    double height = body.x[2], lift = 0;
    for (int k = 0; k < 3; k++)
        lift += gain_of(&body);
    CHECK(body.x[2] > height);
    /* gravity is held, but the step's potential goes by v+ and the work by the mean: -h g (f h / m)/2 of each step */
    CHECK_NEAR(lift, 3 * 0.5 * STEP * STEP * GRAVITY * (body.u[2] + force[2]), 1e-10);
    close_body(&slide);
    close_body(&body);
}

/* Dampers lose. */
static void dampers_lose(void **state) {
    (void)state;
    Body b = open_body(TAC_JOINT_SLIDE, 0, 0, 0, 4);
    b.x[1] = 1;
    double v = 1, after = 1 / (1 + STEP * 4 / MASS);
    CHECK_NEAR(gain_of(&b), 0.5 * MASS * (after * after - v * v), TOL_EXACT);
    close_body(&b);
}

/* Jacobians tell the same, rollouts the sum, reverse modes nothing; a step that fails has gained nothing. */
static void other_calls(void **state) {
    (void)state;
    Body b = open_body(TAC_JOINT_SLIDE, GRAVITY, 0, 30, 1);
    double A[4], bar[2] = {1, 1}, g[2], U[3 * 32] = {0}, X[8], x[2] = {0.2, -1}, sum = 0;
    tacStepInfo info, other;
    memcpy(b.x, x, sizeof x);
    CHECK_INT(tac_step(b.sim, x, b.u, X, &info), TAC_OK);
    CHECK_INT(tac_step_jac(b.sim, x, b.u, NULL, &(tacJac){.A = A}, &other), TAC_OK);
    CHECK_NEAR(other.energy_gain, info.energy_gain, 0);
    CHECK_INT(tac_step_vjp(b.sim, x, b.u, bar, &(tacGrad){.x = g}, &other), TAC_OK);
    CHECK_NEAR(other.energy_gain, 0, 0);
    for (int k = 0; k < 3; k++)
        sum += gain_of(&b);
    CHECK_INT(tac_rollout(b.sim, x, U, 3, X, &other), TAC_OK);
    CHECK_NEAR(other.energy_gain, sum, TOL_EXACT);
    x[0] = nan("");
    CHECK_INT(tac_step(b.sim, x, b.u, X, &other), TAC_ERR_NONFINITE);
    CHECK_NEAR(other.energy_gain, 0, 0);
    close_body(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall),    cmocka_unit_test(spring),      cmocka_unit_test(inputs_work),
        cmocka_unit_test(dampers_lose), cmocka_unit_test(other_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
