/* Forces of constraints as outputs: against Newton's law, weights, and Ridders' differences at states in contact. */
#include "support/check.h"

#include "measure/differences.h"
#include "measure/draw_contact.h"
#include "tactus/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a column, relative to max(1, its largest number, the largest force): impacts are large. */
#define TOL_GRADIENT 1e-6
#define TOL_REVERSE  1e-10
#define TOL_LAW      1e-9
#define FIRST_STEP   1e-2
#define HARD         1e-8
#define SOFT         1e-4 /* kappa: differences over small steps mean something */
enum { STATES = 4, TOI_STATES = 4, TOI_TRIES = 200, MOST = 16 };

enum { BY_STATE, BY_INPUT, BY_PARAM };

typedef struct Case {
    tacModel *m;
    tacOptions options;
    tacSim *sim;
    tacOutputs all;
    int nx, ndx, nu, np, nz, what, column;
    double *x, *u, *moved, *J[3], theta[MOST];
    uint64_t active_set;
    double worst, reverse, largest;
    int compared, switching, impacts;
} Case;

static const tacOutput KINDS[] = {{TAC_OUT_CONTACT_FORCE, TAC_OUT_ALL}, {TAC_OUT_QFRC_CONSTRAINT, TAC_OUT_ALL}};

static double *numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

/* contact: of a step with impacts where toi is 1. */
static void open_case_with(Case *c, const char *file, tacContactModel contact, int toi, const char *const *params) {
    tacError err = {0};
    *c = (Case){.all = {2, KINDS}};
    if (tac_load(file, &c->m, &err) != TAC_OK) print_error("%s\n", err.text);
    CHECK(c->m != NULL);
    for (; params[c->np] != NULL; c->np++)
        if (tac_param_register(c->m, params[c->np], NULL, &err) != TAC_OK) print_error("%s\n", err.text);
    c->options = tac_default_options(c->m);
    c->options.contact = contact, c->options.toi = toi;
    c->options.ncp_kappa = SOFT, c->options.ncp_polish = 5;
    CHECK_INT(tac_sim_new(c->m, &c->options, &c->sim, &err), TAC_OK);
    CHECK_INT(tac_sim_get_params(c->sim, c->theta), TAC_OK);
    c->nz = tac_outputs_size(c->m, &c->all);
    c->nx = tac_nx(c->m), c->ndx = tac_ndx(c->m), c->nu = tac_ninput(c->m, &c->options);
    int columns[3] = {c->ndx, c->nu, c->np};
    c->x = numbers(c->nx), c->u = numbers(c->nu), c->moved = numbers(c->nx + c->nu);
    for (int k = 0; k < 3; k++)
        c->J[k] = numbers((c->nz > c->ndx ? c->nz : c->ndx) * columns[k]);
}

static void open_case(Case *c, const char *file, tacContactModel contact, const char *const *params) {
    open_case_with(c, file, contact, 0, params);
}

static void close_case(Case *c) {
    double *arrays[] = {c->x, c->u, c->moved, c->J[0], c->J[1], c->J[2]};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    tac_sim_free(c->sim);
    tac_model_free(c->m);
}

/* z with one number moved by t; fails where other classes hold there. */
static int outputs_along(void *context, double t, double *z) {
    Case *c = context;
    const tacModel *m = c->m;
    double *x = c->moved, *u = c->moved + c->nx, set[MOST], *d = numbers(m->nv), *y = numbers(c->nx);
    tacStepInfo info = {0};
    memcpy(x, c->x, (size_t)c->nx * sizeof *x);
    memcpy(u, c->u, (size_t)c->nu * sizeof *u);
    memcpy(set, c->theta, sizeof set);
    if (c->what == BY_PARAM) set[c->column] += t;
    if (c->what == BY_INPUT) u[c->column] += t;
    if (c->what == BY_STATE && c->column < m->nv) d[c->column] = t, tac_qpos_add(m, c->x, d, x);
    if (c->what == BY_STATE && c->column >= m->nv) x[m->nq - m->nv + c->column] += t;
    int bad = (c->np > 0 && tac_sim_set_params(c->sim, set) != TAC_OK) || tac_step(c->sim, x, u, y, &info) != TAC_OK ||
              info.active_set != c->active_set || tac_outputs(c->sim, x, u, &c->all, z) != TAC_OK;
    free(d), free(y);
    return bad;
}

static double column_error(const Case *c, const double *J, int ld, const double *d) {
    double error = 0, largest = fmax(1, c->largest);
    for (int i = 0; i < c->nz; i++) {
        error = fmax(error, fabs(J[i * ld + c->column] - d[i]));
        largest = fmax(largest, fabs(d[i]));
    }
    return error / largest;
}

static void check_columns(Case *c, int what, int n) {
    double *d = numbers(c->nz), *estimate = numbers(c->nz), *work = numbers(difference_work(c->nz));
    c->what = what;
    for (c->column = 0; c->column < n; c->column++) {
        double best = (double)INFINITY;
        for (double h = FIRST_STEP; h > FIRST_STEP / 2e6 && !(best < TOL_GRADIENT / 3); h /= 10)
            if (difference_ridders(outputs_along, c, c->nz, h, d, estimate, work) == 0)
                best = fmin(best, column_error(c, c->J[what], n, d));
        if (isinf(best)) {
            c->switching++;
            continue;
        }
        if (!(best < TOL_GRADIENT)) print_error("kind of column %d, column %d: %.3g\n", what, c->column, best);
        CHECK_LT(best, TOL_GRADIENT);
        c->worst = fmax(c->worst, best), c->compared++;
    }
    if (c->np > 0) CHECK_INT(tac_sim_set_params(c->sim, c->theta), TAC_OK);
    free(d), free(estimate), free(work);
}

/* The gradient of zbar . z against the rows of the Jacobian, relative to the largest term of all: redundant contacts
 * are told apart by the compliance alone. */
static void check_reverse(Case *c, uint64_t seed) {
    int n[3] = {c->ndx, c->nu, c->np};
    double *zbar = numbers(c->nz), *g[3] = {numbers(c->ndx), numbers(c->nu), numbers(c->np)}, error = 0, scale = 1;
    for (int i = 0; i < c->nz; i++)
        zbar[i] = tac_random_normal(seed, 6, (uint64_t)i);
    CHECK_INT(tac_outputs_vjp(c->sim, c->x, c->u, &c->all, zbar, &(tacGrad){g[0], g[1], g[2]}), TAC_OK);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < n[k]; j++) {
            double sum = 0;
            for (int i = 0; i < c->nz; i++) {
                sum += zbar[i] * c->J[k][i * n[k] + j];
                scale = fmax(scale, fabs(zbar[i] * c->J[k][i * n[k] + j]));
            }
            error = fmax(error, fabs(sum - g[k][j]));
        }
    c->reverse = fmax(c->reverse, error / scale);
    CHECK_LT(c->reverse, TOL_REVERSE);
    free(zbar), free(g[0]), free(g[1]), free(g[2]);
}

/* Mhat (v+ - v_free) = h qfrc_constraint, for models without damping: M (v+ - v) = h (qfrc_constraint + tau_free). */
static void check_law(Case *c, const double *z) {
    const tacModel *m = c->m;
    int nv = m->nv;
    double *y = numbers(c->nx), *M = numbers(nv * nv), *a = numbers(nv), *qfrc = numbers(nv), scale = 1;
    CHECK_INT(tac_step(c->sim, c->x, c->u, y, NULL), TAC_OK);
    CHECK_INT(tac_acceleration(c->sim, c->x, c->u, a), TAC_OK);
    CHECK_INT(tac_mass_matrix(c->sim, c->x, M), TAC_OK);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++)
            qfrc[i] += M[i * nv + j] * ((y[m->nq + j] - c->x[m->nq + j]) / c->options.dt - a[j]);
    for (int i = 0; i < nv; i++)
        scale = fmax(scale, fabs(qfrc[i]));
    CHECK_ARRAY(nv, qfrc, z + 6 * m->nbody, TOL_LAW * scale);
    free(y), free(M), free(a), free(qfrc);
}

/* Forces of the contacts listed, on the body of each one's second geom less on that of the first. */
static void check_list(const Case *c) {
    enum { MOST_CONTACTS = 256 };
    tacContactForce *list = calloc(MOST_CONTACTS, sizeof *list);
    double *z = numbers(c->nz), *sum = numbers(3 * c->m->nbody);
    int n = 0;
    CHECK_INT(tac_outputs(c->sim, c->x, c->u, &c->all, z), TAC_OK);
    CHECK_INT(tac_step_contacts(c->sim, c->x, c->u, list, MOST_CONTACTS, &n), TAC_OK);
    for (int i = 0; i < n; i++) {
        const tacContact *p = &list[i].contact;
        const tacVec3 axis[3] = {p->normal, p->tangent[0], p->tangent[1]};
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3; k++) {
                double *to = sum + 3 * c->m->geom_body[p->geom[side]], f = (side ? 1 : -1) * list[i].force[k];
                to[0] += f * axis[k].x, to[1] += f * axis[k].y, to[2] += f * axis[k].z;
            }
    }
    for (int b = 0; b < c->m->nbody; b++)
        CHECK_ARRAY(3, z + 6 * b + 3, sum + 3 * b, TOL_LAW * fmax(1, c->largest));
    free(list), free(z), free(sum);
}

static void check_state(Case *c, uint64_t seed, int undamped) {
    double *z = numbers(c->nz), *y = numbers(c->nx);
    tacStepInfo info = {0};
    measure_draw_contact_state(c->sim, c->m, &c->options, 7, seed, c->x, c->u);
    CHECK_INT(tac_step(c->sim, c->x, c->u, y, &info), TAC_OK);
    CHECK(info.contacts > 0);
    c->active_set = info.active_set, c->impacts += info.impacts;
    CHECK_INT(tac_outputs_jac(c->sim, c->x, c->u, &c->all, z, &(tacJac){c->J[0], c->J[1], c->J[2]}), TAC_OK);
    c->largest = 0;
    for (int i = 0; i < c->nz; i++)
        c->largest = fmax(c->largest, fabs(z[i]));
    if (undamped) check_law(c, z);
    check_reverse(c, seed);
    check_columns(c, BY_STATE, c->ndx);
    check_columns(c, BY_INPUT, c->nu);
    check_columns(c, BY_PARAM, c->np);
    free(z), free(y);
}

static void equal_differences(void **state) {
    static const struct {
        const char *file;
        tacContactModel contact;
        int law; /* 1: undamped */
        const char *params[MOST];
    } MODELS[] = {
        {"models/box.xml",
         TAC_CONTACT_MODEL_LCP,
         1,
         {"option.timestep", "option.gravity[2]", "body/box.mass", "geom/ground.friction[0]", NULL}},
        {"models/half_cheetah.xml",
         TAC_CONTACT_MODEL_LCP,
         0,
         {"option.timestep", "option.gravity[2]", "body/torso.mass", "geom/ground.friction[0]", NULL}},
        {"models/ant.xml",
         TAC_CONTACT_MODEL_LCP,
         0,
         {"option.timestep", "option.gravity[0]", "body/torso.mass", "geom/ground.friction[0]", NULL}},
        {"models/quadruped.xml", TAC_CONTACT_MODEL_LCP, 0, {"option.gravity[2]", NULL}},
        {"models/box.xml",
         TAC_CONTACT_MODEL_NCP,
         0,
         {"option.timestep", "body/box.mass", "body/box.ipos[0]", "geom/box.size[1]", "geom/box.pos[0]",
          "geom/ground.friction[0]", NULL}},
        {"models/half_cheetah.xml",
         TAC_CONTACT_MODEL_NCP,
         0,
         {"option.timestep", "body/torso.mass", "geom/fore_foot.size[0]", "body/fore_shin.pos[2]",
          "joint/fore_shin.pos[0]", NULL}},
        {"models/ant.xml", TAC_CONTACT_MODEL_NCP, 0, {"geom/ground.friction[0]", "option.gravity[2]", NULL}},
        {"models/box.xml",
         TAC_CONTACT_MODEL_SOFT,
         0,
         {"option.timestep", "body/box.mass", "geom/box.size[1]", "geom/box.pos[0]", "geom/ground.friction[0]",
          "geom/box.solref[0]", "geom/box.solimp[1]", NULL}},
        {"models/half_cheetah.xml",
         TAC_CONTACT_MODEL_SOFT,
         0,
         {"body/torso.mass", "geom/fore_foot.size[0]", "body/fore_shin.pos[2]", "joint/fore_shin.range[0]",
          "joint/fore_shin.solref_limit[0]", "geom/ground.margin", NULL}},
        {"models/ant.xml",
         TAC_CONTACT_MODEL_SOFT,
         0,
         {"option.timestep", "geom/ground.friction[0]", "option.gravity[2]", "option.impratio", NULL}},
        {"test/data/rows.xml", TAC_CONTACT_MODEL_SOFT, 0, {"equality/chain.solref[1]", "joint/a2.frictionloss", NULL}},
        {"test/data/soft_pairs.xml",
         TAC_CONTACT_MODEL_SOFT,
         0,
         {"pair/rolling.solreffriction[0]", "pair/rider.solreffriction[1]", "pair/slow.solref[0]",
          "pair/hand.friction[0]", "pair/hand.solimp[1]", "geom/hand.size[0]", NULL}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++) {
        Case c;
        open_case(&c, MODELS[i].file, MODELS[i].contact, MODELS[i].params);
        for (uint64_t s = 0; s < STATES; s++)
            check_state(&c, s, MODELS[i].law);
        print_message("%s: %d columns, %d across a change of classes, worst error %.1e, reverse %.1e\n", MODELS[i].file,
                      c.compared, c.switching, c.worst, c.reverse);
        CHECK(c.compared > 5 * c.switching);
        close_case(&c);
    }
}

/* Of bodies that float alone: m (v+ - v) = h (F + m g), impacts included. */
static void check_momentum(const Case *c) {
    const tacModel *m = c->m;
    double *z = numbers(c->nz), *y = numbers(c->nx), h = c->options.dt, *gravity = &m->option_gravity->x;
    CHECK_INT(tac_outputs(c->sim, c->x, c->u, &c->all, z), TAC_OK);
    CHECK_INT(tac_step(c->sim, c->x, c->u, y, NULL), TAC_OK);
    for (int b = 1; b < m->nbody; b++) {
        int joint = m->body_joint_adr[b], alone = m->body_subtree_mass[b] == m->body_mass[b];
        alone = alone && m->body_ipos[b].x == 0 && m->body_ipos[b].y == 0 && m->body_ipos[b].z == 0;
        if (m->body_joint_num[b] != 1 || m->joint_type[joint] != TAC_JOINT_FREE || !alone) continue;
        for (int i = 0; i < 3; i++) {
            double gained = y[m->nq + m->joint_dof_adr[joint] + i] - c->x[m->nq + m->joint_dof_adr[joint] + i];
            double due = h * (z[6 * b + 3 + i] / m->body_mass[b] + gravity[i]);
            CHECK_NEAR(gained, due, TOL_LAW * fmax(1, fabs(due)));
        }
    }
    free(z), free(y);
}

/* 1: the step has impacts, and no row is in two classes at once, where differences are across a change of classes. */
static int has_impacts(Case *c, uint64_t seed) {
    tacStepInfo info = {0};
    double *y = numbers(c->nx);
    measure_draw_contact_state(c->sim, c->m, &c->options, 7, seed, c->x, c->u);
    tacStatus status = tac_step(c->sim, c->x, c->u, y, &info);
    free(y);
    return status == TAC_OK && info.impacts > 0 && info.ties == 0;
}

static void set_first(Case *c, double value) {
    c->theta[0] = value;
    CHECK_INT(tac_sim_set_params(c->sim, c->theta), TAC_OK);
}

/* Steps with impacts: impulses of the kick and of every impact, through the impacts' times; contacts listed add up to
 * the forces on bodies. */
static void of_impacts(void **state) {
    static const struct {
        const char *file;
        double first; /* value of the first parameter; 0: the model's */
        const char *params[MOST];
    } MODELS[] = {
        {"test/data/box_pile.xml",
         0.7, /* all boxes have 0.6, where by one of them there is a kink (at_equal_friction) */
         {"geom/a.friction[0]", "option.timestep", "option.gravity[2]", "body/c.mass", "geom/b.size[1]", NULL}},
        {"models/half_cheetah.xml",
         0,
         {"option.timestep", "body/torso.mass", "geom/ground.friction[0]", "geom/fore_foot.size[0]", NULL}},
        {"models/ant.xml", 0, {"option.timestep", "body/torso.mass", "geom/ground.friction[0]", NULL}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++) {
        Case c;
        open_case_with(&c, MODELS[i].file, TAC_CONTACT_MODEL_LCP, 1, MODELS[i].params);
        if (MODELS[i].first > 0) set_first(&c, MODELS[i].first);
        for (uint64_t s = 0, found = 0; found < TOI_STATES && s < TOI_TRIES; s++) {
            if (!has_impacts(&c, s)) continue;
            check_state(&c, s, 0);
            check_list(&c);
            check_momentum(&c);
            found++;
        }
        print_message("%s: %d impacts, %d columns, %d across a change of classes, worst error %.1e, reverse %.1e\n",
                      MODELS[i].file, c.impacts, c.compared, c.switching, c.worst, c.reverse);
        CHECK(c.impacts > 0);
        CHECK(c.compared > 5 * c.switching);
        close_case(&c);
    }
}

/* P of the outputs with the first parameter at a value. */
static void differentiate_at(Case *c, double value, double *P) {
    double *z = numbers(c->nz);
    set_first(c, value);
    CHECK_INT(tac_outputs_jac(c->sim, c->x, c->u, &c->all, z, &(tacJac){NULL, NULL, P}), TAC_OK);
    free(z);
}

/* The larger of two coefficients of friction counts: where they are equal, forces have a kink by either, and the
 * derivative is the mean of those on both sides. */
static void at_equal_friction(void **state) {
    static const char *const params[] = {"geom/a.friction[0]", NULL};
    const double equal = 0.6, near = 1e-9;
    Case c;
    (void)state;
    open_case_with(&c, "test/data/box_pile.xml", TAC_CONTACT_MODEL_LCP, 1, params);
    double *P[3] = {numbers(c.nz), numbers(c.nz), numbers(c.nz)}, worst = 0, kink = 0;
    for (uint64_t s = 0, found = 0; found < TOI_STATES && s < TOI_TRIES; s++) {
        if (!has_impacts(&c, s)) continue;
        for (int k = 0; k < 3; k++)
            differentiate_at(&c, equal + (k - 1) * near, P[k]);
        set_first(&c, equal);
        double largest = 1, error = 0, jump = 0;
        for (int i = 0; i < c.nz; i++) {
            largest = fmax(largest, fmax(fabs(P[0][i]), fabs(P[2][i])));
            error = fmax(error, fabs(P[1][i] - (P[0][i] + P[2][i]) / 2));
            jump = fmax(jump, fabs(P[2][i] - P[0][i]));
        }
        worst = fmax(worst, error / largest), kink = fmax(kink, jump / largest);
        found++;
    }
    print_message("kinks of %.2g, means of both sides within %.1e\n", kink, worst);
    CHECK(kink > 0.1);
    CHECK_LT(worst, TOL_GRADIENT);
    for (int k = 0; k < 3; k++)
        free(P[k]);
    close_case(&c);
}

/* A box at rest: the ground carries its weight, and is pressed by it. */
static void weight(void **state) {
    (void)state;
    static const char *const none[] = {NULL};
    Case c;
    open_case(&c, "models/box.xml", TAC_CONTACT_MODEL_LCP, none);
    tac_default_state(c.m, c.x);
    if (c.m->nkey > 0) memcpy(c.x, c.m->key_qpos, (size_t)c.m->nq * sizeof *c.x);
    tac_default_input(c.m, &c.options, c.u);
    double *z = numbers(c.nz), *y = numbers(c.nx);
    for (int k = 0; k < 2000; k++) {
        CHECK_INT(tac_step(c.sim, c.x, c.u, y, NULL), TAC_OK);
        memcpy(c.x, y, (size_t)c.nx * sizeof *y);
    }
    CHECK_INT(tac_outputs(c.sim, c.x, c.u, &c.all, z), TAC_OK);
    double total = c.m->body_subtree_mass[0], carried[3] = {0, 0, -total * c.m->option_gravity->z};
    CHECK_ARRAY(3, z + 6 + 3, carried, 1e-6);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(z[3 + i], -carried[i], 1e-6);
    CHECK_ARRAY(3, z + 6, ((double[]){0, 0, 0}), 1e-6); /* no torque about its middle */
    tacContactForce list[8];
    int n = -1, sticking = 0;
    CHECK_INT(tac_step_contacts(c.sim, c.x, c.u, list, 8, &n), TAC_OK);
    CHECK_INT(n, 4); /* its lower corners, a quarter of the weight each */
    for (int i = 0; i < n; i++) {
        CHECK_NEAR(list[i].force[0], carried[2] / 4, 1e-6);
        CHECK_NEAR(list[i].velocity[0], 0, 1e-9);
        CHECK(list[i].margin > 0);
        sticking += list[i].state == TAC_CONTACT_STICKING;
    }
    CHECK_INT(sticking, 4);
    CHECK_INT(tac_step_contacts(c.sim, c.x, c.u, list, 2, &n), TAC_ERR_CONTACTS);
    CHECK_INT(n, 4);
    tacStepInfo info = {0};
    CHECK_INT(tac_step_jac(c.sim, c.x, c.u, y, &(tacJac){c.J[0], NULL, NULL}, &info), TAC_OK);
    CHECK_INT(info.ties, 0);
    CHECK(info.conditioning > 1e3 && info.conditioning < 1e9); /* four corners: redundant but for the compliance */
    free(z), free(y);
    close_case(&c);
}

/* The same box on friction cones: forces of the list, on the body and on the dofs are one and the same weight. */
static void weight_on_cones(void **state) {
    (void)state;
    static const char *const none[] = {NULL};
    Case c;
    open_case(&c, "models/box.xml", TAC_CONTACT_MODEL_NCP, none);
    tac_sim_free(c.sim);
    c.options.ncp_kappa = HARD;
    CHECK_INT(tac_sim_new(c.m, &c.options, &c.sim, NULL), TAC_OK);
    tac_default_state(c.m, c.x);
    if (c.m->nkey > 0) memcpy(c.x, c.m->key_qpos, (size_t)c.m->nq * sizeof *c.x);
    tac_default_input(c.m, &c.options, c.u);
    double *z = numbers(c.nz), *y = numbers(c.nx), sum[2] = {0, 0};
    for (int k = 0; k < 500; k++) {
        CHECK_INT(tac_step(c.sim, c.x, c.u, y, NULL), TAC_OK);
        memcpy(c.x, y, (size_t)c.nx * sizeof *y);
    }
    CHECK_INT(tac_outputs(c.sim, c.x, c.u, &c.all, z), TAC_OK);
    double weight = -c.m->body_subtree_mass[0] * c.m->option_gravity->z;
    tacContactForce list[16];
    int n = -1;
    CHECK_INT(tac_step_contacts(c.sim, c.x, c.u, list, 16, &n), TAC_OK);
    CHECK(n >= 4);
    for (int i = 0; i < n; i++) {
        sum[0] += list[i].force[0] * list[i].contact.normal.z;
        sum[1] += list[i].state == TAC_CONTACT_STICKING;
        CHECK_NEAR(list[i].velocity[0], 0, 1e-4);
    }
    CHECK_NEAR(sum[0], weight, 1e-3 * weight);
    CHECK_NEAR(sum[0], z[6 + 5], 1e-9 * weight); /* on the body */
    CHECK_NEAR(sum[0], z[6 * c.m->nbody + 2], 1e-6 * weight);
    CHECK(sum[1] >= 4);
    CHECK_INT(tac_step_contacts(c.sim, c.x, c.u, list, 2, &n), TAC_ERR_CONTACTS);
    free(z), free(y);
    close_case(&c);
}

/* Without contact there are none. */
static void none_without_contact(void **state) {
    (void)state;
    tacModel *m;
    tacSim *sim;
    CHECK_INT(tac_load("models/box.xml", &m, NULL), TAC_OK);
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    CHECK_INT(tac_sim_new(m, &options, &sim, NULL), TAC_OK);
    tacOutputs all = {2, KINDS};
    int nz = tac_outputs_size(m, &all), nx = tac_nx(m), ndx = tac_ndx(m);
    double *x = numbers(nx), *u = numbers(tac_ninput(m, &options)), *z = numbers(nz), *A = numbers(nz * ndx);
    tac_default_state(m, x);
    tac_default_input(m, &options, u);
    for (int i = 0; i < nz; i++)
        z[i] = 7;
    CHECK_INT(tac_outputs_jac(sim, x, u, &all, z, &(tacJac){A, NULL, NULL}), TAC_OK);
    for (int i = 0; i < nz; i++)
        CHECK(z[i] == 0);
    for (int i = 0; i < nz * ndx; i++)
        CHECK(A[i] == 0);
    free(x), free(u), free(z), free(A);
    tac_sim_free(sim), tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_differences), cmocka_unit_test(of_impacts),
        cmocka_unit_test(at_equal_friction), cmocka_unit_test(weight),
        cmocka_unit_test(weight_on_cones),   cmocka_unit_test(none_without_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
