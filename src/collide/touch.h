/* A touch: one contact point that collision finds between two shapes.
 *
 * The normal n points from shape 0 to shape 1. A negative dist is a penetration depth. point[1] - point[0] = dist n. */
#pragma once

#include "collide/feature.h"
#include "collide/rim.h"

/* Maximum touches of one pair: two clipped quadrilaterals have at most eight corners. */
#define TAC_MAX_TOUCH 8

/* tacContactRule and tacFeature are in tactus/contact.h. N is the outward normal of the face that gives n. The rules:
 *   CLIP    one feature is the PLANE that gives n, and `clip` is an edge of it (a LINE, or the CIRCLE around a flat end
 *           or base). The other is a LINE or CIRCLE. It crosses the side plane (or tube) that stands on `clip` along N.
 *           On a capsule's LINE the point is x - pad N; on a cylinder's it lies on the generator furthest along -N
 *   CORNER  one feature is a POINT: a corner of the face `clip` of its own shape, which gives n. The other is a PLANE
 *   RIM     one feature is the PLANE that gives n. The other is a CIRCLE with the point
 *           centre + r (cos(angle) w + sin(angle) z x w). z is the shape's axis. w is the unit vector across z that is
 *           most opposed to N, or the shape's x axis where the rim lies flat (rim.h) */
typedef struct tacTouch {
    double dist;
    tacVec3 point[2]; /* witness points on the surfaces, world */
    tacVec3 normal;
    tacFeature feature[2];
    tacContactRule rule;
    tacFeature clip; /* CLIP: the edge of the face whose side plane cuts; CORNER: the face that gives n */
    double angle;    /* RIM: from w, about the shape's z axis */
    double margin;   /* m: motion until another feature takes over (tac_touch_margin, and what a search adds) */
} tacTouch;

/* The same touch with the roles of the two shapes exchanged. */
static inline tacTouch tac_touch_swapped(const tacTouch *t) {
    tacTouch s = *t;
    s.normal = tac_neg3(t->normal);
    s.point[0] = t->point[1];
    s.point[1] = t->point[0];
    s.feature[0] = t->feature[1];
    s.feature[1] = t->feature[0];
    return s;
}

/* The factored linear system of the common normal of two patches. The unknowns are the changes of the local coordinates
 * s0, s1 and of the normal, dn = e0 a + e1 b (nearest_system.c; docs/theory/collision.md). */
enum { TAC_NEAREST_UNKNOWNS = 6 };
typedef struct tacNearest {
    int n, dim[2];
    tacVec3 normal, e[2]; /* e: tangents, across the normal */
    double d;             /* distance of the cores along it */
    double lu[TAC_NEAREST_UNKNOWNS * TAC_NEAREST_UNKNOWNS];
    int pivot[TAC_NEAREST_UNKNOWNS];
} tacNearest;

/* Change of the witness points along their patches, and of the normal. */
typedef struct tacNearestTangent {
    double s[2][2];
    tacVec3 n;
} tacNearestTangent;

/* Two patches and the unit normal from 0 to 1 -> the factored system. Non-zero: it is singular. */
int tac_nearest_factor(const tacPatch patch[2], tacVec3 normal, tacNearest *system);
/* Changes that keep the common normal when the cores move: gap = dx1 - dx0, slope[i][j] = n . dt[j] of patch i. With
 * gap = x1 - x0 and slope = n . t of the patches themselves, this is Newton's step towards the common normal. */
tacNearestTangent tac_nearest_solve(const tacNearest *system, tacVec3 gap, const double slope[2][2]);

/* Result of one query that speeds up the next query of the same pair. All zero at first. It never changes an answer. */
typedef struct tacPairCache {
    int vertex[2][3]; /* corners of the last simplex, on both shapes */
    int used;         /* number of corners kept */
} tacPairCache;

/* --- Narrow phase (narrow.c): one table over the types of both shapes --------------------------------------------- */

/* All touches nearer than `reach`, at most TAC_MAX_TOUCH -> their number. The first has the pair's signed distance:
 * Euclidean when the shapes are apart, minus the least translation when they overlap. Along its normal n no other touch
 * is deeper: dist_i (n_i . n) >= dist. Along its own normal, that of a face at an angle to n, one may be deeper, by
 * 1/cos of the angle (at most one per cent for boxes and meshes: flush.h). The others follow in an order that depends
 * on the features alone. Poses must be finite. Where squares of lengths overflow, there is one touch, and its dist is
 * NaN. */
int tac_touches(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                tacPairCache *cache, tacTouch *out);
/* The signed distance of a pair and its witness points, at any distance. Returns TAC_ERR_SHAPE for two planes and
 * TAC_ERR_NONFINITE where squares of lengths overflow. */
tacStatus tac_distance_pair(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B,
                            tacPairCache *cache, tacTouch *out);

/* tac_touches for one pair of types, a->type <= b->type. */
typedef int (*tacTouchFunction)(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                                tacPairCache *cache, tacTouch *out);

/* --- A touch from its features alone (touch.c) -------------------------------------------------------------------- */

/* Recomputes dist, points and normal of a touch at new poses, from its rule, features, clip and angle. The previous
 * values only select one of several solutions: the crossing, the sign of an edge pair's normal, the start of a
 * curved search. The margin stays. Returns TAC_ERR_DEGENERATE, and leaves the touch as it is, where its rule has no
 * solution. */
tacStatus tac_touch_rebuild(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, tacTouch *touch);
/* Replaces touches on rims that lie flat by touches of fixed points of the rims, where these lie over the face too. The
 * deepest comes first. Returns n (rim.c; D8a). */
int tac_fix_rims(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, int n, tacTouch *touch);
/* Used by the rules and their derivatives. Side (0 or 1) of the first feature of a kind; -1: none. */
int tac_touch_side(const tacTouch *touch, tacFeatureKind kind);
/* Whether the touch is a point of a rim above a plane: RIM, or NEAREST, which is RIM at angle 0. */
int tac_touch_on_rim(const tacTouch *touch);
/* CLIP: vector from the witness point to the core of a padded LINE. N is the outward normal of the face. */
tacVec3 tac_touch_offset(const tacShape *s, const tacPatch *line, tacVec3 N);
/* m: motion until another pair of features takes over, from the features alone (touch_margin.c). For a NEAREST touch:
 * the least, over both features, of the room along the core and of the room of the normal, each divided by the rate at
 * which a shape uses it up when it moves by a metre, or rotates by a metre at its surface. For the other rules: the
 * room of the point in the face that gives n, and along the edge. Searches add bounds that only they know. */
double tac_touch_margin(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B,
                        const tacTouch *touch);
/* rad per metre: bound of the normal's rotation, seen from either shape, when a shape moves or rotates by a metre. */
double tac_touch_normal_rate(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B,
                             const tacTouch *touch);

/* --- Derivatives (touch_deriv.c) ---------------------------------------------------------------------------------- */

/* Derivative of a touch. */
typedef struct tacTouchTangent {
    double dist;
    tacVec3 point[2], normal;
} tacTouchTangent;

/* A touch prepared for derivatives: its patches and the factored system of its rule. */
typedef struct tacTouchSystem {
    const tacShape *shape[2];
    tacPose pose[2];
    tacTouch touch;
    tacPatch patch[2];
    tacPatch clip;      /* CLIP, CORNER: of the clip feature */
    tacNearest nearest; /* NEAREST */
} tacTouchSystem;

/* -> the system. Returns TAC_ERR_DEGENERATE where the touch has no derivative (coincident cores, parallel edges). */
tacStatus tac_touch_prepare(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B,
                            const tacTouch *touch, tacTouchSystem *system);
/* Derivative of the touch along the motions of both shapes. */
tacTouchTangent tac_touch_jvp(const tacTouchSystem *system, const tacShapeTangent *da, const tacShapeTangent *db);
/* Columns for the six unit twists of shape 1 about `about` (angular, then linear). Those of shape 0 follow from them
 * (tac_touch_opposite), because a common motion of both shapes moves the touch rigidly. */
void tac_touch_jac(const tacTouchSystem *system, tacVec3 about, tacTouchTangent column[6]);
tacTouchTangent tac_touch_opposite(const tacTouchSystem *system, tacVec3 about, int k, const tacTouchTangent *of_b);

/* --- The contact frame (contact_frame.c) -------------------------------------------------------------------------- */

/* Unit normal -> tangents t1, t2 with n = t1 x t2. With s = +1 where n.z > TAC_FRAME_SEAM and -1 elsewhere:
 *   t1 = (1 - n.x^2/(1 + s n.z), -n.x n.y/(1 + s n.z), -s n.x),   t2 = n x t1
 * This is Frisvad's map for s = 1, mirrored for s = -1. It is smooth except across the circle n.z = TAC_FRAME_SEAM,
 * which lies away from floors, walls and ceilings. Normals along axes give tangents along axes. */
#define TAC_FRAME_SEAM (-0.3)
void tac_contact_frame(tacVec3 n, tacVec3 *t1, tacVec3 *t2);
void tac_contact_frame_jvp(tacVec3 n, tacVec3 dn, tacVec3 *dt1, tacVec3 *dt2);
/* The same with t1 along the component of h across n, which must not be zero:
 *   t1 = p/|p|,   p = h - n (n.h),   t2 = n x t1 */
void tac_contact_frame_along(tacVec3 n, tacVec3 h, tacVec3 *t1, tacVec3 *t2);
void tac_contact_frame_along_jvp(tacVec3 n, tacVec3 h, tacVec3 dn, tacVec3 dh, tacVec3 *dt1, tacVec3 *dt2);
