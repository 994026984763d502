/* No constraint of any kind: the integrators of src/smooth as they are. */
#include "smooth/smooth_step.h"

const tacStepper *const TAC_STEPPERS_NONE[] = {&TAC_STEPPER_EULER, &TAC_STEPPER_RK4, &TAC_STEPPER_IMPLICIT,
                                               &TAC_STEPPER_ADAPTIVE, NULL};
