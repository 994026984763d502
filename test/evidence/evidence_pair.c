/* Distance of given geom pairs of a model at a configuration, by the engine and by the slow method.
 *   evidence_pair MODEL [--lenient] [--floating] [--outside]     standard input: nq numbers, then pairs of geom ids
 * One JSON line a pair: {"geom1", "geom2", "dist", "normal", "slow", "shapes", "mjcf"}. shapes say where the two
 * surfaces are in the world: corners and planes [nx, ny, nz, offset] of polyhedra, the tube [centre, axis, radius,
 * half-length] of a cylinder. mjcf is a model of the two shapes alone, where they are, for MuJoCo to measure. */
#include "slow_distance.h"

#include "step/sim.h"
#include "tactus/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the slow method, relative to the larger shape. */
#define EPS 1e-9

static tacModel *load(int argc, char **argv) {
    tacLoadOptions options = tac_default_load_options();
    tacModel *model = NULL;
    tacError err;
    for (int i = 2; i < argc; i++) {
        options.lenient |= strcmp(argv[i], "--lenient") == 0;
        options.allow_outside |= strcmp(argv[i], "--outside") == 0;
        if (strcmp(argv[i], "--floating") == 0) options.base = TAC_BASE_FLOATING;
    }
    if (argc < 2 || tac_load_with(argv[1], &options, &model, NULL, &err) != TAC_OK)
        fprintf(stderr, "%s\n", argc < 2 ? "a model is missing" : err.text);
    return model;
}

static const char *const TYPES[TAC_GEOM_TYPES] = {
    [TAC_GEOM_PLANE] = "plane",         [TAC_GEOM_SPHERE] = "sphere",     [TAC_GEOM_CAPSULE] = "capsule",
    [TAC_GEOM_ELLIPSOID] = "ellipsoid", [TAC_GEOM_CYLINDER] = "cylinder", [TAC_GEOM_BOX] = "box",
    [TAC_GEOM_MESH] = "mesh",
};

static void print_mesh(const tacShape *s, int i) {
    printf("<mesh name='m%d' vertex='", i);
    for (int k = 0; k < s->hull.nvert; k++)
        printf("%.9g %.9g %.9g ", s->hull.vert[k].x, s->hull.vert[k].y, s->hull.vert[k].z);
    printf("'/>");
}

static void print_geom(const Solid *s, int i) {
    const double *R = s->pose.R.m;
    printf("<geom type='%s' pos='%.17g %.17g %.17g' xyaxes='%.17g %.17g %.17g %.17g %.17g %.17g' ",
           TYPES[s->shape->type], s->pose.p.x, s->pose.p.y, s->pose.p.z, R[0], R[3], R[6], R[1], R[4], R[7]);
    if (s->shape->type == TAC_GEOM_MESH)
        printf("mesh='m%d'/>", i);
    else
        printf("size='%.17g %.17g %.17g'/>", s->shape->size.x, s->shape->size.y, s->shape->size.z);
}

static void print_mjcf(const Solid *solid) {
    printf("<mujoco><asset>");
    for (int i = 0; i < 2; i++)
        if (solid[i].shape->type == TAC_GEOM_MESH) print_mesh(solid[i].shape, i);
    printf("</asset><worldbody>");
    for (int i = 0; i < 2; i++)
        print_geom(&solid[i], i);
    printf("</worldbody></mujoco>");
}

/* --- Where a surface is ------------------------------------------------------------------------------------------- */

static void print_row(int first, tacVec3 v, const char *end) {
    printf("%s[%.17g,%.17g,%.17g%s", first ? "" : ",", v.x, v.y, v.z, end);
}

static void print_polyhedron(const Solid *s) {
    printf("{\"corners\":[");
    for (int i = 0; i < tac_shape_nvert(s->shape); i++)
        print_row(i == 0, tac_pose_point(&s->pose, tac_shape_vertex(s->shape, i)), "]");
    printf("],\"planes\":[");
    for (int f = 0; f < tac_shape_nface(s->shape); f++) {
        const int *loop;
        tac_shape_loop(s->shape, f, &loop);
        tacVec3 n = tac_mulmv3(s->pose.R, tac_shape_face_normal(s->shape, f));
        print_row(f == 0, n, "");
        printf(",%.17g]", tac_dot3(n, tac_pose_point(&s->pose, tac_shape_vertex(s->shape, loop[0]))));
    }
    printf("]}");
}

static void print_surface(const Solid *s) {
    tacGeomType type = s->shape->type;
    if (type == TAC_GEOM_BOX || type == TAC_GEOM_MESH)
        print_polyhedron(s);
    else if (type == TAC_GEOM_CYLINDER) {
        printf("{\"tube\":[");
        print_row(1, s->pose.p, "]");
        print_row(0, tac_mulmv3(s->pose.R, tac_vec3(0, 0, 1)), "]");
        printf(",%.17g,%.17g]}", s->shape->size.x, s->shape->size.y);
    } else
        printf("{}");
}

/* --- One pair ----------------------------------------------------------------------------------------------------- */

static int print_pair(tacSim *sim, const double *q, int a, int b) {
    tacContact c;
    tacStatus status = tac_geom_distance(sim, q, NULL, a, b, &c);
    if (status != TAC_OK) return fprintf(stderr, "geoms %d %d: %s\n", a, b, tac_status_text(status)), 2;
    const tacScene *s = &sim->ctx.scene;
    Solid solid[2] = {{&s->shape[a], s->pose[a]}, {&s->shape[b], s->pose[b]}};
    double ra = slow_radius(solid[0].shape), rb = slow_radius(solid[1].shape), size = ra > rb ? ra : rb;
    SlowDistance slow = slow_distance(&solid[0], &solid[1], EPS * (size > 0 ? size : 1));
    printf("{\"geom1\":%d,\"geom2\":%d,\"dist\":%.17g,\"slow\":%.17g,", a, b, c.dist, slow.dist);
    printf("\"normal\":[%.17g,%.17g,%.17g],\"shapes\":[", c.normal.x, c.normal.y, c.normal.z);
    print_surface(&solid[0]);
    printf(",");
    print_surface(&solid[1]);
    printf("],\"mjcf\":\"");
    print_mjcf(solid);
    printf("\"}\n");
    return 0;
}

int main(int argc, char **argv) {
    tacModel *m = load(argc, argv);
    tacSim *sim = NULL;
    tacError err;
    int a, b, code = 0;
    if (m == NULL) return 2;
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    options.integrator = TAC_INTEGRATOR_EULER;
    if (tac_sim_new(m, &options, &sim, &err) != TAC_OK) return fprintf(stderr, "%s\n", err.text), 2;
    double *q = calloc((size_t)m->nq + 1, sizeof *q);
    for (int i = 0; i < m->nq; i++)
        if (q == NULL || scanf("%lf", &q[i]) != 1) return fprintf(stderr, "%d numbers expected\n", m->nq), 2;
    while (code == 0 && scanf("%d %d", &a, &b) == 2)
        code = print_pair(sim, q, a, b);
    free(q);
    tac_sim_free(sim);
    tac_model_free(m);
    return code;
}
