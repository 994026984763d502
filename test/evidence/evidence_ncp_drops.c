/* Random polytopes fall on a plane and come to rest: 2 s of contact ncp at rates from 10 to 100 steps a second and at
 * tolerances from 1e-3 to 1e-10, which are the softness kappa and the largest residual at once. Starts FIRST to LAST;
 * one JSON line per rate and tolerance:
 *   {"hz":f, "tolerance":t, "runs":n, "failures":n, "silent":n, "steps":n, "iterations":mean, "most":n, "depth":m,
 *    "deep":n, "turn":rad,
 *    "cases":[{"start":n, "step":n, "status":..., "iterations":n, "residual":r, "angle":rad}, ...]}
 * A run fails with the first step that needs more than MOST_ITERATIONS or ends above its tolerance, and ends there;
 * silent are those whose step says it is solved all the same. `angle` is how far the body turned in the step before.
 * depth is how far a corner is below the plane at the end of any solved step, from the state and the corners alone;
 * deep are steps at which that is more than the tolerance. turn is the largest turn in one. */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECONDS 2.0
/* m: what rounding of places may add to the tolerance of gaps. */
#define ROUNDING 1e-12
enum { MOST_ITERATIONS = 30, LEAST_POINTS = 6, MOST_POINTS = 14, DIGITS = 32 };

static const double RATES[] = {10, 16, 25, 40, 63, 100}, TOLERANCES[] = {1e-3, 1e-4, 1e-6, 1e-8, 1e-9, 1e-10};
enum { NRATE = sizeof RATES / sizeof *RATES, NTOLERANCE = sizeof TOLERANCES / sizeof *TOLERANCES };

/* A polytope by its corners, in the body's frame as the file has them. */
typedef struct Polytope {
    tacModel *model;
    int ncorner;
    double corner[MOST_POINTS][3];
} Polytope;

typedef struct Cell {
    long runs, failures, silent, deep, steps, iterations;
    int most;
    double depth, turn;
    char text[16384];
    size_t used;
} Cell;

static double between(uint64_t start, uint64_t stream, uint64_t i, double low, double high) {
    return low + (high - low) * tac_random_uniform(start, stream, i);
}

/* A random direction times a random length: corners of the polytope, about a quarter of a metre from its middle. */
static void draw_corner(uint64_t start, uint64_t i, double p[3]) {
    double length = 0;
    for (uint64_t k = 0; k < 3; k++) {
        p[k] = tac_random_normal(start, 1, 3 * i + k);
        length += p[k] * p[k];
    }
    for (int k = 0; k < 3; k++)
        p[k] *= between(start, 2, i, 0.2, 0.35) / sqrt(length);
}

/* A number as the file has it and the mesh takes it: corners are floats, as in MuJoCo. */
static double print_number(FILE *file, double number) {
    char text[DIGITS];
    snprintf(text, sizeof text, "%.9g ", number);
    if (fputs(text, file) < 0) exit(2);
    return (double)strtof(text, NULL);
}

static Polytope make_polytope(uint64_t start, const char *path) {
    Polytope stone = {.ncorner = LEAST_POINTS + (int)(tac_random_bits(start, 0, 0) % (MOST_POINTS - LEAST_POINTS + 1))};
    tacError err;
    FILE *file = fopen(path, "w");
    if (file == NULL) exit(2);
    fprintf(file, "<mujoco><asset><mesh name='stone' vertex='");
    for (int i = 0; i < stone.ncorner; i++) {
        double *p = stone.corner[i];
        draw_corner(start, (uint64_t)i, p);
        for (int k = 0; k < 3; k++)
            p[k] = print_number(file, p[k]);
    }
    fprintf(file, "'/></asset><worldbody><geom type='plane' size='5 5 1' friction='0.5'/><body pos='0 0 1'><freejoint/>"
                  "<geom type='mesh' mesh='stone' mass='1' friction='0.5'/></body></worldbody></mujoco>");
    if (fclose(file) != 0) exit(2);
    if (tac_load(path, &stone.model, &err) != TAC_OK) {
        fprintf(stderr, "start %llu: %s\n", (unsigned long long)start, err.text);
        exit(2);
    }
    return stone;
}

/* Any orientation, up to 1 m/s and 3 rad/s along each axis. */
static void draw_start(uint64_t start, const tacModel *m, double *x) {
    double *quat = x + 3, *v = x + m->nq, length = 0;
    tac_default_state(m, x);
    for (uint64_t i = 0; i < 4; i++) {
        quat[i] = tac_random_normal(start, 3, i);
        length += quat[i] * quat[i];
    }
    for (int i = 0; i < 4; i++)
        quat[i] /= sqrt(length);
    for (uint64_t i = 0; i < 6; i++)
        v[i] = i < 3 ? between(start, 4, i, -1, 1) : between(start, 4, i, -3, 3);
}

/* How far the lowest corner is below the plane z = 0: z of x + R(quat) p. */
static double depth_of(const Polytope *stone, const double *x) {
    const double *r = x + 3;
    double up[3] = {2 * (r[1] * r[3] - r[0] * r[2]), 2 * (r[2] * r[3] + r[0] * r[1]),
                    r[0] * r[0] - r[1] * r[1] - r[2] * r[2] + r[3] * r[3]}; /* the last row of R */
    double depth = 0;
    for (int i = 0; i < stone->ncorner; i++) {
        const double *p = stone->corner[i];
        scene_grow(&depth, -(x[2] + up[0] * p[0] + up[1] * p[1] + up[2] * p[2]));
    }
    return depth;
}

static void note(Cell *c, uint64_t start, int step, const tacStepInfo *info, double angle) {
    c->failures++;
    c->silent += info->status == TAC_OK;
    if (c->used + 200 > sizeof c->text) return;
    c->used += (size_t)snprintf(
        c->text + c->used, sizeof c->text - c->used,
        "%s{\"start\":%llu,\"step\":%d,\"status\":\"%s\",\"iterations\":%d,\"residual\":%.3g,\"angle\":%.3g}",
        c->used == 0 ? "" : ",", (unsigned long long)start, step, tac_status_text(info->status), info->iterations,
        isfinite(info->residual) ? info->residual : -1, angle);
}

static void drop(const Polytope *stone, uint64_t start, double hz, double tolerance, Cell *c) {
    const tacModel *m = stone->model;
    tacOptions options = tac_default_options(m);
    tacSim *sim;
    tacError err;
    tacStepInfo info;
    double x[13], h = 1 / hz, angle = 0;
    options.contact = TAC_CONTACT_MODEL_NCP, options.dt = h, options.ncp_kappa = options.ncp_tolerance = tolerance;
    options.ncp_iterations = MOST_ITERATIONS;
    if (tac_sim_new(m, &options, &sim, &err) != TAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(2);
    }
    draw_start(start, m, x);
    c->runs++;
    for (int k = 0; k < (int)lround(SECONDS * hz); k++) {
        tacStatus status = tac_step(sim, x, NULL, x, &info);
        const double *w = x + m->nq + 3;
        c->steps++;
        if (status != TAC_OK || info.iterations > MOST_ITERATIONS || !(info.residual <= tolerance)) {
            note(c, start, k, &info, angle);
            break;
        }
        angle = h * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        c->iterations += info.iterations;
        c->most = info.iterations > c->most ? info.iterations : c->most;
        c->turn = fmax(c->turn, angle);
        double depth = depth_of(stone, x);
        scene_grow(&c->depth, depth);
        c->deep += !(depth <= tolerance + ROUNDING);
    }
    tac_sim_free(sim);
}

int main(int argc, char **argv) {
    if (argc != 3) return fprintf(stderr, "usage: %s FIRST LAST\n", argv[0]), 2;
    static Cell cell[NRATE][NTOLERANCE];
    char path[] = "/tmp/tactus_drop_XXXXXX";
    int handle = mkstemp(path);
    if (handle < 0) return 2;
    close(handle);
    uint64_t first = strtoull(argv[1], NULL, 10), last = strtoull(argv[2], NULL, 10);
    for (uint64_t start = first; start <= last; start++) {
        Polytope stone = make_polytope(start, path);
        for (int r = 0; r < NRATE; r++)
            for (int t = 0; t < NTOLERANCE; t++)
                drop(&stone, start, RATES[r], TOLERANCES[t], &cell[r][t]);
        tac_model_free(stone.model);
    }
    unlink(path);
    for (int r = 0; r < NRATE; r++)
        for (int t = 0; t < NTOLERANCE; t++) {
            const Cell *c = &cell[r][t];
            printf(
                "{\"hz\":%g,\"tolerance\":%g,\"runs\":%ld,\"failures\":%ld,\"silent\":%ld,\"steps\":%ld,\"deep\":%ld,"
                "\"most\":%d",
                RATES[r], TOLERANCES[t], c->runs, c->failures, c->silent, c->steps, c->deep, c->most);
            scene_print(0, "iterations", c->steps > 0 ? (double)c->iterations / (double)c->steps : 0);
            scene_print(0, "depth", c->depth), scene_print(0, "turn", c->turn);
            printf(",\"cases\":[%s]}\n", c->text);
        }
    return 0;
}
