/* A box that sticks: contact ncp and the softness of its gradient. A push of 4 N against friction that holds up to 7.8
 * N moves nothing, and says so: an optimizer that is to bring the box half a metre along has no slope to follow. Taken
 * at a larger kappa, the gradient of the same states shows where friction ends. */
#include <tactus/io.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 13, NDX = 12, NU = 3, STEPS = 20, ROUNDS = 30, MOST_LINES = 60 }; /* one free body, three motors; 1 s */
#define TARGET  0.5                                                           /* m */
#define SOFT    1e-4
#define SETTLED 1e-3 /* m */
#define FLAT    1e-4 /* m/N: a slope that leads nowhere */

static int failed(const char *what, tacStatus status) {
    if (status != TAC_OK) fprintf(stderr, "%s: %s\n", what, tac_status_text(status));
    return status != TAC_OK;
}

static tacSim *simulation(const tacModel *model, double gradient_kappa, tacNcpFriction friction) {
    tacOptions options = tac_default_options(model);
    tacSim *sim = NULL;
    tacError err;
    options.contact = TAC_CONTACT_MODEL_NCP, options.dt = 1.0 / STEPS; /* 20 Hz */
    options.ncp_kappa = 1e-8;                                          /* the step: as hard as this */
    options.ncp_gradient_kappa = gradient_kappa; /* its derivatives: as soft as that; 0: as the step */
    options.ncp_friction = friction;             /* TAC_NCP_CONE unless said */
    if (tac_sim_new(model, &options, &sim, &err) != TAC_OK) fprintf(stderr, "%s\n", err.text);
    return sim;
}

/* d(place after one step)/d(push), along x, m/N. */
static double slope(const tacModel *model, const double *x, const double *u, double kappa, tacNcpFriction friction) {
    tacSim *sim = simulation(model, kappa, friction);
    double y[NX], B[NDX * NU];
    if (sim == NULL || failed("derivative", tac_step_jac(sim, x, u, y, &(tacJac){.B = B}, NULL))) B[0] = (double)NAN;
    tac_sim_free(sim);
    return B[0];
}

/* Where the box is after a second of a steady push, and the slope of that. */
static int travel(const tacModel *model, tacSim *sim, const double *x0, double push, double *place, double *by_push) {
    static double U[STEPS * NU], X[(STEPS + 1) * NX], gU[STEPS * NU];
    double last[NDX] = {1};
    tacCheckpoints memory = {STEPS, NULL, 0};
    for (int k = 0; k < STEPS; k++)
        U[k * NU] = push;
    if (failed("rollout", tac_rollout(sim, x0, U, STEPS, X, NULL))) return 0;
    memory.bytes = (tac_rollout_vjp_bytes(model, STEPS, STEPS) + 63) / 64 * 64;
    memory.memory = aligned_alloc(64, memory.bytes);
    tacTrajectory path = {.n = STEPS, .x0 = x0, .U = U, .xbar = last};
    int bad = failed("gradient", tac_rollout_vjp(sim, &path, &memory, &(tacGrad){.u = gU}, NULL));
    free(memory.memory);
    *place = X[STEPS * NX], *by_push = 0;
    for (int k = 0; k < STEPS; k++)
        *by_push += gU[k * NU];
    return !bad;
}

/* Newton's steps on place(push) = TARGET, of 1 N at most. */
static int seek(const tacModel *model, const double *x0, double kappa) {
    tacSim *sim = simulation(model, kappa, TAC_NCP_CONE);
    double push = 4, place = 0, by_push = 0;
    int k = 0, fine = sim != NULL;
    for (; fine && k < ROUNDS; k++) {
        fine = travel(model, sim, x0, push, &place, &by_push);
        if (!fine || fabs(place - TARGET) < SETTLED) break;
        if (fabs(by_push) < FLAT) break;
        push += fmax(-1, fmin(1, (TARGET - place) / by_push));
    }
    printf("gradient at kappa %g: %.3f N, %.3f m, %s after %d rounds\n", kappa > 0 ? kappa : 1e-8, push, place,
           fabs(place - TARGET) < SETTLED ? "there" : "stuck", k);
    tac_sim_free(sim);
    return fine;
}

int main(int argc, char **argv) {
    tacError err;
    tacModel *model;
    if (tac_load(argc > 1 ? argv[1] : "models/box.xml", &model, &err) != TAC_OK || tac_nx(model) != NX) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    double x[NX], u[NU] = {4};
    tac_default_state(model, x);

    printf("one step of 0.05 s, 4 N along x: d(place)/d(push), m/N\n");
    static const double KAPPAS[] = {1e-8, 1e-6, 1e-4, 1e-2};
    for (int i = 0; i < 4; i++)
        printf("  kappa %-6g %.2e\n", KAPPAS[i], slope(model, x, u, KAPPAS[i], TAC_NCP_CONE));
    printf("  no friction  %.2e\n", slope(model, x, u, 0, TAC_NCP_FRICTIONLESS));

    tacSim *sim = simulation(model, 0, TAC_NCP_CONE);
    tacIteration line[MOST_LINES];
    int n = 0;
    if (sim == NULL || failed("history", tac_step_history(sim, x, u, line, MOST_LINES, &n))) return 1;
    printf("how the step was solved: %d iterations\n", n);
    for (int i = 0; i < n && i < MOST_LINES; i++)
        printf("  residual %.1e, kappa %.1e, length %.2f\n", line[i].residual, line[i].kappa, line[i].length);
    tac_sim_free(sim);

    int fine = seek(model, x, 0) && seek(model, x, SOFT);
    tac_model_free(model);
    return fine ? 0 : 1;
}
