/* The time step as a parameter: a simulation's own is its options' dt; P's column and the gradient against Ridders'
 * differences of the step, for every contact model and integrator, where h stands in something that other tests' states
 * do not reach: overlap and open loops, limits overstepped, impacts, activations that act early, steps so long that
 * constraints are another. Rollouts and batches. */
#include "io/mjcf_text.h"
#include "support/check.h"
#include "support/draw.h"

#include "measure/differences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative to max(1, largest entry of the column). */
#define TOL_GRADIENT  1e-6
#define TOL_REVERSE   1e-10
#define TOL_ONE_SIDED 1e-4
#define KAPPA         1e-4
/* First step of the differences, relative to h. */
#define FIRST_STEP 1e-2
enum { MOST = 64, STATES = 6 };

/* How a world is stepped, and what its states are like. */
typedef struct Way {
    const char *name, *text;
    double dt;
    double low, high; /* of the first body's height */
    tacContactModel contact;
    tacIntegrator integrator;
    int toi;
    double open; /* of coordinates, at random */
} Way;

#define HEAD                                                                                                           \
    "<mujoco><compiler angle='radian'/><option timestep='0.003'/>"                                                     \
    "<default><geom friction='0.6'/></default><worldbody><geom type='plane' size='9 9 1' friction='0.7'/>"
/* A box that carries a hinge, a slide and a ball beyond their limits, with springs, dampers and dry friction. */
#define ROBOT                                                                                                          \
    "<body pos='0 0 0.1'><freejoint/><geom type='box' size='.2 .1 .1' mass='2'/><body pos='.3 0 .1'>"                  \
    "<joint name='a' axis='0 1 .2' limited='true' range='-.1 .1' damping='.3' stiffness='4' armature='.02'/>"          \
    "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.04' mass='.5'/><body pos='.25 0 0'>"                            \
    "<joint name='b' type='slide' axis='1 0 0' damping='2' frictionloss='.4'/>"                                        \
    "<joint name='c' axis='0 0 1' frictionloss='.05' damping='.02'/>"                                                  \
    "<geom type='sphere' size='.05' mass='.4'/><body pos='.1 0 0'>"                                                    \
    "<joint name='d' type='ball' limited='true' range='0 .2' damping='.05'/>"                                          \
    "<geom type='capsule' fromto='0 0 0 .1 .02 .1' size='.02' mass='.3'/></body></body></body></body></worldbody>"     \
    "<tendon><fixed name='t' damping='.6' stiffness='3' armature='.05' frictionloss='.1' limited='true' "              \
    "range='-.05 .05'><joint joint='a' coef='.8'/><joint joint='c' coef='-.5'/></fixed></tendon>"
/* Activations of every kind, early and not; servos that know the velocity. */
#define MOTORS                                                                                                         \
    "<actuator><general joint='a' dyntype='filter' dynprm='.03' gainprm='5' actearly='true'/>"                         \
    "<general joint='b' dyntype='filterexact' dynprm='.02' gainprm='9' biastype='affine' biasprm='0 -9 -3' "           \
    "actearly='true'/><general joint='c' dyntype='integrator' gainprm='2' actearly='true'/>"                           \
    "<general joint='c' dyntype='filterexact' dynprm='.05' gainprm='2' gaintype='affine'/>"                            \
    "<general tendon='t' dyntype='integrator' gaintype='affine' gainprm='3 .5 -.7' actearly='true'/>"                  \
    "<position joint='a' kp='20' kv='3'/></actuator>"
/* A loop of two links that is not closed, and two couplings. */
#define LOOP                                                                                                           \
    "<body pos='0 0 .6'><joint name='a' axis='0 1 0' damping='.1'/><geom type='capsule' fromto='0 0 0 .3 0 0' "        \
    "size='.03' mass='.5' contype='0' conaffinity='0'/><body pos='.3 0 0'><joint name='b' axis='0 1 0'/>"              \
    "<geom name='g' type='capsule' fromto='0 0 0 0 0 -.3' size='.03' mass='.4' contype='0' conaffinity='0'/>"          \
    "<body name='end' pos='0 0 -.3'><joint name='c' type='ball'/><geom type='sphere' size='.05' mass='.2'/></body>"    \
    "</body></body></worldbody><equality><connect body1='end' anchor='.02 0 0'/>"                                      \
    "<joint joint1='a' joint2='b' polycoef='0 -.7 .2 0 0'/></equality>"
/* A ball that spins and bounces. */
#define BALL                                                                                                           \
    "<body pos='0 0 .1'><freejoint/><geom name='ball' type='sphere' size='.1' mass='1'/><body pos='.05 0 .02'>"        \
    "<joint type='hinge' axis='0 1 0' damping='.01'/><geom type='box' size='.02 .02 .02' mass='.3'/></body></body>"    \
    "</worldbody><custom><numeric name='geom/ball.restitution' data='.7'/></custom>"
#define END "</mujoco>"

static const Way WAYS[] = {
    {"robot, none", HEAD ROBOT MOTORS END, 0.01, 0.05, 0.2, TAC_CONTACT_MODEL_NONE, TAC_INTEGRATOR_EULER, 0, 0.3},
    {"robot, none implicit", HEAD ROBOT MOTORS END, 0.01, 0.05, 0.2, TAC_CONTACT_MODEL_NONE, TAC_INTEGRATOR_IMPLICIT, 0,
     0.3},
    {"robot, none implicitfast", HEAD ROBOT MOTORS END, 0.01, 0.05, 0.2, TAC_CONTACT_MODEL_NONE,
     TAC_INTEGRATOR_IMPLICITFAST, 0, 0.3},
    {"robot, none rk4", HEAD ROBOT MOTORS END, 0.01, 0.05, 0.2, TAC_CONTACT_MODEL_NONE, TAC_INTEGRATOR_RK4, 0, 0.3},
    {"robot, none rkmk4", HEAD ROBOT MOTORS END, 0.01, 0.05, 0.2, TAC_CONTACT_MODEL_NONE, TAC_INTEGRATOR_RKMK4, 0, 0.3},
    {"robot, ncp", HEAD ROBOT MOTORS END, 0.01, 0.05, 0.12, TAC_CONTACT_MODEL_NCP, TAC_INTEGRATOR_EULER, 0, 0.15},
    {"robot, ncp implicit", HEAD ROBOT MOTORS END, 0.02, 0.05, 0.12, TAC_CONTACT_MODEL_NCP, TAC_INTEGRATOR_IMPLICIT, 0,
     0.15},
    {"robot, lcp", HEAD ROBOT MOTORS END, 0.01, 0.05, 0.12, TAC_CONTACT_MODEL_LCP, TAC_INTEGRATOR_EULER, 0, 0.15},
    {"robot, soft", HEAD ROBOT MOTORS END, 0.005, 0.08, 0.1, TAC_CONTACT_MODEL_SOFT, TAC_INTEGRATOR_EULER, 0, 0.15},
    {"robot, soft implicit", HEAD ROBOT MOTORS END, 0.02, 0.08, 0.1, TAC_CONTACT_MODEL_SOFT, TAC_INTEGRATOR_IMPLICIT, 0,
     0.15},
    {"robot, soft rk4", HEAD ROBOT MOTORS END, 0.015, 0.08, 0.1, TAC_CONTACT_MODEL_SOFT, TAC_INTEGRATOR_RK4, 0, 0.15},
    {"loop, ncp", HEAD LOOP END, 0.01, 0, 0, TAC_CONTACT_MODEL_NCP, TAC_INTEGRATOR_EULER, 0, 0.1},
    {"loop, lcp", HEAD LOOP END, 0.01, 0, 0, TAC_CONTACT_MODEL_LCP, TAC_INTEGRATOR_EULER, 0, 0.1},
    {"loop ajar, lcp", HEAD LOOP END, 0.01, 0, 0, TAC_CONTACT_MODEL_LCP, TAC_INTEGRATOR_EULER, 0, 1e-4},
    {"loop, soft", HEAD LOOP END, 0.02, 0, 0, TAC_CONTACT_MODEL_SOFT, TAC_INTEGRATOR_EULER, 0, 0.1},
    {"long steps, lcp", HEAD LOOP END, 0.15, 0, 0, TAC_CONTACT_MODEL_LCP, TAC_INTEGRATOR_EULER, 0, 1e-3},
    {"ball, ncp", HEAD BALL END, 0.01, 0.102, 0.11, TAC_CONTACT_MODEL_NCP, TAC_INTEGRATOR_EULER, 0, 0.1},
    {"ball, lcp", HEAD BALL END, 0.01, 0.102, 0.11, TAC_CONTACT_MODEL_LCP, TAC_INTEGRATOR_EULER, 0, 0.1},
    {"ball, time of impact", HEAD BALL END, 0.01, 0.102, 0.11, TAC_CONTACT_MODEL_LCP, TAC_INTEGRATOR_EULER, 1, 0.1},
    {"robot, time of impact", HEAD ROBOT MOTORS END, 0.01, 0.11, 0.13, TAC_CONTACT_MODEL_LCP, TAC_INTEGRATOR_EULER, 1,
     0.1},
};
enum { NWAY = sizeof WAYS / sizeof *WAYS };

typedef struct World {
    tacModel *m;
    tacOptions options;
    tacSim *sim;
    int ndx, nu;
    double x[MOST], u[MOST], y[MOST];
    uint64_t active_set;
} World;

static World open_world(const Way *way) {
    World w = {0};
    tacError err;
    Loaded l = load_ok(way->text);
    tac_report_free(l.report);
    w.m = l.model;
    if (tac_param_register(w.m, "option.timestep", NULL, &err) != TAC_OK) fail_msg("%s", err.text);
    w.options = tac_default_options(w.m);
    w.options.contact = way->contact, w.options.integrator = way->integrator, w.options.toi = way->toi;
    w.options.dt = way->dt, w.options.ncp_kappa = KAPPA, w.options.ncp_polish = 5;
    w.options.inputs = TAC_INPUT_QFRC;
    if (tac_sim_new(w.m, &w.options, &w.sim, &err) != TAC_OK) fail_msg("%s: %s", way->name, err.text);
    w.ndx = tac_ndx(w.m), w.nu = tac_ninput(w.m, &w.options);
    CHECK(tac_nx(w.m) <= MOST && w.nu <= MOST);
    return w;
}

static void close_world(World *w) {
    tac_sim_free(w->sim);
    tac_model_free(w->m);
}

static void draw_world(World *w, const Way *way, tacDraw *d) {
    const tacModel *m = w->m;
    double move[MOST] = {0}, start[MOST];
    int free = m->joint_type[0] == TAC_JOINT_FREE;
    tac_default_state(m, start);
    for (int i = 0; i < m->nv; i++)
        move[i] = way->open * draw_normal(d) * (free && i < 6 ? 0.3 : 1);
    memcpy(w->x, start, sizeof w->x);
    tac_qpos_add(m, start, move, w->x);
    if (free) w->x[2] = draw_uniform(d, way->low, way->high);
    for (int i = 0; i < m->nv + m->na; i++)
        w->x[m->nq + i] = 0.5 * draw_normal(d);
    if (free) w->x[m->nq + 2] = draw_uniform(d, -3, -1);
    for (int i = 0; i < w->nu; i++)
        w->u[i] = 0.3 * draw_normal(d);
}

/* --- One step ----------------------------------------------------------------------------------------------------- */

/* The step's end, from y, with h moved by t; fails where other classes hold. */
static int step_along(void *context, double t, double *out) {
    World *w = context;
    double y[MOST], theta = w->options.dt + t;
    tacStepInfo info = {0};
    if (tac_sim_set_params(w->sim, &theta) != TAC_OK || tac_step(w->sim, w->x, w->u, y, &info) != TAC_OK) return 1;
    if (info.active_set != w->active_set) return 1;
    tac_qpos_sub(w->m, y, w->y, out);
    memcpy(out + w->m->nv, y + w->m->nq, (size_t)(w->m->nv + w->m->na) * sizeof *out);
    return 0;
}

static double column_error(int n, const double *got, const double *want) {
    double worst = 0, largest = 1;
    for (int i = 0; i < n; i++) {
        worst = worse(worst, fabs(got[i] - want[i]));
        largest = fmax(largest, fabs(want[i]));
    }
    return worst / largest;
}

/* Least error over first steps; infinite: a class changes inside the smallest. */
static double least_error(World *w, int n, const double *P, int (*along)(void *, double, double *)) {
    double F[2 * MOST], *work = calloc((size_t)difference_work(n) + 1, sizeof *work), best = (double)INFINITY;
    for (double h = FIRST_STEP * w->options.dt; h > 1e-7 * w->options.dt && !(best < TOL_GRADIENT / 3); h /= 10)
        if (difference_ridders(along, w, n, h, F, NULL, work) == 0) best = fmin(best, column_error(n, P, F));
    CHECK_INT(tac_sim_set_params(w->sim, &w->options.dt), TAC_OK);
    free(work);
    return best;
}

static void check_reverse(World *w, const double *P, tacDraw *d) {
    double ybar[MOST], theta, sum = 0, scale = 1;
    for (int i = 0; i < w->ndx; i++) {
        ybar[i] = draw_normal(d);
        sum += ybar[i] * P[i];
        scale = fmax(scale, fabs(ybar[i] * P[i]));
    }
    CHECK_INT(tac_step_vjp(w->sim, w->x, w->u, ybar, &(tacGrad){NULL, NULL, &theta}, NULL), TAC_OK);
    CHECK_LT(fabs(sum - theta) / scale, TOL_REVERSE);
}

/* -> 1: differences told. */
static int check_state(World *w, const Way *way, tacDraw *d) {
    double P[MOST], size = 0;
    tacStepInfo info = {0};
    draw_world(w, way, d);
    if (tac_step_jac(w->sim, w->x, w->u, w->y, &(tacJac){NULL, NULL, P}, &info) != TAC_OK) return 0;
    tac_step(w->sim, w->x, w->u, w->y, &info);
    w->active_set = info.active_set;
    for (int i = 0; i < w->ndx; i++)
        size = fmax(size, fabs(P[i]));
    CHECK(size > 0.1);
    check_reverse(w, P, d);
    double error = least_error(w, w->ndx, P, step_along);
    if (isinf(error)) return 0;
    if (!(error < TOL_GRADIENT)) print_error("%s: error %.3g\n", way->name, error);
    CHECK_LT(error, TOL_GRADIENT);
    return 1;
}

/* Every way at STATES states of a seed, half of which at least differences can tell. */
static void check_ways(uint64_t seed, int (*check)(World *, const Way *, tacDraw *)) {
    for (int i = 0; i < NWAY; i++) {
        World w = open_world(&WAYS[i]);
        tacDraw d = {seed + (uint64_t)i, 0};
        int told = 0;
        for (int k = 0; k < STATES; k++)
            told += check(&w, &WAYS[i], &d);
        if (told < STATES / 2) print_error("%s: %d of %d states\n", WAYS[i].name, told, STATES);
        CHECK(told >= STATES / 2);
        close_world(&w);
    }
}

static void columns_are_differences(void **state) { (void)state, check_ways(40, check_state); }

/* solref's time constant is at least 2 h: where they are the same it counts as held, and the derivative is that of
 * longer steps. */
static void longer_at_the_kink(void **state) {
    (void)state;
    Way way = {"kink", HEAD BALL END, 0.01, 0.09, 0.095, TAC_CONTACT_MODEL_SOFT, TAC_INTEGRATOR_EULER, 0, 0.1};
    const double move = 1e-8, dt = 0.01;
    World w = open_world(&way);
    tacDraw d = {3, 0};
    double P[MOST], longer[MOST], shorter[MOST];
    draw_world(&w, &way, &d);
    tacStepInfo info;
    CHECK_INT(tac_step_jac(w.sim, w.x, w.u, w.y, &(tacJac){NULL, NULL, P}, &info), TAC_OK);
    w.active_set = info.active_set;
    CHECK_INT(step_along(&w, move, longer), 0);
    CHECK_INT(step_along(&w, -move, shorter), 0);
    for (int i = 0; i < w.ndx; i++) { /* velocities come as they are */
        double from = i < w.m->nv ? 0 : w.y[w.m->nq - w.m->nv + i];
        longer[i] = (longer[i] - from) / move, shorter[i] = (from - shorter[i]) / move;
    }
    CHECK(w.options.dt == dt && column_error(w.ndx, shorter, longer) > 0.1);
    CHECK_LT(column_error(w.ndx, P, longer), TOL_ONE_SIDED);
    close_world(&w);
}

/* --- Forces as outputs -------------------------------------------------------------------------------------------- */

static const tacOutput FORCES[] = {{TAC_OUT_QFRC_CONSTRAINT, TAC_OUT_ALL},
                                   {TAC_OUT_QFRC_ACTUATOR, TAC_OUT_ALL},
                                   {TAC_OUT_ACTUATOR_FORCE, TAC_OUT_ALL},
                                   {TAC_OUT_CONTACT_FORCE, TAC_OUT_ALL},
                                   {TAC_OUT_ACCELERATION, TAC_OUT_ALL}};
static const tacOutputs ALL = {sizeof FORCES / sizeof *FORCES, FORCES};

static int outputs_along(void *context, double t, double *out) {
    World *w = context;
    double y[MOST], theta = w->options.dt + t;
    tacStepInfo info = {0};
    if (tac_sim_set_params(w->sim, &theta) != TAC_OK || tac_step(w->sim, w->x, w->u, y, &info) != TAC_OK) return 1;
    return info.active_set != w->active_set || tac_outputs(w->sim, w->x, w->u, &ALL, out) != TAC_OK;
}

static int check_outputs(World *w, const Way *way, tacDraw *d) {
    double P[2 * MOST], zbar[2 * MOST], theta, sum = 0, scale = 1;
    tacStepInfo info = {0};
    int n = tac_outputs_size(w->m, &ALL);
    CHECK(n <= 2 * MOST);
    draw_world(w, way, d);
    if (tac_step(w->sim, w->x, w->u, w->y, &info) != TAC_OK) return 0;
    w->active_set = info.active_set;
    CHECK_INT(tac_outputs_jac(w->sim, w->x, w->u, &ALL, NULL, &(tacJac){NULL, NULL, P}), TAC_OK);
    for (int i = 0; i < n; i++) {
        zbar[i] = draw_normal(d);
        sum += zbar[i] * P[i];
        scale = fmax(scale, fabs(zbar[i] * P[i]));
    }
    CHECK_INT(tac_outputs_vjp(w->sim, w->x, w->u, &ALL, zbar, &(tacGrad){NULL, NULL, &theta}), TAC_OK);
    CHECK_LT(fabs(sum - theta) / scale, TOL_REVERSE);
    double error = least_error(w, n, P, outputs_along);
    if (isinf(error)) return 0;
    if (!(error < TOL_GRADIENT)) print_error("%s: error %.3g\n", way->name, error);
    CHECK_LT(error, TOL_GRADIENT);
    return 1;
}

static void forces_are_differences(void **state) { (void)state, check_ways(80, check_outputs); }

/* --- Whose time step it is ---------------------------------------------------------------------------------------- */

/* Setting it gives the bits of a simulation made with it; what is no time is refused, and nothing changes. */
static void it_is_the_options(void **state) {
    (void)state;
    const double bad[] = {0, -0.01, (double)NAN, (double)INFINITY};
    for (int i = 0; i < NWAY; i++) {
        World w = open_world(&WAYS[i]);
        tacDraw d = {(uint64_t)i, 0};
        double theta, y[MOST], z[MOST], other = 1.25 * w.options.dt;
        tacOptions options = w.options;
        tacSim *made;
        draw_world(&w, &WAYS[i], &d);
        CHECK_INT(tac_sim_get_params(w.sim, &theta), TAC_OK);
        CHECK(theta == w.options.dt && theta != *w.m->option_timestep);
        CHECK_INT(tac_sim_set_params(w.sim, &other), TAC_OK);
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
            CHECK(tac_sim_set_params(w.sim, &bad[k]) != TAC_OK);
        CHECK_INT(tac_sim_get_params(w.sim, &theta), TAC_OK);
        CHECK(theta == other);
        options.dt = other;
        CHECK_INT(tac_sim_new(w.m, &options, &made, NULL), TAC_OK);
        tacStatus status = tac_step(w.sim, w.x, w.u, y, NULL);
        CHECK_INT(tac_step(made, w.x, w.u, z, NULL), status);
        CHECK(status != TAC_OK || memcmp(y, z, (size_t)tac_nx(w.m) * sizeof *y) == 0);
        CHECK(*w.m->option_timestep == 0.003);
        tac_sim_free(made);
        close_world(&w);
    }
}

/* Where another number is the parameter, the options' dt stays, whatever the model's is. */
static void others_leave_it(void **state) {
    (void)state;
    Loaded l = load_ok(WAYS[0].text);
    tac_report_free(l.report);
    tacOptions options = tac_default_options(l.model);
    options.contact = TAC_CONTACT_MODEL_NONE;
    double theta = -5, x[MOST] = {0}, u[MOST] = {0}, y[MOST];
    tacSim *sim;
    CHECK_INT(tac_param_register(l.model, "option.gravity[2]", NULL, NULL), TAC_OK);
    options.dt = 0.01;
    CHECK_INT(tac_sim_new(l.model, &options, &sim, NULL), TAC_OK);
    CHECK_INT(tac_sim_set_params(sim, &theta), TAC_OK);
    tac_default_state(l.model, x);
    CHECK_INT(tac_step(sim, x, u, y, NULL), TAC_OK);
    CHECK_NEAR(y[l.model->nq + 2], 0.01 * theta, 1e-3);
    tac_sim_free(sim);
    tac_model_free(l.model);
}

/* --- Rollouts and batches ----------------------------------------------------------------------------------------- */

enum { STEPS = 5, COPIES = 3 };

static int rollout_along(void *context, double t, double *out) {
    World *w = context;
    double X[(STEPS + 1) * MOST], U[STEPS * MOST], theta = w->options.dt + t;
    int nx = tac_nx(w->m);
    for (int k = 0; k < STEPS; k++)
        memcpy(U + k * w->nu, w->u, (size_t)w->nu * sizeof *U);
    memcpy(X, w->x, (size_t)nx * sizeof *X);
    if (tac_sim_set_params(w->sim, &theta) != TAC_OK) return 1;
    if (tac_rollout(w->sim, X, U, STEPS, X, NULL) != TAC_OK) return 1;
    tac_qpos_sub(w->m, X + STEPS * nx, w->y, out);
    memcpy(out + w->m->nv, X + STEPS * nx + w->m->nq, (size_t)(w->m->nv + w->m->na) * sizeof *out);
    return 0;
}

/* d(xbar . end)/dh of a batch of the same world, on two threads, against differences of the end. */
static void rollouts_and_batches(void **state) {
    (void)state;
    Way way = WAYS[5];
    way.low = 0.2, way.high = 0.3; /* in flight, with limits and dry friction */
    World w = open_world(&way);
    tacDraw d = {7, 0};
    double x0[COPIES * MOST], U[COPIES * STEPS * MOST], xbar[COPIES * MOST], theta[COPIES], end[2 * MOST], X[8 * MOST];
    int nx = tac_nx(w.m), nu = w.nu;
    draw_world(&w, &way, &d);
    for (int i = 0; i < w.ndx; i++)
        xbar[i] = draw_normal(&d);
    for (int k = 0; k < COPIES; k++) {
        memcpy(x0 + k * nx, w.x, (size_t)nx * sizeof *x0);
        memcpy(xbar + k * w.ndx, xbar, (size_t)w.ndx * sizeof *xbar);
        for (int s = 0; s < STEPS; s++)
            memcpy(U + (k * STEPS + s) * nu, w.u, (size_t)nu * sizeof *U);
    }
    memcpy(X, w.x, (size_t)nx * sizeof *X);
    CHECK_INT(tac_rollout(w.sim, X, U, STEPS, X, NULL), TAC_OK);
    memcpy(w.y, X + STEPS * nx, (size_t)nx * sizeof *X);
    tacTrajectory path = {.n = STEPS, .x0 = x0, .U = U, .xbar = xbar};
    CHECK_INT(tac_batch_rollout_vjp(w.m, &w.options, COPIES, &path, 2, &(tacGrad){NULL, NULL, theta}, 2), TAC_OK);
    double work[1024], want = 0, scale = 1;
    CHECK(difference_work(w.ndx) <= 1024);
    CHECK_INT(difference_ridders(rollout_along, &w, w.ndx, 1e-3 * w.options.dt, end, NULL, work), 0);
    for (int i = 0; i < w.ndx; i++) {
        want += xbar[i] * end[i];
        scale = fmax(scale, fabs(xbar[i] * end[i]));
    }
    CHECK(fabs(want) > 0.1);
    CHECK_NEAR(theta[0], want, TOL_GRADIENT * scale);
    CHECK(theta[1] == theta[0] && theta[2] == theta[0]);
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_differences), cmocka_unit_test(forces_are_differences),
        cmocka_unit_test(it_is_the_options),       cmocka_unit_test(others_leave_it),
        cmocka_unit_test(rollouts_and_batches),    cmocka_unit_test(longer_at_the_kink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
