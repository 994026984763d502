/* Attempts of a run as bytes of a checkpoint, and back. */
#include "io/run/plan_run.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static void pack_attempt(const tacPlanAttempt *a, tacBytes *out) {
    tac_bytes_word(out, (uint64_t)a->stage);
    tac_bytes_word(out, (uint64_t)a->outcome.end);
    tac_bytes_word(out, (uint64_t)a->outcome.iterations);
    tac_bytes_real(out, a->outcome.cost);
    tac_bytes_real(out, a->outcome.violation);
    tac_trail_write(&a->trail, out);
    tac_bytes_word(out, a->size);
    tac_bytes_block(out, a->bytes, a->size);
}

unsigned char *tac_plan_run_pack(const tacPlanRun *run, size_t *size) {
    tacBytes out = {0};
    tac_bytes_word(&out, (uint64_t)run->n);
    for (int i = 0; i < run->n; i++)
        pack_attempt(&run->attempt[i], &out);
    *size = out.size;
    if (!out.failed) return out.data;
    free(out.data);
    return NULL;
}

static int unpack_attempt(tacPlanAttempt *a, tacByteReader *in) {
    uint64_t stage = tac_bytes_read_word(in), end = tac_bytes_read_word(in);
    a->stage = (tacPlanStage)stage;
    a->outcome.end = (tacPlanEnd)end;
    a->outcome.iterations = (int)tac_bytes_read_word(in);
    a->outcome.cost = tac_bytes_read_real(in);
    a->outcome.violation = tac_bytes_read_real(in);
    if (stage > TAC_STAGE_DONE || end >= TAC_PLAN_ENDS || !tac_trail_read(&a->trail, in)) return 0;
    a->size = (size_t)tac_bytes_read_word(in);
    const unsigned char *bytes = tac_bytes_read_block(in, a->size);
    if (a->size == 0) return !in->failed;
    a->bytes = bytes != NULL ? malloc(a->size) : NULL;
    if (a->bytes == NULL) return 0;
    memcpy(a->bytes, bytes, a->size);
    return 1;
}

tacStatus tac_plan_run_unpack(tacPlanRun *run, const void *bytes, size_t size, tacError *err) {
    tacByteReader in = {.at = bytes, .left = size};
    int fine = tac_bytes_read_word(&in) == (uint64_t)run->n;
    for (int i = 0; i < run->n && fine; i++)
        fine = unpack_attempt(&run->attempt[i], &in);
    if (fine && in.left == 0) return TAC_OK;
    return tac_fail(err, TAC_ERR_SYNTAX, "%s: the checkpoint does not hold what this task keeps", run->folder->path);
}
