/* The step of contact ncp: sets the problem up, solves it (solve.c), advances the state (contact/ncp/problem.h). */
#include "contact/ncp/step.h"

#include "contact/ncp/bodies.h"
#include "contact/ncp/contact.h"
#include "contact/ncp/features.h"
#include "contact/ncp/report.h"
#include "contact/ncp/share.h"
#include "contact/ncp/step_deriv.h"
#include "dynamics/actuator.h"
#include "math/scalar.h"

#include <string.h>

/* --- The step ----------------------------------------------------------------------------------------------------- */

/* Sets the problem up at (x, u): forces, momenta before the step, contacts and rows. */
static tacStatus set_up(tacContext *ctx, const double *x, const double *u, double kappa, double soft, tacNcp *p) {
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    tacSmoothPoint at = tac_point_of(ctx, x, u);
    int nfound = 0;
    if (!tac_ncp_layout(p, m, ctx->options.max_contacts, ctx->options.ncp_collision, &ctx->arena))
        return TAC_ERR_ARENA_FULL;
    p->w = w;
    p->scene = &ctx->scene;
    p->q = x;
    p->v = x + m->nq;
    p->mocap = at.u.mocap;
    p->h = ctx->options.dt;
    p->point = at;
    p->cone_kind = ctx->options.ncp_friction;
    p->implicit =
        ctx->options.integrator == TAC_INTEGRATOR_IMPLICIT || ctx->options.integrator == TAC_INTEGRATOR_IMPLICITFAST;
    p->damping_span = p->implicit && !(*m->option_disable & TAC_DISABLE_DAMPER) ? p->h : tac_damping_span(ctx);
    p->bounce_speed = ctx->options.bounce_speed;
    p->tolerance = ctx->options.ncp_tolerance;
    p->pairs.kappa = kappa * soft;
    p->pairs.sharp = ctx->options.ncp_kappa;
    p->pairs.soft = soft;
    tac_smooth_forces(m, w, at.q, at.v, at.act, at.u, at.h);
    for (int i = 0; i < m->nv; i++)
        p->tau[i] = p->h * (w->qfrc[i] + w->bias[i]); /* the bias force is part of the integrator */
    TAC_TRY(tac_ncp_find_contacts(ctx, w, 1, p, &nfound));
    tac_ncp_begin_bodies(p);
    return tac_ncp_add_constraints(p, nfound);
}

/* Advances the state by v+ to w->next. */
static tacStatus advance(tacContext *ctx, const double *x, const tacNcp *p) {
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    for (int i = 0; i < m->nv; i++)
        w->qacc[i] = (p->x[i] - x[m->nq + i]) / p->h;
    memcpy(w->next, p->q_next, (size_t)m->nq * sizeof *w->next);
    memcpy(w->next + m->nq, p->x, (size_t)m->nv * sizeof *w->next);
    tac_advance_activations(m, w, x + m->nq + m->nv, p->h, w->next + m->nq + m->nv);
    return tac_first_nonfinite(tac_nx(m), w->next) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

static int any_bounces(const tacNcp *p) {
    for (int i = 0; i < p->ncontact; i++)
        if (p->contact[i].law.bounce > 0) return 1;
    return 0;
}

tacStatus tac_ncp_solve_step(tacContext *ctx, const double *x, const double *u, double kappa, tacNcp *p) {
    return tac_ncp_solve_softened(ctx, x, u, kappa, 1, p);
}

tacStatus tac_ncp_solve_softened(tacContext *ctx, const double *x, const double *u, double kappa, double soft,
                                 tacNcp *p) {
    ctx->info = (tacStepInfo){.kappa = kappa};
    TAC_TRY(set_up(ctx, x, u, kappa, soft, p));
    tac_ncp_report_start(p, &ctx->info);
    TAC_TRY(tac_ncp_predict_features(ctx, p));
    tacStatus solved = tac_ncp_solve(ctx, kappa, p);
    if (solved == TAC_OK && any_bounces(p)) solved = tac_ncp_limit_bounces(ctx, kappa, p);
    if (!tac_went_on(solved)) return solved;
    if (p->turned_before > 0) {
        solved = TAC_ERR_UNSOLVED;
        ctx->info.reason = TAC_REASON_TURNED;
    }
    tacStatus status = advance(ctx, x, p);
    tac_ncp_report(p, &ctx->info);
    return status == TAC_OK ? solved : status;
}

static tacStatus step(tacContext *ctx, const double *x, const double *u, double *y) {
    tacNcp p;
    TAC_SCOPE(&ctx->arena);
    tacStatus status = tac_ncp_solve_step(ctx, x, u, ctx->options.ncp_kappa, &p);
    return tac_end_step(ctx, status, 0, y);
}

/* --- The table ---------------------------------------------------------------------------------------------------- */

void tac_ncp_measure_solve(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tacNcp p;
    tac_ncp_layout(&p, m, options->max_contacts, options->ncp_collision, dry);
    TAC_SCOPE(dry);
    tac_ncp_measure_limit_bounces(m, dry);
    tac_ncp_measure_searches(m, options, dry);
}

static void measure_step(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tac_ncp_measure_solve(m, options, dry);
}

static void measure(const tacModel *m, const tacOptions *options, tacArena *dry) {
    measure_step(m, options, dry);
    tac_smooth_measure(m, options, dry);
    tac_ncp_measure_jac(m, options, dry);
    tac_ncp_measure_vjp(m, options, dry);
    tac_ncp_measure_forces(m, options, dry);
}

static const tacStepper STEPPER = {.integrators = TAC_HAS(TAC_INTEGRATOR_EULER) | TAC_HAS(TAC_INTEGRATOR_IMPLICIT) |
                                                  TAC_HAS(TAC_INTEGRATOR_IMPLICITFAST),
                                   .step = step,
                                   .jac = tac_ncp_jac,
                                   .jvp = tac_ncp_jvp,
                                   .vjp = tac_ncp_vjp,
                                   TAC_SMOOTH_ACCELERATION,
                                   .forces = tac_ncp_forces_out,
                                   .forces_jac = tac_ncp_forces_jac,
                                   .forces_vjp = tac_ncp_forces_vjp,
                                   .contact_forces = tac_ncp_forces_of_contacts,
                                   .contact_forces_vjp = tac_ncp_contact_forces_vjp,
                                   .contacts = tac_ncp_contacts,
                                   .friction = tac_ncp_friction,
                                   .history = tac_ncp_history,
                                   .fixed_rims = 1, /* it finds the same features again at other poses */
                                   .measure = measure};

const tacStepper *const TAC_STEPPERS_NCP[] = {&STEPPER, NULL};
