#include "measure/step_column.h"

#include <stdlib.h>
#include <string.h>

static double *new_numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

int measure_step_column_new(const tacModel *model, const tacOptions *options, tacSim *sim, tacStepColumn *c) {
    *c = (tacStepColumn){
        .model = model, .sim = sim, .nx = tac_nx(model), .ndx = tac_ndx(model), .nu = tac_ninput(model, options)};
    c->y0 = new_numbers(c->nx);
    c->moved = new_numbers(c->nx);
    c->y = new_numbers(c->nx);
    c->input = new_numbers(c->nu);
    c->move = new_numbers(c->ndx);
    if (c->y0 != NULL && c->moved != NULL && c->y != NULL && c->input != NULL && c->move != NULL) return 1;
    measure_step_column_free(c);
    return 0;
}

void measure_step_column_free(tacStepColumn *c) {
    double *all[] = {c->y0, c->moved, c->y, c->input, c->move};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    *c = (tacStepColumn){0};
}

tacStatus measure_step_column_at(tacStepColumn *c, const double *x, const double *u) {
    c->x = x;
    c->u = u;
    return tac_step(c->sim, x, u, c->y0, NULL);
}

void measure_step_column_move(tacStepColumn *c, double t) {
    const tacModel *m = c->model;
    memcpy(c->moved, c->x, (size_t)c->nx * sizeof(double));
    if (c->nu > 0) memcpy(c->input, c->u, (size_t)c->nu * sizeof(double)); /* a model without inputs may have none */
    if (c->column < m->nv) {
        memset(c->move, 0, (size_t)m->nv * sizeof(double));
        c->move[c->column] = t;
        tac_qpos_add(m, c->x, c->move, c->moved);
    } else if (c->column < c->ndx) {
        c->moved[m->nq + c->column - m->nv] += t;
    } else {
        c->input[c->column - c->ndx] += t;
    }
}

void measure_state_difference(const tacModel *m, const double *y, const double *y0, double *out) {
    tac_qpos_sub(m, y, y0, out);
    memcpy(out + m->nv, y + m->nq, (size_t)(m->nv + m->na) * sizeof(double));
}

int measure_step_column_difference(void *context, double t, double *out) {
    tacStepColumn *c = context;
    measure_step_column_move(c, t);
    if (tac_step(c->sim, c->moved, c->input, c->y, NULL) != TAC_OK) return 1;
    measure_state_difference(c->model, c->y, c->y0, out);
    return 0;
}
