/* Default numbers of elements: those of MuJoCo 3. */
#include "tactus/tactus.h"

/* Soft-constraint defaults: time constant 0.02 s, critically damped; impedance from 0.9 to 0.95 over 1 mm. */
#define SOLREF                                                                                                         \
    { 0.02, 1 }
#define SOLIMP                                                                                                         \
    { 0.9, 0.95, 0.001, 0.5, 2 }
#define UNIT_QUAT                                                                                                      \
    { 1, 0, 0, 0 }

tacBodyDef tac_default_body(void) {
    return (tacBodyDef){.quat = UNIT_QUAT, .inertial = TAC_INERTIAL_GEOMS, .iquat = UNIT_QUAT};
}

tacJointDef tac_default_joint(void) {
    return (tacJointDef){.type = TAC_JOINT_HINGE,
                         .axis = {0, 0, 1},
                         .solref_limit = SOLREF,
                         .solimp_limit = SOLIMP,
                         .solref_friction = SOLREF,
                         .solimp_friction = SOLIMP};
}

tacGeomDef tac_default_geom(void) {
    return (tacGeomDef){.type = TAC_GEOM_SPHERE,
                        .mesh = -1,
                        .sum = -1,
                        .contype = 1,
                        .conaffinity = 1,
                        .condim = 3,
                        .adds_mass = 1,
                        .quat = UNIT_QUAT,
                        .density = 1000, /* water */
                        .friction = {1, 0.005, 0.0001},
                        .solmix = 1,
                        .solref = SOLREF,
                        .solimp = SOLIMP,
                        .rgba = {0.5f, 0.5f, 0.5f, 1.0f}};
}

tacMeshDef tac_default_mesh(void) {
    return (tacMeshDef){.scale = {1, 1, 1}, .refquat = UNIT_QUAT, .inertia_mode = TAC_MESH_LEGACY};
}

tacSiteDef tac_default_site(void) {
    return (tacSiteDef){.type = TAC_GEOM_SPHERE, .quat = UNIT_QUAT, .size = {0.005, 0.005, 0.005}};
}

tacTendonDef tac_default_tendon(void) {
    return (tacTendonDef){.type = TAC_TENDON_FIXED,
                          .springlength = {-1, -1},
                          .solref_limit = SOLREF,
                          .solimp_limit = SOLIMP,
                          .solref_friction = SOLREF,
                          .solimp_friction = SOLIMP};
}

tacActuatorDef tac_default_actuator(void) {
    return (tacActuatorDef){.trntype = TAC_TRN_JOINT,
                            .trnid = {-1, -1},
                            .dyntype = TAC_DYN_NONE,
                            .gaintype = TAC_GAIN_FIXED,
                            .biastype = TAC_BIAS_NONE,
                            .actdim = -1,
                            .gear = {1},
                            .dynprm = {1},
                            .gainprm = {1}};
}

tacEqualityDef tac_default_equality(void) {
    /* data[1]: slope of a joint coupling; data[10]: torque-to-force ratio of a weld */
    return (tacEqualityDef){.type = TAC_EQ_CONNECT,
                            .objkind = TAC_KIND_BODY,
                            .obj = {-1, -1},
                            .active = 1,
                            .data = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1},
                            .solref = SOLREF,
                            .solimp = SOLIMP};
}

tacPairDef tac_default_pair(void) {
    return (tacPairDef){
        .geom = {-1, -1}, .condim = 3, .friction = {1, 1, 0.005, 0.0001, 0.0001}, .solref = SOLREF, .solimp = SOLIMP};
}

tacKeyDef tac_default_key(void) { return (tacKeyDef){0}; }

tacOptionDef tac_default_option(void) {
    return (tacOptionDef){.timestep = 0.002,
                          .impratio = 1,
                          .tolerance = 1e-8,
                          .ls_tolerance = 0.01,
                          .gravity = {0, 0, -9.81},
                          .iterations = 100,
                          .ls_iterations = 50,
                          .integrator = TAC_INTEGRATOR_EULER,
                          .cone = TAC_CONE_PYRAMIDAL,
                          .solver = TAC_SOLVER_NEWTON,
                          .o_solref = SOLREF,
                          .o_solimp = SOLIMP,
                          .o_friction = {1, 1, 0.005, 0.0001, 0.0001},
                          .settotalmass = -1};
}

tacAttachDef tac_default_attach(void) { return (tacAttachDef){.quat = UNIT_QUAT}; }
