/* Contact soft where inputs are out of range or contradict each other: MuJoCo's clamps, defined results, a residual
 * that is reported, and a step that fails leaves what the caller has. */
#include "physics/contact_world.h"

#include "contact/soft/impedance.h"

#include <math.h>
#include <string.h>

#define DT 2e-3
/* Residuals of solved steps, relative to the forces that balance. */
#define TOL_SOLVED 1e-8
#define TOL_EXACT  1e-12

enum { STEPS = 400 };

static tacGeomDef ball(double mass, double mu) { return world_geom(TAC_GEOM_SPHERE, (double[]){0.1, 0, 0}, mass, mu); }

static void add_floor(World *w, tacGeomDef like) {
    like.type = TAC_GEOM_PLANE, like.size[0] = like.size[1] = like.size[2] = 1, like.has_mass = 0;
    tac_model_add_geom(w->b, 0, &like);
}

static int add_body(World *w, double z, const tacGeomDef *geom) { return world_add_body(w, (tacVec3){0, 0, z}, geom); }

static void finish(World *w) {
    world_finish(w, TAC_CONTACT_MODEL_SOFT);
    world_start(w);
}

/* Moves for a while: every step has finite numbers and says how well it is solved. Steps unsolved. */
static int move(World *w, int steps) {
    int unsolved = 0;
    for (int k = 0; k < steps; k++) {
        tacStatus status = tac_step(w->sim, w->x, NULL, w->x, &w->info);
        CHECK(status == TAC_OK || status == TAC_ERR_UNSOLVED);
        CHECK(isfinite(w->info.residual));
        if (status == TAC_OK) CHECK(w->info.residual <= TOL_SOLVED);
        unsolved += status != TAC_OK;
        for (int i = 0; i < tac_nx(w->m); i++)
            CHECK(isfinite(w->x[i]));
    }
    return unsolved;
}

/* --- Clamps ------------------------------------------------------------------------------------------------------- */

static void solref_and_solimp_are_clamped(void **state) {
    (void)state;
    const double wild[5] = {-1, 7, -0.3, 2, 0.1}, mixed[2] = {-5, 1}, fast[2] = {1e-6, 1}, stiff[2] = {-100, -3};
    tacSoftness s = tac_soft_clamp(mixed, wild, 2 * DT);
    CHECK_NEAR(s.solref[0], 0.02, 0);
    CHECK_NEAR(s.solref[1], 1, 0);
    CHECK_NEAR(s.solimp[0], 1e-4, 0);
    CHECK_NEAR(s.solimp[1], 0.9999, 0);
    CHECK_NEAR(s.solimp[2], 0, 0);
    CHECK_NEAR(s.solimp[3], 0.9999, 0);
    CHECK_NEAR(s.solimp[4], 1, 0);
    CHECK_NEAR(tac_soft_clamp(fast, wild, 2 * DT).solref[0], 2 * DT, 0);
    CHECK_NEAR(tac_soft_clamp(stiff, wild, 2 * DT).solref[0], -100, 0);
    tacImpedance z = tac_soft_impedance(&s, -0.01, 1);
    CHECK(isfinite(z.K) && isfinite(z.B) && z.d > 0 && z.d < 1);
}

/* Whatever solref and solimp say, a ball comes to rest on the floor, or falls through what is too soft to hold it. */
static void wild_softness_gives_motions(void **state) {
    (void)state;
    static const double refs[][2] = {{0, 0},   {-5, 1},   {5, -1},       {1e-9, 1},
                                     {1e9, 1}, {0.02, 0}, {-1e12, -1e6}, {0.02, 1e9}};
    static const double imps[][5] = {{0.9, 0.95, 0.001, 0.5, 2},
                                     {0, 0, 0, 0, 0},
                                     {2, 2, 2, 2, 2},
                                     {-1, -1, -1, -1, -1},
                                     {0.1, 0.9999, 1e-12, 0.5, 60}};
    for (size_t r = 0; r < sizeof refs / sizeof *refs; r++)
        for (size_t i = 0; i < sizeof imps / sizeof *imps; i++) {
            World w = world_begin(0, DT);
            tacGeomDef geom = ball(1, 0.5);
            memcpy(geom.solref, refs[r], sizeof geom.solref);
            memcpy(geom.solimp, imps[i], sizeof geom.solimp);
            geom.priority = 1;
            add_floor(&w, ball(0, 0.5));
            add_body(&w, 0.1, &geom);
            finish(&w);
            move(&w, STEPS / 4);
            world_end(&w);
        }
}

/* --- Friction and margins ----------------------------------------------------------------------------------------- */

/* No friction: a ball that slides goes on, but for MuJoCo's least coefficient 1e-5. A pyramid as steep as that has
 * D = 1e10/R, and forces are known better than the accelerations they follow from: every step is solved all the
 * same. */
static void friction_below_zero_is_the_least(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        World w = world_begin(0, DT);
        tacGeomDef geom = ball(1, k == 0 ? 0.0 : -1.0);
        add_floor(&w, geom);
        add_body(&w, 0.1, &geom);
        finish(&w);
        w.x[7] = 1;
        CHECK_INT(move(&w, STEPS), 0);
        CHECK_NEAR(w.x[7], 1, 2e-5 * WORLD_GRAVITY * STEPS * DT);
        CHECK(w.info.contacts == 1);
        world_end(&w);
    }
}

/* Margins below zero: forces begin inside. */
static void margins_below_zero_begin_inside(void **state) {
    (void)state;
    World w = world_begin(0, DT);
    tacGeomDef geom = ball(1, 0.5);
    geom.margin = -0.01;
    add_floor(&w, ball(0, 0.5));
    add_body(&w, 0.1, &geom);
    finish(&w);
    CHECK_INT(move(&w, 3 * STEPS), 0);
    CHECK(w.x[2] < 0.09 && w.x[2] > 0.05);
    world_end(&w);
}

/* --- Masses and redundance ---------------------------------------------------------------------------------------- */

static void mass_ratios_of_a_million_are_carried(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        World w = world_begin(0, DT);
        tacGeomDef low = ball(k == 0 ? 1e-3 : 1e3, 0.5), high = ball(k == 0 ? 1e3 : 1e-3, 0.5);
        add_floor(&w, ball(0, 0.5));
        add_body(&w, 0.1, &low);
        add_body(&w, 0.3, &high);
        finish(&w);
        CHECK_INT(move(&w, STEPS / 4), 0);
        world_end(&w);
    }
}

/* The same geom many times over is one contact many times over: it rests, with its weight shared. */
static void redundant_contacts_share_the_weight(void **state) {
    (void)state;
    enum { COPIES = 40 };
    World w = world_begin(0, DT);
    tacGeomDef geom = ball(1.0 / COPIES, 0.5);
    add_floor(&w, ball(0, 0.5));
    int id = add_body(&w, 0.1, &geom);
    for (int i = 1; i < COPIES; i++)
        tac_model_add_geom(w.b, id, &geom);
    finish(&w);
    CHECK_INT(move(&w, 3 * STEPS), 0);
    static tacContactForce found[COPIES];
    int n = 0;
    double sum = 0;
    CHECK_INT(tac_step_contacts(w.sim, w.x, NULL, found, COPIES, &n), TAC_OK);
    CHECK_INT(n, COPIES);
    for (int i = 0; i < n; i++) {
        sum += found[i].force[0];
        CHECK_NEAR(found[i].force[0], found[0].force[0], TOL_EXACT);
    }
    CHECK_NEAR(sum, WORLD_GRAVITY, 1e-3);
    world_end(&w);
}

/* --- Equalities --------------------------------------------------------------------------------------------------- */

/* The origin of a body is held where it is. */
static void add_connect(World *w, int body) {
    tacEqualityDef def = tac_default_equality();
    def.type = TAC_EQ_CONNECT, def.obj[0] = body, def.obj[1] = 0;
    memset(def.data, 0, sizeof def.data);
    tac_model_add_equality(w->b, &def);
}

/* Joint 0 is held at an angle. */
static void add_lock(World *w, double angle) {
    tacEqualityDef def = tac_default_equality();
    def.type = TAC_EQ_JOINT, def.objkind = TAC_KIND_JOINT, def.obj[0] = 0;
    memset(def.data, 0, sizeof def.data);
    def.data[0] = angle;
    tac_model_add_equality(w->b, &def);
}

/* The same loop twice over has the motion of the loop, each with half its force. */
static void redundant_loops_are_solved(void **state) {
    (void)state;
    double height[2];
    for (int k = 0; k < 2; k++) {
        World w = world_begin(0, DT);
        tacGeomDef geom = ball(1, 0.5);
        int id = add_body(&w, 1, &geom);
        for (int copies = 0; copies <= 4 * k; copies++)
            add_connect(&w, id);
        finish(&w);
        CHECK_INT(move(&w, STEPS), 0);
        height[k] = w.x[2];
        world_end(&w);
    }
    CHECK_NEAR(height[1], height[0], 0.01);
    CHECK(height[0] > 0.9);
}

/* Two angles that one joint cannot be at: it stays between them. */
static void contradictory_locks_are_shared(void **state) {
    (void)state;
    World w = world_begin(0, DT);
    tacGeomDef geom = ball(1, 0.5);
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    int id = tac_model_add_body(w.b, 0, &body);
    joint.type = TAC_JOINT_HINGE, joint.axis = (tacVec3){0, 0, 1};
    tac_model_add_joint(w.b, id, &joint);
    tac_model_add_geom(w.b, id, &geom);
    add_lock(&w, -0.4);
    add_lock(&w, 0.6);
    finish(&w);
    CHECK_INT(move(&w, STEPS), 0);
    CHECK_NEAR(w.x[0], 0.1, 1e-6);
    world_end(&w);
}

/* --- Steps that fail ---------------------------------------------------------------------------------------------- */

static void a_failed_step_leaves_the_state(void **state) {
    (void)state;
    World w = world_begin(0, DT);
    tacGeomDef geom = ball(1, 0.5);
    add_floor(&w, geom);
    add_body(&w, 0.1, &geom);
    finish(&w);
    double y[WORLD_MAX_STATE], before[WORLD_MAX_STATE];
    for (int i = 0; i < WORLD_MAX_STATE; i++)
        y[i] = before[i] = i;
    w.x[9] = (double)NAN;
    CHECK_INT(tac_step(w.sim, w.x, NULL, y, &w.info), TAC_ERR_NONFINITE);
    CHECK(memcmp(y, before, sizeof y) == 0);
    w.x[9] = 1e300;
    w.x[10] = 1e300;
    tacStatus status = tac_step(w.sim, w.x, NULL, y, &w.info);
    if (status != TAC_OK && status != TAC_ERR_UNSOLVED) CHECK(memcmp(y, before, sizeof y) == 0);
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solref_and_solimp_are_clamped),        cmocka_unit_test(wild_softness_gives_motions),
        cmocka_unit_test(friction_below_zero_is_the_least),     cmocka_unit_test(margins_below_zero_begin_inside),
        cmocka_unit_test(mass_ratios_of_a_million_are_carried), cmocka_unit_test(redundant_contacts_share_the_weight),
        cmocka_unit_test(redundant_loops_are_solved),           cmocka_unit_test(contradictory_locks_are_shared),
        cmocka_unit_test(a_failed_step_leaves_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
