/* A motion as one HTML page that needs nothing else. The page replays poses that are computed here; it holds no
 * physics. */
#include "tactus/io.h"

#include "base/error.h"
#include "io/page/data.h"
#include "io/page/template.h"
#include "io/write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

tacPage tac_default_page(void) { return (tacPage){.steps = -1}; }

/* --- What may be asked for ---------------------------------------------------------------------------------------- */

static tacStatus check_finite(const char *name, const double *rows, int nrow, int ncolumn, tacError *err) {
    for (int i = 0; i < nrow; i++)
        for (int j = 0; j < ncolumn; j++)
            if (!isfinite(rows[(size_t)i * (size_t)ncolumn + (size_t)j]))
                return tac_fail(err, TAC_ERR_NONFINITE, "page: %s of frame %d: number %d is not finite", name, i, j);
    return TAC_OK;
}

static tacStatus check_times(const tacPage *page, tacError *err) {
    TAC_TRY(check_finite("time", page->time, page->nframe, 1, err));
    for (int i = 1; i < page->nframe; i++)
        if (!(page->time[i] > page->time[i - 1]))
            return tac_fail(err, TAC_ERR_ARGUMENT, "page: time of frame %d is %g, expected more than %g", i,
                            page->time[i], page->time[i - 1]);
    return TAC_OK;
}

static int same_shape(const tacModel *a, const tacModel *b) {
    return b != NULL && a->nq == b->nq && a->nv == b->nv && a->na == b->na && a->nu == b->nu && a->nbody == b->nbody &&
           a->ngeom == b->ngeom;
}

static tacStatus check_gradient(const tacPage *page, tacError *err) {
    const tacPageGradient *g = page->gradient;
    int fine = g->name != NULL && g->n >= 1 && g->own >= 0 && g->own < g->n && g->value != NULL && g->x != NULL;
    if (!fine || g->body < 0 || g->body >= page->model->nbody)
        return tac_fail(err, TAC_ERR_ARGUMENT,
                        "page: gradient: a name, value or x is missing, or n, own or "
                        "body is out of range");
    TAC_TRY(check_finite("derivative", g->derivative, 1, 3, err));
    TAC_TRY(check_finite("value", g->value, g->n, 1, err));
    for (int i = 0; i < g->n; i++) {
        if (g->x[i] == NULL || (g->model != NULL && !same_shape(page->model, g->model[i])))
            return tac_fail(err, TAC_ERR_ARGUMENT,
                            "page: gradient: motion %d has no states, or a model of "
                            "another shape",
                            i);
        TAC_TRY(check_finite("gradient's x", g->x[i], page->nframe, tac_nx(page->model), err));
    }
    return TAC_OK;
}

static tacStatus check_page(const tacPage *page, tacError *err) {
    if (page->nframe < 1)
        return tac_fail(err, TAC_ERR_ARGUMENT, "page: nframe is %d, expected 1 or more", page->nframe);
    if (tac_sim_bytes(page->model, page->options) == 0)
        return tac_fail(err, TAC_ERR_OPTIONS, "page: options are refused; tac_sim_new says why");
    TAC_TRY(check_times(page, err));
    TAC_TRY(check_finite("x", page->x, page->nframe, tac_nx(page->model), err));
    if (page->u != NULL) TAC_TRY(check_finite("u", page->u, page->nframe, tac_ninput(page->model, page->options), err));
    if (page->gradient != NULL && page->plan != NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "tac_write_page: expected a gradient or a plan, found both");
    if (page->plan != NULL) TAC_TRY(tac_page_check_plan(page, err));
    return page->gradient != NULL ? check_gradient(page, err) : TAC_OK;
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

static tacStatus put_data(tacText *out, const tacPage *page, tacError *err) {
    tac_json_open(out, NULL, '{');
    TAC_TRY(tac_page_run(out, page, err));
    tac_page_model(out, page->model);
    TAC_TRY(tac_page_motion(out, "motion", page, page->model, page->x, err));
    if (page->gradient != NULL) TAC_TRY(tac_page_gradient(out, page, err));
    if (page->plan != NULL) TAC_TRY(tac_page_plan(out, page, err));
    tac_json_close(out, '{');
    return TAC_OK;
}

/* Text as the body of an HTML element. */
static void put_escaped(tacText *out, const char *text) {
    for (; *text != '\0'; text++) {
        const char letter[2] = {*text, '\0'};
        tac_text_add(out, *text == '<' ? "&lt;" : *text == '&' ? "&amp;" : letter);
    }
}

/* The template with {{title}} and {{data}} filled in; two braces of the script itself stay. */
static void put_template(tacText *out, const char *title, const char *data) {
    static const char title_mark[] = "{{title}}", data_mark[] = "{{data}}";
    const char *at = (const char *)TAC_PAGE_TEMPLATE;
    char *copy = malloc(strlen(at) + 1), *piece = copy;
    if (copy == NULL) {
        out->failed = 1;
        return;
    }
    strcpy(copy, at);
    for (char *mark = copy; (mark = strstr(mark, "{{")) != NULL;) {
        int is_title = strncmp(mark, title_mark, sizeof title_mark - 1) == 0;
        int is_data = strncmp(mark, data_mark, sizeof data_mark - 1) == 0;
        mark += is_title || is_data ? 0 : 2;
        if (!is_title && !is_data) continue;
        *mark = '\0';
        tac_text_add(out, piece);
        if (is_title)
            put_escaped(out, title);
        else
            tac_text_add(out, data);
        piece = mark += is_title ? sizeof title_mark - 1 : sizeof data_mark - 1;
    }
    tac_text_add(out, piece);
    free(copy);
}

static tacStatus make_text(const tacPage *page, char **text, tacError *err) {
    tacText data = {0}, out = {0};
    TAC_TRY(check_page(page, err));
    tacStatus status = put_data(&data, page, err);
    if (status == TAC_OK && !data.failed) put_template(&out, page->title, data.text);
    if (status == TAC_OK && (data.failed || out.failed || out.text == NULL))
        status = tac_fail(err, TAC_ERR_MEMORY, "page: no memory");
    free(data.text);
    if (status == TAC_OK)
        *text = tac_text_take(&out);
    else
        free(out.text);
    return status;
}

tacStatus tac_page_text(const tacPage *page, char **text, tacError *err) {
    if (page == NULL || text == NULL || page->model == NULL || page->x == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "page: the page, its model, its x or the text is NULL");
    tacOptions defaults = tac_default_options(page->model);
    tacPage full = *page;
    double *time = NULL;
    if (full.options == NULL) full.options = &defaults;
    if (full.title == NULL) full.title = "motion";
    if (full.command == NULL) full.command = "";
    if (full.time == NULL && full.nframe > 0) {
        full.time = time = malloc((size_t)full.nframe * sizeof *time);
        if (time == NULL) return tac_fail(err, TAC_ERR_MEMORY, "page: no memory");
        for (int i = 0; i < full.nframe; i++)
            time[i] = i * full.options->dt;
    }
    tacStatus status = make_text(&full, text, err);
    free(time);
    return status;
}

tacStatus tac_write_page(const tacPage *page, const char *path, tacError *err) {
    char *text = NULL;
    if (path == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "page: the path is NULL");
    TAC_TRY(tac_page_text(page, &text, err));
    tacStatus status = tac_write_file(path, (const unsigned char *)text, strlen(text), err);
    free(text);
    return status;
}
