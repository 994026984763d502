/* Contact points beside the nearest one. */
#pragma once

#include "collide/touch.h"

/* The nearest touch of a pair (its normal and features, from any search) -> all touches of the two surfaces that face
 * each other there nearer than `reach`, at most TAC_MAX_TOUCH, the nearest touch first. Returns their number, at least
 * 1. `out` may not hold `nearest`. Of more than TAC_MAX_TOUCH those are kept that spread widest. Shapes: box, mesh,
 * cylinder, cone, capsule; for others the nearest touch is all there is.
 *
 * The others' normals are those of a face (the reference), at an angle to the nearest one's where that is not a face.
 * Seen along the nearest touch's normal n none is deeper: dist_i (n_i . n) >= dist. Of two edges of boxes or meshes the
 * second is their crossing along the normal of flush faces (flush.h), where there are such; where the reference's
 * normal is further from n than these may be, only crossings with the normal n follow. Of two flat ends whose rims
 * coincide (clip.h) points of one rim take the place of a nearest touch that is a crossing of both, whose distance they
 * have to 1e-6 of lengths. */
int tac_manifold(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                 const tacTouch *nearest, tacTouch *out);
/* Two faces that overlap: face[side] gives the normal. */
typedef struct tacFacePair {
    int side, face[2];
} tacFacePair;

/* The touches of two faces of boxes or meshes alone. The deepest first; 0 where the faces do not overlap seen along
 * that normal. */
int tac_manifold_of_faces(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                          const tacFacePair *faces, tacTouch *out);
