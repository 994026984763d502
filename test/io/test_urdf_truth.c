/* Every published URDF robot of the shared material against its true numbers (MuJoCo 3). A clone without the shared
 * material compares nothing and says so. */
#include "support/check.h"
#include "tactus/io.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Poses and axes come from a few products of rotations; masses are copied. */
#define TOL_POSE 1e-12
/* MuJoCo diagonalizes inertias to 1e-12 of an entry. */
#define TOL_INERTIA 1e-9
/* Volumes of some thousand triangles with single precision corners. */
#define TOL_MESH 1e-9
/* Sums over some tens of bodies. */
#define TOL_MATRIX 1e-9

static double number(const json_t *object, const char *key) { return json_number_value(json_object_get(object, key)); }

static void numbers(const json_t *array, int n, double *out) {
    CHECK_INT(json_array_size(array), n);
    for (int i = 0; i < n; i++)
        out[i] = json_number_value(json_array_get(array, (size_t)i));
}

static void flatten(const json_t *rows, int n, int per, double *out) {
    CHECK_INT(json_array_size(rows), n);
    for (int i = 0; i < n; i++)
        numbers(json_array_get(rows, (size_t)i), per, out + per * i);
}

/* Text of a field; null is "". */
static const char *text(const json_t *object, const char *key) {
    const char *value = json_string_value(json_object_get(object, key));
    return value != NULL ? value : "";
}

/* q and -q are the same rotation. */
static double quat_error(const double *a, const double *b) {
    double same = 0, opposite = 0;
    for (int k = 0; k < 4; k++) {
        same = worse(same, fabs(a[k] - b[k]));
        opposite = worse(opposite, fabs(a[k] + b[k]));
    }
    return fmin(same, opposite);
}

static const char *const JOINT_TYPE[] = {"free", "ball", "slide", "hinge"};
static const char *const GEOM_TYPE[] = {"plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"};

/* --- Facts of the model ------------------------------------------------------------------------------------------- */

/* `mended`: MuJoCo refused the file as written, and the truth has other masses and inertias. */
static void check_bodies(const tacModel *m, const json_t *truth, int mended) {
    CHECK_INT(m->nbody, json_array_size(truth));
    for (int i = 1; i < m->nbody; i++) {
        const json_t *body = json_array_get(truth, (size_t)i);
        double pos[3], quat[4], ipos[3], inertia[3];
        CHECK_STR(tac_model_name(m, TAC_KIND_BODY, i), text(body, "name"));
        CHECK_INT(m->body_parent[i], number(body, "parent"));
        numbers(json_object_get(body, "pos"), 3, pos);
        numbers(json_object_get(body, "quat"), 4, quat);
        CHECK_ARRAY(3, &m->body_pos[i], pos, TOL_POSE);
        CHECK_LT(quat_error((const double *)&m->body_quat[i], quat), TOL_POSE);
        if (mended) continue;
        numbers(json_object_get(body, "ipos"), 3, ipos);
        numbers(json_object_get(body, "inertia"), 3, inertia);
        CHECK_NEAR(m->body_mass[i], number(body, "mass"), TOL_POSE);
        CHECK_ARRAY(3, &m->body_ipos[i], ipos, TOL_POSE);
        CHECK_ARRAY(3, &m->body_inertia[i], inertia, TOL_INERTIA);
    }
}

static void check_joints(const tacModel *m, const json_t *truth) {
    CHECK_INT(m->njnt, json_array_size(truth));
    for (int i = 0; i < m->njnt; i++) {
        const json_t *joint = json_array_get(truth, (size_t)i);
        double axis[3], range[2], force[2] = {0, 0};
        CHECK_STR(JOINT_TYPE[m->joint_type[i]], text(joint, "type"));
        if (m->joint_type[i] == TAC_JOINT_FREE) continue; /* its name is ours */
        CHECK_STR(tac_model_name(m, TAC_KIND_JOINT, i), text(joint, "name"));
        CHECK_STR(tac_model_name(m, TAC_KIND_BODY, m->joint_body[i]), text(joint, "body"));
        numbers(json_object_get(joint, "axis"), 3, axis);
        CHECK_ARRAY(3, &m->joint_axis[i], axis, TOL_POSE);
        CHECK_INT(m->joint_limited[i], json_is_true(json_object_get(joint, "limited")));
        numbers(json_object_get(joint, "range"), 2, range);
        if (m->joint_limited[i]) CHECK_ARRAY(2, m->joint_range + 2 * i, range, TOL_POSE);
        CHECK_NEAR(m->joint_damping[i], number(joint, "damping"), TOL_POSE);
        CHECK_NEAR(m->joint_frictionloss[i], number(joint, "frictionloss"), TOL_POSE);
        if (json_object_get(joint, "actfrcrange") != NULL) numbers(json_object_get(joint, "actfrcrange"), 2, force);
        CHECK_INT(m->joint_actfrclimited[i], json_object_get(joint, "actfrcrange") != NULL);
        CHECK_ARRAY(2, m->joint_actfrcrange + 2 * i, force, TOL_POSE);
    }
}

static const json_t *find_named(const json_t *list, const char *name) {
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(text(json_array_get(list, i), "name"), name) == 0) return json_array_get(list, i);
    return NULL;
}

/* MuJoCo moves a mesh's frame to its centre of mass, which the truth gives; ours stays where the file has it. */
static void check_mesh(const tacModel *m, int mesh, const json_t *truth) {
    double com[3];
    CHECK(truth != NULL);
    CHECK_INT(m->mesh_vert_num[mesh], number(truth, "nvert"));
    CHECK_INT(m->mesh_face_num[mesh], number(truth, "nface"));
    numbers(json_object_get(truth, "pos"), 3, com);
    CHECK_ARRAY(3, &m->mesh_com[mesh], com, TOL_MESH);
    CHECK(m->mesh_hullvert_num[mesh] >= 4);
    CHECK_INT(m->mesh_hullface_num[mesh], 2 * m->mesh_hullvert_num[mesh] - 4); /* Euler, for triangles */
}

static void check_geoms(const tacModel *m, const json_t *truth, const json_t *meshes) {
    CHECK_INT(m->ngeom, json_array_size(truth));
    CHECK_INT(m->nmesh, json_array_size(meshes));
    for (int i = 0; i < m->ngeom; i++) {
        const json_t *geom = json_array_get(truth, (size_t)i);
        double size[3], pos[3], quat[4];
        CHECK_STR(GEOM_TYPE[m->geom_type[i]], text(geom, "type"));
        CHECK_INT(m->geom_body[i], number(geom, "body"));
        if (m->geom_type[i] == TAC_GEOM_MESH) {
            check_mesh(m, m->geom_mesh[i], find_named(meshes, text(geom, "mesh")));
            continue;
        }
        numbers(json_object_get(geom, "size"), 3, size);
        numbers(json_object_get(geom, "pos"), 3, pos);
        numbers(json_object_get(geom, "quat"), 4, quat);
        CHECK_ARRAY(3, m->geom_size + 3 * i, size, TOL_POSE);
        CHECK_ARRAY(3, &m->geom_pos[i], pos, TOL_POSE);
        CHECK_LT(quat_error((const double *)&m->geom_quat[i], quat), TOL_POSE);
    }
}

/* --- Quantities at the truth's states ----------------------------------------------------------------------------- */

/* Field as written in the URDF where MuJoCo mended it. */
static const json_t *literal(const json_t *state, const char *field, const char *as_written) {
    const json_t *value = json_object_get(state, as_written);
    return value != NULL ? value : json_object_get(state, field);
}

static void check_state(const tacModel *m, tacSim *sim, const json_t *state) {
    int nq = m->nq, nv = m->nv, nb = m->nbody;
    double *q = calloc((size_t)(nq + 3 * nv + 2 * nv * nv + 14 * nb), sizeof *q), *v = q + nq, *bias = v + nv;
    double *true_bias = bias + nv, *M = true_bias + nv, *true_M = M + nv * nv;
    double *pos = true_M + nv * nv, *quat = pos + 3 * nb, *true_pos = quat + 4 * nb, *true_quat = true_pos + 3 * nb;
    numbers(json_object_get(state, "qpos"), nq, q);
    numbers(json_object_get(state, "qvel"), nv, v);
    tacKinematics kinematics = {.xpos = (tacVec3 *)(void *)pos, .xquat = (tacQuat *)(void *)quat};
    CHECK_INT(tac_kinematics(sim, q, NULL, &kinematics), TAC_OK);
    CHECK_INT(tac_mass_matrix(sim, q, M), TAC_OK);
    CHECK_INT(tac_bias(sim, q, v, bias), TAC_OK);
    flatten(json_object_get(state, "xpos"), nb, 3, true_pos);
    flatten(json_object_get(state, "xquat"), nb, 4, true_quat);
    CHECK_ARRAY(3 * nb, pos, true_pos, TOL_MATRIX);
    for (int i = 0; i < nb; i++)
        CHECK_LT(quat_error(quat + 4 * i, true_quat + 4 * i), TOL_MATRIX);
    flatten(literal(state, "M", "M_urdf_literal"), nv, nv, true_M);
    numbers(literal(state, "qfrc_bias", "qfrc_bias_urdf_literal"), nv, true_bias);
    CHECK_ARRAY(nv * nv, M, true_M, TOL_MATRIX);
    CHECK_ARRAY(nv, bias, true_bias, TOL_MATRIX);
    free(q);
}

static void check_states(const tacModel *m, const json_t *states) {
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    tacSim *sim;
    tacError err;
    CHECK_INT(tac_sim_new(m, &options, &sim, &err), TAC_OK);
    for (size_t i = 0; i < json_array_size(states); i++)
        check_state(m, sim, json_array_get(states, i));
    tac_sim_free(sim);
}

/* --- Models ------------------------------------------------------------------------------------------------------- */

static int check_variant(const char *path, const json_t *variant) {
    const char *name = text(variant, "variant");
    const json_t *facts = json_object_get(variant, "model");
    tacLoadOptions options = tac_default_load_options();
    options.lenient = 1;
    options.base = json_is_true(json_object_get(variant, "floating_base")) ? TAC_BASE_FLOATING : TAC_BASE_FIXED;
    tacModel *m;
    tacError err = {.text = ""};
    tacStatus status = tac_load_with(path, &options, &m, NULL, &err);
    if (status != TAC_OK) print_error("%s %s: %s\n", path, name, err.text);
    CHECK_INT(status, TAC_OK);
    CHECK_INT(m->nq, number(facts, "nq"));
    CHECK_INT(m->nv, number(facts, "nv"));
    check_bodies(m, json_object_get(facts, "bodies"), strchr(name, '_') != NULL);
    check_joints(m, json_object_get(facts, "joints"));
    check_geoms(m, json_object_get(facts, "geoms"), json_object_get(facts, "meshes"));
    check_states(m, json_object_get(variant, "states"));
    tac_model_free(m);
    return 1;
}

static int check_model(const json_t *entry) {
    char relative[1024], model_path[4096];
    snprintf(relative, sizeof relative, "models/%s/truth.json", text(entry, "name"));
    const char *truth_path = shared_path(relative);
    json_t *truth = truth_path != NULL ? json_load_file(truth_path, 0, NULL) : NULL;
    CHECK(truth != NULL);
    snprintf(relative, sizeof relative, "models/%s/%s", text(entry, "name"), text(entry, "entry"));
    snprintf(model_path, sizeof model_path, "%s", shared_path(relative));
    const json_t *variants = json_object_get(truth, "variants");
    int compared = 0;
    for (size_t i = 0; i < json_array_size(variants); i++)
        compared += check_variant(model_path, json_array_get(variants, i));
    json_decref(truth);
    return compared;
}

static void robots_agree(void **state) {
    (void)state;
    const char *path = shared_path("models/manifest.json");
    json_t *manifest = path != NULL ? json_load_file(path, 0, NULL) : NULL;
    int models = 0, variants = 0;
    for (size_t i = 0; i < json_array_size(manifest); i++) {
        const json_t *entry = json_array_get(manifest, i);
        if (strcmp(text(entry, "format"), "urdf") != 0) continue;
        print_message("%s\n", text(entry, "name"));
        variants += check_model(entry);
        models++;
    }
    print_message("URDF robots compared: %d in %d variants%s\n", models, variants,
                  manifest == NULL ? " (the shared material is not here)" : "");
    if (manifest != NULL) CHECK(models > 0 && variants > 0);
    json_decref(manifest);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(robots_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
