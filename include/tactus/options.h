/* How to simulate: plain struct, from tac_default_options. */
#pragma once

#include "tactus/contact.h"
#include "tactus/option_table.h"
#include "tactus/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Least ncp_kappa: below, the products of impulses and gaps have no digits left. */
#define TAC_NCP_LEAST_KAPPA 1e-12

/* Contact models, one row each: enum, word, meaning. A row stands for the folder src/contact/WORD. */
#define TAC_CONTACT_MODELS(X)                                                                                          \
    X(NONE, none, "no constraint of any kind")                                                                         \
    X(LCP, lcp, "hard contact: a linear complementarity problem on velocities")                                        \
    X(NCP, ncp, "hard contact: friction cones and a variational integrator, smooth on request")                        \
    X(SOFT, soft, "soft contact: MuJoCo's convex problem")                                                             \
    /* the next row goes before this line */

typedef enum {
#define X(NAME, name, text) TAC_##NAME,
    TAC_CONTACT_MODELS(X)
#undef X
        TAC_CONTACT_COUNT
} tacContactModel;

/* Which derivative a step with contact returns. Those other than exact are not the derivative of the step. */
typedef enum {
    TAC_GRADIENT_EXACT,          /* of the step as it is */
    TAC_GRADIENT_BOUNCE,         /* lcp: dq+/dq of a bounce as continuous time has it, -e along the contact's normal */
    TAC_GRADIENT_COMPLEMENTARITY /* lcp, reverse mode alone: of contacts held or open as the loss asks, where that gives
                                    a larger gradient: a way out of saddle points */
} tacGradientMode;

/* Friction of contact ncp. */
typedef enum {
    TAC_NCP_CONE,        /* Coulomb's: impulses along the tangents |xi| <= mu gamma */
    TAC_NCP_PYRAMID,     /* its inscribed pyramid |xi_1| + |xi_2| <= mu gamma, edges along the contact's tangents */
    TAC_NCP_FRICTIONLESS /* impact alone */
} tacNcpFriction;

/* Blocks of u after ctrl, in this order, present when asked for. */
enum {
    TAC_INPUT_QFRC = 1 << 0, /* qfrc_applied, nv: generalized forces */
    TAC_INPUT_XFRC = 1 << 1, /* xfrc_applied, 6 nbody: force, torque per body at its centre of mass, world axes */
    TAC_INPUT_MOCAP = 1 << 2 /* per mocap body position(3) then quaternion(4) */
};

typedef struct tacOptions {
    uint32_t cookie;          /* set by tac_default_options; an uninitialised struct is refused */
    tacContactModel contact;  /* default TAC_SOFT; TAC_NONE: no constraint of any kind */
    tacIntegrator integrator; /* default: the model's own, which gives way where the contact model lacks it; another is
                                 refused there. lcp has Euler; ncp has Euler (variational), implicit, implicitfast */
    double dt;                /* s; default: the model's timestep */
    unsigned inputs;          /* TAC_INPUT_* bits; default 0 */
    int max_contacts;         /* contacts there is room for, at most 2^28; default tac_max_contacts */
    int toi;                  /* lcp: 1: steps stop at impacts, so that nothing ever overlaps; default 0 */
    int toi_impacts;          /* most impacts in a step; beyond, TAC_ERR_IMPACTS; default 64 */
    tacGradientMode gradient; /* default TAC_GRADIENT_EXACT */
    double bounce_speed;      /* m/s: contacts that close more slowly do not bounce, whatever their restitution; 0.01 */
    int lcp_dense_rows;       /* lcp: most rows of a large island that may be solved with dense matrices; default 288 */
    int lcp_coriolis;         /* lcp: 1: Coriolis forces of linked bodies are linearly implicit, so that they feed in no
                                 energy; default 0 */
    double ncp_kappa;         /* softness of contact, a pure number: the point on the central path; default 1e-8 */
    double ncp_gradient_kappa;   /* softness that derivatives are of; at least ncp_kappa counts; default 0: ncp_kappa */
    tacNcpFriction ncp_friction; /* default TAC_NCP_CONE */
    double ncp_tolerance;        /* N s, m, m/s: what equations may be off by, or rounding of m |x|/dt; default 1e-9 */
    int ncp_iterations;          /* linear systems a step may take; default 200 */
    int ncp_polish; /* Newton's steps more from there on, while they leave less: differences need it; default 0 */
    tacSolver soft_solver; /* default: the model's; TAC_SOLVER_PGS stands for Newton's, which has the same answer */
    double soft_tolerance; /* residual at which the solver of soft may stop; default 0: at rounding */
    int soft_iterations;   /* its steps, at most; default 0: the model's, or 100 (cg 1000) where that is more */
    double
        soft_ls_tolerance;  /* share of the slope left on a line; default 0: the model's, or 1e-3 where that is less */
    int soft_ls_iterations; /* points tried on a line, at most; default 0: the model's, or 50 where that is more */
    struct tacStepInfo *batch_info; /* batches alone: one info per world, written by that world; default NULL: none */
} tacOptions;

/* One option, as the table has it. */
typedef enum { TAC_OPTION_CHOICE, TAC_OPTION_INT, TAC_OPTION_REAL } tacOptionKind;
typedef struct tacOptionInfo {
    const char *name; /* the field of tacOptions */
    tacOptionKind kind;
    size_t offset;      /* of the field */
    double value;       /* the default where the model does not give it */
    double least, most; /* its range */
    int range;          /* bits of TAC_RANGE_* */
    unsigned contacts;  /* contact models that read it, bits of TAC_FOR; 0: all */
    const char *words;  /* of a choice: "exact|bounce|"; else NULL */
    const char *flag;   /* of the command line; NULL: none */
    const char *text;   /* its meaning */
} tacOptionInfo;

/* Why a step is TAC_ERR_UNSOLVED; contact ncp says, and bodies that turn too fast do. */
#define TAC_REASON_LIST(X)                                                                                             \
    X(TAC_REASON_NONE, "no reason is told")                                                                            \
    X(TAC_REASON_ITERATIONS, "its iterations were used up")                                                            \
    X(TAC_REASON_STALLED, "its search came no nearer to a solution")                                                   \
    X(TAC_REASON_SINGULAR, "a linear system of its search was singular")                                               \
    X(TAC_REASON_TURNED, "its search led to a body that turns by almost pi or more in one step")                       \
    X(TAC_REASON_TOUCH, "its search led to where features of a contact do not touch")                                  \
    X(TAC_REASON_FEATURES, "the features that touch kept changing")                                                    \
    X(TAC_REASON_OVERLAP, "its solution overlaps by features that it has already")                                     \
    X(TAC_REASON_SPIN, "a body turns too fast for the time step")

typedef enum {
#define X(name, text) name,
    TAC_REASON_LIST(X)
#undef X
        TAC_REASON_COUNT
} tacReason;

/* One iteration of a step's search, before it moves. */
typedef struct tacIteration {
    double residual; /* as tacStepInfo's */
    double centring; /* what products of cone variables are off the central path by, in units of kappa */
    double kappa;    /* aimed at */
    double length;   /* share of the direction that was gone */
    int search;      /* which of the searches it belongs to: others start elsewhere or with more features */
} tacIteration;

/* m, rad: a state that breaks a constraint by more is an inconsistent start. Steps of lcp and ncp do not leave such
 * states of themselves, but where they say TAC_ERR_UNSOLVED or, lcp, something fast turns as it lands. */
#define TAC_START_TOLERANCE 1e-3

/* What happened in a step, and why a gradient is what it is. */
typedef struct tacStepInfo {
    tacStatus status;
    int bad_index; /* TAC_ERR_NONFINITE: the first such entry of [x | u], or -1 where the result overflows; else -1 */
    /* contact models; zero without, but for ties */
    int contacts, sticking, sliding; /* contact points that carry force; of them, held by friction, at its bound */
    tacReason reason;                /* why it was not solved */
    int iterations;                  /* systems solved, those of ncp_polish with them */
    double residual;                 /* largest violation of the contact problem's conditions, in units of its force */
    double kappa;                    /* ncp: of the solve that status, reason, iterations and residual are of. With
                                        ncp_gradient_kappa tac_step_jac solves twice where y is asked for: they are of
                                        the step's own solve if that is TAC_ERR_UNSOLVED, else of the softer one, which
                                        the derivatives and all the rest here belong to */
    int impacts;                     /* toi: stops at impacts in this step */
    double impact_time;              /* s: of the first one, from the step's beginning */
    double class_margin;             /* m/s (rad/s): least change of a row's velocity that changes its class */
    double feature_margin;           /* m: least motion that makes other features touch. Contact soft: contacts and
                                        limits that have no row yet count for tac_step_jac alone, given an info */
    double force_margin;             /* least change of one number of x, u or theta by which a row's force reaches a
                                        bound (soft: a constraint comes to another zone), to first order: small where
                                        contacts share forces that their places barely tell apart. Found by
                                        tac_step_jac when it is given an info; else 0. Infinite with contact ncp, whose
                                        forces have no bound to reach */
    double restitution_share;        /* lcp, ncp: least of all sets of bodies that touch: their restitutions are
                                        multiplied by it, so that impacts give no energy. 1: Newton's law as it is */
    int ties;                        /* rows that are in two classes at once, to rounding: the step has a kink here.
                                        Without contact too: controls, forces and activations that stand at a bound of
                                        their range, tendon springs at an end of their dead band */
    double conditioning;             /* largest over smallest pivot of the systems that derivatives solve; ncp: what
                                      * rounding is multiplied by in them, about; 0: none */
    uint64_t active_set;             /* which contacts, features and classes hold: while it is the same, the step is
                                        smooth; differences across two values of it mean nothing */
    tacStatus start;                 /* of x, contact lcp and ncp: TAC_ERR_INCONSISTENT: it breaks a constraint by more
                                        than TAC_START_TOLERANCE. The step is done all the same and makes good what it
                                        can; tac_project_state mends such a state */
    tacViolation violation;          /* what x breaks most, but for what hangs on mocap bodies; of the same two */
    double energy_gain; /* J: E(y) - E(x) less the work of inputs, h (v + v+)/2 . f at x, where E is tac_energy's at
                           the step's mocap poses and f = actuators + gravity compensation + what is applied. Mocap
                           bodies stand still in a step and do no work: what follows one gains. Dampers, friction and
                           impacts lose. Of a rollout the sum; 0 of reverse modes; infinite where it overflows */
    /* of a rollout; a single step counts itself */
    int steps;             /* steps that have a next state */
    int unsolved;          /* of them: that state is not the one asked for (TAC_ERR_UNSOLVED, TAC_ERR_IMPACTS) */
    int first_unsolved;    /* number of the first such step, from 0; -1: there is none */
    double worst_residual; /* largest residual of all these steps */
} tacStepInfo;

/* Derivatives of a step y = f(x, u; theta) in tangent coordinates: ndx = 2 nv + na (tac_ndx), rows and columns dq, dv,
 * da. Row major, caller-owned; NULL skips one. */
typedef struct tacJac {
    double *A; /* ndx x ndx: dy/dx */
    double *B; /* ndx x ninput: dy/du, u's numbers as they are */
    double *P; /* ndx x nparam: dy/dtheta, the registered parameters */
} tacJac;

/* What the reverse mode returns for a covector ybar: the gradient of ybar . y. Overwritten; NULL skips one. */
typedef struct tacGrad {
    double *x;     /* ndx */
    double *u;     /* ninput */
    double *theta; /* nparam */
} tacGrad;

/* A rollout of n steps, and the gradient of a loss with respect to its states, for the reverse mode. */
typedef struct tacTrajectory {
    int n;
    const double *x0;   /* nx */
    const double *U;    /* n by ninput */
    const double *X;    /* (n+1) by nx, the states that tac_rollout gave; NULL: they are stepped again */
    const double *Xbar; /* (n+1) by ndx, dloss/dX[k]; NULL: zero */
    const double *xbar; /* ndx, added to the last row of it; NULL: zero */
} tacTrajectory;

/* Memory that the reverse mode of a rollout works in. It keeps up to `count` states there beside x0, and none where X
 * is given: then count may be 0. */
typedef struct tacCheckpoints {
    int count;    /* states; 0: every state is stepped again from x0 */
    void *memory; /* 64-byte aligned */
    size_t bytes; /* at least tac_rollout_vjp_bytes of n and count; where X is given, of n and 0 */
} tacCheckpoints;

/* What a loss can be made of besides the state: quantities of one element (`id`), or of the whole model (`id` 0). World
 * frame. */
typedef enum {
    TAC_OUT_BODY_POS,          /* 3: body origin */
    TAC_OUT_BODY_MAT,          /* 9: orientation, row major */
    TAC_OUT_BODY_COM,          /* 3: centre of mass of the body alone */
    TAC_OUT_GEOM_POS,          /* 3 */
    TAC_OUT_GEOM_MAT,          /* 9 */
    TAC_OUT_SITE_POS,          /* 3 */
    TAC_OUT_SITE_MAT,          /* 9 */
    TAC_OUT_JOINT_POS,         /* 3: anchor */
    TAC_OUT_JOINT_AXIS,        /* 3 */
    TAC_OUT_SUBTREE_COM,       /* 3: centre of mass of a body and all that hangs on it; body 0: the whole model's */
    TAC_OUT_SUBTREE_VELOCITY,  /* 3: its velocity */
    TAC_OUT_BODY_VELOCITY,     /* 6: angular, then linear velocity of the body's origin, world axes */
    TAC_OUT_SITE_VELOCITY,     /* 6: the same of a site */
    TAC_OUT_MOMENTUM,          /* 6, of the model: angular about its centre of mass, then linear */
    TAC_OUT_KINETIC,           /* 1, of the model: kinetic energy, armature included */
    TAC_OUT_POTENTIAL,         /* 1, of the model: gravity and springs */
    TAC_OUT_TENDON_LENGTH,     /* 1 */
    TAC_OUT_TENDON_VELOCITY,   /* 1 */
    TAC_OUT_ACTUATOR_LENGTH,   /* 1 */
    TAC_OUT_ACTUATOR_VELOCITY, /* 1 */
    TAC_OUT_ACTUATOR_FORCE,    /* 1: after its clamps */
    TAC_OUT_ACT_DOT,           /* 1, of an activation: its rate */
    TAC_OUT_QFRC_ACTUATOR,     /* 1, of a dof: force of the actuators, after the joint's clamp */
    TAC_OUT_QFRC_PASSIVE,      /* 1, of a dof: springs, dampers, gravity compensation */
    TAC_OUT_ACCELERATION,      /* 1, of a dof: qacc in continuous time; with constraints for contact soft alone */
    /* Of the step that starts here, means over its time (soft: as it starts); zero where the contact model is none. */
    TAC_OUT_CONTACT_FORCE,   /* 6, of a body: torque about its origin, then force, of all its contacts; N m, N */
    TAC_OUT_QFRC_CONSTRAINT, /* 1, of a dof: force of contacts, limits, dry friction and equalities */
    TAC_OUTPUT_KINDS
} tacOutputKind;

/* As an id: all elements of the kind, one after another. No function gives this number as an id; -1, which
 * tac_model_find gives for a name that is not there, is refused. */
enum { TAC_OUT_ALL = -2147483647 - 1 };

typedef struct tacOutput {
    tacOutputKind kind;
    int id; /* body, geom, site, joint, tendon, actuator, activation or dof; TAC_OUT_ALL */
} tacOutput;

/* z = [output 0 | output 1 | ...]; caller-owned. */
typedef struct tacOutputs {
    int n;
    const tacOutput *list;
} tacOutputs;

/* One simulation's workspace; opaque; one thread at a time. Nothing in it changes a result. */
typedef struct tacSim tacSim;

#ifdef __cplusplus
}
#endif
