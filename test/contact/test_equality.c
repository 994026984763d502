/* Connects and welds: loops that stay closed, bodies that move as one. */
#include "contact/constraint_world.h"

#include <string.h>

/* m: how far a loop may be open, at a step of 2 ms: third order in the step. */
#define TOL_CLOSED 2e-6
/* Motions that differ in rounding and compliance alone. */
#define TOL_SAME 1e-6
/* J: of bodies of 3 kg that close at 0.05 m/s; and of what is left when they have closed. */
#define TOL_ENERGY 0.01
#define TOL_LEFT   1e-9
/* Angular momentum, relative. */
#define TOL_MOMENTUM 1e-4
/* Differences of a step. */
#define TOL_SLOPE 1e-7

/* --- A four-bar linkage against its closed form ------------------------------------------------------------------- */

/* models/four_bar.xml: crank a, coupler b, rocker c, pivots d apart; angles about +y, so that a bar along x at the
 * angle t points to (cos t, -sin t). */
static const double A = 0.2, B = 0.5, C = 0.4, D = 0.5;
static const double MASS[3] = {0.4, 1, 0.8};

typedef struct Bars {
    double middle[3][2], angle[3]; /* of crank, coupler, rocker in the plane (x, z) */
} Bars;

/* Crank angle -> all bars: the coupler's end is where the circle about the crank's end meets that about the rocker's
 * pivot, on the lower side. */
static Bars four_bar(double t) {
    double p[2] = {A * cos(t), -A * sin(t)}, e[2] = {D - p[0], -p[1]}, r = hypot(e[0], e[1]);
    double along = (B * B - C * C + r * r) / (2 * r), across = sqrt(B * B - along * along);
    double q[2] = {p[0] + (along * e[0] + across * e[1]) / r, p[1] + (along * e[1] - across * e[0]) / r};
    Bars s = {{{p[0] / 2, p[1] / 2}, {(p[0] + q[0]) / 2, (p[1] + q[1]) / 2}, {(D + q[0]) / 2, q[1] / 2}}, {t}};
    s.angle[1] = atan2(-(q[1] - p[1]), q[0] - p[0]);
    s.angle[2] = atan2(-q[1], q[0] - D);
    return s;
}

/* I(t) = sum of m |dmiddle/dt|^2 + J (dangle/dt)^2, and V(t). */
static double inertia_of(double t) {
    const double eps = 1e-5, lengths[3] = {A, B, C};
    Bars high = four_bar(t + eps), low = four_bar(t - eps);
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double x = (high.middle[i][0] - low.middle[i][0]) / (2 * eps);
        double z = (high.middle[i][1] - low.middle[i][1]) / (2 * eps);
        double turn = remainder(high.angle[i] - low.angle[i], 2 * acos(-1)) / (2 * eps);
        sum += MASS[i] * (x * x + z * z) + MASS[i] * lengths[i] * lengths[i] / 12 * turn * turn;
    }
    return sum;
}

static double height_of(double t) {
    Bars s = four_bar(t);
    return GRAVITY * (MASS[0] * s.middle[0][1] + MASS[1] * s.middle[1][1] + MASS[2] * s.middle[2][1]);
}

/* I t'' + I' t'^2 / 2 + V' = 0 */
static double angular_acceleration(double t, double rate) {
    const double eps = 1e-4;
    double dI = (inertia_of(t + eps) - inertia_of(t - eps)) / (2 * eps);
    double dV = (height_of(t + eps) - height_of(t - eps)) / (2 * eps);
    return -(dI * rate * rate / 2 + dV) / inertia_of(t);
}

/* Crank angle after a time, from rest at 0: Runge-Kutta with small steps. */
static double crank_after(double time) {
    const int n = 2000;
    double h = time / n, t = 0, r = 0;
    for (int k = 0; k < n; k++) {
        double r1 = angular_acceleration(t, r), t2 = t + h / 2 * r, v2 = r + h / 2 * r1;
        double r2 = angular_acceleration(t2, v2), t3 = t + h / 2 * v2, v3 = r + h / 2 * r2;
        double r3 = angular_acceleration(t3, v3), t4 = t + h * v3, v4 = r + h * r3;
        double r4 = angular_acceleration(t4, v4);
        t += h / 6 * (r + 2 * v2 + 2 * v3 + v4);
        r += h / 6 * (r1 + 2 * r2 + 2 * r3 + r4);
    }
    return t;
}

/* Distance of the coupler's end from the rocker's, recomputed from the angles. */
static double opening(const double *q) {
    double x = A * cos(q[0]) + 0.3 * cos(q[0] + q[1]) - 0.4 * sin(q[0] + q[1]) - D + 0.4 * sin(q[2]);
    double z = -A * sin(q[0]) - 0.3 * sin(q[0] + q[1]) - 0.4 * cos(q[0] + q[1]) + 0.4 * cos(q[2]);
    return hypot(x, z);
}

/* Stays closed for ten seconds, to third order in the step; keeps its energy but for what is first order. */
static void a_loop_stays_closed(void **state) {
    (void)state;
    double lost[2], open[2];
    for (int k = 0; k < 2; k++) {
        World w = file_world("models/four_bar.xml", k == 0 ? 2e-3 : 1e-3);
        double start = energy(&w), worst = 0, speed = 0;
        for (int i = 0; i < (int)(10 / w.h + 0.5); i++) {
            run(&w, 1);
            worst = fmax(worst, opening(w.x));
            speed = fmax(speed, fabs(velocity(&w)[0]));
        }
        lost[k] = fabs(energy(&w) - start);
        print_message("step %g s: open by at most %.2g m, crank at most %.3g rad/s, energy off by %.2g J\n", w.h, worst,
                      speed, lost[k]);
        CHECK_LT(worst, TOL_CLOSED);
        CHECK_LT(lost[k], 0.2 * w.h / 2e-3);
        open[k] = worst;
        end_world(&w);
    }
    CHECK_LT(open[1], open[0] / 6);
}

/* The crank's angle against the equation of motion of the one coordinate that is left: first order in the step. */
static void a_four_bar_moves_as_it_should(void **state) {
    (void)state;
    double expected = crank_after(1), error[2];
    for (int k = 0; k < 2; k++) {
        World w = file_world("models/four_bar.xml", k == 0 ? 2e-3 : 1e-3);
        run(&w, k == 0 ? 500 : 1000);
        error[k] = fabs(w.x[0] - expected);
        Bars s = four_bar(w.x[0]);
        CHECK_NEAR(remainder(s.angle[2] - w.x[2] - acos(0), 2 * acos(-1)), 0, 10 * TOL_CLOSED);
        end_world(&w);
    }
    CHECK(fabs(expected) > 0.1);
    CHECK_LT(error[0], 0.02);
    CHECK_LT(error[1], 0.6 * error[0]);
}

/* --- A parallelogram is a pendulum; closed twice it is still one ------------------------------------------------- */

#define BAR(name, x)                                                                                                   \
    "<body name='" name "' pos='" x " 0 0'><joint axis='0 1 0'/><inertial pos='0 0 -.25' mass='1' "                    \
    "diaginertia='.02 .02 .02'/>"
#define COUPLER                                                                                                        \
    "<body name='k' pos='0 0 -.5'><joint axis='0 1 0'/><inertial pos='.3 0 0' mass='2' diaginertia='1 1 1'/></body>"
#define PARALLELOGRAM BAR("l", "0") COUPLER "</body>" BAR("r", ".6") "</body>" BAR("s", ".3") "</body>"
#define PIN(body2, x) "<connect body1='k' body2='" body2 "' anchor='" x " 0 0'/>"

/* I = 3 (0.02 + 0.25^2) + 2 0.5^2, the coupler does not turn: one hinge with the same inertia and moment. */
static void a_parallelogram_is_a_pendulum(void **state) {
    (void)state;
    const char *pins[2] = {"<equality>" PIN("r", ".6") PIN("s", ".3") "</equality>",
                           "<equality>" PIN("r", ".6") PIN("s", ".3") PIN("r", ".6") PIN("s", ".3") "</equality>"};
    World one = text_world(
        "<body><joint axis='0 1 0'/><inertial pos='0 0 -.35' mass='5' diaginertia='1 .135 1'/></body>", "", 1e-3);
    World w[2] = {text_world(PARALLELOGRAM, pins[0], 1e-3), text_world(PARALLELOGRAM, pins[1], 1e-3)};
    velocity(&one)[0] = 2;
    run(&one, 400);
    for (int k = 0; k < 2; k++) {
        const double start[4] = {2, -2, 2, 2};
        memcpy(velocity(&w[k]), start, sizeof start);
        run(&w[k], 400);
        CHECK_NEAR(w[k].x[0], one.x[0], 2e-3);
        CHECK_NEAR(w[k].x[1], -w[k].x[0], TOL_SAME);
        CHECK_NEAR(w[k].x[2], w[k].x[0], TOL_SAME);
    }
    CHECK(fabs(one.x[0]) > 0.05);
    CHECK_NEAR(w[0].x[0], w[1].x[0], TOL_SAME); /* redundant: other forces, the same motion */
    end_world(&w[0]), end_world(&w[1]), end_world(&one);
}

/* --- Welds ------------------------------------------------------------------------------------------------------- */

#define BOX(attributes) "<geom type='box' size='.1 .06 .03' mass='1.2' " attributes "/>"
#define BALL            "<geom type='sphere' size='.08' mass='.7' pos='.25 .05 .1'/>"

/* Two bodies welded are one body: the same flight, to first order in the step. */
static void welded_bodies_are_one(void **state) {
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        double h = k == 0 ? 2e-3 : 1e-3, spin[6] = {0.3, -0.2, 2, 1, -2, 1.5};
        World one = text_world("<body><freejoint/>" BOX("") BALL "</body>", "", h);
        World two =
            text_world("<body name='a'><freejoint/>" BOX("") "</body><body name='b'><freejoint/>" BALL "</body>",
                       "<equality><weld body1='a' body2='b'/></equality>", h);
        memcpy(velocity(&one), spin, sizeof spin);
        memcpy(velocity(&two), spin, sizeof spin);
        memcpy(velocity(&two) + 6, spin, sizeof spin);
        run(&one, (int)(0.5 / h + 0.5)), run(&two, (int)(0.5 / h + 0.5));
        error[k] = 0;
        for (int i = 0; i < 7; i++) {
            error[k] = fmax(error[k], fabs(one.x[i] - two.x[i]));
            CHECK_NEAR(two.x[7 + i], two.x[i], 2 * TOL_CLOSED); /* both frames coincide */
        }
        end_world(&one), end_world(&two);
    }
    CHECK_LT(error[0], 5e-3);
    CHECK_LT(error[1], 0.6 * error[0]);
}

/* A weld to a mocap body follows it, place and orientation, and so does one between sites. */
static void a_weld_follows_the_hand(void **state) {
    (void)state;
    const char *bodies = "<body name='hand' mocap='true' pos='0 0 1'><site name='s'/></body>"
                         "<body name='a' pos='0 0 1'><freejoint/>" BOX("") "<site name='t'/></body>";
    const char *rest[2] = {"<equality><weld body1='hand' body2='a'/></equality>",
                           "<equality><weld site1='s' site2='t'/></equality>"};
    for (int k = 0; k < 2; k++) {
        World w = text_world(bodies, rest[k], 2e-3);
        double *mocap = w.u + 6; /* after qfrc_applied */
        for (int i = 0; i < 500; i++) {
            double t = (i + 1) * w.h;
            mocap[0] = 0.5 * t, mocap[2] = 1 + 0.2 * sin(3 * t);
            mocap[3] = cos(0.4 * t), mocap[6] = sin(0.4 * t);
            run(&w, 1);
        }
        CHECK_ARRAY(7, w.x, mocap, 2 * TOL_CLOSED);
        end_world(&w);
    }
}

/* Held with another pose than the file draws: relpose, anchor. */
static void a_written_pose_is_held(void **state) {
    (void)state;
    World w = text_world("<body name='a' pos='0 0 1'><freejoint/>" BOX("") "</body>",
                         "<equality><weld body1='world' body2='a' anchor='.1 0 0' "
                         "relpose='.3 0 1 0.8660254037844386 0 0 0.5'/></equality>",
                         2e-3);
    run(&w, 7500); /* 0.5 of turning at 0.05 a second, and some more for the hand that is not straight */
    double half = sqrt(3) / 2, expected[7] = {0.3 - 0.1 * 0.5, -0.1 * half, 1, half, 0, 0, 0.5};
    CHECK_ARRAY(7, w.x, expected, TOL_SAME);
    end_world(&w);
}

/* A body held at a point away from its centre turns about it without losing speed. */
static void a_connected_body_keeps_turning(void **state) {
    (void)state;
    World w = text_world("<body name='a' pos='.5 0 0'><freejoint/><geom type='sphere' size='.1' mass='1'/></body>",
                         "<option gravity='0 0 0'/><equality><connect body1='a' anchor='-.5 0 0'/></equality>", 2e-3);
    double *v = velocity(&w);
    v[1] = 2, v[5] = 4;
    double start = energy(&w);
    run(&w, 5000);
    CHECK_NEAR(energy(&w), start, 1e-4 * start);
    CHECK_NEAR(hypot(w.x[0], w.x[1]), 0.5, TOL_CLOSED);
    end_world(&w);
}

/* --- Loops that are open ------------------------------------------------------------------------------------------ */

/* Two bodies on a third, free in space; their ends are to meet, by one pin or by three that say the same. */
#define ARM(name, z)                                                                                                   \
    "<body name='" name "' pos='.2 0 " z "'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .2 0 0' "          \
    "size='.03' mass='1'/></body>"
#define ARMS "<body name='o'><freejoint/>" BOX("") ARM("a", "0") ARM("b", ".1") "</body>"
#define END  "<connect body1='a' body2='b' anchor='.2 0 .05'/>"
#define FREE "<option gravity='0 0 0'/>"

static const char *const OPEN[2] = {FREE "<equality>" END "</equality>",
                                    FREE "<equality>" END END
                                         "<connect body1='b' body2='a' anchor='.2 0 -.05'/></equality>"};

/* Off by a few centimetres. */
static World open_world_of(const char *rest, double h) {
    World w = text_world(ARMS, rest, h);
    w.x[7] = 0.1, w.x[8] = -0.2;
    return w;
}

/* Distance of the two ends, (.2, .05) and (.2, -.05) in x and z of arms turned about y. */
static double gap_of_arms(double a, double b) {
    double x = 0.2 * cos(a) + 0.05 * sin(a) - (0.2 * cos(b) - 0.05 * sin(b));
    double z = -0.2 * sin(a) + 0.05 * cos(a) - (0.1 - 0.2 * sin(b) - 0.05 * cos(b));
    return hypot(x, z);
}

/* At rest it closes, and is at rest again. */
static void an_open_loop_comes_to_rest(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        World w = open_world_of(OPEN[k], 5e-3);
        double most = 0;
        CHECK(gap_of_arms(w.x[7], w.x[8]) > 0.05);
        for (int i = 0; i < 600; i++) {
            run(&w, 1);
            most = fmax(most, energy(&w));
        }
        CHECK_LT(most, TOL_ENERGY);
        CHECK_LT(energy(&w), TOL_LEFT);
        CHECK_LT(gap_of_arms(w.x[7], w.x[8]), TOL_CLOSED);
        end_world(&w);
    }
}

/* In motion it keeps its momentum to rounding and compliance while it closes, and its energy but for what closing takes
 * or gives. */
static void an_open_loop_keeps_momentum(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        World w = open_world_of(OPEN[k], 1e-3), loose = open_world_of(FREE, 1e-3);
        double start[6], end[6], apart[6], *v = velocity(&w);
        v[0] = 0.3, v[3] = 0.8, v[4] = -0.5, v[5] = 0.6;
        memcpy(velocity(&loose), v, 8 * sizeof *v);
        tacOutputs outputs = {1, &(tacOutput){TAC_OUT_MOMENTUM, 0}};
        double before = energy(&w);
        CHECK_INT(tac_outputs(w.sim, w.x, w.u, &outputs, start), TAC_OK);
        run(&w, 1000), run(&loose, 1000);
        CHECK_INT(tac_outputs(w.sim, w.x, w.u, &outputs, end), TAC_OK);
        CHECK_INT(tac_outputs(loose.sim, loose.x, loose.u, &outputs, apart), TAC_OK);
        /* the step keeps angular momentum to first order: as well as without the loop */
        double scale = fabs(start[0]) + fabs(start[1]) + fabs(start[2]), own = 0, free = 0;
        for (int i = 0; i < 3; i++)
            own = fmax(own, fabs(end[i] - start[i])), free = fmax(free, fabs(apart[i] - start[i]));
        CHECK_LT(own, 3 * free + TOL_MOMENTUM * scale);
        CHECK_NEAR(energy(&w), before, 0.02 * before);
        end_world(&w), end_world(&loose);
    }
}

/* y of a step where one number of the state is moved along the tangent. */
static void step_moved(World *w, int column, double by, double *y) {
    int nv = w->m->nv;
    double x[MOST_NUMBERS], d[MOST_NUMBERS] = {0};
    memcpy(x, w->x, sizeof x);
    if (column < nv) {
        d[column] = by;
        tac_qpos_add(w->m, w->x, d, x);
    } else {
        x[w->m->nq + column - nv] += by;
    }
    CHECK_INT(tac_step(w->sim, x, w->u, y, NULL), TAC_OK);
}

/* Its derivative: the way it closes turns with it. */
static void an_open_loop_is_differentiated(void **state) {
    (void)state;
    enum { NV = 8, NDX = 2 * NV };
    World w = open_world_of(OPEN[0], 5e-3);
    double dy[NDX * NDX], high[MOST_NUMBERS], low[MOST_NUMBERS], d[NV], *v = velocity(&w);
    const double by = 1e-5;
    v[0] = 0.3, v[3] = 0.8, v[4] = -0.5, v[5] = 0.6, v[6] = 0.4, v[7] = -0.7;
    for (int s = 0; s < 4; s++) {
        run(&w, 3);
        CHECK_INT(tac_step_jac(w.sim, w.x, w.u, NULL, &(tacJac){dy, NULL, NULL}, &w.info), TAC_OK);
        for (int j = 0; j < NDX; j++) {
            step_moved(&w, j, by, high), step_moved(&w, j, -by, low);
            tac_qpos_sub(w.m, high, low, d);
            for (int i = 0; i < NV; i++) {
                CHECK_NEAR(dy[i * NDX + j], d[i] / (2 * by), TOL_SLOPE);
                CHECK_NEAR(dy[(NV + i) * NDX + j], (high[w.m->nq + i] - low[w.m->nq + i]) / (2 * by), TOL_SLOPE);
            }
        }
    }
    CHECK(fabs(dy[NV * NDX + 6]) > 1e-3);
    end_world(&w);
}

/* A loop that cannot close comes as near as it can, and says so. */
static void a_loop_that_cannot_close(void **state) {
    (void)state;
    World w = text_world(
        "<body name='a'><joint axis='0 1 0'/><geom type='sphere' size='.1' mass='1' pos='.5 0 0'/></body>",
        "<equality><weld body1='world' body2='a' relpose='1 0 0 1 0 0 0' anchor='.5 0 0'/></equality>", 2e-3);
    for (int k = 0; k < 500; k++) {
        CHECK_INT(tac_step(w.sim, w.x, w.u, w.x, &w.info), TAC_ERR_UNSOLVED);
        CHECK(isfinite(w.x[0]) && isfinite(w.x[1]));
    }
    CHECK_NEAR(w.x[0], 0, 1e-3);
    end_world(&w);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_loop_stays_closed),         TEST(a_four_bar_moves_as_it_should),  TEST(a_parallelogram_is_a_pendulum),
        TEST(welded_bodies_are_one),       TEST(a_weld_follows_the_hand),        TEST(a_written_pose_is_held),
        TEST(a_loop_that_cannot_close),    TEST(a_connected_body_keeps_turning), TEST(an_open_loop_comes_to_rest),
        TEST(an_open_loop_keeps_momentum), TEST(an_open_loop_is_differentiated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
