#include "mujoco_reference.h"

#include <stdlib.h>
#include <string.h>

/* s: along the motion. Of fourth order: at 30 rad/s both truncation and rounding are below 1e-10. */
#define STEP 1e-4

/* What a callback of MuJoCo has no other place for. */
static mjData *there;
static double *rate, *velocity;

static int is_pose(const mjModel *m, const mjData *d, int row) {
    int type = m->eq_type[d->efc_id[row]];
    return type == mjEQ_CONNECT || type == mjEQ_WELD;
}

/* rate += weight J(q (+) t v) v, of the rows of equalities */
static void add_velocities(const mjModel *m, const mjData *d, double t, double weight) {
    mju_copy(there->qpos, d->qpos, m->nq);
    mju_copy(there->mocap_pos, d->mocap_pos, 3 * m->nmocap);
    mju_copy(there->mocap_quat, d->mocap_quat, 4 * m->nmocap);
    mju_zero(there->qvel, m->nv);
    mj_integratePos(m, there->qpos, d->qvel, t);
    mj_fwdPosition(m, there);
    mj_mulJacVec(m, there, velocity, d->qvel);
    mju_addToScl(rate, velocity, weight, d->ne);
}

/* a_ref = -B vel - K d (pos - margin) - (dJ/dt) v: as a whole, since a step may come here twice. */
static void refer(const mjModel *m, mjData *d) {
    static const double at[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    if (d->ne == 0) return;
    mju_zero(rate, d->ne);
    for (int s = 0; s < 4; s++)
        add_velocities(m, d, at[s] * STEP, weight[s] / (12 * STEP));
    for (int i = 0; i < d->ne; i++) {
        const double *z = d->efc_KBIP + 4 * i;
        if (!is_pose(m, d, i)) continue;
        d->efc_aref[i] = -z[1] * d->efc_vel[i] - z[0] * z[2] * (d->efc_pos[i] - d->efc_margin[i]) - rate[i];
    }
}

void reference_begin(const mjModel *m) {
    there = mj_makeData(m);
    rate = calloc((size_t)m->njmax, sizeof *rate), velocity = calloc((size_t)m->njmax, sizeof *velocity);
    mjcb_control = refer;
}

void reference_end(void) {
    mjcb_control = NULL;
    mj_deleteData(there);
    free(rate), free(velocity);
}
