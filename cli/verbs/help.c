/* tactus help [VERB], tactus version: about the program itself. */
#include "cli/cli.h"
#include "cli/options.h"

#include "tactus/tactus.h"

#include <stdio.h>
#include <stdlib.h>

static const tacArg NO_OPTIONS[] = {{0}};

int cmd_help(int argc, char **argv) {
    const char *name = NULL;
    tacArgGroup groups[] = {{"options", NO_OPTIONS, NULL}};
    tacArgs args = {.verb = "help",
                    .operands = "[VERB]",
                    .summary = "Lists the verbs, or the options of one verb.",
                    .groups = groups,
                    .ngroup = 1,
                    .operand = &name,
                    .max_operands = 1};
    int result = cli_parse(&args, argc, argv);
    if (result != CLI_GO_ON) return result;
    if (name == NULL) {
        cli_print_verbs();
        return CLI_FINE;
    }
    const tacVerb *verb = cli_find_verb(name);
    if (verb == NULL) return cli_fail("help", "unknown verb \"%s\"; `tactus help` lists the verbs", name);
    char help[] = "--help", *ask[] = {argv[0], help, NULL};
    return verb->run == cmd_help ? cmd_help(2, ask) : verb->run(2, ask);
}

typedef struct tacVersionArgs {
    int json;
} tacVersionArgs;

static const tacArg VERSION_OPTIONS[] = {
    {"--json", NULL, TAC_ARG_FLAG, offsetof(tacVersionArgs, json), NULL, "print JSON"},
    {0},
};

int cmd_version(int argc, char **argv) {
    tacVersionArgs own = {0};
    tacArgGroup groups[] = {{"options", VERSION_OPTIONS, &own}};
    tacArgs args = {.verb = "version", .operands = "", .summary = "Prints the version.", .groups = groups, .ngroup = 1};
    int result = cli_parse(&args, argc, argv);
    if (result != CLI_GO_ON) return result;
    printf(own.json ? "{\"version\":\"%s\"}\n" : "tactus %s\n", tac_version());
    return CLI_FINE;
}
