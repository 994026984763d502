/* The list `column` of a fit: what the columns of its recordings measure. */
#include "io/fit/fit_columns.h"

#include "tactus/tactus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    double scale; /* to the unit of the model: m, rad, s, kg */
} UNITS[] = {
    {"m", 1},
    {"cm", 1e-2},
    {"mm", 1e-3},
    {"m/s", 1},
    {"cm/s", 1e-2},
    {"mm/s", 1e-3},
    {"rad", 1},
    {"rad/s", 1},
    {"N", 1},
    {"kN", 1e3},
    {"N m", 1},
    {"N mm", 1e-3},
    {"deg", 0.017453292519943295},
    {"deg/s", 0.017453292519943295},
    {"rpm", 0.10471975511965977},
};

static double unit_scale(const tacNode *map) {
    const tacNode *unit = tac_node_find(map, "unit");
    for (size_t i = 0; unit != NULL && i < sizeof UNITS / sizeof *UNITS; i++)
        if (strcmp(unit->text, UNITS[i].name) == 0) return UNITS[i].scale;
    return 1;
}

/* What one item of the list binds. */
typedef struct Binding {
    tacColumnKind kind;
    int first, n;         /* entries of x, u or z that have a column each */
    double *deviation;    /* where those of the residuals go; NULL: a control has none */
    int ndeviation;       /* of the residual: of a quaternion three */
    const tacNode *names; /* of columns */
} Binding;

static tacStatus bind_state(tacFitTask *fit, const tacNode *of, const tacTaskQuantity *q, Binding *b, tacError *err) {
    if (tac_node_find(of, "first") != NULL || tac_node_find(of, "count") != NULL)
        return tac_node_fail(of, err, TAC_ERR_SYNTAX,
                             "found part of a state, expected a joint, or {qpos: \"JOINT[i]\"}");
    b->kind = TAC_COLUMN_STATE;
    b->first = q->target_first;
    b->n = q->part ? q->target_size : tac_nx(fit->model);
    b->deviation = fit->deviation + q->of.first;
    b->ndeviation = q->part ? q->of.count : tac_ndx(fit->model);
    return TAC_OK;
}

static tacStatus bind_output(tacFitTask *fit, const tacTaskQuantity *q, Binding *b) {
    tacOutputs one = {1, &q->of.output};
    int size = tac_outputs_size(fit->model, &one);
    b->kind = TAC_COLUMN_OUTPUT;
    b->first = fit->nz + q->of.first;
    b->n = q->of.count > 0 ? q->of.count : size - q->of.first;
    double *deviation = realloc(fit->output_deviation, (size_t)(fit->nz + size + 1) * sizeof *deviation);
    tacOutput *output = realloc(fit->output, (size_t)(fit->noutput + 1) * sizeof *output);
    if (deviation != NULL) fit->output_deviation = deviation;
    if (output != NULL) fit->output = output;
    if (deviation == NULL || output == NULL) return TAC_ERR_MEMORY;
    for (int i = 0; i < size; i++)
        deviation[fit->nz + i] = (double)INFINITY;
    output[fit->noutput++] = q->of.output;
    fit->nz += size;
    b->deviation = deviation + b->first;
    b->ndeviation = b->n;
    if (size < 1 || b->n < 1 || b->first + b->n > fit->nz) return TAC_ERR_SHAPE;
    return TAC_OK;
}

static tacStatus bind(tacFitTask *fit, const tacNode *map, Binding *b, tacError *err) {
    const tacNode *of = tac_node_find(map, "of");
    tacTaskQuantity q;
    TAC_TRY(tac_task_find_quantity(fit->model, of, &q, err));
    *b = (Binding){.names = tac_node_find(map, "columns")};
    if (q.row->is_output) {
        tacStatus status = bind_output(fit, &q, b);
        return status == TAC_OK ? TAC_OK : tac_node_fail(of, err, status, "expected entries that the output has");
    }
    if (q.of.kind == TAC_OF_STATE) return bind_state(fit, of, &q, b, err);
    if (q.of.kind != TAC_OF_CTRL)
        return tac_node_fail(of, err, TAC_ERR_SYNTAX, "%s is not measured: expected a state, ctrl or an output",
                             q.row->name);
    b->kind = TAC_COLUMN_CONTROL;
    b->first = q.of.first;
    b->n = q.of.count;
    return TAC_OK;
}

static tacStatus add_columns(tacFitTask *fit, const tacNode *map, const Binding *b, tacError *err) {
    const tacNode *names = b->names, *scale = tac_node_find(map, "scale");
    int found = names->kind == TAC_NODE_LIST ? names->n : 1, n = fit->reading.ncolumn;
    if (found != b->n)
        return tac_node_fail(names, err, TAC_ERR_SHAPE, "found %d column%s, expected %d", found, found == 1 ? "" : "s",
                             b->n);
    tacColumn *column = realloc(fit->column, (size_t)(n + found) * sizeof *column);
    double *scales = malloc((size_t)found * sizeof *scales);
    if (column != NULL) fit->column = column;
    for (int i = 0; scales != NULL && i < found; i++)
        scales[i] = 1;
    tacStatus status = column != NULL && scales != NULL ? TAC_OK : TAC_ERR_MEMORY;
    if (status != TAC_OK) tac_node_fail(map, err, status, "no memory");
    if (status == TAC_OK && scale != NULL) status = tac_node_numbers(scale, found, 1, scales, err);
    const tacNode *name = names->kind == TAC_NODE_LIST ? names->first : names;
    for (int i = 0; status == TAC_OK && i < found; i++, name = name->next) {
        column[n + i] = (tacColumn){name->text, b->kind, b->first + i, scales[i] * unit_scale(map)};
        if (scales[i] == 0) status = tac_node_fail(scale, err, TAC_ERR_SYNTAX, "found the scale 0, expected another");
    }
    free(scales);
    fit->reading.ncolumn += status == TAC_OK ? found : 0;
    return status;
}

static tacStatus read_deviation(const tacNode *map, const Binding *b, tacError *err) {
    const tacNode *node = tac_node_find(map, "deviation");
    if (node == NULL) return TAC_OK;
    if (b->deviation == NULL)
        return tac_node_fail(node, err, TAC_ERR_SYNTAX, "controls are known: they have no deviation");
    TAC_TRY(tac_node_numbers(node, b->ndeviation, 1, b->deviation, err));
    for (int i = 0; i < b->ndeviation; i++)
        if (!(b->deviation[i] > 0)) return tac_node_fail(node, err, TAC_ERR_SYNTAX, "found 0, expected above 0");
    return TAC_OK;
}

static tacStatus check_twice(const tacFitTask *fit, const tacNode *map, int before, tacError *err) {
    for (int i = before; i < fit->reading.ncolumn; i++)
        for (int k = 0; k < i; k++)
            if (fit->column[k].kind == fit->column[i].kind && fit->column[k].entry == fit->column[i].entry)
                return tac_node_fail(map, err, TAC_ERR_NAME, "columns \"%s\" and \"%s\" measure the same number",
                                     fit->column[k].name, fit->column[i].name);
    return TAC_OK;
}

tacStatus tac_fit_read_columns(tacFitTask *fit, tacError *err) {
    const tacNode *list = tac_node_find(fit->node, "column");
    int ndx = tac_ndx(fit->model), counted = 0;
    fit->reading = tac_default_recording_options();
    fit->reading.time = tac_task_get_text(fit->node, "fit", "time");
    fit->deviation = malloc((size_t)(ndx + 1) * sizeof *fit->deviation);
    if (fit->deviation == NULL) return tac_node_fail(list, err, TAC_ERR_MEMORY, "no memory");
    for (int i = 0; i < ndx; i++)
        fit->deviation[i] = (double)INFINITY;
    for (const tacNode *map = list->first; map != NULL; map = map->next) {
        Binding b;
        int before = fit->reading.ncolumn;
        TAC_TRY(bind(fit, map, &b, err));
        TAC_TRY(add_columns(fit, map, &b, err));
        TAC_TRY(read_deviation(map, &b, err));
        TAC_TRY(check_twice(fit, map, before, err));
        counted += tac_node_find(map, "deviation") != NULL;
    }
    if (counted == 0)
        return tac_node_fail(list, err, TAC_ERR_SYNTAX,
                             "nothing is measured: expected a deviation of one column or more");
    fit->reading.columns = fit->column;
    fit->reading.noutput = fit->nz;
    return TAC_OK;
}
