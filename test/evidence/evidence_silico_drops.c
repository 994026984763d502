/* evidence_silico_drops KIND FIRST LAST: bodies of one kind fall on a plane and come to rest, with contact ncp and
 * single-level collision. Starts FIRST to LAST, at six rates from 10 to 100 steps a second and six tolerances from 1e-3
 * to 1e-10, which are kappa; residuals end at a tenth of it. One JSON object:
 *   {"kind":.., "runs":n, "failures":n, "slow":n, "deep":n, "silent":n, "steps":n, "iterations":mean, "most":n,
 *    "depth":m, "cases":[..]}
 * A run fails with the first step that is unsolved within 200 systems, and ends there. slow: solved steps above 30.
 * depth: largest overlap of a solved step by the closest features of the shape without its pad; deep: steps at which it
 * is more than the tolerance. silent: unsolved steps that read success. */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDING 1e-12
#define PAD      0.05
enum { SLOW = 30, TEXT = 16384, CASES = 40 };

static const double RATES[] = {10, 20, 30, 50, 70, 100}, TOLERANCES[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10};
enum { NRATE = sizeof RATES / sizeof *RATES, NTOLERANCE = sizeof TOLERANCES / sizeof *TOLERANCES };
static const char *const KINDS[] = {"truncated", "polytope", "ellipsoid", "capsule", "cylinder", "padded", "box"};
enum { TRUNCATED, POLYTOPE, ELLIPSOID, CAPSULE, CYLINDER, PADDED, BOX, NKIND };

typedef struct Tally {
    long runs, failures, slow, deep, silent, steps, iterations;
    int most, cases;
    double depth;
} Tally;

typedef struct Body {
    tacModel *model, *bare; /* bare: without pad */
    tacSim *probe;
    double pad;
} Body;

static double between(uint64_t start, uint64_t stream, uint64_t i, double low, double high) {
    return low + (high - low) * tac_random_uniform(start, stream, i);
}

/* A cube of half-size 0.45 whose corners are cut at distance 0.675, [LeCleach2022]'s. */
static int print_truncated(char *text, size_t room) {
    int n = snprintf(text, room, "<mesh name='m' vertex='");
    double h = 0.45, c = 0.675 * sqrt(3) - 2 * h; /* a corner is cut from (h, h, c) on its edges */
    for (int s = 0; s < 8; s++)
        for (int k = 0; k < 3; k++) {
            double p[3] = {h, h, h};
            p[k] = c;
            n += snprintf(text + n, room - (size_t)n, "%.9g %.9g %.9g ", s & 1 ? -p[0] : p[0], s & 2 ? -p[1] : p[1],
                          s & 4 ? -p[2] : p[2]);
        }
    return n + snprintf(text + n, room - (size_t)n, "'/>");
}

static int print_polytope(char *text, size_t room, uint64_t start) {
    int n = snprintf(text, room, "<mesh name='m' vertex='"), corners = 6 + (int)(tac_random_bits(start, 0, 0) % 9);
    for (int i = 0; i < corners; i++) {
        double p[3], length = 0;
        for (int k = 0; k < 3; k++) {
            p[k] = tac_random_normal(start, 1, (uint64_t)(3 * i + k));
            length += p[k] * p[k];
        }
        for (int k = 0; k < 3; k++)
            n += snprintf(text + n, room - (size_t)n, "%.9g ",
                          p[k] * between(start, 2, (uint64_t)i, 0.2, 0.35) / sqrt(length));
    }
    return n + snprintf(text + n, room - (size_t)n, "'/>");
}

static tacModel *load(int kind, uint64_t start, int padded, const char *path) {
    static const char *const TYPES[] = {"mesh", "mesh", "ellipsoid", "capsule", "cylinder", "box", "box"};
    char text[TEXT] = "", shape[256];
    tacModel *m;
    tacError err;
    if (kind == TRUNCATED) print_truncated(text, sizeof text);
    if (kind == POLYTOPE) print_polytope(text, sizeof text, start);
    double size[3];
    for (int k = 0; k < 3; k++)
        size[k] = between(start, 5, (uint64_t)k, 0.1, 0.4);
    if (kind <= POLYTOPE)
        snprintf(shape, sizeof shape, "mesh='m'");
    else
        snprintf(shape, sizeof shape, "size='%.9g %.9g %.9g'", size[0], size[1], size[2]);
    FILE *file = fopen(path, "w");
    if (file == NULL) exit(2);
    fprintf(file,
            "<mujoco xmlns:tactus='urn:tactus'><asset>%s</asset><worldbody><geom type='plane' size='5 5 1' "
            "friction='0.2'/><body pos='0 0 1'><freejoint/><geom %s='%s' %s mass='1' friction='0.2' tactus:pad='%g'/>"
            "</body></worldbody></mujoco>",
            text, "type", TYPES[kind], shape, padded ? PAD : 0.0);
    if (fclose(file) != 0) exit(2);
    if (tac_load(path, &m, &err) != TAC_OK) {
        fprintf(stderr, "start %llu: %s\n", (unsigned long long)start, err.text);
        exit(2);
    }
    return m;
}

static tacSim *simulate(const tacModel *m, double dt, double tolerance, int pairs) {
    tacOptions o = tac_default_options(m);
    tacSim *sim;
    tacError err;
    o.contact = TAC_CONTACT_MODEL_NCP, o.dt = dt, o.ncp_kappa = tolerance, o.ncp_tolerance = 0.1 * tolerance;
    o.ncp_collision = pairs ? TAC_NCP_SINGLE_LEVEL : TAC_NCP_FEATURES;
    if (tac_sim_new(m, &o, &sim, &err) == TAC_OK) return sim;
    fprintf(stderr, "%s\n", err.text);
    exit(2);
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

static double depth_of(const Body *b, const double *x) {
    tacContact c;
    if (tac_geom_distance(b->probe, x, NULL, 0, 1, &c) != TAC_OK) exit(2);
    return b->pad - c.dist;
}

static void note(Tally *t, uint64_t start, int step, double hz, double tolerance, const tacStepInfo *info) {
    t->failures++;
    t->silent += info->status == TAC_OK;
    if (t->cases++ < CASES)
        printf("%s{\"start\":%llu,\"step\":%d,\"hz\":%g,\"tolerance\":%g,\"reason\":%d,\"iterations\":%d,\"residual\":%"
               ".3g}",
               t->cases > 1 ? "," : "", (unsigned long long)start, step, hz, tolerance, (int)info->reason,
               info->iterations, isfinite(info->residual) ? info->residual : -1);
}

static void drop(const Body *b, uint64_t start, double hz, double tolerance, Tally *t) {
    tacSim *sim = simulate(b->model, 1 / hz, tolerance, 1);
    tacStepInfo info;
    double x[13];
    draw_start(start, b->model, x);
    t->runs++;
    for (int k = 0; k < (int)lround(2 * hz); k++) {
        tacStatus status = tac_step(sim, x, NULL, x, &info);
        t->steps++;
        if (status != TAC_OK || !(info.residual <= tolerance)) {
            note(t, start, k, hz, tolerance, &info);
            break;
        }
        t->iterations += info.iterations;
        t->most = info.iterations > t->most ? info.iterations : t->most;
        t->slow += info.iterations > SLOW;
        double depth = depth_of(b, x);
        scene_grow(&t->depth, depth);
        t->deep += !(depth <= tolerance + ROUNDING);
    }
    tac_sim_free(sim);
}

static int kind_named(const char *word) {
    for (int k = 0; k < NKIND; k++)
        if (strcmp(KINDS[k], word) == 0) return k;
    return -1;
}

int main(int argc, char **argv) {
    int kind = argc == 4 ? kind_named(argv[1]) : -1;
    if (kind < 0) return fprintf(stderr, "usage: %s KIND FIRST LAST\n", argv[0]), 2;
    char path[] = "/tmp/tactus_drop_XXXXXX";
    int handle = mkstemp(path);
    if (handle < 0) return 2;
    close(handle);
    Tally t = {.depth = -1};
    printf("{\"cases\":[");
    for (uint64_t start = strtoull(argv[2], NULL, 10); start <= strtoull(argv[3], NULL, 10); start++) {
        Body b = {load(kind, start, kind == PADDED, path), load(kind, start, 0, path), NULL, kind == PADDED ? PAD : 0};
        b.probe = simulate(b.bare, 0.01, 1e-8, 0);
        for (int r = 0; r < NRATE; r++)
            for (int i = 0; i < NTOLERANCE; i++)
                drop(&b, start, RATES[r], TOLERANCES[i], &t);
        tac_sim_free(b.probe);
        tac_model_free(b.bare);
        tac_model_free(b.model);
    }
    unlink(path);
    printf("],\"kind\":\"%s\",\"runs\":%ld,\"failures\":%ld,\"slow\":%ld,\"deep\":%ld,\"silent\":%ld,\"steps\":%ld,"
           "\"most\":%d",
           KINDS[kind], t.runs, t.failures, t.slow, t.deep, t.silent, t.steps, t.most);
    scene_print(0, "iterations", t.steps > 0 ? (double)t.iterations / (double)t.steps : 0);
    scene_print(0, "depth", t.depth);
    printf("}\n");
    return 0;
}
