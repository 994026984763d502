/* The folder of a run. */
#pragma once

#include "io/files.h"

#include "tactus/run.h"

enum { TAC_RUN_KIND = 8 };

struct tacRunFolder {
    char path[TAC_PATH];
    char kind[TAC_RUN_KIND];
    uint64_t hash;
    uint64_t number; /* of the last checkpoint; 0: none */
    int lock;        /* open file that holds the lock */
};
