/* tactus VERB ...: finds the verb and runs it. */
#include "cli/cli.h"
#include "cli/options.h"
#include "measure/memory.h"

#include "tactus/tactus.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const tacVerb CLI_VERBS[] = {
    {"info", "MODEL", "print sizes, names and masses, and what the loader ignored", cmd_info},
    {"eval", "MODEL", "print mass matrix, forces, poses, energies and contacts at a state", cmd_eval},
    {"distance", "MODEL", "print signed distances between geoms at a state", cmd_distance},
    {"sim", "MODEL", "simulate; write the motion as CSV, JSON or an HTML page", cmd_sim},
    {"show", "MODEL STATES", "draw the states of a CSV file as an HTML page", cmd_show},
    {"plan", "TASK", "find the controls that do what a task file asks for", cmd_plan},
    {"pose", "TASK", "find the state at rest that a task file asks for", cmd_pose},
    {"fit", "TASK", "fit numbers of a model to recordings, with intervals", cmd_fit},
    {"grad", "MODEL", "differentiate one step by state, control and parameters", cmd_grad},
    {"check", "MODEL", "compare the derivatives with finite differences", cmd_check},
    {"bench", "[MODEL]", "time steps and derivatives; compare with MuJoCo", cmd_bench},
    {"solve", "FILE", "solve one frictional contact problem of a published collection", cmd_solve},
    {"compare", "MODEL", "compare with MuJoCo, along a motion or at random states", cmd_compare},
    {"reproduce", "[NAME]", "run the experiments of the papers and check their criteria", cmd_reproduce},
    {"random", "SEED", "write a valid random model, for stress tests", cmd_random},
    {"help", "[VERB]", "list the verbs, or print the help of one verb", cmd_help},
    {"version", "", "print the version", cmd_version},
};
const int CLI_NVERB = (int)(sizeof CLI_VERBS / sizeof CLI_VERBS[0]);

enum { VERB_NEAR_EDITS = 2 };

const tacVerb *cli_find_verb(const char *name) {
    for (int i = 0; i < CLI_NVERB; i++)
        if (strcmp(CLI_VERBS[i].name, name) == 0) return &CLI_VERBS[i];
    return NULL;
}

int cli_fail(const char *verb, const char *format, ...) {
    va_list list;
    fflush(stdout);
    fprintf(stderr, "tactus %s: ", verb);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    return CLI_CANNOT;
}

void cli_print_verbs(void) {
    printf("Tactus %s: physics for articulated rigid bodies.\n\nusage: tactus VERB [arguments]\n\n", tac_version());
    for (int i = 0; i < CLI_NVERB; i++)
        printf("  %-9s %-12s %s\n", CLI_VERBS[i].name, CLI_VERBS[i].usage, CLI_VERBS[i].summary);
    printf("\n"
           "`tactus VERB --help` lists the options of a verb. MODEL is an MJCF or URDF file.\n");
}

static int unknown_verb(const char *name) {
    fprintf(stderr, "tactus: unknown verb \"%s\"; the verbs are", name);
    for (int i = 0; i < CLI_NVERB; i++)
        fprintf(stderr, "%s %s", i > 0 ? "," : "", CLI_VERBS[i].name);
    for (int i = 0; i < CLI_NVERB; i++)
        if (cli_edit_distance(name, CLI_VERBS[i].name) <= VERB_NEAR_EDITS) {
            fprintf(stderr, "; did you mean %s?", CLI_VERBS[i].name);
            break;
        }
    fputc('\n', stderr);
    return CLI_CANNOT;
}

/* Output that could not be written (a full disk, a closed pipe), or that memory did not suffice for, is a run that
 * failed. */
static int finish(int code) {
    if (measure_memory_was_short() && code != CLI_CANNOT) {
        fprintf(stderr, "tactus: out of memory: the output is incomplete\n");
        code = CLI_CANNOT;
    }
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    fprintf(stderr, "tactus: cannot write to standard output\n");
    return CLI_CANNOT;
}

/* Opens a standard stream that the caller has closed, so that no later file gets its number and what is printed. It is
 * opened for the other direction, so that using it still fails. */
static void keep_standard_numbers(void) {
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0) open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv) {
    keep_standard_numbers();
    if (argc < 2) {
        fprintf(stderr, "tactus: the verb is missing; `tactus help` lists the verbs\n");
        return CLI_CANNOT;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) return finish(cmd_help(1, argv + 1));
    if (strcmp(argv[1], "--version") == 0) return finish(cmd_version(1, argv + 1));
    const tacVerb *verb = cli_find_verb(argv[1]);
    return verb != NULL ? finish(verb->run(argc - 1, argv + 1)) : unknown_verb(argv[1]);
}
