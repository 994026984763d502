#include "cli/simulation/force_list.h"

#include <stdlib.h>

/* --- Finding ------------------------------------------------------------------------------------------------------ */

/* Contacts of a pair follow each other, but with time of impact: there each impact lists its own. */
static tacPairSum *pair_of(tacForceList *list, const int geom[2]) {
    for (int i = 0; i < list->npair; i++)
        if (list->pair[i].geom[0] == geom[0] && list->pair[i].geom[1] == geom[1]) return &list->pair[i];
    list->pair[list->npair] = (tacPairSum){.geom = {geom[0], geom[1]}};
    return &list->pair[list->npair++];
}

static void sum_pairs(tacForceList *list) {
    for (int i = 0; i < list->n; i++) {
        tacPairSum *pair = pair_of(list, list->contact[i].contact.geom);
        for (int k = 0; k < 3; k++)
            pair->force[k] += list->contact[i].force[k];
    }
}

static int has_state(tacStatus status) {
    return status == TAC_OK || status == TAC_ERR_UNSOLVED || status == TAC_ERR_IMPACTS;
}

static tacStatus fill(tacSim *sim, const double *x, const double *u, tacForceList *out) {
    out->contact = malloc(((size_t)out->n + 1) * sizeof *out->contact);
    out->pair = calloc((size_t)out->n + 1, sizeof *out->pair);
    if (out->contact == NULL || out->pair == NULL) return TAC_ERR_MEMORY;
    out->status = tac_step_contacts(sim, x, u, out->contact, out->n, &out->n);
    if (!has_state(out->status)) out->n = 0;
    sum_pairs(out);
    return TAC_OK;
}

tacStatus cli_forces_find(tacSim *sim, const double *x, const double *u, tacForceList *out) {
    *out = (tacForceList){.status = TAC_OK};
    out->status = tac_step_contacts(sim, x, u, NULL, 0, &out->n);
    int more = out->status == TAC_ERR_CONTACTS && out->n > 0;
    if (!more && !has_state(out->status)) out->n = 0;
    tacStatus status = fill(sim, x, u, out);
    if (status != TAC_OK) cli_forces_free(out);
    return status;
}

tacStatus cli_forces_at(const tacModel *model, const tacOptions *options, const double *x, const double *u,
                        tacForceList *out) {
    tacSim *sim;
    *out = (tacForceList){.status = tac_sim_new(model, options, &sim, NULL)};
    if (out->status != TAC_OK) return out->status == TAC_ERR_MEMORY ? TAC_ERR_MEMORY : TAC_OK;
    tacStatus status = cli_forces_find(sim, x, u, out);
    tac_sim_free(sim);
    return status;
}

void cli_forces_free(tacForceList *list) {
    free(list->contact);
    free(list->pair);
    *list = (tacForceList){.status = TAC_OK};
}

/* --- Printing ----------------------------------------------------------------------------------------------------- */

static const char *const STATES[] = {"open", "sticking", "sliding"};

static json_t *pair_json(tacJson *json, const tacModel *m, const char *name, const tacPairSum *pair) {
    json_t *row = json_object();
    json_object_set_new(row, "geom1", json_integer(pair->geom[0]));
    json_object_set_new(row, "geom2", json_integer(pair->geom[1]));
    json_object_set_new(row, "geom1_name", measure_json_name(m, TAC_KIND_GEOM, pair->geom[0]));
    json_object_set_new(row, "geom2_name", measure_json_name(m, TAC_KIND_GEOM, pair->geom[1]));
    json_object_set_new(row, "normal", measure_json_number(json, name, pair->force[0]));
    json_object_set_new(row, "friction", measure_json_numbers(json, name, 2, pair->force + 1));
    return row;
}

static json_t *contact_json(tacJson *json, const tacModel *m, const char *name, const tacContactForce *c) {
    json_t *row = cli_contact_json(json, m, name, &c->contact), *tangents = json_array();
    for (int k = 0; k < 2; k++)
        json_array_append_new(tangents, measure_json_vec3(json, name, c->contact.tangent[k]));
    json_object_set_new(row, "pos", measure_json_vec3(json, name, c->contact.pos));
    json_object_set_new(row, "normal", measure_json_vec3(json, name, c->contact.normal));
    json_object_set_new(row, "tangents", tangents);
    json_object_set_new(row, "state", json_string(STATES[c->state]));
    json_object_set_new(row, "force", measure_json_numbers(json, name, 3, c->force));
    return row;
}

json_t *cli_forces_json(tacJson *json, const tacModel *m, const char *name, const tacForceList *list) {
    json_t *object = json_object(), *pairs = json_array(), *contacts = json_array();
    for (int i = 0; i < list->npair; i++)
        json_array_append_new(pairs, pair_json(json, m, name, &list->pair[i]));
    for (int i = 0; i < list->n; i++)
        json_array_append_new(contacts, contact_json(json, m, name, &list->contact[i]));
    json_object_set_new(object, "status", json_string(tac_status_text(list->status)));
    json_object_set_new(object, "pairs", pairs);
    json_object_set_new(object, "contacts", contacts);
    return object;
}
