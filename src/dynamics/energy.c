#include "dynamics/energy.h"

#include "dynamics/kinematics.h"
#include "dynamics/mass.h"
#include "dynamics/passive.h"

double tac_kinetic_energy(const tacModel *m, tacWork *w, const double *v) {
    double *Mv = w->vec[0], sum = 0;
    tac_mass_mul(m, w, v, Mv);
    for (int i = 0; i < m->nv; i++)
        sum += v[i] * Mv[i];
    return 0.5 * sum;
}

/* 1/2 k |d|^2 over joints and tendons */
static double spring_energy(const tacModel *m, const tacWork *w, const double *q) {
    double sum = 0, d[6];
    for (int j = 0; j < m->njnt; j++) {
        if (m->joint_stiffness_used[j] == 0) continue;
        int n = tac_spring_displacement(m, j, q, d);
        for (int i = 0; i < n; i++)
            sum += 0.5 * m->joint_stiffness_used[j] * d[i] * d[i];
    }
    for (int t = 0; t < m->ntendon; t++) {
        if (m->tendon_type[t] != TAC_TENDON_FIXED) continue;
        double stretch = tac_tendon_stretch(m, w, t);
        sum += 0.5 * m->tendon_stiffness[t] * stretch * stretch;
    }
    return sum;
}

double tac_potential_energy(const tacModel *m, const tacWork *w, const double *q) {
    double sum = 0;
    tacVec3 up = tac_base_acceleration(m).lin;
    for (int b = 1; b < m->nbody; b++)
        sum += m->body_mass[b] * tac_dot3(up, w->xipos[b]);
    if (!(*m->option_disable & TAC_DISABLE_SPRING)) sum += spring_energy(m, w, q);
    return sum;
}

/* Mass centre of the model; the origin if nothing has mass. */
static tacVec3 mass_centre(const tacModel *m, const tacWork *w) {
    tacVec3 moment = tac_zero3();
    double mass = 0;
    for (int b = 1; b < m->nbody; b++) {
        moment = tac_madd3(moment, m->body_mass[b], w->xipos[b]);
        mass += m->body_mass[b];
    }
    return mass > 0 ? tac_scale3(1 / mass, moment) : tac_zero3();
}

tacVec6 tac_total_momentum(const tacModel *m, const tacWork *w) {
    tacVec3 com = mass_centre(m, w);
    tacVec6 sum = tac_zero6();
    for (int b = 1; b < m->nbody; b++) {
        tacVec6 h = tac_inertia_mul(w->inertia[b], w->V[b]);
        /* moved from the tree's reference point O to the centre c:  n_c = n_O + (O - c) x f */
        h.ang = tac_add3(h.ang, tac_cross3(tac_sub3(w->origin[b], com), h.lin));
        sum = tac_add6(sum, h);
    }
    return sum;
}
