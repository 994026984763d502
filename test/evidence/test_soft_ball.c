/* The ball in 113-bit numbers against what is known of it: closed forms of flight, and slopes that two other programs
 * found with five digits. */
#include "soft_ball.h"

#include "support/check.h"

/* Digits that are known. */
#define TOL_KNOWN 1e-5
/* Closed forms, by differences of 1e-6. */
#define TOL_FLIGHT 1e-14

static void slopes_are_the_known_ones(void **state) {
    (void)state;
    SoftBallEnd billiard = soft_ball_end(&SOFT_BALL[0]), by_default = soft_ball_end(&SOFT_BALL[1]);
    CHECK_NEAR(billiard.gap_slope, -0.0141622, TOL_KNOWN);
    CHECK_NEAR(billiard.speed_slope, -0.43657, TOL_KNOWN);
    CHECK_NEAR(by_default.gap_slope, -0.006802, TOL_KNOWN);
}

/* Before contact a slope is the time, and one. */
static void flight_is_a_parabola(void **state) {
    (void)state;
    SoftBall ball = SOFT_BALL[0];
    ball.time = 0.05;
    SoftBallEnd end = soft_ball_end(&ball);
    CHECK_NEAR(end.gap, ball.gap + ball.speed * ball.time - ball.gravity * ball.time * ball.time / 2, TOL_FLIGHT);
    CHECK_NEAR(end.speed, ball.speed - ball.gravity * ball.time, TOL_FLIGHT);
    CHECK_NEAR(end.gap_slope, ball.time, TOL_FLIGHT);
    CHECK_NEAR(end.speed_slope, 1, TOL_FLIGHT);
}

/* At rest the force carries the weight: d (k d r) = -g, by a long time. */
static void it_comes_to_rest_where_the_law_says(void **state) {
    (void)state;
    SoftBall ball = {"rest", {0.9, 0.9, 0.01}, {0.01, 1}, 9.81, 1e-4, 0, 0.35};
    double k = 1 / (0.9 * 0.9 * 0.01 * 0.01), depth = ball.gravity * (1 - 0.9) / (0.9 * k * 0.9);
    SoftBallEnd end = soft_ball_end(&ball);
    CHECK_NEAR(end.gap, -depth, 1e-12);
    CHECK_NEAR(end.speed, 0, 1e-12);
    CHECK_NEAR(end.gap_slope, 0, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_the_known_ones),
        cmocka_unit_test(flight_is_a_parabola),
        cmocka_unit_test(it_comes_to_rest_where_the_law_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
