/* The problem: its memory, its functions for the interior point, and starting points of searches. */
#include "contact/ncp/problem.h"

#include "base/error.h"
#include "contact/ncp/bodies.h"
#include "contact/ncp/border.h"
#include "contact/ncp/contact.h"
#include "contact/ncp/contact_system.h"
#include "contact/ncp/features.h"
#include "contact/ncp/project_to_path.h"
#include "contact/ncp/report.h"
#include "contact/ncp/residual_norm.h"
#include "contact/ncp/tuning.h"
#include "math/scalar.h"

#include <string.h>

/* Starting points of searches. Each has a o b = kappa unit e, gaps of at least h `speed` (m/s, rad/s), and v+ = share
 * v. Where v+ penetrates by a depth d, kappa is at least `energy` m d^2/h with the mean mass m, and gaps are at least
 * `depth` d. Where joint forces alone would move a dof far, kappa is at least `drive` times the energy of that motion.
 * With `slips`, and d no more than the least gap, eta has the slip of v+ and xi follows from the product, eta_0^2 -
 * (kappa'/xi_0) eta_0 - |u|^2 = 0; otherwise both start in the middle of their cones. Found by experiment: the first
 * needs the fewest iterations, the others solve what it does not; from the third on they are for pairs alone. */
static const struct {
    double kappa, speed, share, energy, depth, drive;
    int slips;
} STARTS[TAC_NCP_STARTS] = {
    {TAC_NCP_START_KAPPA, TAC_NCP_START_SPEED, 1, TAC_NCP_START_ENERGY, TAC_NCP_START_DEPTH, 0, 1},
    {TAC_NCP_OTHER_KAPPA, TAC_NCP_OTHER_SPEED, 0, 0, 0, TAC_NCP_START_ENERGY, 0},
    {1e-2, TAC_NCP_START_SPEED, 1, TAC_NCP_START_ENERGY, TAC_NCP_START_DEPTH, 0, 1},
    {1e-1, 0.5, 0, 0, 0, TAC_NCP_START_ENERGY, 0},
    {1e-1, 0.5, 1, TAC_NCP_START_ENERGY, TAC_NCP_START_DEPTH, TAC_NCP_START_ENERGY, 1},
    {1e-1, 0.5, 0.5, TAC_NCP_START_ENERGY, TAC_NCP_START_DEPTH, TAC_NCP_START_ENERGY, 0},
    {10, 5, 1, TAC_NCP_START_ENERGY, TAC_NCP_START_DEPTH, TAC_NCP_START_ENERGY, 0}};
/* Features that may be added after a first solution: twice the number of contacts, at most MAX_ADDED. Edges between
 * bodies that there is room for, per body. */
enum { MAX_ADDED = 64, EDGES_PER_BODY = 16 };

/* --- Room --------------------------------------------------------------------------------------------------------- */

static int max_edges(const tacModel *m, int max_contacts) {
    long long pairs = (long long)m->nbody * (m->nbody - 1) / 2,
              room = (long long)EDGES_PER_BODY * m->nbody + max_contacts;
    return (int)(pairs < room ? pairs : room);
}

/* A row has one cone of at most two numbers. */
int tac_ncp_max_numbers(const tacModel *m, int max_contacts, tacNcpCollision collision) {
    return TAC_FRICTION_NUMBERS * tac_ncp_max_features(max_contacts) + 2 * tac_ncp_max_rows(m) +
           tac_ncp_pair_room(m, max_contacts, collision).numbers;
}

static int max_cones(const tacModel *m, int max_contacts, tacNcpCollision collision) {
    return TAC_FRICTION_CONES * tac_ncp_max_features(max_contacts) + tac_ncp_max_rows(m) +
           tac_ncp_pair_room(m, max_contacts, collision).cones;
}

int tac_ncp_max_unknowns(const tacModel *m, int max_contacts, tacNcpCollision collision) {
    return m->nv + tac_ncp_max_wide(m) + tac_ncp_pair_room(m, max_contacts, collision).unknowns;
}

int tac_ncp_unknowns(const tacNcp *p) {
    int n = p->m->nv + p->rows.nheld;
    for (int i = 0; i < p->pairs.n; i++)
        n += p->pairs.pair[i].growth.program.n;
    return n;
}

int tac_ncp_max_features(int max_contacts) {
    return max_contacts + (2 * max_contacts < MAX_ADDED ? 2 * max_contacts : MAX_ADDED);
}

int tac_ncp_kinematics_layout(tacWork *w, const tacModel *m, tacArena *arena) {
    *w = (tacWork){.xpos = TAC_TAKE(arena, m->nbody, tacVec3)};
    w->xquat = TAC_TAKE(arena, m->nbody, tacQuat);
    w->xmat = TAC_TAKE(arena, m->nbody, tacMat3);
    w->xipos = TAC_TAKE(arena, m->nbody, tacVec3);
    w->joint_pos = TAC_TAKE(arena, m->njnt, tacVec3);
    w->joint_axis = TAC_TAKE(arena, m->njnt, tacVec3);
    w->origin = TAC_TAKE(arena, m->nbody, tacVec3);
    w->S = TAC_TAKE(arena, m->nv, tacVec6);
    w->inertia = TAC_TAKE(arena, m->nbody, tacInertia);
    return w->xpos && w->xquat && w->xmat && w->xipos && w->joint_pos && w->joint_axis && w->origin && w->S &&
           w->inertia;
}

static int layout_pairs(tacNcp *p, const tacModel *m, tacNcpCollision collision, tacArena *arena) {
    int numbers = tac_ncp_max_numbers(m, p->max_contacts, collision), cones = max_cones(m, p->max_contacts, collision);
    p->contact = TAC_TAKE(arena, p->room, tacNcpContact);
    p->found = TAC_TAKE(arena, p->max_contacts, tacContact);
    p->dim = TAC_TAKE(arena, cones, int);
    p->unit = TAC_TAKE(arena, cones, double);
    p->ratio = TAC_TAKE(arena, cones, double);
    p->a = TAC_TAKE(arena, numbers, double);
    p->b = TAC_TAKE(arena, numbers, double);
    if (tac_ncp_has_ball_limit(m)) {
        int most = tac_block_ldu_max_dofs(m->nbody, m->body_dof_num);
        p->ldu.own = TAC_TAKE(arena, most * most * m->nbody, double);
        if (p->ldu.own == NULL) return 0;
    }
    return p->contact && p->found && p->dim && p->unit && p->ratio && p->a && p->b &&
           tac_ncp_rows_layout(&p->rows, m, arena) &&
           tac_ncp_pairs_layout(&p->pairs, m, p->max_contacts, collision, arena);
}

int tac_ncp_layout(tacNcp *p, const tacModel *m, int max_contacts, tacNcpCollision collision, tacArena *arena) {
    *p = (tacNcp){
        .m = m, .max_contacts = max_contacts, .room = tac_ncp_max_features(max_contacts), .geometric_share = 1};
    p->ldu = (tacBlockLdu){.nnode = m->nbody,
                           .nv = m->nv,
                           .max_edge = max_edges(m, max_contacts),
                           .parent = m->body_parent,
                           .dof_adr = m->body_dof_adr,
                           .dof_num = m->body_dof_num};
    p->q_next = TAC_TAKE(arena, m->nq, double);
    tacVec6 **of_bodies[] = {&p->before, &p->f, &p->sum, &p->rhs};
    double **of_dofs[] = {&p->hv, &p->tau, &p->g, &p->g_rhs, &p->anchor};
    for (size_t i = 0; i < sizeof of_bodies / sizeof *of_bodies; i++)
        if ((*of_bodies[i] = TAC_TAKE(arena, m->nbody, tacVec6)) == NULL) return 0;
    for (size_t i = 0; i < sizeof of_dofs / sizeof *of_dofs; i++)
        if ((*of_dofs[i] = TAC_TAKE(arena, m->nv, double)) == NULL) return 0;
    p->x = TAC_TAKE(arena, tac_ncp_max_unknowns(m, max_contacts, collision), double);
    p->tree = TAC_TAKE(arena, m->nbody, int);
    p->inertia = TAC_TAKE(arena, m->nbody, tacSym3);
    p->slide = TAC_TAKE(arena, m->nbody, tacVec3);
    p->spin = TAC_TAKE(arena, m->nbody, tacVec3);
    p->turning = TAC_TAKE(arena, m->nbody, tacVec3);
    p->turning_block = TAC_TAKE(arena, m->nbody, tacMat3);
    return p->q_next && p->x && p->tree && p->inertia && p->slide && p->spin && p->turning && p->turning_block &&
           tac_ncp_kinematics_layout(&p->next, m, arena) && layout_pairs(p, m, collision, arena) &&
           tac_block_ldu_layout(&p->ldu, arena);
}

/* --- The problem -------------------------------------------------------------------------------------------------- */

/* Largest |g_i + S_i . (sum of f over the subtree)|. */
static double balance(tacNcp *p) {
    const tacModel *m = p->m;
    double worst = 0;
    memcpy(p->sum, p->f, (size_t)m->nbody * sizeof *p->sum);
    for (int b = m->nbody - 1; b > 0; b--) {
        int adr = m->body_dof_adr[b], num = m->body_dof_num[b], parent = m->body_parent[b];
        for (int i = adr; i < adr + num; i++)
            worst = tac_max(worst, tac_abs(p->g[i] + tac_dot6(p->w->S[i], p->sum[b])));
        p->sum[parent] = tac_add6(p->sum[parent], p->sum[b]);
    }
    return worst;
}

tacStatus tac_ncp_place(tacNcp *p, const double *v_next) {
    TAC_TRY(tac_ncp_place_bodies(p, v_next));
    TAC_TRY(tac_ncp_place_contacts(p));
    tac_ncp_place_rows(p, v_next);
    return TAC_OK;
}

/* Evaluates all residuals of an iterate at the poses of tac_ncp_place. Returns the largest |E|. */
static double evaluate(tacNcp *p, const double *x, const double *a, const double *b) {
    double own = 0;
    if (p->pairs.n > 0) {
        tac_ncp_place_pairs(p, x, a, b);
        own = tac_ncp_pairs_residual(p);
    }
    double pairs = tac_ncp_evaluate_contacts(p, a, b), rows = tac_ncp_evaluate_rows(p, x, a, b);
    return tac_max(tac_max(tac_max(pairs, own), rows), balance(p));
}

/* 1: bodies, contacts and rows are at the motion v_next, where the search starts. Once, as residuals are added up. */
static int starts_at(tacNcp *p, const double *v_next) {
    int same = p->started;
    p->started = 0;
    for (int i = 0; i < p->m->nv && same; i++)
        same = p->hv[i] == p->h * v_next[i];
    return same;
}

static tacStatus residual(void *user, const double *x, const double *a, const double *b, double *violation) {
    tacNcp *p = user;
    if (!starts_at(p, x)) TAC_TRY(tac_ncp_place(p, x));
    *violation = evaluate(p, x, a, b);
    return TAC_OK;
}

static tacStatus project(void *user, const tacInteriorTrial *trial, double *a, double *b, double *violation) {
    tacNcp *p = user;
    TAC_TRY(tac_ncp_place(p, trial->x));
    tac_ncp_project_to_path(p, trial->kappa, trial->left, a, b);
    *violation = evaluate(p, trial->x, a, b);
    return TAC_OK;
}

static tacStatus factor(void *user, const double *x, const double *a, const double *b) {
    tacNcp *p = user;
    (void)x;
    (void)a;
    (void)b;
    tac_ncp_save_residuals(p);
    tac_ncp_linearize(p);
    tac_ncp_linearize_rows(p);
    TAC_TRY(tac_ncp_factor_pairs(p));
    TAC_TRY(tac_ncp_contact_blocks(p));
    p->ldu.weak = p->pairs.n > 0; /* where faces meet a tilt is stiffer than rounding of the rest   (SL6) */
    TAC_TRY(tac_block_ldu_factor(&p->ldu));
    return tac_ncp_border_factor(p);
}

static double norm(void *user) { return tac_ncp_residual_norm(user); }

static void set_geometric_share(void *user, double share) { ((tacNcp *)user)->geometric_share = share; }

static void solve(void *user, const double *c, double *dx, double *da, double *db) {
    tacNcp *p = user;
    tac_ncp_reduce(p, c, &p->rhs[0].ang.x, p->g_rhs);
    tac_ncp_border_solve(p, c, dx);
    tac_ncp_recover(p, da, db);
    tac_ncp_recover_rows(p, c, dx, da, db);
    tac_ncp_recover_pairs(p, dx, da, db);
}

static void aim(void *user, double kappa, int second) { tac_ncp_aim_pairs(user, kappa, second); }

tacInteriorProblem tac_ncp_problem(tacNcp *p) {
    return (tacInteriorProblem){.n = tac_ncp_unknowns(p),
                                .ncone = p->ncone,
                                .dim = p->dim,
                                .unit = p->unit,
                                .user = p,
                                .residual = residual,
                                .factor = factor,
                                .solve = solve,
                                .geometric_share = set_geometric_share,
                                .project = p->pairs.n > 0 ? NULL : project,
                                .aim = p->pairs.n > 0 ? aim : NULL,
                                .norm = norm};
}

/* Products and least gaps of a starting point, and whether contacts slip. */
typedef struct StartPoint {
    double kappa, gap;
    int slips;
} StartPoint;

/* Largest m d^2/h of the distances d = h tau/m by which forces alone would move a dof in the step. Where something
 * holds the dof, the first Newton steps from smaller impulses would go there. */
static double drive(const tacNcp *p) {
    double most = 0;
    for (int i = 0; i < p->m->nv; i++)
        most = tac_max(most, p->h * p->tau[i] * p->tau[i] * p->m->dof_invweight[i]);
    return most;
}

/* Needs: tac_ncp_place. */
static StartPoint start_point(const tacNcp *p, int start) {
    double depth = tac_ncp_limit_depth(p);
    for (int i = 0; i < p->ncontact; i++)
        depth = tac_max(depth, -p->contact[i].next.gap_slip[0]);
    double energy = tac_ncp_mean_mass(p) * depth * depth / (p->h * p->gap_unit), driven = drive(p) / p->gap_unit;
    double least = STARTS[start].speed * p->h;
    return (StartPoint){tac_max(STARTS[start].kappa, STARTS[start].energy * energy + STARTS[start].drive * driven),
                        tac_max(least, STARTS[start].depth * depth), STARTS[start].slips && depth <= least};
}

static void start_pair(const tacNcp *p, StartPoint s, int cone, double gap, double *a, double *b) {
    *b = tac_max(gap, s.gap);
    *a = s.kappa * p->unit[cone] / *b;
}

static void start_contact(const tacNcp *p, StartPoint s, const tacNcpContact *c) {
    double *a = p->a + c->adr, *b = p->b + c->adr;
    start_pair(p, s, c->cone, c->next.gap_slip[0], a, b);
    if (c->friction.mu == 0) return;
    double u[2] = {s.slips ? c->next.gap_slip[1] : 0, s.slips ? c->next.gap_slip[2] : 0};
    tac_friction_start(&c->friction, s.kappa * p->unit[c->cone + 1], u, a, b);
}

static tacStatus start_motion(tacNcp *p, double share, const double *v) {
    for (int i = 0; i < p->m->nv; i++)
        p->x[i] = share * v[i];
    return tac_ncp_place(p, p->x);
}

/* Starts elsewhere where a motion is too fast or leads where features do not touch: at rest; then at the motion where
 * features were added, which may not touch at q; then at rest without the contacts that are lost there. */
static tacStatus start_elsewhere(tacNcp *p) {
    tacStatus status = start_motion(p, 0, p->v);
    if (status == TAC_ERR_DEGENERATE) status = start_motion(p, 1, p->anchor);
    while (status == TAC_ERR_DEGENERATE) {
        tac_ncp_clear_lost(p);
        status = start_motion(p, 0, p->v);
        if (status == TAC_ERR_DEGENERATE && tac_ncp_remove_lost(p) == 0) break;
    }
    return status;
}

tacStatus tac_ncp_start(tacNcp *p, int start, int again) {
    tacStatus status = again ? tac_ncp_place(p, p->x) : start_motion(p, STARTS[start].share, p->v);
    if (status == TAC_ERR_DEGENERATE) status = start_elsewhere(p);
    TAC_TRY(status);
    tac_ncp_number_pairs(p);
    TAC_TRY(tac_ncp_start_pairs(p, TAC_NCP_START_KAPPA));
    StartPoint s = start_point(p, start);
    if (s.kappa > TAC_NCP_START_KAPPA) TAC_TRY(tac_ncp_start_pairs(p, s.kappa));
    for (int i = 0; i < p->ncontact; i++)
        start_contact(p, s, &p->contact[i]);
    tac_ncp_start_rows(p, again, s.kappa, s.gap);
    tac_ncp_clear_lost(p);
    p->started = 1;
    return TAC_OK;
}
