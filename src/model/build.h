/* The builder's store: definitions in order of adding. */
#pragma once

#include "base/platform.h"
#include "model/layout.h"

/* A growable array. */
typedef struct tacList {
    void *data;
    int count, capacity;
} tacList;

/* One element of each kind as it was added. */
typedef struct tacAddedBody {
    tacBodyDef def;
    int parent;
} tacAddedBody;
typedef struct tacAddedJoint {
    tacJointDef def;
    int body;
} tacAddedJoint;
typedef struct tacAddedGeom {
    tacGeomDef def;
    int body;
} tacAddedGeom;
typedef struct tacAddedSite {
    tacSiteDef def;
    int body;
} tacAddedSite;
typedef struct tacAddedExclude {
    const char *name;
    int body[2];
} tacAddedExclude;
/* Numbers of a state and its inputs, counted in the order in which elements were added. */
typedef struct tacKeySpan {
    int nq, nv, na, nu, nmocap;
} tacKeySpan;
typedef struct tacAddedKey {
    tacKeyDef def;
    tacKeySpan from, to; /* its arrays have the numbers from `from` to before `to`, in order of adding */
    int grows;           /* 1: joints, actuators and mocap bodies beyond them take the model's default; 0: an error */
} tacAddedKey;
typedef struct tacAddedSensor {
    const char *tag, *name;
} tacAddedSensor;

struct tacBuilder {
    tacList body, joint, geom, mesh, site, tendon, actuator, equality, pair, exclude, key, sensor;
    tacList memory; /* void *: copies of texts and arrays */
    tacOptionDef option;
    int nq, nv, na, nmocap; /* so far */
    tacError error;         /* the first failure; TAC_OK: none */
};

/* Element i of a list, as a pointer to its type. */
#define TAC_ADDED(list, type, i) (&((type *)(list).data)[i])

/* Keeps the builder's first failure and copies it to err (NULL: not). */
tacStatus tac_builder_fail(tacBuilder *b, tacError *err, tacStatus status, tacKind kind, int id, const char *format,
                           ...) TAC_FORMAT(6, 7);
/* Numbers of elements that the builder has so far. */
tacKeySpan tac_builder_span(const tacBuilder *b);
/* Adds a keyframe that has numbers of the elements added since `from` alone. */
int tac_builder_add_partial_key(tacBuilder *b, const tacKeyDef *def, tacKeySpan from);
