/* What collision finds between two shapes: one touch a point.
 *
 * The normal n runs from shape 0 to shape 1; dist < 0 is overlap; point[1] - point[0] = dist n. */
#pragma once

#include "collide/feature.h"
#include "collide/rim.h"

/* Most touches of one pair: two clipped quadrilaterals meet in at most eight corners. */
#define TAC_MAX_TOUCH 8

/* tacContactRule, tacFeature: tactus/contact.h. Of the two features (N: outward normal of the face that gives n)
 *   CLIP    one is the PLANE that gives n, `clip` an edge of it (LINE, or the CIRCLE around a flat end or base); the
 *           other is a LINE or CIRCLE, which crosses the side plane (or tube) that stands on `clip` along N. Of a
 *           capsule's LINE the touching point is x - pad N; of a cylinder's it lies on the generator furthest along -N
 *   CORNER  one is a POINT, a corner of the face `clip` of its own shape, which gives n; the other a PLANE
 *   RIM     one is the PLANE that gives n, the other a CIRCLE: its point centre + r (cos(angle) w + sin(angle) z x w),
 *           z the shape's axis and w the unit vector across it that runs against N most, or of a rim that lies flat the
 *           shape's x axis (rim.h) */
typedef struct tacTouch {
    double dist;
    tacVec3 point[2]; /* on the surfaces, world */
    tacVec3 normal;
    tacFeature feature[2];
    tacContactRule rule;
    tacFeature
        clip;      /* CLIP: the edge (LINE) of the face whose side plane cuts; CORNER: the face (PLANE) that gives n */
    double angle;  /* RIM: from w, turning about the shape's z axis */
    double margin; /* m: until another feature takes over (tac_feature_margin of both, and what the method adds) */
} tacTouch;

/* The stationarity conditions of two patches with a common normal, linear in the changes of the local coordinates s0,
 * s1 and of the normal dn = e0 a + e1 b, factored (nearest_system.c; docs/theory/collision.md). */
enum { TAC_NEAREST_UNKNOWNS = 6 };
typedef struct tacNearest {
    int n, dim[2];
    tacVec3 normal, e[2]; /* e: across the normal */
    double d;             /* distance of the cores along it */
    double lu[TAC_NEAREST_UNKNOWNS * TAC_NEAREST_UNKNOWNS];
    int pivot[TAC_NEAREST_UNKNOWNS];
} tacNearest;

/* Change of the touching points along the patches and of the normal. */
typedef struct tacNearestTangent {
    double s[2][2];
    tacVec3 n;
} tacNearestTangent;

/* Two patches and the unit normal from 0 to 1 -> the factored system; non-zero where it is singular. */
int tac_nearest_factor(const tacPatch patch[2], tacVec3 normal, tacNearest *system);
/* What keeps the conditions when the cores move: gap = dx1 - dx0, slope[i][j] = n . dt[j] of patch i. With gap = x1 -
 * x0 and slope = n . t of the patches themselves it is Newton's step towards the common normal. */
tacNearestTangent tac_nearest_solve(const tacNearest *system, tacVec3 gap, const double slope[2][2]);

/* What one query leaves for the next of the same pair; zero to begin. Saves time, never changes an answer. */
typedef struct tacPairCache {
    int vertex[2][3]; /* corners of the last simplex, of both shapes */
    int used;         /* how many */
} tacPairCache;

/* --- Narrow phase (narrow.c): one table over the types of both shapes --------------------------------------------- */

/* All touches nearer than `reach`, at most TAC_MAX_TOUCH -> their number. The first has the pair's signed
 * distance: Euclidean when apart, least translation when overlapping. Seen along its normal n none of the others is
 * deeper, dist_i (n_i . n) >= dist; by its own normal, that of a face at an angle to n, one may be, by 1/cos of that
 * angle (of boxes and meshes one per cent at most: flush.h). They follow in an order given by the features alone. Poses
 * are finite: the caller has checked. Where squares of lengths overflow all the same, there is one touch, and its dist
 * is not a number. */
int tac_touches(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                tacPairCache *cache, tacTouch *out);
/* The pair's signed distance and its witness points alone, at any distance. Two planes have none: TAC_ERR_SHAPE.
 * TAC_ERR_NONFINITE where squares of lengths overflow. */
tacStatus tac_distance_pair(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B,
                            tacPairCache *cache, tacTouch *out);

/* One pair of types a <= b: as tac_touches. */
typedef int (*tacTouchFunction)(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                                tacPairCache *cache, tacTouch *out);

/* --- A touch from its features alone (touch.c) -------------------------------------------------------------------- */

/* dist, points and normal of a touch from its rule, features, clip and angle at new poses; what it had before only says
 * which of several solutions is meant (the crossing, the sign of an edge pair's normal, where a curved search starts).
 * Leaves margin. TAC_ERR_DEGENERATE, and the touch untouched, where its rule has no solution there. */
tacStatus tac_touch_rebuild(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, tacTouch *touch);
/* Touches on rims that lie flat -> those of fixed points of theirs, where these are over the face too, the deepest
 * first; -> n   (rim.c; D8a). */
int tac_fix_rims(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, int n, tacTouch *touch);
/* What the rules share with their derivatives. Side (0 or 1) of the first feature of a kind, -1: none. */
int tac_touch_side(const tacTouch *touch, tacFeatureKind kind);
/* Whether it is a point of a rim above a plane: RIM, or NEAREST, which is RIM at angle 0. */
int tac_touch_on_rim(const tacTouch *touch);
/* CLIP: from the touching point to the core of a padded LINE, for the outward normal N of the face. */
tacVec3 tac_touch_offset(const tacShape *s, const tacPatch *line, tacVec3 N);
/* Room before another pair of features takes over, from the features alone (m, touch_margin.c): of a NEAREST touch the
 * least, over both, of the room along the core and the room of the normal, each divided by how fast it is lost when a
 * shape moves by a metre or turns by a metre at its surface; of the other rules the room of their point in the face
 * that gives n and along the edge. Searches add what only they know. */
double tac_touch_margin(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B,
                        const tacTouch *touch);
/* rad: how far the normal of a touch turns at most, seen from either shape, when one moves or turns by a metre. */
double tac_touch_turn(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, const tacTouch *touch);

/* --- Derivatives (touch_deriv.c) ---------------------------------------------------------------------------------- */

/* How a touch moves. */
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

/* -> the system; TAC_ERR_DEGENERATE where the touch has no derivative (coincident cores, parallel edges). */
tacStatus tac_touch_prepare(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B,
                            const tacTouch *touch, tacTouchSystem *system);
/* How the touch moves when both shapes do. */
tacTouchTangent tac_touch_jvp(const tacTouchSystem *system, const tacShapeTangent *da, const tacShapeTangent *db);
/* Columns of the six twists of shape 1 about `about` (angular, then linear); those of shape 0 follow, because moving
 * both together moves the touch rigidly: tac_touch_opposite. */
void tac_touch_jac(const tacTouchSystem *system, tacVec3 about, tacTouchTangent column[6]);
tacTouchTangent tac_touch_opposite(const tacTouchSystem *system, tacVec3 about, int k, const tacTouchTangent *of_b);

/* --- The contact frame (contact_frame.c) -------------------------------------------------------------------------- */

/* Unit normal -> tangents t1, t2 with n = t1 x t2. With s = +1 where n.z > TAC_FRAME_SEAM and -1 elsewhere:
 *   t1 = (1 - n.x^2/(1 + s n.z), -n.x n.y/(1 + s n.z), -s n.x),   t2 = n x t1
 * (Frisvad's map for s = 1, mirrored for s = -1). Smooth except across the circle n.z = TAC_FRAME_SEAM, which lies
 * away from floors, walls and ceilings. The axes' normals give axes. */
#define TAC_FRAME_SEAM (-0.3)
void tac_contact_frame(tacVec3 n, tacVec3 *t1, tacVec3 *t2);
void tac_contact_frame_jvp(tacVec3 n, tacVec3 dn, tacVec3 *dt1, tacVec3 *dt2);
/* The same with t1 along the part of h across n, which is not zero:  t1 = p/|p|, p = h - n (n.h),  t2 = n x t1 */
void tac_contact_frame_along(tacVec3 n, tacVec3 h, tacVec3 *t1, tacVec3 *t2);
void tac_contact_frame_along_jvp(tacVec3 n, tacVec3 h, tacVec3 dn, tacVec3 dh, tacVec3 *dt1, tacVec3 *dt2);
