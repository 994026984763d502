/* Complementarity-aware gradients: what they are defined to be [Werling2021, IV-D], at states where that is known. */
#include "support/check.h"

#include "io/mjcf_text.h"
#include "measure/draw_contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOL 1e-6 /* the compliance of a resting contact */
enum { STATES = 20 };

static const char DRONE[] = "<mujoco><option timestep='0.01'/><worldbody><geom name='floor' type='plane' size='5 5 1'/>"
                            "<body pos='0 0 0.3'><joint name='lift' type='slide' axis='0 0 1'/>"
                            "<geom type='sphere' size='0.3' mass='0.1'/></body></worldbody>"
                            "<actuator><motor joint='lift'/></actuator></mujoco>";

/* A ball without a motor on a platform that has one. */
static const char PADDLE[] = "<mujoco><option timestep='0.01'/><worldbody>"
                             "<body pos='0 0 0'><joint name='paddle' type='slide' axis='0 0 1'/>"
                             "<geom type='box' size='1 1 0.1' mass='1'/></body>"
                             "<body pos='0 0 0.4'><joint name='ball' type='slide' axis='0 0 1'/>"
                             "<geom type='sphere' size='0.3' mass='1'/></body></worldbody>"
                             "<actuator><motor joint='paddle'/></actuator></mujoco>";

/* x, u, ybar -> gradient in x and u. */
static void gradient(const tacModel *m, tacGradientMode mode, const double *x, const double *u, const double *ybar,
                     double *gx, double *gu) {
    tacOptions options = tac_default_options(m);
    tacSim *sim;
    options.contact = TAC_CONTACT_MODEL_LCP;
    options.gradient = mode;
    CHECK_INT(tac_sim_new(m, &options, &sim, NULL), TAC_OK);
    CHECK_INT(tac_step_vjp(sim, x, u, ybar, &(tacGrad){gx, gu, NULL}, NULL), TAC_OK);
    tac_sim_free(sim);
}

/* On the ground with less thrust than weight: nothing by the exact gradient, dq+/du = h^2/m and dv+/du = h/m by the
 * other when the loss asks to rise; when it asks to sink, the ground stays. */
static void drone(void **state) {
    (void)state;
    Loaded l = load_ok(DRONE);
    tacModel *m = l.model;
    double x[2] = {0, 0}, u[1] = {0.1}, h = 0.01, mass = 0.1, gx[2], gu[1];
    gradient(m, TAC_GRADIENT_EXACT, x, u, (double[]){-1, 0}, gx, gu);
    CHECK_NEAR(gu[0], 0, TOL * h * h / mass);
    gradient(m, TAC_GRADIENT_COMPLEMENTARITY, x, u, (double[]){-1, 0}, gx, gu);
    CHECK_NEAR(gu[0], -h * h / mass, TOL * h * h / mass);
    CHECK_NEAR(gx[0], -1, TOL);
    CHECK_NEAR(gx[1], -h, TOL * h);
    gradient(m, TAC_GRADIENT_COMPLEMENTARITY, x, u, (double[]){0, -1}, gx, gu);
    CHECK_NEAR(gu[0], -h / mass, TOL * h / mass);
    gradient(m, TAC_GRADIENT_COMPLEMENTARITY, x, u, (double[]){1, 0}, gx, gu);
    CHECK_NEAR(gu[0], 0, TOL * h * h / mass);
    unload(&l);
}

/* The platform falls away from the ball as fast as gravity lets it: they touch, and nothing holds. A loss that asks the
 * ball to rise asks them to part, which they do; one that asks the platform to rise holds them together. */
static void paddle(void **state) {
    (void)state;
    Loaded l = load_ok(PADDLE);
    tacModel *m = l.model;
    double x[4] = {0, 0, 0, 0}, u[1] = {-0.5}, h = 0.01, gx[4], gu[1];
    gradient(m, TAC_GRADIENT_EXACT, x, u, (double[]){-1, 0, 0, 0}, gx, gu);
    CHECK_NEAR(gu[0], -h * h, TOL * h * h); /* alone, mass 1 */
    CHECK_NEAR(gx[1], 0, TOL);
    gradient(m, TAC_GRADIENT_COMPLEMENTARITY, x, u, (double[]){-1, 0, 0, 0}, gx, gu);
    double size_alone = 1 + h * h * h * h / h, size_held = 0.5;
    CHECK(size_alone > size_held); /* so the classes of the step stay */
    CHECK_NEAR(gu[0], -h * h, TOL * h * h);
    unload(&l);
}

/* At random states it is the exact gradient to the bit, or another that is finite; both happen. */
static void one_of_two(void **state) {
    (void)state;
    tacModel *m;
    CHECK_INT(tac_load("models/half_cheetah.xml", &m, NULL), TAC_OK);
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_LCP;
    options.inputs = TAC_INPUT_QFRC; /* gradients by joint forces come with u */
    tacSim *sim;
    CHECK_INT(tac_sim_new(m, &options, &sim, NULL), TAC_OK);
    int nx = tac_nx(m), ndx = tac_ndx(m), nu = tac_ninput(m, &options), others = 0;
    double *x = calloc((size_t)nx, sizeof *x), *u = calloc((size_t)nu, sizeof *u),
           *ybar = calloc((size_t)ndx, sizeof *x);
    double *g[2], *gu[2];
    for (int k = 0; k < 2; k++)
        g[k] = calloc((size_t)ndx, sizeof(double)), gu[k] = calloc((size_t)nu, sizeof(double));
    for (uint64_t s = 0; s < STATES; s++) {
        measure_draw_contact_state(sim, m, &options, 3, s, x, u);
        for (int i = 0; i < ndx; i++)
            ybar[i] = tac_random_normal(5, s, (uint64_t)i);
        for (int k = 0; k < 2; k++) {
            tacOptions mode = options;
            mode.gradient = k == 0 ? TAC_GRADIENT_EXACT : TAC_GRADIENT_COMPLEMENTARITY;
            tacSim *other;
            CHECK_INT(tac_sim_new(m, &mode, &other, NULL), TAC_OK);
            CHECK_INT(tac_step_vjp(other, x, u, ybar, &(tacGrad){g[k], gu[k], NULL}, NULL), TAC_OK);
            tac_sim_free(other);
        }
        int same = memcmp(g[0], g[1], (size_t)ndx * sizeof(double)) == 0;
        CHECK_INT(memcmp(gu[0], gu[1], (size_t)nu * sizeof(double)) == 0, same);
        for (int i = 0; i < ndx; i++)
            CHECK(isfinite(g[1][i]));
        others += !same;
    }
    CHECK(others > 0 && others < STATES);
    print_message("another gradient at %d of %d states\n", others, STATES);
    free(x), free(u), free(ybar);
    for (int k = 0; k < 2; k++)
        free(g[k]), free(gu[k]);
    tac_sim_free(sim), tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(drone), cmocka_unit_test(paddle), cmocka_unit_test(one_of_two)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
