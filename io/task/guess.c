/* Where the search of a task begins. */
#include "io/task/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Guess {
    tacTask *task;
    const tacNode *map;
    int nu, ninput;
    tacPlanGuess *out;
    tacError *err;
} Guess;

/* Room for n numbers that live as long as the task, in one of its blocks. */
static double *take(const Guess *g, int block, size_t n) {
    free(g->task->guess[block]);
    g->task->guess[block] = calloc(n + 1, sizeof(double));
    if (g->task->guess[block] == NULL) tac_node_fail(g->map, g->err, TAC_ERR_MEMORY, "no memory");
    return g->task->guess[block];
}

/* --- Controls ----------------------------------------------------------------------------------------------------- */

/* rows of nu numbers -> rows of all inputs. */
static tacStatus put_rows(const Guess *g, const double *rows, int n) {
    double *u = take(g, TAC_GUESS_CONTROLS, (size_t)n * (size_t)g->ninput);
    if (u == NULL) return TAC_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        tac_default_input(g->task->model, &g->task->step, u + (size_t)i * (size_t)g->ninput);
        memcpy(u + (size_t)i * (size_t)g->ninput, rows + (size_t)i * (size_t)g->nu, (size_t)g->nu * sizeof *u);
    }
    g->out->u = u;
    return TAC_OK;
}

/* A list of lists -> rows. */
static tacStatus read_rows(const Guess *g, const tacNode *node) {
    double *rows = calloc((size_t)node->n * (size_t)g->nu + 1, sizeof *rows), *row = rows;
    tacStatus status = rows != NULL ? TAC_OK : tac_node_fail(node, g->err, TAC_ERR_MEMORY, "no memory");
    for (const tacNode *item = node->first; item != NULL && status == TAC_OK; item = item->next, row += g->nu)
        status = tac_node_numbers(item, g->nu, 0, row, g->err);
    if (status == TAC_OK) status = put_rows(g, rows, node->n);
    free(rows);
    return status;
}

static tacStatus check_rows(const Guess *g, const tacNode *node, int n) {
    int horizon = tac_task_horizon(g->task);
    if (n == horizon) return TAC_OK;
    return tac_node_fail(node, g->err, TAC_ERR_SHAPE, "found %d rows, expected one for each of %d steps", n, horizon);
}

static tacStatus read_word(const Guess *g, const tacNode *node) {
    if (strcmp(node->text, "hold") == 0) {
        g->out->ctrl = TAC_GUESS_HOLD;
        return TAC_OK;
    }
    /* what begins as a number is no name: nan, 1e999 */
    int is_name = strchr("+-.0123456789", node->text[0]) == NULL && strcmp(node->text, "nan") != 0;
    if (!is_name) {
        double value;
        return tac_node_real(node, &value, g->err);
    }
    g->out->ctrl = TAC_GUESS_KEY;
    return tac_task_find_key_frame(g->task->model, node, &g->out->key, g->err);
}

static tacStatus read_ctrl(const Guess *g, const tacNode *node) {
    if (node->kind == TAC_NODE_SCALAR && !tac_node_is_number(node)) return read_word(g, node);
    if (node->kind == TAC_NODE_LIST && node->first->kind == TAC_NODE_LIST) {
        g->out->ctrl = TAC_GUESS_GIVEN;
        TAC_TRY(check_rows(g, node, node->n));
        return read_rows(g, node);
    }
    double *row = calloc((size_t)g->nu + 1, sizeof *row);
    if (row == NULL) return tac_node_fail(node, g->err, TAC_ERR_MEMORY, "no memory");
    g->out->ctrl = TAC_GUESS_CONSTANT;
    tacStatus status = tac_node_numbers(node, g->nu, 1, row, g->err);
    if (status == TAC_OK) status = put_rows(g, row, 1);
    free(row);
    return status;
}

static tacStatus read_spline(const Guess *g, const tacNode *node) {
    if (node->kind != TAC_NODE_LIST || node->first->kind != TAC_NODE_LIST || node->n < 2)
        return tac_node_fail(node, g->err, TAC_ERR_SHAPE, "expected two or more rows of %d numbers", g->nu);
    g->out->ctrl = TAC_GUESS_SPLINE;
    g->out->knots = node->n;
    return read_rows(g, node);
}

static tacStatus read_file(const Guess *g, const tacNode *node) {
    double *rows;
    int n;
    TAC_TRY(tac_task_read_table(g->task, node, g->nu, &rows, &n, g->err));
    g->out->ctrl = TAC_GUESS_GIVEN;
    tacStatus status = check_rows(g, node, n);
    if (status == TAC_OK) status = put_rows(g, rows, n);
    free(rows);
    return status;
}

static tacStatus read_controls(const Guess *g) {
    static const struct {
        const char *key;
        tacStatus (*read)(const Guess *, const tacNode *);
    } ways[] = {{"ctrl", read_ctrl}, {"spline", read_spline}, {"file", read_file}};
    const char *before = NULL;
    for (int i = 0; i < 3; i++) {
        const tacNode *node = tac_node_find(g->map, ways[i].key);
        if (node == NULL) continue;
        if (before != NULL)
            return tac_node_fail_key(node, g->err, TAC_ERR_ARGUMENT, "found \"%s\" beside \"%s\", expected one of them",
                                     ways[i].key, before);
        before = ways[i].key;
        TAC_TRY(ways[i].read(g, node));
    }
    return TAC_OK;
}

/* --- States ------------------------------------------------------------------------------------------------------- */

static tacStatus read_states(const Guess *g) {
    const tacNode *node = tac_node_find(g->map, "states");
    const tacModel *model = g->task->model;
    tacError why;
    if (node == NULL) return TAC_OK;
    int is_list = node->kind == TAC_NODE_LIST, n = is_list ? node->n : 1, key;
    size_t nx = (size_t)tac_nx(model);
    double *x = take(g, TAC_GUESS_STATES, (size_t)n * nx);
    if (x == NULL) return TAC_ERR_MEMORY;
    const tacNode *item = is_list ? node->first : node;
    for (int i = 0; i < n; i++, item = item->next) {
        TAC_TRY(tac_task_find_key_frame(model, item, &key, g->err));
        tacStatus status = tac_key_state(model, NULL, key, x + (size_t)i * nx, NULL, &why);
        if (status != TAC_OK) return tac_node_fail(item, g->err, status, "%s", why.text);
    }
    g->out->states = TAC_STATES_LINE;
    g->out->x = x;
    g->out->nkey = n;
    return TAC_OK;
}

/* --- Variations --------------------------------------------------------------------------------------------------- */

/* Where no noise is given: a tenth of the range of each control, 1 where it has none. */
static tacStatus read_noise(const Guess *g) {
    const tacNode *node = tac_node_find(g->map, "noise");
    const tacModel *model = g->task->model;
    double *noise = take(g, TAC_GUESS_NOISE, (size_t)g->ninput);
    if (noise == NULL) return TAC_ERR_MEMORY;
    g->out->noise = noise;
    if (node != NULL) return tac_node_numbers(node, g->nu, 1, noise, g->err);
    for (int a = 0; a < g->nu; a++) {
        const double *range = model->actuator_ctrlrange + 2 * a;
        noise[a] = model->actuator_ctrllimited[a] ? (range[1] - range[0]) / 10 : 1;
    }
    return TAC_OK;
}

tacStatus tac_task_read_guess(tacTask *task, tacError *err) {
    Guess g = {.task = task,
               .map = tac_node_find(task->root, "guess"),
               .nu = task->model->nu,
               .ninput = tac_ninput(task->model, &task->step),
               .out = &task->first_guess,
               .err = err};
    task->first_guess = tac_default_plan_guess();
    if (g.map == NULL) g.map = task->root;
    TAC_TRY(read_controls(&g));
    TAC_TRY(read_states(&g));
    if (tac_task_starts(task) > 1) TAC_TRY(read_noise(&g));
    task->first_guess.seed = (uint64_t)tac_task_get_int(tac_node_find(task->root, "solver"), "solver", "seed");
    return TAC_OK;
}
