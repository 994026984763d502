/* Restitution in the contact model lcp: impacts with known answers, and the two gradients of a bounce. */
#include "physics/bounce_world.h"

#include <math.h>
#include <string.h>

/* Compliance of contacts: a millionth of the impulse. */
#define TOL_IMPACT 3e-6
/* Extrapolated differences with steps of 3e-5. */
#define TOL_GRADIENT 1e-7
#define TOL_REVERSE  1e-10
/* The corrected gradient of one bounce, by what is asked of it. */
#define TOL_BOUNCE 1e-6

/* Two hinged bodies. A step of 1 ms changes energy by a share of h |w| besides. */
#define TOL_GAIN 2e-3
/* Differences of ncp have 5e-6 of rounding at steps of 1e-6, and 6e-6 of bending at 8e-6; evidence_bounce has
 * better. */
#define TOL_GRADIENT_NCP 4e-6
#define TOL_REVERSE_NCP  1e-6
#define LIMITED_STEP     8e-6
#define LIMITED_STEP_NCP 3e-6
#define HINGE            0.8  /* m: height of the first hinge */
#define RADIUS           0.02 /* m: of the rods */

enum { RODS = 2000 };
static const double STEP = 3e-5;
static const Thing BALL = {TAC_GEOM_SPHERE, {0.1, 0, 0}, 1, {0, 0, 0.105}, 0.5};

static tacOptions bounce_gradient(tacOptions options) {
    options.gradient = TAC_GRADIENT_BOUNCE;
    return options;
}

/* v+ = -e v, in the step in which the gap closes; the larger restitution counts. */
static void leaves_with_its_share(void **state) {
    (void)state;
    const double e[][2] = {{0.5, 0}, {0.5, 0.8}, {1, 0.2}, {0, 0}};
    for (int i = 0; i < 4; i++) {
        Thing ball = BALL;
        ball.restitution = e[i][0];
        World w = bounce_world(1, &ball, (WorldSetup){0, 0.01, 0, e[i][1], 0, NULL});
        double share = fmax(e[i][0], e[i][1]);
        w.x[w.m->nq + 2] = -1;
        world_run(&w, 1);
        /* without restitution it comes to the surface first */
        CHECK_NEAR(w.x[w.m->nq + 2], share > 0 ? share : -0.5, TOL_IMPACT);
        world_run(&w, 1);
        CHECK_NEAR(w.x[w.m->nq + 2], share, TOL_IMPACT);
        world_end(&w);
    }
}

/* Slower than the threshold, nothing bounces. */
static void slow_contacts_do_not_bounce(void **state) {
    (void)state;
    const double speed[] = {0.0099, 0.0101};
    for (int i = 0; i < 2; i++) {
        Thing ball = BALL;
        ball.pos.z = 0.1;
        World w = bounce_world(1, &ball, (WorldSetup){0, 0.01, 0, 1, 0, NULL});
        w.x[w.m->nq + 2] = -speed[i];
        world_run(&w, 1);
        CHECK_NEAR(w.x[w.m->nq + 2], i == 0 ? 0 : speed[i], TOL_IMPACT);
        world_end(&w);
    }
}

/* v1' = (m1 - e m2) v/(m1 + m2), v2' = (1 + e) m1 v/(m1 + m2) */
static void two_balls(void **state) {
    (void)state;
    const double ratio[] = {1, 10, 1e-3, 1e6, 1e-6}, e = 0.7;
    for (int i = 0; i < 5; i++) {
        double m1 = ratio[i], m2 = 1;
        Thing balls[2] = {BALL, BALL};
        balls[0].mass = m1, balls[1].pos.x = 0.205, balls[0].restitution = e;
        World w = bounce_world(2, balls, (WorldSetup){0, 0.01, 0, -1, 0, NULL});
        double *v = w.x + w.m->nq;
        v[0] = 1;
        world_run(&w, 1);
        CHECK_NEAR(v[0], (m1 - e * m2) / (m1 + m2), TOL_IMPACT);
        CHECK_NEAR(v[6], (1 + e) * m1 / (m1 + m2), TOL_IMPACT);
        world_end(&w);
    }
}

/* Sliding through: dv_t = -mu (1 + e) |v_n|; sticking: v_t+ = 5/7 v_t. */
static void oblique_impact(void **state) {
    (void)state;
    const double e = 0.5, vt = 1, vn = 1, mu[] = {0.1, 1};
    for (int i = 0; i < 2; i++) {
        Thing ball = BALL;
        ball.pos.z = ball.size[0]; /* points of contact are midway between the surfaces */
        World w = bounce_world(1, &ball, (WorldSetup){0, 0.01, mu[i], 0, 0, NULL});
        double *v = w.x + w.m->nq;
        v[0] = vt, v[2] = -vn;
        world_run(&w, 1);
        CHECK_NEAR(v[0], i == 0 ? vt - mu[i] * (1 + e) * vn : 5.0 / 7 * vt, TOL_IMPACT);
        CHECK_NEAR(v[2], e * vn, TOL_IMPACT);
        CHECK_INT(i == 0 ? w.info.sliding : w.info.sticking, 1);
        world_end(&w);
    }
}

/* A ball and a turning box bounce, each other way: all columns, restitution among them. */
static void exact_gradient(void **state) {
    (void)state;
    const Thing things[] = {{TAC_GEOM_SPHERE, {0.1, 0, 0}, 1, {0, 0, 0.103}, 0.5},
                            {TAC_GEOM_BOX, {0.1, 0.07, 0.05}, 2, {0.5, 0, 0.09}, 0.3},
                            {TAC_GEOM_SPHERE, {0.08, 0, 0}, 0.5, {0.05, 0.02, 0.275}, 0.9}};
    World w = bounce_world(3, things, (WorldSetup){9.81, 0.01, 0.4, 0.2, 1, NULL});
    const double v[18] = {0.3, -0.1, -1, 1, 2, -1, 0.1, 0.3, -1.2, 0.4, -0.6, 0.9, 0.1, -0.2, -3, 0.4, 0.2, 0.7};
    const double turn[18] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0.3, -0.4, 0.5};
    tac_qpos_add(w.m, w.x, turn, w.x);
    memcpy(w.x + w.m->nq, v, sizeof v);
    CHECK_LT(bounce_world_check(&w, STEP), TOL_GRADIENT);
    CHECK_INT(w.info.contacts, 3);
    CHECK_LT(bounce_world_reverse(&w), TOL_REVERSE);
    const int np = w.m->nparam;
    double A[36 * 36], P[36 * 20];
    CHECK(np <= 20);
    CHECK_INT(tac_step_jac(w.sim, w.x, NULL, NULL, &(tacJac){A, NULL, P}, NULL), TAC_OK);
    CHECK(fabs(P[20 * np + 1]) > 0.1); /* dvz of the first ball by its restitution */
    world_end(&w);
}

/* dq+/dq along the normal: 1 exactly, -e corrected; the rest as it is. */
static void corrected_gradient(void **state) {
    (void)state;
    for (int corrected = 0; corrected < 2; corrected++) {
        double A[144];
        World w = bounce_world(1, &BALL, (WorldSetup){0, 0.01, 0, 0, 1, corrected ? bounce_gradient : NULL});
        w.x[w.m->nq + 2] = -1, w.x[w.m->nq] = 0.3;
        CHECK_INT(tac_step_jac(w.sim, w.x, NULL, NULL, &(tacJac){A, NULL, NULL}, NULL), TAC_OK);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                CHECK_NEAR(A[i * 12 + j], i != j ? 0 : i == 2 && corrected ? -BALL.restitution : 1, TOL_BOUNCE);
        CHECK_NEAR(A[2 * 12 + 8], -BALL.restitution * 0.01, TOL_BOUNCE); /* by velocity: -e h in either */
        CHECK_NEAR(A[8 * 12 + 8], -BALL.restitution, TOL_IMPACT);
        CHECK_LT(bounce_world_reverse(&w), TOL_REVERSE);
        world_end(&w);
    }
}

/* Equal balls that hit each other elastically exchange their motions: each ends where the other would have. */
static void corrected_exchange(void **state) {
    (void)state;
    double A[24 * 24];
    Thing balls[2] = {BALL, BALL};
    balls[1].pos.x = 0.205, balls[0].restitution = 1;
    World w = bounce_world(2, balls, (WorldSetup){0, 0.01, 0, -1, 0, bounce_gradient});
    w.x[w.m->nq] = 1;
    CHECK_INT(tac_step_jac(w.sim, w.x, NULL, NULL, &(tacJac){A, NULL, NULL}, NULL), TAC_OK);
    CHECK_NEAR(A[0 * 24 + 6], 1, TOL_BOUNCE);
    CHECK_NEAR(A[0 * 24 + 0], 0, TOL_BOUNCE);
    CHECK_NEAR(A[6 * 24 + 0], 1, TOL_BOUNCE);
    CHECK_NEAR(A[6 * 24 + 6], 0, TOL_BOUNCE);
    CHECK_LT(bounce_world_reverse(&w), TOL_REVERSE);
    world_end(&w);
}

/* A box that lands flat bounces on four rows that depend on each other: what is asked of each still holds. */
static void corrected_redundant(void **state) {
    (void)state;
    double A[144];
    const Thing box = {TAC_GEOM_BOX, {0.1, 0.07, 0.05}, 2, {0, 0, 0.055}, 0.6};
    World w = bounce_world(1, &box, (WorldSetup){0, 0.01, 0, 0, 0, bounce_gradient});
    w.x[w.m->nq + 2] = -1;
    CHECK_INT(tac_step_jac(w.sim, w.x, NULL, NULL, &(tacJac){A, NULL, NULL}, &w.info), TAC_OK);
    CHECK_INT(w.info.contacts, 4);
    for (int corner = 0; corner < 4; corner++) {
        double sx = corner & 1 ? 0.1 : -0.1, sy = corner & 2 ? 0.07 : -0.07, seen = 0, size = 0;
        const double J[6] = {0, 0, 1, sy, -sx, 0};
        for (int i = 0; i < 6; i++) {
            size += J[i] * J[i];
            for (int j = 0; j < 6; j++)
                seen += J[i] * A[i * 12 + j] * J[j];
        }
        CHECK_NEAR(seen / size, -box.restitution, TOL_BOUNCE);
    }
    CHECK_LT(bounce_world_reverse(&w), TOL_REVERSE);
    world_end(&w);
}

static void bad_options(void **state) {
    (void)state;
    World w = bounce_world(1, &BALL, (WorldSetup){0, 0.01, 0, 0, 0, NULL});
    tacSim *sim;
    tacError err;
    tacOptions options = tac_default_options(w.m);
    options.gradient = TAC_GRADIENT_BOUNCE;
    CHECK_INT(tac_sim_new(w.m, &options, &sim, &err), TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "gradient");
    options = tac_default_options(w.m);
    options.bounce_speed = -1;
    CHECK_INT(tac_sim_new(w.m, &options, &sim, &err), TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "bounce_speed");
    options = tac_default_options(w.m);
    options.lcp_dense_rows = -1;
    CHECK_INT(tac_sim_new(w.m, &options, &sim, &err), TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "lcp_dense_rows");
    CHECK_INT(tac_param_set(w.m, "geom/#1.restitution", 1.5, &err), TAC_ERR_MODEL);
    CHECK_HAS(err.text, "restitution is 1.5, expected 0 to 1");
    world_end(&w);
}

/* --- Energy ------------------------------------------------------------------------------------------------------- */

/* Two hinged rods, the tip of the second one at the floor, at angles at which the tip slides and friction turns it
 * round. */
static World hinged_rods(tacContactModel contact, double e, double mu) {
    static const char *const numbers[] = {"geom/#1.mass", "geom/#2.mass", "geom/#2.restitution", "geom/#2.friction[0]",
                                          "option.timestep"};
    const double rod[3] = {RADIUS, 0.25, 0};
    World w = world_begin(0, 1e-3);
    tacOptionDef option = tac_default_option();
    option.timestep = 1e-3, option.gravity = (tacVec3){0, 0, 0};
    tac_model_set_option(w.b, &option);
    world_add_plane(&w, 0, 0.01);
    for (int k = 0, parent = 0; k < 2; k++) {
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        tacGeomDef geom = world_geom(TAC_GEOM_CAPSULE, rod, 1, mu);
        body.pos = (tacVec3){0, 0, k == 0 ? HINGE : -0.5};
        joint.type = TAC_JOINT_HINGE, joint.axis = (tacVec3){0, 1, 0};
        geom.pos = (tacVec3){0, 0, -0.25}, geom.restitution = k == 0 ? 0 : e;
        geom.contype = 1, geom.conaffinity = 2; /* the rods pass through each other */
        parent = tac_model_add_body(w.b, parent, &body);
        tac_model_add_joint(w.b, parent, &joint);
        tac_model_add_geom(w.b, parent, &geom);
    }
    world_finish(&w, contact);
    w.options.ncp_polish = 4; /* differences need solutions to rounding */
    for (int k = 0; k < 5; k++)
        CHECK_INT(tac_param_register(w.m, numbers[k], NULL, NULL), TAC_OK);
    world_start(&w);
    return w;
}

/* A random impact: the tip at the height 1e-5 m, HINGE - cos(a)/2 - cos(a + b)/2 - RADIUS, rods a and a + b from the
 * vertical. */
static void set_rods(World *w, uint64_t k) {
    double a = 0.05 + 0.8 * tac_random_uniform(k, 0, 0), fold = tac_random_uniform(k, 0, 1) < 0.5 ? -1 : 1;
    w->x[0] = a;
    w->x[1] = fold * acos(2 * (HINGE - RADIUS - 1e-5) - cos(a)) - a;
    for (uint64_t i = 0; i < 2; i++)
        w->x[2 + i] = tac_random_normal(k, 1, i);
}

static double kinetic_of(World *w, const double *v) {
    tacEnergy energy;
    CHECK_INT(tac_energy(w->sim, w->x, v, &energy), TAC_OK);
    return energy.kinetic;
}

/* Newton's law gives energy in some of these impacts. The share of restitution leaves as much as there was. */
static void hinged_bodies(void **state) {
    (void)state;
    const tacContactModel models[] = {TAC_CONTACT_MODEL_LCP, TAC_CONTACT_MODEL_NCP};
    for (int k = 0; k < 2; k++) {
        World w = hinged_rods(models[k], 0.3, 0.7);
        int limited = 0;
        double gradient = 0, reverse = 0, gains = 0;
        for (uint64_t i = 0; i < RODS; i++) {
            double y[4];
            set_rods(&w, i);
            CHECK_INT(tac_step(w.sim, w.x, NULL, y, &w.info), TAC_OK);
            CHECK(w.info.restitution_share > 0 && w.info.restitution_share <= 1);
            double gain = kinetic_of(&w, y + 2) / kinetic_of(&w, w.x + 2) - 1;
            if (w.info.contacts == 0 || w.info.restitution_share == 1) continue;
            limited++;
            gains = fmax(gains, fabs(gain));
            gradient = fmax(gradient, bounce_world_check(&w, k == 0 ? LIMITED_STEP : LIMITED_STEP_NCP));
            reverse = fmax(reverse, bounce_world_reverse(&w));
        }
        print_message("%s: %d of %d limited, gain %.1e, gradient off by %.1e, reverse by %.1e\n",
                      tac_contact_text(models[k]), limited, RODS, gains, gradient, reverse);
        CHECK(limited >= 5);
        CHECK_LT(gains, TOL_GAIN);
        CHECK_LT(gradient, k == 0 ? TOL_GRADIENT : TOL_GRADIENT_NCP);
        CHECK_LT(reverse, k == 0 ? TOL_REVERSE : TOL_REVERSE_NCP);
        world_end(&w);
    }
}

/* A ball whose slip keeps its direction, and a central impact at e = 1. */
static void slip_that_keeps_its_direction(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        Thing ball = BALL;
        ball.restitution = i == 0 ? 0.8 : 1;
        World w = bounce_world(1, &ball, (WorldSetup){0, 0.01, i == 0 ? 0.2 : 0, 0, 0, NULL});
        w.x[w.m->nq] = 3, w.x[w.m->nq + 2] = -1;
        world_run(&w, 1);
        CHECK(w.info.restitution_share == 1);
        CHECK_NEAR(w.x[w.m->nq + 2], ball.restitution, TOL_IMPACT);
        world_end(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_with_its_share),
        cmocka_unit_test(slow_contacts_do_not_bounce),
        cmocka_unit_test(two_balls),
        cmocka_unit_test(oblique_impact),
        cmocka_unit_test(exact_gradient),
        cmocka_unit_test(corrected_gradient),
        cmocka_unit_test(corrected_exchange),
        cmocka_unit_test(corrected_redundant),
        cmocka_unit_test(bad_options),
        cmocka_unit_test(hinged_bodies),
        cmocka_unit_test(slip_that_keeps_its_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
