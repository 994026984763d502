/* Boxes of side 0.2 m on a floor, as MJCF text: scenes of benchmarks of contact models. */
#pragma once

/* Apart; in stacks of four; in a pile, layer by layer; turned at random above a heap that they fall on. */
typedef enum { BENCH_APART, BENCH_STACKS, BENCH_PILE, BENCH_HEAP, BENCH_ARRANGEMENTS } benchArrangement;

/* n of them; to be freed, or NULL: no memory. Room for the arrays that MuJoCo 2.2.2 sizes by hand is asked for. */
char *bench_floor_boxes(benchArrangement how, int n);
/* A file of the text, in path[BENCH_PATH]; to be removed. Frees the text. 0: done; else a message was written. */
enum { BENCH_PATH = 32 };
int bench_write_scene(char *text, char *path);
