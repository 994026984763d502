#include "cli/report/page/page.h"

#include "cli/cli.h"
#include "cli/report/page/data.h"
#include "cli/report/page/template.h"

#include <stdlib.h>
#include <string.h>

/* Text as the body of an HTML element. */
static void write_escaped(const char *text, FILE *stream) {
    for (; *text != '\0'; text++)
        if (*text == '<')
            fputs("&lt;", stream);
        else if (*text == '&')
            fputs("&amp;", stream);
        else
            fputc(*text, stream);
}

/* JSON inside a <script>: '<' only occurs in strings there, and must not be able to end the element. */
static void write_json(const char *json, FILE *stream) {
    for (const char *less; (less = strchr(json, '<')) != NULL; json = less + 1) {
        fwrite(json, 1, (size_t)(less - json), stream);
        fputs("\\u003c", stream);
    }
    fputs(json, stream);
}

/* The template with {{title}} and {{data}} filled in. */
static void write_template(const char *title, const char *data, FILE *stream) {
    const char *at = (const char *)CLI_PAGE_TEMPLATE;
    for (const char *mark; (mark = strstr(at, "{{")) != NULL;) {
        fwrite(at, 1, (size_t)(mark - at), stream);
        const char *end = strstr(mark, "}}");
        if (strncmp(mark, "{{title}}", 9) == 0)
            write_escaped(title, stream);
        else if (strncmp(mark, "{{data}}", 8) == 0)
            write_json(data, stream);
        else
            end = mark; /* two braces of the script itself */
        if (end == mark) fwrite(mark, 1, 2, stream);
        at = end + 2;
    }
    fputs(at, stream);
}

int cli_write_page(const char *verb, const tacPageText *text, const tacRun *run, const tacMotion *motion,
                   FILE *stream) {
    tacJson json = measure_json_begin();
    int result = cli_page_data(verb, text, run, motion, &json);
    char *data = result == CLI_GO_ON ? measure_json_dump(&json) : NULL;
    if (result == CLI_GO_ON && data == NULL)
        result = json.bad[0] != '\0' ? cli_fail(verb, "%s is not finite", json.bad) : cli_fail(verb, "out of memory");
    if (data != NULL) write_template(text->title, data, stream);
    free(data);
    measure_json_free(&json);
    return result;
}
