/* MJCF <model> and <attach>: an attached file is the same model as its elements written in the place of <attach>. What
 * MuJoCo 3.x makes of such files is the check shown-attach's. */
#include "io/mjcf_text.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>

#define TOL 1e-12 /* poses are composed in another order; lengths are near 1 */

#define LINK                                                                                                           \
    "<joint name='%sj' axis='0 1 0' damping='0.1'/><geom name='%sg' type='capsule' fromto='0 0 0 0 0 1' size='.1'/>"   \
    "<body name='%sb' pos='0 0 1'><joint name='%sk'/><geom name='%sh' size='.1'/></body>"
#define MOTORS "<motor name='%sm' joint='%sj'/><general name='%sn' joint='%sk' dyntype='filter' dynprm='.1'/>"

/* The text with every %s replaced; four at a time are valid. */
static const char *with(const char *text, const char *prefix) {
    static char room[4][8192];
    static int next;
    char *out = room[next++ % 4], *to = out;
    for (; *text != '\0'; text++) {
        if (text[0] == '%' && text[1] == 's') {
            to += sprintf(to, "%s", prefix);
            text++;
        } else
            *to++ = *text;
    }
    *to = '\0';
    return out;
}

/* The model that has others attached, from `text`; the attached one has a geom in the world, bodies and motors. */
static Loaded load_attached(const char *text) {
    scratch_text("link.xml", with(MJCF("<compiler angle='radian'/><worldbody><geom name='%sbase' size='.2'/>"
                                       "<body name='%sa'>" LINK "</body></worldbody><actuator>" MOTORS "</actuator>"),
                                  ""));
    return load_ok(text);
}

static void check_same(const tacModel *a, const tacModel *b) {
    CHECK_INT(a->nbody, b->nbody);
    CHECK_INT(a->nq, b->nq);
    for (int i = 0; i < a->nbody; i++) {
        CHECK_STR(tac_model_name(a, TAC_KIND_BODY, i), tac_model_name(b, TAC_KIND_BODY, i));
        CHECK_NEAR(a->body_mass[i], b->body_mass[i], TOL);
        CHECK_NEAR(tac_norm3(tac_sub3(a->body_pos[i], b->body_pos[i])), 0, TOL);
        CHECK_NEAR(fabs(tac_quat_mul(tac_quat_conj(a->body_quat[i]), b->body_quat[i]).w), 1, TOL);
    }
    for (int i = 0; i < a->ngeom; i++) {
        CHECK_STR(tac_model_name(a, TAC_KIND_GEOM, i), tac_model_name(b, TAC_KIND_GEOM, i));
        CHECK_INT(a->geom_body[i], b->geom_body[i]);
        CHECK_NEAR(tac_norm3(tac_sub3(a->geom_pos[i], b->geom_pos[i])), 0, TOL);
    }
    for (int i = 0; i < a->nu; i++)
        CHECK_STR(tac_model_name(a, TAC_KIND_ACTUATOR, i), tac_model_name(b, TAC_KIND_ACTUATOR, i));
}

/* In the world, between bodies of this file, motors behind its own: the same bits. */
static void test_in_place(void **state) {
    (void)state;
    Loaded a = load_attached(MJCF("<asset><model name='l' file='link.xml'/></asset><worldbody><body name='x'><joint "
                                  "name='x'/><geom size='.3'/></body><attach model='l' prefix='p_'/><body name='y'>"
                                  "<joint name='y'/><geom size='.3'/></body></worldbody><actuator><motor name='x' "
                                  "joint='x'/><motor name='y' joint='p_k'/></actuator>"));
    Loaded b = load_ok(with(MJCF("<worldbody><body name='x'><joint name='x'/><geom size='.3'/></body><geom "
                                 "name='%sbase' size='.2'/><body name='%sa'>" LINK "</body><body name='y'><joint "
                                 "name='y'/><geom size='.3'/></body></worldbody><actuator><motor name='x' joint='x'/>"
                                 "<motor name='y' joint='%sk'/>" MOTORS "</actuator>"),
                            "p_"));
    check_same(a.model, b.model);
    CHECK(tac_model_hash(a.model) == tac_model_hash(b.model));
    unload(&a), unload(&b);
}

/* In a turned frame of a body; the attached world's geom goes to that body. */
static void test_in_a_frame(void **state) {
    (void)state;
    const char *frame = "<frame pos='.1 .2 .3' quat='.8 .6 0 0'>";
    char text[4096];
    snprintf(text, sizeof text,
             MJCF("<asset><model name='l' file='link.xml'/></asset><worldbody><body name='x'><freejoint/><geom "
                  "size='.3'/>%s<attach model='l' prefix='p_'/></frame></body></worldbody>"),
             frame);
    Loaded a = load_attached(text);
    snprintf(text, sizeof text,
             MJCF("<worldbody><body name='x'><freejoint/><geom size='.3'/>%s<geom name='p_base' size='.2'/><body "
                  "name='p_a'>%s</body></frame></body></worldbody><actuator>%s</actuator>"),
             frame, with(LINK, "p_"), with(MOTORS, "p_"));
    Loaded b = load_ok(text);
    check_same(a.model, b.model);
    unload(&a), unload(&b);
}

/* One body of it, twice. */
static void test_bodies(void **state) {
    (void)state;
    Loaded l =
        load_attached(MJCF("<asset><model name='l' file='link.xml'/></asset><worldbody><attach model='l' body='b' "
                           "prefix='1'/><frame pos='2 0 0'><attach model='l' body='b' prefix='2'/></frame>"
                           "</worldbody>"));
    CHECK_INT(l.model->nbody, 3);
    CHECK_INT(l.model->nu, 2);
    CHECK_INT(tac_model_find(l.model, TAC_KIND_JOINT, "2k"), 1);
    CHECK_NEAR(l.model->body_pos[2].x, 2, 0);
    CHECK_NEAR(l.model->body_pos[2].z, 1, 0);
    unload(&l);
}

/* Angles, classes and hulls are the attached file's affair; a keyframe gets this file's other joints. */
static void test_nested_files(void **state) {
    (void)state;
    Loaded l = load_path("test/data/attached/scene.xml", 0);
    CHECK_INT(l.status, TAC_OK);
    CHECK_STR(tac_report_name(l.report), "attached");
    CHECK_NEAR(l.model->option_timestep[0], 0.002, 0);
    int shoulder = tac_model_find(l.model, TAC_KIND_JOINT, "right_shoulder");
    CHECK_NEAR(l.model->joint_range[2 * shoulder + 1], acos(0), TOL);
    CHECK_NEAR(l.model->joint_damping[shoulder], 0.3, 0);
    CHECK_NEAR(l.model->joint_range[2 * tac_model_find(l.model, TAC_KIND_JOINT, "half_hand/left")], -0.6, 0);
    CHECK_INT(tac_model_find(l.model, TAC_KIND_ACTUATOR, "half"), 1);
    CHECK_INT(tac_model_find(l.model, TAC_KIND_ACTUATOR, "half_hand/grip"), 3);
    CHECK_INT(l.model->nkey, 1);
    CHECK_NEAR(l.model->key_qpos[l.model->joint_qpos_adr[shoulder]], 0.4, 0);
    CHECK_NEAR(l.model->key_qpos[0], 0, 0);
    CHECK_NEAR(l.model->key_ctrl[6], 0.3, 0);
    CHECK_NEAR(l.model->key_act[0], 0.7, 0);
    unload(&l);
}

/* A pair of this file asks for the hull of a mesh that the attached one only shows. */
static void test_hull_on_demand(void **state) {
    (void)state;
    Loaded l =
        load_ok(MJCF("<asset><model name='s' file='shape.xml'/></asset><worldbody><geom name='floor' type='plane' "
                     "size='1 1 1'/><attach model='s' prefix='p'/></worldbody><contact><pair geom1='floor' "
                     "geom2='pm'/></contact>"));
    CHECK_INT(l.model->nmesh, 1);
    CHECK_INT(l.model->mesh_hullvert_num[0], 4);
    unload(&l);
}

static int setup_shape(void **state) {
    int failed = scratch_setup(state);
    scratch_text("shape.xml", MJCF("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody><body "
                                   "name='s'><freejoint/><geom name='m' type='mesh' mesh='m' contype='0' "
                                   "conaffinity='0'/></body></worldbody>"));
    return failed;
}

/* --- Inside <replicate> ------------------------------------------------------------------------------------------- */

#define AROUND                                                                                                         \
    "<body name='x'><joint name='x'/><geom size='.3'/><replicate count='12' offset='1 0 0' euler='0 0 .1' sep='-'>%s"  \
    "</replicate></body>"

/* Copies of an <attach> are those of its elements written in its place; own elements that refer inside follow. */
static void test_replicated(void **state) {
    (void)state;
    const char *rest = "<contact><exclude body1='x' body2='p_a'/><pair geom1='p_g' geom2='p_h'/></contact>"
                       "<tendon><fixed name='t'><joint joint='x' coef='1'/><joint joint='p_k' coef='2'/></fixed>"
                       "</tendon>";
    char inside[1024], text[4096];
    snprintf(inside, sizeof inside, AROUND, "<attach model='l' prefix='p_'/>");
    snprintf(text, sizeof text,
             MJCF("<compiler angle='radian'/><asset><model name='l' file='link.xml'/></asset><worldbody>%s</worldbody>"
                  "%s<actuator><motor name='own' joint='x'/><motor name='t' tendon='t'/></actuator>"),
             inside, rest);
    Loaded a = load_attached(text);
    snprintf(inside, sizeof inside, AROUND,
             with("<geom name='%sbase' size='.2'/><body name='%sa'>" LINK "</body>", "p_"));
    snprintf(text, sizeof text,
             MJCF("<compiler angle='radian'/><worldbody>%s</worldbody>%s<actuator><motor name='own' joint='x'/>"
                  "<motor name='t' tendon='t'/>%s</actuator>"),
             inside, rest, with(MOTORS, "p_"));
    Loaded b = load_ok(text);
    CHECK_INT(a.model->nbody, 26);
    CHECK_INT(a.model->nu, 37);
    CHECK_INT(tac_model_find(a.model, TAC_KIND_ACTUATOR, "p_m-11"), 35);
    CHECK_INT(tac_model_find(a.model, TAC_KIND_JOINT, "p_k-03") >= 0, 1);
    check_same(a.model, b.model);
    CHECK(tac_model_hash(a.model) == tac_model_hash(b.model));
    unload(&a), unload(&b);
}

/* Two levels: the inner number comes first. A part of the model alone; the mesh is there once. */
static void test_replicated_twice(void **state) {
    (void)state;
    Loaded l = load_ok(MJCF("<asset><model name='s' file='shape.xml'/></asset><worldbody><replicate count='2' "
                            "offset='0 0 1' sep='/'><replicate count='3' offset='2 0 0' sep='-'><attach model='s' "
                            "body='s' prefix='p'/></replicate></replicate><attach model='s' prefix='q'/></worldbody>"));
    CHECK_INT(l.model->nbody, 8);
    CHECK_INT(l.model->nmesh, 2);
    CHECK_STR(tac_model_name(l.model, TAC_KIND_MESH, 0), "pm");
    int last = tac_model_find(l.model, TAC_KIND_BODY, "ps-2/1");
    CHECK_INT(last, 6);
    CHECK_NEAR(l.model->body_pos[last].x, 4, 0);
    CHECK_NEAR(l.model->body_pos[last].z, 1, 0);
    CHECK_INT(l.model->geom_mesh[tac_model_find(l.model, TAC_KIND_GEOM, "pm-0/0")], 0);
    CHECK_INT(l.model->geom_mesh[tac_model_find(l.model, TAC_KIND_GEOM, "qm")], 1);
    unload(&l);
}

/* A keyframe holds for all copies, whose free joints move with their frames; what else there is has its default. */
static void test_replicated_keyframe(void **state) {
    (void)state;
    scratch_text("keyed.xml", MJCF("<worldbody><body name='b'><freejoint name='b'/><geom size='1'/></body><body "
                                   "name='c'><joint name='c'/><geom size='1'/></body></worldbody><actuator><motor "
                                   "name='c' joint='c'/></actuator><keyframe><key name='k' time='2' qpos='1 2 3 1 0 0 "
                                   "0 .5' qvel='0 0 0 0 0 0 .25' ctrl='.75'/></keyframe>"));
    Loaded l = load_ok(MJCF("<asset><model name='m' file='keyed.xml'/></asset><worldbody><body name='x'><joint ref='9' "
                            "name='x'/><geom size='1'/></body><replicate count='2' offset='0 0 10' sep='_'><attach "
                            "model='m' prefix='p'/></replicate></worldbody><actuator><motor name='x' joint='x'/>"
                            "</actuator>"));
    CHECK_INT(l.model->nkey, 1);
    CHECK_STR(tac_model_name(l.model, TAC_KIND_KEY, 0), "pk");
    CHECK_NEAR(l.model->key_time[0], 2, 0);
    const double *q = l.model->key_qpos, *v = l.model->key_qvel, *ctrl = l.model->key_ctrl;
    const char *const names[2] = {"pb_0", "pb_1"}, *const turns[2] = {"pc_0", "pc_1"};
    for (int i = 0; i < 2; i++) {
        int b = tac_model_find(l.model, TAC_KIND_JOINT, names[i]),
            c = tac_model_find(l.model, TAC_KIND_JOINT, turns[i]);
        CHECK_NEAR(q[l.model->joint_qpos_adr[b] + 2], 3 + 10 * i, 0);
        CHECK_NEAR(q[l.model->joint_qpos_adr[c]], 0.5, 0);
        CHECK_NEAR(v[l.model->joint_dof_adr[c]], 0.25, 0);
        CHECK_NEAR(ctrl[tac_model_find(l.model, TAC_KIND_ACTUATOR, turns[i])], 0.75, 0);
    }
    CHECK_NEAR(q[l.model->joint_qpos_adr[tac_model_find(l.model, TAC_KIND_JOINT, "x")]], l.model->qpos_0[0], 0);
    unload(&l);
}

/* Where nothing is read an <attach> adds nothing; what is short does not grow without bound. */
static void test_replicated_badly(void **state) {
    (void)state;
    Loaded l = load_attached(MJCF("<asset><model name='l' file='link.xml'/></asset><worldbody><replicate count='2'>"
                                  "<camera><attach model='l' prefix='p'/></camera></replicate></worldbody>"));
    CHECK_INT(l.model->nbody, 1);
    CHECK_INT(l.model->nu, 0);
    unload(&l);
    check_fails(MJCF("<asset><model name='l' file='link.xml'/></asset><worldbody>\n<replicate count='9000'><attach "
                     "model='l' prefix='p'/></replicate></worldbody>"),
                TAC_ERR_MODEL, "main.xml:2: element <replicate>: replication creates too many elements");
    check_fails(
        MJCF("<asset><model name='l' file='link.xml'/></asset><worldbody><replicate count='2' sep='-'>\n<attach "
             "model='l' prefix='p'/></replicate><body name='pa-1'><geom size='1'/></body></worldbody>"),
        TAC_ERR_MODEL, "name is taken");
    check_fails(MJCF("<asset><model name='l' file='link.xml'/></asset><worldbody><replicate count='2'>\n<attach "
                     "model='no' prefix='p'/></replicate></worldbody>"),
                TAC_ERR_NAME, "main.xml:2: element <attach>: attribute 'model': found \"no\"");
}

#define ATTACH(attributes)                                                                                             \
    "<mujoco>\n<asset><model name='l' file='link.xml'/></asset>\n<worldbody>\n<body name='a'><geom "                   \
    "size='1'/></body>\n"                                                                                              \
    "<attach " attributes "/></worldbody></mujoco>"

static void test_refused(void **state) {
    (void)state;
    Loaded l = load_attached(MJCF(""));
    unload(&l);
    check_fails(ATTACH("model='l' prefix=''"), TAC_ERR_MODEL, "main.xml:5: element <attach>: body 'a'");
    check_fails(ATTACH("model='no' prefix=''"), TAC_ERR_NAME,
                "main.xml:5: element <attach>: attribute 'model': found \"no\", expected the name of a <model>");
    check_fails(ATTACH("model='l' body='no' prefix=''"), TAC_ERR_NAME,
                "attribute 'body': found \"no\", expected a body of the model \"l\"");
    check_fails(ATTACH("model='l'"), TAC_ERR_SYNTAX, "attribute 'prefix' is missing");
    check_fails(ATTACH("prefix='p'"), TAC_ERR_SYNTAX, "attribute 'model' is missing");
    check_fails(MJCF("<asset>\n<model file='none.xml'/></asset>"), TAC_ERR_FILE,
                "main.xml:2: element <model file=\"none.xml\">: ");
    check_fails(MJCF("<asset><model/></asset>"), TAC_ERR_SYNTAX, "attribute 'file' is missing");
    check_fails(MJCF("<asset><model file='link.xml' content_type='x'/></asset>"), TAC_ERR_SYNTAX, "text/xml");
    check_fails(MJCF("<asset><model name='a' file='link.xml'/><model name='a' file='link.xml'/></asset>"),
                TAC_ERR_MODEL, "found a second model \"a\"");
    check_fails(MJCF("<asset><model file='main.xml'/></asset>"), TAC_ERR_MODEL, "expected no circular inclusion");
    scratch_text("wrong.xml", "<mujoco>\n<worldbody><geom size='-1'/></worldbody></mujoco>");
    check_fails(MJCF("<asset><model file='wrong.xml'/></asset>"), TAC_ERR_MODEL, "wrong.xml:2: element <geom>");
    scratch_text("free.xml", WORLD("<body><freejoint/><geom size='1'/></body>"));
    check_fails(MJCF("<asset><model name='f' file='free.xml'/></asset><worldbody><body><geom size='1'/>\n<attach "
                     "model='f' prefix='p'/></body></worldbody>"),
                TAC_ERR_MODEL, "main.xml:2: element <attach>: ");
}

/* Files that have each other in a circle, and short files that would make a great many elements. */
static void test_bounded(void **state) {
    (void)state;
    scratch_text("one.xml", MJCF("<asset><model file='main.xml'/></asset>"));
    check_fails(MJCF("<asset><model file='one.xml'/></asset>"), TAC_ERR_MODEL,
                "one.xml:1: element <model file=\"main.xml\">: file");
    scratch_text("0.xml", WORLD("<body name='b'><joint/><geom size='1'/></body>"));
    for (int i = 1; i <= 40; i++) {
        char name[16], text[512];
        snprintf(name, sizeof name, "%d.xml", i);
        snprintf(text, sizeof text, MJCF("<asset><model name='m' file='%d.xml'/></asset><worldbody>%s</worldbody>"),
                 i - 1, "<attach model='m' prefix='a'/><attach model='m' prefix='b'/>");
        scratch_text(name, text);
    }
    check_fails(MJCF("<asset><model file='14.xml'/></asset>"), TAC_ERR_MODEL, "attaching creates too many elements");
    check_fails(MJCF("<asset><model file='40.xml'/></asset>"), TAC_ERR_MODEL, "models are nested too deeply");
}

/* Settings on masses act on the whole: those of an attached file are refused, or leniently ignored. */
static void test_masses(void **state) {
    (void)state;
    scratch_text("heavy.xml", MJCF("<compiler settotalmass='3'/><worldbody><body><joint/><geom size='1'/></body>"
                                   "</worldbody>"));
    Loaded l = load_leniently(MJCF("<asset><model name='h' file='heavy.xml'/></asset><worldbody><attach model='h' "
                                   "prefix='p'/></worldbody>"),
                              "settotalmass of an attached model");
    unload(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_in_a_frame),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_nested_files),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_hull_on_demand),
        cmocka_unit_test(test_masses),
        cmocka_unit_test(test_replicated),
        cmocka_unit_test(test_replicated_twice),
        cmocka_unit_test(test_replicated_keyframe),
        cmocka_unit_test(test_replicated_badly),
    };
    return cmocka_run_group_tests(tests, setup_shape, scratch_teardown);
}
