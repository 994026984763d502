/* Places that a run keeps.
 *
 *   checkpoint-000012:  magic, version, kind, hash of task and model, number, size, checksum of all else; the bytes
 *
 * Numbers are little endian. */
#include "io/run/folder.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    VERSION = 1,
    KEPT = 2,
    NAME = 64,
    HEADER = 56,
    AT_VERSION = 8,
    AT_KIND = 16,
    AT_HASH = 24,
    AT_NUMBER = 32,
    AT_SIZE = 40,
    AT_CHECKSUM = 48
};
static const char MAGIC[8] = {'T', 'A', 'C', 'P', 'L', 'A', 'C', 'E'};
#define MOST_BYTES ((size_t)1 << 34)

static void put_word(unsigned char *at, uint64_t word) {
    for (int i = 0; i < 8; i++)
        at[i] = (unsigned char)(word >> 8 * i);
}

static uint64_t get_word(const unsigned char *at) {
    uint64_t word = 0;
    for (int i = 0; i < 8; i++)
        word |= (uint64_t)at[i] << 8 * i;
    return word;
}

/* Of the header without the checksum, and of the bytes. */
static uint64_t checksum(const unsigned char *file, size_t size) {
    return tac_hash(file + HEADER, size - HEADER, tac_hash(file, AT_CHECKSUM, 0));
}

static const char *name_of(uint64_t number, char name[NAME]) {
    snprintf(name, NAME, "checkpoint-%06llu", (unsigned long long)number);
    return name;
}

/* --- Which there are ---------------------------------------------------------------------------------------------- */

/* "checkpoint-000012" -> 12; 0: it is none. */
static uint64_t number_of(const char *name) {
    unsigned long long number;
    char back[NAME];
    if (sscanf(name, "checkpoint-%18llu", &number) != 1 || strcmp(name_of(number, back), name) != 0) return 0;
    return number;
}

/* The largest number below `below`, 0: none. */
static uint64_t find_before(const tacRunFolder *run, uint64_t below) {
    uint64_t best = 0;
    DIR *folder = opendir(run->path);
    if (folder == NULL) return 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        uint64_t number = number_of(entry->d_name);
        if (number > best && number < below) best = number;
    }
    closedir(folder);
    return best;
}

static void remove_older(const tacRunFolder *run) {
    char name[NAME], path[TAC_PATH];
    if (run->number <= KEPT) return;
    uint64_t number = find_before(run, run->number - KEPT + 1);
    for (; number > 0; number = find_before(run, number))
        unlink(tac_run_path(run, name_of(number, name), path, sizeof path));
}

/* --- Keeping ------------------------------------------------------------------------------------------------------ */

tacStatus tac_run_checkpoint(tacRunFolder *run, const void *bytes, size_t size, tacError *err) {
    char name[NAME];
    if (run == NULL || (bytes == NULL && size > 0))
        return tac_fail(err, TAC_ERR_ARGUMENT, "a run and bytes are needed");
    unsigned char *file = calloc(HEADER + size, 1);
    if (file == NULL) return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory for a checkpoint", run->path);
    if (run->number == 0) run->number = find_before(run, UINT64_MAX);
    memcpy(file, MAGIC, sizeof MAGIC);
    put_word(file + AT_VERSION, VERSION);
    memcpy(file + AT_KIND, run->kind, TAC_RUN_KIND);
    put_word(file + AT_HASH, run->hash);
    put_word(file + AT_NUMBER, run->number + 1);
    put_word(file + AT_SIZE, size);
    if (size > 0) memcpy(file + HEADER, bytes, size);
    put_word(file + AT_CHECKSUM, checksum(file, HEADER + size));
    tacStatus status = tac_run_write(run, name_of(run->number + 1, name), file, HEADER + size, err);
    free(file);
    if (status != TAC_OK) return status;
    run->number++;
    remove_older(run);
    return TAC_OK;
}

/* --- Taking ------------------------------------------------------------------------------------------------------- */

static tacStatus check(const tacRunFolder *run, uint64_t number, const char *path, const unsigned char *file,
                       size_t size, tacError *err) {
    if (size < HEADER || memcmp(file, MAGIC, sizeof MAGIC) != 0)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s: is no checkpoint, or cut short", path);
    uint64_t version = get_word(file + AT_VERSION);
    int whole = get_word(file + AT_SIZE) == size - HEADER && get_word(file + AT_CHECKSUM) == checksum(file, size);
    if (!whole) return tac_fail(err, TAC_ERR_CHECKSUM, "%s: the checkpoint is damaged or cut short", path);
    if (version != VERSION)
        return tac_fail(err, TAC_ERR_VERSION, "%s: the checkpoint has version %llu, expected %d", path,
                        (unsigned long long)version, VERSION);
    if (memcmp(file + AT_KIND, run->kind, TAC_RUN_KIND) != 0)
        return tac_fail(err, TAC_ERR_MODEL, "%s: the checkpoint is of another kind of run, expected \"%s\"", path,
                        run->kind);
    if (get_word(file + AT_HASH) != run->hash)
        return tac_fail(err, TAC_ERR_MODEL, "%s: the checkpoint is of another task or model", path);
    if (get_word(file + AT_NUMBER) == number) return TAC_OK;
    return tac_fail(err, TAC_ERR_CHECKSUM, "%s: holds checkpoint %llu, expected the one of its name", path,
                    (unsigned long long)get_word(file + AT_NUMBER));
}

static tacStatus read_one(const tacRunFolder *run, uint64_t number, unsigned char **file, size_t *size, tacError *err) {
    char name[NAME], path[TAC_PATH];
    tacFiles files;
    tacLoadOptions options = tac_default_load_options();
    options.max_bytes = MOST_BYTES;
    tac_run_path(run, name_of(number, name), path, sizeof path);
    TAC_TRY(tac_files_init(&files, path, &options, err));
    TAC_TRY(tac_files_read(&files, path, file, size, err));
    tacStatus status = check(run, number, path, *file, *size, err);
    if (status != TAC_OK) free(*file);
    return status;
}

tacStatus tac_run_restore(tacRunFolder *run, void **bytes, size_t *size, tacError *refused, tacError *err) {
    if (run == NULL || bytes == NULL || size == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "a run and a place for its bytes are needed");
    tacError why = {0}, first = {0};
    unsigned char *file;
    *bytes = NULL;
    *size = 0;
    uint64_t number = find_before(run, UINT64_MAX);
    run->number = number; /* new ones come after what is there */
    for (; number > 0 && *bytes == NULL; number = find_before(run, number)) {
        tacStatus status = read_one(run, number, &file, size, &why);
        if (status == TAC_ERR_MEMORY) return tac_fail(err, status, "%s", why.text);
        if (status != TAC_OK && first.text[0] == '\0') first = why;
        if (status != TAC_OK) continue;
        *size -= HEADER;
        memmove(file, file + HEADER, *size);
        *bytes = file;
    }
    if (refused != NULL) *refused = first;
    return TAC_OK;
}
