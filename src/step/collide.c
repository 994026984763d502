/* The public contacts: arguments checked, bodies and geoms placed, outputs written on success only. */
#include "step/sim.h"

#include "dynamics/kinematics.h"

#include <string.h>

static tacStatus check_array(int n, const double *x) {
    if (x == NULL) return TAC_ERR_ARGUMENT;
    return tac_first_nonfinite(n, x) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

static tacStatus check_place(const tacSim *sim, const double *q, const double *u) {
    if (sim == NULL) return TAC_ERR_ARGUMENT;
    tacStatus status = check_array(sim->model->nq, q);
    return status == TAC_OK && u != NULL ? check_array(tac_ninput(sim->model, &sim->options), u) : status;
}

/* (q, u) -> the poses of the scene. */
static tacStatus place(tacSim *sim, const double *q, const double *u) {
    tacStatus status = check_place(sim, q, u);
    if (status != TAC_OK) return status;
    const tacModel *m = sim->model;
    tac_kinematics_q(m, &sim->work, q, tac_split_inputs(m, &sim->options, u).mocap);
    return tac_place_geoms(m, &sim->work, &sim->scene);
}

/* The same of one geom, with the bodies it hangs on and no others. */
static tacStatus place_one(tacSim *sim, const double *q, const double *u, int geom) {
    const tacModel *m = sim->model;
    tac_kinematics_to(m, &sim->work, m->geom_body[geom], q, tac_split_inputs(m, &sim->options, u).mocap);
    return tac_place_geom(m, &sim->work, geom, &sim->scene);
}

tacStatus tac_contacts(tacSim *sim, const double *q, const double *u, tacContact *out, int max, int *n) {
    if (n == NULL || max < 0 || (out == NULL && max > 0)) return TAC_ERR_ARGUMENT;
    tacStatus status = place(sim, q, u);
    return status != TAC_OK ? status : tac_scene_contacts(&sim->scene, sim->model, out, max, n);
}

tacStatus tac_geom_distance(tacSim *sim, const double *q, const double *u, int geom1, int geom2, tacContact *out) {
    if (sim == NULL || out == NULL) return TAC_ERR_ARGUMENT;
    int ngeom = sim->model->ngeom;
    if (geom1 < 0 || geom1 >= ngeom || geom2 < 0 || geom2 >= ngeom) return TAC_ERR_ARGUMENT;
    tacStatus status = check_place(sim, q, u);
    if (status == TAC_OK) status = place_one(sim, q, u, geom1);
    if (status == TAC_OK) status = place_one(sim, q, u, geom2);
    return status != TAC_OK ? status : tac_scene_distance(&sim->scene, sim->model, geom1, geom2, out);
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* Where the columns of each block go. */
typedef struct Sinks {
    tacSink q, u, theta;
} Sinks;

static void emit_mocap(const tacSim *sim, const tacContactSystem *c, const double *mocap, const tacSink *sink) {
    const tacModel *m = sim->model;
    int first = tac_ninput(m, &sim->options) - 7 * m->nmocap;
    for (int i = 0; i < 7 * m->nmocap; i++) {
        tacMover mover;
        tac_mocap_mover(m, &sim->work, i / 7, i % 7, mocap + 7 * (i / 7), &mover);
        tacContactTangent t = tac_contact_along(m, &sim->work, c, &mover);
        tac_contact_emit(&t, first + i, sink);
    }
}

static void emit_params(const tacSim *sim, const tacContactSystem *c, const tacSmoothPoint *x, const tacSink *sink) {
    const tacModel *m = sim->model;
    for (int i = 0; i < m->nparam; i++) {
        tacContactTangent t;
        if (tac_contact_param(m, &sim->work, c, &sim->tangents[i], x, sim->scene.corner_change, &t))
            tac_contact_emit(&t, i, sink);
    }
}

static int is_wanted(const tacSink *sink) { return sink->matrix != NULL || sink->bar != NULL; }

/* (q, u, contact) -> its system, bodies and geoms placed. */
static tacStatus prepare(tacSim *sim, const double *q, const double *u, const tacContact *contact,
                         tacContactSystem *c) {
    if (sim == NULL || contact == NULL) return TAC_ERR_ARGUMENT;
    tacStatus status = place(sim, q, u);
    return status != TAC_OK ? status : tac_contact_prepare(sim->model, &sim->scene, contact, c);
}

static void emit_all(const tacSim *sim, const double *q, const double *u, const tacContactSystem *c,
                     const Sinks *sinks) {
    tacSmoothPoint x = {.q = q, .u = tac_split_inputs(sim->model, &sim->options, u)};
    if (is_wanted(&sinks->q)) tac_contact_dofs(sim->model, &sim->work, c, &sinks->q);
    if (is_wanted(&sinks->u) && x.u.mocap != NULL) emit_mocap(sim, c, x.u.mocap, &sinks->u);
    if (is_wanted(&sinks->theta)) emit_params(sim, c, &x, &sinks->theta);
}

static void clear(double *a, int rows, int columns) {
    if (a != NULL) memset(a, 0, (size_t)rows * (size_t)columns * sizeof *a);
}

tacStatus tac_contact_jac(tacSim *sim, const double *q, const double *u, const tacContact *contact,
                          const tacContactJac *jac) {
    tacContactSystem c;
    if (jac == NULL) return TAC_ERR_ARGUMENT;
    tacStatus status = prepare(sim, q, u, contact, &c);
    if (status != TAC_OK) return status;
    int nv = sim->model->nv, ninput = tac_ninput(sim->model, &sim->options), nparam = sim->model->nparam;
    clear(jac->q, TAC_CONTACT_ROWS, nv);
    clear(jac->u, TAC_CONTACT_ROWS, ninput);
    clear(jac->theta, TAC_CONTACT_ROWS, nparam);
    Sinks sinks = {
        {.matrix = jac->q, .ld = nv}, {.matrix = jac->u, .ld = ninput}, {.matrix = jac->theta, .ld = nparam}};
    emit_all(sim, q, u, &c, &sinks);
    return TAC_OK;
}

tacStatus tac_contact_vjp(tacSim *sim, const double *q, const double *u, const tacContact *contact,
                          const double *rowbar, const tacContactGrad *grad) {
    tacContactSystem c;
    if (grad == NULL) return TAC_ERR_ARGUMENT;
    tacStatus status = check_array(TAC_CONTACT_ROWS, rowbar);
    if (status == TAC_OK) status = prepare(sim, q, u, contact, &c);
    if (status != TAC_OK) return status;
    clear(grad->q, 1, sim->model->nv);
    clear(grad->u, 1, tac_ninput(sim->model, &sim->options));
    clear(grad->theta, 1, sim->model->nparam);
    Sinks sinks = {
        {.lambda = rowbar, .bar = grad->q}, {.lambda = rowbar, .bar = grad->u}, {.lambda = rowbar, .bar = grad->theta}};
    emit_all(sim, q, u, &c, &sinks);
    return TAC_OK;
}

/* --- Contacts of a step ------------------------------------------------------------------------------------------- */

tacStatus tac_step_contacts(tacSim *sim, const double *x, const double *u, tacContactForce *out, int max, int *n) {
    int bad;
    if (sim == NULL || n == NULL || max < 0 || (out == NULL && max > 0)) return TAC_ERR_ARGUMENT;
    tacStatus status = tac_check_state(sim, x, u, &bad);
    if (status != TAC_OK) return status;
    if (sim->stepper->contacts != NULL) return sim->stepper->contacts(sim, x, u, out, max, n);
    *n = 0;
    return TAC_OK;
}

tacStatus tac_step_constraints(tacSim *sim, const double *x, const double *u, tacConstraint *out, int max, int *n) {
    int bad;
    if (sim == NULL || n == NULL || max < 0 || (out == NULL && max > 0)) return TAC_ERR_ARGUMENT;
    tacStatus status = tac_check_state(sim, x, u, &bad);
    if (status != TAC_OK) return status;
    return sim->stepper->constraints == NULL ? TAC_ERR_UNSUPPORTED : sim->stepper->constraints(sim, x, u, out, max, n);
}
