/* The field table at run time. */
#include "model/model.h"

/* The number type a field's element is made of, and its letter. */
#define BASE_double  double
#define BASE_tacVec3 double
#define BASE_tacQuat double
#define BASE_tacSym3 double
#define BASE_int     int
#define BASE_float   float
#define BASE_char    char

#define ROLE_INDEX   'I'
#define ROLE_NUMBER  'N'
#define ROLE_DERIVED 'D'

/* Words of a path that differ from those of the struct: inertial_pos is body/NAME.ipos. */
#define TEXT(word) #word

const tacField TAC_FIELDS[] = {
#define X(kind, field, type, per, count, role, meaning)                                                                \
    {TEXT(kind),                                                                                                       \
     TEXT(field),                                                                                                      \
     offsetof(tacModel, kind##_##field),                                                                               \
     offsetof(tacModel, count),                                                                                        \
     (int)((per) * sizeof(type) / sizeof(BASE_##type)),                                                                \
     sizeof(BASE_##type),                                                                                              \
     ROLE_##role},
    TAC_MODEL_FIELDS(X)
#undef X
};
const int TAC_NFIELD = (int)(sizeof TAC_FIELDS / sizeof TAC_FIELDS[0]);

const tacSize TAC_SIZES[] = {
#define S(name, meaning) {TEXT(name), offsetof(tacModel, name)},
    TAC_MODEL_SIZES(S)
#undef S
};
const int TAC_NSIZE = (int)(sizeof TAC_SIZES / sizeof TAC_SIZES[0]);
