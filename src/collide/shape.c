#include "collide/shape.h"

/* --- A box's corners, faces and edges ----------------------------------------------------------------------------- */

enum { BOX_VERT = 8, BOX_FACE = 6, BOX_LOOP = 4, BOX_NEIGHBOURS = 3 };

/* Faces -x +x -y +y -z +z, counter-clockwise seen from outside, the lowest corner first. */
static const int BOX_LOOPS[BOX_FACE][BOX_LOOP] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                                  {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
/* Counter-clockwise seen from outside, the lowest first. */
static const int BOX_EDGES[BOX_VERT][BOX_NEIGHBOURS] = {{1, 4, 2}, {0, 3, 5}, {0, 6, 3}, {1, 2, 7},
                                                        {0, 5, 6}, {1, 7, 4}, {2, 4, 7}, {3, 6, 5}};

/* The face to the left of each of these edges. */
static const int BOX_EDGE_FACES[BOX_VERT][BOX_NEIGHBOURS] = {{2, 0, 4}, {4, 1, 2}, {0, 3, 4}, {4, 3, 1},
                                                             {2, 5, 0}, {1, 5, 2}, {0, 5, 3}, {3, 5, 1}};

static int is_box(const tacShape *s) { return s->type == TAC_GEOM_BOX; }

int tac_shape_nvert(const tacShape *s) { return is_box(s) ? BOX_VERT : s->hull.nvert; }

int tac_shape_nface(const tacShape *s) { return is_box(s) ? BOX_FACE : s->hull.nface; }

tacVec3 tac_shape_vertex(const tacShape *s, int i) {
    if (!is_box(s)) return s->hull.vert[i];
    return tac_vec3(i & 1 ? s->size.x : -s->size.x, i & 2 ? s->size.y : -s->size.y, i & 4 ? s->size.z : -s->size.z);
}

int tac_shape_loop(const tacShape *s, int face, const int **loop) {
    *loop = is_box(s) ? BOX_LOOPS[face] : s->hull.loop + s->hull.loop_adr[face];
    return is_box(s) ? BOX_LOOP : s->hull.loop_num[face];
}

int tac_shape_neighbours(const tacShape *s, int vertex, const int **neighbour) {
    *neighbour = is_box(s) ? BOX_EDGES[vertex] : s->hull.edge + s->hull.edge_adr[vertex];
    return is_box(s) ? BOX_NEIGHBOURS : s->hull.edge_num[vertex];
}

const int *tac_shape_faces(const tacShape *s, int vertex) {
    return is_box(s) ? BOX_EDGE_FACES[vertex] : s->hull.edge_face + s->hull.edge_adr[vertex];
}

int tac_shape_edge_faces(const tacShape *s, int v, int w, int face[2]) {
    int count = 0;
    for (int end = 0; end < 2; end++) {
        int from = end ? w : v, to = end ? v : w;
        const int *neighbour, *left = tac_shape_faces(s, from);
        int n = tac_shape_neighbours(s, from, &neighbour);
        for (int k = 0; k < n && count <= end; k++)
            if (neighbour[k] == to) face[count++] = left[k];
    }
    return count;
}

/* Newell: n ~ sum x_i x x_{i+1} over the loop, here about its first corner. Unlike the cross product of two sides it
 * does not depend on a short side, and it has a derivative with respect to every corner. */
static tacVec3 loop_normal(const tacHull *h, int face) {
    const int *loop = h->loop + h->loop_adr[face];
    tacVec3 first = h->vert[loop[0]], sum = tac_zero3();
    for (int k = 2; k < h->loop_num[face]; k++)
        sum = tac_add3(sum, tac_cross3(tac_sub3(h->vert[loop[k - 1]], first), tac_sub3(h->vert[loop[k]], first)));
    double length = tac_norm3(sum);
    return length > 0 ? tac_vec3(sum.x / length, sum.y / length, sum.z / length) : tac_vec3(0, 0, 1);
}

tacVec3 tac_shape_face_normal(const tacShape *s, int face) {
    if (!is_box(s)) return loop_normal(&s->hull, face);
    double sign = face & 1 ? 1 : -1;
    return tac_vec3(face / 2 == 0 ? sign : 0, face / 2 == 1 ? sign : 0, face / 2 == 2 ? sign : 0);
}

/* --- Geoms -------------------------------------------------------------------------------------------------------- */

tacHull tac_hull_of_mesh(const tacModel *m, int mesh) {
    int corner = m->mesh_corner_adr[mesh], polygon = m->mesh_polygon_adr[mesh], edge = m->mesh_edge_adr[mesh];
    return (tacHull){.nvert = m->mesh_corner_num[mesh],
                     .nface = m->mesh_polygon_num[mesh],
                     .vert = m->hull_pos + corner,
                     .edge_adr = m->hull_edge_adr + corner,
                     .edge_num = m->hull_edge_num + corner,
                     .edge = m->hull_edge + edge,
                     .edge_face = m->hull_edge_face + edge,
                     .loop_adr = m->hull_loop_adr + polygon,
                     .loop_num = m->hull_loop_num + polygon,
                     .loop = m->hull_loop + edge};
}

tacShape tac_shape_of_geom(const tacModel *m, int geom) {
    tacShape s = {.type = (tacGeomType)m->geom_type[geom], .size = tac_load3(m->geom_size + 3 * (size_t)geom)};
    if (s.type == TAC_GEOM_MESH) s.hull = tac_hull_of_mesh(m, m->geom_mesh[geom]);
    return s;
}

/* --- Extent ------------------------------------------------------------------------------------------------------- */

double tac_shape_pad(const tacShape *s) {
    return s->type == TAC_GEOM_SPHERE || s->type == TAC_GEOM_CAPSULE ? s->size.x : 0;
}

/* Distance of the furthest corner from the origin. */
static double hull_radius(const tacHull *h) {
    double most = 0;
    for (int i = 0; i < h->nvert; i++)
        most = tac_max(most, tac_dot3(h->vert[i], h->vert[i]));
    return tac_sqrt(most);
}

double tac_shape_radius(const tacShape *s) {
    switch (s->type) {
    case TAC_GEOM_SPHERE:
        return s->size.x;
    case TAC_GEOM_CAPSULE:
        return s->size.x + s->size.y;
    case TAC_GEOM_CYLINDER:
    case TAC_GEOM_CONE:
        return tac_sqrt(s->size.x * s->size.x + s->size.y * s->size.y);
    case TAC_GEOM_ELLIPSOID:
        return tac_max(s->size.x, tac_max(s->size.y, s->size.z));
    case TAC_GEOM_BOX:
        return tac_norm3(s->size);
    case TAC_GEOM_MESH:
        return hull_radius(&s->hull);
    default:
        return TAC_INFINITY;
    }
}

/* Half-extent along a world axis whose components in the shape's frame are r, for shapes that are symmetric about the
 * origin: their support function at r. */
static double half_extent(const tacShape *s, tacVec3 r) {
    double flat = tac_sqrt(r.x * r.x + r.y * r.y);
    switch (s->type) {
    case TAC_GEOM_SPHERE:
        return s->size.x;
    case TAC_GEOM_CAPSULE:
        return s->size.x + s->size.y * tac_abs(r.z);
    case TAC_GEOM_CYLINDER:
        return s->size.x * flat + s->size.y * tac_abs(r.z);
    case TAC_GEOM_ELLIPSOID:
        return tac_norm3(tac_mul3(s->size, r));
    default: /* TAC_GEOM_BOX */
        return s->size.x * tac_abs(r.x) + s->size.y * tac_abs(r.y) + s->size.z * tac_abs(r.z);
    }
}

/* Minimum and maximum of r . x over the shape. */
static void interval(const tacShape *s, tacVec3 r, double *low, double *high) {
    double reach;
    switch (s->type) {
    case TAC_GEOM_CONE: /* the base's rim or the apex */
        reach = s->size.x * tac_sqrt(r.x * r.x + r.y * r.y);
        *low = tac_min(-s->size.y * r.z - reach, s->size.y * r.z);
        *high = tac_max(-s->size.y * r.z + reach, s->size.y * r.z);
        break;
    case TAC_GEOM_MESH:
        *low = TAC_INFINITY;
        *high = -TAC_INFINITY;
        for (int i = 0; i < s->hull.nvert; i++) {
            double x = tac_dot3(r, s->hull.vert[i]);
            *low = tac_min(*low, x);
            *high = tac_max(*high, x);
        }
        break;
    case TAC_GEOM_PLANE: /* bounded only where r is the normal or its opposite */
    case TAC_GEOM_HFIELD:
        *low = r.x == 0 && r.y == 0 && r.z < 0 ? 0 : -TAC_INFINITY;
        *high = r.x == 0 && r.y == 0 && r.z > 0 ? 0 : TAC_INFINITY;
        break;
    default:
        *high = half_extent(s, r);
        *low = -*high;
    }
}

void tac_shape_bounds(const tacShape *s, const tacPose *pose, tacVec3 *low, tacVec3 *high) {
    const double *R = pose->R.m, p[3] = {pose->p.x, pose->p.y, pose->p.z};
    double lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        interval(s, tac_vec3(R[3 * k], R[3 * k + 1], R[3 * k + 2]), &lo[k], &hi[k]);
        lo[k] += p[k];
        hi[k] += p[k];
    }
    *low = tac_load3(lo);
    *high = tac_load3(hi);
}
