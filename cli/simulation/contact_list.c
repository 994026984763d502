#include "cli/simulation/contact_list.h"

#include "cli/cli.h"
#include "measure/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const FEATURES[] = {"point", "line", "plane", "circle", "ellipsoid", "side"};
/* Count of numbers that identify a kind of feature, at most two. */
static const int NUMBERS[] = {1, 2, 1, 1, 0, 0};
enum { NFEATURE = sizeof NUMBERS / sizeof *NUMBERS };

/* --- Finding ------------------------------------------------------------------------------------------------------ */

static tacStatus contacts_with(const tacModel *model, const tacOptions *options, const double *q, const double *u,
                               tacContactList *out) {
    tacSim *sim;
    tacStatus status = tac_sim_new(model, options, &sim, NULL);
    if (status != TAC_OK) return status;
    out->n = 0;
    out->contact = malloc(((size_t)options->max_contacts + 1) * sizeof *out->contact);
    status =
        out->contact == NULL ? TAC_ERR_MEMORY : tac_contacts(sim, q, u, out->contact, options->max_contacts, &out->n);
    tac_sim_free(sim);
    if (status != TAC_OK) {
        free(out->contact);
        out->contact = NULL;
    }
    return status;
}

tacStatus cli_contacts_find(const tacModel *model, const tacOptions *options, const double *q, const double *u,
                            tacContactList *out) {
    tacStatus status = contacts_with(model, options, q, u, out);
    if (status != TAC_ERR_CONTACTS) return status;
    tacOptions more = *options; /* a scene that is denser than most: make room for what was counted */
    more.max_contacts = out->n;
    return contacts_with(model, &more, q, u, out);
}

/* Adds one to a list that grows. */
static tacStatus append(tacContactList *list, int *room, const tacContact *contact) {
    if (list->n == *room) {
        int more = *room > 0 ? 2 * *room : 64;
        tacContact *grown = realloc(list->contact, (size_t)more * sizeof *grown);
        if (grown == NULL) return TAC_ERR_MEMORY;
        list->contact = grown;
        *room = more;
    }
    list->contact[list->n++] = *contact;
    return TAC_OK;
}

tacStatus cli_distances_find(const tacModel *model, const tacOptions *options, const double *q, const double *u,
                             double margin, tacContactList *out) {
    tacSim *sim;
    int room = 0;
    *out = (tacContactList){0};
    tacStatus status = tac_sim_new(model, options, &sim, NULL);
    if (status != TAC_OK) return status;
    tacProgress progress = measure_progress_begin("measuring");
    for (int a = 0; a < model->ngeom && status == TAC_OK; a++) {
        for (int b = a + 1; b < model->ngeom && status == TAC_OK; b++) {
            tacContact contact;
            if (model->geom_body[a] == model->geom_body[b]) continue;
            status = tac_geom_distance(sim, q, u, a, b, &contact);
            if (status == TAC_ERR_ARGUMENT)
                status = TAC_OK; /* no shape, or two planes: there is no distance */
            else if (status == TAC_OK && contact.dist <= margin)
                status = append(out, &room, &contact);
        }
        measure_progress_show(&progress, (a + 1L) * (2L * model->ngeom - a), (long)model->ngeom * model->ngeom);
    }
    measure_progress_end(&progress);
    tac_sim_free(sim);
    if (status != TAC_OK) cli_contacts_free(out);
    return status;
}

/* --- Growth distances --------------------------------------------------------------------------------------------- */

static tacStatus append_growth(tacGrowthList *list, int *room, const tacGrowth *growth) {
    if (list->n == *room) {
        int more = *room > 0 ? 2 * *room : 64;
        tacGrowth *grown = realloc(list->growth, (size_t)more * sizeof *grown);
        if (grown == NULL) return TAC_ERR_MEMORY;
        list->growth = grown;
        *room = more;
    }
    list->growth[list->n++] = *growth;
    return TAC_OK;
}

/* 1: another geom has it in its sum. */
static int is_added(const tacModel *m, int geom) {
    for (int g = 0; g < m->ngeom; g++)
        if (m->geom_sum[g] == geom) return 1;
    return 0;
}

tacStatus cli_growths_find(const tacModel *m, const tacOptions *options, const double *q, const double *u,
                           double margin, double kappa, tacGrowthList *out, char *text) {
    tacSim *sim;
    int room = 0;
    *out = (tacGrowthList){0};
    tacStatus status = tac_sim_new(m, options, &sim, NULL);
    if (status != TAC_OK) return status;
    for (int a = 0; a < m->ngeom && status == TAC_OK; a++) {
        for (int b = a + 1; b < m->ngeom && status == TAC_OK && !is_added(m, a); b++) {
            tacGrowth growth = {.kappa = 0};
            if (m->geom_body[a] == m->geom_body[b] || is_added(m, b)) continue;
            status = tac_geom_growth(sim, q, u, a, b, kappa, &growth);
            if (status == TAC_ERR_ARGUMENT || status == TAC_ERR_DEGENERATE)
                status = TAC_OK; /* no shape, or two planes, or centres that coincide: there is none */
            else if (status == TAC_OK && growth.gap <= margin)
                status = append_growth(out, &room, &growth);
        }
    }
    if (status != TAC_OK) snprintf(text, TAC_ERROR_TEXT, "%s", tac_sim_error(sim));
    tac_sim_free(sim);
    if (status != TAC_OK) cli_growths_free(out);
    return status;
}

void cli_growths_free(tacGrowthList *list) {
    free(list->growth);
    *list = (tacGrowthList){0};
}

void cli_contacts_free(tacContactList *list) {
    free(list->contact);
    *list = (tacContactList){0};
}

/* --- Printing ----------------------------------------------------------------------------------------------------- */

json_t *cli_contact_json(tacJson *json, const tacModel *model, const char *list, const tacContact *contact) {
    json_t *row = json_object();
    json_object_set_new(row, "geom1", json_integer(contact->geom[0]));
    json_object_set_new(row, "geom2", json_integer(contact->geom[1]));
    json_object_set_new(row, "geom1_name", measure_json_name(model, TAC_KIND_GEOM, contact->geom[0]));
    json_object_set_new(row, "geom2_name", measure_json_name(model, TAC_KIND_GEOM, contact->geom[1]));
    json_object_set_new(row, "dist", measure_json_number(json, list, contact->dist));
    return row;
}

static json_t *feature_json(tacFeature f) {
    json_t *row = json_object(), *id = json_array();
    int known = f.kind >= 0 && f.kind < NFEATURE;
    for (int i = 0; known && i < NUMBERS[f.kind]; i++)
        json_array_append_new(id, json_integer(f.id[i]));
    json_object_set_new(row, "kind", json_string(known ? FEATURES[f.kind] : ""));
    json_object_set_new(row, "id", id);
    return row;
}

json_t *cli_features_json(const tacContact *contact) {
    json_t *list = json_array();
    for (int i = 0; i < 2; i++)
        json_array_append_new(list, feature_json(contact->feature[i]));
    return list;
}

json_t *cli_switch_margin_json(tacJson *json, const char *name, const tacContact *contact) {
    if (contact->switch_margin == (double)INFINITY) return json_null();
    return measure_json_number(json, name, contact->switch_margin);
}

const char *cli_feature_text(tacFeature f, char *text, size_t size) {
    int known = f.kind >= 0 && f.kind < NFEATURE, n = known ? NUMBERS[f.kind] : 0;
    const char *kind = known ? FEATURES[f.kind] : "?";
    if (n == 0)
        snprintf(text, size, "%s", kind);
    else if (n == 1)
        snprintf(text, size, "%s %d", kind, f.id[0]);
    else
        snprintf(text, size, "%s %d %d", kind, f.id[0], f.id[1]);
    return text;
}
