/* Options of verbs that read a task file, and the task with them. */
#pragma once

#include "cli/options.h"

#include "tactus/task.h"

enum { CLI_TASK_CHANGE = 96, CLI_TASK_CHANGES = TAC_ARG_LIST_MAX + 4 };

typedef struct tacTaskArgs {
    tacArgList set;
    const char *method;
    long starts, threads; /* -1: not given */
    tacArgSeed seed;
} tacTaskArgs;

extern const tacArg CLI_TASK_OPTIONS[];
/* Nothing given. */
tacTaskArgs cli_task_args(void);
/* File -> task with what the options change. CLI_GO_ON, or CLI_CANNOT after a message. */
int cli_task_load(const char *verb, const char *path, const tacTaskArgs *args, tacTask **task);
/* Warnings of the model's file, to standard error. */
void cli_task_print_warnings(const char *verb, const tacTask *task);
