/* Linear complementarity with bounds that may move with another row's force (docs/theory/contact.md, L4).
 *
 *   w = A f + b,      lo_i <= f_i <= hi_i,      f_i = lo_i: w_i >= 0,   f_i = hi_i: w_i <= 0,   in between: w_i = 0
 *
 * A row without a parent has the constant bounds low, high (0, INFINITY: a contact's normal or a limit; -INFINITY,
 * INFINITY: an equality). A row with a parent p is bounded by low f_p and high f_p (friction: -mu, mu). A parent has no
 * parent itself, and its children follow it directly. If A is positive definite, a solution exists and is found
 * (boxed_path.c). If A is only semidefinite (redundant rows without compliance), a solution exists if the rows do not
 * contradict each other.
 *
 * The solution is a function of the problem alone: every method starts from f = 0. */
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
    int symmetric;            /* 1: A is symmetric */
    int semidefinite;         /* 1: A may be singular; the answer is sought as a limit of definite problems */
} tacBoxed;

/* Class of a row: the condition that holds. */
typedef enum {
    TAC_ROW_FREE, /* w = 0 (clamping) */
    TAC_ROW_LOW,  /* f at its lower bound (a normal: separating) */
    TAC_ROW_HIGH, /* f at its upper bound */
    TAC_ROW_OFF   /* its parent's force is zero, so its own is: no condition */
} tacRowClass;

/* The method that found the solution. */
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

/* Bytes of tac_boxed_solve for n rows. */
size_t tac_boxed_bytes(int n);
/* Solves the problem for f, w, row_class (n each). They are finite for finite problems. TAC_ERR_ARENA_FULL, or TAC_OK
 * whether solved or not: the result says. */
tacStatus tac_boxed_solve(const tacBoxed *problem, tacArena *arena, double *f, double *w, int *row_class,
                          tacBoxedResult *result);
/* Largest |f_i - P_i(f_i - w_i / A_ii)|, in units of f. P_i is the projection on the row's bounds. Needs: w = A
 * f + b. */
double tac_boxed_residual(const tacBoxed *problem, const double *f, const double *w);

/* --- The methods, each alone ------------------------------------------------------------------------------------- */

/* A problem's matrix, for methods that only solve for given classes. */
typedef struct tacBoxedForm {
    void *matrix;
    /* Factors the system of the free rows of these classes. 0: it is singular. */
    int (*factor)(void *matrix, const int *row_class);
    /* Computes f of the factored classes, for the vector b and constant bounds scaled by `constant`, and w = A f + b. w
     * of free rows is zero to the share `rounding` of the largest force. 0: it is not. */
    int (*answer)(void *matrix, const int *row_class, const double *b, double constant, double rounding, double *f,
                  double *w);
    /* w = A f + b */
    void (*multiply)(void *matrix, const double *f, const double *b, double *w);
    /* Factors A with D_i added to its diagonal and C_i where row i meets its parent. 0: it is singular. NULL, and the
     * next NULL: not offered. */
    int (*weigh)(void *matrix, const double *D, const double *C);
    /* x <- (that matrix)^-1 x, to some digits */
    void (*respond)(void *matrix, double *x);
} tacBoxedForm;

/* Vectors of these methods. */
typedef struct tacBoxedTrack {
    int *wanted, *best, *mark;       /* n: classes */
    double *wrong;                   /* n: violation of each row's condition */
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

/* Scratch of all methods. A method reads either the factored matrix or the table, never both. They share memory. */
typedef struct tacBoxedWork {
    tacBoxedTrack track;
    double *matrix, *rhs, *scratch;      /* n x n, n, n; the matrix lies where the table does */
    int *row, *place, *pivot;            /* n: free rows, positions of rows among them, exchanges of the factor */
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
/* Factors the system of the free rows, Ahat = A_CC + A_CB E, for given classes. Bounded rows f_B = E f_C + constants
 * move with their parents. 0: it is singular. */
int tac_boxed_factor(const tacBoxed *problem, const int *row_class, tacBoxedWork *work);
/* x (one number per free row) <- Ahat^-1 x */
void tac_boxed_solve_free(const tacBoxedWork *work, double *x);
/* f_i / f_p of a row at a bound (f_i itself without a parent); 0 for other rows. */
double tac_boxed_factor_of(const tacBoxed *problem, const int *row_class, int i);
/* w = A f + b */
void tac_boxed_multiply(const tacBoxed *problem, const double *f, double *w);
/* Computes the f that the classes imply, and w. 0: the system of the free rows is singular. */
int tac_boxed_solve_classes(const tacBoxed *problem, const int *row_class, tacBoxedWork *work, double *f, double *w);
/* A run with the dense matrix; dense outlives it. */
typedef struct tacBoxedDense {
    const tacBoxed *problem;
    tacBoxedWork *work;
} tacBoxedDense;
tacBoxedRun tac_boxed_dense_run(tacBoxedDense *dense, double *f, double *w, int *row_class, int *pivots);
/* Classes that any f and w suggest. */
void tac_boxed_classify(const tacBoxed *problem, const double *f, const double *w, int *row_class);
/* Relative rounding of forces of a solved system, relative to the largest force. It holds for condition numbers up to
 * about 1e5. */
#define TAC_BOXED_ROUNDING 1e-11
/* Larger forces are close to overflow. No tolerance is relative to them. */
#define TAC_BOXED_MOST_FORCE 1e300
double tac_boxed_tolerance(const tacBoxed *problem, const double *f);
/* The largest force that a row without a parent would have alone: -b_i/A_ii within its bounds. (A row that hardly
 * anything moves has a large b_i/A_ii, but no such force.) */
double tac_boxed_alone(const tacBoxed *problem);
/* The larger of that and the largest force of f. */
double tac_boxed_largest(const tacBoxed *problem, const double *f);

/* Runs `count` sweeps of projected Gauss-Seidel on f. w is A f + b after them. */
void tac_boxed_sweep(const tacBoxed *problem, int count, double *f, double *w);
/* Classes that sweeps from zero reach. Ends when a sweep changes none, or after `most` sweeps. */
void tac_boxed_guess(const tacBoxed *problem, int most, double *f, int *row_class);
/* Class of row i when its parent becomes free again, with a force of about -w_p/A_pp. */
int tac_boxed_child_class(const tacBoxed *problem, const double *w, int i);
/* Block principal pivoting from the given classes [Judice1994]. Rows that break their condition change class together,
 * as long as their number falls now and then. In the later TAC_BOXED_STAGES only the worst of them change. patience:
 * limit on consecutive rounds without fewer such rows; 0: every round must halve them. Returns 1 when all conditions
 * hold. 0: row_class has the classes with the fewest broken conditions. */
#define TAC_BOXED_STAGES   3
#define TAC_BOXED_PATIENCE 6 /* where other methods are expensive */
int tac_boxed_pivot(const tacBoxedRun *run, int stages, int patience);
/* The classes that an interior point method reaches. They are close to the solution unless friction stops it. 0: a
 * system was singular. Needs: form->weigh. */
int tac_boxed_interior(const tacBoxedRun *run);
/* Computes f and w of the classes, clipped to their conditions. These solve the problem with cover added to b. 0: the
 * classes imply no f. */
int tac_boxed_cut(const tacBoxedRun *run, double *cover);
/* Limit on the lines of the path from a nearby problem, besides a number that grows with the rows. */
#define TAC_BOXED_NEARBY_LINES 24
/* Follows the solution from that nearby problem to this problem. Returns 1 when it gets there. */
int tac_boxed_nearby(const tacBoxedRun *run);
/* Pivoting from the given classes, then the path from a distant problem, on the rows that take part (boxed_part.c).
 * Returns 1 when all conditions hold. */
int tac_boxed_part(const tacBoxed *problem, tacBoxedWork *work, double *f, double *w, int *row_class,
                   tacBoxedResult *result);
/* Dantzig's method. It adds rows one after another and keeps the conditions of those before, with moving bounds (Jade
 * IV-B). corrected 0: uses the step length for constant bounds, as before that paper. Returns 1 on success. */
int tac_boxed_dantzig(const tacBoxed *problem, tacBoxedWork *work, int corrected, double *f, double *w, int *row_class,
                      int *pivots);
/* Follows the solution from a distant problem with a known solution. It gets there if A is positive definite. `way`,
 * below TAC_BOXED_WAYS, numbers the covers. They are tried in turn if rounding spoils one. */
#define TAC_BOXED_WAYS 3
int tac_boxed_path(const tacBoxed *problem, tacBoxedWork *work, int way, double *f, double *w, int *row_class,
                   int *pivots);
/* Cover of row i. On that path the problem at t has b_i + t cover_i. */
double tac_boxed_cover(const tacBoxed *problem, int way, int i);
/* The same path with a system for each line instead of a table of all rows, for problems whose table would be too
 * large. Returns 1 when it gets there. */
int tac_boxed_distant(const tacBoxedRun *run, int way);
/* Solves a problem with a semidefinite A as the limit of definite ones, from the given classes. Returns 1 on
 * success. */
int tac_boxed_proximal(const tacBoxed *problem, tacBoxedWork *work, double *f, double *w, int *row_class, int *pivots);
