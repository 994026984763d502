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

/* dphi = n . dx,   dx = v + w x r; the point midway moves by dx - n dphi/2 + slide w. With the centre's
 * dx_c = v + w x r_c and d(spin) = Jl^-1(h spin) w/h,
 *   h du = dx_c + (Jl^-1 w) x arm + h spin x (dx - n dphi/2 + slide w - dx_c) */
void tac_ncp_plane_rows(const tacNcp *p, tacNcpContact *c) {
    int b = c->body[1];
    double over_h = 1 / p->h;
    tacVec3 n = c->next.contact.normal, spin = p->spin[b], centre = p->next.xipos[b];
    tacVec3 r = tac_sub3(tac_madd3(c->next.contact.point[1], c->plane.pad, n), p->next.origin[b]);
    tacVec3 r_c = tac_sub3(centre, p->next.origin[b]), arm = tac_sub3(c->next.contact.pos, centre);
    tacMat3 inverse = tac_quat_right_jacobian_inverse(tac_scale3(p->h, spin)); /* Jl^-1 is its transpose */
    put_row(c->next.G[0] + 6, tac_cross3(r, n), n);
    for (int i = 0; i < 2; i++) {
        tacVec3 t = c->next.contact.tangent[i], across = tac_cross3(t, spin);
        tacVec3 of_point = tac_madd3(across, -0.5 * tac_dot3(across, n), n);
        tacVec3 of_centre = tac_sub3(tac_scale3(over_h, t), across);
        tacVec3 turned = tac_scale3(over_h, tac_mulmv3(inverse, tac_cross3(arm, t)));
        if (c->plane.kind == PLANE_ELLIPSOID) turned = tac_add3(turned, tac_mulmtv3(c->plane.slide, across));
        put_row(c->next.G[1 + i] + 6, tac_add3(turned, tac_add3(tac_cross3(r_c, of_centre), tac_cross3(r, of_point))),
                tac_add3(of_centre, of_point));
    }
}

/* Torque of the impulse P on body 1 as the place moves by w x (r - r_c) + slide w - n dphi/2:
 *   (r - r_c) (P . w) - (P . (r - r_c)) w - P x slide w - (n x P) dphi/2
 * and the opposite on the fixed body. */
void tac_ncp_plane_geometric_stiffness(const tacNcp *p, const tacNcpContact *c, int side, double torque[3][6]) {
    double t[3] = {c->friction.gamma, c->friction.xi[1], c->friction.xi[2]}, sign = side == 0 ? -1 : 1;
    tacVec3 n = c->next.contact.normal, P = tac_scale3(sign, tac_ncp_impulse(&c->next.contact, t));
    tacVec3 rho = tac_sub3(tac_madd3(c->next.contact.point[1], c->plane.pad, n), p->next.xipos[c->body[1]]);
    tacVec3 half = tac_scale3(-0.5, tac_cross3(n, P));
    tacMat3 along = {{0}};
    if (c->plane.kind == PLANE_ELLIPSOID) along = tac_mulmm3(tac_ncp_skew(P), c->plane.slide);
    for (int i = 0; i < 3; i++) {
        put_row(torque[i], tac_sub3(tac_scale3(tac_get3(rho, i), P), tac_load3(along.m + 3 * i)), tac_zero3());
        torque[i][i] -= tac_dot3(P, rho);
        tac_six_axpy(tac_get3(half, i), c->next.G[0] + 6, torque[i]);
    }
}
