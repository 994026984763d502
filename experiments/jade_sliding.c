/* Jade, Fig. 5: pushes that slide a cube from A over B to C, found with our gradients, replayed in a world where
 * friction is solved analytically.
 *
 * Each leg is a sequence of planar forces at the cube's centre, optimized so that the cube comes to rest on the leg's
 * target: with r = p_N - target and J = dp_N/dU from the reverse mode, U <- U - J^T (J J^T + damping)^-1 r. */
#include "experiments/experiment.h"
#include "experiments/plot.h"
#include "experiments/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BAR 1e-3 /* m */
/* The cube of scenes/sliding.xml. */
#define MASS     1.0
#define FRICTION 0.3
#define GRAVITY  9.81
enum { STEPS = 60, PUSHED = 25 }; /* of a leg; of its first guess, a push along the line to the target */
#define FIRST_PUSH 1.4            /* of the friction there is to overcome */
enum { ITERATIONS = 30, PARTS = 1000 };
#define NO_PART   1e-6 /* m: a target no farther along an axis has no part in it */
#define CONVERGED 1e-9 /* m */
#define DAMPING   1e-9 /* of J J^T, (m/N)^2: a direction in which nothing slides has no gradient */

typedef struct Point {
    double x, y;
} Point;

static const Point START = {0, 0}, MIDDLE = {0.3, 0}, END = {0.3, 0.2}, ASLANT = {0.25, 0.15};

static double length(Point p) { return hypot(p.x, p.y); }
static double apart(Point a, Point b) { return hypot(a.x - b.x, a.y - b.y); }

/* --- The world in which friction is analytic ---------------------------------------------------------------------- */

/* A point mass on a plane with Coulomb's friction, m a = F - mu m g v/|v|. */
typedef struct World {
    Point p, v;
} World;

/* A straight stretch of time t: along the unit vector d with speed s >= 0 and the force's part f along d. */
static void slide(World *w, Point d, double s, double f, double t) {
    double a = f / MASS - FRICTION * GRAVITY, moving = a < 0 ? fmin(t, -s / a) : t;
    double way = s * moving + 0.5 * a * moving * moving, speed = moving < t ? 0 : s + a * moving;
    w->p = (Point){w->p.x + way * d.x, w->p.y + way * d.y};
    w->v = (Point){speed * d.x, speed * d.y};
}

/* One step under a constant force: closed form where force and velocity have one direction; else many short pieces, in
 * each the velocity first turned by the force's part across it. */
static void replay_step(World *w, Point force, double h) {
    double s = length(w->v), f = length(force);
    if (s == 0) {
        Point d = f > 0 ? (Point){force.x / f, force.y / f} : (Point){1, 0};
        if (f > FRICTION * MASS * GRAVITY) slide(w, d, 0, f, h);
        return;
    }
    double across = (w->v.x * force.y - w->v.y * force.x) / s;
    Point d = {w->v.x / s, w->v.y / s};
    if (across == 0) {
        slide(w, d, s, d.x * force.x + d.y * force.y, h);
        return;
    }
    for (int k = 0; k < PARTS; k++) {
        double t = h / PARTS, turn = across / MASS * t;
        w->v = (Point){w->v.x - turn * d.y, w->v.y + turn * d.x};
        s = length(w->v);
        if (s == 0) break;
        d = (Point){w->v.x / s, w->v.y / s};
        slide(w, d, s, d.x * force.x + d.y * force.y, t);
        across = d.x * force.y - d.y * force.x;
    }
}

/* --- Optimizing one leg ------------------------------------------------------------------------------------------- */

typedef struct Leg {
    double *U, *X;    /* STEPS x nu; (STEPS + 1) x nx */
    double *gx, *gy;  /* STEPS x nu: gradients of the last x and y */
    double *bar, *g0; /* ndx */
    void *memory;     /* of the reverse mode */
    size_t bytes;
    int iterations;
    Point reached; /* in our world */
} Leg;

static int leg_new(const tacScene *s, Leg *leg) {
    size_t n = STEPS * (size_t)s->nu;
    leg->U = calloc(n, sizeof(double));
    leg->X = calloc((STEPS + 1) * (size_t)s->nx, sizeof(double));
    leg->gx = calloc(n, sizeof(double));
    leg->gy = calloc(n, sizeof(double));
    leg->bar = calloc((size_t)s->ndx, sizeof(double));
    leg->g0 = calloc((size_t)s->ndx, sizeof(double));
    leg->bytes = (tac_rollout_vjp_bytes(s->model, STEPS, 0) + 63) / 64 * 64 + 64;
    leg->memory = aligned_alloc(64, leg->bytes);
    return leg->U != NULL && leg->X != NULL && leg->gx != NULL && leg->gy != NULL && leg->bar != NULL &&
           leg->g0 != NULL && leg->memory != NULL;
}

static void leg_free(Leg *leg) {
    free(leg->U);
    free(leg->X);
    free(leg->gx);
    free(leg->gy);
    free(leg->bar);
    free(leg->g0);
    free(leg->memory);
    *leg = (Leg){0};
}

static tacStatus gradient_of(tacScene *s, Leg *leg, int coordinate, double *g) {
    memset(leg->bar, 0, (size_t)s->ndx * sizeof(double));
    leg->bar[coordinate] = 1;
    tacTrajectory path = {.n = STEPS, .x0 = s->x, .U = leg->U, .X = leg->X, .xbar = leg->bar};
    tacCheckpoints memory = {.memory = leg->memory, .bytes = leg->bytes};
    return tac_rollout_vjp(s->sim, &path, &memory, &(tacGrad){leg->g0, g, NULL}, NULL);
}

/* Sum over the planar forces of the whole leg. */
static double product(const tacScene *s, const double *a, const double *b) {
    double sum = 0;
    for (int k = 0; k < STEPS; k++)
        for (int i = 0; i < 2; i++)
            sum += a[k * s->nu + i] * b[k * s->nu + i];
    return sum;
}

static void improve(const tacScene *s, Leg *leg, Point miss) {
    double a = product(s, leg->gx, leg->gx) + DAMPING, b = product(s, leg->gx, leg->gy);
    double c = product(s, leg->gy, leg->gy) + DAMPING, det = a * c - b * b;
    double x = (c * miss.x - b * miss.y) / det, y = (a * miss.y - b * miss.x) / det;
    for (int k = 0; k < STEPS; k++)
        for (int i = 0; i < 2; i++)
            leg->U[k * s->nu + i] -= leg->gx[k * s->nu + i] * x + leg->gy[k * s->nu + i] * y;
}

/* Along the line to the target, hard enough to overcome friction along each axis that it has a part in: where a row of
 * friction holds, its gradient is zero. */
static void first_guess(const tacScene *s, Leg *leg, Point from, Point to) {
    double x = fabs(to.x - from.x), y = fabs(to.y - from.y), less = fmin(x, y) > NO_PART ? fmin(x, y) : fmax(x, y);
    double push = FIRST_PUSH * FRICTION * MASS * GRAVITY / less;
    memset(leg->U, 0, STEPS * (size_t)s->nu * sizeof(double));
    for (int k = 0; k < PUSHED; k++) {
        leg->U[k * s->nu] = x > NO_PART ? push * (to.x - from.x) : 0;
        leg->U[k * s->nu + 1] = y > NO_PART ? push * (to.y - from.y) : 0;
    }
}

/* From scene->x, at rest, to `to`; leaves scene->x at the end of the leg. */
static tacStatus optimize(tacScene *s, Leg *leg, Point to) {
    first_guess(s, leg, (Point){s->x[0], s->x[1]}, to);
    const double *last = leg->X + STEPS * (size_t)s->nx;
    tacStatus status = TAC_OK;
    for (leg->iterations = 0; leg->iterations < ITERATIONS; leg->iterations++) {
        status = tac_rollout(s->sim, s->x, leg->U, STEPS, leg->X, NULL);
        if (status != TAC_OK) return status;
        leg->reached = (Point){last[0], last[1]};
        if (apart(leg->reached, to) < CONVERGED) break;
        status = gradient_of(s, leg, 0, leg->gx);
        if (status == TAC_OK) status = gradient_of(s, leg, 1, leg->gy);
        if (status != TAC_OK) return status;
        improve(s, leg, (Point){leg->reached.x - to.x, leg->reached.y - to.y});
    }
    memcpy(s->x, last, (size_t)s->nx * sizeof(double));
    return TAC_OK;
}

/* --- The experiment ---------------------------------------------------------------------------------------------- */

/* A leg in our world and its replay. */
typedef struct Trip {
    double x[STEPS + 1], y[STEPS + 1], replay_x[STEPS + 1], replay_y[STEPS + 1];
    double miss, replay_miss, rest_speed; /* m, m, m/s */
    int iterations;
} Trip;

static int travel(tacFindings *found, tacScene *s, World *world, Point to, Trip *trip) {
    Leg leg = {0};
    tacStatus status = leg_new(s, &leg) ? optimize(s, &leg, to) : TAC_ERR_MEMORY;
    for (int k = 0; k <= STEPS && status == TAC_OK; k++) {
        const double *q = leg.X + (size_t)k * (size_t)s->nx;
        trip->x[k] = q[0];
        trip->y[k] = q[1];
        trip->replay_x[k] = world->p.x;
        trip->replay_y[k] = world->p.y;
        if (k < STEPS) replay_step(world, (Point){leg.U[k * s->nu], leg.U[k * s->nu + 1]}, s->options.dt);
    }
    trip->miss = apart(leg.reached, to);
    trip->iterations = leg.iterations;
    trip->replay_miss = apart(world->p, to);
    trip->rest_speed = length(world->v);
    leg_free(&leg);
    return status == TAC_OK ? EXPERIMENT_GO_ON : experiment_fail(found, "%s", tac_status_text(status));
}

enum { TO_MIDDLE, TO_END, TO_ASLANT, TRIPS };

static int travel_all(tacFindings *found, Trip *trip) {
    tacScene scene;
    int result = scene_open(found, "sliding", &scene);
    if (result != EXPERIMENT_GO_ON) return result;
    World world = {START, {0, 0}};
    result = travel(found, &scene, &world, MIDDLE, &trip[TO_MIDDLE]);
    if (result == EXPERIMENT_GO_ON) result = travel(found, &scene, &world, END, &trip[TO_END]);
    tac_default_state(scene.model, scene.x);
    world = (World){START, {0, 0}};
    if (result == EXPERIMENT_GO_ON) result = travel(found, &scene, &world, ASLANT, &trip[TO_ASLANT]);
    scene_close(&scene);
    return result;
}

static void draw(FILE *file, const Trip *trip) {
    static const char *const names[TRIPS] = {"B", "C", "aslant"};
    const Point target[TRIPS] = {MIDDLE, END, ASLANT};
    tacPlot plot = {.file = file,
                    .title = "Pushes found with gradients, replayed where friction is analytic",
                    .subtitle = "the cube's centre from above, m",
                    .x0 = -0.05,
                    .x1 = 0.5,
                    .y0 = -0.05,
                    .y1 = 0.4,
                    .nkey = 3};
    plot_begin(&plot);
    plot_axes(&plot, "x", "y");
    for (int i = 0; i < TRIPS; i++) {
        const char *colour = i == TO_ASLANT ? "soft" : "own";
        plot_curve(&plot, colour, STEPS + 1, trip[i].x, trip[i].y);
        for (int k = 0; k <= STEPS; k += 4)
            plot_dot(&plot, i == TO_ASLANT ? "soft" : "two", trip[i].replay_x[k], trip[i].replay_y[k]);
        plot_note(&plot, (tacPlotNote){"ink", "start", target[i].x, target[i].y, 10, -8}, "%s", names[i]);
    }
    plot_key(&plot, "own", "our world, to B and C");
    plot_key(&plot, "two", "their replay: misses B by %.3f mm, C by %.3f mm", 1e3 * trip[0].replay_miss,
             1e3 * trip[1].replay_miss);
    plot_key(&plot, "soft", "aslant: line our world, dots the replay, which misses by %.3f mm",
             1e3 * trip[TO_ASLANT].replay_miss);
    plot_note(&plot, (tacPlotNote){"ink", "start", START.x, START.y, -14, -8}, "A");
    plot_end(&plot);
}

static void report(tacFindings *found, const Trip *trip) {
    static const char *const names[TRIPS] = {"to_B", "to_C", "aslant"};
    for (int i = 0; i < TRIPS; i++) {
        json_t *object = json_object();
        experiment_put(found, object, "miss", trip[i].miss);
        experiment_put(found, object, "replay_miss", trip[i].replay_miss);
        experiment_put(found, object, "replay_speed_at_end", trip[i].rest_speed);
        json_object_set_new(object, "iterations", json_integer(trip[i].iterations));
        json_object_set_new(found->tactus, names[i], object);
        experiment_say(found, "  %-7s %d iterations; misses by %.1e m here, by %.1e m in the replay, at %.1e m/s",
                       names[i], trip[i].iterations, trip[i].miss, trip[i].replay_miss, trip[i].rest_speed);
    }
    json_object_set_new(found->paper, "claim", json_string("the replay reaches both targets"));
    experiment_say(found, "  (aslant: the friction pyramid of a boxed problem is not Coulomb's cone off its axes)");
}

int jade_sliding(tacFindings *found) {
    Trip trip[TRIPS];
    int result = travel_all(found, trip);
    if (result != EXPERIMENT_GO_ON) return result;
    report(found, trip);
    found->pass = trip[TO_MIDDLE].replay_miss <= BAR && trip[TO_END].replay_miss <= BAR && trip[TO_END].rest_speed == 0;
    if (found->picture != NULL) draw(found->picture, trip);
    return EXPERIMENT_GO_ON;
}
