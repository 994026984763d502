#include "cli/input/problem_file.h"

#include "cli/cli.h"
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Contacts beyond which the dense matrix would not fit: 3000 take 650 MB. */
enum { MAX_CONTACTS = 3000, WORD = 64, SHOWN = 24 };

/* A file read word by word. */
typedef struct Words {
    const char *verb, *path;
    FILE *stream;
    int line;      /* of the word last read */
    int next_line; /* of the character that comes next */
    int failed;    /* a message was printed: all further reads are empty */
    char word[WORD];
} Words;

/* -> 0 at the end of the file. A word that is too long is cut: it is no number either way. */
static int next_word(Words *in) {
    int c, n = 0;
    while ((c = fgetc(in->stream)) != EOF && isspace(c))
        in->next_line += c == '\n';
    in->line = in->next_line;
    for (; c != EOF && !isspace(c); c = fgetc(in->stream))
        if (n + 1 < WORD) in->word[n++] = (char)(isprint(c) ? c : '?');
    in->next_line += c == '\n';
    in->word[n] = '\0';
    return n > 0;
}

static const char *path_of(const Words *in) { return strcmp(in->path, "-") == 0 ? "standard input" : in->path; }

static void fail(Words *in, const char *expected) {
    if (in->failed) return;
    in->failed = 1;
    const char *path = path_of(in);
    if (ferror(in->stream)) {
        cli_fail(in->verb, "%s: %s", path, strerror(errno));
        return;
    }
    if (in->word[0] == '\0')
        cli_fail(in->verb, "%s:%d: the file ends, expected %s", path, in->line, expected);
    else
        cli_fail(in->verb, "%s:%d: \"%.*s\", expected %s", path, in->line, SHOWN, in->word, expected);
}

static double read_number(Words *in, const char *expected) {
    double x = 0;
    if (in->failed) return 0;
    if (!next_word(in) || !cli_number(in->word, &x)) fail(in, expected);
    return in->failed ? 0 : x;
}

/* A whole number from least to most. */
static int read_count(Words *in, int least, int most, const char *what) {
    char expected[2 * WORD];
    snprintf(expected, sizeof expected, "%s: a whole number from %d to %d", what, least, most);
    double x = read_number(in, expected);
    if (in->failed) return least;
    if (x != floor(x) || x < least || x > most) fail(in, expected);
    return in->failed ? least : (int)x;
}

static void read_exactly(Words *in, int value, const char *what) { read_count(in, value, value, what); }

/* --- W ------------------------------------------------------------------------------------------------------------ */

/* The number of W in row i and column j. */
static double read_entry(Words *in, int i, int j, const char *expected) {
    char above[2 * WORD];
    double x = read_number(in, expected);
    if (in->failed || i != j || x > 0) return x;
    snprintf(above, sizeof above, "a number above 0: the diagonal of W, row %d, contact %d", i, i / 3);
    fail(in, above);
    return 0;
}

/* n x n numbers, column by column. */
static void read_dense(Words *in, int n, double *W) {
    read_exactly(in, n, "rows of W");
    read_exactly(in, n, "columns of W");
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n && !in->failed; i++)
            W[(size_t)i * (size_t)n + (size_t)j] = read_entry(in, i, j, "a number of W");
}

/* Block k of row i, column j: nine numbers, column by column. */
static void read_block(Words *in, int k, int i, int j, int n, double *W) {
    read_exactly(in, k, "number of a block");
    for (int e = 0; e < 9; e++) {
        int row = 3 * i + e % 3, at = 3 * j + e / 3;
        W[(size_t)row * (size_t)n + (size_t)at] = read_entry(in, row, at, "a number of a block of W");
    }
}

/* start (nc + 1), column (nblock). */
static void read_places(Words *in, int nc, int nblock, int *start, int *column) {
    for (int side = 0; side < 2; side++)
        for (int i = 1; i <= nc; i++)
            read_exactly(in, 3 * i, side == 0 ? "end of a row of blocks" : "end of a column of blocks");
    /* the row starts have one more than there are rows; trailing entries repeat the number of blocks */
    int nstart = read_count(in, nc + 1, nc + 1 + nblock, "row starts");
    read_exactly(in, nblock, "column indices");
    for (int i = 0; i < nstart; i++) {
        int least = i == 0 ? 0 : i <= nc ? start[i - 1] : nblock;
        int at = read_count(in, least, i == 0 ? 0 : nblock, "row start");
        if (i <= nc) start[i] = at;
    }
    for (int k = 0; k < nblock; k++)
        column[k] = read_count(in, 0, nc - 1, "column of a block");
    if (!in->failed && start[nc] != nblock) fail(in, "row starts that end at the number of blocks");
}

static void read_blocks(Words *in, int nc, double *W) {
    int nblock = read_count(in, 0, nc * nc, "blocks");
    read_exactly(in, nc, "rows of blocks");
    read_exactly(in, nc, "columns of blocks");
    if (in->failed) return;
    int *place = malloc(((size_t)nc + 1 + (size_t)nblock) * sizeof *place), *column = place + nc + 1;
    if (place == NULL) {
        in->failed = 1;
        cli_fail(in->verb, "out of memory");
        return;
    }
    read_places(in, nc, nblock, place, column);
    for (int i = 0; i < nc; i++)
        for (int k = place[i]; k < place[i + 1] && !in->failed; k++)
            read_block(in, k, i, column[k], 3 * nc, W);
    for (int i = 0; i < nc && !in->failed; i++) {
        if (W[(size_t)(3 * i) * (size_t)(3 * nc + 1)] > 0) continue;
        in->failed = 1;
        cli_fail(in->verb, "%s: contact %d has no block on the diagonal of W, expected one", path_of(in), i);
    }
    free(place);
}

/* --- The file ----------------------------------------------------------------------------------------------------- */

static void read_problem(Words *in, tacProblemFile *file) {
    read_exactly(in, 3, "dimension");
    int nc = read_count(in, 1, MAX_CONTACTS, "contacts"), n = 3 * nc, storage = read_count(in, 0, 1, "storage");
    read_exactly(in, n, "rows of W");
    read_exactly(in, n, "columns of W");
    if (in->failed) return;
    size_t size = (size_t)n * (size_t)n;
    file->numbers = calloc(size + (size_t)n + (size_t)nc, sizeof *file->numbers);
    if (file->numbers == NULL) {
        in->failed = 1;
        cli_fail(in->verb, "out of memory for %d contacts", nc);
        return;
    }
    double *q = file->numbers + size, *mu = q + n;
    if (storage == 0)
        read_dense(in, n, file->numbers);
    else
        read_blocks(in, nc, file->numbers);
    for (int i = 0; i < n; i++)
        q[i] = read_number(in, "a number of q");
    for (int c = 0; c < nc; c++) {
        mu[c] = read_number(in, "a friction coefficient");
        if (!in->failed && mu[c] < 0) fail(in, "a friction coefficient that is not negative");
    }
    file->problem = (tacProblem){nc, file->numbers, q, mu};
    /* many files end with 0 or 1, which is about a guess that is not there */
    if (!in->failed && next_word(in) && (strlen(in->word) != 1 || strchr("01", in->word[0]) == NULL || next_word(in)))
        fail(in, "the end of the file");
}

int cli_problem_read(const char *verb, const char *path, tacProblemFile *file) {
    Words in = {.verb = verb, .path = path, .line = 1, .next_line = 1};
    *file = (tacProblemFile){.numbers = NULL};
    in.stream = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (in.stream == NULL) return cli_fail(verb, "%s: %s", path, strerror(errno));
    read_problem(&in, file);
    if (ferror(in.stream)) fail(&in, "");
    if (in.stream != stdin) fclose(in.stream);
    if (!in.failed) return CLI_GO_ON;
    cli_problem_close(file);
    return CLI_CANNOT;
}

void cli_problem_close(tacProblemFile *file) {
    free(file->numbers);
    file->numbers = NULL;
}
