/* A problem of planning as it is kept: terms with resolved ranges and arrays of
 * their own. */
#pragma once

#include "base/arena.h"
#include "tactus/optimize.h"
#include "tactus/tactus.h"

/* Cookies of structs made by the tac_default_* functions of optimize.h. */
#define TAC_TERM_COOKIE  0x7acb91a1u
#define TAC_PLAN_COOKIE  0x7acb91a2u
#define TAC_GUESS_COOKIE 0x7acb91a3u
#define TAC_POSE_COOKIE  0x7acb91a4u

/* A term: what was given, with first <= last in 0..n, an owned target, and
 * weight or matrix. */
typedef struct tacTerm {
    tacPlanTerm own;
    char name[64];
    double *numbers; /* all arrays of own: one allocation */
    int full;        /* entries of the whole quantity */
    int size;        /* of its part */
    int target_size;
    int noutput; /* of the model's outputs that it reads, and their numbers */
    int nz;
    int row0; /* of constraints: first entry among all of them: entry e at knot k
               is row0 + (k - first) size + e */
} tacTerm;

struct tacPlan {
    const tacModel *model;
    tacOptions options;
    int n, nx, ndx, nu, nparam;
    tacTerm *term;
    int nterm, room;
    double *x0, *u_default; /* nx, nu */
    double *low, *high;     /* nu: bounds of controls */
    double *theta;          /* nparam: of the model */
    int nunknown;
    int *unknown;                 /* nunknown: registered parameter */
    double *low_p, *high_p;       /* nunknown */
    int time_param, time_unknown; /* option.timestep among theta and among the unknowns; -1 */
    int nequality, ninequality, nrow;
    int nchange; /* nu where a term is of changes of controls, otherwise 0 */
};

/* Knots at which a quantity exists: 0 (changes: 1) to this one. */
int tac_term_last_knot(const tacPlan *plan, tacQuantityKind kind);
/* Is term t active at knot k? */
static inline int tac_term_at(const tacTerm *t, int k) { return k >= t->own.first && k <= t->own.last; }
static inline int tac_term_is_cost(const tacTerm *t) { return t->own.role == TAC_ROLE_COST; }
/* Target of term t at knot k; NULL: zero. */
static inline const double *tac_term_target(const tacTerm *t, int k) {
    if (t->own.target == NULL) return NULL;
    return t->own.target + (t->own.targets > 1 ? (size_t)(k - t->own.first) * (size_t)t->target_size : 0);
}
/* The list of outputs of a term: writes noutput of them. */
void tac_term_outputs(const tacTerm *t, tacOutput *list);
/* All registered parameters with the unknown ones from p. theta[nparam]. */
void tac_plan_fill_theta(const tacPlan *plan, const double *p, double *theta);
/* The time step with these unknown parameters. */
double tac_plan_dt(const tacPlan *plan, const double *p);
