/* A mesh by its faces, A y <= b: the corners and triangles of the polytope.
 *
 * A cube around everything is cut by one face after the other. A corner of the solid is inside the next face, on it or
 * outside, and all its polygons are told the same, so that the surface stays closed however nearly parallel faces are.
 * A face that cuts nothing off is redundant. */
#include "model/build.h"

#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

/* Half the side of the first cube, in largest offsets; a corner there means that the faces leave it unbounded. */
#define FAR 1e6
/* Corners this near to a face are on it, in units of the cube. It is some times the rounding of a height. */
#define ON 4e-15
/* A face that cuts off no more than this, in sizes of the polytope, is redundant: it repeats others. */
#define REDUNDANT 1e-9
/* A polytope whose centre is nearer to a face than this, in largest offsets, is flat. */
#define FLAT 1e-9
/* Three faces with a larger determinant give their corner's place to rounding. */
#define STEEP 1e-3

enum { CUBE = 6 };

typedef struct Plane {
    tacVec3 n;
    double b;
} Plane;

/* A closed surface of polygons: corners counter-clockwise from outside. */
typedef struct Solid {
    int nvert, nface;
    tacVec3 *vert;
    int *plane, *adr, *num, *loop; /* of each polygon: its plane, its first corner and their number */
} Solid;

typedef struct Work {
    int n;        /* faces */
    Plane *plane; /* CUBE + n: those of the cube first */
    double size;  /* largest offset */
    Solid now, next;
    double *height; /* of each corner above the face that cuts */
    int *state;     /* of each corner: 1 outside, 0 on the face, -1 inside */
    int *follows;   /* of each corner: the next one of the new polygon, or -1 */
    int *to;        /* of each corner: its number in the next solid */
    int *cut, ncut; /* pairs of corners between which a new one lies; its number is nvert + pair */
    int *id, *triangle, ntriangle;
} Work;

/* --- Memory ------------------------------------------------------------------------------------------------------- */

/* By Euler's formula f polygons have at most 2 f - 4 corners and 6 f - 12 places in loops; a cut adds as many corners
 * as it meets edges. */
static int most_faces(int n) { return n + CUBE + 1; }
static int most_corners(int n) { return 4 * most_faces(n); }
static int most_places(int n) { return 12 * most_faces(n); }

static int open_solid(Solid *s, int n) {
    s->vert = malloc((size_t)most_corners(n) * sizeof *s->vert);
    s->plane = malloc((3 * (size_t)most_faces(n) + (size_t)most_places(n)) * sizeof *s->plane);
    if (s->vert == NULL || s->plane == NULL) return 0;
    s->adr = s->plane + most_faces(n);
    s->num = s->adr + most_faces(n);
    s->loop = s->num + most_faces(n);
    return 1;
}

static int open_work(Work *w, int n) {
    size_t corners = (size_t)most_corners(n);
    w->n = n;
    w->plane = malloc((CUBE + (size_t)n) * sizeof *w->plane);
    w->height = malloc(corners * sizeof *w->height);
    w->state = malloc(6 * corners * sizeof *w->state);
    w->triangle = malloc(3 * (size_t)most_places(n) * sizeof *w->triangle);
    if (!open_solid(&w->now, n) || !open_solid(&w->next, n)) return 0;
    if (w->plane == NULL || w->height == NULL || w->state == NULL || w->triangle == NULL) return 0;
    w->follows = w->state + corners;
    w->to = w->follows + corners;
    w->cut = w->to + corners;
    w->id = w->cut + 2 * corners;
    return 1;
}

static void close_work(Work *w) {
    void *all[] = {w->now.vert, w->now.plane, w->next.vert, w->next.plane, w->plane, w->height, w->state, w->triangle};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* --- The cube ----------------------------------------------------------------------------------------------------- */

static void begin_cube(Work *w, tacVec3 middle, tacVec3 half) {
    static const int loop[CUBE][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    Solid *s = &w->now;
    s->nvert = 8;
    s->nface = CUBE;
    for (int i = 0; i < 8; i++)
        s->vert[i] =
            tac_add3(middle, tac_vec3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z));
    for (int f = 0; f < CUBE; f++) {
        double sign = f % 2 ? 1 : -1;
        tacVec3 n = tac_vec3(f / 2 == 0 ? sign : 0, f / 2 == 1 ? sign : 0, f / 2 == 2 ? sign : 0);
        w->plane[f] = (Plane){n, tac_dot3(n, middle) + tac_dot3(tac_mul3(n, n), half)};
        s->plane[f] = f;
        s->adr[f] = 4 * f;
        s->num[f] = 4;
        memcpy(s->loop + 4 * f, loop[f], sizeof loop[f]);
    }
}

/* --- One cut ------------------------------------------------------------------------------------------------------ */

/* Largest height of a corner, and how many are inside. */
static double find_heights(Work *w, const Plane *by, double on, int *inside) {
    double most = -1e300;
    *inside = 0;
    for (int i = 0; i < w->now.nvert; i++) {
        double h = w->height[i] = tac_dot3(by->n, w->now.vert[i]) - by->b;
        w->state[i] = (h > on) - (h < -on);
        *inside += w->state[i] < 0;
        most = tac_max(most, h);
    }
    return most;
}

/* The number of the corner between u and v, which are on two sides. */
static int cut_of(Work *w, int u, int v) {
    int low = u < v ? u : v, high = u < v ? v : u, nvert = w->now.nvert;
    for (int i = 0; i < w->ncut; i++)
        if (w->cut[2 * i] == low && w->cut[2 * i + 1] == high) return nvert + i;
    if (nvert + w->ncut == most_corners(w->n)) return -1;
    double share = w->height[low] / (w->height[low] - w->height[high]);
    tacVec3 x = w->now.vert[low], y = w->now.vert[high];
    w->now.vert[nvert + w->ncut] = tac_madd3(x, share, tac_sub3(y, x));
    w->cut[2 * w->ncut] = low;
    w->cut[2 * w->ncut + 1] = high;
    w->follows[nvert + w->ncut] = -1;
    return nvert + w->ncut++;
}

/* Polygon f less what is outside -> corners that stay. The edge where it was cut runs from `from` to `to`; -1: it was
 * not. */
static int cut_polygon(Work *w, int f, int *out, int *from, int *to) {
    const int *loop = w->now.loop + w->now.adr[f];
    int n = w->now.num[f], kept = 0;
    *from = *to = -1;
    for (int k = 0; k < n; k++) {
        int u = loop[k], v = loop[(k + 1) % n], last = -1;
        if (w->state[u] <= 0) out[kept++] = last = u;
        if (w->state[u] * w->state[v] < 0) {
            last = cut_of(w, u, v);
            if (last < 0) return -1;
            out[kept++] = last;
        }
        if (w->state[u] <= 0 && w->state[v] > 0) *from = last;
        if (w->state[u] > 0 && w->state[v] <= 0) *to = w->state[v] == 0 ? v : last;
    }
    return kept;
}

/* Takes a polygon into the next solid. */
static int keep_polygon(Work *w, int plane, const int *loop, int n) {
    Solid *s = &w->next;
    int at = s->nface > 0 ? s->adr[s->nface - 1] + s->num[s->nface - 1] : 0;
    if (s->nface == most_faces(w->n) || at + n > most_places(w->n)) return 0;
    s->plane[s->nface] = plane;
    s->adr[s->nface] = at;
    s->num[s->nface++] = n;
    for (int k = 0; k < n; k++)
        s->loop[at + k] = loop[k];
    return 1;
}

/* The polygon of the cut itself, one turn of edges. */
static int close_cut(Work *w, int plane, int first, int edges) {
    int n = 0;
    for (int v = first; v >= 0 && n <= edges; v = w->follows[v]) {
        if (n > 0 && v == first) break;
        w->id[n++] = v;
    }
    return n == edges && n >= 3 && keep_polygon(w, plane, w->id, n);
}

/* Numbers the corners that polygons still have. */
static void renumber(Work *w) {
    Solid *s = &w->next;
    int n = w->now.nvert + w->ncut;
    s->nvert = 0;
    for (int i = 0; i < n; i++)
        w->to[i] = -1;
    for (int f = 0; f < s->nface; f++)
        for (int k = s->adr[f]; k < s->adr[f] + s->num[f]; k++)
            w->to[s->loop[k]] = 0;
    for (int i = 0; i < n; i++) {
        if (w->to[i] < 0) continue;
        s->vert[s->nvert] = w->now.vert[i];
        w->to[i] = s->nvert++;
    }
    for (int f = 0; f < s->nface; f++)
        for (int k = s->adr[f]; k < s->adr[f] + s->num[f]; k++)
            s->loop[k] = w->to[s->loop[k]];
}

/* 0: the corners do not tell where the face cuts. */
static int cut(Work *w, int plane) {
    int edges = 0, first = -1;
    w->next.nface = w->ncut = 0;
    for (int i = 0; i < w->now.nvert; i++)
        w->follows[i] = -1;
    for (int f = 0; f < w->now.nface; f++) {
        int from, to, n = cut_polygon(w, f, w->id, &from, &to);
        if (n < 0) return 0;
        if (from >= 0 && to >= 0 && from != to) {
            w->follows[to] = first = from;
            edges++;
        }
        if (n >= 3 && !keep_polygon(w, w->now.plane[f], w->id, n)) return 0;
    }
    if (!close_cut(w, plane, first, edges)) return 0;
    renumber(w);
    Solid swap = w->now;
    w->now = w->next;
    w->next = swap;
    return 1;
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

/* Faces of unit length. -1, or the first that is none. */
static int read_faces(Work *w, const tacVec3 *normal, const double *offset) {
    for (int k = 0; k < w->n; k++) {
        double length = tac_norm3(normal[k]);
        if (!(length > 0) || !tac_finite(length) || !tac_finite(offset[k])) return k;
        w->plane[CUBE + k] = (Plane){tac_scale3(1 / length, normal[k]), offset[k] / length};
        w->size = tac_max(w->size, tac_abs(offset[k] / length));
    }
    return -1;
}

/* The cube, cut by all faces -> NULL, or why nothing is left. redundant: least depth of a cut. */
static const char *cut_all(Work *w, tacVec3 middle, tacVec3 half, double redundant) {
    double on = ON * (tac_norm3(middle) + tac_norm3(half));
    begin_cube(w, middle, half);
    for (int k = CUBE; k < CUBE + w->n; k++) {
        int inside;
        double most = find_heights(w, &w->plane[k], on, &inside);
        if (most <= tac_max(on, redundant)) continue;
        if (inside == 0) {
            int none = 1;
            for (int i = 0; i < w->now.nvert; i++)
                none &= w->state[i] > 0;
            return none ? "its faces leave it empty" : "its faces leave it flat";
        }
        if (!cut(w, k)) return "its faces are too nearly parallel to tell its corners apart";
    }
    for (int f = 0; f < w->now.nface; f++)
        if (w->now.plane[f] < CUBE) return "its faces leave it unbounded";
    return NULL;
}

/* Middle and half sides of a box around the solid. */
static void find_box(const Solid *s, tacVec3 *middle, tacVec3 *half) {
    tacVec3 low = s->vert[0], high = low;
    for (int i = 1; i < s->nvert; i++) {
        tacVec3 x = s->vert[i];
        low = tac_vec3(tac_min(low.x, x.x), tac_min(low.y, x.y), tac_min(low.z, x.z));
        high = tac_vec3(tac_max(high.x, x.x), tac_max(high.y, x.y), tac_max(high.z, x.z));
    }
    *middle = tac_scale3(0.5, tac_add3(low, high));
    *half = tac_scale3(0.5, tac_sub3(high, low));
}

static int is_flat(const Work *w) {
    tacVec3 mean = tac_zero3();
    for (int i = 0; i < w->now.nvert; i++)
        mean = tac_madd3(mean, 1.0 / w->now.nvert, w->now.vert[i]);
    for (int k = CUBE; k < CUBE + w->n; k++)
        if (w->plane[k].b - tac_dot3(w->plane[k].n, mean) <= FLAT * w->size) return 1;
    return 0;
}

/* NULL, or why the faces are no polytope. A second cube is near, so that corners have all their digits. */
static const char *solve_faces(Work *w) {
    tacVec3 middle = tac_zero3(), half = tac_vec3(FAR * w->size, FAR * w->size, FAR * w->size);
    if (!(w->size > 0)) return "its faces leave it flat";
    const char *why = cut_all(w, middle, half, 0);
    if (why != NULL) return why;
    find_box(&w->now, &middle, &half);
    double side = tac_max(half.x, tac_max(half.y, half.z));
    why = cut_all(w, middle, tac_vec3(2 * side, 2 * side, 2 * side), REDUNDANT * side);
    if (why != NULL) return why;
    return is_flat(w) ? "its faces leave it flat" : NULL;
}

/* --- Corners and triangles ---------------------------------------------------------------------------------------- */

/* Up to three polygons at a corner that are as far from parallel as any; their determinant. */
static double find_steepest(const Work *w, int corner, int best[3]) {
    const Solid *s = &w->now;
    int at[3], n = 0;
    double most = 0;
    for (int f = 0; f < s->nface; f++)
        for (int k = 0; k < s->num[f]; k++)
            if (s->loop[s->adr[f] + k] == corner) w->to[n++] = s->plane[f];
    for (at[0] = 0; at[0] < n; at[0]++)
        for (at[1] = at[0] + 1; at[1] < n; at[1]++)
            for (at[2] = at[1] + 1; at[2] < n; at[2]++) {
                const Plane *p = w->plane;
                double det = tac_abs(tac_dot3(p[w->to[at[0]]].n, tac_cross3(p[w->to[at[1]]].n, p[w->to[at[2]]].n)));
                for (int i = 0; i < 3 && det > most; i++)
                    best[i] = w->to[at[i]];
                most = tac_max(most, det);
            }
    return most;
}

/* The point of three planes. */
static tacVec3 meet(const Plane *a, const Plane *b, const Plane *c) {
    tacVec3 bc = tac_cross3(b->n, c->n), ca = tac_cross3(c->n, a->n), ab = tac_cross3(a->n, b->n);
    tacVec3 sum = tac_madd3(tac_madd3(tac_scale3(a->b, bc), b->b, ca), c->b, ab);
    return tac_scale3(1 / tac_dot3(a->n, bc), sum);
}

/* Corners by three of their planes, and each polygon as a fan. */
static void finish_solid(Work *w) {
    Solid *s = &w->now;
    for (int i = 0; i < s->nvert; i++) {
        int of[3];
        if (find_steepest(w, i, of) > STEEP) s->vert[i] = meet(&w->plane[of[0]], &w->plane[of[1]], &w->plane[of[2]]);
    }
    w->ntriangle = 0;
    for (int f = 0; f < s->nface; f++)
        for (int k = 2; k < s->num[f]; k++) {
            const int *loop = s->loop + s->adr[f];
            int *t = w->triangle + 3 * w->ntriangle++;
            t[0] = loop[0];
            t[1] = loop[k - 1];
            t[2] = loop[k];
        }
}

static int refuse_faces(tacBuilder *b, const tacMeshDef *def, const char *why) {
    tacStatus status = why == NULL ? TAC_ERR_MEMORY : TAC_ERR_MODEL;
    tac_builder_fail(b, NULL, status, TAC_KIND_MESH, b->mesh.count, "mesh '%s': %s%s",
                     def->name != NULL ? def->name : "", why != NULL ? why : "out of memory",
                     why != NULL ? ", expected a bounded polytope with an inside" : "");
    return -1;
}

static int add_solved(tacBuilder *b, const tacMeshDef *def, Work *w) {
    tacMeshDef d = *def;
    finish_solid(w);
    for (int i = 0; i < w->now.nvert; i++)
        w->id[i] = i;
    d.nvert = d.nhullvert = w->now.nvert;
    d.vert = w->now.vert;
    d.hullvert = w->id;
    d.nface = d.nhullface = w->ntriangle;
    d.face = d.hullface = w->triangle;
    return tac_model_add_mesh(b, &d);
}

int tac_model_add_mesh_faces(tacBuilder *b, const tacMeshDef *def, int n, const tacVec3 *normal, const double *offset) {
    Work w = {0};
    if (b == NULL) return -1;
    if (def == NULL) return tac_model_add_mesh(b, NULL); /* refuses */
    if (n < 4 || normal == NULL || offset == NULL)
        return refuse_faces(b, def, n < 4 ? "it has fewer than 4 faces" : "its faces are missing");
    const char *why = NULL;
    int room = open_work(&w, n), wrong = room ? read_faces(&w, normal, offset) : -1;
    if (room) why = wrong >= 0 ? "a face has no direction or is not finite" : solve_faces(&w);
    int id = !room || why != NULL ? refuse_faces(b, def, why) : add_solved(b, def, &w);
    close_work(&w);
    return id;
}
