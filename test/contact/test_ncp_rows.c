/* Limits, dry friction, equalities and armature of tendons in steps of contact ncp, each against a closed form, and the
 * derivatives of what they exert (docs/theory/ncp.md, W29-W33). Derivatives of the step by all that a model has are
 * checked on test/data/rows.xml (ncp_rows_derivatives). */
#define WORLD_CONTACT TAC_CONTACT_MODEL_NCP
#include "contact/constraint_world.h"
#include "support/draw.h"

#include <stdlib.h>
#include <string.h>

/* Motions that differ in the solver's tolerance (1e-9) and in compliance alone, over a hundred steps. */
#define TOL_SAME 1e-7
/* m: how far an equality is open. */
#define TOL_CLOSED 1e-9
/* J, of several: half a step's worth, h times its rate between potential and kinetic, and no trend. */
#define TOL_ENERGY 0.04
/* J, of 18: by which its highest and lowest may differ from one half of the time to the other. */
#define TOL_TREND 1e-4
/* Of the central path at kappa = 1e-8: gaps, and creep (m/s) of what friction holds. */
#define TOL_SOFT  1e-5
#define TOL_FORCE 1e-4
/* Derivatives at KAPPA against differences. */
#define KAPPA        1e-4
#define DIFFERENCE   1e-5
#define TOL_GRADIENT 1e-6
#define TOL_REVERSE  1e-10

/* --- Equalities --------------------------------------------------------------------------------------------------- */

/* A free body connected to the world is the same body on a hinge: the same discrete equations. */
static void connect_is_a_hinge(void **state) {
    (void)state;
    const char *bar = "<geom type='box' size='0.2 0.02 0.03' pos='0.2 0 0' mass='1.5'/>";
    char free[512], hinged[512];
    snprintf(free, sizeof free, "<body name='bar' pos='0.1 0 1'><freejoint/>%s</body>", bar);
    snprintf(hinged, sizeof hinged, "<body pos='0.1 0 1'><joint type='hinge' axis='0 1 0'/>%s</body>", bar);
    World a = text_world(free, "<equality><connect body1='bar' anchor='0 0 0'/></equality>", 0.01);
    World b = text_world(hinged, "", 0.01);
    for (int k = 0; k < 100; k++) {
        run(&a, 1), run(&b, 1);
        double angle = 2 * atan2(a.x[5], a.x[3]), gap = hypot(hypot(a.x[0] - 0.1, a.x[1]), a.x[2] - 1);
        CHECK_NEAR(remainder(angle - b.x[0], 2 * acos(-1)), 0, TOL_SAME);
        CHECK_NEAR(velocity(&a)[4], velocity(&b)[0], 100 * TOL_SAME);
        CHECK_LT(gap, TOL_CLOSED);
    }
    CHECK(fabs(velocity(&b)[0]) > 0.5);
    end_world(&a), end_world(&b);
}

static const char *const TWO_BOXES =
    "<body name='one' pos='0 0 1'><freejoint/><geom type='box' size='0.1 0.2 0.3' "
    "mass='1'/></body><body name='two' pos='0.4 0.1 1' quat='0.9 0.1 0.3 0'><freejoint/>"
    "<geom type='box' size='0.1 0.1 0.2' mass='0.5'/></body>";
#define WELD "<weld body1='one' body2='two'/>"

/* Bodies that are welded move as one, whatever the number of welds and connects that say so. */
static void redundant_welds_share(void **state) {
    (void)state;
    World one = text_world(TWO_BOXES, "<equality>" WELD "</equality>", 0.01);
    World many = text_world(
        TWO_BOXES, "<equality>" WELD WELD "<connect body1='one' body2='two' anchor='0.2 0 0'/>" WELD "</equality>",
        0.01);
    const double start[12] = {0.3, -0.2, 1, 2, -1, 3, 0.3, -0.2, 1, 2, -1, 3};
    memcpy(velocity(&one), start, sizeof start), memcpy(velocity(&many), start, sizeof start);
    run(&one, 1), run(&many, 1); /* velocities that do not belong together are made to */
    for (int k = 0; k < 100; k++) {
        run(&one, 1), run(&many, 1);
        for (int i = 0; i < one.m->nq; i++)
            CHECK_NEAR(one.x[i], many.x[i], TOL_SAME);
    }
    CHECK(hypot(velocity(&one)[3], velocity(&one)[5]) > 0.5);
    end_world(&one), end_world(&many);
}

static const char *const BARS =
    "<body name='crank' pos='0 0 1'><joint type='hinge' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .2 0 0' "
    "size='.015' mass='.4'/><body name='coupler' pos='.2 0 0'><joint type='hinge' axis='0 1 0'/><geom type='capsule' "
    "fromto='0 0 0 .3 0 -.4' size='.015' mass='1'/></body></body><body name='rocker' pos='.5 0 1'><joint type='hinge' "
    "axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 -.4' size='.015' mass='.8'/></body>";
#define LOOP "<connect body1='coupler' body2='rocker' anchor='.3 0 -.4'/>"

/* A linkage of hinges that are parallel, whose loop says more than it needs to (it cannot leave its plane), once and
 * three times, from one side and from the other. */
static void redundant_loops_share(void **state) {
    (void)state;
    World one = text_world(BARS, "<equality>" LOOP "</equality>", 0.01);
    World many = text_world(
        BARS, "<equality>" LOOP LOOP "<connect body1='rocker' body2='coupler' anchor='0 0 -.4'/></equality>", 0.01);
    for (int k = 0; k < 100; k++) {
        run(&one, 1), run(&many, 1);
        CHECK_LT(many.info.violation.size, TOL_CLOSED);
        for (int i = 0; i < one.m->nq; i++)
            CHECK_NEAR(one.x[i], many.x[i], TOL_SAME);
    }
    CHECK(fabs(velocity(&one)[0]) > 0.5);
    end_world(&one), end_world(&many);
}

/* c_0 = P(c_1) at the end of every step, of joints and tendons, and loops of the robots are closed. */
static void couplings_hold(void **state) {
    (void)state;
    World w = text_world("<body><joint name='a' type='hinge' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .3 0 0' "
                         "size='.03' mass='1'/><body pos='.3 0 0'><joint name='b' type='hinge' axis='0 1 0'/><geom "
                         "type='capsule' fromto='0 0 0 .2 0 .1' size='.03' mass='1'/></body></body>",
                         "<equality><joint joint1='b' joint2='a' polycoef='0 0.5 0.3 -0.1 0'/></equality>", 0.002);
    double before = energy(&w);
    for (int k = 0; k < 1000; k++) {
        run(&w, 1);
        double a = w.x[0];
        CHECK_NEAR(w.x[1], a * (0.5 + a * (0.3 - 0.1 * a)), TOL_CLOSED);
    }
    CHECK_NEAR(energy(&w), before, TOL_ENERGY);
    end_world(&w);
    World bars = file_world("models/four_bar.xml", 0.005), finger = file_world("models/finger.xml", 0.005);
    finger.u[0] = 20; /* N: onto the table, to the end of its tendon, whose levers are millimetres */
    run(&bars, 200), run(&finger, 200);
    CHECK_NEAR(0.010 * finger.x[0] + 0.008 * finger.x[1] + 0.006 * finger.x[2], 0.022, TOL_SOFT);
    end_world(&bars), end_world(&finger);
}

/* Of a four-bar linkage that swings energy goes up and down within a step's worth, and has no trend. */
static void loop_keeps_energy(void **state) {
    (void)state;
    World w = file_world("models/four_bar.xml", 0.005);
    double least[2] = {(double)INFINITY, (double)INFINITY}, most[2] = {0, 0};
    for (int k = 0; k < 4000; k++) {
        run(&w, 1);
        double e = energy(&w);
        least[k / 2000] = fmin(least[k / 2000], e), most[k / 2000] = fmax(most[k / 2000], e);
    }
    CHECK_NEAR(least[0], least[1], TOL_TREND);
    CHECK_NEAR(most[0], most[1], TOL_TREND);
    CHECK(most[0] - least[0] > 100 * TOL_TREND && fabs(velocity(&w)[0]) > 0.1);
    end_world(&w);
}

/* An equality that is given open closes at TAC_NCP_CLOSING = 2 m/s at most. */
static void open_start_closes(void **state) {
    (void)state;
    World w = text_world("<body name='bar' pos='0 0 0'><freejoint/><geom type='sphere' size='0.1' mass='1'/></body>",
                         "<equality><connect body1='bar' anchor='0 0 0'/></equality>", 0.01);
    w.x[0] = 0.05;
    run(&w, 1);
    CHECK_NEAR(w.x[0], 0.03, TOL_CLOSED);
    run(&w, 2);
    CHECK_NEAR(w.x[0], 0, TOL_CLOSED);
    end_world(&w);
}

/* --- Dry friction ------------------------------------------------------------------------------------------------- */

/* v goes down by h F/m a step to zero, in v_0 m/F; what pushes less than the loss moves nothing. */
static void check_sliding(World *w, double mass, double loss) {
    double v = 1, h = w->h;
    velocity(w)[0] = v;
    for (int k = 0; k < 60; k++) {
        run(w, 1);
        v = fmax(0, v - h * loss / mass);
        CHECK_NEAR(velocity(w)[0], v, TOL_SOFT);
    }
    CHECK(v == 0);
    w->u[0] = 0.9 * loss;
    double x = w->x[0];
    run(w, 100);
    CHECK_NEAR(w->x[0], x, TOL_SOFT);
    w->u[0] = 1.5 * loss;
    run(w, 1);
    CHECK_NEAR(velocity(w)[0], h * 0.5 * loss / mass, TOL_SOFT);
}

static void friction_stops_a_slide(void **state) {
    (void)state;
    World w = text_world("<body><joint type='slide' axis='1 0 0' frictionloss='3.1'/><geom type='sphere' size='0.1' "
                         "mass='1.5'/></body>",
                         "", 0.01);
    check_sliding(&w, 1.5, 3.1);
    end_world(&w);
    World t = text_world("<body><joint name='x' type='slide' axis='1 0 0'/><geom type='sphere' size='0.1' mass='1.5'/>"
                         "</body>",
                         "<tendon><fixed frictionloss='1.55'><joint joint='x' coef='2'/></fixed></tendon>", 0.01);
    check_sliding(&t, 1.5, 3.1);
    end_world(&t);
}

/* --- Limits, armature --------------------------------------------------------------------------------------------- */

static void qfrc_constraint(World *w, double *z) {
    const tacOutput list[] = {{TAC_OUT_QFRC_CONSTRAINT, TAC_OUT_ALL}};
    CHECK_INT(tac_outputs(w->sim, w->x, w->u, &(tacOutputs){1, list}, z), TAC_OK);
}

/* A ball that would turn past pi in the step, where the shortest turn is the other way round, is held by its limit. */
static void ball_does_not_come_round(void **state) {
    static const char *const RANGE[] = {"2.8", "3.1", "3.14"};
    (void)state;
    for (int k = 0; k < 9; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "<body><joint type='ball' limited='true' range='0 %s'/><geom type='capsule' fromto='0 0 0 .5 0 0' "
                 "size='0.03' mass='1.5'/></body>",
                 RANGE[k % 3]);
        World w = text_world(text, "<option gravity='0 0 0'/>", k / 3 == 0 ? 0.01 : k / 3 == 1 ? 0.05 : 0.1);
        velocity(&w)[1] = 9;
        double had = energy(&w);
        for (int i = 0; i < 100; i++) {
            run(&w, 1);
            CHECK(energy(&w) <= had * (1 + 1e-9));
            CHECK(2 * atan2(hypot(w.x[1], hypot(w.x[2], w.x[3])), w.x[0]) < atof(RANGE[k % 3]));
        }
        CHECK_LT(energy(&w), 1e-3 * had);
        end_world(&w);
    }
}

/* A bar on a ball falls to the end of its range and stays, held by the torque of its weight. */
static void ball_rests_on_its_limit(void **state) {
    (void)state;
    World w = text_world("<body><joint type='ball' limited='true' range='0 0.4' damping='0.5'/><geom type='sphere' "
                         "pos='0.3 0.1 0' size='0.05' mass='1'/></body>",
                         "", 0.01);
    double z[3], arm = hypot(0.3, 0.1);
    run(&w, 600);
    double angle = 2 * acos(w.x[0]);
    CHECK_NEAR(angle, 0.4, TOL_SOFT);
    CHECK_LT(angle, 0.4);
    qfrc_constraint(&w, z);
    CHECK_NEAR(sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]), GRAVITY * arm * cos(0.4), TOL_FORCE);
    end_world(&w);
}

/* Two weights on one cord of fixed greatest length. */
static void tendon_rests_on_its_limit(void **state) {
    (void)state;
    World w = text_world("<body><joint name='a' type='slide' axis='0 0 -1' damping='5'/><geom type='sphere' size='0.1' "
                         "mass='2'/></body><body pos='1 0 0'><joint name='b' type='slide' axis='0 0 -1' damping='5'/>"
                         "<geom type='sphere' size='0.1' mass='2'/></body>",
                         "<tendon><fixed limited='true' range='-1 0.3'><joint joint='a' coef='1'/><joint joint='b' "
                         "coef='1'/></fixed></tendon>",
                         0.01);
    double z[2];
    run(&w, 300);
    CHECK_NEAR(w.x[0] + w.x[1], 0.3, TOL_SOFT);
    qfrc_constraint(&w, z);
    CHECK_NEAR(z[0], -2 * GRAVITY, TOL_FORCE);
    CHECK_NEAR(z[1], -2 * GRAVITY, TOL_FORCE);
    end_world(&w);
}

/* F/(m + a c^2); armature is no constraint. */
static void armature_of_tendon_is_inertia(void **state) {
    (void)state;
    World w = text_world("<body><joint name='x' type='slide' axis='1 0 0'/><geom type='sphere' size='0.1' mass='2'/>"
                         "</body>",
                         "<tendon><fixed armature='0.7'><joint joint='x' coef='2'/></fixed></tendon>", 0.01);
    double z;
    w.u[0] = 3;
    run(&w, 10);
    CHECK_NEAR(velocity(&w)[0], 10 * 0.01 * 3 / (2 + 0.7 * 4), TOL_CLOSED);
    qfrc_constraint(&w, &z);
    CHECK_NEAR(z, 0, TOL_CLOSED);
    end_world(&w);
}

/* A servo so stiff that it would shake to pieces: v+ = v + h (k (u - q) - b v)/(m + h b), where the model asks for
 * forces implicit in velocity; without, as of the start of the step. */
static void servo_is_implicit(void **state) {
    (void)state;
    const char *body =
                   "<body><joint name='x' type='slide' axis='1 0 0'/><geom type='sphere' size='0.1' mass='2'/></body>",
               *servo = "<actuator><position joint='x' kp='800' kv='300' gear='2'/></actuator>";
    char asks[256];
    snprintf(asks, sizeof asks, "<option integrator='implicitfast'/>%s", servo);
    World w[2] = {text_world(body, servo, 0.05), text_world(body, asks, 0.05)};
    for (int implicit = 0; implicit < 2; implicit++) {
        double q = 0, v = 0, h = 0.05, k = 4 * 800, b = 4 * 300, m = 2;
        w[implicit].u[0] = 0.3;
        for (int i = 0; i < (implicit ? 40 : 4); i++) {
            run(&w[implicit], 1);
            v += h * (k * (0.15 - q) - b * v) / (m + (implicit ? h * b : 0)), q += h * v;
            CHECK_NEAR(w[implicit].x[0], q, TOL_CLOSED * fmax(1, fabs(q)));
        }
        CHECK(implicit ? fabs(q - 0.15) < 0.05 : fabs(q) > 1e3);
        end_world(&w[implicit]);
    }
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* A chain with a tendon that has everything, a coupling, and a ball with a limit. */
static World everything(void) {
    static char text[4096];
    snprintf(
        text, sizeof text,
        "<mujoco><compiler angle='radian'/><default><geom contype='0' conaffinity='0'/></default><worldbody><body>"
        "<joint name='a' type='hinge' axis='0 1 0.2'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.03' "
        "mass='1'/><body pos='.3 0 0'><joint name='b' type='hinge' axis='0 1 0' frictionloss='0.3'/><joint name='c' "
        "type='slide' axis='1 0 0'/><geom type='capsule' fromto='0 0 0 .2 0 .1' size='.03' mass='0.7'/><body "
        "pos='.2 0 .1'><joint name='d' type='ball' limited='true' range='0 0.3' frictionloss='0.02'/><geom "
        "type='capsule' fromto='0 0 0 .2 0 .1' size='.03' mass='0.4'/></body></body></body></worldbody><tendon><fixed "
        "name='cord' limited='true' range='-0.2 0.2' frictionloss='0.3' armature='0.2'><joint joint='a' coef='1.1'/>"
        "<joint joint='b' coef='-0.6'/></fixed></tendon><equality><joint joint1='c' joint2='a' polycoef='0 0.1 0.2 "
        "0.1 0'/></equality></mujoco>");
    Loaded l = load_ok(text);
    tacError err;
    static const char *const PARAMS[] = {"tendon/cord.armature", "tendon/cord.coef[0]",  "tendon/cord.frictionloss",
                                         "tendon/cord.range[1]", "joint/b.frictionloss", "joint/d.frictionloss",
                                         "joint/d.range[1]",     "geom/#1.mass",         "equality/#0.data[2]",
                                         "option.timestep"};
    for (size_t i = 0; i < sizeof PARAMS / sizeof *PARAMS; i++)
        if (tac_param_register(l.model, PARAMS[i], NULL, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_report_free(l.report);
    World w = open_world(l.model, 0.01);
    tacOptions options = tac_default_options(w.m);
    options.contact = TAC_CONTACT_MODEL_NCP, options.dt = 0.01, options.ncp_kappa = KAPPA, options.ncp_polish = 5;
    options.inputs = TAC_INPUT_QFRC;
    tac_sim_free(w.sim);
    if (tac_sim_new(w.m, &options, &w.sim, &err) != TAC_OK) fail_msg("%s", err.text);
    return w;
}

enum { NX = 12, NU = 6, NP = 10, NALL = NX + NU + NP, NOUT = NX + 6 };

/* The step's end (tangent from y0) and the forces of constraints, from x displaced by t along d = (x, u, theta). */
static void outcome(World *w, const double *y0, double t, const double *d, double *out) {
    double x[MOST_NUMBERS], u[NU], y[MOST_NUMBERS], theta[NP], moved[NP], move[NX / 2] = {0};
    int nq = w->m->nq, nv = w->m->nv;
    for (int i = 0; i < nv; i++)
        move[i] = t * d[i], u[i] = w->u[i] + t * d[NX + i];
    tac_qpos_add(w->m, w->x, move, x);
    for (int i = 0; i < nv; i++)
        x[nq + i] = w->x[nq + i] + t * d[nv + i];
    CHECK_INT(tac_sim_get_params(w->sim, theta), TAC_OK);
    for (int i = 0; i < NP; i++)
        moved[i] = theta[i] + t * d[NX + NU + i];
    CHECK_INT(tac_sim_set_params(w->sim, moved), TAC_OK);
    CHECK_INT(tac_step(w->sim, x, u, y, &w->info), TAC_OK);
    tac_qpos_sub(w->m, y, y0, out);
    memcpy(out + nv, y + nq, (size_t)nv * sizeof *out);
    const tacOutput list[] = {{TAC_OUT_QFRC_CONSTRAINT, TAC_OUT_ALL}};
    CHECK_INT(tac_outputs(w->sim, x, u, &(tacOutputs){1, list}, out + NX), TAC_OK);
    CHECK_INT(tac_sim_set_params(w->sim, theta), TAC_OK);
}

static void draw_state(World *w, tacDraw *d) {
    double move[NX / 2] = {0}, start[MOST_NUMBERS];
    tac_default_state(w->m, start);
    for (int i = 0; i < w->m->nv; i++)
        move[i] = 0.2 * draw_normal(d);
    tac_qpos_add(w->m, start, move, w->x);
    for (int i = 0; i < w->m->nv; i++)
        velocity(w)[i] = draw_normal(d), w->u[i] = draw_normal(d);
}

/* J of the step and of the forces, rows of [x | u | theta]. */
static void jacobian(World *w, double J[NOUT][NALL]) {
    static double A[NX * NX], B[NX * NU], P[NX * NP], FA[6 * NX], FB[6 * NU], FP[6 * NP];
    const tacOutput list[] = {{TAC_OUT_QFRC_CONSTRAINT, TAC_OUT_ALL}};
    CHECK_INT(tac_step_jac(w->sim, w->x, w->u, NULL, &(tacJac){A, B, P}, NULL), TAC_OK);
    CHECK_INT(tac_outputs_jac(w->sim, w->x, w->u, &(tacOutputs){1, list}, NULL, &(tacJac){FA, FB, FP}), TAC_OK);
    for (int i = 0; i < NOUT; i++)
        for (int j = 0; j < NALL; j++) {
            const double *of[3] = {i < NX ? A + i * NX : FA + (i - NX) * NX, i < NX ? B + i * NU : FB + (i - NX) * NU,
                                   i < NX ? P + i * NP : FP + (i - NX) * NP};
            J[i][j] = j < NX ? of[0][j] : j < NX + NU ? of[1][j - NX] : of[2][j - NX - NU];
        }
}

/* Every column against differences, forces of constraints included. */
static void check_columns(World *w, double J[NOUT][NALL]) {
    double y0[MOST_NUMBERS];
    CHECK_INT(tac_step(w->sim, w->x, w->u, y0, &w->info), TAC_OK);
    for (int j = 0; j < NALL; j++) {
        double d[NALL] = {0}, D[2][NOUT], low[NOUT], high[NOUT];
        d[j] = 1;
        for (int level = 0; level < 2; level++) {
            double t = DIFFERENCE / (1 + level);
            outcome(w, y0, t, d, high), outcome(w, y0, -t, d, low);
            for (int i = 0; i < NOUT; i++)
                D[level][i] = (high[i] - low[i]) / (2 * t);
        }
        for (int i = 0; i < NOUT; i++) {
            double want = (4 * D[1][i] - D[0][i]) / 3, scale = i < NX ? 1 : 1 / w->h;
            CHECK_NEAR(J[i][j], want, TOL_GRADIENT * scale * fmax(1, fabs(want)));
        }
    }
}

static void check_reverse(World *w, tacDraw *d, double J[NOUT][NALL]) {
    double bar[NOUT], x[2][NX], u[2][NU], theta[2][NP];
    const tacOutput list[] = {{TAC_OUT_QFRC_CONSTRAINT, TAC_OUT_ALL}};
    draw_array(d, NOUT, bar);
    CHECK_INT(tac_step_vjp(w->sim, w->x, w->u, bar, &(tacGrad){x[0], u[0], theta[0]}, NULL), TAC_OK);
    CHECK_INT(tac_outputs_vjp(w->sim, w->x, w->u, &(tacOutputs){1, list}, bar + NX, &(tacGrad){x[1], u[1], theta[1]}),
              TAC_OK);
    for (int part = 0; part < 2; part++)
        for (int j = 0; j < NALL; j++) {
            double want = 0, got = j < NX ? x[part][j] : j < NX + NU ? u[part][j - NX] : theta[part][j - NX - NU];
            for (int i = part ? NX : 0; i < (part ? NOUT : NX); i++)
                want += bar[i] * J[i][j];
            CHECK_NEAR(got, want, TOL_REVERSE * fmax(1, fabs(want)) / (part ? w->h : 1));
        }
}

static void derivatives_are_differences(void **state) {
    (void)state;
    static double J[NOUT][NALL];
    World w = everything();
    tacDraw d = {81, 0};
    CHECK(2 * w.m->nv == NX && w.m->nparam == NP);
    for (int k = 0; k < 6; k++) {
        draw_state(&w, &d);
        jacobian(&w, J);
        CHECK(fabs(J[NX / 2][NX / 2]) > 1e-3 && fabs(J[NX / 2][NX + NU]) > 1e-6);
        check_columns(&w, J);
        check_reverse(&w, &d, J);
    }
    end_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(connect_is_a_hinge),
                                       cmocka_unit_test(redundant_welds_share),
                                       cmocka_unit_test(redundant_loops_share),
                                       cmocka_unit_test(couplings_hold),
                                       cmocka_unit_test(loop_keeps_energy),
                                       cmocka_unit_test(open_start_closes),
                                       cmocka_unit_test(friction_stops_a_slide),
                                       cmocka_unit_test(ball_rests_on_its_limit),
                                       cmocka_unit_test(ball_does_not_come_round),
                                       cmocka_unit_test(tendon_rests_on_its_limit),
                                       cmocka_unit_test(armature_of_tendon_is_inertia),
                                       cmocka_unit_test(servo_is_implicit),
                                       cmocka_unit_test(derivatives_are_differences)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
