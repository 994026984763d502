/* The public contacts: arguments checked, bodies and geoms placed, outputs written on success only. */
#include "step/call.h"

#include "dynamics/kinematics.h"
#include "step/options.h"
#include "step/output_pairs.h"
#include "step/step_jvp.h"

#include <string.h>

/* Number of contacts before they were counted. */
enum { NOT_COUNTED = -1 };

static tacStatus check_place(tacSim *sim, const char *call, const double *q, const double *u) {
    TAC_TRY(tac_check_entries(sim, call, "q", TAC_OF_QPOS, q));
    return u == NULL ? TAC_OK : tac_check_entries(sim, call, "u", TAC_OF_INPUT, u);
}

/* (q, u), checked, -> the poses of the scene. */
static tacStatus place(tacSim *sim, const double *q, const double *u) {
    const tacModel *m = sim->ctx.model;
    tac_kinematics_q(m, &sim->ctx.work, q, tac_inputs_of(&sim->ctx.inputs, u).mocap);
    return tac_place_geoms(m, &sim->ctx.work, &sim->ctx.scene);
}

/* The same of one geom, with the bodies it hangs on and no others. */
static tacStatus place_one(tacSim *sim, const double *q, const double *u, int geom) {
    const tacModel *m = sim->ctx.model;
    tac_kinematics_to(m, &sim->ctx.work, m->geom_body[geom], q, tac_inputs_of(&sim->ctx.inputs, u).mocap);
    return tac_place_geom(m, &sim->ctx.work, geom, &sim->ctx.scene);
}

tacStatus tac_contacts(tacSim *sim, const double *q, const double *u, tacContact *out, int max, int *n) {
    TAC_TRY(tac_check_list(sim, __func__, out, max, n));
    TAC_TRY(check_place(sim, __func__, q, u));
    TAC_TRY(tac_refuse_growing(sim, __func__, tac_first_growing(sim->ctx.model)));
    tacStatus status = place(sim, q, u);
    int found = NOT_COUNTED;
    if (status == TAC_OK) status = tac_scene_contacts(&sim->ctx.scene, sim->ctx.model, out, max, &found);
    if (found != NOT_COUNTED) *n = found;
    return tac_end_list(sim, __func__, status, max, found);
}

static tacStatus check_geom(tacSim *sim, const char *call, const char *name, int geom) {
    int n = sim->ctx.model->ngeom;
    if (geom >= 0 && geom < n) return TAC_OK;
    return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "%s is %d, expected one of the model's %d geoms", name, geom, n);
}

/* (q, u), checked, -> distance of two geoms, with their bodies placed and no others. */
static tacStatus measure_distance(tacSim *sim, const double *q, const double *u, int geom1, int geom2,
                                  tacContact *out) {
    TAC_TRY(place_one(sim, q, u, geom1));
    TAC_TRY(place_one(sim, q, u, geom2));
    return tac_scene_distance(&sim->ctx.scene, sim->ctx.model, geom1, geom2, out);
}

tacStatus tac_geom_distance(tacSim *sim, const double *q, const double *u, int geom1, int geom2, tacContact *out) {
    TAC_TRY(check_place(sim, __func__, q, u));
    TAC_TRY(check_geom(sim, __func__, "geom1", geom1));
    TAC_TRY(check_geom(sim, __func__, "geom2", geom2));
    if (out == NULL) return tac_sim_null(sim, __func__, "out");
    TAC_TRY(tac_refuse_growing(sim, __func__, tac_geom_grows(sim->ctx.model, geom1) ? geom1 : -1));
    TAC_TRY(tac_refuse_growing(sim, __func__, tac_geom_grows(sim->ctx.model, geom2) ? geom2 : -1));
    tacStatus status = measure_distance(sim, q, u, geom1, geom2, out);
    if (status != TAC_ERR_ARGUMENT) return tac_end_call(sim, __func__, status);
    return tac_sim_fail(
        sim, status, __func__,
        "geoms %d and %d have no distance, expected two different geoms, not two planes, and none that is visual only",
        geom1, geom2);
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* Sinks of the columns of each block. */
typedef struct Sinks {
    tacSink q, u, theta;
} Sinks;

static void emit_mocap(const tacSim *sim, const tacContactSystem *c, const double *mocap, const tacSink *sink) {
    const tacModel *m = sim->ctx.model;
    for (int i = 0; i < sim->ctx.inputs.nmocap; i++) {
        tacMover mover;
        tac_mocap_mover(m, &sim->ctx.work, i, mocap, &mover);
        tacContactTangent t = tac_contact_along(m, &sim->ctx.work, c, &mover);
        tac_contact_emit(&t, sim->ctx.inputs.mocap + i, sink);
    }
}

static void emit_params(const tacSim *sim, const tacContactSystem *c, const tacSmoothPoint *x, const tacSink *sink) {
    const tacModel *m = sim->ctx.model;
    for (int i = 0; i < m->nmember; i++) {
        tacContactTangent t;
        if (tac_contact_param(m, &sim->ctx.work, c, &sim->ctx.tangents[i], x, sim->ctx.scene.corner_change, &t))
            tac_contact_emit(&t, sim->ctx.tangents[i].column, sink);
    }
}

static int is_wanted(const tacSink *sink) { return sink->matrix != NULL || sink->bar != NULL; }

/* (q, u, contact) -> its system, bodies and geoms placed. */
static tacStatus prepare(tacSim *sim, const char *call, const double *q, const double *u, const tacContact *contact,
                         tacContactSystem *c) {
    TAC_TRY(check_place(sim, call, q, u));
    if (contact == NULL) return tac_sim_null(sim, call, "contact");
    for (int i = 0; i < 2; i++)
        TAC_TRY(check_geom(sim, call, i == 0 ? "contact->geom[0]" : "contact->geom[1]", contact->geom[i]));
    tacStatus status = place(sim, q, u);
    if (status == TAC_OK) status = tac_contact_prepare(sim->ctx.model, &sim->ctx.scene, contact, c);
    return tac_end_call(sim, call, status);
}

static void emit_all(const tacSim *sim, const double *q, const double *u, const tacContactSystem *c,
                     const Sinks *sinks) {
    tacSmoothPoint x = {.q = q, .u = tac_inputs_of(&sim->ctx.inputs, u)};
    if (is_wanted(&sinks->q)) tac_contact_dofs(sim->ctx.model, &sim->ctx.work, c, &sinks->q);
    if (is_wanted(&sinks->u) && x.u.mocap != NULL) emit_mocap(sim, c, x.u.mocap, &sinks->u);
    if (is_wanted(&sinks->theta)) emit_params(sim, c, &x, &sinks->theta);
}

static void clear(double *a, int rows, int columns) {
    if (a != NULL) memset(a, 0, (size_t)rows * (size_t)columns * sizeof *a);
}

tacStatus tac_contact_jac(tacSim *sim, const double *q, const double *u, const tacContact *contact,
                          const tacContactJac *jac) {
    tacContactSystem c;
    if (jac == NULL) return tac_sim_null(sim, __func__, "jac");
    TAC_TRY(prepare(sim, __func__, q, u, contact, &c));
    int nv = sim->ctx.model->nv, ninput = tac_ninput(sim->ctx.model, &sim->ctx.options),
        nparam = sim->ctx.model->nparam;
    clear(jac->q, TAC_CONTACT_ROWS, nv);
    clear(jac->u, TAC_CONTACT_ROWS, ninput);
    clear(jac->theta, TAC_CONTACT_ROWS, nparam);
    Sinks sinks = {
        {.matrix = jac->q, .ld = nv}, {.matrix = jac->u, .ld = ninput}, {.matrix = jac->theta, .ld = nparam}};
    emit_all(sim, q, u, &c, &sinks);
    return TAC_OK;
}

/* rows += the change along dq: the twists of both bodies, each at once. */
static void add_dofs_along(tacSim *sim, const tacContactSystem *c, const double *dq, double *rows) {
    const tacWork *w = &sim->ctx.work;
    tac_kinematics_v(sim->ctx.model, &sim->ctx.work, dq);
    for (int side = 0; side < 2; side++) {
        int body = c->body[side];
        tacContactTangent t = tac_contact_twist(c, side, w->V[body], w->origin[body]);
        tac_contact_emit(&t, 0, &(tacSink){.matrix = rows, .ld = 1});
    }
}

tacStatus tac_contact_jvp(tacSim *sim, const double *q, const double *u, const tacContact *contact,
                          const tacTangent *along, double *drows) {
    tacContactSystem c;
    double rows[TAC_CONTACT_ROWS] = {0};
    if (sim == NULL) return TAC_ERR_ARGUMENT;
    TAC_TRY(tac_check_direction(sim, __func__, along));
    if (drows == NULL) return tac_sim_null(sim, __func__, "drows");
    TAC_TRY(prepare(sim, __func__, q, u, contact, &c));
    Sinks sinks = {.q = {.matrix = NULL}};
    if (along->u != NULL) sinks.u = (tacSink){.matrix = rows, .along = along->u, .ld = 1};
    if (along->theta != NULL) sinks.theta = (tacSink){.matrix = rows, .along = along->theta, .ld = 1};
    emit_all(sim, q, u, &c, &sinks);
    if (along->x != NULL) add_dofs_along(sim, &c, along->x, rows);
    memcpy(drows, rows, sizeof rows);
    return TAC_OK;
}

tacStatus tac_contact_vjp(tacSim *sim, const double *q, const double *u, const tacContact *contact,
                          const double *rowbar, const tacContactGrad *grad) {
    tacContactSystem c;
    if (grad == NULL) return tac_sim_null(sim, __func__, "grad");
    TAC_TRY(tac_check_array(sim, __func__, "rowbar", TAC_CONTACT_ROWS, rowbar));
    TAC_TRY(prepare(sim, __func__, q, u, contact, &c));
    clear(grad->q, 1, sim->ctx.model->nv);
    clear(grad->u, 1, tac_ninput(sim->ctx.model, &sim->ctx.options));
    clear(grad->theta, 1, sim->ctx.model->nparam);
    Sinks sinks = {
        {.lambda = rowbar, .bar = grad->q}, {.lambda = rowbar, .bar = grad->u}, {.lambda = rowbar, .bar = grad->theta}};
    emit_all(sim, q, u, &c, &sinks);
    return TAC_OK;
}

/* --- Contacts of a step ------------------------------------------------------------------------------------------- */

tacStatus tac_step_contacts(tacSim *sim, const double *x, const double *u, tacContactForce *out, int max, int *n) {
    int bad;
    TAC_TRY(tac_check_list(sim, __func__, out, max, n));
    TAC_TRY(tac_check_state(sim, __func__, x, u, &bad));
    if (sim->ctx.stepper->contacts == NULL) {
        *n = 0;
        return TAC_OK;
    }
    int found = NOT_COUNTED;
    tacStatus status = sim->ctx.stepper->contacts(&sim->ctx, x, u, out, max, &found);
    if (found != NOT_COUNTED) *n = found;
    return tac_end_list(sim, __func__, status, max, found);
}

/* --- Derivatives of their forces ---------------------------------------------------------------------------------- */

typedef struct ForceRows {
    tacColumns c;
    const tacJac *jac;
    int max, n; /* contacts: their number is known before the first line */
    int cleared;
} ForceRows;

static void count_contact(void *of, int k, const tacContact *c, const double f[3]) {
    ForceRows *r = of;
    (void)c, (void)f;
    r->n = k + 1 > r->n ? k + 1 : r->n;
}

static int is_listed(void *of, int k, const tacContact *c, double bar[3]) {
    const ForceRows *r = of;
    (void)k, (void)c, (void)bar;
    return r->n <= r->max;
}

static void clear_rows(ForceRows *r) {
    if (r->cleared) return;
    clear(r->jac->A, 3 * r->n, r->c.nx);
    clear(r->jac->B, 3 * r->n, r->c.nu);
    clear(r->jac->P, 3 * r->n, r->c.np);
    r->cleared = 1;
}

static void add_force_line(void *of, int k, const tacContact *c, int axis, double factor, const double *df) {
    ForceRows *r = of;
    if (!is_listed(of, k, c, NULL)) return;
    clear_rows(r);
    tac_add_line(r->c, factor, df, 3 * k + axis, r->jac);
}

static tacStatus force_rows(tacSim *sim, const double *x, const double *u, ForceRows *rows) {
    tacContactReader reader = {rows, count_contact, add_force_line, is_listed};
    if (sim->ctx.stepper->contact_forces == NULL) return TAC_OK;
    TAC_TRY(sim->ctx.stepper->contact_forces(&sim->ctx, x, u, &reader));
    if (rows->n > rows->max) return TAC_ERR_CONTACTS;
    clear_rows(rows);
    return TAC_OK;
}

tacStatus tac_step_contacts_jac(tacSim *sim, const double *x, const double *u, const tacJac *jac, int max, int *n) {
    int bad;
    TAC_TRY(tac_check_state(sim, __func__, x, u, &bad));
    if (jac == NULL) return tac_sim_null(sim, __func__, "jac");
    if (n == NULL) return tac_sim_null(sim, __func__, "n");
    if (max < 0) return tac_sim_fail(sim, TAC_ERR_ARGUMENT, __func__, "max is %d, expected 0 or more", max);
    ForceRows rows = {.c = tac_count_columns(&sim->ctx), .jac = jac, .max = max};
    tacStatus status = force_rows(sim, x, u, &rows);
    if (status == TAC_OK || rows.n > max) *n = rows.n;
    return tac_end_list(sim, __func__, status, max, rows.n);
}

/* --- Constraints -------------------------------------------------------------------------------------------------- */

static int tells_constraints(const tacStepper *stepper) { return stepper->constraints != NULL; }

tacStatus tac_step_constraints(tacSim *sim, const double *x, const double *u, tacConstraint *out, int max, int *n) {
    int bad;
    TAC_TRY(tac_check_list(sim, __func__, out, max, n));
    TAC_TRY(tac_check_state(sim, __func__, x, u, &bad));
    char has[TAC_CONTACT_WORDS];
    if (sim->ctx.stepper->constraints == NULL)
        return tac_sim_fail(sim, TAC_ERR_UNSUPPORTED, __func__, "requires contact %s",
                            tac_contacts_with(tells_constraints, has));
    int found = NOT_COUNTED;
    tacStatus status = sim->ctx.stepper->constraints(&sim->ctx, x, u, out, max, &found);
    if (found != NOT_COUNTED) *n = found;
    return tac_end_list(sim, __func__, status, max, found);
}
