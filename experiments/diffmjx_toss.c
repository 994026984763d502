/* DiffMJX, Figs. 5 and S5: five bodies are thrown down on a plane at 200 vertical speeds each; the derivative of where
 * they end up aside by that speed. Three ways: steps of Euler, error-controlled steps unrolled, and the same with the
 * times found at which contact begins.
 *
 * What is right is told by centred differences of two widths at a far finer tolerance. Where the two disagree, the
 * motion has a corner near, or grazes, and the step must say so by itself. */
#include "experiments/plot.h"
#include "experiments/toss.h"

#include "measure/agreement.h"

#include <math.h>
#include <stdlib.h>

#define SLOWEST (-1.0) /* m/s */
#define FASTEST (-3.0)
#define STEP    0.01 /* s */
#define TOL     1e-8
#define FINE    1e-12                       /* of the differences */
static const double WIDTH[] = {1e-4, 2e-5}; /* m/s: of the differences */
/* Two slopes agree: to 1 % of the second, or to 1e-3 m per m/s. */
#define RELATIVE 0.01
#define ABSOLUTE 1e-3
/* m: where the differences disagree, a gap that turns back nearer than this says so. */
#define GRAZE        2e-4
#define LEAST_SMOOTH 0.90
#define LEAST_RIGHT  0.99
enum { BODIES = 5, SPEEDS = 200, EVENTS = 1000 };

static const char *const BODY[BODIES] = {"sphere", "capsule", "cube", "cylinder", "ellipsoid"};

typedef enum { EULER, UNROLLED, WITH_EVENTS, WAYS } Way;
static const char *const WAY_NAMES[WAYS] = {"euler", "unrolled", "with_events"};
static const TossSetting SETTING[WAYS] = {{TAC_INTEGRATOR_EULER, STEP, TOL, EVENTS},
                                          {TAC_INTEGRATOR_TSIT5, STEP, TOL, -1},
                                          {TAC_INTEGRATOR_TSIT5, STEP, TOL, EVENTS}};
static const TossSetting FINELY = {TAC_INTEGRATOR_TSIT5, STEP, FINE, EVENTS};

/* One body at every speed. */
typedef struct Sweep {
    double slope[WAYS][SPEEDS], difference[SPEEDS];
    int smooth[SPEEDS];  /* the two differences agree */
    int flagged[SPEEDS]; /* by the step with events */
} Sweep;

typedef struct Counts {
    int smooth, right[WAYS]; /* right: of those that are smooth */
    int unflagged;           /* of those that are not */
    double worst;            /* with events, where smooth: largest relative error */
} Counts;

static double speed_at(int k) { return SLOWEST + (FASTEST - SLOWEST) * k / (SPEEDS - 1); }

static int agree(double slope, double other) { return fabs(slope - other) <= fmax(RELATIVE * fabs(other), ABSOLUTE); }

/* --- One body ---------------------------------------------------------------------------------------------------- */

static int stopped(tacFindings *found, const char *body, double speed, tacStatus status) {
    return experiment_fail(found, "%s at %g m/s: %s", body, speed, tac_status_text(status));
}

static int find_difference(tacFindings *found, const char *body, Toss *fine, int k, Sweep *s) {
    double slope[2];
    for (int i = 0; i < 2; i++) {
        TossResult up, down;
        tacStatus status = toss_throw(fine, speed_at(k) + WIDTH[i], &up);
        if (status == TAC_OK) status = toss_throw(fine, speed_at(k) - WIDTH[i], &down);
        if (status != TAC_OK) return stopped(found, body, speed_at(k), status);
        slope[i] = (up.loss - down.loss) / (2 * WIDTH[i]);
    }
    s->difference[k] = slope[1];
    s->smooth[k] = agree(slope[0], slope[1]);
    return EXPERIMENT_GO_ON;
}

static int find_slopes(tacFindings *found, const char *body, Toss toss[WAYS], int k, Sweep *s) {
    for (int way = 0; way < WAYS; way++) {
        TossResult r;
        tacStatus status = toss_slope(&toss[way], speed_at(k), &r);
        if (status != TAC_OK) return stopped(found, body, speed_at(k), status);
        s->slope[way][k] = r.slope;
        s->flagged[k] = r.graze_margin < GRAZE || r.ties > 0 || r.switches > 0;
    }
    return EXPERIMENT_GO_ON;
}

static int sweep_body(tacFindings *found, int body, Sweep *s) {
    Toss toss[WAYS + 1] = {0};
    int result = EXPERIMENT_GO_ON;
    for (int i = 0; i <= WAYS && result == EXPERIMENT_GO_ON; i++)
        result = toss_open(found, BODY[body], i < WAYS ? &SETTING[i] : &FINELY, &toss[i]);
    for (int k = 0; k < SPEEDS && result == EXPERIMENT_GO_ON; k++) {
        measure_progress_show(&found->progress, body * SPEEDS + k, BODIES * SPEEDS);
        result = find_slopes(found, BODY[body], toss, k, s);
        if (result == EXPERIMENT_GO_ON) result = find_difference(found, BODY[body], &toss[WAYS], k, s);
    }
    for (int i = 0; i <= WAYS; i++)
        toss_close(&toss[i]);
    return result;
}

/* --- What came out ----------------------------------------------------------------------------------------------- */

static Counts count(const Sweep *s) {
    Counts c = {0};
    for (int k = 0; k < SPEEDS; k++) {
        c.smooth += s->smooth[k];
        c.unflagged += !s->smooth[k] && !s->flagged[k];
        for (int way = 0; way < WAYS && s->smooth[k]; way++)
            c.right[way] += agree(s->slope[way][k], s->difference[k]);
        double error = fabs(s->slope[WITH_EVENTS][k] - s->difference[k]);
        if (s->smooth[k]) c.worst = worse(c.worst, error / fmax(fabs(s->difference[k]), ABSOLUTE / RELATIVE));
    }
    return c;
}

static int report(tacFindings *found, const char *body, const Counts *c) {
    json_t *object = json_object();
    json_object_set_new(object, "smooth", json_integer(c->smooth));
    json_object_set_new(object, "unflagged", json_integer(c->unflagged));
    for (int way = 0; way < WAYS; way++)
        json_object_set_new(object, WAY_NAMES[way], json_integer(c->right[way]));
    experiment_put(found, object, "worst_with_events", c->worst);
    json_object_set_new(found->tactus, body, object);
    experiment_say(found,
                   "  %-10s differences agree at %d of %d speeds; right there: with events %d, unrolled %d, Euler %d; "
                   "elsewhere without a flag: %d",
                   body, c->smooth, SPEEDS, c->right[WITH_EVENTS], c->right[UNROLLED], c->right[EULER], c->unflagged);
    return c->smooth >= LEAST_SMOOTH * SPEEDS && c->right[WITH_EVENTS] >= LEAST_RIGHT * c->smooth && c->unflagged == 0;
}

static void draw(FILE *file, const Sweep *s) {
    static const char *const COLOUR[WAYS] = {"soft", "bad", "own"};
    static const char *const TEXT[WAYS] = {"Euler, steps of 0.01 s", "error-controlled steps unrolled",
                                           "with the beginnings of contact found"};
    double speed[SPEEDS];
    tacPlot plot = {.file = file,
                    .title = "A cube is thrown down: how its place aside moves with its speed",
                    .subtitle = "derivative of the place aside after 1 s by the vertical speed; tolerance 1e-8",
                    .x0 = FASTEST,
                    .x1 = SLOWEST,
                    .y0 = -2,
                    .y1 = 4};
    plot_begin(&plot);
    plot_axes(&plot, "vertical speed, m/s", "derivative, s");
    for (int k = 0; k < SPEEDS; k++)
        speed[k] = speed_at(k);
    for (int way = 0; way < WAYS; way++) {
        plot_curve(&plot, COLOUR[way], SPEEDS, speed, s->slope[way]);
        plot_note(&plot, (tacPlotNote){COLOUR[way], "start", FASTEST, plot.y1, 12, 18 + 17 * way}, "%s", TEXT[way]);
    }
    plot_note(&plot, (tacPlotNote){"two", "start", FASTEST, plot.y1, 12, 18 + 17 * WAYS},
              "dots: differences at tolerance 1e-12, where two widths agree");
    for (int k = 0; k < SPEEDS; k += 4)
        if (s->smooth[k]) plot_dot(&plot, "two", speed[k], s->difference[k]);
    plot_end(&plot);
}

int diffmjx_toss(tacFindings *found) {
    Sweep *sweep = calloc(BODIES, sizeof *sweep);
    if (sweep == NULL) return experiment_fail(found, "out of memory");
    int result = EXPERIMENT_GO_ON;
    found->pass = 1;
    for (int i = 0; i < BODIES && result == EXPERIMENT_GO_ON; i++) {
        result = sweep_body(found, i, &sweep[i]);
        Counts c = count(&sweep[i]);
        if (result == EXPERIMENT_GO_ON && !report(found, BODY[i], &c)) found->pass = 0;
    }
    json_object_set_new(found->paper, "claim", json_string("small or error-controlled steps give right gradients"));
    if (result == EXPERIMENT_GO_ON && found->picture != NULL) draw(found->picture, &sweep[2]);
    free(sweep);
    return result;
}
