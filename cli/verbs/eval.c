/* tactus eval MODEL: quantities at a state. */
#include "cli/cli.h"
#include "cli/input/model_file.h"
#include "cli/input/state_file.h"
#include "cli/input/stepping.h"
#include "cli/report/json.h"
#include "cli/simulation/force_list.h"
#include "cli/simulation/motion.h"
#include "cli/simulation/quantities.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 64, COLUMN = 192, WIDEST_MATRIX = 12 };

typedef struct tacEvalArgs {
    int json;
} tacEvalArgs;

static const tacArg EVAL_OPTIONS[] = {
    {"--json", NULL, TAC_ARG_FLAG, offsetof(tacEvalArgs, json), NULL, "print JSON"},
    {0},
};

static const char *const SUMMARY =
    "Prints the mass matrix (with armature), bias forces (Coriolis, centrifugal, gravity),\n"
    "passive forces, world poses of bodies and sites, actuator quantities, energies,\n"
    "contacts, and the forces of contacts in the step that starts there. Other forces are\n"
    "generalized, one per degree of freedom.";

/* --- for programs ------------------------------------------------------------------------------------------------ */

static json_t *bodies_json(tacJson *json, const tacModel *m, const tacQuantities *at) {
    json_t *list = json_array();
    for (int i = 0; i < m->nbody; i++) {
        json_t *body = json_object();
        json_object_set_new(body, "name", measure_json_name(m, TAC_KIND_BODY, i));
        json_object_set_new(body, "pos", measure_json_vec3(json, "bodies.pos", at->frames.xpos[i]));
        json_object_set_new(body, "quat", measure_json_quat(json, "bodies.quat", at->frames.xquat[i]));
        json_object_set_new(body, "mass", measure_json_number(json, "bodies.mass", m->body_mass[i]));
        json_object_set_new(body, "ipos", measure_json_vec3(json, "bodies.ipos", m->body_ipos[i]));
        json_object_set_new(body, "iquat", measure_json_quat(json, "bodies.iquat", m->body_iquat[i]));
        json_object_set_new(body, "inertia", measure_json_vec3(json, "bodies.inertia", m->body_inertia[i]));
        json_object_set_new(body, "com", measure_json_vec3(json, "bodies.com", at->frames.xipos[i]));
        json_object_set_new(body, "subtree_com",
                            measure_json_vec3(json, "bodies.subtree_com", at->frames.subtree_com[i]));
        json_array_append_new(list, body);
    }
    return list;
}

static json_t *sites_json(tacJson *json, const tacModel *m, const tacQuantities *at) {
    json_t *list = json_array();
    for (int i = 0; i < m->nsite; i++) {
        json_t *site = json_object();
        json_object_set_new(site, "name", measure_json_name(m, TAC_KIND_SITE, i));
        json_object_set_new(site, "pos", measure_json_vec3(json, "sites.pos", at->frames.site_pos[i]));
        json_object_set_new(site, "mat", measure_json_numbers(json, "sites.mat", 9, at->frames.site_mat[i].m));
        json_array_append_new(list, site);
    }
    return list;
}

static json_t *actuators_json(tacJson *json, const tacModel *m, const tacQuantities *at) {
    json_t *list = json_array();
    for (int i = 0; i < m->nu; i++) {
        json_t *actuator = json_object();
        json_object_set_new(actuator, "name", measure_json_name(m, TAC_KIND_ACTUATOR, i));
        json_object_set_new(actuator, "length", measure_json_number(json, "actuators.length", at->length[i]));
        json_object_set_new(actuator, "velocity", measure_json_number(json, "actuators.velocity", at->velocity[i]));
        json_object_set_new(actuator, "force", measure_json_number(json, "actuators.force", at->force[i]));
        json_array_append_new(list, actuator);
    }
    return list;
}

static json_t *tendons_json(tacJson *json, const tacModel *m, const tacQuantities *at) {
    json_t *list = json_array();
    for (int i = 0; i < m->ntendon; i++) {
        json_t *tendon = json_object();
        json_object_set_new(tendon, "name", measure_json_name(m, TAC_KIND_TENDON, i));
        json_object_set_new(tendon, "length", measure_json_number(json, "tendons.length", at->tendon_length[i]));
        json_object_set_new(tendon, "velocity", measure_json_number(json, "tendons.velocity", at->tendon_velocity[i]));
        json_array_append_new(list, tendon);
    }
    return list;
}

static json_t *energy_json(tacJson *json, tacEnergy energy) {
    json_t *object = json_object();
    json_object_set_new(object, "kinetic", measure_json_number(json, "energy.kinetic", energy.kinetic));
    json_object_set_new(object, "potential", measure_json_number(json, "energy.potential", energy.potential));
    return object;
}

static json_t *momentum_json(tacJson *json, tacVec6 momentum) {
    json_t *object = json_object();
    json_object_set_new(object, "linear", measure_json_vec3(json, "momentum.linear", momentum.lin));
    json_object_set_new(object, "angular", measure_json_vec3(json, "momentum.angular", momentum.ang));
    return object;
}

static json_t *contacts_json(tacJson *json, const tacModel *m, const tacContactList *contacts) {
    json_t *list = json_array();
    for (int i = 0; i < contacts->n; i++) {
        const tacContact *c = &contacts->contact[i];
        json_t *row = cli_contact_json(json, m, "contacts.dist", c);
        json_object_set_new(row, "pos", measure_json_vec3(json, "contacts.pos", c->pos));
        json_object_set_new(row, "normal", measure_json_vec3(json, "contacts.normal", c->normal));
        json_object_set_new(row, "include", measure_json_number(json, "contacts.include", c->include));
        json_object_set_new(row, "features", cli_features_json(c));
        json_object_set_new(row, "switch_margin", cli_switch_margin_json(json, "contacts.switch_margin", c));
        json_array_append_new(list, row);
    }
    return list;
}

static int print_json(const tacModel *m, const tacStateArgs *state, const tacQuantities *at,
                      const tacForceList *forces) {
    tacJson json = measure_json_begin();
    measure_json_put_count(&json, "nq", m->nq);
    measure_json_put_count(&json, "nv", m->nv);
    measure_json_put(&json, "mass_matrix", measure_json_rows(&json, "mass_matrix", m->nv, m->nv, at->mass_matrix));
    measure_json_put_numbers(&json, "bias", m->nv, at->bias);
    measure_json_put_numbers(&json, "passive", m->nv, at->passive);
    measure_json_put_numbers(&json, "qfrc_actuator", m->nv, at->qfrc_actuator);
    measure_json_put_numbers(&json, "act_dot", m->na, at->act_dot);
    if (at->qacc_status == TAC_OK)
        measure_json_put_numbers(&json, "qacc", m->nv, at->qacc);
    else
        measure_json_put(&json, "qacc", json_null());
    measure_json_put(&json, "bodies", bodies_json(&json, m, at));
    measure_json_put(&json, "sites", sites_json(&json, m, at));
    measure_json_put(&json, "actuators", actuators_json(&json, m, at));
    measure_json_put(&json, "tendons", tendons_json(&json, m, at));
    measure_json_put(&json, "energy", energy_json(&json, at->energy));
    measure_json_put(&json, "com", measure_json_vec3(&json, "com", at->frames.subtree_com[0]));
    measure_json_put(&json, "subtree_com",
                     measure_json_rows(&json, "subtree_com", m->nbody, 3, &at->frames.subtree_com[0].x));
    measure_json_put(&json, "momentum", momentum_json(&json, at->momentum));
    measure_json_put(&json, "contacts", contacts_json(&json, m, &at->contacts));
    measure_json_put(&json, "forces", cli_forces_json(&json, m, "forces", forces));
    int code = json.bad[0] != '\0' ? cli_not_finite("eval", state, json.bad) : cli_json_print("eval", &json, CLI_FINE);
    measure_json_free(&json);
    return code;
}

/* --- for people -------------------------------------------------------------------------------------------------- */

static int all_finite(int n, const double *values) {
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i])) return 0;
    return 1;
}

/* Name of the first group of quantities that holds a number that is not finite, or a null pointer. */
static const char *find_not_finite(const tacModel *m, const tacQuantities *at) {
    if (!all_finite(m->nv * m->nv, at->mass_matrix)) return "mass_matrix";
    if (!all_finite(m->nv, at->bias)) return "bias";
    if (!all_finite(m->nv, at->passive)) return "passive";
    if (!all_finite(m->nv, at->qacc)) return "qacc";
    if (!all_finite(3 * m->nbody, &at->frames.xpos[0].x)) return "bodies.pos";
    if (!all_finite(3 * m->nbody, &at->frames.subtree_com[0].x)) return "com";
    if (!all_finite(m->nu, at->length) || !all_finite(m->nu, at->force)) return "actuators";
    if (!isfinite(at->energy.kinetic) || !isfinite(at->energy.potential)) return "energy";
    return NULL;
}

/* One line a degree of freedom, by its joint's name. */
static void print_dofs(const tacModel *m, const tacQuantities *at) {
    char name[COLUMN];
    int known = at->qacc_status == TAC_OK;
    if (!known) printf("qacc       none: %s\n", tac_status_text(at->qacc_status));
    if (m->nv > 0) printf("\n%-20s %11s %11s %11s\n", "degree of freedom", "bias", "passive", known ? "qacc" : "");
    for (int i = 0; i < m->nv; i++) {
        cli_column_name(m, TAC_COLUMN_QVEL, i, name, sizeof name);
        printf("%-20s %11.5g %11.5g", strchr(name, ':') + 1, at->bias[i], at->passive[i]);
        if (known) printf(" %11.5g", at->qacc[i]);
        printf("\n");
    }
}

static void print_matrix(int n, const double *values) {
    printf("\nmass matrix, %d x %d\n", n, n);
    if (n > WIDEST_MATRIX) printf("  too wide for the screen: --json prints it\n");
    for (int i = 0; i < n && n <= WIDEST_MATRIX; i++) {
        for (int j = 0; j < n; j++)
            printf(" %10.4g", values[i * n + j]);
        printf("\n");
    }
}

static void print_bodies(const tacModel *m, const tacQuantities *at) {
    char name[LABEL];
    printf("\n%-20s %9s %9s %9s   %9s %9s %9s %9s\n", "body", "x", "y", "z", "qw", "qx", "qy", "qz");
    for (int i = 1; i < m->nbody; i++) {
        tacVec3 p = at->frames.xpos[i];
        tacQuat q = at->frames.xquat[i];
        printf("%-20s %9.4f %9.4f %9.4f   %9.4f %9.4f %9.4f %9.4f\n", cli_label(m, TAC_KIND_BODY, i, name, sizeof name),
               p.x, p.y, p.z, q.w, q.x, q.y, q.z);
    }
}

static void print_sites(const tacModel *m, const tacQuantities *at) {
    char name[LABEL];
    if (m->nsite > 0) printf("\n%-20s %9s %9s %9s\n", "site", "x", "y", "z");
    for (int i = 0; i < m->nsite; i++) {
        tacVec3 p = at->frames.site_pos[i];
        printf("%-20s %9.4f %9.4f %9.4f\n", cli_label(m, TAC_KIND_SITE, i, name, sizeof name), p.x, p.y, p.z);
    }
}

static void print_actuators(const tacModel *m, const tacQuantities *at) {
    char name[LABEL];
    if (m->nu > 0) printf("\n%-20s %11s %11s %11s\n", "actuator", "length", "velocity", "force");
    for (int i = 0; i < m->nu; i++)
        printf("%-20s %11.5g %11.5g %11.5g\n", cli_label(m, TAC_KIND_ACTUATOR, i, name, sizeof name), at->length[i],
               at->velocity[i], at->force[i]);
}

static void print_contacts(const tacModel *m, const tacContactList *contacts) {
    char name1[LABEL], name2[LABEL];
    if (contacts->n > 0)
        printf("\n%-20s %-20s %11s   %9s %9s %9s   %8s %8s %8s\n", "contact of", "and", "distance", "x", "y", "z", "nx",
               "ny", "nz");
    for (int i = 0; i < contacts->n && i < CLI_LONGEST_LIST; i++) {
        const tacContact *c = &contacts->contact[i];
        printf("%-20s %-20s %11.5g   %9.4f %9.4f %9.4f   %8.4f %8.4f %8.4f\n",
               cli_label(m, TAC_KIND_GEOM, c->geom[0], name1, sizeof name1),
               cli_label(m, TAC_KIND_GEOM, c->geom[1], name2, sizeof name2), c->dist, c->pos.x, c->pos.y, c->pos.z,
               c->normal.x, c->normal.y, c->normal.z);
    }
    if (contacts->n > CLI_LONGEST_LIST) printf("and %d more: --json prints all\n", contacts->n - CLI_LONGEST_LIST);
}

/* Pairs that push, of a step with the contact model. */
static void print_forces(const tacModel *m, const tacForceList *forces, tacContactModel contact) {
    char name1[LABEL], name2[LABEL];
    if (forces->status != TAC_OK) printf("\nforces of contacts: %s\n", tac_status_text(forces->status));
    if (forces->npair > 0)
        printf("\n%-20s %-20s %11s   %11s %11s   (contact %s)\n", "force of", "on, N", "normal", "friction 1",
               "friction 2", tac_contact_text(contact));
    for (int i = 0; i < forces->npair && i < CLI_LONGEST_LIST; i++) {
        const tacPairSum *p = &forces->pair[i];
        printf("%-20s %-20s %11.5g   %11.5g %11.5g\n", cli_label(m, TAC_KIND_GEOM, p->geom[0], name1, sizeof name1),
               cli_label(m, TAC_KIND_GEOM, p->geom[1], name2, sizeof name2), p->force[0], p->force[1], p->force[2]);
    }
    if (forces->npair > CLI_LONGEST_LIST) printf("and %d more: --json prints all\n", forces->npair - CLI_LONGEST_LIST);
}

static int print_text(const char *path, const tacModel *m, const tacStateArgs *state, const tacQuantities *at,
                      const tacForceList *forces, tacContactModel contact) {
    const char *bad = find_not_finite(m, at);
    if (bad != NULL) return cli_not_finite("eval", state, bad);
    printf("%s: %d degrees of freedom\n\n", path, m->nv);
    printf("energy     kinetic %.6g J, potential %.6g J, total %.6g J\n", at->energy.kinetic, at->energy.potential,
           at->energy.kinetic + at->energy.potential);
    tacVec3 com = at->frames.subtree_com[0];
    printf("com        %.6g %.6g %.6g\n", com.x, com.y, com.z);
    print_dofs(m, at);
    print_bodies(m, at);
    print_sites(m, at);
    print_actuators(m, at);
    print_contacts(m, &at->contacts);
    print_forces(m, forces, contact);
    print_matrix(m->nv, at->mass_matrix);
    return CLI_FINE;
}

/* Quantities and forces at the start, printed. step: how the step that has the forces is made. */
static int print_all(const tacModelFile *file, const char *path, const tacStateArgs *state, const tacOptions *step,
                     const tacStart *start, const tacQuantities *at, int json) {
    tacForceList forces;
    if (cli_forces_at(file->model, step, start->x, start->u, &forces) != TAC_OK)
        return cli_fail("eval", "out of memory");
    int result = json ? print_json(file->model, state, at, &forces)
                      : print_text(path, file->model, state, at, &forces, step->contact);
    cli_forces_free(&forces);
    return result;
}

static int evaluate(const tacModelFile *file, const tacModelArgs *model, const tacStateArgs *state,
                    const tacOptions *step, int json) {
    tacOptions options = tac_default_options(file->model);
    options.contact = TAC_CONTACT_MODEL_NONE;
    options.integrator = TAC_INTEGRATOR_EULER; /* the quantities are those of no step */
    tacQuantities at;
    tacStart start;
    int result = cli_start_load("eval", file->model, state, &options, &start);
    if (result != CLI_GO_ON) return result;
    result = cli_quantities("eval", file->model, &options, state, &start, &at);
    if (result == CLI_GO_ON) {
        result = print_all(file, model->path, state, step, &start, &at, json);
        cli_quantities_free(&at);
    }
    cli_start_free(&start);
    return result;
}

int cmd_eval(int argc, char **argv) {
    tacEvalArgs own = {0};
    tacModelArgs model = {0};
    tacStateArgs state = {0};
    tacStepArgs step;
    cli_step_args(&step);
    tacArgGroup groups[] = {{"options", EVAL_OPTIONS, &own},
                            {"step options", step.table, &step},
                            {"state options", CLI_STATE_OPTIONS, &state},
                            {"model options", CLI_MODEL_OPTIONS, &model}};
    tacArgs args = cli_model_verb("eval", SUMMARY, groups, 4, &model);
    tacModelFile file;
    int result = cli_parse(&args, argc, argv);
    if (result == CLI_GO_ON) result = cli_model_load("eval", &model, &file);
    if (result != CLI_GO_ON) return result;
    cli_model_print_warnings("eval", &file);
    tacOptions options;
    result = cli_step_options("eval", file.model, &step, &options);
    if (result == CLI_GO_ON) result = evaluate(&file, &model, &state, &options, own.json);
    cli_model_close(&file);
    return result;
}
