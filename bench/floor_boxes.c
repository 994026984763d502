#include "floor_boxes.h"

#include "tactus/tactus.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STACK = 4, BODY_TEXT = 256, HEAD_TEXT = 512 };
#define HALF_SIZE 0.1

/* Where box i of n begins. */
static void place(benchArrangement how, int n, int i, double p[3]) {
    if (how == BENCH_HEAP) {
        int wide = (int)ceil(cbrt(n / 2.0));
        p[0] = 0.23 * (i % wide), p[1] = 0.23 * (i / wide % wide), p[2] = 0.25 + 0.3 * (i / (wide * wide));
        return;
    }
    int towers = how == BENCH_APART ? n : how == BENCH_STACKS ? (n + STACK - 1) / STACK : 0;
    int side = how == BENCH_PILE ? (int)ceil(cbrt((double)n)) : (int)ceil(sqrt((double)towers));
    int tower = how == BENCH_APART ? i : i / STACK, level = how == BENCH_APART ? 0 : i % STACK;
    if (how == BENCH_PILE) {
        double turn = 0.05 * (i / (side * side) % 2); /* every second layer is set off */
        p[0] = 0.21 * (i % side) + turn, p[1] = 0.21 * (i / side % side) + turn;
        p[2] = HALF_SIZE + 2.01 * HALF_SIZE * (i / (side * side));
        return;
    }
    p[0] = 0.6 * (tower % side), p[1] = 0.6 * (tower / side), p[2] = HALF_SIZE + 2 * HALF_SIZE * level;
}

/* Boxes of a heap are turned at random. */
static void turn(benchArrangement how, int i, double quat[4]) {
    double norm = 0;
    for (int k = 0; k < 4; k++) {
        quat[k] = (k == 0) + (how == BENCH_HEAP ? tac_random_normal(7, (uint64_t)k, (uint64_t)i) : 0);
        norm += quat[k] * quat[k];
    }
    for (int k = 0; k < 4; k++)
        quat[k] /= sqrt(norm);
}

char *bench_floor_boxes(benchArrangement how, int n) {
    char *text = malloc((size_t)(n + 2) * BODY_TEXT + HEAD_TEXT);
    if (text == NULL) return NULL;
    /* MuJoCo 2.2.2 squares the number of its rows: no more of them than a scene has */
    int contacts = (how == BENCH_APART ? 5 : 10) * n + 20;
    int at = snprintf(text, HEAD_TEXT,
                      "<mujoco><size njmax='%d' nconmax='%d' nstack='%d'/><option timestep='0.002'/><worldbody>"
                      "<geom type='plane' size='20 20 1' friction='0.5'/>\n",
                      4 * contacts, contacts, 40000 * n + 2000000);
    for (int i = 0; i < n; i++) {
        double p[3], q[4];
        place(how, n, i, p);
        turn(how, i, q);
        at += snprintf(text + at, BODY_TEXT,
                       "<body pos='%g %g %g' quat='%g %g %g %g'><freejoint/>"
                       "<geom type='box' size='%g %g %g' friction='0.5'/></body>\n",
                       p[0], p[1], p[2], q[0], q[1], q[2], q[3], HALF_SIZE, HALF_SIZE, HALF_SIZE);
    }
    snprintf(text + at, BODY_TEXT, "</worldbody></mujoco>\n");
    return text;
}

int bench_write_scene(char *text, char *path) {
    snprintf(path, BENCH_PATH, "/tmp/tactus_bench_XXXXXX");
    int file = text != NULL ? mkstemp(path) : -1;
    if (file < 0) {
        fprintf(stderr, "%s: %s\n", path, text == NULL ? "out of memory" : strerror(errno));
        free(text);
        return 1;
    }
    size_t size = strlen(text);
    int bad = write(file, text, size) != (ssize_t)size;
    bad |= close(file) != 0;
    free(text);
    if (bad) {
        fprintf(stderr, "%s cannot be written\n", path);
        unlink(path);
    }
    return bad;
}
