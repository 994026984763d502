/* evidence_adaptive_drops FIRST LAST MODEL...: a model is dropped, or swings against its limits, for SPAN seconds from
 * random states of these numbers, in which nothing overlaps: the derivative of the end along a random direction, beside
 * centred differences at a finer tolerance, where contact or a limit begins on the way. A JSON line for each model:
 *   {"model":path, "drops":n, "onsets":n, "compared":n, "within":n, "kinked":n, "grazing":n, "failed":n,
 *    "endless":n, "worst":e, "median":e, "cases":[[number, error], ...]}
 * compared: those with an onset, without ties and switches (kinked), whose graze_margin exceeds what the stencil moves
 * (grazing: it does not); of them, what is within 1e-4. endless: onsets without an end, TAC_ERR_EVENTS. */
#include "adaptive_scene.h"
#include "measure/step_column.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPAN       0.2 /* s */
#define OUTER      0.02
#define TOL        1e-10
#define FINE       1e-13
#define WIDTH      2e-6 /* of the outer differences; the inner ones have half of it */
#define TOL_SLOPE  1e-4
#define ANGLE      0.3 /* rad, m: of joints about the start */
#define SPEED      0.5
#define SWING      3.0 /* rad/s: of what does not fall */
#define FALL_SPEED 1.0 /* m/s */
#define LEAST_GAP  0.01
#define MOST_GAP   0.06
#define WEAKLY     0.1 /* the share of its control: it falls, and does not fold into itself */
enum { STEPS = 10, STREAM = 41, MOST_CASES = 12, HALVINGS = 40, MOST_CONTACTS = 1024, MOST_DRAWS = 1000 };

typedef struct Drops {
    int drops, onsets, compared, within, kinked, grazing, failed, endless, ncase;
    double *errors, cases[MOST_CASES][2];
} Drops;

/* One drop: where it starts, its direction, and room. */
typedef struct Drop {
    Scene s, fine; /* for the derivative, for differences */
    double *x, *direction, *push, *work, *end, *difference, *moved;
} Drop;

/* --- The start ------------------------------------------------------------------------------------------------- */

static int is_free(const tacModel *m) { return m->njnt > 0 && m->joint_type[0] == TAC_JOINT_FREE; }

/* 1: something is nearer to the world than its margin; else, anything to anything. */
static int touches(Scene *s, int world) {
    static tacContact found[MOST_CONTACTS];
    int n = 0;
    if (tac_contacts(s->sim, s->x, s->u, found, MOST_CONTACTS, &n) != TAC_OK) return 1;
    for (int i = 0; i < n; i++)
        if (!world || s->model->geom_body[found[i].geom[0]] == 0 || s->model->geom_body[found[i].geom[1]] == 0)
            return 1;
    return 0;
}

/* Its height, so that the lowest point is `gap` over what is below. */
static void lift(Scene *s, double gap) {
    double low = s->x[2] - 3, high = s->x[2] + 3;
    for (int i = 0; i < HALVINGS; i++) {
        s->x[2] = (low + high) / 2;
        if (touches(s, 1))
            low = s->x[2];
        else
            high = s->x[2];
    }
    s->x[2] = high + gap;
}

/* In the middle of its range where a joint has one, else at its start; a little off, and moving. */
static void draw_once(Scene *s, uint64_t number) {
    const tacModel *m = s->model;
    double *d = scene_doubles((size_t)m->nv), *v = s->x + m->nq;
    tac_default_state(m, s->x);
    if (m->nkey > 0) memcpy(s->x, m->key_qpos, (size_t)m->nq * sizeof(double));
    for (int i = 0; i < m->nv; i++) {
        d[i] = ANGLE * tac_random_normal(STREAM, number, (uint64_t)i);
        v[i] = (is_free(m) ? SPEED : SWING) * tac_random_normal(STREAM, number, (uint64_t)(m->nv + i));
    }
    for (int i = 0; i < m->nu; i++)
        s->u[i] = WEAKLY * scene_control(s, STREAM + 2, number, i);
    tac_qpos_add(m, s->x, d, s->x);
    if (is_free(m)) {
        lift(s, LEAST_GAP + (MOST_GAP - LEAST_GAP) * tac_random_uniform(STREAM, number, (uint64_t)(2 * m->nv)));
        v[2] -= FALL_SPEED;
    }
    free(d);
}

/* The first draw of this number where nothing overlaps. */
static void draw_start(Scene *s, uint64_t number) {
    for (uint64_t attempt = 0; attempt < MOST_DRAWS; attempt++) {
        draw_once(s, number + (attempt << 32));
        if (!touches(s, 0)) return;
    }
}

static void draw_direction(Drop *d, uint64_t number) {
    int ndx = tac_ndx(d->s.model);
    double sum = 0;
    for (int i = 0; i < ndx; i++) {
        d->direction[i] = tac_random_normal(STREAM + 1, number, (uint64_t)i);
        sum += d->direction[i] * d->direction[i];
    }
    for (int i = 0; i < ndx; i++)
        d->direction[i] /= sqrt(sum);
}

/* --- Beside differences ---------------------------------------------------------------------------------------- */

/* d->moved: the end from the start moved by t along the direction, as a displacement from d->end. */
static tacStatus end_from(Drop *d, double t) {
    Scene *s = &d->fine;
    const tacModel *m = s->model;
    int nv = m->nv;
    for (int i = 0; i < nv; i++)
        d->moved[i] = t * d->direction[i];
    tac_qpos_add(m, d->x, d->moved, s->x);
    for (int i = 0; i < nv + m->na; i++)
        s->x[m->nq + i] = d->x[m->nq + i] + t * d->direction[nv + i];
    tacStatus status = adaptive_move(s, STEPS, NULL);
    measure_state_difference(m, s->x, d->end, d->moved);
    return status;
}

/* Centred, of two widths, extrapolated: to the fourth order. */
static tacStatus differentiate(Drop *d) {
    static const double at[4] = {WIDTH, -WIDTH, WIDTH / 2, -WIDTH / 2};
    static const double weight[4] = {-1. / 6, 1. / 6, 4. / 3, -4. / 3}; /* over WIDTH */
    int ndx = tac_ndx(d->s.model);
    memset(d->difference, 0, (size_t)ndx * sizeof(double));
    for (int k = 0; k < 4; k++) {
        tacStatus status = end_from(d, at[k]);
        if (status != TAC_OK) return status;
        for (int i = 0; i < ndx; i++)
            d->difference[i] += weight[k] / WIDTH * d->moved[i];
    }
    return TAC_OK;
}

static void note_error(Drops *found, uint64_t number, double error) {
    found->errors[found->compared++] = error;
    found->within += error <= TOL_SLOPE;
    if (error <= TOL_SLOPE || found->ncase >= MOST_CASES) return;
    found->cases[found->ncase][0] = (double)number;
    found->cases[found->ncase++][1] = error;
}

static void run_drop(Drop *d, uint64_t number, Drops *found) {
    AdaptiveReport r = adaptive_report();
    int ndx = tac_ndx(d->s.model);
    double largest;
    draw_start(&d->s, number);
    draw_direction(d, number);
    memcpy(d->x, d->s.x, (size_t)d->s.nx * sizeof(double));
    memcpy(d->fine.u, d->s.u, (size_t)d->s.nu * sizeof(double));
    memcpy(d->push, d->direction, (size_t)ndx * sizeof(double));
    tacStatus status = adaptive_push(&d->s, STEPS, d->push, &largest, d->work, &r);
    found->drops++;
    if (status == TAC_OK && r.events == 0) return;
    found->onsets += status == TAC_OK;
    if (status == TAC_OK && (r.ties > 0 || r.switches > 0)) {
        found->kinked++;
        return;
    }
    if (status == TAC_OK && r.graze_margin <= WIDTH * largest) {
        found->grazing++;
        return;
    }
    memcpy(d->end, d->s.x, (size_t)d->s.nx * sizeof(double));
    if (status == TAC_OK) status = differentiate(d);
    found->endless += status == TAC_ERR_EVENTS;
    found->failed += status != TAC_OK && status != TAC_ERR_EVENTS;
    if (status == TAC_OK) note_error(found, number, relative_error(ndx, d->push, d->difference));
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_drops(const char *path, Drops *f) {
    qsort(f->errors, (size_t)f->compared, sizeof *f->errors, ascending);
    printf("{\"model\":\"%s\",\"drops\":%d,\"onsets\":%d,\"compared\":%d,\"within\":%d,\"kinked\":%d,\"grazing\":%d,"
           "\"failed\":%d,\"endless\":%d",
           path, f->drops, f->onsets, f->compared, f->within, f->kinked, f->grazing, f->failed, f->endless);
    scene_print(0, "worst", f->compared > 0 ? f->errors[f->compared - 1] : 0);
    scene_print(0, "median", f->compared > 0 ? f->errors[f->compared / 2] : 0);
    printf(",\"cases\":[");
    for (int i = 0; i < f->ncase; i++)
        printf("%s[%.0f,%.2g]", i == 0 ? "" : ",", f->cases[i][0], isfinite(f->cases[i][1]) ? f->cases[i][1] : -1);
    printf("]}\n");
    fflush(stdout);
}

static void run_model(const char *path, uint64_t first, uint64_t last) {
    Drop d = {.s = adaptive_scene_load(path, TAC_INTEGRATOR_TSIT5, OUTER, TOL),
              .fine = adaptive_scene_load(path, TAC_INTEGRATOR_TSIT5, OUTER, FINE)};
    size_t ndx = (size_t)tac_ndx(d.s.model), nx = (size_t)d.s.nx;
    double **arrays[] = {&d.direction, &d.push, &d.difference, &d.moved, &d.x, &d.end};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = scene_doubles(nx > ndx ? nx : ndx);
    d.work = scene_doubles(ndx * (ndx + 1));
    Drops found = {.errors = scene_doubles((size_t)(last - first + 1))};
    for (uint64_t number = first; number <= last; number++)
        run_drop(&d, number, &found);
    print_drops(path, &found);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(*arrays[i]);
    free(d.work);
    free(found.errors);
    scene_free(&d.s);
    scene_free(&d.fine);
}

int main(int argc, char **argv) {
    if (argc < 4) return fprintf(stderr, "usage: %s FIRST LAST MODEL...\n", argv[0]), 2;
    for (int i = 3; i < argc; i++)
        run_model(argv[i], strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10));
    return 0;
}
