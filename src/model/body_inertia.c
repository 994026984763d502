/* Mass, centre of mass and inertia of a body, as written or from its geoms, then bounded and balanced. Also their
 * changes with one number. */
#include "model/inertia.h"
#include "model/validate.h"

#include "base/error.h"

/* The least eigenvalue that counts as an inertia, as in MuJoCo. */
#define MIN_EIGENVALUE 1e-14
/* Tolerance of the triangle inequality, relative to the trace, for rounding of an eigen-decomposition. */
#define TRIANGLE_ROUNDING 1e-12

/* --- Values ------------------------------------------------------------------------------------------------------- */

/* Sum over the geoms that carry mass. A single geom keeps its own frame. Several get the principal axes of the sum.
 * Without any the mass is zero, and the frame is MuJoCo's: the body's own pose. */
static tacStatus from_geoms(const tacModel *m, int body, tacMassProperties *out, tacError *err) {
    int begin = m->body_geom_adr[body], end = begin + m->body_geom_num[body], n = 0;
    tacMassProperties sum = {.quat = m->body_quat[body]}, p = sum;
    for (int g = begin; g < end; g++) {
        if (!tac_geom_carries_mass(m, g)) continue;
        p = tac_geom_inertia(m, g);
        sum.mass += p.mass;
        sum.com = tac_madd3(sum.com, p.mass, p.com);
        n++;
    }
    *out = p;
    if (n == 0) out->com = m->body_pos[body];
    if (n < 2) return TAC_OK;
    sum.com = tac_vec3(sum.com.x / sum.mass, sum.com.y / sum.mass, sum.com.z / sum.mass);
    for (int g = begin; g < end; g++) {
        if (!tac_geom_carries_mass(m, g)) continue;
        p = tac_geom_inertia(m, g);
        sum.icom = tac_addsym3(sum.icom, tac_addsym3(p.icom, tac_pointsym3(p.mass, tac_sub3(p.com, sum.com))));
    }
    tac_eig3(sum.icom, &sum.quat);
    sum.diag = tac_eig3_refine(sum.icom, &sum.quat);
    *out = sum;
    if (sum.diag.z < MIN_EIGENVALUE && !*m->option_literal_inertia)
        return tac_fail_element(m, NULL, err, TAC_KIND_BODY, body,
                                "inertia of its geoms has eigenvalue %g, expected positive", sum.diag.z);
    return TAC_OK;
}

/* The inertia tensor as written is in the axes of inertial_quat. */
static tacStatus from_full(const tacModel *m, int body, tacMassProperties *out, tacError *err) {
    tacQuat written = m->inertial_quat[body], axes;
    tac_eig3(m->inertial_full[body], &axes);
    out->diag = tac_eig3_refine(m->inertial_full[body], &axes);
    out->quat = tac_quat_mul(written, axes);
    out->icom = tac_rotatesym3(tac_quat_mat(written), m->inertial_full[body]);
    if (out->diag.z < MIN_EIGENVALUE && !*m->option_literal_inertia)
        return tac_fail_element(m, NULL, err, TAC_KIND_BODY, body, "fullinertia has eigenvalue %g, expected positive",
                                out->diag.z);
    return TAC_OK;
}

/* As the body says, unbounded. */
static tacStatus as_written(const tacModel *m, int body, tacMassProperties *out, tacError *err) {
    if (m->body_inertial[body] == TAC_INERTIAL_GEOMS) return from_geoms(m, body, out, err);
    *out = (tacMassProperties){.mass = m->inertial_mass[body], .com = m->inertial_pos[body]};
    if (m->body_inertial[body] == TAC_INERTIAL_FULL) return from_full(m, body, out, err);
    out->quat = m->inertial_quat[body];
    out->diag = m->inertial_diag[body];
    out->icom = tac_diag_to_sym(out->quat, out->diag);
    return TAC_OK;
}

static double at_least(double x, double bound) { return bound > 0 ? tac_max(x, bound) : x; }

/* A + B >= C for the three principal inertias. tol absorbs the rounding of an eigen-decomposition. */
static int breaks_triangle(tacVec3 d, double tol) {
    double slack = tol * (tac_abs(d.x) + tac_abs(d.y) + tac_abs(d.z));
    return d.x + d.y < d.z - slack || d.x + d.z < d.y - slack || d.y + d.z < d.x - slack;
}

static double triangle_slack(const tacModel *m, int body) {
    return m->body_inertial[body] == TAC_INERTIAL_DIAG ? 0 : TRIANGLE_ROUNDING;
}

/* Bounds, then balances, then checks, in MuJoCo's order. icom follows a change of the principal inertia. */
static tacStatus bound_inertia(const tacModel *m, int body, tacMassProperties *p, tacError *err) {
    tacVec3 before = p->diag, *d = &p->diag;
    double bound = *m->option_boundinertia;
    int literal = *m->option_literal_inertia;
    p->mass = at_least(p->mass, *m->option_boundmass);
    *d = tac_vec3(at_least(d->x, bound), at_least(d->y, bound), at_least(d->z, bound));
    if (!literal && (d->x < 0 || d->y < 0 || d->z < 0))
        return tac_fail_element(m, NULL, err, TAC_KIND_BODY, body, "inertia is %g %g %g, expected zero or more", d->x,
                                d->y, d->z);
    if (breaks_triangle(*d, triangle_slack(m, body))) {
        if (*m->option_balanceinertia) {
            double mean = (d->x + d->y + d->z) / 3;
            *d = tac_vec3(mean, mean, mean);
        } else if (!literal) {
            return tac_fail_element(m, NULL, err, TAC_KIND_BODY, body,
                                    "inertia is %g %g %g, expected the triangle inequality to hold", d->x, d->y, d->z);
        }
    }
    if (d->x != before.x || d->y != before.y || d->z != before.z) p->icom = tac_diag_to_sym(p->quat, *d);
    return TAC_OK;
}

tacStatus tac_body_inertia(const tacModel *m, int body, tacMassProperties *out, tacError *err) {
    TAC_TRY(as_written(m, body, out, err));
    return bound_inertia(m, body, out, err);
}

/* --- Along one number --------------------------------------------------------------------------------------------- */

/* M = sum m,  c = sum m c_g / M:  dc = (sum (dm c_g + m dc_g) - dM c) / M. Parallel axes with r = c_g - c, which moves
 * with both. */
static tacInertialTangent add_geoms_jvp(const tacModel *m, int body, const tacMassProperties *p, tacNumber n) {
    int begin = m->body_geom_adr[body], end = begin + m->body_geom_num[body];
    tacInertialTangent sum = {.mass = 0};
    for (int g = begin; g < end; g++) {
        if (!tac_geom_carries_mass(m, g)) continue;
        tacMassProperties one = tac_geom_inertia(m, g);
        tacInertialTangent d = tac_geom_inertia_jvp(m, g, n);
        sum.mass += d.mass;
        sum.com = tac_madd3(tac_madd3(sum.com, d.mass, tac_sub3(one.com, p->com)), one.mass, d.com);
    }
    sum.com = tac_vec3(sum.com.x / p->mass, sum.com.y / p->mass, sum.com.z / p->mass);
    for (int g = begin; g < end; g++) {
        if (!tac_geom_carries_mass(m, g)) continue;
        tacMassProperties one = tac_geom_inertia(m, g);
        tacInertialTangent d = tac_geom_inertia_jvp(m, g, n);
        tacSym3 axes = tac_pointsym3_jvp(one.mass, tac_sub3(one.com, p->com), d.mass, tac_sub3(d.com, sum.com));
        sum.icom = tac_addsym3(sum.icom, tac_addsym3(d.icom, axes));
    }
    return sum;
}

static tacInertialTangent from_geoms_jvp(const tacModel *m, int body, const tacMassProperties *p, tacNumber n) {
    int begin = m->body_geom_adr[body], end = begin + m->body_geom_num[body], count = 0, last = -1;
    for (int g = begin; g < end; g++)
        if (tac_geom_carries_mass(m, g)) {
            count++;
            last = g;
        }
    if (count == 0) return (tacInertialTangent){.com = TAC_CHANGE3(n, body_pos, body)};
    return count == 1 ? tac_geom_inertia_jvp(m, last, n) : add_geoms_jvp(m, body, p, n);
}

static tacSym3 change_full(tacNumber n, int body) {
    double e[6];
    for (int k = 0; k < 6; k++)
        e[k] = TAC_CHANGE(n, inertial_full, 6 * body + k);
    return (tacSym3){e[0], e[1], e[2], e[3], e[4], e[5]};
}

static tacInertialTangent as_written_jvp(const tacModel *m, int body, const tacMassProperties *p, tacNumber n) {
    if (m->body_inertial[body] == TAC_INERTIAL_GEOMS) return from_geoms_jvp(m, body, p, n);
    tacQuat quat = m->inertial_quat[body];
    tacVec3 t = tac_quat_rotate(quat, TAC_CHANGE_TURN(n, inertial_quat, body, quat));
    tacVec3 diag = TAC_CHANGE3(n, inertial_diag, body);
    tacSym3 own =
        m->body_inertial[body] == TAC_INERTIAL_FULL ? change_full(n, body) : (tacSym3){diag.x, diag.y, diag.z, 0, 0, 0};
    return (tacInertialTangent){TAC_CHANGE(n, inertial_mass, body), TAC_CHANGE3(n, inertial_pos, body),
                                tac_addsym3(tac_rotatesym3(tac_quat_mat(quat), own), tac_turnsym3(t, p->icom))};
}

/* 1 above the bound, 0 at and below it. */
static double at_least_slope(double x, double bound) { return bound > 0 && !(x > bound) ? 0 : 1; }

/* Divided difference of at_least between two principal inertias. */
static double clamp_quotient(double x, double y, double bound) {
    return x == y ? at_least_slope(x, bound) : (at_least(x, bound) - at_least(y, bound)) / (x - y);
}

/* Clamping the principal inertias is a function f of the matrix, I -> R f(diag) R^T. In principal axes its derivative
 * multiplies each entry by the divided difference of f   [DaleckiiKrein1965]. */
static tacSym3 clamp_jvp(const tacMassProperties *p, double bound, tacSym3 d) {
    tacMat3 R = tac_quat_mat(p->quat);
    tacVec3 e = p->diag;
    tacSym3 D = tac_rotatesym3(tac_transpose3(R), d);
    D.xx *= at_least_slope(e.x, bound);
    D.yy *= at_least_slope(e.y, bound);
    D.zz *= at_least_slope(e.z, bound);
    D.xy *= clamp_quotient(e.x, e.y, bound);
    D.xz *= clamp_quotient(e.x, e.z, bound);
    D.yz *= clamp_quotient(e.y, e.z, bound);
    return tac_rotatesym3(R, D);
}

/* Derivative of bound_inertia(). p is unbounded. */
static void bound_jvp(const tacModel *m, int body, const tacMassProperties *p, tacInertialTangent *d) {
    double bound = *m->option_boundinertia;
    tacVec3 e = tac_vec3(at_least(p->diag.x, bound), at_least(p->diag.y, bound), at_least(p->diag.z, bound));
    d->mass *= at_least_slope(p->mass, *m->option_boundmass);
    if (e.x != p->diag.x || e.y != p->diag.y || e.z != p->diag.z) d->icom = clamp_jvp(p, bound, d->icom);
    if (!*m->option_balanceinertia || !breaks_triangle(e, triangle_slack(m, body))) return;
    double mean = (d->icom.xx + d->icom.yy + d->icom.zz) / 3;
    d->icom = (tacSym3){mean, mean, mean, 0, 0, 0};
}

tacInertialTangent tac_body_inertia_jvp(const tacModel *m, int body, tacNumber n) {
    tacMassProperties p;
    as_written(m, body, &p, NULL); /* it was derived: no bad numbers */
    tacInertialTangent d = as_written_jvp(m, body, &p, n);
    bound_jvp(m, body, &p, &d);
    return d;
}
