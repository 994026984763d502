/* Nimble, Fig. 6: what the derivative of a bounce should be.
 *
 * A ball at a gap q above the floor comes down with v and bounces inside the step. In steps of fixed length
 * q+ = q - e h v, so dq+/dq = 1; in continuous time q+ = -e (q + h v), so dq+/dq = -e: the nearer it starts, the
 * farther it gets. The gradient for bounces (TAC_GRADIENT_BOUNCE) has to say -e. Steps that stop at impacts (option
 * toi) are continuous there: beside it stands their exact derivative. */
#include "experiments/experiment.h"
#include "experiments/plot.h"
#include "experiments/scene.h"

#include <math.h>

#define BAR   1e-6
#define SPEED (-1.0) /* m/s */
static const double RESTITUTIONS[] = {0.25, 0.5, 0.75, 1};
static const double GAPS[] = {0.001, 0.003, 0.005, 0.007, 0.009}; /* m: all bounce within a step of 0.01 s */
enum { NE = sizeof RESTITUTIONS / sizeof *RESTITUTIONS, NGAP = sizeof GAPS / sizeof *GAPS, SHOWN = 2 };

/* q+ and dq+/dq of a step from each gap. */
typedef struct Bounces {
    double next[NGAP], slope[NGAP];
} Bounces;

typedef enum { EXACT, BOUNCE, IMPACT, KINDS } Kind;
static const char *const KIND_NAMES[KINDS] = {"exact", "bounce", "toi"};

static int measure(tacFindings *found, Kind kind, double e, Bounces *b) {
    tacScene s;
    tacError err;
    int result = scene_load(found, "ball", &s);
    if (result != EXPERIMENT_GO_ON) return result;
    s.options.gradient = kind == BOUNCE ? TAC_GRADIENT_BOUNCE : TAC_GRADIENT_EXACT;
    s.options.toi = kind == IMPACT;
    tacStatus status = tac_param_set(s.model, "geom/ball.restitution", e, &err);
    result = status == TAC_OK ? scene_start(found, &s) : experiment_fail(found, "%s", err.text);
    for (int i = 0; i < NGAP && result == EXPERIMENT_GO_ON; i++) {
        double A[4];
        s.x[0] = GAPS[i];
        s.x[1] = SPEED;
        status = tac_step_jac(s.sim, s.x, s.u, s.y, &(tacJac){A, NULL, NULL}, NULL);
        if (status != TAC_OK) result = experiment_fail(found, "%s", tac_status_text(status));
        b->next[i] = s.y[0];
        b->slope[i] = A[0];
    }
    scene_close(&s);
    return result;
}

/* Largest |dq+/dq + e|. */
static double miss_of(const Bounces *b, double e) {
    double worst = 0;
    for (int i = 0; i < NGAP; i++)
        worst = fmax(worst, fabs(b->slope[i] + e));
    return worst;
}

/* --- Two balls --------------------------------------------------------------------------------------------------- */

/* What each ball does after the hit: dq+/dq, row major, and v+. */
typedef struct Hit {
    double slope[4], speed[2];
} Hit;

static int measure_hit(tacFindings *found, Hit *hit) {
    tacScene s;
    int result = scene_load(found, "two_balls", &s);
    if (result != EXPERIMENT_GO_ON) return result;
    s.options.gradient = TAC_GRADIENT_BOUNCE;
    result = scene_start(found, &s);
    if (result == EXPERIMENT_GO_ON) {
        double A[16];
        tacStatus status = tac_step_jac(s.sim, s.x, s.u, s.y, &(tacJac){A, NULL, NULL}, NULL);
        if (status != TAC_OK) result = experiment_fail(found, "%s", tac_status_text(status));
        *hit = (Hit){{A[0], A[1], A[4], A[5]}, {s.y[2], s.y[3]}};
    }
    scene_close(&s);
    return result;
}

/* Places are exchanged with the speeds: (dq2+/dq1, dq1+/dq1, dq1+/dq2, dq2+/dq2) = (1, 0, 1, 0). */
static double miss_of_hit(const Hit *h, double *row) {
    const double wanted[4] = {1, 0, 1, 0};
    const int entry[4] = {2, 0, 1, 3};
    double worst = 0;
    for (int i = 0; i < 4; i++) {
        row[i] = h->slope[entry[i]];
        worst = fmax(worst, fabs(row[i] - wanted[i]));
    }
    return worst;
}

/* --- What came out ----------------------------------------------------------------------------------------------- */

/* Next gap over gap: the step, continuous time, and short lines with the slopes of the two gradients. */
static void draw(FILE *file, const Bounces *exact, const Bounces *bounce, double e, double h) {
    const double reach = 0.0006;
    tacPlot plot = {.file = file,
                    .title = "A bounce inside one step",
                    .subtitle = "gap after the step over gap before it; restitution 0.75, 1 m/s, 10 ms",
                    .x1 = 0.01,
                    .y0 = -0.002,
                    .y1 = 0.02,
                    .nkey = 4};
    plot_begin(&plot);
    plot_axes(&plot, "gap before, m", "gap after, m");
    plot_line(&plot, "soft", 0, -e * h * SPEED, 0.01, 0.01 - e * h * SPEED);
    plot_line(&plot, "two", 0, -e * h * SPEED, 0.01, -e * (0.01 + h * SPEED));
    for (int i = 0; i < NGAP; i++) {
        double q = GAPS[i], y = -e * (q + h * SPEED);
        plot_line(&plot, "one", q - reach, exact->next[i] - reach * exact->slope[i], q + reach,
                  exact->next[i] + reach * exact->slope[i]);
        plot_dot(&plot, "one", q, exact->next[i]);
        plot_line(&plot, "own", q - reach, y - reach * bounce->slope[i], q + reach, y + reach * bounce->slope[i]);
        plot_dot(&plot, "own", q, y);
    }
    plot_key(&plot, "soft", "the step");
    plot_key(&plot, "one", "its exact gradient: slope %.3f", exact->slope[SHOWN]);
    plot_key(&plot, "two", "a bounce in continuous time");
    plot_key(&plot, "own", "the gradient for bounces: slope %.3f", bounce->slope[SHOWN]);
    plot_end(&plot);
}

static double report_ball(tacFindings *found, Bounces (*b)[KINDS]) {
    json_t *list = json_array();
    double worst = 0;
    for (int i = 0; i < NE; i++) {
        json_t *object = json_object();
        experiment_put(found, object, "restitution", RESTITUTIONS[i]);
        for (int kind = 0; kind < KINDS; kind++)
            experiment_put(found, object, KIND_NAMES[kind], b[i][kind].slope[SHOWN]);
        worst = fmax(worst, miss_of(&b[i][BOUNCE], RESTITUTIONS[i]));
        json_array_append_new(list, object);
        experiment_say(found,
                       "  restitution %.2f: dq+/dq of the step as it is %+.9f, for bounces %+.9f, with toi %+.9f",
                       RESTITUTIONS[i], b[i][EXACT].slope[SHOWN], b[i][BOUNCE].slope[SHOWN], b[i][IMPACT].slope[SHOWN]);
    }
    json_object_set_new(found->tactus, "ball", list);
    experiment_put(found, found->tactus, "worst_ball", worst);
    return worst;
}

static double report_hit(tacFindings *found, const Hit *hit) {
    double row[4], miss = miss_of_hit(hit, row);
    json_object_set_new(found->tactus, "two_balls", measure_json_numbers(&found->json, "two_balls", 4, row));
    json_object_set_new(found->tactus, "two_balls_speed", measure_json_numbers(&found->json, "speed", 2, hit->speed));
    experiment_put(found, found->tactus, "worst_two_balls", miss);
    experiment_say(found, "  two balls: (dq2+/dq1, dq1+/dq1, dq1+/dq2, dq2+/dq2) = (%.6f, %.6f, %.6f, %.6f)", row[0],
                   row[1], row[2], row[3]);
    experiment_say(found, "  speeds after the hit %.6f and %.6f m/s", hit->speed[0], hit->speed[1]);
    return miss;
}

int nimble_bounce(tacFindings *found) {
    Bounces b[NE][KINDS];
    Hit hit;
    for (int i = 0; i < NE; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            int result = measure(found, (Kind)kind, RESTITUTIONS[i], &b[i][kind]);
            if (result != EXPERIMENT_GO_ON) return result;
        }
    int result = measure_hit(found, &hit);
    if (result != EXPERIMENT_GO_ON) return result;
    json_object_set_new(found->paper, "dq_dq", json_string("-e"));
    double ball = report_ball(found, b), two = report_hit(found, &hit);
    found->pass = ball <= BAR && two <= BAR;
    if (found->picture != NULL) draw(found->picture, &b[SHOWN][EXACT], &b[SHOWN][BOUNCE], RESTITUTIONS[SHOWN], 0.01);
    return EXPERIMENT_GO_ON;
}
