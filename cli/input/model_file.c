#include "cli/input/model_file.h"

#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

enum { PATH_MAX_CHARS = 256 };

const tacArg CLI_MODEL_OPTIONS[] = {
    {"--lenient", NULL, TAC_ARG_FLAG, offsetof(tacModelArgs, lenient), NULL,
     "warn about unsupported elements instead of failing; they give no force"},
    {"--base", NULL, TAC_ARG_CHOICE, offsetof(tacModelArgs, base), "auto|fixed|floating",
     "URDF: weld the root link to the world (auto, fixed) or add a free joint"},
    {"--actuate", NULL, TAC_ARG_CHOICE, offsetof(tacModelArgs, actuate), "none|joints",
     "URDF: add a motor to every movable joint"},
    {"--allow-outside", NULL, TAC_ARG_FLAG, offsetof(tacModelArgs, allow_outside), NULL,
     "allow the model to open files outside its folder"},
    {"--package-dirs", NULL, TAC_ARG_TEXT, offsetof(tacModelArgs, package_dirs), "DIR:DIR",
     "URDF: folders searched for package://; default: the parent folders of the file"},
    {"--ground", NULL, TAC_ARG_FLAG, offsetof(tacModelArgs, ground), NULL,
     "add a floor at height 0: a plane of the world named ground, with a geom's default friction"},
    {"--set", NULL, TAC_ARG_LIST, offsetof(tacModelArgs, set), "PATH=VALUE",
     "set a parameter, e.g. body/torso.mass=3 or option.gravity[2]=0; may be repeated"},
    {0},
};

static int set_parameter(const char *verb, const char *text, tacModel *model) {
    char path[PATH_MAX_CHARS];
    const char *equals = strrchr(text, '=');
    double value;
    tacError err;
    if (equals == NULL || equals - text >= PATH_MAX_CHARS || !cli_number(equals + 1, &value))
        return cli_fail(verb, "--set: got \"%s\", expected PATH=VALUE with a finite number", text);
    snprintf(path, sizeof path, "%.*s", (int)(equals - text), text);
    if (tac_param_set(model, path, value, &err) != TAC_OK) return cli_fail(verb, "--set %s: %s", text, err.text);
    return CLI_GO_ON;
}

tacArgs cli_model_verb(const char *verb, const char *summary, const tacArgGroup *groups, int ngroup,
                       tacModelArgs *model) {
    return (tacArgs){.verb = verb,
                     .operands = "MODEL",
                     .summary = summary,
                     .groups = groups,
                     .ngroup = ngroup,
                     .operand = &model->path,
                     .min_operands = 1,
                     .max_operands = 1};
}

/* The model with a plane of the world at z = 0 more. */
static int add_ground(const char *verb, tacModelFile *file) {
    tacBuilder *b = NULL;
    tacModel *model = NULL;
    tacError err;
    tacGeomDef plane = tac_default_geom();
    plane.name = "ground";
    plane.type = TAC_GEOM_PLANE;
    plane.size[2] = 1;
    if (tac_model_find(file->model, TAC_KIND_GEOM, plane.name) >= 0)
        return cli_fail(verb, "--ground: the model has a geom \"%s\" already", plane.name);
    tacStatus status = tac_model_edit(file->model, &b, &err);
    if (status == TAC_OK) tac_model_add_geom(b, 0, &plane);
    if (status == TAC_OK) status = tac_model_finish(b, &model, &err);
    tac_builder_free(b);
    if (status != TAC_OK) return cli_fail(verb, "--ground: %s", err.text);
    tac_model_free(file->model);
    file->model = model;
    return CLI_GO_ON;
}

/* Applies the flags that change a loaded model. */
static int change_model(const char *verb, const tacModelArgs *args, tacModelFile *file) {
    int result = args->ground ? add_ground(verb, file) : CLI_GO_ON;
    for (int i = 0; i < args->set.count && result == CLI_GO_ON; i++)
        result = set_parameter(verb, args->set.item[i], file->model);
    return result;
}

int cli_model_load(const char *verb, const tacModelArgs *args, tacModelFile *file) {
    const tacBase bases[] = {TAC_BASE_AUTO, TAC_BASE_FIXED, TAC_BASE_FLOATING};
    tacLoadOptions options = tac_default_load_options();
    tacError err;
    options.lenient = args->lenient;
    options.allow_outside = args->allow_outside;
    options.base = bases[args->base];
    options.actuate_joints = args->actuate;
    options.package_dirs = args->package_dirs;
    *file = (tacModelFile){0};
    if (tac_load_with(args->path, &options, &file->model, &file->report, &err) != TAC_OK) {
        *file = (tacModelFile){0};
        return cli_fail(verb, "%s", err.text);
    }
    int result = change_model(verb, args, file);
    if (result != CLI_GO_ON) cli_model_close(file);
    return result;
}

void cli_model_close(tacModelFile *file) {
    if (file->model != NULL) tac_model_free(file->model);
    if (file->report != NULL) tac_report_free(file->report);
    *file = (tacModelFile){0};
}

void cli_model_print_warnings(const char *verb, const tacModelFile *file) {
    for (int i = 0; i < tac_report_warning_count(file->report); i++)
        fprintf(stderr, "tactus %s: warning: %s\n", verb, tac_report_warning(file->report, i));
}

const char *cli_joint_type(int type) {
    static const char *const words[] = {
        [TAC_JOINT_FREE] = "free", [TAC_JOINT_BALL] = "ball", [TAC_JOINT_SLIDE] = "slide", [TAC_JOINT_HINGE] = "hinge"};
    return type >= TAC_JOINT_FREE && type <= TAC_JOINT_HINGE ? words[type] : "unknown";
}

const char *cli_geom_type(int type) {
    static const char *const words[] = {
        [TAC_GEOM_PLANE] = "plane",     [TAC_GEOM_HFIELD] = "hfield",       [TAC_GEOM_SPHERE] = "sphere",
        [TAC_GEOM_CAPSULE] = "capsule", [TAC_GEOM_ELLIPSOID] = "ellipsoid", [TAC_GEOM_CYLINDER] = "cylinder",
        [TAC_GEOM_BOX] = "box",         [TAC_GEOM_MESH] = "mesh",           [TAC_GEOM_CONE] = "cone"};
    return type >= TAC_GEOM_PLANE && type < TAC_GEOM_TYPES ? words[type] : "unknown";
}

const char *cli_transmission(int type) {
    static const char *const words[] = {[TAC_TRN_JOINT] = "joint",
                                        [TAC_TRN_JOINT_IN_PARENT] = "jointinparent",
                                        [TAC_TRN_SLIDERCRANK] = "slidercrank",
                                        [TAC_TRN_TENDON] = "tendon",
                                        [TAC_TRN_SITE] = "site",
                                        [TAC_TRN_BODY] = "body"};
    return type >= TAC_TRN_JOINT && type <= TAC_TRN_BODY ? words[type] : "unknown";
}

/* An unnamed joint goes by its body, where that has no other. */
static int names_joint(const tacModel *m, tacKind kind, int id) {
    return kind == TAC_KIND_JOINT && m->body_joint_num[m->joint_body[id]] == 1;
}

const char *cli_label(const tacModel *model, tacKind kind, int id, char *text, size_t size) {
    const char *name = tac_model_name(model, kind, id);
    if (name[0] == '\0' && names_joint(model, kind, id))
        name = tac_model_name(model, TAC_KIND_BODY, model->joint_body[id]);
    int body = kind == TAC_KIND_GEOM ? model->geom_body[id] : kind == TAC_KIND_SITE ? model->site_body[id] : -1;
    const char *owner = body > 0 ? tac_model_name(model, TAC_KIND_BODY, body) : body == 0 ? "world" : "";
    if (name[0] != '\0')
        snprintf(text, size, "%s", name);
    else if (owner[0] != '\0')
        snprintf(text, size, "#%d of %s", id, owner);
    else
        snprintf(text, size, kind == TAC_KIND_BODY && id == 0 ? "world" : "#%d", id);
    return text;
}
