#include "cli/report/page.h"

#include "cli/cli.h"
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

int cli_write_page(const char *verb, const tacPage *page, FILE *stream) {
    tacError err;
    char *text = NULL;
    if (tac_page_text(page, &text, &err) != TAC_OK) return cli_fail(verb, "%s", err.text);
    int written = fputs(text, stream) >= 0;
    free(text);
    return written ? CLI_GO_ON : cli_fail(verb, "the output cannot be written");
}

tacPage cli_page_of_run(const tacPageWords *words, const tacRun *run, const tacMotion *motion) {
    tacPage page = tac_default_page();
    page.model = run->model;
    page.options = &run->options;
    page.nframe = motion->nframe;
    page.time = motion->time;
    page.x = motion->x;
    page.u = motion->u;
    page.title = words->title;
    page.command = words->command;
    page.gradient = words->gradient;
    page.steps = run->done;
    page.seconds = run->seconds;
    page.status = run->status;
    page.unsolved = run->unsolved;
    page.bad_start = run->start != TAC_OK;
    return page;
}

void cli_page_title(const tacModelFile *file, const char *path, char *title, size_t size) {
    const char *own = tac_report_name(file->report);
    if (own[0] != '\0') {
        snprintf(title, size, "%s", own);
        return;
    }
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path, *dot = strrchr(name, '.');
    snprintf(title, size, "%.*s", dot != NULL && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

void cli_page_command(int argc, char **argv, char *text, size_t size) {
    size_t n = (size_t)snprintf(text, size, "tactus");
    for (int i = 0; i < argc && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, strpbrk(argv[i], " '\"[]*$") != NULL ? " '%s'" : " %s", argv[i]);
}
