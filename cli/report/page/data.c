#include "cli/report/page/data.h"

#include "cli/cli.h"
#include "cli/input/model_file.h"
#include "cli/input/stepping.h"
#include "cli/report/page/base64.h"
#include "measure/memory.h"

#include <math.h>
#include <stdlib.h>

enum { LABEL = 128, COLUMN = 192, POSE = 7 };

/* A base64 text as a JSON string; takes the text over. */
static json_t *own_text(char *text) {
    if (text == NULL) measure_memory_ran_out();
    json_t *string = json_string(text != NULL ? text : "");
    free(text);
    return string;
}

static json_t *label_json(const tacModel *m, tacKind kind, int id) {
    char label[LABEL];
    return measure_json_text(cli_label(m, kind, id, label, sizeof label));
}

/* --- the model ---------------------------------------------------------------------------------------------------- */

static json_t *bodies_json(tacJson *json, const tacModel *m) {
    json_t *list = json_array();
    for (int i = 0; i < m->nbody; i++) {
        json_t *body = json_object();
        json_object_set_new(body, "name", label_json(m, TAC_KIND_BODY, i));
        json_object_set_new(body, "parent", json_integer(m->body_parent[i]));
        json_object_set_new(body, "mass", measure_json_number(json, "bodies.mass", m->body_mass[i]));
        json_array_append_new(list, body);
    }
    return list;
}

static json_t *joints_json(tacJson *json, const tacModel *m) {
    json_t *list = json_array();
    for (int i = 0; i < m->njnt; i++) {
        json_t *joint = json_object();
        json_object_set_new(joint, "name", label_json(m, TAC_KIND_JOINT, i));
        json_object_set_new(joint, "type", json_string(cli_joint_type(m->joint_type[i])));
        json_object_set_new(joint, "body", json_integer(m->joint_body[i]));
        if (m->joint_limited[i])
            json_object_set_new(joint, "range", measure_json_numbers(json, "joints.range", 2, m->joint_range + 2 * i));
        json_array_append_new(list, joint);
    }
    return list;
}

static json_t *actuators_json(tacJson *json, const tacModel *m) {
    json_t *list = json_array();
    for (int i = 0; i < m->nu; i++) {
        json_t *actuator = json_object();
        json_object_set_new(actuator, "name", label_json(m, TAC_KIND_ACTUATOR, i));
        json_object_set_new(actuator, "drives", json_string(cli_transmission(m->actuator_trntype[i])));
        if (m->actuator_ctrllimited[i])
            json_object_set_new(actuator, "range",
                                measure_json_numbers(json, "actuators.ctrlrange", 2, m->actuator_ctrlrange + 2 * i));
        json_array_append_new(list, actuator);
    }
    return list;
}

static json_t *geoms_json(tacJson *json, const tacModel *m) {
    json_t *list = json_array();
    for (int i = 0; i < m->ngeom; i++) {
        const float *c = m->geom_rgba + 4 * i;
        const double rgba[4] = {(double)c[0], (double)c[1], (double)c[2], (double)c[3]};
        json_t *geom = json_object();
        json_object_set_new(geom, "body", json_integer(m->geom_body[i]));
        json_object_set_new(geom, "type", json_string(cli_geom_type(m->geom_type[i])));
        json_object_set_new(geom, "size", measure_json_numbers(json, "geoms.size", 3, m->geom_size + 3 * i));
        json_object_set_new(geom, "pos", measure_json_vec3(json, "geoms.pos", m->geom_pos[i]));
        json_object_set_new(geom, "quat", measure_json_quat(json, "geoms.quat", m->geom_quat[i]));
        json_object_set_new(geom, "rgba", measure_json_numbers(json, "geoms.rgba", 4, rgba));
        json_object_set_new(geom, "group", json_integer(m->geom_group[i]));
        json_object_set_new(geom, "collides", json_boolean(m->geom_contype[i] != 0 || m->geom_conaffinity[i] != 0));
        json_object_set_new(geom, "mesh", json_integer(m->geom_mesh[i]));
        json_array_append_new(list, geom);
    }
    return list;
}

static json_t *meshes_json(const tacModel *m) {
    json_t *list = json_array();
    for (int i = 0; i < m->nmesh; i++) {
        const tacVec3 *vert = m->mesh_vert + m->mesh_vert_adr[i];
        const int *face = m->mesh_face + 3 * m->mesh_face_adr[i];
        json_t *mesh = json_object();
        json_object_set_new(mesh, "vert", own_text(cli_base64_floats(3 * (size_t)m->mesh_vert_num[i], &vert->x)));
        json_object_set_new(mesh, "face", own_text(cli_base64_ints(3 * (size_t)m->mesh_face_num[i], face)));
        json_array_append_new(list, mesh);
    }
    return list;
}

static json_t *model_json(tacJson *json, const tacModel *m) {
    json_t *object = json_object();
    json_object_set_new(object, "nq", json_integer(m->nq));
    json_object_set_new(object, "nv", json_integer(m->nv));
    json_object_set_new(object, "nu", json_integer(m->nu));
    json_object_set_new(object, "gravity", measure_json_vec3(json, "gravity", *m->option_gravity));
    json_object_set_new(object, "bodies", bodies_json(json, m));
    json_object_set_new(object, "joints", joints_json(json, m));
    json_object_set_new(object, "actuators", actuators_json(json, m));
    json_object_set_new(object, "geoms", geoms_json(json, m));
    json_object_set_new(object, "meshes", meshes_json(m));
    return object;
}

/* --- the motion --------------------------------------------------------------------------------------------------- */

/* World poses of all bodies at one frame: position(3), quaternion(4) each. */
static tacStatus frame_poses(tacSim *sim, const tacMotion *motion, int frame, tacKinematics *frames, double *pose) {
    tacStatus status = tac_kinematics(sim, cli_column_values(motion, TAC_COLUMN_QPOS, frame),
                                      cli_column_values(motion, TAC_COLUMN_CTRL, frame), frames);
    for (int i = 0; i < motion->model->nbody && status == TAC_OK; i++) {
        const tacVec3 p = frames->xpos[i];
        const tacQuat q = frames->xquat[i];
        const double numbers[POSE] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
        for (int k = 0; k < POSE; k++) {
            pose[i * POSE + k] = numbers[k];
            if (!isfinite(numbers[k])) status = TAC_ERR_NONFINITE;
        }
    }
    return status;
}

static tacStatus all_poses(const tacRun *run, const tacMotion *motion, double *pose) {
    size_t nbody = (size_t)run->model->nbody;
    tacKinematics frames = {.xpos = calloc(nbody, sizeof(tacVec3)), .xquat = calloc(nbody, sizeof(tacQuat))};
    tacSim *sim = NULL;
    tacStatus status = frames.xpos != NULL && frames.xquat != NULL ? TAC_OK : TAC_ERR_MEMORY;
    if (status == TAC_OK) status = tac_sim_new(run->model, &run->options, &sim, NULL);
    for (int f = 0; f < motion->nframe && status == TAC_OK; f++)
        status = frame_poses(sim, motion, f, &frames, pose + (size_t)f * nbody * POSE);
    if (sim != NULL) tac_sim_free(sim);
    free(frames.xpos);
    free(frames.xquat);
    return status;
}

/* {"names": [...], "values": base64 of nframe x n} */
static json_t *series_json(const tacMotion *motion, tacColumn kind) {
    int n = cli_column_count(motion->model, kind);
    size_t columns = (size_t)n, rows = (size_t)motion->nframe;
    json_t *series = json_object(), *names = json_array();
    double *values = calloc(rows * columns + 1, sizeof *values);
    for (int i = 0; i < n; i++) {
        char name[COLUMN];
        cli_column_name(motion->model, kind, i, name, sizeof name);
        json_array_append_new(names, measure_json_text(name + 5)); /* past "qpos:", "qvel:", "ctrl:" */
    }
    for (size_t f = 0; f < rows && values != NULL; f++)
        for (size_t i = 0; i < columns; i++)
            values[f * columns + i] = cli_column_values(motion, kind, (int)f)[i];
    json_object_set_new(series, "names", names);
    json_object_set_new(series, "values", own_text(values != NULL ? cli_base64_floats(rows * columns, values) : NULL));
    free(values);
    return series;
}

static json_t *motion_json(const tacMotion *motion, const double *pose) {
    size_t n = (size_t)motion->nframe;
    json_t *object = json_object();
    json_object_set_new(object, "frames", json_integer(motion->nframe));
    json_object_set_new(object, "time", own_text(cli_base64_floats(n, motion->time)));
    json_object_set_new(object, "kinetic", own_text(cli_base64_floats(n, motion->kinetic)));
    json_object_set_new(object, "potential", own_text(cli_base64_floats(n, motion->potential)));
    json_object_set_new(object, "pose", own_text(cli_base64_floats(n * (size_t)motion->model->nbody * POSE, pose)));
    json_object_set_new(object, "qpos", series_json(motion, TAC_COLUMN_QPOS));
    json_object_set_new(object, "qvel", series_json(motion, TAC_COLUMN_QVEL));
    json_object_set_new(object, "ctrl", series_json(motion, TAC_COLUMN_CTRL));
    return object;
}

static void put_run(tacJson *json, const tacPageText *text, const tacRun *run) {
    measure_json_put(json, "title", measure_json_text(text->title));
    measure_json_put(json, "command", measure_json_text(text->command));
    measure_json_put(json, "version", measure_json_text(tac_version()));
    measure_json_put(json, "status", measure_json_text(tac_status_text(cli_run_status(run))));
    measure_json_put(json, "complete", json_boolean(run->status == TAC_OK));
    measure_json_put_count(json, "unsolved", run->unsolved);
    measure_json_put(json, "infeasible", json_boolean(run->start != TAC_OK));
    measure_json_put(json, "contact", measure_json_text(tac_contact_text(run->options.contact)));
    measure_json_put(json, "integrator", measure_json_text(cli_integrator_word(&run->options)));
    measure_json_put(json, "dt", measure_json_number(json, "dt", run->options.dt));
    measure_json_put_count(json, "steps", run->done);
    measure_json_put(json, "seconds", measure_json_number(json, "seconds", run->seconds));
}

int cli_page_data(const char *verb, const tacPageText *text, const tacRun *run, const tacMotion *motion,
                  tacJson *json) {
    double *pose = calloc((size_t)motion->nframe * (size_t)run->model->nbody * POSE + 1, sizeof *pose);
    tacStatus status = pose != NULL ? all_poses(run, motion, pose) : TAC_ERR_MEMORY;
    if (status == TAC_OK) {
        put_run(json, text, run);
        measure_json_put(json, "model", model_json(json, run->model));
        measure_json_put(json, "motion", motion_json(motion, pose));
    }
    free(pose);
    return status == TAC_OK ? CLI_GO_ON : cli_fail(verb, "the page cannot be made: %s", tac_status_text(status));
}
