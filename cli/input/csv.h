/* Numbers from comma-separated text. */
#pragma once

typedef struct tacCsv {
    double *numbers; /* nrow x ncolumn, malloc'ed */
    long nrow;
    int ncolumn;
} tacCsv;

/* Cuts the next cell off *line in place: up to a comma, or what stands in quotes. A null pointer at the end. */
char *cli_csv_cell(char **line);
/* 1: the line names columns: it has cells, and none of them is a number (nan and inf are). Counts the cells, and leaves
 * the line as it is. A line of both is a row with a wrong cell. -1: out of memory. */
int cli_csv_is_header(const char *line, int *count);
/* Reads rows of `ncolumn` numbers. The first line may be a header; where it has more columns than that, those whose
 * name begins with `prefix` are taken. CLI_GO_ON, or CLI_CANNOT after a message that names file, line and what was
 * expected. */
int cli_csv_read(const char *verb, const char *path, const char *prefix, int ncolumn, tacCsv *csv);
