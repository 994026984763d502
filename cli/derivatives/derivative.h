/* The derivative of one step as a whole: its sizes, its blocks, and names for its rows and columns. */
#pragma once

#include "tactus/tactus.h"

/* Sizes of A (ndx x ndx), B (ndx x nu), P (ndx x np). */
typedef struct tacDerivativeSize {
    int nv, na, ndx, nu, np;
} tacDerivativeSize;
tacDerivativeSize cli_derivative_size(const tacModel *model, const tacOptions *options);

/* Arrays for one derivative. Free with cli_derivative_free. */
typedef struct tacDerivative {
    tacDerivativeSize size;
    double *y; /* nx: the next state */
    double *A, *B, *P;
} tacDerivative;
/* 1, or 0 when memory is short. */
int cli_derivative_new(const tacModel *model, const tacOptions *options, tacDerivative *d);
void cli_derivative_free(tacDerivative *d);
tacStatus cli_derivative_at(tacSim *sim, const double *x, const double *u, tacDerivative *d, tacStepInfo *info);
/* A, B, P from the reverse mode, in the mode of the options: row i is the gradient of number i of the next state to a
 * loss that wants it larger. Not y. */
tacStatus cli_derivative_rows(tacSim *sim, const double *x, const double *u, tacDerivative *d, tacStepInfo *info);

/* The blocks: rows dq dv da, columns dq dv da du dtheta. */
enum { CLI_ROW_BLOCKS = 3, CLI_COLUMN_BLOCKS = 5 };
enum { CLI_COLUMN_U = 3, CLI_COLUMN_THETA = 4 };
/* "dv/dq" */
const char *cli_block_name(int row_block, int column_block);
/* One block: where it begins, its rows, columns, and the distance of its rows. */
typedef struct tacBlock {
    const double *entry;
    int rows, columns, ld;
} tacBlock;
tacBlock cli_block(const tacDerivative *d, int row_block, int column_block);

/* Row or column i of A: "dq:knee", "dq:root.rx", "dv:root.vx", "da:muscle". */
void cli_tangent_name(const tacModel *model, int i, char *text, size_t size);
/* Number i of u: "ctrl:motor", "qfrc:knee", "xfrc:torso.fx", "mocap:target.qw". */
void cli_input_name(const tacModel *model, const tacOptions *options, int i, char *text, size_t size);
