#include "cli/simulation/quantities.h"

#include "cli/cli.h"

#include <stdlib.h>

/* Cuts n numbers off the block at *next. */
static double *take(double **next, size_t n) {
    double *begin = *next;
    *next += n;
    return begin;
}

/* Every array is made of doubles (tacVec3 is three), so one block holds them all. */
static int lay_out(const tacModel *m, tacQuantities *out) {
    size_t nv = (size_t)m->nv, nu = (size_t)m->nu, nbody = (size_t)m->nbody, nsite = (size_t)m->nsite,
           nt = (size_t)m->ntendon;
    size_t total = nbody * 13 + nsite * 12 + nv * nv + 4 * nv + 3 * nu + (size_t)m->na + 2 * nt + 1;
    double *next = out->memory = calloc(total, sizeof(double));
    if (next == NULL) return 0;
    out->frames.xpos = (tacVec3 *)take(&next, 3 * nbody);
    out->frames.xipos = (tacVec3 *)take(&next, 3 * nbody);
    out->frames.xquat = (tacQuat *)take(&next, 4 * nbody);
    out->frames.subtree_com = (tacVec3 *)take(&next, 3 * nbody);
    out->frames.site_pos = (tacVec3 *)take(&next, 3 * nsite);
    out->frames.site_mat = (tacMat3 *)take(&next, 9 * nsite);
    out->mass_matrix = take(&next, nv * nv);
    out->bias = take(&next, nv);
    out->passive = take(&next, nv);
    out->qfrc_actuator = take(&next, nv);
    out->qacc = take(&next, nv);
    out->length = take(&next, nu);
    out->velocity = take(&next, nu);
    out->force = take(&next, nu);
    out->act_dot = take(&next, (size_t)m->na);
    out->tendon_length = take(&next, nt);
    out->tendon_velocity = take(&next, nt);
    return 1;
}

static tacStatus compute(tacSim *sim, const tacModel *m, const tacStart *start, tacQuantities *out) {
    const double *q = start->x, *v = q + m->nq;
    tacActuation actuation = {.length = out->length,
                              .velocity = out->velocity,
                              .force = out->force,
                              .act_dot = out->act_dot,
                              .qfrc = out->qfrc_actuator};
    tacStatus status = tac_kinematics(sim, q, start->u, &out->frames);
    if (status == TAC_OK) status = tac_mass_matrix(sim, q, out->mass_matrix);
    if (status == TAC_OK) status = tac_bias(sim, q, v, out->bias);
    if (status == TAC_OK) status = tac_passive(sim, q, v, out->passive);
    if (status == TAC_OK) status = tac_actuation(sim, start->x, start->u, &actuation);
    if (status == TAC_OK) status = tac_tendons(sim, q, v, out->tendon_length, out->tendon_velocity);
    if (status == TAC_OK) status = tac_energy(sim, q, v, &out->energy);
    if (status == TAC_OK) status = tac_momentum(sim, q, v, &out->momentum);
    if (status == TAC_OK) out->qacc_status = tac_acceleration(sim, start->x, start->u, out->qacc);
    return status;
}

int cli_not_finite(const char *verb, const tacStateArgs *state, const char *name) {
    if (state->state != NULL)
        cli_fail(verb, "%s: %s is not finite at this state: nothing is printed", state->state, name);
    else
        cli_fail(verb, "%s is not finite at this state: nothing is printed", name);
    return CLI_NO;
}

int cli_quantities(const char *verb, const tacModel *model, const tacOptions *options, const tacStateArgs *state,
                   const tacStart *start, tacQuantities *out) {
    tacError err;
    tacSim *sim;
    *out = (tacQuantities){0};
    if (tac_sim_new(model, options, &sim, &err) != TAC_OK) return cli_fail(verb, "%s", err.text);
    if (!lay_out(model, out)) {
        tac_sim_free(sim);
        return cli_fail(verb, "out of memory");
    }
    tacStatus status = compute(sim, model, start, out);
    tac_sim_free(sim);
    if (status == TAC_OK) status = cli_contacts_find(model, options, start->x, start->u, &out->contacts);
    int overflow = status == TAC_ERR_NONFINITE || out->qacc_status == TAC_ERR_NONFINITE;
    if (status == TAC_OK && !overflow) return CLI_GO_ON;
    cli_quantities_free(out);
    if (overflow) return cli_not_finite(verb, state, "the result"); /* numbers of a state file are finite */
    return cli_fail(verb, "%s", tac_status_text(status));
}

void cli_quantities_free(tacQuantities *quantities) {
    cli_contacts_free(&quantities->contacts);
    free(quantities->memory);
    *quantities = (tacQuantities){0};
}
