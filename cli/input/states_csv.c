/* strdup and getline are POSIX */
#define _POSIX_C_SOURCE 200809L
#include "cli/input/states_csv.h"

#include "cli/cli.h"
#include "cli/input/csv.h"
#include "cli/input/state_columns.h"
#include "cli/options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 256, NAME = 192, KINDS = 4, MAX_COLUMNS = 1 << 16 };
/* Destination of a column: a place of [time | x | u], or none. */
enum { NOWHERE = -1, TIME = 0 };
/* Shortest quaternion that still says which way. */
#define LEAST_LENGTH 1e-6

typedef struct {
    const char *verb, *path;
    const tacModel *model;
    int width;   /* 1 + nx + ninput: numbers of a row */
    int *place;  /* of each column */
    int columns; /* of the file */
    int *given;  /* width: which column it comes from, from 1; 0: none */
    double *rows;
    long nrow, room, line;
} Reader;

static const char *const WRONG_CELL = "expected a finite number, got";
static const char *const WORDS[KINDS] = {"qpos", "qvel", "act", "ctrl"};

/* First place of a kind in a row. */
static int place_of(const tacModel *m, int kind) {
    const int before[KINDS] = {0, m->nq, m->nq + m->nv, m->nq + m->nv + m->na};
    return 1 + before[kind];
}

static int fail_at(const Reader *r, int column, const char *text, const char *cell) {
    return cli_fail(r->verb, "%s:%ld: column %d: %s \"%s\"", r->path, r->line, column + 1, text, cell);
}

/* "qpos[3]" -> 3, "qpos:knee" -> its number; -1: there is no such one. */
static int number_of(const tacModel *m, int kind, const char *cell) {
    const char *rest = cell + strlen(WORDS[kind]);
    char name[NAME], *end;
    int n = cli_column_count(m, (tacColumn)kind);
    if (*rest == '[') {
        long i = strtol(rest + 1, &end, 10);
        return strcmp(end, "]") == 0 && i >= 0 && i < n ? (int)i : -1;
    }
    for (int i = 0; i < n; i++) {
        cli_column_name(m, (tacColumn)kind, i, name, sizeof name);
        if (strcmp(name, cell) == 0) return i;
    }
    return -1;
}

/* Destination of the column of this name. */
static int find_place(const Reader *r, int column, const char *cell, int *place) {
    *place = strcmp(cell, "time") == 0 ? TIME : NOWHERE;
    for (int kind = 0; kind < KINDS; kind++) {
        size_t n = strlen(WORDS[kind]);
        if (strncmp(cell, WORDS[kind], n) != 0 || (cell[n] != ':' && cell[n] != '[')) continue;
        int i = number_of(r->model, kind, cell);
        if (i < 0) return fail_at(r, column, "the model has no coordinate or actuator", cell);
        *place = place_of(r->model, kind) + i;
    }
    if (*place != NOWHERE && r->given[*place] != 0) return fail_at(r, column, "it is there twice:", cell);
    return CLI_GO_ON;
}

static int check_header(const Reader *r) {
    for (int i = 0; i < r->model->nq; i++) {
        char name[NAME];
        cli_column_name(r->model, TAC_COLUMN_QPOS, i, name, sizeof name);
        if (r->given[1 + i] == 0) return cli_fail(r->verb, "%s:1: the column %s is missing", r->path, name);
    }
    return CLI_GO_ON;
}

static int read_header(Reader *r, char *line) {
    for (char *cell; (cell = cli_csv_cell(&line)) != NULL && r->columns < MAX_COLUMNS; r->columns++) {
        int result = find_place(r, r->columns, cell, &r->place[r->columns]);
        if (result != CLI_GO_ON) return result;
        if (r->place[r->columns] != NOWHERE) r->given[r->place[r->columns]] = r->columns + 1;
    }
    return check_header(r);
}

/* Without names: [time] qpos [qvel act], told apart by how many there are. */
static int assume_columns(Reader *r, int count) {
    int nq = r->model->nq, nx = tac_nx(r->model);
    if (count != nx && count != nx + 1 && count != nq && count != nq + 1)
        return cli_fail(r->verb,
                        "%s:%ld: %d numbers, expected %d (qpos) or %d (qpos qvel act), or one more with the time",
                        r->path, r->line, count, nq, nx);
    int timed = count == nx + 1 || (count == nq + 1 && count != nx);
    for (int j = 0; j < count; j++) {
        r->place[j] = timed ? j : j + 1;
        r->given[r->place[j]] = j + 1;
    }
    r->columns = count;
    return CLI_GO_ON;
}

static int grow(Reader *r) {
    if (r->nrow < r->room) return CLI_GO_ON;
    if (r->nrow >= INT_MAX / 2) return cli_fail(r->verb, "%s: more than %d states", r->path, INT_MAX / 2);
    r->room = r->room > 0 ? 2 * r->room : FIRST_ROWS;
    double *more = realloc(r->rows, (size_t)r->room * (size_t)r->width * sizeof *more);
    if (more == NULL) return cli_fail(r->verb, "out of memory");
    r->rows = more;
    return CLI_GO_ON;
}

/* Quaternions of free and ball joints point somewhere. */
static int check_turns(const Reader *r, const double *row) {
    const tacModel *m = r->model;
    for (int j = 0; j < m->njnt; j++) {
        if (m->joint_type[j] != TAC_JOINT_FREE && m->joint_type[j] != TAC_JOINT_BALL) continue;
        int at = 1 + m->joint_qpos_adr[j] + (m->joint_type[j] == TAC_JOINT_FREE ? 3 : 0);
        const double *q = row + at;
        if (sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) < LEAST_LENGTH)
            return cli_fail(r->verb, "%s:%ld: column %d: the quaternion is zero, expected one of length 1", r->path,
                            r->line, r->given[at]);
    }
    return CLI_GO_ON;
}

static int read_row(Reader *r, char *line) {
    int column = 0, result = grow(r);
    if (result != CLI_GO_ON) return result;
    double *row = r->rows + (size_t)r->nrow * (size_t)r->width;
    memset(row, 0, (size_t)r->width * sizeof *row);
    for (char *cell; (cell = cli_csv_cell(&line)) != NULL; column++) {
        double number;
        if (column >= r->columns || r->place[column] == NOWHERE) continue;
        if (!cli_number(cell, &number)) return fail_at(r, column, WRONG_CELL, cell);
        row[r->place[column]] = number;
    }
    if (column != r->columns)
        return cli_fail(r->verb, "%s:%ld: %d columns, expected %d", r->path, r->line, column, r->columns);
    if (r->given[TIME] != 0 && r->nrow > 0 && !(row[TIME] > row[TIME - r->width]))
        return cli_fail(r->verb, "%s:%ld: column %d: the time is %g, expected more than %g", r->path, r->line,
                        r->given[TIME], row[TIME], row[TIME - r->width]);
    result = check_turns(r, row);
    r->nrow++;
    return result;
}

/* A first row without names whose cells are not all numbers would else be refused by its length. */
static int check_first_row(const Reader *r, const char *line) {
    char *copy = strdup(line), *rest = copy;
    int result = copy != NULL ? CLI_GO_ON : cli_fail(r->verb, "out of memory"), column = 0;
    double number;
    for (char *cell; result == CLI_GO_ON && (cell = cli_csv_cell(&rest)) != NULL; column++)
        if (!cli_number(cell, &number)) result = fail_at(r, column, WRONG_CELL, cell);
    free(copy);
    return result;
}

static int read_line(Reader *r, char *line) {
    if (line[strspn(line, " \t\r\n")] == '\0') return CLI_GO_ON;
    if (r->columns > 0) return read_row(r, line);
    int count, names = cli_csv_is_header(line, &count);
    if (names < 0) return cli_fail(r->verb, "out of memory");
    if (count > MAX_COLUMNS) return cli_fail(r->verb, "%s:%ld: more than %d columns", r->path, r->line, MAX_COLUMNS);
    if (names) return read_header(r, line);
    int result = check_first_row(r, line);
    if (result == CLI_GO_ON) result = assume_columns(r, count);
    return result == CLI_GO_ON ? read_row(r, line) : result;
}

static int read_file(Reader *r) {
    FILE *file = fopen(r->path, "r");
    if (file == NULL) return cli_fail(r->verb, "%s: %s", r->path, strerror(errno));
    char *line = NULL;
    size_t size = 0;
    int result = CLI_GO_ON;
    while (result == CLI_GO_ON && getline(&line, &size, file) >= 0) {
        r->line++;
        result = read_line(r, line);
    }
    if (result == CLI_GO_ON && ferror(file)) result = cli_fail(r->verb, "%s: cannot be read", r->path);
    if (result == CLI_GO_ON && r->nrow == 0)
        result = cli_fail(r->verb, "%s: no states, expected at least one row", r->path);
    free(line);
    fclose(file);
    return result;
}

/* Rows of [time | x | u] -> arrays of their own. */
static int split(const Reader *r, tacStates *out) {
    size_t nx = (size_t)tac_nx(r->model), nu = (size_t)r->width - 1 - nx, n = (size_t)r->nrow;
    int controlled = 0;
    for (int i = 1 + (int)nx; i < r->width; i++)
        controlled |= r->given[i] != 0;
    out->nframe = (int)r->nrow;
    out->x = calloc(n * nx + 1, sizeof(double));
    if (r->given[TIME] != 0) out->time = calloc(n, sizeof(double));
    if (controlled) out->u = calloc(n * nu + 1, sizeof(double));
    if (out->x == NULL || (r->given[TIME] != 0 && out->time == NULL) || (controlled && out->u == NULL)) return 0;
    for (size_t i = 0; i < n; i++) {
        const double *row = r->rows + i * (size_t)r->width;
        memcpy(out->x + i * nx, row + 1, nx * sizeof(double));
        if (out->time != NULL) out->time[i] = row[TIME];
        if (out->u != NULL) memcpy(out->u + i * nu, row + 1 + nx, nu * sizeof(double));
    }
    return 1;
}

int cli_states_read(const char *verb, const char *path, const tacModel *model, const tacOptions *options,
                    tacStates *states) {
    Reader r = {.verb = verb, .path = path, .model = model};
    *states = (tacStates){0};
    r.width = 1 + tac_nx(model) + tac_ninput(model, options);
    r.place = calloc(MAX_COLUMNS, sizeof *r.place);
    r.given = calloc((size_t)r.width, sizeof *r.given);
    int result = r.place != NULL && r.given != NULL ? read_file(&r) : cli_fail(verb, "out of memory");
    if (result == CLI_GO_ON && !split(&r, states)) result = cli_fail(verb, "out of memory");
    if (result != CLI_GO_ON) cli_states_free(states);
    free(r.place);
    free(r.given);
    free(r.rows);
    return result;
}

void cli_states_free(tacStates *states) {
    free(states->time);
    free(states->x);
    free(states->u);
    *states = (tacStates){0};
}
