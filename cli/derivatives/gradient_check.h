/* Analytic derivatives of a step against Ridders' differences of the very same step, at random states and at those that
 * the model names.
 *
 * The error of a block is max |A - F| / max(1, max |F|) over its entries, F the differences; for parameters, whose
 * units differ, each column is a block of its own, and one whose steps must be small is measured in a unit of a
 * thousand of them. A column that disagrees is differenced again with smaller first steps; where none agrees, and the
 * active set changes inside a stencil of 1e-6, the state counts as switching. */
#pragma once

#include "cli/derivatives/derivative.h"
#include "cli/input/parameters.h"
#include "measure/progress.h"

/* Reverse mode against the Jacobian, |ybar . (A dx) - (A^T ybar) . dx| over the sizes of its terms. */
#define CLI_REVERSE_TOL 1e-10

/* Places inside a stencil, on either side, where the active set is looked at. */
enum { CLI_SWITCH_PLACES = 8 };
/* Share of the tolerance: differences with a smaller error estimate at their first step are not refined. */
#define CLI_KNOWN_WELL 1e-2

/* Least share of the states at which derivatives were compared: of fewer, all that passed say nothing of the model. */
#define CLI_TESTED_SHARE 0.5

/* |analytic - difference| / scale. */
double cli_relative_error(double analytic, double difference, double scale);

/* Place of the largest error. */
typedef struct tacWorstEntry {
    double error;
    long sample;
    int row, column; /* of [A | B | P] */
} tacWorstEntry;

/* A sample that is not as it should be, for whoever looks for the cause: --samples 1 --first draws it again. */
typedef struct tacOddSample {
    long sample;
    const char *what; /* "broken"; "another map": the step with derivatives is not the one without; "failed": by error
                         or reverse; "unflagged" */
    int flagged;
    double error, reverse;
} tacOddSample;
enum { CLI_ODD_SAMPLES = 32 };

/* Result at a state that the model names. */
typedef enum {
    CLI_PASSED,
    CLI_KINK,    /* the step says that derivatives jump here: differences across do not agree */
    CLI_NO_STEP, /* the step says that it has no result here, or none to its tolerance */
    CLI_FAILED,
} tacVerdict;

typedef struct tacNamedResult {
    tacVerdict verdict;
    tacStatus status; /* of the step */
    int ties;
    int kinked, one_sided; /* columns that disagree; of these, those that are the derivative of one side */
    double error, reverse;
    double blur; /* where a passed error is above the tolerance: what differences are accurate to; else 0 */
    tacWorstEntry worst;
} tacNamedResult;

typedef struct tacGradientCheck {
    tacModel *model; /* parameters registered; those that stand on the edge of what is allowed are moved inside */
    tacOptions options;
    const tacParamList *params;
    long samples, first; /* how many, from which on */
    uint64_t seed;
    double tol;
    const char *keep; /* folder that states which fail are written to, or NULL */
    int nnamed;       /* 0, or cli_named_states: these are visited as well, as samples -nnamed to -1 */
    /* out */
    tacNamedResult *named;          /* nnamed */
    long passed, switching, failed; /* samples */
    long flagged;                   /* of all: margins of the step say that it may switch */
    long unflagged;                 /* of the switching: no margin of the step said so beforehand */
    long in_contact;                /* of all: something touches */
    long sticking, sliding;         /* of these: some contact holds, some contact slides */
    long broken;                    /* of the failed: the step itself failed, with `status` */
    tacStatus status;
    int moved;                                       /* parameters that were moved inside */
    double block[CLI_ROW_BLOCKS][CLI_COLUMN_BLOCKS]; /* largest errors of all samples but the switching ones */
    double reverse;
    double *param; /* per parameter */
    double *step;  /* per parameter: the first step of its differences; 0: it cannot be moved, and is left out */
    tacWorstEntry worst;
    int nodd; /* all of them; the first are kept */
    tacOddSample odd[CLI_ODD_SAMPLES];
} tacGradientCheck;

/* Runs it. CLI_GO_ON, or CLI_CANNOT after a message. */
int cli_gradient_check(const char *verb, tacGradientCheck *check);
void cli_gradient_check_free(tacGradientCheck *check);
