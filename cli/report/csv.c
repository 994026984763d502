#include "cli/report/csv.h"

#include <string.h>

void cli_csv_name(FILE *file, const char *name) {
    if (strpbrk(name, ",\"\n\r") == NULL) {
        fputs(name, file);
        return;
    }
    fputc('"', file);
    for (; *name != '\0'; name++) {
        if (*name == '"') fputc('"', file);
        fputc(*name, file);
    }
    fputc('"', file);
}

void cli_csv_numbers(FILE *file, int n, const double *numbers) {
    for (int i = 0; i < n; i++)
        fprintf(file, ",%.17g", numbers[i]);
}
