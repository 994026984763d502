/* The MODEL operand and the options every verb that takes one shares. */
#pragma once

#include "cli/options.h"

#include "tactus/io.h"

/* Values of the shared options. */
typedef struct tacModelArgs {
    const char *path; /* the operand */
    int lenient, allow_outside, ground;
    int base;    /* index into "auto|fixed|floating" */
    int actuate; /* 1: "joints" was asked for */
    const char *package_dirs;
    tacArgList set; /* PATH=VALUE */
} tacModelArgs;

/* The rows that go with it. */
extern const tacArg CLI_MODEL_OPTIONS[];

/* The arguments of a verb whose one operand is MODEL. */
tacArgs cli_model_verb(const char *verb, const char *summary, const tacArgGroup *groups, int ngroup,
                       tacModelArgs *model);

/* A model and what its loading had to say. */
typedef struct tacModelFile {
    tacModel *model;
    tacReport *report;
} tacModelFile;

/* Loads, then sets the parameters of --set. CLI_GO_ON, or CLI_CANNOT after a message. */
int cli_model_load(const char *verb, const tacModelArgs *args, tacModelFile *file);
/* Frees what cli_model_load gave; an empty one is fine. */
void cli_model_close(tacModelFile *file);
/* Warnings of loading, one a line, to standard error. */
void cli_model_print_warnings(const char *verb, const tacModelFile *file);

/* "free", "ball", "slide", "hinge" */
const char *cli_joint_type(int type);
/* "plane", "sphere", ... */
const char *cli_geom_type(int type);
/* "joint", "tendon", ... */
const char *cli_transmission(int type);
/* Name for people: the element's own. Without one: of a joint its body's, where that has no other joint; of a geom or
 * site "#3 of torso"; else "#3". Writes to text. */
const char *cli_label(const tacModel *model, tacKind kind, int id, char *text, size_t size);
