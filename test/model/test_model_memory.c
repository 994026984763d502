/* Out of memory at any one allocation: an error, no crash, no leak. The linker sends every allocation through here. */
#include "model/sample.h"
#include "support/check.h"

#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);

/* Allocations until one fails; negative: none fails. */
static long countdown = -1;

static int fails(void) { return countdown >= 0 && countdown-- == 0; }

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : __real_calloc(n, size); }
void *__wrap_realloc(void *old, size_t size) { return fails() ? NULL : __real_realloc(old, size); }
void *__wrap_aligned_alloc(size_t align, size_t size) { return fails() ? NULL : __real_aligned_alloc(align, size); }

/* Everything that allocates in this folder; the status of the first failure. */
static tacStatus build_copy_pack(void) {
    tacModel *m = NULL, *copy = NULL, *back = NULL;
    static unsigned char bytes[1 << 16];
    tacError err;
    tacBuilder *b = sample_builder();
    tacStatus status = b != NULL ? tac_model_assemble(b, &m, &err) : TAC_ERR_MEMORY;
    if (status == TAC_OK) status = tac_param_register(m, "body/tip.mass", NULL, &err);
    if (status == TAC_OK) status = tac_model_copy(m, &copy, &err);
    if (status == TAC_OK) status = tac_model_pack(copy, bytes, sizeof bytes, &err);
    if (status == TAC_OK) status = tac_model_unpack(bytes, tac_model_pack_bytes(copy), &back, &err);
    tac_model_free(m);
    tac_model_free(copy);
    tac_model_free(back);
    tac_builder_free(b);
    return status;
}

static void each_allocation_may_fail(void **state) {
    (void)state;
    long n = 0;
    for (;; n++) {
        countdown = n;
        tacStatus status = build_copy_pack();
        long left = countdown;
        countdown = -1;
        if (left >= 0) { /* no allocation was refused: all were tried */
            CHECK_INT(status, TAC_OK);
            break;
        }
        CHECK_INT(status, TAC_ERR_MEMORY);
    }
    print_message("%ld allocations refused one by one\n", n);
    CHECK(n > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
