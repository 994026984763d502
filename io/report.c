#include "io/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Lines {
    char **line;
    int n;
    int lost; /* 1: a line found no memory */
} Lines;

enum { LONGEST_NAME = 256 };

struct tacReport {
    Lines ignored, warnings;
    char name[LONGEST_NAME];
};

tacReport *tac_report_new(void) { return calloc(1, sizeof(tacReport)); }

void tac_report_set_name(tacReport *report, const char *name) {
    if (report != NULL && name != NULL) snprintf(report->name, sizeof report->name, "%s", name);
}

const char *tac_report_name(const tacReport *report) { return report != NULL ? report->name : ""; }

static void free_lines(Lines *lines) {
    for (int i = 0; i < lines->n; i++)
        free(lines->line[i]);
    free(lines->line);
}

void tac_report_free(tacReport *report) {
    if (report == NULL) return;
    free_lines(&report->ignored);
    free_lines(&report->warnings);
    free(report);
}

/* Lines that are kept of each kind: a file of a million slips gets a readable report. */
enum { MAX_LINES = 1000 };

static void append_line(Lines *lines, const char *text) {
    char **grown = realloc(lines->line, (size_t)(lines->n + 1) * sizeof *grown);
    if (grown != NULL) lines->line = grown;
    char *copy = malloc(strlen(text) + 1);
    if (grown == NULL || copy == NULL) {
        lines->lost = 1;
        free(copy);
        return;
    }
    strcpy(copy, text);
    lines->line[lines->n++] = copy;
}

/* Appends a copy unless the line is there already. */
__attribute__((format(printf, 2, 0))) static void add_line(Lines *lines, const char *format, va_list args) {
    char text[TAC_ERROR_TEXT];
    if (lines->n > MAX_LINES) return;
    vsnprintf(text, sizeof text, format, args);
    for (int i = 0; i < lines->n; i++)
        if (strcmp(lines->line[i], text) == 0) return;
    append_line(lines, lines->n < MAX_LINES ? text : "(list truncated)");
}

void tac_report_add_ignored(tacReport *report, const char *format, ...) {
    if (report == NULL) return;
    va_list args;
    va_start(args, format);
    add_line(&report->ignored, format, args);
    va_end(args);
}

void tac_report_add_warning(tacReport *report, const char *format, ...) {
    if (report == NULL) return;
    va_list args;
    va_start(args, format);
    add_line(&report->warnings, format, args);
    va_end(args);
}

int tac_report_lost(const tacReport *report) { return report->ignored.lost || report->warnings.lost; }

int tac_report_ignored_count(const tacReport *report) { return report != NULL ? report->ignored.n : 0; }

int tac_report_warning_count(const tacReport *report) { return report != NULL ? report->warnings.n : 0; }

const char *tac_report_ignored(const tacReport *report, int i) {
    return i >= 0 && i < tac_report_ignored_count(report) ? report->ignored.line[i] : "";
}

const char *tac_report_warning(const tacReport *report, int i) {
    return i >= 0 && i < tac_report_warning_count(report) ? report->warnings.line[i] : "";
}
