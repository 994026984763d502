/* Contact is on unless the caller turns it off: what falls on the floor stays there. */
#include "support/check.h"

#include "tactus/tactus.h"

/* m: a ball of radius 0.1 at rest on soft contact lies at most this much lower. */
#define SINKS_AT_MOST 0.005

static tacModel *ball_above_floor(void) {
    tacBuilder *b = tac_model_begin();
    tacGeomDef floor = tac_default_geom(), ball = tac_default_geom();
    floor.type = TAC_GEOM_PLANE, floor.size[0] = floor.size[1] = floor.size[2] = 1;
    ball.type = TAC_GEOM_SPHERE, ball.size[0] = 0.1;
    tac_model_add_geom(b, 0, &floor);
    tacBodyDef body = tac_default_body();
    body.pos = (tacVec3){0, 0, 0.3};
    int id = tac_model_add_body(b, 0, &body);
    tacJointDef joint = tac_default_joint();
    joint.type = TAC_JOINT_FREE;
    tac_model_add_joint(b, id, &joint);
    tac_model_add_geom(b, id, &ball);
    tacModel *m = NULL;
    CHECK_INT(tac_model_finish(b, &m, NULL), TAC_OK);
    tac_builder_free(b);
    return m;
}

/* Height of the ball after 500 steps. */
static double height_after_fall(const tacModel *m, const tacOptions *options) {
    tacSim *sim = NULL;
    double x[13];
    CHECK_INT(tac_sim_new(m, options, &sim, NULL), TAC_OK);
    tac_default_state(m, x);
    for (int k = 0; k < 500; k++)
        CHECK_INT(tac_step(sim, x, NULL, x, NULL), TAC_OK);
    tac_sim_free(sim);
    return x[2];
}

static void ball_lands(void **state) {
    (void)state;
    tacModel *m = ball_above_floor();
    tacOptions options = tac_default_options(m);
    CHECK_INT(options.contact, TAC_CONTACT_MODEL_SOFT);
    CHECK_NEAR(height_after_fall(m, &options), 0.1, SINKS_AT_MOST);
    options.contact = TAC_CONTACT_MODEL_NONE;
    CHECK(height_after_fall(m, &options) < -4);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ball_lands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
