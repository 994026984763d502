#include "cli/peer/answer_file.h"

#include "cli/cli.h"
#include "cli/input/json.h"
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

/* --- States, out -------------------------------------------------------------------------------------------------- */

void cli_states_put(tacJson *json, const tacModel *m, const double *x, const double *u) {
    json_t *state = json_object();
    if (json_object_get(json->root, "states") == NULL) measure_json_put(json, "states", json_array());
    json_object_set_new(state, "qpos", measure_json_numbers(json, "qpos", m->nq, x));
    json_object_set_new(state, "qvel", measure_json_numbers(json, "qvel", m->nv, x + m->nq));
    json_object_set_new(state, "act", measure_json_numbers(json, "act", m->na, x + m->nq + m->nv));
    json_object_set_new(state, "ctrl", measure_json_numbers(json, "ctrl", m->nu, u));
    json_array_append_new(json_object_get(json->root, "states"), state);
}

/* --- Answers, in -------------------------------------------------------------------------------------------------- */

int cli_answers_open(const char *verb, const char *path, tacAnswerFile *file) {
    *file = (tacAnswerFile){.root = cli_json_read(verb, path)};
    if (file->root == NULL) return CLI_CANNOT;
    const char *version = json_string_value(json_object_get(file->root, "version"));
    const char *integrator = json_string_value(json_object_get(file->root, "integrator"));
    file->n = (int)json_array_size(json_object_get(file->root, "answers"));
    snprintf(file->version, sizeof file->version, "%s", version != NULL ? version : "");
    snprintf(file->integrator, sizeof file->integrator, "%s", integrator != NULL ? integrator : "");
    if (version != NULL && integrator != NULL && file->n > 0) return CLI_GO_ON;
    return cli_fail(verb, "%s: expected \"version\", \"integrator\" and \"answers\"", path);
}

void cli_answers_close(tacAnswerFile *file) { json_decref(file->root); }

/* One list of n numbers; notes what is missing. */
static void read_numbers(const json_t *object, const char *key, int n, double *out, const char **missing) {
    const json_t *list = json_object_get(object, key);
    if (cli_json_count(list) == n)
        cli_json_flatten(list, out);
    else
        *missing = key;
}

static double read_number(const json_t *object, const char *key, const char **missing) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value)) *missing = key;
    return json_number_value(value);
}

static int pair_of(const tacModel *m, const int geom[2]) {
    for (int k = 0; k < m->npair; k++) {
        const int *of = m->pair_geom + 2 * k;
        if ((of[0] == geom[0] && of[1] == geom[1]) || (of[0] == geom[1] && of[1] == geom[0])) return k;
    }
    return -1;
}

static void read_contact(const tacModel *m, const json_t *object, tacAnswerContact *out, const char **missing) {
    double geom[2] = {0, 0}, pos[3] = {0}, frame[9] = {0};
    *out = (tacAnswerContact){.dim = (int)read_number(object, "dim", missing)};
    tacContact *c = &out->place;
    read_numbers(object, "geom", 2, geom, missing);
    read_numbers(object, "pos", 3, pos, missing);
    read_numbers(object, "frame", 9, frame, missing);
    for (int i = 0; i < 2; i++) {
        if (!(geom[i] >= 0 && geom[i] < m->ngeom)) *missing = "geom";
        c->geom[i] = *missing == NULL ? (int)geom[i] : 0;
        c->tangent[i] = (tacVec3){frame[3 * i + 3], frame[3 * i + 4], frame[3 * i + 5]};
    }
    c->pair = pair_of(m, c->geom);
    c->dist = read_number(object, "dist", missing);
    c->include = read_number(object, "include", missing);
    c->pos = (tacVec3){pos[0], pos[1], pos[2]};
    c->normal = (tacVec3){frame[0], frame[1], frame[2]};
    read_numbers(object, "friction", 5, out->friction, missing);
    read_numbers(object, "solref", 2, out->solref, missing);
    read_numbers(object, "solreffriction", 2, out->solreffriction, missing);
    read_numbers(object, "solimp", 5, out->solimp, missing);
    read_numbers(object, "force", 6, out->force, missing);
}

int cli_answers_read(const char *verb, const tacAnswerFile *file, const tacModel *m, int k, double *x, double *u,
                     tacAnswer *out) {
    const json_t *answer = json_array_get(json_object_get(file->root, "answers"), (size_t)k);
    const json_t *contacts = json_object_get(answer, "contacts");
    const char *missing = NULL;
    read_numbers(answer, "qpos", m->nq, x, &missing);
    read_numbers(answer, "qvel", m->nv, x + m->nq, &missing);
    read_numbers(answer, "act", m->na, x + m->nq + m->nv, &missing);
    read_numbers(answer, "ctrl", m->nu, u, &missing);
    read_numbers(answer, "qacc", m->nv, out->qacc, &missing);
    read_numbers(answer, "qfrc", m->nv, out->qfrc, &missing);
    read_numbers(answer, "next", tac_nx(m), out->next, &missing);
    out->ncontact = (int)json_array_size(contacts);
    if (out->ncontact > TAC_ANSWER_CONTACTS) missing = "contacts";
    for (int i = 0; i < out->ncontact && missing == NULL; i++)
        read_contact(m, json_array_get(contacts, (size_t)i), &out->contact[i], &missing);
    return missing == NULL ? CLI_GO_ON : cli_fail(verb, "answer %d: \"%s\" is missing or has a wrong size", k, missing);
}
