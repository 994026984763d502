#include "cli/input/state_file.h"

#include "cli/cli.h"
#include "cli/input/json.h"
#include "cli/input/project_start.h"
#include "measure/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const tacArg CLI_STATE_OPTIONS[] = {
    {"--state", NULL, TAC_ARG_TEXT, offsetof(tacStateArgs, state), "FILE",
     "initial state, JSON: qpos qvel act ctrl mocap_pos mocap_quat qfrc_applied xfrc_applied; missing fields keep "
     "their defaults"},
    {"--key", NULL, TAC_ARG_TEXT, offsetof(tacStateArgs, key), "NAME", "start from a keyframe, by name or number"},
    {"--project", NULL, TAC_ARG_FLAG, offsetof(tacStateArgs, project), NULL,
     "project the initial state: close loops, separate overlapping geoms, move joints into range"},
    {0},
};

/* One field of a state file: `count` numbers, written as items of `width` numbers, `stride` apart from `out` on. */
typedef struct tacSlot {
    const char *name;
    double *out;
    int count, width, stride;
    unsigned input; /* TAC_INPUT_* bit it lives in; 0: always there */
} tacSlot;

enum { SLOTS = 8, LABEL = 96 };

/* u always has every block while it is read; cli_start_load then drops the unused ones. */
static void make_slots(const tacModel *m, double *x, double *u, tacSlot slot[SLOTS]) {
    double *qfrc = u + m->nu, *xfrc = qfrc + m->nv, *mocap = xfrc + 6 * m->nbody;
    const tacSlot slots[SLOTS] = {
        {"qpos", x, m->nq, 1, 1, 0},
        {"qvel", x + m->nq, m->nv, 1, 1, 0},
        {"act", x + m->nq + m->nv, m->na, 1, 1, 0},
        {"ctrl", u, m->nu, 1, 1, 0},
        {"mocap_pos", mocap, 3 * m->nmocap, 3, TAC_POSE_SIZE, TAC_INPUT_MOCAP},
        {"mocap_quat", mocap + 3, 4 * m->nmocap, 4, TAC_POSE_SIZE, TAC_INPUT_MOCAP},
        {"qfrc_applied", qfrc, m->nv, 1, 1, TAC_INPUT_QFRC},
        {"xfrc_applied", xfrc, 6 * m->nbody, 1, 1, TAC_INPUT_XFRC},
    };
    memcpy(slot, slots, sizeof slots);
}

static void fill_slot(const tacSlot *slot, const double *values) {
    for (int i = 0; i < slot->count; i++)
        slot->out[i / slot->width * slot->stride + i % slot->width] = values[i];
}

static int read_slot(const char *verb, const char *path, const tacSlot *slot, const json_t *list) {
    int n = json_is_array(list) ? cli_json_count(list) : -1;
    if (n < 0) return cli_fail(verb, "%s: \"%s\" must be a list of numbers", path, slot->name);
    if (n != slot->count)
        return cli_fail(verb, "%s: \"%s\" has %d numbers, expected %d", path, slot->name, n, slot->count);
    if (n == 0) return CLI_GO_ON;
    double *values = malloc((size_t)n * sizeof *values);
    if (values == NULL) return cli_fail(verb, "out of memory");
    cli_json_flatten(list, values);
    fill_slot(slot, values);
    free(values);
    return CLI_GO_ON;
}

static int unknown_field(const char *verb, const char *path, const char *name) {
    return cli_fail(
        verb, "%s: unknown field \"%s\", expected qpos qvel act ctrl mocap_pos mocap_quat qfrc_applied xfrc_applied",
        path, name);
}

static int read_fields(const char *verb, const char *path, const json_t *root, const tacSlot slot[SLOTS],
                       unsigned *inputs) {
    const char *name;
    json_t *list;
    if (!json_is_object(root)) return cli_fail(verb, "%s: expected an object {\"qpos\": [...], ...}", path);
    json_object_foreach((json_t *)root, name, list) {
        int s = 0;
        while (s < SLOTS && strcmp(slot[s].name, name) != 0)
            s++;
        if (s == SLOTS) return unknown_field(verb, path, name);
        int result = read_slot(verb, path, &slot[s], list);
        if (result != CLI_GO_ON) return result;
        *inputs |= slot[s].input;
    }
    return CLI_GO_ON;
}

static int read_state(const char *verb, const char *path, const tacSlot slot[SLOTS], unsigned *inputs) {
    json_t *root = cli_json_read(verb, path);
    if (root == NULL) return CLI_CANNOT;
    int result = read_fields(verb, path, root, slot, inputs);
    json_decref(root);
    return result;
}

/* A keyframe by name, or by number where no keyframe has that name. */
static int find_key(const tacModel *model, const char *text) {
    int id = tac_model_find(model, TAC_KIND_KEY, text);
    double number;
    if (id >= 0) return id;
    return cli_number(text, &number) && number >= 0 && number < model->nkey && number == (int)number ? (int)number : -1;
}

static int read_key(const char *verb, const tacModel *m, const tacOptions *options, const char *text, tacStart *start) {
    tacError err;
    if (tac_key_state(m, options, find_key(m, text), start->x, start->u, &err) != TAC_OK)
        return cli_fail(verb, "--key %s: %s", text, err.text);
    if (m->nmocap > 0) start->inputs |= TAC_INPUT_MOCAP;
    return CLI_GO_ON;
}

/* Puts the mocap bodies of the model where the state has them: energies, bias forces and the like take no input, and
 * what hangs on a mocap body must be seen where it is. The pose stands for the whole run. */
static int pose_mocap(const char *verb, tacModel *m, const double *mocap) {
    char name[LABEL];
    for (int i = 0; i < m->nmocap; i++) {
        const double *p = mocap + TAC_POSE_SIZE * i, *q = p + 3;
        double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (!(norm > 0) || !isfinite(norm))
            return cli_fail(verb, "\"mocap_quat\" of mocap body %s has no valid length, expected a rotation",
                            tac_model_label(m, TAC_KIND_BODY, m->mocap_body[i], name, sizeof name));
        m->body_pos[m->mocap_body[i]] = (tacVec3){p[0], p[1], p[2]};
        m->body_quat[m->mocap_body[i]] = (tacQuat){q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm};
    }
    return CLI_GO_ON;
}

/* Moves the blocks that are used together: [ctrl | qfrc | xfrc | mocap] -> those of `inputs`. */
static void drop_blocks(const tacModel *m, unsigned inputs, double *u) {
    const struct {
        unsigned bit;
        int size;
    } block[] = {{TAC_INPUT_QFRC, m->nv}, {TAC_INPUT_XFRC, 6 * m->nbody}, {TAC_INPUT_MOCAP, TAC_POSE_SIZE * m->nmocap}};
    double *from = u + m->nu, *to = from;
    for (int i = 0; i < 3; i++) {
        if (inputs & block[i].bit) {
            memmove(to, from, (size_t)block[i].size * sizeof *to);
            to += block[i].size;
        }
        from += block[i].size;
    }
}

static int read_start(const char *verb, tacModel *model, const tacStateArgs *args, const tacOptions *options,
                      tacStart *start) {
    tacSlot slot[SLOTS];
    int result = CLI_GO_ON;
    make_slots(model, start->x, start->u, slot);
    if (args->key != NULL) result = read_key(verb, model, options, args->key, start);
    if (result == CLI_GO_ON && args->state != NULL) result = read_state(verb, args->state, slot, &start->inputs);
    if (result == CLI_GO_ON && start->inputs & TAC_INPUT_MOCAP) result = pose_mocap(verb, model, slot[4].out);
    return result;
}

int cli_start_load(const char *verb, tacModel *model, const tacStateArgs *args, tacOptions *options, tacStart *start) {
    options->inputs = TAC_INPUT_QFRC | TAC_INPUT_XFRC | TAC_INPUT_MOCAP;
    size_t nx = (size_t)tac_nx(model), nu = (size_t)tac_ninput(model, options);
    *start = (tacStart){.x = calloc(nx + 1, sizeof(double)), .u = calloc(nu + 1, sizeof(double))};
    if (start->x == NULL || start->u == NULL) {
        cli_start_free(start);
        return cli_fail(verb, "out of memory");
    }
    tac_default_state(model, start->x);
    tac_default_input(model, options, start->u);
    int result = read_start(verb, model, args, options, start);
    if (result != CLI_GO_ON) {
        cli_start_free(start);
        return result;
    }
    options->inputs = start->inputs;
    drop_blocks(model, start->inputs, start->u);
    if (args->project) result = cli_project_start(verb, model, options, start->x, start->u);
    if (result != CLI_GO_ON) cli_start_free(start);
    return result;
}

void cli_start_free(tacStart *start) {
    free(start->x);
    free(start->u);
    *start = (tacStart){0};
}
