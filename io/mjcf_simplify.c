/* MJCF compiler settings that rebuild bodies: alignfree, fusestatic, discardvisual. They need masses and inertias,
 * which a first model of the bodies alone gives. */
#include "io/mjcf_read.h"

#include "base/error.h"

#include <string.h>

static const double MIN_MASS = 1e-15; /* MuJoCo's mjMINVAL: lighter bodies give their parent nothing */

/* Mass properties of a body in its own frame. */
typedef struct Mass {
    double mass;
    tacVec3 com;
    tacSym3 inertia; /* about com */
    int measured;    /* its definition is to hold what was measured */
    int summed;      /* it holds more than that */
} Mass;

typedef struct Simplify {
    tacMjcf *m;
    const tacModel *measured;           /* the bodies as they were */
    Mass *mass;                         /* per body */
    int *njoint, *nchild, *first_joint; /* per body */
    int next_order;                     /* for geoms and sites that move to another body */
} Simplify;

static tacPose geom_pose(const tacMjcfGeom *geom) { return (tacPose){geom->def.pos, geom->def.quat}; }
static tacPose site_pose(const tacMjcfSite *site) { return (tacPose){site->def.pos, site->def.quat}; }
static tacPose body_pose(const tacMjcfBody *body) { return (tacPose){body->def.pos, body->def.quat}; }

/* Gives what is fixed to `body` to body `to`, whose frame sees the body's as `pose`. */
static void move_contents(Simplify *s, int body, int to, tacPose pose) {
    tacMjcf *m = s->m;
    for (int i = 0; i < m->geom.n; i++) {
        tacMjcfGeom *geom = TAC_AT(m->geom, tacMjcfGeom, i);
        if (geom->body != body) continue;
        tacPose moved = tac_pose_compose(pose, geom_pose(geom));
        geom->def.pos = moved.pos;
        geom->def.quat = moved.quat;
        if (to != body) {
            geom->body = to;
            geom->order = s->next_order++;
        }
    }
    for (int i = 0; i < m->site.n; i++) {
        tacMjcfSite *site = TAC_AT(m->site, tacMjcfSite, i);
        if (site->body != body) continue;
        tacPose moved = tac_pose_compose(pose, site_pose(site));
        site->def.pos = moved.pos;
        site->def.quat = moved.quat;
        if (to != body) {
            site->body = to;
            site->order = s->next_order++;
        }
    }
}

/* --- alignfree ---------------------------------------------------------------------------------------------------- */

static int wants_align(const Simplify *s, int body) {
    if (s->njoint[body] != 1 || s->nchild[body] > 0) return 0;
    const tacMjcfJoint *joint = TAC_AT(s->m->joint, tacMjcfJoint, s->first_joint[body]);
    int align = joint->align == TAC_MJCF_AUTO ? s->m->compiler.alignfree : joint->align;
    return joint->def.type == TAC_JOINT_FREE && align;
}

/* The body frame goes to the centre of mass, along the principal axes. */
static void align_body(Simplify *s, int id) {
    tacBodyDef *def = &TAC_AT(s->m->body, tacMjcfBody, id)->def;
    tacPose inertial = {s->measured->body_ipos[id], s->measured->body_iquat[id]};
    tacPose pose = tac_pose_compose((tacPose){def->pos, def->quat}, inertial);
    def->pos = pose.pos;
    def->quat = pose.quat;
    def->inertia_fixed |= def->inertial == TAC_INERTIAL_GEOMS;
    def->inertial = TAC_INERTIAL_DIAG;
    def->mass = s->measured->body_mass[id];
    def->ipos = tac_zero3();
    def->iquat = tac_quat_identity();
    def->inertia = s->measured->body_inertia[id];
    move_contents(s, id, id, tac_pose_inverse(inertial));
}

/* --- fusestatic --------------------------------------------------------------------------------------------------- */

static int names_a_body(const xmlNode *node, const char *attr) {
    static const char *const always[] = {"target", "body", "body1", "body2", "subtree1", "subtree2"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (strcmp(attr, always[i]) == 0) return 1;
    const char *type = strcmp(attr, "objname") == 0   ? tac_xml_get(node, "objtype")
                       : strcmp(attr, "refname") == 0 ? tac_xml_get(node, "reftype")
                                                      : NULL;
    return type != NULL && (strcmp(type, "body") == 0 || strcmp(type, "xbody") == 0);
}

/* Names of bodies that something refers to. Recursion is as deep as the file. */
static int collect_references(const xmlNode *top, tacMjcfNames *names) {
    int ok = 1;
    for (const xmlNode *node = tac_xml_child(top, NULL); node != NULL && ok; node = tac_xml_next(node, NULL)) {
        for (const xmlAttr *a = node->properties; a != NULL && ok; a = a->next)
            if (names_a_body(node, (const char *)a->name))
                ok = tac_mjcf_names_add(names, tac_xml_get(node, (const char *)a->name), 0);
        ok = ok && collect_references(node, names);
    }
    return ok;
}

/* Mass, centre and inertia of two bodies as one, b seen from a's frame as `pose`. */
static void add_mass(Mass *a, const Mass *b, tacPose pose) {
    if (b->mass < MIN_MASS) return;
    tacVec3 com_b = tac_add3(pose.pos, tac_quat_rotate(pose.quat, b->com));
    tacSym3 inertia_b = tac_rotatesym3(tac_quat_mat(pose.quat), b->inertia);
    double mass = a->mass + b->mass;
    tacVec3 com = tac_scale3(1 / mass, tac_add3(tac_scale3(a->mass, a->com), tac_scale3(b->mass, com_b)));
    a->inertia = tac_addsym3(tac_addsym3(a->inertia, tac_pointsym3(a->mass, tac_sub3(a->com, com))),
                             tac_addsym3(inertia_b, tac_pointsym3(b->mass, tac_sub3(com_b, com))));
    a->mass = mass;
    a->com = com;
}

static void fuse_body(Simplify *s, int id) {
    tacMjcf *m = s->m;
    tacMjcfBody *body = TAC_AT(m->body, tacMjcfBody, id);
    tacPose pose = body_pose(body);
    int parent = body->parent;
    if (parent > 0) {
        add_mass(&s->mass[parent], &s->mass[id], pose);
        s->mass[parent].summed = 1;
    }
    for (int i = id + 1; i < m->body.n; i++) {
        tacMjcfBody *child = TAC_AT(m->body, tacMjcfBody, i);
        if (child->parent != id || child->fused) continue;
        tacPose moved = tac_pose_compose(pose, body_pose(child));
        child->def.pos = moved.pos;
        child->def.quat = moved.quat;
        child->parent = parent;
    }
    move_contents(s, id, parent, pose);
    body->fused = 1;
}

static tacStatus fuse_static(Simplify *s) {
    tacMjcf *m = s->m;
    tacMjcfNames referred = {0};
    int ok = collect_references(m->root, &referred);
    for (int i = 1; i < m->body.n && ok; i++) {
        const tacMjcfBody *body = TAC_AT(m->body, tacMjcfBody, i);
        const char *name = body->def.name;
        int named = name != NULL && tac_mjcf_names_find(&referred, name) >= 0;
        if (s->njoint[i] == 0 && !body->def.mocap && !named && !body->attached) fuse_body(s, i);
    }
    tac_mjcf_names_free(&referred);
    return ok ? TAC_OK : tac_mjcf_no_memory(m);
}

/* --- discardvisual ------------------------------------------------------------------------------------------------ */

/* Geoms that a spatial tendon wraps are no decoration. */
static void keep_wrapped(tacMjcf *m, const xmlNode *top, char *keep) {
    for (const xmlNode *s = tac_xml_child(top, "tendon"); s != NULL; s = tac_xml_next(s, "tendon"))
        for (const xmlNode *t = tac_xml_child(s, "spatial"); t != NULL; t = tac_xml_next(t, "spatial"))
            for (const xmlNode *w = tac_xml_child(t, "geom"); w != NULL; w = tac_xml_next(w, "geom")) {
                const char *name = tac_xml_get(w, "geom");
                int id = name != NULL ? tac_mjcf_names_find(&m->names[TAC_KIND_GEOM], name) : -1;
                if (id >= 0) keep[id] = 1;
            }
}

/* Geoms that cannot collide go; the mass they gave stays. */
static tacStatus discard_visual(Simplify *s) {
    tacMjcf *m = s->m;
    char *keep = tac_mjcf_keep(m, (size_t)m->geom.n);
    if (keep == NULL) return TAC_ERR_MEMORY;
    for (int i = 0; i < 2 * m->pair.n; i++)
        keep[TAC_AT(m->pair, tacMjcfPair, i / 2)->def.geom[i % 2]] = 1;
    for (int i = 0; i < m->geom.n; i++)
        if (TAC_AT(m->geom, tacMjcfGeom, i)->def.sum >= 0) keep[TAC_AT(m->geom, tacMjcfGeom, i)->def.sum] = 1;
    keep_wrapped(m, m->root, keep);
    for (int i = 0; i < m->mesh.n; i++)
        TAC_AT(m->mesh, tacMjcfMesh, i)->dropped = 1;
    for (int i = 0; i < m->geom.n; i++) {
        tacMjcfGeom *geom = TAC_AT(m->geom, tacMjcfGeom, i);
        if (keep[i] || geom->def.contype != 0 || geom->def.conaffinity != 0) {
            if (geom->def.mesh >= 0) TAC_AT(m->mesh, tacMjcfMesh, geom->def.mesh)->dropped = 0;
            continue;
        }
        geom->order = -1;
        if (TAC_AT(m->body, tacMjcfBody, geom->body)->def.inertial == TAC_INERTIAL_GEOMS)
            s->mass[geom->body].measured = 1;
    }
    return TAC_OK;
}

/* --- All of it ---------------------------------------------------------------------------------------------------- */

static tacStatus begin(Simplify *s) {
    const tacModel *measured = s->measured;
    tacMjcf *m = s->m;
    size_t n = (size_t)m->body.n;
    s->mass = tac_mjcf_keep(m, n * sizeof *s->mass);
    s->njoint = tac_mjcf_keep(m, n * sizeof(int));
    s->nchild = tac_mjcf_keep(m, n * sizeof(int));
    s->first_joint = tac_mjcf_keep(m, n * sizeof(int));
    if (!s->mass || !s->njoint || !s->nchild || !s->first_joint) return TAC_ERR_MEMORY;
    s->next_order = m->geom.n + m->site.n;
    for (int i = m->joint.n - 1; i >= 0; i--) {
        int body = TAC_AT(m->joint, tacMjcfJoint, i)->body;
        s->njoint[body]++;
        s->first_joint[body] = i;
    }
    for (int i = 0; i < m->body.n; i++) {
        if (i > 0) s->nchild[TAC_AT(m->body, tacMjcfBody, i)->parent]++;
        s->mass[i] = (Mass){measured->body_mass[i], measured->body_ipos[i], measured->body_icom[i], 0, 0};
    }
    return TAC_OK;
}

static void write_masses(Simplify *s) {
    for (int i = 1; i < s->m->body.n; i++) {
        const Mass *mass = &s->mass[i];
        tacBodyDef *def = &TAC_AT(s->m->body, tacMjcfBody, i)->def;
        if (!mass->measured && !mass->summed) continue;
        def->inertia_fixed = 1;
        def->inertial = mass->summed ? TAC_INERTIAL_FULL : TAC_INERTIAL_DIAG;
        def->mass = mass->mass;
        def->ipos = mass->com;
        def->iquat = mass->summed ? tac_quat_identity() : s->measured->body_iquat[i];
        def->inertia = s->measured->body_inertia[i];
        def->fullinertia = mass->inertia;
    }
}

static int wants_any_align(const tacMjcf *m) {
    for (int i = 0; i < m->joint.n; i++) {
        const tacMjcfJoint *joint = TAC_AT(m->joint, tacMjcfJoint, i);
        if (joint->def.type == TAC_JOINT_FREE && (joint->align == TAC_MJCF_AUTO ? m->compiler.alignfree : joint->align))
            return 1;
    }
    return 0;
}

tacStatus tac_mjcf_simplify(tacMjcf *m) {
    if (!m->compiler.fusestatic && !m->compiler.discardvisual && !wants_any_align(m)) return TAC_OK;
    Simplify s = {.m = m};
    tacModel *measured = NULL;
    tacOptionDef option = m->option;
    option.settotalmass = -1;
    tacStatus status = tac_mjcf_emit(m, &option, 1, &measured);
    s.measured = measured;
    if (status == TAC_OK) status = begin(&s);
    for (int i = 1; i < m->body.n && status == TAC_OK; i++)
        if (wants_align(&s, i)) align_body(&s, i);
    if (status == TAC_OK && m->compiler.fusestatic) status = fuse_static(&s);
    if (status == TAC_OK && m->compiler.discardvisual) status = discard_visual(&s);
    if (status == TAC_OK) write_masses(&s);
    tac_model_free(measured);
    return status;
}
