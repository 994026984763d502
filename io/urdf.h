/* URDF -> model. */
#pragma once

#include "io/files.h"
#include "io/xml.h"

/* The <robot> element of the file at `path` -> model. report may be NULL. Errors name file, line and element. */
tacStatus tac_urdf_load(const char *path, xmlNode *robot, const tacFiles *files, const tacLoadOptions *options,
                        tacReport *report, tacModel **model, tacError *err);
