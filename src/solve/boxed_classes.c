/* Forces from classes: one linear system. */
#include "solve/boxed.h"

#include "math/dense.h"

double tac_boxed_factor_of(const tacBoxed *problem, const int *row_class, int i) {
    if (row_class[i] == TAC_ROW_LOW) return problem->low[i];
    return row_class[i] == TAC_ROW_HIGH ? problem->high[i] : 0;
}

void tac_boxed_multiply(const tacBoxed *problem, const double *f, double *w) {
    tac_dense_mulv(problem->n, problem->n, problem->A, f, w);
    for (int i = 0; i < problem->n; i++)
        w[i] += problem->b[i] + (problem->shift == NULL ? 0 : problem->shift[i] * f[i]);
}

/* Free rows are numbered in order. */
static void number_free(const tacBoxed *problem, const int *row_class, tacBoxedWork *work) {
    work->free = 0;
    for (int i = 0; i < problem->n; i++) {
        work->place[i] = -1;
        if (row_class[i] == TAC_ROW_FREE) {
            work->place[i] = work->free;
            work->row[work->free++] = i;
        }
    }
}

/* Ahat = A_CC, with the columns of bounded rows added to those of their parents. */
static void assemble(const tacBoxed *problem, const int *row_class, tacBoxedWork *work) {
    int n = problem->n, m = work->free;
    for (int k = 0; k < m; k++) {
        const double *A = problem->A + (size_t)work->row[k] * (size_t)n;
        for (int l = 0; l < m; l++)
            work->matrix[(size_t)k * (size_t)m + (size_t)l] = A[work->row[l]];
        work->matrix[(size_t)k * (size_t)m + (size_t)k] = tac_boxed_diagonal(problem, work->row[k]);
    }
    work->symmetric = problem->symmetric;
    for (int i = 0; i < n; i++) {
        int p = problem->parent[i];
        double e = tac_boxed_factor_of(problem, row_class, i);
        if (p < 0 || e == 0 || work->place[p] < 0) continue;
        work->symmetric = 0;
        for (int k = 0; k < m; k++)
            work->matrix[(size_t)k * (size_t)m + (size_t)work->place[p]] +=
                problem->A[(size_t)work->row[k] * (size_t)n + (size_t)i] * e;
    }
}

int tac_boxed_factor(const tacBoxed *problem, const int *row_class, tacBoxedWork *work) {
    number_free(problem, row_class, work);
    assemble(problem, row_class, work);
    if (work->symmetric) return tac_cholesky_factor(work->free, work->matrix) < 0;
    return tac_lu_factor(work->free, work->matrix, work->pivot, work->scratch) < 0;
}

void tac_boxed_solve_free(const tacBoxedWork *work, double *x) {
    if (work->symmetric)
        tac_cholesky_solve(work->free, work->matrix, x);
    else
        tac_lu_solve(work->free, work->matrix, work->pivot, x);
}

/* f_C = -Ahat^-1 (b_C + A_CB constants) */
static void answer_classes(const tacBoxed *problem, const int *row_class, const double *b, double constant,
                           tacBoxedWork *work, double *f) {
    int n = problem->n;
    for (int k = 0; k < work->free; k++)
        work->rhs[k] = -b[work->row[k]];
    for (int i = 0; i < n; i++) {
        double e = constant * tac_boxed_factor_of(problem, row_class, i);
        if (problem->parent[i] >= 0 || e == 0) continue;
        for (int k = 0; k < work->free; k++)
            work->rhs[k] -= problem->A[(size_t)work->row[k] * (size_t)n + (size_t)i] * e;
    }
    tac_boxed_solve_free(work, work->rhs);
    for (int i = 0; i < n; i++) {
        int p = problem->parent[i];
        double e = tac_boxed_factor_of(problem, row_class, i);
        f[i] = work->place[i] >= 0 ? work->rhs[work->place[i]] : p >= 0 ? e * f[p] : constant * e;
    }
}

int tac_boxed_solve_classes(const tacBoxed *problem, const int *row_class, tacBoxedWork *work, double *f, double *w) {
    if (!tac_boxed_factor(problem, row_class, work)) return 0;
    answer_classes(problem, row_class, problem->b, 1, work, f);
    tac_boxed_multiply(problem, f, w);
    return 1;
}

/* --- As a form ---------------------------------------------------------------------------------------------------- */

static int factor_dense(void *matrix, const int *row_class) {
    tacBoxedDense *dense = matrix;
    return tac_boxed_factor(dense->problem, row_class, dense->work);
}

static void multiply_dense(void *matrix, const double *f, const double *b, double *w) {
    tacBoxedDense *dense = matrix;
    tacBoxed problem = *dense->problem;
    problem.b = b;
    tac_boxed_multiply(&problem, f, w);
}

static int answer_dense(void *matrix, const int *row_class, const double *b, double constant, double rounding,
                        double *f, double *w) {
    tacBoxedDense *dense = matrix;
    (void)rounding;
    answer_classes(dense->problem, row_class, b, constant, dense->work, f);
    multiply_dense(matrix, f, b, w);
    return 1;
}

tacBoxedRun tac_boxed_dense_run(tacBoxedDense *dense, double *f, double *w, int *row_class, int *pivots) {
    tacBoxedForm form = {dense, factor_dense, answer_dense, multiply_dense, NULL, NULL};
    return (tacBoxedRun){dense->problem, form, &dense->work->track, f, w, row_class, pivots};
}
