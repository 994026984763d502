/* The table of options: defaults, ranges, words, and what an error says. */
#include "dynamics/robots.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double value_of(const tacOptions *options, const tacOptionInfo *o) {
    const char *field = (const char *)options + o->offset;
    return o->kind == TAC_OPTION_REAL ? *(const double *)field : (double)*(const int *)field;
}

/* Every default makes a simulation, and is the table's where the model does not give it. */
static void defaults_are_the_tables(void **state) {
    (void)state;
    tacModel *model = robot_pendulum();
    tacOptions options = tac_default_options(model);
    const tacOptionInfo *o;
    int n = 0;
    for (; (o = tac_option_info(n)) != NULL; n++) {
        int models = strstr(o->text, "default: ") != NULL;
        if (!models) CHECK(value_of(&options, o) == o->value);
    }
    CHECK(n >= 20);
    CHECK(tac_option_info(-1) == NULL);
    CHECK(options.contact == TAC_CONTACT_MODEL_SOFT && options.dt == *model->option_timestep);
    CHECK(tac_sim_bytes(model, &options) > 0);
    tac_model_free(model);
}

/* Just outside its range each option is refused by name, by simulations and by tac_option_set. */
static void values_outside_are_refused(void **state) {
    (void)state;
    tacModel *model = robot_pendulum();
    const tacOptionInfo *o;
    for (int i = 0; (o = tac_option_info(i)) != NULL; i++) {
        tacOptions options = tac_default_options(model);
        tacError err;
        char *field = (char *)&options + o->offset, text[64];
        double bad = o->range & TAC_RANGE_ABOVE ? o->least : o->kind == TAC_OPTION_REAL ? -1 : o->least - 1;
        if (o->kind == TAC_OPTION_REAL)
            memcpy(field, &bad, sizeof bad);
        else
            memcpy(field, &(int){(int)bad}, sizeof(int));
        tacSim *sim = NULL;
        CHECK(tac_sim_new(model, &options, &sim, &err) == TAC_ERR_ARGUMENT);
        CHECK(strstr(err.text, o->name) != NULL && strstr(err.text, "expected") != NULL);
        options = tac_default_options(model);
        snprintf(text, sizeof text, "%g", bad);
        CHECK(tac_option_set(&options, o->name, text, &err) == TAC_ERR_ARGUMENT);
        CHECK(strstr(err.text, o->name) != NULL);
        CHECK(tac_sim_bytes(model, &options) > 0); /* it was left as it was */
    }
    tac_model_free(model);
}

/* Just above its range, where it has an end. */
static void values_above_are_refused(void **state) {
    (void)state;
    tacModel *model = robot_pendulum();
    const tacOptionInfo *o;
    int ends = 0;
    for (int i = 0; (o = tac_option_info(i)) != NULL; i++) {
        tacOptions options = tac_default_options(model);
        char text[64];
        if (o->kind == TAC_OPTION_CHOICE || o->most >= TAC_MOST_INT) continue;
        snprintf(text, sizeof text, "%.12g", o->range & TAC_RANGE_BELOW ? o->most : o->most + 1);
        CHECK(tac_option_set(&options, o->name, text, NULL) == TAC_ERR_ARGUMENT);
        snprintf(text, sizeof text, "%.12g", o->range & TAC_RANGE_BELOW ? 0.999 * o->most : o->most);
        CHECK(tac_option_set(&options, o->name, text, NULL) == TAC_OK);
        ends++;
    }
    CHECK(ends >= 5);
    tac_model_free(model);
}

/* What asks for another kind of step is for its own contact model; the rest is not read. */
static void options_of_another_contact_model(void **state) {
    (void)state;
    tacModel *model = robot_pendulum();
    tacOptions options = tac_default_options(model);
    options.bounce_speed = HUGE_VAL;
    options.ncp_polish = 3;
    CHECK(tac_sim_bytes(model, &options) > 0);
    options.toi = 1;
    CHECK(tac_sim_bytes(model, &options) == 0);
    options.contact = TAC_CONTACT_MODEL_LCP;
    CHECK(tac_sim_bytes(model, &options) > 0);
    CHECK(tac_option_set(&(tacOptions){0}, "dt", "0.1", NULL) == TAC_ERR_OPTIONS);
    tac_model_free(model);
}

static void words_and_numbers_are_read(void **state) {
    (void)state;
    tacModel *model = robot_pendulum();
    tacOptions options = tac_default_options(model);
    tacError err;
    CHECK(tac_option_set(&options, "contact", "ncp", NULL) == TAC_OK && options.contact == TAC_CONTACT_MODEL_NCP);
    CHECK(tac_option_set(&options, "ncp_kappa", "1e-6", NULL) == TAC_OK && options.ncp_kappa == 1e-6);
    CHECK(tac_option_set(&options, "ncp_gradient_kappa", "0", NULL) == TAC_OK && options.ncp_gradient_kappa == 0);
    CHECK(tac_option_set(&options, "ncp_iterations", "7", NULL) == TAC_OK && options.ncp_iterations == 7);
    const char *const bad[][2] = {{"contact", "hard"},
                                  {"contact", ""},
                                  {"contact", "nc"},
                                  {"dt", "1e999"},
                                  {"dt", "nan"},
                                  {"dt", "0.1s"},
                                  {"dt", ""},
                                  {"ncp_iterations", "1.5"},
                                  {"ncp_iterations", "1e300"},
                                  {"dt", " 1"},
                                  {"dt", "1e-400"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(tac_option_set(&options, bad[i][0], bad[i][1], &err) == TAC_ERR_ARGUMENT);
    CHECK(tac_option_set(&options, "contact", "hard", &err) == TAC_ERR_ARGUMENT);
    CHECK(strstr(err.text, "one of none, lcp, ncp, soft") != NULL);
    CHECK(tac_option_set(&options, "kappa", "1", &err) == TAC_ERR_NAME);
    CHECK(options.contact == TAC_CONTACT_MODEL_NCP && options.ncp_iterations == 7);
    tac_model_free(model);
}

static void contact_models_have_words(void **state) {
    (void)state;
    CHECK(strcmp(tac_contact_text(TAC_CONTACT_MODEL_NONE), "none") == 0 &&
          strcmp(tac_contact_text(TAC_CONTACT_MODEL_SOFT), "soft") == 0);
    CHECK(strcmp(tac_contact_text((tacContactModel)TAC_CONTACT_MODEL_COUNT), "unknown contact model") == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_tables),    cmocka_unit_test(values_outside_are_refused),
        cmocka_unit_test(values_above_are_refused),   cmocka_unit_test(options_of_another_contact_model),
        cmocka_unit_test(words_and_numbers_are_read), cmocka_unit_test(contact_models_have_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
