#include "collide/growth_faces.h"

/* Newell's sum over a face's loop about its first corner, twice the area times the normal. */
static tacVec3 area_of(const tacHull *h, const tacVec3 *vert, int face, const tacVec3 *change) {
    const int *loop = h->loop + h->loop_adr[face];
    tacVec3 first = vert[loop[0]], sum = tac_zero3();
    for (int k = 2; k < h->loop_num[face]; k++) {
        tacVec3 a = tac_sub3(vert[loop[k - 1]], first), b = tac_sub3(vert[loop[k]], first);
        if (change == NULL) {
            sum = tac_add3(sum, tac_cross3(a, b));
            continue;
        }
        tacVec3 da = tac_sub3(change[loop[k - 1]], change[loop[0]]), db = tac_sub3(change[loop[k]], change[loop[0]]);
        sum = tac_add3(sum, tac_add3(tac_cross3(da, b), tac_cross3(a, db)));
    }
    return sum;
}

/* Mean of a face's corners, where its plane is taken to be. */
static tacVec3 middle_of(const tacHull *h, const tacVec3 *vert, int face) {
    const int *loop = h->loop + h->loop_adr[face];
    tacVec3 sum = tac_zero3();
    for (int k = 0; k < h->loop_num[face]; k++)
        sum = tac_add3(sum, vert[loop[k]]);
    return tac_scale3(1.0 / h->loop_num[face], sum);
}

/* Volume and its first moment as sums over tetrahedra from the first corner, and their changes. */
typedef struct Moments {
    double volume, dvolume;
    tacVec3 first, dfirst;
} Moments;

static void add_tetrahedron(const tacVec3 x[3], const tacVec3 dx[3], Moments *m) {
    tacVec3 yz = tac_cross3(x[1], x[2]), sum = tac_add3(x[0], tac_add3(x[1], x[2]));
    double v = tac_dot3(x[0], yz);
    m->volume += v;
    m->first = tac_madd3(m->first, v, sum);
    if (dx == NULL) return;
    tacVec3 dyz = tac_add3(tac_cross3(dx[1], x[2]), tac_cross3(x[1], dx[2]));
    double dv = tac_dot3(dx[0], yz) + tac_dot3(x[0], dyz);
    m->dvolume += dv;
    m->dfirst = tac_madd3(m->dfirst, dv, sum);
    m->dfirst = tac_madd3(m->dfirst, v, tac_add3(dx[0], tac_add3(dx[1], dx[2])));
}

static Moments moments_of(const tacHull *h, const tacVec3 *change) {
    Moments m = {0};
    for (int f = 0; f < h->nface; f++) {
        const int *loop = h->loop + h->loop_adr[f];
        for (int k = 2; k < h->loop_num[f]; k++) {
            int corner[3] = {loop[0], loop[k - 1], loop[k]};
            tacVec3 x[3], dx[3];
            for (int i = 0; i < 3; i++) {
                x[i] = tac_sub3(h->vert[corner[i]], h->vert[0]);
                if (change != NULL) dx[i] = tac_sub3(change[corner[i]], change[0]);
            }
            add_tetrahedron(x, change == NULL ? NULL : dx, &m);
        }
    }
    return m;
}

tacVec3 tac_hull_centroid(const tacHull *h) {
    Moments m = moments_of(h, NULL);
    return tac_madd3(h->vert[0], 1 / (4 * m.volume), m.first);
}

static tacVec3 centroid_change(const tacHull *h, const tacVec3 *change) {
    Moments m = moments_of(h, change);
    tacVec3 d = tac_madd3(m.dfirst, -m.dvolume / m.volume, m.first);
    return tac_madd3(change[0], 1 / (4 * m.volume), d);
}

void tac_growth_faces(const tacHull *h, tacVec3 *normal, double *offset, tacVec3 *centre) {
    *centre = tac_hull_centroid(h);
    for (int f = 0; f < h->nface; f++) {
        tacVec3 area = area_of(h, h->vert, f, NULL);
        normal[f] = tac_scale3(1 / tac_norm3(area), area);
        offset[f] = tac_dot3(normal[f], tac_sub3(middle_of(h, h->vert, f), *centre));
    }
}

void tac_growth_faces_jvp(const tacHull *h, const tacVec3 *change, tacVec3 *dnormal, double *doffset,
                          tacVec3 *dcentre) {
    tacVec3 centre = tac_hull_centroid(h);
    *dcentre = centroid_change(h, change);
    for (int f = 0; f < h->nface; f++) {
        tacVec3 area = area_of(h, h->vert, f, NULL), darea = area_of(h, h->vert, f, change);
        double length = tac_norm3(area);
        tacVec3 normal = tac_scale3(1 / length, area);
        dnormal[f] = tac_scale3(1 / length, tac_madd3(darea, -tac_dot3(normal, darea), normal));
        doffset[f] = tac_dot3(dnormal[f], tac_sub3(middle_of(h, h->vert, f), centre)) +
                     tac_dot3(normal, tac_sub3(middle_of(h, change, f), *dcentre));
    }
}
