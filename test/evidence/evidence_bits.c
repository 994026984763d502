/* Bits of motions and derivatives, one line each:
 *
 *   model way integrator hash-of-states hash-of-A-and-B hash-of-the-rest failures broken hash-of-the-plain shared
 *   hash-of-margins
 *
 * The rest: derivatives by parameters, reverse mode, outputs of forces with derivatives, and what a step tells of its
 * margins. failures: steps and derivatives that are not a success. broken: the most by which a state of the motion
 * breaks a constraint, over the time step, in m/s or rad/s (contact lcp and ncp tell).
 *
 * The plain: all derivatives but those of steps whose rows share forces, which multiply rounding by their conditioning.
 * shared: the derivatives of these steps in a random direction, each array in units of that rounding, so that two
 * versions that round otherwise differ by a small number. margins: what a step tells of them.
 *
 * Public interface only, so that the same file compiles against another version of the library. */
#include <tactus/io.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 60, STEPS_PER_DERIVATIVE = 20 };
/* Conditioning above which rows of contact lcp share forces. */
#define SHARED 1e4

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
    double shared;
    uint64_t motion, derivative, more, plain, margins, numbers;
} Run;

static const tacOutput OUTPUTS[] = {
    {TAC_OUT_SUBTREE_COM, 0}, {TAC_OUT_CONTACT_FORCE, TAC_OUT_ALL}, {TAC_OUT_QFRC_CONSTRAINT, TAC_OUT_ALL}};

static double *doubles(int n) { return calloc((size_t)(n > 0 ? n : 1), sizeof(double)); }

static uint64_t mix(const double *a, int n, uint64_t hash) { return tac_hash(a, (size_t)n * sizeof *a, hash); }

/* The arrays of one derivative, by state, input and parameters. */
typedef struct Derivative {
    const double *array[3];
    int n[3];
} Derivative;

static void add_plain(Run *r, const Derivative *d) {
    for (int k = 0; k < 3; k++)
        r->plain = mix(d->array[k], d->n[k], r->plain);
}

static void add_shared(Run *r, const Derivative *d, double conditioning) {
    for (int k = 0; k < 3; k++) {
        double size = 0, along = 0;
        for (int i = 0; i < d->n[k]; i++) {
            size = fmax(size, fabs(d->array[k][i]));
            along += tac_random_normal(6, 7, r->numbers++) * d->array[k][i];
        }
        if (size > 0) r->shared += along / (size * conditioning * DBL_EPSILON);
    }
}

static void add_step(Run *r, const Derivative *d, double conditioning) {
    if (conditioning > SHARED)
        add_shared(r, d, conditioning);
    else
        add_plain(r, d);
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

static Derivative gradient_of(const Run *r) { return (Derivative){{r->gx, r->gu, r->gp}, {r->ndx, r->nu, r->np}}; }

static Derivative jacobian_of(const Run *r, int rows, const double *x, const double *u, const double *p) {
    return (Derivative){{x, u, p}, {rows * r->ndx, rows * r->nu, rows * r->np}};
}

static void mix_grad(Run *r, tacStatus status) {
    r->more = mix(r->gx, r->ndx, r->more);
    r->more = mix(r->gu, r->nu, r->more);
    r->more = mix(r->gp, r->np, r->more);
    r->failures += status != TAC_OK;
}

/* conditioning: that of forward mode. Gradients of other classes have their own, and impacts tell none. */
static void pull_step(Run *r, double conditioning) {
    const tacGrad g = {r->gx, r->gu, r->gp};
    tacStepInfo info;
    mix_grad(r, tac_step_vjp(r->sim, r->x, r->u, r->ybar, &g, &info));
    const Derivative d = gradient_of(r);
    add_step(r, &d, fmax(conditioning, info.conditioning));
}

/* By every number of u and theta, forward and in reverse. */
static void differentiate(Run *r) {
    tacStepInfo info;
    tacStatus status = tac_step_jac(r->sim, r->x, r->u, NULL, &(tacJac){r->A, r->B, r->P}, &info);
    const Derivative d = jacobian_of(r, r->ndx, r->A, r->B, r->P);
    r->derivative = mix(r->A, r->ndx * r->ndx, r->derivative);
    r->derivative = mix(r->B, r->ndx * r->nu, r->derivative);
    r->more = mix(r->P, r->ndx * r->np, r->more);
    const double told[] = {info.class_margin, info.feature_margin, info.force_margin,
                           info.conditioning, info.ties,           (double)(info.active_set >> 12)};
    r->more = mix(told, sizeof told / sizeof *told, r->more);
    r->margins = mix(told, sizeof told / sizeof *told, r->margins);
    r->failures += status != TAC_OK;
    add_step(r, &d, info.conditioning);
    pull_step(r, info.conditioning);
}

static void differentiate_outputs(Run *r) {
    const tacGrad g = {r->gx, r->gu, r->gp};
    const tacOutputs outputs = outputs_of(r);
    tacStatus status = tac_outputs_jac(r->sim, r->x, r->u, &outputs, r->z, &(tacJac){r->C, r->D, r->E});
    const Derivative d = jacobian_of(r, r->nz, r->C, r->D, r->E);
    r->more = mix(r->z, r->nz, r->more);
    r->more = mix(r->C, r->nz * r->ndx, r->more);
    r->more = mix(r->D, r->nz * r->nu, r->more);
    r->more = mix(r->E, r->nz * r->np, r->more);
    r->failures += status != TAC_OK;
    add_plain(r, &d);
    mix_grad(r, tac_outputs_vjp(r->sim, r->x, r->u, &outputs, r->ybar, &g));
    const Derivative pulled = gradient_of(r);
    add_plain(r, &pulled);
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
    printf("%s %s %s %016llx %016llx %016llx %d %.3g %016llx %.17g %016llx\n", path, way->name, INTEGRATORS[integrator],
           (unsigned long long)r.motion, (unsigned long long)r.derivative, (unsigned long long)r.more, r.failures,
           r.broken, (unsigned long long)r.plain, r.shared, (unsigned long long)r.margins);
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
