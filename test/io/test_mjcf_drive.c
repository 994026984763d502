/* MJCF: actuators, tendons, equalities, contact pairs, keyframes, options, sensors; replication, fusing, discarding. */
#include "io/mjcf_text.h"

#include <math.h>
#include <stdio.h>

static const double TOL = 1e-12; /* a few roundings of numbers of order one */
static const double PI = 3.14159265358979323846;

/* A body with a hinge "h", a slide "s", two sites and unit mass, and more sections. */
#define ARM(sections)                                                                                                  \
    MJCF("<worldbody><body name='b'><joint name='h' range='-90 90'/><joint name='s' type='slide' axis='1 0 0'/>"       \
         "<geom name='g' type='box' size='.5 .5 .5' mass='1'/><site name='p'/><site name='q' pos='1 0 0'/></body>"     \
         "<body name='m' mocap='true'><geom name='mg' size='1'/></body></worldbody>" sections)
#define DRIVE(element) ARM("<actuator>" element "</actuator>")

/* --- Actuators ---------------------------------------------------------------------------------------------------- */

static void check_servo(const char *text, int dyn, int gain, int bias, const double *gainprm, const double *biasprm) {
    Loaded l = load_ok(text);
    tacModel *m = l.model;
    CHECK_INT(m->actuator_dyntype[0], dyn);
    CHECK_INT(m->actuator_gaintype[0], gain);
    CHECK_INT(m->actuator_biastype[0], bias);
    CHECK_ARRAY(3, m->actuator_gainprm, gainprm, TOL);
    CHECK_ARRAY(3, m->actuator_biasprm, biasprm, TOL);
    unload(&l);
}
#define V3(a, b, c) ((double[]){a, b, c})

static void test_actuator_tags(void **state) {
    (void)state;
    check_servo(DRIVE("<motor joint='h' gear='3'/>"), TAC_DYN_NONE, TAC_GAIN_FIXED, TAC_BIAS_NONE, V3(1, 0, 0),
                V3(0, 0, 0));
    check_servo(DRIVE("<position joint='h' kp='5' kv='2'/>"), TAC_DYN_NONE, TAC_GAIN_FIXED, TAC_BIAS_AFFINE,
                V3(5, 0, 0), V3(0, -5, -2));
    check_servo(DRIVE("<position joint='h' kp='5' timeconst='.1'/>"), TAC_DYN_FILTER_EXACT, TAC_GAIN_FIXED,
                TAC_BIAS_AFFINE, V3(5, 0, 0), V3(0, -5, 0));
    check_servo(DRIVE("<velocity joint='h' kv='4'/>"), TAC_DYN_NONE, TAC_GAIN_FIXED, TAC_BIAS_AFFINE, V3(4, 0, 0),
                V3(0, 0, -4));
    check_servo(DRIVE("<intvelocity joint='h' kp='5' actrange='-1 1'/>"), TAC_DYN_INTEGRATOR, TAC_GAIN_FIXED,
                TAC_BIAS_AFFINE, V3(5, 0, 0), V3(0, -5, 0));
    check_servo(DRIVE("<damper joint='h' kv='4' ctrlrange='0 1'/>"), TAC_DYN_NONE, TAC_GAIN_AFFINE, TAC_BIAS_NONE,
                V3(0, 0, -4), V3(0, 0, 0));
    check_servo(DRIVE("<cylinder joint='h' diameter='2' bias='1 2 3' timeconst='.5'/>"), TAC_DYN_FILTER, TAC_GAIN_FIXED,
                TAC_BIAS_AFFINE, V3(PI, 0, 0), V3(1, 2, 3));
    check_servo(DRIVE("<general joint='h' dyntype='filter' gaintype='affine' gainprm='1 2 3' biastype='affine' "
                      "biasprm='4 5 6'/>"),
                TAC_DYN_FILTER, TAC_GAIN_AFFINE, TAC_BIAS_AFFINE, V3(1, 2, 3), V3(4, 5, 6));
}

/* All tags share one default record. */
static void test_shared_default(void **state) {
    (void)state;
    Loaded l = load_ok(
        ARM("<default><general ctrlrange='-2 2'/><motor gear='7'/><default class='servo'>"
            "<position kp='9' forcerange='-3 3'/></default></default>"
            "<actuator><motor joint='h'/><position joint='h' class='servo'/><velocity joint='s' kv='1'/></actuator>"));
    tacModel *m = l.model;
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(m->actuator_gear[6 * i], 7, 0);
        CHECK_INT(m->actuator_ctrllimited[i], 1);
        CHECK_NEAR(m->actuator_ctrlrange[2 * i + 1], 2, 0);
    }
    CHECK_NEAR(m->actuator_gainprm[10], 9, 0);
    CHECK_INT(m->actuator_forcelimited[1], 1);
    CHECK_INT(m->actuator_forcelimited[0], 0);
    unload(&l);
}

static void test_actuator_ranges(void **state) {
    (void)state;
    Loaded l = load_ok(ARM("<tendon><fixed name='t' range='1 3'><joint joint='s' coef='2'/></fixed></tendon>"
                           "<actuator><position joint='h' inheritrange='.5'/><intvelocity tendon='t' inheritrange='1'/>"
                           "<position joint='h' kp='4' dampratio='1'/></actuator>"));
    tacModel *m = l.model;
    CHECK_ARRAY(2, m->actuator_ctrlrange, ((double[]){-PI / 4, PI / 4}), TOL);
    CHECK_INT(m->actuator_ctrllimited[0], 1);
    CHECK_ARRAY(2, m->actuator_actrange + 2, ((double[]){1, 3}), TOL);
    CHECK_INT(m->actuator_actlimited[1], 1);
    CHECK_INT(m->na, 1);
    CHECK_NEAR(m->actuator_dampratio[2], 1, 0);
    CHECK(m->actuator_damping_used[2] < 0); /* found from the inertia behind the joint */
    unload(&l);
}

static void test_transmissions(void **state) {
    (void)state;
    Loaded l = load_ok(ARM("<tendon><fixed name='t'><joint joint='s' coef='2'/></fixed></tendon>"
                           "<actuator><motor joint='s'/><motor jointinparent='h'/><motor tendon='t'/><motor site='p'/>"
                           "<motor site='p' refsite='q' gear='0 0 0 1 2 3'/>"
                           "<motor cranksite='p' slidersite='q' cranklength='2'/></actuator>"));
    tacModel *m = l.model;
    const int type[] = {TAC_TRN_JOINT, TAC_TRN_JOINT_IN_PARENT, TAC_TRN_TENDON, TAC_TRN_SITE,
                        TAC_TRN_SITE,  TAC_TRN_SLIDERCRANK};
    const int id[][2] = {{1, -1}, {0, -1}, {0, -1}, {0, -1}, {0, 1}, {0, 1}};
    for (int i = 0; i < 6; i++) {
        CHECK_INT(m->actuator_trntype[i], type[i]);
        CHECK_INT(m->actuator_trnid[2 * i], id[i][0]);
        CHECK_INT(m->actuator_trnid[2 * i + 1], id[i][1]);
    }
    CHECK_NEAR(m->actuator_gear[6 * 4 + 5], 3, 0);
    CHECK_NEAR(m->actuator_cranklength[5], 2, 0);
    unload(&l);
}

static void test_bad_actuators(void **state) {
    (void)state;
    check_fails(DRIVE("<motor/>"), TAC_ERR_SYNTAX, "element <motor>: found no transmission");
    check_fails(DRIVE("<motor joint='h' tendon='t'/>"), TAC_ERR_SYNTAX, "found attributes 'joint' and 'tendon'");
    check_fails(DRIVE("<motor joint='x'/>"), TAC_ERR_NAME,
                "attribute 'joint': found \"x\", expected the name of a joint");
    check_fails(DRIVE("<motor joint='h' kp='1'/>"), TAC_ERR_SYNTAX, "found attribute 'kp', expected one of name");
    check_fails(DRIVE("<motor joint='h' refsite='p'/>"), TAC_ERR_MODEL, "expected 'site' with it");
    check_fails(DRIVE("<motor cranksite='p' cranklength='1'/>"), TAC_ERR_SYNTAX, "attribute 'slidersite' is missing");
    check_fails(DRIVE("<position joint='h' kv='1' dampratio='1'/>"), TAC_ERR_MODEL, "found kv and dampratio");
    check_fails(DRIVE("<position joint='s' inheritrange='1'/>"), TAC_ERR_MODEL, "attribute 'inheritrange' expects");
    check_fails(DRIVE("<position joint='h' inheritrange='1' ctrlrange='0 1'/>"), TAC_ERR_MODEL,
                "ctrlrange and inheritrange");
    check_fails(DRIVE("<damper joint='h' kv='-1' ctrlrange='0 1'/>"), TAC_ERR_MODEL,
                "attribute 'kv': found a negative");
    check_fails(DRIVE("<general joint='h' actrange='0 1'/>"), TAC_ERR_MODEL, "expected a dyntype other than none");
    check_fails(DRIVE("<servo joint='h'/>"), TAC_ERR_SYNTAX, "expected one of <general>, <motor>");
    check_fails(DRIVE("<pid joint='h'/>"), TAC_ERR_UNSUPPORTED, "<pid> is not supported");
}

static void test_inert_actuators(void **state) {
    (void)state;
    Loaded l =
        load_leniently(DRIVE("<motor joint='h'/><muscle joint='s' name='biceps'/><adhesion body='b' ctrlrange='0 1'/>"
                             "<position joint='h' timeconst='1'/>"),
                       "element <muscle name=\"biceps\">: muscles are not supported");
    CHECK_INT(l.model->nu, 4);
    CHECK_INT(l.model->na, 2);
    CHECK_INT(l.model->actuator_without_force[0], 0);
    CHECK_INT(l.model->actuator_without_force[1], 1);
    CHECK_INT(l.model->actuator_without_force[2], 1);
    CHECK_INT(l.model->actuator_act_adr[3], 1);
    CHECK_NEAR(l.model->actuator_gainprm[10], 0.75, 0); /* MuJoCo's muscle numbers are kept */
    unload(&l);
    l = load_leniently(DRIVE("<motor joint='h' delay='.1'/>"), "attribute 'delay' is not supported");
    unload(&l);
}

/* --- Tendons and constraints -------------------------------------------------------------------------------------- */

static void test_tendons(void **state) {
    (void)state;
    Loaded l = load_ok(ARM("<tendon><fixed name='t' stiffness='2' damping='3' range='-1 1' springlength='.5'>"
                           "<joint joint='h' coef='2'/><joint joint='s' coef='-1'/></fixed>"
                           "<fixed springlength='0 1'><joint joint='s' coef='1'/></fixed></tendon>"));
    tacModel *m = l.model;
    CHECK_INT(m->tendon_term_num[0], 2);
    CHECK_INT(m->term_joint[1], 1);
    CHECK_NEAR(m->term_coef[1], -1, 0);
    CHECK_INT(m->tendon_limited[0], 1);
    CHECK_ARRAY(4, m->tendon_springlength, ((double[]){0.5, 0.5, 0, 1}), 0);
    unload(&l);
    check_fails(ARM("<tendon><fixed/></tendon>"), TAC_ERR_MODEL, "found no path");
    check_fails(ARM("<tendon><fixed><joint joint='h'/></fixed></tendon>"), TAC_ERR_SYNTAX,
                "attribute 'coef' is missing");
    check_fails(ARM("<tendon><fixed><site site='p'/></fixed></tendon>"), TAC_ERR_SYNTAX, "unknown inside <fixed>");
}

static void test_spatial_tendon(void **state) {
    (void)state;
    Loaded l = load_leniently(ARM("<tendon><spatial name='cord'><site site='p'/><site site='q'/></spatial></tendon>"
                                  "<actuator><motor tendon='cord'/></actuator>"),
                              "element <spatial name=\"cord\">: spatial tendons are not supported");
    CHECK_INT(l.model->ntendon, 1);
    CHECK_INT(l.model->tendon_type[0], TAC_TENDON_SPATIAL);
    CHECK_INT(l.model->actuator_without_force[0], 1);
    unload(&l);
}

static void test_equalities(void **state) {
    (void)state;
    Loaded l = load_ok(ARM("<equality><connect name='c' body1='b' anchor='1 2 3'/>"
                           "<weld body1='b' body2='m' relpose='1 2 3 1 0 0 0' torquescale='.5'/>"
                           "<joint joint1='h' joint2='s' polycoef='0 2' solref='.1 1'/>"
                           "<connect site1='p' site2='q'/></equality>"));
    tacModel *m = l.model;
    CHECK_INT(m->neq, 4);
    CHECK_INT(m->equality_obj[0], 1);
    CHECK_INT(m->equality_obj[1], 0); /* the world */
    CHECK_ARRAY(3, m->equality_data, V3(1, 2, 3), 0);
    CHECK_NEAR(m->equality_data[11 + 10], 0.5, 0);
    CHECK_NEAR(m->equality_data[11 + 3], 1, 0);
    CHECK_INT(m->equality_type[2], TAC_EQ_JOINT);
    CHECK_NEAR(m->equality_data[22 + 1], 2, 0);
    CHECK_INT(m->equality_objkind[3], TAC_KIND_SITE);
    unload(&l);
    l = load_ok(ARM("<equality><joint joint1='h' active='false'/></equality>")); /* does not act */
    CHECK_INT(l.model->neq, 1);
    unload(&l);
    check_fails(ARM("<equality><connect body1='b'/></equality>"), TAC_ERR_SYNTAX, "attribute 'anchor' is missing");
    check_fails(ARM("<equality><weld site1='p'/></equality>"), TAC_ERR_SYNTAX, "expected either site1 and site2");
    check_fails(ARM("<equality><joint joint1='h' joint2='h'/></equality>"), TAC_ERR_MODEL, "found \"h\" twice");
}

static void test_contact(void **state) {
    (void)state;
    Loaded l = load_ok(
        ARM("<default><pair condim='4' solreffriction='.05 2'/></default>"
            "<contact><pair geom1='mg' geom2='g' friction='.5 .6'/><exclude name='x' body1='m' body2='b'/></contact>"));
    tacModel *m = l.model;
    CHECK_INT(m->pair_geom[0], 0); /* the smaller body first */
    CHECK_INT(m->pair_geom[1], 1);
    CHECK_INT(m->pair_condim[0], 4);
    CHECK_ARRAY(3, m->pair_friction, V3(0.5, 0.6, 0.005), TOL);
    CHECK_ARRAY(2, m->pair_solreffriction, ((double[2]){0.05, 2}), TOL);
    CHECK_INT(m->exclude_body[0], 1);
    unload(&l);
    check_fails(ARM("<contact><pair geom1='g'/></contact>"), TAC_ERR_SYNTAX, "attribute 'geom2' is missing");
    check_fails(ARM("<contact><exclude body1='b' body2='z'/></contact>"), TAC_ERR_NAME, "expected the name of a body");
}

/* --- Keyframes, options, sensors ---------------------------------------------------------------------------------- */

static void test_keyframes(void **state) {
    (void)state;
    Loaded l =
        load_ok(MJCF("<worldbody><body><freejoint/><geom size='1'/></body><body mocap='true'/></worldbody>"
                     "<keyframe><key name='k' time='2' qpos='1 2 3 2 0 0 0' mpos='4 5 6' mquat='0 0 3 0' qvel=' '/>"
                     "<key/></keyframe>"));
    tacModel *m = l.model;
    CHECK_INT(m->nkey, 2);
    CHECK_ARRAY(7, m->key_qpos, ((double[]){1, 2, 3, 1, 0, 0, 0}), TOL);
    CHECK_NEAR(m->key_mpos[0].z, 6, 0);
    CHECK_NEAR(m->key_mquat[0].y, 1, TOL);
    CHECK_NEAR(m->key_time[0], 2, 0);
    CHECK_NEAR(m->key_qpos[7 + 3], 1, 0);
    unload(&l);
    check_fails(ARM("<keyframe><key name='k' qpos='1 2 3'/></keyframe>"), TAC_ERR_SYNTAX,
                "element <key name=\"k\">: attribute 'qpos': found 3 numbers, expected 2");
    check_fails(ARM("<keyframe><key ctrl='1'/></keyframe>"), TAC_ERR_SYNTAX,
                "attribute 'ctrl': found 1 number, expected 0");
}

static void test_options(void **state) {
    (void)state;
    Loaded l =
        load_ok(MJCF("<option timestep='.01' integrator='RK4' cone='elliptic' solver='CG' iterations='7' impratio='10' "
                     "o_solref='.5' apirate='100'><flag gravity='disable' passive='disable' energy='enable'/></option>"
                     "<worldbody/>"));
    tacModel *m = l.model;
    CHECK_INT(*m->option_integrator, TAC_INTEGRATOR_RK4);
    CHECK_INT(*m->option_cone, TAC_CONE_ELLIPTIC);
    CHECK_INT(*m->option_solver, TAC_SOLVER_CG);
    CHECK_INT(*m->option_iterations, 7);
    CHECK_NEAR(*m->option_impratio, 10, 0);
    CHECK_INT(*m->option_disable, TAC_DISABLE_GRAVITY | TAC_DISABLE_SPRING | TAC_DISABLE_DAMPER);
    CHECK_INT(*m->option_enable, TAC_ENABLE_ENERGY);
    CHECK_ARRAY(2, m->option_o_solref, ((double[]){0.5, 1}), 0);
    CHECK_HAS(tac_report_warning(l.report, 0), "attribute 'apirate' of older MuJoCo versions is ignored");
    unload(&l);
    l = load_leniently(MJCF("<option density='1.2' viscosity='2e-5'/><worldbody/>"), "a fluid medium (density 1.2");
    unload(&l);
    check_fails(MJCF("<option integrator='euler'/>"), TAC_ERR_SYNTAX, "found \"euler\", expected one of Euler, RK4");
    check_fails(MJCF("<option><flag gravity='off'/></option>"), TAC_ERR_SYNTAX, "expected one of disable, enable");
}

static void test_kept_and_ignored(void **state) {
    (void)state;
    Loaded l = load_ok(
        ARM("<sensor><jointpos name='sj' joint='h'/><clock/></sensor><custom><numeric name='n' data='1'/></custom>"
            "<asset><texture name='no' file='missing.png' type='2d'/><material name='m' texture='no'/></asset>"
            "<visual><whatever/></visual><size nkey='3'/><statistic extent='2'/>"));
    CHECK_INT(l.model->nsensor, 2);
    CHECK_STR(tac_model_name(l.model, TAC_KIND_SENSOR, 0), "sj");
    CHECK_STR(l.model->all_names + l.model->sensor_tag[1], "clock");
    CHECK_INT(tac_report_warning_count(l.report), 0);
    CHECK_INT(tac_report_ignored_count(l.report), 6);
    CHECK_HAS(tac_report_ignored(l.report, 1), "main.xml:1: element <texture>: visual only");
    unload(&l);
    check_fails(ARM("<sensor><smell/></sensor>"), TAC_ERR_SYNTAX,
                "element <smell>: unknown inside <sensor>, expected one of <touch>");
}

/* Restitution has no place in MJCF; user data has it, by the path of the parameter. */
static void test_restitution(void **state) {
    (void)state;
    Loaded l = load_ok(MJCF("<custom><numeric name='geom/a.restitution' data='.7'/><numeric name='geom/*.restitution' "
                            "data='.2'/></custom><worldbody><geom name='a' size='1'/><geom size='1'/></worldbody>"));
    CHECK_NEAR(l.model->geom_restitution[0], 0.7, 0);
    CHECK_NEAR(l.model->geom_restitution[1], 0.2, 0);
    CHECK_INT(tac_report_ignored_count(l.report), 0);
    unload(&l);
    check_fails(MJCF("<custom><numeric name='geom/b.restitution' data='.7'/></custom><worldbody/>"), TAC_ERR_NAME,
                "\"b\"");
    check_fails(MJCF("<custom><numeric name='geom/*.restitution' data='2'/></custom><worldbody/>"), TAC_ERR_MODEL,
                "expected a restitution from 0 to 1");
    check_fails(MJCF("<custom><numeric name='geom/*.restitution' size='2'/></custom><worldbody/>"), TAC_ERR_SYNTAX,
                "attribute 'data' is missing");
}

/* --- Replication, fusing, discarding, aligning -------------------------------------------------------------------- */

static void test_replicate(void **state) {
    (void)state;
    Loaded l = load_ok(MJCF(
        "<worldbody><replicate count='2' sep='-' offset='0 0 1'><replicate count='3' offset='1 0 0' euler='0 0 90'>"
        "<body name='b' pos='1 0 0'><joint name='j'/><geom size='.1'/></body></replicate></replicate></worldbody>"
        "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon>"
        "<actuator><motor name='a' tendon='t'/></actuator>"));
    tacModel *m = l.model;
    CHECK_INT(m->nbody, 7);
    CHECK_INT(m->nu, 6);
    CHECK_STR(tac_model_name(m, TAC_KIND_BODY, 2), "b1-0");
    CHECK_STR(tac_model_name(m, TAC_KIND_BODY, 6), "b2-1");
    /* frame 1 at (1, 0, 0) turned by 90 degrees, frame 2 one (turned) offset further */
    CHECK_ARRAY(3, &m->body_pos[1], V3(1, 0, 0), TOL);
    CHECK_ARRAY(3, &m->body_pos[2], V3(1, 1, 0), TOL);
    CHECK_ARRAY(3, &m->body_pos[3], V3(0, 1, 0), TOL);
    CHECK_ARRAY(3, &m->body_pos[6], V3(0, 1, 1), TOL);
    int drive = tac_model_find(m, TAC_KIND_ACTUATOR, "a2-1");
    CHECK(drive >= 0);
    CHECK_STR(tac_model_name(m, TAC_KIND_TENDON, m->actuator_trnid[2 * drive]), "t2-1");
    unload(&l);
    check_fails(WORLD("<replicate count='0'><geom size='1'/></replicate>"), TAC_ERR_MODEL, "expected at least 1");
    check_fails(WORLD("<replicate><geom size='1'/></replicate>"), TAC_ERR_SYNTAX, "attribute 'count' is missing");
    check_fails(WORLD("<replicate count='100000'><replicate count='100000'><geom size='1'/></replicate></replicate>"),
                TAC_ERR_MODEL, "replication creates too many elements");
}

/* Fused or not, the whole has the same mass, centre and inertia. */
static void test_fusestatic(void **state) {
    (void)state;
    const char *bodies =
        "<worldbody><body name='base' pos='0 0 1'><joint/><geom size='.1' mass='1'/>"
        "<body name='arm' pos='1 0 0' euler='0 0 90'><geom name='ga' type='box' size='.1 .2 .3' mass='2' pos='1 0 0'/>"
        "<site name='s' pos='1 0 0'/><body name='hand' pos='1 0 0'><joint/><geom size='.1' mass='1'/></body></body>"
        "<body name='kept'><geom size='.1' mass='1'/></body></body></worldbody>"
        "<contact><exclude body1='kept' body2='hand'/></contact>";
    char text[2048];
    snprintf(text, sizeof text, MJCF("<compiler fusestatic='true'/>%s"), bodies);
    Loaded l = load_ok(text);
    tacModel *m = l.model;
    CHECK_INT(m->nbody, 4);
    CHECK_INT(tac_model_find(m, TAC_KIND_BODY, "arm"), -1);
    CHECK_INT(tac_model_find(m, TAC_KIND_BODY, "kept"), 3); /* something names it */
    CHECK_NEAR(m->body_mass[1], 3, TOL);
    CHECK_ARRAY(3, &m->body_ipos[1], V3(2. / 3, 2. / 3, 0), TOL);
    CHECK_ARRAY(3, &m->body_pos[2], V3(1, 1, 0), TOL); /* the hand */
    CHECK_ARRAY(3, &m->site_pos[0], V3(1, 1, 0), TOL);
    CHECK_INT(m->geom_body[tac_model_find(m, TAC_KIND_GEOM, "ga")], 1);
    /* sphere, plus the box with its x and y changed over, plus two point masses about the common centre (reduced mass
     * 2/3) */
    double sphere = 0.4 * 0.01, mu = 2. / 3;
    CHECK_NEAR(m->body_icom[1].xx, sphere + 2. / 3 * (0.1 * 0.1 + 0.3 * 0.3) + mu, TOL);
    CHECK_NEAR(m->body_icom[1].yy, sphere + 2. / 3 * (0.2 * 0.2 + 0.3 * 0.3) + mu, TOL);
    CHECK_NEAR(m->body_icom[1].xy, -mu, TOL);
    unload(&l);
}

static void test_discardvisual(void **state) {
    (void)state;
    Loaded l = load_ok(MJCF(
        "<compiler discardvisual='true'/><asset><mesh name='seen' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>"
        "<worldbody><body><joint/><geom name='looks' type='mesh' mesh='seen' contype='0' conaffinity='0' mass='2'/>"
        "<geom name='foot' size='.1' mass='1'/></body></worldbody>"));
    CHECK_INT(l.model->ngeom, 1);
    CHECK_INT(l.model->nmesh, 0);
    CHECK_STR(tac_model_name(l.model, TAC_KIND_GEOM, 0), "foot");
    CHECK_NEAR(l.model->body_mass[1], 3, TOL); /* the mass stays */
    CHECK_ARRAY(3, &l.model->body_ipos[1], V3(0.5 / 3, 0.5 / 3, 0.5 / 3), 1e-9);
    unload(&l);
}

static void test_alignfree(void **state) {
    (void)state;
    Loaded l = load_ok(
        WORLD("<body pos='0 0 1'><freejoint align='true'/><geom type='box' size='.3 .1 .2' pos='1 2 3' mass='1'/>"
              "<site name='s' pos='1 2 3'/></body>"));
    tacModel *m = l.model;
    CHECK_ARRAY(3, &m->body_pos[1], V3(1, 2, 4), TOL);
    CHECK_ARRAY(3, &m->body_ipos[1], V3(0, 0, 0), TOL);
    CHECK_ARRAY(3, &m->site_pos[0], V3(0, 0, 0), TOL);
    CHECK_NEAR(fabs(m->body_iquat[1].w), 1, TOL);
    CHECK_ARRAY(3, &m->body_inertia[1], V3(0.05 / 3, 0.13 / 3, 0.1 / 3), TOL);
    unload(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_actuator_tags, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_shared_default, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_actuator_ranges, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_transmissions, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_bad_actuators, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_inert_actuators, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_tendons, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_spatial_tendon, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_equalities, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_contact, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_keyframes, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_options, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_kept_and_ignored, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_restitution, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_replicate, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_fusestatic, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_discardvisual, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_alignfree, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
