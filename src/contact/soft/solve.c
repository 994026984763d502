/* Newton's method, or conjugate gradients, with an exact line search on the convex problem (Z1). It ends at rounding
 * unless told to stop before. So the answer is a function of the problem alone, and the implicit function theorem gives
 * the derivatives of the step.
 *
 * The objective is a sum over islands. Each has its own line searches and its own stopping test, relative to its own
 * forces. They proceed in rounds. Finished islands are not factored any more. */
#include "contact/soft/problem.h"

#include "dynamics/mass.h"
#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

/* Limits on steps and on points of a line, unless the model or the options have more. Files have fewer, for a solver
 * with a warm start. This one has none. */
enum { MOST_NEWTON = 100, MOST_CONJUGATE = 1000, MOST_POINTS = 50 };
/* Steps without progress after which an island gives up. Forces may have no more digits (D beyond 1e10), or the search
 * cycles. The gradient of a falling objective need not fall. That of conjugate gradients is less steady. */
enum { PATIENCE = 12, PATIENCE_CONJUGATE = 300 };
/* Relative to the largest force: a larger error is not rounding. */
#define LEAST_REAL_ERROR 1e-6
/* After more steps than this, y and the forces are recomputed from a. */
enum { STEPS_BETWEEN_EVALUATIONS = 4 };
/* Imbalance, relative to the forces, that counts as rounding. */
#define RELATIVE_ROUNDING_OF_FORCES 1e-14
/* Relative rounding of J a - a_ref, by its largest terms. */
#define RELATIVE_ROUNDING_OF_ROWS 1e-14
/* Fraction of the initial slope that a line search may leave. */
#define LINE_TOLERANCE 1e-3

typedef struct Newton {
    const tacModel *m;
    const tacWork *w;
    tacSoft *soft;
    const tacSoftSearch *search;
    const double *a0;
    double *a, *Ma;        /* nv: a, and M (a - a0) */
    double *grad;          /* nv: Ma - J^T f */
    double *p, *Mp, *q;    /* nv: direction; M p; scratch */
    double *pull, *pulled; /* conjugate gradients, nv: M^-1 grad, and that of the step before */
    double *Jp;            /* rows: J p */
    double *z, *g;         /* rows: y and force at the last point of the line */
    int *zone;             /* blocks: zones there */
    int whole;             /* 1: all has been factored once */
    int nisland;
    tacSoftIsland *island;
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
        .line = options->soft_ls_tolerance > 0 ? options->soft_ls_tolerance
                                               : tac_min(*m->option_ls_tolerance, LINE_TOLERANCE),
    };
}

/* Takes all but the islands. */
static int layout(Newton *s, int nrow, int nblock, tacArena *arena) {
    double **dofs[] = {&s->Ma, &s->grad, &s->p, &s->Mp, &s->q}, **more[] = {&s->pull, &s->pulled};
    double **rows[] = {&s->Jp, &s->z, &s->g};
    int ok = (s->zone = TAC_TAKE(arena, nblock, int)) != NULL;
    for (size_t k = 0; k < sizeof dofs / sizeof *dofs; k++)
        ok &= (*dofs[k] = TAC_TAKE(arena, s->m->nv, double)) != NULL;
    for (size_t k = 0; k < sizeof more / sizeof *more && is_conjugate(s); k++)
        ok &= (*more[k] = TAC_TAKE(arena, s->m->nv, double)) != NULL;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        ok &= (*rows[k] = TAC_TAKE(arena, nrow, double)) != NULL;
    return ok;
}

void tac_soft_measure_solve(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tacSoftSearch search = tac_soft_search(m, options);
    Newton s = {.m = m, .search = &search};
    int n = tac_rows_max(m, options->max_contacts);
    if (!is_conjugate(&s)) tac_soft_measure_hessian(m, dry);
    TAC_SCOPE(dry);
    layout(&s, n, n, dry);
    tac_soft_measure_islands(m, n, dry);
}

/* --- Evaluation ---------------------------------------------------------------------------------------------- */

static tacSoftBlock *block_of(const Newton *s, const tacSoftIsland *d, int k) { return &s->soft->block[d->block[k]]; }

/* Dot product over the dofs of an island. */
static double dot(const tacSoftIsland *d, const double *x, const double *y) {
    double sum = 0;
    for (int k = 0; k < d->nrun; k++)
        sum += tac_dense_dot(d->run[k][1] - d->run[k][0], x + d->run[k][0], y + d->run[k][0]);
    return sum;
}

static double largest(const tacSoftIsland *d, const double *x) {
    double most = 0;
    for (int k = 0; k < d->nrun; k++)
        for (int i = d->run[k][0]; i < d->run[k][1]; i++)
            most = tac_max(most, tac_abs(x[i]));
    return most;
}

static void clear(const tacSoftIsland *d, double *x) {
    for (int k = 0; k < d->nrun; k++)
        memset(x + d->run[k][0], 0, (size_t)(d->run[k][1] - d->run[k][0]) * sizeof *x);
}

/* out = J^T f over the dofs of an island. Blocks without force are skipped. */
static void gather_forces(const Newton *s, const tacSoftIsland *d, const double *f, double *out) {
    clear(d, out);
    for (int k = 0; k < d->nblock; k++) {
        const tacSoftBlock *b = block_of(s, d, k);
        if (f[b->row] != 0 || b->kind == TAC_SOFT_EQUALITY)
            tac_block_add_forces(&s->soft->rows, b->row, b->n, f + b->row, out);
    }
}

/* Stiffness is constant in a zone, except on an elliptic cone. 1: the factor has another stiffness. */
static int set_zone(tacSoft *soft, tacSoftBlock *b, int zone) {
    int other = b->zone != zone || (b->kind == TAC_SOFT_ELLIPTIC && zone == TAC_ZONE_CONE);
    b->zone = zone;
    soft->factored &= !other;
    return other;
}

/* Evaluates the problem at a: M (a - a0), y, forces and zones. */
static void evaluate(Newton *s) {
    tacSoft *soft = s->soft;
    for (int i = 0; i < s->m->nv; i++)
        s->q[i] = s->a[i] - s->a0[i];
    tac_mass_mul(s->m, s->w, s->q, s->Ma);
    for (int k = 0; k < soft->nblock; k++) {
        tacSoftBlock *b = &soft->block[k];
        tac_block_velocities(&soft->rows, b->row, b->n, s->a, soft->y + b->row);
        for (int i = b->row; i < b->row + b->n; i++)
            soft->y[i] -= soft->aref[i];
        set_zone(soft, b, tac_soft_force(b, soft->D + b->row, soft->y + b->row, soft->f + b->row, NULL));
    }
}

/* Forces -> grad, its largest entry, and the scale of the forces that it is compared with. */
static void balance(const Newton *s, tacSoftIsland *d) {
    gather_forces(s, d, s->soft->f, s->q);
    d->scale = tac_max(largest(d, s->Ma), largest(d, s->q));
    for (int k = 0; k < d->nrun; k++)
        for (int i = d->run[k][0]; i < d->run[k][1]; i++)
            s->grad[i] = s->Ma[i] - s->q[i];
    d->error = largest(d, s->grad);
}

/* Error of a block's forces by the rounding of y = J a - a_ref, in units of the residual that counts as solved. It
 * matters if D is so large that a lacks the digits for the forces. An example is a contact that cannot move a body
 * because the body turns about an axis through its centre. */
static double blurred_force(const Newton *s, const tacSoftBlock *b) {
    const tacSoft *soft = s->soft;
    double most = 0, D = 0;
    for (int i = b->row; i < b->row + b->n; i++) {
        const tacRow *row = &soft->rows.row[i];
        double terms = tac_abs(soft->aref[i]);
        for (int e = row->adr; e < row->adr + row->num; e++)
            terms += tac_abs(soft->rows.J[e] * s->a[soft->rows.dof[e]]);
        most = tac_max(most, terms);
        if (b->kind != TAC_SOFT_PYRAMID || i == b->row) D = tac_max(D, soft->D[i]); /* of its edges, in its first row */
    }
    return tac_soft_is_idle(b) ? 0 : RELATIVE_ROUNDING_OF_ROWS / TAC_SOFT_SOLVED * D * most;
}

/* The largest force that an imbalance is compared with. Forces that cancel each other count too. It is the largest of
 * the scale of the sums, of the force of one row on one dof, and of the inertial force of one dof, whose digits limit
 * a. */
static double largest_force(const Newton *s, const tacSoftIsland *d) {
    const tacRows *rows = &s->soft->rows;
    double most = d->scale;
    for (int k = 0; k < d->nblock; k++) {
        const tacSoftBlock *b = block_of(s, d, k);
        double blurred = blurred_force(s, b);
        for (int i = b->row; i < b->row + b->n; i++) {
            double force = tac_max(tac_abs(s->soft->f[i]), blurred);
            for (int e = rows->row[i].adr; e < rows->row[i].adr + rows->row[i].num; e++)
                most = tac_max(most, force * tac_abs(rows->J[e]));
        }
    }
    for (int k = 0; k < d->nrun; k++)
        for (int i = d->run[k][0]; i < d->run[k][1]; i++)
            most = tac_max(most, tac_abs(s->w->M[s->m->dof_M_adr[i]] * s->a[i]));
    return most;
}

/* --- Along a line ------------------------------------------------------------------------------------------------- */

/* Slope of the objective at a + t p, and the derivative of the slope. */
static double slope_at(const Newton *s, const tacSoftIsland *d, double t, double pMa, double pMp, double *curve) {
    const tacSoft *soft = s->soft;
    double slope = pMa + t * pMp;
    *curve = pMp;
    for (int k = 0; k < d->nblock; k++) {
        const tacSoftBlock *b = block_of(s, d, k);
        int at = b->row;
        for (int i = at; i < at + b->n; i++)
            s->z[i] = soft->y[i] + t * s->Jp[i];
        s->zone[d->block[k]] = tac_soft_line(b, soft->D + at, s->z + at, s->Jp + at, s->g + at, &slope, curve);
    }
    return slope;
}

/* 1: the point of the line is in the factored zones, and these are quadratic. Then a full Newton step ends there, and
 * its slope is rounding. */
static int is_whole(const Newton *s, const tacSoftIsland *d) {
    if (is_conjugate(s)) return 0;
    for (int k = 0; k < d->nblock; k++) {
        const tacSoftBlock *b = block_of(s, d, k);
        if (s->zone[d->block[k]] != b->zone || (b->kind == TAC_SOFT_ELLIPTIC && b->zone == TAC_ZONE_CONE)) return 0;
    }
    return 1;
}

/* The t > 0 at which the increasing slope is zero: Newton's method between two bounds. It starts from a full step, or
 * from zero if p has no length of its own. z, g and zones are those of t. */
static double search_line(const Newton *s, const tacSoftIsland *d) {
    double pMa = dot(d, s->p, s->Ma), pMp = dot(d, s->p, s->Mp), curve;
    double start = tac_abs(dot(d, s->p, s->grad)), low = 0, high = TAC_INFINITY, t = !is_conjugate(s);
    for (int k = 0;; k++) {
        double slope = slope_at(s, d, t, pMa, pMp, &curve);
        if (tac_abs(slope) <= s->search->line * start || k == s->search->lines || (k == 0 && is_whole(s, d))) return t;
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

/* Moves an island to the last point of the line, at t. */
static void advance_along(Newton *s, tacSoftIsland *d, double t) {
    tacSoft *soft = s->soft;
    for (int k = 0; k < d->nrun; k++) {
        int first = d->run[k][0], n = d->run[k][1] - first;
        tac_dense_axpy(n, t, s->p + first, s->a + first);
        tac_dense_axpy(n, t, s->Mp + first, s->Ma + first);
    }
    for (int k = 0; k < d->nblock; k++) {
        tacSoftBlock *b = block_of(s, d, k);
        memcpy(soft->y + b->row, s->z + b->row, (size_t)b->n * sizeof *s->z);
        memcpy(soft->f + b->row, s->g + b->row, (size_t)b->n * sizeof *s->g);
        d->stale |= set_zone(soft, b, s->zone[d->block[k]]);
    }
}

/* Line search along p for each island that moves. */
static void move(Newton *s) {
    tac_mass_mul(s->m, s->w, s->p, s->Mp);
    for (int i = 0; i < s->nisland; i++) {
        tacSoftIsland *d = &s->island[i];
        if (!d->moves) continue;
        for (int k = 0; k < d->nblock; k++) {
            const tacSoftBlock *b = block_of(s, d, k);
            tac_block_velocities(&s->soft->rows, b->row, b->n, s->p, s->Jp + b->row);
        }
        advance_along(s, d, search_line(s, d));
    }
}

/* Moves active islands that have a direction. Sets p of the others to zero. */
static void choose_directions(Newton *s, int downhill) {
    for (int i = 0; i < s->nisland; i++) {
        tacSoftIsland *d = &s->island[i];
        d->moves = d->goes && (!downhill || dot(d, s->p, s->grad) < 0);
        for (int k = 0; k < d->nrun && d->moves; k++)
            d->moves = tac_first_nonfinite(d->run[k][1] - d->run[k][0], s->p + d->run[k][0]) < 0;
        if (!d->moves) clear(d, s->p);
    }
}

/* First step, from a0: to the optimum if all contacts that push at a0 stuck. Most often they do. If not, the point is
 * nearer to the optimum. */
static void guess(Newton *s) {
    tacSoft *soft = s->soft;
    if (!tac_soft_hessian_factor_by(&soft->hessian, s->m, s->w, soft, tac_soft_sticking_force, s->g, s->zone)) return;
    for (int i = 0; i < s->nisland; i++)
        gather_forces(s, &s->island[i], s->g, s->p);
    tac_soft_hessian_solve(&soft->hessian, s->m, s->p);
    choose_directions(s, 1);
    soft->factored = s->whole = 1;
    for (int i = 0; i < s->nisland; i++) {
        tacSoftIsland *d = &s->island[i];
        d->stale = 0;
        for (int k = 0; k < d->nblock; k++) { /* zones of the factor */
            tacSoftBlock *b = block_of(s, d, k);
            if (d->moves) b->zone = s->zone[d->block[k]];
            d->stale |= b->zone != s->zone[d->block[k]];
        }
        soft->factored &= !d->stale;
    }
    move(s);
}

/* Factors the Hessian, at least of the active islands. 0: one is not positive definite. */
static int refactor(Newton *s) {
    tacSoft *soft = s->soft;
    int some = s->whole && s->nisland > 1 && soft->hessian.along_tree, ok = 1, left = 0;
    if (soft->factored) return 1;
    if (!some) ok = s->whole = tac_soft_hessian_factor(&soft->hessian, s->m, s->w, soft);
    for (int i = 0; i < s->nisland && ok; i++) {
        tacSoftIsland *d = &s->island[i];
        if (some && d->goes && d->stale) ok = tac_soft_hessian_factor_island(&soft->hessian, s->m, s->w, soft, d);
        d->stale &= some && !d->goes;
        left |= d->stale;
    }
    soft->factored = ok && !left;
    return ok;
}

/* A Newton step. The factor stays while zones with constant stiffness do. */
static void advance(Newton *s) {
    tacSoft *soft = s->soft;
    if (!refactor(s)) {
        for (int i = 0; i < s->nisland; i++)
            s->island[i].moves = 0;
        return;
    }
    for (int i = 0; i < s->m->nv; i++)
        s->p[i] = -s->grad[i];
    tac_soft_hessian_solve(&soft->hessian, s->m, s->p);
    choose_directions(s, 0);
    move(s);
}

/* A step of conjugate gradients in the metric M [Polak1969]: p = -M^-1 grad + beta p. */
static void advance_conjugate(Newton *s) {
    int nv = s->m->nv;
    tacTree tree = tac_dof_tree(s->m);
    double *last = s->pulled;
    s->pulled = s->pull;
    s->pull = last;
    memcpy(s->pull, s->grad, (size_t)nv * sizeof *s->pull);
    tac_tree_solve(&tree, s->w->L, s->pull);
    for (int i = 0; i < s->nisland; i++) {
        tacSoftIsland *d = &s->island[i];
        if (!d->goes) continue;
        double weight = dot(d, s->grad, s->pull), beta = 0;
        if (d->weight > 0) beta = tac_max(0, (weight - dot(d, s->grad, s->pulled)) / d->weight);
        for (int k = 0; k < d->nrun; k++)
            for (int j = d->run[k][0]; j < d->run[k][1]; j++)
                s->p[j] = beta * s->p[j] - s->pull[j];
        d->weight = weight;
    }
    choose_directions(s, 0);
    move(s);
}

/* One step of the method. The first Newton step is the guess. */
static void step(Newton *s) {
    if (is_conjugate(s))
        advance_conjugate(s);
    else if (s->soft->iterations > 1 || s->soft->sign != NULL)
        advance(s);
    else
        guess(s);
}

/* 1: the search continues in this island. */
static int goes_on(const Newton *s, const tacSoftIsland *d) {
    int first = s->soft->iterations == 0,
        guessed = s->soft->iterations == 1 && !is_conjugate(s) && s->soft->sign == NULL;
    if (d->error <= tac_max(RELATIVE_ROUNDING_OF_FORCES, s->search->tolerance) * d->scale) return 0;
    if (s->soft->iterations >= s->search->iterations || !(d->moves || first || guessed)) return 0;
    if (is_conjugate(s)) return d->since < PATIENCE_CONJUGATE;
    double scale = d->error >= d->before || d->since >= PATIENCE ? largest_force(s, d) : d->scale;
    int rounding = d->error >= d->before && d->error <= TAC_SOFT_SOLVED * scale; /* is all that is left */
    return (d->since < PATIENCE || d->error > LEAST_REAL_ERROR * scale) && !rounding;
}

static int any_goes_on(Newton *s) {
    int any = 0;
    for (int i = 0; i < s->nisland; i++) {
        tacSoftIsland *d = &s->island[i];
        if (d->goes) d->goes = goes_on(s, d);
        any |= d->goes;
    }
    return any;
}

/* Rounds of steps, until no island continues. */
static void search(Newton *s) {
    while (any_goes_on(s)) {
        s->soft->iterations++;
        step(s);
        for (int i = 0; i < s->nisland; i++) {
            tacSoftIsland *d = &s->island[i];
            if (!d->goes) continue;
            d->before =
                s->soft->iterations > 1 || s->soft->sign != NULL ? d->error : TAC_INFINITY; /* a guess may lead away */
            balance(s, d);
            d->since = d->error < d->best / 2 ? 0 : d->since + 1;
            d->best = tac_min(d->best, d->error);
        }
    }
}

/* Residual of the worst island. */
static void measure_residual(Newton *s) {
    tacSoft *soft = s->soft;
    for (int i = 0; i < s->nisland; i++) {
        tacSoftIsland *d = &s->island[i];
        if (d->error > RELATIVE_ROUNDING_OF_FORCES * d->scale) d->scale = largest_force(s, d);
        if (d->scale > 0) soft->residual = tac_max(soft->residual, d->error / d->scale);
        soft->unsolved |= !(d->error <= tac_soft_solved(s->search->tolerance) * d->scale);
    }
}

/* Many steps accumulate rounding, so y and the forces are recomputed from a. Constraints may be so stiff that a lacks
 * the digits for their forces (pyramids of next to no friction). Then the sums of the steps have these digits, and
 * stay. */
static void evaluate_anew(Newton *s) {
    tacSoft *soft = s->soft;
    size_t bytes = (size_t)soft->rows.n * sizeof *soft->y;
    double residual = soft->residual;
    int unsolved = soft->unsolved, factored = soft->factored;
    memcpy(s->z, soft->y, bytes);
    memcpy(s->g, soft->f, bytes);
    for (int k = 0; k < soft->nblock; k++)
        s->zone[k] = soft->block[k].zone;
    evaluate(s);
    for (int i = 0; i < s->nisland; i++)
        balance(s, &s->island[i]);
    soft->residual = 0;
    soft->unsolved = 0;
    measure_residual(s);
    if (!soft->unsolved || unsolved) return;
    memcpy(soft->y, s->z, bytes);
    memcpy(soft->f, s->g, bytes);
    for (int k = 0; k < soft->nblock; k++)
        soft->block[k].zone = s->zone[k];
    soft->residual = residual;
    soft->unsolved = unsolved;
    soft->factored = factored;
}

/* Dofs without constraints keep a0. */
static void start_nearby(const Newton *s, const double *start) {
    for (int i = 0; i < s->nisland; i++)
        for (int k = 0; k < s->island[i].nrun; k++) {
            const int *run = s->island[i].run[k];
            memcpy(s->a + run[0], start + run[0], (size_t)(run[1] - run[0]) * sizeof *start);
        }
}

tacStatus tac_soft_solve(const tacModel *m, const tacWork *w, tacSoft *soft, const tacSoftSearch *how, const double *a0,
                         double *a, tacArena *arena) {
    Newton s = {.m = m, .w = w, .soft = soft, .a0 = a0, .a = a, .search = how};
    soft->iterations = soft->unsolved = soft->factored = 0;
    soft->residual = 0;
    if (soft->rows.n == 0) return TAC_OK;
    if (!is_conjugate(&s) && !tac_soft_hessian_begin(&soft->hessian, m, &soft->rows, arena)) return TAC_ERR_ARENA_FULL;
    TAC_SCOPE(arena);
    if (!layout(&s, soft->rows.n, soft->nblock, arena)) return TAC_ERR_ARENA_FULL;
    s.nisland = tac_soft_islands(m, soft, arena, &s.island);
    if (s.nisland < 0) return TAC_ERR_ARENA_FULL;
    memset(s.p, 0, (size_t)m->nv * sizeof *s.p);
    memset(s.grad, 0, (size_t)m->nv * sizeof *s.grad);
    if (soft->start != NULL) start_nearby(&s, soft->start);
    evaluate(&s);
    for (int i = 0; i < s.nisland; i++)
        balance(&s, &s.island[i]);
    search(&s);
    measure_residual(&s);
    if (soft->iterations > STEPS_BETWEEN_EVALUATIONS) evaluate_anew(&s);
    return TAC_OK;
}
