/* Contact manifolds: the contact points besides the nearest one. */
#pragma once

#include "collide/touch.h"

/* The nearest touch of a pair (its normal and features, from any search) -> all touches nearer than `reach` of the two
 * surfaces that face each other there. The nearest touch comes first. Returns their number, from 1 to TAC_MAX_TOUCH. Of
 * more, the most widely spread are kept. `out` may not hold `nearest`. Boxes, meshes, cylinders, cones and capsules
 * have manifolds. Other shapes have the nearest touch alone.
 *
 * The further touches have the normal of a face, the reference. It is at an angle to the nearest touch's normal n where
 * that is not a face's. Along n no touch is deeper than the nearest: dist_i (n_i . n) >= dist. Special cases:
 *   two edges of boxes or meshes  The second touch is their crossing along the normal of flush faces (flush.h), if any.
 *                                 If the reference's normal is further from n than flush faces may be, only crossings
 *                                 with the normal n follow
 *   flat ends, coincident rims    Points of one rim replace a nearest touch that is a crossing of both rims (clip.h).
 *                                 They have its distance up to 1e-6 of lengths */
int tac_manifold(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                 const tacTouch *nearest, tacTouch *out);
/* Two overlapping faces. face[side] gives the normal. */
typedef struct tacFacePair {
    int side, face[2];
} tacFacePair;

/* The touches of two faces of boxes or meshes alone, the deepest first. 0: the faces do not overlap seen along that
 * normal. */
int tac_manifold_of_faces(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                          const tacFacePair *faces, tacTouch *out);
