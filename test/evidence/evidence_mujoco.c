/* Our quantities and steps beside MuJoCo's in one process, constraints switched off in both. One JSON line per model:
 * {"model":..., "mass_matrix":error, ...}, each the largest relative error over the states tried, null when it is not
 * finite or the sizes differ. Exit code 1 when one is over its bar. */
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

/* One JSON line; -> 0 when every error is under its bar, else 1. */
static int report(const char *path, const Errors *e) {
    const struct {
        const char *key;
        double error;
    } rows[] = {{"mass_matrix", e->mass_matrix},
                {"bias", e->bias},
                {"kinematics", e->kinematics},
                {"energy", e->energy},
                {"actuators", e->actuators},
                {"passive", e->passive},
                {"steps", e->steps}};
    int code = 0;
    printf("{\"model\":\"%s\"", path);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene_print(0, rows[i].key, rows[i].error);
        if (!(rows[i].error <= TOL_MUJOCO)) code = 1;
    }
    printf("}\n");
    return code;
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
    double *site_axes = scene_doubles(9 * (size_t)m->nsite), *geom_axes = scene_doubles(9 * (size_t)m->ngeom);
    tacKinematics out = {.xpos = (tacVec3 *)xpos,
                         .xquat = (tacQuat *)xquat,
                         .site_pos = (tacVec3 *)sites,
                         .site_mat = (tacMat3 *)site_axes,
                         .geom_pos = (tacVec3 *)geoms,
                         .geom_mat = (tacMat3 *)geom_axes};
    scene_require(s, "kinematics", tac_kinematics(s->sim, s->x, s->u, &out));
    for (int i = 0; i < m->nbody; i++) { /* a quaternion and its negative are one rotation */
        double dot = 0, *ours = xquat + 4 * i;
        for (int k = 0; k < 4; k++)
            dot += ours[k] * d->xquat[4 * i + k];
        for (int k = 0; k < 4 && dot < 0; k++)
            ours[k] = -ours[k];
    }
    scene_grow(&e->kinematics, relative_error(3 * m->nbody, xpos, d->xpos));
    scene_grow(&e->kinematics, relative_error(4 * m->nbody, xquat, d->xquat));
    scene_grow(&e->kinematics, relative_error(3 * m->nsite, sites, d->site_xpos));
    scene_grow(&e->kinematics, relative_error(3 * m->ngeom, geoms, d->geom_xpos));
    scene_grow(&e->kinematics, relative_error(9 * m->nsite, site_axes, d->site_xmat));
    scene_grow(&e->kinematics, relative_error(9 * m->ngeom, geom_axes, d->geom_xmat));
    free(xpos), free(xquat), free(sites), free(geoms), free(site_axes), free(geom_axes);
}

static void compare_forces(Scene *s, const mjModel *mj, const mjData *d, Errors *e) {
    const tacModel *m = s->model;
    const double *q = s->x, *v = s->x + m->nq;
    size_t nv = (size_t)m->nv, nu = (size_t)m->nu;
    double *M = scene_doubles(nv * nv), *M_peer = scene_doubles(nv * nv), *force = scene_doubles(nv);
    double *length = scene_doubles(nu), *velocity = scene_doubles(nu), *actuator = scene_doubles(nu);
    scene_require(s, "mass matrix", tac_mass_matrix(s->sim, q, M));
    mj_fullM(mj, M_peer, d->qM);
    scene_grow(&e->mass_matrix, relative_error(m->nv * m->nv, M, M_peer));
    scene_require(s, "bias", tac_bias(s->sim, q, v, force));
    scene_grow(&e->bias, relative_error(m->nv, force, d->qfrc_bias));
    scene_require(s, "passive forces", tac_passive(s->sim, q, v, force));
    scene_grow(&e->passive, relative_error(m->nv, force, d->qfrc_passive));
    tacActuation out = {.length = length, .velocity = velocity, .force = actuator, .qfrc = force};
    scene_require(s, "actuation", tac_actuation(s->sim, s->x, s->u, &out));
    scene_grow(&e->actuators, relative_error(m->nu, length, d->actuator_length));
    scene_grow(&e->actuators, relative_error(m->nu, velocity, d->actuator_velocity));
    scene_grow(&e->actuators, relative_error(m->nu, actuator, d->actuator_force));
    scene_grow(&e->actuators, relative_error(m->nv, force, d->qfrc_actuator));
    tacEnergy energy;
    scene_require(s, "energy", tac_energy(s->sim, q, v, &energy));
    scene_grow(&e->energy, relative_error(2, (double[]){energy.potential, energy.kinetic}, d->energy));
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
        scene_grow(&e->steps, relative_error(m->nq, s->x, d->qpos));
        scene_grow(&e->steps, relative_error(m->nv, s->x + m->nq, d->qvel));
        scene_grow(&e->steps, relative_error(m->na, s->x + m->nq + m->nv, d->act));
    }
}

static int same_sizes(const tacModel *m, const mjModel *mj) {
    return m->nq == mj->nq && m->nv == mj->nv && m->nu == mj->nu && m->na == mj->na && m->nbody == mj->nbody &&
           m->ngeom == mj->ngeom && m->nsite == mj->nsite;
}

static Errors compare_all(Scene *s, const mjModel *mj, mjData *d) {
    Errors e = {0};
    for (uint64_t k = 0; k < STATES; k++) {
        scene_randomize(s, k);
        copy_state(s, d);
        mj_forward(mj, d);
        compare_frames(s, d, &e);
        compare_forces(s, mj, d, &e);
    }
    compare_steps(s, mj, d, &e);
    return e;
}

static int compare(const char *path) {
    Errors e = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
    mjModel *mj = load_peer(path);
    mjData *d = mj_makeData(mj);
    Scene s = scene_load(path);
    if (same_sizes(s.model, mj))
        e = compare_all(&s, mj, d);
    else
        fprintf(stderr, "%s: sizes differ from MuJoCo's\n", path);
    int code = report(path, &e);
    scene_free(&s);
    mj_deleteData(d);
    mj_deleteModel(mj);
    return code;
}

int main(int argc, char **argv) {
    int code = 0;
    for (int i = 1; i < argc; i++)
        if (compare(argv[i]) != 0) code = 1;
    return code;
}
