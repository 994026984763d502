/* What a step of contact ncp says of its search: its iterations on request, and the reason where it fails; that time
 * steps from 1e-4 to 0.2 s work, and that kappa is a number of the range it has. */
#include "tactus/io.h"
#include "tactus/tactus.h"

#include "support/check.h"
#include "support/ncp_sim.h"

#include <math.h>
#include <string.h>

enum { MOST = 60, NX = 13, PILE_NX = 64 };
#define TOL_HEIGHT   1e-3 /* m: of a box at rest */
#define TOL_DEPTH    1e-8 /* m */
#define TOL_MOMENTUM 1e-8 /* N m s: of some hundred steps at 1e-11 */

static tacModel *box(void) {
    tacModel *m;
    tacError err;
    if (tac_load("models/box.xml", &m, &err) != TAC_OK) fail_msg("%s", err.text);
    return m;
}

/* Thrown onto an edge. */
static void thrown(const tacModel *m, double *x) {
    static const double V[6] = {1, 0.3, -2, 2.5, -1, 2};
    tac_default_state(m, x);
    const double quat[4] = {0.9, 0.3, 0.2, 0.1}, norm = sqrt(0.95);
    for (int i = 0; i < 4; i++)
        x[3 + i] = quat[i] / norm;
    x[2] = 0.42;
    memcpy(x + 7, V, sizeof V);
}

/* One line an iteration, the same step as without; what does not fit is counted. */
static void history_is_that_of_the_step(void **state) {
    (void)state;
    tacModel *m = box();
    tacOptions options = options_of(m, 0.05);
    tacSim *sim = simulate(m, &options);
    double x[NX], u[3] = {0, 0, 0}, y[NX], again[NX];
    tacIteration line[MOST], few[3];
    tacStepInfo info;
    int n, counted;
    thrown(m, x);
    CHECK_INT(tac_step(sim, x, u, y, &info), TAC_OK);
    CHECK_INT(info.reason, TAC_REASON_NONE);
    CHECK_INT(tac_step_history(sim, x, u, line, MOST, &n), TAC_OK);
    CHECK_INT(n, info.iterations);
    CHECK(n > 3);
    for (int i = 0; i < n; i++) {
        CHECK(line[i].residual >= 0 && line[i].kappa >= options.ncp_kappa && line[i].length > 0);
        CHECK(line[i].length <= 1 && line[i].search >= (i > 0 ? line[i - 1].search : 0));
    }
    CHECK_LT(line[n - 1].kappa, line[0].kappa);
    CHECK_INT(tac_step_history(sim, x, u, few, 3, &counted), TAC_OK);
    CHECK_INT(counted, n);
    for (int i = 0; i < 3; i++)
        CHECK(few[i].residual == line[i].residual && few[i].kappa == line[i].kappa && few[i].search == line[i].search);
    CHECK_INT(tac_step(sim, x, u, again, NULL), TAC_OK);
    CHECK(memcmp(again, y, sizeof y) == 0);
    CHECK_INT(tac_step_history(sim, x, u, NULL, 3, &n), TAC_ERR_ARGUMENT);
    tac_sim_free(sim);
    options.contact = TAC_CONTACT_MODEL_LCP;
    sim = simulate(m, &options);
    CHECK_INT(tac_step_history(sim, x, u, line, MOST, &n), TAC_ERR_UNSUPPORTED);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* A failure has a state, a residual and a reason. */
static void iterations_used_up(void **state) {
    (void)state;
    tacModel *m = box();
    tacOptions options = options_of(m, 0.05);
    double x[NX], u[3] = {0, 0, 0}, y[NX];
    tacStepInfo info;
    options.ncp_iterations = 3;
    tacSim *sim = simulate(m, &options);
    thrown(m, x);
    CHECK_INT(tac_step(sim, x, u, y, &info), TAC_ERR_UNSOLVED);
    CHECK_INT(info.reason, TAC_REASON_ITERATIONS);
    CHECK_INT(info.iterations, 3);
    CHECK(info.residual > options.ncp_tolerance && isfinite(info.residual));
    for (int i = 0; i < NX; i++)
        CHECK(isfinite(y[i]));
    CHECK_HAS(tac_reason_text(info.reason), "iterations");
    tac_sim_free(sim);
    tac_model_free(m);
}

/* However few systems there are: what is not solved has a residual above the tolerance, and a reason. Boxes that fall
 * on each other meet features that were not in reach at the start of the step. */
static void what_is_not_solved_has_a_residual(void **state) {
    (void)state;
    tacModel *m;
    tacError err;
    int unsolved = 0;
    if (tac_load("test/data/box_pile.xml", &m, &err) != TAC_OK) fail_msg("%s", err.text);
    CHECK(tac_nx(m) <= PILE_NX && m->nu == 0);
    for (int most = 1; most <= 30; most++) {
        tacOptions options = options_of(m, 0.03);
        options.ncp_iterations = most;
        tacSim *sim = simulate(m, &options);
        double x[PILE_NX], v[PILE_NX];
        for (int i = 0; i < m->nv; i++)
            v[i] = 2 * cos(5 * i + 1);
        tac_default_state(m, x);
        memcpy(x + m->nq, v, (size_t)m->nv * sizeof *v);
        for (int s = 0; s < 40; s++) {
            tacStepInfo info;
            tacStatus status = tac_step(sim, x, NULL, x, &info);
            CHECK_INT(status == TAC_OK, info.reason == TAC_REASON_NONE);
            CHECK_INT(status == TAC_OK, info.residual <= options.ncp_tolerance);
            CHECK(info.iterations <= most);
            unsolved += status != TAC_OK;
        }
        tac_sim_free(sim);
    }
    CHECK(unsolved > 100);
    tac_model_free(m);
}

/* Further steps at the solution are iterations as well, each with its line. */
static void polish_is_counted(void **state) {
    (void)state;
    tacModel *m = box();
    tacOptions options = options_of(m, 0.05);
    double x[NX], u[3] = {0, 0, 0};
    int n[2];
    thrown(m, x);
    for (int k = 0; k < 2; k++) {
        tacIteration line[MOST];
        options.ncp_polish = 3 * k;
        tacSim *sim = simulate(m, &options);
        memset(line, 0xff, sizeof line);
        CHECK_INT(tac_step_history(sim, x, u, line, MOST, &n[k]), TAC_OK);
        for (int i = 0; i < n[k]; i++)
            CHECK(line[i].residual >= 0 && line[i].length >= 0 && line[i].kappa >= options.ncp_kappa);
        tac_sim_free(sim);
    }
    CHECK(n[1] > n[0] && n[1] <= n[0] + 3);
    tac_model_free(m);
}

/* Status, reason, iterations, residual and kappa are those of one solve. */
static void check_same_solve(const tacStepInfo *info, const tacStepInfo *of) {
    CHECK_INT(info->status, of->status);
    CHECK_INT(info->reason, of->reason);
    CHECK_INT(info->iterations, of->iterations);
    CHECK(info->residual == of->residual && info->kappa == of->kappa);
}

/* With derivatives of a softer step there are two solves: told is the step's own where that fails, else the softer one;
 * without y only that one is done. How many iterations there are decides which of them ends in time. */
static void one_of_two_solves_is_told(void **state) {
    (void)state;
    const double smooth = 1e-3;
    tacModel *m = box();
    int own_failed = 0, soft_failed = 0, none_failed = 0;
    for (int most = 1; most <= 20; most++) {
        tacOptions options = options_of(m, 0.05);
        options.ncp_gradient_kappa = smooth, options.ncp_iterations = most;
        tacSim *sim = simulate(m, &options);
        double x[NX], u[3] = {0, 0, 0}, y[NX], next[NX], A[12 * 12], bar[12] = {1}, gx[12];
        tacStepInfo step, reverse, told, alone;
        thrown(m, x);
        tacStatus status = tac_step(sim, x, u, y, &step);
        tacStatus soft = tac_step_vjp(sim, x, u, bar, &(tacGrad){.x = gx}, &reverse);
        CHECK(step.kappa == options.ncp_kappa && reverse.kappa == smooth);
        CHECK(reverse.conditioning >= 1 && reverse.conditioning < 1e6 && step.conditioning == 0);
        CHECK_INT(tac_step_jac(sim, x, u, next, &(tacJac){.A = A}, &told), status == TAC_OK ? soft : status);
        CHECK(memcmp(next, y, sizeof y) == 0);
        check_same_solve(&told, status == TAC_OK ? &reverse : &step);
        CHECK(told.active_set == reverse.active_set);
        CHECK_INT(tac_step_jac(sim, x, u, NULL, &(tacJac){.A = A}, &alone), soft);
        check_same_solve(&alone, &reverse);
        own_failed += status != TAC_OK && soft == TAC_OK, soft_failed += soft != TAC_OK;
        none_failed += status == TAC_OK && soft == TAC_OK;
        tac_sim_free(sim);
    }
    CHECK(own_failed > 0 && soft_failed > 0 && none_failed > 0);
    tac_model_free(m);
}

/* Faster than pi a step there is no discrete motion. */
static void turned_too_far(void **state) {
    (void)state;
    tacModel *m = box();
    const double dt = 0.1;
    tacOptions options = options_of(m, dt);
    double x[NX], u[3] = {0, 0, 0}, y[NX];
    tacStepInfo info;
    tacSim *sim = simulate(m, &options);
    tac_default_state(m, x);
    x[2] = 5, x[7 + 5] = 3.05 / dt;
    CHECK_INT(tac_step(sim, x, u, y, &info), TAC_ERR_UNSOLVED);
    CHECK_INT(info.reason, TAC_REASON_TURNED);
    for (int i = 0; i < NX; i++)
        CHECK(isfinite(y[i]));
    tac_sim_free(sim);
    tac_model_free(m);
}

/* A mass m with inertia J at l from a hinge, spun up by a torque: its momentum is (J theta + m l^2 sin theta)/h of the
 * turn theta a step   (ncp.md, W6a). It is right to tolerance up to where it is largest, cos theta = -J/(m l^2), beyond
 * which there is no motion, and the step says so. */
static void hinges_off_centre_fold(void **state) {
    (void)state;
    const double mass = 2, l = 0.5, J = 0.1, dt = 0.02, torque = 3, fold = acos(-J / (mass * l * l));
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    tacJointDef hinge = tac_default_joint();
    body.inertial = TAC_INERTIAL_DIAG, body.mass = mass, body.inertia = (tacVec3){J, J, J}, body.ipos.x = l;
    hinge.type = TAC_JOINT_HINGE, hinge.axis = (tacVec3){0, 0, 1};
    tac_model_add_joint(b, tac_model_add_body(b, 0, &body), &hinge);
    tacModel *m;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    tacOptions options = options_of(m, dt);
    options.inputs = TAC_INPUT_QFRC, options.ncp_tolerance = 1e-11;
    tacSim *sim = simulate(m, &options);
    double x[2] = {0.3, 0}, given = 0, most = (J * fold + mass * l * l * sin(fold)) / dt;
    for (; given + dt * torque < most; given += dt * torque) {
        CHECK_NEAR((J * dt * x[1] + mass * l * l * sin(dt * x[1])) / dt, given, TOL_MOMENTUM);
        CHECK_INT(tac_step(sim, x, &torque, x, NULL), TAC_OK);
    }
    CHECK(dt * x[1] > fold - 0.1 && dt * x[1] < fold);
    CHECK_INT(tac_step(sim, x, &torque, x, NULL), TAC_ERR_UNSOLVED);
    tac_sim_free(sim);
    tac_model_free(m);
}

static void every_reason_has_a_text(void **state) {
    (void)state;
    for (int i = 0; i < TAC_REASON_COUNT; i++)
        for (int j = 0; j < i; j++)
            CHECK(strcmp(tac_reason_text((tacReason)i), tac_reason_text((tacReason)j)) != 0);
    CHECK_HAS(tac_reason_text((tacReason)-1), "unknown");
}

/* Time steps from 1e-4 to 0.2 s: thrown, a box comes to rest on its side without going through the floor. */
static void time_steps_of_three_decades(void **state) {
    (void)state;
    static const double STEPS[] = {1e-4, 1e-3, 1e-2, 0.1, 0.2};
    tacModel *m = box();
    for (size_t k = 0; k < sizeof STEPS / sizeof *STEPS; k++) {
        tacOptions options = options_of(m, STEPS[k]);
        tacSim *sim = simulate(m, &options);
        double x[NX], u[3] = {0, 0, 0}, deepest = 0;
        tacContact contact[8];
        thrown(m, x);
        for (int i = 0; i < (int)(3 / STEPS[k]); i++) {
            int n;
            CHECK_INT(tac_step(sim, x, u, x, NULL), TAC_OK);
            CHECK_INT(tac_contacts(sim, x, u, contact, 8, &n), TAC_OK);
            for (int c = 0; c < n; c++)
                deepest = fmax(deepest, -contact[c].dist);
        }
        CHECK_LT(deepest, TOL_DEPTH);
        CHECK_NEAR(x[2], 0.25, TOL_HEIGHT);
        tac_sim_free(sim);
    }
    tac_model_free(m);
}

/* A step ends at the point of the central path, whatever search found it: further Newton's steps at that kappa move it
 * by no more than this, m, m/s, rad, rad/s, along boxes that fall on each other. Products a thousandth off moved it by
 * 4e-6. */
#define TOL_PATH 1e-7
enum { PILE_STARTS = 6, PILE_STEPS = 150 };

/* -> how far they move it at most along one motion; *solved: steps that were. */
static double off_the_path(const tacModel *m, tacSim *sim, tacSim *further, int start, int *solved) {
    double x[PILE_NX], y[PILE_NX], polished[PILE_NX], worst = 0;
    tac_default_state(m, x);
    for (int i = 0; i < m->nv; i++)
        x[m->nq + i] = cos(7 * start + 3 * i + 1);
    for (int s = 0; s < PILE_STEPS; s++) {
        int good = tac_step(sim, x, NULL, y, NULL) == TAC_OK;
        good = tac_step(further, x, NULL, polished, NULL) == TAC_OK && good;
        *solved += good;
        for (int i = 0; good && i < tac_nx(m); i++)
            worst = fmax(worst, fabs(y[i] - polished[i]));
        memcpy(x, polished, sizeof x);
    }
    return worst;
}

static void steps_end_on_the_path(void **state) {
    (void)state;
    tacModel *m;
    tacError err;
    double worst = 0;
    int solved = 0;
    if (tac_load("test/data/box_pile.xml", &m, &err) != TAC_OK) fail_msg("%s", err.text);
    CHECK(tac_nx(m) <= PILE_NX && m->nu == 0);
    tacOptions options = options_of(m, *m->option_timestep);
    options.ncp_kappa = 1e-6;
    tacSim *sim = simulate(m, &options);
    options.ncp_polish = 5;
    tacSim *further = simulate(m, &options);
    for (int start = 0; start < PILE_STARTS; start++)
        worst = fmax(worst, off_the_path(m, sim, further, start, &solved));
    print_message("%d steps solved; further ones move them by %.1e at most\n", solved, worst);
    CHECK(solved > 0.99 * PILE_STARTS * PILE_STEPS);
    CHECK_LT(worst, TOL_PATH);
    tac_sim_free(sim), tac_sim_free(further);
    tac_model_free(m);
}

static void kappa_has_a_range(void **state) {
    (void)state;
    static const double BAD[] = {-1e-8, 0, 9e-13, (double)INFINITY, (double)NAN}, GOOD[] = {1e-12, 1e-8, 1};
    tacModel *m = box();
    tacSim *sim;
    tacError err;
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        tacOptions options = options_of(m, 0.05);
        options.ncp_kappa = BAD[i];
        CHECK_INT(tac_sim_new(m, &options, &sim, &err), TAC_ERR_ARGUMENT);
        CHECK_HAS(err.text, "ncp_kappa");
        options = options_of(m, 0.05), options.ncp_gradient_kappa = BAD[i];
        if (BAD[i] != 0) CHECK_INT(tac_sim_new(m, &options, &sim, &err), TAC_ERR_ARGUMENT);
    }
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
        tacOptions options = options_of(m, 0.05);
        double x[NX], u[3] = {0, 0, 0};
        options.ncp_kappa = GOOD[i];
        sim = simulate(m, &options);
        thrown(m, x);
        CHECK_INT(tac_step(sim, x, u, x, NULL), TAC_OK);
        tac_sim_free(sim);
    }
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(history_is_that_of_the_step),
        cmocka_unit_test(iterations_used_up),
        cmocka_unit_test(what_is_not_solved_has_a_residual),
        cmocka_unit_test(polish_is_counted),
        cmocka_unit_test(one_of_two_solves_is_told),
        cmocka_unit_test(turned_too_far),
        cmocka_unit_test(hinges_off_centre_fold),
        cmocka_unit_test(every_reason_has_a_text),
        cmocka_unit_test(time_steps_of_three_decades),
        cmocka_unit_test(steps_end_on_the_path),
        cmocka_unit_test(kappa_has_a_range),
    };
    return cmocka_run_group_tests_name("ncp_history", tests, NULL, NULL);
}
