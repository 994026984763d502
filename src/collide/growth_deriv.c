#include "collide/growth.h"

#include <string.h>

int tac_growth_adjoint_layout(const tacGrowthPair *pair, tacArena *arena, tacGrowthAdjoint *out) {
    out->y = TAC_TAKE(arena, pair->program.n, double);
    out->z = TAC_TAKE(arena, pair->program.m, double);
    return out->y != NULL && out->z != NULL;
}

tacStatus tac_growth_prepare(tacGrowthPair *pair) {
    return tac_cone_path_factor(&pair->program, &pair->path) ? TAC_OK : TAC_ERR_SINGULAR;
}

/* --- Adjoints ----------------------------------------------------------------------------------------------------- */

/* Rows of one kind: to += M_point w. */
static void add_point(const tacConeProgram *p, int from, int to, tacVec3 w, double *sum) {
    const double *x = p->M, *y = x + p->m, *z = y + p->m;
    for (int i = from; i < to; i++)
        sum[i] += x[i] * w.x + y[i] * w.y + z[i] * w.z;
}

/* (E10) of  alpha_bar alpha + point_bar . point + force_bar . force; the force is linear in the duals of shape 1. */
static void solve_adjoint(tacGrowthPair *pair, double alpha, tacVec3 point, tacVec3 force, tacGrowthAdjoint *out) {
    const tacConeProgram *p = &pair->program;
    tacGrowthRows r = tac_growth_term_rows(&pair->shape[1]->term[0]);
    double *xbar = pair->path.dx, *lambdabar = pair->path.second;
    memset(xbar, 0, (size_t)p->n * sizeof *xbar);
    memset(lambdabar, 0, (size_t)p->m * sizeof *lambdabar);
    tac_store3(xbar, point);
    xbar[TAC_GROWTH_ALPHA] = alpha;
    add_point(p, pair->half[1][0], pair->half[1][0] + r.half, force, lambdabar);
    add_point(p, pair->cone[1][0], pair->cone[1][0] + r.dim, force, lambdabar);
    tac_cone_path_adjoint(p, &pair->path, xbar, lambdabar, out->y, out->z);
    out->force = force;
}

static tacVec3 axis_if(int k) { return tac_vec3(k == 0, k == 1, k == 2); }

void tac_growth_adjoint_part(tacGrowthPair *pair, int k, tacGrowthAdjoint *out) {
    solve_adjoint(pair, k == 0, axis_if(k - 1), axis_if(k - 4), out);
}

void tac_growth_adjoint_dual(tacGrowthPair *pair, int row, tacGrowthAdjoint *out) {
    const tacConeProgram *p = &pair->program;
    double *xbar = pair->path.dx, *lambdabar = pair->path.second;
    memset(xbar, 0, (size_t)p->n * sizeof *xbar);
    memset(lambdabar, 0, (size_t)p->m * sizeof *lambdabar);
    lambdabar[row] = 1;
    tac_cone_path_adjoint(p, &pair->path, xbar, lambdabar, out->y, out->z);
    out->force = tac_zero3();
}

/* gap = (D - 1) / |f| and n = f / |f|; dD = dalpha at fixed kappa, for alpha - D = kappa nu   (E11). */
tacGrowthTangent tac_growth_combine(const tacGrowthResult *r, const double part[TAC_GROWTH_PARTS]) {
    double length = tac_norm3(r->force);
    tacVec3 force = tac_load3(part + 4);
    double along = tac_dot3(r->normal, force);
    return (tacGrowthTangent){.alpha = part[0],
                              .dual = part[0],
                              .gap = (part[0] - r->gap * along) / length,
                              .point = tac_load3(part + 1),
                              .normal = tac_scale3(1 / length, tac_madd3(force, -along, r->normal))};
}

/* dV = -lambda . (dM x + dc0): the adjoint y = 0, z = lambda. */
void tac_growth_envelope(const tacGrowthPair *pair, tacGrowthAdjoint *out) {
    memset(out->y, 0, (size_t)pair->program.n * sizeof *out->y);
    memcpy(out->z, pair->path.lambda, (size_t)pair->program.m * sizeof *out->z);
    out->force = tac_zero3();
}

/* --- What a term's rows are applied to ---------------------------------------------------------------------------- */

/* A term's place in x, or in an adjoint's y: (share of the point, alpha, along). */
typedef struct Place {
    tacVec3 y;
    double alpha, along, one;
} Place;

static Place place_of(const tacGrowthPair *pair, int side, int term, const double *x, tacVec3 from) {
    const tacGrowthShape *s = pair->shape[side];
    int share = pair->share[side][term], along = pair->along[side][term];
    Place p = {.alpha = x[TAC_GROWTH_ALPHA], .along = along < 0 ? 0 : x[along]};
    p.y = term == 0 ? tac_add3(tac_load3(x), from) : tac_load3(x + share);
    for (int i = 1; i < s->nterm && term == 0; i++)
        p.y = tac_sub3(p.y, tac_load3(x + pair->share[side][i]));
    return p;
}

/* Of the solution, from the shape's centre. */
static Place place_at(const tacGrowthPair *pair, int side, int term) {
    Place p = place_of(pair, side, term, pair->path.x, tac_sub3(pair->origin, pair->centre[side]));
    p.one = 1;
    return p;
}

/* Of the adjoint; rows that the force sums take its weight as well. */
static Place place_moved(const tacGrowthPair *pair, const tacGrowthAdjoint *k, int side, int term) {
    return place_of(pair, side, term, k->y, side == 1 ? k->force : tac_zero3());
}

/* --- Motions ------------------------------------------------------------------------------------------------------ */

/* lambda . (dM y) - z . (dM x + dc0) for rows a . R^T (x - c): with f = sum R a lambda and g = sum R a z of a term,
 * by its turn -y x f + x x g, by the shape's motion g of the first term; the centre turns with all terms. */
void tac_growth_motion(const tacGrowthPair *pair, const tacGrowthAdjoint *k, int side, tacGrowthMotion *out) {
    const tacGrowthShape *s = pair->shape[side];
    out->moved = tac_growth_force(pair, side, 0, k->z);
    out->turned = tac_zero3();
    for (int i = 0; i < s->nterm; i++) {
        tacVec3 f = tac_growth_force(pair, side, i, pair->path.lambda);
        tacVec3 g = i == 0 ? out->moved : tac_growth_force(pair, side, i, k->z);
        tacVec3 centre = tac_mulmv3(s->term[i].R, tac_growth_term_centre(&s->term[i]));
        tacVec3 turn =
            tac_sub3(tac_cross3(place_at(pair, side, i).y, g), tac_cross3(place_moved(pair, k, side, i).y, f));
        out->term_turned[i] = tac_add3(turn, tac_cross3(centre, out->moved));
        out->turned = tac_add3(out->turned, out->term_turned[i]);
    }
}

/* --- Shapes' own numbers ------------------------------------------------------------------------------------------ */

static double apply_row(tacGrowthRow r, tacMat3 R, const Place *p) {
    return tac_dot3(r.a, tac_mulmtv3(R, p->y)) + r.alpha * p->alpha + r.along * p->along + r.one * p->one;
}

/* The sum's change with number `number` of a term's rows (3: depth). */
static double by_number(const tacGrowthPair *pair, const tacGrowthAdjoint *k, int side, int term, int number) {
    const tacGrowthTerm *t = &pair->shape[side]->term[term];
    const double *lambda = pair->path.lambda;
    Place x = place_at(pair, side, term), y = place_moved(pair, k, side, term);
    tacGrowthRows r = tac_growth_term_rows(t);
    double sum = 0;
    for (int i = 0, row = pair->half[side][term]; i < r.half; i++, row++) {
        tacGrowthRow d = tac_growth_half_change(t, i, number);
        sum += lambda[row] * apply_row(d, t->R, &y) - k->z[row] * apply_row(d, t->R, &x);
    }
    for (int i = 0, row = pair->cone[side][term]; i < r.dim; i++, row++) {
        tacGrowthRow d = tac_growth_cone_change(t, i, number);
        sum += lambda[row] * apply_row(d, t->R, &y) - k->z[row] * apply_row(d, t->R, &x);
    }
    return sum;
}

/* By the depth of the pair's plane; 0: there is none, or it is not the other shape. */
static double by_depth(const tacGrowthPair *pair, const tacGrowthAdjoint *k, int side) {
    if (pair->shape[1 - side]->term[0].type != TAC_GEOM_PLANE) return 0;
    return by_number(pair, k, 1 - side, 0, 3);
}

tacVec3 tac_growth_by_size(const tacGrowthPair *pair, const tacGrowthAdjoint *k, int side, int term) {
    const tacGrowthTerm *t = &pair->shape[side]->term[term];
    double g[3], depth = by_depth(pair, k, side);
    tacVec3 moved = tac_growth_force(pair, side, 0, k->z);
    if (t->type == TAC_GEOM_MESH || t->type == TAC_GEOM_PLANE) return tac_zero3();
    for (int i = 0; i < 3; i++)
        g[i] = by_number(pair, k, side, term, i) + depth * tac_growth_size_change(t, i) +
               tac_dot3(moved, tac_mulmv3(t->R, tac_growth_centre_change(t, i)));
    return tac_load3(g);
}

/* Rows alpha b - a . y. */
double tac_growth_along_faces(const tacGrowthPair *pair, const tacGrowthAdjoint *k, int side, int term,
                              const tacGrowthFaces *change) {
    const tacGrowthTerm *t = &pair->shape[side]->term[term];
    Place x = place_at(pair, side, term), y = place_moved(pair, k, side, term);
    tacVec3 at = tac_mulmtv3(t->R, x.y), moved = tac_mulmtv3(t->R, y.y);
    double sum = 0, size = 0;
    for (int i = 0, row = pair->half[side][term]; i < change->n; i++, row++) {
        double offset = change->offset[i], lambda = pair->path.lambda[row], z = k->z[row];
        sum += lambda * (offset * y.alpha - tac_dot3(change->normal[i], moved));
        sum -= z * (offset * x.alpha - tac_dot3(change->normal[i], at));
        size += offset;
    }
    tacVec3 shift = tac_mulmv3(t->R, change->centre);
    return sum + by_depth(pair, k, side) * size / t->faces.n + tac_dot3(tac_growth_force(pair, side, 0, k->z), shift);
}
