/* MJCF files (MuJoCo's format, as of 3.x) -> model. */
#pragma once

#include "io/files.h"
#include "io/report.h"

/* Loads the main file at `path` and all it includes. Errors read "file:line: element <...>: what, expected what". */
tacStatus tac_mjcf_load(tacFiles *files, const char *path, const tacLoadOptions *options, tacReport *report,
                        tacModel **model, tacError *err);
