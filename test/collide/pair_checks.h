/* What every closed form of a pair has to satisfy, checked without knowing how it works.
 *
 * With h the support functions, g(n) = -(h_A(n) + h_B(-n)) is how far the shapes are apart along n, and the signed
 * distance is the greatest g over all unit n. So a touch is right when g(normal) = dist and no direction has more. */
#pragma once

#include "collide/touch.h"
#include "support/check.h"
#include "support/draw.h"

typedef struct Pair {
    tacShape shape[2];
    tacPose pose[2];
} Pair;

tacShape shape_of(tacGeomType type, double x, double y, double z);
tacPose pose_at(double x, double y, double z);
tacPose pose_turned(tacVec3 p, tacVec3 rotation);
tacPose draw_pose(tacDraw *d, double range);
/* Type with random sizes in [0.1, 1). */
tacShape draw_round_shape(tacDraw *d, tacGeomType type);
/* Random sizes and poses; distances of all signs, `range` tells how far apart centres are. */
Pair draw_pair(tacDraw *d, tacGeomType a, tacGeomType b, double range);
/* Sum of the shapes' sizes: what tolerances are relative to. */
double pair_size(const Pair *p);

int touches_of(const Pair *p, double reach, tacTouch *out);
/* g(n) for unit n; a plane has one direction only. */
double gap_along(const Pair *p, tacVec3 n);
/* How far x is outside shape i, at least: over some directions. */
double point_outside(const Pair *p, int i, tacVec3 x);
/* Greatest g found by starting at `starts` random directions and going uphill. */
double greatest_gap(const Pair *p, tacDraw *d, int starts);

/* Unit normal, point[1] - point[0] = dist n, points on the surfaces, and the touch follows from its features alone
 * (tac_touch_rebuild), unless it has no margin. */
void check_touch(const Pair *p, const tacTouch *t, double tol);
/* check_touch of all touches within reach; the first is the deepest and has g(normal) = dist. Returns their number. */
int check_touches(const Pair *p, double reach, double tol, tacTouch *out);
/* No direction parts the shapes by more than the first touch tells. */
void check_greatest(const Pair *p, tacDraw *d, double tol);
/* Moving both shapes moves the touches; exchanging them exchanges the roles; features stay. */
void check_invariance(const Pair *p, tacDraw *d, double reach, double tol);
/* Within its margin the first touch of the moved pair has the same features. */
void check_margin(const Pair *p, tacDraw *d);
/* All of the above on n random pairs; the number of them that overlap has to be between a tenth and nine tenths. */
void check_random_pairs(tacGeomType a, tacGeomType b, int n, double range, double tol);
/* Pairs at `steps` + 1 places from `from` to `to` (shape 0 moves): no touch that is nearer than 0.9 reach comes up more
 * than `most` steps away from one before it. */
void check_sliding(const Pair *from, tacVec3 to, int steps, double reach, double most);
/* The signed distance along a path of poses of shape 1 changes by at most the motion: |d1 - d0| <= step + tol. */
void check_continuity(const Pair *from, const Pair *to, int steps, double tol);
