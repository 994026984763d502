/* Contact lcp, semi-implicit Euler: the step without constraints, then impulses (contact/lcp/problem.h). */
#include "contact/lcp/step.h"

#include "contact/lcp/predict.h"
#include "smooth/find_contacts.h"
#include "smooth/turning.h"

#include <string.h>

/* m/s: speed that impulses may add to a geom whose contacts still have rows. A contact that is reached faster is found
 * one step later, overlapping. */
#define SLACK_SPEED 0.5

/* --- The step ----------------------------------------------------------------------------------------------------- */

/* Finds the contacts that the free motion may reach in this step. */
static tacStatus find_contacts(tacContext *ctx, const double *v_free, tacVec6 *V, tacRows *rows) {
    tacContactReach reach = {.moving = 1, .velocities = V, .factor = 1, .speed = SLACK_SPEED};
    tac_rows_body_velocity(ctx->model, &ctx->work, v_free, V);
    return tac_find_contacts(ctx, &ctx->work, &reach, rows->contact, rows->max_contacts, &rows->ncontact);
}

void tac_lcp_add_impulses(tacContext *ctx, const tacLcp *lcp, double *force) {
    const tacModel *m = ctx->model;
    memset(force, 0, (size_t)m->nv * sizeof *force);
    tac_lcp_add_force(lcp, force);
    tac_solve(m, &ctx->work, force);
    for (int i = 0; i < m->nv; i++)
        ctx->work.qacc[i] += force[i] / lcp->h;
}

/* Memory of a step besides its problem. */
typedef struct Motion {
    double *v_free, *scratch; /* nv: velocity without constraints; 3 nv */
    tacVec6 *V;               /* nbody: velocities of bodies at v_free */
} Motion;

static int motion_layout(Motion *f, const tacModel *m, tacArena *arena) {
    f->v_free = TAC_TAKE(arena, m->nv, double);
    f->scratch = TAC_TAKE(arena, 3 * (size_t)m->nv, double);
    f->V = TAC_TAKE(arena, m->nbody, tacVec6);
    return f->v_free && f->scratch && f->V;
}

/* (x, u) -> w->qacc with constraints, the impulses in lcp (laid out in the arena), and the factor of Mhat in w->L. */
static tacStatus accelerate(tacContext *ctx, const double *x, const double *u, tacLcp *lcp) {
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    double h = ctx->options.dt;
    Motion f;
    int too_fast = 0;
    ctx->info = (tacStepInfo){0};
    if (!motion_layout(&f, m, &ctx->arena) || !tac_lcp_layout(lcp, m, &ctx->options, &ctx->arena))
        return TAC_ERR_ARENA_FULL;
    tac_evaluate(ctx, x, u);
    TAC_TRY(tac_turning_accelerate(ctx, x, u, tac_implicit_damping(ctx, f.scratch), &too_fast));
    for (int i = 0; i < m->nv; i++)
        f.v_free[i] = x[m->nq + i] + h * w->qacc[i];
    if (tac_first_nonfinite(m->nv, f.v_free) >= 0) return TAC_ERR_NONFINITE;
    TAC_TRY(find_contacts(ctx, f.v_free, f.V, &lcp->rows));
    tac_rows_find(m, w, x, f.v_free, h, &lcp->rows);
    TAC_TRY(tac_lcp_predict(ctx, x, u, lcp));
    tac_rows_weigh(m, w, &lcp->rows, f.scratch);
    tac_lcp_setup(m, lcp, h);
    tac_lcp_bounce(m, lcp, x + m->nq, NULL, ctx->options.bounce_speed);
    TAC_TRY(tac_lcp_solve(m, lcp, f.v_free, &ctx->arena));
    lcp->unsolved += too_fast;
    tac_lcp_report(ctx->model, lcp, ctx->quiet, &ctx->info);
    if (too_fast) ctx->info.reason = TAC_REASON_SPIN;
    tac_lcp_add_impulses(ctx, lcp, f.scratch);
    return TAC_OK;
}

tacStatus tac_lcp_advance(tacContext *ctx, const double *x, const double *u, tacLcp *lcp) {
    TAC_TRY(accelerate(ctx, x, u, lcp));
    return tac_advance(ctx, x);
}

void tac_lcp_measure_advance(const tacModel *m, const tacOptions *options, tacArena *dry) {
    Motion f;
    tacLcp lcp;
    motion_layout(&f, m, dry);
    tac_lcp_layout(&lcp, m, options, dry);
    tac_turning_measure(m, options, dry);
    tac_measure_find_contacts(m, dry);
    tac_lcp_measure_predict(m, dry);
    tac_lcp_measure_solve(m, options, dry);
}

static tacStatus step(tacContext *ctx, const double *x, const double *u, double *y) {
    TAC_SCOPE(&ctx->arena);
    tacLcp lcp = {.unsolved = 0};
    tacStatus status = tac_lcp_advance(ctx, x, u, &lcp);
    return tac_end_step(ctx, status, lcp.unsolved, y);
}

/* Every derivative contains a step. Accelerations without constraints are an alternative. */
static void measure(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tac_lcp_measure_jac(m, options, dry);
    tac_lcp_measure_vjp(m, options, dry);
    tac_lcp_measure_outputs(m, options, dry);
    tac_smooth_measure(m, options, dry);
}

static const tacStepper STEPPER = {.integrators = TAC_HAS(TAC_INTEGRATOR_EULER),
                                   .step = step,
                                   .jac = tac_lcp_jac,
                                   .jvp = tac_lcp_jvp,
                                   .vjp = tac_lcp_vjp,
                                   TAC_SMOOTH_ACCELERATION,
                                   .forces = tac_lcp_forces,
                                   .forces_jac = tac_lcp_forces_jac,
                                   .forces_vjp = tac_lcp_forces_vjp,
                                   .contact_forces = tac_lcp_contact_forces,
                                   .contact_forces_vjp = tac_lcp_contact_forces_vjp,
                                   .contacts = tac_lcp_contacts,
                                   .friction = tac_lcp_friction,
                                   .measure = measure};

const tacStepper *const TAC_STEPPERS_LCP[] = {&STEPPER, &TAC_STEPPER_LCP_TOI, NULL};
