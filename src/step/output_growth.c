#include "step/output_growth.h"

#include <string.h>

/* Rows of an output: without the last, the barrier's value. */
enum { ROWS = TAC_GROWTH_NUMBERS - 1 };

int tac_output_is_growth(const tacModel *m, tacOutput o) {
    if (o.id < 0 || o.id >= m->ngeom || o.id2 < 0 || o.id2 >= m->ngeom) return 0;
    return o.kappa > 0 && o.kappa <= 1 && tac_geoms_grow(m, o.id, o.id2);
}

static double kappa_of(const tacOutputCursor *c) { return c->outputs->list[c->i].kappa; }

tacStatus tac_output_growth_value(tacSim *sim, const tacOutputCursor *c, double *z) {
    const int geom[2] = {c->id, c->id2};
    double all[TAC_GROWTH_NUMBERS];
    tacGrowthSystem g;
    TAC_SCOPE(&sim->ctx.arena);
    TAC_TRY(tac_place_growth(sim, geom));
    TAC_TRY(tac_growth_open(&sim->ctx.scene, c->m, geom, kappa_of(c), 0, &sim->ctx.arena, &g));
    tac_growth_numbers(&g, all);
    memcpy(z, all, ROWS * sizeof *z);
    return TAC_OK;
}

/* The weighted sum of rows is one row of weight 1. */
static tacSink as_one(tacSink sink) {
    static const double one = 1;
    if (sink.matrix == NULL && sink.lambda != NULL) sink.lambda = &one;
    return sink;
}

static tacStatus emit_growth(tacSim *sim, const tacOutputPoint *p, const tacOutputCursor *c, const double *zbar,
                             const tacOutputSinks *s) {
    const int geom[2] = {c->id, c->id2};
    double bar[TAC_GROWTH_NUMBERS] = {0};
    tacGrowthSystem g;
    TAC_SCOPE(&sim->ctx.arena);
    if (zbar != NULL) memcpy(bar, zbar + c->row, ROWS * sizeof *bar);
    TAC_TRY(tac_place_growth(sim, geom));
    TAC_TRY(tac_growth_derive(sim, geom, kappa_of(c), zbar != NULL ? bar : NULL, &g));
    if (zbar == NULL) g.count = TAC_GROWTH_PARTS; /* without the barrier's value */
    tacGrowthSinks rows = {s->state.q, s->state.ctrl, s->theta};
    tacGrowthSinks sum = {as_one(s->state.q), as_one(s->state.ctrl), as_one(s->theta)};
    tac_growth_emit(sim, &g, &p->x, zbar != NULL ? 0 : c->row, zbar != NULL ? &sum : &rows);
    return TAC_OK;
}

tacStatus tac_output_growths_emit(tacSim *sim, const tacOutputPoint *p, const tacOutputs *outputs, const double *zbar,
                                  const tacOutputSinks *s) {
    for (tacOutputCursor c = tac_outputs_begin(p->m, outputs); tac_outputs_advance(&c);)
        if (c.kind == TAC_OUT_GROWTH) TAC_TRY(emit_growth(sim, p, &c, zbar, s));
    return TAC_OK;
}
