/* How to step: the options that every verb which steps shares. */
#pragma once

#include "cli/options.h"

#include "tactus/tactus.h"

typedef struct tacStepArgs {
    int contact;                    /* index into "none|lcp|ncp|soft" */
    int integrator;                 /* index into "model|euler|rk4|implicit|implicitfast|rkmk4" */
    double dt;                      /* s; NAN: the model's */
    int toi;                        /* 1: stop at impacts */
    double kappa;                   /* softness of contact ncp; NAN: the default */
    int friction;                   /* of contact ncp: index into "cone|pyramid|none" */
    int solver;                     /* of contact soft: index into "model|newton|cg" */
    int iterations, ls_iterations;  /* 0: the default */
    double tolerance, ls_tolerance; /* 0: the default */
} tacStepArgs;

/* Nothing given: contact soft, the model's own integrator and time step. */
tacStepArgs cli_step_args(void);
extern const tacArg CLI_STEP_OPTIONS[];
enum { CLI_MOST_STEP_OPTIONS = 32 };
/* The same table without the rows of some names (a list that ends with a null pointer), for a verb that has no use for
 * them. */
void cli_step_options_without(const char *const *names, tacArg table[CLI_MOST_STEP_OPTIONS]);

/* The model's options with what was asked for, and the integrator that runs. One that was asked for and that the
 * contact model lacks is refused by name; the model's own gives way to Euler's. CLI_GO_ON or CLI_CANNOT. */
int cli_step_options(const char *verb, const tacModel *model, const tacStepArgs *args, tacOptions *options);

/* "none", "lcp", ... and "euler", "rk4", ...: the words the options take. */
const char *cli_contact_word(tacContactModel contact);
/* The name of the integrator that runs with options from cli_step_options; that of ncp is variational. */
const char *cli_integrator_word(const tacOptions *options);
