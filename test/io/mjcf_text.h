/* MJCF written in a test -> model. */
#pragma once

#include "io/scratch.h"
#include "support/check.h"
#include "tactus/io.h"

#include <string.h>

typedef struct Loaded {
    tacStatus status;
    tacError err;
    tacModel *model;
    tacReport *report;
} Loaded;

static inline Loaded load_path(const char *path, int lenient) {
    Loaded l;
    memset(&l, 0, sizeof l);
    tacLoadOptions options = tac_default_load_options();
    options.lenient = lenient;
    l.status = tac_load_with(path, &options, &l.model, &l.report, &l.err);
    if (l.status != TAC_OK) CHECK(l.model == NULL);
    return l;
}

static inline Loaded load_text(const char *text, int lenient) {
    return load_path(scratch_text("main.xml", text), lenient);
}

static inline void unload(Loaded *l) {
    tac_model_free(l->model);
    tac_report_free(l->report);
}

/* A model that must load. */
static inline Loaded load_ok(const char *text) {
    Loaded l = load_text(text, 0);
    if (l.status != TAC_OK) print_error("%s\n", l.err.text);
    CHECK_INT(l.status, TAC_OK);
    return l;
}

/* <mujoco> around sections, and <worldbody> around bodies. */
#define MJCF(sections)  "<mujoco>" sections "</mujoco>"
#define WORLD(elements) MJCF("<worldbody>" elements "</worldbody>")

static inline void check_fails(const char *text, tacStatus status, const char *message) {
    Loaded l = load_text(text, 0);
    CHECK_HAS(l.err.text, message);
    CHECK_INT(l.status, status);
    unload(&l);
}

/* Refused as it is; leniently loaded with a warning that says the same. */
static inline Loaded load_leniently(const char *text, const char *message) {
    check_fails(text, TAC_ERR_UNSUPPORTED, message);
    Loaded l = load_text(text, 1);
    if (l.status != TAC_OK) print_error("%s\n", l.err.text);
    CHECK_INT(l.status, TAC_OK);
    int found = 0;
    for (int i = 0; i < tac_report_warning_count(l.report); i++)
        found |= strstr(tac_report_warning(l.report, i), message) != NULL;
    CHECK(found);
    return l;
}
