/* Contacts of ncp that bounce, friction cones that are not round, bodies with many degrees of freedom, against closed
 * forms; their derivatives against differences on the same worlds (docs/theory/ncp.md, W16, W34, W35). */
#define WORLD_CONTACT TAC_CONTACT_MODEL_NCP
#include "contact/constraint_world.h"
#include "support/draw.h"

#include <string.h>

/* Of the central path at kappa = 1e-8. */
#define TOL_SOFT 1e-5
/* Share of the distance between a linear motion and its discrete one: none. */
#define TOL_EXACT 1e-9
/* Derivatives at KAPPA against differences. */
#define KAPPA        1e-4
#define DIFFERENCE   1e-5
#define TOL_GRADIENT 1e-6
#define TOL_REVERSE  1e-10
/* Of the energy, at 0.002 s and some radians a second: directions of the start of a step and of its end. */
#define ENERGY_ERROR 0.01

#define BALL           "<body name='ball' pos='0 0 1'><freejoint/>" BALL_GEOM "</body>"
#define BALL_GEOM      "<geom name='ball' type='sphere' size='0.1' mass='1.5'/>"
#define FLOOR          "<geom name='floor' type='plane' size='5 5 0.1'/>"
#define PAIR(friction) "<contact><pair geom1='floor' geom2='ball' condim='3' friction='" friction " 0 0 0'/></contact>"
#define RESTITUTION    "<custom><numeric name='geom/ball.restitution' data='0.7'/></custom>"

/* It leaves with e times the speed it came with, at any step, and comes to rest. */
static void ball_bounces(void **state) {
    (void)state;
    for (int k = 1; k <= 2; k++) {
        World w = text_world(FLOOR BALL, PAIR("0.5 0.5") RESTITUTION, 0.005 * k);
        double speed = 0, height;
        int bounces = 0;
        for (int i = 0; i < 600 && bounces == 0; i++) {
            speed = velocity(&w)[2];
            run(&w, 1);
            bounces = velocity(&w)[2] > 0;
        }
        CHECK(bounces && speed < -4);
        CHECK_NEAR(velocity(&w)[2], -0.7 * speed, TOL_SOFT);
        run(&w, 1500);
        height = w.x[2] - 0.1;
        CHECK(height >= 0);
        CHECK_LT(height, TOL_SOFT);
        end_world(&w);
    }
}

/* Where slip along both tangents is u, friction opposes it by mu_k^2 u_k/|mu u| of the normal force: Coulomb's law of
 * greatest dissipation on the elliptic cone. */
static void cone_is_an_ellipse(void **state) {
    (void)state;
    World w = text_world(FLOOR "<body name='block' pos='0 0 0.1'><joint type='slide' axis='1 0 0'/><joint type='slide' "
                               "axis='0 1 0'/><joint type='slide' axis='0 0 1'/><geom name='ball' type='box' "
                               "size='0.1 0.1 0.1' mass='1.5'/></body>",
                         PAIR("0.8 0.3"), 0.01);
    tacContactForce contact[16];
    double mu[2] = {0.8, 0.3};
    int n;
    velocity(&w)[0] = 2, velocity(&w)[1] = 1;
    CHECK_INT(tac_step_contacts(w.sim, w.x, w.u, contact, 16, &n), TAC_OK);
    CHECK(n >= 4);
    for (int i = 0; i < n; i++) {
        const double *u = contact[i].velocity + 1, *f = contact[i].force;
        double size = hypot(mu[0] * u[0], mu[1] * u[1]);
        CHECK(f[0] > 1 && size > 0.3 && contact[i].state == TAC_CONTACT_SLIDING);
        for (int k = 0; k < 2; k++)
            CHECK_NEAR(f[1 + k], -mu[k] * mu[k] * u[k] / size * f[0], TOL_SOFT * f[0]);
    }
    end_world(&w);
}

/* Three slides along x and four others: m X'' + a q'' = F on the first, 0 on the next two, so that
 * X'' = F/(a + 3 m). */
static void body_has_eight_dofs(void **state) {
    (void)state;
#define ALONG(axis) "<joint type='slide' axis='" axis "' armature='0.6'/>"
    World w = text_world("<body>" ALONG("1 0 0") ALONG("0 1 0") ALONG("0 0 1") ALONG("1 0 0") ALONG("0 1 0")
                             ALONG("0 0 1") ALONG("1 0 0") "<joint type='hinge' axis='0 0 1' armature='0.1'/>"
                                                           "<geom type='box' size='0.1 0.2 0.3' mass='2'/></body>",
                         "", 0.01);
    CHECK_INT(w.m->nv, 8);
    w.u[0] = 3;
    run(&w, 50);
    const double *v = velocity(&w);
    CHECK_NEAR(v[0] + v[3] + v[6], 0.5 * 3 / (0.6 + 3 * 2), TOL_EXACT);
    CHECK_NEAR(v[2], v[5], TOL_EXACT);
    end_world(&w);
}

#define TWO(first, second)                                                                                             \
    "<body><freejoint/><geom name='floor' mass='1' " first                                                             \
    "/></body><body><freejoint/><geom name='ball' mass='2' " second "/></body>"

/* A capsule and a cylinder that turn and hit each other, some of them with edges that are far beside each other before:
 * what they touch by is on both of them, and next to all steps are solved. */
static void collisions_are_between_bodies(void **state) {
    enum { THROWS = 60, STEPS = 15, MOST = 32 };
    (void)state;
    World w = text_world(TWO("type='capsule' size='0.05 0.15'", "type='cylinder' size='0.08 0.12'"),
                         PAIR("0.5 0.5") "<option gravity='0 0 0'/>", 0.02);
    tacDraw d = {918, 0};
    int nq = w.m->nq, unsolved = 0, hits = 0, n;
    for (int k = 0; k < THROWS * STEPS; k++) {
        tacContactForce c[MOST];
        if (k % STEPS == 0) {
            tacQuat turn[2]; /* one after the other: an initializer has no order */
            turn[0] = draw_quat(&d);
            turn[1] = draw_quat(&d);
            tacQuat way = draw_quat(&d);
            tacVec3 from = tac_quat_rotate(way, tac_vec3(draw_uniform(&d, 0.3, 0.5), 0, 0));
            const double q[14] = {0,      0,      0,      turn[0].w, turn[0].x, turn[0].y, turn[0].z,
                                  from.x, from.y, from.z, turn[1].w, turn[1].x, turn[1].y, turn[1].z};
            memcpy(w.x, q, sizeof q);
            for (int i = 0; i < 12; i++)
                w.x[nq + i] =
                    draw_uniform(&d, -1, 1) * (i % 6 < 3 ? 0.3 : 4) - (i / 6 == 1 && i < 9 ? 8 * q[7 + i - 6] : 0);
        }
        int solved = tac_step_contacts(w.sim, w.x, w.u, c, MOST, &n) == TAC_OK;
        for (int i = 0; solved && i < n; i++) {
            if (!(c[i].force[0] > 1e-3)) continue;
            for (int b = 0; b < 2; b++)
                CHECK_LT(tac_norm3(tac_sub3(c[i].contact.pos, tac_load3(w.x + 7 * b))), 0.3);
            hits++;
        }
        CHECK(tac_step(w.sim, w.x, w.u, w.x, NULL) == (solved ? TAC_OK : TAC_ERR_UNSOLVED));
        unsolved += !solved;
    }
    print_message("%d hits, %d of %d steps unsolved\n", hits, unsolved, THROWS * STEPS);
    CHECK(hits > 100);
    CHECK(unsolved <= 5);
    end_world(&w);
}

/* A mocap body is put elsewhere between steps, and what it touches goes before it: at any speed below that of welds. */
static void mocap_pushes(void **state) {
    static const double SPEED[] = {0.02, 0.09, 0.15, 0.5, 1.9}, STEP[] = {0.002, 0.01};
    (void)state;
    for (int k = 0; k < 10; k++) {
        double v = SPEED[k % 5], h = STEP[k / 5], at = -0.201, deepest = 0;
        World w = text_world(FLOOR "<body name='hand' mocap='true' pos='-0.201 0 0.1'><geom name='hand' type='box' "
                                   "size='0.1 0.1 0.05'/></body><body pos='0 0 0.1'><freejoint/><geom name='ball' "
                                   "type='box' size='0.1 0.1 0.1' mass='1.5'/></body>",
                             "<contact><pair geom1='floor' geom2='ball' condim='3' friction='0.5 0.5 0 0 0'/>"
                             "<pair geom1='hand' geom2='ball' condim='3' friction='0.5 0.5 0 0 0'/></contact>",
                             h);
        for (int i = 0; i < (int)(0.3 / h); i++) {
            at += v * h;
            w.u[w.m->nv] = at; /* after the forces on dofs */
            run(&w, 1);
            deepest = fmax(deepest, at + 0.2 - w.x[0]);
        }
        print_message("%g m/s, %g s: %g m deep at most, %g m at the end\n", v, h, deepest, at + 0.2 - w.x[0]);
        CHECK_LT(deepest, 2e-3); /* as it is hit: what is pushed gives way a little */
        CHECK_NEAR(w.x[0], at + 0.2, 1e-4);
        CHECK_NEAR(velocity(&w)[0], v, 1e-3);
        end_world(&w);
    }
}

/* Two of them that close on a box, slowly and fast, are too many for it: it gives way to both, and every step is
 * solved. */
static void mocap_squeezes(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        World w = text_world(FLOOR "<body mocap='true' pos='-0.16 0 0.1'><geom name='left' type='box' size='0.05 0.2 "
                                   "0.2'/></body><body mocap='true' pos='0.16 0 0.1'><geom name='right' type='box' "
                                   "size='0.05 0.2 0.2'/></body><body pos='0 0 0.101'><freejoint/><geom name='ball' "
                                   "type='box' size='0.1 0.1 0.1' mass='1'/></body>",
                             "<contact><pair geom1='floor' geom2='ball' condim='3' friction='1 1 0 0 0'/><pair "
                             "geom1='left' geom2='ball' condim='3' friction='1 1 0 0 0'/><pair geom1='right' "
                             "geom2='ball' condim='3' friction='1 1 0 0 0'/></contact>",
                             0.002);
        for (int i = 0; i < 400; i++) {
            double d = fmin(0.03, (k ? 0.5 : 0.05) * w.h * i);
            w.u[w.m->nv] = -0.16 + d, w.u[w.m->nv + 7] = 0.16 - d;
            run(&w, 1);
        }
        CHECK_NEAR(w.x[0], 0, 1e-3);
        end_world(&w);
    }
}

/* --- Bodies that travel together ---------------------------------------------------------------------------------- */

enum { TRAVELS = 100 };
#define TRAVEL_SPEED 5.0 /* m/s */

/* Two bodies within each other, one turned and moved at random -> 1: both steps are solved, and the same. */
static int compare_travel(World *w, tacDraw *d) {
    int nq = w->m->nq, nv = w->m->nv;
    double still[MOST_NUMBERS], y[2][MOST_NUMBERS];
    tacVec3 at = draw_vec3(d, 0.05), travel = draw_vec3(d, TRAVEL_SPEED);
    tacQuat turn = draw_quat(d);
    tac_default_state(w->m, still);
    still[7] = at.x, still[8] = at.y, still[9] = at.z;
    still[10] = turn.w, still[11] = turn.x, still[12] = turn.y, still[13] = turn.z;
    draw_array(d, nv, still + nq);
    tacStatus status = tac_step(w->sim, still, w->u, y[0], NULL);
    memcpy(w->x, still, sizeof still);
    for (int i = 0; i < nv; i++)
        velocity(w)[i] += i % 6 < 3 ? tac_get3(travel, i % 6) : 0;
    if (tac_step(w->sim, w->x, w->u, y[1], NULL) != TAC_OK || status != TAC_OK) return 0;
    for (int i = 0; i < nv; i++)
        CHECK_NEAR(y[1][nq + i] - w->x[nq + i], y[0][nq + i] - still[nq + i], TOL_SOFT);
    return 1;
}

/* Where features meet in several ways, as a rim and an edge that are deep in each other do, a step has those that its
 * bodies take along: with a velocity that all have in common, which takes them as far as they are wide, it is the same
 * step but for that. */
static void travel_changes_nothing(void **state) {
    static const char *const BODIES[] = {
        TWO("type='cylinder' size='0.05 0.07'", "type='box' size='0.06 0.07 0.1'"),
        TWO("type='cylinder' size='0.05 0.07'", "type='cylinder' size='0.06 0.04'"),
        TWO("type='box' size='0.05 0.07 0.04'", "type='box' size='0.06 0.03 0.05'"),
        TWO("type='cylinder' size='0.05 0.07'", "type='ellipsoid' size='0.06 0.03 0.05'"),
    };
    (void)state;
    tacDraw d = {917, 0};
    int solved = 0;
    for (int k = 0; k < 4; k++) {
        World w = text_world(BODIES[k], PAIR("0.5 0.5") "<option gravity='0 0 0'/>", 0.01);
        for (int sample = 0; sample < TRAVELS; sample++)
            solved += compare_travel(&w, &d);
        end_world(&w);
    }
    CHECK(solved > 3 * TRAVELS);
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

enum { MOST_NX = 24, NP = 5 };

/* Rows and columns of A. */
static int tangent_size(const World *w) { return 2 * w->m->nv; }

/* The step's end as seen from y0, x displaced by t along column j of [x | theta]. */
static void outcome(World *w, const double *y0, int j, double t, double *out) {
    double x[MOST_NUMBERS], y[MOST_NUMBERS], theta[NP], moved[NP], move[MOST_NX] = {0};
    int nq = w->m->nq, nv = w->m->nv, nx = 2 * nv;
    if (j < nv) move[j] = t;
    memcpy(x, w->x, (size_t)tac_nx(w->m) * sizeof *x);
    tac_qpos_add(w->m, w->x, move, x);
    if (j >= nv && j < nx) x[nq + j - nv] += t;
    CHECK_INT(tac_sim_get_params(w->sim, theta), TAC_OK);
    memcpy(moved, theta, sizeof moved);
    if (j >= nx) moved[j - nx] += t;
    CHECK_INT(tac_sim_set_params(w->sim, moved), TAC_OK);
    CHECK_INT(tac_step(w->sim, x, w->u, y, &w->info), TAC_OK);
    CHECK_INT(tac_sim_set_params(w->sim, theta), TAC_OK);
    tac_qpos_sub(w->m, y, y0, out);
    memcpy(out + nv, y + nq, (size_t)nv * sizeof *out);
}

static World soft_world(const char *bodies, const char *rest, const char *const params[NP]) {
    World w = text_world(bodies, rest, 0.01);
    tacOptions options = tac_default_options(w.m);
    tacError err;
    options.contact = TAC_CONTACT_MODEL_NCP, options.dt = w.h, options.ncp_kappa = KAPPA, options.ncp_polish = 5;
    tac_sim_free(w.sim);
    for (int i = 0; i < NP; i++)
        if (tac_param_register(w.m, params[i], NULL, &err) != TAC_OK) fail_msg("%s", err.text);
    if (tac_sim_new(w.m, &options, &w.sim, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_default_input(w.m, &options, w.u);
    return w;
}

/* The reverse mode of one weight vector is that of A and P. */
static void check_reverse(World *w, const double *A, const double *P) {
    int nx = tangent_size(w);
    double bar[MOST_NX] = {0}, x[MOST_NX], u[MOST_NUMBERS], theta[NP];
    for (int i = 0; i < nx; i++)
        bar[i] = 1 - 0.3 * (i % 7);
    CHECK_INT(tac_step_vjp(w->sim, w->x, w->u, bar, &(tacGrad){x, u, theta}, NULL), TAC_OK);
    for (int j = 0; j < nx + NP; j++) {
        double want = 0, got = j < nx ? x[j] : theta[j - nx];
        for (int i = 0; i < nx; i++)
            want += bar[i] * (j < nx ? A[i * nx + j] : P[i * NP + j - nx]);
        CHECK_NEAR(got, want, TOL_REVERSE * fmax(1, fabs(want)));
    }
}

static void check_columns(World *w, const double *y0, const double *A, const double *P) {
    int nx = tangent_size(w);
    check_reverse(w, A, P);
    for (int j = 0; j < nx + NP; j++) {
        double D[2][MOST_NX], low[MOST_NX], high[MOST_NX];
        for (int level = 0; level < 2; level++) {
            double t = DIFFERENCE / (1 + level);
            outcome(w, y0, j, t, high), outcome(w, y0, j, -t, low);
            for (int i = 0; i < nx; i++)
                D[level][i] = (high[i] - low[i]) / (2 * t);
        }
        for (int i = 0; i < nx; i++) {
            double want = (4 * D[1][i] - D[0][i]) / 3, got = j < nx ? A[i * nx + j] : P[i * NP + j - nx];
            CHECK_NEAR(got, want, TOL_GRADIENT * fmax(1, fabs(want)));
        }
    }
}

/* At impact with slip, every column; the speed after it follows that before by -e. */
static void derivatives_are_differences(void **state) {
    static const char *const PARAMS[NP] = {"geom/ball.restitution", "pair/#0.friction[0]", "pair/#0.friction[1]",
                                           "geom/ball.size[0]", "option.timestep"};
    (void)state;
    World w = soft_world(FLOOR BALL, PAIR("0.8 0.3") RESTITUTION, PARAMS);
    double A[12 * 12], P[12 * NP], y0[MOST_NUMBERS];
    tacDraw d = {82, 0};
    for (int k = 0; k < 6; k++) {
        w.x[2] = 0.1 + draw_uniform(&d, 0.002, 0.02);
        draw_array(&d, 6, velocity(&w));
        velocity(&w)[0] += 25,
            velocity(&w)[1] -= 15; /* slides: an impulse of friction is up to mu times that of the normal */
        velocity(&w)[2] = draw_uniform(&d, -5, -3);
        CHECK_INT(tac_step_jac(w.sim, w.x, w.u, y0, &(tacJac){A, NULL, P}, NULL), TAC_OK);
        CHECK_NEAR(A[8 * 12 + 8], -0.7, 0.01);
        CHECK(fabs(P[6 * NP + 1]) > 1e-3 && fabs(P[7 * NP + 2]) > 1e-3);
        check_columns(&w, y0, A, P);
    }
    end_world(&w);
}

/* --- Bounces of what turns ---------------------------------------------------------------------------------------- */

#define BOUNCE "<custom><numeric name='geom/ball.restitution' data='0.8'/></custom>"
#define BRICK                                                                                                          \
    "<body name='brick' pos='0 0 1'><freejoint/><geom name='ball' type='box' size='0.1 0.15 0.2' mass='1.5' "          \
    "pos='0.03 0.02 -0.01'/></body>"
#define EGG "<body name='egg'><freejoint/><geom name='floor' type='ellipsoid' size='0.1 0.15 0.12' mass='1'/></body>"

/* A brick that turns, somewhere over the floor (or an egg), moving down at `speed`, and down to the gap. */
static void place_brick(World *w, tacDraw *d, double speed, double gap) {
    double *x = w->x + w->m->nq - 7, *v = velocity(w) + w->m->nv - 6, near;
    tacQuat turn = draw_quat(d);
    draw_array(d, w->m->nv, velocity(w));
    x[0] = draw_uniform(d, -0.03, 0.03), x[1] = draw_uniform(d, -0.03, 0.03), x[2] = 1;
    x[3] = turn.w, x[4] = turn.x, x[5] = turn.y, x[6] = turn.z;
    v[2] = -speed;
    for (int k = 0; k < 50; k++) { /* down by its distance, again and again */
        tacContact c;
        CHECK_INT(tac_geom_distance(w->sim, w->x, w->u, 0, 1, &c), TAC_OK);
        near = c.dist;
        x[2] -= 0.5 * (near - gap);
    }
    CHECK_NEAR(near, gap, 1e-3);
}

static void brick_bounces_by_its_derivatives(void **state) {
    static const char *const PARAMS[NP] = {"geom/ball.restitution", "geom/ball.pos[0]", "body/brick.mass",
                                           "geom/ball.size[1]", "option.timestep"};
    static const char *const WORLDS[] = {FLOOR BRICK, EGG BRICK};
    (void)state;
    double A[MOST_NX * MOST_NX], P[MOST_NX * NP], y0[MOST_NUMBERS];
    tacDraw d = {83, 0};
    for (int k = 0; k < 2; k++) {
        World w = soft_world(WORLDS[k], PAIR("0.3 0.3") BOUNCE, PARAMS);
        int nx = tangent_size(&w), bounced = 0;
        for (int sample = 0; sample < 8; sample++) {
            place_brick(&w, &d, 3, 0.004);
            CHECK_INT(tac_step_jac(w.sim, w.x, w.u, y0, &(tacJac){A, NULL, P}, NULL), TAC_OK);
            bounced += fabs(P[(nx - 4) * NP]) > 0.5; /* its speed by e */
            check_columns(&w, y0, A, P);
        }
        CHECK(bounced >= 6);
        end_world(&w);
    }
}

/* What a mocap body was put into gives way by its overlap: 3 mm, less than goes away in the step, and 30 mm. */
static void pushed_brick_has_derivatives(void **state) {
    static const char *const PARAMS[NP] = {"geom/floor.size[2]", "geom/ball.pos[0]", "body/brick.mass",
                                           "geom/ball.size[1]", "option.timestep"};
    (void)state;
    double A[MOST_NX * MOST_NX], P[MOST_NX * NP], y0[MOST_NUMBERS];
    tacDraw d = {85, 0};
    World w = soft_world("<body mocap='true'><geom name='floor' type='box' size='1 1 0.1'/></body>" BRICK,
                         PAIR("0.3 0.3"), PARAMS);
    int nx = tangent_size(&w);
    for (int sample = 0; sample < 8; sample++) {
        place_brick(&w, &d, 0, sample % 2 ? -0.003 : -0.03);
        CHECK_INT(tac_step_jac(w.sim, w.x, w.u, y0, &(tacJac){A, NULL, P}, NULL), TAC_OK);
        if (sample % 2) CHECK(fabs(P[(nx - 4) * NP]) > 1); /* its speed by the height of the mocap body */
        check_columns(&w, y0, A, P);
    }
    end_world(&w);
}

/* Of what turns so fast that its touch runs through much of a turn within the step: the impulse's place follows the
 * touches at both ends (W5c). A coin on its rim, an egg and a brick on the floor, a brick on a fixed ball. */
static void place_has_derivatives(void **state) {
    static const char *const PARAMS[NP] = {"geom/ball.size[0]", "geom/ball.pos[0]", "body/brick.mass",
                                           "geom/ball.size[1]", "option.timestep"};
#define BESIDE(type, size)                                                                                             \
    "<body name='brick' pos='0 0 1'><freejoint/><geom name='ball' type='" type "' size='" size                         \
    "' mass='1.5' pos='0.03 0.02 -0.01'/></body>"
    static const char *const WORLDS[] = {FLOOR BESIDE("cylinder", "0.15 0.02"),
                                         FLOOR BESIDE("ellipsoid", "0.1 0.2 0.05"), FLOOR BRICK,
                                         "<geom name='floor' type='sphere' size='0.3'/>" BRICK};
    (void)state;
    double A[MOST_NX * MOST_NX], P[MOST_NX * NP], y0[MOST_NUMBERS];
    tacDraw d = {86, 0};
    for (size_t k = 0; k < sizeof WORLDS / sizeof *WORLDS; k++) {
        World w = soft_world(WORLDS[k], PAIR("0.5 0.5"), PARAMS);
        for (int sample = 0; sample < 6; sample++) {
            place_brick(&w, &d, 1, 0.004);
            for (int i = 3; i < 6; i++)
                velocity(&w)[i] *= 15; /* some tenths of a radian a step */
            CHECK_INT(tac_step_jac(w.sim, w.x, w.u, y0, &(tacJac){A, NULL, P}, NULL), TAC_OK);
            check_columns(&w, y0, A, P);
        }
        end_world(&w);
    }
#undef BESIDE
}

/* Without friction and weight, restitution 1 gives nothing but for the steps' own error, and mostly takes nothing;
 * where another corner comes down in the same step, that was not on its way before, it takes. Less takes. */
static void bounces_make_no_energy(void **state) {
    static const char *const WORLDS[] = {FLOOR BRICK, EGG BRICK};
    (void)state;
    tacDraw d = {84, 0};
    for (int k = 0; k < 4; k++) {
        double e = k / 2 ? 0.5 : 1;
        char rest[512];
        snprintf(
            rest, sizeof rest,
            PAIR("0 0") "<option gravity='0 0 0'/><custom><numeric name='geom/ball.restitution' data='%g'/></custom>",
            e);
        World w = text_world(WORLDS[k % 2], rest, 0.002);
        int kept = 0;
        for (int sample = 0; sample < 40; sample++) {
            place_brick(&w, &d, 3, 0.004);
            double had = energy(&w);
            run(&w, 3);
            CHECK(energy(&w) < had * (1 + ENERGY_ERROR));
            kept += energy(&w) > had * (1 - ENERGY_ERROR);
        }
        CHECK(e < 1 ? kept < 5 : kept > 30);
        end_world(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ball_bounces),
                                       cmocka_unit_test(cone_is_an_ellipse),
                                       cmocka_unit_test(body_has_eight_dofs),
                                       cmocka_unit_test(travel_changes_nothing),
                                       cmocka_unit_test(mocap_pushes),
                                       cmocka_unit_test(mocap_squeezes),
                                       cmocka_unit_test(collisions_are_between_bodies),
                                       cmocka_unit_test(derivatives_are_differences),
                                       cmocka_unit_test(brick_bounces_by_its_derivatives),
                                       cmocka_unit_test(pushed_brick_has_derivatives),
                                       cmocka_unit_test(place_has_derivatives),
                                       cmocka_unit_test(bounces_make_no_energy)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
