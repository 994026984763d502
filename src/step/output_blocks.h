/* Sinks of the derivatives of outputs, and the derivatives that come for all elements of a kind at once: forces,
 * activation rates, accelerations. */
#pragma once

#include "dynamics/output.h"
#include "dynamics/sink.h"
#include "step/sim.h"

/* Sinks of the columns of the state and the controls, of mocap poses, and of parameters. */
typedef struct tacOutputSinks {
    tacForceSink state;
    tacSink mocap, theta;
} tacOutputSinks;

/* Matrices whose rows are ld[] numbers apart: [A, B, P]; any may be NULL. */
tacOutputSinks tac_output_matrix_sinks(const tacSim *sim, const tacJac *J, const int ld[3]);
/* bar += (d(outputs)/d[x | u | theta])^T lambda; theta may be NULL. */
tacOutputSinks tac_output_reverse_sinks(const tacSim *sim, const double *lambda, const tacGrad *bar);
/* 1: what is emitted there goes nowhere. */
static inline int tac_output_drops(const tacSink *sink) { return sink->matrix == NULL && sink->lambda == NULL; }

/* Derivatives of a whole kind: rows by element, columns [x | u | theta]; or the reverse of it. */
typedef struct tacOutputBlock {
    double *W;            /* NULL: reverse */
    const double *lambda; /* per element */
    tacGrad bar;          /* added to; theta may be NULL */
} tacOutputBlock;

/* Derivatives by kind. NULL: its elements come one by one. Needs: the stages of the kind (outputs.c). */
typedef tacStatus (*tacOutputBlockJac)(tacSim *sim, const tacOutputPoint *p, const tacOutputBlock *b);
extern const tacOutputBlockJac TAC_OUTPUT_BLOCKS[TAC_OUTPUT_KINDS];
