/* First impact of a whole model: closed forms, impacts at once, what rests, gradients against Ridders' differences,
 * none missed on a robot, and what is refused. */
#include "support/check.h"
#include "support/open_sim.h"
#include "support/random_tree.h"

#include "measure/differences.h"
#include "smooth/first_impact.h"
#include "step/sim.h"
#include "support/draw.h"
#include "tactus/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOL_TIME     1e-13 /* s, of steps of a second */
#define TOL_GRADIENT 1e-7
#define TOL_SURFACE  1e-9 /* m: resting geoms may come nearer by as much (TAC_IMPACT_REST) */

enum { MOST = 8 };

typedef struct World {
    tacModel *m;
    tacSim *sim;
    tacOptions options;
    double *q, *v, *dq, *dv;
    tacImpactPair pair[MOST];
    tacImpact hit;
} World;

static World open_world(tacModel *m) {
    World w = {.m = m};
    w.sim = open_sim(m, TAC_INPUT_MOCAP, &w.options, &w.q);
    w.v = zeros(m->nv);
    w.dq = zeros(m->nv);
    w.dv = zeros(m->nv);
    return w;
}

static void close_world(World *w) {
    free(w->q);
    free(w->v);
    free(w->dq);
    free(w->dv);
    tac_sim_free(w->sim);
    tac_model_free(w->m);
}

static void find(World *w, double h, double gap) {
    w->hit = (tacImpact){.gap = gap, .max_pairs = MOST, .pair = w->pair, .dtime_dq = w->dq, .dtime_dv = w->dv};
    tac_sim_poison(w->sim);
    CHECK_INT(tac_first_impact(w->sim, w->q, w->v, NULL, h, &w->hit), TAC_OK);
}

static World balls(int n, const tacVec3 *at) { return open_world(balls_over_floor(n, at, 0, 0)); }

/* --- Closed forms ------------------------------------------------------------------------------------------------- */

static void the_first_of_several(void **state) {
    (void)state;
    World w = balls(3, (tacVec3[]){{0, 0, 0.6}, {1, 0, 0.6}, {3, 0, 0.35}});
    w.v[2] = -1;      /* first ball: lands at 0.5 */
    w.v[6] = -2;      /* second ball, towards the first: at (1 - 0.2)/2 = 0.4 */
    w.v[12 + 2] = -1; /* third: lands at 0.25 */
    find(&w, 1, 0);
    CHECK_INT(w.hit.kind, TAC_IMPACT_HIT);
    CHECK_INT(w.hit.npair, 1);
    CHECK_NEAR(w.hit.time, 0.25, TOL_TIME);
    CHECK_INT(w.pair[0].geom[0], 0);
    CHECK_INT(w.pair[0].geom[1], 3);
    CHECK_NEAR(w.pair[0].rate, -1, TOL_TIME);
    CHECK_NEAR(w.dq[12 + 2], 1, TOL_TIME); /* dt = dz/|v| */
    CHECK_NEAR(w.dv[12 + 2], 0.25, TOL_TIME);
    CHECK_NEAR(w.dq[2], 0, TOL_TIME);
    w.v[12 + 2] = 0;
    w.v[2] = 0;
    find(&w, 1, 0.02); /* the two balls, at a gap */
    CHECK_NEAR(w.hit.time, 0.39, TOL_TIME);
    CHECK_INT(w.pair[0].geom[0], 1);
    CHECK_INT(w.pair[0].geom[1], 2);
    CHECK_NEAR(w.pair[0].dist, 0.02, TOL_TIME);
    find(&w, 0.38, 0.02);
    CHECK_INT(w.hit.kind, TAC_IMPACT_NONE);
    CHECK_INT(w.hit.npair, 0);
    CHECK_NEAR(w.hit.time, 0.38, 0);
    CHECK_NEAR(w.dv[6], 0, 0);
    close_world(&w);
}

/* Balls that pass at just their two radii meet, and the time has no derivative; 1e-8 nearer it has one. */
static void grazing_has_no_gradient(void **state) {
    (void)state;
    World w = balls(2, (tacVec3[]){{0, 0, 1}, {0.5, 0.2, 1}});
    w.v[6] = -1;
    w.hit = (tacImpact){.max_pairs = MOST, .pair = w.pair};
    CHECK_INT(tac_first_impact(w.sim, w.q, w.v, NULL, 1, &w.hit), TAC_OK);
    CHECK_INT(w.hit.kind, TAC_IMPACT_HIT);
    w.hit = (tacImpact){.max_pairs = MOST, .pair = w.pair, .dtime_dq = w.dq, .dtime_dv = w.dv};
    CHECK_INT(tac_first_impact(w.sim, w.q, w.v, NULL, 1, &w.hit), TAC_ERR_DEGENERATE);
    w.q[7 + 1] -= 1e-8;
    find(&w, 1, 0);
    CHECK_NEAR(w.hit.time, 0.5 - sqrt(0.2 * 0.2 - w.q[8] * w.q[8]), TOL_TIME);
    CHECK_NEAR(w.dq[6], 1, TOL_TIME); /* it starts that much later */
    close_world(&w);
}

static void impacts_at_once(void **state) {
    (void)state;
    World w = balls(3, (tacVec3[]){{0, 0, 0.5}, {1, 0, 0.5}, {2, 0, 0.5 + 1e-7}});
    for (int i = 0; i < 3; i++)
        w.v[6 * i + 2] = -1;
    find(&w, 1, 0);
    CHECK_INT(w.hit.npair, 2); /* the third comes 1e-7 later */
    CHECK_INT(w.pair[0].geom[1] + w.pair[1].geom[1], 3);
    CHECK_NEAR(w.pair[0].time, 0.4, TOL_TIME);
    CHECK_NEAR(w.pair[1].time, 0.4, TOL_TIME);
    w.hit.max_pairs = 1; /* those beyond the room are counted */
    CHECK_INT(tac_first_impact(w.sim, w.q, w.v, NULL, 1, &w.hit), TAC_OK);
    CHECK_INT(w.hit.npair, 2);
    w.hit.max_pairs = 0;
    w.hit.pair = NULL;
    CHECK_INT(tac_first_impact(w.sim, w.q, w.v, NULL, 1, &w.hit), TAC_OK);
    CHECK_NEAR(w.hit.time, 0.4, TOL_TIME);
    close_world(&w);
}

/* A ball on the floor that stays or slides does not stop another's flight; one that sinks does. */
static void resting_is_no_impact(void **state) {
    (void)state;
    World w = balls(2, (tacVec3[]){{0, 0, 0.1}, {1, 0, 0.6}});
    w.v[0] = 1;
    w.v[6 + 2] = -1;
    find(&w, 0.7, 0);
    CHECK_INT(w.hit.kind, TAC_IMPACT_HIT);
    CHECK_INT(w.pair[0].geom[1], 2);
    CHECK_NEAR(w.hit.time, 0.5, TOL_TIME);
    w.v[2] = 0.5; /* lifts off */
    find(&w, 0.4, 0);
    CHECK_INT(w.hit.kind, TAC_IMPACT_NONE);
    w.v[2] = -0.5;
    find(&w, 0.7, 0);
    CHECK_INT(w.hit.kind, TAC_IMPACT_NEAR);
    CHECK_NEAR(w.hit.time, 0, 0);
    CHECK_INT(w.pair[0].geom[1], 1);
    CHECK_NEAR(w.pair[0].rate, -0.5, TOL_TIME);
    close_world(&w);
}

/* --- Gradients ---------------------------------------------------------------------------------------------------- */

/* An arm of a ball joint and two hinges swings a capsule at a wall and a box; a mocap body holds the wall. */
static World arm(void) {
    tacBuilder *b = tac_model_begin();
    tacGeomDef geom = tac_default_geom();
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    tacModel *m = NULL;
    body.pos = tac_vec3(0, 0, -1.4);
    body.mocap = 1;
    int wall = tac_model_add_body(b, 0, &body);
    geom.type = TAC_GEOM_BOX;
    geom.size[0] = 2;
    geom.size[1] = 2;
    geom.size[2] = 0.2;
    tac_model_add_geom(b, wall, &geom);
    body = tac_default_body();
    geom = tac_default_geom();
    geom.type = TAC_GEOM_CAPSULE;
    geom.size[0] = 0.05;
    geom.size[1] = 0.3;
    geom.pos = tac_vec3(0.35, 0, 0);
    geom.quat = (tacQuat){sqrt(0.5), 0, sqrt(0.5), 0};
    int parent = 0;
    for (int i = 0; i < 3; i++) {
        body.pos = tac_vec3(i ? 0.7 : 0, 0, 0);
        parent = tac_model_add_body(b, parent, &body);
        joint.type = i ? TAC_JOINT_HINGE : TAC_JOINT_BALL;
        joint.axis = tac_vec3(0.2 * i, 1, 0.3);
        joint.pos = tac_vec3(0, 0, 0.02);
        tac_model_add_joint(b, parent, &joint);
        tac_model_add_geom(b, parent, &geom);
    }
    CHECK_INT(tac_model_finish(b, &m, NULL), TAC_OK);
    tac_builder_free(b);
    return open_world(m);
}

typedef struct Along {
    World *w;
    double *q, *dq, *dv;
    int geom[2];
    int other; /* 1: other geoms met somewhere */
} Along;

/* out = time of the first impact at q (+) x dq, v + x dv. */
static int time_along(void *context, double x, double *out) {
    Along *a = context;
    World *w = a->w;
    double step[32], v[32];
    for (int i = 0; i < w->m->nv; i++) {
        step[i] = x * a->dq[i];
        v[i] = w->v[i] + x * a->dv[i];
    }
    tac_qpos_add(w->m, w->q, step, a->q);
    tacImpactPair pair;
    tacImpact hit = {.gap = w->hit.gap, .max_pairs = 1, .pair = &pair};
    if (tac_first_impact(w->sim, a->q, v, NULL, 1, &hit) != TAC_OK || hit.kind != TAC_IMPACT_HIT) return 1;
    a->other |= pair.geom[0] != a->geom[0] || pair.geom[1] != a->geom[1];
    *out = hit.time;
    return 0;
}

static void check_gradient(World *w, tacDraw *d, int *checked) {
    double q[64], dq[32], dv[32], numeric, estimate, work[64], analytic = 0, scale = 0;
    Along a = {w, q, dq, dv, {w->pair[0].geom[0], w->pair[0].geom[1]}, 0};
    draw_array(d, w->m->nv, dq);
    draw_array(d, w->m->nv, dv);
    for (int i = 0; i < w->m->nv; i++) {
        analytic += w->dq[i] * dq[i] + w->dv[i] * dv[i];
        scale += fabs(w->dq[i]) + fabs(w->dv[i]);
    }
    CHECK(scale > 0 && difference_work(1) <= 64);
    int failed = difference_ridders(time_along, &a, 1, 1e-3 / fmax(1, scale), &numeric, &estimate, work);
    if (failed || a.other || estimate > TOL_GRADIENT * fmax(1, scale))
        return; /* another impact, or a corner of the time */
    ++*checked;
    CHECK_NEAR(analytic, numeric, TOL_GRADIENT * fmax(1, scale));
}

static void gradients(void **state) {
    (void)state;
    World w = arm();
    int hits = 0, checked = 0;
    for (uint64_t k = 0; k < 200; k++) {
        tacDraw d = {k, 0};
        double move[32];
        draw_array(&d, w.m->nv, move);
        for (int i = 0; i < w.m->nv; i++)
            move[i] *= 0.6;
        tac_qpos_add(w.m, w.m->qpos_0, move, w.q);
        draw_array(&d, w.m->nv, w.v);
        for (int i = 0; i < w.m->nv; i++)
            w.v[i] *= 3;
        find(&w, 1, 0.01);
        if (w.hit.kind != TAC_IMPACT_HIT) continue;
        hits++;
        check_gradient(&w, &d, &checked);
    }
    printf("%d impacts, %d gradients compared\n", hits, checked);
    CHECK(hits >= 20);
    CHECK(checked >= 0.8 * hits);
    close_world(&w);
}

/* --- None missed -------------------------------------------------------------------------------------------------- */

/* Deepest contact of a robot, among pairs that did not touch to begin with. */
static double deepest(World *w, const double *q, int nstart, const tacContact *start) {
    static tacContact c[512];
    int n;
    double worst = 0;
    CHECK_INT(tac_contacts(w->sim, q, NULL, c, 512, &n), TAC_OK);
    for (int i = 0; i < n; i++) {
        int old = 0;
        for (int k = 0; k < nstart; k++)
            old |= start[k].geom[0] == c[i].geom[0] && start[k].geom[1] == c[i].geom[1];
        if (!old) worst = fmin(worst, c[i].dist);
    }
    return worst;
}

static void none_missed_on_a_robot(void **state) {
    (void)state;
    tacModel *m = NULL;
    tacError err;
    if (tac_load("models/humanoid.xml", &m, &err) != TAC_OK) fail_msg("%s", err.text);
    World w = open_world(m);
    static tacContact start[512];
    double *q = calloc((size_t)m->nq, sizeof *q), *tv = calloc((size_t)m->nv, sizeof *tv);
    int hits = 0;
    for (uint64_t k = 0; k < 40; k++) {
        tacDraw d = {k, 0};
        int nstart;
        draw_array(&d, m->nv, tv);
        for (int i = 0; i < m->nv; i++) {
            tv[i] *= 0.2;
            w.v[i] = draw_uniform(&d, -4, 4);
        }
        tac_qpos_add(m, m->qpos_0, tv, w.q);
        CHECK_INT(tac_contacts(w.sim, w.q, NULL, start, 512, &nstart), TAC_OK);
        find(&w, 0.3, 0);
        CHECK(w.hit.kind != TAC_IMPACT_UNDECIDED);
        hits += w.hit.kind == TAC_IMPACT_HIT;
        for (int s = 1; s <= 100; s++) {
            double t = w.hit.time * (s / 100.0 - 1e-9);
            for (int i = 0; i < m->nv; i++)
                tv[i] = t * w.v[i];
            tac_qpos_add(m, w.q, tv, q);
            CHECK_LT(-deepest(&w, q, nstart, start), TOL_SURFACE);
        }
    }
    CHECK(hits >= 5);
    free(q);
    free(tv);
    close_world(&w);
}

/* --- Refused ------------------------------------------------------------------------------------------------------ */

/* A ball that spins a thousand times in the motion: each search gets a part of the way; together they are given up
 * after a bounded number of steps. */
static void long_searches_are_bounded(void **state) {
    (void)state;
    World w = balls(1, &(tacVec3){0, 0, 0.15});
    w.v[3] = 1e8;
    tacHeldPairs held = {.searched = (char[1]){0}, .near = 1e-4, .least = 1e-7};
    tacStatus status = TAC_OK;
    int searches = 0;
    while (status == TAC_OK && searches < TAC_IMPACT_SLOW_STEPS) {
        tacImpact hit = {.gap = 1e-6, .max_pairs = MOST, .pair = w.pair};
        int before = held.slow;
        status = tac_next_impact(&w.sim->ctx, w.q, w.v, NULL, 0.01, &held, &hit);
        searches++;
        CHECK(held.slow > before);
        if (status == TAC_OK) CHECK_INT(hit.kind, TAC_IMPACT_UNDECIDED);
    }
    print_message("given up after %d searches, %d steps\n", searches, held.slow);
    CHECK_INT(status, TAC_ERR_IMPACTS);
    w.v[3] = 10;
    held.slow = 0;
    tacImpact hit = {.gap = 1e-6, .max_pairs = MOST, .pair = w.pair};
    CHECK_INT(tac_next_impact(&w.sim->ctx, w.q, w.v, NULL, 0.01, &held, &hit), TAC_OK);
    CHECK_INT(held.slow, 0);
    close_world(&w);
}

static void what_is_refused(void **state) {
    (void)state;
    World w = balls(1, (tacVec3[]){{0, 0, 1}});
    tacImpact hit = {.gap = 0};
    CHECK_INT(tac_first_impact(NULL, w.q, w.v, NULL, 1, &hit), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_first_impact(w.sim, NULL, w.v, NULL, 1, &hit), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_first_impact(w.sim, w.q, w.v, NULL, 1, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_first_impact(w.sim, w.q, w.v, NULL, -1, &hit), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_first_impact(w.sim, w.q, w.v, NULL, HUGE_VAL, &hit), TAC_ERR_ARGUMENT);
    hit.gap = nan("");
    CHECK_INT(tac_first_impact(w.sim, w.q, w.v, NULL, 1, &hit), TAC_ERR_ARGUMENT);
    hit.gap = 0;
    hit.max_pairs = 3;
    CHECK_INT(tac_first_impact(w.sim, w.q, w.v, NULL, 1, &hit), TAC_ERR_ARGUMENT);
    hit.max_pairs = 0;
    w.v[1] = nan("");
    CHECK_INT(tac_first_impact(w.sim, w.q, w.v, NULL, 1, &hit), TAC_ERR_NONFINITE);
    w.v[1] = 1e308;
    w.v[2] = 1e308;
    CHECK_INT(tac_first_impact(w.sim, w.q, w.v, NULL, 10, &hit), TAC_ERR_NONFINITE);
    w.v[1] = w.v[2] = 0;
    w.q[0] = nan("");
    CHECK_INT(tac_first_impact(w.sim, w.q, w.v, NULL, 1, &hit), TAC_ERR_NONFINITE);
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_several),
        cmocka_unit_test(grazing_has_no_gradient),
        cmocka_unit_test(impacts_at_once),
        cmocka_unit_test(resting_is_no_impact),
        cmocka_unit_test(gradients),
        cmocka_unit_test(none_missed_on_a_robot),
        cmocka_unit_test(long_searches_are_bounded),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
