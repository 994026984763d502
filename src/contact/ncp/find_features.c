/* Finding the features of a step's problem by collision: within reach at q, and those that the end of a search
 * penetrates   (docs/theory/ncp.md, W15). */
#include "contact/ncp/bodies.h"
#include "contact/ncp/features.h"
#include "contact/ncp/step.h"
#include "contact/ncp/tuning.h"
#include "smooth/find_contacts.h"
#include "solve/tuning.h"

#include <string.h>

/* The reach of a geom: h (2 |velocity of its middle| + 2 |angular velocity| radius + h |g| + slack). Velocities count
 * twice, because a body that hits something with one end may speed up at the other. Features that are missed are found
 * after the search. */
tacStatus tac_ncp_find_contacts(tacContext *ctx, const tacWork *w, int ahead, tacNcp *p, int *nfound) {
    if (p->pairs.on) return tac_ncp_find_near(ctx, w, ahead, p, nfound);
    double fall = ctx->options.dt * tac_norm3(tac_base_acceleration(ctx->model).lin);
    const tacContactReach reach = {.moving = 1,
                                   .velocities = ctx->work.V,
                                   .factor = 2,
                                   .speed = fall + TAC_NCP_SLACK_SPEED,
                                   .retries = TAC_MAX_SHORTENINGS};
    return tac_find_contacts(ctx, w, ahead ? &reach : NULL, p->found, p->max_contacts, nfound);
}

tacStatus tac_ncp_find_overlap(tacContext *ctx, tacNcp *p, double tolerance, int may_change, int *added,
                               double *overlap) {
    int nfound = 0;
    *added = 0;
    *overlap = 0;
    if (*ctx->model->option_disable & TAC_DISABLE_CONSTRAINT) return TAC_OK;
    TAC_TRY(tac_ncp_find_contacts(ctx, &p->next, 0, p, &nfound));
    *overlap = tac_ncp_overlap(p, nfound, tolerance);
    if (p->pairs.on) *added = tac_ncp_add_overlapping_pairs(p, tolerance, may_change, overlap);
    if (!may_change || *overlap == 0) return TAC_OK;
    *added += tac_ncp_add_overlapping(p, nfound, tolerance);
    if (*added > 0) memcpy(p->anchor, p->x, (size_t)p->m->nv * sizeof *p->x);
    return TAC_OK;
}

tacStatus tac_ncp_predict_features(tacContext *ctx, tacNcp *p) {
    double overlap;
    int added;
    if (!tac_ncp_has_full_pair(p)) return TAC_OK;
    memcpy(p->x, p->v, (size_t)p->m->nv * sizeof *p->x);
    if (tac_ncp_place_bodies(p, p->x) != TAC_OK) return TAC_OK;
    tacStatus status = tac_ncp_find_overlap(ctx, p, 0, 1, &added, &overlap);
    return status == TAC_ERR_CONTACTS ? TAC_OK : status; /* a solution overlaps less */
}

tacStatus tac_ncp_find_features_ahead(tacContext *ctx, tacNcp *p, int *changed) {
    int nfound = 0;
    *changed = 0;
    tacStatus status = tac_ncp_find_contacts(ctx, &p->next, 1, p, &nfound);
    if (status == TAC_ERR_CONTACTS) return TAC_OK; /* no room for all */
    TAC_TRY(status);
    *changed = tac_ncp_replace_features(p, nfound);
    if (*changed > 0) memcpy(p->anchor, p->x, (size_t)p->m->nv * sizeof *p->x);
    return TAC_OK;
}
