#include "cli/input/stepping.h"

#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

static const char *const INTEGRATORS[] = {
    [TAC_INTEGRATOR_EULER] = "euler",       [TAC_INTEGRATOR_RK4] = "rk4",
    [TAC_INTEGRATOR_IMPLICIT] = "implicit", [TAC_INTEGRATOR_IMPLICITFAST] = "implicitfast",
    [TAC_INTEGRATOR_RKMK4] = "rkmk4",       [TAC_INTEGRATOR_SPIN] = "spin",
    [TAC_INTEGRATOR_CORIOLIS] = "coriolis", [TAC_INTEGRATOR_TSIT5] = "tsit5",
    [TAC_INTEGRATOR_DOPRI5] = "dopri5",     [TAC_INTEGRATOR_DOPRI8] = "dopri8",
    [TAC_INTEGRATOR_BOSH3] = "bosh3",       [TAC_INTEGRATOR_HEUN] = "heun",
    [TAC_INTEGRATOR_RALSTON] = "ralston",   [TAC_INTEGRATOR_MIDPOINT] = "midpoint",
    [TAC_INTEGRATOR_STIFF] = "stiff"};

/* --- The table ---------------------------------------------------------------------------------------------------- */

/* Choices that a model makes have the word "model" too. */
static int is_the_models(const tacOptionInfo *o) {
    return o->offset == offsetof(tacOptions, integrator) || o->offset == offsetof(tacOptions, soft_solver);
}

static int is_flag(const tacOptionInfo *o) { return o->kind == TAC_OPTION_INT && o->least == 0 && o->most == 1; }

/* "--contact lcp, ncp" for the contact models that read an option. */
static void name_contacts(unsigned contacts, char text[CLI_STEP_CONTACTS]) {
    const char *before = "--contact ";
    size_t n = 0;
    for (int c = 0; c < TAC_CONTACT_MODEL_COUNT && n < CLI_STEP_CONTACTS; c++) {
        if (!(contacts & TAC_CONTACT_BIT(c))) continue;
        const char *word = tac_contact_text((tacContactModel)c);
        n += (size_t)snprintf(text + n, CLI_STEP_CONTACTS - n, "%s%s", before, word);
        before = " or ";
    }
}

static void write_help(const tacOptionInfo *o, char help[CLI_STEP_HELP]) {
    char contacts[CLI_STEP_CONTACTS] = "", value[CLI_STEP_DEFAULT] = "";
    name_contacts(o->contacts, contacts);
    if (o->kind != TAC_OPTION_CHOICE && o->value != 0) snprintf(value, sizeof value, "; default %g", o->value);
    if (o->offset == offsetof(tacOptions, contact)) snprintf(value, sizeof value, "; default soft");
    snprintf(help, CLI_STEP_HELP, "%s%s%s%s%s", o->contacts ? "with " : "", o->contacts ? contacts : "",
             o->contacts ? ": " : "", o->text, value);
}

static tacArg row_of(const tacOptionInfo *o, int i, tacStepArgs *args) {
    tacArg row = {.name = o->flag, .help = args->help[i]};
    write_help(o, args->help[i]);
    if (is_flag(o)) {
        row.kind = TAC_ARG_FLAG;
        row.field = offsetof(tacStepArgs, set) + (size_t)i * sizeof(int);
        return row;
    }
    row.field = offsetof(tacStepArgs, given) + (size_t)i * sizeof(const char *);
    row.kind = o->kind == TAC_OPTION_CHOICE ? TAC_ARG_WORD : TAC_ARG_TEXT;
    row.value = o->kind == TAC_OPTION_INT ? "N" : o->offset == offsetof(tacOptions, dt) ? "SECONDS" : "NUMBER";
    if (o->kind != TAC_OPTION_CHOICE) return row;
    snprintf(args->words[i], CLI_STEP_WORDS, "%s%s", is_the_models(o) ? "model|" : "", o->words);
    args->words[i][strlen(args->words[i]) - 1] = '\0'; /* the last bar */
    row.value = args->words[i];
    return row;
}

/* Options of the contact models of some bits. */
static void fill(tacStepArgs *args, unsigned contacts, int with_contact) {
    const tacOptionInfo *o;
    int n = 0;
    *args = (tacStepArgs){.given = {0}};
    for (int i = 0; (o = tac_option_info(i)) != NULL; i++) {
        int is_contact = o->offset == offsetof(tacOptions, contact);
        int wanted = is_contact ? with_contact : o->contacts == 0 || o->contacts & contacts;
        if (o->flag != NULL && wanted) args->table[n++] = row_of(o, i, args);
    }
}

void cli_step_args(tacStepArgs *args) { fill(args, ~0u, 1); }

void cli_step_args_of(tacStepArgs *args, tacContactModel contact) { fill(args, TAC_CONTACT_BIT(contact), 0); }

void cli_step_contact(tacStepArgs *args, tacContactModel contact) {
    const tacOptionInfo *o;
    for (int i = 0; (o = tac_option_info(i)) != NULL; i++)
        if (o->offset == offsetof(tacOptions, contact)) args->given[i] = tac_contact_text(contact);
}

/* --- What was asked for ------------------------------------------------------------------------------------------- */

const char *cli_integrator_word(const tacOptions *options) {
    if (options->contact != TAC_CONTACT_MODEL_NCP) return INTEGRATORS[options->integrator];
    return options->integrator == TAC_INTEGRATOR_EULER ? "variational" : "variational, forces implicit in velocity";
}

/* The text given for an option, or NULL. */
static const char *text_of(const tacStepArgs *args, const tacOptionInfo *o, int i) {
    if (args->set[i]) return "1";
    if (args->given[i] != NULL && is_the_models(o) && strcmp(args->given[i], "model") == 0) return NULL;
    return args->given[i];
}

static int set_option(const char *verb, const tacOptionInfo *o, const char *text, tacOptions *options) {
    tacError err;
    if (tac_option_set(options, o->name, text, &err) != TAC_OK) {
        const char *expected = strstr(err.text, "expected ");
        return cli_fail(verb, "%s: got \"%s\", %s", o->flag, text, expected != NULL ? expected : err.text);
    }
    if (o->contacts == 0 || o->contacts & TAC_CONTACT_BIT(options->contact)) return CLI_GO_ON;
    char contacts[CLI_STEP_CONTACTS] = "";
    name_contacts(o->contacts, contacts);
    return cli_fail(verb, "%s requires %s", o->flag, contacts);
}

/* Puts the integrator that runs into the options: the model's own gives way where the contact model lacks it, and one
 * that was asked for is refused. */
static int choose_integrator(const char *verb, const tacModel *model, int asked, tacOptions *options) {
    tacSim *sim = NULL;
    tacError err;
    tacOptions in_use = *options;
    tacStatus status = tac_sim_new(model, options, &sim, &err);
    if (status == TAC_OK) tac_sim_options(sim, &in_use);
    tac_sim_free(sim);
    int lacks = status == TAC_ERR_UNSUPPORTED && err.kind == TAC_KIND_NONE; /* else it names an element of the model */
    if (lacks) in_use.integrator = TAC_INTEGRATOR_EULER;
    if (lacks || (asked && in_use.integrator != options->integrator))
        return cli_fail(verb, "--integrator %s is not available with --contact %s, which uses %s",
                        INTEGRATORS[options->integrator], tac_contact_text(options->contact),
                        cli_integrator_word(&in_use));
    options->integrator = in_use.integrator;
    return CLI_GO_ON; /* tac_sim_new reports every other fault of the options */
}

/* Options come in the table's order: the contact model first, which others are checked against. */
int cli_step_options(const char *verb, const tacModel *model, const tacStepArgs *args, tacOptions *options) {
    const tacOptionInfo *o;
    int asked = 0;
    *options = tac_default_options(model);
    for (int i = 0; (o = tac_option_info(i)) != NULL; i++) {
        const char *text = text_of(args, o, i);
        if (text == NULL) continue;
        if (set_option(verb, o, text, options) != CLI_GO_ON) return CLI_CANNOT;
        asked |= o->offset == offsetof(tacOptions, integrator);
    }
    return choose_integrator(verb, model, asked, options);
}
