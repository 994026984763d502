#include "base/arena.h"

#include "base/error.h"

#include <stdint.h>
#include <string.h>

/* A signalling NaN as a double, -720908 twice as ints, no address as a pointer, absurd as a size. */
static const uint64_t FRESH = UINT64_C(0xFFF4FFF4FFF4FFF4);

static void fill(unsigned char *p, size_t bytes) {
    size_t whole = bytes - bytes % sizeof FRESH;
    for (size_t i = 0; i < whole; i += sizeof FRESH)
        memcpy(p + i, &FRESH, sizeof FRESH);
    memcpy(p + whole, &FRESH, bytes - whole);
}

#ifndef TAC_CHECKS

void tac_arena_spoil(tacArena *arena) { fill(arena->base, arena->size); }

#else

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESSES_CHECKED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESSES_CHECKED 1
#endif
#endif

#ifdef ADDRESSES_CHECKED
#include <sanitizer/asan_interface.h>
/* Attribute of functions that read red zones. */
#define READS_ZONES __attribute__((no_sanitize("address")))
void tac_memory_close(void *memory, size_t bytes) { __asan_poison_memory_region(memory, bytes); }
void tac_memory_open(void *memory, size_t bytes) { __asan_unpoison_memory_region(memory, bytes); }
#else
#define READS_ZONES
void tac_memory_close(void *memory, size_t bytes) {
    (void)memory;
    (void)bytes;
}
void tac_memory_open(void *memory, size_t bytes) {
    (void)memory;
    (void)bytes;
}
#endif

/* Fills a block's red zone, except for the last word, which is the block's size. */
static const unsigned char UNTOUCHED = 0xC5;

/* Offset of the end of a block -> that of its begin, and the bytes it was taken for. Aborts when somebody wrote behind
 * them. */
READS_ZONES static size_t find_begin(const tacArena *arena, size_t end, size_t *bytes) {
    const unsigned char *zone = arena->base + end - TAC_RED_ZONE;
    uint64_t size = *(const uint64_t *)(zone + TAC_RED_ZONE - sizeof size);
    int whole = size <= end && tac_arena_round((size_t)size) <= end;
    TAC_ASSERT(whole && "the red zone behind a block of the arena was written to");
    size_t begin = end - tac_arena_round((size_t)size);
    for (size_t i = begin + (size_t)size; i < end - sizeof size; i++)
        whole = whole && arena->base[i] == UNTOUCHED;
    TAC_ASSERT(whole && "the red zone behind a block of the arena was written to");
    *bytes = (size_t)size;
    return begin;
}

READS_ZONES static void write_zone(unsigned char *block, size_t bytes) {
    size_t end = tac_arena_round(bytes) - sizeof(uint64_t);
    for (size_t i = bytes; i < end; i++)
        block[i] = UNTOUCHED;
    *(uint64_t *)(block + end) = bytes;
}

void tac_arena_guard(tacArena *arena, size_t start, size_t bytes) {
    if (tac_arena_is_dry(arena)) return;
    unsigned char *block = arena->base + start;
    write_zone(block, bytes);
    tac_memory_open(block, bytes);
    fill(block, bytes);
}

void tac_arena_retire(const tacArena *arena, size_t mark) {
    if (tac_arena_is_dry(arena)) return;
    size_t end = arena->used, bytes;
    while (end > mark)
        end = find_begin(arena, end, &bytes);
    TAC_ASSERT(end == mark && "the mark does not belong to this arena");
    tac_memory_close(arena->base + mark, arena->used - mark);
}

void tac_arena_spoil(tacArena *arena) {
    for (size_t end = arena->used, bytes; end > 0;) {
        end = find_begin(arena, end, &bytes);
        fill(arena->base + end, bytes);
    }
}

#endif
