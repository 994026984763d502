/* Derivatives of a step between bodies: A, B and P against differences of joints(bodies), step, bodies; the reverse
 * mode against them. */
#include "maximal_world.h"

#include "tactus/io.h"

#include "measure/differences.h"
#include "support/check.h"
#include "support/draw.h"
#include "support/joint_types.h"
#include "support/random_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOL_STEP       1e-6
#define TOL_PARAM      1e-6  /* of a column's largest number; what differences in doubles have of it */
#define TOL_REVERSE    1e-10 /* of the largest summand */
#define TOL_FORWARD    1e-11
#define LEAST_BY_PARAM 1e-4 /* what a parameter changes at least */
#define DIRT           7.25 /* what outputs hold before */
enum { MOST_PARAMS = 4 };

/* --- Steps -------------------------------------------------------------------------------------------------------- */

/* A model that moves until it touches. */
typedef struct Case {
    const char *path;
    tacContactModel contact;
    double dt;
    int steps;
    const char *params[MOST_PARAMS]; /* beside those that all have */
    double gradient_kappa;
    int toi;
} Case;

static const char *const ALL_HAVE[] = {"option.timestep", "option.gravity[2]", "body/#1.mass"};

static void register_all(tacModel *m, const Case *c) {
    tacError err;
    for (size_t i = 0; i < sizeof ALL_HAVE / sizeof *ALL_HAVE; i++)
        if (tac_param_register(m, ALL_HAVE[i], NULL, &err) != TAC_OK) fail_msg("%s", err.text);
    for (int i = 0; i < MOST_PARAMS && c->params[i] != NULL; i++)
        if (tac_param_register(m, c->params[i], NULL, &err) != TAC_OK) fail_msg("%s", err.text);
}

/* The case's state, after its steps; the next one is in contact. */
static World moved(const Case *c) {
    tacModel *m;
    tacError err;
    tacStepInfo info;
    if (tac_load(c->path, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    register_all(m, c);
    World w = world_of(m, c->contact, 0);
    tacOptions options = w.sim->ctx.options;
    options.dt = c->dt, options.ncp_gradient_kappa = c->gradient_kappa, options.toi = c->toi;
    tac_sim_free(w.sim);
    if (tac_sim_new(m, &options, &w.sim, &err) != TAC_OK) fail_msg("%s", err.text);
    if (m->nkey > 0) memcpy(w.x, m->key_qpos, (size_t)m->nq * sizeof *w.x);
    for (int i = 0; i < m->nv; i++)
        w.x[m->nq + i] = 0.1 * (i % 3 - 1);
    for (int i = 0; i < m->nu; i++)
        w.u[i] = (m->nkey > 0 ? m->key_ctrl[i] : 0) + 0.1 * (i % 5 - 2) + 0.03; /* off the ends of ranges */
    for (int k = 0; k < c->steps; k++)
        CHECK_INT(tac_step(w.sim, w.x, w.u, w.x, &info), TAC_OK);
    CHECK_INT(tac_step(w.sim, w.x, w.u, w.back, &info), TAC_OK);
    CHECK(info.contacts > 0 || c->contact == TAC_CONTACT_MODEL_NONE);
    return w;
}

/* A step's derivatives between bodies and room for all that they need. */
typedef struct Blocks {
    size_t n, ninput, nparam;
    double *A, *B, *P, *theta;
    tacMaximalStep step;
} Blocks;

static Blocks blocks_of(const World *w, double span) {
    const tacModel *m = w->m;
    Blocks b = {.n = 12 * (size_t)m->nbody + (size_t)m->na, .nparam = (size_t)m->nparam};
    b.ninput = (size_t)tac_ninput(m, &w->sim->ctx.options);
    b.A = numbers(b.n * b.n), b.B = numbers(b.n * b.ninput), b.P = numbers(b.n * b.nparam);
    b.theta = numbers(b.nparam);
    b.step = (tacMaximalStep){.span = span, .A = b.A, .B = b.B, .P = b.P};
    b.step.bytes = tac_step_maximal_bytes(m, &w->sim->ctx.options);
    b.step.memory = aligned_alloc(64, b.step.bytes);
    CHECK_INT(tac_sim_get_params(w->sim, b.theta), TAC_OK);
    return b;
}

static void release_blocks(Blocks *b) { free(b->A), free(b->B), free(b->P), free(b->theta), free(b->step.memory); }

/* Largest |J - differences| of the columns of parameters over the column's own largest, which is not zero. */
static double param_error(Along *a, const Blocks *b) {
    int rows = (int)b->n;
    double *want = numbers(b->n), *work = numbers((size_t)difference_work(rows)), worst = 0;
    a->block = 2;
    for (a->column = 0; a->column < (int)b->nparam; a->column++) {
        double most = 0, off = 0;
        double apart = STEP_APART * fmax(1, fabs(a->theta[a->column]));
        CHECK_INT(difference_ridders(along, a, rows, apart, want, NULL, work), 0);
        for (size_t i = 0; i < b->n; i++) {
            most = fmax(most, fabs(want[i]));
            off = worse(off, fabs(b->P[i * b->nparam + (size_t)a->column] - want[i]));
        }
        CHECK(most > LEAST_BY_PARAM);
        worst = worse(worst, off / most);
    }
    free(want), free(work);
    return worst;
}

/* Bodies to bodies over a step against differences of joints(bodies), step, bodies: A, B and P. */
static void check_step(const Case *c, double span, double worst[3]) {
    World w = moved(c), trial = trial_of(&w), end = trial_of(&w);
    tacModel *m = w.m;
    Blocks b = blocks_of(&w, span);
    tacStepInfo info;
    double most = 0;
    w.z.span = end.z.span = span;
    CHECK_INT(tac_to_maximal(w.sim, w.x, w.u, &w.z, NULL), TAC_OK);
    CHECK_INT(tac_step_maximal_jac(w.sim, w.x, w.u, &b.step, &info), TAC_OK);
    CHECK_INT(tac_to_maximal(w.sim, w.back, w.u, &end.z, NULL), TAC_OK);
    Along a = {&w, &trial, &end, STEP, 0, 0, b.theta};
    worst[0] = worse(worst[0], block_error(&a, (int)b.n, b.A, &most));
    CHECK(most > 1);
    a.block = 1, most = 0;
    worst[1] = worse(worst[1], block_error(&a, m->nu, b.B, &most));
    CHECK(most > 1e-3 || m->nu == 0);
    worst[2] = worse(worst[2], param_error(&a, &b));
    b.step.bytes -= 64;
    CHECK_INT(tac_step_maximal_jac(w.sim, w.x, w.u, &b.step, &info), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_step_maximal_jac(w.sim, w.x, w.u, NULL, NULL), TAC_ERR_ARGUMENT);
    release_blocks(&b);
    release_trial(&trial);
    release_trial(&end);
    release(&w);
}

static const Case NCP_CASES[] = {
    {"models/half_cheetah.xml", TAC_CONTACT_MODEL_NCP, SPAN, 8,
     .params = {"body/#3.pos[0]", "geom/#0.pos[2]", "actuator/#1.gear[0]"}},
    {"models/box.xml", TAC_CONTACT_MODEL_NCP, SPAN, 3,
     .params = {"geom/#0.pos[2]", "body/#1.ipos[0]", "geom/#1.size[0]"}},
    {"models/ant.xml", TAC_CONTACT_MODEL_NCP, 0.01, 40,
     .params = {"body/#3.pos[0]", "geom/#0.pos[2]", "body/#5.quat[2]"}},
    {"models/quadruped.xml", TAC_CONTACT_MODEL_NCP, 0.01, 20,
     .params = {"body/#3.pos[0]", "geom/#0.pos[2]", "actuator/#1.gainprm[0]"}},
    {"models/humanoid.xml", TAC_CONTACT_MODEL_NCP, 0.01, 20,
     .params = {"body/#3.pos[0]", "geom/#0.pos[2]", "actuator/#4.gear[0]"}},
};
static const Case OTHER_CASES[] = {
    {"models/half_cheetah.xml", TAC_CONTACT_MODEL_LCP, 0.005, 60,
     .params = {"body/#3.pos[0]", "geom/#0.pos[2]", "actuator/#1.gear[0]"}},
    {"models/box.xml", TAC_CONTACT_MODEL_LCP, 0.005, 3,
     .params = {"geom/#0.pos[2]", "body/#1.ipos[0]", "geom/#1.size[0]"}},
    {"models/quadruped.xml", TAC_CONTACT_MODEL_LCP, 0.002, 60,
     .params = {"body/#3.pos[0]", "geom/#0.pos[2]", "actuator/#1.gainprm[0]"}},
    {"models/humanoid.xml", TAC_CONTACT_MODEL_NONE, 0.005, 5,
     .params = {"body/#3.pos[0]", "joint/#4.axis[0]", "actuator/#4.gear[0]"}},
    {"models/ant.xml", TAC_CONTACT_MODEL_SOFT, 0.005, 10,
     .params = {"body/#3.pos[0]", "geom/#0.pos[2]", "body/#5.quat[2]"}},
};
enum { NCP = sizeof NCP_CASES / sizeof *NCP_CASES, OTHER = sizeof OTHER_CASES / sizeof *OTHER_CASES };

static void check_steps(int n, const Case *cases) {
    double worst[3] = {0};
    for (int c = 0; c < n; c++)
        for (int s = 0; s < NSPAN; s++)
            check_step(&cases[c], SPANS[s], worst);
    CHECK_LT(worst[0], TOL_STEP);
    CHECK_LT(worst[1], TOL_STEP);
    CHECK_LT(worst[2], TOL_PARAM);
    print_message("%d models: by bodies %.0e, inputs %.0e, parameters %.0e\n", n, worst[0], worst[1], worst[2]);
}

static void steps_between_bodies(void **state) {
    (void)state;
    check_steps(NCP, NCP_CASES);
}

static void steps_of_other_contacts(void **state) {
    (void)state;
    check_steps(OTHER, OTHER_CASES);
}

/* --- Steps in reverse --------------------------------------------------------------------------------------------- */

/* Weights of a next state, and gradients of them. */
typedef struct Reverse {
    double *ybar, *z, *u, *theta; /* n, n, ninput, nparam */
    tacMaximalGrad grad;
} Reverse;

static Reverse reverse_of(const Blocks *b, double span) {
    tacDraw d = {700, 0};
    Reverse r = {.ybar = numbers(b->n), .z = numbers(b->n), .u = numbers(b->ninput), .theta = numbers(b->nparam)};
    draw_array(&d, (int)b->n, r.ybar);
    for (size_t i = 0; i < b->n; i++)
        r.z[i] = DIRT;
    for (size_t i = 0; i < b->ninput; i++)
        r.u[i] = DIRT;
    for (size_t i = 0; i < b->nparam; i++)
        r.theta[i] = DIRT;
    r.grad = (tacMaximalGrad){.span = span, .z = r.z, .u = r.u, .theta = r.theta};
    return r;
}

static void release_reverse(Reverse *r) { free(r->ybar), free(r->z), free(r->u), free(r->theta); }

/* Largest |J^T ybar - bar| over the largest of J^T ybar, or of its summands; *most: the former. */
static double pull_error(size_t n, size_t columns, const double *J, const double *ybar, const double *bar,
                         double *most) {
    double off = 0, scale = 0;
    *most = 0;
    for (size_t j = 0; j < columns; j++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            sum += J[i * columns + j] * ybar[i];
            scale = fmax(scale, fabs(J[i * columns + j] * ybar[i]));
        }
        *most = fmax(*most, fabs(sum));
        off = worse(off, fabs(sum - bar[j]));
    }
    return columns == 0 || scale == 0 ? off : off / scale;
}

/* Largest |A z + B u + P theta - forward mode| over the largest sum of sizes. */
static double push_error(World *w, double span, const Blocks *b, tacStatus status) {
    double *d[3] = {numbers(b->n), numbers(b->ninput), numbers(b->nparam)}, *dz = numbers(b->n), off = 0, scale = 0;
    const double *J[3] = {b->A, b->B, b->P};
    const size_t columns[3] = {b->n, b->ninput, b->nparam};
    for (size_t k = 0; k < 3; k++)
        for (size_t j = 0; j < columns[k]; j++)
            d[k][j] = tac_random_normal(9, k, j);
    tacMaximalTangent along = {span, d[0], d[1], d[2]};
    tacStepInfo info;
    CHECK_INT(tac_step_maximal_jvp(w->sim, w->x, w->u, &along, dz, &info), status);
    for (size_t i = 0; i < b->n; i++) {
        double sum = 0, size = 0;
        for (size_t k = 0; k < 3; k++)
            for (size_t j = 0; j < columns[k]; j++) {
                sum += J[k][i * columns[k] + j] * d[k][j];
                size += fabs(J[k][i * columns[k] + j] * d[k][j]);
            }
        off = worse(off, fabs(sum - dz[i])), scale = fmax(scale, size);
    }
    free(d[0]), free(d[1]), free(d[2]), free(dz);
    return off / scale;
}

/* Both modes at a world's state: statuses and all three blocks agree. */
static void check_reverse(World *w, double span, tacStatus status, double *worst) {
    Blocks b = blocks_of(w, span);
    Reverse r = reverse_of(&b, span);
    tacStepInfo forward, backward;
    double most;
    CHECK_INT(tac_step_maximal_jac(w->sim, w->x, w->u, &b.step, &forward), status);
    CHECK_INT(tac_step_maximal_vjp(w->sim, w->x, w->u, r.ybar, &r.grad, &backward), status);
    CHECK_INT(backward.status, status);
    CHECK_INT(backward.contacts, forward.contacts);
    CHECK_INT(backward.iterations, forward.iterations);
    CHECK(backward.residual == forward.residual && backward.kappa == forward.kappa);
    *worst = worse(*worst, pull_error(b.n, b.n, b.A, r.ybar, r.z, &most));
    CHECK(most > 0.1);
    *worst = worse(*worst, pull_error(b.n, b.ninput, b.B, r.ybar, r.u, &most));
    CHECK(most > 1e-4 || b.ninput == 0);
    *worst = worse(*worst, pull_error(b.n, b.nparam, b.P, r.ybar, r.theta, &most));
    CHECK(most > 1e-3 || b.nparam == 0);
    CHECK_LT(*worst, TOL_REVERSE);
    CHECK_LT(push_error(w, span, &b, status), TOL_FORWARD);
    release_reverse(&r);
    release_blocks(&b);
}

static void reverse_equals_jacobian(void **state) {
    (void)state;
    double worst = 0;
    for (int c = 0; c < NCP + OTHER; c++) {
        World w = moved(c < NCP ? &NCP_CASES[c] : &OTHER_CASES[c - NCP]);
        for (int s = 0; s < NSPAN; s++)
            check_reverse(&w, SPANS[s], TAC_OK, &worst);
        release(&w);
    }
    print_message("%d motions: %.0e\n", NCP + OTHER, worst);
}

/* Derivatives of a softer step beside the state of a harder one; impacts within a step; a step without a solution. */
static void reverse_of_other_ways(void **state) {
    (void)state;
    double worst = 0;
    Case softer = NCP_CASES[0], impacts = OTHER_CASES[0];
    softer.gradient_kappa = 1e-2, impacts.toi = 1;
    World soft = moved(&softer), toi = moved(&impacts), unsolved = moved(&NCP_CASES[0]), both = moved(&softer);
    unsolved.sim->ctx.options.ncp_iterations = both.sim->ctx.options.ncp_iterations = 2;
    for (int s = 0; s < NSPAN; s++) {
        check_reverse(&soft, SPANS[s], TAC_OK, &worst);
        check_reverse(&toi, SPANS[s], TAC_OK, &worst);
        check_reverse(&unsolved, SPANS[s], TAC_ERR_UNSOLVED, &worst);
        check_reverse(&both, SPANS[s], TAC_ERR_UNSOLVED, &worst);
    }
    release(&soft);
    release(&toi);
    release(&unsolved);
    release(&both);
    print_message("%.0e\n", worst);
}

/* A body on two hinges about the same axis: a turn of it is shared by both. */
static tacModel *doubled(void) {
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    tacModel *m;
    tacError err;
    body.inertial = TAC_INERTIAL_DIAG, body.mass = 1, body.inertia = (tacVec3){1, 2, 3}, body.pos = (tacVec3){0, 1, 0};
    joint.axis = (tacVec3){1, 0, 2}, joint.armature = 0.1;
    int id = tac_model_add_body(b, 0, &body);
    tac_model_add_joint(b, id, &joint);
    tac_model_add_joint(b, id, &joint);
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    return m;
}

/* Fifteen kinds of joints; a mocap body that carries two stacks, its pose an input, places parameters; axes that
 * coincide. */
static void reverse_of_joints_and_places(void **state) {
    (void)state;
    double worst = 0;
    for (int type = 0; type < JOINT_TYPES + 2; type++) {
        const unsigned forces = TAC_INPUT_QFRC | TAC_INPUT_XFRC;
        World w = type < JOINT_TYPES    ? world_of(joint_chain(type, 3, 0, 0), TAC_CONTACT_MODEL_NONE, forces)
                  : type == JOINT_TYPES ? world_of(carried(), TAC_CONTACT_MODEL_NONE, TAC_INPUT_MOCAP)
                                        : world_of(doubled(), TAC_CONTACT_MODEL_NONE, forces);
        random_state(w.m, 800 + (uint64_t)type, w.x, w.x + w.m->nq);
        for (int s = 0; s < NSPAN; s++)
            check_reverse(&w, SPANS[s], TAC_OK, &worst);
        release(&w);
    }
    print_message("%d models: %.0e\n", JOINT_TYPES + 2, worst);
}

/* The same bits after a workspace of NaN, with the next state given, and of each gradient alone; no arena is left. */
static void reverse_has_one_answer(void **state) {
    (void)state;
    World w = moved(&NCP_CASES[3]);
    for (int s = 0; s < NSPAN; s++) {
        Blocks b = blocks_of(&w, SPANS[s]);
        Reverse r = reverse_of(&b, SPANS[s]), again = reverse_of(&b, SPANS[s]);
        CHECK_INT(tac_step_maximal_vjp(w.sim, w.x, w.u, r.ybar, &r.grad, NULL), TAC_OK);
        CHECK(fabs(r.z[6]) > 0 && r.u[0] != 0 && r.theta[0] != 0);
        for (int way = 0; way < 5; way++) {
            tac_sim_poison(w.sim);
            again.grad = (tacMaximalGrad){.span = SPANS[s], .y = way == 1 ? w.back : NULL};
            if (way < 2 || way == 2) again.grad.z = again.z;
            if (way < 2 || way == 3) again.grad.u = again.u;
            if (way < 2 || way == 4) again.grad.theta = again.theta;
            memset(again.z, 0, b.n * sizeof(double));
            CHECK_INT(tac_step_maximal_vjp(w.sim, w.x, w.u, r.ybar, &again.grad, NULL), TAC_OK);
            CHECK(again.grad.z == NULL || memcmp(again.z, r.z, b.n * sizeof(double)) == 0);
            CHECK(again.grad.u == NULL || memcmp(again.u, r.u, b.ninput * sizeof(double)) == 0);
            CHECK(again.grad.theta == NULL || memcmp(again.theta, r.theta, b.nparam * sizeof(double)) == 0);
        }
        release_reverse(&r);
        release_reverse(&again);
        release_blocks(&b);
    }
    release(&w);
}

static void check_untouched(const Blocks *b, const Reverse *r) {
    for (size_t i = 0; i < b->n; i++)
        CHECK(r->z[i] == DIRT);
    for (size_t i = 0; i < b->ninput; i++)
        CHECK(r->u[i] == DIRT);
    for (size_t i = 0; i < b->nparam; i++)
        CHECK(r->theta[i] == DIRT);
}

/* Nothing is written where there is no gradient. */
static void failures_write_nothing(void **state) {
    (void)state;
    World w = moved(&OTHER_CASES[0]);
    Blocks b = blocks_of(&w, SPAN);
    Reverse r = reverse_of(&b, SPAN);
    tacStepInfo info;
    double kept = r.ybar[3];
    CHECK_INT(tac_step_maximal_vjp(w.sim, w.x, w.u, NULL, &r.grad, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_step_maximal_vjp(w.sim, w.x, w.u, r.ybar, NULL, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_step_maximal_vjp(w.sim, NULL, w.u, r.ybar, &r.grad, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_step_maximal_vjp(NULL, w.x, w.u, r.ybar, &r.grad, NULL), TAC_ERR_ARGUMENT);
    check_untouched(&b, &r);
#define FAILS(expected)                                                                                                \
    do {                                                                                                               \
        CHECK_INT(tac_step_maximal_vjp(w.sim, w.x, w.u, r.ybar, &r.grad, &info), expected);                            \
        CHECK_INT(info.status, expected);                                                                              \
        check_untouched(&b, &r);                                                                                       \
    } while (0)
    r.ybar[3] = (double)NAN;
    FAILS(TAC_ERR_NONFINITE);
    r.ybar[3] = kept, r.grad.span = -1;
    FAILS(TAC_ERR_ARGUMENT);
    r.grad.span = (double)INFINITY;
    FAILS(TAC_ERR_ARGUMENT);
    r.grad.span = SPAN;
    for (size_t i = 0; i < b.n; i++)
        r.ybar[i] = 1e308; /* sums overflow */
    FAILS(TAC_ERR_NONFINITE);
    for (size_t i = 0; i < b.n; i++)
        r.ybar[i] = kept;
    w.sim->ctx.scene.max_contacts = 0;
    FAILS(TAC_ERR_CONTACTS);
    r.grad.y = w.back;
    FAILS(TAC_ERR_CONTACTS);
    w.back[0] = (double)NAN;
    FAILS(TAC_ERR_NONFINITE);
    w.x[1] = (double)NAN;
    FAILS(TAC_ERR_NONFINITE);
    CHECK_INT(info.bad_index, 1);
#undef FAILS
    release_reverse(&r);
    release_blocks(&b);
    release(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_between_bodies),         cmocka_unit_test(steps_of_other_contacts),
        cmocka_unit_test(reverse_equals_jacobian),      cmocka_unit_test(reverse_of_other_ways),
        cmocka_unit_test(reverse_of_joints_and_places), cmocka_unit_test(reverse_has_one_answer),
        cmocka_unit_test(failures_write_nothing),
    };
    return cmocka_run_group_tests_name("maximal_step", tests, NULL, NULL);
}
