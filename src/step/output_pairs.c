#include "step/output_pairs.h"

#include "math/dense.h"

int tac_output_pairs_layout(const tacModel *m, const tacOptions *options, tacArena *arena, tacOutputPoint *p) {
    (void)m;
    p->max_pairs = options->max_contacts;
    p->npair = 0;
    p->pair = TAC_TAKE(arena, options->max_contacts, tacPairForce);
    return p->pair != NULL;
}

/* --- Values ------------------------------------------------------------------------------------------------------- */

/* The values of a list, and 1 where it is full. */
typedef struct Values {
    tacOutputPoint *p;
    int full;
} Values;

/* Contacts of a pair follow each other. */
static tacPairForce *pair_of(Values *v, const tacContact *c) {
    tacOutputPoint *p = v->p;
    tacPairForce *last = p->npair > 0 ? &p->pair[p->npair - 1] : NULL;
    if (last != NULL && last->geom[0] == c->geom[0] && last->geom[1] == c->geom[1]) return last;
    v->full |= p->npair == p->max_pairs;
    if (p->npair == p->max_pairs) return NULL;
    last = &p->pair[p->npair++];
    *last = (tacPairForce){.geom = {c->geom[0], c->geom[1]}};
    return last;
}

static void add_value(void *of, int k, const tacContact *c, const double f[3]) {
    tacPairForce *pair = pair_of(of, c);
    (void)k;
    for (int i = 0; pair != NULL && i < 3; i++)
        pair->force[i] += f[i];
}

tacStatus tac_output_pairs(tacSim *sim, const double *x, const double *u, tacOutputPoint *p) {
    Values values = {.p = p};
    p->npair = 0;
    if (sim->ctx.stepper->contact_forces == NULL) return TAC_OK;
    TAC_TRY(sim->ctx.stepper->contact_forces(&sim->ctx, x, u, &(tacContactReader){.of = &values, .value = add_value}));
    return values.full ? TAC_ERR_CONTACTS : TAC_OK;
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* Destination of derivatives, or source of weights. */
typedef struct Rows {
    tacColumns c;
    const tacModel *m;
    const tacOutputs *outputs;
    const tacJac *J;
    const double *along, *zbar;
    double *dz;
} Rows;

static void drop_value(void *of, int k, const tacContact *c, const double f[3]) { (void)of, (void)k, (void)c, (void)f; }

void tac_add_line(tacColumns c, double factor, const double *df, int row, const tacJac *J) {
    size_t i = (size_t)row;
    if (J->A != NULL) tac_dense_axpy(c.nx, factor, df, J->A + i * (size_t)c.nx);
    if (J->B != NULL) tac_dense_axpy(c.nu, factor, df + c.nx, J->B + i * (size_t)c.nu);
    if (J->P != NULL) tac_dense_axpy(c.np, factor, df + c.nx + c.nu, J->P + i * (size_t)c.np);
}

/* The sign of component `axis` of a contact in the current output; 0: it is not of that pair. */
static int sign_of(const tacOutputCursor *o, const tacContact *c, int axis) {
    if (o->kind != TAC_OUT_PAIR_FORCE) return 0;
    int order = tac_pair_order(c->geom, (int[]){o->id, o->id2});
    return axis == 0 ? order * order : order;
}

static void add_line(void *of, int k, const tacContact *c, int axis, double factor, const double *df) {
    const Rows *r = of;
    (void)k;
    for (tacOutputCursor o = tac_outputs_begin(r->m, r->outputs); tac_outputs_advance(&o);) {
        int sign = sign_of(&o, c, axis);
        if (sign != 0 && r->J != NULL) tac_add_line(r->c, sign * factor, df, o.row + axis, r->J);
        if (sign != 0 && r->dz != NULL) r->dz[o.row + axis] += sign * factor * tac_dense_dot(r->c.n, df, r->along);
    }
}

static int weigh(void *of, int k, const tacContact *c, double bar[3]) {
    const Rows *r = of;
    int wanted = 0;
    (void)k;
    bar[0] = bar[1] = bar[2] = 0;
    for (tacOutputCursor o = tac_outputs_begin(r->m, r->outputs); tac_outputs_advance(&o);) {
        wanted |= sign_of(&o, c, 0);
        for (int i = 0; r->zbar != NULL && i < 3; i++)
            bar[i] += sign_of(&o, c, i) * (sign_of(&o, c, i) != 0 ? r->zbar[o.row + i] : 0);
    }
    return wanted;
}

static tacStatus read_lines(tacSim *sim, const tacOutputPoint *p, Rows *rows) {
    if (sim->ctx.stepper->contact_forces == NULL) return TAC_OK;
    return sim->ctx.stepper->contact_forces(&sim->ctx, p->x.q, p->x.u.ctrl,
                                            &(tacContactReader){rows, drop_value, add_line, weigh});
}

tacStatus tac_output_pairs_jac(tacSim *sim, const tacOutputPoint *p, const tacOutputs *outputs, const tacJac *J) {
    return read_lines(sim, p, &(Rows){.c = tac_count_columns(&sim->ctx), .m = p->m, .outputs = outputs, .J = J});
}

tacStatus tac_output_pairs_jvp(tacSim *sim, const tacOutputPoint *p, const tacOutputs *outputs, const double *along,
                               double *dz) {
    tacColumns c = tac_count_columns(&sim->ctx);
    return read_lines(sim, p, &(Rows){.c = c, .m = p->m, .outputs = outputs, .along = along, .dz = dz});
}

tacStatus tac_output_pairs_vjp(tacSim *sim, const tacOutputPoint *p, const tacOutputs *outputs, const double *zbar,
                               const tacGrad *bar) {
    Rows rows = {.m = p->m, .outputs = outputs, .zbar = zbar};
    if (sim->ctx.stepper->contact_forces == NULL) return TAC_OK;
    return sim->ctx.stepper->contact_forces_vjp(&sim->ctx, p->x.q, p->x.u.ctrl,
                                                &(tacContactReader){.of = &rows, .weigh = weigh}, bar);
}
