#include "model/hull.h"

#include "base/error.h"
#include "math/quat.h"
#include "model/inertia.h"
#include "model/validate.h"

#include <string.h>

/* --- Rows --------------------------------------------------------------------------------------------------------- */

/* Triangles were reversed if the scale mirrors. In the file's coordinates they are then clockwise. */
static double turn_of(tacVec3 scale) { return scale.x * scale.y * scale.z < 0 ? -1 : 1; }

tacStatus tac_hull_polyhedron(const tacModel *m, int mesh, tacPolyhedron *out) {
    return tac_polyhedron_new(m->mesh_file_vert + m->mesh_vert_adr[mesh], m->mesh_hullface_num[mesh],
                              m->mesh_hullface + 3 * (size_t)m->mesh_hullface_adr[mesh], turn_of(m->mesh_scale[mesh]),
                              out);
}

/* The rows of a polyhedron and those of the model: their addresses, and numbers of ints. */
typedef struct Row {
    int *model;
    const int *polyhedron;
    int n;
} Row;
enum { NROW = 8 };

static void rows_of(const tacModel *m, int mesh, const tacPolyhedron *p, Row row[NROW]) {
    int corner = m->mesh_corner_adr[mesh], polygon = m->mesh_polygon_adr[mesh], edge = m->mesh_edge_adr[mesh];
    row[0] = (Row){m->hull_corner + corner, p->corner, p->ncorner};
    row[1] = (Row){m->hull_edge_adr + corner, p->edge_adr, p->ncorner};
    row[2] = (Row){m->hull_edge_num + corner, p->edge_num, p->ncorner};
    row[3] = (Row){m->hull_edge + edge, p->edge, p->nedge};
    row[4] = (Row){m->hull_loop_adr + polygon, p->loop_adr, p->npolygon};
    row[5] = (Row){m->hull_loop_num + polygon, p->loop_num, p->npolygon};
    row[6] = (Row){m->hull_loop + edge, p->loop, p->nedge};
    row[7] = (Row){m->hull_edge_face + edge, p->edge_face, p->nedge};
}

void tac_hull_fill(tacModel *m, int mesh, const tacPolyhedron *p) {
    int before = mesh - 1;
    m->mesh_corner_adr[mesh] = mesh > 0 ? m->mesh_corner_adr[before] + m->mesh_corner_num[before] : 0;
    m->mesh_polygon_adr[mesh] = mesh > 0 ? m->mesh_polygon_adr[before] + m->mesh_polygon_num[before] : 0;
    m->mesh_edge_adr[mesh] = mesh > 0 ? m->mesh_edge_adr[before] + m->mesh_edge_num[before] : 0;
    m->mesh_corner_num[mesh] = p->ncorner;
    m->mesh_polygon_num[mesh] = p->npolygon;
    m->mesh_edge_num[mesh] = p->nedge;
    Row row[NROW];
    rows_of(m, mesh, p, row);
    for (int i = 0; i < NROW; i++)
        if (row[i].n > 0) memcpy(row[i].model, row[i].polyhedron, (size_t)row[i].n * sizeof(int));
}

/* The rows of one mesh are those of the polyhedron, from *corner, *polygon and *edge on. Moves these behind them. */
static int has_rows(const tacModel *m, int mesh, const tacPolyhedron *p, int at[3]) {
    if (m->mesh_corner_adr[mesh] != at[0] || m->mesh_corner_num[mesh] != p->ncorner ||
        m->mesh_polygon_adr[mesh] != at[1] || m->mesh_polygon_num[mesh] != p->npolygon ||
        m->mesh_edge_adr[mesh] != at[2] || m->mesh_edge_num[mesh] != p->nedge || p->ncorner > m->nhullcorner - at[0] ||
        p->npolygon > m->nhullpolygon - at[1] || p->nedge > m->nhulledge - at[2])
        return 0;
    at[0] += p->ncorner;
    at[1] += p->npolygon;
    at[2] += p->nedge;
    Row row[NROW];
    rows_of(m, mesh, p, row);
    for (int i = 0; i < NROW; i++)
        if (row[i].n > 0 && memcmp(row[i].model, row[i].polyhedron, (size_t)row[i].n * sizeof(int)) != 0) return 0;
    return 1;
}

tacStatus tac_hull_check(const tacModel *m, tacError *err) {
    int at[3] = {0, 0, 0};
    for (int i = 0; i < m->nmesh; i++) {
        tacPolyhedron p;
        if (tac_hull_polyhedron(m, i, &p) == TAC_ERR_MEMORY)
            return tac_fail(err, TAC_ERR_MEMORY, "out of memory for checking a hull");
        int same = has_rows(m, i, &p, at);
        tac_polyhedron_free(&p);
        if (!same) return tac_fail_element(m, NULL, err, TAC_KIND_MESH, i, "the rows of its hull are damaged");
    }
    if (at[0] != m->nhullcorner || at[1] != m->nhullpolygon || at[2] != m->nhulledge)
        return tac_fail(err, TAC_ERR_MODEL, "the rows of the hulls are damaged");
    return TAC_OK;
}

/* --- Corners ------------------------------------------------------------------------------------------------------ */

void tac_hull_derive(tacModel *m, int mesh) {
    int begin = m->mesh_corner_adr[mesh], end = begin + m->mesh_corner_num[mesh];
    const tacVec3 *vert = m->mesh_vert + m->mesh_vert_adr[mesh];
    for (int i = begin; i < end; i++)
        m->hull_pos[i] = vert[m->hull_corner[i]];
}

/* The corner of a mesh that a vertex is, both within the mesh, or -1. */
static int corner_of(const tacModel *m, int mesh, int vertex) {
    const int *corner = m->hull_corner + m->mesh_corner_adr[mesh];
    for (int i = 0; i < m->mesh_corner_num[mesh]; i++)
        if (corner[i] == vertex) return i;
    return -1;
}

/* v = s o w with w = R^T (p - refpos), o by components:  dv = ds o w + s o dw. dw = -R^T drefpos - t x w for refquat
 * turning by t in its own axes, R^T dp for p itself. */
int tac_hull_tangent(const tacModel *m, int mesh, int field, int index, tacVec3 *dvert) {
    const tacNumber n = {field, index};
    if (tac_mesh_of_number(m, n) != mesh) return 0;
    int single = TAC_FIELDS[field].offset == offsetof(tacModel, mesh_file_vert) ? index / 3 : -1;
    if (single >= 0 && corner_of(m, mesh, single - m->mesh_vert_adr[mesh]) < 0) return 0;
    const tacVec3 *file = m->mesh_file_vert + m->mesh_vert_adr[mesh];
    const int *corner = m->hull_corner + m->mesh_corner_adr[mesh];
    tacMat3 R = tac_quat_mat(m->mesh_refquat[mesh]);
    tacVec3 scale = m->mesh_scale[mesh], ds = TAC_CHANGE3(n, mesh_scale, mesh);
    tacVec3 t = TAC_CHANGE_TURN(n, mesh_refquat, mesh, m->mesh_refquat[mesh]);
    tacVec3 shift = tac_mulmtv3(R, TAC_CHANGE3(n, mesh_refpos, mesh));
    for (int i = 0; i < m->mesh_corner_num[mesh]; i++) {
        tacVec3 w = tac_mulmtv3(R, tac_sub3(file[corner[i]], m->mesh_refpos[mesh]));
        tacVec3 dw = tac_neg3(tac_add3(shift, tac_cross3(t, w)));
        if (m->mesh_vert_adr[mesh] + corner[i] == single) dw = tac_mulmtv3(R, TAC_CHANGE3(n, mesh_file_vert, single));
        dvert[i] = tac_add3(tac_mul3(ds, w), tac_mul3(scale, dw));
    }
    return 1;
}

/* --- Vertices that move alone ------------------------------------------------------------------------------------- */

/* A face of a hull among the file's vertices. */
typedef struct Face {
    const int *loop;
    int n;
    tacVec3 x, normal; /* a corner; of length 1, outwards */
} Face;

static tacVec3 file_corner(const tacModel *m, int mesh, int corner) {
    return m->mesh_file_vert[m->mesh_vert_adr[mesh] + m->hull_corner[m->mesh_corner_adr[mesh] + corner]];
}

static Face face_of(const tacModel *m, int mesh, int polygon) {
    int row = m->mesh_polygon_adr[mesh] + polygon;
    Face f = {.loop = m->hull_loop + m->mesh_edge_adr[mesh] + m->hull_loop_adr[row], .n = m->hull_loop_num[row]};
    tacVec3 area = tac_zero3();
    f.x = file_corner(m, mesh, f.loop[0]);
    for (int k = 2; k < f.n; k++)
        area = tac_add3(area, tac_cross3(tac_sub3(file_corner(m, mesh, f.loop[k - 1]), f.x),
                                         tac_sub3(file_corner(m, mesh, f.loop[k]), f.x)));
    f.normal = tac_scale3(turn_of(m->mesh_scale[mesh]) / tac_norm3(area), area);
    return f;
}

static int has_corner(const Face *f, int corner) {
    for (int k = 0; k < f->n; k++)
        if (f->loop[k] == corner) return 1;
    return 0;
}

static double size_of_file(const tacModel *m, int mesh) {
    double most = 0;
    for (int i = m->mesh_vert_adr[mesh]; i < m->mesh_vert_adr[mesh] + m->mesh_vert_num[mesh]; i++) {
        tacVec3 x = m->mesh_file_vert[i];
        most = tac_max(most, tac_max(tac_abs(x.x), tac_max(tac_abs(x.y), tac_abs(x.z))));
    }
    return most;
}

/* 1: all vertices of the mesh but the face's own corners lie below it. */
static int bounds_all(const tacModel *m, int mesh, const Face *f, double clear) {
    for (int i = 0; i < m->mesh_vert_num[mesh]; i++) {
        tacVec3 x = m->mesh_file_vert[m->mesh_vert_adr[mesh] + i];
        int own = 0;
        for (int k = 0; k < f->n; k++)
            own |= m->hull_corner[m->mesh_corner_adr[mesh] + f->loop[k]] == i;
        if (!own && !(tac_dot3(f->normal, tac_sub3(x, f->x)) < -clear)) return 0;
    }
    return 1;
}

const char *tac_hull_fixes_vertex(const tacModel *m, int mesh, int vertex) {
    int corner = corner_of(m, mesh, vertex - m->mesh_vert_adr[mesh]);
    double clear = TAC_HULL_CLEAR * size_of_file(m, mesh);
    for (int i = 0; i < m->mesh_polygon_num[mesh]; i++) {
        Face f = face_of(m, mesh, i);
        if (corner >= 0 && has_corner(&f, corner)) {
            if (f.n > 3) return "it is in a face of the hull with more than three corners, which would break";
            if (!bounds_all(m, mesh, &f, clear)) return "a face of the hull at it has other vertices in its plane";
        } else if (!(tac_dot3(f.normal, tac_sub3(m->mesh_file_vert[vertex], f.x)) < -clear)) {
            return "it lies in a face of the hull and is no corner of it";
        }
    }
    return NULL;
}
