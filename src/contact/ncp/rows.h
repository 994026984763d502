/* What acts on dofs besides contacts: limits, dry friction, equalities, armature of tendons, each one row or a few
 * (docs/theory/ncp.md, W29-W33).
 *
 * A row has an impulse p on dofs along J, and a value r: a gap at q+, or a rate between q and q+. Its law relates both;
 * linearized at an iterate,  G dv+ + C dp = w,  G = dr/dv+. Rows on the dofs of one joint are eliminated into these, as
 * dp = (w - G dv+)/C; the others, wide rows, border the system of bodies and dofs (ncp_border.c). */
#pragma once

#include "contact/equality.h"
#include "solve/yield.h"

/* m/s (rad/s): an equality that is open at q closes this fast at most. */
#define TAC_NCP_CLOSING 2.0
/* Equalities give way by h eps p, eps this share of the inverse masses of the two trees (over TAC_NCP_ARM^2 where the
 * row turns): redundant ones share their load, and a gap is 1e-8 of the way g h^2. */
#define TAC_NCP_COMPLIANCE 1e-8
#define TAC_NCP_ARM        0.3 /* m */
/* rad/s (m/s): dry friction is soft below kappa times this. */
#define TAC_NCP_DRY_SPEED 20.0

typedef enum {
    TAC_NCP_PAIR,    /* p, r >= 0,  p r = kappa U                    limits */
    TAC_NCP_DRY,     /* p = load y_t, (1, y_t) o (eta_0, r) = kappa V e     dry friction */
    TAC_NCP_HELD,    /* r + load p = 0                               equalities */
    TAC_NCP_INERTIA, /* p = -load (r - r at v)                      armature of tendons; no constraint, nor are: */
    TAC_NCP_DAMPER,  /* the same                                    damping of tendons (ncp_damping.c) */
    TAC_NCP_SERVO    /* the same                                    actuators that know the velocity */
} tacNcpLaw;

enum { TAC_NCP_SINGLE = -1, TAC_NCP_MATED = -2 };

/* The gap that counts as closed at q+, rest less what gives way (ncp_closed.c). All zero: 0, whatever the impulse. */
typedef struct tacNcpClosed {
    double gap, speed;   /* at q; at which it is made good */
    double inverse_mass; /* of the trees */
    double rest;         /* min(0, gap + h speed) */
    tacGiveWay give;     /* down to min(0, gap) */
} tacNcpClosed;

typedef struct tacNcpRow {
    tacRow of; /* kind, id, axis; adr, num: its numbers in dof, J, G; pos: gap at q */
    tacNcpLaw law;
    int wide;            /* number among wide rows; -1: its dofs are those of one joint */
    int at, cone;        /* PAIR, DRY: place in a and b, its cone; HELD: place in x */
    double rest;         /* the gap that counts as closed, as closed.rest */
    tacNcpClosed closed; /* PAIR */
    double soft;         /* PAIR: how much further it gives way per impulse */
    double load;         /* as the law says: h loss, h eps, armature */
    int mate;          /* DRY: the first of the two limits of the same coordinate, which are MATED; otherwise SINGLE */
    double mass;       /* PAIR, DRY: of the coordinate, about: 1/(J M^-1 J^T) */
    double r, p;       /* of the iterate: gap less rest, or rate; impulse */
    double a[2], b[2]; /* cone variables */
    double e[2];       /* what is wrong with b against r, and with a[0] of dry friction */
    double off;        /* e[0] at the last systems */
    double turn[9];    /* ball: d(-J^T p)/dv+ at fixed p, as J is that of q+ */
} tacNcpRow;

typedef struct tacNcpRows {
    int n, max, nnz, max_nnz, nwide, max_wide, nheld;
    tacNcpRow *row;
    int *dof;          /* max_nnz; a dof may come twice */
    double *J, *G;     /* max_nnz: at q (of a ball at q+); dr/dv+ */
    int *wide, *pivot; /* max_wide: rows; */
    double *S;         /* max_wide squared: C + G A^-1 J^T, factored */
    double *X, *Y;     /* nv: scratch */
    double *t;         /* max_wide: dp of wide rows, and scratch */
    double *work;      /* max_wide */
} tacNcpRows;

typedef struct tacNcp tacNcp;
typedef struct tacNcpDeriv tacNcpDeriv;
typedef struct tacNcpSink tacNcpSink;
typedef struct tacNcpView tacNcpView;

/* --- What counts as closed (ncp_closed.c) ------------------------------------------------------------------------- */

/* Of a gap at q that is made good at this speed. */
tacNcpClosed tac_ncp_closed_at(const tacNcp *p, double gap, double speed, double inverse_mass);
/* As an impulse presses it. */
double tac_ncp_closed_gap(const tacNcpClosed *c, double impulse);
/* Its derivatives at a fixed impulse: by the gap at q, by h at a fixed gap; times a change of the inverse mass. */
double tac_ncp_closed_by_gap(const tacNcpClosed *c, double impulse);
double tac_ncp_closed_by_time(const tacNcp *p, const tacNcpClosed *c, double impulse);
double tac_ncp_closed_by_mass(const tacNcpClosed *c, double impulse, double change);
/* Contacts and rows of q -> whether the start is infeasible, and how they give way then   (W49). */
void tac_ncp_find_infeasible(tacNcp *p);
/* Searches found no motion that makes good all that is broken: it gives way -> 1; 0: it does already, or nothing is. */
int tac_ncp_give_up(tacNcp *p);

/* --- Finding (ncp_rows_find.c) ------------------------------------------------------------------------------------ */

/* Rows at most; of those, wide ones, and such with an impulse in x. */
int tac_ncp_most_rows(const tacModel *m);
int tac_ncp_most_wide(const tacModel *m);
int tac_ncp_rows_layout(tacNcpRows *rows, const tacModel *m, tacArena *arena);
/* 1: a ball has a limit. */
int tac_ncp_has_ball_limit(const tacModel *m);
/* All rows of the model at q, with J and rest; adds their cones. */
void tac_ncp_find_rows_at(tacNcp *p);
/* Range of a ball's limit; its rotation vector, whose gap is (range^2 - |phi|^2)/(2 range): near the limit range -
 * |phi|, and smooth where the axis of a turn cannot be told   (W30). */
double tac_ncp_ball_range(const tacModel *m, int joint);
tacVec3 tac_ncp_ball_turn(const tacModel *m, int joint, const double *q);
/* That of q+, as it came from q's: past pi it goes on, and does not come back from the other side   (W30). */
tacVec3 tac_ncp_ball_turn_next(const tacNcp *p, int joint);
double tac_ncp_ball_gap(double range, tacVec3 phi);
/* A row without numbers, at the end; its numbers. */
tacNcpRow *tac_ncp_begin_row(tacNcp *p, tacRow of, tacNcpLaw law, int wide);
void tac_ncp_add_number(tacNcpRows *rows, tacNcpRow *row, int dof, double J);

/* --- Step (ncp_rows.c) -------------------------------------------------------------------------------------------- */

/* -> r (and J of balls) at the poses of tac_ncp_move. */
void tac_ncp_place_rows(tacNcp *p, const double *v_next);
/* Iterate -> p, e; g -= J^T p; -> the largest residual. */
double tac_ncp_load_rows(tacNcp *p, const double *x, const double *a, const double *b);
/* -> G; narrow rows into ldu. Needs: ldu.right. */
void tac_ncp_linearize_rows(tacNcp *p);
/* C, and w for right sides c of its products. */
double tac_ncp_row_compliance(const tacNcpRow *row);
double tac_ncp_row_offset(const tacNcpRow *row, const double *c);
/* g -= J^T (p_0 of narrow rows), p_0 = w/C */
void tac_ncp_reduce_rows(const tacNcp *p, const double *c, double *g);
/* dv, and dp of wide rows in t -> dx of equalities, da, db. */
void tac_ncp_recover_rows(const tacNcp *p, const double *c, double *dx, double *da, double *db);
/* Start: x of equalities zero unless `again`, cone variables on the central path of kappa, gaps at least `gap`. */
void tac_ncp_start_rows(tacNcp *p, int again, double kappa, double gap);
/* How far beyond its end any limit is. */
double tac_ncp_limit_depth(const tacNcp *p);
/* What a row is. */
int tac_ncp_row_is_pose(const tacNcp *p, const tacNcpRow *row); /* of a connect or weld */
int tac_ncp_row_is_ball(const tacNcp *p, const tacNcpRow *row);
/* J_k . y, G_k . y; y += s J_k, y += s G_k */
double tac_ncp_row_dot(const tacNcpRows *rows, const tacNcpRow *row, const double *numbers, const double *y);
void tac_ncp_row_axpy(const tacNcpRows *rows, const tacNcpRow *row, double s, const double *numbers, double *y);

/* 1: no constraint. */
static inline int tac_ncp_row_is_smooth(const tacNcpRow *row) { return row->law >= TAC_NCP_INERTIA; }

/* --- Forces implicit in velocity (ncp_damping.c) ------------------------------------------------------------------ */

/* Wide rows and numbers at most; the rows. */
int tac_ncp_most_damping(const tacModel *m);
int tac_ncp_most_damping_numbers(const tacModel *m);
void tac_ncp_add_damping(tacNcp *p);
/* Emits their forces' change, over h, at fixed v+ - v: by q, act, ctrl; by a mover; by a parameter. w: p->w. */
void tac_ncp_damping_jac(const tacNcp *p, tacWork *w, const tacForceSink *sink);
void tac_ncp_damping_move(const tacNcp *p, tacWork *w, const tacMover *mover, int column, const tacSink *sink);
void tac_ncp_damping_param(const tacNcp *p, tacWork *w, const tacParamTangent *t, int column, const tacSink *sink);

/* --- The bordered system (ncp_border.c) --------------------------------------------------------------------------- */

/* Needs: ldu factored, G. -> S factored. */
tacStatus tac_ncp_border_factor(tacNcp *p);
/* rhs, g_rhs -> dv, ldu.z, and dp of wide rows in t. */
void tac_ncp_border_solve(tacNcp *p, const double *c, double *dv);
/* vbar (nv, overwritten by lambda) and weights of wide rows' impulses in t (overwritten by those of their equations,
 * nu):   A^T lambda + G^T nu = vbar,   C nu - J lambda = t;   ldu.f as of tac_block_solve_transposed. */
void tac_ncp_border_transposed(const tacNcp *p, double *vbar);

/* --- Derivatives (ncp_rows_deriv.c, ncp_rows_param.c) ------------------------------------------------------------- */

/* What each row answers to: its value, and the number of its law (unit of products, load). Numbers of rows. */
int tac_ncp_value_input(const tacNcp *p, int k);
int tac_ncp_number_input(const tacNcp *p, int k);
/* 1/m_0 + 1/m_1 of the trees of two bodies, 0 of one that does not move; its change. */
double tac_ncp_inverse_masses(const tacModel *m, const int body[2]);
double tac_ncp_inverse_masses_change(const tacModel *m, const int body[2], const tacInertialTangent *d);
/* Of a limit's row, d(inverse mass). */
double tac_ncp_limit_mass_change(const tacNcp *p, const tacNcpRow *row, const tacInertialTangent *d);
/* d(h eps) of an equality's row. */
double tac_ncp_row_compliance_change(const tacNcp *p, const tacNcpRow *row, const tacInertialTangent *d);
/* What changes at q of the rows of a connect or weld are weighed by, first row k. */
tacEqualityWeights tac_ncp_equality_weights(const tacNcp *p, int k);
/* d(gap that counts as closed)/d(gap at q). */
double tac_ncp_row_closed_by_gap(const tacNcp *p, const tacNcpRow *row);
/* d(w)/d(number of the law): U of a limit's product, h loss, h eps. */
double tac_ncp_row_offset_rate(const tacNcpRow *row, double kappa);
/* mu += (dp/d(inputs))^T (J lambda) of narrow rows; of wide rows from nu in t. */
void tac_ncp_add_row_weights(const tacNcp *p, const tacNcpDeriv *d, const double *lambda, double *mu);
/* rest += G^T mu, less what rows have at fixed p; t = what is left of wide rows' equations. */
void tac_ncp_rows_left_over(const tacNcp *p, const double *lambda, const double *mu, double *rest);
/* Emits columns of q and v. `free`: armature alone. */
void tac_ncp_rows_state_jac(const tacNcp *p, const tacNcpSink *q, const tacNcpSink *v, int free);
/* Emits columns of mocap poses and parameters; NULL skips. */
void tac_ncp_rows_param_jac(const tacNcpView *v, const tacParamTangent *tangents, const tacNcpSink *mocap,
                            const tacNcpSink *theta);
/* qfrc += J^T p/h of constraints. */
void tac_ncp_row_forces(const tacNcp *p, double *qfrc);
/* vbar += (what armature of tendons has of A)^T qfrcbar/h */
void tac_ncp_rows_free_weights(const tacNcp *p, const double *qfrcbar, double *vbar);
