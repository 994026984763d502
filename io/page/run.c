/* What ran: options, how it ended, and the motions along a parameter. */
#include "io/page/data.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WORD = 64 };

/* "exact|bounce|", 1 -> "bounce" */
static void copy_word(const char *words, int i, char *out, size_t size) {
    while (i-- > 0 && strchr(words, '|') != NULL)
        words = strchr(words, '|') + 1;
    snprintf(out, size, "%.*s", (int)strcspn(words, "|"), words);
}

/* An option's value; a choice as its word. */
static void put_option(tacText *out, const tacOptionInfo *info, const tacOptions *options) {
    const char *field = (const char *)options + info->offset;
    char word[WORD];
    int integer;
    double real;
    tac_json_open(out, NULL, '{');
    tac_json_string(out, "name", info->name);
    memcpy(&integer, field, sizeof integer);
    if (info->kind == TAC_OPTION_REAL) {
        memcpy(&real, field, sizeof real);
        tac_json_number(out, "value", real);
    } else if (info->kind == TAC_OPTION_INT) {
        tac_json_integer(out, "value", integer);
    } else {
        copy_word(info->words, integer, word, sizeof word);
        tac_json_string(out, "value", word);
    }
    tac_json_string(out, "text", info->text);
    tac_json_close(out, '{');
}

static const char *integrator_word(const tacOptions *options, char *word, size_t size) {
    if (options->contact == TAC_CONTACT_MODEL_NCP && options->integrator == TAC_INTEGRATOR_EULER) return "variational";
    for (int i = 0; tac_option_info(i) != NULL; i++)
        if (strcmp(tac_option_info(i)->name, "integrator") == 0)
            copy_word(tac_option_info(i)->words, (int)options->integrator, word, size);
    return word;
}

/* The options that run: those of the simulation, which has the integrator that the contact model takes. */
static tacStatus options_that_run(const tacPage *page, tacOptions *options, tacError *err) {
    tacSim *sim;
    TAC_TRY(tac_sim_new(page->model, page->options, &sim, err));
    tacStatus status = tac_sim_options(sim, options);
    tac_sim_free(sim);
    return status;
}

tacStatus tac_page_run(tacText *out, const tacPage *page, tacError *err) {
    tacOptions options;
    char word[WORD] = "";
    TAC_TRY(options_that_run(page, &options, err));
    tac_json_string(out, "title", page->title);
    tac_json_string(out, "command", page->command);
    tac_json_string(out, "version", tac_version());
    tac_json_boolean(out, "ran", page->steps >= 0);
    tacStatus told = page->status == TAC_OK && page->unsolved > 0 ? TAC_ERR_UNSOLVED : page->status;
    tac_json_string(out, "status", tac_status_text(told));
    tac_json_boolean(out, "complete", page->status == TAC_OK);
    tac_json_integer(out, "unsolved", page->unsolved);
    tac_json_boolean(out, "infeasible", page->bad_start);
    tac_json_string(out, "contact", tac_contact_text(options.contact));
    tac_json_string(out, "integrator", integrator_word(&options, word, sizeof word));
    tac_json_number(out, "dt", options.dt);
    tac_json_integer(out, "steps", page->steps);
    tac_json_number(out, "seconds", page->seconds);
    tac_json_open(out, "options", '[');
    for (int i = 0; tac_option_info(i) != NULL; i++) {
        const tacOptionInfo *info = tac_option_info(i);
        if (info->contacts == 0 || (info->contacts & TAC_CONTACT_BIT(options.contact)) != 0)
            put_option(out, info, &options);
    }
    tac_json_close(out, '[');
    return TAC_OK;
}

tacStatus tac_page_gradient(tacText *out, const tacPage *page, tacError *err) {
    const tacPageGradient *g = page->gradient;
    tac_json_open(out, "gradient", '{');
    tac_json_string(out, "name", g->name);
    tac_json_string(out, "unit", g->unit != NULL ? g->unit : "");
    tac_json_integer(out, "body", g->body);
    tac_json_numbers(out, "derivative", 3, g->derivative);
    tac_json_integer(out, "own", g->own);
    tac_json_numbers(out, "values", g->n, g->value);
    tac_json_open(out, "motions", '[');
    for (int i = 0; i < g->n; i++)
        TAC_TRY(tac_page_motion(out, NULL, page, g->model != NULL ? g->model[i] : page->model, g->x[i], err));
    tac_json_close(out, '[');
    tac_json_close(out, '{');
    return TAC_OK;
}
