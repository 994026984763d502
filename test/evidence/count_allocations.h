/* Counts every allocation of a program that is linked with --wrap for malloc, calloc, realloc and aligned_alloc. */
#pragma once

/* Allocations so far. */
long counted_allocations(void);
