/* Nearly flush faces at a touch of two edges.
 *
 * Two crossing edges touch in one point, along the normal n across both. Where a face adjacent to one edge and a face
 * adjacent to the other are opposed within a small angle, a patch of these faces meets rather than a point. The
 * manifold then contains the crossing of the two edges a second time, along the normal N of a face. The patch around it
 * belongs to these two faces. The angles, the choice of the face that gives N, and its number are those of MuJoCo 3.x
 * (docs/guide/mujoco_differences.md), so that a model has the same deepest contacts. The angles are a switch. The
 * margins of the touches that depend on it count the distance to it. Equations: docs/theory/collision.md. */
#pragma once

#include "collide/touch.h"

/* Cosine of the largest angle (5.13 degrees) between two opposed faces, and between N and n. The depth along N is at
 * most 1/0.996 of the depth along n. */
#define TAC_FLUSH_FACES 0.996
/* Sine of the largest angle (5.09 degrees) between an edge and a face that it lies on. */
#define TAC_FLUSH_EDGE 0.0888
/* Cosine of the largest angle between N and n for an edge on a face. The depth along N is at most one per cent more
 * than along n. Nearly parallel edges lie on faces at any angle to n. */
#define TAC_FLUSH_SLANT 0.99

/* Sine of the angle (0.5 degrees) between N and n below which the crossing along N is the touch itself, up to 4e-5 of
 * its depth. So shapes at rest on each other have no contact twice. */
#define TAC_FLUSH_LEVEL 0.0087

typedef struct tacFlush {
    int edges;    /* 1: the touch is of two edges of boxes or meshes */
    int side;     /* shape whose face gives N. 0: two faces; 1: an edge of shape 0 and a face of shape 1; -1: none */
    int face[2];  /* of the two shapes; -1: an edge, or none */
    double slant; /* sine of the angle between N and n */
    double room;  /* rad: least rotation of the shapes or of n that may change the answer; INFINITY: none can */
} tacFlush;

/* The nearest touch of two shapes -> the flush faces at its edges. Of several faces, the one along whose normal the
 * touch is deepest: so the deepest contact does not jump from one to another. */
tacFlush tac_flush(const tacShape *const shape[2], const tacPose *const pose[2], const tacTouch *nearest);
/* rad, by sines: room of a normal within the angle of TAC_FLUSH_FACES; `align` is the cosine of its angle. Negative: it
 * is beyond. */
double tac_flush_room(double align);
