/* Derivatives of the step with contact ncp against differences of the very step they are of, in contact: boxes that
 * rest, slide, tip and fall, a limited arm, springs, dampers, motors, all inputs and parameters of every kind. */
#include "tactus/io.h"
#include "tactus/tactus.h"

#include "support/check.h"
#include "support/draw.h"

#include "step/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIME_STEP    0.02
#define KAPPA        1e-4 /* soft enough that differences over DIFFERENCE mean something */
#define DIFFERENCE   1e-5
#define TOL_PATH     1e-6 /* of derivatives at default options against those at tight ones */
#define TOL_SMALL    1e-3 /* likewise, where gaps are 1e-11 m and rounding of places is 1e-5 of them */
#define TOL_GRADIENT 1e-6
#define TOL_REVERSE  1e-10

#define INPUTS (TAC_INPUT_QFRC | TAC_INPUT_XFRC | TAC_INPUT_MOCAP)
enum { MOST = 160 };

static const char *const PARAMS[] = {
    "option.gravity[2]",     "option.gravity[0]",      "body/#1.mass",        "body/#2.ipos[0]",
    "body/#2.ipos[2]",       "body/#3.inertia[1]",     "body/#2.pos[0]",      "body/#2.quat[1]",
    "body/#3.pos[2]",        "joint/#1.pos[0]",        "joint/#1.axis[2]",    "joint/#1.stiffness",
    "joint/#1.damping",      "joint/#2.damping",       "joint/#2.armature",   "joint/#1.armature",
    "joint/#1.range[0]",     "joint/#1.range[1]",      "joint/#1.springref",  "joint/#1.ref",
    "geom/#0.friction[0]",   "geom/#1.friction[0]",    "geom/#1.size[0]",     "geom/#1.size[2]",
    "geom/#1.pos[2]",        "geom/#1.quat[1]",        "geom/#3.size[0]",     "geom/#3.size[1]",
    "geom/#4.size[0]",       "geom/#0.pos[2]",         "geom/#0.quat[1]",     "actuator/#0.gainprm[0]",
    "actuator/#0.dynprm[0]", "actuator/#0.biasprm[1]", "actuator/#0.gear[0]", "option.timestep"};
enum { NPARAM = sizeof PARAMS / sizeof *PARAMS, FRICTION_OF_BOX = 21 };

/* A free box with a hinged, limited, sprung and driven arm that ends in a ball joint, and a free ball, on a plane. */
static tacModel *robot(void) {
    tacBuilder *b = tac_model_begin();
    tacGeomDef plane = tac_default_geom();
    plane.type = TAC_GEOM_PLANE, plane.friction[0] = 0.7, plane.size[0] = plane.size[1] = plane.size[2] = 1;
    tac_model_add_geom(b, 0, &plane);
    for (int i = 0, parent = 0; i < 4; i++) {
        static const tacJointType TYPE[4] = {TAC_JOINT_FREE, TAC_JOINT_HINGE, TAC_JOINT_BALL, TAC_JOINT_FREE};
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        tacGeomDef geom = tac_default_geom();
        body.pos = i == 0 ? (tacVec3){0, 0, 0.1} : i == 3 ? (tacVec3){0, 0.5, 0.1} : (tacVec3){0.25, 0, 0};
        parent = tac_model_add_body(b, i == 3 ? 0 : parent, &body);
        joint.type = TYPE[i], joint.axis = (tacVec3){0, 1, 0};
        if (i == 1) joint.limited = 1, joint.range[0] = -0.3, joint.range[1] = 0.3, joint.stiffness = 2;
        if (i == 1 || i == 2) joint.damping = 0.2, joint.armature = 0.02;
        int id = tac_model_add_joint(b, parent, &joint);
        geom.type = i == 0   ? TAC_GEOM_BOX
                    : i == 3 ? TAC_GEOM_SPHERE
                             : TAC_GEOM_CAPSULE,
        geom.friction[0] = i == 0 ? 0.8 : 0.6;
        geom.size[0] = i == 0 ? 0.2 : i == 3 ? 0.1 : 0.05, geom.size[1] = 0.1, geom.size[2] = 0.1;
        geom.has_mass = 1, geom.mass = i == 0 ? 2 : 0.5;
        tac_model_add_geom(b, parent, &geom);
        if (i != 1) continue;
        tacActuatorDef motor = tac_default_actuator();
        motor.trnid[0] = id, motor.gaintype = TAC_GAIN_FIXED, motor.gainprm[0] = 3, motor.biastype = TAC_BIAS_AFFINE;
        motor.biasprm[1] = -3, motor.dyntype = TAC_DYN_FILTER, motor.dynprm[0] = 0.05;
        tac_model_add_actuator(b, &motor);
    }
    tacBodyDef wall = tac_default_body();
    tacGeomDef side = tac_default_geom();
    wall.mocap = 1, wall.pos = (tacVec3){0, 0.7, 0.15};
    side.type = TAC_GEOM_BOX, side.friction[0] = 0.6, side.size[0] = side.size[1] = 0.1, side.size[2] = 0.1;
    tac_model_add_geom(b, tac_model_add_body(b, 0, &wall), &side);
    tacModel *m;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    for (int i = 0; i < NPARAM; i++)
        if (tac_param_register(m, PARAMS[i], NULL, &err) != TAC_OK) fail_msg("%s", err.text);
    return m;
}

static tacSim *simulate_with(const tacModel *m, tacNcpFriction friction, double kappa, double gradient_kappa) {
    tacOptions options = tac_default_options(m);
    tacSim *sim;
    tacError err;
    options.contact = TAC_CONTACT_MODEL_NCP, options.dt = TIME_STEP, options.ncp_kappa = kappa;
    options.ncp_gradient_kappa = gradient_kappa;
    options.ncp_polish = 5, options.inputs = INPUTS, options.ncp_friction = friction;
    if (tac_sim_new(m, &options, &sim, &err) != TAC_OK) fail_msg("%s", err.text);
    return sim;
}

static tacSim *simulate(const tacModel *m, double kappa, double gradient_kappa) {
    return simulate_with(m, TAC_NCP_CONE, kappa, gradient_kappa);
}

/* Near the ground, moving; the arm may be at its limit or beyond. */
static void draw_state(const tacModel *m, tacDraw *d, double *x, double *u, int nu) {
    double move[MOST], start[MOST];
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    options.inputs = INPUTS;
    tac_default_input(m, &options, u);
    tac_default_state(m, start);
    for (int i = 0; i < m->nv; i++)
        move[i] = 0.1 * draw_normal(d);
    move[2] = draw_uniform(d, -0.01, 0.02);
    move[3] *= 0.2, move[4] *= 0.2;
    move[6] = draw_uniform(d, -0.35, 0.35);
    memcpy(x, start, sizeof(double) * (size_t)tac_nx(m));
    tac_qpos_add(m, start, move, x);
    for (int i = 0; i < m->nv; i++)
        x[m->nq + i] = 0.5 * draw_normal(d);
    x[m->nq + m->nv] = draw_uniform(d, -1, 1);
    for (int i = 0; i < nu; i++)
        u[i] += (i < nu - 7 ? 0.3 : 0.02) * draw_normal(d);
}

/* y2 (-) y1 */
static void difference(const tacModel *m, const double *y1, const double *y2, double *d) {
    tac_qpos_sub(m, y2, y1, d);
    for (int i = 0; i < m->nv + m->na; i++)
        d[m->nv + i] = y2[m->nq + i] - y1[m->nq + i];
}

/* Step from x displaced by t along column k of [x | u | theta]; -> which contacts there are. */
static uint64_t displaced(tacSim *sim, const tacModel *m, const double *x, const double *u, int nu, int k, double t,
                          double *y) {
    double x1[MOST], u1[MOST], move[MOST] = {0};
    int ndx = tac_ndx(m);
    memcpy(x1, x, sizeof(double) * (size_t)tac_nx(m)), memcpy(u1, u, sizeof(double) * (size_t)nu);
    if (k < m->nv) {
        move[k] = t;
        tac_qpos_add(m, x, move, x1);
    } else if (k < ndx) {
        x1[m->nq + k - m->nv] += t;
    } else if (k < ndx + nu) {
        u1[k - ndx] += t;
    }
    tacStepInfo info;
    double theta[NPARAM], moved[NPARAM];
    CHECK_INT(tac_sim_get_params(sim, theta), TAC_OK);
    memcpy(moved, theta, sizeof moved);
    if (k >= ndx + nu) {
        moved[k - ndx - nu] += t;
        CHECK_INT(tac_sim_set_params(sim, moved), TAC_OK);
    }
    CHECK_INT(tac_step(sim, x1, u1, y, &info), TAC_OK);
    if (k >= ndx + nu) CHECK_INT(tac_sim_set_params(sim, theta), TAC_OK);
    return info.active_set;
}

/* (4 D(t/2) - D(t))/3; -> 1: a contact comes or goes inside the stencil, and differences mean nothing */
static int column_of(tacSim *sim, const tacModel *m, const double *x, const double *u, int nu, int k, double *out) {
    double D[2][MOST], one[MOST], two[MOST];
    for (int level = 0; level < 2; level++) {
        double t = DIFFERENCE / (1 + level);
        uint64_t sets[2] = {displaced(sim, m, x, u, nu, k, t, two), displaced(sim, m, x, u, nu, k, -t, one)};
        if (sets[0] != sets[1]) return 1;
        difference(m, one, two, D[level]);
        for (int i = 0; i < tac_ndx(m); i++)
            D[level][i] /= 2 * t;
    }
    for (int i = 0; i < tac_ndx(m); i++)
        out[i] = (4 * D[1][i] - D[0][i]) / 3;
    return 0;
}

/* Number i of column k of [A | B | P]. */
static double entry_of(const tacJac *J, int ndx, int nu, int i, int k) {
    return k < ndx ? J->A[i * ndx + k] : k < ndx + nu ? J->B[i * nu + k - ndx] : J->P[i * NPARAM + k - ndx - nu];
}

/* Of columns that differences know; of the others, that they are numbers. */
static double worst_of_columns(tacSim *sim, const tacModel *m, const double *x, const double *u, int nu,
                               const tacJac *J, int *switching) {
    int ndx = tac_ndx(m);
    double worst = 0;
    for (int k = 0; k < ndx + nu + NPARAM; k++) {
        double want[MOST], scale = 1;
        int known = column_of(sim, m, x, u, nu, k, want) == 0;
        *switching += !known;
        for (int i = 0; i < ndx && known; i++)
            scale = fmax(scale, fabs(want[i]));
        for (int i = 0; i < ndx; i++) {
            double got = entry_of(J, ndx, nu, i, k), error = known ? fabs(got - want[i]) / scale : 0 * got;
            if (!(error <= TOL_GRADIENT) && k >= ndx + nu) print_error("%s: %.2e\n", PARAMS[k - ndx - nu], error);
            worst = worse(worst, error);
        }
    }
    return worst;
}

/* The same at states in contact, and that gradients at a larger kappa are those of the step at that kappa. */
static void gradient_is_that_of_the_step(void **state) {
    (void)state;
    tacModel *m = robot();
    tacSim *soft = simulate(m, KAPPA, 0), *smoothed = simulate(m, 1e-8, KAPPA);
    tacOptions options = tac_default_options(m);
    options.inputs = INPUTS;
    int ndx = tac_ndx(m), nu = tac_ninput(m, &options), contacts = 0, switching = 0;
    double *A = malloc(sizeof(double) * (size_t)(ndx * ndx)), *B = malloc(sizeof(double) * (size_t)(ndx * nu));
    double *A2 = malloc(sizeof(double) * (size_t)(ndx * ndx)), *P = malloc(sizeof(double) * (size_t)(ndx * NPARAM));
    tacJac J = {A, B, P};
    tacDraw d = {61, 0};
    CHECK(ndx <= MOST && nu <= MOST && tac_nx(m) <= MOST);
    for (int k = 0; k < 12; k++) {
        double x[MOST], u[MOST], y[MOST], hard[MOST];
        tacStepInfo info;
        draw_state(m, &d, x, u, nu);
        CHECK_INT(tac_step_jac(soft, x, u, y, &J, &info), TAC_OK);
        contacts += info.contacts > 0;
        /* features alone can switch: margins that say so of nothing would say it of everything */
        CHECK(info.class_margin == (double)INFINITY && info.force_margin == (double)INFINITY);
        CHECK(fabs(A[ndx * m->nv + 2]) > 1e-6);
        CHECK_LT(worst_of_columns(soft, m, x, u, nu, &J, &switching), TOL_GRADIENT);
        CHECK_INT(tac_step_jac(smoothed, x, u, hard, &(tacJac){.A = A2}, NULL), TAC_OK);
        CHECK_ARRAY(ndx * ndx, A2, A, 1e-9);
        CHECK(fabs(hard[2] - y[2]) > 1e-9);
    }
    CHECK(contacts >= 10 && switching <= 12);
    free(A), free(B), free(A2), free(P);
    tac_sim_free(soft), tac_sim_free(smoothed);
    tac_model_free(m);
}

/* The same of the pyramid and of impact alone: friction's own derivative is zero there. */
static void gradient_of_other_frictions(void **state) {
    (void)state;
    static const tacNcpFriction KINDS[] = {TAC_NCP_PYRAMID, TAC_NCP_FRICTIONLESS};
    tacModel *m = robot();
    tacOptions options = tac_default_options(m);
    options.inputs = INPUTS;
    int ndx = tac_ndx(m), nu = tac_ninput(m, &options), contacts = 0, switching = 0;
    double *A = malloc(sizeof(double) * (size_t)(ndx * ndx)), *B = malloc(sizeof(double) * (size_t)(ndx * nu));
    double *P = malloc(sizeof(double) * (size_t)(ndx * NPARAM)), by_mu[2] = {0, 0};
    for (int kind = 0; kind < 2; kind++) {
        tacSim *sim = simulate_with(m, KINDS[kind], KAPPA, 0);
        tacDraw d = {64, 0};
        for (int k = 0; k < 5; k++) {
            double x[MOST], u[MOST], y[MOST];
            tacStepInfo info;
            tacJac J = {A, B, P};
            draw_state(m, &d, x, u, nu);
            CHECK_INT(tac_step_jac(sim, x, u, y, &J, &info), TAC_OK);
            contacts += info.contacts > 0;
            CHECK_LT(worst_of_columns(sim, m, x, u, nu, &J, &switching), TOL_GRADIENT);
            for (int i = 0; i < ndx; i++)
                by_mu[kind] = worse(by_mu[kind], fabs(P[i * NPARAM + FRICTION_OF_BOX]));
        }
        tac_sim_free(sim);
    }
    CHECK(contacts >= 8 && switching <= 6);
    CHECK(by_mu[0] > 1e-3 && by_mu[1] == 0);
    free(A), free(B), free(P);
    tac_model_free(m);
}

static void reverse_is_forward(void **state) {
    (void)state;
    tacModel *m = robot();
    tacSim *sim = simulate(m, 1e-8, 0);
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    options.inputs = INPUTS;
    int ndx = tac_ndx(m), nu = tac_ninput(m, &options);
    double *A = malloc(sizeof(double) * (size_t)(ndx * ndx)), *B = malloc(sizeof(double) * (size_t)(ndx * nu));
    double *P = malloc(sizeof(double) * (size_t)(ndx * NPARAM));
    tacDraw d = {62, 0};
    for (int k = 0; k < 10; k++) {
        double x[MOST], u[MOST], ybar[MOST], gx[MOST], gu[MOST], want_x[MOST] = {0}, want_u[MOST] = {0};
        double gtheta[NPARAM], want_theta[NPARAM] = {0};
        draw_state(m, &d, x, u, nu);
        draw_array(&d, ndx, ybar);
        CHECK_INT(tac_step_jac(sim, x, u, NULL, &(tacJac){A, B, P}, NULL), TAC_OK);
        CHECK_INT(tac_step_vjp(sim, x, u, ybar, &(tacGrad){gx, gu, gtheta}, NULL), TAC_OK);
        for (int i = 0; i < ndx; i++) {
            for (int j = 0; j < ndx; j++)
                want_x[j] += ybar[i] * A[i * ndx + j];
            for (int j = 0; j < nu; j++)
                want_u[j] += ybar[i] * B[i * nu + j];
            for (int j = 0; j < NPARAM; j++)
                want_theta[j] += ybar[i] * P[i * NPARAM + j];
        }
        CHECK_ARRAY(ndx, gx, want_x, TOL_REVERSE);
        CHECK_ARRAY(nu, gu, want_u, TOL_REVERSE);
        CHECK_ARRAY(NPARAM, gtheta, want_theta, TOL_REVERSE);
    }
    free(A), free(B), free(P);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* Derivatives of the step and of forces, all hashed. */
static uint64_t hash_derivatives(tacSim *sim, const tacModel *m, const double *x, const double *u, double *room) {
    static const tacOutput KINDS[] = {{TAC_OUT_CONTACT_FORCE, TAC_OUT_ALL}, {TAC_OUT_QFRC_CONSTRAINT, TAC_OUT_ALL}};
    tacOutputs outputs = {2, KINDS};
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    options.inputs = INPUTS;
    size_t ndx = (size_t)tac_ndx(m), nu = (size_t)tac_ninput(m, &options), nz = (size_t)tac_outputs_size(m, &outputs);
    size_t columns = ndx + nu + NPARAM, rows = ndx > nz ? ndx : nz, numbers = rows * columns;
    double *z = room + numbers, *bar = z + rows;
    tacJac J = {room, room + rows * ndx, room + rows * (ndx + nu)};
    tacGrad g = {bar, bar + ndx, bar + ndx + nu};
    memset(room, 0, (numbers + rows + columns) * sizeof *room);
    CHECK_INT(tac_step_jac(sim, x, u, NULL, &J, NULL), TAC_OK);
    uint64_t hash = tac_hash(room, numbers * sizeof *room, 0);
    CHECK_INT(tac_step_vjp(sim, x, u, x, &g, NULL), TAC_OK);
    hash = tac_hash(bar, columns * sizeof *bar, hash);
    CHECK_INT(tac_outputs_jac(sim, x, u, &outputs, z, &J), TAC_OK);
    hash = tac_hash(room, numbers * sizeof *room, hash);
    CHECK_INT(tac_outputs_vjp(sim, x, u, &outputs, z, &g), TAC_OK);
    return tac_hash(bar, columns * sizeof *bar, hash);
}

/* The same bits after a workspace of NaN, and after another state's. */
static void workspace_does_not_matter(void **state) {
    (void)state;
    tacModel *m = robot();
    tacSim *sim = simulate(m, KAPPA, 0);
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    options.inputs = INPUTS;
    int nu = tac_ninput(m, &options);
    double x[2][MOST], u[2][MOST], *room = malloc(sizeof(double) * 4 * MOST * MOST);
    tacDraw d = {63, 0};
    for (int k = 0; k < 2; k++)
        draw_state(m, &d, x[k], u[k], nu);
    uint64_t first = hash_derivatives(sim, m, x[0], u[0], room), other = hash_derivatives(sim, m, x[1], u[1], room);
    CHECK(hash_derivatives(sim, m, x[0], u[0], room) == first && other != first);
    tac_sim_poison(sim);
    CHECK(hash_derivatives(sim, m, x[0], u[0], room) == first);
    free(room);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* --- Gradients of another kappa ----------------------------------------------------------------------------------- */

/* A state of a robot, and room for the derivatives of a step from there: A, B, P, then the reverse mode's x, u,
 * theta. */
typedef struct Standing {
    tacModel *m;
    double *x, *u, *ybar;
    size_t ndx, nu, np, numbers;
} Standing;

static double *numbers(size_t n) { return calloc(n + 1, sizeof(double)); }

static tacSim *simulate_robot(const tacModel *m, double kappa, double gradient_kappa) {
    tacOptions options = tac_default_options(m);
    tacSim *sim;
    tacError err;
    options.contact = TAC_CONTACT_MODEL_NCP, options.dt = TIME_STEP, options.ncp_kappa = kappa;
    options.ncp_gradient_kappa = gradient_kappa;
    if (tac_sim_new(m, &options, &sim, &err) != TAC_OK) fail_msg("%s", err.text);
    return sim;
}

static Standing stand(const char *path, uint64_t seed) {
    static const char *const PATHS[] = {"option.gravity[2]", "body/#1.mass", "geom/#0.friction[0]", "geom/#1.size[0]",
                                        "option.timestep"};
    Standing s = {0};
    tacError err;
    tacDraw d = {seed, 0};
    if (tac_load(path, &s.m, &err) != TAC_OK) fail_msg("%s", err.text);
    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++)
        if (tac_param_register(s.m, PATHS[i], NULL, &err) != TAC_OK) fail_msg("%s", err.text);
    s.ndx = (size_t)tac_ndx(s.m), s.nu = (size_t)s.m->nu, s.np = (size_t)s.m->nparam;
    s.numbers = (s.ndx + 1) * (s.ndx + s.nu + s.np);
    s.x = numbers((size_t)tac_nx(s.m)), s.u = numbers(s.nu), s.ybar = numbers(s.ndx);
    tac_default_state(s.m, s.x);
    memcpy(s.x, s.m->key_qpos, (size_t)s.m->nq * sizeof *s.x);
    memcpy(s.u, s.m->key_ctrl, s.nu * sizeof *s.u);
    for (int i = 0; i < s.m->nv; i++)
        s.x[s.m->nq + i] = 0.2 * draw_normal(&d);
    draw_array(&d, (int)s.ndx, s.ybar);
    return s;
}

/* out: both modes; y: the state. */
static void differentiate(tacSim *sim, const Standing *s, double *y, double *out, tacStepInfo *info) {
    double *bar = out + s->ndx * (s->ndx + s->nu + s->np);
    tacJac J = {out, out + s->ndx * s->ndx, out + s->ndx * (s->ndx + s->nu)};
    tacGrad g = {bar, bar + s->ndx, bar + s->ndx + s->nu};
    CHECK_INT(tac_step_jac(sim, s->x, s->u, y, &J, info), TAC_OK);
    CHECK_INT(tac_step_vjp(sim, s->x, s->u, s->ybar, &g, NULL), TAC_OK);
}

/* There is something in every block of both modes, and nothing is not a number. */
static void check_blocks(const Standing *s, const double *of) {
    const size_t size[6] = {s->ndx * s->ndx, s->ndx * s->nu, s->ndx * s->np, s->ndx, s->nu, s->np};
    for (int b = 0; b < 6; b++) {
        double most = 0;
        for (size_t i = 0; i < size[b]; i++)
            most = worse(most, fabs(*of++));
        CHECK(most > 1e-6 && isfinite(most));
    }
}

/* At s: derivatives of a hard step at a softer kappa are those of the step at that kappa, to the bit, and the state is
 * the hard step's. -> contacts that carry the hard step */
static int check_other_kappa(const Standing *s, double hard, double soft) {
    size_t nx = (size_t)tac_nx(s->m);
    tacSim *step = simulate_robot(s->m, hard, 0), *at = simulate_robot(s->m, soft, 0),
           *both = simulate_robot(s->m, hard, soft);
    double *y[3] = {numbers(nx), numbers(nx), numbers(nx)}, *of[2] = {numbers(s->numbers), numbers(s->numbers)};
    tacStepInfo info, first;
    CHECK_INT(tac_step(step, s->x, s->u, y[0], &first), TAC_OK);
    differentiate(both, s, y[1], of[0], &info);
    CHECK(info.kappa == soft);
    differentiate(at, s, y[2], of[1], &info);
    check_blocks(s, of[1]);
    CHECK_ARRAY((int)s->numbers, of[0], of[1], 0);
    CHECK(memcmp(of[0], of[1], s->numbers * sizeof(double)) == 0);
    CHECK(memcmp(y[0], y[1], nx * sizeof(double)) == 0);
    CHECK(memcmp(y[1], y[2], nx * sizeof(double)) != 0); /* the two kappas are two steps */
    for (int i = 0; i < 3; i++)
        free(y[i]);
    free(of[0]), free(of[1]);
    tac_sim_free(step), tac_sim_free(at), tac_sim_free(both);
    return first.contacts;
}

static void gradient_kappa_has_the_bits_of_a_kappa(void **state) {
    (void)state;
    static const char *const PATHS[] = {"models/box.xml",       "models/half_cheetah.xml", "models/ant.xml",
                                        "models/quadruped.xml", "models/humanoid.xml",     "models/atlas.xml"};
    static const double HARD[] = {1e-8, 1e-10}, SOFT[] = {1e-6, 1e-4, 1e-2};
    for (uint64_t r = 0; r < sizeof PATHS / sizeof *PATHS; r++) {
        Standing s = stand(PATHS[r], 80 + r);
        tacSim *sim = simulate_robot(s.m, HARD[0], 0);
        for (int k = 1; k <= 20; k++) {
            CHECK_INT(tac_step(sim, s.x, s.u, s.x, NULL), TAC_OK);
            for (size_t i = 0; k % 10 == 0 && i < 6; i++)
                CHECK(check_other_kappa(&s, HARD[i % 2], SOFT[i / 2]) > 0);
        }
        tac_sim_free(sim);
        tac_model_free(s.m);
        free(s.x), free(s.u), free(s.ybar);
    }
}

/* A ball joint that dry friction slows and a limit stops, under its weight: products of such rows are a thousandth of
 * kappa off where the tolerance lets a search end. */
static tacModel *rubbing_ball(void) {
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    tacGeomDef geom = tac_default_geom();
    joint.type = TAC_JOINT_BALL, joint.limited = 1, joint.range[1] = 0.5, joint.frictionloss = 0.05;
    geom.type = TAC_GEOM_CAPSULE, geom.size[0] = 0.03, geom.size[1] = 0.15, geom.pos.x = 0.15, geom.has_mass = 1,
    geom.mass = 1;
    int id = tac_model_add_body(b, 0, &body);
    tac_model_add_joint(b, id, &joint), tac_model_add_geom(b, id, &geom);
    tacModel *m;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    return m;
}

/* A motion with derivatives at default options and at tight ones, from x -> the most that they differ by. */
static double off_the_path(const tacModel *m, double *x, double ctrl, double h) {
    enum { PATH_NX = 6 };
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NCP, options.dt = h;
    tacSim *sim[2];
    int ndx = 2 * m->nv, compared = 0;
    double y[2 * PATH_NX], u[PATH_NX] = {ctrl}, A[2][PATH_NX * PATH_NX], worst = 0;
    CHECK(ndx <= PATH_NX);
    for (int k = 0; k < 2; k++) {
        CHECK_INT(tac_sim_new(m, &options, &sim[k], NULL), TAC_OK);
        options.ncp_tolerance = 1e-12, options.ncp_polish = 6;
    }
    for (int step = 0; step < 200; step++) {
        int tight = tac_step_jac(sim[1], x, u, y, &(tacJac){.A = A[1]}, NULL) == TAC_OK;
        CHECK_INT(tac_step_jac(sim[0], x, u, y, &(tacJac){.A = A[0]}, NULL), TAC_OK);
        double scale = 1, error = 0;
        for (int i = 0; i < ndx * ndx; i++)
            scale = worse(scale, fabs(A[1][i])), error = worse(error, fabs(A[0][i] - A[1][i]));
        if (tight) worst = worse(worst, error / scale);
        compared += tight;
        memcpy(x, y, (size_t)tac_nx(m) * sizeof *x);
    }
    CHECK(compared > 150); /* where rounding does not keep it from being so */
    tac_sim_free(sim[0]), tac_sim_free(sim[1]);
    return worst;
}

/* Derivatives at default options are those of the point of the path, not of what the tolerance lets pass for it: of a
 * ball that rubs, and of a finger of some grams that pulls with 15 N, whose gaps at its limits are a hundredth of the
 * tolerance. */
static void derivatives_are_of_the_path(void **state) {
    (void)state;
    double x[7];
    tacModel *m = rubbing_ball();
    tac_default_state(m, x);
    x[4] = 0.3, x[6] = -0.2;
    CHECK_LT(off_the_path(m, x, 0, 0.01), TOL_PATH);
    tac_model_free(m);
    tacError err;
    if (tac_load("models/finger.xml", &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_default_state(m, x);
    CHECK_LT(off_the_path(m, x, 15, 0.002), TOL_SMALL);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_is_that_of_the_step), cmocka_unit_test(gradient_of_other_frictions),
        cmocka_unit_test(reverse_is_forward),           cmocka_unit_test(workspace_does_not_matter),
        cmocka_unit_test(derivatives_are_of_the_path),  cmocka_unit_test(gradient_kappa_has_the_bits_of_a_kappa)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
