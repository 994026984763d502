/* Joint coordinates -> bodies, and how bodies move with everything   (docs/theory/maximal.md, X1-X4, X10, X11) */
#include "step/maximal.h"

#include "dynamics/kinematics.h"
#include "dynamics/param_deriv.h"
#include "step/call.h"
#include "smooth/linearize.h"
#include "smooth/tangent.h"
#include "math/dense.h"

#include <string.h>

/* One column of a derivative: what moves, and where it goes. */
typedef struct Column {
    tacDisplacement by;
    const double *v; /* nv: joint velocities, for the change of those of bodies; NULL: poses alone */
    double *out;     /* first row's number */
    size_t ld;
} Column;

/* Numbers of a map at hand. */
typedef struct Map {
    tacSim *sim;
    const double *x, *u, *mocap;
    double span;
    double *pose, *twist; /* 7 nbody, 6 nbody */
    double *q_before;     /* nq, where span > 0 */
    double *back;         /* nv: -span v */
} Map;

/* --- Values ------------------------------------------------------------------------------------------------------- */

static void give_poses(const tacModel *m, const tacWork *w, double *pose) {
    for (int b = 0; b < m->nbody; b++) {
        tac_store3(pose + TAC_POSE_SIZE * b, w->xpos[b]);
        tac_quat_store(pose + TAC_POSE_SIZE * b + 3, w->xquat[b]);
    }
}

static void give_velocities(const tacModel *m, const tacWork *w, double *twist) {
    for (int b = 0; b < m->nbody; b++) {
        tac_store3(twist + 6 * b, tac_point_velocity(w, b, w->xpos[b]));
        tac_store3(twist + 6 * b + 3, tac_mulmtv3(w->xmat[b], w->V[b].ang));
    }
}

/* Poses before (map->pose) and at q -> mean velocities, log(quat-^-1 quat)/span; poses at q. */
static void give_means(const Map *map) {
    const tacModel *m = map->sim->ctx.model;
    const tacWork *w = &map->sim->ctx.work;
    for (int b = 0; b < m->nbody; b++) {
        double *pose = map->pose + TAC_POSE_SIZE * b, *twist = map->twist + 6 * b;
        tacQuat turn = tac_quat_mul(tac_quat_conj(tac_quat_load(pose + 3)), w->xquat[b]);
        tac_store3(twist, tac_scale3(1 / map->span, tac_sub3(w->xpos[b], tac_load3(pose))));
        tac_store3(twist + 3, tac_scale3(1 / map->span, tac_quat_log(turn)));
    }
    give_poses(m, w, map->pose);
}

/* w at q (-) span v. */
static void place_before(const Map *map) {
    const tacModel *m = map->sim->ctx.model;
    for (int i = 0; i < m->nv; i++)
        map->back[i] = -map->span * map->x[m->nq + i];
    tac_qpos_add(m, map->x, map->back, map->q_before);
    tac_kinematics_q(m, &map->sim->ctx.work, map->q_before, map->mocap);
}

/* -> pose, twist; w at q, with velocities where span is 0. */
static void evaluate(const Map *map) {
    const tacModel *m = map->sim->ctx.model;
    tacWork *w = &map->sim->ctx.work;
    if (map->span > 0) {
        place_before(map);
        give_poses(m, w, map->pose);
    }
    tac_kinematics_q(m, w, map->x, map->mocap);
    tac_kinematics_v(m, w, map->x + m->nq);
    if (map->span > 0) {
        give_means(map);
    } else {
        give_poses(m, w, map->pose);
        give_velocities(m, w, map->twist);
    }
}

/* --- Derivatives: one body along one column ----------------------------------------------------------------------- */

/* 1: the column moves the body, by X. */
static int moved_by(const tacModel *m, const tacDisplacement *by, int body, tacVec6 *X) {
    int any = 0;
    *X = tac_zero6();
    for (int k = 0; k < by->nmover; k++) {
        if (!tac_moves_body(m, &by->mover[k], body)) continue;
        *X = tac_add6(*X, by->mover[k].S);
        any = 1;
    }
    return any;
}

static void add_rows(const double *value, double scale, int row, const Column *c) {
    for (int i = 0; i < 6; i++)
        c->out[(size_t)(row + i) * c->ld] += scale * value[i];
}

/* d(velocity of the origin) = dV at it + w x dpos,   d(R^T w) = R^T (dw - turn x w)                             (X2) */
static void add_velocity(const tacModel *m, const tacWork *w, int b, tacVec6 X, const Column *c) {
    double out[6];
    tacVec6 V = w->V[b], dV = tac_body_velocity_move(m, w, w->V, c->v, &c->by, b);
    tacVec3 dpos = tac_velocity_at(w, b, X, w->xpos[b]);
    tac_store3(out, tac_add3(tac_velocity_at(w, b, dV, w->xpos[b]), tac_cross3(V.ang, dpos)));
    tac_store3(out + 3, tac_mulmtv3(w->xmat[b], tac_sub3(dV.ang, tac_cross3(X.ang, V.ang))));
    add_rows(out, 1, 6 * m->nbody + 6 * b, c);
}

/* Mean velocities: (dpos - dpos-)/span,  (Jr^-1 turn - Jr^-T turn-)/span with Jr^-1 at span w                   (X3) */
static void add_mean(const Map *map, int b, int before, const double move[6], const Column *c) {
    double out[6];
    tacVec3 turn = tac_load3(move + 3);
    tacMat3 inverse = tac_quat_right_jacobian_inverse(tac_scale3(map->span, tac_load3(map->twist + 6 * b + 3)));
    tac_store3(out, tac_load3(move));
    tac_store3(out + 3, before ? tac_mulmtv3(inverse, turn) : tac_mulmv3(inverse, turn));
    add_rows(out, (before ? -1 : 1) / map->span, 6 * map->sim->ctx.model->nbody + 6 * b, c);
}

/* Adds the column at the poses of w: those before alone move means. */
static void add_column(const Map *map, int before, const Column *c) {
    const tacModel *m = map->sim->ctx.model;
    const tacWork *w = &map->sim->ctx.work;
    double move[6];
    for (int b = 1; b < m->nbody; b++) {
        tacVec6 X;
        if (!moved_by(m, &c->by, b, &X)) continue;
        tac_free_move(w, b, X, move);
        if (!before) add_rows(move, 1, 6 * b, c);
        if (map->span > 0)
            add_mean(map, b, before, move, c);
        else
            add_velocity(m, w, b, X, c);
    }
}

/* --- Derivatives: all columns ------------------------------------------------------------------------------------- */

/* Columns of q, at the poses of w. */
static void add_dofs(const Map *map, int before, double *A) {
    const tacModel *m = map->sim->ctx.model;
    for (int j = 0; j < m->nv; j++) {
        Column c = {{1, {tac_dof_mover(m, &map->sim->ctx.work, j)}}, map->x + m->nq, A + j, (size_t)tac_ndx(m)};
        add_column(map, before, &c);
    }
}

/* Columns of v of velocities: the axes. */
static void add_axes(const Map *map, double *A) {
    const tacModel *m = map->sim->ctx.model;
    const tacWork *w = &map->sim->ctx.work;
    for (int j = 0; j < m->nv; j++) {
        tacMover mover = tac_dof_mover(m, w, j);
        Column c = {.out = A + m->nv + j, .ld = (size_t)tac_ndx(m)};
        for (int b = 1; b < m->nbody; b++) {
            double move[6];
            if (!tac_moves_body(m, &mover, b)) continue;
            tac_free_move(w, b, mover.S, move);
            add_rows(move, 1, 6 * m->nbody + 6 * b, &c);
        }
    }
}

/* Rows by q- = q (-) span v, in the columns of q -> by q and v: dq- = P dq - span Q dv   (tangent.h, with -span v). */
static void carry_back(const Map *map, double *A) {
    const tacModel *m = map->sim->ctx.model;
    size_t ld = (size_t)tac_ndx(m), nv = (size_t)m->nv;
    for (size_t r = 6 * (size_t)m->nbody; r < 12 * (size_t)m->nbody; r++)
        tac_move_vjp(m, map->back, -map->span, A + r * ld, A + r * ld, A + r * ld + nv);
}

static void add_inputs(const Map *map, int before, double *B) {
    tacSim *sim = map->sim;
    int first = sim->ctx.inputs.mocap, ninput = tac_ninput(sim->ctx.model, &sim->ctx.options);
    for (int i = 0; map->mocap != NULL && i < sim->ctx.inputs.nmocap; i++) {
        Column c = {{.nmover = 1}, map->x + sim->ctx.model->nq, B + first + i, (size_t)ninput};
        tac_mocap_mover(sim->ctx.model, &sim->ctx.work, i, map->mocap, &c.by.mover[0]);
        add_column(map, before, &c);
    }
}

static void add_params(const Map *map, int before, double *P) {
    tacSim *sim = map->sim;
    tacSmoothPoint at = tac_point_of(&sim->ctx, map->x, map->u);
    if (before) at.q = map->q_before;
    for (int i = 0; i < sim->ctx.model->nmember; i++) {
        Column c = {{0}, map->x + sim->ctx.model->nq, P + sim->ctx.tangents[i].column, (size_t)sim->ctx.model->nparam};
        c.by.nmover = tac_param_movers(sim->ctx.model, &sim->ctx.work, &sim->ctx.tangents[i], &at, c.by.mover);
        add_column(map, before, &c);
    }
}

static void add_all(const Map *map, int before, const tacJac *jac) {
    if (jac->A != NULL) add_dofs(map, before, jac->A);
    if (jac->A != NULL && before) carry_back(map, jac->A);
    if (jac->A != NULL && map->span == 0) add_axes(map, jac->A);
    if (jac->B != NULL) add_inputs(map, before, jac->B);
    if (jac->P != NULL) add_params(map, before, jac->P);
}

static void clear(double *a, int rows, int columns) {
    if (a != NULL) memset(a, 0, (size_t)rows * (size_t)columns * sizeof *a);
}

/* Needs: twist. First the columns of the poses before the step, which follow from those of q; then those of the poses
 * now. */
static void differentiate(const Map *map, const tacJac *jac) {
    const tacModel *m = map->sim->ctx.model;
    int rows = TAC_BODY_MOVE * m->nbody;
    clear(jac->A, rows, tac_ndx(m));
    clear(jac->B, rows, tac_ninput(m, &map->sim->ctx.options));
    clear(jac->P, rows, m->nparam);
    if (map->span > 0) {
        place_before(map);
        add_all(map, 1, jac);
        tac_kinematics_q(m, &map->sim->ctx.work, map->x, map->mocap);
    }
    add_all(map, 0, jac);
}

/* --- Forward mode: movers in proportion --------------------------------------------------------------------------- */

/* Adds the column of a displacement times `by`. */
static void add_scaled(const Map *map, int before, const tacDisplacement *of, double by, double *dz) {
    Column c = {*of, map->x + map->sim->ctx.model->nq, dz, 1};
    if (by == 0) return;
    for (int k = 0; k < c.by.nmover; k++)
        c.by.mover[k].S = tac_scale6(by, c.by.mover[k].S);
    add_column(map, before, &c);
}

/* Axes of velocities along dv: d(velocity) = S dv. */
static void add_axes_along(const Map *map, const double *dv, double *dz) {
    const tacModel *m = map->sim->ctx.model;
    const tacWork *w = &map->sim->ctx.work;
    Column c = {.out = dz, .ld = 1};
    for (int j = 0; j < m->nv; j++) {
        tacMover mover = tac_dof_mover(m, w, j);
        for (int b = 1; b < m->nbody; b++) {
            double move[6];
            if (!tac_moves_body(m, &mover, b)) continue;
            tac_free_move(w, b, mover.S, move);
            add_rows(move, dv[j], 6 * m->nbody + 6 * b, &c);
        }
    }
}

/* At the poses of w: those before move by dq- = P dq - span Q dv, in dq_before. */
static void add_all_along(const Map *map, int before, const tacTangent *along, double *dq_before, double *dz) {
    tacSim *sim = map->sim;
    const tacModel *m = sim->ctx.model;
    const double *dq = along->x;
    tacSmoothPoint at = tac_point_of(&sim->ctx, map->x, map->u);
    if (before) {
        double *turned = dq_before + m->nv;
        at.q = map->q_before;
        memcpy(turned, dq, (size_t)m->nv * sizeof *dq);
        tac_move_back_jac(m, map->back, 1, turned);
        tac_move_jac(m, map->back, -map->span, 1, 1, dq + m->nv, 1, dq_before);
        tac_dense_axpy(m->nv, 1, turned, dq_before);
        dq = dq_before;
    }
    for (int j = 0; j < m->nv; j++)
        add_scaled(map, before, &(tacDisplacement){1, {tac_dof_mover(m, &sim->ctx.work, j)}}, dq[j], dz);
    if (map->span == 0) add_axes_along(map, along->x + m->nv, dz);
    for (int i = 0; map->mocap != NULL && along->u != NULL && i < sim->ctx.inputs.nmocap; i++) {
        tacDisplacement by = {.nmover = 1};
        tac_mocap_mover(m, &sim->ctx.work, i, map->mocap, &by.mover[0]);
        add_scaled(map, before, &by, along->u[sim->ctx.inputs.mocap + i], dz);
    }
    for (int i = 0; along->theta != NULL && i < m->nmember; i++) {
        tacDisplacement by = {0};
        by.nmover = tac_param_movers(m, &sim->ctx.work, &sim->ctx.tangents[i], &at, by.mover);
        add_scaled(map, before, &by, along->theta[sim->ctx.tangents[i].column], dz);
    }
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

/* Weights of the displacements and of the changes of velocity, summed over all bodies that hang on a body. */
typedef struct Weights {
    tacVec6 *move, *rate; /* nbody; about the origin of the body's tree */
} Weights;

/* Weights of one body:  do . (obar + vbar x w) + turn . R thetabar - (turn x w) . R wbar,  dV . (vbar, R wbar)
 * (X10) */
static void weigh_velocity(const tacWork *w, int b, const double *pose, const double *twist, const Weights *sum) {
    tacVec3 omega = w->V[b].ang, force = tac_load3(twist), turn = tac_mulmv3(w->xmat[b], tac_load3(twist + 3));
    tacVec3 along = tac_add3(tac_load3(pose), tac_cross3(force, omega));
    tacVec3 about = tac_sub3(tac_mulmv3(w->xmat[b], tac_load3(pose + 3)), tac_cross3(omega, turn));
    sum->rate[b] = tac_free_weights(w, b, turn, force);
    sum->move[b] = tac_free_weights(w, b, about, along);
    sum->move[b] = tac_add6(sum->move[b], tac_crossf6(w->V[b], sum->rate[b])); /* X x V_b, of X x (V_b - V_before) */
}

/* The same of means: (obar + vbar/span, thetabar + Jr^-T wbar/span) at q, (-vbar/span, -Jr^-1 wbar/span) before. */
static void weigh_mean(const Map *map, int b, int before, const double *pose, const double *twist, const Weights *sum) {
    const tacWork *w = &map->sim->ctx.work;
    double scale = (before ? -1 : 1) / map->span;
    tacMat3 inverse = tac_quat_right_jacobian_inverse(tac_scale3(map->span, tac_load3(map->twist + 6 * b + 3)));
    tacVec3 turn = tac_load3(twist + 3), along = tac_scale3(scale, tac_load3(twist));
    tacVec3 about = tac_scale3(scale, before ? tac_mulmv3(inverse, turn) : tac_mulmtv3(inverse, turn));
    if (!before) {
        along = tac_add3(along, tac_load3(pose));
        about = tac_add3(about, tac_load3(pose + 3));
    }
    sum->move[b] = tac_free_weights(w, b, tac_mulmv3(w->xmat[b], about), along);
    sum->rate[b] = tac_zero6();
}

/* Sums over all that hangs on each body, at the poses of w. */
static void weigh_bodies(const Map *map, int before, const double *zbar, const Weights *sum) {
    const tacModel *m = map->sim->ctx.model;
    for (int b = 1; b < m->nbody; b++) {
        const double *pose = zbar + 6 * b, *twist = zbar + 6 * m->nbody + 6 * b;
        if (map->span > 0)
            weigh_mean(map, b, before, pose, twist, sum);
        else
            weigh_velocity(&map->sim->ctx.work, b, pose, twist, sum);
    }
    for (int b = m->nbody - 1; b > 0; b--) {
        int parent = m->body_parent[b];
        if (parent == 0) continue;
        sum->move[parent] = tac_add6(sum->move[parent], sum->move[b]);
        sum->rate[parent] = tac_add6(sum->rate[parent], sum->rate[b]);
    }
}

/* A column . zbar:  X . (sum of moves) - (X x V_before) . (sum of rates)                                       (X11) */
static double pull(const Map *map, const tacDisplacement *by, const Weights *sum) {
    const tacModel *m = map->sim->ctx.model;
    const tacWork *w = &map->sim->ctx.work;
    double value = 0;
    for (int k = 0; k < by->nmover; k++) {
        tacDisplacement one = {1, {by->mover[k]}};
        int body = one.mover->body;
        if (one.mover->site > 0) continue;
        value += tac_dot6(one.mover->S, sum->move[body]);
        if (map->span > 0) continue;
        tacVec6 own = tac_body_velocity_move(m, w, w->V, map->x + m->nq, &one, body); /* X x (V_body - V_before) */
        tacVec6 before = tac_sub6(tac_crossm6(one.mover->S, w->V[body]), own);
        value -= tac_dot6(before, sum->rate[body]);
    }
    return value;
}

static void pull_state(const Map *map, int before, const Weights *sum, double *xbar) {
    const tacModel *m = map->sim->ctx.model;
    const tacWork *w = &map->sim->ctx.work;
    for (int j = 0; j < m->nv; j++) {
        xbar[j] += pull(map, &(tacDisplacement){1, {tac_dof_mover(m, w, j)}}, sum);
        if (map->span == 0) xbar[m->nv + j] = tac_dot6(w->S[j], sum->rate[m->dof_body[j]]);
    }
    if (before) tac_move_vjp(m, map->back, -map->span, xbar, xbar, xbar + m->nv);
}

static void pull_all(const Map *map, int before, const Weights *sum, const tacGrad *grad) {
    tacSim *sim = map->sim;
    int first = sim->ctx.inputs.mocap;
    tacSmoothPoint at = tac_point_of(&sim->ctx, map->x, map->u);
    if (before) at.q = map->q_before;
    pull_state(map, before, sum, grad->x);
    for (int i = 0; map->mocap != NULL && grad->u != NULL && i < sim->ctx.inputs.nmocap; i++) {
        tacDisplacement by = {.nmover = 1};
        tac_mocap_mover(sim->ctx.model, &sim->ctx.work, i, map->mocap, &by.mover[0]);
        grad->u[first + i] += pull(map, &by, sum);
    }
    for (int i = 0; grad->theta != NULL && i < sim->ctx.model->nmember; i++) {
        tacDisplacement by = {0};
        by.nmover = tac_param_movers(sim->ctx.model, &sim->ctx.work, &sim->ctx.tangents[i], &at, by.mover);
        grad->theta[sim->ctx.tangents[i].column] += pull(map, &by, sum);
    }
}

/* Needs: evaluate. Poses before come first, as in differentiate. */
static void differentiate_reverse(const Map *map, const double *zbar, const Weights *sum, const tacGrad *grad) {
    const tacModel *m = map->sim->ctx.model;
    clear(grad->x, 1, tac_ndx(m));
    clear(grad->u, 1, tac_ninput(m, &map->sim->ctx.options));
    clear(grad->theta, 1, m->nparam);
    if (map->span > 0) {
        place_before(map);
        weigh_bodies(map, 1, zbar, sum);
        pull_all(map, 1, sum, grad);
        tac_kinematics_q(m, &map->sim->ctx.work, map->x, map->mocap);
    }
    weigh_bodies(map, 0, zbar, sum);
    pull_all(map, 0, sum, grad);
}

/* --- The maps ----------------------------------------------------------------------------------------------------- */

static tacStatus check(tacSim *sim, const char *call, const double *x, const double *u, const tacMaximal *z) {
    if (z == NULL) return tac_sim_null(sim, call, "z");
    if (!tac_finite(z->span) || z->span < 0)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "z->span is %g, expected a finite time", z->span);
    tacStatus status = tac_check_entries(sim, call, "x", TAC_OF_STATE, x);
    return status == TAC_OK && u != NULL ? tac_check_entries(sim, call, "u", TAC_OF_INPUT, u) : status;
}

static int layout_map(const tacModel *m, tacArena *arena, Map *map) {
    map->pose = TAC_TAKE(arena, TAC_POSE_SIZE * m->nbody, double);
    map->twist = TAC_TAKE(arena, 6 * m->nbody, double);
    map->q_before = TAC_TAKE(arena, m->nq, double);
    map->back = TAC_TAKE(arena, m->nv, double);
    return map->back != NULL; /* the last is NULL when any before it is */
}

static int layout_weights(const tacModel *m, tacArena *arena, Weights *sum) {
    sum->move = TAC_TAKE(arena, m->nbody, tacVec6);
    sum->rate = TAC_TAKE(arena, m->nbody, tacVec6);
    return sum->move != NULL && sum->rate != NULL;
}

/* Of tac_to_maximal_jvp: dq-, and scratch. */
static double *layout_before(const tacModel *m, tacArena *arena) { return TAC_TAKE(arena, 2 * m->nv, double); }

void tac_to_maximal_measure(const tacModel *m, tacArena *dry) {
    TAC_SCOPE(dry);
    Map map;
    Weights sum;
    layout_map(m, dry, &map);
    layout_weights(m, dry, &sum);
    layout_before(m, dry);
}

/* -> bodies in map, w at q. Takes from the arena; the caller releases. */
static tacStatus open_map(tacSim *sim, const double *x, const double *u, double span, Map *map) {
    const tacModel *m = sim->ctx.model;
    *map = (Map){.sim = sim, .x = x, .u = u, .mocap = tac_inputs_of(&sim->ctx.inputs, u).mocap, .span = span};
    if (!layout_map(m, &sim->ctx.arena, map)) return TAC_ERR_ARENA_FULL;
    evaluate(map);
    int bad = tac_first_nonfinite(TAC_POSE_SIZE * m->nbody, map->pose) >= 0 ||
              tac_first_nonfinite(6 * m->nbody, map->twist) >= 0;
    return bad ? TAC_ERR_NONFINITE : TAC_OK;
}

tacStatus tac_to_maximal(tacSim *sim, const double *x, const double *u, const tacMaximal *z, const tacJac *jac) {
    TAC_TRY(check(sim, __func__, x, u, z));
    const tacModel *m = sim->ctx.model;
    TAC_SCOPE(&sim->ctx.arena);
    Map map;
    tacStatus status = open_map(sim, x, u, z->span, &map);
    if (status == TAC_OK) {
        if (z->pose != NULL) memcpy(z->pose, map.pose, TAC_POSE_SIZE * (size_t)m->nbody * sizeof *z->pose);
        if (z->twist != NULL) memcpy(z->twist, map.twist, 6 * (size_t)m->nbody * sizeof *z->twist);
        if (jac != NULL) differentiate(&map, jac);
    }
    return tac_end_call(sim, __func__, status);
}

tacStatus tac_to_maximal_jvp(tacSim *sim, const double *x, const double *u, double span, const tacTangent *along,
                             double *dz) {
    const tacModel *m = sim->ctx.model;
    TAC_SCOPE(&sim->ctx.arena);
    Map map;
    TAC_TRY(open_map(sim, x, u, span, &map));
    double *dq_before = layout_before(m, &sim->ctx.arena);
    if (dq_before == NULL) return TAC_ERR_ARENA_FULL;
    clear(dz, 1, TAC_BODY_MOVE * m->nbody);
    if (span > 0) {
        place_before(&map);
        add_all_along(&map, 1, along, dq_before, dz);
        tac_kinematics_q(m, &sim->ctx.work, x, map.mocap);
    }
    add_all_along(&map, 0, along, dq_before, dz);
    return TAC_OK;
}

tacStatus tac_to_maximal_vjp(tacSim *sim, const double *x, const double *u, double span, const double *zbar,
                             const tacGrad *grad) {
    TAC_SCOPE(&sim->ctx.arena);
    Map map;
    Weights sum;
    TAC_TRY(open_map(sim, x, u, span, &map));
    if (!layout_weights(sim->ctx.model, &sim->ctx.arena, &sum)) return TAC_ERR_ARENA_FULL;
    differentiate_reverse(&map, zbar, &sum, grad);
    return TAC_OK;
}
