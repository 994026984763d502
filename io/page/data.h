/* What a page carries, as JSON. */
#pragma once

#include "io/page/json.h"

#include "tactus/io.h"

/* "model": sizes, bodies, joints, actuators, geoms, meshes. */
void tac_page_model(tacText *out, const tacModel *model);
/* "motion" or a member of an array (key NULL): times, poses, coordinates, energies, contacts of nframe states. The
 * model may be another than the page's, of the same shape. */
tacStatus tac_page_motion(tacText *out, const char *key, const tacPage *page, const tacModel *model, const double *x,
                          tacError *err);
/* "run": what ran, and how it ended; "options": those that its contact model reads. */
tacStatus tac_page_run(tacText *out, const tacPage *page, tacError *err);
/* What a plan of a page lacks. */
tacStatus tac_page_check_plan(const tacPage *page, tacError *err);
/* "plan": motions of iterations, history, terms, targets, bounds. */
tacStatus tac_page_plan(tacText *out, const tacPage *page, tacError *err);
/* "gradient": the parameter, its derivative and the motions along it. */
tacStatus tac_page_gradient(tacText *out, const tacPage *page, tacError *err);
