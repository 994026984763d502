/* A floor and a box that floats above or slides on it, with the friction that files have when they say nothing: a hinge
 * on it, a motor, five sites, two keyframes. Names: floor, box, arm, base (free), hinge, push, site0... */
#pragma once

#include "support/check.h"

#include "tactus/tactus.h"

#include <stdio.h>
#include <string.h>

enum { BOX_SITES = 5, BOX_NQ = 8, BOX_NV = 7, BOX_NX = 15, BOX_NDX = 14 };

static inline void add_box_keys(tacBuilder *b) {
    static const double rest[BOX_NQ] = {0, 0, 0.0995, 1, 0, 0, 0, 0}, high[BOX_NQ] = {0, 0, 1, 1, 0, 0, 0, 0.5};
    static const double slides[BOX_NV] = {1, 0, 0, 0, 0, 0, 0}, torque[1] = {0.25};
    tacKeyDef key = tac_default_key();
    key.name = "rest", key.qpos = rest, key.qvel = slides;
    tac_model_add_key(b, &key);
    key.name = "high", key.qpos = high, key.qvel = NULL, key.ctrl = torque;
    tac_model_add_key(b, &key);
}

static inline tacModel *box_on_floor(tacIntegrator integrator) {
    tacBuilder *b = tac_model_begin();
    tacGeomDef floor = tac_default_geom(), box = tac_default_geom(), rod = tac_default_geom();
    tacBodyDef base = tac_default_body(), arm = tac_default_body();
    tacJointDef joint = tac_default_joint(), hinge = tac_default_joint();
    tacActuatorDef motor = tac_default_actuator();
    tacOptionDef option = tac_default_option();
    tacModel *model = NULL;
    tacError err;
    option.integrator = integrator, option.timestep = 0.002;
    tac_model_set_option(b, &option);
    floor.name = "floor", floor.type = TAC_GEOM_PLANE, floor.size[0] = floor.size[1] = floor.size[2] = 5;
    tac_model_add_geom(b, 0, &floor);
    base.name = "box", base.pos.z = 0.1;
    int body = tac_model_add_body(b, 0, &base);
    joint.name = "base", joint.type = TAC_JOINT_FREE;
    tac_model_add_joint(b, body, &joint);
    box.name = "box", box.type = TAC_GEOM_BOX, box.size[0] = 0.2, box.size[1] = 0.2, box.size[2] = 0.1;
    tac_model_add_geom(b, body, &box);
    arm.name = "arm", arm.pos.z = 0.2;
    int upper = tac_model_add_body(b, body, &arm);
    hinge.name = "hinge", hinge.axis = (tacVec3){0, 1, 0};
    int turns = tac_model_add_joint(b, upper, &hinge);
    rod.name = "rod", rod.size[0] = 0.05;
    tac_model_add_geom(b, upper, &rod);
    motor.name = "push", motor.trntype = TAC_TRN_JOINT, motor.trnid[0] = turns;
    tac_model_add_actuator(b, &motor);
    for (int i = 0; i < BOX_SITES; i++) {
        char name[16];
        tacSiteDef site = tac_default_site();
        snprintf(name, sizeof name, "site%d", i);
        site.name = name, site.pos.x = 0.1 * i;
        tac_model_add_site(b, upper, &site);
    }
    add_box_keys(b);
    tacStatus status = tac_model_finish(b, &model, &err);
    if (status != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    return model;
}
