/* Times of one model, all pieces of work interleaved in one run. */
#pragma once

#include "cli/input/state_file.h"

#include "tactus/tactus.h"

enum { CLI_BENCH_REASON = 256 };

/* Microseconds: medians of thread CPU time per call. A peer's are negative where there is none. */
typedef struct tacBenchRow {
    int nv;
    double contacts, contacts_peer; /* on average over the states that were timed */
    double iterations;              /* of the contact solver, likewise */
    int iterations_most;            /* of one step */
    tacStepInfo timed;              /* counts of the steps that are timed (tacStepInfo): steps, unsolved,
                                       first_unsolved, worst_residual, and status: the first that was not TAC_OK */
    double us_step, us_jac, us_vjp; /* y; y with A and B; reverse mode by x and u */
    double us_fd;                   /* A and B by central differences of our own step */
    double us_rnea, us_aba;         /* from q and v on: with kinematics */
    double us_crba;                 /* mass matrix and its factorization, with kinematics of positions */
    double us_did, us_dfd;          /* derivatives of inverse and forward dynamics, with kinematics */
    double residual;                /* |ID(q, v, a) - tau| / max(1, |tau|) at the acceleration in continuous time; tau
                                       has the forces of constraints where the acceleration has them: contact soft */
    double derivative_error;        /* of A and B at a state against Ridders' differences. This one and the residual are
                                       1e300 where there is none, since a step was not solved */
    char peer[16], peer_version[32], no_peer[CLI_BENCH_REASON];
    double us_peer, us_peer_fd;
    double peer_error; /* of the next state, ours against the peer's */
} tacBenchRow;

/* path: where MuJoCo finds the same model. start: in contact, the motion from there is timed; NULL: one from a random
 * state, once it has come into contact. seconds: about how long to measure. CLI_GO_ON, or CLI_CANNOT after a
 * message. */
int cli_bench_model(const char *verb, const char *path, tacModel *model, const tacOptions *options,
                    const tacStart *start, double seconds, tacBenchRow *row);
