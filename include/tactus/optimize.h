/* Planning: the controls that bring a robot where it is to be, through contacts
 * that nobody scheduled.
 *
 *   tac_plan_new(model, &options, 20, &plan, &err);                 a problem
 * of 20 steps, knots 0 to 20 tac_plan_add(plan, &term, NULL, &err); what it
 * costs, and what has to hold tac_planner_new(plan, &planner_options, &planner,
 * &err);        a solver at work on it tac_planner_guess(planner, &guess,
 * &err); tac_planner_run(planner, &result, &err); states, controls, gains
 *
 * Costs and constraints are residuals: a quantity minus its target, over a
 * range of steps, under a norm. Knot k has the state x_k, knots 0 to n-1 also
 * the controls u_k, and x_{k+1} = f(x_k, u_k; theta) is tac_step.
 * docs/theory/plan.md has the equations. */
#pragma once

#include "tactus/batch.h"
#include "tactus/options.h"
#include "tactus/status.h"
#include "tactus/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A problem. It keeps the model and copies all else. Several planners may read
 * one at a time. */
typedef struct tacPlan tacPlan;
/* A solver at work on a problem: its memory, its threads, its place. One thread
 * at a time. */
typedef struct tacPlanner tacPlanner;

/* --- Quantities
 * ---------------------------------------------------------------------------------------------------
 */

/* A frame: of a body, geom or site. TAC_KIND_NONE: the world. */
typedef struct tacFrame {
    tacKind kind;
    int id;
} tacFrame;

/* What a residual is of; the number of its entries first. CTRL, CHANGE and REST
 * exist at knots with controls. Outputs of the last knot see tac_default_input.
 */
#define TAC_QUANTITY_LIST(X)                                                                                           \
    X(TAC_OF_STATE, "state")             /* ndx: x minus target in tangent coordinates dq, dv, da */                   \
    X(TAC_OF_CTRL, "ctrl")               /* ninput: u_k */                                                             \
    X(TAC_OF_CHANGE, "ctrl_change")      /* ninput: u_k - u_{k-1}; knots 1 to n-1 */                                   \
    X(TAC_OF_OUTPUT, "output")           /* any tacOutput: contact forces and growth  \
                                     distance among them */                                \
    X(TAC_OF_POSITION, "position")       /* 3: origin of `frame` in the axes of `in`, m */                             \
    X(TAC_OF_ORIENTATION, "orientation") /* 3: rotation from the target to `frame` in `in`, target's \
                      axes, rad */                 \
    X(TAC_OF_DISTANCE, "distance")       /* 1: signed distance of two geoms (tac_geom_distance), m */                  \
    X(TAC_OF_PARAM, "param")             /* one each: the unknown parameters */                                        \
    X(TAC_OF_REST, "rest")               /* nv: (v+ - v) / dt of the step from (x, u); zero: \
                              an equilibrium */                         \
    X(TAC_OF_CALL, "call")               /* `size` entries: the user's own */

typedef enum {
#define X(name, word) name,
    TAC_QUANTITY_LIST(X)
#undef X
        TAC_QUANTITY_KINDS
} tacQuantityKind;

/* Where a user's own quantity is evaluated, and what is known there. */
typedef struct tacKnot {
    int step, last;      /* the knot, and n */
    const double *x;     /* nx */
    const double *u;     /* ninput; at the last knot: tac_default_input */
    const double *theta; /* nparam: all registered parameters, unknown or not */
    tacSim *sim;         /* a workspace with this theta, for quantities of the model */
} tacKnot;
/* Writes r[size] and, where jac has arrays, derivatives: A size x ndx, B size x
 * ninput, P size x nparam. Called from the threads of the planner, for several
 * knots at once. Not TAC_OK: the candidate is refused. */
typedef tacStatus (*tacQuantityCall)(void *context, const tacKnot *knot, double *r, const tacJac *jac);

typedef struct tacQuantity {
    tacQuantityKind kind;
    tacOutput output;   /* OUTPUT */
    tacFrame frame, in; /* POSITION, ORIENTATION */
    int geom[2];        /* DISTANCE */
    tacQuantityCall call;
    void *context; /* CALL */
    int size;      /* CALL */
    int first;     /* of all entries: those from `first` on, `count` of them; count 0:
                all from `first` on */
    int count;
} tacQuantity;

/* The word of a kind: "state". */
TAC_API const char *tac_quantity_text(tacQuantityKind kind);
/* Entries of a quantity in this problem; -1: no such element, or a part out of
 * range. */
TAC_API int tac_plan_size(const tacPlan *plan, const tacQuantity *of);
/* Numbers of its target: nx for STATE, 4 (quaternion) for ORIENTATION,
 * otherwise tac_plan_size; -1 as above. */
TAC_API int tac_plan_target_size(const tacPlan *plan, const tacQuantity *of);

/* --- Norms and terms
 * ----------------------------------------------------------------------------------------------
 */

/* Of one entry r, with the width d > 0 of its term; sums over entries, each
 * times its weight. The first three are r^2 for |r| far below d. */
#define TAC_NORM_LIST(X)                                                                                               \
    X(TAC_NORM_QUADRATIC, "quadratic") /* r^2, or r' W r with a matrix */                                              \
    X(TAC_NORM_HUBER, "huber")         /* 2 d^2 (sqrt(1 + (r/d)^2) - 1) */                                             \
    X(TAC_NORM_LOGCOSH, "logcosh")     /* 2 d^2 log cosh(r/d) */                                                       \
    X(TAC_NORM_ABSOLUTE, "absolute")   /* sqrt(r^2 + d^2) - d */                                                       \
    X(TAC_NORM_ONE_SIDED, "one_sided") /* max(r, 0)^2 */                                                               \
    X(TAC_NORM_BARRIER, "barrier")     /* -log(-r) up to r = -d, from there on its parabola */                         \
    X(TAC_NORM_LINEAR, "linear")       /* r itself, as for a time */                                                   \
    X(TAC_NORM_GEMAN, "geman_mcclure") /* r^2 / (1 + (r/d)^2): outliers lose their weight */

typedef enum {
#define X(name, word) name,
    TAC_NORM_LIST(X)
#undef X
        TAC_NORM_KINDS
} tacNorm;

/* (norm, width, r) -> value, slope and curvature. */
TAC_API double tac_norm(tacNorm norm, double width, double r, double *slope, double *curvature);
/* The word of a norm: "huber". */
TAC_API const char *tac_norm_text(tacNorm norm);

/* What a term does. */
typedef enum {
    TAC_ROLE_COST,
    TAC_ROLE_EQUAL,   /* quantity = target */
    TAC_ROLE_AT_MOST, /* quantity <= target, each entry */
    TAC_ROLE_AT_LEAST /* quantity >= target, each entry */
} tacRole;

/* The last knot, as an end of a range. */
enum { TAC_PLAN_END = -1 };

typedef struct tacPlanTerm {
    uint32_t cookie; /* set by tac_default_plan_term */
    tacRole role;    /* default cost */
    tacQuantity of;
    const double *target; /* tac_plan_target_size numbers, or as many for each
                           knot of the range; default NULL: zero (STATE:
                           tac_default_state; ORIENTATION: no rotation) */
    int targets;          /* rows of target: 1, the default, or one each knot of the range
                 */
    tacNorm norm;         /* of costs; default quadratic */
    double width;         /* of the norm; default 1 */
    const double *weight; /* one each entry, 0 or more; default NULL: 1.
                           Constraints: 0 leaves an entry out, others scale its
                           penalty, not its violation */
    const double *matrix; /* quadratic: symmetric, no negative eigenvalue; instead
                           of weight; default NULL */
    int dt_power;         /* the weight is multiplied by this power of the time step,
                       which may be unknown; default 0 */
    int first, last;      /* range of knots; TAC_PLAN_END or below: from the end;
                       default 0 to TAC_PLAN_END. Knots where  the quantity does
                       not exist are left out */
    const char *name;     /* in reports; default NULL: the quantity's word */
} tacPlanTerm;

/* The defaults of each field, and the cookie. */
TAC_API tacPlanTerm tac_default_plan_term(void);

/* --- Problems
 * -----------------------------------------------------------------------------------------------------
 */

/* steps: 1 to TAC_PLAN_STEPS; 0: a pose (tac_pose_solve). The start state is
 * tac_default_state until it is set. */
enum { TAC_PLAN_STEPS = 1000000 };
TAC_API tacStatus tac_plan_new(const tacModel *model, const tacOptions *options, int steps, tacPlan **plan,
                               tacError *err);
TAC_API void tac_plan_free(tacPlan *plan); /* NULL is fine */
/* x[nx]: copied. */
TAC_API tacStatus tac_plan_set_start(tacPlan *plan, const double *x, tacError *err);
/* Adds a term, whose arrays are copied; *id (may be NULL) is its number. */
TAC_API tacStatus tac_plan_add(tacPlan *plan, const tacPlanTerm *term, int *id, tacError *err);

/* What bounds are of: low[n] and high[n], infinite where there is none. */
typedef enum {
    TAC_BOUND_CTRL, /* ninput; held in every candidate. Before the first call:
                     ctrlrange of limited actuators */
    TAC_BOUND_STATE /* nx; a constraint at knots 1 to n; entries of quaternions
                     have none */
} tacBoundOf;
TAC_API tacStatus tac_plan_bound(tacPlan *plan, tacBoundOf of, const double *low, const double *high, tacError *err);
/* Registered parameter k is unknown, between low and high, which every
 * candidate keeps. option.timestep: a free final time. */
TAC_API tacStatus tac_plan_add_unknown(tacPlan *plan, int k, double low, double high, tacError *err);

/* Sizes of a problem. */
typedef struct tacPlanSizes {
    int steps, nx, ndx, nu; /* nu: all of u */
    int nparam, nunknown, nterm;
    int nequality, ninequality; /* entries of constraints over all knots, state
                                 bounds among them */
    int nrow;                   /* entries of constraints, those of weight 0 included */
} tacPlanSizes;
TAC_API tacPlanSizes tac_plan_sizes(const tacPlan *plan);
TAC_API const tacModel *tac_plan_model(const tacPlan *plan);
/* The options of its simulations, resolved. */
TAC_API tacStatus tac_plan_options(const tacPlan *plan, tacOptions *options);
/* Name, role and range (resolved) of term i, state bounds last if there are
 * any; "" and zeros: there is none. */
typedef struct tacPlanTermInfo {
    const char *name;
    tacRole role;
    tacQuantityKind kind;
    int size, first, last;
    int row; /* of a constraint: entry e at knot k is number row + (k - first)
              size + e of nrow */
} tacPlanTermInfo;
TAC_API tacPlanTermInfo tac_plan_term(const tacPlan *plan, int i);
/* Hash of all that decides the result: model, options, terms, bounds. */
TAC_API uint64_t tac_plan_hash(const tacPlan *plan);
/* The same problem with `factor` times the time step and as many fewer steps
 * (rounded up); ranges follow. Its model is the plan's, which has to outlive
 * it. */
TAC_API tacStatus tac_plan_coarse(const tacPlan *plan, int factor, tacPlan **coarse, tacError *err);

/* --- Solvers
 * ------------------------------------------------------------------------------------------------------
 */

/* Which derivative steps give. ncp: a gradient kappa; the step stays hard. */
typedef enum {
    TAC_SMOOTHING_AUTO,    /* ncp: the schedule finds its range itself; lcp: exact,
                          and complementarity-aware where  progress ends on held
                          contacts; soft: exact */
    TAC_SMOOTHING_EXACT,   /* that of the step */
    TAC_SMOOTHING_SCHEDULE /* ncp: from `first` to `last` by `factor`, whenever
                            progress ends */
} tacSmoothingKind;

typedef struct tacSmoothing {
    tacSmoothingKind kind;
    double first, last, factor; /* SCHEDULE: kappa; default 1e-2, 1e-4, 0.1 */
} tacSmoothing;

/* Why a planner ended. Only SOLVED is success. */
#define TAC_PLAN_END_LIST(X)                                                                                           \
    X(TAC_PLAN_RUNNING, "running")       /* it has not ended */                                                        \
    X(TAC_PLAN_SOLVED, "solved")         /* the cost stands still and all constraints  \
                                    are met to tolerance */                               \
    X(TAC_PLAN_ITERATIONS, "iterations") /* they were used up */                                                       \
    X(TAC_PLAN_STALLED, "stalled")       /* no step length improves, constraints are met */                            \
    X(TAC_PLAN_VIOLATED, "violated")     /* no progress, and constraints are not met */                                \
    X(TAC_PLAN_STOPPED, "stopped")       /* by the flag or the callback */                                             \
    X(TAC_PLAN_FAILED, "failed")         /* the start itself cannot be simulated or differentiated */

typedef enum {
#define X(name, word) name,
    TAC_PLAN_END_LIST(X)
#undef X
        TAC_PLAN_ENDS
} tacPlanEnd;
/* "solved" */
TAC_API const char *tac_plan_end_text(tacPlanEnd end);

/* One iteration: one sweep of derivatives. */
typedef struct tacPlanIteration {
    int iteration;           /* from 1; 0: the first guess */
    double cost;             /* of the candidate that is kept, gaps included as they are */
    double violation;        /* largest of its constraints, their units */
    double gap;              /* largest entry of x_{k+1} - f(x_k, u_k) that is left */
    double merit;            /* what the line search looked at */
    double promised, gained; /* decrease of merit: by the model, and in fact */
    double length;           /* step length; 0: none was accepted */
    double regularization;
    double penalty; /* largest of the augmented Lagrangian */
    double kappa;   /* of derivatives; 0: exact */
    int aware;      /* 1: the step followed lcp's complementarity-aware gradient */
    int unsolved;   /* steps of the candidate that are not solved */
    int candidates; /* rollouts that were tried */
    int passes;     /* backward passes */
    double seconds; /* since the start, 0 without a clock */
} tacPlanIteration;

/* Called after each iteration; not 0: stop. The planner may be read
 * (tac_planner_result, tac_planner_save). */
typedef int (*tacPlanReport)(void *context, const tacPlanner *planner, const tacPlanIteration *now);

typedef struct tacPlanOptions tacPlanOptions;
/* A row of the table of solvers. Another library gives one of its own in
 * tacPlanOptions.method. */
typedef struct tacPlanMethod {
    const char *name, *text;
    /* Bytes of its own memory, 64-byte aligned. */
    size_t (*bytes)(const tacPlan *plan, const tacPlanOptions *options);
    /* Begins from the guess that the planner has. */
    tacStatus (*begin)(tacPlanner *planner, void *memory, tacError *err);
    /* One iteration. It keeps what it finds by tac_planner_keep and writes now.
   * Its result is TAC_PLAN_RUNNING, or why it ended. */
    tacPlanEnd (*iterate)(tacPlanner *planner, void *memory, tacPlanIteration *now);
    /* How many bytes at the beginning of its memory have to be kept between
   * iterations; the rest is scratch. They hold no pointers. */
    size_t (*kept)(const tacPlan *plan, const tacPlanOptions *options);
} tacPlanMethod;
/* Row i of the built-in table, NULL after the last; or the one of a name, NULL:
 * there is none. */
TAC_API const tacPlanMethod *tac_plan_method(int i);
TAC_API const tacPlanMethod *tac_plan_method_named(const char *name);

struct tacPlanOptions {
    uint32_t cookie;             /* set by tac_default_plan_options */
    const tacPlanMethod *method; /* default: ilqr */
    int iterations;              /* at most; default 100 */
    double cost_tolerance;       /* a change of the cost below this share of 1 + |cost|
                            is none; default 1e-3 */
    double constraint_tolerance; /* largest violation that counts as none; default
                                  1e-3 */
    tacSmoothing smoothing;      /* default auto */
    double regularization;       /* the first; default 0: none until a step asks for it */
    double penalty;              /* the first; default 30 */
    double penalty_factor;       /* growth where a violation does not fall; default 10 */
    double penalty_most;         /* default 1e8 */
    int threads;                 /* default 1 */
    const volatile int *stop;    /* not 0 there: the planner stops with the best so
                               far; default NULL */
    tacPlanReport report;        /* default NULL */
    void *context;               /* its argument */
    double (*clock)(void);       /* seconds, for times in the history alone; default NULL */
};
/* The defaults of each field, and the cookie. */
TAC_API tacPlanOptions tac_default_plan_options(void);

/* Bytes of a planner, all but its threads' stacks: linear in steps and in
 * iterations. 0: the options are refused. */
TAC_API size_t tac_plan_bytes(const tacPlan *plan, const tacPlanOptions *options);
/* The plan has to outlive the planner, and must not change while it exists.
 * Nothing is allocated afterwards. */
TAC_API tacStatus tac_planner_new(const tacPlan *plan, const tacPlanOptions *options, tacPlanner **planner,
                                  tacError *err);
TAC_API void tac_planner_free(tacPlanner *planner); /* NULL is fine */
TAC_API const tacPlan *tac_planner_plan(const tacPlanner *planner);
TAC_API const tacPlanOptions *tac_planner_options(const tacPlanner *planner);

/* Where controls of a first guess come from. */
#define TAC_GUESS_LIST(X)                                                                                              \
    X(TAC_GUESS_ZERO, "zero")         /* tac_default_input */                                                          \
    X(TAC_GUESS_CONSTANT, "constant") /* u[ninput] at every step */                                                    \
    X(TAC_GUESS_KEY, "key")           /* a keyframe's controls at every step */                                        \
    X(TAC_GUESS_HOLD, "hold")         /* controls that hold the start pose, contact  \
                                   forces by least squares */                                 \
    X(TAC_GUESS_GIVEN, "given")       /* u[steps x ninput] */                                                          \
    X(TAC_GUESS_SPLINE, "spline")     /* u[knots x ninput], a cubic through knots    \
                                   evenly over the steps */
typedef enum {
#define X(name, word) name,
    TAC_GUESS_LIST(X)
#undef X
        TAC_GUESS_KINDS
} tacGuessKind;

/* Where states of a first guess come from. */
typedef enum {
    TAC_STATES_ROLLOUT, /* of the controls */
    TAC_STATES_LINE,    /* a straight line from the start through `nkey` states at
                         even times, in tangent coordinates */
    TAC_STATES_GIVEN    /* x[(steps + 1) x nx] */
} tacStatesKind;

typedef struct tacPlanGuess {
    uint32_t cookie;      /* set by tac_default_plan_guess */
    tacGuessKind ctrl;    /* default zero */
    const double *u;      /* CONSTANT, GIVEN, SPLINE */
    int knots;            /* SPLINE */
    int key;              /* KEY */
    tacStatesKind states; /* default rollout */
    const double *x;      /* LINE: nkey x nx; GIVEN */
    int nkey;             /* LINE */
    const double *theta;  /* nunknown: of the unknown parameters; default NULL: the
                          model's */
    const double *noise;  /* ninput: standard deviation added to controls; default
                          NULL: none */
    uint64_t seed;        /* of the noise; stream and index are start and entry */
    int start;            /* number of the start; 0 has no noise; default 0 */
} tacPlanGuess;
TAC_API tacPlanGuess tac_default_plan_guess(void);
/* Sets the guess: clamped to bounds, with all numbers finite. The planner
 * begins anew. */
TAC_API tacStatus tac_planner_guess(tacPlanner *planner, const tacPlanGuess *guess, tacError *err);

/* What was found so far, and the best of it. Arrays are the planner's, valid
 * until its next call. cost, violation and terms are of U replayed by the step
 * itself from the start; X is that replay. */
typedef struct tacPlanResult {
    tacPlanEnd end;
    int steps, nx, ndx, nu, nunknown, nterm;
    const double *X;     /* (steps + 1) x nx */
    const double *U;     /* steps x nu */
    const double *theta; /* nunknown */
    const double *K;     /* steps x nu x ndx: u = U_k + K_k (x (-) X_k) */
    double cost;
    double violation;    /* largest of all constraints; 0: there are none */
    const double *terms; /* nterm: each term's part of the cost; of a constraint:
                          its largest violation */
    int unsolved;        /* steps of the replay that are not solved */
    tacStatus replay;    /* status of the replay: TAC_OK, TAC_ERR_UNSOLVED..., or why
                       X ends early */
    int iterations;
    long nstep, njac;                                         /* steps and step derivatives so far */
    double seconds, step_seconds, jac_seconds, solve_seconds; /* with a clock */
    const tacPlanIteration *history;                          /* iterations + 1, the guess first */
} tacPlanResult;

/* Iterates to the end. The status tells whether it could run at all;
 * result->end whether it is solved. result may be NULL. */
TAC_API tacStatus tac_planner_run(tacPlanner *planner, tacPlanResult *result, tacError *err);
/* One iteration; TAC_PLAN_RUNNING: there are more. */
TAC_API tacPlanEnd tac_planner_iterate(tacPlanner *planner);
TAC_API tacStatus tac_planner_result(const tacPlanner *planner, tacPlanResult *result);

/* The whole place of a planner as bytes, with version, hash of plan and
 * options, and checksum. A planner of the same plan and options that takes them
 * goes on with the same bits. */
TAC_API size_t tac_planner_save_bytes(const tacPlanner *planner);
TAC_API tacStatus tac_planner_save(const tacPlanner *planner, void *bytes, size_t size, tacError *err);
/* TAC_ERR_SYNTAX: no such bytes. TAC_ERR_VERSION, TAC_ERR_CHECKSUM,
 * TAC_ERR_MODEL: of another problem. On failure the planner is as before. */
TAC_API tacStatus tac_planner_restore(tacPlanner *planner, const void *bytes, size_t size, tacError *err);

/* Seeded variations of a first guess, side by side on `threads` threads; each
 * planner has one thread. Start i has guess->start = i. */
typedef struct tacPlanStart {
    tacPlanEnd end;
    double cost, violation;
    int iterations;
} tacPlanStart;
/* starts[n] (may be NULL): each outcome. *best: a new planner with the best
 * start: least cost of those that meet their constraints, otherwise least
 * violation. The bits do not depend on threads. options->report is called for
 * each planner on its thread. */
TAC_API tacStatus tac_plan_starts(const tacPlan *plan, const tacPlanOptions *options, const tacPlanGuess *guess, int n,
                                  tacPlanStart *starts, tacPlanner **best, tacError *err);
/* Controls U[from x nu] over one time span -> [to x nu], linear between the
 * middles of steps. */
TAC_API void tac_plan_resample(int nu, int from, const double *U, int to, double *out);

/* --- Evaluation
 * ---------------------------------------------------------------------------------------------------
 */

/* A trajectory, of the dynamics or not. */
typedef struct tacPlanPath {
    const double *X;     /* (steps + 1) x nx */
    const double *U;     /* steps x nu */
    const double *theta; /* nunknown */
} tacPlanPath;

/* Value and derivatives of the cost at a path; NULL skips one. Gradients and
 * Gauss-Newton blocks of the cost of knot k are by w = [x | p | c | u]: its
 * state (ndx), the unknown parameters (nunknown), the controls before (u_{k-1}:
 * nu where a term is of changes, otherwise 0), its controls (nu; zero at the
 * last knot). */
typedef struct tacPlanBlocks {
    double cost, violation; /* out */
    double *terms;          /* nterm, as of tacPlanResult */
    double *g, *H;          /* (steps+1) x nw, (steps+1) x nw x nw */
    double *constraints;    /* nrow: equal: r, at_most: r, at_least: -r; met where 0,
                          or at most 0 */
} tacPlanBlocks;
/* Length nw of w, and where its parts begin. */
typedef struct tacPlanColumns {
    int nw, x, p, c, u;
} tacPlanColumns;
TAC_API tacPlanColumns tac_plan_columns(const tacPlan *plan);
/* The cost at a path, of the dynamics or not. */
TAC_API tacStatus tac_planner_evaluate(tacPlanner *planner, const tacPlanPath *path, tacPlanBlocks *blocks);
/* The hard step's states of controls U from the start: X[(steps + 1) x nx]. A
 * status as of tac_rollout. */
TAC_API tacStatus tac_planner_rollout(tacPlanner *planner, const double *U, const double *theta, double *X);
/* Derivatives of all steps of a path: arrays A steps x ndx x ndx, B steps x ndx
 * x nu, P steps x ndx x nunknown; NULL skips one. kappa: that of ncp's
 * derivatives; 0: exact. */
TAC_API tacStatus tac_planner_jac(tacPlanner *planner, const tacPlanPath *path, double kappa, const tacJac *jac);
/* Gradient of the replayed cost by controls (steps x nu) and unknown
 * parameters, in reverse mode; NULL skips one. */
TAC_API tacStatus tac_planner_gradient(tacPlanner *planner, const double *U, const double *theta, double *cost,
                                       double *gu, double *gp);
/* For methods: keeps a path as the current one (and as the best, if it is),
 * with its gains (NULL: none). */
TAC_API tacStatus tac_planner_keep(tacPlanner *planner, const tacPlanPath *path, const double *K);
/* For methods: the path that is current, first the guess. */
TAC_API tacPlanPath tac_planner_path(const tacPlanner *planner);

/* The derivatives of a problem against differences at a path: each term's
 * residual by x, u and parameters at every knot of its range (at most `knots`
 * of them, spread evenly). */
typedef struct tacPlanCheck {
    int term, knot, entry; /* where the error is largest */
    char by;               /* by 'x', 'u' or 'p' */
    int column;            /* coordinate or control or parameter */
    double error;          /* |analytic - difference| over one and the largest derivative of this entry */
    double analytic, difference;
    int checked, skipped; /* derivatives: compared, and left out where the
                           quantity has a kink */
} tacPlanCheck;
TAC_API tacStatus tac_plan_check(const tacPlan *plan, const tacPlanPath *path, int knots, tacPlanCheck *check,
                                 tacError *err);

/* --- Poses and equilibria
 * -----------------------------------------------------------------------------------------
 */

typedef struct tacPoseOptions {
    uint32_t cookie;           /* set by tac_default_pose_options */
    int iterations;            /* default 200 */
    double tolerance;          /* of the gradient and of constraints; default 1e-9 */
    int starts;                /* seeded variations of q within joint ranges where the first
                    fails; default 1 */
    uint64_t seed;             /* of them */
    int fixed_q;               /* 1: only controls are unknown; default 0 */
    const unsigned char *hold; /* nv: 1: this coordinate stays at the start's;
                                default NULL: none */
    const volatile int *stop;  /* default NULL */
} tacPoseOptions;
TAC_API tacPoseOptions tac_default_pose_options(void);

typedef struct tacPoseResult {
    tacPlanEnd end;
    double *x, *u, *theta; /* in: nx, nu, nunknown, of the caller; NULL skips one */
    double cost, violation, gradient;
    int iterations;
} tacPoseResult;
/* A plan of 0 steps -> the state at rest near the plan's start, with controls,
 * that has the least cost under its constraints, joint ranges and control
 * bounds. Velocities are the start's. */
TAC_API tacStatus tac_pose_solve(const tacPlan *plan, const tacPoseOptions *options, const double *u,
                                 tacPoseResult *result, tacError *err);

/* Infinite-horizon regulator of y = A x + B u, cost sum x' Q x + u' R u + 2 u'
 * N x: P (n x n) of the Riccati equation, K (m x n) with u = K x. */
typedef struct tacLqr {
    int n, m;
    const double *A, *B; /* n x n, n x m */
    const double *Q, *R; /* n x n, m x m, symmetric; R positive definite */
    const double *N;     /* m x n; NULL: zero */
    double *P, *K;       /* out */
    double residual;     /* out: of the Riccati equation, relative to the largest
                          entry of P */
    double radius;       /* out: largest eigenvalue of A + B K by magnitude, an upper
                     estimate */
    int iterations;      /* out: doublings */
    void *memory;        /* 64-byte aligned */
    size_t bytes;        /* at least tac_lqr_bytes */
} tacLqr;
TAC_API size_t tac_lqr_bytes(int n, int m);
/* TAC_ERR_UNSOLVED: there is no stabilizing solution that it can find. */
TAC_API tacStatus tac_lqr(tacLqr *lqr);
/* The same about (x, u) of a plan: the step's derivatives there, and the
 * Gauss-Newton blocks of its costs at knot 0 as weights. K: nu x ndx; P: ndx x
 * ndx (may be NULL). */
TAC_API tacStatus tac_plan_lqr(const tacPlan *plan, const double *x, const double *u, double *K, double *P,
                               tacError *err);

/* Forces for an acceleration through contact. NULL skips an array. */
typedef struct tacContactInverse {
    const tacModel *model;   /* in: of the simulation */
    double *tau;             /* nv: force of actuators and what is applied, in all; not NULL */
    double *qfrc_constraint; /* nv: of constraints */
    double *force;           /* lcp, ncp: 3 max: of touching contacts, in their frames, inside their cones */
    int max, ncontact;       /* in: room; out: touching contacts */
    double *dtau_dq, *dtau_dv, *dtau_da; /* soft: nv x nv, exact; lcp, ncp: TAC_ERR_UNSUPPORTED */
    double residual;                     /* out: lcp, ncp: largest entry of tau where no actuator acts */
    void *memory;                        /* 64-byte aligned */
    size_t bytes;                        /* at least tac_inverse_dynamics_contact_bytes */
} tacContactInverse;
/* Bytes of its memory. */
TAC_API size_t tac_inverse_dynamics_contact_bytes(const tacModel *model, const tacOptions *options);
/* (x, acceleration) -> torques and contact forces. soft: the inverse of tac_acceleration, as mj_inverse: forces follow
 * from the motion. lcp, ncp: forces of touching contacts, in the pyramids inscribed in their cones, that leave the
 * least force on coordinates without an actuator, and of these small ones. TAC_ERR_CONTACTS: more than 64 touch. */
TAC_API tacStatus tac_inverse_dynamics_contact(tacSim *sim, const double *x, const double *qacc, const double *u,
                                               tacContactInverse *out);

#ifdef __cplusplus
}
#endif
