/* Contacts of a point (the middle of a sphere, the end of a capsule, a corner) or an ellipsoid with a fixed plane: what
 * most robots stand on. Normal and tangents are fixed, and everything follows from the lowest point: the general form
 * (contact_system.c) in closed form. A point is fixed in its body, x = x_b + R_b c. Of an ellipsoid with half axes E,
 *
 *   x = x_g - R E^2 m/k,   m = R^T n,   k = |E m|
 *
 * Twists are about the tree's origin at q+, with parts w and v. r is from there to x, r_c to the centre of mass. */
#include "contact/ncp/plane_contact.h"

#include "contact/ncp/bodies.h"
#include "contact/ncp/contact.h"
#include "contact/ncp/impulse_place.h"
#include "math/six.h"

#include <string.h>

enum { PLANE_NONE, PLANE_POINT, PLANE_ELLIPSOID };

static const tacPose HERE = {{0, 0, 0}, {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};

static int kind_of(const tacNcp *p, const tacNcpContact *c) {
    const tacFeature *f = c->feature.found.feature;
    if (c->feature.found.rule != TAC_RULE_NEAREST || f[0].kind != TAC_FEATURE_PLANE || !p->ldu.still[c->body[0]])
        return PLANE_NONE;
    return f[1].kind == TAC_FEATURE_POINT       ? PLANE_POINT
           : f[1].kind == TAC_FEATURE_ELLIPSOID ? PLANE_ELLIPSOID
                                                : PLANE_NONE;
}

void tac_ncp_plane_begin(const tacNcp *p, tacNcpContact *c) {
    int geom = c->feature.found.geom[1];
    c->plane.kind = kind_of(p, c);
    if (!c->plane.kind) return;
    c->plane.core = p->m->geom_pos[geom];
    c->plane.pad = 0;
    if (c->plane.kind == PLANE_POINT) {
        tacPatch point = tac_feature_patch(&p->scene->shape[geom], &HERE, c->feature.found.feature[1], tac_zero3());
        c->plane.core = tac_add3(c->plane.core, tac_mulmv3(tac_quat_mat(p->m->geom_quat[geom]), point.x));
        c->plane.pad = point.pad;
    }
    c->plane.level = tac_dot3(c->feature.found.normal, c->feature.found.point[0]);
    c->plane.slide = (tacMat3){{0}};
    memset(c->next.G, 0, sizeof c->next.G);
}

/* x at q+. Sets how it moves within an ellipsoid that turns by w: slide w = -R B R^T (n x w),
 * B = (E^2 - E^2 m (E^2 m)^T/k^2)/k. */
static tacVec3 lowest_point(const tacNcp *p, tacNcpContact *c) {
    tacVec3 x = tac_frame_pos(&p->next, c->body[1], c->plane.core), n = c->next.contact.normal;
    if (c->plane.kind == PLANE_POINT) return x;
    int geom = c->feature.found.geom[1];
    tacMat3 R = tac_quat_mat(tac_frame_quat(&p->next, c->body[1], p->m->geom_quat[geom]));
    tacVec3 E = p->scene->shape[geom].size, square = tac_mul3(E, E), m = tac_mulmtv3(R, n);
    double k = tac_norm3(tac_mul3(E, m));
    tacVec3 down = tac_scale3(1 / k, tac_mul3(square, m)), e = {square.x / k, square.y / k, square.z / k};
    tacMat3 B = {{e.x - down.x * down.x / k, -down.x * down.y / k, -down.x * down.z / k, //
                  -down.y * down.x / k, e.y - down.y * down.y / k, -down.y * down.z / k, //
                  -down.z * down.x / k, -down.z * down.y / k, e.z - down.z * down.z / k}};
    c->plane.slide = tac_mulmm3(tac_mulmm3(R, B), tac_mulmm3(tac_transpose3(R), tac_ncp_skew(tac_neg3(n))));
    return tac_sub3(x, tac_mulmv3(R, down));
}

void tac_ncp_plane_place(const tacNcp *p, tacNcpContact *c) {
    tacContact *now = &c->next.contact;
    tacVec3 n = now->normal, x = lowest_point(p, c);
    now->dist = tac_dot3(n, x) - c->plane.level - c->plane.pad;
    now->point[1] = tac_madd3(x, -c->plane.pad, n);
    now->point[0] = tac_madd3(now->point[1], -now->dist, n);
    now->pos = tac_madd3(now->point[1], -0.5 * now->dist, n);
}

/* Row over twists: w . ang + v . lin */
static void put_row(double *row, tacVec3 ang, tacVec3 lin) {
    tac_store3(row, ang);
    tac_store3(row + 3, lin);
}

/* From the centre of mass at q+ to x. */
static tacVec3 ahead(const tacNcp *p, const tacNcpContact *c) {
    tacVec3 x = tac_madd3(c->next.contact.point[1], c->plane.pad, c->next.contact.normal);
    return tac_sub3(x, p->next.xipos[c->body[1]]);
}

/* The place moves by M Y w, Y w = w x rho + slide w, M = weight 1 + way by_next^T of (W5d), rho from the centre of mass
 * at q+ to x: the matrix of w. */
tacMat3 tac_ncp_plane_place_by_turn(const tacNcp *p, const tacNcpContact *c) {
    tacVec3 rho = ahead(p, c), way = c->impulse.way, by = c->impulse.by_next;
    tacVec3 along = tac_add3(tac_cross3(rho, by), tac_mulmtv3(c->plane.slide, by)); /* Y^T by_next */
    tacMat3 B = tac_ncp_skew(tac_neg3(rho));
    for (int i = 0; i < 9; i++)
        B.m[i] = c->impulse.weight * (B.m[i] + c->plane.slide.m[i]) + tac_get3(way, i / 3) * tac_get3(along, i % 3);
    return B;
}

/* dphi = n . (v + w x r). With the centre's dx_c = v + w x r_c, d(spin) = Jl^-1(h spin) w/h and the place's B w,
 *   h du = dx_c + (Jl^-1 w) x arm + h spin x B w */
void tac_ncp_plane_rows(const tacNcp *p, tacNcpContact *c, const tacMat3 *by_turn) {
    int b = c->body[1];
    double over_h = 1 / p->h;
    tacVec3 n = c->next.contact.normal, spin = p->spin[b], r_c = tac_sub3(p->next.xipos[b], p->next.origin[b]);
    tacVec3 arm = tac_sub3(c->impulse.place, p->w->xipos[b]);
    tacMat3 inverse = tac_quat_right_jacobian_inverse(tac_scale3(p->h, spin)); /* Jl^-1 is its transpose */
    put_row(c->next.G[0] + 6, tac_cross3(tac_add3(r_c, ahead(p, c)), n), n);
    for (int i = 0; i < 2; i++) {
        tacVec3 t = c->next.contact.tangent[i];
        tacVec3 turned = tac_add3(tac_cross3(r_c, t), tac_mulmv3(inverse, tac_cross3(arm, t)));
        put_row(c->next.G[1 + i] + 6, tac_madd3(tac_mulmtv3(*by_turn, tac_cross3(t, spin)), over_h, turned),
                tac_scale3(over_h, t));
    }
}

/* The point midway moves by v + w x r + slide w - n dphi/2. */
void tac_ncp_plane_beyond(const tacNcp *p, const tacNcpContact *c, const tacMat3 *by_turn, double beyond[3][12]) {
    tacVec3 centre = tac_sub3(p->next.xipos[c->body[1]], p->next.origin[c->body[1]]);
    tacMat3 slip = tac_ncp_skew(tac_neg3(tac_add3(ahead(p, c), centre)));
    for (int i = 0; i < 3; i++) {
        double *row = beyond[i] + 6;
        for (int k = 0; k < 3; k++)
            row[k] = slip.m[3 * i + k] + c->plane.slide.m[3 * i + k] - by_turn->m[3 * i + k];
        row[3 + i] = 1;
        tac_six_axpy(-0.5 * tac_get3(c->next.contact.normal, i), c->next.G[0] + 6, row);
    }
}

/* Torque of the impulse P on body 1 as the place moves by B w, -P x B w, and the opposite on the fixed body. */
void tac_ncp_plane_geometric_stiffness(const tacNcpContact *c, const tacMat3 *by_turn, int side, double torque[3][6]) {
    double t[3] = {c->friction.gamma, c->friction.xi[1], c->friction.xi[2]}, sign = side == 0 ? 1 : -1;
    tacVec3 P = tac_scale3(sign, tac_ncp_impulse(&c->next.contact, t));
    tacMat3 turned = tac_mulmm3(tac_ncp_skew(P), *by_turn);
    for (int i = 0; i < 3; i++)
        put_row(torque[i], tac_load3(turned.m + 3 * i), tac_zero3());
}
