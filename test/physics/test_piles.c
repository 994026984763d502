/* Islands of many contacts: stacks and piles of boxes that rest. Solved to rounding, at rest, no deeper than compliance
 * lets them be. */
#include "support/check.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double HALF = 0.1, SUNK = 1e-6;
/* Residual of forces, relative to the weight of all boxes in a step. */
static const double TOL_RESIDUAL = 1e-10;
/* Speeds at rest (m/s): the correction of overlap, SUNK / h, and less. */
static const double TOL_REST = 1e-3;

enum { STEPS = 8 };

/* Layers of side x side boxes with gaps between them; each layer set off from the one below by `off`. */
static tacModel *build(int layers, int side, double off) {
    tacBuilder *b = tac_model_begin();
    tacModel *m = NULL;
    tacError err;
    tacGeomDef floor = tac_default_geom();
    floor.type = TAC_PLANE;
    floor.size[0] = floor.size[1] = 50, floor.size[2] = 1;
    tac_model_add_geom(b, 0, &floor);
    for (int i = 0; i < layers * side * side; i++) {
        int layer = i / (side * side), row = i / side % side, column = i % side;
        double set_off = layer % 2 ? off : 0;
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        tacGeomDef geom = tac_default_geom();
        body.pos =
            (tacVec3){0.21 * column + set_off, 0.21 * row + 0.6 * set_off, HALF - SUNK + layer * (2 * HALF - SUNK)};
        joint.type = TAC_FREE;
        geom.type = TAC_BOX;
        geom.size[0] = geom.size[1] = geom.size[2] = HALF;
        int id = tac_model_add_body(b, 0, &body);
        tac_model_add_joint(b, id, &joint);
        tac_model_add_geom(b, id, &geom);
    }
    if (tac_model_finish(b, &m, &err) != TAC_OK) print_message("%s\n", err.text);
    tac_model_abandon(b);
    return m;
}

static void rests(int layers, int side, double off, int least_contacts) {
    tacModel *m = build(layers, side, off);
    tacError err;
    tacSim *sim;
    CHECK(m != NULL);
    tacOptions options = tac_default_options(m);
    options.contact = TAC_LCP, options.integrator = TAC_EULER, options.dt = 0.005, options.max_contacts = 1500;
    CHECK(tac_sim_new(m, &options, &sim, &err) == TAC_OK);
    size_t nx = (size_t)tac_nx(m);
    double *x = calloc(2 * nx, sizeof *x), *y = x + nx, u = 0, weight = 0, worst = 0, speed = 0;
    int contacts = 0;
    tac_default_state(m, x);
    for (int b = 1; b < m->nbody; b++)
        weight += m->body_mass[b] * 9.81 * options.dt;
    for (int k = 0; k < STEPS; k++) {
        tacStepInfo info;
        CHECK(tac_step(sim, x, &u, y, &info) == TAC_OK);
        worst = fmax(worst, info.residual / weight), contacts = info.contacts;
        memcpy(x, y, nx * sizeof *x);
    }
    for (int i = 0; i < m->nv; i++)
        speed = fmax(speed, fabs(x[m->nq + i]));
    print_message("%d boxes, %d contacts: residual %.1e of the weight, fastest %.1e\n", m->nbody - 1, contacts, worst,
                  speed);
    CHECK(contacts >= least_contacts);
    CHECK_LT(worst, TOL_RESIDUAL);
    CHECK_LT(speed, TOL_REST);
    free(x);
    tac_sim_free(sim);
    tac_model_free(m);
}

static void stack(void **state) {
    (void)state;
    rests(12, 1, 0.003, 48);
}

static void pile(void **state) {
    (void)state;
    rests(3, 4, 0.07, 250);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stack), cmocka_unit_test(pile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
