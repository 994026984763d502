/* What counts as closed of contacts and limits that q breaks   (docs/theory/ncp.md, W47-W49). */
#include "step_laws.h"

#include <math.h>

/* Y, e, and the arm of what turns. */
#define YIELD  3e-3
#define BEYOND 1e-3
#define ARM    0.3

double step_laws_rest(const StepLaws *l, double gap, double speed) {
    return fmin(0, gap + speed * l->scene->options.dt);
}

/* (t - psi)(A - psi) = e t */
static double psi(double t) {
    double A = 1 + 2 * BEYOND, sum = t + A;
    return 0.5 * (sum - sqrt(sum * sum - 4 * t * (A - BEYOND)));
}

double step_laws_gives(const StepLaws *l, const BrokenGap *g, double impulse) {
    double way = l->scene->options.dt * g->speed;
    if (!l->infeasible || !(g->gap < 0)) return 0;
    return fmin(-g->gap, way) * psi(impulse * YIELD * g->inverse_mass / way);
}

/* The impulse with impulse (gap + y) = kappa U: the larger, the less gap there is. */
double step_laws_most(const StepLaws *l, const BrokenGap *g, double gap) {
    double low = 0, high = 1;
    if (!l->infeasible || !(g->gap < 0)) return step_laws_push(l, gap);
    while (high < 1e12 && step_laws_push(l, gap + step_laws_gives(l, g, high)) > high)
        high *= 2;
    if (!(high < 1e12)) return (double)INFINITY;
    for (int i = 0; i < 100; i++) {
        double mean = 0.5 * (low + high);
        if (step_laws_push(l, gap + step_laws_gives(l, g, mean)) > mean)
            low = mean;
        else
            high = mean;
    }
    return high;
}

/* --- Masses ------------------------------------------------------------------------------------------------------- */

static double inverse(const tacModel *m, int body) {
    double mass = m->body_subtree_mass[m->body_root[body]];
    return step_laws_still(m, body) || !(mass > 0) ? 0 : 1 / mass;
}

double step_laws_inverse_mass(const tacModel *m, const tacContact *c) {
    return inverse(m, m->geom_body[c->geom[0]]) + inverse(m, m->geom_body[c->geom[1]]);
}

BrokenGap step_laws_joint_gap(const tacModel *m, int joint, double gap) {
    int body = m->joint_body[joint], turns = m->joint_type[joint] != TAC_JOINT_SLIDE;
    return (BrokenGap){gap, LAW_CORRECTION, inverse(m, body) / (turns ? ARM * ARM : 1)};
}

BrokenGap step_laws_tendon_gap(const tacModel *m, int tendon, double gap) {
    int body = m->joint_body[m->term_joint[m->tendon_term_adr[tendon]]];
    return (BrokenGap){gap, LAW_CORRECTION, inverse(m, body)};
}

/* --- Infeasible starts -------------------------------------------------------------------------------------------- */

/* Told at once, or only as it is broken still at q+. */
static void note(StepLaws *l, double gap, double speed, int pushed, double next) {
    double h = l->scene->options.dt;
    l->infeasible |= gap < -h * speed || (pushed && gap < -LAW_GAP) || (gap < -LAW_GAP && next < -LAW_GAP);
}

static void note_joint(StepLaws *l, int j, const double *x, const double *y) {
    const tacModel *m = l->scene->model;
    const double *range = m->joint_range + 2 * j;
    int q = m->joint_qpos_adr[j];
    if (m->joint_type[j] == TAC_JOINT_BALL) {
        double most = fmax(range[0], range[1]), a = step_laws_ball_gap(most, x + q),
               b = step_laws_ball_gap(most, y + q);
        note(l, a, LAW_CORRECTION, 0, b);
        return;
    }
    note(l, x[q] - range[0], LAW_CORRECTION, 0, y[q] - range[0]);
    note(l, range[1] - x[q], LAW_CORRECTION, 0, range[1] - y[q]);
}

/* The deepest touch of two geoms at q+. */
static double deepest_next(const StepLaws *l, const tacContact *c) {
    double deepest = 0;
    for (int i = 0; i < l->ntouch[1]; i++) {
        const tacContact *t = &l->touch[1][i];
        if (t->geom[0] == c->geom[0] && t->geom[1] == c->geom[1]) deepest = fmin(deepest, t->dist);
    }
    return deepest;
}

void step_laws_start(StepLaws *l, const double *x, const double *y) {
    const tacModel *m = l->scene->model;
    l->infeasible = 0;
    for (int j = 0; j < m->njnt; j++)
        if (m->joint_limited[j] && m->joint_type[j] != TAC_JOINT_FREE) note_joint(l, j, x, y);
    for (int t = 0; t < m->ntendon; t++) {
        const double *range = m->tendon_range + 2 * t;
        if (!m->tendon_limited[t] || m->tendon_type[t] != TAC_TENDON_FIXED) continue;
        note(l, l->tendon[0][t] - range[0], LAW_CORRECTION, 0, l->tendon[1][t] - range[0]);
        note(l, range[1] - l->tendon[0][t], LAW_CORRECTION, 0, range[1] - l->tendon[1][t]);
    }
    for (int i = 0; i < l->ntouch[0]; i++) {
        const tacContact *c = &l->touch[0][i];
        if (step_laws_may_part(m, c))
            note(l, c->dist, step_laws_parting_speed(m, c), step_laws_pushed(m, c), deepest_next(l, c));
    }
}
