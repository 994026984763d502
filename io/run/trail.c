#include "io/run/trail.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of all paths together, at most: long motions keep fewer. */
#define MOST_NUMBERS ((size_t)1 << 20)

static int most_paths(size_t size) {
    size_t n = size > 0 ? MOST_NUMBERS / size : TAC_TRAIL_MOST;
    return n > TAC_TRAIL_MOST ? TAC_TRAIL_MOST : n < 2 ? 2 : (int)n;
}

/* Every other path goes. */
static void thin(tacTrail *trail) {
    int kept = 0;
    trail->stride *= 2;
    for (int i = 0; i < trail->n; i++) {
        if (trail->iteration[i] % trail->stride != 0) {
            free(trail->path[i]);
            continue;
        }
        trail->iteration[kept] = trail->iteration[i];
        trail->path[kept++] = trail->path[i];
    }
    trail->n = kept;
}

int tac_trail_add(tacTrail *trail, int iteration, const double *x, size_t nx, const double *u, size_t nu) {
    size_t size = nx + nu;
    if (trail->stride == 0) *trail = (tacTrail){.stride = 1, .size = size};
    if (trail->n >= most_paths(size)) thin(trail);
    if (iteration % trail->stride != 0) return 1;
    double *copy = malloc((size + 1) * sizeof *copy);
    if (copy == NULL) return 0;
    memcpy(copy, x, nx * sizeof *copy);
    if (nu > 0) memcpy(copy + nx, u, nu * sizeof *copy);
    trail->iteration[trail->n] = iteration;
    trail->path[trail->n++] = copy;
    return 1;
}

void tac_trail_free(tacTrail *trail) {
    for (int i = 0; i < trail->n; i++)
        free(trail->path[i]);
    *trail = (tacTrail){0};
}

void tac_trail_write(const tacTrail *trail, tacBytes *out) {
    tac_bytes_word(out, (uint64_t)trail->n);
    tac_bytes_word(out, (uint64_t)trail->stride);
    tac_bytes_word(out, trail->size);
    for (int i = 0; i < trail->n; i++) {
        tac_bytes_word(out, (uint64_t)trail->iteration[i]);
        for (size_t k = 0; k < trail->size; k++)
            tac_bytes_real(out, trail->path[i][k]);
    }
}

int tac_trail_read(tacTrail *trail, tacByteReader *in) {
    uint64_t n = tac_bytes_read_word(in), stride = tac_bytes_read_word(in), size = tac_bytes_read_word(in);
    *trail = (tacTrail){.stride = (int)stride, .size = (size_t)size};
    if (in->failed || n > TAC_TRAIL_MOST || (n > 0 && size > in->left / 8 / n)) return 0;
    for (uint64_t i = 0; i < n; i++) {
        double *path = malloc(((size_t)size + 1) * sizeof *path);
        if (path == NULL) return 0;
        trail->iteration[i] = (int)tac_bytes_read_word(in);
        trail->path[i] = path;
        trail->n++;
        for (uint64_t k = 0; k < size; k++)
            path[k] = tac_bytes_read_real(in);
    }
    return !in->failed;
}
