/* A library to preload: the allocation that FAIL_ALLOCATION counts to (from 1) finds no memory, and no other. What the
 * libraries' constructors allocate before this one's does not count. With COUNT_ALLOCATIONS, a file, it writes there
 * how many there were. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* glibc's own functions, under the names that cannot be replaced. */
void *__libc_malloc(size_t size);                     /* NOLINT(bugprone-reserved-identifier) */
void *__libc_calloc(size_t count, size_t size);       /* NOLINT(bugprone-reserved-identifier) */
void *__libc_realloc(void *memory, size_t size);      /* NOLINT(bugprone-reserved-identifier) */
void *__libc_memalign(size_t alignment, size_t size); /* NOLINT(bugprone-reserved-identifier) */

static atomic_long counted, failing;
static atomic_int started;

static int fails(void) {
    if (!atomic_load(&started)) return 0;
    long number = atomic_fetch_add(&counted, 1) + 1;
    if (number != atomic_load(&failing)) return 0;
    errno = ENOMEM;
    return 1;
}

#define EXPORT __attribute__((visibility("default")))

EXPORT void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }

EXPORT void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }

EXPORT void *realloc(void *memory, size_t size) { return fails() ? NULL : __libc_realloc(memory, size); }

EXPORT void *aligned_alloc(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }

EXPORT int posix_memalign(void **memory, size_t alignment, size_t size) {
    *memory = fails() ? NULL : __libc_memalign(alignment, size);
    return *memory != NULL ? 0 : ENOMEM;
}

__attribute__((constructor)) static void start(void) {
    const char *number = getenv("FAIL_ALLOCATION");
    atomic_store(&failing, number != NULL ? atol(number) : 0);
    atomic_store(&started, 1);
}

__attribute__((destructor)) static void finish(void) {
    const char *path = getenv("COUNT_ALLOCATIONS");
    int file = path != NULL ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (file < 0) return;
    dprintf(file, "%ld\n", atomic_load(&counted));
    close(file);
}
