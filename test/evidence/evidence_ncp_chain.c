/* A chain of hinged links that floats, contact ncp, over many steps: what its motion keeps. One line of JSON:
 *   {"links":n, "steps":n, "momentum":largest change, N s and N m s, "energy":J,
 *    "trend":of a straight line through the energy, over all steps, in parts of the energy,
 *    "noise":standard error of that, "spread":root mean square about the line, likewise}
 *
 * usage: evidence_ncp_chain LINKS STEPS */
#include "measure/discrete_motion.h"
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIME_STEP 0.01
#define TOLERANCE 2e-12 /* N s: some times what rounding of places leaves, which is up to 6e-13 */
#define SPEED     0.5   /* rad/s: at the joints at first */
enum { SEED = 20220301, BLOCKS = 50 };

static double largest(tacVec6 m, tacVec6 from) {
    const double a[6] = {m.ang.x, m.ang.y, m.ang.z, m.lin.x, m.lin.y, m.lin.z};
    const double b[6] = {from.ang.x, from.ang.y, from.ang.z, from.lin.x, from.lin.y, from.lin.z};
    double most = 0;
    for (int i = 0; i < 6; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static void stop(const tacError *err) {
    fprintf(stderr, "%s\n", err->text);
    exit(2);
}

static void set_zero(tacModel *m, const char *path) {
    tacError err;
    if (tac_param_set(m, path, 0, &err) != TAC_OK) stop(&err);
}

/* No gravity, no damping. */
static void set_free(tacModel *m, int links) {
    char path[48];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "option.gravity[%d]", i);
        set_zero(m, path);
    }
    for (int i = 1; i < links; i++) {
        snprintf(path, sizeof path, "joint/joint%d.damping", i);
        set_zero(m, path);
    }
}

static Scene open_chain(int links) {
    tacError err;
    tacModel *model;
    tacChain chain = tac_default_chain();
    chain.bodies = links, chain.free_root = 1;
    if (tac_chain_build(&chain, &model, &err) != TAC_OK) stop(&err);
    set_free(model, links);
    tacOptions options = tac_default_options(model);
    options.contact = TAC_CONTACT_MODEL_NCP, options.dt = TIME_STEP, options.ncp_tolerance = TOLERANCE,
    options.ncp_polish = 1;
    Scene s = scene_with("chain", model, &options);
    for (int i = 6; i < model->nv; i++)
        s.x[model->nq + i] = SPEED * tac_random_normal(SEED, 0, (uint64_t)i);
    return s;
}

/* Least squares of blocks' means over their number. */
static void fit(const double *mean, double *slope, double *error, double *spread) {
    double middle = 0.5 * (BLOCKS - 1), centre = 0, square = 0, product = 0, rest = 0;
    for (int i = 0; i < BLOCKS; i++)
        centre += mean[i] / BLOCKS;
    for (int i = 0; i < BLOCKS; i++)
        square += (i - middle) * (i - middle), product += (i - middle) * (mean[i] - centre);
    *slope = product / square;
    for (int i = 0; i < BLOCKS; i++) {
        double off = mean[i] - centre - *slope * (i - middle);
        rest += off * off;
    }
    *error = sqrt(rest / (BLOCKS - 2) / square), *spread = sqrt(rest / BLOCKS);
}

/* The whole comes to rest, so that places stay small: velocities of the first body less that of the centre of mass. */
static tacStatus stop_drift(Scene *s, tacPoses pose[2]) {
    double mass = 0, *v = s->x + s->model->nq;
    tacStatus status = measure_poses(s->sim, s->x, s->u, &pose[0]);
    if (status == TAC_OK) status = tac_step(s->sim, s->x, s->u, s->y, NULL);
    if (status == TAC_OK) status = measure_poses(s->sim, s->y, s->u, &pose[1]);
    if (status != TAC_OK) return status;
    for (int b = 1; b < s->model->nbody; b++)
        mass += s->model->body_mass[b];
    tacVec6 momentum = discrete_momentum(s->model, &pose[0], &pose[1], TIME_STEP);
    v[0] -= momentum.lin.x / mass, v[1] -= momentum.lin.y / mass, v[2] -= momentum.lin.z / mass;
    return TAC_OK;
}

static int run(Scene *s, int links, int steps, tacPoses pose[2]) {
    double mean[BLOCKS] = {0}, momentum = 0, first = 0, slope, error, spread;
    tacVec6 start = {0};
    int block = steps / BLOCKS;
    tacStatus status = stop_drift(s, pose);
    if (status == TAC_OK) status = measure_poses(s->sim, s->x, s->u, &pose[0]);
    for (int k = 0; k < block * BLOCKS && status == TAC_OK; k++) {
        status = tac_step(s->sim, s->x, s->u, s->y, NULL);
        if (status != TAC_OK) break;
        memcpy(s->x, s->y, (size_t)s->nx * sizeof(double));
        const tacPoses *before = &pose[k % 2];
        tacPoses *after = &pose[1 - k % 2];
        status = measure_poses(s->sim, s->x, s->u, after);
        tacVec6 now = discrete_momentum(s->model, before, after, TIME_STEP);
        double energy = discrete_kinetic(s->model, before, after, TIME_STEP);
        if (k == 0) start = now, first = energy;
        momentum = fmax(momentum, largest(now, start));
        mean[k / block] += energy / block;
    }
    if (status != TAC_OK) return fprintf(stderr, "%s\n", tac_status_text(status));
    fit(mean, &slope, &error, &spread);
    printf(
        "{\"links\":%d,\"steps\":%d,\"momentum\":%.3e,\"energy\":%.6g,\"trend\":%.3e,\"noise\":%.3e,\"spread\":%.3e}\n",
        links, block * BLOCKS, momentum, first, BLOCKS * slope / first, BLOCKS * error / first, spread / first);
    return 0;
}

int main(int argc, char **argv) {
    tacPoses pose[2] = {0};
    int links = argc > 1 ? atoi(argv[1]) : 10, steps = argc > 2 ? atoi(argv[2]) : 100000;
    Scene s = open_chain(links);
    int bad = !measure_poses_new(s.model, &pose[0]) || !measure_poses_new(s.model, &pose[1]);
    if (!bad) bad = run(&s, links, steps, pose);
    for (int i = 0; i < 2; i++)
        measure_poses_free(&pose[i]);
    scene_free(&s);
    return bad ? 2 : 0;
}
