/* Growth distances of every pair of primitives, cold, at kappa 1e-4: medians over rounds of the mean over poses, of the
 * growth alone, with all derivatives by poses, and of the distance by features (empty: a pair with a pad). CSV:
 *   first,second,us_growth,us_derivatives,us_features,systems
 *
 * usage: bench_pairs */
#define _POSIX_C_SOURCE 200809L
#include "evidence/growth_case.h"

#include "dynamics/growth_move.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KAPPA 1e-4
enum { ROUNDS = 15, POSES = 40 };
typedef enum { GROWTH, DERIVATIVES, FEATURES, WAYS } Way;

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Time of one query at a pose, geoms placed. */
static double time_query(GrowthCase *c, Way way, tacGrowthSystem *g) {
    tacScene *s = &c->sim->ctx.scene;
    tacArena *arena = &c->sim->ctx.arena;
    tacContact near;
    TAC_SCOPE(arena);
    double begun = now_us();
    if (way == FEATURES)
        (void)tac_scene_distance(s, c->model, c->geom[0], c->geom[1], &near);
    else
        (void)tac_growth_open(s, c->model, c->geom, KAPPA, 0, arena, g);
    if (way == DERIVATIVES) (void)tac_growth_adjoints(g, NULL, arena);
    return now_us() - begun;
}

static void time_pair(int a, int b) {
    static double q[POSES][2 * GROWTH_Q], time[WAYS][ROUNDS];
    static tacGrowthSystem g;
    tacDraw d = {.seed = (uint64_t)(100 * a + b)};
    GrowthCase c;
    long systems = 0;
    memset(time, 0, sizeof time);
    growth_case_open(a, b, &d, 0, &c);
    for (int i = 0; i < POSES; i++) {
        growth_case_pose(&c, &d, i);
        memcpy(q[i], c.q, sizeof c.q);
    }
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < POSES; i++) {
            tacGrowth placed = {.kappa = 0};
            if (tac_geom_growth(c.sim, q[i], NULL, c.geom[0], c.geom[1], KAPPA, &placed) != TAC_OK) continue;
            systems += placed.iterations;
            for (int way = 0; way < WAYS; way++)
                time[way][k] += time_query(&c, (Way)way, &g) / POSES;
        }
    for (int way = 0; way < WAYS; way++)
        qsort(time[way], ROUNDS, sizeof(double), ascending);
    printf("%s,%s,%.2f,%.2f,", growth_kind_name(a), growth_kind_name(b), time[GROWTH][ROUNDS / 2],
           time[DERIVATIVES][ROUNDS / 2]);
    if (c.model->geom_pad[c.geom[0]] == 0 && c.model->geom_pad[c.geom[1]] == 0)
        printf("%.2f", time[FEATURES][ROUNDS / 2]);
    printf(",%.1f\n", (double)systems / (ROUNDS * POSES));
    growth_case_close(&c);
}

int main(void) {
    printf("first,second,us_growth,us_derivatives,us_features,systems\n");
    for (int a = 0; a < GROWTH_PRIMITIVES; a++)
        for (int b = a; b < GROWTH_PRIMITIVES; b++)
            if (a + b > 0) time_pair(a, b);
    return 0;
}
