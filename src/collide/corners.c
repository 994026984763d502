#include "collide/corners.h"

static int neighbours(const tacShape *s, int id, const int **list) {
    static const int OTHER_END[2] = {1, 0};
    if (s->type == TAC_GEOM_SPHERE) return 0;
    if (s->type == TAC_GEOM_CAPSULE) {
        *list = &OTHER_END[id];
        return 1;
    }
    return tac_shape_neighbours(s, id, list);
}

int tac_corners_have(const tacCorners *c, int id) {
    for (int i = 0; i < c->n; i++)
        if (c->id[i] == id) return 1;
    return 0;
}

void tac_corners_add(tacCorners *c, int id) {
    int at = c->n;
    if (c->n == TAC_MOST_CORNERS || tac_corners_have(c, id)) return;
    for (; at > 0 && c->id[at - 1] > id; at--)
        c->id[at] = c->id[at - 1];
    c->id[at] = id;
    c->n++;
}

/* Flood fill from the support point over edges. The corners above any height are connected, because hill climbing from
 * each of them ends at the top. */
void tac_corners_near_support(const tacShape *s, tacVec3 n, double depth, tacCorners *c) {
    int open[TAC_MOST_CORNERS], count = 0, top = c->n > 0 ? c->id[0] : 0;
    double least = tac_dot3(n, tac_shape_support(s, n, &top)) - depth;
    tacCorners seen = {.n = 0};
    open[count++] = top;
    tac_corners_add(&seen, top);
    for (int i = 0; i < count; i++) {
        const int *list;
        int degree = neighbours(s, open[i], &list);
        tac_corners_add(c, open[i]);
        for (int k = 0; k < degree && count < TAC_MOST_CORNERS; k++) {
            if (tac_dot3(n, tac_core_corner(s, list[k])) < least || tac_corners_have(&seen, list[k])) continue;
            tac_corners_add(&seen, list[k]);
            open[count++] = list[k];
        }
    }
}

int tac_corners_are_edge(const tacShape *s, int i, int j) {
    const int *list;
    int degree = neighbours(s, i, &list);
    for (int k = 0; k < degree; k++)
        if (list[k] == j) return 1;
    return 0;
}

static int loop_has(int n, const int *loop, int id) {
    for (int i = 0; i < n; i++)
        if (loop[i] == id) return 1;
    return 0;
}

int tac_corners_face(const tacShape *s, int n, const int *id) {
    if (!tac_is_polyhedron(s)) return -1;
    const int *list, *face = tac_shape_faces(s, id[0]);
    int degree = neighbours(s, id[0], &list), lowest = -1;
    for (int i = 0; i < degree; i++) {
        const int *loop;
        int length = tac_shape_loop(s, face[i], &loop), found = 1;
        for (int k = 1; k < n && found; k++)
            found = loop_has(length, loop, id[k]);
        if (found && (lowest < 0 || face[i] < lowest)) lowest = face[i];
    }
    return lowest;
}

static int insert_face(int count, int *face, int f) {
    int at = count;
    for (; at > 0 && face[at - 1] > f; at--)
        face[at] = face[at - 1];
    face[at] = f;
    return count + 1;
}

/* A face with three consecutive corners of the set has two sides that meet in the middle one, u. The face to the left
 * of the edge from u to its neighbour k lies between the neighbours k and k + 1. */
int tac_corners_faces(const tacShape *s, const tacCorners *c, int most, int *face) {
    int count = 0;
    if (c->n < 3 || !tac_is_polyhedron(s)) return 0;
    for (int i = 0; i < c->n; i++) {
        const int *list, *left = tac_shape_faces(s, c->id[i]);
        int degree = neighbours(s, c->id[i], &list);
        for (int k = 0; k < degree && count < most; k++) {
            int next = list[k + 1 < degree ? k + 1 : 0];
            if (!tac_corners_have(c, list[k]) || !tac_corners_have(c, next)) continue;
            if (!loop_has(count, face, left[k])) count = insert_face(count, face, left[k]);
        }
    }
    return count;
}
