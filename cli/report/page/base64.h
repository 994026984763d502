/* Bytes as text, RFC 4648. */
#pragma once

#include <stddef.h>

/* n bytes -> their base64 text, malloc'ed, zero-terminated; a null pointer when memory is short. */
char *cli_base64(const void *bytes, size_t n);
/* n doubles -> base64 of n little-endian 32-bit floats; likewise. */
char *cli_base64_floats(size_t n, const double *values);
/* n ints -> base64 of n little-endian 32-bit integers; likewise. */
char *cli_base64_ints(size_t n, const int *values);
