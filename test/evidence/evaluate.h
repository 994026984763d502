/* Every quantity of the public interface, evaluated once: for counting allocations and comparing bits. */
#pragma once

#include "scene.h"

typedef struct Results {
    tacVec3 *xpos, *com;
    tacQuat *xquat;
    tacVec6 *velocity;
    double *jacobian, *M, *force, *solved, *actuator, *moment, *tendon;
    tacEnergy energy;
    tacVec6 momentum;
} Results;

Results results_make(const tacModel *m);
void results_free(Results *r);
/* Evaluates everything at s->x, s->u; -> hash of all results. Allocates nothing itself. */
uint64_t evaluate_all(Scene *s, Results *r);
