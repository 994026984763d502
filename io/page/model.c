/* The model, as much of it as is drawn or listed. */
#include "io/page/data.h"
#include "io/page/grown.h"

#include <stdio.h>

enum { LABEL = 160, JOINT_TYPES = TAC_JOINT_HINGE + 1, TRANSMISSIONS = TAC_TRN_BODY + 1 };

static const char *word_of(const char *const *words, int n, int i) { return i >= 0 && i < n ? words[i] : "unknown"; }

/* The element's name; that of a joint's body, where it has no other joint; else its number. */
static void put_label(tacText *out, const tacModel *m, tacKind kind, int id) {
    char number[LABEL];
    const char *name = tac_model_name(m, kind, id);
    if (name[0] == '\0' && kind == TAC_KIND_JOINT && m->body_joint_num[m->joint_body[id]] == 1)
        name = tac_model_name(m, TAC_KIND_BODY, m->joint_body[id]);
    snprintf(number, sizeof number, kind == TAC_KIND_BODY && id == 0 ? "world" : "#%d", id);
    tac_json_string(out, "name", name[0] != '\0' ? name : number);
}

static void put_bodies(tacText *out, const tacModel *m) {
    tac_json_open(out, "bodies", '[');
    for (int i = 0; i < m->nbody; i++) {
        tac_json_open(out, NULL, '{');
        put_label(out, m, TAC_KIND_BODY, i);
        tac_json_integer(out, "parent", m->body_parent[i]);
        tac_json_number(out, "mass", m->body_mass[i]);
        tac_json_vec3(out, "centre", m->body_ipos[i]);
        tac_json_close(out, '{');
    }
    tac_json_close(out, '[');
}

static void put_joints(tacText *out, const tacModel *m) {
    static const char *const types[] = {"free", "ball", "slide", "hinge"};
    tac_json_open(out, "joints", '[');
    for (int i = 0; i < m->njnt; i++) {
        tac_json_open(out, NULL, '{');
        put_label(out, m, TAC_KIND_JOINT, i);
        tac_json_string(out, "type", word_of(types, JOINT_TYPES, m->joint_type[i]));
        tac_json_integer(out, "body", m->joint_body[i]);
        tac_json_integer(out, "qpos", m->joint_qpos_adr[i]);
        tac_json_integer(out, "dof", m->joint_dof_adr[i]);
        tac_json_vec3(out, "pos", m->joint_pos[i]);
        tac_json_vec3(out, "axis", m->joint_axis[i]);
        if (m->joint_limited[i]) tac_json_numbers(out, "range", 2, m->joint_range + 2 * i);
        tac_json_close(out, '{');
    }
    tac_json_close(out, '[');
}

/* The unit of a control: of a motor without gear its force, of a servo without gear its target; "": another. */
static const char *control_unit(const tacModel *m, int i) {
    int type = m->actuator_trntype[i], joint = m->actuator_trnid[2 * i];
    const double *gain = m->actuator_gainprm + 10 * i, *bias = m->actuator_biasprm + 10 * i;
    if (type != TAC_TRN_JOINT || joint < 0 || joint >= m->njnt || m->actuator_gear[6 * i] != 1) return "";
    int slides = m->joint_type[joint] == TAC_JOINT_SLIDE;
    if (m->joint_type[joint] != TAC_JOINT_HINGE && !slides) return "";
    if (m->actuator_dyntype[i] != TAC_DYN_NONE || m->actuator_gaintype[i] != TAC_GAIN_FIXED) return "";
    if (m->actuator_biastype[i] == TAC_BIAS_NONE && gain[0] == 1) return slides ? "N" : "N m";
    if (m->actuator_biastype[i] == TAC_BIAS_AFFINE && bias[1] == -gain[0]) return slides ? "m" : "rad";
    return "";
}

static void put_actuators(tacText *out, const tacModel *m) {
    static const char *const words[] = {"joint", "jointinparent", "slidercrank", "tendon", "site", "body"};
    tac_json_open(out, "actuators", '[');
    for (int i = 0; i < m->nu; i++) {
        tac_json_open(out, NULL, '{');
        put_label(out, m, TAC_KIND_ACTUATOR, i);
        tac_json_string(out, "drives", word_of(words, TRANSMISSIONS, m->actuator_trntype[i]));
        tac_json_string(out, "unit", control_unit(m, i));
        if (m->actuator_ctrllimited[i]) tac_json_numbers(out, "range", 2, m->actuator_ctrlrange + 2 * i);
        tac_json_close(out, '{');
    }
    tac_json_close(out, '[');
}

static void put_geoms(tacText *out, const tacModel *m) {
    static const char *const types[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                        "cylinder", "box",    "mesh",   "cone"};
    tac_json_open(out, "geoms", '[');
    for (int i = 0, extra = m->nmesh; i < m->ngeom; i++) {
        int grown = tac_is_grown(m, i), type = grown ? TAC_GEOM_MESH : m->geom_type[i];
        const float *c = m->geom_rgba + 4 * i;
        const tacQuat q = m->geom_quat[i];
        const double rgba[4] = {(double)c[0], (double)c[1], (double)c[2], (double)c[3]}, quat[4] = {q.w, q.x, q.y, q.z};
        tac_json_open(out, NULL, '{');
        tac_json_string(out, "name", tac_model_name(m, TAC_KIND_GEOM, i));
        tac_json_integer(out, "body", m->geom_body[i]);
        tac_json_string(out, "type", word_of(types, TAC_GEOM_TYPES, type));
        tac_json_numbers(out, "size", 3, m->geom_size + 3 * i);
        tac_json_vec3(out, "pos", m->geom_pos[i]);
        tac_json_numbers(out, "quat", 4, quat);
        tac_json_numbers(out, "rgba", 4, rgba);
        tac_json_integer(out, "group", m->geom_group[i]);
        tac_json_boolean(out, "collides", m->geom_contype[i] != 0 || m->geom_conaffinity[i] != 0);
        tac_json_integer(out, "mesh", grown ? extra++ : m->geom_mesh[i]); /* put_meshes has them in this order */
        tac_json_close(out, '{');
    }
    tac_json_close(out, '[');
}

static void put_mesh(tacText *out, int nvert, const tacVec3 *vert, int nface, const int *face) {
    tac_json_open(out, NULL, '{');
    tac_json_floats(out, "vert", 3 * (size_t)nvert, &vert->x);
    tac_json_ints(out, "face", 3 * (size_t)nface, face);
    tac_json_close(out, '{');
}

/* Those of the model, then one for each geom with a pad or a sum. */
static void put_meshes(tacText *out, const tacModel *m) {
    tac_json_open(out, "meshes", '[');
    for (int i = 0; i < m->nmesh; i++) {
        put_mesh(out, m->mesh_vert_num[i], m->mesh_vert + m->mesh_vert_adr[i], m->mesh_face_num[i],
                 m->mesh_face + 3 * (size_t)m->mesh_face_adr[i]);
    }
    for (int i = 0; i < m->ngeom; i++) {
        tacVec3 vert[TAC_GROWN_VERTS];
        int face[3 * TAC_GROWN_FACES];
        if (!tac_is_grown(m, i)) continue;
        tac_grown_mesh(m, i, vert, face);
        put_mesh(out, TAC_GROWN_VERTS, vert, TAC_GROWN_FACES, face);
    }
    tac_json_close(out, '[');
}

void tac_page_model(tacText *out, const tacModel *m) {
    tac_json_open(out, "model", '{');
    tac_json_integer(out, "nq", m->nq);
    tac_json_integer(out, "nv", m->nv);
    tac_json_integer(out, "nu", m->nu);
    tac_json_vec3(out, "gravity", *m->option_gravity);
    put_bodies(out, m);
    put_joints(out, m);
    put_actuators(out, m);
    put_geoms(out, m);
    put_meshes(out, m);
    tac_json_close(out, '{');
}
