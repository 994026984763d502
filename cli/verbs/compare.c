/* tactus compare MODEL: contact soft, or no contact, beside MuJoCo. */
#include "cli/cli.h"
#include "cli/input/model_file.h"
#include "cli/input/state_file.h"
#include "cli/input/stepping.h"
#include "cli/peer/comparison.h"
#include "cli/report/json.h"
#include "cli/report/output_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TOL 1e-6
enum { DEFAULT_STEPS = 200, CONE_MODEL = 0, NONE_GIVEN = -1 };

typedef struct tacCompareArgs {
    int json, contact, contacts, cone;
    long steps, samples;
    tacArgSeed seed;
    double tol;
    const char *states, *answers;
} tacCompareArgs;

/* Words of --contact that MuJoCo has. */
enum { CONTACT_SOFT, CONTACT_NONE };

static const tacArg COMPARE_OPTIONS[] = {
    {"--contact", NULL, TAC_ARG_CHOICE, offsetof(tacCompareArgs, contact), "soft|none",
     "contact model of both engines: soft (MuJoCo's), or none (no constraints); default soft"},
    {"--steps", NULL, TAC_ARG_COUNT, offsetof(tacCompareArgs, steps), "N", "compare a motion of N steps; default 200"},
    {"--samples", NULL, TAC_ARG_COUNT, offsetof(tacCompareArgs, samples), "N",
     "compare one step at each of N random states in contact"},
    {"--seed", NULL, TAC_ARG_SEED, offsetof(tacCompareArgs, seed), "SEED", "seed of the random states; default 0"},
    {"--contacts", NULL, TAC_ARG_CHOICE, offsetof(tacCompareArgs, contacts), "ours|theirs",
     "contacts of the Tactus step: its own, or those MuJoCo finds at the same state"},
    {"--cone", NULL, TAC_ARG_CHOICE, offsetof(tacCompareArgs, cone), "model|pyramidal|elliptic",
     "friction cone of both engines; default: the model's"},
    {"--tol", NULL, TAC_ARG_NUMBER, offsetof(tacCompareArgs, tol), "T",
     "tolerance (relative difference); default 1e-6"},
    {"--states", NULL, TAC_ARG_TEXT, offsetof(tacCompareArgs, states), "FILE",
     "only write the random states, for MuJoCo on another machine"},
    {"--answers", NULL, TAC_ARG_TEXT, offsetof(tacCompareArgs, answers), "FILE",
     "compare with MuJoCo's answers at these states (tools/checks/soft/mujoco_answers.mjs)"},
    {"--json", NULL, TAC_ARG_FLAG, offsetof(tacCompareArgs, json), NULL, "print JSON"},
    {0},
};

#define MUJOCO_INTEGRATORS "model|euler|rk4|implicit|implicitfast"

static const char *const SUMMARY =
    "Runs MuJoCo, if it is installed, and Tactus from the same state with the same controls.\n"
    "Prints the differences of positions, velocities, accelerations, forces and contacts. At\n"
    "random states, only states with equal contacts count. Exit code 1: a difference exceeds\n"
    "the tolerance.";

/* --- what came out ------------------------------------------------------------------------------------------------ */

static json_t *contact_set_json(const tacComparison *c) {
    json_t *set = json_object(), *pairs = json_array();
    for (int k = 0; k < c->nodd; k++) {
        const tacOddPair *odd = &c->odd[k];
        json_t *types = json_pack("[ss]", cli_geom_type(odd->type[0]), cli_geom_type(odd->type[1]));
        json_array_append_new(pairs, json_pack("{s:o,s:i,s:i,s:I}", "types", types, "ours", odd->ours, "theirs",
                                               odd->theirs, "states", (json_int_t)odd->states));
    }
    json_object_set_new(set, "same", json_integer(c->same));
    json_object_set_new(set, "different", json_integer(c->count - c->same));
    json_object_set_new(set, "pairs", pairs);
    return set;
}

/* A difference that is not finite is written as the largest number. */
static json_t *figure_json(tacJson *json, const char *name, double value) {
    return measure_json_number(json, name, value < HUGE_VAL ? value : 1e300);
}

static json_t *first_json(tacJson *json, const tacComparison *c) {
    if (c->first < 0) return json_null();
    json_t *first = json_object();
    json_object_set_new(first, "at", json_integer(c->first));
    json_object_set_new(first, "what", json_string(c->what));
    json_object_set_new(first, "error", figure_json(json, "error", c->error));
    return first;
}

static int print_json(const tacComparison *c, const char *version, int code) {
    tacJson json = measure_json_begin();
    const struct {
        const char *key;
        double error;
    } figures[] = {{"position", c->worst.position},
                   {"velocity", c->worst.velocity},
                   {"acceleration", c->worst.acceleration},
                   {"force", c->worst.force},
                   {"mixing", c->worst.mixing}};
    measure_json_put(&json, "peer", json_string("mujoco"));
    measure_json_put(&json, "peer_version", measure_json_text(version));
    measure_json_put(&json, "contact", json_string(tac_contact_text(c->options.contact)));
    measure_json_put(&json, "integrator", json_string(cli_integrator_word(&c->options)));
    measure_json_put(&json, "status", measure_json_text(tac_status_text(c->unsolved > 0 ? TAC_ERR_UNSOLVED : TAC_OK)));
    measure_json_put(&json, "contacts", json_string(c->theirs ? "theirs" : "ours"));
    measure_json_put_count(&json, "count", c->count);
    measure_json_put_count(&json, "unanswered", c->unanswered);
    measure_json_put_count(&json, "unsolved", c->unsolved);
    measure_json_put_count(&json, "in_contact", c->in_contact);
    measure_json_put_count(&json, "within", c->within);
    measure_json_put(&json, "tol", measure_json_number(&json, "tol", c->tol));
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        measure_json_put(&json, figures[i].key, figure_json(&json, figures[i].key, figures[i].error));
    measure_json_put(&json, "contact_set", contact_set_json(c));
    measure_json_put(&json, "first_difference", first_json(&json, c));
    code = cli_json_print("compare", &json, code);
    measure_json_free(&json);
    return code;
}

static int print_text(const tacComparison *c, const char *path, const char *version, int code) {
    printf("%s: contact %s, integrator %s, against MuJoCo %s, %s contacts: %ld steps, %ld in contact\n", path,
           tac_contact_text(c->options.contact), cli_integrator_word(&c->options), version,
           c->theirs ? "MuJoCo's" : "Tactus's", c->count, c->in_contact);
    printf("  position      %9.1e\n  velocity      %9.1e\n", c->worst.position, c->worst.velocity);
    printf("  acceleration  %9.1e\n  force         %9.1e\n", c->worst.acceleration, c->worst.force);
    printf("  contacts      equal in %ld of %ld; their mixed parameters differ by %.1e\n", c->same, c->count,
           c->worst.mixing);
    for (int k = 0; k < c->nodd; k++)
        printf("    %s and %s: Tactus finds %d, MuJoCo %d, at %ld states\n", cli_geom_type(c->odd[k].type[0]),
               cli_geom_type(c->odd[k].type[1]), c->odd[k].ours, c->odd[k].theirs, c->odd[k].states);
    if (c->unsolved > 0) printf("  unsolved      %ld, to the tolerance of Tactus\n", c->unsolved);
    if (c->unanswered > 0) printf("  unanswered    %ld: %s\n", c->unanswered, c->reason);
    if (c->first < 0) {
        printf("  no difference beyond %g\n", c->tol);
        return code;
    }
    printf("  first difference at %ld: %s", c->first, c->what);
    if (c->error > 0) printf(", %.1e", c->error);
    printf("\n");
    return code;
}

static int report(const tacComparison *c, const tacCompareArgs *own, const char *path) {
    const char *version = c->file != NULL ? c->file->version : cli_side_version(c->side);
    int code = c->first < 0 && c->count > 0 ? CLI_FINE : CLI_NO;
    return own->json ? print_json(c, version, code) : print_text(c, path, version, code);
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

/* Random states to a file, with what a MuJoCo elsewhere must know besides the model. */
static int write_states(tacComparison *c, const tacCompareArgs *own, const char *path) {
    tacJson json = measure_json_begin();
    tacOutputFile file;
    measure_json_put(&json, "model", measure_json_text(path));
    measure_json_put(&json, "dt", measure_json_number(&json, "dt", c->options.dt));
    measure_json_put(&json, "cone",
                     json_string(*c->model->option_cone == TAC_CONE_ELLIPTIC ? "elliptic" : "pyramidal"));
    measure_json_put(&json, "integrator", json_string(cli_integrator_word(&c->options)));
    for (long k = 0; k < own->samples; k++) {
        cli_comparison_draw(c, own->seed.value, k);
        cli_states_put(&json, c->model, c->x, c->u);
    }
    char *text = measure_json_dump(&json);
    int result;
    if (text == NULL)
        result = cli_fail("compare", json.bad[0] != '\0' ? "a state is not finite" : "out of memory");
    else
        result = cli_output_open("compare", own->states, &file);
    if (result == CLI_GO_ON) {
        fputs(text, file.stream);
        result = cli_output_finish("compare", &file);
    }
    free(text);
    measure_json_free(&json);
    return result == CLI_GO_ON ? CLI_FINE : result;
}

static int compare_motion(tacComparison *c, const tacCompareArgs *own, const tacStart *start,
                          const tacControlArgs *control) {
    tacControls controls = {0};
    int result = cli_controls_load("compare", c->model, control, c->options.dt, start->u, &controls);
    long steps = own->steps >= 0 ? own->steps : DEFAULT_STEPS;
    if (result == CLI_GO_ON) result = cli_compare_motion(c, start->x, start->u, &controls, steps);
    cli_controls_free(&controls);
    return result;
}

/* Answers are of one integrator: ours must be the same. */
static int check_integrator(const tacComparison *c, const char *path, const tacAnswerFile *file) {
    const char *ours = cli_integrator_word(&c->options);
    if (strcmp(file->integrator, ours) == 0) return CLI_GO_ON;
    return cli_fail("compare", "--answers: %s: got answers of integrator \"%s\", expected \"%s\"", path,
                    file->integrator, ours);
}

/* With somebody to answer. */
static int compare(tacComparison *c, const tacCompareArgs *own, const char *path, const tacStart *start,
                   const tacControlArgs *control) {
    char reason[TAC_ANSWER_REASON];
    tacAnswerFile file = {0};
    int result = own->answers != NULL ? cli_answers_open("compare", own->answers, &file) : CLI_GO_ON;
    c->file = own->answers != NULL ? &file : NULL;
    if (result == CLI_GO_ON && c->file != NULL) result = check_integrator(c, own->answers, &file);
    if (own->answers == NULL) c->side = cli_side_open(path, c->model, &c->options, reason);
    if (own->answers == NULL && c->side == NULL) result = cli_fail("compare", "%s: %s", path, reason);
    if (result == CLI_GO_ON && c->file == NULL && own->samples < 0)
        result = compare_motion(c, own, start, control);
    else if (result == CLI_GO_ON)
        result = cli_compare_states(c, own->seed.value, c->file != NULL ? file.n : own->samples);
    if (result == CLI_GO_ON) result = report(c, own, path);
    cli_side_close(c->side);
    cli_answers_close(&file);
    return result;
}

/* MuJoCo tells its contacts at the start of a step; stages of Runge-Kutta have others, each its own. */
static int check_stages(const tacComparison *c) {
    int stages = c->options.integrator == TAC_INTEGRATOR_RK4 || c->options.integrator == TAC_INTEGRATOR_RKMK4;
    if (!c->theirs || !stages) return CLI_GO_ON;
    return cli_fail("compare",
                    "--contacts theirs requires --integrator euler, implicit or implicitfast: a Runge-Kutta step needs "
                    "the contacts of every stage, and MuJoCo's are known at the first stage only");
}

static int run(tacModelFile *file, const tacCompareArgs *own, const char *path, const tacStepArgs *step,
               const tacStateArgs *state, const tacControlArgs *control) {
    tacComparison c = {.verb = "compare", .model = file->model, .theirs = own->contacts, .tol = own->tol};
    tacStart start = {0};
    if (own->cone != CONE_MODEL) *file->model->option_cone = own->cone - 1;
    int result = cli_step_options("compare", file->model, step, &c.options);
    if (result == CLI_GO_ON) result = check_stages(&c);
    if (result == CLI_GO_ON) result = cli_start_load("compare", file->model, state, &c.options, &start);
    if (result == CLI_GO_ON) result = cli_comparison_begin(&c);
    if (result == CLI_GO_ON)
        result = own->states != NULL ? write_states(&c, own, path) : compare(&c, own, path, &start, control);
    cli_comparison_end(&c);
    cli_start_free(&start);
    return result;
}

/* Refuses options of a motion's start and controls: random states use none. */
static int check_samples(const tacStateArgs *state, const tacControlArgs *control) {
    const char *given = state->state != NULL    ? "--state"
                        : state->key != NULL    ? "--key"
                        : state->project        ? "--project"
                        : control->file != NULL ? "--ctrl"
                        : control->random.given ? "--random"
                                                : NULL;
    return given == NULL
               ? CLI_GO_ON
               : cli_fail("compare", "%s requires --steps: --samples draws its own states and controls", given);
}

static int check_args(const tacCompareArgs *own) {
    if (own->contact == CONTACT_NONE && (own->contacts || own->states != NULL || own->answers != NULL))
        return cli_fail("compare", "--contacts, --states and --answers require --contact soft");
    if (own->steps >= 0 && own->samples >= 0) return cli_fail("compare", "--steps and --samples exclude each other");
    if (own->steps == 0) return cli_fail("compare", "--steps: got 0, expected 1 or more");
    if (own->samples == 0) return cli_fail("compare", "--samples: got 0, expected 1 or more");
    if (own->states != NULL && own->samples < 0) return cli_fail("compare", "--states requires --samples");
    if (!(own->tol >= 0)) return cli_fail("compare", "--tol: got %g, expected 0 or more", own->tol);
    return CLI_GO_ON;
}

int cmd_compare(int argc, char **argv) {
    tacCompareArgs own = {.steps = NONE_GIVEN, .samples = NONE_GIVEN, .tol = DEFAULT_TOL};
    tacStepArgs step;
    cli_step_args_of(&step, TAC_CONTACT_MODEL_SOFT);
    tacModelArgs model = {0};
    tacStateArgs state = {0};
    tacControlArgs control = {.share = 1};
    for (tacArg *row = step.table; row->name != NULL; row++)
        if (strcmp(row->name, "--integrator") == 0) row->value = MUJOCO_INTEGRATORS;
    tacArgGroup groups[] = {{"options", COMPARE_OPTIONS, &own},
                            {"step options", step.table, &step},
                            {"state options", CLI_STATE_OPTIONS, &state},
                            {"control options", CLI_CONTROL_OPTIONS, &control},
                            {"model options", CLI_MODEL_OPTIONS, &model}};
    tacArgs args = cli_model_verb("compare", SUMMARY, groups, 5, &model);
    tacModelFile file;
    int result = cli_parse(&args, argc, argv);
    if (result == CLI_GO_ON) result = check_args(&own);
    if (result == CLI_GO_ON && (own.samples >= 0 || own.answers != NULL)) result = check_samples(&state, &control);
    if (result == CLI_GO_ON && model.ground)
        result = cli_fail("compare", "--ground: MuJoCo reads the file, which has no such floor");
    if (result == CLI_GO_ON) result = cli_model_load("compare", &model, &file);
    if (result != CLI_GO_ON) return result;
    cli_step_contact(&step, own.contact == CONTACT_NONE ? TAC_CONTACT_MODEL_NONE : TAC_CONTACT_MODEL_SOFT);
    cli_model_print_warnings("compare", &file);
    result = run(&file, &own, model.path, &step, &state, &control);
    cli_model_close(&file);
    return result;
}
