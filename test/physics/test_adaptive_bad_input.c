/* Integrators with inner steps where inputs are out of range, starts are awkward or a step cannot be done: named errors
 * at creation; a status, a time and a constraint in the report; and the caller's state untouched. */
#include "physics/contact_world.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DT 0.01
/* Speeds and places of starts a rounding apart, m and m/s. */
#define TOL_TOUCH 1e-6
/* Of a ball's and a box's half size, m. */
#define HALF 0.1

static tacGeomDef ball(void) { return world_geom(TAC_GEOM_SPHERE, (double[]){HALF, 0, 0}, 1, 0.5); }
static tacGeomDef box(void) { return world_geom(TAC_GEOM_BOX, (double[]){HALF, HALF, HALF}, 1, 0.5); }

static void finish(World *w, tacIntegrator integrator, double dt) {
    world_finish(w, TAC_CONTACT_MODEL_SOFT);
    w->options.integrator = integrator;
    w->options.dt = dt;
}

/* A ball over a plane, its lowest point at this height. */
static World ball_world(double gap) {
    World w = world_begin(0, DT);
    tacGeomDef geom = ball();
    world_add_plane(&w, 0, 0.5);
    world_add_body(&w, (tacVec3){0, 0, HALF + gap}, &geom);
    finish(&w, TAC_INTEGRATOR_TSIT5, DT);
    return w;
}

/* --- Options --------------------------------------------------------------------------------------------------- */

static void refused(const World *w, tacStatus status, const char *name, const char *value) {
    tacError err;
    tacSim *sim = NULL;
    CHECK_INT(tac_sim_new(w->m, &w->options, &sim, &err), status);
    CHECK(sim == NULL);
    CHECK_HAS(err.text, name);
    if (value != NULL) CHECK_HAS(err.text, value);
    CHECK(tac_sim_bytes(w->m, &w->options) == 0);
}

static void options_out_of_range_are_named(void **state) {
    (void)state;
    static const double wrong[] = {0, -1e-6, 9e-15, 1.5, HUGE_VAL, (double)NAN};
    World w = ball_world(1);
    const tacOptions right = w.options;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        w.options = right;
        w.options.rtol = wrong[i];
        refused(&w, TAC_ERR_ARGUMENT, "rtol", NULL);
        w.options = right;
        w.options.atol = wrong[i];
        refused(&w, TAC_ERR_ARGUMENT, "atol", NULL);
    }
    w.options = right;
    w.options.inner_max = 0;
    refused(&w, TAC_ERR_ARGUMENT, "inner_max", "0");
    w.options = right;
    w.options.inner_dt = -1;
    refused(&w, TAC_ERR_ARGUMENT, "inner_dt", "-1");
    w.options = right;
    w.options.inner_dt = (double)NAN;
    refused(&w, TAC_ERR_ARGUMENT, "inner_dt", NULL);
    w.options = right;
    w.options.inner_steps = -1;
    refused(&w, TAC_ERR_ARGUMENT, "inner_steps", "-1");
    w.options = right;
    w.options.event_max = -2;
    refused(&w, TAC_ERR_ARGUMENT, "event_max", "-2");
    w.options = right;
    w.options.inner_checkpoints = 0;
    refused(&w, TAC_ERR_ARGUMENT, "inner_checkpoints", "0");
    w.options = right;
    world_end(&w);
}

static void hard_contact_is_refused_by_name(void **state) {
    (void)state;
    World w = ball_world(1);
    for (int integrator = TAC_INTEGRATOR_TSIT5; integrator <= TAC_INTEGRATOR_STIFF; integrator++) {
        w.options.integrator = (tacIntegrator)integrator;
        w.options.contact = TAC_CONTACT_MODEL_LCP;
        refused(&w, TAC_ERR_UNSUPPORTED, "lcp", NULL);
        w.options.contact = TAC_CONTACT_MODEL_NCP;
        refused(&w, TAC_ERR_UNSUPPORTED, "ncp", NULL);
    }
    world_end(&w);
}

static int wrong_tolerance(double rtol, tacOde *ode, tacError *err) {
    tacOdeOptions options = tac_default_ode_options();
    options.rtol = rtol;
    return tac_ode_bytes(ode, &options, err) == 0;
}

/* --- Steps that cannot be done --------------------------------------------------------------------------------- */

/* The step fails so; the caller's numbers stay, and the report says when it stopped. */
static void fails(World *w, tacStatus expected) {
    double y[WORLD_MAX_STATE], before[WORLD_MAX_STATE];
    int nx = tac_nx(w->m);
    for (int i = 0; i < nx; i++)
        y[i] = before[i] = 7;
    CHECK_INT(tac_step(w->sim, w->x, NULL, y, &w->info), expected);
    CHECK_INT(w->info.status, expected);
    CHECK(memcmp(y, before, (size_t)nx * sizeof *y) == 0);
    CHECK(w->info.stop_time >= 0 && w->info.stop_time < w->options.dt);
    CHECK(tac_sim_error(w->sim)[0] != '\0');
}

static void used_up_steps_are_a_status(void **state) {
    (void)state;
    World w = ball_world(0.1);
    w.options.dt = 1;
    w.options.inner_max = 5;
    world_start(&w);
    w.x[w.m->nq + 3] = 5;
    fails(&w, TAC_ERR_INNER_MAX);
    CHECK(w.info.inner_accepted + w.info.inner_rejected == 5);
    world_end(&w);
}

static void used_up_events_name_the_contact(void **state) {
    (void)state;
    World w = ball_world(0.1);
    w.options.dt = 1;
    w.options.event_max = 0;
    world_start(&w);
    fails(&w, TAC_ERR_EVENTS);
    CHECK(w.info.has_stop);
    CHECK_INT(w.info.stop_kind, TAC_CONSTRAINT_CONTACT);
    CHECK(w.info.stop_id[0] == 0 && w.info.stop_id[1] == 1);
    CHECK_NEAR(w.info.stop_time, sqrt(2 * 0.1 / WORLD_GRAVITY), 1e-6);
    world_end(&w);
}

static void overflow_is_a_status(void **state) {
    (void)state;
    static const double fast[] = {1e300, 1e200, 1e160};
    for (size_t i = 0; i < sizeof fast / sizeof *fast; i++) {
        World w = ball_world(1);
        w.options.dt = 10;
        world_start(&w);
        double *v = world_velocity(&w), before[WORLD_MAX_STATE];
        v[3] = fast[i];
        v[4] = -fast[i];
        v[2] = 1.7e308;
        memcpy(before, w.x, (size_t)tac_nx(w.m) * sizeof *before);
        tacStatus status = tac_step(w.sim, w.x, NULL, w.x, &w.info);
        CHECK(status != TAC_OK);
        CHECK(memcmp(before, w.x, (size_t)tac_nx(w.m) * sizeof *before) == 0);
        world_end(&w);
    }
}

/* --- Equations of one's own ------------------------------------------------------------------------------------- */

/* x' = x^2 from 1 is infinite at t = 1. */
static int explode(void *user, const double *x, const double *theta, const unsigned char *on, double *rate) {
    (void)user;
    (void)theta;
    (void)on;
    rate[0] = x[0] * x[0];
    return 0;
}

static tacStatus solve(const tacOde *ode, const tacOdeOptions *options, double span, const double *x0, double *x1,
                       tacStepInfo *info) {
    tacError err;
    size_t bytes = tac_ode_bytes(ode, options, &err);
    if (bytes == 0) fail_msg("%s", err.text);
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    tacStatus status = tac_ode_solve(ode, options, span, x0, NULL, x1, memory, info);
    free(memory);
    return status;
}

static void a_pole_ends_in_a_status(void **state) {
    (void)state;
    tacOde ode = {.n = 1, .f = explode};
    tacOdeOptions options = tac_default_ode_options();
    tacStepInfo info;
    double x0 = 1, x1 = 7;
    CHECK_INT(solve(&ode, &options, 2, &x0, &x1, &info), TAC_ERR_INNER_STEP);
    CHECK_NEAR(x1, 7, 0);
    CHECK_NEAR(info.stop_time, 1, 1e-4);
    CHECK_INT(solve(&ode, &options, 0.5, &x0, &x1, &info), TAC_OK);
    CHECK_NEAR(x1, 2, 1e-4);
}

static int refuse_to_move(void *user, const double *x, const double *theta, const unsigned char *on, double *rate) {
    (void)user;
    (void)theta;
    (void)on;
    rate[0] = 1;
    return x[0] > 0.5;
}

static void a_function_without_a_value_ends_the_call(void **state) {
    (void)state;
    tacOde ode = {.n = 1, .f = refuse_to_move};
    tacOdeOptions options = tac_default_ode_options();
    double x0 = 0, x1 = 7;
    CHECK_INT(solve(&ode, &options, 1, &x0, &x1, NULL), TAC_ERR_INNER_STEP);
    CHECK_NEAR(x1, 7, 0);
    options.inner_steps = 3;
    CHECK_INT(solve(&ode, &options, 1, &x0, &x1, NULL), TAC_ERR_NONFINITE);
    CHECK_NEAR(x1, 7, 0);
}

static void wrong_equations_are_refused(void **state) {
    (void)state;
    tacError err;
    tacOde good = {.n = 1, .f = explode};
    tacOde wrong[] = {
        {.n = 0, .f = explode}, {.n = 1}, {.n = 1, .ntheta = -1, .f = explode}, {.n = 1, .ngap = 1, .f = explode}};
    tacOdeOptions options = tac_default_ode_options();
    CHECK(tac_ode_bytes(&good, &options, &err) > 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(tac_ode_bytes(&wrong[i], &options, &err) == 0 && err.text[0] != '\0');
    CHECK(wrong_tolerance(0, &good, &err));
    CHECK_HAS(err.text, "rtol");
    CHECK(wrong_tolerance((double)NAN, &good, &err));
    double x0 = 1, x1 = 7;
    static const double spans[] = {0, -1, HUGE_VAL, (double)NAN};
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        CHECK(solve(&good, &options, spans[i], &x0, &x1, NULL) == TAC_ERR_ARGUMENT);
        CHECK_NEAR(x1, 7, 0);
    }
}

static int fall(void *user, const double *x, const double *theta, const unsigned char *on, double *rate) {
    (void)user;
    (void)theta;
    (void)on;
    rate[0] = x[1];
    rate[1] = -WORLD_GRAVITY;
    return 0;
}

static int height(void *user, const double *x, const double *theta, double *gap, double *gap_x, double *gap_theta) {
    (void)user;
    (void)theta;
    (void)gap_theta;
    if (gap != NULL) gap[0] = x[0];
    if (gap_x != NULL) {
        gap_x[0] = 1;
        gap_x[1] = 0;
    }
    return 0;
}

/* user: the restitution */
static int bounce(void *user, int i, double *x, const double *theta, double *x_x, double *x_theta) {
    (void)i;
    (void)theta;
    (void)x_theta;
    double e = *(const double *)user;
    x[1] = -e * x[1];
    if (x_x != NULL) {
        x_x[0] = 1;
        x_x[1] = 0;
        x_x[2] = 0;
        x_x[3] = -e;
    }
    return 0;
}

/* A ball that bounces with restitution 0.5 comes to rest after infinitely many bounces, at sqrt(2 h/g) (1 + e)/(1 - e):
 * the events run out there. Before that all is well. */
static void bounces_without_end_end_in_a_status(void **state) {
    (void)state;
    double e = 0.5, x0[2] = {1, 0}, x1[2] = {7, 7}, rest = sqrt(2 / WORLD_GRAVITY) * (1 + e) / (1 - e);
    tacOde ode = {.n = 2, .ngap = 1, .user = &e, .f = fall, .gaps = height, .reset = bounce};
    tacOdeOptions options = tac_default_ode_options();
    tacStepInfo info;
    CHECK_INT(solve(&ode, &options, 2 * rest, x0, x1, &info), TAC_ERR_EVENTS);
    CHECK(x1[0] == 7 && x1[1] == 7);
    CHECK(info.stop_time <= rest * (1 + 1e-6));
    CHECK_INT(solve(&ode, &options, 0.9 * rest, x0, x1, &info), TAC_OK);
    CHECK(info.events > 1 && x1[0] >= 0);
}

/* --- Starts ---------------------------------------------------------------------------------------------------- */

static World box_world(double slope, int boxes) {
    World w = world_begin(slope, DT);
    tacGeomDef geom = box();
    world_add_plane(&w, 0, 0.5);
    for (int i = 0; i < boxes; i++)
        world_add_body(&w, (tacVec3){0, 0, (2 * i + 1) * HALF}, &geom);
    finish(&w, TAC_INTEGRATOR_TSIT5, DT);
    return w;
}

/* A ball in a groove of two planes. */
static World groove_world(void) {
    World w = world_begin(0, DT);
    tacGeomDef geom = ball();
    world_add_plane(&w, 0.6, 0.5);
    world_add_plane(&w, -0.6, 0.5);
    world_add_body(&w, (tacVec3){0, 0, HALF / cos(0.6) - 1e-3}, &geom);
    finish(&w, TAC_INTEGRATOR_TSIT5, DT);
    return w;
}

/* Resting, sliding, stacked, wedged. */
enum { STARTS = 4 };
static World start_number(int i) {
    World w = i == 0 ? box_world(0, 1) : i == 1 ? box_world(0.3, 1) : i == 2 ? box_world(0, 4) : groove_world();
    if (i == 1) world_velocity(&w)[0] = 1;
    return w;
}

static void step_well(World *w, double dt) {
    double y[WORLD_MAX_STATE];
    int nx = tac_nx(w->m);
    w->options.dt = dt;
    w->options.inner_max = 1000000;
    world_start(w);
    CHECK_INT(tac_step(w->sim, w->x, NULL, y, &w->info), TAC_OK);
    CHECK(w->info.error_estimate <= 1);
    CHECK_NEAR(w->info.stop_time, dt, 0);
    for (int i = 0; i < nx; i++)
        CHECK(isfinite(y[i]));
}

static void starts_in_contact_step_for_any_time(void **state) {
    (void)state;
    static const double times[] = {1e-6, 1e-4, 1e-2, 1, 10};
    static const tacIntegrator kinds[] = {TAC_INTEGRATOR_TSIT5, TAC_INTEGRATOR_STIFF};
    for (int i = 0; i < STARTS; i++)
        for (size_t t = 0; t < sizeof times / sizeof *times; t++)
            for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
                World w = start_number(i);
                w.options.integrator = kinds[k];
                step_well(&w, times[t]);
                world_end(&w);
            }
}

/* Where the lowest point of a ball is at the surface to rounding the step begins with the onset: the next state and its
 * derivatives are those of starts a little above, and continue into those a little below. */
static void starts_that_touch_to_rounding_are_continuous(void **state) {
    (void)state;
    static const double gaps[] = {1e-9, DBL_EPSILON, 0, -DBL_EPSILON};
    enum { N = 4 };
    double y[N][WORLD_MAX_STATE];
    for (int i = 0; i < N; i++) {
        World w = ball_world(gaps[i]);
        w.options.rtol = w.options.atol = 1e-10;
        world_start(&w);
        world_velocity(&w)[2] = -1;
        CHECK_INT(tac_step(w.sim, w.x, NULL, y[i], &w.info), TAC_OK);
        CHECK_ARRAY(tac_nx(w.m), y[i], y[0], TOL_TOUCH);
        world_end(&w);
    }
}

/* d(height after the step) by the height before it, which the jump at the onset decides. */
static double slope_from(double gap) {
    World w = ball_world(gap);
    double A[144], y[WORLD_MAX_STATE];
    w.options.rtol = w.options.atol = 1e-10;
    world_start(&w);
    world_velocity(&w)[2] = -1;
    CHECK_INT(tac_step_jac(w.sim, w.x, NULL, y, &(tacJac){.A = A}, &w.info), TAC_OK);
    double slope = A[2 * 12 + 2];
    world_end(&w);
    return slope;
}

static void the_derivative_of_a_start_that_touches_is_that_of_one_above(void **state) {
    (void)state;
    double above = slope_from(1e-7);
    CHECK(fabs(above - 1) > 1e-3); /* the onset is felt */
    CHECK_NEAR(slope_from(0), above, 1e-4);
    CHECK_NEAR(slope_from(DBL_EPSILON), above, 1e-4);
}

/* A pendulum whose ball passes over the plane: it comes as near as `least` and turns back. */
static World grazing_world(double least) {
    World w = world_begin(0, DT);
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    tacGeomDef geom = ball();
    world_add_plane(&w, 0, 0.5);
    body.pos.z = 1 + HALF + least;
    joint.type = TAC_JOINT_HINGE;
    joint.axis = (tacVec3){0, 1, 0};
    geom.pos.z = -1;
    int id = tac_model_add_body(w.b, 0, &body);
    tac_model_add_joint(w.b, id, &joint);
    tac_model_add_geom(w.b, id, &geom);
    finish(&w, TAC_INTEGRATOR_TSIT5, 0.2);
    w.x[0] = -0.1;
    w.x[1] = 1;
    return w;
}

static void grazing_is_measured(void **state) {
    (void)state;
    static const double least[] = {1e-2, 1e-4, 1e-6, 1e-8, 1e-12, 0, -1e-12, -1e-8};
    for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
        World w = grazing_world(least[i]);
        double y[2];
        w.options.rtol = w.options.atol = 1e-10;
        world_start(&w);
        CHECK_INT(tac_step(w.sim, w.x, NULL, y, &w.info), TAC_OK);
        CHECK(isfinite(y[0]) && y[0] > 0 && isfinite(y[1]));
        CHECK_NEAR(w.info.graze_margin, fabs(least[i]), fmax(1e-3 * fabs(least[i]), 1e-9));
        world_end(&w);
    }
}

/* Far above the plane nothing turns back. */
static void free_flight_grazes_nothing(void **state) {
    (void)state;
    World w = ball_world(1);
    world_start(&w);
    world_run(&w, 1);
    CHECK(w.info.events == 0 && w.info.graze_margin > 0.5);
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_out_of_range_are_named),
        cmocka_unit_test(hard_contact_is_refused_by_name),
        cmocka_unit_test(used_up_steps_are_a_status),
        cmocka_unit_test(used_up_events_name_the_contact),
        cmocka_unit_test(overflow_is_a_status),
        cmocka_unit_test(a_pole_ends_in_a_status),
        cmocka_unit_test(a_function_without_a_value_ends_the_call),
        cmocka_unit_test(wrong_equations_are_refused),
        cmocka_unit_test(bounces_without_end_end_in_a_status),
        cmocka_unit_test(starts_in_contact_step_for_any_time),
        cmocka_unit_test(starts_that_touch_to_rounding_are_continuous),
        cmocka_unit_test(the_derivative_of_a_start_that_touches_is_that_of_one_above),
        cmocka_unit_test(grazing_is_measured),
        cmocka_unit_test(free_flight_grazes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
