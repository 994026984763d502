/* NUMBER rows -> the DERIVED rows that need no dynamics. */
#include "model/inertia.h"
#include "model/validate.h"

#include "base/error.h"

/* The least eigenvalue that counts as an inertia, as in MuJoCo. */
#define MIN_EIGENVALUE 1e-14
/* Share of the trace that rounding in an eigen-decomposition may break the triangle inequality by. */
#define TRIANGLE_ROUNDING 1e-12

/* --- Mass properties of a body ------------------------------------------------------------------------------------ */

/* Sum over the geoms that carry mass. One alone keeps its own frame; several get the principal axes of the sum; none
 * leaves mass zero with the frame MuJoCo gives then: the body's own pose. */
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

/* The inertia tensor as written lies in the axes of inertial_quat. */
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

/* A + B >= C for the three principal inertias; tol absorbs the rounding of an eigen-decomposition. */
static int breaks_triangle(tacVec3 d, double tol) {
    double slack = tol * (tac_abs(d.x) + tac_abs(d.y) + tac_abs(d.z));
    return d.x + d.y < d.z - slack || d.x + d.z < d.y - slack || d.y + d.z < d.x - slack;
}

/* Bounds, then balance, then the checks, in MuJoCo's order. icom follows when the principal inertia changes. */
static tacStatus bound_inertia(const tacModel *m, int body, tacMassProperties *p, tacError *err) {
    tacVec3 before = p->diag, *d = &p->diag;
    double bound = *m->option_boundinertia, tol = m->body_inertial[body] == TAC_INERTIAL_DIAG ? 0 : TRIANGLE_ROUNDING;
    int literal = *m->option_literal_inertia;
    p->mass = at_least(p->mass, *m->option_boundmass);
    *d = tac_vec3(at_least(d->x, bound), at_least(d->y, bound), at_least(d->z, bound));
    if (!literal && (d->x < 0 || d->y < 0 || d->z < 0))
        return tac_fail_element(m, NULL, err, TAC_KIND_BODY, body, "inertia is %g %g %g, expected no negative number",
                                d->x, d->y, d->z);
    if (breaks_triangle(*d, tol)) {
        if (*m->option_balanceinertia) {
            double mean = (d->x + d->y + d->z) / 3;
            *d = tac_vec3(mean, mean, mean);
        } else if (!literal) {
            return tac_fail_element(m, NULL, err, TAC_KIND_BODY, body,
                                    "inertia is %g %g %g, expected the sum of any two not below the third", d->x, d->y,
                                    d->z);
        }
    }
    if (d->x != before.x || d->y != before.y || d->z != before.z) p->icom = tac_diag_to_sym(p->quat, *d);
    return TAC_OK;
}

tacStatus tac_body_inertia(const tacModel *m, int body, tacMassProperties *out, tacError *err) {
    TAC_TRY(as_written(m, body, out, err));
    return bound_inertia(m, body, out, err);
}

/* --- All bodies --------------------------------------------------------------------------------------------------- */

static int has_inertia(const tacModel *m, int body) {
    tacVec3 d = m->body_inertia[body];
    return m->body_mass[body] >= TAC_MIN_INERTIA && d.x >= TAC_MIN_INERTIA && d.y >= TAC_MIN_INERTIA &&
           d.z >= TAC_MIN_INERTIA;
}

/* A body with joints has mass and inertia, or something welded to it has. The row of subtree masses, not yet filled,
 * serves as the mark. */
static tacStatus check_moving(tacModel *m, tacError *err) {
    double *mark = m->body_subtree_mass;
    for (int b = 0; b < m->nbody; b++)
        mark[b] = 0;
    for (int b = 0; b < m->nbody; b++)
        if (has_inertia(m, b)) mark[m->body_weld[b]] = 1;
    for (int b = 1; b < m->nbody; b++) {
        if (m->body_joint_num[b] == 0 || mark[b] != 0) continue;
        tacVec3 d = m->body_inertia[b];
        return tac_fail_element(m, NULL, err, TAC_KIND_BODY, b,
                                "moves with mass %g and inertia %g %g %g, expected each to be at least %g",
                                m->body_mass[b], d.x, d.y, d.z, TAC_MIN_INERTIA);
    }
    return TAC_OK;
}

/* Scales masses and inertias so that they sum up to option_settotalmass. */
static void scale_to_total(tacModel *m) {
    double total = 0;
    for (int b = 0; b < m->nbody; b++)
        total += m->body_mass[b];
    double scale = tac_max(TAC_MIN_INERTIA, *m->option_settotalmass / tac_max(TAC_MIN_INERTIA, total));
    for (int b = 1; b < m->nbody; b++) {
        m->body_mass[b] *= scale;
        m->body_inertia[b] = tac_scale3(scale, m->body_inertia[b]);
        m->body_icom[b] = tac_scalesym3(scale, m->body_icom[b]);
    }
}

static tacStatus derive_bodies(tacModel *m, tacError *err) {
    m->body_iquat[0] = tac_quat_identity();
    for (int b = 1; b < m->nbody; b++) {
        tacMassProperties p;
        TAC_TRY(tac_body_inertia(m, b, &p, err));
        m->body_mass[b] = p.mass;
        m->body_ipos[b] = p.com;
        m->body_iquat[b] = p.quat;
        m->body_inertia[b] = p.diag;
        m->body_icom[b] = p.icom;
    }
    if (!*m->option_literal_inertia) TAC_TRY(check_moving(m, err));
    if (*m->option_settotalmass > 0) scale_to_total(m);
    for (int b = 0; b < m->nbody; b++)
        m->body_subtree_mass[b] = m->body_mass[b];
    for (int b = m->nbody - 1; b > 0; b--)
        m->body_subtree_mass[m->body_parent[b]] += m->body_subtree_mass[b];
    return TAC_OK;
}

/* --- Coordinates -------------------------------------------------------------------------------------------------- */

/* qpos_0 draws the file's pose: a free joint stands where its body does. */
static void derive_coordinates(tacModel *m) {
    for (int j = 0; j < m->njnt; j++) {
        double *q0 = m->qpos_0 + m->joint_qpos_adr[j], *spring = m->qpos_spring + m->joint_qpos_adr[j];
        int body = m->joint_body[j];
        switch (m->joint_type[j]) {
        case TAC_FREE:
            tac_store3(q0, m->body_pos[body]), tac_quat_store(q0 + 3, m->body_quat[body]);
            tac_store3(spring, m->body_pos[body]), tac_quat_store(spring + 3, m->body_quat[body]);
            break;
        case TAC_BALL:
            tac_quat_store(q0, tac_quat_identity()), tac_quat_store(spring, tac_quat_identity());
            break;
        default:
            q0[0] = m->joint_ref[j], spring[0] = m->joint_springref[j];
        }
    }
}

/* Per-dof copies; where springdamper rules, the dynamics replace stiffness and damping. */
static void derive_dofs(tacModel *m) {
    for (int i = 0; i < m->nv; i++) {
        m->dof_armature[i] = m->joint_armature[m->dof_joint[i]];
        m->dof_damping[i] = m->joint_damping[m->dof_joint[i]];
    }
    for (int j = 0; j < m->njnt; j++)
        m->joint_stiffness_used[j] = m->joint_stiffness[j];
}

/* What a keyframe does not give follows the model: qpos_0, poses of mocap bodies. (Velocities, activations and controls
 * are zero then, and stay so.) */
static void derive_keys(tacModel *m) {
    for (int i = 0; i < m->nkey; i++) {
        double *qpos = m->key_qpos + (size_t)i * (size_t)m->nq;
        for (int k = 0; k < m->nq && !(m->key_given[i] & TAC_KEY_QPOS); k++)
            qpos[k] = m->qpos_0[k];
        for (int k = 0; k < m->nmocap; k++) {
            int row = i * m->nmocap + k, body = m->mocap_body[k];
            if (!(m->key_given[i] & TAC_KEY_MPOS)) m->key_mpos[row] = m->body_pos[body];
            if (!(m->key_given[i] & TAC_KEY_MQUAT)) m->key_mquat[row] = m->body_quat[body];
        }
    }
}

tacStatus tac_model_derive(tacModel *m, tacError *err) {
    for (int i = 0; i < m->nmesh; i++)
        TAC_TRY(tac_mesh_derive(m, i, err));
    TAC_TRY(derive_bodies(m, err));
    derive_coordinates(m);
    derive_dofs(m);
    derive_keys(m);
    return TAC_OK;
}
