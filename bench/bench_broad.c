/* Collision of 16 to 4096 scattered boxes at one density. CSV:
 *   boxes,pairs,us_broad,us_stage    then   exponent,BROAD,STAGE (least squares of log time over log boxes)
 * us_broad: boxes in the world to overlapping pairs; us_stage: poses to contacts. Each size goes through as many
 * different scenes as hold 4096 boxes together, because a processor learns a single small one by heart. */
#include "box_scene.h"
#include "measure/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* CONTACTS_PER_BOX: more than boxes of these scenes have on average. */
enum { MOST = 4096, LEAST = 16, CONTACTS_PER_BOX = 32, BATCHES = 15 };

typedef struct Boxes {
    int n, pairs;
    benchScene scene[MOST / LEAST];
} Boxes;

static void count_pair(void *user, int i, int j) {
    (void)i;
    (void)j;
    ++*(int *)user;
}

static void run_broad(void *context) {
    Boxes *b = context;
    b->pairs = 0;
    for (int i = 0; i < b->n; i++) {
        tacScene *s = &b->scene[i].scene;
        tac_broad_pairs(&s->broad, s->filter.nbounded, s->filter.bounded, s->box, count_pair, &b->pairs);
    }
}

static void run_stage(void *context) {
    Boxes *b = context;
    for (int i = 0; i < b->n; i++)
        bench_scene_collide(&b->scene[i]);
}

static int make(Boxes *b, int n) {
    for (b->n = 0; b->n < MOST / n; b->n++) {
        benchScene *s = &b->scene[b->n];
        tacModel *m = bench_build_scattered(n, (uint64_t)b->n);
        *s = (benchScene){0};
        if (m == NULL || bench_scene_make(s, m, CONTACTS_PER_BOX * n) || bench_scene_place(s, m->qpos_0)) return 2;
        bench_scene_collide(s);
        if (s->ncontact < 0) return fprintf(stderr, "no contacts of %d boxes\n", n), 2;
    }
    return 0;
}

static int time_boxes(Boxes *b, int n, double us[2]) {
    benchTime t[2];
    if (make(b, n) != 0) return 2;
    bench_interleaved(2, (benchWork[]){run_broad, run_stage}, (void *[]){b, b}, BATCHES, 2e-3, t);
    us[0] = 1e6 * t[0].median / b->n, us[1] = 1e6 * t[1].median / b->n;
    printf("%d,%.1f,%.4f,%.4f\n", n, (double)b->pairs / b->n, us[0], us[1]);
    for (int i = 0; i < b->n; i++)
        bench_scene_free(&b->scene[i]);
    return 0;
}

int main(void) {
    double n = 0, sx = 0, sxx = 0, sy[2] = {0}, sxy[2] = {0}, exponent[2];
    Boxes *b = calloc(1, sizeof *b);
    if (b == NULL) return 2;
    printf("boxes,pairs,us_broad,us_stage\n");
    for (int boxes = LEAST; boxes <= MOST; boxes *= 2) {
        double us[2], x = log((double)boxes);
        if (time_boxes(b, boxes, us) != 0) return 2;
        n += 1, sx += x, sxx += x * x;
        for (int k = 0; k < 2; k++)
            sy[k] += log(us[k]), sxy[k] += x * log(us[k]);
    }
    for (int k = 0; k < 2; k++)
        exponent[k] = (n * sxy[k] - sx * sy[k]) / (n * sxx - sx * sx);
    printf("exponent,%.4f,%.4f\n", exponent[0], exponent[1]);
    free(b);
    return 0;
}
