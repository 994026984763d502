/* The model: enums, the open struct tacModel, and the definitions for the builder. */
#pragma once

#include "tactus/model_fields.h"
#include "tactus/status.h"
#include "tactus/vec.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Coordinates are those of MuJoCo. free: position(3), quaternion(4); velocity: linear in world axes at the body origin,
 * angular in body axes. ball: quaternion; angular velocity in the child's axes. hinge, slide: one number. */
typedef enum { TAC_JOINT_FREE, TAC_JOINT_BALL, TAC_JOINT_SLIDE, TAC_JOINT_HINGE } tacJointType;

typedef enum {
    TAC_GEOM_PLANE,
    TAC_GEOM_HFIELD, /* lenient loading only; never collides */
    TAC_GEOM_SPHERE,
    TAC_GEOM_CAPSULE,
    TAC_GEOM_ELLIPSOID,
    TAC_GEOM_CYLINDER,
    TAC_GEOM_BOX,
    TAC_GEOM_MESH,
    TAC_GEOM_CONE, /* radius, half-height; apex on +z, origin midway */
    TAC_GEOM_TYPES
} tacGeomType;

typedef enum { TAC_INERTIAL_GEOMS, TAC_INERTIAL_DIAG, TAC_INERTIAL_FULL } tacInertial;
typedef enum { TAC_MESH_LEGACY, TAC_MESH_EXACT, TAC_MESH_CONVEX, TAC_MESH_SHELL } tacMeshInertia;
typedef enum { TAC_TENDON_FIXED, TAC_TENDON_SPATIAL } tacTendonType;
typedef enum {
    TAC_TRN_JOINT,
    TAC_TRN_JOINT_IN_PARENT,
    TAC_TRN_SLIDERCRANK,
    TAC_TRN_TENDON,
    TAC_TRN_SITE,
    TAC_TRN_BODY /* adhesion: not supported, no force */
} tacTransmission;
typedef enum {
    TAC_DYN_NONE,
    TAC_DYN_INTEGRATOR,
    TAC_DYN_FILTER,
    TAC_DYN_FILTER_EXACT,
    TAC_DYN_MUSCLE, /* lenient loading only */
    TAC_DYN_USER
} tacDynType;
typedef enum { TAC_GAIN_FIXED, TAC_GAIN_AFFINE, TAC_GAIN_MUSCLE, TAC_GAIN_USER } tacGainType;
typedef enum { TAC_BIAS_NONE, TAC_BIAS_AFFINE, TAC_BIAS_MUSCLE, TAC_BIAS_USER } tacBiasType;
typedef enum { TAC_EQ_CONNECT, TAC_EQ_WELD, TAC_EQ_JOINT, TAC_EQ_TENDON } tacEqualityType;
/* The first four are MuJoCo's. Its RK4 has order two where ball or free joints rotate. RKMK4 (not in MuJoCo) has order
 * four everywhere. With hinges and slides only, both agree to rounding. */
typedef enum {
    TAC_INTEGRATOR_EULER,
    TAC_INTEGRATOR_RK4,
    TAC_INTEGRATOR_IMPLICIT,
    TAC_INTEGRATOR_IMPLICITFAST,
    TAC_INTEGRATOR_RKMK4,
    TAC_INTEGRATOR_SPIN,     /* Euler; single rotating bodies conserve energy; contact none. lcp always has this */
    TAC_INTEGRATOR_CORIOLIS, /* SPIN, and Coriolis forces of linked bodies from momenta */
    /* Inner steps with error control, or a fixed number of them; contact none and soft (docs/theory/adaptive.md) */
    TAC_INTEGRATOR_TSIT5,    /* Tsitouras 5(4) */
    TAC_INTEGRATOR_DOPRI5,   /* Dormand and Prince 5(4) */
    TAC_INTEGRATOR_DOPRI8,   /* Dormand and Prince 8(5) */
    TAC_INTEGRATOR_BOSH3,    /* Bogacki and Shampine 3(2) */
    TAC_INTEGRATOR_HEUN,     /* Heun 2(1) */
    TAC_INTEGRATOR_RALSTON,  /* Ralston 2(1) */
    TAC_INTEGRATOR_MIDPOINT, /* midpoint 2(1) */
    TAC_INTEGRATOR_STIFF     /* ESDIRK 4(3), L-stable: for stiff contact */
} tacIntegrator;
typedef enum { TAC_CONE_PYRAMIDAL, TAC_CONE_ELLIPTIC } tacCone;
typedef enum { TAC_SOLVER_PGS, TAC_SOLVER_CG, TAC_SOLVER_NEWTON } tacSolver;

/* Bits of option_disable, as in MJCF: <flag name="disable"> */
enum {
    TAC_DISABLE_CONSTRAINT = 1 << 0,
    TAC_DISABLE_EQUALITY = 1 << 1,
    TAC_DISABLE_FRICTIONLOSS = 1 << 2,
    TAC_DISABLE_LIMIT = 1 << 3,
    TAC_DISABLE_CONTACT = 1 << 4,
    TAC_DISABLE_SPRING = 1 << 5,
    TAC_DISABLE_DAMPER = 1 << 6,
    TAC_DISABLE_GRAVITY = 1 << 7,
    TAC_DISABLE_CLAMPCTRL = 1 << 8,
    TAC_DISABLE_WARMSTART = 1 << 9,
    TAC_DISABLE_FILTERPARENT = 1 << 10,
    TAC_DISABLE_ACTUATION = 1 << 11,
    TAC_DISABLE_REFSAFE = 1 << 12,
    TAC_DISABLE_EULERDAMP = 1 << 13,
    TAC_DISABLE_SENSOR = 1 << 14,
    TAC_DISABLE_MIDPHASE = 1 << 15,
    TAC_DISABLE_NATIVECCD = 1 << 16,
    TAC_DISABLE_AUTORESET = 1 << 17,
    TAC_DISABLE_ISLAND = 1 << 18
};

/* Bits of option_enable */
enum {
    TAC_ENABLE_OVERRIDE = 1 << 0,
    TAC_ENABLE_ENERGY = 1 << 1,
    TAC_ENABLE_FWDINV = 1 << 2,
    TAC_ENABLE_INVDISCRETE = 1 << 3,
    TAC_ENABLE_MULTICCD = 1 << 4,
    TAC_ENABLE_SLEEP = 1 << 5
};

/* Built once, then const and shared by all threads. The table in model_fields.h describes every array. */
typedef struct tacModel {
#define S(name, meaning) int name;
    TAC_MODEL_SIZES(S)
#undef S
#define X(kind, field, type, per, count, role, meaning) type *kind##_##field;
    TAC_MODEL_FIELDS(X)
#undef X
    int nparam;       /* registered parameters: length of theta */
    int nmember;      /* numbers of the model that they set: one each, or several for a group */
    int *param_field; /* nmember: row of the field table */
    int *param_index; /* nmember: index within the row */
    int *param_theta; /* nmember: the parameter that sets it, ascending */
    size_t bytes;     /* of the whole block */
} tacModel;

/* --- Definitions: get one from its tac_default_*, change fields, add it. Text is copied. --- */

typedef struct tacBodyDef {
    const char *name;
    tacVec3 pos; /* in parent */
    tacQuat quat;
    int mocap;         /* 1: moved by the user; must be a child of the world without joints */
    int inertia_fixed; /* 1: the inertia below was computed from geoms; their numbers are not parameters then */
    double gravcomp;
    tacInertial inertial; /* which of the following fields are used */
    double mass;
    tacVec3 ipos;
    tacQuat iquat;
    tacVec3 inertia;
    tacSym3 fullinertia;
} tacBodyDef;

typedef struct tacJointDef {
    const char *name;
    tacJointType type;
    tacVec3 pos, axis; /* in body; the axis is normalized */
    int limited, actfrclimited, actgravcomp, group;
    double ref, springref, springdamper[2], stiffness, damping, armature, frictionloss;
    double range[2], margin, actfrcrange[2];
    double solref_limit[2], solimp_limit[5], solref_friction[2], solimp_friction[5];
} tacJointDef;

typedef struct tacGeomDef {
    const char *name;
    tacGeomType type;
    int mesh;   /* for TAC_GEOM_MESH */
    int sum;    /* geom of the same body whose shape, turned as it is there, is added to this one; -1: none. It has no
                 contacts and no mass then */
    double pad; /* m: radius of a ball that is added around; without mass */
    int contype, conaffinity, condim, priority, group, adds_mass, has_mass, shell, visual;
    tacVec3 pos;
    tacQuat quat;
    double size[3], density, mass, friction[3], restitution, solmix, solref[2], solimp[5], margin, gap;
    float rgba[4];
} tacGeomDef;

typedef struct tacMeshDef {
    const char *name;
    int nvert, nface, nhullvert, nhullface;
    const tacVec3 *vert; /* as in the file, before scale */
    const int *face;     /* 3 per face */
    const int *hullvert; /* may be NULL: no hull */
    const int *hullface; /* 3 per face, ids of vert */
    tacVec3 scale, refpos;
    tacQuat refquat;
    tacMeshInertia inertia_mode;
} tacMeshDef;

typedef struct tacSiteDef {
    const char *name;
    tacGeomType type;
    int group;
    tacVec3 pos;
    tacQuat quat;
    double size[3];
} tacSiteDef;

typedef struct tacTendonDef {
    const char *name;
    tacTendonType type;
    int nterm, limited, actfrclimited, group;
    const int *joint;   /* nterm */
    const double *coef; /* nterm */
    double stiffness, damping, armature, frictionloss, range[2], margin, actfrcrange[2], springlength[2];
    double solref_limit[2], solimp_limit[5], solref_friction[2], solimp_friction[5];
} tacTendonDef;

typedef struct tacActuatorDef {
    const char *name;
    tacTransmission trntype;
    int trnid[2];
    tacDynType dyntype;
    tacGainType gaintype;
    tacBiasType biastype;
    int actdim; /* -1: by dyntype */
    int ctrllimited, forcelimited, actlimited, actearly, group, without_force;
    double gear[6], cranklength, dynprm[10], gainprm[10], biasprm[10], dampratio;
    double ctrlrange[2], forcerange[2], actrange[2], lengthrange[2];
} tacActuatorDef;

typedef struct tacEqualityDef {
    const char *name;
    tacEqualityType type;
    tacKind objkind; /* TAC_KIND_BODY, _SITE, _JOINT or _TENDON */
    int obj[2];      /* -1: none (bodies: the world) */
    int active;
    double data[11], solref[2], solimp[5];
} tacEqualityDef;

typedef struct tacPairDef {
    const char *name;
    int geom[2], condim;
    double friction[5], solref[2], solreffriction[2], solimp[5], margin, gap;
} tacPairDef;

/* A keyframe. Add it after all joints, actuators and mocap bodies; joints are in the order of adding. A NULL array
 * means the model's default. */
typedef struct tacKeyDef {
    const char *name;
    double time;
    const double *qpos, *qvel, *act, *ctrl;
    const tacVec3 *mpos;
    const tacQuat *mquat;
} tacKeyDef;

typedef struct tacOptionDef {
    double timestep, impratio, tolerance, ls_tolerance;
    tacVec3 gravity;
    int iterations, ls_iterations, integrator, cone, solver, disable, enable;
    double o_margin, o_solref[2], o_solimp[5], o_friction[5];
    double boundmass, boundinertia, settotalmass;
    int balanceinertia, literal_inertia;
} tacOptionDef;

/* How a model is attached to a body of another. */
typedef struct tacAttachDef {
    const char *prefix; /* put before every name; NULL: none */
    const char *suffix; /* put behind every name; NULL: none */
    tacVec3 pos;        /* where the attached model's world frame is, in the parent body */
    tacQuat quat;
    int body; /* 0: all that the world has; else this body and what hangs on it, with its own pose in that frame */
} tacAttachDef;

/* Collects definitions; opaque. */
typedef struct tacBuilder tacBuilder;

#ifdef __cplusplus
}
#endif
