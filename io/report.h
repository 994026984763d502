/* What a load ignored and warned about. */
#pragma once

#include "tactus/io.h"

tacReport *tac_report_new(void);
/* NULL report: does nothing. The text is copied; a repeated line is kept once, and a thousand lines at most. */
/* A line that finds no memory is lost, and the report says so from then on: tac_report_lost. */
void tac_report_add_ignored(tacReport *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tac_report_add_warning(tacReport *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The name that the file gives its model, cut to what there is room for; NULL: none. */
void tac_report_set_name(tacReport *report, const char *name);
/* 1: a line was lost for want of memory. */
int tac_report_lost(const tacReport *report);
