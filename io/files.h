/* The only place where io opens files: in the model's folder and the folders beside it unless told otherwise, bounded
 * in size. */
#pragma once

#include "tactus/io.h"

#include <stddef.h>

enum { TAC_PATH = 4096 }; /* bytes of a path, the closing zero included */

typedef struct tacFiles {
    char root[TAC_PATH]; /* real path of the folder that files may be opened in (the main file's) */
    int allow_outside;
    size_t max_bytes;
} tacFiles;

/* Sets root from the main file's path (links resolved), so the main file itself is always inside. */
tacStatus tac_files_init(tacFiles *files, const char *main_path, const tacLoadOptions *options, tacError *err);
/* Moves the root to a folder (links resolved). */
tacStatus tac_files_set_root(tacFiles *files, const char *folder, tacError *err);
/* Joins folder and name (an absolute name stands alone) into out[size]. Backslashes of the name, which files written on
 * Windows have, separate folders too. */
void tac_files_join(const char *folder, const char *name, char *out, size_t size);
/* The last component of a path, separated by a slash or a backslash. */
const char *tac_files_base(const char *path);
/* Folder part of a path, "." when there is none. */
void tac_files_folder(const char *path, char *out, size_t size);
/* 1: a regular file is there and may be opened. */
int tac_files_exists(const tacFiles *files, const char *path);
/* Reads a whole regular file (links resolved, root enforced, size bounded); *bytes is malloc'ed with a zero byte after
 * the end. Errors name the path and what was wrong; the caller adds where it was referenced from. */
tacStatus tac_files_read(const tacFiles *files, const char *path, unsigned char **bytes, size_t *size, tacError *err);
