/* Heavy bodies on light ones, contact lcp: nothing sinks (docs/theory/contact.md, L11). */
#include "physics/contact_world.h"

#include <math.h>

#define DT 1e-2
/* m: what lies on something much lighter; and with `toi`, where a gap of 1e-6 m is kept. */
#define TOL_SUNK    1e-6
#define TOL_TOI_GAP 2.5e-6
/* m/s: how velocities move with relative changes of masses, 1e-7 and more; and what differences of 5 % make of it. */
#define TOL_BY_MASS 1e-10
#define TOL_CURVED  1e-2

/* A block whose middle is at height z. */
static void add_block(World *w, double z, double mass) {
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    tacGeomDef geom = world_geom(TAC_GEOM_BOX, (double[]){0.1, 0.1, 0.05}, mass, 0.5);
    body.name = z < 0.1 ? "low" : z < 0.2 ? "middle" : "high";
    body.pos.z = z;
    joint.type = TAC_JOINT_FREE;
    int id = tac_model_add_body(w->b, 0, &body);
    tac_model_add_joint(w->b, id, &joint);
    tac_model_add_geom(w->b, id, &geom);
}

/* What lies on something a million times lighter does not sink, however long it lies: compliance is less where the
 * model has something heavy. With `toi` nothing overlaps. */
static void mass_ratios(void **state) {
    (void)state;
    enum { BLOCKS = 3, STACKS = 7 };
    const double mass[STACKS][BLOCKS] = {{1e-3, 1e3}, {1e3, 1e-3}, {1e-6, 1},    {1, 1e-6},
                                         {1, 1e3, 1}, {1, 1e6, 1}, {1e6, 1, 1e6}};
    for (int i = 0; i < 2 * STACKS; i++) {
        World w = world_begin(0, DT);
        const double *m = mass[i / 2];
        int toi = i % 2, blocks = m[2] > 0 ? 3 : 2;
        world_add_plane(&w, 0, 0.5);
        for (int k = 0; k < blocks; k++)
            add_block(&w, 0.05 + 0.1 * k, m[k]);
        world_finish(&w, TAC_CONTACT_MODEL_LCP);
        w.options.toi = toi;
        world_start(&w);
        world_run(&w, 300);
        for (int k = 0; k < blocks; k++) {
            double gap = w.x[7 * k + 2] - 0.05 - (k == 0 ? 0 : w.x[7 * (k - 1) + 2] + 0.05);
            CHECK_NEAR(gap, 0, toi ? TOL_TOI_GAP : TOL_SUNK);
            if (toi) CHECK(gap > 0);
        }
        world_end(&w);
    }
}

/* The derivative has the compliance in it, by the masses of what lies on a row too: differences of the step. */
static void mass_ratio_derivatives(void **state) {
    (void)state;
    enum { NDX = 24 };
    const double low[] = {1, 1e-3, 1e-5}; /* whole, less, least compliance */
    for (int i = 0; i < 3; i++) {
        World w = world_begin(0, DT);
        world_add_plane(&w, 0, 0.5);
        add_block(&w, 0.05, low[i]);
        add_block(&w, 0.15, 10);
        world_finish(&w, TAC_CONTACT_MODEL_LCP);
        tacError err;
        const char *path[2] = {"body/low.mass", "body/middle.mass"};
        double P[NDX * 2], theta[2], high[WORLD_MAX_STATE], less[WORLD_MAX_STATE], largest = 0;
        for (int p = 0; p < 2; p++)
            if (tac_param_register(w.m, path[p], NULL, &err) != TAC_OK) fail_msg("%s", err.text);
        world_start(&w);
        world_run(&w, 3);
        CHECK_INT(tac_step_jac(w.sim, w.x, NULL, NULL, &(tacJac){NULL, NULL, P}, &w.info), TAC_OK);
        tac_sim_get_params(w.sim, theta);
        for (int p = 0; p < 2; p++) {
            double by = 0.05 * theta[p], other[2] = {theta[0], theta[1]};
            other[p] = theta[p] + by, tac_sim_set_params(w.sim, other);
            CHECK_INT(tac_step(w.sim, w.x, NULL, high, NULL), TAC_OK);
            other[p] = theta[p] - by, tac_sim_set_params(w.sim, other);
            CHECK_INT(tac_step(w.sim, w.x, NULL, less, NULL), TAC_OK);
            tac_sim_set_params(w.sim, theta);
            for (int v = 2; v < 12; v += 6) { /* how each sinks */
                double slope = (high[14 + v] - less[14 + v]) / (2 * by), analytic = P[(12 + v) * 2 + p];
                CHECK_NEAR(analytic * theta[p], slope * theta[p], TOL_BY_MASS + TOL_CURVED * fabs(slope * theta[p]));
                largest = fmax(largest, fabs(analytic * theta[p]));
            }
        }
        CHECK(i == 1 || largest > 10 * TOL_BY_MASS); /* less compliance: in proportion to the load's inverse */
        world_end(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_ratios),
        cmocka_unit_test(mass_ratio_derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
