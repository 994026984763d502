/* How contacts move the equations they are in (docs/theory/contact.md, R2, R3, R5): one walk over their derivatives for
 * lcp and soft, with forces, velocities and weights as data. Contacts between the same two bodies, a manifold's above
 * all, are taken together: their forces act as one wrench on each body, and a column's displacement of the bodies is
 * the same for all. */
#pragma once

#include "contact/rows.h"

enum { TAC_CONTACT_MOST_ROWS = 6, TAC_RUN = 8 };

/* Where one kind of column goes. */
typedef struct tacContactSink {
    tacSink force;  /* over dofs: scale d(J^T f), f fixed */
    tacSink row;    /* over rows: d(J z) + rate d(dist), z fixed */
    tacSink wrench; /* 6 nbody: d(forces on bodies), times wrench_scale; empty: not asked for */
    tacSink pos;    /* over rows: d(dist) at each contact's first; empty: not asked for */
} tacContactSink;

/* One contact of a run. */
typedef struct tacRunContact {
    int contact, first, n; /* in rows->contact; its rows */
    int from, to;          /* those of them that are emitted: from .. to, the latter not included */
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
    /* What else the normal row has; NULL: nothing. */
    double (*more)(const void *context, const tacContact *c, int row, const tacDisplacement *d,
                   const tacContactTangent *t);
    const void *context;
    int n, body[2]; /* the contacts so far, between two bodies */
    tacRunContact contact[TAC_RUN];
} tacContactRun;

/* 1: there is room for the contact, between the same bodies or as the first. */
int tac_contact_run_takes(const tacContactRun *run, int contact);
/* Adds one, whose rows begin at `first`, all of them emitted; the caller sets f and rate. Needs:
 * tac_contact_run_takes. */
tacRunContact *tac_contact_run_add(tacContactRun *run, int contact, int first, int n);
/* Where the columns of dofs, of mocap numbers and of parameters go; a NULL sink is skipped. */
typedef struct tacContactColumns {
    const tacContactSink *q, *mocap, *theta;
    const tacParamTangent *tangents;
} tacContactColumns;
/* Emits all columns of the run's contacts and empties it, also where it fails. */
tacStatus tac_contact_run_jac(tacContactRun *run, const tacContactColumns *to);
