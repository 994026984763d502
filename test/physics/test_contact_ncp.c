/* What the variational integrator keeps, and problems of contact and friction with known answers, contact model ncp. */
#include "contact/ncp/bodies.h"
#include "step/sim.h"
#include "tactus/io.h"

#include "dynamics/robots.h"
#include "physics/contact_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT        0.785398163397448 /* pi/4 */
#define TOL_SOLVER   1e-12             /* of steps whose momentum is compared */
#define TOL_MOMENTUM 1e-8
#define TOL_YIELD    2e-4 /* m/s: overlap is not deep without end */
#define TOL_SOFT     1e-6 /* kappa = 1e-8 keeps bodies some 1e-7 m apart and lets them creep by 1e-6 m/s */

typedef struct Thing {
    tacGeomType type;
    double size[3], mass, z;
} Thing;

static World simulate(tacModel *m, double h, double tolerance) {
    World w = world_of(m, TAC_CONTACT_MODEL_NCP);
    w.options.dt = h;
    if (tolerance > 0) w.options.ncp_tolerance = tolerance;
    world_start(&w);
    return w;
}

/* Free things above each other on a plane (none for mu < 0), friction mu, slope theta downhill along x. */
static World build(int n, const Thing *things, double mu, double theta, double h) {
    World w = world_begin(theta, h);
    if (mu >= 0) world_add_plane(&w, 0, mu);
    for (int i = 0; i < n; i++) {
        tacGeomDef geom = world_geom(things[i].type, things[i].size, things[i].mass, fmax(mu, 0));
        world_add_body(&w, (tacVec3){0, 0, things[i].z}, &geom);
    }
    world_finish(&w, TAC_CONTACT_MODEL_NCP);
    world_start(&w);
    return w;
}

/* Rounding of places times mass over time is no residual that a step could do without: a block of a thousand tons
 * rests, and a box ten kilometres away. */
static void heavy_and_far_boxes_rest(void **state) {
    (void)state;
    static const struct {
        Thing box;
        double h, x;
    } CASES[] = {{{TAC_GEOM_BOX, {2, 1, 1}, 1e6, 1.001}, 1e-3, 0},
                 {{TAC_GEOM_BOX, {2, 1, 1}, 1e6, 1.001}, 1e-2, 0},
                 {{TAC_GEOM_BOX, {0.1, 0.1, 0.1}, 1, 0.1001}, 1e-3, 1e4}};
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        World w = build(1, &CASES[k].box, 0.5, 0, CASES[k].h);
        w.x[0] = CASES[k].x;
        world_run(&w, 200);
        CHECK_NEAR(w.x[2], CASES[k].box.size[2], 1e-5);
        world_end(&w);
    }
}

/* --- What is kept ------------------------------------------------------------------------------------------------- */

/* Momentum of all bodies between q (-) h v and q: linear, and angular about the world's origin, at zero gravity. */
static tacVec6 momentum(World *w, double h) {
    tacNcp p;
    tacVec6 sum = {{0, 0, 0}, {0, 0, 0}};
    size_t mark = tac_arena_mark(&w->sim->ctx.arena);
    CHECK(tac_ncp_layout(&p, w->m, 0, TAC_NCP_FEATURES, &w->sim->ctx.arena));
    tac_kinematics_q(w->m, &w->sim->ctx.work, w->x, NULL);
    p.w = &w->sim->ctx.work, p.q = w->x, p.v = w->x + w->m->nq, p.h = h;
    tac_ncp_begin_bodies(&p);
    for (int b = 1; b < w->m->nbody; b++) {
        tacVec3 about = tac_cross3(p.w->xipos[b], p.before[b].lin);
        sum = tac_add6(sum, (tacVec6){tac_add3(p.before[b].ang, about), p.before[b].lin});
    }
    tac_arena_release(&w->sim->ctx.arena, mark);
    return sum;
}

/* A floating tree with all kinds of joints: springs and dampers act inside, nothing outside. */
static void momentum_is_kept(void **state) {
    (void)state;
    const double h = 0.01;
    for (uint64_t seed = 0; seed < 5; seed++) {
        tacModel *m = robot_drifter();
        for (int j = 1; j < m->njnt; j++)
            m->joint_stiffness[j] = 5;
        for (int i = 6; i < m->nv; i++)
            m->dof_damping[i] = 0.1;
        World w = simulate(m, h, TOL_SOLVER);
        robot_state(m, w.x, seed);
        tacVec6 before = momentum(&w, h);
        CHECK(tac_norm3(before.lin) > 0.1 && tac_norm3(before.ang) > 0.1);
        world_run(&w, 500);
        tacVec6 after = momentum(&w, h);
        CHECK_ARRAY(6, &after.ang.x, &before.ang.x, TOL_MOMENTUM);
        world_end(&w);
    }
}

/* Two free bodies of different masses hit each other off their centres, and slide on each other: impulses on both act
 * at one place. */
static void momentum_is_kept_in_contact(void **state) {
    (void)state;
    static const Thing BALL = {TAC_GEOM_SPHERE, {0.1}, 1, 0}, BOX = {TAC_GEOM_BOX, {0.1, 0.12, 0.08}, 3, 0.1};
    static const double STEPS[] = {0.001, 0.01, 0.05};
    for (size_t k = 0; k < sizeof STEPS / sizeof *STEPS; k++)
        for (int boxes = 0; boxes < 2; boxes++) {
            const Thing things[2] = {boxes ? BOX : BALL, BOX};
            World w = world_begin(0, STEPS[k]);
            for (int i = 0; i < 2; i++) {
                tacGeomDef geom = world_geom(things[i].type, things[i].size, things[i].mass, 0.5);
                world_add_body(&w, (tacVec3){i ? 0.4 : 0, i ? 0.1 : 0, i ? 0.05 : 0}, &geom);
            }
            world_finish(&w, TAC_CONTACT_MODEL_NCP);
            *w.m->option_gravity = (tacVec3){0, 0, 0};
            w.options.ncp_tolerance = 1e-11;
            world_start(&w);
            double *v = w.x + w.m->nq;
            v[0] = 1, v[4] = 1, v[6] = -1, v[11] = 0.5;
            tacVec6 before = momentum(&w, STEPS[k]);
            double touched = 0;
            for (int i = 0; i < (int)(0.3 / STEPS[k]); i++) {
                world_run(&w, 1);
                touched = fmax(touched, w.info.contacts);
            }
            tacVec6 after = momentum(&w, STEPS[k]);
            CHECK(touched > 0 && fabs(v[0] - 1) > 0.1 && tac_norm3(before.ang) > 0.1);
            CHECK_ARRAY(6, &after.ang.x, &before.ang.x, TOL_MOMENTUM);
            world_end(&w);
        }
}

/* A ball rolls on a plate that lies free on the ground, whatever its mass: its weight has no moment about where it
 * touches, and the plate stays. */
static void a_ball_rolls_on_a_free_plate(void **state) {
    (void)state;
    static const double MASSES[] = {0.1, 1, 100}, STEPS[] = {0.002, 0.01};
    const double r = 0.05, speed = 1, ball_size[3] = {0.05}, plate_size[3] = {2, 1, 0.02};
    for (int k = 0; k < 6; k++) {
        World w = world_begin(0, STEPS[k % 2]);
        world_add_plane(&w, 0, 0.8);
        tacGeomDef plate = world_geom(TAC_GEOM_BOX, plate_size, MASSES[k / 2], 0.8);
        tacGeomDef ball = world_geom(TAC_GEOM_SPHERE, ball_size, 1, 0.8);
        world_add_body(&w, (tacVec3){0, 0, 0.02}, &plate);
        world_add_body(&w, (tacVec3){-1, 0, 0.04 + r}, &ball);
        world_finish(&w, TAC_CONTACT_MODEL_NCP);
        world_start(&w);
        double *v = w.x + w.m->nq;
        v[6] = speed, v[10] = speed / r;
        world_run(&w, (int)(1 / STEPS[k % 2]));
        print_message("plate of %g kg, dt %g: %.6f m/s\n", MASSES[k / 2], STEPS[k % 2], v[6]);
        CHECK_NEAR(v[6], speed, MASSES[k / 2] > 10 ? 2e-2 : 1e-3); /* kappa's unit is a mean over bodies (W8) */
        CHECK_NEAR(v[0], 0, 1e-6);
        world_end(&w);
    }
}

/* A hand that floats, spins and holds a bar firmly: it keeps its momentum and gains no energy, at any time step. */
static void a_grip_gains_nothing(void **state) {
    (void)state;
    static const double STEPS[] = {0.001, 0.005, 0.01, 0.05}, GRIP = 50;
    for (size_t k = 0; k < sizeof STEPS / sizeof *STEPS; k++) {
        tacModel *m;
        tacError err;
        tacEnergy energy;
        double first = 0, u[2] = {-GRIP, GRIP};
        if (tac_load("test/data/gripper.xml", &m, &err) != TAC_OK) fail_msg("%s", err.text);
        World w = simulate(m, STEPS[k], TOL_SOLVER);
        tac_default_state(m, w.x);
        w.x[m->nq + 5] = 3;
        tacVec6 before = momentum(&w, STEPS[k]);
        for (int i = 0; i < (int)(2 / STEPS[k]); i++) {
            CHECK_INT(tac_step(w.sim, w.x, u, w.x, NULL), TAC_OK);
            CHECK_INT(tac_energy(w.sim, w.x, w.x + m->nq, &energy), TAC_OK);
            if ((i + 1) * STEPS[k] > 0.2 && first == 0) first = energy.kinetic; /* the fingers have closed */
        }
        tacVec6 after = momentum(&w, STEPS[k]);
        print_message("dt %g: %.6f J when closed, %.6f at the end\n", STEPS[k], first, energy.kinetic);
        CHECK_ARRAY(6, &after.ang.x, &before.ang.x, 10 * TOL_MOMENTUM);
        CHECK(first > 1e-3 && energy.kinetic <= 1.001 * first && energy.kinetic > 0.9 * first);
        world_end(&w);
    }
}

/* A free body under gravity: the parabola of the midpoints, x_n = x_0 + n h v_0 - g h^2 n (n + 1)/2, to rounding. */
static void free_fall(void **state) {
    (void)state;
    const Thing box = {TAC_GEOM_BOX, {0.1, 0.2, 0.3}, 2, 0};
    const double h = 0.05;
    World w = build(1, &box, -1, 0, h);
    double *v = w.x + w.m->nq;
    v[0] = 1, v[2] = 3, v[3] = 4, v[4] = -2, v[5] = 1;
    world_run(&w, 40);
    CHECK_NEAR(w.x[0], 40 * h, 1e-9);
    CHECK_NEAR(w.x[2], 40 * h * 3 - WORLD_GRAVITY * h * h * 40 * 41 / 2, 1e-9);
    world_end(&w);
}

static tacModel *pendulum(double low, double high) {
    tacBuilder *b = tac_model_begin();
    for (int i = 0, parent = 0; i < 2; i++) {
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        tacGeomDef geom = tac_default_geom();
        body.pos.z = i ? -0.5 : 0;
        parent = tac_model_add_body(b, parent, &body);
        joint.type = TAC_JOINT_HINGE, joint.axis = (tacVec3){i, 1, 0};
        if (i == 0 && low < high) joint.limited = 1, joint.range[0] = low, joint.range[1] = high;
        tac_model_add_joint(b, parent, &joint);
        geom.type = TAC_GEOM_CAPSULE, geom.pos.z = -0.25, geom.size[0] = 0.05, geom.size[1] = 0.2;
        geom.has_mass = 1, geom.mass = 1, geom.contype = 0, geom.conaffinity = 0;
        tac_model_add_geom(b, parent, &geom);
        if (low < high) break; /* one link */
    }
    tacModel *m;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    return m;
}

/* The energy of a double pendulum sways with the step and goes nowhere. */
static void energy_has_no_trend(void **state) {
    (void)state;
    World w = simulate(pendulum(0, 0), 0.005, TOL_SOLVER);
    double mean[2] = {0, 0}, first = 0, most = 0;
    enum { STEPS = 20000, PART = 4000 };
    w.x[0] = 1.5, w.x[1] = -0.7;
    for (int k = 0; k < STEPS; k++) {
        tacEnergy e;
        world_run(&w, 1);
        CHECK_INT(tac_energy(w.sim, w.x, w.x + w.m->nq, &e), TAC_OK);
        double total = e.kinetic + e.potential;
        if (k == 0) first = total;
        most = fmax(most, fabs(total - first));
        if (k < PART) mean[0] += total / PART;
        if (k >= STEPS - PART) mean[1] += total / PART;
    }
    CHECK(most > 1e-4);
    CHECK_LT(most, 0.5);
    CHECK_NEAR(mean[1], mean[0], 0.01);
    world_end(&w);
}

/* A pendulum falls onto its limit and stays there. */
static void rests_on_its_limit(void **state) {
    (void)state;
    World w = simulate(pendulum(LIMIT, 2), 0.01, 0);
    w.x[0] = 1.5;
    world_run(&w, 200);
    CHECK_NEAR(w.x[0], LIMIT, 1e-5);
    CHECK(w.x[0] >= LIMIT);
    CHECK_NEAR(w.x[w.m->nq], 0, TOL_SOFT);
    world_end(&w);
}

/* --- Contact ------------------------------------------------------------------------------------------------------ */

/* Least height of a cube's corners. */
static double lowest_corner(const double *x, double half) {
    tacMat3 R = tac_quat_mat(tac_quat_load(x + 3));
    return x[2] - half * (fabs(R.m[6]) + fabs(R.m[7]) + fabs(R.m[8]));
}

/* Contact forces as outputs: the weight, upwards, without a torque. */
static void carries_its_weight(World *w) {
    const tacOutput list[2] = {{TAC_OUT_CONTACT_FORCE, 1}, {TAC_OUT_QFRC_CONSTRAINT, 2}};
    double z[7];
    CHECK_INT(tac_outputs(w->sim, w->x, NULL, &(tacOutputs){2, list}, z), TAC_OK);
    CHECK_ARRAY(7, z, ((double[7]){0, 0, 0, 0, 0, WORLD_GRAVITY, WORLD_GRAVITY}), 1e-4);
}

/* Dojo's box toss: comes to rest on a face at four rates, and never goes through. */
static void box_comes_to_rest(void **state) {
    (void)state;
    static const double H[4] = {0.1, 0.05, 0.01, 0.005};
    for (int k = 0; k < 4; k++) {
        const Thing box = {TAC_GEOM_BOX, {0.25, 0.25, 0.25}, 1, 1.25};
        World w = build(1, &box, 0.1, 0, H[k]);
        memcpy(w.x + w.m->nq, (double[6]){1, 0.3, 0.2, 2.5, -1, 2}, 6 * sizeof(double));
        for (int i = 0; i < (int)(5 / H[k]); i++) {
            world_run(&w, 1);
            CHECK(lowest_corner(w.x, 0.25) >= 0);
        }
        for (int i = 0; i < 6; i++)
            CHECK_NEAR(w.x[w.m->nq + i], 0, TOL_SOFT);
        CHECK_NEAR(w.x[2], 0.25, TOL_SOFT);
        CHECK_INT(w.info.contacts, 4);
        carries_its_weight(&w);
        world_end(&w);
    }
}

static const Thing BLOCK = {TAC_GEOM_BOX, {0.1, 0.1, 0.05}, 1, 0.05}, BALL = {TAC_GEOM_SPHERE, {0.1, 0, 0}, 1, 0.1};

/* The exact cone: whatever its direction, a block slides straight and loses mu g h of speed a step. */
static void block_slides_straight(void **state) {
    (void)state;
    const double h = 0.01, mu = 0.25, v0 = 1, angle = 0.3;
    World w = build(1, &BLOCK, mu, 0, h);
    double *v = w.x + w.m->nq;
    v[0] = v0 * cos(angle), v[1] = v0 * sin(angle);
    world_run(&w, 20);
    CHECK_INT(w.info.sliding, 4);
    CHECK_NEAR(hypot(v[0], v[1]), v0 - 20 * mu * WORLD_GRAVITY * h, 1e-5);
    world_run(&w, 60);
    CHECK_NEAR(-sin(angle) * w.x[0] + cos(angle) * w.x[1], 0, TOL_SOFT);
    CHECK_NEAR(hypot(v[0], v[1]), 0, 1e-5);
    CHECK_INT(w.info.sticking, 4);
    world_end(&w);
}

static World block_with(tacNcpFriction friction, double mu, double h, double vx, double vy) {
    World w = build(1, &BLOCK, mu, 0, h);
    tac_sim_free(w.sim);
    w.options.ncp_friction = friction;
    world_start(&w);
    w.x[w.m->nq] = vx, w.x[w.m->nq + 1] = vy;
    return w;
}

/* The pyramid |xi_1| + |xi_2| <= mu gamma: all of mu g along a tangent, 1/sqrt 2 of it between two of them, and a path
 * between these bends towards the nearer tangent, across which it does not slow down. */
static void pyramid_has_edges(void **state) {
    (void)state;
    const double h = 0.01, mu = 0.25, v0 = 1, loss = 20 * mu * WORLD_GRAVITY * h;
    World w = block_with(TAC_NCP_PYRAMID, mu, h, v0, 0);
    double *v = w.x + w.m->nq;
    world_run(&w, 20);
    CHECK_INT(w.info.sliding, 4);
    CHECK_NEAR(v[0], v0 - loss, 1e-4);
    CHECK_NEAR(v[1], 0, 1e-5);
    world_run(&w, 60);
    CHECK_NEAR(v[0], 0, 1e-4);
    world_end(&w);
    w = block_with(TAC_NCP_PYRAMID, mu, h, v0 * sqrt(0.5), v0 * sqrt(0.5));
    world_run(&w, 20);
    CHECK_NEAR(hypot(w.x[w.m->nq], w.x[w.m->nq + 1]), v0 - loss * sqrt(0.5), 1e-4);
    CHECK_NEAR(w.x[w.m->nq], w.x[w.m->nq + 1], 1e-5);
    world_end(&w);
    w = block_with(TAC_NCP_PYRAMID, mu, h, v0 * cos(0.3), v0 * sin(0.3));
    world_run(&w, 20);
    CHECK_NEAR(w.x[w.m->nq], v0 * cos(0.3) - loss, 1e-4);
    CHECK_NEAR(w.x[w.m->nq + 1], v0 * sin(0.3), 1e-4);
    world_end(&w);
}

/* Impact alone: nothing slows a block down that slides, and it still stands on the floor. */
static void impact_alone_has_no_friction(void **state) {
    (void)state;
    World w = block_with(TAC_NCP_FRICTIONLESS, 0.25, 0.01, 0.8, 0.6);
    double height = w.x[2];
    world_run(&w, 100);
    CHECK_NEAR(w.x[w.m->nq], 0.8, 1e-9);
    CHECK_NEAR(w.x[w.m->nq + 1], 0.6, 1e-9);
    CHECK_NEAR(w.x[2], height, TOL_SOFT);
    CHECK_INT(w.info.contacts, 4);
    CHECK_INT(w.info.sliding + w.info.sticking, 0);
    world_end(&w);
}

/* Holds below the angle of friction, slides above: a = g (sin - mu cos). */
static void angle_of_friction(void **state) {
    (void)state;
    const double h = 0.01, mu = 0.5;
    World w = build(1, &BLOCK, mu, atan(mu) - 0.01, h);
    world_run(&w, 100);
    CHECK_LT(w.x[w.m->nq], 1e-4);
    world_end(&w);
    double theta = atan(mu) + 0.05;
    w = build(1, &BLOCK, mu, theta, h);
    world_run(&w, 100);
    CHECK_NEAR(w.x[w.m->nq], WORLD_GRAVITY * (sin(theta) - mu * cos(theta)) * 100 * h, 1e-4);
    world_end(&w);
}

/* v = 5 v0/7 once it rolls: slip is that of the material point. */
static void ball_slides_then_rolls(void **state) {
    (void)state;
    World w = build(1, &BALL, 0.3, 0, 0.005);
    w.x[w.m->nq] = 1;
    world_run(&w, 100);
    CHECK_NEAR(w.x[w.m->nq], 5.0 / 7, 1e-3);
    CHECK_NEAR(w.x[w.m->nq + 4], w.x[w.m->nq] / BALL.size[0], 1e-4);
    world_end(&w);
}

/* Contact between bodies: three boxes stay where they are put, and a ball that falls on them comes to rest. */
static void stack_stands(void **state) {
    (void)state;
    const Thing stack[4] = {{TAC_GEOM_BOX, {0.1, 0.1, 0.05}, 1, 0.05},
                            {TAC_GEOM_BOX, {0.1, 0.1, 0.05}, 2, 0.15},
                            {TAC_GEOM_BOX, {0.1, 0.1, 0.05}, 0.5, 0.25},
                            {TAC_GEOM_SPHERE, {0.1, 0, 0}, 1, 0.5}};
    World w = build(4, stack, 0.5, 0, 0.01);
    world_run(&w, 200);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(w.x[7 * i], 0, 1e-4);
        CHECK_NEAR(w.x[7 * i + 2], i < 3 ? stack[i].z : 0.4, 1e-5);
    }
    world_end(&w);
}

/* A can on another, or on a table, a little or far off its middle: every step is solved, and it stands wherever its
 * centre is above what holds it. Beyond the edge of the table it falls. */
static void cans_stand(void **state) {
    (void)state;
    static const double STEPS[] = {0.002, 0.01, 0.05},
                        PLACES[][2] = {{1e-4, 0},     {1e-3, 2e-4}, {0.002, 0}, {0.002, 0.001},
                                       {0.01, 0.004}, {0.02, 0.01}, {0.04, 0}};
    const Thing cans[2] = {{TAC_GEOM_CYLINDER, {0.05, 0.1, 0}, 1, 0.1}, {TAC_GEOM_CYLINDER, {0.05, 0.1, 0}, 1, 0.3}};
    const Thing table[2] = {{TAC_GEOM_BOX, {0.2, 0.2, 0.1}, 5, 0.1}, {TAC_GEOM_CYLINDER, {0.05, 0.1, 0}, 1, 0.3}};
    for (int k = 0; k < 3 * 7 * 2; k++) {
        const double *place = PLACES[k / 3 % 7];
        int on_table = k >= 3 * 7;
        World w = build(2, on_table ? table : cans, 0.5, 0, STEPS[k % 3]);
        w.x[7] = on_table ? 0.195 - place[0] : place[0], w.x[8] = place[1];
        double x = w.x[7];
        world_run(&w, 200);
        CHECK_NEAR(w.x[7], x, 1e-5);
        CHECK_NEAR(w.x[8], place[1], 1e-5);
        CHECK_NEAR(w.x[9], 0.3, TOL_SOFT);
        world_end(&w);
    }
    World w = build(2, table, 0.5, 0, 0.005);
    w.x[7] = 0.21;
    world_run(&w, 100);
    CHECK(w.x[9] < 0.25);
    world_end(&w);
}

/* A block that is given overlapping the plane comes out slowly, with a status of success. */
static void overlap_goes_away(void **state) {
    (void)state;
    World w = build(1, &BLOCK, 0.5, 0, 0.01);
    w.x[2] -= 0.02;
    world_run(&w, 5);
    CHECK(w.x[2] < 0.04);
    CHECK_LT(w.x[w.m->nq + 2], TAC_NCP_CORRECTION + 1e-3);
    world_run(&w, 100);
    CHECK_NEAR(w.x[2], BLOCK.z, TOL_SOFT);
    world_end(&w);
}

/* A ball that is given overlapping rises at v - Y g, as it gives way to its weight   (W48). */
static void overlap_gives_way(void **state) {
    (void)state;
    const Thing ball = {TAC_GEOM_SPHERE, {0.1, 0, 0}, 2, 0.07};
    World w = build(1, &ball, 0.5, 0, 0.01);
    world_run(&w, 10);
    CHECK_NEAR(world_velocity(&w)[2], TAC_NCP_CORRECTION - TAC_NCP_YIELD * WORLD_GRAVITY, TOL_YIELD);
    world_end(&w);
}

/* Between two planes that leave it no room a ball stays, but for what its weight presses it in by: both push by more
 * than it weighs, and neither lets go   (W47). */
static void wedged_ball_stays(void **state) {
    (void)state;
    const double size[3] = {0.1, 0, 0};
    World w = world_begin(0, 0.01);
    world_add_plane(&w, 0, 0.5), world_add_plane(&w, 4 * LIMIT, 0.5);
    tacGeomDef ball = world_geom(TAC_GEOM_SPHERE, size, 2, 0.5);
    world_add_body(&w, (tacVec3){0, 0, 0.001}, &ball);
    world_finish(&w, TAC_CONTACT_MODEL_NCP);
    world_start(&w);
    world_run(&w, 10);
    CHECK_INT(w.info.contacts, 2);
    CHECK_NEAR(world_velocity(&w)[2], 0, TAC_YIELD_BEYOND * TAC_NCP_CORRECTION);
    world_end(&w);
}

/* --- Calls -------------------------------------------------------------------------------------------------------- */

static void scratch_changes_nothing(void **state) {
    (void)state;
    const Thing box = {TAC_GEOM_BOX, {0.25, 0.25, 0.25}, 1, 0.3};
    World w = build(1, &box, 0.5, 0, 0.05);
    double one[13], two[13];
    memcpy(w.x + w.m->nq, (double[6]){1, 0.3, -1, 2.5, -1, 2}, 6 * sizeof(double));
    CHECK_INT(tac_step(w.sim, w.x, NULL, one, &w.info), TAC_OK);
    CHECK(w.info.contacts > 0 && w.info.iterations > 2);
    tac_sim_poison(w.sim);
    CHECK_INT(tac_step(w.sim, w.x, NULL, two, NULL), TAC_OK);
    CHECK(memcmp(one, two, sizeof one) == 0);
    world_end(&w);
}

static void bad_options_are_refused(void **state) {
    (void)state;
    World w = build(1, &BLOCK, 0.5, 0, 0.01);
    tacOptions options = w.sim->ctx.options;
    tacSim *sim;
    tacError err;
    options.ncp_kappa = 1e-13;
    CHECK_INT(tac_sim_new(w.m, &options, &sim, &err), TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "ncp_kappa");
    options.ncp_kappa = -1;
    CHECK_INT(tac_sim_new(w.m, &options, &sim, &err), TAC_ERR_ARGUMENT);
    options = w.sim->ctx.options, options.ncp_tolerance = 0;
    CHECK_INT(tac_sim_new(w.m, &options, &sim, &err), TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "ncp_tolerance");
    options = w.sim->ctx.options, options.ncp_iterations = 0;
    CHECK_INT(tac_sim_new(w.m, &options, &sim, &err), TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "ncp_iterations");
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(momentum_is_kept_in_contact),
        cmocka_unit_test(a_grip_gains_nothing),
        cmocka_unit_test(a_ball_rolls_on_a_free_plate),
        cmocka_unit_test(free_fall),
        cmocka_unit_test(heavy_and_far_boxes_rest),
        cmocka_unit_test(energy_has_no_trend),
        cmocka_unit_test(rests_on_its_limit),
        cmocka_unit_test(box_comes_to_rest),
        cmocka_unit_test(block_slides_straight),
        cmocka_unit_test(pyramid_has_edges),
        cmocka_unit_test(impact_alone_has_no_friction),
        cmocka_unit_test(angle_of_friction),
        cmocka_unit_test(ball_slides_then_rolls),
        cmocka_unit_test(stack_stands),
        cmocka_unit_test(cans_stand),
        cmocka_unit_test(overlap_goes_away),
        cmocka_unit_test(overlap_gives_way),
        cmocka_unit_test(wedged_ball_stays),
        cmocka_unit_test(scratch_changes_nothing),
        cmocka_unit_test(bad_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
