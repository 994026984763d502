#include "base/arena.h"
#include "support/check.h"

#include <signal.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ROOM is a block of 64 bytes with its red zone. */
enum { SIZE = 1024, ROOM = 64 + TAC_RED_ZONE };
static alignas(64) unsigned char memory[SIZE];

static void takes_are_aligned_and_apart(void **state) {
    (void)state;
    tacArena arena;
    tac_arena_init(&arena, memory, SIZE);
    unsigned char *a = tac_arena_take(&arena, 1), *b = tac_arena_take(&arena, 65), *c = tac_arena_take(&arena, 0);
    CHECK(a == memory);
    CHECK_INT(b - a, ROOM);
    CHECK_INT(c - b, ROOM + 64);
    CHECK_INT((uintptr_t)b % TAC_ARENA_ALIGN, 0);
    CHECK_INT(arena.used, 192 + 3 * TAC_RED_ZONE);
    double *d = TAC_TAKE(&arena, 3, double);
    CHECK((unsigned char *)d == memory + 192 + 3 * TAC_RED_ZONE);
}

static void peak_survives_release(void **state) {
    (void)state;
    tacArena arena;
    tac_arena_init(&arena, memory, SIZE);
    CHECK(tac_arena_take(&arena, 64) != NULL);
    size_t mark = tac_arena_mark(&arena);
    void *first = tac_arena_take(&arena, 512);
    tac_arena_release(&arena, mark);
    CHECK_INT(arena.used, ROOM);
    CHECK_INT(arena.peak, 512 + TAC_RED_ZONE + ROOM);
    CHECK(tac_arena_take(&arena, 512) == first);
    CHECK_INT(arena.peak, 512 + TAC_RED_ZONE + ROOM);
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
    CHECK(tac_arena_take(&arena, SIZE - 2 * TAC_RED_ZONE) != NULL);
    CHECK(tac_arena_take(&arena, 1) == NULL);
    CHECK(tac_arena_take(&arena, 0) != NULL);
    CHECK_INT(arena.used, SIZE);
}

static size_t early_exit(tacArena *arena, int early) {
    TAC_SCOPE(arena);
    if (TAC_TAKE(arena, 8, double) == NULL || early) return arena->used;
    return TAC_TAKE(arena, 8, double) == NULL ? 0 : arena->used;
}

static void scopes_release_at_every_exit(void **state) {
    (void)state;
    tacArena arena;
    tac_arena_init(&arena, memory, SIZE);
    CHECK(tac_arena_take(&arena, 64) != NULL);
    CHECK_INT(early_exit(&arena, 1), 2 * ROOM);
    CHECK_INT(arena.used, ROOM);
    CHECK_INT(early_exit(&arena, 0), 3 * ROOM);
    CHECK_INT(arena.used, ROOM);
}

static size_t exit_with_loan(tacArena *arena, int early) {
    TAC_BORROW(arena, memory, SIZE);
    if (TAC_TAKE(arena, 8, double) == NULL || early) return arena->used;
    return TAC_TAKE(arena, 8, double) == NULL ? 0 : arena->used;
}

/* The lender may write to all of it again. */
static void borrowed_memory_is_returned_at_every_exit(void **state) {
    (void)state;
    tacArena arena;
    for (int early = 0; early < 2; early++) {
        CHECK_INT(exit_with_loan(&arena, early), early ? ROOM : 2 * ROOM);
        CHECK_INT(arena.used, 0);
        memset(memory, early, SIZE);
    }
}

/* A dry run takes the same bytes as the run, and has no memory. */
static void dry_runs_measure(void **state) {
    (void)state;
    tacArena arena, dry = tac_arena_dry();
    tac_arena_init(&arena, memory, SIZE);
    CHECK_INT(early_exit(&dry, 0), early_exit(&arena, 0));
    CHECK_INT(dry.used, 0);
    CHECK_INT(dry.peak, arena.peak);
    CHECK(tac_arena_take(&dry, (size_t)1 << 40) != NULL);
    CHECK_INT(dry.peak, ((size_t)1 << 40) + TAC_RED_ZONE);
}

static void memory_comes_back_to_its_owner(void **state) {
    (void)state;
    tacArena arena;
    tac_arena_init(&arena, memory, SIZE);
    CHECK(tac_arena_take(&arena, 100) != NULL);
    tac_arena_end(&arena);
    CHECK_INT(arena.used, 0);
    memset(memory, 0, SIZE);
}

/* What is taken, and all that may be. */
static void spoiled_memory_is_no_number(void **state) {
    (void)state;
    tacArena arena;
    tac_arena_init(&arena, memory, SIZE);
    double *a = TAC_TAKE(&arena, 3, double);
    a[0] = a[1] = a[2] = 1;
    tac_arena_spoil(&arena);
    double *b = TAC_TAKE(&arena, 5, double);
    for (int i = 0; i < 3; i++)
        CHECK(a[i] != a[i]);
    for (int i = 0; i < 5; i++)
        CHECK(b[i] != b[i]);
}

#ifdef TAC_CHECKS
static void fresh_memory_is_no_number(void **state) {
    (void)state;
    tacArena arena;
    tac_arena_init(&arena, memory, SIZE);
    double *a = TAC_TAKE(&arena, 7, double);
    int *b = TAC_TAKE(&arena, 7, int);
    for (int i = 0; i < 7; i++)
        CHECK(a[i] != a[i] && b[i] < -700000);
    a[0] = 1;
    tac_arena_release(&arena, 0);
    a = TAC_TAKE(&arena, 7, double);
    CHECK(a[0] != a[0]);
}

/* One number behind a block, in its rounding and in its red zone: a child that writes there does not live. */
static void writes_behind_a_block_are_found(void **state) {
    (void)state;
    for (int at = 3; at <= 15; at += 6) {
        pid_t child = fork();
        if (child == 0) {
            tacArena arena;
            if (freopen("/dev/null", "w", stderr) == NULL) _exit(0);
            signal(SIGABRT, SIG_DFL);
            tac_arena_init(&arena, memory, SIZE);
            volatile double *a = TAC_TAKE(&arena, 3, double);
            if (TAC_TAKE(&arena, 1, double) == NULL) _exit(0);
            a[at] = 1;
            tac_arena_release(&arena, 0);
            _exit(0);
        }
        int status = 0;
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        CHECK(!(WIFEXITED(status) && WEXITSTATUS(status) == 0));
    }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_are_aligned_and_apart),
        cmocka_unit_test(peak_survives_release),
        cmocka_unit_test(scopes_release_at_every_exit),
        cmocka_unit_test(borrowed_memory_is_returned_at_every_exit),
        cmocka_unit_test(dry_runs_measure),
        cmocka_unit_test(full_gives_null_and_changes_nothing),
        cmocka_unit_test(memory_comes_back_to_its_owner),
        cmocka_unit_test(spoiled_memory_is_no_number),
#ifdef TAC_CHECKS
        cmocka_unit_test(fresh_memory_is_no_number),
        cmocka_unit_test(writes_behind_a_block_are_found),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
