/* Contact soft beside MuJoCo: at random states, or along a motion, each from the same start under the same controls. */
#pragma once

#include "cli/input/controls.h"
#include "cli/peer/answer_file.h"

enum { TAC_COMPARISON_ODD = 32 };

/* States in which two shapes had different contacts: how many of ours and of theirs. */
typedef struct tacOddPair {
    int type[2], ours, theirs;
    long states;
} tacOddPair;

typedef struct tacComparison {
    const char *verb;
    const tacModel *model;
    tacOptions options;
    tacSim *sim;
    int theirs; /* 1: with MuJoCo's contacts */
    double tol;
    tacMujocoSide *side;       /* who answers; or */
    const tacAnswerFile *file; /* who did */
    tacAnswer ours, peer, here;
    double *x, *u;
    /* what came out */
    long count, in_contact, same, within;
    long unanswered, unsolved; /* by MuJoCo; by us, to our tolerance */
    tacAnswerError worst;      /* at random states of those with the same contacts, along a motion of all */
    long first;                /* step or state of the first difference, or -1 */
    const char *what;
    double error;
    int nodd;
    tacOddPair odd[TAC_COMPARISON_ODD];
    char reason[TAC_ANSWER_REASON]; /* of the last that was not answered */
} tacComparison;

/* Room; verb, model, options, theirs, tol, side and file are the caller's. CLI_GO_ON or CLI_CANNOT. */
int cli_comparison_begin(tacComparison *c);
void cli_comparison_end(tacComparison *c);
/* (seed, samples): random states in contact; with a file, those it answers. */
int cli_compare_states(tacComparison *c, uint64_t seed, long samples);
/* A motion from x under the controls. */
int cli_compare_motion(tacComparison *c, const double *x, const double *u, const tacControls *controls, long steps);
/* State `sample` that cli_compare_states would draw -> x, u. */
void cli_comparison_draw(tacComparison *c, uint64_t seed, long sample);
