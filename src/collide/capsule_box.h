/* A capsule's segment in a box's frame: what the two files of this pair share. */
#pragma once

#include "collide/box_region.h"

/* Sine below which the segment is along a face or an edge: its points there are equally near to rounding. */
#define TAC_ALONG 1e-12

/* p(t) = c + t u, |t| <= h. */
typedef struct tacBoxSegment {
    tacVec3 c, u, half; /* middle, direction; half-sizes of the box */
    double h, radius;
    double size, length; /* of the box, of the capsule: radii of balls that hold them */
    const tacPose *A, *B;
} tacBoxSegment;

/* Where the segment passes a face's plane; axis -1: its own end, side -1 or 1. */
typedef struct tacBoxCut {
    double t;
    int axis, side;
} tacBoxCut;

static inline tacVec3 tac_box_segment_at(const tacBoxSegment *s, double t) { return tac_madd3(s->c, t, s->u); }

/* A touch at parameter t with the outward normal of the box (box's frame) and the core distance; the box's feature and
 * the margin are the caller's. end: the capsule's, 0 or 1; -1: its segment. The point comes from the capsule's own
 * pose. */
static inline void tac_box_segment_put(const tacBoxSegment *s, double t, tacVec3 outward, double d, int end,
                                       tacTouch *out) {
    tacVec3 x = tac_madd3(s->A->p, t, tac_pose_axis(s->A, 2));
    tac_put_between(out, x, tac_neg3(tac_mulmv3(s->B->R, outward)), d, s->radius, 0);
    tac_put_feature(&out->feature[0], end < 0 ? TAC_FEATURE_LINE : TAC_FEATURE_POINT, end < 0 ? 0 : end, end < 0);
}

/* The segment's point at a cut, over (or under) the face on `side` of `axis`: an end of the segment, NEAREST, or where
 * an edge of the face cuts it, CLIP. */
void tac_box_face_put(const tacBoxSegment *s, int axis, int side, tacBoxCut cut, tacTouch *out);
/* All touches of a segment that meets the box; t: a point of it that does, to rounding. */
int tac_capsule_box_deep(const tacBoxSegment *s, double t, double reach, tacTouch *out);
