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

/* Spatial motion or force: angular part first, then linear. */
typedef struct tacVec6 {
    tacVec3 ang, lin;
} tacVec6;
