/* Writing files. */
#pragma once

#include "tactus/status.h"

#include <stddef.h>

/* Bytes appear under `path` whole or not at all. */
tacStatus tac_write_file(const char *path, const unsigned char *bytes, size_t size, tacError *err);
