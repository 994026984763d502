/* A path through a gap: a turning box is led past two posts by keeping growth distances above one. */
#include <tactus/io.h>

#include <math.h>
#include <stdio.h>

enum { NQ = 7, NV = 6, KNOTS = 21, POSTS = 2, ROUNDS = 400 };

static const double KAPPA = 1e-3;
static const double CLEAR = 1.05; /* growth that is kept, along the whole path */
static const double RATE = 2e-3;

/* Position and heading of the box at a knot -> q. */
static void place(const double knot[3], double q[NQ]) {
    const double pose[NQ] = {knot[0], knot[1], 0.2, cos(knot[2] / 2), 0, 0, sin(knot[2] / 2)};
    for (int i = 0; i < NQ; i++)
        q[i] = pose[i];
}

/* Least growth to both posts; its shortage squared adds to the gradient by (x, y, heading). */
static double clearance(tacSim *sim, const double knot[3], double gradient[3]) {
    double q[NQ], jac[TAC_GROWTH_ROWS * NV], least = HUGE_VAL;
    place(knot, q);
    for (int post = 0; post < POSTS; post++) {
        tacGrowth g = {0};
        if (tac_geom_growth(sim, q, NULL, post, POSTS, KAPPA, &g) != TAC_OK) return -1;
        if (tac_growth_jac(sim, q, NULL, &g, &(tacGrowthJac){.q = jac}) != TAC_OK) return -1;
        least = fmin(least, g.dual);
        double shortage = fmax(0, CLEAR - g.dual);
        gradient[0] -= 2000 * shortage * jac[NV + 0]; /* row 1: the dual value, a proof where it is above one */
        gradient[1] -= 2000 * shortage * jac[NV + 1];
        gradient[2] -= 2000 * shortage * jac[NV + 5];
    }
    return least;
}

/* One step down the length of the path and the shortage of growth -> the least growth on it. */
static double improve(tacSim *sim, double path[KNOTS][3]) {
    double next[KNOTS][3], least = HUGE_VAL;
    for (int k = 0; k < KNOTS; k++) {
        double gradient[3] = {0};
        least = fmin(least, clearance(sim, path[k], gradient));
        for (int i = 0; i < 3; i++) {
            int inner = k > 0 && k < KNOTS - 1;
            double bend = inner ? 2 * path[k][i] - path[k - 1][i] - path[k + 1][i] : 0;
            double push = fmax(-20, fmin(20, gradient[i]));
            next[k][i] = path[k][i] - (inner ? RATE * push + 0.1 * bend : 0);
        }
    }
    for (int k = 0; k < KNOTS; k++)
        for (int i = 0; i < 3; i++)
            path[k][i] = next[k][i];
    return least;
}

int main(int argc, char **argv) {
    tacError err;
    tacModel *model;
    tacSim *sim;
    if (tac_load(argc > 1 ? argv[1] : "examples/gap.xml", &model, &err) != TAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    tacOptions options = tac_default_options(model);
    options.contact = TAC_CONTACT_MODEL_NONE;
    if (tac_sim_new(model, &options, &sim, &err) != TAC_OK) return 1;
    double path[KNOTS][3], least = 0;
    for (int k = 0; k < KNOTS; k++) {
        path[k][0] = -1 + 2.0 * k / (KNOTS - 1);
        path[k][1] = 0.15; /* off the middle of the gap */
        path[k][2] = 1.2;  /* across it: too wide to pass */
    }
    for (int round = 0; round < ROUNDS; round++) {
        double now = improve(sim, path);
        if (round == 0) printf("straight on: the posts are met at %.2f of the size\n", now);
        least = now;
    }
    printf("after %d rounds: least growth %.3f, heading in the gap %.2f, from %.2f\n", ROUNDS, least,
           path[KNOTS / 2][2], path[0][2]);
    tac_sim_free(sim);
    tac_model_free(model);
    return least >= 1 ? 0 : 1;
}
