/* Linear programs over half lines and second-order cones, by a primal-dual interior point   (docs/theory/growth.md,
 * E4-E8)
 *
 *   minimize x_objective   subject to   s = M x + c0 in K
 *
 * at a point of its central path: M^T lambda = e_objective, s_c o lambda_c = kappa unit_c e, unit 1 for a half line and
 * 2 for a second-order cone. With nu the sum of units, s . lambda = kappa nu. */
#pragma once

#include "base/arena.h"
#include "math/graded_qr.h"

enum { TAC_CONE_MOST = 4 }; /* most numbers of a second-order cone */

typedef struct tacConeProgram {
    int n, m;       /* numbers of x; rows */
    int nhalf;      /* half lines: the first rows */
    int ncone;      /* second-order cones: the rows behind them */
    int objective;  /* which number of x is minimized */
    const int *dim; /* ncone: 2 to TAC_CONE_MOST */
    double *M;      /* m x n, column major */
    double *c0;     /* m */
} tacConeProgram;

typedef struct tacConeSettings {
    double kappa;
    int max_systems;
    int polish; /* further Newton steps at the solution */
} tacConeSettings;

/* Memory of a solve, and its result. */
typedef struct tacConePath {
    double *x, *s, *lambda; /* n, m, m */
    int systems;            /* factored */
    /* scaling W, W lambda = W^-1 s (Nesterov and Todd): half lines sqrt(s / lambda); cones b and w */
    double *scaling;                               /* nhalf + ncone (1 + TAC_CONE_MOST) */
    double *scaled;                                /* m: W lambda */
    double *target, *ds, *dlambda, *second, *lost; /* m: right side, scaled steps, their product, M x + c0 - s */
    double *dx, *short_of, *work;                  /* n */
    tacGradedQr qr;                                /* of W^-1 M */
} tacConePath;

/* Takes the memory of a solve of at most these sizes from the arena. 0: it is full. */
int tac_cone_path_layout(int n, int m, int ncone, tacArena *arena, tacConePath *path);

/* s_0^2 - |s_t|^2 as a product, which keeps digits near the border. */
double tac_cone_determinant(int n, const double *s);
/* s = M x + c0 */
void tac_cone_program_slack(const tacConeProgram *p, const double *x, double *s);
/* path->x: strictly inside. Finds the point of the central path. 1: solved; 0: best point found. */
int tac_cone_path(const tacConeProgram *p, const tacConeSettings *settings, tacConePath *path);
/* Factors the system at the solution, for derivatives: x(theta) and lambda(theta) by (E9). 0: singular. */
int tac_cone_path_factor(const tacConeProgram *p, tacConePath *path);
/* xbar (n), lambdabar (m) -> y (n), z (m)   (E10): with these, for any change of M and c0,
 *   xbar . dx + lambdabar . dlambda = lambda . (dM y) - z . (dM x + dc0) */
void tac_cone_path_adjoint(const tacConeProgram *p, tacConePath *path, const double *xbar, const double *lambdabar,
                           double *y, double *z);

/* --- Where the program is a part of a larger problem -------------------------------------------------------------- */

/* Sets the aim of the next direction at the factored point (tac_cone_path_factor), which need not be on the path: mean
 * products tau, less the second order of the last direction with `second`. */
void tac_cone_path_aim(const tacConeProgram *p, tacConePath *path, double tau, int second);
/* Newton's direction from there   (E7): dx, ds and dlambda with
 *   ds = M dx + lost,   M^T dlambda = short_of
 * where the caller gives lost and short_of. Keeps the direction's second order for the next aim. */
void tac_cone_path_direction(const tacConeProgram *p, tacConePath *path);
