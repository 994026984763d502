#include "math/tree_strips.h"

#include "math/strip_passes.h"

void tac_tree_strips_narrow(const tacTree *tree, const double *L, tacStrips job) { solve_strips(tree, L, job); }
