/* Steps that stop at impacts: nothing overlaps, nothing passes through, and derivatives go through the times of
 * impact. */
#include "contact/lcp/problem.h"
#include "physics/bounce_world.h"
#include "step/sim.h"

#include <math.h>
#include <string.h>

#define GRAVITY 9.81
/* What may overlap at the end of a step, m. */
#define TOL_OVERLAP 1e-9
/* Compliance: a millionth of the impulse; and surfaces stop a micrometre from each other. */
#define TOL_IMPACT 3e-6
/* Against extrapolated differences. */
#define TOL_GRADIENT 1e-5
/* Steps that leave a pressed contact within its room: 1e-8 m; differences have as many digits less. */
#define ROCKING_STEP 1e-7
#define TOL_ROCKING  1e-6
/* And within one piece of its return. */
#define RETURN_STEP 2e-8
#define TOL_REVERSE 1e-10

static const double STEP = 1e-5;
static const Thing BALL = {TAC_GEOM_SPHERE, {0.1, 0, 0}, 1, {0, 0, 0.105}, 0.5};

static tacOptions stop(tacOptions options) {
    options.toi = 1;
    return options;
}

/* Least distance of any pair. */
static double least_distance(World *w) {
    tacContact contact;
    double least = 1;
    for (int a = 0; a < w->m->ngeom; a++)
        for (int b = a + 1; b < w->m->ngeom; b++)
            if (tac_geom_distance(w->sim, w->x, NULL, a, b, &contact) == TAC_OK) least = fmin(least, contact.dist);
    return least;
}

/* In one dimension inactives: p+ = -e (h - t) v, exactly. */
static void one_bounce(void **state) {
    (void)state;
    const double h = 0.01, v = -1.2, e = BALL.restitution;
    double A[144];
    World w = bounce_world(1, &BALL, (WorldSetup){0, h, 0, 0, 0, stop});
    w.x[w.m->nq + 2] = v;
    CHECK_INT(tac_step_jac(w.sim, w.x, NULL, NULL, &(tacJac){A, NULL, NULL}, NULL), TAC_OK);
    CHECK_NEAR(A[2 * 12 + 2], -e, TOL_IMPACT);
    CHECK_NEAR(A[2 * 12 + 8], -e * h, TOL_IMPACT);
    CHECK_NEAR(A[8 * 12 + 2], 0, TOL_IMPACT);
    CHECK_NEAR(A[8 * 12 + 8], -e, TOL_IMPACT);
    world_run(&w, 1);
    CHECK_INT(w.info.impacts, 1);
    CHECK_NEAR(w.info.impact_time, 0.005 / 1.2, TOL_IMPACT);
    CHECK_NEAR(w.x[2] - 0.1, -e * (h - 0.005 / 1.2) * v, TOL_IMPACT);
    CHECK_NEAR(w.x[w.m->nq + 2], -e * v, TOL_IMPACT);
    CHECK_LT(bounce_world_reverse(&w), TOL_REVERSE);
    world_end(&w);
}

/* Apexes e^(2k) h0, to a small part of what a step falls. */
static void apexes_of_a_ball(void **state) {
    (void)state;
    double error[2] = {0, 0};
    const double drop = 1, e = 0.8;
    for (int fine = 0; fine < 2; fine++) {
        Thing ball = BALL;
        ball.restitution = e, ball.pos.z = 0.1 + drop;
        World w = bounce_world(1, &ball, (WorldSetup){GRAVITY, fine ? 1e-4 : 1e-3, 0, 0, 0, stop});
        double before = -1, apex = drop;
        for (int k = 0; k < 4;) {
            world_run(&w, 1);
            double v = w.x[w.m->nq + 2];
            if (before > 0 && v <= 0) {
                apex *= e * e, k++;
                error[fine] = fmax(error[fine], fabs(w.x[2] - 0.1 - apex) / apex);
            }
            before = v;
        }
        world_end(&w);
    }
    print_message("apexes: relative error %.1e at 1 ms, %.1e at 0.1 ms\n", error[0], error[1]);
    CHECK_LT(error[0], 1e-4);
    CHECK_LT(error[1], 1e-4);
}

/* A ball that falls from h0 rests after sqrt(2 h0/g) (1 + e)/(1 - e): the time, and its derivative with respect to e,
 * from height z, velocity v and their derivatives some bounces later. The last one had the speed u, u^2 = v^2 + 2 g z,
 * and was (u - v)/g ago; the bounces after it take 2 u/(g (1 - e)). The state has the velocity of half a step
 * before. */
static double rest_time(double h, double drop, double e, double *by_e) {
    enum { BOUNCES = 4, DX = 12 };
    Thing ball = BALL;
    ball.restitution = e, ball.pos.z = 0.1 + drop;
    World w = bounce_world(1, &ball, (WorldSetup){GRAVITY, h, 0, 0, 1, stop});
    int np = w.m->nparam, column = 1, steps = 0; /* parameter 0 is the floor's restitution, 1 the ball's */
    double A[DX * DX], P[DX * 8], S[DX] = {0}, T[DX], *x = w.x;
    CHECK(np <= 8);
    for (int bounces = 0; bounces < BOUNCES; steps++) {
        CHECK_INT(tac_step_jac(w.sim, x, NULL, x, &(tacJac){A, NULL, P}, &w.info), TAC_OK);
        bounces += w.info.impacts;
        for (int i = 0; i < DX; i++) {
            T[i] = P[i * np + column];
            for (int k = 0; k < DX; k++)
                T[i] += A[i * DX + k] * S[k];
        }
        memcpy(S, T, sizeof S);
    }
    double z = x[2] - 0.1, v = x[w.m->nq + 2] - GRAVITY * h / 2, u = sqrt(v * v + 2 * GRAVITY * z);
    double du = (v * S[8] + GRAVITY * S[2]) / u, tail = 2 / (GRAVITY * (1 - e));
    *by_e = -(du - S[8]) / GRAVITY + tail * du + tail * u / (1 - e);
    world_end(&w);
    return h * steps - (u - v) / GRAVITY + tail * u;
}

static void rest_gradient(void **state) {
    (void)state;
    const double drop = 1, e = 0.6, t0 = sqrt(2 * drop / GRAVITY);
    double error[2], by_e;
    for (int fine = 0; fine < 2; fine++) {
        double time = rest_time(fine ? 1e-4 : 1e-3, drop, e, &by_e);
        double exact = 2 * t0 / ((1 - e) * (1 - e));
        CHECK_NEAR(time, t0 * (1 + e) / (1 - e), fine ? 1e-3 : 1e-2);
        error[fine] = fabs(by_e - exact) / exact;
    }
    print_message("d(rest time)/de: relative error %.1e at 1 ms, %.1e at 0.1 ms\n", error[0], error[1]);
    CHECK_LT(error[0], 1e-2);
    CHECK_LT(error[1], 0.2 * error[0]);
}

/* A box swings on an edge that stays put, and a flat one slides: what is held makes no impacts, though it turns. */
static void held_pairs_make_no_impacts(void **state) {
    (void)state;
    const double tilt = 0.3, w0 = 3, half = 0.1;
    const Thing things[] = {{TAC_GEOM_BOX, {half, 0.2, half}, 1, {0, 0, 0}, 0},
                            {TAC_GEOM_BOX, {0.1, 0.1, 0.1}, 2, {2, 0, 0.1 + 1e-6}, 0}};
    World w = bounce_world(2, things, (WorldSetup){GRAVITY, 2e-3, 5, 0, 0, stop});
    double *v = w.x + w.m->nq;
    w.x[0] = half * (cos(tilt) - sin(tilt)), w.x[2] = half * (cos(tilt) + sin(tilt)) + 1e-6;
    w.x[3] = cos(tilt / 2), w.x[5] = -sin(tilt / 2);
    v[0] = -w0 * w.x[2], v[2] = w0 * w.x[0], v[4] = -w0, v[6] = 0.5;
    double before = w.x[0], swung = 0, worst = 1;
    int impacts = 0;
    for (int k = 0; k < 50; k++) {
        world_run(&w, 1);
        impacts += w.info.impacts;
        worst = fmin(worst, least_distance(&w));
        swung = fmax(swung, fabs(w.x[0] - before));
    }
    CHECK(swung > 0.01);
    CHECK_INT(impacts, 0);
    CHECK_LT(-worst, TOL_OVERLAP);
    world_end(&w);
}

/* Five balls with small gaps, e = 1: only the last leaves, with the first one's speed, all in one step. */
static void cradle(void **state) {
    (void)state;
    Thing balls[5];
    for (int i = 0; i < 5; i++)
        balls[i] = BALL, balls[i].pos.x = 0.2001 * i, balls[i].restitution = 1;
    balls[0].pos.x = -0.005;
    World w = bounce_world(5, balls, (WorldSetup){0, 0.02, 0, -1, 0, stop});
    double *v = w.x + w.m->nq;
    v[0] = 1;
    world_run(&w, 1);
    CHECK_INT(w.info.impacts, 4);
    for (int i = 0; i < 5; i++)
        CHECK_NEAR(v[6 * i], i == 4, 5 * TOL_IMPACT);
    CHECK_LT(-least_distance(&w), TOL_OVERLAP);
    world_end(&w);
}

/* A bullet of a millimetre does not pass a plate of a millimetre at 1 km/s. */
static void no_tunnel(void **state) {
    (void)state;
    const Thing things[] = {{TAC_GEOM_SPHERE, {0.001, 0, 0}, 0.01, {0, 0, 1}, 0.5},
                            {TAC_GEOM_BOX, {0.5, 0.5, 0.0005}, 1000, {0, 0, 0}, 0}};
    World w = bounce_world(2, things, (WorldSetup){0, 0.05, 0, -1, 0, stop});
    w.x[w.m->nq + 2] = -1000;
    world_run(&w, 1);
    CHECK_INT(w.info.impacts, 1);
    CHECK(w.x[2] > 0 && w.x[w.m->nq + 2] > 400);
    world_end(&w);
}

/* Ten seconds of falling, bouncing, rolling and tumbling at 20 to 500 Hz. */
static void nothing_overlaps(void **state) {
    (void)state;
    const Thing things[] = {{TAC_GEOM_SPHERE, {0.1, 0, 0}, 1, {0, 0, 0.4}, 0.6},
                            {TAC_GEOM_BOX, {0.1, 0.07, 0.05}, 2, {1, 0, 0.5}, 0.3},
                            {TAC_GEOM_BOX, {0.1, 0.1, 0.1}, 2, {2, 0, 0.1 + 1e-6}, 0}};
    const double rate[] = {20, 50, 100, 200, 500};
    const double v[18] = {0.3, -0.1, 0, 1, 2, -1, 0.4, 0.3, 0, 4, -6, 3, 0.1};
    for (int i = 0; i < 5; i++) {
        World w = bounce_world(3, things, (WorldSetup){GRAVITY, 1 / rate[i], 0.5, 0, 0, stop});
        memcpy(w.x + w.m->nq, v, sizeof v);
        double worst = 1;
        int impacts = 0, most = 0;
        for (int k = 0; k < 10 * rate[i]; k++) {
            world_run(&w, 1);
            worst = fmin(worst, least_distance(&w));
            impacts += w.info.impacts;
            most = w.info.impacts > most ? w.info.impacts : most;
        }
        print_message("%3.0f Hz: least distance %.2e m, %d impacts, at most %d in a step\n", rate[i], worst, impacts,
                      most);
        CHECK_LT(-worst, TOL_OVERLAP);
        CHECK(impacts > 3);
        CHECK_NEAR(w.x[2], 0.1, TOL_IMPACT);
        world_end(&w);
    }
}

/* Impacts within a step, one after another, with forces and turning: all columns. */
static void gradients(void **state) {
    (void)state;
    const Thing things[] = {{TAC_GEOM_SPHERE, {0.1, 0, 0}, 1, {0, 0, 0.103}, 0.5},
                            {TAC_GEOM_BOX, {0.1, 0.07, 0.05}, 2, {0.5, 0, 0.1106}, 0.3},
                            {TAC_GEOM_SPHERE, {0.08, 0, 0}, 0.5, {0.05, 0.02, 0.289}, 0.9}};
    World w = bounce_world(3, things, (WorldSetup){GRAVITY, 0.01, 0.4, 0.2, 1, stop});
    const double v[18] = {0.3, -0.1, -1, 1, 2, -1, 0.1, 0.3, -1.2, 0.4, -0.6, 0.9, 0.1, -0.2, -3, 0.4, 0.2, 0.7};
    const double turn[18] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0.3, -0.4, 0.5};
    tac_qpos_add(w.m, w.x, turn, w.x);
    memcpy(w.x + w.m->nq, v, sizeof v);
    double error = bounce_world_check(&w, STEP), reverse = bounce_world_reverse(&w);
    print_message("%d impacts: gradient off by %.1e, reverse by %.1e\n", w.info.impacts, error, reverse);
    CHECK(w.info.impacts >= 3);
    CHECK_LT(error, TOL_GRADIENT);
    CHECK_LT(reverse, TOL_REVERSE);
    world_end(&w);
}

/* A body in the plane y = 0: coordinates x, z and the angle about y. */
static void add_planar(World *w, const tacGeomDef *geom) {
    static const tacVec3 axis[3] = {{1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
    tacBodyDef body = tac_default_body();
    int id = tac_model_add_body(w->b, 0, &body);
    for (int k = 0; k < 3; k++) {
        tacJointDef joint = tac_default_joint();
        joint.type = k < 2 ? TAC_JOINT_SLIDE : TAC_JOINT_HINGE, joint.axis = axis[k];
        tac_model_add_joint(w->b, id, &joint);
    }
    tac_model_add_geom(w->b, id, geom);
}

/* A block 0.1 m wide and 0.5 m high. */
static const double BLOCK[3] = {0.05, 0.1, 0.25};

/* The simulation of a world with the block, by its numbers; the block stands on its edge. */
static void start_block(World *w, double angle) {
    static const char *const numbers[] = {"geom/#1.size[0]", "geom/#1.mass", "geom/#1.friction[0]", "option.timestep"};
    world_finish(w, TAC_CONTACT_MODEL_LCP);
    for (int k = 0; k < 4; k++)
        CHECK_INT(tac_param_register(w->m, numbers[k], NULL, NULL), TAC_OK);
    w->options = stop(w->options);
    world_start(w);
    w->x[1] = 1e-6 + BLOCK[0] * sin(angle) + BLOCK[2] * cos(angle), w->x[2] = angle;
}

static World tilted_block(double restitution) {
    World w = world_begin(0, 0.001);
    tacGeomDef box = world_geom(TAC_GEOM_BOX, BLOCK, 1, 2);
    world_add_plane(&w, 0, 0.5);
    box.restitution = restitution;
    add_planar(&w, &box);
    start_block(&w, 0.05);
    return w;
}

/* A block that stands on one edge falls on the other: one impact, at which what was pressed opens (evidence_rocking has
 * the ratio of angular velocities). Its derivative is that of differences, also where it bounces. */
static void rocking_block(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        World w = tilted_block(0.4 * k);
        double before[WORLD_MAX_STATE];
        int steps = 0;
        for (w.info.impacts = 0; w.info.impacts == 0 && steps < 500; steps++) {
            memcpy(before, w.x, sizeof before);
            world_run(&w, 1);
        }
        CHECK_INT(w.info.impacts, 1);
        memcpy(w.x, before, sizeof before);
        double error = bounce_world_check(&w, ROCKING_STEP), reverse = bounce_world_reverse(&w);
        print_message("rocking: impact at %.2f of the step, gradient off by %.1e, reverse by %.1e\n",
                      w.info.impact_time / 0.001, error, reverse);
        CHECK_LT(error, TOL_ROCKING);
        CHECK_LT(reverse, TOL_REVERSE);
        world_end(&w);
    }
}

/* A block nearer to the floor than its gap goes back slowly (H9), by h^2 TAC_LCP_RETURN in a step where it is halfway;
 * derivatives are those of differences between, on and beyond the bound. */
static void slow_return(void **state) {
    (void)state;
    static const double DISTANCE[3] = {0.7e-6, 0.5e-6, -0.2e-6};
    for (int k = 0; k < 3; k++) {
        World w = world_begin(0, 0.001);
        tacGeomDef box = world_geom(TAC_GEOM_BOX, BLOCK, 1, 2);
        double height = BLOCK[2] + DISTANCE[k];
        world_add_plane(&w, 0, 0.5);
        add_planar(&w, &box);
        start_block(&w, 0);
        double h = w.options.dt;
        w.x[1] = height;
        double error = bounce_world_check(&w, RETURN_STEP), reverse = bounce_world_reverse(&w);
        print_message("at %.1e m: gradient off by %.1e, reverse by %.1e\n", DISTANCE[k], error, reverse);
        CHECK_LT(error, TOL_ROCKING);
        CHECK_LT(reverse, TOL_REVERSE);
        world_run(&w, 1);
        CHECK_INT(w.info.impacts, 0);
        if (k == 1) CHECK_NEAR(w.x[1] - height, h * h * TAC_LCP_RETURN, 1e-10);
        CHECK(w.x[1] > height);
        world_end(&w);
    }
}

/* The block turns about its edge and is about to fall on the other one; on its top a cube spins on an edge, which has
 * left the block by then. */
static World loaded_block(void) {
    const double cube[3] = {0.05, 0.1, 0.05}, reach = 0.05 * sqrt(2), angle = 0.004, turn = -0.5, spin = 15;
    World w = world_begin(0, 0.01);
    tacGeomDef box = world_geom(TAC_GEOM_BOX, BLOCK, 1, 2), load = world_geom(TAC_GEOM_BOX, cube, 0.2, 0);
    load.priority = 1; /* and smooth, whatever the block is */
    world_add_plane(&w, 0, 0.5);
    add_planar(&w, &box);
    add_planar(&w, &load);
    start_block(&w, angle);
    double s = sin(angle), c = cos(angle), *v = world_velocity(&w);
    v[0] = turn * (BLOCK[2] * c + BLOCK[0] * s), v[1] = turn * (BLOCK[0] * c - BLOCK[2] * s), v[2] = turn;
    w.x[3] = w.x[0] + (BLOCK[2] + 1e-6) * s, w.x[4] = w.x[1] + (BLOCK[2] + 1e-6) * c + reach, w.x[5] = atan(1);
    v[3] = v[0] + turn * BLOCK[2] * c + spin * reach, v[4] = v[1] - turn * BLOCK[2] * s, v[5] = spin;
    return w;
}

/* m (v+ - v) = h (F + m g) of each body: what the impact takes back of the block's forces in the kick, it takes back of
 * the cube's as well, which the impact does not touch. */
static void taken_back_on_both_sides(void **state) {
    (void)state;
    static const tacOutput FORCES = {TAC_OUT_CONTACT_FORCE, TAC_OUT_ALL};
    World w = loaded_block();
    tacContactForce list[16];
    tacContact apart;
    double z[18], y[WORLD_MAX_STATE], pressed = 0, h = w.options.dt;
    int n = 0;
    CHECK_INT(tac_outputs(w.sim, w.x, NULL, &(tacOutputs){1, &FORCES}, z), TAC_OK);
    CHECK_INT(tac_step_contacts(w.sim, w.x, NULL, list, 16, &n), TAC_OK);
    for (int i = 0; i < n; i++)
        if (list[i].contact.geom[0] == 1) pressed += list[i].force[0];
    CHECK_INT(tac_step(w.sim, w.x, NULL, y, &w.info), TAC_OK);
    CHECK_INT(w.info.impacts, 1);
    CHECK_INT(tac_geom_distance(w.sim, y, NULL, 1, 2, &apart), TAC_OK);
    CHECK(pressed > 0.5);
    CHECK(apart.dist > 1e-4);
    for (int b = 1; b < 3; b++)
        for (int i = 0; i < 2; i++) {
            int dof = 3 * (b - 1) + i;
            double gained = w.m->body_mass[b] * (y[w.m->nq + dof] - w.x[w.m->nq + dof]);
            double force = z[6 * b + 3 + 2 * i] - (i == 1 ? w.m->body_mass[b] * WORLD_GRAVITY : 0);
            CHECK_NEAR(gained, h * force, 1e-12);
        }
    double error = bounce_world_check(&w, ROCKING_STEP), reverse = bounce_world_reverse(&w);
    print_message("loaded block: impact at %.2f of the step, gradient off by %.1e, reverse by %.1e\n",
                  w.info.impact_time / h, error, reverse);
    CHECK_LT(error, TOL_ROCKING);
    CHECK_LT(reverse, TOL_REVERSE);
    world_end(&w);
}

/* Whatever the scratch holds, and with derivatives or without: the same bits. */
static void same_bits(void **state) {
    (void)state;
    const Thing things[] = {{TAC_GEOM_SPHERE, {0.1, 0, 0}, 1, {0, 0, 0.104}, 0.5},
                            {TAC_GEOM_BOX, {0.1, 0.07, 0.05}, 2, {0.5, 0, 0.052}, 0}};
    double y[3][BOUNCE_MAX_STATE], A[24 * 24];
    World w = bounce_world(2, things, (WorldSetup){GRAVITY, 0.01, 0.5, 0, 0, stop});
    w.x[w.m->nq + 2] = -1, w.x[w.m->nq + 8] = -1, w.x[w.m->nq + 9] = 0.3;
    size_t bytes = (size_t)tac_nx(w.m) * sizeof(double);
    CHECK_INT(tac_step(w.sim, w.x, NULL, y[0], &w.info), TAC_OK);
    CHECK(w.info.impacts >= 2);
    tac_sim_poison(w.sim);
    CHECK_INT(tac_step(w.sim, w.x, NULL, y[1], NULL), TAC_OK);
    tac_sim_poison(w.sim);
    CHECK_INT(tac_step_jac(w.sim, w.x, NULL, y[2], &(tacJac){A, NULL, NULL}, NULL), TAC_OK);
    CHECK(memcmp(y[0], y[1], bytes) == 0 && memcmp(y[0], y[2], bytes) == 0);
    world_end(&w);
}

/* The limit of impacts is a status, with the state that was reached. */
static void too_many(void **state) {
    (void)state;
    Thing balls[2] = {BALL, BALL};
    balls[1].pos.x = 0.5;
    World w = bounce_world(2, balls, (WorldSetup){0, 0.01, 0, 0, 0, stop});
    tacOptions options = stop(tac_default_options(w.m));
    options.contact = TAC_CONTACT_MODEL_LCP, options.toi_impacts = 1;
    tacSim *sim;
    double y[BOUNCE_MAX_STATE], A[24 * 24];
    CHECK_INT(tac_sim_new(w.m, &options, &sim, NULL), TAC_OK);
    w.x[w.m->nq + 2] = -1, w.x[w.m->nq + 8] = -2;
    CHECK_INT(tac_step(sim, w.x, NULL, y, &w.info), TAC_ERR_IMPACTS);
    CHECK_INT(w.info.impacts, 1);
    CHECK_NEAR(y[w.m->nq + 8], 1, TOL_IMPACT); /* the faster ball bounced, the other one is on its way */
    CHECK_NEAR(y[w.m->nq + 2], -1, 0);
    CHECK_INT(tac_step_jac(sim, w.x, NULL, NULL, &(tacJac){A, NULL, NULL}, NULL), TAC_ERR_IMPACTS);
    tac_sim_free(sim);
    options = tac_default_options(w.m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    options.toi = 1;
    CHECK_INT(tac_sim_new(w.m, &options, &sim, NULL), TAC_ERR_ARGUMENT);
    world_end(&w);
}

static tacOptions stop_once(tacOptions options) {
    options = stop(options);
    options.toi_impacts = 1;
    return options;
}

/* Steps that end early, one after another, leave no overlap either, however near to each other things were left. */
static void cut_short(void **state) {
    (void)state;
    Thing things[6];
    double worst = 1;
    int cut = 0;
    for (int i = 0; i < 6; i++)
        things[i] = (Thing){
            TAC_GEOM_BOX, {0.1, 0.08, 0.06}, 1 + 0.3 * i, {0.27 * (i % 2), 0.27 * (i / 2 % 3), 0.2 + 0.02 * i}, 0};
    for (uint64_t seed = 1; seed <= 12; seed++) {
        World w = bounce_world(6, things, (WorldSetup){GRAVITY, 0.01, 0.5, 0, 0, stop_once});
        for (int i = 0; i < w.m->nv; i++) /* towards the middle, and tumbling */
            w.x[w.m->nq + i] = 2 * tac_random_normal(seed, 0, (uint64_t)i) +
                               (i % 6 < 2 ? 4 * ((i % 6 == 0 ? 0.135 : 0.27) - w.x[i / 6 * 7 + i % 6]) : 0);
        for (int k = 0; k < 120; k++) {
            double y[BOUNCE_MAX_STATE];
            tacStatus status = tac_step(w.sim, w.x, NULL, y, &w.info);
            CHECK(status == TAC_OK || status == TAC_ERR_IMPACTS);
            memcpy(w.x, y, (size_t)tac_nx(w.m) * sizeof *y);
            worst = fmin(worst, least_distance(&w));
            cut += status == TAC_ERR_IMPACTS;
        }
        world_end(&w);
    }
    print_message("%d of %d steps cut short, least distance %.2e m\n", cut, 12 * 120, worst);
    CHECK(cut > 100);
    CHECK(worst > 0);
}

/* Boxes set down exactly on each other stay apart at steps of a second, a heavy one on a light one too. */
static void long_steps(void **state) {
    (void)state;
    const double size = 0.1, dt[3] = {0.2, 0.5, 1}, mass[2] = {1, 1e-6};
    for (int i = 0; i < 6; i++) {
        const Thing things[] = {{TAC_GEOM_BOX, {size, size, size}, mass[i % 2], {0, 0, size}, 0},
                                {TAC_GEOM_BOX, {size, size, size}, 1, {0, 0, 3 * size}, 0}};
        World w = bounce_world(2, things, (WorldSetup){GRAVITY, dt[i / 2], 0.5, 0, 0, stop});
        for (int k = 0; k < 20; k++) {
            double y[BOUNCE_MAX_STATE];
            CHECK_INT(tac_step(w.sim, w.x, NULL, y, &w.info), TAC_OK);
            memcpy(w.x, y, (size_t)tac_nx(w.m) * sizeof *y);
            CHECK(least_distance(&w) > -TOL_OVERLAP);
        }
        world_end(&w);
    }
}

/* What turns by a hundred thousand revolutions in a step, or is thrown as far, ends with a status, and soon: the state
 * is finite and free of overlap. */
static void beyond_reason(void **state) {
    (void)state;
    const Thing things[] = {{TAC_GEOM_BOX, {0.1, 0.07, 0.05}, 2, {0, 0, 0.2}, 0.3},
                            {TAC_GEOM_BOX, {0.1, 0.1, 0.1}, 2, {0.4, 0, 0.2}, 0}};
    const double fast[] = {1e5, 2.5e7, 1e12};
    for (int i = 0; i < 3; i++) {
        World w = bounce_world(2, things, (WorldSetup){GRAVITY, 0.01, 0.5, 0, 0, stop});
        double y[BOUNCE_MAX_STATE];
        w.x[w.m->nq + 3] = fast[i], w.x[w.m->nq + 4] = 0.3 * fast[i], w.x[w.m->nq + 11] = -fast[i];
        tacStatus status = tac_step(w.sim, w.x, NULL, y, &w.info);
        CHECK(status == TAC_ERR_IMPACTS || (status == TAC_ERR_UNSOLVED && w.info.reason == TAC_REASON_SPIN));
        for (int k = 0; k < tac_nx(w.m); k++)
            CHECK(isfinite(y[k]));
        memcpy(w.x, y, (size_t)tac_nx(w.m) * sizeof *y);
        CHECK(least_distance(&w) > 0);
        world_end(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_bounce),
        cmocka_unit_test(apexes_of_a_ball),
        cmocka_unit_test(cradle),
        cmocka_unit_test(no_tunnel),
        cmocka_unit_test(held_pairs_make_no_impacts),
        cmocka_unit_test(nothing_overlaps),
        cmocka_unit_test(gradients),
        cmocka_unit_test(rocking_block),
        cmocka_unit_test(taken_back_on_both_sides),
        cmocka_unit_test(slow_return),
        cmocka_unit_test(too_many),
        cmocka_unit_test(cut_short),
        cmocka_unit_test(long_steps),
        cmocka_unit_test(beyond_reason),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(rest_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
