/* Inner steps in contact: contacts and limits that end while they push, limits of ball joints, dry friction, features
 * that change at a depth, activations beside contacts (docs/theory/adaptive.md). */
#include "inner_world.h"

#include <math.h>
#include <string.h>

/* Central differences at tolerance 1e-12. */
#define FREE_TOL 2e-6
/* Of two integrators at their tolerances. */
#define MOTION_TOL 1e-6

/* A ball of radius 0.1 m and 1 kg in the plane y = 0, that does not turn, at its margin of a plane. */
static tacModel *sliding_ball(tacCone cone) {
    tacBuilder *b = tac_model_begin();
    tacOptionDef o = tac_default_option();
    o.cone = cone;
    tac_model_set_option(b, &o);
    inner_geom(b, 0, TAC_GEOM_PLANE, vec(1, 1, 1), NULL, NULL, 3, 1000);
    tacBodyDef body = tac_default_body();
    body.pos = vec(0, 0, 0.1);
    int id = tac_model_add_body(b, 0, &body);
    for (int i = 0; i < 2; i++) {
        tacJointDef slide = tac_default_joint();
        slide.type = TAC_JOINT_SLIDE;
        slide.axis = i == 0 ? vec(1, 0, 0) : vec(0, 0, 1);
        tac_model_add_joint(b, id, &slide);
    }
    inner_geom(b, id, TAC_GEOM_SPHERE, vec(0.1, 0, 0), NULL, NULL, 3, 3 / (4 * acos(-1.0) * 1e-3));
    return inner_finish(b);
}

/* Dry friction of a fast slip pushes a soft contact out of its gap: it ends with a jump, and begins again. */
static void contact_ends_while_it_pushes(void **state) {
    (void)state;
    for (int cone = TAC_CONE_PYRAMIDAL; cone <= TAC_CONE_ELLIPTIC; cone++) {
        static const char *const PATHS[] = {"geom/#0.friction[0]", "geom/#1.size[0]", "geom/#1.solref[0]"};
        tacModel *m = sliding_ball((tacCone)cone);
        for (int k = 0; k < 3; k++)
            assert_int_equal(tac_param_register(m, PATHS[k], NULL, NULL), TAC_OK);
        InnerWorld w;
        inner_open(&w, m, TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_SOFT);
        w.o.dt = 0.02;
        w.o.rtol = w.o.atol = 1e-12;
        w.x[1] = -1e-4;
        w.x[2] = 1;
        inner_check_columns(&w, 5e-8, FREE_TOL);
        assert_true(w.info.events >= 2 && w.info.ties == 0);
        inner_check_parameters(&w, 1e-7);
        inner_check_reverse(&w);
        inner_close(&w);
    }
}

/* Two slides along x, pressed on the limits of a joint and a tendon, which they leave at speed. */
static tacModel *limited_slides(void) {
    tacBuilder *b = tac_model_begin();
    tacOptionDef o = tac_default_option();
    int joint[2];
    o.gravity = vec(300, 0, 0);
    tac_model_set_option(b, &o);
    for (int i = 0; i < 2; i++) {
        tacBodyDef body = tac_default_body();
        tacJointDef slide = tac_default_joint();
        body.pos = vec(0, i, 0);
        slide.type = TAC_JOINT_SLIDE;
        slide.axis = vec(1, 0, 0);
        slide.limited = i == 0;
        slide.range[0] = -1, slide.range[1] = 0.05;
        int id = tac_model_add_body(b, 0, &body);
        joint[i] = tac_model_add_joint(b, id, &slide);
        inner_geom(b, id, TAC_GEOM_SPHERE, vec(0.1, 0, 0), NULL, NULL, 1, 1000 * (i + 1));
    }
    const double coef[2] = {1, -2};
    tacTendonDef tendon = tac_default_tendon();
    tendon.type = TAC_TENDON_FIXED;
    tendon.nterm = 2, tendon.joint = joint, tendon.coef = coef;
    tendon.limited = 1;
    tendon.range[0] = -0.08, tendon.range[1] = 1;
    tac_model_add_tendon(b, &tendon);
    return inner_finish(b);
}

static void limits_end_while_they_push(void **state) {
    (void)state;
    static const char *const PATHS[] = {"joint/#0.range[1]", "tendon/#0.range[0]", "tendon/#0.coef[1]"};
    tacModel *m = limited_slides();
    for (int k = 0; k < 3; k++)
        assert_int_equal(tac_param_register(m, PATHS[k], NULL, NULL), TAC_OK);
    InnerWorld w;
    inner_open(&w, m, TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_SOFT);
    w.o.dt = 0.004;
    w.o.rtol = w.o.atol = 1e-12;
    w.x[0] = 0.0505, w.x[1] = 0.0655; /* 0.5 mm behind both */
    w.x[2] = -1, w.x[3] = -1.5;
    inner_check_columns(&w, 1e-7, FREE_TOL);
    assert_true(w.info.events >= 2);
    inner_check_parameters(&w, 1e-7);
    inner_check_reverse(&w);
    w.o.event_max = 0;
    inner_start(&w);
    assert_int_equal(tac_step(w.sim, w.x, w.u, w.y, &w.info), TAC_ERR_EVENTS);
    assert_int_equal(w.info.has_stop, 1);
    assert_true(w.info.stop_kind == TAC_CONSTRAINT_JOINT_LIMIT || w.info.stop_kind == TAC_CONSTRAINT_TENDON_LIMIT);
    assert_int_equal(w.info.stop_id[0], 0);
    assert_int_equal(w.info.stop_id[1], w.info.stop_kind == TAC_CONSTRAINT_JOINT_LIMIT);
    inner_close(&w);
}

/* A body on a ball joint that turns into its limit. */
static void limit_of_a_ball_begins(void **state) {
    (void)state;
    static const char *const PATHS[] = {"joint/#0.range[1]"};
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    joint.type = TAC_JOINT_BALL;
    joint.limited = 1;
    joint.range[1] = 0.1;
    int id = tac_model_add_body(b, 0, &body);
    tac_model_add_joint(b, id, &joint);
    inner_geom(b, id, TAC_GEOM_BOX, vec(0.1, 0.2, 0.3), NULL, NULL, 3, 1000);
    tacModel *m = inner_finish(b);
    assert_int_equal(tac_param_register(m, PATHS[0], NULL, NULL), TAC_OK);
    InnerWorld w;
    inner_open(&w, m, TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_SOFT);
    w.o.dt = 0.08;
    w.o.rtol = w.o.atol = 1e-12;
    w.x[4] = 1.5, w.x[5] = -0.7, w.x[6] = 0.4;
    inner_check_columns(&w, 1e-6, FREE_TOL);
    assert_true(w.info.events >= 1);
    inner_check_parameters(&w, 1e-6);
    inner_check_reverse(&w);
    inner_close(&w);
}

/* Dry friction of a joint slows it by loss/M until it creeps. */
static void dry_friction_bends_the_motion(void **state) {
    (void)state;
    static const char *const PATHS[] = {"joint/#0.frictionloss"};
    const double loss = 2, speed = 0.5;
    tacBuilder *b = tac_model_begin();
    tacOptionDef o = tac_default_option();
    o.gravity = vec(0, 0, 0);
    tac_model_set_option(b, &o);
    tacBodyDef body = tac_default_body();
    tacJointDef slide = tac_default_joint();
    slide.type = TAC_JOINT_SLIDE;
    slide.axis = vec(1, 0, 0);
    slide.frictionloss = loss;
    int id = tac_model_add_body(b, 0, &body);
    tac_model_add_joint(b, id, &slide);
    inner_geom(b, id, TAC_GEOM_SPHERE, vec(0.1, 0, 0), NULL, NULL, 1, 3 / (4 * acos(-1.0) * 1e-3)); /* 1 kg */
    tacModel *m = inner_finish(b);
    assert_int_equal(tac_param_register(m, PATHS[0], NULL, NULL), TAC_OK);
    InnerWorld w;
    inner_open(&w, m, TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_SOFT);
    w.o.rtol = w.o.atol = 1e-11;
    w.x[1] = speed;
    w.o.dt = 0.1;
    inner_run(&w);
    CHECK_NEAR(w.y[1], speed - loss * w.o.dt, 1e-9);
    CHECK_NEAR(w.y[0], speed * w.o.dt - loss * w.o.dt * w.o.dt / 2, 1e-9);
    CHECK_NEAR(w.P[1], -w.o.dt, 1e-9);
    w.o.dt = 0.3;
    inner_check_columns(&w, 1e-6, FREE_TOL);
    assert_true(w.y[1] > 0 && w.y[1] < 0.02);
    inner_check_parameters(&w, 1e-6);
    inner_check_reverse(&w);
    inner_close(&w);
}

/* A ball slides from the top of a box over its edge. The features change at a depth; its forces bend. Since they do not
 * jump, that is no switch. */
static void features_change_at_a_depth(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    inner_geom(b, 0, TAC_GEOM_BOX, vec(0.5, 0.5, 0.1), NULL, NULL, 1, 1000);
    tacBodyDef body = tac_default_body();
    body.pos = vec(0.49, 0, 0.1995);
    int id = tac_model_add_body(b, 0, &body);
    for (int i = 0; i < 2; i++) {
        tacJointDef slide = tac_default_joint();
        slide.type = TAC_JOINT_SLIDE;
        slide.axis = i == 0 ? vec(1, 0, 0) : vec(0, 0, 1);
        tac_model_add_joint(b, id, &slide);
    }
    inner_geom(b, id, TAC_GEOM_SPHERE, vec(0.1, 0, 0), NULL, NULL, 1, 1000);
    InnerWorld w;
    inner_open(&w, inner_finish(b), TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_SOFT);
    w.o.dt = 0.3;
    w.o.rtol = w.o.atol = 1e-11;
    w.x[2] = 0.08;
    inner_check_columns(&w, 1e-7, FREE_TOL);
    assert_true(w.info.switches == 0);
    double found[4];
    memcpy(found, w.y, sizeof found);
    w.o.event_max = -1; /* steps run over it */
    inner_run(&w);
    for (int k = 0; k < 4; k++)
        CHECK_NEAR(w.y[k], found[k], MOTION_TOL);
    inner_close(&w);
}

/* A ball is pushed at a plane through a filter that reaches its range on the way. */
static void activation_ends_beside_a_contact(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    inner_geom(b, 0, TAC_GEOM_PLANE, vec(1, 1, 1), NULL, NULL, 1, 1000);
    int ball = inner_body(b, 0, vec(0, 0, 0.101), TAC_JOINT_SLIDE, vec(0, 0, 1));
    inner_geom(b, ball, TAC_GEOM_SPHERE, vec(0.1, 0, 0), NULL, NULL, 1, 1000);
    tacActuatorDef act = tac_default_actuator();
    act.trntype = TAC_TRN_JOINT;
    act.trnid[0] = 0;
    act.dyntype = TAC_DYN_FILTER;
    act.dynprm[0] = 0.2;
    act.gainprm[0] = -100;
    act.actlimited = 1;
    act.actrange[1] = 0.5;
    tac_model_add_actuator(b, &act);
    tacModel *m = inner_finish(b);
    assert_int_equal(tac_param_register(m, "actuator/#0.actrange[1]", NULL, NULL), TAC_OK);
    InnerWorld w;
    inner_open(&w, m, TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_SOFT);
    w.o.dt = 0.1;
    w.o.rtol = w.o.atol = 1e-12;
    w.u[0] = 2;
    inner_check_columns(&w, 1e-6, FREE_TOL);
    assert_true(w.info.events >= 2 && w.y[2] == 0.5);
    inner_check_parameters(&w, 1e-6);
    inner_check_reverse(&w);
    inner_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_ends_while_it_pushes), cmocka_unit_test(limits_end_while_they_push),
        cmocka_unit_test(limit_of_a_ball_begins),       cmocka_unit_test(dry_friction_bends_the_motion),
        cmocka_unit_test(features_change_at_a_depth),   cmocka_unit_test(activation_ends_beside_a_contact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
