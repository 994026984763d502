/* Where contact ncp has no solution, or is led where features vanish: a state, a status and a reason all the same, and
 * never a wrong motion that counts as solved. */
#include "tactus/io.h"
#include "tactus/tactus.h"

#include "io/scratch.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

enum { MOST_X = 40, MOST_U = 16 };
#define MOST_TURN  3.0  /* rad: of a joint in a step */
#define TOL_DEPTH  1e-8 /* m */
#define RANGE      0.3  /* rad: of the hinge that rubs */
#define NEAR_LIMIT 1e-5 /* rad */
/* Of 200 steps of the finger: 6 were measured. */
enum { MOST_UNSOLVED = 15, MOST_CONTACTS = 512 };
#define HARM       0.21 /* m/s, rad/s: by which an end that is not solved may run into something */
#define MOST_SPEED 50.0 /* m/s, rad/s: of the arm's joints */

/* A box above an upright cylinder: the rim crosses the box's edges only where they have met. */
#define BOX_ABOVE_CYLINDER                                                                                             \
    "<mujoco><worldbody><geom type='plane' size='5 5 .1' friction='0.5'/>"                                             \
    "<body pos='0 0 .121'><freejoint/><geom type='cylinder' size='.1 .12' friction='0.6'/></body>"                     \
    "<body pos='0.02 0.03 .36'><freejoint/><geom type='box' size='.1 .08 .1' friction='0.3'/></body>"                  \
    "</worldbody></mujoco>"
/* An upright cylinder above the floor. */
#define CYLINDER                                                                                                       \
    "<mujoco><worldbody><geom type='plane' size='5 5 .1' friction='0.5'/>"                                             \
    "<body pos='0 0 .121'><freejoint/><geom type='cylinder' size='.1 .12' "                                            \
    "friction='0.6'/></body></worldbody></mujoco>"
/* Two hinges of one axis, one behind the other: both turn the second rod. */
#define TWO_HINGES                                                                                                     \
    "<mujoco><option gravity='0 0 0'/><worldbody>"                                                                     \
    "<body><joint type='hinge' axis='0 0 1'/><geom type='sphere' size='.1'/>"                                          \
    "<body><joint type='hinge' axis='0 0 1'/><geom type='box' size='.1 .2 .1' contype='0' conaffinity='0'/></body>"    \
    "</body></worldbody></mujoco>"

/* A hinge that rubs, driven against its stops. */
#define RUBBING_HINGE                                                                                                  \
    "<mujoco><compiler angle='radian'/><worldbody><body pos='0 0 1'>"                                                  \
    "<joint name='a' type='hinge' axis='0 1 0' frictionloss='.2' limited='true' range='-.3 .3'/>"                      \
    "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/></body></worldbody>"                                       \
    "<actuator><motor joint='a' gear='3'/></actuator></mujoco>"

typedef struct Run {
    tacModel *m;
    tacOptions options;
    tacSim *sim;
    double x[MOST_X], u[MOST_U];
} Run;

static void begin(Run *run, const char *path, double dt, int max_contacts) {
    tacError err;
    if (tac_load(path, &run->m, &err) != TAC_OK) fail_msg("%s", err.text);
    run->options = tac_default_options(run->m);
    run->options.contact = TAC_CONTACT_MODEL_NCP, run->options.dt = dt;
    if (max_contacts > 0) run->options.max_contacts = max_contacts;
    if (tac_sim_new(run->m, &run->options, &run->sim, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_default_state(run->m, run->x);
    memset(run->u, 0, sizeof run->u);
}

static void end(Run *run) {
    tac_sim_free(run->sim);
    tac_model_free(run->m);
}

/* A step that goes on: solved, or with all that a failure has to tell. */
static tacStatus step(Run *run) {
    tacStepInfo info;
    tacStatus status = tac_step(run->sim, run->x, run->u, run->x, &info);
    CHECK(status == TAC_OK || status == TAC_ERR_UNSOLVED);
    CHECK((status == TAC_OK) == (info.reason == TAC_REASON_NONE));
    CHECK(isfinite(info.residual));
    for (int i = 0; i < tac_nx(run->m); i++)
        CHECK(isfinite(run->x[i]));
    return status;
}

static double draw(int k, int i) { return 2 * tac_random_uniform(1, (uint64_t)k, (uint64_t)i) - 1; }

/* Poses show turns only up to whole ones: a pendulum that swings by up to 2 rad a step, torques that would turn it
 * faster. What is solved turns by less than 3 rad. */
static void whole_turns_are_not_lost(void **state) {
    (void)state;
    const double dt = 0.1;
    Run run;
    int solved = 0, refused = 0;
    begin(&run, "models/pendulum.xml", dt, 0);
    for (int k = 0; k < 3000; k++) {
        run.x[0] = 3 * draw(k, 0), run.x[1] = 20 * draw(k, 1), run.u[0] = 20 * draw(k, 2);
        if (step(&run) == TAC_OK) {
            CHECK(fabs(dt * run.x[1]) < MOST_TURN);
            solved++;
        } else {
            refused++;
        }
    }
    CHECK(solved > 2000 && refused > 100);
    end(&run);
}

/* Each hinge turns by less than 3 rad, both together the rod by more; and a state that came round that far. */
static void turns_add_up(void **state) {
    (void)state;
    static const double TURNS[][2] = {{2, 2}, {2.9, 2.9}, {5, 0}, {0, 7}, {-3.5, 0}};
    const double dt = 0.1;
    Run run;
    begin(&run, scratch_text("hinges.xml", TWO_HINGES), dt, 0);
    for (size_t k = 0; k < sizeof TURNS / sizeof *TURNS; k++) {
        tacStepInfo info;
        double x[4] = {0, 0, TURNS[k][0] / dt, TURNS[k][1] / dt};
        CHECK_INT(tac_step(run.sim, x, run.u, run.x, &info), TAC_ERR_UNSOLVED);
        CHECK_INT(info.reason, TAC_REASON_TURNED);
        for (int i = 0; i < 4; i++)
            CHECK(isfinite(run.x[i]));
    }
    double x[4] = {0, 0, 1 / dt, 1.5 / dt}; /* 2.5 rad: below */
    CHECK_INT(tac_step(run.sim, x, run.u, run.x, NULL), TAC_OK);
    CHECK_NEAR(run.x[2] + run.x[3], 2.5 / dt, 1e-9);
    end(&run);
}

/* Features that a search adds where it has led may not be there at q: the step ends all the same. */
static void features_that_vanish(void **state) {
    (void)state;
    static const double STEPS[] = {0.02, 0.05, 0.1};
    for (size_t k = 0; k < sizeof STEPS / sizeof *STEPS; k++) {
        Run run;
        begin(&run, scratch_text("stack.xml", BOX_ABOVE_CYLINDER), STEPS[k], 0);
        for (int i = 0; i < 20; i++)
            step(&run);
        end(&run);
    }
}

/* A box falls flat, fast enough to find the corners of its far side ahead too: with room for the four that will touch
 * alone, the reach is shortened. */
static void more_contacts_ahead_than_room(void **state) {
    (void)state;
    for (int room = 8; room >= 4; room--) {
        Run run;
        begin(&run, "models/box.xml", 0.1, room);
        run.x[2] = 0.8, run.x[7 + 2] = -8;
        CHECK_INT(step(&run), TAC_OK);
        CHECK(run.x[2] > 0.25 - TOL_DEPTH && run.x[2] < 0.26);
        end(&run);
    }
}

/* Friction that turns over while a limit holds its joint: the two are brought to the central path together. */
static void dry_friction_at_a_limit(void **state) {
    (void)state;
    static const double STEPS[] = {0.001, 0.005, 0.02};
    for (size_t k = 0; k < sizeof STEPS / sizeof *STEPS; k++) {
        Run run;
        int iterations = 0, held = 0;
        const int n = 400;
        begin(&run, scratch_text("rubbing.xml", RUBBING_HINGE), STEPS[k], 0);
        for (int i = 0; i < n; i++) {
            tacStepInfo info;
            run.u[0] = draw(i, 0);
            CHECK_INT(tac_step(run.sim, run.x, run.u, run.x, &info), TAC_OK);
            CHECK(fabs(run.x[0]) < RANGE + TOL_DEPTH);
            held += RANGE - fabs(run.x[0]) < NEAR_LIMIT;
            iterations += info.iterations;
        }
        CHECK(held > n / 10);
        CHECK_LT(iterations, 8 * n);
        end(&run);
    }
}

/* A tendon of 20 N on a finger of 20 g: its force alone would take the joints round many times in a step. Of 200 steps
 * 148 were not solved before products began at the size of that. */
static void forces_that_limits_hold(void **state) {
    (void)state;
    Run run;
    int unsolved = 0;
    begin(&run, "models/finger.xml", 0.02, 0);
    for (int i = 0; i < 200; i++) {
        run.u[0] = 10 + 10 * draw(i, 0);
        unsolved += step(&run) != TAC_OK;
    }
    CHECK(unsolved <= MOST_UNSOLVED);
    end(&run);
}

/* What falls flat lands on all points of its rim at once, from 1 mm at 2 ms too, where features are taken ahead from
 * just that far. */
static void cylinder_lands_flat(void **state) {
    (void)state;
    static const double STEPS[] = {0.002, 0.005, 0.01, 0.05}, HEIGHTS[] = {1e-3, 2.5e-3, 5e-3, 0.02};
    for (size_t k = 0; k < sizeof STEPS / sizeof *STEPS; k++)
        for (size_t i = 0; i < sizeof HEIGHTS / sizeof *HEIGHTS; i++) {
            Run run;
            begin(&run, scratch_text("cylinder.xml", CYLINDER), STEPS[k], 0);
            run.x[2] = 0.12 + HEIGHTS[i];
            for (int j = 0; j < 100; j++) {
                CHECK_INT(step(&run), TAC_OK);
                CHECK(run.x[2] > 0.12 - TOL_DEPTH);
            }
            CHECK_NEAR(run.x[2], 0.12, 1e-5);
            CHECK_NEAR(fabs(run.x[3]), 1, 1e-9);
            end(&run);
        }
}

/* Random targets within the range of each actuator. */
static void draw_targets(Run *run, int k) {
    const tacModel *m = run->m;
    for (int i = 0; i < m->nu; i++) {
        const double *range = m->actuator_ctrlrange + 2 * i;
        run->u[i] = 0.5 * (range[0] + range[1] + draw(k, i) * (range[1] - range[0]));
    }
}

/* How far any hinge or slide is out of its range, or any two geoms overlap. */
static double depth_of(const Run *run) {
    const tacModel *m = run->m;
    tacContact contact[MOST_CONTACTS];
    int n;
    double depth = 0;
    for (int j = 0; j < m->njnt; j++) {
        double q = run->x[m->joint_qpos_adr[j]];
        if (!m->joint_limited[j]) continue;
        depth = fmax(depth, fmax(m->joint_range[2 * j] - q, q - m->joint_range[2 * j + 1]));
    }
    CHECK_INT(tac_contacts(run->sim, run->x, run->u, contact, MOST_CONTACTS, &n), TAC_OK);
    for (int i = 0; i < n; i++)
        depth = fmax(depth, -contact[i].dist);
    return depth;
}

/* An arm whose servos are far too stiff for the step: few steps have a solution, but what is returned of the others
 * breaks limits and overlaps by little more than the state before, and rests or moves no faster than a servo can make
 * it. Before, fingers went 80 mm through each other. */
static void ends_do_no_harm(void **state) {
    (void)state;
    const double dt = 0.1;
    Run run;
    int unsolved = 0;
    double depth = 0;
    begin(&run, "models/panda.xml", dt, 0);
    for (int i = 0; i < run.m->nq; i++)
        run.x[i] = run.m->key_qpos[i];
    for (int k = 0; k < 20; k++) {
        draw_targets(&run, k);
        unsolved += step(&run) != TAC_OK;
        double now = depth_of(&run);
        CHECK(now < depth + HARM * dt);
        depth = now;
        for (int i = 0; i < run.m->nv; i++)
            CHECK(fabs(run.x[run.m->nq + i]) < MOST_SPEED);
    }
    CHECK(unsolved > 5);
    end(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_turns_are_not_lost),
        cmocka_unit_test_setup_teardown(turns_add_up, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(features_that_vanish, scratch_setup, scratch_teardown),
        cmocka_unit_test(more_contacts_ahead_than_room),
        cmocka_unit_test_setup_teardown(dry_friction_at_a_limit, scratch_setup, scratch_teardown),
        cmocka_unit_test(forces_that_limits_hold),
        cmocka_unit_test(ends_do_no_harm),
        cmocka_unit_test_setup_teardown(cylinder_lands_flat, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests_name("ncp_unsolved", tests, NULL, NULL);
}
