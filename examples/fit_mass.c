/* Fits masses to a measured motion: Gauss-Newton on the residual of all states of a rollout. A cart-pole swings under a
 * known force; cart and pole weigh other than the model says. Each step gives A = dy/dx and P = dy/dtheta, and the
 * sensitivity S = dx/dtheta of the motion follows from S_next = A S + P. */
#include <tactus/io.h>

#include <math.h>
#include <stdio.h>

enum { NX = 4, NP = 2, STEPS = 200, ROUNDS = 10 }; /* slider, hinge and their velocities; masses of cart and pole */
#define SETTLED 1e-9                               /* kg: a round that changes no mass by more is the last */

static const double TRUE_MASS[NP] = {1.3, 0.25}, START[NX] = {0, 0.3, 0, 0};

static double force(int k) { return 2 * sin(0.05 * k); } /* N */

/* The motion with the simulation's masses, X[k] after k + 1 steps; S, where it is asked for: dX/dtheta. */
static tacStatus motion(tacSim *sim, double X[STEPS][NX], double S[STEPS][NX][NP]) {
    double A[NX][NX], P[NX][NP], none[NX][NP] = {{0}};
    for (int k = 0; k < STEPS; k++) {
        const double *x = k > 0 ? X[k - 1] : START, u = force(k);
        tacJac jac = {.A = A[0], .P = P[0]};
        tacStatus status = S != NULL ? tac_step_jac(sim, x, &u, X[k], &jac, NULL) : tac_step(sim, x, &u, X[k], NULL);
        if (status != TAC_OK) return status;
        for (int i = 0; S != NULL && i < NX; i++)
            for (int p = 0; p < NP; p++) {
                S[k][i][p] = P[i][p];
                for (int j = 0; j < NX; j++)
                    S[k][i][p] += A[i][j] * (k > 0 ? S[k - 1] : none)[j][p];
            }
    }
    return TAC_OK;
}

/* One step of Gauss-Newton: (S^T S) d = S^T (measured - X); the loss is 1/2 |measured - X|^2. */
static double gauss_newton(double measured[STEPS][NX], double X[STEPS][NX], double S[STEPS][NX][NP], double d[NP]) {
    double H[NP][NP] = {{0}}, g[NP] = {0}, loss = 0;
    for (int k = 0; k < STEPS; k++)
        for (int i = 0; i < NX; i++) {
            double r = measured[k][i] - X[k][i];
            loss += 0.5 * r * r;
            for (int p = 0; p < NP; p++) {
                g[p] += S[k][i][p] * r;
                for (int q = 0; q < NP; q++)
                    H[p][q] += S[k][i][p] * S[k][i][q];
            }
        }
    double det = H[0][0] * H[1][1] - H[0][1] * H[1][0];
    d[0] = (H[1][1] * g[0] - H[0][1] * g[1]) / det;
    d[1] = (H[0][0] * g[1] - H[1][0] * g[0]) / det;
    return loss;
}

int main(int argc, char **argv) {
    tacError err;
    tacModel *model;
    tacSim *sim;
    if (tac_load(argc > 1 ? argv[1] : "models/cartpole.xml", &model, &err) != TAC_OK ||
        tac_param_register(model, "body/cart.mass", NULL, &err) != TAC_OK ||
        tac_param_register(model, "body/pole.mass", NULL, &err) != TAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    tacOptions options = tac_default_options(model);
    if (tac_nx(model) != NX || tac_sim_new(model, &options, &sim, &err) != TAC_OK) return 1;

    static double measured[STEPS][NX], X[STEPS][NX], S[STEPS][NX][NP];
    double mass[NP], d[NP] = {1, 1};
    tac_sim_get_params(sim, mass);
    if (tac_sim_set_params(sim, TRUE_MASS) != TAC_OK || motion(sim, measured, NULL) != TAC_OK) return 1;

    for (int k = 0; k < ROUNDS && fmax(fabs(d[0]), fabs(d[1])) > SETTLED; k++) {
        if (tac_sim_set_params(sim, mass) != TAC_OK || motion(sim, X, S) != TAC_OK) {
            fprintf(stderr, "%s\n", tac_sim_error(sim));
            return 1;
        }
        double loss = gauss_newton(measured, X, S, d);
        printf("round %d: cart %.6f kg, pole %.6f kg, loss %.3e\n", k, mass[0], mass[1], loss);
        for (int p = 0; p < NP; p++)
            mass[p] += d[p];
    }
    printf("cart %.6f kg (true %.2f), pole %.6f kg (true %.2f)\n", mass[0], TRUE_MASS[0], mass[1], TRUE_MASS[1]);
    tac_sim_free(sim);
    tac_model_free(model);
    return 0;
}
