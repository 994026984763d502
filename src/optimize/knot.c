/* Residuals of one knot, and what they add to cost, gradient and Gauss-Newton
 * block   (docs/theory/plan.md) */
#include "optimize/knot.h"

#include "math/dense.h"
#include "math/quat.h"

#include <string.h>

/* --- Scratch
 * ------------------------------------------------------------------------------------------------------
 */

typedef struct Scratch {
    double *z, *zA, *zB, *zP; /* outputs of one term and their derivatives */
    double *r, *full, *J;     /* residual of a part, of the whole quantity, derivative */
    double *fA, *fB, *fP, *y; /* of steps, and of the user's own quantities */
    double *along;            /* W J, one row */
    int *column;
} Scratch;

typedef struct Most {
    int size, full, nz, call;
} Most;

static int more(int a, int b) { return a > b ? a : b; }

static Most most_of(const tacPlan *plan) {
    Most most = {1, 1, 1, 0};
    for (int i = 0; i < plan->nterm; i++) {
        const tacTerm *t = &plan->term[i];
        most.size = more(most.size, t->size);
        most.full = more(most.full, t->full);
        most.nz = more(most.nz, t->nz);
        if (t->own.of.kind == TAC_OF_CALL) most.call = more(most.call, t->full);
        if (t->own.of.kind == TAC_OF_REST) most.call = more(most.call, plan->ndx);
        if (t->own.of.kind == TAC_OF_DISTANCE) most.call = more(most.call, TAC_CONTACT_ROWS);
    }
    most.full = more(most.full, plan->ndx);
    return most;
}

static int layout(Scratch *s, const tacPlan *plan, tacArena *arena) {
    Most most = most_of(plan);
    size_t nw = (size_t)tac_plan_columns(plan).nw, nz = (size_t)most.nz, call = (size_t)most.call;
    size_t ndx = (size_t)plan->ndx, nu = (size_t)plan->nu, np = (size_t)plan->nparam;
    s->z = TAC_TAKE(arena, nz, double);
    s->zA = TAC_TAKE(arena, nz * ndx, double);
    s->zB = TAC_TAKE(arena, nz * nu, double);
    s->zP = TAC_TAKE(arena, nz * np, double);
    s->r = TAC_TAKE(arena, most.size, double);
    s->full = TAC_TAKE(arena, most.full, double);
    s->J = TAC_TAKE(arena, (size_t)most.size * nw, double);
    s->fA = TAC_TAKE(arena, call * ndx, double);
    s->fB = TAC_TAKE(arena, call * nu, double);
    s->fP = TAC_TAKE(arena, call * np, double);
    s->y = TAC_TAKE(arena, plan->nx, double);
    s->along = TAC_TAKE(arena, nw, double);
    s->column = TAC_TAKE(arena, nw, int);
    return s->column != NULL;
}

void tac_knot_measure(const tacPlan *plan, tacArena *dry) {
    Scratch s;
    TAC_SCOPE(dry);
    layout(&s, plan, dry);
    TAC_TAKE(dry, (size_t)plan->ndx * (size_t)plan->ndx, double); /* of_state */
}

tacPlanColumns tac_plan_columns(const tacPlan *plan) {
    if (plan == NULL) return (tacPlanColumns){0};
    int p = plan->ndx, c = p + plan->nunknown, u = c + plan->nchange;
    return (tacPlanColumns){u + plan->nu, 0, p, c, u};
}

/* --- Quantities
 * ---------------------------------------------------------------------------------------------------
 */

/* One residual in hand. */
typedef struct Residual {
    const tacPlan *plan;
    const tacTerm *t;
    const tacKnotAt *at;
    tacKnotWork *work;
    Scratch *s;
    tacPlanColumns col;
    const double *target;
    double *r, *J; /* size, size x nw; J NULL: not asked for */
} Residual;

/* Rows `from` on of derivatives in the arrays of a call, into J. A NULL array
 * is zero. */
static void put_rows(const Residual *b, int from, const double *A, const double *B, const double *P) {
    const tacPlan *p = b->plan;
    for (int e = 0; b->J != NULL && e < b->t->size; e++) {
        double *row = b->J + (size_t)e * (size_t)b->col.nw;
        size_t i = (size_t)(from + e);
        if (A != NULL) memcpy(row + b->col.x, A + i * (size_t)p->ndx, (size_t)p->ndx * sizeof *row);
        if (B != NULL && b->at->k < p->n + (p->n == 0))
            memcpy(row + b->col.u, B + i * (size_t)p->nu, (size_t)p->nu * sizeof *row);
        for (int k = 0; P != NULL && k < p->nunknown; k++)
            row[b->col.p + k] = P[i * (size_t)p->nparam + (size_t)p->unknown[k]];
    }
}

/* r = log(target^-1 x) of a rotation and its derivative, of three dofs. */
static void rotation_residual(const double *x, const double *target, double *r, double *J, size_t ld) {
    tacQuat q = tac_quat_mul(tac_quat_conj(tac_quat_load(target)), tac_quat_normalize(tac_quat_load(x)));
    tacVec3 turn = tac_quat_log(q);
    tac_store3(r, turn);
    if (J == NULL) return;
    tacMat3 inverse = tac_quat_right_jacobian_inverse(turn);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            J[i * ld + j] = inverse.m[3 * i + j];
}

void tac_state_residual(const tacModel *m, const double *x, const double *target, double *r, double *J, int ld) {
    size_t stride = (size_t)ld + 1; /* of the diagonal */
    tac_qpos_sub(m, x, target, r);
    for (int i = 0; i < m->nv + m->na; i++)
        r[m->nv + i] = x[m->nq + i] - target[m->nq + i];
    for (int i = 0; J != NULL && i < 2 * m->nv + m->na; i++)
        J[(size_t)i * stride] = 1;
    for (int j = 0; j < m->njnt; j++) {
        int free = m->joint_type[j] == TAC_JOINT_FREE, q = m->joint_qpos_adr[j], d = m->joint_dof_adr[j];
        if (!free && m->joint_type[j] != TAC_JOINT_BALL) continue;
        int turn = d + 3 * free;
        rotation_residual(x + q + 3 * free, target + q + 3 * free, r + turn,
                          J == NULL ? NULL : J + (size_t)turn * stride, (size_t)ld);
    }
}

static tacStatus of_state(const Residual *b) {
    const tacPlan *p = b->plan;
    int first = b->t->own.of.first;
    if (b->J != NULL && b->t->size == p->ndx) {
        tac_state_residual(p->model, b->at->x, b->target, b->r, b->J, b->col.nw);
        return TAC_OK;
    }
    TAC_SCOPE(&b->work->arena);
    double *A = TAC_TAKE(&b->work->arena, (size_t)p->ndx * (size_t)p->ndx, double);
    if (A == NULL) return TAC_ERR_ARENA_FULL;
    if (b->J != NULL) memset(A, 0, (size_t)p->ndx * (size_t)p->ndx * sizeof *A);
    tac_state_residual(p->model, b->at->x, b->target, b->s->full, b->J != NULL ? A : NULL, p->ndx);
    memcpy(b->r, b->s->full + first, (size_t)b->t->size * sizeof *b->r);
    put_rows(b, first, A, NULL, NULL);
    return TAC_OK;
}

static tacStatus of_controls(const Residual *b) {
    int first = b->t->own.of.first, change = b->t->own.of.kind == TAC_OF_CHANGE;
    for (int e = 0; e < b->t->size; e++) {
        double *row = b->J == NULL ? NULL : b->J + (size_t)e * (size_t)b->col.nw;
        b->r[e] = b->at->u[first + e] - (change ? b->at->c[first + e] : 0) - b->target[e];
        if (row != NULL) row[b->col.u + first + e] = 1;
        if (row != NULL && change) row[b->col.c + first + e] = -1;
    }
    return TAC_OK;
}

static tacStatus of_params(const Residual *b) {
    int first = b->t->own.of.first;
    for (int e = 0; e < b->t->size; e++) {
        b->r[e] = b->at->p[first + e] - b->target[e];
        if (b->J != NULL) b->J[(size_t)e * (size_t)b->col.nw + (size_t)(b->col.p + first + e)] = 1;
    }
    return TAC_OK;
}

/* Outputs of the term, into z and its derivatives. */
static tacStatus read_outputs(const Residual *b) {
    tacOutput list[3];
    tac_term_outputs(b->t, list);
    tacOutputs outputs = {b->t->noutput, list};
    if (b->J == NULL) return tac_outputs(b->work->sim, b->at->x, b->at->u, &outputs, b->s->z);
    tacJac jac = {b->s->zA, b->plan->nu > 0 ? b->s->zB : NULL, b->plan->nunknown > 0 ? b->s->zP : NULL};
    return tac_outputs_jac(b->work->sim, b->at->x, b->at->u, &outputs, b->s->z, &jac);
}

static tacStatus of_output(const Residual *b) {
    int first = b->t->own.of.first;
    tacStatus status = read_outputs(b);
    if (status != TAC_OK) return status;
    for (int e = 0; e < b->t->size; e++)
        b->r[e] = b->s->z[first + e] - b->target[e];
    put_rows(b, first, b->s->zA, b->plan->nu > 0 ? b->s->zB : NULL, b->plan->nunknown > 0 ? b->s->zP : NULL);
    return TAC_OK;
}

/* One column of the derivatives of z: by x, p or u; nz numbers into dz. */
static void column_of_outputs(const Residual *b, int column, double *dz) {
    const tacPlan *p = b->plan;
    const double *from = b->s->zA + column;
    size_t ld = (size_t)p->ndx;
    if (column >= b->col.u) {
        from = b->s->zB + (column - b->col.u);
        ld = (size_t)p->nu;
    } else if (column >= b->col.p) {
        from = b->s->zP + p->unknown[column - b->col.p];
        ld = (size_t)p->nparam;
    }
    for (size_t i = 0; i < (size_t)b->t->nz; i++)
        dz[i] = from[i * ld];
}

/* Applies `turn` to each column of the outputs' derivatives: rows of the three
 * entries. */
static void put_columns(const Residual *b, void (*turn)(const Residual *, const double *dz, double dr[3])) {
    double dz[18], dr[3];
    int last_knot = b->at->k >= b->plan->n + (b->plan->n == 0), first = b->t->own.of.first;
    for (int j = 0; b->J != NULL && j < b->col.nw; j++) {
        if ((j >= b->col.c && j < b->col.u) || (last_knot && j >= b->col.u)) continue;
        column_of_outputs(b, j, dz);
        turn(b, dz, dr);
        for (int e = 0; e < b->t->size; e++)
            b->J[(size_t)e * (size_t)b->col.nw + (size_t)j] = dr[first + e];
    }
}

static tacMat3 load_mat(const double *m) {
    tacMat3 R;
    memcpy(R.m, m, sizeof R.m);
    return R;
}

/* R_in^T (p - p_in) */
static void turn_position(const Residual *b, const double *dz, double dr[3]) {
    const double *z = b->s->z;
    tacVec3 d = tac_load3(dz);
    if (b->t->own.of.in.kind != TAC_KIND_NONE) {
        tacVec3 apart = tac_sub3(tac_load3(z), tac_load3(z + 3));
        d = tac_add3(tac_mulmtv3(load_mat(z + 6), tac_sub3(d, tac_load3(dz + 3))),
                     tac_mulmtv3(load_mat(dz + 6), apart));
    }
    tac_store3(dr, d);
}

static tacStatus of_position(const Residual *b) {
    int first = b->t->own.of.first;
    double r[3];
    tacStatus status = read_outputs(b);
    if (status != TAC_OK) return status;
    const double *z = b->s->z;
    tacVec3 at = tac_load3(z);
    if (b->t->own.of.in.kind != TAC_KIND_NONE) at = tac_mulmtv3(load_mat(z + 6), tac_sub3(at, tac_load3(z + 3)));
    tac_store3(r, at);
    for (int e = 0; e < b->t->size; e++)
        b->r[e] = r[first + e] - b->target[e];
    put_columns(b, turn_position);
    return TAC_OK;
}

/* E = target^T R_in^T R of the frames. */
static tacMat3 relative_turn(const Residual *b, const double *z) {
    tacMat3 R = load_mat(z), T = tac_quat_mat(tac_quat_load(b->target));
    if (b->t->own.of.in.kind != TAC_KIND_NONE) R = tac_mulmm3(tac_transpose3(load_mat(z + 9)), R);
    return tac_mulmm3(tac_transpose3(T), R);
}

/* log(E): dr = Jr^-1(r) vee(E^T dE) */
static void turn_orientation(const Residual *b, const double *dz, double dr[3]) {
    const double *z = b->s->z;
    tacMat3 R = load_mat(z), dR = load_mat(dz), W = tac_mulmm3(tac_transpose3(R), dR);
    if (b->t->own.of.in.kind != TAC_KIND_NONE) {
        tacMat3 moved =
            tac_mulmm3(load_mat(dz + 9), tac_mulmm3(tac_transpose3(load_mat(z + 9)), R)); /* dR_in R_in^T R */
        tacMat3 in = tac_mulmm3(tac_transpose3(R), moved);
        for (int i = 0; i < 9; i++)
            W.m[i] -= in.m[i];
    }
    tacVec3 w = tac_vec3(0.5 * (W.m[7] - W.m[5]), 0.5 * (W.m[2] - W.m[6]), 0.5 * (W.m[3] - W.m[1]));
    tacVec3 r = tac_quat_log(tac_quat_from_mat(relative_turn(b, z)));
    tac_store3(dr, tac_mulmv3(tac_quat_right_jacobian_inverse(r), w));
}

static tacStatus of_orientation(const Residual *b) {
    int first = b->t->own.of.first;
    double r[3];
    tacStatus status = read_outputs(b);
    if (status != TAC_OK) return status;
    tac_store3(r, tac_quat_log(tac_quat_from_mat(relative_turn(b, b->s->z))));
    for (int e = 0; e < b->t->size; e++)
        b->r[e] = r[first + e];
    put_columns(b, turn_orientation);
    return TAC_OK;
}

static tacStatus of_distance(const Residual *b) {
    const tacPlan *p = b->plan;
    const int *geom = b->t->own.of.geom;
    tacContact contact;
    tacStatus status = tac_geom_distance(b->work->sim, b->at->x, b->at->u, geom[0], geom[1], &contact);
    if (status != TAC_OK) return status;
    b->r[0] = contact.dist - b->target[0];
    if (b->J == NULL) return TAC_OK;
    tacContactJac jac = {b->s->fA, p->nu > 0 ? b->s->fB : NULL, p->nunknown > 0 ? b->s->fP : NULL};
    status = tac_contact_jac(b->work->sim, b->at->x, b->at->u, &contact, &jac);
    if (status == TAC_ERR_DEGENERATE) return TAC_OK; /* no derivative: it holds the search nowhere */
    if (status != TAC_OK) return status;
    memcpy(b->J + b->col.x, jac.q, (size_t)p->model->nv * sizeof *b->J);
    if (p->nu > 0 && b->at->k < p->n + (p->n == 0)) memcpy(b->J + b->col.u, jac.u, (size_t)p->nu * sizeof *b->J);
    for (int k = 0; k < p->nunknown; k++)
        b->J[b->col.p + k] = jac.theta[p->unknown[k]];
    return TAC_OK;
}

static int went_on(tacStatus status) {
    return status == TAC_OK || status == TAC_ERR_UNSOLVED || status == TAC_ERR_IMPACTS;
}

/* (v+ - v) / dt */
static tacStatus of_rest(const Residual *b) {
    const tacPlan *p = b->plan;
    const tacModel *m = p->model;
    Scratch *s = b->s;
    int first = b->t->own.of.first;
    double dt = tac_plan_dt(p, b->at->p);
    tacJac jac = {s->fA, p->nu > 0 ? s->fB : NULL, p->nunknown > 0 ? s->fP : NULL};
    tacStatus status = b->J == NULL ? tac_step(b->work->sim, b->at->x, b->at->u, s->y, NULL)
                                    : tac_step_jac(b->work->sim, b->at->x, b->at->u, s->y, &jac, NULL);
    if (!went_on(status)) return status;
    for (int e = 0; e < b->t->size; e++)
        b->r[e] = (s->y[m->nq + first + e] - b->at->x[m->nq + first + e]) / dt - b->target[e];
    put_rows(b, m->nv + first, jac.A, jac.B, jac.P);
    for (int e = 0; b->J != NULL && e < b->t->size; e++) {
        double *row = b->J + (size_t)e * (size_t)b->col.nw;
        row[m->nv + first + e] -= 1;
        for (int j = 0; j < b->col.nw; j++)
            row[j] /= dt;
        if (p->time_unknown >= 0) row[b->col.p + p->time_unknown] -= (b->r[e] + b->target[e]) / dt;
    }
    return TAC_OK;
}

static tacStatus of_call(const Residual *b) {
    const tacPlan *p = b->plan;
    const tacQuantity *q = &b->t->own.of;
    Scratch *s = b->s;
    size_t full = (size_t)b->t->full;
    tacKnot knot = {b->at->k, p->n, b->at->x, b->at->u, b->at->theta, b->work->sim};
    tacJac jac = {0};
    if (b->J != NULL) {
        jac = (tacJac){s->fA, s->fB, s->fP};
        memset(s->fA, 0, full * (size_t)p->ndx * sizeof *s->fA);
        memset(s->fB, 0, full * (size_t)p->nu * sizeof *s->fB);
        memset(s->fP, 0, full * (size_t)p->nparam * sizeof *s->fP);
    }
    tacStatus status = q->call(q->context, &knot, s->full, &jac);
    if (status != TAC_OK) return status;
    for (int e = 0; e < b->t->size; e++)
        b->r[e] = s->full[q->first + e] - b->target[e];
    put_rows(b, q->first, jac.A, jac.B, jac.P);
    return TAC_OK;
}

static tacStatus (*const QUANTITY[])(const Residual *b) = {
    [TAC_OF_STATE] = of_state,       [TAC_OF_CTRL] = of_controls,     [TAC_OF_CHANGE] = of_controls,
    [TAC_OF_OUTPUT] = of_output,     [TAC_OF_POSITION] = of_position, [TAC_OF_ORIENTATION] = of_orientation,
    [TAC_OF_DISTANCE] = of_distance, [TAC_OF_PARAM] = of_params,      [TAC_OF_REST] = of_rest,
    [TAC_OF_CALL] = of_call,
};

static tacStatus find_residual(const tacPlan *plan, tacKnotWork *work, const tacKnotAt *at, const tacTerm *t,
                               Scratch *s, double *r, double *J) {
    Residual b = {plan, t, at, work, s, tac_plan_columns(plan), tac_term_target(t, at->k), r, J};
    if (J != NULL) memset(J, 0, (size_t)t->size * (size_t)b.col.nw * sizeof *J);
    return QUANTITY[t->own.of.kind](&b);
}

tacStatus tac_knot_residual(const tacPlan *plan, tacKnotWork *work, const tacKnotAt *at, const tacTerm *t, double *r,
                            double *J) {
    Scratch s;
    TAC_SCOPE(&work->arena);
    if (!layout(&s, plan, &work->arena)) return TAC_ERR_ARENA_FULL;
    return find_residual(plan, work, at, t, &s, r, J);
}

/* --- Sums
 * ---------------------------------------------------------------------------------------------------------
 */

/* g += slope J, H += curvature J' J for one row J; entries that are zero cost
 * nothing. */
static void add_row(int nw, double slope, double curvature, const double *J, int *column, tacKnotValue *v) {
    int n = 0;
    for (int j = 0; j < nw; j++)
        if (J[j] != 0) column[n++] = j;
    for (int a = 0; a < n; a++)
        v->g[column[a]] += slope * J[column[a]];
    if (v->H == NULL || curvature == 0) return;
    for (int a = 0; a < n; a++) {
        double c = curvature * J[column[a]], *row = v->H + (size_t)column[a] * (size_t)nw;
        for (int b = 0; b < n; b++)
            row[column[b]] += c * J[column[b]];
    }
}

/* r' W r */
static double add_matrix(const tacTerm *t, double scale, int nw, const Scratch *s, tacKnotValue *v) {
    int size = t->size;
    const double *W = t->own.matrix;
    double sum = 0;
    for (int i = 0; i < size; i++) {
        double force = scale * tac_dense_dot(size, W + (size_t)i * (size_t)size, s->r);
        sum += force * s->r[i];
        if (v->g == NULL) continue;
        tac_dense_axpy(nw, 2 * force, s->J + (size_t)i * (size_t)nw, v->g);
        if (v->H == NULL) continue;
        memset(s->along, 0, (size_t)nw * sizeof *s->along);
        for (int j = 0; j < size; j++)
            tac_dense_axpy(nw, W[i * size + j], s->J + (size_t)j * (size_t)nw, s->along);
        for (int a = 0; a < nw; a++) {
            double c = 2 * scale * s->J[(size_t)i * (size_t)nw + (size_t)a];
            if (c != 0) tac_dense_axpy(nw, c, s->along, v->H + (size_t)a * (size_t)nw);
        }
    }
    return sum;
}

/* dt^power by products. */
static double time_power(double dt, int power) {
    double result = 1;
    for (int i = 0; i < (power < 0 ? -power : power); i++)
        result *= dt;
    return power < 0 ? 1 / result : result;
}

static void add_cost(const tacPlan *plan, const tacTerm *t, const tacKnotAt *at, const Scratch *s, double *part,
                     tacKnotValue *v) {
    tacPlanColumns col = tac_plan_columns(plan);
    double dt = tac_plan_dt(plan, at->p), scale = time_power(dt, t->own.dt_power), sum = 0;
    if (t->own.matrix != NULL) sum = add_matrix(t, scale, col.nw, s, v);
    for (int e = 0; t->own.matrix == NULL && e < t->size; e++) {
        double slope, curvature, w = scale * t->own.weight[e];
        if (w == 0) continue;
        sum += w * tac_norm(t->own.norm, t->own.width, s->r[e], &slope, &curvature);
        if (v->g != NULL) add_row(col.nw, w * slope, w * curvature, s->J + (size_t)e * (size_t)col.nw, s->column, v);
    }
    if (v->g != NULL && plan->time_unknown >= 0 && t->own.dt_power != 0)
        v->g[col.p + plan->time_unknown] += t->own.dt_power / dt * sum;
    v->cost += sum;
    v->merit += sum;
    *part = sum;
}

/* Entry e of a constraint: lambda r + mu/2 r^2, or (max(0, lambda + mu g)^2 -
 * lambda^2) / (2 mu). */
static double penalize(int equal, double lambda, double mu, double g, double *slope, double *curvature) {
    double force = lambda + mu * g;
    if (!equal && force <= 0) {
        *slope = *curvature = 0;
        return -lambda * lambda / (2 * mu);
    }
    *slope = force;
    *curvature = mu;
    return equal ? lambda * g + 0.5 * mu * g * g : (force * force - lambda * lambda) / (2 * mu);
}

static void add_constraint(const tacPlan *plan, const tacTerm *t, const tacKnotAt *at, const Scratch *s,
                           const tacMultipliers *m, double *part, tacKnotValue *v) {
    tacPlanColumns col = tac_plan_columns(plan);
    int equal = t->own.role == TAC_ROLE_EQUAL, row0 = t->row0 + (at->k - t->own.first) * t->size;
    double sign = t->own.role == TAC_ROLE_AT_LEAST ? -1 : 1, worst = 0;
    for (int e = 0; e < t->size; e++) {
        double slope, curvature, g = sign * s->r[e], w = t->own.weight[e];
        if (v->rows != NULL) v->rows[row0 + e] = w > 0 ? g : 0;
        if (w == 0) continue;
        worst = tac_max(worst, equal ? tac_abs(g) : g);
        if (!tac_finite(g)) worst = TAC_INFINITY;
        if (m == NULL) continue;
        v->merit += penalize(equal, m->lambda[row0 + e], w * m->mu[t - plan->term], g, &slope, &curvature);
        if (v->g != NULL) add_row(col.nw, sign * slope, curvature, s->J + (size_t)e * (size_t)col.nw, s->column, v);
    }
    v->violation = tac_max(v->violation, worst);
    *part = worst;
}

tacStatus tac_knot_evaluate(const tacPlan *plan, tacKnotWork *work, const tacKnotAt *at,
                            const tacMultipliers *multipliers, tacKnotValue *v) {
    Scratch s;
    TAC_SCOPE(&work->arena);
    size_t nw = (size_t)tac_plan_columns(plan).nw;
    if (!layout(&s, plan, &work->arena)) return TAC_ERR_ARENA_FULL;
    v->cost = v->merit = v->violation = 0;
    if (v->g != NULL) memset(v->g, 0, nw * sizeof *v->g);
    if (v->H != NULL) memset(v->H, 0, nw * nw * sizeof *v->H);
    for (int i = 0; i < plan->nterm; i++) {
        const tacTerm *t = &plan->term[i];
        double part = 0;
        int counts = tac_term_is_cost(t) || multipliers != NULL;
        if (tac_term_at(t, at->k)) {
            tacStatus status = find_residual(plan, work, at, t, &s, s.r, v->g != NULL && counts ? s.J : NULL);
            if (status != TAC_OK) return status;
            if (tac_term_is_cost(t))
                add_cost(plan, t, at, &s, &part, v);
            else
                add_constraint(plan, t, at, &s, multipliers, &part, v);
        }
        if (v->terms != NULL) v->terms[i] = part;
    }
    return TAC_OK;
}
