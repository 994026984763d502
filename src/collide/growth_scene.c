#include "collide/growth_scene.h"

int tac_growth_terms(const tacModel *m, int geom, tacGrowthTerms *out) {
    *out = (tacGrowthTerms){.n = 0};
    for (int g = geom; g >= 0; g = m->geom_sum[g]) {
        int terms = 1 + (m->geom_pad[g] > 0);
        if (out->n + terms > TAC_GROWTH_TERMS) return 0;
        for (int i = 0; i < terms; i++) {
            out->geom[out->n] = g;
            out->is_pad[out->n++] = i;
        }
    }
    return out->n;
}

static tacGrowthTerm term_of(const tacScene *s, const tacModel *m, int geom, int is_pad) {
    tacGrowthTerm t = {.R = s->pose[geom].R};
    if (is_pad) {
        t.type = TAC_GEOM_SPHERE;
        t.size.x = m->geom_pad[geom];
        return t;
    }
    t.type = s->shape[geom].type;
    t.size = s->shape[geom].size;
    if (t.type == TAC_GEOM_MESH) {
        int mesh = m->geom_mesh[geom], polygon = m->mesh_polygon_adr[mesh];
        t.faces = (tacGrowthFaces){m->mesh_polygon_num[mesh], s->face_normal + polygon, s->face_offset + polygon,
                                   s->hull_centre[mesh]};
    }
    return t;
}

void tac_growth_shape_of(const tacScene *s, const tacModel *m, const tacGrowthTerms *terms, tacGrowthShape *out) {
    out->p = s->pose[terms->geom[0]].p;
    out->nterm = terms->n;
    for (int i = 0; i < terms->n; i++)
        out->term[i] = term_of(s, m, terms->geom[i], terms->is_pad[i]);
}

int tac_geoms_grow(const tacModel *m, int geom1, int geom2) { return tac_geoms_have_distance(m, geom1, geom2); }

/* Numbers, rows and cones that a geom adds to its pairs. A pad may grow from zero by its parameter. */
static void count_geom(const tacModel *m, int geom, int *n, int *rows, int *ncone) {
    *n = *rows = *ncone = 0;
    for (int g = geom; g >= 0; g = m->geom_sum[g]) {
        tacGrowthTerm t = {.type = (tacGeomType)m->geom_type[g]};
        if (t.type == TAC_GEOM_MESH) t.faces.n = m->mesh_polygon_num[m->geom_mesh[g]];
        tacGrowthRows r = tac_growth_term_rows(&t);
        *n += 3 + 3 + r.along;
        *rows += r.half + r.dim + TAC_CONE_MOST;
        *ncone += 1 + (r.dim > 0);
    }
}

void tac_growth_most(const tacModel *m, int *n, int *rows, int *ncone) {
    int most[3] = {0, 0, 0};
    for (int g = 0; g < m->ngeom; g++) {
        int of[3];
        if (!tac_geom_has_shape(m, g)) continue;
        count_geom(m, g, &of[0], &of[1], &of[2]);
        for (int i = 0; i < 3; i++)
            most[i] = of[i] > most[i] ? of[i] : most[i];
    }
    *n = 4 + 2 * most[0], *rows = 2 * most[1], *ncone = 2 * most[2];
}
