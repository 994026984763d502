/* tactus grad MODEL: the derivative of one step at a state. */
#include "cli/cli.h"
#include "cli/derivatives/derivative.h"
#include "cli/derivatives/shared_params.h"
#include "cli/input/model_file.h"
#include "cli/input/parameters.h"
#include "cli/input/project_start.h"
#include "cli/input/state_file.h"
#include "cli/input/stepping.h"
#include "cli/report/json.h"
#include "cli/simulation/contact_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 160, SHOWN = 12, WIDTH = 100, EXPLANATION = 4096 };

typedef struct tacGradArgs {
    int json;
    const char *mode;
} tacGradArgs;

static const tacArg GRAD_OPTIONS[] = {
    {"--mode", NULL, TAC_ARG_TEXT, offsetof(tacGradArgs, mode), "exact|bounce|complementarity",
     "gradient mode; with --contact lcp also bounce (impacts in continuous time) and complementarity (nonzero across "
     "contacts, row by row)"},
    {"--json", NULL, TAC_ARG_FLAG, offsetof(tacGradArgs, json), NULL, "print JSON"},
    {0},
};

static const char *const SUMMARY =
    "Prints the next state y = f(x, u; theta) and the derivatives A = dy/dx, B = dy/du and\n"
    "P = dy/dtheta. The parameters theta are those of --param. The rows, and the columns of A,\n"
    "are the displacements dq (one per degree of freedom), dv and da.";

/* The derivative that was asked for. */
typedef struct tacGradRun {
    const tacModel *model;
    tacOptions options;
    const tacParamList *params;
    tacDerivative d;
    tacStepInfo info;
    tacContactForce *contact; /* of the step */
    int ncontact;
    char why[EXPLANATION]; /* tac_explain_step */
    tacSharedList shared;  /* parameters that have half a derivative */
} tacGradRun;

static const char *const MODES[] = {[TAC_GRADIENT_EXACT] = "exact",
                                    [TAC_GRADIENT_BOUNCE] = "bounce",
                                    [TAC_GRADIENT_COMPLEMENTARITY] = "complementarity"};
enum { NMODES = sizeof MODES / sizeof *MODES };

/* tacGradientMode of a word, NMODES for one that is none. */
static int find_mode(const char *word) {
    int k = 0;
    while (k < NMODES && strcmp(word, MODES[k]) != 0)
        k++;
    return k;
}

static int set_mode(const tacGradArgs *args, tacOptions *options) {
    int mode = find_mode(args->mode);
    if (mode == NMODES) return cli_fail("grad", "--mode: got \"%s\", expected %s", args->mode, GRAD_OPTIONS[0].value);
    if (mode != TAC_GRADIENT_EXACT && options->contact != TAC_CONTACT_MODEL_LCP)
        return cli_fail("grad", "--mode %s is not available with --contact %s, expected exact", args->mode,
                        tac_contact_text(options->contact));
    options->gradient = (tacGradientMode)mode;
    return CLI_GO_ON;
}

/* --- for programs ------------------------------------------------------------------------------------------------ */

static json_t *tangent_names(const tacModel *m) {
    json_t *list = json_array();
    char name[NAME];
    for (int i = 0; i < tac_ndx(m); i++) {
        cli_tangent_name(m, i, name, sizeof name);
        json_array_append_new(list, measure_json_text(name));
    }
    return list;
}

static json_t *input_names(const tacModel *m, const tacOptions *options) {
    json_t *list = json_array();
    char name[NAME];
    for (int i = 0; i < tac_ninput(m, options); i++) {
        cli_input_name(m, options, i, name, sizeof name);
        json_array_append_new(list, measure_json_text(name));
    }
    return list;
}

static json_t *param_names(const tacParamList *params) {
    json_t *list = json_array();
    for (int i = 0; i < params->count; i++)
        json_array_append_new(list, measure_json_text(params->entry[i].name));
    return list;
}

/* The parameters that each --tie names. */
static json_t *tied_json(const tacModel *m, const tacParamList *params) {
    json_t *tied = json_object();
    char path[CLI_PARAMETER_PATH];
    for (int k = 0; k < params->count; k++) {
        if (tac_param_registered(m, k, 1, path, sizeof path) != TAC_OK) continue; /* sets one number alone */
        json_t *members = json_array();
        for (int i = 0; tac_param_registered(m, k, i, path, sizeof path) == TAC_OK; i++)
            json_array_append_new(members, measure_json_text(path));
        json_object_set_new(tied, params->entry[k].name, members);
    }
    return tied;
}

static json_t *state_json(tacJson *json, const tacModel *m, const double *y) {
    json_t *next = json_object();
    json_object_set_new(next, "qpos", measure_json_numbers(json, "next.qpos", m->nq, y));
    json_object_set_new(next, "qvel", measure_json_numbers(json, "next.qvel", m->nv, y + m->nq));
    json_object_set_new(next, "act", measure_json_numbers(json, "next.act", m->na, y + m->nq + m->nv));
    return next;
}

/* The report of inner steps. No gap turned back: graze_margin is null. */
static json_t *inner_json(tacJson *json, const tacStepInfo *info) {
    json_t *inner = json_object();
    json_object_set_new(inner, "accepted", json_integer(info->inner_accepted));
    json_object_set_new(inner, "rejected", json_integer(info->inner_rejected));
    json_object_set_new(inner, "events", json_integer(info->events));
    json_object_set_new(inner, "ties", json_integer(info->ties));
    json_object_set_new(inner, "switches", json_integer(info->switches));
    json_object_set_new(inner, "error_estimate",
                        measure_json_number(json, "inner.error_estimate", info->error_estimate));
    json_object_set_new(
        inner, "graze_margin",
        isinf(info->graze_margin) ? json_null() : measure_json_number(json, "inner.graze_margin", info->graze_margin));
    return inner;
}

static json_t *info_json(tacJson *json, const tacGradRun *run) {
    json_t *info = json_object();
    json_object_set_new(info, "status", json_string(tac_status_text(run->info.status)));
    cli_start_json(json, info, run->model, run->info.start, &run->info.violation);
    json_object_set_new(info, "contact", json_string(tac_contact_text(run->options.contact)));
    json_object_set_new(info, "integrator", json_string(cli_integrator_word(&run->options)));
    json_object_set_new(info, "dt", measure_json_number(json, "info.dt", run->options.dt));
    json_object_set_new(info, "mode", json_string(MODES[run->options.gradient]));
    if (run->options.integrator >= TAC_INTEGRATOR_TSIT5)
        json_object_set_new(info, "inner", inner_json(json, &run->info));
    json_object_set_new(info, "rows", tangent_names(run->model));
    json_object_set_new(info, "inputs", input_names(run->model, &run->options));
    json_object_set_new(info, "shared", cli_shared_json(&run->shared));
    json_object_set_new(info, "tied", tied_json(run->model, run->params));
    return info;
}

static const char *const CLASSES[] = {
    [TAC_CONTACT_OPEN] = "open", [TAC_CONTACT_STICKING] = "sticking", [TAC_CONTACT_SLIDING] = "sliding"};

static json_t *contacts_json(tacJson *json, const tacGradRun *run) {
    json_t *list = json_array();
    for (int i = 0; i < run->ncontact; i++) {
        const tacContactForce *c = &run->contact[i];
        json_t *row = cli_contact_json(json, run->model, "contacts.dist", &c->contact);
        json_object_set_new(row, "class", json_string(CLASSES[c->state]));
        json_object_set_new(row, "force", measure_json_numbers(json, "contacts.force", 3, c->force));
        json_object_set_new(row, "velocity", measure_json_numbers(json, "contacts.velocity", 3, c->velocity));
        json_object_set_new(
            row, "margin", isfinite(c->margin) ? measure_json_number(json, "contacts.margin", c->margin) : json_null());
        json_object_set_new(row, "switch_margin", cli_switch_margin_json(json, "contacts.switch_margin", &c->contact));
        json_array_append_new(list, row);
    }
    return list;
}

static int print_json(const tacGradRun *run) {
    tacDerivativeSize n = run->d.size;
    tacJson json = measure_json_begin();
    measure_json_put(&json, "A", measure_json_rows(&json, "A", n.ndx, n.ndx, run->d.A));
    measure_json_put(&json, "B", measure_json_rows(&json, "B", n.ndx, n.nu, run->d.B));
    measure_json_put(&json, "P", measure_json_rows(&json, "P", n.ndx, n.np, run->d.P));
    measure_json_put(&json, "params", param_names(run->params));
    measure_json_put(&json, "next", state_json(&json, run->model, run->d.y));
    measure_json_put(&json, "info", info_json(&json, run));
    measure_json_put(&json, "contacts", contacts_json(&json, run));
    measure_json_put(&json, "explanation", measure_json_text(run->why));
    int code = cli_json_print("grad", &json, CLI_FINE);
    measure_json_free(&json);
    return code;
}

/* --- for people -------------------------------------------------------------------------------------------------- */

/* An entry worth showing. */
typedef struct Entry {
    int row, column, block; /* block: 0 A, 1 B, 2 P */
    double value;
} Entry;

/* By size; of equal ones what stands first in the matrix. */
static int larger_first(const void *a, const void *b) {
    const Entry *p = a, *q = b;
    double x = fabs(p->value), y = fabs(q->value);
    if (x != y) return x < y ? 1 : -1;
    return p->row != q->row ? (p->row > q->row) - (p->row < q->row) : (p->column > q->column) - (p->column < q->column);
}

static void column_name(const tacGradRun *run, const Entry *entry, char *text, size_t size) {
    if (entry->block == 0)
        cli_tangent_name(run->model, entry->column, text, size);
    else if (entry->block == 1)
        cli_input_name(run->model, &run->options, entry->column, text, size);
    else
        snprintf(text, size, "%s", run->params->entry[entry->column].name);
}

/* The largest entries of one matrix, by name. */
static void print_largest(const tacGradRun *run, const char *title, int block, int columns, const double *values) {
    int n = run->d.size.ndx * columns;
    Entry *entries = calloc((size_t)n + 1, sizeof *entries);
    if (entries == NULL || n == 0) {
        free(entries);
        return;
    }
    for (int i = 0; i < n; i++)
        entries[i] = (Entry){i / columns, i % columns, block, values[i]};
    qsort(entries, (size_t)n, sizeof *entries, larger_first);
    printf("\n%s%s\n", title, entries[0].value == 0 ? ": all are zero" : "");
    for (int i = 0; i < n && i < SHOWN && entries[i].value != 0; i++) {
        char row[NAME], column[NAME];
        cli_tangent_name(run->model, entries[i].row, row, sizeof row);
        column_name(run, &entries[i], column, sizeof column);
        printf("  %12.6g   %s by %s\n", entries[i].value, row, column);
    }
    free(entries);
}

static double largest_of(const tacBlock *block) {
    double largest = 0;
    for (int i = 0; i < block->rows; i++)
        for (int j = 0; j < block->columns; j++)
            largest = fmax(largest, fabs(block->entry[(size_t)i * (size_t)block->ld + (size_t)j]));
    return largest;
}

static double norm_of(const tacBlock *block) {
    double sum = 0;
    for (int i = 0; i < block->rows; i++)
        for (int j = 0; j < block->columns; j++) {
            double entry = block->entry[(size_t)i * (size_t)block->ld + (size_t)j];
            sum += entry * entry;
        }
    return sqrt(sum);
}

static void print_blocks(const tacDerivative *d) {
    printf("\nblock        rows  columns      norm      largest\n");
    for (int r = 0; r < CLI_ROW_BLOCKS; r++)
        for (int c = 0; c < CLI_COLUMN_BLOCKS; c++) {
            tacBlock block = cli_block(d, r, c);
            if (block.rows == 0 || block.columns == 0) continue;
            printf("%-10s  %5d  %7d  %11.5g  %11.5g\n", cli_block_name(r, c), block.rows, block.columns,
                   norm_of(&block), largest_of(&block));
        }
}

static int all_finite(const tacDerivative *d) {
    for (int r = 0; r < CLI_ROW_BLOCKS; r++)
        for (int c = 0; c < CLI_COLUMN_BLOCKS; c++) {
            tacBlock block = cli_block(d, r, c);
            if (!isfinite(norm_of(&block))) return 0;
        }
    return 1;
}

static void print_contacts(const tacGradRun *run) {
    char name[2][NAME];
    if (run->ncontact > 0)
        printf("\n%-20s %-20s %11s  %-9s %11s %11s %11s  %s\n", "contact of", "and", "distance", "class", "normal N",
               "tangent N", "tangent N", "class margin, m/s");
    for (int i = 0; i < run->ncontact && i < CLI_LONGEST_LIST; i++) {
        const tacContactForce *c = &run->contact[i];
        printf("%-20s %-20s %11.5g  %-9s %11.5g %11.5g %11.5g  %.3g\n",
               cli_label(run->model, TAC_KIND_GEOM, c->contact.geom[0], name[0], NAME),
               cli_label(run->model, TAC_KIND_GEOM, c->contact.geom[1], name[1], NAME), c->contact.dist,
               CLASSES[c->state], c->force[0], c->force[1], c->force[2], c->margin);
    }
    if (run->ncontact > CLI_LONGEST_LIST) printf("and %d more: --json prints all\n", run->ncontact - CLI_LONGEST_LIST);
}

/* Words, broken into lines no longer than WIDTH. */
static void print_words(const char *text) {
    int column = 0;
    for (const char *word = text; *word != '\0';) {
        int n = (int)strcspn(word, " ");
        if (column > 0 && column + 1 + n > WIDTH) {
            column = 0;
            printf("\n");
        }
        printf("%s%.*s", column > 0 ? " " : "", n, word);
        column += n + (column > 0);
        word += n + (word[n] == ' ');
    }
    printf("\n");
}

static int print_text(const char *path, const tacGradRun *run) {
    tacDerivativeSize n = run->d.size;
    if (!all_finite(&run->d)) {
        cli_fail("grad", "the derivative is not finite: nothing is printed");
        return CLI_NO;
    }
    printf("%s: one step of %g s, contact %s, integrator %s\n", path, run->options.dt,
           tac_contact_text(run->options.contact), cli_integrator_word(&run->options));
    printf("  A = dy/dx      %d x %d   (dq %d, dv %d, da %d)\n", n.ndx, n.ndx, n.nv, n.nv, n.na);
    printf("  B = dy/du      %d x %d\n", n.ndx, n.nu);
    printf("  P = dy/dtheta  %d x %d\n", n.ndx, n.np);
    print_blocks(&run->d);
    print_largest(run, "A, largest entries", 0, n.ndx, run->d.A);
    print_largest(run, "B, largest entries", 1, n.nu, run->d.B);
    print_largest(run, "P, largest entries", 2, n.np, run->d.P);
    print_contacts(run);
    printf("\n");
    print_words(run->why);
    cli_shared_print(&run->shared);
    return CLI_FINE;
}

/* --- the run ----------------------------------------------------------------------------------------------------- */

/* The contacts of the step, however many there are, and what it says of itself. */
static tacStatus explain(tacSim *sim, tacGradRun *run, const tacStart *start) {
    tacStatus status = tac_explain_step(sim, start->x, start->u, run->why, sizeof run->why);
    if (status == TAC_OK) status = tac_step_contacts(sim, start->x, start->u, NULL, 0, &run->ncontact);
    if (status == TAC_ERR_CONTACTS) status = TAC_OK;
    if (status != TAC_OK) return status;
    run->contact = calloc((size_t)run->ncontact + 1, sizeof *run->contact);
    if (run->contact == NULL) return TAC_ERR_MEMORY;
    return tac_step_contacts(sim, start->x, start->u, run->contact, run->ncontact, &run->ncontact);
}

static int differentiate(tacGradRun *run, const tacStart *start) {
    tacError err;
    tacSim *sim;
    if (tac_sim_new(run->model, &run->options, &sim, &err) != TAC_OK) return cli_fail("grad", "%s", err.text);
    int result = CLI_GO_ON;
    if (!cli_derivative_new(run->model, &run->options, &run->d)) {
        result = cli_fail("grad", "out of memory");
    } else {
        tacStatus status = cli_derivative_at(sim, start->x, start->u, &run->d, &run->info);
        if (status == TAC_OK && run->options.gradient == TAC_GRADIENT_COMPLEMENTARITY)
            status = cli_derivative_rows(sim, start->x, start->u, &run->d, &run->info);
        if (status == TAC_OK) status = explain(sim, run, start);
        if (status == TAC_OK) cli_shared_find(sim, run->model, start->x, start->u, &run->d, &run->shared);
        if (status != TAC_OK) result = CLI_NO;
        if (status != TAC_OK)
            cli_fail("grad", "the derivative does not exist at this state: %s%s%s", tac_status_text(run->info.status),
                     run->info.reason == TAC_REASON_NONE ? "" : ": ",
                     run->info.reason == TAC_REASON_NONE ? "" : tac_reason_text(run->info.reason));
    }
    tac_sim_free(sim);
    return result;
}

static int run_grad(tacGradRun *run, const tacStart *start, const char *path, int json) {
    int result = differentiate(run, start);
    if (result == CLI_GO_ON && run->info.start != TAC_OK) cli_warn_start("grad", run->model, &run->info.violation);
    if (result == CLI_GO_ON) result = json ? print_json(run) : print_text(path, run);
    cli_derivative_free(&run->d);
    free(run->contact);
    return result;
}

/* Registers the parameters, reads the state and prints. */
static int prepare(const tacModelFile *file, const tacGradArgs *args, const tacModelArgs *model,
                   const tacStateArgs *state, const tacParamArgs *param, tacOptions options) {
    tacParamList params;
    tacStart start;
    int result = cli_start_load("grad", file->model, state, &options, &start);
    if (result != CLI_GO_ON) return result;
    result = cli_params_register("grad", file->model, param, &params);
    if (result == CLI_GO_ON) {
        tacGradRun run = {.model = file->model, .options = options, .params = &params};
        result = run_grad(&run, &start, model->path, args->json);
        cli_params_free(&params);
    }
    cli_start_free(&start);
    return result;
}

int cmd_grad(int argc, char **argv) {
    tacGradArgs own = {.mode = "exact"};
    tacModelArgs model = {0};
    tacStateArgs state = {0};
    tacParamArgs param = {0};
    tacStepArgs step;
    cli_step_args(&step);
    tacArgGroup groups[] = {{"options", GRAD_OPTIONS, &own},
                            {"parameter options", CLI_PARAM_OPTIONS, &param},
                            {"step options", step.table, &step},
                            {"state options", CLI_STATE_OPTIONS, &state},
                            {"model options", CLI_MODEL_OPTIONS, &model}};
    tacArgs args = cli_model_verb("grad", SUMMARY, groups, 5, &model);
    tacModelFile file;
    tacOptions options;
    int result = cli_parse(&args, argc, argv);
    if (result == CLI_GO_ON) result = cli_model_load("grad", &model, &file);
    if (result != CLI_GO_ON) return result;
    cli_model_print_warnings("grad", &file);
    result = cli_step_options("grad", file.model, &step, &options);
    if (result == CLI_GO_ON) result = set_mode(&own, &options);
    if (result == CLI_GO_ON) result = prepare(&file, &own, &model, &state, &param, options);
    cli_model_close(&file);
    return result;
}
