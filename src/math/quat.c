#include "math/quat.h"

tacQuat tac_quat_normalize(tacQuat q) {
    double norm = tac_quat_norm(q);
    if (!(norm >= TAC_QUAT_MIN_NORM) || !tac_finite(norm)) return tac_quat_identity();
    if (tac_abs(norm - 1) <= TAC_QUAT_UNIT_TOL) return q;
    return (tacQuat){q.w / norm, q.x / norm, q.y / norm, q.z / norm};
}

/* (cos(angle/2), axis sin(angle/2)) */
tacQuat tac_quat_axis_angle(tacVec3 axis, double angle) {
    double s = tac_sin(0.5 * angle);
    return (tacQuat){tac_cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
}

/* exp(r/2) = (cos(a/2), r sin(a/2)/a), a = |r|   [math.md, Q3]; series in a^2   [Q4] */
tacQuat tac_quat_exp(tacVec3 rotation) {
    double aa = tac_dot3(rotation, rotation), c, s;
    if (aa < TAC_QUAT_SMALL_ANGLE * TAC_QUAT_SMALL_ANGLE) {
        c = 1 - aa * (1.0 / 8 - aa / 384);
        s = 0.5 - aa * (1.0 / 48 - aa / 3840);
    } else {
        double a = tac_sqrt(aa);
        c = tac_cos(0.5 * a);
        s = tac_sin(0.5 * a) / a;
    }
    return (tacQuat){c, s * rotation.x, s * rotation.y, s * rotation.z};
}

/* log(q) = v 2 atan2(|v|, w)/|v| with the sign of q that has w >= 0   [math.md, Q5]; series in (|v|/w)^2   [Q6].
 * Does not ask for unit norm: both forms depend on the direction of q alone. */
tacVec3 tac_quat_log(tacQuat q) {
    tacVec3 v = {q.x, q.y, q.z};
    double w = q.w;
    if (w < 0) {
        w = -w;
        v = tac_neg3(v);
    }
    double ss = tac_dot3(v, v), ratio;
    if (ss < (0.25 * TAC_QUAT_SMALL_ANGLE * TAC_QUAT_SMALL_ANGLE) * (w * w)) {
        double tt = ss / (w * w);
        ratio = 2 / w * (1 - tt * (1.0 / 3 - tt * (1.0 / 5 - tt / 7)));
    } else {
        double s = tac_sqrt(ss);
        if (s == 0) return tac_zero3();
        ratio = 2 * tac_atan2(s, w) / s;
    }
    return tac_scale3(ratio, v);
}

/* The largest of the four squares 4w^2, 4x^2, 4y^2, 4z^2 is divided by, so no digits are lost   [math.md, Q7]. */
tacQuat tac_quat_from_mat(tacMat3 R) {
    const double *m = R.m;
    double ww = 1 + m[0] + m[4] + m[8], xx = 1 + m[0] - m[4] - m[8];
    double yy = 1 - m[0] + m[4] - m[8], zz = 1 - m[0] - m[4] + m[8];
    double wx = m[7] - m[5], wy = m[2] - m[6], wz = m[3] - m[1];
    double xy = m[1] + m[3], xz = m[2] + m[6], yz = m[5] + m[7];
    tacQuat q;
    if (ww >= 1)
        q = (tacQuat){ww, wx, wy, wz};
    else if (xx >= yy && xx >= zz)
        q = (tacQuat){wx, xx, xy, xz};
    else if (yy >= zz)
        q = (tacQuat){wy, xy, yy, yz};
    else
        q = (tacQuat){wz, xz, yz, zz};
    if (q.w < 0) q = (tacQuat){-q.w, -q.x, -q.y, -q.z};
    return tac_quat_normalize(q);
}

/* With d = z/|z|, c = cos(angle) = d_z, axis along e_z x d = (-d_y, d_x, 0): half angles by square roots, from the side
 * that has no cancellation   [math.md, Q8]. Where d = -e_z the axis is x. */
tacQuat tac_quat_from_z(tacVec3 z) {
    double norm = tac_norm3(z);
    if (!(norm >= TAC_QUAT_MIN_NORM) || !tac_finite(norm)) return tac_quat_identity();
    tacVec3 d = {z.x / norm, z.y / norm, z.z / norm};
    double sine = tac_sqrt(d.x * d.x + d.y * d.y);
    if (sine < TAC_QUAT_MIN_NORM) return d.z < 0 ? (tacQuat){0, 1, 0, 0} : tac_quat_identity();
    double cos_half, sin_half;
    if (d.z >= 0) {
        cos_half = tac_sqrt(0.5 * (1 + d.z));
        sin_half = 0.5 * sine / cos_half;
    } else {
        sin_half = tac_sqrt(0.5 * (1 - d.z));
        cos_half = 0.5 * sine / sin_half;
    }
    return tac_quat_normalize((tacQuat){cos_half, -sin_half * d.y / sine, sin_half * d.x / sine, 0});
}

/* Jr(r) = I - B [r]x + C [r]x^2,  B = (1 - cos a)/a^2,  C = (a - sin a)/a^3   [math.md, Q9]; series   [Q10].
 * [r]x^2 = r r^T - a^2 I. */
tacMat3 tac_quat_right_jacobian(tacVec3 r) {
    double aa = tac_dot3(r, r), B, C;
    if (aa < TAC_QUAT_SMALL_ANGLE * TAC_QUAT_SMALL_ANGLE) {
        B = 0.5 - aa * (1.0 / 24 - aa / 720);
        C = 1.0 / 6 - aa * (1.0 / 120 - aa / 5040);
    } else {
        double a = tac_sqrt(aa), s = tac_sin(0.5 * a);
        B = 2 * s * s / aa; /* 1 - cos a = 2 sin^2(a/2): no cancellation */
        C = (a - tac_sin(a)) / (a * aa);
    }
    double d = 1 - C * aa;
    return (tacMat3){{d + C * r.x * r.x, C * r.x * r.y + B * r.z, C * r.x * r.z - B * r.y, C * r.x * r.y - B * r.z,
                      d + C * r.y * r.y, C * r.y * r.z + B * r.x, C * r.x * r.z + B * r.y, C * r.y * r.z - B * r.x,
                      d + C * r.z * r.z}};
}

/* Jr^-1(r) = I + [r]x/2 + E [r]x^2,  E = (1 - (a/2) cot(a/2)) / a^2;  series E = 1/12 + a^2/720 + a^4/30240
 * [math.md, Q11]. */
tacMat3 tac_quat_right_jacobian_inverse(tacVec3 r) {
    double aa = tac_dot3(r, r), E;
    if (aa < TAC_QUAT_SMALL_ANGLE * TAC_QUAT_SMALL_ANGLE) {
        E = 1.0 / 12 + aa * (1.0 / 720 + aa / 30240);
    } else {
        double half = 0.5 * tac_sqrt(aa);
        E = (1 - half * tac_cos(half) / tac_sin(half)) / aa;
    }
    double d = 1 - E * aa;
    return (tacMat3){{d + E * r.x * r.x, E * r.x * r.y - 0.5 * r.z, E * r.x * r.z + 0.5 * r.y,
                      E * r.x * r.y + 0.5 * r.z, d + E * r.y * r.y, E * r.y * r.z - 0.5 * r.x,
                      E * r.x * r.z - 0.5 * r.y, E * r.y * r.z + 0.5 * r.x, d + E * r.z * r.z}};
}

/* q -> q exp(d/2) with d = 2 Im(q* dq), q of unit length; the part of dq along q is lost in normalizing. */
tacVec3 tac_quat_component_turn(tacQuat q, int k) {
    tacQuat dq = {k == 0, k == 1, k == 2, k == 3}, d = tac_quat_mul(tac_quat_conj(q), dq);
    return tac_scale3(2, tac_vec3(d.x, d.y, d.z));
}
