/* A loss made of a site's position, and its gradient through a rollout: pushes that bring the tip of a cart-pole to a
 * point. */
#include <tactus/io.h>

#include <stdio.h>
#include <stdlib.h>

enum { NX = 4, STEPS = 200, ROUNDS = 40 }; /* slider and hinge, their velocities; 1 s; rounds of descent */

/* loss = 1/2 |tip - target|^2 of the last state; xbar = its gradient. */
static double loss_at_end(tacSim *sim, const tacOutputs *tip, const double *x, const double *u, double *xbar) {
    static const double target[3] = {0.8, 0, 0.42};
    double z[3], zbar[3], loss = 0;
    tac_outputs(sim, x, u, tip, z);
    for (int k = 0; k < 3; k++) {
        zbar[k] = z[k] - target[k];
        loss += 0.5 * zbar[k] * zbar[k];
    }
    tac_outputs_vjp(sim, x, u, tip, zbar, &(tacGrad){xbar, NULL, NULL});
    return loss;
}

int main(int argc, char **argv) {
    tacError err;
    tacModel *model;
    tacSim *sim;
    if (tac_load(argc > 1 ? argv[1] : "models/cartpole.xml", &model, &err) != TAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    tacOptions options = tac_default_options(model);
    options.contact = TAC_CONTACT_MODEL_NONE;
    if (tac_sim_new(model, &options, &sim, &err) != TAC_OK) return 1;
    const tacOutput site = {.kind = TAC_OUT_SITE_POS, .id = tac_model_find(model, TAC_KIND_SITE, "tip")};
    const tacOutputs tip = {1, &site};

    size_t bytes = tac_rollout_vjp_bytes(model, STEPS, 0); /* the states are given: none is kept */
    tacCheckpoints memory = {0, aligned_alloc(64, (bytes + 63) / 64 * 64), bytes};
    static double X[(STEPS + 1) * NX], U[STEPS], gU[STEPS]; /* hanging at rest, no push */
    double x0[NX] = {0}, xbar[NX], loss = 0;
    for (int round = 0; round <= ROUNDS; round++) {
        tac_rollout(sim, x0, U, STEPS, X, NULL);
        loss = loss_at_end(sim, &tip, X + STEPS * NX, U, xbar);
        if (round % 10 == 0) printf("round %2d: loss %.6f\n", round, loss);
        tacTrajectory path = {.n = STEPS, .x0 = x0, .U = U, .X = X, .xbar = xbar};
        if (tac_rollout_vjp(sim, &path, &memory, &(tacGrad){NULL, gU, NULL}, NULL) != TAC_OK) return 1;
        for (int i = 0; i < STEPS; i++)
            U[i] -= 300 * gU[i];
    }
    free(memory.memory);
    tac_sim_free(sim);
    tac_model_free(model);
    return loss < 1e-3 ? 0 : 1;
}
