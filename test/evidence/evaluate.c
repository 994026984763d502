#include "evaluate.h"

#include <stdlib.h>

uint64_t evaluate_all(Scene *s, Results *r) {
    const tacModel *m = s->model;
    const double *q = s->x, *v = s->x + m->nq;
    size_t nv = (size_t)m->nv, bytes = nv * sizeof(double);
    uint64_t hash = 0;
    tac_kinematics(s->sim, q, s->u, &(tacKinematics){.xpos = r->xpos, .xquat = r->xquat, .subtree_com = r->com});
    hash = tac_hash(r->xpos, (size_t)m->nbody * sizeof *r->xpos, hash);
    hash = tac_hash(r->xquat, (size_t)m->nbody * sizeof *r->xquat, hash);
    tac_body_velocity(s->sim, q, v, r->velocity);
    hash = tac_hash(r->velocity, (size_t)m->nbody * sizeof *r->velocity, hash);
    tac_frame_jacobian(s->sim, q, TAC_KIND_BODY, m->nbody - 1, r->jacobian, r->jacobian + 3 * nv);
    hash = tac_hash(r->jacobian, 6 * bytes, hash);
    tac_mass_matrix(s->sim, q, r->M);
    hash = tac_hash(r->M, nv * bytes, hash);
    tac_bias(s->sim, q, v, r->force);
    hash = tac_hash(r->force, bytes, hash);
    tac_mass_solve(s->sim, q, r->force, r->solved);
    hash = tac_hash(r->solved, bytes, hash);
    tac_forward_dynamics(s->sim, q, v, r->force, r->solved);
    hash = tac_hash(r->solved, bytes, hash);
    tac_inverse_dynamics(s->sim, q, v, r->solved, r->force);
    hash = tac_hash(r->force, bytes, hash);
    tac_passive(s->sim, q, v, r->force);
    hash = tac_hash(r->force, bytes, hash);
    tacActuation actuation = {.force = r->actuator, .moment = r->moment, .qfrc = r->force};
    tac_actuation(s->sim, s->x, s->u, &actuation);
    hash = tac_hash(r->actuator, (size_t)m->nu * sizeof(double), hash);
    hash = tac_hash(r->moment, (size_t)m->nu * bytes, hash);
    tac_tendons(s->sim, q, v, r->tendon, r->tendon + m->ntendon);
    hash = tac_hash(r->tendon, 2 * (size_t)m->ntendon * sizeof(double), hash);
    tac_acceleration(s->sim, s->x, s->u, r->solved);
    hash = tac_hash(r->solved, bytes, hash);
    tac_energy(s->sim, q, v, &r->energy);
    tac_momentum(s->sim, q, v, &r->momentum);
    hash = tac_hash(&r->energy, sizeof r->energy, hash);
    hash = tac_hash(&r->momentum, sizeof r->momentum, hash);
    tac_step(s->sim, s->x, s->u, s->y, NULL);
    return tac_hash(s->y, (size_t)s->nx * sizeof(double), hash);
}

Results results_make(const tacModel *m) {
    size_t nv = (size_t)m->nv, nu = (size_t)m->nu, nbody = (size_t)m->nbody;
    return (Results){.xpos = (tacVec3 *)scene_doubles(3 * nbody),
                     .com = (tacVec3 *)scene_doubles(3 * nbody),
                     .xquat = (tacQuat *)scene_doubles(4 * nbody),
                     .velocity = (tacVec6 *)scene_doubles(6 * nbody),
                     .jacobian = scene_doubles(6 * nv),
                     .M = scene_doubles(nv * nv),
                     .force = scene_doubles(nv),
                     .solved = scene_doubles(nv),
                     .actuator = scene_doubles(nu),
                     .moment = scene_doubles(nu * nv),
                     .tendon = scene_doubles(2 * (size_t)m->ntendon)};
}

void results_free(Results *r) {
    free(r->xpos), free(r->com), free(r->xquat), free(r->velocity), free(r->jacobian), free(r->M);
    free(r->force), free(r->solved), free(r->actuator), free(r->moment), free(r->tendon);
}
