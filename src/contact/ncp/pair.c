/* Pairs of shapes: which are within reach, and their part of the problem
 * (docs/theory/ncp_pairs.md, SL1-SL3, SL7-SL9). */
#include "contact/ncp/pair.h"

#include "base/error.h"
#include "contact/ncp/contact.h"
#include "contact/ncp/features.h"
#include "contact/ncp/tuning.h"
#include "math/scalar.h"
#include "dynamics/growth_move.h"
#include "smooth/find_contacts.h"
#include "solve/tuning.h"

#include <string.h>

/* Systems of a pair by itself at most. */
enum { MOST_SYSTEMS = 60 };
/* |force| of shapes whose centres coincide is rounding: below this share of 1/length there is no normal. */
#define NO_NORMAL 1e-13

/* --- Room --------------------------------------------------------------------------------------------------------- */

tacNcpPairRoom tac_ncp_pair_room(const tacModel *m, int max_contacts, tacNcpCollision collision) {
    int n, rows, ncone;
    if (collision == TAC_NCP_FEATURES) return (tacNcpPairRoom){0};
    long long all = (long long)m->ngeom * (m->ngeom - 1) / 2 + m->npair;
    int pairs = all < max_contacts ? (int)all : max_contacts;
    tac_growth_most(m, &n, &rows, &ncone);
    return (tacNcpPairRoom){pairs, pairs * rows, pairs * rows, pairs * n};
}

/* Memory of derivatives: an arena of its own, for nobody else's is at hand where columns are formed. */
static int layout_derivatives(tacNcpPairs *pairs, const tacModel *m, tacArena *arena) {
    tacArena dry = tac_arena_dry();
    tac_growth_measure(m, &dry);
    size_t bytes = 2 * (dry.peak + TAC_ARENA_ALIGN);
    unsigned char *memory = TAC_TAKE(arena, bytes, unsigned char);
    if (memory == NULL) return 0;
    if (!tac_arena_is_dry(arena)) tac_arena_init(&pairs->arena, memory, bytes);
    return 1;
}

int tac_ncp_pairs_layout(tacNcpPairs *pairs, const tacModel *m, int max_contacts, tacNcpCollision collision,
                         tacArena *arena) {
    int n, rows, ncone, max = tac_ncp_pair_room(m, max_contacts, collision).pairs;
    *pairs = (tacNcpPairs){.on = collision != TAC_NCP_FEATURES, .max = max, .first_cone = -1};
    if (!pairs->on) return 1;
    tac_growth_most(m, &n, &rows, &ncone);
    pairs->pair = TAC_TAKE(arena, max, tacNcpPair);
    pairs->near = TAC_TAKE(arena, max_contacts, tacNcpNear);
    pairs->key = TAC_TAKE(arena, max_contacts, tacKeyed);
    pairs->spare = TAC_TAKE(arena, max_contacts, tacKeyed);
    if (!layout_derivatives(pairs, m, arena)) return 0;
    tacGrowthPair program;
    for (int i = 0; i < max; i++) {
        if (!tac_growth_layout(n, rows, ncone, arena, &program) || pairs->pair == NULL) return 0;
        if (!tac_arena_is_dry(arena)) pairs->pair[i].growth = program;
    }
    if (!tac_growth_layout(n, rows, ncone, arena, &program)) return 0;
    program.program.n = n;
    program.program.m = rows;
    pairs->scratch = program;
    return pairs->near && pairs->key && pairs->spare && tac_growth_adjoint_layout(&program, arena, &pairs->adjoint);
}

/* --- One pair by itself ------------------------------------------------------------------------------------------- */

/* Sets shapes and program of two geoms at the poses of the scene. 0: a shape has too many terms. */
static int set_shapes(const tacScene *s, const tacModel *m, const int geom[2], tacNcpPair *pair, tacGrowthPair *g) {
    for (int side = 0; side < 2; side++) {
        if (!tac_growth_terms(m, geom[side], &pair->terms[side])) return 0;
        tac_growth_shape_of(s, m, &pair->terms[side], &pair->shape[side]);
        g->shape[side] = &pair->shape[side];
    }
    tac_growth_count(&pair->shape[0], &pair->shape[1], &g->program.n, &g->program.m, &g->program.ncone);
    return 1;
}

/* The point of its path at kappa. */
static int solve_alone(tacGrowthPair *g, double kappa) {
    tacConeSettings settings = {.kappa = kappa, .max_systems = MOST_SYSTEMS};
    tac_growth_rows(g);
    return tac_cone_path(&g->program, &settings, &g->path);
}

static int is_plane(const tacGrowthShape *s) { return s->term[0].type == TAC_GEOM_PLANE; }

/* The sum of both shapes' sizes; a plane grows as much as the other shape   (SL2). */
static double length_of(const tacNcpPair *pair) {
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        const tacGrowthShape *s = &pair->shape[is_plane(&pair->shape[side]) ? 1 - side : side];
        for (int i = 0; i < s->nterm; i++)
            sum += tac_growth_term_size(&s->term[i]);
    }
    return sum;
}

/* --- What is within reach ----------------------------------------------------------------------------------------- */

/* How far a geom's pad and sum reach beyond the geom. */
static double extent_of(const tacScene *s, const tacModel *m, int geom) {
    double sum = m->geom_pad[geom];
    for (int g = m->geom_sum[geom]; g >= 0; g = m->geom_sum[g])
        sum += s->radius[g] + m->geom_pad[g];
    return sum;
}

typedef struct Search {
    tacNcp *p;
    tacScene *scene;
    tacStatus status;
    int ahead;
} Search;

static double reach_of(const Search *s, int geom1, int geom2, int pair) {
    double reach = tac_pair_reach(s->p->m, geom1, geom2, pair).include, *extra = s->scene->extra;
    if (!s->ahead) return reach;
    return reach + extra[geom1] - extent_of(s->scene, s->p->m, geom1) + extra[geom2] -
           extent_of(s->scene, s->p->m, geom2);
}

/* 1: balls around both geoms are further apart. */
static int is_far(const Search *s, int geom1, int geom2, double reach) {
    const tacModel *m = s->p->m;
    const tacScene *scene = s->scene;
    if (m->geom_type[geom1] == TAC_GEOM_PLANE || m->geom_type[geom2] == TAC_GEOM_PLANE) return 0;
    double sum = scene->radius[geom1] + scene->radius[geom2] + extent_of(scene, m, geom1) + extent_of(scene, m, geom2);
    return tac_norm3(tac_sub3(scene->pose[geom1].p, scene->pose[geom2].p)) > sum + reach;
}

/* Balls with balls, balls and ellipsoids with planes. */
static int has_closed_form(const tacModel *m, int geom1, int geom2) {
    int a = m->geom_type[geom1], b = m->geom_type[geom2];
    if (tac_geom_grows(m, geom1) || tac_geom_grows(m, geom2)) return 0;
    return (a == TAC_GEOM_SPHERE || a == TAC_GEOM_PLANE) &&
           (b == TAC_GEOM_SPHERE || (a == TAC_GEOM_PLANE && b == TAC_GEOM_ELLIPSOID));
}

/* 1: the problem has the pair. */
static int has_pair(const tacNcp *p, int geom1, int geom2, int pair) {
    for (int i = 0; i < p->ncontact; i++) {
        const tacContact *known = &p->contact[i].feature.found;
        if (p->contact[i].pair != NULL && known->geom[0] == geom1 && known->geom[1] == geom2 && known->pair == pair)
            return 1;
    }
    return 0;
}

/* The contact of a pair at the poses of the scene; its gap is never above the distance   (SL3). */
static tacStatus meet(const Search *s, const int geom[2], int pair, tacNcpNear *near) {
    tacGrowthPair *g = &s->p->pairs.scratch;
    tacNcpPair shapes;
    tacGrowthResult r;
    if (!set_shapes(s->scene, s->p->m, geom, &shapes, g)) return TAC_ERR_UNSUPPORTED;
    solve_alone(g, s->p->pairs.sharp); /* the best point, where it is not solved */
    tac_growth_read(g, &r);
    if (!(tac_norm3(r.force) * length_of(&shapes) > NO_NORMAL)) return TAC_ERR_DEGENERATE;
    tacContact *c = &near->contact;
    *c = (tacContact){.geom = {geom[0], geom[1]}, .pair = pair, .dist = r.gap, .pos = r.point, .normal = r.normal};
    c->include = tac_pair_reach(s->p->m, geom[0], geom[1], pair).include;
    c->point[0] = c->point[1] = r.point;
    c->along_side = -1;
    c->feature[0].kind = c->feature[1].kind = c->clip.kind = -1;
    c->switch_margin = TAC_INFINITY;
    tac_contact_frame(c->normal, &c->tangent[0], &c->tangent[1]);
    near->is_pair = 1;
    near->force = tac_norm3(r.force);
    return tac_first_nonfinite(3, &c->normal.x) < 0 && tac_finite(r.gap) ? TAC_OK : TAC_ERR_NONFINITE;
}

static tacStatus meet_closed_form(const Search *s, const int geom[2], int pair, tacNcpNear *near) {
    TAC_TRY(tac_scene_distance(s->scene, s->p->m, geom[0], geom[1], &near->contact));
    near->contact.pair = pair;
    near->is_pair = 0;
    return TAC_OK;
}

static void visit(void *user, int geom1, int geom2, int pair) {
    Search *s = user;
    tacNcpPairs *pairs = &s->p->pairs;
    const int geom[2] = {geom1, geom2};
    tacNcpNear near;
    double reach = reach_of(s, geom1, geom2, pair);
    if (s->status != TAC_OK || is_far(s, geom1, geom2, reach)) return;
    if (!s->ahead && has_pair(s->p, geom1, geom2, pair)) return; /* its solution proves it apart   (SL3) */
    s->status = (has_closed_form(s->p->m, geom1, geom2) ? meet_closed_form : meet)(s, geom, pair, &near);
    if (s->status != TAC_OK || !(near.contact.dist <= reach)) return;
    if (pairs->nnear == s->p->max_contacts) {
        s->status = TAC_ERR_CONTACTS;
        return;
    }
    pairs->key[pairs->nnear] = (tacKeyed){(uint64_t)geom1 << 32 | (uint64_t)geom2, pairs->nnear, 0};
    pairs->near[pairs->nnear++] = near;
}

static tacStatus find(tacContext *ctx, const tacContactReach *reach, Search *s) {
    s->p->pairs.nnear = 0;
    s->status = TAC_OK;
    TAC_TRY(tac_find_candidates(ctx, reach, visit, s));
    return s->status;
}

/* Sorts what was found by geoms; closed forms -> p->found. */
static tacStatus list_near(tacNcp *p, int *nfound) {
    tacNcpPairs *pairs = &p->pairs;
    *nfound = 0;
    pairs->order = tac_sort_keyed(pairs->nnear, pairs->key, pairs->spare);
    for (int i = 0; i < pairs->nnear; i++) {
        const tacNcpNear *near = &pairs->near[pairs->order[i].value];
        if (!near->is_pair) p->found[(*nfound)++] = near->contact;
    }
    return TAC_OK;
}

tacStatus tac_ncp_find_near(tacContext *ctx, const tacWork *w, int ahead, tacNcp *p, int *nfound) {
    double fall = ctx->options.dt * tac_norm3(tac_base_acceleration(ctx->model).lin);
    tacContactReach reach = {
        .moving = 1, .velocities = ahead ? ctx->work.V : NULL, .factor = 2, .speed = fall + TAC_NCP_SLACK_SPEED};
    Search s = {.p = p, .scene = &ctx->scene, .ahead = ahead};
    TAC_TRY(tac_place_geoms(ctx->model, w, &ctx->scene));
    tacStatus status = find(ctx, &reach, &s);
    for (int k = 1; k <= TAC_MAX_SHORTENINGS && ahead && status == TAC_ERR_CONTACTS; k++) {
        double by = k < TAC_MAX_SHORTENINGS ? 0.5 : 0;
        reach.factor *= by;
        reach.speed *= by;
        status = find(ctx, &reach, &s);
    }
    TAC_TRY(status);
    return list_near(p, nfound);
}

/* --- In the problem ----------------------------------------------------------------------------------------------- */

/* The bound of a pair's gap, in the unit of its row: all lengths times `scale`   (SL2, SL8). */
static tacNcpGapBound bound_of(const tacNcp *p, const tacNcpNear *near, const tacNcpPair *pair) {
    const int *geom = near->contact.geom, body[2] = {p->m->geom_body[geom[0]], p->m->geom_body[geom[1]]};
    double scale = pair->scale;
    return tac_ncp_gap_bound_at(p, scale * near->contact.dist, scale * tac_ncp_parting_speed(p->m, body),
                                scale * tac_ncp_inverse_masses(p->m, body));
}

/* Adds a pair with its contact. `open`: it is apart at q. */
static tacStatus add_pair(tacNcp *p, const tacNcpNear *near, int open) {
    tacNcpPairs *pairs = &p->pairs;
    tacNcpPair *pair = &pairs->pair[pairs->n];
    if (!tac_may_part(p->m, near->contact.geom)) return TAC_OK;
    if (pairs->n == pairs->max || p->ncontact == p->room) return TAC_ERR_CONTACTS;
    if (!set_shapes(p->scene, p->m, near->contact.geom, pair, &pair->growth)) return TAC_ERR_UNSUPPORTED;
    pair->length = length_of(pair);
    pair->scale = pair->length * near->force;
    pair->nu = pair->growth.program.m;
    for (int side = 0; side < 2; side++) /* a cone counts twice, whatever its numbers */
        for (int i = 0; i < pair->shape[side].nterm; i++) {
            tacGrowthRows rows = tac_growth_term_rows(&pair->shape[side].term[i]);
            pair->nu += rows.dim > 0 ? 2 - rows.dim : 0;
        }
    tacNcpGapBound bound = open ? (tacNcpGapBound){0} : bound_of(p, near, pair);
    if (tac_ncp_add_pair_contact(p, &near->contact, pair, &bound) != NULL) pairs->n++;
    return TAC_OK;
}

static const tacNcpNear *near_at(const tacNcpPairs *pairs, int i) { return &pairs->near[pairs->order[i].value]; }

tacStatus tac_ncp_add_pairs(tacNcp *p) {
    tacNcpPairs *pairs = &p->pairs;
    tac_ncp_strip_pairs(p);
    for (int i = 0; i < pairs->nnear; i++)
        if (near_at(pairs, i)->is_pair) TAC_TRY(add_pair(p, near_at(pairs, i), 0));
    return TAC_OK;
}

/* What the problem has is apart at q+: its dual point proves it   (SL3). */
int tac_ncp_add_overlapping_pairs(tacNcp *p, double tolerance, int may_change, double *overlap) {
    tacNcpPairs *pairs = &p->pairs;
    int added = 0;
    for (int i = 0; i < pairs->nnear; i++) {
        const tacNcpNear *near = near_at(pairs, i);
        if (!near->is_pair || !(-near->contact.dist > tolerance)) continue;
        if (!tac_may_part(p->m, near->contact.geom)) continue;
        *overlap = tac_max(*overlap, -near->contact.dist);
        tac_ncp_strip_pairs(p);
        if (may_change && add_pair(p, near, 1) == TAC_OK) added++;
    }
    return added;
}

void tac_ncp_strip_pairs(tacNcp *p) {
    if (p->pairs.first_cone < 0) return;
    p->ncone = p->pairs.first_cone;
    p->numbers = p->pairs.first_number;
    p->pairs.first_cone = -1;
}

void tac_ncp_number_pairs(tacNcp *p) {
    tacNcpPairs *pairs = &p->pairs;
    int x = p->m->nv + p->rows.nheld;
    if (pairs->first_cone >= 0) return;
    pairs->first_cone = p->ncone;
    pairs->first_number = p->numbers;
    for (int i = 0; i < pairs->n; i++) {
        tacNcpPair *pair = &pairs->pair[i];
        tacConeProgram *program = &pair->growth.program;
        pair->x = x;
        pair->cone = p->ncone;
        pair->adr = p->numbers;
        x += program->n;
        tac_growth_place_rows(&pair->growth);
        for (int k = 0; k < program->nhalf; k++)
            tac_ncp_add_cone(p, 1, pairs->soft, 1);
        for (int k = 0; k < program->ncone; k++)
            tac_ncp_add_cone(p, program->dim[k], 2 * pairs->soft, 1);
    }
}

tacStatus tac_ncp_start_pairs(tacNcp *p, double kappa) {
    for (int i = 0; i < p->pairs.n; i++) {
        tacNcpPair *pair = &p->pairs.pair[i];
        const tacConeProgram *program = &pair->growth.program;
        tac_ncp_place_shapes(p, pair);
        solve_alone(&pair->growth, kappa * p->pairs.soft);
        memcpy(p->x + pair->x, pair->growth.path.x, (size_t)program->n * sizeof(double));
        memcpy(p->a + pair->adr, pair->growth.path.lambda, (size_t)program->m * sizeof(double));
        memcpy(p->b + pair->adr, pair->growth.path.s, (size_t)program->m * sizeof(double));
    }
    if (p->pairs.n > 0) tac_ncp_place_pairs(p, p->x, p->a, p->b);
    return TAC_OK;
}
