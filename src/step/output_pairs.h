/* Forces of contacts between two geoms as outputs, and their derivatives, one contact after another (outputs.md). */
#pragma once

#include "smooth/linearize.h"
#include "step/output_blocks.h"

/* Takes the pairs of a point from the arena. 0: it is too small. */
int tac_output_pairs_layout(const tacModel *m, const tacOptions *options, tacArena *arena, tacOutputPoint *p);
/* -> p->pair, p->npair. TAC_ERR_CONTACTS: there are more pairs than the simulation has room for. */
tacStatus tac_output_pairs(tacSim *sim, const double *x, const double *u, tacOutputPoint *p);
/* Adds the rows of pairs to J, columns as of tac_outputs_jac. */
tacStatus tac_output_pairs_jac(tacSim *sim, const tacOutputPoint *p, const tacOutputs *outputs, const tacJac *J);
/* dz += the derivative of the pairs along a direction, [x | u | theta]. */
tacStatus tac_output_pairs_jvp(tacSim *sim, const tacOutputPoint *p, const tacOutputs *outputs, const double *along,
                               double *dz);
/* bar += (dz/d[x | u | theta])^T zbar of the pairs. x and u of bar are not NULL. */
tacStatus tac_output_pairs_vjp(tacSim *sim, const tacOutputPoint *p, const tacOutputs *outputs, const double *zbar,
                               const tacGrad *bar);

/* One element of the list after another: TAC_OUT_ALL opened up. */
typedef struct tacOutputCursor {
    const tacModel *m;
    const tacOutputs *outputs;
    int i, next; /* place in the list, element there */
    tacOutputKind kind;
    int id, id2, row; /* the current one, and its first row of z */
    int end;          /* first row after it */
} tacOutputCursor;
tacOutputCursor tac_outputs_begin(const tacModel *m, const tacOutputs *outputs);
/* 0: there is none left. */
int tac_outputs_advance(tacOutputCursor *c);
/* J[row] += factor df, df in columns [x | u | theta]; any array of J may be NULL. */
void tac_add_line(tacColumns c, double factor, const double *df, int row, const tacJac *J);
