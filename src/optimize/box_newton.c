/* Projected Newton over a box [Bertsekas1982]: coordinates at a bound with the
 * gradient against it are held, the others take a Newton step, and the step is
 * projected on the box in a line search. */
#include "optimize/box_newton.h"

#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

enum { MOST_STEPS = 100, MOST_HALVINGS = 40 };
#define SUFFICIENT 0.1
/* A free gradient this small against the numbers it is the sum of is rounding.
 */
#define ROUNDING 1e-14

typedef struct Scratch {
    double *gradient, *step, *trial, *scale;
} Scratch;

static int layout(Scratch *s, int n, tacArena *arena) {
    s->gradient = TAC_TAKE(arena, n, double);
    s->step = TAC_TAKE(arena, n, double);
    s->trial = TAC_TAKE(arena, n, double);
    s->scale = TAC_TAKE(arena, n, double);
    return s->scale != NULL;
}

void tac_box_newton_measure(int n, tacArena *dry) {
    Scratch s;
    TAC_SCOPE(dry);
    layout(&s, n, dry);
}

/* gradient = g + H x, and the size of the numbers in each of its sums */
static void find_gradient(const tacBox *b, const double *x, Scratch *s) {
    for (int i = 0; i < b->n; i++) {
        const double *row = b->H + (size_t)i * (size_t)b->n;
        double sum = b->g[i], size = tac_abs(sum);
        for (int j = 0; j < b->n; j++) {
            sum += row[j] * x[j];
            size += tac_abs(row[j] * x[j]);
        }
        s->gradient[i] = sum;
        s->scale[i] = size;
    }
}

/* Which are free; 1: others than before. */
static int find_free(tacBox *b, const Scratch *s) {
    int changed = 0, n = 0;
    for (int i = 0; i < b->n; i++) {
        int held = (b->x[i] <= b->low[i] && s->gradient[i] > 0) || (b->x[i] >= b->high[i] && s->gradient[i] < 0) ||
                   b->low[i] == b->high[i];
        changed |= b->free[i] != !held;
        b->free[i] = !held;
        n += !held;
    }
    b->nfree = n;
    return changed;
}

static int factor(tacBox *b) {
    int row = 0;
    for (int i = 0; i < b->n; i++) {
        if (!b->free[i]) continue;
        for (int j = 0, column = 0; j <= i; j++)
            if (b->free[j]) b->L[row * b->nfree + column++] = b->H[(size_t)i * (size_t)b->n + (size_t)j];
        row++;
    }
    return tac_cholesky_factor(b->nfree, b->L) < 0;
}

/* The Newton step of the free ones; 0: the gradient there is rounding. */
static int find_step(const tacBox *b, Scratch *s) {
    int k = 0, any = 0;
    for (int i = 0; i < b->n; i++)
        if (b->free[i]) {
            any |= tac_abs(s->gradient[i]) > ROUNDING * s->scale[i];
            s->trial[k++] = -s->gradient[i];
        }
    if (!any) return 0;
    tac_cholesky_solve(b->nfree, b->L, s->trial);
    k = 0;
    for (int i = 0; i < b->n; i++)
        s->step[i] = b->free[i] ? s->trial[k++] : 0;
    return 1;
}

/* Change of the objective from x to trial, and its slope along the projected
 * step. */
static double change_to(const tacBox *b, const Scratch *s, double *slope) {
    double sum = 0;
    *slope = 0;
    for (int i = 0; i < b->n; i++) {
        double d = s->trial[i] - b->x[i], force = s->gradient[i];
        const double *row = b->H + (size_t)i * (size_t)b->n;
        *slope += force * d;
        for (int j = 0; j < b->n; j++)
            force += 0.5 * row[j] * (s->trial[j] - b->x[j]);
        sum += force * d;
    }
    return sum;
}

/* Takes the longest step of 1, 1/2, ... that lowers the objective; 0: none
 * does. */
static int take_step(tacBox *b, Scratch *s) {
    double length = 1;
    for (int t = 0; t < MOST_HALVINGS; t++, length *= 0.5) {
        double slope;
        for (int i = 0; i < b->n; i++)
            s->trial[i] = tac_clamp(b->x[i] + length * s->step[i], b->low[i], b->high[i]);
        double change = change_to(b, s, &slope);
        if (slope < 0 && change <= SUFFICIENT * slope) {
            memcpy(b->x, s->trial, (size_t)b->n * sizeof *b->x);
            return 1;
        }
    }
    return 0;
}

int tac_box_newton(tacBox *b, tacArena *arena) {
    Scratch s;
    TAC_SCOPE(arena);
    if (!layout(&s, b->n, arena)) return 0;
    for (int i = 0; i < b->n; i++) {
        b->x[i] = tac_clamp(b->x[i], b->low[i], b->high[i]);
        b->free[i] = -1;
    }
    for (b->iterations = 0; b->iterations < MOST_STEPS; b->iterations++) {
        find_gradient(b, b->x, &s);
        if (find_free(b, &s) && !factor(b)) return 0;
        if (b->nfree == 0 || !find_step(b, &s) || !take_step(b, &s)) break;
    }
    return 1;
}
