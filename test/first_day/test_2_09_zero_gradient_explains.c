/* tac_explain_step: what it says of friction and contacts is what the derivatives do. */
#include "support/check.h"

#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NDX = 12, TEXT = 4096 };
static const char *const NO_EFFECT =
    "friction has no first-order effect here. For a softer gradient, use --contact ncp";

typedef struct Scene {
    tacModel *m;
    tacOptions o;
    tacSim *sim;
    double x[13];
} Scene;

/* A box on the floor, whose friction is a parameter. */
static Scene new_scene(tacContactModel contact, int cone, int condim) {
    tacBuilder *b = tac_model_begin();
    tacGeomDef floor = tac_default_geom(), box = tac_default_geom();
    tacBodyDef body = tac_default_body();
    tacJointDef free_joint = tac_default_joint();
    tacOptionDef option = tac_default_option();
    Scene s = {0};
    tacError err;
    option.cone = cone, option.timestep = 0.002;
    tac_model_set_option(b, &option);
    floor.name = "floor", floor.type = TAC_GEOM_PLANE, floor.size[0] = floor.size[1] = 5, floor.size[2] = 0.1;
    floor.friction[0] = 0.2, floor.condim = condim;
    box.type = TAC_GEOM_BOX, box.size[0] = box.size[1] = box.size[2] = 0.1, box.mass = 1;
    box.friction[0] = 0.5, box.condim = condim;
    body.name = "brick", free_joint.type = TAC_JOINT_FREE, free_joint.name = "root";
    tac_model_add_geom(b, 0, &floor);
    int id = tac_model_add_body(b, 0, &body);
    tac_model_add_joint(b, id, &free_joint);
    tac_model_add_geom(b, id, &box);
    if (tac_model_finish(b, &s.m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    CHECK_INT(tac_param_register(s.m, "geom/#1.friction[0]", NULL, &err), TAC_OK);
    s.o = tac_default_options(s.m);
    s.o.contact = contact;
    tac_default_state(s.m, s.x);
    s.x[2] = 0.0999;
    return s;
}

static void open_scene(Scene *s) {
    tacError err;
    if (tac_sim_new(s->m, &s->o, &s->sim, &err) != TAC_OK) fail_msg("%s", err.text);
}

static void close_scene(Scene *s) {
    tac_sim_free(s->sim);
    tac_model_free(s->m);
}

/* Largest entry of the derivative by the coefficient of friction. */
static double effect_of_friction(Scene *s) {
    double P[NDX], y[13], most = 0;
    CHECK_INT(tac_step_jac(s->sim, s->x, NULL, y, &(tacJac){.P = P}, NULL), TAC_OK);
    for (int i = 0; i < NDX; i++)
        most = fmax(most, fabs(P[i]));
    return most;
}

static const char *explain(Scene *s, char text[TEXT]) {
    CHECK_INT(tac_explain_step(s->sim, s->x, NULL, text, TEXT), TAC_OK);
    return text;
}

static int has(const char *text, const char *part) { return strstr(text, part) != NULL; }

/* For every model, cone and condim, at rest, creeping and sliding: the sentence is there exactly where P is zero. */
static void friction_is_told_as_it_is(void **state) {
    (void)state;
    static const tacContactModel MODELS[] = {TAC_CONTACT_MODEL_LCP, TAC_CONTACT_MODEL_SOFT};
    static const double SPEEDS[] = {0.0005, 1};
    char text[TEXT];
    for (int i = 0; i < 2 * 2 * 4 * 2; i++) {
        int condim = (const int[]){1, 3, 4, 6}[i / 4 % 4];
        if (MODELS[i % 2] == TAC_CONTACT_MODEL_LCP && condim > 3) continue;
        Scene s = new_scene(MODELS[i % 2], i / 16 % 2 ? TAC_CONE_ELLIPTIC : TAC_CONE_PYRAMIDAL, condim);
        open_scene(&s);
        s.x[7] = SPEEDS[i / 2 % 2], s.x[10] = 1e-4, s.x[12] = 1e-4;
        explain(&s, text);
        int none = has(text, NO_EFFECT) || has(text, "friction has no effect");
        CHECK_INT(none, effect_of_friction(&s) == 0);
        CHECK_HAS(text, "\"floor\" and #1 of \"brick\"");
        CHECK_HAS(text, condim == 1 ? "frictionless" : s.x[7] > 0.1 ? "sliding" : "sticking");
        close_scene(&s);
    }
}

/* What is offered instead has a gradient, and it is of the size of kappa. */
static void softer_gradient(void **state) {
    (void)state;
    char text[TEXT];
    for (int k = 0; k < 2; k++) {
        Scene s = new_scene(TAC_CONTACT_MODEL_NCP, TAC_CONE_ELLIPTIC, 3);
        s.o.ncp_kappa = k == 0 ? 1e-8 : 1e-4;
        open_scene(&s);
        s.x[7] = 0.0005;
        double effect = effect_of_friction(&s);
        CHECK(effect > 0.01 * s.o.ncp_kappa && effect < 100 * s.o.ncp_kappa);
        CHECK_HAS(explain(&s, text), "4 contacts, all sticking");
        CHECK_HAS(text, k == 0 ? "of the order of kappa, here 1e-08" : "of the order of kappa, here 0.0001");
        close_scene(&s);
    }
}

static void other_causes(void **state) {
    (void)state;
    char text[TEXT], little[24];
    Scene s = new_scene(TAC_CONTACT_MODEL_NONE, TAC_CONE_ELLIPTIC, 3);
    open_scene(&s);
    CHECK_HAS(explain(&s, text), "Contact is off");
    close_scene(&s);
    s = new_scene(TAC_CONTACT_MODEL_LCP, TAC_CONE_ELLIPTIC, 3);
    open_scene(&s);
    s.x[2] = 1;
    CHECK_HAS(explain(&s, text), "No contact");
    s.x[2] = 0.05;
    CHECK_HAS(explain(&s, text),
              "The initial state violates a constraint: geoms \"floor\" and #1 of \"brick\" overlap by 0.05 m");
    CHECK_INT(tac_explain_step(s.sim, s.x, NULL, little, sizeof little), TAC_OK);
    CHECK(strlen(little) == sizeof little - 1 && strncmp(little, text, sizeof little - 1) == 0);
    s.x[0] = (double)NAN;
    CHECK_INT(tac_explain_step(s.sim, s.x, NULL, text, TEXT), TAC_ERR_NONFINITE);
    CHECK_STR(text, "");
    CHECK_INT(tac_explain_step(s.sim, s.x, NULL, NULL, TEXT), TAC_ERR_ARGUMENT);
    close_scene(&s);
    s = new_scene(TAC_CONTACT_MODEL_NCP, TAC_CONE_ELLIPTIC, 3);
    s.o.ncp_iterations = 1;
    open_scene(&s);
    CHECK_INT(tac_explain_step(s.sim, s.x, NULL, text, TEXT), TAC_ERR_UNSOLVED);
    CHECK_HAS(text, "The step was not solved");
    CHECK_HAS(text, "its iterations were used up");
    close_scene(&s);
}

/* Explaining changes nothing: the step has the same bits before and after. */
static void changes_nothing(void **state) {
    (void)state;
    char text[TEXT], again[TEXT];
    Scene s = new_scene(TAC_CONTACT_MODEL_SOFT, TAC_CONE_ELLIPTIC, 3);
    double before[13], after[13];
    open_scene(&s);
    CHECK_INT(tac_step(s.sim, s.x, NULL, before, NULL), TAC_OK);
    explain(&s, text);
    CHECK_INT(tac_step(s.sim, s.x, NULL, after, NULL), TAC_OK);
    CHECK(memcmp(before, after, sizeof before) == 0);
    CHECK_STR(explain(&s, again), text);
    close_scene(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(friction_is_told_as_it_is), cmocka_unit_test(softer_gradient),
                                       cmocka_unit_test(other_causes), cmocka_unit_test(changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
