/* A CSV file of numbers with named columns. */
#include "io/fit/csv.h"

#include "io/files.h"
#include "io/numbers.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

/* A file that is read. */
typedef struct Reader {
    const char *path;
    int line;
    tacCsv *csv;
    unsigned char take[TAC_CSV_COLUMNS];
    tacError *err;
} Reader;

void tac_csv_free(tacCsv *csv) {
    free(csv->name);
    free(csv->cell);
    free(csv->line);
    *csv = (tacCsv){0};
}

int tac_csv_column(const tacCsv *csv, const char *name) {
    for (int i = 0; i < csv->ncolumn; i++)
        if (strcmp(csv->name[i], name) == 0) return i;
    return -1;
}

/* The next cell of a line, without blanks around it and quotes; the rest of the line, or NULL at its end. */
static const char *next_cell(const char *at, char cell[TAC_CSV_CELL]) {
    size_t n = strcspn(at, ",\r\n"), first = strspn(at, " \t\""), used = 0;
    for (size_t i = first; i < n && used + 1 < TAC_CSV_CELL; i++)
        cell[used++] = at[i];
    while (used > 0 && strchr(" \t\"", cell[used - 1]) != NULL)
        used--;
    cell[used] = '\0';
    return at[n] == ',' ? at + n + 1 : NULL;
}

static tacStatus read_names(Reader *r, const char *line) {
    tacCsv *csv = r->csv;
    int n = 1;
    for (const char *c = line; *c != '\0' && *c != '\n'; c++)
        n += *c == ',';
    if (n > TAC_CSV_COLUMNS)
        return tac_fail(r->err, TAC_ERR_SHAPE, "%s:%d: %d columns, more than the limit of %d", r->path, r->line, n,
                        TAC_CSV_COLUMNS);
    csv->name = calloc((size_t)n, sizeof *csv->name);
    if (csv->name == NULL) return tac_fail(r->err, TAC_ERR_MEMORY, "%s: no memory", r->path);
    for (const char *at = line; at != NULL; csv->ncolumn++) {
        char cell[TAC_CSV_CELL];
        at = next_cell(at, cell);
        if (cell[0] != '\0' && tac_csv_column(csv, cell) >= 0)
            return tac_fail(r->err, TAC_ERR_NAME, "%s:%d: two columns have the name \"%s\"", r->path, r->line, cell);
        strcpy(csv->name[csv->ncolumn], cell);
    }
    return TAC_OK;
}

static tacStatus grow(Reader *r) {
    tacCsv *csv = r->csv;
    if (csv->nrow < csv->room) return TAC_OK;
    int room = csv->room > 0 ? 2 * csv->room : FIRST_ROOM;
    double *cell = realloc(csv->cell, (size_t)room * (size_t)csv->ncolumn * sizeof *cell);
    if (cell != NULL) csv->cell = cell;
    int *line = realloc(csv->line, (size_t)room * sizeof *line);
    if (line != NULL) csv->line = line;
    if (cell == NULL || line == NULL) return tac_fail(r->err, TAC_ERR_MEMORY, "%s: no memory", r->path);
    csv->room = room;
    return TAC_OK;
}

static tacStatus read_cell(Reader *r, int column, const char *cell, double *value) {
    int n;
    *value = 0;
    if (!r->take[column]) return TAC_OK;
    *value = (double)NAN;
    if (cell[0] == '\0' || tac_numbers_read(cell, 1, 1, value, &n, NULL) == TAC_OK) return TAC_OK;
    return tac_fail(r->err, TAC_ERR_SYNTAX, "%s:%d: column \"%s\": found \"%s\", expected a finite number", r->path,
                    r->line, r->csv->name[column], cell);
}

static tacStatus read_row(Reader *r, const char *line) {
    tacCsv *csv = r->csv;
    int column = 0;
    TAC_TRY(grow(r));
    double *row = csv->cell + (size_t)csv->nrow * (size_t)csv->ncolumn;
    for (const char *at = line; at != NULL; column++) {
        char cell[TAC_CSV_CELL];
        at = next_cell(at, cell);
        if (column < csv->ncolumn) TAC_TRY(read_cell(r, column, cell, &row[column]));
    }
    if (column != csv->ncolumn)
        return tac_fail(r->err, TAC_ERR_SHAPE, "%s:%d: found %d cells, expected %d as in the first line", r->path,
                        r->line, column, csv->ncolumn);
    csv->line[csv->nrow++] = r->line;
    return TAC_OK;
}

static int is_blank(const char *line) {
    char first = line[strspn(line, " \t\r")];
    return first == '\n' || first == '\0' || first == '#';
}

static tacStatus read_lines(Reader *r, const char *text, int (*take)(const void *, const char *), const void *context) {
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        r->line++;
        if (is_blank(line)) continue;
        if (r->csv->name != NULL) {
            TAC_TRY(read_row(r, line));
            continue;
        }
        TAC_TRY(read_names(r, line));
        for (int i = 0; i < r->csv->ncolumn; i++)
            r->take[i] = (unsigned char)take(context, r->csv->name[i]);
    }
    if (r->csv->nrow > 0) return TAC_OK;
    return tac_fail(r->err, TAC_ERR_SYNTAX, "%s: the file has no row of numbers", r->path);
}

tacStatus tac_csv_read(const char *path, int (*take)(const void *context, const char *name), const void *context,
                       tacCsv *csv, tacError *err) {
    unsigned char *bytes = NULL;
    size_t size;
    tacFiles files;
    Reader reader = {.path = path, .csv = csv, .err = err};
    *csv = (tacCsv){0};
    TAC_TRY(tac_files_init(&files, path, NULL, err));
    TAC_TRY(tac_files_read(&files, path, &bytes, &size, err));
    tacStatus status = strlen((const char *)bytes) == size
                           ? read_lines(&reader, (const char *)bytes, take, context)
                           : tac_fail(err, TAC_ERR_SYNTAX, "%s: found a zero byte, expected text", path);
    free(bytes);
    if (status != TAC_OK) tac_csv_free(csv);
    return status;
}
