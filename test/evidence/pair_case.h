/* Random pairs of shapes at random poses, for the evidence programs of collision. */
#pragma once

#include "slow_distance.h"

/* The shapes a pair is drawn from, in this order. */
enum { PAIR_SHAPES = 8, PAIR_KINDS = PAIR_SHAPES * (PAIR_SHAPES + 1) / 2, PAIR_MESHES = 256 };
extern const tacGeomType PAIR_TYPE[PAIR_SHAPES];

/* A model whose geoms are meshes, and the same hulls by the slow method. */
typedef struct MeshPool {
    tacModel *model;
    Polyhedron *hull;
    tacShape *shape;
    int count;
} MeshPool;

/* Hulls of 4 to 40 points. Ends the program with a message when the model cannot be built. */
MeshPool pool_make(uint64_t seed);
void pool_free(MeshPool *pool);

/* PLACES: those that draw_case takes in turn. */
typedef enum { PLACE_APART, PLACE_NEAR, PLACE_OVERLAP, PLACE_DEEP, PLACES, PLACE_ALIGNED = PLACES } Place;

typedef struct PairCase {
    uint64_t seed;
    int kind;
    Place place;
    tacShape shape[2];
    const Polyhedron *hull[2]; /* of meshes */
    tacPose pose[2];
    double size; /* the larger radius; what tolerances are relative to */
} PairCase;

static inline Solid case_solid(const PairCase *c, int i) { return (Solid){&c->shape[i], c->pose[i]}; }
/* A shape of the given type; sizes are spread over a ratio of 100. */
tacShape draw_shape(const MeshPool *pool, tacGeomType type, uint64_t seed, const Polyhedron **hull);
/* Case number `seed`: the kind is seed modulo PAIR_KINDS, the place follows. */
PairCase draw_case(const MeshPool *pool, uint64_t seed);
/* The same with axes along those of the other, exactly or nearly, centres in one line or plane, exactly or nearly, and
 * often the same sizes: where many features, or a whole circle of directions, are equally near. */
PairCase draw_aligned(const MeshPool *pool, uint64_t seed);
/* kind -> the two shapes, as indices into PAIR_TYPE, first <= second */
void kind_shapes(int kind, int *first, int *second);
/* kind -> "box-mesh" */
const char *kind_name(int kind);
/* 1: one of the shapes is curved and the other no plane, so that the search converges but does not end. */
int kind_is_curved(int kind);
/* The signed distance to eps by the search over directions; where both shapes are polyhedra (padded or not) enumeration
 * has to agree with it. NAN: they do not, or the search ran out of its budget. */
double case_reference(const PairCase *c, double eps);
/* Prints shapes and poses as a JSON object. */
void case_print(const PairCase *c);
