#include "collide/touch_motion.h"

#include "math/quat.h"

#include <string.h>

static int sizes_of(tacGeomType type) {
    switch (type) {
    case TAC_GEOM_SPHERE:
        return 1;
    case TAC_GEOM_CAPSULE:
    case TAC_GEOM_CYLINDER:
    case TAC_GEOM_CONE:
        return 2;
    case TAC_GEOM_BOX:
    case TAC_GEOM_ELLIPSOID:
        return 3;
    default:
        return 0;
    }
}

int motion_count(const TouchMotion *m, int side) {
    const tacShape *s = &m->shape[side];
    return s->type == TAC_GEOM_MESH ? MOTION_POSE + MOTION_SIZE + 3 * s->hull.nvert : MOTION_POSE + sizes_of(s->type);
}

static void add_to(tacVec3 *x, int k, double t) { (k == 0 ? &x->x : k == 1 ? &x->y : &x->z)[0] += t; }

static tacVec3 axis(int k) { return tac_vec3(k == 0, k == 1, k == 2); }

void motion_at(TouchMotion *m, double t, tacShape shape[2], tacPose pose[2]) {
    memcpy(shape, m->shape, sizeof m->shape), memcpy(pose, m->pose, sizeof m->pose);
    tacPose *P = &pose[m->side];
    tacShape *S = &shape[m->side];
    if (m->what < 3) {
        tacMat3 E = tac_quat_mat(tac_quat_exp(tac_scale3(t, axis(m->what))));
        P->R = tac_mulmm3(E, P->R);
        P->p = tac_add3(m->about, tac_mulmv3(E, tac_sub3(P->p, m->about)));
    } else if (m->what < MOTION_POSE) {
        add_to(&P->p, m->what - 3, t);
    } else if (m->what < MOTION_POSE + MOTION_SIZE) {
        add_to(&S->size, m->what - MOTION_POSE, t);
    } else {
        int k = m->what - MOTION_POSE - MOTION_SIZE;
        memcpy(m->corner, S->hull.vert, (size_t)S->hull.nvert * sizeof *m->corner);
        add_to(&m->corner[k / 3], k % 3, t);
        S->hull.vert = m->corner;
    }
}

tacShapeTangent motion_tangent(const TouchMotion *m, int side, tacVec3 corner[MOTION_MOST_CORNERS]) {
    tacShapeTangent t = {.about = m->about};
    int k = m->what;
    if (side != m->side) return t;
    if (k < 3) t.twist.ang = axis(k);
    if (k >= 3 && k < MOTION_POSE) t.twist.lin = axis(k - 3);
    if (k >= MOTION_POSE && k < MOTION_POSE + MOTION_SIZE) t.size = axis(k - MOTION_POSE);
    if (k < MOTION_POSE + MOTION_SIZE) return t;
    k -= MOTION_POSE + MOTION_SIZE;
    for (int i = 0; i < m->shape[side].hull.nvert; i++)
        corner[i] = i == k / 3 ? axis(k % 3) : tac_zero3();
    t.vert = corner;
    return t;
}

static void pack(double dist, const tacVec3 point[2], tacVec3 normal, double out[MOTION_NUMBERS]) {
    out[0] = dist;
    tac_store3(out + 1, point[0]), tac_store3(out + 4, point[1]), tac_store3(out + 7, normal);
}

void motion_pack(const tacTouch *t, double out[MOTION_NUMBERS]) { pack(t->dist, t->point, t->normal, out); }

void motion_pack_tangent(const tacTouchTangent *t, double out[MOTION_NUMBERS]) {
    pack(t->dist, t->point, t->normal, out);
}

tacShape motion_prism(void) {
    static const tacVec3 vert[6] = {{-0.6, -0.5, -0.7}, {0.8, -0.4, -0.6}, {0.1, 0.7, -0.8},
                                    {-0.4, -0.6, 0.6},  {1.0, -0.5, 0.7},  {0.3, 0.6, 0.5}};
    static const int edge_adr[6] = {0, 3, 6, 9, 12, 15}, edge_num[6] = {3, 3, 3, 3, 3, 3};
    static const int edge[18] = {1, 3, 2, 4, 0, 2, 1, 0, 5, 4, 5, 0, 5, 3, 1, 3, 4, 2};
    static const int edge_face[18] = {2, 4, 0, 2, 0, 3, 0, 4, 3, 1, 4, 2, 1, 2, 3, 1, 3, 4};
    static const int loop_adr[5] = {0, 3, 6, 10, 14}, loop_num[5] = {3, 3, 4, 4, 4};
    static const int loop[18] = {0, 2, 1, 3, 4, 5, 0, 1, 4, 3, 1, 2, 5, 4, 2, 0, 3, 5};
    return (tacShape){.type = TAC_GEOM_MESH,
                      .hull = {.nvert = 6,
                               .nface = 5,
                               .vert = vert,
                               .edge_adr = edge_adr,
                               .edge_num = edge_num,
                               .edge = edge,
                               .edge_face = edge_face,
                               .loop_adr = loop_adr,
                               .loop_num = loop_num,
                               .loop = loop}};
}
