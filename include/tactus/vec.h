/* Small fixed-size types, passed by value. */
#pragma once

typedef struct tacVec3 {
    double x, y, z;
} tacVec3;

/* Unit quaternion, scalar first. */
typedef struct tacQuat {
    double w, x, y, z;
} tacQuat;

/* Length of a pose in a flat array: position, then quaternion. */
enum { TAC_POSE_SIZE = 7 };

/* 3 x 3 matrix, row major. */
typedef struct tacMat3 {
    double m[9];
} tacMat3;

/* Symmetric 3 x 3 matrix: xx, yy, zz, xy, xz, yz (the order of MJCF's fullinertia). */
typedef struct tacSym3 {
    double xx, yy, zz, xy, xz, yz;
} tacSym3;

/* Spatial motion (angular, linear) or force (moment, force): the angular part first. All spatial vectors are in this
 * order but for the two blocks of numbers below, whose order files and other engines fix. Each has a type of its own,
 * as long as its numbers in a flat array. */
typedef struct tacVec6 {
    tacVec3 ang, lin;
} tacVec6;

/* One body's six numbers of xfrc_applied: the force first. World axes, at the centre of mass. */
typedef struct tacForceTorque {
    tacVec3 force, torque;
} tacForceTorque;

/* The six velocities of a free joint, and of a body in tacMaximal: the linear one first. */
typedef struct tacTwist {
    tacVec3 lin; /* of the origin, world axes */
    tacVec3 ang; /* body axes */
} tacTwist;
