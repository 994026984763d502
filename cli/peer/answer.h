/* An engine's results at one state: acceleration, forces of constraints, contacts, next state; and how far two such
 * answers are apart. */
#pragma once

#include "tactus/tactus.h"

enum { TAC_ANSWER_CONTACTS = 2048, TAC_ANSWER_REASON = 256 };

/* A contact with what was mixed for it, and its force: along normal and tangents, then torques about them. */
typedef struct tacAnswerContact {
    tacContact place; /* geom, pair, dist, include, pos, normal, tangent alone */
    int dim;
    double friction[5], solref[2], solreffriction[2], solimp[5];
    double force[6]; /* on geom[1] */
} tacAnswerContact;

typedef struct tacAnswer {
    double *next; /* nx: the state after a step */
    double *qacc; /* nv: with constraints, in continuous time */
    double *qfrc; /* nv: J^T f of all constraints */
    tacAnswerContact *contact;
    int ncontact;
} tacAnswer;
/* 0: out of memory. */
int cli_answer_new(const tacModel *m, tacAnswer *out);
void cli_answer_free(tacAnswer *answer);

/* Two answers' differences; each relative to the largest entry of its kind. */
typedef struct tacAnswerError {
    double position, velocity, acceleration, force;
    double mixing; /* of contacts that both have: friction, references, solimp, include; infinite where dim differs */
    int same;      /* 1: the same contacts */
} tacAnswerError;
tacAnswerError cli_answer_compare(const tacModel *m, const tacAnswer *ours, const tacAnswer *theirs);
/* The largest of acceleration and force. */
double cli_answer_worst(const tacAnswerError *error);
/* Contacts of an answer between two geoms. */
int cli_answer_count(const tacAnswer *answer, int geom1, int geom2);
/* 1: both answers have the same contacts between them. */
int cli_answer_same_pair(const tacAnswer *ours, const tacAnswer *theirs, int geom1, int geom2);

/* --- Those who answer --------------------------------------------------------------------------------------------- */

/* Contact soft (soft_answer.c) at x under u, with the given contacts where there are some (NULL: our own); or contact
 * none, where the simulation has that. */
tacStatus cli_soft_answer(tacSim *sim, const double *x, const double *u, const tacAnswer *given, tacAnswer *out);

/* MuJoCo with tight tolerances (mujoco_answer.c); opaque. */
typedef struct tacMujocoSide tacMujocoSide;
/* A null pointer, with the reason, where MuJoCo is not installed or does not take the file. cone: tacCone. */
tacMujocoSide *cli_side_open(const char *path, const tacModel *m, const tacOptions *options,
                             char reason[TAC_ANSWER_REASON]);
void cli_side_close(tacMujocoSide *side);
const char *cli_side_version(const tacMujocoSide *side);
/* 0, with the reason: it has no room for all contacts, or gives up. */
int cli_side_answer(tacMujocoSide *side, const double *x, const double *u, tacAnswer *out,
                    char reason[TAC_ANSWER_REASON]);
