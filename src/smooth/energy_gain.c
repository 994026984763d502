#include "smooth/energy_gain.h"

#include "dynamics/actuator.h"
#include "dynamics/energy.h"
#include "dynamics/kinematics.h"
#include "dynamics/mass.h"
#include "dynamics/smooth.h"
#include "dynamics/transmission.h"
#include "math/dense.h"
#include "math/scalar.h"

/* Kinetic and potential energy, as in tac_energy. Needs: position, tendon lengths. */
static double energy_here(const tacModel *m, tacWork *w, const double *x) {
    tac_crba(m, w);
    return tac_kinetic_energy(m, w, x + m->nq) + tac_potential_energy(m, w, x);
}

/* f: actuators, gravity compensation, applied forces. Needs: tac_smooth_motion. */
static void input_forces(const tacModel *m, tacWork *w, const tacInputs *u, const double *act, double h, double *f) {
    tac_actuator_forces(m, w, u->ctrl, act, h);
    for (int i = 0; i < m->nv; i++) {
        int through = m->joint_actgravcomp[m->dof_joint[i]]; /* its actuator forces have it already */
        f[i] = w->qfrc_actuator[i] + (through ? 0 : w->qfrc_gravcomp[i]) + (u->qfrc != NULL ? u->qfrc[i] : 0);
    }
    for (int b = 1; u->xfrc != NULL && b < m->nbody; b++)
        tac_add_point_row(m, w, b, w->xipos[b], u->xfrc[b].force, u->xfrc[b].torque, 1, f);
}

void tac_energy_begin(tacContext *ctx, const double *x, const double *u, tacEnergyStart *start) {
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    tacInputs inputs = tac_inputs_of(&ctx->inputs, u);
    const double *v = x + m->nq;
    tac_smooth_motion(m, w, x, v, inputs.mocap);
    input_forces(m, w, &inputs, v + m->nv, ctx->options.dt, start->force);
    start->energy = energy_here(m, w, x);
    start->power = tac_dense_dot(m->nv, v, start->force);
}

/* E(y) - E(x) - h (v + v+)/2 . f                                                                          (ST19) */
double tac_energy_gain(tacContext *ctx, const double *u, const double *y, const tacEnergyStart *start) {
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    tac_kinematics_q(m, w, y, tac_inputs_of(&ctx->inputs, u).mocap);
    tac_tendon_lengths(m, w, y);
    double work = 0.5 * ctx->options.dt * (start->power + tac_dense_dot(m->nv, y + m->nq, start->force));
    double gain = energy_here(m, w, y) - start->energy - work;
    return tac_finite(gain) ? gain : TAC_INFINITY;
}
