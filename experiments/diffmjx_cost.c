/* DiffMJX, Fig. S6: what a right derivative costs. The cube of the toss at -2 m/s: errors of loss and slope against
 * time, for every error-controlled integrator and tolerance, beside MuJoCo's steps with centred differences in the same
 * run.
 *
 * The paper's own figures are of another body: its collision of boxes is smoothed, so that every contact is a blend of
 * all eight corners (facts, section 4). They are shown and not compared. */
#include "experiments/plot.h"
#include "experiments/toss.h"

#include "measure/agreement.h"
#include "measure/timing.h"

#include <math.h>
#include <stdlib.h>

/* s: the whole motion is one outer step, as in the paper's program. */
#define STEP TOSS_SPAN
/* Of the slope, and how much faster than MuJoCo such a slope must be. */
#define WITHIN       0.01
#define TIMES_FASTER 50.0
/* What tsit5 must find at the finest tolerance that it runs. */
#define LOSS_BAR  2e-6
#define SLOPE_BAR 5e-4
/* s: an integrator whose derivative takes longer is not asked for a finer tolerance. */
#define MOST_SECONDS 1.5
enum { OURS = 8, TOLERANCES = 9, PEERS = 3, SIZES = 7, EVENTS = 1000, ROUNDS = 5, REPEAT = 3 };

static const struct {
    tacIntegrator integrator;
    const char *name, *colour; /* a null colour: in the answer, not in the picture */
} OUR[OURS] = {{TAC_INTEGRATOR_TSIT5, "tsit5", "own"},      {TAC_INTEGRATOR_DOPRI5, "dopri5", NULL},
               {TAC_INTEGRATOR_DOPRI8, "dopri8", "two"},    {TAC_INTEGRATOR_BOSH3, "bosh3", "one"},
               {TAC_INTEGRATOR_HEUN, "heun", NULL},         {TAC_INTEGRATOR_RALSTON, "ralston", NULL},
               {TAC_INTEGRATOR_MIDPOINT, "midpoint", NULL}, {TAC_INTEGRATOR_STIFF, "stiff", "three"}};
static const double TOLERANCE[TOLERANCES] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11};

static const struct {
    tacMujocoIntegrator integrator;
    const char *name, *colour;
} PEER[PEERS] = {{MEASURE_MUJOCO_EULER, "mujoco_euler", "soft"},
                 {MEASURE_MUJOCO_IMPLICIT, "mujoco_implicit", "ink"},
                 {MEASURE_MUJOCO_RK4, "mujoco_rk4", "bad"}};
/* Steps of its motion. */
static const int SIZE[SIZES] = {100, 300, 1000, 3000, 10000, 30000, 100000};

/* Settings of one kind, from coarse to fine. */
typedef struct Row {
    int n; /* settings that ran */
    double seconds[TOLERANCES], loss[TOLERANCES], slope[TOLERANCES];
    int inner[TOLERANCES];
} Row;

static double slope_error(const Row *r, int k) { return fabs(r->slope[k] / TOSS_CUBE_SLOPE - 1); }

/* The coarsest setting that, with all finer ones, is within 1 %; -1: the finest is not. */
static int first_right(const Row *r) {
    int first = -1;
    for (int k = r->n - 1; k >= 0 && slope_error(r, k) <= WITHIN; k--)
        first = k;
    return first;
}

/* --- Ours -------------------------------------------------------------------------------------------------------- */

static TossSetting setting_of(int i, int k) { return (TossSetting){OUR[i].integrator, STEP, TOLERANCE[k], EVENTS}; }

/* Seconds of a derivative: the least of a few. */
static tacStatus time_slope(Toss *toss, TossResult *result, double *seconds) {
    tacStatus status = TAC_OK;
    *seconds = HUGE_VAL;
    for (int repeat = 0; repeat < REPEAT && status == TAC_OK; repeat++) {
        double start = bench_now();
        status = toss_slope(toss, TOSS_CUBE_SPEED, result);
        *seconds = fmin(*seconds, bench_now() - start);
        if (*seconds > MOST_SECONDS / REPEAT) break;
    }
    return status;
}

static int run_ours(tacFindings *found, int i, Row *row) {
    for (int k = 0; k < TOLERANCES && (k == 0 || row->seconds[k - 1] <= MOST_SECONDS); k++) {
        Toss toss;
        TossSetting setting = setting_of(i, k);
        TossResult r;
        int result = toss_open(found, "cube", &setting, &toss);
        if (result != EXPERIMENT_GO_ON) return result;
        tacStatus status = time_slope(&toss, &r, &row->seconds[k]);
        toss_close(&toss);
        if (status != TAC_OK)
            return experiment_fail(found, "%s at %.0e: %s", OUR[i].name, TOLERANCE[k], tac_status_text(status));
        row->loss[k] = r.loss;
        row->slope[k] = r.slope;
        row->inner[k] = r.inner;
        row->n = k + 1;
        measure_progress_show(&found->progress, i * TOLERANCES + k, OURS * TOLERANCES);
    }
    return EXPERIMENT_GO_ON;
}

/* --- MuJoCo's ---------------------------------------------------------------------------------------------------- */

static void run_peer(tacMujoco *peer, Toss *toss, int i, Row *row) {
    for (int k = 0; k < SIZES; k++) {
        TossResult r;
        row->seconds[k] = toss_in_mujoco(peer, toss, PEER[i].integrator, SIZE[k], TOSS_CUBE_SPEED, &r);
        row->loss[k] = r.loss;
        row->slope[k] = r.slope;
        row->inner[k] = SIZE[k];
    }
    row->n = SIZES;
}

/* --- Beside each other ------------------------------------------------------------------------------------------- */

/* The fastest right setting of several kinds. */
typedef struct Fastest {
    int kind, setting; /* -1: none */
} Fastest;

static Fastest fastest_of(const Row *rows, int n) {
    Fastest best = {-1, -1};
    for (int i = 0; i < n; i++) {
        int k = first_right(&rows[i]);
        for (; k >= 0 && k < rows[i].n; k++)
            if (best.kind < 0 || rows[i].seconds[k] < rows[best.kind].seconds[best.setting]) best = (Fastest){i, k};
    }
    return best;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Both once more in turn: *ratio, the median of MuJoCo's seconds over ours. */
static int compare(tacFindings *found, tacMujoco *peer, Fastest ours, Fastest theirs, double *ratio) {
    Toss toss;
    TossSetting setting = setting_of(ours.kind, ours.setting);
    double ratios[ROUNDS];
    int result = toss_open(found, "cube", &setting, &toss);
    if (result != EXPERIMENT_GO_ON) return result;
    for (int k = 0; k < ROUNDS && result == EXPERIMENT_GO_ON; k++) {
        TossResult r;
        double seconds;
        tacStatus status = time_slope(&toss, &r, &seconds);
        if (status != TAC_OK) result = experiment_fail(found, "%s", tac_status_text(status));
        ratios[k] =
            toss_in_mujoco(peer, &toss, PEER[theirs.kind].integrator, SIZE[theirs.setting], TOSS_CUBE_SPEED, &r) /
            seconds;
    }
    qsort(ratios, ROUNDS, sizeof *ratios, ascending);
    *ratio = ratios[ROUNDS / 2];
    toss_close(&toss);
    return result;
}

/* --- What came out ----------------------------------------------------------------------------------------------- */

static void report_row(tacFindings *found, const char *name, const Row *row, const double *setting) {
    json_t *list = json_array();
    for (int k = 0; k < row->n; k++) {
        json_t *object = json_object();
        experiment_put(found, object, "setting", setting[k]);
        experiment_put(found, object, "seconds", row->seconds[k]);
        experiment_put(found, object, "loss", row->loss[k]);
        experiment_put(found, object, "slope", row->slope[k]);
        json_object_set_new(object, "steps", json_integer(row->inner[k]));
        json_array_append_new(list, object);
        experiment_say(found, "  %-16s %.0e: loss %+.8f, slope %+.6f, %6d steps, %.4f s", name, setting[k],
                       row->loss[k], row->slope[k], row->inner[k], row->seconds[k]);
    }
    json_object_set_new(found->tactus, name, list);
}

/* What the paper's program stores: setting, loss, slope. */
static void put_paper(tacFindings *found) {
    static const struct {
        const char *name;
        double loss, slope;
    } STORED[] = {{"tsit5_1e-12", -0.30180, 0.17267},
                  {"tsit5_1e-7", -0.3018, 0.17488},
                  {"dopri8_1e-10", -0.3017952, 0.172559},
                  {"mjx_euler_3e-5", -0.30122, 0.1775},
                  {"mjx_rk4_1e-4", -0.30178, 0.152}};
    for (size_t i = 0; i < sizeof STORED / sizeof *STORED; i++) {
        const double pair[2] = {STORED[i].loss, STORED[i].slope};
        json_object_set_new(found->paper, STORED[i].name, measure_json_numbers(&found->json, STORED[i].name, 2, pair));
    }
    json_object_set_new(
        found->paper, "why_they_differ",
        json_string("loss and slope of a smoothed body: every contact is a blend of all eight corners"));
    experiment_put(found, found->tactus, "reference_loss", TOSS_CUBE_LOSS);
    experiment_put(found, found->tactus, "reference_slope", TOSS_CUBE_SLOPE);
}

static void draw_row(const tacPlot *plot, const Row *row, const char *colour, const char *name, int place) {
    double error[TOLERANCES];
    for (int k = 0; k < row->n; k++)
        error[k] = fmax(slope_error(row, k), plot->y0);
    plot_curve(plot, colour, row->n, row->seconds, error);
    for (int k = 0; k < row->n; k++)
        plot_dot(plot, colour, row->seconds[k], error[k]);
    plot_note(plot, (tacPlotNote){colour, "start", plot->x0, plot->y1, 14 + 220 * (place / 4), 20 + 18 * (place % 4)},
              "%s", name);
}

static void draw(FILE *file, const Row *ours, const Row *theirs) {
    static const char *const TEXT[PEERS] = {"MuJoCo Euler, differences", "MuJoCo implicit, differences",
                                            "MuJoCo RK4, differences"};
    tacPlot plot = {
        .file = file,
        .title = "What a right derivative costs: a cube is thrown down",
        .subtitle = "relative error of the derivative against seconds, tolerances 1e-3 to 1e-11, steps 0.01 to 1e-5 s",
        .x0 = 1e-3,
        .x1 = 10,
        .y0 = 1e-6,
        .y1 = 1e5,
        .log_x = 1,
        .log_y = 1};
    int place = 0;
    plot_begin(&plot);
    plot_axes(&plot, "seconds", "relative error");
    for (int i = 0; i < OURS; i++)
        if (OUR[i].colour != NULL) draw_row(&plot, &ours[i], OUR[i].colour, OUR[i].name, place++);
    for (int i = 0; i < PEERS; i++)
        if (theirs[i].n > 0) draw_row(&plot, &theirs[i], PEER[i].colour, TEXT[i], place++);
    plot_end(&plot);
}

static int run_peers(tacFindings *found, tacMujoco **peer, Toss *toss, Row *theirs) {
    char reason[256] = "";
    TossSetting setting = setting_of(0, 0);
    int result = toss_open(found, "cube", &setting, toss);
    if (result != EXPERIMENT_GO_ON) return result;
    *peer = toss_peer(found, "cube", toss, reason, sizeof reason);
    if (*peer == NULL) experiment_say(found, "  without MuJoCo: %s", reason);
    for (int i = 0; i < PEERS && *peer != NULL; i++)
        run_peer(*peer, toss, i, &theirs[i]);
    return EXPERIMENT_GO_ON;
}

/* -> does the criterion hold? Without MuJoCo there is none. */
static int judge(tacFindings *found, tacMujoco *peer, const Row *ours, const Row *theirs) {
    Fastest our = fastest_of(ours, OURS), their = fastest_of(theirs, PEERS);
    const Row *tsit5 = &ours[0];
    double ratio = 0, loss = fabs(tsit5->loss[tsit5->n - 1] - TOSS_CUBE_LOSS);
    double slope = fabs(tsit5->slope[tsit5->n - 1] - TOSS_CUBE_SLOPE);
    if (peer != NULL && our.kind >= 0 && their.kind >= 0 &&
        compare(found, peer, our, their, &ratio) != EXPERIMENT_GO_ON)
        return 0;
    if (our.kind >= 0 && their.kind >= 0)
        experiment_say(found, "  slope within 1 %%: %s at %.0e; %s with %d steps: %.0f times as slow",
                       OUR[our.kind].name, TOLERANCE[our.setting], PEER[their.kind].name, SIZE[their.setting], ratio);
    experiment_put(found, found->tactus, "times_faster", ratio);
    experiment_put(found, found->tactus, "loss_off", loss);
    experiment_put(found, found->tactus, "slope_off", slope);
    return loss <= LOSS_BAR && slope <= SLOPE_BAR && ratio >= TIMES_FASTER;
}

int diffmjx_cost(tacFindings *found) {
    static const double STEPS_OF[SIZES] = {1e-2, 1.0 / 300, 1e-3, 1.0 / 3000, 1e-4, 1.0 / 30000, 1e-5};
    Row ours[OURS] = {0}, theirs[PEERS] = {0};
    tacMujoco *peer = NULL;
    Toss toss = {0};
    int result = run_peers(found, &peer, &toss, theirs);
    for (int i = 0; i < OURS && result == EXPERIMENT_GO_ON; i++)
        result = run_ours(found, i, &ours[i]);
    if (result == EXPERIMENT_GO_ON) {
        for (int i = 0; i < OURS; i++)
            report_row(found, OUR[i].name, &ours[i], TOLERANCE);
        for (int i = 0; i < PEERS; i++)
            report_row(found, PEER[i].name, &theirs[i], STEPS_OF);
        put_paper(found);
        found->pass = judge(found, peer, ours, theirs);
        if (found->picture != NULL) draw(found->picture, ours, theirs);
    }
    measure_mujoco_close(peer);
    toss_close(&toss);
    return result;
}
