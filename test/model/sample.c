#include "model/sample.h"

#include "support/check.h"

const tacVec3 CUBE_VERT[CUBE_NVERT] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                       {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
const int CUBE_FACE[3 * CUBE_NFACE] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
const int CUBE_HULL[CUBE_NVERT] = {0, 1, 2, 3, 4, 5, 6, 7};

tacMeshDef cube_mesh(tacMeshInertia mode) {
    tacMeshDef mesh = tac_default_mesh();
    mesh.name = "cube";
    mesh.nvert = mesh.nhullvert = CUBE_NVERT;
    mesh.nface = mesh.nhullface = CUBE_NFACE;
    mesh.vert = CUBE_VERT;
    mesh.face = mesh.hullface = CUBE_FACE;
    mesh.hullvert = CUBE_HULL;
    mesh.inertia_mode = mode;
    return mesh;
}

static int add_body(tacBuilder *b, int parent, const char *name, tacVec3 pos) {
    tacBodyDef body = tac_default_body();
    body.name = name;
    body.pos = pos;
    return tac_model_add_body(b, parent, &body);
}

static int add_joint(tacBuilder *b, int body, tacJointType type, const char *name) {
    tacJointDef joint = tac_default_joint();
    joint.name = name;
    joint.type = type;
    joint.axis = (tacVec3){0, 3, 4};
    joint.damping = 0.1;
    joint.ref = 0.25;
    joint.springref = 0.5;
    return tac_model_add_joint(b, body, &joint);
}

static int add_geom(tacBuilder *b, int body, tacGeomType type, const char *name) {
    tacGeomDef geom = tac_default_geom();
    geom.name = name;
    geom.type = type;
    geom.size[0] = 0.1, geom.size[1] = 0.2, geom.size[2] = 0.3;
    geom.pos = (tacVec3){0.01, 0.02, 0.03};
    return tac_model_add_geom(b, body, &geom);
}

static void add_special_bodies(tacBuilder *b, int tip) {
    tacBodyDef body = tac_default_body();
    body.name = "target";
    body.mocap = 1;
    body.pos = (tacVec3){1, 1, 1};
    tac_model_add_body(b, 0, &body);
    body = tac_default_body();
    body.name = "pan";
    body.inertial = TAC_INERTIAL_FULL;
    body.mass = 0.5;
    body.fullinertia = (tacSym3){0.02, 0.03, 0.04, 0.001, 0.002, 0.003};
    tac_model_add_body(b, tip, &body);
}

static void add_drives(tacBuilder *b, int slide, int hinge, int site) {
    const int joints[2] = {hinge, slide};
    const double coefs[2] = {2, -1};
    tacTendonDef tendon = tac_default_tendon();
    tendon.name = "cable";
    tendon.nterm = 2;
    tendon.joint = joints;
    tendon.coef = coefs;
    int cable = tac_model_add_tendon(b, &tendon);
    tacActuatorDef act = tac_default_actuator();
    act.name = "motor";
    act.trnid[0] = slide;
    tac_model_add_actuator(b, &act);
    act.name = "pull";
    act.trntype = TAC_TRN_TENDON;
    act.trnid[0] = cable;
    act.dyntype = TAC_DYN_FILTER;
    tac_model_add_actuator(b, &act);
    act.name = "thrust";
    act.trntype = TAC_TRN_SITE;
    act.trnid[0] = site;
    act.dyntype = TAC_DYN_NONE;
    act.dampratio = 0.7;
    tac_model_add_actuator(b, &act);
}

static void add_constraints(tacBuilder *b, int slide, int hinge, int ball, int box) {
    tacEqualityDef eq = tac_default_equality();
    eq.name = "couple";
    eq.type = TAC_EQ_JOINT;
    eq.objkind = TAC_KIND_JOINT;
    eq.obj[0] = slide, eq.obj[1] = hinge;
    tac_model_add_equality(b, &eq);
    tacPairDef pair = tac_default_pair();
    pair.name = "touch";
    pair.geom[0] = ball, pair.geom[1] = box;
    tac_model_add_pair(b, &pair);
    tac_model_add_exclude(b, "apart", 1, 3);
    tac_model_add_sensor(b, "jointpos", "angle");
}

tacBuilder *sample_builder(void) {
    tacBuilder *b = tac_model_begin();
    int torso = add_body(b, 0, "torso", (tacVec3){0, 0, 1}), arm = add_body(b, torso, "arm", (tacVec3){0.3, 0, 0});
    tacBodyDef tip_def = tac_default_body();
    tip_def.name = "tip";
    tip_def.inertial = TAC_INERTIAL_DIAG;
    tip_def.mass = 0.3;
    tip_def.ipos = (tacVec3){0, 0, 0.1};
    tip_def.inertia = (tacVec3){0.01, 0.02, 0.025};
    int tip = tac_model_add_body(b, arm, &tip_def);
    add_special_bodies(b, tip);
    tacMeshDef mesh = cube_mesh(TAC_MESH_LEGACY);
    mesh.scale = (tacVec3){0.1, 0.2, 0.3};
    int cube = tac_model_add_mesh(b, &mesh);
    /* not body by body: hinge of the tip first */
    int hinge = add_joint(b, tip, TAC_JOINT_HINGE, "hinge");
    add_joint(b, arm, TAC_JOINT_BALL, "ball");
    int slide = add_joint(b, arm, TAC_JOINT_SLIDE, "slide");
    add_joint(b, torso, TAC_JOINT_FREE, "root");
    int capsule = add_geom(b, arm, TAC_GEOM_CAPSULE, "capsule"), box = add_geom(b, torso, TAC_GEOM_BOX, "box");
    tacGeomDef geom = tac_default_geom();
    geom.type = TAC_GEOM_MESH;
    geom.mesh = cube;
    tac_model_add_geom(b, arm, &geom); /* unnamed */
    add_geom(b, 0, TAC_GEOM_PLANE, "floor");
    tacSiteDef site_def = tac_default_site();
    site_def.name = "hand";
    int hand = tac_model_add_site(b, tip, &site_def);
    site_def.name = "eye";
    tac_model_add_site(b, torso, &site_def);
    add_drives(b, slide, hinge, hand);
    add_constraints(b, slide, hinge, capsule, box);
    tacKeyDef key = tac_default_key();
    key.name = "home";
    tac_model_add_key(b, &key);
    return b;
}

tacModel *assemble(tacBuilder *b) {
    tacModel *m = NULL;
    tacError err = {0};
    tacStatus status = tac_model_assemble(b, &m, &err);
    tac_builder_free(b);
    if (status != TAC_OK) print_error("%s\n", err.text);
    CHECK_INT(status, TAC_OK);
    return m;
}

tacModel *sample_model(void) { return assemble(sample_builder()); }

tacError assemble_error(tacBuilder *b) {
    tacModel *m = NULL;
    tacError err = {.id = -2};
    tacStatus status = tac_model_assemble(b, &m, &err);
    tac_builder_free(b);
    CHECK(status != TAC_OK);
    CHECK(m == NULL);
    CHECK_INT(err.status, status);
    return err;
}
