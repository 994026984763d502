/* Changes of the masses and inertias in use with one NUMBER of the model. */
#include "model/inertia.h"

#include <string.h>

#define IS(f, row) ((f)->offset == offsetof(tacModel, row))

/* --- What depends on what ----------------------------------------------------------------------------------------- */

static int uses_mesh(const tacModel *m, int body, int mesh) {
    int begin = m->body_geom_adr[body], end = begin + m->body_geom_num[body];
    for (int g = begin; g < end; g++)
        if (m->geom_mesh[g] == mesh) return 1;
    return 0;
}

/* 1: a body's own mass or inertia may depend on the number. */
static int body_depends(const tacModel *m, int body, tacNumber n) {
    const tacField *f = &TAC_FIELDS[n.field];
    int row = n.index / f->per;
    if (strcmp(f->kind, "inertial") == 0) return row == body && m->body_inertial[body] != TAC_INERTIAL_GEOMS;
    if (m->body_inertial[body] != TAC_INERTIAL_GEOMS) return 0;
    if (IS(f, geom_size) || IS(f, geom_pos) || IS(f, geom_quat) || IS(f, geom_density) || IS(f, geom_mass))
        return m->geom_body[row] == body;
    int mesh = tac_mesh_of_number(m, n);
    if (mesh >= 0) return uses_mesh(m, body, mesh);
    return IS(f, body_pos) && row == body; /* where nothing on it carries mass, its centre is there */
}

static int sets_total(tacNumber n) { return IS(&TAC_FIELDS[n.field], option_settotalmass); }

int tac_inertial_depends(const tacModel *m, int field, int index) {
    const tacNumber n = {field, index};
    if (sets_total(n)) return 1;
    for (int b = 1; b < m->nbody; b++)
        if (body_depends(m, b, n)) return 1;
    return 0;
}

/* --- Total mass --------------------------------------------------------------------------------------------------- */

/* scale = target / total:  d log(scale) = dtarget / target - dtotal / total. It scales every body's mass and inertia. t
 * comes unscaled (docs/theory/parameters.md, PA8). */
static void scale_to_total_jvp(const tacModel *m, tacNumber n, tacInertialTangent *t) {
    double target = *m->option_settotalmass, total = 0, change = 0, relative = 0;
    for (int b = 1; b < m->nbody; b++) {
        tacMassProperties p;
        tac_body_inertia(m, b, &p, NULL); /* it was derived: no bad numbers */
        total += p.mass;
        change += t[b].mass;
    }
    double scale = target / tac_max(TAC_MIN_INERTIA, total);
    if (total > TAC_MIN_INERTIA) relative -= change / total;
    if (sets_total(n)) relative += 1 / target;
    if (!(scale > TAC_MIN_INERTIA)) {
        scale = TAC_MIN_INERTIA;
        relative = 0;
    }
    for (int b = 1; b < m->nbody; b++) {
        t[b].mass = scale * t[b].mass + relative * m->body_mass[b];
        t[b].icom = tac_addsym3(tac_scalesym3(scale, t[b].icom), tac_scalesym3(relative, m->body_icom[b]));
    }
}

/* --- All bodies --------------------------------------------------------------------------------------------------- */

int tac_inertial_tangent(const tacModel *m, int field, int index, tacInertialTangent *t) {
    const tacNumber n = {field, index};
    int moves = 0;
    memset(t, 0, (size_t)m->nbody * sizeof *t);
    for (int b = 1; b < m->nbody; b++)
        if (body_depends(m, b, n)) t[b] = tac_body_inertia_jvp(m, b, n);
    if (*m->option_settotalmass > 0) scale_to_total_jvp(m, n, t);
    for (int b = 1; b < m->nbody; b++)
        moves |= !tac_inertial_is_still(&t[b]);
    return moves;
}
