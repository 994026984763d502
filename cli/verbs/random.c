/* tactus random SEED: a model made by rule, as MJCF text. */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/report/output_file.h"
#include "measure/json_text.h"

#include "tactus/io.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tacRandomArgs {
    long chain, tree, branching;
    int joint, free_root, json;
    const char *output;
} tacRandomArgs;

static const tacArg RANDOM_OPTIONS[] = {
    {"--chain", NULL, TAC_ARG_COUNT, offsetof(tacRandomArgs, chain), "N",
     "write a chain of N links instead of a random model"},
    {"--tree", NULL, TAC_ARG_COUNT, offsetof(tacRandomArgs, tree), "N",
     "write a tree of N links instead of a random model"},
    {"--branching", NULL, TAC_ARG_COUNT, offsetof(tacRandomArgs, branching), "B",
     "children per link of the tree; default 2"},
    {"--joint", NULL, TAC_ARG_CHOICE, offsetof(tacRandomArgs, joint), "hinge|ball|slide|mixed",
     "joints of the chain or tree; default hinge"},
    {"--free", NULL, TAC_ARG_FLAG, offsetof(tacRandomArgs, free_root), NULL,
     "put the root of the chain or tree on a free joint"},
    {"--output", "-o", TAC_ARG_TEXT, offsetof(tacRandomArgs, output), "FILE",
     "write to FILE instead of standard output"},
    {"--json", NULL, TAC_ARG_FLAG, offsetof(tacRandomArgs, json), NULL, "print JSON: {\"model\": TEXT}"},
    {0},
};

static const char *const SUMMARY =
    "Prints a valid random model as an MJCF file: trees with every joint, shape,\n"
    "transmission and actuator type. The same seed gives the same file on every machine.\n"
    "With --chain or --tree: prints a chain or tree of equal links.";

/* Whole text -> seed. */
static int read_seed(const char *text, uint64_t *seed) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) return 0;
    *seed = value;
    return 1;
}

/* The text to print, or a null pointer after a message. */
static char *make_chain(const tacRandomArgs *args) {
    long bodies = args->chain > 0 ? args->chain : args->tree, branching = args->chain > 0 ? 1 : args->branching;
    if (bodies > INT_MAX || branching < 1 || branching > INT_MAX) {
        cli_fail("random", "%ld links, %ld children each: expected numbers from 1 to %d", bodies, branching, INT_MAX);
        return NULL;
    }
    tacChain chain = tac_default_chain();
    chain.bodies = (int)bodies;
    chain.branching = (int)branching;
    chain.joint = (tacChainJoint)args->joint;
    chain.free_root = args->free_root;
    char *text = tac_chain_model(&chain);
    if (text == NULL) cli_fail("random", "out of memory for %ld links", bodies);
    return text;
}

static char *make_random(const char *operand) {
    uint64_t seed;
    if (operand == NULL) {
        cli_fail("random", "SEED is missing: expected a whole number, or --chain N, or --tree N");
        return NULL;
    }
    if (!read_seed(operand, &seed)) {
        cli_fail("random", "SEED is \"%s\": expected a whole number from 0 to 18446744073709551615", operand);
        return NULL;
    }
    char *text = tac_random_model(seed);
    if (text == NULL) cli_fail("random", "out of memory");
    return text;
}

/* The text as the value of "model" on one line; takes it over. A null pointer after a message. */
static char *wrap_json(char *text) {
    tacJson json = measure_json_begin();
    measure_json_put(&json, "model", measure_json_text(text));
    char *line = measure_json_dump(&json), *whole = line != NULL ? malloc(strlen(line) + 2) : NULL;
    if (whole != NULL)
        sprintf(whole, "%s\n", line);
    else
        cli_fail("random", "out of memory");
    measure_json_free(&json);
    free(line);
    free(text);
    return whole;
}

static int write_text(const char *path, const char *text) {
    if (path == NULL) {
        fputs(text, stdout);
        return CLI_FINE;
    }
    tacOutputFile file;
    int code = cli_output_open("random", path, &file);
    if (code != CLI_GO_ON) return code;
    fputs(text, file.stream);
    code = cli_output_finish("random", &file);
    return code == CLI_GO_ON ? CLI_FINE : code;
}

int cmd_random(int argc, char **argv) {
    tacRandomArgs random = {.branching = 2};
    const char *operand[1] = {NULL};
    const tacArgGroup groups[] = {{"Options", RANDOM_OPTIONS, &random}};
    tacArgs args = {.verb = "random",
                    .operands = "[SEED]",
                    .summary = SUMMARY,
                    .groups = groups,
                    .ngroup = 1,
                    .operand = operand,
                    .min_operands = 0,
                    .max_operands = 1};
    int code = cli_parse(&args, argc, argv);
    if (code != CLI_GO_ON) return code;
    int ruled = random.chain > 0 || random.tree > 0;
    if (random.chain > 0 && random.tree > 0) return cli_fail("random", "--chain and --tree exclude each other");
    if (ruled && args.noperand > 0) return cli_fail("random", "SEED and --chain or --tree exclude each other");
    char *text = ruled ? make_chain(&random) : make_random(operand[0]);
    if (text != NULL && random.json) text = wrap_json(text);
    if (text == NULL) return CLI_CANNOT;
    code = write_text(random.output, text);
    free(text);
    return code;
}
