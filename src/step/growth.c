/* The public growth distances: arguments checked, geoms placed, outputs written on success only. */
#include "step/growth.h"

#include "dynamics/contact_move.h"
#include "dynamics/kinematics.h"

#include <string.h>

static tacStatus check_place(tacSim *sim, const char *call, const double *q, const double *u) {
    TAC_TRY(tac_check_entries(sim, call, "q", TAC_OF_QPOS, q));
    return u == NULL ? TAC_OK : tac_check_entries(sim, call, "u", TAC_OF_INPUT, u);
}

tacStatus tac_check_growth(tacSim *sim, const char *call, const int geom[2], double kappa) {
    const tacModel *m = sim->ctx.model;
    for (int i = 0; i < 2; i++)
        if (geom[i] < 0 || geom[i] >= m->ngeom)
            return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "geom%d is %d, expected one of the model's %d geoms",
                                i + 1, geom[i], m->ngeom);
    if (!(kappa > 0 && kappa <= 1))
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "kappa is %g, expected above 0 to 1", kappa);
    if (tac_geoms_grow(m, geom[0], geom[1])) return TAC_OK;
    return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call,
                        "geoms %d and %d have no growth distance, expected two different geoms, not two planes, and "
                        "none that is visual only",
                        geom[0], geom[1]);
}

/* Poses of a geom and of those in its sum, with the bodies they hang on and no others. */
static tacStatus place_geom(tacSim *sim, const double *q, const double *u, int geom) {
    const tacModel *m = sim->ctx.model;
    tac_kinematics_to(m, &sim->ctx.work, m->geom_body[geom], q, tac_inputs_of(&sim->ctx.inputs, u).mocap);
    for (int g = geom; g >= 0; g = m->geom_sum[g])
        TAC_TRY(tac_place_geom(m, &sim->ctx.work, g, &sim->ctx.scene));
    return TAC_OK;
}

tacStatus tac_place_growth(tacSim *sim, const int geom[2]) {
    const tacModel *m = sim->ctx.model;
    for (int i = 0; i < 2; i++)
        for (int g = geom[i]; g >= 0; g = m->geom_sum[g])
            TAC_TRY(tac_place_geom(m, &sim->ctx.work, g, &sim->ctx.scene));
    return TAC_OK;
}

static void write_growth(const tacGrowthSystem *g, tacGrowth *out) {
    const tacGrowthResult *r = &g->result;
    *out = (tacGrowth){.geom = {g->geom[0], g->geom[1]},
                       .kappa = g->kappa,
                       .alpha = r->alpha,
                       .dual = r->dual,
                       .gap = r->gap,
                       .nu = r->nu,
                       .barrier = g->barrier,
                       .point = r->point,
                       .normal = r->normal,
                       .force = r->force,
                       .iterations = r->systems,
                       .max_duals = out->max_duals,
                       .duals = out->duals,
                       .nduals = g->pair.program.m};
    int n = out->nduals < out->max_duals ? out->nduals : out->max_duals;
    if (out->duals != NULL && n > 0) memcpy(out->duals, g->pair.path.lambda, (size_t)n * sizeof *out->duals);
}

static tacStatus solve_growth(tacSim *sim, const double *q, const double *u, const int geom[2], double kappa,
                              tacGrowth *out) {
    tacGrowthSystem g;
    TAC_TRY(place_geom(sim, q, u, geom[0]));
    TAC_TRY(place_geom(sim, q, u, geom[1]));
    tacStatus status = tac_growth_open(&sim->ctx.scene, sim->ctx.model, geom, kappa, 0, &sim->ctx.arena, &g);
    if (status == TAC_OK || status == TAC_ERR_UNSOLVED) write_growth(&g, out);
    return status;
}

tacStatus tac_geom_growth(tacSim *sim, const double *q, const double *u, int geom1, int geom2, double kappa,
                          tacGrowth *out) {
    const int geom[2] = {geom1, geom2};
    TAC_TRY(check_place(sim, __func__, q, u));
    if (out == NULL) return tac_sim_null(sim, __func__, "out");
    TAC_TRY(tac_check_growth(sim, __func__, geom, kappa));
    TAC_SCOPE(&sim->ctx.arena);
    return tac_end_call(sim, __func__, solve_growth(sim, q, u, geom, kappa, out));
}

/* --- Unions ------------------------------------------------------------------------------------------------------- */

/* A body's geoms that have contacts of their own. */
static int counts(const tacModel *m, int geom) { return tac_geom_has_shape(m, geom) && !tac_geom_is_added(m, geom); }

static int has_shape(const tacModel *m, int body) {
    for (int g = m->body_geom_adr[body]; g < m->body_geom_adr[body] + m->body_geom_num[body]; g++)
        if (counts(m, g)) return 1;
    return 0;
}

/* A factor below which two geoms cannot meet, by balls around them about their frames' origins; 0: not known. */
static double least_growth(const tacScene *s, const tacModel *m, int a, int b) {
    double reach = 0;
    for (int i = 0; i < 2; i++)
        for (int g = i ? b : a; g >= 0; g = m->geom_sum[g]) {
            if (m->geom_type[g] == TAC_GEOM_PLANE) return 0;
            reach += 2 * s->radius[g] + m->geom_pad[g]; /* centres lie inside, so within the radius */
        }
    double dist = tac_norm3(tac_sub3(s->pose[a].p, s->pose[b].p));
    for (int i = 0; i < 2; i++)
        for (int g = i ? b : a; g >= 0; g = m->geom_sum[g])
            dist -= s->radius[g];
    return reach > 0 ? dist / reach : 0;
}

static tacStatus least_of_bodies(tacSim *sim, int body1, int body2, double kappa, tacGrowth *out) {
    const tacModel *m = sim->ctx.model;
    double least = TAC_INFINITY;
    for (int a = m->body_geom_adr[body1]; a < m->body_geom_adr[body1] + m->body_geom_num[body1]; a++)
        for (int b = m->body_geom_adr[body2]; b < m->body_geom_adr[body2] + m->body_geom_num[body2]; b++) {
            const int geom[2] = {a, b};
            if (!counts(m, a) || !counts(m, b) || !tac_geoms_grow(m, a, b)) continue;
            if (least_growth(&sim->ctx.scene, m, a, b) > least) continue;
            TAC_SCOPE(&sim->ctx.arena);
            tacGrowthSystem g;
            TAC_TRY(tac_growth_open(&sim->ctx.scene, m, geom, kappa, 0, &sim->ctx.arena, &g));
            if (g.result.alpha >= least) continue;
            least = g.result.alpha;
            write_growth(&g, out);
        }
    return least < TAC_INFINITY ? TAC_OK : TAC_ERR_ARGUMENT;
}

static tacStatus check_bodies(tacSim *sim, const char *call, int body1, int body2, double kappa) {
    const tacModel *m = sim->ctx.model;
    const int body[2] = {body1, body2};
    for (int i = 0; i < 2; i++) {
        if (body[i] < 0 || body[i] >= m->nbody)
            return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "body%d is %d, expected one of the model's %d bodies",
                                i + 1, body[i], m->nbody);
        if (!has_shape(m, body[i]))
            return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "body '%s' has no geom with a shape",
                                tac_model_name(m, TAC_KIND_BODY, body[i]));
    }
    if (body1 == body2)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "body1 and body2 are both %d, expected two bodies", body1);
    if (kappa > 0 && kappa <= 1) return TAC_OK;
    return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "kappa is %g, expected above 0 to 1", kappa);
}

tacStatus tac_body_growth(tacSim *sim, const double *q, const double *u, int body1, int body2, double kappa,
                          tacGrowth *out) {
    TAC_TRY(check_place(sim, __func__, q, u));
    if (out == NULL) return tac_sim_null(sim, __func__, "out");
    TAC_TRY(check_bodies(sim, __func__, body1, body2, kappa));
    const tacModel *m = sim->ctx.model;
    tac_kinematics_q(m, &sim->ctx.work, q, tac_inputs_of(&sim->ctx.inputs, u).mocap);
    tacStatus status = tac_place_geoms(m, &sim->ctx.work, &sim->ctx.scene);
    tacGrowth found = *out;
    if (status == TAC_OK) status = least_of_bodies(sim, body1, body2, kappa, &found);
    if (status == TAC_OK) *out = found;
    if (status != TAC_ERR_ARGUMENT) return tac_end_call(sim, __func__, status);
    return tac_sim_fail(sim, status, __func__, "bodies %d and %d have planes alone, expected a bounded geom", body1,
                        body2);
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

static int is_wanted(const tacSink *sink) { return sink->matrix != NULL || sink->bar != NULL; }

void tac_growth_emit(const tacSim *sim, const tacGrowthSystem *g, const tacSmoothPoint *x, int row,
                     const tacGrowthSinks *sinks) {
    const tacModel *m = sim->ctx.model;
    const tacWork *w = &sim->ctx.work;
    if (is_wanted(&sinks->q)) tac_growth_emit_dofs(m, w, g, row, &sinks->q);
    for (int i = 0; i < sim->ctx.inputs.nmocap && is_wanted(&sinks->u) && x->u.mocap != NULL; i++) {
        tacMover mover;
        tac_mocap_mover(m, w, i, x->u.mocap, &mover);
        tac_growth_emit_mover(m, w, g, &mover, row, sim->ctx.inputs.mocap + i, &sinks->u);
    }
    for (int i = 0; i < m->nmember && is_wanted(&sinks->theta); i++)
        tac_growth_emit_param(m, w, &sim->ctx.scene, g, &sim->ctx.tangents[i], x, row, &sinks->theta);
}

/* 1: a pad of the pair is a parameter and 0, where the growth has a derivative to one side alone. */
static int is_at_no_pad(const tacModel *m, const int geom[2]) {
    for (int i = 0; i < m->nmember; i++)
        for (int k = 0; k < 2; k++)
            for (int g = geom[k]; g >= 0; g = m->geom_sum[g])
                if (TAC_FIELDS[m->param_field[i]].offset == offsetof(tacModel, geom_pad) && m->param_index[i] == g &&
                    m->geom_pad[g] == 0)
                    return 1;
    return 0;
}

tacStatus tac_growth_derive(tacSim *sim, const int geom[2], double kappa, const double *bar, tacGrowthSystem *g) {
    if (is_at_no_pad(sim->ctx.model, geom)) return TAC_ERR_DEGENERATE;
    TAC_TRY(tac_growth_open(&sim->ctx.scene, sim->ctx.model, geom, kappa, TAC_GROWTH_POLISH, &sim->ctx.arena, g));
    return tac_growth_adjoints(g, bar, &sim->ctx.arena);
}

static void clear(double *a, int rows, int columns) {
    if (a != NULL) memset(a, 0, (size_t)rows * (size_t)columns * sizeof *a);
}

/* Bodies placed, adjoints solved. The caller releases the arena. */
static tacStatus prepare(tacSim *sim, const char *call, const double *q, const double *u, const tacGrowth *growth,
                         const double *bar, tacGrowthSystem *g) {
    const tacModel *m = sim->ctx.model;
    tac_kinematics_q(m, &sim->ctx.work, q, tac_inputs_of(&sim->ctx.inputs, u).mocap);
    tacStatus status = tac_place_growth(sim, growth->geom);
    if (status == TAC_OK) status = tac_growth_derive(sim, growth->geom, growth->kappa, bar, g);
    return tac_end_call(sim, call, status);
}

static tacStatus check_call(tacSim *sim, const char *call, const double *q, const double *u, const tacGrowth *growth) {
    TAC_TRY(check_place(sim, call, q, u));
    if (growth == NULL) return tac_sim_null(sim, call, "growth");
    return tac_check_growth(sim, call, growth->geom, growth->kappa);
}

/* Sinks of three blocks with these numbers of columns. */
static tacGrowthSinks matrix_sinks(double *q, double *u, double *theta, const int columns[3]) {
    return (tacGrowthSinks){
        {.matrix = q, .ld = columns[0]}, {.matrix = u, .ld = columns[1]}, {.matrix = theta, .ld = columns[2]}};
}

static tacStatus emit_duals(tacSim *sim, tacGrowthSystem *g, const tacSmoothPoint *x, const tacGrowthSinks *sinks) {
    for (int row = 0; row < g->pair.program.m; row++) {
        TAC_SCOPE(&sim->ctx.arena);
        TAC_TRY(tac_growth_adjoint_of_dual(g, row, &sim->ctx.arena));
        tac_growth_emit(sim, g, x, row, sinks);
    }
    return TAC_OK;
}

tacStatus tac_growth_jac(tacSim *sim, const double *q, const double *u, const tacGrowth *growth,
                         const tacGrowthJac *jac) {
    tacGrowthSystem g;
    TAC_TRY(check_call(sim, __func__, q, u, growth));
    if (jac == NULL) return tac_sim_null(sim, __func__, "jac");
    TAC_SCOPE(&sim->ctx.arena);
    TAC_TRY(prepare(sim, __func__, q, u, growth, NULL, &g));
    const tacModel *m = sim->ctx.model;
    const int columns[3] = {m->nv, tac_ninput(m, &sim->ctx.options), m->nparam};
    double *all[2][3] = {{jac->q, jac->u, jac->theta}, {jac->duals_q, jac->duals_u, jac->duals_theta}};
    for (int i = 0; i < 6; i++)
        clear(all[i / 3][i % 3], i < 3 ? TAC_GROWTH_ROWS : g.pair.program.m, columns[i % 3]);
    tacSmoothPoint x = {.q = q, .u = tac_inputs_of(&sim->ctx.inputs, u)};
    tacGrowthSinks sinks = matrix_sinks(jac->q, jac->u, jac->theta, columns);
    tac_growth_emit(sim, &g, &x, 0, &sinks);
    if (jac->duals_q == NULL && jac->duals_u == NULL && jac->duals_theta == NULL) return TAC_OK;
    sinks = matrix_sinks(jac->duals_q, jac->duals_u, jac->duals_theta, columns);
    return tac_end_call(sim, __func__, emit_duals(sim, &g, &x, &sinks));
}

tacStatus tac_growth_vjp(tacSim *sim, const double *q, const double *u, const tacGrowth *growth, const double *rowbar,
                         const tacGrowthGrad *grad) {
    static const double one = 1;
    tacGrowthSystem g;
    TAC_TRY(check_call(sim, __func__, q, u, growth));
    if (grad == NULL) return tac_sim_null(sim, __func__, "grad");
    TAC_TRY(tac_check_array(sim, __func__, "rowbar", TAC_GROWTH_ROWS, rowbar));
    TAC_SCOPE(&sim->ctx.arena);
    TAC_TRY(prepare(sim, __func__, q, u, growth, rowbar, &g));
    clear(grad->q, 1, sim->ctx.model->nv);
    clear(grad->u, 1, tac_ninput(sim->ctx.model, &sim->ctx.options));
    clear(grad->theta, 1, sim->ctx.model->nparam);
    tacSmoothPoint x = {.q = q, .u = tac_inputs_of(&sim->ctx.inputs, u)};
    tacGrowthSinks sinks = {
        {.lambda = &one, .bar = grad->q}, {.lambda = &one, .bar = grad->u}, {.lambda = &one, .bar = grad->theta}};
    tac_growth_emit(sim, &g, &x, 0, &sinks);
    return TAC_OK;
}
