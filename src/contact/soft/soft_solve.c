/* Newton's method, or conjugate gradients, with an exact line search on the convex problem (Z1). It ends at rounding
 * unless told to stop before: the answer is a function of the problem alone, and derivatives by the implicit function
 * theorem are those of the step. */
#include "contact/soft/soft.h"

#include "dynamics/mass.h"
#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

/* Steps, and points on a line, at most, unless the model or the options have more. Files have fewer for a solver that
 * starts where it ended the step before, which this one does not. */
enum { MOST_NEWTON = 100, MOST_CONJUGATE = 1000, MOST_POINTS = 50 };
/* Steps without progress after which it gives up: forces have no more digits (D beyond 1e10), or it goes in circles;
 * conjugate gradients are not that steady. */
enum { PATIENCE = 12, PATIENCE_CONJUGATE = 300 };
/* Steps after which y and the forces are computed anew from a. */
enum { DRIFT = 4 };
/* Relative to the forces that balance: what is left counts as rounding. */
#define ROUNDING 1e-14
/* Share of the slope that may be left on a line. */
#define LINE 1e-3

typedef struct Newton {
    const tacModel *m;
    const tacWork *w;
    tacSoft *soft;
    const double *a0;
    double *a, *Ma;     /* nv: a, and M (a - a0) */
    double *grad;       /* nv: Ma - J^T f */
    double *p, *Mp, *q; /* nv: direction; M p; scratch */
    double *Jp;         /* rows: J p */
    double *z, *g;      /* rows: y and force at the last point of the line */
    int *zone;          /* blocks: zones there */
    double scale;       /* of the forces in grad */
    const tacSoftSearch *search;
    double *pull, *pulled; /* conjugate gradients, nv: M^-1 grad, and that of the step before */
    double weight;         /* grad . M^-1 grad of the step before; 0: there was none */
} Newton;

static int is_conjugate(const Newton *s) { return s->search->solver == TAC_SOLVER_CG; }

tacSoftSearch tac_soft_search(const tacModel *m, const tacOptions *options) {
    int cg = options->soft_solver == TAC_SOLVER_CG, least = cg ? MOST_CONJUGATE : MOST_NEWTON;
    int steps = *m->option_iterations, lines = *m->option_ls_iterations;
    return (tacSoftSearch){
        .solver = cg ? TAC_SOLVER_CG : TAC_SOLVER_NEWTON,
        .iterations = options->soft_iterations > 0 ? options->soft_iterations
                      : steps > least              ? steps
                                                   : least,
        .lines = options->soft_ls_iterations > 0 ? options->soft_ls_iterations
                 : lines > MOST_POINTS           ? lines
                                                 : MOST_POINTS,
        .tolerance = options->soft_tolerance,
        .line = options->soft_ls_tolerance > 0 ? options->soft_ls_tolerance : tac_min(*m->option_ls_tolerance, LINE),
    };
}

size_t tac_soft_scratch(const tacModel *m, int max_contacts) {
    size_t n = (size_t)tac_rows_max(m, max_contacts);
    return 7 * tac_arena_round((size_t)m->nv * sizeof(double)) + 3 * tac_arena_round(n * sizeof(double)) +
           tac_arena_round(n * sizeof(int));
}

static int lay_out(Newton *s, tacArena *arena) {
    double **dofs[7] = {&s->Ma, &s->grad, &s->p, &s->Mp, &s->q, &s->pull, &s->pulled};
    double **rows[3] = {&s->Jp, &s->z, &s->g};
    int ok = (s->zone = TAC_TAKE(arena, s->soft->nblock, int)) != NULL;
    for (int k = 0; k < (is_conjugate(s) ? 7 : 5); k++)
        ok &= (*dofs[k] = TAC_TAKE(arena, s->m->nv, double)) != NULL;
    for (int k = 0; k < 3; k++)
        ok &= (*rows[k] = TAC_TAKE(arena, s->soft->rows.n, double)) != NULL;
    return ok;
}

/* --- Where it stands ---------------------------------------------------------------------------------------------- */

/* out = J a */
static void row_velocities(const tacSoft *soft, const double *a, double *out) {
    for (int k = 0; k < soft->nblock; k++)
        tac_block_velocities(&soft->rows, soft->block[k].row, soft->block[k].n, a, out + soft->block[k].row);
}

/* out += J^T f; what has no force is skipped. */
static void add_row_forces(const tacSoft *soft, const double *f, double *out) {
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        if (f[b->row] != 0 || b->kind == TAC_SOFT_EQUALITY)
            tac_block_add_forces(&soft->rows, b->row, b->n, f + b->row, out);
    }
}

/* Stiffness is constant in a zone, but on an elliptic cone: what was factored may not be any more. */
static void set_zone(tacSoft *soft, tacSoftBlock *b, int zone) {
    if (b->zone != zone || (b->kind == TAC_SOFT_ELLIPTIC && zone == TAC_ZONE_CONE)) soft->factored = 0;
    b->zone = zone;
}

/* a -> M (a - a0), y, forces and zones. */
static void place(Newton *s) {
    tacSoft *soft = s->soft;
    for (int i = 0; i < s->m->nv; i++)
        s->q[i] = s->a[i] - s->a0[i];
    tac_mass_mul(s->m, s->w, s->q, s->Ma);
    row_velocities(soft, s->a, soft->y);
    for (int k = 0; k < soft->rows.n; k++)
        soft->y[k] -= soft->aref[k];
    for (int k = 0; k < soft->nblock; k++) {
        tacSoftBlock *b = &soft->block[k];
        set_zone(soft, b, tac_soft_force(b, soft->D + b->row, soft->y + b->row, soft->f + b->row, NULL));
    }
}

/* Forces -> grad. Its largest entry. */
static double balance(Newton *s) {
    const tacSoft *soft = s->soft;
    int nv = s->m->nv;
    memset(s->q, 0, (size_t)nv * sizeof *s->q);
    add_row_forces(soft, soft->f, s->q);
    s->scale = tac_max(tac_dense_largest(nv, s->Ma), tac_dense_largest(nv, s->q));
    for (int i = 0; i < nv; i++)
        s->grad[i] = s->Ma[i] - s->q[i];
    return tac_dense_largest(nv, s->grad);
}

/* Forces that cancel each other are at stake as well: scale, or the largest that one row gives one dof. */
static double stake(const Newton *s) {
    const tacRows *rows = &s->soft->rows;
    double most = s->scale;
    for (int k = 0; k < rows->n; k++)
        for (int e = rows->row[k].adr; e < rows->row[k].adr + rows->row[k].num; e++)
            most = tac_max(most, tac_abs(s->soft->f[k] * rows->J[e]));
    return most;
}

/* --- Along a line ------------------------------------------------------------------------------------------------- */

/* Slope of the objective at a + t p, and its own. */
static double slope_at(const Newton *s, double t, double pMa, double pMp, double *curve) {
    const tacSoft *soft = s->soft;
    double slope = pMa + t * pMp;
    *curve = pMp;
    for (int k = 0; k < soft->rows.n; k++)
        s->z[k] = soft->y[k] + t * s->Jp[k];
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        int at = b->row;
        s->zone[k] = tac_soft_line(b, soft->D + at, s->z + at, s->Jp + at, s->g + at, &slope, curve);
    }
    return slope;
}

/* 1: the point of the line is in the zones that the factor is of, and they are quadratic: a whole step of Newton's ends
 * there, and slopes are rounding. */
static int is_whole(const Newton *s) {
    if (!s->soft->factored) return 0;
    for (int k = 0; k < s->soft->nblock; k++) {
        const tacSoftBlock *b = &s->soft->block[k];
        if (s->zone[k] != b->zone || (b->kind == TAC_SOFT_ELLIPTIC && b->zone == TAC_ZONE_CONE)) return 0;
    }
    return 1;
}

/* The t > 0 where the slope, which grows, is zero: Newton's method between two bounds, from a whole step or, where p
 * has no length of its own, from none. z, g and zones are those of it. */
static double search_line(const Newton *s) {
    int nv = s->m->nv;
    double pMa = tac_dense_dot(nv, s->p, s->Ma), pMp = tac_dense_dot(nv, s->p, s->Mp), curve;
    double start = tac_abs(tac_dense_dot(nv, s->p, s->grad)), low = 0, high = TAC_INFINITY, t = !is_conjugate(s);
    for (int k = 0;; k++) {
        double slope = slope_at(s, t, pMa, pMp, &curve);
        if (tac_abs(slope) <= s->search->line * start || k == s->search->lines || (k == 0 && is_whole(s))) return t;
        if (slope < 0)
            low = t;
        else
            high = t;
        double next = t - slope / curve;
        if (!(next > low && next < high)) next = tac_finite(high) ? (low + high) / 2 : 2 * t;
        t = next;
    }
}

/* --- The method --------------------------------------------------------------------------------------------------- */

/* To the last point of the line, t along it. */
static void go(Newton *s, double t) {
    tacSoft *soft = s->soft;
    int nv = s->m->nv;
    tac_dense_axpy(nv, t, s->p, s->a);
    tac_dense_axpy(nv, t, s->Mp, s->Ma);
    memcpy(soft->y, s->z, (size_t)soft->rows.n * sizeof *s->z);
    memcpy(soft->f, s->g, (size_t)soft->rows.n * sizeof *s->g);
    for (int k = 0; k < soft->nblock; k++) {
        tacSoftBlock *b = &soft->block[k];
        set_zone(soft, b, s->zone[k]);
    }
}

/* Along p, as far as the objective falls. */
static void move(Newton *s) {
    const tacSoft *soft = s->soft;
    tac_mass_mul(s->m, s->w, s->p, s->Mp);
    row_velocities(soft, s->p, s->Jp);
    go(s, search_line(s));
}

/* From a0 to where all would be if the contacts that push there held in all directions: most often they do, and where
 * not it is nearer. */
static void guess(Newton *s) {
    tacSoft *soft = s->soft;
    int nv = s->m->nv;
    if (!tac_soft_hessian_factor_by(&soft->hessian, s->m, s->w, soft, tac_soft_hold, s->g, s->zone)) return;
    memset(s->p, 0, (size_t)nv * sizeof *s->p);
    add_row_forces(soft, s->g, s->p);
    tac_soft_hessian_solve(&soft->hessian, s->m, s->p);
    if (tac_first_nonfinite(nv, s->p) >= 0 || !(tac_dense_dot(nv, s->p, s->grad) < 0)) return;
    for (int k = 0; k < soft->nblock; k++) /* what the factor is of */
        soft->block[k].zone = s->zone[k];
    soft->factored = 1;
    move(s);
}

/* A step of Newton's; the factor stays while zones with constant stiffness do. 0: there is no direction to go. */
static int advance(Newton *s) {
    tacSoft *soft = s->soft;
    int nv = s->m->nv;
    if (!soft->factored && !tac_soft_hessian_factor(&soft->hessian, s->m, s->w, soft)) return 0;
    soft->factored = 1;
    for (int i = 0; i < nv; i++)
        s->p[i] = -s->grad[i];
    tac_soft_hessian_solve(&soft->hessian, s->m, s->p);
    if (tac_first_nonfinite(nv, s->p) >= 0) return 0;
    move(s);
    return 1;
}

/* A step of conjugate gradients, with M for a measure [Polak1969]: p = -M^-1 grad + beta p. 0: there is no direction to
 * go. */
static int advance_conjugate(Newton *s) {
    int nv = s->m->nv;
    tacTree tree = tac_dof_tree(s->m);
    double *last = s->pulled;
    s->pulled = s->pull, s->pull = last;
    memcpy(s->pull, s->grad, (size_t)nv * sizeof *s->pull);
    tac_tree_solve(&tree, s->w->L, s->pull);
    double weight = tac_dense_dot(nv, s->grad, s->pull), beta = 0;
    if (s->weight > 0) beta = tac_max(0, (weight - tac_dense_dot(nv, s->grad, s->pulled)) / s->weight);
    for (int i = 0; i < nv; i++)
        s->p[i] = (beta > 0 ? beta * s->p[i] : 0) - s->pull[i];
    s->weight = weight;
    if (tac_first_nonfinite(nv, s->p) >= 0) return 0;
    move(s);
    return 1;
}

/* Whatever step there is to take; the first of Newton's is a guess. */
static int step(Newton *s) {
    if (is_conjugate(s)) return advance_conjugate(s);
    if (s->soft->iterations > 1) return advance(s);
    guess(s);
    return 1;
}

/* 1: it goes on. error: now; before: a step ago; since: steps since the best was halved. */
static int goes_on(const Newton *s, double error, double before, int since) {
    if (error <= tac_max(ROUNDING, s->search->tolerance) * s->scale) return 0;
    if (s->soft->iterations >= s->search->iterations) return 0;
    if (is_conjugate(s)) return since < PATIENCE_CONJUGATE;
    int rounding = error >= before && error <= TAC_SOFT_SOLVED * stake(s); /* is all that is left */
    return since < PATIENCE && !rounding;
}

tacStatus tac_soft_solve(const tacModel *m, const tacWork *w, tacSoft *soft, const tacSoftSearch *search,
                         const double *a0, double *a, tacArena *arena) {
    Newton s = {.m = m, .w = w, .soft = soft, .a0 = a0, .a = a, .search = search};
    soft->iterations = soft->unsolved = soft->factored = 0, soft->residual = 0;
    if (soft->rows.n == 0) return TAC_OK;
    if (!is_conjugate(&s) && !tac_soft_hessian_begin(&soft->hessian, m, &soft->rows, arena)) return TAC_ERR_ARENA_FULL;
    size_t mark = tac_arena_mark(arena);
    if (!lay_out(&s, arena)) return TAC_ERR_ARENA_FULL;
    place(&s);
    double error = balance(&s), before = TAC_INFINITY, best = TAC_INFINITY;
    for (int since = 0; goes_on(&s, error, before, since);) {
        before = soft->iterations > 0 ? error : TAC_INFINITY; /* a guess may lead away */
        soft->iterations++;
        if (!step(&s)) break;
        error = balance(&s);
        since = error < best / 2 ? 0 : since + 1;
        best = tac_min(best, error);
    }
    if (soft->iterations > DRIFT) { /* what many steps have summed up has their rounding */
        place(&s);
        error = balance(&s);
    }
    if (error > ROUNDING * s.scale) s.scale = stake(&s);
    soft->residual = s.scale > 0 ? error / s.scale : 0;
    soft->unsolved = !(error <= tac_soft_solved(search->tolerance) * s.scale);
    tac_arena_release(arena, mark);
    return TAC_OK;
}
