/* Contact lcp, semi-implicit Euler: the step without constraints, then impulses (contact/lcp/problem.h). */
#include "contact/lcp/step.h"

#include "contact/lcp/bounce_grad.h"
#include "contact/lcp/ahead.h"
#include "smooth/smooth_step.h"

#include <string.h>

/* Speed (m/s) beyond that of the free motion which impulses may give a geom within one step and still be met by a row
 * that was found before; what comes faster is found a step later, inside. */
#define SLACK_SPEED 0.5

/* --- The step ----------------------------------------------------------------------------------------------------- */

/* How far each geom may come in a step: h (|velocity of its middle| + |turning| radius + slack). */
static void reach_of_motion(tacContext *ctx, const double *v, tacVec6 *V, double *extra) {
    const tacModel *m = ctx->model;
    const tacWork *w = &ctx->work;
    double h = ctx->options.dt;
    tac_rows_body_velocity(m, w, v, V);
    for (int g = 0; g < m->ngeom; g++) {
        int body = m->geom_body[g];
        tacVec3 r = tac_sub3(ctx->scene.pose[g].p, w->origin[body]);
        double speed = tac_norm3(tac_add3(V[body].lin, tac_cross3(V[body].ang, r)));
        double radius = tac_geom_has_shape(m, g) ? tac_shape_radius(&ctx->scene.shape[g]) : 0;
        int still = m->body_last_dof[body] < 0;
        extra[g] = still ? 0 : h * (speed + tac_norm3(V[body].ang) * radius + SLACK_SPEED);
    }
}

/* Contacts that the free motion may meet in this step. */
static tacStatus find_contacts(tacContext *ctx, const double *v_free, tacLcp *lcp) {
    const tacModel *m = ctx->model;
    size_t mark = tac_arena_mark(&ctx->arena);
    tacVec6 *V = TAC_TAKE(&ctx->arena, m->nbody, tacVec6);
    double *extra = TAC_TAKE(&ctx->arena, m->ngeom, double);
    if (V == NULL || extra == NULL) return TAC_ERR_ARENA_FULL;
    tacStatus status = tac_place_geoms(m, &ctx->work, &ctx->scene);
    if (status == TAC_OK) {
        reach_of_motion(ctx, v_free, V, extra);
        ctx->scene.extra = extra;
        status = tac_scene_contacts(&ctx->scene, m, lcp->rows.contact, lcp->rows.max_contacts, &lcp->rows.ncontact);
        ctx->scene.extra = NULL;
    }
    tac_arena_release(&ctx->arena, mark);
    return status;
}

void tac_lcp_add_impulses(tacContext *ctx, const tacLcp *lcp, double *force) {
    const tacModel *m = ctx->model;
    memset(force, 0, (size_t)m->nv * sizeof *force);
    tac_lcp_add_force(lcp, force);
    tac_solve(m, &ctx->work, force);
    for (int i = 0; i < m->nv; i++)
        ctx->work.qacc[i] += force[i] / lcp->h;
}

/* (x, u) -> w->qacc with constraints, the impulses in lcp (laid out in the arena), the factor of Mhat in w->L. */
static tacStatus accelerate(tacContext *ctx, const double *x, const double *u, tacLcp *lcp) {
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    double h = ctx->options.dt;
    double *v_free = TAC_TAKE(&ctx->arena, m->nv, double), *scratch = TAC_TAKE(&ctx->arena, 3 * (size_t)m->nv, double);
    ctx->info = (tacStepInfo){0};
    if (v_free == NULL || scratch == NULL || !tac_lcp_layout(lcp, m, ctx->options.max_contacts, &ctx->arena))
        return TAC_ERR_ARENA_FULL;
    tac_evaluate(ctx, x, u);
    tacStatus status = tac_accelerate(ctx, tac_implicit_damping(ctx, scratch));
    if (status != TAC_OK) return status;
    for (int i = 0; i < m->nv; i++)
        v_free[i] = x[m->nq + i] + h * w->qacc[i];
    if (tac_first_nonfinite(m->nv, v_free) >= 0) return TAC_ERR_NONFINITE;
    status = find_contacts(ctx, v_free, lcp);
    if (status != TAC_OK) return status;
    tac_rows_find(m, w, x, v_free, h, &lcp->rows);
    status = tac_look_ahead(ctx, x, u, lcp);
    if (status != TAC_OK) return status;
    tac_rows_weigh(m, w, &lcp->rows, scratch);
    tac_lcp_pose(m, lcp, h);
    tac_lcp_bounce(m, lcp, x + m->nq, NULL, ctx->options.bounce_speed);
    status = tac_lcp_solve(m, lcp, v_free, &ctx->arena);
    if (status != TAC_OK) return status;
    tac_lcp_report(ctx->model, lcp, &ctx->info);
    tac_lcp_add_impulses(ctx, lcp, scratch);
    return TAC_OK;
}

tacStatus tac_lcp_advance(tacContext *ctx, const double *x, const double *u, tacLcp *lcp) {
    tacStatus status = accelerate(ctx, x, u, lcp);
    return status == TAC_OK ? tac_advance(ctx, x) : status;
}

static tacStatus step(tacContext *ctx, const double *x, const double *u, double *y) {
    tacLcp lcp = {.unsolved = 0};
    size_t mark = tac_arena_mark(&ctx->arena);
    tacStatus status = tac_lcp_advance(ctx, x, u, &lcp);
    if (status == TAC_OK) memcpy(y, ctx->work.next, (size_t)tac_nx(ctx->model) * sizeof *y);
    tac_arena_release(&ctx->arena, mark);
    return tac_lcp_judge(&lcp, status);
}

/* Derivatives keep c.n numbers for this many rows at least; steps with more say that there is no room. */
size_t tac_lcp_step_scratch(const tacModel *m, const tacOptions *options) {
    tacColumns c = tac_columns_of(m, options);
    size_t nv = (size_t)m->nv, rows = (size_t)tac_rows_max(m, options->max_contacts);
    if (rows > TAC_LCP_DENSE_ROWS) rows = TAC_LCP_DENSE_ROWS;
    size_t solve = tac_lcp_bytes(m, options->max_contacts) + tac_lcp_scratch(m, options->max_contacts);
    size_t bodies = 4 * tac_arena_round((size_t)m->nbody * sizeof(tacVec6)) + tac_room((size_t)m->ngeom);
    size_t jac_room = 2 * tac_room(rows * (size_t)c.n) + 2 * tac_room(nv * (size_t)c.n) + tac_room(rows * nv) +
                      2 * tac_room(rows * rows);
    size_t mode = options->gradient == TAC_GRADIENT_BOUNCE            ? tac_bounces_scratch(m, rows)
                  : options->gradient == TAC_GRADIENT_COMPLEMENTARITY ? tac_lcp_aware_scratch(m, options)
                                                                      : 0;
    return solve + bodies + jac_room + mode + tac_ahead_bytes(m) + 14 * tac_room(nv) + 8 * tac_room(rows) +
           tac_smooth_scratch(m, options);
}

static void measure(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tac_arena_take(dry, tac_lcp_step_scratch(m, options));
}

static const tacStepper STEPPER = {.integrators = TAC_HAS(TAC_EULER),
                                   .step = step,
                                   .jac = tac_lcp_jac,
                                   .vjp = tac_lcp_vjp,
                                   TAC_SMOOTH_ACCELERATION,
                                   .forces = tac_lcp_forces,
                                   .forces_jac = tac_lcp_forces_jac,
                                   .forces_vjp = tac_lcp_forces_vjp,
                                   .contacts = tac_lcp_contacts,
                                   .measure = measure};

const tacStepper *const TAC_STEPPERS_LCP[] = {&STEPPER, &TAC_STEPPER_LCP_TOI, NULL};
