/* Models in which something is missing, with every contact model, integrator and public function of a simulation: each
 * says how it went, writes all its numbers, and touches nothing else. What is missing has arrays of no length, and
 * checked builds have red zones around them. */
#include "io/mjcf_text.h"
#include "support/check.h"

#include "tactus/io.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Forward and reverse mode, relative to the largest number: they add the same terms in another order. */
#define TOL_TRANSPOSED 1e-9

enum { STEPS = 4, WORLDS = 3, SOME_PARAMS = 40 };

/* --- Models ------------------------------------------------------------------------------------------------------- */

typedef struct Edge {
    const char *name, *text;
    tacModel *(*build)(void);
} Edge;

static tacModel *finish(tacBuilder *b) {
    tacModel *m = NULL;
    tacError err = {.text = ""};
    CHECK_INT(tac_model_finish(b, &m, &err), TAC_OK);
    tac_builder_free(b);
    return m;
}

static void add_plane(tacBuilder *b) {
    tacGeomDef plane = tac_default_geom();
    plane.type = TAC_GEOM_PLANE;
    plane.size[0] = plane.size[1] = plane.size[2] = 1;
    CHECK(tac_model_add_geom(b, 0, &plane) >= 0);
}

/* A ball of 0.1 m on a body at z = 0.05. */
static int add_ball(tacBuilder *b, int mocap, int shape) {
    tacBodyDef body = tac_default_body();
    tacGeomDef ball = tac_default_geom();
    body.pos.z = 0.05;
    body.mocap = mocap;
    body.inertial = TAC_INERTIAL_DIAG;
    body.mass = 1, body.inertia = (tacVec3){1, 1, 1};
    ball.type = TAC_GEOM_SPHERE;
    ball.size[0] = 0.1;
    int id = tac_model_add_body(b, 0, &body);
    if (shape) CHECK(tac_model_add_geom(b, id, &ball) >= 0);
    return id;
}

static tacModel *build_empty(void) { return finish(tac_model_begin()); }

static tacModel *build_plane(void) {
    tacBuilder *b = tac_model_begin();
    add_plane(b);
    return finish(b);
}

static tacModel *build_mocap(void) {
    tacBuilder *b = tac_model_begin();
    add_plane(b);
    add_ball(b, 1, 1);
    return finish(b);
}

static tacModel *build_fixed(void) {
    tacBuilder *b = tac_model_begin();
    add_plane(b);
    add_ball(b, 0, 1);
    return finish(b);
}

static tacModel *build_activations(void) {
    tacBuilder *b = tac_model_begin();
    tacSiteDef site = tac_default_site();
    tacActuatorDef drive = tac_default_actuator();
    drive.trntype = TAC_TRN_SITE;
    drive.trnid[0] = tac_model_add_site(b, add_ball(b, 0, 1), &site);
    drive.dyntype = TAC_DYN_FILTER;
    drive.dynprm[0] = 0.1;
    CHECK(tac_model_add_actuator(b, &drive) >= 0);
    return finish(b);
}

static tacModel *build_bare(void) {
    tacBuilder *b = tac_model_begin();
    tacJointDef joint = tac_default_joint();
    joint.type = TAC_JOINT_FREE;
    CHECK(tac_model_add_joint(b, add_ball(b, 0, 0), &joint) >= 0);
    return finish(b);
}

#define PLANE   "<geom type='plane' size='1 1 1'/>"
#define BALL    "<geom size='.1'/>"
#define DRIVE   "<general site='s' dyntype='filter' dynprm='.1'/><general site='s' refsite='r' dyntype='integrator'/>"
#define INERTIA "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"

static const Edge EDGES[] = {
    {"empty", MJCF(""), build_empty},
    {"a plane", WORLD(PLANE), build_plane},
    {"geoms of the world", WORLD(PLANE BALL "<geom type='box' size='.1 .1 .1'/>"), NULL},
    {"a body without joints", WORLD(PLANE "<body pos='0 0 .05'>" BALL "</body>"), build_fixed},
    {"bodies without joints or geoms", WORLD("<body>" INERTIA "<body>" INERTIA "</body></body>"), NULL},
    {"a mocap body", WORLD(PLANE "<body mocap='true' pos='0 0 .05'>" BALL "</body>"), build_mocap},
    {"a mocap body without geoms", WORLD("<body mocap='true'/>"), NULL},
    {"activations",
     MJCF("<worldbody><site name='r'/><body>" BALL "<site name='s'/></body></worldbody><actuator>" DRIVE "</actuator>"),
     build_activations},
    {"activations and a mocap body",
     MJCF("<worldbody>" PLANE "<site name='r'/><body mocap='true' pos='0 0 .05'>" BALL
          "<site name='s'/></body></worldbody><actuator>" DRIVE "</actuator>"),
     NULL},
    {"equalities of what stands",
     MJCF("<worldbody><body name='a'>" INERTIA "</body><body name='b' mocap='true'/></worldbody>"
          "<equality><weld body1='a' body2='b'/><connect body1='a' anchor='0 0 0'/></equality>"),
     NULL},
    {"a pair of what stands",
     MJCF("<worldbody><geom name='f' type='plane' size='1 1 1'/><body pos='0 0 .05'><geom name='g' size='.1'/></body>"
          "</worldbody><contact><pair geom1='f' geom2='g'/></contact>"),
     NULL},
    {"joints without geoms",
     WORLD("<body><freejoint/>" INERTIA "<body><joint range='-1 1' limited='true' frictionloss='.1'/>" INERTIA
           "</body></body>"),
     build_bare},
    {"one ball", WORLD(PLANE "<body pos='0 0 .0999'><freejoint/>" BALL "</body>"), NULL},
    {"one slide and a plane", WORLD(PLANE "<body pos='0 0 .0999'><joint type='slide' axis='0 0 1'/>" BALL "</body>"),
     NULL},
};

/* About SOME_PARAMS of the model's numbers become parameters, where steps have derivatives to them. */
static void register_some(tacModel *m) {
    char path[256];
    int every = 1 + tac_param_count(m) / SOME_PARAMS;
    for (int i = 0; i < tac_param_count(m); i += every)
        if (tac_param_path(m, i, path, sizeof path) == TAC_OK) tac_param_register(m, path, NULL, NULL);
}

/* --- One world ---------------------------------------------------------------------------------------------------- */

typedef struct World {
    const tacModel *m;
    tacOptions o;
    void *memory;
    tacSim *sim;
    int nx, ndx, nu, np;
    double *x, *u;
} World;

/* An array of exactly n numbers, none of which is one. */
static double *blank(int n) {
    double *a = malloc((size_t)n * sizeof *a);
    CHECK(a != NULL || n == 0);
    if (n > 0) memset(a, 0xFF, (size_t)n * sizeof *a);
    return a;
}

static double *drawn(int n, uint64_t stream) {
    double *a = blank(n);
    for (int i = 0; i < n; i++)
        a[i] = tac_random_normal(7, stream, (uint64_t)i);
    return a;
}

/* All n numbers were written, then the array goes. */
static void check_written(int n, double *a) {
    for (int i = 0; i < n; i++)
        CHECK(isfinite(a[i]));
    free(a);
}

/* g = J^T bar */
static void check_transposed(int rows, int columns, const double *J, const double *bar, const double *g) {
    double *want = blank(columns);
    for (int j = 0; j < columns; j++) {
        want[j] = 0;
        for (int i = 0; i < rows; i++)
            want[j] += J[i * columns + j] * bar[i];
    }
    CHECK_ARRAY(columns, g, want, TOL_TRANSPOSED);
    free(want);
}

/* Its memory held something else before. */
static World open_world(const tacModel *m, tacOptions o) {
    World w = {.m = m, .o = o, .nx = tac_nx(m), .ndx = tac_ndx(m), .nu = tac_ninput(m, &o), .np = m->nparam};
    tacError err = {.text = ""};
    size_t bytes = tac_sim_bytes(m, &o);
    w.memory = aligned_alloc(64, bytes);
    CHECK(w.memory != NULL);
    memset(w.memory, 0x7F, bytes);
    tacStatus status = tac_sim_create(m, &o, w.memory, bytes, &w.sim, &err);
    if (status != TAC_OK) print_error("%s\n", err.text);
    CHECK_INT(status, TAC_OK);
    w.x = blank(w.nx), w.u = blank(w.nu);
    tac_default_state(m, w.x);
    tac_default_input(m, &o, w.u);
    for (int i = 0; i < m->na; i++)
        w.x[w.nx - 1 - i] = 0.3;
    return w;
}

static void close_world(World *w) { free(w->x), free(w->u), free(w->memory); }

/* --- Functions ---------------------------------------------------------------------------------------------------- */

static void run_steps(const World *w) {
    double *y = blank(w->nx), *same = blank(w->nx), *A = blank(w->ndx * w->ndx), *B = blank(w->ndx * w->nu),
           *P = blank(w->ndx * w->np), *bar = drawn(w->ndx, 1), *gx = blank(w->ndx), *gu = blank(w->nu),
           *gp = blank(w->np);
    tacStepInfo info;
    CHECK_INT(tac_step(w->sim, w->x, w->u, y, &info), TAC_OK);
    CHECK_INT(tac_step_jac(w->sim, w->x, w->u, same, &(tacJac){A, B, P}, &info), TAC_OK);
    CHECK(w->nx == 0 || memcmp(y, same, (size_t)w->nx * sizeof *y) == 0);
    CHECK_INT(tac_step_vjp(w->sim, w->x, w->u, bar, &(tacGrad){gx, gu, gp}, &info), TAC_OK);
    check_transposed(w->ndx, w->ndx, A, bar, gx);
    check_transposed(w->ndx, w->nu, B, bar, gu);
    check_transposed(w->ndx, w->np, P, bar, gp);
    CHECK_INT(tac_step_jac(w->sim, w->x, w->u, NULL, &(tacJac){NULL, NULL, NULL}, NULL), TAC_OK);
    CHECK_INT(tac_step_vjp(w->sim, w->x, w->u, bar, &(tacGrad){NULL, NULL, NULL}, NULL), TAC_OK);
    check_written(w->nx, y), check_written(w->nx, same);
    check_written(w->ndx * w->ndx, A), check_written(w->ndx * w->nu, B), check_written(w->ndx * w->np, P);
    check_written(w->ndx, gx), check_written(w->nu, gu), check_written(w->np, gp);
    free(bar);
}

static double *repeated(int times, int n, const double *a) {
    double *all = blank(times * n);
    for (int k = 0; k < times && n > 0; k++)
        memcpy(all + k * n, a, (size_t)n * sizeof *a);
    return all;
}

static void run_rollouts(const World *w) {
    double *X = blank((STEPS + 1) * w->nx), *U = repeated(STEPS, w->nu, w->u), *bar = drawn((STEPS + 1) * w->ndx, 2);
    CHECK_INT(tac_rollout(w->sim, w->x, U, 0, X, NULL), TAC_OK);
    CHECK_INT(tac_rollout(w->sim, w->x, U, STEPS, X, NULL), TAC_OK);
    for (int n = 0; n <= STEPS; n += 2)
        for (int kept = 0; kept <= 2; kept++)
            for (int given = 0; given < 2; given++) {
                double *gx = blank(w->ndx), *gu = blank(n * w->nu), *gp = blank(w->np);
                tacTrajectory path = {n, w->x, U, given ? X : NULL, bar, NULL};
                tacCheckpoints memory = {.count = kept, .bytes = tac_rollout_vjp_bytes(w->m, n, kept)};
                memory.memory = aligned_alloc(64, memory.bytes);
                CHECK_INT(tac_rollout_vjp(w->sim, &path, &memory, &(tacGrad){gx, gu, gp}, NULL), TAC_OK);
                free(memory.memory);
                check_written(w->ndx, gx), check_written(n * w->nu, gu), check_written(w->np, gp);
            }
    check_written((STEPS + 1) * w->nx, X);
    free(U), free(bar);
}

static void run_batches(const World *w) {
    int nx = w->nx, ndx = w->ndx, nu = w->nu, np = w->np;
    for (int n = 0; n <= WORLDS; n += WORLDS) {
        double *X = repeated(n, nx, w->x), *U = repeated(n * STEPS, nu, w->u), *Y = blank(n * nx),
               *A = blank(n * ndx * ndx), *B = blank(n * ndx * nu), *P = blank(n * ndx * np),
               *bar = drawn(n * (STEPS + 1) * ndx, 3), *gx = blank(n * ndx), *gu = blank(n * STEPS * nu),
               *gp = blank(n * np), *all = repeated(n * (STEPS + 1), nx, w->x);
        CHECK_INT(tac_batch_step(w->m, &w->o, n, X, U, Y, 2), TAC_OK);
        CHECK_INT(tac_batch_step_jac(w->m, &w->o, n, X, U, Y, &(tacJac){A, B, P}, 2), TAC_OK);
        CHECK_INT(tac_batch_step_vjp(w->m, &w->o, n, X, U, bar, &(tacGrad){gx, gu, gp}, 2), TAC_OK);
        CHECK_INT(tac_batch_rollout(w->m, &w->o, n, STEPS, all, U, 2), TAC_OK);
        tacTrajectory path = {STEPS, X, U, NULL, bar, NULL};
        CHECK_INT(tac_batch_rollout_vjp(w->m, &w->o, n, &path, 1, &(tacGrad){gx, gu, gp}, 2), TAC_OK);
        check_written(n * nx, Y), check_written(n * ndx * ndx, A), check_written(n * ndx * nu, B);
        check_written(n * ndx * np, P), check_written(n * ndx, gx), check_written(n * STEPS * nu, gu);
        check_written(n * np, gp), check_written(n * (STEPS + 1) * nx, all);
        free(X), free(U), free(bar);
    }
}

static void run_frames(const World *w) {
    const tacModel *m = w->m;
    double *a[] = {blank(3 * m->nbody), blank(3 * m->nbody), blank(4 * m->nbody), blank(3 * m->ngeom),
                   blank(3 * m->nsite), blank(9 * m->ngeom), blank(9 * m->nsite), blank(3 * m->njnt),
                   blank(3 * m->njnt),  blank(3 * m->nbody), blank(6 * m->nbody)};
    int n[] = {3 * m->nbody, 3 * m->nbody, 4 * m->nbody, 3 * m->ngeom, 3 * m->nsite, 9 * m->ngeom,
               9 * m->nsite, 3 * m->njnt,  3 * m->njnt,  3 * m->nbody, 6 * m->nbody};
    tacKinematics frames = {(tacVec3 *)a[0], (tacVec3 *)a[1], (tacQuat *)a[2], (tacVec3 *)a[3], (tacVec3 *)a[4],
                            (tacMat3 *)a[5], (tacMat3 *)a[6], (tacVec3 *)a[7], (tacVec3 *)a[8], (tacVec3 *)a[9]};
    CHECK_INT(tac_kinematics(w->sim, w->x, w->u, &frames), TAC_OK);
    CHECK_INT(tac_body_velocity(w->sim, w->x, w->x + m->nq, (tacVec6 *)a[10]), TAC_OK);
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        check_written(n[i], a[i]);
    const tacKind kinds[] = {TAC_KIND_BODY, TAC_KIND_GEOM, TAC_KIND_SITE};
    for (int k = 0; k < 3; k++)
        for (int id = -1; id <= tac_model_count(m, kinds[k]); id++) {
            double *jacp = blank(3 * m->nv), *jacr = blank(3 * m->nv);
            int there = id >= 0 && id < tac_model_count(m, kinds[k]);
            CHECK_INT(tac_frame_jacobian(w->sim, w->x, kinds[k], id, jacp, jacr), there ? TAC_OK : TAC_ERR_ARGUMENT);
            if (k == 0)
                CHECK_INT(tac_point_jacobian(w->sim, w->x, id, (tacVec3){1, 2, 3}, jacp, jacr),
                          there ? TAC_OK : TAC_ERR_ARGUMENT);
            check_written(there ? 3 * m->nv : 0, jacp), check_written(there ? 3 * m->nv : 0, jacr);
        }
}

static void run_dynamics(const World *w) {
    const tacModel *m = w->m;
    int nv = m->nv;
    const double *q = w->x, *v = w->x + m->nq;
    double *M = blank(nv * nv), *r = drawn(nv, 4), *out = blank(nv), *length = blank(m->ntendon),
           *rate = blank(m->ntendon);
    tacEnergy energy;
    tacVec6 momentum;
    CHECK_INT(tac_mass_matrix(w->sim, q, M), TAC_OK);
    CHECK_INT(tac_mass_solve(w->sim, q, r, out), TAC_OK);
    CHECK_INT(tac_bias(w->sim, q, v, out), TAC_OK);
    CHECK_INT(tac_inverse_dynamics(w->sim, q, v, r, out), TAC_OK);
    CHECK_INT(tac_forward_dynamics(w->sim, q, v, r, out), TAC_OK);
    CHECK_INT(tac_passive(w->sim, q, v, out), TAC_OK);
    CHECK_INT(tac_acceleration(w->sim, w->x, w->u, out), TAC_OK);
    CHECK_INT(tac_tendons(w->sim, q, v, length, rate), TAC_OK);
    CHECK_INT(tac_energy(w->sim, q, v, &energy), TAC_OK);
    CHECK_INT(tac_momentum(w->sim, q, v, &momentum), TAC_OK);
    CHECK(isfinite(energy.kinetic + energy.potential));
    check_written(nv * nv, M), check_written(nv, out), check_written(m->ntendon, length);
    check_written(m->ntendon, rate);
    free(r);
    double *a[] = {blank(m->nu), blank(m->nu), blank(m->nu), blank(m->nu * nv), blank(m->na), blank(nv)};
    int n[] = {m->nu, m->nu, m->nu, m->nu * nv, m->na, nv};
    CHECK_INT(tac_actuation(w->sim, w->x, w->u, &(tacActuation){a[0], a[1], a[2], a[3], a[4], a[5]}), TAC_OK);
    for (int i = 0; i < 6; i++)
        check_written(n[i], a[i]);
}

static void run_outputs(const World *w) {
    tacOutput all[TAC_OUTPUT_KINDS];
    int n = 0;
    for (int k = 0; k < TAC_OUTPUT_KINDS; k++)
        if (k != TAC_OUT_PAIR_FORCE) all[n++] = (tacOutput){(tacOutputKind)k, TAC_OUT_ALL};
    tacOptions options;
    CHECK_INT(tac_sim_options(w->sim, &options), TAC_OK);
    if (w->m->ngeom > 1 && !options.toi) /* no derivatives with toi */
        all[n++] = (tacOutput){TAC_OUT_PAIR_FORCE, 0, 1};
    for (int k = -2; k < n; k++) { /* none, all, one after another */
        tacOutputs list = {k == -2 ? 0 : k == -1 ? n : 1, k < 0 ? all : all + k};
        int nz = tac_outputs_size(w->m, &list);
        CHECK(nz >= 0);
        double *z = blank(nz), *A = blank(nz * w->ndx), *B = blank(nz * w->nu), *P = blank(nz * w->np),
               *bar = drawn(nz, 5), *gx = blank(w->ndx), *gu = blank(w->nu), *gp = blank(w->np);
        CHECK_INT(tac_outputs(w->sim, w->x, w->u, &list, z), TAC_OK);
        CHECK_INT(tac_outputs_jac(w->sim, w->x, w->u, &list, z, &(tacJac){A, B, P}), TAC_OK);
        CHECK_INT(tac_outputs_vjp(w->sim, w->x, w->u, &list, bar, &(tacGrad){gx, gu, gp}), TAC_OK);
        check_transposed(nz, w->ndx, A, bar, gx);
        check_transposed(nz, w->nu, B, bar, gu);
        check_transposed(nz, w->np, P, bar, gp);
        check_written(nz, z), check_written(nz * w->ndx, A), check_written(nz * w->nu, B);
        check_written(nz * w->np, P), check_written(w->ndx, gx), check_written(w->nu, gu), check_written(w->np, gp);
        free(bar);
    }
}

static void run_maximal(const World *w) {
    const tacModel *m = w->m;
    int bodies = 12 * m->nbody, n = bodies + m->na;
    double *pose = blank(7 * m->nbody), *twist = blank(6 * m->nbody), *A = blank(bodies * w->ndx),
           *B = blank(bodies * w->nu), *P = blank(bodies * w->np), *q = blank(m->nq), *v = blank(m->nv),
           *jac = blank(2 * m->nv * bodies);
    tacMaximal z = {w->o.dt, pose, twist};
    tacMinimal back = {.q = q, .v = v, .jac = jac};
    CHECK_INT(tac_to_maximal(w->sim, w->x, w->u, &z, &(tacJac){A, B, P}), TAC_OK);
    if (m->nq > 0) memcpy(q, w->x, (size_t)m->nq * sizeof *q);
    CHECK_INT(tac_to_minimal(w->sim, &z, &back), TAC_OK);
    check_written(7 * m->nbody, pose), check_written(6 * m->nbody, twist), check_written(bodies * w->ndx, A);
    check_written(bodies * w->nu, B), check_written(bodies * w->np, P), check_written(m->nq, q);
    check_written(m->nv, v), check_written(2 * m->nv * bodies, jac);
    tacMaximalStep step = {.span = w->o.dt, .y = blank(w->nx), .A = blank(n * n), .B = blank(n * w->nu)};
    tacMaximalGrad grad = {.span = w->o.dt, .z = blank(n), .u = blank(w->nu), .theta = blank(w->np)};
    double *bar = drawn(n, 6);
    step.P = blank(n * w->np);
    step.bytes = tac_step_maximal_bytes(m, &w->o);
    step.memory = aligned_alloc(64, step.bytes);
    CHECK_INT(tac_step_maximal_jac(w->sim, w->x, w->u, &step, NULL), TAC_OK);
    CHECK_INT(tac_step_maximal_vjp(w->sim, w->x, w->u, bar, &grad, NULL), TAC_OK);
    check_transposed(n, n, step.A, bar, grad.z);
    check_transposed(n, w->nu, step.B, bar, grad.u);
    check_transposed(n, w->np, step.P, bar, grad.theta);
    check_written(w->nx, step.y), check_written(n * n, step.A), check_written(n * w->nu, step.B);
    check_written(n * w->np, step.P), check_written(n, grad.z), check_written(w->nu, grad.u);
    check_written(w->np, grad.theta);
    free(step.memory), free(bar);
}

static void run_one_contact(const World *w, const tacContact *contact) {
    int rows = TAC_CONTACT_ROWS, nv = w->m->nv;
    double *q = blank(rows * nv), *u = blank(rows * w->nu), *theta = blank(rows * w->np), *bar = drawn(rows, 8),
           *gq = blank(nv), *gu = blank(w->nu), *gp = blank(w->np);
    CHECK_INT(tac_contact_jac(w->sim, w->x, w->u, contact, &(tacContactJac){q, u, theta}), TAC_OK);
    CHECK_INT(tac_contact_vjp(w->sim, w->x, w->u, contact, bar, &(tacContactGrad){gq, gu, gp}), TAC_OK);
    check_transposed(rows, nv, q, bar, gq);
    check_transposed(rows, w->nu, u, bar, gu);
    check_transposed(rows, w->np, theta, bar, gp);
    check_written(rows * nv, q), check_written(rows * w->nu, u), check_written(rows * w->np, theta);
    check_written(nv, gq), check_written(w->nu, gu), check_written(w->np, gp);
    free(bar);
}

/* Whatever two geoms are: their distance, or that they have none. */
static void run_distances(const World *w) {
    tacContact one;
    for (int i = -1; i <= w->m->ngeom; i++)
        for (int j = -1; j <= w->m->ngeom; j++) {
            int there = i >= 0 && j >= 0 && i < w->m->ngeom && j < w->m->ngeom && i != j;
            CHECK_INT(tac_geom_distance(w->sim, w->x, w->u, i, j, &one), there ? TAC_OK : TAC_ERR_ARGUMENT);
        }
}

static void run_contacts(const World *w) {
    int max = w->o.max_contacts, n = -1;
    tacContact *found = malloc((size_t)max * sizeof *found);
    tacContactForce *forces = malloc((size_t)max * sizeof *forces);
    CHECK_INT(tac_contacts(w->sim, w->x, w->u, found, max, &n), TAC_OK);
    for (int i = 0; i < n; i++)
        run_one_contact(w, &found[i]);
    CHECK_INT(tac_step_contacts(w->sim, w->x, w->u, forces, max, &n), TAC_OK);
    CHECK(n >= 0 && n <= max);
    free(found), free(forces);
    run_distances(w);
    tacConstraint constraints[32];
    tacStatus status = tac_step_constraints(w->sim, w->x, w->u, constraints, 32, &n);
    CHECK_INT(status, w->o.contact == TAC_CONTACT_MODEL_SOFT ? TAC_OK : TAC_ERR_UNSUPPORTED);
    tacIteration history[8];
    status = tac_step_history(w->sim, w->x, w->u, history, 8, &n);
    CHECK_INT(status, w->o.contact == TAC_CONTACT_MODEL_NCP ? TAC_OK : TAC_ERR_UNSUPPORTED);
}

static void run_searches(const World *w) {
    const tacModel *m = w->m;
    double *y = blank(w->nx), *dq = blank(m->nv), *dv = blank(m->nv);
    tacProjection p = {.bytes = tac_project_bytes(m, &w->o)};
    p.memory = aligned_alloc(64, p.bytes);
    tacStatus status = tac_project_state(w->sim, w->x, w->u, y, &p);
    CHECK(status == TAC_OK || (status == TAC_ERR_UNSOLVED && m->nv == 0)); /* nothing gives way */
    free(p.memory);
    tacImpactPair pairs[2];
    tacImpact impact = {.max_pairs = 2, .pair = pairs, .dtime_dq = dq, .dtime_dv = dv};
    CHECK_INT(tac_first_impact(w->sim, w->x, w->x + m->nq, w->u, 0.1, &impact), TAC_OK);
    check_written(w->nx, y), check_written(m->nv, dq), check_written(m->nv, dv);
}

static void run_params(const World *w) {
    double *theta = blank(w->np);
    CHECK_INT(tac_sim_get_params(w->sim, theta), TAC_OK);
    CHECK_INT(tac_sim_set_params(w->sim, theta), TAC_OK);
    check_written(w->np, theta);
    CHECK(tac_sim_peak(w->sim) <= tac_sim_bytes(w->m, &w->o));
}

static void run_all(const tacModel *m, tacOptions o) {
    static void (*const RUN[])(const World *) = {run_steps,   run_rollouts, run_batches,  run_frames,   run_dynamics,
                                                 run_outputs, run_maximal,  run_contacts, run_searches, run_params};
    World w = open_world(m, o);
    for (size_t i = 0; i < sizeof RUN / sizeof *RUN; i++)
        RUN[i](&w);
    close_world(&w);
}

/* --- Tests -------------------------------------------------------------------------------------------------------- */

/* Where the two are known together. */
static int is_offered(const tacModel *m, const tacOptions *o) {
    tacSim *sim = NULL;
    tacStatus status = tac_sim_new(m, o, &sim, NULL);
    CHECK(status == TAC_OK || status == TAC_ERR_UNSUPPORTED);
    tac_sim_free(sim);
    return status == TAC_OK;
}

static int run_model(const tacModel *m) {
    int count = 0;
    for (int contact = TAC_CONTACT_MODEL_NONE; contact <= TAC_CONTACT_MODEL_SOFT; contact++)
        for (int integrator = TAC_INTEGRATOR_EULER; integrator <= TAC_INTEGRATOR_CORIOLIS; integrator++)
            for (int toi = 0; toi <= (contact == TAC_CONTACT_MODEL_LCP); toi++)
                for (int inputs = 0; inputs < 2; inputs++) {
                    tacOptions o = tac_default_options(m);
                    o.contact = (tacContactModel)contact, o.integrator = (tacIntegrator)integrator;
                    o.toi = toi;
                    o.inputs = inputs ? TAC_INPUT_QFRC | TAC_INPUT_XFRC | TAC_INPUT_MOCAP : 0;
                    if (!is_offered(m, &o)) continue;
                    run_all(m, o);
                    count++;
                }
    return count;
}

/* As it is, and with parameters. */
static void run_edge(tacModel *m) {
    CHECK(m != NULL);
    int count = run_model(m);
    register_some(m);
    CHECK(m->nparam > 0);
    CHECK_INT(run_model(m), count);
    CHECK(count > 4 * 2);
    tac_model_free(m);
}

static void edges_from_files(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof EDGES / sizeof *EDGES; i++) {
        print_message("file: %s\n", EDGES[i].name);
        Loaded l = load_ok(EDGES[i].text);
        tacModel *m = l.model;
        l.model = NULL;
        unload(&l);
        run_edge(m);
    }
}

static void edges_from_the_builder(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof EDGES / sizeof *EDGES; i++) {
        if (EDGES[i].build == NULL) continue;
        print_message("builder: %s\n", EDGES[i].name);
        run_edge(EDGES[i].build());
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_from_files),
        cmocka_unit_test(edges_from_the_builder),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
