/* Contact lcp where inputs are extreme or contradict each other: a defined result or a named status, and a step that
 * fails leaves what the caller has. */
#include "physics/contact_world.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define DT 1e-2
/* Compliance of contacts: a millionth of the motion. */
#define TOL_EXACT 1e-6

/* A block whose middle is at height z, with its geom `copies` times. */
static void add_block(World *w, double z, double mass, double mu, int copies) {
    tacGeomDef geom = world_geom(TAC_GEOM_BOX, (double[]){0.1, 0.1, 0.05}, mass / copies, mu);
    int id = world_add_body(w, (tacVec3){0, 0, z}, &geom);
    for (int i = 1; i < copies; i++)
        tac_model_add_geom(w->b, id, &geom);
}

static World block_world(double mu, int copies) {
    World w = world_begin(0, DT);
    world_add_plane(&w, 0, mu);
    add_block(&w, 0.05, 1, mu, copies);
    world_finish(&w, TAC_CONTACT_MODEL_LCP);
    return w;
}

/* --- Friction ----------------------------------------------------------------------------------------------------- */

static void no_friction(void **state) {
    (void)state;
    World w = block_world(0, 1);
    world_start(&w);
    w.x[w.m->nq] = 1;
    world_run(&w, 200);
    CHECK_NEAR(w.x[w.m->nq], 1, 1e-12);
    CHECK_NEAR(w.x[2], 0.05, TOL_EXACT);
    world_end(&w);
}

/* It sticks at once, or tips, and goes nowhere far. */
static void huge_friction(void **state) {
    (void)state;
    const double mu[] = {1e3, 1e6, 1e12};
    for (int i = 0; i < 3; i++) {
        World w = block_world(mu[i], 1);
        world_start(&w);
        w.x[w.m->nq] = 1;
        world_run(&w, 300);
        CHECK_LT(fabs(w.x[w.m->nq]), 1e-5);
        CHECK_LT(fabs(w.x[0]), 1);
        CHECK(w.x[2] > 0.05 - TOL_EXACT && w.x[2] < 0.3);
        world_end(&w);
    }
}

/* --- Redundant, heavy, contradictory ------------------------------------------------------------------------------ */

/* Four copies of a block in one place: sixteen contacts where four would do. */
static void redundant_contacts(void **state) {
    (void)state;
    World w = block_world(0.5, 4), one = block_world(0.5, 1);
    world_start(&w), world_start(&one);
    w.x[w.m->nq] = one.x[one.m->nq] = 1;
    world_run(&w, 100), world_run(&one, 100);
    CHECK_ARRAY(tac_nx(w.m), w.x, one.x, 1e-5);
    world_end(&w), world_end(&one);
}

/* A slide that may be between 0.2 and 0.3 carries a block that a floor and a ceiling hold elsewhere: rows that cannot
 * all hold. The step ends with a state, and says how far off it is where it is no solution. */
static void contradictory_limits(void **state) {
    (void)state;
    World w = world_begin(0, DT);
    world_add_plane(&w, 0, 0.5);
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    tacGeomDef geom = tac_default_geom();
    body.pos.z = 0.04;
    joint.type = TAC_JOINT_SLIDE, joint.axis = (tacVec3){0, 0, 1};
    joint.limited = 1, joint.range[0] = -0.3, joint.range[1] = -0.2; /* below the floor */
    geom.type = TAC_GEOM_BOX, geom.size[0] = geom.size[1] = 0.1, geom.size[2] = 0.05;
    int id = tac_model_add_body(w.b, 0, &body);
    tac_model_add_joint(w.b, id, &joint);
    tac_model_add_geom(w.b, id, &geom);
    world_finish(&w, TAC_CONTACT_MODEL_LCP);
    world_start(&w);
    for (int k = 0; k < 200; k++) {
        tacStatus status = tac_step(w.sim, w.x, NULL, w.x, &w.info);
        CHECK(status == TAC_OK || status == TAC_ERR_UNSOLVED);
        CHECK(isfinite(w.x[0]) && isfinite(w.x[1]) && isfinite(w.info.residual));
        CHECK(fabs(w.x[1]) < 1);
    }
    world_end(&w);
}

/* Two fixed boxes that an explicit pair lets touch, one inside the other: no force parts them, and none is asked to. */
static void fixed_geoms_overlap(void **state) {
    (void)state;
    World w = world_begin(0, DT);
    tacGeomDef fixed = tac_default_geom();
    tacPairDef pair = tac_default_pair();
    fixed.type = TAC_GEOM_BOX, fixed.size[0] = fixed.size[1] = fixed.size[2] = 0.1, fixed.pos.z = -0.1;
    pair.geom[0] = tac_model_add_geom(w.b, 0, &fixed);
    pair.geom[1] = tac_model_add_geom(w.b, 0, &fixed);
    tac_model_add_pair(w.b, &pair);
    add_block(&w, 0.05, 1, 0.5, 1);
    world_finish(&w, TAC_CONTACT_MODEL_LCP);
    world_start(&w);
    world_run(&w, 50);
    CHECK_NEAR(w.x[2], 0.05, TOL_EXACT);
    CHECK(w.info.residual < 1e-9);
    world_end(&w);
}

/* --- Steps of any size -------------------------------------------------------------------------------------------- */

static void step_sizes(void **state) {
    (void)state;
    World w = block_world(0.5, 1);
    const double refused[] = {0, -1e-3, (double)NAN, (double)INFINITY}, taken[] = {1e-9, 1e-6, 1, 10};
    tacError err;
    tacSim *none = NULL;
    for (int i = 0; i < 4; i++) {
        w.options.dt = refused[i];
        CHECK_INT(tac_sim_new(w.m, &w.options, &none, &err), TAC_ERR_ARGUMENT);
        CHECK_HAS(err.text, "dt");
    }
    for (int i = 0; i < 4; i++) {
        w.options.dt = taken[i];
        world_start(&w);
        tac_default_state(w.m, w.x);
        w.x[w.m->nq] = 1;
        world_run(&w, 100);
        /* friction takes what it can: mu g a second */
        CHECK_NEAR(w.x[w.m->nq], fmax(0, 1 - 0.5 * WORLD_GRAVITY * 100 * taken[i]), 1e-4);
        CHECK_NEAR(w.x[2], 0.05, TOL_EXACT * fmax(1, 100 * taken[i]));
        tac_sim_free(w.sim);
    }
    w.sim = NULL;
    world_end(&w);
}

static double bytes_for(World *w, int contacts) {
    w->options.max_contacts = contacts;
    return (double)tac_sim_bytes(w->m, &w->options);
}

/* Room for contacts grows in proportion up to the most that options may ask for: numbers of rows do not run over. */
static void room_for_many_contacts(void **state) {
    (void)state;
    World w = block_world(0.5, 1);
    double each = (bytes_for(&w, 2000000) - bytes_for(&w, 1000000)) / 1000000;
    CHECK_NEAR(bytes_for(&w, INT_MAX / 12) / (each * (INT_MAX / 12)), 1, 1e-3);
    CHECK_NEAR(bytes_for(&w, 1 << 28) / (each * (1 << 28)), 1, 1e-3);
    CHECK_NEAR(bytes_for(&w, (1 << 28) + 1), 0, 0);
    CHECK_NEAR(bytes_for(&w, INT_MAX), 0, 0);
    world_end(&w);
}

/* --- Steps that fail ---------------------------------------------------------------------------------------------- */

/* More contacts than there is room for, and numbers that are none: y, A, B and gradients stay as they were. */
static void failed_steps_leave_all_as_it_was(void **state) {
    (void)state;
    enum { NDX = 12 };
    World w = block_world(0.5, 1);
    w.options.max_contacts = 3;
    world_start(&w);
    double y[WORLD_MAX_STATE], A[NDX * NDX], gx[NDX], ybar[NDX] = {1}, before[WORLD_MAX_STATE];
    for (int bad = 0; bad < 2; bad++) {
        memset(y, 0x3e, sizeof y), memset(A, 0x3e, sizeof A), memset(gx, 0x3e, sizeof gx);
        memcpy(before, y, sizeof y);
        if (bad) w.x[1] = (double)NAN;
        tacStatus expected = bad ? TAC_ERR_NONFINITE : TAC_ERR_CONTACTS;
        CHECK_INT(tac_step(w.sim, w.x, NULL, y, &w.info), expected);
        CHECK_INT(w.info.status, expected);
        CHECK_INT(tac_step_jac(w.sim, w.x, NULL, y, &(tacJac){A, NULL, NULL}, NULL), expected);
        CHECK_INT(tac_step_vjp(w.sim, w.x, NULL, ybar, &(tacGrad){gx, NULL, NULL}, NULL), expected);
        CHECK(memcmp(y, before, sizeof y) == 0 && memcmp(A, before, sizeof A) == 0);
        CHECK(memcmp(gx, before, sizeof gx) == 0);
    }
    world_end(&w);
}

/* A plate on n balls, three rows each. dense_rows: the option; 0: its default. */
static World plate_world(int balls, int dense_rows) {
    World w = world_begin(0, DT);
    world_add_plane(&w, 0, 0.5);
    tacGeomDef ball = world_geom(TAC_GEOM_SPHERE, (double[]){0.02, 0, 0}, 0.1, 0.5);
    int id = world_add_body(&w, (tacVec3){0, 0, 0.02}, &ball);
    for (int i = 1; i < balls; i++) {
        ball.pos = (tacVec3){0.05 * (i % 16), 0.05 * (i / 16), 0};
        tac_model_add_geom(w.b, id, &ball);
    }
    world_finish(&w, TAC_CONTACT_MODEL_LCP);
    w.options.max_contacts = balls + 1;
    if (dense_rows > 0) w.options.lcp_dense_rows = dense_rows;
    world_start(&w);
    return w;
}

/* Derivatives have room for 512 rows, and for more where option lcp_dense_rows asks for it. Beyond, the step is done,
 * and its derivatives are refused with a status; nothing is written. */
static void derivatives_of_many_rows(void **state) {
    (void)state;
    enum { NDX = 12 };
    double y[WORLD_MAX_STATE], A[NDX * NDX], gx[NDX], ybar[NDX] = {1}, before[WORLD_MAX_STATE];
    World few = plate_world(160, 0), many = plate_world(200, 0), wide = plate_world(200, 601);
    world_run(&few, 1), world_run(&many, 1), world_run(&wide, 1);
    CHECK_INT(few.info.contacts, 160);
    CHECK_INT(tac_step_jac(wide.sim, wide.x, NULL, y, &(tacJac){A, NULL, NULL}, NULL), TAC_OK);
    CHECK_INT(tac_step_vjp(wide.sim, wide.x, NULL, ybar, &(tacGrad){gx, NULL, NULL}, NULL), TAC_OK);
    CHECK_INT(tac_step_jac(few.sim, few.x, NULL, y, &(tacJac){A, NULL, NULL}, NULL), TAC_OK);
    CHECK_INT(tac_step_vjp(few.sim, few.x, NULL, ybar, &(tacGrad){gx, NULL, NULL}, NULL), TAC_OK);
    memset(y, 0x3e, sizeof y), memset(A, 0x3e, sizeof A), memset(gx, 0x3e, sizeof gx);
    memcpy(before, y, sizeof y);
    CHECK_INT(tac_step_jac(many.sim, many.x, NULL, y, &(tacJac){A, NULL, NULL}, &many.info), TAC_ERR_CONTACTS);
    CHECK_INT(many.info.status, TAC_ERR_CONTACTS);
    CHECK_INT(tac_step_vjp(many.sim, many.x, NULL, ybar, &(tacGrad){gx, NULL, NULL}, NULL), TAC_ERR_CONTACTS);
    CHECK(memcmp(y, before, sizeof y) == 0 && memcmp(A, before, sizeof A) == 0);
    CHECK(memcmp(gx, before, sizeof gx) == 0);
    world_end(&few), world_end(&many), world_end(&wide);
}

/* Velocities that are hardly numbers any more: a state and derivatives that are numbers, or a status; and what fails
 * without a state leaves all as it was. */
static void absurd_velocities(void **state) {
    (void)state;
    enum { NDX = 12 };
    const double speed[] = {1e20, 1e100, 1e150, 1e200, 1e308};
    int refused = 0;
    for (int k = 0; k < 2 * 5 * 6; k++) {
        World w = block_world(0.5, 1);
        double y[WORLD_MAX_STATE], A[NDX * NDX], g[NDX], ybar[NDX] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
        w.options.toi = k % 2;
        world_start(&w);
        w.x[w.m->nq + k / 2 % 6] = speed[k / 12];
        y[0] = A[0] = g[0] = 777;
        tacStatus status[3] = {tac_step(w.sim, w.x, NULL, y, &w.info), TAC_OK, TAC_OK};
        CHECK(isfinite(w.info.residual));
        status[1] = tac_step_jac(w.sim, w.x, NULL, NULL, &(tacJac){A, NULL, NULL}, NULL);
        status[2] = tac_step_vjp(w.sim, w.x, NULL, ybar, &(tacGrad){g, NULL, NULL}, NULL);
        const double *out[3] = {y, A, g};
        const int n[3] = {tac_nx(w.m), NDX * NDX, NDX};
        for (int i = 0; i < 3; i++) {
            int written = status[i] == TAC_OK || status[i] == TAC_ERR_UNSOLVED || status[i] == TAC_ERR_IMPACTS;
            refused += !written;
            if (!written) CHECK(out[i][0] == 777);
            for (int j = 0; j < n[i] && written; j++)
                CHECK(isfinite(out[i][j]));
        }
        world_end(&w);
    }
    CHECK(refused > 0);
}

/* In a batch, a world that fails keeps its own block; the others are done. */
static void failed_worlds_of_a_batch(void **state) {
    (void)state;
    enum { WORLDS = 4 };
    World w = block_world(0.5, 1);
    world_start(&w);
    size_t nx = (size_t)tac_nx(w.m);
    double X[WORLDS * WORLD_MAX_STATE], Y[WORLDS * WORLD_MAX_STATE], alone[WORLD_MAX_STATE], untouched[WORLD_MAX_STATE];
    for (size_t i = 0; i < WORLDS; i++) {
        memcpy(X + i * nx, w.x, nx * sizeof *X);
        X[i * nx + (size_t)w.m->nq] = 0.1 * (double)i;
    }
    X[2 * nx] = (double)NAN;
    for (int threads = 1; threads <= 2; threads++) {
        memset(Y, 0x3e, sizeof Y);
        memcpy(untouched, Y, sizeof untouched);
        CHECK_INT(tac_batch_step(w.m, &w.options, WORLDS, X, NULL, Y, threads), TAC_ERR_NONFINITE);
        for (size_t i = 0; i < WORLDS; i++) {
            if (i != 2) CHECK_INT(tac_step(w.sim, X + i * nx, NULL, alone, NULL), TAC_OK);
            CHECK(memcmp(Y + i * nx, i == 2 ? untouched : alone, nx * sizeof *Y) == 0);
        }
    }
    world_end(&w);
}

/* Balls in balls, more pairs of two bodies than are taken together, some with one centre: no derivative, and it says
 * so. */
static void coincident_balls(void **state) {
    (void)state;
    static double A[WORLD_MAX_STATE * WORLD_MAX_STATE], B[WORLD_MAX_STATE * WORLD_MAX_STATE];
    const tacContactModel models[] = {TAC_CONTACT_MODEL_LCP, TAC_CONTACT_MODEL_SOFT};
    for (int k = 0; k < 2; k++) {
        World w = world_begin(0, DT);
        for (int body = 0; body < 2; body++) {
            tacBodyDef def = tac_default_body();
            tacJointDef joint = tac_default_joint();
            tacGeomDef ball = tac_default_geom();
            joint.type = TAC_JOINT_FREE;
            ball.type = TAC_GEOM_SPHERE, ball.size[0] = 0.1;
            int id = tac_model_add_body(w.b, 0, &def);
            tac_model_add_joint(w.b, id, &joint);
            for (int i = 0; i < 4; i++) {
                ball.pos.x = 0.02 * i;
                tac_model_add_geom(w.b, id, &ball);
            }
        }
        world_finish(&w, TAC_CONTACT_MODEL_LCP);
        w.options.contact = models[k];
        world_start(&w);
        tacJac jac = {.A = A, .B = B};
        CHECK_INT(tac_step_jac(w.sim, w.x, NULL, NULL, &jac, &w.info), TAC_ERR_DEGENERATE);
        world_end(&w);
    }
}

/* Steps that are not solved have a state and a gradient: rollouts go on, forwards and in reverse, and say so. */
static void rollouts_go_on(void **state) {
    (void)state;
    enum { STEPS = 4, NX = 13, NDX = 12 };
    static unsigned char memory[1 << 14] __attribute__((aligned(64)));
    World w = world_begin(0, 0.02);
    world_add_plane(&w, 0, 0.5);
    tacGeomDef geom = world_geom(TAC_GEOM_BOX, (double[]){0.1, 0.1, 0.1}, 1, 0.5);
    world_add_body(&w, (tacVec3){0, 0, 0.101}, &geom);
    world_finish(&w, TAC_CONTACT_MODEL_NCP);
    w.options.ncp_iterations = 2;
    world_start(&w);
    double X[(STEPS + 1) * NX], xbar[NDX], x[NDX], pulled[NDX], one[NDX];
    for (int i = 0; i < NDX; i++)
        xbar[i] = pulled[i] = i % 3 - 0.7;
    CHECK_INT(tac_rollout(w.sim, w.x, NULL, STEPS, X, NULL), TAC_ERR_UNSOLVED);
    tacTrajectory path = {.n = STEPS, .x0 = w.x, .xbar = xbar};
    tacCheckpoints kept = {.count = 1, .memory = memory, .bytes = sizeof memory};
    CHECK_INT(tac_rollout_vjp(w.sim, &path, &kept, &(tacGrad){.x = x}, NULL), TAC_ERR_UNSOLVED);
    for (int k = STEPS - 1; k >= 0; k--) {
        tacStatus status = tac_step_vjp(w.sim, X + k * NX, NULL, pulled, &(tacGrad){.x = one}, NULL);
        CHECK(status == TAC_OK || status == TAC_ERR_UNSOLVED);
        memcpy(pulled, one, sizeof pulled);
    }
    for (int i = 0; i < NDX; i++)
        CHECK(x[i] == pulled[i]);
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coincident_balls),
        cmocka_unit_test(no_friction),
        cmocka_unit_test(huge_friction),
        cmocka_unit_test(redundant_contacts),
        cmocka_unit_test(contradictory_limits),
        cmocka_unit_test(fixed_geoms_overlap),
        cmocka_unit_test(step_sizes),
        cmocka_unit_test(room_for_many_contacts),
        cmocka_unit_test(failed_steps_leave_all_as_it_was),
        cmocka_unit_test(derivatives_of_many_rows),
        cmocka_unit_test(absurd_velocities),
        cmocka_unit_test(rollouts_go_on),
        cmocka_unit_test(failed_worlds_of_a_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
