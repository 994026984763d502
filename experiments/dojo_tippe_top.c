/* Dojo: a top that turns upside down on the ground.
 *
 * Dojo's own top has three different moments of inertia and spins about the middle one. A top that is round about its
 * axis has a quantity that contact and friction cannot change, whatever they are: Jellett's constant L . a, L the
 * angular momentum about the centre of mass, a from there to the contact point. */
#include "experiments/discrete.h"
#include "experiments/plot.h"

#include <math.h>
#include <stdlib.h>

#define BAR_AXIS    (-0.9) /* the axis, at first up, comes down this far */
#define BAR_JELLETT 1e-2   /* largest relative change */
#define RADIUS      0.5    /* m, of both */
enum { SAMPLES = 400 };

typedef struct Top {
    const char *scene;
    double dt, seconds;
    double time[SAMPLES], axis[SAMPLES]; /* what of the body's z is up */
    double lowest, turned;               /* least of it; s: when it is first half way */
    double jellett, change;              /* N m^2 s: at first; largest relative change */
    double penetration;                  /* m: deepest */
} Top;

/* a: to the contact below the ball's centre, which is the body's origin, from the centre of mass; at one pose. */
static tacVec3 arm_of(const double *origin, const tacPoses *pose) {
    return (tacVec3){origin[0] - pose->com[3], origin[1] - pose->com[4], origin[2] - RADIUS - pose->com[5]};
}

/* L . a, a the mean of both poses. */
static double jellett_of(const tacScene *s, const tacPoses pose[2], const double before[3]) {
    tacVec3 L = discrete_spin_momentum(s->model, &pose[0], &pose[1], s->options.dt, 1);
    tacVec3 a = arm_of(before, &pose[0]), b = arm_of(s->x, &pose[1]);
    return 0.5 * (L.x * (a.x + b.x) + L.y * (a.y + b.y) + L.z * (a.z + b.z));
}

static tacStatus spin(tacScene *s, tacPoses pose[2], Top *top) {
    int steps = (int)lround(top->seconds / top->dt), every = steps / SAMPLES;
    top->lowest = 1;
    top->turned = -1;
    for (int k = 0; k < steps; k++) {
        double before[3] = {s->x[0], s->x[1], s->x[2]};
        tacStatus status = discrete_step(s, &pose[0], &pose[1], NULL);
        if (status != TAC_OK) return status;
        double axis = pose[1].turn[9 + 8], jellett = jellett_of(s, pose, before);
        if (k == 0) top->jellett = jellett;
        top->change = fmax(top->change, fabs(jellett / top->jellett - 1));
        top->lowest = fmin(top->lowest, axis);
        top->penetration = fmax(top->penetration, RADIUS - s->x[2]);
        if (top->turned < 0 && axis < 0) top->turned = (k + 1) * top->dt;
        if (k % every == 0 && k / every < SAMPLES) {
            top->time[k / every] = (k + 1) * top->dt;
            top->axis[k / every] = axis;
        }
    }
    return TAC_OK;
}

static int run_top(tacFindings *found, Top *top) {
    tacScene s;
    tacPoses pose[2] = {0};
    int result = scene_load(found, top->scene, &s);
    if (result != EXPERIMENT_GO_ON) return result;
    s.options.contact = TAC_CONTACT_MODEL_NCP;
    s.options.dt = top->dt;
    result = scene_start(found, &s);
    if (result != EXPERIMENT_GO_ON) return result;
    int room = discrete_poses_new(&s, &pose[0]);
    room = discrete_poses_new(&s, &pose[1]) && room;
    tacStatus status = room ? spin(&s, pose, top) : TAC_ERR_MEMORY;
    discrete_poses_free(&pose[0]);
    discrete_poses_free(&pose[1]);
    scene_close(&s);
    return status == TAC_OK ? EXPERIMENT_GO_ON : experiment_fail(found, "%s: %s", top->scene, tac_status_text(status));
}

static void draw(FILE *file, const Top *dojo, const Top *round) {
    tacPlot plot = {.file = file,
                    .title = "Tops that turn upside down",
                    .subtitle = "what of the axis points up, over ten seconds on the ground",
                    .x1 = 10,
                    .y0 = -1,
                    .y1 = 1,
                    .nkey = 2};
    plot_begin(&plot);
    plot_axes(&plot, "time, s", "axis");
    plot_curve(&plot, "one", SAMPLES, dojo->time, dojo->axis);
    plot_curve(&plot, "own", SAMPLES, round->time, round->axis);
    plot_key(&plot, "one", "Dojo's top: half over at %.2f s", dojo->turned);
    plot_key(&plot, "own", "round top: half over at %.2f s, Jellett's constant kept to %.1e", round->turned,
             round->change);
    plot_end(&plot);
}

static void report(tacFindings *found, const char *name, const Top *top) {
    json_t *object = json_object();
    experiment_put(found, object, "dt", top->dt);
    experiment_put(found, object, "half_over", top->turned);
    experiment_put(found, object, "axis_lowest", top->lowest);
    experiment_put(found, object, "jellett", top->jellett);
    experiment_put(found, object, "jellett_change", top->change);
    experiment_put(found, object, "penetration", top->penetration);
    json_object_set_new(found->tactus, name, object);
    experiment_say(found, "  %-16s dt %-7g half over at %.2f s, axis down to %.3f; L . a changes by %.1e of %.3f", name,
                   top->dt, top->turned, top->lowest, top->change, fabs(top->jellett));
}

int dojo_tippe_top(tacFindings *found) {
    Top dojo = {.scene = "tippe_top", .dt = 0.01, .seconds = 10};
    Top round = {.scene = "round_top", .dt = 2.5e-4, .seconds = 10},
        coarse = {.scene = "round_top", .dt = 5e-4, .seconds = 10};
    int result = run_top(found, &dojo);
    if (result == EXPERIMENT_GO_ON) result = run_top(found, &coarse);
    if (result == EXPERIMENT_GO_ON) result = run_top(found, &round);
    if (result != EXPERIMENT_GO_ON) return result;
    json_object_set_new(found->paper, "turns_over", json_true());
    report(found, "dojo_top", &dojo);
    report(found, "round_top_coarse", &coarse);
    report(found, "round_top", &round);
    found->pass = dojo.lowest <= BAR_AXIS && round.lowest <= BAR_AXIS && round.change <= BAR_JELLETT;
    if (found->picture != NULL) draw(found->picture, &dojo, &round);
    return EXPERIMENT_GO_ON;
}
