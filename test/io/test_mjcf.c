/* MJCF: bodies, frames, orientations, classes, includes, inertias, geoms, meshes. */
#include "io/mjcf_text.h"

#include <math.h>
#include <stdio.h>

static const double TOL = 1e-12; /* a few roundings of numbers of order one */
static const double PI = 3.14159265358979323846;

#define CHECK_VEC(v, a, b, c)     CHECK_ARRAY(3, &(v), ((double[]){a, b, c}), TOL)
#define CHECK_QUAT(q, a, b, c, d) CHECK_ARRAY(4, &(q), ((double[]){a, b, c, d}), TOL)

/* --- The tree ----------------------------------------------------------------------------------------------------- */

static void test_numbering(void **state) {
    (void)state;
    Loaded l = load_ok(WORLD("<geom name='g0' type='plane' size='1 1 1'/>"
                             "<body name='a'><body name='b'><joint name='jb'/><geom name='gb' size='1'/></body>"
                             "<joint name='ja'/><geom name='ga' size='1'/><site name='sa'/></body>"
                             "<body name='c'><freejoint name='jc'/><geom name='gc' size='1'/></body>"));
    tacModel *m = l.model;
    CHECK_INT(m->nbody, 4);
    CHECK_STR(tac_model_name(m, TAC_KIND_BODY, 2), "b");
    CHECK_INT(m->body_parent[2], 1);
    CHECK_STR(tac_model_name(m, TAC_KIND_JOINT, 0), "ja"); /* body by body, not as written */
    CHECK_STR(tac_model_name(m, TAC_KIND_JOINT, 1), "jb");
    CHECK_STR(tac_model_name(m, TAC_KIND_GEOM, 1), "ga");
    CHECK_INT(m->nq, 9);
    CHECK_INT(tac_model_find(m, TAC_KIND_SITE, "sa"), 0);
    unload(&l);
}

static void test_sections_merge(void **state) {
    (void)state;
    Loaded l = load_ok(MJCF("<worldbody><geom size='1'/></worldbody><option timestep='0.01'/>"
                            "<worldbody><geom size='2'/></worldbody><option gravity='0 0 1'/>"));
    CHECK_INT(l.model->ngeom, 2);
    CHECK_NEAR(l.model->geom_size[3], 2, 0);
    CHECK_NEAR(*l.model->option_timestep, 0.01, 0);
    CHECK_NEAR(l.model->option_gravity->z, 1, 0);
    unload(&l);
}

static void test_frames(void **state) {
    (void)state;
    Loaded l = load_ok(WORLD("<frame pos='1 0 0' euler='0 0 90'><frame pos='1 0 0'>"
                             "<body name='b' pos='1 0 0'><geom size='1'/>"
                             "<frame pos='0 0 1' quat='0 0 1 0'><joint pos='0 0 1' axis='1 0 0'/>"
                             "<site pos='0 0 .5'/></frame></body>"
                             "<geom size='1'/></frame></frame>"));
    tacModel *m = l.model;
    double h = sqrt(0.5);
    CHECK_VEC(m->body_pos[1], 1, 2, 0);
    CHECK_QUAT(m->body_quat[1], h, 0, 0, h);
    CHECK_VEC(m->geom_pos[0], 1, 1, 0);
    CHECK_VEC(m->joint_pos[0], 0, 0, 0);
    CHECK_VEC(m->joint_axis[0], -1, 0, 0);
    CHECK_VEC(m->site_pos[0], 0, 0, 0.5);
    unload(&l);
}

static void check_orientation(const char *compiler, const char *attribute, tacQuat expected) {
    char text[512];
    snprintf(text, sizeof text, MJCF("%s<worldbody><body %s><geom size='1'/></body></worldbody>"), compiler, attribute);
    Loaded l = load_ok(text);
    double *q = &l.model->body_quat[1].w, *e = &expected.w, dot = 0;
    for (int i = 0; i < 4; i++)
        dot += q[i] * e[i];
    CHECK_NEAR(fabs(dot), 1, TOL);
    unload(&l);
}

static void test_orientations(void **state) {
    (void)state;
    double h = sqrt(0.5), c = cos(PI / 6), s = sin(PI / 6);
    check_orientation("", "quat='2 0 0 2'", (tacQuat){h, 0, 0, h});
    check_orientation("", "axisangle='0 0 3 60'", (tacQuat){c, 0, 0, s});
    check_orientation("<compiler angle='radian'/>", "axisangle='0 1 0 1.0471975511965976'", (tacQuat){c, 0, s, 0});
    check_orientation("", "xyaxes='0 1 0 -1 1 0'", (tacQuat){h, 0, 0, h});
    check_orientation("", "zaxis='1 0 0'", (tacQuat){h, 0, h, 0});
    check_orientation("", "zaxis='0 0 -1'", (tacQuat){0, 1, 0, 0});
    /* x then (moved) y is (fixed) y then x */
    check_orientation("", "euler='90 60 0'", (tacQuat){h * c, h * c, h * s, h * s});
    check_orientation("<compiler eulerseq='YXZ'/>", "euler='60 90 0'", (tacQuat){h * c, h * c, h * s, h * s});
    check_orientation("<compiler eulerseq='zyx'/>", "euler='90 0 0'", (tacQuat){h, 0, 0, h});
}

/* --- Classes ------------------------------------------------------------------------------------------------------ */

static void test_classes(void **state) {
    (void)state;
    Loaded l =
        load_ok(MJCF("<default><geom size='.5' rgba='1 0 0 1'/>"
                     "<default class='a'><geom size='1' density='10'/><joint damping='1'/>"
                     "<default class='b'><geom density='20'/></default></default></default>"
                     "<worldbody><geom name='main'/><body childclass='a'><joint/><geom name='a'/>"
                     "<geom name='b' class='b'/><body><geom name='inherited'/></body>"
                     "<frame childclass='b'><geom name='framed'/></frame></body>"
                     "<body childclass='b'><freejoint/><geom name='mainclass' class='main'/></body></worldbody>"));
    tacModel *m = l.model;
    const struct {
        const char *name;
        double size, density;
    } expected[] = {{"main", 0.5, 1000},  {"a", 1, 10},      {"b", 1, 20},
                    {"inherited", 1, 10}, {"framed", 1, 20}, {"mainclass", 0.5, 1000}};
    for (int i = 0; i < 6; i++) {
        int id = tac_model_find(m, TAC_KIND_GEOM, expected[i].name);
        CHECK_NEAR(m->geom_size[3 * id], expected[i].size, 0);
        CHECK_NEAR(m->geom_density[id], expected[i].density, 0);
        CHECK_NEAR(m->geom_rgba[4 * id], 1, 0);
    }
    CHECK_NEAR(m->joint_damping[0], 1, 0);
    CHECK_NEAR(m->joint_damping[1], 0, 0); /* no class reaches a freejoint */
    unload(&l);
}

/* MuJoCo: an alternative orientation, be it from the class, wins over quat. */
static void test_class_orientation(void **state) {
    (void)state;
    Loaded l = load_ok(MJCF("<default><geom size='1' euler='0 0 90'/></default>"
                            "<worldbody><geom quat='1 0 0 0'/><geom zaxis='0 0 1'/></worldbody>"));
    double h = sqrt(0.5);
    CHECK_QUAT(l.model->geom_quat[0], h, 0, 0, h);
    CHECK_QUAT(l.model->geom_quat[1], 1, 0, 0, 0);
    unload(&l);
}

/* --- Includes ----------------------------------------------------------------------------------------------------- */

static void test_includes(void **state) {
    (void)state;
    scratch_text("parts/leg.xml",
                 "<mujocoinclude><body name='leg'><joint/><include file='foot.xml'/></body></mujocoinclude>");
    scratch_text("parts/foot.xml", "<mujoco><geom size='.1'/><site name='toe'/></mujoco>");
    scratch_text("common.xml", "<mujoco><compiler angle='radian'/></mujoco>");
    Loaded l =
        load_ok(MJCF("<include file='common.xml'/><worldbody><body pos='0 0 1' euler='0 0 1'>"
                     "<geom size='1'/><include file='./parts/leg.xml'/><site name='after'/></body></worldbody>"));
    CHECK_INT(l.model->nbody, 3);
    CHECK_INT(l.model->body_parent[2], 1);
    CHECK_NEAR(l.model->body_quat[1].z, sin(0.5), TOL);
    CHECK_INT(l.model->site_body[tac_model_find(l.model, TAC_KIND_SITE, "toe")], 2);
    CHECK_INT(l.model->site_body[tac_model_find(l.model, TAC_KIND_SITE, "after")], 1);
    unload(&l);
}

static void test_bad_includes(void **state) {
    (void)state;
    scratch_text("self.xml", "<mujoco><include file='./self.xml'/></mujoco>");
    scratch_text("a.xml", "<mujoco><include file='x/../b.xml'/></mujoco>");
    scratch_text("b.xml", "<mujoco>\n<include file='a.xml'/></mujoco>");
    scratch_text("none.xml", "<mujoco/>");
    scratch_text("bad.xml", "<mujoco>\n\n<worldbody><geom size='a'/></worldbody></mujoco>");
    scratch_text("x/y.xml", "<mujoco/>");
    check_fails(MJCF("<include file='self.xml'/>"), TAC_ERR_MODEL, "self.xml\" is already included");
    check_fails(MJCF("<include file='a.xml'/>"), TAC_ERR_MODEL, "b.xml:2: element <include file=\"a.xml\">: file");
    check_fails(MJCF("<include file='none.xml'/>"), TAC_ERR_MODEL, "has no elements to include");
    check_fails(MJCF("<include file='bad.xml'/>"), TAC_ERR_SYNTAX, "bad.xml:3: element <geom>");
    check_fails(MJCF("<include file='gone.xml'/>"), TAC_ERR_FILE, "gone.xml");
    check_fails(MJCF("<include file='../out.xml'/>"), TAC_ERR_FILE, "main.xml:1: element <include");
    check_fails(MJCF("<include/>"), TAC_ERR_SYNTAX, "attribute 'file' is missing");
    check_fails(MJCF("<include file='none.xml'><a/></include>"), TAC_ERR_SYNTAX, "found elements inside <include>");
}

/* --- Inertia ------------------------------------------------------------------------------------------------------ */

static void test_inertial(void **state) {
    (void)state;
    Loaded l =
        load_ok(WORLD("<body><inertial pos='1 2 3' mass='2' diaginertia='3 2 2' quat='0 1 0 0'/><geom size='1'/></body>"
                      "<body><inertial pos='0 0 0' mass='1' fullinertia='2 3 3.5 0 0 .25'/></body>"
                      "<body pos='1 1 1'/>"));
    tacModel *m = l.model;
    CHECK_NEAR(m->body_mass[1], 2, 0);
    CHECK_VEC(m->body_ipos[1], 1, 2, 3);
    CHECK_VEC(m->body_inertia[1], 3, 2, 2);
    CHECK_ARRAY(6, &m->body_icom[2].xx, ((double[]){2, 3, 3.5, 0, 0, 0.25}), TOL);
    CHECK_NEAR(m->body_mass[3], 0, 0);
    unload(&l);
}

static double body_mass(const char *compiler, const char *body) {
    char text[1024];
    snprintf(text, sizeof text, MJCF("<compiler %s/><worldbody><body>%s</body></worldbody>"), compiler, body);
    Loaded l = load_ok(text);
    double mass = l.model->body_mass[1];
    unload(&l);
    return mass;
}

static void test_inertia_from_geoms(void **state) {
    (void)state;
    const char *both =
        "<inertial pos='0 0 0' mass='5' diaginertia='1 1 1'/><geom type='box' size='.5 .5 .5' density='7'/>";
    const char *geoms =
        "<geom type='box' size='.5 .5 .5' density='7'/><geom type='box' size='.5 .5 .5' mass='2' group='4'/>";
    CHECK_NEAR(body_mass("", both), 5, TOL);
    CHECK_NEAR(body_mass("inertiafromgeom='true'", both), 7, TOL);
    CHECK_NEAR(body_mass("inertiafromgeom='true'", "<inertial pos='0 0 0' mass='5' diaginertia='1 1 1'/>"), 5, TOL);
    CHECK_NEAR(body_mass("", geoms), 9, TOL);
    CHECK_NEAR(body_mass("inertiagrouprange='0 3'", geoms), 7, TOL);
    CHECK_NEAR(body_mass("inertiafromgeom='false'", geoms), 0, TOL);
    CHECK_NEAR(body_mass("boundmass='12'", geoms), 12, TOL);
    CHECK_NEAR(body_mass("settotalmass='3'", geoms), 3, TOL);
}

/* --- Geoms -------------------------------------------------------------------------------------------------------- */

static void test_fromto(void **state) {
    (void)state;
    Loaded l = load_ok(WORLD("<geom type='capsule' fromto='0 0 0 0 0 2' size='.1'/>"
                             "<geom type='box' fromto='1 0 0 3 0 0' size='.1'/>"
                             "<site type='cylinder' fromto='0 0 0 0 4 0' size='.2'/>"));
    tacModel *m = l.model;
    CHECK_VEC(m->geom_pos[0], 0, 0, 1);
    CHECK_ARRAY(2, m->geom_size, ((double[]){0.1, 1}), TOL);
    CHECK_QUAT(m->geom_quat[0], 0, 1, 0, 0); /* z points from the second point to the first */
    CHECK_ARRAY(3, m->geom_size + 3, ((double[]){0.1, 0.1, 1}), TOL);
    CHECK_VEC(m->site_pos[0], 0, 2, 0);
    CHECK_NEAR(m->site_size[1], 2, TOL);
    unload(&l);
}

static void test_looks(void **state) {
    (void)state;
    Loaded l = load_ok(WORLD("<body><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
                             "<geom size='1' contype='0' conaffinity='0'/><geom size='1'/></body>"
                             "<body><geom size='1' contype='0' conaffinity='0'/></body>"));
    CHECK_INT(l.model->geom_visual[0], 1);
    CHECK_INT(l.model->geom_visual[1], 0);
    CHECK_INT(l.model->geom_visual[2], 0); /* gives mass */
    unload(&l);
}

#define TETRAHEDRON "vertex='0 0 0  1 0 0  0 1 0  0 0 1'"

static void test_inline_mesh(void **state) {
    (void)state;
    Loaded l = load_ok(MJCF("<default><mesh scale='2 2 2'/></default>"
                            "<asset><mesh name='t' " TETRAHEDRON "/>"
                            "<mesh name='f' " TETRAHEDRON
                            " face='0 2 1 0 1 3 0 3 2 1 2 3' scale='1 1 1' refpos='1 0 0'/></asset>"
                            "<worldbody><body><geom type='mesh' mesh='t' density='6'/></body>"
                            "<body><geom type='mesh' mesh='f' density='6'/></body></worldbody>"));
    tacModel *m = l.model;
    CHECK_INT(m->mesh_face_num[0], 4);
    CHECK_NEAR(m->body_mass[1], 8, TOL);
    CHECK_NEAR(m->body_mass[2], 1, TOL);
    CHECK_VEC(m->body_ipos[1], 0.5, 0.5, 0.5);
    CHECK_VEC(m->body_ipos[2], -0.75, 0.25, 0.25);
    unload(&l);
}

/* The box with the mesh's mass and inertia, and the box around it: for a box, the box itself. */
static void test_fitted_geom(void **state) {
    (void)state;
    const char *cube =
        "<asset><mesh name='c' vertex='-1 -2 -3  1 -2 -3  -1 2 -3  1 2 -3  -1 -2 3  1 -2 3  -1 2 3  1 2 3' "
        "refpos='0 0 -10'/></asset><worldbody><body><geom type='box' mesh='c' pos='1 0 0' fitscale='2'/>"
        "<geom type='sphere' mesh='c'/><geom type='cylinder' mesh='c'/></body></worldbody>";
    for (int aabb = 0; aabb < 2; aabb++) {
        char text[1024];
        snprintf(text, sizeof text, MJCF("<compiler fitaabb='%s'/>%s"), aabb ? "true" : "false", cube);
        Loaded l = load_ok(text);
        tacModel *m = l.model;
        double half[3] = {m->geom_size[0] / 2, m->geom_size[1] / 2, m->geom_size[2] / 2};
        CHECK_NEAR(half[0] * half[1] * half[2], 6, 1e-9);
        CHECK_NEAR(half[0] + half[1] + half[2], 6, 1e-9);
        CHECK_VEC(m->geom_pos[0], 1, 0, 10);
        CHECK_NEAR(m->geom_size[3], aabb ? 3 : 2, 1e-9);
        CHECK_NEAR(m->geom_size[7], 3, 1e-9); /* the longest axis is z */
        CHECK_INT(m->geom_mesh[0], -1);
        unload(&l);
    }
}

static void test_mesh_file(void **state) {
    (void)state;
    const char *obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    scratch_text("meshes/part.obj", obj);
    scratch_text("inc/other.obj", obj);
    scratch_text("inc/asset.xml", "<mujoco><asset><mesh file='other.obj'/></asset></mujoco>");
    Loaded l = load_ok(
        MJCF("<compiler assetdir='nowhere' meshdir='meshes' strippath='true'/>"
             "<asset><mesh file='any/part.obj'/></asset><worldbody><geom type='mesh' mesh='part'/></worldbody>"));
    CHECK_INT(l.model->mesh_vert_num[0], 4);
    CHECK(l.model->mesh_hullvert_num[0] == 4);
    unload(&l);
    l = load_ok(MJCF("<include file='inc/asset.xml'/><worldbody>"
                     "<geom type='mesh' mesh='other' contype='0' conaffinity='0'/></worldbody>"));
    CHECK_STR(tac_model_name(l.model, TAC_KIND_MESH, 0), "other");
    CHECK_INT(l.model->mesh_hullvert_num[0], 0); /* nothing touches it */
    unload(&l);
    check_fails(MJCF("<asset><mesh file='gone.stl'/></asset>"), TAC_ERR_FILE,
                "main.xml:1: element <mesh file=\"gone.stl\">");
}

/* --- Joints ------------------------------------------------------------------------------------------------------- */

static void test_joints(void **state) {
    (void)state;
    Loaded l =
        load_ok(WORLD("<body><geom size='1'/><joint name='h' range='-90 180' ref='90' springref='180' stiffness='2' "
                      "damping='3' armature='4' frictionloss='5' margin='.1' actuatorfrcrange='-1 1'/>"
                      "<joint type='slide' axis='0 3 0' range='-1 1' limited='false' springdamper='.1 1' ref='2'/>"
                      "<joint type='ball' range='0 90'/></body>"));
    tacModel *m = l.model;
    CHECK_ARRAY(2, m->joint_range, ((double[]){-PI / 2, PI}), TOL);
    CHECK_INT(m->joint_limited[0], 1);
    CHECK_INT(m->joint_actfrclimited[0], 1);
    CHECK_NEAR(m->joint_ref[0], PI / 2, TOL);
    CHECK_NEAR(m->joint_springref[0], PI, TOL);
    CHECK_NEAR(m->joint_frictionloss[0], 5, 0);
    CHECK_INT(m->joint_limited[1], 0);
    CHECK_VEC(m->joint_axis[1], 0, 1, 0);
    CHECK_NEAR(m->joint_ref[1], 2, 0);
    CHECK_ARRAY(2, m->joint_springdamper + 2, ((double[]){0.1, 1}), 0);
    CHECK_NEAR(m->joint_range[5], PI / 2, TOL);
    unload(&l);
}

static void test_autolimits(void **state) {
    (void)state;
    const char *text =
        MJCF("<compiler autolimits='false'/><worldbody><body><geom size='1'/><joint range='-1 1'/></body></worldbody>");
    check_fails(text, TAC_ERR_MODEL, "autolimits=\"false\"");
    Loaded l =
        load_ok(MJCF("<compiler autolimits='false'/><worldbody><body><geom size='1'/><joint/></body></worldbody>"));
    CHECK_INT(l.model->joint_limited[0], 0);
    unload(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_numbering, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_sections_merge, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_frames, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_orientations, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_classes, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_class_orientation, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_includes, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_bad_includes, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_inertial, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_inertia_from_geoms, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_fromto, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_looks, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_inline_mesh, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_fitted_geom, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_mesh_file, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_joints, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_autolimits, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
