/* Every published MJCF robot of the shared material against what MuJoCo 3 compiles from it. A clone without the shared
 * material compares nothing and says so. */
#include "support/check.h"
#include "tactus/io.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double TOL_POSE = 1e-9;    /* the acceptance bar; products of a few rotations */
static const double TOL_INERTIA = 1e-8; /* the acceptance bar */
static const double TOL_AXES = 1e-11;   /* kg m^2: MuJoCo leaves up to 1e-12 off the diagonal of each mesh of a body */
static const double TOL_SERVO = 1e-8;   /* damping found from inertias */

static double number(const json_t *object, const char *key) { return json_number_value(json_object_get(object, key)); }
static int boolean(const json_t *object, const char *key) { return json_is_true(json_object_get(object, key)); }

static const char *text(const json_t *object, const char *key) {
    const char *value = json_string_value(json_object_get(object, key));
    return value != NULL ? value : "";
}

/* First n numbers of an array; the rest of a longer one is left out. */
static void numbers(const json_t *object, const char *key, int n, double *out) {
    const json_t *array = json_object_get(object, key);
    CHECK((int)json_array_size(array) >= n);
    for (int i = 0; i < n; i++)
        out[i] = json_number_value(json_array_get(array, (size_t)i));
}

static void check_numbers(const json_t *object, const char *key, int n, const void *ours, double tol) {
    double truth[16];
    numbers(object, key, n, truth);
    double error = relative_error(n, ours, truth);
    if (!(error <= tol)) print_error("%s of \"%s\"\n", key, text(object, "name"));
    CHECK_LT(error, tol);
}

/* q and -q are the same rotation. */
static void check_quat(const json_t *object, const void *ours) {
    double truth[4], same = 0, opposite = 0;
    const double *q = ours;
    numbers(object, "quat", 4, truth);
    for (int k = 0; k < 4; k++) {
        same = worse(same, fabs(q[k] - truth[k]));
        opposite = worse(opposite, fabs(q[k] + truth[k]));
    }
    CHECK_LT(fmin(same, opposite), TOL_POSE);
}

/* A number, or an array whose first number counts. */
static double first(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_number_value(json_is_array(value) ? json_array_get(value, 0) : value);
}

static const json_t *row(const json_t *model, const char *kind, int i) {
    return json_array_get(json_object_get(model, kind), (size_t)i);
}

static void check_sizes(const tacModel *m, const json_t *truth) {
    const struct {
        const char *name;
        int ours;
    } sizes[] = {{"nq", m->nq},
                 {"nv", m->nv},
                 {"nu", m->nu},
                 {"na", m->na},
                 {"nbody", m->nbody},
                 {"njnt", m->njnt},
                 {"ngeom", m->ngeom},
                 {"nsite", m->nsite},
                 {"nmesh", m->nmesh},
                 {"ntendon", m->ntendon},
                 {"neq", m->neq},
                 {"npair", m->npair},
                 {"nexclude", m->nexclude},
                 {"nmocap", m->nmocap},
                 {"nsensor", m->nsensor}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i].ours != (int)number(truth, sizes[i].name)) print_error("%s\n", sizes[i].name);
        CHECK_INT(sizes[i].ours, number(truth, sizes[i].name));
    }
}

static void check_bodies(const tacModel *m, const json_t *truth) {
    for (int i = 1; i < m->nbody; i++) {
        const json_t *body = row(truth, "bodies", i);
        CHECK_STR(tac_model_name(m, TAC_KIND_BODY, i), text(body, "name"));
        CHECK_INT(m->body_parent[i], number(body, "parent"));
        check_numbers(body, "pos", 3, &m->body_pos[i], TOL_POSE);
        check_quat(body, &m->body_quat[i]);
        CHECK_NEAR(m->body_mass[i], number(body, "mass"), TOL_INERTIA * fmax(1, number(body, "mass")));
        check_numbers(body, "ipos", 3, &m->body_ipos[i], TOL_POSE);
        double truth_inertia[3], scale;
        numbers(body, "inertia", 3, truth_inertia);
        scale = fmax(truth_inertia[0], fmax(truth_inertia[1], truth_inertia[2]));
        for (int k = 0; k < 3; k++)
            CHECK_NEAR((&m->body_inertia[i].x)[k], truth_inertia[k], TOL_INERTIA * scale + TOL_AXES);
    }
}

static void check_joints(const tacModel *m, const json_t *truth) {
    static const char *const type[] = {"free", "ball", "slide", "hinge"};
    for (int i = 0; i < m->njnt; i++) {
        const json_t *joint = row(truth, "joints", i);
        int dof = m->joint_dof_adr[i];
        CHECK_STR(tac_model_name(m, TAC_KIND_JOINT, i), text(joint, "name"));
        CHECK_STR(type[m->joint_type[i]], text(joint, "type"));
        check_numbers(joint, "pos", 3, &m->joint_pos[i], TOL_POSE);
        check_numbers(joint, "axis", 3, &m->joint_axis[i], TOL_POSE);
        CHECK_INT(m->joint_limited[i] != 0, boolean(joint, "limited"));
        if (m->joint_limited[i]) check_numbers(joint, "range", 2, &m->joint_range[2 * i], TOL_POSE);
        if (m->joint_actfrclimited[i]) check_numbers(joint, "actfrcrange", 2, &m->joint_actfrcrange[2 * i], TOL_POSE);
        CHECK_NEAR(m->joint_stiffness_used[i], first(joint, "stiffness"), TOL_SERVO);
        CHECK_NEAR(m->dof_damping[dof], first(joint, "damping"), TOL_SERVO);
        CHECK_NEAR(m->dof_armature[dof], first(joint, "armature"), TOL_POSE);
        CHECK_NEAR(m->joint_frictionloss[i], first(joint, "frictionloss"), TOL_POSE);
    }
}

/* A mesh's frame is ours to choose; every other geom stands where MuJoCo puts it. */
static void check_geoms(const tacModel *m, const json_t *truth) {
    static const char *const type[] = {"plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"};
    static const int nsize[] = {3, 3, 1, 2, 3, 2, 3, 0};
    for (int i = 0; i < m->ngeom; i++) {
        const json_t *geom = row(truth, "geoms", i);
        CHECK_STR(tac_model_name(m, TAC_KIND_GEOM, i), text(geom, "name"));
        CHECK_STR(type[m->geom_type[i]], text(geom, "type"));
        CHECK_INT(m->geom_contype[i], number(geom, "contype"));
        CHECK_INT(m->geom_conaffinity[i], number(geom, "conaffinity"));
        CHECK_INT(m->geom_condim[i], number(geom, "condim"));
        CHECK_INT(m->geom_group[i], number(geom, "group"));
        check_numbers(geom, "friction", 3, &m->geom_friction[3 * i], TOL_POSE);
        check_numbers(geom, "solref", 2, &m->geom_solref[2 * i], TOL_POSE);
        check_numbers(geom, "solimp", 5, &m->geom_solimp[5 * i], TOL_POSE);
        CHECK_NEAR(m->geom_margin[i], number(geom, "margin"), TOL_POSE);
        if (m->geom_type[i] == TAC_GEOM_MESH) continue;
        check_numbers(geom, "size", nsize[m->geom_type[i]], &m->geom_size[3 * i], TOL_POSE);
        check_numbers(geom, "pos", 3, &m->geom_pos[i], TOL_POSE);
        check_quat(geom, &m->geom_quat[i]);
    }
    for (int i = 0; i < m->nsite; i++) {
        const json_t *site = row(truth, "sites", i);
        CHECK_STR(tac_model_name(m, TAC_KIND_SITE, i), text(site, "name"));
        check_numbers(site, "pos", 3, &m->site_pos[i], TOL_POSE);
        check_quat(site, &m->site_quat[i]);
    }
}

static void check_actuators(const tacModel *m, const json_t *truth) {
    for (int i = 0; i < m->nu; i++) {
        const json_t *actuator = row(truth, "actuators", i);
        double bias[10];
        memcpy(bias, m->actuator_biasprm + 10 * i, sizeof bias);
        bias[2] = m->actuator_damping_used[i];
        CHECK_STR(tac_model_name(m, TAC_KIND_ACTUATOR, i), text(actuator, "name"));
        check_numbers(actuator, "gear", 6, &m->actuator_gear[6 * i], TOL_POSE);
        check_numbers(actuator, "gainprm", 10, &m->actuator_gainprm[10 * i], TOL_SERVO);
        check_numbers(actuator, "dynprm", 10, &m->actuator_dynprm[10 * i], TOL_SERVO);
        check_numbers(actuator, "biasprm", 10, bias, TOL_SERVO);
        CHECK_INT(m->actuator_ctrllimited[i] != 0, boolean(actuator, "ctrllimited"));
        CHECK_INT(m->actuator_forcelimited[i] != 0, boolean(actuator, "forcelimited"));
        if (m->actuator_ctrllimited[i])
            check_numbers(actuator, "ctrlrange", 2, &m->actuator_ctrlrange[2 * i], TOL_POSE);
        if (m->actuator_forcelimited[i])
            check_numbers(actuator, "forcerange", 2, &m->actuator_forcerange[2 * i], TOL_POSE);
    }
    for (int i = 0; i < m->ntendon; i++) {
        const json_t *tendon = row(truth, "tendons", i);
        if (m->tendon_type[i] == TAC_TENDON_SPATIAL) continue;
        CHECK_INT(m->tendon_term_num[i], json_array_size(json_object_get(tendon, "wrap")));
        CHECK_NEAR(m->tendon_length0[i], number(tendon, "length0"), TOL_POSE);
        CHECK_NEAR(m->tendon_stiffness[i], first(tendon, "stiffness"), TOL_POSE);
    }
}

static void check_model(const tacModel *m, const json_t *truth) {
    check_sizes(m, truth);
    check_bodies(m, truth);
    check_joints(m, truth);
    check_geoms(m, truth);
    check_actuators(m, truth);
    for (int i = 0; i < m->nq; i++)
        CHECK_NEAR(m->qpos_0[i], json_number_value(row(truth, "qpos0", i)), TOL_POSE);
    CHECK_NEAR(*m->option_timestep, number(json_object_get(truth, "opt"), "timestep"), 0);
    check_numbers(json_object_get(truth, "opt"), "gravity", 3, m->option_gravity, TOL_POSE);
}

/* 1: compared, 0: not there. *strict counts what loads without leniency. */
static int check_robot(const json_t *entry, int *strict) {
    char relative[1024];
    tacError err;
    tacModel *model;
    snprintf(relative, sizeof relative, "models/%s/truth.json", text(entry, "name"));
    const char *path = shared_path(relative);
    json_t *file = path != NULL ? json_load_file(path, 0, NULL) : NULL;
    if (file == NULL) return 0;
    const json_t *truth = json_object_get(json_array_get(json_object_get(file, "variants"), 0), "model");
    snprintf(relative, sizeof relative, "models/%s/%s", text(entry, "name"), text(entry, "entry"));
    path = shared_path(relative);
    CHECK(path != NULL);
    tacLoadOptions options = tac_default_load_options();
    options.allow_outside = 1; /* some robots share a folder beside their own */
    tacStatus status = tac_load_with(path, &options, &model, NULL, &err);
    if (status != TAC_OK) {
        CHECK_INT(status, TAC_ERR_UNSUPPORTED);
        CHECK_HAS(err.text, ": element <");
        options.lenient = 1;
        status = tac_load_with(path, &options, &model, NULL, &err);
    } else
        ++*strict;
    if (status != TAC_OK) print_error("%s\n", err.text);
    CHECK_INT(status, TAC_OK);
    check_model(model, truth);
    tac_model_free(model);
    json_decref(file);
    return 1;
}

static void test_published_robots(void **state) {
    (void)state;
    const char *path = shared_path("models/manifest.json");
    json_t *manifest = path != NULL ? json_load_file(path, 0, NULL) : NULL;
    if (manifest == NULL) {
        print_message("no shared models: 0 MJCF robots compared\n");
        skip();
    }
    int compared = 0, absent = 0, strict = 0;
    for (size_t i = 0; i < json_array_size(manifest); i++) {
        const json_t *entry = json_array_get(manifest, i);
        if (strcmp(text(entry, "format"), "mjcf") != 0) continue;
        if (check_robot(entry, &strict))
            compared++;
        else
            absent++;
    }
    print_message("%d MJCF robots compared (%d without leniency), %d absent\n", compared, strict, absent);
    CHECK(compared + absent > 0);
    json_decref(manifest);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_published_robots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
