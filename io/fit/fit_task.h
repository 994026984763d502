/* The section `fit` of a task as a fit: columns, parameters, recordings. */
#pragma once

#include "io/files.h"
#include "io/task/quantity.h"
#include "io/task/task.h"

#include "tactus/recording.h"

enum { TAC_FIT_PATH = 256 };

/* An unknown number, and the path or pattern as the task has it. */
typedef struct tacFitUnknown {
    char path[TAC_FIT_PATH];
    tacFitParam param;
    double start; /* of the model or of the task */
} tacFitUnknown;

/* Files that are read together. */
typedef struct tacFitFiles {
    tacRecording **recording;
    int n;
} tacFitFiles;

typedef struct tacFitTask {
    const tacTask *task;
    const tacNode *node; /* the map `fit` */
    tacModel *model;     /* of its own, with registered parameters */
    tacFitOptions options;
    double *deviation, *output_deviation; /* ndx; nz */
    tacOutput *output;
    int noutput, nz;
    tacColumn *column;
    tacRecordingOptions reading;
    tacFitUnknown *unknown;
    int n; /* of them */
} tacFitTask;

/* Task -> columns, parameters and options. It is freed after an error too. */
tacStatus tac_fit_task_read(tacFitTask *fit, const tacTask *task, tacError *err);
void tac_fit_task_free(tacFitTask *fit);
/* The files of `train` or `validate`. A pattern takes its files in the order of their names. */
tacStatus tac_fit_task_load(const tacFitTask *fit, const char *key, tacFitFiles *files, tacError *err);
/* Files or patterns from the present folder. */
tacStatus tac_fit_task_load_paths(const tacFitTask *fit, const char *const *paths, int n, tacFitFiles *files,
                                  tacError *err);
void tac_fit_files_free(tacFitFiles *files);
/* Recordings -> the fit of them. */
tacStatus tac_fit_task_build(const tacFitTask *fit, const tacFitFiles *files, tacFit **out, tacError *err);
