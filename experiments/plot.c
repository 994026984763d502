#include "experiments/plot.h"

#include <math.h>
#include <stdarg.h>

/* px */
enum { WIDTH = 760, HEIGHT = 460, LEFT = 88, RIGHT = 30, TOP = 66, BOTTOM = 54, DOT = 4 };
enum { KEY_ROW = 20, SWATCH = 12 };
/* Numbers along an axis that is not of decades: about so many. */
enum { TICKS = 6 };

/* A colour as a class of lines and of filled things. */
typedef struct Colour {
    const char *name, *light, *dark;
} Colour;

static const Colour COLOURS[] = {
    {"ink", "#1c2430", "#e8ecf2"},  {"soft", "#6b7787", "#98a3b3"},  {"one", "#c77a00", "#f0a63a"},
    {"two", "#2a6fdb", "#6ea3f5"},  {"three", "#9b4dca", "#c694ec"}, {"own", "#14855f", "#3fc795"},
    {"good", "#14855f", "#3fc795"}, {"bad", "#c8372d", "#ff7a6e"},
};
enum { NCOLOUR = sizeof COLOURS / sizeof *COLOURS };

/* Every rule in full: not every reader of pictures knows variables of style sheets. */
static void put_colours(FILE *f, int dark) {
    for (int i = 0; i < NCOLOUR; i++) {
        const char *name = COLOURS[i].name, *value = dark ? COLOURS[i].dark : COLOURS[i].light;
        fprintf(f, "path.%s,line.%s{stroke:%s}rect.%s,circle.%s,text.%s{fill:%s}\n", name, name, value, name, name,
                name, value);
    }
    fprintf(f, ".back{fill:%s}.title{fill:%s}line.grid{stroke:%s}\n", dark ? "#12161c" : "#ffffff",
            dark ? "#e8ecf2" : "#1c2430", dark ? "#262d37" : "#e6eaf0");
}

static void put_style(FILE *f) {
    fputs("<style>\nsvg{font:13px system-ui,sans-serif}.title{font-size:17px;font-weight:600}\n"
          "path,line{fill:none;stroke-width:2}line.grid{stroke-width:1}\n",
          f);
    put_colours(f, 0);
    fputs("@media(prefers-color-scheme:dark){\n", f);
    put_colours(f, 1);
    fputs("}\n</style>\n", f);
}

static double place(double value, double from, double to, int decades) {
    if (decades) {
        value = log10(fmax(value, 1e-300));
        from = log10(from);
        to = log10(to);
    }
    return fmin(1, fmax(0, (value - from) / (to - from)));
}

double plot_x(const tacPlot *p, double x) {
    return p->left + place(x, p->x0, p->x1, p->log_x) * (p->width - p->left - RIGHT);
}

double plot_y(const tacPlot *p, double y) {
    return p->height - BOTTOM - place(y, p->y0, p->y1, p->log_y) * (p->height - p->top - BOTTOM);
}

static void put_text(FILE *f, const char *text) {
    for (; *text != '\0'; text++)
        fputs(*text == '<' ? "&lt;" : *text == '&' ? "&amp;" : (char[2]){*text, '\0'}, f);
}

void plot_begin(tacPlot *p) {
    if (p->width == 0) p->width = WIDTH;
    if (p->height == 0) p->height = HEIGHT;
    if (p->left == 0) p->left = LEFT;
    p->top = TOP + KEY_ROW * p->nkey;
    p->height += KEY_ROW * p->nkey;
    p->key = 0;
    fprintf(
        p->file,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n",
        p->width, p->height, p->width, p->height);
    put_style(p->file);
    fprintf(p->file, "<rect width=\"%d\" height=\"%d\" class=\"back\"/>\n", p->width, p->height);
    fprintf(p->file, "<text class=\"title\" x=\"20\" y=\"28\">");
    put_text(p->file, p->title);
    fprintf(p->file, "</text>\n<text class=\"soft\" x=\"20\" y=\"48\">");
    put_text(p->file, p->subtitle);
    fputs("</text>\n", p->file);
}

void plot_key(tacPlot *p, const char *colour, const char *format, ...) {
    char text[256];
    int y = TOP + KEY_ROW * p->key++;
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fprintf(p->file, "<g class=\"key\"><rect class=\"%s\" x=\"20\" y=\"%d\" width=\"%d\" height=\"%d\"/>", colour,
            y - SWATCH + 1, SWATCH, SWATCH);
    fprintf(p->file, "<text class=\"ink\" x=\"%d\" y=\"%d\">", 20 + SWATCH + 8, y);
    put_text(p->file, text);
    fputs("</text></g>\n", p->file);
}

/* A round number near range / TICKS: 1, 2 or 5 times a power of ten. */
static double tick_distance(double range) {
    double unit = pow(10, floor(log10(range / TICKS))), ratio = range / TICKS / unit;
    return unit * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}

/* The k-th number of an axis, or a NAN when there is none. */
static double tick(double from, double to, int decades, int k) {
    double first, value;
    if (decades) {
        first = ceil(log10(from) - 1e-9);
        value = pow(10, first + k);
    } else {
        double distance = tick_distance(to - from);
        first = ceil(from / distance - 1e-9);
        value = (first + k) * distance;
    }
    return value <= to + 1e-9 * fabs(to) ? value : (double)NAN;
}

static void x_axis(const tacPlot *p, const char *name) {
    double bottom = plot_y(p, p->y0), top = plot_y(p, p->y1), at;
    for (int k = 0; at = tick(p->x0, p->x1, p->log_x, k), !isnan(at); k++) {
        double x = plot_x(p, at);
        fprintf(p->file, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", x, x, top, bottom);
        fprintf(p->file, "<text class=\"soft\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">%.6g</text>\n", x,
                bottom + 20, at);
    }
    fprintf(p->file, "<text class=\"soft\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">", (p->left + p->width - RIGHT) / 2,
            p->height - 12);
    put_text(p->file, name);
    fputs("</text>\n", p->file);
}

static void y_axis(const tacPlot *p, const char *name) {
    double at;
    for (int k = 0; at = tick(p->y0, p->y1, p->log_y, k), !isnan(at); k++) {
        double y = plot_y(p, at);
        fprintf(p->file, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n", p->left,
                p->width - RIGHT, y, y);
        fprintf(p->file, "<text class=\"soft\" text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%.6g</text>\n", p->left - 8,
                y + 4, at);
    }
    fprintf(p->file, "<text class=\"soft\" text-anchor=\"middle\" transform=\"translate(16 %d) rotate(-90)\">",
            (p->top + p->height - BOTTOM) / 2);
    put_text(p->file, name);
    fputs("</text>\n", p->file);
}

void plot_axes(const tacPlot *p, const char *x_name, const char *y_name) {
    if (x_name != NULL) x_axis(p, x_name);
    if (y_name != NULL) y_axis(p, y_name);
}

void plot_curve(const tacPlot *p, const char *colour, int n, const double *x, const double *y) {
    fprintf(p->file, "<path class=\"%s\" d=\"", colour);
    for (int i = 0; i < n; i++)
        fprintf(p->file, "%c%.1f %.1f", i == 0 ? 'M' : 'L', plot_x(p, x[i]), plot_y(p, y[i]));
    fputs("\"/>\n", p->file);
}

void plot_line(const tacPlot *p, const char *colour, double xa, double ya, double xb, double yb) {
    fprintf(p->file, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", colour, plot_x(p, xa),
            plot_y(p, ya), plot_x(p, xb), plot_y(p, yb));
}

void plot_bar(const tacPlot *p, const char *colour, double xa, double ya, double xb, double yb) {
    double x = plot_x(p, xa), y = plot_y(p, yb);
    fprintf(p->file, "<rect class=\"bar %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", colour, x, y,
            fmax(0.5, plot_x(p, xb) - x), fmax(0.5, plot_y(p, ya) - y));
}

void plot_dot(const tacPlot *p, const char *colour, double x, double y) {
    fprintf(p->file, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"/>\n", colour, plot_x(p, x), plot_y(p, y),
            DOT);
}

void plot_note(const tacPlot *p, tacPlotNote at, const char *format, ...) {
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fprintf(p->file, "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">", at.colour, at.anchor,
            plot_x(p, at.x) + at.dx, plot_y(p, at.y) + at.dy);
    put_text(p->file, text);
    fputs("</text>\n", p->file);
}

void plot_end(const tacPlot *p) { fputs("</svg>\n", p->file); }
