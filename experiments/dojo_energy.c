/* Dojo's tests of what its integrator keeps: momentum of an astronaut that moves its joints, energy of mechanisms.
 *
 * Both are those of the discrete motion (experiments/discrete.h). Energy is kinetic between two poses and the mean of
 * the potential at both. */
#include "experiments/discrete.h"
#include "experiments/plot.h"

#include "measure/agreement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BAR_MOMENTUM 1e-8  /* N s, N m s */
#define TOL_SOLVER   2e-14 /* N s^2: over the time step; what rounding of places leaves of momenta is that much */
#define BAR_DRIFT    2e-3  /* of the astronaut's energy: of Dojo's humanoid */
#define FORCE        0.05  /* N m: random joint torques of the first second */
#define FORCE_LONG   0.02  /* N m: the same, of the long run */
#define SPEED        1.0   /* rad/s: random joint speeds */
#define SEED         20220301u
enum { NCASE = 5, NRATE = 4, NDRIFT = 3, STREAM_FORCE = 1, STREAM_SPEED = 2 };

/* --- Momentum ----------------------------------------------------------------------------------------------------- */

static double largest(tacVec6 m, tacVec6 from) {
    const double *a = &m.ang.x, *b = &from.ang.x;
    double most = 0;
    for (int i = 0; i < 6; i++)
        most = worse(most, fabs(a[i] - b[i]));
    return most;
}

static int open_astronaut(tacFindings *found, double dt, tacScene *s, tacPoses pose[2]) {
    int result = scene_load(found, "astronaut", s);
    if (result != EXPERIMENT_GO_ON) return result;
    s->options.contact = TAC_CONTACT_MODEL_NCP;
    s->options.dt = dt;
    s->options.ncp_tolerance = TOL_SOLVER / dt;
    s->options.ncp_polish = 1;
    result = scene_start(found, s);
    if (result != EXPERIMENT_GO_ON) return result;
    int room = discrete_poses_new(s, &pose[0]);
    room = discrete_poses_new(s, &pose[1]) && room;
    return room ? EXPERIMENT_GO_ON : experiment_fail(found, "out of memory");
}

static void close_astronaut(tacScene *s, tacPoses pose[2]) {
    discrete_poses_free(&pose[0]);
    discrete_poses_free(&pose[1]);
    scene_close(s);
}

/* From rest, with random torques at all joints for a second and none for another: -> the most momentum there ever
 * is. */
static int drift_of_momentum(tacFindings *found, double dt, double *most) {
    tacScene s;
    tacPoses pose[2] = {0};
    tacVec6 none = {0};
    int result = open_astronaut(found, dt, &s, pose), steps = (int)lround(2 / dt);
    tacStatus status = TAC_OK;
    *most = 0;
    for (int k = 0; k < steps && result == EXPERIMENT_GO_ON; k++) {
        for (int i = 6; i < s.nu; i++)
            s.u[i] = 2 * k < steps ? FORCE * tac_random_normal(SEED, STREAM_FORCE, (uint64_t)(k * s.nu + i)) : 0;
        status = discrete_step(&s, &pose[0], &pose[1], NULL);
        if (status != TAC_OK) break;
        *most = worse(*most, largest(discrete_momentum(s.model, &pose[0], &pose[1], dt), none));
    }
    close_astronaut(&s, pose);
    if (status != TAC_OK) return experiment_fail(found, "astronaut: %s", tac_status_text(status));
    return result;
}

/* --- Energy ------------------------------------------------------------------------------------------------------- */

/* A motion without gravity: from random joint speeds, or from rest with random torques at all joints for the first
 * second. Energy, SAMPLES times, over that of the first step without torques. */
enum { SAMPLES = 200, MEAN = 20 };
typedef struct Drift {
    double dt, seconds, speed, torque;
    double time[SAMPLES], energy[SAMPLES], momentum;
    double change; /* of the mean over the last MEAN samples against the first ones without torques */
} Drift;

static double mean_of(const double *x, int first, int count) {
    double sum = 0;
    for (int i = first; i < first + count; i++)
        sum += x[i];
    return sum / count;
}

static int drift_of_energy(tacFindings *found, Drift *d) {
    tacScene s;
    tacPoses pose[2] = {0};
    tacVec6 start = {0};
    int result = open_astronaut(found, d->dt, &s, pose), every = (int)lround(d->seconds / SAMPLES / d->dt);
    int pushed = d->torque > 0 ? (int)lround(1 / d->dt) : 0, from = pushed / every;
    double first = 1;
    tacStatus status = TAC_OK;
    for (int i = 6; result == EXPERIMENT_GO_ON && i < s.model->nv; i++)
        s.x[s.model->nq + i] = d->speed * tac_random_normal(SEED, STREAM_SPEED, (uint64_t)i);
    for (int k = 0; k < SAMPLES * every && result == EXPERIMENT_GO_ON; k++) {
        for (int i = 6; i < s.nu; i++)
            s.u[i] = k < pushed ? d->torque * tac_random_normal(SEED, STREAM_FORCE, (uint64_t)(k * s.nu + i)) : 0;
        status = discrete_step(&s, &pose[0], &pose[1], NULL);
        if (status != TAC_OK) break;
        double energy = discrete_kinetic(s.model, &pose[0], &pose[1], d->dt);
        tacVec6 momentum = discrete_momentum(s.model, &pose[0], &pose[1], d->dt);
        if (k == 0) start = momentum;
        if (k == pushed) first = energy;
        if (k % every == 0) {
            d->time[k / every] = k * d->dt;
            d->energy[k / every] = energy;
        }
        d->momentum = worse(d->momentum, largest(momentum, start));
    }
    for (int i = 0; i < SAMPLES; i++)
        d->energy[i] /= first;
    d->change = mean_of(d->energy, SAMPLES - MEAN, MEAN) / mean_of(d->energy, from, MEAN) - 1;
    close_astronaut(&s, pose);
    if (status != TAC_OK) return experiment_fail(found, "astronaut: %s", tac_status_text(status));
    return result;
}

/* One body each; tolerances as in Dojo's tests: |E after a second - E at first| over the largest kinetic energy. */
typedef struct Mechanism {
    const char *name;
    int joint; /* of its spring; -1: none */
    double bar;
} Mechanism;
static const Mechanism MECHANISMS[NCASE] = {
    {"block", -1, 1e-8}, {"pendulum", 1, 1e-2}, {"spring", 2, 1e-3}, {"fall", 3, 1e-6}, {"both", 4, 1e-3}};

static double potential(const tacModel *m, int c, const tacPoses *pose, const double *q) {
    double energy = m->body_mass[c + 1] * 9.81 * pose->com[3 * (c + 1) + 2];
    int joint = MECHANISMS[c].joint;
    if (joint < 0) return energy;
    double x = q[m->joint_qpos_adr[joint]];
    return energy + 0.5 * m->joint_stiffness[joint] * x * x;
}

/* -> the change of each mechanism's energy over a second */
static int table_of_energy(tacFindings *found, double change[NCASE]) {
    tacScene s;
    tacPoses pose[2] = {0};
    double before[NCASE] = {0}, after[NCASE] = {0}, kinetic[NCASE] = {0}, q[16];
    int result = scene_load(found, "energies", &s);
    if (result != EXPERIMENT_GO_ON) return result;
    s.options.contact = TAC_CONTACT_MODEL_NCP;
    s.options.ncp_tolerance = TOL_SOLVER / s.options.dt;
    result = scene_start(found, &s);
    if (result != EXPERIMENT_GO_ON) return result;
    int room = discrete_poses_new(&s, &pose[0]);
    room = discrete_poses_new(&s, &pose[1]) && room;
    double h = s.options.dt;
    tacStatus status = room ? TAC_OK : TAC_ERR_MEMORY;
    for (int k = 0; k < (int)lround(1 / h) && room; k++) {
        memcpy(q, s.x, (size_t)s.model->nq * sizeof *q);
        status = discrete_step(&s, &pose[0], &pose[1], NULL);
        if (status != TAC_OK) break;
        for (int c = 0; c < NCASE; c++) {
            double T = discrete_kinetic_of(s.model, &pose[0], &pose[1], h, c + 1);
            double V = 0.5 * (potential(s.model, c, &pose[0], q) + potential(s.model, c, &pose[1], s.x));
            if (k == 0) before[c] = T + V;
            after[c] = T + V;
            kinetic[c] = fmax(kinetic[c], T);
        }
    }
    for (int c = 0; c < NCASE; c++)
        change[c] = fabs(after[c] - before[c]) / kinetic[c];
    discrete_poses_free(&pose[0]);
    discrete_poses_free(&pose[1]);
    scene_close(&s);
    return status == TAC_OK ? EXPERIMENT_GO_ON : experiment_fail(found, "energies: %s", tac_status_text(status));
}

/* --- The experiment ----------------------------------------------------------------------------------------------- */

static void draw(FILE *file, const Drift *drift) {
    static const char *const COLOUR[NDRIFT] = {"one", "two", "own"};
    tacPlot plot = {.file = file,
                    .title = "An astronaut's energy, without gravity",
                    .subtitle = "kinetic energy over that of the first step, ten seconds from random joint speeds",
                    .x1 = 10,
                    .y0 = 0.99,
                    .y1 = 1.01,
                    .nkey = NDRIFT};
    for (int i = 0; i < NDRIFT; i++)
        for (int k = 0; k < SAMPLES; k++) {
            plot.y0 = fmin(plot.y0, drift[i].energy[k]);
            plot.y1 = fmax(plot.y1, drift[i].energy[k]);
        }
    plot_begin(&plot);
    plot_axes(&plot, "time, s", "energy");
    for (int i = 0; i < NDRIFT; i++) {
        plot_curve(&plot, COLOUR[i], SAMPLES, drift[i].time, drift[i].energy);
        plot_key(&plot, COLOUR[i], "steps of %g s: mean changes by %.1e", drift[i].dt, drift[i].change);
    }
    plot_end(&plot);
}

static int run_momentum(tacFindings *found, double *worst) {
    static const double DT[NRATE] = {0.1, 0.05, 0.01, 0.001};
    json_t *object = json_object();
    int result = EXPERIMENT_GO_ON;
    for (int i = 0; i < NRATE; i++) {
        double most;
        char key[16];
        snprintf(key, sizeof key, "dt_%g", DT[i]);
        result = drift_of_momentum(found, DT[i], &most);
        if (result != EXPERIMENT_GO_ON) break;
        experiment_put(found, object, key, most);
        experiment_say(found, "  momentum of the astronaut from rest, dt %-5g at most %.1e", DT[i], most);
        *worst = worse(*worst, most);
    }
    json_object_set_new(found->tactus, "momentum_from_rest", object);
    return result;
}

static int run_drift(tacFindings *found, const char *name, Drift drift[NDRIFT], double *worst, int *within) {
    json_t *object = json_object();
    int result = EXPERIMENT_GO_ON;
    for (int i = 0; i < NDRIFT; i++) {
        char key[16];
        snprintf(key, sizeof key, "dt_%g", drift[i].dt);
        result = drift_of_energy(found, &drift[i]);
        if (result != EXPERIMENT_GO_ON) break;
        experiment_put(found, object, key, drift[i].change);
        experiment_say(found, "  energy of the astronaut in %g s, dt %-5g changes by %.1e, momentum by %.1e",
                       drift[i].seconds, drift[i].dt, drift[i].change, drift[i].momentum);
        *worst = worse(*worst, drift[i].momentum);
        *within = *within && fabs(drift[i].change) <= BAR_DRIFT;
    }
    json_object_set_new(found->tactus, name, object);
    return result;
}

static int run_table(tacFindings *found, int *within) {
    double change[NCASE];
    json_t *paper = json_object(), *ours = json_object();
    int result = table_of_energy(found, change);
    for (int c = 0; c < NCASE && result == EXPERIMENT_GO_ON; c++) {
        experiment_put(found, paper, MECHANISMS[c].name, MECHANISMS[c].bar);
        experiment_put(found, ours, MECHANISMS[c].name, change[c]);
        experiment_say(found, "  energy of %-9s in 1 s changes by %.1e (Dojo's test: %.0e)", MECHANISMS[c].name,
                       change[c], MECHANISMS[c].bar);
        *within = *within && change[c] <= MECHANISMS[c].bar;
    }
    json_object_set_new(found->paper, "energy", paper);
    json_object_set_new(found->tactus, "energy", ours);
    return result;
}

int dojo_energy(tacFindings *found) {
    static const double DT[NDRIFT] = {0.05, 0.01, 0.005}, DT_LONG[NDRIFT] = {0.1, 0.02, 0.005};
    Drift drift[NDRIFT], longer[NDRIFT];
    double momentum = 0;
    int within = 1;
    for (int i = 0; i < NDRIFT; i++) {
        drift[i] = (Drift){.dt = DT[i], .seconds = 10, .speed = SPEED};
        longer[i] = (Drift){.dt = DT_LONG[i], .seconds = 100, .torque = FORCE_LONG};
    }
    int result = run_momentum(found, &momentum);
    if (result == EXPERIMENT_GO_ON) result = run_drift(found, "astronaut_energy", drift, &momentum, &within);
    if (result == EXPERIMENT_GO_ON) result = run_drift(found, "astronaut_long_run", longer, &momentum, &within);
    if (result == EXPERIMENT_GO_ON) result = run_table(found, &within);
    if (result != EXPERIMENT_GO_ON) return result;
    experiment_put(found, found->tactus, "momentum", momentum);
    experiment_put(found, found->paper, "momentum", BAR_MOMENTUM);
    experiment_put(found, found->paper, "humanoid_energy", BAR_DRIFT);
    found->pass = within && momentum <= BAR_MOMENTUM;
    if (found->picture != NULL) draw(found->picture, drift);
    return EXPERIMENT_GO_ON;
}
