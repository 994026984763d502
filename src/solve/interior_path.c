/* Newton's method on the central path   (docs/theory/ncp.md, W14a). a o b = kappa unit e holds to rounding at every
 * iterate, because the problem projects trial points to the path. So no border limits a step, and only E is left to
 * solve while kappa falls to its target. */
#include "solve/interior_run.h"

#include "math/scalar.h"

/* (E/E_0)^2 is comparable with kappa/kappa_0: on the path a . b is kappa, and |E|^2 has the same unit   (W14c). */
static double share_of_residual(const tacInteriorRun *r) {
    double share = r->norm / r->first_norm;
    return share * share;
}

double tac_path_merit(const tacInteriorRun *r, double kappa) {
    return share_of_residual(r) + (kappa - r->s->kappa) / r->first_kappa;
}

/* kappa after alpha times the step: exactly `to` after all of it. Where steps are blocked it rises, and all at once: no
 * border is in its way. */
static double kappa_after(const tacInteriorRun *r, double alpha, double to) {
    return alpha >= 1 || to > r->kappa ? to : r->kappa + alpha * (to - r->kappa);
}

/* Tries alpha times the step, on the path between kappa and `to`. Returns the merit; infinite: E is undefined there. */
static double try_step(tacInteriorRun *r, double alpha, double to) {
    double kappa = kappa_after(r, alpha, to), violation;
    tac_run_set_trial(r, alpha);
    tacInteriorTrial trial = {r->trial_x, kappa, 1 - alpha};
    tacStatus status = r->p->project(r->p->user, &trial, r->trial_a, r->trial_b, &violation);
    if (status != TAC_OK || !tac_finite(violation)) return TAC_INFINITY;
    tac_run_note_residual(r, violation);
    return tac_path_merit(r, kappa);
}

/* Largest merit of the last steps. Where a contact begins to slide, or to stick, the linear equations are those of its
 * other state, and E may grow for a step or two before it falls fast   [Grippo1986]. */
static double largest_merit(const tacInteriorRun *r) {
    double most = 0;
    for (int k = 0; k < r->steps && k < TAC_STALL_WINDOW; k++)
        most = tac_max(most, r->past[k]);
    return most;
}

/* Takes the step whole, or the first of a few shorter ones, where the merit falls as it should: a whole step may lead
 * from one way of sliding to the other and back for ever. Else the best of them, if the merit grows again after it;
 * else the longest that leads to no larger merit than one of the last steps did. */
double tac_path_line_search(tacInteriorRun *r, double to) {
    double before = tac_path_merit(r, r->kappa), most = largest_merit(r), best = TAC_INFINITY;
    double found = 0, allowed = 0, alpha = 1;
    for (int k = 0; k <= TAC_MAX_SHORTENINGS; k++, alpha *= 0.5) {
        double now = try_step(r, alpha, to);
        if (now <= TAC_PROGRESS * before) return alpha;
        if (now < best) {
            best = now;
            found = alpha;
        }
        if (allowed == 0 && now <= most) allowed = alpha;
        if (allowed > 0 && k >= TAC_TRIES) {
            found = allowed;
            break;
        }
        if (best < now && best < before) break;
    }
    return found > 0 && try_step(r, found, to) < TAC_INFINITY ? found : 0;
}

/* 1: E is within its tolerance if it falls by the same share once more. */
static int falls_within(const tacInteriorRun *r, double before) {
    return r->at->violation * r->at->violation <= r->s->residual * before;
}

/* c = to unit e - a o b. Steps end on the path, where the product is known; a search may begin elsewhere. */
void tac_path_right_side(const tacInteriorRun *r, double to) {
    if (r->steps <= 1) {
        tac_run_right_side(r, to, 0);
        return;
    }
    for (int c = 0, adr = 0; c < r->p->ncone; adr += r->p->dim[c++]) {
        r->c[adr] = (to - r->kappa) * r->p->unit[c];
        for (int i = 1; i < r->p->dim[c]; i++)
            r->c[adr + i] = 0;
    }
}

void tac_path_note_step(tacInteriorRun *r, double length, double to, double before) {
    r->kappa = kappa_after(r, length, to);
    r->at->centring = tac_abs(r->kappa / r->s->kappa - 1);
    r->again = length >= 1 && r->kappa <= r->s->kappa && falls_within(r, before);
}

int tac_path_step_again(tacInteriorRun *r) {
    double violation = r->at->violation, to = r->s->kappa;
    r->again = 0;
    tac_path_right_side(r, to);
    if (!tac_run_find_direction(r)) return 0;
    if (try_step(r, 1, to) < TAC_INFINITY && r->at->violation < violation) {
        tac_run_accept(r);
        tac_path_note_step(r, 1, to, violation);
        r->geometric_share = tac_run_next_geometric_share(r, 1, violation);
        return 1;
    }
    if (r->p->residual(r->p->user, r->at->x, r->at->a, r->at->b, &violation) != TAC_OK)
        return 0; /* cannot be: it was defined here */
    tac_run_note_residual(r, violation);
    return 0;
}

void tac_path_begin(tacInteriorRun *r, double kappa) {
    r->on_path = 1;
    r->kappa = tac_max(kappa, r->s->kappa);
    r->first_kappa = tac_max(r->first_mean, r->s->kappa);
    r->steps = 0;
    r->length = 1;
}
