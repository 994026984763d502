/* The nearest state that satisfies a model's constraints   (docs/theory/step.md, ST9-ST11) */
#include "collide/filter.h"
#include "contact/rows.h"
#include "dynamics/kinematics.h"
#include "dynamics/transmission.h"
#include "math/dense.h"
#include "solve/boxed.h"
#include "step/call.h"
#include "smooth/find_contacts.h"

#include <stdint.h>
#include <string.h>

enum { MOST_NEAREST = 30, MOST_FEASIBLE = 40, VELOCITY_ROUNDS = 3 };
/* m, rad: default tolerance of a constraint. */
#define DEFAULT_TOLERANCE 1e-9
/* m, rad: gaps and distances to limits up to this are rows too: a correction may close them. */
#define NEARBY 0.02
/* m, rad: largest change of a coordinate in one iteration. */
#define LONGEST 0.3
/* Compliance of rows, relative to the largest diagonal entry. Redundant rows share, contradictory ones meet halfway. It
 * leaves a residual of this order, which the corrections after it remove. */
#define COMPLIANCE 1e-8
/* Damping of the corrections, as in Levenberg's method. A correction that increases the merit is repeated with a
 * compliance STIFFEN times as large, from SOFT up to SOFTEST, where it is a short gradient step. After a success the
 * compliance shrinks again. */
#define SOFT    1e-3
#define STIFFEN 10.0
#define SOFTEST 1e4
/* A correction that removes less than this fraction of the merit is stalled. */
#define LITTLE 1e-3
/* Relative regularization of a mass matrix that cannot be factored. */
#define REGULAR 1e-6
/* Relative to the largest motion: the nearest state has converged. */
#define CONVERGED 1e-7

typedef struct Projector {
    tacSim *sim;
    const double *x, *mocap;
    tacArena arena; /* the caller's memory */
    tacRows rows;
    double *q, *best, *kept, *d, *away, *force, *spread, *still; /* away: q (-) the q that was given */
    int n, *list, *parent, *row_class;                           /* rows that count */
    double *A, *b, *low, *high, *shift, *f, *w;
    tacViolation worst; /* at q; id -1: none */
    double merit; /* m^2, rad^2: squares of what equalities, limits and deepest points of pairs are off by, at q */
    double least; /* merit at best */
    int iterations;
} Projector;

/* --- Rows at q ---------------------------------------------------------------------------------------------------- */

/* Equalities, ends of ranges and normals of contacts that can be parted; friction has no position. */
static int counts(const Projector *p, const tacRow *row) {
    if (row->kind == TAC_ROW_CONTACT)
        return row->axis == 0 && tac_may_part(p->sim->ctx.model, p->rows.contact[row->id].geom);
    return row->kind == TAC_ROW_EQUALITY || row->kind == TAC_ROW_JOINT_LIMIT || row->kind == TAC_ROW_TENDON_LIMIT;
}

/* -> the rows that count, the worst of them, their merit. Contacts of two geoms come one after another. */
static void list_rows(Projector *p) {
    double deepest = 0;
    const int *pair = NULL;
    p->n = 0;
    p->merit = 0;
    p->worst = (tacViolation){.id = -1, .geom = {-1, -1}};
    for (int k = 0; k < p->rows.n; k++) {
        const tacRow *row = &p->rows.row[k];
        if (!counts(p, row)) continue;
        p->list[p->n++] = k;
        const int *geom = row->kind == TAC_ROW_CONTACT ? p->rows.contact[row->id].geom : NULL;
        double size = tac_row_violation(row);
        tac_note_violation(size, row, geom, &p->worst);
        if (geom == NULL) {
            p->merit += size * size;
            continue;
        }
        if (pair != NULL && (geom[0] != pair[0] || geom[1] != pair[1])) {
            p->merit += deepest * deepest;
            deepest = 0;
        }
        pair = geom;
        deepest = tac_max(deepest, size);
    }
    p->merit += deepest * deepest;
}

/* Factors M. A singular M gets a small regularization of its diagonal. */
static tacStatus factor_mass(Projector *p) {
    const tacModel *m = p->sim->ctx.model;
    tacWork *w = &p->sim->ctx.work;
    if (tac_factor(m, w, NULL) == TAC_OK) return TAC_OK;
    for (int i = 0; i < m->nv; i++)
        p->force[i] = REGULAR * w->M[m->dof_M_adr[i]];
    return tac_factor(m, w, p->force);
}

/* p->q -> rows and what is broken; M factored. */
static tacStatus collect_rows(Projector *p) {
    const tacModel *m = p->sim->ctx.model;
    tacWork *w = &p->sim->ctx.work;
    tac_kinematics_q(m, w, p->q, p->mocap);
    tac_tendon_lengths(m, w, p->q);
    tac_crba(m, w);
    const tacContactReach reach = {.moving = 1, .distance = NEARBY};
    TAC_TRY(factor_mass(p));
    TAC_TRY(tac_find_contacts(&p->sim->ctx, w, &reach, p->rows.contact, p->rows.max_contacts, &p->rows.ncontact));
    tac_rows_find(m, w, p->q, p->still, NEARBY, &p->rows);
    if (p->rows.overflow) return TAC_ERR_ARENA_FULL;
    list_rows(p);
    return TAC_OK;
}

/* A = J M^-1 J^T of the rows that count, and the compliance. -> 0: no row can be moved. */
static int weigh_rows(Projector *p, double compliance) {
    const tacModel *m = p->sim->ctx.model;
    double most = 0;
    tac_rows_weigh(m, &p->sim->ctx.work, &p->rows, p->spread);
    memset(p->spread, 0, 3 * (size_t)m->nv * sizeof *p->spread);
    tac_rows_products(&p->rows, p->n, p->list, p->spread, p->A);
    for (int i = 0; i < p->n; i++)
        most = tac_max(most, p->A[(size_t)i * (size_t)p->n + (size_t)i]);
    for (int i = 0; i < p->n; i++)
        p->shift[i] = compliance * most;
    return most > 0;
}

/* d += M^-1 J^T f */
static void add_answer(Projector *p, double *d) {
    const tacModel *m = p->sim->ctx.model;
    memset(p->force, 0, (size_t)m->nv * sizeof *p->force);
    for (int i = 0; i < p->n; i++)
        tac_row_add_force(&p->rows, p->list[i], p->f[i], p->force);
    tac_solve(m, &p->sim->ctx.work, p->force);
    for (int i = 0; i < m->nv; i++)
        d[i] += p->force[i];
}

/* --- Coordinates -------------------------------------------------------------------------------------------------- */

/* Least |d + away|_M (with `nearest`; otherwise least |d|_M) with the linearized constraints   (ST10) -> p->d */
static tacStatus correct(Projector *p, int nearest, double compliance) {
    const tacModel *m = p->sim->ctx.model;
    tacBoxedResult result;
    for (int i = 0; i < p->n; i++) {
        const tacRow *row = &p->rows.row[p->list[i]];
        int equal = row->kind == TAC_ROW_EQUALITY;
        p->b[i] = row->pos - (nearest ? tac_row_velocity(&p->rows, p->list[i], p->away) : 0);
        p->low[i] = equal ? -TAC_INFINITY : 0;
        p->high[i] = TAC_INFINITY;
        p->parent[i] = -1;
    }
    tacBoxed problem = {.n = p->n,
                        .A = p->A,
                        .b = p->b,
                        .parent = p->parent,
                        .low = p->low,
                        .high = p->high,
                        .shift = p->shift,
                        .symmetric = 1};
    for (int i = 0; i < m->nv; i++)
        p->d[i] = nearest ? -p->away[i] : 0;
    if (p->n == 0 || !weigh_rows(p, compliance)) return TAC_OK;
    TAC_TRY(tac_boxed_solve(&problem, &p->arena, p->f, p->w, p->row_class, &result));
    add_answer(p, p->d);
    return TAC_OK;
}

/* q <- q (+) d, no coordinate by more than LONGEST; -> how far the farthest goes. */
static double move(Projector *p) {
    const tacModel *m = p->sim->ctx.model;
    double most = 0;
    for (int i = 0; i < m->nv; i++)
        most = tac_max(most, tac_abs(p->d[i]));
    for (int i = 0; i < m->nv && most > LONGEST; i++)
        p->d[i] *= LONGEST / most;
    tac_qpos_add(m, p->q, p->d, p->q);
    tac_qpos_sub(m, p->q, p->x, p->away);
    return tac_min(most, LONGEST);
}

static double farthest(const Projector *p) {
    double most = 0;
    for (int i = 0; i < p->sim->ctx.model->nv; i++)
        most = tac_max(most, tac_abs(p->away[i]));
    return most;
}

static void keep_if_better(Projector *p) {
    if (!(p->merit < p->least)) return;
    p->least = p->merit;
    memcpy(p->best, p->q, (size_t)p->sim->ctx.model->nq * sizeof *p->q);
}

/* q <- from; rows there. */
static tacStatus go_to(Projector *p, const double *from) {
    const tacModel *m = p->sim->ctx.model;
    memcpy(p->q, from, (size_t)m->nq * sizeof *p->q);
    tac_qpos_sub(m, p->q, p->x, p->away);
    return collect_rows(p);
}

/* Makes one correction from p->q; *gone: how far it went. If it leads to more contacts than there is room for, or to no
 * finite numbers, the merit is infinite. */
static tacStatus try_correction(Projector *p, int nearest, double compliance, double *gone) {
    *gone = 0;
    TAC_TRY(correct(p, nearest, compliance));
    if (tac_first_nonfinite(p->sim->ctx.model->nv, p->d) < 0) *gone = move(p);
    p->iterations++;
    if (*gone > 0 && collect_rows(p) == TAC_OK)
        keep_if_better(p);
    else
        p->merit = p->worst.size = TAC_INFINITY;
    return TAC_OK;
}

/* Goes towards the nearest state until it no longer moves, and ends there or at the best state. */
static tacStatus approach(Projector *p) {
    double gone = 0;
    for (int k = 0; k < MOST_NEAREST; k++) {
        TAC_TRY(try_correction(p, 1, COMPLIANCE, &gone));
        if (p->merit < TAC_INFINITY && gone <= CONVERGED * farthest(p)) return TAC_OK;
        if (!(p->merit < TAC_INFINITY)) break;
    }
    return go_to(p, p->best);
}

/* Goes from there the shortest way to a state at which all constraints hold, or to the least sum of squares of those
 * that contradict each other: the method of Levenberg and Marquardt, with the compliance as its damping. */
static tacStatus make_good(Projector *p, double tolerance) {
    double compliance = COMPLIANCE, gone;
    for (int k = 0; k < MOST_FEASIBLE && compliance <= SOFTEST && p->worst.size > tolerance; k++) {
        double before = p->merit;
        memcpy(p->kept, p->q, (size_t)p->sim->ctx.model->nq * sizeof *p->q);
        TAC_TRY(try_correction(p, 0, compliance, &gone));
        if (p->merit < (1 - LITTLE) * before) {
            compliance = compliance > SOFT ? compliance / STIFFEN : COMPLIANCE;
            continue;
        }
        TAC_TRY(go_to(p, p->kept));
        compliance = tac_max(SOFT, compliance * STIFFEN);
    }
    return TAC_OK;
}

/* --- Velocities --------------------------------------------------------------------------------------------------- */

/* Least change in M with J v = 0 of equalities   (ST11); further rounds remove the error of compliance. Needs:
 * rows at q. */
static void project_velocity(Projector *p, double *v) {
    int n = 0;
    for (int i = 0; i < p->n; i++)
        if (p->rows.row[p->list[i]].kind == TAC_ROW_EQUALITY) p->list[n++] = p->list[i];
    p->n = n;
    if (n == 0 || !weigh_rows(p, COMPLIANCE)) return;
    for (int i = 0; i < n; i++)
        p->A[(size_t)i * (size_t)n + (size_t)i] += p->shift[i];
    if (tac_cholesky_factor(n, p->A) >= 0) return;
    for (int k = 0; k < VELOCITY_ROUNDS; k++) {
        for (int i = 0; i < n; i++)
            p->f[i] = -tac_row_velocity(&p->rows, p->list[i], v);
        tac_cholesky_solve(n, p->A, p->f);
        add_answer(p, v);
    }
}

/* --- The public function ------------------------------------------------------------------------------------------ */

/* Rows whose square is still counted in bytes. */
#define MOST_ROWS (1 << 29)

static int most_rows(const tacModel *m, const tacOptions *o) { return tac_rows_max(m, o->max_contacts); }

static int layout(const tacModel *m, const tacOptions *o, tacArena *arena, Projector *p) {
    int n = most_rows(m, o), ok = tac_rows_layout(&p->rows, m, o->max_contacts, arena);
    double **of_coordinates[] = {&p->q, &p->best, &p->kept};
    for (size_t i = 0; i < sizeof of_coordinates / sizeof *of_coordinates; i++)
        ok &= (*of_coordinates[i] = TAC_TAKE(arena, m->nq, double)) != NULL;
    double **of_dofs[] = {&p->d, &p->away, &p->force, &p->still};
    for (size_t i = 0; i < sizeof of_dofs / sizeof *of_dofs; i++)
        ok &= (*of_dofs[i] = TAC_TAKE(arena, m->nv, double)) != NULL;
    ok &= (p->spread = TAC_TAKE(arena, 3 * m->nv, double)) != NULL;
    double **of_rows[] = {&p->b, &p->low, &p->high, &p->shift, &p->f, &p->w};
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++)
        ok &= (*of_rows[i] = TAC_TAKE(arena, n, double)) != NULL;
    int **ints[] = {&p->list, &p->parent, &p->row_class};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        ok &= (*ints[i] = TAC_TAKE(arena, n, int)) != NULL;
    return ok && (p->A = TAC_TAKE(arena, (size_t)n * (size_t)n, double)) != NULL;
}

size_t tac_project_bytes(const tacModel *model, const tacOptions *options) {
    if (tac_sim_bytes(model, options) == 0) return 0;
    if (most_rows(model, options) > MOST_ROWS) return SIZE_MAX; /* of which nobody has so many */
    Projector p;
    tacArena dry = tac_arena_dry();
    layout(model, options, &dry, &p);
    tacBoxedWork work;
    tac_boxed_layout(&work, most_rows(model, options), &dry);
    return dry.peak;
}

static int lay_out(Projector *p) {
    const tacModel *m = p->sim->ctx.model;
    if (!layout(m, &p->sim->ctx.options, &p->arena, p)) return 0;
    memset(p->still, 0, (size_t)m->nv * sizeof *p->still);
    memset(p->away, 0, (size_t)m->nv * sizeof *p->away);
    memcpy(p->q, p->x, (size_t)m->nq * sizeof *p->q);
    memcpy(p->best, p->x, (size_t)m->nq * sizeof *p->q);
    return 1;
}

/* p->q where all holds, else p->best, and v of y. */
static tacStatus finish(Projector *p, double tolerance, double *y, tacProjection *out) {
    const tacModel *m = p->sim->ctx.model;
    if (!(p->worst.size <= tolerance)) TAC_TRY(go_to(p, p->best));
    out->after = p->worst.size;
    out->iterations = p->iterations;
    tac_mass_mul(m, &p->sim->ctx.work, p->away, p->force);
    out->moved = tac_sqrt(tac_max(0, tac_dense_dot(m->nv, p->away, p->force)));
    memmove(y, p->x, (size_t)tac_nx(m) * sizeof *y);
    memcpy(y, p->q, (size_t)m->nq * sizeof *y);
    project_velocity(p, y + m->nq);
    return out->after <= tolerance ? TAC_OK : TAC_ERR_UNSOLVED;
}

static tacStatus project(Projector *p, double tolerance, double *y, tacProjection *out) {
    TAC_TRY(collect_rows(p));
    p->least = p->merit;
    out->before = out->after = p->worst.size;
    out->iterations = 0;
    out->moved = 0;
    out->kind = p->worst.kind;
    out->id = p->worst.id;
    memcpy(out->geom, p->worst.geom, sizeof out->geom);
    if (y == NULL) return p->worst.size <= tolerance ? TAC_OK : TAC_ERR_INCONSISTENT;
    if (p->worst.size > tolerance) TAC_TRY(approach(p));
    TAC_TRY(make_good(p, tolerance));
    return finish(p, tolerance, y, out);
}

static tacStatus check_request(tacSim *sim, const char *call, const tacProjection *out) {
    if (out == NULL) return tac_sim_null(sim, call, "out");
    if (!(out->tolerance >= 0))
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "out->tolerance is %g, expected at least 0", out->tolerance);
    if (out->memory == NULL) return tac_sim_null(sim, call, "out->memory");
    if ((uintptr_t)out->memory % TAC_ARENA_ALIGN != 0)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "out->memory is not aligned to %d bytes", TAC_ARENA_ALIGN);
    size_t need = tac_project_bytes(sim->ctx.model, &sim->ctx.options);
    if (out->bytes < need)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "out->bytes is %zu, expected at least %zu", out->bytes, need);
    return TAC_OK;
}

tacStatus tac_project_state(tacSim *sim, const double *x, const double *u, double *y, tacProjection *out) {
    int bad;
    TAC_TRY(tac_check_state(sim, __func__, x, u, &bad));
    TAC_TRY(check_request(sim, __func__, out));
    TAC_TRY(tac_refuse_growing(sim, __func__, tac_first_growing(sim->ctx.model)));
    Projector p = {.sim = sim, .x = x, .mocap = tac_inputs_of(&sim->ctx.inputs, u).mocap};
    TAC_BORROW(&p.arena, out->memory, out->bytes);
    if (!lay_out(&p)) return tac_end_call(sim, __func__, TAC_ERR_ARENA_FULL);
    tacStatus status = project(&p, out->tolerance > 0 ? out->tolerance : DEFAULT_TOLERANCE, y, out);
    if (status == TAC_ERR_UNSOLVED || status == TAC_ERR_INCONSISTENT)
        return tac_sim_fail(sim, status, __func__,
                            "the largest constraint violation is %g m or rad, %g before projection", out->after,
                            out->before);
    return tac_end_call(sim, __func__, status);
}
