/* A ball that falls on a plane in soft contact, condim 1: the state after it, and its derivative by the speed at first,
 * beside 113-bit numbers (soft_ball.h). A JSON line for each law and tolerance, with events found and without:
 *   {"case":"billiard", "tolerance":t, "events":found, "gap_error":e, "speed_error":e, "gap_slope":s, "speed_slope":s,
 *    "gap_slope_error":e, "speed_slope_error":e, "inner":n}
 * The errors are the largest of two ways: the whole time in one outer step, and in STEPS of them. */
#include "adaptive_scene.h"
#include "soft_ball.h"

#include <math.h>
#include <stdio.h>

enum { STEPS = 7, NDX = 12, UP = 2, TEXT = 1024 };
#define RADIUS 0.1
static const double TOLERANCES[] = {1e-6, 1e-8, 1e-10, 1e-12};

static tacModel *ball_model(const SoftBall *b) {
    char text[TEXT];
    snprintf(text, sizeof text,
             "<mujoco><option gravity=\"0 0 %.17g\"><flag refsafe=\"disable\"/></option>"
             "<default><geom condim=\"1\" solimp=\"%.17g %.17g %.17g 0.5 2\" solref=\"%.17g %.17g\"/></default>"
             "<worldbody><geom type=\"plane\" size=\"1 1 0.1\"/><body pos=\"0 0 %.17g\"><freejoint/>"
             "<geom type=\"sphere\" size=\"%.17g\" mass=\"1\"/></body></worldbody></mujoco>",
             -b->gravity, b->solimp[0], b->solimp[1], b->solimp[2], b->solref[0], b->solref[1], RADIUS + b->gap,
             RADIUS);
    return adaptive_model(text);
}

/* In `steps` outer steps. */
static SoftBallEnd fall(const SoftBall *b, double tolerance, int event_max, int steps, AdaptiveReport *report) {
    tacModel *m = ball_model(b);
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_SOFT;
    options.integrator = TAC_INTEGRATOR_TSIT5;
    options.dt = b->time / steps;
    options.rtol = options.atol = tolerance;
    options.event_max = event_max;
    options.inner_max = 1 << 20;
    Scene s = scene_with(b->name, m, &options);
    double move[NDX] = {0}, work[NDX * (NDX + 1)];
    s.x[m->nq + UP] = b->speed;
    move[m->nv + UP] = 1;
    scene_require(&s, "step", adaptive_push(&s, steps, move, NULL, work, report));
    SoftBallEnd end = {s.x[UP] - RADIUS, s.x[m->nq + UP], move[UP], move[m->nv + UP]};
    scene_free(&s);
    return end;
}

static double both(double one, double many, double truth) {
    return worse(worse(0, fabs(one - truth)), fabs(many - truth));
}

static void report_fall(const SoftBall *b, const SoftBallEnd *truth, double tolerance, int event_max) {
    AdaptiveReport r = adaptive_report();
    SoftBallEnd one = fall(b, tolerance, event_max, 1, &r), many = fall(b, tolerance, event_max, STEPS, NULL);
    printf("{\"case\":\"%s\",\"tolerance\":%g,\"events\":%ld", b->name, tolerance, r.events);
    scene_print(0, "gap_error", both(one.gap, many.gap, truth->gap));
    scene_print(0, "speed_error", both(one.speed, many.speed, truth->speed));
    printf(",\"gap_slope\":%.9g,\"speed_slope\":%.9g", one.gap_slope, one.speed_slope); /* five digits count */
    scene_print(0, "gap_slope_error", both(one.gap_slope, many.gap_slope, truth->gap_slope));
    scene_print(0, "speed_slope_error", both(one.speed_slope, many.speed_slope, truth->speed_slope));
    printf(",\"inner\":%ld}\n", r.inner);
}

int main(void) {
    for (int i = 0; i < SOFT_BALLS; i++) {
        const SoftBall *b = &SOFT_BALL[i];
        SoftBallEnd truth = soft_ball_end(b);
        for (size_t k = 0; k < sizeof TOLERANCES / sizeof *TOLERANCES; k++) {
            report_fall(b, &truth, TOLERANCES[k], 1000);
            report_fall(b, &truth, TOLERANCES[k], -1);
        }
    }
    return 0;
}
