#include "cli/derivatives/shared_params.h"

#include "cli/input/model_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of a geom of which a contact takes one of two. */
typedef struct Mixed {
    const char *word; /* in paths */
    int sign;         /* 1: the larger counts, -1: the smaller, where one is not positive */
    int of_pair;      /* 1: an explicit pair has its own */
} Mixed;

static const Mixed MIXED[] = {{"friction[0]", 1, 1}, {"friction[1]", 1, 1}, {"friction[2]", 1, 1},
                              {"restitution", 1, 0}, {"solref[0]", -1, 1},  {"solref[1]", -1, 1}};
enum { NMIXED = sizeof MIXED / sizeof *MIXED, NONE = -1 };

static double value_of(const tacModel *m, int geom, int kind) {
    if (kind < 3) return m->geom_friction[3 * geom + kind];
    return kind == 3 ? m->geom_restitution[geom] : m->geom_solref[2 * geom + kind - 4];
}

static void write_path(const tacModel *m, int geom, int kind, char text[CLI_PARAMETER_PATH]) {
    char name[CLI_PARAMETER_PATH / 2];
    cli_label(m, TAC_KIND_GEOM, geom, name, sizeof name);
    snprintf(text, CLI_PARAMETER_PATH, "geom/%s.%s", name, MIXED[kind].word);
}

/* "geom/foot.friction[0]" -> NMIXED geom + kind, or NONE for other numbers. Takes the path apart. */
static int find_number(const tacModel *m, char *path) {
    char *dot = strrchr(path, '.'), *name = path + strlen("geom/");
    if (strncmp(path, "geom/", strlen("geom/")) != 0 || dot == NULL) return NONE;
    *dot = '\0';
    int kind = 0, geom = tac_model_find(m, TAC_KIND_GEOM, name);
    while (kind < NMIXED && strcmp(dot + 1, MIXED[kind].word) != 0)
        kind++;
    if (geom < 0 && name[0] == '#') geom = atoi(name + 1);
    return kind == NMIXED || geom < 0 || geom >= m->ngeom ? NONE : NMIXED * geom + kind;
}

/* column[NMIXED geom + kind]: the parameter that sets the number, or NONE. */
static int *find_columns(const tacModel *m) {
    int n = NMIXED * m->ngeom, *column = malloc(((size_t)n + 1) * sizeof *column);
    char path[CLI_PARAMETER_PATH];
    for (int i = 0; column != NULL && i < n; i++)
        column[i] = NONE;
    for (int k = 0; column != NULL && k < m->nparam; k++)
        for (int j = 0; tac_param_registered(m, k, j, path, sizeof path) == TAC_OK; j++) {
            int number = find_number(m, path);
            if (number != NONE) column[number] = k;
        }
    return column;
}

static int is_zero(const tacDerivative *d, int column) {
    for (int i = 0; i < d->size.ndx; i++)
        if (d->P[(size_t)i * (size_t)d->size.np + (size_t)column] != 0) return 0;
    return 1;
}

static void add(tacSharedList *list, const tacModel *m, int param, int kind, int geom, int other) {
    tacShared item = {.param = param};
    write_path(m, geom, kind, item.path);
    write_path(m, other, kind, item.with);
    for (int i = 0; i < list->count && i < CLI_SHARED; i++)
        if (strcmp(list->item[i].path, item.path) == 0) return; /* once is enough */
    if (list->count < CLI_SHARED) list->item[list->count] = item;
    list->count++;
}

/* Adds the numbers of the two geoms of a contact. */
static void collect_of_contact(const tacModel *m, const tacContact *c, const int *column, const tacDerivative *d,
                               tacSharedList *list) {
    int a = c->geom[0], b = c->geom[1];
    if (m->geom_priority[a] != m->geom_priority[b]) return;
    int averaged = m->geom_solref[2 * a] > 0 && m->geom_solref[2 * b] > 0;
    for (int kind = 0; kind < NMIXED; kind++) {
        int of_a = column[NMIXED * a + kind], of_b = column[NMIXED * b + kind];
        if (of_a == of_b || value_of(m, a, kind) != value_of(m, b, kind)) continue;
        if ((MIXED[kind].of_pair && c->pair >= 0) || (MIXED[kind].sign < 0 && averaged)) continue;
        if (of_a != NONE && !is_zero(d, of_a)) add(list, m, of_a, kind, a, b);
        if (of_b != NONE && !is_zero(d, of_b)) add(list, m, of_b, kind, b, a);
    }
}

void cli_shared_find(tacSim *sim, const tacModel *m, const double *x, const double *u, const tacDerivative *d,
                     tacSharedList *list) {
    int n = 0;
    *list = (tacSharedList){.count = 0};
    if (d->size.np == 0 || tac_step_contacts(sim, x, u, NULL, 0, &n) != TAC_ERR_CONTACTS) return;
    tacContactForce *contact = malloc((size_t)n * sizeof *contact);
    int *column = find_columns(m);
    if (contact != NULL && column != NULL && tac_step_contacts(sim, x, u, contact, n, &n) == TAC_OK)
        for (int i = 0; i < n; i++)
            collect_of_contact(m, &contact[i].contact, column, d, list);
    free(contact);
    free(column);
}

json_t *cli_shared_json(const tacSharedList *list) {
    json_t *all = json_array();
    for (int i = 0; i < list->count && i < CLI_SHARED; i++) {
        json_t *item = json_object();
        json_object_set_new(item, "param", measure_json_text(list->item[i].path));
        json_object_set_new(item, "with", measure_json_text(list->item[i].with));
        json_array_append_new(all, item);
    }
    return all;
}

void cli_shared_print(const tacSharedList *list) {
    if (list->count == 0) return;
    printf("\n"
           "shared derivatives (two touching geoms have equal values, the contact uses one, each gets half)\n");
    for (int i = 0; i < list->count && i < CLI_SHARED; i++)
        printf("  %s and %s; --tie '%s,%s' gives the full derivative\n", list->item[i].path, list->item[i].with,
               list->item[i].path, list->item[i].with);
    if (list->count > CLI_SHARED) printf("  (list truncated)\n");
}
