/* One function per pair of shapes: tacTouchFunction, with shape types in the order of tacGeomType. */
#pragma once

#include "collide/touch.h"

/* Declares tac_touch_<pair>. */
#define TAC_PAIR(pair)                                                                                                 \
    int tac_touch_##pair(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,       \
                         tacPairCache *cache, tacTouch *out)

/* Closed forms (plane_*.c, sphere_*.c, capsule_*.c). */
TAC_PAIR(plane_sphere);
TAC_PAIR(plane_capsule);
TAC_PAIR(plane_ellipsoid);
TAC_PAIR(plane_cylinder);
TAC_PAIR(plane_box);
TAC_PAIR(plane_mesh);
TAC_PAIR(plane_cone);
TAC_PAIR(sphere_sphere);
TAC_PAIR(sphere_capsule);
TAC_PAIR(sphere_ellipsoid);
TAC_PAIR(sphere_cylinder);
TAC_PAIR(sphere_box);
TAC_PAIR(capsule_capsule);
TAC_PAIR(capsule_box);

/* Separating axes (box_box.c). tac_nearest_box_box: the first touch, and further ones only where they cost nothing. */
TAC_PAIR(box_box);
int tac_nearest_box_box(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                        tacPairCache *cache, tacTouch *out);

/* Two convex shapes of any type (convex.c). */
TAC_PAIR(convex_convex);
