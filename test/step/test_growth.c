/* Growth distances of geoms: values in closed form, derivatives against Ridders' differences, reverse mode, the output,
 * unions, shapes with pads and sums by builder, file and packed bytes, and what is refused. */
#include "support/check.h"

#include "dynamics/kinematics.h"
#include "evidence/growth_bounds.h"
#include "evidence/growth_case.h"
#include "io/scratch.h"
#include "measure/differences.h"
#include "step/growth.h"
#include "tactus/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOL_EXACT    1e-9 /* lengths at kappa 1e-12, in m */
#define TOL_GRADIENT 1e-6 /* of max(1, the derivative) */
#define TOL_REVERSE  1e-10
#define SHARP        1e-12
#define SMOOTH       1e-2
#define FIRST_STEP   3e-3

enum { ROWS = TAC_GROWTH_ROWS, COLUMNS = 128, PAIRS = 24 };

typedef struct World {
    tacModel *m;
    tacSim *sim;
    double *q;
} World;

static World open_model(tacModel *m) {
    World w = {.m = m};
    tacError err = {.text = ""};
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    options.inputs = TAC_INPUT_MOCAP;
    if (tac_sim_new(m, &options, &w.sim, &err) != TAC_OK) fail_msg("%s", err.text);
    w.q = m->qpos_0;
    return w;
}

static tacModel *parse(const char *inside) {
    static char text[4096];
    tacModel *m = NULL;
    tacError err = {.text = ""};
    snprintf(text, sizeof text, "<mujoco xmlns:tactus=\"urn:tactus\"><worldbody>%s</worldbody></mujoco>", inside);
    if (tac_load(scratch_text("model.xml", text), &m, &err) != TAC_OK) fail_msg("%s", err.text);
    return m;
}

static void close_world(World *w) {
    tac_sim_free(w->sim);
    tac_model_free(w->m);
}

static tacGrowth grow(World *w, int a, int b, double kappa) {
    tacGrowth g = {.kappa = 0};
    CHECK_INT(tac_geom_growth(w->sim, w->q, NULL, a, b, kappa, &g), TAC_OK);
    return g;
}

/* --- Values ------------------------------------------------------------------------------------------------------- */

/* Balls meet at |d| / (r + s); a box over a plane has its height as gap; at any kappa the dual is kappa nu below. */
static void closed_forms(void **state) {
    (void)state;
    World w = open_model(parse("<geom name='floor' type='plane' size='1 1 1'/>"
                               "<body pos='0 0 2'><freejoint/><geom size='0.5'/></body>"
                               "<body pos='3 0 2'><freejoint/><geom size='0.25'/></body>"
                               "<body pos='0 5 0.7'><freejoint/><geom type='box' size='0.1 0.2 0.3'/></body>"));
    tacGrowth g = grow(&w, 1, 2, SHARP);
    CHECK_NEAR(g.alpha, 4, TOL_EXACT);
    CHECK_NEAR(g.gap, 2.25, TOL_EXACT);
    CHECK_NEAR(g.normal.x, 1, TOL_EXACT);
    CHECK_NEAR(g.point.x, 2, 1e-5);
    g = grow(&w, 0, 3, SHARP);
    CHECK_NEAR(g.gap, 0.4, TOL_EXACT);
    CHECK_NEAR(g.normal.z, 1, TOL_EXACT);
    g = grow(&w, 0, 3, SMOOTH);
    CHECK_NEAR(g.alpha - g.dual, g.kappa * g.nu, 1e-12);
    CHECK(g.gap < 0.4);
    CHECK_INT(g.nduals, 7);
    close_world(&w);
}

/* The least of a union; the swapped pair has the opposite normal. */
static void unions(void **state) {
    (void)state;
    World w = open_model(parse("<body><freejoint/><geom size='0.2'/><geom pos='1 0 0' size='0.3'/></body>"
                               "<body pos='3 0 0'><freejoint/><geom type='box' size='0.5 0.5 0.5'/></body>"));
    tacGrowth least = {.kappa = 0}, one = grow(&w, 1, 2, 1e-6), turned = grow(&w, 2, 1, 1e-6);
    CHECK_INT(tac_body_growth(w.sim, w.q, NULL, 1, 2, 1e-6, &least), TAC_OK);
    CHECK_INT(least.geom[0], 1);
    CHECK(least.alpha == one.alpha);
    CHECK_NEAR(turned.normal.x, -one.normal.x, 1e-9);
    CHECK_NEAR(turned.alpha, one.alpha, 1e-9);
    close_world(&w);
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

typedef struct Along {
    GrowthCase *c;
    double theta[COLUMNS];
    int column;
} Along;

static int moved(void *context, double t, double *out) {
    Along *a = context;
    double v[12] = {0}, q[2 * GROWTH_Q], theta[COLUMNS];
    tacGrowth g = {.kappa = 0};
    memcpy(q, a->c->q, sizeof q);
    memcpy(theta, a->theta, sizeof theta);
    if (a->column < a->c->nv) {
        v[a->column] = t;
        tac_qpos_add(a->c->model, a->c->q, v, q);
    } else {
        theta[a->column - a->c->nv] += t;
    }
    int bad = tac_sim_set_params(a->c->sim, theta) != TAC_OK;
    bad |= tac_geom_growth(a->c->sim, q, NULL, a->c->geom[0], a->c->geom[1], SMOOTH, &g) != TAC_OK;
    tac_sim_set_params(a->c->sim, a->theta);
    const double numbers[ROWS] = {g.alpha,   g.dual,     g.gap,      g.point.x,  g.point.y,
                                  g.point.z, g.normal.x, g.normal.y, g.normal.z, g.barrier};
    memcpy(out, numbers, sizeof numbers);
    return bad;
}

static void check_columns(GrowthCase *c, const double *dq, const double *dtheta) {
    Along a = {.c = c};
    int np = c->model->nparam;
    tac_sim_get_params(c->sim, a.theta);
    for (a.column = 0; a.column < c->nv + np; a.column++) {
        double slope[ROWS], column[ROWS], work[1024];
        CHECK_INT(difference_ridders(moved, &a, ROWS, FIRST_STEP, slope, NULL, work), 0);
        for (int i = 0; i < ROWS; i++)
            column[i] = a.column < c->nv ? dq[i * c->nv + a.column] : dtheta[i * np + a.column - c->nv];
        CHECK_ARRAY(ROWS, column, slope, TOL_GRADIENT);
    }
}

/* Pairs of all kinds at random poses: rows by q and theta, weighted rows in reverse. */
static void derivatives(void **state) {
    (void)state;
    static double dq[ROWS * 12], dtheta[ROWS * COLUMNS], gq[12], gtheta[COLUMNS], want_q[12], want[COLUMNS];
    for (int n = 0; n < PAIRS; n++) {
        tacDraw d = {.seed = 900 + (uint64_t)n};
        GrowthCase c;
        double bar[ROWS];
        int a = n % GROWTH_KINDS, b = (5 * n + 3) % GROWTH_KINDS;
        growth_case_open(a < b ? a : b, (a < b ? b : a) + (a + b == 0), &d, 1, &c);
        CHECK(c.model->nparam <= COLUMNS);
        growth_case_pose(&c, &d, n);
        tacGrowth g = {.geom = {c.geom[0], c.geom[1]}, .kappa = SMOOTH};
        CHECK_INT(tac_growth_jac(c.sim, c.q, NULL, &g, &(tacGrowthJac){.q = dq, .theta = dtheta}), TAC_OK);
        CHECK(fabs(dq[0]) + fabs(dq[1]) + fabs(dq[2]) > 0);
        check_columns(&c, dq, dtheta);
        draw_array(&d, ROWS, bar);
        CHECK_INT(tac_growth_vjp(c.sim, c.q, NULL, &g, bar, &(tacGrowthGrad){.q = gq, .theta = gtheta}), TAC_OK);
        memset(want, 0, sizeof want), memset(want_q, 0, sizeof want_q);
        for (int i = 0; i < ROWS; i++) {
            for (int j = 0; j < c.nv; j++)
                want_q[j] += bar[i] * dq[i * c.nv + j];
            for (int j = 0; j < c.model->nparam; j++)
                want[j] += bar[i] * dtheta[i * c.model->nparam + j];
        }
        CHECK_ARRAY(c.nv, gq, want_q, TOL_REVERSE);
        CHECK_ARRAY(c.model->nparam, gtheta, want, TOL_REVERSE);
        growth_case_close(&c);
    }
}

static int moved_duals(void *context, double t, double *out) {
    Along *a = context;
    double v[12] = {0}, q[2 * GROWTH_Q] = {0};
    tacGrowth g = {.max_duals = COLUMNS, .duals = out};
    v[a->column] = t;
    tac_qpos_add(a->c->model, a->c->q, v, q);
    return tac_geom_growth(a->c->sim, q, NULL, a->c->geom[0], a->c->geom[1], SMOOTH, &g) != TAC_OK;
}

/* Duals of a box and a capsule move as differences say. */
static void duals(void **state) {
    (void)state;
    tacDraw d = {.seed = 77};
    GrowthCase c;
    double lambda[COLUMNS], dq[COLUMNS * 12], slope[COLUMNS], work[4096];
    growth_case_open(2, 5, &d, 0, &c);
    growth_case_pose(&c, &d, 0);
    tacGrowth g = {.max_duals = COLUMNS, .duals = lambda};
    CHECK_INT(tac_geom_growth(c.sim, c.q, NULL, c.geom[0], c.geom[1], SMOOTH, &g), TAC_OK);
    CHECK_INT(g.nduals, 12);
    CHECK_INT(tac_growth_jac(c.sim, c.q, NULL, &g, &(tacGrowthJac){.duals_q = dq}), TAC_OK);
    Along a = {.c = &c};
    for (a.column = 0; a.column < c.nv; a.column++) {
        double column[COLUMNS];
        CHECK_INT(difference_ridders(moved_duals, &a, g.nduals, FIRST_STEP, slope, NULL, work), 0);
        for (int i = 0; i < g.nduals; i++)
            column[i] = dq[i * c.nv + a.column];
        CHECK_ARRAY(g.nduals, column, slope, TOL_GRADIENT);
    }
    growth_case_close(&c);
}

/* The output is the function, to the bit; its rows are those of the function. */
static void as_output(void **state) {
    (void)state;
    tacDraw d = {.seed = 5};
    GrowthCase c;
    growth_case_open(8, 10, &d, 1, &c);
    growth_case_pose(&c, &d, 0);
    int ndx = tac_ndx(c.model), np = c.model->nparam;
    tacGrowth g = {.kappa = 0};
    double x[14 + 12] = {0}, z[9], A[9 * 24], P[9 * COLUMNS], dq[ROWS * 12], dtheta[ROWS * COLUMNS], gx[24], bar[9];
    memcpy(x, c.q, sizeof c.q);
    const tacOutput one = {.kind = TAC_OUT_GROWTH, .id = c.geom[0], .id2 = c.geom[1], .kappa = 1e-3};
    const tacOutputs list = {1, &one};
    CHECK_INT(tac_outputs_size(c.model, &list), 9);
    CHECK_INT(tac_outputs_jac(c.sim, x, NULL, &list, z, &(tacJac){.A = A, .P = P}), TAC_OK);
    CHECK_INT(tac_geom_growth(c.sim, c.q, NULL, c.geom[0], c.geom[1], 1e-3, &g), TAC_OK);
    CHECK(z[0] == g.alpha && z[1] == g.dual && z[2] == g.gap && z[3] == g.point.x && z[8] == g.normal.z);
    CHECK_INT(tac_growth_jac(c.sim, c.q, NULL, &g, &(tacGrowthJac){.q = dq, .theta = dtheta}), TAC_OK);
    for (int i = 0; i < 9; i++) {
        CHECK_ARRAY(12, A + i * ndx, dq + 12 * i, 1e-14);
        CHECK_ARRAY(np, P + i * np, dtheta + np * i, 1e-14);
    }
    draw_array(&d, 9, bar);
    CHECK_INT(tac_outputs_vjp(c.sim, x, NULL, &list, bar, &(tacGrad){.x = gx}), TAC_OK);
    double direction[24], dz[9], forward[9] = {0};
    draw_array(&d, ndx, direction);
    CHECK_INT(tac_outputs_jvp(c.sim, x, NULL, &list, &(tacTangent){.x = direction}, dz), TAC_OK);
    for (int i = 0; i < 9 * ndx; i++)
        forward[i / ndx] += A[i] * direction[i % ndx];
    CHECK_ARRAY(9, dz, forward, TOL_REVERSE);
    for (int j = 0; j < ndx; j++) {
        double sum = 0;
        for (int i = 0; i < 9; i++)
            sum += bar[i] * A[i * ndx + j];
        CHECK_NEAR(gx[j], sum, TOL_REVERSE * fmax(1, fabs(sum)));
    }
    growth_case_close(&c);
}

/* --- Files -------------------------------------------------------------------------------------------------------- */

static const char *const SUMMED = "<body><freejoint/>"
                                  "<geom name='core' type='box' size='.1 .2 .3' tactus:pad='%s' tactus:sum='extra'/>"
                                  "<geom name='extra' type='capsule' size='.1 .2' euler='30 40 50' contype='0'"
                                  " conaffinity='0'/></body>"
                                  "<body pos='1 .4 .3'><freejoint/><geom name='other' size='.25'/></body>";

static tacModel *parse_summed(const char *pad) {
    char text[1024];
    snprintf(text, sizeof text, SUMMED, pad);
    return parse(text);
}

static tacGrowth grow_named(tacModel *m) {
    World w = open_model(m);
    tacGrowth g = grow(&w, tac_model_find(m, TAC_KIND_GEOM, "core"), tac_model_find(m, TAC_KIND_GEOM, "other"), 1e-6);
    close_world(&w);
    return g;
}

static tacModel *build_summed(double pad, const tacModel *like) {
    tacBuilder *b = tac_model_begin();
    tacModel *m = NULL;
    tacError err = {.text = ""};
    for (int i = 1; i < 3; i++) {
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        body.pos = like->body_pos[i];
        joint.type = TAC_JOINT_FREE;
        CHECK_INT(tac_model_add_body(b, 0, &body), i);
        tac_model_add_joint(b, i, &joint);
    }
    tacGeomDef core = tac_default_geom(), extra = core, other = core;
    core.name = "core", core.type = TAC_GEOM_BOX, core.size[0] = .1, core.size[1] = .2, core.size[2] = .3;
    core.pad = pad, core.sum = 1;
    extra.name = "extra", extra.type = TAC_GEOM_CAPSULE, extra.size[0] = .1, extra.size[1] = .2;
    extra.quat = like->geom_quat[1];
    other.name = "other", other.size[0] = .25;
    tac_model_add_geom(b, 1, &core), tac_model_add_geom(b, 1, &extra), tac_model_add_geom(b, 2, &other);
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    return m;
}

static int same(const tacGrowth *a, const tacGrowth *b) {
    return a->alpha == b->alpha && a->dual == b->dual && a->gap == b->gap && a->point.x == b->point.x &&
           a->point.z == b->point.z && a->normal.y == b->normal.y && a->barrier == b->barrier;
}

/* The same bits by MJCF, builder and packed bytes; a pad set by path is that of an edited file. Sums have no mass. */
static void files(void **state) {
    (void)state;
    tacModel *m = parse_summed("0.05"), *unpacked = NULL;
    size_t bytes = tac_model_pack_bytes(m);
    void *packed = malloc(bytes);
    CHECK_INT(tac_model_pack(m, packed, bytes, NULL), TAC_OK);
    CHECK_INT(tac_model_unpack(packed, bytes, &unpacked, NULL), TAC_OK);
    CHECK_NEAR(m->body_mass[1], 1000 * 8 * .1 * .2 * .3, 1e-9);
    tacGrowth by_builder = grow_named(build_summed(0.05, m)), by_file = grow_named(m), by_pack = grow_named(unpacked);
    CHECK(same(&by_file, &by_builder));
    CHECK(same(&by_file, &by_pack));
    tacModel *set = parse_summed("0.05");
    CHECK_INT(tac_param_set(set, "geom/core.pad", 0.08, NULL), TAC_OK);
    tacGrowth by_path = grow_named(set), edited = grow_named(parse_summed("0.08"));
    CHECK(same(&by_path, &edited));
    CHECK(by_path.alpha < by_file.alpha);
    free(packed);
}

/* --- What is refused ---------------------------------------------------------------------------------------------- */

/* What shapes without pads and sums would answer wrongly is refused with contact none too. */
static void refuses_motion(const World *w) {
    tacOptions options = tac_default_options(w->m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    tacRay ray = tac_default_ray();
    tacImpact impact = {.gap = 0};
    tacProjection how = {.bytes = tac_project_bytes(w->m, &options)};
    how.memory = aligned_alloc(64, (how.bytes + 63) / 64 * 64);
    double *x = calloc((size_t)tac_nx(w->m), sizeof *x), *v = calloc((size_t)w->m->nv + 1, sizeof *v);
    tac_default_state(w->m, x);
    CHECK_INT(tac_ray(w->sim, w->q, NULL, &ray), TAC_ERR_UNSUPPORTED);
    CHECK_HAS(tac_sim_error(w->sim), "has a pad or a sum");
    CHECK_INT(tac_first_impact(w->sim, w->q, v, NULL, 0.1, &impact), TAC_ERR_UNSUPPORTED);
    CHECK_INT(tac_project_state(w->sim, x, NULL, NULL, &how), TAC_ERR_UNSUPPORTED);
    free(how.memory);
    free(x);
    free(v);
}

static void contact_models(void **state) {
    (void)state;
    static const tacContactModel models[] = {TAC_CONTACT_MODEL_LCP, TAC_CONTACT_MODEL_NCP, TAC_CONTACT_MODEL_SOFT};
    tacModel *m = parse_summed("0");
    tacError err = {.text = ""};
    tacSim *sim;
    tacContact c;
    int n;
    for (int i = 0; i < 3; i++) {
        tacOptions options = tac_default_options(m);
        options.contact = models[i];
        CHECK_INT(tac_sim_new(m, &options, &sim, &err), TAC_ERR_UNSUPPORTED);
        CHECK_HAS(err.text, "geom 'core' has a sum");
    }
    World w = open_model(m);
    CHECK_INT(tac_geom_distance(w.sim, w.q, NULL, 0, 2, &c), TAC_ERR_UNSUPPORTED);
    CHECK_INT(tac_contacts(w.sim, w.q, NULL, &c, 1, &n), TAC_ERR_UNSUPPORTED);
    refuses_motion(&w);
    close_world(&w);
}

static void bad_calls(void **state) {
    (void)state;
    static const double kappas[] = {0, -1, 1.5, (double)NAN, (double)INFINITY};
    World w = open_model(parse("<geom name='floor' type='plane' size='1 1 1'/><geom type='plane' size='1 1 1'/>"
                               "<body><freejoint/><geom size='.1'/></body>"
                               "<body><freejoint/><geom type='box' size='.1 .1 .1'/></body>"));
    tacGrowth g = {.kappa = 0};
    for (int i = 0; i < 5; i++)
        CHECK_INT(tac_geom_growth(w.sim, w.q, NULL, 0, 2, kappas[i], &g), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_geom_growth(w.sim, w.q, NULL, 0, 1, 1e-4, &g), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_geom_growth(w.sim, w.q, NULL, 2, 2, 1e-4, &g), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_body_growth(w.sim, w.q, NULL, 1, 1, 1e-4, &g), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_geom_growth(w.sim, w.q, NULL, 2, 3, 1e-4, &g), TAC_ERR_DEGENERATE); /* concentric */
    CHECK(g.alpha == 0);
    w.q[2] = -1e3; /* deep below the plane */
    CHECK_INT(tac_geom_growth(w.sim, w.q, NULL, 0, 2, 1e-4, &g), TAC_OK);
    CHECK_NEAR(g.normal.z, 1, 1e-12);
    CHECK(g.gap <= -1e3);
    w.q[2] = (double)NAN;
    CHECK_INT(tac_geom_growth(w.sim, w.q, NULL, 0, 2, 1e-4, &g), TAC_ERR_NONFINITE);
    close_world(&w);
}

/* Sizes 1e6 apart, aspect ratios of 1000, from 1 mm to 1 km: solved, and never above the distance. */
static void extremes(void **state) {
    (void)state;
    World w = open_model(parse("<body><freejoint/><geom type='box' size='1000 1000 1000'/></body>"
                               "<body pos='1001 0 0'><freejoint/><geom type='box' size='.001 .001 .001'/></body>"
                               "<body pos='5 3 2'><freejoint/><geom type='box' size='1 .001 .5'/></body>"
                               "<body pos='7 1 2'><freejoint/><geom type='capsule' size='.001 1'/></body>"
                               "<body pos='1 0 0'><freejoint/><geom type='ellipsoid' size='.001 1 .03'/></body>"));
    for (int a = 0; a < w.m->ngeom; a++)
        for (int b = 0; b < w.m->ngeom; b++)
            for (double kappa = 1e-4; a != b && kappa > 1e-13; kappa *= 1e-4) {
                tacContact c;
                tacGrowth g = grow(&w, a, b, kappa);
                CHECK_INT(tac_geom_distance(w.sim, w.q, NULL, a, b, &c), TAC_OK);
                CHECK(g.gap <= c.dist + 1e-9 * 2000);
                CHECK(g.iterations <= 30);
            }
    close_world(&w);
}

/* Every pair at extreme sizes and places: alpha and its dual value lie within what supports and gauges in closed form
 * allow. */
static void bounded(GrowthCase *c, double kappa) {
    static tacGrowthSystem g;
    tacArena *arena = &c->sim->ctx.arena;
    TAC_SCOPE(arena);
    tac_kinematics_q(c->model, &c->sim->ctx.work, c->q, NULL);
    CHECK_INT(tac_place_growth(c->sim, c->geom), TAC_OK);
    tacStatus status = tac_growth_open(&c->sim->ctx.scene, c->model, c->geom, kappa, 0, arena, &g);
    if (status == TAC_ERR_DEGENERATE) return;
    CHECK_INT(status, TAC_OK);
    GrowthBounds b = growth_bounds(c->model, &g);
    double scale = fmax(1e-4, fmax(fabs(g.result.alpha), kappa * g.result.nu));
    CHECK(g.result.dual <= b.low + TOL_EXACT * scale);
    CHECK(g.result.alpha >= b.high - TOL_EXACT * scale);
    CHECK(b.low <= b.high + TOL_EXACT * scale);
}

static void extreme_pairs(void **state) {
    (void)state;
    for (int a = 0; a < GROWTH_KINDS; a++)
        for (int b = a; b < GROWTH_KINDS; b++)
            for (int n = 0; n < 4 && a + b > 0; n++) {
                tacDraw d = {.seed = (uint64_t)(1000 * (GROWTH_KINDS * a + b) + n)};
                GrowthCase c;
                growth_case_extreme(a, b, &d, &c);
                growth_case_pose_extreme(&c, &d, n);
                for (double kappa = 1; kappa > 1e-16; kappa *= 1e-3)
                    bounded(&c, kappa);
                growth_case_close(&c);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_forms),   cmocka_unit_test(unions),
                                       cmocka_unit_test(derivatives),    cmocka_unit_test(duals),
                                       cmocka_unit_test(as_output),      cmocka_unit_test(files),
                                       cmocka_unit_test(contact_models), cmocka_unit_test(bad_calls),
                                       cmocka_unit_test(extremes),       cmocka_unit_test(extreme_pairs)};
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
