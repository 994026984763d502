#include "collide/flush.h"

#include "collide/closed_form.h"

/* An edge of a polyhedron and its adjacent faces. */
typedef struct Edge {
    int n;
    int face[2];
    tacVec3 normal[2]; /* outward, world */
    tacVec3 along;     /* unit, world */
} Edge;

/* Sine of the angle whose cosine is c; 1 from a right angle on. It changes at most as fast as the angle. */
static double sine_of_cosine(double c) { return c > 0 ? tac_sqrt(tac_max(0, 1 - c * c)) : 1; }

double tac_flush_room(double align) { return sine_of_cosine(TAC_FLUSH_FACES) - sine_of_cosine(align); }

static Edge edge_of(const tacShape *s, const tacPose *pose, tacFeature f) {
    tacVec3 e = tac_sub3(tac_shape_vertex(s, f.id[1]), tac_shape_vertex(s, f.id[0]));
    double length = tac_norm3(e);
    Edge edge = {.along = length > 0 ? tac_mulmv3(pose->R, tac_scale3(1 / length, e)) : tac_zero3()};
    edge.n = tac_shape_edge_faces(s, f.id[0], f.id[1], edge.face);
    for (int k = 0; k < edge.n; k++)
        edge.normal[k] = tac_mulmv3(pose->R, tac_shape_face_normal(s, edge.face[k]));
    return edge;
}

static int is_of_edges(const tacShape *const shape[2], const tacTouch *t) {
    for (int k = 0; k < 2; k++)
        if (!tac_is_polyhedron(shape[k]) || t->feature[k].kind != TAC_FEATURE_LINE) return 0;
    return t->rule == TAC_RULE_NEAREST;
}

/* Two faces that may be flush. */
typedef struct Candidate {
    double within; /* rad: distance of its angles from their limits; negative: beyond them */
    double slant;  /* sine of the angle between N and n */
    double lead;   /* rad of rotation: margin of the opposed face over the next */
    int side, face[2];
} Candidate;

/* Keeps the candidate with the largest slant within the angles, the first among equals. Updates the margin of the
 * answer (room). The answer changes where a candidate passes its angles, or where another one gets a larger slant. Two
 * slants approach each other by at most two radians per radian of rotation. */
static void consider(tacFlush *best, const Candidate *c) {
    best->room = tac_min(best->room, tac_abs(c->within));
    if (!(c->within > 0)) return;
    best->room = tac_min(best->room, c->lead);
    if (best->side >= 0) best->room = tac_min(best->room, tac_abs(c->slant - best->slant) / 2);
    if (best->side >= 0 && !(c->slant > best->slant)) return;
    best->side = c->side;
    best->face[0] = c->face[0];
    best->face[1] = c->face[1];
    best->slant = c->slant;
}

/* Faces 0 and 1 are opposed, and N of face 0 is within the angle of n: -N0 . N1 and N0 . n above TAC_FLUSH_FACES. */
static void consider_faces(const Edge edge[2], tacVec3 n, tacFlush *best) {
    for (int i = 0; i < edge[0].n; i++) {
        Candidate c = {.within = -1, .lead = TAC_INFINITY, .side = 0};
        c.slant = sine_of_cosine(tac_dot3(edge[0].normal[i], n));
        /* The most opposed face. lead is half the difference, because both may change by a rotation. */
        for (int j = 0; j < edge[1].n; j++) {
            double within = tac_flush_room(-tac_dot3(edge[0].normal[i], edge[1].normal[j]));
            c.lead = tac_abs(within - c.within) / 2;
            if (within > c.within) {
                c.within = within;
                c.face[0] = edge[0].face[i];
                c.face[1] = edge[1].face[j];
            }
        }
        c.within = tac_min(c.within, tac_flush_room(tac_dot3(edge[0].normal[i], n)));
        consider(best, &c);
    }
}

/* The edge of shape 0 lies on a face of shape 1: |e . N1| below TAC_FLUSH_EDGE and -N1 . n above TAC_FLUSH_SLANT. */
static void consider_edge(const Edge edge[2], tacVec3 n, tacFlush *best) {
    const double most = sine_of_cosine(TAC_FLUSH_SLANT);
    for (int j = 0; j < edge[1].n; j++) {
        Candidate c = {.lead = TAC_INFINITY, .side = 1, .face = {-1, edge[1].face[j]}};
        c.slant = sine_of_cosine(-tac_dot3(edge[1].normal[j], n));
        c.within = tac_min(most - c.slant, TAC_FLUSH_EDGE - tac_abs(tac_dot3(edge[0].along, edge[1].normal[j])));
        consider(best, &c);
    }
}

tacFlush tac_flush(const tacShape *const shape[2], const tacPose *const pose[2], const tacTouch *nearest) {
    tacFlush flush = {.side = -1, .face = {-1, -1}, .room = TAC_INFINITY};
    if (!is_of_edges(shape, nearest)) return flush;
    flush.edges = 1;
    const Edge edge[2] = {edge_of(shape[0], pose[0], nearest->feature[0]),
                          edge_of(shape[1], pose[1], nearest->feature[1])};
    consider_faces(edge, nearest->normal, &flush);
    if (flush.side < 0) consider_edge(edge, nearest->normal, &flush);
    if (flush.side >= 0) flush.room = tac_min(flush.room, tac_abs(flush.slant - TAC_FLUSH_LEVEL));
    return flush;
}
