/* The first gradient: how the next state of a cart-pole moves with its state, its control and a number of the model. */
#include <tactus/io.h>

#include <stdio.h>

enum { NX = 4, NU = 1, NP = 1 }; /* slider and hinge, their velocities; one motor; one parameter */

int main(int argc, char **argv) {
    tacError err;
    tacModel *model;
    tacSim *sim;
    if (tac_load(argc > 1 ? argv[1] : "models/cartpole.xml", &model, &err) != TAC_OK ||
        tac_param_register(model, "body/pole.mass", NULL, &err) != TAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    tacOptions options = tac_default_options(model);
    options.contact = TAC_CONTACT_MODEL_NONE;
    if (tac_sim_new(model, &options, &sim, &err) != TAC_OK) return 1;

    double x[NX] = {0, 0.3, 0, 0}, u[NU] = {1}, y[NX]; /* leaning, at rest, pushed with 1 N */
    double A[NX * NX], B[NX * NU], P[NX * NP];         /* row major: dy/dx, dy/du, dy/dtheta */
    tac_step_jac(sim, x, u, y, &(tacJac){A, B, P}, NULL);
    printf("hinge velocity %.6f: by the angle %.6f, by the force %.6f, by the mass %.6f\n", y[3], A[3 * NX + 1],
           B[3 * NU], P[3 * NP]);

    double ybar[NX] = {0, 0, 0, 1}, gx[NX], gu[NU], gtheta[NP]; /* the same row by the reverse mode */
    tac_step_vjp(sim, x, u, ybar, &(tacGrad){gx, gu, gtheta}, NULL);
    printf("reverse mode            by the angle %.6f, by the force %.6f, by the mass %.6f\n", gx[1], gu[0], gtheta[0]);
    tac_sim_free(sim);
    tac_model_free(model);
    return 0;
}
