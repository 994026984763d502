#include "model/param_path.h"

#include <string.h>

/* Fields that a path calls otherwise than the struct does. */
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
