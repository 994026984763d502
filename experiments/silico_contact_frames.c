/* Silico, Fig. 3: contact frames between objects with sharp edges: overlapping, vertex on face, vertex on vertex, face
 * on face, apart; ours besides: edge on edge, and every pair of shapes. The polygons of the figure are prisms here, by
 * their faces.
 *
 * A frame is right if the plane through the point across the normal separates the shapes scaled by alpha. That is
 * judged by the shapes' own support functions, not by the solver's duals. */
#include "experiments/experiment.h"

#include "collide/growth_faces.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

#define KAPPA 1e-12
#define BAR   1e-9 /* of the size */
/* The published program's sizes: offsets of faces. */
#define PENTAGON 0.4
#define TRIANGLE 0.15
#define THICK    0.3

enum { SIDES = 5, MOST_FACES = SIDES + 2, CASES = 5, SHAPES = 6, DRAWS = 12 };

typedef struct Tally {
    int scenes, finite;
    double worst; /* of the size */
} Tally;

/* --- Models ------------------------------------------------------------------------------------------------------- */

/* A prism on a polygon whose sides have these normals, in turns. */
static int add_prism(tacBuilder *b, const char *name, int sides, const double *turn, const double *offset) {
    tacVec3 normal[MOST_FACES];
    double all[MOST_FACES];
    tacMeshDef d = tac_default_mesh();
    d.name = name;
    for (int i = 0; i < sides; i++) {
        double angle = 2 * 3.14159265358979323846 * turn[i];
        normal[i] = (tacVec3){cos(angle), sin(angle), 0};
        all[i] = offset[i];
    }
    for (int i = 0; i < 2; i++) {
        normal[sides + i] = (tacVec3){0, 0, i ? 1 : -1};
        all[sides + i] = THICK;
    }
    return tac_model_add_mesh_faces(b, &d, sides + 2, normal, all);
}

static void add_body(tacBuilder *b, tacGeomDef g) {
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    joint.type = TAC_JOINT_FREE;
    int id = tac_model_add_body(b, 0, &body);
    tac_model_add_joint(b, id, &joint);
    tac_model_add_geom(b, id, &g);
}

static tacModel *polygons(tacError *err) {
    static const double pentagon[SIDES] = {0.2, 0.35, 0.6, 0.8, 0.9}, triangle[3] = {0.1, 0.4, 0.7};
    static const double of_pentagon[SIDES] = {PENTAGON, PENTAGON, 2.7 * PENTAGON, PENTAGON, PENTAGON};
    static const double of_triangle[3] = {TRIANGLE, TRIANGLE, TRIANGLE};
    tacBuilder *b = tac_model_begin();
    tacModel *m = NULL;
    tacGeomDef g = tac_default_geom();
    g.type = TAC_GEOM_MESH;
    g.mesh = add_prism(b, "pentagon", SIDES, pentagon, of_pentagon);
    add_body(b, g);
    g.mesh = add_prism(b, "triangle", 3, triangle, of_triangle);
    add_body(b, g);
    tac_model_finish(b, &m, err);
    tac_builder_free(b);
    return m;
}

static tacModel *shapes(tacError *err) {
    static const tacGeomType types[SHAPES] = {TAC_GEOM_SPHERE,   TAC_GEOM_CAPSULE, TAC_GEOM_ELLIPSOID,
                                              TAC_GEOM_CYLINDER, TAC_GEOM_BOX,     TAC_GEOM_CONE};
    tacBuilder *b = tac_model_begin();
    tacModel *m = NULL;
    for (int i = 0; i < SHAPES; i++) {
        tacGeomDef g = tac_default_geom();
        g.type = types[i];
        g.size[0] = 0.3, g.size[1] = 0.2, g.size[2] = 0.25;
        add_body(b, g);
    }
    tac_model_finish(b, &m, err);
    tac_builder_free(b);
    return m;
}

/* --- Judging ------------------------------------------------------------------------------------------------------ */

static tacVec3 centre_of(const tacShape *s) {
    if (s->type == TAC_GEOM_CONE) return tac_vec3(0, 0, -0.5 * s->size.y);
    return s->type == TAC_GEOM_MESH ? tac_hull_centroid(&s->hull) : tac_zero3();
}

/* How far the shape, scaled about its centre, reaches beyond the plane. */
static double beyond(const tacModel *m, int geom, const double *q, const tacGrowth *g, double sign) {
    tacShape s = tac_shape_of_geom(m, geom);
    tacQuat turn = tac_quat_load(q + 3);
    tacVec3 n = tac_scale3(sign, g->normal), local = tac_quat_rotate(tac_quat_conj(turn), n), c = centre_of(&s);
    int hint = -1;
    double reach = tac_dot3(tac_sub3(tac_shape_support(&s, local, &hint), c), local) + tac_shape_pad(&s);
    tacVec3 centre = tac_add3(tac_load3(q), tac_quat_rotate(turn, c));
    return tac_dot3(tac_sub3(centre, g->point), n) + g->alpha * reach;
}

static int judge(tacFindings *found, const tacModel *m, tacSim *sim, int a, int b, const double *q, Tally *t) {
    tacGrowth g = {.kappa = 0};
    tacStatus status = tac_geom_growth(sim, q, NULL, a, b, KAPPA, &g);
    if (status != TAC_OK) return experiment_fail(found, "geoms %d and %d: %s", a, b, tac_status_text(status));
    tacShape s[2] = {tac_shape_of_geom(m, a), tac_shape_of_geom(m, b)};
    double size = g.alpha * (tac_shape_radius(&s[0]) + tac_shape_radius(&s[1]));
    t->worst = fmax(t->worst, beyond(m, a, q + 7 * a, &g, 1) / size);
    t->worst = fmax(t->worst, beyond(m, b, q + 7 * b, &g, -1) / size);
    t->finite += isfinite(g.point.x + g.point.y + g.point.z) && fabs(tac_norm3(g.normal) - 1) < BAR;
    t->scenes++;
    return EXPERIMENT_GO_ON;
}

static void place(double *q, double x, double y, double z, tacQuat r) {
    const double pose[7] = {x, y, z, r.w, r.x, r.y, r.z};
    memcpy(q, pose, sizeof pose);
}

/* The figure's five, and edge on edge: along a direction at which the shapes just touch, then as far as the case
 * says. */
static int run_polygons(tacFindings *found, const tacModel *m, tacSim *sim, Tally *t) {
    static const struct {
        double along, turn, tilt, growth; /* rad; growth of the scene: below 1 they overlap */
    } cases[CASES + 1] = {{0.8, 0.3, 0, 0.6}, {1.26, 1.5, 0, 1}, {1.7, 0.9, 0, 1},
                          {2.2, -0.94, 0, 1}, {0.2, 0.5, 0, 2},  {0.8, 0.3, 0.9, 1}};
    for (int i = 0; i <= CASES; i++) {
        double q[14];
        tacQuat turn = tac_quat_axis_angle(tac_vec3(0, 0, 1), cases[i].turn);
        turn = tac_quat_mul(tac_quat_axis_angle(tac_vec3(1, 0, 0), cases[i].tilt), turn);
        tacGrowth g = {.kappa = 0};
        place(q, 0, 0, 0, tac_quat_identity());
        place(q + 7, cos(cases[i].along), sin(cases[i].along), 0, turn);
        if (tac_geom_growth(sim, q, NULL, 0, 1, KAPPA, &g) != TAC_OK) return experiment_fail(found, "case %d", i);
        q[7] *= cases[i].growth / g.alpha, q[8] *= cases[i].growth / g.alpha;
        if (judge(found, m, sim, 0, 1, q, t) != EXPERIMENT_GO_ON) return EXPERIMENT_STOP;
    }
    return EXPERIMENT_GO_ON;
}

/* All pairs of shapes, from deep to apart. */
static int run_shapes(tacFindings *found, const tacModel *m, tacSim *sim, Tally *t) {
    uint64_t next = 0;
    for (int a = 0; a < SHAPES; a++)
        for (int b = a + 1; b < SHAPES; b++)
            for (int k = 0; k < DRAWS; k++) {
                double q[7 * SHAPES], v[6];
                tacQuat r[2];
                for (int i = 0; i < SHAPES; i++)
                    place(q + 7 * i, 0, 0, 0, tac_quat_identity());
                for (int i = 0; i < 6; i++)
                    v[i] = 2 * tac_random_uniform(3, 0, next++) - 1;
                for (int i = 0; i < 2; i++)
                    r[i] = tac_quat_exp(tac_scale3(2.0, tac_vec3(v[3 * i], v[3 * i + 1], v[3 * i + 2])));
                place(q + 7 * a, 0, 0, 0, r[0]);
                place(q + 7 * b, (0.1 + 0.1 * k) * v[0], (0.1 + 0.1 * k) * v[1], (0.1 + 0.1 * k) * v[2], r[1]);
                if (judge(found, m, sim, a, b, q, t) != EXPERIMENT_GO_ON) return EXPERIMENT_STOP;
            }
    return EXPERIMENT_GO_ON;
}

typedef int (*Run)(tacFindings *found, const tacModel *m, tacSim *sim, Tally *t);

static int run_model(tacFindings *found, tacModel *m, const tacError *err, Run run, Tally *t) {
    tacSim *sim;
    if (m == NULL) return experiment_fail(found, "%s", err->text);
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    int result = EXPERIMENT_STOP;
    if (tac_sim_new(m, &options, &sim, NULL) == TAC_OK) {
        result = run(found, m, sim, t);
        tac_sim_free(sim);
    }
    tac_model_free(m);
    return result;
}

int silico_contact_frames(tacFindings *found) {
    Tally t = {0};
    tacError err = {.text = ""};
    int result = run_model(found, polygons(&err), &err, run_polygons, &t);
    if (result == EXPERIMENT_GO_ON) result = run_model(found, shapes(&err), &err, run_shapes, &t);
    if (result != EXPERIMENT_GO_ON) return result;
    found->pass = t.worst <= BAR && t.finite == t.scenes;
    experiment_say(found, "%d scenes, %d frames finite, worst overlap of scaled shapes %.1e of their size", t.scenes,
                   t.finite, t.worst);
    experiment_put(found, found->paper, "scenes", CASES);
    experiment_put(found, found->tactus, "scenes", t.scenes);
    experiment_put(found, found->tactus, "finite", t.finite);
    experiment_put(found, found->tactus, "worst", t.worst);
    return EXPERIMENT_GO_ON;
}
