/* Distances and witness points of random pairs of shapes against the slow method, one JSON document:
 *   {"pairs":N, "failed":N, "undecided":N, "kinds":[{"kind":..., "pairs":N, "worst":e, ...}], "cases":[...]}
 * Errors are relative to the larger shape. What is checked: the distance; point1 - point0 = dist n; n of unit length;
 * each point on its shape (not outside it, and as far as the shape reaches along the normal).
 * usage: evidence_distance PAIRS [ALIGNED [FIRST_SEED]]   random pairs, then so many with axes in line
 * (draw_aligned) */
#include "pair_case.h"
#include "watch.h"

#include "collide/touch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double TOL_EXACT = 1e-9, TOL_CURVED = 1e-7, EPS = 1e-12;
/* s: a query that takes longer counts as a hang and ends the program. */
enum { HANG_SECONDS = 10, MOST_PRINTED = 100, POOL_SEED = 20 };

typedef struct Row {
    long pairs, failed, undecided;
    double dist, point, shift, normal; /* worst errors, relative */
    double us;                         /* longest query */
} Row;

typedef struct Errors {
    double dist, point, shift, normal, us;
    int undecided;
} Errors;

static char running[64]; /* what is said when it hangs */

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Infinite where e is not a number. */
static double grown(double worst, double e) { return e <= worst ? worst : isnan(e) ? HUGE_VAL : e; }

/* Of point[i]: outside the shape, or short of its furthest along the normal. */
static double point_error(const PairCase *c, const tacTouch *t, int i) {
    Solid s = case_solid(c, i);
    tacVec3 n = i ? tac_neg3(t->normal) : t->normal;
    double outside = slow_outside(&s, c->hull[i], t->point[i]);
    if (c->shape[i].type == TAC_GEOM_PLANE) return fabs(outside);
    return fmax(outside, fabs(slow_support(&s, n) - tac_dot3(n, t->point[i])));
}

static Errors examine(const PairCase *c) {
    Errors e = {0};
    tacTouch t = {0};
    tacPairCache cache = {0};
    watch_begin(HANG_SECONDS, running);
    double start = seconds();
    tacStatus status = tac_distance_pair(&c->shape[0], &c->pose[0], &c->shape[1], &c->pose[1], &cache, &t);
    e.us = 1e6 * (seconds() - start);
    watch_end();
    int planes = c->shape[0].type == TAC_GEOM_PLANE && c->shape[1].type == TAC_GEOM_PLANE;
    if (planes || status != TAC_OK) {
        e.dist = (status == TAC_ERR_SHAPE) == planes && (planes || status == TAC_OK) ? 0 : HUGE_VAL;
        return e;
    }
    double reference = case_reference(c, EPS * c->size);
    e.undecided = isnan(reference);
    e.dist = e.undecided ? 0 : fabs(t.dist - reference) / c->size;
    tacVec3 d = tac_sub3(tac_sub3(t.point[1], t.point[0]), tac_scale3(t.dist, t.normal));
    e.shift = tac_norm3(d) / c->size;
    e.normal = fabs(tac_norm3(t.normal) - 1);
    e.point = grown(point_error(c, &t, 0), point_error(c, &t, 1)) / c->size;
    return e;
}

static int passes(const Errors *e, int kind) {
    double tol = kind_is_curved(kind) ? TOL_CURVED : TOL_EXACT;
    return e->dist <= tol && e->point <= tol && e->shift <= tol && e->normal <= tol;
}

static void add(Row *row, const Errors *e, int ok) {
    row->pairs++;
    row->failed += !ok;
    row->undecided += e->undecided;
    row->dist = grown(row->dist, e->dist), row->point = grown(row->point, e->point);
    row->shift = grown(row->shift, e->shift), row->normal = grown(row->normal, e->normal);
    row->us = grown(row->us, e->us);
}

/* JSON has no infinity. */
static void print_number(const char *key, double value) {
    if (isfinite(value))
        printf(",\"%s\":%.3e", key, value);
    else
        printf(",\"%s\":null", key);
}

static void print_case(const PairCase *c, const Errors *e, long printed) {
    printf("%s\n {\"errors\":{\"seed\":%llu", printed ? "," : "", (unsigned long long)c->seed);
    print_number("dist", e->dist), print_number("point", e->point), print_number("shift", e->shift);
    print_number("normal", e->normal);
    printf("},\"case\":");
    case_print(c);
    printf("}");
}

static void print_rows(const Row *rows) {
    Row all = {0};
    printf("],\n\"kinds\":[");
    for (int k = 0; k < PAIR_KINDS; k++) {
        const Row *r = &rows[k];
        printf("%s\n {\"kind\":\"%s\",\"pairs\":%ld,\"failed\":%ld", k ? "," : "", kind_name(k), r->pairs, r->failed);
        print_number("dist", r->dist), print_number("point", r->point), print_number("shift", r->shift);
        print_number("slowest_us", r->us);
        printf(",\"undecided\":%ld}", r->undecided);
        all.pairs += r->pairs, all.failed += r->failed, all.undecided += r->undecided, all.us = fmax(all.us, r->us);
        if (kind_is_curved(k))
            all.point = grown(all.point, r->dist);
        else
            all.dist = grown(all.dist, r->dist);
    }
    printf("],\n\"pairs\":%ld,\"failed\":%ld,\"undecided\":%ld,\"hangs\":0", all.pairs, all.failed, all.undecided);
    print_number("worst_exact", all.dist), print_number("worst_curved", all.point), print_number("slowest_us", all.us);
    printf("}\n");
}

/* Pairs of seeds first, first + 1, ... drawn by `draw` -> how many failed, of all before as well. */
static long run(const MeshPool *pool, PairCase (*draw)(const MeshPool *, uint64_t), long pairs,
                unsigned long long first, long failed, Row *rows) {
    for (long i = 0; i < pairs; i++) {
        unsigned long long seed = first + (unsigned long long)i;
        snprintf(running, sizeof running, "hang: seed %llu\n", seed);
        PairCase c = draw(pool, seed);
        Errors e = examine(&c);
        int ok = passes(&e, c.kind);
        if (!ok && failed++ < MOST_PRINTED) print_case(&c, &e, failed - 1);
        add(&rows[c.kind], &e, ok);
    }
    return failed;
}

int main(int argc, char **argv) {
    long pairs = argc > 1 ? strtol(argv[1], NULL, 10) : PAIR_KINDS * 20;
    long aligned = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    unsigned long long first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    static Row rows[PAIR_KINDS];
    MeshPool pool = pool_make(POOL_SEED);
    printf("{\"cases\":[");
    long failed = run(&pool, draw_case, pairs, first, 0, rows);
    failed = run(&pool, draw_aligned, aligned, first, failed, rows);
    print_rows(rows);
    pool_free(&pool);
    return failed != 0;
}
