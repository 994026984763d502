/* evidence_growth pairs N | derivatives N KAPPA [FROM] | extremes N | linear | speed
 *
 *   pairs        every pair of primitives and sums in N poses, at kappa 1e-4, 1e-8 and 1e-12
 *   derivatives  N poses of all pairs in turn: rows of the derivative, by poses and shapes' numbers, against Ridders'
 *                differences; reverse mode against forward; the barrier's gradient by the duals
 *   extremes     every pair N times with sizes over six decades, aspect ratios to 1000, centres from coincident to 1e6
 *                sizes apart, kappa from 1 to 1e-15: bounds from both sides by other means
 *   linear       time a face of two prisms of 32 to 256 faces
 *   speed        two boxes: growth, with all derivatives by poses, and their nearest-feature distance */
#define _POSIX_C_SOURCE 200809L
#include "evidence/growth_bounds.h"
#include "evidence/growth_case.h"

#include "collide/gjk.h"
#include "evidence/count_allocations.h"
#include "dynamics/growth_move.h"
#include "dynamics/kinematics.h"
#include "measure/differences.h"
#include "step/growth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What printf takes: in a build with TACTUS_QUAD, double is the name of wider numbers. */
#ifdef double
typedef quadDouble shown;
#else
typedef double shown;
#endif

/* The first step of differences, in units of how far a shape moves before its rows change. Doubles lose digits with
 * steps as short as the wider numbers take. */
#ifdef double
#define STEP(kappa) (0.01 * (kappa))
#else
#define STEP(kappa) (0.3 * pow(kappa, 0.75))
#endif
/* Differences of a number end once their own estimate of their error is below this, of it or of 1. */
#define ENOUGH 1e-9

/* Bounds by other means may be beyond alpha and the dual value by this much, relative. */
#define TOL_BOUND 1e-9

enum { MOST_SYSTEMS = 25, POSES_A_MODEL = 50, COLUMNS = 128, LISTED = 20 };

static double worse(double a, double b) { return b > a || b != b ? b : a; }

/* --- Pairs -------------------------------------------------------------------------------------------------------- */

typedef struct Tally {
    long solves, failed, over, systems, degenerate;
    int most;
    double gap_of_dual; /* alpha - dual - kappa nu, in units of its bar */
    double above;       /* gap over the distance, in sizes */
    double planes;      /* |gap - distance| of half-spaces at 1e-12, in sizes */
    double low, high;   /* dual over the alpha of 1e-12; alpha(1e-12) - kappa nu over the dual; relative */
} Tally;

static const double KAPPAS[] = {1e-12, 1e-8, 1e-4};
enum { NKAPPA = sizeof KAPPAS / sizeof *KAPPAS };

static int has_features(const GrowthCase *c) { return c->kind[0] < 8 && c->kind[1] < 8; }

static void judge(const GrowthCase *c, const tacGrowth *g, double truth, double dist, Tally *t) {
    double off = fabs(g->alpha - g->dual - g->kappa * g->nu), scale = fmax(fabs(g->alpha), 1e-3);
    double bar = fmax(1e-7 * g->kappa * g->nu, 1e-13 * scale);
    t->gap_of_dual = worse(t->gap_of_dual, off / bar);
    t->low = worse(t->low, (g->dual - truth) / scale);
    t->high = worse(t->high, (truth - g->kappa * g->nu - g->dual) / scale);
    if (!has_features(c)) return;
    t->above = worse(t->above, (g->gap - dist) / c->size);
    /* Near alpha 0 the centre is as deep below the face as a plane grows, and all rows have a force of kappa / alpha:
     * the gap is off by kappa nu / alpha of the size. */
    int exact = c->kind[0] == 0 && g->kappa == KAPPAS[0] && g->kappa * g->nu < 0.5e-9 * g->alpha;
    if (exact) t->planes = worse(t->planes, fabs(g->gap - dist) / c->size);
}

static void judge_pose(GrowthCase *c, int n, Tally *t) {
    tacContact near = {.dist = 0};
    double truth = 0;
    if (has_features(c)) tac_geom_distance(c->sim, c->q, NULL, c->geom[0], c->geom[1], &near);
    for (int k = 0; k < NKAPPA; k++) {
        tacGrowth g = {.kappa = 0};
        tacStatus status = tac_geom_growth(c->sim, c->q, NULL, c->geom[0], c->geom[1], KAPPAS[k], &g);
        t->solves++;
        t->degenerate += status == TAC_ERR_DEGENERATE;
        if (status != TAC_OK) {
            t->failed++;
            if (t->failed <= LISTED)
                fprintf(stderr, "%s, %s, pose %d: status %d at %g after %d\n", growth_kind_name(c->kind[0]),
                        growth_kind_name(c->kind[1]), n, (int)status, (shown)KAPPAS[k], g.iterations);
            continue;
        }
        if (k == 0) truth = g.alpha;
        t->systems += g.iterations;
        t->over += g.iterations > MOST_SYSTEMS;
        t->most = g.iterations > t->most ? g.iterations : t->most;
        judge(c, &g, truth, near.dist, t);
    }
}

static int run_pairs(int poses) {
    Tally t = {0};
    for (int a = 0; a < GROWTH_KINDS; a++)
        for (int b = a; b < GROWTH_KINDS; b++) {
            tacDraw d = {.seed = (uint64_t)(1000 * a + b)};
            for (int n = 0; n < poses && a + b > 0;) {
                GrowthCase c;
                growth_case_open(a, b, &d, 0, &c);
                for (int k = 0; k < POSES_A_MODEL && n < poses; k++, n++) {
                    growth_case_pose(&c, &d, n);
                    judge_pose(&c, n, &t);
                }
                growth_case_close(&c);
            }
        }
    printf("{\"solves\":%ld,\"failed\":%ld,\"degenerate\":%ld,\"over\":%ld,\"most\":%d,\"mean\":%.3f,\"dual\":%.3e,"
           "\"above\":%.3e,\"planes\":%.3e,\"low\":%.3e,\"high\":%.3e}\n",
           t.solves, t.failed, t.degenerate, t.over, t.most, (shown)t.systems / (shown)t.solves, (shown)t.gap_of_dual,
           (shown)t.above, (shown)t.planes, (shown)t.low, (shown)t.high);
    return t.failed > 0;
}

/* --- Extremes ----------------------------------------------------------------------------------------------------- */

typedef struct Extremes {
    long solves, failed, degenerate, off, listed, singular;
    int most;
    double low, high, crossed; /* bounds beyond alpha and the dual value, and beyond each other; relative */
} Extremes;

/* Growth within what its own program promises, and what supports and gauges say. */
static void judge_extreme(const GrowthCase *c, const tacGrowthSystem *g, double kappa, int n, Extremes *t) {
    const tacGrowthResult *r = &g->result;
    GrowthBounds b = growth_bounds(c->model, g);
    double scale = fmax(1e-4, fmax(fabs(r->alpha), kappa * r->nu)); /* below it, rounding of places */
    double low = (r->dual - b.low) / scale, high = (b.high - r->alpha) / scale, crossed = (b.low - b.high) / scale;
    int off = !(low < TOL_BOUND && high < TOL_BOUND && crossed < TOL_BOUND);
    t->low = worse(t->low, low);
    t->high = worse(t->high, high);
    t->crossed = worse(t->crossed, crossed);
    t->most = r->systems > t->most ? r->systems : t->most;
    t->off += off;
    if (off && t->listed++ < LISTED)
        fprintf(stderr, "%s, %s, %d at %g: alpha %.15g dual %.15g between %.15g and %.15g\n",
                growth_kind_name(c->kind[0]), growth_kind_name(c->kind[1]), n, (shown)kappa, (shown)r->alpha,
                (shown)r->dual, (shown)b.low, (shown)b.high);
}

/* 1: all rows by both poses are there and finite. */
static int has_derivative(GrowthCase *c, tacGrowthSystem *g) {
    double matrix[TAC_GROWTH_ROWS * 12] = {0};
    tacSink sink = {.matrix = matrix, .ld = c->nv};
    if (tac_growth_adjoints(g, NULL, &c->sim->ctx.arena) != TAC_OK) return 0;
    tac_growth_emit_dofs(c->model, &c->sim->ctx.work, g, 0, &sink);
    for (int i = 0; i < TAC_GROWTH_ROWS * c->nv; i++)
        if (!(fabs(matrix[i]) < HUGE_VAL)) return 0;
    return 1;
}

static void solve_extreme(GrowthCase *c, double kappa, int n, Extremes *t) {
    TAC_SCOPE(&c->sim->ctx.arena);
    static tacGrowthSystem g;
    tac_kinematics_q(c->model, &c->sim->ctx.work, c->q, NULL);
    tac_place_growth(c->sim, c->geom);
    tacStatus status = tac_growth_open(&c->sim->ctx.scene, c->model, c->geom, kappa, 0, &c->sim->ctx.arena, &g);
    t->solves++;
    t->degenerate += status == TAC_ERR_DEGENERATE;
    if (status == TAC_OK) judge_extreme(c, &g, kappa, n, t);
    if (status == TAC_OK) t->singular += !has_derivative(c, &g);
    if (status == TAC_OK || status == TAC_ERR_DEGENERATE) return;
    if (t->failed++ < LISTED)
        fprintf(stderr, "%s, %s, %d at %g: status %d after %d, alpha %g\n", growth_kind_name(c->kind[0]),
                growth_kind_name(c->kind[1]), n, (shown)kappa, (int)status, g.result.systems, (shown)g.result.alpha);
}

static int run_extremes(int count) {
    static const double kappas[] = {1, 1e-2, 1e-4, 1e-8, 1e-12, 1e-15};
    Extremes t = {0};
    for (int a = 0; a < GROWTH_KINDS; a++)
        for (int b = a; b < GROWTH_KINDS; b++)
            for (int n = 0; n < count && a + b > 0; n++) {
                tacDraw d = {.seed = 500000 + (uint64_t)(1000 * (GROWTH_KINDS * a + b) + n)};
                GrowthCase c;
                growth_case_extreme(a, b, &d, &c);
                growth_case_pose_extreme(&c, &d, n);
                for (size_t k = 0; k < sizeof kappas / sizeof *kappas; k++)
                    solve_extreme(&c, kappas[k], n, &t);
                growth_case_close(&c);
            }
    printf("{\"solves\":%ld,\"failed\":%ld,\"degenerate\":%ld,\"off\":%ld,\"singular\":%ld,\"most\":%d,\"low\":%.3e,"
           "\"high\":%.3e,"
           "\"crossed\":%.3e}\n",
           t.solves, t.failed, t.degenerate, t.off, t.singular, t.most, (shown)t.low, (shown)t.high, (shown)t.crossed);
    return t.failed + t.off + t.singular > 0;
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* A growth as one number of q (tangent) or theta moves. */
typedef struct Along {
    GrowthCase *c;
    double kappa, moved[2 * GROWTH_Q], theta[COLUMNS];
    int column;
} Along;

static int numbers_at(void *context, double t, double *out) {
    Along *a = context;
    GrowthCase *c = a->c;
    double v[12] = {0}, theta[COLUMNS];
    memcpy(theta, a->theta, sizeof theta);
    memcpy(a->moved, c->q, sizeof a->moved);
    if (a->column < c->nv) {
        v[a->column] = t;
        tac_qpos_add(c->model, c->q, v, a->moved);
    } else {
        theta[a->column - c->nv] += t;
        if (tac_sim_set_params(c->sim, theta) != TAC_OK) return 1;
    }
    TAC_SCOPE(&c->sim->ctx.arena);
    tacGrowthSystem s;
    tac_kinematics_q(c->model, &c->sim->ctx.work, a->moved, NULL);
    int bad =
        tac_place_growth(c->sim, c->geom) != TAC_OK ||
        tac_growth_open(&c->sim->ctx.scene, c->sim->ctx.model, c->geom, a->kappa, 3, &c->sim->ctx.arena, &s) != TAC_OK;
    tac_growth_numbers(&s, out);
    if (a->column >= c->nv) tac_sim_set_params(c->sim, a->theta);
    return bad;
}

typedef struct Errors {
    long rows, within, listed;
    double worst, reverse, barrier;
} Errors;

static void compare_column(Along *a, double h, const double *column, const double *barrier, int nrow, Errors *e) {
    double slope[TAC_GROWTH_ROWS], estimate[TAC_GROWTH_ROWS], work[1024];
    if (difference_ridders_each(numbers_at, a, TAC_GROWTH_ROWS, 1, h, ENOUGH, slope, estimate, work)) return;
    for (int i = 0; i < nrow; i++) {
        double error = fabs(slope[i] - column[i]) / fmax(1, fabs(column[i]));
        e->rows++;
        e->within += error <= 1e-6;
        e->worst = worse(e->worst, error);
        if (error > 1e-6 && e->listed++ < LISTED)
            fprintf(stderr, "%s, %s: row %d of column %d: %.9g, differences %.9g (+- %.1g)\n",
                    growth_kind_name(a->c->kind[0]), growth_kind_name(a->c->kind[1]), i, a->column, (shown)column[i],
                    (shown)slope[i], (shown)estimate[i]);
    }
    e->barrier = worse(e->barrier, fabs(slope[9] - *barrier) / fmax(1, fabs(*barrier)));
}

static void compare_pose(GrowthCase *c, double kappa, tacDraw *d, Errors *e) {
    static double q[TAC_GROWTH_ROWS * 12], theta[TAC_GROWTH_ROWS * COLUMNS], gq[12], gtheta[COLUMNS];
    int nv = c->nv, np = c->model->nparam;
    tacGrowth g = {.geom = {c->geom[0], c->geom[1]}, .kappa = kappa};
    Along a = {.c = c, .kappa = kappa};
    tac_sim_get_params(c->sim, a.theta);
    if (tac_growth_jac(c->sim, c->q, NULL, &g, &(tacGrowthJac){.q = q, .theta = theta}) != TAC_OK) {
        fprintf(stderr, "%s, %s: no derivative\n", growth_kind_name(c->kind[0]), growth_kind_name(c->kind[1]));
        e->rows += 9;
        return;
    }
    double bar[TAC_GROWTH_ROWS];
    draw_array(d, TAC_GROWTH_ROWS, bar);
    tac_growth_vjp(c->sim, c->q, NULL, &g, bar, &(tacGrowthGrad){.q = gq, .theta = gtheta});
    for (int j = 0; j < nv + np; j++) {
        double column[TAC_GROWTH_ROWS], sum = 0, size = 1;
        const double *from = j < nv ? q + j : theta + j - nv, *reverse = j < nv ? gq + j : gtheta + j - nv;
        for (int i = 0; i < TAC_GROWTH_ROWS; i++) {
            column[i] = from[i * (j < nv ? nv : np)];
            sum += bar[i] * column[i];
            size += fabs(bar[i] * column[i]);
        }
        e->reverse = worse(e->reverse, fabs(sum - *reverse) / size);
        a.column = j;
        compare_column(&a, STEP(kappa), column, &column[9], 9, e);
    }
}

static int run_derivatives(int poses, double kappa, int from) {
    Errors e = {0};
    int pairs[GROWTH_KINDS * GROWTH_KINDS][2], npair = 0;
    for (int a = 0; a < GROWTH_KINDS; a++)
        for (int b = a; b < GROWTH_KINDS; b++) {
            if (a + b == 0) continue;
            pairs[npair][0] = a, pairs[npair++][1] = b;
        }

    for (int n = from; n < from + poses; n++) {
        tacDraw d = {.seed = 70000 + (uint64_t)n};
        GrowthCase c;
        growth_case_open(pairs[n % npair][0], pairs[n % npair][1], &d, 1, &c);
        growth_case_pose(&c, &d, n / npair + n);
        compare_pose(&c, kappa, &d, &e);
        growth_case_close(&c);
    }
    printf("{\"poses\":%d,\"rows\":%ld,\"within\":%ld,\"worst\":%.3e,\"reverse\":%.3e,\"barrier\":%.3e}\n", poses,
           e.rows, e.within, (shown)e.worst, (shown)e.reverse, (shown)e.barrier);
    return 0;
}

/* --- Time --------------------------------------------------------------------------------------------------------- */

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * (0.0 + t.tv_sec) + 1e-3 * (0.0 + t.tv_nsec);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { ROUNDS = 41, POSES = 50 };
typedef enum { GROWTH, DERIVATIVES, FEATURES, WAYS } Way;

static void run_way(GrowthCase *c, Way way, double kappa, double (*q)[2 * GROWTH_Q], double *time) {
    tacScene *s = &c->sim->ctx.scene;
    tacArena *arena = &c->sim->ctx.arena;
    double begun, spent = 0;
    for (int i = 0; i < POSES; i++) {
        tacGrowth g = {.kappa = 0};
        tacContact near;
        tac_geom_growth(c->sim, q[i], NULL, c->geom[0], c->geom[1], kappa, &g); /* places */
        TAC_SCOPE(arena);
        static tacGrowthSystem system;
        begun = now_us();
        if (way == FEATURES)
            tac_scene_distance(s, c->model, c->geom[0], c->geom[1], &near);
        else
            tac_growth_open(s, c->model, c->geom, kappa, 0, arena, &system);
        if (way == DERIVATIVES) tac_growth_adjoints(&system, NULL, arena);
        spent += now_us() - begun;
    }
    *time = spent / POSES;
}

/* Medians over rounds, ways interleaved. */
static void time_case(GrowthCase *c, double kappa, tacDraw *d, double median[WAYS]) {
    static double q[POSES][2 * GROWTH_Q], time[WAYS][ROUNDS];
    for (int i = 0; i < POSES; i++) {
        growth_case_pose(c, d, i);
        memcpy(q[i], c->q, sizeof c->q);
    }
    for (int k = 0; k < ROUNDS; k++)
        for (int way = 0; way < WAYS; way++)
            run_way(c, (Way)way, kappa, q, &time[way][k]);
    for (int way = 0; way < WAYS; way++) {
        qsort(time[way], ROUNDS, sizeof(double), ascending);
        median[way] = time[way][ROUNDS / 2];
    }
}

static int run_linear(void) {
    static const int faces[] = {32, 64, 128, 256};
    double each[4];
    long allocations = 0;
    printf("{\"faces\":[");
    for (int i = 0; i < 4; i++) {
        tacDraw d = {.seed = 5};
        GrowthCase c;
        double median[WAYS];
        growth_case_prisms(faces[i], &d, &c);
        allocations -= counted_allocations();
        time_case(&c, 1e-4, &d, median);
        allocations += counted_allocations();
        each[i] = median[GROWTH] / (2 * faces[i]);
        printf("%s%d", i > 0 ? "," : "", faces[i]);
        growth_case_close(&c);
    }
    printf("],\"us_a_face\":[");
    for (int i = 0; i < 4; i++)
        printf("%s%.4f", i > 0 ? "," : "", (shown)each[i]);
    printf("],\"ratio\":%.3f,\"allocations\":%ld}\n", (shown)(each[3] / each[0]), allocations);
    return 0;
}

static int run_speed(void) {
    tacDraw d = {.seed = 6};
    GrowthCase c;
    double median[WAYS];
    growth_case_open(5, 5, &d, 0, &c);
    time_case(&c, 1e-4, &d, median);
    growth_case_close(&c);
    printf("{\"growth_us\":%.3f,\"derivatives_us\":%.3f,\"features_us\":%.3f}\n", (shown)median[GROWTH],
           (shown)median[DERIVATIVES], (shown)median[FEATURES]);
    return 0;
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    int n = argc > 2 ? atoi(argv[2]) : 100;
    if (strcmp(mode, "pairs") == 0) return run_pairs(n);
    if (strcmp(mode, "derivatives") == 0 && argc > 3)
        return run_derivatives(n, strtod(argv[3], NULL), argc > 4 ? atoi(argv[4]) : 0);
    if (strcmp(mode, "extremes") == 0) return run_extremes(n);
    if (strcmp(mode, "linear") == 0) return run_linear();
    if (strcmp(mode, "speed") == 0) return run_speed();
    fprintf(stderr, "usage: evidence_growth pairs N | derivatives N KAPPA [FROM] | extremes N | linear | speed\n");
    return 2;
}
