#include "collide/growth.h"

/* Rows [from, to) of three of M's columns, times lambda. */
static tacVec3 pull(const tacConeProgram *p, int column, int from, int to, const double *lambda) {
    const double *x = p->M + (long)p->m * column, *y = x + p->m, *z = y + p->m;
    tacVec3 f = tac_zero3();
    for (int i = from; i < to; i++)
        f = tac_add3(f, tac_vec3(x[i] * lambda[i], y[i] * lambda[i], z[i] * lambda[i]));
    return f;
}

tacVec3 tac_growth_force(const tacGrowthPair *pair, int side, int term, const double *lambda) {
    tacGrowthRows r = tac_growth_term_rows(&pair->shape[side]->term[term]);
    int half = pair->half[side][term], cone = pair->cone[side][term];
    int column = term == 0 ? TAC_GROWTH_POINT : pair->share[side][term];
    return tac_add3(pull(&pair->program, column, half, half + r.half, lambda),
                    pull(&pair->program, column, cone, cone + r.dim, lambda));
}

/* (E11): the path's point -> what the pair is asked for. D = -c0 . lambda, with centres from the origin. */
static void read_result(const tacGrowthPair *pair, tacGrowthResult *out) {
    const tacConeProgram *p = &pair->program;
    const tacConePath *k = &pair->path;
    out->alpha = k->x[TAC_GROWTH_ALPHA];
    out->dual = 0;
    for (int i = 0; i < p->m; i++)
        out->dual -= p->c0[i] * k->lambda[i];
    int plane = pair->shape[0]->term[0].type == TAC_GEOM_PLANE; /* whose one row has no cancellation */
    out->force = plane ? tac_neg3(tac_growth_force(pair, 0, 0, k->lambda)) : tac_growth_force(pair, 1, 0, k->lambda);
    double length = tac_norm3(out->force);
    out->gap = (out->dual - 1) / length;
    out->normal = tac_scale3(1 / length, out->force);
    out->point = tac_add3(pair->origin, tac_load3(k->x));
    out->systems = k->systems;
    out->nu = p->nhalf + 2 * p->ncone;
}

/* The start's alpha is not below that of the path about a common centre, kappa nu: the way down is short. */
static void raise_start(tacGrowthPair *pair, double kappa) {
    double *alpha = &pair->path.x[TAC_GROWTH_ALPHA];
    *alpha = tac_max(*alpha, kappa * (pair->program.nhalf + 2 * pair->program.ncone));
}

tacStatus tac_growth_solve(const tacGrowthShape *a, const tacGrowthShape *b, const tacConeSettings *settings,
                           tacArena *arena, tacGrowthPair *pair, tacGrowthResult *out) {
    int n, m, ncone;
    tac_growth_count(a, b, &n, &m, &ncone);
    if (!tac_growth_layout(n, m, ncone, arena, pair)) return TAC_ERR_ARENA_FULL;
    pair->shape[0] = a;
    pair->shape[1] = b;
    tac_growth_rows(pair);
    raise_start(pair, settings->kappa);
    out->solved = tac_cone_path(&pair->program, settings, &pair->path);
    read_result(pair, out);
    return out->solved ? TAC_OK : TAC_ERR_UNSOLVED;
}
