/* Recordings from CSV files. */
#include "tactus/recording.h"

#include "io/fit/csv.h"

#include "base/error.h"

#include "tactus/tactus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RECORDING_COOKIE 0x7ec0d101u
/* Most deviation of a time from an even one, in rows; of the rows' distance from whole steps, relative; of the norm of
 * a quaternion from 1. */
#define UNEVEN     0.05
#define OFF_STEP   2e-3
#define OFF_LENGTH 1e-3

struct tacRecording {
    char *name;
    int frames, every, nz;
    double *x, *z, *u;
    uint64_t hash;
};

tacRecordingOptions tac_default_recording_options(void) {
    return (tacRecordingOptions){.cookie = RECORDING_COOKIE, .time = "t"};
}

void tac_recording_free(tacRecording *r) {
    if (r == NULL) return;
    free(r->name);
    free(r->x);
    free(r->z);
    free(r->u);
    free(r);
}

tacFitRecording tac_recording_frames(const tacRecording *r) {
    tacFitRecording out = tac_default_fit_recording();
    if (r == NULL) return out;
    out.name = r->name;
    out.frames = r->frames;
    out.every = r->every;
    out.x = r->x;
    out.z = r->nz > 0 ? r->z : NULL;
    out.u = r->u;
    return out;
}

uint64_t tac_recording_hash(const tacRecording *r) { return r != NULL ? r->hash : 0; }

/* --- Reading ------------------------------------------------------------------------------------------------------ */

typedef struct Reader {
    const tacModel *model;
    const tacOptions *step;
    const char *path;
    const tacRecordingOptions *options;
    tacCsv csv;
    int time;    /* its column */
    int *column; /* ncolumn: of the file */
    tacRecording *out;
    tacError *err;
} Reader;

static double cell_at(const Reader *r, int row, int column) {
    return r->csv.cell[(size_t)row * (size_t)r->csv.ncolumn + (size_t)column];
}

static int is_taken(const void *context, const char *name) {
    const tacRecordingOptions *o = context;
    if (strcmp(name, o->time) == 0) return 1;
    for (int i = 0; i < o->ncolumn; i++)
        if (strcmp(name, o->columns[i].name) == 0) return 1;
    return 0;
}

static tacStatus find_columns(Reader *r) {
    const tacRecordingOptions *o = r->options;
    r->time = tac_csv_column(&r->csv, o->time);
    if (r->time < 0) return tac_fail(r->err, TAC_ERR_NAME, "%s: there is no column \"%s\" of times", r->path, o->time);
    for (int i = 0; i < o->ncolumn; i++) {
        r->column[i] = tac_csv_column(&r->csv, o->columns[i].name);
        if (r->column[i] < 0)
            return tac_fail(r->err, TAC_ERR_NAME, "%s: there is no column \"%s\"", r->path, o->columns[i].name);
    }
    return TAC_OK;
}

static tacStatus check_options(const Reader *r) {
    const tacRecordingOptions *o = r->options;
    int size[] = {tac_nx(r->model), tac_ninput(r->model, r->step), o->noutput};
    for (int i = 0; i < o->ncolumn; i++) {
        const tacColumn *c = &o->columns[i];
        if (c->name == NULL || (unsigned)c->kind > TAC_COLUMN_OUTPUT || c->entry < 0 || c->entry >= size[c->kind] ||
            !isfinite(c->scale) || c->scale == 0)
            return tac_fail(r->err, TAC_ERR_ARGUMENT,
                            "column %d: expected a name, an entry of the state, the controls or the outputs, and a "
                            "scale that is finite and not 0",
                            i);
        for (int k = 0; k < i; k++)
            if (o->columns[k].kind == c->kind && o->columns[k].entry == c->entry)
                return tac_fail(r->err, TAC_ERR_ARGUMENT, "columns \"%s\" and \"%s\" measure the same number",
                                o->columns[k].name, c->name);
    }
    return TAC_OK;
}

/* --- Times -------------------------------------------------------------------------------------------------------- */

static tacStatus fail_time(const Reader *r, int row, const char *what) {
    return tac_fail(r->err, TAC_ERR_ARGUMENT, "%s:%d: column \"%s\": the time %.10g %s", r->path, r->csv.line[row],
                    r->options->time, cell_at(r, row, r->time), what);
}

static tacStatus check_order(const Reader *r) {
    for (int k = 0; k < r->csv.nrow; k++) {
        if (isnan(cell_at(r, k, r->time)))
            return tac_fail(r->err, TAC_ERR_SYNTAX, "%s:%d: column \"%s\": found nothing, expected a time", r->path,
                            r->csv.line[k], r->options->time);
        if (k == 0) continue;
        double gap = cell_at(r, k, r->time) - cell_at(r, k - 1, r->time);
        if (gap == 0) return fail_time(r, k, "stands in the row before too");
        if (gap < 0) return fail_time(r, k, "is before that of the row before");
    }
    return TAC_OK;
}

static tacStatus read_times(Reader *r) {
    int n = r->csv.nrow;
    if (n < 2) return tac_fail(r->err, TAC_ERR_SHAPE, "%s: found one row, expected two or more", r->path);
    TAC_TRY(check_order(r));
    double first = cell_at(r, 0, r->time), gap = (cell_at(r, n - 1, r->time) - first) / (n - 1);
    for (int k = 1; k < n; k++)
        if (!(fabs(cell_at(r, k, r->time) - first - k * gap) <= UNEVEN * gap))
            return fail_time(r, k, "is not even: rows are expected the same time apart");
    double steps = gap / r->step->dt;
    if (!(steps > 0.5 && steps < 1e6) || fabs(steps - round(steps)) > OFF_STEP * steps)
        return tac_fail(r->err, TAC_ERR_ARGUMENT,
                        "%s: column \"%s\": rows are %.8g s apart, %.6g time steps of %.8g s: expected a whole number",
                        r->path, r->options->time, gap, steps, r->step->dt);
    r->out->every = (int)round(steps);
    r->out->frames = n;
    return TAC_OK;
}

/* --- Numbers ------------------------------------------------------------------------------------------------------ */

static tacStatus make_room(Reader *r) {
    tacRecording *out = r->out;
    size_t n = (size_t)out->frames, nx = (size_t)tac_nx(r->model);
    size_t nu = (size_t)tac_ninput(r->model, r->step), nz = (size_t)r->options->noutput;
    out->nz = r->options->noutput;
    out->x = malloc((n * nx + 1) * sizeof(double));
    out->z = malloc((n * nz + 1) * sizeof(double));
    out->u = malloc((n * (size_t)out->every * nu + 1) * sizeof(double));
    if (out->x == NULL || out->z == NULL || out->u == NULL)
        return tac_fail(r->err, TAC_ERR_MEMORY, "%s: no memory", r->path);
    for (size_t k = 0; k < n; k++)
        tac_default_state(r->model, out->x + k * nx);
    for (size_t i = 0; i < n * nz; i++)
        out->z[i] = (double)NAN;
    for (size_t k = 0; k < n * (size_t)out->every; k++)
        tac_default_input(r->model, r->step, out->u + k * nu);
    return TAC_OK;
}

static tacStatus read_column(Reader *r, int i) {
    const tacColumn *c = &r->options->columns[i];
    tacRecording *out = r->out;
    size_t nx = (size_t)tac_nx(r->model), nu = (size_t)tac_ninput(r->model, r->step), e = (size_t)c->entry;
    for (int k = 0; k < out->frames; k++) {
        double value = c->scale * cell_at(r, k, r->column[i]);
        if (c->kind == TAC_COLUMN_STATE) out->x[(size_t)k * nx + e] = value;
        if (c->kind == TAC_COLUMN_OUTPUT) out->z[(size_t)k * (size_t)out->nz + e] = value;
        if (c->kind != TAC_COLUMN_CONTROL || k + 1 == out->frames) continue;
        if (isnan(value))
            return tac_fail(r->err, TAC_ERR_SYNTAX, "%s:%d: column \"%s\": found nothing, expected a control", r->path,
                            r->csv.line[k], c->name);
        for (int s = 0; s < out->every; s++)
            out->u[(size_t)(k * out->every + s) * nu + e] = value;
    }
    return TAC_OK;
}

/* The name of the column that measures entry i of the state, or NULL. */
static const char *state_column(const Reader *r, int i) {
    for (int k = 0; k < r->options->ncolumn; k++)
        if (r->options->columns[k].kind == TAC_COLUMN_STATE && r->options->columns[k].entry == i)
            return r->options->columns[k].name;
    return NULL;
}

/* Quaternions of one frame: their norm is 1, to rounding. */
static tacStatus check_quaternion(Reader *r, int row, int first) {
    double *q = r->out->x + (size_t)row * (size_t)tac_nx(r->model) + first;
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const char *name = state_column(r, first);
    if (name == NULL || isnan(norm)) return TAC_OK;
    if (!(fabs(norm - 1) <= OFF_LENGTH))
        return tac_fail(r->err, TAC_ERR_ARGUMENT,
                        "%s:%d: column \"%s\": the quaternion that begins there has the norm %.6g, expected 1", r->path,
                        r->csv.line[row], name, norm);
    for (int i = 0; i < 4; i++)
        q[i] /= norm;
    return TAC_OK;
}

static tacStatus check_quaternions(Reader *r) {
    const tacModel *m = r->model;
    for (int j = 0; j < m->njnt; j++) {
        int type = m->joint_type[j], first = m->joint_qpos_adr[j] + (type == TAC_JOINT_FREE ? 3 : 0);
        if (type != TAC_JOINT_FREE && type != TAC_JOINT_BALL) continue;
        for (int k = 0; k < r->out->frames; k++)
            TAC_TRY(check_quaternion(r, k, first));
    }
    return TAC_OK;
}

/* --- Velocities of positions -------------------------------------------------------------------------------------- */

static int has_velocities(const Reader *r) {
    for (int i = 0; i < r->model->nv; i++)
        if (state_column(r, r->model->nq + i) != NULL) return 1;
    return 0;
}

/* The velocity at a frame is the difference of positions over the steps that end there. */
static void differ(Reader *r) {
    tacRecording *out = r->out;
    size_t nx = (size_t)tac_nx(r->model), nq = (size_t)r->model->nq, u = (size_t)tac_ninput(r->model, r->step);
    double time = r->step->dt * out->every;
    for (size_t k = 1; k < (size_t)out->frames; k++) {
        double *v = out->x + k * nx + nq;
        tac_qpos_sub(r->model, out->x + k * nx, out->x + (k - 1) * nx, v);
        for (int i = 0; i < r->model->nv; i++)
            v[i] /= time;
    }
    out->frames--;
    memmove(out->x, out->x + nx, (size_t)out->frames * nx * sizeof(double));
    memmove(out->z, out->z + out->nz, (size_t)(out->frames * out->nz) * sizeof(double));
    memmove(out->u, out->u + (size_t)out->every * u, (size_t)(out->frames * out->every) * u * sizeof(double));
}

/* --- All of it ---------------------------------------------------------------------------------------------------- */

static tacStatus read_numbers(Reader *r) {
    tacRecording *out = r->out;
    TAC_TRY(find_columns(r));
    TAC_TRY(read_times(r));
    TAC_TRY(make_room(r));
    for (int i = 0; i < r->options->ncolumn; i++)
        TAC_TRY(read_column(r, i));
    TAC_TRY(check_quaternions(r));
    if (!has_velocities(r)) differ(r);
    if (out->frames < 2)
        return tac_fail(r->err, TAC_ERR_SHAPE, "%s: found two rows, expected three: velocities are differences",
                        r->path);
    size_t nx = (size_t)tac_nx(r->model), n = (size_t)out->frames, steps = (n - 1) * (size_t)out->every;
    out->hash = tac_hash(out->x, n * nx * sizeof(double), 0);
    out->hash = tac_hash(out->z, n * (size_t)out->nz * sizeof(double), out->hash);
    out->hash = tac_hash(out->u, steps * (size_t)tac_ninput(r->model, r->step) * sizeof(double), out->hash);
    return TAC_OK;
}

static tacStatus read_recording(Reader *r) {
    tacRecording *out = r->out;
    TAC_TRY(check_options(r));
    r->column = calloc((size_t)r->options->ncolumn + 1, sizeof *r->column);
    out->name = malloc(strlen(r->path) + 1);
    if (out->name == NULL || r->column == NULL) return tac_fail(r->err, TAC_ERR_MEMORY, "%s: no memory", r->path);
    strcpy(out->name, r->path);
    TAC_TRY(tac_csv_read(r->path, is_taken, r->options, &r->csv, r->err));
    return read_numbers(r);
}

tacStatus tac_recording_load(const tacModel *model, const tacOptions *step, const char *path,
                             const tacRecordingOptions *options, tacRecording **recording, tacError *err) {
    if (model == NULL || step == NULL || path == NULL || options == NULL || recording == NULL ||
        options->cookie != RECORDING_COOKIE || options->time == NULL || options->noutput < 0 || options->ncolumn < 0)
        return tac_fail(err, TAC_ERR_ARGUMENT,
                        "expected a model, options of the step, a path, and options of tac_default_recording_options");
    *recording = NULL;
    Reader reader = {.model = model, .step = step, .path = path, .options = options, .err = err};
    reader.out = calloc(1, sizeof *reader.out);
    if (reader.out == NULL) return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory", path);
    tacStatus status = read_recording(&reader);
    tac_csv_free(&reader.csv);
    free(reader.column);
    if (status != TAC_OK) {
        tac_recording_free(reader.out);
        return status;
    }
    *recording = reader.out;
    return TAC_OK;
}
