/* Every message of validation: what is broken, which element is named, what it says. */
#include "model/sample.h"
#include "support/check.h"

#include <float.h>
#include <math.h>

/* A builder with a floor, two bodies on hinges with a sphere each, a mesh, ready to be broken. */
typedef struct Broken {
    tacBuilder *b;
    tacBodyDef body;
    tacJointDef joint;
    tacGeomDef geom;
    tacMeshDef mesh;
    tacSiteDef site;
    tacTendonDef tendon;
    tacActuatorDef actuator;
    tacEqualityDef equality;
    tacPairDef pair;
    tacKeyDef key;
    tacOptionDef option;
} Broken;

static Broken healthy(void) {
    Broken x = {.b = tac_model_begin(),
                .body = tac_default_body(),
                .joint = tac_default_joint(),
                .geom = tac_default_geom(),
                .mesh = cube_mesh(TAC_MESH_LEGACY),
                .site = tac_default_site(),
                .tendon = tac_default_tendon(),
                .actuator = tac_default_actuator(),
                .equality = tac_default_equality(),
                .pair = tac_default_pair(),
                .key = tac_default_key(),
                .option = tac_default_option()};
    x.geom.size[0] = x.geom.size[1] = x.geom.size[2] = 0.1;
    const char *names[] = {"hip", "shin"}, *joints[] = {"hinge", "ball"};
    for (int i = 0; i < 2; i++) {
        x.body.name = names[i];
        x.joint.name = joints[i];
        x.joint.type = i == 0 ? TAC_JOINT_HINGE : TAC_JOINT_BALL;
        tac_model_add_body(x.b, i, &x.body);
        tac_model_add_joint(x.b, i + 1, &x.joint);
        tac_model_add_geom(x.b, i + 1, &x.geom);
    }
    x.joint.type = TAC_JOINT_HINGE;
    x.body.name = x.joint.name = NULL;
    x.geom.name = "foot";
    x.actuator.trnid[0] = 0;
    x.equality.obj[0] = 1;
    return x;
}

/* Each breaks one thing. */
#define BREAK(name) static void name(Broken *x)
#define ADD_BODY    tac_model_add_body(x->b, 0, &x->body)
#define ADD_JOINT   tac_model_add_joint(x->b, 2, &x->joint)
#define ADD_GEOM    tac_model_add_geom(x->b, 2, &x->geom)

BREAK(same_name) { x->body.name = "hip", ADD_BODY; }
BREAK(second_world) { x->body.name = "world", ADD_BODY; }
BREAK(nan_pos) { x->body.pos.y = (double)NAN, ADD_BODY; }
BREAK(zero_quat) { x->body.quat.w = 0, ADD_BODY; }
BREAK(zero_iquat) { x->body.inertial = TAC_INERTIAL_DIAG, x->body.iquat.w = 0, ADD_BODY; }
BREAK(negative_mass) { x->body.inertial = TAC_INERTIAL_DIAG, x->body.mass = -2, ADD_BODY; }
BREAK(negative_inertia) {
    x->body.inertial = TAC_INERTIAL_DIAG, x->body.mass = 1, x->body.inertia = (tacVec3){-1, -1, -1}, ADD_BODY;
}
BREAK(full_not_positive) {
    x->body.inertial = TAC_INERTIAL_FULL, x->body.mass = 1, x->body.fullinertia = (tacSym3){1, 1, 1, 2, 0, 0}, ADD_BODY;
}
BREAK(bad_inertial) { x->body.inertial = (tacInertial)5, ADD_BODY; }
BREAK(nested_mocap) { x->body.mocap = 1, x->body.name = "aim", tac_model_add_body(x->b, 1, &x->body); }
BREAK(moving_mocap) {
    x->body.mocap = 1, x->body.name = "aim", x->joint.name = "j", tac_model_add_joint(x->b, ADD_BODY, &x->joint);
}
BREAK(massless) { x->body.name = "ghost", tac_model_add_joint(x->b, ADD_BODY, &x->joint); }

BREAK(joint_type) { x->joint.type = (tacJointType)9, ADD_JOINT; }
BREAK(joint_body) { tac_model_add_joint(x->b, 8, &x->joint); }
BREAK(joint_of_world) { tac_model_add_joint(x->b, 0, &x->joint); }
BREAK(free_child) { x->joint.type = TAC_JOINT_FREE, x->joint.name = "float", ADD_JOINT; }
BREAK(free_with_others) {
    x->joint.type = TAC_JOINT_FREE, x->joint.name = "float", tac_model_add_joint(x->b, 1, &x->joint);
}
BREAK(zero_axis) { x->joint.axis.z = 0, x->joint.name = "knee", ADD_JOINT; }
BREAK(inf_axis) { x->joint.axis.z = (double)INFINITY, x->joint.name = "knee", ADD_JOINT; }
BREAK(reversed_range) { x->joint.limited = 1, x->joint.range[0] = 1, x->joint.range[1] = -1, ADD_JOINT; }
BREAK(free_limited) {
    x->joint.type = TAC_JOINT_FREE, x->joint.limited = 1, tac_model_add_joint(x->b, ADD_BODY, &x->joint);
}
BREAK(ball_low) {
    x->joint.type = TAC_JOINT_BALL, x->joint.limited = 1, x->joint.range[0] = 0.1, x->joint.range[1] = 1, ADD_JOINT;
}
BREAK(ball_high) { x->joint.type = TAC_JOINT_BALL, x->joint.limited = 1, ADD_JOINT; }
BREAK(ball_force) { x->joint.type = TAC_JOINT_BALL, x->joint.actfrclimited = 1, ADD_JOINT; }
BREAK(force_range) { x->joint.actfrclimited = 1, ADD_JOINT; }
BREAK(half_springdamper) { x->joint.springdamper[0] = 0.1, ADD_JOINT; }
BREAK(nan_damping) { x->joint.damping = (double)NAN, ADD_JOINT; }
BREAK(inf_solimp) { x->joint.solimp_limit[3] = (double)INFINITY, ADD_JOINT; }

BREAK(negative_radius) { x->geom.size[0] = -0.1, ADD_GEOM; }
BREAK(flat_capsule) { x->geom.type = TAC_GEOM_CAPSULE, x->geom.size[1] = 0, ADD_GEOM; }
BREAK(flat_box) { x->geom.type = TAC_GEOM_BOX, x->geom.size[2] = 0, ADD_GEOM; }
BREAK(flat_cone) { x->geom.type = TAC_GEOM_CONE, x->geom.size[1] = -1, ADD_GEOM; }
BREAK(plane_grid) { x->geom.type = TAC_GEOM_PLANE, x->geom.size[2] = 0, tac_model_add_geom(x->b, 0, &x->geom); }
BREAK(moving_plane) { x->geom.type = TAC_GEOM_PLANE, ADD_GEOM; }
BREAK(geom_type) { x->geom.type = (tacGeomType)99, ADD_GEOM; }
BREAK(geom_body) { tac_model_add_geom(x->b, -1, &x->geom); }
BREAK(no_mesh) { x->geom.type = TAC_GEOM_MESH, x->geom.mesh = 3, ADD_GEOM; }
BREAK(mesh_shell) {
    x->geom.type = TAC_GEOM_MESH, x->geom.mesh = tac_model_add_mesh(x->b, &x->mesh), x->geom.shell = 1, ADD_GEOM;
}
BREAK(condim) { x->geom.condim = 2, ADD_GEOM; }
BREAK(geom_quat) { x->geom.quat = (tacQuat){0, 0, 0, 0}, ADD_GEOM; }
BREAK(geom_density) { x->geom.density = -1, ADD_GEOM; }
BREAK(geom_mass) { x->geom.has_mass = 1, x->geom.mass = -1, ADD_GEOM; }
BREAK(nan_friction) { x->geom.friction[2] = (double)NAN, ADD_GEOM; }
BREAK(unnamed_geom) { x->geom.name = NULL, x->geom.size[0] = 0, tac_model_add_geom(x->b, 1, &x->geom); }

static const int FAR_FACE[3] = {0, 1, 8};
static const tacVec3 NAN_VERT[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, (double)NAN}};
BREAK(mesh_face) { x->mesh.face = FAR_FACE, x->mesh.nface = 1, tac_model_add_mesh(x->b, &x->mesh); }
BREAK(mesh_hull) { x->mesh.hullvert = FAR_FACE, x->mesh.nhullvert = 3, tac_model_add_mesh(x->b, &x->mesh); }
BREAK(mesh_hullface) { x->mesh.hullface = FAR_FACE, x->mesh.nhullface = 1, tac_model_add_mesh(x->b, &x->mesh); }
BREAK(mesh_vert) {
    x->mesh.vert = NAN_VERT, x->mesh.nvert = 4, x->mesh.nface = x->mesh.nhullface = x->mesh.nhullvert = 0;
    tac_model_add_mesh(x->b, &x->mesh);
}
BREAK(mesh_scale) { x->mesh.scale.y = 0, tac_model_add_mesh(x->b, &x->mesh); }
BREAK(mesh_refquat) { x->mesh.refquat.w = 0, tac_model_add_mesh(x->b, &x->mesh); }
BREAK(mesh_mode) { x->mesh.inertia_mode = (tacMeshInertia)7, tac_model_add_mesh(x->b, &x->mesh); }

BREAK(site_quat) { x->site.name = "tip", x->site.quat.w = 0, tac_model_add_site(x->b, 1, &x->site); }
BREAK(site_type) { x->site.name = "tip", x->site.type = (tacGeomType)-1, tac_model_add_site(x->b, 1, &x->site); }
BREAK(site_body) { tac_model_add_site(x->b, 5, &x->site); }

static const int JOINT0 = 0, JOINT1 = 1, JOINT9 = 9;
static const double ONE = 1, NOT_A_NUMBER = (double)NAN;
static void add_tendon(Broken *x, const int *joint) {
    x->tendon.nterm = 1, x->tendon.joint = joint, x->tendon.name = "cable";
    if (x->tendon.coef == NULL) x->tendon.coef = &ONE;
    tac_model_add_tendon(x->b, &x->tendon);
}
BREAK(tendon_empty) { x->tendon.name = "cable", tac_model_add_tendon(x->b, &x->tendon); }
BREAK(tendon_joint) { add_tendon(x, &JOINT9); }
BREAK(tendon_ball) { add_tendon(x, &JOINT1); }
BREAK(tendon_coef) { x->tendon.coef = &NOT_A_NUMBER, add_tendon(x, &JOINT0); }
BREAK(tendon_range) { x->tendon.limited = 1, add_tendon(x, &JOINT0); }
BREAK(tendon_spring) { x->tendon.springlength[0] = 2, x->tendon.springlength[1] = 1, add_tendon(x, &JOINT0); }
BREAK(tendon_armature) { x->tendon.armature = -1, add_tendon(x, &JOINT0); }
BREAK(tendon_force) {
    x->tendon.actfrclimited = 1, x->tendon.actfrcrange[0] = 1, x->tendon.actfrcrange[1] = 2, add_tendon(x, &JOINT0);
}
BREAK(tendon_type) { x->tendon.type = (tacTendonType)4, add_tendon(x, &JOINT0); }

static void add_actuator(Broken *x) { x->actuator.name = "motor", tac_model_add_actuator(x->b, &x->actuator); }
BREAK(actuator_joint) { x->actuator.trnid[0] = 9, add_actuator(x); }
BREAK(actuator_none) { x->actuator.trnid[0] = -1, add_actuator(x); }
BREAK(actuator_site) { x->actuator.trntype = TAC_TRN_SITE, add_actuator(x); }
BREAK(actuator_crank) {
    x->actuator.trntype = TAC_TRN_SLIDERCRANK, x->actuator.trnid[0] = tac_model_add_site(x->b, 1, &x->site),
    add_actuator(x);
}
BREAK(actuator_rod) { x->actuator.trnid[1] = tac_model_add_site(x->b, 2, &x->site), actuator_crank(x); }
BREAK(actuator_trn) { x->actuator.trntype = (tacTransmission)9, add_actuator(x); }
BREAK(actuator_dyn) { x->actuator.dyntype = (tacDynType)9, add_actuator(x); }
BREAK(actuator_gain) { x->actuator.gaintype = (tacGainType)9, add_actuator(x); }
BREAK(actuator_bias) { x->actuator.biastype = (tacBiasType)-3, add_actuator(x); }
BREAK(actuator_actdim0) { x->actuator.dyntype = TAC_DYN_FILTER, x->actuator.actdim = 0, add_actuator(x); }
BREAK(actuator_actdim1) { x->actuator.actdim = 1, add_actuator(x); }
BREAK(actuator_actdim2) { x->actuator.dyntype = TAC_DYN_FILTER, x->actuator.actdim = 2, add_actuator(x); }
BREAK(actuator_actdim) { x->actuator.dyntype = TAC_DYN_USER, x->actuator.actdim = 1 << 30, add_actuator(x); }
BREAK(actuator_ctrl) { x->actuator.ctrllimited = 1, add_actuator(x); }
BREAK(actuator_force) { x->actuator.forcelimited = 1, x->actuator.forcerange[0] = 3, add_actuator(x); }
BREAK(actuator_act) { x->actuator.dyntype = TAC_DYN_INTEGRATOR, x->actuator.actlimited = 1, add_actuator(x); }
BREAK(actuator_actlimited) { x->actuator.actlimited = 1, x->actuator.actrange[1] = 1, add_actuator(x); }
BREAK(actuator_gear) { x->actuator.gear[5] = (double)NAN, add_actuator(x); }

static void add_equality(Broken *x) { x->equality.name = "tie", tac_model_add_equality(x->b, &x->equality); }
BREAK(equality_body) { x->equality.obj[0] = 7, add_equality(x); }
BREAK(equality_kind) { x->equality.objkind = TAC_KIND_GEOM, add_equality(x); }
BREAK(equality_joint) { x->equality.type = TAC_EQ_JOINT, add_equality(x); }
BREAK(equality_ball) {
    x->equality.type = TAC_EQ_JOINT, x->equality.objkind = TAC_KIND_JOINT, x->equality.obj[0] = 1, add_equality(x);
}
BREAK(equality_tendon) { x->equality.type = TAC_EQ_TENDON, x->equality.objkind = TAC_KIND_TENDON, add_equality(x); }
BREAK(equality_type) { x->equality.type = (tacEqualityType)8, add_equality(x); }
BREAK(equality_data) { x->equality.data[4] = (double)NAN, add_equality(x); }
BREAK(pair_geom) { x->pair.name = "touch", x->pair.geom[0] = 0, tac_model_add_pair(x->b, &x->pair); }
BREAK(pair_condim) {
    x->pair.name = "touch", x->pair.geom[0] = 0, x->pair.geom[1] = 1, x->pair.condim = 5,
    tac_model_add_pair(x->b, &x->pair);
}
BREAK(exclude_body) { tac_model_add_exclude(x->b, "apart", 1, 9); }
BREAK(key_qpos) {
    static const double qpos[5] = {0, 1, 0, 0, (double)NAN};
    x->key.name = "home", x->key.qpos = qpos, tac_model_add_key(x->b, &x->key);
}
BREAK(key_time) { x->key.time = (double)INFINITY, tac_model_add_key(x->b, &x->key); }

BREAK(timestep) { x->option.timestep = 0, tac_model_set_option(x->b, &x->option); }
BREAK(impratio) { x->option.impratio = -1, tac_model_set_option(x->b, &x->option); }
BREAK(boundmass) { x->option.boundmass = -1, tac_model_set_option(x->b, &x->option); }
BREAK(gravity) { x->option.gravity.z = (double)-INFINITY, tac_model_set_option(x->b, &x->option); }
BREAK(integrator) { x->option.integrator = 17, tac_model_set_option(x->b, &x->option); }
BREAK(solver) { x->option.solver = -1, tac_model_set_option(x->b, &x->option); }

static const struct Case {
    void (*breaks)(Broken *);
    tacKind kind;
    int id;
    const char *text;
} CASES[] = {
    {same_name, TAC_KIND_BODY, 3, "body 'hip': the name is taken by body 1, expected unique names"},
    {second_world, TAC_KIND_BODY, 3, "body 'world': the name is taken by body 0, expected unique names"},
    {nan_pos, TAC_KIND_BODY, 3, "body 3: pos[1] is nan, expected a finite number"},
    {zero_quat, TAC_KIND_BODY, 3, "body 3: quat is 0 0 0 0, expected a rotation"},
    {zero_iquat, TAC_KIND_BODY, 3, "body 3: iquat is 0 0 0 0, expected a rotation"},
    {negative_mass, TAC_KIND_BODY, 3, "body 3: mass is -2, expected zero or more"},
    {negative_inertia, TAC_KIND_BODY, 3, "body 3: inertia is -1 -1 -1, expected zero or more"},
    {full_not_positive, TAC_KIND_BODY, 3, "body 3: fullinertia has eigenvalue -1, expected positive"},
    {bad_inertial, TAC_KIND_BODY, 3, "body 3: inertial is 5, expected 0 to 2"},
    {nested_mocap, TAC_KIND_BODY, 3, "body 'aim': is a mocap body, expected a child of the world"},
    {moving_mocap, TAC_KIND_JOINT, 2, "joint 'j': moves mocap body 'aim', expected a mocap body to have no joints"},
    {massless, TAC_KIND_BODY, 3,
     "body 'ghost': moving body has mass 0 and inertia 0 0 0, expected each to be at least 1e-15"},
    {joint_type, TAC_KIND_JOINT, 2, "joint 2: type 9, expected free, ball, slide or hinge"},
    {joint_body, TAC_KIND_JOINT, 2, "joint 2: body 8 does not exist, expected 0 to 2"},
    {joint_of_world, TAC_KIND_JOINT, 2, "joint 2: moves the world, expected a body"},
    {free_child, TAC_KIND_JOINT, 2, "joint 'float': free joint of body 'shin', expected a child of the world"},
    {free_with_others, TAC_KIND_JOINT, 2,
     "joint 'float': body 'hip' has a free joint and another joint, expected only the free joint"},
    {zero_axis, TAC_KIND_JOINT, 2, "joint 'knee': axis is 0 0 0, expected a direction"},
    {inf_axis, TAC_KIND_JOINT, 2, "joint 'knee': axis[2] is inf, expected a finite number"},
    {reversed_range, TAC_KIND_JOINT, 2, "joint 2: range is 1 to -1, expected an increasing range"},
    {free_limited, TAC_KIND_JOINT, 2, "joint 2: limited is set, expected no range for a free joint"},
    {ball_low, TAC_KIND_JOINT, 2, "joint 2: range[0] is 0.1, expected 0 for a ball joint"},
    {ball_high, TAC_KIND_JOINT, 2, "joint 2: range[1] is 0, expected a positive angle for a ball joint"},
    {ball_force, TAC_KIND_JOINT, 2, "joint 2: actfrclimited is set, expected a hinge or slide"},
    {force_range, TAC_KIND_JOINT, 2, "joint 2: actfrcrange is 0 to 0, expected an increasing range"},
    {half_springdamper, TAC_KIND_JOINT, 2, "joint 2: springdamper is 0.1 0, expected two positive numbers"},
    {nan_damping, TAC_KIND_JOINT, 2, "joint 2: damping is nan, expected a finite number"},
    {inf_solimp, TAC_KIND_JOINT, 2, "joint 2: solimp_limit[3] is inf, expected a finite number"},
    {negative_radius, TAC_KIND_GEOM, 2, "geom 'foot': size[0] is -0.1, expected a positive radius"},
    {flat_capsule, TAC_KIND_GEOM, 2, "geom 'foot': size[1] is 0, expected a positive half-length"},
    {flat_box, TAC_KIND_GEOM, 2, "geom 'foot': size[2] is 0, expected a positive half-size"},
    {flat_cone, TAC_KIND_GEOM, 2, "geom 'foot': size[1] is -1, expected a positive half-height"},
    {plane_grid, TAC_KIND_GEOM, 2, "geom 'foot': size[2] is 0, expected a positive grid spacing"},
    {moving_plane, TAC_KIND_GEOM, 2, "geom 'foot': plane on moving body 'shin', expected a fixed or mocap body"},
    {geom_type, TAC_KIND_GEOM, 2, "geom 'foot': type is 99, expected 0 to 8"},
    {geom_body, TAC_KIND_GEOM, 2, "geom 'foot': body -1 does not exist, expected 0 to 2"},
    {no_mesh, TAC_KIND_GEOM, 2, "geom 'foot': mesh 3 does not exist: the model has none"},
    {mesh_shell, TAC_KIND_GEOM, 2, "geom 'foot': shell is set, expected inertia shell in the mesh"},
    {condim, TAC_KIND_GEOM, 2, "geom 'foot': condim is 2, expected 1, 3, 4 or 6"},
    {geom_quat, TAC_KIND_GEOM, 2, "geom 'foot': quat is 0 0 0 0, expected a rotation"},
    {geom_density, TAC_KIND_GEOM, 2, "geom 'foot': density is -1, expected zero or more"},
    {geom_mass, TAC_KIND_GEOM, 2, "geom 'foot': mass is -1, expected zero or more"},
    {nan_friction, TAC_KIND_GEOM, 2, "geom 'foot': friction[2] is nan, expected a finite number"},
    {unnamed_geom, TAC_KIND_GEOM, 2, "geom 2: size[0] is 0, expected a positive radius"}, /* second in the model */
    {mesh_face, TAC_KIND_MESH, 0, "mesh 'cube': face 0 has vertex 8, expected 0 to 7"},
    {mesh_hull, TAC_KIND_MESH, 0, "mesh 'cube': hull vertex 2 has vertex 8, expected 0 to 7"},
    {mesh_hullface, TAC_KIND_MESH, 0, "mesh 'cube': hull face 0 has vertex 8, expected 0 to 7"},
    {mesh_vert, TAC_KIND_MESH, 0, "mesh 'cube': file_vert[11] is nan, expected a finite number"},
    {mesh_scale, TAC_KIND_MESH, 0, "mesh 'cube': scale is 1 0 1, expected nonzero numbers"},
    {mesh_refquat, TAC_KIND_MESH, 0, "mesh 'cube': refquat is 0 0 0 0, expected a rotation"},
    {mesh_mode, TAC_KIND_MESH, 0, "mesh 'cube': inertia_mode is 7, expected 0 to 3"},
    {site_quat, TAC_KIND_SITE, 0, "site 'tip': quat is 0 0 0 0, expected a rotation"},
    {site_type, TAC_KIND_SITE, 0, "site 'tip': type is -1, expected 0 to 8"},
    {site_body, TAC_KIND_SITE, 0, "site 0: body 5 does not exist, expected 0 to 2"},
    {tendon_empty, TAC_KIND_TENDON, 0, "tendon 'cable': has no joints, expected at least one"},
    {tendon_joint, TAC_KIND_TENDON, 0, "tendon 'cable': joint 9 does not exist, expected 0 to 1"},
    {tendon_ball, TAC_KIND_TENDON, 0, "tendon 'cable': joint 'ball' is ball, expected a hinge or slide"},
    {tendon_coef, TAC_KIND_TENDON, 0, "tendon 'cable': coef[0] is nan, expected a finite number"},
    {tendon_range, TAC_KIND_TENDON, 0, "tendon 'cable': range is 0 to 0, expected an increasing range"},
    {tendon_spring, TAC_KIND_TENDON, 0, "tendon 'cable': springlength is 2 to 1, expected a non-decreasing range"},
    {tendon_armature, TAC_KIND_TENDON, 0, "tendon 'cable': armature is -1, expected zero or more"},
    {tendon_force, TAC_KIND_TENDON, 0, "tendon 'cable': actfrcrange is 1 to 2, expected a range that includes zero"},
    {tendon_type, TAC_KIND_TENDON, 0, "tendon 'cable': type is 4, expected 0 to 1"},
    {actuator_joint, TAC_KIND_ACTUATOR, 0, "actuator 'motor': joint 9 does not exist, expected 0 to 1"},
    {actuator_none, TAC_KIND_ACTUATOR, 0, "actuator 'motor': joint -1 does not exist, expected 0 to 1"},
    {actuator_site, TAC_KIND_ACTUATOR, 0, "actuator 'motor': site 0 does not exist: the model has none"},
    {actuator_crank, TAC_KIND_ACTUATOR, 0, "actuator 'motor': site -1 does not exist, expected 0 to 0"},
    {actuator_rod, TAC_KIND_ACTUATOR, 0, "actuator 'motor': cranklength is 0, expected a positive length"},
    {actuator_trn, TAC_KIND_ACTUATOR, 0, "actuator 'motor': trntype is 9, expected 0 to 5"},
    {actuator_dyn, TAC_KIND_ACTUATOR, 0, "actuator 'motor': dyntype is 9, expected 0 to 5"},
    {actuator_gain, TAC_KIND_ACTUATOR, 0, "actuator 'motor': gaintype is 9, expected 0 to 3"},
    {actuator_bias, TAC_KIND_ACTUATOR, 0, "actuator 'motor': biastype is -3, expected 0 to 3"},
    {actuator_actdim0, TAC_KIND_ACTUATOR, 0, "actuator 'motor': actdim is 0, expected at least 1 with dynamics"},
    {actuator_actdim1, TAC_KIND_ACTUATOR, 0, "actuator 'motor': actdim is 1, expected 0 without dynamics"},
    {actuator_actdim2, TAC_KIND_ACTUATOR, 0,
     "actuator 'motor': actdim is 2, expected at most 1 unless the dynamics are user"},
    {actuator_actdim, TAC_KIND_ACTUATOR, 0, "actuator 'motor': actdim is 1073741824, expected at most 1000"},
    {actuator_ctrl, TAC_KIND_ACTUATOR, 0, "actuator 'motor': ctrlrange is 0 to 0, expected an increasing range"},
    {actuator_force, TAC_KIND_ACTUATOR, 0, "actuator 'motor': forcerange is 3 to 0, expected an increasing range"},
    {actuator_act, TAC_KIND_ACTUATOR, 0, "actuator 'motor': actrange is 0 to 0, expected an increasing range"},
    {actuator_actlimited, TAC_KIND_ACTUATOR, 0,
     "actuator 'motor': actlimited is set without dynamics, expected dynamics"},
    {actuator_gear, TAC_KIND_ACTUATOR, 0, "actuator 'motor': gear[5] is nan, expected a finite number"},
    {equality_body, TAC_KIND_EQUALITY, 0, "equality 'tie': body 7 does not exist, expected 0 to 2"},
    {equality_kind, TAC_KIND_EQUALITY, 0, "equality 'tie': objkind is 3, expected bodies or sites"},
    {equality_joint, TAC_KIND_EQUALITY, 0, "equality 'tie': objkind is 1, expected joints"},
    {equality_ball, TAC_KIND_EQUALITY, 0, "equality 'tie': joint 'ball' is ball, expected a hinge or slide"},
    {equality_tendon, TAC_KIND_EQUALITY, 0, "equality 'tie': tendon 1 does not exist: the model has none"},
    {equality_type, TAC_KIND_EQUALITY, 0, "equality 'tie': type is 8, expected 0 to 3"},
    {equality_data, TAC_KIND_EQUALITY, 0, "equality 'tie': data[4] is nan, expected a finite number"},
    {pair_geom, TAC_KIND_PAIR, 0, "pair 'touch': geom -1 does not exist, expected 0 to 1"},
    {pair_condim, TAC_KIND_PAIR, 0, "pair 'touch': condim is 5, expected 1, 3, 4 or 6"},
    {exclude_body, TAC_KIND_EXCLUDE, 0, "exclude 'apart': body 9 does not exist, expected 0 to 2"},
    {key_qpos, TAC_KIND_KEY, 0, "key 'home': qpos[4] is nan, expected a finite number"},
    {key_time, TAC_KIND_KEY, 0, "key 0: time[0] is inf, expected a finite number"},
    {timestep, TAC_KIND_OPTION, -1, "option: timestep is 0, expected a positive time"},
    {impratio, TAC_KIND_OPTION, -1, "option: impratio is -1, expected a positive number"},
    {boundmass, TAC_KIND_OPTION, -1, "option: boundmass is -1, expected zero or more"},
    {gravity, TAC_KIND_OPTION, -1, "option: gravity[2] is -inf, expected a finite number"},
    {integrator, TAC_KIND_OPTION, -1, "option: integrator is 17, expected 0 to 3"},
    {solver, TAC_KIND_OPTION, -1, "option: solver is -1, expected 0 to 2"},
};

static void every_message(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Broken x = healthy();
        CASES[i].breaks(&x);
        tacError err = assemble_error(x.b);
        CHECK_STR(err.text, CASES[i].text);
        CHECK_INT(err.kind, CASES[i].kind);
        CHECK_INT(err.id, CASES[i].id);
        CHECK_INT(err.status, TAC_ERR_MODEL);
    }
}

static void the_healthy_one_passes(void **state) {
    (void)state;
    Broken x = healthy();
    tacModel *m = assemble(x.b);
    CHECK_INT(m->nv, 4);
    tac_model_free(m);
}

/* No more is refused than makes no sense: soft parameters out of MuJoCo's range, unlimited ranges, tiny sizes for
 * looks. */
static void odd_but_fine(void **state) {
    (void)state;
    Broken x = healthy();
    x.joint.range[0] = 1; /* not limited */
    x.joint.solimp_limit[0] = -5;
    tac_model_add_joint(x.b, 2, &x.joint);
    x.geom.visual = 1;
    x.geom.size[0] = 0;
    tac_model_add_geom(x.b, 2, &x.geom);
    x.geom.name = NULL;
    x.geom.visual = 0;
    x.geom.size[0] = DBL_MIN;
    tac_model_add_geom(x.b, 2, &x.geom);
    x.body.mocap = 1;
    int mocap = tac_model_add_body(x.b, 0, &x.body);
    x.geom.type = TAC_GEOM_PLANE;
    tac_model_add_geom(x.b, mocap, &x.geom);
    for (int i = 0; i < 4; i++) /* any number of joints on a body */
        tac_model_add_joint(x.b, 1, &x.joint);
    tacModel *m = assemble(x.b);
    CHECK_INT(m->nv, 9);
    CHECK_INT(m->nmocap, 1);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message),
        cmocka_unit_test(the_healthy_one_passes),
        cmocka_unit_test(odd_but_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
