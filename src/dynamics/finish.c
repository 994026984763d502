/* The public calls that produce a complete model: description (model/) and reference quantities (here). */
#include "dynamics/reference.h"

#include "base/error.h"
#include "base/platform.h"
#include "model/layout.h"

/* tac_model_reference with a workspace of its own. */
static tacStatus complete_model(tacModel *m, tacError *err) {
    size_t bytes = tac_work_bytes(m);
    void *memory = tac_aligned_new(TAC_ARENA_ALIGN, bytes > 0 ? bytes : TAC_ARENA_ALIGN);
    if (memory == NULL) return tac_fail(err, TAC_ERR_MEMORY, "out of memory: %zu bytes of workspace", bytes);
    tacArena arena;
    tacWork work;
    tac_arena_init(&arena, memory, bytes);
    tacStatus status = tac_work_layout(&work, m, &arena)
                           ? tac_model_reference(m, &work, err)
                           : tac_fail(err, TAC_ERR_ARENA_FULL, "workspace of %zu bytes is too small", bytes);
    tac_aligned_free(memory);
    return status;
}

tacStatus tac_model_finish(tacBuilder *b, tacModel **model, tacError *err) {
    if (b == NULL || model == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "builder or model is NULL");
    tacModel *m = NULL;
    TAC_TRY(tac_model_assemble(b, &m, err));
    tacStatus status = complete_model(m, err);
    if (status != TAC_OK) {
        tac_model_free(m);
        return status;
    }
    *model = m;
    return TAC_OK;
}

/* Works on a copy, so that a refused value leaves the model unchanged. */
tacStatus tac_param_set(tacModel *model, const char *path, double value, tacError *err) {
    if (model == NULL || path == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "model or path is NULL");
    tacModel *copy = NULL;
    tacStatus status = tac_model_copy(model, &copy, err);
    if (status == TAC_OK) status = tac_param_write(copy, path, value, err);
    if (status == TAC_OK) status = tac_model_derive(copy, err);
    if (status == TAC_OK) status = complete_model(copy, err);
    if (status == TAC_OK) tac_model_copy_arrays(model, copy);
    tac_model_free(copy);
    return status;
}
