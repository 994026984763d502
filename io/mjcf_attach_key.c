/* Keyframes of models that are attached. */
#include "io/mjcf_read.h"

#include "base/error.h"
#include "model/element_def.h"

#include <string.h>

/* Where the numbers of a part begin in the whole model. */
typedef struct Offsets {
    int body, qpos, dof, act, actuator, mocap;
} Offsets;

static Offsets find_offsets(const tacMjcfPart *p, const tacModel *whole, int first_body) {
    Offsets o = {.body = first_body, .actuator = p->first[TAC_KIND_ACTUATOR]};
    for (int j = whole->njnt - 1; j >= 0 && whole->joint_body[j] >= first_body; j--) {
        o.qpos = whole->joint_qpos_adr[j];
        o.dof = whole->joint_dof_adr[j];
    }
    for (int i = whole->nu - 1; i >= o.actuator; i--)
        if (whole->actuator_act_adr[i] >= 0) o.act = whole->actuator_act_adr[i];
    for (int i = whole->nmocap - 1; i >= 0 && whole->mocap_body[i] >= first_body; i--)
        o.mocap = i;
    return o;
}

/* The numbers of a keyframe of the whole model. */
typedef struct Numbers {
    double *qpos, *qvel, *act, *ctrl;
    tacVec3 *mpos;
    tacQuat *mquat;
} Numbers;

/* Kept; the default coordinates and poses, and zeros. */
static tacStatus default_numbers(tacMjcf *m, const tacModel *whole, Numbers *z) {
    z->qpos = tac_mjcf_keep(m, (size_t)whole->nq * sizeof *z->qpos);
    z->qvel = tac_mjcf_keep(m, (size_t)whole->nv * sizeof *z->qvel);
    z->act = tac_mjcf_keep(m, (size_t)whole->na * sizeof *z->act);
    z->ctrl = tac_mjcf_keep(m, (size_t)whole->nu * sizeof *z->ctrl);
    z->mpos = tac_mjcf_keep(m, (size_t)whole->nmocap * sizeof *z->mpos);
    z->mquat = tac_mjcf_keep(m, (size_t)whole->nmocap * sizeof *z->mquat);
    if (!z->qpos || !z->qvel || !z->act || !z->ctrl || !z->mpos || !z->mquat) return TAC_ERR_MEMORY;
    if (whole->nq > 0) memcpy(z->qpos, whole->qpos_0, (size_t)whole->nq * sizeof *z->qpos);
    for (int i = 0; i < whole->nmocap; i++) {
        z->mpos[i] = whole->body_pos[whole->mocap_body[i]];
        z->mquat[i] = whole->body_quat[whole->mocap_body[i]];
    }
    return TAC_OK;
}

/* n elements of `size` bytes to place `at`; from NULL: none. */
static void put(void *to, int at, const void *from, int n, size_t size) {
    if (from != NULL && n > 0) memcpy((char *)to + (size_t)at * size, from, (size_t)n * size);
}

static void put_part(const tacModel *part, const tacKeyDef *d, const Offsets *o, Numbers *z) {
    put(z->qpos, o->qpos, d->qpos, part->nq, sizeof *z->qpos);
    put(z->qvel, o->dof, d->qvel, part->nv, sizeof *z->qvel);
    put(z->act, o->act, d->act, part->na, sizeof *z->act);
    put(z->ctrl, o->actuator, d->ctrl, part->nu, sizeof *z->ctrl);
    put(z->mpos, o->mocap, d->mpos, part->nmocap, sizeof *z->mpos);
    put(z->mquat, o->mocap, d->mquat, part->nmocap, sizeof *z->mquat);
}

tacStatus tac_mjcf_attached_key(tacMjcf *m, const tacMjcfPattern *pattern, int key, const tacModel *whole,
                                const int *body, tacKeyDef *out) {
    Numbers z;
    TAC_TRY(default_numbers(m, whole, &z));
    tacKeyDef all = tac_key_def(pattern->model, key);
    for (int i = pattern->part; i >= 0; i = TAC_AT(m->parts, tacMjcfPart, i)->next) {
        const tacMjcfPart *part = TAC_AT(m->parts, tacMjcfPart, i);
        const tacKeyDef d = tac_key_def(part->model, key);
        int first_body = part->model->nbody > 1 ? body[part->first[TAC_KIND_BODY]] : whole->nbody;
        const Offsets o = find_offsets(part, whole, first_body);
        put_part(part->model, &d, &o, &z);
    }
    if (all.qpos != NULL) all.qpos = z.qpos;
    if (all.mpos != NULL) all.mpos = z.mpos;
    if (all.mquat != NULL) all.mquat = z.mquat;
    all.qvel = z.qvel;
    all.act = z.act;
    all.ctrl = z.ctrl;
    *out = all;
    return TAC_OK;
}
