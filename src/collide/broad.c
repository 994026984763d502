#include "collide/broad.h"

#include "math/vec3.h"

#include <string.h>

/* Boxes in a leaf: fewer make the tree deeper, more make leaves compare what is apart. */
enum { LEAF = 4 };
/* Levels of the tree, at most: a stack holds one node a level. */
enum { MAX_DEPTH = 32 };

/* --- Order along the curve ---------------------------------------------------------------------------------------- */

/* Bits of a coordinate on the curve: sign, exponent, mantissa. */
enum { EXPONENT_BITS = 5, MANTISSA_BITS = 4, AXIS_BITS = 1 + EXPONENT_BITS + MANTISSA_BITS, DOUBLE_MANTISSA = 52 };

/* A monotone map of x to AXIS_BITS bits, fine near 0 and coarse far away: sign, then the leading bits of 1 + |x| as a
 * floating-point number, which is a piecewise linear logarithm. So a box far from all others costs the others no
 * resolution, as a grid over their common bounds would. */
static uint64_t quantize(double x) {
    const uint64_t one = (uint64_t)1023 << DOUBLE_MANTISSA, half = (uint64_t)1 << (AXIS_BITS - 1);
    double y = 1 + tac_abs(x);
    uint64_t bits;
    memcpy(&bits, &y, sizeof bits);
    uint64_t step = (bits - one) >> (DOUBLE_MANTISSA - MANTISSA_BITS);
    if (!(y >= 1) || step > half - 1) step = half - 1; /* out of range: the outermost cell */
    return x < 0 ? half - 1 - step : half + step;
}

/* Bits of a coordinate, two zeros after each. */
static uint64_t spread(uint64_t x) {
    x = (x | x << 16) & 0x030000FF;
    x = (x | x << 8) & 0x0300F00F;
    x = (x | x << 4) & 0x030C30C3;
    return (x | x << 2) & 0x09249249;
}
_Static_assert(AXIS_BITS == 10, "spread's masks are for ten bits");

static tacVec3 centre(const tacBox *b) { return tac_scale3(0.5, tac_add3(b->low, b->high)); }

/* Where the curve is centred, and the mean side of a box. */
static void frame_of(int n, const int *which, const tacBox *boxes, tacVec3 *origin, double *size) {
    tacVec3 sum = tac_zero3(), side = tac_zero3();
    for (int k = 0; k < n; k++) {
        const tacBox *b = &boxes[which != NULL ? which[k] : k];
        sum = tac_add3(sum, centre(b));
        side = tac_add3(side, tac_sub3(b->high, b->low));
    }
    *origin = tac_scale3(1.0 / n, sum);
    *size = (side.x + side.y + side.z) / (3.0 * n);
}

static void order_boxes(tacBroad *b, int n, const int *which, const tacBox *boxes) {
    tacVec3 origin;
    double size;
    frame_of(n, which, boxes, &origin, &size);
    double scale = size > 0 ? 1 / size : 1;
    for (int k = 0; k < n; k++) {
        int id = which != NULL ? which[k] : k;
        tacVec3 x = tac_scale3(scale, tac_sub3(centre(&boxes[id]), origin));
        b->order[k] =
            (tacKeyed){spread(quantize(x.x)) << 2 | spread(quantize(x.y)) << 1 | spread(quantize(x.z)), id, 0};
    }
    b->sorted = tac_sort_keyed(n, b->order, b->rows);
}

/* --- The tree ----------------------------------------------------------------------------------------------------- */

static tacBox unite(const tacBox *a, const tacBox *b) {
    return (tacBox){{tac_min(a->low.x, b->low.x), tac_min(a->low.y, b->low.y), tac_min(a->low.z, b->low.z)},
                    {tac_max(a->high.x, b->high.x), tac_max(a->high.y, b->high.y), tac_max(a->high.z, b->high.z)}};
}

/* The least power of two with at most LEAF boxes to a leaf. */
static int leaves_for(int n) {
    int leaves = 1;
    while ((int64_t)leaves * LEAF < n)
        leaves *= 2;
    return leaves;
}

/* First box of leaf l; leaf l holds those up to the next one's first. */
static int first_of(const tacBroad *b, int l) { return (int)((int64_t)l * b->n / b->leaves); }

static void build(tacBroad *b, const tacBox *boxes) {
    for (int k = 0; k < b->n; k++)
        b->box[k] = boxes[b->sorted[k].value];
    for (int l = 0; l < b->leaves; l++) {
        tacBox bounds = b->box[first_of(b, l)];
        for (int k = first_of(b, l) + 1; k < first_of(b, l + 1); k++)
            bounds = unite(&bounds, &b->box[k]);
        b->node[b->leaves + l] = bounds;
    }
    for (int k = b->leaves - 1; k > 0; k--)
        b->node[k] = unite(&b->node[2 * k], &b->node[2 * k + 1]);
}

/* --- Pairs -------------------------------------------------------------------------------------------------------- */

typedef struct Visitor {
    tacPairVisit visit;
    void *user;
} Visitor;

/* Box k against boxes [first, last). */
static void visit_run(const tacBroad *b, int k, int first, int last, const Visitor *v) {
    for (int j = first; j < last; j++)
        if (tac_box_overlaps(&b->box[k], &b->box[j])) v->visit(v->user, b->sorted[k].value, b->sorted[j].value);
}

static void visit_leaves(const tacBroad *b, int l, int other, const Visitor *v) {
    const tacBox *bounds = &b->node[b->leaves + other];
    for (int k = first_of(b, l); k < first_of(b, l + 1); k++)
        if (tac_box_overlaps(&b->box[k], bounds)) visit_run(b, k, first_of(b, other), first_of(b, other + 1), v);
}

/* Leaf l against all leaves under a node. */
static void visit_under(const tacBroad *b, int l, int node, const Visitor *v) {
    const tacBox *bounds = &b->node[b->leaves + l];
    int stack[MAX_DEPTH], top = 0;
    stack[top++] = node;
    while (top > 0) {
        int at = stack[--top];
        if (!tac_box_overlaps(bounds, &b->node[at])) continue;
        if (at >= b->leaves) {
            visit_leaves(b, l, at - b->leaves, v);
        } else {
            stack[top++] = 2 * at + 1;
            stack[top++] = 2 * at;
        }
    }
}

/* Every leaf against itself and, going up the tree, against what stands to the right of it: each pair once. */
static void visit_all(const tacBroad *b, const Visitor *v) {
    for (int l = 0; l < b->leaves; l++) {
        for (int k = first_of(b, l); k < first_of(b, l + 1); k++)
            visit_run(b, k, k + 1, first_of(b, l + 1), v);
        for (int at = b->leaves + l; at > 1; at /= 2)
            if (at % 2 == 0) visit_under(b, l, at + 1, v);
    }
}

/* --- Interface ---------------------------------------------------------------------------------------------------- */

size_t tac_broad_bytes(int n) {
    size_t rows = (size_t)n;
    return 2 * tac_arena_round(rows * sizeof(tacKeyed)) + tac_arena_round(rows * sizeof(tacBox)) +
           tac_arena_round(2 * (size_t)leaves_for(n) * sizeof(tacBox));
}

int tac_broad_layout(tacBroad *b, int n, tacArena *arena) {
    memset(b, 0, sizeof *b);
    b->order = TAC_TAKE(arena, n, tacKeyed);
    b->rows = TAC_TAKE(arena, n, tacKeyed);
    b->box = TAC_TAKE(arena, n, tacBox);
    b->node = TAC_TAKE(arena, 2 * (size_t)leaves_for(n), tacBox);
    return b->order != NULL && b->rows != NULL && b->box != NULL && b->node != NULL;
}

void tac_broad_pairs(tacBroad *b, int n, const int *which, const tacBox *boxes, tacPairVisit visit, void *user) {
    Visitor v = {visit, user};
    if (n < 2) return;
    b->n = n;
    b->leaves = leaves_for(n);
    order_boxes(b, n, which, boxes);
    build(b, boxes);
    visit_all(b, &v);
}
