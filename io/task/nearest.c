#include "io/task/nearest.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 127 };

/* Edits of one letter (insert, delete, replace, exchange of neighbours) between two words. */
static int edit_distance(const char *a, const char *b) {
    int row[3][LONGEST + 1], *before = row[0], *last = row[1], *now = row[2];
    int na = (int)strlen(a), nb = (int)strlen(b);
    if (na > LONGEST || nb > LONGEST) return LONGEST;
    for (int j = 0; j <= nb; j++)
        last[j] = before[j] = j;
    for (int i = 1; i <= na; i++) {
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best) best = last[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        int *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[nb];
}

tacNearest tac_nearest_begin(const char *word) {
    /* Up to a third of its letters may be wrong, and two of a short word. */
    int most = (int)strlen(word) / 3;
    return (tacNearest){.word = word, .distance = (most > 2 ? most : 2) + 1};
}

void tac_nearest_try(tacNearest *nearest, const char *name) {
    int distance = edit_distance(nearest->word, name);
    if (distance >= nearest->distance || distance >= (int)strlen(name)) return;
    nearest->distance = distance;
    snprintf(nearest->best, sizeof nearest->best, "%s", name);
}

const char *tac_nearest_text(const tacNearest *nearest, char *out, size_t size) {
    if (nearest->best[0] != '\0')
        snprintf(out, size, "; the nearest known one is \"%s\"", nearest->best);
    else
        snprintf(out, size, "%s", "");
    return out;
}
