/* Selects the features that touch. Candidate pairs come from a guess. Each pair is solved by itself, and its solution
 * is checked against the ranges of the features. */
#include "collide/nearest.h"

#include "collide/closed_form.h"
#include "collide/corners.h"

/* A touch that lies outside its feature by at most this (relative to scale; rad) is accepted at once: it is
 * rounding. */
#define FEATURE_ROUNDING 1e-13
/* The best touch of all is accepted with this error when no pair fits. It is still better than the guess. */
#define BEST_EFFORT 1e-6
/* Corners at most this far (relative to scale) below the supporting plane lie on it. */
#define ON_SUPPORT_PLANE 1e-11
/* Slack of the bounds, relative to scale. Merged faces of a mesh bulge by 1e-9. */
#define BOUND_SLACK 4e-9

/* The search continues from touches up to this many times (upper - lower) below the lower bound. */
#define BELOW_LOWER_BOUND 4

enum { MOST_FACES = 4, MOST_FEATURES = 40 };
/* Maximum rounds of rotating the best touch about the axes. After two or three rounds nothing better is found. */
enum { MOST_ROUNDS = 4 };

/* Two shapes, the guess, and the best touch so far. */
typedef struct Search {
    const tacCores *c;
    const tacGuess *g;
    int degenerate; /* 1: features may touch in more than one point */
    int all;        /* 1: compares all pairs that fit and keeps the greatest distance, instead of the first that fits */
    tacTouch best;
    double score;
} Search;

static const tacPose *pose_of(const tacCores *c, int side) { return side == 0 ? &TAC_IDENTITY_POSE : &c->pose; }

/* --- One pair of features ----------------------------------------------------------------------------------------- */

/* Room of the touch in feature `side`: lengths relative to scale, angles in rad. */
static double room_of(const tacCores *c, const tacTouch *t, int side) {
    double angle;
    tacVec3 n = side == 0 ? t->normal : tac_neg3(t->normal);
    double length = tac_feature_room(c->shape[side], pose_of(c, side), t->feature[side], t->point[side], n, &angle);
    return tac_min(length / c->scale, angle);
}

static tacTouch touch_of_guess(const Search *k, tacFeature f0, tacFeature f1) {
    const tacGuess *g = k->g;
    double pad0 = tac_shape_pad(k->c->shape[0]), pad1 = tac_shape_pad(k->c->shape[1]);
    tacTouch t = {.rule = TAC_RULE_NEAREST, .normal = g->n, .feature = {f0, f1}};
    tacVec3 middle = tac_scale3(0.5, tac_add3(g->x[0], g->x[1]));
    t.dist = g->lower - pad0 - pad1;
    t.point[0] = tac_madd3(middle, pad0 - 0.5 * g->lower, g->n);
    t.point[1] = tac_madd3(middle, 0.5 * g->lower - pad1, g->n);
    return t;
}

/* Distance of the cores of a touch. */
static double core_distance(const Search *k, const tacTouch *t) {
    return t->dist + tac_shape_pad(k->c->shape[0]) + tac_shape_pad(k->c->shape[1]);
}

/* Whether the touch is at most `below` under the lower bound. */
static int exceeds_lower_bound(const Search *k, const tacTouch *t, double below) {
    return core_distance(k, t) >= k->g->lower - below - BOUND_SLACK * k->c->scale;
}

/* Whether the touch lies within the bounds of the search, and no point of the cores is nearer along its normal. Where
 * the cores are apart the second condition alone is a proof (G14). With k->all a touch a little below the lower bound
 * is kept, because better ones are found from it. */
static int meets_bounds(const Search *k, const tacTouch *t) {
    double d = core_distance(k, t), slack = BOUND_SLACK * k->c->scale,
           below = k->all ? BELOW_LOWER_BOUND * (k->g->upper - k->g->lower) : 0;
    if (!(d <= k->g->upper + slack) || !exceeds_lower_bound(k, t, below)) return 0;
    tacCores c = *k->c;
    return d - tac_dot3(t->normal, tac_cores_support(&c, t->normal, (int[2]){k->g->id[0][0], k->g->id[1][0]}).w) <=
           slack;
}

/* Whether a touch with this score replaces the best one. Of several that fit, the greatest distance is the least
 * translation (G2). The others are stationary too, such as one on the far side of an axis. */
static int is_better(const Search *k, const tacTouch *t, double score) {
    if (k->all && score >= -TAC_FEATURE_TIE && k->score >= -TAC_FEATURE_TIE) return t->dist > k->best.dist;
    return score > k->score;
}

/* Solves the pair of features from t. Keeps the solution when it fits better than the best. Returns 1 when it fits. */
static int try_from(Search *k, tacTouch t) {
    tacTouch degenerate = t;
    int solved = tac_touch_rebuild(k->c->shape[0], &TAC_IDENTITY_POSE, k->c->shape[1], &k->c->pose, &t) == TAC_OK;
    if (!solved || !meets_bounds(k, &t)) {
        if (k->all && solved) return 0; /* other starts are nearer to a touch of this pair */
        if (!k->degenerate || !tac_nearest_degenerate(k->c, &degenerate) || !meets_bounds(k, &degenerate)) return 0;
        t = degenerate;
    }
    double score = tac_min(room_of(k->c, &t, 0), room_of(k->c, &t, 1));
    if (is_better(k, &t, score)) {
        k->score = score;
        k->best = t;
    }
    return !k->all && score >= -FEATURE_ROUNDING;
}

static int try_pair(Search *k, tacFeature f0, tacFeature f1) { return try_from(k, touch_of_guess(k, f0, f1)); }

/* Starts at a point of the rim, or at the middle of a cone's side with its normal. e: unit vector across the axis. */
static void start_at(const Search *k, int side, tacVec3 e, tacTouch *t) {
    const tacPose *pose = pose_of(k->c, side);
    double r = k->c->shape[side]->size.x, h = k->c->shape[side]->size.y;
    int rim = t->feature[side].kind == TAC_FEATURE_CIRCLE;
    tacVec3 x = tac_scale3(rim ? r : 0.5 * r, e);
    if (rim) x.z = t->feature[side].id[0] == 1 ? h : -h;
    t->point[0] = t->point[1] = tac_pose_point(pose, x);
    if (rim) return;
    tacVec3 outside = tac_mulmv3(pose->R, tac_vec3(2 * h * e.x, 2 * h * e.y, r));
    t->normal = tac_scale3((side == 0 ? 1 : -1) / tac_norm3(outside), outside);
}

/* Tries starts all around an axis. A rim nearly flat on another rim or on an edge crosses it in up to two points. A
 * corner near the axis of a cone is nearly as deep under every part of the side. */
static int try_around_axis(Search *k, tacFeature f0, tacFeature f1) {
    static const double COS[8] = {1, 0.7071, 0, -0.7071, -1, -0.7071, 0, 0.7071};
    tacTouch t = touch_of_guess(k, f0, f1);
    int side = tac_touch_side(&t, TAC_FEATURE_CIRCLE);
    if (side < 0) side = tac_touch_side(&t, TAC_FEATURE_SIDE);
    if (side < 0 || t.feature[1 - side].kind == TAC_FEATURE_PLANE) return 0;
    for (int i = 0; i < 8; i++) {
        start_at(k, side, tac_vec3(COS[i], COS[(i + 6) % 8], 0), &t);
        if (try_from(k, t)) return 1;
    }
    return 0;
}

/* --- Polyhedral cores: corners, edges, faces ---------------------------------------------------------------------- */

typedef struct SupportSet {
    tacCorners corners;
    int nface, face[MOST_FACES];
} SupportSet;

static int distinct_ids(const tacGuess *g, int side, int *id) {
    int n = 0;
    for (int i = 0; i < g->ncorner; i++) {
        int known = 0;
        for (int k = 0; k < n; k++)
            known |= id[k] == g->id[side][i];
        if (!known) id[n++] = g->id[side][i];
    }
    return n;
}

/* Outward normal of the guess on a side, in that shape's frame. */
static tacVec3 outward(const Search *k, int side) {
    return side == 0 ? k->g->n : tac_neg3(tac_mulmtv3(k->c->pose.R, k->g->n));
}

/* Corners and faces on the supporting plane, and those of the simplex. */
static void find_support_set(const Search *k, int side, double depth, SupportSet *l) {
    const tacShape *s = k->c->shape[side];
    int id[3], n = distinct_ids(k->g, side, id);
    l->corners.n = 0;
    for (int i = 0; i < n; i++)
        tac_corners_add(&l->corners, id[i]);
    tac_corners_near_support(s, outward(k, side), depth, &l->corners);
    l->nface = tac_corners_faces(s, &l->corners, MOST_FACES, l->face);
    int spanned = n > 1 && !(n == 2 && tac_corners_are_edge(s, id[0], id[1])) ? tac_corners_face(s, n, id) : -1;
    for (int i = 0; i < l->nface; i++)
        if (l->face[i] == spanned) spanned = -1;
    if (spanned >= 0 && l->nface < MOST_FACES) l->face[l->nface++] = spanned;
}

/* Edges between the corners, in order of their ends -> their number. */
static int edges_among(const tacShape *s, const tacCorners *c, int most, tacFeature *edge) {
    int n = 0;
    for (int i = 0; i < c->n; i++)
        for (int j = i + 1; j < c->n && n < most; j++)
            if (tac_corners_are_edge(s, c->id[i], c->id[j]))
                edge[n++] = tac_feature(TAC_FEATURE_LINE, c->id[i], c->id[j]);
    return n;
}

static tacFeature point_feature(int id) { return tac_feature(TAC_FEATURE_POINT, id, 0); }
static tacFeature face_feature(int id) { return tac_feature(TAC_FEATURE_PLANE, id, 0); }

/* Each face of one side with each corner of the other. */
static int try_faces(Search *k, const SupportSet l[2], int side) {
    for (int i = 0; i < l[side].nface; i++)
        for (int j = 0; j < l[1 - side].corners.n; j++) {
            tacFeature face = face_feature(l[side].face[i]), point = point_feature(l[1 - side].corners.id[j]);
            if (side == 0 ? try_pair(k, face, point) : try_pair(k, point, face)) return 1;
        }
    return 0;
}

static int try_edges(Search *k, const SupportSet l[2]) {
    tacFeature edge[2][MOST_FEATURES];
    int n[2];
    for (int side = 0; side < 2; side++)
        n[side] = edges_among(k->c->shape[side], &l[side].corners, MOST_FEATURES, edge[side]);
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++)
            if (try_pair(k, edge[0][i], edge[1][j])) return 1;
    if (k->g->lower <= 0) return 0; /* overlapping cores touch with faces and crossing edges only */
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < l[1].corners.n; j++)
            if (try_pair(k, edge[0][i], point_feature(l[1].corners.id[j]))) return 1;
    for (int i = 0; i < l[0].corners.n; i++)
        for (int j = 0; j < n[1]; j++)
            if (try_pair(k, point_feature(l[0].corners.id[i]), edge[1][j])) return 1;
    return 0;
}

static int try_corners(Search *k, const SupportSet l[2]) {
    for (int i = 0; i < l[0].corners.n; i++)
        for (int j = 0; j < l[1].corners.n; j++)
            if (try_pair(k, point_feature(l[0].corners.id[i]), point_feature(l[1].corners.id[j]))) return 1;
    return 0;
}

/* Tries the features on the supporting planes in a fixed order. So the choice among ties does not depend on the path of
 * the search. */
static int choose_polyhedral(Search *k) {
    SupportSet l[2];
    double depth = (ON_SUPPORT_PLANE + 4 * k->g->normal_error) * k->c->scale;
    for (int side = 0; side < 2; side++) {
        find_support_set(k, side, depth, &l[side]);
        k->best.feature[side] = point_feature(l[side].corners.id[0]);
    }
    if (try_faces(k, l, 0) || try_faces(k, l, 1) || try_edges(k, l)) return 1;
    return k->g->lower > 0 && try_corners(k, l);
}

/* --- Curved shapes ------------------------------------------------------------------------------------------------ */

/* Candidates of one side, the most likely first. */
typedef struct List {
    int n;
    tacFeature feature[MOST_FEATURES];
    double fit[MOST_FEATURES];
} List;

/* Room of the guess in a feature, minus the angle between its normal and the feature's own. */
static double fit_of(const Search *k, int side, tacFeature f) {
    tacTouch t = touch_of_guess(k, f, f);
    t.point[side] = k->g->x[side];
    tacPatch patch = tac_feature_patch(k->c->shape[side], pose_of(k->c, side), f, t.point[side]);
    double off = 0;
    for (int i = 0; i < patch.dim; i++) {
        double length = tac_norm3(patch.t[i]);
        if (length > 0) off = tac_max(off, tac_abs(tac_dot3(t.normal, patch.t[i])) / length);
    }
    return tac_min(room_of(k->c, &t, side), 1) - off;
}

static void add_candidate(const Search *k, int side, tacFeature f, List *list) {
    if (list->n == MOST_FEATURES) return;
    double fit = fit_of(k, side, f);
    int at = list->n++;
    for (; at > 0 && list->fit[at - 1] < fit; at--) {
        list->fit[at] = list->fit[at - 1];
        list->feature[at] = list->feature[at - 1];
    }
    list->fit[at] = fit;
    list->feature[at] = f;
}

static void list_curved(const Search *k, int side, List *list) {
    const tacShape *s = k->c->shape[side];
    tacFeature line = tac_feature(TAC_FEATURE_LINE, 0, 1);
    if (s->type == TAC_GEOM_ELLIPSOID) add_candidate(k, side, tac_feature(TAC_FEATURE_ELLIPSOID, 0, 0), list);
    if (s->type == TAC_GEOM_CYLINDER) add_candidate(k, side, line, list);
    if (s->type == TAC_GEOM_CONE) {
        add_candidate(k, side, tac_feature(TAC_FEATURE_SIDE, 0, 0), list);
        add_candidate(k, side, point_feature(0), list);
    }
    if (s->type == TAC_GEOM_CYLINDER || s->type == TAC_GEOM_CONE)
        for (int end = 0; end < (s->type == TAC_GEOM_CONE ? 1 : 2); end++) {
            double along = outward(k, side).z * (end ? 1 : -1);
            if (s->type == TAC_GEOM_CONE || along > -0.5 || k->g->rough)
                add_candidate(k, side, tac_feature(TAC_FEATURE_CIRCLE, end, 0), list);
            if (along > 0.5 || k->g->rough) add_candidate(k, side, face_feature(end), list);
        }
}

/* Adds a feature that is not on the list yet. */
static void add_once(const Search *k, int side, tacFeature f, List *list) {
    for (int i = 0; i < list->n; i++)
        if (tac_same_feature(list->feature[i], f)) return;
    add_candidate(k, side, f, list);
}

/* Adds all edges and faces at the given corners. */
static void list_adjacent(const Search *k, int side, const tacCorners *c, List *list) {
    const tacShape *s = k->c->shape[side];
    if (!tac_is_polyhedron(s)) return;
    for (int i = 0; i < c->n; i++) {
        const int *next, *face = tac_shape_faces(s, c->id[i]);
        int v = c->id[i], n = tac_shape_neighbours(s, v, &next);
        for (int e = 0; e < n; e++) {
            add_once(k, side, face_feature(face[e]), list);
            add_once(k, side, tac_feature(TAC_FEATURE_LINE, v < next[e] ? v : next[e], v < next[e] ? next[e] : v),
                     list);
        }
    }
}

/* Without `thorough`: the features of the simplex. With it: all features within the error of the guess, and all
 * adjacent ones where that error has no bound. */
static void list_polyhedral(const Search *k, int side, int thorough, List *list) {
    const tacShape *s = k->c->shape[side];
    SupportSet l;
    tacFeature edge[MOST_FEATURES];
    find_support_set(k, side, thorough ? (ON_SUPPORT_PLANE + k->g->normal_error) * k->c->scale : 0, &l);
    for (int i = 0; i < l.nface; i++)
        add_candidate(k, side, face_feature(l.face[i]), list);
    int n = edges_among(s, &l.corners, MOST_FEATURES, edge);
    for (int i = 0; i < n; i++)
        add_candidate(k, side, edge[i], list);
    for (int i = 0; i < l.corners.n; i++)
        add_candidate(k, side, point_feature(l.corners.id[i]), list);
    if (thorough && k->g->rough) list_adjacent(k, side, &l.corners, list);
}

/* Tries pairs in the order of their summed ranks in the two lists. */
static int try_lists(Search *k, const List list[2], int most, int (*try)(Search *, tacFeature, tacFeature)) {
    for (int sum = 0; sum <= most; sum++)
        for (int i = 0; i <= sum; i++)
            if (i < list[0].n && sum - i < list[1].n && try(k, list[0].feature[i], list[1].feature[sum - i])) return 1;
    return 0;
}

static int list_features(const Search *k, int thorough, List list[2]) {
    list[0].n = list[1].n = 0;
    for (int side = 0; side < 2; side++)
        if (tac_core_is_polyhedral(k->c->shape[side]))
            list_polyhedral(k, side, thorough, &list[side]);
        else
            list_curved(k, side, &list[side]);
    return list[0].n + list[1].n - 2;
}

/* The best touch so far as a guess; the search's own guess where there is none. */
static tacGuess best_guess(const Search *k) {
    tacGuess g = *k->g;
    if (k->score < -TAC_FEATURE_TIE) return g;
    g.n = k->best.normal;
    g.x[0] = tac_madd3(k->best.point[0], -tac_shape_pad(k->c->shape[0]), g.n);
    g.x[1] = tac_madd3(k->best.point[1], tac_shape_pad(k->c->shape[1]), g.n);
    return g;
}

/* Restarts from the best touch so far, rotated about the axes. Returns 1 when there is a better one. */
static int try_rotated(Search *k) {
    const tacGuess *searched = k->g;
    tacGuess from = best_guess(k), rotated;
    double score = k->score, dist = k->best.dist;
    List list[2];
    for (int i = 0, more = 0; more >= 0; i++) {
        more = tac_guess_rotated(k->c, &from, i, &rotated);
        if (more <= 0) continue;
        k->g = &rotated;
        try_lists(k, list, list_features(k, 1, list), try_pair);
    }
    k->g = searched;
    return k->score >= -TAC_FEATURE_TIE && (score < -TAC_FEATURE_TIE || k->best.dist > dist);
}

/* Finds the stationary touches around the axes and keeps the best. It is called when EPA ran out of capacity. */
static void choose_around_axes(Search *k) {
    tacTouch sides;
    List list[2];
    k->all = k->degenerate = 1;
    try_lists(k, list, list_features(k, 1, list), try_pair);
    for (int i = 0; i < 2; i++)
        if (tac_guess_cone_sides(k->c, i, &sides)) try_from(k, sides);
    for (int i = 0; i < MOST_ROUNDS && try_rotated(k); i++)
        continue;
    k->all = k->degenerate = 0;
    if (k->score >= -TAC_FEATURE_TIE && !exceeds_lower_bound(k, &k->best, 0)) k->score = -TAC_INFINITY;
}

static int choose_curved(Search *k, int thorough) {
    List list[2];
    if (thorough && k->g->rough) choose_around_axes(k);
    if (k->score >= -TAC_FEATURE_TIE) return 1;
    int all = list_features(k, thorough, list);
    if (try_lists(k, list, thorough ? all : 1, try_pair)) return 1;
    if (thorough && k->score < -TAC_FEATURE_TIE && try_lists(k, list, all, try_around_axis)) return 1;
    k->degenerate = thorough && k->score < -TAC_FEATURE_TIE;
    if (k->degenerate && try_lists(k, list, all, try_pair)) return 1;
    if (k->score < -BEST_EFFORT && list[0].n > 0 && list[1].n > 0) {
        k->best.feature[0] = list[0].feature[0];
        k->best.feature[1] = list[1].feature[0];
    }
    return 0;
}

/* The guess as a touch, where no pair fits. Its points are moved along the normal to the support of the shapes. */
static tacTouch touch_at_support(const Search *k) {
    tacTouch t = touch_of_guess(k, k->best.feature[0], k->best.feature[1]);
    tacCores c = *k->c;
    tacSupport w = tac_cores_support(&c, t.normal, (int[2]){k->g->id[0][0], k->g->id[1][0]});
    double high = tac_dot3(t.normal, w.x[0]) + tac_shape_pad(c.shape[0]) - tac_dot3(t.normal, t.point[0]);
    for (int i = 0; i < 2; i++)
        t.point[i] = tac_madd3(t.point[i], high, t.normal);
    return t;
}

int tac_nearest_features(const tacCores *c, const tacGuess *g, int thorough, tacTouch *out) {
    Search k = {.c = c, .g = g, .score = -TAC_INFINITY};
    int polyhedral = tac_core_is_polyhedral(c->shape[0]) && tac_core_is_polyhedral(c->shape[1]);
    int found = (polyhedral ? choose_polyhedral(&k) : choose_curved(&k, thorough)) || k.score >= -TAC_FEATURE_TIE;
    *out = k.score >= -BEST_EFFORT ? k.best : touch_at_support(&k);
    return found;
}
