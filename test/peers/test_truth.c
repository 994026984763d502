/* Forces, accelerations and momenta of the shared robots beside their true numbers (MuJoCo 3.x), through the public
 * API. Models with parts that give no force yet (spatial tendons, muscles, fluid, flexes, plugins) are counted and
 * left out. */
#include "support/check.h"
#include "tactus/io.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Relative to the largest entry; accelerations are worse conditioned than forces by the spread of the inertias. */
#define TOL_FORCE        1e-8
#define TOL_ACCELERATION 1e-7
#define TOL_MASS         1e-9

typedef struct Counts {
    int models, same_mass, states, left_out;
} Counts;

/* One state of one model. */
typedef struct Case {
    const char *name;
    const json_t *truth;
    const tacModel *m;
    tacSim *sim;
    double *x, *u;
    int same_mass; /* momentum is about the centre of everything: compared where the loader found the same mass */
} Case;

/* Flattens nested arrays of numbers to out[n]; returns how many there were. */
static int flatten(const json_t *value, int n, double *out, int at) {
    if (json_is_number(value)) {
        if (at < n) out[at] = json_number_value(value);
        return at + 1;
    }
    for (size_t i = 0; i < json_array_size(value); i++)
        at = flatten(json_array_get(value, i), n, out, at);
    return at;
}

static double *truth_of(const Case *c, const char *key, int n) {
    double *p = calloc((size_t)n + 1, sizeof *p);
    const json_t *value = json_object_get(c->truth, key);
    CHECK(p != NULL);
    if (value == NULL || json_is_null(value)) {
        free(p);
        return NULL;
    }
    int found = flatten(value, n, p, 0);
    if (found != n) print_error("%s: %s has %d numbers, expected %d\n", c->name, key, found, n);
    CHECK_INT(found, n);
    return p;
}

static void compare(const Case *c, const char *key, int n, const double *ours, double tol) {
    double *truth = truth_of(c, key, n);
    if (truth == NULL) return;
    if (relative_error(n, ours, truth) > tol)
        print_error("%s, state %s: %s\n", c->name, json_string_value(json_object_get(c->truth, "name")), key);
    CHECK_ARRAY(n, ours, truth, tol);
    free(truth);
}

/* Copies a block of the state where the truth has it. */
static void fill(const Case *c, const char *key, int n, double *out) {
    double *truth = truth_of(c, key, n);
    if (truth != NULL) memcpy(out, truth, (size_t)n * sizeof *out);
    free(truth);
}

static void give_state(const Case *c, const tacOptions *options) {
    const tacModel *m = c->m;
    double *pos = calloc((size_t)(3 * m->nmocap) + 1, sizeof *pos),
           *quat = calloc((size_t)(4 * m->nmocap) + 1, sizeof *quat);
    double *mocap = c->u + m->nu;
    tac_default_state(m, c->x);
    tac_default_input(m, options, c->u);
    fill(c, "qpos", m->nq, c->x);
    fill(c, "qvel", m->nv, c->x + m->nq);
    fill(c, "act", m->na, c->x + m->nq + m->nv);
    fill(c, "ctrl", m->nu, c->u);
    if (m->nmocap > 0 && json_object_get(c->truth, "mocap_pos") != NULL) {
        fill(c, "mocap_pos", 3 * m->nmocap, pos);
        fill(c, "mocap_quat", 4 * m->nmocap, quat);
        for (int k = 0; k < m->nmocap; k++) {
            memcpy(mocap + 7 * k, pos + 3 * k, 3 * sizeof *pos);
            memcpy(mocap + 7 * k + 3, quat + 4 * k, 4 * sizeof *quat);
        }
    }
    free(pos), free(quat);
}

static void check_state(const Case *c) {
    const tacModel *m = c->m;
    size_t room = (size_t)(m->nu * m->nv + m->nu + m->nv + m->na + 6 * m->nbody);
    double *out = calloc(room + 1, sizeof *out), *v = c->x + m->nq;
    tacVec6 momentum;
    CHECK(out != NULL);
    CHECK_INT(tac_actuation(c->sim, c->x, c->u, &(tacActuation){.moment = out}), TAC_OK);
    compare(c, "actuator_moment", m->nu * m->nv, out, TOL_FORCE);
    CHECK_INT(tac_actuation(c->sim, c->x, c->u, &(tacActuation){.qfrc = out}), TAC_OK);
    compare(c, "qfrc_actuator", m->nv, out, TOL_FORCE);
    CHECK_INT(tac_actuation(c->sim, c->x, c->u, &(tacActuation){.act_dot = out}), TAC_OK);
    compare(c, "act_dot", m->na, out, TOL_FORCE);
    CHECK_INT(tac_passive(c->sim, c->x, v, out), TAC_OK);
    compare(c, "qfrc_passive", m->nv, out, TOL_FORCE);
    CHECK_INT(tac_acceleration(c->sim, c->x, c->u, out), TAC_OK);
    compare(c, "qacc_smooth", m->nv, out, TOL_ACCELERATION);
    CHECK_INT(tac_body_velocity(c->sim, c->x, v, (tacVec6 *)out), TAC_OK);
    compare(c, "body_vel_world", 6 * m->nbody, out, TOL_FORCE);
    CHECK_INT(tac_momentum(c->sim, c->x, v, &momentum), TAC_OK);
    if (c->same_mass) compare(c, "subtree_angmom_world", 3, &momentum.ang.x, TOL_FORCE);
    free(out);
}

/* 1 where every part of the model that moves it is there. */
static int is_complete(const tacModel *m, const json_t *facts) {
    const json_t *option = json_object_get(facts, "opt");
    if (json_number_value(json_object_get(option, "density")) != 0) return 0;
    if (json_number_value(json_object_get(option, "viscosity")) != 0) return 0;
    if (json_integer_value(json_object_get(facts, "nflex")) != 0) return 0;
    if (json_integer_value(json_object_get(facts, "nplugin")) != 0) return 0;
    for (int t = 0; t < m->ntendon; t++)
        if (m->tendon_type[t] != TAC_TENDON_FIXED) return 0;
    for (int a = 0; a < m->nu; a++)
        if (m->actuator_without_force[a]) return 0;
    return 1;
}

static void check_model(const char *name, const tacModel *m, const json_t *variant, Counts *counts) {
    const json_t *states = json_object_get(variant, "states");
    double mass = json_number_value(json_object_get(json_object_get(variant, "model"), "total_mass"));
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    Case c = {.name = name, .m = m, .same_mass = fabs(m->body_subtree_mass[0] - mass) <= TOL_MASS * mass};
    size_t i;
    options.integrator = TAC_INTEGRATOR_EULER; /* the quantities do not depend on it */
    options.inputs = TAC_INPUT_MOCAP;
    CHECK_INT(tac_sim_new(m, &options, &c.sim, NULL), TAC_OK);
    c.x = calloc((size_t)tac_nx(m) + 1, sizeof *c.x);
    c.u = calloc((size_t)tac_ninput(m, &options) + 1, sizeof *c.u);
    CHECK(c.x != NULL && c.u != NULL);
    json_array_foreach(states, i, c.truth) {
        give_state(&c, &options);
        check_state(&c);
        counts->states++;
    }
    counts->models++;
    counts->same_mass += c.same_mass;
    free(c.x), free(c.u);
    tac_sim_free(c.sim);
}

static void examine(const char *name, const char *entry, Counts *counts) {
    char relative[512], path[4096];
    snprintf(relative, sizeof relative, "models/%s/truth.json", name);
    const char *found = shared_path(relative);
    if (found == NULL) return;
    json_t *truth = json_load_file(found, 0, NULL);
    CHECK(truth != NULL);
    snprintf(relative, sizeof relative, "models/%s/%s", name, entry);
    found = shared_path(relative);
    CHECK(found != NULL);
    snprintf(path, sizeof path, "%s", found);
    tacLoadOptions load = tac_default_load_options();
    tacModel *m = NULL;
    tacError err;
    load.lenient = load.allow_outside = 1;
    if (tac_load_with(path, &load, &m, NULL, &err) != TAC_OK) print_error("%s\n", err.text);
    CHECK(m != NULL);
    const json_t *variant = json_array_get(json_object_get(truth, "variants"), 0);
    if (is_complete(m, json_object_get(variant, "model")))
        check_model(name, m, variant, counts);
    else
        counts->left_out++;
    tac_model_free(m);
    json_decref(truth);
}

static void shared_robots_agree(void **state) {
    (void)state;
    const char *found = shared_path("models/manifest.json");
    Counts counts = {0};
    if (found == NULL) {
        print_message("  shared robots absent: 0 compared\n");
        skip();
    }
    json_t *manifest = json_load_file(found, 0, NULL), *model;
    size_t i;
    CHECK(manifest != NULL);
    json_array_foreach(manifest, i, model) {
        if (strcmp(json_string_value(json_object_get(model, "format")), "mjcf") != 0) continue;
        examine(json_string_value(json_object_get(model, "name")), json_string_value(json_object_get(model, "entry")),
                &counts);
    }
    print_message("  %d models (%d with the same mass), %d states compared, %d left out\n", counts.models,
                  counts.same_mass, counts.states, counts.left_out);
    CHECK(counts.same_mass > 0);
    json_decref(manifest);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shared_robots_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
