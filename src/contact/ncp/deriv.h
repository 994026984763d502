/* Derivatives of the step's equations at fixed q+ (docs/theory/ncp.md, W20-W26). */
#pragma once

#include "contact/ncp/problem.h"

enum { TAC_NCP_BEFORE, TAC_NCP_NOW, TAC_NCP_NEXT, TAC_NCP_POSES };

/* Impulses are functions of inputs, whose changes are rows of a derivative at fixed q+. Each contact has these: gap
 * less rest, two slips, friction, unit of its products. All values of rows follow, then the numbers of their laws. */
enum { TAC_NCP_GAP, TAC_NCP_MU = 3, TAC_NCP_UNIT, TAC_NCP_INPUTS };

/* How a contact responds at the solution. p are its impulses (gamma, xi_1, xi_2). */
typedef struct tacNcpResponse {
    double K[9];                  /* dp = -K d(gap, slip) */
    double to[3][TAC_NCP_INPUTS]; /* dp/d(inputs) */
    double start[3][12];          /* d(gap less rest, slip)/d(poses at q) */
    double bound_by_gap;          /* tac_ncp_gap_bound_by_gap */
    double before[12];            /* with restitution: d(gap_slip[0])/d(poses at q (-) h v) */
    double place[3][12];          /* d(place of the impulse)/d(poses at q) */
    double Gamma[2][6][12];       /* of tac_ncp_contact_jac, with beyond */
    double beyond[3][12];
    tacVec6 unit[2][3]; /* tac_ncp_unit_wrenches */
} tacNcpResponse;

/* How a row responds: its compliance C and 1/C, d(offset)/d(number of its law); and what solves need of tacNcpRow. */
typedef struct tacNcpRowResponse {
    double compliance, stiffness, offset_rate, coefficient;
    int adr, num, wide;     /* its numbers in dof, J, G; number among wide rows */
    int is_ball, is_smooth; /* of a ball's limit; not a constraint */
} tacNcpRowResponse;

/* Arrays of transposed solves for one right side, or for TAC_NCP_LANES of them: their numbers side by side. */
enum { TAC_NCP_LANES = 4 };
typedef struct tacNcpLanes {
    double *vbar, *lambda, *mu;      /* nv, nv, inputs: given; the answers */
    double *rest, *wide;             /* nv, wide rows: residual, then what corrects it */
    double *path;                    /* 6 nbody: sum of S lambda on the way to each body */
    double *t, *f, *z;               /* 6 nbody: scratch */
    double change[2][TAC_NCP_LANES]; /* largest numbers of the last two corrections of lambda */
} tacNcpLanes;

/* Arrays of tac_ncp_adjoint_extended. */
typedef struct tacNcpExtended {
    tacLong *lambda, *path; /* nv, 6 nbody: sums of S lambda on the way to each body */
    tacLong *y, *mu;        /* unit impulses . lambda: 3 a contact, 1 a row; inputs */
    tacLong *t, *rest;      /* 6 nbody, nv: residual */
} tacNcpExtended;

typedef struct tacNcpDeriv {
    double conditioning; /* estimate of the factor that multiplies rounding in the answers so far */
    double kappa;
    tacWork before; /* at q (-) h v: position stage */
    double *q_before;
    tacSym3 *inertia;             /* nbody: about the centre of mass at q (-) h v, world axes */
    tacVec3 *spin;                /* nbody: angular velocity between q (-) h v and q */
    tacMat3 *turning_block;       /* nbody: derivative of that angular momentum as q turns */
    double *block[TAC_NCP_POSES]; /* nbody x 36: df/d(pose) summed over each body's subtree, without contacts */
    tacVec6 *row[TAC_NCP_POSES];  /* nv: S . block of the dof's body */
    double *rigid, *diag;         /* nbody x 36, nv: of the step's system without contacts and limits */
    double *held;                 /* nbody x 36: rigid less Gamma of sides by their own poses */
    tacVec6 *by_q, *by_v;         /* nv: twist of the pose before per unit of q_j, v_j */
    tacVec6 *wrench;              /* nbody: residual of the balance, at the centre of mass */
    tacNcpResponse *response;     /* a contact */
    tacVec6 *path;                /* nbody: scratch of tac_ncp_free_weights */
    double (*torque)[3];          /* 6 nbody: scratch of tac_ncp_state_jac */
    tacNcpRowResponse *row_response;
    double *border;            /* A^-T G^T of wide rows, nv each */
    double *size;              /* largest number in each row of G: 3 a contact, 1 a row */
    tacNcpLanes single, strip; /* of tac_ncp_adjoint, of tac_ncp_adjoint_of_dofs */
    double *mu_given;          /* inputs: mu of `single` at the start */
    tacNcpExtended extended;
} tacNcpDeriv;

/* Where columns of one kind go: changes of the dofs' balance R at fixed impulses of contacts and limits, of the inputs
 * of those impulses, and of contact wrenches on bodies at fixed impulses (6 nbody rows; empty: not asked for). */
typedef struct tacNcpSink {
    tacSink balance, inputs, wrench;
} tacNcpSink;

/* A differentiated step, and where. */
typedef struct tacNcpView {
    tacNcp *p;
    const tacNcpDeriv *d;
    const tacSmoothPoint *x;
    int free; /* 1: without constraints */
} tacNcpView;

/* --- At the solution (deriv.c) ------------------------------------------------------------------------------------ */

/* Takes the arrays. 0: the arena is too small. */
int tac_ncp_deriv_layout(tacNcpDeriv *d, const tacModel *m, int max_contacts, tacArena *arena);
/* Number of inputs of the problem; the largest. */
int tac_ncp_inputs(const tacNcp *p);
int tac_ncp_max_inputs(const tacModel *m, int max_contacts);
/* Differentiates at the solution for kappa: d, and ldu factored. */
tacStatus tac_ncp_differentiate(tacNcp *p, tacNcpDeriv *d, double kappa);
/* Prepares a contact at the poses of w: at q, or at q (-) h v with restitution. */
tacStatus tac_ncp_prepare_at(tacNcp *p, const tacWork *w, const tacContact *at, tacContactSystem *system);
/* Wrenches of unit impulses on both sides, about the trees' origins; zero on a side that does not move. */
void tac_ncp_unit_wrenches(const tacNcp *p, const tacNcpContact *c, tacVec6 unit[2][3]);
/* block z */
tacVec6 tac_ncp_block_times(const tacNcpDeriv *d, int pose, int body, tacVec6 z);
/* Armature and implicit damping of a dof. */
double tac_ncp_own_inertia(const tacNcp *p, int dof);
/* The change of v+ that keeps q+ fixed as q_j moves: -1/h, for rotations a row of -Jr^-1(h v+)^T / h. Returns 1 or 3
 * dofs, from *first on. */
int tac_ncp_hold(const tacNcp *p, int j, double dv[3], int *first);
/* The same as h moves. */
double tac_ncp_hold_time(const tacNcp *p, int dof);
/* bar += w^T vbar, w the change of v+ that keeps q+ fixed. */
void tac_ncp_hold_vjp(const tacNcp *p, const double *vbar, const tacGrad *bar);

/* --- Columns ------------------------------------------------------------------------------------------------------ */

/* Emits columns of q and v, without joint forces and without axes that turn at fixed f (deriv.c). */
void tac_ncp_state_jac(const tacNcp *p, const tacNcpDeriv *d, const tacNcpSink *q, const tacNcpSink *v);
/* Tangents are scaled: t_k = (mu_k/mu) (unit tangent), mu that of a tangent with friction. d(mu_k/mu) of k = 0, 1. */
double tac_ncp_scale_param(const tacModel *m, const tacNcpContact *c, const tacParamTangent *t, int k);
/* Emits columns of mocap poses and parameters, without joint forces; NULL skips (param.c). */
tacStatus tac_ncp_param_jac(const tacNcpView *v, const tacParamTangent *tangents, const tacNcpSink *mocap,
                            const tacNcpSink *theta);
/* Emits the column of the time step, without joint forces (time.c). */
void tac_ncp_time_jac(const tacNcpView *v, int column, const tacNcpSink *sink);
