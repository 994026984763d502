/* MJCF files (MuJoCo's format, as of 3.x) -> model. */
#pragma once

#include "io/files.h"
#include "io/report.h"

/* A file that has been read. */
typedef struct tacMjcfFile {
    const char *path;
    const unsigned char *bytes;
    size_t size;
} tacMjcfFile;

/* Loads a main file and all it includes. Errors read "file:line: element <...>: what, expected what". */
tacStatus tac_mjcf_load(tacFiles *files, const tacMjcfFile *file, const tacLoadOptions *options, tacReport *report,
                        tacModel **model, tacError *err);
