/* Shapes of growth distances that make no sense, and meshes by their faces. */
#include "support/check.h"

#include "tactus/tactus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FACES = 16 };

typedef struct Shape {
    const char *says; /* part of the message */
    double pad;
    tacGeomType type, other_type;
    int sum, other_sum, other_body;
} Shape;

static tacStatus finish(const Shape *s, tacError *err) {
    tacBuilder *b = tac_model_begin();
    tacModel *m = NULL;
    tacBodyDef body = tac_default_body();
    tacGeomDef g = tac_default_geom(), o = g;
    for (int i = 1; i < 3; i++)
        tac_model_add_body(b, 0, &body);
    g.name = "first", o.name = "other";
    g.type = s->type, o.type = s->other_type;
    for (int k = 0; k < 3; k++)
        g.size[k] = o.size[k] = 0.1;
    g.pad = s->pad, g.sum = s->sum, o.sum = s->other_sum;
    tac_model_add_geom(b, s->type == TAC_GEOM_PLANE ? 0 : 1, &g);
    tac_model_add_geom(b, s->other_type == TAC_GEOM_PLANE ? 0 : s->other_body, &o);
    tacStatus status = tac_model_finish(b, &m, err);
    tac_model_free(m);
    tac_builder_free(b);
    return status;
}

static void bad_shapes(void **state) {
    (void)state;
    const tacGeomType ball = TAC_GEOM_SPHERE, plane = TAC_GEOM_PLANE;
    const Shape shapes[] = {{"pad is -0.1", -0.1, ball, ball, -1, -1, 1},
                            {"pad is nan", (double)NAN, ball, ball, -1, -1, 1},
                            {"expected 0 for a plane", 0.1, plane, ball, -1, -1, 1},
                            {"leads back to itself", 0, ball, ball, 0, -1, 1},
                            {"leads back to itself", 0, ball, ball, 1, 0, 1},
                            {"geom 'first': sum", 0, ball, ball, 1, -1, 2},
                            {"expected bounded shapes", 0, plane, plane, 1, -1, 0},
                            {"9", 0, ball, ball, 9, -1, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        tacError err = {.text = ""};
        CHECK(finish(&shapes[i], &err) != TAC_OK);
        CHECK_HAS(err.text, shapes[i].says);
    }
}

/* --- Meshes by faces ---------------------------------------------------------------------------------------------- */

typedef struct Faces {
    int n;
    tacVec3 normal[MOST_FACES];
    double offset[MOST_FACES];
} Faces;

static void add(Faces *f, double x, double y, double z, double b) {
    f->normal[f->n] = (tacVec3){x, y, z};
    f->offset[f->n++] = b;
}

/* A box of these half-sizes about a centre, by faces of any length. */
static Faces box_faces(double x, double y, double z, double at) {
    Faces f = {.n = 0};
    for (int s = -1; s < 2; s += 2) {
        add(&f, s, 0, 0, x + s * at);
        add(&f, 0, 2 * s, 0, 2 * y);
        add(&f, 0, 0, 0.5 * s, 0.5 * z);
    }
    return f;
}

static tacModel *mesh_model(const Faces *f, tacError *err) {
    tacBuilder *b = tac_model_begin();
    tacModel *m = NULL;
    tacMeshDef d = tac_default_mesh();
    tacGeomDef g = tac_default_geom();
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    joint.type = TAC_JOINT_FREE;
    d.name = "cut", g.type = TAC_GEOM_MESH;
    tac_model_add_body(b, 0, &body);
    tac_model_add_joint(b, 1, &joint);
    g.mesh = tac_model_add_mesh_faces(b, &d, f->n, f->normal, f->offset);
    tac_model_add_geom(b, 1, &g);
    tac_model_finish(b, &m, err);
    tac_builder_free(b);
    return m;
}

static void check_solid(const Faces *f, int corners, int polygons, double volume) {
    tacError err = {.text = ""};
    tacModel *m = mesh_model(f, &err);
    if (m == NULL) fail_msg("%s", err.text);
    CHECK_INT(m->mesh_corner_num[0], corners);
    CHECK_INT(m->mesh_polygon_num[0], polygons);
    CHECK_NEAR(m->body_mass[1], 1000 * volume, 1e-9 * 1000 * volume);
    tac_model_free(m);
}

/* Boxes, also away from their origin; with redundant, repeated and corner-cutting faces. */
static void meshes_by_faces(void **state) {
    (void)state;
    Faces f = box_faces(0.1, 0.2, 0.3, 0);
    check_solid(&f, 8, 6, 0.048);
    f = box_faces(0.1, 0.2, 0.3, 5);
    check_solid(&f, 8, 6, 0.048);
    f = box_faces(1, 1, 1, 0);
    add(&f, 1, 1, 1, 3.5); /* beyond a corner */
    add(&f, 1, 1, 1, 3);   /* at a corner */
    add(&f, 3, 0, 0, 3);   /* again */
    check_solid(&f, 8, 6, 8);
    add(&f, 1, 1, -1, 2); /* cuts one off */
    check_solid(&f, 10, 7, 8 - 1.0 / 6);
}

static void bad_faces(void **state) {
    (void)state;
    Faces f[6] = {box_faces(1, 1, 1, 0), box_faces(1, 1, 1, 0), box_faces(1, 1, 1, 0),
                  box_faces(1, 1, 1, 0), box_faces(1, 1, 1, 0), box_faces(1, 1, 1, 0)};
    static const char *const says[] = {"fewer than 4", "unbounded", "empty", "flat", "direction", "direction"};
    f[0].n = 3;
    f[1].n = 5;
    add(&f[2], 1, 0, 0, -2);
    add(&f[3], 1, 0, 0, -1);
    add(&f[4], 0, 0, 0, 1);
    add(&f[5], 1, (double)NAN, 0, 1);
    for (int i = 0; i < 6; i++) {
        tacError err = {.text = ""};
        CHECK(mesh_model(&f[i], &err) == NULL);
        CHECK_HAS(err.text, "mesh 'cut'");
        CHECK_HAS(err.text, says[i]);
    }
}

/* A cube whose faces come again, tilted by eps: closed and convex, and no corner is outside of a face by more than what
 * a redundant face may cut off. */
static void nearly_parallel_faces(void **state) {
    (void)state;
    for (double eps = 1e-3; eps > 1e-15; eps *= 0.3) {
        Faces f = box_faces(1, 1, 1, 0);
        tacError err = {.text = ""};
        for (int k = 0; k < 6; k++) {
            tacVec3 n = f.normal[k];
            add(&f, n.x + eps * n.y, n.y - 2 * eps * n.z, n.z + 3 * eps * n.x, f.offset[k]);
        }
        tacModel *m = mesh_model(&f, &err);
        if (m == NULL) fail_msg("%g: %s", eps, err.text);
        CHECK(m->mesh_polygon_num[0] >= 6);
        if (eps < 1e-10) CHECK_INT(m->mesh_polygon_num[0], 6);
        CHECK_NEAR(m->body_mass[1], 8000, 40000 * eps + 1e-6);
        for (int i = 0; i < m->nhullcorner; i++)
            for (int k = 0; k < f.n; k++) {
                tacVec3 n = f.normal[k], x = m->hull_pos[i];
                double length = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
                CHECK((n.x * x.x + n.y * x.y + n.z * x.z - f.offset[k]) / length < 2e-9);
            }
        tac_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bad_shapes), cmocka_unit_test(meshes_by_faces),
                                       cmocka_unit_test(bad_faces), cmocka_unit_test(nearly_parallel_faces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
