/* Dojo: a handle that floats and spins about its middle axis of inertia turns over, again and again (Dzhanibekov).
 *
 * How soon is known: Euler's equations of the same body, integrated finely, beside the step's motion. */
#include "experiments/discrete.h"
#include "experiments/plot.h"

#include <math.h>
#include <stdlib.h>

#define BAR_MOMENTUM 1e-8
#define BAR_TIME     0.1 /* s: of a turn, against Euler's equations */
#define TOL_SOLVER   1e-13
#define SECONDS      8.0
enum { NSPIN = 2, STEPS = 800, PARTS = 100 };

/* Body axis x along its first direction, step by step. */
typedef struct Flight {
    double spin;                /* rad/s about the middle axis */
    double along[STEPS], first; /* s: when it first stands across; -1: never */
    double exact;               /* s: the same by Euler's equations */
    double momentum;            /* most that it changes by */
} Flight;

static double largest(tacVec6 m, tacVec6 from) {
    double a = fmax(fmax(fabs(m.ang.x - from.ang.x), fabs(m.ang.y - from.ang.y)), fabs(m.ang.z - from.ang.z));
    double b = fmax(fmax(fabs(m.lin.x - from.lin.x), fabs(m.lin.y - from.lin.y)), fabs(m.lin.z - from.lin.z));
    return fmax(a, b);
}

/* --- Euler's equations -------------------------------------------------------------------------------------------- */

/* I w' = I w x w about the principal axes. */
static void euler_rate(const double I[3], const double w[3], double rate[3]) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        rate[i] = (I[j] - I[k]) * w[j] * w[k] / I[i];
    }
}

static void euler_step(const double I[3], double h, double w[3]) {
    double k[4][3], at[3];
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 3; i++)
            at[i] = w[i] + (s == 0 ? 0 : (s == 3 ? h : h / 2) * k[s - 1][i]);
        euler_rate(I, at, k[s]);
    }
    for (int i = 0; i < 3; i++)
        w[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

/* Handle and side together, about their centre of mass; all axes are those of the handle, by symmetry. */
static void inertia_of_both(const tacModel *m, double I[3]) {
    tacSym3 a = m->body_icom[1], b = m->body_icom[2];
    double x = m->body_pos[2].x, reduced = m->body_mass[1] * m->body_mass[2] / (m->body_mass[1] + m->body_mass[2]);
    I[0] = a.xx + b.zz; /* the side's axis z lies along the handle's x */
    I[1] = a.yy + b.yy + reduced * x * x;
    I[2] = a.zz + b.xx + reduced * x * x;
}

/* When the spin about x is first zero: the handle is half way over. */
static double euler_turn(const tacModel *m, double spin) {
    double I[3], w[3] = {spin, 0.01, 0}, h = SECONDS / (STEPS * PARTS);
    inertia_of_both(m, I);
    for (int k = 0; k < STEPS * PARTS; k++) {
        if (w[0] <= 0) return k * h;
        euler_step(I, h, w);
    }
    return -1;
}

/* --- The step's motion -------------------------------------------------------------------------------------------- */

static tacStatus fly(tacScene *s, tacPoses pose[2], Flight *f) {
    tacVec6 start = {0};
    s->x[s->model->nq + 3] = f->spin;
    f->exact = euler_turn(s->model, f->spin);
    f->first = -1;
    f->momentum = 0;
    for (int k = 0; k < STEPS; k++) {
        tacStatus status = discrete_step(s, &pose[0], &pose[1], NULL);
        if (status != TAC_OK) return status;
        tacVec6 momentum = discrete_momentum(s->model, &pose[0], &pose[1], s->options.dt);
        if (k == 0) start = momentum;
        f->momentum = fmax(f->momentum, largest(momentum, start));
        f->along[k] = pose[1].turn[9]; /* x of the handle's x */
        double rate = s->x[s->model->nq + 3];
        if (f->first < 0 && rate <= 0) f->first = (k + 1) * s->options.dt;
    }
    return TAC_OK;
}

static int run_flight(tacFindings *found, Flight *f) {
    tacScene s;
    tacPoses pose[2] = {0};
    int result = scene_load(found, "dzhanibekov", &s);
    if (result != EXPERIMENT_GO_ON) return result;
    s.options.contact = TAC_CONTACT_MODEL_NCP;
    s.options.dt = SECONDS / STEPS;
    s.options.ncp_tolerance = TOL_SOLVER;
    result = scene_start(found, &s);
    if (result != EXPERIMENT_GO_ON) return result;
    int room = discrete_poses_new(&s, &pose[0]);
    room = discrete_poses_new(&s, &pose[1]) && room;
    tacStatus status = room ? fly(&s, pose, f) : TAC_ERR_MEMORY;
    discrete_poses_free(&pose[0]);
    discrete_poses_free(&pose[1]);
    scene_close(&s);
    return status == TAC_OK ? EXPERIMENT_GO_ON : experiment_fail(found, "%s", tac_status_text(status));
}

/* --- The experiment ----------------------------------------------------------------------------------------------- */

static void draw(FILE *file, const Flight *flight) {
    static const char *const COLOUR[NSPIN] = {"one", "own"};
    double time[STEPS];
    for (int k = 0; k < STEPS; k++)
        time[k] = (k + 1) * SECONDS / STEPS;
    tacPlot plot = {.file = file,
                    .title = "A handle turns over by itself",
                    .subtitle = "part of its axis along where it first pointed; steps of 10 ms, no gravity",
                    .x1 = SECONDS,
                    .y0 = -1,
                    .y1 = 1,
                    .nkey = NSPIN};
    plot_begin(&plot);
    plot_axes(&plot, "time, s", "axis");
    for (int i = 0; i < NSPIN; i++) {
        plot_curve(&plot, COLOUR[i], STEPS, time, flight[i].along);
        plot_key(&plot, COLOUR[i], "%g rad/s: half over at %.2f s, Euler's equations %.2f s", flight[i].spin,
                 flight[i].first, flight[i].exact);
    }
    plot_end(&plot);
}

int dojo_dzhanibekov(tacFindings *found) {
    Flight flight[NSPIN] = {{.spin = 8}, {.spin = 15}};
    found->pass = 1;
    json_object_set_new(found->paper, "turns_over", json_true());
    for (int i = 0; i < NSPIN; i++) {
        Flight *f = &flight[i];
        json_t *object = json_object();
        int result = run_flight(found, f);
        if (result != EXPERIMENT_GO_ON) {
            json_decref(object);
            return result;
        }
        experiment_put(found, object, "spin", f->spin);
        experiment_put(found, object, "half_over", f->first);
        experiment_put(found, object, "half_over_by_euler", f->exact);
        experiment_put(found, object, "momentum", f->momentum);
        json_object_set_new(found->tactus, i == 0 ? "slow" : "fast", object);
        experiment_say(found, "  %2g rad/s: half over at %.3f s (Euler's equations %.3f s), momentum changes by %.1e",
                       f->spin, f->first, f->exact, f->momentum);
        found->pass =
            found->pass && f->first > 0 && f->momentum <= BAR_MOMENTUM && fabs(f->first - f->exact) <= BAR_TIME;
    }
    if (found->picture != NULL) draw(found->picture, flight);
    return EXPERIMENT_GO_ON;
}
