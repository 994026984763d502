#include "step/outputs.h"

#include "base/error.h"
#include "dynamics/reference.h"
#include "model/model.h"
#include "step/call.h"
#include "step/explain.h"
#include "smooth/first_impact.h"
#include "step/maximal.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Options ------------------------------------------------------------------------------------------------------ */

#define X(NAME, name, text) [TAC_##NAME] = TAC_STEPPERS_##NAME,
static const tacStepper *const *const STEPPERS[] = {TAC_CONTACT_MODELS(X)};
#undef X
static const char *const INTEGRATOR_NAMES[] = {"Euler", "RK4", "implicit", "implicitfast", "RKMK4"};

tacOptions tac_default_options(const tacModel *model) {
    if (model == NULL) return (tacOptions){0}; /* without a cookie: refused wherever it is used */
    tacOptions options = {
        .cookie = TAC_OPTIONS_COOKIE,
        .contact = TAC_SOFT,
        .integrator = (tacIntegrator)*model->option_integrator,
        .dt = *model->option_timestep,
        .inputs = 0,
        .max_contacts = tac_max_contacts(model),
        .toi = 0,
        .toi_impacts = 64,
        .gradient = TAC_GRADIENT_EXACT,
        .bounce_speed = 0.01,
        .lcp_dense_rows = 288,
        .ncp_kappa = 1e-8,
        .ncp_gradient_kappa = 0,
        .ncp_friction = TAC_NCP_CONE,
        .ncp_tolerance = 1e-9,
        .ncp_iterations = 200,
        .ncp_polish = 0,
        .soft_solver = *model->option_solver == TAC_SOLVER_CG ? TAC_SOLVER_CG : TAC_SOLVER_NEWTON,
        .soft_tolerance = 0,
        .soft_iterations = 0,
        .soft_ls_tolerance = 0,
        .soft_ls_iterations = 0,
    };
    return options;
}

static const tacStepper *find_stepper(const tacOptions *options) {
    for (const tacStepper *const *one = STEPPERS[options->contact]; *one != NULL; one++)
        if ((*one)->integrators & TAC_HAS(options->integrator) && (*one)->toi == options->toi) return *one;
    return NULL;
}

/* Where the contact model lacks the model's own integrator, that gives way to Euler's; one that was chosen does not. */
static void give_way(const tacModel *model, tacOptions *options) {
    if (find_stepper(options) == NULL && (int)options->integrator == *model->option_integrator)
        options->integrator = TAC_EULER;
}

static tacStatus refuse_integrator(const tacModel *model, const tacOptions *options, tacError *err) {
    char has[128] = "";
    for (int i = 0, n = 0; i <= TAC_RKMK4; i++) {
        tacOptions other = *options;
        other.integrator = (tacIntegrator)i;
        if (find_stepper(&other) != NULL)
            n += snprintf(has + n, sizeof has - (size_t)n, "%s%s", n > 0 ? ", " : "", INTEGRATOR_NAMES[i]);
    }
    return tac_fail(err, TAC_ERR_UNSUPPORTED,
                    "option integrator is %s, which contact model %s does not have: expected %s, or the model's own "
                    "(%s), which gives way",
                    INTEGRATOR_NAMES[options->integrator], tac_contact_text(options->contact), has,
                    INTEGRATOR_NAMES[*model->option_integrator]);
}

/* Largest max_contacts: rows and unknowns, up to five for each, are counted in an int. */
enum { MOST_CONTACTS = 1 << 28 };
/* Largest lcp_dense_rows: squares of it are counted in bytes. */
enum { MOST_DENSE_ROWS = 1 << 15 };

static tacStatus check_soft_options(const tacOptions *options, tacError *err) {
    if ((unsigned)options->soft_solver > TAC_SOLVER_NEWTON)
        return tac_fail(err, TAC_ERR_ARGUMENT, "option soft_solver is %d: expected a tacSolver",
                        (int)options->soft_solver);
    if (!(options->soft_tolerance >= 0 && options->soft_tolerance < 1))
        return tac_fail(err, TAC_ERR_ARGUMENT, "option soft_tolerance is %g: expected a number below 1, or 0",
                        options->soft_tolerance);
    if (!(options->soft_ls_tolerance >= 0 && options->soft_ls_tolerance < 1))
        return tac_fail(err, TAC_ERR_ARGUMENT, "option soft_ls_tolerance is %g: expected a number below 1, or 0",
                        options->soft_ls_tolerance);
    if (options->soft_iterations < 0 || options->soft_ls_iterations < 0)
        return tac_fail(err, TAC_ERR_ARGUMENT, "option %s is %d: expected at least 0",
                        options->soft_iterations < 0 ? "soft_iterations" : "soft_ls_iterations",
                        options->soft_iterations < 0 ? options->soft_iterations : options->soft_ls_iterations);
    return TAC_OK;
}

static tacStatus check_options(const tacOptions *options, tacError *err) {
    const unsigned known = TAC_INPUT_QFRC | TAC_INPUT_XFRC | TAC_INPUT_MOCAP;
    if (options->cookie != TAC_OPTIONS_COOKIE)
        return tac_fail(err, TAC_ERR_OPTIONS, "options were not made by tac_default_options");
    if (!tac_finite(options->dt) || !(options->dt > 0))
        return tac_fail(err, TAC_ERR_ARGUMENT, "option dt is %g: expected a finite time step above 0", options->dt);
    if (options->inputs & ~known)
        return tac_fail(err, TAC_ERR_ARGUMENT, "option inputs is 0x%x: expected TAC_INPUT_* bits", options->inputs);
    if (options->max_contacts < 0 || options->max_contacts > MOST_CONTACTS)
        return tac_fail(err, TAC_ERR_ARGUMENT, "option max_contacts is %d: expected a number of contacts, at most %d",
                        options->max_contacts, MOST_CONTACTS);
    if ((unsigned)options->gradient > TAC_GRADIENT_COMPLEMENTARITY)
        return tac_fail(err, TAC_ERR_ARGUMENT, "option gradient is %d: expected a tacGradientMode",
                        (int)options->gradient);
    if (options->gradient != TAC_GRADIENT_EXACT && options->contact != TAC_LCP)
        return tac_fail(err, TAC_ERR_ARGUMENT,
                        "option gradient is one of contact lcp's: expected that, or the exact one");
    if (options->toi != 0 && options->toi != 1)
        return tac_fail(err, TAC_ERR_ARGUMENT, "option toi is %d: expected 0 or 1", options->toi);
    if (options->toi && options->contact != TAC_LCP)
        return tac_fail(err, TAC_ERR_ARGUMENT, "option toi: expected contact lcp");
    if (options->toi_impacts < 0)
        return tac_fail(err, TAC_ERR_ARGUMENT, "option toi_impacts is %d: expected a number of impacts",
                        options->toi_impacts);
    if (!(options->bounce_speed >= 0))
        return tac_fail(err, TAC_ERR_ARGUMENT, "option bounce_speed is %g: expected a speed", options->bounce_speed);
    if (options->lcp_dense_rows < 0 || options->lcp_dense_rows > MOST_DENSE_ROWS)
        return tac_fail(err, TAC_ERR_ARGUMENT, "option lcp_dense_rows is %d: expected a number of rows, at most %d",
                        options->lcp_dense_rows, MOST_DENSE_ROWS);
    if (!(options->ncp_kappa >= TAC_NCP_LEAST_KAPPA) || !tac_finite(options->ncp_kappa))
        return tac_fail(err, TAC_ERR_ARGUMENT, "option ncp_kappa is %g: expected a finite number of at least %g",
                        options->ncp_kappa, TAC_NCP_LEAST_KAPPA);
    if (options->ncp_gradient_kappa != 0 &&
        (!(options->ncp_gradient_kappa >= TAC_NCP_LEAST_KAPPA) || !tac_finite(options->ncp_gradient_kappa)))
        return tac_fail(err, TAC_ERR_ARGUMENT,
                        "option ncp_gradient_kappa is %g: expected a finite number of at least %g, or 0",
                        options->ncp_gradient_kappa, TAC_NCP_LEAST_KAPPA);
    if ((unsigned)options->ncp_friction > TAC_NCP_FRICTIONLESS)
        return tac_fail(err, TAC_ERR_ARGUMENT, "option ncp_friction is %d: expected a tacNcpFriction",
                        (int)options->ncp_friction);
    if (!(options->ncp_tolerance > 0) || !tac_finite(options->ncp_tolerance))
        return tac_fail(err, TAC_ERR_ARGUMENT, "option ncp_tolerance is %g: expected a finite number above 0",
                        options->ncp_tolerance);
    if (options->ncp_polish < 0)
        return tac_fail(err, TAC_ERR_ARGUMENT, "option ncp_polish is %d: expected at least 0", options->ncp_polish);
    if (options->ncp_iterations < 1)
        return tac_fail(err, TAC_ERR_ARGUMENT, "option ncp_iterations is %d: expected at least 1",
                        options->ncp_iterations);
    if ((unsigned)options->contact >= TAC_CONTACT_COUNT)
        return tac_fail(err, TAC_ERR_ARGUMENT, "option contact is %d: expected a tacContactModel",
                        (int)options->contact);
    if ((unsigned)options->integrator > TAC_RKMK4)
        return tac_fail(err, TAC_ERR_ARGUMENT, "option integrator is %d: expected a tacIntegrator",
                        (int)options->integrator);
    return check_soft_options(options, err);
}

/* What the caller asks for -> what runs. */
static tacStatus settle_options(const tacModel *model, const tacOptions *asked, tacOptions *in_use, tacError *err) {
    tacStatus status = check_options(asked, err);
    if (status != TAC_OK) return status;
    *in_use = *asked;
    give_way(model, in_use);
    return find_stepper(in_use) != NULL ? TAC_OK : refuse_integrator(model, in_use, err);
}

/* --- Inputs ------------------------------------------------------------------------------------------------------- */

int tac_nx(const tacModel *model) { return model == NULL ? 0 : model->nq + model->nv + model->na; }

int tac_ndx(const tacModel *model) { return model == NULL ? 0 : 2 * model->nv + model->na; }

int tac_ninput(const tacModel *model, const tacOptions *options) {
    if (model == NULL || !tac_options_are_set(options)) return 0;
    int n = model->nu;
    if (options->inputs & TAC_INPUT_QFRC) n += model->nv;
    if (options->inputs & TAC_INPUT_XFRC) n += 6 * model->nbody;
    if (options->inputs & TAC_INPUT_MOCAP) n += 7 * model->nmocap;
    return n;
}

tacInputs tac_split_inputs(const tacModel *model, const tacOptions *options, const double *u) {
    tacInputs in = {.ctrl = u};
    const double *next = u == NULL ? NULL : u + model->nu;
    if (next == NULL) return in;
    if (options->inputs & TAC_INPUT_QFRC) {
        in.qfrc = next;
        next += model->nv;
    }
    if (options->inputs & TAC_INPUT_XFRC) {
        in.xfrc = next;
        next += 6 * model->nbody;
    }
    if (options->inputs & TAC_INPUT_MOCAP) in.mocap = next;
    return in;
}

/* --- Creation ----------------------------------------------------------------------------------------------------- */

/* Bytes of copies of the model: as created, and two that take parameters in turn. */
static size_t copies_bytes(const tacModel *model) { return model->nparam > 0 ? 3 * tac_arena_round(model->bytes) : 0; }

/* Bytes of the parameters' tangents, headers and rows. */
static size_t tangents_bytes(const tacModel *model, const tacOptions *options) {
    size_t headers = tac_arena_round((size_t)model->nmember * sizeof(tacParamTangent));
    return model->nparam > 0 ? headers + tac_param_tangents_bytes(model, find_stepper(options)->inverse_weights) : 0;
}

/* How the numbers that steps use move with each parameter; once, and after each change of the parameters. */
static tacStatus update_tangents(tacSim *sim) {
    if (sim->ctx.model->nparam == 0) return TAC_OK;
    tac_arena_release(&sim->tangent_rows, 0);
    tacParamTangent *tangents = TAC_TAKE(&sim->tangent_rows, sim->ctx.model->nmember, tacParamTangent);
    sim->ctx.tangents = tangents;
    int weights = sim->ctx.stepper->inverse_weights;
    if (tangents == NULL || !tac_param_tangents(sim->ctx.model, &sim->ctx.work, weights, &sim->tangent_rows, tangents))
        return TAC_ERR_ARENA_FULL;
    return TAC_OK;
}

/* Bytes of the arena: the workspace, and what steps, outputs and their derivatives take from it. */
static size_t arena_bytes(const tacModel *model, const tacOptions *options) {
    const tacStepper *stepper = find_stepper(options);
    int contacts = options->max_contacts > 0 ? options->max_contacts : 0;
    tacArena dry = tac_arena_dry();
    stepper->measure(model, options, &dry);
    size_t steps = dry.peak;
    size_t outputs = tac_outputs_scratch(model, options), impact = tac_first_impact_scratch(model);
    size_t maps = tac_maximal_scratch(model), bodies = tac_step_maximal_scratch(model, options);
    size_t words = tac_explain_scratch(model, options), beside = outputs > bodies ? outputs : bodies;
    size_t most = steps + (words > beside ? words : beside); /* outputs of forces solve the step on the way */
    if (impact > most) most = impact;
    if (maps + bodies > most) most = maps + bodies;
    return tac_work_bytes(model) + tac_scene_scratch(model, contacts) + most;
}

size_t tac_sim_bytes(const tacModel *model, const tacOptions *options) {
    tacOptions in_use;
    if (model == NULL || options == NULL || settle_options(model, options, &in_use, NULL) != TAC_OK) return 0;
    options = &in_use;
    return tac_arena_round(sizeof(tacSim)) + copies_bytes(model) + tangents_bytes(model, options) +
           tac_scene_bytes(model) + arena_bytes(model, options);
}

tacStatus tac_sim_create(const tacModel *model, const tacOptions *options, void *memory, size_t bytes, tacSim **sim,
                         tacError *err) {
    if (model == NULL || options == NULL || memory == NULL || sim == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "model, options, memory or sim is NULL");
    if ((uintptr_t)memory % TAC_ARENA_ALIGN != 0)
        return tac_fail(err, TAC_ERR_ARGUMENT, "memory of a simulation must be aligned to %d bytes", TAC_ARENA_ALIGN);
    tacOptions in_use;
    tacStatus status = settle_options(model, options, &in_use, err);
    if (status != TAC_OK) return status;
    options = &in_use;
    size_t need = tac_sim_bytes(model, options);
    if (bytes < need)
        return tac_fail(err, TAC_ERR_ARENA_FULL, "a simulation of this model needs %zu bytes, got %zu", need, bytes);
    tacSim *s = memory;
    tac_memory_close(memory, need);
    tac_memory_open(s, sizeof *s);
    memset(s, 0, sizeof *s);
    s->view = *model;
    s->view.nparam = s->view.nmember = 0;
    s->ctx.model = &s->view;
    s->ctx.options = *options;
    s->ctx.stepper = find_stepper(options);
    unsigned char *next = (unsigned char *)memory + tac_arena_round(sizeof(tacSim));
    if (model->nparam > 0) {
        size_t copy = tac_arena_round(model->bytes);
        s->ctx.model = s->origin = tac_model_copy_into(model, next);
        if (tac_param_of_time(model) >= 0) *s->origin->option_timestep = options->dt; /* the one that is simulated */
        s->slot[0] = next + copy;
        s->slot[1] = next + 2 * copy;
        next += 3 * copy;
    }
    tac_arena_init(&s->tangent_rows, next, tangents_bytes(model, options));
    next += tangents_bytes(model, options);
    tac_arena_init(&s->scene_rows, next, tac_scene_bytes(model));
    tac_arena_init(&s->ctx.arena, next + tac_scene_bytes(model), arena_bytes(model, options));
    if (!tac_work_layout(&s->ctx.work, model, &s->ctx.arena) ||
        !tac_scene_layout(&s->ctx.scene, s->ctx.model, &s->scene_rows) ||
        !tac_scene_layout_scratch(&s->ctx.scene, model, options->max_contacts, &s->ctx.arena) ||
        update_tangents(s) != TAC_OK)
        return tac_fail(err, TAC_ERR_ARENA_FULL, "workspace of %zu bytes is too small", s->ctx.arena.size);
    s->ctx.scene.fixed_rims = s->ctx.stepper->fixed_rims;
    *sim = s;
    return TAC_OK;
}

tacStatus tac_sim_new(const tacModel *model, const tacOptions *options, tacSim **sim, tacError *err) {
    if (model == NULL || options == NULL || sim == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "model, options or sim is NULL");
    tacOptions in_use;
    tacStatus status = settle_options(model, options, &in_use, err); /* sizes are counted from them */
    if (status != TAC_OK) return status;
    size_t bytes = tac_sim_bytes(model, options);
    void *memory = aligned_alloc(TAC_ARENA_ALIGN, bytes);
    if (memory == NULL) return tac_fail(err, TAC_ERR_MEMORY, "out of memory: %zu bytes for a simulation", bytes);
    status = tac_sim_create(model, options, memory, bytes, sim, err);
    if (status != TAC_OK) free(memory);
    return status;
}

void tac_sim_free(tacSim *sim) { free(sim); }

tacStatus tac_sim_options(const tacSim *sim, tacOptions *options) {
    if (sim == NULL || options == NULL) return TAC_ERR_ARGUMENT;
    *options = sim->ctx.options;
    return TAC_OK;
}

size_t tac_sim_peak(const tacSim *sim) { return sim == NULL ? 0 : sim->ctx.arena.peak; }

void tac_sim_poison(tacSim *sim) { tac_arena_spoil(&sim->ctx.arena); }

/* --- Parameters --------------------------------------------------------------------------------------------------- */

tacStatus tac_sim_get_params(const tacSim *sim, double *theta) {
    if (sim == NULL || (theta == NULL && sim->origin != NULL)) return TAC_ERR_ARGUMENT;
    const tacModel *m = sim->ctx.model;
    for (int i = m->nmember - 1; i >= 0; i--) /* the first of a group tells */
        theta[m->param_theta[i]] = *tac_param_at(m, m->param_field[i], m->param_index[i]);
    return TAC_OK;
}

/* Starts from the model as created each time, so that the result depends on theta alone; takes effect only when the
 * whole model makes sense. */
tacStatus tac_sim_set_params(tacSim *sim, const double *theta) {
    if (sim == NULL) return TAC_ERR_ARGUMENT;
    if (sim->origin == NULL) return TAC_OK;
    tacError err = {.text = ""};
    tacStatus status = tac_check_array(sim, __func__, "theta", sim->origin->nparam, theta);
    if (status != TAC_OK) return status;
    void *spare = sim->slot[(const void *)sim->ctx.model == sim->slot[0]];
    tacModel *fresh = tac_model_copy_into(sim->origin, spare);
    status = tac_param_write_all(fresh, theta, &err);
    if (status == TAC_OK) status = tac_model_derive(fresh, &err);
    if (status == TAC_OK) status = tac_model_reference(fresh, &sim->ctx.work, &err);
    if (status != TAC_OK) return tac_sim_fail(sim, status, __func__, "%s", err.text);
    sim->ctx.model = fresh;
    if (tac_param_of_time(fresh) >= 0) sim->ctx.options.dt = *fresh->option_timestep;
    tac_scene_update(&sim->ctx.scene, fresh);
    return tac_end_call(sim, __func__, update_tangents(sim));
}
