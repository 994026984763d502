/* Problems of planning: adding terms, bounds and unknown parameters, with all
 * checks. */
#include "optimize/problem.h"

#include "base/error.h"
#include "math/scalar.h"

#include <stdlib.h>
#include <string.h>

/* --- Quantities
 * ---------------------------------------------------------------------------------------------------
 */

static int frame_is_there(const tacModel *m, tacFrame f, int world) {
    if (f.kind == TAC_KIND_NONE) return world;
    return (f.kind == TAC_KIND_BODY || f.kind == TAC_KIND_GEOM || f.kind == TAC_KIND_SITE) && f.id >= 0 &&
           f.id < tac_model_count(m, f.kind);
}

static int full_size(const tacPlan *p, const tacQuantity *q) {
    const tacModel *m = p->model;
    tacOutputs one = {1, &q->output};
    int frames = frame_is_there(m, q->frame, 0) && frame_is_there(m, q->in, 1);
    switch (q->kind) {
    case TAC_OF_STATE:
        return p->ndx;
    case TAC_OF_CTRL:
    case TAC_OF_CHANGE:
        return p->nu;
    case TAC_OF_OUTPUT:
        return tac_outputs_size(m, &one);
    case TAC_OF_POSITION:
    case TAC_OF_ORIENTATION:
        return frames ? 3 : -1;
    case TAC_OF_DISTANCE: {
        int a = q->geom[0], b = q->geom[1];
        return a >= 0 && b >= 0 && a < m->ngeom && b < m->ngeom && a != b ? 1 : -1;
    }
    case TAC_OF_PARAM:
        return p->nunknown;
    case TAC_OF_REST:
        return m->nv;
    case TAC_OF_CALL:
        return q->call != NULL && q->size > 0 ? q->size : -1;
    default:
        return -1;
    }
}

int tac_plan_size(const tacPlan *plan, const tacQuantity *of) {
    if (plan == NULL || of == NULL) return -1;
    int full = full_size(plan, of);
    if (full < 0 || of->first < 0 || of->count < 0 || of->first > full || of->count > full - of->first) return -1;
    return of->count > 0 ? of->count : full - of->first;
}

int tac_plan_target_size(const tacPlan *plan, const tacQuantity *of) {
    int size = tac_plan_size(plan, of);
    if (size < 0) return -1;
    return of->kind == TAC_OF_STATE ? plan->nx : of->kind == TAC_OF_ORIENTATION ? 4 : size;
}

int tac_term_last_knot(const tacPlan *plan, tacQuantityKind kind) {
    int driven = kind == TAC_OF_CTRL || kind == TAC_OF_CHANGE || kind == TAC_OF_REST;
    return driven && plan->n > 0 ? plan->n - 1 : plan->n;
}

/* Position and orientation of a frame as outputs. */
static tacOutputKind frame_output(tacKind kind, int orientation) {
    if (kind == TAC_KIND_BODY) return orientation ? TAC_OUT_BODY_MAT : TAC_OUT_BODY_POS;
    if (kind == TAC_KIND_GEOM) return orientation ? TAC_OUT_GEOM_MAT : TAC_OUT_GEOM_POS;
    return orientation ? TAC_OUT_SITE_MAT : TAC_OUT_SITE_POS;
}

void tac_term_outputs(const tacTerm *t, tacOutput *list) {
    const tacQuantity *q = &t->own.of;
    int n = 0, turned = q->kind == TAC_OF_ORIENTATION;
    if (q->kind == TAC_OF_OUTPUT) list[n++] = q->output;
    if (q->kind != TAC_OF_POSITION && !turned) return;
    list[n++] = (tacOutput){.kind = frame_output(q->frame.kind, turned), .id = q->frame.id};
    if (q->in.kind == TAC_KIND_NONE) return;
    if (!turned) list[n++] = (tacOutput){.kind = frame_output(q->in.kind, 0), .id = q->in.id};
    list[n] = (tacOutput){.kind = frame_output(q->in.kind, 1), .id = q->in.id};
}

static void count_outputs(const tacPlan *p, tacTerm *t) {
    const tacQuantity *q = &t->own.of;
    int world = q->in.kind == TAC_KIND_NONE;
    switch (q->kind) {
    case TAC_OF_OUTPUT:
        t->noutput = 1;
        break;
    case TAC_OF_POSITION:
        t->noutput = world ? 1 : 3;
        break;
    case TAC_OF_ORIENTATION:
        t->noutput = world ? 1 : 2;
        break;
    default:
        t->noutput = 0;
    }
    tacOutput list[3];
    tac_term_outputs(t, list);
    t->nz = t->noutput > 0 ? tac_outputs_size(p->model, &(tacOutputs){t->noutput, list}) : 0;
}

/* --- Making a problem
 * ---------------------------------------------------------------------------------------------
 */

tacPlanTerm tac_default_plan_term(void) {
    return (tacPlanTerm){.cookie = TAC_TERM_COOKIE, .targets = 1, .width = 1, .last = TAC_PLAN_END};
}

void tac_plan_free(tacPlan *plan) {
    if (plan == NULL) return;
    for (int i = 0; i < plan->nterm; i++)
        free(plan->term[i].numbers);
    free(plan->term);
    free(plan->x0);
    free(plan->u_default);
    free(plan->low);
    free(plan->high);
    free(plan->theta);
    free(plan->unknown);
    free(plan->low_p);
    free(plan->high_p);
    free(plan);
}

static void default_bounds(tacPlan *p) {
    const tacModel *m = p->model;
    for (int i = 0; i < p->nu; i++) {
        int limited = i < m->nu && m->actuator_ctrllimited[i] && !(m->option_disable[0] & TAC_DISABLE_CLAMPCTRL);
        p->low[i] = limited ? m->actuator_ctrlrange[2 * i] : -TAC_INFINITY;
        p->high[i] = limited ? m->actuator_ctrlrange[2 * i + 1] : TAC_INFINITY;
    }
}

static tacStatus read_theta(tacPlan *p, tacError *err) {
    char path[256];
    p->time_param = p->time_unknown = -1;
    for (int k = 0; k < p->nparam; k++) {
        TAC_TRY(tac_param_registered(p->model, k, 0, path, sizeof path));
        TAC_TRY(tac_param_get(p->model, path, &p->theta[k], err));
        if (strcmp(path, "option.timestep") == 0) {
            p->time_param = k;
            p->theta[k] = p->options.dt;
        }
    }
    return TAC_OK;
}

static double *numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

static tacStatus open_plan(tacPlan *p, tacError *err) {
    p->x0 = numbers(p->nx);
    p->u_default = numbers(p->nu);
    p->low = numbers(p->nu);
    p->high = numbers(p->nu);
    p->theta = numbers(p->nparam);
    p->unknown = calloc((size_t)p->nparam + 1, sizeof *p->unknown);
    p->low_p = numbers(p->nparam);
    p->high_p = numbers(p->nparam);
    if (!p->x0 || !p->u_default || !p->low || !p->high || !p->theta || !p->unknown || !p->low_p || !p->high_p)
        return tac_fail(err, TAC_ERR_MEMORY, "no memory for a plan");
    tac_default_state(p->model, p->x0);
    tac_default_input(p->model, &p->options, p->u_default);
    default_bounds(p);
    return read_theta(p, err);
}

tacStatus tac_plan_new(const tacModel *model, const tacOptions *options, int steps, tacPlan **plan, tacError *err) {
    if (model == NULL || options == NULL || plan == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "tac_plan_new: model, options or plan is NULL");
    if (steps < 0 || steps > TAC_PLAN_STEPS)
        return tac_fail(err, TAC_ERR_ARGUMENT, "a plan of %d steps: expected 0 to %d", steps, TAC_PLAN_STEPS);
    tacSim *sim; /* checks the options and resolves them */
    TAC_TRY(tac_sim_new(model, options, &sim, err));
    tacOptions in_use;
    tacStatus status = tac_sim_options(sim, &in_use);
    tac_sim_free(sim);
    TAC_TRY(status);
    tacPlan *p = calloc(1, sizeof *p);
    if (p == NULL) return tac_fail(err, TAC_ERR_MEMORY, "no memory for a plan");
    p->model = model;
    p->options = in_use;
    p->options.batch_info = NULL;
    p->n = steps;
    p->nx = tac_nx(model);
    p->ndx = tac_ndx(model);
    p->nu = tac_ninput(model, &in_use);
    p->nparam = model->nparam;
    status = open_plan(p, err);
    if (status == TAC_OK)
        *plan = p;
    else
        tac_plan_free(p);
    return status;
}

tacStatus tac_plan_set_start(tacPlan *plan, const double *x, tacError *err) {
    if (plan == NULL || x == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "tac_plan_set_start: an argument is NULL");
    int bad = tac_first_nonfinite(plan->nx, x);
    if (bad >= 0) return tac_fail(err, TAC_ERR_NONFINITE, "start: number %d is not finite", bad);
    memcpy(plan->x0, x, (size_t)plan->nx * sizeof *x);
    return TAC_OK;
}

/* --- Terms
 * --------------------------------------------------------------------------------------------------------
 */

static const char *name_of(const tacPlanTerm *t) { return t->name != NULL ? t->name : tac_quantity_text(t->of.kind); }

/* first and last as knots of the problem. */
static tacStatus resolve_range(const tacPlan *p, tacPlanTerm *t, tacError *err) {
    int end = p->n + 1, last_knot = tac_term_last_knot(p, t->of.kind);
    int first = t->first < 0 ? end + t->first : t->first, last = t->last < 0 ? end + t->last : t->last;
    if (first < 0 || last < first || last > p->n)
        return tac_fail(err, TAC_ERR_ARGUMENT, "term \"%s\": knots %d to %d: expected a range in 0 to %d", name_of(t),
                        t->first, t->last, p->n);
    int given = last - first + 1, asked = first;
    if (t->of.kind == TAC_OF_CHANGE && first < 1) first = 1;
    if (last > last_knot) last = last_knot;
    if (last < first)
        return tac_fail(err, TAC_ERR_ARGUMENT, "term \"%s\": there is no %s at knots %d to %d", name_of(t),
                        tac_quantity_text(t->of.kind), asked, asked + given - 1);
    if (t->targets != 1 && t->targets != given)
        return tac_fail(err, TAC_ERR_SHAPE, "term \"%s\": %d rows of targets: expected 1, or %d, one each knot",
                        name_of(t), t->targets, given);
    if (t->targets > 1) {
        t->target =
            t->target == NULL ? NULL : t->target + (size_t)(first - asked) * (size_t)tac_plan_target_size(p, &t->of);
        t->targets = last - first + 1;
    }
    t->first = first;
    t->last = last;
    return TAC_OK;
}

static tacStatus check_norm(const tacPlanTerm *t, int size, tacError *err) {
    if ((unsigned)t->norm >= TAC_NORM_KINDS || (unsigned)t->role > TAC_ROLE_AT_LEAST)
        return tac_fail(err, TAC_ERR_ARGUMENT, "term \"%s\": norm %d, role %d: no such kind", name_of(t), (int)t->norm,
                        (int)t->role);
    if (!(t->width > 0) || !tac_finite(t->width))
        return tac_fail(err, TAC_ERR_ARGUMENT, "term \"%s\": width is %g: expected above 0", name_of(t), t->width);
    if (t->matrix != NULL && (t->norm != TAC_NORM_QUADRATIC || t->role != TAC_ROLE_COST || t->weight != NULL))
        return tac_fail(err, TAC_ERR_ARGUMENT, "term \"%s\": a matrix is for quadratic costs without weights",
                        name_of(t));
    for (int i = 0; t->weight != NULL && i < size; i++)
        if (!(t->weight[i] >= 0) || !tac_finite(t->weight[i]))
            return tac_fail(err, TAC_ERR_ARGUMENT, "term \"%s\": weight %d is %g: expected 0 or more", name_of(t), i,
                            t->weight[i]);
    for (int i = 0; t->matrix != NULL && i < size; i++)
        for (int j = 0; j <= i; j++)
            if (!tac_finite(t->matrix[i * size + j]) || t->matrix[i * size + j] != t->matrix[j * size + i])
                return tac_fail(err, TAC_ERR_ARGUMENT, "term \"%s\": matrix entries %d, %d: expected finite, symmetric",
                                name_of(t), i, j);
    return TAC_OK;
}

static tacStatus check_target(const tacPlanTerm *t, int size, tacError *err) {
    if (t->target == NULL) return TAC_OK;
    int bad = tac_first_nonfinite(t->targets * size, t->target);
    if (bad >= 0)
        return tac_fail(err, TAC_ERR_NONFINITE, "term \"%s\": number %d of its target is not finite", name_of(t), bad);
    return TAC_OK;
}

/* Arrays of a term, copied to one block. STATE and ORIENTATION have a target in
 * any case. */
static tacStatus copy_arrays(const tacPlan *p, tacTerm *t, tacError *err) {
    tacPlanTerm *o = &t->own;
    size_t ts = (size_t)t->target_size, size = (size_t)t->size;
    size_t target = ts * (size_t)o->targets, matrix = o->matrix != NULL ? size * size : 0;
    t->numbers = calloc(target + size + matrix + 1, sizeof *t->numbers);
    if (t->numbers == NULL) return tac_fail(err, TAC_ERR_MEMORY, "no memory for a term");
    double *at = t->numbers;
    if (o->target != NULL)
        memcpy(at, o->target, target * sizeof *at);
    else if (o->of.kind == TAC_OF_STATE)
        tac_default_state(p->model, at);
    else if (o->of.kind == TAC_OF_ORIENTATION)
        at[0] = 1;
    o->target = at;
    at += target;
    for (size_t i = 0; i < size; i++)
        at[i] = o->weight != NULL ? o->weight[i] : 1;
    o->weight = at;
    if (matrix > 0) {
        memcpy(at + size, o->matrix, matrix * sizeof *at);
        o->matrix = at + size;
    }
    return TAC_OK;
}

static tacStatus check_quaternions(const tacTerm *t, tacError *err) {
    if (t->own.of.kind != TAC_OF_ORIENTATION) return TAC_OK;
    for (int i = 0; i < t->own.targets; i++) {
        double *q = t->numbers + 4 * (size_t)i, norm = 0;
        for (int k = 0; k < 4; k++)
            norm += q[k] * q[k];
        norm = tac_sqrt(norm);
        if (!(norm > 1e-9)) return tac_fail(err, TAC_ERR_ARGUMENT, "term \"%s\": a quaternion is zero", t->name);
        for (int k = 0; k < 4; k++)
            q[k] /= norm;
    }
    return TAC_OK;
}

static int room_for_term(tacPlan *p) {
    if (p->nterm < p->room) return 1;
    int room = p->room > 0 ? 2 * p->room : 8;
    tacTerm *more = realloc(p->term, (size_t)room * sizeof *more);
    if (more == NULL) return 0;
    for (int i = 0; i < p->nterm; i++)
        more[i].own.name = more[i].name; /* they moved */
    p->term = more;
    p->room = room;
    return 1;
}

/* Counts entries that are constraints and numbers their rows. */
static void number_rows(tacPlan *p, tacTerm *t) {
    if (tac_term_is_cost(t)) return;
    int knots = t->own.last - t->own.first + 1, counted = 0;
    for (int i = 0; i < t->size; i++)
        counted += t->own.weight[i] > 0;
    t->row0 = p->nrow;
    p->nrow += knots * t->size;
    *(t->own.role == TAC_ROLE_EQUAL ? &p->nequality : &p->ninequality) += knots * counted;
}

tacStatus tac_plan_add(tacPlan *plan, const tacPlanTerm *term, int *id, tacError *err) {
    if (plan == NULL || term == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "tac_plan_add: an argument is NULL");
    if (term->cookie != TAC_TERM_COOKIE)
        return tac_fail(err, TAC_ERR_OPTIONS, "a term was not made by tac_default_plan_term");
    int size = tac_plan_size(plan, &term->of);
    if (size <= 0)
        return tac_fail(err, TAC_ERR_ARGUMENT, "term \"%s\": %s", name_of(term),
                        size < 0 ? "the model has no such quantity" : "its quantity has no entries");
    tacTerm t = {.own = *term, .size = size, .full = full_size(plan, &term->of)};
    t.target_size = tac_plan_target_size(plan, &term->of);
    TAC_TRY(resolve_range(plan, &t.own, err));
    TAC_TRY(check_norm(&t.own, size, err));
    TAC_TRY(check_target(&t.own, t.target_size, err));
    if (!room_for_term(plan)) return tac_fail(err, TAC_ERR_MEMORY, "no memory for a term");
    size_t length = strlen(name_of(term));
    memcpy(t.name, name_of(term), length < sizeof t.name ? length : sizeof t.name - 1);
    TAC_TRY(copy_arrays(plan, &t, err));
    tacStatus status = check_quaternions(&t, err);
    if (status != TAC_OK) {
        free(t.numbers);
        return status;
    }
    count_outputs(plan, &t);
    number_rows(plan, &t);
    if (t.own.of.kind == TAC_OF_CHANGE) plan->nchange = plan->nu;
    plan->term[plan->nterm] = t;
    plan->term[plan->nterm].own.name = plan->term[plan->nterm].name;
    if (id != NULL) *id = plan->nterm;
    plan->nterm++;
    return TAC_OK;
}

/* --- Bounds and unknown parameters
 * --------------------------------------------------------------------------------
 */

static tacStatus check_bounds(const char *what, int n, const double *low, const double *high, tacError *err) {
    for (int i = 0; i < n; i++)
        if (!(low[i] <= high[i]) || low[i] == TAC_INFINITY || high[i] == -TAC_INFINITY)
            return tac_fail(err, TAC_ERR_ARGUMENT, "bounds of %s %d are %g and %g: expected the lower one first", what,
                            i, low[i], high[i]);
    return TAC_OK;
}

/* Weight 1 at tangent coordinates whose number of x has this bound, and the
 * state with the bounds in it. */
static tacStatus state_side(const tacPlan *p, const double *bound, double *x, double *weight, tacError *err) {
    const tacModel *m = p->model;
    tac_default_state(m, x);
    memset(weight, 0, (size_t)p->ndx * sizeof *weight);
    for (int j = 0; j < m->njnt; j++) {
        int free = m->joint_type[j] == TAC_JOINT_FREE, ball = m->joint_type[j] == TAC_JOINT_BALL;
        int straight = free ? 3 : ball ? 0 : 1, all = free ? 7 : ball ? 4 : 1, q = m->joint_qpos_adr[j];
        for (int i = straight; i < all; i++)
            if (tac_finite(bound[q + i]))
                return tac_fail(err, TAC_ERR_ARGUMENT, "bound of state %d: entries of quaternions have none", q + i);
        for (int i = 0; i < straight; i++)
            if (tac_finite(bound[q + i])) {
                x[q + i] = bound[q + i];
                weight[m->joint_dof_adr[j] + i] = 1;
            }
    }
    for (int i = 0; i < m->nv + m->na; i++)
        if (tac_finite(bound[m->nq + i])) {
            x[m->nq + i] = bound[m->nq + i];
            weight[m->nv + i] = 1;
        }
    return TAC_OK;
}

static tacStatus bound_states(tacPlan *p, const double *low, const double *high, tacError *err) {
    double *x = numbers(p->nx), *weight = numbers(p->ndx);
    tacStatus status = x && weight ? TAC_OK : tac_fail(err, TAC_ERR_MEMORY, "no memory for bounds");
    for (int side = 0; side < 2 && status == TAC_OK; side++) {
        tacPlanTerm t = tac_default_plan_term();
        t.role = side == 0 ? TAC_ROLE_AT_LEAST : TAC_ROLE_AT_MOST;
        t.of.kind = TAC_OF_STATE;
        t.target = x;
        t.weight = weight;
        t.first = p->n > 0;
        t.name = side == 0 ? "lower bounds of states" : "upper bounds of states";
        status = state_side(p, side == 0 ? low : high, x, weight, err);
        int any = 0;
        for (int i = 0; i < p->ndx; i++)
            any |= weight[i] > 0;
        if (status == TAC_OK && any) status = tac_plan_add(p, &t, NULL, err);
    }
    free(x);
    free(weight);
    return status;
}

tacStatus tac_plan_bound(tacPlan *plan, tacBoundOf of, const double *low, const double *high, tacError *err) {
    if (plan == NULL || low == NULL || high == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "tac_plan_bound: an argument is NULL");
    if (of == TAC_BOUND_CTRL) {
        TAC_TRY(check_bounds("control", plan->nu, low, high, err));
        memcpy(plan->low, low, (size_t)plan->nu * sizeof *low);
        memcpy(plan->high, high, (size_t)plan->nu * sizeof *high);
        return TAC_OK;
    }
    if (of != TAC_BOUND_STATE) return tac_fail(err, TAC_ERR_ARGUMENT, "bounds of kind %d: no such kind", (int)of);
    TAC_TRY(check_bounds("state", plan->nx, low, high, err));
    return bound_states(plan, low, high, err);
}

tacStatus tac_plan_add_unknown(tacPlan *plan, int k, double low, double high, tacError *err) {
    if (plan == NULL || k < 0 || k >= plan->nparam)
        return tac_fail(err, TAC_ERR_ARGUMENT, "unknown parameter %d: the model has %d registered", k,
                        plan == NULL ? 0 : plan->nparam);
    for (int i = 0; i < plan->nunknown; i++)
        if (plan->unknown[i] == k) return tac_fail(err, TAC_ERR_ARGUMENT, "parameter %d is unknown already", k);
    for (int i = 0; i < plan->nterm; i++)
        if (plan->term[i].own.of.kind == TAC_OF_PARAM)
            return tac_fail(err, TAC_ERR_ARGUMENT, "unknown parameters come before terms of them");
    TAC_TRY(check_bounds("parameter", 1, &low, &high, err));
    if (k == plan->time_param) {
        if (!(low > 0))
            return tac_fail(err, TAC_ERR_ARGUMENT, "lower bound of option.timestep is %g: expected above 0", low);
        plan->time_unknown = plan->nunknown;
    }
    plan->low_p[plan->nunknown] = low;
    plan->high_p[plan->nunknown] = high;
    plan->unknown[plan->nunknown++] = k;
    return TAC_OK;
}

void tac_plan_fill_theta(const tacPlan *plan, const double *p, double *theta) {
    memcpy(theta, plan->theta, (size_t)plan->nparam * sizeof *theta);
    for (int i = 0; i < plan->nunknown && p != NULL; i++)
        theta[plan->unknown[i]] = p[i];
}

double tac_plan_dt(const tacPlan *plan, const double *p) {
    return plan->time_unknown >= 0 && p != NULL ? p[plan->time_unknown] : plan->options.dt;
}

/* --- Reading a problem
 * --------------------------------------------------------------------------------------------
 */

tacPlanSizes tac_plan_sizes(const tacPlan *p) {
    if (p == NULL) return (tacPlanSizes){0};
    return (tacPlanSizes){p->n,        p->nx,    p->ndx,       p->nu,          p->nparam,
                          p->nunknown, p->nterm, p->nequality, p->ninequality, p->nrow};
}

tacStatus tac_plan_options(const tacPlan *plan, tacOptions *options) {
    if (plan == NULL || options == NULL) return TAC_ERR_ARGUMENT;
    *options = plan->options;
    return TAC_OK;
}

const tacModel *tac_plan_model(const tacPlan *plan) { return plan == NULL ? NULL : plan->model; }

tacPlanTermInfo tac_plan_term(const tacPlan *plan, int i) {
    if (plan == NULL || i < 0 || i >= plan->nterm) return (tacPlanTermInfo){.name = ""};
    const tacTerm *t = &plan->term[i];
    return (tacPlanTermInfo){t->name, t->own.role, t->own.of.kind, t->size, t->own.first, t->own.last, t->row0};
}

static uint64_t hash_numbers(const double *x, size_t n, uint64_t h) { return tac_hash(x, n * sizeof *x, h); }

/* Options without what changes no result. */
static uint64_t hash_options(const tacOptions *o, uint64_t h) {
    const tacOptionInfo *info;
    for (int i = 0; (info = tac_option_info(i)) != NULL; i++) {
        size_t size = info->kind == TAC_OPTION_REAL ? sizeof(double) : sizeof(int);
        h = tac_hash((const char *)o + info->offset, size, h);
    }
    return h;
}

static uint64_t hash_term(const tacTerm *t, uint64_t h) {
    const tacPlanTerm *o = &t->own;
    const tacQuantity *q = &o->of;
    int whole[] = {(int)o->role,     (int)q->kind,    (int)q->output.kind,
                   q->output.id,     q->output.id2,   (int)q->frame.kind,
                   q->frame.id,      (int)q->in.kind, q->in.id,
                   q->geom[0],       q->geom[1],      t->size,
                   q->first,         o->targets,      (int)o->norm,
                   o->dt_power,      o->first,        o->last,
                   o->matrix != NULL};
    double real[] = {q->output.kappa, o->width};
    h = tac_hash(whole, sizeof whole, h);
    h = tac_hash(t->name, strlen(t->name), h);
    h = hash_numbers(real, 2, h);
    h = hash_numbers(o->target, (size_t)o->targets * (size_t)t->target_size, h);
    h = hash_numbers(o->weight, (size_t)t->size, h);
    return o->matrix == NULL ? h : hash_numbers(o->matrix, (size_t)t->size * (size_t)t->size, h);
}

uint64_t tac_plan_hash(const tacPlan *plan) {
    if (plan == NULL) return 0;
    uint64_t h = tac_model_hash(plan->model);
    h = hash_options(&plan->options, h);
    h = tac_hash(&plan->n, sizeof plan->n, h);
    h = hash_numbers(plan->x0, (size_t)plan->nx, h);
    h = hash_numbers(plan->low, (size_t)plan->nu, h);
    h = hash_numbers(plan->high, (size_t)plan->nu, h);
    h = tac_hash(plan->unknown, (size_t)plan->nunknown * sizeof *plan->unknown, h);
    h = hash_numbers(plan->low_p, (size_t)plan->nunknown, h);
    h = hash_numbers(plan->high_p, (size_t)plan->nunknown, h);
    for (int i = 0; i < plan->nterm; i++)
        h = hash_term(&plan->term[i], h);
    return h;
}

/* --- Coarse to fine
 * -----------------------------------------------------------------------------------------------
 */

static tacStatus add_coarse_term(const tacPlan *plan, int factor, int i, tacPlan *coarse, tacError *err) {
    const tacTerm *t = &plan->term[i];
    tacPlanTerm o = t->own;
    double *rows = NULL;
    o.first = (o.first + factor - 1) / factor;
    o.last = o.last == plan->n ? coarse->n : o.last / factor;
    if (o.last < o.first) o.last = o.first;
    if (o.last > tac_term_last_knot(coarse, o.of.kind)) o.last = tac_term_last_knot(coarse, o.of.kind);
    if (o.first > o.last) o.first = o.last;
    if (o.of.kind == TAC_OF_CHANGE && o.last < 1) return TAC_OK; /* one step has no changes */
    int knots = o.last - o.first + 1;
    if (o.targets > 1) {
        size_t size = (size_t)t->target_size;
        rows = numbers(knots * t->target_size);
        if (rows == NULL) return tac_fail(err, TAC_ERR_MEMORY, "no memory for targets");
        for (int k = 0; k < knots; k++) {
            int fine = (o.first + k) * factor - t->own.first;
            fine = fine < 0 ? 0 : fine >= o.targets ? o.targets - 1 : fine;
            memcpy(rows + (size_t)k * size, t->own.target + (size_t)fine * size, size * sizeof *rows);
        }
        o.target = rows;
        o.targets = knots;
    }
    if (o.matrix != NULL) o.weight = NULL;
    tacStatus status = tac_plan_add(coarse, &o, NULL, err);
    free(rows);
    return status;
}

tacStatus tac_plan_coarse(const tacPlan *plan, int factor, tacPlan **coarse, tacError *err) {
    if (plan == NULL || coarse == NULL || factor < 1 || plan->n < 1)
        return tac_fail(err, TAC_ERR_ARGUMENT,
                        "tac_plan_coarse: expected a plan with steps and a factor "
                        "of 1 or more");
    tacOptions options = plan->options;
    options.dt *= factor;
    tacPlan *c;
    TAC_TRY(tac_plan_new(plan->model, &options, (plan->n + factor - 1) / factor, &c, err));
    tacStatus status = tac_plan_set_start(c, plan->x0, err);
    if (status == TAC_OK) status = tac_plan_bound(c, TAC_BOUND_CTRL, plan->low, plan->high, err);
    for (int i = 0; i < plan->nunknown && status == TAC_OK; i++) {
        double scale = i == plan->time_unknown ? factor : 1;
        status = tac_plan_add_unknown(c, plan->unknown[i], scale * plan->low_p[i], scale * plan->high_p[i], err);
    }
    for (int i = 0; i < plan->nterm && status == TAC_OK; i++)
        status = add_coarse_term(plan, factor, i, c, err);
    if (status == TAC_OK)
        *coarse = c;
    else
        tac_plan_free(c);
    return status;
}

void tac_plan_resample(int nu, int from, const double *U, int to, double *out) {
    for (int k = 0; k < to; k++) {
        double at = (k + 0.5) / to * from - 0.5;
        int i = at < 0 ? 0 : (int)at;
        double part = at < 0 ? 0 : at - i;
        int j = i + 1 < from ? i + 1 : from - 1;
        for (int e = 0; e < nu; e++)
            out[(size_t)k * (size_t)nu + (size_t)e] =
                (1 - part) * U[(size_t)i * (size_t)nu + (size_t)e] + part * U[(size_t)j * (size_t)nu + (size_t)e];
    }
}
