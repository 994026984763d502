/* Bugs that other engines had to fix, as far as they are about smooth dynamics: one test each. */
#include "dynamics/robots.h"
#include "support/check.h"

#include "measure/differences.h"
#include "measure/step_column.h"
#include "tactus/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Against Ridders' differences of the same step, relative to max(1, largest entry). */
#define TOL_GRADIENT 1e-7
/* Two orders of summation of the same products. */
#define TOL_REVERSE 1e-10
/* Rounding of a step of small robots. */
#define TOL_ROUNDING 1e-13
#define FIRST_STEP   1e-3

static const tacIntegrator INTEGRATORS[] = {TAC_INTEGRATOR_EULER,        TAC_INTEGRATOR_RK4,   TAC_INTEGRATOR_IMPLICIT,
                                            TAC_INTEGRATOR_IMPLICITFAST, TAC_INTEGRATOR_RKMK4, TAC_INTEGRATOR_SPIN,
                                            TAC_INTEGRATOR_CORIOLIS};
enum { NINTEGRATOR = sizeof INTEGRATORS / sizeof *INTEGRATORS };

/* A model with one integrator, at one state, with its derivative. */
typedef struct Case {
    tacModel *m;
    tacOptions options;
    tacSim *sim;
    tacStepColumn column;
    int nx, ndx, nu;
    double *x, *u, *y, *A, *B, *ybar, *gx, *gu;
} Case;

/* Does not take the model over. */
static Case open_case(tacModel *m, tacIntegrator integrator) {
    Case c = {.m = m, .options = tac_default_options(m)};
    tacError err = {.text = ""};
    c.options.contact = TAC_CONTACT_MODEL_NONE;
    c.options.integrator = integrator;
    if (tac_sim_new(m, &c.options, &c.sim, &err) != TAC_OK) print_error("%s\n", err.text);
    CHECK(c.sim != NULL);
    CHECK(measure_step_column_new(m, &c.options, c.sim, &c.column));
    c.nx = c.column.nx, c.ndx = c.column.ndx, c.nu = c.column.nu;
    c.x = robot_array(c.nx), c.u = robot_array(c.nu), c.y = robot_array(c.nx), c.A = robot_array(c.ndx * c.ndx);
    c.B = robot_array(c.ndx * c.nu), c.ybar = robot_array(c.ndx), c.gx = robot_array(c.ndx), c.gu = robot_array(c.nu);
    robot_state(m, c.x, 3);
    robot_random(c.nu, c.u, 0.5, 4);
    robot_random(c.ndx, c.ybar, 1, 5);
    return c;
}

static void close_case(Case *c) {
    double *all[] = {c->x, c->u, c->y, c->A, c->B, c->ybar, c->gx, c->gu};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    measure_step_column_free(&c->column);
    tac_sim_free(c->sim);
}

static void differentiate(Case *c) {
    CHECK_INT(tac_step_jac(c->sim, c->x, c->u, c->y, &(tacJac){c->A, c->B, NULL}, NULL), TAC_OK);
    CHECK_INT(tac_step_vjp(c->sim, c->x, c->u, c->ybar, &(tacGrad){c->gx, c->gu, NULL}, NULL), TAC_OK);
}

/* Largest error of column j of [A | B], and of the reverse mode's entry j, each over max(1, its terms). */
static double column_error(Case *c, int j, double *work) {
    double *F = work, sum = 0, scale = 1, worst = 0, got = j < c->ndx ? c->gx[j] : c->gu[j - c->ndx];
    c->column.column = j;
    CHECK_INT(
        difference_ridders(measure_step_column_difference, &c->column, c->ndx, FIRST_STEP, F, NULL, work + c->ndx), 0);
    for (int i = 0; i < c->ndx; i++)
        scale = fmax(scale, fabs(F[i]));
    for (int i = 0; i < c->ndx; i++) {
        double entry = j < c->ndx ? c->A[i * c->ndx + j] : c->B[i * c->nu + j - c->ndx];
        worst = worse(worst, fabs(entry - F[i]) / scale);
        sum += entry * c->ybar[i];
    }
    CHECK_LT(fabs(sum - got) / fmax(1, fabs(sum)), TOL_REVERSE);
    return worst;
}

/* A, B and the reverse mode at c->x against differences of the step. */
static void check_case(Case *c) {
    double *work = robot_array(c->ndx + difference_work(c->ndx));
    CHECK_INT(measure_step_column_at(&c->column, c->x, c->u), TAC_OK);
    differentiate(c);
    for (int j = 0; j < c->ndx + c->nu; j++)
        CHECK_LT(column_error(c, j, work), TOL_GRADIENT);
    free(work);
}

static void check_all_integrators(tacModel *m) {
    for (int i = 0; i < NINTEGRATOR; i++) {
        Case c = open_case(m, INTEGRATORS[i]);
        check_case(&c);
        close_case(&c);
    }
}

/* --- A shared ancestor counted twice ------------------------------------------------------------------------------ */

/* A floating trunk with two arms, a tendon from arm to arm, and a force between sites on the two hands. */
static tacModel *two_arms(void) {
    tacBuilder *b = tac_model_begin();
    int trunk = robot_body(b, 0, (tacVec3){0, 0, 1}, 2, (tacVec3){0.02, 0.01, 0}, (tacVec3){0.03, 0.02, 0.01});
    robot_joint(b, trunk, TAC_JOINT_FREE, (tacVec3){0, 0, 1});
    int site[2], hinge[2];
    for (int side = 0; side < 2; side++) {
        double y = side ? 0.2 : -0.2;
        int arm = robot_body(b, trunk, (tacVec3){0, y, 0.1}, 0.5, (tacVec3){0.1, 0, 0.02}, (tacVec3){2e-3, 3e-3, 3e-3});
        hinge[side] = robot_joint(b, arm, TAC_JOINT_HINGE, (tacVec3){0.2, 1, 0.1});
        int hand = robot_body(b, arm, (tacVec3){0.25, 0, 0}, 0.2, (tacVec3){0.05, 0, 0}, (tacVec3){1e-3, 1e-3, 1e-3});
        robot_joint(b, hand, TAC_JOINT_BALL, (tacVec3){0, 0, 1});
        tacSiteDef def = tac_default_site();
        def.pos = (tacVec3){0.1, 0.01, 0.02};
        site[side] = tac_model_add_site(b, hand, &def);
    }
    tacTendonDef tendon = tac_default_tendon();
    tendon.nterm = 2, tendon.joint = hinge, tendon.coef = (double[]){1, -0.7};
    tendon.stiffness = 3, tendon.damping = 0.2, tendon.springlength[0] = tendon.springlength[1] = 0.4;
    tac_model_add_tendon(b, &tendon);
    tacActuatorDef between = tac_default_actuator();
    between.trntype = TAC_TRN_SITE, between.trnid[0] = site[0], between.trnid[1] = site[1];
    between.gear[0] = 1, between.gear[2] = 0.5;
    tac_model_add_actuator(b, &between);
    return robot_finish(b);
}

static void shared_ancestor_counted_once(void **state) {
    (void)state;
    tacModel *m = two_arms();
    Case c = open_case(m, TAC_INTEGRATOR_EULER);
    double *moment = robot_array(m->nu * m->nv), own = 0;
    CHECK_INT(tac_actuation(c.sim, c.x, c.u, &(tacActuation){.moment = moment}), TAC_OK);
    for (int i = 0; i < 6; i++)
        CHECK_LT(fabs(moment[i]), TOL_ROUNDING); /* what moves both hands alike does not change their distance */
    for (int i = 6; i < m->nv; i++)
        own = fmax(own, fabs(moment[i]));
    CHECK(own > 0.01);
    free(moment);
    close_case(&c);
    check_all_integrators(m);
    tac_model_free(m);
}

/* --- Gradient of a quaternion behind a prismatic offset ----------------------------------------------------------- */

static void quaternion_behind_a_prismatic_offset(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    int rail = robot_body(b, 0, (tacVec3){0, 0, 1}, 1, (tacVec3){0, 0.1, 0}, (tacVec3){0.01, 0.01, 0.02});
    robot_joint(b, rail, TAC_JOINT_SLIDE, (tacVec3){1, 0.3, 0});
    int head =
        robot_body(b, rail, (tacVec3){0.3, 0, 0.2}, 0.7, (tacVec3){0.1, 0.05, 0.2}, (tacVec3){0.01, 0.02, 0.015});
    robot_joint(b, head, TAC_JOINT_SLIDE, (tacVec3){0, 1, 1});
    tacJointDef ball = tac_default_joint();
    ball.type = TAC_JOINT_BALL, ball.pos = (tacVec3){0.05, -0.1, 0.02}, ball.stiffness = 0.5;
    tac_model_add_joint(b, head, &ball);
    tacModel *m = robot_finish(b);
    check_all_integrators(m);
    tac_model_free(m);
}

/* --- Free-joint quaternion gradient not projected ----------------------------------------------------------------- */

/* The derivative is by displacements of the rotation: it has no direction along the quaternion, so that the length of
 * the quaternion that is given changes nothing. */
static void free_joint_quaternion_is_projected(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    for (int i = 0; i < NINTEGRATOR; i++) {
        Case c = open_case(m, INTEGRATORS[i]), scaled = open_case(m, INTEGRATORS[i]);
        for (int k = 3; k < 7; k++)
            scaled.x[k] *= 1.7;
        differentiate(&c);
        differentiate(&scaled);
        CHECK_INT(c.ndx, 2 * m->nv + m->na);
        CHECK_ARRAY(c.nx, scaled.y, c.y, TOL_ROUNDING);
        CHECK_ARRAY(c.ndx * c.ndx, scaled.A, c.A, TOL_REVERSE);
        CHECK_ARRAY(c.ndx, scaled.gx, c.gx, TOL_REVERSE);
        double turned = 0;
        for (int k = 3; k < 6; k++)
            turned = fmax(turned, fabs(c.gx[k]));
        CHECK(turned > 1e-3); /* a zero gradient would be projected too */
        close_case(&c);
        close_case(&scaled);
    }
    check_all_integrators(m);
    tac_model_free(m);
}

/* --- An implicit integrator whose reverse mode returned zero for the control -------------------------------------- */

static void implicit_reverse_mode_sees_the_control(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    for (int i = 0; i < NINTEGRATOR; i++) {
        Case c = open_case(m, INTEGRATORS[i]);
        double largest = 0;
        differentiate(&c);
        for (int j = 0; j < c.nu; j++) {
            double sum = 0;
            for (int k = 0; k < c.ndx; k++)
                sum += c.B[k * c.nu + j] * c.ybar[k];
            CHECK_NEAR(c.gu[j], sum, TOL_REVERSE * fmax(1, fabs(sum)));
            largest = fmax(largest, fabs(c.gu[j]));
        }
        CHECK(c.nu > 0 && largest > 1e-4);
        close_case(&c);
    }
    tac_model_free(m);
}

/* --- Derivatives silently wrong when joints are not numbered depth first ------------------------------------------ */

static void joints_not_numbered_depth_first(void **state) {
    (void)state;
    tacChain chain = tac_default_chain();
    chain.bodies = 9, chain.branching = 2, chain.joint = TAC_CHAIN_MIXED, chain.free_root = 1;
    tacModel *m = NULL;
    CHECK_INT(tac_chain_build(&chain, &m, NULL), TAC_OK);
    int out_of_order = 0; /* a body whose subtree is not what follows it */
    for (int b = 2; b < m->nbody; b++)
        out_of_order += m->body_parent[b] != b - 1 && m->body_parent[b] == m->body_parent[b - 1];
    CHECK(out_of_order > 0 && m->body_parent[m->nbody - 1] < m->nbody - 2);
    check_all_integrators(m);
    tac_model_free(m);
}

/* --- The step with gradients on a different map from the step without --------------------------------------------- */

static void gradients_do_not_change_the_step(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    for (int i = 0; i < NINTEGRATOR; i++) {
        Case c = open_case(m, INTEGRATORS[i]);
        double *before = robot_array(c.nx), *after = robot_array(c.nx);
        size_t bytes = (size_t)c.nx * sizeof(double);
        CHECK_INT(tac_step(c.sim, c.x, c.u, before, NULL), TAC_OK);
        differentiate(&c);
        CHECK_INT(tac_step(c.sim, c.x, c.u, after, NULL), TAC_OK);
        CHECK(memcmp(before, c.y, bytes) == 0);
        CHECK(memcmp(before, after, bytes) == 0);
        free(before), free(after);
        close_case(&c);
    }
    tac_model_free(m);
}

/* --- Jacobians evaluated at the state after the step -------------------------------------------------------------- */

/* A pendulum of 1 m: v+ = v - h g sin q, so dv+/dq = -h g cos q at the q before the step. */
static void jacobians_belong_to_the_state_before_the_step(void **state) {
    (void)state;
    tacModel *m = robot_pendulum();
    Case c = open_case(m, TAC_INTEGRATOR_EULER);
    const double h = c.options.dt = 0.05, g = 9.81;
    tac_sim_free(c.sim);
    CHECK_INT(tac_sim_new(m, &c.options, &c.sim, NULL), TAC_OK);
    c.x[0] = 0.7, c.x[1] = 3;
    differentiate(&c);
    CHECK_NEAR(c.y[1], 3 - h * g * sin(0.7), 1e-14);
    CHECK_NEAR(c.A[2], -h * g * cos(0.7), 1e-14);
    CHECK(fabs(c.A[2] + h * g * cos(c.y[0])) > 0.01); /* the state after the step would give something else */
    close_case(&c);
    tac_model_free(m);
}

/* --- Stale velocities after restoring a checkpoint ---------------------------------------------------------------- */

static void nothing_is_stale_after_restoring(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    for (int i = 0; i < NINTEGRATOR; i++) {
        Case c = open_case(m, INTEGRATORS[i]);
        size_t bytes = (size_t)c.nx * sizeof(double), square = (size_t)(c.ndx * c.ndx) * sizeof(double);
        double *saved = robot_array(c.nx), *next = robot_array(c.nx), *A = robot_array(c.ndx * c.ndx);
        tacEnergy energy, again;
        memcpy(saved, c.x, bytes);
        differentiate(&c);
        memcpy(next, c.y, bytes);
        memcpy(A, c.A, square);
        CHECK_INT(tac_energy(c.sim, saved, saved + m->nq, &energy), TAC_OK);
        for (int k = 0; k < 20; k++) /* go on, so that the workspace holds other positions and velocities */
            CHECK_INT(tac_step(c.sim, c.x, c.u, c.x, NULL), TAC_OK);
        CHECK(memcmp(c.x, saved, bytes) != 0);
        memcpy(c.x, saved, bytes);
        CHECK_INT(tac_energy(c.sim, c.x, c.x + m->nq, &again), TAC_OK);
        CHECK(energy.kinetic == again.kinetic && energy.potential == again.potential && energy.kinetic > 0);
        differentiate(&c);
        CHECK(memcmp(c.y, next, bytes) == 0);
        CHECK(memcmp(c.A, A, square) == 0);
        free(saved), free(next), free(A);
        close_case(&c);
    }
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_ancestor_counted_once),
        cmocka_unit_test(quaternion_behind_a_prismatic_offset),
        cmocka_unit_test(free_joint_quaternion_is_projected),
        cmocka_unit_test(implicit_reverse_mode_sees_the_control),
        cmocka_unit_test(joints_not_numbered_depth_first),
        cmocka_unit_test(gradients_do_not_change_the_step),
        cmocka_unit_test(jacobians_belong_to_the_state_before_the_step),
        cmocka_unit_test(nothing_is_stale_after_restoring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
