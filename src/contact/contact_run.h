/* Derivatives of the equations of contacts (docs/theory/contact.md, R2, R3, R5), for lcp and soft. Forces, velocities
 * and weights are data. Contacts between the same two bodies (most often one manifold) form a run. Their forces act as
 * one wrench on each body, and each column displaces the bodies alike for all. */
#pragma once

#include "contact/rows.h"

enum { TAC_CONTACT_MOST_ROWS = 6, TAC_RUN = 8 };

/* Destination of one kind of column. */
typedef struct tacContactSink {
    tacSink force;  /* over dofs: scale d(J^T f), f fixed */
    tacSink row;    /* over rows: d(J z) + rate d(dist), z fixed */
    tacSink wrench; /* 6 nbody: d(forces on bodies), times wrench_scale; empty: not asked for */
    tacSink pos;    /* over rows: d(dist) at each contact's first; empty: not asked for */
    tacSink part;   /* over rows: what numbers of the model add to forces at fixed motion; empty: not asked for */
} tacContactSink;

/* One contact of a run. */
typedef struct tacRunContact {
    int contact, first, n; /* in rows->contact; its rows */
    int from, to;          /* rows from .. to - 1 of them are emitted */
    double f[TAC_CONTACT_MOST_ROWS];
    double rate; /* of the normal row */
} tacRunContact;

typedef struct tacContactRun {
    const tacModel *m;
    const tacWork *w;
    tacScene *scene;
    const tacRows *rows;
    const tacSmoothPoint *x;
    const double *z;
    const tacVec6 *V; /* nbody: velocities at z; tac_rows_body_velocity */
    double scale, wrench_scale;
    /* Adds to the change of the normal row; NULL: nothing. */
    double (*more)(const void *context, const tacContact *c, int row, const tacDisplacement *d,
                   const tacContactTangent *t);
    const void *context;
    int n, body[2]; /* contacts so far, between these bodies */
    tacRunContact contact[TAC_RUN];
} tacContactRun;

/* 1: the contact may join. The run is empty, or it has room and the same bodies. */
int tac_contact_run_takes(const tacContactRun *run, int contact);
/* Adds a contact whose rows begin at `first`. All of them are emitted. The caller sets f and rate. Needs:
 * tac_contact_run_takes. */
tacRunContact *tac_contact_run_add(tacContactRun *run, int contact, int first, int n);
/* Destinations of the columns of dofs, mocap numbers and parameters. A NULL sink is skipped. */
typedef struct tacContactColumns {
    const tacContactSink *q, *mocap, *theta;
    const tacParamTangent *tangents;
} tacContactColumns;
/* Emits all columns of the run's contacts. Empties the run, even on failure. */
tacStatus tac_contact_run_jac(tacContactRun *run, const tacContactColumns *to);
