#include "cli/input/stepping.h"

#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const CONTACTS[] = {[TAC_NONE] = "none", [TAC_LCP] = "lcp", [TAC_NCP] = "ncp", [TAC_SOFT] = "soft"};
static const char *const INTEGRATORS[] = {[TAC_EULER] = "euler",
                                          [TAC_RK4] = "rk4",
                                          [TAC_IMPLICIT] = "implicit",
                                          [TAC_IMPLICITFAST] = "implicitfast",
                                          [TAC_RKMK4] = "rkmk4"};

/* Among the words of --integrator, "model" (what the file asks for) comes first. */
enum { INTEGRATOR_MODEL, INTEGRATOR_FIRST };
enum { SOLVER_MODEL, SOLVER_NEWTON, SOLVER_CG };

const tacArg CLI_STEP_OPTIONS[] = {
    {"--contact", NULL, TAC_ARG_CHOICE, offsetof(tacStepArgs, contact), "none|lcp|ncp|soft",
     "contact model; soft by default"},
    {"--integrator", NULL, TAC_ARG_CHOICE, offsetof(tacStepArgs, integrator),
     "model|euler|rk4|implicit|implicitfast|rkmk4", "time integration; euler is semi-implicit; otherwise the model's"},
    {"--dt", NULL, TAC_ARG_NUMBER, offsetof(tacStepArgs, dt), "SECONDS", "time step; otherwise the model's"},
    {"--toi", NULL, TAC_ARG_FLAG, offsetof(tacStepArgs, toi), NULL,
     "with --contact lcp: steps stop at impacts, so that nothing overlaps"},
    {"--kappa", NULL, TAC_ARG_NUMBER, offsetof(tacStepArgs, kappa), "K",
     "with --contact ncp: softness of contact at which the step is solved and differentiated"},
    {"--friction", NULL, TAC_ARG_CHOICE, offsetof(tacStepArgs, friction), "cone|pyramid|none",
     "with --contact ncp: Coulomb's cone, its inscribed pyramid, or impact alone"},
    {"--solver", NULL, TAC_ARG_CHOICE, offsetof(tacStepArgs, solver), "model|newton|cg",
     "with --contact soft: Newton's method or conjugate gradients; otherwise the model's"},
    {"--tolerance", NULL, TAC_ARG_NUMBER, offsetof(tacStepArgs, tolerance), "T",
     "with --contact soft: residual at which the solver may stop; otherwise rounding"},
    {"--iterations", NULL, TAC_ARG_COUNT, offsetof(tacStepArgs, iterations), "N",
     "with --contact soft: most steps of the solver; otherwise the model's, or 100 (cg 1000) where that is more"},
    {"--ls-tolerance", NULL, TAC_ARG_NUMBER, offsetof(tacStepArgs, ls_tolerance), "T",
     "with --contact soft: share of the slope left on a line; otherwise the model's, or 1e-3 where that is less"},
    {"--ls-iterations", NULL, TAC_ARG_COUNT, offsetof(tacStepArgs, ls_iterations), "N",
     "with --contact soft: most points on a line; otherwise the model's, or 50 where that is more"},
    {0},
};

void cli_step_options_without(const char *const *names, tacArg table[CLI_MOST_STEP_OPTIONS]) {
    int n = 0;
    for (const tacArg *row = CLI_STEP_OPTIONS; row->name != NULL && n + 1 < CLI_MOST_STEP_OPTIONS; row++) {
        const char *const *name = names;
        while (*name != NULL && strcmp(*name, row->name) != 0)
            name++;
        if (*name == NULL) table[n++] = *row;
    }
    table[n] = (tacArg){0};
}

tacStepArgs cli_step_args(void) { return (tacStepArgs){.contact = TAC_SOFT, .dt = (double)NAN, .kappa = (double)NAN}; }

const char *cli_contact_word(tacContactModel contact) { return CONTACTS[contact]; }

const char *cli_integrator_word(const tacOptions *options) {
    if (options->contact != TAC_NCP) return INTEGRATORS[options->integrator];
    return options->integrator == TAC_EULER ? "variational" : "variational, forces implicit in velocity";
}

/* Puts the integrator that runs into the options: the model's own gives way where the contact model lacks it, and one
 * that was asked for is refused. */
static int settle_integrator(const char *verb, const tacModel *model, int asked, tacOptions *options) {
    tacSim *sim = NULL;
    tacError err;
    tacOptions in_use = *options;
    tacStatus status = tac_sim_new(model, options, &sim, &err);
    if (status == TAC_OK) tac_sim_options(sim, &in_use);
    tac_sim_free(sim);
    int lacks = status == TAC_ERR_UNSUPPORTED;
    if (lacks) in_use.integrator = TAC_EULER;
    if (lacks || (asked && in_use.integrator != options->integrator))
        return cli_fail(verb, "--integrator %s: --contact %s steps by its own integrator, %s",
                        INTEGRATORS[options->integrator], cli_contact_word(options->contact),
                        cli_integrator_word(&in_use));
    options->integrator = in_use.integrator;
    return CLI_GO_ON; /* tac_sim_new reports every other fault of the options */
}

/* The softness, where one was given. */
static int set_kappa(const char *verb, double kappa, tacOptions *options) {
    if (isnan(kappa)) return CLI_GO_ON;
    if (options->contact != TAC_NCP) return cli_fail(verb, "--kappa: expected --contact ncp, the one that is softened");
    if (kappa < TAC_NCP_LEAST_KAPPA)
        return cli_fail(verb, "--kappa: got %g, expected at least %g", kappa, TAC_NCP_LEAST_KAPPA);
    options->ncp_kappa = kappa;
    return CLI_GO_ON;
}

/* How contact soft is solved, where that was given. */
static int set_solver(const char *verb, const tacStepArgs *args, tacOptions *options) {
    int given = args->solver != SOLVER_MODEL || args->tolerance != 0 || args->iterations != 0 ||
                args->ls_tolerance != 0 || args->ls_iterations != 0;
    if (given && options->contact != TAC_SOFT)
        return cli_fail(verb, "--solver, --tolerance, --iterations, --ls-tolerance, --ls-iterations: expected "
                              "--contact soft, whose solver they are of");
    if (args->solver != SOLVER_MODEL)
        options->soft_solver = args->solver == SOLVER_CG ? TAC_SOLVER_CG : TAC_SOLVER_NEWTON;
    options->soft_tolerance = args->tolerance, options->soft_ls_tolerance = args->ls_tolerance;
    options->soft_iterations = args->iterations, options->soft_ls_iterations = args->ls_iterations;
    if (!(args->tolerance >= 0 && args->tolerance < 1) || !(args->ls_tolerance >= 0 && args->ls_tolerance < 1))
        return cli_fail(verb, "--tolerance, --ls-tolerance: expected numbers from 0 to below 1");
    return CLI_GO_ON;
}

int cli_step_options(const char *verb, const tacModel *model, const tacStepArgs *args, tacOptions *options) {
    *options = tac_default_options(model);
    options->contact = (tacContactModel)args->contact;
    if (!isnan(args->dt)) options->dt = args->dt;
    options->toi = args->toi;
    if (args->toi && options->contact != TAC_LCP) return cli_fail(verb, "--toi: expected --contact lcp");
    if (set_kappa(verb, args->kappa, options) != CLI_GO_ON) return CLI_CANNOT;
    if (args->friction && options->contact != TAC_NCP) return cli_fail(verb, "--friction: expected --contact ncp");
    options->ncp_friction = (tacNcpFriction)args->friction;
    if (set_solver(verb, args, options) != CLI_GO_ON) return CLI_CANNOT;
    if (!(options->dt > 0)) return cli_fail(verb, "--dt: got %g, expected a time greater than 0", options->dt);
    if (args->integrator != INTEGRATOR_MODEL)
        options->integrator = (tacIntegrator)(args->integrator - INTEGRATOR_FIRST);
    return settle_integrator(verb, model, args->integrator != INTEGRATOR_MODEL, options);
}
