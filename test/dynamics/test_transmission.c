/* Lengths, velocities and moment rows of tendons and actuators. */
#include "dynamics/robots.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

/* Closed forms. */
#define TOL_EXACT 1e-14
/* Central differences with step H: truncation H^2, rounding 1e-16 / H. */
#define STEP_FD 1e-6
#define TOL_FD  1e-8

static const double PI = 3.14159265358979323846;

/* An arm on a rail with sites, for one actuator under test. */
typedef struct Arm {
    tacBuilder *b;
    int rail, hinge, slide, ball, wrist, tip, side, ground;
} Arm;

static int add_site(tacBuilder *b, int body, tacVec3 pos, tacQuat quat) {
    tacSiteDef def = tac_default_site();
    def.pos = pos;
    def.quat = quat;
    return tac_model_add_site(b, body, &def);
}

static Arm arm_begin(void) {
    Arm a = {.b = tac_model_begin()};
    tacVec3 inertia = {0.02, 0.03, 0.04};
    CHECK(a.b != NULL);
    int body1 = robot_body(a.b, 0, (tacVec3){0, 0, 0.5}, 1, (tacVec3){0.1, 0, 0}, inertia);
    int body2 = robot_body(a.b, body1, (tacVec3){0.3, 0, 0}, 1, (tacVec3){0, 0.1, 0}, inertia);
    int body3 = robot_body(a.b, body2, (tacVec3){0.2, 0.1, 0}, 1, (tacVec3){0, 0, 0.1}, inertia);
    a.rail = robot_joint(a.b, body1, TAC_JOINT_SLIDE, (tacVec3){1, 0, 0});
    a.hinge = robot_joint(a.b, body1, TAC_JOINT_HINGE, (tacVec3){0, 1, 0.3});
    a.slide = robot_joint(a.b, body2, TAC_JOINT_SLIDE, (tacVec3){0, 1, 1});
    a.wrist = robot_joint(a.b, body2, TAC_JOINT_HINGE, (tacVec3){1, 0, 0});
    a.ball = robot_joint(a.b, body3, TAC_JOINT_BALL, (tacVec3){0, 0, 1});
    a.ground = add_site(a.b, 0, (tacVec3){0.4, 0.2, 0.1}, (tacQuat){0.9, 0.2, 0.1, -0.3});
    a.side = add_site(a.b, body1, (tacVec3){0, 0.1, 0.2}, (tacQuat){0.6, 0.2, -0.5, 0.1});
    a.tip = add_site(a.b, body3, (tacVec3){0.05, 0.1, 0.3}, (tacQuat){0.5, -0.2, 0.4, 0.3});
    return a;
}

static tacActuatorDef actuator(tacTransmission trntype, int id, int second) {
    tacActuatorDef def = tac_default_actuator();
    def.trntype = trntype;
    def.trnid[0] = id;
    def.trnid[1] = second;
    return def;
}

static double length_at(tacSim *sim, const tacModel *m, const double *x, const double *u) {
    double length;
    (void)m;
    CHECK_INT(tac_actuation(sim, x, u, &(tacActuation){.length = &length}), TAC_OK);
    return length;
}

/* The moment row must be d(length)/dq in tangent coordinates, and velocity = moment . v; returns the largest entry. */
static double check_row(tacBuilder *b, const tacActuatorDef *def) {
    tac_model_add_actuator(b, def);
    tacModel *m = robot_finish(b);
    tacSim *sim = robot_sim(m);
    double *x = robot_array(tac_nx(m)), *moved = robot_array(tac_nx(m)), *d = robot_array(m->nv),
           *row = robot_array(m->nv);
    double *u = robot_array(m->nu + m->nv + 6 * m->nbody), velocity, largest = 0;
    for (uint64_t s = 0; s < 5; s++) {
        double expected = 0;
        robot_state(m, x, s);
        CHECK_INT(tac_actuation(sim, x, u, &(tacActuation){.moment = row, .velocity = &velocity}), TAC_OK);
        for (int i = 0; i < m->nv; i++) {
            d[i] = STEP_FD;
            tac_qpos_add(m, x, d, moved);
            double forward = length_at(sim, m, moved, u);
            d[i] = -STEP_FD;
            tac_qpos_add(m, x, d, moved);
            CHECK_NEAR(row[i], (forward - length_at(sim, m, moved, u)) / (2 * STEP_FD), TOL_FD);
            d[i] = 0;
            expected += row[i] * x[m->nq + i];
            largest = fmax(largest, fabs(row[i]));
        }
        CHECK_NEAR(velocity, expected, TOL_EXACT);
    }
    free(x), free(moved), free(d), free(row), free(u);
    tac_sim_free(sim);
    tac_model_free(m);
    return largest;
}

static void scalar_joints(void **state) {
    (void)state;
    Arm a = arm_begin();
    tacActuatorDef def = actuator(TAC_TRN_JOINT, a.hinge, -1);
    def.gear[0] = 3;
    CHECK_NEAR(check_row(a.b, &def), 3, TOL_EXACT);
    a = arm_begin();
    def = actuator(TAC_TRN_JOINT_IN_PARENT, a.slide, -1);
    def.gear[0] = -2;
    CHECK_NEAR(check_row(a.b, &def), 2, TOL_EXACT);
}

static void fixed_tendon(void **state) {
    (void)state;
    Arm a = arm_begin();
    tacTendonDef tendon = tac_default_tendon();
    const int joints[] = {a.rail, a.wrist, a.slide};
    const double coef[] = {0.5, -1.5, 2};
    tendon.nterm = 3;
    tendon.joint = joints;
    tendon.coef = coef;
    tacActuatorDef def = actuator(TAC_TRN_TENDON, tac_model_add_tendon(a.b, &tendon), -1);
    def.gear[0] = 4;
    CHECK_NEAR(check_row(a.b, &def), 8, TOL_EXACT);
}

/* A rod long enough to reach, and one too short: both branches of the length. */
static void slider_crank(void **state) {
    (void)state;
    const double rods[] = {2.5, 0.001};
    for (int i = 0; i < 2; i++) {
        Arm a = arm_begin();
        tacActuatorDef def = actuator(TAC_TRN_SLIDERCRANK, a.tip, a.side);
        def.cranklength = rods[i];
        def.gear[0] = 1.5;
        CHECK(check_row(a.b, &def) > 0.1);
        a = arm_begin();
        def.trnid[1] = a.ground;
        CHECK(check_row(a.b, &def) > 0.1);
    }
}

/* Translation along the axes of a reference site on the ground. */
static void site_from_ground(void **state) {
    (void)state;
    Arm a = arm_begin();
    tacActuatorDef def = actuator(TAC_TRN_SITE, a.tip, a.ground);
    def.gear[0] = 0.5, def.gear[1] = -1, def.gear[2] = 2;
    CHECK(check_row(a.b, &def) > 0.1);
}

/* A reference site that moves: dofs that move both sites have no moment, and the length is invariant to them. */
static void site_from_moving_site(void **state) {
    (void)state;
    Arm a = arm_begin();
    tacActuatorDef def = actuator(TAC_TRN_SITE, a.tip, a.side);
    def.gear[0] = 0.5, def.gear[1] = -1, def.gear[2] = 2;
    tac_model_add_actuator(a.b, &def);
    tacModel *m = robot_finish(a.b);
    tacSim *sim = robot_sim(m);
    double *x = robot_array(tac_nx(m)), *u = robot_array(m->nu + m->nv + 6 * m->nbody), *row = robot_array(m->nv);
    robot_state(m, x, 4);
    double length = length_at(sim, m, x, u);
    CHECK_INT(tac_actuation(sim, x, u, &(tacActuation){.moment = row}), TAC_OK);
    CHECK_NEAR(row[0], 0, 0);
    CHECK_NEAR(row[1], 0, 0);
    CHECK(fabs(row[2]) > 0.1);
    x[0] += 0.7, x[1] -= 0.4;
    CHECK_NEAR(length_at(sim, m, x, u), length, TOL_EXACT);
    free(x), free(u), free(row);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* A wrench at a site alone: power = moment . v must be force . velocity of the point + torque . angular velocity. */
static void site_wrench(void **state) {
    (void)state;
    Arm a = arm_begin();
    tacActuatorDef def = actuator(TAC_TRN_SITE, a.tip, -1);
    const double gear[6] = {0.5, -1, 2, 0.3, 0.2, -0.4};
    for (int i = 0; i < 6; i++)
        def.gear[i] = gear[i];
    tac_model_add_actuator(a.b, &def);
    tacModel *m = robot_finish(a.b);
    tacSim *sim = robot_sim(m);
    double *x = robot_array(tac_nx(m)), *u = robot_array(m->nu + m->nv + 6 * m->nbody), power, length, expected = 0;
    double *jacp = robot_array(3 * m->nv), *jacr = robot_array(3 * m->nv);
    tacMat3 site_mat[3];
    robot_state(m, x, 5);
    CHECK_INT(tac_actuation(sim, x, u, &(tacActuation){.velocity = &power, .length = &length}), TAC_OK);
    CHECK_INT(tac_frame_jacobian(sim, x, TAC_KIND_SITE, 2, jacp, jacr), TAC_OK);
    CHECK_INT(tac_kinematics(sim, x, u, &(tacKinematics){.site_mat = site_mat}), TAC_OK);
    for (int k = 0; k < 3; k++) {
        double force = 0, torque = 0;
        for (int j = 0; j < 3; j++) {
            force += site_mat[2].m[3 * k + j] * gear[j];
            torque += site_mat[2].m[3 * k + j] * gear[3 + j];
        }
        for (int i = 0; i < m->nv; i++)
            expected += (force * jacp[k * m->nv + i] + torque * jacr[k * m->nv + i]) * x[m->nq + i];
    }
    CHECK(fabs(power) > 0.1);
    CHECK_NEAR(power, expected, TOL_EXACT);
    CHECK_NEAR(length, 0, 0);
    free(x), free(u), free(jacp), free(jacr);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* Ball joint: length = gear . rotation vector, row = gear; in the parent's axes the row turns, the length does not. */
static void ball_joint(void **state) {
    (void)state;
    Arm a = arm_begin();
    tacActuatorDef def = actuator(TAC_TRN_JOINT, a.ball, -1);
    def.gear[0] = 0.2, def.gear[1] = 0.5, def.gear[2] = -0.3;
    tac_model_add_actuator(a.b, &def);
    def.trntype = TAC_TRN_JOINT_IN_PARENT;
    tac_model_add_actuator(a.b, &def);
    tacModel *m = robot_finish(a.b);
    tacSim *sim = robot_sim(m);
    double *x = robot_array(tac_nx(m)), *u = robot_array(m->nu + m->nv + 6 * m->nbody), *row = robot_array(2 * m->nv);
    double length[2], turn = 1.2;
    tac_default_state(m, x);
    double *quat = x + m->nq - 4; /* the ball is the last joint; a turn about y, not of unit length */
    quat[0] = 3 * cos(turn / 2), quat[1] = 0, quat[2] = 3 * sin(turn / 2), quat[3] = 0;
    CHECK_INT(tac_actuation(sim, x, u, &(tacActuation){.length = length, .moment = row}), TAC_OK);
    CHECK_NEAR(length[0], 0.5 * turn, TOL_EXACT);
    CHECK_NEAR(length[1], 0.5 * turn, TOL_EXACT);
    const double *child = row + m->nv - 3, *parent = row + 2 * m->nv - 3;
    CHECK_ARRAY(3, child, def.gear, TOL_EXACT);
    const double turned[3] = {0.2 * cos(turn) + 0.3 * sin(turn), 0.5, 0.2 * sin(turn) - 0.3 * cos(turn)};
    CHECK_ARRAY(3, parent, turned, TOL_EXACT);
    for (int i = 0; i < m->nv - 3; i++)
        CHECK_NEAR(row[i], 0, 0);
    free(x), free(u), free(row);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* A setpoint one turn away is the same setpoint: no torque. */
static void setpoint_on_a_circle(void **state) {
    (void)state;
    Arm a = arm_begin();
    tacActuatorDef def = actuator(TAC_TRN_JOINT, a.ball, -1);
    def.gear[0] = 0, def.gear[1] = 2, def.gear[2] = 0;
    def.gainprm[0] = 7;
    def.biastype = TAC_BIAS_AFFINE;
    def.biasprm[1] = -7;
    tac_model_add_actuator(a.b, &def);
    tacModel *m = robot_finish(a.b);
    tacSim *sim = robot_sim(m);
    double *x = robot_array(tac_nx(m)), *u = robot_array(m->nu + m->nv + 6 * m->nbody), force;
    tac_default_state(m, x);
    u[0] = 0.3;
    CHECK_INT(tac_actuation(sim, x, u, &(tacActuation){.force = &force}), TAC_OK);
    CHECK_NEAR(force, 7 * 0.3, TOL_EXACT);
    u[0] = 0.3 + 2 * 2 * PI;
    CHECK_INT(tac_actuation(sim, x, u, &(tacActuation){.force = &force}), TAC_OK);
    CHECK_NEAR(force, 7 * 0.3, 1e-13);
    free(x), free(u);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* A free joint: six gears, no length. An adhesion actuator: in place, without effect until there is contact. */
static void free_joint_and_body(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    int body = robot_body(b, 0, (tacVec3){0, 0, 0}, 1, (tacVec3){0, 0, 0}, (tacVec3){1, 1, 1});
    tacActuatorDef def = actuator(TAC_TRN_JOINT, robot_joint(b, body, TAC_JOINT_FREE, (tacVec3){0, 0, 1}), -1);
    for (int i = 0; i < 6; i++)
        def.gear[i] = i + 1;
    tac_model_add_actuator(b, &def);
    def.trntype = TAC_TRN_JOINT_IN_PARENT;
    tac_model_add_actuator(b, &def);
    def = actuator(TAC_TRN_BODY, body, -1);
    def.without_force = 1;
    tac_model_add_actuator(b, &def);
    tacModel *m = robot_finish(b);
    tacSim *sim = robot_sim(m);
    double x[13] = {0}, u[3 + 6 + 12] = {1, 0, 1}, length[3], row[18], qfrc[6];
    x[3] = x[6] = sqrt(0.5); /* a quarter turn about z */
    CHECK_INT(tac_actuation(sim, x, u, &(tacActuation){.length = length, .moment = row, .qfrc = qfrc}), TAC_OK);
    const double expected[18] = {1, 2, 3, 4, 5, 6, 1, 2, 3, 5, -4, 6, 0, 0, 0, 0, 0, 0}, zero[3] = {0};
    CHECK_ARRAY(18, row, expected, TOL_EXACT);
    CHECK_ARRAY(3, length, zero, 0);
    CHECK_ARRAY(6, qfrc, expected, TOL_EXACT);
    tac_sim_free(sim);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_joints),
        cmocka_unit_test(fixed_tendon),
        cmocka_unit_test(slider_crank),
        cmocka_unit_test(site_from_ground),
        cmocka_unit_test(site_from_moving_site),
        cmocka_unit_test(site_wrench),
        cmocka_unit_test(ball_joint),
        cmocka_unit_test(setpoint_on_a_circle),
        cmocka_unit_test(free_joint_and_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
