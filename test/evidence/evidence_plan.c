/* evidence_plan terms N|norms|lqr N|gradient|bits|alloc|speed|pose N
 *
 * Planning, one JSON line a case.
 *
 *   terms     derivatives of every quantity at N random states of ant, humanoid and panda against Ridders' differences
 *   norms     slope and curvature of every norm against Ridders' differences
 *   lqr       N random linear-quadratic problems: one iteration of ilqr against a Riccati recursion of its own
 *   gradient  the gradient of replayed costs against tac_rollout_vjp
 *   bits      hashes of plans: on one and two threads, and saved, restored and continued after every iteration
 *   alloc     allocations while a planner iterates
 *   speed     derivatives, backward pass and one rollout beside differences; share of time; growth with steps
 *   pose      inverse kinematics at N reachable targets; regulators */
#define _POSIX_C_SOURCE 200809L
#include "count_allocations.h"
#include "measure/differences.h"
#include "tactus/io.h"
#include "tactus/optimize.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static tacError err;

static void stop(const char *what) {
    fprintf(stderr, "evidence_plan: %s\n", what);
    exit(2);
}

static void must(tacStatus status) {
    if (status != TAC_OK) stop(err.text[0] != 0 ? err.text : tac_status_text(status));
}

static double *doubles(size_t n) {
    double *out = calloc(n + 1, sizeof *out);
    if (out == NULL) stop("out of memory");
    return out;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static tacModel *load(const char *name) {
    char path[256];
    tacModel *m;
    snprintf(path, sizeof path, "models/%s.xml", name);
    must(tac_load(path, &m, &err));
    return m;
}

/* --- Terms -------------------------------------------------------------------------------------------------------- */

enum { SEED = 26 };

static double draw(uint64_t stream, uint64_t *index) { return tac_random_normal(SEED, stream, (*index)++); }

/* A random state about the model's first pose. */
static void random_state(const tacModel *m, int k, double *x) {
    int ndx = tac_ndx(m);
    uint64_t index = 0;
    double *d = doubles((size_t)ndx);
    tac_default_state(m, x);
    for (int i = 0; i < ndx; i++)
        d[i] = 0.3 * draw((uint64_t)k, &index);
    tac_qpos_add(m, x, d, x);
    for (int i = 0; i < m->nv + m->na; i++)
        x[m->nq + i] += d[m->nv + i];
    free(d);
}

static tacStatus own_quantity(void *context, const tacKnot *knot, double *r, const tacJac *jac) {
    const tacModel *m = context;
    r[0] = sin(knot->x[m->nq]) * knot->u[0];
    if (jac->A != NULL) jac->A[m->nv] = cos(knot->x[m->nq]) * knot->u[0];
    if (jac->B != NULL && knot->step < knot->last) jac->B[0] = sin(knot->x[m->nq]);
    return TAC_OK;
}

static void add_term(tacPlan *plan, tacQuantity of) {
    tacPlanTerm term = tac_default_plan_term();
    term.of = of;
    must(tac_plan_add(plan, &term, NULL, &err));
}

/* The last geom that may touch something, or the first of another body that is no plane. */
static int shape_of(const tacModel *m, int last) {
    for (int i = 0; i < m->ngeom; i++) {
        int g = last ? m->ngeom - 1 - i : i;
        int solid = (m->geom_contype[g] || m->geom_conaffinity[g]) && m->geom_type[g] != TAC_GEOM_PLANE;
        if (solid && (last || m->geom_body[g] > 0)) return g;
    }
    return 0;
}

/* Every kind of quantity, and every kind of output of elements that lie far in the tree. */
static void add_quantities(tacPlan *plan, const tacModel *m) {
    tacFrame last = {TAC_KIND_BODY, m->nbody - 1}, middle = {TAC_KIND_BODY, m->nbody / 2};
    add_term(plan, (tacQuantity){.kind = TAC_OF_STATE});
    add_term(plan, (tacQuantity){.kind = TAC_OF_STATE, .first = 2, .count = 5});
    add_term(plan, (tacQuantity){.kind = TAC_OF_CTRL});
    add_term(plan, (tacQuantity){.kind = TAC_OF_CHANGE});
    add_term(plan, (tacQuantity){.kind = TAC_OF_PARAM});
    add_term(plan, (tacQuantity){.kind = TAC_OF_POSITION, .frame = last});
    add_term(plan, (tacQuantity){.kind = TAC_OF_POSITION, .frame = last, .in = middle});
    add_term(plan, (tacQuantity){.kind = TAC_OF_ORIENTATION, .frame = last});
    add_term(plan, (tacQuantity){.kind = TAC_OF_ORIENTATION, .frame = last, .in = middle});
    add_term(plan, (tacQuantity){.kind = TAC_OF_DISTANCE, .geom = {shape_of(m, 0), shape_of(m, 1)}});
    add_term(plan, (tacQuantity){.kind = TAC_OF_REST});
    add_term(plan, (tacQuantity){.kind = TAC_OF_CALL, .call = own_quantity, .context = (void *)(size_t)m, .size = 1});
    for (int kind = 0; kind < TAC_OUTPUT_KINDS; kind++) {
        tacQuantity q = {.kind = TAC_OF_OUTPUT, .output = {.kind = (tacOutputKind)kind, .id = 0}};
        if (kind == TAC_OUT_PAIR_FORCE || kind == TAC_OUT_GROWTH) {
            q.output.id = shape_of(m, 0);
            q.output.id2 = shape_of(m, 1);
            q.output.kappa = 1e-2;
        } else if (kind <= TAC_OUT_BODY_COM || kind == TAC_OUT_BODY_VELOCITY || kind == TAC_OUT_CONTACT_FORCE)
            q.output.id = m->nbody - 1;
        if (tac_plan_size(plan, &q) > 0) add_term(plan, q);
    }
}

static void print_terms(const char *name, int states) {
    tacModel *m = load(name);
    int k;
    tacPlan *plan;
    tacPlanCheck check;
    must(tac_param_register(m, "option.timestep", &k, &err));
    tacOptions o = tac_default_options(m);
    must(tac_plan_new(m, &o, states, &plan, &err));
    must(tac_plan_add_unknown(plan, k, 1e-4, 1, &err));
    add_quantities(plan, m);
    tacPlanSizes s = tac_plan_sizes(plan);
    double *X = doubles((size_t)((states + 1) * s.nx)), *U = doubles((size_t)(states * s.nu)), p[1] = {o.dt};
    uint64_t index = 0;
    for (int i = 0; i <= states; i++)
        random_state(m, i, X + (size_t)i * (size_t)s.nx);
    for (int i = 0; i < states * s.nu; i++)
        U[i] = 0.5 * draw(1000000, &index);
    must(tac_plan_check(plan, &(tacPlanPath){X, U, p}, states, &check, &err));
    tacPlanTermInfo worst = tac_plan_term(plan, check.term);
    printf("{\"model\": \"%s\", \"states\": %d, \"terms\": %d, \"error\": %.3e, \"worst\": \"%s\", \"by\": \"%c\", "
           "\"number\": %d, \"checked\": %d, \"skipped\": %d}\n",
           name, states, s.nterm, check.error, worst.name, check.by, check.term, check.checked, check.skipped);
    free(X), free(U);
    tac_plan_free(plan);
    tac_model_free(m);
}

typedef struct NormAt {
    tacNorm norm;
    double width, r;
} NormAt;

static int norm_along(void *context, double t, double *out) {
    const NormAt *n = context;
    double curvature;
    out[0] = tac_norm(n->norm, n->width, n->r + t, &out[1], &curvature);
    return 0;
}

static void print_norms(void) {
    for (int kind = 0; kind < TAC_NORM_KINDS; kind++) {
        double worst = 0, work[64];
        int count = 0;
        for (int i = 0; i < 1000; i++) {
            NormAt n = {(tacNorm)kind, 0.1 + tac_random_uniform(SEED, 1, (uint64_t)i),
                        2 * tac_random_normal(SEED, 2, (uint64_t)i)};
            double slope, curvature, found[2], kink = kind == TAC_NORM_BARRIER ? -n.width : 0;
            tac_norm(n.norm, n.width, n.r, &slope, &curvature);
            double step = 0.1 * fmin(n.width, fabs(n.r - kink)); /* the parabola begins there */
            if (step < 1e-4 || difference_ridders(norm_along, &n, 2, step, found, NULL, work) != 0) continue;
            worst = fmax(worst, fabs(found[0] - slope) / (1 + fabs(slope)));
            if (kind != TAC_NORM_GEMAN) /* its curvature is a majorant's, never negative */
                worst = fmax(worst, fabs(found[1] - curvature) / (1 + fabs(curvature)));
            count++;
        }
        printf("{\"norm\": \"%s\", \"checked\": %d, \"error\": %.3e}\n", tac_norm_text((tacNorm)kind), count, worst);
    }
}

/* --- Linear-quadratic problems ------------------------------------------------------------------------------------ */

enum { LINEAR_STEPS = 12, MOST = 12 };

/* Masses on slides with springs and dampers between them: linear. */
static tacModel *masses(int seed, int n) {
    tacBuilder *b = tac_model_begin();
    uint64_t index = 0;
    for (int i = 0, parent = 0; i < n; i++) {
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        tacGeomDef geom = tac_default_geom();
        joint.type = TAC_JOINT_SLIDE;
        joint.axis = (tacVec3){1, 0, 0};
        joint.stiffness = 20 * tac_random_uniform((uint64_t)seed, 0, index++);
        joint.damping = tac_random_uniform((uint64_t)seed, 0, index++);
        geom.size[0] = 0.05;
        geom.mass = 0.2 + tac_random_uniform((uint64_t)seed, 0, index++);
        geom.contype = geom.conaffinity = 0;
        parent = tac_model_add_body(b, parent, &body);
        int j = tac_model_add_joint(b, parent, &joint);
        tac_model_add_geom(b, parent, &geom);
        if (i % 2 == 1) continue;
        tacActuatorDef motor = tac_default_actuator();
        motor.trnid[0] = j;
        tac_model_add_actuator(b, &motor);
    }
    tacModel *m;
    must(tac_model_finish(b, &m, &err));
    tac_builder_free(b);
    return m;
}

/* Riccati recursion for sum (x - t)'Q(x - t) + u'R u with weights on the diagonal, by plain elimination: U from x0. */
static void riccati(int n, int m, const double *A, const double *B, const double *q, const double *r, const double *t,
                    const double *x0, double *U) {
    static double K[LINEAR_STEPS][MOST * MOST], k[LINEAR_STEPS][MOST];
    double V[MOST * MOST] = {0}, v[MOST] = {0};
    for (int i = 0; i < n; i++) {
        V[i * n + i] = q[i];
        v[i] = -q[i] * t[i];
    }
    for (int s = LINEAR_STEPS - 1; s >= 0; s--) {
        double G[MOST][2 * MOST + 1] = {{0}}, VA[MOST * MOST], VB[MOST * MOST];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                VA[i * n + j] = 0;
                for (int l = 0; l < n; l++)
                    VA[i * n + j] += V[i * n + l] * A[l * n + j];
            }
            for (int j = 0; j < m; j++) {
                VB[i * m + j] = 0;
                for (int l = 0; l < n; l++)
                    VB[i * m + j] += V[i * n + l] * B[l * m + j];
            }
        }
        for (int i = 0; i < m; i++) { /* [R + B'VB | B'VA | B'v] */
            for (int l = 0; l < n; l++) {
                for (int j = 0; j < m; j++)
                    G[i][j] += B[l * m + i] * VB[l * m + j];
                for (int j = 0; j < n; j++)
                    G[i][m + j] += B[l * m + i] * VA[l * n + j];
                G[i][m + n] += B[l * m + i] * v[l];
            }
            G[i][i] += r[i];
        }
        for (int c = 0; c < m; c++)
            for (int i = 0; i < m; i++) {
                if (i == c) continue;
                double f = G[i][c] / G[c][c];
                for (int j = c; j <= m + n; j++)
                    G[i][j] -= f * G[c][j];
            }
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++)
                K[s][i * n + j] = -G[i][m + j] / G[i][i];
            k[s][i] = -G[i][m + n] / G[i][i];
        }
        double W[MOST * MOST], w[MOST];
        for (int i = 0; i < n; i++) {
            w[i] = -q[i] * t[i];
            for (int l = 0; l < n; l++)
                w[i] += A[l * n + i] * v[l];
            for (int a = 0; a < m; a++)
                for (int l = 0; l < n; l++)
                    w[i] += A[l * n + i] * VB[l * m + a] * k[s][a];
            for (int j = 0; j < n; j++) {
                W[i * n + j] = i == j ? q[i] : 0;
                for (int l = 0; l < n; l++) {
                    double sum = VA[l * n + j];
                    for (int a = 0; a < m; a++)
                        sum += VB[l * m + a] * K[s][a * n + j];
                    W[i * n + j] += A[l * n + i] * sum;
                }
            }
        }
        memcpy(V, W, sizeof W);
        memcpy(v, w, sizeof w);
    }
    double x[MOST], y[MOST];
    memcpy(x, x0, (size_t)n * sizeof *x);
    for (int s = 0; s < LINEAR_STEPS; s++) {
        for (int i = 0; i < m; i++) {
            double u = k[s][i];
            for (int j = 0; j < n; j++)
                u += K[s][i * n + j] * x[j];
            U[s * m + i] = u;
        }
        for (int i = 0; i < n; i++) {
            y[i] = 0;
            for (int j = 0; j < n; j++)
                y[i] += A[i * n + j] * x[j];
            for (int j = 0; j < m; j++)
                y[i] += B[i * m + j] * U[s * m + j];
        }
        memcpy(x, y, (size_t)n * sizeof *x);
    }
}

/* One problem: the largest difference of controls after one iteration, against the largest control. */
static double solve_linear(int seed) {
    int nv = 2 + seed % 4, n = 2 * nv, nu = (nv + 1) / 2;
    tacModel *m = masses(seed, nv);
    tacOptions o = tac_default_options(m);
    tacPlan *plan;
    tacPlanner *planner;
    tacSim *sim;
    uint64_t index = 1000;
    double x0[MOST], t[MOST], q[MOST], r[MOST], u0[MOST] = {0}, A[MOST * MOST], B[MOST * MOST], U[LINEAR_STEPS * MOST];
    o.dt = 0.05;
    for (int i = 0; i < n; i++) {
        x0[i] = tac_random_normal((uint64_t)seed, 0, index++);
        t[i] = tac_random_normal((uint64_t)seed, 0, index++);
        q[i] = 0.1 + tac_random_uniform((uint64_t)seed, 0, index++);
        r[i] = 0.01 + tac_random_uniform((uint64_t)seed, 0, index++);
    }
    must(tac_plan_new(m, &o, LINEAR_STEPS, &plan, &err));
    must(tac_plan_set_start(plan, x0, &err));
    tacPlanTerm term = tac_default_plan_term();
    term.of.kind = TAC_OF_STATE;
    term.target = t;
    term.weight = q;
    must(tac_plan_add(plan, &term, NULL, &err));
    term = tac_default_plan_term();
    term.of.kind = TAC_OF_CTRL;
    term.weight = r;
    must(tac_plan_add(plan, &term, NULL, &err));
    tacPlanOptions po = tac_default_plan_options();
    must(tac_planner_new(plan, &po, &planner, &err));
    tac_planner_iterate(planner);
    tacPlanResult result;
    must(tac_planner_result(planner, &result));
    must(tac_sim_new(m, &o, &sim, &err));
    must(tac_step_jac(sim, x0, u0, NULL, &(tacJac){A, B, NULL}, NULL));
    riccati(n, nu, A, B, q, r, t, x0, U);
    double worst = 0, size = 1e-300;
    for (int i = 0; i < LINEAR_STEPS * nu; i++) {
        worst = fmax(worst, fabs(U[i] - result.U[i]));
        size = fmax(size, fabs(U[i]));
    }
    tac_sim_free(sim);
    tac_planner_free(planner);
    tac_plan_free(plan);
    tac_model_free(m);
    return worst / size;
}

static void print_linear(int count) {
    double worst = 0;
    int good = 0;
    for (int i = 0; i < count; i++) {
        double error = solve_linear(i);
        worst = fmax(worst, error);
        good += error <= 1e-10;
    }
    printf("{\"problems\": %d, \"good\": %d, \"error\": %.3e}\n", count, good, worst);
}

/* --- Gradients, bits, allocations --------------------------------------------------------------------------------- */

/* A robot that is to stay where it starts, with noise on its controls. */
static tacPlan *stay_plan(const tacModel *m, tacContactModel contact, double dt, int steps) {
    tacOptions o = tac_default_options(m);
    tacPlan *plan;
    o.contact = contact;
    o.dt = dt;
    must(tac_plan_new(m, &o, steps, &plan, &err));
    double *x = doubles((size_t)tac_nx(m)), *weight = doubles((size_t)tac_ninput(m, &o));
    if (m->nkey > 0)
        must(tac_key_state(m, &o, 0, x, NULL, &err));
    else
        tac_default_state(m, x);
    must(tac_plan_set_start(plan, x, &err));
    tacPlanTerm term = tac_default_plan_term();
    x[0] += 0.1;
    term.of.kind = TAC_OF_STATE;
    term.target = x;
    must(tac_plan_add(plan, &term, NULL, &err));
    for (int i = 0; i < tac_ninput(m, &o); i++)
        weight[i] = 1e-4;
    term = tac_default_plan_term();
    term.of.kind = TAC_OF_CTRL;
    term.weight = weight;
    must(tac_plan_add(plan, &term, NULL, &err));
    free(x), free(weight);
    return plan;
}

static void print_gradient(const char *name, tacContactModel contact) {
    enum { N = 12 };
    tacModel *m = load(name);
    tacPlan *plan = stay_plan(m, contact, 0.01, N);
    tacPlanner *planner;
    tacPlanOptions po = tac_default_plan_options();
    must(tac_planner_new(plan, &po, &planner, &err));
    tacPlanSizes s = tac_plan_sizes(plan);
    tacPlanColumns col = tac_plan_columns(plan);
    size_t nu = (size_t)s.nu, nx = (size_t)s.nx, ndx = (size_t)s.ndx, nw = (size_t)col.nw;
    double *U = doubles(N * nu), *gu = doubles(N * nu), *other = doubles(N * nu), *X = doubles((N + 1) * nx);
    double *g = doubles((N + 1) * nw), *bar = doubles((N + 1) * ndx), worst = 0, size = 0;
    for (size_t i = 0; i < N * nu; i++)
        U[i] = tac_random_normal(SEED, 3, i);
    tacStatus status = tac_planner_gradient(planner, U, NULL, NULL, gu, NULL);
    if (status != TAC_OK && status != TAC_ERR_UNSOLVED) must(status);
    tac_planner_rollout(planner, U, NULL, X);
    must(tac_planner_evaluate(planner, &(tacPlanPath){X, U, NULL}, &(tacPlanBlocks){.g = g}));
    for (size_t k = 0; k <= N; k++)
        memcpy(bar + k * ndx, g + k * nw, ndx * sizeof *bar);
    tacOptions o = tac_default_options(m);
    o.contact = contact;
    o.dt = 0.01;
    tacSim *sim;
    must(tac_sim_new(m, &o, &sim, &err));
    size_t bytes = (tac_rollout_vjp_bytes(m, N, 0) + 63) / 64 * 64;
    tacCheckpoints memory = {0, aligned_alloc(64, bytes), bytes};
    status =
        tac_rollout_vjp(sim, &(tacTrajectory){N, X, U, X, bar, NULL}, &memory, &(tacGrad){NULL, other, NULL}, NULL);
    if (status != TAC_OK && status != TAC_ERR_UNSOLVED) must(status);
    for (size_t k = 0; k < N; k++)
        for (size_t i = 0; i < nu; i++) {
            double whole = other[k * nu + i] + g[k * nw + (size_t)col.u + i];
            worst = fmax(worst, fabs(whole - gu[k * nu + i]));
            size = fmax(size, fabs(whole));
        }
    printf("{\"model\": \"%s\", \"contact\": \"%s\", \"error\": %.3e}\n", name, tac_contact_text(contact),
           worst / fmax(size, 1e-300));
    free(memory.memory), free(U), free(gu), free(other), free(X), free(g), free(bar);
    tac_sim_free(sim);
    tac_planner_free(planner);
    tac_plan_free(plan);
    tac_model_free(m);
}

static uint64_t hash_of(const tacPlanner *planner) {
    tacPlanResult r;
    must(tac_planner_result(planner, &r));
    uint64_t h = tac_hash(r.U, (size_t)(r.steps * r.nu) * sizeof(double), 0);
    h = tac_hash(r.X, (size_t)((r.steps + 1) * r.nx) * sizeof(double), h);
    return tac_hash(r.K, (size_t)(r.steps * r.nu * r.ndx) * sizeof(double), h);
}

static uint64_t run_whole(const tacPlan *plan, tacPlanOptions o, int threads) {
    tacPlanner *planner;
    o.threads = threads;
    must(tac_planner_new(plan, &o, &planner, &err));
    must(tac_planner_run(planner, NULL, &err));
    uint64_t h = hash_of(planner);
    tac_planner_free(planner);
    return h;
}

/* Every iteration in a planner of its own, which begins from the bytes of the one before. */
static uint64_t run_in_pieces(const tacPlan *plan, tacPlanOptions o) {
    void *bytes = NULL;
    size_t size = 0;
    uint64_t h = 0;
    for (tacPlanEnd end = TAC_PLAN_RUNNING; end == TAC_PLAN_RUNNING;) {
        tacPlanner *planner;
        must(tac_planner_new(plan, &o, &planner, &err));
        if (bytes != NULL) must(tac_planner_restore(planner, bytes, size, &err));
        end = tac_planner_iterate(planner);
        size = tac_planner_save_bytes(planner);
        free(bytes);
        bytes = malloc(size);
        must(tac_planner_save(planner, bytes, size, &err));
        h = hash_of(planner);
        tac_planner_free(planner);
    }
    free(bytes);
    return h;
}

static void print_bits(const char *name, tacContactModel contact) {
    tacModel *m = load(name);
    tacPlan *plan = stay_plan(m, contact, 0.02, 15);
    tacPlanOptions o = tac_default_plan_options();
    o.iterations = 12;
    uint64_t one = run_whole(plan, o, 1), two = run_whole(plan, o, 2), pieces = run_in_pieces(plan, o);
    printf(
        "{\"model\": \"%s\", \"contact\": \"%s\", \"hash\": \"%016llx\", \"same_threads\": %d, \"same_pieces\": %d}\n",
        name, tac_contact_text(contact), (unsigned long long)one, one == two, one == pieces);
    tac_plan_free(plan);
    tac_model_free(m);
}

static void print_allocations(const char *name, tacContactModel contact) {
    tacModel *m = load(name);
    tacPlan *plan = stay_plan(m, contact, 0.02, 15);
    tacPlanOptions o = tac_default_plan_options();
    o.threads = 2;
    tacPlanner *planner;
    must(tac_planner_new(plan, &o, &planner, &err));
    long before = counted_allocations();
    for (int i = 0; i < 4; i++)
        tac_planner_iterate(planner);
    printf("{\"model\": \"%s\", \"contact\": \"%s\", \"allocations\": %ld}\n", name, tac_contact_text(contact),
           counted_allocations() - before);
    tac_planner_free(planner);
    tac_plan_free(plan);
    tac_model_free(m);
}

/* --- Speed -------------------------------------------------------------------------------------------------------- */

enum { ROUNDS = 7 };

/* All columns of one step's derivatives by one-sided differences. */
static void differences(tacSim *sim, const tacPlanSizes *s, const tacModel *m, const double *x, const double *u,
                        double *work) {
    double *d = work, *xx = d + s->ndx, *uu = xx + s->nx, *y = uu + s->nu, *z = y + s->nx;
    tac_step(sim, x, u, y, NULL);
    memcpy(uu, u, (size_t)s->nu * sizeof *uu);
    for (int j = 0; j < s->ndx + s->nu; j++) {
        memset(d, 0, (size_t)s->ndx * sizeof *d);
        if (j < s->ndx) d[j] = 1e-6;
        tac_qpos_add(m, x, d, xx);
        for (int i = 0; i < m->nv + m->na; i++)
            xx[m->nq + i] = x[m->nq + i] + d[m->nv + i];
        if (j >= s->ndx) uu[j - s->ndx] += 1e-6;
        tac_step(sim, xx, uu, z, NULL);
        if (j >= s->ndx) uu[j - s->ndx] = u[j - s->ndx];
    }
}

static double least(double a, double b) { return a < b ? a : b; }

/* Seconds of one sweep of derivatives, of the same by differences, of a rollout and of a backward pass. */
typedef struct Times {
    double jac, differences, rollout, backward;
} Times;

static Times times_of(const tacPlan *plan, const tacModel *m, int with_differences) {
    tacPlanner *planner;
    tacPlanOptions o = tac_default_plan_options();
    o.clock = seconds;
    o.iterations = 3;
    must(tac_planner_new(plan, &o, &planner, &err));
    tacPlanGuess guess = tac_default_plan_guess();
    guess.ctrl = TAC_GUESS_HOLD;
    must(tac_planner_guess(planner, &guess, &err));
    tacPlanSizes s = tac_plan_sizes(plan);
    size_t n = (size_t)s.steps, ndx = (size_t)s.ndx;
    double *X = doubles((n + 1) * (size_t)s.nx), *A = doubles(n * ndx * ndx), *B = doubles(n * ndx * (size_t)s.nu);
    double *U = doubles(n * (size_t)s.nu), *work = doubles(4 * (ndx + (size_t)s.nx + (size_t)s.nu));
    memcpy(U, tac_planner_path(planner).U, n * (size_t)s.nu * sizeof *U);
    tacSim *sim;
    tacOptions so;
    tac_planner_rollout(planner, U, NULL, X);
    must(tac_plan_options(plan, &so));
    must(tac_sim_new(m, &so, &sim, &err));
    Times t = {1e9, 1e9, 1e9, 1e9};
    for (int i = 0; i < ROUNDS; i++) {
        double a = seconds();
        tac_planner_jac(planner, &(tacPlanPath){X, U, NULL}, 0, &(tacJac){A, B, NULL});
        double b = seconds();
        for (size_t k = 0; k < n && with_differences; k++)
            differences(sim, &s, m, X + k * (size_t)s.nx, U + k * (size_t)s.nu, work);
        double c = seconds();
        tac_planner_rollout(planner, U, NULL, X);
        double d = seconds();
        t = (Times){least(t.jac, b - a), least(t.differences, c - b), least(t.rollout, d - c), t.backward};
    }
    tacPlanResult r;
    long passes = 0;
    must(tac_planner_run(planner, &r, &err));
    for (int i = 1; i <= r.iterations; i++)
        passes += r.history[i].passes;
    t.backward = r.solve_seconds / (double)(passes > 0 ? passes : 1);
    free(X), free(A), free(B), free(U), free(work);
    tac_sim_free(sim);
    tac_planner_free(planner);
    return t;
}

static void print_speed(const char *name, tacContactModel contact, double dt, int steps) {
    tacModel *m = load(name);
    tacPlan *plan = stay_plan(m, contact, dt, steps);
    Times t = times_of(plan, m, 1);
    double ours = t.jac + t.backward + t.rollout, theirs = t.differences + t.backward + t.rollout;
    printf("{\"model\": \"%s\", \"contact\": \"%s\", \"steps\": %d, \"ratio\": %.2f, \"jac\": %.3e, "
           "\"differences\": %.3e, \"backward\": %.3e, \"rollout\": %.3e, \"share\": %.3f}\n",
           name, tac_contact_text(contact), steps, theirs / ours, t.jac, t.differences, t.backward, t.rollout,
           (t.jac + t.rollout) / ours);
    tac_plan_free(plan);
    tac_model_free(m);
}

/* Exponent of the time of an iteration in the number of steps, by least squares of logarithms. */
static void print_growth(const char *name, tacContactModel contact) {
    const int steps[4] = {25, 50, 100, 200};
    double x = 0, y = 0, xx = 0, xy = 0;
    tacModel *m = load(name);
    for (int i = 0; i < 4; i++) {
        tacPlan *plan = stay_plan(m, contact, 0.002, steps[i]);
        Times t = times_of(plan, m, 0);
        double a = log(steps[i]), b = log(t.jac + t.rollout + t.backward);
        x += a, y += b, xx += a * a, xy += a * b;
        tac_plan_free(plan);
    }
    printf("{\"model\": \"%s\", \"contact\": \"%s\", \"exponent\": %.3f}\n", name, tac_contact_text(contact),
           (4 * xy - x * y) / (4 * xx - x * x));
    tac_model_free(m);
}

/* --- Poses -------------------------------------------------------------------------------------------------------- */

/* Rotation matrix -> quaternion. */
static void quaternion_of(const double *R, double *q) {
    double squares[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8],
                         1 - R[0] - R[4] + R[8]};
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (squares[i] > squares[k]) k = i;
    double s = 0.5 * sqrt(squares[k]), f = 0.25 / s;
    double wx = (R[7] - R[5]) * f, wy = (R[2] - R[6]) * f, wz = (R[3] - R[1]) * f;
    double xy = (R[1] + R[3]) * f, xz = (R[2] + R[6]) * f, yz = (R[5] + R[7]) * f;
    const double rows[4][4] = {{s, wx, wy, wz}, {wx, s, xy, xz}, {wy, xy, s, yz}, {wz, xz, yz, s}};
    memcpy(q, rows[k], 4 * sizeof *q);
}

/* Pose of a body at random joint angles within their ranges. */
static void reachable(const tacModel *m, tacSim *sim, int body, int trial, double *target) {
    double *q = doubles((size_t)tac_nx(m)), *u = doubles((size_t)m->nu), z[12];
    const tacOutput out[2] = {{TAC_OUT_BODY_POS, body}, {TAC_OUT_BODY_MAT, body}};
    tac_default_state(m, q);
    for (int j = 0; j < m->njnt; j++) {
        if (m->joint_type[j] < TAC_JOINT_SLIDE) continue;
        double low = m->joint_limited[j] ? m->joint_range[2 * j] : -1,
               high = m->joint_limited[j] ? m->joint_range[2 * j + 1] : 1;
        q[m->joint_qpos_adr[j]] = low + (high - low) * tac_random_uniform(SEED, (uint64_t)trial, (uint64_t)j);
    }
    must(tac_outputs(sim, q, u, &(tacOutputs){2, out}, z));
    memcpy(target, z, 3 * sizeof *z);
    quaternion_of(z + 3, target + 3);
    free(q), free(u);
}

static int reach(const tacModel *m, const tacOptions *o, int body, int trial, const double *target) {
    tacPlan *plan;
    must(tac_plan_new(m, o, 0, &plan, &err));
    tacPlanTerm term = tac_default_plan_term();
    term.of.kind = TAC_OF_POSITION;
    term.of.frame = (tacFrame){TAC_KIND_BODY, body};
    term.target = target;
    must(tac_plan_add(plan, &term, NULL, &err));
    term.of.kind = TAC_OF_ORIENTATION;
    term.target = target + 3;
    must(tac_plan_add(plan, &term, NULL, &err));
    unsigned char *hold = calloc((size_t)m->nv + 1, 1);
    for (int i = 0; i < 6 && m->joint_type[0] == TAC_JOINT_FREE; i++)
        hold[i] = 1;
    tacPoseOptions po = tac_default_pose_options();
    po.starts = 40;
    po.seed = (uint64_t)trial;
    po.hold = hold;
    tacPoseResult r = {0};
    tacStatus status = tac_pose_solve(plan, &po, NULL, &r, &err);
    free(hold);
    tac_plan_free(plan);
    return status == TAC_OK && sqrt(r.cost) <= 1e-8;
}

static void print_reach(const char *name, const char *body, int trials) {
    tacModel *m = load(name);
    tacOptions o = tac_default_options(m);
    tacSim *sim;
    double target[7];
    int id = tac_model_find(m, TAC_KIND_BODY, body), good = 0;
    o.contact = TAC_CONTACT_MODEL_NONE;
    must(tac_sim_new(m, &o, &sim, &err));
    for (int i = 0; i < trials; i++) {
        reachable(m, sim, id, i, target);
        good += reach(m, &o, id, i, target);
    }
    printf("{\"case\": \"%s\", \"trials\": %d, \"good\": %d}\n", name, trials, good);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* The quadruped near its stance with random joint angles: a pose at rest, and how it moves in a step. */
static double balance(const tacModel *m, const tacOptions *o, tacSim *sim, int trial) {
    tacPlan *plan;
    double x[100], u[100], y[100], weight[100] = {0}, most = 0;
    must(tac_plan_new(m, o, 0, &plan, &err));
    must(tac_key_state(m, o, 0, x, NULL, &err));
    for (int j = 7; j < m->nq; j++)
        x[j] += 0.1 * (2 * tac_random_uniform(SEED, 7, (uint64_t)(100 * trial + j)) - 1);
    must(tac_plan_set_start(plan, x, &err));
    for (int i = 0; i < m->nv; i++)
        weight[i] = i < 6 ? 0.1 : 1;
    tacPlanTerm term = tac_default_plan_term();
    term.of.kind = TAC_OF_STATE;
    term.target = x;
    term.weight = weight;
    must(tac_plan_add(plan, &term, NULL, &err));
    term = tac_default_plan_term();
    term.of.kind = TAC_OF_REST;
    term.role = TAC_ROLE_EQUAL;
    must(tac_plan_add(plan, &term, NULL, &err));
    tacPoseOptions po = tac_default_pose_options();
    po.iterations = 300;
    po.starts = 8;
    po.seed = (uint64_t)trial;
    tacPoseResult r = {.x = x, .u = u};
    tacStatus status = tac_pose_solve(plan, &po, NULL, &r, &err);
    tac_plan_free(plan);
    if (status != TAC_OK || tac_step(sim, x, u, y, NULL) != TAC_OK) return INFINITY;
    for (int i = 0; i < m->nv; i++)
        most = fmax(most, fabs(y[m->nq + i] - x[m->nq + i]) / o->dt);
    return most;
}

static void print_equilibria(int trials) {
    tacModel *m = load("quadruped");
    tacOptions o = tac_default_options(m);
    tacSim *sim;
    double worst = 0;
    int good = 0;
    must(tac_sim_new(m, &o, &sim, &err));
    for (int i = 0; i < trials; i++) {
        double moves = balance(m, &o, sim, i);
        good += moves < 1e-8;
        worst = fmax(worst, moves);
    }
    printf("{\"case\": \"equilibria\", \"trials\": %d, \"good\": %d, \"acceleration\": %.3e}\n", trials, good, worst);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* Torques for random accelerations at random states near the stance: soft, forward of inverse; else cones. */
static int invert(const tacModel *m, const tacOptions *o, tacSim *sim, tacSim *forward, int trial, double *worst) {
    double x[100], u[100] = {0}, given[200] = {0}, a[100], back[100], tau[100], force[300], dq[40 * 40], other[100];
    size_t bytes = (tac_inverse_dynamics_contact_bytes(m, o) + 63) / 64 * 64;
    int soft = o->contact == TAC_CONTACT_MODEL_SOFT, good = 1;
    tacContactInverse v = {.model = m, .tau = tau, .force = force, .max = 100, .memory = aligned_alloc(64, bytes)};
    v.bytes = bytes;
    v.dtau_dq = soft ? dq : NULL;
    must(tac_key_state(m, o, 0, x, u, &err));
    for (int i = 0; i < m->nv; i++) {
        if (i > 5) x[i + 1] += 0.05 * tac_random_normal(SEED, 8, (uint64_t)(100 * trial + i));
        x[m->nq + i] = 0.2 * tac_random_normal(SEED, 9, (uint64_t)(100 * trial + i));
        a[i] = soft ? 5 * tac_random_normal(SEED, 10, (uint64_t)(100 * trial + i)) : 0;
    }
    tacStatus status = tac_inverse_dynamics_contact(sim, x, a, u, &v);
    free(v.memory);
    if (status != TAC_OK) return 0;
    for (int k = 0; k < v.ncontact; k++) {
        double *f = force + 3 * k;
        good &= f[0] >= 0 && hypot(f[1], f[2]) <= 0.8 * f[0] * (1 + 1e-12);
    }
    if (!soft) return good;
    tacOutput of = {.kind = TAC_OUT_QFRC_ACTUATOR, .id = TAC_OUT_ALL};
    must(tac_outputs(sim, x, u, &(tacOutputs){1, &of}, other));
    memcpy(given, u, (size_t)m->nu * sizeof *u);
    for (int i = 0; i < m->nv; i++)
        given[m->nu + i] = tau[i] - other[i];
    must(tac_acceleration(forward, x, given, back));
    double error = 0;
    for (int i = 0; i < m->nv; i++)
        error = fmax(error, fabs(back[i] - a[i]));
    *worst = fmax(*worst, error);
    return good && error <= 1e-9;
}

static void print_inverse(tacContactModel contact, int trials) {
    tacModel *m = load("quadruped");
    tacOptions o = tac_default_options(m), with;
    tacSim *sim, *forward;
    double worst = 0;
    int good = 0;
    o.contact = contact;
    with = o;
    with.inputs = TAC_INPUT_QFRC;
    must(tac_sim_new(m, &o, &sim, &err));
    must(tac_sim_new(m, &with, &forward, &err));
    for (int i = 0; i < trials; i++)
        good += invert(m, &o, sim, forward, i, &worst);
    printf("{\"case\": \"inverse %s\", \"trials\": %d, \"good\": %d, \"error\": %.3e}\n", tac_contact_text(contact),
           trials, good, worst);
    tac_sim_free(sim);
    tac_sim_free(forward);
    tac_model_free(m);
}

static void print_regulators(int trials) {
    enum { N = 8, M = 3 };
    double worst = 0, radius = 0;
    int good = 0;
    size_t bytes = (tac_lqr_bytes(N, M) + 63) / 64 * 64;
    void *memory = aligned_alloc(64, bytes);
    for (int t = 0; t < trials; t++) {
        double A[N * N], B[N * M], Q[N * N] = {0}, R[M * M] = {0}, P[N * N], K[M * N];
        uint64_t index = 0;
        for (int i = 0; i < N * N; i++)
            A[i] = 0.5 * tac_random_normal((uint64_t)t, 5, index++);
        for (int i = 0; i < N * M; i++)
            B[i] = tac_random_normal((uint64_t)t, 5, index++);
        for (int i = 0; i < N; i++)
            Q[i * N + i] = 0.1 + tac_random_uniform((uint64_t)t, 5, index++);
        for (int i = 0; i < M; i++)
            R[i * M + i] = 0.1 + tac_random_uniform((uint64_t)t, 5, index++);
        tacLqr l = {.n = N, .m = M, .A = A, .B = B, .Q = Q, .R = R, .P = P, .K = K, .memory = memory, .bytes = bytes};
        good += tac_lqr(&l) == TAC_OK && l.residual <= 1e-9;
        worst = fmax(worst, l.residual);
        radius = fmax(radius, l.radius);
    }
    free(memory);
    printf("{\"case\": \"regulators\", \"trials\": %d, \"good\": %d, \"residual\": %.3e, \"radius\": %.4f}\n", trials,
           good, worst, radius);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int n = argc > 2 ? atoi(argv[2]) : 10;
    static const char *const robots[] = {"ant", "humanoid", "panda"};
    for (int i = 0; i < 3 && strcmp(what, "terms") == 0; i++)
        print_terms(robots[i], n);
    if (strcmp(what, "norms") == 0) print_norms();
    if (strcmp(what, "lqr") == 0) print_linear(n);
    for (int c = TAC_CONTACT_MODEL_LCP; c <= TAC_CONTACT_MODEL_SOFT && strcmp(what, "gradient") == 0; c++) {
        print_gradient("hopper", (tacContactModel)c);
        print_gradient("quadruped", (tacContactModel)c);
    }
    for (int c = TAC_CONTACT_MODEL_LCP; c <= TAC_CONTACT_MODEL_SOFT; c++) {
        if (strcmp(what, "bits") == 0) print_bits("hopper", (tacContactModel)c);
        if (strcmp(what, "alloc") == 0) print_allocations("hopper", (tacContactModel)c);
    }
    if (strcmp(what, "bits") == 0) print_bits("quadruped", TAC_CONTACT_MODEL_NCP);
    if (strcmp(what, "speed") == 0) {
        print_speed("hopper", TAC_CONTACT_MODEL_NCP, 0.05, 20);
        print_speed("quadruped", TAC_CONTACT_MODEL_NCP, 0.005, 40);
        print_speed("humanoid", TAC_CONTACT_MODEL_SOFT, 0.005, 100);
        print_growth("quadruped", TAC_CONTACT_MODEL_SOFT);
    }
    if (strcmp(what, "pose") == 0) {
        print_reach("panda", "hand", n);
        print_reach("atlas", "right_hand", n);
        print_equilibria(n < 100 ? n : 100);
        for (int c = TAC_CONTACT_MODEL_LCP; c <= TAC_CONTACT_MODEL_SOFT; c++)
            print_inverse((tacContactModel)c, n);
        print_regulators(n);
    }
    return fflush(stdout) == 0 ? 0 : 2;
}
