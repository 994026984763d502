/* Joint coordinates to bodies and back: round trips, derivatives of both maps and of steps between bodies, bodies that
 * do not agree with their joints. */
#include "tactus/io.h"
#include "tactus/tactus.h"

#include "cli/differences.h"
#include "step/sim.h"
#include "support/check.h"
#include "support/draw.h"
#include "support/joint_types.h"
#include "support/random_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOL_TRIP     1e-12 /* of coordinates and velocities of order one */
#define TOL_STACK    1e-11 /* of bodies with three hinges, two of which may come near each other */
#define TOL_GRADIENT 1e-8
#define TOL_STEP     1e-6
#define SPAN         0.05
#define DIFFERENCE   3e-3
#define STEP_APART   1e-4 /* of steps in contact, whose forces change over less than coordinates do */

static const double SPANS[] = {0, SPAN};
enum { NSPAN = sizeof SPANS / sizeof *SPANS };

/* A model, its simulation, one state of it, and its bodies. */
typedef struct World {
    tacModel *m;
    tacSim *sim;
    double *x, *u, *back; /* nx, ninput, nx */
    tacMaximal z;
    tacMinimal min;
} World;

static double *numbers(size_t n) { return calloc(n + 1, sizeof(double)); }

static World world_of(tacModel *m, tacContactModel contact, unsigned inputs) {
    World w = {.m = m};
    tacOptions options = tac_default_options(m);
    tacError err;
    options.contact = contact, options.inputs = inputs;
    if (contact == TAC_NCP) options.dt = SPAN, options.ncp_kappa = 1e-4, options.ncp_polish = 5;
    if (tac_sim_new(m, &options, &w.sim, &err) != TAC_OK) fail_msg("%s", err.text);
    size_t nbody = (size_t)m->nbody, nx = (size_t)tac_nx(m);
    w.x = numbers(nx), w.back = numbers(nx), w.u = numbers((size_t)tac_ninput(m, &options));
    tac_default_state(m, w.x);
    tac_default_input(m, &options, w.u);
    w.z = (tacMaximal){0, numbers(7 * nbody), numbers(6 * nbody)};
    w.min = (tacMinimal){.q = w.back, .v = w.back + m->nq};
    return w;
}

static World loaded(const char *path, tacContactModel contact) {
    tacModel *m;
    tacError err;
    if (tac_load(path, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    return world_of(m, contact, 0);
}

static void release(World *w) {
    free(w->x), free(w->u), free(w->back), free(w->z.pose), free(w->z.twist);
    tac_sim_free(w->sim);
    tac_model_free(w->m);
}

/* Most that two states differ by, in tangent coordinates. */
static double apart(const tacModel *m, const double *x, const double *y) {
    double worst = 0, *d = numbers((size_t)m->nv);
    tac_qpos_sub(m, x, y, d);
    for (int i = 0; i < m->nv; i++)
        worst = worse(worst, fmax(fabs(d[i]), fabs(x[m->nq + i] - y[m->nq + i])));
    free(d);
    return worst;
}

/* --- Round trips -------------------------------------------------------------------------------------------------- */

/* x -> bodies -> w->back, the search begun at `start`; -> most that they differ by. */
static double trip(World *w, double span, const double *start) {
    w->z.span = span;
    CHECK_INT(tac_to_maximal(w->sim, w->x, w->u, &w->z, NULL), TAC_OK);
    memcpy(w->min.q, start, (size_t)w->m->nq * sizeof *start);
    CHECK_INT(tac_to_minimal(w->sim, &w->z, &w->min), TAC_OK);
    return worse(apart(w->m, w->back, w->x), worse(w->min.pose_residual, w->min.twist_residual * fmax(span, 1e-3)));
}

/* Chains of ten links on each of Dojo's fifteen joints, turned up to 3 rad, found from the reference pose. */
static void round_trip_of_joint_types(void **state) {
    (void)state;
    for (int type = 0; type < JOINT_TYPES; type++) {
        World w = world_of(joint_chain(type, 10, 0, 0), TAC_NONE, 0);
        tacDraw d = {(uint64_t)(100 + type), 0};
        double *move = numbers((size_t)w.m->nv);
        for (int k = 0; k < 5; k++) {
            for (int i = 0; i < w.m->nv; i++)
                move[i] = draw_uniform(&d, -1, 1) * (w.m->joint_type[w.m->dof_joint[i]] == TAC_BALL ? 1.7 : 3);
            tac_qpos_add(w.m, w.m->qpos_0, move, w.x);
            draw_array(&d, w.m->nv, w.x + w.m->nq);
            for (int s = 0; s < NSPAN; s++) {
                double off = trip(&w, SPANS[s], w.m->qpos_0);
                if (off > TOL_TRIP) print_error("%s, span %g: %.1e\n", joint_type_name(type), SPANS[s], off);
                CHECK_LT(off, TOL_TRIP);
            }
        }
        free(move);
        release(&w);
    }
}

static const char *const ROBOTS[] = {"models/hopper.xml",   "models/box.xml",       "models/pendulum.xml",
                                     "models/cartpole.xml", "models/jumpworm.xml",  "models/half_cheetah.xml",
                                     "models/ant.xml",      "models/quadruped.xml", "models/humanoid.xml",
                                     "models/atlas.xml",    "models/panda.xml",     "models/finger.xml"};

/* Robots in random poses, found from near by. */
static void round_trip_of_robots(void **state) {
    (void)state;
    for (size_t r = 0; r < sizeof ROBOTS / sizeof *ROBOTS; r++) {
        World w = loaded(ROBOTS[r], TAC_NONE);
        tacDraw d = {200 + r, 0};
        double *move = numbers((size_t)w.m->nv), *start = numbers((size_t)w.m->nq);
        for (int k = 0; k < 10; k++) {
            random_state(w.m, 300 + 10 * r + (uint64_t)k, w.x, w.x + w.m->nq);
            for (int i = 0; i < w.m->nv; i++)
                move[i] = draw_uniform(&d, -0.05, 0.05);
            tac_qpos_add(w.m, w.x, move, start);
            for (int s = 0; s < NSPAN; s++)
                CHECK_LT(trip(&w, SPANS[s], start), TOL_STACK);
        }
        free(move), free(start);
        release(&w);
    }
}

/* Poses do not say how often a hinge went round: the start does. */
static void turns_of_a_hinge_are_the_start_s(void **state) {
    (void)state;
    World w = loaded("models/pendulum.xml", TAC_NONE);
    w.x[0] = 7;
    double near_by = 7.5, far = 0.5, back = 7 - 2 * acos(-1.0);
    CHECK_LT(trip(&w, 0, &near_by), TOL_TRIP);
    trip(&w, 0, &far);
    CHECK_NEAR(w.back[0], back, TOL_TRIP);
    release(&w);
}

/* A body that is pulled off its joint: what it is off by is told, along what no joint of it moves. */
static void bodies_apart_are_told(void **state) {
    (void)state;
    World w = loaded("models/half_cheetah.xml", TAC_NONE);
    const double off = 1e-3;
    CHECK_LT(trip(&w, 0, w.m->qpos_0), TOL_TRIP);
    w.z.pose[7 * (w.m->nbody - 1) + 1] += off; /* across the plane in which it moves */
    memcpy(w.min.q, w.m->qpos_0, (size_t)w.m->nq * sizeof(double));
    CHECK_INT(tac_to_minimal(w.sim, &w.z, &w.min), TAC_OK);
    CHECK_NEAR(w.min.pose_residual, off, 1e-9);
    CHECK_LT(w.min.twist_residual, TOL_TRIP);
    w.z.twist[6 * (w.m->nbody - 1) + 1] += off;
    CHECK_INT(tac_to_minimal(w.sim, &w.z, &w.min), TAC_OK);
    CHECK_NEAR(w.min.twist_residual, off, 1e-9);
    release(&w);
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

enum { TO_BODIES, TO_JOINTS, STEP };

/* A map along one column of one of its blocks. */
typedef struct Along {
    World *w, *trial;  /* trial: of the same model and simulation, other arrays */
    const World *base; /* whose bodies displacements are taken from; of a step, those at its end */
    int map, block, column;
    const double *theta;
} Along;

static int rows_of(const World *w, int map) {
    return map == TO_JOINTS ? 2 * w->m->nv : 12 * w->m->nbody + (map == STEP ? w->m->na : 0);
}

/* From the bodies of w to those of a trial: a displacement of the former. */
static void bodies_apart(const World *w, const World *trial, double *out) {
    int n = w->m->nbody;
    for (int b = 0; b < n; b++) {
        tacQuat from = tac_quat_load(w->z.pose + 7 * b + 3), to = tac_quat_load(trial->z.pose + 7 * b + 3);
        for (int i = 0; i < 3; i++)
            out[6 * b + i] = trial->z.pose[7 * b + i] - w->z.pose[7 * b + i];
        tac_store3(out + 6 * b + 3, tac_quat_log(tac_quat_mul(tac_quat_conj(from), to)));
    }
    for (int i = 0; i < 6 * n; i++)
        out[6 * n + i] = trial->z.twist[i] - w->z.twist[i];
}

/* Bodies of the trial: w's, displaced along a column. */
static void displace_bodies(const World *w, int column, double t, World *trial) {
    int n = w->m->nbody, body = column % (6 * n) / 6, i = column % 6;
    memcpy(trial->z.pose, w->z.pose, 7 * (size_t)n * sizeof(double));
    memcpy(trial->z.twist, w->z.twist, 6 * (size_t)n * sizeof(double));
    if (column >= 6 * n) {
        trial->z.twist[column - 6 * n] += t;
    } else if (i < 3) {
        trial->z.pose[7 * body + i] += t;
    } else {
        tacVec3 turn = {i == 3 ? t : 0, i == 4 ? t : 0, i == 5 ? t : 0};
        double *quat = trial->z.pose + 7 * body + 3;
        tac_quat_store(quat, tac_quat_mul(tac_quat_load(quat), tac_quat_exp(turn)));
    }
}

/* State and input of the trial: w's, displaced; parameters are set. */
static void displace_state(const Along *a, double t) {
    const tacModel *m = a->w->m;
    World *trial = a->trial;
    double *move = numbers((size_t)m->nv), *theta = numbers((size_t)m->nparam);
    memcpy(trial->x, a->w->x, (size_t)tac_nx(m) * sizeof *move);
    if (a->block == 0 && a->column < m->nv) {
        move[a->column] = t;
        tac_qpos_add(m, a->w->x, move, trial->x);
    } else if (a->block == 0) {
        trial->x[m->nq + a->column - m->nv] += t;
    } else if (a->block == 1) {
        trial->u[a->column] = a->w->u[a->column] + t;
    } else {
        memcpy(theta, a->theta, (size_t)m->nparam * sizeof *theta);
        theta[a->column] += t;
        CHECK_INT(tac_sim_set_params(trial->sim, theta), TAC_OK);
    }
    free(move), free(theta);
}

static void restore(const Along *a) {
    if (a->block == 1) a->trial->u[a->column] = a->w->u[a->column];
    if (a->block == 2) CHECK_INT(tac_sim_set_params(a->trial->sim, a->theta), TAC_OK);
}

static int joints_of_bodies(const Along *a, double *x) {
    a->trial->min.q = x, a->trial->min.v = x + a->w->m->nq;
    memcpy(x, a->w->x, (size_t)a->w->m->nq * sizeof *x);
    return tac_to_minimal(a->trial->sim, &a->trial->z, &a->trial->min) != TAC_OK;
}

static int along(void *context, double t, double *out) {
    const Along *a = context;
    const tacModel *m = a->w->m;
    World *trial = a->trial;
    int nz = 12 * m->nbody, bodies = a->map == TO_JOINTS || (a->map == STEP && a->block == 0);
    int bad = 0;
    trial->z.span = a->w->z.span;
    if (bodies && a->column < nz) {
        memcpy(trial->x, a->w->x, (size_t)tac_nx(m) * sizeof *out);
        displace_bodies(a->w, a->column, t, trial);
        bad = joints_of_bodies(a, trial->x);
    } else if (bodies) {
        memcpy(trial->x, a->w->x, (size_t)tac_nx(m) * sizeof *out);
        trial->x[m->nq + m->nv + a->column - nz] += t;
    } else {
        displace_state(a, t);
    }
    if (a->map == TO_JOINTS) {
        tac_qpos_sub(m, trial->x, a->w->x, out);
        for (int i = 0; i < m->nv; i++)
            out[m->nv + i] = trial->x[m->nq + i] - a->w->x[m->nq + i];
        return bad;
    }
    if (a->map == STEP && !bad) bad = tac_step(trial->sim, trial->x, trial->u, trial->x, NULL) != TAC_OK;
    if (!bad) bad = tac_to_maximal(trial->sim, trial->x, trial->u, &trial->z, NULL) != TAC_OK;
    bodies_apart(a->base, trial, out);
    for (int i = 0; a->map == STEP && i < m->na; i++)
        out[nz + i] = trial->x[m->nq + m->nv + i];
    restore(a);
    return bad;
}

/* Largest |J - differences| of a block, of numbers over max(1, the column's largest). */
static double block_error(Along *a, int columns, const double *J, double *most) {
    int rows = rows_of(a->w, a->map);
    double *want = numbers((size_t)rows), *work = numbers((size_t)difference_work(rows)), worst = 0;
    for (a->column = 0; a->column < columns; a->column++) {
        double scale = 1;
        CHECK_INT(difference_ridders(along, a, rows, a->map == STEP ? STEP_APART : DIFFERENCE, want, NULL, work), 0);
        for (int i = 0; i < rows; i++)
            scale = fmax(scale, fabs(want[i])), *most = fmax(*most, fabs(want[i]));
        for (int i = 0; i < rows; i++)
            worst = worse(worst, fabs(J[(size_t)i * (size_t)columns + (size_t)a->column] - want[i]) / scale);
    }
    free(want), free(work);
    return worst;
}

static World trial_of(const World *w) {
    World trial = *w;
    size_t nbody = (size_t)w->m->nbody;
    trial.x = numbers((size_t)tac_nx(w->m)), trial.u = numbers(4000), trial.back = NULL;
    memcpy(trial.u, w->u, (size_t)(w->m->nu + 7 * w->m->nmocap) * sizeof(double));
    trial.z.pose = numbers(7 * nbody), trial.z.twist = numbers(6 * nbody);
    return trial;
}

static void release_trial(World *trial) { free(trial->x), free(trial->u), free(trial->z.pose), free(trial->z.twist); }

/* Both maps of a world at its state against differences; that their product is the identity. */
static void check_maps(World *w, int ninput) {
    tacModel *m = w->m;
    World trial = trial_of(w);
    size_t nz = 12 * (size_t)m->nbody, ndx = (size_t)tac_ndx(m), nd = 2 * (size_t)m->nv;
    double *A = numbers(nz * ndx), *B = numbers(nz * (size_t)ninput), *P = numbers(nz * (size_t)m->nparam);
    double *theta = numbers((size_t)m->nparam), *N = numbers(nd * nz), most = 0;
    tacJac jac = {A, B, P};
    CHECK_INT(tac_sim_get_params(w->sim, theta), TAC_OK);
    CHECK_INT(tac_to_maximal(w->sim, w->x, w->u, &w->z, &jac), TAC_OK);
    memcpy(w->min.q, w->x, (size_t)m->nq * sizeof *A);
    w->min.jac = N;
    CHECK_INT(tac_to_minimal(w->sim, &w->z, &w->min), TAC_OK);
    w->min.jac = NULL;
    const double *blocks[] = {A, B, P};
    const int columns[] = {(int)ndx, ninput, m->nparam};
    for (int block = 0; block < 3; block++) {
        Along a = {w, &trial, w, TO_BODIES, block, 0, theta};
        most = 0;
        CHECK_LT(block_error(&a, columns[block], blocks[block], &most), TOL_GRADIENT);
        CHECK(most > 0.1 || block > 0); /* no mocap bodies, no places among the parameters */
    }
    Along a = {w, &trial, w, TO_JOINTS, 0, 0, theta};
    CHECK_LT(block_error(&a, (int)nz, N, &most), TOL_GRADIENT);
    for (size_t i = 0; i < nd; i++)
        for (size_t j = 0; j < nd; j++) {
            double sum = 0;
            for (size_t k = 0; k < nz; k++)
                sum += N[i * nz + k] * A[k * ndx + j];
            CHECK_NEAR(sum, i == j ? 1 : 0, 1e-10);
        }
    free(A), free(B), free(P), free(theta), free(N);
    release_trial(&trial);
}

/* Half-cheetah and Atlas are the two that Dojo's own comparison leaves out as failing. */
static void derivatives_of_robots(void **state) {
    (void)state;
    static const char *const PATHS[] = {"models/half_cheetah.xml", "experiments/scenes/atlas.xml",
                                        "models/humanoid.xml"};
    for (size_t r = 0; r < sizeof PATHS / sizeof *PATHS; r++) {
        World w = loaded(PATHS[r], TAC_NONE);
        random_state(w.m, 400 + r, w.x, w.x + w.m->nq);
        for (int s = 0; s < NSPAN; s++) {
            w.z.span = SPANS[s];
            check_maps(&w, w.m->nu);
        }
        release(&w);
    }
}

static void derivatives_of_joint_types(void **state) {
    (void)state;
    for (int type = 0; type < JOINT_TYPES; type++) {
        World w = world_of(joint_chain(type, 2, 0, 0), TAC_NONE, 0);
        random_state(w.m, 500 + (uint64_t)type, w.x, w.x + w.m->nq);
        for (int s = 0; s < NSPAN; s++) {
            w.z.span = SPANS[s];
            check_maps(&w, 0);
        }
        release(&w);
    }
}

/* A mocap body with two stacks behind it; places as parameters. */
static tacModel *carried(void) {
    static const tacJointType STACK[] = {TAC_HINGE, TAC_SLIDE, TAC_HINGE};
    static const char *const PARAMS[] = {"body/#2.pos[1]",   "body/#2.quat[2]",  "joint/#0.pos[0]",
                                         "joint/#0.axis[1]", "joint/#1.axis[0]", "joint/#0.ref"};
    tacBuilder *b = tac_model_begin();
    tacBodyDef hand = tac_default_body(), held = tac_default_body();
    hand.mocap = 1, hand.pos = (tacVec3){0.1, 0.2, 0.3};
    int body = tac_model_add_body(b, 0, &hand);
    held.inertial = TAC_INERTIAL_DIAG, held.mass = 1, held.inertia = (tacVec3){1, 1, 1};
    held.pos = (tacVec3){0, 0.3, 0};
    for (int i = 0; i < 2; i++) {
        body = tac_model_add_body(b, body, &held);
        for (int k = 0; k < 3; k++) {
            tacJointDef joint = tac_default_joint();
            joint.type = STACK[k], joint.pos = (tacVec3){0.1, 0, 0.2}, joint.axis = (tacVec3){1, 0.2 * k, 0.3};
            tac_model_add_joint(b, body, &joint);
        }
    }
    tacModel *m;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_model_abandon(b);
    for (size_t i = 0; i < sizeof PARAMS / sizeof *PARAMS; i++)
        if (tac_param_register(m, PARAMS[i], NULL, &err) != TAC_OK) fail_msg("%s", err.text);
    return m;
}

static void derivatives_by_inputs_and_places(void **state) {
    (void)state;
    World w = world_of(carried(), TAC_NONE, TAC_INPUT_MOCAP);
    tacModel *m = w.m;
    World trial = trial_of(&w);
    size_t nz = 12 * (size_t)m->nbody;
    double *A = numbers(nz * (size_t)tac_ndx(m)), *B = numbers(nz * 7), *P = numbers(nz * (size_t)m->nparam), most = 0;
    double *theta = numbers((size_t)m->nparam);
    tacJac jac = {A, B, P};
    random_state(m, 600, w.x, w.x + m->nq);
    CHECK_INT(tac_sim_get_params(w.sim, theta), TAC_OK);
    for (int s = 0; s < NSPAN; s++) {
        const double *blocks[] = {A, B, P};
        const int columns[] = {tac_ndx(m), 7, m->nparam};
        w.z.span = SPANS[s];
        CHECK_INT(tac_to_maximal(w.sim, w.x, w.u, &w.z, &jac), TAC_OK);
        for (int block = 0; block < 3; block++) {
            Along a = {&w, &trial, &w, TO_BODIES, block, 0, theta};
            most = 0;
            CHECK_LT(block_error(&a, columns[block], blocks[block], &most), TOL_GRADIENT);
            CHECK(most > 0.1);
        }
    }
    free(A), free(B), free(P), free(theta);
    release_trial(&trial);
    release(&w);
}

/* --- Steps -------------------------------------------------------------------------------------------------------- */

/* Bodies to bodies over a step of contact ncp, in contact, against differences of joints(bodies), step, bodies. */
static void check_step(const char *path, int steps, double span) {
    World w = loaded(path, TAC_NCP);
    tacModel *m = w.m;
    tacOptions options = tac_default_options(m);
    tacStepInfo info;
    World trial = trial_of(&w), end = trial_of(&w);
    size_t n = 12 * (size_t)m->nbody + (size_t)m->na, bytes = tac_step_maximal_bytes(m, &options);
    double *A = numbers(n * n), *B = numbers(n * (size_t)m->nu), most = 0;
    void *memory = aligned_alloc(64, bytes);
    tacMaximalStep step = {.span = span, .A = A, .B = B, .memory = memory, .bytes = bytes};
    for (int i = 0; i < m->nv; i++)
        w.x[m->nq + i] = 0.1 * (i % 3 - 1);
    for (int k = 0; k < steps; k++)
        CHECK_INT(tac_step(w.sim, w.x, w.u, w.x, &info), TAC_OK);
    w.z.span = span;
    CHECK_INT(tac_to_maximal(w.sim, w.x, w.u, &w.z, NULL), TAC_OK);
    CHECK_INT(tac_step_maximal_jac(w.sim, w.x, w.u, &step, &info), TAC_OK);
    CHECK(info.contacts > 0);
    memcpy(end.x, w.x, (size_t)tac_nx(m) * sizeof *A);
    end.z.span = span;
    CHECK_INT(tac_step(w.sim, end.x, w.u, end.x, &info), TAC_OK);
    CHECK_INT(tac_to_maximal(w.sim, end.x, w.u, &end.z, NULL), TAC_OK);
    Along a = {&w, &trial, &end, STEP, 0, 0, NULL};
    CHECK_LT(block_error(&a, (int)n, A, &most), TOL_STEP);
    CHECK(most > 1);
    a.block = 1;
    if (m->nu > 0) CHECK_LT(block_error(&a, m->nu, B, &most), TOL_STEP);
    step.bytes = bytes - 64;
    CHECK_INT(tac_step_maximal_jac(w.sim, w.x, w.u, &step, &info), TAC_ERR_ARGUMENT);
    free(A), free(B), free(memory);
    release_trial(&trial);
    release_trial(&end);
    release(&w);
}

static void steps_between_bodies(void **state) {
    (void)state;
    for (int s = 0; s < NSPAN; s++) {
        check_step("models/half_cheetah.xml", 8, SPANS[s]);
        check_step("models/box.xml", 3, SPANS[s]);
    }
}

/* The same bits after a workspace of NaN. */
static void workspace_does_not_matter(void **state) {
    (void)state;
    World w = loaded("models/humanoid.xml", TAC_NONE);
    size_t nz = 12 * (size_t)w.m->nbody, ndx = (size_t)tac_ndx(w.m), bytes = nz * ndx * sizeof(double);
    double *A[2] = {numbers(nz * ndx), numbers(nz * ndx)}, *N[2] = {numbers(nz * ndx), numbers(nz * ndx)};
    random_state(w.m, 650, w.x, w.x + w.m->nq);
    for (int s = 0; s < NSPAN; s++) {
        w.z.span = SPANS[s];
        for (int k = 0; k < 2; k++) {
            tac_sim_poison(w.sim);
            CHECK_INT(tac_to_maximal(w.sim, w.x, w.u, &w.z, &(tacJac){.A = A[k]}), TAC_OK);
            memcpy(w.min.q, w.x, (size_t)w.m->nq * sizeof *w.x);
            if (k == 1) tac_sim_poison(w.sim);
            w.min.jac = N[k];
            CHECK_INT(tac_to_minimal(w.sim, &w.z, &w.min), TAC_OK);
        }
        CHECK(memcmp(A[0], A[1], bytes) == 0);
        CHECK(memcmp(N[0], N[1], 2 * (size_t)w.m->nv * nz * sizeof(double)) == 0);
    }
    for (int k = 0; k < 2; k++)
        free(A[k]), free(N[k]);
    release(&w);
}

static void bad_arguments(void **state) {
    (void)state;
    World w = loaded("models/pendulum.xml", TAC_NONE);
    w.z.span = -1;
    CHECK_INT(tac_to_maximal(w.sim, w.x, w.u, &w.z, NULL), TAC_ERR_ARGUMENT);
    w.z.span = 0;
    CHECK_INT(tac_to_maximal(NULL, w.x, w.u, &w.z, NULL), TAC_ERR_ARGUMENT);
    w.x[0] = (double)NAN;
    CHECK_INT(tac_to_maximal(w.sim, w.x, w.u, &w.z, NULL), TAC_ERR_NONFINITE);
    w.z.pose[7] = (double)INFINITY;
    CHECK_INT(tac_to_minimal(w.sim, &w.z, &w.min), TAC_ERR_NONFINITE);
    w.min.q = NULL;
    CHECK_INT(tac_to_minimal(w.sim, &w.z, &w.min), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_step_maximal_jac(w.sim, w.x, w.u, NULL, NULL), TAC_ERR_ARGUMENT);
    release(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip_of_joint_types),        cmocka_unit_test(round_trip_of_robots),
        cmocka_unit_test(turns_of_a_hinge_are_the_start_s), cmocka_unit_test(bodies_apart_are_told),
        cmocka_unit_test(derivatives_of_joint_types),       cmocka_unit_test(derivatives_of_robots),
        cmocka_unit_test(derivatives_by_inputs_and_places), cmocka_unit_test(steps_between_bodies),
        cmocka_unit_test(workspace_does_not_matter),        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests_name("maximal", tests, NULL, NULL);
}
