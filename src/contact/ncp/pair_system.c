/* Pairs at an iterate: their contacts, residuals, and Newton's direction, eliminated into the two bodies
 * (docs/theory/ncp_pairs.md, SL2-SL6). */
#include "base/error.h"
#include "contact/ncp/contact.h"
#include "contact/ncp/contact_system.h"
#include "math/scalar.h"

#include <string.h>

/* --- Geometry at the iterate -------------------------------------------------------------------------------------- */

void tac_ncp_place_shapes(tacNcp *p, tacNcpPair *pair) {
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < pair->terms[side].n; i++)
            tac_ncp_place_geom(p, &p->next, pair->terms[side].geom[i]);
        tac_growth_shape_of(p->scene, p->m, &pair->terms[side], &pair->shape[side]);
        pair->growth.shape[side] = &pair->shape[side];
    }
}

static void set_tangents(const tacNcpContact *c, tacContact *at) {
    if (c->law.steady_frame)
        tac_contact_frame_along(at->normal, at->along, &at->tangent[0], &at->tangent[1]);
    else
        tac_contact_frame(at->normal, &at->tangent[0], &at->tangent[1]);
    tac_ncp_scale_tangents(c, at->tangent);
}

/* gap = length (alpha - 1 - kappa nu)   (SL2) */
static void place_pair(tacNcp *p, tacNcpContact *c, const double *x, const double *a, const double *b) {
    tacNcpPair *pair = c->pair;
    const tacConeProgram *program = &pair->growth.program;
    tac_ncp_place_shapes(p, pair);
    tac_growth_place_rows(&pair->growth);
    memcpy(pair->growth.path.x, x + pair->x, (size_t)program->n * sizeof *x);
    memcpy(pair->growth.path.lambda, a + pair->adr, (size_t)program->m * sizeof *a);
    memcpy(pair->growth.path.s, b + pair->adr, (size_t)program->m * sizeof *b);
    tac_growth_read(&pair->growth, &pair->at);
    tacContact *at = &c->next.contact;
    at->dist = pair->length * (pair->at.alpha - 1 - p->pairs.kappa * pair->nu);
    at->pos = at->point[0] = at->point[1] = pair->at.point;
    at->normal = pair->at.normal;
    set_tangents(c, at);
    tac_ncp_set_gap_slip(p, c);
}

void tac_ncp_place_pairs(tacNcp *p, const double *x, const double *a, const double *b) {
    for (int i = 0; i < p->ncontact; i++)
        if (p->contact[i].pair != NULL) place_pair(p, &p->contact[i], x, a, b);
}

/* --- Residuals (SL4) ---------------------------------------------------------------------------------------------- */

/* lost = M x + c0 - s,  short_of = e - M^T lambda. */
static void set_gaps(tacNcpPair *pair) {
    const tacConeProgram *program = &pair->growth.program;
    tacConePath *k = &pair->growth.path;
    tac_cone_program_slack(program, k->x, k->lost);
    for (int i = 0; i < program->m; i++)
        k->lost[i] -= k->s[i];
    for (int j = 0; j < program->n; j++) {
        const double *column = program->M + (long)program->m * j;
        double sum = j == TAC_GROWTH_ALPHA;
        for (int i = 0; i < program->m; i++)
            sum -= column[i] * k->lambda[i];
        k->short_of[j] = sum;
    }
}

/* Rows of ellipsoids are pure numbers, all others are lengths. Duals are 1/m, or pure numbers. */
static double residual_of(tacNcpPair *pair) {
    const tacConeProgram *program = &pair->growth.program;
    const tacConePath *k = &pair->growth.path;
    double worst = 0, length = pair->length;
    set_gaps(pair);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < pair->shape[side].nterm; i++) {
            tacGrowthRows rows = tac_growth_term_rows(&pair->shape[side].term[i]);
            double unit = pair->shape[side].term[i].type == TAC_GEOM_ELLIPSOID ? length : 1;
            for (int r = 0; r < rows.half; r++)
                worst = tac_max(worst, tac_abs(k->lost[pair->growth.half[side][i] + r]));
            for (int r = 0; r < rows.dim; r++)
                worst = tac_max(worst, unit * tac_abs(k->lost[pair->growth.cone[side][i] + r]));
        }
    for (int j = 0; j < program->n; j++)
        worst = tac_max(worst, length * (j == TAC_GROWTH_ALPHA ? 1 : length) * tac_abs(k->short_of[j]));
    return worst;
}

double tac_ncp_pairs_residual(tacNcp *p) {
    double worst = 0;
    for (int i = 0; i < p->pairs.n; i++)
        worst = tac_max(worst, residual_of(&p->pairs.pair[i]));
    return worst;
}

/* --- The system (SL5, SL6) ---------------------------------------------------------------------------------------- */

tacStatus tac_ncp_factor_pairs(tacNcp *p) {
    for (int i = 0; i < p->pairs.n; i++) {
        tacNcpPair *pair = &p->pairs.pair[i];
        if (!tac_cone_path_factor(&pair->growth.program, &pair->growth.path)) return TAC_ERR_SINGULAR;
    }
    return TAC_OK;
}

void tac_ncp_pair_tangents(const tacNcpContact *c, tacContactTangent *t) {
    const tacContact *at = &c->next.contact;
    if (c->law.steady_frame)
        tac_contact_frame_along_jvp(at->normal, at->along, t->normal, tac_zero3(), &t->tangent[0], &t->tangent[1]);
    else
        tac_contact_frame_jvp(at->normal, t->normal, &t->tangent[0], &t->tangent[1]);
}

/* Changes of (alpha, point, force) -> those of the contact, tangents of unit length. */
static tacContactTangent contact_tangent(const tacNcpContact *c, const double part[TAC_GROWTH_PARTS]) {
    tacGrowthTangent g = tac_growth_combine(&c->pair->at, part);
    tacContactTangent t = {.dist = c->pair->length * g.alpha, .pos = g.point, .normal = g.normal};
    tac_ncp_pair_tangents(c, &t);
    return t;
}

void tac_ncp_pair_twists(tacNcp *p, const tacNcpContact *c, const int moves[2], tacContactTangent *twist[2]) {
    tacNcpPair *pair = c->pair;
    tacGrowthMotion motion[TAC_GROWTH_PARTS][2];
    for (int k = 0; k < TAC_GROWTH_PARTS; k++) {
        tac_growth_adjoint_part(&pair->growth, k, &p->pairs.adjoint);
        for (int side = 0; side < 2; side++)
            tac_growth_motion(&pair->growth, &p->pairs.adjoint, side, &motion[k][side]);
    }
    for (int side = 0; side < 2; side++) {
        tacVec3 arm = tac_sub3(pair->shape[side].p, c->next.contact.pos);
        for (int e = 0; e < 6 && moves[side]; e++) {
            double part[TAC_GROWTH_PARTS];
            for (int k = 0; k < TAC_GROWTH_PARTS; k++) {
                tacVec3 moved = motion[k][side].moved;
                tacVec3 by = e < 3 ? tac_add3(motion[k][side].turned, tac_cross3(arm, moved)) : moved;
                part[k] = tac_get3(by, e % 3);
            }
            twist[side][e] = contact_tangent(c, part);
        }
    }
}

void tac_ncp_aim_pairs(tacNcp *p, double kappa, int second) {
    for (int i = 0; i < p->pairs.n; i++)
        tac_cone_path_aim(&p->pairs.pair[i].growth.program, &p->pairs.pair[i].growth.path, kappa * p->pairs.soft,
                          second);
}

/* --- Directions --------------------------------------------------------------------------------------------------- */

static tacVec3 column3(const tacConeProgram *p, int column, int row) {
    const double *x = p->M + (long)p->m * column + row;
    return tac_vec3(x[0], x[p->m], x[2 * (long)p->m]);
}

/* Change of force of the direction's duals, of what the contact's normal follows. */
static tacVec3 force_change(const tacGrowthPair *g) {
    int plane = g->shape[0]->term[0].type == TAC_GEOM_PLANE;
    return plane ? tac_neg3(tac_growth_force(g, 0, 0, g->path.dlambda)) : tac_growth_force(g, 1, 0, g->path.dlambda);
}

void tac_ncp_pair_offset(tacNcp *p, const tacNcpContact *c, tacVec6 *f) {
    static const tacNcpSide STILL[2];
    tacNcpPair *pair = c->pair;
    tacConePath *k = &pair->growth.path;
    double part[TAC_GROWTH_PARTS];
    set_gaps(pair);
    tac_cone_path_direction(&pair->growth.program, k);
    part[0] = k->dx[TAC_GROWTH_ALPHA];
    memcpy(part + 1, k->dx, 3 * sizeof *part);
    tac_store3(part + 4, force_change(&pair->growth));
    tacContactTangent t = contact_tangent(c, part);
    tac_ncp_scale_tangents(c, t.tangent);
    tacNcpFrame frame = tac_ncp_contact_frame(p, c);
    tacNcpChange change = tac_ncp_contact_change(p, c, &frame, &t, tac_zero3(), STILL);
    memcpy(pair->offset, change.gap_slip, sizeof pair->offset);
    for (int side = 0; side < 2; side++)
        if (!p->ldu.still[c->body[side]]) f[c->body[side]] = tac_sub6(f[c->body[side]], change.wrench[side]);
}

/* Motion of a side: its angular velocity, and the velocity of a point. */
static tacVec3 motion_of(const tacNcp *p, int body, tacVec3 point, tacVec3 *turn) {
    *turn = tac_zero3();
    if (p->ldu.still[body]) return tac_zero3();
    const double *z = p->ldu.z + 6 * body;
    *turn = tac_load3(z);
    return tac_add3(tac_load3(z + 3), tac_cross3(*turn, tac_sub3(point, p->next.origin[body])));
}

/* Motion of the point that the program's numbers are counted from: the centres' mean, or the centre beside a plane. */
static tacVec3 origin_motion(const tacGrowthPair *g, const tacVec3 moved[2]) {
    for (int side = 0; side < 2; side++)
        if (g->shape[side]->term[0].type == TAC_GEOM_PLANE) return moved[1 - side];
    return tac_scale3(0.5, tac_add3(moved[0], moved[1]));
}

/* A term's rows turn with its shape:  lost += (turn x A) . y - A . away,  away: of the centre from the origin. */
static void turn_rows(tacGrowthPair *g, int side, int term, tacVec3 turn, tacVec3 away) {
    const tacConeProgram *program = &g->program;
    tacGrowthRows rows = tac_growth_term_rows(&g->shape[side]->term[term]);
    int column = term == 0 ? TAC_GROWTH_POINT : g->share[side][term];
    tacVec3 y = tac_load3(g->path.x + column);
    if (term == 0) {
        y = tac_add3(y, tac_sub3(g->origin, g->centre[side]));
        for (int i = 1; i < g->shape[side]->nterm; i++)
            y = tac_sub3(y, tac_load3(g->path.x + g->share[side][i]));
    }
    tacVec3 way = tac_sub3(tac_cross3(y, turn), term == 0 ? away : tac_zero3()); /* (turn x A) . y = A . (y x turn) */
    for (int i = 0; i < rows.half + rows.dim; i++) {
        int row = i < rows.half ? g->half[side][term] + i : g->cone[side][term] + i - rows.half;
        g->path.lost[row] += tac_dot3(column3(program, column, row), way);
    }
}

static void add3(double *to, double by, tacVec3 x) { tac_store3(to, tac_madd3(tac_load3(to), by, x)); }

/* Adds the bodies' motion to what the direction has to make up for   (SL6). */
static void add_motion(const tacNcp *p, const tacNcpContact *c, tacGrowthPair *g) {
    tacVec3 turn[2], moved[2];
    for (int side = 0; side < 2; side++)
        moved[side] = motion_of(p, c->body[side], g->centre[side], &turn[side]);
    tacVec3 origin = origin_motion(g, moved);
    for (int side = 0; side < 2; side++) {
        tacVec3 first = tac_cross3(turn[side], tac_growth_force(g, side, 0, g->path.lambda));
        add3(g->path.short_of + TAC_GROWTH_POINT, -1, first);
        for (int i = 0; i < g->shape[side]->nterm; i++) {
            turn_rows(g, side, i, turn[side], tac_sub3(moved[side], origin));
            if (i == 0) continue;
            tacVec3 own = tac_cross3(turn[side], tac_growth_force(g, side, i, g->path.lambda));
            add3(g->path.short_of + g->share[side][i], 1, tac_sub3(first, own));
        }
    }
}

void tac_ncp_recover_pairs(tacNcp *p, double *dx, double *da, double *db) {
    for (int i = 0; i < p->ncontact; i++) {
        tacNcpPair *pair = p->contact[i].pair;
        if (pair == NULL) continue;
        tacGrowthPair *g = &pair->growth;
        set_gaps(pair);
        add_motion(p, &p->contact[i], g);
        tac_cone_path_direction(&g->program, &g->path);
        memcpy(dx + pair->x, g->path.dx, (size_t)g->program.n * sizeof *dx);
        memcpy(da + pair->adr, g->path.dlambda, (size_t)g->program.m * sizeof *da);
        memcpy(db + pair->adr, g->path.ds, (size_t)g->program.m * sizeof *db);
    }
}
