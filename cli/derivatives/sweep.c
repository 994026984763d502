#include "cli/derivatives/sweep.h"

#include "cli/cli.h"
#include "cli/input/model_file.h"
#include "cli/input/parameters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, PLACE = 3 };
/* Default of the largest change: share of the value; where the value is zero, its own unit. */
#define DEFAULT_SHARE 0.2

/* --- What is meant ------------------------------------------------------------------------------------------------ */

static int find_body(const char *verb, const tacModel *m, const char *name, int *body) {
    *body = m->nbody - 1;
    for (int j = m->njnt - 1; j >= 0; j--)
        if (m->joint_type[j] == TAC_JOINT_FREE) *body = m->joint_body[j];
    if (name != NULL) *body = tac_model_find(m, TAC_KIND_BODY, name);
    return *body > 0 ? CLI_GO_ON
                     : cli_fail(verb, "--gradient-body: there is no moving body \"%s\"", name != NULL ? name : "");
}

static int find_dof(const char *verb, const tacModel *m, const char *name, int *dof) {
    char column[CLI_SWEEP_NAME];
    for (int i = 0; i < m->nv; i++) {
        cli_column_name(m, TAC_COLUMN_QVEL, i, column, sizeof column);
        if (strcmp(column, name) == 0) {
            *dof = i;
            return CLI_GO_ON;
        }
    }
    return cli_fail(verb, "--gradient: there is no velocity \"%s\"; the columns of `sim -o motion.csv` name them",
                    name);
}

static int set_one(const char *verb, tacModel *m, const char *path, double value) {
    tacError err;
    return tac_param_set(m, path, value, &err) == TAC_OK ? CLI_GO_ON : cli_fail(verb, "--gradient: %s", err.text);
}

/* Sets all numbers that the paths stand for. */
static int set_all(const char *verb, tacModel *m, const char *paths, double value) {
    char part[CLI_SWEEP_NAME], path[CLI_PARAMETER_PATH];
    for (const char *at = paths; *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
        snprintf(part, sizeof part, "%.*s", (int)strcspn(at, ","), at);
        int result = strpbrk(part, "*?") == NULL ? set_one(verb, m, part, value) : CLI_GO_ON;
        for (int i = 0; strpbrk(part, "*?") != NULL && i < tac_param_count(m) && result == CLI_GO_ON; i++)
            if (tac_param_path(m, i, path, sizeof path) == TAC_OK && cli_matches(part, path))
                result = set_one(verb, m, path, value);
        if (result != CLI_GO_ON) return result;
    }
    return CLI_GO_ON;
}

static int register_one(const char *verb, tacModel *m, tacSweep *s) {
    tacError err;
    if (tac_param_register(m, s->name, NULL, &err) != TAC_OK) return cli_fail(verb, "--gradient: %s", err.text);
    snprintf(s->path, sizeof s->path, "%s", s->name);
    return CLI_GO_ON;
}

static int register_all(const char *verb, tacModel *m, tacSweep *s) {
    if (strpbrk(s->name, "*?,") == NULL) return register_one(verb, m, s);
    tacParamArgs args = {0};
    tacParamList list = {0};
    args.ties.item[args.ties.count++] = s->name;
    int result = cli_params_register(verb, m, &args, &list);
    if (result == CLI_GO_ON) snprintf(s->path, sizeof s->path, "%s", list.entry[0].path);
    cli_params_free(&list);
    return result;
}

int cli_sweep_begin(const char *verb, tacModel *m, const tacSweepArgs *args, tacSweep *s) {
    const char *equals = strrchr(args->what, '=');
    size_t n = equals != NULL ? (size_t)(equals - args->what) : strlen(args->what);
    *s = (tacSweep){.dof = -1, .given = (double)NAN, .range = args->range};
    if (n >= sizeof s->name) return cli_fail(verb, "--gradient: more than %d letters", CLI_SWEEP_NAME - 1);
    snprintf(s->name, sizeof s->name, "%.*s", (int)n, args->what);
    if (equals != NULL && !cli_number(equals + 1, &s->given))
        return cli_fail(verb, "--gradient: got \"%s\" after =, expected a finite number", equals + 1);
    if (!isnan(args->range) && !(args->range > 0))
        return cli_fail(verb, "--gradient-range: got %g, expected more than 0", args->range);
    int result = find_body(verb, m, args->body, &s->body);
    if (result != CLI_GO_ON) return result;
    if (strncmp(s->name, "qvel:", 5) == 0) return find_dof(verb, m, s->name, &s->dof);
    if (!isnan(s->given)) result = set_all(verb, m, s->name, s->given);
    return result == CLI_GO_ON ? register_all(verb, m, s) : result;
}

void cli_sweep_start(const tacSweep *s, double *qvel) {
    if (s->dof >= 0 && !isnan(s->given)) qvel[s->dof] = s->given;
}

/* --- The derivative ----------------------------------------------------------------------------------------------- */

/* Everything that the reverse mode works on. */
typedef struct {
    double *X, *U, *xbar, *theta_end, *x, *theta;
    void *memory;
    size_t bytes;
} Reverse;

static void free_reverse(Reverse *r) {
    void *blocks[] = {r->X, r->U, r->xbar, r->theta_end, r->x, r->theta, r->memory};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
}

static int allocate(const tacRun *run, Reverse *r) {
    size_t n = (size_t)run->steps, ninput = (size_t)tac_ninput(run->model, &run->options);
    size_t ndx = (size_t)tac_ndx(run->model);
    r->bytes = (tac_rollout_vjp_bytes(run->model, (int)n, 0) / ALIGNMENT + 1) * ALIGNMENT;
    r->X = calloc((n + 1) * (size_t)tac_nx(run->model), sizeof(double));
    r->U = calloc(n * ninput + 1, sizeof(double));
    r->xbar = calloc(ndx + 1, sizeof(double));
    r->x = calloc(ndx + 1, sizeof(double));
    r->theta = calloc((size_t)run->model->nparam + 1, sizeof(double));
    r->theta_end = calloc((size_t)run->model->nparam + 1, sizeof(double));
    r->memory = aligned_alloc(ALIGNMENT, r->bytes);
    return r->X != NULL && r->U != NULL && r->xbar != NULL && r->x != NULL && r->theta != NULL &&
           r->theta_end != NULL && r->memory != NULL;
}

static tacStatus roll(tacSim *sim, const tacRun *run, Reverse *r) {
    size_t ninput = (size_t)tac_ninput(run->model, &run->options);
    for (long k = 0; k < run->steps; k++) {
        memcpy(r->U + (size_t)k * ninput, run->u, ninput * sizeof(double));
        cli_controls_at(run->controls, k, r->U + (size_t)k * ninput);
    }
    tacStatus status = tac_rollout(sim, run->x, r->U, (int)run->steps, r->X, NULL);
    return status == TAC_ERR_UNSOLVED || status == TAC_ERR_IMPACTS ? TAC_OK : status;
}

/* Row `axis` of d(last place)/d(what). */
static tacStatus differentiate(tacSim *sim, const tacRun *run, const tacSweep *s, Reverse *r, int axis, double *out) {
    const tacOutput output = {TAC_OUT_BODY_POS, s->body};
    const tacOutputs outputs = {1, &output};
    double zbar[PLACE] = {0};
    zbar[axis] = 1;
    size_t ninput = (size_t)tac_ninput(run->model, &run->options);
    const double *last = r->X + (size_t)run->steps * (size_t)tac_nx(run->model);
    const double *u = run->steps > 0 ? r->U + (size_t)(run->steps - 1) * ninput : run->u;
    tacStatus status = tac_outputs_vjp(sim, last, u, &outputs, zbar, &(tacGrad){.x = r->xbar, .theta = r->theta_end});
    if (status != TAC_OK) return status;
    const tacTrajectory path = {.n = (int)run->steps, .x0 = run->x, .U = r->U, .X = r->X, .xbar = r->xbar};
    const tacCheckpoints memory = {.memory = r->memory, .bytes = r->bytes};
    status = tac_rollout_vjp(sim, &path, &memory, &(tacGrad){.x = r->x, .theta = r->theta}, NULL);
    *out = s->dof >= 0 ? r->x[run->model->nv + s->dof] : r->theta[0] + r->theta_end[0];
    return status == TAC_ERR_UNSOLVED || status == TAC_ERR_IMPACTS ? TAC_OK : status;
}

static int find_derivative(const char *verb, const tacRun *run, tacSweep *s) {
    Reverse r = {0};
    tacSim *sim = NULL;
    tacError err;
    if (tac_sim_new(run->model, &run->options, &sim, &err) != TAC_OK) return cli_fail(verb, "%s", err.text);
    tacStatus status = allocate(run, &r) ? roll(sim, run, &r) : TAC_ERR_MEMORY;
    for (int axis = 0; axis < PLACE && status == TAC_OK; axis++)
        status = differentiate(sim, run, s, &r, axis, &s->gradient.derivative[axis]);
    free_reverse(&r);
    tac_sim_free(sim);
    return status == TAC_OK ? CLI_GO_ON : cli_fail(verb, "--gradient: %s", tac_status_text(status));
}

/* --- The motions -------------------------------------------------------------------------------------------------- */

static int choose_values(const char *verb, const tacRun *run, tacSweep *s) {
    tacError err;
    double own = s->dof >= 0 ? run->x[run->model->nq + s->dof] : 0;
    if (s->dof < 0 && tac_param_get(run->model, s->path, &own, &err) != TAC_OK) return cli_fail(verb, "%s", err.text);
    double range = !isnan(s->range) ? s->range : DEFAULT_SHARE * (own != 0 ? fabs(own) : 1);
    for (int i = 0; i < CLI_SWEEP_MOTIONS; i++)
        s->value[i] = own + range * (i - CLI_SWEEP_OWN) / CLI_SWEEP_OWN;
    return CLI_GO_ON;
}

/* One motion at one value: a copy of the model and of the start, changed. */
static int run_motion(const char *verb, const tacRun *run, int frames, tacSweep *s, int i) {
    tacRun other = *run;
    tacError err;
    size_t nx = (size_t)tac_nx(run->model), ninput = (size_t)tac_ninput(run->model, &run->options);
    if (tac_model_copy(run->model, &s->model[i], &err) != TAC_OK) return cli_fail(verb, "%s", err.text);
    if (s->dof < 0 && tac_param_set(s->model[i], s->path, s->value[i], &err) != TAC_OK)
        return cli_fail(verb, "--gradient-range: %s", err.text);
    other.model = s->model[i];
    other.x = calloc(nx + 1, sizeof(double));
    other.u = calloc(ninput + 1, sizeof(double));
    s->motion[i] = cli_motion_begin(other.model, (int)ninput, 1);
    int result = other.x != NULL && other.u != NULL ? CLI_GO_ON : cli_fail(verb, "out of memory");
    if (result == CLI_GO_ON) {
        memcpy(other.x, run->x, nx * sizeof(double));
        memcpy(other.u, run->u, ninput * sizeof(double));
        if (s->dof >= 0) other.x[run->model->nq + s->dof] = s->value[i];
        result = cli_run(verb, &other, &s->motion[i]);
    }
    if (result == CLI_GO_ON && s->motion[i].nframe != frames)
        result = cli_fail(verb, "--gradient: at %g the motion stopped after %ld of %ld steps", s->value[i], other.done,
                          other.steps);
    free(other.x);
    free(other.u);
    return result;
}

/* Place of the body in the last frame. */
static int find_place(const char *verb, const tacRun *run, const tacModel *model, const double *x, int body,
                      double *place) {
    const tacOutput output = {TAC_OUT_BODY_POS, body};
    const tacOutputs outputs = {1, &output};
    tacSim *sim;
    tacError err;
    if (tac_sim_new(model, &run->options, &sim, &err) != TAC_OK) return cli_fail(verb, "%s", err.text);
    tacStatus status = tac_outputs(sim, x, run->u, &outputs, place);
    tac_sim_free(sim);
    return status == TAC_OK ? CLI_GO_ON : cli_fail(verb, "--gradient: %s", tac_status_text(status));
}

int cli_sweep_run(const char *verb, const tacRun *run, const tacMotion *motion, tacSweep *s) {
    int result = choose_values(verb, run, s);
    if (result == CLI_GO_ON) result = find_derivative(verb, run, s);
    for (int i = 0; i < CLI_SWEEP_MOTIONS && result == CLI_GO_ON; i++) {
        int own = i == CLI_SWEEP_OWN;
        if (!own) result = run_motion(verb, run, motion->nframe, s, i);
        if (result != CLI_GO_ON) break;
        s->x[i] = own ? motion->x : s->motion[i].x;
        s->shown[i] = own ? run->model : s->model[i];
        const double *last = s->x[i] + (size_t)(motion->nframe - 1) * (size_t)motion->nx;
        result = find_place(verb, run, s->shown[i], last, s->body, s->place[i]);
    }
    return result;
}

/* --- What comes out ----------------------------------------------------------------------------------------------- */

const char *cli_sweep_unit(const tacModel *m, const tacSweep *s) {
    if (s->dof < 0) return NULL;
    int joint = m->dof_joint[s->dof], part = s->dof - m->joint_dof_adr[joint];
    int slides = m->joint_type[joint] == TAC_JOINT_SLIDE || (m->joint_type[joint] == TAC_JOINT_FREE && part < PLACE);
    return slides ? "m/s" : "rad/s";
}

json_t *cli_sweep_json(tacJson *json, const tacModel *model, const tacSweep *s) {
    json_t *object = json_object();
    json_object_set_new(object, "name", measure_json_text(s->name));
    json_object_set_new(object, "body", measure_json_name(model, TAC_KIND_BODY, s->body));
    json_object_set_new(object, "derivative", measure_json_numbers(json, "gradient", PLACE, s->gradient.derivative));
    json_object_set_new(object, "values", measure_json_numbers(json, "gradient", CLI_SWEEP_MOTIONS, s->value));
    json_object_set_new(object, "places", measure_json_rows(json, "gradient", CLI_SWEEP_MOTIONS, PLACE, s->place[0]));
    return object;
}

void cli_sweep_free(tacSweep *s) {
    for (int i = 0; i < CLI_SWEEP_MOTIONS; i++) {
        tac_model_free(s->model[i]);
        cli_motion_free(&s->motion[i]);
    }
}
