#include "cli/simulation/motion.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_FRAMES = 256 };

tacMotion cli_motion_begin(const tacModel *model, int ninput, int keep_states) {
    return (tacMotion){.model = model, .nx = tac_nx(model), .ninput = ninput, .keep_states = keep_states};
}

static int grow(double **array, int rows, int columns) {
    double *more = realloc(*array, ((size_t)rows * (size_t)columns + 1) * sizeof *more);
    if (more == NULL) return 0;
    *array = more;
    return 1;
}

static int grow_all(tacMotion *m) {
    if (m->nframe < m->capacity) return 1;
    int rows = m->capacity > 0 ? 2 * m->capacity : FIRST_FRAMES;
    int grown = grow(&m->time, rows, 1) && grow(&m->kinetic, rows, 1) && grow(&m->potential, rows, 1);
    if (m->keep_states) grown = grown && grow(&m->x, rows, m->nx) && grow(&m->u, rows, m->ninput);
    if (grown) m->capacity = rows;
    return grown;
}

int cli_motion_add(tacMotion *m, double time, const double *x, const double *u, tacEnergy energy) {
    if (!grow_all(m)) return 0;
    size_t i = (size_t)m->nframe++;
    m->time[i] = time;
    m->kinetic[i] = energy.kinetic;
    m->potential[i] = energy.potential;
    if (!m->keep_states) return 1;
    memcpy(m->x + i * (size_t)m->nx, x, (size_t)m->nx * sizeof *x);
    memcpy(m->u + i * (size_t)m->ninput, u, (size_t)m->ninput * sizeof *u);
    return 1;
}

void cli_motion_free(tacMotion *m) {
    free(m->time);
    free(m->kinetic);
    free(m->potential);
    free(m->x);
    free(m->u);
    *m = (tacMotion){0};
}

const double *cli_column_values(const tacMotion *motion, tacColumn kind, int frame) {
    const double *x = motion->x + (size_t)frame * (size_t)motion->nx;
    const tacModel *m = motion->model;
    switch (kind) {
    case TAC_COLUMN_QPOS:
        return x;
    case TAC_COLUMN_QVEL:
        return x + m->nq;
    case TAC_COLUMN_ACT:
        return x + m->nq + m->nv;
    default:
        return motion->u + (size_t)frame * (size_t)motion->ninput;
    }
}
