/* A user's program: a model without a file, the version, one number. Loads a robot too when given one. */
#include <tactus/io.h>

#include <stdio.h>

int main(int argc, char **argv) {
    tacError err;
    tacModel *model;
    tacBuilder *builder = tac_model_begin();
    tacBodyDef body = tac_default_body();
    body.inertial = TAC_INERTIAL_DIAG;
    body.mass = 2;
    body.inertia = (tacVec3){1, 1, 1};
    tacJointDef joint = tac_default_joint();
    tac_model_add_joint(builder, tac_model_add_body(builder, 0, &body), &joint);
    if (tac_model_finish(builder, &model, &err) != TAC_OK) return 1;
    tac_builder_free(builder);
    printf("tactus %s nv=%d mass=%g\n", tac_version(), model->nv, model->body_mass[1]);
    tac_model_free(model);
    if (argc < 2 || tac_load(argv[1], &model, &err) != TAC_OK) return 1;
    printf("loaded nq=%d\n", model->nq);
    tac_model_free(model);
    return 0;
}
