/* Corners, edges and faces of a core near a supporting plane. */
#pragma once

#include "collide/shape.h"

/* Most corners looked at; a flat face with more is looked at in part. */
#define TAC_MOST_CORNERS 48

/* Ascending numbers. */
typedef struct tacCorners {
    int n, id[TAC_MOST_CORNERS];
} tacCorners;

int tac_corners_have(const tacCorners *c, int id);
void tac_corners_add(tacCorners *c, int id);
/* Adds the corners whose height along n (unit, shape's frame) is within `depth` of the greatest. Not for curved
 * cores. */
void tac_corners_near_top(const tacShape *s, tacVec3 n, double depth, tacCorners *c);
/* Whether two corners are ends of one edge. */
int tac_corners_are_edge(const tacShape *s, int i, int j);
/* A face of a box or mesh that has n given corners, n >= 2, the lowest such; -1: none. */
int tac_face_of_corners(const tacShape *s, int n, const int *id);
/* Faces that have at least three of the corners one after the other, ascending, at most `most` -> their number. */
int tac_faces_among(const tacShape *s, const tacCorners *c, int most, int *face);
