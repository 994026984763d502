/* Reports of a solved problem. */
#include "contact/ncp/report.h"

#include "contact/ncp/contact.h"
#include "math/scalar.h"
#include "tactus/tactus.h"

/* A friction impulse within this share of its bound counts as sliding. */
#define AT_BOUND 1e-3

double tac_ncp_mean_mass(const tacNcp *p) {
    double sum = 0;
    int count = 0;
    for (int b = 1; b < p->m->nbody; b++)
        if (!p->ldu.still[b]) {
            sum += p->m->body_mass[b];
            count++;
        }
    return sum > 0 ? sum / count : 1;
}

/* 1: the contact is active. On the central path every contact has some impulse; it is active where the impulse exceeds
 * the gap in their own units. */
static int is_active(const tacNcp *p, const tacNcpContact *c, double mass) {
    return c->friction.gamma * p->h > mass * c->friction.s;
}

/* 1: it is violated at an infeasible start   (W47). */
static int yields(const tacNcpGapBound *c) { return c->yield.way > 0; }

/* Hashes the features, whether the bound follows the gap at q, and whether they touch at q. */
static uint64_t hash_contact(const tacNcpContact *contact, uint64_t hash) {
    const tacContact *c = &contact->feature.found;
    const tacFeature *f = c->feature;
    int follows = (contact->law.bound.rest < 0) + 2 * (contact->law.bounce > 0) + 8 * (contact->friction.soft > 0) +
                  4 * (contact->impulse.rule != TAC_NCP_PLACE_NEXT) + 16 * yields(&contact->law.bound) +
                  32 * (contact->law.bounce < contact->law.restitution);
    int words[14] = {c->geom[0], c->geom[1], c->pair,    (int)c->rule, f[0].kind,     f[0].id[0],    f[0].id[1],
                     f[1].kind,  f[1].id[0], f[1].id[1], c->clip.kind, c->clip.id[0], c->clip.id[1], follows};
    return tac_hash(words, sizeof words, hash);
}

static tacContactState state_of(const tacNcp *p, const tacNcpContact *c, double mass) {
    if (!is_active(p, c, mass)) return TAC_CONTACT_OPEN;
    return c->friction.mu > 0 && tac_friction_share(&c->friction) > 1 - AT_BOUND ? TAC_CONTACT_SLIDING
                                                                                 : TAC_CONTACT_STICKING;
}

void tac_ncp_contact_forces(const tacNcp *p, tacContactForce *out) {
    double mass = tac_ncp_mean_mass(p);
    for (int i = 0; i < p->ncontact; i++) {
        const tacNcpContact *c = &p->contact[i];
        tacVec3 u = tac_ncp_slip(p, c), tangent[2];
        tac_contact_frame(c->next.contact.normal, &tangent[0], &tangent[1]);
        if (c->law.steady_frame) {
            tangent[0] = c->next.contact.tangent[0];
            tangent[1] = c->next.contact.tangent[1];
        }
        out[i] = (tacContactForce){.contact = c->now.touches ? c->now.contact : c->next.contact,
                                   .state = state_of(p, c, mass),
                                   .margin = TAC_INFINITY};
        out[i].force[0] = c->friction.gamma / p->h;
        out[i].velocity[0] = tac_dot3(c->next.contact.normal, u);
        for (int k = 0; k < 2 && c->friction.mu > 0; k++) {
            out[i].force[1 + k] = c->law.tangent_scale[k] * c->friction.xi[1 + k] / p->h;
            out[i].velocity[1 + k] = tac_dot3(tangent[k], u);
        }
    }
}

/* Distance of a gap at q from the depth where its bound begins to follow it   (W11), and at an infeasible start from
 * where the bound begins to yield   (W50). */
static double start_margin(const tacNcp *p, double gap, double speed) {
    double margin = tac_abs(gap + p->h * speed);
    return p->infeasible ? tac_min(margin, tac_abs(gap)) : margin;
}

/* Distance of the approach since the pose before from the threshold of restitution   (W35). */
static double bounce_margin(const tacNcp *p, const tacNcpContact *c) {
    if (!(tac_contact_restitution(p->m, &c->feature.found) > 0)) return TAC_INFINITY;
    double d = c->before.contact.dist - c->feature.found.dist;
    return tac_min(tac_abs(d - p->h * p->bounce_speed), tac_abs(d - c->feature.found.dist));
}

/* Reports a row. Whether its bound follows the gap at q is part of the active set. */
static void report_row(const tacNcp *p, const tacNcpRow *row, tacStepInfo *info) {
    int moves = (row->rest != 0) + 2 * (row->soft > 0) + 4 * yields(&row->bound);
    int words[4] = {(int)row->of.kind, row->of.id, row->of.axis, moves};
    double margin = TAC_INFINITY;
    if (row->law == TAC_NCP_PAIR) margin = start_margin(p, row->of.pos, TAC_NCP_CORRECTION);
    if (row->law == TAC_NCP_HELD) margin = tac_abs(tac_abs(row->of.pos) - p->h * TAC_NCP_CLOSING);
    info->active_set = tac_hash(words, sizeof words, info->active_set);
    info->feature_margin = tac_min(info->feature_margin, margin);
}

/* Margins are those of all contacts. On the central path each contact acts, near or far, and none has a class or a
 * bound that its force could reach. */
void tac_ncp_report(const tacNcp *p, tacStepInfo *info) {
    double mass = tac_ncp_mean_mass(p);
    info->class_margin = info->feature_margin = info->force_margin = TAC_INFINITY;
    info->restitution_share = 1;
    for (int k = 0; k < p->rows.n; k++)
        report_row(p, &p->rows.row[k], info);
    for (int i = 0; i < p->ncontact; i++) {
        const tacNcpContact *c = &p->contact[i];
        info->active_set = hash_contact(c, info->active_set);
        if (c->law.restitution > 0)
            info->restitution_share = tac_min(info->restitution_share, c->law.bounce / c->law.restitution);
        info->feature_margin = tac_min(info->feature_margin, c->feature.found.switch_margin);
        double parting = tac_ncp_parting_speed(p->m, c->body);
        info->feature_margin = tac_min(info->feature_margin, start_margin(p, c->now.start.dist, parting));
        if (tac_ncp_pushes(p->m, c->body))
            info->feature_margin = tac_min(info->feature_margin, tac_abs(c->now.start.dist));
        info->feature_margin = tac_min(info->feature_margin, bounce_margin(p, c));
        tacContactState state = state_of(p, c, mass);
        if (state == TAC_CONTACT_OPEN) continue;
        info->contacts++;
        info->sliding += state == TAC_CONTACT_SLIDING;
        info->sticking += c->friction.mu > 0 && state == TAC_CONTACT_STICKING;
    }
}

/* m, rad: violation of a row at q; of a ball by its angle, not by its gap (W30). */
static double row_violation(const tacNcp *p, const tacNcpRow *row) {
    if (!tac_ncp_row_is_ball(p, row)) return tac_row_violation(&row->of);
    tacVec3 phi = tac_ncp_ball_turn(p->m, row->of.id, p->q);
    return tac_max(0, tac_norm3(phi) - tac_ncp_ball_range(p->m, row->of.id));
}

void tac_ncp_report_start(const tacNcp *p, tacStepInfo *info) {
    tacViolation most = {0};
    for (int k = 0; k < p->rows.n; k++) {
        tacNcpRow *row = &p->rows.row[k];
        int held = row->law == TAC_NCP_HELD && !tac_row_is_driven(p->m, &(tacRows){.row = &row->of}, 0);
        if (held || row->law == TAC_NCP_PAIR) tac_note_violation(row_violation(p, row), &row->of, NULL, &most);
    }
    for (int i = 0; i < p->ncontact; i++) {
        const tacContact *c = &p->contact[i].now.start;
        tacRow row = {.kind = TAC_ROW_CONTACT, .id = i, .pos = c->dist};
        tac_note_violation(tac_row_violation(&row), &row, c->geom, &most);
    }
    tac_report_start(&most, info);
}
