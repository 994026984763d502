#include "pair_case.h"

#include "support/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const tacGeomType PAIR_TYPE[PAIR_SHAPES] = {TAC_GEOM_PLANE,    TAC_GEOM_SPHERE, TAC_GEOM_CAPSULE, TAC_GEOM_ELLIPSOID,
                                            TAC_GEOM_CYLINDER, TAC_GEOM_BOX,    TAC_GEOM_MESH,    TAC_GEOM_CONE};
static const char *const NAME[PAIR_SHAPES] = {"plane",    "sphere", "capsule", "ellipsoid",
                                              "cylinder", "box",    "mesh",    "cone"};
enum { LEAST_POINTS = 4, MOST_POINTS = 40 };
/* m: sizes are drawn between these, evenly in the logarithm. */
static const double LEAST_SIZE = 0.1, MOST_SIZE = 10;
/* rad: half a quarter turn. */
static const double EIGHTH = 0.78539816339744830962;
/* What is asked of the slow method, relative to the size, where a whole circle of directions is equally good: a
 * tenth of the tolerance of curved pairs. */
static const double COARSE = 1e-8;
enum { COARSE_BUDGET = 4000000 };
/* Where all directions are (concentric balls) it gets this far at least, which enumeration has to agree with. */
static const double AS_FAR_AS_IT_GOT = 1e-5;
/* Of the two slow methods, relative to the size. */
static const double ROUNDING = 1e-13;

/* --- Meshes ------------------------------------------------------------------------------------------------------- */

static double draw_size(tacDraw *d) { return LEAST_SIZE * pow(MOST_SIZE / LEAST_SIZE, draw_uniform(d, 0, 1)); }

/* n points: on an ellipsoid (all of them corners) or in a box. */
static void draw_points(tacDraw *d, int n, tacVec3 *x) {
    tacVec3 size = {draw_size(d), draw_size(d), draw_size(d)};
    int round = draw_int(d, 2);
    for (int i = 0; i < n; i++) {
        tacVec3 r = round ? tac_vec3(draw_normal(d), draw_normal(d), draw_normal(d)) : draw_vec3(d, 1);
        x[i] = tac_mul3(size, round ? tac_scale3(1 / tac_norm3(r), r) : r);
    }
}

static int add_mesh(tacBuilder *b, const Polyhedron *hull) {
    int corner[SLOW_MOST_VERTICES], n = 0, used[SLOW_MOST_VERTICES] = {0};
    for (int e = 0; e < hull->nedge; e++)
        used[hull->edge[e][0]] = used[hull->edge[e][1]] = 1;
    for (int i = 0; i < hull->nvert; i++)
        if (used[i]) corner[n++] = i;
    tacMeshDef def = tac_default_mesh();
    def.nvert = hull->nvert, def.vert = hull->vert;
    def.nface = def.nhullface = hull->nface, def.face = def.hullface = hull->face[0];
    def.nhullvert = n, def.hullvert = corner;
    tacGeomDef geom = tac_default_geom();
    geom.type = TAC_GEOM_MESH, geom.mesh = tac_model_add_mesh(b, &def);
    return tac_model_add_geom(b, 0, &geom);
}

MeshPool pool_make(uint64_t seed) {
    MeshPool pool = {.count = PAIR_MESHES};
    pool.hull = calloc(PAIR_MESHES, sizeof *pool.hull), pool.shape = calloc(PAIR_MESHES, sizeof *pool.shape);
    tacBuilder *b = tac_model_begin();
    if (pool.hull == NULL || pool.shape == NULL || b == NULL) exit(2);
    tacDraw d = {seed, 0};
    for (int i = 0; i < PAIR_MESHES; i++) {
        tacVec3 x[MOST_POINTS];
        int n;
        do {
            n = LEAST_POINTS + draw_int(&d, MOST_POINTS - LEAST_POINTS + 1);
            draw_points(&d, n, x);
        } while (!slow_hull(n, x, &pool.hull[i]));
        add_mesh(b, &pool.hull[i]);
    }
    tacError err;
    if (tac_model_finish(b, &pool.model, &err) != TAC_OK) fprintf(stderr, "%s\n", err.text), exit(2);
    tac_builder_free(b);
    for (int i = 0; i < PAIR_MESHES; i++)
        pool.shape[i] = tac_shape_of_geom(pool.model, i);
    return pool;
}

void pool_free(MeshPool *pool) {
    tac_model_free(pool->model);
    free(pool->hull), free(pool->shape);
}

/* --- Pairs -------------------------------------------------------------------------------------------------------- */

void kind_shapes(int kind, int *first, int *second) {
    *first = 0;
    while (kind >= PAIR_SHAPES - *first)
        kind -= PAIR_SHAPES - (*first)++;
    *second = *first + kind;
}

const char *kind_name(int kind) {
    static char text[32];
    int i, j;
    kind_shapes(kind, &i, &j);
    snprintf(text, sizeof text, "%s-%s", NAME[i], NAME[j]);
    return text;
}

static int is_round(int i) {
    return PAIR_TYPE[i] == TAC_GEOM_ELLIPSOID || PAIR_TYPE[i] == TAC_GEOM_CYLINDER || PAIR_TYPE[i] == TAC_GEOM_CONE;
}

int kind_is_curved(int kind) {
    int i, j;
    kind_shapes(kind, &i, &j);
    return PAIR_TYPE[i] != TAC_GEOM_PLANE && (is_round(i) || is_round(j));
}

tacShape draw_shape(const MeshPool *pool, tacGeomType type, uint64_t seed, const Polyhedron **hull) {
    tacDraw d = {seed, 0};
    tacShape s = {.type = type, .size = {draw_size(&d), draw_size(&d), draw_size(&d)}};
    if (type != TAC_GEOM_MESH) return s;
    int k = draw_int(&d, pool->count);
    *hull = &pool->hull[k];
    return pool->shape[k];
}

static tacVec3 draw_unit(tacDraw *d) {
    tacVec3 r = {draw_normal(d), draw_normal(d), draw_normal(d)};
    return tac_scale3(1 / tac_norm3(r), r);
}

/* Moves shape 1 so that the supports along a random direction (a plane's normal) are `gap` apart. */
static void place_by_support(PairCase *c, tacDraw *d, double gap) {
    Solid a = case_solid(c, 0), b = case_solid(c, 1);
    const double *R = c->pose[0].R.m;
    tacVec3 n = c->shape[0].type == TAC_GEOM_PLANE ? tac_vec3(R[2], R[5], R[8]) : draw_unit(d);
    c->pose[1].p = tac_madd3(c->pose[1].p, gap - slow_gap(&a, &b, n), n);
}

/* Moves shape 1 along the normal to a distance of 1e-12 to 1e-2 of the size, of either sign. */
static void place_near(PairCase *c, tacDraw *d) {
    Solid a = case_solid(c, 0), b = case_solid(c, 1);
    SlowDistance s = slow_distance(&a, &b, 1e-6 * c->size);
    double target = c->size * pow(10, draw_uniform(d, -12, -2)) * (draw_int(d, 2) ? 1 : -1);
    c->pose[1].p = tac_madd3(c->pose[1].p, target - s.dist, s.normal);
}

PairCase draw_case(const MeshPool *pool, uint64_t seed) {
    PairCase c = {.seed = seed, .kind = (int)(seed % PAIR_KINDS), .place = (Place)(seed / PAIR_KINDS % PLACES)};
    tacDraw d = {seed, 1000};
    int shape[2];
    kind_shapes(c.kind, &shape[0], &shape[1]);
    if (draw_int(&d, 2) && shape[0] != 0) { /* either order, but for planes, which place_by_support wants first */
        int t = shape[0];
        shape[0] = shape[1], shape[1] = t;
    }
    for (int i = 0; i < 2; i++) {
        c.shape[i] = draw_shape(pool, PAIR_TYPE[shape[i]], 2 * seed + (uint64_t)i, &c.hull[i]);
        c.pose[i].p = draw_vec3(&d, 1), c.pose[i].R = tac_quat_mat(draw_quat(&d));
        c.size = fmax(c.size, slow_radius(&c.shape[i]));
    }
    if (shape[1] == 0) return c; /* two planes */
    double inner = fmin(slow_radius(&c.shape[0]), slow_radius(&c.shape[1]));
    if (shape[0] == 0) inner = c.size;
    switch (c.place) {
    case PLACE_APART:
        place_by_support(&c, &d, draw_uniform(&d, 0, 2) * c.size);
        break;
    case PLACE_OVERLAP:
        place_by_support(&c, &d, -draw_uniform(&d, 0, 0.3) * inner);
        break;
    case PLACE_DEEP:
        c.pose[1].p = tac_add3(c.pose[0].p, draw_vec3(&d, 0.3 * c.size));
        break;
    default:
        place_by_support(&c, &d, 0), place_near(&c, &d);
    }
    return c;
}

/* Nothing, next to nothing, or anything up to `most`, of either sign. */
static double draw_offset(tacDraw *d, double most) {
    int how = draw_int(d, 3);
    if (how == 0) return 0;
    double x = how == 1 ? most * pow(10, draw_uniform(d, -12, -2)) : draw_uniform(d, 0, most);
    return draw_int(d, 2) ? x : -x;
}

/* Quarter turns about an axis, and a turn of 1e-12 to 1e-2 rad in every other case. */
static tacMat3 draw_turn(tacDraw *d) {
    tacVec3 tilt = tac_scale3(draw_int(d, 2) * pow(10, draw_uniform(d, -12, -2)), draw_unit(d));
    int k = draw_int(d, 3), quarters = draw_int(d, 4);
    tacVec3 axis = tac_vec3(k == 0, k == 1, k == 2);
    double half = quarters * EIGHTH;
    tacQuat turn = {cos(half), sin(half) * axis.x, sin(half) * axis.y, sin(half) * axis.z};
    return tac_mulmm3(tac_quat_mat(tac_quat_exp(tilt)), tac_quat_mat(turn));
}

PairCase draw_aligned(const MeshPool *pool, uint64_t seed) {
    PairCase c = {.seed = seed, .kind = (int)(seed % PAIR_KINDS), .place = PLACE_ALIGNED};
    tacDraw d = {seed, 2000};
    int shape[2], first = draw_int(&d, 2);
    kind_shapes(c.kind, &shape[first], &shape[1 - first]);
    for (int i = 0; i < 2; i++)
        c.shape[i] = draw_shape(pool, PAIR_TYPE[shape[i]], 2 * seed + (uint64_t)i, &c.hull[i]);
    for (int i = 0; i < 2; i++) /* of revolution, of square section */
        if ((shape[i] == 3 || shape[i] == 5) && draw_int(&d, 2)) c.shape[i].size.y = c.shape[i].size.x;
    int sized = c.hull[0] == NULL && c.hull[1] == NULL;
    if (sized && draw_int(&d, 2)) c.shape[1].size.x = c.shape[0].size.x;
    if (sized && draw_int(&d, 2)) c.shape[1].size.y = c.shape[0].size.y;
    c.size = fmax(slow_radius(&c.shape[0]), slow_radius(&c.shape[1]));
    double both = slow_radius(&c.shape[0]) + slow_radius(&c.shape[1]);
    c.pose[0].p = draw_vec3(&d, 1), c.pose[0].R = tac_quat_mat(draw_quat(&d));
    c.pose[1].R = tac_mulmm3(c.pose[0].R, draw_turn(&d));
    double x = draw_offset(&d, both), y = draw_offset(&d, both), z = draw_offset(&d, both);
    c.pose[1].p = tac_pose_point(&c.pose[0], tac_vec3(x, y, z));
    return c;
}

double case_reference(const PairCase *c, double eps) {
    Polyhedron core[2];
    const Polyhedron *p[2];
    for (int i = 0; i < 2; i++)
        p[i] = c->hull[i] ? c->hull[i] : slow_core(&c->shape[i], &core[i]) ? &core[i] : NULL;
    Solid a = case_solid(c, 0), b = case_solid(c, 1);
    SlowDistance s = slow_distance(&a, &b, eps);
    if (s.exhausted) eps = fmax(eps, COARSE * c->size), s = slow_search(&a, &b, eps, COARSE_BUDGET);
    if (s.exhausted) eps = AS_FAR_AS_IT_GOT * c->size;
    if (!p[0] || !p[1]) return s.exhausted ? nan("") : s.dist;
    double enumerated = slow_polyhedra(p[0], &c->pose[0], p[1], &c->pose[1]);
    return fabs(enumerated - s.dist) <= 2 * eps + ROUNDING * c->size ? enumerated : nan("");
}

void case_print(const PairCase *c) {
    printf("{\"seed\":%llu,\"kind\":\"%s\",\"place\":%d,\"shapes\":[", (unsigned long long)c->seed, kind_name(c->kind),
           (int)c->place);
    for (int i = 0; i < 2; i++) {
        const tacShape *s = &c->shape[i];
        const tacPose *at = &c->pose[i];
        printf("%s{\"type\":%d,\"size\":[%.17g,%.17g,%.17g],\"corners\":%d,\"p\":[%.17g,%.17g,%.17g],\"R\":[",
               i ? "," : "", (int)s->type, s->size.x, s->size.y, s->size.z, s->hull.nvert, at->p.x, at->p.y, at->p.z);
        for (int k = 0; k < 9; k++)
            printf("%s%.17g", k ? "," : "", at->R.m[k]);
        printf("]}");
    }
    printf("]}");
}
