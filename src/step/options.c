#include "step/options.h"

#include "collide/filter.h"
#include "base/error.h"
#include "base/platform.h"
#include "math/scalar.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The table ---------------------------------------------------------------------------------------------------- */

#define RANGE(least, most, bits) least, most, bits
#define X(name, kind, value, range, contacts, words, flag, text)                                                       \
    {#name, TAC_OPTION_##kind, offsetof(tacOptions, name), value, range, contacts, words, flag, text},
static const tacOptionInfo OPTIONS[] = {TAC_OPTION_TABLE(X, RANGE)};
#undef X
enum { NOPTION = sizeof OPTIONS / sizeof *OPTIONS };

_Static_assert(sizeof(tacContactModel) == sizeof(int) && sizeof(tacIntegrator) == sizeof(int) &&
                   sizeof(tacGradientMode) == sizeof(int) && sizeof(tacNcpFriction) == sizeof(int) &&
                   sizeof(tacSolver) == sizeof(int),
               "choices are ints");

const tacOptionInfo *tac_option_info(int i) { return i >= 0 && i < NOPTION ? &OPTIONS[i] : NULL; }

static double value_of(const tacOptions *options, const tacOptionInfo *info) {
    const char *field = (const char *)options + info->offset;
    return info->kind == TAC_OPTION_REAL ? *(const double *)field : (double)*(const int *)field;
}

static void set_value(tacOptions *options, const tacOptionInfo *info, double value) {
    char *field = (char *)options + info->offset;
    if (info->kind == TAC_OPTION_REAL)
        *(double *)field = value;
    else
        *(int *)field = (int)value;
}

tacOptions tac_default_options(const tacModel *model) {
    tacOptions options = {.cookie = 0};
    if (model == NULL) return options; /* without a cookie: refused wherever it is used */
    for (int i = 0; i < NOPTION; i++)
        set_value(&options, &OPTIONS[i], OPTIONS[i].value);
    options.cookie = TAC_OPTIONS_COOKIE;
    options.integrator = (tacIntegrator)*model->option_integrator;
    options.dt = *model->option_timestep;
    options.max_contacts = tac_max_contacts(model);
    if (*model->option_solver == TAC_SOLVER_CG) options.soft_solver = TAC_SOLVER_CG;
    return options;
}

/* --- Ranges ------------------------------------------------------------------------------------------------------- */

static int is_in_range(const tacOptionInfo *o, double x) {
    if (x == 0 && o->range & TAC_RANGE_OR_ZERO) return 1;
    if (x == TAC_INFINITY && o->range & TAC_RANGE_INFINITE) return 1;
    int low = o->range & TAC_RANGE_ABOVE ? x > o->least : x >= o->least;
    return low && (o->range & TAC_RANGE_BELOW ? x < o->most : x <= o->most);
}

enum { EXPECTED = 160 };

/* "one of exact, bounce, complementarity"; "a finite number above 0". */
static void describe_range(const tacOptionInfo *o, char text[EXPECTED]) {
    if (o->kind == TAC_OPTION_CHOICE) {
        size_t n = (size_t)snprintf(text, EXPECTED, "one of ");
        for (const char *c = o->words; c[1] != '\0' && n + 3 < EXPECTED; c++) { /* without the last bar */
            text[n++] = *c == '|' ? ',' : *c;
            if (*c == '|') text[n++] = ' ';
        }
        text[n] = '\0';
        return;
    }
    int open = o->most >= TAC_MOST_REAL;
    int n = snprintf(text, EXPECTED, "%s %s %g", o->kind == TAC_OPTION_REAL ? "a finite number" : "an integer",
                     o->range & TAC_RANGE_ABOVE ? "above" : "of at least", o->least);
    if (!open)
        n += snprintf(text + n, (size_t)(EXPECTED - n), " and %s %.10g",
                      o->range & TAC_RANGE_BELOW ? "below" : "at most", o->most);
    if (o->range & TAC_RANGE_OR_ZERO) snprintf(text + n, (size_t)(EXPECTED - n), ", or 0");
}

static tacStatus refuse_value(const tacOptionInfo *o, double value, tacError *err) {
    char expected[EXPECTED];
    describe_range(o, expected);
    return tac_fail(err, TAC_ERR_ARGUMENT, "option %s is %g: expected %s", o->name, value, expected);
}

tacStatus tac_check_option(const char *name, double value, tacError *err) {
    const tacOptionInfo *o = OPTIONS;
    while (o < OPTIONS + NOPTION && strcmp(o->name, name) != 0)
        o++;
    return o < OPTIONS + NOPTION && is_in_range(o, value) ? TAC_OK : refuse_value(o, value, err);
}

/* Options of another contact model are not read; those that ask for another kind of step are refused. */
static int is_refused(const tacOptionInfo *o, const tacOptions *options) {
    int reads = o->contacts == 0 || o->contacts & TAC_CONTACT_BIT(options->contact);
    return o->range & TAC_RANGE_OWN && !reads && value_of(options, o) != o->value;
}

static tacStatus check_options(const tacOptions *options, tacError *err) {
    if (options->cookie != TAC_OPTIONS_COOKIE)
        return tac_fail(err, TAC_ERR_OPTIONS, "options were not made by tac_default_options");
    for (int i = 0; i < NOPTION; i++) {
        double value = value_of(options, &OPTIONS[i]);
        if (!is_in_range(&OPTIONS[i], value)) return refuse_value(&OPTIONS[i], value, err);
        if (is_refused(&OPTIONS[i], options))
            return tac_fail(err, TAC_ERR_ARGUMENT, "option %s does not apply to contact %s, expected its default",
                            OPTIONS[i].name, tac_contact_text(options->contact));
    }
    return TAC_OK;
}

/* --- Values from text --------------------------------------------------------------------------------------------- */

/* Index of a word among "a|b|c|", or -1. */
static int find_word(const char *words, const char *text) {
    size_t n = strlen(text);
    for (int i = 0; *words != '\0'; i++) {
        size_t length = (size_t)(strchr(words, '|') - words);
        if (length == n && strncmp(words, text, n) == 0) return i;
        words += length + 1;
    }
    return -1;
}

/* Decimal, in the "C" locale whatever the thread has. No blanks, hexadecimal, nan or inf; no overflow or underflow. */
static int read_number(const tacOptionInfo *o, const char *text, double *value) {
    char *end;
    if (text[0] == '\0' || strpbrk(text, "xXnN \t\n\v\f\r") != NULL) return 0;
    errno = 0;
    *value = tac_number_of_text(text, &end);
    int whole = *end == '\0' && errno != ERANGE;
    return whole && (o->kind == TAC_OPTION_REAL || (tac_abs(*value) <= TAC_MOST_INT && *value == (double)(int)*value));
}

tacStatus tac_option_set(tacOptions *options, const char *name, const char *text, tacError *err) {
    if (options == NULL || name == NULL || text == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "options, name or text is NULL");
    if (!tac_options_are_set(options))
        return tac_fail(err, TAC_ERR_OPTIONS, "options were not made by tac_default_options");
    const tacOptionInfo *o = OPTIONS;
    while (o < OPTIONS + NOPTION && strcmp(o->name, name) != 0)
        o++;
    if (o == OPTIONS + NOPTION) return tac_fail(err, TAC_ERR_NAME, "unknown option '%s'", name);
    double value = -1;
    int read = 1;
    if (o->kind == TAC_OPTION_CHOICE)
        value = find_word(o->words, text);
    else
        read = read_number(o, text, &value);
    if (!read || !is_in_range(o, value)) {
        char expected[EXPECTED];
        describe_range(o, expected);
        return tac_fail(err, TAC_ERR_ARGUMENT, "option %s is \"%s\": expected %s", name, text, expected);
    }
    set_value(options, o, value);
    return TAC_OK;
}

/* --- What runs ---------------------------------------------------------------------------------------------------- */

#define X(NAME, name, text) [TAC_CONTACT_MODEL_##NAME] = TAC_STEPPERS_##NAME,
static const tacStepper *const *const STEPPERS[] = {TAC_CONTACT_MODELS(X)};
#undef X
static const char *const INTEGRATOR_NAMES[] = {"Euler", "RK4",      "implicit", "implicitfast", "RKMK4",
                                               "spin",  "coriolis", "tsit5",    "dopri5",       "dopri8",
                                               "bosh3", "heun",     "ralston",  "midpoint",     "stiff"};

const tacStepper *tac_find_stepper(const tacOptions *options) {
    for (const tacStepper *const *one = STEPPERS[options->contact]; *one != NULL; one++)
        if ((*one)->integrators & TAC_HAS(options->integrator) && (*one)->toi == options->toi) return *one;
    return NULL;
}

static int any_stepper(const tacStepper *const *one, tacStepperTest *has) {
    while (*one != NULL && !has(*one))
        one++;
    return *one != NULL;
}

const char *tac_contacts_with(tacStepperTest *has, char text[TAC_CONTACT_WORDS]) {
    size_t n = 0;
    text[0] = '\0';
    for (int contact = 0; contact < TAC_CONTACT_MODEL_COUNT; contact++)
        if (any_stepper(STEPPERS[contact], has) && n < TAC_CONTACT_WORDS)
            n += (size_t)snprintf(text + n, TAC_CONTACT_WORDS - n, "%s%s", n > 0 ? ", " : "",
                                  tac_contact_text((tacContactModel)contact));
    return text;
}

static tacStatus refuse_integrator(const tacModel *model, const tacOptions *options, tacError *err) {
    char has[192] = "";
    for (int i = 0, n = 0; i <= TAC_INTEGRATOR_STIFF && n < (int)sizeof has; i++) {
        tacOptions other = *options;
        other.integrator = (tacIntegrator)i;
        if (tac_find_stepper(&other) != NULL)
            n += snprintf(has + n, sizeof has - (size_t)n, "%s%s", n > 0 ? ", " : "", INTEGRATOR_NAMES[i]);
    }
    return tac_fail(err, TAC_ERR_UNSUPPORTED,
                    "option integrator is %s, which contact %s does not have: expected %s, or the model's integrator "
                    "(%s), which is then replaced",
                    INTEGRATOR_NAMES[options->integrator], tac_contact_text(options->contact), has,
                    INTEGRATOR_NAMES[*model->option_integrator]);
}

/* Contacts from features know neither pads nor sums. A pad that is a parameter may become one. */
static tacStatus refuse_growing(const tacModel *model, const tacOptions *options, tacError *err) {
    int geom = tac_first_growing(model);
    int pairs = options->contact == TAC_CONTACT_MODEL_NCP && options->ncp_collision != TAC_NCP_FEATURES;
    if (geom < 0 || pairs) return TAC_OK;
    tac_fail(err, TAC_ERR_UNSUPPORTED,
             "geom '%s' has a %s, which contact %s does not have: expected contact ncp with "
             "collision single-level, or none",
             tac_model_name(model, TAC_KIND_GEOM, geom), model->geom_sum[geom] >= 0 ? "sum" : "pad",
             tac_contact_text(options->contact));
    if (err != NULL) {
        err->kind = TAC_KIND_GEOM;
        err->id = geom;
    }
    return TAC_ERR_UNSUPPORTED;
}

/* One contact a pair has no bounces. */
static tacStatus refuse_restitution(const tacModel *model, const tacOptions *options, tacError *err) {
    if (options->contact != TAC_CONTACT_MODEL_NCP || options->ncp_collision == TAC_NCP_FEATURES) return TAC_OK;
    for (int g = 0; g < model->ngeom; g++)
        if (model->geom_restitution[g] > 0) {
            tac_fail(err, TAC_ERR_UNSUPPORTED,
                     "geom '%s' has restitution %g, which collision single-level does not have: expected 0, or "
                     "collision features",
                     tac_model_name(model, TAC_KIND_GEOM, g), model->geom_restitution[g]);
            if (err != NULL) err->kind = TAC_KIND_GEOM, err->id = g;
            return TAC_ERR_UNSUPPORTED;
        }
    return TAC_OK;
}

tacStatus tac_resolve_options(const tacModel *model, const tacOptions *asked, tacOptions *in_use, tacError *err) {
    TAC_TRY(check_options(asked, err));
    *in_use = *asked;
    int own = (int)asked->integrator == *model->option_integrator;
    if (own && tac_find_stepper(in_use) == NULL) in_use->integrator = TAC_INTEGRATOR_EULER;
    const tacStepper *stepper = tac_find_stepper(in_use);
    if (stepper == NULL) return refuse_integrator(model, in_use, err);
    if (stepper->contacts == NULL) return TAC_OK;
    TAC_TRY(refuse_restitution(model, in_use, err));
    return refuse_growing(model, in_use, err);
}
