/* Controls and contact forces that together balance a pose. */
#include "optimize/hold.h"

#include "base/error.h"
#include "base/platform.h"
#include "math/dense.h"
#include "math/vec3.h"
#include "optimize/box_newton.h"

#include <string.h>

enum { ROUNDS = 8 };
/* Of |x|^2 against the largest diagonal entry of M'M, in each round relative to
 * the last solution. */
#define NEARNESS 1e-7
/* m: contacts this near count as touching. */
#define TOUCHING 2e-3

/* --- Cones
 * --------------------------------------------------------------------------------------------------------
 */

void tac_edges_friction(const tacModel *m, const tacContact *c, double mu[2]) {
    int a = c->geom[0], b = c->geom[1], pa = m->geom_priority[a], pb = m->geom_priority[b];
    int dim =
        pa != pb ? m->geom_condim[pa > pb ? a : b] : m->geom_condim[m->geom_condim[a] > m->geom_condim[b] ? a : b];
    double own =
        pa != pb ? m->geom_friction[3 * (pa > pb ? a : b)] : tac_max(m->geom_friction[3 * a], m->geom_friction[3 * b]);
    mu[0] = mu[1] = own;
    if (c->pair >= 0) {
        dim = m->pair_condim[c->pair];
        mu[0] = m->pair_friction[5 * c->pair];
        mu[1] = m->pair_friction[5 * c->pair + 1];
    }
    if (dim < 3) mu[0] = mu[1] = 0;
}

int tac_edges_layout(tacEdges *e, const tacModel *m, int max_contacts, tacArena *arena) {
    size_t most = (size_t)max_contacts, edges = TAC_MOST_EDGES * most, nv = (size_t)m->nv;
    e->contact = TAC_TAKE(arena, most, tacContact);
    e->of = TAC_TAKE(arena, edges, int);
    e->along = tac_arena_take(arena, edges * sizeof *e->along);
    e->G = TAC_TAKE(arena, nv * edges, double);
    e->jacp = TAC_TAKE(arena, 6 * nv, double);
    return e->jacp != NULL;
}

static void add_edges(tacEdges *e, const tacModel *m, int k) {
    double mu[2];
    tac_edges_friction(m, &e->contact[k], mu);
    if (mu[0] <= 0 && mu[1] <= 0) {
        e->of[e->nedge] = k;
        e->along[e->nedge][0] = 1;
        e->along[e->nedge][1] = e->along[e->nedge][2] = 0;
        e->nedge++;
        return;
    }
    for (int i = 0; i < TAC_MOST_EDGES; i++) {
        double *f = e->along[e->nedge], slope = mu[i / 2];
        e->of[e->nedge++] = k;
        f[0] = 1;
        f[1] = i / 2 == 0 ? (i % 2 ? -slope : slope) : 0;
        f[2] = i / 2 == 1 ? (i % 2 ? -slope : slope) : 0;
    }
}

/* Columns of G: the Jacobian of geom[1]'s point against geom[0]'s, transposed,
 * times the edge in the world. */
static tacStatus put_edges(tacEdges *e, const tacModel *m, tacSim *sim, const double *q) {
    size_t nv = (size_t)m->nv;
    int last = -1;
    for (int i = 0; i < e->nedge; i++) {
        const tacContact *c = &e->contact[e->of[i]];
        for (int side = 0; side < 2 && e->of[i] != last; side++)
            TAC_TRY(
                tac_point_jacobian(sim, q, m->geom_body[c->geom[side]], c->pos, e->jacp + 3 * nv * (size_t)side, NULL));
        last = e->of[i];
        const double *f = e->along[i];
        tacVec3 force = tac_add3(tac_scale3(f[0], c->normal),
                                 tac_add3(tac_scale3(f[1], c->tangent[0]), tac_scale3(f[2], c->tangent[1])));
        for (size_t d = 0; d < nv; d++) {
            double sum = 0;
            for (size_t r = 0; r < 3; r++)
                sum += tac_get3(force, (int)r) * (e->jacp[3 * nv + r * nv + d] - e->jacp[r * nv + d]);
            e->G[d * (size_t)e->nedge + (size_t)i] = sum;
        }
    }
    return TAC_OK;
}

tacStatus tac_edges_find(tacEdges *e, const tacModel *m, tacSim *sim, const double *q, const double *u,
                         int max_contacts, double near) {
    int n;
    TAC_TRY(tac_contacts(sim, q, u, e->contact, max_contacts, &n));
    e->ncontact = e->nedge = 0;
    for (int k = 0; k < n; k++) {
        if (e->contact[k].dist > tac_max(e->contact[k].include, near)) continue;
        e->contact[e->ncontact] = e->contact[k];
        add_edges(e, m, e->ncontact++);
    }
    return put_edges(e, m, sim, q);
}

/* --- Least squares over a box
 * -------------------------------------------------------------------------------------
 */

typedef struct Normal {
    double *H, *g, *L, *y, *low, *high;
} Normal;

static int layout_normal(Normal *s, int n, tacArena *arena) {
    size_t size = (size_t)n;
    s->H = TAC_TAKE(arena, size * size, double);
    s->g = TAC_TAKE(arena, size, double);
    s->L = TAC_TAKE(arena, size * size, double);
    s->y = TAC_TAKE(arena, size, double);
    s->low = TAC_TAKE(arena, size, double);
    s->high = TAC_TAKE(arena, size, double);
    return s->high != NULL;
}

void tac_share_measure(int n, tacArena *dry) {
    Normal s;
    TAC_SCOPE(dry);
    layout_normal(&s, n, dry);
    tac_box_newton_measure(n, dry);
}

/* Proximal steps: each adds NEARNESS |x - x_before|^2, so the last is a
 * least-squares solution, and near zero. */
int tac_share_solve(tacShare *share, tacArena *arena) {
    Normal s;
    TAC_SCOPE(arena);
    int n = share->n;
    size_t size = (size_t)n;
    if (n == 0) return 1;
    if (!layout_normal(&s, n, arena)) return 0;
    tac_dense_mulat(n, share->rows, n, share->M, share->M, s.H);
    double most = 1e-300;
    for (size_t i = 0; i < size; i++)
        most = tac_max(most, s.H[i * size + i]);
    for (size_t i = 0; i < size; i++)
        s.H[i * size + i] += NEARNESS * most;
    memset(share->x, 0, size * sizeof *share->x);
    tac_dense_multv(share->rows, n, share->M, share->b, s.y);
    for (int t = 0; t < ROUNDS; t++) {
        for (int i = 0; i < n; i++)
            s.g[i] = -s.y[i] - NEARNESS * most * share->x[i];
        tacBox box = {.n = n, .H = s.H, .g = s.g, .low = share->low, .high = share->high, .x = share->x, .L = s.L};
        box.free = share->free;
        if (!tac_box_newton(&box, arena)) return 0;
    }
    return 1;
}

/* --- A pose
 * -------------------------------------------------------------------------------------------------------
 */

typedef struct Hold {
    tacEdges edges;
    int contacts;                                               /* room */
    double *B, *need, *passive, *v, *qfrc, *M, *low, *high, *x; /* B: nv x nu */
    int *free;
    tacArena arena;
} Hold;

static int layout_hold(Hold *h, const tacPlan *p, int contacts, tacArena *arena) {
    const tacModel *m = p->model;
    size_t nv = (size_t)m->nv, nu = (size_t)p->nu, n = nu + TAC_MOST_EDGES * (size_t)contacts;
    h->contacts = contacts;
    if (!tac_edges_layout(&h->edges, m, contacts, arena)) return 0;
    h->B = TAC_TAKE(arena, nv * nu, double);
    h->need = TAC_TAKE(arena, nv, double);
    h->passive = TAC_TAKE(arena, nv, double);
    h->v = TAC_TAKE(arena, nv, double);
    h->qfrc = TAC_TAKE(arena, nv, double);
    h->M = TAC_TAKE(arena, nv * n, double);
    h->low = TAC_TAKE(arena, n, double);
    h->high = TAC_TAKE(arena, n, double);
    h->x = TAC_TAKE(arena, n, double);
    h->free = TAC_TAKE(arena, n, int);
    return h->free != NULL;
}

/* M = [B G], need = what actuators at u and contacts have to give besides. */
static tacStatus set_balance(Hold *h, const tacPlan *p, tacSim *sim, const double *x, const double *u) {
    const tacModel *m = p->model;
    size_t nv = (size_t)m->nv, n = (size_t)(m->nu + h->edges.nedge);
    tacOutput all = {.kind = TAC_OUT_QFRC_ACTUATOR, .id = TAC_OUT_ALL};
    memset(h->v, 0, nv * sizeof *h->v);
    TAC_TRY(tac_outputs_jac(sim, x, u, &(tacOutputs){1, &all}, h->qfrc, &(tacJac){.B = h->B}));
    TAC_TRY(tac_inverse_dynamics(sim, x, h->v, h->v, h->need));
    TAC_TRY(tac_passive(sim, x, h->v, h->passive));
    for (size_t d = 0; d < nv; d++) {
        h->need[d] -= h->passive[d] + h->qfrc[d];
        memcpy(h->M + d * n, h->B + d * (size_t)p->nu, (size_t)m->nu * sizeof *h->M);
        memcpy(h->M + d * n + m->nu, h->edges.G + d * (size_t)h->edges.nedge, (size_t)h->edges.nedge * sizeof *h->M);
    }
    return TAC_OK;
}

/* Controls without force, where bias and gain are of the length alone: saturated servos have no derivative. */
static tacStatus set_forceless(const Hold *h, const tacPlan *p, tacSim *sim, const double *x, double *u) {
    const tacModel *m = p->model;
    tacActuation out = {.length = h->x};
    TAC_TRY(tac_actuation(sim, x, u, &out));
    for (int i = 0; i < m->nu; i++) {
        const double *gain = m->actuator_gainprm + 10 * i, *bias = m->actuator_biasprm + 10 * i;
        int plain = m->actuator_gaintype[i] == TAC_GAIN_FIXED && m->actuator_dyntype[i] == TAC_DYN_NONE;
        if (!plain || m->actuator_biastype[i] != TAC_BIAS_AFFINE || gain[0] == 0) continue;
        u[i] = tac_clamp(-(bias[0] + bias[1] * h->x[i]) / gain[0], p->low[i], p->high[i]);
    }
    return TAC_OK;
}

static tacStatus hold(Hold *h, const tacPlan *p, tacSim *sim, const double *x, double *u, tacArena *arena) {
    const tacModel *m = p->model;
    memcpy(u, p->u_default, (size_t)p->nu * sizeof *u);
    TAC_TRY(tac_edges_find(&h->edges, m, sim, x, u, h->contacts, TOUCHING));
    TAC_TRY(set_forceless(h, p, sim, x, u));
    TAC_TRY(set_balance(h, p, sim, x, u));
    int n = m->nu + h->edges.nedge;
    for (int i = 0; i < n; i++) {
        h->low[i] = i < m->nu ? p->low[i] - u[i] : 0;
        h->high[i] = i < m->nu ? p->high[i] - u[i] : TAC_INFINITY;
    }
    tacShare share = {m->nv, n, h->M, h->need, h->low, h->high, h->x, h->free};
    if (!tac_share_solve(&share, arena)) return TAC_ERR_SINGULAR;
    for (int i = 0; i < m->nu; i++)
        u[i] += h->x[i];
    return TAC_OK;
}

/* Number of contacts listed at a state. */
static tacStatus count_contacts(tacSim *sim, const double *x, const double *u, int *n) {
    tacContact none;
    tacStatus status = tac_contacts(sim, x, u, &none, 0, n);
    return status == TAC_ERR_CONTACTS ? TAC_OK : status;
}

tacStatus tac_hold_pose(const tacPlan *plan, tacSim *sim, const double *x, double *u, tacError *err) {
    Hold h;
    int contacts;
    tacArena dry = tac_arena_dry(), arena;
    TAC_TRY(count_contacts(sim, x, plan->u_default, &contacts));
    layout_hold(&h, plan, contacts, &dry);
    tac_share_measure(plan->nu + TAC_MOST_EDGES * contacts, &dry);
    void *memory = tac_aligned_new(TAC_ARENA_ALIGN, dry.peak);
    if (memory == NULL) return tac_fail(err, TAC_ERR_MEMORY, "no memory for a guess of controls");
    tac_arena_init(&arena, memory, dry.peak);
    tacStatus status = layout_hold(&h, plan, contacts, &arena) ? hold(&h, plan, sim, x, u, &arena) : TAC_ERR_ARENA_FULL;
    tac_arena_end(&arena);
    tac_aligned_free(memory);
    if (status == TAC_OK) return TAC_OK;
    return tac_fail(err, status, "controls that hold the start: %s", tac_status_text(status));
}
