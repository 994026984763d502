/* Parameters by path. */
#include "model/sample.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

static double get(const tacModel *m, const char *path) {
    double value = (double)NAN;
    tacError err = {0};
    if (tac_param_get(m, path, &value, &err) != TAC_OK) print_error("%s\n", err.text);
    CHECK(isfinite(value));
    return value;
}

static void write(tacModel *m, const char *path, double value) {
    tacError err = {0};
    if (tac_param_write(m, path, value, &err) != TAC_OK) print_error("%s\n", err.text);
    CHECK_INT(err.status, TAC_OK);
    CHECK_INT(tac_model_derive(m, &err), TAC_OK);
}

/* Every listed parameter: its path finds it again, it can be read, and writing what was read changes nothing. */
static void the_list_round_trips(void **state) {
    (void)state;
    tacModel *m = sample_model();
    int n = tac_param_count(m), last_field = -1, last_index = -1;
    uint64_t before = tac_model_hash(m);
    CHECK(n > 300);
    for (int i = 0; i < n; i++) {
        char path[256];
        int field, index;
        CHECK_INT(tac_param_path(m, i, path, sizeof path), TAC_OK);
        double *number = tac_param_find(m, path, &field, &index, NULL);
        CHECK(number != NULL && number == tac_param_at(m, field, index));
        CHECK(field > last_field || (field == last_field && index > last_index)); /* no number twice */
        CHECK(get(m, path) == *number);
        CHECK_INT(tac_param_write(m, path, *number, NULL), TAC_OK);
        last_field = field, last_index = index;
    }
    CHECK(tac_model_hash(m) == before);
    char path[8];
    CHECK_INT(tac_param_path(m, n, path, sizeof path), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_param_path(m, -1, path, sizeof path), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_param_path(m, 0, path, sizeof path), TAC_OK);
    CHECK_STR(path, "option."); /* cut to size */
    tac_model_free(m);
}

static int listed(const tacModel *m, const char *wanted) {
    char path[256];
    for (int i = 0; i < tac_param_count(m); i++)
        if (tac_param_path(m, i, path, sizeof path) == TAC_OK && strcmp(path, wanted) == 0) return 1;
    return 0;
}

static void paths_are_what_they_should_be(void **state) {
    (void)state;
    tacModel *m = sample_model();
    const char *there[] = {"option.timestep",         "option.gravity[2]",       "body/torso.pos[2]",
                           "body/tip.mass",           "body/tip.inertia[1]",     "body/tip.ipos[2]",
                           "body/pan.fullinertia[5]", "joint/hinge.damping",     "joint/hinge.axis[0]",
                           "geom/#3.density",         "geom/box.size[0]",        "site/hand.quat[3]",
                           "tendon/cable.coef[1]",    "actuator/motor.gear[5]",  "actuator/thrust.dampratio",
                           "mesh/cube.scale[2]",      "equality/couple.data[1]", "pair/touch.friction[4]"};
    const char *not_there[] = {"body/world.pos[0]",           "body/arm.mass",      "body/tip.fullinertia[0]",
                               "body/pan.inertia[0]",         "joint/root.axis[0]", "joint/ball.axis[2]",
                               "joint/root.pos[0]",           "geom/box.mass",      "actuator/thrust.biasprm[2]",
                               "joint/hinge.springdamper[0]", "body/tip.icom[0]"};
    for (size_t i = 0; i < sizeof there / sizeof there[0]; i++) {
        if (!listed(m, there[i])) print_error("%s\n", there[i]);
        CHECK(listed(m, there[i]));
    }
    for (size_t i = 0; i < sizeof not_there / sizeof not_there[0]; i++) {
        if (listed(m, not_there[i])) print_error("%s\n", not_there[i]);
        CHECK(!listed(m, not_there[i]));
    }
    CHECK_NEAR(get(m, "tendon/cable.coef[1]"), -1, 0);
    CHECK_NEAR(get(m, "body/pan.fullinertia[4]"), 0.002, 0);
    CHECK_NEAR(get(m, "body/tip.ipos[2]"), 0.1, 0);
    CHECK_NEAR(get(m, "body/#3.mass"), 0.3, 0);
    CHECK_NEAR(get(m, "option.gravity[2]"), -9.81, 0);
    tac_model_free(m);
}

static const struct {
    const char *path, *text;
} REFUSED[] = {
    {"", "'' is not a path, expected kind/NAME.field[i] or option.field[i]"},
    {"body/tip", "'body/tip' is not a path"},
    {"body/tip.pos[x]", "is not a path"},
    {"body/tip.pos[]", "is not a path"},
    {"body/tip.pos[99999999999]", "is not a path"},
    {"bodies/tip.mass", "parameter 'bodies/tip.mass': unknown kind 'bodies'"},
    {"dof/x.damping", "unknown kind 'dof'"},
    {"body/knee.mass", "parameter 'body/knee.mass': no body 'knee'"},
    {"body/#77.mass", "no body '#77'"},
    {"body/tip.weight", "parameter 'body/tip.weight': a body has no field 'weight'"},
    {"body/tip.pos", "parameter 'body/tip.pos': expected an index, [0] to [2]"},
    {"body/tip.pos[3]", "expected an index, [0] to [2]"},
    {"body/tip.mass[0]", "parameter 'body/tip.mass[0]': expected no index"},
    {"tendon/cable.coef[2]", "expected an index, [0] to [1]"},
    {"body/tip.parent", "parameter 'body/tip.parent' cannot be set: it is structure, fixed when the model is built"},
    {"option.iterations", "cannot be set: it is structure"},
    {"mesh/cube.file_vert[2]", "cannot be set: it is in a face of the hull with more than three corners"},
    {"body/tip.subtree_mass", "parameter 'body/tip.subtree_mass' cannot be set: it is computed from other fields"},
    {"body/tip.icom[0]", "it is computed from other fields"},
    {"mesh/cube.volume", "it is computed from other fields"},
    {"body/world.mass", "the world is fixed and has no mass"},
    {"body/tip.fullinertia[0]", "the body has no fullinertia: set inertia"},
    {"body/pan.inertia[0]", "the body has a fullinertia: set fullinertia"},
    {"geom/box.mass", "the mass was not given: set density"},
    {"actuator/thrust.biasprm[2]", "it is computed from dampratio"},
    {"joint/hinge.springdamper[1]", "the joint uses stiffness and damping, not springdamper"},
    {"joint/root.pos[1]", "a free joint has no anchor"},
    {"joint/ball.axis[1]", "a free or ball joint has no axis"},
};

static void refused_by_name(void **state) {
    (void)state;
    tacModel *m = sample_model();
    uint64_t before = tac_model_hash(m);
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        tacError err = {0};
        double value = 7;
        CHECK_INT(tac_param_get(m, REFUSED[i].path, &value, &err), TAC_ERR_NAME);
        CHECK_HAS(err.text, REFUSED[i].text);
        CHECK(value == 7);
        CHECK_INT(tac_param_write(m, REFUSED[i].path, 1, NULL), TAC_ERR_NAME);
        CHECK_INT(tac_param_register(m, REFUSED[i].path, NULL, NULL), TAC_ERR_NAME);
    }
    CHECK_INT(tac_param_get(m, NULL, NULL, NULL), TAC_ERR_ARGUMENT);
    CHECK(tac_model_hash(m) == before);
    tac_model_free(m);
}

/* Springs by time constant: the plain numbers are refused, the others are not. */
static void springdamper_rules(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacJointDef joint = tac_default_joint();
    joint.name = "soft";
    joint.springdamper[0] = 0.1, joint.springdamper[1] = 1;
    tacBodyDef body = tac_default_body();
    tacGeomDef geom = tac_default_geom();
    geom.size[0] = 0.1;
    geom.has_mass = 1, geom.mass = 2;
    geom.name = "lump";
    tac_model_add_joint(b, tac_model_add_body(b, 0, &body), &joint);
    tac_model_add_geom(b, 1, &geom);
    tacModel *m = assemble(b);
    tacError err;
    CHECK_NEAR(get(m, "joint/soft.springdamper[0]"), 0.1, 0);
    CHECK_NEAR(get(m, "geom/lump.mass"), 2, 0);
    CHECK_INT(tac_param_write(m, "joint/soft.stiffness", 1, &err), TAC_ERR_NAME);
    CHECK_HAS(err.text, "joint/soft.stiffness' cannot be set: it is computed from springdamper");
    CHECK_INT(tac_param_write(m, "joint/soft.damping", 1, NULL), TAC_ERR_NAME);
    tac_model_free(m);
}

/* Values that a file could not have either are refused with the loader's message. */
static void bad_values(void **state) {
    (void)state;
    tacModel *m = sample_model(), *copy = NULL;
    const struct {
        const char *path;
        double value;
        const char *text;
    } cases[] = {
        {"geom/box.size[1]", -1, "geom 'box': size[1] is -1, expected a positive half-size"},
        {"body/tip.mass", (double)NAN, "body 'tip': mass is nan, expected a finite number"},
        {"option.timestep", 0, "option: timestep is 0, expected a positive time"},
        {"mesh/cube.scale[0]", -0.1, "mesh 'cube': scale[0] changes from 0.1 to -0.1, expected the same sign"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tacError err = {0};
        CHECK_INT(tac_model_copy(m, &copy, NULL), TAC_OK);
        CHECK_INT(tac_param_write(copy, cases[i].path, cases[i].value, &err), TAC_ERR_MODEL);
        CHECK_HAS(err.text, cases[i].text);
        tac_model_free(copy);
    }
    tac_model_free(m);
}

/* Writing and deriving is the same, bit for bit, as building with the number. */
static void writing_equals_building(void **state) {
    (void)state;
    const double sizes[] = {0.15, 0.3};
    tacModel *made[2];
    for (int i = 0; i < 2; i++) {
        tacBuilder *b = tac_model_begin();
        tacBodyDef body = tac_default_body();
        body.name = "rod";
        body.quat = (tacQuat){0.5, 0.5, 0.5, i == 1 ? 0.75 : 0.5}; /* normalized on loading */
        tacGeomDef geom = tac_default_geom();
        geom.type = TAC_GEOM_CAPSULE;
        geom.name = "a";
        geom.size[0] = 0.1, geom.size[1] = sizes[i];
        tac_model_add_geom(b, tac_model_add_body(b, 0, &body), &geom);
        geom.name = "b";
        geom.pos.x = 0.4;
        geom.size[1] = 0.2;
        tac_model_add_geom(b, 1, &geom);
        tacJointDef joint = tac_default_joint();
        joint.type = TAC_JOINT_FREE;
        tac_model_add_joint(b, 1, &joint);
        tacKeyDef key = tac_default_key(); /* follows qpos_0, which follows the body */
        tac_model_add_key(b, &key);
        made[i] = assemble(b);
    }
    write(made[0], "geom/a.size[1]", sizes[1]);
    write(made[0], "body/rod.quat[3]", 0.75);
    CHECK(made[0]->body_mass[1] == made[1]->body_mass[1]);
    CHECK(tac_model_hash(made[0]) == tac_model_hash(made[1]));
    tac_model_free(made[0]);
    tac_model_free(made[1]);
}

/* Setting the mass of a body whose inertia comes from geoms writes that inertia down; the rest stays. */
static void mass_from_geoms_becomes_explicit(void **state) {
    (void)state;
    tacModel *m = sample_model();
    double mass = get(m, "body/arm.mass"), inertia = get(m, "body/arm.inertia[1]"), x = get(m, "body/arm.ipos[0]");
    CHECK(mass == m->body_mass[2] && inertia == m->body_inertia[2].y && x == m->body_ipos[2].x);
    CHECK(get(m, "body/arm.iquat[0]") == m->body_iquat[2].w);
    write(m, "body/arm.mass", 5);
    CHECK_INT(m->body_inertial[2], TAC_INERTIAL_DIAG);
    CHECK(m->body_mass[2] == 5 && m->body_inertia[2].y == inertia && m->body_ipos[2].x == x);
    CHECK(listed(m, "body/arm.mass"));
    write(m, "geom/capsule.density", 1); /* no longer felt */
    CHECK(m->body_mass[2] == 5);
    tac_model_free(m);
}

/* With a total mass, what is written down is what a file would say: before scaling. */
static void explicit_under_a_total_mass(void **state) {
    (void)state;
    tacBuilder *b = sample_builder();
    tacOptionDef option = tac_default_option();
    option.settotalmass = 3;
    tac_model_set_option(b, &option);
    tacModel *m = assemble(b);
    double used = m->body_mass[2], other = m->body_mass[1];
    CHECK_INT(tac_param_register(m, "body/arm.mass", NULL, NULL), TAC_OK);
    CHECK_NEAR(m->body_mass[2], used, 1e-15);
    CHECK_NEAR(m->body_mass[1], other, 1e-15);
    CHECK(get(m, "body/arm.mass") > 10 * used);
    tac_model_free(m);
}

static void registering(void **state) {
    (void)state;
    tacModel *m = sample_model();
    int first = -1, second = -1, again = -1;
    CHECK_INT(tac_param_register(m, "body/tip.mass", &first, NULL), TAC_OK);
    CHECK_INT(tac_param_register(m, "joint/slide.axis[1]", &second, NULL), TAC_OK);
    CHECK_INT(tac_param_register(m, "body/#3.mass", &again, NULL), TAC_OK);
    CHECK_INT(first, 0);
    CHECK_INT(second, 1);
    CHECK_INT(again, 0);
    CHECK_INT(m->nparam, 2);
    CHECK(tac_param_at(m, m->param_field[0], m->param_index[0]) == &m->inertial_mass[3]);
    const double theta[2] = {0.9, 0.8};
    CHECK_INT(tac_param_write_all(m, theta, NULL), TAC_OK);
    CHECK_INT(tac_model_derive(m, NULL), TAC_OK);
    CHECK(m->body_mass[3] == 0.9);
    CHECK_NEAR(m->joint_axis[2].y, sqrt(0.5), 1e-15); /* (0, 0.8, 0.8) normalized */
    const double bad[2] = {-1, 0.8};
    tacError err = {0};
    CHECK_INT(tac_param_write_all(m, bad, &err), TAC_ERR_MODEL);
    CHECK_STR(err.text, "body 'tip': mass is -1, expected zero or more");
    tac_model_free(m);
}

/* Names that look like paths. */
static void odd_names(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacSiteDef site = tac_default_site();
    const char *names[] = {"left.foot/tip", "a[3]", "#0", "with space", ".", "/"};
    for (int i = 0; i < 6; i++) {
        site.name = names[i];
        site.pos.x = i;
        tac_model_add_site(b, 0, &site);
    }
    tacModel *m = assemble(b);
    CHECK_NEAR(get(m, "site/left.foot/tip.pos[0]"), 0, 0);
    CHECK_NEAR(get(m, "site/a[3].pos[0]"), 1, 0);
    CHECK_NEAR(get(m, "site/#0.pos[0]"), 2, 0);
    CHECK_NEAR(get(m, "site/#1.pos[0]"), 1, 0);
    CHECK_NEAR(get(m, "site/with space.pos[0]"), 3, 0);
    CHECK_NEAR(get(m, "site/..pos[0]"), 4, 0);
    CHECK_NEAR(get(m, "site//.pos[0]"), 5, 0);
    char path[64];
    for (int i = 0; i < tac_param_count(m); i++) {
        CHECK_INT(tac_param_path(m, i, path, sizeof path), TAC_OK);
        CHECK(tac_param_find(m, path, NULL, NULL, NULL) != NULL);
    }
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_round_trips),
        cmocka_unit_test(paths_are_what_they_should_be),
        cmocka_unit_test(refused_by_name),
        cmocka_unit_test(springdamper_rules),
        cmocka_unit_test(bad_values),
        cmocka_unit_test(writing_equals_building),
        cmocka_unit_test(mass_from_geoms_becomes_explicit),
        cmocka_unit_test(explicit_under_a_total_mass),
        cmocka_unit_test(registering),
        cmocka_unit_test(odd_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
