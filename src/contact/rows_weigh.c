/* Rows weighed by the inertia, Y = D^-1/2 L^-T J^T with M = L^T D L, and their products J M^-1 J^T = Y Y^T.
 *
 * The rows of one contact have the same dofs and are processed three at a time. Each number is read once, and no sum
 * waits for itself. */
#include "contact/rows.h"

#include "math/scalar.h"

/* Up to three consecutive rows of one contact. The last one replaces those missing. */
typedef struct Trio {
    int count, num; /* rows; numbers in each */
    int adr[3];
} Trio;

/* The trio from row[i] of n on. row NULL: 0, 1, 2, ... */
static inline Trio trio_at(const tacRows *rows, int n, const int *row, int i) {
    const tacRow *first = &rows->row[row == NULL ? i : row[i]];
    Trio trio = {1, first->num, {first->adr, first->adr, first->adr}};
    for (; first->kind == TAC_ROW_CONTACT && trio.count < 3 && i + trio.count < n; trio.count++) {
        int k = i + trio.count;
        const tacRow *next = &rows->row[row == NULL ? k : row[k]];
        if (next->kind != TAC_ROW_CONTACT || next->id != first->id) break;
        trio.adr[trio.count] = next->adr;
        trio.adr[2] = next->adr;
    }
    return trio;
}

/* X -> out[3 dof + k] */
static void spread(const tacRows *rows, const Trio *trio, const double *X, double *out) {
    const int *dof = rows->dof + trio->adr[0];
    for (int k = 0; k < 3; k++)
        for (int e = 0; e < trio->num; e++)
            out[3 * dof[e] + k] = X[trio->adr[k] + e];
}

static void clear(const tacRows *rows, const Trio *trio, double *out) {
    const int *dof = rows->dof + trio->adr[0];
    for (int e = 0; e < trio->num; e++)
        out[3 * dof[e]] = out[3 * dof[e] + 1] = out[3 * dof[e] + 2] = 0;
}

/* --- Weighing ----------------------------------------------------------------------------------------------------- */

/* y = D^-1/2 L^-T j. Going up the path from the leaves, row i of L subtracts its share from every ancestor. */
static void weigh_trio(const tacModel *m, const double *L, const tacRows *rows, const Trio *trio, double *z) {
    const int *dof = rows->dof + trio->adr[0];
    double *y0 = rows->Y + trio->adr[0], *y1 = rows->Y + trio->adr[1], *y2 = rows->Y + trio->adr[2];
    for (int e = 0; e < trio->num; e++) {
        int i = dof[e], at = m->dof_M_adr[i];
        double z0 = z[3 * i], z1 = z[3 * i + 1], z2 = z[3 * i + 2], root = tac_sqrt(L[at]);
        y0[e] = z0 * root;
        y1[e] = z1 * root;
        y2[e] = z2 * root;
        for (int a = m->dof_parent[i]; a >= 0; a = m->dof_parent[a]) {
            double l = L[++at];
            z[3 * a] -= l * z0;
            z[3 * a + 1] -= l * z1;
            z[3 * a + 2] -= l * z2;
        }
    }
}

void tac_rows_weigh(const tacModel *m, const tacWork *w, tacRows *rows, double *scratch) {
    for (int k = 0; k < rows->n;) {
        Trio trio = trio_at(rows, rows->n, NULL, k);
        spread(rows, &trio, rows->J, scratch);
        weigh_trio(m, w->L, rows, &trio, scratch);
        k += trio.count;
    }
}

/* --- Products ----------------------------------------------------------------------------------------------------- */

static double square(const tacRows *rows, int k) {
    double sum = 0;
    for (int e = rows->row[k].adr; e < rows->row[k].adr + rows->row[k].num; e++)
        sum += rows->Y[e] * rows->Y[e];
    return sum;
}

double tac_row_product(const tacRows *rows, int k, int l) {
    if (k == l) return square(rows, k);
    int a = rows->row[k].adr, b = rows->row[l].adr;
    int a_end = a + rows->row[k].num, b_end = b + rows->row[l].num;
    double sum = 0;
    while (a < a_end && b < b_end) {
        int i = rows->dof[a], j = rows->dof[b];
        if (i == j) sum += rows->Y[a] * rows->Y[b];
        a += i >= j;
        b += j >= i;
    }
    return sum;
}

/* out[k size + l] = the spread row k times row l of the trio: size x 3, of which `count` rows are valid */
static void multiply_trio(const tacRows *rows, const Trio *trio, const double *spread, int count, size_t size,
                          double *out) {
    const int *dof = rows->dof + trio->adr[0];
    const double *y0 = rows->Y + trio->adr[0], *y1 = rows->Y + trio->adr[1], *y2 = rows->Y + trio->adr[2];
    double s00 = 0, s01 = 0, s02 = 0, s10 = 0, s11 = 0, s12 = 0, s20 = 0, s21 = 0, s22 = 0;
    for (int e = 0; e < trio->num; e++) {
        const double *x = spread + 3 * dof[e];
        s00 += x[0] * y0[e];
        s01 += x[0] * y1[e];
        s02 += x[0] * y2[e];
        s10 += x[1] * y0[e];
        s11 += x[1] * y1[e];
        s12 += x[1] * y2[e];
        s20 += x[2] * y0[e];
        s21 += x[2] * y1[e];
        s22 += x[2] * y2[e];
    }
    double *out1 = out + size, *out2 = out1 + size;
    out[0] = s00;
    if (trio->count > 1) out[1] = s01;
    if (trio->count > 2) out[2] = s02;
    if (count > 1) out1[0] = s10;
    if (count > 1 && trio->count > 1) out1[1] = s11;
    if (count > 1 && trio->count > 2) out1[2] = s12;
    if (count > 2) out2[0] = s20;
    if (count > 2 && trio->count > 1) out2[1] = s21;
    if (count > 2 && trio->count > 2) out2[2] = s22;
}

/* Spreads rows over the dofs. They and every row before them gather their own dofs from there. */
void tac_rows_products(const tacRows *rows, int n, const int *list, double *scratch, double *A) {
    size_t size = (size_t)n;
    for (int i = 0; i < n;) {
        Trio left = trio_at(rows, n, list, i);
        spread(rows, &left, rows->Y, scratch);
        for (int j = 0; j <= i;) {
            Trio right = trio_at(rows, n, list, j);
            multiply_trio(rows, &right, scratch, left.count, size, A + (size_t)i * size + (size_t)j);
            j += right.count;
        }
        clear(rows, &left, scratch);
        i += left.count;
    }
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < i; j++)
            A[j * size + i] = A[i * size + j];
}
