/* tactus info MODEL: what is in the file, as the model has it. */
#include "cli/cli.h"
#include "cli/input/model_file.h"
#include "cli/report/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 64, PARAMETER_PATH = 256 };

typedef struct tacInfoArgs {
    int json, params;
} tacInfoArgs;

static const tacArg INFO_OPTIONS[] = {
    {"--json", NULL, TAC_ARG_FLAG, offsetof(tacInfoArgs, json), NULL, "print JSON"},
    {"--params", NULL, TAC_ARG_FLAG, offsetof(tacInfoArgs, params), NULL,
     "list every parameter with its path and value"},
    {0},
};

static const char *const SUMMARY =
    "Prints the sizes, names and masses of a model, what the loader ignored, and its warnings.";

static double total_mass(const tacModel *m) {
    double mass = 0;
    for (int i = 0; i < m->nbody; i++)
        mass += m->body_mass[i];
    return mass;
}

/* --- for programs ------------------------------------------------------------------------------------------------ */

static json_t *bodies_json(tacJson *json, const tacModel *m) {
    json_t *list = json_array();
    for (int i = 0; i < m->nbody; i++) {
        json_t *body = json_object();
        json_object_set_new(body, "name", measure_json_name(m, TAC_KIND_BODY, i));
        json_object_set_new(body, "parent", json_integer(m->body_parent[i]));
        json_object_set_new(body, "mass", measure_json_number(json, "bodies.mass", m->body_mass[i]));
        json_object_set_new(body, "ipos", measure_json_vec3(json, "bodies.ipos", m->body_ipos[i]));
        json_object_set_new(body, "iquat", measure_json_quat(json, "bodies.iquat", m->body_iquat[i]));
        json_object_set_new(body, "inertia", measure_json_vec3(json, "bodies.inertia", m->body_inertia[i]));
        json_array_append_new(list, body);
    }
    return list;
}

static json_t *joints_json(tacJson *json, const tacModel *m) {
    json_t *list = json_array();
    for (int i = 0; i < m->njnt; i++) {
        json_t *joint = json_object();
        json_object_set_new(joint, "name", measure_json_name(m, TAC_KIND_JOINT, i));
        json_object_set_new(joint, "type", json_string(cli_joint_type(m->joint_type[i])));
        json_object_set_new(joint, "range", measure_json_numbers(json, "joints.range", 2, m->joint_range + 2 * i));
        json_object_set_new(joint, "limited", json_boolean(m->joint_limited[i]));
        json_object_set_new(joint, "body", json_integer(m->joint_body[i]));
        json_object_set_new(joint, "qpos", json_integer(m->joint_qpos_adr[i]));
        json_object_set_new(joint, "dof", json_integer(m->joint_dof_adr[i]));
        json_array_append_new(list, joint);
    }
    return list;
}

static json_t *geoms_json(tacJson *json, const tacModel *m) {
    json_t *list = json_array();
    for (int i = 0; i < m->ngeom; i++) {
        json_t *geom = json_object();
        json_object_set_new(geom, "name", measure_json_name(m, TAC_KIND_GEOM, i));
        json_object_set_new(geom, "type", json_string(cli_geom_type(m->geom_type[i])));
        json_object_set_new(geom, "body", json_integer(m->geom_body[i]));
        json_object_set_new(geom, "size", measure_json_numbers(json, "geoms.size", 3, m->geom_size + 3 * i));
        json_object_set_new(geom, "visual", json_boolean(m->geom_visual[i]));
        json_array_append_new(list, geom);
    }
    return list;
}

static json_t *actuators_json(tacJson *json, const tacModel *m) {
    json_t *list = json_array();
    for (int i = 0; i < m->nu; i++) {
        json_t *actuator = json_object();
        json_object_set_new(actuator, "name", measure_json_name(m, TAC_KIND_ACTUATOR, i));
        json_object_set_new(actuator, "transmission", json_string(cli_transmission(m->actuator_trntype[i])));
        json_object_set_new(actuator, "ctrllimited", json_boolean(m->actuator_ctrllimited[i]));
        json_object_set_new(actuator, "ctrlrange",
                            measure_json_numbers(json, "actuators.ctrlrange", 2, m->actuator_ctrlrange + 2 * i));
        json_object_set_new(actuator, "inert", json_boolean(m->actuator_without_force[i]));
        json_array_append_new(list, actuator);
    }
    return list;
}

static json_t *names_json(const tacModel *m, tacKind kind) {
    json_t *list = json_array();
    for (int i = 0; i < tac_model_count(m, kind); i++)
        json_array_append_new(list, measure_json_name(m, kind, i));
    return list;
}

static json_t *lines_json(const tacReport *report, int n, const char *(*line)(const tacReport *, int)) {
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, measure_json_text(line(report, i)));
    return list;
}

static json_t *params_json(tacJson *json, const tacModel *m) {
    json_t *object = json_object();
    for (int i = 0; i < tac_param_count(m); i++) {
        char path[PARAMETER_PATH];
        double value;
        if (tac_param_path(m, i, path, sizeof path) != TAC_OK || tac_param_get(m, path, &value, NULL) != TAC_OK)
            continue;
        json_object_set_new(object, path, measure_json_number(json, path, value));
    }
    return object;
}

static void put_sizes(tacJson *json, const tacModel *m) {
    const struct {
        const char *key;
        int value;
    } size[] = {{"nq", m->nq},       {"nv", m->nv},           {"nu", m->nu},           {"na", m->na},
                {"nbody", m->nbody}, {"ngeom", m->ngeom},     {"njnt", m->njnt},       {"nsite", m->nsite},
                {"nmesh", m->nmesh}, {"ntendon", m->ntendon}, {"neq", m->neq},         {"npair", m->npair},
                {"nkey", m->nkey},   {"nmocap", m->nmocap},   {"nsensor", m->nsensor}, {"nexclude", m->nexclude}};
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++)
        measure_json_put_count(json, size[i].key, size[i].value);
}

static int print_json(const tacModelFile *file, const tacInfoArgs *args) {
    const tacModel *m = file->model;
    tacJson json = measure_json_begin();
    put_sizes(&json, m);
    measure_json_put(&json, "mass", measure_json_number(&json, "mass", total_mass(m)));
    measure_json_put(&json, "timestep", measure_json_number(&json, "timestep", *m->option_timestep));
    measure_json_put(&json, "gravity", measure_json_vec3(&json, "gravity", *m->option_gravity));
    measure_json_put(&json, "bodies", bodies_json(&json, m));
    measure_json_put(&json, "joints", joints_json(&json, m));
    measure_json_put(&json, "geoms", geoms_json(&json, m));
    measure_json_put(&json, "sites", names_json(m, TAC_KIND_SITE));
    measure_json_put(&json, "actuators", actuators_json(&json, m));
    measure_json_put(&json, "tendons", names_json(m, TAC_KIND_TENDON));
    measure_json_put(&json, "keys", names_json(m, TAC_KIND_KEY));
    measure_json_put(&json, "sensors", names_json(m, TAC_KIND_SENSOR));
    measure_json_put(&json, "ignored",
                     lines_json(file->report, tac_report_ignored_count(file->report), tac_report_ignored));
    measure_json_put(&json, "warnings",
                     lines_json(file->report, tac_report_warning_count(file->report), tac_report_warning));
    if (args->params) measure_json_put(&json, "params", params_json(&json, m));
    int code = cli_json_print("info", &json, CLI_FINE);
    measure_json_free(&json);
    return code;
}

/* --- for people -------------------------------------------------------------------------------------------------- */

/* Width of a column of names: the longest of them, within reason. */
static int name_width(const tacModel *m, tacKind kind) {
    char text[LABEL];
    size_t widest = 4;
    for (int i = 0; i < tac_model_count(m, kind); i++) {
        size_t n = strlen(cli_label(m, kind, i, text, sizeof text));
        if (n > widest) widest = n;
    }
    return (int)widest;
}

static void print_bodies(const tacModel *m) {
    char name[LABEL], parent[LABEL];
    int width = name_width(m, TAC_KIND_BODY);
    printf("\nbodies%*s  %-*s %11s  joints\n", width - 4, "", width, "parent", "mass, kg");
    for (int i = 1; i < m->nbody; i++) {
        printf("  %-*s  %-*s %11.6g ", width, cli_label(m, TAC_KIND_BODY, i, name, sizeof name), width,
               cli_label(m, TAC_KIND_BODY, m->body_parent[i], parent, sizeof parent), m->body_mass[i]);
        for (int j = 0; j < m->body_joint_num[i]; j++)
            printf(" %s", cli_joint_type(m->joint_type[m->body_joint_adr[i] + j]));
        printf("%s\n", m->body_mocap[i] >= 0 ? " mocap" : "");
    }
}

static void print_joints(const tacModel *m) {
    char name[LABEL];
    int width = name_width(m, TAC_KIND_JOINT);
    if (m->njnt > 0) printf("\njoints%*s  type   range\n", width - 4, "");
    for (int i = 0; i < m->njnt; i++) {
        printf("  %-*s  %-6s", width, cli_label(m, TAC_KIND_JOINT, i, name, sizeof name),
               cli_joint_type(m->joint_type[i]));
        if (m->joint_limited[i])
            printf(" %.4g to %.4g%s\n", m->joint_range[2 * i], m->joint_range[2 * i + 1],
                   m->joint_type[i] == TAC_JOINT_SLIDE ? " m" : " rad");
        else
            printf(" -\n");
    }
}

static void print_actuators(const tacModel *m) {
    char name[LABEL];
    int width = name_width(m, TAC_KIND_ACTUATOR);
    if (m->nu > 0) printf("\nactuators%*s  drives         control\n", width > 7 ? width - 7 : 0, "");
    for (int i = 0; i < m->nu; i++) {
        printf("  %-*s  %-13s ", width > 7 ? width : 7, cli_label(m, TAC_KIND_ACTUATOR, i, name, sizeof name),
               cli_transmission(m->actuator_trntype[i]));
        if (m->actuator_ctrllimited[i])
            printf(" %.4g to %.4g", m->actuator_ctrlrange[2 * i], m->actuator_ctrlrange[2 * i + 1]);
        else
            printf(" -");
        printf("%s\n", m->actuator_without_force[i] ? "  (gives no force)" : "");
    }
}

/* Geoms by type: "4 capsule, 1 plane". */
static void print_geoms(const tacModel *m) {
    int seen = 0;
    printf("  geoms      %d", m->ngeom);
    for (int type = TAC_GEOM_PLANE; type < TAC_GEOM_TYPES; type++) {
        int count = 0;
        for (int i = 0; i < m->ngeom; i++)
            count += m->geom_type[i] == type;
        if (count > 0) printf("%s%d %s", seen++ == 0 ? " (" : ", ", count, cli_geom_type(type));
    }
    printf(seen > 0 ? ")\n" : "\n");
}

static void print_list(const char *title, const tacReport *report, int n, const char *(*line)(const tacReport *, int)) {
    if (n > 0) printf("\n%s\n", title);
    for (int i = 0; i < n; i++)
        printf("  %s\n", line(report, i));
}

static void print_params(const tacModel *m) {
    printf("\nparameters\n");
    for (int i = 0; i < tac_param_count(m); i++) {
        char path[PARAMETER_PATH];
        double value;
        if (tac_param_path(m, i, path, sizeof path) != TAC_OK || tac_param_get(m, path, &value, NULL) != TAC_OK)
            continue;
        if (isfinite(value)) printf("  %-40s %.17g\n", path, value);
    }
}

/* By the names that --key takes. */
static void print_keys(const tacModel *m) {
    char name[PARAMETER_PATH];
    if (m->nkey == 0) return;
    printf("  keyframes  %d:", m->nkey);
    for (int k = 0; k < m->nkey; k++)
        printf("%s%s", k > 0 ? ", " : " ", cli_label(m, TAC_KIND_KEY, k, name, sizeof name));
    printf("\n");
}

static int print_text(const char *path, const tacModelFile *file, const tacInfoArgs *args) {
    const tacModel *m = file->model;
    printf("%s\n", path);
    printf("  mass       %.6g kg\n", total_mass(m));
    printf("  bodies     %d (including the world)\n", m->nbody);
    printf("  joints     %d: %d coordinates, %d degrees of freedom\n", m->njnt, m->nq, m->nv);
    printf("  actuators  %d, with %d activation states\n", m->nu, m->na);
    print_geoms(m);
    if (m->nsite > 0) printf("  sites      %d\n", m->nsite);
    if (m->nmesh > 0) printf("  meshes     %d: %d vertices, %d triangles\n", m->nmesh, m->nmeshvert, m->nmeshface);
    if (m->ntendon > 0) printf("  tendons    %d\n", m->ntendon);
    if (m->neq > 0) printf("  equalities %d\n", m->neq);
    print_keys(m);
    printf("  timestep   %g s\n", *m->option_timestep);
    print_bodies(m);
    print_joints(m);
    print_actuators(m);
    print_list("ignored (no effect on the motion)", file->report, tac_report_ignored_count(file->report),
               tac_report_ignored);
    print_list("warnings", file->report, tac_report_warning_count(file->report), tac_report_warning);
    if (args->params) print_params(m);
    return CLI_FINE;
}

int cmd_info(int argc, char **argv) {
    tacInfoArgs own = {0};
    tacModelArgs model = {0};
    tacArgGroup groups[] = {{"options", INFO_OPTIONS, &own}, {"model options", CLI_MODEL_OPTIONS, &model}};
    tacArgs args = cli_model_verb("info", SUMMARY, groups, 2, &model);
    tacModelFile file;
    int result = cli_parse(&args, argc, argv);
    if (result == CLI_GO_ON) result = cli_model_load("info", &model, &file);
    if (result != CLI_GO_ON) return result;
    result = own.json ? print_json(&file, &own) : print_text(model.path, &file, &own);
    cli_model_close(&file);
    return result;
}
