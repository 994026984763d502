/* --param PATH: which numbers of the model to differentiate by. A path may hold the wildcards * (any text) and ?
 * (any letter); it then stands for all listed parameters that match, in the order of the list. --tie PATH,PATH: the
 * same, but all of them are one parameter. */
#pragma once

#include "cli/options.h"

#include "tactus/tactus.h"

enum { CLI_PARAMETER_PATH = 512 };

typedef struct tacParamArgs {
    tacArgList paths, ties;
} tacParamArgs;

extern const tacArg CLI_PARAM_OPTIONS[];

/* One registered parameter: what it is called, and the path of the number that it sets, or of the first of them. */
typedef struct tacParamEntry {
    char *name, *path;
} tacParamEntry;

/* The registered parameters in the order of registration: columns of P. Free with cli_params_free. */
typedef struct tacParamList {
    tacParamEntry *entry;
    int count;
} tacParamList;

/* Registers them with the model, ties first. A path that does not exist or cannot be differentiated is refused by name;
 * a pattern leaves out what cannot, and says so on standard error. CLI_GO_ON or CLI_CANNOT. */
int cli_params_register(const char *verb, tacModel *model, const tacParamArgs *args, tacParamList *list);
void cli_params_free(tacParamList *list);
/* Whether text matches a pattern of * and ?. */
int cli_matches(const char *pattern, const char *text);
/* "joint/knee.damping" -> "joint.damping": what kind of number it is. Writes to text. */
const char *cli_param_kind(const char *path, char *text, size_t size);
