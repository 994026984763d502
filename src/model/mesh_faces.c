/* A mesh by its faces, A y <= b: the corners and triangles of the polytope.
 *
 * Each face begins as a large square in its plane, which every other face cuts. A corner of what is left is where three
 * planes meet, solved for from their own numbers. Faces that cut all of it away are redundant. */
#include "model/build.h"

#include "math/vec3.h"

#include <stdlib.h>

/* Normals closer than this, unit length, are one face: the nearer counts. Corners closer than this times the largest
 * offset are one corner. */
#define SAME 1e-9
/* Side of the first square, in largest offsets; a corner there means that nothing bounds the face. */
#define FAR 1e6
/* A polytope whose centre is nearer to a face than this, in largest offsets, is flat. */
#define FLAT 1e-9

enum { SQUARE = 4 };

typedef struct Plane {
    tacVec3 n;
    double b;
} Plane;

typedef struct Work {
    int n;        /* faces */
    Plane *plane; /* n + SQUARE: the last are the sides of the current square */
    int *edge, *kept;
    tacVec3 *corner; /* of the current polygon: corner i between edge i and edge i + 1 */
    double size;
    int nvert, ntriangle, capacity, unbounded;
    tacVec3 *vert; /* capacity: all corners found */
    int *id, *triangle;
} Work;

/* --- One face ----------------------------------------------------------------------------------------------------- */

/* The point of three planes; far away where they have none. */
static tacVec3 meet(const Plane *a, const Plane *b, const Plane *c) {
    tacVec3 bc = tac_cross3(b->n, c->n), ca = tac_cross3(c->n, a->n), ab = tac_cross3(a->n, b->n);
    tacVec3 sum = tac_madd3(tac_madd3(tac_scale3(a->b, bc), b->b, ca), c->b, ab);
    return tac_scale3(1 / tac_dot3(a->n, bc), sum);
}

static int begin_square(Work *w, int face) {
    tacVec3 n = w->plane[face].n, x = tac_abs(n.x) < 0.6 ? tac_vec3(1, 0, 0) : tac_vec3(0, 1, 0);
    tacVec3 u = tac_cross3(n, x), v;
    u = tac_scale3(1 / tac_norm3(u), u);
    v = tac_cross3(n, u);
    const tacVec3 side[SQUARE] = {u, v, tac_neg3(u), tac_neg3(v)};
    for (int i = 0; i < SQUARE; i++) {
        w->plane[w->n + i] = (Plane){side[i], FAR * w->size};
        w->edge[i] = w->n + i;
    }
    return SQUARE;
}

static void find_corners(Work *w, int face, int count) {
    for (int i = 0; i < count; i++)
        w->corner[i] = meet(&w->plane[face], &w->plane[w->edge[i]], &w->plane[w->edge[(i + 1) % count]]);
}

/* Cuts the polygon by a plane: edges with an end inside stay, and the cut is one more -> their number. */
static int cut(Work *w, int face, int by, int count) {
    int kept = 0, cuts = 0;
    double slack = SAME * w->size;
    for (int i = 0; i < count; i++) {
        double before = tac_dot3(w->plane[by].n, w->corner[(i + count - 1) % count]) - w->plane[by].b;
        double after = tac_dot3(w->plane[by].n, w->corner[i]) - w->plane[by].b;
        int was = before <= slack, is = after <= slack;
        if (was || is) w->kept[kept++] = w->edge[i];
        if (was && !is && cuts++ == 0) w->kept[kept++] = by;
    }
    if (kept < 3) return 0;
    int *swap = w->edge;
    w->edge = w->kept;
    w->kept = swap;
    find_corners(w, face, kept);
    return kept;
}

static int is_same(const Plane *a, const Plane *b) { return tac_norm3(tac_sub3(a->n, b->n)) <= SAME; }

/* 1: another face with that normal is nearer, or comes first. */
static int is_repeated(const Work *w, int face) {
    for (int k = 0; k < w->n; k++)
        if (k != face && is_same(&w->plane[k], &w->plane[face]) &&
            (w->plane[k].b < w->plane[face].b || (w->plane[k].b == w->plane[face].b && k < face)))
            return 1;
    return 0;
}

static int id_of(Work *w, tacVec3 x) {
    for (int i = 0; i < w->nvert; i++)
        if (tac_norm3(tac_sub3(w->vert[i], x)) <= SAME * w->size) return i;
    if (w->nvert == w->capacity) return -1;
    w->vert[w->nvert] = x;
    return w->nvert++;
}

static int add_triangles(Work *w, int count) {
    int corners = 0;
    for (int i = 0; i < count; i++) {
        int id = id_of(w, w->corner[i]);
        if (id < 0) return 0;
        if (corners == 0 || (id != w->id[corners - 1] && id != w->id[0])) w->id[corners++] = id;
    }
    for (int i = 2; i < corners; i++, w->ntriangle++) {
        if (w->ntriangle == 2 * w->capacity) return 0;
        const int triangle[3] = {w->id[0], w->id[i - 1], w->id[i]};
        for (int k = 0; k < 3; k++)
            w->triangle[3 * w->ntriangle + k] = triangle[k];
    }
    return 1;
}

/* 0: more corners than a polytope of as many faces has. */
static int add_face(Work *w, int face) {
    int count = begin_square(w, face);
    if (is_repeated(w, face)) return 1;
    find_corners(w, face, count);
    for (int k = 0; k < w->n && count > 0; k++)
        if (k != face && !is_same(&w->plane[k], &w->plane[face])) count = cut(w, face, k, count);
    for (int i = 0; i < count; i++)
        w->unbounded |= w->edge[i] >= w->n;
    return w->unbounded || add_triangles(w, count);
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

static int open_work(Work *w, int n) {
    size_t most = (size_t)n + SQUARE + 2;
    w->n = n;
    w->capacity = 2 * n + 8; /* a polytope of n faces has at most 2 n - 4 corners */
    w->plane = malloc(most * sizeof *w->plane);
    w->edge = malloc(2 * most * sizeof *w->edge);
    w->kept = malloc(2 * most * sizeof *w->kept);
    w->corner = malloc(2 * most * sizeof *w->corner);
    w->vert = malloc((size_t)w->capacity * sizeof *w->vert);
    w->id = malloc((2 * most + (size_t)w->capacity) * sizeof *w->id);
    w->triangle = malloc(6 * (size_t)w->capacity * sizeof *w->triangle);
    return w->plane && w->edge && w->kept && w->corner && w->vert && w->id && w->triangle;
}

static void close_work(Work *w) {
    free(w->plane), free(w->edge), free(w->kept), free(w->corner);
    free(w->vert), free(w->id), free(w->triangle);
}

/* Faces of unit length. -1, or the first that is none. */
static int read_faces(Work *w, const tacVec3 *normal, const double *offset) {
    for (int k = 0; k < w->n; k++) {
        double length = tac_norm3(normal[k]);
        if (!(length > 0) || !tac_finite(length) || !tac_finite(offset[k])) return k;
        w->plane[k] = (Plane){tac_scale3(1 / length, normal[k]), offset[k] / length};
        w->size = tac_max(w->size, tac_abs(w->plane[k].b));
    }
    return -1;
}

static int is_flat(const Work *w) {
    tacVec3 mean = tac_zero3();
    for (int i = 0; i < w->nvert; i++)
        mean = tac_madd3(mean, 1.0 / w->nvert, w->vert[i]);
    for (int k = 0; k < w->n; k++)
        if (w->plane[k].b - tac_dot3(w->plane[k].n, mean) <= FLAT * w->size) return 1;
    return 0;
}

/* NULL, or why the faces are no polytope. */
static const char *solve_faces(Work *w) {
    for (int k = 0; k < w->n; k++)
        if (!add_face(w, k)) return "its faces are too nearly parallel to tell its corners apart";
    if (w->unbounded) return "its faces leave it unbounded";
    if (w->nvert == 0) return "its faces leave it empty";
    return w->nvert < 4 || is_flat(w) ? "its faces leave it flat" : NULL;
}

static int refuse_faces(tacBuilder *b, const tacMeshDef *def, const char *why) {
    tacStatus status = why == NULL ? TAC_ERR_MEMORY : TAC_ERR_MODEL;
    tac_builder_fail(b, NULL, status, TAC_KIND_MESH, b->mesh.count, "mesh '%s': %s%s",
                     def->name != NULL ? def->name : "", why != NULL ? why : "out of memory",
                     why != NULL ? ", expected a bounded polytope with an inside" : "");
    return -1;
}

static int add_solved(tacBuilder *b, const tacMeshDef *def, const Work *w) {
    tacMeshDef d = *def;
    int *all = w->id; /* as many as corners at most */
    for (int i = 0; i < w->nvert; i++)
        all[i] = i;
    d.nvert = d.nhullvert = w->nvert;
    d.vert = w->vert;
    d.hullvert = all;
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
