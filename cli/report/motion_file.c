#include "cli/report/motion_file.h"

#include "cli/cli.h"
#include "cli/input/project_start.h"
#include "cli/input/stepping.h"
#include "cli/report/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN = 192 };
/* A residual that is not finite is written as this. */
#define LARGEST 1e300

static const struct {
    tacColumn kind;
    const char *key;
} COLUMNS[] = {
    {TAC_COLUMN_QPOS, "qpos"}, {TAC_COLUMN_QVEL, "qvel"}, {TAC_COLUMN_ACT, "act"}, {TAC_COLUMN_CTRL, "ctrl"}};
enum { NCOLUMNS = sizeof COLUMNS / sizeof COLUMNS[0] };

tacMotionFormat cli_motion_format(const char *path) {
    const char *dot = strrchr(path, '.');
    if (dot == NULL) return TAC_MOTION_NONE;
    if (strcmp(dot, ".csv") == 0) return TAC_MOTION_CSV;
    if (strcmp(dot, ".json") == 0) return TAC_MOTION_JSON;
    return strcmp(dot, ".html") == 0 || strcmp(dot, ".htm") == 0 ? TAC_MOTION_HTML : TAC_MOTION_NONE;
}

/* The name of a geom, or its number: #3. */
static const char *geom_name(const tacModel *m, int geom, char text[COLUMN]) {
    const char *name = tac_model_name(m, TAC_KIND_GEOM, geom);
    if (name[0] != '\0') return name;
    snprintf(text, COLUMN, "#%d", geom);
    return text;
}

/* Columns of forces: force:GEOM1:GEOM2:normal, :friction1, :friction2. */
static void write_force_names(const tacModel *m, int n, const tacPairSum *pair, FILE *stream) {
    static const char *const PARTS[] = {"normal", "friction1", "friction2"};
    char one[COLUMN], two[COLUMN], name[3 * COLUMN];
    for (int i = 0; i < 3 * n; i++) {
        const int *geom = pair[i / 3].geom;
        snprintf(name, sizeof name, "force:%s:%s:%s", geom_name(m, geom[0], one), geom_name(m, geom[1], two),
                 PARTS[i % 3]);
        fputc(',', stream);
        cli_csv_name(stream, name);
    }
}

/* Pairs without a contact in the frame have zeros. */
static void write_forces(const tacForceList *frame, int n, const tacPairSum *pair, FILE *stream) {
    for (int i = 0; i < n; i++) {
        static const double NONE[3] = {0};
        const double *force = NONE;
        for (int k = 0; k < frame->npair; k++)
            if (memcmp(frame->pair[k].geom, pair[i].geom, sizeof pair[i].geom) == 0) force = frame->pair[k].force;
        cli_csv_numbers(stream, 3, force);
    }
}

static void write_frames(const tacMotion *motion, int npair, const tacPairSum *pair, FILE *stream) {
    for (int f = 0; f < motion->nframe; f++) {
        fprintf(stream, "%.17g", motion->time[f]);
        for (int c = 0; c < NCOLUMNS; c++)
            cli_csv_numbers(stream, cli_column_count(motion->model, COLUMNS[c].kind),
                            cli_column_values(motion, COLUMNS[c].kind, f));
        fprintf(stream, ",%.17g,%.17g", motion->kinetic[f], motion->potential[f]);
        if (npair > 0) write_forces(&motion->forces[f], npair, pair, stream);
        fputc('\n', stream);
    }
}

int cli_write_csv(const char *verb, const tacMotion *motion, FILE *stream) {
    const tacModel *m = motion->model;
    char name[COLUMN];
    tacPairSum *pair;
    int npair = cli_motion_pairs(motion, &pair);
    if (npair < 0) return cli_fail(verb, "out of memory");
    fputs("time", stream);
    for (int c = 0; c < NCOLUMNS; c++)
        for (int i = 0; i < cli_column_count(m, COLUMNS[c].kind); i++) {
            cli_column_name(m, COLUMNS[c].kind, i, name, sizeof name);
            fputc(',', stream);
            cli_csv_name(stream, name);
        }
    fputs(",kinetic,potential", stream);
    write_force_names(m, npair, pair, stream);
    fputc('\n', stream);
    write_frames(motion, npair, pair, stream);
    free(pair);
    return ferror(stream) ? cli_fail(verb, "cannot write the output") : CLI_GO_ON;
}

/* Total energy at the recorded frames. */
static json_t *energy_json(tacJson *json, const tacMotion *motion) {
    json_t *list = json_array();
    for (int i = 0; i < motion->nframe; i++)
        json_array_append_new(list, measure_json_number(json, "energy", motion->kinetic[i] + motion->potential[i]));
    return list;
}

static json_t *final_json(tacJson *json, const tacModel *m, const double *x) {
    json_t *object = json_object();
    json_object_set_new(object, "qpos", measure_json_numbers(json, "final.qpos", m->nq, x));
    json_object_set_new(object, "qvel", measure_json_numbers(json, "final.qvel", m->nv, x + m->nq));
    json_object_set_new(object, "act", measure_json_numbers(json, "final.act", m->na, x + m->nq + m->nv));
    return object;
}

/* Energy that no input gave: at the end, the most on the way, and whether it passed the bound. */
static void energy_watch_json(tacJson *json, const tacEnergyWatch *watch) {
    double gain = fmax(fmin(watch->gain, LARGEST), -LARGEST);
    measure_json_put(json, "energy_gain", measure_json_number(json, "energy_gain", gain));
    measure_json_put(json, "energy_gain_max", measure_json_number(json, "energy_gain_max", fmin(watch->most, LARGEST)));
    measure_json_put(json, "energy_gain_share",
                     measure_json_number(json, "energy_gain_share", fmin(watch->share, LARGEST)));
    measure_json_put(json, "energy_warning", json_boolean(watch->first >= 0));
    measure_json_put(json, "energy_warning_step", watch->first >= 0 ? json_integer(watch->first) : json_null());
}

void cli_run_json(tacJson *json, const tacRun *run, const tacMotion *motion) {
    measure_json_put(json, "status", measure_json_text(tac_status_text(cli_run_status(run))));
    measure_json_put(json, "contact", measure_json_text(tac_contact_text(run->options.contact)));
    measure_json_put(json, "integrator", measure_json_text(cli_integrator_word(&run->options)));
    measure_json_put_count(json, "steps", run->done);
    measure_json_put_count(json, "unsolved", run->unsolved);
    measure_json_put(json, "first_unsolved", run->unsolved > 0 ? json_integer(run->first_unsolved) : json_null());
    measure_json_put(json, "worst_residual",
                     measure_json_number(json, "worst_residual", fmin(run->worst_residual, LARGEST)));
    measure_json_put(json, "seconds", measure_json_number(json, "seconds", run->seconds));
    measure_json_put(json, "dt", measure_json_number(json, "dt", run->options.dt));
    measure_json_put(json, "time", measure_json_number(json, "time", (double)run->done * run->options.dt));
    measure_json_put(json, "final", final_json(json, run->model, run->x));
    measure_json_put(json, "penetration_max", measure_json_number(json, "penetration_max", run->penetration));
    cli_start_json(json, json->root, run->model, run->start, &run->violation);
    measure_json_put(json, "energy", energy_json(json, motion));
    energy_watch_json(json, &run->energy);
    measure_json_put_numbers(json, "kinetic", motion->nframe, motion->kinetic);
    measure_json_put_numbers(json, "potential", motion->nframe, motion->potential);
}

static json_t *column_names(const tacModel *m, tacColumn kind) {
    json_t *list = json_array();
    char name[COLUMN];
    for (int i = 0; i < cli_column_count(m, kind); i++) {
        cli_column_name(m, kind, i, name, sizeof name);
        json_array_append_new(list, measure_json_text(name));
    }
    return list;
}

static json_t *trajectory_json(tacJson *json, const tacMotion *motion) {
    json_t *trajectory = json_object(), *columns = json_object();
    json_object_set_new(trajectory, "time", measure_json_numbers(json, "time", motion->nframe, motion->time));
    for (int c = 0; c < NCOLUMNS; c++) {
        json_t *rows = json_array();
        for (int f = 0; f < motion->nframe; f++)
            json_array_append_new(rows, measure_json_numbers(json, COLUMNS[c].key,
                                                             cli_column_count(motion->model, COLUMNS[c].kind),
                                                             cli_column_values(motion, COLUMNS[c].kind, f)));
        json_object_set_new(trajectory, COLUMNS[c].key, rows);
        json_object_set_new(columns, COLUMNS[c].key, column_names(motion->model, COLUMNS[c].kind));
    }
    json_object_set_new(trajectory, "columns", columns);
    json_t *forces = json_array();
    for (int f = 0; motion->keep_forces && f < motion->nframe; f++)
        json_array_append_new(forces, cli_forces_json(json, motion->model, "trajectory.forces", &motion->forces[f]));
    json_object_set_new(trajectory, "forces", forces);
    return trajectory;
}

int cli_write_json(const char *verb, const tacRun *run, const tacMotion *motion, FILE *stream) {
    tacJson json = measure_json_begin();
    cli_run_json(&json, run, motion);
    measure_json_put(&json, "trajectory", trajectory_json(&json, motion));
    char *text = measure_json_dump(&json);
    int result = CLI_GO_ON;
    if (text == NULL)
        result = json.bad[0] != '\0' ? cli_fail(verb, "%s is not finite", json.bad) : cli_fail(verb, "out of memory");
    else if (fputs(text, stream) < 0 || fputc('\n', stream) < 0)
        result = cli_fail(verb, "cannot write the output");
    free(text);
    measure_json_free(&json);
    return result;
}
