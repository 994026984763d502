/* Nanoseconds of one collision query, CSV:
 *   what,corners,touching,ns,p10,p90,ns_peer,ratio,error
 * Two hulls of so many corners on an ellipsoid, beside libccd (where it is installed) with the same support function on
 * the same pairs, interleaved. libccd 2.1 tells whether two shapes overlap and how deep, not how far they are apart.
 *   gjk-apart    do they overlap? They do not.      peer: ccdGJKIntersect
 *   gjk-overlap  do they overlap? They do.          peer: ccdGJKIntersect
 *   gjk-cold     how far are they apart?            peer: ccdGJKIntersect, which answers less
 *   gjk-warm     the same, one frame later          peer: ccdGJKIntersect, whose support starts from the last corner
 *   depth        least translation                  peer: ccdGJKPenetration
 * error: of the distance, between its proved bounds, relative to the larger radius; of the peer's depth from ours.
 *   TYPE-TYPE    all touches of the pair within 1 % of its size, at random poses of which `touching` per cent touch */
#include "measure/timing.h"

#include "collide/convex.h"
#include "collide/gjk.h"
#include "collide/touch.h"
#include "io/mesh.h"
#include "math/quat.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BENCH_LIBCCD
#include <ccd/ccd.h>
#endif

enum { PAIRS = 128, BATCHES = 31, SIZES = 3 };
static const double BATCH_SECONDS = 2e-3;
static const double GAP_STRAIGHT = 1e-14; /* what convex.c asks for */
static const int CORNERS[SIZES] = {20, 100, 1000};

/* --- Random shapes and poses -------------------------------------------------------------------------------------- */

static uint64_t drawn;
static double draw(double low, double high) { return low + (high - low) * tac_random_uniform(4, 0, drawn++); }
static tacVec3 draw_direction(void) {
    tacVec3 d = {tac_random_normal(4, 1, drawn), tac_random_normal(4, 2, drawn), tac_random_normal(4, 3, drawn)};
    drawn++;
    return tac_scale3(1 / tac_norm3(d), d);
}

static tacPose draw_pose(tacVec3 p) {
    tacVec3 axis = draw_direction();
    double angle = draw(0, 3), s = sin(0.5 * angle);
    tacQuat q = {cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
    return (tacPose){p, tac_quat_mat(q)};
}

/* A model of one geom each: hulls of 20, 100 and 1000 points on an ellipsoid. */
static int add_hull(tacBuilder *b, int corners) {
    tacVec3 *x = malloc((size_t)corners * sizeof *x);
    tacMeshData mesh;
    tacError err;
    tacMeshDef def = tac_default_mesh();
    tacGeomDef geom = tac_default_geom();
    for (int i = 0; i < corners; i++)
        x[i] = tac_mul3(tac_vec3(1, 0.8, 0.6), draw_direction());
    if (tac_mesh_from_arrays(corners, x, 0, NULL, &mesh, &err) != TAC_OK) return fprintf(stderr, "%s\n", err.text), 0;
    def.nvert = mesh.nvert, def.vert = mesh.vert, def.nface = mesh.nface, def.face = mesh.face;
    def.nhullvert = mesh.nhullvert, def.hullvert = mesh.hullvert;
    def.nhullface = mesh.nhullface, def.hullface = mesh.hullface;
    geom.type = TAC_GEOM_MESH, geom.mesh = tac_model_add_mesh(b, &def);
    tac_model_add_geom(b, 0, &geom);
    tac_mesh_free(&mesh);
    free(x);
    return 1;
}

static tacModel *make_hulls(void) {
    tacBuilder *b = tac_model_begin();
    tacModel *m = NULL;
    tacError err;
    for (int i = 0; i < SIZES; i++)
        if (!add_hull(b, CORNERS[i])) return NULL;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fprintf(stderr, "%s\n", err.text);
    tac_builder_free(b);
    return m;
}

/* --- Hulls apart: ours and libccd's ------------------------------------------------------------------------------- */

/* Two frames of each pair, a small motion apart, and what is left from one for the next. */
typedef struct Hulls {
    const tacShape *shape;
    tacPose pose[2][PAIRS][2];
    tacPairCache cache[PAIRS];
    int frame, hint[PAIRS][2];
    double dist[PAIRS], gap[PAIRS]; /* gap: between the proved bounds */
} Hulls;

/* Moves the second hull along the normal until the gap is the one given; below zero the normal may be another then. */
static void set_gap(const tacShape *shape, tacPose pose[2], double gap) {
    tacCores c = tac_cores(shape, &pose[0], shape, &pose[1]);
    tacGjk g;
    tac_gjk_start(&c, NULL, &g);
    tac_gjk(&c, GAP_STRAIGHT, HUGE_VAL, &g);
    pose[1].p = tac_madd3(pose[1].p, (gap - g.upper) / g.upper, tac_mulmv3(pose[0].R, g.v));
}

/* One frame of 2 ms at 5 rad/s and 2 m/s. */
static tacPose moved(const tacPose *p) {
    tacVec3 turn = tac_scale3(0.01, draw_direction());
    tacQuat q = {1, 0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z};
    return (tacPose){tac_madd3(p->p, 0.004, draw_direction()), tac_mulmm3(tac_quat_mat(tac_quat_normalize(q)), p->R)};
}

/* Gaps of so many radii: pairs that a broad phase passes on. */
static void draw_hulls(const tacShape *shape, double least, double most, Hulls *h) {
    drawn = 0;
    h->shape = shape, h->frame = 0;
    for (int i = 0; i < PAIRS; i++) {
        tacPose *pose = h->pose[0][i];
        pose[0] = draw_pose(tac_zero3());
        pose[1] = draw_pose(tac_scale3(3, draw_direction()));
        set_gap(shape, pose, draw(least, most));
        h->cache[i] = (tacPairCache){.used = 0};
        for (int k = 0; k < 2; k++)
            h->pose[1][i][k] = moved(&pose[k]);
    }
}

static void query(Hulls *h, int i, double reach, tacPairCache *cache) {
    tacCores c = tac_cores(h->shape, &h->pose[h->frame][i][0], h->shape, &h->pose[h->frame][i][1]);
    tacGjk g;
    tac_gjk_start(&c, cache, &g);
    tac_gjk(&c, GAP_STRAIGHT, reach, &g);
    if (cache) tac_gjk_store(&c, &g, cache);
    h->dist[i] = g.upper, h->gap[i] = g.upper - g.lower;
}
static void run_cold(void *context) {
    Hulls *h = context;
    h->frame ^= 1;
    for (int i = 0; i < PAIRS; i++)
        query(h, i, HUGE_VAL, NULL);
}
static void run_yes_no(void *context) {
    Hulls *h = context;
    h->frame ^= 1;
    for (int i = 0; i < PAIRS; i++)
        query(h, i, 0, NULL);
}
static void run_warm(void *context) {
    Hulls *h = context;
    h->frame ^= 1;
    for (int i = 0; i < PAIRS; i++)
        query(h, i, HUGE_VAL, &h->cache[i]);
}
static void run_depth(void *context) {
    Hulls *h = context;
    h->frame ^= 1;
    for (int i = 0; i < PAIRS; i++) {
        tacTouch t;
        tac_convex_nearest(h->shape, &h->pose[h->frame][i][0], h->shape, &h->pose[h->frame][i][1], HUGE_VAL, NULL, &t);
        h->dist[i] = t.dist;
    }
}

#ifdef BENCH_LIBCCD
typedef struct CcdShape {
    const tacShape *shape;
    const tacPose *pose;
    int *hint;
} CcdShape;

static void ccd_support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out) {
    const CcdShape *s = object;
    tacVec3 d = tac_mulmtv3(s->pose->R, tac_vec3(direction->v[0], direction->v[1], direction->v[2]));
    tacVec3 x = tac_pose_point(s->pose, tac_shape_support(s->shape, d, s->hint));
    ccdVec3Set(out, x.x, x.y, x.z);
}
static void ccd_first(const void *a, const void *b, ccd_vec3_t *out) {
    const CcdShape *s = a, *t = b;
    tacVec3 d = tac_sub3(t->pose->p, s->pose->p);
    ccdVec3Set(out, d.x, d.y, d.z);
}

static ccd_t ccd_options(void) {
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.first_dir = ccd_first, ccd.support1 = ccd.support2 = ccd_support, ccd.max_iterations = 1000;
    return ccd;
}
static CcdShape ccd_shape(Hulls *h, int i, int k) {
    return (CcdShape){h->shape, &h->pose[h->frame][i][k], &h->hint[i][k]};
}

static void run_ccd(Hulls *h, int warm) {
    ccd_t ccd = ccd_options();
    h->frame ^= 1;
    for (int i = 0; i < PAIRS; i++) {
        if (!warm) h->hint[i][0] = h->hint[i][1] = -1;
        CcdShape a = ccd_shape(h, i, 0), b = ccd_shape(h, i, 1);
        h->dist[i] = ccdGJKIntersect(&a, &b, &ccd);
    }
}
static void run_ccd_cold(void *context) { run_ccd(context, 0); }
static void run_ccd_warm(void *context) { run_ccd(context, 1); }
static void run_ccd_depth(void *context) {
    Hulls *h = context;
    ccd_t ccd = ccd_options();
    h->frame ^= 1;
    for (int i = 0; i < PAIRS; i++) {
        h->hint[i][0] = h->hint[i][1] = -1;
        CcdShape a = ccd_shape(h, i, 0), b = ccd_shape(h, i, 1);
        ccd_vec3_t direction, point;
        ccd_real_t depth = 0;
        ccdGJKPenetration(&a, &b, &ccd, &depth, &direction, &point);
        h->dist[i] = -depth;
    }
}
#else
static void run_nothing(void *context) { (void)context; }
#define run_ccd_cold  run_nothing
#define run_ccd_warm  run_nothing
#define run_ccd_depth run_nothing
#endif

static double worst_gap(const Hulls *h) {
    double worst = 0;
    for (int i = 0; i < PAIRS; i++)
        worst = fmax(worst, h->gap[i]);
    return worst;
}

/* With both on the same frame: the peer's depths beside ours. */
static double worst_difference(Hulls *a, Hulls *b) {
    a->frame = b->frame = 0;
    run_depth(a), run_ccd_depth(b);
    double worst = 0;
    for (int i = 0; i < PAIRS; i++)
        worst = fmax(worst, fabs(a->dist[i] - b->dist[i]));
    return worst;
}

static void print_row(const char *what, int corners, int touching, const benchTime *t, const benchTime *peer) {
    double ns = 1e9 / PAIRS;
    printf("%s,%d,%d,%.1f,%.1f,%.1f", what, corners, touching, ns * t->median, ns * t->p10, ns * t->p90);
#ifdef BENCH_LIBCCD
    if (peer) {
        printf(",%.1f,%.3f", ns * peer->median, t->median / peer->median);
        return;
    }
#endif
    (void)peer;
    printf(",,");
}

static void time_hulls(const tacShape *shape, int n) {
    enum { APART, COLD, WARM, PEER_COLD, PEER_WARM, OVERLAP, PEER_OVERLAP, DEPTH, PEER_DEPTH, WORKS };
    static const benchWork WORK[WORKS] = {run_yes_no, run_cold,     run_warm,  run_ccd_cold, run_ccd_warm,
                                          run_yes_no, run_ccd_cold, run_depth, run_ccd_depth};
    static Hulls h[WORKS];
    void *context[WORKS];
    benchTime t[WORKS];
    for (int i = 0; i < WORKS; i++) {
        int overlap = i >= OVERLAP;
        draw_hulls(shape, overlap ? -0.3 : 0.01, overlap ? -0.05 : 0.3, &h[i]);
        context[i] = &h[i];
    }
    bench_interleaved(WORKS, WORK, context, BATCHES, BATCH_SECONDS, t);
    print_row("gjk-apart", n, 0, &t[APART], &t[PEER_COLD]), printf(",\n");
    print_row("gjk-overlap", n, 100, &t[OVERLAP], &t[PEER_OVERLAP]), printf(",\n");
    print_row("gjk-cold", n, 0, &t[COLD], &t[PEER_COLD]), printf(",%.2e\n", worst_gap(&h[COLD]));
    print_row("gjk-warm", n, 0, &t[WARM], &t[PEER_WARM]), printf(",%.2e\n", worst_gap(&h[WARM]));
    print_row("depth", n, 100, &t[DEPTH], &t[PEER_DEPTH]);
    printf(",%.2e\n", worst_difference(&h[DEPTH], &h[PEER_DEPTH]));
}

/* --- The table of pairs ------------------------------------------------------------------------------------------- */

typedef struct Pairs {
    tacShape shape[2];
    tacPose pose[PAIRS][2];
    int touching;
} Pairs;

static void run_pairs(void *context) {
    Pairs *p = context;
    p->touching = 0;
    for (int i = 0; i < PAIRS; i++) {
        tacTouch t[TAC_MAX_TOUCH];
        p->touching += tac_touches(&p->shape[0], &p->pose[i][0], &p->shape[1], &p->pose[i][1], 0.01, NULL, t) > 0;
    }
}

static void time_pairs(const tacShape *a, const tacShape *b, const char *name) {
    static Pairs p;
    benchTime t;
    p.shape[0] = *a, p.shape[1] = *b;
    for (int i = 0; i < PAIRS; i++) {
        p.pose[i][0] = draw_pose(tac_zero3());
        p.pose[i][1] = draw_pose(tac_scale3(draw(0.2, 1.1), draw_direction()));
    }
    bench_interleaved(1, (benchWork[]){run_pairs}, (void *[]){&p}, BATCHES, BATCH_SECONDS, &t);
    print_row(name, 0, p.touching * 100 / PAIRS, &t, NULL), printf(",\n");
}

static void time_table(const tacShape *hull) {
    static const char *NAME[TAC_GEOM_TYPES] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                               "cylinder", "box",    "mesh",   "cone"};
    char name[32];
    tacShape shape[TAC_GEOM_TYPES];
    for (int i = 0; i < TAC_GEOM_TYPES; i++)
        shape[i] = (tacShape){.type = (tacGeomType)i, .size = {0.3, 0.4, 0.35}};
    shape[TAC_GEOM_MESH] = *hull;
    for (int i = 0; i < TAC_GEOM_TYPES; i++)
        for (int j = i; j < TAC_GEOM_TYPES; j++) {
            if (i == TAC_GEOM_HFIELD || j == TAC_GEOM_HFIELD || j == TAC_GEOM_PLANE) continue;
            snprintf(name, sizeof name, "%s-%s", NAME[i], NAME[j]);
            time_pairs(&shape[i], &shape[j], name);
        }
}

/* usage: bench_collide [gjk]: the hulls alone */
int main(int argc, char **argv) {
    int hulls_alone = argc > 1 && strcmp(argv[1], "gjk") == 0;
    tacModel *m = make_hulls();
    if (m == NULL) return 2;
    printf("what,corners,touching,ns,p10,p90,ns_peer,ratio,error\n");
    for (int i = 0; i < SIZES; i++) {
        tacShape s = tac_shape_of_geom(m, i);
        time_hulls(&s, CORNERS[i]);
    }
    tacShape small = tac_shape_of_geom(m, 0);
    if (!hulls_alone) time_table(&small);
    tac_model_free(m);
    return 0;
}
