/* Convex shapes in their own frames, and where they stand.
 *
 *   plane      z <= 0 is solid, without end; normal +z
 *   sphere     size.x: radius
 *   capsule    size.x: radius, size.y: half-length of the segment along z
 *   cylinder   size.x: radius, size.y: half-length along z
 *   ellipsoid  size: radii
 *   box        size: half-sizes
 *   cone       size.x: radius of the base at z = -size.y; the apex is at z = +size.y
 *   mesh       the convex hull of its vertices */
#pragma once

#include "math/vec3.h"
#include "tactus/tactus.h"

/* A polyhedron's corners and how they hang together, in the shape's frame. Corners are numbered from 0; a face is a
 * convex polygon (coplanar triangles are one face), its loop counter-clockwise seen from outside. */
typedef struct tacHull {
    int nvert, nface;
    const tacVec3 *vert;                   /* nvert */
    const int *edge_adr, *edge_num, *edge; /* per corner: its neighbours */
    const int *edge_face;                  /* per neighbour: the face to the left of the edge towards it */
    const int *loop_adr, *loop_num, *loop; /* per face: its corners */
} tacHull;

typedef struct tacShape {
    tacGeomType type;
    tacVec3 size;
    tacHull hull; /* mesh alone; a box's corners follow from its size (tac_shape_vertex) */
} tacShape;

/* Frame of a shape in the world. */
typedef struct tacPose {
    tacVec3 p;
    tacMat3 R;
} tacPose;

static inline tacVec3 tac_pose_point(const tacPose *pose, tacVec3 x) {
    return tac_add3(pose->p, tac_mulmv3(pose->R, x));
}
static inline tacVec3 tac_pose_local(const tacPose *pose, tacVec3 x_world) {
    return tac_mulmtv3(pose->R, tac_sub3(x_world, pose->p));
}

/* The shape of a geom; points into the model. */
tacShape tac_shape_of_geom(const tacModel *m, int geom);

/* Corners, faces and edges of a box or mesh. Box corners: bit k of the number set: +size on axis k. Box faces: 2 k + 1
 * is +, 2 k is - on axis k. */
int tac_shape_nvert(const tacShape *s);
int tac_shape_nface(const tacShape *s);
tacVec3 tac_shape_vertex(const tacShape *s, int i);
/* Face -> its corners in loop (a pointer that lives as long as the shape's hull), their number returned. */
int tac_shape_loop(const tacShape *s, int face, const int **loop);
/* Face -> unit outward normal (Newell's sum over the loop) in the shape's frame. */
tacVec3 tac_shape_face_normal(const tacShape *s, int face);
/* Corner -> its neighbours, counter-clockwise seen from outside. */
int tac_shape_neighbours(const tacShape *s, int vertex, const int **neighbour);
/* The faces to the left of the edges to them, in the same order: those that meet at the corner. */
const int *tac_shape_faces(const tacShape *s, int vertex);
/* Edge -> the faces to the left of it and of its way back; their number, 2 of an edge of the shape. */
int tac_shape_edge_faces(const tacShape *s, int v, int w, int face[2]);

/* Radius of the ball that is added around a shape's core: sphere (core: its centre) and capsule (core: its segment);
 * 0 for all others. */
double tac_shape_pad(const tacShape *s);
/* Furthest point of the core along a direction of any length, in the shape's frame. *vertex: where to start looking on
 * a mesh (any corner, or -1), and the corner found (box, mesh; 0 or 1 for a capsule's ends). Not for planes. */
tacVec3 tac_shape_support(const tacShape *s, tacVec3 direction, int *vertex);
/* Axis-aligned bounds in the world; a plane's are infinite unless its normal is a coordinate axis. */
void tac_shape_bounds(const tacShape *s, const tacPose *pose, tacVec3 *low, tacVec3 *high);
/* Radius of a ball about the frame's origin that holds the shape; INFINITY for a plane. */
double tac_shape_radius(const tacShape *s);
