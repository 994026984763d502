#include "dynamics/smooth.h"

#include "dynamics/actuator.h"
#include "dynamics/inverse.h"
#include "dynamics/kinematics.h"
#include "dynamics/passive.h"
#include "dynamics/transmission.h"

void tac_smooth_motion(const tacModel *m, tacWork *w, const double *q, const double *v, const double *mocap) {
    tac_kinematics_q(m, w, q, mocap);
    tac_kinematics_v(m, w, v);
    tac_tendon_lengths(m, w, q);
    tac_tendon_velocities(m, w, v);
    tac_transmission_q(m, w, q);
    tac_transmission_v(m, w, v);
    tac_passive_forces(m, w, q, v);
}

/* Forces the user applies at the joints and at the bodies' centres of mass. */
static void add_applied(const tacModel *m, tacWork *w, tacInputs u) {
    for (int i = 0; u.qfrc != NULL && i < m->nv; i++)
        w->qfrc[i] += u.qfrc[i];
    for (int b = 1; u.xfrc != NULL && b < m->nbody; b++)
        tac_add_point_row(m, w, b, w->xipos[b], u.xfrc[b].force, u.xfrc[b].torque, 1, w->qfrc);
}

void tac_smooth_forces(const tacModel *m, tacWork *w, const double *q, const double *v, const double *act, tacInputs u,
                       double h) {
    tac_smooth_motion(m, w, q, v, u.mocap);
    tac_actuator_forces(m, w, u.ctrl, act, h);
    tac_rnea(m, w, v, NULL, w->bias);
    for (int i = 0; i < m->nv; i++)
        w->qfrc[i] = w->qfrc_passive[i] + w->qfrc_actuator[i] - w->bias[i];
    add_applied(m, w, u);
}
