#include "collide/scene.h"

#include "base/error.h"
#include "collide/growth_faces.h"
#include "collide/tolerance.h"

#include <float.h>
#include <string.h>

/* --- Arrays ------------------------------------------------------------------------------------------------------- */

/* Size of the cache, per geom; rounded up to a power of two. */
enum { SLOTS_PER_GEOM = 4, SLOTS_AT_LEAST = 16 };

static int slot_count(const tacModel *m) {
    int n = SLOTS_AT_LEAST;
    while (n < SLOTS_PER_GEOM * m->ngeom)
        n *= 2;
    return n;
}

static int most_corners(const tacModel *m) {
    int most = 0;
    for (int i = 0; i < m->nmesh; i++)
        most = m->mesh_corner_num[i] > most ? m->mesh_corner_num[i] : most;
    return most;
}

static int most_faces(const tacModel *m) {
    int most = 0;
    for (int i = 0; i < m->nmesh; i++)
        most = m->mesh_polygon_num[i] > most ? m->mesh_polygon_num[i] : most;
    return most;
}

/* One row per array of the lasting part: name, number of elements. */
#define LASTING(X)                                                                                                     \
    X(shape, m->ngeom)                                                                                                 \
    X(radius, m->ngeom)                                                                                                \
    X(hull_bounds, m->ngeom)                                                                                           \
    X(face_normal, m->nhullpolygon)                                                                                    \
    X(face_offset, m->nhullpolygon) X(hull_centre, m->nmesh) X(slot, slot_count(m))
/* The same for the scratch. */
#define SCRATCH(X)                                                                                                     \
    X(pose, m->ngeom)                                                                                                  \
    X(box, m->ngeom)                                                                                                   \
    X(corner_change, most_corners(m))                                                                                  \
    X(face_normal_change, most_faces(m))                                                                               \
    X(face_offset_change, most_faces(m)) X(found, max_contacts) X(touching, max_contacts) X(rows, max_contacts)
#define TAKE(name, count)                                                                                              \
    if ((s->name = tac_arena_take(arena, (size_t)(count) * sizeof *s->name)) == NULL) return 0;

int tac_scene_layout(tacScene *s, const tacModel *m, tacArena *arena) {
    if (!tac_filter_layout(&s->filter, m, arena)) return 0;
    LASTING(TAKE)
    s->nslot = slot_count(m);
    return 1;
}

int tac_scene_layout_scratch(tacScene *s, const tacModel *m, int max_contacts, tacArena *arena) {
    SCRATCH(TAKE)
    s->max_contacts = max_contacts;
    s->extra = NULL;
    return tac_broad_layout(&s->broad, m->ngeom, arena);
}

void tac_scene_init(tacScene *s, const tacModel *m) {
    tac_filter_init(&s->filter, m);
    memset(s->slot, 0, (size_t)s->nslot * sizeof *s->slot);
    tac_scene_update(s, m);
}

int tac_max_contacts(const tacModel *m) {
    int64_t n = 0;
    if (m == NULL) return 0;
    for (int g = 0; g < m->ngeom; g++)
        n += tac_geom_has_shape(m, g) && (m->geom_contype[g] | m->geom_conaffinity[g]);
    int64_t pairs = TAC_MAX_TOUCH * n * (n - 1) / 2, geoms = TAC_CONTACTS_AT_LEAST + TAC_CONTACTS_PER_GEOM * n;
    int64_t most = (pairs < geoms ? pairs : geoms) + (int64_t)TAC_MAX_TOUCH * m->npair;
    return most < INT32_MAX ? (int)most : INT32_MAX;
}

/* --- Shapes and bounds -------------------------------------------------------------------------------------------- */

static tacBox bounds_of_hull(const tacShape *s) {
    tacBox b = {tac_vec3(TAC_INFINITY, TAC_INFINITY, TAC_INFINITY),
                tac_vec3(-TAC_INFINITY, -TAC_INFINITY, -TAC_INFINITY)};
    for (int i = 0; i < s->hull.nvert; i++) {
        tacVec3 x = s->hull.vert[i];
        b.low = tac_vec3(tac_min(b.low.x, x.x), tac_min(b.low.y, x.y), tac_min(b.low.z, x.z));
        b.high = tac_vec3(tac_max(b.high.x, x.x), tac_max(b.high.y, x.y), tac_max(b.high.z, x.z));
    }
    return b;
}

/* Faces of all hulls, for growth distances. */
static void update_faces(tacScene *s, const tacModel *m) {
    for (int i = 0; i < m->nmesh; i++) {
        int polygon = m->mesh_polygon_adr[i];
        if (m->mesh_corner_num[i] == 0) continue;
        tacHull hull = tac_hull_of_mesh(m, i);
        tac_growth_faces(&hull, s->face_normal + polygon, s->face_offset + polygon, &s->hull_centre[i]);
    }
}

void tac_scene_update(tacScene *s, const tacModel *m) {
    update_faces(s, m);
    for (int g = 0; g < m->ngeom; g++) {
        memset(&s->shape[g], 0, sizeof s->shape[g]);
        memset(&s->hull_bounds[g], 0, sizeof s->hull_bounds[g]);
        s->radius[g] = 0;
        if (!tac_geom_has_shape(m, g)) continue;
        s->shape[g] = tac_shape_of_geom(m, g);
        if (m->geom_type[g] != TAC_GEOM_PLANE) s->radius[g] = tac_shape_radius(&s->shape[g]);
        if (m->geom_type[g] == TAC_GEOM_MESH) s->hull_bounds[g] = bounds_of_hull(&s->shape[g]);
    }
}

/* World bounds of a box that rotates with a shape: half-sizes |R| h about the rotated centre. */
static tacBox rotate_bounds(const tacBox *b, const tacPose *pose) {
    const double *R = pose->R.m;
    tacVec3 h = tac_scale3(0.5, tac_sub3(b->high, b->low)), c = tac_scale3(0.5, tac_add3(b->low, b->high));
    tacVec3 x = tac_pose_point(pose, c);
    tacVec3 H = {tac_abs(R[0]) * h.x + tac_abs(R[1]) * h.y + tac_abs(R[2]) * h.z,
                 tac_abs(R[3]) * h.x + tac_abs(R[4]) * h.y + tac_abs(R[5]) * h.z,
                 tac_abs(R[6]) * h.x + tac_abs(R[7]) * h.y + tac_abs(R[8]) * h.z};
    return (tacBox){tac_sub3(x, H), tac_add3(x, H)};
}

static tacBox inflate(tacBox b, double by) {
    tacVec3 d = {by, by, by};
    return (tacBox){tac_sub3(b.low, d), tac_add3(b.high, d)};
}

/* Reach of a geom beyond that of its pairs. */
static double extra_reach(const tacScene *s, int g) { return s->extra == NULL ? 0 : s->extra[g]; }

static void set_box(tacScene *s, const tacModel *m, int g) {
    tacBox b;
    if (m->geom_type[g] == TAC_GEOM_MESH)
        b = rotate_bounds(&s->hull_bounds[g], &s->pose[g]);
    else
        tac_shape_bounds(&s->shape[g], &s->pose[g], &b.low, &b.high);
    double size = tac_max(tac_norm3(b.low), tac_norm3(b.high));
    s->box[g] = inflate(b, tac_geom_reach(m, g) + extra_reach(s, g) + TAC_DISTANCE_ROUNDING * size);
}

/* --- Candidates --------------------------------------------------------------------------------------------------- */

typedef struct Candidates {
    const tacScene *scene;
    const tacModel *model;
    tacCandidateVisit visit;
    void *user;
} Candidates;

static void visit_in_order(const Candidates *c, int a, int b, int pair) {
    int swap = tac_contact_swaps(c->model, a, b);
    c->visit(c->user, swap ? b : a, swap ? a : b, pair);
}

/* 1: the bounding balls of two geoms are further apart than the pair's reach. Balls are tighter than boxes at the
 * corners. */
static int spheres_are_apart(const Candidates *c, int i, int j) {
    const tacScene *s = c->scene;
    tacVec3 p = s->pose[i].p, q = s->pose[j].p, d = tac_sub3(q, p);
    double reach = tac_geom_reach(c->model, i) + tac_geom_reach(c->model, j) + extra_reach(s, i) + extra_reach(s, j);
    double size = tac_abs(p.x) + tac_abs(p.y) + tac_abs(p.z) + tac_abs(q.x) + tac_abs(q.y) + tac_abs(q.z);
    double sum = s->radius[i] + s->radius[j] + reach + TAC_DISTANCE_ROUNDING * (size + s->radius[i] + s->radius[j]);
    return sum < 0 || tac_dot3(d, d) > sum * sum * (1 + TAC_DISTANCE_ROUNDING);
}

static void visit_overlap(void *user, int i, int j) {
    const Candidates *c = user;
    if (tac_filter_allows(&c->scene->filter, i, j) && !spheres_are_apart(c, i, j)) visit_in_order(c, i, j, -1);
}

/* Signed distance of the box's nearest point from a plane: n . (c - p) - |n| . h. */
static double height_above(const tacPose *plane, const tacBox *b) {
    const double *R = plane->R.m;
    tacVec3 h = tac_scale3(0.5, tac_sub3(b->high, b->low)), c = tac_scale3(0.5, tac_add3(b->low, b->high));
    tacVec3 x = tac_sub3(c, plane->p);
    return R[2] * x.x + R[5] * x.y + R[8] * x.z - tac_abs(R[2]) * h.x - tac_abs(R[5]) * h.y - tac_abs(R[8]) * h.z;
}

static void visit_planes(const Candidates *c) {
    const tacScene *s = c->scene;
    const tacFilter *f = &s->filter;
    for (int i = 0; i < f->nplane; i++) {
        double reach = tac_geom_reach(c->model, f->plane[i]) + extra_reach(s, f->plane[i]);
        for (int k = 0; k < f->nbounded; k++) {
            int g = f->bounded[k];
            if (height_above(&s->pose[f->plane[i]], &s->box[g]) > reach) continue;
            if (tac_filter_allows(f, f->plane[i], g)) visit_in_order(c, f->plane[i], g, -1);
        }
    }
}

void tac_scene_candidates(tacScene *s, const tacModel *m, tacCandidateVisit visit, void *user) {
    const tacFilter *f = &s->filter;
    Candidates c = {s, m, visit, user};
    for (int k = 0; k < f->nbounded; k++)
        set_box(s, m, f->bounded[k]);
    visit_planes(&c);
    tac_broad_pairs(&s->broad, f->nbounded, f->bounded, s->box, visit_overlap, &c);
    /* explicit pairs have margins of their own: the narrow phase tests them all */
    for (int i = 0; i < f->nexplicit; i++)
        visit(user, f->explicit_pair[i].geom[0], f->explicit_pair[i].geom[1], f->explicit_pair[i].pair);
}

/* --- Contacts ----------------------------------------------------------------------------------------------------- */

/* The cache of a pair: empty, or as the last query of the same pair left it. */
static tacPairCache *find_cache(tacScene *s, int a, int b) {
    const uint64_t golden = 0x9E3779B97F4A7C15u; /* 2^64 over the golden ratio: spreads neighbouring keys */
    uint64_t key = ((uint64_t)a << 32 | (uint64_t)b) + 1;
    tacPairSlot *slot = &s->slot[((key * golden) >> 32) & (uint64_t)(s->nslot - 1)];
    if (slot->key != key) *slot = (tacPairSlot){.key = key};
    return &slot->cache;
}

/* Written in place: contacts are large. */
static void write_contact(const tacTouch *t, int a, int b, int pair, double include, tacContact *c) {
    c->geom[0] = a;
    c->geom[1] = b;
    c->pair = pair;
    c->dist = t->dist;
    c->include = include;
    c->pos = tac_scale3(0.5, tac_add3(t->point[0], t->point[1]));
    c->normal = t->normal;
    tac_contact_frame(c->normal, &c->tangent[0], &c->tangent[1]);
    c->along = tac_zero3();
    c->along_side = -1;
    c->point[0] = t->point[0];
    c->point[1] = t->point[1];
    c->feature[0] = t->feature[0];
    c->feature[1] = t->feature[1];
    c->clip = t->clip;
    c->rule = t->rule;
    c->angle = t->angle;
    c->switch_margin =
        tac_max(0, t->margin); /* negative by rounding or by a tie: the touch is at the border of its features */
}

tacStatus tac_scene_rebuild(const tacScene *s, tacContact *c) {
    int a = c->geom[0], b = c->geom[1];
    tacTouch touch = tac_contact_touch(c);
    TAC_TRY(tac_touch_rebuild(&s->shape[a], &s->pose[a], &s->shape[b], &s->pose[b], &touch));
    write_contact(&touch, a, b, c->pair, c->include, c);
    return TAC_OK;
}

tacTouch tac_contact_touch(const tacContact *c) {
    return (tacTouch){.dist = c->dist,
                      .point = {c->point[0], c->point[1]},
                      .normal = c->normal,
                      .feature = {c->feature[0], c->feature[1]},
                      .rule = c->rule,
                      .clip = c->clip,
                      .angle = c->angle,
                      .margin = c->switch_margin};
}

static int is_finite(const tacTouch *t) {
    return tac_finite(t->dist) && tac_finite(tac_dot3(t->point[0], t->point[1])) && tac_finite(tac_norm3(t->normal));
}

typedef struct Search {
    tacScene *scene;
    const tacModel *model;
} Search;

/* A touch at exactly `reach` is a contact, as in MuJoCo. The narrow phase returns touches nearer than its reach. So it
 * is asked for a little more, by rounding alone, and touches beyond `reach` are removed. */
static int touch_within(tacScene *s, int a, int b, double reach, tacTouch *touch) {
    double slack = DBL_MIN + TAC_DISTANCE_ROUNDING * (tac_abs(reach) + s->radius[a] + s->radius[b]);
    const tacShape *shape[2] = {&s->shape[a], &s->shape[b]};
    const tacPose *pose[2] = {&s->pose[a], &s->pose[b]};
    int kept = 0, n = tac_touches(shape[0], pose[0], shape[1], pose[1], reach + slack, find_cache(s, a, b), touch);
    if (s->fixed_rims) n = tac_fix_rims(shape[0], pose[0], shape[1], pose[1], n, touch);
    for (int i = 0; i < n; i++) {
        if (touch[i].dist > reach) continue; /* NaN stays: the caller reports it */
        if (kept < i) touch[kept] = touch[i];
        kept++;
    }
    return kept;
}

static void collide_pair(void *user, int a, int b, int pair) {
    const Search *search = user;
    tacScene *s = search->scene;
    tacTouch touch[TAC_MAX_TOUCH];
    tacReach r = tac_pair_reach(search->model, a, b, pair);
    int n = touch_within(s, a, b, r.reach + extra_reach(s, a) + extra_reach(s, b), touch);
    if (n == 0) return;
    if (s->nfound + n <= s->max_contacts) {
        s->touching[s->ntouching++] = (tacKeyed){(uint64_t)a << 32 | (uint64_t)b, s->nfound, n};
        for (int i = 0; i < n; i++)
            write_contact(&touch[i], a, b, pair, r.include, &s->found[s->nfound + i]);
    }
    for (int i = 0; i < n; i++)
        s->nonfinite |= !is_finite(&touch[i]);
    s->nfound += n;
}

tacStatus tac_scene_contacts(tacScene *s, const tacModel *m, tacContact *out, int max, int *n) {
    Search search = {s, m};
    s->nfound = s->ntouching = s->nonfinite = 0;
    tac_scene_candidates(s, m, collide_pair, &search);
    if (s->nonfinite) return TAC_ERR_NONFINITE;
    *n = s->nfound;
    if (s->nfound > max || s->nfound > s->max_contacts) return TAC_ERR_CONTACTS;
    const tacKeyed *pair = tac_sort_keyed(s->ntouching, s->touching, s->rows);
    for (int i = 0; i < s->ntouching; i++) {
        memcpy(out, s->found + pair[i].value, (size_t)pair[i].count * sizeof *out);
        out += pair[i].count;
    }
    return TAC_OK;
}

/* Computed in the order of contacts, so that both orders of the geoms give the same bits. */
tacStatus tac_scene_distance(tacScene *s, const tacModel *m, int geom1, int geom2, tacContact *out) {
    tacTouch t;
    tacPairCache none = {0};
    if (!tac_geoms_have_distance(m, geom1, geom2)) return TAC_ERR_ARGUMENT;
    int swap = tac_contact_swaps(m, geom1, geom2), a = swap ? geom2 : geom1, b = swap ? geom1 : geom2;
    tacStatus status = tac_distance_pair(&s->shape[a], &s->pose[a], &s->shape[b], &s->pose[b], &none, &t);
    if (status != TAC_OK || !is_finite(&t)) return TAC_ERR_NONFINITE; /* the square of the distance overflows */
    if (swap) t = tac_touch_swapped(&t);
    write_contact(&t, geom1, geom2, -1, tac_pair_reach(m, geom1, geom2, -1).include, out);
    return TAC_OK;
}
