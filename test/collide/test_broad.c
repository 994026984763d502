#include "collide/broad.h"
#include "support/check.h"
#include "support/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 600 };

typedef struct Seen {
    int n; /* pairs visited */
    unsigned char pair[MOST][MOST];
} Seen;

static void visit(void *user, int i, int j) {
    Seen *seen = user;
    CHECK(i != j && i >= 0 && j >= 0 && i < MOST && j < MOST);
    CHECK_INT(seen->pair[i][j] + seen->pair[j][i], 0);
    seen->pair[i][j] = 1;
    seen->n++;
}

/* Boxes as a test sees them: intervals on three axes. */
static int overlap(const tacBox *a, const tacBox *b) {
    for (int k = 0; k < 3; k++)
        if (tac_get3(a->low, k) > tac_get3(b->high, k) || tac_get3(b->low, k) > tac_get3(a->high, k)) return 0;
    return 1;
}

/* All pairs by the tree are all pairs by comparing each with each; their number. */
static int check_pairs(int n, const int *which, const tacBox *boxes) {
    static Seen seen;
    memset(&seen, 0, sizeof seen);
    tacArena arena, dry = tac_arena_dry();
    tacBroad broad;
    CHECK(tac_broad_layout(&broad, n, &dry));
    size_t bytes = dry.peak;
    void *memory = aligned_alloc(TAC_ARENA_ALIGN, bytes + TAC_ARENA_ALIGN);
    memset(memory, 0xFF, bytes);
    tac_arena_init(&arena, memory, bytes);
    CHECK(tac_broad_layout(&broad, n, &arena));
    CHECK_INT(arena.used, bytes);
    tac_broad_pairs(&broad, n, which, boxes, visit, &seen);
    int expected = 0;
    for (int k = 0; k < n; k++)
        for (int l = 0; l < k; l++) {
            int i = which != NULL ? which[k] : k, j = which != NULL ? which[l] : l;
            int both = overlap(&boxes[i], &boxes[j]);
            CHECK_INT(seen.pair[i][j] + seen.pair[j][i], both);
            expected += both;
        }
    CHECK_INT(seen.n, expected);
    free(memory);
    return expected;
}

static tacBox box_at(tacVec3 c, tacVec3 h) { return (tacBox){tac_sub3(c, h), tac_add3(c, h)}; }

static tacVec3 draw_half(tacDraw *d, double low, double high) {
    double x = draw_uniform(d, low, high), y = draw_uniform(d, low, high), z = draw_uniform(d, low, high);
    return (tacVec3){x, y, z};
}

/* Every count around leaves and levels, sparse and dense, near and far from the origin. */
static void scattered(void **state) {
    (void)state;
    static tacBox boxes[MOST];
    tacDraw d = {11, 0};
    int pairs = 0;
    for (int n = 0; n < 140; n += n < 20 ? 1 : 7)
        for (int kind = 0; kind < 4; kind++) {
            double spread = kind % 2 ? 3 : 30, offset = kind / 2 ? 1e4 : 0;
            for (int i = 0; i < n; i++)
                boxes[i] = box_at(tac_add3(draw_vec3(&d, spread), tac_vec3(offset, -offset, 0)), draw_half(&d, 0.1, 2));
            pairs += check_pairs(n, NULL, boxes);
        }
    CHECK_LT(10000, pairs);
}

/* Sizes over nine orders of magnitude, a far outlier, many in one place, flat and empty boxes. */
static void uneven(void **state) {
    (void)state;
    static tacBox boxes[MOST];
    tacDraw d = {12, 0};
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < MOST; i++) {
            double size = pow(10, draw_uniform(&d, -6, round % 4));
            tacVec3 h = {size, i % 3 ? size : 0, i % 5 ? size : 0};
            tacVec3 c = draw_vec3(&d, i % 7 ? 5 : 0);
            if (i == 17) c = tac_vec3(1e12, -1e9, 3);
            boxes[i] = box_at(c, h);
        }
        CHECK_LT(0, check_pairs(MOST, NULL, boxes));
    }
}

static void degenerate(void **state) {
    (void)state;
    static tacBox boxes[MOST];
    /* all the same */
    for (int i = 0; i < MOST; i++)
        boxes[i] = box_at(tac_vec3(1, 2, 3), tac_vec3(1, 1, 1));
    CHECK_INT(check_pairs(MOST, NULL, boxes), MOST * (MOST - 1) / 2);
    /* points, each its own */
    for (int i = 0; i < MOST; i++)
        boxes[i] = box_at(tac_vec3(i, 0, 0), tac_zero3());
    CHECK_INT(check_pairs(MOST, NULL, boxes), 0);
    /* a row in which neighbours just touch */
    for (int i = 0; i < MOST; i++)
        boxes[i] = (tacBox){{i, 0, 0}, {i + 1, 1, 1}};
    CHECK_INT(check_pairs(MOST, NULL, boxes), MOST - 1);
    /* numbers near the end of their range */
    for (int i = 0; i < MOST; i++)
        boxes[i] = box_at(tac_vec3(i % 2 ? 1e308 : -1e308, 0, 0), tac_vec3(1, 1, 1));
    CHECK_INT(check_pairs(MOST, NULL, boxes), 2 * (MOST / 2) * (MOST / 2 - 1) / 2);
}

/* A subset, by ids; shrunk boxes, whose low is above their high, as negative margins make them. */
static void subset(void **state) {
    (void)state;
    static tacBox boxes[MOST];
    int which[MOST], n = 0;
    tacDraw d = {13, 0};
    for (int i = 0; i < MOST; i++) {
        boxes[i] = box_at(draw_vec3(&d, 5), draw_half(&d, -0.1, 1));
        if (draw_int(&d, 3) == 0) which[n++] = i;
    }
    CHECK_LT(0, check_pairs(n, which, boxes));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(scattered), cmocka_unit_test(uneven),
                                       cmocka_unit_test(degenerate), cmocka_unit_test(subset)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
