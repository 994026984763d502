/* Linear complementarity with bounds that may move with another row's force (docs/theory/contact.md, L4).
 *
 *   w = A f + b,      lo_i <= f_i <= hi_i,      f_i = lo_i: w_i >= 0,   f_i = hi_i: w_i <= 0,   in between: w_i = 0
 *
 * A row without a parent has the constant bounds low, high (0, INFINITY: a contact's normal or a limit; -INFINITY,
 * INFINITY: an equality). A row with a parent p, which has none itself, is bounded by low f_p and high f_p (friction:
 * -mu, mu); children follow their parent directly. A is positive definite: then there is an answer, and it is found
 * (boxed_path.c). Where it is only semidefinite (redundant rows without compliance) there is one if the rows do not
 * contradict each other.
 *
 * The answer is a function of the problem alone: every method starts from f = 0. */
#pragma once

#include "base/arena.h"
#include "math/scalar.h"
#include "tactus/status.h"

typedef struct tacBoxed {
    int n;
    const double *A;          /* n x n; NULL: not kept, and shift is the whole diagonal */
    const double *b;          /* n */
    const int *parent;        /* n; -1: none */
    const double *low, *high; /* n */
    const double *shift;      /* n: added to A's diagonal; NULL: nothing */
    int symmetric;            /* 1: A is */
    int semidefinite;         /* 1: A may be singular; the answer is sought as a limit of definite problems */
} tacBoxed;

/* Class of a row: the condition that holds. */
typedef enum {
    TAC_ROW_FREE, /* w = 0 (clamping) */
    TAC_ROW_LOW,  /* f at its lower bound (a normal: separating) */
    TAC_ROW_HIGH, /* f at its upper bound */
    TAC_ROW_OFF   /* its parent's force is zero, so its own is: no condition */
} tacRowClass;

/* The method that found the answer. */
typedef enum {
    TAC_BOXED_GUESS,
    TAC_BOXED_PIVOT,
    TAC_BOXED_DANTZIG,
    TAC_BOXED_PATH,
    TAC_BOXED_PROXIMAL,
    TAC_BOXED_SWEEP
} tacBoxedMethod;

typedef struct tacBoxedResult {
    tacBoxedMethod method;
    int solved;      /* 1: residual at rounding; 0: the best found */
    int pivots;      /* systems solved */
    double residual; /* tac_boxed_residual */
} tacBoxedResult;

/* Bytes that tac_boxed_solve takes for n rows. */
size_t tac_boxed_bytes(int n);
/* Problem -> f, w, row_class (n each). Always finite for finite problems. TAC_ERR_ARENA_FULL, or TAC_OK whether solved
 * or not: the result says. */
tacStatus tac_boxed_solve(const tacBoxed *problem, tacArena *arena, double *f, double *w, int *row_class,
                          tacBoxedResult *result);
/* Largest |f_i - P_i(f_i - w_i / A_ii)|, P_i the projection on the row's bounds: in units of f. Needs w = A f + b. */
double tac_boxed_residual(const tacBoxed *problem, const double *f, const double *w);

/* --- The methods, each alone ------------------------------------------------------------------------------------- */

/* A problem's matrix, for methods that only ask for the solution of given classes. */
typedef struct tacBoxedForm {
    void *matrix;
    /* Classes -> the system of the free rows, factored. 0: it is singular. */
    int (*factor)(void *matrix, const int *row_class);
    /* The classes that were factored -> the f that they imply where the problem's vector is b and its constant bounds
     * are scaled by `constant`, and w = A f + b, of which w of free rows is zero to the share `rounding` of the largest
     * force. 0: it is not. */
    int (*answer)(void *matrix, const int *row_class, const double *b, double constant, double rounding, double *f,
                  double *w);
    /* w = A f + b */
    void (*multiply)(void *matrix, const double *f, const double *b, double *w);
    /* D, C -> A with D_i on its diagonal and C_i where row i meets its parent, factored. 0: it is singular. NULL, and
     * the next: not offered. */
    int (*weigh)(void *matrix, const double *D, const double *C);
    /* x <- (that)^-1 x, to some digits */
    void (*respond)(void *matrix, double *x);
} tacBoxedForm;

/* Vectors of these methods. */
typedef struct tacBoxedTrack {
    int *wanted, *best, *mark;       /* n: classes */
    double *wrong;                   /* n: by how much a row breaks its condition */
    double *cover, *slope, *w_slope; /* n: boxed_nearby.c */
    double *z, *y, *dz, *dy;         /* n: boxed_interior.c */
} tacBoxedTrack;
/* Takes the arrays of n rows. 0: the arena is too small. */
int tac_boxed_track_layout(tacBoxedTrack *track, int n, tacArena *arena);

/* Arguments of such a method. */
typedef struct tacBoxedRun {
    const tacBoxed *problem;
    tacBoxedForm form;
    tacBoxedTrack *track;
    double *f, *w;
    int *row_class;
    int *pivots; /* counts systems */
} tacBoxedRun;

/* Scratch of all methods. A method reads either the factored matrix or the table, never both: they share memory. */
typedef struct tacBoxedWork {
    tacBoxedTrack track;
    double *matrix, *rhs, *scratch;      /* n x n, n, n; the matrix lies where the table does */
    int *row, *place, *pivot;            /* n: rows that are free, where a row is among them, exchanges of the factor */
    double *table, *change, *base;       /* n x (n + 2), n + 2, n: boxed_tableau.h */
    double *cover;                       /* n: boxed_path.c */
    double *shift, *near_shift, *near_b; /* n: boxed_proximal.c */
    double *part, *part_row;             /* n x n; 5 n: boxed_part.c */
    int *part_class;                     /* 4 n */
    int free, symmetric;                 /* size of the factored system; 1: by Cholesky */
} tacBoxedWork;
/* Takes the arrays of n rows. 0: the arena is too small. */
int tac_boxed_layout(tacBoxedWork *work, int n, tacArena *arena);

/* A_ii with its shift. */
static inline double tac_boxed_diagonal(const tacBoxed *problem, int i) {
    double a = problem->A == NULL ? 0 : problem->A[(size_t)i * (size_t)problem->n + (size_t)i];
    return problem->shift == NULL ? a : a + problem->shift[i];
}
/* f -> bounds of row i. */
static inline void tac_boxed_bounds(const tacBoxed *problem, const double *f, int i, double *lo, double *hi) {
    int p = problem->parent[i];
    double fp = p < 0 ? 1 : tac_max(f[p], 0);
    *lo = p < 0 ? problem->low[i] : problem->low[i] * fp;
    *hi = p < 0 ? problem->high[i] : problem->high[i] * fp;
}
/* Classes -> the factored system of the free rows, Ahat = A_CC + A_CB E, where bounded rows f_B = E f_C + constants
 * move with their parents. 0: it is singular. */
int tac_boxed_factor(const tacBoxed *problem, const int *row_class, tacBoxedWork *work);
/* x (one number per free row) <- Ahat^-1 x */
void tac_boxed_solve_free(const tacBoxedWork *work, double *x);
/* f_i / f_p (f_i itself where there is no parent) of a row at a bound; 0 for others. */
double tac_boxed_factor_of(const tacBoxed *problem, const int *row_class, int i);
/* w = A f + b */
void tac_boxed_multiply(const tacBoxed *problem, const double *f, double *w);
/* Classes -> the f that they imply, and w. 0: the system of the free rows is singular. */
int tac_boxed_solve_classes(const tacBoxed *problem, const int *row_class, tacBoxedWork *work, double *f, double *w);
/* A run with the dense matrix; dense outlives it. */
typedef struct tacBoxedDense {
    const tacBoxed *problem;
    tacBoxedWork *work;
} tacBoxedDense;
tacBoxedRun tac_boxed_dense_run(tacBoxedDense *dense, double *f, double *w, int *row_class, int *pivots);
/* Classes as any f and w suggest them. */
void tac_boxed_classify(const tacBoxed *problem, const double *f, const double *w, int *row_class);
/* Relative rounding of forces: of a solved system with a condition number up to 1e5 or so, relative to the largest
 * force. */
#define TAC_BOXED_ROUNDING 1e-11
/* Larger forces are close to overflow; no tolerance is relative to them. */
#define TAC_BOXED_MOST_FORCE 1e300
double tac_boxed_tolerance(const tacBoxed *problem, const double *f);
/* The largest force that a row without a parent would have alone: -b_i/A_ii within its bounds. (A row that hardly
 * anything moves has a large b_i/A_ii, but no such force.) */
double tac_boxed_alone(const tacBoxed *problem);
/* The larger of that and the largest force of f. */
double tac_boxed_largest(const tacBoxed *problem, const double *f);

/* `count` sweeps of projected Gauss-Seidel on f; w is A f + b after them. */
void tac_boxed_sweep(const tacBoxed *problem, int count, double *f, double *w);
/* Classes that sweeps from zero reach: until a sweep changes none, or after `most` of them. */
void tac_boxed_guess(const tacBoxed *problem, int most, double *f, int *row_class);
/* Class of row i when its parent becomes free again, with a force of about -w_p/A_pp. */
int tac_boxed_child_class(const tacBoxed *problem, const double *w, int i);
/* Block principal pivoting from the classes given [Judice1994]. Rows that break their condition change class together,
 * as long as their number falls now and then; in the later of the TAC_BOXED_STAGES only those that break it most.
 * patience: rounds in a row that may pass without fewer such rows; 0: every round halves them. -> 1 when all conditions
 * hold; 0: row_class has the classes with the fewest broken. */
#define TAC_BOXED_STAGES   3
#define TAC_BOXED_PATIENCE 6 /* where other methods are expensive */
int tac_boxed_pivot(const tacBoxedRun *run, int stages, int patience);
/* The classes that an interior point method reaches: close to the solution unless friction stops it. 0: a system was
 * singular. Needs: form->weigh. */
int tac_boxed_interior(const tacBoxedRun *run);
/* Classes -> f and w that they imply, clipped to what they allow; cover: what is added to b so that these are the
 * solution. 0: the classes imply none. */
int tac_boxed_cut(const tacBoxedRun *run, double *cover);
/* Most lines of the path from a nearby problem, beside a number that grows with the rows. */
#define TAC_BOXED_NEARBY_LINES 24
/* Follows the solution from that nearby problem to the problem in hand. -> 1 when it gets there. */
int tac_boxed_nearby(const tacBoxedRun *run);
/* Pivoting from the classes given, then the path from a distant problem, on the rows that take part (boxed_part.c). ->
 * 1 when all conditions hold. */
int tac_boxed_part(const tacBoxed *problem, tacBoxedWork *work, double *f, double *w, int *row_class,
                   tacBoxedResult *result);
/* Dantzig's method: rows are added one after another, and the conditions of those before are kept, with bounds
 * that move (Jade IV-B). corrected 0: with the step length for constant bounds, as before that paper. -> 1 when it
 * succeeds. */
int tac_boxed_dantzig(const tacBoxed *problem, tacBoxedWork *work, int corrected, double *f, double *w, int *row_class,
                      int *pivots);
/* Follows the solution from a distant problem where it is known. It gets there where A is positive definite. `way`,
 * below TAC_BOXED_WAYS, numbers the covers, which are tried in turn where rounding spoils one. */
#define TAC_BOXED_WAYS 3
int tac_boxed_path(const tacBoxed *problem, tacBoxedWork *work, int way, double *f, double *w, int *row_class,
                   int *pivots);
/* Cover of row i: t times this is added to b_i on that path. */
double tac_boxed_cover(const tacBoxed *problem, int way, int i);
/* The same path with a system for each line instead of a table of all rows, for problems whose table would be too
 * large. -> 1 when it gets there. */
int tac_boxed_distant(const tacBoxedRun *run, int way);
/* Problems with a semidefinite A, as the limit of definite ones, from the classes given. -> 1 when it gets there. */
int tac_boxed_proximal(const tacBoxed *problem, tacBoxedWork *work, double *f, double *w, int *row_class, int *pivots);
