/* Dojo, Table IV: an arm under joint servos sweeps out over a table and turns a box over, which stands at five
 * distances. */
#include "experiments/experiment.h"
#include "experiments/plot.h"
#include "experiments/scene.h"

#include <math.h>
#include <string.h>

#define BAR       0.03 /* m: of the final distance */
#define TIME_STEP 0.01 /* s: the controller's, and the step's */
#define WAIT      0.2  /* s */
#define SWEEP     0.4  /* s: from the first pose to the second, joint angles on straight lines */
#define UPRIGHT   0.5  /* cosine of the tilt: less is turned over */
enum { NPLACE = 5, STEPS = 300, BOX = 6, ARM = 6 }; /* joints of the arm, then the box */

typedef struct Place {
    double first, paper, real; /* m from the base: at first; at the end, simulated by Dojo and measured */
    int flips;
} Place;

static const Place PLACES[NPLACE] = {{0.30, 0.457, 0.469, 1},
                                     {0.35, 0.523, 0.527, 1},
                                     {0.40, 0.552, 0.551, 1},
                                     {0.45, 0.620, 0.612, 1},
                                     {0.50, 0.500, 0.500, 0}};

typedef struct Push {
    double distance[STEPS + 1]; /* m: of the box, along the motion */
    double upright;             /* at the end */
} Push;

/* Keyframes: where the arm begins, and where it is told to go. */
static void aim(const tacModel *m, int step, double *u) {
    double share = fmin(1, fmax(0, (step * TIME_STEP - WAIT) / SWEEP));
    for (int i = 0; i < ARM; i++)
        u[i] = (1 - share) * m->key_qpos[i] + share * m->key_qpos[m->nq + i];
}

static tacStatus push(tacScene *s, double place, Push *p) {
    s->x[BOX] = place;
    p->distance[0] = place;
    for (int k = 0; k < STEPS; k++) {
        aim(s->model, k, s->u);
        tacStatus status = scene_move(s, 1, NULL);
        if (status != TAC_OK) return status;
        p->distance[k + 1] = s->x[BOX];
    }
    const double *quat = s->x + BOX + 3;
    p->upright = 1 - 2 * (quat[1] * quat[1] + quat[2] * quat[2]);
    return TAC_OK;
}

static int run_push(tacFindings *found, double place, Push *p) {
    tacScene s;
    int result = scene_load(found, "push_box", &s);
    if (result != EXPERIMENT_GO_ON) return result;
    s.options.contact = TAC_CONTACT_MODEL_NCP;
    s.options.dt = TIME_STEP;
    s.options.inputs = 0;
    result = scene_start(found, &s);
    if (result != EXPERIMENT_GO_ON) return result;
    tacStatus status = push(&s, place, p);
    scene_close(&s);
    return status == TAC_OK ? EXPERIMENT_GO_ON : experiment_fail(found, "%g m: %s", place, tac_status_text(status));
}

/* -> does it go as in the paper? */
static int report(tacFindings *found, const Place *place, const Push *p) {
    json_t *ours = json_object(), *paper = json_object();
    double last = p->distance[STEPS];
    int flips = p->upright < UPRIGHT;
    char key[16];
    snprintf(key, sizeof key, "from_%.0f_cm", 100 * place->first);
    json_object_set_new(paper, "flips", json_boolean(place->flips));
    experiment_put(found, paper, "final", place->paper);
    experiment_put(found, paper, "final_real", place->real);
    json_object_set_new(ours, "flips", json_boolean(flips));
    experiment_put(found, ours, "final", last);
    json_object_set_new(found->paper, key, paper);
    json_object_set_new(found->tactus, key, ours);
    experiment_say(found, "  from %.0f cm: %s, ends at %.1f cm (paper: %s, %.1f cm simulated, %.1f cm measured)",
                   100 * place->first, flips ? "turned over" : "stands", 100 * last,
                   place->flips ? "turned over" : "stands", 100 * place->paper, 100 * place->real);
    return flips == place->flips && fabs(last - place->paper) <= BAR;
}

static void draw(FILE *file, const Push *p) {
    static const char *const COLOUR[NPLACE] = {"one", "two", "three", "own", "soft"};
    double time[STEPS + 1];
    for (int k = 0; k <= STEPS; k++)
        time[k] = k * TIME_STEP;
    tacPlot plot = {.file = file,
                    .title = "An arm turns a box over",
                    .subtitle =
                        "distance of the box from the arm's base; dots: where it ends in the paper's simulation",
                    .x1 = STEPS * TIME_STEP,
                    .y0 = 0.2,
                    .y1 = 0.7,
                    .nkey = NPLACE};
    plot_begin(&plot);
    plot_axes(&plot, "time, s", "distance, m");
    for (int i = 0; i < NPLACE; i++) {
        plot_curve(&plot, COLOUR[i], STEPS + 1, time, p[i].distance);
        plot_dot(&plot, COLOUR[i], plot.x1, PLACES[i].paper);
        plot_key(&plot, COLOUR[i], "starts at %.2f m: ends at %.3f m, in the paper %.3f m", p[i].distance[0],
                 p[i].distance[STEPS], PLACES[i].paper);
    }
    plot_end(&plot);
}

int dojo_push_box(tacFindings *found) {
    Push p[NPLACE];
    found->pass = 1;
    for (int i = 0; i < NPLACE; i++) {
        int result = run_push(found, PLACES[i].first, &p[i]);
        if (result != EXPERIMENT_GO_ON) return result;
        if (!report(found, &PLACES[i], &p[i])) found->pass = 0;
    }
    if (found->picture != NULL) draw(found->picture, p);
    return EXPERIMENT_GO_ON;
}
