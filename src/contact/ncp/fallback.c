/* Ends of searches that found no solution: which of them is the best state to go on from   (docs/theory/ncp.md,
 * W15a). */
#include "contact/ncp/fallback.h"

#include "contact/ncp/bodies.h"
#include "math/scalar.h"

#include <string.h>

/* m/s: up to this an end does no harm: overlap goes away at half of it in the next step. */
#define HARMLESS (2 * TAC_NCP_CORRECTION)
/* An end is too fast beyond so many times the speed that it had, its forces and gravity give. */
#define FASTER 3.0
/* An end that does harm is shortened by this, at most so often; then it is rest. */
#define SHORTEN         0.5
#define MAX_SHORTENINGS 5

/* Masses of the dofs, about, times squares: sum v_i^2/w_i of velocities, sum w_i tau_i^2 of impulses. */
static double twice_energy(const tacModel *m, const double *v, const double *tau) {
    double sum = 0;
    for (int i = 0; i < m->nv; i++) {
        double w = m->dof_invweight[i];
        sum += w > 0 ? (v != NULL ? v[i] * v[i] / w : w * tau[i] * tau[i]) : 0;
    }
    return sum;
}

static double moving_mass(const tacNcp *p) {
    double sum = 0;
    for (int b = 1; b < p->m->nbody; b++)
        sum += p->ldu.still[b] ? 0 : p->m->body_mass[b];
    return sum;
}

/* m/s: how fast the motion x runs into what it should not, at the poses of p, and how much too fast it is. */
static double harm(const tacNcp *p, const double *x) {
    double depth = tac_ncp_limit_depth(p), mass = moving_mass(p), too_fast = 0;
    for (int i = 0; i < p->ncontact; i++)
        depth = tac_max(depth, -p->contact[i].next.gap_slip[0]);
    if (mass > 0) {
        double had = tac_sqrt(twice_energy(p->m, p->v, NULL) / mass),
               got = tac_sqrt(twice_energy(p->m, NULL, p->tau) / mass);
        double fell = p->h * tac_norm3(tac_base_acceleration(p->m).lin);
        too_fast = tac_max(0, tac_sqrt(twice_energy(p->m, x, NULL) / mass) - FASTER * (had + got + fell));
    }
    return depth / p->h + too_fast;
}

int tac_ncp_best_layout(tacNcpBest *best, const tacModel *m, int max_contacts, tacArena *arena) {
    best->at = TAC_TAKE(arena, tac_ncp_max_unknowns(m) + 2 * tac_ncp_max_numbers(m, max_contacts), double);
    return best->at != NULL;
}

void tac_ncp_keep_best(const tacContext *ctx, const tacNcp *p, tacNcpBest *best) {
    int n = tac_ncp_unknowns(p);
    double now = tac_max(HARMLESS, harm(p, p->x)), residual = ctx->info.residual;
    if (best->numbers != p->numbers) best->harm = TAC_INFINITY; /* of another problem */
    if (!(now < best->harm) && !(now == best->harm && residual < best->residual)) return;
    best->harm = now, best->residual = residual, best->reason = ctx->info.reason, best->numbers = p->numbers;
    memcpy(best->at, p->x, (size_t)n * sizeof *p->x);
    memcpy(best->at + n, p->a, (size_t)p->numbers * sizeof *p->a);
    memcpy(best->at + n + p->numbers, p->b, (size_t)p->numbers * sizeof *p->b);
}

tacStatus tac_ncp_restore_best(tacContext *ctx, tacNcp *p, const tacNcpBest *best) {
    tacInteriorProblem problem = tac_ncp_problem(p);
    double violation;
    int n = tac_ncp_unknowns(p);
    memcpy(p->x, best->at, (size_t)n * sizeof *p->x);
    memcpy(p->a, best->at + n, (size_t)p->numbers * sizeof *p->a);
    memcpy(p->b, best->at + n + p->numbers, (size_t)p->numbers * sizeof *p->b);
    tacStatus status = problem.residual(p, p->x, p->a, p->b, &violation);
    ctx->info.residual = best->residual, ctx->info.reason = best->reason;
    return status == TAC_OK ? TAC_ERR_UNSOLVED : status;
}

static void scale(int n, double by, double *x) {
    for (int i = 0; i < n; i++)
        x[i] *= by;
}

/* Nor does it overlap by features that the problem does not have. */
static int does_no_harm(tacContext *ctx, tacNcp *p) {
    double overlap;
    int added;
    if (tac_ncp_place(p, p->x) != TAC_OK || !(harm(p, p->x) <= HARMLESS)) return 0;
    return tac_ncp_find_overlap(ctx, p, HARMLESS * p->h, 0, &added, &overlap) == TAC_OK && overlap == 0;
}

/* p at any end -> the share of its motion that does no harm: TAC_ERR_UNSOLVED. */
static tacStatus shorten_until_harmless(tacContext *ctx, tacNcp *p) {
    for (int k = 0; k < MAX_SHORTENINGS; k++) {
        if (does_no_harm(ctx, p)) return TAC_ERR_UNSOLVED;
        scale(p->m->nv, SHORTEN, p->x);
    }
    scale(p->m->nv, 0, p->x);
    tacStatus status = tac_ncp_place_bodies(p, p->x); /* contacts that were found elsewhere need not be there */
    return status == TAC_OK ? TAC_ERR_UNSOLVED : status;
}

tacStatus tac_ncp_fall_back(tacContext *ctx, tacNcp *p, const tacNcpBest *best) {
    tacInteriorProblem problem = tac_ncp_problem(p);
    double violation;
    tacStatus status = tac_ncp_restore_best(ctx, p, best);
    if (tac_went_on(status)) status = shorten_until_harmless(ctx, p);
    if (!tac_went_on(status)) return status;
    int there = problem.residual(p, p->x, p->a, p->b, &violation) == TAC_OK;
    ctx->info.residual = there ? tac_max(violation, best->residual) : best->residual;
    return status;
}
