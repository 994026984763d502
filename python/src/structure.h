/* Plain structs of the headers, read as objects with attributes and filled from keywords. */
#pragma once

#include "core.h"

typedef enum {
    TACPY_INT,
    TACPY_SHORT,
    TACPY_LONG,
    TACPY_SIZE,
    TACPY_U64,
    TACPY_DOUBLE,
    TACPY_FLOAT,
    TACPY_STRING,
    TACPY_STRUCT
} tacpyFieldType;

typedef struct tacpyTable tacpyTable;

/* A field; an array of `count` values of `width` numbers each. */
typedef struct tacpyField {
    const char *name;
    tacpyFieldType type;
    int width, count;
    size_t offset;
    const char *enumeration; /* class of tactus.enums; NULL: a plain number */
    tacpyTable *nested;      /* TACPY_STRUCT */
    const char *doc;
} tacpyField;

struct tacpyTable {
    const char *name; /* of the Python type */
    size_t size;
    const tacpyField *fields; /* ends with a NULL name */
    PyTypeObject *type;       /* of structs that are read */
    const char *doc;
};

/* Structs that are read; ends with NULL. */
extern tacpyTable *const tacpy_tables[];

#define TACPY_TABLE(name) extern tacpyTable tacpy_table_##name
TACPY_TABLE(tacStepInfo);
TACPY_TABLE(tacContact);
TACPY_TABLE(tacContactForce);
TACPY_TABLE(tacConstraint);
TACPY_TABLE(tacImpactPair);
TACPY_TABLE(tacGrowth);
TACPY_TABLE(tacRay);
TACPY_TABLE(tacProjection);
TACPY_TABLE(tacEnergy);
TACPY_TABLE(tacProblemInfo);
TACPY_TABLE(tacIteration);
TACPY_TABLE(tacBodyDef);
TACPY_TABLE(tacJointDef);
TACPY_TABLE(tacGeomDef);
TACPY_TABLE(tacMeshDef);
TACPY_TABLE(tacSiteDef);
TACPY_TABLE(tacTendonDef);
TACPY_TABLE(tacActuatorDef);
TACPY_TABLE(tacEqualityDef);
TACPY_TABLE(tacPairDef);
TACPY_TABLE(tacKeyDef);
TACPY_TABLE(tacOptionDef);
TACPY_TABLE(tacAttachDef);
TACPY_TABLE(tacLoadOptions);
TACPY_TABLE(tacChain);
TACPY_TABLE(tacOdeOptions);
TACPY_TABLE(tacBatchOptions);
TACPY_TABLE(tacOptions);

/* A copy of a struct as an object. */
PyObject *tacpy_struct(const tacpyTable *table, const void *value);
/* A list of n of them. */
PyObject *tacpy_structs(const tacpyTable *table, const void *values, int n);
/* The struct in an object of this type; NULL with a TypeError. */
const void *tacpy_struct_of(const tacpyTable *table, PyObject *o, const char *name);
/* A field of a struct as an object. */
PyObject *tacpy_get_field(const tacpyField *field, const void *value);
/* Sets a field from an object, which must outlive the struct where the field is a text. 0, or -1. */
int tacpy_set_field(const tacpyField *field, void *value, PyObject *o);
/* The field by name; NULL: none, without an exception. */
const tacpyField *tacpy_find_field(const tacpyTable *table, const char *name);
/* Sets the fields that keywords name: args[i] for the i-th of `names`. Names in `skip` (ends with NULL) are left
 * out. */
int tacpy_set_keywords(const tacpyTable *table, void *value, PyObject *const *args, PyObject *names,
                       const char *const *skip);
