#include "collide/filter.h"

#include "model/layout.h"

#include <string.h>

/* --- Shapes and order --------------------------------------------------------------------------------------------- */

int tac_geom_has_shape(const tacModel *m, int geom) {
    int type = m->geom_type[geom];
    if (m->geom_visual[geom] || type == TAC_GEOM_HFIELD) return 0;
    return type != TAC_GEOM_MESH || m->mesh_corner_num[m->geom_mesh[geom]] > 0;
}

int tac_geoms_have_distance(const tacModel *m, int geom1, int geom2) {
    if (geom1 == geom2 || !tac_geom_has_shape(m, geom1) || !tac_geom_has_shape(m, geom2)) return 0;
    return m->geom_type[geom1] != TAC_GEOM_PLANE || m->geom_type[geom2] != TAC_GEOM_PLANE;
}

int tac_contact_swaps(const tacModel *m, int geom1, int geom2) {
    int type1 = m->geom_type[geom1], type2 = m->geom_type[geom2];
    return type1 != type2 ? type1 > type2 : geom1 > geom2;
}

int tac_geom_grows(const tacModel *m, int geom) { return m->geom_pad[geom] > 0 || m->geom_sum[geom] >= 0; }

/* 1: the geom's pad is a registered parameter. */
static int pad_varies(const tacModel *m, int geom) {
    for (int i = 0; i < m->nmember; i++)
        if (TAC_FIELDS[m->param_field[i]].offset == offsetof(tacModel, geom_pad) && m->param_index[i] == geom) return 1;
    return 0;
}

static int is_in_pair(const tacModel *m, int geom) {
    for (int i = 0; i < 2 * m->npair; i++)
        if (m->pair_geom[i] == geom) return 1;
    return 0;
}

int tac_first_growing(const tacModel *m) {
    for (int g = 0; g < m->ngeom; g++) {
        int touches = (m->geom_contype[g] | m->geom_conaffinity[g]) != 0 || is_in_pair(m, g);
        if (!tac_geom_has_shape(m, g) || !touches || tac_geom_is_added(m, g)) continue;
        if (tac_geom_grows(m, g) || pad_varies(m, g)) return g;
    }
    return -1;
}

/* --- Margins ------------------------------------------------------------------------------------------------------ */

tacReach tac_pair_reach(const tacModel *m, int geom1, int geom2, int pair) {
    double margin = pair >= 0 ? m->pair_margin[pair] : m->geom_margin[geom1] + m->geom_margin[geom2];
    double gap = pair >= 0 ? m->pair_gap[pair] : m->geom_gap[geom1] + m->geom_gap[geom2];
    if (*m->option_enable & TAC_ENABLE_OVERRIDE) margin = *m->option_o_margin;
    return (tacReach){margin, margin + gap};
}

double tac_geom_reach(const tacModel *m, int geom) {
    int override = *m->option_enable & TAC_ENABLE_OVERRIDE;
    return (override ? *m->option_o_margin / 2 : m->geom_margin[geom]) + m->geom_gap[geom];
}

/* --- Creation ----------------------------------------------------------------------------------------------------- */

/* Key of an unordered pair. */
static uint64_t key_of(int a, int b) {
    uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
    return low << 32 | high;
}

/* First index whose key is not below `key`. */
static int lower_bound(int n, const uint64_t *keys, uint64_t key) {
    int low = 0;
    while (n > 0) {
        int half = n / 2;
        if (keys[low + half] < key) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

static int contains(int n, const uint64_t *keys, uint64_t key) {
    int i = lower_bound(n, keys, key);
    return i < n && keys[i] == key;
}

/* Inserts a key in ascending order. */
static void insert_key(int *n, uint64_t *keys, uint64_t key) {
    int at = lower_bound(*n, keys, key);
    memmove(keys + at + 1, keys + at, (size_t)(*n - at) * sizeof *keys);
    keys[at] = key;
    (*n)++;
}

static tacGeomClass classify(const tacModel *m, int geom) {
    int body = m->geom_body[geom], weld = m->body_weld[body];
    return (tacGeomClass){.weld = weld,
                          .parent = m->body_weld[m->body_parent[weld]],
                          .contype = m->geom_contype[geom],
                          .conaffinity = m->geom_conaffinity[geom],
                          .body = body,
                          .fixed = m->body_dof_num[weld] == 0};
}

/* One row per array: name, number of elements. */
#define FILTER_ARRAYS(X)                                                                                               \
    X(geom, m->ngeom)                                                                                                  \
    X(bounded, m->ngeom)                                                                                               \
    X(plane, m->ngeom) X(explicit_pair, m->npair) X(excluded, m->nexclude) X(explicit_key, m->npair)

int tac_filter_layout(tacFilter *f, const tacModel *m, tacArena *arena) {
    memset(f, 0, sizeof *f);
#define X(name, count)                                                                                                 \
    if ((f->name = tac_arena_take(arena, (size_t)(count) * sizeof *f->name)) == NULL) return 0;
    FILTER_ARRAYS(X)
#undef X
    return 1;
}

static void add_explicit(tacFilter *f, const tacModel *m, int pair) {
    int a = m->pair_geom[2 * pair], b = m->pair_geom[2 * pair + 1];
    if (!tac_geoms_have_distance(m, a, b)) return;
    int swap = tac_contact_swaps(m, a, b), keys = f->nexplicit;
    f->explicit_pair[f->nexplicit] = (tacExplicitPair){{swap ? b : a, swap ? a : b}, pair};
    insert_key(&keys, f->explicit_key, key_of(a, b));
    f->nexplicit++;
}

void tac_filter_init(tacFilter *f, const tacModel *m) {
    f->nbounded = f->nplane = f->nexplicit = f->nexcluded = 0;
    f->keep_parent = (*m->option_disable & TAC_DISABLE_FILTERPARENT) != 0;
    f->disabled = (*m->option_disable & (TAC_DISABLE_CONTACT | TAC_DISABLE_CONSTRAINT)) != 0;
    for (int g = 0; g < m->ngeom; g++) {
        f->geom[g] = classify(m, g);
        if (tac_geom_is_added(m, g)) continue;
        if (f->disabled || !tac_geom_has_shape(m, g) || !(m->geom_contype[g] | m->geom_conaffinity[g])) continue;
        if (m->geom_type[g] == TAC_GEOM_PLANE)
            f->plane[f->nplane++] = g;
        else
            f->bounded[f->nbounded++] = g;
    }
    for (int i = 0; i < m->nexclude; i++)
        insert_key(&f->nexcluded, f->excluded, key_of(m->exclude_body[2 * i], m->exclude_body[2 * i + 1]));
    for (int i = 0; i < m->npair && !f->disabled; i++)
        add_explicit(f, m, i);
}

/* --- The rules ---------------------------------------------------------------------------------------------------- */

static int bodies_allow(const tacFilter *f, const tacGeomClass *a, const tacGeomClass *b) {
    if (a->weld == b->weld || (a->fixed && b->fixed)) return 0;
    if (!f->keep_parent && a->weld != 0 && b->weld != 0 && (a->weld == b->parent || b->weld == a->parent)) return 0;
    return f->nexcluded == 0 || !contains(f->nexcluded, f->excluded, key_of(a->body, b->body));
}

int tac_filter_allows(const tacFilter *f, int geom1, int geom2) {
    const tacGeomClass *a = &f->geom[geom1], *b = &f->geom[geom2];
    if (!(a->contype & b->conaffinity) && !(b->contype & a->conaffinity)) return 0;
    if (f->disabled || !bodies_allow(f, a, b)) return 0;
    return f->nexplicit == 0 || !contains(f->nexplicit, f->explicit_key, key_of(geom1, geom2));
}
