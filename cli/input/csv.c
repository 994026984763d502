#include "cli/input/csv.h"

#include "cli/cli.h"
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 1 << 16, FIRST_ROWS = 256 };

char *cli_csv_cell(char **line) {
    char *cell = *line, *to, *from;
    if (cell == NULL) return NULL;
    cell += strspn(cell, " \t");
    if (*cell != '"') {
        char *comma = strchr(cell, ',');
        *line = comma != NULL ? comma + 1 : NULL;
        if (comma != NULL) *comma = '\0';
        for (size_t n = strlen(cell); n > 0 && strchr(" \t\r\n", cell[n - 1]) != NULL; n--)
            cell[n - 1] = '\0';
        return cell;
    }
    for (to = from = ++cell; *from != '\0' && !(from[0] == '"' && from[1] != '"'); from++) {
        if (*from == '"') from++;
        *to++ = *from;
    }
    from = strchr(from, ',');
    *to = '\0';
    *line = from != NULL ? from + 1 : NULL;
    return cell;
}

/* Whole cell as strtod reads it, nan and inf included. */
static int is_any_number(const char *cell) {
    char *end;
    strtod(cell, &end);
    return end != cell && *end == '\0';
}

int cli_csv_is_header(const char *line, int *count) {
    char *copy = strdup(line), *rest = copy;
    int numbers = 0;
    *count = 0;
    if (copy == NULL) return -1;
    for (char *cell; (cell = cli_csv_cell(&rest)) != NULL; (*count)++)
        numbers += is_any_number(cell);
    free(copy);
    return numbers == 0;
}

/* Which columns of a header to take: take[j] = 1. Columns that it does not have are taken, so that a row that is too
 * long is met with an error. */
static void choose_columns(char *line, const char *prefix, int ncolumn, char *take) {
    int chosen = 0, n = 0;
    for (char *cell; (cell = cli_csv_cell(&line)) != NULL && n < MAX_COLUMNS; n++) {
        take[n] = strncmp(cell, prefix, strlen(prefix)) == 0;
        chosen += take[n];
    }
    memset(take + n, 1, (size_t)(MAX_COLUMNS - n));
    if (n == ncolumn || chosen == 0) memset(take, 1, MAX_COLUMNS);
}

/* One line of numbers, columns picked by take, to row. */
static int read_row(const char *verb, const char *path, long line_number, char *line, const char *take, tacCsv *csv,
                    double *row) {
    int column = 0, got = 0;
    for (char *cell; (cell = cli_csv_cell(&line)) != NULL && column < MAX_COLUMNS; column++) {
        double number;
        if (!take[column]) continue;
        if (!cli_number(cell, &number))
            return cli_fail(verb, "%s:%ld: column %d: expected a finite number, got \"%s\"", path, line_number,
                            column + 1, cell);
        if (got < csv->ncolumn) row[got] = number;
        got++;
    }
    if (got != csv->ncolumn)
        return cli_fail(verb, "%s:%ld: the row has %d numbers, expected %d", path, line_number, got, csv->ncolumn);
    return CLI_GO_ON;
}

static int grow(const char *verb, tacCsv *csv, long *capacity) {
    if (csv->nrow < *capacity) return CLI_GO_ON;
    *capacity = *capacity > 0 ? 2 * *capacity : FIRST_ROWS;
    double *more = realloc(csv->numbers, (size_t)*capacity * ((size_t)csv->ncolumn + 1) * sizeof *more);
    if (more == NULL) return cli_fail(verb, "out of memory");
    csv->numbers = more;
    return CLI_GO_ON;
}

static int is_blank(const char *line) { return line[strspn(line, " \t\r\n")] == '\0'; }

static int read_lines(const char *verb, const char *path, FILE *file, const char *prefix, char *take, tacCsv *csv) {
    char *line = NULL;
    size_t size = 0;
    long capacity = 0;
    int result = CLI_GO_ON, columns = 0;
    memset(take, 1, MAX_COLUMNS);
    for (long number = 1; result == CLI_GO_ON && getline(&line, &size, file) >= 0; number++) {
        if (is_blank(line)) continue;
        int header = columns == 0 ? cli_csv_is_header(line, &columns) : 0;
        if (header < 0) result = cli_fail(verb, "out of memory");
        if (header > 0) {
            choose_columns(line, prefix, csv->ncolumn, take);
            continue;
        }
        if (result == CLI_GO_ON) result = grow(verb, csv, &capacity);
        if (result == CLI_GO_ON)
            result = read_row(verb, path, number, line, take, csv,
                              csv->numbers + (size_t)csv->nrow++ * (size_t)csv->ncolumn);
    }
    free(line);
    if (result == CLI_GO_ON && csv->nrow == 0) return cli_fail(verb, "%s: the file has no row of numbers", path);
    return result;
}

int cli_csv_read(const char *verb, const char *path, const char *prefix, int ncolumn, tacCsv *csv) {
    *csv = (tacCsv){.ncolumn = ncolumn};
    FILE *file = fopen(path, "rb");
    if (file == NULL) return cli_fail(verb, "%s: cannot open the file", path);
    char *take = calloc(MAX_COLUMNS, 1);
    int result = take != NULL ? read_lines(verb, path, file, prefix, take, csv) : cli_fail(verb, "out of memory");
    free(take);
    fclose(file);
    if (result == CLI_GO_ON) return result;
    free(csv->numbers);
    csv->numbers = NULL;
    return result;
}
