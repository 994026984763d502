/* How numbers are called: kind/NAME.field[i]. */
#pragma once

#include "model/layout.h"

/* (field, flat index) -> kind and id of the element, index within it (-1: the field is one number), and the field's word
 * in paths ("ipos" for inertial_pos). */
/* The field's word in paths and the kind of its elements. */
const char *tac_param_word(int field, tacKind *kind);
const char *tac_param_place(const tacModel *m, int field, int index, tacKind *kind, int *id, int *element);
