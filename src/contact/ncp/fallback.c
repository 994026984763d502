/* The state of a step whose searches found no solution: the best of their ends, shortened until it does no harm
 * (docs/theory/ncp.md, W15a). */
#include "contact/ncp/fallback.h"

#include "contact/ncp/bodies.h"
#include "contact/ncp/tuning.h"
#include "math/scalar.h"
#include "solve/tuning.h"

#include <string.h>

/* m/s: an end up to this does no harm. Overlap recovers at half this speed in the next step. */
#define HARMLESS (2 * TAC_NCP_CORRECTION)

/* Twice the kinetic energy with approximate masses of the dofs: sum v_i^2/w_i of velocities, or sum w_i tau_i^2 of
 * impulses. */
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

/* m/s: how fast the motion x violates limits and contacts at the poses of p, plus how much too fast it is. */
static double harm(const tacNcp *p, const double *x) {
    double depth = tac_ncp_limit_depth(p), mass = moving_mass(p), too_fast = 0;
    for (int i = 0; i < p->ncontact; i++)
        depth = tac_max(depth, -p->contact[i].next.gap_slip[0]);
    if (mass > 0) {
        double had = tac_sqrt(twice_energy(p->m, p->v, NULL) / mass),
               got = tac_sqrt(twice_energy(p->m, NULL, p->tau) / mass);
        double fell = p->h * tac_norm3(tac_base_acceleration(p->m).lin);
        too_fast = tac_max(0, tac_sqrt(twice_energy(p->m, x, NULL) / mass) - TAC_NCP_FASTER * (had + got + fell));
    }
    return depth / p->h + too_fast;
}

int tac_ncp_best_layout(tacNcpBest *best, const tacModel *m, int max_contacts, tacNcpCollision collision,
                        tacArena *arena) {
    int numbers = tac_ncp_max_numbers(m, max_contacts, collision);
    best->at = TAC_TAKE(arena, tac_ncp_max_unknowns(m, max_contacts, collision) + 2 * numbers, double);
    return best->at != NULL;
}

void tac_ncp_keep_best(const tacContext *ctx, const tacNcp *p, tacNcpBest *best) {
    int n = tac_ncp_unknowns(p);
    double now = tac_max(HARMLESS, harm(p, p->x)), residual = ctx->info.residual;
    if (best->numbers != p->numbers) best->harm = TAC_INFINITY; /* its size is that of another problem */
    if (!(now < best->harm) && !(now == best->harm && residual < best->residual)) return;
    best->harm = now;
    best->residual = residual;
    best->reason = ctx->info.reason;
    best->numbers = p->numbers;
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
    ctx->info.residual = best->residual;
    ctx->info.reason = best->reason;
    return status == TAC_OK ? TAC_ERR_UNSOLVED : status;
}

static void scale(int n, double by, double *x) {
    for (int i = 0; i < n; i++)
        x[i] *= by;
}

/* 1: the motion does no harm and penetrates no feature that the problem does not have. */
static int does_no_harm(tacContext *ctx, tacNcp *p) {
    double overlap;
    int added;
    if (tac_ncp_place(p, p->x) != TAC_OK || tac_ncp_start_pairs(p, p->pairs.kappa / p->pairs.soft) != TAC_OK) return 0;
    if (!(harm(p, p->x) <= HARMLESS)) return 0;
    return tac_ncp_find_overlap(ctx, p, HARMLESS * p->h, 0, &added, &overlap) == TAC_OK && overlap == 0;
}

/* Halves the motion of p until it does no harm, and takes none at last: TAC_ERR_UNSOLVED. */
static tacStatus shorten_until_harmless(tacContext *ctx, tacNcp *p) {
    for (int k = 0; k < TAC_MAX_SHORTENINGS; k++) {
        if (does_no_harm(ctx, p)) return TAC_ERR_UNSOLVED;
        scale(p->m->nv, 0.5, p->x);
    }
    scale(p->m->nv, 0, p->x);
    tacStatus status = tac_ncp_place_bodies(p, p->x); /* contacts may have no touch there */
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
