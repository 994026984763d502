/* Inner steps of contact soft (docs/theory/adaptive.md, AD9): which constraints act, and the events at which that
 * changes. */
#pragma once

#include "contact/soft/problem.h"
#include "smooth/adaptive.h"
#include "smooth/find_contacts.h"

/* Contact soft with inner steps. */
extern const tacAdaptiveKind TAC_SOFT_ADAPTIVE;
tacStatus tac_soft_adaptive_step(tacContext *ctx, const double *x, const double *u, double *y);
tacStatus tac_soft_adaptive_jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J);
tacStatus tac_soft_adaptive_jvp(tacContext *ctx, const double *x, const double *u, tacColumns c, double *y, double *dy);
tacStatus tac_soft_adaptive_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar,
                                const tacGrad *g);
void tac_soft_adaptive_measure(const tacModel *m, const tacOptions *options, tacArena *dry);

/* --- Its parts ---------------------------------------------------------------------------------------------------- */

typedef enum { TAC_WATCH_ACTING, TAC_WATCH_NEAR, TAC_WATCH_JOINT, TAC_WATCH_TENDON } tacWatchKind;
/* A constraint: number of a contact that acts, or is near; 2 id + side of a limit. */
typedef struct tacWatch {
    tacWatchKind kind;
    int id;
} tacWatch;

/* The acting set of an inner step, and its event functions. */
typedef struct tacSoftPart {
    tacActing acting;
    tacContact *list, *was, *near, *found; /* max_contacts */
    int nlist, nwas, nnear;
    unsigned char *joint, *was_joint, *one_joint, *joint_pushes;     /* 2 njnt */
    unsigned char *tendon, *was_tendon, *one_tendon, *tendon_pushes; /* 2 ntendon */
    unsigned char *seen, *pushes;                                    /* max_contacts */
    tacWatch *watch, *onset; /* onsets: contacts are numbers of `found`; 2 max_contacts + 2 njnt + 2 ntendon */
    int nwatch, nonset;
    unsigned char *held; /* max_signals: the signs that were held last */
    int nheld;
} tacSoftPart;

/* Positions and velocities at x. */
void tac_watch_place(tacAdaptive *a, const double *x);
/* Gap and rate of a constraint at the state placed last; contacts: rebuilt from their features. */
tacStatus tac_watch_contact(tacAdaptive *a, const tacContact *c, double *gap, double *rate);
void tac_watch_limit(tacAdaptive *a, const double *x, tacWatch limit, double *gap, double *rate);
/* 1: the model has the limit. */
int tac_watch_has_limit(const tacModel *m, tacWatch limit);
/* 1: the same geoms and features. */
int tac_watch_is_same(const tacContact *a, const tacContact *b);
/* Contacts within a distance (reach NULL: rounding) of their margins at the state placed last, without those that
 * nothing moves -> part->found. */
tacStatus tac_watch_find(tacAdaptive *a, const tacContactReach *reach, int *n);

/* Calls of the flow (acting.c, watch.c, watch_deriv.c). */
tacStatus tac_soft_open(void *user, const double *x, int begun, int *onsets, int *changed);
tacStatus tac_soft_watch(void *user, const double *x0, const double *x1, double h, tacGap *gap, int *n, int *same);
tacStatus tac_soft_gap(void *user, int i, const double *x, double *value, double *rate);
tacStatus tac_soft_same(void *user, const double *x, int *same);
tacStatus tac_soft_gap_jac(void *user, int member, int falls, const double *x, double *grad, double *grad_p);
void tac_soft_measure_gap_jac(const tacModel *m, const tacOptions *options, tacArena *dry);
