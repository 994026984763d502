/* Poses, regulators, contact forces for an acceleration, norms, first guesses, and derivatives of problems against
 * differences: each beside a closed form. */
#include "tactus/io.h"
#include "tactus/optimize.h"
#include "tactus/tactus.h"

#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static tacModel *load(const char *path) {
    tacModel *m;
    tacError err;
    if (tac_load(path, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    return m;
}

/* --- Poses -------------------------------------------------------------------------------------------------------- */

/* The hand of the panda at the place that it has at known angles. */
static void hand_reaches_a_place(void **state) {
    (void)state;
    tacModel *m = load("models/panda.xml");
    tacOptions o = tac_default_options(m);
    tacError err;
    tacSim *sim;
    tacPlan *plan;
    double x[64], u[16], z[3], found[64];
    o.contact = TAC_CONTACT_MODEL_NONE;
    CHECK_INT(tac_sim_new(m, &o, &sim, &err), TAC_OK);
    CHECK_INT(tac_key_state(m, &o, 0, x, u, &err), TAC_OK);
    for (int j = 0; j < 7; j++)
        x[j] += 0.2 * sin(j + 1);
    tacOutput out = {TAC_OUT_BODY_POS, tac_model_find(m, TAC_KIND_BODY, "hand")};
    CHECK_INT(tac_outputs(sim, x, u, &(tacOutputs){1, &out}, z), TAC_OK);
    CHECK_INT(tac_plan_new(m, &o, 0, &plan, &err), TAC_OK);
    tacPlanTerm term = tac_default_plan_term();
    term.of.kind = TAC_OF_POSITION;
    term.of.frame = (tacFrame){TAC_KIND_BODY, out.id};
    term.target = z;
    CHECK_INT(tac_plan_add(plan, &term, NULL, &err), TAC_OK);
    tacPoseOptions po = tac_default_pose_options();
    po.starts = 40; /* from the first start alone a joint's bound is in the way */
    tacPoseResult r = {.x = found};
    CHECK_INT(tac_pose_solve(plan, &po, NULL, &r, &err), TAC_OK);
    CHECK_STR(tac_plan_end_text(r.end), "solved");
    CHECK_LT(r.cost, 1e-16);
    double at[3];
    CHECK_INT(tac_outputs(sim, found, u, &(tacOutputs){1, &out}, at), TAC_OK);
    CHECK_ARRAY(3, at, z, 1e-8);
    tac_plan_free(plan);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* --- Regulators --------------------------------------------------------------------------------------------------- */

/* y = a x + b u with cost q x^2 + r u^2: P is the positive root of b^2 P^2 + (r (1 - a^2) - q b^2) P - q r = 0. */
static void regulator_of_one_state(void **state) {
    (void)state;
    double a = 1.2, b = 0.5, q = 2, r = 0.3, P, K;
    double half = r * (1 - a * a) - q * b * b, root = (-half + sqrt(half * half + 4 * b * b * q * r)) / (2 * b * b);
    tacLqr lqr = {.n = 1, .m = 1, .A = &a, .B = &b, .Q = &q, .R = &r, .P = &P, .K = &K};
    lqr.bytes = tac_lqr_bytes(1, 1);
    lqr.memory = aligned_alloc(64, (lqr.bytes + 63) / 64 * 64);
    CHECK_INT(tac_lqr(&lqr), TAC_OK);
    CHECK_NEAR(P, root, 1e-12);
    CHECK_NEAR(K, -a * b * root / (r + b * b * root), 1e-12);
    CHECK_LT(lqr.residual, 1e-12);
    CHECK_LT(fabs(a + b * K), 1);
    b = 0; /* unstable, and nothing acts on it */
    CHECK_INT(tac_lqr(&lqr), TAC_ERR_UNSOLVED);
    free(lqr.memory);
}

/* A cart with a pole about its upright: the gains hold it up. */
static void cart_and_pole_stand(void **state) {
    (void)state;
    tacModel *m = load("models/cartpole.xml");
    tacOptions o = tac_default_options(m);
    tacError err;
    tacPlan *plan;
    tacSim *sim;
    o.contact = TAC_CONTACT_MODEL_NONE;
    CHECK_INT(tac_plan_new(m, &o, 1, &plan, &err), TAC_OK);
    double x[4] = {0}, u[1] = {0}, K[4], P[16], weight[1] = {1e-2};
    tac_default_state(m, x);
    tacPlanTerm term = tac_default_plan_term();
    term.of.kind = TAC_OF_STATE;
    term.target = x;
    CHECK_INT(tac_plan_add(plan, &term, NULL, &err), TAC_OK);
    term = tac_default_plan_term();
    term.of.kind = TAC_OF_CTRL;
    term.weight = weight;
    CHECK_INT(tac_plan_add(plan, &term, NULL, &err), TAC_OK);
    CHECK_INT(tac_plan_lqr(plan, x, u, K, P, &err), TAC_OK);
    CHECK_INT(tac_sim_new(m, &o, &sim, &err), TAC_OK);
    double now[4] = {x[0] + 0.02, x[1] + 0.02, 0, 0}, next[4];
    for (int k = 0; k < 4000; k++) {
        u[0] = 0;
        for (int i = 0; i < 4; i++)
            u[0] += K[i] * (now[i] - x[i]);
        CHECK_INT(tac_step(sim, now, u, next, NULL), TAC_OK);
        memcpy(now, next, sizeof now);
    }
    CHECK_LT(fabs(now[1] - x[1]), 1e-3);
    tac_sim_free(sim);
    tac_plan_free(plan);
    tac_model_free(m);
}

/* --- Contact forces for an acceleration --------------------------------------------------------------------------- */

/* A quadruped stands: the ground carries its weight by forces that push, and no force is left to the base. */
static void standing_robot_is_carried(void **state) {
    (void)state;
    tacModel *m = load("models/quadruped.xml");
    const tacContactModel models[] = {TAC_CONTACT_MODEL_LCP, TAC_CONTACT_MODEL_NCP};
    for (int c = 0; c < 2; c++) {
        tacOptions o = tac_default_options(m);
        tacError err;
        tacSim *sim;
        double x[37], u[12] = {0}, qacc[18] = {0}, tau[18], force[48], carried = 0;
        o.contact = models[c];
        CHECK_INT(tac_sim_new(m, &o, &sim, &err), TAC_OK);
        CHECK_INT(tac_key_state(m, &o, 0, x, u, &err), TAC_OK);
        x[2] -= 1e-3;
        tacContactInverse inverse = {.model = m, .tau = tau, .force = force, .max = 16};
        inverse.bytes = tac_inverse_dynamics_contact_bytes(m, &o);
        inverse.memory = aligned_alloc(64, (inverse.bytes + 63) / 64 * 64);
        CHECK_INT(tac_inverse_dynamics_contact(sim, x, qacc, u, &inverse), TAC_OK);
        CHECK_INT(inverse.ncontact, 4);
        for (int i = 0; i < inverse.ncontact; i++) {
            carried += force[3 * i];
            CHECK_LT(-1e-9, force[3 * i]);
        }
        CHECK_NEAR(carried, 9.81 * m->body_subtree_mass[1], 1e-5);
        CHECK_LT(inverse.residual, 1e-5);
        free(inverse.memory);
        tac_sim_free(sim);
    }
    tac_model_free(m);
}

/* --- Norms and derivatives of problems ---------------------------------------------------------------------------- */

static void norms_have_their_slopes(void **state) {
    (void)state;
    for (int norm = 0; norm < TAC_NORM_KINDS; norm++)
        for (int i = 0; i < 12; i++) {
            double r = -1.6 + 0.29 * i, d = 0.7, h = 1e-5, slope, curvature, s, c;
            if (norm == TAC_NORM_BARRIER && fabs(r + d) < 1e-3) continue;
            tac_norm((tacNorm)norm, d, r, &slope, &curvature);
            double up = tac_norm((tacNorm)norm, d, r + h, &s, &c), down = tac_norm((tacNorm)norm, d, r - h, &s, &c);
            CHECK_NEAR((up - down) / (2 * h), slope, 1e-8);
            CHECK(curvature >= 0 && tac_norm_text((tacNorm)norm)[0] != '\0');
        }
}

/* A callback with a wrong derivative is found by name of its entry. */
static tacStatus wrong_derivative(void *context, const tacKnot *knot, double *r, const tacJac *jac) {
    const double *factor = context;
    r[0] = knot->x[0] * knot->x[0];
    if (jac != NULL && jac->A != NULL) {
        memset(jac->A, 0, 12 * sizeof *jac->A);
        jac->A[0] = *factor * knot->x[0];
    }
    if (jac != NULL && jac->B != NULL) memset(jac->B, 0, 3 * sizeof *jac->B);
    return TAC_OK;
}

static void wrong_callbacks_are_found(void **state) {
    (void)state;
    tacModel *m = load("models/box.xml");
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NONE;
    for (int wrong = 0; wrong < 2; wrong++) {
        tacError err;
        tacPlan *plan;
        double factor = wrong ? 1 : 2, X[39] = {0}, U[6] = {0};
        CHECK_INT(tac_plan_new(m, &o, 2, &plan, &err), TAC_OK);
        tacPlanTerm term = tac_default_plan_term();
        term.of = (tacQuantity){.kind = TAC_OF_CALL, .call = wrong_derivative, .context = &factor, .size = 1};
        CHECK_INT(tac_plan_add(plan, &term, NULL, &err), TAC_OK);
        for (int k = 0; k < 3; k++) {
            tac_default_state(m, X + 13 * k);
            X[13 * k] = 0.5 + k;
        }
        tacPlanCheck check;
        CHECK_INT(tac_plan_check(plan, &(tacPlanPath){X, U, NULL}, 3, &check, &err), TAC_OK);
        if (wrong)
            CHECK(check.error > 0.1 && check.by == 'x' && check.column == 0);
        else
            CHECK_LT(check.error, 1e-6);
        tac_plan_free(plan);
    }
    tac_model_free(m);
}

/* --- First guesses ------------------------------------------------------------------------------------------------ */

/* Controls that hold the quadruped's pose; seeded starts on two threads give the bits of one. */
static void guesses(void **state) {
    (void)state;
    tacModel *m = load("models/quadruped.xml");
    tacOptions o = tac_default_options(m);
    tacError err;
    tacPlan *plan;
    double x[37], noise[12], best[2] = {0};
    o.contact = TAC_CONTACT_MODEL_NCP;
    o.dt = 0.02;
    CHECK_INT(tac_plan_new(m, &o, 3, &plan, &err), TAC_OK);
    CHECK_INT(tac_key_state(m, &o, 0, x, NULL, &err), TAC_OK);
    CHECK_INT(tac_plan_set_start(plan, x, &err), TAC_OK);
    tacPlanTerm term = tac_default_plan_term();
    term.of.kind = TAC_OF_STATE;
    term.target = x;
    CHECK_INT(tac_plan_add(plan, &term, NULL, &err), TAC_OK);
    tacPlanGuess guess = tac_default_plan_guess();
    guess.ctrl = TAC_GUESS_HOLD;
    for (int i = 0; i < 12; i++)
        noise[i] = 0.1;
    guess.noise = noise;
    guess.seed = 3;
    for (int threads = 1; threads <= 2; threads++) {
        tacPlanOptions po = tac_default_plan_options();
        tacPlanStart starts[3];
        tacPlanner *planner;
        po.threads = threads;
        po.iterations = 3;
        CHECK_INT(tac_plan_starts(plan, &po, &guess, 3, starts, &planner, &err), TAC_OK);
        CHECK_LT(starts[0].cost, 1e-3); /* without noise it stays where it is */
        best[threads - 1] = starts[0].cost + starts[1].cost + starts[2].cost;
        tac_planner_free(planner);
    }
    CHECK(best[0] == best[1]);
    tac_plan_free(plan);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hand_reaches_a_place),
        cmocka_unit_test(regulator_of_one_state),
        cmocka_unit_test(cart_and_pole_stand),
        cmocka_unit_test(standing_robot_is_carried),
        cmocka_unit_test(norms_have_their_slopes),
        cmocka_unit_test(wrong_callbacks_are_found),
        cmocka_unit_test(guesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
