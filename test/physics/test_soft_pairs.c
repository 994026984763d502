/* What a contact of the soft model takes from its pair, number by number, against closed forms; and what it mixes of
 * two geoms where there is no pair, by MuJoCo's rules.
 *
 * A ball on three slides presses on a plane. Its weight is its mass, so R_n = (1 - d)/(d m), and while it sticks rows
 * do not see each other: with D_n = d m/(1 - d), D_1 = impratio D_n, D_2 = (mu_2/mu_1)^2 D_1,
 *
 *   a_i = (D_i aref_i + m g_i)/(m + D_i),     aref_n = -B v_n - K d r,     aref_i = -B_slip v_i. */
#include "support/check.h"

#include "contact/soft/problem.h"

#include <math.h>
#include <string.h>

#define DT      2e-3
#define GRAVITY 9.81
#define RADIUS  0.1
#define MASS    1.7
#define DEPTH   5e-3
/* Of a_i in m/s^2: the difference of two velocities over a step. */
#define TOL_ACCELERATION 1e-11

/* Impedance that does not move with r, and a velocity at which the ball sticks. */
#define IMPEDANCE 0.9
static const double SOLIMP[5] = {IMPEDANCE, IMPEDANCE, 0.001, 0.5, 2};
static const double VELOCITY[3] = {0.02, -0.01, -0.015};

typedef struct Setting {
    tacCone cone;
    double impratio;
    int excluded, overridden;
    tacPairDef pair;
} Setting;

static Setting setting(void) {
    Setting s = {TAC_CONE_ELLIPTIC, 1, 0, 0, tac_default_pair()};
    s.pair.geom[0] = 0, s.pair.geom[1] = 1;
    memcpy(s.pair.solimp, SOLIMP, sizeof SOLIMP);
    return s;
}

static tacOptionDef option_of(const Setting *s) {
    tacOptionDef option = tac_default_option();
    option.timestep = DT, option.gravity = (tacVec3){0, 0, -GRAVITY};
    option.cone = s->cone, option.impratio = s->impratio;
    if (s->overridden) option.enable |= TAC_ENABLE_OVERRIDE;
    memcpy(option.o_solimp, SOLIMP, sizeof SOLIMP);
    return option;
}

static tacModel *build(const Setting *s) {
    tacBuilder *b = tac_model_begin();
    tacOptionDef option = option_of(s);
    tacGeomDef plane = tac_default_geom(), ball = tac_default_geom();
    tacBodyDef body = tac_default_body();
    tacModel *m = NULL;
    tacError err;
    tac_model_set_option(b, &option);
    plane.type = TAC_GEOM_PLANE, plane.size[0] = plane.size[1] = plane.size[2] = 1, plane.condim = 1;
    ball.type = TAC_GEOM_SPHERE, ball.size[0] = RADIUS, ball.has_mass = 1, ball.mass = MASS, ball.condim = 1;
    tac_model_add_geom(b, 0, &plane);
    body.pos.z = RADIUS - DEPTH;
    int id = tac_model_add_body(b, 0, &body);
    for (int i = 0; i < 3; i++) {
        tacJointDef joint = tac_default_joint();
        joint.type = TAC_JOINT_SLIDE, joint.axis = (tacVec3){i == 0, i == 1, i == 2};
        tac_model_add_joint(b, id, &joint);
    }
    tac_model_add_geom(b, id, &ball);
    tac_model_add_pair(b, &s->pair);
    if (s->excluded) tac_model_add_exclude(b, NULL, 0, id);
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    return m;
}

/* a over one step, which has no damping. */
static void accelerate(const Setting *s, double a[3]) {
    tacModel *m = build(s);
    tacSim *sim = NULL;
    tacOptions options = tac_default_options(m);
    double x[6] = {0, 0, 0, VELOCITY[0], VELOCITY[1], VELOCITY[2]}, y[6];
    options.contact = TAC_CONTACT_MODEL_SOFT, options.integrator = TAC_INTEGRATOR_EULER;
    CHECK_INT(tac_sim_new(m, &options, &sim, NULL), TAC_OK);
    CHECK_INT(tac_step(sim, x, NULL, y, NULL), TAC_OK);
    for (int i = 0; i < 3; i++)
        a[i] = (y[3 + i] - x[3 + i]) / DT;
    tac_sim_free(sim);
    tac_model_free(m);
}

/* K and B as numbers say: (time, ratio), or (-stiffness, -damping). */
typedef struct Reference {
    double K, B;
} Reference;

static Reference timed(double time, double ratio) {
    return (Reference){1 / pow(IMPEDANCE * time * ratio, 2), 2 / (IMPEDANCE * time)};
}

static Reference direct(double stiffness, double damping) {
    return (Reference){stiffness / (IMPEDANCE * IMPEDANCE), damping / IMPEDANCE};
}

static void check_pushed(const double a[3], Reference normal, double r) {
    double aref = -normal.B * VELOCITY[2] - normal.K * IMPEDANCE * r;
    CHECK_NEAR(a[2], IMPEDANCE * aref - (1 - IMPEDANCE) * GRAVITY, TOL_ACCELERATION);
}

/* ratio: D_i/D_n of the two tangents. */
static void check_stuck(const double a[3], double B, const double ratio[2]) {
    for (int i = 0; i < 2; i++) {
        double D = ratio[i] * IMPEDANCE / (1 - IMPEDANCE);
        CHECK_NEAR(a[i], -D / (1 + D) * B * VELOCITY[i], TOL_ACCELERATION);
    }
}

/* --- Numbers of the pair ------------------------------------------------------------------------------------------ */

static const double ALIKE[2] = {1, 1};

static void friction_has_its_own_reference(void **state) {
    (void)state;
    const struct {
        double solreffriction[2], B;
    } cases[] = {{{0.08, 1}, 2 / (IMPEDANCE * 0.08)}, /* a time: the ratio is not used */
                 {{0.08, 7}, 2 / (IMPEDANCE * 0.08)},
                 {{-500, -30}, 30 / IMPEDANCE}, /* a damping: the stiffness is not used */
                 {{0, -30}, 30 / IMPEDANCE},
                 {{-500, 0}, 0},
                 {{1e-6, 1}, 2 / (IMPEDANCE * 2 * DT)}, /* at least two steps */
                 {{0, 0}, timed(0.03, 0.8).B},          /* solref's, as where signs differ */
                 {{-5, 1}, timed(0.03, 0.8).B},
                 {{5, -1}, timed(0.03, 0.8).B},
                 {{0, 1}, timed(0.03, 0.8).B},
                 {{0.08, 0}, timed(0.03, 0.8).B}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Setting s = setting();
        double a[3];
        s.pair.solref[0] = 0.03, s.pair.solref[1] = 0.8;
        memcpy(s.pair.solreffriction, cases[k].solreffriction, sizeof s.pair.solreffriction);
        accelerate(&s, a);
        check_pushed(a, timed(0.03, 0.8), -DEPTH);
        check_stuck(a, cases[k].B, ALIKE);
    }
}

/* Pyramids have solref alone; so has what the option overrides. */
static void solreffriction_counts_in_elliptic_cones_of_pairs_alone(void **state) {
    (void)state;
    double with[3], without[3];
    for (int k = 0; k < 2; k++) {
        Setting s = setting();
        if (k == 0) s.cone = TAC_CONE_PYRAMIDAL;
        s.overridden = k == 1;
        accelerate(&s, without);
        s.pair.solreffriction[0] = -500, s.pair.solreffriction[1] = -300;
        accelerate(&s, with);
        CHECK(memcmp(with, without, sizeof with) == 0);
    }
}

static void solref_and_margin_move_the_reference(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        Setting s = setting();
        double a[3];
        s.pair.margin = k % 2 == 0 ? 0 : 0.003;
        s.pair.solref[0] = k < 2 ? 0.025 : -4000, s.pair.solref[1] = k < 2 ? 1.3 : -70;
        Reference by = k < 2 ? timed(0.025, 1.3) : direct(4000, 70);
        accelerate(&s, a);
        check_pushed(a, by, -DEPTH - s.pair.margin);
        check_stuck(a, by.B, ALIKE);
    }
}

/* Between margin and margin plus gap there is a contact inactive. */
static void a_gap_detects_and_does_not_push(void **state) {
    (void)state;
    Setting s = setting();
    double a[3];
    s.pair.margin = -2 * DEPTH, s.pair.gap = 3 * DEPTH;
    accelerate(&s, a);
    CHECK_NEAR(a[2], -GRAVITY, TOL_ACCELERATION);
    CHECK(a[0] == 0 && a[1] == 0);
}

static void condim_and_friction_of_the_pair_count(void **state) {
    (void)state;
    Setting s = setting();
    double a[3];
    s.pair.condim = 1; /* the geoms' own is 1 too: the pair's 3 is what the others see */
    accelerate(&s, a);
    CHECK(a[0] == 0 && a[1] == 0);
    check_pushed(a, timed(0.02, 1), -DEPTH);
    s.pair.condim = 3, s.impratio = 2, s.pair.friction[0] = 1, s.pair.friction[1] = 0.7;
    accelerate(&s, a);
    check_stuck(a, timed(0.02, 1).B, (double[2]){2 * 0.7 * 0.7, 2}); /* the first tangent is along y */
}

static void a_pair_counts_where_its_bodies_are_excluded(void **state) {
    (void)state;
    Setting s = setting();
    double a[3];
    s.excluded = 1;
    accelerate(&s, a);
    check_pushed(a, timed(0.02, 1), -DEPTH);
}

/* --- Mixing ------------------------------------------------------------------------------------------------------- */

typedef struct Mix {
    double solmix[2];
    int priority[2];
    double solref[2][2];
    double share; /* of the first geom */
    double mixed[2];
} Mix;

static void geoms_mix_as_in_mujoco(void **state) {
    (void)state;
    const Mix cases[] = {
        {{1, 3}, {0, 0}, {{0.02, 1}, {0.04, 0.5}}, 0.25, {0.035, 0.625}},
        {{0, 3}, {0, 0}, {{0.02, 1}, {0.04, 0.5}}, 0, {0.04, 0.5}},
        {{3, 0}, {0, 0}, {{0.02, 1}, {0.04, 0.5}}, 1, {0.02, 1}},
        {{0, 0}, {0, 0}, {{0.02, 1}, {0.04, 0.5}}, 0.5, {0.03, 0.75}},
        {{1e-16, 1e-20}, {0, 0}, {{0.02, 1}, {0.04, 0.5}}, 0.5, {0.03, 0.75}},
        {{1e-16, 1e-14}, {0, 0}, {{0.02, 1}, {0.04, 0.5}}, 0, {0.04, 0.5}},
        {{3e-15, 1e-15}, {0, 0}, {{0.02, 1}, {0.04, 0.5}}, 0.75, {0.025, 0.875}}, /* from 1e-15 on */
        {{1, 3}, {0, 0}, {{-100, -30}, {-200, -20}}, 0.25, {-200, -30}},          /* direct: the smaller of each */
        {{1, 3}, {0, 0}, {{0.02, 1}, {-200, -20}}, 0.25, {-200, -20}},
        {{1, 3}, {0, 0}, {{0, 0.5}, {0.02, 1}}, 0.25, {0, 0.5}},
        {{1, 3}, {1, 0}, {{0.02, 1}, {-200, -20}}, 1, {0.02, 1}}, /* priority: all of one */
        {{1, 3}, {-2, -1}, {{0.02, 1}, {-200, -20}}, 0, {-200, -20}}};
    const double imp[2][5] = {{0.8, 0.9, 0.01, 0.4, 2}, {0.6, 0.7, 0.03, 0.5, 3}};
    const double friction[2][3] = {{0.5, 0.02, 0.003}, {0.7, 0.01, 0.004}};
    const int of[5] = {0, 0, 1, 2, 2};
    Setting s = setting();
    tacModel *m = build(&s);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const Mix *c = &cases[k];
        memcpy(m->geom_solmix, c->solmix, sizeof c->solmix), memcpy(m->geom_priority, c->priority, sizeof c->priority);
        memcpy(m->geom_solref, c->solref, sizeof c->solref), memcpy(m->geom_solimp, imp, sizeof imp);
        memcpy(m->geom_friction, friction, sizeof friction);
        tacContactSoftness found = tac_contact_softness(m, &(tacContact){.geom = {0, 1}, .pair = -1});
        int ranks = c->priority[0] != c->priority[1], first = c->priority[0] > c->priority[1];
        for (int i = 0; i < 5; i++) {
            const double a = friction[0][of[i]], b = friction[1][of[i]];
            CHECK_NEAR(found.solimp[i], c->share * imp[0][i] + (1 - c->share) * imp[1][i], 1e-15);
            CHECK_NEAR(found.friction[i], ranks ? (first ? a : b) : fmax(a, b), 0);
            if (i < 2) CHECK_NEAR(found.solref[i], c->mixed[i], 1e-15);
            if (i < 2) CHECK_NEAR(found.solreffriction[i], 0, 0);
        }
    }
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_has_its_own_reference),
        cmocka_unit_test(solreffriction_counts_in_elliptic_cones_of_pairs_alone),
        cmocka_unit_test(solref_and_margin_move_the_reference),
        cmocka_unit_test(a_gap_detects_and_does_not_push),
        cmocka_unit_test(condim_and_friction_of_the_pair_count),
        cmocka_unit_test(a_pair_counts_where_its_bodies_are_excluded),
        cmocka_unit_test(geoms_mix_as_in_mujoco),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
