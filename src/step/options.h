/* Options: from what a caller asks for to what runs. */
#pragma once

#include "step/sim.h"

/* The stepper of a contact model and an integrator; NULL: the contact model lacks that integrator. */
const tacStepper *tac_find_stepper(const tacOptions *options);
/* The contact models that have what is asked for, by their words: "lcp, soft". */
typedef int tacStepperTest(const tacStepper *stepper);
enum { TAC_CONTACT_WORDS = 64 };
const char *tac_contacts_with(tacStepperTest *has, char text[TAC_CONTACT_WORDS]);
/* Checks the options a caller asks for. The model's own integrator becomes Euler's where the contact model lacks it. */
tacStatus tac_resolve_options(const tacModel *model, const tacOptions *asked, tacOptions *in_use, tacError *err);
/* TAC_OK: the value is in the range of the option. */
tacStatus tac_check_option(const char *name, double value, tacError *err);
