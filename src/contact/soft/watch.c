/* Event functions of an inner step: gaps of constraints that act or are near, and the features that act
 * (docs/theory/adaptive.md, AD9). */
#include "contact/soft/adaptive.h"

#include "math/scalar.h"

#include <string.h>

/* Contacts that a step may reach: the motion of its bodies at their speed times FASTER, and at an acceleration. */
#define FASTER       1.5
#define ACCELERATION 50 /* m/s^2 */
enum { RETRIES = 8 };
/* m: a contact that acts is found again while it overlaps by more. */
#define LOST_DEPTH 1e-9

/* --- Contacts near a step ----------------------------------------------------------------------------------------- */

static int find_in(const tacContact *list, int n, const tacContact *c) {
    for (int i = 0; i < n; i++)
        if (tac_watch_is_same(&list[i], c)) return i;
    return -1;
}

/* At the end of the step: what was found and does not act -> p->near. */
static tacStatus find_near(tacAdaptive *a, const double *x1, double h) {
    tacContext *ctx = a->ctx;
    tacSoftPart *p = a->part;
    int found;
    double scale = h / ctx->options.dt; /* reaches are of the outer step */
    const tacContactReach reach = {.moving = 1,
                                   .velocities = ctx->work.V,
                                   .factor = FASTER * scale,
                                   .speed = ACCELERATION * h * scale,
                                   .retries = RETRIES};
    tac_watch_place(a, x1);
    TAC_TRY(tac_watch_find(a, &reach, &found));
    memset(p->seen, 0, (size_t)p->nlist);
    p->nnear = 0;
    for (int i = 0; i < found; i++) {
        int at = find_in(p->list, p->nlist, &p->found[i]);
        if (at >= 0)
            p->seen[at] = 1;
        else
            p->near[p->nnear++] = p->found[i];
    }
    return TAC_OK;
}

static void add_watch(tacSoftPart *p, tacWatchKind kind, int id, int acts, tacGap *gap) {
    gap[p->nwatch].acts = acts;
    p->watch[p->nwatch++] = (tacWatch){kind, id};
}

/* Limits and contacts. */
static void list_watches(tacAdaptive *a, tacGap *gap) {
    const tacModel *m = a->ctx->model;
    tacSoftPart *p = a->part;
    p->nwatch = 0;
    for (int i = 0; i < p->nlist; i++)
        add_watch(p, TAC_WATCH_ACTING, i, 1, gap);
    for (int i = 0; i < p->nnear; i++)
        add_watch(p, TAC_WATCH_NEAR, i, 0, gap);
    for (int i = 0; i < 2 * m->njnt; i++)
        if (tac_watch_has_limit(m, (tacWatch){TAC_WATCH_JOINT, i})) add_watch(p, TAC_WATCH_JOINT, i, p->joint[i], gap);
    for (int i = 0; i < 2 * m->ntendon; i++)
        if (tac_watch_has_limit(m, (tacWatch){TAC_WATCH_TENDON, i}))
            add_watch(p, TAC_WATCH_TENDON, i, p->tendon[i], gap);
}

/* Gap of number i at the state placed last. */
static tacStatus gap_here(tacAdaptive *a, int i, const double *x, double *value, double *rate) {
    tacSoftPart *p = a->part;
    const tacWatch *w = &p->watch[i];
    if (w->kind == TAC_WATCH_ACTING) return tac_watch_contact(a, &p->list[w->id], value, rate);
    if (w->kind == TAC_WATCH_NEAR) return tac_watch_contact(a, &p->near[w->id], value, rate);
    tac_watch_limit(a, x, *w, value, rate);
    return TAC_OK;
}

tacStatus tac_soft_gap(void *user, int i, const double *x, double *value, double *rate) {
    tacAdaptive *a = user;
    tacSoftPart *p = a->part;
    if (i >= p->nwatch) return tac_held_gap(a, i - p->nwatch, x, value, rate);
    tac_watch_place(a, x);
    return gap_here(a, i, x, value, rate);
}

/* A contact whose features have no touch at an end of the step is not watched. */
static tacStatus end_of_gaps(tacAdaptive *a, const double *x, int end, tacGap *gap) {
    tacSoftPart *p = a->part;
    for (int i = 0; i < p->nwatch; i++) {
        tacStatus status = gap_here(a, i, x, &gap[i].at[end], &gap[i].rate[end]);
        if (status == TAC_ERR_DEGENERATE) {
            gap[i].at[end] = gap[i].acts ? -TAC_INFINITY : gap[i].at[!end];
            gap[i].rate[end] = 0;
        } else if (status != TAC_OK) {
            return status;
        }
    }
    return TAC_OK;
}

/* Returns 0 if features have changed: a contact is not found again, or one that does not act overlaps at both ends. The
 * latter is removed from the gaps. */
static int keep_same_features(tacSoftPart *p, tacGap *gap) {
    int same = 1, n = 0;
    for (int i = 0; i < p->nwatch; i++) {
        const tacWatch *w = &p->watch[i];
        int lost = w->kind == TAC_WATCH_ACTING && !p->seen[w->id] && gap[i].at[1] < -LOST_DEPTH;
        int came = w->kind == TAC_WATCH_NEAR && gap[i].at[1] < -TAC_GAP_ROUNDING && gap[i].at[0] < -TAC_GAP_ROUNDING;
        same &= !lost && !came;
        if (came) continue;
        p->watch[n] = *w;
        gap[n++] = gap[i];
    }
    p->nwatch = n;
    return same;
}

tacStatus tac_soft_watch(void *user, const double *x0, const double *x1, double h, tacGap *gap, int *n, int *same) {
    tacAdaptive *a = user;
    tacSoftPart *p = a->part;
    TAC_TRY(find_near(a, x1, h));
    list_watches(a, gap);
    TAC_TRY(end_of_gaps(a, x1, 1, gap));
    tac_watch_place(a, x0);
    TAC_TRY(end_of_gaps(a, x0, 0, gap));
    *same = keep_same_features(p, gap);
    TAC_TRY(tac_held_watch(a, x0, x1, gap + p->nwatch));
    *n = p->nwatch + a->nbound;
    return TAC_OK;
}

/* --- Features ----------------------------------------------------------------------------------------------------- */

/* 1: a contact that was found begins from above its margin in this step. */
static int begins(const tacSoftPart *p, const tacContact *c) {
    for (int i = 0; i < p->nwatch; i++)
        if (p->watch[i].kind == TAC_WATCH_NEAR && tac_watch_is_same(&p->near[p->watch[i].id], c)) return 1;
    return 0;
}

tacStatus tac_soft_same(void *user, const double *x, int *same) {
    tacAdaptive *a = user;
    tacSoftPart *p = a->part;
    int found;
    tac_watch_place(a, x);
    TAC_TRY(tac_watch_find(a, NULL, &found));
    memset(p->seen, 0, (size_t)p->nlist);
    *same = 1;
    for (int i = 0; i < found; i++) {
        int at = find_in(p->list, p->nlist, &p->found[i]);
        if (at >= 0) p->seen[at] = 1;
        if (at < 0 && p->found[i].dist - p->found[i].include < -TAC_GAP_ROUNDING && !begins(p, &p->found[i])) *same = 0;
    }
    for (int i = 0; i < p->nlist && *same; i++) {
        double gap, rate;
        if (p->seen[i]) continue;
        tacStatus status = tac_watch_contact(a, &p->list[i], &gap, &rate);
        *same = status == TAC_OK && gap >= -LOST_DEPTH;
    }
    return TAC_OK;
}
