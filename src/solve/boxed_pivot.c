/* Block principal pivoting. */
#include "solve/boxed.h"

#include "math/scalar.h"

#include <string.h>

/* Fraction of the largest violation above which rows change class, stage by stage. */
static const double SHARES[TAC_BOXED_STAGES] = {0, 0.3, 0.9};

/* Class that a row should have, and its violation (in units of its force) of the condition of its present class. */
typedef struct Wanted {
    int row_class;
    double wrong;
} Wanted;

static Wanted want_free(const tacBoxed *problem, const double *f, int i) {
    double lo, hi;
    tac_boxed_bounds(problem, f, i, &lo, &hi);
    if (f[i] < lo) return (Wanted){TAC_ROW_LOW, lo - f[i]};
    return f[i] > hi ? (Wanted){TAC_ROW_HIGH, f[i] - hi} : (Wanted){TAC_ROW_FREE, 0};
}

static Wanted want_bound(const tacBoxed *problem, const double *w, int i, int row_class) {
    double pull = (row_class == TAC_ROW_LOW ? -w[i] : w[i]) / tac_boxed_diagonal(problem, i); /* > 0: off the bound */
    return pull > 0 ? (Wanted){TAC_ROW_FREE, pull} : (Wanted){row_class, 0};
}

int tac_boxed_child_class(const tacBoxed *problem, const double *w, int i) {
    int p = problem->parent[i];
    double fp = tac_max(-w[p] / tac_boxed_diagonal(problem, p), 0), z = -w[i] / tac_boxed_diagonal(problem, i);
    if (z <= problem->low[i] * fp) return TAC_ROW_LOW;
    return z >= problem->high[i] * fp ? TAC_ROW_HIGH : TAC_ROW_FREE;
}

/* Returns the number of rows whose class should change, with those classes and violations. Violations are scaled by the
 * energy of a unit force. Rows of idle parents do not count. */
static int find_wrong(const tacBoxed *problem, const double *f, const double *w, const int *row_class,
                      tacBoxedTrack *track) {
    double tolerance = tac_boxed_tolerance(problem, f);
    int count = 0;
    for (int i = 0; i < problem->n; i++) {
        int p = problem->parent[i], c = row_class[i];
        track->wanted[i] = c;
        track->wrong[i] = 0;
        if (p >= 0 && row_class[p] != TAC_ROW_FREE) continue;
        if (problem->low[i] == problem->high[i]) { /* no width: its force is right in any class, w names the side */
            track->wanted[i] = w[i] > 0 ? TAC_ROW_LOW : TAC_ROW_HIGH;
            track->wrong[i] = c == TAC_ROW_FREE ? TAC_INFINITY : 0;
            count += c == TAC_ROW_FREE;
            continue;
        }
        Wanted wanted = c == TAC_ROW_FREE ? want_free(problem, f, i) : want_bound(problem, w, i, c);
        if (wanted.wrong <= tolerance) continue;
        track->wanted[i] = wanted.row_class;
        track->wrong[i] = wanted.wrong * tac_sqrt(tac_boxed_diagonal(problem, i));
        count++;
    }
    return count;
}

/* Rows whose violation exceeds the fraction of the largest take the class they want. */
static void change(const tacBoxed *problem, const tacBoxedTrack *track, double share, int *row_class) {
    double most = 0;
    for (int i = 0; i < problem->n; i++)
        if (track->wrong[i] < TAC_INFINITY) most = tac_max(most, track->wrong[i]);
    for (int i = 0; i < problem->n; i++)
        if (track->wrong[i] == 0 || track->wrong[i] >= share * most) row_class[i] = track->wanted[i];
}

/* Children follow their parents: off with them, and back with them. */
static void follow_parents(const tacBoxed *problem, const double *w, int *row_class) {
    for (int i = 0; i < problem->n; i++) {
        int p = problem->parent[i];
        if (p < 0) continue;
        if (row_class[p] != TAC_ROW_FREE)
            row_class[i] = TAC_ROW_OFF;
        else if (row_class[i] == TAC_ROW_OFF)
            row_class[i] = tac_boxed_child_class(problem, w, i);
    }
}

/* Classes -> f, w. 0: there are none. */
static int answer(const tacBoxedRun *run) {
    const tacBoxedForm *form = &run->form;
    return form->factor(form->matrix, run->row_class) &&
           form->answer(form->matrix, run->row_class, run->problem->b, 1, TAC_BOXED_ROUNDING, run->f, run->w);
}

/* Classes that return under the same rule return for ever. The reference classes are renewed after 1, 2, 4, ... rounds,
 * so that a cycle of any length is found [Brent1980]. */
typedef struct Circle {
    int *mark;
    int rounds, next;
} Circle;

static int goes_round(Circle *circle, const int *row_class, size_t bytes) {
    if (circle->rounds > 0 && memcmp(circle->mark, row_class, bytes) == 0) return 1;
    if (circle->rounds++ == circle->next) {
        memcpy(circle->mark, row_class, bytes);
        circle->next *= 2;
    }
    return 0;
}

int tac_boxed_pivot(const tacBoxedRun *run, int stages, int patience) {
    const tacBoxed *problem = run->problem;
    tacBoxedTrack *track = run->track;
    int fewest = problem->n + 1, left = patience, stage = 0;
    size_t bytes = (size_t)problem->n * sizeof *run->row_class;
    memcpy(track->best, run->row_class, bytes);
    memcpy(track->mark, run->row_class, bytes);
    Circle circle = {track->mark, 0, 1};
    while (stage < stages && answer(run)) {
        ++*run->pivots;
        int wrong = find_wrong(problem, run->f, run->w, run->row_class, track);
        if (wrong == 0) {
            memcpy(run->row_class, track->wanted, bytes);
            return 1;
        }
        if (patience == 0 && 3 * wrong > problem->n) break; /* a guess this far off is no start */
        if (patience > 0 ? wrong < fewest : 2 * wrong <= fewest) {
            memcpy(track->best, run->row_class, bytes);
            fewest = wrong;
            left = patience;
            stage = 0;
        } else if (goes_round(&circle, run->row_class, bytes) || --left < 0) {
            left = patience;
            stage++;
            circle = (Circle){track->mark, 0, 1};
        }
        change(problem, track, stage < stages ? SHARES[stage] : 1, run->row_class);
        follow_parents(problem, run->w, run->row_class);
    }
    memcpy(run->row_class, track->best, bytes);
    return 0;
}
