/* Runge-Kutta 4 and the integrator implicit in velocity, against MuJoCo in the same process: whole trajectories, and
 * single steps from random states far from rest. */
#include "peers/mujoco_peer.h"
#include "support/check.h"

enum { STEPS = 1000, STATES = 40 };
/* Applied forces, N and N m. */
#define APPLIED 0.02
/* Of the state after each step, relative to its largest entry so far. */
#define TOL_STATE 1e-9
/* Of one step, relative to the largest entry of the new state. */
#define TOL_STEP 1e-10

static void check_trajectory(Peer *p) {
    double worst = peer_trajectory(p, STEPS, APPLIED);
    print_message("  %s: worst difference over %d steps %.2g\n", p->name, STEPS, worst);
    CHECK_LT(worst, TOL_STATE);
}

static void check_single_steps(Peer *p) {
    double worst = 0;
    for (uint64_t s = 0; s < STATES; s++) {
        peer_randomize_state(p, 5, s);
        peer_randomize_input(p, 7, s, 1);
        CHECK_INT(tac_step(p->sim, p->x, p->u, p->x, NULL), TAC_OK);
        mj_step(p->mj, p->data);
        worst = worse(worst, peer_difference(p) / peer_largest(p));
    }
    print_message("  %s: worst difference of %d single steps %.2g\n", p->name, STATES, worst);
    CHECK_LT(worst, TOL_STEP);
}

/* MuJoCo 2.2 takes the velocity gain of an actuator even while its range holds the force; 3.x, and Tactus, do not. */
static void lift_force_ranges(Peer *p) {
    for (int a = 0; a < p->model->nu; a++)
        p->model->actuator_forcelimited[a] = p->mj->actuator_forcelimited[a] = 0;
}

/* Its velocity gain takes a control as given where the gain is affine in velocity; 3.14, and Tactus, take it inside its
 * range. */
static void lift_control_ranges(Peer *p) {
    for (int a = 0; a < p->model->nu; a++)
        if (p->model->actuator_gaintype[a] == TAC_GAIN_AFFINE && p->model->actuator_gainprm[10 * a + 2] != 0)
            p->model->actuator_ctrllimited[a] = p->mj->actuator_ctrllimited[a] = 0;
}

static void check_with(Peer *p, tacIntegrator integrator) {
    peer_integrate(p, integrator);
    check_single_steps(p);
    check_trajectory(p);
}

static void check_runge_kutta(Peer *p) { check_with(p, TAC_INTEGRATOR_RK4); }

static void check_implicit(Peer *p) {
    lift_force_ranges(p);
    lift_control_ranges(p);
    check_with(p, TAC_INTEGRATOR_IMPLICIT);
}

static void runge_kutta_agrees(void **state) {
    (void)state;
    peer_each_text(peer_open, check_runge_kutta);
    peer_each_robot(peer_open, check_runge_kutta);
}

static void implicit_agrees(void **state) {
    (void)state;
    peer_each_text(peer_open, check_implicit);
    peer_each_robot(peer_open, check_implicit);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(runge_kutta_agrees), cmocka_unit_test(implicit_agrees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
