/* Constraints on dofs besides contacts: limits, dry friction, equalities and armature of tendons, each one row or a few
 * (docs/theory/ncp.md, W29-W33).
 *
 * A row has an impulse p on dofs along J and a value r, which is a gap at q+ or a rate between q and q+. Its law
 * relates both. Linearized at an iterate,  G dv+ + C dp = w,  G = dr/dv+. Narrow rows act on the dofs of one joint and
 * are eliminated into them, dp = (w - G dv+)/C. Wide rows border the system of bodies and dofs (border.h). */
#pragma once

#include "contact/equality.h"
#include "contact/ncp/gap_bound.h"

/* m/s (rad/s): an equality that is open at q closes no faster than this. */
#define TAC_NCP_CLOSING 2.0
/* Equalities have the compliance h eps. eps is this share of the inverse masses of both trees, over TAC_NCP_ARM^2 where
 * the row turns. So redundant equalities share their load, and a gap is 1e-8 of the distance g h^2. */
#define TAC_NCP_COMPLIANCE 1e-8
#define TAC_NCP_ARM        0.3 /* m */
/* rad/s (m/s): dry friction is smoothed below kappa times this rate. */
#define TAC_NCP_DRY_SPEED 20.0

typedef enum {
    TAC_NCP_PAIR,    /* p, r >= 0,  p r = kappa U                    limits */
    TAC_NCP_DRY,     /* p = coefficient y_t, (1, y_t) o (eta_0, r) = kappa V e     dry friction */
    TAC_NCP_HELD,    /* r + coefficient p = 0                        equalities */
    TAC_NCP_INERTIA, /* p = -coefficient (r - r at v)                armature of tendons. Not a constraint, nor are: */
    TAC_NCP_DAMPER,  /* the same                                     damping of tendons (damping.h) */
    TAC_NCP_SERVO    /* the same                                     actuators whose force depends on velocity */
} tacNcpLaw;

enum { TAC_NCP_SINGLE = -1, TAC_NCP_MATED = -2 };

typedef struct tacNcpRow {
    tacRow of; /* kind, id, axis; adr, num: its numbers in dof, J, G; pos: gap at q */
    tacNcpLaw law;
    int wide;             /* number among wide rows; -1: narrow */
    int at, cone;         /* PAIR, DRY: place in a and b, its cone; HELD: place in x */
    double rest;          /* the bound that is subtracted from the gap, as bound.rest */
    tacNcpGapBound bound; /* PAIR */
    double soft;          /* PAIR: derivative of what the bound yields by the impulse */
    double coefficient;   /* of the law: h loss, h eps, armature */
    int mate;             /* DRY: first of the two limits of the same coordinate, which are MATED; otherwise SINGLE */
    double mass;          /* PAIR, DRY: approximate mass of the coordinate, 1/(J M^-1 J^T) */
    double r, p;          /* of the iterate: gap less rest, or rate; impulse */
    double a[2], b[2];    /* cone variables of the iterate */
    struct {              /* of the iterate at which the system was last factored */
        double a[2], b[2], soft;
    } factored;
    double e[2];    /* residuals of the iterate: of b against r; of a[0] of dry friction */
    double off;     /* e[0] when the system was last factored */
    double turn[9]; /* ball: d(-J^T p)/dv+ at fixed p, as its J is that of q+ */
} tacNcpRow;

typedef struct tacNcpRows {
    int n, max, nnz, max_nnz, nwide, max_wide, nheld;
    tacNcpRow *row;
    int *dof;            /* max_nnz; a dof may occur twice */
    double *J, *G;       /* max_nnz: at q (of a ball at q+); dr/dv+ */
    int *wide, *pivot;   /* max_wide: indices of wide rows; pivots of S */
    double *S;           /* max_wide squared: C + G A^-1 J^T, factored */
    unsigned char *mark; /* nbody: 1: on which the motion of the dofs of wide rows depends */
    double *X, *Y;       /* nv: scratch */
    double *t;           /* max_wide: dp of wide rows, and scratch */
    double *work;        /* max_wide: scratch */
} tacNcpRows;

/* --- Collecting (rows_collect.c) ---------------------------------------------------------------------------------- */

/* Largest number of rows, and of wide rows, which includes all with an impulse in x. */
int tac_ncp_max_rows(const tacModel *m);
int tac_ncp_max_wide(const tacModel *m);
/* Takes the arrays. 0: the arena is too small. */
int tac_ncp_rows_layout(tacNcpRows *rows, const tacModel *m, tacArena *arena);
/* 1: some ball joint has a limit. */
int tac_ncp_has_ball_limit(const tacModel *m);
/* Collects all rows of the model at q, with J and rest, and adds their cones. */
void tac_ncp_collect_rows(tacNcp *p);
/* Appends a row without numbers; appends a number to the last row. */
tacNcpRow *tac_ncp_begin_row(tacNcp *p, tacRow of, tacNcpLaw law, int wide);
void tac_ncp_add_number(tacNcpRows *rows, tacNcpRow *row, int dof, double J);
/* Range of a ball's limit, and its rotation vector phi at q. The gap is (range^2 - |phi|^2)/(2 range): near the limit
 * range - |phi|, and smooth where phi = 0 has no axis   (W30). */
double tac_ncp_ball_range(const tacModel *m, int joint);
tacVec3 tac_ncp_ball_turn(const tacModel *m, int joint, const double *q);
/* phi at q+, continued from that at q: past pi the angle keeps growing   (W30). */
tacVec3 tac_ncp_ball_turn_next(const tacNcp *p, int joint);
double tac_ncp_ball_gap(double range, tacVec3 phi);
/* 1/m_0 + 1/m_1 of the trees of two bodies, 0 for one that does not move; its change. */
double tac_ncp_inverse_masses(const tacModel *m, const int body[2]);
double tac_ncp_inverse_masses_change(const tacModel *m, const int body[2], const tacInertialTangent *d);
/* d(inverse mass) of a limit's row. */
double tac_ncp_limit_mass_change(const tacNcp *p, const tacNcpRow *row, const tacInertialTangent *d);
/* d(h eps) of an equality's row. */
double tac_ncp_row_compliance_change(const tacNcp *p, const tacNcpRow *row, const tacInertialTangent *d);

/* --- One row (rows.c) --------------------------------------------------------------------------------------------- */

/* 1: of a connect or weld; of a ball's limit; not a constraint. */
int tac_ncp_row_is_pose(const tacNcp *p, const tacNcpRow *row);
int tac_ncp_row_is_ball(const tacNcp *p, const tacNcpRow *row);
static inline int tac_ncp_row_is_smooth(const tacNcpRow *row) { return row->law >= TAC_NCP_INERTIA; }
/* numbers . y;   y += s numbers;   numbers are J or G of the row. */
double tac_ncp_row_dot(const tacNcpRows *rows, const tacNcpRow *row, const double *numbers, const double *y);
void tac_ncp_row_axpy(const tacNcpRows *rows, const tacNcpRow *row, double s, const double *numbers, double *y);
/* C, and w for the right sides c of its products. */
double tac_ncp_row_compliance(const tacNcpRow *row);
double tac_ncp_row_offset(const tacNcpRow *row, const double *c);

/* --- All rows in a step (rows.c) ---------------------------------------------------------------------------------- */

/* Sets r (and J of balls) at the poses of tac_ncp_place_bodies. */
void tac_ncp_place_rows(tacNcp *p, const double *v_next);
/* Evaluates p and e at an iterate; g -= J^T p. Returns the largest residual. */
double tac_ncp_evaluate_rows(tacNcp *p, const double *x, const double *a, const double *b);
/* Sets G, and adds narrow rows to ldu. Needs: ldu.right. */
void tac_ncp_linearize_rows(tacNcp *p);
/* g -= J^T (p_0 of narrow rows), p_0 = w/C */
void tac_ncp_reduce_rows(const tacNcp *p, const double *c, double *g);
/* dv, and dp of wide rows in t, to dx of equalities, da and db. */
void tac_ncp_recover_rows(const tacNcp *p, const double *c, double *dx, double *da, double *db);
/* Starts a search: x of equalities is zero unless `again`; cone variables are on the central path of kappa, with gaps
 * of at least `gap`. */
void tac_ncp_start_rows(tacNcp *p, int again, double kappa, double gap);
/* By how much the most violated limit is beyond its end. */
double tac_ncp_limit_depth(const tacNcp *p);
