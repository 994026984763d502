/* How to simulate: tacOptions, a plain struct from tac_default_options. Results and outputs of a step. */
#pragma once

#include "tactus/contact.h"
#include "tactus/option_table.h"
#include "tactus/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Least ncp_kappa. Below it, products of impulses and gaps are lost in rounding. */
#define TAC_NCP_LEAST_KAPPA 1e-12

/* Contact models, one row each: enum, word, meaning. Each has the folder src/contact/WORD. */
#define TAC_CONTACT_MODELS(X)                                                                                          \
    X(NONE, none, "no constraints")                                                                                    \
    X(LCP, lcp, "hard contact: a linear complementarity problem on velocities")                                        \
    X(NCP, ncp, "hard contact: friction cones and a variational integrator, optionally smooth")                        \
    X(SOFT, soft, "soft contact: MuJoCo's convex problem")                                                             \
    /* the next row goes before this line */

typedef enum {
#define X(NAME, name, text) TAC_CONTACT_MODEL_##NAME,
    TAC_CONTACT_MODELS(X)
#undef X
        TAC_CONTACT_MODEL_COUNT
} tacContactModel;

/* Which derivative a step with contact returns. Only EXACT is the derivative of the step. */
typedef enum {
    TAC_GRADIENT_EXACT,          /* of the step */
    TAC_GRADIENT_BOUNCE,         /* lcp: dq+/dq of a bounce as in continuous time, -e along the contact normal */
    TAC_GRADIENT_COMPLEMENTARITY /* lcp, reverse mode only: contacts count as active or open, whichever gives the larger
                                    gradient of the loss; escapes saddle points */
} tacGradientMode;

/* Friction of contact ncp. */
typedef enum {
    TAC_NCP_CONE,        /* Coulomb's cone: tangential impulse |xi| <= mu gamma */
    TAC_NCP_PYRAMID,     /* inscribed pyramid |xi_1| + |xi_2| <= mu gamma, edges along the contact tangents */
    TAC_NCP_FRICTIONLESS /* no friction */
} tacNcpFriction;

/* How contact ncp finds where shapes touch. */
typedef enum {
    TAC_NCP_FEATURES,    /* by their features: exact sharp geometry, several points a face */
    TAC_NCP_SINGLE_LEVEL /* one smooth contact a pair, solved together with the impulses; with pads and sums */
} tacNcpCollision;

/* Optional blocks of u after ctrl, in this order. */
enum {
    TAC_INPUT_QFRC = 1 << 0, /* qfrc_applied, nv: generalized forces */
    TAC_INPUT_XFRC = 1 << 1, /* xfrc_applied, 6 nbody: a tacForceTorque on each body */
    TAC_INPUT_MOCAP = 1 << 2 /* for each mocap body: position(3), quaternion(4) */
};

typedef struct tacOptions {
    uint32_t cookie;         /* set by tac_default_options; an uninitialised struct is refused */
    tacContactModel contact; /* default TAC_CONTACT_MODEL_SOFT; TAC_CONTACT_MODEL_NONE: no constraints */
    tacIntegrator
        integrator; /* default: the model's, or TAC_INTEGRATOR_EULER if the contact model does not support it. Any other
                                  unsupported value is an error. lcp: Euler. ncp: Euler (variational), implicit,
                                  implicitfast */
    double dt;      /* s; default: the model's timestep */
    unsigned inputs;           /* TAC_INPUT_* bits; default 0 */
    int max_contacts;          /* maximum number of contacts, at most 2^28; default tac_max_contacts */
    int toi;                   /* lcp: 1: the step stops at impacts, so nothing overlaps; default 0 */
    int toi_impacts;           /* maximum impacts per step; more: TAC_ERR_IMPACTS; default 64 */
    tacGradientMode gradient;  /* default TAC_GRADIENT_EXACT */
    double bounce_speed;       /* m/s: contacts that approach more slowly do not bounce; default 0.01 */
    int lcp_dense_rows;        /* lcp: maximum rows of a large island for dense matrices; default 288 */
    int lcp_coriolis;          /* lcp: 1: Coriolis forces of linked bodies from momenta, so they add no energy;
                                  default 0 */
    double ncp_kappa;          /* softness of contact, dimensionless: the point on the central path; default 1e-8 */
    double ncp_gradient_kappa; /* softness for derivatives, at least ncp_kappa; 0, the default: the same as ncp_kappa */
    tacNcpFriction ncp_friction;   /* default TAC_NCP_CONE */
    tacNcpCollision ncp_collision; /* default TAC_NCP_FEATURES */
    double ncp_geometry_softness;  /* single-level: how much softer than contact shapes are in derivatives; default 1 */
    double ncp_tolerance;          /* N s, m, m/s: largest residual, at least the rounding of m |x|/dt; default 1e-9 */
    int ncp_iterations;            /* maximum linear systems per step; default 200 */
    int ncp_polish; /* maximum Newton steps after convergence, while they help; for finite differences; default 0 */
    tacSolver soft_solver; /* default: the model's; TAC_SOLVER_PGS selects Newton's, which has the same solution */
    double soft_tolerance; /* soft: solver tolerance (residual); default 0: down to rounding */
    int soft_iterations;   /* soft: maximum solver iterations; default 0: the model's value, at least 100 (CG: 1000) */
    double soft_ls_tolerance; /* soft: line-search tolerance (relative slope); default 0: the model's, at most 1e-3 */
    int soft_ls_iterations;   /* soft: maximum line-search iterations; default 0: the model's value, at least 50 */
    /* Integrators with inner steps, TAC_INTEGRATOR_TSIT5 to TAC_INTEGRATOR_STIFF (docs/theory/adaptive.md) */
    double rtol, atol; /* an inner step's error is at most atol + rtol |x|, root mean square over tangent coordinates;
                          rotations: atol + rtol. From 1e-14 to 1; default 1e-6 each */
    double inner_dt;   /* s: first inner step; default 0: estimated from the state */
    int inner_steps;   /* number of equal inner steps, without error control; default 0: error control */
    int inner_max;     /* maximum inner steps per step, accepted and rejected: more: TAC_ERR_INNER_MAX; default 10000 */
    int event_max;     /* maximum events per step; more: TAC_ERR_EVENTS; -1: no events are looked for; default 1000 */
    int inner_checkpoints; /* inner states that reverse mode keeps within a step; the result has the same bits for any
                              number; default 32 */
    struct tacStepInfo *batch_info; /* batches only: one info per world; default NULL: none */
    const volatile int *stop;       /* rollouts: not 0 there: no further step begins, TAC_ERR_STOPPED; default NULL */
} tacOptions;

/* One row of TAC_OPTION_TABLE. */
typedef enum { TAC_OPTION_CHOICE, TAC_OPTION_INT, TAC_OPTION_REAL } tacOptionKind;
typedef struct tacOptionInfo {
    const char *name; /* the field of tacOptions */
    tacOptionKind kind;
    size_t offset;      /* of the field */
    double value;       /* the default, unless the model gives it */
    double least, most; /* its range */
    int range;          /* bits of TAC_RANGE_* */
    unsigned contacts;  /* contact models that read it, bits of TAC_FOR; 0: all */
    const char *words;  /* CHOICE: "exact|bounce|"; else NULL */
    const char *flag;   /* command-line flag; NULL: none */
    const char *text;   /* its meaning */
} tacOptionInfo;

/* Why a step is TAC_ERR_UNSOLVED. SPIN: any contact model. The others: contact ncp. */
#define TAC_REASON_LIST(X)                                                                                             \
    X(TAC_REASON_NONE, "no reason is known")                                                                           \
    X(TAC_REASON_ITERATIONS, "its iterations were used up")                                                            \
    X(TAC_REASON_STALLED, "the solver stalled")                                                                        \
    X(TAC_REASON_SINGULAR, "a linear system of the solver was singular")                                               \
    X(TAC_REASON_TURNED, "the solver would turn a body by almost pi or more in one step")                              \
    X(TAC_REASON_TOUCH, "the solver reached a pose where the features of a contact do not touch")                      \
    X(TAC_REASON_FEATURES, "the features that touch kept changing")                                                    \
    X(TAC_REASON_OVERLAP, "the solution overlaps at features that the problem already has")                            \
    X(TAC_REASON_SPIN, "a body turns too fast for the time step")

typedef enum {
#define X(name, text) name,
    TAC_REASON_LIST(X)
#undef X
        TAC_REASON_COUNT
} tacReason;

/* One iteration of the solver, before its step. */
typedef struct tacIteration {
    double residual; /* as in tacStepInfo */
    double centring; /* distance of products of cone variables from the central path, in units of kappa */
    double kappa;    /* target */
    double length;   /* step length: fraction of the direction */
    int search;      /* number of the search; each has another start or other features */
} tacIteration;

/* m, rad: a state that violates a constraint by more is an inconsistent start. Steps of lcp and ncp lead to such states
 * only if they are TAC_ERR_UNSOLVED or, with lcp, if a fast body rotates as it lands. */
#define TAC_START_TOLERANCE 1e-3

/* m, rad: a gap that turns back nearer to its margin grazes (graze_margin). */
#define TAC_GRAZE_MARGIN 1e-6

/* What happened in a step: solver, contacts, and distances to the next kink of the gradient. */
typedef struct tacStepInfo {
    tacStatus status;
    int bad_index; /* TAC_ERR_NONFINITE: the first such entry of [x | u], or -1 if the result overflows; else -1 */
    /* Of contact models; zero with TAC_CONTACT_MODEL_NONE, except ties. */
    int contacts, sticking, sliding; /* contact points with a force; of them: sticking, sliding */
    tacReason reason;                /* why the step is unsolved */
    int iterations;                  /* linear systems solved, including ncp_polish */
    double residual;                 /* largest violation of the contact problem's conditions, in units of its force */
    double kappa;                    /* ncp: kappa of the solve that status, reason, iterations and residual belong to.
                                        With ncp_gradient_kappa, tac_step_jac with y solves twice. They belong to the
                                        step's own solve if that is TAC_ERR_UNSOLVED, else to the softer one. The
                                        derivatives and all other fields belong to the softer one */
    int impacts;                     /* toi: number of impacts in this step */
    double impact_time;              /* s: time of the first one, from the start of the step */
    double class_margin;             /* m/s (rad/s): least change of a row's velocity that changes its class */
    double feature_margin;           /* m: least motion after which other features touch. Contact soft: contacts and
                                        limits without a row count only in tac_step_jac with an info */
    double force_margin;             /* least change of one number of x, u or theta that takes the force of a row to a
                                        bound (soft: a constraint to another zone), to first order. Small where
                                        contacts are nearly redundant. Computed by tac_step_jac with an info; else 0.
                                        Infinite with contact ncp, whose forces reach no bound */
    double restitution_share;        /* lcp, ncp: smallest factor of all islands. The restitutions of an island are
                                        multiplied by its factor, so impacts add no energy. 1: Newton's law */
    int ties;                        /* rows that are in two classes at once, to rounding: the step has a kink here.
                                        Any contact model: also controls, forces and activations at a bound of their
                                        range, and tendon springs at an end of their dead band */
    double conditioning;             /* largest over smallest pivot of the linear systems of the derivatives; ncp: about
                                        the amplification of rounding in them; 0: no system */
    uint64_t active_set;             /* hash of contacts, features and classes. While it is constant, the step is
                                        smooth. Finite differences across two values are meaningless */
    tacStatus start;                 /* lcp, ncp: TAC_ERR_INCONSISTENT: x violates a constraint by more than
                                        TAC_START_TOLERANCE. The step still runs, and reduces violations as far as
                                        possible; tac_project_state repairs such a state */
    tacViolation violation;          /* lcp, ncp: largest violation at x; constraints of mocap bodies do not count */
    /* Of integrators with inner steps; else zero. ties counts also events at one time whose order changes the step. */
    int inner_accepted, inner_rejected; /* inner steps */
    int events;            /* onsets and ends of constraints that still act, where the acceleration jumps */
    int switches;          /* changes of a contact's features while it acts: the derivative has no term for them */
    double error_estimate; /* largest error of an accepted inner step, in units of its tolerance */
    double graze_margin;   /* m, rad: least distance from its margin at which a gap turned back; below 1e-6 the step has
                              no two-sided derivative. Infinite: none turned back */
    double stop_time;      /* s: time within the step that was reached; dt: all of it */
    int has_stop;          /* 1: the step failed at stop_time because of the constraint below */
    tacConstraintKind stop_kind;
    int stop_id[2];     /* contact: its geoms; limit: joint or tendon, then 0 lower, 1 upper */
    double energy_gain; /* J: E(y) - E(x) minus the work of inputs, h (v + v+)/2 . f at x. E is that of tac_energy at
                           the step's mocap poses; f = actuators + gravity compensation + applied forces. Mocap
                           bodies are at rest in a step and do no work, so a body that follows one gains energy.
                           Dampers, friction and impacts lose it. Rollout: the sum; reverse mode: 0; overflow:
                           infinite */
    /* Of a rollout; a single step is a rollout of one step. */
    int steps;             /* steps with a next state */
    int unsolved;          /* of them: not solved (TAC_ERR_UNSOLVED, TAC_ERR_IMPACTS) */
    int first_unsolved;    /* index of the first such step, from 0; -1: none */
    double worst_residual; /* largest residual of all steps */
} tacStepInfo;

/* Derivatives of a step y = f(x, u; theta) in tangent coordinates: ndx = 2 nv + na (tac_ndx), rows and columns dq, dv,
 * da. Row major, caller-owned; NULL skips one. */
typedef struct tacJac {
    double *A; /* ndx x ndx: dy/dx */
    double *B; /* ndx x ninput: dy/du, by the entries of u */
    double *P; /* ndx x nparam: dy/dtheta, registered parameters */
} tacJac;

/* Result of reverse mode for a covector ybar: the gradient of ybar . y. Overwritten; NULL skips one. */
typedef struct tacGrad {
    double *x;     /* ndx */
    double *u;     /* ninput */
    double *theta; /* nparam */
} tacGrad;

/* A direction for forward mode, in the arguments of a step or a rollout. NULL: zero. */
typedef struct tacTangent {
    const double *x;     /* ndx */
    const double *u;     /* ninput; rollout: n by ninput */
    const double *theta; /* nparam */
} tacTangent;

/* Input of the reverse mode of a rollout: n steps, and the gradient of a loss by their states. */
typedef struct tacTrajectory {
    int n;
    const double *x0;   /* nx */
    const double *U;    /* n by ninput */
    const double *X;    /* (n+1) by nx, the states of tac_rollout; NULL: recomputed */
    const double *Xbar; /* (n+1) by ndx, dloss/dX[k]; NULL: zero */
    const double *xbar; /* ndx, added to the last row of Xbar; NULL: zero */
} tacTrajectory;

/* Memory of the reverse mode of a rollout. Up to `count` states are kept there besides x0. If X is given, none is kept,
 * and count may be 0. */
typedef struct tacCheckpoints {
    int count;    /* states; 0: every state is recomputed from x0 */
    void *memory; /* 64-byte aligned */
    size_t bytes; /* at least tac_rollout_vjp_bytes of n and count; with X: of n and 0 */
} tacCheckpoints;

/* Quantities of one element (`id`), or of the whole model (`id` 0), as terms of a loss. World frame. */
typedef enum {
    TAC_OUT_BODY_POS,          /* 3: body origin */
    TAC_OUT_BODY_MAT,          /* 9: orientation, row major */
    TAC_OUT_BODY_COM,          /* 3: centre of mass of the body */
    TAC_OUT_GEOM_POS,          /* 3 */
    TAC_OUT_GEOM_MAT,          /* 9 */
    TAC_OUT_SITE_POS,          /* 3 */
    TAC_OUT_SITE_MAT,          /* 9 */
    TAC_OUT_JOINT_POS,         /* 3: anchor */
    TAC_OUT_JOINT_AXIS,        /* 3 */
    TAC_OUT_SUBTREE_COM,       /* 3: centre of mass of a body and its descendants; body 0: of the whole model */
    TAC_OUT_SUBTREE_VELOCITY,  /* 3: its velocity */
    TAC_OUT_BODY_VELOCITY,     /* 6: angular velocity, then linear velocity of the body's origin, world axes */
    TAC_OUT_SITE_VELOCITY,     /* 6: the same of a site */
    TAC_OUT_MOMENTUM,          /* 6, of the model: angular about its centre of mass, then linear */
    TAC_OUT_KINETIC,           /* 1, of the model: kinetic energy, armature included */
    TAC_OUT_POTENTIAL,         /* 1, of the model: gravity and springs */
    TAC_OUT_TENDON_LENGTH,     /* 1 */
    TAC_OUT_TENDON_VELOCITY,   /* 1 */
    TAC_OUT_ACTUATOR_LENGTH,   /* 1 */
    TAC_OUT_ACTUATOR_VELOCITY, /* 1 */
    TAC_OUT_ACTUATOR_FORCE,    /* 1: after clamping */
    TAC_OUT_ACT_DOT,           /* 1, of an activation: its rate */
    TAC_OUT_QFRC_ACTUATOR,     /* 1, of a dof: force of the actuators, after clamping at the joint */
    TAC_OUT_QFRC_PASSIVE,      /* 1, of a dof: springs, dampers, gravity compensation */
    TAC_OUT_ACCELERATION,      /* 1, of a dof: qacc in continuous time; includes constraints only with contact soft */
    /* Of the step that starts at (x, u): means over the step (soft: at its start). Zero with TAC_CONTACT_MODEL_NONE. */
    TAC_OUT_CONTACT_FORCE,   /* 6, of a body: torque about its origin, then force, sum over its contacts; N m, N */
    TAC_OUT_QFRC_CONSTRAINT, /* 1, of a dof: force of contacts, limits, dry friction and equalities */
    TAC_OUT_PAIR_FORCE,      /* 3, of two geoms: force of geom id on geom id2, summed over the contacts of the pair, N.
                                Each contact has its components in its own frame (tacContact): along the normal, which
                                points from id to id2, then along tangent[0] and tangent[1]. So z[0] is the sum of the
                                normal forces, 0 or more, also where the normals of a pair differ. With the ids
                                exchanged, z[0] stays and the friction changes its sign */
    TAC_OUT_GROWTH,          /* 9, of two geoms: alpha, dual value, gap, point, normal of tac_geom_growth at `kappa` */
    TAC_OUTPUT_KINDS
} tacOutputKind;

/* As an id: all elements of the kind, in order. No function returns this number as an id. -1, which tac_model_find
 * returns for an unknown name, is an error. */
enum { TAC_OUT_ALL = -2147483647 - 1 };

typedef struct tacOutput {
    tacOutputKind kind;
    int id;       /* body, geom, site, joint, tendon, actuator, activation or dof; TAC_OUT_ALL, except for a pair */
    int id2;      /* the second geom of a pair; other kinds ignore it */
    double kappa; /* of a growth: above 0, at most 1 */
} tacOutput;

/* z = [output 0 | output 1 | ...]; caller-owned. */
typedef struct tacOutputs {
    int n;
    const tacOutput *list;
} tacOutputs;

/* The workspace of one simulation; opaque; one thread at a time. Results do not depend on its history. */
typedef struct tacSim tacSim;

#ifdef __cplusplus
}
#endif
