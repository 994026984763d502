/* MJCF that is wrong, unknown or not supported yet: what is said, and what a lenient load keeps. */
#include "io/mjcf_text.h"

#include <stdio.h>
#include <stdlib.h>

static void test_place(void **state) {
    (void)state;
    Loaded l = load_text(
        "<mujoco>\n <worldbody>\n  <geom name='foot'\n   size='1' type='cube'/>\n </worldbody>\n</mujoco>", 0);
    CHECK_STR(strrchr(l.err.text, '/') + 1, "main.xml:3: element <geom name=\"foot\">: attribute 'type': found "
                                            "\"cube\", expected one of plane, hfield, sphere, "
                                            "capsule, ellipsoid, cylinder, box, mesh, sdf");
    unload(&l);
}

/* The core's errors come back with the place of the element in the file. */
static void test_core_errors(void **state) {
    (void)state;
    Loaded l = load_text(
        "<mujoco><worldbody>\n<body name='a'><geom size='1'/></body>\n<body name='a'/>\n</worldbody></mujoco>", 0);
    CHECK_INT(l.status, TAC_ERR_MODEL);
    CHECK_HAS(l.err.text, "main.xml:3: element <body name=\"a\">:");
    CHECK_INT(l.err.kind, TAC_KIND_BODY);
    unload(&l);
    check_fails(WORLD("<body><joint name='j' axis='0 0 0'/><geom size='1'/></body>"), TAC_ERR_MODEL,
                "element <joint name=\"j\">:");
    check_fails(WORLD("<body name='light'><joint/></body>"), TAC_ERR_MODEL, "element <body name=\"light\">:");
    check_fails(WORLD("<geom name='g' size='-1'/>"), TAC_ERR_MODEL, "element <geom name=\"g\">:");
    check_fails(WORLD("<body><freejoint/><geom size='1'/><geom type='plane' size='1 1 1'/></body>"), TAC_ERR_MODEL,
                "plane");
    check_fails(WORLD("<body><geom size='1'/><body mocap='true' name='m'/></body>"), TAC_ERR_MODEL,
                "element <body name=\"m\">");
}

static void test_unknown(void **state) {
    (void)state;
    check_fails("<mujocoo/>", TAC_ERR_SYNTAX, "expected <mujoco>");
    check_fails(MJCF("<wordbody/>"), TAC_ERR_SYNTAX,
                "element <wordbody>: unknown inside <mujoco>, expected one of <compiler>");
    check_fails(WORLD("<box/>"), TAC_ERR_SYNTAX,
                "element <box>: unknown inside <worldbody>, expected one of <body>, <geom>");
    check_fails(WORLD("<geom sise='1'/>"), TAC_ERR_SYNTAX, "found attribute 'sise', expected one of name, class, type");
    check_fails(MJCF("<default><geom name='x'/></default>"), TAC_ERR_SYNTAX,
                "found attribute 'name', expected one of type");
    check_fails(MJCF("<default><default class='a'/><default class='a'/></default>"), TAC_ERR_MODEL,
                "expected a unique name");
    check_fails(MJCF("<default><default/></default>"), TAC_ERR_SYNTAX, "attribute 'class' is missing");
    check_fails(MJCF("<default class='other'/>"), TAC_ERR_MODEL, "expected \"main\" or none");
    check_fails(WORLD("<geom class='x' size='1'/>"), TAC_ERR_NAME, "expected the name of a default class");
    check_fails(WORLD("<body childclass='x'/>"), TAC_ERR_NAME, "attribute 'childclass': found \"x\"");
    check_fails(MJCF("<compiler angle='grad'/>"), TAC_ERR_SYNTAX, "expected one of radian, degree");
    check_fails(MJCF("<compiler eulerseq='xy'/>"), TAC_ERR_SYNTAX, "expected three letters");
    check_fails(MJCF("<compiler coordinate='global'/>"), TAC_ERR_UNSUPPORTED, "coordinate=\"global\" is not supported");
    check_fails(MJCF("<worldbody name='w'/>"), TAC_ERR_SYNTAX, "found attribute 'name', expected one of none");
}

static void test_wrong_values(void **state) {
    (void)state;
    check_fails(WORLD("<joint/>"), TAC_ERR_MODEL, "the world does not move");
    check_fails(WORLD("<inertial pos='0 0 0' mass='1'/>"), TAC_ERR_MODEL, "the world has no inertia");
    check_fails(WORLD("<body><inertial mass='1'/></body>"), TAC_ERR_SYNTAX, "attribute 'pos' is missing");
    check_fails(WORLD("<body><inertial pos='0 0 0'/></body>"), TAC_ERR_SYNTAX, "attribute 'mass' is missing");
    check_fails(WORLD("<body><inertial pos='0 0 0' mass='1' diaginertia='1 1 1' fullinertia='1 1 1 0 0 0'/></body>"),
                TAC_ERR_SYNTAX, "found diaginertia and fullinertia");
    check_fails(WORLD("<body><inertial pos='0 0 0' mass='1' quat='1 0 0 0' fullinertia='1 1 1 0 0 0'/></body>"),
                TAC_ERR_SYNTAX, "found fullinertia and an orientation");
    check_fails(WORLD("<body quat='1 0 0 0' euler='0 0 0'/>"), TAC_ERR_SYNTAX, "found 2 orientations");
    check_fails(WORLD("<body quat='0 0 0 0'/>"), TAC_ERR_MODEL, "the quaternion is zero");
    check_fails(WORLD("<geom type='capsule' fromto='0 0 0 0 0 1' pos='1 0 0' size='1'/>"), TAC_ERR_MODEL,
                "found pos and fromto");
    check_fails(WORLD("<geom fromto='0 0 0 0 0 1' size='1'/>"), TAC_ERR_MODEL,
                "attribute 'fromto' expects type capsule");
    check_fails(WORLD("<geom type='mesh'/>"), TAC_ERR_MODEL, "attribute 'mesh' is missing");
    check_fails(WORLD("<geom mesh='no' type='mesh'/>"), TAC_ERR_NAME,
                "attribute 'mesh': found \"no\", expected the name of a mesh");
    check_fails(WORLD("<site type='mesh'/>"), TAC_ERR_MODEL,
                "expected sphere, capsule, ellipsoid, cylinder or box for a site");
    check_fails(WORLD("<geom size='1 nan'/>"), TAC_ERR_SYNTAX, "found \"nan\", expected a finite number");
    check_fails(MJCF("<asset><mesh name='m'/></asset>"), TAC_ERR_SYNTAX, "attributes 'file' and 'vertex' are missing");
    check_fails(MJCF("<asset><mesh name='m' vertex='1 2'/></asset>"), TAC_ERR_MODEL, "expected three per vertex");
    check_fails(MJCF("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 4'/></asset>"), TAC_ERR_MODEL,
                "found vertex 4, expected 0 to 3");
    check_fails(MJCF("<asset><mesh name='m' builtin='cube' params='1'/></asset>"), TAC_ERR_SYNTAX, "found \"cube\"");
}

static void test_lenient(void **state) {
    (void)state;
    const char *field =
        MJCF("<asset><hfield name='f' nrow='2' ncol='2' size='3 4 1 2'/></asset>"
             "<worldbody><geom name='before' size='1'/><geom name='t' type='hfield' hfield='f'/></worldbody>");
    Loaded l = load_leniently(field, "element <geom name=\"t\">: height fields are not supported");
    CHECK_INT(l.model->geom_type[1], TAC_GEOM_HFIELD);
    CHECK_ARRAY(3, l.model->geom_size + 3, ((double[]){3, 4, 1.25}), 0);
    unload(&l);
    const struct {
        const char *text, *message;
    } rows[] = {{WORLD("<body><plugin plugin='p'/></body>"), "plugins are not supported"},
                {WORLD("<composite type='cable'/>"), "<composite> is not supported"},
                {WORLD("<body><flexcomp name='f'/></body>"), "<flexcomp> is not supported"},
                {MJCF("<worldbody/><deformable><flex name='f'/></deformable>"), "flexible bodies are not supported"},
                {WORLD("<geom size='1' adhesion='2'/>"), "attribute 'adhesion' is not supported"},
                {WORLD("<geom size='1' surfacevel='1 0 0'/>"), "attribute 'surfacevel' is not supported"},
                {WORLD("<body><geom size='1'/><joint stiffness='1 2'/></body>"), "polynomial coefficients"},
                {MJCF("<option actuatorgroupdisable='1'/><worldbody/>"), "'actuatorgroupdisable' is not supported"},
                {MJCF("<worldbody/><equality><distance/></equality>"), "this equality constraint is not supported"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        l = load_leniently(rows[i].text, rows[i].message);
        CHECK(l.model->nbody >= 1);
        unload(&l);
    }
}

/* Loading must not take more memory or time than the file's size warrants, however it is cut. */
static void test_truncations(void **state) {
    (void)state;
    const char *whole =
        MJCF("<default><geom size='1'/></default><worldbody><body name='b'><joint name='j'/><geom/></body></worldbody>"
             "<actuator><motor joint='j'/></actuator><keyframe><key qpos='1'/></keyframe>");
    size_t n = strlen(whole);
    int loaded = 0;
    for (size_t i = 0; i <= n; i++) {
        Loaded l = load_path(scratch_bytes("cut.xml", whole, i), 0);
        loaded += l.status == TAC_OK;
        if (l.status != TAC_OK) CHECK_HAS(l.err.text, "cut.xml");
        unload(&l);
    }
    CHECK_INT(loaded, 1);
}

/* Each byte in turn replaced: a model or a message, never a crash. */
static void test_mutations(void **state) {
    (void)state;
    const char *whole = MJCF(
        "<compiler angle='radian'/><worldbody><frame pos='1 0 0'><body name='b'><joint range='0 1'/>"
        "<geom type='box' size='1 1 1'/></body></frame><replicate count='2'><site name='s'/></replicate></worldbody>");
    size_t n = strlen(whole);
    char *text = malloc(n + 1);
    int refused = 0;
    for (size_t i = 0; i < n; i++)
        for (const char *c = "<'9\x80 "; *c != '\0'; c++) {
            memcpy(text, whole, n + 1);
            text[i] = *c;
            Loaded l = load_path(scratch_bytes("cut.xml", text, n), 0);
            if (l.status != TAC_OK) CHECK_HAS(l.err.text, "cut.xml");
            refused += l.status != TAC_OK;
            unload(&l);
        }
    CHECK(refused > (int)n);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_place, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_core_errors, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_unknown, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_wrong_values, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_lenient, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_truncations, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_mutations, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
