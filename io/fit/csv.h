/* A CSV file of numbers with named columns. */
#pragma once

#include "tactus/status.h"

#include <stddef.h>

enum { TAC_CSV_COLUMNS = 4096, TAC_CSV_CELL = 128 };

typedef struct tacCsv {
    char (*name)[TAC_CSV_CELL]; /* ncolumn, of the first line */
    int ncolumn, nrow, room;
    double *cell; /* nrow x ncolumn; an empty cell is not a number */
    int *line;    /* nrow, from 1 */
} tacCsv;

/* File -> table. `take` tells which columns are read as numbers; other cells are 0. */
tacStatus tac_csv_read(const char *path, int (*take)(const void *context, const char *name), const void *context,
                       tacCsv *csv, tacError *err);
void tac_csv_free(tacCsv *csv);
/* Name -> column, or -1. */
int tac_csv_column(const tacCsv *csv, const char *name);
