/* A model taken back into a builder, whole (tac_model_edit) or as a part of another (tac_model_attach). */
#include "model/build.h"
#include "model/element_def.h"

#include "base/error.h"
#include "math/quat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A model on its way into a builder. map[kind][id] is the id there; -1: the element does not come along. */
typedef struct Import {
    tacBuilder *b;
    const tacModel *m;
    tacAttachDef def;
    int parent; /* body that stands for the model's world */
    int whole;  /* 1: all comes along and the world is the parent; 0: the subtree of def.body */
    int moves;  /* 1: the world's frame is at def.pos, def.quat; 0: where it was, to the bit */
    int *map[TAC_KIND_COUNT];
    char *text; /* room for a name with prefix and suffix */
    size_t prefix_length, suffix_length;
} Import;

static const tacKind MAPPED[] = {TAC_KIND_BODY, TAC_KIND_JOINT, TAC_KIND_GEOM,
                                 TAC_KIND_MESH, TAC_KIND_SITE,  TAC_KIND_TENDON};
enum { NMAPPED = sizeof MAPPED / sizeof MAPPED[0] };

static void end_import(Import *im) {
    for (int k = 0; k < NMAPPED; k++)
        free(im->map[MAPPED[k]]);
    free(im->text);
}

/* Returns 0 when out of memory. */
static int begin_import(Import *im) {
    im->prefix_length = im->def.prefix != NULL ? strlen(im->def.prefix) : 0;
    im->suffix_length = im->def.suffix != NULL ? strlen(im->def.suffix) : 0;
    im->text = malloc(im->prefix_length + (size_t)im->m->nname + im->suffix_length + 1);
    int fine = im->text != NULL;
    for (int k = 0; k < NMAPPED && fine; k++) {
        int n = tac_model_count(im->m, MAPPED[k]);
        int *map = im->map[MAPPED[k]] = malloc(((size_t)n + 1) * sizeof(int));
        fine = map != NULL;
        for (int i = 0; i < n && fine; i++)
            map[i] = -1;
    }
    return fine;
}

/* The name in the builder; an unnamed element stays so. */
static const char *renamed(Import *im, const char *name) {
    size_t length = strlen(name);
    if (im->prefix_length + im->suffix_length == 0 || length == 0) return name;
    if (im->prefix_length > 0) memcpy(im->text, im->def.prefix, im->prefix_length);
    memcpy(im->text + im->prefix_length, name, length + 1);
    if (im->suffix_length > 0) memcpy(im->text + im->prefix_length + length, im->def.suffix, im->suffix_length + 1);
    return im->text;
}

/* The id of a reference in the builder. -1: it points to nothing, or to what stays behind. */
static int mapped(const Import *im, tacKind kind, int id) { return id < 0 ? -1 : im->map[kind][id]; }

/* --- Frames ------------------------------------------------------------------------------------------------------- */

static tacVec3 move_point(const Import *im, tacVec3 p) {
    return im->moves ? tac_add3(im->def.pos, tac_quat_rotate(im->def.quat, p)) : p;
}
static tacQuat move_turn(const Import *im, tacQuat q) { return im->moves ? tac_quat_mul(im->def.quat, q) : q; }

/* --- Elements ----------------------------------------------------------------------------------------------------- */

static void import_bodies(Import *im) {
    int *map = im->map[TAC_KIND_BODY];
    if (im->whole) map[0] = im->parent;
    for (int i = 1; i < im->m->nbody; i++) {
        int up = im->m->body_parent[i], top = i == im->def.body || (im->whole && up == 0);
        if (!top && map[up] < 0) continue;
        tacBodyDef d = tac_body_def(im->m, i);
        d.name = renamed(im, d.name);
        if (top) {
            d.pos = move_point(im, d.pos);
            d.quat = move_turn(im, d.quat);
        }
        map[i] = tac_model_add_body(im->b, top ? im->parent : map[up], &d);
    }
}

static void import_joints(Import *im) {
    for (int i = 0; i < im->m->njnt; i++) {
        int body = mapped(im, TAC_KIND_BODY, im->m->joint_body[i]);
        if (body < 0) continue;
        tacJointDef d = tac_joint_def(im->m, i);
        d.name = renamed(im, d.name);
        im->map[TAC_KIND_JOINT][i] = tac_model_add_joint(im->b, body, &d);
    }
}

/* 1: a geom that comes along has the mesh. */
static int mesh_is_used(const Import *im, int mesh) {
    if (im->whole) return 1;
    for (int g = 0; g < im->m->ngeom; g++)
        if (im->m->geom_mesh[g] == mesh && mapped(im, TAC_KIND_BODY, im->m->geom_body[g]) >= 0) return 1;
    return 0;
}

static void import_meshes(Import *im) {
    for (int i = 0; i < im->m->nmesh; i++) {
        if (!mesh_is_used(im, i)) continue;
        size_t faces = (size_t)im->m->mesh_face_num[i], hull = (size_t)im->m->mesh_hullface_num[i];
        int *room = malloc((3 * (faces + hull) + 1) * sizeof(int));
        if (room == NULL) {
            tac_builder_fail(im->b, NULL, TAC_ERR_MEMORY, TAC_KIND_MESH, i, "out of memory for a mesh");
            return;
        }
        tacMeshDef d = tac_mesh_def(im->m, i, room, room + 3 * faces);
        d.name = renamed(im, d.name);
        im->map[TAC_KIND_MESH][i] = tac_model_add_mesh(im->b, &d);
        free(room);
    }
}

static void import_geoms(Import *im) {
    for (int i = 0; i < im->m->ngeom; i++) {
        int owner = im->m->geom_body[i], body = mapped(im, TAC_KIND_BODY, owner);
        if (body < 0) continue;
        tacGeomDef d = tac_geom_def(im->m, i);
        d.name = renamed(im, d.name);
        d.mesh = mapped(im, TAC_KIND_MESH, d.mesh);
        if (owner == 0) {
            d.pos = move_point(im, d.pos);
            d.quat = move_turn(im, d.quat);
        }
        im->map[TAC_KIND_GEOM][i] = tac_model_add_geom(im->b, body, &d);
    }
    for (int i = 0; i < im->m->ngeom; i++) { /* a sum may name a geom that comes after it */
        int id = mapped(im, TAC_KIND_GEOM, i);
        if (id >= 0) TAC_ADDED(im->b->geom, tacAddedGeom, id)->def.sum = mapped(im, TAC_KIND_GEOM, im->m->geom_sum[i]);
    }
}

static void import_sites(Import *im) {
    for (int i = 0; i < im->m->nsite; i++) {
        int owner = im->m->site_body[i], body = mapped(im, TAC_KIND_BODY, owner);
        if (body < 0) continue;
        tacSiteDef d = tac_site_def(im->m, i);
        d.name = renamed(im, d.name);
        if (owner == 0) {
            d.pos = move_point(im, d.pos);
            d.quat = move_turn(im, d.quat);
        }
        im->map[TAC_KIND_SITE][i] = tac_model_add_site(im->b, body, &d);
    }
}

static void import_tendons(Import *im) {
    for (int i = 0; i < im->m->ntendon; i++) {
        tacTendonDef d = tac_tendon_def(im->m, i);
        int *joint = malloc(((size_t)d.nterm + 1) * sizeof(int)), inside = im->whole || d.nterm > 0;
        if (joint == NULL) {
            tac_builder_fail(im->b, NULL, TAC_ERR_MEMORY, TAC_KIND_TENDON, i, "out of memory for a tendon");
            return;
        }
        for (int k = 0; k < d.nterm; k++) {
            joint[k] = mapped(im, TAC_KIND_JOINT, d.joint[k]);
            inside = inside && joint[k] >= 0;
        }
        d.name = renamed(im, d.name);
        d.joint = joint;
        if (inside) im->map[TAC_KIND_TENDON][i] = tac_model_add_tendon(im->b, &d);
        free(joint);
    }
}

static tacKind target_kind(tacTransmission type) {
    switch (type) {
    case TAC_TRN_TENDON:
        return TAC_KIND_TENDON;
    case TAC_TRN_SITE:
    case TAC_TRN_SLIDERCRANK:
        return TAC_KIND_SITE;
    case TAC_TRN_BODY:
        return TAC_KIND_BODY;
    default:
        return TAC_KIND_JOINT;
    }
}

/* Two references -> their ids in the builder. 0: one of them stays behind. */
static int map_both(const Import *im, tacKind kind, int *id) {
    for (int k = 0; k < 2; k++) {
        int to = mapped(im, kind, id[k]);
        if (id[k] >= 0 && to < 0) return 0;
        id[k] = to;
    }
    return 1;
}

static void import_actuators(Import *im) {
    for (int i = 0; i < im->m->nu; i++) {
        tacActuatorDef d = tac_actuator_def(im->m, i);
        d.name = renamed(im, d.name);
        if (map_both(im, target_kind(d.trntype), d.trnid)) tac_model_add_actuator(im->b, &d);
    }
}

/* Data of an equality one of whose bodies is the world, which is now a frame of the parent. A connect's anchor is in
 * the first body; a weld's points are in the second and in the first, and its turn is the second's in the first. */
static void move_equality(const Import *im, tacEqualityDef *d) {
    int first = d->obj[0] <= 0, second = d->obj[1] <= 0, weld = d->type == TAC_EQ_WELD;
    double *anchor = d->data, *pos = d->data + 3, *quat = d->data + 6;
    if (!im->moves || d->objkind != TAC_KIND_BODY || (d->type != TAC_EQ_CONNECT && !weld)) return;
    if (weld ? second : first) tac_store3(anchor, move_point(im, tac_load3(anchor)));
    if (!weld || (quat[0] == 0 && quat[1] == 0 && quat[2] == 0 && quat[3] == 0)) return;
    if (first) {
        tac_store3(pos, move_point(im, tac_load3(pos)));
        tac_quat_store(quat, move_turn(im, tac_quat_load(quat)));
    } else if (second) {
        /* q of the world in the first body -> q Q* of the parent */
        tac_quat_store(quat, tac_quat_mul(tac_quat_load(quat), tac_quat_conj(im->def.quat)));
    }
}

static void import_equalities(Import *im) {
    for (int i = 0; i < im->m->neq; i++) {
        tacEqualityDef d = tac_equality_def(im->m, i);
        d.name = renamed(im, d.name);
        if (im->whole) move_equality(im, &d);
        if (!map_both(im, d.objkind, d.obj)) continue;
        /* no body stands for the world, which the parent does now */
        for (int k = 0; k < 2 && im->whole && im->parent > 0 && d.objkind == TAC_KIND_BODY; k++)
            if (d.obj[k] < 0) d.obj[k] = im->parent;
        tac_model_add_equality(im->b, &d);
    }
}

static void import_pairs(Import *im) {
    for (int i = 0; i < im->m->npair; i++) {
        tacPairDef d = tac_pair_def(im->m, i);
        d.name = renamed(im, d.name);
        if (map_both(im, TAC_KIND_GEOM, d.geom)) tac_model_add_pair(im->b, &d);
    }
    for (int i = 0; i < im->m->nexclude; i++) {
        int body[2] = {im->m->exclude_body[2 * i], im->m->exclude_body[2 * i + 1]};
        const char *name = renamed(im, im->m->all_names + im->m->exclude_name[i]);
        if (map_both(im, TAC_KIND_BODY, body)) tac_model_add_exclude(im->b, name, body[0], body[1]);
    }
}

static void import_sensors(Import *im) {
    for (int i = 0; i < im->m->nsensor && im->whole; i++)
        tac_model_add_sensor(im->b, im->m->all_names + im->m->sensor_tag[i],
                             renamed(im, im->m->all_names + im->m->sensor_name[i]));
}

/* --- Keyframes ---------------------------------------------------------------------------------------------------- */

/* Free joints of a keyframe, moved with the world's frame. */
static void move_key(const Import *im, double *qpos, double *qvel) {
    const tacModel *m = im->m;
    for (int j = 0; j < m->njnt; j++) {
        double *q = qpos + m->joint_qpos_adr[j], *v = qvel + m->joint_dof_adr[j];
        if (m->joint_type[j] != TAC_JOINT_FREE) continue;
        tac_store3(q, move_point(im, tac_load3(q)));
        tac_quat_store(q + 3, move_turn(im, tac_quat_load(q + 3)));
        tac_store3(v, tac_quat_rotate(im->def.quat, tac_load3(v)));
    }
}

/* A keyframe whose poses are those of another frame: copies of its arrays, in `room` of nq + nv + 7 nmocap numbers. */
static void moved_key(const Import *im, tacKeyDef *d, double *room) {
    const tacModel *m = im->m;
    double *qpos = room, *qvel = qpos + m->nq;
    tacVec3 *pos = (tacVec3 *)(void *)(qvel + m->nv);
    tacQuat *quat = (tacQuat *)(void *)(pos + m->nmocap);
    memcpy(qpos, d->qpos != NULL ? d->qpos : m->qpos_0, (size_t)m->nq * sizeof(double));
    memcpy(qvel, d->qvel, (size_t)m->nv * sizeof(double));
    move_key(im, qpos, qvel);
    for (int k = 0; k < m->nmocap; k++) {
        if (d->mpos != NULL) pos[k] = move_point(im, d->mpos[k]);
        if (d->mquat != NULL) quat[k] = move_turn(im, d->mquat[k]);
    }
    if (d->qpos != NULL) d->qpos = qpos;
    if (d->mpos != NULL) d->mpos = pos;
    if (d->mquat != NULL) d->mquat = quat;
    d->qvel = qvel;
}

static void import_keys(Import *im, tacKeySpan from) {
    const tacModel *m = im->m;
    if (!im->whole || m->nkey == 0) return;
    double *room = malloc(((size_t)m->nq + (size_t)m->nv + TAC_POSE_SIZE * (size_t)m->nmocap + 1) * sizeof(double));
    if (room == NULL) {
        tac_builder_fail(im->b, NULL, TAC_ERR_MEMORY, TAC_KIND_KEY, 0, "out of memory for a keyframe");
        return;
    }
    for (int i = 0; i < m->nkey; i++) {
        tacKeyDef d = tac_key_def(m, i);
        d.name = renamed(im, d.name);
        if (im->moves) moved_key(im, &d, room);
        tac_builder_add_partial_key(im->b, &d, from);
    }
    free(room);
}

/* --- The whole ---------------------------------------------------------------------------------------------------- */

static void import_elements(Import *im) {
    tacKeySpan from = tac_builder_span(im->b);
    import_bodies(im);
    import_joints(im);
    import_meshes(im);
    import_geoms(im);
    import_sites(im);
    import_tendons(im);
    import_actuators(im);
    import_equalities(im);
    import_pairs(im);
    import_sensors(im);
    import_keys(im, from);
}

static tacStatus import_model(Import *im, tacError *err) {
    if (begin_import(im))
        import_elements(im);
    else
        tac_builder_fail(im->b, NULL, TAC_ERR_MEMORY, TAC_KIND_NONE, -1, "out of memory while attaching a model");
    end_import(im);
    if (im->b->error.status != TAC_OK && err != NULL) *err = im->b->error;
    return im->b->error.status;
}

tacStatus tac_model_edit(const tacModel *model, tacBuilder **builder, tacError *err) {
    if (model == NULL || builder == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "model or builder is NULL");
    tacBuilder *b = tac_model_begin();
    if (b == NULL) return tac_fail(err, TAC_ERR_MEMORY, "out of memory for a builder");
    Import im = {.b = b, .m = model, .def = tac_default_attach(), .whole = 1};
    TAC_ADDED(b->body, tacAddedBody, 0)->def = tac_body_def(model, 0);
    TAC_ADDED(b->body, tacAddedBody, 0)->def.name = "world";
    b->option = tac_option_def(model);
    tacStatus status = import_model(&im, err);
    if (status != TAC_OK) {
        tac_builder_free(b);
        return status;
    }
    *builder = b;
    return TAC_OK;
}

tacStatus tac_model_attach(tacBuilder *b, int parent, const tacModel *model, const tacAttachDef *def, tacError *err) {
    if (b == NULL || model == NULL || def == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "builder, model or definition is NULL");
    if (b->error.status != TAC_OK) return tac_builder_fail(b, err, TAC_OK, TAC_KIND_NONE, -1, " ");
    if (parent < 0 || parent >= b->body.count)
        return tac_fail_at(err, TAC_ERR_ARGUMENT, TAC_KIND_BODY, parent,
                           "parent body %d does not exist, expected 0 to %d", parent, b->body.count - 1);
    if (def->body < 0 || def->body >= model->nbody)
        return tac_fail_at(err, TAC_ERR_ARGUMENT, TAC_KIND_BODY, def->body,
                           "body %d of the model does not exist, expected 0 to %d", def->body, model->nbody - 1);
    tacQuat q = tac_quat_normalize(def->quat);
    if (!tac_finite(tac_quat_norm(q)) || !(tac_quat_norm(def->quat) > 0) || !tac_finite(tac_dot3(def->pos, def->pos)))
        return tac_fail(err, TAC_ERR_ARGUMENT, "the pose of an attached model is not finite or has no direction");
    Import im = {.b = b, .m = model, .def = *def, .parent = parent, .whole = def->body == 0};
    im.def.quat = q;
    im.moves = def->pos.x != 0 || def->pos.y != 0 || def->pos.z != 0 || q.w != 1;
    return import_model(&im, err);
}
