#include "solids.h"

#include "support/check.h"

#include <math.h>

static void add_face(Solid *s, int a, int b, int c) {
    int *f = s->face + 3 * s->nface++;
    f[0] = a, f[1] = b, f[2] = c;
}

static void point_shape(Solid *s) {
    const tacPolyhedron *h = &s->hull;
    for (int i = 0; i < h->ncorner; i++)
        s->corner[i] = s->vert[h->corner[i]];
    s->shape = (tacShape){.type = TAC_GEOM_MESH};
    s->shape.hull = (tacHull){.nvert = h->ncorner,
                              .nface = h->npolygon,
                              .vert = s->corner,
                              .edge_adr = h->edge_adr,
                              .edge_num = h->edge_num,
                              .edge = h->edge,
                              .edge_face = h->edge_face,
                              .loop_adr = h->loop_adr,
                              .loop_num = h->loop_num,
                              .loop = h->loop};
}

void make_prism(Solid *s, int sides, double bottom, double top, double height) {
    s->nvert = 2 * sides, s->nface = 0;
    for (int i = 0; i < sides; i++) {
        double angle = 2 * 3.14159265358979323846 * i / sides, x = cos(angle), y = sin(angle);
        s->vert[i] = tac_vec3(bottom * x, bottom * y, -height);
        s->vert[sides + i] = tac_vec3(top * x, top * y, height);
    }
    for (int i = 0; i < sides; i++) {
        int j = (i + 1) % sides;
        if (i > 1) add_face(s, 0, i, i - 1), add_face(s, sides, sides + i - 1, sides + i);
        add_face(s, i, j, sides + j), add_face(s, i, sides + j, sides + i);
    }
    CHECK_INT(tac_polyhedron_new(s->vert, s->nface, s->face, 1, &s->hull), TAC_OK);
    point_shape(s);
}

void place_solid(Solid *s, tacVec3 scale, tacVec3 shift) {
    for (int i = 0; i < s->nvert; i++)
        s->vert[i] = tac_add3(tac_mul3(scale, s->vert[i]), shift);
    point_shape(s);
}

void free_solid(Solid *s) { tac_polyhedron_free(&s->hull); }
