/* Our own robots, models/NAME.xml: each loads strictly, has the sizes and the mass its documentation says, and a home
 * pose that makes sense. */
#include "tactus/io.h"

#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sums of published masses in double precision. */
#define TOL_MASS 1e-9
/* Quaternions of keyframes are written with few digits. */
#define TOL_UNIT 1e-6
/* A robot that stands touches the ground to a millimetre and does not start inside it. */
#define MOST_GAP         1e-3
#define MOST_PENETRATION 1e-6
/* How far servos and hovering rotors let the home pose sink meanwhile, rad or m. */
#define TOL_HOLD 0.03

enum { HOLD_STEPS = 500 };

typedef enum { NO_GROUND, ABOVE_GROUND, ON_GROUND } Ground;

/* bodies: the world not counted. */
typedef struct Robot {
    const char *name;
    int nq, nv, nu, na, bodies;
    double mass;
    Ground ground;
    int holds; /* its controls keep the home pose without contact */
} Robot;

static const Robot ROBOTS[] = {
    {"pendulum", 1, 1, 1, 0, 1, 1, NO_GROUND, 1},
    {"double_pendulum", 2, 2, 2, 0, 2, 2, NO_GROUND, 1},
    {"cartpole", 2, 2, 1, 0, 2, 1.4384, NO_GROUND, 1},
    {"double_cartpole", 3, 3, 1, 0, 3, 1.1, NO_GROUND, 1},
    {"box", 7, 6, 3, 0, 1, 1, ON_GROUND, 0},
    {"hopper", 8, 7, 3, 0, 2, 4.7, ON_GROUND, 0},
    {"half_cheetah", 9, 9, 6, 0, 7, 14, ON_GROUND, 0},
    {"walker", 9, 9, 6, 0, 7, 29, ON_GROUND, 0},
    {"ant", 15, 14, 8, 0, 9, 0.910880082711, ON_GROUND, 0},
    {"quadruped", 19, 18, 12, 0, 13, 12.213, ON_GROUND, 0},
    {"humanoid", 29, 27, 21, 0, 13, 70, ON_GROUND, 0},
    {"atlas", 37, 36, 30, 0, 31, 174.0503, ON_GROUND, 0},
    {"panda", 9, 9, 8, 0, 11, 17.451901, ABOVE_GROUND, 1},
    {"xarm6", 6, 6, 6, 6, 7, 12.05164, ABOVE_GROUND, 1},
    {"quadrotor", 7, 6, 4, 4, 1, 1.325, ABOVE_GROUND, 1},
    {"catapult", 5, 5, 3, 0, 4, 4, ABOVE_GROUND, 0},
    {"jumpworm", 5, 5, 3, 0, 4, 4, ON_GROUND, 0},
    {"four_bar", 3, 3, 1, 0, 3, 2.2, NO_GROUND, 0},
    {"finger", 3, 3, 1, 0, 3, 0.0157425207871, ABOVE_GROUND, 0},
};
enum { NROBOT = sizeof ROBOTS / sizeof ROBOTS[0] };

static tacModel *load(const Robot *robot) {
    char path[128];
    tacError err;
    tacModel *model = NULL;
    snprintf(path, sizeof path, "models/%s.xml", robot->name);
    if (tac_load(path, &model, &err) != TAC_OK) fail_msg("%s", err.text);
    return model;
}

static void test_sizes_and_mass(void **state) {
    (void)state;
    for (int r = 0; r < NROBOT; r++) {
        const Robot *robot = &ROBOTS[r];
        tacModel *m = load(robot);
        print_message("%s\n", robot->name);
        CHECK_INT(m->nq, robot->nq);
        CHECK_INT(m->nv, robot->nv);
        CHECK_INT(m->nu, robot->nu);
        CHECK_INT(m->na, robot->na);
        CHECK_INT(m->nbody - 1, robot->bodies);
        CHECK_NEAR(m->body_subtree_mass[0], robot->mass, TOL_MASS);
        tac_model_free(m);
    }
}

/* Nothing in our own files is left unread: no warning, nothing ignored but looks. */
static void test_nothing_warned(void **state) {
    (void)state;
    for (int r = 0; r < NROBOT; r++) {
        char path[128];
        tacError err;
        tacModel *model = NULL;
        tacReport *report = NULL;
        snprintf(path, sizeof path, "models/%s.xml", ROBOTS[r].name);
        CHECK_INT(tac_load_with(path, NULL, &model, &report, &err), TAC_OK);
        for (int i = 0; i < tac_report_warning_count(report); i++)
            print_error("%s\n", tac_report_warning(report, i));
        CHECK_INT(tac_report_warning_count(report), 0);
        tac_report_free(report);
        tac_model_free(model);
    }
}

/* --- Home --------------------------------------------------------------------------------------------------------- */

static void check_limits(const tacModel *m, const double *qpos, const double *ctrl) {
    for (int j = 0; j < m->njnt; j++) {
        const double *q = qpos + m->joint_qpos_adr[j], *range = m->joint_range + 2 * j;
        int scalar = m->joint_type[j] == TAC_JOINT_HINGE || m->joint_type[j] == TAC_JOINT_SLIDE;
        if (scalar && m->joint_limited[j]) CHECK(q[0] >= range[0] && q[0] <= range[1]);
        if (scalar) continue;
        const double *quat = q + (m->joint_type[j] == TAC_JOINT_FREE ? 3 : 0);
        CHECK_NEAR(quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3], 1, TOL_UNIT);
    }
    for (int i = 0; i < m->nu; i++)
        if (m->actuator_ctrllimited[i])
            CHECK(ctrl[i] >= m->actuator_ctrlrange[2 * i] && ctrl[i] <= m->actuator_ctrlrange[2 * i + 1]);
}

static void test_home_is_within_limits(void **state) {
    (void)state;
    for (int r = 0; r < NROBOT; r++) {
        tacModel *m = load(&ROBOTS[r]);
        int home = tac_model_find(m, TAC_KIND_KEY, "home");
        CHECK(home >= 0);
        for (int k = 0; k < m->nkey; k++)
            check_limits(m, m->key_qpos + k * m->nq, m->key_ctrl + k * m->nu);
        tac_model_free(m);
    }
}

/* Half extent along world z of a geom whose axes are the columns of mat. */
static double reach_down(const tacModel *m, int geom, const tacMat3 *mat) {
    const double *size = m->geom_size + 3 * geom, *row = mat->m + 6;
    switch (m->geom_type[geom]) {
    case TAC_GEOM_SPHERE:
        return size[0];
    case TAC_GEOM_CAPSULE:
        return size[0] + size[1] * fabs(row[2]);
    case TAC_GEOM_CYLINDER:
        return size[0] * hypot(row[0], row[1]) + size[1] * fabs(row[2]);
    case TAC_GEOM_BOX:
        return size[0] * fabs(row[0]) + size[1] * fabs(row[1]) + size[2] * fabs(row[2]);
    case TAC_GEOM_ELLIPSOID:
        return sqrt(pow(size[0] * row[0], 2) + pow(size[1] * row[1], 2) + pow(size[2] * row[2], 2));
    default:
        fail_msg("geom type %d has no place in our robots", m->geom_type[geom]);
        return 0;
    }
}

/* Height above z = 0 of the lowest colliding geom on a body that moves, at a keyframe. */
static double lowest_point(const tacModel *m, int key) {
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    tacSim *sim;
    CHECK_INT(tac_sim_new(m, &options, &sim, NULL), TAC_OK);
    tacVec3 *pos = malloc((size_t)m->ngeom * sizeof *pos);
    tacMat3 *mat = malloc((size_t)m->ngeom * sizeof *mat);
    tacKinematics out = {.geom_pos = pos, .geom_mat = mat};
    CHECK_INT(tac_kinematics(sim, m->key_qpos + key * m->nq, m->key_ctrl + key * m->nu, &out), TAC_OK);
    double lowest = HUGE_VAL;
    for (int g = 0; g < m->ngeom; g++) {
        int collides = m->geom_contype[g] != 0 || m->geom_conaffinity[g] != 0;
        if (collides && m->body_weld[m->geom_body[g]] != 0) lowest = fmin(lowest, pos[g].z - reach_down(m, g, &mat[g]));
    }
    free(pos);
    free(mat);
    tac_sim_free(sim);
    return lowest;
}

static int ground_geom(const tacModel *m) {
    for (int g = 0; g < m->ngeom; g++)
        if (m->geom_type[g] == TAC_GEOM_PLANE && m->geom_body[g] == 0 && m->geom_pos[g].z == 0) return g;
    return -1;
}

static void test_stands_on_the_ground(void **state) {
    (void)state;
    for (int r = 0; r < NROBOT; r++) {
        tacModel *m = load(&ROBOTS[r]);
        CHECK_INT(ground_geom(m) >= 0, ROBOTS[r].ground != NO_GROUND);
        double gap = lowest_point(m, tac_model_find(m, TAC_KIND_KEY, "home"));
        print_message("%-16s lowest point %g m\n", ROBOTS[r].name, gap);
        if (ROBOTS[r].ground != NO_GROUND) CHECK(gap > -MOST_PENETRATION);
        if (ROBOTS[r].ground == ON_GROUND) CHECK_LT(gap, MOST_GAP);
        tac_model_free(m);
    }
}

/* Servos hold arms, thrust holds the quadrotor, gravity holds what hangs: 500 steps without contact. */
static void test_home_is_held(void **state) {
    (void)state;
    for (int r = 0; r < NROBOT; r++) {
        if (!ROBOTS[r].holds) continue;
        tacModel *m = load(&ROBOTS[r]);
        int home = tac_model_find(m, TAC_KIND_KEY, "home"), nx = tac_nx(m);
        tacOptions options = tac_default_options(m);
        options.contact = TAC_CONTACT_MODEL_NONE;
        tacSim *sim;
        CHECK_INT(tac_sim_new(m, &options, &sim, NULL), TAC_OK);
        double *x = calloc((size_t)nx, sizeof *x);
        memcpy(x, m->key_qpos + home * m->nq, (size_t)m->nq * sizeof *x);
        memcpy(x + m->nq + m->nv, m->key_act + home * m->na, (size_t)m->na * sizeof *x);
        for (int k = 0; k < HOLD_STEPS; k++)
            CHECK_INT(tac_step(sim, x, m->key_ctrl + home * m->nu, x, NULL), TAC_OK);
        double moved = 0;
        for (int i = 0; i < m->nq; i++)
            moved = fmax(moved, fabs(x[i] - m->key_qpos[home * m->nq + i]));
        print_message("%-16s moved %g\n", ROBOTS[r].name, moved);
        CHECK_LT(moved, TOL_HOLD);
        free(x);
        tac_sim_free(sim);
        tac_model_free(m);
    }
}

/* Together the robots use every kind of joint, several joints per body, and the main actuator kinds. */
static void test_kinds_in_use(void **state) {
    (void)state;
    int joints[4] = {0}, several = 0, fixed = 0, activation = 0, tendons = 0, springs = 0, transmission[6] = {0};
    for (int r = 0; r < NROBOT; r++) {
        tacModel *m = load(&ROBOTS[r]);
        for (int j = 0; j < m->njnt; j++) {
            joints[m->joint_type[j]]++;
            springs += m->joint_stiffness[j] > 0;
        }
        for (int b = 1; b < m->nbody; b++) {
            several += m->body_joint_num[b] > 1;
            fixed += m->body_joint_num[b] == 0;
        }
        for (int i = 0; i < m->nu; i++)
            transmission[m->actuator_trntype[i]]++;
        activation += m->na;
        tendons += m->ntendon;
        tac_model_free(m);
    }
    CHECK(joints[TAC_JOINT_FREE] > 0 && joints[TAC_JOINT_BALL] > 0 && joints[TAC_JOINT_SLIDE] > 0 &&
          joints[TAC_JOINT_HINGE] > 0);
    CHECK(several > 0 && fixed > 0 && activation > 0 && tendons > 0 && springs > 0);
    CHECK(transmission[TAC_TRN_JOINT] > 0 && transmission[TAC_TRN_TENDON] > 0 && transmission[TAC_TRN_SITE] > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_and_mass),        cmocka_unit_test(test_nothing_warned),
        cmocka_unit_test(test_home_is_within_limits), cmocka_unit_test(test_stands_on_the_ground),
        cmocka_unit_test(test_home_is_held),          cmocka_unit_test(test_kinds_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
