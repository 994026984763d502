/* Hard contact as a nonlinear complementarity problem over friction cones, on a variational integrator of bodies in
 * maximal coordinates [Howell2022; docs/theory/ncp.md, W1, W7, W13].
 *
 * Each body has three poses: at q (-) h v, at q, and at q+ = q (+) h v+. Between them it has momenta; joints, contacts
 * and limits change them by impulses. The joints' own coordinates are the unknowns v+, through which all poses agree
 * with all joints at every iterate; joint impulses act at the pose q and leave the equations with the rows they
 * multiply. Contacts keep their features and are put anew at q+. */
#pragma once

#include "contact/ncp/rows.h"
#include "math/scalar.h"
#include "solve/block_ldu.h"
#include "solve/friction_cone.h"
#include "solve/interior.h"

/* Overlap at q goes away this fast (m/s, rad/s): the gap at q+ is at least min(0, gap at q + h times this). A state
 * that a step has left overlaps by no more than the step's tolerance; one that is given may overlap by any depth. Mocap
 * bodies are put elsewhere between steps, into what they push: it follows them as welds do. */
#define TAC_NCP_CORRECTION 0.1
#define TAC_NCP_PUSH       TAC_NCP_CLOSING
/* s: at an infeasible start, what q breaks is made good by an impulse of mass times speed over this, times h, or not at
 * all; a body that rests on it still parts at two thirds of the speed   (W48). */
#define TAC_NCP_YIELD 3e-3

/* s: with it kappa is a pure number, force times gap in units of m L^2/T^2 and force times slip in m L^2/T^3, whatever
 * the time step: gaps and creep at rest do not depend on it   (W8). */
#define TAC_NCP_TIME 0.05

/* A contact at the next pose: cone variables, residuals, and how it couples its bodies. */
typedef struct tacNcpContact {
    tacContact found, now; /* its features, where they were found; the same at q+ */
    tacContact start;      /* at q, what rest is taken from */
    tacContact before;     /* at q (-) h v, if it has restitution */
    tacVec3 own_point[2];  /* found.point, each in the frame of its geom */
    tacVec3 own_normal[2]; /* found.normal in both frames */
    int body[2];
    int cone, adr;       /* its first cone, and place in a and b */
    tacFrictionPoint p;  /* of the iterate */
    tacFrictionSides e;  /* residuals of the iterate; right sides while solving */
    tacNcpClosed closed; /* the gap that counts as closed */
    double bounce;       /* > 0: restitution. In place of the gap it has the way h n . (u + bounce u_-)   (W35) */
    tacVec3 came_slide[2], came_spin[2]; /* where it bounces: of its bodies, between q (-) h v and q */
    double squeeze[2];  /* friction along each tangent over p.mu, by which now.tangent are scaled: 1 of a round cone */
    double gap_slip[3]; /* phi (or way) less rest, u_1, u_2 along now.tangent */
    int lost;           /* 1: a motion tried since the last system leads where its features are not */
    int seamless;       /* 1: now.tangent[0] is along that where the features were found, whatever the normal does */
    tacFrictionSides off; /* residuals at the last systems */
    tacVec3 place;        /* where the impulse acts, at q   (W5a) */
    tacContact at_q;      /* the same features at q, if touches_at_q: they are there too */
    int touches_at_q;
    int held;          /* 1: the place is where its features touch at q; else it is found from the point at q+ */
    double share[2];   /* of each body's way in how far that place has come */
    tacVec3 arm[2];    /* to there from the trees' origins at q */
    double G[3][12];   /* d(phi, u)/d(z_0, z_1): twists about the trees' origins at q+ */
    int flat;          /* > 0: a point or ellipsoid above a plane that stays (ncp_flat.c) */
    tacVec3 core;      /* the point, or the middle, in its body */
    double pad, level; /* around the point; n . x of the plane */
    tacMat3 slide;     /* how the lowest point slides in the body as this turns: zero for a point */
} tacNcpContact;

struct tacNcp {
    const tacModel *m;
    const tacWork *w; /* at q */
    tacScene *scene;
    const double *q, *v, *mocap;
    tacSmoothPoint point;                 /* where forces are evaluated */
    int implicit;                         /* 1: forces are implicit in velocity */
    double h, damping_span, bounce_speed; /* bounce_speed: m/s, the least approach that bounces */
    double tolerance;                     /* m, rad: what a feasible state may overlap by */
    tacNcpFriction friction;
    int turned;     /* > 0: a motion tried since the last system turns this body too far */
    int came_round; /* > 0: the motion v has turned this body too far since q (-) h v: there is no step */
    tacWork next;   /* at q+: position stage alone */
    double *q_next, *hv;
    tacVec6 *before;       /* nbody: momentum before, with the weight's impulse; world axes, at the centre of mass */
    tacVec6 *f, *sum;      /* nbody: missing impulse about the tree's origin at q; its sums over subtrees */
    tacVec6 *rhs;          /* nbody, with g_rhs: of the reduced system */
    tacVec3 *slide, *spin; /* nbody: velocity of the centre of mass and angular velocity between q and q+ */
    double *g_rhs;         /* nv */
    double *anchor;        /* nv: the motion v+ where features were last added */
    double *tau, *g;       /* nv: impulses of joint forces; missing impulse of the dofs themselves */
    int ncontact, max_contacts, room; /* max_contacts: found at a time; room: in all */
    int nleft;                        /* contacts that were left out and overlap at q: at the end of that room */
    int infeasible;                   /* 1: what q breaks gives way   (W49) */
    double gap_unit;                  /* of cones of gaps   (W8) */
    tacNcpContact *contact;
    tacNcpRows rows;
    tacContact *found;
    int ncone, numbers;
    double bend; /* share of what contacts add at fixed impulses that the systems have */
    int *dim;
    double *unit, *ratio; /* ncone: of the products; of b to a, about: inverse masses */
    double *x, *a, *b;    /* x: v+, then impulses of equalities */
    struct {
        double violation, centring; /* as of tacInterior */
    } end;                          /* of the last search */
    tacBlockLdu ldu;
};

/* Features that there is room for, with those that are added after a first solution. */
int tac_ncp_room(int max_contacts);
/* Takes the problem's arrays. 0: the arena is too small. */
int tac_ncp_layout(tacNcp *p, const tacModel *m, int max_contacts, tacArena *arena);

/* The position stage of a workspace. */
int tac_ncp_pose_layout(tacWork *w, const tacModel *m, tacArena *arena);

/* --- Bodies and joints (ncp_bodies.c) ----------------------------------------------------------------------------- */

/* Momentum of turning between two orientations, in the axes of the first (`after`) or second (`before`), from the
 * relative quaternion r, phi = log r: Jr^-1(+-phi) J phi / h   (W2, W3) */
tacVec3 tac_turn_momentum(tacSym3 J, tacQuat r, double h, int after);
/* Its derivative (`after`) as the second orientation turns by a small rotation in the axes of the first   (W4) */
tacMat3 tac_turn_momentum_jac(tacSym3 J, tacQuat r, double h);
/* The same for a body between two poses, world axes; its momentum too where asked for. */
tacMat3 tac_ncp_turn_block(const tacWork *first, const tacWork *second, int b, tacSym3 J, double h, tacVec3 *momentum);
/* H += [T 0; 0 s 1] at a body's centre of mass, as a 6 x 6 block about points from which it is at these arms. */
void tac_ncp_add_rigid(const tacMat3 *T, double s, tacVec3 arm_row, tacVec3 arm_column, double *H);
/* [a]: the matrix of a x. */
tacMat3 tac_ncp_skew(tacVec3 a);
/* Momentum of turning gained between the pose before (w[0]), at q and at q+ (w[2]), world axes: linear in J. */
tacVec3 tac_ncp_turn_gained(const tacWork *const w[3], int b, tacSym3 J, double h);
/* w at q (-) h v, and those coordinates. */
void tac_ncp_pose_before(tacNcp *p, tacWork *w, double *q_before);
/* State at hand (w at q and v, tau set) -> ldu.still, before, came_round; where v comes round too far, `before` is that of v
 * itself. Uses next. */
void tac_ncp_begin(tacNcp *p);
/* v+ -> poses at q+, f and g without contacts and limits. TAC_ERR_DEGENERATE: a body or a joint turns by almost pi or
 * more. */
tacStatus tac_ncp_move(tacNcp *p, const double *v_next);
/* -> ldu: axes, blocks and diag of bodies and joints, without contacts and limits. */
void tac_ncp_linearize(tacNcp *p);

/* --- Contacts (ncp_contact.c) ------------------------------------------------------------------------------------- */

/* Contacts of the scene at q (p->found) and rows -> cones; needs: tac_ncp_begin. */
void tac_ncp_constrain(tacNcp *p, int nfound);
void tac_ncp_add_cone(tacNcp *p, int dim, double unit, double ratio);
/* d(unit of gaps)   (W8) */
double tac_ncp_unit_change(const tacNcp *p, const tacInertialTangent *d);
/* m/s: how fast the overlap of two geoms of these bodies goes away. */
double tac_ncp_parting_speed(const tacModel *m, const int body[2]);
/* A contact whose features were found at q+: where they touch at q, or else how its place goes with the bodies. */
void tac_ncp_find_place(tacNcp *p, tacNcpContact *c);
/* Contacts that bounce and overlap at q+ all the same, as their bodies turn: they only part -> how many. */
int tac_ncp_stop_bounces(tacNcp *p, double tolerance);
/* One more contact, closed as `start` says, a touch of its two geoms at q. Not where nothing could part it, or there is
 * no room. */
void tac_ncp_take_contact(tacNcp *p, const tacContact *found, const tacContact *start, const tacNcpClosed *closed);
/* Whether a mocap body pushes the other. */
int tac_ncp_pushes(const tacModel *m, const int body[2]);
/* Contacts at q+ (p->found, all within reach of the motion) take the place of those that p has; -> how many have come
 * and gone (ncp_features.c). */
int tac_ncp_choose_anew(tacNcp *p, int nfound);
/* By how much any contact at q+ (p->found) overlaps; 0: by no more than the tolerance. Those that do and have features
 * that the problem has not: added -> how many (ncp_features.c). */
double tac_ncp_overlap(const tacNcp *p, int nfound, double tolerance);
int tac_ncp_add_overlapping(tacNcp *p, int nfound, double tolerance);
/* Contacts whose features were lost on the way leave the problem -> how many; what they were is forgotten. */
int tac_ncp_leave_out_lost(tacNcp *p);
void tac_ncp_forget_lost(tacNcp *p);
/* 1: a feature that was found ahead is worth having from the start. */
int tac_ncp_is_due(const tacNcp *p, const tacContact *found);
/* 1: the motion v overlaps by so much of the bodies' size that steps along the central path rarely lead anywhere. */
int tac_ncp_is_rough(const tacNcp *p);
/* 1: two geoms have as many contacts as are kept of them, perhaps of more. */
int tac_ncp_has_full_pair(const tacNcp *p);
/* Geometry of all contacts at the poses of tac_ncp_move. TAC_ERR_DEGENERATE: one of them, lost, has no features
 * there. */
tacStatus tac_ncp_place(tacNcp *p);
/* Tangents as the contact has them -> now; unit ones -> scaled, in a change of the contact. */
void tac_ncp_squeeze(const tacNcpContact *c, tacVec3 tangent[2]);
/* One geom at the poses of w, in the scene. */
void tac_ncp_place_geom(tacNcp *p, const tacWork *w, int geom);
/* Its features at the poses of the scene. */
tacStatus tac_ncp_rebuild(const tacScene *s, const tacNcpContact *c, tacContact *now);
/* f -= wrench on both bodies of an impulse with components t, normal first. */
void tac_ncp_add_impulse(const tacNcp *p, const tacNcpContact *c, const double t[3], tacVec6 *f);
/* Impulse from body 0 on body 1 of components (normal, tangents). */
tacVec3 tac_ncp_impulse(const tacContact *c, const double t[3]);
/* Iterate -> impulses on f, residuals of contacts; -> the largest. */
double tac_ncp_load(tacNcp *p, const double *a, const double *b);

/* --- Contacts in the linear system (ncp_contact_system.c) --------------------------------------------------------- */

/* -> what they add to ldu. TAC_ERR_DEGENERATE: a contact has no derivative. */
tacStatus tac_ncp_contact_blocks(tacNcp *p);
/* Its parts. -> c->G, and Gamma (of each side's wrench at fixed impulses by the poses at q+, about the origins), and
 * the point's own changes with these (NULL: not). */
tacStatus tac_ncp_contact_jac(tacNcp *p, tacNcpContact *c, double Gamma[2][6][12], double point[3][12]);
/* TAC_ERR_ARENA_FULL: no room for an edge. */
tacStatus tac_ncp_couple(tacNcp *p, const tacNcpContact *c, const double K[9], double Gamma[2][6][12]);
/* Row over twists about a point -> about an origin from which the point is at d. */
void tac_ncp_shift_row(tacVec3 d, double *row);
/* The same for a point or ellipsoid above a plane that stays (ncp_flat.c). Whether a contact is one, and its
 * numbers: */
void tac_ncp_flat_begin(const tacNcp *p, tacNcpContact *c);
/* -> c->now at q+; c->G there; Gamma's rows of torque on a side by the pose of body 1 (its other rows are zero). */
void tac_ncp_flat_place(const tacNcp *p, tacNcpContact *c);
void tac_ncp_flat_rows(const tacNcp *p, tacNcpContact *c);
void tac_ncp_flat_bending(const tacNcp *p, const tacNcpContact *c, int side, double torque[3][6]);
/* How one side of a contact moves: centre of mass and turn, at q (-) h v, at q and at q+. */
typedef struct tacNcpSide {
    tacVec3 dx_before, turn_before, dx_now, turn_now, dx_next, turn_next;
} tacNcpSide;
/* What its changes have in common: the impulse on body 1, slip, and where it bounces slip and bounce times that before;
 * of each side (zero where it does not move) the spin, the arm from the centre of mass at q, and Jr^-1(h spin), also of
 * the spin before. */
typedef struct tacNcpFrame {
    tacVec3 impulse, slip, both, spin[2], arm[2];
    tacMat3 inverse[2], came_inverse[2];
} tacNcpFrame;
tacNcpFrame tac_ncp_contact_frame(const tacNcp *p, const tacNcpContact *c);
/* What a contact makes of its own motion d at q+, of its touch at q by `start`, and of its sides': gap, slip, and at
 * fixed impulses the wrench on each side about the tree's origin at q, centre of mass kept there. */
typedef struct tacNcpChange {
    double gap_slip[3];
    tacVec6 wrench[2];
} tacNcpChange;
tacNcpChange tac_ncp_contact_change(const tacNcp *p, const tacNcpContact *c, const tacNcpFrame *frame,
                                    const tacContactTangent *d, tacVec3 start, const tacNcpSide side[2]);
/* Right sides c of the complementarity rows -> f and g of the reduced system, rows included. */
void tac_ncp_reduce(tacNcp *p, const double *c, double *f, double *g);
/* Solved motion (ldu.z) -> da, db; needs tac_ncp_reduce with the same c. */
void tac_ncp_recover(const tacNcp *p, double *da, double *db);

/* --- Trial points (ncp_settle.c) ---------------------------------------------------------------------------------- */

/* a, b as the linear equations of a step have them -> on the central path at kappa, for the poses of tac_ncp_place. Of
 * the residuals that were noted, `left` stay with gaps and slips. */
void tac_ncp_settle(const tacNcp *p, double kappa, double left, double *a, double *b);
/* Residuals of contacts and rows are kept for it: those of the last systems. */
void tac_ncp_note_residuals(tacNcp *p);
/* Residuals of the iterate as the root of an energy (ncp_size.c)   (W14c). */
double tac_ncp_size(const tacNcp *p);

/* --- The problem (ncp.c) ------------------------------------------------------------------------------------------ */

tacInteriorProblem tac_ncp_problem(tacNcp *p);
/* v+ -> poses, contacts and rows there. TAC_ERR_DEGENERATE: as of tac_ncp_move, tac_ncp_place. */
tacStatus tac_ncp_put(tacNcp *p, const double *v_next);
/* Velocity of the material point of body 1 against that of body 0, between q and q+. */
tacVec3 tac_ncp_slip(const tacNcp *p, const tacNcpContact *c);
/* The same of one that bounces, at the same place, between q (-) h v and q. */
tacVec3 tac_ncp_slip_before(const tacNcp *p, const tacNcpContact *c);
/* What each contact did in the step: out[ncontact] (ncp_report.c). */
void tac_ncp_contact_forces(const tacNcp *p, tacContactForce *out);
/* Mean mass of the bodies that move (ncp_report.c). */
double tac_ncp_mean_mass(const tacNcp *p);
/* What q breaks (ncp_report.c). Needs: tac_ncp_constrain. */
void tac_ncp_report_start(const tacNcp *p, tacStepInfo *info);
/* Counts and margins of the step's contacts (ncp_report.c). */
void tac_ncp_report(const tacNcp *p, tacStepInfo *info);
/* Start of search number `start`: x (with `again` as it is), a, b, the cone variables on the central path. */
enum { TAC_NCP_STARTS = 5 };
tacStatus tac_ncp_start(tacNcp *p, int start, int again);
/* Numbers of a, of x, at most. */
int tac_ncp_most_numbers(const tacModel *m, int max_contacts);
int tac_ncp_most_unknowns(const tacModel *m);
/* Numbers of x. */
int tac_ncp_unknowns(const tacNcp *p);

/* --- Derivatives (ncp_deriv.c, ncp_param.c, ncp_adjoint.c) -------------------------------------------------------- */

enum { TAC_NCP_BEFORE, TAC_NCP_NOW, TAC_NCP_NEXT, TAC_NCP_POSES };

/* What contacts and rows answer to, as rows of a derivative at fixed q+: of a contact its gap less rest, two slips,
 * friction and the unit of its products; then of all rows their values, and the numbers of their laws. */
enum { TAC_NCP_GAP, TAC_NCP_MU = 3, TAC_NCP_UNIT, TAC_NCP_INPUTS };

/* A contact at the solution, p its impulses (gamma, xi_1, xi_2). */
typedef struct tacNcpAnswer {
    double K[9];                  /* dp = -K d(gap, slip) */
    double to[3][TAC_NCP_INPUTS]; /* dp/d(inputs) */
    double start[3][12];          /* d(gap less rest, slip)/d(poses at q) */
    double closed;                /* tac_ncp_closed_by_gap */
    double before[12];            /* of one that bounces, d(way)/d(poses at q (-) h v) */
    double place[3][12];          /* d(place)/d(poses at q) */
    double Gamma[2][6][12];       /* tac_ncp_contact_jac */
    double point[3][12];
    tacVec6 unit[2][3]; /* tac_ncp_units */
} tacNcpAnswer;

/* What tac_ncp_adjoint_long works with. */
typedef struct tacNcpLong {
    tacLong *lambda, *path; /* nv, 6 nbody: sums of S lambda on the way to each body */
    tacLong *y, *mu;        /* what impulses feel: 3 a contact, 1 a row; inputs */
    tacLong *t, *rest;      /* 6 nbody, nv: what is left */
} tacNcpLong;

struct tacNcpDeriv {
    double conditioning; /* what rounding is multiplied by in the answers so far, about */
    double kappa;
    tacWork before; /* at q (-) h v: position stage */
    double *q_before;
    double *block[TAC_NCP_POSES]; /* nbody x 36: df/d(pose) of all behind a body, without contacts */
    tacVec6 *row[TAC_NCP_POSES];  /* nv: S . block of the dof's body */
    double *rigid, *diag;         /* nbody x 36, nv: of the step's system without contacts and limits */
    double *held;                 /* nbody x 36: rigid less Gamma of sides by their own poses */
    tacVec6 *by_q, *by_v;         /* nv: twist of the pose before per unit of q_j, v_j */
    tacVec6 *wrench;              /* nbody: what is missing to balance, at the centre of mass */
    tacNcpAnswer *answer;         /* a contact */
    tacVec6 *path;                /* nbody, with rest (nv): of tac_ncp_adjoint */
    double *rest, *mu_given;      /* mu_given: inputs */
    tacNcpLong longer;
};

/* Where one kind of column goes: changes of the dofs' balance R at fixed impulses of contacts and limits, of what these
 * answer to, and of contact wrenches on bodies at fixed impulses (6 nbody rows; empty: not asked for). */
struct tacNcpSink {
    tacSink balance, inputs, wrench;
};

int tac_ncp_deriv_layout(tacNcpDeriv *d, const tacModel *m, int max_contacts, tacArena *arena);
/* Rows of inputs, at the solution; at most. */
int tac_ncp_inputs(const tacNcp *p);
int tac_ncp_most_inputs(const tacModel *m, int max_contacts);
/* At the solution for kappa -> d, and ldu factored. */
tacStatus tac_ncp_differentiate(tacNcp *p, tacNcpDeriv *d, double kappa);
/* The change of v+ that keeps q+ where it is as q_j moves: -1/h, for rotations a row of -Jr^-1(h v+)^T / h. Of 1 or 3
 * dofs, from *first on. */
int tac_ncp_hold(const tacNcp *p, int j, double dv[3], int *first);
double tac_ncp_own_inertia(const tacNcp *p, int dof);
/* block z */
tacVec6 tac_ncp_block_times(const tacNcpDeriv *d, int pose, int body, tacVec6 z);
/* A contact at q or, of one that bounces, at q (-) h v (w, at), prepared there. */
tacStatus tac_ncp_start_system(tacNcp *p, const tacWork *w, const tacContact *at, tacContactSystem *system);
/* Wrenches of unit impulses on both sides, about the trees' origins; zero on what does not move. */
void tac_ncp_units(const tacNcp *p, const tacNcpContact *c, tacVec6 unit[2][3]);

/* Emits the columns of q and v, but for joint forces and for axes that turn at fixed f. */
void tac_ncp_state_jac(const tacNcp *p, const tacNcpDeriv *d, const tacNcpSink *q, const tacNcpSink *v);
/* What ncp_param.c reads. */
struct tacNcpView {
    tacNcp *p;
    const tacNcpDeriv *d;
    const tacSmoothPoint *x;
    int free; /* 1: without constraints */
};
/* Emits the columns of mocap poses and parameters, but for joint forces; NULL skips. */
tacStatus tac_ncp_param_jac(const tacNcpView *v, const tacParamTangent *tangents, const tacNcpSink *mocap,
                            const tacNcpSink *theta);
/* Emits the column of the time step, but for joint forces (ncp_time.c). The change of v+ that keeps q+ where it is. */
void tac_ncp_time_jac(const tacNcpView *v, int column, const tacNcpSink *sink);
double tac_ncp_hold_time(const tacNcp *p, int dof);
/* The transpose of (inputs, balance) -> (v+, impulses): A^T lambda = vbar - G^T mu with mu += dp/d(inputs)^T (unit
 * impulses . lambda), so that bar = -lambda . dR + mu . dr. mu starts with dp/d(inputs)^T pbar, zero without pbar. */
void tac_ncp_adjoint(const tacNcp *p, tacNcpDeriv *d, const double *vbar, double *lambda, double *mu);
/* lambda and mu nearly so -> the same with what is left found in more digits: for contacts that are nearly redundant
 * (ncp_adjoint_long.c). d->mu_given: mu at the start. */
void tac_ncp_adjoint_long(const tacNcp *p, tacNcpDeriv *d, const double *vbar, double *lambda, double *mu);
/* The last two changes of an answer of this size, while it was refined -> d->conditioning: what is left to change, in
 * roundings. */
void tac_ncp_note_change(tacNcpDeriv *d, const double change[2], double size);

/* --- Forces of constraints (ncp_wrench.c) ------------------------------------------------------------------------- */

/* Forces of contacts on bodies, about their origins at q+ (6 nbody), and of constraints on dofs (nv). */
void tac_ncp_forces(tacNcp *p, double *wrench, double *qfrc);
/* wrench[nbody]: what is missing to the bodies' balance without contacts, at their centres of mass. */
void tac_ncp_free_wrenches(const tacNcp *p, tacVec6 *wrench);
/* Weights of the wrenches on bodies -> added to those of the poses at q+ (nbody) and of the inputs of contacts. */
void tac_ncp_wrench_weights(const tacNcp *p, const tacNcpDeriv *d, const double *wrenchbar, tacVec6 *zbar, double *mu);
/* Weights of the forces on dofs -> added to those of the poses at q+ and of v+. Overwrites d->path. */
void tac_ncp_free_weights(const tacNcp *p, const tacNcpDeriv *d, const double *qfrcbar, tacVec6 *zbar, double *vbar);
/* Poses at q+ follow v+: vbar += right^T (sums of zbar over subtrees); zbar is overwritten. */
void tac_ncp_pose_weights(const tacNcp *p, tacVec6 *zbar, double *vbar);
