/* Selects the facet of a shape that faces a direction. */
#include "collide/clip.h"

/* Keeps the face that faces d best; among equals the lowest index. */
static void consider(tacFacet *best, int face, double align) {
    double gain = align - best->align;
    int better = gain > TAC_FEATURE_TIE || (gain >= -TAC_FEATURE_TIE && face < best->id);
    if (best->kind == TAC_FACET_NONE)
        *best = (tacFacet){TAC_FACET_POLYGON, face, align, -1};
    else if (better)
        *best = (tacFacet){TAC_FACET_POLYGON, face, align, best->align};
    else
        best->next = tac_max(best->next, align);
}

/* The face at a corner that faces d best. */
static tacFacet face_at_corner(const tacShape *s, int corner, tacVec3 d) {
    tacFacet best = {.kind = TAC_FACET_NONE};
    const int *neighbour, *face = tac_shape_faces(s, corner);
    int n = tac_shape_neighbours(s, corner, &neighbour);
    for (int k = 0; k < n; k++)
        consider(&best, face[k], tac_dot3(d, tac_shape_face_normal(s, face[k])));
    return best;
}

/* The face at the edge from v to w that faces d best. */
static tacFacet face_at_edge(const tacShape *s, int v, int w, tacVec3 d) {
    tacFacet best = {.kind = TAC_FACET_NONE};
    int face[2], n = tac_shape_edge_faces(s, v, w, face);
    for (int k = 0; k < n; k++)
        consider(&best, face[k], tac_dot3(d, tac_shape_face_normal(s, face[k])));
    return best;
}

static tacFacet polyhedron_facet(const tacShape *s, tacVec3 d, tacFeature near) {
    if (near.kind == TAC_FEATURE_POINT) return face_at_corner(s, near.id[0], d);
    if (near.kind == TAC_FEATURE_LINE) return face_at_edge(s, near.id[0], near.id[1], d);
    return (tacFacet){TAC_FACET_POLYGON, near.id[0], tac_dot3(d, tac_shape_face_normal(s, near.id[0])), -1};
}

static double across_axis(tacVec3 d) { return tac_sqrt(d.x * d.x + d.y * d.y); }

/* The flat end where d is closer to the axis than to the side's normal. */
static tacFacet cylinder_facet(tacVec3 d) {
    double end = tac_abs(d.z), side = across_axis(d);
    if (end > side) return (tacFacet){TAC_FACET_DISC, d.z > 0, end, side};
    return (tacFacet){TAC_FACET_SEGMENT, 0, side, end};
}

/* The outward normal of the side in the direction of the unit vector e across the axis is (2 h e + r z)/|.|. */
static tacFacet cone_facet(const tacShape *s, tacVec3 d) {
    double r = s->size.x, h = s->size.y, slant = tac_sqrt(r * r + 4 * h * h);
    double side = slant > 0 ? (2 * h * across_axis(d) + r * d.z) / slant : 0;
    if (-d.z > side) return (tacFacet){TAC_FACET_DISC, 0, -d.z, side};
    return (tacFacet){TAC_FACET_SEGMENT, 0, side, -d.z};
}

tacFacet tac_facet_facing(const tacShape *s, tacVec3 d, tacFeature near) {
    switch (s->type) {
    case TAC_GEOM_BOX:
    case TAC_GEOM_MESH:
        return polyhedron_facet(s, d, near);
    case TAC_GEOM_CYLINDER:
        return cylinder_facet(d);
    case TAC_GEOM_CONE:
        return cone_facet(s, d);
    case TAC_GEOM_CAPSULE:
        return (tacFacet){TAC_FACET_SEGMENT, 0, across_axis(d), -1};
    default:
        return (tacFacet){.kind = TAC_FACET_NONE};
    }
}
