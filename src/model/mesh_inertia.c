/* Volume, centre of mass and inertia of a triangle mesh: sums over the pyramids that the triangles make with an apex.
 *
 * Four modes, as in MuJoCo 3:
 *   exact   signed pyramids, which add up to the enclosed volume of a closed surface, whatever the apex
 *   legacy  absolute pyramids: apex at the area centroid of the faces for the centre of mass, at that centre for volume
 *           and inertia. The same as exact for a surface that is star-shaped about both, an overestimate otherwise
 *   convex  exact, over the triangles of the convex hull
 *   shell   the triangles themselves: area in place of volume */
#include "model/inertia.h"
#include "model/validate.h"

/* Smaller volumes, areas and doubled triangle areas count as none (MuJoCo's limit). */
#define MIN_MEASURE 1e-15
/* Shares by which a mesh's principal inertias may break the triangle inequality (MuJoCo's limits). */
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

/* Centre of mass: pyramids have theirs a quarter of the way from base to apex. Returns volume or area. */
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

/* Second moment of a triangle's pyramid (apex at the origin) or of the triangle, per volume or area, times 20 or 12:
 * for coordinates p, q of the corners:  2 sum p_i q_i + sum_{i != j} p_i q_j = sum p_i q_i + (sum p_i)(sum q_i). */
static double product(double p0, double p1, double p2, double q0, double q1, double q2) {
    return p0 * q0 + p1 * q1 + p2 * q2 + (p0 + p1 + p2) * (q0 + q1 + q2);
}

/* Inertia about com for unit density, mesh axes; returns volume or area summed with that apex. */
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

/* Whether the mass of some body may hang on this mesh, or something may touch it. */
static int matters(const tacModel *m, int mesh) {
    for (int g = 0; g < m->ngeom; g++)
        if (m->geom_mesh[g] == mesh && !m->geom_visual[g]) return 1;
    return 0;
}

/* Refuses a mesh without extent where that matters; elsewhere it has no volume and no inertia. */
static tacStatus refuse(tacModel *m, int mesh, const char *what, double value, tacError *err) {
    m->mesh_volume[mesh] = 0;
    m->mesh_com[mesh] = tac_zero3();
    m->mesh_icom[mesh] = (tacSym3){0, 0, 0, 0, 0, 0};
    if (!matters(m, mesh)) return TAC_OK;
    return tac_fail_element(m, NULL, err, TAC_KIND_MESH, mesh, "%s is %g, expected a positive number", what, value);
}

static int breaks_triangle(tacVec3 d) {
    const double keep = 1 - TRIANGLE_REL;
    return d.x + d.y < d.z * keep - TRIANGLE_ABS || d.x + d.z < d.y * keep - TRIANGLE_ABS ||
           d.y + d.z < d.x * keep - TRIANGLE_ABS;
}

tacStatus tac_mesh_derive(tacModel *m, int mesh, tacError *err) {
    Surface s = {m->mesh_vert + m->mesh_vert_adr[mesh], m->mesh_face + 3 * (size_t)m->mesh_face_adr[mesh],
                 m->mesh_face_num[mesh], (tacMeshInertia)m->mesh_inertia_mode[mesh]};
    tacVec3 apex;
    place_vertices(m, mesh);
    double area = face_centroid(&s, &apex);
    if (!(area >= MIN_MEASURE)) return refuse(m, mesh, "surface area", area, err);
    if (s.mode == TAC_MESH_CONVEX) {
        s.face = m->mesh_hullface + 3 * (size_t)m->mesh_hullface_adr[mesh];
        s.nface = m->mesh_hullface_num[mesh];
    }
    double volume = center_of_mass(&s, apex, &m->mesh_com[mesh]);
    if (!(volume >= MIN_MEASURE)) return refuse(m, mesh, "volume", volume, err);
    m->mesh_volume[mesh] = inertia_about(&s, m->mesh_com[mesh], &m->mesh_icom[mesh]);
    tacQuat axes;
    tacVec3 principal = tac_eig3(m->mesh_icom[mesh], &axes);
    if (!(principal.z > 0)) return refuse(m, mesh, "least principal inertia", principal.z, err);
    if (breaks_triangle(principal) && matters(m, mesh))
        return tac_fail_element(m, NULL, err, TAC_KIND_MESH, mesh,
                                "principal inertias are %g %g %g, expected the sum of any two not below the third",
                                principal.x, principal.y, principal.z);
    return TAC_OK;
}
