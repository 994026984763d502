#include "smooth/spin.h"

#include "dynamics/param_mass.h"
#include "dynamics/spin.h"

#include <string.h>

/* Joints whose bodies turn alone, and the forms of one body's mass matrix for every registered number. */
typedef struct Room {
    unsigned char *alone; /* njnt */
    double *forms;        /* nmember x TAC_SPIN_FORMS */
} Room;

static int layout(const tacModel *m, int derivatives, tacArena *arena, Room *r) {
    r->alone = TAC_TAKE(arena, m->njnt, unsigned char);
    r->forms = derivatives ? TAC_TAKE(arena, (size_t)m->nmember * TAC_SPIN_FORMS, double) : NULL;
    return r->alone != NULL && (!derivatives || r->forms != NULL);
}

void tac_spin_measure(const tacModel *m, tacArena *dry) {
    TAC_SCOPE(dry);
    Room room;
    layout(m, 1, dry, &room);
}

static int dofs_of(const tacSpin *s) { return s->is_free ? 6 : 3; }

/* w->qfrc -= delta of one body; 0: its motion was not found. */
static int add_body(tacContext *ctx, const double *x, int joint) {
    const tacModel *m = ctx->model;
    double delta[6];
    tacSpin s;
    tac_spin_open(m, &ctx->work, joint, x + m->nq, ctx->options.dt, &s);
    if (tac_spin_is_round(&s)) return 1;
    int found = tac_spin_solve(&s);
    tac_spin_force(&s, delta);
    for (int i = 0; i < dofs_of(&s); i++)
        ctx->work.qfrc[s.dof + i] -= delta[i];
    return found;
}

int tac_spin_add(tacContext *ctx, const double *x, tacStatus *status) {
    const tacModel *m = ctx->model;
    TAC_SCOPE(&ctx->arena);
    Room room;
    int found = 1;
    *status = TAC_OK;
    if (!tac_spin_any(m)) return 1;
    *status = layout(m, 0, &ctx->arena, &room) ? TAC_OK : TAC_ERR_ARENA_FULL;
    if (*status != TAC_OK || tac_spin_find(m, room.alone) == 0) return 1;
    for (int j = 0; j < m->njnt; j++)
        if (room.alone[j]) found &= add_body(ctx, x, j);
    return found;
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* Sinks of the columns of x and of theta. theta NULL: not asked for. */
typedef struct Sinks {
    const tacSink *x, *theta;
} Sinks;

static void emit_column(const tacSpin *s, const double change[6], int column, const tacSink *sink) {
    for (int i = 0; i < dofs_of(s); i++)
        tac_emit(sink, s->dof + i, column, change[i]);
}

static void emit(const tacSpin *s, const tacSpinSlope *slope, const tacSpinChange *d, int column, const tacSink *sink) {
    double change[6];
    tac_spin_jvp(s, slope, d, change);
    emit_column(s, change, column, sink);
}

/* Emits the columns of the body's own rotation and velocity. */
static void emit_state(const tacModel *m, const tacSpin *s, const tacSpinSlope *slope, const tacSink *sink) {
    for (int k = 0; k < 3; k++) {
        tacVec3 axis = tac_vec3(k == 0, k == 1, k == 2);
        int dof = s->dof + dofs_of(s) - 3 + k;
        double change[6];
        emit(s, slope, &(tacSpinChange){.w = axis}, m->nv + dof, sink);
        if (!tac_spin_is_beside(s)) continue;
        tac_spin_turn(s, slope, axis, change);
        emit_column(s, change, dof, sink);
    }
}

/* forms[p][k] = d(z.M z) of form k by registered number p. */
static void find_forms(tacContext *ctx, const double *x, const double *u, const tacSpin *s, double *forms) {
    const tacModel *m = ctx->model;
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    double *z = ctx->work.vec[3];
    memset(forms, 0, (size_t)m->nmember * TAC_SPIN_FORMS * sizeof *forms);
    for (int k = 0; tac_spin_form(s, m->nv, k, z); k++) {
        tacMassForm form = tac_mass_form(m, &ctx->work, z);
        for (int p = 0; p < m->nmember; p++) {
            tacMover movers[2];
            const tacParamTangent *t = &ctx->tangents[p];
            double sum = tac_mass_form_param(&form, t, 0);
            int n = tac_param_movers(m, &ctx->work, t, &point, movers);
            for (int i = 0; i < n; i++)
                sum += tac_mass_form_move(&form, &movers[i]);
            forms[p * TAC_SPIN_FORMS + k] = sum;
        }
    }
}

/* Change with a registered number. Armature adds to the diagonal of M alone, which the forms include too. */
static tacSpinChange change_of(const tacModel *m, const tacSpin *s, const tacParamTangent *t, const double *forms) {
    tacSpinChange d = {.h = tac_param_is_time(t)};
    if (TAC_FIELDS[t->field].offset != offsetof(tacModel, joint_armature))
        d.mass = tac_spin_mass_change(s, forms);
    else if (t->index == m->dof_joint[s->dof])
        d.mass.armature = tac_vec3(1, 1, 1);
    return d;
}

static void emit_params(tacContext *ctx, const double *x, const double *u, const tacSpin *s, const tacSpinSlope *slope,
                        double *forms, const tacSink *sink) {
    const tacModel *m = ctx->model;
    if (m->nmember == 0) return;
    find_forms(ctx, x, u, s, forms);
    for (int p = 0; p < m->nmember; p++) {
        tacSpinChange d = change_of(m, s, &ctx->tangents[p], forms + p * TAC_SPIN_FORMS);
        emit(s, slope, &d, ctx->tangents[p].column, sink);
    }
}

static tacStatus emit_all(tacContext *ctx, const double *x, const double *u, const Sinks *to) {
    const tacModel *m = ctx->model;
    TAC_SCOPE(&ctx->arena);
    Room room;
    if (!tac_spin_any(m)) return TAC_OK;
    if (!layout(m, 1, &ctx->arena, &room)) return TAC_ERR_ARENA_FULL;
    if (tac_spin_find(m, room.alone) == 0) return TAC_OK;
    for (int j = 0; j < m->njnt; j++) {
        tacSpinSlope slope;
        tacSpin s;
        if (!room.alone[j]) continue;
        tac_spin_open(m, &ctx->work, j, x + m->nq, ctx->options.dt, &s);
        int is_round = tac_spin_is_round(&s);
        if (is_round && (to->theta == NULL || m->nmember == 0)) continue;
        tac_spin_solve(&s);
        if (!tac_spin_slope(&s, &slope)) return TAC_ERR_SINGULAR;
        if (!is_round) emit_state(m, &s, &slope, to->x);
        if (to->theta != NULL) emit_params(ctx, x, u, &s, &slope, room.forms, to->theta);
    }
    return TAC_OK;
}

tacStatus tac_spin_jac(tacContext *ctx, const double *x, const double *u, tacColumns c, double *W) {
    tacSink state = tac_columns_sink(c, W, 0), theta = tac_columns_sink(c, W, c.nx + c.nu);
    return emit_all(ctx, x, u, &(Sinks){&state, c.np > 0 ? &theta : NULL});
}

tacStatus tac_spin_vjp(tacContext *ctx, const double *x, const double *u, const double *lambda, const tacGrad *bar) {
    tacSink state = {.lambda = lambda, .bar = bar->x, .negate = 1};
    tacSink theta = {.lambda = lambda, .bar = bar->theta, .negate = 1};
    return emit_all(ctx, x, u, &(Sinks){&state, bar->theta != NULL ? &theta : NULL});
}
