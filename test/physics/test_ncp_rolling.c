/* Bodies whose touch travels over them as they roll, contact model ncp: impulses act where they touch at the start of a
 * step (docs/theory/ncp.md, W5a-W5d). */
#include "tactus/io.h"

#include "physics/contact_world.h"
#include "support/draw.h"

#include <math.h>
#include <string.h>

/* Shares of the energy of Euler's disc, and of Jellett's constant, at steps of 1e-4 and 1e-3 s. Both are errors of the
 * integrator: with arms of the end of a step the disc loses a fifth of its energy at 1e-4 s. */
#define TOL_DISC_FINE   5e-4
#define TOL_DISC_COARSE 1e-2
#define TOL_TOP_FINE    5e-5
#define TOL_TOP_COARSE  5e-4

static World load(const char *file, double dt) {
    tacError err;
    tacModel *m;
    if (tac_load(file, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    World w = world_of(m, TAC_CONTACT_MODEL_NCP);
    w.options.dt = dt;
    world_start(&w);
    if (m->nkey > 0) {
        memcpy(w.x, m->key_qpos, (size_t)m->nq * sizeof *w.x);
        memcpy(w.x + m->nq, m->key_qvel, (size_t)m->nv * sizeof *w.x);
    }
    return w;
}

static double energy(const World *w) {
    tacEnergy e;
    CHECK_INT(tac_energy(w->sim, w->x, w->x + w->m->nq, &e), TAC_OK);
    return e.kinetic + e.potential;
}

/* Its middle stays, the touch goes round at 102 rad/s. */
static void disc_keeps_its_energy(void **state) {
    (void)state;
    static const struct { double dt, tol; } CASES[] = {{1e-4, TOL_DISC_FINE}, {1e-3, TOL_DISC_COARSE}};
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        World w = load("test/data/disc.xml", CASES[k].dt);
        double first = energy(&w), worst = 0;
        int steps = (int)lround(0.3 / CASES[k].dt);
        for (int i = 0; i < steps; i++) {
            world_run(&w, 1);
            worst = fmax(worst, fabs(energy(&w) / first - 1));
        }
        print_message("at %g s the disc changes its energy by %.1e in 0.3 s\n", CASES[k].dt, worst);
        CHECK_LT(worst, CASES[k].tol);
        world_end(&w);
    }
}

/* L . a: angular momentum about the centre of mass, and the arm from there to the touch. */
static double jellett(const World *w) {
    static const double J[3] = {1e-3, 1e-3, 0.96e-3}, RADIUS = 0.05, BELOW = 0.01;
    const double *q = w->x + 3, *v = w->x + w->m->nq + 3;
    tacVec3 up = {2 * (q[1] * q[3] - q[0] * q[2]), 2 * (q[2] * q[3] + q[0] * q[1]),
                  1 - 2 * (q[1] * q[1] + q[2] * q[2])}; /* the vertical in the body's axes */
    return J[0] * v[0] * -RADIUS * up.x + J[1] * v[1] * -RADIUS * up.y + J[2] * v[2] * (BELOW - RADIUS * up.z);
}

/* Friction turns it over, and has no moment about the arm. */
static void top_keeps_jelletts_constant(void **state) {
    (void)state;
    static const struct { double dt, seconds, tol; } CASES[] = {{1e-3, 4, TOL_TOP_COARSE}, {1e-4, 1, TOL_TOP_FINE}};
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        World w = load("test/data/round_top.xml", CASES[k].dt);
        double first = jellett(&w), worst = 0;
        int steps = (int)lround(CASES[k].seconds / CASES[k].dt);
        for (int i = 0; i < steps; i++) {
            world_run(&w, 1);
            worst = fmax(worst, fabs(jellett(&w) / first - 1));
        }
        double axis = 1 - 2 * (w.x[4] * w.x[4] + w.x[5] * w.x[5]);
        print_message("at %g s Jellett's constant changes by %.1e, the axis is at %.2f\n", CASES[k].dt, worst, axis);
        CHECK_LT(worst, CASES[k].tol);
        CHECK(CASES[k].seconds < 4 || axis < -0.9);
        world_end(&w);
    }
}

/* The touch of a disc that comes to lie flat runs round it in few steps: with impulses where it touched at their start
 * alone, most of them would push the other side down. */
static void discs_come_to_lie(void **state) {
    (void)state;
    static const double STEPS[] = {1e-3, 5e-3, 2e-2};
    tacDraw d = {91, 0};
    for (size_t k = 0; k < sizeof STEPS / sizeof *STEPS; k++)
        for (int sample = 0; sample < 8; sample++) {
            World w = load("test/data/disc.xml", STEPS[k]);
            tacQuat turn = draw_quat(&d);
            double *v = w.x + w.m->nq, tilt = 0.1 * draw_uniform(&d, -1, 1);
            w.x[2] = 0.06;
            if (sample % 2 == 0) turn = (tacQuat){sqrt(1 - tilt * tilt), tilt, 0, 0};
            w.x[3] = turn.w, w.x[4] = turn.x, w.x[5] = turn.y, w.x[6] = turn.z;
            for (int i = 0; i < 6; i++)
                v[i] = (i < 3 ? 0.3 : 20) * draw_uniform(&d, -1, 1);
            double first = energy(&w);
            for (int i = 0; i < (int)lround(1 / STEPS[k]); i++) {
                world_run(&w, 1); /* every step is solved */
                CHECK(energy(&w) < first);
            }
            world_end(&w);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(disc_keeps_its_energy),
                                       cmocka_unit_test(top_keeps_jelletts_constant),
                                       cmocka_unit_test(discs_come_to_lie)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
