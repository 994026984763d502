/* What a run of fitting consists of. */
#pragma once

#include "io/fit/fit_task.h"
#include "io/run/folder.h"

#include "tactus/fit_run.h"

/* One first guess, and what came of it. */
typedef struct tacFitStart {
    tacFitEnd end;
    double loss;
    int iterations;
    double *theta; /* nparam; NULL: none yet */
} tacFitStart;

struct tacFitRun {
    const tacTask *task;
    tacFitRunOptions options;
    tacFitTask setup;
    tacFitFiles train, validate;
    tacFit *fit, *check; /* check: of the recordings that are not used; NULL: none */
    tacFitter *fitter, *checker;
    tacFitResult result, judged; /* judged: of `check` */
    tacFitJudgement judgement;
    tacFitStart *start;
    int nstart, best;
    tacRunFolder *folder;
};
