#include "measure/memory.h"

static int was_short;

void measure_memory_ran_out(void) { was_short = 1; }

int measure_memory_was_short(void) { return was_short; }
