/* A box slides to rest: where it stops, how that depends on its first speed and on friction, and what the ground
 * carries. In continuous time it stops after v0^2 / (2 mu g). */
#include <tactus/io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 13, NDX = 12, NU = 3, STEPS = 200, KEPT = 20 }; /* one free body, three motors */

static int failed(const char *what, tacStatus status) {
    if (status != TAC_OK) fprintf(stderr, "%s: %s\n", what, tac_status_text(status));
    return status != TAC_OK;
}

int main(int argc, char **argv) {
    tacError err;
    tacModel *model;
    tacSim *sim;
    if (tac_load(argc > 1 ? argv[1] : "models/box.xml", &model, &err) != TAC_OK ||
        tac_param_register(model, "geom/ground.friction[0]", NULL, &err) != TAC_OK ||
        tac_param_register(model, "geom/box.friction[0]", NULL, &err) != TAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    tacOptions options = tac_default_options(model);
    options.contact = TAC_CONTACT_MODEL_LCP;
    if (tac_nx(model) != NX || tac_sim_new(model, &options, &sim, &err) != TAC_OK) return 1;

    /* the motion: one second from 2 m/s along x */
    static double x0[NX], U[STEPS * NU], X[(STEPS + 1) * NX];
    double v0 = 2, mu = 0.8, g = 9.81;
    tac_default_state(model, x0);
    x0[7] = v0;
    tacStepInfo info;
    if (failed("rollout", tac_rollout(sim, x0, U, STEPS, X, &info))) return 1;
    printf("stops after %.4f m (%.4f in continuous time), %d contacts, %d of them sticking\n", X[STEPS * NX],
           v0 * v0 / (2 * mu * g), info.contacts, info.sticking);

    /* and the gradient of where it stops, back through every contact of the way */
    double last[NDX] = {1}, by_start[NDX], by_friction[2];
    tacCheckpoints memory = {KEPT, NULL, tac_rollout_vjp_bytes(model, STEPS, KEPT)};
    memory.memory = aligned_alloc(64, (memory.bytes + 63) / 64 * 64);
    tacTrajectory path = {.n = STEPS, .x0 = x0, .U = U, .xbar = last};
    tacGrad grad = {by_start, NULL, by_friction};
    if (failed("gradient", tac_rollout_vjp(sim, &path, &memory, &grad, NULL))) return 1;
    printf("by its speed %.4f (%.4f), by friction %.4f (%.4f)\n", by_start[6], v0 / (mu * g),
           by_friction[0] + by_friction[1], -v0 * v0 / (2 * mu * mu * g));

    /* what the ground does to the box while it slides: torque, then force */
    double wrench[6];
    tacOutputs outputs = {1, &(tacOutput){.kind = TAC_OUT_CONTACT_FORCE, .id = 1}};
    if (failed("force", tac_outputs(sim, x0, U, &outputs, wrench))) return 1;
    printf("the ground pushes with (%.3f, %.3f, %.3f) N\n", wrench[3], wrench[4], wrench[5]);
    free(memory.memory);
    tac_sim_free(sim);
    tac_model_free(model);
    return 0;
}
