/* Pictures of experiments: an SVG with axes, curves, bars and notes, readable on light and dark pages. */
#pragma once

#include <stdio.h>

/* Colours are classes: "own" (ours), "one", "two", "three", "soft" (grey), "good", "bad". */
typedef struct tacPlot {
    FILE *file;
    const char *title, *subtitle;
    double x0, x1, y0, y1; /* what the axes reach over */
    int log_x, log_y;      /* 1: decades */
    int width, height;     /* px; 0: a size that fits a page */
    int left;              /* px for what stands left of the axes; 0: enough for numbers */
    int nkey;              /* rows of the key, which stands above the axes: one plot_key each */
    int top, key;          /* px above the axes, rows of the key so far: set by plot_begin and plot_key */
} tacPlot;

/* Head, style and titles; fills in sizes. Titles, key, axes' names and axes' numbers have rows of their own. */
void plot_begin(tacPlot *plot);
/* One row of the key: a colour and what it means. Every colour of the data has one. */
void plot_key(tacPlot *plot, const char *colour, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Grid, numbers and names of the axes; a null name: no numbers either. */
void plot_axes(const tacPlot *plot, const char *x_name, const char *y_name);
/* Data -> px. Values outside of the axes are put on their ends. */
double plot_x(const tacPlot *plot, double x);
double plot_y(const tacPlot *plot, double y);
void plot_curve(const tacPlot *plot, const char *colour, int n, const double *x, const double *y);
void plot_line(const tacPlot *plot, const char *colour, double xa, double ya, double xb, double yb);
void plot_bar(const tacPlot *plot, const char *colour, double xa, double ya, double xb, double yb);
void plot_dot(const tacPlot *plot, const char *colour, double x, double y);
/* A name or a number at a point of the data, moved by (dx, dy) px; what explains goes into the key. anchor: "start",
 * "middle" or "end". */
typedef struct tacPlotNote {
    const char *colour, *anchor;
    double x, y;
    int dx, dy;
} tacPlotNote;
void plot_note(const tacPlot *plot, tacPlotNote at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void plot_end(const tacPlot *plot);
