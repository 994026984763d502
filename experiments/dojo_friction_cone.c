/* Dojo, Fig. 5: a block slides over the floor. With Coulomb's cone its path is straight; with a pyramid, whose edges
 * are those of the tangents, friction pulls it aside.
 *
 * Both are the contact model ncp, with its option ncp_friction. */
#include "experiments/experiment.h"
#include "experiments/plot.h"
#include "experiments/scene.h"

#include <math.h>
#include <stdlib.h>

#define BAR_CONE    1e-6 /* m */
#define BAR_PYRAMID 1e-2 /* m */
#define SECONDS     4.0
enum { STEPS = 400 };

typedef struct Path {
    double x[STEPS + 1], y[STEPS + 1];
    double aside;    /* m: farthest from the line along the first velocity */
    double way;      /* m */
    double expected; /* m: of a point that slides with friction mu m g after the block has come down */
} Path;

/* Falls freely for t = sqrt(2 d/g), loses mu v_z of its speed in the impact, then slides to rest. */
static double expected_way(void) {
    double g = 9.81, mu = 0.25, drop = 0.25, speed = hypot(4, 0.8), fall = sqrt(2 * drop / g);
    double rest = speed - mu * g * fall;
    return speed * fall + rest * rest / (2 * mu * g);
}

static int slide(tacFindings *found, tacNcpFriction friction, Path *path) {
    tacScene s;
    int result = scene_load(found, "cone_block", &s);
    if (result != EXPERIMENT_GO_ON) return result;
    s.options.contact = TAC_CONTACT_MODEL_NCP;
    s.options.ncp_friction = friction;
    s.options.dt = SECONDS / STEPS;
    result = scene_start(found, &s);
    if (result != EXPERIMENT_GO_ON) return result;
    const double *v = s.x + s.model->nq, speed = hypot(v[0], v[1]), along[2] = {v[0] / speed, v[1] / speed};
    tacStatus status = TAC_OK;
    path->x[0] = s.x[0];
    path->y[0] = s.x[1];
    for (int k = 1; k <= STEPS && status == TAC_OK; k++) {
        status = scene_move(&s, 1, NULL);
        path->x[k] = s.x[0];
        path->y[k] = s.x[1];
        double dx = path->x[k] - path->x[0], dy = path->y[k] - path->y[0];
        path->aside = fmax(path->aside, fabs(along[0] * dy - along[1] * dx));
        path->way = hypot(dx, dy);
    }
    path->expected = expected_way();
    scene_close(&s);
    return status == TAC_OK ? EXPERIMENT_GO_ON : experiment_fail(found, "%s", tac_status_text(status));
}

static void draw(FILE *file, const Path *cone, const Path *pyramid) {
    tacPlot plot = {.file = file,
                    .title = "A block slides over the floor",
                    .subtitle = "its path from above, thrown with 4 m/s along x and 0.8 m/s along y, friction 0.25",
                    .x0 = -2,
                    .x1 = 3,
                    .y0 = -0.6,
                    .y1 = 1,
                    .nkey = 2};
    plot_begin(&plot);
    plot_axes(&plot, "x, m", "y, m");
    plot_curve(&plot, "one", STEPS + 1, pyramid->x, pyramid->y);
    plot_curve(&plot, "own", STEPS + 1, cone->x, cone->y);
    plot_key(&plot, "own", "cone: %.0e m aside of a straight line", cone->aside);
    plot_key(&plot, "one", "pyramid: %.2f m aside", pyramid->aside);
    plot_end(&plot);
}

static void report(tacFindings *found, const char *name, const Path *path) {
    json_t *object = json_object();
    experiment_put(found, object, "aside", path->aside);
    experiment_put(found, object, "way", path->way);
    experiment_put(found, object, "way_expected", path->expected);
    json_object_set_new(found->tactus, name, object);
    experiment_say(found,
                   "  %-8s %.1e m aside of a straight line, %.4f m of way (%.4f m expected of a point with a cone)",
                   name, path->aside, path->way, path->expected);
}

int dojo_friction_cone(tacFindings *found) {
    Path cone = {0}, pyramid = {0};
    int result = slide(found, TAC_NCP_CONE, &cone);
    if (result == EXPERIMENT_GO_ON) result = slide(found, TAC_NCP_PYRAMID, &pyramid);
    if (result != EXPERIMENT_GO_ON) return result;
    json_object_set_new(found->paper, "cone", json_string("straight"));
    json_object_set_new(found->paper, "pyramid", json_string("bends"));
    report(found, "cone", &cone);
    report(found, "pyramid", &pyramid);
    found->pass = cone.aside < BAR_CONE && pyramid.aside > BAR_PYRAMID;
    if (found->picture != NULL) draw(found->picture, &cone, &pyramid);
    return EXPERIMENT_GO_ON;
}
