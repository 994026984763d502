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
    if (grown && m->keep_forces) {
        tacForceList *more = realloc(m->forces, (size_t)rows * sizeof *more);
        grown = more != NULL;
        if (grown) m->forces = more;
    }
    if (grown) m->capacity = rows;
    return grown;
}

int cli_motion_add(tacMotion *m, double time, const double *x, const double *u, tacEnergy energy,
                   tacForceList *forces) {
    if (!grow_all(m)) {
        if (forces != NULL) cli_forces_free(forces);
        return 0;
    }
    if (m->keep_forces) m->forces[m->nframe] = *forces;
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
    for (int f = 0; m->keep_forces && f < m->nframe; f++)
        cli_forces_free(&m->forces[f]);
    free(m->forces);
    free(m->time);
    free(m->kinetic);
    free(m->potential);
    free(m->x);
    free(m->u);
    *m = (tacMotion){0};
}

static int by_geoms(const void *a, const void *b) {
    const tacPairSum *p = a, *q = b;
    if (p->geom[0] != q->geom[0]) return p->geom[0] < q->geom[0] ? -1 : 1;
    return (p->geom[1] > q->geom[1]) - (p->geom[1] < q->geom[1]);
}

int cli_motion_pairs(const tacMotion *m, tacPairSum **pair) {
    size_t all = 0, n = 0;
    for (int f = 0; m->keep_forces && f < m->nframe; f++)
        all += (size_t)m->forces[f].npair;
    if ((*pair = calloc(all + 1, sizeof **pair)) == NULL) return -1;
    for (int f = 0, at = 0; m->keep_forces && f < m->nframe; at += m->forces[f++].npair)
        memcpy(*pair + at, m->forces[f].pair, (size_t)m->forces[f].npair * sizeof **pair);
    qsort(*pair, all, sizeof **pair, by_geoms);
    for (size_t i = 0; i < all; i++)
        if (n == 0 || by_geoms(*pair + n - 1, *pair + i) != 0) (*pair)[n++] = (*pair)[i];
    return (int)n;
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
