/* Lines of Dojo's own list of tests that no other test here has: what motions keep, on its fifteen kinds of joints and
 * of robots with springs; spheres against other shapes, a string, loops, bodies that are one; that all models run, and
 * that a motion is the same whichever way it is asked for   (contact ncp). */
#include "tactus/io.h"
#include "tactus/tactus.h"

#include "measure/discrete_motion.h"
#include "physics/contact_world.h"
#include "support/draw.h"
#include "support/joint_types.h"
#include "support/ncp_sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOL_SOLVER   1e-12 /* N s: of steps whose momentum is compared */
#define TOL_ROBOT    1e-10 /* N s: of robots, whose numbers are larger */
#define TOL_MOMENTUM 1e-8
#define TOL_ENERGY   1e-3 /* of each joint type: the least of Dojo's bars, which are 1e-3 to 1e-2 */
#define TOL_SPIN     1e-3 /* N m s: a step's chord is shorter than its arc by 7e-5 of it */
#define TOL_SLIDER   1e-4 /* m, m/s */
#define TOL_REST     1e-4 /* m */
#define TOL_LOOP     1e-5 /* m */
#define TOL_SAME     1e-8
#define TOL_WELD     1e-5 /* the integrator's own error, of second order in the step */

static double *numbers(size_t n) { return calloc(n + 1, sizeof(double)); }

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
    CHECK(measure_poses_new(m, &d.pose[0]) && measure_poses_new(m, &d.pose[1]));
    return d;
}

static void end_drift(Drift *d) {
    measure_poses_free(&d->pose[0]), measure_poses_free(&d->pose[1]);
    free(d->x), free(d->before), free(d->u);
    tac_sim_free(d->sim);
    tac_model_free(d->m);
}

static void go_on(Drift *d) {
    memcpy(d->before, d->x, (size_t)tac_nx(d->m) * sizeof *d->x);
    CHECK_INT(measure_poses(d->sim, d->x, d->u, &d->pose[0]), TAC_OK);
    CHECK_INT(tac_step(d->sim, d->x, d->u, d->x, NULL), TAC_OK);
    CHECK_INT(measure_poses(d->sim, d->x, d->u, &d->pose[1]), TAC_OK);
}

/* Springs on slides and hinges, at one pose. */
static double springs(const tacModel *m, const double *q) {
    double sum = 0;
    for (int j = 0; j < m->njnt; j++) {
        int adr = m->joint_qpos_adr[j];
        if (m->joint_type[j] != TAC_JOINT_SLIDE && m->joint_type[j] != TAC_JOINT_HINGE) continue;
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

/* A second of d: momentum is what it was at first. Joint forces of this size in its first half. */
static void check_momentum(Drift *d, tacDraw *draw, double force) {
    tacVec6 first = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 100; k++) {
        for (int i = 6; i < d->m->nv; i++)
            d->u[d->m->nu + i] = k < 50 ? force * draw_normal(draw) : 0;
        go_on(d);
        tacVec6 now = discrete_momentum(d->m, &d->pose[0], &d->pose[1], d->options.dt);
        if (k == 0) first = now;
        for (int i = 0; i < 6; i++)
            CHECK_NEAR((&now.ang.x)[i], (&first.ang.x)[i], TOL_MOMENTUM);
    }
    CHECK(fabs(first.lin.x) > 1e-3);
}

/* Snakes and twisters: chains on each kind of joint, with springs and dampers. */
static void momentum_of_joint_types(void **state) {
    (void)state;
    for (int type = 0; type < JOINT_TYPES; type++) {
        Drift d = drift_of(joint_chain(type, 5, 1, 0.1), 0.01, TOL_SOLVER);
        tacDraw draw = {(uint64_t)(700 + type), 0};
        for (int i = 0; i < d.m->nv; i++)
            d.x[d.m->nq + i] = 0.5 * draw_normal(&draw);
        check_momentum(&d, &draw, 0.1);
        end_drift(&d);
    }
}

/* A robot afloat: springs and dampers on all joints, no limits, contacts or gravity. */
static tacModel *sprung(const char *path, double stiffness, double damping) {
    tacModel *m;
    tacError err;
    if (tac_load(path, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    for (int j = 0; j < m->njnt; j++) {
        char name[128];
        if (m->joint_type[j] == TAC_JOINT_FREE || m->joint_type[j] == TAC_JOINT_BALL) continue;
        for (int k = 0; k < 3; k++) {
            static const char *const FIELD[] = {"stiffness", "damping", "frictionloss"};
            const double value[] = {stiffness, damping, 0};
            snprintf(name, sizeof name, "joint/%s.%s", tac_model_name(m, TAC_KIND_JOINT, j), FIELD[k]);
            if (tac_param_set(m, name, value[k], &err) != TAC_OK) fail_msg("%s", err.text);
        }
    }
    *m->option_disable |= TAC_DISABLE_CONTACT | TAC_DISABLE_LIMIT | TAC_DISABLE_ACTUATION | TAC_DISABLE_GRAVITY;
    return m;
}

/* Robots that float with springs, dampers and forces on their joints for the first half second. */
static void momentum_of_robots(void **state) {
    (void)state;
    static const char *const PATHS[] = {"models/box.xml", "models/humanoid.xml", "models/atlas.xml",
                                        "models/quadruped.xml"};
    for (size_t r = 0; r < sizeof PATHS / sizeof *PATHS; r++) {
        Drift d = drift_of(sprung(PATHS[r], 1, 0.1), 0.01, TOL_ROBOT);
        tacDraw draw = {710 + r, 0};
        for (int i = 0; i < d.m->nv; i++)
            d.x[d.m->nq + i] = 0.3 * draw_normal(&draw);
        check_momentum(&d, &draw, 0.5);
        end_drift(&d);
    }
}

/* A pendulum without gravity, driven by nothing: its angular momentum about the hinge. */
static void momentum_of_a_pendulum(void **state) {
    (void)state;
    Drift d = drift_of(sprung("models/pendulum.xml", 0, 0), 0.01, TOL_SOLVER);
    const double height = d.m->body_pos[1].z; /* of the hinge, whose axis is y */
    double first = 0;
    d.x[0] = 0.3, d.x[1] = 2;
    for (int k = 0; k < 100; k++) {
        go_on(&d);
        tacVec6 now = discrete_momentum(d.m, &d.pose[0], &d.pose[1], 0.01);
        double about = now.ang.y - height * now.lin.x;
        if (k == 0) first = about;
        CHECK_NEAR(about, first, TOL_MOMENTUM);
    }
    CHECK_NEAR(fabs(first), 2, TOL_SPIN); /* a point of 1 kg, 1 m from the hinge */
    end_drift(&d);
}

/* |E after a second - E at first| over the largest kinetic energy. *spring: the most that springs had, over the
 * same. */
static double energy_drift(Drift *d, int steps, double *spring) {
    double first = 0, last = 0, most = 0, stored = 0;
    for (int k = 0; k < steps; k++) {
        double kinetic;
        go_on(d);
        last = energy(d, &kinetic), most = fmax(most, kinetic), stored = fmax(stored, last - kinetic);
        if (k == 0) first = last;
    }
    *spring = stored / most;
    return fabs(last - first) / most;
}

static void energy_of_joint_types(void **state) {
    (void)state;
    for (int type = 0; type < JOINT_TYPES; type++) {
        Drift d = drift_of(joint_chain(type, 5, 1, 0), 0.01, TOL_SOLVER);
        tacDraw draw = {(uint64_t)(720 + type), 0};
        double spring;
        int sprung_dofs = 0;
        for (int j = 0; j < d.m->njnt; j++)
            sprung_dofs += d.m->joint_stiffness[j] > 0;
        for (int i = 0; i < d.m->nv; i++)
            d.x[d.m->nq + i] = 0.5 * draw_normal(&draw);
        double drift = energy_drift(&d, 100, &spring);
        if (!(drift < TOL_ENERGY)) print_error("%s: %.1e\n", joint_type_name(type), drift);
        CHECK_LT(drift, TOL_ENERGY);
        CHECK(sprung_dofs > 0 ? spring > 0.01 : spring == 0);
        end_drift(&d);
    }
}

static void energy_of_robots(void **state) {
    (void)state;
    static const struct {
        const char *path;
        double bar;
    } ROBOTS[] = {{"models/humanoid.xml", 2e-3}, {"models/atlas.xml", 3e-3}, {"models/quadruped.xml", 1e-2}};
    for (size_t r = 0; r < sizeof ROBOTS / sizeof *ROBOTS; r++) {
        Drift d = drift_of(sprung(ROBOTS[r].path, 1, 0), 0.01, TOL_ROBOT);
        tacDraw draw = {740 + r, 0};
        double spring;
        for (int i = 0; i < d.m->nv; i++)
            d.x[d.m->nq + i] = 0.3 * draw_normal(&draw);
        double drift = energy_drift(&d, 100, &spring);
        if (!(drift < ROBOTS[r].bar)) print_error("%s: %.1e\n", ROBOTS[r].path, drift);
        CHECK_LT(drift, ROBOTS[r].bar);
        CHECK(spring > 1e-4);
        end_drift(&d);
    }
}

/* A slide with a spring, let go from rest: it comes as far on the other side, and is as fast as sqrt(k/m) times that.
 * The state's velocity is that of half a step before. */
static void slider_swings(void **state) {
    (void)state;
    tacModel *m;
    tacError err;
    if (tac_load("experiments/scenes/energies.xml", &m, &err) != TAC_OK) fail_msg("%s", err.text);
    const double h = 0.01, start = 0.5;
    const int joint = 2, q = m->joint_qpos_adr[joint], v = m->nq + m->joint_dof_adr[joint];
    double rate = sqrt(m->joint_stiffness[joint] / m->body_mass[3]), farthest = 0, fastest = 0;
    tacOptions options = options_of(m, h);
    tacSim *sim = simulate(m, &options);
    double *x = numbers((size_t)tac_nx(m));
    tac_default_state(m, x);
    x[q] = start, x[v] = 0.5 * h * rate * rate * start;
    for (int i = 0; i < 100; i++) { /* a second, of a period of two */
        CHECK_INT(tac_step(sim, x, NULL, x, NULL), TAC_OK);
        farthest = worse(farthest, -x[q]), fastest = worse(fastest, fabs(x[v]));
    }
    CHECK_NEAR(farthest, start, TOL_SLIDER);
    CHECK_NEAR(fastest, rate * start, TOL_SLIDER);
    free(x);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* --- Spheres ------------------------------------------------------------------------------------------------------ */

static double gap(World *w, int first, int second) {
    tacContact contact;
    CHECK_INT(tac_geom_distance(w->sim, w->x, NULL, first, second, &contact), TAC_OK);
    return contact.dist;
}

enum { FIXED, FLOATS, STANDS }; /* partner: in the world; free; free, on a floor */

/* A sphere of 0.5 m above or beside a partner; gravity or a push towards it. */
static World sphere_and(tacGeomType type, int partner_is, tacVec3 from, double g, tacNcpFriction friction) {
    static const double SIZE[3] = {0.5, 0.5, 0.5};
    World w = world_begin(0, 0.02);
    tacOptionDef option = tac_default_option();
    option.gravity = (tacVec3){0, 0, -g}, option.timestep = 0.02;
    tac_model_set_option(w.b, &option);
    tacGeomDef partner = world_geom(type, SIZE, 1, 0.5), ball = world_geom(TAC_GEOM_SPHERE, SIZE, 1, 0.5);
    tacGeomDef floor = world_geom(TAC_GEOM_PLANE, (double[3]){1, 1, 1}, 0, 0.5);
    floor.pos = (tacVec3){0, 0, -0.5}, floor.has_mass = 0;
    if (partner_is == STANDS) tac_model_add_geom(w.b, 0, &floor);
    if (partner_is == FIXED)
        tac_model_add_geom(w.b, 0, &partner);
    else
        world_add_body(&w, (tacVec3){0, 0, partner_is == STANDS ? 0.1 : 0}, &partner);
    world_add_body(&w, from, &ball);
    world_finish(&w, TAC_CONTACT_MODEL_NCP);
    w.options.ncp_friction = friction, w.options.inputs = TAC_INPUT_XFRC;
    world_start(&w);
    return w;
}

/* Two seconds of a push on the last body along an axis, 0 with gravity alone: pairs of geoms that follow each other
 * never overlap, and are in touch at the end. */
static void check_touch(World *w, int axis, double push) {
    double *u = numbers((size_t)tac_ninput(w->m, &w->options));
    u[6 * (w->m->nbody - 1) + axis] = -push;
    for (int i = 0; i < 100; i++) {
        CHECK_INT(tac_step(w->sim, w->x, u, w->x, NULL), TAC_OK);
        for (int g = 1; g < w->m->ngeom; g++)
            CHECK(gap(w, g - 1, g) >= 0);
    }
    for (int g = 1; g < w->m->ngeom; g++)
        CHECK_NEAR(gap(w, g - 1, g), 0, TOL_REST);
    free(u);
}

static void spheres_do_not_overlap(void **state) {
    (void)state;
    static const tacVec3 FROM[3] = {{1.2, 0, 0}, {0, 1.2, 0}, {0, 0, 1.2}};
    for (int friction = TAC_NCP_CONE; friction <= TAC_NCP_FRICTIONLESS; friction++) {
        for (int k = 0; k < 6; k++) { /* pushed along x, y, z to one that is fixed or floats */
            World w = sphere_and(TAC_GEOM_SPHERE, k % 2 ? FLOATS : FIXED, FROM[k / 2], 0, (tacNcpFriction)friction);
            check_touch(&w, k / 2, 5);
            world_end(&w);
        }
        for (int k = 0; k < 2; k++) { /* dropped on one that is fixed, or free and dropped itself on a floor */
            World w = sphere_and(TAC_GEOM_SPHERE, k ? STANDS : FIXED, FROM[2], 9.81, (tacNcpFriction)friction);
            check_touch(&w, 2, 0);
            world_end(&w);
        }
    }
}

static void sphere_on_capsule_and_box(void **state) {
    (void)state;
    static const tacGeomType TYPES[] = {TAC_GEOM_CAPSULE, TAC_GEOM_BOX};
    static const double HEIGHT[] = {1.5,
                                    1.0}; /* of its centre at rest: half a length and two radii; half a side and one */
    for (int k = 0; k < 2; k++) {
        World w = sphere_and(TYPES[k], FIXED, (tacVec3){0, 0, HEIGHT[k] + 0.3}, 9.81, TAC_NCP_CONE);
        double u[64] = {0};
        for (int i = 0; i < 100; i++) {
            CHECK_INT(tac_step(w.sim, w.x, u, w.x, NULL), TAC_OK);
            CHECK(gap(&w, 0, 1) > 0);
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
        joint.type = i < 2 ? TAC_JOINT_HINGE : TAC_JOINT_SLIDE;
        joint.axis = (tacVec3){i == 0, i == 1, i == 2 ? -1 : 0};
        if (i == 2) joint.limited = 1, joint.range[0] = 0, joint.range[1] = 2;
        tac_model_add_joint(b, bob, &joint);
    }
    tacModel *m;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    tacOptions options = options_of(m, 0.02);
    tacSim *sim = simulate(m, &options);
    double x[6] = {0.5, 0.2, 1.5, 1, 0.5, 2}, longest = 0;
    for (int i = 0; i < 300; i++) {
        CHECK_INT(tac_step(sim, x, NULL, x, NULL), TAC_OK);
        longest = worse(longest, x[2]);
    }
    CHECK(longest <= 2 && longest > 2 - TOL_REST);
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
            most = worse(most, p.before), turned = fmax(turned, fabs(x[0]));
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
        tacGeomDef ball = world_geom(TAC_GEOM_SPHERE, (double[3]){0.1, 0, 0}, 1, 0.5);
        tacGeomDef head = world_geom(TAC_GEOM_BOX, (double[3]){0.1, 0.2, 0.05}, 0.5, 0.5);
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
        world_finish(&w, TAC_CONTACT_MODEL_NCP);
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

/* --- Models and motions ------------------------------------------------------------------------------------------- */

/* A model of ours, where its first key has it, and controls. */
static tacSim *stand(const char *path, tacModel **m, double dt, double **x, double **u) {
    tacError err;
    if (tac_load(path, m, &err) != TAC_OK) fail_msg("%s", err.text);
    tacOptions options = options_of(*m, dt);
    *x = numbers((size_t)tac_nx(*m)), *u = numbers((size_t)(*m)->nu);
    tac_default_state(*m, *x);
    memcpy(*x, (*m)->key_qpos, (size_t)(*m)->nq * sizeof **x);
    memcpy(*x + (*m)->nq + (*m)->nv, (*m)->key_act, (size_t)(*m)->na * sizeof **x);
    memcpy(*u, (*m)->key_ctrl, (size_t)(*m)->nu * sizeof **u);
    return simulate(*m, &options);
}

/* Every model of ours runs for a second, its controls a tenth of their range off where its key has them. */
static void models_run(void **state) {
    (void)state;
    static const char *const NAMES[] = {
        "ant",       "atlas",     "box",    "cartpole",    "catapult", "double_cartpole", "double_pendulum",
        "finger",    "four_bar",  "hopper", "humanoid",    "jumpworm", "panda",           "pendulum",
        "quadrotor", "quadruped", "xarm6",  "half_cheetah"};
    for (size_t r = 0; r < sizeof NAMES / sizeof *NAMES; r++) {
        char path[64];
        tacModel *m;
        double *x, *u, moved = 0;
        tacDraw draw = {820 + r, 0};
        snprintf(path, sizeof path, "models/%s.xml", NAMES[r]);
        tacSim *sim = stand(path, &m, 0.01, &x, &u);
        for (int i = 0; i < m->nv; i++)
            x[m->nq + i] = 0.1 * draw_normal(&draw);
        for (int k = 0; k < 100; k++) {
            for (int i = 0; i < m->nu; i++) {
                const double *range = m->actuator_ctrlrange + 2 * i;
                double span = m->actuator_ctrllimited[i] ? range[1] - range[0] : 2;
                u[i] = m->key_ctrl[i] + 0.1 * span * draw_uniform(&draw, -1, 1);
            }
            tacStatus status = tac_step(sim, x, u, x, NULL);
            if (status != TAC_OK) print_error("%s, step %d: %s\n", path, k, tac_status_text(status));
            CHECK_INT(status, TAC_OK);
            for (int i = 0; i < m->nv; i++)
                moved = worse(moved, fabs(x[m->nq + i]));
        }
        CHECK(moved > 0 && isfinite(moved));
        free(x), free(u);
        tac_sim_free(sim);
        tac_model_free(m);
    }
}

/* A motion in contact is stored as its steps are, and a step's gradient is the same to the bit whether it is asked for
 * alone, again after another state's, or in a batch; the motion's is the product of its steps'. */
static void motions_are_their_steps(void **state) {
    (void)state;
    enum { STEPS = 20 };
    tacModel *m;
    double *x, *u;
    tacSim *sim = stand("models/quadruped.xml", &m, 0.01, &x, &u);
    tacOptions options = options_of(m, 0.01);
    size_t nx = (size_t)tac_nx(m), ndx = (size_t)tac_ndx(m), nu = (size_t)m->nu, row = nx * sizeof(double);
    double *X = numbers((STEPS + 1) * nx), *U = numbers(STEPS * nu), *A[2], *B[2], *bar = numbers(ndx),
           *y = numbers(nx);
    double *next = numbers(ndx), *grad = numbers(ndx), *many = numbers(STEPS * ndx * ndx);
    tacStepInfo info;
    for (int k = 0; k < STEPS; k++)
        memcpy(U + (size_t)k * nu, u, nu * sizeof *u);
    for (int i = 0; i < 2; i++)
        A[i] = numbers(ndx * ndx), B[i] = numbers(ndx * nu);
    for (size_t i = 0; i < ndx; i++)
        bar[i] = sin(i + 1.0);
    CHECK_INT(tac_rollout(sim, x, U, STEPS, X, &info), TAC_OK);
    CHECK(info.contacts > 0);
    tacCheckpoints memory = {.bytes = tac_rollout_vjp_bytes(m, STEPS, 0)};
    memory.memory = aligned_alloc(64, memory.bytes);
    CHECK_INT(tac_rollout_vjp(sim, &(tacTrajectory){STEPS, x, U, X, NULL, bar}, &memory, &(tacGrad){.x = grad}, NULL),
              TAC_OK);
    CHECK_INT(tac_batch_step_jac(m, &options, STEPS, X, U, NULL, &(tacJac){.A = many}, 2), TAC_OK);
    for (int k = STEPS - 1; k >= 0; k--) {
        const double *from = X + (size_t)k * nx;
        CHECK_INT(tac_step(sim, from, u, y, NULL), TAC_OK);
        CHECK(memcmp(y, from + nx, row) == 0);
        for (int i = 0; i < 2; i++) {
            CHECK_INT(tac_step_jac(sim, from, u, y, &(tacJac){.A = A[i], .B = B[i]}, NULL), TAC_OK);
            CHECK(memcmp(y, from + nx, row) == 0);
            if (i == 0) CHECK_INT(tac_step_jac(sim, X, u, NULL, &(tacJac){.A = A[1], .B = B[1]}, NULL), TAC_OK);
        }
        CHECK(memcmp(A[0], A[1], ndx * ndx * sizeof *bar) == 0 && memcmp(B[0], B[1], ndx * nu * sizeof *bar) == 0);
        CHECK(memcmp(A[0], many + (size_t)k * ndx * ndx, ndx * ndx * sizeof *bar) == 0);
        memset(next, 0, ndx * sizeof *next);
        for (size_t i = 0; i < ndx; i++)
            for (size_t j = 0; j < ndx; j++)
                next[j] += bar[i] * A[0][i * ndx + j];
        memcpy(bar, next, ndx * sizeof *bar);
    }
    CHECK(fabs(bar[2]) > 1e-6);
    CHECK_ARRAY((int)ndx, grad, bar, TOL_SAME);
    for (int i = 0; i < 2; i++)
        free(A[i]), free(B[i]);
    free(x), free(u), free(X), free(U), free(bar), free(y), free(next), free(grad), free(many), free(memory.memory);
    tac_sim_free(sim);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_of_joint_types),
        cmocka_unit_test(momentum_of_robots),
        cmocka_unit_test(momentum_of_a_pendulum),
        cmocka_unit_test(energy_of_joint_types),
        cmocka_unit_test(energy_of_robots),
        cmocka_unit_test(slider_swings),
        cmocka_unit_test(spheres_do_not_overlap),
        cmocka_unit_test(sphere_on_capsule_and_box),
        cmocka_unit_test(string_has_its_length),
        cmocka_unit_test(four_bar_stays_closed),
        cmocka_unit_test(welded_bodies_are_one),
        cmocka_unit_test(force_is_an_impulse),
        cmocka_unit_test(models_run),
        cmocka_unit_test(motions_are_their_steps),
    };
    return cmocka_run_group_tests_name("dojo_list", tests, NULL, NULL);
}
