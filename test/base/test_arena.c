#include "base/arena.h"
#include "support/check.h"

#include <stdalign.h>
#include <stdint.h>

enum { SIZE = 1024 };
static alignas(64) unsigned char memory[SIZE];

static void takes_are_aligned_and_apart(void **state) {
    (void)state;
    tacArena arena;
    tac_arena_init(&arena, memory, SIZE);
    unsigned char *a = tac_arena_take(&arena, 1), *b = tac_arena_take(&arena, 65), *c = tac_arena_take(&arena, 0);
    CHECK(a == memory);
    CHECK_INT(b - a, 64);
    CHECK_INT(c - b, 128);
    CHECK_INT((uintptr_t)b % TAC_ARENA_ALIGN, 0);
    CHECK_INT(arena.used, 192);
    double *d = TAC_TAKE(&arena, 3, double);
    CHECK((unsigned char *)d == memory + 192);
}

static void peak_survives_release(void **state) {
    (void)state;
    tacArena arena;
    tac_arena_init(&arena, memory, SIZE);
    CHECK(tac_arena_take(&arena, 64) != NULL);
    size_t mark = tac_arena_mark(&arena);
    void *first = tac_arena_take(&arena, 512);
    tac_arena_release(&arena, mark);
    CHECK_INT(arena.used, 64);
    CHECK_INT(arena.peak, 576);
    CHECK(tac_arena_take(&arena, 512) == first);
    CHECK_INT(arena.peak, 576);
}

static void full_gives_null_and_changes_nothing(void **state) {
    (void)state;
    tacArena arena;
    tac_arena_init(&arena, memory, SIZE);
    CHECK(tac_arena_take(&arena, SIZE + 1) == NULL);
    CHECK(tac_arena_take(&arena, SIZE_MAX) == NULL);
    CHECK(tac_arena_take(&arena, SIZE_MAX - 64) == NULL);
    CHECK_INT(arena.used, 0);
    CHECK_INT(arena.peak, 0);
    CHECK(tac_arena_take(&arena, SIZE) != NULL);
    CHECK(tac_arena_take(&arena, 1) == NULL);
    CHECK(tac_arena_take(&arena, 0) != NULL);
    CHECK_INT(arena.used, SIZE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_are_aligned_and_apart),
        cmocka_unit_test(peak_survives_release),
        cmocka_unit_test(full_gives_null_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
