/* A model is one block: the struct, then each array of the field table on its own 64-byte line. */
#pragma once

#include "model/model.h"

/* Row count of a field. */
static inline int tac_field_rows(const tacModel *m, const tacField *f) {
    return *(const int *)((const char *)m + f->size_offset);
}
/* The array of a field. */
static inline void *tac_field_data(const tacModel *m, const tacField *f) {
    return *(void *const *)((const char *)m + f->offset);
}
/* Bytes of a field's array, without padding. */
static inline size_t tac_field_bytes(const tacModel *m, const tacField *f) {
    return (size_t)tac_field_rows(m, f) * (size_t)f->per * f->element;
}

/* Sizes (the other members of *sizes are ignored) -> a zeroed model of that shape, without parameters. NULL: out of
 * memory, or the sizes are negative or overflow. */
tacModel *tac_model_allocate(const tacModel *sizes);
/* Copies every array of the field table between two models of one shape. */
void tac_model_copy_arrays(tacModel *to, const tacModel *from);
/* Makes room for n registered numbers and keeps the present ones. */
tacStatus tac_model_reserve_params(tacModel *model, int n, tacError *err);

/* key_given bits. */
enum { TAC_KEY_QPOS = 1, TAC_KEY_MPOS = 2, TAC_KEY_MQUAT = 4 };
/* Numbers of position coordinates and dofs by tacJointType. */
extern const int TAC_JOINT_NQ[], TAC_JOINT_NV[];
/* Fills the INDEX rows that follow from the others, and nM: addresses, counts, roots, welds, the dof tree. Needs
 * body_parent, joint_type, joint_body, geom_body, site_body, actuator_act_num and body_mocap (>= 0: mocap) in range,
 * rows sorted by body, and matching nq, nv, na, nmocap. Returns 0 if the entries of the mass matrix exceed an int. */
int tac_model_index(tacModel *model);
