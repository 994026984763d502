/* tacStepInfo.energy_gain of steps, Jacobians and rollouts against what the public functions give, for every contact
 * model and integrator. One JSON line per file and way:
 *   {"model":..., "way":..., "states":N, "skipped":N, "error":worst |gain - expected| / max(1, |E|)}
 * Inputs are random: controls, forces on dofs and on bodies. States that a step refuses are skipped. */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 20, ROLLOUT = 3 };

typedef struct Way {
    const char *name;
    tacContactModel contact;
    tacIntegrator integrator;
    int toi, coriolis;
} Way;
static const Way WAYS[] = {
    {"none", TAC_CONTACT_MODEL_NONE, TAC_INTEGRATOR_EULER, 0, 0},
    {"none-rk4", TAC_CONTACT_MODEL_NONE, TAC_INTEGRATOR_RK4, 0, 0},
    {"none-implicit", TAC_CONTACT_MODEL_NONE, TAC_INTEGRATOR_IMPLICIT, 0, 0},
    {"none-spin", TAC_CONTACT_MODEL_NONE, TAC_INTEGRATOR_SPIN, 0, 0},
    {"none-coriolis", TAC_CONTACT_MODEL_NONE, TAC_INTEGRATOR_CORIOLIS, 0, 0},
    {"lcp", TAC_CONTACT_MODEL_LCP, TAC_INTEGRATOR_EULER, 0, 0},
    {"lcp-coriolis", TAC_CONTACT_MODEL_LCP, TAC_INTEGRATOR_EULER, 0, 1},
    {"lcp-toi", TAC_CONTACT_MODEL_LCP, TAC_INTEGRATOR_EULER, 1, 0},
    {"ncp", TAC_CONTACT_MODEL_NCP, TAC_INTEGRATOR_EULER, 0, 0},
    {"soft", TAC_CONTACT_MODEL_SOFT, TAC_INTEGRATOR_EULER, 0, 0},
    {"soft-implicit", TAC_CONTACT_MODEL_SOFT, TAC_INTEGRATOR_IMPLICIT, 0, 0},
};
enum { NWAY = sizeof WAYS / sizeof *WAYS };

/* Arrays for one model. */
typedef struct Outside {
    double *f, *jacp, *jacr, *X, *A;
    tacVec3 *xipos;
} Outside;

static double energy_of(const Scene *s, const double *x) {
    tacEnergy e;
    scene_require(s, "tac_energy", tac_energy(s->sim, x, x + s->model->nq, &e));
    return e.kinetic + e.potential;
}

static double get(tacVec3 v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }

/* f += J^T (force, torque) at the body's mass centre, for the dofs that `gravcomp` says: those whose actuators do not
 * have gravity compensation already. */
static void add_wrench(const Scene *s, const Outside *o, int body, const double wrench[6], int gravcomp) {
    const tacModel *m = s->model;
    scene_require(s, "tac_point_jacobian", tac_point_jacobian(s->sim, s->x, body, o->xipos[body], o->jacp, o->jacr));
    for (int i = 0; i < m->nv; i++)
        for (int k = 0; k < 3 && !(gravcomp && m->joint_actgravcomp[m->dof_joint[i]]); k++)
            o->f[i] += o->jacp[k * m->nv + i] * wrench[k] + o->jacr[k * m->nv + i] * wrench[3 + k];
}

/* Forces of inputs at (x, u), u = [ctrl | qfrc | xfrc | mocap]. */
static void input_forces(const Scene *s, const Outside *o) {
    const tacModel *m = s->model;
    const double *qfrc = s->u + m->nu, *xfrc = qfrc + m->nv;
    int passive = !((*m->option_disable & TAC_DISABLE_SPRING) && (*m->option_disable & TAC_DISABLE_DAMPER));
    int weight = passive && !(*m->option_disable & TAC_DISABLE_GRAVITY);
    scene_require(s, "tac_actuation", tac_actuation(s->sim, s->x, s->u, &(tacActuation){.qfrc = o->f}));
    scene_require(s, "tac_kinematics", tac_kinematics(s->sim, s->x, s->u, &(tacKinematics){.xipos = o->xipos}));
    for (int i = 0; i < m->nv; i++)
        o->f[i] += qfrc[i];
    for (int b = 1; b < m->nbody; b++) {
        double up[6] = {0};
        for (int k = 0; k < 3; k++)
            up[k] = -m->body_gravcomp[b] * m->body_mass[b] * get(*m->option_gravity, k);
        add_wrench(s, o, b, xfrc + 6 * b, 0);
        if (weight && m->body_gravcomp[b] != 0) add_wrench(s, o, b, up, 1);
    }
}

static void random_inputs(Scene *s, uint64_t k) {
    const tacModel *m = s->model;
    scene_randomize(s, k);
    for (int i = 0; i < m->nv + 6 * m->nbody; i++)
        s->u[m->nu + i] = sin(1.0 + 0.7 * i + (double)k);
}

static int went_on(tacStatus status) {
    return status == TAC_OK || status == TAC_ERR_UNSOLVED || status == TAC_ERR_IMPACTS;
}

/* Error of one step's gain; -1: the step was refused. */
static double step_error(Scene *s, const Outside *o) {
    const tacModel *m = s->model;
    tacStepInfo info, same;
    if (!went_on(tac_step(s->sim, s->x, s->u, s->y, &info))) return -1;
    double before = energy_of(s, s->x), after = energy_of(s, s->y), work = 0, worst = 0;
    input_forces(s, o);
    for (int i = 0; i < m->nv; i++)
        work += 0.5 * s->options.dt * (s->x[m->nq + i] + s->y[m->nq + i]) * o->f[i];
    double scale = fmax(1, fmax(fabs(before), fabs(after)));
    scene_grow(&worst, fabs(info.energy_gain - (after - before - work)) / scale);
    if (went_on(tac_step_jac(s->sim, s->x, s->u, NULL, &(tacJac){.A = o->A}, &same)))
        scene_grow(&worst, fabs(info.energy_gain - same.energy_gain) / scale);
    memcpy(o->X, s->x, (size_t)s->nx * sizeof *o->X); /* y may be x */
    tac_step(s->sim, o->X, s->u, o->X, &same);
    scene_grow(&worst, fabs(info.energy_gain - same.energy_gain) / scale);
    return worst;
}

/* A rollout's gain is the sum of its steps'. */
static double rollout_error(Scene *s, const Outside *o) {
    size_t nx = (size_t)s->nx, nu = (size_t)s->nu;
    double *U = scene_doubles(ROLLOUT * nu + 1), sum = 0, scale = 1;
    tacStepInfo info, one;
    for (int k = 0; k < ROLLOUT; k++)
        memcpy(U + (size_t)k * nu, s->u, nu * sizeof *U);
    int went = went_on(tac_rollout(s->sim, s->x, U, ROLLOUT, o->X, &info));
    for (int k = 0; k < ROLLOUT && went; k++) {
        went = went_on(tac_step(s->sim, o->X + (size_t)k * nx, U, s->y, &one));
        sum += one.energy_gain;
        scale = fmax(scale, fabs(energy_of(s, s->y)));
    }
    free(U);
    return went ? fabs(sum - info.energy_gain) / scale : 0;
}

static void run_way(const char *path, const Way *way) {
    tacModel *model;
    tacError err;
    if (tac_load(path, &model, &err) != TAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(2);
    }
    tacOptions options = tac_default_options(model);
    options.contact = way->contact, options.integrator = way->integrator;
    options.toi = way->toi, options.lcp_coriolis = way->coriolis;
    options.inputs = TAC_INPUT_QFRC | TAC_INPUT_XFRC | TAC_INPUT_MOCAP;
    Scene s = scene_with(path, model, &options);
    size_t nv = (size_t)model->nv, ndx = (size_t)tac_ndx(model), nbody = (size_t)model->nbody;
    Outside o = {scene_doubles(nv),        scene_doubles(3 * nv),
                 scene_doubles(3 * nv),    scene_doubles((ROLLOUT + 1) * (size_t)s.nx),
                 scene_doubles(ndx * ndx), calloc(nbody, sizeof *o.xipos)};
    double worst = 0;
    int skipped = 0;
    for (uint64_t k = 0; k < STATES; k++) {
        random_inputs(&s, k);
        double error = step_error(&s, &o);
        skipped += error < 0;
        if (error >= 0) scene_grow(&worst, error);
        if (error >= 0) scene_grow(&worst, rollout_error(&s, &o));
    }
    printf("{\"model\":\"%s\",\"way\":\"%s\",\"states\":%d,\"skipped\":%d", path, way->name, STATES, skipped);
    scene_print(0, "error", worst);
    printf("}\n");
    double *all[] = {o.f, o.jacp, o.jacr, o.X, o.A};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(o.xipos);
    scene_free(&s);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        for (int way = 0; way < NWAY; way++)
            run_way(argv[i], &WAYS[way]);
    return 0;
}
