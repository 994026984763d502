/* The known name that is nearest to a misspelt one. */
#pragma once

#include <stddef.h>

typedef struct tacNearest {
    const char *word; /* that is looked for */
    char best[128];   /* "": nothing is near enough */
    int distance;     /* in edits of one letter */
} tacNearest;

tacNearest tac_nearest_begin(const char *word);
void tac_nearest_try(tacNearest *nearest, const char *name);
/* "; the nearest known one is "cost"", or "". Returns out. */
const char *tac_nearest_text(const tacNearest *nearest, char *out, size_t size);
