#include "dynamics/growth_move.h"

#include "base/error.h"
#include "collide/growth_faces.h"
#include "dynamics/kinematics.h"

#include <string.h>

#define IS(t, row) (TAC_FIELDS[(t)->field].offset == offsetof(tacModel, row))

/* Systems of a solve at most; beyond them the best point is given with TAC_ERR_UNSOLVED. */
enum { MOST_SYSTEMS = 60 };
/* |force| of shapes whose centres coincide is rounding of its terms: below this share of 1 / size there is no
 * normal. */
#define NO_NORMAL 1e-13

/* --- Value -------------------------------------------------------------------------------------------------------- */

static int layout_adjoints(const tacGrowthPair *pair, int count, tacArena *arena, tacGrowthAdjoint *out) {
    for (int i = 0; i < count; i++)
        if (!tac_growth_adjoint_layout(pair, arena, &out[i])) return 0;
    return 1;
}

void tac_growth_measure(const tacModel *m, tacArena *dry) {
    TAC_SCOPE(dry);
    int n, rows, ncone;
    tacGrowthPair pair;
    tacGrowthAdjoint adjoint[TAC_GROWTH_PARTS + 1];
    tac_growth_most(m, &n, &rows, &ncone);
    tac_growth_layout(n, rows, ncone, dry, &pair);
    layout_adjoints(&pair, TAC_GROWTH_PARTS + 1, dry, adjoint);
}

/* sum over cones of kappa log det s, half lines log s. */
static double barrier_of(const tacGrowthPair *pair, double kappa) {
    const tacConeProgram *p = &pair->program;
    double sum = 0;
    for (int i = 0; i < p->nhalf; i++)
        sum += tac_log(pair->path.s[i]);
    int row = p->nhalf;
    for (int c = 0; c < p->ncone; row += p->dim[c++])
        sum += tac_log(tac_cone_determinant(p->dim[c], pair->path.s + row));
    return pair->path.x[TAC_GROWTH_ALPHA] - kappa * sum;
}

static int is_plane(const tacGrowthShape *s) { return s->term[0].type == TAC_GEOM_PLANE; }

static double size_of(const tacGrowthShape *s) {
    double sum = 0;
    for (int i = 0; i < s->nterm; i++)
        sum += tac_growth_term_size(&s->term[i]);
    return sum;
}

/* 1: the force is more than the rounding of its terms; that of a plane is one term. */
static int has_normal(const tacGrowthSystem *g) {
    double force = tac_norm3(g->result.force);
    if (is_plane(&g->shape[0]) || is_plane(&g->shape[1])) return force > 0;
    return force * (size_of(&g->shape[0]) + size_of(&g->shape[1])) > NO_NORMAL;
}

tacStatus tac_growth_open(const tacScene *s, const tacModel *m, const int geom[2], double kappa, int polish,
                          tacArena *arena, tacGrowthSystem *g) {
    g->kappa = kappa;
    for (int i = 0; i < 2; i++) {
        g->geom[i] = geom[i];
        g->body[i] = m->geom_body[geom[i]];
        if (!tac_growth_terms(m, geom[i], &g->terms[i])) return TAC_ERR_UNSUPPORTED;
        tac_growth_shape_of(s, m, &g->terms[i], &g->shape[i]);
    }
    tacConeSettings settings = {.kappa = kappa, .max_systems = MOST_SYSTEMS, .polish = polish};
    TAC_TRY(tac_growth_solve(&g->shape[0], &g->shape[1], &settings, arena, &g->pair, &g->result));
    g->barrier = barrier_of(&g->pair, kappa);
    if (!has_normal(g)) return TAC_ERR_DEGENERATE;
    double z[TAC_GROWTH_NUMBERS];
    tac_growth_numbers(g, z);
    return tac_first_nonfinite(TAC_GROWTH_NUMBERS, z) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

void tac_growth_numbers(const tacGrowthSystem *g, double *z) {
    z[0] = g->result.alpha;
    z[1] = g->result.dual;
    z[2] = g->result.gap;
    tac_store3(z + 3, g->result.point);
    tac_store3(z + 6, g->result.normal);
    z[9] = g->barrier;
}

/* --- Adjoints ----------------------------------------------------------------------------------------------------- */

static void find_motions(tacGrowthSystem *g) {
    for (int i = 0; i < g->count; i++)
        for (int side = 0; side < 2; side++)
            tac_growth_motion(&g->pair, &g->adjoint[i], side, &g->motion[i][side]);
}

tacStatus tac_growth_adjoints(tacGrowthSystem *g, const double *bar, tacArena *arena) {
    g->count = TAC_GROWTH_PARTS + 1;
    g->weighted = bar != NULL;
    if (bar != NULL) memcpy(g->weight, bar, sizeof g->weight);
    if (!layout_adjoints(&g->pair, g->count, arena, g->adjoint)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_growth_prepare(&g->pair));
    for (int i = 0; i < TAC_GROWTH_PARTS; i++)
        tac_growth_adjoint_part(&g->pair, i, &g->adjoint[i]);
    tac_growth_envelope(&g->pair, &g->adjoint[TAC_GROWTH_PARTS]);
    find_motions(g);
    return TAC_OK;
}

tacStatus tac_growth_adjoint_of_dual(tacGrowthSystem *g, int row, tacArena *arena) {
    g->count = 1;
    g->weighted = 0;
    if (!layout_adjoints(&g->pair, 1, arena, g->adjoint)) return TAC_ERR_ARENA_FULL;
    tac_growth_adjoint_dual(&g->pair, row, &g->adjoint[0]);
    find_motions(g);
    return TAC_OK;
}

/* --- Columns ------------------------------------------------------------------------------------------------------ */

/* Derivatives of the parts by one number -> a column, or its weighted sum. One dual is a row by itself. */
static void emit_parts(const tacGrowthSystem *g, const double *part, int row, int column, const tacSink *sink) {
    if (g->count == 1) {
        tac_emit(sink, row, column, part[0]);
        return;
    }
    int n = TAC_GROWTH_NUMBERS - (g->count == TAC_GROWTH_PARTS);
    double z[TAC_GROWTH_NUMBERS] = {0}, sum = 0;
    tacGrowthTangent t = tac_growth_combine(&g->result, part);
    memcpy(z, &t, sizeof t);
    if (n == TAC_GROWTH_NUMBERS) z[n - 1] = part[TAC_GROWTH_PARTS];
    for (int i = 0; i < n; i++) {
        sum += g->weighted ? g->weight[i] * z[i] : 0;
        if (!g->weighted) tac_emit(sink, row + i, column, z[i]);
    }
    if (g->weighted) tac_emit(sink, row, column, sum);
}

_Static_assert(sizeof(tacGrowthTangent) == (TAC_GROWTH_NUMBERS - 1) * sizeof(double), "rows of a growth's derivative");

/* part += change with a twist about a point, of the shapes that move. */
static void add_twist(const tacGrowthSystem *g, int side, tacVec6 S, tacVec3 origin, double *part) {
    tacVec3 lin = tac_add3(S.lin, tac_cross3(S.ang, tac_sub3(g->shape[side].p, origin)));
    for (int i = 0; i < g->count; i++)
        part[i] += tac_dot3(lin, g->motion[i][side].moved) + tac_dot3(S.ang, g->motion[i][side].turned);
}

void tac_growth_emit_dofs(const tacModel *m, const tacWork *w, const tacGrowthSystem *g, int row, const tacSink *sink) {
    int i = m->body_last_dof[g->body[0]], j = m->body_last_dof[g->body[1]];
    while (i >= 0 || j >= 0) {
        int dof = i > j ? i : j, first = i == dof, second = j == dof;
        double part[TAC_GROWTH_PARTS + 1] = {0};
        tacVec3 origin = w->origin[m->dof_body[dof]];
        if (first) add_twist(g, 0, w->S[dof], origin, part);
        if (second) add_twist(g, 1, w->S[dof], origin, part);
        emit_parts(g, part, row, dof, sink);
        if (first) i = m->dof_parent[i];
        if (second) j = m->dof_parent[j];
    }
}

void tac_growth_emit_twist(const tacGrowthSystem *g, int side, tacVec6 S, tacVec3 origin, const tacSink *sink) {
    double part[TAC_GROWTH_PARTS + 1] = {0};
    add_twist(g, side, S, origin, part);
    emit_parts(g, part, 0, 0, sink);
}

/* 1: something moves. */
static int add_mover(const tacModel *m, const tacWork *w, const tacGrowthSystem *g, const tacMover *mover,
                     double *part) {
    int moves = 0;
    for (int side = 0; side < 2; side++) {
        if (!tac_moves_body(m, mover, g->body[side])) continue;
        add_twist(g, side, mover->S, w->origin[mover->body], part);
        moves = 1;
    }
    return moves;
}

void tac_growth_emit_mover(const tacModel *m, const tacWork *w, const tacGrowthSystem *g, const tacMover *mover,
                           int row, int column, const tacSink *sink) {
    double part[TAC_GROWTH_PARTS + 1] = {0};
    if (add_mover(m, w, g, mover, part)) emit_parts(g, part, row, column, sink);
}

/* --- Shapes' own numbers ------------------------------------------------------------------------------------------ */

/* A geom's place in its body: terms of the geom turn; its position is that of the sum only for the first. */
static void add_place(const tacModel *m, const tacWork *w, const tacGrowthSystem *g, const tacParamTangent *t, int side,
                      double *part) {
    int turned = IS(t, geom_quat), geom = t->index / (turned ? 4 : 3), k = t->index % (turned ? 4 : 3);
    int body = m->geom_body[geom];
    const tacGrowthTerms *terms = &g->terms[side];
    tacVec3 turn = turned ? tac_quat_rotate(tac_frame_quat(w, body, m->geom_quat[geom]),
                                            tac_quat_component_turn(m->geom_quat[geom], k))
                          : tac_zero3();
    for (int i = 0; i < g->count; i++) {
        const tacGrowthMotion *motion = &g->motion[i][side];
        for (int j = 0; j < terms->n; j++)
            if (terms->geom[j] == geom) part[i] += tac_dot3(turn, motion->term_turned[j]);
        if (!turned && terms->geom[0] == geom)
            part[i] += tac_dot3(tac_mulmv3(w->xmat[body], tac_vec3(k == 0, k == 1, k == 2)), motion->moved);
    }
}

/* A mesh's hull as one of its numbers changes. */
static void add_hull(const tacModel *m, const tacScene *s, const tacGrowthSystem *g, const tacParamTangent *t, int side,
                     int term, double *part) {
    int mesh = m->geom_mesh[g->terms[side].geom[term]];
    if (mesh < 0 || !tac_hull_tangent(m, mesh, t->field, t->index, s->corner_change)) return;
    tacHull hull = tac_hull_of_mesh(m, mesh);
    tacGrowthFaces change = {hull.nface, s->face_normal_change, s->face_offset_change, tac_zero3()};
    tac_growth_faces_jvp(&hull, s->corner_change, s->face_normal_change, s->face_offset_change, &change.centre);
    for (int i = 0; i < g->count; i++)
        part[i] += tac_growth_along_faces(&g->pair, &g->adjoint[i], side, term, &change);
}

static void add_shape(const tacModel *m, const tacScene *s, const tacGrowthSystem *g, const tacParamTangent *t,
                      int side, double *part) {
    const tacGrowthTerms *terms = &g->terms[side];
    for (int j = 0; j < terms->n; j++) {
        int geom = terms->geom[j], pad = terms->is_pad[j];
        if (!pad) add_hull(m, s, g, t, side, j, part);
        int sized = !pad && IS(t, geom_size) && t->index / 3 == geom,
            padded = pad && IS(t, geom_pad) && t->index == geom;
        for (int i = 0; i < g->count && (sized || padded); i++) {
            tacVec3 by = tac_growth_by_size(&g->pair, &g->adjoint[i], side, j);
            part[i] += padded ? by.x : tac_get3(by, t->index % 3);
        }
    }
}

void tac_growth_emit_param(const tacModel *m, const tacWork *w, const tacScene *s, const tacGrowthSystem *g,
                           const tacParamTangent *t, const tacSmoothPoint *x, int row, const tacSink *sink) {
    tacMover mover[2];
    double part[TAC_GROWTH_PARTS + 1] = {0};
    int n = tac_param_movers(m, w, t, x, mover);
    for (int i = 0; i < n; i++)
        add_mover(m, w, g, &mover[i], part);
    for (int side = 0; side < 2 && n == 0; side++) {
        if (IS(t, geom_quat) || IS(t, geom_pos))
            add_place(m, w, g, t, side, part);
        else
            add_shape(m, s, g, t, side, part);
    }
    emit_parts(g, part, row, t->column, sink);
}
