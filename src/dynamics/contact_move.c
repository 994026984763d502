#include "dynamics/contact_move.h"

#include "base/error.h"
#include "dynamics/kinematics.h"

#include <string.h>

#define IS(t, row) (TAC_FIELDS[(t)->field].offset == offsetof(tacModel, row))

tacStatus tac_place_geom(const tacModel *m, const tacWork *w, int geom, tacScene *s) {
    if (!tac_geom_has_shape(m, geom)) return TAC_OK;
    int body = m->geom_body[geom];
    s->pose[geom].p = tac_frame_pos(w, body, m->geom_pos[geom]);
    s->pose[geom].R = tac_quat_mat(tac_frame_quat(w, body, m->geom_quat[geom]));
    return tac_finite(tac_norm3(s->pose[geom].p)) ? TAC_OK : TAC_ERR_NONFINITE;
}

tacStatus tac_place_geoms(const tacModel *m, const tacWork *w, tacScene *s) {
    tacStatus status = TAC_OK;
    for (int g = 0; g < m->ngeom && status == TAC_OK; g++)
        status = tac_place_geom(m, w, g, s);
    return status;
}

/* --- Preparing ---------------------------------------------------------------------------------------------------- */

/* Numbers of corners, ends or faces that a feature of a shape may name. */
static int feature_fits(const tacShape *s, tacFeature f) {
    if (f.kind < TAC_FEATURE_POINT || f.kind > TAC_FEATURE_SIDE) return 0;
    int flat = s->type == TAC_GEOM_BOX || s->type == TAC_GEOM_MESH;
    int points = flat ? tac_shape_nvert(s) : 2, faces = flat ? tac_shape_nface(s) : 2;
    int n = f.kind == TAC_FEATURE_PLANE ? faces : points;
    if (f.id[0] < 0 || f.id[0] >= n) return 0;
    return f.kind != TAC_FEATURE_LINE || (f.id[1] >= 0 && f.id[1] < n);
}

static tacStatus check_contact(const tacModel *m, const tacScene *s, const tacContact *c) {
    int a = c->geom[0], b = c->geom[1];
    if (a < 0 || a >= m->ngeom || b < 0 || b >= m->ngeom || !tac_geoms_have_distance(m, a, b)) return TAC_ERR_ARGUMENT;
    if (!feature_fits(&s->shape[a], c->feature[0]) || !feature_fits(&s->shape[b], c->feature[1]))
        return TAC_ERR_ARGUMENT;
    if ((c->rule == TAC_RULE_CLIP || c->rule == TAC_RULE_CORNER) && !feature_fits(&s->shape[a], c->clip) &&
        !feature_fits(&s->shape[b], c->clip))
        return TAC_ERR_ARGUMENT;
    return (unsigned)c->rule <= TAC_RULE_RIM ? TAC_OK : TAC_ERR_ARGUMENT;
}

static int is_zero(tacVec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

/* The tangents follow the normal and the direction of the first, which turns by dalong. */
static void turn_frame(const tacContact *c, tacVec3 dalong, tacContactTangent *d) {
    if (is_zero(d->normal) && is_zero(dalong)) return;
    if (is_zero(c->along))
        tac_contact_frame_jvp(c->normal, d->normal, &d->tangent[0], &d->tangent[1]);
    else
        tac_contact_frame_along_jvp(c->normal, c->along, d->normal, dalong, &d->tangent[0], &d->tangent[1]);
}

/* Change of `along` by the k-th twist of shape `which`. 2: of both. */
static tacVec3 along_turn(const tacContact *c, int which, int k) {
    int turns = k < 3 && (c->along_side == which || (which == 2 && c->along_side >= 0));
    return turns ? tac_cross3(tac_vec3(k == 0, k == 1, k == 2), c->along) : tac_zero3();
}

/* The point midway and the tangents follow. */
static tacContactTangent complete(const tacContact *c, const tacTouchTangent *t, tacVec3 dalong) {
    tacContactTangent d = {
        .dist = t->dist, .pos = tac_scale3(0.5, tac_add3(t->point[0], t->point[1])), .normal = t->normal};
    turn_frame(c, dalong, &d);
    return d;
}

/* Both shapes turn (k < 3) or move along an axis together. The touch moves with them. The tangents stay a function of
 * the normal (and of the direction of the first) in the world. */
static tacContactTangent move_together(const tacContact *c, int k) {
    tacVec3 axis = tac_vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    tacContactTangent d = {.pos = k < 3 ? tac_zero3() : axis,
                           .normal = k < 3 ? tac_cross3(axis, c->normal) : tac_zero3()};
    turn_frame(c, along_turn(c, 2, k), &d);
    return d;
}

/* Shape 0 moving alone is both moving, less shape 1 moving. */
static tacContactTangent difference(const tacContactTangent *a, const tacContactTangent *b) {
    return (tacContactTangent){a->dist - b->dist,
                               tac_sub3(a->pos, b->pos),
                               tac_sub3(a->normal, b->normal),
                               {tac_sub3(a->tangent[0], b->tangent[0]), tac_sub3(a->tangent[1], b->tangent[1])}};
}

_Static_assert(sizeof(tacContactTangent) == TAC_CONTACT_ROWS * sizeof(double), "rows of a contact's derivative");

/* x - x is 0 only for finite x. */
static int all_finite(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] - x[i];
    return sum == 0;
}

tacStatus tac_contact_prepare(const tacModel *m, const tacScene *s, const tacContact *c, tacContactSystem *out) {
    return tac_contact_prepare_sides(m, s, c, TAC_SIDE_0 | TAC_SIDE_1 | TAC_SIDE_BOTH, out);
}

tacStatus tac_contact_prepare_sides(const tacModel *m, const tacScene *s, const tacContact *c, unsigned sides,
                                    tacContactSystem *out) {
    TAC_TRY(check_contact(m, s, c));
    int a = c->geom[0], b = c->geom[1];
    tacTouch touch = tac_contact_touch(c);
    out->contact = *c;
    out->body[0] = m->geom_body[a];
    out->body[1] = m->geom_body[b];
    TAC_TRY(tac_touch_prepare(&s->shape[a], &s->pose[a], &s->shape[b], &s->pose[b], &touch, &out->touch));
    tacTouchTangent column[6];
    tac_touch_jac(&out->touch, c->pos, column);
    for (int k = 0; k < 6; k++) {
        out->twist[1][k] = complete(c, &column[k], along_turn(c, 1, k));
        if (sides & (TAC_SIDE_0 | TAC_SIDE_BOTH)) out->twist[2][k] = move_together(c, k);
        if (sides & TAC_SIDE_0) out->twist[0][k] = difference(&out->twist[2][k], &out->twist[1][k]);
    }
    for (int which = 0; which < 2; which++)
        if ((which == 1 || (sides & TAC_SIDE_0)) && !all_finite(6 * TAC_CONTACT_ROWS, &out->twist[which][0].dist))
            return TAC_ERR_NONFINITE;
    return TAC_OK;
}

/* --- Chains ------------------------------------------------------------------------------------------------------- */

static void add_scaled(tacContactTangent *sum, double by, const tacContactTangent *t) {
    sum->dist += by * t->dist;
    sum->pos = tac_madd3(sum->pos, by, t->pos);
    sum->normal = tac_madd3(sum->normal, by, t->normal);
    sum->tangent[0] = tac_madd3(sum->tangent[0], by, t->tangent[0]);
    sum->tangent[1] = tac_madd3(sum->tangent[1], by, t->tangent[1]);
}

tacContactTangent tac_contact_twist(const tacContactSystem *c, int which, tacVec6 S, tacVec3 origin) {
    tacContactTangent sum = {0};
    tacVec3 lin = tac_add3(S.lin, tac_cross3(S.ang, tac_sub3(c->contact.pos, origin)));
    double twist[6] = {S.ang.x, S.ang.y, S.ang.z, lin.x, lin.y, lin.z};
    for (int k = 0; k < 6; k++)
        if (twist[k] != 0) add_scaled(&sum, twist[k], &c->twist[which][k]);
    return sum;
}

tacContactTangent tac_contact_along(const tacModel *m, const tacWork *w, const tacContactSystem *c,
                                    const tacMover *mover) {
    int first = tac_moves_body(m, mover, c->body[0]), second = tac_moves_body(m, mover, c->body[1]);
    if (!first && !second) return (tacContactTangent){0};
    return tac_contact_twist(c, first && second ? 2 : second, mover->S, w->origin[mover->body]);
}

void tac_contact_emit(const tacContactTangent *t, int column, const tacSink *sink) {
    const double *rows = &t->dist;
    for (int i = 0; i < TAC_CONTACT_ROWS; i++)
        tac_emit(sink, i, column, rows[i]);
}

/* Walks up both bodies' paths to the world at once. Where the paths meet, both shapes move. */
void tac_contact_dofs(const tacModel *m, const tacWork *w, const tacContactSystem *c, const tacSink *sink) {
    int i = m->body_last_dof[c->body[0]], j = m->body_last_dof[c->body[1]];
    while (i >= 0 || j >= 0) {
        int dof = i > j ? i : j, which = i == j ? 2 : j > i;
        tacContactTangent t = tac_contact_twist(c, which, w->S[dof], w->origin[m->dof_body[dof]]);
        tac_contact_emit(&t, dof, sink);
        if (which != 1) i = m->dof_parent[i];
        if (which != 0) j = m->dof_parent[j];
    }
}

/* --- Parameters --------------------------------------------------------------------------------------------------- */

/* A change of a geom's pose in its body, as a twist about the geom's own origin in the world. 0: not a pose. */
static int place_twist(const tacModel *m, const tacWork *w, const tacParamTangent *t, int *geom, tacVec6 *S) {
    int turned = IS(t, geom_quat), k = t->index % (turned ? 4 : 3);
    if (!turned && !IS(t, geom_pos)) return 0;
    *geom = t->index / (turned ? 4 : 3);
    int body = m->geom_body[*geom];
    *S = tac_zero6();
    if (turned)
        S->ang = tac_quat_rotate(tac_frame_quat(w, body, m->geom_quat[*geom]),
                                 tac_quat_component_turn(m->geom_quat[*geom], k));
    else
        S->lin = tac_mulmv3(w->xmat[body], tac_vec3(k == 0, k == 1, k == 2));
    return 1;
}

/* A change of a shape's own numbers, in its frame. 0: it does not change. */
static int shape_change(const tacModel *m, const tacParamTangent *t, int geom, tacVec3 *corner_change,
                        tacShapeTangent *change) {
    *change = (tacShapeTangent){0};
    if (m->geom_type[geom] == TAC_GEOM_MESH) {
        change->vert = corner_change;
        return tac_hull_tangent(m, m->geom_mesh[geom], t->field, t->index, corner_change);
    }
    int k = t->index % 3;
    change->size = tac_vec3(k == 0, k == 1, k == 2);
    return IS(t, geom_size) && t->index / 3 == geom;
}

int tac_contact_param(const tacModel *m, const tacWork *w, const tacContactSystem *c, const tacParamTangent *t,
                      const tacSmoothPoint *x, tacVec3 *corner_change, tacContactTangent *out) {
    tacMover mover[2];
    tacVec6 S;
    int geom, n = tac_param_movers(m, w, t, x, mover);
    *out = (tacContactTangent){0};
    for (int i = 0; i < n; i++) {
        tacContactTangent d = tac_contact_along(m, w, c, &mover[i]);
        add_scaled(out, 1, &d);
    }
    if (n > 0) return 1;
    if (place_twist(m, w, t, &geom, &S)) {
        int which = geom == c->contact.geom[1];
        if (!which && geom != c->contact.geom[0]) return 0;
        *out = tac_contact_twist(c, which, S, c->touch.pose[which].p);
        return 1;
    }
    tacShapeTangent change[2];
    int first = shape_change(m, t, c->contact.geom[0], corner_change, &change[0]);
    int second = shape_change(m, t, c->contact.geom[1], corner_change, &change[1]);
    if (!first) change[0] = (tacShapeTangent){0};
    if (!second) change[1] = (tacShapeTangent){0};
    if (!first && !second) return 0;
    tacTouchTangent moved = tac_touch_jvp(&c->touch, &change[0], &change[1]);
    *out = complete(&c->contact, &moved, tac_zero3());
    return 1;
}
