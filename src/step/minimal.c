/* Bodies -> joint coordinates: body by body, each from where its parent is   (docs/theory/maximal.md, X5-X8,
 * X12-X13) */
#include "step/maximal.h"

#include "dynamics/kinematics.h"
#include "math/dense.h"
#include "step/call.h"
#include "smooth/smooth_step.h"

#include <string.h>

enum {
    MOST_ITERATIONS = 40, /* Gauss-Newton's, from one start */
    MOST_HALVINGS = 20,
    MOST_VARIED = 3 /* hinges of a body that further starts vary: 3^3 starts */
};
/* m, rad: a residual below this counts as solved; no other start is tried. */
#define ATTAINED 1e-9
/* rad, m: the search ends with steps below TINY_STEP. Steps below SMALL_STEP are taken even where the residual stays
 * the same to rounding: the sum of squares is flat there, and coordinates still converge. */
#define SMALL_STEP 1e-4
#define TINY_STEP  1e-15
/* m, rad: rounding of a residual. */
#define RESIDUAL_ROUNDING 1e-14
/* rad: between starts. */
#define THIRD_OF_A_TURN 2.0943951023931953
/* A restart must beat this fraction of the best residual. */
#define WORTH_IT 0.5
/* A pivot below this fraction of the largest is a dependent axis. */
#define RANK_TOLERANCE 1e-10

/* Bodies, as given or (span > 0) where they were before, and coordinates being found. */
typedef struct Fit {
    const tacModel *m;
    tacWork *w;
    const tacMaximal *z;
    double span;          /* 0: poses as given */
    double *q;            /* nq */
    double *trial, *best; /* nq: of one body's joints alone */
    double *d;            /* most dofs of a body */
    tacQr qr;             /* 6 x dofs of the body at hand */
    double *J;
    double residual;
} Fit;

/* --- Poses -------------------------------------------------------------------------------------------------------- */

static tacQuat given_quat(const tacMaximal *z, int b) {
    return tac_quat_normalize(tac_quat_load(z->pose + TAC_POSE_SIZE * b + 3));
}

/* A body's pose, or the one that it had before: pose (+) -span twist. */
static tacVec3 target_pos(const Fit *f, int b) {
    return tac_madd3(tac_load3(f->z->pose + TAC_POSE_SIZE * b), -f->span, tac_load3(f->z->twist + 6 * b));
}

static tacQuat target_quat(const Fit *f, int b) {
    tacQuat quat = given_quat(f->z, b);
    if (f->span == 0) return quat;
    return tac_quat_mul(quat, tac_quat_exp(tac_scale3(-f->span, tac_load3(f->z->twist + 6 * b + 3))));
}

/* Error of the body's pose at w: rotation, then translation of its origin, world axes   (X5) -> its length */
static double miss(const Fit *f, int b, double e[6]) {
    tac_store3(e, tac_quat_log(tac_quat_mul(target_quat(f, b), tac_quat_conj(f->w->xquat[b]))));
    tac_store3(e + 3, tac_sub3(target_pos(f, b), f->w->xpos[b]));
    return tac_sqrt(tac_dense_dot(6, e, e));
}

/* Axes of a body's dofs at its origin, factored. */
static void factor_axes(Fit *f, int b) {
    int n = f->m->body_dof_num[b], first = f->m->body_dof_adr[b];
    for (int i = 0; i < n; i++) {
        tacVec6 S = f->w->S[first + i];
        double column[6];
        tac_store3(column, S.ang);
        tac_store3(column + 3, tac_velocity_at(f->w, b, S, f->w->xpos[b]));
        for (int r = 0; r < 6; r++)
            f->J[r * n + i] = column[r];
    }
    f->qr.m = 6;
    f->qr.n = n;
    f->qr.A = f->J;
    tac_qr_factor(&f->qr, RANK_TOLERANCE);
}

/* q (+) alpha d of one body's joints. */
static void move_joints(const tacModel *m, int b, const double *q, double alpha, const double *d, double *out) {
    for (int j = m->body_joint_adr[b]; j < m->body_joint_adr[b] + m->body_joint_num[b]; j++) {
        int adr = m->joint_qpos_adr[j], dof = m->joint_dof_adr[j] - m->body_dof_adr[b];
        if (m->joint_type[j] != TAC_JOINT_BALL) {
            out[adr] = q[adr] + alpha * d[dof];
            continue;
        }
        tacQuat turn = tac_quat_exp(tac_scale3(alpha, tac_load3(d + dof)));
        tac_quat_store(out + adr, tac_quat_normalize(tac_quat_mul(tac_quat_normalize(tac_quat_load(q + adr)), turn)));
    }
}

static void copy_joints(const tacModel *m, int b, const double *from, double *to) {
    int first = m->body_joint_adr[b], last = first + m->body_joint_num[b] - 1;
    int begin = m->joint_qpos_adr[first],
        end = m->joint_qpos_adr[last] + (m->joint_type[last] == TAC_JOINT_BALL ? 4 : 1);
    memcpy(to + begin, from + begin, (size_t)(end - begin) * sizeof *to);
}

/* One step of Gauss-Newton from f->q, halved until less is missing; -> its length, 0: there is none. *now, e: at its
 * end. */
static double improve(Fit *f, int b, double *now, double e[6]) {
    int n = f->m->body_dof_num[b];
    factor_axes(f, b);
    tac_qr_solve(&f->qr, e, f->d);
    double length = tac_sqrt(tac_dense_dot(n, f->d, f->d)), alpha = 1;
    double most = length < SMALL_STEP ? *now + RESIDUAL_ROUNDING : *now;
    for (int k = 0; k < MOST_HALVINGS; k++, alpha *= 0.5) {
        double there[6];
        move_joints(f->m, b, f->q, alpha, f->d, f->trial);
        tac_place_body(f->m, f->w, b, f->trial, NULL);
        double left = miss(f, b, there);
        if (!(left < *now) && !(left <= most)) continue;
        copy_joints(f->m, b, f->trial, f->q);
        memcpy(e, there, sizeof there);
        *now = left;
        return alpha * length;
    }
    return 0;
}

static double descend(Fit *f, int b) {
    double e[6];
    tac_place_body(f->m, f->w, b, f->q, NULL);
    double now = miss(f, b, e);
    for (int k = 0; k < MOST_ITERATIONS && now > 0; k++)
        if (improve(f, b, &now, e) <= TINY_STEP) break;
    return now;
}

/* The start of number k: the first hinges of the body are turned by thirds. 0: there is no such start. */
static int vary(const Fit *f, int b, int k, const double *start, double *q) {
    const tacModel *m = f->m;
    copy_joints(m, b, start, q);
    for (int j = m->body_joint_adr[b], n = 0; j < m->body_joint_adr[b] + m->body_joint_num[b]; j++) {
        if (m->joint_type[j] != TAC_JOINT_HINGE || n++ == MOST_VARIED) continue;
        q[m->joint_qpos_adr[j]] += THIRD_OF_A_TURN * (k % 3 == 2 ? -1 : k % 3);
        k /= 3;
    }
    return k == 0;
}

/* Coordinates of one body's joints. The first start is where f->q is; others follow where it leads nowhere. */
static void fit_joints(Fit *f, int b) {
    const tacModel *m = f->m;
    double *start = f->best + m->nq, least = descend(f, b);
    copy_joints(m, b, f->q, f->best);
    for (int k = 1; least > ATTAINED && vary(f, b, k, start, f->q); k++) {
        double left = descend(f, b);
        if (!(left < WORTH_IT * least)) continue;
        least = left;
        copy_joints(m, b, f->q, f->best);
    }
    copy_joints(m, b, f->best, f->q);
    tac_place_body(m, f->w, b, f->q, NULL);
    f->residual = tac_max(f->residual, least);
}

/* The body is at its given pose from here on: its children start there. */
static void put_body(Fit *f, int b) {
    f->w->xpos[b] = target_pos(f, b);
    f->w->xquat[b] = target_quat(f, b);
    f->w->xmat[b] = tac_quat_mat(f->w->xquat[b]);
}

static void fit_body(Fit *f, int b) {
    const tacModel *m = f->m;
    int joint = m->body_joint_adr[b], n = m->body_joint_num[b];
    double e[6];
    if (n > 0 && m->joint_type[joint] == TAC_JOINT_FREE) {
        tac_store3(f->q + m->joint_qpos_adr[joint], target_pos(f, b));
        tac_quat_store(f->q + m->joint_qpos_adr[joint] + 3, target_quat(f, b));
        tac_place_body(m, f->w, b, f->q, NULL);
    } else if (n > 0) {
        copy_joints(m, b, f->q, f->best + m->nq);
        fit_joints(f, b);
    } else {
        tac_place_body(m, f->w, b, f->q, NULL);
        if (m->body_mocap[b] < 0) f->residual = tac_max(f->residual, miss(f, b, e));
    }
    put_body(f, b);
}

/* Poses (before, where span > 0) -> f->q, f->residual, axes at w. */
static void fit_poses(Fit *f, double span) {
    f->span = span;
    f->residual = 0;
    tac_place_world(f->w);
    for (int b = 1; b < f->m->nbody; b++)
        fit_body(f, b);
}

/* --- Velocities --------------------------------------------------------------------------------------------------- */

/* A body's velocity about the origin of its tree, from its twist. */
static tacVec6 spatial_velocity(const Fit *f, int b, const double *twist) {
    tacVec3 ang = tac_mulmv3(f->w->xmat[b], tac_load3(twist + 3)), arm = tac_sub3(f->w->origin[b], f->w->xpos[b]);
    return (tacVec6){ang, tac_add3(tac_load3(twist), tac_cross3(ang, arm))};
}

/* x with S x = Y, or nearest to it at the body's origin; -> what is left. Needs: factor_axes. */
static double solve_axes(Fit *f, int b, tacVec6 Y, double *x) {
    const tacModel *m = f->m;
    double right[6];
    tac_store3(right, Y.ang);
    tac_store3(right + 3, tac_velocity_at(f->w, b, Y, f->w->xpos[b]));
    if (m->body_dof_num[b] > 0) tac_qr_solve(&f->qr, right, x);
    for (int i = 0; i < m->body_dof_num[b]; i++) {
        tacVec6 S = f->w->S[m->body_dof_adr[b] + i];
        tac_store3(right, tac_madd3(tac_load3(right), -x[i], S.ang));
        tac_store3(right + 3, tac_madd3(tac_load3(right + 3), -x[i], tac_velocity_at(f->w, b, S, f->w->xpos[b])));
    }
    return tac_sqrt(tac_dense_dot(6, right, right));
}

/* S v = V_b - V_parent                                                                                         (X6) */
static double fit_velocities(Fit *f, double *v) {
    const tacModel *m = f->m;
    double most = 0;
    f->w->V[0] = tac_zero6();
    for (int b = 1; b < m->nbody; b++) {
        int parent = m->body_parent[b];
        f->w->V[b] = spatial_velocity(f, b, f->z->twist + 6 * b);
        if (m->body_dof_num[b] > 0) factor_axes(f, b);
        double left = solve_axes(f, b, tac_sub6(f->w->V[b], f->w->V[parent]), v + m->body_dof_adr[b]);
        if (m->body_mocap[b] < 0) most = tac_max(most, left);
    }
    return most;
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* Motion of a body along number c of its own displacement in z: change of its pose (or of the pose before), and of its
 * velocity. */
typedef struct Motion {
    tacVec6 X, dV;
} Motion;

static tacVec3 unit(int k) { return tac_vec3(k == 0, k == 1, k == 2); }

/* Displacement of the pose that is fitted: of that before, turn- = R(exp(span w)) turn - span Jr(-span w) dw. */
static void pose_move(const Fit *f, int b, int c, tacVec3 *dpos, tacVec3 *turn) {
    tacVec3 hw = tac_scale3(f->span, tac_load3(f->z->twist + 6 * b + 3)), e = unit(c % 3);
    *dpos = *turn = tac_zero3();
    if (c < 3)
        *dpos = e;
    else if (c < 6)
        *turn = f->span > 0 ? tac_quat_rotate(tac_quat_exp(hw), e) : e;
    else if (f->span > 0 && c < 9)
        *dpos = tac_scale3(-f->span, e);
    else if (f->span > 0)
        *turn = tac_scale3(-f->span, tac_mulmv3(tac_quat_right_jacobian(tac_neg3(hw)), e));
}

/* d(R w) = turn x R w + R dw, and the velocity at the fixed origin: dlin = dv - dw x r - w x dpos. */
static Motion body_motion(const Fit *f, int b, int c) {
    tacVec3 dpos, turn, r = tac_sub3(f->w->xpos[b], f->w->origin[b]);
    pose_move(f, b, c, &dpos, &turn);
    tacVec3 ang = tac_mulmv3(f->w->xmat[b], turn);
    Motion out = {{ang, tac_sub3(dpos, tac_cross3(ang, r))}, tac_zero6()};
    if (f->span > 0) return out;
    tacVec3 w = f->w->V[b].ang, dv = c >= 6 && c < 9 ? unit(c % 3) : tac_zero3();
    tacVec3 dw = tac_cross3(ang, w);
    if (c >= 9) dw = tac_add3(dw, tac_mulmv3(f->w->xmat[b], unit(c % 3)));
    out.dV = (tacVec6){dw, tac_sub3(tac_sub3(dv, tac_cross3(dw, r)), tac_cross3(w, dpos))};
    return out;
}

/* sum dS_i v_i = sum over groups of dofs (displacement behind the group) x (velocity of the group)             (X8) */
static tacVec6 axes_move(const Fit *f, int b, tacVec6 X, const double *dq, const double *v) {
    tacVec6 sum = tac_zero6(), velocity = tac_zero6();
    int first = f->m->body_dof_adr[b], last = first + f->m->body_dof_num[b];
    for (int i = first; i < last; i++) {
        X = tac_madd6(X, dq[i - first], f->w->S[i]);
        velocity = tac_madd6(velocity, v[i], f->w->S[i]);
        if (i + 1 < last && tac_dof_group(f->m, i + 1) != i + 1) continue;
        sum = tac_add6(sum, tac_crossm6(X, velocity));
        velocity = tac_zero6();
    }
    return sum;
}

/* Columns of `mover`, the body itself or its parent, in the rows of body b's dofs: S dq = X_b - X_parent,
 * S dv = dV_b - dV_parent - sum dS v. rates NULL: of q alone. */
static void fit_columns(Fit *f, int b, int mover, const double *v, double *rows, double *rates) {
    const tacModel *m = f->m;
    int n = m->body_dof_num[b], first = m->body_dof_adr[b], own = mover == b;
    size_t ld = TAC_BODY_MOVE * (size_t)m->nbody;
    double *dq = f->d, *dv = f->d + n;
    for (int c = 0; c < TAC_BODY_MOVE; c++) {
        int block = c < 6 ? 6 * mover + c : 6 * m->nbody + 6 * mover + c - 6;
        Motion x = body_motion(f, mover, c);
        double sign = own ? 1 : -1;
        solve_axes(f, b, tac_scale6(sign, x.X), dq);
        if (rates != NULL) {
            tacVec6 moved = axes_move(f, b, own ? tac_zero6() : x.X, dq, v);
            solve_axes(f, b, tac_sub6(tac_scale6(sign, x.dV), moved), dv);
        }
        for (int i = 0; i < n; i++) {
            rows[(size_t)(first + i) * ld + (size_t)block] = dq[i];
            if (rates != NULL) rates[(size_t)(first + i) * ld + (size_t)block] = dv[i];
        }
    }
}

static void fit_jac(Fit *f, const double *v, double *rows, double *rates) {
    const tacModel *m = f->m;
    for (int b = 1; b < m->nbody; b++) {
        if (m->body_dof_num[b] == 0) continue;
        factor_axes(f, b);
        fit_columns(f, b, b, v, rows, rates);
        if (m->body_parent[b] > 0) fit_columns(f, b, m->body_parent[b], v, rows, rates);
    }
}

/* v = (q (-) q-)/span: rows of dq- -> dv = (Jr^-1 dq - Jr^-T dq-)/span, Jr^-1 at span v of rotations, 1 elsewhere. */
static void mean_rows(const tacModel *m, double span, const double *v, const double *dq, double *rows) {
    size_t ld = TAC_BODY_MOVE * (size_t)m->nbody;
    for (int i = 0; i < m->nv; i++)
        for (size_t c = 0; c < ld; c++)
            rows[(size_t)i * ld + c] = (dq[(size_t)i * ld + c] - rows[(size_t)i * ld + c]) / span;
    for (int j = 0; j < m->njnt; j++) {
        int type = m->joint_type[j];
        if (type != TAC_JOINT_BALL && type != TAC_JOINT_FREE) continue;
        size_t dof = (size_t)(m->joint_dof_adr[j] + (type == TAC_JOINT_FREE ? 3 : 0));
        tacMat3 inverse = tac_quat_right_jacobian_inverse(tac_scale3(span, tac_load3(v + dof)));
        for (size_t c = 0; c < ld; c++) {
            const double *a = dq + dof * ld + c;
            double *y = rows + dof * ld + c;
            tacVec3 now = {a[0], a[ld], a[2 * ld]}, mean = {y[0], y[ld], y[2 * ld]};
            tacVec3 before = tac_madd3(now, -span, mean);
            tacVec3 dv = tac_sub3(tac_mulmv3(inverse, now), tac_mulmtv3(inverse, before));
            y[0] = dv.x / span;
            y[ld] = dv.y / span;
            y[2 * ld] = dv.z / span;
        }
    }
}

/* --- Forward mode ------------------------------------------------------------------------------------------------- */

/* Motion of a body along the changes of its numbers in z. */
static Motion motion_along(const Fit *f, int b, const double *dz) {
    Motion sum = {tac_zero6(), tac_zero6()};
    for (int c = 0; c < TAC_BODY_MOVE; c++) {
        double by = c < 6 ? dz[6 * b + c] : dz[6 * f->m->nbody + 6 * b + c - 6];
        if (by == 0) continue;
        Motion x = body_motion(f, b, c);
        sum.X = tac_madd6(sum.X, by, x.X);
        sum.dV = tac_madd6(sum.dV, by, x.dV);
    }
    return sum;
}

/* S dq = X_b - X_parent, S dv = dV_b - dV_parent - sum dS v of every body; dv NULL: of q alone. */
static void fit_along(Fit *f, const double *v, const double *dz, double *dq, double *dv) {
    const tacModel *m = f->m;
    for (int b = 1; b < m->nbody; b++) {
        int first = m->body_dof_adr[b], parent = m->body_parent[b];
        if (m->body_dof_num[b] == 0) continue;
        Motion own = motion_along(f, b, dz), before = {tac_zero6(), tac_zero6()};
        if (parent > 0) before = motion_along(f, parent, dz);
        factor_axes(f, b);
        solve_axes(f, b, tac_sub6(own.X, before.X), dq + first);
        if (dv == NULL) continue;
        tacVec6 moved = axes_move(f, b, before.X, dq + first, v);
        solve_axes(f, b, tac_sub6(tac_sub6(own.dV, before.dV), moved), dv + first);
    }
}

/* dv = (Jr^-1 dq - Jr^-T dq-)/span, as mean_rows; dv holds dq-. */
static void mean_along(const tacModel *m, double span, const double *v, const double *dq, double *dv) {
    for (int j = 0; j < m->njnt; j++) {
        int type = m->joint_type[j], first = m->joint_dof_adr[j], turns = type == TAC_JOINT_BALL;
        int n = type == TAC_JOINT_FREE ? 3 : turns ? 0 : 1, dof = first + n;
        for (int i = first; i < first + n; i++)
            dv[i] = (dq[i] - dv[i]) / span;
        if (!turns && type != TAC_JOINT_FREE) continue;
        tacMat3 inverse = tac_quat_right_jacobian_inverse(tac_scale3(span, tac_load3(v + dof)));
        tacVec3 now = tac_mulmv3(inverse, tac_load3(dq + dof)), then = tac_mulmtv3(inverse, tac_load3(dv + dof));
        tac_store3(dv + dof, tac_scale3(1 / span, tac_sub3(now, then)));
    }
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

/* Weights of all numbers of the fit, and what they weigh of the bodies. */
typedef struct Pull {
    const double *v, *vbar; /* nv: joint velocities and their weights; vbar NULL: of q alone */
    double *qbar;           /* nv: weights of q, or of q- */
    double *before, *back;  /* nv, where span > 0: weights of q-; -span v */
    tacVec6 *move, *rate;   /* nbody: of displacements and changes of velocity, about the origins of trees */
} Pull;

/* Weights of a body's dofs -> of the twist that they are the nearest to. Needs: factor_axes. */
static tacVec6 solve_axes_transposed(const Fit *f, int b, const double *bar) {
    double right[6];
    tac_qr_solve_transposed(&f->qr, bar, right);
    return tac_free_weights(f->w, b, tac_load3(right), tac_load3(right + 3));
}

/* axes_move weighed by -y: what is behind a group g weighs -(V_g x* y); -> weight of the parent's displacement. */
static tacVec6 pull_axes(const Fit *f, int b, tacVec6 y, const Pull *p) {
    tacVec6 behind = tac_zero6();
    int first = f->m->body_dof_adr[b], end = first + f->m->body_dof_num[b];
    while (end > first) {
        int begin = tac_dof_group(f->m, end - 1);
        tacVec6 velocity = tac_zero6();
        for (int i = begin; i < end; i++)
            velocity = tac_madd6(velocity, p->v[i], f->w->S[i]);
        behind = tac_sub6(behind, tac_crossf6(velocity, y));
        for (int i = begin; i < end; i++)
            p->qbar[i] += tac_dot6(f->w->S[i], behind);
        end = begin;
    }
    return behind;
}

/* S dv = dV_b - dV_parent - sum dS v and S dq = X_b - X_parent, backwards                                      (X12) */
static void pull_body(Fit *f, int b, const Pull *p) {
    int first = f->m->body_dof_adr[b], parent = f->m->body_parent[b];
    factor_axes(f, b);
    if (p->vbar != NULL) {
        tacVec6 y = solve_axes_transposed(f, b, p->vbar + first);
        p->rate[b] = tac_add6(p->rate[b], y);
        p->rate[parent] = tac_sub6(p->rate[parent], y);
        p->move[parent] = tac_add6(p->move[parent], pull_axes(f, b, y, p));
    }
    tacVec6 x = solve_axes_transposed(f, b, p->qbar + first);
    p->move[b] = tac_add6(p->move[b], x);
    p->move[parent] = tac_sub6(p->move[parent], x);
}

static void add_to(double *sum, tacVec3 x) { tac_store3(sum, tac_add3(tac_load3(sum), x)); }

/* Weights of a body's displacement and change of velocity -> of its pose and twist: body_motion backwards, with
 * G = rate.ang - r x rate.lin at the body's origin                                                             (X13) */
static void pull_motion(const Fit *f, int b, const Pull *p, double *pose, double *twist) {
    tacVec6 move = p->move[b], rate = p->rate[b];
    tacVec3 r = tac_sub3(f->w->xpos[b], f->w->origin[b]), omega = f->w->V[b].ang;
    tacVec3 turn = tac_sub3(move.ang, tac_cross3(r, move.lin)), G = tac_sub3(rate.ang, tac_cross3(r, rate.lin));
    add_to(pose, tac_add3(move.lin, tac_cross3(omega, rate.lin)));
    add_to(pose + 3, tac_mulmtv3(f->w->xmat[b], tac_add3(turn, tac_cross3(omega, G))));
    add_to(twist, rate.lin);
    add_to(twist + 3, tac_mulmtv3(f->w->xmat[b], G));
}

/* The same of the pose before, pose_move backwards: turn- = R(exp(span w)) turn - span Jr(-span w) dw. */
static void pull_motion_before(const Fit *f, int b, const Pull *p, double *pose, double *twist) {
    tacVec3 r = tac_sub3(f->w->xpos[b], f->w->origin[b]), hw = tac_scale3(f->span, tac_load3(f->z->twist + 6 * b + 3));
    tacVec3 about = tac_sub3(p->move[b].ang, tac_cross3(r, p->move[b].lin));
    tacVec3 turn = tac_mulmtv3(f->w->xmat[b], about), wbar = tac_mulmtv3(tac_quat_right_jacobian(tac_neg3(hw)), turn);
    add_to(pose, p->move[b].lin);
    add_to(pose + 3, tac_quat_rotate(tac_quat_exp(tac_neg3(hw)), turn));
    add_to(twist, tac_scale3(-f->span, p->move[b].lin));
    add_to(twist + 3, tac_scale3(-f->span, wbar));
}

/* zbar += fit_jac^T of the weights, at the poses of w. */
static void pull_fit(Fit *f, const Pull *p, double *zbar) {
    const tacModel *m = f->m;
    for (int b = 0; b < m->nbody; b++)
        p->move[b] = p->rate[b] = tac_zero6();
    for (int b = 1; b < m->nbody; b++)
        if (m->body_dof_num[b] > 0) pull_body(f, b, p);
    for (int b = 1; b < m->nbody; b++) {
        double *pose = zbar + 6 * b, *twist = zbar + 6 * m->nbody + 6 * b;
        if (f->span > 0)
            pull_motion_before(f, b, p, pose, twist);
        else
            pull_motion(f, b, p, pose, twist);
    }
}

/* mean_rows backwards: qbar += Jr^-T vbar/span, before = -Jr^-1 vbar/span. */
static void pull_means(const tacModel *m, double span, const double *v, const double *vbar, const Pull *p) {
    for (int i = 0; i < m->nv; i++) {
        p->before[i] = -vbar[i] / span;
        p->qbar[i] -= p->before[i];
    }
    for (int j = 0; j < m->njnt; j++) {
        int type = m->joint_type[j], dof = m->joint_dof_adr[j] + (type == TAC_JOINT_FREE ? 3 : 0);
        if (type != TAC_JOINT_BALL && type != TAC_JOINT_FREE) continue;
        tacMat3 inverse = tac_quat_right_jacobian_inverse(tac_scale3(span, tac_load3(v + dof)));
        tacVec3 mean = tac_load3(p->before + dof), more = tac_sub3(mean, tac_mulmtv3(inverse, mean));
        add_to(p->qbar + dof, more);
        tac_store3(p->before + dof, tac_mulmv3(inverse, mean));
    }
}

/* w at q- = q (-) span v. */
static void place_before(Fit *f, double span, const double *x, const double *mocap, double *back) {
    for (int i = 0; i < f->m->nv; i++)
        back[i] = -span * x[f->m->nq + i];
    tac_qpos_add(f->m, x, back, f->q);
    tac_kinematics_q(f->m, f->w, f->q, mocap);
}

/* Bodies of x agree with their joints: nothing is searched. */
static void find_reverse(Fit *f, const double *x, const double *mocap, const double *bar, Pull *p, double *zbar) {
    const tacModel *m = f->m;
    double span = f->z->span;
    memset(zbar, 0, TAC_BODY_MOVE * (size_t)m->nbody * sizeof *zbar);
    memcpy(p->qbar, bar, (size_t)m->nv * sizeof *bar);
    p->v = x + m->nq;
    p->vbar = span > 0 ? NULL : bar + m->nv;
    if (span > 0) pull_means(m, span, p->v, bar + m->nv, p);
    tac_kinematics_q(m, f->w, x, mocap);
    tac_kinematics_v(m, f->w, p->v);
    pull_fit(f, p, zbar);
    if (span == 0) return;
    place_before(f, span, x, mocap, p->back);
    f->span = span;
    p->qbar = p->before;
    pull_fit(f, p, zbar);
}

/* --- The public map ----------------------------------------------------------------------------------------------- */

static int most_dofs(const tacModel *m) {
    int most = 1;
    for (int b = 0; b < m->nbody; b++)
        if (m->body_dof_num[b] > most) most = m->body_dof_num[b];
    return most;
}

static int layout_fit(tacArena *arena, Fit *f) {
    int n = most_dofs(f->m);
    f->q = TAC_TAKE(arena, f->m->nq, double);
    f->trial = TAC_TAKE(arena, f->m->nq, double);
    f->best = TAC_TAKE(arena, 2 * f->m->nq, double); /* and the start of a body's search */
    f->d = TAC_TAKE(arena, 2 * n, double);
    f->J = TAC_TAKE(arena, 6 * n, double);
    f->qr.left = TAC_TAKE(arena, 6, double);
    f->qr.right = TAC_TAKE(arena, 6, double);
    f->qr.column = TAC_TAKE(arena, n, int);
    f->qr.work = TAC_TAKE(arena, 6 + n, double);
    return f->q != NULL && f->trial != NULL && f->best != NULL && f->d != NULL && f->J != NULL && f->qr.work != NULL;
}

/* Coordinates found are in q and v, and the derivative, if asked for, in out->jac. */
static void find(Fit *f, tacMinimal *out, double *q, double *v) {
    const tacModel *m = f->m;
    double span = f->z->span, *rates = out->jac == NULL ? NULL : out->jac + (size_t)m->nv * 12 * (size_t)m->nbody;
    if (out->jac != NULL) memset(out->jac, 0, 24 * (size_t)m->nv * (size_t)m->nbody * sizeof *out->jac);
    fit_poses(f, 0);
    out->pose_residual = f->residual;
    memcpy(q, f->q, (size_t)m->nq * sizeof *q);
    if (span == 0) {
        out->twist_residual = fit_velocities(f, v);
        if (rates != NULL) fit_jac(f, v, out->jac, rates);
        return;
    }
    if (rates != NULL) fit_jac(f, NULL, out->jac, NULL);
    fit_poses(f, span);
    out->twist_residual = f->residual / span;
    tac_qpos_sub(m, q, f->q, v);
    for (int i = 0; i < m->nv; i++)
        v[i] /= span;
    if (rates == NULL) return;
    fit_jac(f, NULL, rates, NULL);
    mean_rows(m, span, v, out->jac, rates);
}

static tacStatus check(tacSim *sim, const char *call, const tacMaximal *z, const tacMinimal *out) {
    if (sim == NULL) return TAC_ERR_ARGUMENT;
    if (z == NULL || out == NULL) return tac_sim_null(sim, call, z == NULL ? "z" : "out");
    if (z->pose == NULL || z->twist == NULL) return tac_sim_null(sim, call, z->pose == NULL ? "z->pose" : "z->twist");
    if (out->q == NULL || out->v == NULL) return tac_sim_null(sim, call, out->q == NULL ? "out->q" : "out->v");
    if (!tac_finite(z->span) || z->span < 0)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "z->span is %g, expected a finite time", z->span);
    TAC_TRY(tac_check_array(sim, call, "z->pose", TAC_POSE_SIZE * sim->ctx.model->nbody, z->pose));
    TAC_TRY(tac_check_array(sim, call, "z->twist", 6 * sim->ctx.model->nbody, z->twist));
    return tac_check_entries(sim, call, "out->q", TAC_OF_QPOS, out->q);
}

static int layout_joints(const tacModel *m, tacArena *arena, double **q, double **v) {
    *q = TAC_TAKE(arena, m->nq, double);
    *v = TAC_TAKE(arena, m->nv, double);
    return *q != NULL && *v != NULL;
}

tacStatus tac_to_minimal(tacSim *sim, const tacMaximal *z, tacMinimal *out) {
    TAC_TRY(check(sim, __func__, z, out));
    const tacModel *m = sim->ctx.model;
    TAC_SCOPE(&sim->ctx.arena);
    Fit f = {.m = m, .w = &sim->ctx.work, .z = z};
    double *q, *v;
    tacMinimal found = {.jac = out->jac};
    int room = layout_joints(m, &sim->ctx.arena, &q, &v) && layout_fit(&sim->ctx.arena, &f);
    tacStatus status = room ? TAC_OK : TAC_ERR_ARENA_FULL;
    if (status == TAC_OK) {
        memcpy(f.q, out->q, (size_t)m->nq * sizeof *f.q);
        find(&f, &found, q, v);
        if (tac_first_nonfinite(m->nq, q) >= 0 || tac_first_nonfinite(m->nv, v) >= 0) status = TAC_ERR_NONFINITE;
    }
    if (status == TAC_OK) {
        memcpy(out->q, q, (size_t)m->nq * sizeof *q);
        memcpy(out->v, v, (size_t)m->nv * sizeof *v);
        out->pose_residual = found.pose_residual;
        out->twist_residual = found.twist_residual;
    }
    return tac_end_call(sim, __func__, status);
}

static int layout_pull(const tacModel *m, tacArena *arena, Pull *p) {
    p->qbar = TAC_TAKE(arena, m->nv, double);
    p->before = TAC_TAKE(arena, m->nv, double);
    p->back = TAC_TAKE(arena, m->nv, double);
    p->move = TAC_TAKE(arena, m->nbody, tacVec6);
    p->rate = TAC_TAKE(arena, m->nbody, tacVec6);
    return p->qbar != NULL && p->before != NULL && p->back != NULL && p->move != NULL && p->rate != NULL;
}

static double *layout_twist(const tacModel *m, tacArena *arena) { return TAC_TAKE(arena, 6 * m->nbody, double); }

void tac_to_minimal_measure(const tacModel *m, tacArena *dry) {
    Fit f = {.m = m};
    Pull p;
    double *q, *v;
    {
        TAC_SCOPE(dry);
        layout_joints(m, dry, &q, &v);
        layout_fit(dry, &f);
    }
    TAC_SCOPE(dry);
    layout_twist(m, dry);
    tac_to_maximal_measure(m, dry);
    layout_fit(dry, &f);
    layout_pull(m, dry, &p);
}

tacStatus tac_to_minimal_vjp(tacSim *sim, const double *x, const double *u, double span, const double *bar,
                             double *zbar) {
    const tacModel *m = sim->ctx.model;
    TAC_SCOPE(&sim->ctx.arena);
    tacMaximal z = {.span = span, .twist = layout_twist(m, &sim->ctx.arena)};
    Fit f = {.m = m, .w = &sim->ctx.work, .z = &z};
    Pull p;
    if (z.twist == NULL) return TAC_ERR_ARENA_FULL;
    if (span > 0) TAC_TRY(tac_to_maximal(sim, x, u, &z, NULL));
    if (!layout_fit(&sim->ctx.arena, &f) || !layout_pull(m, &sim->ctx.arena, &p)) return TAC_ERR_ARENA_FULL;
    find_reverse(&f, x, tac_inputs_of(&sim->ctx.inputs, u).mocap, bar, &p, zbar);
    return TAC_OK;
}

/* Bodies of x agree with their joints: nothing is searched. */
tacStatus tac_to_minimal_jvp(tacSim *sim, const double *x, const double *u, double span, const double *dz, double *dx) {
    const tacModel *m = sim->ctx.model;
    TAC_SCOPE(&sim->ctx.arena);
    tacMaximal z = {.span = span, .twist = layout_twist(m, &sim->ctx.arena)};
    Fit f = {.m = m, .w = &sim->ctx.work, .z = &z};
    Pull p;
    const double *mocap = tac_inputs_of(&sim->ctx.inputs, u).mocap;
    if (z.twist == NULL) return TAC_ERR_ARENA_FULL;
    if (span > 0) TAC_TRY(tac_to_maximal(sim, x, u, &z, NULL));
    if (!layout_fit(&sim->ctx.arena, &f) || !layout_pull(m, &sim->ctx.arena, &p)) return TAC_ERR_ARENA_FULL;
    memset(dx, 0, 2 * (size_t)m->nv * sizeof *dx);
    tac_kinematics_q(m, f.w, x, mocap);
    tac_kinematics_v(m, f.w, x + m->nq);
    fit_along(&f, x + m->nq, dz, dx, span > 0 ? NULL : dx + m->nv);
    if (span == 0) return TAC_OK;
    place_before(&f, span, x, mocap, p.back);
    f.span = span;
    fit_along(&f, NULL, dz, dx + m->nv, NULL);
    mean_along(m, span, x + m->nq, dx, dx + m->nv);
    return TAC_OK;
}
