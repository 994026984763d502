/* Builds a pendulum in code, without a file, and steps it: one hinge, one bob, a thousand steps. */
#include <tactus/tactus.h>

#include <stdio.h>
#include <stdlib.h>

static void stop(const tacError *err) {
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

/* A bob of 1 kg at the end of a massless rod of 1 m, swinging about the world's y axis. */
static tacModel *build_pendulum(void) {
    tacError err;
    tacModel *model;
    tacBuilder *builder = tac_model_begin();

    tacBodyDef body = tac_default_body();
    body.name = "bob";
    body.inertial = TAC_INERTIAL_DIAG;
    body.mass = 1;
    body.ipos = (tacVec3){0, 0, -1};
    body.inertia = (tacVec3){1e-6, 1e-6, 1e-6};
    int bob = tac_model_add_body(builder, 0, &body);

    tacJointDef hinge = tac_default_joint();
    hinge.name = "swing";
    hinge.type = TAC_JOINT_HINGE;
    hinge.axis = (tacVec3){0, 1, 0};
    tac_model_add_joint(builder, bob, &hinge);

    tacStatus status = tac_model_finish(builder, &model, &err);
    tac_builder_free(builder);
    if (status != TAC_OK) stop(&err);
    return model;
}

int main(void) {
    tacError err;
    tacModel *model = build_pendulum();
    tacOptions options = tac_default_options(model);
    options.contact = TAC_CONTACT_MODEL_NONE;
    options.dt = 0.001;
    tacSim *sim;
    if (tac_sim_new(model, &options, &sim, &err) != TAC_OK) stop(&err);

    double x[2] = {1.5707963267948966, 0}; /* horizontal, at rest: angle, angular velocity */
    tacStepInfo info;
    printf("%8s %12s %12s %12s\n", "time", "angle", "velocity", "energy");
    for (int k = 0; k <= 1000; k++) {
        tacEnergy energy;
        tac_energy(sim, x, x + 1, &energy);
        if (k % 100 == 0)
            printf("%8.3f %12.6f %12.6f %12.6f\n", k * options.dt, x[0], x[1], energy.kinetic + energy.potential);
        if (tac_step(sim, x, NULL, x, &info) != TAC_OK) return 1;
    }
    tac_sim_free(sim);
    tac_model_free(model);
    return 0;
}
