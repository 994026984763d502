/* Jade, Fig. 2: a gripper closes on plates of 20 mm and 2 mm and lifts them, under force control.
 *
 * With steps that stop at impacts (option toi) no state overlaps; without, the same gripper lifts the plates too, but
 * sinks into them where a finger turns a plate that stands askew: contacts found at a step's beginning do not know
 * how it turns within the step. */
#include "experiments/experiment.h"
#include "experiments/plot.h"
#include "experiments/scene.h"

#include <math.h>

#define BAR_LIFTED  0.05 /* m */
#define BAR_OVERLAP 1e-9 /* m */
/* Forces, N: the hand's own weight (0.81 + 2 x 0.1 kg), the lift beyond it, and what each finger closes with. */
#define WEIGHT 10.1
#define LIFT   2.0
#define GRIP   5.0
enum { STEPS = 100, CLOSING = 30, MOST_CONTACTS = 256 };
/* Dofs: the hand's height, the two fingers, the plate's place; coordinates are numbered alike up to its height. */
enum { HAND, LEFT, RIGHT, PLATE_X, PLATE_Y, PLATE_Z };

static const double THICKNESS[] = {0.02, 0.002}; /* m */
enum { PLATES = 2, WAYS = 2 };                   /* toi off, on */

typedef struct Lift {
    double height[STEPS + 1], overlap[STEPS + 1];
    double lifted, worst;
    int impacts; /* stops at impacts */
} Lift;

/* Deepest overlap of any two geoms that may touch. */
static tacStatus overlap_at(tacScene *s, double *deepest) {
    tacContact contact[MOST_CONTACTS];
    int n;
    tacStatus status = tac_contacts(s->sim, s->x, NULL, contact, MOST_CONTACTS, &n);
    *deepest = 0;
    for (int i = 0; i < n && status == TAC_OK; i++)
        *deepest = fmax(*deepest, -contact[i].dist);
    return status;
}

static tacStatus grip_and_lift(tacScene *s, Lift *l) {
    tacStepInfo info = {0};
    for (int k = 0; k <= STEPS; k++) {
        tacStatus status = overlap_at(s, &l->overlap[k]);
        if (status != TAC_OK) return status;
        l->height[k] = s->x[PLATE_Z];
        l->worst = fmax(l->worst, l->overlap[k]);
        s->u[HAND] = WEIGHT + (k >= CLOSING ? LIFT : 0);
        s->u[LEFT] = s->u[RIGHT] = GRIP;
        status = scene_move(s, k < STEPS, &info);
        if (status != TAC_OK) return status;
        l->impacts += info.impacts;
    }
    l->lifted = l->height[STEPS] - l->height[0];
    return TAC_OK;
}

static int run_lift(tacFindings *found, double thickness, int toi, Lift *l) {
    tacScene s;
    tacError err;
    *l = (Lift){.impacts = 0};
    int result = scene_load(found, "gripper", &s);
    if (result != EXPERIMENT_GO_ON) return result;
    s.options.toi = toi;
    if (tac_param_set(s.model, "geom/plate.size[0]", thickness / 2, &err) != TAC_OK) {
        scene_close(&s);
        return experiment_fail(found, "%s", err.text);
    }
    result = scene_start(found, &s);
    if (result != EXPERIMENT_GO_ON) return result;
    tacStatus status = grip_and_lift(&s, l);
    scene_close(&s);
    return status == TAC_OK ? EXPERIMENT_GO_ON : experiment_fail(found, "%s", tac_status_text(status));
}

static int holds(const Lift *l) { return l->lifted >= BAR_LIFTED && l->worst <= BAR_OVERLAP; }

/* Overlap over time, decades; nothing overlaps on the lowest line. */
static void draw(FILE *file, Lift (*l)[WAYS]) {
    static const char *const colour[PLATES] = {"one", "two"};
    double time[STEPS + 1];
    for (int k = 0; k <= STEPS; k++)
        time[k] = 0.01 * k;
    tacPlot plot = {.file = file,
                    .title = "A gripper closes on plates and lifts them",
                    .subtitle = "deepest overlap of any two shapes, m, over time; it lifts after 0.3 s",
                    .x1 = 1,
                    .y0 = 1e-12,
                    .y1 = 1e-2,
                    .log_y = 1,
                    .nkey = PLATES + 2};
    plot_begin(&plot);
    plot_axes(&plot, "s", "overlap, m");
    plot_line(&plot, "soft", 0, BAR_OVERLAP, 1, BAR_OVERLAP);
    for (int i = 0; i < PLATES; i++) {
        plot_curve(&plot, colour[i], STEPS + 1, time, l[i][0].overlap);
        plot_curve(&plot, "own", STEPS + 1, time, l[i][1].overlap);
        plot_key(&plot, colour[i], "toi off, %.0f mm: overlap up to %.1e m, lifted %.1f cm", 1e3 * THICKNESS[i],
                 l[i][0].worst, 1e2 * l[i][0].lifted);
    }
    plot_key(&plot, "own", "toi on, both: overlap %.1g m, lifted %.1f and %.1f cm", fmax(l[0][1].worst, l[1][1].worst),
             1e2 * l[0][1].lifted, 1e2 * l[1][1].lifted);
    plot_key(&plot, "soft", "overlap that the experiment allows: %.0e m", BAR_OVERLAP);
    plot_end(&plot);
}

static void report(tacFindings *found, const char *name, double thickness, int toi, const Lift *l) {
    json_t *object = json_object();
    experiment_put(found, object, "thickness", thickness);
    json_object_set_new(object, "toi", json_boolean(toi));
    experiment_put(found, object, "lifted", l->lifted);
    experiment_put(found, object, "overlap", l->worst);
    json_object_set_new(object, "impacts", json_integer(l->impacts));
    json_object_set_new(object, "holds", json_boolean(holds(l)));
    json_object_set_new(found->tactus, name, object);
    experiment_say(found, "  plate of %2.0f mm, toi %-3s lifted %.4f m, deepest overlap %.1e m, %d stops at impacts",
                   1e3 * thickness, toi ? "on:" : "off:", l->lifted, l->worst, l->impacts);
}

int jade_thin_plate(tacFindings *found) {
    static const char *const names[PLATES][WAYS] = {{"thick_toi_off", "thick_toi_on"}, {"thin_toi_off", "thin_toi_on"}};
    Lift l[PLATES][WAYS];
    found->pass = 1;
    for (int i = 0; i < PLATES; i++)
        for (int toi = 0; toi < WAYS; toi++) {
            measure_progress_show(&found->progress, i * WAYS + toi, PLATES * WAYS);
            int result = run_lift(found, THICKNESS[i], toi, &l[i][toi]);
            if (result != EXPERIMENT_GO_ON) return result;
            report(found, names[i][toi], THICKNESS[i], toi, &l[i][toi]);
            if (holds(&l[i][toi]) != toi) found->pass = 0;
        }
    json_object_set_new(found->paper, "with_time_of_impact", json_string("holds and lifts both plates"));
    json_object_set_new(found->paper, "without", json_string("the gripper penetrates both plates"));
    if (found->picture != NULL) draw(found->picture, l);
    return EXPERIMENT_GO_ON;
}
