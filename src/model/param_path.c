#include "model/param_path.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* Fields whose word in paths differs from the struct's. */
static const struct {
    const char *kind, *name;
    tacKind path_kind;
    const char *path_name;
} ALIAS[] = {
    {"inertial", "mass", TAC_KIND_BODY, "mass"},        {"inertial", "pos", TAC_KIND_BODY, "ipos"},
    {"inertial", "quat", TAC_KIND_BODY, "iquat"},       {"inertial", "diag", TAC_KIND_BODY, "inertia"},
    {"inertial", "full", TAC_KIND_BODY, "fullinertia"}, {"term", "coef", TAC_KIND_TENDON, "coef"},
};

/* "body" -> TAC_KIND_BODY; TAC_KIND_NONE for rows of no element (dof, qpos, all). */
static tacKind kind_of_word(const char *word) {
    for (tacKind kind = TAC_KIND_BODY; kind < TAC_KIND_COUNT; kind++)
        if (strcmp(word, tac_kind_text(kind)) == 0) return kind;
    return TAC_KIND_NONE;
}

const char *tac_param_word(int field, tacKind *kind) {
    const tacField *f = &TAC_FIELDS[field];
    for (size_t i = 0; i < sizeof ALIAS / sizeof ALIAS[0]; i++) {
        if (strcmp(f->kind, ALIAS[i].kind) != 0 || strcmp(f->name, ALIAS[i].name) != 0) continue;
        *kind = ALIAS[i].path_kind;
        return ALIAS[i].path_name;
    }
    *kind = kind_of_word(f->kind);
    return f->name;
}

/* The last of n increasing addresses that is not above row. */
static int owner_of(const int *adr, const int *num, int n, int row) {
    for (int i = 0; i < n; i++)
        if (row >= adr[i] && row < adr[i] + num[i]) return i;
    return 0;
}

const char *tac_param_place(const tacModel *m, int field, int index, tacKind *kind, int *id, int *element) {
    const tacField *f = &TAC_FIELDS[field];
    const char *word = tac_param_word(field, kind);
    int row = index / f->per;
    *id = row;
    *element = f->per > 1 ? index % f->per : -1;
    if (f->offset == offsetof(tacModel, term_coef)) {
        *id = owner_of(m->tendon_term_adr, m->tendon_term_num, m->ntendon, row);
        *element = row - m->tendon_term_adr[*id];
    } else if (f->offset == offsetof(tacModel, mesh_file_vert)) {
        *id = owner_of(m->mesh_vert_adr, m->mesh_vert_num, m->nmesh, row);
        *element = index - 3 * m->mesh_vert_adr[*id];
    }
    return word;
}

void tac_param_text(const tacModel *m, int field, int index, char *text, size_t size) {
    tacKind kind;
    int id, element;
    char owner[TAC_ERROR_TEXT], number[16] = "";
    const char *word = tac_param_place(m, field, index, &kind, &id, &element);
    const char *name = tac_model_name(m, kind, id);
    if (element >= 0) snprintf(number, sizeof number, "[%d]", element);
    if (kind == TAC_KIND_OPTION)
        snprintf(owner, sizeof owner, "option");
    else if (name[0] != '\0')
        snprintf(owner, sizeof owner, "%s/%s", tac_kind_text(kind), name);
    else
        snprintf(owner, sizeof owner, "%s/#%d", tac_kind_text(kind), id);
    snprintf(text, size, "%s.%s%s", owner, word, number);
}

/* --- Parsing ------------------------------------------------------------------------------------------------------ */

/* A parsed path: its words in place, with lengths. */
typedef struct Words {
    const char *kind, *name, *field;
    int kind_n, name_n, field_n; /* bytes */
    int element;                 /* [i], or -1 */
} Words;

/* Digits -> number. -1: there are none, other signs, or more than fit. */
static int parse_digits(const char *text, int n) {
    int value = 0;
    if (n < 1 || n > 9) return -1;
    for (int i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9') return -1;
        value = 10 * value + (text[i] - '0');
    }
    return value;
}

/* kind/NAME.field[i]: the kind ends at the first slash, and the field begins after the last dot. So names may hold
 * both. */
static int take_apart(const char *path, Words *w) {
    size_t length = strlen(path);
    if (length >= TAC_ERROR_TEXT) return 0;
    int n = (int)length, dot = -1, slash = -1;
    *w = (Words){.kind = path, .element = -1};
    if (n > 0 && path[n - 1] == ']') {
        int open = n - 1;
        while (open > 0 && path[open] != '[')
            open--;
        w->element = parse_digits(path + open + 1, n - open - 2);
        if (w->element < 0) return 0;
        n = open;
    }
    for (int i = 0; i < n; i++) {
        if (path[i] == '.') dot = i;
        if (path[i] == '/' && slash < 0) slash = i;
    }
    if (dot < 0) return 0;
    w->field = path + dot + 1;
    w->field_n = n - dot - 1;
    w->kind_n = slash >= 0 && slash < dot ? slash : dot;
    w->name = path + w->kind_n + (w->kind_n < dot);
    w->name_n = (int)(path + dot - w->name);
    return 1;
}

static int same(const char *word, const char *text, int n) {
    return (int)strlen(word) == n && memcmp(word, text, (size_t)n) == 0;
}

/* The element's id by name, or by #ID, or -1. */
static int find_element(const tacModel *m, tacKind kind, const Words *w) {
    char name[TAC_ERROR_TEXT];
    memcpy(name, w->name, (size_t)w->name_n);
    name[w->name_n] = '\0';
    int id = tac_model_find(m, kind, name);
    if (id < 0 && name[0] == '#') id = parse_digits(name + 1, w->name_n - 1);
    return id < tac_model_count(m, kind) ? id : -1;
}

/* The field of this name. A NUMBER row comes before a DERIVED one of the same word (body/NAME.mass). */
static int find_field(tacKind kind, const Words *w) {
    int found = -1;
    for (int i = 0; i < TAC_NFIELD; i++) {
        tacKind k;
        const char *word = tac_param_word(i, &k);
        if (k != kind || !same(word, w->field, w->field_n)) continue;
        if (TAC_FIELDS[i].role == 'N') return i;
        if (found < 0) found = i;
    }
    return found;
}

/* First row and number of rows that an element has in a field. */
static void element_rows(const tacModel *m, const tacField *f, int id, int *adr, int *num) {
    *adr = id;
    *num = 1;
    if (f->offset == offsetof(tacModel, term_coef)) {
        *adr = m->tendon_term_adr[id];
        *num = m->tendon_term_num[id];
    } else if (f->offset == offsetof(tacModel, mesh_file_vert)) {
        *adr = m->mesh_vert_adr[id];
        *num = m->mesh_vert_num[id];
    }
}

tacStatus tac_param_parse(const tacModel *m, const char *path, int *field, int *index, tacError *err) {
    Words w;
    if (!take_apart(path, &w))
        return tac_fail(err, TAC_ERR_NAME, "'%.200s' is not a path, expected kind/NAME.field[i] or option.field[i]",
                        path);
    tacKind kind = TAC_KIND_BODY;
    while (kind < TAC_KIND_COUNT && !same(tac_kind_text(kind), w.kind, w.kind_n))
        kind++;
    if (kind == TAC_KIND_COUNT)
        return tac_fail(err, TAC_ERR_NAME, "parameter '%s': unknown kind '%.*s'", path, w.kind_n, w.kind);
    int id = kind == TAC_KIND_OPTION && w.name_n == 0 ? 0 : find_element(m, kind, &w);
    if (id < 0)
        return tac_fail(err, TAC_ERR_NAME, "parameter '%s': no %s '%.*s'", path, tac_kind_text(kind), w.name_n, w.name);
    *field = find_field(kind, &w);
    if (*field < 0)
        return tac_fail(err, TAC_ERR_NAME, "parameter '%s': a %s has no field '%.*s'", path, tac_kind_text(kind),
                        w.field_n, w.field);
    const tacField *f = &TAC_FIELDS[*field];
    *index = 0;
    if (f->role != 'N') return TAC_OK; /* not a parameter: which of its numbers is meant does not matter */
    int adr, num, is_list = f->per > 1 || f->offset == offsetof(tacModel, term_coef);
    element_rows(m, f, id, &adr, &num);
    if (is_list && (w.element < 0 || w.element >= num * f->per))
        return tac_fail(err, TAC_ERR_NAME, "parameter '%s': expected an index, [0] to [%d]", path, num * f->per - 1);
    if (!is_list && w.element >= 0) return tac_fail(err, TAC_ERR_NAME, "parameter '%s': expected no index", path);
    *index = adr * f->per + (is_list ? w.element : 0);
    return TAC_OK;
}
