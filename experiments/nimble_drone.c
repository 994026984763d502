/* Nimble, Fig. 8: a drone at rest on the ground learns to fly to a height, from zero thrust.
 *
 * The contact holds, so the exact gradient of the last height by the thrusts is zero and gradient descent stays where
 * it is. The complementarity-aware gradient says what a contact that let go would do, and gets it off the ground. */
#include "experiments/experiment.h"
#include "experiments/plot.h"
#include "experiments/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TARGET     5.0 /* m */
#define RATE       10.0
#define MOST_FORCE 10.0 /* N */
#define BAR_MOVED  1e-6 /* m: what plain gradients may move at most */
#define BAR_HEIGHT 0.1  /* m: from the target */
enum { STEPS = 500, ITERATIONS = 100, REPORTED = 50 };

/* Height at the end of the flight, iteration by iteration. */
typedef struct Learning {
    double height[ITERATIONS + 1];
    double force[STEPS]; /* after the last of them */
    int left_ground;     /* iteration after which the drone first ends higher than it began; -1: never */
} Learning;

typedef struct Memory {
    double *U, *X, *g, *gx; /* STEPS, (STEPS + 1) x nx, STEPS, ndx */
    void *vjp;
    size_t bytes;
} Memory;

static int memory_new(const tacScene *s, Memory *m) {
    m->U = calloc(STEPS, sizeof(double));
    m->g = calloc(STEPS, sizeof(double));
    m->X = calloc((STEPS + 1) * (size_t)s->nx, sizeof(double));
    m->gx = calloc((size_t)s->ndx, sizeof(double));
    m->bytes = (tac_rollout_vjp_bytes(s->model, STEPS, 0) + 63) / 64 * 64 + 64;
    m->vjp = aligned_alloc(64, m->bytes);
    return m->U != NULL && m->g != NULL && m->X != NULL && m->gx != NULL && m->vjp != NULL;
}

static void memory_free(Memory *m) {
    free(m->U);
    free(m->g);
    free(m->X);
    free(m->gx);
    free(m->vjp);
}

/* Thrusts -> height at the end, and the gradient of (TARGET - height)^2. */
static tacStatus fly(tacScene *s, Memory *m, double *height) {
    tacStatus status = tac_rollout(s->sim, s->x, m->U, STEPS, m->X, NULL);
    if (status != TAC_OK) return status;
    *height = m->X[STEPS * (size_t)s->nx];
    double bar[2] = {-2 * (TARGET - *height), 0};
    tacTrajectory path = {.n = STEPS, .x0 = s->x, .U = m->U, .X = m->X, .xbar = bar};
    tacCheckpoints memory = {.memory = m->vjp, .bytes = m->bytes};
    return tac_rollout_vjp(s->sim, &path, &memory, &(tacGrad){m->gx, m->g, NULL}, NULL);
}

static tacStatus descend(tacFindings *found, tacScene *s, Memory *m, Learning *l) {
    l->left_ground = -1;
    for (int k = 0; k <= ITERATIONS; k++) {
        measure_progress_show(&found->progress, k, ITERATIONS);
        tacStatus status = fly(s, m, &l->height[k]);
        if (status != TAC_OK) return status;
        if (l->left_ground < 0 && l->height[k] > l->height[0] + BAR_HEIGHT) l->left_ground = k;
        for (int i = 0; i < STEPS && k < ITERATIONS; i++)
            m->U[i] = fmin(MOST_FORCE, fmax(-MOST_FORCE, m->U[i] - RATE * m->g[i]));
    }
    memcpy(l->force, m->U, sizeof l->force);
    return TAC_OK;
}

static int learn(tacFindings *found, tacGradientMode gradient, Learning *l) {
    tacScene s;
    Memory m = {0};
    int result = scene_load(found, "drone", &s);
    if (result != EXPERIMENT_GO_ON) return result;
    s.options.gradient = gradient;
    result = scene_start(found, &s);
    if (result != EXPERIMENT_GO_ON) return result;
    tacStatus status = memory_new(&s, &m) ? descend(found, &s, &m, l) : TAC_ERR_MEMORY;
    memory_free(&m);
    scene_close(&s);
    return status == TAC_OK ? EXPERIMENT_GO_ON : experiment_fail(found, "%s", tac_status_text(status));
}

/* Farthest that any iteration ends from the first, which has no thrust. */
static double moved(const Learning *l) {
    double most = 0;
    for (int k = 0; k <= ITERATIONS; k++)
        most = fmax(most, fabs(l->height[k] - l->height[0]));
    return most;
}

static void draw(FILE *file, const Learning *plain, const Learning *aware) {
    double iteration[ITERATIONS + 1];
    for (int k = 0; k <= ITERATIONS; k++)
        iteration[k] = k;
    tacPlot plot = {.file = file,
                    .title = "A drone learns to take off",
                    .subtitle =
                        "height after 0.5 s over iterations of gradient descent, which starts at rest with no thrust",
                    .x1 = ITERATIONS,
                    .y1 = 6,
                    .nkey = 3};
    plot_begin(&plot);
    plot_axes(&plot, "iteration", "height, m");
    plot_line(&plot, "soft", 0, TARGET, ITERATIONS, TARGET);
    plot_curve(&plot, "one", ITERATIONS + 1, iteration, plain->height);
    plot_curve(&plot, "own", ITERATIONS + 1, iteration, aware->height);
    plot_key(&plot, "soft", "target");
    plot_key(&plot, "one", "exact gradients: moved %.0e m", moved(plain));
    plot_key(&plot, "own", "complementarity-aware: ends at %.4f m", aware->height[ITERATIONS]);
    plot_end(&plot);
}

static void report(tacFindings *found, const char *name, const Learning *l) {
    json_t *object = json_object();
    experiment_put(found, object, "height_first", l->height[0]);
    experiment_put(found, object, "height_after_50", l->height[REPORTED]);
    experiment_put(found, object, "height_last", l->height[ITERATIONS]);
    experiment_put(found, object, "moved", moved(l));
    json_object_set_new(object, "left_ground_after", json_integer(l->left_ground));
    json_object_set_new(found->tactus, name, object);
    experiment_say(found, "  %-16s height %.6f m at first, %.6f after %d iterations, %.6f after %d", name, l->height[0],
                   l->height[REPORTED], REPORTED, l->height[ITERATIONS], ITERATIONS);
}

int nimble_drone(tacFindings *found) {
    Learning plain, aware;
    int result = learn(found, TAC_GRADIENT_EXACT, &plain);
    if (result == EXPERIMENT_GO_ON) result = learn(found, TAC_GRADIENT_COMPLEMENTARITY, &aware);
    if (result != EXPERIMENT_GO_ON) return result;
    experiment_put(found, found->paper, "target", TARGET);
    json_object_set_new(found->paper, "plain", json_string("no progress"));
    json_object_set_new(found->paper, "complementarity", json_string("escapes after several iterations"));
    report(found, "exact", &plain);
    report(found, "complementarity", &aware);
    experiment_say(found, "  exact gradients move it by at most %.1e m; aware ones lift it off after iteration %d",
                   moved(&plain), aware.left_ground);
    found->pass = moved(&plain) < BAR_MOVED && fabs(aware.height[ITERATIONS] - TARGET) <= BAR_HEIGHT;
    if (found->picture != NULL) draw(found->picture, &plain, &aware);
    return EXPERIMENT_GO_ON;
}
