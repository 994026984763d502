/* Orientations as files write them -> unit quaternions. */
#pragma once

#include "math/quat.h"

typedef enum {
    TAC_ORIENT_QUAT,
    TAC_ORIENT_AXISANGLE,
    TAC_ORIENT_XYAXES,
    TAC_ORIENT_ZAXIS,
    TAC_ORIENT_EULER
} tacOrientKind;

/* MuJoCo's rule: an alternative, where there is one (be it from a default class), wins over quat. */
typedef struct tacOrient {
    tacQuat quat;
    tacOrientKind kind; /* TAC_ORIENT_QUAT: no alternative */
    double value[6];    /* of the alternative: axis and angle; x and y axes; z axis; three angles */
} tacOrient;

/* How angles are meant. */
typedef struct tacAngles {
    int degree;
    char eulerseq[4]; /* lower case: about moving axes, upper case: about fixed axes */
} tacAngles;

/* -> unit quaternion in *quat; returns NULL, or what is wrong with the numbers. */
const char *tac_orient_resolve(const tacOrient *orient, const tacAngles *angles, tacQuat *quat);
/* Angle in radians, whatever the file's unit. */
double tac_orient_radians(const tacAngles *angles, double angle);

/* A frame in another frame. */
typedef struct tacPose {
    tacVec3 pos;
    tacQuat quat;
} tacPose;

/* parent o child */
tacPose tac_pose_compose(tacPose parent, tacPose child);
tacPose tac_pose_inverse(tacPose pose);
