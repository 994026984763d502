#include "evidence/growth_bounds.h"

#include <math.h>

/* --- One term, about its growth centre ---------------------------------------------------------------------------- */

static double across(tacVec3 y) { return hypot(y.x, y.y); }

static double support_of_hull(const tacModel *m, int geom, const tacGrowthTerm *t, tacVec3 n) {
    int mesh = m->geom_mesh[geom];
    double most = -HUGE_VAL;
    for (int i = m->mesh_corner_adr[mesh]; i < m->mesh_corner_adr[mesh] + m->mesh_corner_num[mesh]; i++)
        most = fmax(most, tac_dot3(n, tac_sub3(m->hull_pos[i], t->faces.centre)));
    return most;
}

static double support_of(const tacModel *m, int geom, const tacGrowthTerm *t, tacVec3 n) {
    tacVec3 s = t->size;
    switch (t->type) {
    case TAC_GEOM_SPHERE:
        return s.x * tac_norm3(n);
    case TAC_GEOM_BOX:
        return s.x * fabs(n.x) + s.y * fabs(n.y) + s.z * fabs(n.z);
    case TAC_GEOM_ELLIPSOID:
        return tac_norm3(tac_mul3(s, n));
    case TAC_GEOM_CAPSULE:
        return s.x * tac_norm3(n) + s.y * fabs(n.z);
    case TAC_GEOM_CYLINDER:
        return s.x * across(n) + s.y * fabs(n.z);
    case TAC_GEOM_CONE:
        return fmax(1.5 * s.y * n.z, s.x * across(n) - 0.5 * s.y * n.z);
    default:
        return support_of_hull(m, geom, t, n);
    }
}

/* Least a with |y - t e_z| <= a r, |t| <= a l. */
static double gauge_of_capsule(double r, double l, tacVec3 y) {
    double low = 0, high = tac_norm3(y) / r;
    for (int i = 0; i < 200 && low < high; i++) {
        double a = 0.5 * (low + high), beyond = fmax(0, fabs(y.z) - a * l);
        if (hypot(across(y), beyond) <= a * r)
            high = a;
        else
            low = a;
    }
    return high;
}

static double gauge_of(const tacGrowthTerm *t, tacVec3 y) {
    tacVec3 s = t->size;
    double most = 0;
    switch (t->type) {
    case TAC_GEOM_SPHERE:
        return tac_norm3(y) / s.x;
    case TAC_GEOM_BOX:
        return fmax(fabs(y.x) / s.x, fmax(fabs(y.y) / s.y, fabs(y.z) / s.z));
    case TAC_GEOM_ELLIPSOID:
        return tac_norm3(tac_vec3(y.x / s.x, y.y / s.y, y.z / s.z));
    case TAC_GEOM_CAPSULE:
        return gauge_of_capsule(s.x, s.y, y);
    case TAC_GEOM_CYLINDER:
        return fmax(across(y) / s.x, fabs(y.z) / s.y);
    case TAC_GEOM_CONE: /* apex 3/2 h above the centre, base h/2 below it */
        return fmax(-y.z / (0.5 * s.y), (across(y) / s.x * 2 * s.y + y.z) / (1.5 * s.y));
    default:
        for (int i = 0; i < t->faces.n; i++)
            most = fmax(most, tac_dot3(t->faces.normal[i], y) / t->faces.offset[i]);
        return most;
    }
}

/* --- The pair ----------------------------------------------------------------------------------------------------- */

static int is_plane(const tacGrowthSystem *g, int side) { return g->shape[side].term[0].type == TAC_GEOM_PLANE; }

static double support_of_shape(const tacModel *m, const tacGrowthSystem *g, int side, tacVec3 n) {
    double sum = 0;
    for (int i = 0; i < g->shape[side].nterm; i++) {
        const tacGrowthTerm *t = &g->shape[side].term[i];
        sum += support_of(m, g->terms[side].geom[i], t, tac_mulmtv3(t->R, n));
    }
    return sum;
}

/* Height of a world point above the plane. */
static double height_of(const tacGrowthSystem *g, int side, tacVec3 x) {
    return tac_mulmtv3(g->shape[side].term[0].R, tac_sub3(x, g->shape[side].p)).z;
}

static double gauge_of_shape(const tacGrowthSystem *g, int side) {
    const tacGrowthShape *s = &g->shape[side];
    const double *x = g->pair.path.x;
    double most = 0;
    if (is_plane(g, side)) return 1 + height_of(g, side, g->result.point) / g->pair.depth;
    tacVec3 first = tac_add3(tac_load3(x), tac_sub3(g->pair.origin, g->pair.centre[side]));
    for (int i = s->nterm - 1; i >= 0; i--) {
        tacVec3 y = i > 0 ? tac_load3(x + g->pair.share[side][i]) : first;
        if (i > 0) first = tac_sub3(first, y);
        most = fmax(most, gauge_of(&s->term[i], tac_mulmtv3(s->term[i].R, y)));
    }
    return most;
}

GrowthBounds growth_bounds(const tacModel *m, const tacGrowthSystem *g) {
    GrowthBounds b = {.high = fmax(gauge_of_shape(g, 0), gauge_of_shape(g, 1))};
    tacVec3 n = g->result.normal, apart = tac_sub3(g->pair.centre[1], g->pair.centre[0]);
    for (int side = 0; side < 2; side++) {
        if (!is_plane(g, side)) continue;
        double reach = support_of_shape(m, g, 1 - side, side ? n : tac_neg3(n));
        b.low = (height_of(g, side, g->pair.centre[1 - side]) + g->pair.depth) / (reach + g->pair.depth);
        b.low = fmax(0, b.low); /* a bounded shape has nothing below 0 */
        return b;
    }
    b.low = fmax(0, tac_dot3(n, apart) / (support_of_shape(m, g, 0, n) + support_of_shape(m, g, 1, tac_neg3(n))));
    return b;
}
