#include "dynamics/passive.h"

#include "dynamics/kinematics.h"
#include "dynamics/transmission.h"

int tac_spring_displacement(const tacModel *m, int joint, const double *q, double *d) {
    int adr = m->joint_qpos_adr[joint], type = m->joint_type[joint], n = 0;
    const double *now = q + adr, *rest = m->qpos_spring + adr;
    if (type == TAC_JOINT_SLIDE || type == TAC_JOINT_HINGE) {
        d[0] = now[0] - rest[0];
        return 1;
    }
    if (type == TAC_JOINT_FREE) {
        for (; n < 3; n++)
            d[n] = now[n] - rest[n];
        now += 3;
        rest += 3;
    }
    /* rotation vector of rest^-1 now, in the child's axes */
    tacQuat turn = tac_quat_mul(tac_quat_conj(tac_quat_load(rest)), tac_quat_normalize(tac_quat_load(now)));
    tac_store3(d + n, tac_quat_log(turn));
    return n + 3;
}

double tac_tendon_stretch(const tacModel *m, const tacWork *w, int tendon) {
    double length = w->tendon_length[tendon];
    const double *band = m->tendon_springlength_used + 2 * tendon;
    return length > band[1] ? length - band[1] : length < band[0] ? length - band[0] : 0;
}

int tac_tendon_band_side(const tacModel *m, const tacWork *w, int tendon) {
    double length = w->tendon_length[tendon];
    const double *band = m->tendon_springlength_used + 2 * tendon;
    if (band[0] == band[1]) return length >= band[1];
    return length > band[1] ? 1 : length < band[0] ? 0 : -1;
}

static void add_joint_springs(const tacModel *m, const double *q, double *qfrc) {
    double d[6];
    for (int j = 0; j < m->njnt; j++) {
        if (m->joint_stiffness_used[j] == 0) continue;
        int n = tac_spring_displacement(m, j, q, d);
        for (int i = 0; i < n; i++)
            qfrc[m->joint_dof_adr[j] + i] -= m->joint_stiffness_used[j] * d[i];
    }
}

static void add_joint_dampers(const tacModel *m, const double *v, double *qfrc) {
    for (int i = 0; i < m->nv; i++)
        qfrc[i] -= m->dof_damping[i] * v[i];
}

static void add_tendons(const tacModel *m, tacWork *w, int spring, int damper, double *qfrc) {
    for (int t = 0; t < m->ntendon; t++) {
        if (m->tendon_type[t] != TAC_TENDON_FIXED) continue;
        double force = 0;
        if (spring) force -= m->tendon_stiffness[t] * tac_tendon_stretch(m, w, t);
        if (spring && w->count_ties && m->tendon_stiffness[t] != 0)
            w->tied += tac_is_tied(m->tendon_springlength_used + 2 * t, w->tendon_length[t]);
        if (damper) force -= m->tendon_damping[t] * w->tendon_velocity[t];
        if (force != 0) tac_add_tendon_row(m, t, force, qfrc);
    }
}

/* A force -gravcomp m g at each centre of mass. */
static void gravity_compensation(const tacModel *m, tacWork *w) {
    tacVec3 up = tac_base_acceleration(m).lin;
    for (int b = 1; b < m->nbody; b++) {
        if (m->body_gravcomp[b] == 0) continue;
        tac_add_point_row(m, w, b, w->xipos[b], tac_scale3(m->body_mass[b] * m->body_gravcomp[b], up), tac_zero3(), 1,
                          w->qfrc_gravcomp);
    }
}

void tac_passive_forces(const tacModel *m, tacWork *w, const double *q, const double *v) {
    int spring = !(*m->option_disable & TAC_DISABLE_SPRING), damper = !(*m->option_disable & TAC_DISABLE_DAMPER);
    for (int i = 0; i < m->nv; i++)
        w->qfrc_passive[i] = w->qfrc_gravcomp[i] = 0;
    w->tied = 0;
    if (!spring && !damper) return; /* both flags together disable every passive force, gravity compensation too */
    if (spring) add_joint_springs(m, q, w->qfrc_passive);
    if (damper) add_joint_dampers(m, v, w->qfrc_passive);
    add_tendons(m, w, spring, damper, w->qfrc_passive);
    gravity_compensation(m, w);
    for (int i = 0; i < m->nv; i++)
        if (!m->joint_actgravcomp[m->dof_joint[i]]) w->qfrc_passive[i] += w->qfrc_gravcomp[i];
}
