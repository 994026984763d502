/* Chooses which contacts become rows, in the kick and at impacts, and sets up their problem (step.h). */
#include "contact/lcp/toi/step.h"

#include "math/scalar.h"
#include "contact/lcp/predict.h"
#include "smooth/find_contacts.h"

#include <string.h>

int tac_flight_is_held(const tacFlight *f, const int geom[2]) {
    for (int k = 0; k < f->nheld; k++)
        if (f->held[2 * k] == geom[0] && f->held[2 * k + 1] == geom[1]) return 1;
    return 0;
}

/* 1: the two geoms are those of the current impact. */
static int has_met(const tacFlight *f, const int geom[2]) {
    return (geom[0] == f->met[0] && geom[1] == f->met[1]) || (geom[0] == f->met[1] && geom[1] == f->met[0]);
}

/* d(dist)/dt of a contact, V the velocities of bodies. */
static double rate_of(const tacFlight *f, const tacContact *c, const tacVec6 *V) {
    double rate = 0;
    for (int side = 0; side < 2; side++) {
        int body = f->ctx->model->geom_body[c->geom[side]];
        tacVec3 r = tac_sub3(c->pos, f->ctx->work.origin[body]);
        double along = tac_dot3(c->normal, tac_add3(V[body].lin, tac_cross3(V[body].ang, r)));
        rate += side == 0 ? -along : along;
    }
    return rate;
}

/* Margins: the smallest changes at which the problem has other rows. */
typedef struct Margins {
    double rate; /* m/s: of approach */
    double dist; /* m */
} Margins;

/* 1: the contact is a row. V: velocities of bodies before the problem. */
static int is_row(const tacFlight *f, const tacContact *c, const tacVec6 *V, int impact, Margins *margin) {
    double speed = f->ctx->options.bounce_speed;
    int bounces = tac_contact_restitution(f->ctx->model, c) > 0, met = c->dist <= TAC_TOI_LEAST;
    double most = impact && !tac_flight_is_held(f, c->geom) ? TAC_TOI_TOUCH : TAC_TOI_NEAR;
    margin->dist = tac_min(margin->dist, tac_abs(c->dist - most));
    if (impact && has_met(f, c->geom)) margin->dist = tac_min(margin->dist, tac_abs(c->dist - TAC_TOI_TOUCH));
    if (c->dist > most) return 0;
    if (impact || (met && !bounces)) return 1;
    double rate = rate_of(f, c, V);
    margin->rate = tac_min(margin->rate, tac_abs(rate + speed));
    return rate >= -speed;
}

static tacVec6 *velocities_layout(const tacModel *m, tacArena *arena) { return TAC_TAKE(arena, m->nbody, tacVec6); }

/* Contacts at the current poses that become rows. Needs: position. */
static tacStatus find_touching(tacFlight *f, tacLcp *lcp, Margins *margin) {
    TAC_SCOPE(&f->ctx->arena);
    tacContext *ctx = f->ctx;
    const tacModel *m = ctx->model;
    tacRows *rows = &lcp->rows;
    tacContactReach reach = {.distance = TAC_TOI_NEAR};
    tacVec6 *V = velocities_layout(m, &ctx->arena);
    if (V == NULL) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_find_contacts(ctx, &ctx->work, &reach, rows->contact, rows->max_contacts, &rows->ncontact));
    tac_rows_body_velocity(m, &ctx->work, f->x + m->nq, V);
    int kept = 0;
    for (int c = 0; c < rows->ncontact; c++)
        if (is_row(f, &rows->contact[c], V, lcp->impact, margin)) rows->contact[kept++] = rows->contact[c];
    rows->ncontact = kept;
    return TAC_OK;
}

/* Joins the report of this problem to the reports of the problems before it in the step. */
static void report(tacFlight *f, const tacLcp *lcp) {
    tacStepInfo before = f->ctx->info, *info = &f->ctx->info;
    tac_lcp_report(f->ctx->model, lcp, f->ctx->quiet, info);
    if (lcp->impact) {
        info->start = before.start;
        info->violation = before.violation;
    }
    f->unsolved |= lcp->unsolved > 0;
    info->contacts += before.contacts;
    info->sticking += before.sticking;
    info->sliding += before.sliding;
    info->iterations += before.iterations;
    info->reason = before.reason;
    info->impacts = before.impacts;
    info->impact_time = before.impact_time;
    info->residual = tac_max(info->residual, before.residual);
    info->class_margin = tac_min(info->class_margin, before.class_margin);
    info->restitution_share = tac_min(info->restitution_share, before.restitution_share);
    info->feature_margin = tac_min(info->feature_margin, before.feature_margin);
    info->active_set = tac_hash(&info->active_set, sizeof info->active_set, before.active_set);
}

static int same_feature(const tacFeature *a, const tacFeature *b) {
    return a->kind == b->kind && a->id[0] == b->id[0] && a->id[1] == b->id[1];
}

/* Number of the row that the problem before had for the contact; -1: none. */
static int last_row(const tacFlight *f, const tacContact *c) {
    for (int k = 0; k < f->nlast; k++) {
        const tacContact *l = &f->last[k];
        if (l->geom[0] == c->geom[0] && l->geom[1] == c->geom[1] && same_feature(&l->clip, &c->clip) &&
            same_feature(&l->feature[0], &c->feature[0]) && same_feature(&l->feature[1], &c->feature[1]))
            return k;
    }
    return -1;
}

/* 1: the problem before had a row for the contact. That row did not approach, so an approach now comes from
 * rotation. */
static int was_row(const tacFlight *f, const tacContact *c) { return last_row(f, c) >= 0; }

/* Rows of contacts that the kick had a force in. */
static void find_pressed(const tacFlight *f, tacLcp *lcp) {
    for (int k = 0; k < lcp->rows.n; k++)
        lcp->pressed[k] = 0;
    for (int c = 0; c < lcp->rows.ncontact; c++) {
        int last = last_row(f, &lcp->rows.contact[c]);
        lcp->pressed[lcp->rows.first_row[c]] = last >= 0 && f->pressed[last] > 0;
    }
}

/* Trees that the kick has forces between. */
static void note_joined(tacFlight *f, const tacLcp *lcp) {
    for (int b = 0; b < f->ctx->model->nbody; b++)
        f->joined[b] = b;
    for (int k = 0; k < lcp->rows.n; k++)
        if (lcp->f[k] != 0) tac_lcp_join_trees(f->ctx->model, &lcp->rows, &lcp->rows.row[k], f->joined);
}

/* The pairs of geoms of the rows in f->last, each once. */
static void note_pairs(tacFlight *f) {
    f->npairs = 0;
    for (int c = 0; c < f->nlast; c++) {
        const int *geom = f->last[c].geom, *before = f->pairs + 2 * (f->npairs - 1);
        if (f->npairs > 0 && before[0] == geom[0] && before[1] == geom[1]) continue;
        memcpy(f->pairs + 2 * f->npairs++, geom, 2 * sizeof *geom);
    }
}

tacStatus tac_flight_solve(tacFlight *f, const double *v_free, int impact, tacLcp *lcp) {
    tacContext *ctx = f->ctx;
    const tacModel *m = ctx->model;
    if (!tac_lcp_layout(lcp, m, &ctx->options, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    Margins margin = {TAC_INFINITY, TAC_INFINITY};
    lcp->toi = 1;
    lcp->impact = impact;
    lcp->target = TAC_TOI_GAP;
    lcp->span = f->left;
    lcp->touch = TAC_TOI_TOUCH;
    lcp->met = impact ? f->met : NULL;
    lcp->truth = impact && f->nheld > 0 ? f->truth : NULL;
    lcp->late = f->undone;
    lcp->undo = f->undo;
    lcp->joined = lcp->truth == NULL ? NULL : f->joined;
    TAC_TRY(find_touching(f, lcp, &margin));
    tac_rows_find(m, &ctx->work, f->x, v_free, ctx->options.dt, &lcp->rows);
    TAC_TRY(tac_lcp_predict(ctx, f->x, f->u, lcp));
    tac_rows_weigh(m, &ctx->work, &lcp->rows, f->scratch);
    tac_lcp_setup(m, lcp, ctx->options.dt);
    double share = (ctx->options.dt - f->left) / ctx->options.dt - 0.5;
    for (int i = 0; i < m->nv; i++)
        f->lag[i] = share * f->kick[i];
    tac_lcp_bounce(m, lcp, f->x + m->nq, impact ? f->lag : NULL, ctx->options.bounce_speed);
    for (int c = 0; impact && c < lcp->rows.ncontact; c++)
        if (has_met(f, lcp->rows.contact[c].geom) && was_row(f, &lcp->rows.contact[c]))
            tac_lcp_hop(lcp, c, f->x + m->nq);
    if (lcp->truth != NULL) find_pressed(f, lcp);
    TAC_TRY(tac_lcp_solve(m, lcp, v_free, &ctx->arena));
    lcp->bounce_margin = tac_min(lcp->bounce_margin, margin.rate);
    for (int c = 0; c < lcp->rows.ncontact; c++) {
        f->last[c] = lcp->rows.contact[c];
        f->pressed[c] = impact ? 0 : lcp->f[lcp->rows.first_row[c]];
    }
    f->nlast = lcp->rows.ncontact;
    note_pairs(f);
    if (!impact) note_joined(f, lcp);
    report(f, lcp);
    ctx->info.feature_margin = tac_min(ctx->info.feature_margin, margin.dist);
    return TAC_OK;
}

static void measure_find_touching(const tacModel *m, tacArena *dry) {
    TAC_SCOPE(dry);
    velocities_layout(m, dry);
    tac_measure_find_contacts(m, dry);
}

void tac_flight_measure_solve(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tacLcp lcp;
    tac_lcp_layout(&lcp, m, options, dry);
    measure_find_touching(m, dry);
    tac_lcp_measure_predict(m, dry);
    tac_lcp_measure_solve(m, options, dry);
}
