/* Controls from a CSV file. */
#include "io/task/build.h"

#include "io/files.h"
#include "io/numbers.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 4096, CELL = 128 };

typedef struct Table {
    const tacNode *node; /* that names the file */
    const char *path;
    char take[MOST_COLUMNS]; /* 1: the column is read */
    int nu, line;
    double *rows;
    int n, room;
    tacError *err;
} Table;

/* The next cell of a line -> cell, without blanks and quotes; the rest of the line, or NULL at its end. */
static const char *next_cell(const char *at, char cell[CELL]) {
    size_t n = strcspn(at, ",\r\n"), used = 0;
    for (size_t i = 0; i < n && used + 1 < CELL; i++)
        if (strchr(" \t\"", at[i]) == NULL) cell[used++] = at[i];
    cell[used] = '\0';
    return at[n] == ',' ? at + n + 1 : NULL;
}

static int is_number(const char *cell, double *value) {
    int n;
    return tac_numbers_read(cell, 1, 1, value, &n, NULL) == TAC_OK;
}

/* A line without any number names columns: those that begin with "ctrl:" are taken, if there are others. */
static int is_header(Table *t, const char *line) {
    char cell[CELL];
    double value;
    int columns = 0, named = 0;
    for (const char *at = line; at != NULL && columns < MOST_COLUMNS; columns++) {
        at = next_cell(at, cell);
        if (is_number(cell, &value)) return 0;
        t->take[columns] = strncmp(cell, "ctrl:", 5) == 0;
        named += t->take[columns];
    }
    if (named == 0 || columns == t->nu) memset(t->take, 1, sizeof t->take);
    return 1;
}

static tacStatus grow(Table *t) {
    if (t->n < t->room) return TAC_OK;
    int room = t->room > 0 ? 2 * t->room : 64;
    double *rows = realloc(t->rows, (size_t)room * (size_t)(t->nu + 1) * sizeof *rows);
    if (rows == NULL) return tac_node_fail(t->node, t->err, TAC_ERR_MEMORY, "no memory");
    t->rows = rows;
    t->room = room;
    return TAC_OK;
}

static tacStatus read_row(Table *t, const char *line) {
    char cell[CELL];
    int column = 0, got = 0;
    TAC_TRY(grow(t));
    double *row = t->rows + (size_t)t->n * (size_t)t->nu, value;
    for (const char *at = line; at != NULL && column < MOST_COLUMNS; column++) {
        at = next_cell(at, cell);
        if (!t->take[column]) continue;
        if (!is_number(cell, &value))
            return tac_node_fail(t->node, t->err, TAC_ERR_SYNTAX,
                                 "%s:%d: column %d: found \"%s\", expected a finite number", t->path, t->line,
                                 column + 1, cell);
        if (got < t->nu) row[got] = value;
        got++;
    }
    if (got != t->nu)
        return tac_node_fail(t->node, t->err, TAC_ERR_SHAPE, "%s:%d: found %d numbers, expected %d", t->path, t->line,
                             got, t->nu);
    t->n++;
    return TAC_OK;
}

static tacStatus read_lines(Table *t, const char *text) {
    int begun = 0;
    memset(t->take, 1, sizeof t->take);
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        t->line++;
        if (line[strspn(line, " \t\r")] == '\n' || line[strspn(line, " \t\r")] == '\0') continue;
        if (!begun++ && is_header(t, line)) continue;
        TAC_TRY(read_row(t, line));
    }
    if (t->n > 0) return TAC_OK;
    return tac_node_fail(t->node, t->err, TAC_ERR_SYNTAX, "%s: the file has no row of numbers", t->path);
}

tacStatus tac_task_read_table(const tacTask *task, const tacNode *node, int nu, double **rows, int *n, tacError *err) {
    char path[TAC_PATH];
    unsigned char *bytes = NULL;
    size_t size;
    tacFiles files;
    tacError why;
    tac_files_join(task->folder, node->text, path, sizeof path);
    tacStatus status = tac_files_init(&files, path, NULL, &why);
    if (status == TAC_OK) status = tac_files_read(&files, path, &bytes, &size, &why);
    if (status != TAC_OK) return tac_node_fail(node, err, status, "%s", why.text);
    Table t = {.node = node, .path = path, .nu = nu, .err = err};
    status = read_lines(&t, (const char *)bytes);
    free(bytes);
    if (status != TAC_OK) {
        free(t.rows);
        return status;
    }
    *rows = t.rows;
    *n = t.n;
    return TAC_OK;
}
