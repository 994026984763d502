/* States and controls of earlier iterations, for reports: at most so many of them, evenly spaced. */
#pragma once

#include "io/run/bytes.h"

enum { TAC_TRAIL_MOST = 16 };

typedef struct tacTrail {
    int n, stride;                 /* paths kept; iterations between them */
    size_t size;                   /* numbers of a path */
    int iteration[TAC_TRAIL_MOST]; /* of each path */
    double *path[TAC_TRAIL_MOST];
} tacTrail;

/* Keeps a path, states and then controls, if its iteration is one of those that are kept. 0: no memory. */
int tac_trail_add(tacTrail *trail, int iteration, const double *x, size_t nx, const double *u, size_t nu);
void tac_trail_free(tacTrail *trail);
void tac_trail_write(const tacTrail *trail, tacBytes *out);
/* 0: the bytes hold none, or there is no memory. */
int tac_trail_read(tacTrail *trail, tacByteReader *in);
