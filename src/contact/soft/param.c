/* Derivatives of a constraint's own numbers by a parameter (docs/theory/soft.md, Z10, Z11): impedance by solref and
 * solimp, regularization by weights, impratio and friction, losses, margins. */
#include "contact/soft/problem.h"

#include "math/scalar.h"

#include <string.h>

/* --- What a contact has of its geoms ------------------------------------------------------------------------------ */

/* Derivative of the larger (sign 1) or smaller (-1) of two numbers by one of them. Equal numbers get half each: the
 * mean of both sides of the kink. */
static double choice(const double *a, const double *b, double sign, const double *number) {
    double difference = sign * (*a - *b);
    return difference == 0 ? 0.5 * ((number == a) + (number == b)) : number == (difference > 0 ? a : b);
}

/* mix = x/(x + y) */
static double mix_change(const tacModel *m, int a, int b, const double *number) {
    double x = m->geom_solmix[a], y = m->geom_solmix[b], sum = x + y;
    if (m->geom_priority[a] != m->geom_priority[b] || x < TAC_SOFT_LEAST_R || y < TAC_SOFT_LEAST_R) return 0;
    return ((number == m->geom_solmix + a) * y - (number == m->geom_solmix + b) * x) / (sum * sum);
}

static void mix_geoms_change(const tacModel *m, int a, int b, const double *number, tacContactSoftness *d) {
    int average, pa = m->geom_priority[a], pb = m->geom_priority[b];
    double mix = tac_contact_mix(m, a, b, &average), dmix = mix_change(m, a, b, number), friction[3];
    const double *ra = m->geom_solref + 2 * a, *rb = m->geom_solref + 2 * b;
    const double *ia = m->geom_solimp + 5 * a, *ib = m->geom_solimp + 5 * b;
    const double *fa = m->geom_friction + 3 * a, *fb = m->geom_friction + 3 * b;
    for (int i = 0; i < 2; i++)
        d->solref[i] = average ? mix * (number == ra + i) + (1 - mix) * (number == rb + i) + dmix * (ra[i] - rb[i])
                               : choice(ra + i, rb + i, -1, number);
    for (int i = 0; i < 5; i++)
        d->solimp[i] = mix * (number == ia + i) + (1 - mix) * (number == ib + i) + dmix * (ia[i] - ib[i]);
    for (int i = 0; i < 3; i++)
        friction[i] = pa != pb ? number == (pa > pb ? fa : fb) + i : choice(fa + i, fb + i, 1, number);
    const int from[5] = {0, 0, 1, 2, 2};
    for (int i = 0; i < 5; i++)
        d->friction[i] = friction[from[i]];
}

static tacContactSoftness contact_change(const tacModel *m, const tacContact *c, const double *number) {
    tacContactSoftness d = {{0}, {0}, {0}, {0}}, s = tac_contact_softness(m, c);
    if (*m->option_enable & TAC_ENABLE_OVERRIDE) return d;
    if (c->pair < 0) mix_geoms_change(m, c->geom[0], c->geom[1], number, &d);
    for (int i = 0; i < 5 && c->pair >= 0; i++) {
        if (i < 2) d.solref[i] = number == m->pair_solref + 2 * c->pair + i;
        if (i < 2) d.solreffriction[i] = number == m->pair_solreffriction + 2 * c->pair + i;
        d.solimp[i] = number == m->pair_solimp + 5 * c->pair + i;
        d.friction[i] = number == m->pair_friction + 5 * c->pair + i;
    }
    for (int i = 0; i < 5; i++)
        if (s.friction[i] <= TAC_SOFT_LEAST_MU) d.friction[i] = 0;
    return d;
}

static double margin_change(const tacModel *m, const tacContact *c, const double *number) {
    if (*m->option_enable & TAC_ENABLE_OVERRIDE) return 0;
    if (c->pair >= 0) return number == m->pair_margin + c->pair;
    return (number == m->geom_margin + c->geom[0]) + (number == m->geom_margin + c->geom[1]);
}

/* --- Blocks ------------------------------------------------------------------------------------------------------- */

/* One block and one parameter. */
typedef struct Place {
    const tacSoftPoint *p;
    const tacSoftBlock *b;
    const tacParamTangent *t;
    const double *number;
} Place;

static tacImpedance softness_change(const Place *at, const double *solref, const double *solimp, const double *dref,
                                    const double *dimp) {
    double shortest = tac_soft_shortest(at->p->m, at->p->h);
    tacSoftness d, s = tac_soft_clamp(solref, solimp, shortest);
    memcpy(d.solref, dref, sizeof d.solref);
    memcpy(d.solimp, dimp, sizeof d.solimp);
    d.piece = s.piece = at->b->piece;
    d = tac_soft_clamp_jvp(solref, solimp, shortest, &d);
    if (tac_param_is_time(at->t) && s.solref[0] > 0 && s.solref[0] == shortest) d.solref[0] = shortest / at->p->h;
    return tac_soft_impedance_jvp(&s, at->b->r, at->b->kind != TAC_SOFT_LOSS, &d);
}

/* d(log R) of row i, R = (1 - d)/d weight */
static double log_R_change(const Place *at, int i, double dd) {
    const tacSoftPoint *p = at->p;
    const tacModel *m = p->m;
    tacInverseWeights now = {m->dof_invweight, m->body_invweight, m->tendon_invweight};
    tacInverseWeights change = {at->t->dof_weight, at->t->body_weight, at->t->tendon_weight};
    double d = at->b->z.d, moved = tac_soft_weight(m, &p->soft->rows, at->b->row + i, change), log_weight = 0;
    if (at->b->held & 1 << i) return 0;
    if (moved != 0) log_weight = moved / tac_soft_weight(m, &p->soft->rows, at->b->row + i, now);
    return log_weight - dd / (d * (1 - d));
}

/* Pyramid: D = 1/(2 mu^2 R), R with the weight (1 + mu_1^2) A. Elliptic: D_0 = 1/R, D_k = mu_k^2 impratio/(mu_1^2
 * R). */
static void contact_numbers(const Place *at, tacSoftChange *d) {
    const tacModel *m = at->p->m;
    const tacSoftBlock *b = at->b;
    const tacContact *c = &at->p->soft->rows.contact[at->p->soft->rows.row[b->row].id];
    tacContactSoftness s = tac_contact_softness(m, c), ds = contact_change(m, c, at->number);
    d->z = softness_change(at, s.solref, s.solimp, ds.solref, ds.solimp);
    d->slip = b->own ? softness_change(at, s.solreffriction, s.solimp, ds.solreffriction, ds.solimp).B : d->z.B;
    d->r = -margin_change(m, c, at->number);
    double log_R = log_R_change(at, 0, d->z.d), mu = b->friction[0], dmu = ds.friction[0];
    double log_ratio =
        at->number == m->option_impratio && *m->option_impratio > TAC_SOFT_LEAST_R ? 1 / *m->option_impratio : 0;
    memcpy(d->friction, ds.friction, sizeof d->friction);
    d->log_D[0] = -log_R;
    if (b->n == 1) return;
    d->mu = b->mu * (dmu / mu - 0.5 * log_ratio);
    for (int k = 1; k < b->n; k++)
        d->log_D[k] = 2 * (ds.friction[k - 1] / b->friction[k - 1] - dmu / mu) + log_ratio - log_R;
    if (b->kind != TAC_SOFT_PYRAMID) return;
    double edge = b->held ? 0 : 2 * mu * dmu / (1 + mu * mu);
    for (int k = 0; k < b->n; k++)
        d->log_D[k] = -2 * d->mu / b->mu - log_R - edge;
}

static void other_numbers(const Place *at, tacSoftChange *d) {
    const tacSoftBlock *b = at->b;
    tacSoftNumbers n = tac_soft_numbers(at->p->m, &at->p->soft->rows.row[b->row]);
    double dref[2], dimp[5];
    for (int i = 0; i < 5; i++) {
        if (i < 2) dref[i] = at->number == n.solref + i;
        dimp[i] = at->number == n.solimp + i;
    }
    d->z = softness_change(at, n.solref, n.solimp, dref, dimp);
    d->slip = d->z.B;
    d->r = n.margin != NULL && at->number == n.margin ? -1 : 0;
    d->loss = n.loss != NULL && at->number == n.loss;
    for (int i = 0; i < b->n; i++)
        d->log_D[i] = -log_R_change(at, i, d->z.d);
}

/* --- Emission ----------------------------------------------------------------------------------------------------- */

/* Emits -J^T df over dofs, and df on bodies. */
static void emit_force(const Place *at, int k, double df, int column, const tacSoftSink *sink) {
    const tacRows *rows = &at->p->soft->rows;
    tacRowWrench unit;
    tac_emit(&sink->part, k, column, df);
    for (int e = rows->row[k].adr; e < rows->row[k].adr + rows->row[k].num; e++)
        tac_emit(&sink->force, rows->dof[e], column, -rows->J[e] * df);
    if (tac_sink_is_empty(&sink->wrench) || !tac_row_wrench(at->p->m, at->p->w, rows, k, &unit)) return;
    for (int side = 0; side < 2; side++)
        tac_emit_wrench(&sink->wrench, unit.body[side], column, tac_scale6(df, unit.wrench[side]));
}

/* y = J a + B J v + K d r:  dy = dB J v + d(K d) r, plus K d(d r) from the margin. */
static void emit_block(const Place *at, const tacSoftChange *d, int column, const tacSoftSink *sink) {
    const tacSoft *soft = at->p->soft;
    const tacSoftBlock *b = at->b;
    double df[TAC_SOFT_MOST_ROWS], pull = d->z.K * b->z.d + b->z.K * d->z.d;
    tac_soft_force_change(b, soft->D + b->row, soft->y + b->row, soft->f + b->row, d, df);
    for (int i = 0; i < b->n; i++) {
        double dy = pull * tac_soft_row_error(b, &soft->rows.row[b->row], i);
        double damping = i == 0 ? d->z.B : d->slip;
        if (damping != 0) dy += damping * tac_row_velocity(&soft->rows, b->row + i, at->p->x->v);
        if (i == 0) dy += tac_soft_pull_rate(b) * d->r;
        if (dy != 0) tac_emit(&sink->row, b->row + i, column, dy);
        if (df[i] != 0) emit_force(at, b->row + i, df[i], column, sink);
    }
    if (d->r != 0) tac_emit(&sink->pos, b->row, column, d->r);
}

void tac_soft_numbers_jac(const tacSoftPoint *p, const tacSoftSink *theta, const tacParamTangent *tangents) {
    for (int id = 0; id < p->soft->nblock; id++) {
        Place at = {.p = p, .b = &p->soft->block[id]};
        int contact = p->soft->rows.row[at.b->row].kind == TAC_ROW_CONTACT;
        if (tac_soft_is_idle(at.b) && !p->idle) continue;
        for (int k = 0; k < p->m->nmember; k++) {
            tacSoftChange d = {.r = 0};
            at.t = &tangents[k];
            at.number = tac_param_at(p->m, at.t->field, at.t->index);
            if (contact)
                contact_numbers(&at, &d);
            else
                other_numbers(&at, &d);
            emit_block(&at, &d, at.t->column, theta);
        }
    }
}
