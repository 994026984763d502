/* Scratch memory laid out once: what a function takes, it releases at every exit. Never grows.
 *
 *   TAC_SCOPE(arena);                                 everything taken from here on is released when the block ends
 *   double *r = TAC_TAKE(arena, n, double);           uninitialised, or NULL when the arena is full
 *
 * How many bytes a computation needs is measured, not counted. Its layout functions, which take blocks and never write
 * to them, run once on a dry arena, which has no memory and only counts. The peak of the dry run is the answer.
 *
 * Builds with TAC_CHECKS find what a sanitizer cannot see inside one big block. A red zone follows every block that
 * is taken. It holds a pattern, and a release aborts where the pattern has changed. Fresh blocks are filled with
 * signalling NaNs, which are large negative numbers as ints and no address as pointers. Under the address sanitizer
 * everything that is not taken is poisoned, so that a read outside a block, or of a block that was released, stops at
 * once. Builds without TAC_CHECKS have none of this. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { TAC_ARENA_ALIGN = 64 };

#ifdef TAC_CHECKS
enum { TAC_RED_ZONE = 64 }; /* bytes after each block */
#else
enum { TAC_RED_ZONE = 0 };
#endif

typedef struct tacArena {
    unsigned char *base;
    size_t size, used, peak; /* bytes; peak is the high-water mark */
} tacArena;

#ifdef TAC_CHECKS
/* Forbids, or allows again, all access to these bytes under the address sanitizer. Otherwise nothing. */
void tac_memory_close(void *memory, size_t bytes);
void tac_memory_open(void *memory, size_t bytes);
/* A block of `bytes` that begins at `start` becomes fresh memory with a red zone behind it. */
void tac_arena_guard(tacArena *arena, size_t start, size_t bytes);
/* Aborts when a red zone of the blocks behind `mark` was written to; nobody may touch these blocks any more. */
void tac_arena_retire(const tacArena *arena, size_t mark);
#else
static inline void tac_memory_close(void *memory, size_t bytes) {
    (void)memory;
    (void)bytes;
}
static inline void tac_memory_open(void *memory, size_t bytes) {
    (void)memory;
    (void)bytes;
}
static inline void tac_arena_guard(tacArena *arena, size_t start, size_t bytes) {
    (void)arena;
    (void)start;
    (void)bytes;
}
static inline void tac_arena_retire(const tacArena *arena, size_t mark) {
    (void)arena;
    (void)mark;
}
#endif

/* Bytes that one TAC_TAKE of `bytes` occupies, with its red zone. */
static inline size_t tac_arena_round(size_t bytes) {
    return ((bytes + TAC_ARENA_ALIGN - 1) & ~(size_t)(TAC_ARENA_ALIGN - 1)) + TAC_RED_ZONE;
}

/* memory must be TAC_ARENA_ALIGN aligned. */
static inline void tac_arena_init(tacArena *arena, void *memory, size_t size) {
    arena->base = memory;
    arena->size = size;
    arena->used = 0;
    arena->peak = 0;
    tac_memory_close(memory, size);
}

/* An arena of a dry run: blocks have addresses and no memory. Nobody may read or write them. */
static inline tacArena tac_arena_dry(void) {
    return (tacArena){.base = (unsigned char *)(uintptr_t)TAC_ARENA_ALIGN, .size = SIZE_MAX / 2};
}

static inline int tac_arena_is_dry(const tacArena *arena) {
    return arena->base == (unsigned char *)(uintptr_t)TAC_ARENA_ALIGN;
}

static inline size_t tac_arena_mark(const tacArena *arena) { return arena->used; }

static inline void tac_arena_release(tacArena *arena, size_t mark) {
    tac_arena_retire(arena, mark);
    arena->used = mark;
}

/* A mark that its block releases at every exit. */
typedef struct tacScope {
    tacArena *arena;
    size_t mark;
} tacScope;
static inline void tac_scope_end(const tacScope *scope) { tac_arena_release(scope->arena, scope->mark); }
#define TAC_SCOPE_NAMED_(a, name)                                                                                      \
    const tacScope name __attribute__((unused, cleanup(tac_scope_end))) = {(a), tac_arena_mark(a)}
#define TAC_SCOPE_AT_(a, line)   TAC_SCOPE_NAMED_(a, tac_scope_##line##_)
#define TAC_SCOPE_LINE_(a, line) TAC_SCOPE_AT_(a, line)
#define TAC_SCOPE(a)             TAC_SCOPE_LINE_(a, __LINE__)

/* Releases all and hands the memory back to whoever lent it. */
static inline void tac_arena_end(tacArena *arena) {
    tac_arena_release(arena, 0);
    tac_memory_open(arena->base, arena->size);
}

/* TAC_BORROW(arena, memory, bytes): opens an arena in memory that a caller lends. Its block ends the arena at every
 * exit. One per block. */
static inline tacScope tac_arena_borrow(tacArena *arena, void *memory, size_t bytes) {
    tac_arena_init(arena, memory, bytes);
    return (tacScope){arena, 0};
}
static inline void tac_arena_return(const tacScope *scope) { tac_arena_end(scope->arena); }
#define TAC_BORROW(arena, memory, bytes)                                                                               \
    const tacScope tac_borrowed_ __attribute__((unused, cleanup(tac_arena_return))) =                                  \
        tac_arena_borrow((arena), (memory), (bytes))

/* Uninitialised bytes, or NULL when full. */
static inline void *tac_arena_take(tacArena *arena, size_t bytes) {
    size_t need = tac_arena_round(bytes);
    if (need < bytes || need > arena->size - arena->used) return NULL;
    void *p = arena->base + arena->used;
    tac_arena_guard(arena, arena->used, bytes);
    arena->used += need;
    if (arena->used > arena->peak) arena->peak = arena->used;
    return p;
}

/* TAC_TAKE(&arena, n, double) -> double * */
#define TAC_TAKE(arena, n, type) ((type *)tac_arena_take((arena), (size_t)(n) * sizeof(type)))

/* Fills what is taken, and what may be, with NaNs: tests show so that results do not depend on it. */
void tac_arena_spoil(tacArena *arena);
