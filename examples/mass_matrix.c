/* Reads a robot from a file and prints its mass matrix at the pose in which the file draws it. */
#include <tactus/io.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    tacError err;
    tacModel *model;
    tacSim *sim;
    if (argc != 2) {
        fprintf(stderr, "usage: %s MODEL\n", argv[0]);
        return 2;
    }
    if (tac_load(argv[1], &model, &err) != TAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    tacOptions options = tac_default_options(model);
    options.contact = TAC_CONTACT_MODEL_NONE;
    if (tac_sim_new(model, &options, &sim, &err) != TAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    int nv = model->nv;
    double *M = calloc((size_t)nv * (size_t)nv, sizeof *M);
    if (M == NULL || tac_mass_matrix(sim, model->qpos_0, M) != TAC_OK) return 2;
    printf("%s: %d degrees of freedom\n", argv[1], nv);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++)
            printf("%10.5f%s", M[i * nv + j], j + 1 < nv ? " " : "\n");
    free(M);
    tac_sim_free(sim);
    tac_model_free(model);
    return 0;
}
