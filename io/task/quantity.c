#include "io/task/quantity.h"

#include "io/task/keys.h"
#include "io/task/nearest.h"

#include "tactus/tactus.h"

#include <stdio.h>
#include <string.h>

enum { NAME = 128, HINT = 192, FOUND = 128, WRITTEN = 256 };

static const tacQuantityRow ROWS[] = {
#define X(name, FORM, ELEMENT, kind, numbers, unit, text) {#name, TAC_FORM_##FORM, TAC_KIND_##ELEMENT, 0, (int)(kind)},
    TAC_TASK_QUANTITIES(X)
#undef X
#define X(name, FORM, ELEMENT, kind, numbers, unit, text) {#name, TAC_FORM_##FORM, TAC_KIND_##ELEMENT, 1, (int)(kind)},
        TAC_TASK_OUTPUTS(X)
#undef X
};

enum { NROW = sizeof ROWS / sizeof *ROWS };

/* Modifiers that a quantity may have beside its own key. */
typedef struct Modifiers {
    const tacNode *in, *kappa, *first, *count;
} Modifiers;

static int is_growth(const tacQuantityRow *row) { return row->is_output && row->kind == (int)TAC_OUT_GROWTH; }

const tacQuantityRow *tac_quantity_row(int i) { return i >= 0 && i < NROW ? &ROWS[i] : NULL; }

static const tacQuantityRow *find_row(const char *name) {
    for (const tacQuantityRow *row = ROWS; row < ROWS + NROW; row++)
        if (strcmp(row->name, name) == 0) return row;
    return NULL;
}

/* "{body_pos: NAME}, or {body_pos: all}" */
static const char *written_as(const tacQuantityRow *row, char *out, size_t size) {
    static const char *const format[] = {
#define X(FORM, text) text,
        TAC_TASK_FORMS(X)
#undef X
    };
    size_t used = 0;
    for (const char *f = format[row->form]; *f != '\0' && used + NAME < size; f++) {
        if (f[0] == '%' && f[1] == 's')
            used += (size_t)snprintf(out + used, size - used, "%s", row->name), f++;
        else
            out[used++] = *f;
    }
    out[used] = '\0';
    return out;
}

static tacStatus fail_form(const tacQuantityRow *row, const tacNode *node, tacError *err) {
    char found[FOUND], written[WRITTEN];
    return tac_node_fail(node, err, TAC_ERR_SYNTAX, "found %s, expected %s",
                         tac_node_describe(node, found, sizeof found), written_as(row, written, sizeof written));
}

/* --- Shape -------------------------------------------------------------------------------------------------------- */

static tacStatus fail_unknown(const tacNode *node, const char *name, int is_key, tacError *err) {
    char hint[HINT];
    tacNearest nearest = tac_nearest_begin(name);
    for (int i = 0; i < NROW; i++)
        tac_nearest_try(&nearest, ROWS[i].name);
    tac_nearest_text(&nearest, hint, sizeof hint);
    const char *end = hint[0] != '\0' ? hint : ", expected one of the guide's table, as ctrl or {body_pos: NAME}";
    if (is_key)
        return tac_node_fail_key(node, err, TAC_ERR_SYNTAX, "unknown quantity \"%.*s\"%s", TAC_TASK_SHOWN, name, end);
    return tac_node_fail(node, err, TAC_ERR_SYNTAX, "unknown quantity \"%.*s\"%s", TAC_TASK_SHOWN, name, end);
}

static int is_name(const tacNode *node) { return node->kind == TAC_NODE_SCALAR && node->text[0] != '\0'; }

static tacStatus check_form(const tacQuantityRow *row, const tacNode *node, tacError *err) {
    int stands_alone = row->form == TAC_FORM_WHOLE;
    if (row->form == TAC_FORM_PAIR) {
        if (node->kind != TAC_NODE_LIST || node->n != 2 || !is_name(node->first) || !is_name(node->last))
            return fail_form(row, node, err);
        return TAC_OK;
    }
    if (!is_name(node) || (stands_alone && strcmp(node->text, "all") != 0)) return fail_form(row, node, err);
    return TAC_OK;
}

static tacStatus check_index(const tacNode *node, int least, tacError *err) {
    int value;
    TAC_TRY(tac_node_int(node, &value, err));
    if (value >= least && value <= TAC_TASK_VALUES) return TAC_OK;
    return tac_node_fail(node, err, TAC_ERR_SYNTAX, "found %d, expected %d to %d", value, least, TAC_TASK_VALUES);
}

/* A key beside the quantity's own. */
static tacStatus check_modifier(const tacQuantityRow *row, const tacNode *item, Modifiers *out, tacError *err) {
    if (strcmp(item->key, "first") == 0) {
        out->first = item;
        return check_index(item, 0, err);
    }
    if (strcmp(item->key, "count") == 0) {
        out->count = item;
        return check_index(item, 1, err);
    }
    if (strcmp(item->key, "in") == 0 && row->form == TAC_FORM_FRAME) {
        out->in = item;
        return is_name(item) ? TAC_OK : fail_form(row, item, err);
    }
    if (strcmp(item->key, "kappa") == 0 && is_growth(row)) {
        double kappa;
        out->kappa = item;
        TAC_TRY(tac_node_real(item, &kappa, err));
        if (kappa > 0 && kappa <= 1) return TAC_OK;
        return tac_node_fail(item, err, TAC_ERR_SYNTAX, "found %g, expected a number above 0 and at most 1", kappa);
    }
    if (find_row(item->key) != NULL)
        return tac_node_fail_key(item, err, TAC_ERR_SYNTAX, "found a second quantity, \"%s\", expected one", item->key);
    return tac_node_fail_key(item, err, TAC_ERR_SYNTAX, "unknown key \"%.*s\" of %s, expected first, count%s",
                             TAC_TASK_SHOWN, item->key, row->name,
                             row->form == TAC_FORM_FRAME ? ", in"
                             : is_growth(row)            ? ", kappa"
                                                         : "");
}

/* A map -> the row of its first key that names a quantity, the value of that key, and the other keys. */
static tacStatus split(const tacNode *node, const tacQuantityRow **row, const tacNode **value, Modifiers *modifiers,
                       tacError *err) {
    *modifiers = (Modifiers){0};
    *row = NULL;
    for (const tacNode *item = node->first; item != NULL && *row == NULL; item = item->next) {
        *row = find_row(item->key);
        *value = item;
    }
    if (*row == NULL && node->first != NULL) return fail_unknown(node->first, node->first->key, 1, err);
    if (*row == NULL)
        return tac_node_fail(node, err, TAC_ERR_SYNTAX, "found an empty map, expected a quantity, as {body_pos: NAME}");
    TAC_TRY(check_form(*row, *value, err));
    for (const tacNode *item = node->first; item != NULL; item = item->next)
        if (item != *value) TAC_TRY(check_modifier(*row, item, modifiers, err));
    return TAC_OK;
}

tacStatus tac_task_check_quantity(const tacNode *node, tacError *err) {
    char found[FOUND];
    const tacQuantityRow *row;
    const tacNode *value;
    Modifiers modifiers;
    if (node->kind == TAC_NODE_MAP) return split(node, &row, &value, &modifiers, err);
    if (!is_name(node))
        return tac_node_fail(node, err, TAC_ERR_SYNTAX, "found %s, expected a quantity, as ctrl or {body_pos: NAME}",
                             tac_node_describe(node, found, sizeof found));
    row = find_row(node->text);
    if (row == NULL) return fail_unknown(node, node->text, 0, err);
    int alone = row->form == TAC_FORM_WHOLE || row->form == TAC_FORM_COORDINATE || row->form == TAC_FORM_CONTROL;
    return alone ? TAC_OK : fail_form(row, node, err);
}

/* --- Elements ----------------------------------------------------------------------------------------------------- */

tacStatus tac_task_find_element(const tacModel *model, tacKind kind, const tacNode *node, const char *name, int *id,
                                tacError *err) {
    char hint[HINT];
    *id = tac_model_find(model, kind, name);
    int n = tac_model_count(model, kind), number, used = 0;
    if (*id < 0 && sscanf(name, "#%9d%n", &number, &used) == 1 && name[used] == '\0' && number >= 0 && number < n)
        *id = number;
    if (*id >= 0) return TAC_OK;
    tacNearest nearest = tac_nearest_begin(name);
    for (int i = 0; i < n; i++)
        tac_nearest_try(&nearest, tac_model_name(model, kind, i));
    const char *what = kind == TAC_KIND_KEY ? "keyframe" : tac_kind_text(kind);
    return tac_node_fail(node, err, TAC_ERR_NAME, "found \"%.*s\", expected the name of %s %s%s", TAC_TASK_SHOWN, name,
                         strchr("ae", what[0]) != NULL ? "an" : "a", what,
                         tac_nearest_text(&nearest, hint, sizeof hint));
}

/* "site/hand" -> frame */
static tacStatus find_frame(const tacModel *model, const tacNode *node, tacFrame *frame, tacError *err) {
    static const tacKind kinds[] = {TAC_KIND_BODY, TAC_KIND_GEOM, TAC_KIND_SITE};
    const char *slash = strchr(node->text, '/');
    size_t n = slash != NULL ? (size_t)(slash - node->text) : 0;
    for (int i = 0; i < 3 && slash != NULL; i++) {
        const char *word = tac_kind_text(kinds[i]);
        if (strlen(word) != n || strncmp(word, node->text, n) != 0) continue;
        frame->kind = kinds[i];
        return tac_task_find_element(model, kinds[i], node, slash + 1, &frame->id, err);
    }
    return tac_node_fail(node, err, TAC_ERR_NAME, "found \"%.*s\", expected body/NAME, geom/NAME or site/NAME",
                         TAC_TASK_SHOWN, node->text);
}

static int dofs_of(const tacModel *model, int joint) {
    int type = model->joint_type[joint];
    return type == TAC_JOINT_FREE ? 6 : type == TAC_JOINT_BALL ? 3 : 1;
}

/* "knee" or "root[3]" -> joint and the number of its dof, -1: all of them. */
static tacStatus find_joint(const tacModel *model, const tacNode *node, int *joint, int *dof, tacError *err) {
    char name[TAC_TASK_KEY + 1];
    int used = 0;
    snprintf(name, sizeof name, "%s", node->text);
    char *bracket = strrchr(name, '[');
    *dof = -1;
    if (bracket != NULL && sscanf(bracket, "[%6d]%n", dof, &used) == 1 && bracket[used] == '\0') *bracket = '\0';
    TAC_TRY(tac_task_find_element(model, TAC_KIND_JOINT, node, name, joint, err));
    int ndof = dofs_of(model, *joint);
    if (*dof >= ndof || (bracket != NULL && *dof < 0))
        return tac_node_fail(node, err, TAC_ERR_NAME, "joint \"%s\" has %d degree%s of freedom, from [0] on", name,
                             ndof, ndof == 1 ? "" : "s");
    return TAC_OK;
}

static tacStatus find_dof(const tacModel *model, const tacNode *node, int *id, tacError *err) {
    int joint, dof;
    TAC_TRY(find_joint(model, node, &joint, &dof, err));
    if (dof < 0 && dofs_of(model, joint) != 1)
        return tac_node_fail(node, err, TAC_ERR_NAME,
                             "joint \"%s\" has %d degrees of freedom, expected one of them: \"%s[0]\"", node->text,
                             dofs_of(model, joint), node->text);
    *id = model->joint_dof_adr[joint] + (dof > 0 ? dof : 0);
    return TAC_OK;
}

/* --- Quantities --------------------------------------------------------------------------------------------------- */

/* A part of the state, and of its target. */
static void set_part(tacTaskQuantity *out, int first, int count, int target_first, int target_size) {
    out->part = 1;
    out->of.first = first;
    out->of.count = count;
    out->target_first = target_first;
    out->target_size = target_size;
}

static tacStatus find_coordinates(const tacModel *model, const tacNode *value, tacTaskQuantity *out, tacError *err) {
    int joint, dof, is_velocity = strcmp(out->row->name, "qvel") == 0;
    if (value == NULL || strcmp(value->text, "all") == 0) {
        if (is_velocity)
            set_part(out, model->nv, model->nv, model->nq, model->nv);
        else
            set_part(out, 0, model->nv, 0, model->nq);
        return TAC_OK;
    }
    TAC_TRY(find_joint(model, value, &joint, &dof, err));
    int adr = model->joint_dof_adr[joint], n = dofs_of(model, joint), nq = n == 6 ? 7 : n == 3 ? 4 : n;
    if (is_velocity && dof >= 0)
        set_part(out, model->nv + adr + dof, 1, model->nq + adr + dof, 1);
    else if (is_velocity)
        set_part(out, model->nv + adr, n, model->nq + adr, n);
    else if (dof >= 0 && n != nq && !(n == 6 && dof < 3))
        return tac_node_fail(value, err, TAC_ERR_NAME,
                             "found one coordinate of a rotation, expected the whole joint or a shift of a free joint");
    else if (dof >= 0)
        set_part(out, adr + dof, 1, model->joint_qpos_adr[joint] + dof, 1);
    else
        set_part(out, adr, n, model->joint_qpos_adr[joint], nq);
    return TAC_OK;
}

static tacStatus find_control(const tacModel *model, const tacNode *value, tacTaskQuantity *out, tacError *err) {
    int id;
    out->of.count = model->nu;
    if (value == NULL || strcmp(value->text, "all") == 0) return TAC_OK;
    TAC_TRY(tac_task_find_element(model, TAC_KIND_ACTUATOR, value, value->text, &id, err));
    out->of.first = id;
    out->of.count = 1;
    return TAC_OK;
}

static tacStatus find_pair(const tacModel *model, const tacNode *value, int geom[2], tacError *err) {
    TAC_TRY(tac_task_find_element(model, TAC_KIND_GEOM, value->first, value->first->text, &geom[0], err));
    TAC_TRY(tac_task_find_element(model, TAC_KIND_GEOM, value->last, value->last->text, &geom[1], err));
    if (geom[0] != geom[1]) return TAC_OK;
    return tac_node_fail(value, err, TAC_ERR_NAME, "found the geom \"%s\" twice, expected two geoms",
                         value->first->text);
}

static tacStatus find_output(const tacModel *model, const tacNode *value, const Modifiers *modifiers,
                             tacTaskQuantity *out, tacError *err) {
    tacOutput *o = &out->of.output;
    const tacQuantityRow *row = out->row;
    *o = (tacOutput){.kind = (tacOutputKind)row->kind};
    int all = value != NULL && value->kind == TAC_NODE_SCALAR && strcmp(value->text, "all") == 0;
    if (row->form == TAC_FORM_WHOLE) {
        o->id = o->kind == TAC_OUT_ACT_DOT ? TAC_OUT_ALL : 0;
        return TAC_OK;
    }
    if (row->form == TAC_FORM_PAIR) {
        int geom[2];
        TAC_TRY(find_pair(model, value, geom, err));
        o->id = geom[0];
        o->id2 = geom[1];
        o->kappa = 1e-2;
        return modifiers->kappa != NULL ? tac_node_real(modifiers->kappa, &o->kappa, err) : TAC_OK;
    }
    if (all) {
        o->id = TAC_OUT_ALL;
        return TAC_OK;
    }
    if (row->form == TAC_FORM_DOF) return find_dof(model, value, &o->id, err);
    return tac_task_find_element(model, row->element, value, value->text, &o->id, err);
}

static tacStatus find_own(const tacModel *model, const tacNode *value, const Modifiers *modifiers, tacTaskQuantity *out,
                          tacError *err) {
    const tacQuantityRow *row = out->row;
    out->of.kind = (tacQuantityKind)row->kind;
    if (row->form == TAC_FORM_COORDINATE) return find_coordinates(model, value, out, err);
    if (row->form == TAC_FORM_CONTROL) return find_control(model, value, out, err);
    if (row->form == TAC_FORM_PAIR) return find_pair(model, value, out->of.geom, err);
    if (row->form == TAC_FORM_FRAME) {
        TAC_TRY(find_frame(model, value, &out->of.frame, err));
        return modifiers->in != NULL ? find_frame(model, modifiers->in, &out->of.in, err) : TAC_OK;
    }
    if (strcmp(row->name, "act") == 0) set_part(out, 2 * model->nv, model->na, model->nq + model->nv, model->na);
    return TAC_OK;
}

/* first and count, within what the quantity has. */
static tacStatus narrow(const Modifiers *modifiers, tacTaskQuantity *out, tacError *err) {
    int first = 0, count = 0, have = out->of.count;
    if (modifiers->first != NULL) TAC_TRY(tac_node_int(modifiers->first, &first, err));
    if (modifiers->count != NULL) TAC_TRY(tac_node_int(modifiers->count, &count, err));
    if (have > 0 && first >= have)
        return tac_node_fail(modifiers->first, err, TAC_ERR_SYNTAX, "found %d, expected less than %d", first, have);
    if (have > 0 && count > have - first)
        return tac_node_fail(modifiers->count, err, TAC_ERR_SYNTAX, "entries %d to %d, expected at most %d entries",
                             first, first + count - 1, have);
    out->of.first += first;
    out->of.count = count > 0 ? count : have > 0 ? have - first : 0;
    return TAC_OK;
}

tacStatus tac_task_find_quantity(const tacModel *model, const tacNode *node, tacTaskQuantity *out, tacError *err) {
    Modifiers modifiers = {0};
    const tacNode *value = NULL;
    const tacQuantityRow *row;
    if (node->kind == TAC_NODE_MAP)
        TAC_TRY(split(node, &row, &value, &modifiers, err));
    else
        row = find_row(node->text);
    *out = (tacTaskQuantity){.row = row};
    if (row->is_output) {
        out->of.kind = TAC_OF_OUTPUT;
        TAC_TRY(find_output(model, value, &modifiers, out, err));
    } else {
        TAC_TRY(find_own(model, value, &modifiers, out, err));
    }
    return narrow(&modifiers, out, err);
}
