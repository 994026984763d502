/* Fits of simulated recordings: derivatives of residuals, parameters that come back, intervals that hold the truth,
 * directions that the data do not see. */
#include "support/check.h"
#include "tactus/fit.h"
#include "tactus/io.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 31, MOST = 64 };

/* A box that is tossed, several times: recordings of the true model. */
typedef struct World {
    tacModel *truth, *model;
    tacOptions options;
    double *x[MOST];
    int nx, ndx, n;
} World;

static void must(tacStatus status, const tacError *err) {
    if (status != TAC_OK) fail_msg("%s", err->text);
}

static tacModel *load(const char *path) {
    tacModel *m;
    tacError err = {0};
    must(tac_load(path, &m, &err), &err);
    return m;
}

static void set(tacModel *m, const char *path, double value) {
    tacError err = {0};
    must(tac_param_set(m, path, value, &err), &err);
}

static int with_param(tacModel *m, const char *path) {
    tacError err = {0};
    int index = -1;
    must(tac_param_register(m, path, &index, &err), &err);
    return index;
}

/* One rollout of the truth from x0. */
static void record(World *w, double *x) {
    tacSim *sim;
    tacError err = {0};
    must(tac_sim_new(w->truth, &w->options, &sim, &err), &err);
    int ninput = tac_ninput(w->truth, &w->options);
    double *u = calloc((size_t)ninput + 1, sizeof *u);
    tac_default_input(w->truth, &w->options, u);
    for (int k = 0; k + 1 < FRAMES; k++)
        CHECK_INT(tac_step(sim, x + (size_t)k * (size_t)w->nx, u, x + (size_t)(k + 1) * (size_t)w->nx, NULL), TAC_OK);
    free(u);
    tac_sim_free(sim);
}

static double *state_of(const World *w, int i) {
    double *x = calloc((size_t)FRAMES * (size_t)w->nx, sizeof *x);
    tac_default_state(w->truth, x);
    x[2] = 0.45;
    double turn[6] = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        turn[3 + k] = 0.5 * tac_random_normal(7, (uint64_t)i, (uint64_t)k);
    tac_qpos_add(w->truth, x, turn, x);
    for (int k = 0; k < 6; k++)
        x[7 + k] = tac_random_normal(7, (uint64_t)i, (uint64_t)(10 + k)) * (k < 3 ? 0.7 : 2);
    x[9] = -1 - x[9] * x[9];
    return x;
}

static World open_world(tacContactModel contact, int n) {
    World w = {.truth = load("models/box.xml"), .model = load("models/box.xml"), .n = n};
    w.options = tac_default_options(w.truth);
    w.options.contact = contact;
    w.options.dt = 0.01;
    w.nx = tac_nx(w.truth);
    w.ndx = tac_ndx(w.truth);
    set(w.truth, "geom/box.friction[0]", 0.45);
    set(w.truth, "geom/ground.friction[0]", 0.1);
    set(w.model, "geom/ground.friction[0]", 0.1);
    set(w.model, "geom/box.friction[0]", 0.6);
    for (int i = 0; i < n; i++) {
        w.x[i] = state_of(&w, i);
        record(&w, w.x[i]);
    }
    return w;
}

static void close_world(World *w) {
    for (int i = 0; i < w->n; i++)
        free(w->x[i]);
    tac_model_free(w->truth);
    tac_model_free(w->model);
}

static const double DEVIATION[12] = {1e-3, 1e-3, 1e-3, 3e-3, 3e-3, 3e-3, 0.03, 0.03, 0.03, 0.1, 0.1, 0.1};

static tacFit *open_fit(const World *w, const tacFitOptions *o) {
    tacFit *fit;
    tacError err = {0};
    must(tac_fit_new(w->model, &w->options, o, &fit, &err), &err);
    for (int i = 0; i < w->n; i++) {
        tacFitRecording r = tac_default_fit_recording();
        r.frames = FRAMES;
        r.x = w->x[i];
        must(tac_fit_add_recording(fit, &r, NULL, &err), &err);
    }
    return fit;
}

static void unknown(tacFit *fit, int param, tacMove move, double low, double high) {
    tacFitParam p = tac_default_fit_param();
    tacError err = {0};
    p.param = param;
    p.move = move;
    p.low = low;
    p.high = high;
    must(tac_fit_add_param(fit, &p, &err), &err);
}

/* --- Inertia ------------------------------------------------------------------------------------------------------ */

static void test_inertia(void **state) {
    (void)state;
    for (int sample = 0; sample < 300; sample++) {
        double z[10], back[10], inertia[10], jac[100];
        for (int k = 0; k < 10; k++)
            z[k] = tac_random_normal(3, (uint64_t)sample, (uint64_t)k);
        tac_inertia_from_log(z, inertia, jac);
        CHECK_LT(0, inertia[0]);
        CHECK_INT(tac_inertia_to_log(inertia, back), TAC_OK);
        CHECK_ARRAY(10, back, z, 1e-10);
        for (int k = 0; k < 10; k++) {
            double plus[10], minus[10], up[10], down[10], h = 1e-5;
            memcpy(plus, z, sizeof z);
            memcpy(minus, z, sizeof z);
            plus[k] += h;
            minus[k] -= h;
            tac_inertia_from_log(plus, up, NULL);
            tac_inertia_from_log(minus, down, NULL);
            for (int i = 0; i < 10; i++)
                CHECK_NEAR((up[i] - down[i]) / (2 * h), jac[10 * i + k], 1e-8 * (1 + fabs(inertia[i])) * 10);
        }
    }
    double flat[10] = {1, 0, 0, 0, 1, 1, 2.5, 0, 0, 0}, z[10];
    CHECK_INT(tac_inertia_to_log(flat, z), TAC_ERR_MODEL); /* xx + yy < zz: no body */
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* Residuals of a segment at a parameter, by a fitter that begins there. */
static void residuals_at(tacFitter *fitter, const double *theta, double *r) {
    tacError err = {0};
    must(tac_fitter_begin(fitter, theta, &err), &err);
    CHECK_INT(tac_fitter_residuals(fitter, 2, r, NULL), TAC_OK);
}

static void test_derivative(void **state) {
    (void)state;
    const tacContactModel models[] = {TAC_CONTACT_MODEL_NCP, TAC_CONTACT_MODEL_SOFT, TAC_CONTACT_MODEL_LCP};
    for (int c = 0; c < 3; c++) {
        World w = open_world(models[c], 3);
        int friction = with_param(w.model, "geom/box.friction[0]"), mass = with_param(w.model, "body/box.mass");
        tacFitOptions o = tac_default_fit_options();
        o.horizon = 30;
        o.deviation = DEVIATION;
        tacFit *fit = open_fit(&w, &o);
        unknown(fit, friction, TAC_MOVE_LOG, 0, HUGE_VAL);
        unknown(fit, mass, TAC_MOVE_LOG, 0, HUGE_VAL);
        tacFitter *fitter;
        tacError err = {0};
        must(tac_fitter_new(fit, &fitter, &err), &err);
        int rows = tac_fit_segment_rows(fit, 0);
        CHECK_INT(rows, 30 * 12);
        double *r = calloc((size_t)rows * 5, sizeof *r), *J = r + rows, *up = J + 2 * rows, *down = up + rows;
        CHECK_INT(tac_fitter_residuals(fitter, 2, r, J), TAC_OK);
        double theta[2] = {0.6, 1}, h = 1e-6, most = 0, error = 0;
        theta[friction] = 0.6 * exp(h);
        residuals_at(fitter, theta, up);
        theta[friction] = 0.6 * exp(-h);
        residuals_at(fitter, theta, down);
        for (int i = 0; i < rows; i++) {
            most = fmax(most, fabs(J[2 * i]));
            error = fmax(error, fabs((up[i] - down[i]) / (2 * h) - J[2 * i]));
        }
        CHECK_LT(0.1, most); /* friction acts on this toss */
        CHECK_LT(error, 2e-4 * most);
        free(r);
        tac_fitter_free(fitter);
        tac_fit_free(fit);
        close_world(&w);
    }
}

/* --- Estimates ---------------------------------------------------------------------------------------------------- */

static void test_friction_comes_back(void **state) {
    (void)state;
    World w = open_world(TAC_CONTACT_MODEL_NCP, 4);
    int friction = with_param(w.model, "geom/box.friction[0]");
    tacFitOptions o = tac_default_fit_options();
    o.deviation = DEVIATION;
    tacFit *fit = open_fit(&w, &o);
    unknown(fit, friction, TAC_MOVE_LOG, 0, HUGE_VAL);
    tacFitSizes sizes = tac_fit_sizes(fit);
    CHECK_INT(sizes.nsegment, 12);
    CHECK_INT(sizes.nresidual, 12 * 10 * 12);
    tacFitter *fitter;
    tacFitResult result;
    tacError err = {0};
    must(tac_fitter_new(fit, &fitter, &err), &err);
    must(tac_fitter_run(fitter, &result, &err), &err);
    CHECK_STR(tac_fit_end_text(result.end), "solved");
    CHECK_NEAR(result.theta[friction], 0.45, 1e-7);
    CHECK_LT(result.rms, 1e-4);
    tac_fitter_free(fitter);
    tac_fit_free(fit);
    close_world(&w);
}

/* Without contact the mass of a free box moves nothing, whatever gravity is. */
static void test_unseen(void **state) {
    (void)state;
    World w = open_world(TAC_CONTACT_MODEL_NONE, 2);
    set(w.model, "option.gravity[2]", -8);
    int gravity = with_param(w.model, "option.gravity[2]"), mass = with_param(w.model, "body/box.mass");
    tacFitOptions o = tac_default_fit_options();
    o.deviation = DEVIATION;
    o.horizon = 2;
    o.stride = FRAMES;
    tacFit *fit = open_fit(&w, &o);
    unknown(fit, gravity, TAC_MOVE_PLAIN, -20, 0);
    unknown(fit, mass, TAC_MOVE_LOG, 0, HUGE_VAL);
    tacFitter *fitter;
    tacFitResult result;
    tacFitJudgement j;
    tacError err = {0};
    must(tac_fitter_new(fit, &fitter, &err), &err);
    must(tac_fitter_run(fitter, &result, &err), &err);
    must(tac_fitter_judge(fitter, &j, &err), &err);
    CHECK_INT(j.rank, 1);
    CHECK_INT(j.seen[0], 1);
    CHECK_INT(j.seen[1], 0);
    CHECK_NEAR(result.theta[gravity], -9.81, 1e-9);
    CHECK_NEAR(result.theta[mass], 1, 1e-12);
    CHECK_NEAR(fabs(j.direction[3]), 1, 1e-9);
    CHECK(isinf(j.se[1]) && j.high[1] > 1e300);
    tac_fit_judgement_free(&j);
    tac_fitter_free(fitter);
    tac_fit_free(fit);
    close_world(&w);
}

/* Noise on states, starts estimated: the interval holds the truth; two threads, or a stop, change no bit. */
static void test_noise(void **state) {
    (void)state;
    World w = open_world(TAC_CONTACT_MODEL_NCP, 12);
    double size[2];
    for (int i = 0; i < w.n; i++)
        for (int k = 0; k < FRAMES; k++) {
            double d[12], *x = w.x[i] + k * w.nx;
            for (int e = 0; e < 12; e++)
                d[e] = DEVIATION[e] * tac_random_normal(11, (uint64_t)(i * FRAMES + k), (uint64_t)e);
            tac_qpos_add(w.model, x, d, x);
            for (int e = 0; e < 6; e++)
                x[7 + e] += d[6 + e];
        }
    int friction = with_param(w.model, "geom/box.friction[0]");
    for (int threads = 1; threads <= 2; threads++) {
        tacFitOptions o = tac_default_fit_options();
        o.deviation = DEVIATION;
        o.start = TAC_SEGMENT_ESTIMATED;
        o.threads = threads;
        tacFit *fit = open_fit(&w, &o);
        unknown(fit, friction, TAC_MOVE_LOG, 0, HUGE_VAL);
        tacFitter *fitter, *other;
        tacFitResult result;
        tacFitJudgement j;
        tacError err = {0};
        must(tac_fitter_new(fit, &fitter, &err), &err);
        must(tac_fitter_new(fit, &other, &err), &err);
        tac_fitter_iterate(fitter);
        size_t bytes = tac_fitter_save_bytes(fitter);
        unsigned char *saved = malloc(bytes);
        must(tac_fitter_save(fitter, saved, bytes, &err), &err);
        must(tac_fitter_restore(other, saved, bytes, &err), &err);
        must(tac_fitter_run(fitter, &result, &err), &err);
        size[threads - 1] = result.theta[friction];
        CHECK_STR(tac_fit_end_text(result.end), "solved");
        must(tac_fitter_judge(fitter, &j, &err), &err);
        CHECK_INT(j.groups, 12);
        CHECK_LT(j.low[0], 0.45);
        CHECK_LT(0.45, j.high[0]);
        CHECK_LT(j.se[0], 0.05);
        CHECK_LT(0.5, j.variance);
        CHECK_LT(j.variance, 2);
        must(tac_fitter_run(other, &result, &err), &err);
        CHECK(result.theta[friction] == size[threads - 1]);
        saved[bytes / 2] ^= 1;
        CHECK_INT(tac_fitter_restore(other, saved, bytes, &err), TAC_ERR_CHECKSUM);
        free(saved);
        tac_fit_judgement_free(&j);
        tac_fitter_free(fitter);
        tac_fitter_free(other);
        tac_fit_free(fit);
    }
    CHECK(size[0] == size[1]);
    close_world(&w);
}

static void test_adam_descends(void **state) {
    (void)state;
    World w = open_world(TAC_CONTACT_MODEL_NCP, 2);
    int friction = with_param(w.model, "geom/box.friction[0]");
    tacFitOptions o = tac_default_fit_options();
    o.deviation = DEVIATION;
    o.method = TAC_FIT_ADAM;
    o.batch = 4;
    o.rate = 0.02;
    o.iterations = 60;
    tacFit *fit = open_fit(&w, &o);
    unknown(fit, friction, TAC_MOVE_LOG, 0, HUGE_VAL);
    tacFitter *fitter;
    tacFitResult result;
    tacError err = {0};
    must(tac_fitter_new(fit, &fitter, &err), &err);
    must(tac_fitter_run(fitter, &result, &err), &err);
    CHECK_INT(result.iterations, 60);
    CHECK_STR(tac_fit_end_text(result.end), "iterations");
    CHECK_NEAR(result.theta[friction], 0.45, 0.03);
    tac_fitter_free(fitter);
    tac_fit_free(fit);
    close_world(&w);
}

/* --- Refusals ----------------------------------------------------------------------------------------------------- */

static void test_refusals(void **state) {
    (void)state;
    World w = open_world(TAC_CONTACT_MODEL_NCP, 1);
    int friction = with_param(w.model, "geom/box.friction[0]");
    tacFitOptions o = tac_default_fit_options();
    tacFit *fit;
    tacError err = {0};
    CHECK_INT(tac_fit_new(w.model, &w.options, &o, &fit, &err), TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "nothing is measured");
    o.deviation = DEVIATION;
    o.norm = TAC_NORM_BARRIER;
    CHECK_INT(tac_fit_new(w.model, &w.options, &o, &fit, &err), TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "least at 0");
    o.norm = TAC_NORM_HUBER;
    must(tac_fit_new(w.model, &w.options, &o, &fit, &err), &err);
    tacFitParam p = tac_default_fit_param();
    p.param = 3;
    CHECK_INT(tac_fit_add_param(fit, &p, &err), TAC_ERR_ARGUMENT);
    p.param = friction;
    p.high = 0.5;
    CHECK_INT(tac_fit_add_param(fit, &p, &err), TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "inside its bounds");
    p.high = 0.6;
    p.low = 0.1;
    p.move = TAC_MOVE_BETWEEN;
    CHECK_INT(tac_fit_add_param(fit, &p, &err), TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "its derivative is 0");
    p.high = 1;
    must(tac_fit_add_param(fit, &p, &err), &err);
    CHECK_INT(tac_fit_add_param(fit, &p, &err), TAC_ERR_ARGUMENT);
    tacFitRecording r = tac_default_fit_recording();
    r.name = "short";
    r.frames = 5;
    r.x = w.x[0];
    CHECK_INT(tac_fit_add_recording(fit, &r, NULL, &err), TAC_ERR_SHAPE);
    CHECK_HAS(err.text, "recording short has 5 frames: a segment needs 11");
    r.frames = FRAMES;
    w.x[0][10 * w.nx] = (double)NAN;
    CHECK_INT(tac_fit_add_recording(fit, &r, NULL, &err), TAC_ERR_NONFINITE);
    CHECK_HAS(err.text, "frame 10");
    tacFitter *fitter;
    CHECK_INT(tac_fitter_new(fit, &fitter, &err), TAC_ERR_SHAPE);
    tac_fit_free(fit);
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inertia),  cmocka_unit_test(test_derivative), cmocka_unit_test(test_friction_comes_back),
        cmocka_unit_test(test_unseen),   cmocka_unit_test(test_noise),      cmocka_unit_test(test_adam_descends),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
