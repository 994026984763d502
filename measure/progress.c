#include "measure/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SILENT_SECONDS 2.0
#define REDRAW_SECONDS 0.1
enum { BAR_WIDTH = 40, LINE_WIDTH = 78 };

double measure_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

tacProgress measure_progress_begin(const char *what) {
    double now = measure_clock();
    return (tacProgress){.what = what, .begin = now, .next = now + SILENT_SECONDS, .terminal = isatty(STDERR_FILENO)};
}

void measure_progress_show(tacProgress *progress, long done, long total) {
    if (!progress->terminal || total <= 0) return;
    double now = measure_clock();
    if (now < progress->next) return;
    double share = (double)done / (double)total, left = (now - progress->begin) * (1 - share) / (share > 0 ? share : 1);
    int full = (int)(share * BAR_WIDTH);
    fprintf(stderr, "\r%s [", progress->what);
    for (int i = 0; i < BAR_WIDTH; i++)
        fputc(i < full ? '=' : ' ', stderr);
    fprintf(stderr, "] %3.0f %%, %.0f s left ", 100 * share, left);
    fflush(stderr);
    progress->next = now + REDRAW_SECONDS;
    progress->drawn = 1;
}

void measure_progress_end(tacProgress *progress) {
    if (progress->drawn) fprintf(stderr, "\r%*s\r", LINE_WIDTH, "");
    progress->drawn = 0;
}
