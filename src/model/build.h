/* The builder's store: definitions in order of adding. */
#pragma once

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
typedef struct tacAddedKey {
    tacKeyDef def;
    int nq, nv, na, nu, nmocap; /* of the model when it was added */
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
