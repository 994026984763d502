#include "collide/broad.h"

#include "math/vec3.h"

#include <string.h>

/* Boxes in a leaf. Fewer make the tree deeper; more make leaves compare boxes that are apart. */
enum { LEAF = 8 };
/* Maximum spatial splits on one path. Below, nodes are split by number, so that no arrangement of boxes makes the tree
 * deep. */
enum { SPATIAL_DEPTH = 48 };

/* --- The tree ----------------------------------------------------------------------------------------------------- */

/* Moves the points below `at` on an axis to the front -> their number. It has no branches on the data, because the
 * processor could not predict them. */
static int partition(int n, tacBroadPoint *p, int axis, float at) {
    int below = 0;
    for (int i = 0; i < n; i++) {
        tacBroadPoint here = p[i];
        p[i] = p[below];
        p[below] = here;
        below += here.x[axis] < at;
    }
    return below;
}

/* Points -> how many go to the left child: at least one, not all. */
static int split(int n, tacBroadPoint *p, int depth) {
    float low[3] = {p[0].x[0], p[0].x[1], p[0].x[2]}, high[3] = {low[0], low[1], low[2]};
    for (int i = 1; i < n; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = p[i].x[k] < low[k] ? p[i].x[k] : low[k];
            high[k] = p[i].x[k] > high[k] ? p[i].x[k] : high[k];
        }
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
    int left = depth < SPATIAL_DEPTH ? partition(n, p, axis, 0.5f * low[axis] + 0.5f * high[axis]) : 0;
    return left > 0 && left < n ? left : n / 2;
}

static void add_nodes(tacBroad *b, int first, int n, int depth) {
    tacBroadNode *node = &b->node[b->nnode++];
    node->first = first;
    node->count = n <= LEAF ? n : 0;
    if (n > LEAF) {
        int left = split(n, b->point + first, depth);
        add_nodes(b, first, left, depth + 1);
        add_nodes(b, first + left, n - left, depth + 1);
    }
    node->skip = b->nnode;
}

static tacBox unite(const tacBox *a, const tacBox *b) {
    return (tacBox){{tac_min(a->low.x, b->low.x), tac_min(a->low.y, b->low.y), tac_min(a->low.z, b->low.z)},
                    {tac_max(a->high.x, b->high.x), tac_max(a->high.y, b->high.y), tac_max(a->high.z, b->high.z)}};
}

/* Sets the bounds from the leaves up: children follow their parents. */
static void bound_nodes(tacBroad *b, const tacBox *boxes) {
    for (int k = 0; k < b->n; k++)
        b->box[k] = boxes[b->point[k].id];
    for (int i = b->nnode - 1; i >= 0; i--) {
        tacBroadNode *node = &b->node[i];
        if (node->count == 0) {
            node->bounds = unite(&b->node[i + 1].bounds, &b->node[b->node[i + 1].skip].bounds);
            continue;
        }
        node->bounds = b->box[node->first];
        for (int k = 1; k < node->count; k++)
            node->bounds = unite(&node->bounds, &b->box[node->first + k]);
    }
}

static void build(tacBroad *b, int n, const int *which, const tacBox *boxes) {
    b->n = n;
    b->nnode = 0;
    for (int k = 0; k < n; k++) {
        int id = which != NULL ? which[k] : k;
        const tacBox *x = &boxes[id];
        b->point[k] =
            (tacBroadPoint){{(float)(0.5 * x->low.x + 0.5 * x->high.x), (float)(0.5 * x->low.y + 0.5 * x->high.y),
                             (float)(0.5 * x->low.z + 0.5 * x->high.z)},
                            id};
    }
    add_nodes(b, 0, n, 0);
    bound_nodes(b, boxes);
}

/* --- Pairs -------------------------------------------------------------------------------------------------------- */

typedef struct Visitor {
    tacPairVisit visit;
    void *user;
} Visitor;

/* Box k against boxes [first, last) of one leaf. All are compared before the first branch on the results. */
static void visit_run(const tacBroad *b, int k, int first, int last, const Visitor *v) {
    unsigned meets = 0;
    for (int j = first; j < last; j++)
        meets |= (unsigned)tac_box_overlaps(&b->box[k], &b->box[j]) << (j - first);
    for (; meets != 0; meets &= meets - 1)
        v->visit(v->user, b->point[k].id, b->point[first + __builtin_ctz(meets)].id);
}

static void visit_leaves(const tacBroad *b, const tacBroadNode *leaf, const tacBroadNode *other, const Visitor *v) {
    for (int k = leaf->first; k < leaf->first + leaf->count; k++)
        if (tac_box_overlaps(&b->box[k], &other->bounds)) visit_run(b, k, other->first, other->first + other->count, v);
}

/* A leaf against itself and all later leaves. A subtree that does not overlap is skipped. */
static void visit_after(const tacBroad *b, int leaf, const Visitor *v) {
    const tacBroadNode *node = &b->node[leaf];
    int last = node->first + node->count;
    for (int k = node->first; k < last; k++)
        visit_run(b, k, k + 1, last, v);
    for (int i = leaf + 1; i < b->nnode;) {
        const tacBroadNode *other = &b->node[i];
        int meets = tac_box_overlaps(&node->bounds, &other->bounds);
        if (meets && other->count > 0) visit_leaves(b, node, other, v);
        i = meets ? i + 1 : other->skip;
    }
}

/* --- Interface ---------------------------------------------------------------------------------------------------- */

int tac_broad_layout(tacBroad *b, int n, tacArena *arena) {
    memset(b, 0, sizeof *b);
    b->point = TAC_TAKE(arena, n, tacBroadPoint);
    b->box = TAC_TAKE(arena, n, tacBox);
    b->node = TAC_TAKE(arena, 2 * (size_t)n, tacBroadNode);
    return b->point != NULL && b->box != NULL && b->node != NULL;
}

void tac_broad_pairs(tacBroad *b, int n, const int *which, const tacBox *boxes, tacPairVisit visit, void *user) {
    Visitor v = {visit, user};
    if (n < 2) return;
    build(b, n, which, boxes);
    for (int i = 0; i < b->nnode; i++)
        if (b->node[i].count > 0) visit_after(b, i, &v);
}
