/* What a task consists of. */
#pragma once

#include "io/task/keys.h"

#include "tactus/task.h"

/* Numbers that a task keeps for its first guess. */
enum { TAC_GUESS_CONTROLS, TAC_GUESS_STATES, TAC_GUESS_NOISE, TAC_GUESS_BLOCKS };

struct tacTask {
    tacTree *tree;
    const tacNode *root;
    char *folder;     /* that names in the file start from */
    char *model_path; /* as found from there */
    char *text;       /* tac_task_text */
    tacModel *model;
    tacReport *report;
    tacOptions step;
    double *start; /* nx */
    int *unknown;  /* of each key of `unknown`: its registered parameter */
    tacPlanGuess first_guess;
    double *guess[TAC_GUESS_BLOCKS];
    unsigned char *hold; /* nv: coordinates that a pose leaves alone; NULL: none */
    uint64_t hash;
};

/* "KEY=VALUE" -> the tree. */
tacStatus tac_task_change(tacTree *tree, const char *change, tacError *err);
/* Tree -> YAML, to be freed. model: stands in the place of the model's file. without: a key of `solver` that is left
 * out; NULL: none. NULL: no memory. */
char *tac_task_emit(const tacTask *task, const char *model, const char *without);
/* The start state that a `start` map describes (NULL: the default) -> x[nx]. */
tacStatus tac_task_read_start(const tacModel *model, const tacNode *start, double *x, tacError *err);
/* Name of a keyframe -> its number. */
tacStatus tac_task_find_key_frame(const tacModel *model, const tacNode *node, int *key, tacError *err);
/* A number or list -> out[n]: one number stands for all where `spread`. */
tacStatus tac_node_numbers(const tacNode *node, int n, int spread, double *out, tacError *err);
