/* evidence_contact_random CONTACT FIRST LAST: random models of these seeds through a thousand steps of a contact model
 * under random controls, each seed twice: step by step on this thread, with allocations counted, and as the first of
 * two worlds on two threads.
 *
 *   {"models":n, "steps":n, "in_contact":n, "unsolved":n, "nonfinite":n, "above_tolerance":n,
 *    "refused":n, "failed":n, "allocations":n, "counted":n, "differing":n, "worst_ok":r, "worst_unsolved":r,
 *    "judged":n, "unlawful":n, "worst":{...}, "placed":n, "lost":n, "cases":[...]}
 *
 * residuals are those that steps report, over what is at stake: the larger of the momentum (total mass by 1 m/s + the
 * fastest coordinate) and the largest impulse of a contact; of soft they are relative already, and of ncp in its units,
 * in which TOLERANCE is its own. A step that says it is solved must be so to TOLERANCE. As of ncp that is the very
 * number it stops by, every JUDGE_EVERY-th solved step of it is held against its laws outside the solver (step_laws.h):
 * judged, those that break one, and the worst figures, placed and lost as of StepFaults. */
#include "count_allocations.h"
#include "scene.h"
#include "step_laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 1000, WORLDS = 2, HOLD = 10, MOST_CASES = 40, MOST_CONTACTS = 4096, CONTROLS = 11 /* random stream */ };
/* Which steps are held against their laws: forces cost two solves more, so that every third step costs a fourth; three
 * and HOLD have no common factor. */
enum { JUDGE_EVERY = 3 };
#define TOLERANCE 1e-9

typedef struct Totals {
    long models, refused, steps, in_contact, unsolved, failed, nonfinite, above, allocations, differing;
    long judged, unlawful;
    double worst_unsolved, worst_ok;
    StepFaults worst;
    int ncase;
    char text[MOST_CASES][160];
} Totals;

static void note(Totals *t, uint64_t seed, const char *what, int step, double figure) {
    int unsolved = strcmp(what, "unsolved") == 0; /* there may be many, and they are no failures */
    if (t->ncase >= (unsolved ? MOST_CASES / 2 : MOST_CASES)) return;
    snprintf(t->text[t->ncase++], sizeof t->text[0], "{\"seed\":%llu,\"what\":\"%s\",\"step\":%d,\"figure\":%.3g}",
             (unsigned long long)seed, what, step, isfinite(figure) ? figure : -1);
}

/* Seed -> scene with a contact model; without a simulation where the model is refused. */
static Scene open_model(uint64_t seed, tacContactModel contact, const char *path) {
    char *text = tac_random_model(seed);
    FILE *file = fopen(path, "w");
    if (text == NULL || file == NULL || fputs(text, file) < 0 || fclose(file) != 0) exit(2);
    free(text);
    Scene s = scene_load(path);
    tacError err;
    if (scene_set_contact(&s, contact, &err) != TAC_OK)
        fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, err.text);
    return s;
}

/* Controls of every step: a new draw over the whole range every HOLD steps. */
static void draw_controls(const Scene *s, uint64_t world, double *U) {
    for (int k = 0; k < STEPS; k++)
        for (int i = 0; i < s->model->nu; i++)
            U[(size_t)k * (size_t)s->nu + (size_t)i] = scene_control(s, CONTROLS + world, (uint64_t)(k / HOLD), i);
}

/* Momentum at stake at state x. */
static double momentum_scale(const Scene *s, const double *x) {
    double fastest = 0;
    for (int i = 0; i < s->model->nv; i++)
        fastest = fmax(fastest, fabs(x[s->model->nq + i]));
    return s->model->body_subtree_mass[0] * (1 + fastest);
}

/* Largest impulse of a contact in the step from x: things that are wedged in each other press harder than they move. */
static double impulse_scale(const Scene *s, const double *x, const double *u) {
    static tacContactForce found[MOST_CONTACTS];
    double largest = 0;
    int n = 0;
    if (tac_step_contacts(s->sim, x, u, found, MOST_CONTACTS, &n) != TAC_OK) return 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, s->options.dt * fabs(found[i].force[0]));
    return largest;
}

static int first_nonfinite(int n, const double *x) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return i;
    return -1;
}

/* 1: there is a next state. x, u: where the step started; y, info: what it gave. */
static int judge_step(const Scene *s, uint64_t seed, int k, const double *x, const double *u, const double *y,
                      const tacStepInfo *info, Totals *t) {
    int relative = s->options.contact != TAC_CONTACT_MODEL_LCP;
    double scale = relative ? 1 : momentum_scale(s, y), residual = info->residual / scale;
    if (residual > TOLERANCE && !relative) residual = info->residual / fmax(scale, impulse_scale(s, x, u));
    t->steps++;
    t->in_contact += info->contacts > 0;
    if (info->status != TAC_OK && info->status != TAC_ERR_UNSOLVED) {
        t->failed++;
        note(t, seed, tac_status_text(info->status), k, 0);
        return 0;
    }
    if (first_nonfinite(s->nx, y) >= 0 || !isfinite(info->residual)) {
        t->nonfinite++;
        note(t, seed, "not finite", k, info->residual);
        return 0;
    }
    if (info->status == TAC_OK) {
        t->worst_ok = fmax(t->worst_ok, residual);
        t->above += residual > TOLERANCE;
        if (residual > TOLERANCE) note(t, seed, "residual above tolerance", k, residual);
    } else {
        t->unsolved++;
        t->worst_unsolved = fmax(t->worst_unsolved, residual);
        note(t, seed, "unsolved", k, residual);
    }
    return 1;
}

/* A solved step of contact ncp against its laws, outside the solver. */
static void judge_laws(StepLaws *laws, uint64_t seed, int k, const double *x, const double *u, const double *y,
                       Totals *t) {
    const char *what = "no forces";
    StepFaults f = {0};
    double worst = HUGE_VAL;
    if (step_laws_forces(laws, x, u)) f = step_laws_judge(laws, x, u, y), worst = step_faults_worst(&f, &what);
    t->judged++;
    t->unlawful += !(worst <= 1);
    step_faults_grow(&t->worst, &f);
    if (!(worst <= 1)) note(t, seed, what, k, worst);
}

/* One world step by step. X: (STEPS + 1) states. -> steps done. */
static int walk(Scene *s, uint64_t seed, const double *U, double *X, Totals *t) {
    tacStepInfo info;
    size_t nx = (size_t)s->nx, nu = (size_t)s->nu;
    int done = STEPS, judged = s->options.contact == TAC_CONTACT_MODEL_NCP;
    StepLaws laws = {0};
    if (judged) laws = step_laws_new(s);
    for (int k = 0; k < STEPS; k++) {
        long before = counted_allocations();
        const double *x = X + (size_t)k * nx, *u = U + (size_t)k * nu;
        double *y = X + (size_t)(k + 1) * nx;
        tac_step(s->sim, x, u, y, &info);
        t->allocations += counted_allocations() - before;
        if (!judge_step(s, seed, k, x, u, y, &info, t)) {
            done = k;
            break;
        }
        if (judged && info.status == TAC_OK && k % JUDGE_EVERY == 0) judge_laws(&laws, seed, k, x, u, y, t);
    }
    if (judged) step_laws_free(&laws);
    return done;
}

static void run_seed(uint64_t seed, tacContactModel contact, const char *path, Totals *t) {
    Scene s = open_model(seed, contact, path);
    size_t nx = (size_t)s.nx, row = (STEPS + 1) * nx, inputs = STEPS * (size_t)s.nu;
    if (s.sim == NULL) {
        t->refused++;
        scene_free(&s);
        return;
    }
    double *one = scene_doubles(row), *two = scene_doubles(WORLDS * row), *U = scene_doubles(WORLDS * inputs);
    for (size_t w = WORLDS; w-- > 0;) { /* ends with the first world in s.x */
        draw_controls(&s, w, U + w * inputs);
        scene_randomize(&s, w);
        memcpy(two + w * row, s.x, nx * sizeof(double));
    }
    memcpy(one, s.x, nx * sizeof(double));
    int done = walk(&s, seed, U, one, t);
    tac_batch_rollout(s.model, &s.options, WORLDS, STEPS, two, U, WORLDS);
    if (memcmp(one, two, (size_t)(done + 1) * nx * sizeof(double)) != 0) {
        t->differing++;
        note(t, seed, "two threads differ from one", 0, 0);
    }
    t->models++;
    free(one), free(two), free(U);
    scene_free(&s);
}

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: %s lcp|ncp|soft FIRST LAST\n", argv[0]), 2;
    tacContactModel contact = scene_contact_named(argv[1]);
    static Totals t;
    char path[] = "/tmp/tactus_random_XXXXXX";
    int handle = mkstemp(path);
    if (handle < 0) return 2;
    close(handle);
    uint64_t first = strtoull(argv[2], NULL, 10), last = strtoull(argv[3], NULL, 10);
    for (uint64_t seed = first; seed <= last; seed++)
        run_seed(seed, contact, path, &t);
    unlink(path);
    printf("{\"models\":%ld,\"steps\":%ld,\"in_contact\":%ld,\"unsolved\":%ld,\"nonfinite\":%ld,"
           "\"above_tolerance\":%ld,\"refused\":%ld,\"failed\":%ld,\"allocations\":%ld,\"counted\":%ld,"
           "\"differing\":%ld,\"worst_ok\":%.3g,\"worst_unsolved\":%.3g,\"judged\":%ld,\"unlawful\":%ld,\"worst\":{",
           t.models, t.steps, t.in_contact, t.unsolved, t.nonfinite, t.above, t.refused, t.failed, t.allocations,
           counted_allocations(), t.differing, t.worst_ok, t.worst_unsolved, t.judged, t.unlawful);
    scene_print(1, "balance", t.worst.balance), scene_print(0, "cone", t.worst.cone);
    scene_print(0, "distance", t.worst.distance), scene_print(0, "overlap", t.worst.overlap);
    scene_print(0, "range", t.worst.range), scene_print(0, "wrench", t.worst.wrench);
    scene_print(0, "friction", t.worst.friction), scene_print(0, "motion", t.worst.motion);
    printf("},\"placed\":%ld,\"lost\":%ld,\"cases\":[", t.worst.placed, t.worst.lost);
    for (int i = 0; i < t.ncase; i++)
        printf("%s%s", i == 0 ? "" : ",", t.text[i]);
    printf("]}\n");
    return t.nonfinite + t.above + t.unlawful + t.allocations + t.differing > 0;
}
