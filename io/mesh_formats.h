/* One reader per mesh format: bytes -> vertices and triangles. `file` is the name used in messages; bytes end with a
 * zero byte that is not counted in size, and may be written to. */
#pragma once

#include "io/mesh.h"

/* Coordinates beyond this are refused, as MuJoCo does. */
#define TAC_MESH_MAX_COORDINATE 1073741824.0f /* 2^30 */

tacStatus tac_mesh_read_stl(const char *file, unsigned char *bytes, size_t size, tacMeshData *mesh, tacError *err);
tacStatus tac_mesh_read_obj(const char *file, unsigned char *bytes, size_t size, tacMeshData *mesh, tacError *err);
tacStatus tac_mesh_read_ply(const char *file, unsigned char *bytes, size_t size, tacMeshData *mesh, tacError *err);
tacStatus tac_mesh_read_off(const char *file, unsigned char *bytes, size_t size, tacMeshData *mesh, tacError *err);
tacStatus tac_mesh_read_msh(const char *file, unsigned char *bytes, size_t size, tacMeshData *mesh, tacError *err);

/* Three coordinates a corner, three corners a triangle -> mesh in which corners with the same bits are one vertex,
 * numbered in order of first use. */
tacStatus tac_mesh_weld(const char *file, const float *corner, size_t ncorner, tacMeshData *mesh, tacError *err);
/* A corner that may be used: finite and not too far out. */
tacStatus tac_mesh_check_corner(const char *file, const float *corner, size_t triangle, tacError *err);
/* Polygon -> n - 2 triangles (fewer when it crosses itself) by cutting ears, appended at face; returns how many.
 * polygon[n] holds vertex ids and is used up. */
int tac_mesh_cut_ears(const float *vert, int n, int *polygon, int *face);
