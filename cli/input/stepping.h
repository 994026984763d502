/* Options shared by all verbs that step. Flags, words and help come from tac_option_info. */
#pragma once

#include "cli/options.h"

#include "tactus/tactus.h"

/* Sizes follow from the tables of options and contact models, so that there is room for all of them. */
#define CLI_COUNT_OPTION(name, ...)        +1
#define CLI_CONTACT_WORD(NAME, name, text) #name " or "
#define CLI_OPTION_ROOM(name, kind, value, range, contacts, words, flag, text)                                         \
    char words_of_##name[sizeof(words)], text_of_##name[sizeof(text)];
union tacOptionRoom { /* as long as the longest words, and as the longest meaning, of an option */
    TAC_OPTION_TABLE(CLI_OPTION_ROOM, CLI_COUNT_OPTION)
};
enum {
    CLI_STEP_OPTIONS = TAC_OPTION_TABLE(CLI_COUNT_OPTION, CLI_COUNT_OPTION),
    CLI_STEP_CONTACTS = sizeof("--contact " TAC_CONTACT_MODELS(CLI_CONTACT_WORD)),
    CLI_STEP_DEFAULT = 32, /* "; default 1e-08" */
    CLI_STEP_WORDS = sizeof("model|") + sizeof(union tacOptionRoom),
    CLI_STEP_HELP = sizeof("with : ") + CLI_STEP_CONTACTS + sizeof(union tacOptionRoom) + CLI_STEP_DEFAULT
};

typedef struct tacStepArgs {
    const char *given[CLI_STEP_OPTIONS]; /* by number of the option: its value as text; NULL: not given */
    int set[CLI_STEP_OPTIONS];           /* options without a value, --toi: 1 where given */
    tacArg table[CLI_STEP_OPTIONS + 1];  /* what cli_parse reads, ended by a null name */
    char words[CLI_STEP_OPTIONS][CLI_STEP_WORDS], help[CLI_STEP_OPTIONS][CLI_STEP_HELP];
} tacStepArgs;

/* The table; nothing given: contact soft, the model's own integrator and time step. */
void cli_step_args(tacStepArgs *args);
/* The table of a verb that has no use for options of other contact models, nor for --contact. */
void cli_step_args_of(tacStepArgs *args, tacContactModel contact);
/* As if `--contact WORD` were given. */
void cli_step_contact(tacStepArgs *args, tacContactModel contact);

/* The model's options with what was asked for, and the integrator that runs. One that was asked for and that the
 * contact model lacks is refused by name; the model's own gives way to Euler's. CLI_GO_ON or CLI_CANNOT. */
int cli_step_options(const char *verb, const tacModel *model, const tacStepArgs *args, tacOptions *options);

/* The name of the integrator that runs with options from cli_step_options; that of ncp is variational. */
const char *cli_integrator_word(const tacOptions *options);
