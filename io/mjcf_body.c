/* MJCF <worldbody>, <body>, <frame>, <inertial>, <joint>, <freejoint>, <site>. */
#include "io/mjcf_read.h"

#include "base/error.h"

/* Where we are in the tree: body, frame within it, and the default class of what has none. */
typedef struct Scope {
    int body, class_id;
    tacPose frame;
} Scope;

static tacStatus read_children(tacMjcf *m, const xmlNode *node, Scope *scope);

static tacPose identity_pose(void) { return (tacPose){tac_zero3(), tac_quat_identity()}; }

static tacStatus resolve_orient(tacMjcf *m, const xmlNode *node, const tacOrient *orient, tacQuat *quat) {
    const char *wrong = tac_orient_resolve(orient, &m->compiler.angles, quat);
    return wrong == NULL ? TAC_OK : tac_xml_fail(node, m->err, TAC_ERR_MODEL, "%s", wrong);
}

/* pos and orientation of a body or frame. */
static tacStatus read_pose(tacMjcf *m, const xmlNode *node, tacPose *pose) {
    tacOrient orient = {.quat = tac_quat_identity()};
    *pose = identity_pose();
    tacStatus status = tac_xml_doubles(node, "pos", 3, 3, &pose->pos.x, NULL, m->err);
    if (status == TAC_OK) status = tac_mjcf_orient(m, node, &orient);
    return status == TAC_OK ? resolve_orient(m, node, &orient, &pose->quat) : status;
}

/* --- Bodies and frames -------------------------------------------------------------------------------------------- */

typedef struct BodyRecord {
    double gravcomp;
    int mocap;
} BodyRecord;

static const tacAttr BODY[] = {{"name", TAC_A_ELSE},
                               {"childclass", TAC_A_ELSE},
                               {"pos", TAC_A_ELSE},
                               TAC_MJCF_ORIENT_ATTRS,
                               {"mocap", TAC_A_YESNO, .offset = offsetof(BodyRecord, mocap)},
                               {"gravcomp", TAC_A_NUMBER, .offset = offsetof(BodyRecord, gravcomp)},
                               {"sleep", TAC_A_UNUSED},
                               {"simple", TAC_A_UNUSED},
                               {"user", TAC_A_UNUSED},
                               TAC_ATTR_END};

static tacStatus read_body(tacMjcf *m, const xmlNode *node, void *scope_) {
    const Scope *scope = scope_;
    tacMjcfBody body = {.def = tac_default_body(), .parent = scope->body, .node = node};
    BodyRecord record = {0};
    Scope inner = {.frame = identity_pose()};
    tacPose pose;
    tacStatus status = tac_mjcf_read(m, node, BODY, &record);
    if (status == TAC_OK) status = tac_mjcf_class(m, node, "childclass", scope->class_id, &inner.class_id);
    if (status == TAC_OK) status = read_pose(m, node, &pose);
    if (status != TAC_OK) return status;
    /* Where a body without mass has its centre of mass, MuJoCo puts the body's own frame, before any <frame>. */
    body.def.ipos = pose.pos;
    body.def.iquat = pose.quat;
    pose = tac_pose_compose(scope->frame, pose);
    body.def.pos = pose.pos;
    body.def.quat = pose.quat;
    body.def.name = tac_xml_get(node, "name");
    body.def.mocap = record.mocap;
    body.def.gravcomp = record.gravcomp;
    inner.body = tac_mjcf_add(m, &m->body, &body, sizeof body, TAC_KIND_BODY, body.def.name);
    return inner.body >= 0 ? read_children(m, node, &inner) : TAC_ERR_MEMORY;
}

static tacStatus read_frame(tacMjcf *m, const xmlNode *node, void *scope_) {
    static const tacAttr attributes[] = {
        {"name", TAC_A_ELSE}, {"childclass", TAC_A_ELSE}, {"pos", TAC_A_ELSE}, TAC_MJCF_ORIENT_ATTRS, TAC_ATTR_END};
    const Scope *scope = scope_;
    Scope inner = *scope;
    tacPose pose;
    tacStatus status = tac_mjcf_read(m, node, attributes, NULL);
    if (status == TAC_OK) status = tac_mjcf_class(m, node, "childclass", scope->class_id, &inner.class_id);
    if (status == TAC_OK) status = read_pose(m, node, &pose);
    if (status != TAC_OK) return status;
    inner.frame = tac_pose_compose(scope->frame, pose);
    return read_children(m, node, &inner);
}

/* --- <inertial> --------------------------------------------------------------------------------------------------- */

typedef struct InertialRecord {
    double pos[3], mass, diag[3], full[6];
    int npos, nmass, ndiag, nfull;
} InertialRecord;

#define AT(field)         .offset = offsetof(InertialRecord, field)
#define COUNTED(field, n) .offset = offsetof(InertialRecord, field), .count_offset = offsetof(InertialRecord, n)
static const tacAttr INERTIAL[] = {{"pos", TAC_A_NUMBERS(3, 3), COUNTED(pos, npos)},
                                   {"mass", TAC_A_NUMBER, COUNTED(mass, nmass)},
                                   {"diaginertia", TAC_A_NUMBERS(3, 3), COUNTED(diag, ndiag)},
                                   {"fullinertia", TAC_A_NUMBERS(6, 6), COUNTED(full, nfull)},
                                   TAC_MJCF_ORIENT_ATTRS,
                                   TAC_ATTR_END};
#undef AT
#undef COUNTED

static tacStatus check_inertial(tacMjcf *m, const xmlNode *node, const InertialRecord *r, const tacOrient *orient,
                                int given) {
    if (r->npos == 0) return tac_xml_fail(node, m->err, TAC_ERR_SYNTAX, "attribute 'pos' is missing");
    if (r->nmass == 0) return tac_xml_fail(node, m->err, TAC_ERR_SYNTAX, "attribute 'mass' is missing");
    if (r->nfull > 0 && r->ndiag > 0)
        return tac_xml_fail(node, m->err, TAC_ERR_SYNTAX, "found diaginertia and fullinertia, expected one of them");
    if (r->nfull > 0 && (orient->kind != TAC_ORIENT_QUAT || given))
        return tac_xml_fail(node, m->err, TAC_ERR_SYNTAX, "found fullinertia and an orientation, expected one of them");
    return TAC_OK;
}

static tacStatus read_inertial(tacMjcf *m, const xmlNode *node, void *scope_) {
    const Scope *scope = scope_;
    InertialRecord r = {.npos = 0};
    tacOrient orient = {.quat = tac_quat_identity()};
    tacMjcfBody *body = TAC_AT(m->body, tacMjcfBody, scope->body);
    if (scope->body == 0)
        return tac_xml_fail(node, m->err, TAC_ERR_MODEL, "the world has no inertia, expected no <inertial> here");
    if (body->has_inertial)
        return tac_xml_fail(node, m->err, TAC_ERR_SYNTAX, "found a second <inertial>, expected one per body");
    tacStatus status = tac_mjcf_read(m, node, INERTIAL, &r);
    if (status == TAC_OK) status = tac_mjcf_orient(m, node, &orient);
    if (status == TAC_OK) status = check_inertial(m, node, &r, &orient, tac_xml_get(node, "quat") != NULL);
    if (status == TAC_OK) status = resolve_orient(m, node, &orient, &body->def.iquat);
    if (status != TAC_OK) return status;
    body->has_inertial = 1;
    body->def.inertial = r.nfull > 0 ? TAC_INERTIAL_FULL : TAC_INERTIAL_DIAG;
    body->def.mass = r.mass;
    body->def.ipos = tac_load3(r.pos);
    body->def.inertia = tac_load3(r.diag);
    body->def.fullinertia = (tacSym3){r.full[0], r.full[1], r.full[2], r.full[3], r.full[4], r.full[5]};
    return TAC_OK;
}

/* --- Joints ------------------------------------------------------------------------------------------------------- */

enum { JOINT_FIXED = 100 };
static const tacKeyword JOINT_TYPE[] = {{"free", TAC_JOINT_FREE},   {"ball", TAC_JOINT_BALL},
                                        {"slide", TAC_JOINT_SLIDE}, {"hinge", TAC_JOINT_HINGE},
                                        {"fixed", JOINT_FIXED},     {NULL, 0}};

#define AT(field) .offset = offsetof(tacMjcfJoint, field)
static const tacAttr JOINT[] = {TAC_A_NAME,
                                {"type", TAC_A_KEY(JOINT_TYPE), AT(def.type)},
                                {"group", TAC_A_WHOLE, AT(def.group)},
                                {"pos", TAC_A_NUMBERS(3, 3), AT(def.pos)},
                                {"axis", TAC_A_NUMBERS(3, 3), AT(def.axis)},
                                {"springdamper", TAC_A_NUMBERS(2, 2), AT(def.springdamper)},
                                {"limited", TAC_A_KEY(TAC_MJCF_AUTOBOOL), AT(def.limited)},
                                {"actuatorfrclimited", TAC_A_KEY(TAC_MJCF_AUTOBOOL), AT(def.actfrclimited)},
                                {"solreflimit", TAC_A_NUMBERS(1, 2), AT(def.solref_limit)},
                                {"solimplimit", TAC_A_NUMBERS(1, 5), AT(def.solimp_limit)},
                                {"solreffriction", TAC_A_NUMBERS(1, 2), AT(def.solref_friction)},
                                {"solimpfriction", TAC_A_NUMBERS(1, 5), AT(def.solimp_friction)},
                                {"stiffness", TAC_A_NUMBERS(1, 3), AT(stiffness)},
                                {"range", TAC_A_NUMBERS(2, 2), AT(def.range)},
                                {"actuatorfrcrange", TAC_A_NUMBERS(2, 2), AT(def.actfrcrange)},
                                {"actuatorgravcomp", TAC_A_YESNO, AT(def.actgravcomp)},
                                {"margin", TAC_A_NUMBER, AT(def.margin)},
                                {"ref", TAC_A_NUMBER, AT(def.ref)},
                                {"springref", TAC_A_NUMBER, AT(def.springref)},
                                {"armature", TAC_A_NUMBER, AT(def.armature)},
                                {"damping", TAC_A_NUMBERS(1, 3), AT(damping)},
                                {"frictionloss", TAC_A_NUMBER, AT(def.frictionloss)},
                                {"user", TAC_A_UNUSED},
                                TAC_ATTR_END};
#undef AT

tacStatus tac_mjcf_read_joint(tacMjcf *m, const xmlNode *node, tacMjcfJoint *joint) {
    return tac_mjcf_read(m, node, JOINT, joint);
}

/* Limits, and angles in radians. MuJoCo converts a range only where it limits. */
static tacStatus resolve_limits(tacMjcf *m, tacMjcfJoint *joint) {
    tacJointDef *def = &joint->def;
    int is_free = def->type == TAC_JOINT_FREE, turns = def->type == TAC_JOINT_HINGE || def->type == TAC_JOINT_BALL;
    if (is_free) def->limited = 0;
    if (is_free || def->type == TAC_JOINT_BALL) def->actfrclimited = 0;
    tacStatus status = tac_mjcf_limited(m, joint->node, "the joint", &def->limited, def->range);
    if (status == TAC_OK)
        status = tac_mjcf_limited(m, joint->node, "the actuator force", &def->actfrclimited, def->actfrcrange);
    const tacAngles *angles = &m->compiler.angles;
    for (int i = 0; i < 2 && def->limited && turns; i++)
        def->range[i] = tac_orient_radians(angles, def->range[i]);
    if (def->type == TAC_JOINT_HINGE) {
        def->ref = tac_orient_radians(angles, def->ref);
        def->springref = tac_orient_radians(angles, def->springref);
    }
    return status;
}

static void place_joint(tacJointDef *def, tacPose frame) {
    if (def->type == TAC_JOINT_FREE || def->type == TAC_JOINT_BALL)
        def->axis = tac_vec3(0, 0, 1);
    else
        def->axis = tac_quat_rotate(frame.quat, def->axis);
    def->pos = def->type == TAC_JOINT_FREE ? tac_zero3() : tac_add3(frame.pos, tac_quat_rotate(frame.quat, def->pos));
}

static tacStatus add_joint(tacMjcf *m, const xmlNode *node, tacMjcfJoint *joint, const Scope *scope) {
    if (scope->body == 0)
        return tac_xml_fail(node, m->err, TAC_ERR_MODEL, "the world does not move, expected a joint inside a <body>");
    joint->def.name = tac_xml_get(node, "name");
    joint->body = scope->body;
    joint->node = node;
    tacStatus status = resolve_limits(m, joint);
    if (status != TAC_OK) return status;
    place_joint(&joint->def, scope->frame);
    int id = tac_mjcf_add(m, &m->joint, joint, sizeof *joint, TAC_KIND_JOINT, joint->def.name);
    return id >= 0 ? TAC_OK : TAC_ERR_MEMORY;
}

static tacStatus read_joint(tacMjcf *m, const xmlNode *node, void *scope) {
    int class_id;
    tacStatus status = tac_mjcf_class(m, node, "class", ((Scope *)scope)->class_id, &class_id);
    if (status != TAC_OK) return status;
    tacMjcfJoint joint = *TAC_AT(m->classes, tacMjcfClass, class_id)->joint;
    status = tac_mjcf_read_joint(m, node, &joint);
    if (status == TAC_OK) status = tac_mjcf_linear(m, node, "stiffness", joint.stiffness, &joint.def.stiffness);
    if (status == TAC_OK) status = tac_mjcf_linear(m, node, "damping", joint.damping, &joint.def.damping);
    if (status != TAC_OK) return status;
    if ((int)joint.def.type == JOINT_FIXED) {
        tac_mjcf_warn(m, node, "a joint of type \"fixed\" has no degree of freedom: it is ignored");
        return TAC_OK;
    }
    return add_joint(m, node, &joint, scope);
}

/* No default class reaches a <freejoint>. */
static tacStatus read_freejoint(tacMjcf *m, const xmlNode *node, void *scope) {
    static const tacAttr attributes[] = {
        {"name", TAC_A_ELSE},
        {"group", TAC_A_WHOLE, .offset = offsetof(tacMjcfJoint, def.group)},
        {"align", TAC_A_KEY(TAC_MJCF_AUTOBOOL), .offset = offsetof(tacMjcfJoint, align)},
        TAC_ATTR_END};
    tacMjcfJoint joint = {.def = tac_default_joint(), .align = TAC_MJCF_AUTO};
    joint.def.type = TAC_JOINT_FREE;
    tacStatus status = tac_mjcf_read(m, node, attributes, &joint);
    return status == TAC_OK ? add_joint(m, node, &joint, scope) : status;
}

/* --- Sites -------------------------------------------------------------------------------------------------------- */

#define AT(field) .offset = offsetof(tacMjcfSite, field)
static const tacAttr SITE[] = {
    TAC_A_NAME,
    {"type", TAC_A_KEY(TAC_MJCF_GEOM_TYPE), AT(def.type)},
    {"group", TAC_A_WHOLE, AT(def.group)},
    {"pos", TAC_A_NUMBERS(3, 3), AT(def.pos)},
    TAC_MJCF_ORIENT_ATTRS,
    {"material", TAC_A_UNUSED},
    {"size", TAC_A_NUMBERS(1, 3), AT(def.size)},
    {"fromto", TAC_A_NUMBERS(6, 6), AT(fromto), .count_offset = offsetof(tacMjcfSite, nfromto)},
    {"rgba", TAC_A_UNUSED},
    {"user", TAC_A_UNUSED},
    TAC_ATTR_END};
#undef AT

tacStatus tac_mjcf_read_site(tacMjcf *m, const xmlNode *node, tacMjcfSite *site) {
    tacStatus status = tac_mjcf_read(m, node, SITE, site);
    return status == TAC_OK ? tac_mjcf_orient(m, node, &site->orient) : status;
}

static tacStatus check_site_type(tacMjcf *m, const tacMjcfSite *site) {
    switch (site->def.type) {
    case TAC_GEOM_SPHERE:
    case TAC_GEOM_CAPSULE:
    case TAC_GEOM_ELLIPSOID:
    case TAC_GEOM_CYLINDER:
    case TAC_GEOM_BOX:
        return TAC_OK;
    default:
        return tac_xml_fail(site->node, m->err, TAC_ERR_MODEL,
                            "attribute 'type': expected sphere, capsule, ellipsoid, cylinder or box for a site");
    }
}

static tacStatus read_site(tacMjcf *m, const xmlNode *node, void *scope_) {
    const Scope *scope = scope_;
    int class_id;
    tacStatus status = tac_mjcf_class(m, node, "class", scope->class_id, &class_id);
    if (status != TAC_OK) return status;
    tacMjcfSite site = *TAC_AT(m->classes, tacMjcfClass, class_id)->site;
    site.node = node;
    site.body = scope->body;
    site.order = m->site.n;
    status = tac_mjcf_read_site(m, node, &site);
    if (status == TAC_OK) status = check_site_type(m, &site);
    if (status == TAC_OK) {
        if (site.nfromto > 0)
            status = tac_mjcf_fromto(m, node, site.fromto, site.def.type, &site.def.pos, &site.def.quat, site.def.size);
        else
            status = resolve_orient(m, node, &site.orient, &site.def.quat);
    }
    if (status != TAC_OK) return status;
    tacPose pose = tac_pose_compose(scope->frame, (tacPose){site.def.pos, site.def.quat});
    site.def.pos = pose.pos;
    site.def.quat = pose.quat;
    site.def.name = tac_xml_get(node, "name");
    int id = tac_mjcf_add(m, &m->site, &site, sizeof site, TAC_KIND_SITE, site.def.name);
    return id >= 0 ? TAC_OK : TAC_ERR_MEMORY;
}

/* --- What else a body may hold ------------------------------------------------------------------------------------ */

static tacStatus read_geom(tacMjcf *m, const xmlNode *node, void *scope_) {
    const Scope *scope = scope_;
    int class_id;
    tacStatus status = tac_mjcf_class(m, node, "class", scope->class_id, &class_id);
    return status == TAC_OK ? tac_mjcf_add_geom(m, node, class_id, scope->body, scope->frame) : status;
}

/* These make bodies and joints of their own, which a model without them lacks. */
static tacStatus read_generated(tacMjcf *m, const xmlNode *node, void *scope) {
    (void)scope;
    return tac_mjcf_unsupported(m, node, "<%s> is not supported: the bodies it creates are missing",
                                tac_xml_name(node));
}

static tacStatus read_plugin(tacMjcf *m, const xmlNode *node, void *scope) {
    (void)scope;
    return tac_mjcf_unsupported(m, node, "plugins are not supported: their forces are ignored");
}

static tacStatus read_attach(tacMjcf *m, const xmlNode *node, void *scope_) {
    const Scope *scope = scope_;
    return tac_mjcf_attach(m, node, scope->body, scope->frame);
}

static tacStatus read_children(tacMjcf *m, const xmlNode *node, Scope *scope) {
    static const tacMjcfChild children[] = {{"body", read_body},
                                            {"geom", read_geom},
                                            {"joint", read_joint},
                                            {"site", read_site},
                                            {"inertial", read_inertial},
                                            {"freejoint", read_freejoint},
                                            {"frame", read_frame},
                                            {"camera", tac_mjcf_ignore_looks},
                                            {"light", tac_mjcf_ignore_looks},
                                            {"composite", read_generated},
                                            {"flexcomp", read_generated},
                                            {"plugin", read_plugin},
                                            {"attach", read_attach},
                                            {NULL, NULL}};
    return tac_mjcf_children(m, node, children, scope);
}

tacStatus tac_mjcf_worldbody(tacMjcf *m, const xmlNode *section) {
    static const tacAttr none[] = {TAC_ATTR_END};
    Scope scope = {.frame = identity_pose()};
    tacStatus status = tac_mjcf_read(m, section, none, NULL);
    return status == TAC_OK ? read_children(m, section, &scope) : status;
}
