/* Convex shapes in their own frames, and their poses.
 *
 *   plane      z <= 0 is solid and unbounded; normal +z
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

/* Corners and topology of a polyhedron, in the shape's frame. Corners are numbered from 0. A face is a convex polygon:
 * coplanar triangles are one face. Its loop is counter-clockwise seen from outside. */
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
    tacHull hull; /* meshes only; the corners of a box follow from its size (tac_shape_vertex) */
} tacShape;

/* Frame of a shape in the world. */
typedef struct tacPose {
    tacVec3 p;
    tacMat3 R;
} tacPose;

static const tacPose TAC_IDENTITY_POSE = {{0, 0, 0}, {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};

static inline tacVec3 tac_pose_point(const tacPose *pose, tacVec3 x) {
    return tac_add3(pose->p, tac_mulmv3(pose->R, x));
}
static inline tacVec3 tac_pose_local(const tacPose *pose, tacVec3 x_world) {
    return tac_mulmtv3(pose->R, tac_sub3(x_world, pose->p));
}

/* Boxes and meshes have corners, edges and faces. */
static inline int tac_is_polyhedron(const tacShape *s) { return s->type == TAC_GEOM_BOX || s->type == TAC_GEOM_MESH; }
/* The core of a shape is what remains without the ball around it (tac_shape_pad). Polyhedra, spheres and capsules have
 * cores of corners, edges and faces. */
static inline int tac_core_is_polyhedral(const tacShape *s) {
    return tac_is_polyhedron(s) || s->type == TAC_GEOM_SPHERE || s->type == TAC_GEOM_CAPSULE;
}

/* The hull of a mesh that has one. It points into the model. */
tacHull tac_hull_of_mesh(const tacModel *m, int mesh);
/* The shape of a geom. It points into the model. */
tacShape tac_shape_of_geom(const tacModel *m, int geom);

/* Corners, faces and edges of a box or mesh. Corner i of a box is at +size on axis k where bit k of i is set. Face 2 k
 * + 1 of a box is + on axis k, face 2 k is -. */
int tac_shape_nvert(const tacShape *s);
int tac_shape_nface(const tacShape *s);
tacVec3 tac_shape_vertex(const tacShape *s, int i);
/* Face -> its corners in loop (a pointer that lives as long as the shape's hull). Returns their number. */
int tac_shape_loop(const tacShape *s, int face, const int **loop);
/* Face -> unit outward normal (Newell's sum over the loop) in the shape's frame. */
tacVec3 tac_shape_face_normal(const tacShape *s, int face);
/* Corner -> its neighbours, counter-clockwise seen from outside. */
int tac_shape_neighbours(const tacShape *s, int vertex, const int **neighbour);
/* The faces to the left of these edges, in the same order: all faces at the corner. */
const int *tac_shape_faces(const tacShape *s, int vertex);
/* Edge -> the faces to its left and to its right. Returns their number, 2 for an edge of the shape. */
int tac_shape_edge_faces(const tacShape *s, int v, int w, int face[2]);

/* Radius of the ball around a shape's core. The core of a sphere is its centre, that of a capsule its segment. 0 for
 * all other shapes. */
double tac_shape_pad(const tacShape *s);
/* Support function of the core: its furthest point along a direction of any length, in the shape's frame. *vertex: the
 * corner where the search on a mesh starts (or -1), and the corner found (box, mesh; 0 or 1 for a capsule's ends). Not
 * for planes. */
tacVec3 tac_shape_support(const tacShape *s, tacVec3 direction, int *vertex);
/* Axis-aligned bounds in the world. Those of a plane are infinite unless its normal is a coordinate axis. */
void tac_shape_bounds(const tacShape *s, const tacPose *pose, tacVec3 *low, tacVec3 *high);
/* Radius of a bounding ball about the frame's origin; INFINITY for a plane. */
double tac_shape_radius(const tacShape *s);
