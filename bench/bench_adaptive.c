/* Error-controlled integration of contact soft, tsit5, beside MuJoCo in one run, interleaved. A row for each scene: a
 * file, or a number of boxes that fall on a heap. Both engines work at states of their own motion. CSV:
 *   scene,nv,contacts,us_acceleration,us_mj_forward,us_mj_euler,us_mj_rk4,inner_ratio,inner_states,us_step,us_jac,
 *   rate_1e-3,rate_1e-6,rate_1e-9,events_ratio,events,us_forward,reverse_10,reverse_100,reverse_1000
 * inner_ratio: an inner step without event, collision included, over the accelerations of its stages. us_step, us_jac:
 * an outer step of the model's length at tolerance 1e-6, with A and B. rate: accelerations per second of motion.
 * events_ratio: the motion at tolerance 1e-8 over the same where events are not looked for. us_forward: an outer step
 * along 1000 of them; reverse: the reverse mode of these over them, for that many kept states. An empty field: not
 * measured (MuJoCo is not installed, or the scene is too large).
 *
 * usage: bench_adaptive [FILE|NUMBER]... */
#include "floor_boxes.h"
#include "measure/timing.h"

#include "measure/mujoco_peer.h"
#include "tactus/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCHES = 21, STATES = 32, SKIPPED = 100, MOST_SKIPPED_S = 1, INNER = 8, STAGES = 6, ROUNDS = 5, STEPS = 1000 };
enum { MOST_COLUMNS = 200, RATES = 3, BUDGETS = 3, REASON = 256, EVENTS = 1000 };
#define BATCH_SECONDS 4e-3
#define INNER_SPAN    (INNER * 2e-4) /* s: so short that few have an event */
#define TOL           1e-6
#define EVENTS_TOL    1e-8
#define MOTION        1.0 /* s: of rates and of events */
static const double RATE_TOL[RATES] = {1e-3, 1e-6, 1e-9};
static const int BUDGET[BUDGETS] = {10, 100, STEPS};

/* One scene: states of a motion, and a simulation for each kind of step. */
typedef struct Bench {
    tacModel *m;
    tacMujoco *euler, *rk4;
    tacSim *step, *inner;
    int nx, at, inner_at, ninner;
    double *start, *states, *inner_states; /* STATES each; inner: those without an event */
    double *u, *y, *A, *B, *a;
    double contacts;
} Bench;

static void stop(const char *text) {
    fprintf(stderr, "bench_adaptive: %s\n", text);
    exit(2);
}

static double *numbers(size_t n) {
    double *all = calloc(n + 1, sizeof *all);
    if (all == NULL) stop("out of memory");
    return all;
}

static tacSim *open_sim(const tacModel *m, double dt, double tolerance, int inner_steps, int event_max) {
    tacSim *sim;
    tacError err;
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_SOFT;
    o.integrator = TAC_INTEGRATOR_TSIT5;
    o.dt = dt;
    o.rtol = o.atol = tolerance;
    o.inner_steps = inner_steps;
    o.event_max = event_max;
    if (tac_sim_new(m, &o, &sim, &err) != TAC_OK) stop(err.text);
    return sim;
}

/* --- The pieces of work ----------------------------------------------------------------------------------------- */

static const double *next_state(Bench *b) {
    const double *x = b->states + (size_t)b->at * (size_t)b->nx;
    b->at = (b->at + 1) % STATES;
    return x;
}

static const double *next_inner(Bench *b) {
    const double *x = b->inner_states + (size_t)b->inner_at * (size_t)b->nx;
    b->inner_at = (b->inner_at + 1) % b->ninner;
    return x;
}

static void work_acceleration(void *context) {
    Bench *b = context;
    tac_acceleration(b->step, next_state(b), b->u, b->a);
}

/* As many accelerations as INNER steps have that share an end: from the same states. */
static void work_stages(void *context) {
    Bench *b = context;
    const double *x = next_inner(b);
    for (int k = 0; k <= STAGES * INNER; k++)
        tac_acceleration(b->step, x, b->u, b->a);
}

static void work_inner(void *context) {
    Bench *b = context;
    tac_step(b->inner, next_inner(b), b->u, b->y, NULL);
}

static void work_step(void *context) {
    Bench *b = context;
    tac_step(b->step, next_state(b), b->u, b->y, NULL);
}

static void work_jac(void *context) {
    Bench *b = context;
    tac_step_jac(b->step, next_state(b), b->u, b->y, &(tacJac){b->A, b->B, NULL}, NULL);
}

/* --- The scene -------------------------------------------------------------------------------------------------- */

static tacMujoco *open_peer(const Bench *b, const char *path, tacMujocoIntegrator integrator, int skipped) {
    char reason[REASON] = "out of memory";
    tacMujoco *peer = measure_mujoco_open(path, b->m, *b->m->option_timestep, 1, reason, sizeof reason);
    if (peer != NULL) measure_mujoco_use(peer, integrator);
    if (peer != NULL && measure_mujoco_move(peer, b->start, b->u, skipped, STATES)) return peer;
    fprintf(stderr, "MuJoCo: %s\n", reason);
    measure_mujoco_close(peer);
    return NULL;
}

/* The first keyframe; a body without one is thrown as in the toss. */
static void start(Bench *b) {
    const tacModel *m = b->m;
    tac_default_state(m, b->start);
    if (m->nkey > 0) {
        memcpy(b->start, m->key_qpos, (size_t)m->nq * sizeof(double));
        memcpy(b->start + m->nq, m->key_qvel, (size_t)m->nv * sizeof(double));
        memcpy(b->u, m->key_ctrl, (size_t)m->nu * sizeof(double));
    } else if (m->nv == 6) {
        b->start[m->nq + 1] = -0.1;
        b->start[m->nq + 2] = -2;
    }
}

static void move(Bench *b, int skipped) {
    double *x = b->states;
    tacStepInfo info;
    memcpy(x, b->start, (size_t)b->nx * sizeof *x);
    for (int k = -skipped; k < STATES - 1; k++) {
        if (tac_step(b->step, x, b->u, b->y, &info) != TAC_OK) stop(tac_sim_error(b->step));
        if (k >= 0) {
            x += b->nx;
            b->contacts += (double)info.contacts / (STATES - 1);
        }
        memcpy(x, b->y, (size_t)b->nx * sizeof *x);
    }
    for (int k = 0; k < STATES; k++) {
        x = b->states + (size_t)k * (size_t)b->nx;
        if (tac_step(b->inner, x, b->u, b->y, &info) != TAC_OK || info.inner_accepted != INNER) continue;
        memcpy(b->inner_states + (size_t)b->ninner++ * (size_t)b->nx, x, (size_t)b->nx * sizeof *x);
    }
}

static Bench open_bench(const char *path) {
    Bench b = {0};
    tacError err;
    if (tac_load(path, &b.m, &err) != TAC_OK) stop(err.text);
    size_t nx = (size_t)tac_nx(b.m), ndx = (size_t)tac_ndx(b.m), nu = (size_t)b.m->nu;
    double dt = *b.m->option_timestep;
    int skipped = fmin(SKIPPED, MOST_SKIPPED_S / dt / 4);
    b.nx = (int)nx;
    b.start = numbers(nx);
    b.states = numbers(STATES * nx);
    b.inner_states = numbers(STATES * nx);
    b.u = numbers(nu);
    b.y = numbers(nx);
    b.a = numbers(nx);
    if (ndx <= MOST_COLUMNS) {
        b.A = numbers(ndx * ndx);
        b.B = numbers(ndx * nu);
    }
    b.step = open_sim(b.m, dt, TOL, 0, EVENTS);
    b.inner = open_sim(b.m, INNER_SPAN, TOL, INNER, EVENTS);
    start(&b);
    move(&b, skipped);
    b.euler = open_peer(&b, path, MEASURE_MUJOCO_EULER, skipped);
    b.rk4 = open_peer(&b, path, MEASURE_MUJOCO_RK4, skipped);
    return b;
}

static void close_bench(Bench *b) {
    double *all[] = {b->start, b->states, b->inner_states, b->u, b->y, b->A, b->B, b->a};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    measure_mujoco_close(b->euler);
    measure_mujoco_close(b->rk4);
    tac_sim_free(b->step);
    tac_sim_free(b->inner);
    tac_model_free(b->m);
}

/* --- Rates, events, reverse mode -------------------------------------------------------------------------------- */

/* A motion of MOTION seconds from the start -> accelerations, seconds of CPU time, events. */
typedef struct Motion {
    double accelerations, seconds;
    long events;
} Motion;

static Motion run_motion(Bench *b, double tolerance, int event_max) {
    double dt = *b->m->option_timestep, *x = numbers((size_t)b->nx);
    tacSim *sim = open_sim(b->m, dt, tolerance, 0, event_max);
    Motion found = {0};
    memcpy(x, b->start, (size_t)b->nx * sizeof *x);
    double begin = bench_now();
    for (int k = 0; k < (int)lround(MOTION / dt); k++) {
        tacStepInfo info;
        if (tac_step(sim, x, b->u, x, &info) != TAC_OK) stop(tac_sim_error(sim));
        found.events += info.events;
        found.accelerations += STAGES * (info.inner_accepted + info.inner_rejected) + 1 + info.events;
    }
    found.seconds = bench_now() - begin;
    tac_sim_free(sim);
    free(x);
    return found;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(int n, double *x) {
    qsort(x, (size_t)n, sizeof *x, ascending);
    return x[n / 2];
}

static double events_ratio(Bench *b, long *events) {
    double ratio[ROUNDS];
    for (int k = 0; k < ROUNDS; k++) {
        Motion with = run_motion(b, EVENTS_TOL, EVENTS), without = run_motion(b, EVENTS_TOL, -1);
        ratio[k] = with.seconds / without.seconds;
        *events = with.events;
    }
    return median(ROUNDS, ratio);
}

/* Seconds of STEPS steps, and of their reverse mode over that. */
static double reverse_ratios(Bench *b, double ratio[BUDGETS]) {
    size_t ndx = (size_t)tac_ndx(b->m), nu = (size_t)b->m->nu, most = tac_rollout_vjp_bytes(b->m, STEPS, STEPS);
    double *U = numbers(STEPS * nu), *X = numbers((STEPS + 1) * (size_t)b->nx), *gx = numbers(ndx);
    double *gU = numbers(STEPS * nu), *xbar = numbers(ndx), forward[ROUNDS], ratios[BUDGETS][ROUNDS];
    void *memory = aligned_alloc(64, (most + 63) / 64 * 64);
    if (memory == NULL) stop("out of memory");
    for (size_t i = 0; i < ndx; i++)
        xbar[i] = 1;
    for (int k = 0; k < STEPS; k++)
        memcpy(U + (size_t)k * nu, b->u, nu * sizeof *U);
    for (int k = 0; k < ROUNDS; k++) {
        double begin = bench_now();
        if (tac_rollout(b->step, b->start, U, STEPS, X, NULL) != TAC_OK) stop(tac_sim_error(b->step));
        forward[k] = bench_now() - begin;
        for (int i = 0; i < BUDGETS; i++) {
            tacTrajectory path = {.n = STEPS, .x0 = b->start, .U = U, .xbar = xbar};
            tacCheckpoints kept = {BUDGET[i], memory, tac_rollout_vjp_bytes(b->m, STEPS, BUDGET[i])};
            begin = bench_now();
            if (tac_rollout_vjp(b->step, &path, &kept, &(tacGrad){gx, gU, NULL}, NULL) != TAC_OK)
                stop(tac_sim_error(b->step));
            ratios[i][k] = (bench_now() - begin) / forward[k];
        }
    }
    for (int i = 0; i < BUDGETS; i++)
        ratio[i] = median(ROUNDS, ratios[i]);
    double *all[] = {U, X, gx, gU, xbar};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(memory);
    return median(ROUNDS, forward);
}

/* --- A row ------------------------------------------------------------------------------------------------------ */

static void print_field(int there, double value) {
    if (there) printf(",%.4g", value);
    if (!there) printf(",");
}

enum { ACCELERATION, STAGES_OF_INNER, INNER_STEPS, OUTER_STEP, JAC, FORWARD, EULER, RK4, PIECES };

/* Microseconds of each piece that is there. */
static void time_pieces(Bench *b, const int there[PIECES], double us[PIECES]) {
    const benchWork all[PIECES] = {work_acceleration,      work_stages,         work_inner,         work_step, work_jac,
                                   measure_mujoco_forward, measure_mujoco_step, measure_mujoco_step};
    benchWork work[PIECES];
    void *context[PIECES];
    benchTime t[PIECES];
    int n = 0;
    for (int i = 0; i < PIECES; i++)
        if (there[i]) {
            work[n] = all[i];
            context[n++] = i < FORWARD ? (void *)b : i == RK4 ? (void *)b->rk4 : (void *)b->euler;
        }
    bench_interleaved(n, work, context, BATCHES, BATCH_SECONDS, t);
    for (int i = PIECES - 1; i >= 0; i--)
        us[i] = there[i] ? 1e6 * t[--n].median : 0;
}

static void print_row(Bench *b, const char *name) {
    int peer = b->euler != NULL && b->rk4 != NULL, small = b->A != NULL, inner = b->ninner > 0;
    const int there[PIECES] = {1, inner, inner, 1, small, peer, peer, peer};
    double us[PIECES], ratio[BUDGETS] = {0}, forward = 0;
    long events = 0;
    time_pieces(b, there, us);
    printf("%s,%d,%.2f,%.3f", name, b->m->nv, b->contacts, us[ACCELERATION]);
    for (int i = FORWARD; i <= RK4; i++)
        print_field(there[i], us[i]);
    print_field(inner, inner ? us[INNER_STEPS] / us[STAGES_OF_INNER] : 0);
    printf(",%d,%.3f", b->ninner, us[OUTER_STEP]);
    print_field(small, us[JAC]);
    for (int i = 0; i < RATES; i++)
        print_field(1, run_motion(b, RATE_TOL[i], EVENTS).accelerations / MOTION);
    print_field(1, events_ratio(b, &events));
    printf(",%ld", events);
    if (small) forward = reverse_ratios(b, ratio);
    print_field(small, 1e6 * forward / STEPS);
    for (int i = 0; i < BUDGETS; i++)
        print_field(small, ratio[i]);
    printf("\n");
    fflush(stdout);
}

static void run_scene(const char *word) {
    char path[BENCH_PATH];
    int boxes = atoi(word);
    if (boxes > 0 && bench_write_scene(bench_floor_boxes(BENCH_HEAP, boxes), path)) exit(2);
    Bench b = open_bench(boxes > 0 ? path : word);
    if (boxes > 0) unlink(path);
    print_row(&b, word);
    close_bench(&b);
}

int main(int argc, char **argv) {
    printf(
        "scene,nv,contacts,us_acceleration,us_mj_forward,us_mj_euler,us_mj_rk4,inner_ratio,inner_states,us_step,us_jac,"
        "rate_1e-3,rate_1e-6,rate_1e-9,events_ratio,events,us_forward,reverse_10,reverse_100,reverse_1000\n");
    for (int i = 1; i < argc; i++)
        run_scene(argv[i]);
    return 0;
}
