/* Forward mode: equal to the Jacobian times the direction and, by the dot product, to reverse mode; of steps with every
 * contact model and integrator, rollouts, batches and outputs. */
#include "measure/draw_contact.h"
#include "support/check.h"
#include "tactus/batch.h"
#include "tactus/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative to the largest sum of the terms' sizes, all blocks together: what an input does to a body that sticks is a
 * difference of large terms, and zero to rounding. */
#define TOL_PRODUCT 1e-12
#define TOL_DOT     1e-10
#define SOFT_KAPPA  1e-4
enum { STATES = 3, MOST = 8, ROLL = 4 };

typedef struct Case {
    tacModel *m;
    tacOptions options;
    tacSim *sim;
    int nx, n[3]; /* ndx, ninput, nparam */
    double *x, *u, *d[3], *J[3], *dy, *y;
} Case;

static double *numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

typedef struct World {
    const char *file;
    tacContactModel contact;
    int integrator; /* -1: the model's */
    int coriolis, toi;
    double restitution;
    const char *params[MOST];
} World;

static void open_case(Case *c, const World *w) {
    tacError err = {0};
    int np = 0;
    *c = (Case){.nx = 0};
    if (tac_load(w->file, &c->m, &err) != TAC_OK) print_error("%s\n", err.text);
    CHECK(c->m != NULL);
    for (int g = 0; w->restitution > 0 && g < c->m->ngeom; g++)
        c->m->geom_restitution[g] = w->restitution;
    for (; w->params[np] != NULL; np++)
        CHECK_INT(tac_param_register(c->m, w->params[np], NULL, &err), TAC_OK);
    c->options = tac_default_options(c->m);
    c->options.contact = w->contact, c->options.toi = w->toi, c->options.lcp_coriolis = w->coriolis;
    c->options.ncp_kappa = SOFT_KAPPA;
    if (w->integrator >= 0) c->options.integrator = (tacIntegrator)w->integrator;
    c->options.inputs = TAC_INPUT_QFRC | TAC_INPUT_XFRC | TAC_INPUT_MOCAP;
    if (tac_sim_new(c->m, &c->options, &c->sim, &err) != TAC_OK) print_error("%s\n", err.text);
    CHECK(c->sim != NULL);
    c->nx = tac_nx(c->m);
    c->n[0] = tac_ndx(c->m), c->n[1] = tac_ninput(c->m, &c->options), c->n[2] = np;
    c->x = numbers(c->nx), c->u = numbers(c->n[1]), c->dy = numbers(c->n[0]), c->y = numbers(c->nx);
    for (int k = 0; k < 3; k++)
        c->d[k] = numbers(c->n[k]), c->J[k] = numbers(c->n[0] * c->n[k]);
}

static void close_case(Case *c) {
    free(c->x), free(c->u), free(c->dy), free(c->y);
    for (int k = 0; k < 3; k++)
        free(c->d[k]), free(c->J[k]);
    tac_sim_free(c->sim);
    tac_model_free(c->m);
}

static void draw(Case *c, uint64_t seed) {
    measure_draw_contact_state(c->sim, c->m, &c->options, 7, seed, c->x, c->u);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < c->n[k]; j++)
            c->d[k][j] = tac_random_normal(seed, 20 + (uint64_t)k, (uint64_t)j);
}

/* sum of J d over the blocks that `which` has, and the largest sum of sizes. */
static double product(const Case *c, int rows, double *const J[3], int which, double *out) {
    double largest = 0;
    for (int i = 0; i < rows; i++) {
        double size = 0;
        out[i] = 0;
        for (int k = 0; k < 3; k++)
            for (int j = 0; (which >> k & 1) && j < c->n[k]; j++) {
                out[i] += J[k][i * c->n[k] + j] * c->d[k][j];
                size += fabs(J[k][i * c->n[k] + j] * c->d[k][j]);
            }
        largest = fmax(largest, size);
    }
    return largest;
}

static const double *part(const Case *c, int which, int k) { return which >> k & 1 ? c->d[k] : NULL; }

static double product_error(Case *c, int which) {
    double *expected = numbers(c->n[0]), error = 0, scale = product(c, c->n[0], c->J, 7, expected);
    product(c, c->n[0], c->J, which, expected);
    tacStatus status =
        tac_step_jvp(c->sim, c->x, c->u, part(c, which, 0), part(c, which, 1), part(c, which, 2), c->dy, NULL);
    CHECK(status == TAC_OK || status == TAC_ERR_UNSOLVED);
    for (int i = 0; i < c->n[0]; i++)
        error = fmax(error, fabs(c->dy[i] - expected[i]));
    free(expected);
    return scale > 0 ? error / scale : error;
}

/* ybar . dy = gradient . d */
static double dot_error(Case *c) {
    double *ybar = numbers(c->n[0]), *g[3], left = 0, right = 0, scale = 0;
    for (int k = 0; k < 3; k++)
        g[k] = numbers(c->n[k]);
    for (int i = 0; i < c->n[0]; i++) {
        ybar[i] = tac_random_normal(3, 30, (uint64_t)i);
        left += ybar[i] * c->dy[i];
        scale += fabs(ybar[i] * c->dy[i]);
    }
    tacStatus status = tac_step_vjp(c->sim, c->x, c->u, ybar, &(tacGrad){g[0], g[1], g[2]}, NULL);
    CHECK(status == TAC_OK || status == TAC_ERR_UNSOLVED);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < c->n[k]; j++) {
            right += g[k][j] * c->d[k][j];
            scale += fabs(g[k][j] * c->d[k][j]);
        }
    free(ybar), free(g[0]), free(g[1]), free(g[2]);
    return fabs(left - right) / scale;
}

#define BOUNCE 0.6
static const World WORLDS[] = {
    {"models/panda.xml", TAC_CONTACT_MODEL_NONE, -1, 0, 0, 0, {"option.timestep", NULL}},
    {"test/data/everything.xml", TAC_CONTACT_MODEL_NONE, TAC_INTEGRATOR_EULER, 0, 0, 0, {"option.gravity[2]", NULL}},
    {"test/data/everything.xml", TAC_CONTACT_MODEL_NONE, TAC_INTEGRATOR_IMPLICIT, 0, 0, 0, {"option.timestep", NULL}},
    {"models/humanoid.xml", TAC_CONTACT_MODEL_NONE, TAC_INTEGRATOR_CORIOLIS, 0, 0, 0, {"option.timestep", NULL}},
    {"models/humanoid.xml", TAC_CONTACT_MODEL_NONE, TAC_INTEGRATOR_RKMK4, 0, 0, 0, {"option.timestep", NULL}},
    {"models/box.xml",
     TAC_CONTACT_MODEL_LCP,
     -1,
     0,
     0,
     BOUNCE,
     {"option.timestep", "body/box.mass", "geom/box.size[1]", "geom/ground.friction[0]", NULL}},
    {"models/humanoid.xml", TAC_CONTACT_MODEL_LCP, -1, 0, 0, 0, {"option.timestep", "option.gravity[2]", NULL}},
    {"models/humanoid.xml", TAC_CONTACT_MODEL_LCP, -1, 1, 0, BOUNCE, {"option.timestep", "option.gravity[2]", NULL}},
    {"models/quadruped.xml", TAC_CONTACT_MODEL_LCP, -1, 0, 0, 0, {"body/trunk.mass", NULL}},
    {"test/data/rows.xml", TAC_CONTACT_MODEL_LCP, -1, 0, 0, 0, {"option.timestep", "joint/a2.frictionloss", NULL}},
    {"models/half_cheetah.xml", TAC_CONTACT_MODEL_LCP, -1, 0, 1, 0, {"option.timestep", NULL}},
    {"models/half_cheetah.xml", TAC_CONTACT_MODEL_NCP, -1, 0, 0, 0, {"option.timestep", "body/torso.mass", NULL}},
    {"models/humanoid.xml", TAC_CONTACT_MODEL_NCP, -1, 0, 0, BOUNCE, {"option.timestep", "option.gravity[2]", NULL}},
    {"models/box.xml", TAC_CONTACT_MODEL_NCP, -1, 0, 0, BOUNCE, {"geom/box.size[1]", "geom/ground.friction[0]", NULL}},
    {"models/pendulum.xml", TAC_CONTACT_MODEL_NCP, -1, 0, 0, 0, {NULL}},
    {"models/cartpole.xml", TAC_CONTACT_MODEL_NONE, -1, 0, 0, 0, {NULL}},
    {"test/data/everything.xml", TAC_CONTACT_MODEL_NONE, TAC_INTEGRATOR_RK4, 0, 0, 0, {"option.timestep", NULL}},
    {"test/data/everything.xml", TAC_CONTACT_MODEL_NONE, TAC_INTEGRATOR_RKMK4, 0, 0, 0, {"option.gravity[1]", NULL}},
    {"test/data/attached/arm.xml", TAC_CONTACT_MODEL_NONE, TAC_INTEGRATOR_TSIT5, 0, 0, 0, {"option.timestep", NULL}},
    {"test/data/attached/arm.xml", TAC_CONTACT_MODEL_NONE, TAC_INTEGRATOR_STIFF, 0, 0, 0, {"option.gravity[1]", NULL}},
    {"models/quadruped.xml", TAC_CONTACT_MODEL_SOFT, TAC_INTEGRATOR_DOPRI5, 0, 0, 0, {"option.timestep", NULL}},
    {"models/humanoid.xml", TAC_CONTACT_MODEL_SOFT, TAC_INTEGRATOR_RKMK4, 0, 0, 0, {"option.timestep", NULL}},
    {"models/quadruped.xml",
     TAC_CONTACT_MODEL_SOFT,
     TAC_INTEGRATOR_EULER,
     0,
     0,
     0,
     {"option.timestep", "body/trunk.mass", "option.impratio", NULL}},
    {"models/quadruped.xml", TAC_CONTACT_MODEL_SOFT, TAC_INTEGRATOR_EULER, 0, 0, 0, {NULL}},
    {"models/humanoid.xml", TAC_CONTACT_MODEL_SOFT, TAC_INTEGRATOR_IMPLICIT, 0, 0, 0, {"option.timestep", NULL}},
    {"models/humanoid.xml", TAC_CONTACT_MODEL_SOFT, TAC_INTEGRATOR_IMPLICITFAST, 0, 0, 0, {NULL}},
    {"models/humanoid.xml", TAC_CONTACT_MODEL_SOFT, TAC_INTEGRATOR_RK4, 0, 0, 0, {NULL}},
    {"test/data/rows.xml",
     TAC_CONTACT_MODEL_SOFT,
     TAC_INTEGRATOR_EULER,
     0,
     0,
     0,
     {"equality/chain.solref[1]", "joint/a2.frictionloss", NULL}},
};

static void equal_the_products(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof WORLDS / sizeof *WORLDS; i++) {
        Case c;
        double worst = 0, dot = 0;
        open_case(&c, &WORLDS[i]);
        for (uint64_t s = 0; s < STATES; s++) {
            draw(&c, s);
            tacStatus status = tac_step_jac(c.sim, c.x, c.u, NULL, &(tacJac){c.J[0], c.J[1], c.J[2]}, NULL);
            CHECK(status == TAC_OK || status == TAC_ERR_UNSOLVED);
            for (int which = 1; which < 8; which++)
                worst = fmax(worst, product_error(&c, which));
            dot = fmax(dot, dot_error(&c));
        }
        print_message("%s, %s %d: product %.1e, dot product %.1e\n", WORLDS[i].file,
                      tac_contact_text(WORLDS[i].contact), c.options.integrator, worst, dot);
        if (!(worst < TOL_PRODUCT && dot < TOL_DOT)) print_error("above the bar\n");
        CHECK_LT(worst, TOL_PRODUCT);
        CHECK_LT(dot, TOL_DOT);
        close_case(&c);
    }
}

/* --- Rollouts, batches -------------------------------------------------------------------------------------------- */

static const World ROLLED = {"models/quadruped.xml", TAC_CONTACT_MODEL_LCP, -1, 0, 0, 0, {"body/trunk.mass", NULL}};

/* Rows chained by hand, to the bit; states as of tac_rollout; a batch of one step. */
static void chain_over_a_rollout(void **state) {
    Case c;
    (void)state;
    open_case(&c, &ROLLED);
    draw(&c, 1);
    int nx = c.nx, ndx = c.n[0], nu = c.n[1];
    double *U = numbers(ROLL * nu), *dU = numbers(ROLL * nu), *X = numbers((ROLL + 1) * nx),
           *Y = numbers((ROLL + 1) * nx), *dX = numbers((ROLL + 1) * ndx), *dY = numbers(ndx);
    for (int k = 0; k < ROLL; k++)
        for (int j = 0; j < nu; j++)
            U[k * nu + j] = c.u[j], dU[k * nu + j] = tac_random_normal(4, 40, (uint64_t)(k * nu + j));
    tacStepInfo info, own;
    tacTangent along = {c.d[0], dU, c.d[2]};
    CHECK_INT(tac_rollout(c.sim, c.x, U, ROLL, Y, &own), TAC_OK);
    CHECK_INT(tac_rollout_jvp(c.sim, c.x, U, ROLL, &along, X, dX, &info), TAC_OK);
    CHECK_INT(info.steps, ROLL);
    CHECK_INT(memcmp(X, Y, (size_t)((ROLL + 1) * nx) * sizeof *X), 0);
    CHECK_INT(memcmp(dX, c.d[0], (size_t)ndx * sizeof *dX), 0);
    for (int k = 0; k < ROLL; k++) {
        CHECK_INT(tac_step_jvp(c.sim, X + k * nx, U + k * nu, dX + k * ndx, dU + k * nu, c.d[2], c.dy, NULL), TAC_OK);
        CHECK_INT(memcmp(c.dy, dX + (k + 1) * ndx, (size_t)ndx * sizeof *dX), 0);
    }
    CHECK_INT(tac_batch_step_jvp(c.m, &c.options, 1, c.x, U, &along, dY, 2), TAC_OK);
    CHECK_INT(memcmp(dY, dX + ndx, (size_t)ndx * sizeof *dX), 0);
    free(U), free(dU), free(X), free(Y), free(dX), free(dY);
    close_case(&c);
}

/* Rollouts of two worlds along directions of their own: to the bit those of one simulation, for one and two threads. */
static void batches_of_rollouts(void **state) {
    enum { WORLDS_OF = 2 };
    Case c;
    (void)state;
    open_case(&c, &ROLLED);
    int nx = c.nx, ndx = c.n[0], nu = c.n[1], np = c.n[2];
    size_t states = (size_t)((ROLL + 1) * nx), moves = (size_t)((ROLL + 1) * ndx);
    double *X0 = numbers(WORLDS_OF * nx), *U = numbers(WORLDS_OF * ROLL * nu), *dx = numbers(WORLDS_OF * ndx),
           *dU = numbers(WORLDS_OF * ROLL * nu), *dtheta = numbers(WORLDS_OF * np), *X = numbers(2 * (int)states),
           *dX = numbers(2 * (int)moves), *Xb = numbers(2 * (int)states), *dXb = numbers(2 * (int)moves);
    for (int w = 0; w < WORLDS_OF; w++) {
        draw(&c, (uint64_t)w);
        memcpy(X0 + w * nx, c.x, (size_t)nx * sizeof *X0);
        memcpy(dx + w * ndx, c.d[0], (size_t)ndx * sizeof *dx);
        memcpy(dtheta + w * np, c.d[2], (size_t)np * sizeof *dtheta);
        for (int k = 0; k < ROLL * nu; k++)
            U[w * ROLL * nu + k] = c.u[k % nu], dU[w * ROLL * nu + k] = tac_random_normal(5, (uint64_t)w, (uint64_t)k);
        tacTangent one = {dx + w * ndx, dU + w * ROLL * nu, dtheta + w * np};
        CHECK_INT(tac_rollout_jvp(c.sim, c.x, U + w * ROLL * nu, ROLL, &one, X + (size_t)w * states,
                                  dX + (size_t)w * moves, NULL),
                  TAC_OK);
    }
    const tacTangent along = {dx, dU, dtheta};
    for (int threads = 1; threads <= 2; threads++) {
        CHECK_INT(tac_batch_rollout_jvp(c.m, &c.options, WORLDS_OF, ROLL, X0, U, &along, Xb, dXb, threads), TAC_OK);
        CHECK_INT(memcmp(X, Xb, 2 * states * sizeof *X), 0);
        CHECK_INT(memcmp(dX, dXb, 2 * moves * sizeof *dX), 0);
        memset(dXb, 0, 2 * moves * sizeof *dXb);
    }
    tacBatchOptions o = tac_default_batch_options();
    tacBatch *batch = NULL;
    tacStatus status[WORLDS_OF];
    o.worlds = WORLDS_OF;
    CHECK_INT(tac_batch_new(c.m, &c.options, &o, &batch, NULL), TAC_OK);
    CHECK_INT(tac_batch_run_rollout_jvp(batch, ROLL, X0, U, &along, Xb, dXb, status), TAC_OK);
    CHECK_INT(memcmp(dX, dXb, 2 * moves * sizeof *dX), 0);
    tacTangent first = {dx, NULL, NULL};
    CHECK_INT(tac_batch_run_jvp(batch, X0, NULL, &first, dXb, status), TAC_ERR_ARGUMENT); /* U is missing */
    CHECK_INT(tac_batch_run_jvp(batch, X0, U, &first, dXb, status), TAC_OK);
    CHECK_INT(tac_step_jvp(c.sim, X0, U, dx, NULL, NULL, c.dy, NULL), TAC_OK);
    CHECK_INT(memcmp(c.dy, dXb, (size_t)ndx * sizeof *dXb), 0);
    tac_batch_free(batch);
    free(X0), free(U), free(dx), free(dU), free(dtheta), free(X), free(dX), free(Xb), free(dXb);
    close_case(&c);
}

/* --- Outputs ------------------------------------------------------------------------------------------------------ */

/* Outputs of two geoms have no "all". */
static tacOutput output_of_kind(int kind, int last_geom) {
    if (kind == TAC_OUT_PAIR_FORCE) return (tacOutput){.kind = TAC_OUT_PAIR_FORCE, .id2 = last_geom};
    if (kind == TAC_OUT_GROWTH) return (tacOutput){.kind = TAC_OUT_GROWTH, .id2 = last_geom, .kappa = 1e-2};
    return (tacOutput){.kind = (tacOutputKind)kind, .id = TAC_OUT_ALL};
}

static void push_outputs(void **state) {
    static const World OF[] = {
        {"test/data/everything.xml", TAC_CONTACT_MODEL_NONE, -1, 0, 0, 0, {"option.gravity[2]", NULL}},
        {"models/quadruped.xml", TAC_CONTACT_MODEL_LCP, -1, 0, 0, 0, {"body/trunk.mass", NULL}},
        {"models/quadruped.xml", TAC_CONTACT_MODEL_SOFT, -1, 0, 0, 0, {"body/trunk.mass", NULL}},
        {"models/half_cheetah.xml", TAC_CONTACT_MODEL_NCP, -1, 0, 0, 0, {"body/torso.mass", NULL}}};
    (void)state;
    for (size_t i = 0; i < sizeof OF / sizeof *OF; i++) {
        Case c;
        tacOutput list[TAC_OUTPUT_KINDS];
        open_case(&c, &OF[i]);
        for (int k = 0; k < TAC_OUTPUT_KINDS; k++)
            list[k] = output_of_kind(k, c.m->ngeom - 1);
        tacOutputs all = {TAC_OUTPUT_KINDS, list};
        int nz = tac_outputs_size(c.m, &all);
        double *J[3], *dz = numbers(nz), *expected = numbers(nz);
        for (int k = 0; k < 3; k++)
            J[k] = numbers(nz * c.n[k]);
        draw(&c, 2);
        CHECK_INT(tac_outputs_jac(c.sim, c.x, c.u, &all, NULL, &(tacJac){J[0], J[1], J[2]}), TAC_OK);
        CHECK_INT(tac_outputs_jvp(c.sim, c.x, c.u, &all, &(tacTangent){c.d[0], c.d[1], c.d[2]}, dz), TAC_OK);
        double scale = product(&c, nz, J, 7, expected);
        CHECK(scale > 0);
        CHECK_ARRAY(nz, dz, expected, TOL_PRODUCT * scale);
        free(dz), free(expected), free(J[0]), free(J[1]), free(J[2]);
        close_case(&c);
    }
}

/* --- Failures ----------------------------------------------------------------------------------------------------- */

static void failures_leave_results(void **state) {
    Case c;
    (void)state;
    open_case(&c, &ROLLED);
    draw(&c, 0);
    for (int i = 0; i < c.n[0]; i++)
        c.dy[i] = 7;
    tacStepInfo info;
    double keep = c.d[0][3];
    c.d[0][3] = (double)NAN;
    CHECK_INT(tac_step_jvp(c.sim, c.x, c.u, c.d[0], NULL, NULL, c.dy, &info), TAC_ERR_NONFINITE);
    CHECK_INT(info.status, TAC_ERR_NONFINITE);
    c.d[0][3] = 1e308; /* products overflow */
    CHECK_INT(tac_step_jvp(c.sim, c.x, c.u, c.d[0], NULL, NULL, c.dy, NULL), TAC_ERR_NONFINITE);
    c.d[0][3] = keep;
    CHECK_INT(tac_step_jvp(c.sim, c.x, c.u, c.d[0], NULL, NULL, NULL, NULL), TAC_ERR_ARGUMENT);
    for (int i = 0; i < c.n[0]; i++)
        CHECK_NEAR(c.dy[i], 7, 0);
    CHECK_INT(tac_step_jvp(c.sim, c.x, c.u, NULL, NULL, NULL, c.dy, NULL), TAC_OK);
    for (int i = 0; i < c.n[0]; i++)
        CHECK_NEAR(c.dy[i], 0, 0);
    close_case(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_the_products),     cmocka_unit_test(chain_over_a_rollout),
        cmocka_unit_test(batches_of_rollouts),    cmocka_unit_test(push_outputs),
        cmocka_unit_test(failures_leave_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
