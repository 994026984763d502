/* Names of numbers: kind/NAME.field[i]; kind/#ID.field for an unnamed element; option.field[i]; no [i] if a field is
 * one number. */
#pragma once

#include "model/layout.h"

/* The field's word in paths ("ipos" for inertial_pos) and the kind of its elements. */
const char *tac_param_word(int field, tacKind *kind);
/* (field, flat index) -> kind and id of the element, index within it (-1: the field is one number), and the field's
 * word. */
const char *tac_param_place(const tacModel *m, int field, int index, tacKind *kind, int *id, int *element);
/* (field, flat index) -> path, cut to size. */
void tac_param_text(const tacModel *m, int field, int index, char *text, size_t size);
/* Path -> (field, flat index), settable or not. */
tacStatus tac_param_parse(const tacModel *m, const char *path, int *field, int *index, tacError *err);
/* 1: (field, index) is in range and may be set. */
int tac_param_allowed(const tacModel *m, int field, int index);
