/* Contact problems without bodies: closed forms for a box and a cone, the conditions on random coupled problems, and
 * problems that are refused. */
#include "tactus/problem.h"

#include "support/check.h"
#include "support/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOL_ROUNDING   1e-14
#define TOL_CONDITIONS 1e-9
enum { MOST = 4, ROWS = 3 * MOST };

static tacStatus solve(const tacProblem *problem, tacFrictionForm form, double *r, double *u, tacProblemInfo *info) {
    size_t bytes = (tac_problem_bytes(problem->ncontact) + 63) / 64 * 64;
    void *memory = aligned_alloc(64, bytes);
    CHECK(memory != NULL);
    tacStatus status = tac_problem_solve(problem, form, memory, r, u, info);
    free(memory);
    return status;
}

static const double UNIT[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, FALL[3] = {-1, 0.3, -2}, MU[1] = {0.5};

/* A unit mass that lands with slip (0.3, -2), mu 0.5: the box stops the first tangent and lets the other slip. */
static void one_mass_on_a_box(void **state) {
    (void)state;
    tacProblem problem = {1, UNIT, FALL, MU};
    tacProblemInfo info;
    double r[3], u[3], r_true[3] = {1, -0.3, 0.5}, u_true[3] = {0, 0, -1.5};
    CHECK_INT(solve(&problem, TAC_FRICTION_BOX, r, u, &info), TAC_OK);
    CHECK_INT(info.solved, 1);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(r[i], r_true[i], TOL_ROUNDING);
        CHECK_NEAR(u[i], u_true[i], TOL_ROUNDING);
    }
}

/* The same on a cone: friction of length 0.5 against the slip, whose direction stays. */
static void one_mass_on_a_cone(void **state) {
    (void)state;
    tacProblem problem = {1, UNIT, FALL, MU};
    tacProblemInfo info;
    double r[3], u[3], slip = hypot(FALL[1], FALL[2]);
    CHECK_INT(solve(&problem, TAC_FRICTION_CONE, r, u, &info), TAC_OK);
    CHECK_INT(info.solved, 1);
    CHECK_NEAR(r[0], 1, TOL_CONDITIONS);
    for (int i = 1; i < 3; i++) {
        CHECK_NEAR(r[i], -0.5 * FALL[i] / slip, TOL_CONDITIONS);
        CHECK_NEAR(u[i], FALL[i] * (1 - 0.5 / slip), TOL_CONDITIONS);
    }
}

/* W = B B^T + I/2 and q of order one: contacts that push each other. */
static void draw_problem(tacDraw *d, int ncontact, double *W, double *q, double *mu) {
    int n = 3 * ncontact;
    double B[ROWS * ROWS];
    draw_array(d, n * n, B), draw_array(d, n, q);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            W[i * n + j] = i == j ? 0.5 : 0;
            for (int k = 0; k < n; k++)
                W[i * n + j] += B[i * n + k] * B[j * n + k];
        }
    for (int c = 0; c < ncontact; c++)
        mu[c] = draw_uniform(d, 0, 1);
}

/* Largest violation of one row's law: r between low and high, u = 0 inside, of the right sign at a bound. */
static double violation(double r, double u, double low, double high) {
    double inside = fmax(low - r, r - high);
    return fmax(inside, fabs(r - fmin(high, fmax(low, r - u))));
}

static double box_violation(const tacProblem *p, const double *r, const double *u) {
    double worst = 0;
    for (int c = 0; c < p->ncontact; c++) {
        double limit = p->mu[c] * r[3 * c];
        worst = fmax(worst, violation(r[3 * c], u[3 * c], 0, HUGE_VAL));
        for (int k = 1; k < 3; k++)
            worst = fmax(worst, violation(r[3 * c + k], u[3 * c + k], -limit, limit));
    }
    return worst;
}

static void random_boxes_meet_their_conditions(void **state) {
    (void)state;
    tacDraw d = {23, 0};
    double W[ROWS * ROWS], q[ROWS], mu[MOST], r[ROWS], u[ROWS];
    for (int t = 0; t < 200; t++) {
        tacProblem problem = {1 + t % MOST, W, q, mu};
        tacProblemInfo info;
        int n = 3 * problem.ncontact;
        draw_problem(&d, problem.ncontact, W, q, mu);
        CHECK_INT(solve(&problem, TAC_FRICTION_BOX, r, u, &info), TAC_OK);
        CHECK_INT(info.solved, 1);
        for (int i = 0; i < n; i++) {
            double sum = q[i];
            for (int j = 0; j < n; j++)
                sum += W[i * n + j] * r[j];
            CHECK_NEAR(u[i], sum, TOL_CONDITIONS);
        }
        CHECK_LT(box_violation(&problem, r, u), TOL_CONDITIONS);
    }
}

static void bad_problems_are_refused(void **state) {
    (void)state;
    double flat[9] = {0, 0, 0, 0, 1, 0, 0, 0, 1}, unknown[3] = {-1, nan(""), 0}, negative[1] = {-0.1}, r[3], u[3];
    tacProblemInfo info;
    const struct {
        tacProblem problem;
        tacStatus status;
    } bad[] = {{{1, flat, FALL, MU}, TAC_ERR_ARGUMENT},
               {{1, UNIT, unknown, MU}, TAC_ERR_NONFINITE},
               {{1, UNIT, FALL, negative}, TAC_ERR_ARGUMENT},
               {{1, UNIT, FALL, NULL}, TAC_ERR_ARGUMENT}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int form = TAC_FRICTION_BOX; form <= TAC_FRICTION_CONE; form++)
            CHECK_INT(solve(&bad[i].problem, (tacFrictionForm)form, r, u, &info), bad[i].status);
    CHECK_INT((int)tac_problem_bytes(-1), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_mass_on_a_box),
        cmocka_unit_test(one_mass_on_a_cone),
        cmocka_unit_test(random_boxes_meet_their_conditions),
        cmocka_unit_test(bad_problems_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
