/* The report of a plan. */
#include "io/run/plan_run.h"

#include "base/error.h"

#include <stdlib.h>

tacStatus tac_plan_run_page(const tacPlanRun *run, char **text, tacError *err) {
    tacPlanResult r;
    tacModel *model = NULL;
    tacOptions options;
    TAC_TRY(tac_plan_run_result(run, &r));
    TAC_TRY(tac_plan_run_model(run, &model, &options, err));
    tacPage page = tac_default_page();
    page.model = model;
    page.options = &options;
    page.nframe = r.steps + 1;
    page.x = r.X;
    page.title = tac_report_name(tac_task_report(run->task));
    page.command = run->options.command;
    page.steps = r.steps;
    page.unsolved = r.unsolved;
    tacStatus status = tac_page_text(&page, text, err);
    tac_model_free(model);
    return status;
}
