/* Small worlds written as MJCF, stepped with contact model lcp, or as WORLD_CONTACT says. */
#pragma once

#include "io/mjcf_text.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>

#ifndef WORLD_CONTACT
#define WORLD_CONTACT TAC_CONTACT_MODEL_LCP
#endif

/* Compliance: a hundred thousandth of the motion and less. */
#define TOL_COMPLIANCE 1e-5
#define GRAVITY        9.81

enum { MOST_NUMBERS = 128 };

typedef struct World {
    tacModel *m;
    tacSim *sim;
    double x[MOST_NUMBERS], u[MOST_NUMBERS], h;
    tacStepInfo info;
} World;

static inline World open_world(tacModel *m, double h) {
    World w = {.m = m, .h = h};
    tacError err;
    tacOptions options = tac_default_options(m);
    options.contact = WORLD_CONTACT;
    options.dt = h;
    options.inputs = TAC_INPUT_QFRC | TAC_INPUT_MOCAP;
    if (tac_sim_new(m, &options, &w.sim, &err) != TAC_OK) fail_msg("%s", err.text);
    CHECK(tac_nx(m) <= MOST_NUMBERS && tac_ninput(m, &options) <= MOST_NUMBERS);
    tac_default_state(m, w.x);
    tac_default_input(m, &options, w.u);
    return w;
}

static inline World file_world(const char *file, double h) {
    Loaded l = load_path(file, 0);
    if (l.status != TAC_OK) fail_msg("%s", l.err.text);
    tac_report_free(l.report);
    return open_world(l.model, h);
}

/* Bodies of the world, then what else the file has. No geom touches another. */
static inline World text_world(const char *bodies, const char *rest, double h) {
    static char text[1 << 14];
    snprintf(text, sizeof text,
             "<mujoco><compiler angle='radian'/><default><geom contype='0' conaffinity='0'/></default>"
             "<worldbody>%s</worldbody>%s</mujoco>",
             bodies, rest);
    Loaded l = load_ok(text);
    tac_report_free(l.report);
    return open_world(l.model, h);
}

static inline void end_world(World *w) {
    tac_sim_free(w->sim);
    tac_model_free(w->m);
}

static inline double *velocity(World *w) { return w->x + w->m->nq; }

static inline void run(World *w, int steps) {
    for (int k = 0; k < steps; k++)
        CHECK_INT(tac_step(w->sim, w->x, w->u, w->x, &w->info), TAC_OK);
}

static inline double energy(World *w) {
    tacEnergy e;
    CHECK_INT(tac_energy(w->sim, w->x, velocity(w), &e), TAC_OK);
    return e.kinetic + e.potential;
}

static inline int setup(void **state) {
    (void)state;
    scratch_begin();
    return 0;
}

static inline int teardown(void **state) {
    (void)state;
    scratch_end();
    return 0;
}
