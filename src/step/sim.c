#include "step/outputs.h"
#include "step/options.h"

#include "base/error.h"
#include "base/platform.h"
#include "dynamics/reference.h"
#include "math/scalar.h"
#include "model/model.h"
#include "step/call.h"
#include "step/dynamics_jac.h"
#include "step/explain.h"
#include "dynamics/growth_move.h"
#include "smooth/find_contacts.h"
#include "smooth/first_impact.h"
#include "step/maximal.h"
#include "step/step_jvp.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* --- Creation ----------------------------------------------------------------------------------------------------- */

/* Bytes of the parameters' tangents, headers and rows. */
static size_t tangents_bytes(const tacModel *model, const tacOptions *options) {
    if (model->nparam == 0) return 0;
    tacArena dry = tac_arena_dry();
    TAC_TAKE(&dry, model->nmember, tacParamTangent);
    tac_param_tangents_measure(model, tac_find_stepper(options)->inverse_weights, &dry);
    return dry.peak;
}

/* Updates the derivatives of the numbers that steps use by each parameter. It runs once, and after each change of the
 * parameters. */
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

/* Bytes of the lasting part of the scene. */
static size_t scene_bytes(const tacModel *model) {
    tacScene scene;
    tacArena dry = tac_arena_dry();
    tac_scene_layout(&scene, model, &dry);
    return dry.peak;
}

/* Bytes that stay taken from the arena: the workspace and the scratch of the scene. */
static size_t lasting_bytes(const tacModel *model, int max_contacts) {
    tacWork work;
    tacScene scene;
    tacArena dry = tac_arena_dry();
    tac_work_layout(&work, model, &dry);
    TAC_TAKE(&dry, model->nv, double);
    tac_scene_layout_scratch(&scene, model, max_contacts, &dry);
    return dry.peak;
}

/* Bytes of the arena: the workspace, and what steps, outputs and their derivatives take from it. */
static size_t arena_bytes(const tacModel *model, const tacOptions *options) {
    const tacStepper *stepper = tac_find_stepper(options);
    tacArena dry = tac_arena_dry();
    stepper->measure(model, options, &dry);
    tac_outputs_measure(model, options, stepper, &dry);
    tac_step_jvp_measure(model, options, stepper, &dry);
    tac_explain_measure(model, options, stepper, &dry);
    tac_step_maximal_measure(model, options, stepper->measure, &dry);
    tac_step_maximal_measure_jvp(model, options, stepper, &dry);
    tac_dynamics_jac_measure(model, &dry);
    tac_first_impact_measure(model, &dry);
    tac_growth_measure(model, &dry);
    tac_measure_find_contacts(model, &dry); /* tac_project_state */
    return lasting_bytes(model, options->max_contacts) + dry.peak;
}

/* The parts of a simulation's memory. */
typedef struct Parts {
    tacSim *sim;
    void *copy[3]; /* of the model: as created, and two that take parameters in turn; where parameters are registered */
    void *tangents, *scene, *arena;
    size_t tangents_bytes, scene_bytes, arena_bytes;
} Parts;

static int layout(const tacModel *model, const tacOptions *options, tacArena *memory, Parts *p) {
    p->tangents_bytes = tangents_bytes(model, options);
    p->scene_bytes = scene_bytes(model);
    p->arena_bytes = arena_bytes(model, options);
    p->sim = TAC_TAKE(memory, 1, tacSim);
    for (int i = 0; i < 3; i++)
        p->copy[i] = model->nparam > 0 ? tac_arena_take(memory, model->bytes) : NULL;
    p->tangents = tac_arena_take(memory, p->tangents_bytes);
    p->scene = tac_arena_take(memory, p->scene_bytes);
    p->arena = tac_arena_take(memory, p->arena_bytes);
    return p->arena != NULL; /* the last is NULL when any before it is */
}

size_t tac_sim_bytes(const tacModel *model, const tacOptions *options) {
    tacOptions in_use;
    if (model == NULL || options == NULL || tac_resolve_options(model, options, &in_use, NULL) != TAC_OK) return 0;
    Parts parts;
    tacArena dry = tac_arena_dry();
    layout(model, &in_use, &dry, &parts);
    return dry.peak;
}

/* The model that is simulated: the caller's, or a copy that takes parameters. */
static void set_model(tacSim *s, const tacModel *model, const Parts *parts) {
    s->view = *model;
    s->view.nparam = s->view.nmember = 0;
    s->ctx.model = &s->view;
    if (model->nparam == 0) return;
    s->ctx.model = s->origin = tac_model_copy_into(model, parts->copy[0]);
    if (tac_param_of_time(model) >= 0) *s->origin->option_timestep = s->ctx.options.dt; /* the one that is simulated */
    s->slot[0] = parts->copy[1];
    s->slot[1] = parts->copy[2];
}

static int open_arenas(tacSim *s, const Parts *parts) {
    const tacModel *model = s->ctx.model;
    tacContext *ctx = &s->ctx;
    tac_arena_init(&s->tangent_rows, parts->tangents, parts->tangents_bytes);
    tac_arena_init(&s->scene_rows, parts->scene, parts->scene_bytes);
    tac_arena_init(&s->ctx.arena, parts->arena, parts->arena_bytes);
    if (!tac_work_layout(&ctx->work, model, &ctx->arena)) return 0;
    s->force = TAC_TAKE(&ctx->arena, model->nv, double);
    return s->force != NULL && tac_scene_layout(&ctx->scene, model, &s->scene_rows) &&
           tac_scene_layout_scratch(&ctx->scene, model, ctx->options.max_contacts, &ctx->arena) &&
           update_tangents(s) == TAC_OK;
}

tacStatus tac_sim_create(const tacModel *model, const tacOptions *options, void *memory, size_t bytes, tacSim **sim,
                         tacError *err) {
    if (model == NULL || options == NULL || memory == NULL || sim == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "model, options, memory or sim is NULL");
    if ((uintptr_t)memory % TAC_ARENA_ALIGN != 0)
        return tac_fail(err, TAC_ERR_ARGUMENT, "memory of a simulation must be aligned to %d bytes", TAC_ARENA_ALIGN);
    tacOptions in_use;
    TAC_TRY(tac_resolve_options(model, options, &in_use, err));
    size_t need = tac_sim_bytes(model, options);
    if (bytes < need)
        return tac_fail(err, TAC_ERR_ARENA_FULL, "a simulation of this model needs %zu bytes, got %zu", need, bytes);
    Parts parts;
    tacArena all;
    tac_arena_init(&all, memory, need);
    layout(model, &in_use, &all, &parts);
    tacSim *s = parts.sim;
    memset(s, 0, sizeof *s);
    s->ctx.options = in_use;
    s->ctx.inputs = tac_input_layout(model, &in_use);
    s->ctx.stepper = tac_find_stepper(&in_use);
    set_model(s, model, &parts);
    if (!open_arenas(s, &parts))
        return tac_fail(err, TAC_ERR_ARENA_FULL, "workspace of %zu bytes is too small", parts.arena_bytes);
    tac_scene_init(&s->ctx.scene, s->ctx.model);
    s->ctx.scene.fixed_rims = s->ctx.stepper->fixed_rims;
    *sim = s;
    return TAC_OK;
}

tacStatus tac_sim_new(const tacModel *model, const tacOptions *options, tacSim **sim, tacError *err) {
    if (model == NULL || options == NULL || sim == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "model, options or sim is NULL");
    tacOptions in_use;
    TAC_TRY(tac_resolve_options(model, options, &in_use, err)); /* sizes are counted from them */
    size_t bytes = tac_sim_bytes(model, options);
    void *memory = tac_aligned_new(TAC_ARENA_ALIGN, bytes);
    if (memory == NULL) return tac_fail(err, TAC_ERR_MEMORY, "out of memory: %zu bytes for a simulation", bytes);
    tacStatus status = tac_sim_create(model, options, memory, bytes, sim, err);
    if (status != TAC_OK) tac_aligned_free(memory);
    return status;
}

void tac_sim_free(tacSim *sim) { tac_aligned_free(sim); }

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
    TAC_TRY(tac_check_array(sim, __func__, "theta", sim->origin->nparam, theta));
    void *spare = sim->slot[(const void *)sim->ctx.model == sim->slot[0]];
    tacModel *fresh = tac_model_copy_into(sim->origin, spare);
    tacStatus status = tac_param_write_all(fresh, theta, &err);
    if (status == TAC_OK) status = tac_model_derive(fresh, &err);
    if (status == TAC_OK) status = tac_model_reference(fresh, &sim->ctx.work, &err);
    if (status != TAC_OK) return tac_sim_fail(sim, status, __func__, "%s", err.text);
    sim->ctx.model = fresh;
    if (tac_param_of_time(fresh) >= 0) sim->ctx.options.dt = *fresh->option_timestep;
    tac_scene_update(&sim->ctx.scene, fresh);
    return tac_end_call(sim, __func__, update_tangents(sim));
}

tacStatus tac_sim_set_gradient_kappa(tacSim *sim, double kappa) {
    if (sim == NULL) return TAC_ERR_ARGUMENT;
    if (sim->ctx.options.contact != TAC_CONTACT_MODEL_NCP && kappa != 0)
        return tac_sim_fail(sim, TAC_ERR_UNSUPPORTED, __func__, "kappa is %g: contact is %s, expected ncp, or 0", kappa,
                            tac_contact_text(sim->ctx.options.contact));
    if (!(kappa == 0 || kappa >= TAC_NCP_LEAST_KAPPA) || !tac_finite(kappa))
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, __func__, "kappa is %g: expected 0, or %g or more", kappa,
                            TAC_NCP_LEAST_KAPPA);
    sim->ctx.options.ncp_gradient_kappa = kappa;
    return TAC_OK;
}
