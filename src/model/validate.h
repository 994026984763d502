/* Checks of a laid-out model, when it is built, unpacked, or a parameter is set.
 *
 * Messages name the element and say what was found and what was expected: "geom 'foot': size[0] is -0.1, expected a
 * positive radius". The error's id is in order of adding. */
#pragma once

#include "base/error.h"
#include "base/platform.h"
#include "math/quat.h"
#include "model/layout.h"

/* Model id -> id in order of adding. A NULL array: the same. */
typedef struct tacOrder {
    int *joint, *geom, *site;
} tacOrder;

/* INDEX rows other than those of tac_model_index: ids in range, types known, names unique, rows sorted by body. */
tacStatus tac_validate_structure(const tacModel *m, const tacOrder *order, tacError *err);
/* NUMBER rows, and their allowed combinations. Needs tac_model_index. */
tacStatus tac_validate_numbers(const tacModel *m, const tacOrder *order, tacError *err);
/* Keyframes are finite. */
tacStatus tac_validate_keys(const tacModel *m, tacError *err);

/* Fills err about an element: "kind 'name': " and the message. */
tacStatus tac_fail_element(const tacModel *m, const tacOrder *order, tacError *err, tacKind kind, int id,
                           const char *format, ...) TAC_FORMAT(6, 7);

/* Inputs of every check: the model, the map of its ids to the order of adding, the error to fill. */
typedef struct tacCheck {
    const tacModel *m;
    const tacOrder *order;
    tacError *err;
} tacCheck;
#define TAC_REFUSE(c, kind, id, ...) tac_fail_element((c)->m, (c)->order, (c)->err, kind, id, __VA_ARGS__)

/* No two triangles of a mesh run along an edge in the same direction. */
tacStatus tac_validate_mesh_edges(const tacCheck *c, int mesh);

/* The normalized quaternion. A unit stays as it is, so that normalizing twice changes no bit. So does one that is zero
 * or not finite, which tac_validate_numbers refuses. */
tacQuat tac_unit_quat(tacQuat q);
/* The same for an axis. */
tacVec3 tac_unit_axis(tacVec3 axis);
