/* Lines of Dojo's own list of tests that no other test here has: its fifteen kinds of joints, robots with springs,
 * spheres against other shapes, a string, loops, bodies that are one   (contact ncp). */
#include "tactus/io.h"
#include "tactus/tactus.h"

#include "cli/differences.h"
#include "cli/discrete_motion.h"
#include "physics/contact_world.h"
#include "step/tangent.h"
#include "support/draw.h"
#include "support/joint_types.h"
#include "support/random_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOL_SOLVER   1e-12 /* N s: of steps whose momentum is compared */
#define TOL_ROBOT    1e-10 /* N s: of robots, whose numbers are larger */
#define TOL_MOMENTUM 1e-8
#define TOL_ENERGY   1e-2 /* of the joint types: Dojo's bars are 1e-3 to 1e-2 */
#define TOL_UPDATE   1e-8
#define TOL_DAMPER   1e-8
#define TOL_DATA     1e-6
#define TOL_SOLUTION 1e-7
#define TOL_REST     1e-4 /* m */
#define TOL_GAP      1e-9 /* m: the tolerance of a step */
#define TOL_LOOP     1e-5 /* m */
#define TOL_SAME     1e-8
#define TOL_WELD     1e-5 /* the integrator's own error, of second order in the step */

static double *numbers(size_t n) { return calloc(n + 1, sizeof(double)); }

static tacSim *simulate(const tacModel *m, const tacOptions *options) {
    tacSim *sim;
    tacError err;
    if (tac_sim_new(m, options, &sim, &err) != TAC_OK) fail_msg("%s", err.text);
    return sim;
}

static tacOptions options_of(const tacModel *m, double dt) {
    tacOptions options = tac_default_options(m);
    options.contact = TAC_NCP, options.dt = dt;
    return options;
}

/* --- Momentum and energy ------------------------------------------------------------------------------------------ */

/* A motion of m without anything outside, its poses before and after the last step. */
typedef struct Drift {
    tacModel *m;
    tacOptions options;
    tacSim *sim;
    double *x, *u, *before;
    tacPoses pose[2];
} Drift;

static Drift drift_of(tacModel *m, double dt, double tolerance) {
    Drift d = {.m = m, .options = options_of(m, dt)};
    d.options.inputs = TAC_INPUT_QFRC, d.options.ncp_tolerance = tolerance, d.options.ncp_polish = 1;
    d.sim = simulate(m, &d.options);
    d.x = numbers((size_t)tac_nx(m)), d.before = numbers((size_t)tac_nx(m));
    d.u = numbers((size_t)tac_ninput(m, &d.options));
    tac_default_state(m, d.x);
    CHECK(cli_poses_new(m, &d.pose[0]) && cli_poses_new(m, &d.pose[1]));
    return d;
}

static void end_drift(Drift *d) {
    cli_poses_free(&d->pose[0]), cli_poses_free(&d->pose[1]);
    free(d->x), free(d->before), free(d->u);
    tac_sim_free(d->sim);
    tac_model_free(d->m);
}

static void go_on(Drift *d) {
    memcpy(d->before, d->x, (size_t)tac_nx(d->m) * sizeof *d->x);
    CHECK_INT(cli_poses(d->sim, d->x, d->u, &d->pose[0]), TAC_OK);
    CHECK_INT(tac_step(d->sim, d->x, d->u, d->x, NULL), TAC_OK);
    CHECK_INT(cli_poses(d->sim, d->x, d->u, &d->pose[1]), TAC_OK);
}

/* Springs on slides and hinges, at one pose. */
static double springs(const tacModel *m, const double *q) {
    double sum = 0;
    for (int j = 0; j < m->njnt; j++) {
        int adr = m->joint_qpos_adr[j];
        if (m->joint_type[j] != TAC_SLIDE && m->joint_type[j] != TAC_HINGE) continue;
        double x = q[adr] - m->qpos_spring[adr];
        sum += 0.5 * m->joint_stiffness_used[j] * x * x;
    }
    return sum;
}

/* Kinetic between two poses, with what dofs have of their own; springs in the mean. */
static double energy(const Drift *d, double *kinetic) {
    const tacModel *m = d->m;
    *kinetic = discrete_kinetic(m, &d->pose[0], &d->pose[1], d->options.dt);
    for (int i = 0; i < m->nv; i++)
        *kinetic += 0.5 * m->dof_armature[i] * d->x[m->nq + i] * d->x[m->nq + i];
    return *kinetic + 0.5 * (springs(m, d->before) + springs(m, d->x));
}

/* Snakes and twisters: chains on each kind of joint, with springs and dampers, driven for the first half second. */
static void momentum_of_joint_types(void **state) {
    (void)state;
    for (int type = 0; type < JOINT_TYPES; type++) {
        Drift d = drift_of(joint_chain(type, 5, 1, 0.1), 0.01, TOL_SOLVER);
        tacDraw draw = {(uint64_t)(700 + type), 0};
        tacVec6 first = {{0, 0, 0}, {0, 0, 0}};
        for (int i = 0; i < d.m->nv; i++)
            d.x[d.m->nq + i] = 0.5 * draw_normal(&draw);
        for (int k = 0; k < 100; k++) {
            for (int i = 6; i < d.m->nv; i++)
                d.u[d.m->nu + i] = k < 50 ? 0.1 * draw_normal(&draw) : 0;
            go_on(&d);
            tacVec6 now = discrete_momentum(d.m, &d.pose[0], &d.pose[1], 0.01);
            if (k == 0) first = now;
            for (int i = 0; i < 6; i++)
                CHECK_NEAR((&now.ang.x)[i], (&first.ang.x)[i], TOL_MOMENTUM);
        }
        CHECK(fabs(first.lin.x) > 1e-3);
        end_drift(&d);
    }
}

/* |E after a second - E at first| over the largest kinetic energy. */
static double energy_drift(Drift *d, int steps) {
    double first = 0, last = 0, most = 0;
    for (int k = 0; k < steps; k++) {
        double kinetic;
        go_on(d);
        last = energy(d, &kinetic), most = fmax(most, kinetic);
        if (k == 0) first = last;
    }
    return fabs(last - first) / most;
}

static void energy_of_joint_types(void **state) {
    (void)state;
    for (int type = 0; type < JOINT_TYPES; type++) {
        Drift d = drift_of(joint_chain(type, 5, 1, 0), 0.01, TOL_SOLVER);
        tacDraw draw = {(uint64_t)(720 + type), 0};
        for (int i = 0; i < d.m->nv; i++)
            d.x[d.m->nq + i] = 0.5 * draw_normal(&draw);
        double drift = energy_drift(&d, 100);
        if (drift > TOL_ENERGY) print_error("%s: %.1e\n", joint_type_name(type), drift);
        CHECK_LT(drift, TOL_ENERGY);
        end_drift(&d);
    }
}

/* A robot afloat: springs on all joints, no dampers, limits, contacts or gravity. */
static tacModel *sprung(const char *path, double stiffness) {
    tacModel *m;
    tacError err;
    if (tac_load(path, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    for (int j = 0; j < m->njnt; j++) {
        char name[128];
        if (m->joint_type[j] == TAC_FREE || m->joint_type[j] == TAC_BALL) continue;
        for (int k = 0; k < 3; k++) {
            static const char *const FIELD[] = {"stiffness", "damping", "frictionloss"};
            snprintf(name, sizeof name, "joint/%s.%s", tac_model_name(m, TAC_KIND_JOINT, j), FIELD[k]);
            if (tac_param_set(m, name, k == 0 ? stiffness : 0, &err) != TAC_OK) fail_msg("%s", err.text);
        }
    }
    *m->option_disable |= TAC_DISABLE_CONTACT | TAC_DISABLE_LIMIT | TAC_DISABLE_ACTUATION | TAC_DISABLE_GRAVITY;
    return m;
}

static void energy_of_robots(void **state) {
    (void)state;
    static const struct {
        const char *path;
        double bar;
    } ROBOTS[] = {{"models/humanoid.xml", 2e-3}, {"models/atlas.xml", 3e-3}, {"models/quadruped.xml", 1e-2}};
    for (size_t r = 0; r < sizeof ROBOTS / sizeof *ROBOTS; r++) {
        Drift d = drift_of(sprung(ROBOTS[r].path, 1), 0.01, TOL_ROBOT);
        tacDraw draw = {740 + r, 0};
        for (int i = 0; i < d.m->nv; i++)
            d.x[d.m->nq + i] = 0.3 * draw_normal(&draw);
        double drift = energy_drift(&d, 100);
        if (drift > ROBOTS[r].bar) print_error("%s: %.1e\n", ROBOTS[r].path, drift);
        CHECK_LT(drift, ROBOTS[r].bar);
        end_drift(&d);
    }
}

/* --- Derivatives by joint type ------------------------------------------------------------------------------------ */

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

/* Largest error of A (ndx columns), B, P against differences, of numbers over max(1, the column's largest). */
static double worst_error(Line *l, int rows, const tacJac *jac) {
    int ndx = tac_ndx(l->m), np = l->m->nparam;
    double worst = 0, *want = numbers((size_t)rows), *work = numbers((size_t)difference_work(rows));
    for (l->column = 0; l->column < ndx + l->nu + np; l->column++) {
        double scale = 1;
        CHECK_INT(difference_ridders(along, l, rows, l->apart, want, NULL, work), 0);
        for (int i = 0; i < rows; i++)
            scale = fmax(scale, fabs(want[i]));
        for (int i = 0; i < rows; i++) {
            int k = l->column;
            double got = k < ndx           ? jac->A[i * ndx + k]
                         : k < ndx + l->nu ? jac->B[i * l->nu + k - ndx]
                                           : jac->P[i * np + k - ndx - l->nu];
            worst = worse(worst, fabs(got - want[i]) / scale);
        }
    }
    free(want), free(work);
    return worst;
}

static void register_all(tacModel *m, int type) {
    static const char *const PATHS[] = {"body/#2.mass",       "body/#2.ipos[0]",  "body/#2.inertia[1]",
                                        "body/#2.pos[2]",     "body/#2.quat[1]",  "joint/#1.pos[1]",
                                        "joint/#1.axis[2]",   "joint/#1.damping", "joint/#1.armature",
                                        "joint/#1.stiffness", "option.timestep"};
    int ball = joint_type_dofs(type) == 3 && m->joint_type[1] == TAC_BALL;
    tacError err;
    if (joint_type_dofs(type) > 0) CHECK_INT(tac_param_set(m, "joint/#1.armature", 0.02, &err), TAC_OK);
    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++) {
        if (i >= 5 && i < 10 && joint_type_dofs(type) == 0) continue;
        if ((i == 6 || i == 9) && ball) continue; /* a ball has no axis, and its spring is another function */
        if (tac_param_register(m, PATHS[i], NULL, &err) != TAC_OK) fail_msg("%s", err.text);
    }
}

/* One state of a sprung and damped chain of two links on joints of a type: passive forces or a step. */
static double derivative_error(int type, int step) {
    tacModel *m = joint_chain(type, 2, 1.5, 0.3);
    if (step) register_all(m, type);
    tacOptions options = options_of(m, 0.02);
    options.inputs = TAC_INPUT_QFRC, options.ncp_polish = 5;
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
    double worst = worst_error(&l, rows, &jac);
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

/* 1: contacts act on a body with 0.5 N or more. */
static int carries(tacSim *sim, const tacModel *m, const double *x, const double *u) {
    const tacOutput kind = {TAC_OUT_CONTACT_FORCE, TAC_OUT_ALL};
    double most = 0, *force = numbers(6 * (size_t)m->nbody);
    CHECK_INT(tac_outputs(sim, x, u, &(tacOutputs){1, &kind}, force), TAC_OK);
    for (int i = 0; i < 6 * m->nbody; i++)
        most = fmax(most, i % 6 < 3 ? 0 : fabs(force[i]));
    free(force);
    return most > 0.5;
}

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
            for (int i = 0; i < nv; i++)
                CHECK_NEAR(J[i * columns + c], want[i], TOL_UPDATE);
        }
        free(q), free(there), free(hv), free(J), free(one), free(want), free(work);
        tac_model_free(m);
    }
}

/* A mechanism dropped from 2 cm above where it stands: its step's derivatives in flight after 0.1 s and in contact
 * after 0.4 s, against differences. */
static double solution_error(tacModel *m, int height, tacNcpFriction friction, int *contacts) {
    tacOptions options = options_of(m, 0.01);
    options.ncp_kappa = 1e-4, options.ncp_polish = 5, options.ncp_friction = friction;
    tacSim *sim = simulate(m, &options);
    size_t nx = (size_t)tac_nx(m), ndx = (size_t)tac_ndx(m), nu = (size_t)m->nu;
    double *x = numbers(nx), *y = numbers(nx), *u = numbers(nu), worst = 0, theta = 0;
    tacJac jac = {numbers(ndx * ndx), numbers(ndx * nu), NULL};
    tac_default_state(m, x);
    if (height >= 0) x[height] += 0.02;
    for (int i = 0; i < m->nu && m->actuator_ctrllimited[i]; i++) { /* not at ends of ranges, where steps have kinks */
        const double *range = m->actuator_ctrlrange + 2 * i, inside = 0.01 * (range[1] - range[0]);
        u[i] = fmin(fmax(0, range[0] + inside), range[1] - inside);
    }
    for (int i = 0; i < m->nv; i++)
        x[m->nq + i] = 0.1 * sin(2 * i + 1.0);
    *contacts = 0;
    for (int k = 1; k <= 40; k++) {
        CHECK_INT(tac_step(sim, x, u, x, NULL), TAC_OK);
        if (k != 10 && k != 40) continue;
        CHECK_INT(tac_step_jac(sim, x, u, y, &jac, NULL), TAC_OK);
        Line l = {sim, m, x, u, &theta, y, 1, m->nu, 0, 1e-4};
        worst = worse(worst, worst_error(&l, (int)ndx, &jac));
        *contacts = carries(sim, m, x, u);
    }
    free(x), free(y), free(u), free(jac.A), free(jac.B);
    tac_sim_free(sim);
    tac_model_free(m);
    return worst;
}

static const struct {
    const char *path;
    int height; /* which coordinate; -1: none */
    tacNcpFriction friction;
} MECHANISMS[] = {{"models/atlas.xml", 2, TAC_NCP_CONE},        {"models/quadruped.xml", 2, TAC_NCP_CONE},
                  {"models/box.xml", 2, TAC_NCP_CONE},          {"models/box.xml", 2, TAC_NCP_PYRAMID},
                  {"models/box.xml", 2, TAC_NCP_FRICTIONLESS},  {"models/ant.xml", 2, TAC_NCP_CONE},
                  {"models/half_cheetah.xml", 1, TAC_NCP_CONE}, {"models/hopper.xml", -1, TAC_NCP_CONE},
                  {"models/pendulum.xml", -1, TAC_NCP_CONE},    {"models/double_pendulum.xml", -1, TAC_NCP_CONE}};

static void solutions_of_mechanisms(void **state) {
    (void)state;
    int touching = 0, contacts;
    for (size_t k = 0; k < sizeof MECHANISMS / sizeof *MECHANISMS; k++) {
        tacModel *m;
        tacError err;
        if (tac_load(MECHANISMS[k].path, &m, &err) != TAC_OK) fail_msg("%s", err.text);
        double worst = solution_error(m, MECHANISMS[k].height, MECHANISMS[k].friction, &contacts);
        if (worst > TOL_SOLUTION) print_error("%s: %.1e\n", MECHANISMS[k].path, worst);
        CHECK_LT(worst, TOL_SOLUTION);
        touching += contacts > 0;
    }
    for (int type = 0; type < JOINT_TYPES; type++)
        CHECK_LT(solution_error(joint_chain(type, 3, 1, 0.1), -1, TAC_NCP_CONE, &contacts), TOL_SOLUTION);
    CHECK(touching >= 6);
}

/* --- Spheres ------------------------------------------------------------------------------------------------------ */

static double gap(World *w) {
    tacContact contact;
    CHECK_INT(tac_geom_distance(w->sim, w->x, NULL, 0, 1, &contact), TAC_OK);
    return contact.dist;
}

/* A sphere of 0.5 m above or beside a partner, which is fixed or floats; gravity or a push towards it. */
static World sphere_and(tacGeomType type, int floats, tacVec3 from, double g, tacNcpFriction friction) {
    static const double SIZE[3] = {0.5, 0.5, 0.5};
    World w = world_begin(0, 0.02);
    tacOptionDef option = tac_default_option();
    option.gravity = (tacVec3){0, 0, -g}, option.timestep = 0.02;
    tac_model_set_option(w.b, &option);
    tacGeomDef partner = world_geom(type, SIZE, 1, 0.5), ball = world_geom(TAC_SPHERE, SIZE, 1, 0.5);
    if (floats)
        world_add_body(&w, (tacVec3){0, 0, 0}, &partner);
    else
        tac_model_add_geom(w.b, 0, &partner);
    world_add_body(&w, from, &ball);
    world_finish(&w, TAC_NCP);
    w.options.ncp_friction = friction, w.options.inputs = TAC_INPUT_XFRC;
    world_start(&w);
    return w;
}

static void spheres_do_not_overlap(void **state) {
    (void)state;
    static const tacVec3 FROM[3] = {{1.2, 0, 0}, {0, 1.2, 0}, {0, 0, 1.2}};
    double u[64];
    for (int friction = TAC_NCP_CONE; friction <= TAC_NCP_FRICTIONLESS; friction++)
        for (int k = 0; k < 7;
             k++) { /* dropped on a fixed one, then pushed along x, y, z to one that is fixed or floats */
            int dropped = k == 6, floats = k % 2, axis = dropped ? 2 : k / 2, body = floats ? 2 : 1;
            World w = sphere_and(TAC_SPHERE, floats, FROM[axis], dropped ? 9.81 : 0, (tacNcpFriction)friction);
            memset(u, 0, sizeof u);
            if (!dropped) u[6 * body + axis] = -5;
            for (int i = 0; i < 100; i++) {
                CHECK_INT(tac_step(w.sim, w.x, u, w.x, NULL), TAC_OK);
                CHECK(gap(&w) > -TOL_GAP);
            }
            CHECK_NEAR(gap(&w), 0, TOL_REST);
            world_end(&w);
        }
}

static void sphere_on_capsule_and_box(void **state) {
    (void)state;
    static const tacGeomType TYPES[] = {TAC_CAPSULE, TAC_BOX};
    static const double HEIGHT[] = {1.5,
                                    1.0}; /* of its centre at rest: half a length and two radii; half a side and one */
    for (int k = 0; k < 2; k++) {
        World w = sphere_and(TYPES[k], 0, (tacVec3){0, 0, HEIGHT[k] + 0.3}, 9.81, TAC_NCP_CONE);
        double u[64] = {0};
        for (int i = 0; i < 100; i++) {
            CHECK_INT(tac_step(w.sim, w.x, u, w.x, NULL), TAC_OK);
            CHECK(gap(&w) > 0);
        }
        CHECK_NEAR(w.x[2], HEIGHT[k], TOL_REST);
        world_end(&w);
    }
}

/* --- Mechanisms --------------------------------------------------------------------------------------------------- */

/* A bob on a string of 2 m: two hinges and a slide whose range ends there. Thrown, it never gets farther. */
static void string_has_its_length(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    body.inertial = TAC_INERTIAL_DIAG, body.mass = 1, body.inertia = (tacVec3){0.01, 0.01, 0.01};
    int bob = tac_model_add_body(b, 0, &body);
    for (int i = 0; i < 3; i++) {
        joint.type = i < 2 ? TAC_HINGE : TAC_SLIDE;
        joint.axis = (tacVec3){i == 0, i == 1, i == 2 ? -1 : 0};
        if (i == 2) joint.limited = 1, joint.range[0] = 0, joint.range[1] = 2;
        tac_model_add_joint(b, bob, &joint);
    }
    tacModel *m;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_model_abandon(b);
    tacOptions options = options_of(m, 0.02);
    tacSim *sim = simulate(m, &options);
    double x[6] = {0.5, 0.2, 1.5, 1, 0.5, 2}, longest = 0;
    for (int i = 0; i < 300; i++) {
        CHECK_INT(tac_step(sim, x, NULL, x, NULL), TAC_OK);
        longest = fmax(longest, x[2]);
    }
    CHECK_LT(longest, 2 + TOL_GAP);
    CHECK(longest > 2 - TOL_REST);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* Five seconds of random torque at the crank of a four-bar linkage with damped hinges, four time steps: the loop stays
 * closed. */
static void four_bar_stays_closed(void **state) {
    (void)state;
    static const double STEPS[] = {0.1, 0.05, 0.01, 0.005};
    for (size_t k = 0; k < sizeof STEPS / sizeof *STEPS; k++) {
        tacModel *m;
        tacError err;
        if (tac_load("models/four_bar.xml", &m, &err) != TAC_OK) fail_msg("%s", err.text);
        for (int j = 0; j < m->njnt; j++) {
            static const char *const PATHS[] = {"joint/crank.damping", "joint/coupler.damping", "joint/rocker.damping"};
            if (tac_param_set(m, PATHS[j], 0.1, &err) != TAC_OK) fail_msg("%s", err.text);
        }
        tacOptions options = options_of(m, STEPS[k]);
        tacSim *sim = simulate(m, &options);
        tacProjection p = {.bytes = tac_project_bytes(m, &options), .tolerance = 1};
        double x[6], u = 0, most = 0, turned = 0;
        p.memory = aligned_alloc(64, p.bytes);
        tac_default_state(m, x);
        for (int i = 0; i < (int)lround(5 / STEPS[k]); i++) {
            if (i % (int)lround(0.1 / STEPS[k]) == 0) u = 0.5 * tac_random_normal(77, k, (uint64_t)i);
            CHECK_INT(tac_step(sim, x, &u, x, NULL), TAC_OK);
            CHECK_INT(tac_project_state(sim, x, &u, NULL, &p), TAC_OK);
            most = fmax(most, p.before), turned = fmax(turned, fabs(x[0]));
        }
        CHECK(turned > 0.3);
        CHECK_LT(most, TOL_LOOP);
        free(p.memory);
        tac_sim_free(sim);
        tac_model_free(m);
    }
}

/* A body with another welded to it flies as the one that both are. (In contact it does so but for kappa, whose unit is
 * a mean over bodies.) */
static void welded_bodies_are_one(void **state) {
    (void)state;
    double end[2][13];
    for (int merged = 0; merged < 2; merged++) {
        World w = world_begin(0, 0.02);
        tacGeomDef ball = world_geom(TAC_SPHERE, (double[3]){0.1, 0, 0}, 1, 0.5);
        tacGeomDef head = world_geom(TAC_BOX, (double[3]){0.1, 0.2, 0.05}, 0.5, 0.5);
        tacBodyDef welded = tac_default_body();
        int body = world_add_body(&w, (tacVec3){0, 0, 0.5}, &ball);
        welded.pos = head.pos = (tacVec3){0.3, 0, 0.1};
        welded.quat = head.quat = (tacQuat){0.8, 0.6, 0, 0};
        if (merged) {
            tac_model_add_geom(w.b, body, &head);
        } else {
            head.pos = (tacVec3){0, 0, 0}, head.quat = (tacQuat){1, 0, 0, 0};
            tac_model_add_geom(w.b, tac_model_add_body(w.b, body, &welded), &head);
        }
        world_finish(&w, TAC_NCP);
        w.options.ncp_tolerance = 1e-12, w.options.ncp_polish = 3;
        world_start(&w);
        w.x[7] = 1, w.x[10] = 2, w.x[11] = -1;
        world_run(&w, 50);
        memcpy(end[merged], w.x, sizeof end[merged]);
        world_end(&w);
    }
    CHECK_ARRAY(13, end[0], end[1], TOL_WELD);
}

/* A force over a step is the impulse h f: the next state is that of a body which has it already. */
static void force_is_an_impulse(void **state) {
    (void)state;
    const double h = 0.05, f = 3;
    tacModel *m = joint_chain(4, 0, 0, 0); /* one free body of 1 kg */
    tacOptions options = options_of(m, h);
    options.inputs = TAC_INPUT_XFRC;
    tacSim *sim = simulate(m, &options);
    double x[2][13], u[12] = {0};
    for (int k = 0; k < 2; k++) {
        tac_default_state(m, x[k]);
        u[6] = k == 0 ? f : 0, x[k][7] = k == 0 ? 0 : h * f;
        for (int i = 0; i < 2; i++, u[6] = 0)
            CHECK_INT(tac_step(sim, x[k], u, x[k], NULL), TAC_OK);
    }
    CHECK_ARRAY(13, x[0], x[1], TOL_SAME);
    tac_sim_free(sim);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_of_joint_types),   cmocka_unit_test(energy_of_joint_types),
        cmocka_unit_test(energy_of_robots),          cmocka_unit_test(dampers_of_joint_types),
        cmocka_unit_test(update_of_coordinates),     cmocka_unit_test(data_of_joint_types),
        cmocka_unit_test(solutions_of_mechanisms),   cmocka_unit_test(spheres_do_not_overlap),
        cmocka_unit_test(sphere_on_capsule_and_box), cmocka_unit_test(string_has_its_length),
        cmocka_unit_test(four_bar_stays_closed),     cmocka_unit_test(welded_bodies_are_one),
        cmocka_unit_test(force_is_an_impulse),
    };
    return cmocka_run_group_tests_name("dojo_list", tests, NULL, NULL);
}
