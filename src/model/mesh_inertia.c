/* Volume, centre of mass and inertia of a triangle mesh: sums over the pyramids that the triangles make with an apex.
 *
 * Four modes, as in MuJoCo 3:
 *   exact   signed pyramids, which add up to the enclosed volume of a closed surface, whatever the apex
 *   legacy  absolute pyramids: apex at the area centroid of the faces for the centre of mass, at that centre for volume
 *           and inertia. The same as exact for a surface that is star-shaped about both, an overestimate otherwise
 *   convex  exact, over the triangles of the convex hull
 *   shell   the triangles themselves: area in place of volume */
#include "model/hull.h"
#include "model/inertia.h"
#include "model/validate.h"

/* Smaller volumes, areas and doubled triangle areas count as none (MuJoCo's limit). */
#define MIN_MEASURE   1e-15
#define LEAST_MEASURE "at least 1e-15"
/* MuJoCo's tolerances of the triangle inequality for a mesh's principal inertias. */
#define TRIANGLE_REL 1e-6
#define TRIANGLE_ABS 1e-9

/* The triangles of one mesh that count for its inertia. */
typedef struct Surface {
    const tacVec3 *vert;
    const int *face;
    int nface;
    tacMeshInertia mode;
} Surface;

typedef struct Triangle {
    tacVec3 a, b, c;
    tacVec3 center;
    tacVec3 normal; /* unit; zero where the triangle has no area */
    double area;
} Triangle;

static Triangle triangle_at(const Surface *s, int i) {
    const int *f = s->face + 3 * (size_t)i;
    Triangle t = {.a = s->vert[f[0]], .b = s->vert[f[1]], .c = s->vert[f[2]]};
    tacVec3 n = tac_cross3(tac_sub3(t.b, t.a), tac_sub3(t.c, t.a));
    double length = tac_norm3(n);
    tacVec3 sum = tac_add3(tac_add3(t.a, t.b), t.c);
    t.center = tac_vec3(sum.x / 3, sum.y / 3, sum.z / 3);
    if (length < MIN_MEASURE) return t;
    t.normal = tac_vec3(n.x / length, n.y / length, n.z / length);
    t.area = length / 2;
    return t;
}

/* Volume of the pyramid over the triangle with this apex (or the area of the triangle, for shells). */
static double measure(const Surface *s, const Triangle *t, tacVec3 apex) {
    if (s->mode == TAC_MESH_SHELL) return t->area;
    double volume = tac_dot3(tac_sub3(t->center, apex), t->normal) * t->area / 3;
    return s->mode == TAC_MESH_LEGACY ? tac_abs(volume) : volume;
}

/* Area centroid of the faces; returns the area. */
static double face_centroid(const Surface *s, tacVec3 *centroid) {
    tacVec3 sum = {0, 0, 0};
    double area = 0;
    for (int i = 0; i < s->nface; i++) {
        Triangle t = triangle_at(s, i);
        sum = tac_madd3(sum, t.area, t.center);
        area += t.area;
    }
    if (area >= MIN_MEASURE) sum = tac_vec3(sum.x / area, sum.y / area, sum.z / area);
    *centroid = sum;
    return area;
}

/* Centre of mass. That of a pyramid is a quarter of the way from base to apex. Returns volume or area. */
static double center_of_mass(const Surface *s, tacVec3 apex, tacVec3 *com) {
    tacVec3 sum = {0, 0, 0};
    double total = 0;
    for (int i = 0; i < s->nface; i++) {
        Triangle t = triangle_at(s, i);
        double v = measure(s, &t, apex);
        sum = tac_madd3(sum, v, tac_add3(tac_scale3(0.75, t.center), tac_scale3(0.25, apex)));
        total += v;
    }
    if (total >= MIN_MEASURE) sum = tac_vec3(sum.x / total, sum.y / total, sum.z / total);
    *com = sum;
    return total;
}

/* Second moment of a triangle's pyramid (apex at the origin) or of the triangle, per volume or area, times 20 or 12.
 * For coordinates p, q of the corners:  2 sum p_i q_i + sum_{i != j} p_i q_j = sum p_i q_i + (sum p_i)(sum q_i). */
static double product(double p0, double p1, double p2, double q0, double q1, double q2) {
    return p0 * q0 + p1 * q1 + p2 * q2 + (p0 + p1 + p2) * (q0 + q1 + q2);
}

/* Inertia about com for unit density, in mesh axes. Returns volume or area summed with that apex. */
static double inertia_about(const Surface *s, tacVec3 com, tacSym3 *icom) {
    double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0, total = 0;
    const double share = s->mode == TAC_MESH_SHELL ? 12 : 20;
    for (int i = 0; i < s->nface; i++) {
        Triangle t = triangle_at(s, i);
        double v = measure(s, &t, com), w = v / share;
        tacVec3 a = tac_sub3(t.a, com), b = tac_sub3(t.b, com), c = tac_sub3(t.c, com);
        xx += w * product(a.x, b.x, c.x, a.x, b.x, c.x);
        yy += w * product(a.y, b.y, c.y, a.y, b.y, c.y);
        zz += w * product(a.z, b.z, c.z, a.z, b.z, c.z);
        xy += w * product(a.x, b.x, c.x, a.y, b.y, c.y);
        xz += w * product(a.x, b.x, c.x, a.z, b.z, c.z);
        yz += w * product(a.y, b.y, c.y, a.z, b.z, c.z);
        total += v;
    }
    *icom = (tacSym3){yy + zz, xx + zz, xx + yy, -xy, -xz, -yz};
    return total;
}

/* File vertices -> mesh frame, in MuJoCo's order: minus refpos, rotated by the inverse of refquat, scaled. */
static void place_vertices(tacModel *m, int mesh) {
    int begin = m->mesh_vert_adr[mesh], end = begin + m->mesh_vert_num[mesh];
    tacMat3 R = tac_quat_mat(m->mesh_refquat[mesh]);
    for (int i = begin; i < end; i++) {
        tacVec3 p = tac_sub3(m->mesh_file_vert[i], m->mesh_refpos[mesh]);
        m->mesh_vert[i] = tac_mul3(m->mesh_scale[mesh], tac_mulmtv3(R, p));
    }
}

/* 1: the mass of some body may depend on this mesh, or something may touch it. */
static int matters(const tacModel *m, int mesh) {
    for (int g = 0; g < m->ngeom; g++)
        if (m->geom_mesh[g] == mesh && !m->geom_visual[g]) return 1;
    return 0;
}

/* Refuses a mesh without extent if that matters. Otherwise it has no volume and no inertia. */
static tacStatus refuse(tacModel *m, int mesh, const char *what, double value, const char *expected, tacError *err) {
    m->mesh_volume[mesh] = 0;
    m->mesh_com[mesh] = tac_zero3();
    m->mesh_icom[mesh] = (tacSym3){0, 0, 0, 0, 0, 0};
    if (!matters(m, mesh)) return TAC_OK;
    return tac_fail_element(m, NULL, err, TAC_KIND_MESH, mesh, "%s is %g, expected %s", what, value, expected);
}

static int breaks_triangle(tacVec3 d) {
    const double keep = 1 - TRIANGLE_REL;
    return d.x + d.y < d.z * keep - TRIANGLE_ABS || d.x + d.z < d.y * keep - TRIANGLE_ABS ||
           d.y + d.z < d.x * keep - TRIANGLE_ABS;
}

static Surface all_faces(const tacModel *m, int mesh) {
    return (Surface){m->mesh_vert + m->mesh_vert_adr[mesh], m->mesh_face + 3 * (size_t)m->mesh_face_adr[mesh],
                     m->mesh_face_num[mesh], (tacMeshInertia)m->mesh_inertia_mode[mesh]};
}

/* The triangles that make up volume and inertia. */
static Surface counted_faces(const tacModel *m, int mesh) {
    Surface s = all_faces(m, mesh);
    if (s.mode != TAC_MESH_CONVEX) return s;
    s.face = m->mesh_hullface + 3 * (size_t)m->mesh_hullface_adr[mesh];
    s.nface = m->mesh_hullface_num[mesh];
    return s;
}

tacStatus tac_mesh_derive(tacModel *m, int mesh, tacError *err) {
    Surface s = all_faces(m, mesh);
    tacVec3 apex;
    place_vertices(m, mesh);
    tac_hull_derive(m, mesh);
    double area = face_centroid(&s, &apex);
    if (!(area >= MIN_MEASURE)) return refuse(m, mesh, "surface area", area, LEAST_MEASURE, err);
    s = counted_faces(m, mesh);
    double volume = center_of_mass(&s, apex, &m->mesh_com[mesh]);
    if (!(volume >= MIN_MEASURE)) return refuse(m, mesh, "volume", volume, LEAST_MEASURE, err);
    m->mesh_volume[mesh] = inertia_about(&s, m->mesh_com[mesh], &m->mesh_icom[mesh]);
    tacQuat axes;
    tacVec3 principal = tac_eig3(m->mesh_icom[mesh], &axes);
    if (!(principal.z > 0)) return refuse(m, mesh, "least principal inertia", principal.z, "a positive number", err);
    if (breaks_triangle(principal) && matters(m, mesh))
        return tac_fail_element(m, NULL, err, TAC_KIND_MESH, mesh,
                                "principal inertias are %g %g %g, expected the triangle inequality to hold",
                                principal.x, principal.y, principal.z);
    return TAC_OK;
}

/* --- Along one number --------------------------------------------------------------------------------------------- */

/* Motion of placed vertices: dv = A v + b, and that of one vertex alone. */
typedef struct Flow {
    tacMat3 A;
    tacVec3 b;
    int vertex; /* within the mesh; -1: none */
    tacVec3 moved;
} Flow;

static tacVec3 flow_at(const Flow *f, int vertex, tacVec3 v) {
    tacVec3 dv = tac_add3(tac_mulmv3(f->A, v), f->b);
    return vertex == f->vertex ? tac_add3(dv, f->moved) : dv;
}

/* v = s o (R^T (p - refpos)), o by components.  Scale: dv = (ds / s) o v.  refpos: dv = -s o (R^T dp).
 * refquat, R exp([t]): dv = -s o (t x (v / s)).  p of one vertex: dv = s o (R^T dp). */
static Flow flow_of(const tacModel *m, int mesh, tacNumber n) {
    tacVec3 s = m->mesh_scale[mesh], ds = TAC_CHANGE3(n, mesh_scale, mesh), dp = TAC_CHANGE3(n, mesh_refpos, mesh);
    tacQuat quat = m->mesh_refquat[mesh];
    tacVec3 t = TAC_CHANGE_TURN(n, mesh_refquat, mesh, quat);
    const tacField *field = &TAC_FIELDS[n.field];
    int vertex = tac_field_data(m, field) == m->mesh_file_vert ? n.index / 3 : -1;
    tacVec3 moved = vertex < 0 ? tac_zero3() : TAC_CHANGE3(n, mesh_file_vert, vertex);
    return (Flow){{{ds.x / s.x, t.z * s.x / s.y, -t.y * s.x / s.z, /* -[t], rows times s, columns over s */
                    -t.z * s.y / s.x, ds.y / s.y, t.x * s.y / s.z, /**/
                    t.y * s.z / s.x, -t.x * s.z / s.y, ds.z / s.z}},
                  tac_neg3(tac_mul3(s, tac_mulmtv3(tac_quat_mat(quat), dp))),
                  vertex < 0 ? -1 : vertex - m->mesh_vert_adr[mesh],
                  tac_mul3(s, tac_mulmtv3(tac_quat_mat(quat), moved))};
}

typedef struct TriangleChange {
    tacVec3 a, b, c;
    tacVec3 center;
    tacVec3 product; /* of (b - a) x (c - a), which is 2 area normal; zero where the triangle counts as none */
    double area;
} TriangleChange;

static TriangleChange triangle_jvp(const Surface *s, int i, const Triangle *t, const Flow *f) {
    const int *id = s->face + 3 * (size_t)i;
    TriangleChange d = {.a = flow_at(f, id[0], t->a), .b = flow_at(f, id[1], t->b), .c = flow_at(f, id[2], t->c)};
    d.center = tac_scale3(1.0 / 3, tac_add3(tac_add3(d.a, d.b), d.c));
    if (t->area == 0) return d;
    d.product = tac_add3(tac_cross3(tac_sub3(d.b, d.a), tac_sub3(t->c, t->a)),
                         tac_cross3(tac_sub3(t->b, t->a), tac_sub3(d.c, d.a)));
    d.area = tac_dot3(t->normal, d.product) / 2;
    return d;
}

/* Derivative of measure(): volume = (center - apex) . product / 6. The absolute value keeps the sign of the volume. */
static double measure_jvp(const Surface *s, const Triangle *t, const TriangleChange *d, tacVec3 apex, tacVec3 dapex) {
    if (s->mode == TAC_MESH_SHELL) return d->area;
    tacVec3 arm = tac_sub3(t->center, apex), darm = tac_sub3(d->center, dapex);
    double change = tac_dot3(darm, t->normal) * t->area / 3 + tac_dot3(arm, d->product) / 6;
    return s->mode == TAC_MESH_LEGACY && tac_dot3(arm, t->normal) < 0 ? -change : change;
}

/* A mean sum / total moves by (dsum - dtotal mean) / total. */
static tacVec3 mean_jvp(tacVec3 mean, double total, tacVec3 dsum, double dtotal) {
    tacVec3 d = tac_madd3(dsum, -dtotal, mean);
    return tac_vec3(d.x / total, d.y / total, d.z / total);
}

static tacVec3 face_centroid_jvp(const Surface *s, const Flow *f) {
    tacVec3 centroid, dsum = {0, 0, 0};
    double area = face_centroid(s, &centroid), darea = 0;
    for (int i = 0; i < s->nface; i++) {
        Triangle t = triangle_at(s, i);
        TriangleChange d = triangle_jvp(s, i, &t, f);
        dsum = tac_madd3(tac_madd3(dsum, d.area, t.center), t.area, d.center);
        darea += d.area;
    }
    return mean_jvp(centroid, area, dsum, darea);
}

static tacVec3 center_of_mass_jvp(const Surface *s, const Flow *f, tacVec3 apex, tacVec3 dapex) {
    tacVec3 com, dsum = {0, 0, 0};
    double total = center_of_mass(s, apex, &com), dtotal = 0;
    for (int i = 0; i < s->nface; i++) {
        Triangle t = triangle_at(s, i);
        TriangleChange d = triangle_jvp(s, i, &t, f);
        double v = measure(s, &t, apex), dv = measure_jvp(s, &t, &d, apex, dapex);
        dsum = tac_madd3(dsum, dv, tac_add3(tac_scale3(0.75, t.center), tac_scale3(0.25, apex)));
        dsum = tac_madd3(dsum, v, tac_add3(tac_scale3(0.75, d.center), tac_scale3(0.25, dapex)));
        dtotal += dv;
    }
    return mean_jvp(com, total, dsum, dtotal);
}

/* w product(x, x) and its change, three corners' coordinates each. */
static double moment_jvp(double w, double dw, const double p[3], const double q[3], const double dp[3],
                         const double dq[3]) {
    return dw * product(p[0], p[1], p[2], q[0], q[1], q[2]) +
           w * (product(dp[0], dp[1], dp[2], q[0], q[1], q[2]) + product(p[0], p[1], p[2], dq[0], dq[1], dq[2]));
}

static tacInertialTangent inertia_about_jvp(const Surface *s, const Flow *f, tacVec3 com, tacVec3 dcom) {
    double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0, total = 0;
    const double share = s->mode == TAC_MESH_SHELL ? 12 : 20;
    for (int i = 0; i < s->nface; i++) {
        Triangle t = triangle_at(s, i);
        TriangleChange d = triangle_jvp(s, i, &t, f);
        double w = measure(s, &t, com) / share, dv = measure_jvp(s, &t, &d, com, dcom), dw = dv / share;
        tacVec3 a = tac_sub3(t.a, com), b = tac_sub3(t.b, com), c = tac_sub3(t.c, com);
        tacVec3 da = tac_sub3(d.a, dcom), db = tac_sub3(d.b, dcom), dc = tac_sub3(d.c, dcom);
        double x[3] = {a.x, b.x, c.x}, y[3] = {a.y, b.y, c.y}, z[3] = {a.z, b.z, c.z};
        double dx[3] = {da.x, db.x, dc.x}, dy[3] = {da.y, db.y, dc.y}, dz[3] = {da.z, db.z, dc.z};
        xx += moment_jvp(w, dw, x, x, dx, dx);
        yy += moment_jvp(w, dw, y, y, dy, dy);
        zz += moment_jvp(w, dw, z, z, dz, dz);
        xy += moment_jvp(w, dw, x, y, dx, dy);
        xz += moment_jvp(w, dw, x, z, dx, dz);
        yz += moment_jvp(w, dw, y, z, dy, dz);
        total += dv;
    }
    return (tacInertialTangent){total, dcom, {yy + zz, xx + zz, xx + yy, -xy, -xz, -yz}};
}

int tac_mesh_of_number(const tacModel *m, tacNumber n) {
    const tacField *field = &TAC_FIELDS[n.field];
    size_t at = field->offset;
    int row = n.index / field->per;
    if (at == offsetof(tacModel, mesh_scale) || at == offsetof(tacModel, mesh_refpos) ||
        at == offsetof(tacModel, mesh_refquat))
        return row;
    for (int i = 0; i < m->nmesh && at == offsetof(tacModel, mesh_file_vert); i++)
        if (row >= m->mesh_vert_adr[i] && row < m->mesh_vert_adr[i] + m->mesh_vert_num[i]) return i;
    return -1;
}

tacInertialTangent tac_mesh_inertia_jvp(const tacModel *m, int mesh, tacNumber n) {
    if (tac_mesh_of_number(m, n) != mesh || !(m->mesh_volume[mesh] > 0)) return (tacInertialTangent){.mass = 0};
    Surface all = all_faces(m, mesh), s = counted_faces(m, mesh);
    Flow f = flow_of(m, mesh, n);
    tacVec3 apex, dapex = face_centroid_jvp(&all, &f);
    face_centroid(&all, &apex);
    return inertia_about_jvp(&s, &f, m->mesh_com[mesh], center_of_mass_jvp(&s, &f, apex, dapex));
}
