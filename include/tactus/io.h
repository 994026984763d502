/* Reading robots from files (library tactus_io). */
#pragma once

#include "tactus/tactus.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { TAC_BASE_AUTO, TAC_BASE_FIXED, TAC_BASE_FLOATING } tacBase;

/* Plain struct from tac_default_load_options. */
typedef struct tacLoadOptions {
    int lenient;              /* 1: what is unsupported and would change the motion is a warning, not an error */
    tacBase base;             /* URDF: root link welded to the world (AUTO, FIXED) or on a free joint */
    int actuate_joints;       /* URDF: a motor on every movable joint */
    int allow_outside;        /* 1: files may be opened outside the model's folder */
    const char *package_dirs; /* URDF package:// roots, ':'-separated; NULL: folders above the file */
    size_t max_bytes;         /* of any one file; default 1 GiB */
} tacLoadOptions;

/* Strict, base as the file says, no motors, nothing outside the model's folder. */
TAC_API tacLoadOptions tac_default_load_options(void);

/* What was ignored and what was warned about while loading; opaque. Lines read "file:line: text". */
typedef struct tacReport tacReport;
TAC_API int tac_report_ignored_count(const tacReport *report);
TAC_API const char *tac_report_ignored(const tacReport *report, int i);
TAC_API int tac_report_warning_count(const tacReport *report);
TAC_API const char *tac_report_warning(const tacReport *report, int i);
TAC_API void tac_report_free(tacReport *report);

/* File (.xml MJCF, .urdf, .tac packed; decided by content) -> model. Errors name file, line, element and what was
 * expected. */
TAC_API tacStatus tac_load(const char *path, tacModel **model, tacError *err);
/* The same with options and a report (either may be NULL). */
TAC_API tacStatus tac_load_with(const char *path, const tacLoadOptions *options, tacModel **model, tacReport **report,
                                tacError *err);
/* Model -> packed file; written under a temporary name first, then renamed. */
TAC_API tacStatus tac_save(const tacModel *model, const char *path, tacError *err);

#ifdef __cplusplus
}
#endif
