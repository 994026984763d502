/* Manifolds: selects the facets of two shapes that face each other, clips them, and selects the points to keep. */
#include "collide/manifold.h"

#include "collide/clip.h"
#include "collide/closed_form.h"
#include "collide/flush.h"

/* Relative to lengths: bound of the error of a nearest touch. Every search that converges is more accurate. */
#define SEARCH_ERROR 1e-6

/* Two shapes and their poses; the reference; the nearest touch, or NULL. */
typedef struct Pair {
    const tacShape *shape[2];
    const tacPose *pose[2];
    tacFacet facet[2];
    int ref;
    tacVec3 N, N_local; /* outward normal of the reference, in the world and in its frame */
    const tacTouch *nearest;
    tacFlush flush;         /* flush faces at the edges of the nearest touch */
    int has_patch;          /* 1: touches along N belong to the manifold */
    double crossing_margin; /* m: margin of the crossing of the nearest touch's edges, where it is left out */
} Pair;

/* --- The reference facet ------------------------------------------------------------------------------------------ */

static int has_normal(tacFacet f) { return f.kind == TAC_FACET_POLYGON || f.kind == TAC_FACET_DISC; }

/* Selects the reference. Of flush faces it is the one that gives the normal. A polygon comes before a disc, because all
 * its points have rules. Of two alike it is the one that gives the nearest touch its normal, then the one that faces it
 * better, then the first. -1: neither has a normal. */
static int choose_reference(const Pair *p) {
    const tacFacet *f = p->facet;
    if (p->flush.side >= 0) return p->flush.side;
    if (!has_normal(f[0]) || !has_normal(f[1])) return has_normal(f[0]) ? 0 : has_normal(f[1]) ? 1 : -1;
    if (f[0].kind != f[1].kind) return f[0].kind == TAC_FACET_POLYGON ? 0 : 1;
    for (int k = 0; k < 2; k++)
        if (p->nearest->feature[k].kind == TAC_FEATURE_PLANE) return k;
    return f[1].align > f[0].align + TAC_FEATURE_TIE;
}

/* Makes shape `ref` the reference. */
static void set_reference(Pair *p, int ref) {
    p->ref = ref;
    p->N_local = p->facet[ref].kind == TAC_FACET_POLYGON ? tac_shape_face_normal(p->shape[ref], p->facet[ref].id)
                                                         : tac_vec3(0, 0, p->facet[ref].id == 1 ? 1 : -1);
    p->N = tac_mulmv3(p->pose[ref]->R, p->N_local);
}

/* The facet of shape `side` that faces the other shape: a flush face, or the best one along the nearest touch's
 * normal. */
static tacFacet facet_of(const Pair *p, int side) {
    tacVec3 along = side == 0 ? p->nearest->normal : tac_neg3(p->nearest->normal);
    if (p->flush.face[side] >= 0) return (tacFacet){TAC_FACET_POLYGON, p->flush.face[side], 1, -1};
    return tac_facet_facing(p->shape[side], tac_mulmtv3(p->pose[side]->R, along), p->nearest->feature[side]);
}

/* Whether two edges touch in a patch. Without flush faces they do only while the reference's normal is within the angle
 * of flush faces. Beyond it, points along that normal would seem deeper than the nearest touch. */
static int find_patch(Pair *p) {
    if (!p->flush.edges || p->flush.side >= 0) return 1;
    double room = tac_flush_room(p->facet[p->ref].align);
    p->flush.room = tac_min(p->flush.room, tac_abs(room));
    return room > 0;
}

static tacClip clip_of_pair(const Pair *p, double reach) {
    int ref = p->ref, inc = 1 - ref;
    tacMat3 back = tac_transpose3(p->pose[ref]->R);
    return (tacClip){.shape = {p->shape[ref], p->shape[inc]},
                     .facet = {p->facet[ref], p->facet[inc]},
                     .rel = {tac_pose_local(p->pose[ref], p->pose[inc]->p), tac_mulmm3(back, p->pose[inc]->R)},
                     .reach = reach};
}

/* --- Touches ------------------------------------------------------------------------------------------------------ */

static tacTouch touch_of_point(const Pair *p, const tacClipPoint *m) {
    int ref = p->ref, inc = 1 - ref;
    tacVec3 N = p->N;
    tacTouch t = {.dist = m->dist, .rule = m->rule, .clip = m->clip, .angle = m->angle};
    t.normal = ref == 0 ? N : tac_neg3(N);
    t.feature[ref] = m->feature[0];
    t.feature[inc] = m->feature[1];
    t.point[inc] = tac_pose_point(p->pose[ref], m->x);
    t.point[ref] = tac_madd3(t.point[inc], -m->dist, N);
    return t;
}

static int same_point(tacVec3 a, tacVec3 b, double tol) {
    tacVec3 d = tac_sub3(a, b);
    return tac_dot3(d, d) <= tol * tol;
}

/* Whether the point is the crossing of the two edges of the nearest touch, along the reference's normal. */
static int is_crossing(const Pair *p, const tacClipPoint *m) {
    const tacTouch *t = p->nearest;
    return m->rule == TAC_RULE_CLIP && tac_same_feature(m->feature[1], t->feature[1 - p->ref]) &&
           tac_same_feature(m->clip, t->feature[p->ref]);
}

/* Whether the point has the witness points x of the nearest touch, in the reference's frame. */
static int is_same_touch(const Pair *p, const tacClipPoint *m, const tacVec3 x[2], double tol) {
    return same_point(m->x, x[1 - p->ref], tol) && same_point(tac_madd3(m->x, -m->dist, p->N_local), x[p->ref], tol);
}

/* Whether the point is the nearest touch again: it has the same features, by any rule; it is the crossing of the same
 * two edges; or it has the same witness points x, in the reference's frame. */
static int is_nearest(const Pair *p, const tacClipPoint *m, const tacVec3 x[2], double tol) {
    const tacTouch *t = p->nearest;
    tacFeature ref = t->feature[p->ref], inc = t->feature[1 - p->ref];
    int whole = m->rule == TAC_RULE_NEAREST || m->rule == TAC_RULE_CORNER; /* a pair of features has one such touch */
    if (whole && tac_same_feature(m->feature[1], inc) && tac_same_feature(m->feature[0], ref)) return 1;
    if (is_crossing(p, m)) return 1;
    return is_same_touch(p, m, x, tol);
}

/* Removes the nearest touch. *crossing: the crossing of its two edges along N; its dist is infinite where there is
 * none. */
static int drop_nearest(const Pair *p, tacClipPoint *clipped, int n, double tol, tacClipPoint *crossing) {
    int left = 0;
    const tacPose *pose = p->pose[p->ref];
    const tacVec3 x[2] = {tac_pose_local(pose, p->nearest->point[0]), tac_pose_local(pose, p->nearest->point[1])};
    crossing->dist = TAC_INFINITY;
    for (int i = 0; i < n; i++) {
        if (is_crossing(p, &clipped[i])) *crossing = clipped[i];
        if (!is_nearest(p, &clipped[i], x, tol)) clipped[left++] = clipped[i];
    }
    return left;
}

/* Unit direction of an edge in the world; zero where it has no length. */
static tacVec3 edge_direction(const Pair *p, int side, tacFeature line) {
    const tacShape *s = p->shape[side];
    tacVec3 e = tac_sub3(tac_shape_vertex(s, line.id[1]), tac_shape_vertex(s, line.id[0]));
    double length = tac_norm3(e);
    return length > 0 ? tac_mulmv3(p->pose[side]->R, tac_scale3(1 / length, e)) : tac_zero3();
}

static int runs_along(const Pair *p, int side, tacFeature line, tacFeature other) {
    if (p->shape[side]->type == TAC_GEOM_BOX) return (line.id[0] ^ line.id[1]) == (other.id[0] ^ other.id[1]);
    tacVec3 across = tac_cross3(edge_direction(p, side, line), edge_direction(p, side, other));
    return tac_norm3(across) <= TAC_COINCIDENT;
}

/* Whether the witness point is between the corners of its edge. */
static int is_on_edge(const Pair *p, int side, const tacTouch *t) {
    const tacShape *s = p->shape[side];
    tacVec3 v = tac_shape_vertex(s, t->feature[side].id[0]), x = tac_pose_local(p->pose[side], t->point[side]);
    tacVec3 e = tac_sub3(tac_shape_vertex(s, t->feature[side].id[1]), v);
    double along = tac_dot3(e, tac_sub3(x, v));
    return along >= 0 && along <= tac_dot3(e, e);
}

/* Crossings of two edges parallel to those of a nearest touch have its common normal. Such a crossing becomes a NEAREST
 * touch too, and is no deeper. */
static void take_common_normal(const Pair *p, tacTouch *t) {
    const tacTouch *first = p->nearest;
    int ref = p->ref, inc = 1 - ref;
    if (first == 0 || t->rule != TAC_RULE_CLIP || !tac_is_polyhedron(p->shape[0]) || !tac_is_polyhedron(p->shape[1]))
        return;
    if (first->feature[0].kind != TAC_FEATURE_LINE || first->feature[1].kind != TAC_FEATURE_LINE) return;
    if (!runs_along(p, ref, t->clip, first->feature[ref])) return;
    if (!runs_along(p, inc, t->feature[inc], first->feature[inc])) return;
    tacTouch edges = *t;
    edges.rule = TAC_RULE_NEAREST;
    edges.normal = first->normal;
    edges.feature[ref] = t->clip;
    edges.clip = (tacFeature){.kind = 0};
    if (tac_touch_rebuild(p->shape[0], p->pose[0], p->shape[1], p->pose[1], &edges) != TAC_OK) return;
    if (is_on_edge(p, 0, &edges) && is_on_edge(p, 1, &edges)) *t = edges;
}

/* Whether a touch is deeper than the nearest one, seen along its normal. No two points of the shapes can be. So the
 * search ended early and the nearest touch was wrong, and this is no contact either. */
static int is_too_deep(const Pair *p, const tacTouch *t) {
    if (p->nearest == 0) return 0;
    double along = t->dist * tac_dot3(t->normal, p->nearest->normal), dist = p->nearest->dist;
    return along < dist - SEARCH_ERROR * (tac_abs(dist) + tac_norm3(tac_sub3(t->point[0], p->nearest->point[0])));
}

/* Whether a touch belongs to the manifold. Sets its margin: that of its clipped point, while it has the same rule.
 * Without a patch only touches with the nearest touch's normal stay. These have another rule than their clipped
 * point. */
static int keep_touch(const Pair *p, const tacClipPoint *m, double reach, tacTouch *t) {
    if (!(t->dist < reach) || is_too_deep(p, t)) return 0;
    if (!p->has_patch && t->rule == m->rule) return 0;
    t->margin = m->margin;
    if (t->margin == TAC_NO_MARGIN || t->rule != m->rule)
        t->margin = tac_touch_margin(p->shape[0], p->pose[0], p->shape[1], p->pose[1], t);
    return 1;
}

/* Clipped points -> touches with their margins. */
static int write_touches(const Pair *p, const tacClipPoint *clipped, int n, double reach, tacTouch *out) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        out[count] = touch_of_point(p, &clipped[i]);
        take_common_normal(p, &out[count]);
        count += keep_touch(p, &clipped[i], reach, &out[count]);
    }
    return count;
}

/* Writes the crossing of the nearest touch's two edges along the normal of flush faces, if there is one. Where it is
 * left out, its margin still counts, because corners take its place beyond it. */
static int write_crossing(Pair *p, const tacClipPoint *m, double reach, tacTouch *out) {
    if (!p->flush.edges || !(m->dist < reach)) return 0;
    *out = touch_of_point(p, m);
    if (!keep_touch(p, m, reach, out)) return 0;
    if (p->flush.slant > TAC_FLUSH_LEVEL) return 1;
    p->crossing_margin = out->margin;
    return 0;
}

/* m: margin of the choices behind a manifold: which facets face each other, and which of them is the reference. Each
 * choice compares two cosines. A rotation of the normal by t rad changes each by at most t. Whether faces are flush
 * stays the same up to a rotation by flush.room. */
static double choice_margin(const Pair *p) {
    const tacFacet *f = p->facet;
    double least = tac_min(tac_min(f[0].align - f[0].next, f[1].align - f[1].next), 2 * p->flush.room);
    int fixed = p->ref < 0 || p->flush.side >= 0 || f[0].kind != f[1].kind ||
                p->nearest->feature[0].kind == TAC_FEATURE_PLANE || p->nearest->feature[1].kind == TAC_FEATURE_PLANE;
    if (!fixed) least = tac_min(least, tac_abs(f[1].align - f[0].align));
    double turn = tac_touch_normal_rate(p->shape[0], p->pose[0], p->shape[1], p->pose[1], p->nearest);
    return tac_min(tac_min(p->nearest->margin, p->crossing_margin), tac_max(0, least) / (2 * turn));
}

/* Bounds the margin of a single touch of two edges. Further touches, as deep as it is, appear where faces become flush.
 * With a patch they appear where other facets face each other, and where the crossing along N ends. */
static void bound_single_touch(const Pair *p, tacTouch *t) {
    if (!p->flush.edges) return;
    double turn = tac_touch_normal_rate(p->shape[0], p->pose[0], p->shape[1], p->pose[1], p->nearest);
    t->margin = p->has_patch ? choice_margin(p) : tac_min(t->margin, p->flush.room / turn);
}

/* --- Facets with a normal ----------------------------------------------------------------------------------------- */

/* The nearest touch and the points of the clipped incident facet -> their number. */
static int add_clipped(Pair *p, double reach, tacTouch *out) {
    tacClipPoint clipped[TAC_MAX_CLIP_POINT], crossing;
    tacClip clip = clip_of_pair(p, reach);
    int n = tac_clip(&clip, clipped), left;
    double tol = 0;
    for (int i = 0; i < n; i++)
        tol = tac_max(tol, TAC_FEATURE_TIE * tac_norm3(tac_sub3(clipped[i].x, clipped[0].x)));
    left = drop_nearest(p, clipped, n, tol, &crossing);
    int kept = 1 + write_crossing(p, &crossing, reach, out + 1);
    tacVec3 first = tac_pose_local(p->pose[p->ref], p->nearest->point[1 - p->ref]);
    left = tac_clip_spread(clipped, left, TAC_MAX_TOUCH - kept, first);
    return kept + write_touches(p, clipped, left, reach, out + kept);
}

/* Two flat ends: adds points of the reference's rim above the other end, with that end's normal, after n touches. Where
 * the rims coincide the points of the incident rim are enough. More would nearly coincide with them. */
static int add_other_rim(const Pair *p, double reach, int n, tacTouch *out) {
    Pair other = *p;
    tacClipPoint clipped[TAC_MAX_CLIP_POINT], crossing;
    tacClip clip = clip_of_pair(p, reach);
    if (tac_clip_same_rims(&clip)) return n;
    set_reference(&other, 1 - p->ref);
    clip = clip_of_pair(&other, reach);
    int found = tac_clip(&clip, clipped), rim = 0;
    for (int i = 0; i < found; i++)
        if (clipped[i].rule != TAC_RULE_CLIP) clipped[rim++] = clipped[i];
    rim = drop_nearest(&other, clipped, rim, TAC_FEATURE_TIE * (p->shape[0]->size.x + p->shape[1]->size.x), &crossing);
    for (int i = 0; i < rim && n < TAC_MAX_TOUCH; i++)
        n += write_touches(&other, &clipped[i], 1, reach, &out[n]);
    return n;
}

/* Replaces a nearest touch that is a crossing of coincident rims by points of the incident rim, the deepest first. Such
 * a crossing runs along the rims 1e5 times as fast as they move, and its normal is the rounding of two tangents.
 * Returns 0 if the nearest touch is something else. */
static int replace_crossing(const Pair *p, double reach, tacTouch *out) {
    for (int k = 0; k < 2; k++)
        if (p->facet[k].kind != TAC_FACET_DISC || p->nearest->feature[k].kind != TAC_FEATURE_CIRCLE) return 0;
    tacClipPoint clipped[TAC_MAX_CLIP_POINT];
    tacClip clip = clip_of_pair(p, reach);
    if (!tac_clip_same_rims(&clip)) return 0;
    int found = tac_clip(&clip, clipped), n = write_touches(p, clipped, found, reach, out);
    if (n == found && n > 0) return tac_deepest_first(n, out);
    out[0] = *p->nearest; /* one of the points is deeper */
    return 0;
}

/* --- Lines side by side ------------------------------------------------------------------------------------------- */

/* m: points of the two shapes that are nearer to each other than this are one. */
static double tie_of_ends(const Pair *p) { return TAC_FEATURE_TIE * (p->shape[0]->size.y + p->shape[1]->size.y); }

/* The touch of end `end` of capsule or cylinder `side` on the other one's line, from a guess by the axes. 0: none. An
 * end that is flush with the other's end is on its line: rounding must not decide that. */
static int touch_end(const Pair *p, int side, int end, tacTouch *t) {
    int line = 1 - side;
    const tacShape *s = p->shape[side], *l = p->shape[line];
    tacVec3 x = tac_pose_point(p->pose[side], tac_vec3(0, 0, end == 1 ? s->size.y : -s->size.y));
    double foot = tac_pose_local(p->pose[line], x).z, most = l->size.y + tie_of_ends(p);
    if (!(tac_abs(foot) <= most)) return 0;
    tacVec3 gap = tac_sub3(tac_pose_point(p->pose[line], tac_vec3(0, 0, foot)), x); /* from the end to the line */
    double d = tac_norm3(gap);
    if (!(d > 0)) return 0;
    tacVec3 u = tac_scale3(1 / d, gap);
    *t = (tacTouch){.rule = TAC_RULE_NEAREST, .normal = side == 0 ? u : tac_neg3(u)};
    t->feature[side] = tac_feature(s->type == TAC_GEOM_CAPSULE ? TAC_FEATURE_POINT : TAC_FEATURE_CIRCLE, end, 0);
    t->feature[line] = tac_feature(TAC_FEATURE_LINE, 0, 1);
    t->point[side] = tac_madd3(x, s->size.x, u);
    t->point[line] = tac_madd3(x, d - l->size.x, u);
    if (tac_touch_rebuild(p->shape[0], p->pose[0], p->shape[1], p->pose[1], t) != TAC_OK) return 0;
    return tac_abs(tac_pose_local(p->pose[line], t->point[line]).z) <= most;
}

static int is_among(const tacTouch *t, const tacTouch *out, int n, double tol) {
    for (int i = 0; i < n; i++) {
        if (tac_same_feature(t->feature[0], out[i].feature[0]) && tac_same_feature(t->feature[1], out[i].feature[1]))
            return 1;
        if (same_point(t->point[0], out[i].point[0], tol) && same_point(t->point[1], out[i].point[1], tol)) return 1;
    }
    return 0;
}

/* Capsules and cylinders side by side touch along a line. Its ends are ends of the shapes. */
static int add_ends(const Pair *p, double reach, tacTouch *out) {
    int n = 1;
    double tol = tie_of_ends(p);
    for (int k = 0; k < 2; k++)
        if (p->shape[k]->type == TAC_GEOM_CONE) return n;
    for (int k = 0; k < 4; k++) {
        tacTouch *t = &out[n];
        if (!touch_end(p, k / 2, k % 2, t) || !(t->dist < reach) || is_among(t, out, n, tol)) continue;
        if (!(tac_dot3(t->normal, p->nearest->normal) > 0) || is_too_deep(p, t)) continue;
        t->margin = tac_touch_margin(p->shape[0], p->pose[0], p->shape[1], p->pose[1], t);
        n++;
    }
    return n;
}

/* --- The whole ---------------------------------------------------------------------------------------------------- */

int tac_manifold(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                 const tacTouch *nearest, tacTouch *out) {
    Pair p = {.shape = {a, b}, .pose = {A, B}, .nearest = nearest, .crossing_margin = TAC_INFINITY};
    out[0] = *nearest;
    p.flush = tac_flush(p.shape, p.pose, nearest);
    for (int k = 0; k < 2; k++) {
        p.facet[k] = facet_of(&p, k);
        if (p.facet[k].kind == TAC_FACET_NONE || !(p.facet[k].align > 0)) return 1; /* no facet faces that way */
    }
    p.ref = choose_reference(&p);
    p.has_patch = find_patch(&p);
    if (p.ref >= 0) set_reference(&p, p.ref);
    int n = replace_crossing(&p, reach, out);
    if (n > 0) return n;
    n = p.ref < 0 ? add_ends(&p, reach, out) : add_clipped(&p, reach, out);
    if (p.facet[0].kind == TAC_FACET_DISC && p.facet[1].kind == TAC_FACET_DISC) n = add_other_rim(&p, reach, n, out);
    if (n == 1) bound_single_touch(&p, &out[0]);
    if (n == 1) return n;
    double choice = choice_margin(&p);
    for (int i = 1; i < n; i++)
        out[i].margin = tac_min(out[i].margin, choice);
    return n;
}

int tac_manifold_of_faces(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                          const tacFacePair *faces, tacTouch *out) {
    Pair p = {.shape = {a, b}, .pose = {A, B}, .flush = {.side = -1}, .has_patch = 1};
    for (int k = 0; k < 2; k++)
        p.facet[k] = (tacFacet){TAC_FACET_POLYGON, faces->face[k], 1, -1};
    set_reference(&p, faces->side);
    tacClipPoint clipped[TAC_MAX_CLIP_POINT];
    tacClip clip = clip_of_pair(&p, reach);
    int n = tac_clip(&clip, clipped), deepest = 0;
    if (n == 0) return 0;
    for (int i = 1; i < n; i++)
        if (clipped[i].dist < clipped[deepest].dist) deepest = i;
    tacClipPoint first = clipped[deepest];
    for (int i = deepest; i > 0; i--)
        clipped[i] = clipped[i - 1];
    clipped[0] = first;
    n = 1 + tac_clip_spread(clipped + 1, n - 1, TAC_MAX_TOUCH - 1, first.x);
    return write_touches(&p, clipped, n, reach, out);
}
