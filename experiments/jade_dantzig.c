/* Jade, IV-B: Dantzig's method with the step length that takes friction bounds for constant fails on some frictional
 * problems; with the bounds that move, and what follows it in our solver, all are solved.
 *
 * Problems are of rigid bodies: contacts at random places of random bodies, with each other and with the world,
 *   w = A f + b,   A = J M^-1 J^T + eps,   b = J v,
 * a normal and two friction directions each. Every answer is judged by its conditions, recomputed here. */
#include "experiments/experiment.h"
#include "experiments/plot.h"

#include "math/vec3.h"
#include "solve/boxed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 4, DOFS = 6 * BODIES, LEAST_CONTACTS = 2, CONTACTS = 16, ROWS = 3 * CONTACTS };
enum { SIZES = CONTACTS - LEAST_CONTACTS + 1 };
/* Problems wanted on which the uncorrected step length fails, and problems drawn at most. */
enum { WANTED = 1000, MOST = 200000 };
/* An answer counts when no condition is broken by more than this part of the largest force. */
#define BAR_SOLVED 1e-10
/* Compliance of a row, relative to its own stiffness: as in our steps. */
#define COMPLIANCE 1e-5

typedef enum { UNCORRECTED, CORRECTED, WHOLE, METHODS } Method;
static const char *const METHOD_NAMES[METHODS] = {"uncorrected step length", "corrected step length", "whole solver"};

typedef struct Problem {
    tacBoxed boxed;
    double A[ROWS * ROWS], b[ROWS], low[ROWS], high[ROWS], f[ROWS], w[ROWS];
    int parent[ROWS], row_class[ROWS];
} Problem;

/* Problems by number of contacts. */
typedef struct Tally {
    int drawn[SIZES], failed[METHODS][SIZES];
    int failing;         /* problems on which the uncorrected step length fails */
    int solved[METHODS]; /* of those */
    double worst;        /* largest violation of the whole solver on those */
} Tally;

/* --- Drawing a problem ------------------------------------------------------------------------------------------- */

typedef struct Draw {
    uint64_t seed, next;
} Draw;

static double uniform(Draw *d, double low, double high) {
    return low + (high - low) * tac_random_uniform(d->seed, 0, d->next++);
}

static int whole(Draw *d, int low, int high) { return low + (int)uniform(d, 0, high - low + 1); }

static tacVec3 direction(Draw *d) {
    tacVec3 v;
    double n;
    do {
        v = (tacVec3){uniform(d, -1, 1), uniform(d, -1, 1), uniform(d, -1, 1)};
        n = tac_dot3(v, v);
    } while (n > 1 || n < 1e-4);
    return tac_scale3(1 / sqrt(n), v);
}

/* Row of J for motion along `axis` of a point at r from the centre of body `id` (the world: none), signed. */
static void add_body(double *row, int id, double sign, tacVec3 r, tacVec3 axis) {
    if (id == BODIES) return;
    tacVec3 turn = tac_cross3(r, axis);
    const double part[6] = {axis.x, axis.y, axis.z, turn.x, turn.y, turn.z};
    for (int k = 0; k < 6; k++)
        row[6 * id + k] += sign * part[k];
}

static void draw_contact(Draw *d, double (*J)[DOFS]) {
    int one = whole(d, 0, BODIES - 1), other = (one + whole(d, 1, BODIES)) % (BODIES + 1);
    tacVec3 r1 = tac_scale3(0.5, direction(d)), r2 = tac_scale3(0.5, direction(d)), axis[3];
    axis[0] = direction(d);
    tacVec3 across = tac_cross3(axis[0], direction(d));
    axis[1] = tac_scale3(1 / sqrt(tac_dot3(across, across)), across);
    axis[2] = tac_cross3(axis[0], axis[1]);
    for (int k = 0; k < 3; k++) {
        memset(J[k], 0, sizeof J[k]);
        add_body(J[k], one, 1, r1, axis[k]);
        add_body(J[k], other, -1, r2, axis[k]);
    }
}

/* A and b of n rows on bodies of masses `weight` (1/M, diagonal) that move with v. */
static void assemble(Problem *p, int n, double (*J)[DOFS], const double *weight, const double *v) {
    for (int i = 0; i < n; i++) {
        p->b[i] = 0;
        for (int d = 0; d < DOFS; d++)
            p->b[i] += J[i][d] * v[d];
        for (int j = 0; j < n; j++) {
            double a = 0;
            for (int d = 0; d < DOFS; d++)
                a += J[i][d] * weight[d] * J[j][d];
            p->A[i * n + j] = i == j ? a * (1 + COMPLIANCE) : a;
        }
    }
}

static void draw_problem(uint64_t seed, int contacts, Problem *p) {
    Draw d = {.seed = seed};
    double J[ROWS][DOFS], weight[DOFS], v[DOFS], mu = uniform(&d, 0.1, 1.2);
    int n = 3 * contacts;
    for (int body = 0; body < BODIES; body++) {
        double mass = uniform(&d, 0.5, 5);
        for (int k = 0; k < 6; k++) {
            weight[6 * body + k] = k < 3 ? 1 / mass : 1 / (mass * uniform(&d, 0.05, 0.2));
            v[6 * body + k] = uniform(&d, -1, 1);
        }
    }
    for (int c = 0; c < contacts; c++)
        draw_contact(&d, &J[3 * c]);
    assemble(p, n, J, weight, v);
    for (int i = 0; i < n; i++) {
        p->parent[i] = i % 3 == 0 ? -1 : i - i % 3;
        p->low[i] = i % 3 == 0 ? 0 : -mu;
        p->high[i] = i % 3 == 0 ? (double)INFINITY : mu;
    }
    p->boxed =
        (tacBoxed){.n = n, .A = p->A, .b = p->b, .parent = p->parent, .low = p->low, .high = p->high, .symmetric = 1};
}

/* --- Solving and judging ----------------------------------------------------------------------------------------- */

/* Largest violation of bounds and complementarity by f alone, in units of the largest force: |f_i - P_i(f_i -
 * w_i/A_ii)| with w = A f + b, P_i the projection on the bounds, which follow the normal's force. */
static double violation(const Problem *p) {
    int n = p->boxed.n;
    double worst = 0, largest = 0;
    for (int i = 0; i < n; i++) {
        double w = p->b[i], bound = p->parent[i] < 0 ? 1 : fmax(p->f[p->parent[i]], 0);
        for (int j = 0; j < n; j++)
            w += p->A[i * n + j] * p->f[j];
        double wish = p->f[i] - w / p->A[i * n + i];
        double r = fabs(p->f[i] - fmin(fmax(wish, p->low[i] * bound), p->high[i] * bound));
        largest = fmax(largest, fmax(fabs(p->f[i]), fabs(p->b[i]) / p->A[i * n + i]));
        if (!(r <= worst)) worst = r;
    }
    return worst / largest;
}

/* 1: the method goes through and its answer is one. */
static int solves(Problem *p, Method method, void *memory, size_t bytes) {
    tacArena arena;
    tacBoxedWork work;
    tacBoxedResult result;
    int pivots = 0;
    tac_arena_init(&arena, memory, bytes);
    memset(p->f, 0, sizeof p->f);
    if (method == WHOLE)
        return tac_boxed_solve(&p->boxed, &arena, p->f, p->w, p->row_class, &result) == TAC_OK && result.solved &&
               violation(p) <= BAR_SOLVED;
    return tac_boxed_layout(&work, p->boxed.n, &arena) &&
           tac_boxed_dantzig(&p->boxed, &work, method == CORRECTED, p->f, p->w, p->row_class, &pivots) &&
           violation(p) <= BAR_SOLVED;
}

static void try_problem(Problem *p, int size, void *memory, size_t bytes, Tally *tally) {
    int good[METHODS];
    for (int method = 0; method < METHODS; method++)
        good[method] = solves(p, (Method)method, memory, bytes);
    tally->drawn[size]++;
    for (int method = 0; method < METHODS; method++)
        tally->failed[method][size] += !good[method];
    if (good[UNCORRECTED]) return;
    tally->failing++;
    for (int method = 0; method < METHODS; method++)
        tally->solved[method] += good[method];
    tally->worst = fmax(tally->worst, violation(p)); /* f is the whole solver's */
}

/* --- What came out ----------------------------------------------------------------------------------------------- */

static void draw_shares(FILE *file, const Tally *t) {
    static const char *const colour[METHODS] = {"bad", "two", "own"};
    double contacts[SIZES], share[SIZES];
    tacPlot plot = {.file = file,
                    .title = "Dantzig's method on random frictional problems",
                    .subtitle = "share of problems that are not solved, by number of contacts",
                    .x0 = LEAST_CONTACTS,
                    .x1 = CONTACTS,
                    .y1 = 1,
                    .nkey = METHODS};
    plot_begin(&plot);
    plot_axes(&plot, "contacts", "not solved");
    for (int method = 0; method < METHODS; method++) {
        for (int i = 0; i < SIZES; i++) {
            contacts[i] = LEAST_CONTACTS + i;
            share[i] = t->drawn[i] > 0 ? (double)t->failed[method][i] / t->drawn[i] : 0;
        }
        plot_curve(&plot, colour[method], SIZES, contacts, share);
        plot_key(&plot, colour[method], "%s", METHOD_NAMES[method]);
    }
    plot_end(&plot);
}

static int report(tacFindings *found, const Tally *t) {
    int drawn = 0;
    for (int i = 0; i < SIZES; i++)
        drawn += t->drawn[i];
    json_object_set_new(found->paper, "claim", json_string("the uncorrected step length sometimes fails"));
    json_object_set_new(found->tactus, "problems", json_integer(drawn));
    json_object_set_new(found->tactus, "uncorrected_fails", json_integer(t->failing));
    json_object_set_new(found->tactus, "of_those_solved_by_corrected", json_integer(t->solved[CORRECTED]));
    json_object_set_new(found->tactus, "of_those_solved", json_integer(t->solved[WHOLE]));
    experiment_put(found, found->tactus, "worst_violation", t->worst);
    experiment_say(found, "  %d problems of %d to %d contacts drawn; the uncorrected step length fails on %d", drawn,
                   LEAST_CONTACTS, CONTACTS, t->failing);
    experiment_say(found, "  of those the corrected one alone solves %d, the whole solver %d; worst violation %.1e",
                   t->solved[CORRECTED], t->solved[WHOLE], t->worst);
    found->pass = t->failing >= WANTED && t->solved[WHOLE] == t->failing;
    if (found->picture != NULL) draw_shares(found->picture, t);
    return EXPERIMENT_GO_ON;
}

int jade_dantzig(tacFindings *found) {
    size_t bytes = tac_arena_round(tac_boxed_bytes(ROWS));
    void *memory = aligned_alloc(TAC_ARENA_ALIGN, bytes);
    Problem *problem = malloc(sizeof *problem);
    Tally tally = {.failing = 0};
    int result = memory != NULL && problem != NULL ? EXPERIMENT_GO_ON : experiment_fail(found, "out of memory");
    for (int k = 0; k < MOST && tally.failing < WANTED && result == EXPERIMENT_GO_ON; k++) {
        measure_progress_show(&found->progress, tally.failing, WANTED);
        draw_problem((uint64_t)k, LEAST_CONTACTS + k % SIZES, problem);
        try_problem(problem, k % SIZES, memory, bytes, &tally);
    }
    free(memory);
    free(problem);
    return result == EXPERIMENT_GO_ON ? report(found, &tally) : result;
}
