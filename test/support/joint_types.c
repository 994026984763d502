#include "support/joint_types.h"

#include "support/check.h"

/* Slides along the first axes, hinges about the last; or a ball. */
typedef struct Stack {
    const char *name;
    int slides, hinges, ball;
    int turned; /* 1: the hinge is about the axis that slides leave, or the slide's own */
} Stack;

static const Stack STACKS[JOINT_TYPES] = {{"Fixed", 0, 0, 0, 0},         {"Prismatic", 1, 0, 0, 0},
                                          {"Planar", 2, 0, 0, 0},        {"FixedOrientation", 3, 0, 0, 0},
                                          {"Revolute", 0, 1, 0, 0},      {"Cylindrical", 1, 1, 0, 1},
                                          {"PlanarAxis", 2, 1, 0, 1},    {"FreeRevolute", 3, 1, 0, 0},
                                          {"Orbital", 0, 2, 0, 0},       {"PrismaticOrbital", 1, 2, 0, 0},
                                          {"PlanarOrbital", 2, 2, 0, 0}, {"FreeOrbital", 3, 2, 0, 0},
                                          {"Spherical", 0, 0, 1, 0},     {"CylindricalFree", 1, 0, 1, 0},
                                          {"PlanarFree", 2, 0, 1, 0}};
static const tacVec3 AXES[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

const char *joint_type_name(int type) { return STACKS[type].name; }

int joint_type_dofs(int type) { return STACKS[type].slides + STACKS[type].hinges + 3 * STACKS[type].ball; }

static void add_stack(tacBuilder *b, int body, const Stack *s, double stiffness, double damping) {
    tacJointDef joint = tac_default_joint();
    joint.pos = (tacVec3){0.1, 0.05, -0.2};
    joint.damping = damping;
    for (int i = 0; i < s->slides + s->hinges; i++) {
        int hinge = i - s->slides, axis = hinge < 0 ? i : s->turned ? (s->slides == 1 ? 0 : 2) : hinge;
        joint.type = hinge < 0 ? TAC_JOINT_SLIDE : TAC_JOINT_HINGE, joint.axis = AXES[axis],
        joint.stiffness = stiffness;
        tac_model_add_joint(b, body, &joint);
    }
    joint.type = TAC_JOINT_BALL, joint.stiffness = 0;
    if (s->ball) tac_model_add_joint(b, body, &joint);
}

static tacModel *chain(int type, int links, double stiffness, double damping, int floor) {
    tacBuilder *b = tac_model_begin();
    tacOptionDef option = tac_default_option();
    tacGeomDef plane = tac_default_geom(), ball = tac_default_geom();
    option.gravity = (tacVec3){0, 0, floor ? -9.81 : 0}, option.timestep = 0.01;
    tac_model_set_option(b, &option);
    plane.type = TAC_GEOM_PLANE, plane.size[0] = plane.size[1] = plane.size[2] = 1, plane.conaffinity = 1,
    plane.contype = 0;
    ball.type = TAC_GEOM_SPHERE, ball.size[0] = 0.1, ball.conaffinity = 0;
    plane.friction[0] = ball.friction[0] = 0.5;
    if (floor) tac_model_add_geom(b, 0, &plane);
    for (int i = 0, parent = 0; i <= links; i++) {
        tacBodyDef body = tac_default_body();
        tacJointDef base = tac_default_joint();
        body.pos = i == 0 ? (tacVec3){0, 0, 1} : (tacVec3){0.05, -0.1, 0.4};
        if (i > 0) body.quat = (tacQuat){0.9, 0.1, -0.3, 0.2};
        body.inertial = TAC_INERTIAL_DIAG, body.mass = 1, body.ipos = (tacVec3){0.02, 0, 0.1};
        body.inertia = (tacVec3){0.05, 0.06, 0.04};
        parent = tac_model_add_body(b, parent, &body);
        if (floor) tac_model_add_geom(b, parent, &ball);
        base.type = TAC_JOINT_FREE;
        if (i == 0)
            tac_model_add_joint(b, parent, &base);
        else
            add_stack(b, parent, &STACKS[type], stiffness, damping);
    }
    tacModel *m = NULL;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) print_error("%s\n", err.text);
    tac_builder_free(b);
    CHECK(m != NULL);
    return m;
}

tacModel *joint_chain(int type, int links, double stiffness, double damping) {
    return chain(type, links, stiffness, damping, 0);
}

tacModel *joint_chain_over_floor(int type, int links, double stiffness, double damping) {
    return chain(type, links, stiffness, damping, 1);
}
