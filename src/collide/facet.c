/* Which piece of a shape faces a direction. */
#include "collide/clip.h"

/* Takes a face that faces d better than the best so far; of equals the lowest. */
static void consider(tacFlat *best, int face, double align) {
    double gain = align - best->align;
    int better = gain > TAC_CLIP_TIE || (gain >= -TAC_CLIP_TIE && face < best->id);
    if (best->kind == TAC_FLAT_NONE)
        *best = (tacFlat){TAC_FLAT_POLYGON, face, align, -1};
    else if (better)
        *best = (tacFlat){TAC_FLAT_POLYGON, face, align, best->align};
    else
        best->next = tac_max(best->next, align);
}

/* The face of a corner that faces most along d. */
static tacFlat face_at_corner(const tacShape *s, int corner, tacVec3 d) {
    tacFlat best = {.kind = TAC_FLAT_NONE};
    const int *neighbour, *face = tac_shape_faces(s, corner);
    int n = tac_shape_neighbours(s, corner, &neighbour);
    for (int k = 0; k < n; k++)
        consider(&best, face[k], tac_dot3(d, tac_shape_face_normal(s, face[k])));
    return best;
}

/* The two faces at an edge from v to w. */
static tacFlat face_at_edge(const tacShape *s, int v, int w, tacVec3 d) {
    tacFlat best = {.kind = TAC_FLAT_NONE};
    int face[2], n = tac_shape_edge_faces(s, v, w, face);
    for (int k = 0; k < n; k++)
        consider(&best, face[k], tac_dot3(d, tac_shape_face_normal(s, face[k])));
    return best;
}

static tacFlat polyhedron_flat(const tacShape *s, tacVec3 d, tacFeature near) {
    if (near.kind == TAC_FEATURE_POINT) return face_at_corner(s, near.id[0], d);
    if (near.kind == TAC_FEATURE_LINE) return face_at_edge(s, near.id[0], near.id[1], d);
    return (tacFlat){TAC_FLAT_POLYGON, near.id[0], tac_dot3(d, tac_shape_face_normal(s, near.id[0])), -1};
}

static double across_axis(tacVec3 d) { return tac_sqrt(d.x * d.x + d.y * d.y); }

/* A flat end where d is closer to the axis than to the side's normal. */
static tacFlat cylinder_flat(tacVec3 d) {
    double end = tac_abs(d.z), side = across_axis(d);
    if (end > side) return (tacFlat){TAC_FLAT_DISC, d.z > 0, end, side};
    return (tacFlat){TAC_FLAT_SEGMENT, 0, side, end};
}

/* The normal of the side towards the unit vector e across the axis is (2 h e + r z)/|.|. */
static tacFlat cone_flat(const tacShape *s, tacVec3 d) {
    double r = s->size.x, h = s->size.y, slant = tac_sqrt(r * r + 4 * h * h);
    double side = slant > 0 ? (2 * h * across_axis(d) + r * d.z) / slant : 0;
    if (-d.z > side) return (tacFlat){TAC_FLAT_DISC, 0, -d.z, side};
    return (tacFlat){TAC_FLAT_SEGMENT, 0, side, -d.z};
}

tacFlat tac_flat_facing(const tacShape *s, tacVec3 d, tacFeature near) {
    switch (s->type) {
    case TAC_BOX:
    case TAC_MESH:
        return polyhedron_flat(s, d, near);
    case TAC_CYLINDER:
        return cylinder_flat(d);
    case TAC_CONE:
        return cone_flat(s, d);
    case TAC_CAPSULE:
        return (tacFlat){TAC_FLAT_SEGMENT, 0, across_axis(d), -1};
    default:
        return (tacFlat){.kind = TAC_FLAT_NONE};
    }
}
