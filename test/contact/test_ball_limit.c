/* Limits of ball joints. */
#include "contact/constraint_world.h"

#include "contact/ball_limit.h"

/* rad: compliance and second order of the step at the limit. */
#define TOL_LIMIT 1e-5

#define PENDULUM(range)                                                                                                \
    "<body><joint name='b' type='ball' limited='true' range='0 " range "' damping='0.5'/>"                             \
    "<inertial pos='0.3 0.1 -0.2' mass='1' diaginertia='.1 .08 .12'/></body>"

/* Swings until its angle is what it may be, whatever the axis, and comes to rest there. */
static void it_stops_at_the_angle(void **state) {
    (void)state;
    World w = text_world(PENDULUM("0.4"), "", 2e-3);
    double most = 0;
    tacVec3 axis;
    for (int k = 0; k < 5000; k++) {
        run(&w, 1);
        most = fmax(most, tac_ball_angle(w.m, 0, w.x, &axis));
    }
    CHECK_NEAR(tac_ball_angle(w.m, 0, w.x, &axis), 0.4, TOL_LIMIT);
    CHECK_LT(most, 0.4 + TOL_LIMIT);
    CHECK_LT(hypot(hypot(velocity(&w)[0], velocity(&w)[1]), velocity(&w)[2]), 1e-3);
    end_world(&w);
}

/* At the reference there is no axis, and no row; with a range of nothing it is met a step later. */
static void there_is_no_row_at_the_reference(void **state) {
    (void)state;
    World w = text_world(PENDULUM("1e-3"), "", 1e-3);
    tacVec3 axis;
    CHECK_NEAR(tac_ball_angle(w.m, 0, w.x, &axis), 0, 0);
    run(&w, 500);
    CHECK_NEAR(tac_ball_angle(w.m, 0, w.x, &axis), 1e-3, TOL_LIMIT);
    end_world(&w);
}

/* Beyond the limit at the start: it comes back slowly, as from an overlap. */
static void it_comes_back(void **state) {
    (void)state;
    World w = text_world(PENDULUM("0.4"), "<option gravity='0 0 0'/>", 1e-3);
    tacVec3 axis;
    w.x[0] = cos(0.25), w.x[1] = sin(0.25); /* 0.5 rad about x */
    run(&w, 1000);
    CHECK_NEAR(tac_ball_angle(w.m, 0, w.x, &axis), 0.49, TOL_LIMIT);
    end_world(&w);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(it_stops_at_the_angle),
        TEST(there_is_no_row_at_the_reference),
        TEST(it_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
