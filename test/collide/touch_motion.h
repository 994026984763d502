/* Two shapes and one direction in which something of them moves: for derivatives of touches against differences. */
#pragma once

#include "collide/touch.h"

enum {
    MOTION_NUMBERS = 10, /* of a touch: dist, point[0], point[1], normal */
    MOTION_MOST_CORNERS = 64,
    MOTION_POSE = 6, /* turns about the axes at `about`, then shifts */
    MOTION_SIZE = 3
};

typedef struct TouchMotion {
    tacShape shape[2];
    tacPose pose[2];
    tacVec3 about;
    int side, what; /* what: 0-5 twist, 6-8 size, 9 + 3 i + k component k of corner i of a mesh */
    tacVec3 corner[MOTION_MOST_CORNERS];
} TouchMotion;

/* Number of directions `what` of one side: sizes that the shape has, corners of a mesh. */
int motion_count(const TouchMotion *m, int side);
/* Both shapes after the direction (m->side, m->what) has been followed for t. Corners go to m->corner. */
void motion_at(TouchMotion *m, double t, tacShape shape[2], tacPose pose[2]);
/* The same direction for tac_touch_jvp: side `side` moves, the other stands. Corners of the tangent go to corner. */
tacShapeTangent motion_tangent(const TouchMotion *m, int side, tacVec3 corner[MOTION_MOST_CORNERS]);
void motion_pack(const tacTouch *t, double out[MOTION_NUMBERS]);
void motion_pack_tangent(const tacTouchTangent *t, double out[MOTION_NUMBERS]);
/* A sheared prism of six corners, two triangles and three quadrilaterals; static. */
tacShape motion_prism(void);
