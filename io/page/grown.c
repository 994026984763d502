#include "io/page/grown.h"

#include "math/quat.h"

int tac_is_grown(const tacModel *m, int geom) {
    int type = m->geom_type[geom];
    return type != TAC_GEOM_PLANE && type != TAC_GEOM_HFIELD && (m->geom_pad[geom] > 0 || m->geom_sum[geom] >= 0);
}

static double sign_of(double x) { return x < 0 ? -1 : 1; }

static tacVec3 furthest_vertex(const tacModel *m, int mesh, tacVec3 n) {
    const tacVec3 *vert = m->mesh_vert + m->mesh_vert_adr[mesh];
    int best = 0;
    for (int i = 1; i < m->mesh_vert_num[mesh]; i++)
        if (tac_dot3(vert[i], n) > tac_dot3(vert[best], n)) best = i;
    return vert[best];
}

/* The point of a geom's own shape, in its frame, that is furthest along a unit direction. */
static tacVec3 furthest(const tacModel *m, int geom, tacVec3 n) {
    const double *s = m->geom_size + 3 * geom;
    double across = tac_sqrt(n.x * n.x + n.y * n.y), by = across > 0 ? s[0] / across : 0;
    tacVec3 scaled = tac_vec3(s[0] * n.x, s[1] * n.y, s[2] * n.z), rim = tac_vec3(by * n.x, by * n.y, 0);
    switch (m->geom_type[geom]) {
    case TAC_GEOM_SPHERE:
        return tac_scale3(s[0], n);
    case TAC_GEOM_CAPSULE:
        return tac_madd3(tac_vec3(0, 0, s[1] * sign_of(n.z)), s[0], n);
    case TAC_GEOM_ELLIPSOID:
        return tac_scale3(1 / tac_norm3(scaled), tac_vec3(s[0] * scaled.x, s[1] * scaled.y, s[2] * scaled.z));
    case TAC_GEOM_CYLINDER:
        return tac_add3(rim, tac_vec3(0, 0, s[1] * sign_of(n.z)));
    case TAC_GEOM_CONE:
        return s[1] * n.z > s[0] * across - s[1] * n.z ? tac_vec3(0, 0, s[1]) : tac_add3(rim, tac_vec3(0, 0, -s[1]));
    case TAC_GEOM_MESH:
        return furthest_vertex(m, m->geom_mesh[geom], n);
    default:
        return tac_vec3(s[0] * sign_of(n.x), s[1] * sign_of(n.y), s[2] * sign_of(n.z));
    }
}

/* The same of the sum, in the frame of the first geom: terms are added turned as they are on the body. */
static tacVec3 furthest_of_sum(const tacModel *m, int geom, tacVec3 n) {
    tacVec3 in_body = tac_quat_rotate(m->geom_quat[geom], n), sum = tac_zero3();
    for (int g = geom; g >= 0; g = m->geom_sum[g]) {
        tacVec3 local = tac_quat_rotate(tac_quat_conj(m->geom_quat[g]), in_body);
        tacVec3 x = tac_madd3(furthest(m, g, local), m->geom_pad[g], local);
        sum = tac_add3(sum, tac_quat_rotate(m->geom_quat[g], x));
    }
    return tac_quat_rotate(tac_quat_conj(m->geom_quat[geom]), sum);
}

void tac_grown_mesh(const tacModel *m, int geom, tacVec3 *vert, int *face) {
    const double half_turn = 3.14159265358979323846;
    for (int i = 0; i < TAC_GROWN_VERTS; i++) {
        double up = half_turn * (i / TAC_GROWN_AROUND) / (TAC_GROWN_RINGS - 1);
        double around = 2 * half_turn * (i % TAC_GROWN_AROUND + 0.5) / TAC_GROWN_AROUND;
        tacVec3 n = {tac_sin(up) * tac_cos(around), tac_sin(up) * tac_sin(around), -tac_cos(up)};
        vert[i] = furthest_of_sum(m, geom, n);
    }
    for (int i = 0; i < TAC_GROWN_VERTS - TAC_GROWN_AROUND; i++, face += 6) {
        int next = i - i % TAC_GROWN_AROUND + (i + 1) % TAC_GROWN_AROUND;
        int quad[6] = {i, next, next + TAC_GROWN_AROUND, i, next + TAC_GROWN_AROUND, i + TAC_GROWN_AROUND};
        for (int k = 0; k < 6; k++)
            face[k] = quad[k];
    }
    for (int k = 1; k < TAC_GROWN_AROUND - 1; k++, face += 6) { /* a flat end is as wide as its face */
        int last = TAC_GROWN_VERTS - TAC_GROWN_AROUND, ends[6] = {0, k + 1, k, last, last + k, last + k + 1};
        for (int i = 0; i < 6; i++)
            face[i] = ends[i];
    }
}
