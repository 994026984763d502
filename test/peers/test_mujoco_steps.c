/* Trajectories without constraints, against MuJoCo in the same process. */
#include "peers/mujoco_peer.h"
#include "support/check.h"

#define STEPS 1000
/* Applied forces, N and N m: small enough that the lightest body does not spin beyond what the step resolves. */
#define APPLIED 0.02
/* Of the state after each step, relative to its largest entry so far. */
#define TOL_STATE 1e-9

static void check_steps(Peer *p) {
    double worst = peer_trajectory(p, STEPS, APPLIED);
    print_message("  %s: worst difference over %d steps %.2g\n", p->name, STEPS, worst);
    CHECK_LT(worst, TOL_STATE);
}

static void written_models_agree(void **state) {
    (void)state;
    peer_each_text(peer_open, check_steps);
}

static void own_robots_agree(void **state) {
    (void)state;
    peer_each_robot(peer_open, check_steps);
}

#ifdef PEER_WITH_IO
static void loaded_robots_agree(void **state) {
    (void)state;
    peer_each_robot(peer_load, check_steps);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_models_agree),
        cmocka_unit_test(own_robots_agree),
#ifdef PEER_WITH_IO
        cmocka_unit_test(loaded_robots_agree),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
