/* A progress bar on standard error: only when that is a terminal, and only after two seconds. */
#pragma once

typedef struct tacProgress {
    const char *what;   /* "simulating" */
    double begin, next; /* s, by measure_clock: when the job began, when to draw again */
    int terminal, drawn;
} tacProgress;

/* Seconds on a clock that only moves forward. */
double measure_clock(void);
tacProgress measure_progress_begin(const char *what);
/* done of total; cheap enough to call every step. */
void measure_progress_show(tacProgress *progress, long done, long total);
/* Wipes the bar. */
void measure_progress_end(tacProgress *progress);
