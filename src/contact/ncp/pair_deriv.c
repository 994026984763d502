/* Derivatives of pairs at the solution: by poses and by the numbers of the model   (docs/theory/ncp_pairs.md, SL11). */
#include "contact/ncp/pair_deriv.h"

#include "base/error.h"
#include "collide/growth_faces.h"
#include "contact/ncp/contact.h"
#include "contact/ncp/contact_system.h"
#include "math/six.h"

#include <string.h>

#define IS(t, row) (TAC_FIELDS[(t)->field].offset == offsetof(tacModel, row))

/* Rows of a growth's derivative: alpha, dual, gap, point, normal   (dynamics/growth_move.h). */
enum { ALPHA, DUAL, GAP, POINT, NORMAL = 6 };

/* --- Systems ------------------------------------------------------------------------------------------------------ */

/* The system of the solution at q+: its program is the pair's own. */
static tacStatus open_next(tacNcp *p, const tacNcpContact *c, tacGrowthSystem *g) {
    const tacNcpPair *pair = c->pair;
    *g = (tacGrowthSystem){.kappa = p->pairs.kappa, .pair = pair->growth, .result = pair->at};
    for (int side = 0; side < 2; side++) {
        g->geom[side] = c->feature.found.geom[side];
        g->body[side] = c->body[side];
        g->terms[side] = pair->terms[side];
        g->shape[side] = pair->shape[side];
        g->pair.shape[side] = &g->shape[side];
    }
    return tac_growth_adjoints(g, NULL, &p->pairs.arena);
}

/* Places the shapes of a pair at the poses of w. */
static void place_at(tacNcp *p, const tacNcpPair *pair, const tacWork *w) {
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < pair->terms[side].n; i++)
            tac_ncp_place_geom(p, w, pair->terms[side].geom[i]);
}

/* The pair by itself at q, as sharp as its overlap is measured. */
static tacStatus open_now(tacNcp *p, const tacNcpContact *c, tacGrowthSystem *g) {
    place_at(p, c->pair, p->w);
    tacStatus status = tac_growth_open(p->scene, p->m, c->feature.found.geom, p->pairs.sharp, 2, &p->pairs.arena, g);
    place_at(p, c->pair, &p->next);
    TAC_TRY(status);
    return tac_growth_adjoints(g, NULL, &p->pairs.arena);
}

tacStatus tac_ncp_pair_prepare(tacNcp *p, const tacNcpContact *c, double follows, tacNcpPairSystem *out) {
    out->follows = follows;
    out->bound = tac_ncp_gap_bound(&c->law.bound, c->friction.gamma);
    place_at(p, c->pair, &p->next);
    TAC_TRY(open_next(p, c, &out->next));
    return follows == 0 ? TAC_OK : open_now(p, c, &out->now);
}

/* --- Changes ------------------------------------------------------------------------------------------------------ */

/* Change of the bound R as the pair moves at q by z: with S = length |f| all its lengths are S times those in metres,
 *   dR = R' d(length (D - 1)) + (R/S - R' dist) dS   (SL8) */
static double bound_change(const tacNcpContact *c, const tacNcpPairSystem *s, const double *z, double dlength) {
    const tacGrowthResult *r = &s->now.result;
    double length = c->pair->length, force = tac_norm3(r->force), scale = length * force;
    double dforce = (z[DUAL] - force * z[GAP]) / r->gap, dscale = length * dforce + dlength * force;
    double gap = length * z[DUAL] + dlength * (r->dual - 1);
    return s->follows * gap + (s->bound / scale - s->follows * r->gap) * dscale;
}

/* Change of the contact at q+, tangents of unit length. */
static tacContactTangent contact_change(const tacNcpContact *c, const double *z, double dlength) {
    tacContactTangent t = {.dist = c->pair->length * z[ALPHA] + dlength / c->pair->length * c->next.contact.dist,
                           .pos = tac_load3(z + POINT),
                           .normal = tac_load3(z + NORMAL)};
    tac_ncp_pair_tangents(c, &t);
    return t;
}

static tacSink rows_of(double *z) {
    memset(z, 0, TAC_GROWTH_NUMBERS * sizeof *z);
    return (tacSink){.matrix = z, .ld = 1};
}

tacContactTangent tac_ncp_pair_along(tacNcp *p, const tacNcpContact *c, const tacNcpPairSystem *s, const tacMover *next,
                                     const tacMover *now, double *rest) {
    double z[TAC_GROWTH_NUMBERS];
    tacSink sink = rows_of(z);
    *rest = 0;
    if (s->follows != 0) {
        tac_growth_emit_mover(p->m, p->w, &s->now, now, 0, 0, &sink);
        *rest = bound_change(c, s, z, 0);
        sink = rows_of(z);
    }
    tac_growth_emit_mover(p->m, &p->next, &s->next, next, 0, 0, &sink);
    return contact_change(c, z, 0);
}

/* Change of a term's size with a parameter. */
static double size_change(const tacNcp *p, const tacGrowthSystem *g, int side, int term, const tacParamTangent *t) {
    const tacGrowthTerm *at = &g->shape[side].term[term];
    int geom = g->terms[side].geom[term], mesh = p->m->geom_mesh[geom];
    double sum = 0;
    if (g->terms[side].is_pad[term]) return IS(t, geom_pad) && t->index == geom;
    if (at->type != TAC_GEOM_MESH)
        return IS(t, geom_size) && t->index / 3 == geom ? tac_growth_size_change(at, t->index % 3) : 0;
    if (!tac_hull_tangent(p->m, mesh, t->field, t->index, p->scene->corner_change)) return 0;
    tacHull hull = tac_hull_of_mesh(p->m, mesh);
    tacVec3 centre;
    tac_growth_faces_jvp(&hull, p->scene->corner_change, p->scene->face_normal_change, p->scene->face_offset_change,
                         &centre);
    for (int i = 0; i < hull.nface; i++)
        sum += p->scene->face_offset_change[i];
    return sum / hull.nface;
}

static int is_plane(const tacGrowthShape *s) { return s->term[0].type == TAC_GEOM_PLANE; }

static double length_change(const tacNcp *p, const tacGrowthSystem *g, const tacParamTangent *t) {
    double sum = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < g->shape[side].nterm && !is_plane(&g->shape[side]); i++)
            sum += size_change(p, g, side, i, t) * (is_plane(&g->shape[1 - side]) ? 2 : 1);
    return sum;
}

tacContactTangent tac_ncp_pair_param(tacNcp *p, const tacNcpContact *c, const tacNcpPairSystem *s,
                                     const tacParamTangent *tangent, const tacSmoothPoint *next,
                                     const tacSmoothPoint *now, double *rest) {
    double z[TAC_GROWTH_NUMBERS], dlength = length_change(p, &s->next, tangent);
    tacParamTangent t = *tangent;
    tacSink sink = rows_of(z);
    t.column = 0;
    *rest = 0;
    if (s->follows != 0) {
        tac_growth_emit_param(p->m, p->w, p->scene, &s->now, &t, now, 0, &sink);
        *rest = bound_change(c, s, z, dlength);
        sink = rows_of(z);
    }
    tac_growth_emit_param(p->m, &p->next, p->scene, &s->next, &t, next, 0, &sink);
    return contact_change(c, z, dlength);
}

/* --- By poses at q ------------------------------------------------------------------------------------------------ */

tacStatus tac_ncp_pair_bound_by_q(tacNcp *p, const tacNcpContact *c, double follows, double *row) {
    TAC_SCOPE(&p->pairs.arena);
    tacNcpPairSystem s;
    if (follows == 0) return TAC_OK;
    TAC_TRY(tac_ncp_pair_prepare(p, c, follows, &s));
    for (int side = 0; side < 2; side++) {
        int body = c->body[side];
        if (p->ldu.still[body]) continue;
        for (int k = 0; k < 6; k++) {
            double z[TAC_GROWTH_NUMBERS];
            tacSink sink = rows_of(z);
            tacVec3 e = tac_vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
            tac_growth_emit_twist(&s.now, side, k < 3 ? (tacVec6){e, tac_zero3()} : (tacVec6){tac_zero3(), e},
                                  p->w->origin[body], &sink);
            row[6 * side + k] -= bound_change(c, &s, z, 0);
        }
    }
    return TAC_OK;
}
