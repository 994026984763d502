/* A capsule's segment in a box's frame. Shared by the two files of this pair. */
#pragma once

#include "collide/box_region.h"

/* p(t) = c + t u, |t| <= h. */
typedef struct tacBoxSegment {
    tacVec3 c, u, half; /* centre and direction of the segment; half-sizes of the box */
    double h, radius;
    double size, length; /* radii of bounding balls: of the box, of the capsule */
    const tacPose *A, *B;
} tacBoxSegment;

/* A point at which the segment crosses the plane of a face. axis -1: an end of the segment, side -1 or 1. */
typedef struct tacBoxCut {
    double t;
    int axis, side;
} tacBoxCut;

static inline tacVec3 tac_box_segment_at(const tacBoxSegment *s, double t) { return tac_madd3(s->c, t, s->u); }

/* Writes a touch at parameter t, from the outward normal of the box (box's frame) and the distance of the cores. The
 * caller sets the box's feature and the margin. end: end of the capsule, 0 or 1; -1: its segment. The point is computed
 * from the capsule's own pose. */
static inline void tac_box_segment_put(const tacBoxSegment *s, double t, tacVec3 outward, double d, int end,
                                       tacTouch *out) {
    tacVec3 x = tac_madd3(s->A->p, t, tac_pose_axis(s->A, 2));
    tac_put_between(out, x, tac_neg3(tac_mulmv3(s->B->R, outward)), d, s->radius, 0);
    tac_put_feature(&out->feature[0], end < 0 ? TAC_FEATURE_LINE : TAC_FEATURE_POINT, end < 0 ? 0 : end, end < 0);
}

/* Writes the touch of the segment's point at a cut, over (or under) the face on `side` of `axis`. At an end of the
 * segment the rule is NEAREST. Where an edge of the face cuts the segment it is CLIP. */
void tac_box_face_put(const tacBoxSegment *s, int axis, int side, tacBoxCut cut, tacTouch *out);
/* All touches of a segment that meets the box. t: parameter of a point inside, up to rounding. */
int tac_capsule_box_deep(const tacBoxSegment *s, double t, double reach, tacTouch *out);
