/* Triangles of a convex hull -> polyhedron.
 *
 * Half-edge 3 t + k runs along side k of triangle t. Its twin runs back along the same edge in the next triangle.
 * Triangles are gathered into plane regions. The half-edges between regions are the edges. */
#include "model/polyhedron.h"

#include "base/error.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

/* Relative to the largest coordinate. Points this near to a plane or line are in it. This is some times the rounding of
 * rotated or shifted coordinates, and of the planes through them. */
#define FLAT 1e-13
/* A body that bulges inwards by more than this share of its volume is not convex. It is far above rounding, for
 * triangles that are no hull at all. */
#define BULGE 1e-9

/* A surface under construction. Vertices are numbered in ascending order of their ids. */
typedef struct Surface {
    int nvert, ntri, nregion;
    double size, turn;
    int *id;            /* nvert */
    tacVec3 *x;         /* nvert */
    int *from;          /* 3 ntri: vertex where a half-edge begins */
    int *twin;          /* 3 ntri */
    int *next, *prev;   /* 3 ntri: along the loop of a region; -1: not an edge */
    int *region;        /* ntri */
    int *length;        /* ntri: edges of a region */
    int *leave;         /* nvert: an edge that begins here, or -1 */
    int *degree, *mark; /* nvert */
    int *queue;         /* 3 ntri */
} Surface;

static int along(int h) { return h % 3 == 2 ? h - 2 : h + 1; }
static int end(const Surface *s, int h) { return s->from[s->next[h]]; }

/* --- Vertices ----------------------------------------------------------------------------------------------------- */

typedef struct Place {
    tacVec3 x;
    int vertex;
} Place;

static int compare_ints(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int compare_places(const void *a, const void *b) {
    const Place *p = a, *q = b;
    if (p->x.x != q->x.x) return p->x.x < q->x.x ? -1 : 1;
    if (p->x.y != q->x.y) return p->x.y < q->x.y ? -1 : 1;
    if (p->x.z != q->x.z) return p->x.z < q->x.z ? -1 : 1;
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

/* The vertices that triangles use, ascending, and their largest coordinate. */
static void collect_vertices(Surface *s, const tacVec3 *vert, int nface, const int *face) {
    memcpy(s->id, face, 3 * (size_t)nface * sizeof(int));
    qsort(s->id, 3 * (size_t)nface, sizeof(int), compare_ints);
    s->nvert = 0;
    for (int i = 0; i < 3 * nface; i++)
        if (i == 0 || s->id[i] != s->id[i - 1]) s->id[s->nvert++] = s->id[i];
    s->size = 0;
    for (int i = 0; i < s->nvert; i++) {
        tacVec3 x = s->x[i] = vert[s->id[i]];
        s->size = tac_max(s->size, tac_max(tac_abs(x.x), tac_max(tac_abs(x.y), tac_abs(x.z))));
    }
}

/* same[vertex]: the lowest of the vertices at the same point. */
static int weld_vertices(const Surface *s, int *same) {
    Place *place = malloc((size_t)s->nvert * sizeof *place);
    if (place == NULL) return 0;
    for (int i = 0; i < s->nvert; i++)
        place[i] = (Place){s->x[i], i};
    qsort(place, (size_t)s->nvert, sizeof *place, compare_places);
    for (int i = 0; i < s->nvert; i++) {
        tacVec3 d = i > 0 ? tac_sub3(place[i].x, place[i - 1].x) : tac_vec3(1, 0, 0);
        same[place[i].vertex] = d.x == 0 && d.y == 0 && d.z == 0 ? same[place[i - 1].vertex] : place[i].vertex;
    }
    free(place);
    return 1;
}

/* Triangles with three different vertices. */
static void collect_triangles(Surface *s, int nface, const int *face, const int *same) {
    s->ntri = 0;
    for (int t = 0; t < nface; t++) {
        int *v = s->from + 3 * s->ntri;
        for (int k = 0; k < 3; k++) {
            const int *at = bsearch(&face[3 * t + k], s->id, (size_t)s->nvert, sizeof(int), compare_ints);
            v[k] = same[at - s->id];
        }
        if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0]) s->ntri++;
    }
}

/* --- Half-edges --------------------------------------------------------------------------------------------------- */

typedef struct Half {
    int from, to, h;
} Half;

static int compare_halves(const void *a, const void *b) {
    const Half *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Every half-edge has one twin. */
static tacStatus pair_halves(Surface *s) {
    int n = 3 * s->ntri, open = 0;
    Half *half = malloc(((size_t)n + 1) * sizeof *half);
    if (half == NULL) return TAC_ERR_MEMORY;
    for (int h = 0; h < n; h++)
        half[h] = (Half){s->from[h], s->from[along(h)], h};
    qsort(half, (size_t)n, sizeof *half, compare_halves);
    for (int i = 1; i < n; i++)
        open |= compare_halves(&half[i], &half[i - 1]) == 0;
    for (int i = 0; i < n && !open; i++) {
        Half back = {half[i].to, half[i].from, -1};
        const Half *found = bsearch(&back, half, (size_t)n, sizeof *half, compare_halves);
        open |= found == NULL;
        s->twin[half[i].h] = found != NULL ? found->h : -1;
    }
    free(half);
    return open ? TAC_ERR_MODEL : TAC_OK;
}

/* --- Regions ------------------------------------------------------------------------------------------------------ */

typedef struct Seed {
    double area; /* squared */
    int v[3], triangle;
} Seed;

/* Sorts the largest first, and equal ones by their vertices. */
static int compare_seeds(const void *a, const void *b) {
    const Seed *p = a, *q = b;
    if (p->area != q->area) return p->area > q->area ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (p->v[k] != q->v[k]) return p->v[k] < q->v[k] ? -1 : 1;
    return 0;
}

/* Twice the area, along the normal. */
static tacVec3 area_vector(const Surface *s, int t) {
    const int *v = s->from + 3 * t;
    return tac_cross3(tac_sub3(s->x[v[1]], s->x[v[0]]), tac_sub3(s->x[v[2]], s->x[v[0]]));
}

/* The vertices from the lowest on, so that the order of triangles and their first vertices do not matter. */
static Seed seed_of(const Surface *s, int t) {
    const int *v = s->from + 3 * t;
    int k = v[0] < v[1] ? (v[0] < v[2] ? 0 : 2) : (v[1] < v[2] ? 1 : 2);
    tacVec3 a = area_vector(s, t);
    return (Seed){tac_dot3(a, a), {v[k], v[(k + 1) % 3], v[(k + 2) % 3]}, t};
}

/* 1: the triangle is thinner than the tolerance of flatness. */
static int is_sliver(const Surface *s, int t, tacVec3 area) {
    double longest = 0;
    for (int k = 0; k < 3; k++) {
        tacVec3 side = tac_sub3(s->x[s->from[3 * t + k]], s->x[s->from[along(3 * t + k)]]);
        longest = tac_max(longest, tac_dot3(side, side));
    }
    return tac_dot3(area, area) <= longest * (FLAT * s->size) * (FLAT * s->size);
}

/* 1: triangle t lies in the plane through x with unit normal n, with the same orientation. */
static int lies_in(const Surface *s, int t, tacVec3 x, tacVec3 n) {
    for (int k = 0; k < 3; k++)
        if (!(tac_abs(tac_dot3(n, tac_sub3(s->x[s->from[3 * t + k]], x))) <= FLAT * s->size)) return 0;
    tacVec3 area = area_vector(s, t);
    return tac_dot3(area, n) > 0 || is_sliver(s, t, area);
}

/* All triangles connected with the seed that lie in its plane. One plane, so that no tolerance adds up. */
static void grow_region(Surface *s, int seed) {
    tacVec3 area = area_vector(s, seed), x = s->x[s->from[3 * seed]];
    double length = tac_norm3(area);
    int region = s->nregion++, n = 0;
    s->region[seed] = region;
    if (!(length > 0)) return;
    tacVec3 normal = tac_vec3(area.x / length, area.y / length, area.z / length);
    for (s->queue[n++] = seed; n > 0;) {
        int t = s->queue[--n];
        for (int k = 0; k < 3; k++) {
            int other = s->twin[3 * t + k] / 3;
            if (s->region[other] >= 0 || !lies_in(s, other, x, normal)) continue;
            s->region[other] = region;
            s->queue[n++] = other;
        }
    }
}

/* Grows regions from the largest triangles on. So planes come from good triangles, and slivers join them. */
static int find_regions(Surface *s) {
    Seed *seed = malloc((size_t)s->ntri * sizeof *seed);
    if (seed == NULL) return 0;
    s->nregion = 0;
    for (int t = 0; t < s->ntri; t++) {
        seed[t] = seed_of(s, t);
        s->region[t] = -1;
    }
    qsort(seed, (size_t)s->ntri, sizeof *seed, compare_seeds);
    for (int i = 0; i < s->ntri; i++)
        if (s->region[seed[i].triangle] < 0) grow_region(s, seed[i].triangle);
    free(seed);
    return 1;
}

/* --- Loops -------------------------------------------------------------------------------------------------------- */

/* Half-edges between regions, linked along each region's rim. */
static void link_loops(Surface *s) {
    memset(s->length, 0, (size_t)s->ntri * sizeof(int));
    memset(s->degree, 0, (size_t)s->nvert * sizeof(int));
    for (int h = 0; h < 3 * s->ntri; h++)
        s->next[h] = s->prev[h] = -1;
    for (int v = 0; v < s->nvert; v++)
        s->leave[v] = -1;
    for (int h = 0; h < 3 * s->ntri; h++) {
        int region = s->region[h / 3];
        if (s->region[s->twin[h] / 3] == region) continue;
        int e = along(h); /* turns about the end of h inside the region, until an edge leaves */
        while (s->region[s->twin[e] / 3] == region)
            e = along(s->twin[e]);
        s->next[h] = e;
        s->prev[e] = h;
        s->leave[s->from[h]] = h;
        s->degree[s->from[h]]++;
        s->length[region]++;
    }
}

/* Removes vertex v on the straight edge p v n between two regions:
 *   h1 = p v, h2 = v n on one side, g1 = n v, g2 = v p on the other; h1 becomes p n and g1 becomes n p. */
static void drop_middle(Surface *s, int v) {
    int h2 = s->leave[v], h1 = s->prev[h2], g1 = s->twin[h2], g2 = s->next[g1];
    int left = s->region[h2 / 3], right = s->region[g1 / 3];
    if (g2 != s->twin[h1] || s->length[left] < 4 || s->length[right] < 4) return;
    tacVec3 p = s->x[s->from[h1]], edge = tac_sub3(s->x[end(s, h2)], p);
    tacVec3 off = tac_cross3(edge, tac_sub3(s->x[v], p));
    double flat = FLAT * s->size;
    if (!(tac_dot3(off, off) <= flat * flat * tac_dot3(edge, edge))) return;
    s->next[h1] = s->next[h2];
    s->prev[s->next[h2]] = h1;
    s->next[g1] = s->next[g2];
    s->prev[s->next[g2]] = g1;
    s->twin[h1] = g1;
    s->twin[g1] = h1;
    s->next[h2] = s->prev[h2] = s->next[g2] = s->prev[g2] = -1;
    s->leave[v] = -1;
    s->degree[v] = 0;
    s->length[left]--;
    s->length[right]--;
}

/* Checks for one loop per region with each vertex once in it, one turn of the edges round every vertex, and a sphere
 * (Euler). */
static int is_closed(Surface *s) {
    int ncorner = 0, nedge = 0;
    for (int v = 0; v < s->nvert; v++) {
        if (s->degree[v] == 0) continue;
        int h = s->leave[v], n = 0;
        do {
            h = s->twin[s->prev[h]];
            n++;
        } while (h != s->leave[v] && n <= s->degree[v]);
        if (n != s->degree[v] || n < 2) return 0;
        ncorner++;
        nedge += n;
    }
    for (int v = 0; v < s->nvert; v++)
        s->mark[v] = -1;
    for (int r = 0; r < s->nregion; r++)
        s->queue[r] = -1; /* an edge of the region */
    for (int h = 0; h < 3 * s->ntri; h++)
        if (s->next[h] >= 0 && s->queue[s->region[h / 3]] < 0) s->queue[s->region[h / 3]] = h;
    for (int r = 0; r < s->nregion; r++) {
        int h = s->queue[r], n = 0;
        if (h < 0 || s->length[r] < 3) return 0;
        for (; s->mark[s->from[h]] != r; h = s->next[h], n++)
            s->mark[s->from[h]] = r;
        if (h != s->queue[r] || n != s->length[r]) return 0;
    }
    return ncorner - nedge / 2 + s->nregion == 2;
}

/* At each edge a b the next corners c of the left and d of the right region bend outwards: (ab x ac) . ad <= 0. The
 * whole is not inside out. */
static int is_convex(const Surface *s) {
    double volume = 0, most = BULGE * s->size * s->size * s->size;
    for (int h = 0; h < 3 * s->ntri; h++) {
        if (s->next[h] < 0) continue;
        tacVec3 a = s->x[s->from[h]], b = s->x[end(s, h)];
        tacVec3 c = s->x[end(s, s->next[h])], d = s->x[end(s, s->next[s->twin[h]])];
        tacVec3 normal = tac_scale3(s->turn, tac_cross3(tac_sub3(b, a), tac_sub3(c, a)));
        if (!(tac_dot3(normal, tac_sub3(d, a)) <= most)) return 0;
    }
    for (int t = 0; t < s->ntri; t++)
        volume += s->turn * tac_dot3(area_vector(s, t), tac_sub3(s->x[s->from[3 * t]], s->x[0]));
    return volume >= -most;
}

/* --- Result ------------------------------------------------------------------------------------------------------- */

/* A loop, from its lowest corner on. */
typedef struct Loop {
    int h, v[2];
} Loop;

static int compare_loops(const void *a, const void *b) {
    const Loop *x = a, *y = b;
    if (x->v[0] != y->v[0]) return x->v[0] < y->v[0] ? -1 : 1;
    return (x->v[1] > y->v[1]) - (x->v[1] < y->v[1]);
}

static int allocate_result(const Surface *s, tacPolyhedron *out) {
    out->ncorner = out->nedge = 0;
    out->npolygon = s->nregion;
    for (int v = 0; v < s->nvert; v++) {
        out->ncorner += s->degree[v] > 0;
        out->nedge += s->degree[v];
    }
    out->corner = malloc((3 * (size_t)out->ncorner + 2 * (size_t)out->npolygon + 3 * (size_t)out->nedge) * sizeof(int));
    if (out->corner == NULL) return 0;
    out->edge_adr = out->corner + out->ncorner;
    out->edge_num = out->edge_adr + out->ncorner;
    out->loop_adr = out->edge_num + out->ncorner;
    out->loop_num = out->loop_adr + out->npolygon;
    out->edge = out->loop_num + out->npolygon;
    out->loop = out->edge + out->nedge;
    out->edge_face = out->loop + out->nedge;
    return 1;
}

/* The neighbours of v from the lowest on. */
static void write_neighbours(const Surface *s, int v, const int *place, int *edge) {
    int h = s->leave[v], first = h;
    for (int k = 0; k < s->degree[v]; k++, h = s->twin[s->prev[h]])
        if (end(s, h) < end(s, first)) first = h;
    h = first;
    for (int k = 0; k < s->degree[v]; k++, h = s->twin[s->prev[h]])
        edge[k] = place[end(s, h)];
}

static void write_corners(const Surface *s, int *place, tacPolyhedron *out) {
    int n = 0, at = 0;
    for (int v = 0; v < s->nvert; v++)
        if (s->degree[v] > 0) place[v] = n++;
    for (int v = 0; v < s->nvert; v++) {
        if (s->degree[v] == 0) continue;
        out->corner[place[v]] = s->id[v];
        out->edge_adr[place[v]] = at;
        out->edge_num[place[v]] = s->degree[v];
        write_neighbours(s, v, place, out->edge + at);
        at += s->degree[v];
    }
}

static int write_loops(const Surface *s, const int *place, tacPolyhedron *out) {
    Loop *loop = malloc((size_t)s->nregion * sizeof *loop);
    if (loop == NULL) return 0;
    for (int r = 0; r < s->nregion; r++)
        loop[r].h = -1;
    for (int h = 0; h < 3 * s->ntri; h++) {
        Loop *l = &loop[s->region[h / 3]];
        if (s->next[h] >= 0 && (l->h < 0 || s->from[h] < l->v[0])) *l = (Loop){h, {s->from[h], end(s, h)}};
    }
    qsort(loop, (size_t)s->nregion, sizeof *loop, compare_loops);
    for (int r = 0, at = 0; r < s->nregion; r++) {
        int h = loop[r].h, n = s->length[s->region[h / 3]];
        out->loop_adr[r] = at;
        out->loop_num[r] = n;
        for (int k = 0; k < n; k++, h = s->next[h])
            out->loop[at++] = place[s->from[h]];
    }
    free(loop);
    return 1;
}

/* Polygon r lies to the left of each edge of its loop. */
static void write_edge_faces(tacPolyhedron *out) {
    for (int r = 0; r < out->npolygon; r++) {
        const int *loop = out->loop + out->loop_adr[r];
        for (int k = 0, n = out->loop_num[r]; k < n; k++) {
            int first = out->edge_adr[loop[k]], to = loop[k + 1 < n ? k + 1 : 0], i = 0;
            while (out->edge[first + i] != to)
                i++;
            out->edge_face[first + i] = r;
        }
    }
}

/* --- The whole ---------------------------------------------------------------------------------------------------- */

static int allocate(Surface *s, int nface) {
    size_t n = (size_t)nface;
    int **row[] = {&s->id, &s->from, &s->twin, &s->next, &s->prev, &s->leave, &s->degree, &s->mark, &s->queue};
    const size_t rows = sizeof row / sizeof row[0];
    s->x = malloc(3 * n * sizeof *s->x);
    int *at = malloc((3 * rows + 2) * n * sizeof(int));
    s->id = at;
    if (s->x == NULL || at == NULL) return 0;
    for (size_t i = 0; i < rows; i++, at += 3 * n)
        *row[i] = at;
    s->region = at;
    s->length = at + n;
    return 1;
}

/* Merges coplanar triangles. If rounding then leaves no surface of simple polygons, keeps each triangle. */
static tacStatus find_edges(Surface *s) {
    if (!find_regions(s)) return TAC_ERR_MEMORY;
    link_loops(s);
    for (int v = 0; v < s->nvert; v++)
        if (s->degree[v] == 2) drop_middle(s, v);
    if (is_closed(s)) return TAC_OK;
    TAC_TRY(pair_halves(s));
    for (int t = 0; t < s->ntri; t++)
        s->region[t] = t;
    s->nregion = s->ntri;
    link_loops(s);
    return is_closed(s) ? TAC_OK : TAC_ERR_MODEL;
}

static tacStatus build(Surface *s, tacPolyhedron *out) {
    if (s->ntri < 2) return TAC_ERR_MODEL;
    TAC_TRY(pair_halves(s));
    TAC_TRY(find_edges(s));
    if (!is_convex(s)) return TAC_ERR_MODEL;
    if (!allocate_result(s, out)) return TAC_ERR_MEMORY;
    write_corners(s, s->mark, out);
    if (!write_loops(s, s->mark, out)) return TAC_ERR_MEMORY;
    write_edge_faces(out);
    return TAC_OK;
}

tacStatus tac_polyhedron_new(const tacVec3 *vert, int nface, const int *face, double turn, tacPolyhedron *out) {
    memset(out, 0, sizeof *out);
    if (nface == 0) return TAC_ERR_MODEL;
    Surface s = {.turn = turn};
    tacStatus status = allocate(&s, nface) ? TAC_OK : TAC_ERR_MEMORY;
    if (status == TAC_OK) {
        collect_vertices(&s, vert, nface, face);
        if (!weld_vertices(&s, s.mark)) status = TAC_ERR_MEMORY;
    }
    if (status == TAC_OK) {
        collect_triangles(&s, nface, face, s.mark);
        status = build(&s, out);
    }
    free(s.x);
    free(s.id);
    if (status != TAC_OK) tac_polyhedron_free(out);
    return status;
}

void tac_polyhedron_free(tacPolyhedron *p) {
    free(p->corner);
    memset(p, 0, sizeof *p);
}
