/* Outputs: their values against the functions that give the same quantities, A, B and P against Ridders' differences,
 * the reverse mode against them, and what a call may not do. */
#include "support/check.h"
#include "support/random_tree.h"

#include "measure/differences.h"
#include "step/sim.h"
#include "tactus/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a column, relative to max(1, its largest entry of the same kind). */
#define TOL_GRADIENT 1e-7
#define TOL_REVERSE  1e-10
/* First step of the differences, relative to the size of the number. */
#define FIRST_STEP 1e-3
/* Parameters of one simulation. */
#define MOST 64

enum { BY_STATE, BY_INPUT, BY_PARAM };

typedef struct Case {
    tacModel *m;
    tacOptions options;
    tacSim *sim;
    tacOutput list[TAC_OUTPUT_KINDS];
    tacOutputs all; /* every element of every kind */
    int nx, ndx, nu, np, nz, what, column;
    double *x, *u, *moved, *J[3], theta[MOST], set[MOST];
    char path[MOST][256];
    double worst, reverse;
    int numbers, columns, compared;
} Case;

static double *numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

/* --- A model, its parameters, a state ----------------------------------------------------------------------------- */

static int register_some(Case *c, int first, int stride) {
    int n = tac_param_count(c->m), i;
    tacError err;
    for (i = first; i < n && c->np < MOST; i += stride) {
        CHECK_INT(tac_param_path(c->m, i, c->path[c->np], sizeof c->path[0]), TAC_OK);
        if (tac_param_register(c->m, c->path[c->np], NULL, &err) == TAC_OK) c->np++;
    }
    return i;
}

static void open_model(Case *c, const char *file) {
    tacError err;
    *c = (Case){0};
    if (tac_load(file, &c->m, &err) != TAC_OK) print_error("%s\n", err.text);
    CHECK(c->m != NULL);
}

static void open_sim(Case *c, unsigned inputs) {
    int columns[3];
    c->options = tac_default_options(c->m);
    c->options.contact = TAC_CONTACT_MODEL_NONE;
    c->options.inputs = inputs;
    CHECK_INT(tac_sim_new(c->m, &c->options, &c->sim, NULL), TAC_OK);
    CHECK_INT(tac_sim_get_params(c->sim, c->theta), TAC_OK);
    for (int k = 0; k < TAC_OUTPUT_KINDS; k++)
        c->list[k] = k == TAC_OUT_PAIR_FORCE ? (tacOutput){TAC_OUT_PAIR_FORCE, 0, 1}
                                             : (tacOutput){(tacOutputKind)k, TAC_OUT_ALL};
    c->all = (tacOutputs){TAC_OUTPUT_KINDS, c->list};
    c->nz = tac_outputs_size(c->m, &c->all);
    c->nx = tac_nx(c->m), c->ndx = tac_ndx(c->m), c->nu = tac_ninput(c->m, &c->options);
    columns[0] = c->ndx, columns[1] = c->nu, columns[2] = c->np;
    c->x = numbers(c->nx), c->u = numbers(c->nu), c->moved = numbers(c->nx + c->nu);
    for (int k = 0; k < 3; k++)
        c->J[k] = numbers(c->nz * columns[k]);
}

static void close_case(Case *c) {
    double *arrays[] = {c->x, c->u, c->moved, c->J[0], c->J[1], c->J[2]};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    tac_sim_free(c->sim);
    tac_model_free(c->m);
}

static void draw_state(Case *c, uint64_t seed) { random_point(c->m, &c->options, seed, c->x, c->u); }

/* --- Differences -------------------------------------------------------------------------------------------------- */

/* z with one number moved by t. */
static int outputs_along(void *context, double t, double *z) {
    Case *c = context;
    const tacModel *m = c->m;
    double *x = c->moved, *u = c->moved + c->nx;
    memcpy(x, c->x, (size_t)c->nx * sizeof *x);
    memcpy(u, c->u, (size_t)c->nu * sizeof *u);
    if (c->what == BY_PARAM) {
        memcpy(c->set, c->theta, sizeof c->theta);
        c->set[c->column] += t;
        if (tac_sim_set_params(c->sim, c->set) != TAC_OK) return 1;
    } else if (c->what == BY_INPUT) {
        u[c->column] += t;
    } else if (c->column < m->nv) {
        double *d = numbers(m->nv);
        d[c->column] = t;
        tac_qpos_add(m, c->x, d, x);
        free(d);
    } else {
        x[m->nq - m->nv + c->column] += t;
    }
    return tac_outputs(c->sim, x, u, &c->all, z) != TAC_OK;
}

/* Largest error of the numbers of each kind relative to max(1, largest of them), over kinds; where[0] is the kind. */
static double column_error(const Case *c, const double *J, int ld, const double *d, int *where) {
    double worst = 0;
    int row = 0;
    for (int k = 0; k < TAC_OUTPUT_KINDS; k++) {
        int n = tac_outputs_size(c->m, &(tacOutputs){1, &c->list[k]});
        double error = 0, largest = 1;
        for (int i = row; i < row + n; i++) {
            error = fmax(error, fabs(J[i * ld + c->column] - d[i]));
            largest = fmax(largest, fabs(d[i]));
            if (!isfinite(J[i * ld + c->column])) error = (double)INFINITY;
        }
        if (error / largest > worst) worst = error / largest, *where = k;
        row += n;
    }
    return worst;
}

/* One column; differences by the step that they themselves find good enough. */
static void check_column(Case *c, const double *J, int ld, double size, double *d, double *work) {
    static const double STEPS[] = {1, 10, 100, 1000, 0.1};
    double best = (double)INFINITY, *estimate = numbers(c->nz);
    int kind = -1;
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS && !(best < 0.3 * TOL_GRADIENT); i++) {
        double h = FIRST_STEP * size * STEPS[i];
        if (difference_ridders(outputs_along, c, c->nz, h, d, estimate, work) != 0) continue;
        best = fmin(best, column_error(c, J, ld, d, &kind));
    }
    free(estimate);
    if (isinf(best) && kind < 0) return; /* no neighbour on one side */
    if (!(best < TOL_GRADIENT))
        print_error("kind %d by %s %d %s: %.3g\n", kind,
                    c->what == BY_PARAM ? "param"
                    : c->what           ? "input"
                                        : "state",
                    c->column, c->what == BY_PARAM ? c->path[c->column] : "", best);
    CHECK_LT(best, TOL_GRADIENT);
    c->worst = fmax(c->worst, best);
    c->compared++;
}

static void check_columns(Case *c, int what, int n, double *d, double *work) {
    c->what = what;
    for (c->column = 0; c->column < n; c->column++) {
        double size = what == BY_PARAM ? fmin(1, fmax(fabs(c->theta[c->column]), 0.01)) : 1;
        check_column(c, c->J[what], n, size, d, work);
    }
    CHECK_INT(tac_sim_set_params(c->sim, c->theta), TAC_OK);
}

/* The gradient of zbar . z against the rows of the Jacobian. */
static void check_reverse(Case *c, uint64_t seed) {
    int n[3] = {c->ndx, c->nu, c->np};
    double *zbar = numbers(c->nz), *g[3] = {numbers(c->ndx), numbers(c->nu), numbers(c->np)};
    for (int i = 0; i < c->nz; i++)
        zbar[i] = tac_random_normal(seed, 6, (uint64_t)i);
    CHECK_INT(tac_outputs_vjp(c->sim, c->x, c->u, &c->all, zbar, &(tacGrad){g[0], g[1], g[2]}), TAC_OK);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < n[k]; j++) {
            double sum = 0, scale = 1;
            for (int i = 0; i < c->nz; i++) {
                sum += zbar[i] * c->J[k][i * n[k] + j];
                scale = fmax(scale, fabs(zbar[i] * c->J[k][i * n[k] + j]));
            }
            c->reverse = fmax(c->reverse, fabs(sum - g[k][j]) / scale);
        }
    CHECK_LT(c->reverse, TOL_REVERSE);
    free(zbar), free(g[0]), free(g[1]), free(g[2]);
}

static int nonzero(int n, const double *a) {
    int count = 0;
    for (int i = 0; i < n; i++)
        count += a[i] != 0;
    return count;
}

/* States and inputs with the first lot of parameters alone: they do not depend on which are registered. */
static void check_case(Case *c, uint64_t seed, int first) {
    double *z = numbers(c->nz), *d = numbers(c->nz), *work = numbers(difference_work(c->nz));
    draw_state(c, seed);
    CHECK_INT(tac_outputs_jac(c->sim, c->x, c->u, &c->all, z, &(tacJac){c->J[0], c->J[1], c->J[2]}), TAC_OK);
    CHECK_INT(tac_outputs(c->sim, c->x, c->u, &c->all, d), TAC_OK);
    CHECK_INT(memcmp(z, d, (size_t)c->nz * sizeof *z), 0);
    CHECK(nonzero(c->nz * c->ndx, c->J[0]) > c->ndx);
    check_reverse(c, seed);
    if (first) check_columns(c, BY_STATE, c->ndx, d, work);
    if (first) check_columns(c, BY_INPUT, c->nu, d, work);
    check_columns(c, BY_PARAM, c->np, d, work);
    free(z), free(d), free(work);
}

/* All numbers of the model, or every stride-th, as parameters. */
static Case check_file(const char *file, int stride, int states) {
    Case total = {0};
    int next = 0, n;
    do {
        Case c;
        open_model(&c, file);
        n = tac_param_count(c.m);
        int lot = next;
        next = register_some(&c, next, stride);
        open_sim(&c, TAC_INPUT_QFRC | TAC_INPUT_XFRC | TAC_INPUT_MOCAP);
        for (int s = 1; s <= states; s++)
            check_case(&c, (uint64_t)s, lot == 0);
        total.worst = fmax(total.worst, c.worst), total.reverse = fmax(total.reverse, c.reverse);
        total.numbers = c.nz, total.compared += c.compared, total.columns += nonzero(c.nz * c.np, c.J[2]);
        close_case(&c);
    } while (next < n);
    print_message("%s: %d numbers by %d columns (%d entries by parameters not zero), worst error %.1e, reverse %.1e\n",
                  file, total.numbers, total.compared, total.columns, total.worst, total.reverse);
    CHECK(total.columns > 0);
    return total;
}

static void equal_differences(void **state) {
    static const struct {
        const char *file;
        int stride;
    } MODELS[] = {{"test/data/everything.xml", 1}, {"test/data/clamps.xml", 1},  {"test/data/ratios.xml", 2},
                  {"models/pendulum.xml", 1},      {"models/cartpole.xml", 1},   {"models/hopper.xml", 29},
                  {"models/ant.xml", 61},          {"models/quadruped.xml", 61}, {"models/panda.xml", 61},
                  {"models/quadrotor.xml", 5},     {"models/humanoid.xml", 101}, {"models/catapult.xml", 31}};
    double worst = 0, reverse = 0;
    int compared = 0, count = sizeof MODELS / sizeof *MODELS;
    (void)state;
    for (int i = 0; i < count; i++) {
        Case c = check_file(MODELS[i].file, MODELS[i].stride, i == 0 ? 2 : 1);
        worst = fmax(worst, c.worst), reverse = fmax(reverse, c.reverse), compared += c.compared;
    }
    print_message("%d models, %d columns of all outputs: worst error %.1e, reverse against forward %.1e\n", count,
                  compared, worst, reverse);
}

/* --- Values ------------------------------------------------------------------------------------------------------- */

/* The numbers of one kind, all elements. */
static const double *of_kind(Case *c, tacOutputKind kind, double *z) {
    tacOutput one = {kind, TAC_OUT_ALL};
    CHECK_INT(tac_outputs(c->sim, c->x, c->u, &(tacOutputs){1, &one}, z), TAC_OK);
    return z;
}

static void check_same(Case *c, tacOutputKind kind, const void *expected, double *z) {
    tacOutput one = {kind, TAC_OUT_ALL};
    int n = tac_outputs_size(c->m, &(tacOutputs){1, &one});
    CHECK_INT(memcmp(of_kind(c, kind, z), expected, (size_t)n * sizeof *z), 0);
}

static void check_kinematics(Case *c, double *z, double *room) {
    const tacModel *m = c->m;
    tacVec3 *pos = (tacVec3 *)room;
    tacMat3 *mat = (tacMat3 *)room;
#define SAME(kind, array, buffer)                                                                                      \
    CHECK_INT(tac_kinematics(c->sim, c->x, c->u, &(tacKinematics){.array = buffer}), TAC_OK);                          \
    check_same(c, kind, buffer, z)
    SAME(TAC_OUT_BODY_POS, xpos, pos);
    SAME(TAC_OUT_BODY_COM, xipos, pos);
    SAME(TAC_OUT_GEOM_POS, geom_pos, pos);
    SAME(TAC_OUT_GEOM_MAT, geom_mat, mat);
    SAME(TAC_OUT_SITE_POS, site_pos, pos);
    SAME(TAC_OUT_SITE_MAT, site_mat, mat);
    SAME(TAC_OUT_JOINT_POS, joint_pos, pos);
    SAME(TAC_OUT_JOINT_AXIS, joint_axis, pos);
    SAME(TAC_OUT_SUBTREE_COM, subtree_com, pos);
#undef SAME
    CHECK_INT(tac_body_velocity(c->sim, c->x, c->x + m->nq, (tacVec6 *)room), TAC_OK);
    check_same(c, TAC_OUT_BODY_VELOCITY, room, z);
}

static void check_dynamics(Case *c, double *z, double *room) {
    const tacModel *m = c->m;
    const double *v = c->x + m->nq;
    tacEnergy energy;
    CHECK_INT(tac_energy(c->sim, c->x, v, &energy), TAC_OK);
    check_same(c, TAC_OUT_KINETIC, &energy.kinetic, z);
    check_same(c, TAC_OUT_POTENTIAL, &energy.potential, z);
    CHECK_INT(tac_momentum(c->sim, c->x, v, (tacVec6 *)room), TAC_OK);
    check_same(c, TAC_OUT_MOMENTUM, room, z);
    CHECK_INT(tac_passive(c->sim, c->x, v, room), TAC_OK);
    check_same(c, TAC_OUT_QFRC_PASSIVE, room, z);
    CHECK_INT(tac_acceleration(c->sim, c->x, c->u, room), TAC_OK);
    check_same(c, TAC_OUT_ACCELERATION, room, z);
    CHECK_INT(tac_tendons(c->sim, c->x, v, room, room + m->ntendon), TAC_OK);
    check_same(c, TAC_OUT_TENDON_LENGTH, room, z);
    check_same(c, TAC_OUT_TENDON_VELOCITY, room + m->ntendon, z);
#define SAME(kind, array)                                                                                              \
    CHECK_INT(tac_actuation(c->sim, c->x, c->u, &(tacActuation){.array = room}), TAC_OK);                              \
    check_same(c, kind, room, z)
    SAME(TAC_OUT_ACTUATOR_LENGTH, length);
    SAME(TAC_OUT_ACTUATOR_VELOCITY, velocity);
    SAME(TAC_OUT_ACTUATOR_FORCE, force);
    SAME(TAC_OUT_ACT_DOT, act_dot);
    SAME(TAC_OUT_QFRC_ACTUATOR, qfrc);
#undef SAME
}

static void equal_the_quantities(void **state) {
    static const char *const FILES[] = {"test/data/everything.xml", "test/data/clamps.xml", "models/humanoid.xml"};
    (void)state;
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        Case c;
        open_model(&c, FILES[i]);
        open_sim(&c, TAC_INPUT_QFRC);
        double *z = numbers(c.nz), *room = numbers(c.nz + 9 * c.m->nbody);
        for (uint64_t seed = 1; seed <= 3; seed++) {
            draw_state(&c, seed);
            check_kinematics(&c, z, room);
            check_dynamics(&c, z, room);
        }
        free(z), free(room);
        close_case(&c);
    }
}

/* Two quantities that have no other function: the velocity of a subtree's centre is its momentum over its mass, and a
 * site moves with its Jacobian. */
static void velocities_of_sites_and_subtrees(void **state) {
    Case c;
    double com[3], h[6], velocity[6], jacp[3 * 64], jacr[3 * 64];
    tacOutput list[2] = {{TAC_OUT_SUBTREE_VELOCITY, 0}, {TAC_OUT_MOMENTUM, 0}};
    (void)state;
    open_model(&c, "test/data/everything.xml");
    open_sim(&c, 0);
    draw_state(&c, 4);
    int nv = c.m->nv, site = tac_model_find(c.m, TAC_KIND_SITE, "far");
    CHECK_INT(tac_outputs(c.sim, c.x, c.u, &(tacOutputs){1, list}, com), TAC_OK);
    CHECK_INT(tac_outputs(c.sim, c.x, c.u, &(tacOutputs){1, list + 1}, h), TAC_OK);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(com[k] * c.m->body_subtree_mass[0], h[3 + k], 1e-12);
    CHECK_INT(tac_outputs(c.sim, c.x, c.u, &(tacOutputs){1, &(tacOutput){TAC_OUT_SITE_VELOCITY, site}}, velocity),
              TAC_OK);
    CHECK_INT(tac_frame_jacobian(c.sim, c.x, TAC_KIND_SITE, site, jacp, jacr), TAC_OK);
    for (int k = 0; k < 3; k++) {
        double linear = 0, angular = 0;
        for (int j = 0; j < nv; j++)
            linear += jacp[k * nv + j] * c.x[c.m->nq + j], angular += jacr[k * nv + j] * c.x[c.m->nq + j];
        CHECK_NEAR(velocity[k], angular, 1e-12);
        CHECK_NEAR(velocity[3 + k], linear, 1e-12);
    }
    close_case(&c);
}

/* --- Lists, workspaces, bad input --------------------------------------------------------------------------------- */

/* Single elements, in any order and more than once, are the rows of the whole. */
static void lists_in_any_order(void **state) {
    Case c;
    (void)state;
    open_model(&c, "test/data/everything.xml");
    register_some(&c, 0, 40);
    open_sim(&c, TAC_INPUT_MOCAP);
    draw_state(&c, 5);
    tacOutput list[] = {{TAC_OUT_ACCELERATION, 3}, {TAC_OUT_SITE_POS, 1},       {TAC_OUT_QFRC_ACTUATOR, 2},
                        {TAC_OUT_ACCELERATION, 3}, {TAC_OUT_ACTUATOR_FORCE, 4}, {TAC_OUT_QFRC_ACTUATOR, 0}};
    int n = sizeof list / sizeof *list, row = 0, sizes[] = {1, 3, 1, 1, 1, 1};
    double z[8], A[8 * 128], zbar[8], g[128], sum[128] = {0}, *one = numbers(3 * c.ndx);
    CHECK_INT(tac_outputs_size(c.m, &(tacOutputs){n, list}), 8);
    CHECK_INT(tac_outputs_jac(c.sim, c.x, c.u, &(tacOutputs){n, list}, z, &(tacJac){A, NULL, NULL}), TAC_OK);
    for (int i = 0; i < n; i++) {
        double alone[3];
        tacOutputs single = {1, list + i};
        CHECK_INT(tac_outputs_jac(c.sim, c.x, c.u, &single, alone, &(tacJac){one, NULL, NULL}), TAC_OK);
        CHECK_INT(memcmp(alone, z + row, (size_t)sizes[i] * sizeof *z), 0);
        CHECK_INT(memcmp(one, A + row * c.ndx, (size_t)(sizes[i] * c.ndx) * sizeof *A), 0);
        row += sizes[i];
    }
    for (int i = 0; i < 8; i++) {
        zbar[i] = i + 1;
        for (int j = 0; j < c.ndx; j++)
            sum[j] += zbar[i] * A[i * c.ndx + j];
    }
    CHECK_INT(tac_outputs_vjp(c.sim, c.x, c.u, &(tacOutputs){n, list}, zbar, &(tacGrad){g, NULL, NULL}), TAC_OK);
    CHECK_ARRAY(c.ndx, g, sum, 1e-12);
    free(one);
    close_case(&c);
}

static uint64_t hash_everything(Case *c) {
    int n[3] = {c->ndx, c->nu, c->np};
    double *z = numbers(c->nz), *g = numbers(c->ndx + c->nu + c->np);
    CHECK_INT(tac_outputs_jac(c->sim, c->x, c->u, &c->all, z, &(tacJac){c->J[0], c->J[1], c->J[2]}), TAC_OK);
    uint64_t hash = tac_hash(z, (size_t)c->nz * sizeof *z, 0);
    for (int k = 0; k < 3; k++)
        hash = tac_hash(c->J[k], (size_t)(c->nz * n[k]) * sizeof *z, hash);
    CHECK_INT(tac_outputs_vjp(c->sim, c->x, c->u, &c->all, z, &(tacGrad){g, g + n[0], g + n[0] + n[1]}), TAC_OK);
    hash = tac_hash(g, (size_t)(n[0] + n[1] + n[2]) * sizeof *g, hash);
    free(z), free(g);
    return hash;
}

static void workspace_does_not_matter(void **state) {
    static const char *const FILES[] = {"test/data/everything.xml", "test/data/clamps.xml"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        Case c;
        open_model(&c, FILES[i]);
        register_some(&c, 0, 13);
        open_sim(&c, TAC_INPUT_QFRC | TAC_INPUT_XFRC | TAC_INPUT_MOCAP);
        draw_state(&c, 6);
        uint64_t clean = hash_everything(&c);
        tac_sim_poison(c.sim);
        CHECK(hash_everything(&c) == clean);
        CHECK(hash_everything(&c) == clean);
        /* each kind alone needs no other's stages */
        double *all = numbers(c.nz), *one = numbers(c.nz);
        CHECK_INT(tac_outputs(c.sim, c.x, c.u, &c.all, all), TAC_OK);
        for (int k = 0, row = 0; k < TAC_OUTPUT_KINDS; k++) {
            tac_sim_poison(c.sim);
            int n = tac_outputs_size(c.m, &(tacOutputs){1, &c.list[k]});
            CHECK_INT(
                tac_outputs_jac(c.sim, c.x, c.u, &(tacOutputs){1, &c.list[k]}, one, &(tacJac){c.J[0], c.J[1], c.J[2]}),
                TAC_OK);
            CHECK_INT(memcmp(one, all + row, (size_t)n * sizeof *one), 0);
            for (int e = 0; e < n * c.ndx; e++)
                CHECK(isfinite(c.J[0][e]));
            for (int e = 0; e < n * c.np; e++)
                CHECK(isfinite(c.J[2][e]));
            row += n;
        }
        free(all), free(one);
        close_case(&c);
    }
}

static void bad_lists(void **state) {
    Case c;
    (void)state;
    open_model(&c, "test/data/everything.xml");
    open_sim(&c, 0);
    draw_state(&c, 7);
    const tacOutput bad[] = {{TAC_OUT_BODY_POS, c.m->nbody}, {TAC_OUT_BODY_POS, -2}, {TAC_OUT_KINETIC, 1},
                             {TAC_OUTPUT_KINDS, 0},          {(tacOutputKind)-1, 0}, {TAC_OUT_ACT_DOT, c.m->na}};
    double z[16] = {7}, A[64] = {7}, g[64] = {7}, zbar[16] = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tacOutputs list = {1, bad + i};
        CHECK_INT(tac_outputs_size(c.m, &list), -1);
        CHECK_INT(tac_outputs(c.sim, c.x, c.u, &list, z), TAC_ERR_ARGUMENT);
        CHECK_INT(tac_outputs_jac(c.sim, c.x, c.u, &list, z, &(tacJac){A, NULL, NULL}), TAC_ERR_ARGUMENT);
        CHECK_INT(tac_outputs_vjp(c.sim, c.x, c.u, &list, zbar, &(tacGrad){g, NULL, NULL}), TAC_ERR_ARGUMENT);
    }
    CHECK_INT(tac_outputs_size(c.m, NULL), -1);
    CHECK_INT(tac_outputs_size(NULL, &c.all), -1);
    CHECK_INT(tac_outputs_size(c.m, &(tacOutputs){1, NULL}), -1);
    CHECK_INT(tac_outputs_size(c.m, &(tacOutputs){-1, NULL}), -1);
    CHECK_INT(tac_outputs_size(c.m, &(tacOutputs){0, NULL}), 0);
    CHECK_INT(tac_outputs(c.sim, c.x, c.u, &(tacOutputs){0, NULL}, NULL), TAC_OK);
    CHECK_INT(tac_outputs(NULL, c.x, c.u, &c.all, z), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_outputs(c.sim, c.x, c.u, NULL, z), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_outputs(c.sim, c.x, c.u, &c.all, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_outputs_jac(c.sim, c.x, c.u, &c.all, z, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_outputs_vjp(c.sim, c.x, c.u, &c.all, NULL, &(tacGrad){g, NULL, NULL}), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_outputs_vjp(c.sim, c.x, c.u, &c.all, zbar, NULL), TAC_ERR_ARGUMENT);
    CHECK(z[0] == 7 && A[0] == 7 && g[0] == 7);
    close_case(&c);
}

/* Outputs stay as they were where a number is not finite or a value overflows. */
static void not_finite(void **state) {
    Case c;
    (void)state;
    open_model(&c, "models/pendulum.xml");
    open_sim(&c, 0);
    draw_state(&c, 8);
    tacOutput kinetic = {TAC_OUT_KINETIC, 0};
    tacOutputs list = {1, &kinetic};
    double z = 7, A[8] = {7}, g[8] = {7}, zbar = 1, kept = c.x[0];
    const double BAD[] = {(double)NAN, (double)INFINITY, 1e200};
    for (int i = 0; i < 3; i++) {
        double *number = i < 2 ? &c.x[0] : &c.x[c.m->nq]; /* a velocity whose square overflows */
        kept = *number;
        *number = BAD[i];
        CHECK_INT(tac_outputs(c.sim, c.x, c.u, &list, &z), TAC_ERR_NONFINITE);
        CHECK_INT(tac_outputs_jac(c.sim, c.x, c.u, &list, &z, &(tacJac){A, NULL, NULL}), TAC_ERR_NONFINITE);
        CHECK_INT(tac_outputs_vjp(c.sim, c.x, c.u, &list, &zbar, &(tacGrad){g, NULL, NULL}), TAC_ERR_NONFINITE);
        *number = kept;
    }
    zbar = (double)NAN;
    CHECK_INT(tac_outputs_vjp(c.sim, c.x, c.u, &list, &zbar, &(tacGrad){g, NULL, NULL}), TAC_ERR_NONFINITE);
    CHECK(z == 7 && A[0] == 7 && g[0] == 7);
    close_case(&c);
}

/* A quaternion of any length is a direction: the same numbers, the same derivatives. */
static void quaternions_are_directions(void **state) {
    Case c;
    (void)state;
    open_model(&c, "test/data/everything.xml");
    open_sim(&c, 0);
    draw_state(&c, 9);
    double *z = numbers(c.nz), *z2 = numbers(c.nz), *A2 = numbers(c.nz * c.ndx);
    CHECK_INT(tac_outputs_jac(c.sim, c.x, c.u, &c.all, z, &(tacJac){c.J[0], NULL, NULL}), TAC_OK);
    for (int j = 0; j < c.m->njnt; j++) {
        int type = c.m->joint_type[j], adr = c.m->joint_qpos_adr[j] + (type == TAC_JOINT_FREE ? 3 : 0);
        for (int k = 0; (type == TAC_JOINT_FREE || type == TAC_JOINT_BALL) && k < 4; k++)
            c.x[adr + k] *= 2.5;
    }
    CHECK_INT(tac_outputs_jac(c.sim, c.x, c.u, &c.all, z2, &(tacJac){A2, NULL, NULL}), TAC_OK);
    CHECK_ARRAY(c.nz, z2, z, 1e-13);
    CHECK_ARRAY(c.nz * c.ndx, A2, c.J[0], 1e-13);
    free(z), free(z2), free(A2);
    close_case(&c);
}

/* Actuators switched off: gravity compensation that would go through them is lost, in value and derivative. */
static void without_actuators(void **state) {
    (void)state;
    for (int off = 0; off < 2; off++) {
        Case c;
        open_model(&c, "test/data/clamps.xml");
        if (off) *c.m->option_disable |= TAC_DISABLE_ACTUATION;
        register_some(&c, 30, 9);
        open_sim(&c, 0);
        check_case(&c, 11, 1);
        if (off) CHECK_INT(nonzero(c.m->nv, of_kind(&c, TAC_OUT_QFRC_ACTUATOR, c.J[0])), 0);
        close_case(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal_the_quantities),
                                       cmocka_unit_test(velocities_of_sites_and_subtrees),
                                       cmocka_unit_test(equal_differences),
                                       cmocka_unit_test(lists_in_any_order),
                                       cmocka_unit_test(without_actuators),
                                       cmocka_unit_test(workspace_does_not_matter),
                                       cmocka_unit_test(bad_lists),
                                       cmocka_unit_test(not_finite),
                                       cmocka_unit_test(quaternions_are_directions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
