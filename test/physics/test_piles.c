/* Islands of many contacts: stacks and piles of boxes that rest, solved to rounding, at rest, no deeper than compliance
 * lets them be; and boxes that fall into a heap, of which every step is solved. */
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

/* Residual of forces in a heap (N s): rounding of forces of a few N s. */
static const double TOL_HEAP = 1e-10;

enum { STEPS = 8, HEAP_STEPS = 200 };

static void add_floor(tacBuilder *b) {
    tacGeomDef floor = tac_default_geom();
    floor.type = TAC_GEOM_PLANE;
    floor.size[0] = floor.size[1] = 50, floor.size[2] = 1;
    tac_model_add_geom(b, 0, &floor);
}

/* Layers of side x side boxes with gaps between them; each layer set off from the one below by `off`. */
static tacModel *build(int layers, int side, double off) {
    tacBuilder *b = tac_model_begin();
    tacModel *m = NULL;
    tacError err;
    add_floor(b);
    for (int i = 0; i < layers * side * side; i++) {
        int layer = i / (side * side), row = i / side % side, column = i % side;
        double set_off = layer % 2 ? off : 0;
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        tacGeomDef geom = tac_default_geom();
        body.pos =
            (tacVec3){0.21 * column + set_off, 0.21 * row + 0.6 * set_off, HALF - SUNK + layer * (2 * HALF - SUNK)};
        joint.type = TAC_JOINT_FREE;
        geom.type = TAC_GEOM_BOX;
        geom.size[0] = geom.size[1] = geom.size[2] = HALF;
        int id = tac_model_add_body(b, 0, &body);
        tac_model_add_joint(b, id, &joint);
        tac_model_add_geom(b, id, &geom);
    }
    if (tac_model_finish(b, &m, &err) != TAC_OK) print_message("%s\n", err.text);
    tac_builder_free(b);
    return m;
}

static void rests(int layers, int side, double off, int least_contacts) {
    tacModel *m = build(layers, side, off);
    tacError err;
    tacSim *sim;
    CHECK(m != NULL);
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_LCP, options.integrator = TAC_INTEGRATOR_EULER, options.dt = 0.005,
    options.max_contacts = 1500;
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

/* Boxes above each other, tumbled, that fall into a heap. */
static tacModel *build_heap(int count, uint64_t seed) {
    tacBuilder *b = tac_model_begin();
    tacModel *m = NULL;
    tacError err;
    add_floor(b);
    for (int i = 0; i < count; i++) {
        double n[6];
        for (int k = 0; k < 6; k++)
            n[k] = tac_random_uniform(seed, (uint64_t)i, (uint64_t)k);
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        tacGeomDef geom = tac_default_geom();
        body.pos = (tacVec3){0.6 * n[0] - 0.3, 0.6 * n[1] - 0.3, 0.15 + 0.06 * i};
        double quat[4] = {n[2], n[3] - 0.5, n[4] - 0.5, n[5] - 0.5}, length = 0;
        for (int k = 0; k < 4; k++)
            length += quat[k] * quat[k];
        length = sqrt(length);
        body.quat = (tacQuat){quat[0] / length, quat[1] / length, quat[2] / length, quat[3] / length};
        joint.type = TAC_JOINT_FREE;
        geom.type = TAC_GEOM_BOX;
        geom.size[0] = 0.1, geom.size[1] = 0.08, geom.size[2] = 0.06;
        int id = tac_model_add_body(b, 0, &body);
        tac_model_add_joint(b, id, &joint);
        tac_model_add_geom(b, id, &geom);
    }
    if (tac_model_finish(b, &m, &err) != TAC_OK) print_message("%s\n", err.text);
    tac_builder_free(b);
    return m;
}

/* Friction in a heap that moves is far from monotone: pivoting and the interior way stick in one step of fifty. */
static void heap_in_motion(void **state) {
    (void)state;
    tacModel *m = build_heap(50, 1);
    tacError err;
    tacSim *sim;
    CHECK(m != NULL);
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_LCP, options.dt = 0.005;
    CHECK(tac_sim_new(m, &options, &sim, &err) == TAC_OK);
    size_t nx = (size_t)tac_nx(m);
    double *x = calloc(2 * nx, sizeof *x), *y = x + nx, u = 0, worst = 0;
    int contacts = 0, unsolved = 0, systems = 0;
    tac_default_state(m, x);
    for (int k = 0; k < HEAP_STEPS; k++) {
        tacStepInfo info;
        unsolved += tac_step(sim, x, &u, y, &info) != TAC_OK;
        worst = fmax(worst, info.residual), contacts = info.contacts > contacts ? info.contacts : contacts;
        systems = info.iterations > systems ? info.iterations : systems;
        memcpy(x, y, nx * sizeof *x);
    }
    print_message("heap of 50: at most %d contacts, %d systems; residual %.1e N s; %d of %d steps unsolved\n", contacts,
                  systems, worst, unsolved, HEAP_STEPS);
    CHECK(contacts > 70);
    CHECK_INT(unsolved, 0);
    CHECK_LT(worst, TOL_HEAP);
    free(x);
    tac_sim_free(sim);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stack), cmocka_unit_test(pile),
                                       cmocka_unit_test(heap_in_motion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
