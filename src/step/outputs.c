/* The public outputs: a list of quantities as one vector z, its Jacobian, its reverse mode. */
#include "step/outputs.h"

#include "dynamics/actuator.h"
#include "dynamics/mass.h"
#include "math/dense.h"
#include "step/call.h"
#include "step/output_growth.h"
#include "smooth/smooth_step.h"
#include "step/step_jvp.h"

#include <limits.h>
#include <string.h>

/* --- The list ----------------------------------------------------------------------------------------------------- */

static int count_of(const tacModel *m, tacOutputKind kind) {
    return *(const int *)((const char *)m + TAC_OUTPUT_RULES[kind].count);
}

static int is_pair(tacOutput o, int n) { return o.id >= 0 && o.id < n && o.id2 >= 0 && o.id2 < n && o.id != o.id2; }

static int is_valid(const tacModel *m, tacOutput o) {
    if ((unsigned)o.kind >= TAC_OUTPUT_KINDS) return 0;
    if (o.kind == TAC_OUT_GROWTH) return tac_output_is_growth(m, o);
    if (TAC_OUTPUT_RULES[o.kind].between != NULL) return is_pair(o, count_of(m, o.kind));
    return o.id == TAC_OUT_ALL || (o.id >= 0 && o.id < count_of(m, o.kind));
}

int tac_outputs_size(const tacModel *model, const tacOutputs *outputs) {
    int64_t size = 0;
    if (model == NULL || outputs == NULL || outputs->n < 0 || (outputs->list == NULL && outputs->n > 0)) return -1;
    for (int i = 0; i < outputs->n; i++) {
        tacOutput o = outputs->list[i];
        if (!is_valid(model, o)) return -1;
        size += (int64_t)TAC_OUTPUT_RULES[o.kind].size * (o.id < 0 ? count_of(model, o.kind) : 1);
        if (size > INT_MAX) return -1;
    }
    return (int)size;
}

tacOutputCursor tac_outputs_begin(const tacModel *m, const tacOutputs *outputs) {
    return (tacOutputCursor){.m = m, .outputs = outputs, .i = 0, .next = 0};
}

int tac_outputs_advance(tacOutputCursor *c) {
    for (; c->i < c->outputs->n; c->i++, c->next = 0) {
        tacOutput o = c->outputs->list[c->i];
        if (c->next >= (o.id < 0 ? count_of(c->m, o.kind) : 1)) continue;
        c->kind = o.kind;
        c->id = o.id < 0 ? c->next : o.id;
        c->id2 = o.id2;
        c->next++;
        c->row = c->end;
        c->end += TAC_OUTPUT_RULES[o.kind].size;
        return 1;
    }
    return 0;
}

static int has_kind(const tacOutputs *outputs, tacOutputKind kind) {
    for (int i = 0; i < outputs->n; i++)
        if (outputs->list[i].kind == kind) return 1;
    return 0;
}

/* --- Values ------------------------------------------------------------------------------------------------------- */

/* Sums over subtrees, and forces of constraints. */
static int layout_point(const tacModel *m, const tacOptions *options, tacArena *arena, tacOutputPoint *p) {
    size_t n = (size_t)m->nbody;
    p->com = TAC_TAKE(arena, n, tacVec3);
    p->momentum = TAC_TAKE(arena, n, tacVec6);
    p->composite = TAC_TAKE(arena, n, tacInertia);
    p->inside = TAC_TAKE(arena, n, unsigned char);
    p->wrench = TAC_TAKE(arena, 6 * n, double);
    p->qfrc_constraint = TAC_TAKE(arena, m->nv, double);
    int full = p->com == NULL || p->momentum == NULL || p->composite == NULL || p->inside == NULL;
    return !full && p->wrench != NULL && p->qfrc_constraint != NULL && tac_output_pairs_layout(m, options, arena, p);
}

static tacStatus open_point(tacSim *sim, const double *x, const double *u, tacOutputPoint *p) {
    *p = (tacOutputPoint){.m = sim->ctx.model, .w = &sim->ctx.work, .x = tac_point_of(&sim->ctx, x, u)};
    return layout_point(sim->ctx.model, &sim->ctx.options, &sim->ctx.arena, p) ? TAC_OK : TAC_ERR_ARENA_FULL;
}

/* Forces of constraints; none where the contact model has none. */
static tacStatus run_constraints(tacSim *sim, const double *x, const double *u, const tacOutputPoint *p) {
    if (sim->ctx.stepper->forces != NULL)
        return sim->ctx.stepper->forces(&sim->ctx, x, u, p->wrench, p->qfrc_constraint);
    memset(p->wrench, 0, 6 * (size_t)p->m->nbody * sizeof *p->wrench);
    memset(p->qfrc_constraint, 0, (size_t)p->m->nv * sizeof *p->qfrc_constraint);
    return TAC_OK;
}

/* The stages that the outputs need. */
static tacStatus run_stages(tacSim *sim, const double *x, const double *u, const tacOutputs *outputs,
                            tacOutputPoint *p) {
    const tacModel *m = p->m;
    unsigned needs = 0;
    for (int i = 0; i < outputs->n; i++)
        needs |= TAC_OUTPUT_RULES[outputs->list[i].kind].needs;
    if (needs & TAC_NEED_CONSTRAINTS) TAC_TRY(run_constraints(sim, x, u, p));
    if (needs & TAC_NEED_PAIRS) TAC_TRY(tac_output_pairs(sim, x, u, p));
    if (needs & TAC_NEED_ACCELERATION) TAC_TRY(sim->ctx.stepper->acceleration(&sim->ctx, x, u, NULL));
    if (needs & TAC_NEED_FORCES) {
        tac_smooth_motion(m, p->w, p->x.q, p->x.v, p->x.u.mocap);
        tac_actuator_forces(m, p->w, p->x.u.ctrl, p->x.act, p->x.h);
    } else {
        tac_kinematics_q(m, p->w, p->x.q, p->x.u.mocap);
        if (needs & (TAC_NEED_VELOCITY | TAC_NEED_SUMS)) tac_kinematics_v(m, p->w, p->x.v);
        if (needs & TAC_NEED_TENDONS) {
            tac_tendon_lengths(m, p->w, p->x.q);
            tac_tendon_velocities(m, p->w, p->x.v);
        }
    }
    if (needs & TAC_NEED_SUMS) tac_output_sums(p);
    if (needs & TAC_NEED_MASS) tac_crba(m, p->w);
    return TAC_OK;
}

static tacStatus value_of(tacSim *sim, const tacOutputPoint *p, const tacOutputCursor *c, double *z) {
    const tacOutputRule *rule = &TAC_OUTPUT_RULES[c->kind];
    if (c->kind == TAC_OUT_GROWTH) return tac_output_growth_value(sim, c, z);
    if (rule->between != NULL)
        rule->between(p, (int[]){c->id, c->id2}, z);
    else
        rule->value(p, c->id, z);
    return TAC_OK;
}

static tacStatus check_values(tacSim *sim, const tacOutputPoint *p, const tacOutputs *outputs) {
    double z[TAC_OUTPUT_NUMBERS];
    for (tacOutputCursor c = tac_outputs_begin(p->m, outputs); tac_outputs_advance(&c);) {
        TAC_TRY(value_of(sim, p, &c, z));
        if (tac_first_nonfinite(c.end - c.row, z) >= 0) return TAC_ERR_NONFINITE;
    }
    return TAC_OK;
}

/* Needs: check_values. */
static void write_values(tacSim *sim, const tacOutputPoint *p, const tacOutputs *outputs, double *z) {
    for (tacOutputCursor c = tac_outputs_begin(p->m, outputs); tac_outputs_advance(&c);)
        (void)value_of(sim, p, &c, z + c.row);
}

/* Why a list of outputs is none of the model's; an id of -1 is a name that tac_model_find did not find. */
static tacStatus refuse_list(tacSim *sim, const char *call, const tacOutputs *outputs) {
    const tacModel *m = sim->ctx.model;
    if (outputs == NULL) return tac_sim_null(sim, call, "outputs");
    if (outputs->n < 0)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "outputs->n is %d, expected a number of outputs", outputs->n);
    if (outputs->list == NULL && outputs->n > 0) return tac_sim_null(sim, call, "outputs->list");
    for (int i = 0; i < outputs->n; i++) {
        tacOutput o = outputs->list[i];
        if (is_valid(m, o)) continue;
        if ((unsigned)o.kind >= TAC_OUTPUT_KINDS)
            return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "output %d: kind is %d, expected a tacOutputKind", i,
                                (int)o.kind);
        if (o.kind == TAC_OUT_GROWTH && o.id != -1 && o.id2 != -1)
            return tac_sim_fail(
                sim, TAC_ERR_ARGUMENT, call,
                "output %d (growth): geoms %d and %d at kappa %g have no growth distance, expected two different "
                "geoms with shapes, not two planes, and kappa above 0 to 1",
                i, o.id, o.id2, o.kappa);
        if (TAC_OUTPUT_RULES[o.kind].between != NULL || o.kind == TAC_OUT_GROWTH)
            return tac_sim_fail(sim, o.id == -1 || o.id2 == -1 ? TAC_ERR_NAME : TAC_ERR_ARGUMENT, call,
                                "output %d (%s): id is %d and id2 is %d, expected two different numbers, 0 to %d", i,
                                TAC_OUTPUT_RULES[o.kind].name, o.id, o.id2, count_of(m, o.kind) - 1);
        return tac_sim_fail(sim, o.id == -1 ? TAC_ERR_NAME : TAC_ERR_ARGUMENT, call,
                            "output %d (%s): id is %d%s, expected 0 to %d or TAC_OUT_ALL", i,
                            TAC_OUTPUT_RULES[o.kind].name, o.id, o.id == -1 ? ", an unknown name" : "",
                            count_of(m, o.kind) - 1);
    }
    return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "the number of output values exceeds the range of int");
}

static tacStatus check_call(tacSim *sim, const char *call, const double *x, const double *u,
                            const tacOutputs *outputs) {
    int bad;
    TAC_TRY(tac_check_state(sim, call, x, u, &bad));
    return tac_outputs_size(sim->ctx.model, outputs) >= 0 ? TAC_OK : refuse_list(sim, call, outputs);
}

/* Opens the point and makes sure that every value is finite. The caller releases the arena. */
static tacStatus evaluate(tacSim *sim, const double *x, const double *u, const tacOutputs *outputs, tacOutputPoint *p) {
    TAC_TRY(open_point(sim, x, u, p));
    TAC_TRY(run_stages(sim, x, u, outputs, p));
    return check_values(sim, p, outputs);
}

tacStatus tac_outputs(tacSim *sim, const double *x, const double *u, const tacOutputs *outputs, double *z) {
    tacOutputPoint p;
    TAC_TRY(check_call(sim, __func__, x, u, outputs));
    if (z == NULL && tac_outputs_size(sim->ctx.model, outputs) > 0) return tac_sim_null(sim, __func__, "z");
    TAC_SCOPE(&sim->ctx.arena);
    tacStatus status = evaluate(sim, x, u, outputs, &p);
    if (status == TAC_OK) write_values(sim, &p, outputs, z);
    return tac_end_call(sim, __func__, status);
}

/* --- Outputs one by one ------------------------------------------------------------------------------------------- */

/* Column `column` of every output along one variation. */
static void emit_variation(const tacOutputPoint *p, const tacOutputs *outputs, const tacVariation *d, int column,
                           const tacSink *sink) {
    for (tacOutputCursor c = tac_outputs_begin(p->m, outputs); tac_outputs_advance(&c);) {
        double dz[TAC_OUTPUT_NUMBERS] = {0};
        if (TAC_OUTPUT_RULES[c.kind].vary == NULL) continue;
        TAC_OUTPUT_RULES[c.kind].vary(p, c.id, d, dz);
        tac_emit_numbers(sink, c.row, column, c.end - c.row, dz);
    }
}

static void emit_singles(const tacSim *sim, const tacOutputPoint *p, const tacOutputs *outputs,
                         const tacOutputSinks *s) {
    const tacModel *m = p->m;
    for (tacOutputCursor c = tac_outputs_begin(m, outputs); tac_outputs_advance(&c);)
        if (TAC_OUTPUT_RULES[c.kind].state != NULL) TAC_OUTPUT_RULES[c.kind].state(p, c.id, c.row, &s->state);
    for (int i = 0; p->x.u.mocap != NULL && !tac_output_drops(&s->mocap) && i < TAC_POSE_SIZE * m->nmocap; i++) {
        tacVariation d = {.n = 1};
        tac_mocap_mover(m, p->w, i, p->x.u.mocap, &d.mover[0]);
        emit_variation(p, outputs, &d, i, &s->mocap);
    }
    for (int k = 0; !tac_output_drops(&s->theta) && k < m->nmember; k++) {
        tacVariation d = {.t = &sim->ctx.tangents[k]};
        d.n = tac_param_movers(m, p->w, d.t, &p->x, d.mover);
        emit_variation(p, outputs, &d, d.t->column, &s->theta);
    }
}

/* --- Kinds whose derivatives come as a block (output_blocks.h) ---------------------------------------------------- */

/* 1: the list has outputs of the kind whose derivatives come as a block and are not all zero. */
static int has_block(const tacSim *sim, const tacOutputs *outputs, int kind) {
    if (TAC_OUTPUT_BLOCKS[kind] == NULL || !has_kind(outputs, (tacOutputKind)kind)) return 0;
    return !(TAC_OUTPUT_RULES[kind].needs & TAC_NEED_CONSTRAINTS) || sim->ctx.stepper->forces != NULL;
}

/* --- Jacobian ----------------------------------------------------------------------------------------------------- */

static void copy_part(const double *from, int n, int row, double *to) {
    if (to != NULL) memcpy(to + (size_t)row * (size_t)n, from, (size_t)n * sizeof *to);
}

/* A kind's block, and its rows to where the list wants them. */
static tacStatus write_block(tacSim *sim, const tacOutputPoint *p, const tacOutputs *outputs, tacOutputKind kind,
                             double *W, const tacJac *J) {
    tacColumns c = tac_count_columns(&sim->ctx);
    int size = TAC_OUTPUT_RULES[kind].size;
    memset(W, 0, (size_t)size * (size_t)count_of(p->m, kind) * (size_t)c.n * sizeof *W);
    tacStatus status = TAC_OUTPUT_BLOCKS[kind](sim, p, &(tacOutputBlock){.W = W});
    for (tacOutputCursor k = tac_outputs_begin(p->m, outputs); status == TAC_OK && tac_outputs_advance(&k);) {
        if (k.kind != kind) continue;
        for (int i = 0; i < size; i++) {
            const double *from = W + (size_t)(size * k.id + i) * (size_t)c.n;
            copy_part(from, c.nx, k.row + i, J->A);
            copy_part(from + c.nx, c.nu, k.row + i, J->B);
            copy_part(from + c.nx + c.nu, c.np, k.row + i, J->P);
        }
    }
    return status;
}

static void clear(double *matrix, int rows, int columns) {
    if (matrix != NULL) memset(matrix, 0, (size_t)rows * (size_t)columns * sizeof *matrix);
}

/* Rows of the largest block. */
static size_t block_rows(const tacModel *m, const tacStepper *stepper) {
    int n = m->nv > m->na ? m->nv : m->na, wrenches = stepper->forces == NULL ? 0 : 6 * m->nbody;
    return (size_t)(wrenches > n ? wrenches : n);
}

static double *layout_block(const tacModel *m, const tacOptions *options, const tacStepper *stepper, tacArena *arena) {
    return TAC_TAKE(arena, block_rows(m, stepper) * (size_t)tac_columns_of(m, options).n, double);
}

static tacStatus write_jac(tacSim *sim, const tacOutputPoint *p, const tacOutputs *outputs, const tacJac *J) {
    tacColumns c = tac_count_columns(&sim->ctx);
    int nz = tac_outputs_size(p->m, outputs);
    double *W = layout_block(p->m, &sim->ctx.options, sim->ctx.stepper, &sim->ctx.arena);
    if (W == NULL) return TAC_ERR_ARENA_FULL;
    clear(J->A, nz, c.nx);
    clear(J->B, nz, c.nu);
    clear(J->P, nz, c.np);
    tacOutputSinks s = tac_output_matrix_sinks(sim, J, (int[]){c.nx, c.nu, c.np});
    emit_singles(sim, p, outputs, &s);
    TAC_TRY(tac_output_growths_emit(sim, p, outputs, NULL, &s));
    for (int kind = 0; kind < TAC_OUTPUT_KINDS; kind++)
        if (has_block(sim, outputs, kind)) TAC_TRY(write_block(sim, p, outputs, (tacOutputKind)kind, W, J));
    return has_kind(outputs, TAC_OUT_PAIR_FORCE) ? tac_output_pairs_jac(sim, p, outputs, J) : TAC_OK;
}

tacStatus tac_outputs_jac(tacSim *sim, const double *x, const double *u, const tacOutputs *outputs, double *z,
                          const tacJac *jac) {
    tacOutputPoint p;
    TAC_TRY(check_call(sim, __func__, x, u, outputs));
    if (jac == NULL) return tac_sim_null(sim, __func__, "jac");
    TAC_SCOPE(&sim->ctx.arena);
    tacStatus status = evaluate(sim, x, u, outputs, &p);
    if (status == TAC_OK && z != NULL) write_values(sim, &p, outputs, z);
    if (status == TAC_OK) status = write_jac(sim, &p, outputs, jac);
    return tac_end_call(sim, __func__, status);
}

/* --- Forward mode ------------------------------------------------------------------------------------------------- */

/* The direction, and a block. */
typedef struct Forward {
    double *along, *W;
} Forward;

static int layout_forward(const tacModel *m, const tacOptions *options, const tacStepper *stepper, tacArena *arena,
                          Forward *f) {
    f->along = TAC_TAKE(arena, tac_columns_of(m, options).n, double);
    f->W = layout_block(m, options, stepper, arena);
    return f->along != NULL && f->W != NULL;
}

static tacOutputSinks forward_sinks(const tacSim *sim, const double *along, double *dz) {
    tacColumns c = tac_count_columns(&sim->ctx);
    int nv = sim->ctx.model->nv, mocap = sim->ctx.inputs.mocap < 0 ? 0 : sim->ctx.inputs.mocap;
    c.along = along;
    tacForceSink state = {.q = tac_columns_sink(c, dz, 0),
                          .v = tac_columns_sink(c, dz, nv),
                          .act = tac_columns_sink(c, dz, 2 * nv),
                          .ctrl = tac_columns_sink(c, dz, c.nx)};
    return (tacOutputSinks){
        .state = state, .mocap = tac_columns_sink(c, dz, c.nx + mocap), .theta = tac_columns_sink(c, dz, c.nx + c.nu)};
}

/* A kind's block times the direction, to where the list wants it. */
static tacStatus push_block(tacSim *sim, const tacOutputPoint *p, const tacOutputs *outputs, tacOutputKind kind,
                            const Forward *f, double *dz) {
    size_t n = (size_t)tac_count_columns(&sim->ctx).n;
    int size = TAC_OUTPUT_RULES[kind].size;
    memset(f->W, 0, (size_t)size * (size_t)count_of(p->m, kind) * n * sizeof *f->W);
    TAC_TRY(TAC_OUTPUT_BLOCKS[kind](sim, p, &(tacOutputBlock){.W = f->W}));
    for (tacOutputCursor k = tac_outputs_begin(p->m, outputs); tac_outputs_advance(&k);)
        for (int i = 0; k.kind == kind && i < size; i++)
            dz[k.row + i] = tac_dense_dot((int)n, f->W + (size_t)(size * k.id + i) * n, f->along);
    return TAC_OK;
}

static tacStatus push_all(tacSim *sim, const tacOutputPoint *p, const tacOutputs *outputs, const tacTangent *along,
                          double *dz) {
    Forward f;
    if (!layout_forward(p->m, &sim->ctx.options, sim->ctx.stepper, &sim->ctx.arena, &f)) return TAC_ERR_ARENA_FULL;
    int nz = tac_outputs_size(p->m, outputs);
    tac_fill_direction(tac_count_columns(&sim->ctx), along, f.along);
    clear(dz, nz, 1);
    tacOutputSinks s = forward_sinks(sim, f.along, dz);
    emit_singles(sim, p, outputs, &s);
    TAC_TRY(tac_output_growths_emit(sim, p, outputs, NULL, &s));
    for (int kind = 0; kind < TAC_OUTPUT_KINDS; kind++)
        if (has_block(sim, outputs, kind)) TAC_TRY(push_block(sim, p, outputs, (tacOutputKind)kind, &f, dz));
    return has_kind(outputs, TAC_OUT_PAIR_FORCE) ? tac_output_pairs_jvp(sim, p, outputs, f.along, dz) : TAC_OK;
}

tacStatus tac_outputs_jvp(tacSim *sim, const double *x, const double *u, const tacOutputs *outputs,
                          const tacTangent *along, double *dz) {
    tacOutputPoint p;
    TAC_TRY(check_call(sim, __func__, x, u, outputs));
    TAC_TRY(tac_check_direction(sim, __func__, along));
    if (dz == NULL && tac_outputs_size(sim->ctx.model, outputs) > 0) return tac_sim_null(sim, __func__, "dz");
    TAC_SCOPE(&sim->ctx.arena);
    tacStatus status = evaluate(sim, x, u, outputs, &p);
    if (status == TAC_OK) status = push_all(sim, &p, outputs, along, dz);
    return tac_end_call(sim, __func__, status);
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

/* lambda[element] = sum of zbar where the list has the element */
static tacStatus pull_block(tacSim *sim, const tacOutputPoint *p, const tacOutputs *outputs, tacOutputKind kind,
                            const double *zbar, double *lambda, const tacGrad *bar) {
    memset(lambda, 0, block_rows(p->m, sim->ctx.stepper) * sizeof *lambda);
    for (tacOutputCursor k = tac_outputs_begin(p->m, outputs); tac_outputs_advance(&k);)
        for (int i = 0; k.kind == kind && i < TAC_OUTPUT_RULES[kind].size; i++)
            lambda[TAC_OUTPUT_RULES[kind].size * k.id + i] += zbar[k.row + i];
    return TAC_OUTPUT_BLOCKS[kind](sim, p, &(tacOutputBlock){.lambda = lambda, .bar = *bar});
}

/* Weights of a block's rows; gradients by [x | u | theta]. */
typedef struct Pull {
    double *lambda, *all;
} Pull;

static int layout_pull(const tacModel *m, const tacOptions *options, const tacStepper *stepper, tacArena *arena,
                       Pull *p) {
    p->lambda = TAC_TAKE(arena, block_rows(m, stepper), double);
    p->all = TAC_TAKE(arena, tac_columns_of(m, options).n, double);
    return p->lambda != NULL && p->all != NULL;
}

static tacStatus pull_all(tacSim *sim, const tacOutputPoint *p, const tacOutputs *outputs, const double *zbar,
                          const tacGrad *grad) {
    tacColumns c = tac_count_columns(&sim->ctx);
    Pull pull;
    if (!layout_pull(p->m, &sim->ctx.options, sim->ctx.stepper, &sim->ctx.arena, &pull)) return TAC_ERR_ARENA_FULL;
    double *lambda = pull.lambda, *all = pull.all;
    memset(all, 0, (size_t)c.n * sizeof *all);
    tacGrad bar = {all, all + c.nx, grad->theta != NULL ? all + c.nx + c.nu : NULL};
    tacOutputSinks s = tac_output_reverse_sinks(sim, zbar, &bar);
    emit_singles(sim, p, outputs, &s);
    TAC_TRY(tac_output_growths_emit(sim, p, outputs, zbar, &s));
    for (int kind = 0; kind < TAC_OUTPUT_KINDS; kind++)
        if (has_block(sim, outputs, kind))
            TAC_TRY(pull_block(sim, p, outputs, (tacOutputKind)kind, zbar, lambda, &bar));
    if (has_kind(outputs, TAC_OUT_PAIR_FORCE)) TAC_TRY(tac_output_pairs_vjp(sim, p, outputs, zbar, &bar));
    if (tac_first_nonfinite(c.n, all) >= 0) return TAC_ERR_NONFINITE;
    return tac_copy_grad(&bar, c, grad);
}

tacStatus tac_outputs_vjp(tacSim *sim, const double *x, const double *u, const tacOutputs *outputs, const double *zbar,
                          const tacGrad *grad) {
    tacOutputPoint p;
    TAC_TRY(check_call(sim, __func__, x, u, outputs));
    if (grad == NULL) return tac_sim_null(sim, __func__, "grad");
    int nz = tac_outputs_size(sim->ctx.model, outputs);
    if (nz > 0) TAC_TRY(tac_check_array(sim, __func__, "zbar", nz, zbar));
    TAC_SCOPE(&sim->ctx.arena);
    tacStatus status = evaluate(sim, x, u, outputs, &p);
    if (status == TAC_OK) status = pull_all(sim, &p, outputs, zbar, grad);
    return tac_end_call(sim, __func__, status);
}

void tac_outputs_measure(const tacModel *m, const tacOptions *options, const tacStepper *stepper, tacArena *dry) {
    TAC_SCOPE(dry);
    tacOutputPoint p;
    layout_point(m, options, dry, &p);
    {
        TAC_SCOPE(dry);
        Forward f;
        layout_forward(m, options, stepper, dry, &f);
        tac_growth_measure(m, dry);
        stepper->measure(m, options, dry);
    }
    Pull pull;
    layout_pull(m, options, stepper, dry, &pull);
    tac_growth_measure(m, dry);
    stepper->measure(m, options, dry);
}
