/* Recordings: what was measured on a real system, from CSV files (library tactus_io).
 *
 *   tac_recording_load(model, &step, "toss_001.csv", &options, &recording, &err);
 *   tacFitRecording frames = tac_recording_frames(recording);
 *   ... tac_fit_add_recording(fit, &frames, &id, &err);
 *   tac_recording_free(recording);
 *
 * The first line names the columns. Each other line is a frame. Times are even, a whole number of steps of the model
 * apart. An empty cell was not measured. Lines that begin with # are comments. */
#pragma once

#include "tactus/fit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a column measures. */
typedef enum {
    TAC_COLUMN_STATE,   /* an entry of x */
    TAC_COLUMN_CONTROL, /* an entry of u, from its frame to the next one */
    TAC_COLUMN_OUTPUT   /* an entry of z */
} tacColumnKind;

/* One column of a file, and the entry that it measures. */
typedef struct tacColumn {
    const char *name; /* as in the first line of the file */
    tacColumnKind kind;
    int entry;    /* of x, u or z, from 0 */
    double scale; /* the file's number times it is in the unit of the model */
} tacColumn;

/* How a file is read. Plain struct from tac_default_recording_options. */
typedef struct tacRecordingOptions {
    uint32_t cookie;          /* set by tac_default_recording_options */
    const char *time;         /* column of times in s; default "t" */
    const tacColumn *columns; /* ncolumn */
    int ncolumn;
    int noutput; /* numbers of z; default 0 */
} tacRecordingOptions;
/* The defaults of each field, and the cookie. */
TAC_API tacRecordingOptions tac_default_recording_options(void);

/* A recording that was read; opaque. */
typedef struct tacRecording tacRecording;
/* File -> recording. Entries of the state without a column stay at tac_default_state; if no velocity has a column,
 * velocities are differences of positions, of the step that ends at their frame, and the first frame is left out.
 * Errors name file, line and column. */
TAC_API tacStatus tac_recording_load(const tacModel *model, const tacOptions *step, const char *path,
                                     const tacRecordingOptions *options, tacRecording **recording, tacError *err);
TAC_API void tac_recording_free(tacRecording *recording); /* NULL is fine */
/* Its frames; the arrays belong to the recording. */
TAC_API tacFitRecording tac_recording_frames(const tacRecording *recording);
/* Hash of its numbers: two files with the same numbers have the same hash. */
TAC_API uint64_t tac_recording_hash(const tacRecording *recording);

#ifdef __cplusplus
}
#endif
