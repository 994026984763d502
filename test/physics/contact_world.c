#include "physics/contact_world.h"

#include <math.h>
#include <string.h>

World world_begin(double slope, double dt) {
    World w = {.b = tac_model_begin()};
    tacOptionDef option = tac_default_option();
    option.timestep = dt;
    option.gravity = (tacVec3){WORLD_GRAVITY * sin(slope), 0, -WORLD_GRAVITY * cos(slope)};
    tac_model_set_option(w.b, &option);
    return w;
}

void world_add_plane(World *w, double tilt, double mu) {
    tacGeomDef plane = tac_default_geom();
    plane.type = TAC_GEOM_PLANE, plane.friction[0] = mu;
    plane.size[0] = plane.size[1] = plane.size[2] = 1;
    plane.quat = (tacQuat){cos(tilt / 2), 0, sin(tilt / 2), 0};
    tac_model_add_geom(w->b, 0, &plane);
}

tacGeomDef world_geom(tacGeomType type, const double size[3], double mass, double mu) {
    tacGeomDef geom = tac_default_geom();
    geom.type = type, geom.friction[0] = mu, geom.has_mass = 1, geom.mass = mass;
    memcpy(geom.size, size, sizeof geom.size);
    return geom;
}

int world_add_body(World *w, tacVec3 pos, const tacGeomDef *geom) {
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    body.pos = pos;
    joint.type = TAC_JOINT_FREE;
    int id = tac_model_add_body(w->b, 0, &body);
    tac_model_add_joint(w->b, id, &joint);
    tac_model_add_geom(w->b, id, geom);
    return id;
}

World world_of(tacModel *m, tacContactModel contact) {
    World w = {.m = m, .options = tac_default_options(m)};
    w.options.contact = contact;
    CHECK(tac_nx(m) <= WORLD_MAX_STATE);
    tac_default_state(m, w.x);
    return w;
}

void world_finish(World *w, tacContactModel contact) {
    tacModel *m = NULL;
    tacError err;
    if (tac_model_finish(w->b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(w->b);
    *w = world_of(m, contact);
}

void world_start(World *w) {
    tacError err;
    if (tac_sim_new(w->m, &w->options, &w->sim, &err) != TAC_OK) fail_msg("%s", err.text);
}

void world_end(World *w) {
    tac_sim_free(w->sim);
    tac_model_free(w->m);
}

void world_run(World *w, int steps) {
    for (int k = 0; k < steps; k++) {
        CHECK_INT(tac_step(w->sim, w->x, NULL, w->x, &w->info), TAC_OK);
        for (int i = 0; i < tac_nx(w->m); i++)
            CHECK(isfinite(w->x[i]));
    }
}

double *world_velocity(World *w) { return w->x + w->m->nq; }
