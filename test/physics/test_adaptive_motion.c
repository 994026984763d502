/* Integrators with inner steps where nothing touches: their order with a fixed number of inner steps, where balls and
 * free joints turn and activations move, and motions with known answers at the finest tolerance. */
#include "dynamics/robots.h"
#include "measure/step_column.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static tacSim *open_integrator(const tacModel *m, const tacOptions *options) {
    tacSim *sim;
    tacError err;
    if (tac_sim_new(m, options, &sim, &err) != TAC_OK) fail_msg("%s", err.text);
    return sim;
}

/* --- Order ----------------------------------------------------------------------------------------------------- */

/* How far an observed order may be from theory. */
#define TOL_ORDER 0.2
/* s: one outer step. */
#define ORDER_SPAN 1.0
/* Errors below this have rounding in them. */
#define LEAST_ERROR 1e-13
enum { FEW_STEPS = 16, MOST_STEPS = 2048, FINE_STEPS = 1024 };

typedef struct Method {
    tacIntegrator integrator;
    const char *name;
    double order;
} Method;

static const Method METHODS[] = {{TAC_INTEGRATOR_TSIT5, "tsit5", 5},       {TAC_INTEGRATOR_DOPRI5, "dopri5", 5},
                                 {TAC_INTEGRATOR_DOPRI8, "dopri8", 8},     {TAC_INTEGRATOR_BOSH3, "bosh3", 3},
                                 {TAC_INTEGRATOR_HEUN, "heun", 2},         {TAC_INTEGRATOR_RALSTON, "ralston", 2},
                                 {TAC_INTEGRATOR_MIDPOINT, "midpoint", 2}, {TAC_INTEGRATOR_STIFF, "stiff", 4}};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

/* The creature at one state under one input. */
typedef struct Order {
    tacModel *m;
    tacOptions options;
    double *x, *u, *exact, *y, *d;
} Order;

static void advance(Order *o, tacIntegrator integrator, int steps, double *y) {
    o->options.integrator = integrator;
    o->options.inner_steps = steps;
    o->options.inner_max = 2 * steps;
    tacSim *sim = open_integrator(o->m, &o->options);
    CHECK_INT(tac_step(sim, o->x, o->u, y, NULL), TAC_OK);
    tac_sim_free(sim);
}

/* Root mean square error of that many steps over tangent coordinates. */
static double error_of(Order *o, tacIntegrator integrator, int steps) {
    int ndx = tac_ndx(o->m);
    double sum = 0;
    advance(o, integrator, steps, o->y);
    measure_state_difference(o->m, o->y, o->exact, o->d);
    for (int i = 0; i < ndx; i++) {
        double end = i < o->m->nv ? 0 : o->exact[o->m->nq + i - o->m->nv]; /* what the difference leaves as it is */
        sum += (o->d[i] - end) * (o->d[i] - end);
    }
    return sqrt(sum / ndx);
}

/* Without the dead band of its tendon's spring, at whose ends forces bend, and with filters as slow as its motion: what
 * decays within the span takes its errors along. */
static tacModel *smooth_creature(void) {
    tacModel *m = robot_creature();
    CHECK_INT(tac_param_set(m, "tendon/#0.springlength[0]", m->tendon_springlength[1], NULL), TAC_OK);
    CHECK_INT(tac_param_set(m, "actuator/#1.dynprm[0]", 0.5, NULL), TAC_OK);
    CHECK_INT(tac_param_set(m, "actuator/#3.dynprm[0]", 0.4, NULL), TAC_OK);
    return m;
}

static Order order_begin(void) {
    Order o = {.m = smooth_creature()};
    o.options = tac_default_options(o.m);
    o.options.contact = TAC_CONTACT_MODEL_NONE;
    o.options.dt = ORDER_SPAN;
    o.x = robot_array(tac_nx(o.m));
    o.y = robot_array(tac_nx(o.m));
    o.exact = robot_array(tac_nx(o.m));
    o.u = robot_array(tac_ninput(o.m, &o.options));
    o.d = robot_array(tac_ndx(o.m));
    robot_state(o.m, o.x, 5);
    robot_random(o.m->nu, o.u, 0.5, 6);
    advance(&o, TAC_INTEGRATOR_DOPRI8, FINE_STEPS, o.exact);
    return o;
}

static void order_end(Order *o) {
    double *all[] = {o->x, o->y, o->exact, o->u, o->d};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    tac_model_free(o->m);
}

/* From the finest pair of step sizes, a factor of two apart, whose errors are above rounding: methods of order five
 * have so small a leading term that the next one hides it before. */
static double observed_order(Order *o, tacIntegrator integrator) {
    double before = error_of(o, integrator, FEW_STEPS), order = 0;
    for (int steps = 2 * FEW_STEPS; steps <= MOST_STEPS; steps *= 2) {
        double error = error_of(o, integrator, steps);
        if (error < LEAST_ERROR) break;
        order = log2(before / error);
        before = error;
    }
    return order;
}

static void fixed_steps_have_their_order(void **state) {
    (void)state;
    Order o = order_begin();
    double worst = 0;
    char text[256] = "";
    for (int i = 0, n = 0; i < METHOD_COUNT; i++) {
        double order = observed_order(&o, METHODS[i].integrator);
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%s %.2f", i == 0 ? "" : ", ", METHODS[i].name, order);
        worst = fmax(worst, fabs(order - METHODS[i].order));
    }
    printf("%s\n", text);
    CHECK_LT(worst, TOL_ORDER);
    order_end(&o);
}

/* --- Motions with known answers --------------------------------------------------------------------------------- */

#define TOL_TRUTH 1e-8
#define FINEST    1e-12
enum { MOST = 16, ADAPTIVE = 4 };
static const tacIntegrator CONTROLLED[ADAPTIVE] = {TAC_INTEGRATOR_TSIT5, TAC_INTEGRATOR_DOPRI5, TAC_INTEGRATOR_DOPRI8,
                                                   TAC_INTEGRATOR_STIFF};

/* x <- the state after `time`, in one outer step. */
static void flow(const tacModel *m, tacIntegrator integrator, double time, double *x) {
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    options.integrator = integrator;
    options.dt = time;
    options.rtol = options.atol = FINEST;
    options.inner_max = 1 << 20;
    tacSim *sim = open_integrator(m, &options);
    double *u = robot_array(tac_ninput(m, &options));
    CHECK_INT(tac_step(sim, x, u, x, NULL), TAC_OK);
    free(u);
    tac_sim_free(sim);
}

static double apart(double a, double b, double worst) { return worse(worst, fabs(a - b)); }

/* IFToMM A01: from the horizontal at rest, hinge angle from the vertical. */
static double pendulum_error(tacIntegrator integrator) {
    tacModel *m = robot_pendulum();
    double x[2] = {PI / 2, 0}, worst = 0;
    flow(m, integrator, 1, x);
    worst = apart(-sin(x[0]), 0.986291751131875, worst);
    worst = apart(-cos(x[0]), -0.165010853125541, worst);
    flow(m, integrator, 9, x);
    worst = apart(-sin(x[0]), -0.275087462576117, worst);
    worst = apart(-cos(x[0]), -0.961419205099125, worst);
    x[0] = PI / 2;
    x[1] = 0;
    flow(m, integrator, 2.367841947576237, x);
    worst = apart(x[0], PI / 2, worst);
    worst = apart(x[1], 0, worst);
    tac_model_free(m);
    return worst;
}

static double double_pendulum_error(tacIntegrator integrator) {
    static const double times[] = {1, 2, 2};
    static const double truth[3][2] = {{-0.625087699806391, -1.034585085680012},
                                       {1.785795522077417, 1.118107461205155},
                                       {-0.627186705066531, -1.301315550209812}};
    tacModel *m = robot_double_pendulum();
    double x[4] = {PI / 2, 0, 0, 0}, worst = 0;
    for (int i = 0; i < 3; i++) {
        flow(m, integrator, times[i], x);
        worst = apart(x[0], truth[i][0], worst);
        worst = apart(x[0] + x[1], truth[i][1], worst);
    }
    tac_model_free(m);
    return worst;
}

/* Torque-free about its middle axis: w2 is reversed after a flip and back after two. */
static double free_body_error(tacIntegrator integrator) {
    static const double flip = 20.75460976466924;
    tacModel *m = robot_free_body();
    double x[MOST] = {0}, worst = 0;
    tac_default_state(m, x);
    double *w = x + m->nq + 3;
    w[0] = 0.01;
    w[1] = 1;
    flow(m, integrator, flip, x);
    worst = apart(w[1], -1, worst);
    flow(m, integrator, flip, x);
    worst = apart(w[1], 1, worst);
    worst = apart(fabs(w[0]), 0.01, worst);
    double length = 0;
    for (int i = 3; i < 7; i++)
        length += x[i] * x[i];
    worst = apart(length, 1, worst);
    tac_model_free(m);
    return worst;
}

static void known_motions_at_the_finest_tolerance(void **state) {
    (void)state;
    double pendulum = 0, two = 0, body = 0;
    for (int i = 0; i < ADAPTIVE; i++) {
        pendulum = worse(pendulum, pendulum_error(CONTROLLED[i]));
        two = worse(two, double_pendulum_error(CONTROLLED[i]));
        body = worse(body, free_body_error(CONTROLLED[i]));
    }
    printf("pendulum %.1e, double pendulum %.1e, free body %.1e\n", pendulum, two, body);
    CHECK_LT(pendulum, TOL_TRUTH);
    CHECK_LT(two, TOL_TRUTH);
    CHECK_LT(body, TOL_TRUTH);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_steps_have_their_order),
        cmocka_unit_test(known_motions_at_the_finest_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
