#include "count_allocations.h"

#include <stdatomic.h>
#include <stddef.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t align, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);

static atomic_long allocations;

long counted_allocations(void) { return allocations; }

static void count(void) { atomic_fetch_add(&allocations, 1); }

void *__wrap_malloc(size_t n) {
    count();
    return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size) {
    count();
    return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n) {
    count();
    return __real_realloc(p, n);
}

void *__wrap_aligned_alloc(size_t align, size_t n) {
    count();
    return __real_aligned_alloc(align, n);
}
