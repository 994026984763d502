/* Shapes whose squares overflow: a model that has one is refused by name. Where such numbers come about all the same
 * (places of a state, a packed model's own), the distance is said to be none. Sanitizers watch what is read. */
#include "io/mjcf_text.h"
#include "support/check.h"
#include "support/draw.h"

#include "collide/touch.h"
#include "tactus/io.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 15000, CORNERS = 64 };

/* --- Models ------------------------------------------------------------------------------------------------------- */

#define PARTS                                                                                                          \
    "<body pos='.02 .01 .3'><joint type='slide'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"                 \
    "<geom name='rod' type='capsule' size='.05 .1'/></body>"

static void files(void **state) {
    (void)state;
    check_fails(WORLD("<geom name='cigar' type='ellipsoid' size='.1 .15 1.9e288'/>" PARTS), TAC_ERR_MODEL,
                "geom 'cigar': size[2] is 1.9e+288, expected a radius of at most 1e+30 m");
    check_fails(WORLD("<geom name='slab' type='box' size='1e160 1 1'/>" PARTS), TAC_ERR_MODEL,
                "geom 'slab': size[0] is 1e+160, expected a half-size of at most 1e+30 m");
    check_fails(MJCF("<asset><mesh name='rock' scale='1e200 1 1' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>"
                     "<geom type='mesh' mesh='rock'/>" PARTS "</worldbody>"),
                TAC_ERR_MODEL, "mesh 'rock': vertex 1 is 1 0 0 before scaling by 1e+200, expected at most 1e+30 m");
}

/* The largest that is accepted: steps say how they went, and leave numbers where there is a state. */
static void largest(void **state) {
    (void)state;
    const char *text = WORLD("<geom type='ellipsoid' size='.1 .15 1e30'/><geom type='box' size='1e30 .1 1e30'/>"
                             "<geom type='cylinder' size='.1 1e30'/>" PARTS);
    Loaded l = load_ok(text);
    for (int contact = TAC_CONTACT_MODEL_LCP; contact <= TAC_CONTACT_MODEL_SOFT; contact++) {
        tacOptions o = tac_default_options(l.model);
        o.contact = (tacContactModel)contact;
        o.integrator = TAC_INTEGRATOR_EULER;
        tacSim *sim;
        CHECK_INT(tac_sim_new(l.model, &o, &sim, NULL), TAC_OK);
        double x[2], A[4];
        tac_default_state(l.model, x);
        for (int k = 0; k < 3; k++) {
            tacStatus status = tac_step_jac(sim, x, NULL, x, &(tacJac){A, NULL, NULL}, NULL);
            CHECK(status == TAC_OK || status == TAC_ERR_UNSOLVED || status == TAC_ERR_NONFINITE ||
                  status == TAC_ERR_DEGENERATE);
            CHECK(isfinite(x[0]) && isfinite(x[1]));
        }
        tac_sim_free(sim);
    }
    unload(&l);
}

#define CIGAR "<geom name='cigar' type='ellipsoid' size='.1 .15 .76171875'/>"

/* Parameters and packed models go through the same rule. */
static void parameters_and_packed_models(void **state) {
    (void)state;
    tacError err = {.text = ""};
    Loaded l = load_ok(WORLD(CIGAR PARTS));
    const char *path = "geom/cigar.size[2]";
    CHECK_INT(tac_param_set(l.model, path, 1.9e288, &err), TAC_ERR_MODEL);
    CHECK_HAS(err.text, "expected a radius of at most 1e+30 m");
    CHECK_INT(tac_param_register(l.model, path, NULL, &err), TAC_OK);
    tacOptions o = tac_default_options(l.model);
    o.contact = TAC_CONTACT_MODEL_SOFT;
    tacSim *sim;
    double theta = 1.9e288, kept;
    CHECK_INT(tac_sim_new(l.model, &o, &sim, &err), TAC_OK);
    CHECK_INT(tac_sim_set_params(sim, &theta), TAC_ERR_MODEL);
    CHECK_INT(tac_sim_get_params(sim, &kept), TAC_OK);
    CHECK(kept == 0.76171875);
    tac_sim_free(sim);
    size_t size = tac_model_pack_bytes(l.model), found = 0;
    unsigned char *bytes = malloc(size);
    CHECK_INT(tac_model_pack(l.model, bytes, size, &err), TAC_OK);
    for (size_t i = 0; i + sizeof kept <= size; i++)
        if (memcmp(bytes + i, &kept, sizeof kept) == 0) memcpy(bytes + i, &theta, sizeof theta), found++;
    CHECK(found > 0);
    uint64_t sum = tac_hash(bytes, size - sizeof sum, 0);
    memcpy(bytes + size - sizeof sum, &sum, sizeof sum);
    tacModel *back = NULL;
    CHECK_INT(tac_model_unpack(bytes, size, &back, &err), TAC_ERR_MODEL);
    CHECK_HAS(err.text, "expected a radius of at most 1e+30 m");
    CHECK(back == NULL);
    free(bytes);
    unload(&l);
}

/* Two bodies so far apart that the fourth power of their distance overflows. */
static void states(void **state) {
    (void)state;
    Loaded l = load_ok(WORLD("<body><freejoint/><geom type='ellipsoid' size='.1 .2 .3'/></body>"
                             "<body pos='0 0 1'><freejoint/><geom type='cylinder' size='.1 .2'/></body>"));
    tacOptions o = tac_default_options(l.model);
    o.contact = TAC_CONTACT_MODEL_LCP, o.toi = 1;
    tacSim *sim;
    CHECK_INT(tac_sim_new(l.model, &o, &sim, NULL), TAC_OK);
    for (double away = 1; away < 1e306; away *= 1e5) {
        double x[26], y[26];
        tacContact one;
        tac_default_state(l.model, x);
        x[7] = away;
        tacStatus status = tac_geom_distance(sim, x, NULL, 0, 1, &one);
        CHECK_INT(status, away < 1e75 ? TAC_OK : away > 1e80 ? TAC_ERR_NONFINITE : status);
        if (status == TAC_OK) CHECK(isfinite(one.dist) && one.dist > 0 && one.dist < 2 * away);
        status = tac_step(sim, x, NULL, y, NULL);
        CHECK(status == TAC_OK || status == TAC_ERR_NONFINITE);
        for (int i = 0; i < 26 && status == TAC_OK; i++)
            CHECK(isfinite(y[i]));
    }
    tac_sim_free(sim);
    unload(&l);
}

/* --- Shapes alone ------------------------------------------------------------------------------------------------- */

/* Sizes and places of any order of magnitude. */
static double draw_length(tacDraw *d) {
    return draw_int(d, 2) ? pow(10, draw_uniform(d, -320, 308)) : pow(10, draw_uniform(d, -3, 3));
}

/* A type and sizes; meshes are that of the model, scaled into `corner`. */
static tacShape draw_shape(tacDraw *d, const tacShape *mesh, tacVec3 *corner) {
    static const tacGeomType TYPES[] = {TAC_GEOM_PLANE,    TAC_GEOM_SPHERE, TAC_GEOM_CAPSULE, TAC_GEOM_ELLIPSOID,
                                        TAC_GEOM_CYLINDER, TAC_GEOM_BOX,    TAC_GEOM_MESH,    TAC_GEOM_CONE};
    tacShape s = {.type = TYPES[draw_int(d, 8)], .size = {draw_length(d), draw_length(d), draw_length(d)}};
    if (s.type != TAC_GEOM_MESH) return s;
    tacVec3 scale = s.size;
    s = *mesh;
    CHECK(s.hull.nvert <= CORNERS);
    for (int i = 0; i < s.hull.nvert; i++)
        corner[i] = tac_mul3(scale, mesh->hull.vert[i]);
    s.hull.vert = corner;
    return s;
}

static tacPose draw_pose(tacDraw *d) {
    tacVec3 p = draw_vec3(d, 1);
    return (tacPose){tac_scale3(draw_length(d), p), tac_quat_mat(draw_quat(d))};
}

/* What defines a distance, or that it is none. */
static int check_one(tacDraw *d, const tacShape *mesh) {
    tacVec3 corner[2][CORNERS];
    tacShape s[2] = {draw_shape(d, mesh, corner[0]), draw_shape(d, mesh, corner[1])};
    tacPose p[2] = {draw_pose(d), draw_pose(d)};
    if (draw_int(d, 2)) p[1].p = tac_add3(p[0].p, draw_vec3(d, 0.1));
    tacPairCache cache = {0};
    tacTouch t, all[TAC_MAX_TOUCH];
    tacStatus status = TAC_OK;
    for (int again = 0; again < 2; again++) {
        status = tac_distance_pair(&s[0], &p[0], &s[1], &p[1], &cache, &t);
        CHECK(status == TAC_OK || status == TAC_ERR_NONFINITE || status == TAC_ERR_SHAPE);
        if (status == TAC_OK) CHECK(isfinite(t.dist));
        int n = tac_touches(&s[0], &p[0], &s[1], &p[1], 0.1, &cache, all);
        CHECK(n >= 0 && n <= TAC_MAX_TOUCH);
    }
    return status == TAC_OK;
}

static void shapes(void **state) {
    (void)state;
    Loaded l = load_ok(MJCF("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1 -1 .5 .5 .5 -1 .5 .5 .5 -1"
                            " 1 0 1 1 1 0 0 1 1 -.5 -.5 .3 .2 .1 1.4'/></asset>"
                            "<worldbody><geom type='mesh' mesh='m'/></worldbody>"));
    tacShape mesh = tac_shape_of_geom(l.model, 0);
    CHECK(mesh.hull.nvert > 10); /* climbs from corner to corner */
    tacDraw d = {31, 0};
    long numbers = 0;
    for (int i = 0; i < PAIRS; i++)
        numbers += check_one(&d, &mesh);
    printf("%ld of %d pairs have a distance\n", numbers, PAIRS);
    CHECK(numbers > PAIRS / 20 && numbers < PAIRS);
    unload(&l);
}

/* The ellipsoid that was read at corner -1: no number, and it is said. */
static void the_cigar(void **state) {
    (void)state;
    for (double size = 1e155; size < 1e308; size *= 1e10) {
        tacShape cigar = {.type = TAC_GEOM_ELLIPSOID, .size = {0.1, 0.15, size}},
                 rod = {.type = TAC_GEOM_CAPSULE, .size = {0.05, 0.1, 0}};
        tacPose at[2] = {{{0, 0, 0}, tac_quat_mat((tacQuat){1, 0, 0, 0})},
                         {{0.02, 0.01, 0.3}, tac_quat_mat((tacQuat){1, 0, 0, 0})}};
        tacPairCache cache = {0};
        tacTouch t, all[TAC_MAX_TOUCH];
        CHECK_INT(tac_distance_pair(&cigar, &at[0], &rod, &at[1], &cache, &t), TAC_ERR_NONFINITE);
        CHECK_INT(tac_touches(&cigar, &at[0], &rod, &at[1], 0.1, &cache, all), 1);
        CHECK(isnan(all[0].dist));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),  cmocka_unit_test(largest), cmocka_unit_test(parameters_and_packed_models),
        cmocka_unit_test(states), cmocka_unit_test(shapes),  cmocka_unit_test(the_cigar),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
