#include "math/tree_strips.h"

#define STRIP_WIDE
#include "math/strip_passes.h"

STRIP_TARGET void tac_tree_strips_wide(const tacTree *tree, const double *L, tacStrips job) {
    solve_strips(tree, L, job);
}
