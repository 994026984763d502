#include "model/layout.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/platform.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the struct and all arrays. 0: a size is negative or the sum overflows. */
static size_t block_bytes(const tacModel *sizes) {
    size_t total = tac_arena_round(sizeof(tacModel));
    for (int i = 0; i < TAC_NFIELD; i++) {
        const tacField *f = &TAC_FIELDS[i];
        int rows = tac_field_rows(sizes, f);
        if (rows < 0) return 0;
        size_t row = (size_t)f->per * f->element;
        if ((size_t)rows > (SIZE_MAX / 4) / row) return 0;
        size_t bytes = tac_arena_round((size_t)rows * row);
        if (bytes > SIZE_MAX / 2 - total) return 0;
        total += bytes;
    }
    return total;
}

static size_t param_bytes(int nmember) { return tac_arena_round(3 * (size_t)nmember * sizeof(int)); }

/* Addresses of the three arrays of n registered numbers. */
static void point_params(tacModel *model, int *block, int n) {
    model->param_field = block;
    model->param_index = block + n;
    model->param_theta = block + 2 * (size_t)n;
}

static void copy_params(tacModel *to, const tacModel *from) {
    size_t bytes = (size_t)from->nmember * sizeof(int);
    to->nparam = from->nparam;
    to->nmember = from->nmember;
    if (bytes == 0) return;
    memcpy(to->param_field, from->param_field, bytes);
    memcpy(to->param_index, from->param_index, bytes);
    memcpy(to->param_theta, from->param_theta, bytes);
}

/* The part of a block that begins at `part` and holds `bytes` -> the next one. The gap between them is out of
 * bounds. */
static char *close_part(char *part, size_t bytes) {
    size_t all = tac_arena_round(bytes);
    tac_memory_close(part + bytes, all - bytes);
    return part + all;
}

/* Points every array of the table into the block that begins at model. */
static void point_arrays(tacModel *model) {
    char *next = close_part((char *)model, sizeof(tacModel));
    for (int i = 0; i < TAC_NFIELD; i++) {
        const tacField *f = &TAC_FIELDS[i];
        memcpy((char *)model + f->offset, &next, sizeof next);
        next = close_part(next, tac_field_bytes(model, f));
    }
}

static void copy_sizes(tacModel *to, const tacModel *from) {
#define S(name, meaning) to->name = from->name;
    TAC_MODEL_SIZES(S)
#undef S
}

tacModel *tac_model_allocate(const tacModel *sizes) {
    size_t bytes = block_bytes(sizes);
    tacModel *model = bytes > 0 ? tac_aligned_new(TAC_ARENA_ALIGN, bytes) : NULL;
    if (model == NULL) return NULL;
    memset(model, 0, bytes);
    copy_sizes(model, sizes);
    model->bytes = bytes;
    point_arrays(model);
    return model;
}

void tac_model_copy_arrays(tacModel *to, const tacModel *from) {
    for (int i = 0; i < TAC_NFIELD; i++) {
        const tacField *f = &TAC_FIELDS[i];
        memcpy(tac_field_data(to, f), tac_field_data(from, f), tac_field_bytes(from, f));
    }
}

/* The registered parameters of a model on the heap are a separate array, because registering must not move the model.
 * In a copy made by tac_model_copy_into they are at the end of the block. */
tacStatus tac_model_reserve_params(tacModel *model, int n, tacError *err) {
    if (n < 0 || n > INT_MAX / 3) return tac_fail(err, TAC_ERR_MEMORY, "%d registered parameters are too many", n);
    int *grown = malloc(3 * (size_t)(n > 0 ? n : 1) * sizeof(int)), *before = model->param_field;
    if (grown == NULL) return tac_fail(err, TAC_ERR_MEMORY, "out of memory for %d registered parameters", n);
    tacModel old = *model;
    point_params(model, grown, n);
    copy_params(model, &old);
    model->bytes += param_bytes(n) - (before != NULL ? param_bytes(model->nmember) : 0);
    free(before);
    return TAC_OK;
}

tacModel *tac_model_copy_into(const tacModel *model, void *memory) {
    TAC_ASSERT((uintptr_t)memory % TAC_ARENA_ALIGN == 0);
    tacModel *copy = memory;
    tac_memory_open(memory, model->bytes);
    memset(copy, 0, sizeof *copy);
    copy_sizes(copy, model);
    point_arrays(copy);
    tac_model_copy_arrays(copy, model);
    copy->bytes = model->bytes;
    if (model->nmember > 0) {
        char *params = (char *)memory + block_bytes(model);
        point_params(copy, (int *)params, model->nmember);
        close_part(params, 3 * (size_t)model->nmember * sizeof(int));
    }
    copy_params(copy, model);
    return copy;
}

tacStatus tac_model_copy(const tacModel *model, tacModel **copy, tacError *err) {
    if (model == NULL || copy == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "tac_model_copy: an argument is NULL");
    tacModel *made = tac_model_allocate(model);
    if (made == NULL) return tac_fail(err, TAC_ERR_MEMORY, "out of memory for a copy of the model");
    tac_model_copy_arrays(made, model);
    tacStatus status = model->nmember > 0 ? tac_model_reserve_params(made, model->nmember, err) : TAC_OK;
    if (status != TAC_OK) {
        tac_model_free(made);
        return status;
    }
    copy_params(made, model);
    *copy = made;
    return TAC_OK;
}

void tac_model_free(tacModel *model) {
    if (model == NULL) return;
    free(model->param_field);
    tac_aligned_free(model);
}

uint64_t tac_model_hash(const tacModel *model) {
    uint64_t h = 0;
    if (model == NULL) return 0;
    for (int i = 0; i < TAC_NSIZE; i++)
        h = tac_hash((const char *)model + TAC_SIZES[i].offset, sizeof(int), h);
    for (int i = 0; i < TAC_NFIELD; i++)
        h = tac_hash(tac_field_data(model, &TAC_FIELDS[i]), tac_field_bytes(model, &TAC_FIELDS[i]), h);
    h = tac_hash(&model->nparam, sizeof(int), h);
    h = tac_hash(model->param_field, (size_t)model->nmember * sizeof(int), h);
    h = tac_hash(model->param_index, (size_t)model->nmember * sizeof(int), h);
    if (model->nmember == model->nparam) return h; /* no groups: which belongs to which says nothing more */
    return tac_hash(model->param_theta, (size_t)model->nmember * sizeof(int), h);
}
