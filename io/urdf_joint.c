/* Joints, as MuJoCo's URDF reader makes them: revolute and continuous are hinges, a planar joint is two slides and a
 * hinge, effort bounds the force that actuators may give. */
#include "io/urdf_parse.h"

#include "base/error.h"
#include "math/quat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ids of the model joints that one URDF joint gives: at most x, y, z and a rotation. */
enum { MAX_PARTS = 4 };

tacStatus tac_urdf_read_joint_type(tacUrdf *urdf, tacUrdfJoint *joint) {
    static const tacKeyword types[] = {{"revolute", TAC_URDF_REVOLUTE},
                                       {"continuous", TAC_URDF_CONTINUOUS},
                                       {"prismatic", TAC_URDF_PRISMATIC},
                                       {"fixed", TAC_URDF_FIXED},
                                       {"floating", TAC_URDF_FLOATING},
                                       {"planar", TAC_URDF_PLANAR},
                                       {"planaraxis", TAC_URDF_PLANAR}, /* Dojo's word */
                                       {"spherical", TAC_URDF_BALL},    /* Bullet's word */
                                       {"ball", TAC_URDF_BALL},
                                       {"orbital", TAC_URDF_ORBITAL}, /* Dojo: two rotations */
                                       {NULL, 0}};
    const char *text;
    int type = TAC_URDF_FIXED;
    tacStatus status = tac_xml_need(joint->node, "type", &text, urdf->err);
    if (status == TAC_OK) status = tac_xml_keyword(joint->node, "type", types, &type, urdf->err);
    joint->type = (tacUrdfJointType)type;
    return status;
}

/* --- Attributes --------------------------------------------------------------------------------------------------- */

static tacStatus read_axis(tacUrdf *urdf, const tacUrdfJoint *joint, tacVec3 *axis) {
    double xyz[3] = {1, 0, 0};
    const char *text;
    const xmlNode *node = tac_xml_child(joint->node, "axis");
    if (node != NULL) {
        tacStatus status = tac_xml_need(node, "xyz", &text, urdf->err);
        if (status == TAC_OK) status = tac_xml_doubles(node, "xyz", 3, 3, xyz, NULL, urdf->err);
        if (status != TAC_OK) return status;
    }
    *axis = tac_load3(xyz);
    int needed = joint->type != TAC_URDF_FIXED && joint->type != TAC_URDF_FLOATING && joint->type != TAC_URDF_BALL;
    if (needed && tac_norm3(*axis) == 0)
        return tac_xml_fail(joint->node, urdf->err, TAC_ERR_MODEL, "axis is zero, expected a direction");
    return TAC_OK;
}

/* Real files double <dynamics>; the first to give a number counts. */
static tacStatus read_dynamics_number(tacUrdf *urdf, const xmlNode *joint, const char *attr, double *value) {
    for (const xmlNode *node = tac_xml_child(joint, "dynamics"); node != NULL; node = tac_xml_next(node, "dynamics")) {
        int n = 0;
        tacStatus status = tac_xml_doubles(node, attr, 1, 1, value, &n, urdf->err);
        if (status != TAC_OK) return status;
        if (n == 1 && *value < 0)
            return tac_xml_fail(joint, urdf->err, TAC_ERR_MODEL, "<dynamics> %s is %g, expected zero or more", attr,
                                *value);
        if (n == 1) return TAC_OK;
    }
    return TAC_OK;
}

static tacStatus read_dynamics(tacUrdf *urdf, const xmlNode *joint, tacJointDef *def) {
    const xmlNode *first = tac_xml_child(joint, "dynamics");
    const xmlNode *second = first != NULL ? tac_xml_next(first, "dynamics") : NULL;
    if (second != NULL)
        tac_urdf_warn(urdf, joint, "a second <dynamics> on line %d: the first is used", tac_xml_line(second));
    tacStatus status = read_dynamics_number(urdf, joint, "damping", &def->damping);
    return status == TAC_OK ? read_dynamics_number(urdf, joint, "friction", &def->frictionloss) : status;
}

/* Range and largest force of a hinge or slide. A range that is half given, empty or reversed is none, as in MuJoCo. */
static tacStatus read_limit(tacUrdf *urdf, const xmlNode *joint, tacJointDef *def, double *effort) {
    const xmlNode *node = tac_xml_child(joint, "limit");
    int nlower = 0, nupper = 0;
    *effort = 0;
    if (node == NULL) return TAC_OK;
    tacStatus status = tac_xml_doubles(node, "lower", 1, 1, &def->range[0], &nlower, urdf->err);
    if (status == TAC_OK) status = tac_xml_doubles(node, "upper", 1, 1, &def->range[1], &nupper, urdf->err);
    if (status == TAC_OK) status = tac_xml_doubles(node, "effort", 1, 1, effort, NULL, urdf->err);
    if (status != TAC_OK) return status;
    def->limited = nlower == 1 && nupper == 1 && def->range[0] < def->range[1];
    if (!def->limited && def->range[0] > def->range[1])
        tac_urdf_warn(urdf, joint, "limit from %g to %g is reversed: the joint is not limited", def->range[0],
                      def->range[1]);
    if (!def->limited) def->range[0] = def->range[1] = 0;
    *effort = tac_abs(*effort);
    return TAC_OK;
}

static void set_effort(tacJointDef *def, double effort) {
    if (effort <= 0) return;
    def->actfrclimited = 1;
    def->actfrcrange[0] = -effort;
    def->actfrcrange[1] = effort;
}

static void clear_bounds(tacJointDef *def) {
    def->limited = def->actfrclimited = 0;
    def->range[0] = def->range[1] = def->actfrcrange[0] = def->actfrcrange[1] = 0;
}

/* --- Adding ------------------------------------------------------------------------------------------------------- */

/* A motor, with --actuate joints. */
static void add_motor(tacUrdf *urdf, const xmlNode *node, int joint, const tacJointDef *def) {
    if (urdf->options->actuate_joints && def->type == TAC_JOINT_BALL)
        tac_urdf_warn(urdf, node, "no motor for joint \"%s\": a ball joint has no single axis", def->name);
    if (!urdf->options->actuate_joints || joint < 0 || (def->type != TAC_JOINT_HINGE && def->type != TAC_JOINT_SLIDE))
        return;
    tacActuatorDef motor = tac_default_actuator();
    motor.name = def->name;
    motor.trnid[0] = joint;
    motor.ctrllimited = def->actfrclimited;
    memcpy(motor.ctrlrange, def->actfrcrange, sizeof motor.ctrlrange);
    tac_urdf_added(urdf, TAC_KIND_ACTUATOR, tac_model_add_actuator(urdf->builder, &motor), node);
}

static tacStatus add_part(tacUrdf *urdf, tacUrdfJoint *joint, const char *suffix, tacJointDef def) {
    size_t size = strlen(joint->name) + strlen(suffix) + 1;
    char *name = malloc(size);
    if (name == NULL) return tac_xml_fail(joint->node, urdf->err, TAC_ERR_MEMORY, "no memory for a joint");
    snprintf(name, size, "%s%s", joint->name, suffix);
    def.name = name;
    def.armature = joint->weightless ? TAC_URDF_LEAST_ARMATURE : 0;
    int id = tac_model_add_joint(urdf->builder, urdf->link[joint->child].body, &def);
    tac_urdf_added(urdf, TAC_KIND_JOINT, id, joint->node);
    if (joint->id < 0) joint->id = id;
    add_motor(urdf, joint->node, id, &def);
    free(name);
    return TAC_OK;
}

/* One part of a joint that is made of several. */
typedef struct Part {
    const char *suffix;
    tacJointType type;
    tacVec3 axis;
} Part;

/* Only the first part takes range and effort: MuJoCo's reader does so. */
static tacStatus add_parts(tacUrdf *urdf, tacUrdfJoint *joint, int n, const Part *part, tacJointDef def) {
    tacStatus status = TAC_OK;
    for (int i = 0; i < n && status == TAC_OK; i++) {
        def.type = part[i].type;
        def.axis = part[i].axis;
        status = add_part(urdf, joint, part[i].suffix, def);
        clear_bounds(&def);
    }
    return status;
}

/* Column k of the rotation that takes z to the axis. */
static tacVec3 across(tacVec3 axis, int k) {
    tacMat3 R = tac_quat_mat(tac_quat_from_z(axis));
    return tac_vec3(R.m[k], R.m[3 + k], R.m[6 + k]);
}

/* Two slides in the plane across the axis, then a turn about it. */
static tacStatus add_planar(tacUrdf *urdf, tacUrdfJoint *joint, tacVec3 axis, tacJointDef def) {
    Part part[] = {{"_TX", TAC_JOINT_SLIDE, across(axis, 0)},
                   {"_TY", TAC_JOINT_SLIDE, across(axis, 1)},
                   {"_RZ", TAC_JOINT_HINGE, axis}};
    return add_parts(urdf, joint, 3, part, def);
}

/* Dojo's orbital joint locks the rotation about its axis; two hinges across the axis come nearest. */
static tacStatus add_orbital(tacUrdf *urdf, tacUrdfJoint *joint, tacVec3 axis, tacJointDef def) {
    tacStatus status = tac_urdf_refuse(urdf, joint->node, TAC_ERR_UNSUPPORTED,
                                       "two hinges perpendicular to the axis replace it", "joint type \"orbital\"");
    Part part[] = {{"_RX", TAC_JOINT_HINGE, across(axis, 0)}, {"_RY", TAC_JOINT_HINGE, across(axis, 1)}};
    return status == TAC_OK ? add_parts(urdf, joint, 2, part, def) : status;
}

/* Free on the world; below another link three slides and a ball, which are the same motion. */
static tacStatus add_floating(tacUrdf *urdf, tacUrdfJoint *joint, tacJointDef def) {
    clear_bounds(&def);
    if (urdf->link[joint->parent].body == 0) {
        def.type = TAC_JOINT_FREE;
        return add_part(urdf, joint, "", def);
    }
    Part part[MAX_PARTS] = {{"_TX", TAC_JOINT_SLIDE, {1, 0, 0}},
                            {"_TY", TAC_JOINT_SLIDE, {0, 1, 0}},
                            {"_TZ", TAC_JOINT_SLIDE, {0, 0, 1}},
                            {"_R", TAC_JOINT_BALL, {0, 0, 1}}};
    return add_parts(urdf, joint, MAX_PARTS, part, def);
}

static tacStatus add_ball(tacUrdf *urdf, tacUrdfJoint *joint, tacJointDef def) {
    def.type = TAC_JOINT_BALL;
    if (def.limited) tac_urdf_warn(urdf, joint->node, "limits of a ball joint are ignored");
    clear_bounds(&def);
    return add_part(urdf, joint, "", def);
}

static void ignore_rest(tacUrdf *urdf, const xmlNode *joint) {
    static const char *const known[] = {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"};
    for (const xmlNode *node = tac_xml_child(joint, NULL); node != NULL; node = tac_xml_next(node, NULL)) {
        int skip = 0;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            skip |= tac_xml_is(node, known[i]);
        if (!skip) tac_urdf_ignore(urdf, node);
    }
}

tacStatus tac_urdf_add_joint(tacUrdf *urdf, tacUrdfJoint *joint) {
    tacJointDef def = tac_default_joint();
    double effort;
    ignore_rest(urdf, joint->node);
    tacStatus status = read_axis(urdf, joint, &def.axis);
    if (status == TAC_OK) status = read_dynamics(urdf, joint->node, &def);
    if (status == TAC_OK) status = read_limit(urdf, joint->node, &def, &effort);
    if (status != TAC_OK) return status;
    set_effort(&def, effort);
    switch (joint->type) {
    case TAC_URDF_FIXED:
        return TAC_OK;
    case TAC_URDF_PLANAR:
        return add_planar(urdf, joint, def.axis, def);
    case TAC_URDF_ORBITAL:
        return add_orbital(urdf, joint, def.axis, def);
    case TAC_URDF_FLOATING:
        return add_floating(urdf, joint, def);
    case TAC_URDF_BALL:
        return add_ball(urdf, joint, def);
    case TAC_URDF_REVOLUTE:
    case TAC_URDF_CONTINUOUS:
        def.type = TAC_JOINT_HINGE;
        break;
    case TAC_URDF_PRISMATIC:
        def.type = TAC_JOINT_SLIDE;
        break;
    }
    return add_part(urdf, joint, "", def);
}

tacStatus tac_urdf_add_free_joint(tacUrdf *urdf, const tacUrdfLink *root) {
    static const char suffix[] = "_free_joint";
    size_t size = strlen(root->name) + sizeof suffix;
    char *name = malloc(size);
    if (name == NULL) return tac_xml_fail(root->node, urdf->err, TAC_ERR_MEMORY, "no memory for a joint");
    snprintf(name, size, "%s%s", root->name, suffix);
    tacJointDef def = tac_default_joint();
    def.name = tac_urdf_names_find(&urdf->joint_names, name) < 0 ? name : NULL;
    def.type = TAC_JOINT_FREE;
    def.armature = root->weightless ? TAC_URDF_LEAST_ARMATURE : 0;
    tac_urdf_added(urdf, TAC_KIND_JOINT, tac_model_add_joint(urdf->builder, root->body, &def), root->node);
    free(name);
    return TAC_OK;
}

/* --- Couplings ---------------------------------------------------------------------------------------------------- */

static int is_scalar(const tacUrdfJoint *joint) {
    return joint->type == TAC_URDF_REVOLUTE || joint->type == TAC_URDF_CONTINUOUS || joint->type == TAC_URDF_PRISMATIC;
}

/* q = offset + multiplier q_leader */
static tacStatus add_mimic(tacUrdf *urdf, const tacUrdfJoint *joint, const xmlNode *mimic) {
    const char *name;
    tacEqualityDef def = tac_default_equality();
    double multiplier = 1, offset = 0;
    tacStatus status = tac_xml_need(mimic, "joint", &name, urdf->err);
    if (status == TAC_OK) status = tac_xml_doubles(mimic, "multiplier", 1, 1, &multiplier, NULL, urdf->err);
    if (status == TAC_OK) status = tac_xml_doubles(mimic, "offset", 1, 1, &offset, NULL, urdf->err);
    if (status != TAC_OK) return status;
    int leader = tac_urdf_names_find(&urdf->joint_names, name);
    if (leader < 0)
        return tac_xml_fail(joint->node, urdf->err, TAC_ERR_NAME, "mimics joint \"%s\", which does not exist", name);
    const tacUrdfJoint *other = &urdf->joint[leader];
    if (other == joint) return tac_xml_fail(joint->node, urdf->err, TAC_ERR_MODEL, "mimics itself");
    if (!is_scalar(joint) || !is_scalar(other) || joint->id < 0 || other->id < 0) {
        tac_urdf_warn(urdf, joint->node, "<mimic> requires two joints with one coordinate each: it is ignored");
        return TAC_OK;
    }
    def.type = TAC_EQ_JOINT;
    def.objkind = TAC_KIND_JOINT;
    def.obj[0] = joint->id;
    def.obj[1] = other->id;
    def.data[0] = offset;
    def.data[1] = multiplier;
    tac_urdf_added(urdf, TAC_KIND_EQUALITY, tac_model_add_equality(urdf->builder, &def), joint->node);
    return TAC_OK;
}

/* <link1 link="" xyz=""> of a loop joint -> body and point in it. */
static tacStatus read_loop_end(tacUrdf *urdf, const xmlNode *loop, const char *which, int *body, double xyz[3]) {
    const xmlNode *node = tac_xml_child(loop, which);
    const char *name;
    if (node == NULL)
        return tac_xml_fail(loop, urdf->err, TAC_ERR_SYNTAX, "element <%s link=\"...\"> is missing", which);
    tacStatus status = tac_xml_need(node, "link", &name, urdf->err);
    if (status == TAC_OK) status = tac_xml_doubles(node, "xyz", 3, 3, xyz, NULL, urdf->err);
    if (status != TAC_OK) return status;
    int link = tac_urdf_names_find(&urdf->link_names, name);
    if (link < 0) return tac_xml_fail(loop, urdf->err, TAC_ERR_NAME, "%s \"%s\" does not exist", which, name);
    *body = urdf->link[link].body;
    return TAC_OK;
}

/* Dojo's loop_joint -> the two bodies share a point, given in the first. */
static tacStatus add_loop(tacUrdf *urdf, const xmlNode *loop) {
    tacEqualityDef def = tac_default_equality();
    double other[3] = {0, 0, 0};
    def.data[1] = 0;
    tacStatus status = read_loop_end(urdf, loop, "link1", &def.obj[0], def.data);
    if (status == TAC_OK) status = read_loop_end(urdf, loop, "link2", &def.obj[1], other);
    if (status != TAC_OK) return status;
    tac_urdf_added(urdf, TAC_KIND_EQUALITY, tac_model_add_equality(urdf->builder, &def), loop);
    return TAC_OK;
}

tacStatus tac_urdf_add_couplings(tacUrdf *urdf) {
    tacStatus status = TAC_OK;
    for (int i = 0; i < urdf->njoint && status == TAC_OK; i++) {
        const xmlNode *mimic = tac_xml_child(urdf->joint[i].node, "mimic");
        if (mimic != NULL) status = add_mimic(urdf, &urdf->joint[i], mimic);
    }
    for (const xmlNode *node = tac_xml_child(urdf->robot, "loop_joint"); node != NULL && status == TAC_OK;
         node = tac_xml_next(node, "loop_joint"))
        status = add_loop(urdf, node);
    return status;
}
