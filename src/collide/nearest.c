/* Which features touch: candidates from a guess, each solved by itself and held against its own ranges. */
#include "collide/nearest.h"

#include "collide/closed_form.h"
#include "collide/corners.h"

/* How far (relative to scale, and rad) a touch may lie outside its feature and still be taken at once: rounding. */
#define FITS 1e-13
/* The same for the best of all candidates: two features tie then, and either gives the same touch to this times the
 * distance. */
#define TIE 1e-10
/* The same when nothing fits: still nearer to the truth than the guess. */
#define NEARLY 1e-6
/* Corners this far (relative to scale) below the supporting plane are on it. */
#define LEVEL 1e-11
/* Slack of the bounds, relative to scale: merged faces of a mesh bulge by 1e-9. */
#define SLACK 4e-9

/* Touches this many times the gap of the bounds below the lower one are worth starting from. */
#define BELOW 4

enum { MOST_FACES = 4, MOST_FEATURES = 40 };
/* How often the best touch is turned about the axes; two or three times find nothing better. */
enum { MOST_ROUNDS = 4 };

static const tacPose HERE = {{0, 0, 0}, {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};

/* A pair of shapes, the guess, and the best touch found so far. */
typedef struct Choice {
    const tacCores *c;
    const tacGuess *g;
    int families; /* whether features may touch in more than one point */
    int all;      /* no first fit: of all that fit the one furthest along its own normal */
    tacTouch best;
    double score;
} Choice;

static const tacPose *pose_of(const tacCores *c, int side) { return side == 0 ? &HERE : &c->pose; }

/* --- One pair of features ----------------------------------------------------------------------------------------- */

/* Room of the touch in feature `side`: lengths by scale, angles in rad. */
static double room_of(const tacCores *c, const tacTouch *t, int side) {
    double angle;
    tacVec3 n = side == 0 ? t->normal : tac_neg3(t->normal);
    double length = tac_feature_room(c->shape[side], pose_of(c, side), t->feature[side], t->point[side], n, &angle);
    return tac_min(length / c->scale, angle);
}

static tacTouch guessed(const Choice *k, tacFeature f0, tacFeature f1) {
    const tacGuess *g = k->g;
    double pad0 = tac_shape_pad(k->c->shape[0]), pad1 = tac_shape_pad(k->c->shape[1]);
    tacTouch t = {.rule = TAC_RULE_NEAREST, .normal = g->n, .feature = {f0, f1}};
    tacVec3 middle = tac_scale3(0.5, tac_add3(g->x[0], g->x[1]));
    t.dist = g->lower - pad0 - pad1;
    t.point[0] = tac_madd3(middle, pad0 - 0.5 * g->lower, g->n);
    t.point[1] = tac_madd3(middle, 0.5 * g->lower - pad1, g->n);
    return t;
}

/* Distance of the cores in a touch. */
static double core_distance(const Choice *k, const tacTouch *t) {
    return t->dist + tac_shape_pad(k->c->shape[0]) + tac_shape_pad(k->c->shape[1]);
}

/* Whether the touch is no more than `below` under the lower bound. */
static int is_above(const Choice *k, const tacTouch *t, double below) {
    return core_distance(k, t) >= k->g->lower - below - SLACK * k->c->scale;
}

/* Whether the touch is within the search's bounds, and no point of the cores lies nearer along its normal:
 * apart, that alone proves it (G14). One a little below the lower bound is kept where all are asked for: better ones
 * are found from it. */
static int is_within(const Choice *k, const tacTouch *t) {
    double d = core_distance(k, t), slack = SLACK * k->c->scale,
           below = k->all ? BELOW * (k->g->upper - k->g->lower) : 0;
    if (!(d <= k->g->upper + slack) || !is_above(k, t, below)) return 0;
    tacCores c = *k->c;
    return d - tac_dot3(t->normal, tac_cores_support(&c, t->normal, (int[2]){k->g->id[0][0], k->g->id[1][0]}).w) <=
           slack;
}

/* Whether a touch with this score comes before the best so far. Of several that fit the one with the greatest distance
 * is the least translation (G2): others are stationary too, as on the far side of an axis. */
static int is_better(const Choice *k, const tacTouch *t, double score) {
    if (k->all && score >= -TIE && k->score >= -TIE) return t->dist > k->best.dist;
    return score > k->score;
}

/* Solves the pair from where t is; keeps it when it fits better than what there is. 1: it fits. */
static int try_from(Choice *k, tacTouch t) {
    tacTouch family = t;
    int solved = tac_touch_rebuild(k->c->shape[0], &HERE, k->c->shape[1], &k->c->pose, &t) == TAC_OK;
    if (!solved || !is_within(k, &t)) {
        if (k->all && solved) return 0; /* others start nearer to it */
        if (!k->families || !tac_nearest_family(k->c, &family) || !is_within(k, &family)) return 0;
        t = family;
    }
    double score = tac_min(room_of(k->c, &t, 0), room_of(k->c, &t, 1));
    if (is_better(k, &t, score)) k->score = score, k->best = t;
    return !k->all && score >= -FITS;
}

static int try_pair(Choice *k, tacFeature f0, tacFeature f1) { return try_from(k, guessed(k, f0, f1)); }

/* Start at a point of the rim, or of the middle of a cone's side with its normal. e: unit, across the axis. */
static void start_at(const Choice *k, int side, tacVec3 e, tacTouch *t) {
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

/* A rim and a rim or edge that lie nearly flat on each other cross in up to two points; a corner near the axis of a
 * cone is nearly as deep under all of its side: start all around it. */
static int try_around(Choice *k, tacFeature f0, tacFeature f1) {
    static const double COS[8] = {1, 0.7071, 0, -0.7071, -1, -0.7071, 0, 0.7071};
    tacTouch t = guessed(k, f0, f1);
    int side = tac_touch_side(&t, TAC_FEATURE_CIRCLE);
    if (side < 0) side = tac_touch_side(&t, TAC_FEATURE_SIDE);
    if (side < 0 || t.feature[1 - side].kind == TAC_FEATURE_PLANE) return 0;
    for (int i = 0; i < 8; i++) {
        start_at(k, side, tac_vec3(COS[i], COS[(i + 6) % 8], 0), &t);
        if (try_from(k, t)) return 1;
    }
    return 0;
}

/* --- Straight cores: corners, edges, faces ------------------------------------------------------------------------ */

typedef struct Level {
    tacCorners corners;
    int nface, face[MOST_FACES];
} Level;

int tac_core_is_straight(const tacShape *s) {
    return s->type == TAC_BOX || s->type == TAC_MESH || s->type == TAC_SPHERE || s->type == TAC_CAPSULE;
}

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

/* Outward direction of the touch on a side, in that shape's frame. */
static tacVec3 outward(const Choice *k, int side) {
    return side == 0 ? k->g->n : tac_neg3(tac_mulmtv3(k->c->pose.R, k->g->n));
}

/* Everything on the supporting plane, and what the simplex stood on. */
static void find_level(const Choice *k, int side, double depth, Level *l) {
    const tacShape *s = k->c->shape[side];
    int id[3], n = distinct_ids(k->g, side, id);
    l->corners.n = 0;
    for (int i = 0; i < n; i++)
        tac_corners_add(&l->corners, id[i]);
    tac_corners_near_top(s, outward(k, side), depth, &l->corners);
    l->nface = tac_faces_among(s, &l->corners, MOST_FACES, l->face);
    int spanned = n > 1 && !(n == 2 && tac_corners_are_edge(s, id[0], id[1])) ? tac_face_of_corners(s, n, id) : -1;
    for (int i = 0; i < l->nface; i++)
        if (l->face[i] == spanned) spanned = -1;
    if (spanned >= 0 && l->nface < MOST_FACES) l->face[l->nface++] = spanned;
}

/* Edges among the corners, in order of their ends -> their number. */
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

/* A face of one side with a corner of the other. */
static int try_faces(Choice *k, const Level l[2], int side) {
    for (int i = 0; i < l[side].nface; i++)
        for (int j = 0; j < l[1 - side].corners.n; j++) {
            tacFeature face = face_feature(l[side].face[i]), point = point_feature(l[1 - side].corners.id[j]);
            if (side == 0 ? try_pair(k, face, point) : try_pair(k, point, face)) return 1;
        }
    return 0;
}

static int try_edges(Choice *k, const Level l[2]) {
    tacFeature edge[2][MOST_FEATURES];
    int n[2];
    for (int side = 0; side < 2; side++)
        n[side] = edges_among(k->c->shape[side], &l[side].corners, MOST_FEATURES, edge[side]);
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++)
            if (try_pair(k, edge[0][i], edge[1][j])) return 1;
    if (k->g->lower <= 0) return 0; /* overlapping cores touch in faces and crossing edges alone */
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < l[1].corners.n; j++)
            if (try_pair(k, edge[0][i], point_feature(l[1].corners.id[j]))) return 1;
    for (int i = 0; i < l[0].corners.n; i++)
        for (int j = 0; j < n[1]; j++)
            if (try_pair(k, point_feature(l[0].corners.id[i]), edge[1][j])) return 1;
    return 0;
}

static int try_corners(Choice *k, const Level l[2]) {
    for (int i = 0; i < l[0].corners.n; i++)
        for (int j = 0; j < l[1].corners.n; j++)
            if (try_pair(k, point_feature(l[0].corners.id[i]), point_feature(l[1].corners.id[j]))) return 1;
    return 0;
}

/* In a fixed order over what the supporting planes hold, so that the choice among ties does not depend on the way the
 * search came. */
static int choose_straight(Choice *k) {
    Level l[2];
    double depth = (LEVEL + 4 * k->g->turn) * k->c->scale;
    for (int side = 0; side < 2; side++) {
        find_level(k, side, depth, &l[side]);
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

/* Room of the guess in a feature less how far its normal is off the feature's own. */
static double fit_of(const Choice *k, int side, tacFeature f) {
    tacTouch t = guessed(k, f, f);
    t.point[side] = k->g->x[side];
    tacPatch patch = tac_feature_patch(k->c->shape[side], pose_of(k->c, side), f, t.point[side]);
    double off = 0;
    for (int i = 0; i < patch.dim; i++) {
        double length = tac_norm3(patch.t[i]);
        if (length > 0) off = tac_max(off, tac_abs(tac_dot3(t.normal, patch.t[i])) / length);
    }
    return tac_min(room_of(k->c, &t, side), 1) - off;
}

static void add_candidate(const Choice *k, int side, tacFeature f, List *list) {
    if (list->n == MOST_FEATURES) return;
    double fit = fit_of(k, side, f);
    int at = list->n++;
    for (; at > 0 && list->fit[at - 1] < fit; at--)
        list->fit[at] = list->fit[at - 1], list->feature[at] = list->feature[at - 1];
    list->fit[at] = fit, list->feature[at] = f;
}

static void list_round(const Choice *k, int side, List *list) {
    const tacShape *s = k->c->shape[side];
    tacFeature line = tac_feature(TAC_FEATURE_LINE, 0, 1);
    if (s->type == TAC_ELLIPSOID) add_candidate(k, side, tac_feature(TAC_FEATURE_ELLIPSOID, 0, 0), list);
    if (s->type == TAC_CYLINDER) add_candidate(k, side, line, list);
    if (s->type == TAC_CONE) {
        add_candidate(k, side, tac_feature(TAC_FEATURE_SIDE, 0, 0), list);
        add_candidate(k, side, point_feature(0), list);
    }
    if (s->type == TAC_CYLINDER || s->type == TAC_CONE)
        for (int end = 0; end < (s->type == TAC_CONE ? 1 : 2); end++) {
            double along = outward(k, side).z * (end ? 1 : -1);
            if (s->type == TAC_CONE || along > -0.5 || k->g->rough)
                add_candidate(k, side, tac_feature(TAC_FEATURE_CIRCLE, end, 0), list);
            if (along > 0.5 || k->g->rough) add_candidate(k, side, face_feature(end), list);
        }
}

/* A feature that is not on the list yet. */
static void add_once(const Choice *k, int side, tacFeature f, List *list) {
    for (int i = 0; i < list->n; i++)
        if (tac_same_feature(list->feature[i], f)) return;
    add_candidate(k, side, f, list);
}

/* All edges and faces of the corners there are. */
static void list_around(const Choice *k, int side, const tacCorners *c, List *list) {
    const tacShape *s = k->c->shape[side];
    if (s->type != TAC_BOX && s->type != TAC_MESH) return;
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

/* Without `thorough` only what the simplex stands on; with it all within the error of the guess, and all beside it
 * where that has no bound. */
static void list_straight(const Choice *k, int side, int thorough, List *list) {
    const tacShape *s = k->c->shape[side];
    Level l;
    tacFeature edge[MOST_FEATURES];
    find_level(k, side, thorough ? (LEVEL + k->g->turn) * k->c->scale : 0, &l);
    for (int i = 0; i < l.nface; i++)
        add_candidate(k, side, face_feature(l.face[i]), list);
    int n = edges_among(s, &l.corners, MOST_FEATURES, edge);
    for (int i = 0; i < n; i++)
        add_candidate(k, side, edge[i], list);
    for (int i = 0; i < l.corners.n; i++)
        add_candidate(k, side, point_feature(l.corners.id[i]), list);
    if (thorough && k->g->rough) list_around(k, side, &l.corners, list);
}

/* Pairs in order of their places in the two lists. */
static int try_lists(Choice *k, const List list[2], int most, int (*try)(Choice *, tacFeature, tacFeature)) {
    for (int sum = 0; sum <= most; sum++)
        for (int i = 0; i <= sum; i++)
            if (i < list[0].n && sum - i < list[1].n && try(k, list[0].feature[i], list[1].feature[sum - i])) return 1;
    return 0;
}

static int list_features(const Choice *k, int thorough, List list[2]) {
    list[0].n = list[1].n = 0;
    for (int side = 0; side < 2; side++)
        if (tac_core_is_straight(k->c->shape[side]))
            list_straight(k, side, thorough, &list[side]);
        else
            list_round(k, side, &list[side]);
    return list[0].n + list[1].n - 2;
}

/* The guess that the best touch so far is; the search's own where there is none. */
static tacGuess best_guess(const Choice *k) {
    tacGuess g = *k->g;
    if (k->score < -TIE) return g;
    g.n = k->best.normal;
    g.x[0] = tac_madd3(k->best.point[0], -tac_shape_pad(k->c->shape[0]), g.n);
    g.x[1] = tac_madd3(k->best.point[1], tac_shape_pad(k->c->shape[1]), g.n);
    return g;
}

/* From the best touch so far turned about the axes. 1: there is a better one now. */
static int try_turned(Choice *k) {
    const tacGuess *searched = k->g;
    tacGuess from = best_guess(k), turned;
    double score = k->score, dist = k->best.dist;
    List list[2];
    for (int i = 0, more = 0; more >= 0; i++) {
        more = tac_guess_turned(k->c, &from, i, &turned);
        if (more <= 0) continue;
        k->g = &turned;
        try_lists(k, list, list_features(k, 1, list), try_pair);
    }
    k->g = searched;
    return k->score >= -TIE && (score < -TIE || k->best.dist > dist);
}

/* Where EPA ran out of room: every stationary touch around the axes, and the best of them. */
static void choose_around_axes(Choice *k) {
    tacTouch sides;
    List list[2];
    k->all = k->families = 1;
    try_lists(k, list, list_features(k, 1, list), try_pair);
    for (int i = 0; i < 2; i++)
        if (tac_guess_sides(k->c, i, &sides)) try_from(k, sides);
    for (int i = 0; i < MOST_ROUNDS && try_turned(k); i++)
        continue;
    k->all = k->families = 0;
    if (k->score >= -TIE && !is_above(k, &k->best, 0)) k->score = -TAC_INFINITY;
}

static int choose_curved(Choice *k, int thorough) {
    List list[2];
    if (thorough && k->g->rough) choose_around_axes(k);
    if (k->score >= -TIE) return 1;
    int all = list_features(k, thorough, list);
    if (try_lists(k, list, thorough ? all : 1, try_pair)) return 1;
    if (thorough && k->score < -TIE && try_lists(k, list, all, try_around)) return 1;
    k->families = thorough && k->score < -TIE;
    if (k->families && try_lists(k, list, all, try_pair)) return 1;
    if (k->score < -NEARLY && list[0].n > 0 && list[1].n > 0)
        k->best.feature[0] = list[0].feature[0], k->best.feature[1] = list[1].feature[0];
    return 0;
}

/* What the search has, where nothing fits: its points moved along the normal to where the shapes reach. */
static tacTouch answer_guess(const Choice *k) {
    tacTouch t = guessed(k, k->best.feature[0], k->best.feature[1]);
    tacCores c = *k->c;
    tacSupport w = tac_cores_support(&c, t.normal, (int[2]){k->g->id[0][0], k->g->id[1][0]});
    double high = tac_dot3(t.normal, w.x[0]) + tac_shape_pad(c.shape[0]) - tac_dot3(t.normal, t.point[0]);
    for (int i = 0; i < 2; i++)
        t.point[i] = tac_madd3(t.point[i], high, t.normal);
    return t;
}

int tac_nearest_features(const tacCores *c, const tacGuess *g, int thorough, tacTouch *out) {
    Choice k = {.c = c, .g = g, .score = -TAC_INFINITY};
    int straight = tac_core_is_straight(c->shape[0]) && tac_core_is_straight(c->shape[1]);
    int found = (straight ? choose_straight(&k) : choose_curved(&k, thorough)) || k.score >= -TIE;
    *out = k.score >= -NEARLY ? k.best : answer_guess(&k);
    return found;
}
