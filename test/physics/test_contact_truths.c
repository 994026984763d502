/* Problems of contact and friction with known answers, contact model lcp, and the gradients that go with them. Every
 * test prints what it found beside what is true; where the error is the scheme's, of first order in the step, it is
 * measured at two steps and must halve. Slopes are made by tilting gravity about y. */
#include "physics/contact_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compliance of contacts: a millionth of the motion. */
#define TOL_EXACT 1e-6
/* Width at which a bisection stops. */
#define BISECTION 1e-8
/* A halved step leaves at most this share of an error of first order. */
#define HALVED 0.65

typedef struct Thing {
    tacGeomType type;
    double size[3], mass;
    tacVec3 pos;
    double mu, restitution;
} Thing;

/* A free body with one geom. */
static int add_thing(World *w, const Thing *t) {
    tacGeomDef geom = world_geom(t->type, t->size, t->mass, t->mu);
    geom.restitution = t->restitution;
    return world_add_body(w, t->pos, &geom);
}

static void finish(World *w, int nparam, const char *const *params) {
    tacError err;
    world_finish(w, TAC_CONTACT_MODEL_LCP);
    for (int i = 0; i < nparam; i++)
        if (tac_param_register(w->m, params[i], NULL, &err) != TAC_OK) fail_msg("%s", err.text);
    world_start(w);
}

/* One thing on a plane, both with friction mu. */
static World on_plane(const Thing *t, double slope, double h) {
    World w = world_begin(slope, h);
    world_add_plane(&w, 0, t->mu);
    add_thing(&w, t);
    finish(&w, 0, NULL);
    return w;
}

static const Thing BLOCK = {TAC_GEOM_BOX, {0.1, 0.1, 0.05}, 1, {0, 0, 0.05}, 0.5, 0};
static const Thing BALL = {TAC_GEOM_SPHERE, {0.1, 0, 0}, 1, {0, 0, 0.1}, 0.5, 0};

/* Least number in [low, high] for which `holds`; it does not at low and does at high. */
static double bisect(int (*holds)(double value), double low, double high) {
    CHECK(!holds(low) && holds(high));
    while (high - low > BISECTION) {
        double middle = (low + high) / 2;
        if (holds(middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* --- Thresholds --------------------------------------------------------------------------------------------------- */

#define TOWER_WIDTH  0.1
#define TOWER_HEIGHT 0.25

/* 1: it tips over within a step: the upper edge lifts off faster than compliance lets it. */
static int tower_topples(double slope) {
    Thing tower = {
        TAC_GEOM_BOX, {TOWER_WIDTH / 2, TOWER_WIDTH / 2, TOWER_HEIGHT / 2}, 1, {0, 0, TOWER_HEIGHT / 2}, 2, 0};
    World w = on_plane(&tower, slope, 1e-2);
    world_run(&w, 1);
    int topples = w.info.contacts <= 2;
    world_end(&w);
    return topples;
}

/* Topples iff tan(theta) > width/height. */
static void tower_on_a_slope(void **state) {
    (void)state;
    double slope = bisect(tower_topples, 0.1, 1), truth = TOWER_WIDTH / TOWER_HEIGHT;
    printf("topples from tan(theta) = %.9f, width/height = %.9f\n", tan(slope), truth);
    CHECK_NEAR(tan(slope), truth, 2 * TOL_EXACT);
}

#define ROLLING_SLOPE 0.5

static int ball_rolls(double mu) {
    Thing ball = BALL;
    ball.mu = mu;
    World w = on_plane(&ball, ROLLING_SLOPE, 1e-2);
    world_run(&w, 1);
    int rolls = w.info.sticking == 1;
    world_end(&w);
    return rolls;
}

/* No slip iff mu >= k tan(theta)/(1 + k); a = g sin(theta)/(1 + k), k = 2/5. */
static void ball_on_a_slope(void **state) {
    (void)state;
    const double k = 0.4, h = 1e-3;
    double mu = bisect(ball_rolls, 0.01, 1), truth = k * tan(ROLLING_SLOPE) / (1 + k);
    printf("rolls from mu = %.9f, truth %.9f\n", mu, truth);
    CHECK_NEAR(mu, truth, TOL_EXACT);
    World w = on_plane(&BALL, ROLLING_SLOPE, h);
    world_run(&w, 400);
    double a = world_velocity(&w)[0] / (400 * h), expected = WORLD_GRAVITY * sin(ROLLING_SLOPE) / (1 + k);
    printf("acceleration %.9f, truth %.9f\n", a, expected);
    CHECK_NEAR(a, expected, 1e-5);
    world_end(&w);
}

#define LADDER_ANGLE  1.0
#define LADDER_LENGTH 2.0
#define LADDER_END    1e-7

/* A rod on two small balls: the lower on a floor with friction mu, the upper on a smooth wall at x = 0. */
static World ladder(double mu, double h) {
    World w = world_begin(0, h);
    world_add_plane(&w, 0, 0);
    world_add_plane(&w, 2 * atan(1), 0); /* normal x */
    double reach = LADDER_LENGTH * cos(LADDER_ANGLE), height = LADDER_LENGTH * sin(LADDER_ANGLE);
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    body.pos = (tacVec3){LADDER_END + reach / 2, 0, LADDER_END + height / 2};
    body.inertial = TAC_INERTIAL_DIAG, body.mass = 3;
    body.inertia = (tacVec3){1, 1, 1};
    joint.type = TAC_JOINT_FREE;
    int id = tac_model_add_body(w.b, 0, &body);
    tac_model_add_joint(w.b, id, &joint);
    for (int upper = 0; upper < 2; upper++) {
        tacGeomDef tip = tac_default_geom();
        double sign = upper ? -0.5 : 0.5;
        tip.type = TAC_GEOM_SPHERE, tip.size[0] = LADDER_END, tip.friction[0] = upper ? 0 : mu;
        tip.pos = (tacVec3){sign * reach, 0, -sign * height};
        tac_model_add_geom(w.b, id, &tip);
    }
    finish(&w, 0, NULL);
    return w;
}

static int ladder_stands(double mu) {
    World w = ladder(mu, 1e-2);
    world_run(&w, 1);
    int stands = w.info.sticking == 1;
    world_end(&w);
    return stands;
}

/* Stands iff mu >= 1/(2 tan theta). */
static void ladder_at_a_smooth_wall(void **state) {
    (void)state;
    double mu = bisect(ladder_stands, 0.05, 2), truth = 1 / (2 * tan(LADDER_ANGLE));
    printf("stands from mu = %.9f, truth %.9f\n", mu, truth);
    CHECK_NEAR(mu, truth, TOL_EXACT);
}

/* --- Loads -------------------------------------------------------------------------------------------------------- */

/* The i-th contact from the top carries i m g: the sum of what boxes above it press. */
static void stack_of_boxes(void **state) {
    (void)state;
    enum { N = 10 };
    const double mass = 2, half = 0.1;
    World w = world_begin(0, 5e-3);
    world_add_plane(&w, 0, 0.5);
    for (int i = 0; i < N; i++)
        add_thing(&w, &(Thing){TAC_GEOM_BOX, {half, half, half}, mass, {0, 0, half * (2 * i + 1)}, 0.5, 0});
    finish(&w, 0, NULL);
    world_run(&w, 200);
    const tacOutputs forces = {1, &(tacOutput){TAC_OUT_CONTACT_FORCE, TAC_OUT_ALL}};
    double z[6 * (N + 1)], worst = 0, load = 0;
    CHECK_INT(tac_outputs_size(w.m, &forces), 6 * (N + 1));
    CHECK_INT(tac_outputs(w.sim, w.x, NULL, &forces, z), TAC_OK);
    for (int i = 1; i <= N; i++) {
        load += z[6 * (N + 1 - i) + 5];
        worst = fmax(worst, fabs(load / (i * mass * WORLD_GRAVITY) - 1));
    }
    printf("%d boxes: the i-th contact carries i m g to %.1e; the floor gets %.9f of it\n", N, worst,
           -z[5] / (N * mass * WORLD_GRAVITY));
    CHECK_LT(worst, TOL_EXACT);
    CHECK_NEAR(-z[5] / (N * mass * WORLD_GRAVITY), 1, TOL_EXACT);
    world_end(&w);
}

/* A uniform rod that slides on its tip beyond mu = 4/3, where forces can have no answer: all stays finite, and the tip
 * does not sink. */
static void painleve_rod(void **state) {
    (void)state;
    const double mu[] = {1.2, 1.5, 3, 10}, half = 0.5, tip = 0.01;
    int unsolved = 0, steps = 0;
    double deepest = 0;
    for (int k = 0; k < 4 * 12; k++) {
        double angle = 0.2 + 0.1 * (k / 4); /* of the rod from the vertical, leaning into its motion or away */
        Thing rod = {TAC_GEOM_CAPSULE, {tip, half, 0}, 1, {0, 0, tip + half * cos(angle)}, mu[k % 4], 0};
        World w = on_plane(&rod, 0, 2e-3);
        w.x[3] = cos(angle / 2), w.x[5] = (k % 2 ? 1 : -1) * sin(angle / 2);
        world_velocity(&w)[0] = 5;
        for (int i = 0; i < 500; i++, steps++) {
            tacStatus status = tac_step(w.sim, w.x, NULL, w.x, &w.info);
            CHECK(status == TAC_OK || status == TAC_ERR_UNSOLVED);
            unsolved += status == TAC_ERR_UNSOLVED;
            double axis = 1 - 2 * (w.x[4] * w.x[4] + w.x[5] * w.x[5]);
            deepest = fmax(deepest, tip + half * fabs(axis) - w.x[2]);
            for (int n = 0; n < tac_nx(w.m); n++)
                CHECK(isfinite(w.x[n]) && fabs(w.x[n]) < 1e3);
        }
        world_end(&w);
    }
    printf("%d steps of sliding rods, all finite, %d of them unsolved, tips at most %.1e m deep\n", steps, unsolved,
           deepest);
    CHECK_INT(unsolved, 0);
    CHECK_LT(deepest, 1e-2);
}

/* --- Bounces ------------------------------------------------------------------------------------------------------ */

/* m/s: tacOptions.bounce_speed */
#define NO_BOUNCE 0.01

typedef struct Bounces {
    double apex[3]; /* heights over the floor of the first ones */
    double rest;    /* when it last went upwards faster than what does not bounce any more */
} Bounces;

static Bounces drop(double height, double e, double h) {
    Thing ball = BALL;
    ball.pos.z = ball.size[0] + height, ball.restitution = e;
    World w = on_plane(&ball, 0, h);
    Bounces found = {.rest = 0};
    int n = 0;
    double before = 0, limit = 1.2 * sqrt(2 * height / WORLD_GRAVITY) * (1 + e) / (1 - e);
    for (int k = 0; k < (int)(limit / h); k++) {
        world_run(&w, 1);
        double v = world_velocity(&w)[2];
        if (before > 0 && v <= 0 && n < 3) found.apex[n++] = w.x[2] - ball.size[0];
        if (v > NO_BOUNCE) found.rest = (k + 1) * h;
        before = v;
    }
    CHECK(n == 3);
    world_end(&w);
    return found;
}

/* k-th apex e^(2k) height; comes to rest at sqrt(2 height/g)(1 + e)/(1 - e). */
static void bouncing_ball(void **state) {
    (void)state;
    const double height = 1, e = 0.6;
    double error[2][4], rest = sqrt(2 * height / WORLD_GRAVITY) * (1 + e) / (1 - e);
    for (int k = 0; k < 2; k++) {
        double h = k == 0 ? 1e-3 : 5e-5;
        Bounces b = drop(height, e, h);
        for (int i = 0; i < 3; i++)
            error[k][i] = fabs(b.apex[i] - pow(e, 2 * (i + 1)) * height) / height;
        error[k][3] = fabs(b.rest - rest) / rest;
        printf("step %g: apexes off by %.1e %.1e %.1e, rest at %.4f s, truth %.4f\n", h, error[k][0], error[k][1],
               error[k][2], b.rest, rest);
    }
    for (int i = 0; i < 3; i++)
        CHECK_LT(error[0][i], 1e-2);
    for (int i = 0; i < 3; i++)
        CHECK_LT(error[1][i], 0.1 * fmax(error[0][i], 5e-3));
    CHECK_LT(error[0][3], 2e-2);
    CHECK_LT(error[1][3], 3e-3);
}

/* Only the last ball leaves, with the first one's speed: gaps are wider than a step's way, so that impacts come one
 * after another. */
static void newtons_cradle(void **state) {
    (void)state;
    enum { N = 5 };
    World w = world_begin(0, 5e-4);
    for (int i = 0; i < N; i++)
        add_thing(&w,
                  &(Thing){TAC_GEOM_SPHERE, {0.05, 0, 0}, 0.3, {(0.1 + 1e-3) * i - (i == 0 ? 0.02 : 0), 0, 0}, 0, 1});
    finish(&w, 0, NULL);
    double *v = world_velocity(&w);
    v[0] = 1;
    world_run(&w, 100); /* all fall alike */
    printf("speeds after: %.1e %.1e %.1e %.1e %.9f\n", v[0], v[6], v[12], v[18], v[24]);
    for (int i = 0; i < N; i++)
        CHECK_NEAR(v[6 * i], i == N - 1 ? 1 : 0, 1e-5);
    world_end(&w);
}

/* --- Gradients ---------------------------------------------------------------------------------------------------- */

typedef struct Slope {
    double x, dx_dv0, dx_dtheta[2]; /* where it ends, and derivatives by the first velocity and the parameters */
} Slope;

/* x of thing 0 after n steps, and its gradient through all of them. */
static Slope roll_out(World *w, int n) {
    int nx = tac_nx(w->m), ndx = tac_ndx(w->m);
    double *X = calloc((size_t)(n + 1) * (size_t)nx, sizeof *X), *xbar = calloc((size_t)ndx, sizeof *xbar);
    double *gx = calloc((size_t)ndx, sizeof *gx);
    tacCheckpoints kept = {.count = 1, .bytes = tac_rollout_vjp_bytes(w->m, n, 1)};
    Slope s = {0};
    kept.memory = aligned_alloc(64, (kept.bytes + 63) / 64 * 64);
    CHECK(X != NULL && xbar != NULL && gx != NULL && kept.memory != NULL);
    xbar[0] = 1;
    CHECK_INT(tac_rollout(w->sim, w->x, NULL, n, X, NULL), TAC_OK);
    tacTrajectory path = {.n = n, .x0 = w->x, .X = X, .xbar = xbar};
    tacGrad grad = {gx, NULL, s.dx_dtheta};
    CHECK_INT(tac_rollout_vjp(w->sim, &path, &kept, &grad, NULL), TAC_OK);
    s.x = X[(size_t)n * (size_t)nx];
    s.dx_dv0 = gx[w->m->nv];
    free(X), free(xbar), free(gx), free(kept.memory);
    return s;
}

/* d(stop)/dv0 = v0/(mu g), d(stop)/dmu = -v0^2/(2 mu^2 g): first order in the step. */
static void gradients_of_stopping(void **state) {
    (void)state;
    static const char *const PARAMS[] = {"geom/#0.friction[0]"};
    const double v0 = 1, mu = 0.5;
    double by_v0 = v0 / (mu * WORLD_GRAVITY), by_mu = -v0 * v0 / (2 * mu * mu * WORLD_GRAVITY), error[2][2];
    for (int k = 0; k < 2; k++) {
        double h = k == 0 ? 1e-3 : 5e-4;
        Thing block = BLOCK;
        World w = world_begin(0, h);
        world_add_plane(&w, 0, mu);
        block.mu = 0;
        add_thing(&w, &block);
        finish(&w, 1, PARAMS);
        world_velocity(&w)[0] = v0;
        Slope s = roll_out(&w, (int)(0.5 / h));
        double sliding = floor(v0 / (mu * WORLD_GRAVITY * h)); /* steps that end sliding */
        printf("step %g: d(stop)/dv0 = %.6f, truth %.6f; d(stop)/dmu = %.6f, truth %.6f\n", h, s.dx_dv0, by_v0,
               s.dx_dtheta[0], by_mu);
        CHECK_NEAR(s.dx_dv0, h * sliding, 1e-5);
        CHECK_NEAR(s.dx_dtheta[0], -WORLD_GRAVITY * h * h * sliding * (sliding + 1) / 2, 1e-5);
        error[k][0] = fabs(s.dx_dv0 - by_v0), error[k][1] = fabs(s.dx_dtheta[0] - by_mu);
        CHECK_LT(error[k][0], 2 * h);
        CHECK_LT(error[k][1], 5 * h);
        world_end(&w);
    }
}

/* Rolling: dx/dtheta = t^2 g cos(theta)/(2 (1 + k)): the slope turns gravity. */
static void gradient_of_rolling(void **state) {
    (void)state;
    static const char *const PARAMS[] = {"option.gravity[0]", "option.gravity[2]"};
    const double theta = 0.3, k = 0.4, t = 0.4;
    double truth = t * t * WORLD_GRAVITY * cos(theta) / (2 * (1 + k)), error[2];
    for (int i = 0; i < 2; i++) {
        double h = i == 0 ? 2e-3 : 1e-3;
        World w = world_begin(theta, h);
        world_add_plane(&w, 0, BALL.mu);
        add_thing(&w, &BALL);
        finish(&w, 2, PARAMS);
        Slope s = roll_out(&w, (int)(t / h + 0.5));
        double by_theta = WORLD_GRAVITY * (cos(theta) * s.dx_dtheta[0] + sin(theta) * s.dx_dtheta[1]);
        printf("step %g: dx/dtheta = %.6f, truth %.6f\n", h, by_theta, truth);
        error[i] = fabs(by_theta - truth);
        world_end(&w);
    }
    CHECK_LT(error[0], 5e-3);
    CHECK_LT(error[1], HALVED * error[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tower_on_a_slope),
        cmocka_unit_test(ball_on_a_slope),
        cmocka_unit_test(ladder_at_a_smooth_wall),
        cmocka_unit_test(stack_of_boxes),
        cmocka_unit_test(painleve_rod),
        cmocka_unit_test(bouncing_ball),
        cmocka_unit_test(newtons_cradle),
        cmocka_unit_test(gradients_of_stopping),
        cmocka_unit_test(gradient_of_rolling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
