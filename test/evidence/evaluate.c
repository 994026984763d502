#include "evaluate.h"

#include <stdlib.h>

static uint64_t hash_doubles(const void *x, size_t n, uint64_t hash) { return tac_hash(x, n * sizeof(double), hash); }

static uint64_t hash_kinematics(Scene *s, Results *r, uint64_t hash) {
    const tacModel *m = s->model;
    const double *q = s->x, *v = s->x + m->nq;
    size_t nv = (size_t)m->nv, nbody = (size_t)m->nbody;
    tacKinematics frames = {.xpos = r->xpos, .xquat = r->xquat, .subtree_com = r->com};
    scene_require(s, "kinematics", tac_kinematics(s->sim, q, s->u, &frames));
    hash = hash_doubles(r->xpos, 3 * nbody, hash);
    hash = hash_doubles(r->xquat, 4 * nbody, hash);
    hash = hash_doubles(r->com, 3 * nbody, hash);
    scene_require(s, "body velocity", tac_body_velocity(s->sim, q, v, r->velocity));
    hash = hash_doubles(r->velocity, 6 * nbody, hash);
    double *angular = r->jacobian + 3 * nv;
    scene_require(s, "frame Jacobian",
                  tac_frame_jacobian(s->sim, q, TAC_KIND_BODY, m->nbody - 1, r->jacobian, angular));
    return hash_doubles(r->jacobian, 6 * nv, hash);
}

static uint64_t hash_dynamics(Scene *s, Results *r, uint64_t hash) {
    const double *q = s->x, *v = s->x + s->model->nq;
    size_t nv = (size_t)s->model->nv;
    scene_require(s, "mass matrix", tac_mass_matrix(s->sim, q, r->M));
    hash = hash_doubles(r->M, nv * nv, hash);
    scene_require(s, "bias", tac_bias(s->sim, q, v, r->force));
    hash = hash_doubles(r->force, nv, hash);
    scene_require(s, "mass solve", tac_mass_solve(s->sim, q, r->force, r->solved));
    hash = hash_doubles(r->solved, nv, hash);
    scene_require(s, "forward dynamics", tac_forward_dynamics(s->sim, q, v, r->force, r->solved));
    hash = hash_doubles(r->solved, nv, hash);
    scene_require(s, "inverse dynamics", tac_inverse_dynamics(s->sim, q, v, r->solved, r->force));
    hash = hash_doubles(r->force, nv, hash);
    scene_require(s, "energy", tac_energy(s->sim, q, v, &r->energy));
    scene_require(s, "momentum", tac_momentum(s->sim, q, v, &r->momentum));
    hash = tac_hash(&r->energy, sizeof r->energy, hash);
    return tac_hash(&r->momentum, sizeof r->momentum, hash);
}

static uint64_t hash_actuation(Scene *s, Results *r, uint64_t hash) {
    const tacModel *m = s->model;
    const double *q = s->x, *v = s->x + m->nq;
    size_t nv = (size_t)m->nv, nu = (size_t)m->nu;
    scene_require(s, "passive forces", tac_passive(s->sim, q, v, r->force));
    hash = hash_doubles(r->force, nv, hash);
    tacActuation actuation = {.force = r->actuator, .moment = r->moment, .qfrc = r->force};
    scene_require(s, "actuation", tac_actuation(s->sim, s->x, s->u, &actuation));
    hash = hash_doubles(r->actuator, nu, hash);
    hash = hash_doubles(r->moment, nu * nv, hash);
    hash = hash_doubles(r->force, nv, hash);
    scene_require(s, "tendons", tac_tendons(s->sim, q, v, r->tendon, r->tendon + m->ntendon));
    hash = hash_doubles(r->tendon, 2 * (size_t)m->ntendon, hash);
    scene_require(s, "acceleration", tac_acceleration(s->sim, s->x, s->u, r->solved));
    return hash_doubles(r->solved, nv, hash);
}

uint64_t evaluate_all(Scene *s, Results *r) {
    uint64_t hash = hash_actuation(s, r, hash_dynamics(s, r, hash_kinematics(s, r, 0)));
    scene_require(s, "step", tac_step(s->sim, s->x, s->u, s->y, NULL));
    return hash_doubles(s->y, (size_t)s->nx, hash);
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
