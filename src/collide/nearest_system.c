/* Two patches with a common normal. The unknowns are local coordinates s0, s1, the unit normal n and the distance d:
 *
 *   x1(s1) - x0(s0) = d n,   n . dx0/ds0 = 0,   n . dx1/ds1 = 0                                          (D4)
 *
 * With dn = e0 a + e1 b across n and the components T = (e . t) of the tangents across n, their differential is
 * symmetric:
 *
 *   [ n.c0   0     T0' ] [ds0]   [ -n . dt0        ]
 *   [ 0     -n.c1 -T1' ] [ds1] = [  n . dt1        ]        dd = n . (dx1 - dx0)                          (D10)
 *   [ T0    -T1    d I ] [a b]   [ e . (dx1 - dx0) ] */
#include "collide/touch.h"

#include "math/dense.h"

enum { STRIDE = TAC_NEAREST_UNKNOWNS };

/* n . c_ij of a patch; c holds 00, 01, 11. */
static double curvature(const tacPatch *p, tacVec3 n, int i, int j) { return tac_dot3(n, p->c[i + j]); }

/* A zero tangent: the apex of a cone, or an edge between coincident corners. */
static int is_singular(const tacPatch *p) {
    for (int i = 0; i < p->dim; i++)
        if (!(tac_dot3(p->t[i], p->t[i]) > 0)) return 1;
    return 0;
}

/* --- Gaussian elimination with row exchange; one unrolled version for each number of unknowns --------------------- */

static inline double largest(int n, const double *A, int column) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = tac_max(most, tac_abs(A[i * STRIDE + column]));
    return most;
}

static inline void exchange_rows(int n, double *a, double *b) {
    for (int j = 0; j < n; j++) {
        double t = a[j];
        a[j] = b[j];
        b[j] = t;
    }
}

/* P A = L U. The diagonal holds 1/U_kk. Returns non-zero where a pivot has no digits left. */
static inline int eliminate(int n, double *A, int *pivot) {
    double scale[TAC_NEAREST_UNKNOWNS];
    for (int j = 0; j < n; j++)
        scale[j] = largest(n, A, j);
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (tac_abs(A[i * STRIDE + k]) > tac_abs(A[best * STRIDE + k])) best = i;
        pivot[k] = best;
        if (best != k) exchange_rows(n, A + k * STRIDE, A + best * STRIDE);
        if (!(tac_abs(A[k * STRIDE + k]) > TAC_DENSE_MIN_PIVOT * scale[k])) return 1;
        double inverse = A[k * STRIDE + k] = 1 / A[k * STRIDE + k];
        for (int i = k + 1; i < n; i++) {
            double factor = A[i * STRIDE + k] *= inverse;
            for (int j = k + 1; j < n; j++)
                A[i * STRIDE + j] -= factor * A[k * STRIDE + j];
        }
    }
    return 0;
}

static inline void substitute(int n, const double *A, const int *pivot, double *x) {
    for (int k = 0; k < n; k++) {
        double t = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = t;
        for (int j = 0; j < k; j++)
            x[k] -= A[k * STRIDE + j] * x[j];
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            x[k] -= A[k * STRIDE + j] * x[j];
        x[k] *= A[k * STRIDE + k];
    }
}

static int factor(int n, double *A, int *pivot) {
    switch (n) {
    case 2:
        return eliminate(2, A, pivot);
    case 3:
        return eliminate(3, A, pivot);
    case 4:
        return eliminate(4, A, pivot);
    case 5:
        return eliminate(5, A, pivot);
    default:
        return eliminate(6, A, pivot);
    }
}

static void solve(int n, const double *A, const int *pivot, double *x) {
    switch (n) {
    case 2:
        substitute(2, A, pivot, x);
        break;
    case 3:
        substitute(3, A, pivot, x);
        break;
    case 4:
        substitute(4, A, pivot, x);
        break;
    case 5:
        substitute(5, A, pivot, x);
        break;
    default:
        substitute(6, A, pivot, x);
    }
}

/* --- The system --------------------------------------------------------------------------------------------------- */

/* Writes the rows and columns of one patch, from `first` on. */
static void write_patch(const tacPatch *p, double sign, int first, tacNearest *k) {
    int n = k->n;
    for (int i = 0; i < p->dim; i++) {
        double *row = k->lu + (first + i) * STRIDE;
        for (int j = 0; j < p->dim; j++)
            row[first + j] = sign * curvature(p, k->normal, i, j);
        for (int j = 0; j < 2; j++)
            row[n - 2 + j] = k->lu[(n - 2 + j) * STRIDE + first + i] = sign * tac_dot3(k->e[j], p->t[i]);
    }
}

int tac_nearest_factor(const tacPatch patch[2], tacVec3 normal, tacNearest *k) {
    k->normal = normal;
    k->dim[0] = patch[0].dim;
    k->dim[1] = patch[1].dim;
    k->d = tac_dot3(normal, tac_sub3(patch[1].x, patch[0].x));
    tac_contact_frame(normal, &k->e[0], &k->e[1]);
    int n = k->n = k->dim[0] + k->dim[1] + 2;
    for (int i = 0; i < n * STRIDE; i++)
        k->lu[i] = 0;
    write_patch(&patch[0], 1, 0, k);
    write_patch(&patch[1], -1, k->dim[0], k);
    for (int j = n - 2; j < n; j++)
        k->lu[j * STRIDE + j] = k->d;
    return is_singular(&patch[0]) || is_singular(&patch[1]) || factor(n, k->lu, k->pivot);
}

tacNearestTangent tac_nearest_solve(const tacNearest *k, tacVec3 gap, const double slope[2][2]) {
    tacNearestTangent d = {.n = tac_zero3()};
    double x[TAC_NEAREST_UNKNOWNS];
    int n = k->n, m = 0;
    for (int i = 0; i < k->dim[0]; i++)
        x[m++] = -slope[0][i];
    for (int i = 0; i < k->dim[1]; i++)
        x[m++] = slope[1][i];
    for (int j = 0; j < 2; j++)
        x[m++] = tac_dot3(k->e[j], gap);
    solve(n, k->lu, k->pivot, x);
    for (int side = 0, i = 0; side < 2; side++)
        for (int j = 0; j < k->dim[side]; j++)
            d.s[side][j] = x[i++];
    d.n = tac_add3(tac_scale3(x[n - 2], k->e[0]), tac_scale3(x[n - 1], k->e[1]));
    return d;
}
