/* Starts that break the model's constraints: a warning, and --project, which moves them to the nearest that does
 * not. */
#pragma once

#include "measure/json_text.h"

/* x in place; options->inputs says what u has. Says on standard error what was off. CLI_GO_ON, or CLI_CANNOT after a
 * message where no such state was found. */
int cli_project_start(const char *verb, const tacModel *model, const tacOptions *options, double *x, const double *u);
/* Says on standard error what the start of a step breaks. */
void cli_warn_start(const char *verb, const tacModel *m, const tacViolation *v);
/* The keys start, infeasible_start, start_breaks and start_violation: what the start of a step breaks most, by name. */
void cli_start_json(tacJson *json, json_t *object, const tacModel *m, tacStatus start, const tacViolation *v);
