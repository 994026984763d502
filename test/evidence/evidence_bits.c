/* Bits of motions and derivatives, one line each:
 *
 *   model way integrator hash-of-states hash-of-A-and-B hash-of-the-rest failures broken projection size
 *
 * The rest: derivatives by parameters, reverse mode, outputs of forces with derivatives, and what a step tells of its
 * margins. failures: steps and derivatives that are not a success. broken: the most by which a state of the motion
 * breaks a constraint, over the time step, in m/s or rad/s (contact lcp and ncp tell). projection: the derivatives of
 * all kinds in one random direction; size: their Euclidean norm. Two versions that differ by rounding agree in both.
 *
 * Public interface only, so that the same file compiles against another version of the library. */
#include <tactus/io.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 60, STEPS_PER_DERIVATIVE = 20 };

/* A contact model with the options that choose other code. */
typedef struct Way {
    const char *name;
    tacContactModel contact;
    int toi;
    int variant; /* 1: of options; with Euler's integrator alone */
    tacGradientMode gradient;
    tacNcpFriction friction;
    double gradient_kappa;
    tacSolver solver;
} Way;

static const Way WAYS[] = {
    {"none", .contact = TAC_CONTACT_MODEL_NONE},
    {"lcp", .contact = TAC_CONTACT_MODEL_LCP},
    {"lcp-bounce", .variant = 1, .contact = TAC_CONTACT_MODEL_LCP, .gradient = TAC_GRADIENT_BOUNCE},
    {"lcp-complementarity", .variant = 1, .contact = TAC_CONTACT_MODEL_LCP, .gradient = TAC_GRADIENT_COMPLEMENTARITY},
    {"lcp-toi", .variant = 1, .contact = TAC_CONTACT_MODEL_LCP, .toi = 1},
    {"ncp", .contact = TAC_CONTACT_MODEL_NCP},
    {"ncp-pyramid", .variant = 1, .contact = TAC_CONTACT_MODEL_NCP, .friction = TAC_NCP_PYRAMID},
    {"ncp-smooth", .variant = 1, .contact = TAC_CONTACT_MODEL_NCP, .gradient_kappa = 1e-4},
    {"soft", .contact = TAC_CONTACT_MODEL_SOFT, .solver = TAC_SOLVER_NEWTON},
    {"soft-cg", .variant = 1, .contact = TAC_CONTACT_MODEL_SOFT, .solver = TAC_SOLVER_CG},
};
/* Numbers that derivatives are also taken by, where the model has them. */
static const char *const PARAMETERS[] = {"option.timestep",     "option.gravity[2]", "body/#1.mass",
                                         "geom/#0.friction[0]", "geom/#1.size[0]",   "joint/#0.damping",
                                         "joint/#1.pos[0]"};
static const char *const INTEGRATORS[] = {"euler", "rk4", "implicit", "implicitfast", "rkmk4"};

/* What a run needs, and what it has found so far. */
typedef struct Run {
    const tacModel *model;
    tacOptions options;
    tacSim *sim;
    int nx, ndx, nu, np, nz, failures;
    double *x, *u, *A, *B, *P, *z, *C, *D, *E, *gx, *gu, *gp, *ybar, broken;
    double projection, squares;
    uint64_t motion, derivative, more, numbers;
} Run;

static const tacOutput OUTPUTS[] = {
    {TAC_OUT_SUBTREE_COM, 0}, {TAC_OUT_CONTACT_FORCE, TAC_OUT_ALL}, {TAC_OUT_QFRC_CONSTRAINT, TAC_OUT_ALL}};

static double *doubles(int n) { return calloc((size_t)(n > 0 ? n : 1), sizeof(double)); }

static uint64_t mix(const double *a, int n, uint64_t hash) { return tac_hash(a, (size_t)n * sizeof *a, hash); }

/* Derivatives count in a hash, and in the projection and size of all of them. */
static void add(Run *r, uint64_t *hash, const double *a, int n) {
    *hash = mix(a, n, *hash);
    for (int i = 0; i < n; i++) {
        r->projection += tac_random_normal(6, 7, r->numbers++) * a[i];
        r->squares += a[i] * a[i];
    }
}

static tacOutputs outputs_of(const Run *r) {
    return (tacOutputs){r->options.contact == TAC_CONTACT_MODEL_NONE ? 1 : 3, OUTPUTS};
}

static void open_run(Run *r) {
    tacOutputs outputs = outputs_of(r);
    r->nx = tac_nx(r->model), r->ndx = tac_ndx(r->model), r->nu = tac_ninput(r->model, &r->options);
    r->np = r->model->nparam, r->nz = tac_outputs_size(r->model, &outputs);
    r->x = doubles(r->nx), r->u = doubles(r->nu), r->A = doubles(r->ndx * r->ndx), r->B = doubles(r->ndx * r->nu);
    r->P = doubles(r->ndx * r->np), r->z = doubles(r->nz), r->C = doubles(r->nz * r->ndx);
    r->D = doubles(r->nz * r->nu), r->E = doubles(r->nz * r->np), r->gx = doubles(r->ndx), r->gu = doubles(r->nu);
    r->gp = doubles(r->np), r->ybar = doubles(r->nz + r->ndx);
    for (int i = 0; i < r->nz + r->ndx; i++)
        r->ybar[i] = tac_random_normal(4, 5, (uint64_t)i);
    tac_default_state(r->model, r->x);
    tac_default_input(r->model, &r->options, r->u);
    for (int i = 0; i < r->model->nv; i++)
        r->x[r->model->nq + i] = 0.2 * tac_random_normal(1, 2, (uint64_t)i);
}

static void close_run(Run *r) {
    double *const all[] = {r->x, r->u, r->A, r->B, r->P, r->z, r->C, r->D, r->E, r->gx, r->gu, r->gp, r->ybar};
    tac_sim_free(r->sim);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void mix_grad(Run *r, tacStatus status) {
    add(r, &r->more, r->gx, r->ndx);
    add(r, &r->more, r->gu, r->nu);
    add(r, &r->more, r->gp, r->np);
    r->failures += status != TAC_OK;
}

/* By every number of u and theta, forward and in reverse. */
static void differentiate(Run *r) {
    const tacGrad g = {r->gx, r->gu, r->gp};
    tacStepInfo info;
    tacStatus status = tac_step_jac(r->sim, r->x, r->u, NULL, &(tacJac){r->A, r->B, r->P}, &info);
    add(r, &r->derivative, r->A, r->ndx * r->ndx);
    add(r, &r->derivative, r->B, r->ndx * r->nu);
    add(r, &r->more, r->P, r->ndx * r->np);
    const double told[] = {info.class_margin, info.feature_margin, info.force_margin,
                           info.conditioning, info.ties,           (double)(info.active_set >> 12)};
    r->more = mix(told, sizeof told / sizeof *told, r->more);
    r->failures += status != TAC_OK;
    mix_grad(r, tac_step_vjp(r->sim, r->x, r->u, r->ybar, &g, NULL));
}

static void differentiate_outputs(Run *r) {
    const tacGrad g = {r->gx, r->gu, r->gp};
    const tacOutputs outputs = outputs_of(r);
    tacStatus status = tac_outputs_jac(r->sim, r->x, r->u, &outputs, r->z, &(tacJac){r->C, r->D, r->E});
    r->more = mix(r->z, r->nz, r->more);
    add(r, &r->more, r->C, r->nz * r->ndx);
    add(r, &r->more, r->D, r->nz * r->nu);
    add(r, &r->more, r->E, r->nz * r->np);
    r->failures += status != TAC_OK;
    mix_grad(r, tac_outputs_vjp(r->sim, r->x, r->u, &outputs, r->ybar, &g));
}

/* Inside their ranges: a clamped control has no effect. */
static void draw_controls(Run *r, int draw) {
    for (int i = 0; i < r->model->nu; i++) {
        const double *range = r->model->actuator_ctrlrange + 2 * (ptrdiff_t)i;
        double u = 0.3 * tac_random_normal(3, (uint64_t)draw, (uint64_t)i);
        r->u[i] = r->model->actuator_ctrllimited[i] ? fmin(fmax(u, range[0]), range[1]) : u;
    }
}

static void move(Run *r) {
    tacStepInfo info;
    for (int k = 0; k < STEPS; k++) {
        draw_controls(r, k / 8);
        if (k % STEPS_PER_DERIVATIVE == STEPS_PER_DERIVATIVE - 1) differentiate(r), differentiate_outputs(r);
        r->failures += tac_step(r->sim, r->x, r->u, r->x, &info) != TAC_OK;
        r->broken = fmax(r->broken, info.violation.size / r->options.dt);
        r->motion = mix(r->x, r->nx, r->motion);
    }
}

static tacOptions options_of(const tacModel *model, const Way *way, tacIntegrator integrator) {
    tacOptions o = tac_default_options(model);
    o.contact = way->contact, o.integrator = integrator, o.toi = way->toi, o.gradient = way->gradient;
    o.ncp_friction = way->friction, o.ncp_gradient_kappa = way->gradient_kappa, o.soft_solver = way->solver;
    o.inputs = TAC_INPUT_QFRC | TAC_INPUT_XFRC | TAC_INPUT_MOCAP;
    return o;
}

/* Every integrator that the contact model has; a model's own one gives way where it lacks that. */
static void run(const char *path, const tacModel *model, const Way *way, tacIntegrator integrator) {
    Run r = {.model = model, .options = options_of(model, way, integrator)};
    if (tac_sim_new(model, &r.options, &r.sim, NULL) != TAC_OK) return;
    open_run(&r);
    move(&r);
    printf("%s %s %s %016llx %016llx %016llx %d %.3g %.17g %.17g\n", path, way->name, INTEGRATORS[integrator],
           (unsigned long long)r.motion, (unsigned long long)r.derivative, (unsigned long long)r.more, r.failures,
           r.broken, r.projection, sqrt(r.squares));
    close_run(&r);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        tacError err;
        tacModel *model;
        if (tac_load(argv[i], &model, &err) != TAC_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 2;
        }
        for (size_t k = 0; k < sizeof PARAMETERS / sizeof *PARAMETERS; k++)
            tac_param_register(model, PARAMETERS[k], NULL, NULL); /* those that it has */
        for (size_t w = 0; w < sizeof WAYS / sizeof *WAYS; w++)
            for (int k = TAC_INTEGRATOR_EULER; k <= (WAYS[w].variant ? TAC_INTEGRATOR_EULER : TAC_INTEGRATOR_RKMK4);
                 k++)
                run(argv[i], model, &WAYS[w], (tacIntegrator)k);
        tac_model_free(model);
    }
    return 0;
}
