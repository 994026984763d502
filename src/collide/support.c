/* Support functions of shapes: docs/theory/collision.md, section G. */
#include "collide/shape.h"

/* Meshes with at most this many corners are scanned. Above, hill climbing is faster (bench_collide). */
enum { SCAN_CORNERS = 10 };
/* Number of corners tested for a start of the climb. */
enum { START_CORNERS = 8 };

static int scan_corners(const tacHull *h, tacVec3 d) {
    int best = 0;
    double top = tac_dot3(d, h->vert[0]);
    for (int i = 1; i < h->nvert; i++) {
        double here = tac_dot3(d, h->vert[i]);
        if (here > top) {
            top = here;
            best = i;
        }
    }
    return best;
}

/* Hill climbing: goes to the highest neighbour while it is higher. A corner of a convex body that no neighbour exceeds
 * is the highest. Heights grow at every step, so no corner is visited twice. (Going to the first higher neighbour tests
 * a quarter fewer corners and takes half as long again: its branches cannot be predicted.) */
static int climb_corners(const tacHull *h, tacVec3 d, int start) {
    int here = start, last = -1;
    double top = tac_dot3(d, h->vert[here]);
    while (here != last) {
        const int *neighbour = h->edge + h->edge_adr[here];
        int count = h->edge_num[here];
        last = here;
        for (int i = 0; i < count; i++) {
            double height = tac_dot3(d, h->vert[neighbour[i]]);
            int higher = height > top;
            top = higher ? height : top;
            here = higher ? neighbour[i] : here;
        }
    }
    return here;
}

/* The highest of a few corners, evenly spread over their indices. */
static int choose_start(const tacHull *h, tacVec3 d) {
    int best = 0, stride = h->nvert / START_CORNERS + 1;
    double top = tac_dot3(d, h->vert[0]);
    for (int i = stride; i < h->nvert; i += stride) {
        double here = tac_dot3(d, h->vert[i]);
        if (here > top) {
            top = here;
            best = i;
        }
    }
    return best;
}

static tacVec3 mesh_support(const tacHull *h, tacVec3 d, int *vertex) {
    if (h->nvert <= SCAN_CORNERS || h->edge == 0) {
        if (h->nvert <= 0) return tac_zero3();
        *vertex = scan_corners(h, d);
        return h->vert[*vertex];
    }
    *vertex = climb_corners(h, d, *vertex >= 0 && *vertex < h->nvert ? *vertex : choose_start(h, d));
    return h->vert[*vertex];
}

/* Equal corners give the one with the lowest index: + only for positive components. */
static tacVec3 box_support(tacVec3 size, tacVec3 d, int *vertex) {
    *vertex = (d.x > 0) | (d.y > 0) << 1 | (d.z > 0) << 2;
    return tac_vec3(d.x > 0 ? size.x : -size.x, d.y > 0 ? size.y : -size.y, d.z > 0 ? size.z : -size.z);
}

/* E^2 d/|E d| */
static tacVec3 ellipsoid_support(tacVec3 size, tacVec3 d) {
    tacVec3 e = tac_mul3(size, d);
    double length = tac_norm3(e);
    return length > 0 ? tac_scale3(1 / length, tac_mul3(size, e)) : tac_zero3();
}

/* Point of the circle of radius r at height z; its centre when d is along the axis. */
static tacVec3 rim_point(double r, double z, tacVec3 d) {
    double length = tac_sqrt(d.x * d.x + d.y * d.y);
    return length > 0 ? tac_vec3(r * (d.x / length), r * (d.y / length), z) : tac_vec3(0, 0, z);
}

/* The apex where its height h d_z exceeds that of the rim, r |d_xy| - h d_z. */
static tacVec3 cone_support(tacVec3 size, tacVec3 d) {
    double across = tac_sqrt(d.x * d.x + d.y * d.y);
    if (2 * size.y * d.z > size.x * across) return tac_vec3(0, 0, size.y);
    return rim_point(size.x, -size.y, d);
}

tacVec3 tac_shape_support(const tacShape *s, tacVec3 direction, int *vertex) {
    switch (s->type) {
    case TAC_GEOM_MESH:
        return mesh_support(&s->hull, direction, vertex);
    case TAC_GEOM_BOX:
        return box_support(s->size, direction, vertex);
    case TAC_GEOM_CAPSULE:
        *vertex = direction.z > 0;
        return tac_vec3(0, 0, direction.z > 0 ? s->size.y : -s->size.y);
    case TAC_GEOM_ELLIPSOID:
        return ellipsoid_support(s->size, direction);
    case TAC_GEOM_CYLINDER:
        return rim_point(s->size.x, direction.z > 0 ? s->size.y : -s->size.y, direction);
    case TAC_GEOM_CONE:
        return cone_support(s->size, direction);
    default: /* sphere: its centre is its only corner */
        *vertex = 0;
        return tac_zero3();
    }
}
