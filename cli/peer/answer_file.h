/* Answers of an engine that runs elsewhere (tools/checks/mujoco_answers.mjs), and the states it is asked about. */
#pragma once

#include "cli/peer/answer.h"
#include "measure/json_text.h"

typedef struct tacAnswerFile {
    json_t *root;
    char version[32], integrator[16];
    int n;
} tacAnswerFile;

/* {"cone": "elliptic", "dt": h, "integrator": "euler", "states": [{"qpos": [], "qvel": [], "act": [], "ctrl": []}]}:
 * puts one more state. */
void cli_states_put(tacJson *json, const tacModel *m, const double *x, const double *u);

/* {"version": "3.14.0", "integrator": "euler", "answers": [state with {"qacc", "qfrc", "next": [], "contacts":
 *  [{"geom", "dist", "include", "pos", "frame", "dim", "friction", "solref", "solreffriction", "solimp", "force"}]}]}.
 *  CLI_GO_ON, or CLI_CANNOT after a message. */
int cli_answers_open(const char *verb, const char *path, tacAnswerFile *file);
void cli_answers_close(tacAnswerFile *file);
/* Answer k with the state it is about. Result as above. */
int cli_answers_read(const char *verb, const tacAnswerFile *file, const tacModel *m, int k, double *x, double *u,
                     tacAnswer *out);
