/* Dojo, Fig. 7: Atlas and A1 fall to the ground. Does the height of the torso depend on the time step? */
#include "experiments/experiment.h"
#include "experiments/plot.h"
#include "experiments/scene.h"

#include <math.h>
#include <stdlib.h>

#define BAR     0.03 /* m: root mean square */
#define SECONDS 5.0
enum { NROBOT = 2, NRATE = 5, SAMPLES = 501, LEAST_COUNTED = 50 };

static const char *const SCENE[NROBOT] = {"atlas_drop", "a1_drop"}, *const ROBOT[NROBOT] = {"atlas", "a1"};
static const int RATE[NRATE] = {20, 50, 100, 200, 500}; /* Hz; the last is the reference */

/* Height of the free body every 10 ms, between steps on a straight line. */
typedef struct Fall {
    double height[SAMPLES], rms, most; /* m: to the reference */
} Fall;

static tacStatus fall(tacScene *s, int rate, Fall *f) {
    int at = 0;
    double h = 1.0 / rate;
    for (int k = 0; k < (int)(SECONDS * rate) + 1 && at < SAMPLES; k++) {
        double before = s->x[2];
        tacStatus status = scene_move(s, 1, NULL);
        if (status != TAC_OK) return status;
        for (; at < SAMPLES && at * SECONDS / (SAMPLES - 1) < (k + 1) * h; at++)
            f->height[at] = before + (at * SECONDS / (SAMPLES - 1) / h - k) * (s->x[2] - before);
    }
    return TAC_OK;
}

static int run_fall(tacFindings *found, int robot, int rate, Fall *f) {
    tacScene s;
    int result = scene_load(found, SCENE[robot], &s);
    if (result != EXPERIMENT_GO_ON) return result;
    s.options.contact = TAC_CONTACT_MODEL_NCP;
    s.options.dt = 1.0 / rate;
    result = scene_start(found, &s);
    if (result != EXPERIMENT_GO_ON) return result;
    tacStatus status = fall(&s, rate, f);
    scene_close(&s);
    return status == TAC_OK ? EXPERIMENT_GO_ON
                            : experiment_fail(found, "%s, %d Hz: %s", ROBOT[robot], rate, tac_status_text(status));
}

static void compare(Fall *f, const Fall *reference) {
    double sum = 0;
    for (int k = 0; k < SAMPLES; k++) {
        double off = f->height[k] - reference->height[k];
        sum += off * off / SAMPLES;
        f->most = fmax(f->most, fabs(off));
    }
    f->rms = sqrt(sum);
}

static void draw(FILE *file, Fall (*f)[NRATE]) {
    static const char *const COLOUR[NRATE] = {"bad", "one", "two", "three", "own"};
    double time[SAMPLES];
    for (int k = 0; k < SAMPLES; k++)
        time[k] = k * SECONDS / (SAMPLES - 1);
    tacPlot plot = {.file = file,
                    .title = "Atlas and A1 fall to the ground",
                    .subtitle = "height of pelvis (above) and trunk (below), 20 to 500 steps a second",
                    .x1 = SECONDS,
                    .y1 = 1.6,
                    .nkey = NRATE};
    plot_begin(&plot);
    plot_axes(&plot, "time, s", "height, m");
    for (int i = 0; i < NRATE; i++) {
        for (int r = 0; r < NROBOT; r++)
            plot_curve(&plot, COLOUR[i], SAMPLES, time, f[r][i].height);
        plot_key(&plot, COLOUR[i], i == NRATE - 1 ? "%d Hz" : "%d Hz: %.1f and %.1f mm off", RATE[i], 1e3 * f[0][i].rms,
                 1e3 * f[1][i].rms);
    }
    plot_end(&plot);
}

static int run_robot(tacFindings *found, int robot, Fall f[NRATE]) {
    json_t *object = json_object();
    int result = EXPERIMENT_GO_ON;
    for (int i = 0; i < NRATE && result == EXPERIMENT_GO_ON; i++) {
        measure_progress_show(&found->progress, robot * NRATE + i, NROBOT * NRATE);
        result = run_fall(found, robot, RATE[i], &f[i]);
    }
    for (int i = 0; i < NRATE - 1 && result == EXPERIMENT_GO_ON; i++) {
        char key[16];
        snprintf(key, sizeof key, "rms_%d", RATE[i]);
        compare(&f[i], &f[NRATE - 1]);
        experiment_put(found, object, key, f[i].rms);
        experiment_say(found, "  %-6s %3d Hz: %.4f m off (root mean square), at most %.4f m", ROBOT[robot], RATE[i],
                       f[i].rms, f[i].most);
        if (RATE[i] >= LEAST_COUNTED && !(f[i].rms <= BAR)) found->pass = 0;
    }
    json_object_set_new(found->tactus, ROBOT[robot], object);
    return result;
}

int dojo_low_frequency(tacFindings *found) {
    Fall f[NROBOT][NRATE] = {0};
    found->pass = 1;
    json_object_set_new(found->paper, "heights", json_string("similar, with small deviations, from 20 to 500 Hz"));
    for (int r = 0; r < NROBOT; r++) {
        int result = run_robot(found, r, f[r]);
        if (result != EXPERIMENT_GO_ON) return result;
    }
    if (found->picture != NULL) draw(found->picture, f);
    return EXPERIMENT_GO_ON;
}
