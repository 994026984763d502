/* Shapes and places that make sense to nobody: every pair of them has a defined answer. Checked by what defines a
 * distance, and against the slow method (test/evidence). A query that does not come back ends the program. */
#include "support/check.h"

#include "collide/touch.h"
#include "math/quat.h"
#include "slow_distance.h"
#include "step/sim.h"
#include "support/draw.h"
#include "watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of the sizes and of the places, whose digits get lost: what every answer has to be, and what it ought to be. Where
 * whole families of points are as near as each other (concentric shapes, flat ones), a search that stops in between may
 * miss the second; such pairs are counted. */
#define TOL_DEFINED 1e-3
#define TOL_EXACT   1e-7
#define MOST_MISSED 0.02 /* of the pairs at one place */
/* Where all directions are as good, the slow method is stopped early: what it has found then. */
#define TOL_STOPPED 1e-2
/* m: squares of lengths below it are no numbers. */
#define LEAST_SIZE 1e-100
enum { HANG_SECONDS = 20, MOST_SHAPES = 64, MESHES = 5, BUDGET = 6000 };

/* --- Shapes ------------------------------------------------------------------------------------------------------- */

typedef struct Zoo {
    tacModel *model; /* of the meshes */
    tacShape shape[MOST_SHAPES];
    int count;
} Zoo;

static void add(Zoo *z, tacGeomType type, double x, double y, double k) {
    CHECK(z->count < MOST_SHAPES);
    z->shape[z->count++] = (tacShape){.type = type, .size = {x, y, k}};
}

/* Usual sizes; flat, thin and vanishing ones. */
static void add_simple(Zoo *z) {
    add(z, TAC_GEOM_PLANE, 0, 0, 0);
    add(z, TAC_GEOM_SPHERE, 0.5, 0, 0), add(z, TAC_GEOM_SPHERE, 0, 0, 0), add(z, TAC_GEOM_SPHERE, 1e-6, 0, 0);
    add(z, TAC_GEOM_CAPSULE, 0.3, 0.5, 0), add(z, TAC_GEOM_CAPSULE, 0, 0.5, 0), add(z, TAC_GEOM_CAPSULE, 0.3, 0, 0);
    add(z, TAC_GEOM_CAPSULE, 1e-6, 1, 0), add(z, TAC_GEOM_CAPSULE, 0, 0, 0);
    add(z, TAC_GEOM_CYLINDER, 0.3, 0.5, 0), add(z, TAC_GEOM_CYLINDER, 0, 0.5, 0), add(z, TAC_GEOM_CYLINDER, 0.3, 0, 0);
    add(z, TAC_GEOM_CYLINDER, 1e-6, 1, 0), add(z, TAC_GEOM_CYLINDER, 0, 0, 0);
    add(z, TAC_GEOM_CONE, 0.3, 0.5, 0), add(z, TAC_GEOM_CONE, 0, 0.5, 0), add(z, TAC_GEOM_CONE, 0.3, 0, 0),
        add(z, TAC_GEOM_CONE, 1e-6, 1, 0);
    add(z, TAC_GEOM_ELLIPSOID, 0.3, 0.4, 0.5), add(z, TAC_GEOM_ELLIPSOID, 0.5, 0.5, 0.5),
        add(z, TAC_GEOM_ELLIPSOID, 0.5, 0.5, 0);
    add(z, TAC_GEOM_ELLIPSOID, 0, 0, 0.5), add(z, TAC_GEOM_ELLIPSOID, 0, 0, 0),
        add(z, TAC_GEOM_ELLIPSOID, 1e-6, 1e-3, 1);
    add(z, TAC_GEOM_BOX, 0.3, 0.4, 0.5), add(z, TAC_GEOM_BOX, 0.5, 0.5, 0.5), add(z, TAC_GEOM_BOX, 0.5, 0.5, 0);
    add(z, TAC_GEOM_BOX, 0.5, 0, 0), add(z, TAC_GEOM_BOX, 0, 0, 0), add(z, TAC_GEOM_BOX, 1e-6, 1e-3, 1);
}

static void scale_corners(Polyhedron *p, tacVec3 s) {
    for (int i = 0; i < p->nvert; i++)
        p->vert[i] = tac_mul3(s, p->vert[i]);
}

/* A cube; one as thin as a sheet; a needle; a cube with every corner three times; a tetrahedron of 1e-4 (smaller ones
 * have no volume to the model). */
static void mesh_of(int kind, Polyhedron *p) {
    tacShape cube = {.type = TAC_GEOM_BOX, .size = {0.5, 0.5, 0.5}};
    CHECK(slow_core(&cube, p));
    if (kind == 1) scale_corners(p, tac_vec3(1, 1, 1e-7));
    if (kind == 2) scale_corners(p, tac_vec3(1e-7, 1e-7, 2));
    if (kind == 3) {
        for (int i = 8; i < 24; i++)
            p->vert[i] = p->vert[i % 8];
        p->nvert = 24;
        for (int f = 0; f < p->nface; f++)
            for (int k = 0; k < 3; k++)
                p->face[f][k] += 8 * ((f + k) % 3);
    }
    if (kind == 4) {
        tacVec3 x[4] = {{0, 0, 0}, {1e-4, 0, 0}, {0, 1e-4, 0}, {0, 0, 1e-4}};
        CHECK(slow_hull(4, x, p));
    }
}

static void add_meshes(Zoo *z) {
    tacBuilder *b = tac_model_begin();
    for (int kind = 0; kind < MESHES; kind++) {
        Polyhedron p;
        int corner[SLOW_MOST_VERTICES];
        tacMeshDef def = tac_default_mesh();
        tacGeomDef geom = tac_default_geom();
        mesh_of(kind, &p);
        for (int i = 0; i < p.nvert; i++)
            corner[i] = i;
        def.nvert = p.nvert, def.vert = p.vert, def.nhullvert = p.nvert, def.hullvert = corner;
        def.nface = def.nhullface = p.nface, def.face = def.hullface = p.face[0];
        geom.type = TAC_GEOM_MESH, geom.mesh = tac_model_add_mesh(b, &def);
        CHECK_INT(tac_model_add_geom(b, 0, &geom), kind);
    }
    tacError err;
    if (tac_model_finish(b, &z->model, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    for (int kind = 0; kind < MESHES; kind++)
        z->shape[z->count++] = tac_shape_of_geom(z->model, kind);
}

static Zoo open_zoo(void) {
    Zoo z = {0};
    add_simple(&z);
    add_meshes(&z);
    return z;
}

/* --- One pair ----------------------------------------------------------------------------------------------------- */

static char what[256];

static void name_case(const char *place, const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B) {
    snprintf(what, sizeof what, "%s: type %d (%g %g %g) at (%g %g %g), type %d (%g %g %g) at (%g %g %g)\n", place,
             (int)a->type, a->size.x, a->size.y, a->size.z, A->p.x, A->p.y, A->p.z, (int)b->type, b->size.x, b->size.y,
             b->size.z, B->p.x, B->p.y, B->p.z);
}

static void require(int ok, const char *rule, double figure) {
    if (!ok) fail_msg("%s: %.3e; %s", rule, figure, what);
}

/* How far a point is from where its shape reaches furthest along the normal. */
static double off_surface(const Solid *s, const tacTouch *t, int i) {
    tacVec3 n = i ? tac_neg3(t->normal) : t->normal;
    return s->shape->type == TAC_GEOM_PLANE ? 0 : fabs(slow_support(s, n) - tac_dot3(n, t->point[i]));
}

/* A unit normal, and points along it. */
static void check_definition(const tacTouch *t, double scale) {
    tacVec3 off = tac_sub3(tac_sub3(t->point[1], t->point[0]), tac_scale3(t->dist, t->normal));
    double sum = t->dist + tac_norm3(t->point[0]) + tac_norm3(t->point[1]);
    require(isfinite(sum), "finite", sum);
    require(fabs(tac_norm3(t->normal) - 1) < TOL_EXACT, "unit normal", tac_norm3(t->normal));
    require(tac_norm3(off) <= TOL_EXACT * scale, "points along the normal", tac_norm3(off));
}

typedef struct Tally {
    long pairs, missed;
} Tally;

static void check_pair(Tally *tally, const char *place, const tacShape *a, const tacPose *A, const tacShape *b,
                       const tacPose *B) {
    Solid s[2] = {{a, *A}, {b, *B}};
    tacTouch t, all[TAC_MAX_TOUCH];
    tacPairCache cache = {0}, empty = {0};
    name_case(place, a, A, b, B);
    watch_begin(HANG_SECONDS, what);
    tacStatus status = tac_distance_pair(a, A, b, B, &cache, &t);
    int n = tac_touches(a, A, b, B, HUGE_VAL, &empty, all);
    watch_end();
    tally->pairs++;
    if (a->type == TAC_GEOM_PLANE && b->type == TAC_GEOM_PLANE) {
        CHECK_INT(status, TAC_ERR_SHAPE);
        return;
    }
    require(status == TAC_OK, "status", status);
    require(n >= 1 && n <= TAC_MAX_TOUCH && all[0].dist == t.dist, "with all touches asked for, the first", n);
    double scale = slow_radius(a) + slow_radius(b) + tac_norm3(A->p) + tac_norm3(B->p) + LEAST_SIZE;
    check_definition(&t, scale);
    SlowDistance slow = slow_search(&s[0], &s[1], 1e-9 * scale, BUDGET);
    double error = fabs(t.dist - slow.dist) / scale;
    require(error <= (slow.exhausted ? TOL_STOPPED : TOL_DEFINED), "distance", error);
    if (!slow.exhausted && error > TOL_EXACT)
        tally->missed++;
    else if (fmax(off_surface(&s[0], &t, 0), off_surface(&s[1], &t, 1)) > TOL_EXACT * scale)
        tally->missed++;
}

static void conclude(const char *name, const Tally *tally) {
    printf("%s: %ld pairs, %ld not exact\n", name, tally->pairs, tally->missed);
    CHECK_LT((double)tally->missed, MOST_MISSED * (double)tally->pairs + 2);
}

/* --- Places ------------------------------------------------------------------------------------------------------- */

static tacPose at(double x, double y, double z, tacQuat q) { return (tacPose){{x, y, z}, tac_quat_mat(q)}; }

static void every_pair(const char *name, tacPose A, tacPose B) {
    Zoo z = open_zoo();
    Tally tally = {0};
    for (int i = 0; i < z.count; i++)
        for (int j = 0; j < z.count; j++)
            check_pair(&tally, name, &z.shape[i], &A, &z.shape[j], &B);
    conclude(name, &tally);
    tac_model_free(z.model);
}

static const tacQuat ONE = {1, 0, 0, 0};
static tacQuat turned(void) { return tac_quat_normalize((tacQuat){0.7, 0.3, -0.5, 0.4}); }

static void coincident(void **state) {
    (void)state;
    every_pair("same place", at(0, 0, 0, ONE), at(0, 0, 0, ONE));
    every_pair("same place, away from the origin", at(0.3, -2, 5, ONE), at(0.3, -2, 5, ONE));
}

static void coincident_and_turned(void **state) {
    (void)state;
    every_pair("same centre, turned", at(0, 0, 0, ONE), at(0, 0, 0, turned()));
    every_pair("same centre, a quarter turn", at(0, 0, 0, ONE), at(0, 0, 0, (tacQuat){sqrt(0.5), sqrt(0.5), 0, 0}));
}

static void aligned(void **state) {
    (void)state;
    every_pair("beside along x", at(0, 0, 0, ONE), at(1, 0, 0, ONE));
    every_pair("above", at(0, 0, 0, ONE), at(0, 0, 1, ONE));
    every_pair("above, upside down", at(0, 0, 0, ONE), at(0, 0, 0.7, (tacQuat){0, 1, 0, 0}));
}

static void deep_overlap(void **state) {
    (void)state;
    every_pair("deep", at(0, 0, 0, turned()), at(1e-3, 2e-3, -1e-3, ONE));
    every_pair("deep by 1e-9", at(0, 0, 0, ONE), at(1e-9, 0, 0, ONE));
    every_pair("deep by 1e-300", at(0, 0, 0, ONE), at(0, 1e-300, 0, ONE));
}

static void far_apart(void **state) {
    (void)state;
    every_pair("1e6 apart", at(0, 0, 0, turned()), at(1e6, 2e5, -3e5, ONE));
    every_pair("both 1e6 away", at(1e6, 0, 0, turned()), at(1e6, 0.4, 0.3, ONE));
}

/* Everything 1e-6 and 1e6 times as large. */
static void small_and_large(void **state) {
    (void)state;
    Zoo z = open_zoo();
    tacDraw d = {7, 0};
    Tally tally = {0};
    for (int i = 1; i < z.count; i++)
        for (int j = 1; j < z.count; j++)
            for (int k = 0; k < 2; k++) {
                double scale = k ? 1e6 : 1e-6;
                tacShape a = z.shape[i], b = z.shape[j];
                if (a.type == TAC_GEOM_MESH || b.type == TAC_GEOM_MESH) continue;
                a.size = tac_scale3(scale, a.size), b.size = tac_scale3(scale, b.size);
                tacVec3 p = draw_vec3(&d, scale);
                tacPose A = at(0, 0, 0, draw_quat(&d)), B = at(p.x, p.y, p.z, draw_quat(&d));
                check_pair(&tally, k ? "large" : "small", &a, &A, &b, &B);
                if (k == 0) check_pair(&tally, "small and usual", &a, &A, &z.shape[j], &B);
            }
    conclude("scaled", &tally);
    tac_model_free(z.model);
}

/* --- At the public level ------------------------------------------------------------------------------------------ */

static tacModel *two_balls(void) {
    tacBuilder *b = tac_model_begin();
    tacModel *m = NULL;
    for (int i = 0; i < 2; i++) {
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        tacGeomDef geom = tac_default_geom();
        body.pos = tac_vec3(i, 0, 0), joint.type = TAC_JOINT_FREE, geom.type = TAC_GEOM_SPHERE, geom.size[0] = 0.1;
        int id = tac_model_add_body(b, 0, &body);
        tac_model_add_joint(b, id, &joint), tac_model_add_geom(b, id, &geom);
    }
    CHECK_INT(tac_model_finish(b, &m, NULL), TAC_OK);
    tac_builder_free(b);
    return m;
}

static void poses_that_are_no_numbers(void **state) {
    (void)state;
    tacModel *m = two_balls();
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    tacSim *sim;
    CHECK_INT(tac_sim_new(m, &options, &sim, NULL), TAC_OK);
    const double bad[] = {nan(""), HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < 14; i++)
        for (int k = 0; k < 3; k++) {
            double q[14], v[12] = {0};
            tacContact c[8];
            tacImpact hit = {0};
            int n = -7;
            for (int j = 0; j < 14; j++)
                q[j] = j == i ? bad[k] : m->qpos_0[j];
            CHECK_INT(tac_contacts(sim, q, NULL, c, 8, &n), TAC_ERR_NONFINITE);
            CHECK_INT(tac_geom_distance(sim, q, NULL, 0, 1, c), TAC_ERR_NONFINITE);
            CHECK_INT(tac_first_impact(sim, q, v, NULL, 1, &hit), TAC_ERR_NONFINITE);
            CHECK_INT(n, -7);
        }
    tac_sim_free(sim);
    tac_model_free(m);
}

/* A mesh that encloses nothing is refused by name, or left out of collision. */
static void meshes_without_volume(void **state) {
    (void)state;
    static const tacVec3 CLOUD[][4] = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
                                       {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}},
                                       {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}};
    static const int FACE[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}, CORNER[] = {0, 1, 2, 3};
    for (int kind = 0; kind < 3; kind++)
        for (int with_hull = 0; with_hull < 2; with_hull++) {
            tacBuilder *b = tac_model_begin();
            tacMeshDef def = tac_default_mesh();
            tacGeomDef geom = tac_default_geom();
            tacModel *m = NULL;
            tacError err = {0};
            def.name = "sheet", def.nvert = 4, def.vert = CLOUD[kind], def.nface = 4, def.face = FACE;
            if (with_hull) def.nhullvert = 4, def.hullvert = CORNER, def.nhullface = 4, def.hullface = FACE;
            geom.type = TAC_GEOM_MESH, geom.mesh = tac_model_add_mesh(b, &def);
            tac_model_add_geom(b, 0, &geom);
            tacStatus status = tac_model_finish(b, &m, &err);
            if (status == TAC_OK)
                CHECK_INT(tac_geom_has_shape(m, 0), 0);
            else
                CHECK_HAS(err.text, "sheet");
            tac_model_free(m);
            tac_builder_free(b);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coincident),
        cmocka_unit_test(coincident_and_turned),
        cmocka_unit_test(aligned),
        cmocka_unit_test(deep_overlap),
        cmocka_unit_test(far_apart),
        cmocka_unit_test(small_and_large),
        cmocka_unit_test(poses_that_are_no_numbers),
        cmocka_unit_test(meshes_without_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
