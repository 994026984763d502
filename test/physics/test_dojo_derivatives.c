/* Derivatives in Dojo's own list of tests: of its fifteen kinds of joints, of mechanisms in flight and in contact, of
 * rotations and of the map from forces on bodies to forces on joints   (contact ncp). */
#include "tactus/io.h"
#include "tactus/tactus.h"

#include "math/quat.h"
#include "measure/differences.h"
#include "physics/contact_world.h"
#include "smooth/tangent.h"
#include "support/draw.h"
#include "support/joint_types.h"
#include "support/ncp_sim.h"
#include "support/random_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOL_TURN     1e-8
#define TOL_UPDATE   1e-8
#define TOL_DAMPER   1e-8
#define TOL_MAP      1e-8 /* of the axes of joints */
#define TOL_SAME     1e-12
#define TOL_DATA     1e-6
#define TOL_SOLUTION 1e-7
#define LEAST        1e-6 /* of a derivative that is there */
#define PI           3.14159265358979323846

static double *numbers(size_t n) { return calloc(n + 1, sizeof(double)); }

/* --- Rotations ---------------------------------------------------------------------------------------------------- */

/* exp(r + t e_k) in components; log(exp(r) exp(t e_k)). */
typedef struct Turn {
    tacVec3 r;
    int log, column;
} Turn;

static int turn(void *context, double t, double *out) {
    const Turn *k = context;
    tacVec3 e = {k->column == 0 ? t : 0, k->column == 1 ? t : 0, k->column == 2 ? t : 0};
    if (k->log)
        tac_store3(out, tac_quat_log(tac_quat_mul(tac_quat_exp(k->r), tac_quat_exp(e))));
    else
        tac_quat_store(out, tac_quat_exp(tac_add3(k->r, e)));
    return 0;
}

/* Rotation vectors to quaternions and back: d exp = exp(r) (0, Jr e)/2, d log = Jr^-1 e; at the identity, on both sides
 * of the switch to series, and up to a milliradian from the opposite direction, where the logarithm ends. */
static void rotation_vectors(void **state) {
    (void)state;
    static const double ANGLES[] = {0, 1e-9, 1e-3,     0.99 * TAC_QUAT_SMALL_ANGLE, 1.01 * TAC_QUAT_SMALL_ANGLE, 0.5,
                                    2, 3,    PI - 1e-3};
    tacDraw d = {790, 0};
    double want[4], work[128];
    CHECK(difference_work(4) <= 128);
    for (size_t a = 0; a < sizeof ANGLES / sizeof *ANGLES; a++) {
        tacVec3 axis = draw_vec3(&d, 1), r = tac_scale3(ANGLES[a] / tac_norm3(axis), axis);
        tacMat3 Jr = tac_quat_right_jacobian(r), inverse = tac_quat_right_jacobian_inverse(r);
        tacQuat q = tac_quat_exp(r);
        for (int c = 0; c < 3; c++) {
            Turn k = {r, 0, c};
            tacQuat got = tac_quat_mul(q, (tacQuat){0, Jr.m[c] / 2, Jr.m[3 + c] / 2, Jr.m[6 + c] / 2});
            CHECK_INT(difference_ridders(turn, &k, 4, 1e-3, want, NULL, work), 0);
            CHECK(tac_quat_norm(got) > 0.1);
            CHECK_ARRAY(4, &got, want, TOL_TURN);
            k.log = 1;
            CHECK_INT(difference_ridders(turn, &k, 3, 5e-4, want, NULL, work), 0);
            CHECK(tac_norm3((tacVec3){want[0], want[1], want[2]}) > 0.1);
            for (int i = 0; i < 3; i++)
                CHECK_NEAR(inverse.m[3 * i + c], want[i], TOL_TURN * fmax(1, fabs(want[i])));
        }
    }
}

/* --- By joint type ------------------------------------------------------------------------------------------------ */

/* A function of the state, input and parameters along one of their numbers. */
typedef struct Line {
    tacSim *sim;
    const tacModel *m;
    const double *x, *u, *theta, *base;
    int step, nu, column; /* step: 1: of a step; 0: of the joints' passive forces */
    double apart;         /* first step of the differences */
} Line;

static const tacOutput PASSIVE = {TAC_OUT_QFRC_PASSIVE, TAC_OUT_ALL};

static int along(void *context, double t, double *out) {
    const Line *l = context;
    const tacModel *m = l->m;
    int ndx = tac_ndx(m), k = l->column, bad;
    double *x = numbers((size_t)tac_nx(m)), *u = numbers((size_t)l->nu), *d = numbers((size_t)m->nv),
           *theta = numbers((size_t)m->nparam);
    memcpy(x, l->x, (size_t)tac_nx(m) * sizeof *x), memcpy(u, l->u, (size_t)l->nu * sizeof *u);
    memcpy(theta, l->theta, (size_t)m->nparam * sizeof *theta);
    if (k < m->nv)
        d[k] = t, tac_qpos_add(m, l->x, d, x);
    else if (k < ndx)
        x[m->nq + k - m->nv] += t;
    else if (k < ndx + l->nu)
        u[k - ndx] += t;
    else
        theta[k - ndx - l->nu] += t;
    bad = tac_sim_set_params(l->sim, theta) != TAC_OK;
    if (l->step) {
        bad |= tac_step(l->sim, x, u, x, NULL) != TAC_OK;
        tac_qpos_sub(m, x, l->base, out);
        memcpy(out + m->nv, x + m->nq, (size_t)(m->nv + m->na) * sizeof *out);
    } else {
        bad |= tac_outputs(l->sim, x, u, &(tacOutputs){1, &PASSIVE}, out) != TAC_OK;
    }
    bad |= tac_sim_set_params(l->sim, l->theta) != TAC_OK;
    free(x), free(u), free(d), free(theta);
    return bad;
}

/* Largest error of A (ndx columns), B, P against differences, of numbers over max(1, the column's largest). most: the
 * largest number of each block; of a step none of them is zero. */
static double worst_error(Line *l, int rows, const tacJac *jac, double most[3]) {
    int ndx = tac_ndx(l->m), np = l->m->nparam;
    double worst = 0, *want = numbers((size_t)rows), *work = numbers((size_t)difference_work(rows));
    most[0] = most[1] = most[2] = 0;
    for (l->column = 0; l->column < ndx + l->nu + np; l->column++) {
        int k = l->column, block = k < ndx ? 0 : k < ndx + l->nu ? 1 : 2;
        double scale = 1;
        CHECK_INT(difference_ridders(along, l, rows, l->apart, want, NULL, work), 0);
        for (int i = 0; i < rows; i++)
            scale = fmax(scale, fabs(want[i])), most[block] = worse(most[block], fabs(want[i]));
        for (int i = 0; i < rows; i++) {
            double got = block == 0   ? jac->A[i * ndx + k]
                         : block == 1 ? jac->B[i * l->nu + k - ndx]
                                      : jac->P[i * np + k - ndx - l->nu];
            worst = worse(worst, fabs(got - want[i]) / scale);
        }
    }
    free(want), free(work);
    if (l->step) CHECK(most[0] > LEAST && (l->nu == 0 || most[1] > LEAST) && (np == 0 || most[2] > LEAST));
    return worst;
}

static void register_all(tacModel *m, int type) {
    static const char *const PATHS[] = {"body/#2.mass",       "body/#2.ipos[0]",  "body/#2.inertia[1]",
                                        "body/#2.pos[2]",     "body/#2.quat[1]",  "joint/#1.pos[1]",
                                        "joint/#1.axis[2]",   "joint/#1.damping", "joint/#1.armature",
                                        "joint/#1.stiffness", "option.timestep"};
    int ball = joint_type_dofs(type) == 3 && m->joint_type[1] == TAC_JOINT_BALL;
    tacError err;
    if (joint_type_dofs(type) > 0) CHECK_INT(tac_param_set(m, "joint/#1.armature", 0.02, &err), TAC_OK);
    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++) {
        if (i >= 5 && i < 10 && joint_type_dofs(type) == 0) continue;
        if ((i == 6 || i == 9) && ball) continue; /* a ball has no axis, and its spring is another function */
        if (tac_param_register(m, PATHS[i], NULL, &err) != TAC_OK) fail_msg("%s", err.text);
    }
}

/* One state of a sprung and damped chain of two links on joints of a type: passive forces or a step under forces on
 * joints and wrenches on bodies. */
static double derivative_error(int type, int step) {
    tacModel *m = joint_chain(type, 2, 1.5, 0.3);
    if (step) register_all(m, type);
    tacOptions options = options_of(m, 0.02);
    options.inputs = TAC_INPUT_QFRC | TAC_INPUT_XFRC, options.ncp_polish = 5;
    tacSim *sim = simulate(m, &options);
    int nu = tac_ninput(m, &options), ndx = tac_ndx(m), rows = step ? ndx : m->nv;
    size_t n = (size_t)rows;
    double *x = numbers((size_t)tac_nx(m)), *y = numbers((size_t)tac_nx(m)), *u = numbers((size_t)nu),
           *theta = numbers((size_t)m->nparam);
    tacJac jac = {numbers(n * (size_t)ndx), numbers(n * (size_t)nu), numbers(n * (size_t)m->nparam)};
    random_state(m, (uint64_t)(760 + type), x, x + m->nq);
    for (int i = 0; i < nu; i++)
        u[i] = 0.3 * sin(i + 1.0);
    CHECK_INT(tac_sim_get_params(sim, theta), TAC_OK);
    if (step)
        CHECK_INT(tac_step_jac(sim, x, u, y, &jac, NULL), TAC_OK);
    else
        CHECK_INT(tac_outputs_jac(sim, x, u, &(tacOutputs){1, &PASSIVE}, NULL, &jac), TAC_OK);
    Line l = {sim, m, x, u, theta, y, step, nu, 0, 1e-3};
    double most[3], worst = worst_error(&l, rows, &jac, most);
    if (!step && joint_type_dofs(type) > 0) CHECK(most[0] > LEAST); /* passive forces: by the state alone */
    free(x), free(y), free(u), free(theta), free(jac.A), free(jac.B), free(jac.P);
    tac_sim_free(sim);
    tac_model_free(m);
    return worst;
}

static void dampers_of_joint_types(void **state) {
    (void)state;
    for (int type = 0; type < JOINT_TYPES; type++)
        CHECK_LT(derivative_error(type, 0), TOL_DAMPER);
}

static void data_of_joint_types(void **state) {
    (void)state;
    for (int type = 0; type < JOINT_TYPES; type++)
        CHECK_LT(derivative_error(type, 1), TOL_DATA);
}

/* --- Update of coordinates ---------------------------------------------------------------------------------------- */

/* q (+) h v along one number of q (first nv) or v; out is from where it is without. */
typedef struct Update {
    const tacModel *m;
    const double *q, *hv, *there;
    double h;
    int column;
} Update;

static int update(void *context, double t, double *out) {
    const Update *k = context;
    const tacModel *m = k->m;
    double *q = numbers((size_t)m->nq), *d = numbers((size_t)m->nv), *hv = numbers((size_t)m->nv);
    memcpy(hv, k->hv, (size_t)m->nv * sizeof *hv);
    if (k->column < m->nv)
        d[k->column] = t;
    else
        hv[k->column - m->nv] += k->h * t;
    tac_qpos_add(m, k->q, d, q);
    tac_qpos_add(m, q, hv, q);
    tac_qpos_sub(m, q, k->there, out);
    free(q), free(d), free(hv);
    return 0;
}

/* The update of positions and orientations, free and ball joints among them: dq+ = P dq + h Q dv. */
static void update_of_coordinates(void **state) {
    (void)state;
    for (int type = 0; type < JOINT_TYPES; type++) {
        tacModel *m = joint_chain(type, 2, 0, 0);
        int nv = m->nv, columns = 2 * nv;
        size_t n = (size_t)nv;
        double *q = numbers((size_t)m->nq), *there = numbers((size_t)m->nq), *hv = numbers(n), *J = numbers(2 * n * n);
        double *one = numbers(n * n), *want = numbers(n), *work = numbers((size_t)difference_work(nv));
        random_state(m, (uint64_t)(780 + type), q, hv); /* turns of a radian and more in the step */
        tac_qpos_add(m, q, hv, there);
        for (size_t i = 0; i < n; i++)
            one[i * n + i] = 1;
        tac_move_jac(m, hv, 0.1, nv, nv, one, columns, J + nv);
        tac_move_start_jac(m, hv, columns, J);
        for (int c = 0; c < columns; c++) {
            Update k = {m, q, hv, there, 0.1, c};
            CHECK_INT(difference_ridders(update, &k, nv, 1e-2, want, NULL, work), 0);
            double most = 0;
            for (int i = 0; i < nv; i++)
                CHECK_NEAR(J[i * columns + c], want[i], TOL_UPDATE), most = worse(most, fabs(want[i]));
            CHECK(most > 0.01);
        }
        free(q), free(there), free(hv), free(J), free(one), free(want), free(work);
        tac_model_free(m);
    }
}

/* --- Forces on bodies and on joints ------------------------------------------------------------------------------- */

/* Place and orientation of a body along a dof: out is its centre of mass, and its turn from where it is, world axes. */
typedef struct Displaced {
    tacSim *sim;
    const tacModel *m;
    const double *x;
    tacQuat from;
    int body, column;
} Displaced;

static void pose_of(tacSim *sim, const tacModel *m, const double *q, int body, tacVec3 *com, tacQuat *quat) {
    tacVec3 *places = calloc((size_t)m->nbody, sizeof *places);
    tacQuat *quats = calloc((size_t)m->nbody, sizeof *quats);
    CHECK_INT(tac_kinematics(sim, q, NULL, &(tacKinematics){.xipos = places, .xquat = quats}), TAC_OK);
    *com = places[body], *quat = quats[body];
    free(places), free(quats);
}

static int displaced(void *context, double t, double *out) {
    const Displaced *k = context;
    double *d = numbers((size_t)k->m->nv), *q = numbers((size_t)k->m->nq);
    tacVec3 com;
    tacQuat quat;
    d[k->column] = t;
    tac_qpos_add(k->m, k->x, d, q);
    pose_of(k->sim, k->m, q, k->body, &com, &quat);
    tac_store3(out, com);
    tac_store3(out + 3, tac_quat_log(tac_quat_mul(quat, tac_quat_conj(k->from))));
    free(d), free(q);
    return 0;
}

/* At a state of a chain: how its last body is displaced by its joints (J), against differences; that a wrench on it
 * does in a step what J^T times it does on the joints. The derivative of that by the state is part of
 * data_of_joint_types, whose steps are under wrenches. */
static void check_map(tacSim *sim, const tacModel *m, const double *x, int nu) {
    int nv = m->nv, ndx = tac_ndx(m), body = m->nbody - 1;
    size_t n = (size_t)nv;
    double *J = numbers(6 * n), *B = numbers((size_t)ndx * (size_t)nu), *u = numbers((size_t)nu), want[6], most = 0;
    double *work = numbers((size_t)difference_work(6));
    Displaced k = {.sim = sim, .m = m, .x = x, .body = body};
    tacVec3 com;
    pose_of(sim, m, x, body, &com, &k.from);
    CHECK_INT(tac_point_jacobian(sim, x, body, com, J, J + 3 * n), TAC_OK);
    for (k.column = 0; k.column < nv; k.column++) {
        CHECK_INT(difference_ridders(displaced, &k, 6, 1e-2, want, NULL, work), 0);
        for (int i = 0; i < 6; i++)
            CHECK_NEAR(J[i * nv + k.column], want[i], TOL_MAP), most = worse(most, fabs(want[i]));
    }
    CHECK(most > 0.1);
    CHECK_INT(tac_step_jac(sim, x, u, NULL, &(tacJac){.B = B}, NULL), TAC_OK);
    for (int row = 0; row < ndx; row++)
        for (int i = 0; i < 6; i++) {
            const double *of = B + row * nu + m->nu;
            double sum = 0;
            for (int j = 0; j < nv; j++)
                sum += of[j] * J[i * nv + j];
            CHECK_NEAR(of[nv + 6 * body + i], sum, TOL_SAME * fmax(1, fabs(sum)));
        }
    free(J), free(B), free(u), free(work);
}

static void map_of_joint_types(void **state) {
    (void)state;
    for (int type = 0; type < JOINT_TYPES; type++) {
        tacModel *m = joint_chain(type, 2, 0, 0);
        tacOptions options = options_of(m, 0.02);
        options.inputs = TAC_INPUT_QFRC | TAC_INPUT_XFRC, options.ncp_polish = 5;
        tacSim *sim = simulate(m, &options);
        double *x = numbers((size_t)tac_nx(m));
        random_state(m, (uint64_t)(800 + type), x, x + m->nq);
        check_map(sim, m, x, tac_ninput(m, &options));
        free(x);
        tac_sim_free(sim);
        tac_model_free(m);
    }
}

/* --- Solutions in flight and in contact --------------------------------------------------------------------------- */

#define ABOVE     0.2 /* m: of the lowest point at first; after 0.1 s it is some 0.15 m above the floor */
#define SUPPORTED 0.1 /* of the weight: what contacts carry at least when they count as in contact */
/* Dojo's solver, 1e-7, and a softer one at which more of each contact's derivative is not zero. */
static const double KAPPAS[] = {1e-7, 1e-4};
enum { MOST_CONTACTS = 512 };

/* Mechanisms touch the floor, not themselves, as Dojo's do. */
static void touch_floor_alone(tacModel *m) {
    for (int g = 0; g < m->ngeom; g++) {
        if (!(m->geom_contype[g] | m->geom_conaffinity[g])) continue;
        m->geom_contype[g] = m->geom_body[g] != 0, m->geom_conaffinity[g] = m->geom_body[g] == 0;
    }
}

/* Lowest distance to the floor, geom 0, of what may touch it. */
static double clearance(tacSim *sim, const tacModel *m, const double *x) {
    double least = HUGE_VAL;
    for (int g = 1; g < m->ngeom; g++) {
        tacContact contact;
        if (!m->geom_contype[g]) continue;
        CHECK_INT(tac_geom_distance(sim, x, NULL, 0, g, &contact), TAC_OK);
        least = fmin(least, contact.dist);
    }
    return least;
}

/* The first key or else the default state, moving a little; what may touch the floor is ABOVE it (height: which
 * coordinate lifts it, -1: none). Controls are not at ends of their ranges, where steps have kinks. */
static void start(tacSim *sim, const tacModel *m, int height, double *x, double *u) {
    tac_default_state(m, x);
    if (m->nkey > 0) memcpy(x, m->key_qpos, (size_t)m->nq * sizeof *x);
    for (int i = 0; i < m->nu && m->nkey > 0; i++)
        if (m->actuator_biastype[i] != TAC_BIAS_NONE) u[i] = m->key_ctrl[i]; /* servos hold; motors would push off */
    if (height >= 0) x[height] += ABOVE - clearance(sim, m, x);
    for (int i = 0; i < m->nu; i++) {
        const double *range = m->actuator_ctrlrange + 2 * i, inside = 0.01 * (range[1] - range[0]);
        if (m->actuator_ctrllimited[i]) u[i] = fmin(fmax(u[i], range[0] + inside), range[1] - inside);
    }
    for (int i = 0; i < m->nv; i++)
        x[m->nq + i] = 0.1 * sin(2 * i + 1.0);
}

/* Contacts that the step from x reckons with, whether they carry or not; *share: of the weight that they carry. */
static int contacts_of(tacSim *sim, const tacModel *m, const double *x, const double *u, double *share) {
    tacContactForce *found = calloc(MOST_CONTACTS, sizeof *found);
    double force = 0, weight = 0;
    int n;
    CHECK_INT(tac_step_contacts(sim, x, u, found, MOST_CONTACTS, &n), TAC_OK);
    for (int i = 0; i < n; i++)
        force += found[i].force[0];
    for (int b = 1; b < m->nbody; b++)
        weight += 9.81 * m->body_mass[b];
    free(found);
    *share = force / weight;
    return n;
}

/* A mechanism dropped from ABOVE the floor: its step's derivatives in flight after 0.1 s, where no contact is within
 * reach, and after 0.4 s, where contacts carry it, against differences. */
static double solution_error(tacModel *m, int height, tacNcpFriction friction, double kappa) {
    touch_floor_alone(m);
    tacOptions options = options_of(m, 0.01);
    options.ncp_kappa = kappa, options.ncp_polish = 5, options.ncp_friction = friction;
    tacSim *sim = simulate(m, &options);
    size_t nx = (size_t)tac_nx(m), ndx = (size_t)tac_ndx(m), nu = (size_t)m->nu;
    double *x = numbers(nx), *y = numbers(nx), *u = numbers(nu), worst = 0, theta = 0, share, most[3];
    tacJac jac = {numbers(ndx * ndx), numbers(ndx * nu), NULL};
    start(sim, m, height, x, u);
    for (int k = 1; k <= 40; k++) {
        tacStepInfo info;
        CHECK_INT(tac_step(sim, x, u, x, &info), TAC_OK);
        CHECK_INT(info.start, TAC_OK);
        if (k != 10 && k != 40) continue;
        int n = contacts_of(sim, m, x, u, &share);
        CHECK(k == 10 || height < 0 ? n == 0 : n > 0 && share > SUPPORTED);
        CHECK_INT(tac_step_jac(sim, x, u, y, &jac, NULL), TAC_OK);
        Line l = {sim, m, x, u, &theta, y, 1, m->nu, 0, 1e-4};
        worst = worse(worst, worst_error(&l, (int)ndx, &jac, most));
    }
    free(x), free(y), free(u), free(jac.A), free(jac.B);
    tac_sim_free(sim);
    return worst;
}

static void check_solution(tacModel *m, int height, tacNcpFriction friction, const char *name) {
    for (size_t k = 0; k < sizeof KAPPAS / sizeof *KAPPAS; k++) {
        double worst = solution_error(m, height, friction, KAPPAS[k]);
        if (!(worst < TOL_SOLUTION)) print_error("%s, kappa %g: %.1e\n", name, KAPPAS[k], worst);
        CHECK_LT(worst, TOL_SOLUTION);
    }
    tac_model_free(m);
}

static const struct {
    const char *path;
    int height; /* which coordinate; -1: none, and no floor */
    tacNcpFriction friction;
} MECHANISMS[] = {{"models/atlas.xml", 2, TAC_NCP_CONE},
                  {"models/quadruped.xml", 2, TAC_NCP_CONE},
                  {"models/humanoid.xml", 2, TAC_NCP_CONE},
                  {"models/box.xml", 2, TAC_NCP_CONE},
                  {"models/box.xml", 2, TAC_NCP_PYRAMID},
                  {"models/box.xml", 2, TAC_NCP_FRICTIONLESS},
                  {"models/ant.xml", 2, TAC_NCP_CONE},
                  {"models/half_cheetah.xml", 1, TAC_NCP_CONE},
                  {"models/hopper.xml", 2, TAC_NCP_CONE},
                  {"models/pendulum.xml", -1, TAC_NCP_CONE},
                  {"models/double_pendulum.xml", -1, TAC_NCP_CONE},
                  {"experiments/scenes/energies.xml", -1, TAC_NCP_CONE}}; /* slides and a pendulum, with springs */

static void solutions_of_mechanisms(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof MECHANISMS / sizeof *MECHANISMS; k++) {
        tacModel *m;
        tacError err;
        if (tac_load(MECHANISMS[k].path, &m, &err) != TAC_OK) fail_msg("%s", err.text);
        check_solution(m, MECHANISMS[k].height, MECHANISMS[k].friction, MECHANISMS[k].path);
    }
}

static void solutions_of_spheres(void **state) {
    (void)state;
    for (int friction = TAC_NCP_CONE; friction <= TAC_NCP_FRICTIONLESS; friction++) {
        World w = world_begin(0, 0.01);
        tacGeomDef ball = world_geom(TAC_GEOM_SPHERE, (double[3]){0.5, 0, 0}, 1, 0.5);
        world_add_plane(&w, 0, 0.5);
        world_add_body(&w, (tacVec3){0, 0, 1}, &ball);
        world_finish(&w, TAC_CONTACT_MODEL_NCP);
        check_solution(w.m, 2, (tacNcpFriction)friction, "sphere");
    }
}

/* Snakes and twisters: chains of four links, in flight and on the floor. */
static void solutions_of_joint_types(void **state) {
    (void)state;
    for (int type = 0; type < JOINT_TYPES; type++)
        check_solution(joint_chain_over_floor(type, 3, 1, 0.1), 2, TAC_NCP_CONE, joint_type_name(type));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotation_vectors),     cmocka_unit_test(dampers_of_joint_types),
        cmocka_unit_test(data_of_joint_types),  cmocka_unit_test(update_of_coordinates),
        cmocka_unit_test(map_of_joint_types),   cmocka_unit_test(solutions_of_mechanisms),
        cmocka_unit_test(solutions_of_spheres), cmocka_unit_test(solutions_of_joint_types),
    };
    return cmocka_run_group_tests_name("dojo_derivatives", tests, NULL, NULL);
}
