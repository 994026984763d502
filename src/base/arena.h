/* Scratch memory laid out once: mark at entry, release at every exit of the same function. Never grows. */
#pragma once

#include <stddef.h>

enum { TAC_ARENA_ALIGN = 64 };

typedef struct tacArena {
    unsigned char *base;
    size_t size, used, peak; /* bytes; peak is the high-water mark */
} tacArena;

/* Bytes that one TAC_TAKE of `bytes` occupies. */
static inline size_t tac_arena_round(size_t bytes) {
    return (bytes + TAC_ARENA_ALIGN - 1) & ~(size_t)(TAC_ARENA_ALIGN - 1);
}

/* memory must be TAC_ARENA_ALIGN aligned. */
static inline void tac_arena_init(tacArena *arena, void *memory, size_t size) {
    arena->base = memory;
    arena->size = size;
    arena->used = 0;
    arena->peak = 0;
}

static inline size_t tac_arena_mark(const tacArena *arena) { return arena->used; }

static inline void tac_arena_release(tacArena *arena, size_t mark) { arena->used = mark; }

/* Uninitialised bytes, or NULL when full. */
static inline void *tac_arena_take(tacArena *arena, size_t bytes) {
    size_t need = tac_arena_round(bytes);
    if (need < bytes || need > arena->size - arena->used) return NULL;
    void *p = arena->base + arena->used;
    arena->used += need;
    if (arena->used > arena->peak) arena->peak = arena->used;
    return p;
}

/* TAC_TAKE(&arena, n, double) -> double * */
#define TAC_TAKE(arena, n, type) ((type *)tac_arena_take((arena), (size_t)(n) * sizeof(type)))
