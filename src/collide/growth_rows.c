#include "collide/growth.h"

/* The start's alpha: this times the least one plus this much, so that no row is near its border. */
#define START_BY  1.5
#define START_AND 0.1

/* --- Sizes -------------------------------------------------------------------------------------------------------- */

tacGrowthRows tac_growth_term_rows(const tacGrowthTerm *t) {
    static const tacGrowthRows rows[TAC_GEOM_TYPES] = {
        [TAC_GEOM_PLANE] = {.half = 1},
        [TAC_GEOM_SPHERE] = {.dim = 4},
        [TAC_GEOM_ELLIPSOID] = {.dim = 4},
        [TAC_GEOM_CAPSULE] = {.half = 2, .dim = 4, .along = 1},
        [TAC_GEOM_CYLINDER] = {.half = 2, .dim = 3},
        [TAC_GEOM_CONE] = {.half = 1, .dim = 3},
        [TAC_GEOM_BOX] = {.half = 6},
    };
    return t->type == TAC_GEOM_MESH ? (tacGrowthRows){.half = t->faces.n} : rows[t->type];
}

void tac_growth_count(const tacGrowthShape *a, const tacGrowthShape *b, int *n, int *m, int *ncone) {
    *n = 4, *m = 0, *ncone = 0;
    for (int side = 0; side < 2; side++) {
        const tacGrowthShape *s = side ? b : a;
        *n += 3 * (s->nterm - 1);
        for (int i = 0; i < s->nterm; i++) {
            tacGrowthRows r = tac_growth_term_rows(&s->term[i]);
            *n += r.along;
            *m += r.half + r.dim;
            *ncone += r.dim > 0;
        }
    }
}

int tac_growth_layout(int n, int m, int ncone, tacArena *arena, tacGrowthPair *pair) {
    pair->program = (tacConeProgram){.n = n, .m = m, .objective = TAC_GROWTH_ALPHA};
    pair->program.M = TAC_TAKE(arena, (long)m * n, double);
    pair->program.c0 = TAC_TAKE(arena, m, double);
    pair->program.dim = TAC_TAKE(arena, ncone, int);
    if (pair->program.M == NULL || pair->program.c0 == NULL || pair->program.dim == NULL) return 0;
    return tac_cone_path_layout(n, m, ncone, arena, &pair->path);
}

/* --- Terms -------------------------------------------------------------------------------------------------------- */

/* A cone's lies a quarter of its height above its base, 2 h / 4 - h from the middle. */
tacVec3 tac_growth_term_centre(const tacGrowthTerm *t) {
    if (t->type == TAC_GEOM_CONE) return tac_vec3(0, 0, -0.5 * t->size.y);
    return t->type == TAC_GEOM_MESH ? t->faces.centre : tac_zero3();
}

double tac_growth_term_size(const tacGrowthTerm *t) {
    switch (t->type) {
    case TAC_GEOM_SPHERE:
        return t->size.x;
    case TAC_GEOM_BOX:
    case TAC_GEOM_ELLIPSOID:
        return (t->size.x + t->size.y + t->size.z) / 3;
    case TAC_GEOM_MESH: {
        double sum = 0;
        for (int i = 0; i < t->faces.n; i++)
            sum += t->faces.offset[i];
        return sum / t->faces.n;
    }
    default:
        return (t->size.x + t->size.y) / 2;
    }
}

/* Radius of a ball about the centre inside the term, or half of it: for the start. */
static double inner_size(const tacGrowthTerm *t) {
    switch (t->type) {
    case TAC_GEOM_SPHERE:
    case TAC_GEOM_CAPSULE:
        return t->size.x;
    case TAC_GEOM_BOX:
    case TAC_GEOM_ELLIPSOID:
        return tac_min(t->size.x, tac_min(t->size.y, t->size.z));
    case TAC_GEOM_CYLINDER:
        return tac_min(t->size.x, t->size.y);
    case TAC_GEOM_CONE:
        return 0.5 * tac_min(t->size.x, t->size.y);
    default: {
        double least = TAC_INFINITY;
        for (int i = 0; i < t->faces.n; i++)
            least = tac_min(least, t->faces.offset[i]);
        return least;
    }
    }
}

static double inner_sum(const tacGrowthShape *s) {
    double sum = 0;
    for (int i = 0; i < s->nterm; i++)
        sum += inner_size(&s->term[i]);
    return sum;
}

/* --- Rows --------------------------------------------------------------------------------------------------------- */

static tacVec3 axis(int k, double by) { return tac_vec3(k == 0 ? by : 0, k == 1 ? by : 0, k == 2 ? by : 0); }

/* Half line k of a term   (E2). */
static tacGrowthRow half_row(const tacGrowthTerm *t, int k, double depth) {
    double sign = k % 2 ? 1 : -1;
    switch (t->type) {
    case TAC_GEOM_PLANE: /* grows about a point below its face: alpha d - d - y_z */
        return (tacGrowthRow){.a = axis(2, -1), .alpha = depth, .one = -depth};
    case TAC_GEOM_BOX: /* alpha h -+ y */
        return (tacGrowthRow){.a = axis(k / 2, sign), .alpha = tac_get3(t->size, k / 2)};
    case TAC_GEOM_CAPSULE: /* alpha l -+ t */
        return (tacGrowthRow){.along = sign, .alpha = t->size.y};
    case TAC_GEOM_CYLINDER: /* alpha l -+ y_z */
        return (tacGrowthRow){.a = axis(2, sign), .alpha = t->size.y};
    case TAC_GEOM_CONE: /* y_z + alpha H / 4, H = 2 size.y */
        return (tacGrowthRow){.a = axis(2, 1), .alpha = 0.5 * t->size.y};
    default: /* alpha b - a . y */
        return (tacGrowthRow){.a = tac_neg3(t->faces.normal[k]), .alpha = t->faces.offset[k]};
    }
}

/* tacGrowthRow k of a term's second-order cone   (E3). */
static tacGrowthRow cone_row(const tacGrowthTerm *t, int k) {
    double r = t->size.x;
    if (t->type == TAC_GEOM_ELLIPSOID) /* (alpha, y / radii) */
        return k == 0 ? (tacGrowthRow){.alpha = 1} : (tacGrowthRow){.a = axis(k - 1, 1 / tac_get3(t->size, k - 1))};
    if (t->type == TAC_GEOM_CONE && k == 0) /* (r / H (3/4 alpha H - y_z), y_perp) */
        return (tacGrowthRow){.a = axis(2, -r / (2 * t->size.y)), .alpha = 0.75 * r};
    if (k == 0) return (tacGrowthRow){.alpha = r}; /* (alpha r, y): ball; y_perp: cylinder; y - t e_z: capsule */
    return (tacGrowthRow){.a = axis(k - 1, 1), .along = t->type == TAC_GEOM_CAPSULE && k == 3 ? -1 : 0};
}

/* --- Their changes with a term's own numbers ---------------------------------------------------------------------- */

tacGrowthRow tac_growth_half_change(const tacGrowthTerm *t, int row, int k) {
    static const int number[TAC_GEOM_TYPES] = {
        [TAC_GEOM_PLANE] = 3, [TAC_GEOM_CAPSULE] = 1, [TAC_GEOM_CYLINDER] = 1, [TAC_GEOM_CONE] = 1};
    if (k != (t->type == TAC_GEOM_BOX ? row / 2 : number[t->type])) return (tacGrowthRow){.alpha = 0};
    if (t->type == TAC_GEOM_PLANE) return (tacGrowthRow){.alpha = 1, .one = -1};
    return (tacGrowthRow){.alpha = t->type == TAC_GEOM_CONE ? 0.5 : 1};
}

tacGrowthRow tac_growth_cone_change(const tacGrowthTerm *t, int row, int k) {
    double r = t->size.x, h = t->size.y;
    if (t->type == TAC_GEOM_ELLIPSOID) {
        double radius = tac_get3(t->size, k < 3 ? k : 0);
        return row == k + 1 ? (tacGrowthRow){.a = axis(k, -1 / (radius * radius))} : (tacGrowthRow){.alpha = 0};
    }
    if (row > 0 || k > 1) return (tacGrowthRow){.alpha = 0};
    if (t->type == TAC_GEOM_CONE)
        return k == 0 ? (tacGrowthRow){.a = axis(2, -1 / (2 * h)), .alpha = 0.75}
                      : (tacGrowthRow){.a = axis(2, r / (2 * h * h))};
    return (tacGrowthRow){.alpha = k == 0};
}

tacVec3 tac_growth_centre_change(const tacGrowthTerm *t, int k) {
    return axis(2, t->type == TAC_GEOM_CONE && k == 1 ? -0.5 : 0);
}

double tac_growth_size_change(const tacGrowthTerm *t, int k) {
    if (t->type == TAC_GEOM_SPHERE) return k == 0;
    if (t->type == TAC_GEOM_BOX || t->type == TAC_GEOM_ELLIPSOID) return 1.0 / 3;
    return t->type != TAC_GEOM_MESH && k < 2 ? 0.5 : 0;
}

/* --- The program -------------------------------------------------------------------------------------------------- */

/* Three columns of a row, from `first` on. */
static void set_entries(double *row, long ld, int first, tacVec3 a) {
    row[ld * first] = a.x;
    row[ld * (first + 1)] = a.y;
    row[ld * (first + 2)] = a.z;
}

/* A row of the pair's program. The first term of a shape has the point less all other terms' shares. */
static void write_row(const tacGrowthPair *pair, int side, int i, tacGrowthRow r, int row) {
    const tacGrowthShape *s = pair->shape[side];
    const tacConeProgram *p = &pair->program;
    tacVec3 a = tac_mulmv3(s->term[i].R, r.a);
    double *to = p->M + row;
    const long ld = p->m;
    for (int j = 0; j < p->n; j++)
        to[ld * j] = 0;
    int first = i == 0 ? TAC_GROWTH_POINT : pair->share[side][i];
    set_entries(to, ld, first, a);
    for (int j = 1; i == 0 && j < s->nterm; j++)
        set_entries(to, ld, pair->share[side][j], tac_neg3(a));
    to[ld * TAC_GROWTH_ALPHA] = r.alpha;
    if (pair->along[side][i] >= 0) to[ld * pair->along[side][i]] = r.along;
    p->c0[row] = r.one - (i == 0 ? tac_dot3(a, tac_sub3(pair->centre[side], pair->origin)) : 0);
}

/* Numbers and rows of each term: half lines first, then cones. */
static void number_rows(tacGrowthPair *pair) {
    int column = 4, half = 0, row = 0, *dim = (int *)pair->program.dim;
    pair->program.ncone = 0;
    for (int pass = 0; pass < 2; pass++, row = half)
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < pair->shape[side]->nterm; i++) {
                tacGrowthRows r = tac_growth_term_rows(&pair->shape[side]->term[i]);
                if (pass == 1) {
                    pair->cone[side][i] = row;
                    row += r.dim;
                    if (r.dim > 0) dim[pair->program.ncone++] = r.dim;
                    continue;
                }
                pair->half[side][i] = half;
                half += r.half;
                pair->share[side][i] = i == 0 ? -1 : column;
                column += i == 0 ? 0 : 3;
                pair->along[side][i] = r.along ? column : -1;
                column += r.along;
            }
    pair->program.nhalf = half;
}

static tacVec3 shape_centre(const tacGrowthShape *s) {
    tacVec3 c = s->p;
    for (int i = 0; i < s->nterm; i++)
        c = tac_add3(c, tac_mulmv3(s->term[i].R, tac_growth_term_centre(&s->term[i])));
    return c;
}

static int is_plane(const tacGrowthShape *s) { return s->term[0].type == TAC_GEOM_PLANE; }

/* The point of the start, from the centre of shape 0: the place where balls inside both shapes meet. */
static tacVec3 start_point(const tacGrowthPair *pair) {
    tacVec3 d = tac_sub3(pair->centre[1], pair->centre[0]);
    double a = inner_sum(pair->shape[0]), b = inner_sum(pair->shape[1]);
    for (int side = 0; side < 2; side++) {
        if (!is_plane(pair->shape[side])) continue;
        tacMat3 R = pair->shape[side]->term[0].R;
        tacVec3 up = tac_vec3(R.m[2], R.m[5], R.m[8]);
        double height = tac_dot3(side ? tac_neg3(d) : d, up), other = side ? a : b;
        double down = tac_max(0, (height / pair->depth + 1) / (1 / other + 1 / pair->depth));
        return tac_madd3(side ? tac_zero3() : d, -down, up);
    }
    return tac_scale3(a / (a + b), d);
}

/* Each term's share of the way from the centre to the point, by its size. */
static void start_shares(tacGrowthPair *pair) {
    double *x = pair->path.x;
    for (int side = 0; side < 2; side++) {
        const tacGrowthShape *s = pair->shape[side];
        tacVec3 y = tac_sub3(tac_add3(tac_load3(x), pair->origin), pair->centre[side]);
        double all = inner_sum(s);
        for (int i = 0; i < s->nterm; i++) {
            if (i > 0) tac_store3(x + pair->share[side][i], tac_scale3(inner_size(&s->term[i]) / all, y));
            if (pair->along[side][i] >= 0) x[pair->along[side][i]] = 0;
        }
    }
}

/* Least alpha at which the start is inside: each cone needs alpha_by alpha + v_0 >= |v_t|. */
static double least_alpha(const tacGrowthPair *pair) {
    const tacConeProgram *p = &pair->program;
    const double *by = p->M + (long)p->m * TAC_GROWTH_ALPHA;
    double most = -TAC_INFINITY;
    double *v = pair->path.s;
    tac_cone_program_slack(p, pair->path.x, v);
    for (int i = 0; i < p->nhalf; i++)
        most = tac_max(most, -v[i] / by[i]);
    int row = p->nhalf;
    for (int c = 0; c < p->ncone; row += p->dim[c++]) {
        double square = 0;
        for (int i = 1; i < p->dim[c]; i++)
            square += v[row + i] * v[row + i];
        most = tac_max(most, (tac_sqrt(square) - v[row]) / by[row]);
    }
    return most;
}

/* The start's alpha: well above the least.   (E5) */
static void start(tacGrowthPair *pair) {
    double *x = pair->path.x;
    tac_store3(x, tac_sub3(tac_add3(pair->centre[0], start_point(pair)), pair->origin));
    x[TAC_GROWTH_ALPHA] = 0;
    start_shares(pair);
    double least = least_alpha(pair);
    x[TAC_GROWTH_ALPHA] = START_BY * tac_abs(least) + START_AND;
}

void tac_growth_place_rows(tacGrowthPair *pair) {
    number_rows(pair);
    for (int side = 0; side < 2; side++) {
        const tacGrowthShape *other = pair->shape[1 - side];
        pair->centre[side] = shape_centre(pair->shape[side]);
        if (!is_plane(pair->shape[side])) continue;
        pair->depth = 0;
        for (int i = 0; i < other->nterm; i++)
            pair->depth += tac_growth_term_size(&other->term[i]);
    }
    /* Not the mean beside a plane: the dual value is then that of the plane's row alone, however deep the other is. */
    tacVec3 middle = tac_scale3(0.5, tac_add3(pair->centre[0], pair->centre[1]));
    pair->origin = is_plane(pair->shape[0]) ? pair->centre[1] : is_plane(pair->shape[1]) ? pair->centre[0] : middle;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < pair->shape[side]->nterm; i++) {
            const tacGrowthTerm *t = &pair->shape[side]->term[i];
            tacGrowthRows r = tac_growth_term_rows(t);
            for (int k = 0; k < r.half; k++)
                write_row(pair, side, i, half_row(t, k, pair->depth), pair->half[side][i] + k);
            for (int k = 0; k < r.dim; k++)
                write_row(pair, side, i, cone_row(t, k), pair->cone[side][i] + k);
        }
}

void tac_growth_rows(tacGrowthPair *pair) {
    tac_growth_place_rows(pair);
    start(pair);
}
