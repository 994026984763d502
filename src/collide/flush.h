/* Faces that lie nearly flush where two edges touch.
 *
 * Two crossing edges touch in one point, along the normal n across both. Where a face beside the one edge and a face
 * beside the other are opposed within a small angle, what meets is a patch of these faces rather than a point: the
 * manifold then has the crossing of the two edges once more, along the normal N of a face, and the patch around it
 * belongs to these two faces. Angles, choice of the face that gives N, and its number are MuJoCo 3.x's
 * (docs/guide/mujoco_differences.md), so that a model has the same deepest contacts. The angles are a switch; how far
 * it is away is counted in the margins of the touches that hang on it. Equations: docs/theory/collision.md. */
#pragma once

#include "collide/touch.h"

/* Cosine of the angle (5.13 degrees) within which two faces are opposed, and within which N lies of n: the depth along
 * N is at most 1/0.996 of the depth along n. */
#define TAC_FLUSH_FACES 0.996
/* Sine of the angle (5.09 degrees) within which an edge lies along a face. */
#define TAC_FLUSH_EDGE 0.0888
/* Cosine of the angle of N to n beyond which an edge along a face is not flush with it: the depth along N is at most
 * one per cent more than along n. Edges nearly parallel lie along faces that stand at any angle to n. */
#define TAC_FLUSH_SLANT 0.99

/* Sine of the angle (0.5 degrees) of N to n below which the crossing along N is the touch itself, to 4e-5 of its depth:
 * shapes at rest on each other have no contact twice. */
#define TAC_FLUSH_LEVEL 0.0087

typedef struct tacFlush {
    int edges;   /* the touch is that of two edges of boxes or meshes */
    int side;    /* shape whose face gives N: 0 of two faces; 1 of an edge of shape 0 and a face of shape 1; -1: none */
    int face[2]; /* of either shape; -1: an edge, or none */
    double slant; /* sine of the angle of N to n */
    double room;  /* rad: least turn of the shapes or of n that may change the answer; INFINITY: there is no choice */
} tacFlush;

/* The nearest touch of two shapes -> which faces beside its edges are flush. Of several that along whose normal the
 * touch is deepest, so that the deepest contact does not jump from one to the other. */
tacFlush tac_flush(const tacShape *const shape[2], const tacPose *const pose[2], const tacTouch *nearest);
/* rad, by sines: how far a normal at an angle of cosine `align` keeps within that of TAC_FLUSH_FACES; negative: it is
 * beyond. */
double tac_flush_room(double align);
