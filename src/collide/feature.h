/* Features: the smooth pieces of a shape's surface. A search finds which piece touches. Everything that changes with
 * poses and sizes then follows from the piece alone (docs/theory/collision.md).
 *
 * A piece is a core of dimension 0, 1 or 2, padded by a ball of radius `pad`:
 *
 *   shape      pieces (kind, id)
 *   plane      PLANE 0
 *   sphere     POINT 0 padded
 *   capsule    POINT 0 (at -z), 1 (at +z), LINE 0 1; all padded
 *   cylinder   LINE 0 1 padded (its side: every point at the radius from the axis), PLANE 0 (at -z), 1 (at +z),
 *              CIRCLE 0, 1: the rims
 *   ellipsoid  ELLIPSOID
 *   cone       POINT 0 (apex), SIDE, CIRCLE 0 (rim of the base), PLANE 0 (base)
 *   box, mesh  POINT corner, LINE corner corner, PLANE face */
#pragma once

#include "collide/shape.h"

typedef enum {
    TAC_FEATURE_POINT,
    TAC_FEATURE_LINE,
    TAC_FEATURE_PLANE,
    TAC_FEATURE_CIRCLE,
    TAC_FEATURE_ELLIPSOID,
    TAC_FEATURE_SIDE /* of a cone */
} tacFeatureKind;

/* Second-order expansion of a core near one of its points, in the world: x(s) = x + t s + c s s / 2 for dim local
 * coordinates s. */
typedef struct tacPatch {
    int dim;
    tacVec3 x;
    tacVec3 t[2]; /* dx/ds_i, independent; of unit length or of the shape's scale */
    tacVec3 c[3]; /* d2x/ds_i ds_j: 00, 01, 11 */
    double pad;   /* radius around the core */
} tacPatch;

/* Derivative of a patch at fixed s. */
typedef struct tacPatchTangent {
    tacVec3 x, t[2];
    double pad;
} tacPatchTangent;

/* Motion of a shape: rigid motion and change of its own numbers. */
typedef struct tacShapeTangent {
    tacVec6 twist; /* world axes, about the world point `about` */
    tacVec3 about;
    tacVec3 size;        /* d(size) */
    const tacVec3 *vert; /* d(corners) of a mesh, shape's frame; NULL: zero */
} tacShapeTangent;

/* The patch of a feature at the point of its core nearest to a world point. Lines and planes are unbounded here. On an
 * ELLIPSOID it is the point on the ray from the centre through the given point, which is the same for points of the
 * surface. */
tacPatch tac_feature_patch(const tacShape *s, const tacPose *pose, tacFeature f, tacVec3 near_world);
/* Its derivative along a motion of the shape, at fixed local coordinates. */
tacPatchTangent tac_feature_move(const tacShape *s, const tacPose *pose, tacFeature f, const tacPatch *at,
                                 const tacShapeTangent *move);
/* Outward unit normal of a PLANE feature, world. */
tacVec3 tac_feature_normal(const tacShape *s, const tacPose *pose, tacFeature f);
/* Room left before another feature takes over, at the point x of the core with the outward unit normal n. Returns the
 * length along the core to the end of the feature. *angle: sine of the angle to the border of its cone of normals.
 * INFINITY: no border. Negative: another feature is nearer already. By feature: feature_margin.c. */
double tac_feature_room(const tacShape *s, const tacPose *pose, tacFeature f, tacVec3 x_world, tacVec3 n_world,
                        double *angle);
/* m: both as one length. The least of the room along the core and of the angle times the distance of x from the shape's
 * origin, by which x moves per radian. */
double tac_feature_margin(const tacShape *s, const tacPose *pose, tacFeature f, tacVec3 x_world, tacVec3 n_world);
