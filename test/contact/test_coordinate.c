/* Rows that stand on coordinates: couplings of joints and tendons, limits and dry friction of tendons. */
#include "contact/constraint_world.h"

/* rad, m: what a coupling may be off at a step of 2 ms. */
#define TOL_COUPLED 1e-6
/* Rounding, and the compliance of limits at rest. */
#define TOL_EXACT 1e-8
/* Reverse against forward mode. */
#define TOL_REVERSE 1e-12

/* Wheels on one axis each, of inertia 2 and 0.5 kg m^2; carriages on rails of 2 and 3 kg. */
#define WHEELS                                                                                                         \
    "<body><joint name='a' axis='0 0 1'/><inertial pos='0 0 0' mass='1' diaginertia='2 2 2'/></body>"                  \
    "<body pos='0 0 1'><joint name='b' axis='0 0 1' ref='0.25'/>"                                                      \
    "<inertial pos='0 0 0' mass='1' diaginertia='.5 .5 .5'/></body>"
#define CARRIAGES                                                                                                      \
    "<body><joint name='a' type='slide' axis='1 0 0'/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body>"     \
    "<body><joint name='b' type='slide' axis='1 0 0'/><inertial pos='0 0 0' mass='3' diaginertia='1 1 1'/></body>"
#define TENDON(attributes)                                                                                             \
    "<tendon><fixed name='t' " attributes "><joint joint='a' coef='1'/><joint joint='b' coef='1'/></fixed></tendon>"

/* q_b - 0.25 = r q_a: a torque on a turns both as one inertia 2 + r^2 0.5. */
static void a_gear_reflects_inertia(void **state) {
    (void)state;
    const double h = 2e-3, torque = 3, ratio = -1.5;
    World w = text_world(WHEELS, "<equality><joint joint1='b' joint2='a' polycoef='0 -1.5 0 0 0'/></equality>", h);
    w.u[0] = torque;
    run(&w, 500);
    double expected = torque / (2 + ratio * ratio * 0.5) * 500 * h;
    CHECK_NEAR(velocity(&w)[0], expected, TOL_COMPLIANCE * expected);
    CHECK_NEAR(velocity(&w)[1], ratio * expected, TOL_COMPLIANCE * fabs(ratio * expected));
    CHECK_NEAR(w.x[1] - 0.25, ratio * w.x[0], TOL_COUPLED);
    end_world(&w);
}

/* q_b follows a polynomial of q_a, the curved ones too. */
static void a_polynomial_is_followed(void **state) {
    (void)state;
    World w = text_world(WHEELS, "<equality><joint joint1='b' joint2='a' polycoef='0.1 0.5 -0.4 0.3 -0.1'/></equality>",
                         2e-3);
    double worst = 0;
    w.x[1] = 0.35, w.u[0] = 2;
    for (int k = 0; k < 500; k++) {
        run(&w, 1);
        double x = w.x[0], P = 0.1 + x * (0.5 + x * (-0.4 + x * (0.3 - x * 0.1)));
        worst = fmax(worst, fabs(w.x[1] - 0.25 - P));
    }
    CHECK(w.x[0] > 0.3);
    CHECK_LT(worst, TOL_COUPLED);
    end_world(&w);
}

/* One that is off a little closes at once, one that is far off at TAC_LCP_CLOSING, 0.05 rad/s; neither leaves velocity
 * behind. */
static void an_open_coupling_closes(void **state) {
    (void)state;
    World w = text_world(WHEELS, "<equality><joint joint1='b' polycoef='0.00005 0 0 0 0'/></equality>", 2e-3);
    run(&w, 1);
    CHECK_NEAR(w.x[1] - 0.25, 0.00005, TOL_COUPLED);
    run(&w, 1);
    CHECK_NEAR(velocity(&w)[1], 0, TOL_COMPLIANCE);
    w.x[1] = 0.28;
    run(&w, 100);
    CHECK_NEAR(w.x[1], 0.28 - 100 * 2e-3 * 0.05, TOL_COUPLED);
    run(&w, 300);
    CHECK_NEAR(w.x[1] - 0.25, 0.00005, TOL_COUPLED);
    CHECK_NEAR(velocity(&w)[1], 0, TOL_COMPLIANCE);
    end_world(&w);
}

/* x_a + x_b <= 1: when the rope is taut, p = (v_a + v_b) / (1/m_a + 1/m_b) stops it from growing. */
static void a_rope_becomes_taut(void **state) {
    (void)state;
    const double h = 1e-3, va = 2, vb = -0.5;
    World w = text_world(CARRIAGES, TENDON("limited='true' range='-5 1'"), h);
    velocity(&w)[0] = va, velocity(&w)[1] = vb;
    run(&w, 500);
    CHECK_NEAR(velocity(&w)[0], va, TOL_EXACT);
    run(&w, 500);
    double p = (va + vb) / (1. / 2 + 1. / 3);
    CHECK_NEAR(w.x[0] + w.x[1], 1, TOL_COUPLED);
    CHECK_NEAR(velocity(&w)[0], va - p / 2, TOL_COMPLIANCE);
    CHECK_NEAR(velocity(&w)[1], vb - p / 3, TOL_COMPLIANCE);
    velocity(&w)[0] = -3; /* slack again: nothing pulls */
    run(&w, 10);
    CHECK_NEAR(velocity(&w)[0], -3, TOL_EXACT);
    end_world(&w);
}

/* The lower end pushes: a rod. */
static void a_rod_pushes(void **state) {
    (void)state;
    World w = text_world(CARRIAGES, TENDON("limited='true' range='-0.2 5'"), 1e-3);
    w.u[0] = -5;
    run(&w, 1000);
    CHECK_NEAR(w.x[0] + w.x[1], -0.2, TOL_EXACT);
    CHECK(w.x[1] > 0);
    end_world(&w);
}

/* Largest |ybar A - gradient| over columns, relative to the largest of the gradient. */
static double reverse_error(World *w, const double *ybar) {
    enum { NDX = 4 };
    double A[NDX * NDX], g[NDX], error = 0, largest = 1;
    CHECK_INT(tac_ndx(w->m), NDX);
    CHECK_INT(tac_step_jac(w->sim, w->x, w->u, NULL, &(tacJac){A, NULL, NULL}, &w->info), TAC_OK);
    CHECK_INT(tac_step_vjp(w->sim, w->x, w->u, ybar, &(tacGrad){g, NULL, NULL}, NULL), TAC_OK);
    for (int j = 0; j < NDX; j++) {
        double sum = 0;
        for (int i = 0; i < NDX; i++)
            sum += ybar[i] * A[NDX * i + j];
        error = fmax(error, fabs(sum - g[j])), largest = fmax(largest, fabs(g[j]));
    }
    return error / largest;
}

/* A limit, dry friction and a coupling hold one motion together: compliance alone shares their forces, which are large
 * and cancel. Forward and reverse mode agree all the same. */
static void shared_forces_in_reverse(void **state) {
    (void)state;
    const char *rest[] = {
        TENDON("limited='true' range='-.1 .1' frictionloss='2'"),
        TENDON("limited='true' range='-.1 .1' frictionloss='2'") "<equality><joint joint1='b' joint2='a' polycoef='0 "
                                                                 ".5 0 0 0'/></equality>"};
    const double ybar[] = {0.3, -0.7, 1.1, 0.9};
    for (int k = 0; k < 2; k++) {
        World w = text_world(CARRIAGES, rest[k], 5e-3);
        double conditioning = 0, worst = 0;
        for (int i = 0; i < 100; i++) {
            w.u[0] = i < 60 ? 8 : 3; /* to the limit; then less than both hold */
            worst = fmax(worst, reverse_error(&w, ybar));
            conditioning = fmax(conditioning, w.info.conditioning);
            run(&w, 1);
        }
        CHECK(conditioning > 1e5); /* rows that share */
        CHECK_LT(worst, TOL_REVERSE);
        end_world(&w);
    }
}

/* Dry friction of a tendon: holds below its loss, takes it away above. */
static void a_tendon_rubs(void **state) {
    (void)state;
    const double h = 1e-3, loss = 2;
    World w = text_world(CARRIAGES, TENDON("frictionloss='2'"), h);
    w.u[0] = w.u[1] = 0.9 * loss; /* along the tendon: the rest is common to both */
    run(&w, 200);
    CHECK_NEAR(velocity(&w)[0] + velocity(&w)[1], 0, TOL_COMPLIANCE);
    end_world(&w);
    w = text_world(CARRIAGES, TENDON("frictionloss='2'"), h);
    w.u[0] = w.u[1] = 5;
    run(&w, 200);
    CHECK_NEAR(velocity(&w)[0], (5 - loss) / 2 * 200 * h, TOL_EXACT);
    CHECK_NEAR(velocity(&w)[1], (5 - loss) / 3 * 200 * h, TOL_EXACT);
    end_world(&w);
}

/* Two tendons, L_t - L_t0 = 0.5 (L_s - L_s0)^2: t = x_a + x_b, s = x_b. */
static void tendons_are_coupled(void **state) {
    (void)state;
    World w = text_world(CARRIAGES,
                         "<tendon><fixed name='t'><joint joint='a' coef='1'/><joint joint='b' coef='1'/></fixed>"
                         "<fixed name='s'><joint joint='b' coef='2'/></fixed></tendon>"
                         "<equality><tendon tendon1='t' tendon2='s' polycoef='0 0 0.5 0 0'/></equality>",
                         2e-3);
    double worst = 0;
    w.u[1] = 4;
    for (int k = 0; k < 500; k++) {
        run(&w, 1);
        worst = fmax(worst, fabs(w.x[0] + w.x[1] - 0.5 * (2 * w.x[1]) * (2 * w.x[1])));
    }
    CHECK(w.x[1] > 0.1);
    CHECK_LT(worst, TOL_COUPLED);
    end_world(&w);
}

/* At a limit with dry friction on the same joint, both rows could carry the load: a defined result all the same. */
static void a_limit_with_friction_rests(void **state) {
    (void)state;
    World w = text_world("<body><joint name='a' type='slide' axis='0 0 1' limited='true' range='-0.01 1' "
                         "frictionloss='3'/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body>",
                         "", 1e-3);
    run(&w, 500);
    CHECK_NEAR(w.x[0], -0.01, TOL_EXACT);
    CHECK_NEAR(velocity(&w)[0], 0, TOL_EXACT);
    end_world(&w);
}

/* Equalities that contradict each other end between what they ask for, with a status; disabled or inactive ones do
 * nothing. */
static void contradictions_and_switches(void **state) {
    (void)state;
    World w =
        text_world(WHEELS,
                   "<equality><joint joint1='a' polycoef='0 0 0 0 0'/><joint joint1='a' polycoef='0.002 0 0 0 0'/>"
                   "</equality>",
                   2e-3);
    for (int k = 0; k < 100; k++)
        CHECK_INT(tac_step(w.sim, w.x, w.u, w.x, &w.info), TAC_ERR_UNSOLVED);
    CHECK(w.x[0] > 0 && w.x[0] < 0.002);
    CHECK_NEAR(velocity(&w)[0], 0, TOL_COMPLIANCE);
    end_world(&w);
    const char *rest[] = {"<equality><joint joint1='a' active='false'/></equality>",
                          "<equality><joint joint1='a'/></equality><option><flag equality='disable'/></option>",
                          "<equality><joint joint1='a'/></equality><option><flag constraint='disable'/></option>"};
    for (int k = 0; k < 3; k++) {
        w = text_world(WHEELS, rest[k], 1e-3);
        velocity(&w)[0] = 1;
        run(&w, 100);
        CHECK_NEAR(w.x[0], 0.1, TOL_EXACT);
        end_world(&w);
    }
}

/* A URDF's mimic moves with its leader. */
static void a_mimic_follows(void **state) {
    (void)state;
    const char *text =
        "<robot name='r'><link name='base'/>"
        "<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
        "iyz='0'/></inertial>"
        "</link><link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
        "</inertial></link>"
        "<joint name='j' type='continuous'><parent link='base'/><child link='a'/><axis xyz='0 0 1'/></joint>"
        "<joint name='k' type='continuous'><parent link='base'/><child link='b'/><axis xyz='0 0 1'/>"
        "<mimic joint='j' multiplier='-2' offset='0.001'/></joint></robot>";
    World w = file_world(scratch_text("r.urdf", text), 1e-3);
    w.u[0] = 1;
    run(&w, 300);
    CHECK(w.x[0] > 0.005);
    CHECK_NEAR(w.x[1], 0.001 - 2 * w.x[0], TOL_COUPLED);
    end_world(&w);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_gear_reflects_inertia),
        TEST(a_polynomial_is_followed),
        TEST(an_open_coupling_closes),
        TEST(a_rope_becomes_taut),
        TEST(a_rod_pushes),
        TEST(a_tendon_rubs),
        TEST(shared_forces_in_reverse),
        TEST(tendons_are_coupled),
        TEST(a_limit_with_friction_rests),
        TEST(contradictions_and_switches),
        TEST(a_mimic_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
