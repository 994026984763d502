/* Contact lcp, semi-implicit Euler: the step without constraints, then impulses (contact/lcp/lcp.h). */
#include "contact/lcp/lcp.h"

#include "base/error.h"
#include "math/dense.h"
#include "math/scalar.h"
#include "step/bounce_grad.h"
#include "step/smooth_step.h"

#include <string.h>

/* Speed (m/s) beyond that of the free motion which impulses may give a geom within one step and still be met by a row
 * that was found before; what comes faster is found a step later, inside. */
#define SLACK_SPEED 0.5

/* --- The step ----------------------------------------------------------------------------------------------------- */

/* How far each geom may come in a step: h (|velocity of its middle| + |turning| radius + slack). */
static void reach_of_motion(tacSim *sim, const double *v, tacVec6 *V, double *extra) {
    const tacModel *m = sim->model;
    const tacWork *w = &sim->work;
    double h = sim->options.dt;
    tac_rows_body_velocity(m, w, v, V);
    for (int g = 0; g < m->ngeom; g++) {
        int body = m->geom_body[g];
        tacVec3 r = tac_sub3(sim->scene.pose[g].p, w->origin[body]);
        double speed = tac_norm3(tac_add3(V[body].lin, tac_cross3(V[body].ang, r)));
        double radius = tac_geom_has_shape(m, g) ? tac_shape_radius(&sim->scene.shape[g]) : 0;
        int still = m->body_last_dof[body] < 0;
        extra[g] = still ? 0 : h * (speed + tac_norm3(V[body].ang) * radius + SLACK_SPEED);
    }
}

/* Contacts that the free motion may meet in this step. */
static tacStatus find_contacts(tacSim *sim, const double *v_free, tacLcp *lcp) {
    const tacModel *m = sim->model;
    size_t mark = tac_arena_mark(&sim->arena);
    tacVec6 *V = TAC_TAKE(&sim->arena, m->nbody, tacVec6);
    double *extra = TAC_TAKE(&sim->arena, m->ngeom, double);
    if (V == NULL || extra == NULL) return TAC_ERR_ARENA_FULL;
    tacStatus status = tac_place_geoms(m, &sim->work, &sim->scene);
    if (status == TAC_OK) {
        reach_of_motion(sim, v_free, V, extra);
        sim->scene.extra = extra;
        status = tac_scene_contacts(&sim->scene, m, lcp->rows.contact, lcp->rows.max_contacts, &lcp->rows.ncontact);
        sim->scene.extra = NULL;
    }
    tac_arena_release(&sim->arena, mark);
    return status;
}

/* w->qacc += Mhat^-1 J^T f / h */
static void add_impulses(tacSim *sim, const tacLcp *lcp, double *force) {
    const tacModel *m = sim->model;
    memset(force, 0, (size_t)m->nv * sizeof *force);
    tac_lcp_add_force(lcp, force);
    tac_solve(m, &sim->work, force);
    for (int i = 0; i < m->nv; i++)
        sim->work.qacc[i] += force[i] / lcp->h;
}

/* (x, u) -> w->qacc with constraints, the impulses in lcp (laid out in the arena), the factor of Mhat in w->L. */
static tacStatus accelerate(tacSim *sim, const double *x, const double *u, tacLcp *lcp) {
    const tacModel *m = sim->model;
    tacWork *w = &sim->work;
    double h = sim->options.dt;
    double *v_free = TAC_TAKE(&sim->arena, m->nv, double), *scratch = TAC_TAKE(&sim->arena, m->nv, double);
    sim->info = (tacStepInfo){0};
    if (v_free == NULL || scratch == NULL || !tac_lcp_layout(lcp, m, sim->options.max_contacts, &sim->arena))
        return TAC_ERR_ARENA_FULL;
    tac_evaluate(sim, x, u);
    tacStatus status = tac_accelerate(sim, tac_implicit_damping(sim, scratch));
    if (status != TAC_OK) return status;
    for (int i = 0; i < m->nv; i++)
        v_free[i] = x[m->nq + i] + h * w->qacc[i];
    if (tac_first_nonfinite(m->nv, v_free) >= 0) return TAC_ERR_NONFINITE;
    status = find_contacts(sim, v_free, lcp);
    if (status != TAC_OK) return status;
    tac_rows_find(m, w, x, v_free, h, &lcp->rows);
    tac_rows_weigh(m, w, &lcp->rows, scratch);
    tac_lcp_pose(m, lcp, h);
    tac_lcp_bounce(m, lcp, x + m->nq, sim->options.bounce_speed);
    status = tac_lcp_solve(m, lcp, v_free, &sim->arena);
    if (status != TAC_OK) return status;
    tac_lcp_report(lcp, &sim->info);
    add_impulses(sim, lcp, scratch);
    return TAC_OK;
}

/* A next state was found, if not by a solution. */
static tacStatus judge(const tacLcp *lcp, tacStatus status) {
    return status == TAC_OK && lcp->unsolved ? TAC_ERR_UNSOLVED : status;
}

static tacStatus advance(tacSim *sim, const double *x, const double *u, tacLcp *lcp) {
    tacStatus status = accelerate(sim, x, u, lcp);
    return status == TAC_OK ? tac_advance(sim, x) : status;
}

static tacStatus step(tacSim *sim, const double *x, const double *u, double *y) {
    tacLcp lcp = {.unsolved = 0};
    size_t mark = tac_arena_mark(&sim->arena);
    tacStatus status = advance(sim, x, u, &lcp);
    if (status == TAC_OK) memcpy(y, sim->work.next, (size_t)tac_nx(sim->model) * sizeof *y);
    tac_arena_release(&sim->arena, mark);
    return judge(&lcp, status);
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* Emits all that constraints add to dR and dr. mocap, theta: NULL skips. */
static tacStatus emit(tacSim *sim, const double *x, const double *u, const tacLcp *lcp, const tacLcpSink *q,
                      const tacLcpSink *mocap, const tacLcpSink *theta) {
    const tacModel *m = sim->model;
    size_t mark = tac_arena_mark(&sim->arena);
    tacVec6 *V = TAC_TAKE(&sim->arena, m->nbody, tacVec6), *V_start = TAC_TAKE(&sim->arena, m->nbody, tacVec6);
    if (V == NULL || V_start == NULL) return TAC_ERR_ARENA_FULL;
    tacSmoothPoint point = tac_point_of(sim, x, u);
    const double *v_next = sim->work.next + m->nq;
    tac_rows_body_velocity(m, &sim->work, v_next, V);
    tac_rows_body_velocity(m, &sim->work, point.v, V_start);
    tacLcpPoint p = {m, &sim->work, &sim->scene, lcp, &point, v_next, V, V_start};
    tacStatus status = TAC_OK;
    for (int c = 0; c < lcp->rows.ncontact && status == TAC_OK; c++)
        status = tac_lcp_contact_jac(&p, c, q, mocap, theta, sim->tangents);
    if (status == TAC_OK) tac_lcp_other_jac(&p, q, theta, sim->tangents);
    tac_arena_release(&sim->arena, mark);
    return status;
}

/* Column of the first mocap number among those of u; -1: u has none. */
static int mocap_column(const tacSim *sim) {
    if (!(sim->options.inputs & TAC_INPUT_MOCAP)) return -1;
    return tac_ninput(sim->model, &sim->options) - 7 * sim->model->nmocap;
}

/* dR (over dofs) and dr (over rows), c.n numbers a row. */
static tacStatus residuals_jac(tacSim *sim, const double *x, const double *u, const tacLcp *lcp, tacColumns c,
                               double *dR, double *dr) {
    const tacModel *m = sim->model;
    int mocap = mocap_column(sim), first = c.nx + (mocap < 0 ? 0 : mocap);
    tacLcpSink q = {{.matrix = dR, .ld = c.n}, {.matrix = dr, .ld = c.n}};
    tacLcpSink u_sink = {{.matrix = dR + first, .ld = c.n}, {.matrix = dr + first, .ld = c.n}};
    tacLcpSink theta = {{.matrix = dR + c.nx + c.nu, .ld = c.n}, {.matrix = dr + c.nx + c.nu, .ld = c.n}};
    memset(dr, 0, (size_t)lcp->rows.n * (size_t)c.n * sizeof *dr);
    for (int k = 0; k < lcp->rows.n; k++)
        tac_row_add_force(&lcp->rows, k, 1 + lcp->bounce[k], /* d(J v+ + e J v)/dv at fixed a */
                          dr + (size_t)k * (size_t)c.n + m->nv);
    return emit(sim, x, u, lcp, &q, mocap < 0 ? NULL : &u_sink, c.np > 0 ? &theta : NULL);
}

/* Halves of Mhat^-1 = L^-1 D^-1 L^-T, with s = D^-1/2:  Y = J L^-1 s, so that  J Mhat^-1 X = (Y s) L^-T X  and
 * L^-T J^T = (Y / s)^T. */
static double root_of_pivot(const tacSim *sim, int dof) { return tac_sqrt(sim->work.L[sim->model->dof_M_adr[dof]]); }

/* What answer_island writes to. */
typedef struct IslandRoom {
    double *df, *Y, *c; /* free rows x columns; free rows x nv; larger of rows and nv */
    int *index;
} IslandRoom;

static int take_island(tacSim *sim, int n, tacColumns c, IslandRoom *room) {
    size_t nv = (size_t)sim->model->nv, most = (size_t)n > nv ? (size_t)n : nv;
    room->df = TAC_TAKE(&sim->arena, (size_t)n * (size_t)c.n, double);
    room->Y = TAC_TAKE(&sim->arena, (size_t)n * nv, double);
    room->c = TAC_TAKE(&sim->arena, most, double);
    room->index = TAC_TAKE(&sim->arena, most, int);
    return room->df != NULL && room->Y != NULL && room->c != NULL && room->index != NULL;
}

/* df = dr - h J Mhat^-1 dR, from H = L^-T dR. */
static void island_sides(tacSim *sim, const tacLcp *lcp, const tacLcpSystem *system, tacColumns c, const double *dr,
                         const double *H, const IslandRoom *room) {
    for (int i = 0; i < system->n; i++) {
        const tacRow *row = &lcp->rows.row[system->row[i]];
        double *side = room->df + (size_t)i * (size_t)c.n;
        memcpy(side, dr + (size_t)system->row[i] * (size_t)c.n, (size_t)c.n * sizeof *side);
        for (int e = 0; e < row->num; e++)
            room->c[e] = -lcp->h * lcp->rows.Y[row->adr + e] * root_of_pivot(sim, lcp->rows.dof[row->adr + e]);
        tac_dense_add_rows(c.n, row->num, room->c, lcp->rows.dof + row->adr, H, 1, side);
    }
}

/* H += L^-T Jhat^T df / h */
static void island_forces(tacSim *sim, const tacLcp *lcp, const tacLcpSystem *system, tacColumns c, double *H,
                          const IslandRoom *room) {
    int nv = sim->model->nv;
    memset(room->Y, 0, (size_t)system->n * (size_t)nv * sizeof *room->Y);
    for (int i = 0; i < system->n; i++)
        tac_lcp_add_hat(lcp, system->row[i], 1, room->Y + (size_t)i * (size_t)nv);
    for (int j = 0; j < nv; j++) {
        double scale = 1 / (lcp->h * root_of_pivot(sim, j));
        int count = 0;
        for (int i = 0; i < system->n; i++) {
            double y = room->Y[(size_t)i * (size_t)nv + (size_t)j];
            if (y != 0) room->c[count] = scale * y, room->index[count++] = i;
        }
        tac_dense_add_rows(c.n, count, room->c, room->index, room->df, 1, H + (size_t)j * (size_t)c.n);
    }
}

/* One island: H = L^-T dR -> H += L^-T Jhat^T df_C / h,  df_C = A_CC^-1 (dr - h J_C Mhat^-1 dR). */
static tacStatus answer_island(tacSim *sim, const tacLcp *lcp, int island, tacColumns c, const double *dr, double *H) {
    size_t mark = tac_arena_mark(&sim->arena);
    tacLcpSystem system;
    IslandRoom room;
    tacStatus status = tac_lcp_system(sim->model, lcp, island, &sim->arena, &system);
    if (status != TAC_OK) return status;
    if (!take_island(sim, system.n, c, &room)) return TAC_ERR_ARENA_FULL;
    island_sides(sim, lcp, &system, c, dr, H, &room);
    tac_lu_solve_many(system.n, system.lu, system.pivot, c.n, room.df, room.c, room.index);
    island_forces(sim, lcp, &system, c, H, &room);
    tac_arena_release(&sim->arena, mark);
    return TAC_OK;
}

/* -> W = -da */
static tacStatus linearize(tacSim *sim, const double *x, const double *u, const tacLcp *lcp, tacColumns c, double *W) {
    const tacModel *m = sim->model;
    double *dr = TAC_TAKE(&sim->arena, (size_t)lcp->rows.n * (size_t)c.n, double);
    if (dr == NULL) return TAC_ERR_ARENA_FULL;
    tac_residual_jac(sim, x, u, tac_damping_span(sim), c, W);
    tacStatus status = residuals_jac(sim, x, u, lcp, c, W, dr);
    if (status != TAC_OK) return status;
    tacTree tree = tac_dof_tree(m);
    tac_tree_push_many(&tree, sim->work.L, c.n, W);
    for (int i = 0; i < lcp->nisland && status == TAC_OK; i++)
        status = answer_island(sim, lcp, i, c, dr, W);
    tac_tree_pull_many(&tree, sim->work.L, c.n, W);
    return status;
}

/* What the gradient mode changes of A. */
static tacStatus correct_jac(tacSim *sim, const tacLcp *lcp, const tacJac *J) {
    if (sim->options.gradient != TAC_GRADIENT_BOUNCE || J->A == NULL) return TAC_OK;
    size_t mark = tac_arena_mark(&sim->arena);
    int nv = sim->model->nv, ndx = tac_ndx(sim->model);
    tacBounces b;
    tacStatus status = tac_bounces_find(sim, lcp, &b);
    double *seen = TAC_TAKE(&sim->arena, b.n, double);
    if (status == TAC_OK && seen == NULL) status = TAC_ERR_ARENA_FULL;
    if (status == TAC_OK) {
        tac_bounces_see(&b, nv, ndx, J->A, seen);
        status = tac_bounces_weigh(sim, &b, seen);
    }
    if (status == TAC_OK) tac_bounces_jac(&b, nv, ndx, J->A);
    tac_arena_release(&sim->arena, mark);
    return status;
}

static tacStatus jac(tacSim *sim, const double *x, const double *u, double *y, const tacJac *J) {
    const tacModel *m = sim->model;
    tacWork *w = &sim->work;
    tacLcp lcp = {.unsolved = 0};
    size_t mark = tac_arena_mark(&sim->arena);
    tacColumns c = tac_count_columns(sim);
    double *W = TAC_TAKE(&sim->arena, (size_t)m->nv * (size_t)c.n, double), *hv = TAC_TAKE(&sim->arena, m->nv, double);
    tacStatus status = W == NULL || hv == NULL ? TAC_ERR_ARENA_FULL : advance(sim, x, u, &lcp);
    if (status == TAC_OK) {
        memcpy(hv, w->vec[0], (size_t)m->nv * sizeof *hv);
        status = linearize(sim, x, u, &lcp, c, W);
    }
    if (status == TAC_OK) {
        tac_assemble_jac(sim, x, u, hv, c, W, J);
        status = correct_jac(sim, &lcp, J);
    }
    if (status == TAC_OK) {
        if (y != NULL) memcpy(y, w->next, (size_t)tac_nx(m) * sizeof *y);
    }
    tac_arena_release(&sim->arena, mark);
    return judge(&lcp, status);
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

/* lambda = Mhat^-1 abar -> mu = A_CC^-T Jhat lambda / h of every island, lambda -= h Mhat^-1 J_C^T mu. */
static tacStatus answer_reverse(tacSim *sim, const tacLcp *lcp, double *lambda, double *mu) {
    const tacModel *m = sim->model;
    double *force = TAC_TAKE(&sim->arena, m->nv, double);
    if (force == NULL) return TAC_ERR_ARENA_FULL;
    memset(force, 0, (size_t)m->nv * sizeof *force);
    memset(mu, 0, (size_t)lcp->rows.n * sizeof *mu);
    for (int island = 0; island < lcp->nisland; island++) {
        size_t mark = tac_arena_mark(&sim->arena);
        tacLcpSystem system;
        tacStatus status = tac_lcp_system(sim->model, lcp, island, &sim->arena, &system);
        if (status != TAC_OK) return status;
        for (int i = 0; i < system.n; i++)
            system.work[i] = tac_lcp_hat_velocity(lcp, system.row[i], lambda) / lcp->h;
        tac_lu_solve_transposed(system.n, system.lu, system.pivot, system.work);
        for (int i = 0; i < system.n; i++) {
            mu[system.row[i]] = system.work[i];
            tac_row_add_force(&lcp->rows, system.row[i], lcp->h * system.work[i], force);
        }
        tac_arena_release(&sim->arena, mark);
    }
    tac_solve(m, &sim->work, force);
    for (int i = 0; i < m->nv; i++)
        lambda[i] -= force[i];
    return TAC_OK;
}

/* bar -= dr^T mu + (what constraints add to dR)^T lambda */
static tacStatus residuals_vjp(tacSim *sim, const double *x, const double *u, const tacLcp *lcp, const double *lambda,
                               const double *mu, const tacGrad *bar) {
    int mocap = mocap_column(sim);
    double *u_bar = bar->u + (mocap < 0 ? 0 : mocap);
    tacLcpSink q = {{.lambda = lambda, .bar = bar->x, .negate = 1}, {.lambda = mu, .bar = bar->x, .negate = 1}};
    tacLcpSink inputs = {{.lambda = lambda, .bar = u_bar, .negate = 1}, {.lambda = mu, .bar = u_bar, .negate = 1}};
    tacLcpSink theta = {{.lambda = lambda, .bar = bar->theta, .negate = 1},
                        {.lambda = mu, .bar = bar->theta, .negate = 1}};
    for (int k = 0; k < lcp->rows.n; k++)
        if (mu[k] != 0) tac_row_add_force(&lcp->rows, k, -mu[k] * (1 + lcp->bounce[k]), bar->x + sim->model->nv);
    return emit(sim, x, u, lcp, &q, mocap < 0 ? NULL : &inputs, bar->theta == NULL ? NULL : &theta);
}

/* One covector through the step that `advance` took; hv: its h v+. */
static tacStatus pull(tacSim *sim, const double *x, const double *u, const tacLcp *lcp, const double *hv,
                      const double *ybar, const tacGrad *g) {
    tacAdjoint adjoint;
    size_t mark = tac_arena_mark(&sim->arena);
    memcpy(sim->work.vec[0], hv, (size_t)sim->model->nv * sizeof *hv);
    tacStatus status = tac_adjoint_begin(sim, ybar, g->theta != NULL, &adjoint);
    double *mu = status == TAC_OK ? TAC_TAKE(&sim->arena, lcp->rows.n + 1, double) : NULL;
    if (status == TAC_OK && mu == NULL) status = TAC_ERR_ARENA_FULL;
    if (status == TAC_OK) {
        tac_solve(sim->model, &sim->work, adjoint.lambda);
        status = answer_reverse(sim, lcp, adjoint.lambda, mu);
    }
    if (status == TAC_OK) status = residuals_vjp(sim, x, u, lcp, adjoint.lambda, mu, &adjoint.bar);
    if (status == TAC_OK) tac_adjoint_end(sim, x, u, tac_damping_span(sim), &adjoint, g);
    tac_arena_release(&sim->arena, mark);
    return status;
}

/* What the gradient mode changes of the gradient; one more covector for each row that bounces: D^T J_i. */
static tacStatus correct_vjp(tacSim *sim, const double *x, const double *u, const tacLcp *lcp, const double *hv,
                             const double *ybar, const tacGrad *g) {
    if (sim->options.gradient != TAC_GRADIENT_BOUNCE || g->x == NULL) return TAC_OK;
    int nv = sim->model->nv, ndx = tac_ndx(sim->model);
    tacBounces b;
    tacStatus status = tac_bounces_find(sim, lcp, &b);
    double *seen = TAC_TAKE(&sim->arena, b.n, double), *bar = TAC_TAKE(&sim->arena, ndx, double);
    double *pulled = TAC_TAKE(&sim->arena, ndx, double);
    if (status == TAC_OK && (seen == NULL || bar == NULL || pulled == NULL)) status = TAC_ERR_ARENA_FULL;
    for (int i = 0; i < b.n && status == TAC_OK; i++) {
        const double *row = b.J + (size_t)i * (size_t)nv;
        memset(bar, 0, (size_t)ndx * sizeof *bar);
        memcpy(bar, row, (size_t)nv * sizeof *bar);
        status = pull(sim, x, u, lcp, hv, bar, &(tacGrad){pulled, NULL, NULL});
        seen[i] = tac_dense_dot(nv, pulled, row);
    }
    if (status == TAC_OK) status = tac_bounces_weigh(sim, &b, seen);
    if (status == TAC_OK) tac_bounces_vjp(&b, nv, ybar, g->x);
    return status;
}

static tacStatus vjp(tacSim *sim, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    tacLcp lcp = {.unsolved = 0};
    size_t mark = tac_arena_mark(&sim->arena);
    tacStatus status = advance(sim, x, u, &lcp);
    double *hv = TAC_TAKE(&sim->arena, sim->model->nv, double);
    if (status == TAC_OK && hv == NULL) status = TAC_ERR_ARENA_FULL;
    if (status == TAC_OK) {
        memcpy(hv, sim->work.vec[0], (size_t)sim->model->nv * sizeof *hv);
        status = pull(sim, x, u, &lcp, hv, ybar, g);
    }
    if (status == TAC_OK) status = correct_vjp(sim, x, u, &lcp, hv, ybar, g);
    tac_arena_release(&sim->arena, mark);
    return judge(&lcp, status);
}

/* Derivatives keep c.n numbers for this many rows at least; steps with more say that there is no room. */
static size_t scratch(const tacModel *m, const tacOptions *options) {
    tacColumns c = tac_columns_of(m, options);
    size_t nv = (size_t)m->nv, rows = 3 * (size_t)options->max_contacts + 2 * (size_t)m->njnt + nv;
    if (rows > TAC_LCP_DENSE_ROWS) rows = TAC_LCP_DENSE_ROWS;
    size_t solve = tac_lcp_bytes(m, options->max_contacts) + tac_lcp_scratch(m, options->max_contacts);
    size_t bodies = 2 * tac_arena_round((size_t)m->nbody * sizeof(tacVec6)) + tac_room((size_t)m->ngeom);
    size_t jac_room = 2 * tac_room(rows * (size_t)c.n) + tac_room(rows * nv) + 2 * tac_room(rows * rows);
    size_t bounce = options->gradient == TAC_GRADIENT_BOUNCE ? tac_bounces_scratch(m, rows) : 0;
    return solve + bodies + jac_room + bounce + 9 * tac_room(nv) + 8 * tac_room(rows) + tac_smooth_scratch(m, options);
}

/* Constraints that have no rows yet would be left out in silence. */
static tacStatus accepts(const tacModel *m, tacError *err) {
    int off = *m->option_disable, limits = !(off & TAC_DISABLE_LIMIT), losses = !(off & TAC_DISABLE_FRICTIONLOSS);
    if (off & TAC_DISABLE_CONSTRAINT) return TAC_OK;
    for (int e = 0; e < m->neq && !(off & TAC_DISABLE_EQUALITY); e++)
        if (m->equality_active[e])
            return tac_fail_at(err, TAC_ERR_UNSUPPORTED, TAC_KIND_EQUALITY, e, "contact lcp has no equalities yet");
    for (int j = 0; j < m->njnt && limits; j++)
        if (m->joint_limited[j] && m->joint_type[j] == TAC_BALL)
            return tac_fail_at(err, TAC_ERR_UNSUPPORTED, TAC_KIND_JOINT, j, "contact lcp has no limits of balls yet");
    for (int t = 0; t < m->ntendon; t++)
        if ((limits && m->tendon_limited[t]) || (losses && m->tendon_frictionloss[t] > 0))
            return tac_fail_at(err, TAC_ERR_UNSUPPORTED, TAC_KIND_TENDON, t,
                               "contact lcp has no limits or dry friction of tendons yet");
    return TAC_OK;
}

const tacStepper TAC_STEPPER_LCP = {TAC_LCP,
                                    TAC_ANY_INTEGRATOR,
                                    step,
                                    jac,
                                    vjp,
                                    tac_smooth_acceleration,
                                    tac_smooth_acceleration_jac,
                                    tac_smooth_acceleration_vjp,
                                    scratch,
                                    accepts};
