/* Contact ncp from states that no motion can mend: steps are solved, what is broken does not get worse, nothing is
 * thrown about, and derivatives are those of the step   (docs/theory/ncp.md, W47-W50). */
#include "tactus/io.h"
#include "tactus/tactus.h"

#include "io/scratch.h"
#include "measure/differences.h"
#include "solve/yield.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

enum { STEPS = 200, MOST_X = 64, MOST_DX = 64, MOST_PARAM = 8 };
#define DT           0.002
#define PARTING      0.1                                 /* m/s, rad/s */
#define WORSE        (1.01 * TAC_YIELD_BEYOND * PARTING) /* m/s, rad/s: under an unbounded impulse */
#define TOL_DEPTH    1e-8                                /* m */
#define FIRST_STEP   1e-5
#define TOL_GRADIENT 2e-6
#define TOL_REVERSE  1e-9

/* Two plates that leave a body less room than it needs, which it falls between. */
#define PLATES(gap)                                                                                                    \
    "<geom name='left' type='box' size='.01 .5 .5' pos='-" gap " 0 0'/>"                                               \
    "<geom name='right' type='box' size='.01 .5 .5' pos='" gap " 0 0'/>"
#define JAMMED_BALL                                                                                                    \
    "<mujoco><worldbody>" PLATES(".105") "<body name='jammed'><freejoint/><geom name='own' type='sphere' size='.1'/>"  \
                                         "</body></worldbody></mujoco>"
#define JAMMED_BOX                                                                                                     \
    "<mujoco><worldbody>" PLATES(".105") "<body name='jammed'><freejoint/><geom name='own' type='box' "                \
                                         "size='.1 .08 .06'/></body></worldbody></mujoco>"
/* By less than one step makes good. */
#define FLUSH_BOX                                                                                                      \
    "<mujoco><worldbody>" PLATES(".10999") "<body name='jammed'><freejoint/><geom name='own' type='box' "              \
                                           "size='.1 .08 .06'/></body></worldbody></mujoco>"
/* A slide that is 2 cm below its range, in a ceiling that does not let it rise. */
#define UNDER_A_CEILING                                                                                                \
    "<mujoco><worldbody><geom name='ceiling' type='box' size='.3 .3 .05' pos='0 0 .149'/>"                             \
    "<body name='slider'><joint name='up' type='slide' axis='0 0 1' limited='true' range='.02 .3'/>"                   \
    "<geom name='own' type='sphere' size='.1' mass='2'/></body></worldbody></mujoco>"
/* Two links deep in a base that they hang on, a little out of their ranges. */
#define LINKS                                                                                                          \
    "<mujoco><compiler angle='radian'/><worldbody><body name='base'><geom name='block' type='box' size='.1 .1 .1'/>"   \
    "<body name='upper' pos='.05 0 0'><joint name='a' axis='0 1 0' limited='true' range='-1 -.002'/>"                  \
    "<geom name='near' type='capsule' fromto='0 0 0 .04 0 0' size='.02'/>"                                             \
    "<body name='lower' pos='.04 0 0'><joint name='b' axis='0 0 1' limited='true' range='.003 1'/>"                    \
    "<geom name='far' type='box' size='.06 .03 .02' pos='.03 .004 .003' euler='.1 .07 "                                \
    ".05'/></body></body></body></worldbody>"                                                                          \
    "<contact><exclude body1='base' body2='upper'/></contact></mujoco>"
/* Two free bodies in each other, and nothing else. */
#define TWO_BODIES                                                                                                     \
    "<mujoco><option gravity='0 0 0'/><worldbody>"                                                                     \
    "<body name='one'><freejoint/><geom name='big' type='box' size='.1 .1 .1' mass='2'/></body>"                       \
    "<body name='two' pos='.12 .03 .02'><freejoint/><geom name='own' type='sphere' size='.1' mass='1'/></body>"        \
    "</worldbody></mujoco>"

static const struct {
    const char *text;
    tacStatus start;
    double most_speed; /* m/s, rad/s: of any dof over the steps */
    const char *param[MOST_PARAM];
} CASES[] = {
    {JAMMED_BALL,
     TAC_ERR_INCONSISTENT,
     0.2,
     {"body/jammed.mass", "geom/left.pos[0]", "geom/own.size[0]", "option.timestep"}},
    {JAMMED_BOX,
     TAC_ERR_INCONSISTENT,
     0.2,
     {"body/jammed.mass", "geom/left.pos[0]", "geom/own.size[0]", "option.timestep"}},
    {FLUSH_BOX, TAC_OK, 0.2, {"body/jammed.mass", "option.timestep"}},
    {UNDER_A_CEILING,
     TAC_ERR_INCONSISTENT,
     0.2,
     {"body/slider.mass", "joint/up.range[0]", "geom/ceiling.pos[2]", "option.timestep"}},
    {LINKS,
     TAC_ERR_INCONSISTENT,
     1.0,
     {"body/lower.mass", "body/upper.mass", "joint/b.range[0]", "geom/far.size[0]", "geom/block.size[0]",
      "option.timestep"}},
    {TWO_BODIES, TAC_ERR_INCONSISTENT, 2.0, {"body/one.mass", "body/two.mass", "geom/own.size[0]", "option.timestep"}}};
enum { NCASE = sizeof CASES / sizeof *CASES };

typedef struct Run {
    tacModel *m;
    tacSim *sim;
    tacStepInfo info;
    int ndx, np, column;
    double x[MOST_X], y[MOST_X], moved[MOST_X], theta[MOST_PARAM], other[MOST_PARAM];
} Run;

static void begin(Run *run, int k) {
    tacError err;
    *run = (Run){.np = 0};
    if (tac_load(scratch_text("start.xml", CASES[k].text), &run->m, &err) != TAC_OK) fail_msg("%s", err.text);
    for (; run->np < MOST_PARAM && CASES[k].param[run->np] != NULL; run->np++)
        if (tac_param_register(run->m, CASES[k].param[run->np], NULL, &err) != TAC_OK) fail_msg("%s", err.text);
    tacOptions options = tac_default_options(run->m);
    options.contact = TAC_CONTACT_MODEL_NCP, options.dt = DT, options.ncp_polish = 3;
    if (tac_sim_new(run->m, &options, &run->sim, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_default_state(run->m, run->x);
    run->ndx = tac_ndx(run->m);
    CHECK(tac_nx(run->m) <= MOST_X && run->ndx <= MOST_DX);
    CHECK_INT(tac_sim_get_params(run->sim, run->theta), TAC_OK);
}

static void end(Run *run) {
    tac_sim_free(run->sim);
    tac_model_free(run->m);
}

static void step(Run *run) { CHECK_INT(tac_step(run->sim, run->x, NULL, run->x, &run->info), TAC_OK); }

/* --- Motions ------------------------------------------------------------------------------------------------------ */

/* All steps are solved; the start is told apart; what is broken most is never broken by more than before. */
static void steps_are_solved(void **state) {
    (void)state;
    for (int k = 0; k < NCASE; k++) {
        Run run;
        double before = 0;
        begin(&run, k);
        for (int i = 0; i < STEPS; i++) {
            step(&run);
            if (i == 0) CHECK_INT(run.info.start, CASES[k].start);
            if (i > 0) CHECK_LT(run.info.violation.size, before + WORSE * DT + TOL_DEPTH);
            before = run.info.violation.size;
            for (int j = 0; j < run.m->nv; j++)
                CHECK_LT(fabs(run.x[run.m->nq + j]), CASES[k].most_speed);
        }
        end(&run);
    }
}

/* A limit that is made good does not lift what a ceiling holds down, and does not give way to it either. */
static void a_ceiling_wins(void **state) {
    (void)state;
    Run run;
    begin(&run, 3);
    for (int i = 0; i < STEPS; i++)
        step(&run);
    CHECK_LT(fabs(run.x[0]), WORSE * DT * STEPS + 2e-7);
    end(&run);
}

/* Bodies that push each other apart keep their momentum, and get no faster than they are to part. */
static void parted_bodies_keep_momentum(void **state) {
    (void)state;
    static const tacOutput WHAT[2] = {{TAC_OUT_MOMENTUM, 0}, {TAC_OUT_KINETIC, 0}};
    const tacOutputs outputs = {2, WHAT};
    Run run;
    double z[7];
    begin(&run, 5);
    for (int i = 0; i < 2 * STEPS; i++) {
        step(&run);
        CHECK_INT(tac_outputs(run.sim, run.x, NULL, &outputs, z), TAC_OK);
        for (int j = 0; j < 6; j++)
            CHECK_NEAR(z[j], 0, 1e-6);
        CHECK_LT(z[6], 0.5 * 2 * PARTING * PARTING);
    }
    step(&run);
    CHECK_INT(run.info.start, TAC_OK);
    CHECK_LT(run.info.violation.size, TOL_DEPTH);
    end(&run);
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* Columns of A, then those of P. */
static int step_along(void *context, double t, double *out) {
    Run *run = context;
    const tacModel *m = run->m;
    double d[MOST_DX] = {0};
    memcpy(run->other, run->theta, sizeof run->theta);
    if (run->column < run->ndx)
        d[run->column] = t;
    else
        run->other[run->column - run->ndx] += t;
    if (tac_sim_set_params(run->sim, run->other) != TAC_OK) return 1;
    tac_qpos_add(m, run->x, d, run->moved);
    for (int i = m->nv; i < run->ndx; i++)
        run->moved[m->nq - m->nv + i] = run->x[m->nq - m->nv + i] + d[i];
    if (tac_step(run->sim, run->moved, NULL, run->moved, NULL) != TAC_OK) return 1;
    tac_qpos_sub(m, run->moved, run->y, out);
    for (int i = m->nv; i < run->ndx; i++)
        out[i] = run->moved[m->nq - m->nv + i];
    return 0;
}

static double check_column(Run *run, const double *J, int width, int column) {
    double by[MOST_DX], error[MOST_DX], work[4096], worst = 0, largest = 1;
    CHECK(difference_work(run->ndx) <= (int)(sizeof work / sizeof *work));
    CHECK_INT(difference_ridders(step_along, run, run->ndx, FIRST_STEP, by, error, work), 0);
    for (int i = 0; i < run->ndx; i++)
        largest = fmax(largest, fabs(by[i])), worst = fmax(worst, fabs(J[i * width + column] - by[i]));
    return worst / largest;
}

static void check_reverse(Run *run, const double *A, const double *P) {
    double ybar[MOST_DX], x[MOST_DX], theta[MOST_PARAM];
    for (int i = 0; i < run->ndx; i++)
        ybar[i] = 1 + 0.3 * i;
    const tacGrad grad = {.x = x, .theta = theta};
    CHECK_INT(tac_step_vjp(run->sim, run->x, NULL, ybar, &grad, NULL), TAC_OK);
    for (int j = 0; j < run->ndx + run->np; j++) {
        double sum = 0, size = 1;
        for (int i = 0; i < run->ndx; i++) {
            double of = j < run->ndx ? A[i * run->ndx + j] : P[i * run->np + j - run->ndx];
            sum += ybar[i] * of, size += fabs(ybar[i] * of);
        }
        CHECK_NEAR((j < run->ndx ? x[j] : theta[j - run->ndx]) / size, sum / size, TOL_REVERSE);
    }
}

/* At starts that give way, at rest and a few steps on, by state and by parameters. */
static void derivatives_are_exact(void **state) {
    (void)state;
    for (int k = 0; k < NCASE; k++)
        for (int wait = 0; wait < 6; wait += 5) {
            Run run;
            double A[MOST_DX * MOST_DX], P[MOST_DX * MOST_PARAM];
            begin(&run, k);
            for (int i = 0; i < wait; i++)
                step(&run);
            const tacJac jac = {.A = A, .P = P};
            CHECK_INT(tac_step_jac(run.sim, run.x, NULL, run.y, &jac, &run.info), TAC_OK);
            check_reverse(&run, A, P);
            for (run.column = 0; run.column < run.ndx + run.np; run.column++) {
                int of_x = run.column < run.ndx;
                double error = of_x ? check_column(&run, A, run.ndx, run.column)
                                    : check_column(&run, P, run.np, run.column - run.ndx);
                if (!(error < TOL_GRADIENT))
                    print_error("case %d after %d, column %d: %.3g\n", k, wait, run.column, error);
                CHECK_LT(error, TOL_GRADIENT);
            }
            end(&run);
        }
}

/* One slide 2 cm below its range, one that stands at the end of its own. */
#define AT_ITS_END                                                                                                     \
    "<mujoco><worldbody><body><joint type='slide' axis='1 0 0' limited='true' range='.02 .3'/>"                        \
    "<geom size='.1' contype='0' conaffinity='0'/><body><joint type='slide' axis='1 0 0' limited='true' range='0 "     \
    ".3'/>"                                                                                                            \
    "<geom size='.1' contype='0' conaffinity='0'/></body></body></worldbody></mujoco>"

/* The step from there -> what it says of itself. */
static tacStepInfo info_at(tacSim *sim, double broken, double at_its_end) {
    const double x[4] = {broken, at_its_end, 0, 0};
    double y[4];
    tacStepInfo info;
    CHECK_INT(tac_step(sim, x, NULL, y, &info), TAC_OK);
    return info;
}

/* Where one constraint is broken, the others begin to give way as they break: the step has a kink, and tells it. */
static void kinks_are_told(void **state) {
    (void)state;
    tacModel *m;
    tacSim *sim;
    tacError err;
    if (tac_load(scratch_text("end.xml", AT_ITS_END), &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NCP, options.dt = DT;
    if (tac_sim_new(m, &options, &sim, &err) != TAC_OK) fail_msg("%s", err.text);
    CHECK_NEAR(info_at(sim, 0, 0).feature_margin, 0, 0);
    CHECK(info_at(sim, 0, 1e-6).active_set != info_at(sim, 0, -1e-6).active_set);
    CHECK_NEAR(info_at(sim, 0.1, 0).feature_margin, DT * PARTING, 1e-12);
    CHECK(info_at(sim, 0.1, 1e-6).active_set == info_at(sim, 0.1, -1e-6).active_set);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* --- The law ------------------------------------------------------------------------------------------------------ */

static int give_way(void *context, double t, double *out) {
    double slope;
    *out = tac_yield(context, *(double *)((char *)context + sizeof(tacYield)) + t, &slope);
    return 0;
}

/* As far as the impulse asks for at first, then as far as the way, and hardly further; never back. */
static void a_gap_gives_way(void **state) {
    (void)state;
    struct {
        tacYield g;
        double at;
    } law = {{0.01, 2}, 0};
    double slope, before = 0;
    CHECK_NEAR(tac_yield(&law.g, 0, &slope), 0, 0);
    CHECK_NEAR(slope, 0.01 * 2, 1e-4);
    CHECK_NEAR(tac_yield(&law.g, 2 / law.g.per, &slope), law.g.way, 1e-15);
    CHECK_NEAR(tac_yield(&law.g, 1e12, &slope), (1 + TAC_YIELD_BEYOND) * law.g.way, 1e-12);
    CHECK_NEAR(tac_yield(&(tacYield){0, 2}, 5, &slope), 0, 0);
    for (law.at = 0.01; law.at < 5; law.at *= 1.3) {
        double by, error, work[256], y = tac_yield(&law.g, law.at, &slope);
        CHECK(y > before && slope > 0);
        CHECK_INT(difference_ridders(give_way, &law, 1, 1e-3, &by, &error, work), 0);
        CHECK_NEAR(slope, by, 1e-9);
        before = y;
        for (int k = 0; k < 3; k++) {
            double ratio = 0.01, product = pow(10, -9 + 3 * k), gap = -0.004, a = law.at, b = gap;
            tac_yield_project_to_path(&law.g, ratio, product, &a, &b);
            CHECK_NEAR(a * b, product, 1e-15 + 1e-12 * product);
            CHECK_NEAR(b, gap + tac_yield(&law.g, a, &slope) + ratio * (a - law.at), 1e-14);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gap_gives_way),       cmocka_unit_test(steps_are_solved),
        cmocka_unit_test(a_ceiling_wins),        cmocka_unit_test(parted_bodies_keep_momentum),
        cmocka_unit_test(derivatives_are_exact), cmocka_unit_test(kinks_are_told)};
    return cmocka_run_group_tests_name("infeasible_start", tests, scratch_setup, scratch_teardown);
}
