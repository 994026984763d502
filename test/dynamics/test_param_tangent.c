/* How springs, servos, rest lengths and inverse weights that are computed at load move with every number that can be
 * registered, against Ridders' differences of the derived rows; and which numbers are refused. */
#include "support/check.h"

#include "dynamics/param_tangent.h"
#include "measure/differences.h"
#include "model/param_path.h"
#include "step/sim.h"
#include "tactus/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Relative to max(1, largest entry) of a column. */
#define TOL_GRADIENT 1e-7
/* First step of the differences, relative to the size of the number. */
#define FIRST_STEP 1e-3
/* A smaller derivative is none. */
#define ROUNDING 1e-13

typedef struct Case {
    tacModel *m, *moved;
    char path[256];
    double value;
    int n; /* numbers compared: stiffness, damping, servo damping, rest lengths, inverse weights */
} Case;

/* All inverse weights, one after another; NULL: zeros. */
static void weights_of(const tacModel *m, const double *dof, const double *body, const double *tendon, double *out) {
    memset(out, 0, (size_t)(m->nv + 2 * m->nbody + m->ntendon) * sizeof *out);
    if (dof != NULL) memcpy(out, dof, (size_t)m->nv * sizeof *out);
    if (body != NULL) memcpy(out + m->nv, body, 2 * (size_t)m->nbody * sizeof *out);
    if (tendon != NULL) memcpy(out + m->nv + 2 * m->nbody, tendon, (size_t)m->ntendon * sizeof *out);
}

/* 1: a body that only slides, whose weight is one over its mass, does more than that in one of the two. */
static int weighs_otherwise(const tacModel *a, const tacModel *b) {
    for (int body = 1; body < a->nbody; body++)
        if (tac_body_only_slides(a, body) != tac_body_only_slides(b, body)) return 1;
    return 0;
}

static int ruled_count(const tacModel *m) { return m->njnt + m->nv + m->nu + 2 * m->ntendon; }

/* The rows that a rule gives; zero where the numbers are as written. */
static void ruled_rows(const tacModel *rule, const double *stiffness, const double *damping, const double *servo,
                       const double *rest, double *out) {
    const tacModel *m = rule;
    memset(out, 0, (size_t)ruled_count(m) * sizeof *out);
    for (int j = 0; j < m->njnt && stiffness != NULL; j++)
        if (tac_joint_by_ratio(m, j)) out[j] = stiffness[j];
    out += m->njnt;
    for (int i = 0; i < m->nv && damping != NULL; i++)
        if (tac_joint_by_ratio(m, m->dof_joint[i])) out[i] = damping[i];
    out += m->nv;
    for (int a = 0; a < m->nu && servo != NULL; a++)
        if (tac_damping_ratio(m, a) > 0) out[a] = servo[a];
    out += m->nu;
    for (int i = 0; i < 2 * m->ntendon && rest != NULL; i++)
        if (tac_spring_is_automatic(m, i / 2)) out[i] = rest[i];
}

static int derive_along(void *context, double t, double *out) {
    Case *c = context;
    tac_model_copy_arrays(c->moved, c->m);
    if (tac_param_set(c->moved, c->path, c->value + t, NULL) != TAC_OK) return 1;
    const tacModel *m = c->moved;
    ruled_rows(c->m, m->joint_stiffness_used, m->dof_damping, m->actuator_damping_used, m->tendon_springlength_used,
               out);
    weights_of(m, m->dof_invweight, m->body_invweight, m->tendon_invweight, out + ruled_count(m));
    return weighs_otherwise(c->m, m);
}

/* Registers every `stride`-th that can be; returns how many. */
static int register_some(tacModel *m, int stride) {
    char path[256];
    for (int i = 0; i < tac_param_count(m); i += stride) {
        CHECK_INT(tac_param_path(m, i, path, sizeof path), TAC_OK);
        tac_param_register(m, path, NULL, NULL);
    }
    return m->nparam;
}

typedef struct Memory {
    void *bytes[2];
    tacWork work;
    tacArena arena, rows;
    tacParamTangent *t;
} Memory;

static Memory open_memory(const tacModel *m) {
    Memory k;
    tacArena dry = tac_arena_dry();
    tac_param_tangents_measure(m, 1, &dry);
    size_t work = tac_work_bytes(m) + TAC_ARENA_ALIGN, rows = dry.peak + TAC_ARENA_ALIGN;
    k.bytes[0] = aligned_alloc(TAC_ARENA_ALIGN, work);
    k.bytes[1] = aligned_alloc(TAC_ARENA_ALIGN, rows);
    memset(k.bytes[0], 0xFF, work);
    memset(k.bytes[1], 0xFF, rows);
    tac_arena_init(&k.arena, k.bytes[0], work);
    tac_arena_init(&k.rows, k.bytes[1], dry.peak);
    k.t = calloc((size_t)m->nparam + 1, sizeof *k.t);
    CHECK(tac_work_layout(&k.work, m, &k.arena));
    return k;
}

static void close_memory(Memory *k) {
    free(k->bytes[0]);
    free(k->bytes[1]);
    free(k->t);
}

/* One parameter: error of its rows; *size is the largest entry. -1: it has no neighbour on one side. */
static double tangent_error(Case *c, const tacParamTangent *t, double *size) {
    size_t n = (size_t)c->n;
    double *analytic = calloc(n + 1, sizeof(double)), *difference = calloc(n + 1, sizeof(double));
    double *work = calloc((size_t)difference_work(c->n) + 1, sizeof(double)), worst = 0, largest = 1;
    c->value = *tac_param_at(c->m, t->field, t->index);
    double h = FIRST_STEP * fmin(1, fmax(fabs(c->value), 0.03));
    int failed = difference_ridders(derive_along, c, c->n, h, difference, NULL, work);
    ruled_rows(c->m, t->joint_stiffness, t->dof_damping, t->actuator_damping, t->springlength, analytic);
    weights_of(c->m, t->dof_weight, t->body_weight, t->tendon_weight, analytic + ruled_count(c->m));
    *size = 0;
    for (int i = 0; i < c->n; i++) {
        CHECK(isfinite(analytic[i]));
        worst = worse(worst, fabs(analytic[i] - difference[i]));
        largest = fmax(largest, fabs(difference[i]));
        *size = fmax(*size, fabs(analytic[i]));
    }
    free(analytic);
    free(difference);
    free(work);
    return failed ? -1 : worst / largest;
}

/* Compares every registered parameter; returns how many move a rule's number. */
static int check_model(Case *c) {
    int moving = 0, skipped = 0;
    double worst = 0;
    Memory k = open_memory(c->m);
    CHECK(tac_param_tangents(c->m, &k.work, 1, &k.rows, k.t));
    CHECK_INT(tac_model_copy(c->m, &c->moved, NULL), TAC_OK);
    c->n = ruled_count(c->m) + c->m->nv + 2 * c->m->nbody + c->m->ntendon;
    for (int i = 0; i < c->m->nparam; i++) {
        double size, error;
        CHECK_INT(k.t[i].field, c->m->param_field[i]);
        CHECK_INT(k.t[i].index, c->m->param_index[i]);
        tac_param_text(c->m, k.t[i].field, k.t[i].index, c->path, sizeof c->path);
        error = tangent_error(c, &k.t[i], &size);
        if (!(error < TOL_GRADIENT)) print_error("%s: error %.3g, size %.3g\n", c->path, error, size);
        CHECK_LT(error, TOL_GRADIENT);
        worst = worse(worst, error);
        moving += size > ROUNDING;
        skipped += error < 0;
    }
    print_message("%d parameters, %d move what a rule gives, worst error %.2g, %d without neighbours\n", c->m->nparam,
                  moving, worst, skipped);
    tac_model_free(c->moved);
    close_memory(&k);
    return moving;
}

static tacModel *load(const char *path) {
    tacModel *m = NULL;
    tacError err;
    if (tac_load(path, &m, &err) != TAC_OK) print_error("%s\n", err.text);
    CHECK(m != NULL);
    return m;
}

static void every_number(void **state) {
    (void)state;
    Case c = {.m = load("test/data/ratios.xml")};
    CHECK(register_some(c.m, 1) > 500);
    CHECK(check_model(&c) > 150);
    tac_model_free(c.m);
}

/* A builder may write the ratio as a positive biasprm[2]; so may a setting. */
static void ratio_written_as_bias(void **state) {
    (void)state;
    Case c = {.m = load("test/data/ratios.xml")};
    CHECK_INT(tac_param_set(c.m, "actuator/s_plain.biasprm[2]", 0.5, NULL), TAC_OK);
    CHECK(tac_damping_ratio(c.m, 3) == 0.5 && c.m->actuator_damping_used[3] < 0);
    CHECK_INT(tac_param_register(c.m, "actuator/s_plain.biasprm[2]", NULL, NULL), TAC_OK);
    CHECK_INT(tac_param_register(c.m, "actuator/s_plain.gainprm[0]", NULL, NULL), TAC_ERR_NAME);
    CHECK_INT(check_model(&c), 1);
    tac_model_free(c.m);
}

/* The total mass couples every body. */
static void with_total_mass(void **state) {
    (void)state;
    Case c = {.m = load("test/data/ratios.xml")};
    CHECK_INT(tac_param_set(c.m, "option.settotalmass", 7, NULL), TAC_OK);
    register_some(c.m, 3);
    CHECK(check_model(&c) > 50);
    tac_model_free(c.m);
}

static void check_registered(tacModel *m, const char *path) {
    tacError err = {.text = ""};
    if (tac_param_register(m, path, NULL, &err) != TAC_OK) print_error("%s\n", err.text);
    CHECK_STR(err.text, "");
}

/* Kinds of numbers that must be felt, and one that must not. */
static void what_is_felt(void **state) {
    static const char *const FELT[] = {
        "joint/drift.springdamper[0]",
        "joint/drift.springdamper[1]",
        "joint/wrist.springdamper[0]",
        "joint/cart_x.springdamper[1]",
        "body/finger.mass",
        "body/finger.ipos[1]",
        "body/finger.iquat[1]",
        "body/finger.inertia[0]",
        "body/fore.pos[0]",
        "body/arm.quat[1]",
        "body/drifter.quat[2]",
        "joint/turn.pos[2]",
        "joint/turn.axis[0]",
        "joint/wrist.pos[1]",
        "joint/reach.axis[1]",
        "joint/turn.armature",
        "tendon/couple.armature",
        "tendon/couple.coef[0]",
        "tendon/plain.coef[0]",
        "joint/rail.springref",
        "actuator/s_turn.gear[0]",
        "actuator/s_turn.dampratio",
        "actuator/s_written.dampratio",
        "actuator/s_site.gear[3]",
        "actuator/s_free.gear[4]",
        "actuator/s_crank.cranklength",
        "site/pin.pos[0]",
        "site/nozzle.quat[1]",
        "site/post.quat[1]",
        "site/guide.quat[2]",
    };
    enum { NFELT = sizeof FELT / sizeof *FELT };
    (void)state;
    tacModel *m = load("test/data/ratios.xml");
    for (int i = 0; i < NFELT; i++)
        check_registered(m, FELT[i]);
    check_registered(m, "joint/turn.ref"); /* qpos_0 goes with it */
    Memory k = open_memory(m);
    CHECK(tac_param_tangents(m, &k.work, 1, &k.rows, k.t));
    for (int i = 0; i <= NFELT; i++) {
        const tacParamTangent *t = &k.t[i];
        int felt = t->joint_stiffness != NULL || t->dof_damping != NULL || t->actuator_damping != NULL ||
                   t->springlength != NULL;
        if (felt != (i < NFELT)) print_error("%s\n", i < NFELT ? FELT[i] : "joint/turn.ref");
        CHECK_INT(felt, i < NFELT);
    }
    close_memory(&k);
    tac_model_free(m);
}

/* The same bits again, and nothing written when the arena is too small. */
static void memory(void **state) {
    (void)state;
    tacModel *m = load("test/data/ratios.xml");
    register_some(m, 1);
    Memory first = open_memory(m), second = open_memory(m);
    CHECK(tac_param_tangents(m, &first.work, 1, &first.rows, first.t));
    for (int i = 0; i < 2; i++) {
        tac_arena_release(&second.rows, 0);
        CHECK(tac_param_tangents(m, &second.work, 1, &second.rows, second.t));
    }
    tac_memory_open(first.rows.base, first.rows.used), tac_memory_open(second.rows.base, first.rows.used);
    CHECK_INT(memcmp(first.rows.base, second.rows.base, first.rows.used), 0);
    second.rows.size = first.rows.used - TAC_ARENA_ALIGN;
    tac_arena_release(&second.rows, 0);
    CHECK_INT(tac_param_tangents(m, &second.work, 1, &second.rows, second.t), 0);
    close_memory(&first);
    close_memory(&second);
    tac_model_free(m);
}

/* --- What has no derivative --------------------------------------------------------------------------------------- */

static void check_refused(tacModel *m, const char *path, const char *reason) {
    tacError err = {.text = ""};
    double value;
    uint64_t before = tac_model_hash(m);
    CHECK_INT(tac_param_register(m, path, NULL, &err), TAC_ERR_NAME);
    CHECK_HAS(err.text, path);
    CHECK_HAS(err.text, "cannot be registered");
    CHECK_HAS(err.text, reason);
    CHECK(tac_model_hash(m) == before);
    CHECK_INT(tac_param_get(m, path, &value, NULL), TAC_OK); /* it can be set all the same */
    CHECK_INT(tac_param_set(m, path, value, NULL), TAC_OK);
}

static void refused(void **state) {
    (void)state;
    tacModel *m = load("test/data/ratios.xml");
    const char *servo = "damping ratio applies only while gainprm[0] = -biasprm[1]";
    check_refused(m, "option.settotalmass", "no total mass is set");
    check_refused(m, "actuator/s_turn.gainprm[0]", servo);
    check_refused(m, "actuator/s_turn.biasprm[1]", servo);
    check_refused(m, "actuator/s_written.gainprm[0]", servo);
    check_refused(m, "actuator/s_written.biasprm[1]", servo);
    check_refused(m, "actuator/s_undamped.biasprm[2]",
                  "changes from a damping (negative) to a damping ratio (positive)");
    check_refused(m, "actuator/s_undamped.dampratio", "the actuator uses the damping biasprm[2], not dampratio");
    check_refused(m, "tendon/couple.springlength[0]", "means the length at the joints' springref");
    check_refused(m, "joint/cart_x.axis[1]", "if the body does not only slide");
    check_refused(m, "tendon/plain.armature", "if the body does not only slide");
    check_refused(m, "actuator/s_pair.gear[4]", "may exclude a joint that it includes otherwise");
    CHECK_INT(tac_param_set(m, "actuator/s_wrist.gear[1]", 0, NULL), TAC_OK);
    check_refused(m, "actuator/s_wrist.gear[1]", "may exclude a joint that it includes otherwise");
    CHECK_INT(tac_param_set(m, "actuator/s_turn.gainprm[0]", 19, NULL), TAC_OK);
    check_refused(m, "actuator/s_turn.dampratio", "dampratio applies only if gainprm[0] = -biasprm[1]");
    tac_model_free(m);
    m = load("models/humanoid.xml");
    check_refused(m, "joint/spine.range[0]", "the range of a ball joint begins at 0");
    check_registered(m, "joint/spine.range[1]");
    tac_model_free(m);
}

/* A ball's servo without a damping ratio still has its setpoint on a circle. */
static void refused_on_a_circle(void **state) {
    (void)state;
    tacModel *m = load("test/data/ratios.xml");
    const char *circle = "wraps its setpoint to a full turn only while gainprm[0] = -biasprm[1]";
    CHECK_INT(tac_param_set(m, "actuator/s_wrist.dampratio", 0, NULL), TAC_OK);
    CHECK_INT(tac_param_set(m, "actuator/s_orient.dampratio", 0, NULL), TAC_OK);
    check_refused(m, "actuator/s_wrist.gainprm[0]", circle);
    check_refused(m, "actuator/s_wrist.biasprm[1]", circle);
    check_refused(m, "actuator/s_orient.gainprm[0]", circle);
    check_refused(m, "actuator/s_orient.gear[0]", "at 0 the actuator length is an angle, otherwise it is not");
    check_refused(m, "actuator/s_swivel.gear[1]", "it sets the period at which the activation wraps");
    check_registered(m, "actuator/s_wrist.gear[1]");
    check_registered(m, "actuator/s_orient.gear[4]");
    tac_model_free(m);
}

/* Neighbours of the refused that have a derivative. */
static void accepted(void **state) {
    static const char *const ACCEPTED[] = {
        "actuator/s_plain.gainprm[0]", "actuator/s_plain.biasprm[1]",   "actuator/s_plain.biasprm[2]",
        "actuator/s_other.gainprm[0]", "actuator/s_other.biasprm[2]",   "actuator/s_undamped.gainprm[0]",
        "actuator/s_site.gear[4]",     "tendon/across.springlength[0]", "tendon/couple.armature",
        "joint/rail.axis[1]",          "actuator/s_wrist.gear[4]",      "joint/cart_x.pos[1]",
    };
    (void)state;
    tacModel *m = load("test/data/ratios.xml");
    for (size_t i = 0; i < sizeof ACCEPTED / sizeof *ACCEPTED; i++)
        check_registered(m, ACCEPTED[i]);
    tac_model_free(m);
}

/* --- Setpoints on a circle ---------------------------------------------------------------------------------------- */

typedef struct Turned {
    tacSim *sim;
    double *x, *u, *y, theta;
    int nv;
} Turned;

static int step_along(void *context, double t, double *out) {
    Turned *k = context;
    double theta = k->theta + t;
    const tacModel *m = k->sim->ctx.model;
    if (tac_sim_set_params(k->sim, &theta) != TAC_OK || tac_step(k->sim, k->x, k->u, k->y, NULL) != TAC_OK) return 1;
    memcpy(out, k->y + m->nq, (size_t)k->nv * sizeof *out);
    return 0;
}

/* A setpoint that lies turns away loses them, and the gear says how long a turn is. */
static void gear_of_a_wrapped_setpoint(void **state) {
    static const char *const GEARS[] = {"actuator/s_wrist.gear[0]", "actuator/s_wrist.gear[2]",
                                        "actuator/s_orient.gear[4]"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        tacModel *m = load("test/data/ratios.xml");
        tacOptions options = tac_default_options(m);
        options.contact = TAC_CONTACT_MODEL_NONE;
        check_registered(m, GEARS[i]);
        Turned k = {.nv = m->nv};
        CHECK_INT(tac_sim_new(m, &options, &k.sim, NULL), TAC_OK);
        int nx = tac_nx(m), ndx = tac_ndx(m);
        k.x = calloc((size_t)nx, sizeof(double)), k.y = calloc((size_t)nx, sizeof(double));
        k.u = calloc((size_t)m->nu, sizeof(double));
        double *P = calloc((size_t)ndx, sizeof(double)), *column = calloc((size_t)m->nv, sizeof(double));
        double *work = calloc((size_t)difference_work(m->nv), sizeof(double));
        tac_default_state(m, k.x);
        for (int a = 0; a < m->nu; a++)
            k.u[a] = 11;
        CHECK_INT(tac_sim_get_params(k.sim, &k.theta), TAC_OK);
        CHECK_INT(tac_step_jac(k.sim, k.x, k.u, NULL, &(tacJac){NULL, NULL, P}, NULL), TAC_OK);
        CHECK_INT(difference_ridders(step_along, &k, m->nv, FIRST_STEP, column, NULL, work), 0);
        CHECK_LT(relative_error(m->nv, P + m->nv, column), TOL_GRADIENT);
        double size = 0;
        for (int d = 0; d < m->nv; d++)
            size = fmax(size, fabs(column[d]));
        CHECK_LT(1e-3, size); /* it is felt */
        double *all[] = {k.x, k.y, k.u, P, column, work};
        for (size_t j = 0; j < sizeof all / sizeof *all; j++)
            free(all[j]);
        tac_sim_free(k.sim);
        tac_model_free(m);
    }
}

/* --- Robots ------------------------------------------------------------------------------------------------------- */

static void robots(void **state) {
    static const char *const ROBOTS[] = {"hopper", "humanoid", "panda", "quadrotor"};
    (void)state;
    for (size_t r = 0; r < sizeof ROBOTS / sizeof *ROBOTS; r++) {
        char path[256];
        snprintf(path, sizeof path, "models/%s.xml", ROBOTS[r]);
        Case c = {.m = load(path)};
        register_some(c.m, 5);
        print_message("%s: ", path);
        check_model(&c);
        tac_model_free(c.m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number),
        cmocka_unit_test(with_total_mass),
        cmocka_unit_test(what_is_felt),
        cmocka_unit_test(ratio_written_as_bias),
        cmocka_unit_test(memory),
        cmocka_unit_test(refused),
        cmocka_unit_test(refused_on_a_circle),
        cmocka_unit_test(gear_of_a_wrapped_setpoint),
        cmocka_unit_test(accepted),
        cmocka_unit_test(robots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
