/* URDF by small files: what each construct becomes, and what each mistake says. */
#include "io/mesh_bytes.h"
#include "io/scratch.h"
#include "support/check.h"
#include "tactus/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A few products of rotations. */
#define TOL 1e-14

#define INERTIAL   "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
#define LINK(name) "<link name='" name "'>" INERTIAL "</link>"
#define JOINT(name, type, parent, child, inside)                                                                       \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" inside "</joint>"
#define ROBOT(inside) "<?xml version='1.0'?>\n<robot name='r'>\n" inside "\n</robot>\n"

typedef struct Loaded {
    tacModel *model;
    tacReport *report;
} Loaded;

static tacLoadOptions plain(void) { return tac_default_load_options(); }

static tacLoadOptions lenient(void) {
    tacLoadOptions options = plain();
    options.lenient = 1;
    return options;
}

static Loaded load_file(const char *path, tacLoadOptions options) {
    Loaded loaded = {NULL, NULL};
    tacError err = {.text = ""};
    tacStatus status = tac_load_with(path, &options, &loaded.model, &loaded.report, &err);
    if (status != TAC_OK) print_error("%s\n", err.text);
    CHECK_INT(status, TAC_OK);
    return loaded;
}

static Loaded load(const char *text, tacLoadOptions options) {
    return load_file(scratch_text("model/r.urdf", text), options);
}

static void unload(Loaded loaded) {
    tac_model_free(loaded.model);
    tac_report_free(loaded.report);
}

static void check_fails(const char *text, tacLoadOptions options, tacStatus expected, const char *message) {
    tacModel *model = NULL;
    tacReport *report = NULL;
    tacError err = {.text = ""};
    tacStatus status = tac_load_with(scratch_text("model/r.urdf", text), &options, &model, &report, &err);
    if (status != expected) print_error("%s\n", err.text);
    CHECK_INT(status, expected);
    CHECK_HAS(err.text, "r.urdf");
    CHECK_HAS(err.text, message);
    CHECK(model == NULL && report == NULL);
}

/* Some warning (ignored line) of the report contains the text. */
static void check_warned(Loaded loaded, const char *text) {
    for (int i = 0; i < tac_report_warning_count(loaded.report); i++)
        if (strstr(tac_report_warning(loaded.report, i), text) != NULL) return;
    print_error("no warning has \"%s\"\n", text);
    CHECK(0);
}

static void check_ignored(Loaded loaded, const char *text) {
    for (int i = 0; i < tac_report_ignored_count(loaded.report); i++)
        if (strstr(tac_report_ignored(loaded.report, i), text) != NULL) return;
    print_error("nothing ignored has \"%s\"\n", text);
    CHECK(0);
}

static int find(const tacModel *m, tacKind kind, const char *name) {
    int id = tac_model_find(m, kind, name);
    CHECK(id >= 0);
    return id;
}

/* --- Trees -------------------------------------------------------------------------------------------------------- */

/* Children come in the order of the joints, whatever the order of the links. */
static void order_is_depth_first(void **state) {
    (void)state;
    scratch_begin();
    Loaded l = load(ROBOT(LINK("e") LINK("d") LINK("c") LINK("b") LINK("a") JOINT("ad", "revolute", "a", "d", "")
                              JOINT("ab", "revolute", "a", "b", "") JOINT("bc", "fixed", "b", "c", "")
                                  JOINT("de", "prismatic", "d", "e", "")),
                    plain());
    static const char *const names[] = {"world", "a", "d", "e", "b", "c"};
    static const int parents[] = {0, 0, 1, 2, 1, 4};
    CHECK_INT(l.model->nbody, 6);
    for (int i = 0; i < 6; i++) {
        CHECK_STR(tac_model_name(l.model, TAC_KIND_BODY, i), names[i]);
        CHECK_INT(l.model->body_parent[i], parents[i]);
    }
    CHECK_INT(l.model->njnt, 3);
    CHECK_STR(tac_model_name(l.model, TAC_KIND_JOINT, 0), "ad");
    CHECK_STR(tac_model_name(l.model, TAC_KIND_JOINT, 1), "de");
    CHECK_STR(tac_model_name(l.model, TAC_KIND_JOINT, 2), "ab");
    CHECK_INT(l.model->joint_type[1], TAC_JOINT_SLIDE);
    unload(l);
    scratch_end();
}

static void origin_is_fixed_axis_rpy(void **state) {
    (void)state;
    scratch_begin();
    Loaded l = load(ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "<origin xyz='1 2 3' rpy='0.1 0.2 0.3'/>")),
                    plain());
    double cr = cos(0.05), sr = sin(0.05), cp = cos(0.1), sp = sin(0.1), cy = cos(0.15), sy = sin(0.15);
    double quat[4] = {cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy,
                      cr * cp * sy - sr * sp * cy}; /* Rz(yaw) Ry(pitch) Rx(roll) */
    double pos[3] = {1, 2, 3};
    CHECK_ARRAY(3, &l.model->body_pos[2], pos, TOL);
    CHECK_ARRAY(4, &l.model->body_quat[2], quat, TOL);
    unload(l);
    scratch_end();
}

static void world_and_floating_roots(void **state) {
    (void)state;
    scratch_begin();
    tacLoadOptions floating = plain();
    floating.base = TAC_BASE_FLOATING;
    Loaded l = load(ROBOT(LINK("a")), floating);
    CHECK_INT(l.model->njnt, 1);
    CHECK_INT(l.model->joint_type[0], TAC_JOINT_FREE);
    CHECK_STR(tac_model_name(l.model, TAC_KIND_JOINT, 0), "a_free_joint");
    unload(l);
    const char *world =
        ROBOT("<link name='world'><collision><geometry><box size='2 2 2'/></geometry></collision></link>" LINK("a")
                  JOINT("j", "floating", "world", "a", "<origin xyz='0 0 1'/>"));
    l = load(world, plain());
    CHECK_INT(l.model->nbody, 2);
    CHECK_INT(l.model->geom_body[0], 0);
    CHECK_INT(l.model->joint_type[0], TAC_JOINT_FREE);
    CHECK_NEAR(l.model->qpos_0[2], 1, TOL);
    unload(l);
    check_fails(world, floating, TAC_ERR_ARGUMENT, "cannot float");
    floating.lenient = 1;
    l = load(world, floating);
    check_warned(l, "stays fixed");
    unload(l);
    scratch_end();
}

static void bad_trees(void **state) {
    (void)state;
    scratch_begin();
    check_fails(ROBOT(""), plain(), TAC_ERR_MODEL, "no <link>");
    check_fails(ROBOT("<link/>"), plain(), TAC_ERR_SYNTAX, "r.urdf:3: element <link>: attribute 'name' is missing");
    check_fails(ROBOT("<link name=''/>"), plain(), TAC_ERR_SYNTAX, "'name' is empty");
    check_fails(ROBOT(LINK("a") "\n" LINK("a")), plain(), TAC_ERR_MODEL,
                "r.urdf:4: element <link name=\"a\">: a second link");
    check_fails(ROBOT(LINK("a") LINK("b")), plain(), TAC_ERR_MODEL, "neither this link nor \"a\"");
    check_fails(ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "a", "c", "")), plain(), TAC_ERR_NAME,
                "element <joint name=\"j\">: child link \"c\" does not exist");
    check_fails(ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "c", "b", "")), plain(), TAC_ERR_NAME,
                "parent link \"c\"");
    check_fails(ROBOT(LINK("a") "<joint name='j' type='fixed'><child link='a'/></joint>"), plain(), TAC_ERR_SYNTAX,
                "<parent link=\"...\"> is missing");
    check_fails(ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "a", "a", "")), plain(), TAC_ERR_MODEL, "its own parent");
    check_fails(ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "b", "a", "")), plain(),
                TAC_ERR_MODEL, "cycle");
    check_fails(
        ROBOT(LINK("r") LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "b", "a", "")),
        plain(), TAC_ERR_MODEL, "cycle through this link, expected");
    check_fails(ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "") "\n" JOINT("j", "fixed", "a", "b", "")),
                plain(), TAC_ERR_MODEL, "r.urdf:4: element <joint name=\"j\">: a second joint");
    const char *loop = ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "fixed", "a", "b", "")
                                 JOINT("k", "fixed", "a", "c", "") JOINT("l", "revolute", "b", "c", ""));
    check_fails(loop, plain(), TAC_ERR_UNSUPPORTED, "element <joint name=\"l\">: closes a loop");
    Loaded l = load(loop, lenient());
    CHECK_INT(l.model->njnt, 0);
    check_warned(l, "this joint is ignored");
    unload(l);
    l = load(ROBOT(LINK("a") LINK("b")), lenient());
    CHECK_INT(l.model->nbody, 3);
    check_warned(l, "a second root");
    unload(l);
    scratch_end();
}

/* A chain that would end a recursive reader. */
static void long_chains_load(void **state) {
    (void)state;
    enum { N = 3000, ROW = 160 };
    scratch_begin();
    char *text = malloc((size_t)N * ROW + 256), *p = text;
    p += sprintf(p, "<robot name='r'><link name='l0'/>");
    for (int i = 1; i < N; i++)
        p += sprintf(p,
                     "<link name='l%d'/><joint name='j%d' type='fixed'><parent link='l%d'/><child link='l%d'/></joint>",
                     i, i, i - 1, i);
    sprintf(p, "</robot>");
    Loaded l = load(text, plain());
    CHECK_INT(l.model->nbody, N + 1);
    unload(l);
    free(text);
    scratch_end();
}

/* --- Inertias ----------------------------------------------------------------------------------------------------- */

static void inertias_are_taken_as_written(void **state) {
    (void)state;
    scratch_begin();
    const char *text = ROBOT(
        "<link name='a'/><link name='turned'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><mass "
        "value='2'/>"
        "<inertia ixx='1' iyy='2' izz='2.5' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        "<link name='thin'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='5'/></inertial></link>"
        "<link name='negative'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='-1'/></inertial></link>"
        "<link name='point'><inertial><mass value='3'/><inertia ixx='0' iyy='0' izz='0'/></inertial></link>" JOINT(
            "1", "fixed", "a", "turned", "") JOINT("2", "fixed", "a", "thin", "")
            JOINT("3", "fixed", "a", "negative", "") JOINT("4", "fixed", "a", "point", ""));
    Loaded l = load(text, plain());
    const tacModel *m = l.model;
    CHECK_NEAR(m->body_mass[1], 0, TOL); /* no <inertial>: no mass */
    int turned = find(m, TAC_KIND_BODY, "turned"), thin = find(m, TAC_KIND_BODY, "thin");
    tacVec3 com = {1, 2, 3};
    CHECK_ARRAY(3, &m->body_ipos[turned], &com, TOL);
    CHECK_NEAR(m->body_icom[turned].xx, 2, TOL); /* a quarter turn about z changes x for y */
    CHECK_NEAR(m->body_icom[turned].yy, 1, TOL);
    CHECK_NEAR(m->body_icom[thin].zz, 5, TOL);
    CHECK_NEAR(m->body_icom[find(m, TAC_KIND_BODY, "negative")].zz, -1, TOL);
    CHECK_NEAR(m->body_mass[find(m, TAC_KIND_BODY, "point")], 3, TOL);
    check_warned(l, "<link name=\"thin\">: principal inertias 5 1 1 violate the triangle inequality");
    check_warned(l, "<link name=\"negative\">: inertia has a negative principal value -1");
    check_warned(l, "<link name=\"point\">: mass 3 with zero inertia");
    CHECK_INT(tac_report_warning_count(l.report), 3);
    unload(l);
    scratch_end();
}

static void bad_inertias(void **state) {
    (void)state;
    scratch_begin();
#define WITH(inside) ROBOT("<link name='a'><inertial>" inside "</inertial></link>")
    check_fails(WITH("<mass value='1'/>"), plain(), TAC_ERR_SYNTAX, "<inertial> without <inertia>");
    check_fails(WITH("<mass value='-1'/><inertia ixx='1' iyy='1' izz='1'/>"), plain(), TAC_ERR_MODEL, "mass is -1");
    check_fails(WITH("<mass value='nan'/><inertia ixx='1' iyy='1' izz='1'/>"), plain(), TAC_ERR_SYNTAX,
                "found \"nan\"");
    check_fails(WITH("<mass value='1e400'/><inertia ixx='1' iyy='1' izz='1'/>"), plain(), TAC_ERR_SYNTAX, "1e400");
    check_fails(WITH("<mass value='${m}'/><inertia ixx='1' iyy='1' izz='1'/>"), plain(), TAC_ERR_SYNTAX, "${m}");
    check_fails(WITH("<mass value='1'/><inertia ixx='1' iyy='1'/>"), plain(), TAC_ERR_SYNTAX,
                "attribute 'izz' is missing");
    check_fails(WITH("<origin xyz='1 2'/><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>"), plain(), TAC_ERR_SYNTAX,
                "attribute 'xyz': found 2 numbers, expected 3");
    scratch_end();
}

/* A massless link is an error only where a joint moves nothing. */
static void weightless_joints(void **state) {
    (void)state;
    scratch_begin();
    const char *nothing = ROBOT(LINK("a") "<link name='b'/>" JOINT("j", "revolute", "a", "b", ""));
    check_fails(nothing, plain(), TAC_ERR_SINGULAR, "element <joint name=\"j\">");
    Loaded l = load(nothing, lenient());
    check_warned(l, "its armature is set");
    CHECK(l.model->joint_armature[0] > 0 && l.model->joint_armature[0] < 1e-8);
    unload(l);
    l = load(ROBOT(LINK("a") "<link name='b'/>" LINK("c") JOINT("j", "revolute", "a", "b", "")
                       JOINT("k", "fixed", "b", "c", "")),
             plain());
    CHECK_INT(l.model->njnt, 1);
    CHECK_NEAR(l.model->joint_armature[0], 0, TOL);
    unload(l);
    scratch_end();
}

/* --- Joints ------------------------------------------------------------------------------------------------------- */

static void joints_of_every_type(void **state) {
    (void)state;
    scratch_begin();
    const char *text = ROBOT(
        LINK("a") LINK("b") LINK("c") LINK("d") LINK("e") LINK("f") JOINT("cont", "continuous", "a", "b",
                                                                          "<axis xyz='0 0 2'/>")
            JOINT("planar", "planaraxis", "b", "c",
                  "<axis xyz='0 1 0'/><dynamics damping='5' friction='2'/><limit lower='-1' upper='1' effort='3'/>")
                JOINT("ball", "spherical", "c", "d", "<dynamics damping='1'/><limit lower='-1' upper='1' effort='9'/>")
                    JOINT("free", "floating", "d", "e", "") JOINT("slide", "prismatic", "e", "f", ""));
    Loaded l = load(text, plain());
    const tacModel *m = l.model;
    static const char *const names[] = {"cont",    "planar_TX", "planar_TY", "planar_RZ", "ball",
                                        "free_TX", "free_TY",   "free_TZ",   "free_R",    "slide"};
    static const int types[] = {TAC_JOINT_HINGE, TAC_JOINT_SLIDE, TAC_JOINT_SLIDE, TAC_JOINT_HINGE, TAC_JOINT_BALL,
                                TAC_JOINT_SLIDE, TAC_JOINT_SLIDE, TAC_JOINT_SLIDE, TAC_JOINT_BALL,  TAC_JOINT_SLIDE};
    static const tacVec3 axes[] = {{0, 0, 1}, {1, 0, 0}, {0, 0, -1}, {0, 1, 0}, {1, 0, 0},
                                   {1, 0, 0}, {0, 1, 0}, {0, 0, 1},  {0, 0, 1}, {1, 0, 0}};
    CHECK_INT(m->njnt, 10);
    for (int i = 0; i < 10; i++) {
        CHECK_STR(tac_model_name(m, TAC_KIND_JOINT, i), names[i]);
        CHECK_INT(m->joint_type[i], types[i]);
        if (types[i] != TAC_JOINT_BALL) CHECK_ARRAY(3, &m->joint_axis[i], &axes[i], 1e-15);
    }
    for (int i = 1; i < 4; i++) { /* damping for all parts, range and effort for the first, as MuJoCo has it */
        CHECK_NEAR(m->joint_damping[i], 5, TOL);
        CHECK_NEAR(m->joint_frictionloss[i], 2, TOL);
        CHECK_INT(m->joint_limited[i], i == 1);
        CHECK_INT(m->joint_actfrclimited[i], i == 1);
    }
    CHECK_NEAR(m->joint_damping[4], 1, TOL);
    CHECK_INT(m->joint_limited[4], 0); /* bounds are for hinges and slides */
    CHECK_INT(m->joint_actfrclimited[4], 0);
    check_warned(l, "limits of a ball joint");
    unload(l);
    scratch_end();
}

static void limits_and_dynamics(void **state) {
    (void)state;
    scratch_begin();
    static const struct {
        const char *limit;
        int limited;
        double low, high, effort;
    } row[] = {
        {"<limit lower='-1' upper='2' effort='5' velocity='1'/>", 1, -1, 2, 5},
        {"<limit effort='-5'/>", 0, 0, 0, 5},
        {"<limit lower='1' upper='-1' effort='0'/>", 0, 0, 0, 0}, /* reversed */
        {"<limit lower='0' upper='0'/>", 0, 0, 0, 0},             /* empty */
        {"<limit upper='1'/>", 0, 0, 0, 0},                       /* half */
        {"", 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[2048];
        snprintf(text, sizeof text, ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "%s")), row[i].limit);
        Loaded l = load(text, plain());
        double range[2] = {row[i].low, row[i].high}, force[2] = {-row[i].effort, row[i].effort};
        CHECK_INT(l.model->joint_limited[0], row[i].limited);
        CHECK_ARRAY(2, l.model->joint_range, range, TOL);
        CHECK_INT(l.model->joint_actfrclimited[0], row[i].effort > 0);
        CHECK_ARRAY(2, l.model->joint_actfrcrange, force, TOL);
        unload(l);
    }
    Loaded l = load(ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b",
                                                    "<dynamics damping='1'/><dynamics damping='2' friction='3'/>")),
                    plain());
    CHECK_NEAR(l.model->joint_damping[0], 1, TOL); /* the first to say it */
    CHECK_NEAR(l.model->joint_frictionloss[0], 3, TOL);
    check_warned(l, "a second <dynamics>");
    unload(l);
    scratch_end();
}

static void motors_on_request(void **state) {
    (void)state;
    scratch_begin();
    const char *text =
        ROBOT(LINK("a") LINK("b") LINK("c") LINK("d") JOINT("h", "revolute", "a", "b", "<limit effort='7'/>")
                  JOINT("s", "prismatic", "b", "c", "") JOINT("x", "ball", "c", "d", ""));
    tacLoadOptions options = plain();
    Loaded l = load(text, options);
    CHECK_INT(l.model->nu, 0);
    unload(l);
    options.actuate_joints = 1;
    l = load(text, options);
    CHECK_INT(l.model->nu, 2);
    CHECK_STR(tac_model_name(l.model, TAC_KIND_ACTUATOR, 0), "h");
    CHECK_STR(tac_model_name(l.model, TAC_KIND_ACTUATOR, 1), "s");
    CHECK_INT(l.model->actuator_ctrllimited[0], 1);
    CHECK_NEAR(l.model->actuator_ctrlrange[0], -7, TOL);
    CHECK_NEAR(l.model->actuator_ctrlrange[1], 7, TOL);
    CHECK_INT(l.model->actuator_ctrllimited[1], 0);
    check_warned(l, "no motor for joint \"x\": a ball joint");
    unload(l);
    scratch_end();
}

static void bad_joints(void **state) {
    (void)state;
    scratch_begin();
#define AB(type, inside) ROBOT(LINK("a") LINK("b") JOINT("j", type, "a", "b", inside))
    check_fails(AB("rotary", ""), plain(), TAC_ERR_SYNTAX, "found \"rotary\", expected one of revolute, continuous");
    check_fails(AB("revolute", "<axis xyz='0 0 0'/>"), plain(), TAC_ERR_MODEL, "axis is zero");
    check_fails(AB("revolute", "<axis/>"), plain(), TAC_ERR_SYNTAX, "attribute 'xyz' is missing");
    check_fails(AB("revolute", "<axis xyz='1 0'/>"), plain(), TAC_ERR_SYNTAX, "expected 3");
    check_fails(AB("revolute", "<dynamics damping='-1'/>"), plain(), TAC_ERR_MODEL, "damping is -1");
    check_fails(AB("revolute", "<limit lower='x' upper='1'/>"), plain(), TAC_ERR_SYNTAX, "attribute 'lower'");
    check_fails(AB("orbital", ""), plain(), TAC_ERR_UNSUPPORTED, "joint type \"orbital\"");
    Loaded l = load(AB("orbital", ""), lenient());
    CHECK_INT(l.model->njnt, 2);
    unload(l);
    l = load(AB("fixed", "<axis xyz='0 0 0'/>"), plain()); /* an axis that nobody uses */
    CHECK_INT(l.model->njnt, 0);
    unload(l);
    scratch_end();
}

static void couplings(void **state) {
    (void)state;
    scratch_begin();
#define MIMIC(inside)                                                                                                  \
    ROBOT(LINK("a") LINK("b") LINK("c")                                                                                \
              JOINT("j", "revolute", "a", "b", "") "\n" JOINT("k", "revolute", "a", "c", inside))
    const char *text = MIMIC("<mimic joint='j' multiplier='-2' offset='0.5'/>");
    Loaded l = load(text, plain());
    double data[] = {0.5, -2, 0, 0, 0};
    CHECK_INT(l.model->neq, 1);
    CHECK_INT(l.model->equality_type[0], TAC_EQ_JOINT);
    CHECK_STR(tac_model_name(l.model, TAC_KIND_JOINT, l.model->equality_obj[0]), "k");
    CHECK_STR(tac_model_name(l.model, TAC_KIND_JOINT, l.model->equality_obj[1]), "j");
    CHECK_ARRAY(5, l.model->equality_data, data, TOL);
    unload(l);
    check_fails(MIMIC("<mimic joint='x'/>"), lenient(), TAC_ERR_NAME, "mimics joint \"x\", which does not exist");
    check_fails(MIMIC("<mimic joint='k'/>"), lenient(), TAC_ERR_MODEL, "mimics itself");
    check_fails(MIMIC("<mimic/>"), lenient(), TAC_ERR_SYNTAX, "attribute 'joint' is missing");
    const char *loop =
        ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "revolute", "a", "b", "")
                  JOINT("k", "revolute", "a", "c",
                        "") "<loop_joint name='l' type='continuous'><link1 link='b' xyz='0 0 1'/><link2 link='c' "
                            "xyz='0 0 1'/></loop_joint>");
    l = load(loop, plain());
    CHECK_INT(l.model->neq, 1);
    CHECK_INT(l.model->equality_type[0], TAC_EQ_CONNECT);
    CHECK_NEAR(l.model->equality_data[2], 1, TOL);
    unload(l);
    check_fails(ROBOT(LINK("a") "<loop_joint name='l'><link1 link='a'/></loop_joint>"), lenient(), TAC_ERR_SYNTAX,
                "<link2");
    check_fails(ROBOT(LINK("a") "<loop_joint name='l'><link1 link='a'/><link2 link='z'/></loop_joint>"), lenient(),
                TAC_ERR_NAME, "\"z\" does not exist");
    scratch_end();
}

/* --- Shapes ------------------------------------------------------------------------------------------------------- */

#define SHAPES(inside)   ROBOT("<link name='a'>" INERTIAL inside "</link>")
#define COLLISION(shape) "<collision><origin xyz='1 0 0'/><geometry>" shape "</geometry></collision>"

static void shapes(void **state) {
    (void)state;
    scratch_begin();
    const char *text =
        SHAPES("<visual><geometry><mesh filename='nowhere.dae'/></geometry><material name='red'><color rgba='1 0 0 "
               "1'/></material></visual>" COLLISION("<box size='2 4 6'/>") COLLISION("<sphere radius='3'/>")
                   COLLISION("<cylinder radius='1' length='4'/>") COLLISION("<capsule radius='1' length='2'/>")
                       COLLISION("<sphere radius='0'/>"));
    Loaded l = load(text, plain());
    static const int types[] = {TAC_GEOM_BOX, TAC_GEOM_SPHERE, TAC_GEOM_CYLINDER, TAC_GEOM_CAPSULE, TAC_GEOM_SPHERE};
    static const double sizes[5][3] = {{1, 2, 3}, {3, 0, 0}, {1, 2, 0}, {1, 1, 0}, {1e-6, 0, 0}};
    CHECK_INT(l.model->ngeom, 5);
    for (int i = 0; i < 5; i++) {
        CHECK_INT(l.model->geom_type[i], types[i]);
        CHECK_ARRAY(3, l.model->geom_size + 3 * i, sizes[i], TOL);
        CHECK_NEAR(l.model->geom_pos[i].x, 1, TOL);
        CHECK_NEAR((double)l.model->geom_rgba[4 * i], 1, TOL);
        CHECK_NEAR((double)l.model->geom_rgba[4 * i + 1], 0, TOL);
    }
    check_warned(l, "radius 0");
    check_ignored(l, "<visual> in <link>");
    unload(l);
    scratch_end();
}

static void bad_shapes(void **state) {
    (void)state;
    scratch_begin();
    check_fails(SHAPES("<collision/>"), plain(), TAC_ERR_SYNTAX, "<geometry> is missing");
    check_fails(SHAPES(COLLISION("<torus/>")), plain(), TAC_ERR_SYNTAX, "no shape, expected box, cylinder");
    check_fails(SHAPES(COLLISION("<box/>")), plain(), TAC_ERR_SYNTAX, "attribute 'size' is missing");
    check_fails(SHAPES(COLLISION("<box size='1 2'/>")), plain(), TAC_ERR_SYNTAX, "expected 3");
    check_fails(SHAPES(COLLISION("<box size='1 2 -3'/>")), plain(), TAC_ERR_MODEL, "expected a positive size");
    check_fails(SHAPES(COLLISION("<sphere radius='-1'/>")), lenient(), TAC_ERR_MODEL, "attribute 'radius' is -1");
    check_fails(SHAPES(COLLISION("<box size='1 2 0'/>")), plain(), TAC_ERR_MODEL, "a size is zero");
    check_fails(SHAPES(COLLISION("<mesh/>")), plain(), TAC_ERR_SYNTAX, "attribute 'filename' is missing");
    check_fails(SHAPES(COLLISION("<mesh filename='no.stl'/>")), plain(), TAC_ERR_FILE, "no.stl");
    check_fails(SHAPES(COLLISION("<mesh filename='no.stl' scale='1 2'/>")), plain(), TAC_ERR_SYNTAX, "found 2 numbers");
    check_fails(SHAPES(COLLISION("<mesh filename='no.stl' scale='1 0 1'/>")), plain(), TAC_ERR_MODEL, "has a zero");
    scratch_text("model/bad.stl", "solid x\nfacet\nvertex 1 2 nan\n");
    check_fails(SHAPES(COLLISION("<mesh filename='bad.stl'/>")), plain(), TAC_ERR_SYNTAX, "bad.stl:3");
    scratch_text("model/flat.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
    check_fails(SHAPES(COLLISION("<mesh filename='flat.obj'/>")), plain(), TAC_ERR_MODEL,
                "flat.obj: all vertices lie in one plane");
    Loaded l = load(SHAPES(COLLISION("<box size='1 2 0'/>") COLLISION("<mesh filename='no.stl'/>")
                               COLLISION("<mesh filename='bad.stl'/>") COLLISION("<mesh filename='flat.obj'/>")
                                   COLLISION("<sphere radius='1'/>")),
                    lenient());
    CHECK_INT(l.model->ngeom, 1); /* what cannot be had is left out */
    CHECK_INT(tac_report_warning_count(l.report), 4);
    unload(l);
    l = load(SHAPES("<collision name='n'><geometry><sphere radius='1'/></geometry></collision>"
                    "<collision name='n'><geometry><sphere radius='2'/></geometry></collision>"),
             plain());
    CHECK_STR(tac_model_name(l.model, TAC_KIND_GEOM, 0), "n");
    CHECK_STR(tac_model_name(l.model, TAC_KIND_GEOM, 1), "");
    unload(l);
    scratch_end();
}

/* --- Meshes ------------------------------------------------------------------------------------------------------- */

/* The tetrahedron under a name. */
static void put_mesh(const char *name) {
    MeshBytes b;
    put_stl(&b, "", 4);
    scratch_bytes(name, b.data, b.size);
}

/* A URDF at `path` with one mesh of that file name. */
static const char *put_robot(const char *path, const char *filename) {
    char text[2048];
    snprintf(text, sizeof text, SHAPES(COLLISION("<mesh filename='%s'/>")), filename);
    return scratch_text(path, text);
}

static void check_finds(const char *path, const char *filename, const char *package_dirs) {
    tacLoadOptions options = plain();
    options.package_dirs = package_dirs;
    Loaded l = load_file(put_robot(path, filename), options);
    CHECK_INT(l.model->nmesh, 1);
    CHECK_INT(l.model->mesh_vert_num[0], 4);
    CHECK_INT(l.model->mesh_hullface_num[0], 4);
    unload(l);
}

static void check_does_not_find(const char *path, const char *filename, const char *message) {
    tacModel *model;
    tacError err = {.text = ""};
    CHECK_INT(tac_load(put_robot(path, filename), &model, &err), TAC_ERR_FILE);
    CHECK_HAS(err.text, message);
}

static void finds_meshes(void **state) {
    (void)state;
    scratch_begin();
    put_mesh("pkg/meshes/m.stl");
    put_mesh("other/meshes/m.stl");
    put_mesh("far/away/third/m.STL");
    scratch_text("tree/deep/package.xml", "<package/>");
    put_mesh("tree/deep/x/m.stl");
    check_finds("pkg/r.urdf", "meshes/m.stl", NULL);
    check_finds("pkg/r.urdf", "file://meshes/m.stl", NULL);
    check_finds("pkg/urdf/r.urdf", "../meshes/m.stl", NULL);                   /* a folder by a name packages use */
    check_finds("pkg/urdf/r.urdf", "meshes/m.stl", NULL);                      /* counted from the package */
    check_finds("tree/deep/a/b/r.urdf", "../../x/m.stl", NULL);                /* a package by its package.xml */
    check_finds("pkg/robots/v1/r.urdf", "package://pkg/meshes/m.stl", NULL);   /* a folder above */
    check_finds("pkg/robots/v1/r.urdf", "package://other/meshes/m.stl", NULL); /* one next to it */
    check_finds("pkg/urdf/r.urdf", "model://pkg/meshes/m.stl", NULL);
    check_finds("pkg/urdf/r.urdf", "package://renamed/meshes/m.stl", NULL); /* the package under another name */
    char dirs[4096];
    snprintf(dirs, sizeof dirs, "/nowhere:%s", scratch_path("far/away"));
    check_finds("lonely/r.urdf", "package://third/m.STL", dirs);
    snprintf(dirs, sizeof dirs, "%s/", scratch_path("far/away/third"));
    check_finds("lonely/r.urdf", "package://third/m.STL", dirs);
    check_does_not_find("lonely/r.urdf", "package://third/m.STL", "package_dirs");
    check_does_not_find("lonely/r.urdf", "package://third", "package_dirs");
    check_does_not_find("lonely/r.urdf", "package:///etc/passwd", "package_dirs");
    scratch_end();
}

static void opens_nothing_outside(void **state) {
    (void)state;
    scratch_begin();
    put_mesh("secret.stl");
    put_mesh("pkg/meshes/m.stl");
    static const char *const message = "outside the model's folder";
    check_does_not_find("pkg/r.urdf", "../secret.stl", message);
    check_does_not_find("pkg/urdf/r.urdf", "../../secret.stl", message);
    check_does_not_find("pkg/r.urdf", scratch_path("secret.stl"), message);
    check_does_not_find("pkg/r.urdf", "package://pkg/../secret.stl", "package_dirs");
    check_does_not_find("pkg/r.urdf", "package://../secret.stl", "package_dirs");
    CHECK_INT(symlink("../../secret.stl", scratch_path("pkg/meshes/link.stl")), 0);
    check_does_not_find("pkg/r.urdf", "meshes/link.stl", message);
    tacLoadOptions options = plain();
    options.allow_outside = 1;
    Loaded l = load_file(put_robot("pkg/r.urdf", "../secret.stl"), options);
    CHECK_INT(l.model->nmesh, 1);
    unload(l);
    scratch_end();
}

static void shares_meshes(void **state) {
    (void)state;
    scratch_begin();
    put_mesh("model/m.stl");
    put_mesh("model/sub/m.stl");
    Loaded l = load(SHAPES(COLLISION("<mesh filename='m.stl'/>") COLLISION("<mesh filename='m.stl'/>") COLLISION(
                        "<mesh filename='m.stl' scale='2'/>") COLLISION("<mesh filename='sub/m.stl' scale='-1 1 1'/>")),
                    plain());
    CHECK_INT(l.model->nmesh, 3);
    CHECK_INT(l.model->geom_mesh[0], l.model->geom_mesh[1]);
    CHECK_STR(tac_model_name(l.model, TAC_KIND_MESH, 0), "m");
    CHECK_STR(tac_model_name(l.model, TAC_KIND_MESH, 1), "m0");
    CHECK_NEAR(l.model->mesh_scale[1].z, 2, TOL);
    CHECK_NEAR(l.model->mesh_volume[0], 1.0 / 6, 1e-12);
    CHECK_NEAR(l.model->mesh_volume[1], 8.0 / 6, 1e-12);
    CHECK_NEAR(l.model->mesh_volume[2], 1.0 / 6, 1e-12);
    unload(l);
    scratch_end();
}

/* --- The rest ----------------------------------------------------------------------------------------------------- */

static void lists_what_it_ignores(void **state) {
    (void)state;
    scratch_begin();
    Loaded l =
        load(ROBOT("<material name='m'/><gazebo/><gazebo/>\n<transmission name='t'><type/></transmission><sensor/>"
                   "<link name='a'>" INERTIAL "<contact/></link>" LINK("b")
                       JOINT("j", "fixed", "a", "b", "<safety_controller/><calibration/>")),
             plain());
    check_ignored(l, "r.urdf:3: <material> in <robot>");
    check_ignored(l, "r.urdf:3: <gazebo> in <robot> and 1 more");
    check_ignored(l, "r.urdf:4: <transmission> in <robot>");
    check_ignored(l, "<contact> in <link>");
    check_ignored(l, "<safety_controller> in <joint>");
    CHECK_INT(tac_report_ignored_count(l.report), 7);
    CHECK_INT(tac_report_warning_count(l.report), 0);
    unload(l);
    scratch_end();
}

static void settings_for_mujoco(void **state) {
    (void)state;
    scratch_begin();
    put_mesh("model/assets/m.stl");
    Loaded l = load(ROBOT("<mujoco><compiler meshdir='assets' strippath='true' settotalmass='4' discardvisual='false'/>"
                          "<option timestep='0.01' gravity='0 0 -1'/><size/></mujoco>"
                          "<link name='a'>" INERTIAL COLLISION("<mesh filename='package://x/y/m.stl'/>") "</link>"),
                    plain());
    CHECK_INT(l.model->nmesh, 1);
    CHECK_NEAR(l.model->body_mass[1], 4, TOL);
    CHECK_NEAR(*l.model->option_timestep, 0.01, TOL);
    CHECK_NEAR(l.model->option_gravity->z, -1, TOL);
    check_ignored(l, "element <size>: sizes are computed from the model");
    check_ignored(l, "discardvisual");
    unload(l);
    check_fails(ROBOT("<mujoco><compiler strippath='yes'/></mujoco>" LINK("a")), plain(), TAC_ERR_SYNTAX, "strippath");
    scratch_end();
}

#define MUJOCO(inside) ROBOT("<mujoco>" inside "</mujoco>" LINK("a"))

/* Every option that MJCF has is read, with its flags. */
static void options_of_mujoco(void **state) {
    (void)state;
    scratch_begin();
    Loaded l = load(MUJOCO("<option integrator='RK4' cone='elliptic' iterations='7' tolerance='1e-5' impratio='3'>"
                           "<flag gravity='disable' limit='disable' energy='enable'/></option>"
                           "<actuator/><option timestep='0.02'/>"),
                    plain());
    CHECK_INT(*l.model->option_integrator, TAC_INTEGRATOR_RK4);
    CHECK_INT(*l.model->option_cone, TAC_CONE_ELLIPTIC);
    CHECK_INT(*l.model->option_iterations, 7);
    CHECK_NEAR(*l.model->option_tolerance, 1e-5, 0);
    CHECK_NEAR(*l.model->option_impratio, 3, 0);
    CHECK_NEAR(*l.model->option_timestep, 0.02, 0);
    CHECK_INT(*l.model->option_disable, TAC_DISABLE_GRAVITY | TAC_DISABLE_LIMIT);
    CHECK_INT(*l.model->option_enable, TAC_ENABLE_ENERGY);
    check_ignored(l, "element <actuator>: in a URDF only <compiler>, <option> and <size> are read");
    unload(l);
    scratch_end();
}

/* What would be lost without a word is an error; lenient: a warning. */
static void unsupported_settings_of_mujoco(void **state) {
    (void)state;
    scratch_begin();
    static const struct {
        const char *text, *message;
    } row[] = {{MUJOCO("<option density='1.2'/>"), "a fluid medium (density 1.2, viscosity 0) is not supported"},
               {MUJOCO("<option viscosity='1'/>"), "a fluid medium"},
               {MUJOCO("<option actuatorgroupdisable='1'/>"), "actuatorgroupdisable"},
               {MUJOCO("<compiler inertiafromgeom='true'/>"), "inertiafromgeom=\"true\" is not supported in a URDF"},
               {MUJOCO("<compiler fusestatic='true'/>"), "fusestatic=\"true\" is not supported in a URDF"},
               {MUJOCO("<compiler alignfree='true'/>"), "alignfree=\"true\" is not supported in a URDF"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        check_fails(row[i].text, plain(), TAC_ERR_UNSUPPORTED, row[i].message);
        Loaded l = load(row[i].text, lenient());
        check_warned(l, row[i].message);
        unload(l);
    }
    scratch_end();
}

static void mistakes_in_settings_of_mujoco(void **state) {
    (void)state;
    scratch_begin();
    check_fails(MUJOCO("<option integrater='RK4'/>"), plain(), TAC_ERR_SYNTAX, "found attribute 'integrater'");
    check_fails(MUJOCO("<option integrator='rk5'/>"), plain(), TAC_ERR_SYNTAX, "found \"rk5\"");
    check_fails(MUJOCO("<option><flags/></option>"), plain(), TAC_ERR_SYNTAX, "<flags>");
    check_fails(MUJOCO("<option><flag gravity='off'/></option>"), plain(), TAC_ERR_SYNTAX, "gravity");
    check_fails(MUJOCO("<compiler mesh_dir='x'/>"), plain(), TAC_ERR_SYNTAX, "found attribute 'mesh_dir'");
    check_fails(MUJOCO("<size nconn='1'/>"), plain(), TAC_ERR_SYNTAX, "found attribute 'nconn'");
    check_fails(MUJOCO("<options/>"), plain(), TAC_ERR_SYNTAX, "unknown inside <mujoco>");
    scratch_end();
}

static void other_mistakes(void **state) {
    (void)state;
    scratch_begin();
    check_fails("<robot xmlns:xacro='http://ros.org/wiki/xacro'>\n<xacro:macro name='m'/></robot>", plain(),
                TAC_ERR_UNSUPPORTED, "r.urdf:2: element <macro name=\"m\">: a xacro macro");
    Loaded l = load("<robot xmlns:xacro='http://ros.org/wiki/xacro'><xacro:property name='m'/><link name='a'/></robot>",
                    lenient());
    check_warned(l, "it is ignored");
    unload(l);
    check_fails("<robot name='r'><link name='a'>", plain(), TAC_ERR_SYNTAX, "r.urdf:1");
    check_fails("<robot/>", plain(), TAC_ERR_MODEL, "no <link>");
    scratch_end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_depth_first),
        cmocka_unit_test(origin_is_fixed_axis_rpy),
        cmocka_unit_test(world_and_floating_roots),
        cmocka_unit_test(bad_trees),
        cmocka_unit_test(long_chains_load),
        cmocka_unit_test(inertias_are_taken_as_written),
        cmocka_unit_test(bad_inertias),
        cmocka_unit_test(weightless_joints),
        cmocka_unit_test(joints_of_every_type),
        cmocka_unit_test(limits_and_dynamics),
        cmocka_unit_test(motors_on_request),
        cmocka_unit_test(bad_joints),
        cmocka_unit_test(couplings),
        cmocka_unit_test(shapes),
        cmocka_unit_test(bad_shapes),
        cmocka_unit_test(finds_meshes),
        cmocka_unit_test(opens_nothing_outside),
        cmocka_unit_test(shares_meshes),
        cmocka_unit_test(lists_what_it_ignores),
        cmocka_unit_test(settings_for_mujoco),
        cmocka_unit_test(options_of_mujoco),
        cmocka_unit_test(unsupported_settings_of_mujoco),
        cmocka_unit_test(mistakes_in_settings_of_mujoco),
        cmocka_unit_test(other_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
