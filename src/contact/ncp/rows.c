/* Rows on dofs in the step: values at an iterate, laws, and their part of the linear system (docs/theory/ncp.md,
 * W29-W32). */
#include "contact/ncp/rows.h"

#include "contact/coordinate.h"
#include "contact/ncp/problem.h"
#include "math/scalar.h"
#include "math/six.h"

/* rad/s (m/s): residuals of rates up to this count in full. */
#define FINE_RATE 1e-8

/* --- Values at the next pose -------------------------------------------------------------------------------------- */

static void place_ball(tacNcp *p, tacNcpRow *row) {
    double range = tac_ncp_ball_range(p->m, row->of.id);
    tacVec3 phi = tac_ncp_ball_turn_next(p, row->of.id);
    row->r = tac_ncp_ball_gap(range, phi) - row->rest;
    tac_store3(p->rows.J + row->of.adr, tac_scale3(-1 / range, phi));
}

/* Places a row that is not of a connect or weld. */
static void place_row(tacNcp *p, tacNcpRow *row, const double *v_next) {
    if (tac_ncp_row_is_ball(p, row))
        place_ball(p, row);
    else if (row->law == TAC_NCP_DRY)
        row->r = tac_ncp_row_dot(&p->rows, row, p->rows.J, v_next);
    else if (tac_ncp_row_is_smooth(row))
        row->r = tac_ncp_row_dot(&p->rows, row, p->rows.J, v_next) - tac_ncp_row_dot(&p->rows, row, p->rows.J, p->v);
    else if (row->law == TAC_NCP_PAIR) /* linear in q, of hinges and slides: q+ = q + h v+ */
        row->r = row->of.pos - row->rest + p->h * tac_ncp_row_dot(&p->rows, row, p->rows.J, v_next);
    else
        row->r = tac_row_combination(p->m, &row->of, p->q_next).pos - row->rest;
}

int tac_ncp_row_is_pose(const tacNcp *p, const tacNcpRow *row) {
    return row->law == TAC_NCP_HELD && tac_equality_is_pose(p->m, row->of.id);
}

int tac_ncp_row_is_ball(const tacNcp *p, const tacNcpRow *row) {
    return row->of.kind == TAC_ROW_JOINT_LIMIT && p->m->joint_type[row->of.id] == TAC_JOINT_BALL;
}

void tac_ncp_place_rows(tacNcp *p, const double *v_next) {
    for (int k = 0; k < p->rows.n; k++) {
        tacNcpRow *row = &p->rows.row[k];
        if (!tac_ncp_row_is_pose(p, row)) {
            place_row(p, row, v_next);
        } else if (row->of.axis == 0) {
            tacEquality e = tac_equality_at(p->m, &p->next, row->of.id);
            for (int i = 0; i < e.n; i++)
                row[i].r = e.pos[i] - row[i].rest;
        }
    }
}

double tac_ncp_limit_depth(const tacNcp *p) {
    double depth = 0;
    for (int k = 0; k < p->rows.n; k++)
        if (p->rows.row[k].law == TAC_NCP_PAIR) depth = tac_max(depth, -p->rows.row[k].r);
    return depth;
}

/* --- Impulses and residuals --------------------------------------------------------------------------------------- */

double tac_ncp_row_dot(const tacNcpRows *rows, const tacNcpRow *row, const double *numbers, const double *y) {
    double sum = 0;
    for (int e = row->of.adr; e < row->of.adr + row->of.num; e++)
        sum += numbers[e] * y[rows->dof[e]];
    return sum;
}

void tac_ncp_row_axpy(const tacNcpRows *rows, const tacNcpRow *row, double s, const double *numbers, double *y) {
    for (int e = row->of.adr; e < row->of.adr + row->of.num; e++)
        y[rows->dof[e]] += s * numbers[e];
}

/* Residual of a rate: counted as the momentum that it means, where that is less. It stands beside the residual of the
 * balance, and trial points let dry friction change sign at rates that the next step corrects. Below FINE_RATE, the
 * size of its creep, it counts in full. */
static double weigh_rate(const tacNcpRow *row, double off) { return tac_min(off, tac_max(row->mass * off, FINE_RATE)); }

/* Evaluates a row at an iterate. Returns its largest residual. */
static double evaluate_row(tacNcpRow *row, const double *x, const double *a, const double *b) {
    row->e[0] = row->e[1] = 0;
    switch (row->law) {
    case TAC_NCP_PAIR:
        row->p = row->a[0] = a[row->at];
        row->b[0] = b[row->at];
        row->e[0] = row->b[0] - row->r - tac_yield(&row->bound.yield, row->p, &row->soft);
        break;
    case TAC_NCP_DRY:
        for (int i = 0; i < 2; i++) {
            row->a[i] = a[row->at + i];
            row->b[i] = b[row->at + i];
        }
        row->p = row->coefficient * row->a[1];
        row->e[0] = row->b[1] - row->r;
        row->e[1] = row->a[0] - 1;
        break;
    case TAC_NCP_HELD:
        row->p = x[row->at];
        row->e[0] = row->r + row->coefficient * row->p;
        break;
    default:
        row->p = -row->coefficient * row->r;
        break;
    }
    double off = tac_abs(row->e[0]);
    return tac_max(row->law == TAC_NCP_DRY ? weigh_rate(row, off) : off, tac_abs(row->e[1]));
}

double tac_ncp_evaluate_rows(tacNcp *p, const double *x, const double *a, const double *b) {
    double worst = 0;
    for (int k = 0; k < p->rows.n; k++) {
        tacNcpRow *row = &p->rows.row[k];
        worst = tac_max(worst, evaluate_row(row, x, a, b));
        tac_ncp_row_axpy(&p->rows, row, -row->p, p->rows.J, p->g);
    }
    return worst;
}

/* --- Laws, linearized --------------------------------------------------------------------------------------------- */

/* Of dry friction, with y = a and eta = b:
 *   [y_0  eta_t] [deta_0]   [c_0 - eta_0 dy_0 - y_t deta_t]
 *   [y_t  eta_0] [dy_t  ] = [c_t - eta_t dy_0 - y_0 deta_t],      deta_t = dr - e_0,  dy_0 = -e_1         (W32) */
static double dry_determinant(const tacNcpRow *row) {
    return row->factored.a[0] * row->factored.b[0] - row->factored.a[1] * row->factored.b[1];
}

/* y_0^2 - y_t^2 */
static double dry_freedom(const tacNcpRow *row) {
    double y = tac_abs(row->factored.a[1]);
    return (row->factored.a[0] - y) * (row->factored.a[0] + y);
}

double tac_ncp_row_compliance(const tacNcpRow *row) {
    switch (row->law) {
    case TAC_NCP_PAIR:
        return row->factored.b[0] / row->factored.a[0] + row->factored.soft;
    case TAC_NCP_DRY:
        return dry_determinant(row) / (row->coefficient * dry_freedom(row));
    case TAC_NCP_HELD:
        return row->coefficient;
    default:
        return 1 / row->coefficient;
    }
}

double tac_ncp_row_offset(const tacNcpRow *row, const double *c) {
    const double *a = row->factored.a, *b = row->factored.b, *e = row->e;
    switch (row->law) {
    case TAC_NCP_PAIR:
        return e[0] + c[row->at] / a[0];
    case TAC_NCP_DRY: {
        double c_0 = c[row->at] + b[0] * e[1] + a[1] * e[0], c_t = c[row->at + 1] + b[1] * e[1] + a[0] * e[0];
        return (a[0] * c_t - a[1] * c_0) / dry_freedom(row);
    }
    case TAC_NCP_HELD:
        return -e[0];
    default:
        return 0;
    }
}

/* da and db from dr and dp. */
static void recover_row(const tacNcpRow *row, const double *c, double dr, double dp, double *da, double *db) {
    da += row->at;
    db += row->at;
    c += row->at;
    if (row->law == TAC_NCP_PAIR) {
        da[0] = dp;
        db[0] = dr - row->e[0] + row->factored.soft * dp;
        return;
    }
    da[0] = -row->e[1];
    da[1] = dp / row->coefficient;
    db[1] = dr - row->e[0];
    db[0] = (c[0] - row->factored.b[0] * da[0] - row->factored.a[1] * db[1] - row->factored.b[1] * da[1]) /
            row->factored.a[0];
}

/* --- Linear system ------------------------------------------------------------------------------------------------ */

/* J = -phi/range at q+, phi turned by Q dv in its own axes: dphi = Jr^-1(phi) Q dv, Q = h Jr(h v+). G = J Q as
 * J Jr^-1 = J. */
static void linearize_ball(tacNcp *p, tacNcpRow *row) {
    double range = tac_ncp_ball_range(p->m, row->of.id), *J = p->rows.J + row->of.adr, *G = p->rows.G + row->of.adr;
    int dof = p->m->joint_dof_adr[row->of.id];
    tacMat3 Q = tac_quat_right_jacobian(tac_load3(p->hv + dof));
    tacMat3 turn = tac_mulmm3(tac_quat_right_jacobian_inverse(tac_ncp_ball_turn_next(p, row->of.id)), Q);
    tac_store3(G, tac_scale3(p->h, tac_mulmtv3(Q, tac_load3(J))));
    for (int i = 0; i < 9; i++)
        row->turn[i] = p->h * row->p / range * turn.m[i];
}

static void linearize_combination(tacNcp *p, const tacNcpRow *row) {
    tacCombination a = tac_row_combination(p->m, &row->of, p->q_next);
    int e = row->of.adr;
    for (int i = 0; i < a.n; i++)
        for (int k = 0; k < tac_coordinate_size(p->m, a.c[i]); k++)
            p->rows.G[e++] = p->h * a.scale[i] * tac_coordinate_term(p->m, a.c[i], k).coef;
}

/* Poses at q+ follow v+ by ldu.right. */
static void linearize_pose(tacNcp *p, const tacNcpRow *first) {
    tacEquality e = tac_equality_at(p->m, &p->next, first->of.id);
    for (int axis = 0; axis < e.n; axis++) {
        int at = first[axis].of.adr;
        for (int side = 0; side < 2; side++) {
            tacVec6 W = tac_equality_wrench(&p->next, &e, side, axis);
            for (int i = p->m->body_last_dof[e.body[side]]; i >= 0; i = p->m->dof_parent[i])
                p->rows.G[at++] = tac_six_dot(p->ldu.right + 6 * i, &W.ang.x);
        }
    }
}

static void linearize_row(tacNcp *p, tacNcpRow *row) {
    if (tac_ncp_row_is_ball(p, row))
        linearize_ball(p, row);
    else if (row->law == TAC_NCP_HELD && !tac_ncp_row_is_pose(p, row))
        linearize_combination(p, row);
    else if (row->law == TAC_NCP_HELD && row->of.axis == 0)
        linearize_pose(p, row);
}

static void keep_point(tacNcpRow *row) {
    for (int i = 0; i < 2; i++) {
        row->factored.a[i] = row->a[i];
        row->factored.b[i] = row->b[i];
    }
    row->factored.soft = row->soft;
}

/* Adds J^T G / C, and the derivative of J. */
static void add_narrow(tacNcp *p, const tacNcpRow *row) {
    int first = row->of.adr, dof = p->rows.dof[first], body = p->m->dof_body[dof];
    const double *J = p->rows.J + first, *G = p->rows.G + first;
    double K = 1 / tac_ncp_row_compliance(row);
    if (row->of.num == 1) {
        p->ldu.diag[dof] += J[0] * K * G[0];
        return;
    }
    int at = dof - p->m->body_dof_adr[body], n = p->m->body_dof_num[body];
    double *own = p->ldu.own + p->ldu.most * p->ldu.most * body;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            own[n * (at + i) + at + j] += J[i] * K * G[j] + row->turn[3 * i + j];
}

void tac_ncp_linearize_rows(tacNcp *p) {
    for (int k = 0; k < p->rows.n; k++) {
        tacNcpRow *row = &p->rows.row[k];
        keep_point(row);
        linearize_row(p, row);
        if (row->wide < 0) add_narrow(p, row);
    }
}

void tac_ncp_reduce_rows(const tacNcp *p, const double *c, double *g) {
    for (int k = 0; k < p->rows.n; k++) {
        const tacNcpRow *row = &p->rows.row[k];
        if (row->wide >= 0) continue;
        tac_ncp_row_axpy(&p->rows, row, -tac_ncp_row_offset(row, c) / tac_ncp_row_compliance(row), p->rows.J, g);
    }
}

void tac_ncp_recover_rows(const tacNcp *p, const double *c, double *dx, double *da, double *db) {
    for (int k = 0; k < p->rows.n; k++) {
        const tacNcpRow *row = &p->rows.row[k];
        double dr = tac_ncp_row_dot(&p->rows, row, p->rows.G, dx);
        double dp =
            row->wide >= 0 ? p->rows.t[row->wide] : (tac_ncp_row_offset(row, c) - dr) / tac_ncp_row_compliance(row);
        if (row->law == TAC_NCP_HELD) dx[row->at] = dp;
        if (row->law == TAC_NCP_PAIR || row->law == TAC_NCP_DRY) recover_row(row, c, dr, dp, da, db);
    }
}

/* --- Start -------------------------------------------------------------------------------------------------------- */

/* eta_0^2 - kappa V eta_0 - u^2 = 0, y_t = -u/eta_0 */
static void start_dry(const tacNcpRow *row, double product, double *a, double *b) {
    double half = 0.5 * product;
    b[0] = half + tac_sqrt(half * half + row->r * row->r);
    b[1] = row->r;
    a[0] = 1;
    a[1] = -row->r / b[0];
}

/* |J|: a tendon with short lever arms moves less far. 1 for a ball, whose J may be zero. */
static double row_size(const tacNcp *p, const tacNcpRow *row) {
    double sum = 0;
    if (row->wide < 0) return 1;
    for (int e = row->of.adr; e < row->of.adr + row->of.num; e++)
        sum += p->rows.J[e] * p->rows.J[e];
    return sum > 0 ? tac_sqrt(sum) : 1;
}

void tac_ncp_start_rows(tacNcp *p, int again, double kappa, double gap) {
    for (int k = 0; k < p->rows.n; k++) {
        const tacNcpRow *row = &p->rows.row[k];
        if (row->law == TAC_NCP_HELD && !again) p->x[row->at] = 0;
        if (row->law == TAC_NCP_DRY) start_dry(row, kappa * p->unit[row->cone], p->a + row->at, p->b + row->at);
        if (row->law != TAC_NCP_PAIR) continue;
        p->b[row->at] = tac_max(row->r, gap * row_size(p, row));
        p->a[row->at] = kappa * p->unit[row->cone] / p->b[row->at];
    }
}
