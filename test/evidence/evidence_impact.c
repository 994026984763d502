/* Times of impact of random motions of random pairs, one JSON document:
 *   {"motions":N, "hits":N, "none":N, "near":N, "grazing":N, "missed":N, "undecided":N, "wrong_time":N,
 *    "worst_time":e, "checked":N, "switching":N, "wrong_derivative":N, "worst_derivative":e}
 *
 * missed      a sample of the distance (dense in time, its minima refined) is below the gap before the time given
 * wrong_time  off by more than 1e-9 of the step from the root that bisection finds; where the distance falls so slowly
 *             that rounding alone moves the root as far (grazing), the distance at that time is held against the gap
 * derivative  along a random change of both motions' starts and velocities against Ridders differences; switching: the
 *             features change within the differences
 * usage: evidence_impact MOTIONS [FIRST_SEED] */
#include "pair_case.h"

#include "collide/impact.h"
#include "measure/differences.h"
#include "support/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double TOL_TIME = 1e-9, TOL_DERIVATIVE = 1e-5;
/* Of the size: what a distance may be off by rounding, or by a curved pair's tolerance. */
static const double ROUNDING = 1e-12;
enum { SAMPLES = 400, REFINE = 40, MOST_PRINTED = 50, POOL_SEED = 20 };

typedef struct Trial {
    PairCase c;
    tacTwistMotion motion[2];
    double h, gap;
    tacVec6 start[2], velocity[2]; /* a random change of them */
    tacFeature feature[2];         /* at the impact */
    int switches;
} Trial;

typedef struct Counts {
    long motions, hits, none, near, grazing, missed, undecided, wrong_time, checked, switching, wrong_derivative;
    double time, derivative;
    int steps;
} Counts;

/* --- Motions ------------------------------------------------------------------------------------------------------ */

static tacVec6 draw_twist(tacDraw *d, double ang, double lin) {
    tacVec3 w = draw_vec3(d, ang), v = draw_vec3(d, lin);
    return (tacVec6){w, v};
}

/* Apart to begin with; over the step the second shape travels about the way to the first, and both turn. */
static Trial draw_trial(const MeshPool *pool, uint64_t seed) {
    uint64_t kind = 1 + seed % (PAIR_KINDS - 1); /* without plane-plane */
    Trial t = {.c = draw_case(pool, kind + PAIR_KINDS * (PLACES * seed + PLACE_APART))};
    tacDraw d = {seed, 1};
    double size = t.c.size, far = draw_uniform(&d, 0, 1.5);
    t.h = pow(10, draw_uniform(&d, -3, 0));
    t.gap = size * (double[]){0, 1e-3, 0.05}[draw_int(&d, 3)];
    Solid a = case_solid(&t.c, 0), b = case_solid(&t.c, 1);
    tacVec3 way = slow_distance(&a, &b, 0.01 * size).normal;
    if (t.c.shape[0].type != TAC_GEOM_PLANE) way = tac_sub3(t.c.pose[1].p, t.c.pose[0].p);
    tacVec3 common = draw_vec3(&d, size / t.h);
    for (int i = 0; i < 2; i++) {
        t.motion[i].start = t.c.pose[i];
        t.motion[i].velocity = draw_twist(&d, draw_uniform(&d, 0, 3) / t.h, 0.3 * size / t.h);
        t.motion[i].velocity.lin = tac_add3(t.motion[i].velocity.lin, common);
        t.start[i] = draw_twist(&d, 1, size), t.velocity[i] = draw_twist(&d, 1 / t.h, size / t.h);
    }
    t.motion[1].velocity.lin = tac_madd3(t.motion[1].velocity.lin, -far / t.h, way);
    return t;
}

static tacStatus find(const Trial *t, const tacTwistMotion m[2], tacShapeImpact *out) {
    tacMotion A = tac_twist_motion(&m[0]), B = tac_twist_motion(&m[1]);
    return tac_impact(&t->c.shape[0], &A, &t->c.shape[1], &B, t->h, t->gap, out);
}

static double distance_at(const Trial *t, double time) {
    tacPose pose[2];
    tacTouch touch = {0};
    tacPairCache cache = {0};
    for (int i = 0; i < 2; i++) {
        tacMotion m = tac_twist_motion(&t->motion[i]);
        m.at(m.data, time, &pose[i], NULL);
    }
    tacStatus status = tac_distance_pair(&t->c.shape[0], &pose[0], &t->c.shape[1], &pose[1], &cache, &touch);
    return status == TAC_OK ? touch.dist : nan("");
}

/* --- None missed -------------------------------------------------------------------------------------------------- */

/* Least distance over [low, high], by sections, where it has one minimum. */
static double least(const Trial *t, double low, double high) {
    double best = HUGE_VAL;
    for (int k = 0; k < REFINE; k++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3, fa = distance_at(t, a), fb = distance_at(t, b);
        best = fmin(best, fmin(fa, fb));
        if (fa < fb)
            high = b;
        else
            low = a;
    }
    return best;
}

/* How far below the gap the distance gets before `end`; negative: it does not. */
static double below(const Trial *t, double end) {
    double last[2] = {HUGE_VAL, HUGE_VAL}, worst = HUGE_VAL, step = end / SAMPLES;
    for (int k = 0; k <= SAMPLES; k++) {
        double f = distance_at(t, k * step);
        worst = fmin(worst, f);
        int dip = last[0] >= last[1] && last[1] <= f; /* a minimum in between, worth a look if it can reach the gap */
        if (k >= 2 && dip && last[1] - fmax(last[0], f) + last[1] < t->gap)
            worst = fmin(worst, least(t, (k - 2) * step, k * step));
        last[0] = last[1], last[1] = f;
    }
    return t->gap - worst;
}

/* --- The time ----------------------------------------------------------------------------------------------------- */

/* Off the root by, relative to h; the root is within 10 tolerances or not found: HUGE_VAL. */
static double time_error(const Trial *t, double time) {
    double low = fmax(0, time - 10 * TOL_TIME * t->h), high = fmin(t->h, time + 10 * TOL_TIME * t->h);
    if (!(distance_at(t, low) >= t->gap) || !(distance_at(t, high) <= t->gap)) return HUGE_VAL;
    for (int k = 0; k < REFINE; k++) {
        double middle = 0.5 * (low + high);
        if (distance_at(t, middle) > t->gap)
            low = middle;
        else
            high = middle;
    }
    return fmax(fabs(low - time), fabs(high - time)) / t->h;
}

static void check_time(const Trial *t, const tacShapeImpact *hit, Counts *n, int *bad) {
    double noise = ROUNDING * t->c.size;
    int grazes = !(-hit->rate * TOL_TIME * t->h > 4 * noise) || hit->time + 10 * TOL_TIME * t->h > t->h;
    double error = grazes ? 0 : time_error(t, hit->time);
    n->grazing += grazes;
    if (grazes && fabs(hit->touch.dist - t->gap) > 10 * noise) error = HUGE_VAL;
    if (error > n->time) n->time = error;
    if (!(error <= TOL_TIME)) n->wrong_time++, *bad = 1;
}

/* --- The derivative ----------------------------------------------------------------------------------------------- */

/* out = time of impact, both motions changed by x. */
static int time_along(void *context, double x, double *out) {
    Trial *t = context;
    tacTwistMotion m[2] = {t->motion[0], t->motion[1]};
    tacShapeImpact hit;
    for (int i = 0; i < 2; i++) {
        m[i].start.p = tac_madd3(m[i].start.p, x, t->start[i].lin);
        m[i].start.R = tac_mulmm3(tac_quat_mat(tac_quat_exp(tac_scale3(x, t->start[i].ang))), m[i].start.R);
        m[i].velocity = tac_madd6(m[i].velocity, x, t->velocity[i]);
    }
    if (find(t, m, &hit) != TAC_OK || hit.kind != TAC_IMPACT_HIT) return 1;
    *out = hit.time / t->h;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            t->switches |=
                hit.touch.feature[i].kind != t->feature[i].kind || hit.touch.feature[i].id[k] != t->feature[i].id[k];
    return 0;
}

static void check_derivative(Trial *t, const tacShapeImpact *hit, Counts *n, int *bad) {
    tacTwistImpactGrad g;
    double analytic = 0, scale = 0, numeric, estimate, work[64];
    if (tac_impact_twist_grad(hit, &t->motion[0], &t->motion[1], &g) != TAC_OK || difference_work(1) > 64) return;
    for (int i = 0; i < 2; i++) {
        analytic += (tac_dot6(g.start[i], t->start[i]) + tac_dot6(g.velocity[i], t->velocity[i])) / t->h;
        scale += (fabs(tac_dot6(g.start[i], t->start[i])) + fabs(tac_dot6(g.velocity[i], t->velocity[i]))) / t->h;
    }
    t->feature[0] = hit->touch.feature[0], t->feature[1] = hit->touch.feature[1], t->switches = 0;
    /* steps that move the impact by a thousandth of the step */
    double h = fmin(1e-3, 1e-3 / fmax(scale, 1e-3));
    if (difference_ridders(time_along, t, 1, h, &numeric, &estimate, work) != 0 || t->switches) {
        n->switching++;
        return;
    }
    double error = fabs(analytic - numeric) / fmax(scale, 1e-3);
    n->checked++;
    if (error > n->derivative || isnan(error)) n->derivative = error;
    if (!(error <= TOL_DERIVATIVE)) n->wrong_derivative++, *bad = 1;
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

/* -> 1: something is wrong with it */
static int examine(Trial *t, Counts *n) {
    tacShapeImpact hit = {0};
    int bad = 0;
    n->motions++;
    if (find(t, t->motion, &hit) != TAC_OK || hit.kind == TAC_IMPACT_UNDECIDED) {
        n->undecided++;
        return 1;
    }
    if (hit.steps > n->steps) n->steps = hit.steps;
    if (hit.kind == TAC_IMPACT_NEAR) {
        n->near++;
        return !(hit.touch.dist <= t->gap + 10 * ROUNDING * t->c.size);
    }
    double end = hit.kind == TAC_IMPACT_HIT ? hit.time - TOL_TIME * t->h : t->h;
    if (end > 0 && !(below(t, end) <= 10 * ROUNDING * t->c.size)) n->missed++, bad = 1;
    if (hit.kind == TAC_IMPACT_NONE) {
        n->none++;
        return bad;
    }
    n->hits++;
    check_time(t, &hit, n, &bad);
    if (-hit.rate * t->h > 1e-2 * t->c.size) check_derivative(t, &hit, n, &bad);
    return bad;
}

static void print(const Counts *n) {
    printf(
        "],\n\"motions\":%ld,\"hits\":%ld,\"none\":%ld,\"near\":%ld,\"grazing\":%ld,\"missed\":%ld,\"undecided\":%ld,"
        "\"wrong_time\":%ld,\"checked\":%ld,\"switching\":%ld,\"wrong_derivative\":%ld,\"most_steps\":%d",
        n->motions, n->hits, n->none, n->near, n->grazing, n->missed, n->undecided, n->wrong_time, n->checked,
        n->switching, n->wrong_derivative, n->steps);
    printf(isfinite(n->time) ? ",\"worst_time\":%.3e" : ",\"worst_time\":null", n->time);
    printf(isfinite(n->derivative) ? ",\"worst_derivative\":%.3e}\n" : ",\"worst_derivative\":null}\n", n->derivative);
}

int main(int argc, char **argv) {
    long motions = argc > 1 ? strtol(argv[1], NULL, 10) : 350;
    unsigned long long first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    MeshPool pool = pool_make(POOL_SEED);
    Counts n = {0};
    long bad = 0;
    printf("{\"cases\":[");
    for (long i = 0; i < motions; i++) {
        Trial t = draw_trial(&pool, first + (unsigned long long)i);
        Counts before = n;
        if (!examine(&t, &n) || bad++ >= MOST_PRINTED) continue;
        printf("%s\n {\"seed\":%llu,\"kind\":\"%s\",\"wrong\":\"%s\"}", bad > 1 ? "," : "",
               first + (unsigned long long)i, kind_name(t.c.kind),
               n.undecided > before.undecided     ? "undecided"
               : n.missed > before.missed         ? "missed"
               : n.wrong_time > before.wrong_time ? "time"
                                                  : "derivative");
    }
    print(&n);
    pool_free(&pool);
    return bad != 0;
}
