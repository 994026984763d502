/* Fits of simulated recordings.
 *
 *   evidence_fit physical SAMPLES      inertias from ten free numbers: bodies that can exist, round trip, derivative
 *   evidence_fit synthetic SEEDS       random models, three random parameters 20 % off, without noise
 *   evidence_fit coverage SEEDS        noisy tosses of a box: intervals that hold the truth
 *
 * One line of JSON each. */
#define _DEFAULT_SOURCE
#include "tactus/fit.h"
#include "tactus/io.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void must(tacStatus status, const tacError *err) {
    if (status == TAC_OK) return;
    fprintf(stderr, "evidence_fit: %s\n", err->text);
    exit(2);
}

static void *room(size_t n, size_t size) {
    void *memory = calloc(n + 1, size);
    if (memory == NULL) exit(2);
    return memory;
}

/* --- Inertia ------------------------------------------------------------------------------------------------------ */

/* Smallest leading minor of the pseudo-inertia over its scale: above 0 where it is positive definite. */
static double least_pivot(const double *p) {
    double m = p[0], half = 0.5 * (p[4] + p[5] + p[6]), J[4][4], least = HUGE_VAL;
    double S[3][3] = {{half - p[4], -p[7], -p[8]}, {-p[7], half - p[5], -p[9]}, {-p[8], -p[9], half - p[6]}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            J[i][j] = S[i][j] + m * p[1 + i] * p[1 + j];
        J[i][3] = J[3][i] = m * p[1 + i];
    }
    J[3][3] = m;
    for (int k = 3; k >= 0; k--) { /* elimination from the mass upward: no cancellation of m c c' */
        least = fmin(least, J[k][k]);
        for (int i = 0; i < k; i++)
            for (int j = 0; j < k; j++)
                J[i][j] -= J[i][k] * J[j][k] / J[k][k];
    }
    return least;
}

static int physical(int samples) {
    double trip = 0, derivative = 0, least = HUGE_VAL, lightest = HUGE_VAL;
    for (int s = 0; s < samples; s++) {
        double z[10], back[10], p[10], jac[100], up[10], down[10];
        for (int k = 0; k < 10; k++)
            z[k] = 0.5 * tac_random_normal(1, (uint64_t)s, (uint64_t)k);
        tac_inertia_from_log(z, p, jac);
        lightest = fmin(lightest, p[0]);
        least = fmin(least, least_pivot(p));
        if (tac_inertia_to_log(p, back) != TAC_OK) trip = HUGE_VAL;
        for (int k = 0; k < 10; k++) {
            trip = fmax(trip, fabs(back[k] - z[k]) / (1 + fabs(z[k])));
            double zp[10], zm[10], h = 1e-3, error[10] = {0};
            for (int half = 0; half < 2; half++) { /* one Richardson step: errors of fourth order in h */
                memcpy(zp, z, sizeof z), memcpy(zm, z, sizeof z);
                zp[k] += h, zm[k] -= h;
                tac_inertia_from_log(zp, up, NULL);
                tac_inertia_from_log(zm, down, NULL);
                for (int i = 0; i < 10; i++)
                    error[i] += (half ? 4.0 / 3 : -1.0 / 3) * (up[i] - down[i]) / (2 * h);
                h /= 2;
            }
            for (int i = 0; i < 10; i++)
                derivative =
                    fmax(derivative, fabs(error[i] - jac[10 * i + k]) / (1 + fabs(p[i]) + fabs(jac[10 * i + k])));
        }
    }
    printf("{\"samples\": %d, \"lightest\": %g, \"least\": %g, \"trip\": %g, \"derivative\": %g}\n", samples, lightest,
           least, trip, derivative);
    return 0;
}

/* --- A fit of rollouts -------------------------------------------------------------------------------------------- */

typedef struct Data {
    tacModel *model;
    tacOptions options;
    int nx, ndx, frames, n;
    double **x, **u;
} Data;

static Data open_data(tacModel *model, tacOptions options, int n, int frames) {
    Data d = {.model = model, .options = options, .nx = tac_nx(model), .ndx = tac_ndx(model), .frames = frames, .n = n};
    d.x = room((size_t)n, sizeof *d.x);
    d.u = room((size_t)n, sizeof *d.u);
    for (int i = 0; i < n; i++) {
        d.x[i] = room((size_t)frames * (size_t)d.nx, sizeof(double));
        d.u[i] = room((size_t)frames * (size_t)tac_ninput(model, &options), sizeof(double));
    }
    return d;
}

static void close_data(Data *d) {
    for (int i = 0; i < d->n; i++)
        free(d->x[i]), free(d->u[i]);
    free(d->x);
    free(d->u);
}

/* Rollouts of the model with parameters theta from the first state of each recording; 0: one is not solved. */
static int simulate(Data *d, const double *theta) {
    tacSim *sim;
    tacError err = {0};
    must(tac_sim_new(d->model, &d->options, &sim, &err), &err);
    int ok = tac_sim_set_params(sim, theta) == TAC_OK;
    size_t nx = (size_t)d->nx, ninput = (size_t)tac_ninput(d->model, &d->options);
    for (int i = 0; ok && i < d->n; i++)
        for (size_t k = 0; ok && k + 1 < (size_t)d->frames; k++)
            ok = tac_step(sim, d->x[i] + k * nx, d->u[i] + k * ninput, d->x[i] + (k + 1) * nx, NULL) == TAC_OK;
    tac_sim_free(sim);
    return ok;
}

static tacFit *open_fit(const Data *d, const tacFitOptions *o) {
    tacFit *fit;
    tacError err = {0};
    must(tac_fit_new(d->model, &d->options, o, &fit, &err), &err);
    for (int i = 0; i < d->n; i++) {
        tacFitRecording r = tac_default_fit_recording();
        r.frames = d->frames;
        r.x = d->x[i];
        r.u = d->u[i];
        must(tac_fit_add_recording(fit, &r, NULL, &err), &err);
    }
    return fit;
}

static void unknown(tacFit *fit, int param, tacMove move, double start) {
    tacFitParam p = tac_default_fit_param();
    tacError err = {0};
    p.param = param;
    p.move = move;
    p.start = start;
    if (move == TAC_MOVE_LOG) p.low = 0;
    must(tac_fit_add_param(fit, &p, &err), &err);
}

/* --- Tosses of a box ---------------------------------------------------------------------------------------------- */

static const double DEVIATION[12] = {1e-4, 1e-4, 1e-4, 5e-4, 5e-4, 5e-4, 7e-3, 7e-3, 7e-3, 0.05, 0.05, 0.05};

enum { TOSSES = 12, TOSS_FRAMES = 41 };

static void move_state(const tacModel *m, const double *x, const double *d, double *y) {
    tac_qpos_add(m, x, d, y);
    for (int i = 0; i < m->nv + m->na; i++)
        y[m->nq + i] = x[m->nq + i] + d[m->nv + i];
}

static int group(tacModel *m, const char *const *paths, int n) {
    tacError err = {0};
    int k = -1;
    must(n > 1 ? tac_param_register_group(m, paths, n, &k, &err) : tac_param_register(m, paths[0], &k, &err), &err);
    return k;
}

/* A cube of about 0.1 m, with friction, half-width and inertia as parameters 0, 1, 2. */
static tacModel *toss_model(void) {
    static const char *const SIZE[] = {"geom/box.size[0]", "geom/box.size[1]", "geom/box.size[2]"};
    static const char *const INERTIA[] = {"body/box.inertia[0]", "body/box.inertia[1]", "body/box.inertia[2]"};
    static const char *const FRICTION[] = {"geom/box.friction[0]"};
    tacModel *m;
    tacError err = {0};
    must(tac_load("models/box.xml", &m, &err), &err);
    group(m, FRICTION, 1);
    group(m, SIZE, 3);
    group(m, INERTIA, 3);
    must(tac_param_set(m, "body/box.mass", 0.37, &err), &err);
    must(tac_param_set(m, FRICTION[0], 0.2, &err), &err);
    must(tac_param_set(m, SIZE[0], 0.05, &err), &err);
    must(tac_param_set(m, INERTIA[0], 8e-4, &err), &err);
    must(tac_param_set(m, "geom/ground.friction[0]", 0.01, &err), &err);
    return m;
}

static void toss(Data *d, uint64_t seed) {
    for (int i = 0; i < d->n; i++) {
        double turn[12] = {0}, *x = d->x[i];
        tac_default_state(d->model, x);
        x[2] = 0.12;
        for (int k = 0; k < 3; k++) {
            turn[3 + k] = tac_random_normal(seed, (uint64_t)i, (uint64_t)k);
            turn[6 + k] = 0.5 * tac_random_normal(seed, (uint64_t)i, (uint64_t)(3 + k));
            turn[9 + k] = 3 * tac_random_normal(seed, (uint64_t)i, (uint64_t)(6 + k));
        }
        turn[8] = -fabs(turn[8]);
        move_state(d->model, x, turn, x);
    }
}

static void add_noise(Data *d, uint64_t seed) {
    for (int i = 0; i < d->n; i++)
        for (int k = 0; k < d->frames; k++) {
            double noise[12], *x = d->x[i] + (size_t)k * (size_t)d->nx;
            for (int e = 0; e < 12; e++)
                noise[e] = DEVIATION[e] * tac_random_normal(seed, (uint64_t)(i * d->frames + k), (uint64_t)e);
            move_state(d->model, x, noise, x);
        }
}

static int coverage(int seeds) {
    static const double TRUTH[] = {0.2, 0.05, 8e-4};
    int held[3] = {0}, solved = 0;
    double width[3] = {0};
    tacModel *m = toss_model();
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NCP;
    options.dt = 1.0 / 148;
    for (int s = 0; s < seeds; s++) {
        Data d = open_data(m, options, TOSSES, TOSS_FRAMES);
        toss(&d, 100 + (uint64_t)s);
        if (!simulate(&d, TRUTH)) exit(2);
        add_noise(&d, 10000 + (uint64_t)s);
        tacFitOptions o = tac_default_fit_options();
        o.deviation = DEVIATION;
        o.start = TAC_SEGMENT_ESTIMATED;
        tacFit *fit = open_fit(&d, &o);
        for (int k = 0; k < 3; k++)
            unknown(fit, k, TAC_MOVE_LOG, TRUTH[k] * 1.1);
        tacFitter *fitter;
        tacFitResult result;
        tacFitJudgement j;
        tacError err = {0};
        must(tac_fitter_new(fit, &fitter, &err), &err);
        must(tac_fitter_run(fitter, &result, &err), &err);
        must(tac_fitter_judge(fitter, &j, &err), &err);
        solved += result.end == TAC_FIT_SOLVED;
        for (int k = 0; k < 3; k++) {
            held[k] += j.low[k] <= TRUTH[k] && TRUTH[k] <= j.high[k];
            width[k] += (j.high[k] - j.low[k]) / TRUTH[k] / seeds;
        }
        tac_fit_judgement_free(&j);
        tac_fitter_free(fitter);
        tac_fit_free(fit);
        close_data(&d);
    }
    printf("{\"seeds\": %d, \"solved\": %d, "
           "\"friction\": %d, \"half_width\": %d, \"inertia\": %d, \"widths\": [%g, "
           "%g, %g]}\n",
           seeds, solved, held[0], held[1], held[2], width[0], width[1], width[2]);
    tac_model_free(m);
    return 0;
}

/* --- Random models ------------------------------------------------------------------------------------------------ */

/* Registers up to three parameters that are numbers of physics: above 0.01 by magnitude. */
static int draw_params(tacModel *m, uint64_t seed) {
    static const char *const KINDS[] = {".mass",        ".damping", ".armature", ".stiffness",
                                        ".friction[0]", ".gear[0]", ".size[0]"};
    int count = tac_param_count(m), found = 0;
    for (int attempt = 0; attempt < 4000 && found < 3; attempt++) {
        char path[256];
        double value;
        tacError err = {0};
        int i = (int)(tac_random_uniform(seed, 5, (uint64_t)attempt) * count), good = 0, index;
        if (tac_param_path(m, i, path, sizeof path) != TAC_OK) continue;
        for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
            size_t length = strlen(path), tail = strlen(KINDS[k]);
            good |= length > tail && strcmp(path + length - tail, KINDS[k]) == 0;
        }
        if (!good || tac_param_get(m, path, &value, &err) != TAC_OK || value < 0.01) continue;
        int before = m->nparam;
        if (tac_param_register(m, path, &index, &err) == TAC_OK && m->nparam > before) found++;
    }
    return found;
}

static tacModel *random_model(uint64_t seed) {
    char *text = tac_random_model(seed), path[] = "/tmp/evidence_fit_XXXXXX.xml";
    tacModel *m;
    tacError err = {0};
    int file = mkstemps(path, 4);
    if (text == NULL || file < 0 || write(file, text, strlen(text)) < 0) exit(2);
    close(file);
    must(tac_load(path, &m, &err), &err);
    unlink(path);
    free(text);
    return m;
}

typedef struct Outcome {
    int solved, seen, recovered;
    double error;
} Outcome;

static Outcome recover(Data *d, const double *truth, uint64_t seed) {
    Outcome out = {0};
    tacFitOptions o = tac_default_fit_options();
    double *deviation = room((size_t)d->ndx, sizeof *deviation);
    for (int i = 0; i < d->ndx; i++)
        deviation[i] = 1e-3;
    o.deviation = deviation;
    o.horizon = 1;
    o.norm = TAC_NORM_HUBER;
    tacFit *fit = open_fit(d, &o);
    for (int k = 0; k < d->model->nparam; k++)
        unknown(fit, k, TAC_MOVE_LOG, truth[k] * (tac_random_uniform(seed, 9, (uint64_t)k) < 0.5 ? 0.8 : 1.2));
    tacFitter *fitter;
    tacFitResult result;
    tacFitJudgement j;
    tacError err = {0};
    must(tac_fitter_new(fit, &fitter, &err), &err);
    must(tac_fitter_run(fitter, &result, &err), &err);
    must(tac_fitter_judge(fitter, &j, &err), &err);
    out.solved = result.end == TAC_FIT_SOLVED;
    out.recovered = 1;
    for (int k = 0; k < d->model->nparam; k++) {
        double error = fabs(result.theta[k] / truth[k] - 1);
        out.seen += j.seen[k];
        if (!j.seen[k]) continue;
        out.error = fmax(out.error, error);
        if (error > 1e-5) out.recovered = 0;
    }
    tac_fit_judgement_free(&j);
    tac_fitter_free(fitter);
    tac_fit_free(fit);
    free(deviation);
    return out;
}

static int synthetic(int seeds) {
    int recovered = 0, silent = 0, used = 0, unseen = 0;
    for (int s = 0; used < seeds && s < 4 * seeds + 10; s++) {
        tacModel *m = random_model((uint64_t)s);
        tacError err = {0};
        if (draw_params(m, (uint64_t)s) < 3) {
            tac_model_free(m);
            continue;
        }
        tacOptions options = tac_default_options(m);
        options.contact = TAC_CONTACT_MODEL_LCP;
        Data d = open_data(m, options, 4, 41);
        double truth[3];
        tacSim *sim;
        must(tac_sim_new(m, &options, &sim, &err), &err);
        tac_sim_get_params(sim, truth);
        tac_sim_free(sim);
        for (int i = 0; i < d.n; i++) {
            double *push = room((size_t)d.ndx, sizeof *push), *x = d.x[i];
            tac_default_state(m, x);
            for (int k = 0; k < 2 * m->nv; k++)
                push[k] = (k < m->nv ? 0.1 : 1) * tac_random_normal((uint64_t)s, (uint64_t)(50 + i), (uint64_t)k);
            move_state(m, x, push, x);
            for (int k = 0; k < d.frames; k++) {
                double *u = d.u[i] + (size_t)k * (size_t)tac_ninput(m, &options);
                tac_default_input(m, &options, u);
                for (int a = 0; a < m->nu; a++)
                    u[a] = 0.5 * sin(0.1 * k + a + i);
            }
            free(push);
        }
        if (simulate(&d, truth)) {
            Outcome out = recover(&d, truth, (uint64_t)s);
            used++;
            recovered += out.recovered;
            unseen += out.seen < 3;
            silent += !out.recovered && out.solved;
            if (!out.recovered)
                fprintf(stderr, "{\"model\": %d, \"solved\": %d, \"seen\": %d, \"error\": %g}\n", s, out.solved,
                        out.seen, out.error);
        }
        close_data(&d);
        tac_model_free(m);
    }
    printf("{\"models\": %d, \"recovered\": %d, \"unseen\": %d, \"silent\": %d}\n", used, recovered, unseen, silent);
    return 0;
}

int main(int argc, char **argv) {
    const struct {
        const char *word;
        int (*run)(int);
    } MODES[] = {{"physical", physical}, {"synthetic", synthetic}, {"coverage", coverage}};
    for (size_t i = 0; argc == 3 && i < sizeof MODES / sizeof *MODES; i++)
        if (strcmp(argv[1], MODES[i].word) == 0) return MODES[i].run(atoi(argv[2]));
    fprintf(stderr, "usage: evidence_fit physical|synthetic|coverage COUNT\n");
    return 2;
}
