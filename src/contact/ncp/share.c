/* The shares of restitution at which impacts give no energy   (docs/theory/ncp.md, W51). */
#include "contact/ncp/share.h"

#include "contact/ncp/wrench.h"
#include "solve/falling_root.h"

/* Of the powers' sizes: E that is nearer to zero than this is zero but for the solver's rounding. */
#define ENERGY_ROUNDING 1e-12
/* Most solves of a search: E is smooth, and a parabola nearly. */
#define MOST_SOLVES 40

/* E of all sets of bodies that touch, by their first tree. */
typedef struct Energies {
    double *wrench, *qfrc;   /* 6 nbody, nv */
    double *E, *size;        /* nbody: size of the powers in it */
    int *state;              /* nbody: of the search */
    double *theta;           /* nbody */
    tacFallingRoot *bracket; /* nbody */
} Energies;

enum { WHOLE, SEARCHED, FOUND };

static int layout(Energies *e, const tacModel *m, tacArena *arena) {
    double **reals[] = {&e->E, &e->size, &e->theta};
    int ok = 1;
    e->wrench = TAC_TAKE(arena, 6 * (size_t)m->nbody, double);
    e->qfrc = TAC_TAKE(arena, m->nv, double);
    for (int i = 0; i < 3; i++)
        ok &= (*reals[i] = TAC_TAKE(arena, m->nbody, double)) != NULL;
    e->state = TAC_TAKE(arena, m->nbody, int);
    e->bracket = TAC_TAKE(arena, m->nbody, tacFallingRoot);
    return ok && e->wrench && e->qfrc && e->state && e->bracket;
}

void tac_ncp_measure_limit_bounces(const tacModel *m, tacArena *dry) {
    Energies e;
    layout(&e, m, dry);
}

/* --- Bodies that touch -------------------------------------------------------------------------------------------- */

int tac_ncp_tree(const tacNcp *p, int body) {
    int tree = p->m->body_root[body];
    while (p->tree[tree] != tree)
        tree = p->tree[tree];
    return tree;
}

/* Trees with a contact between them are one. */
static void join_trees(tacNcp *p) {
    for (int b = 0; b < p->m->nbody; b++)
        p->tree[b] = b;
    for (int i = 0; i < p->ncontact; i++) {
        const int *body = p->contact[i].body;
        if (p->ldu.still[body[0]] || p->ldu.still[body[1]]) continue;
        int a = tac_ncp_tree(p, body[0]), b = tac_ncp_tree(p, body[1]);
        if (a != b) p->tree[a > b ? a : b] = a < b ? a : b;
    }
}

int tac_ncp_contact_tree(const tacNcp *p, const tacNcpContact *c) {
    return tac_ncp_tree(p, c->body[p->ldu.still[c->body[0]] ? 1 : 0]);
}

/* --- The search --------------------------------------------------------------------------------------------------- */

static void evaluate(tacNcp *p, const Energies *e) {
    const tacModel *m = p->m;
    join_trees(p);
    tac_ncp_forces(p, e->wrench, e->qfrc);
    for (int b = 0; b < m->nbody; b++)
        e->E[b] = e->size[b] = 0;
    for (int d = 0; d < m->nv; d++) {
        int tree = tac_ncp_tree(p, m->dof_body[d]);
        double Q = p->h * e->qfrc[d];
        e->E[tree] -= ((p->v[d] + p->x[d]) / 2 + TAC_NCP_SLACK * p->v[d]) * Q;
        e->size[tree] += (tac_abs(p->v[d]) + tac_abs(p->x[d])) / 2 * tac_abs(Q);
    }
}

static void set_shares(tacNcp *p, const Energies *e) {
    for (int i = 0; i < p->ncontact; i++) {
        tacNcpContact *c = &p->contact[i];
        int tree = tac_ncp_contact_tree(p, c);
        if (c->law.restitution > 0 && e->state[tree] != WHOLE) c->law.bounce = e->theta[tree] * c->law.restitution;
    }
}

/* Sets that give energy with their whole restitution. Returns their number. */
static int find_limited(tacNcp *p, const Energies *e) {
    int n = 0;
    evaluate(p, e);
    for (int b = 0; b < p->m->nbody; b++)
        e->state[b] = WHOLE;
    for (int i = 0; i < p->ncontact; i++) {
        int tree = tac_ncp_contact_tree(p, &p->contact[i]);
        if (!(p->contact[i].law.bounce > 0) || e->state[tree] != WHOLE) continue;
        if (!(e->E[tree] < -ENERGY_ROUNDING * e->size[tree])) continue;
        e->state[tree] = SEARCHED;
        e->theta[tree] = TAC_NCP_LEAST_SHARE;
        e->bracket[tree] = tac_falling_root(0, 0, 1, e->E[tree]);
        n++;
    }
    return n;
}

/* Solves with the shares in hand. *iterations counts systems. */
static tacStatus try_shares(tacContext *ctx, double kappa, tacNcp *p, const Energies *e, int *iterations) {
    set_shares(p, e);
    ctx->info.iterations = 0;
    tacStatus status = tac_ncp_solve(ctx, kappa, p);
    *iterations += ctx->info.iterations;
    if (status == TAC_OK) TAC_TRY(tac_ncp_refine(ctx, kappa, p));
    if (tac_went_on(status)) evaluate(p, e);
    for (int b = 0; status == TAC_ERR_UNSOLVED && b < p->m->nbody; b++)
        e->E[b] = -e->size[b]; /* as far as is known */
    return status;
}

/* Takes what a try has found for one set, and chooses its next share. first: the try was at the least share. */
static void advance(const Energies *e, int tree, int first) {
    tacFallingRoot *r = &e->bracket[tree];
    double E = e->E[tree], theta = e->theta[tree];
    if (first)
        *r = tac_falling_root(theta, E, 1, r->value[1]);
    else
        tac_falling_root_take(r, theta, E);
    double next = r->value[0] > 0 ? tac_falling_root_next(r) : theta;
    int used = !(next > r->at[0] && next < r->at[1]);
    if (used || tac_abs(E) <= ENERGY_ROUNDING * e->size[tree]) {
        e->state[tree] = FOUND;
        if (E < -ENERGY_ROUNDING * e->size[tree]) e->theta[tree] = r->at[0]; /* a jump: the side that gives no energy */
    } else {
        e->theta[tree] = next;
    }
}

tacStatus tac_ncp_limit_bounces(tacContext *ctx, double kappa, tacNcp *p) {
    TAC_SCOPE(&ctx->arena);
    Energies e;
    int iterations = ctx->info.iterations, left = 1;
    tacStatus status = TAC_OK;
    if (!layout(&e, p->m, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    p->limited = find_limited(p, &e);
    for (int k = 0; p->limited > 0 && left > 0 && k < MOST_SOLVES; k++) {
        status = try_shares(ctx, kappa, p, &e, &iterations);
        if (!tac_went_on(status)) return status;
        left = 0;
        for (int b = 0; b < p->m->nbody; b++) {
            if (e.state[b] != SEARCHED) continue;
            double tried = e.theta[b];
            advance(&e, b, k == 0);
            left += e.theta[b] != tried;
        }
    }
    ctx->info.iterations = iterations;
    return status;
}
