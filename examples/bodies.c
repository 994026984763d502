/* Joints and bodies: a linkage whose loop was opened by hand is closed again, and seen as bodies that float (maximal
 * coordinates), with a step's derivatives between them. Contact ncp. */
#include <tactus/io.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 6, NQ = 3, NBODY = 4, N = 12 * NBODY }; /* crank, coupler, rocker, and the world; a displacement of all */
enum { COUPLER = 2, ROCKER = 3 };

static int failed(const char *what, tacStatus status) {
    if (status != TAC_OK) fprintf(stderr, "%s: %s\n", what, tac_status_text(status));
    return status != TAC_OK;
}

static void *room(size_t *bytes) {
    *bytes = (*bytes + 63) / 64 * 64;
    return aligned_alloc(64, *bytes);
}

int main(int argc, char **argv) {
    tacError err;
    tacModel *model;
    tacSim *sim;
    if (tac_load(argc > 1 ? argv[1] : "models/four_bar.xml", &model, &err) != TAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    tacOptions options = tac_default_options(model);
    options.contact = TAC_CONTACT_MODEL_NCP, options.dt = 0.01;
    if (tac_nx(model) != NX || tac_sim_new(model, &options, &sim, &err) != TAC_OK) return 1;

    /* the crank alone is turned: a step goes on from there, and says what is wrong */
    double x[NX] = {0.2}, y[NX], u[1] = {0};
    tacStepInfo info;
    if (failed("step", tac_step(sim, x, u, y, &info))) return 1;
    printf("%s: equality \"%s\", by %.4f m\n", tac_status_text(info.start),
           tac_model_name(model, TAC_KIND_EQUALITY, info.violation.id), info.violation.size);

    /* the nearest state at which the loop is closed */
    tacProjection p = {.bytes = tac_project_bytes(model, &options)};
    p.memory = room(&p.bytes);
    if (failed("projection", tac_project_state(sim, x, u, x, &p))) return 1;
    printf("closed to %.0e m at crank %.4f, coupler %.4f, rocker %.4f rad\n", fmax(p.after, 1e-15), x[0], x[1], x[2]);

    /* the same as bodies: where each is, and back */
    double pose[7 * NBODY], twist[6 * NBODY], q[NQ], v[NQ];
    tacMaximal z = {.span = options.dt, .pose = pose, .twist = twist}; /* twists as means over a step: those of ncp */
    tacMinimal back = {.q = q, .v = v};
    x[NQ] = 1; /* rad/s, of the crank */
    if (failed("bodies", tac_to_maximal(sim, x, NULL, &z, NULL))) return 1;
    for (int i = 0; i < NQ; i++)
        q[i] = x[i] + 0.1; /* where the search begins */
    if (failed("joints", tac_to_minimal(sim, &z, &back))) return 1;
    printf("coupler at (%.4f, %.4f) m; joints from bodies within %.0e\n", pose[7 * COUPLER], pose[7 * COUPLER + 2],
           fmax(fabs(q[0] - x[0]) + fabs(v[0] - x[NQ]), 1e-12));
    pose[7 * ROCKER] += 0.01;
    if (failed("joints", tac_to_minimal(sim, &z, &back))) return 1;
    printf("the rocker 1 cm off its pivot: bodies and joints disagree by %.4f\n", back.pose_residual);

    /* a step's derivative between bodies, Z, is that between joints, A, seen through the map M:  M+ A = Z M */
    static double Z[N * N], A[NX * NX], M[N * NX], M_next[N * NX];
    tacMaximalStep step = {.span = options.dt, .A = Z, .y = y, .bytes = tac_step_maximal_bytes(model, &options)};
    step.memory = room(&step.bytes);
    if (failed("derivative of bodies", tac_step_maximal_jac(sim, x, u, &step, NULL)) ||
        failed("derivative of joints", tac_step_jac(sim, x, u, y, &(tacJac){.A = A}, NULL)) ||
        failed("map", tac_to_maximal(sim, x, NULL, &z, &(tacJac){.A = M})) ||
        failed("map", tac_to_maximal(sim, y, NULL, &z, &(tacJac){.A = M_next})))
        return 1;
    double off = 0, most = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < NX; j++) {
            double joints = 0, bodies = 0;
            for (int k = 0; k < NX; k++)
                joints += M_next[i * NX + k] * A[k * NX + j];
            for (int k = 0; k < N; k++)
                bodies += Z[i * N + k] * M[k * NX + j];
            off = fmax(off, fabs(joints - bodies)), most = fmax(most, fabs(joints));
        }
    printf("derivatives of up to %.3f, the same between bodies and between joints: %s\n", most,
           off < 1e-9 ? "yes" : "no");

    /* the coupler's next height alone, in reverse: a row of Z, without Z */
    double weights[N] = {0}, row[N], by_motor;
    tacMaximalGrad grad = {.span = options.dt, .y = y, .z = row, .u = &by_motor};
    weights[6 * COUPLER + 2] = 1;
    if (failed("reverse mode", tac_step_maximal_vjp(sim, x, u, weights, &grad, NULL))) return 1;
    off = 0;
    for (int i = 0; i < N; i++)
        off = fmax(off, fabs(row[i] - Z[(6 * COUPLER + 2) * N + i]));
    printf("the coupler's next height by the motor: %.3e m/(N m); by bodies as the derivative has it: %s\n", by_motor,
           off < 1e-9 ? "yes" : "no");
    free(p.memory), free(step.memory);
    tac_sim_free(sim);
    tac_model_free(model);
    return 0;
}
