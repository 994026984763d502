/* evidence_silico momentum N | rolling | starts N: contact ncp with single-level collision, one JSON object each.
 *
 *   momentum  two free bodies of all pairs of shapes meet, N draws each: largest change of linear and angular momentum,
 *             N s and N m s; steps; unsolved; pairs that met
 *   rolling   a ball rolls on a free plate for 10 s: largest change of its speed
 *   starts    all pairs of shapes by faces, edges, vertices and at random, at rest above a floor and thrown, with and
 *             without friction: N steps each; unsolved steps, and what failed first */
#include "measure/discrete_motion.h"
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAD 0.03
enum { NX = 26, NQ = 14, TEXT = 8192 };
static const char *const KINDS[] = {"box", "cylinder", "capsule", "ellipsoid", "mesh", "sphere", "padded"};
enum { BOX, CYLINDER, CAPSULE, ELLIPSOID, MESH, SPHERE, PADDED, NKIND };

typedef struct World {
    tacModel *model;
    tacSim *sim;
} World;

static void print_shape(int kind, double friction, char *text, size_t room) {
    static const char *const SHAPES[] = {[BOX] = "type='box' size='.1 .12 .15'",
                                         [CYLINDER] = "type='cylinder' size='.11 .13'",
                                         [CAPSULE] = "type='capsule' size='.08 .1'",
                                         [ELLIPSOID] = "type='ellipsoid' size='.1 .12 .16'",
                                         [MESH] = "type='mesh' mesh='m'",
                                         [SPHERE] = "type='sphere' size='.12'",
                                         [PADDED] = "type='box' size='.08 .1 .12' tactus:pad='0.03'"};
    snprintf(text, room, "<geom %s mass='1' friction='%g'/>", SHAPES[kind], friction);
}

static World open_world(const char *path, int a, int b, double friction, int floor, double dt, double kappa) {
    char shape[2][256];
    World w;
    tacError err;
    FILE *file = fopen(path, "w");
    if (file == NULL) exit(2);
    print_shape(a, friction, shape[0], sizeof shape[0]);
    print_shape(b, friction, shape[1], sizeof shape[1]);
    fprintf(
        file,
        "<mujoco xmlns:tactus='urn:tactus'><option gravity='0 0 %g'/><asset><mesh name='m' vertex='.1 .1 .1 .1 .1 -.1 "
        ".1 -.1 .1 .1 -.1 -.1 -.1 .1 .1 -.1 .1 -.1 -.1 -.1 .1 -.1 -.1 -.1 .14 0 0 0 0 .14'/></asset><worldbody>%s"
        "<body><freejoint/>%s</body><body><freejoint/>%s</body></worldbody></mujoco>",
        floor ? -9.81 : 0.0, floor ? "<geom type='plane' size='5 5 1'/>" : "", shape[0], shape[1]);
    if (fclose(file) != 0) exit(2);
    if (tac_load(path, &w.model, &err) == TAC_OK) {
        tacOptions o = tac_default_options(w.model);
        o.contact = TAC_CONTACT_MODEL_NCP, o.ncp_collision = TAC_NCP_SINGLE_LEVEL, o.dt = dt, o.ncp_kappa = kappa;
        o.ncp_tolerance = 1e-11, o.inputs = TAC_INPUT_XFRC;
        if (tac_sim_new(w.model, &o, &w.sim, &err) == TAC_OK) return w;
    }
    fprintf(stderr, "%s\n", err.text);
    exit(2);
}

static void close_world(World *w) {
    tac_sim_free(w->sim);
    tac_model_free(w->model);
}

static double between(uint64_t seed, uint64_t i, double low, double high) {
    return low + (high - low) * tac_random_uniform(seed, 7, i);
}

static void turn(uint64_t seed, uint64_t i, double *quat) {
    double length = 0;
    for (int k = 0; k < 4; k++) {
        quat[k] = tac_random_normal(seed, 8, 4 * i + (uint64_t)k);
        length += quat[k] * quat[k];
    }
    for (int k = 0; k < 4; k++)
        quat[k] /= sqrt(length);
}

/* --- Momentum ----------------------------------------------------------------------------------------------------- */

typedef struct Drift {
    double linear, angular, touched;
    long steps, unsolved, met;
} Drift;

static void push(World *w, uint64_t seed, double dt, Drift *d) {
    double x[NX], u[64] = {0}, start = 0;
    tacPoses pose[2] = {0};
    tacVec6 first = {0};
    tac_default_state(w->model, x);
    x[0] = -0.25, x[7] = 0.25;
    turn(seed, 0, x + 3), turn(seed, 1, x + 10);
    x[8] = between(seed, 0, -0.05, 0.05);
    for (int k = 0; k < 6; k++)
        x[NQ + k] = k < 3 ? (k == 0) : between(seed, 10 + (uint64_t)k, -2, 2);
    start = x[NQ];
    if (!measure_poses_new(w->model, &pose[0]) || !measure_poses_new(w->model, &pose[1])) exit(2);
    tacStatus status = measure_poses(w->sim, x, u, &pose[0]);
    for (int k = 0; k < (int)lround(0.5 / dt) && status == TAC_OK; k++) {
        tacStatus solved = tac_step(w->sim, x, u, x, NULL);
        d->steps++;
        d->unsolved += solved != TAC_OK;
        if (solved != TAC_OK) break;
        status = measure_poses(w->sim, x, u, &pose[1 - k % 2]);
        tacVec6 p = discrete_momentum(w->model, &pose[k % 2], &pose[1 - k % 2], dt);
        if (k == 0) first = p;
        for (int i = 0; i < 3; i++) {
            scene_grow(&d->linear, fabs((&p.lin.x)[i] - (&first.lin.x)[i]));
            scene_grow(&d->angular, fabs((&p.ang.x)[i] - (&first.ang.x)[i]));
        }
    }
    d->met += fabs(x[NQ] - start) > 0.05;
    measure_poses_free(&pose[0]);
    measure_poses_free(&pose[1]);
}

static void momentum(const char *path, int n) {
    Drift d = {0};
    long runs = 0;
    for (int a = 0; a < NKIND; a++)
        for (int b = a; b < NKIND; b++)
            for (int k = 0; k < n; k++, runs++) {
                double dt = k % 2 ? 0.01 : 0.002;
                World w = open_world(path, a, b, k % 3 ? 0.6 : 0, 0, dt, 1e-8);
                push(&w, (uint64_t)(1000 * runs), dt, &d);
                close_world(&w);
            }
    printf("{\"runs\":%ld,\"met\":%ld,\"steps\":%ld,\"unsolved\":%ld", runs, d.met, d.steps, d.unsolved);
    scene_print(0, "linear", d.linear), scene_print(0, "angular", d.angular);
    printf("}\n");
}

/* --- Rolling ------------------------------------------------------------------------------------------------------ */

static void rolling(const char *path) {
    tacModel *m;
    tacError err;
    tacSim *sim;
    double x[NX], worst = 0;
    long unsolved = 0;
    FILE *file = fopen(path, "w");
    if (file == NULL) exit(2);
    fprintf(file,
            "<mujoco><worldbody><geom name='floor' type='plane' size='50 50 1' friction='0.0001'/>"
            "<body pos='0 0 .05'><freejoint/><geom type='box' size='20 1 .05' mass='5' friction='0.0001'/></body>"
            "<body pos='0 0 .2'><freejoint/><geom name='ball' type='sphere' size='.1' mass='1' friction='0.8'/></body>"
            "</worldbody></mujoco>");
    if (fclose(file) != 0 || tac_load(path, &m, &err) != TAC_OK) exit(2);
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NCP, o.ncp_collision = TAC_NCP_SINGLE_LEVEL, o.dt = 0.005;
    if (tac_sim_new(m, &o, &sim, &err) != TAC_OK) exit(2);
    tac_default_state(m, x);
    x[NQ + 6] = 1, x[NQ + 6 + 4] = 10;
    for (int k = 0; k < 2000; k++) {
        unsolved += tac_step(sim, x, NULL, x, NULL) != TAC_OK;
        scene_grow(&worst, fabs(x[NQ + 6] - x[NQ] - 1));
    }
    printf("{\"unsolved\":%ld", unsolved);
    scene_print(0, "slower", worst);
    printf("}\n");
    tac_sim_free(sim);
    tac_model_free(m);
}

/* --- Starts ------------------------------------------------------------------------------------------------------- */

/* Orientations: face down, edge down, vertex down, random. */
static void orient(int how, uint64_t seed, double *quat) {
    static const double QUATS[3][4] = {
        {1, 0, 0, 0},
        {0.92387953251128674, 0.38268343236508978, 0, 0},
        {0.88047623626130498, 0.36470519647325203, 0.27984814233312133, 0.11591689602131104}};
    if (how == 3)
        turn(seed, 2, quat);
    else
        memcpy(quat, QUATS[how], sizeof QUATS[how]);
}

static void starts(const char *path, int steps) {
    long runs = 0, unsolved = 0, all = 0, nonfinite = 0;
    char first[256] = "";
    for (int a = 0; a < NKIND; a++)
        for (int b = 0; b < NKIND; b++)
            for (int how = 0; how < 16; how++)
                for (int thrown = 0; thrown < 2; thrown++, runs++) {
                    World w = open_world(path, a, b, runs % 2 ? 0.5 : 0, 1, 0.01, 1e-8);
                    double x[NX], u[64] = {0};
                    tacStepInfo info;
                    tac_default_state(w.model, x);
                    x[2] = 0.25, x[9] = 0.6;
                    orient(how % 4, (uint64_t)runs, x + 3), orient(how / 4, (uint64_t)runs + 77, x + 10);
                    for (int k = 0; k < 12 && thrown; k++)
                        x[NQ + k] = between((uint64_t)runs, (uint64_t)k, -2, 2);
                    for (int k = 0; k < steps; k++) {
                        tacStatus status = tac_step(w.sim, x, u, x, &info);
                        all++;
                        unsolved += status != TAC_OK;
                        if (status != TAC_OK && first[0] == 0)
                            snprintf(first, sizeof first, "%s on %s, how %d, thrown %d, step %d", KINDS[b], KINDS[a],
                                     how, thrown, k);
                        for (int i = 0; i < NX; i++)
                            nonfinite += !isfinite(x[i]);
                    }
                    close_world(&w);
                }
    printf("{\"runs\":%ld,\"steps\":%ld,\"unsolved\":%ld,\"nonfinite\":%ld,\"first\":\"%s\"}\n", runs, all, unsolved,
           nonfinite, first);
}

int main(int argc, char **argv) {
    char path[] = "/tmp/tactus_silico_XXXXXX";
    int handle = mkstemp(path), known = 1;
    if (handle < 0 || argc < 2) return fprintf(stderr, "usage: %s momentum N | rolling | starts N\n", argv[0]), 2;
    close(handle);
    if (strcmp(argv[1], "momentum") == 0 && argc == 3)
        momentum(path, atoi(argv[2]));
    else if (strcmp(argv[1], "rolling") == 0)
        rolling(path);
    else if (strcmp(argv[1], "starts") == 0 && argc == 3)
        starts(path, atoi(argv[2]));
    else
        known = 0;
    unlink(path);
    return known ? 0 : 2;
}
