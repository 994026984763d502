/* Our quantities and steps beside MuJoCo's in one process, constraints switched off in both. One JSON line per model:
 * {"model":..., "mass_matrix":error, ...}, each the largest relative error over the states tried. Exit code 1 when one
 * is over its bar. */
#include "scene.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 20, STEPS = 1000, MESSAGE = 1024 };

typedef struct Errors {
    double mass_matrix, bias, kinematics, energy, actuators, passive, steps;
} Errors;

static const double TOL_MUJOCO = 1e-9; /* of max(1, largest entry) */

static double worst_of(const Errors *e) {
    double frames = fmax(e->kinematics, fmax(e->energy, e->actuators));
    return fmax(fmax(frames, fmax(e->mass_matrix, e->bias)), fmax(e->passive, e->steps));
}

static void grow(double *worst, double error) {
    if (!(error <= *worst)) *worst = error;
}

static mjModel *load_peer(const char *path) {
    char message[MESSAGE];
    mjModel *mj = mj_loadXML(path, NULL, message, sizeof message);
    if (mj == NULL) {
        fprintf(stderr, "%s: MuJoCo: %s\n", path, message);
        exit(2);
    }
    mj->opt.disableflags |= mjDSBL_CONSTRAINT;
    mj->opt.enableflags |= mjENBL_ENERGY;
    mj->opt.integrator = mjINT_EULER;
    return mj;
}

static void copy_state(const Scene *s, mjData *d) {
    const tacModel *m = s->model;
    memcpy(d->qpos, s->x, (size_t)m->nq * sizeof(double));
    memcpy(d->qvel, s->x + m->nq, (size_t)m->nv * sizeof(double));
    memcpy(d->act, s->x + m->nq + m->nv, (size_t)m->na * sizeof(double));
    memcpy(d->ctrl, s->u, (size_t)m->nu * sizeof(double));
}

static void compare_frames(Scene *s, const mjData *d, Errors *e) {
    const tacModel *m = s->model;
    double *xpos = scene_doubles(3 * (size_t)m->nbody), *xquat = scene_doubles(4 * (size_t)m->nbody);
    double *sites = scene_doubles(3 * (size_t)m->nsite), *geoms = scene_doubles(3 * (size_t)m->ngeom);
    tacKinematics out = {
        .xpos = (tacVec3 *)xpos, .xquat = (tacQuat *)xquat, .site_pos = (tacVec3 *)sites, .geom_pos = (tacVec3 *)geoms};
    tac_kinematics(s->sim, s->x, s->u, &out);
    for (int i = 0; i < m->nbody; i++) { /* a quaternion and its negative are one rotation */
        double dot = 0, *ours = xquat + 4 * i;
        for (int k = 0; k < 4; k++)
            dot += ours[k] * d->xquat[4 * i + k];
        for (int k = 0; k < 4 && dot < 0; k++)
            ours[k] = -ours[k];
    }
    grow(&e->kinematics, scene_error(3 * m->nbody, xpos, d->xpos));
    grow(&e->kinematics, scene_error(4 * m->nbody, xquat, d->xquat));
    grow(&e->kinematics, scene_error(3 * m->nsite, sites, d->site_xpos));
    grow(&e->kinematics, scene_error(3 * m->ngeom, geoms, d->geom_xpos));
    free(xpos), free(xquat), free(sites), free(geoms);
}

static void compare_forces(Scene *s, const mjModel *mj, const mjData *d, Errors *e) {
    const tacModel *m = s->model;
    const double *q = s->x, *v = s->x + m->nq;
    size_t nv = (size_t)m->nv, nu = (size_t)m->nu;
    double *M = scene_doubles(nv * nv), *M_peer = scene_doubles(nv * nv), *force = scene_doubles(nv);
    double *length = scene_doubles(nu), *velocity = scene_doubles(nu), *actuator = scene_doubles(nu);
    tac_mass_matrix(s->sim, q, M);
    mj_fullM(mj, M_peer, d->qM);
    grow(&e->mass_matrix, scene_error(m->nv * m->nv, M, M_peer));
    tac_bias(s->sim, q, v, force);
    grow(&e->bias, scene_error(m->nv, force, d->qfrc_bias));
    tac_passive(s->sim, q, v, force);
    grow(&e->passive, scene_error(m->nv, force, d->qfrc_passive));
    tacActuation out = {.length = length, .velocity = velocity, .force = actuator, .qfrc = force};
    tac_actuation(s->sim, s->x, s->u, &out);
    grow(&e->actuators, scene_error(m->nu, length, d->actuator_length));
    grow(&e->actuators, scene_error(m->nu, velocity, d->actuator_velocity));
    grow(&e->actuators, scene_error(m->nu, actuator, d->actuator_force));
    grow(&e->actuators, scene_error(m->nv, force, d->qfrc_actuator));
    tacEnergy energy;
    tac_energy(s->sim, q, v, &energy);
    grow(&e->energy, scene_error(2, (double[]){energy.potential, energy.kinetic}, d->energy));
    free(M), free(M_peer), free(force), free(length), free(velocity), free(actuator);
}

/* The same 1000 steps from the same state, with controls that change every step. */
static void compare_steps(Scene *s, const mjModel *mj, mjData *d, Errors *e) {
    const tacModel *m = s->model;
    mj_resetData(mj, d);
    scene_randomize(s, 1);
    copy_state(s, d);
    for (int k = 0; k < STEPS; k++) {
        for (int i = 0; i < m->nu; i++)
            s->u[i] = d->ctrl[i] = 0.1 * sin(0.01 * k + i);
        if (tac_step(s->sim, s->x, s->u, s->x, NULL) != TAC_OK) {
            e->steps = HUGE_VAL;
            return;
        }
        mj_step(mj, d);
        grow(&e->steps, scene_error(m->nq, s->x, d->qpos));
        grow(&e->steps, scene_error(m->nv, s->x + m->nq, d->qvel));
        grow(&e->steps, scene_error(m->na, s->x + m->nq + m->nv, d->act));
    }
}

static int compare(const char *path) {
    Errors e = {0};
    mjModel *mj = load_peer(path);
    mjData *d = mj_makeData(mj);
    Scene s = scene_load(path);
    if (s.model->nq != mj->nq || s.model->nv != mj->nv || s.model->nu != mj->nu || s.model->na != mj->na) {
        fprintf(stderr, "%s: sizes differ from MuJoCo's\n", path);
        return 1;
    }
    for (uint64_t k = 0; k < STATES; k++) {
        scene_randomize(&s, k);
        copy_state(&s, d);
        mj_forward(mj, d);
        compare_frames(&s, d, &e);
        compare_forces(&s, mj, d, &e);
    }
    compare_steps(&s, mj, d, &e);
    printf(
        "{\"model\":\"%s\",\"mass_matrix\":%.3g,\"bias\":%.3g,\"kinematics\":%.3g,\"energy\":%.3g,\"actuators\":%.3g,"
        "\"passive\":%.3g,\"steps\":%.3g}\n",
        path, e.mass_matrix, e.bias, e.kinematics, e.energy, e.actuators, e.passive, e.steps);
    scene_free(&s);
    mj_deleteData(d);
    mj_deleteModel(mj);
    return worst_of(&e) <= TOL_MUJOCO ? 0 : 1;
}

int main(int argc, char **argv) {
    int code = 0;
    for (int i = 1; i < argc; i++)
        if (compare(argv[i]) != 0) code = 1;
    return code;
}
