/* Bits of motions and derivatives, one line each:
 *
 *   model contact integrator hash-of-states hash-of-derivatives failures broken
 *
 * failures: steps and derivatives that are not a success; broken: the most by which a state of the motion breaks a
 * constraint, over the time step, in m/s or rad/s (contact lcp and ncp tell).
 *
 * Public interface only, so that the same file compiles against another version of the library. */
#include <tactus/io.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 60, STEPS_PER_DERIVATIVE = 12 };

typedef struct Way {
    const char *name;
    tacContactModel contact;
    int toi, all_integrators;
} Way;

static const Way WAYS[] = {{"none", TAC_NONE, 0, 1},
                           {"lcp", TAC_LCP, 0, 0},
                           {"lcp-toi", TAC_LCP, 1, 0},
                           {"ncp", TAC_NCP, 0, 0},
                           {"soft", TAC_SOFT, 0, 1}};
static const char *const INTEGRATORS[] = {"euler", "rk4", "implicit", "implicitfast", "rkmk4"};

/* What a run needs, and what it has found so far. */
typedef struct Run {
    const tacModel *model;
    tacOptions options;
    tacSim *sim;
    int nx, ndx, nu, failures;
    double *x, *u, *A, *B, broken;
    uint64_t motion, derivative;
} Run;

static double *doubles(int n) { return calloc((size_t)(n > 0 ? n : 1), sizeof(double)); }

static uint64_t mix(const double *a, int n, uint64_t hash) { return tac_hash(a, (size_t)n * sizeof *a, hash); }

static void open_run(Run *r) {
    r->nx = tac_nx(r->model), r->ndx = tac_ndx(r->model), r->nu = tac_ninput(r->model, &r->options);
    r->x = doubles(r->nx), r->u = doubles(r->nu), r->A = doubles(r->ndx * r->ndx), r->B = doubles(r->ndx * r->nu);
    tac_default_state(r->model, r->x);
    for (int i = 0; i < r->model->nv; i++)
        r->x[r->model->nq + i] = 0.2 * tac_random_normal(1, 2, (uint64_t)i);
}

static void close_run(Run *r) {
    tac_sim_free(r->sim);
    free(r->x), free(r->u), free(r->A), free(r->B);
}

static void differentiate(Run *r) {
    tacStatus status = tac_step_jac(r->sim, r->x, r->u, NULL, &(tacJac){r->A, r->B, NULL}, NULL);
    r->derivative = mix(r->A, r->ndx * r->ndx, r->derivative);
    r->derivative = mix(r->B, r->ndx * r->nu, r->derivative);
    r->failures += status != TAC_OK;
}

/* Inside their ranges: a clamped control has no effect. */
static void draw_controls(Run *r, int draw) {
    for (int i = 0; i < r->nu; i++) {
        const double *range = r->model->actuator_ctrlrange + 2 * (ptrdiff_t)i;
        double u = 0.3 * tac_random_normal(3, (uint64_t)draw, (uint64_t)i);
        r->u[i] = r->model->actuator_ctrllimited[i] ? fmin(fmax(u, range[0]), range[1]) : u;
    }
}

static void move(Run *r) {
    tacStepInfo info;
    for (int k = 0; k < STEPS; k++) {
        draw_controls(r, k / 8);
        if (k % STEPS_PER_DERIVATIVE == STEPS_PER_DERIVATIVE - 1) differentiate(r);
        r->failures += tac_step(r->sim, r->x, r->u, r->x, &info) != TAC_OK;
        r->broken = fmax(r->broken, info.violation.size / r->options.dt);
        r->motion = mix(r->x, r->nx, r->motion);
    }
}

static void run(const char *path, const tacModel *model, const Way *way, tacIntegrator integrator) {
    Run r = {.model = model, .options = tac_default_options(model)};
    r.options.contact = way->contact, r.options.toi = way->toi, r.options.integrator = integrator;
    if (tac_sim_new(model, &r.options, &r.sim, NULL) != TAC_OK) {
        printf("%s %s %s not-made\n", path, way->name, INTEGRATORS[integrator]);
        return;
    }
    open_run(&r);
    move(&r);
    printf("%s %s %s %016llx %016llx %d %.3g\n", path, way->name, INTEGRATORS[integrator], (unsigned long long)r.motion,
           (unsigned long long)r.derivative, r.failures, r.broken);
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
        for (size_t w = 0; w < sizeof WAYS / sizeof *WAYS; w++)
            for (int k = TAC_EULER; k <= (WAYS[w].all_integrators ? TAC_RKMK4 : TAC_EULER); k++)
                run(argv[i], model, &WAYS[w], (tacIntegrator)k);
        tac_model_free(model);
    }
    return 0;
}
