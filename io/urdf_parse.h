/* What the parts of the URDF reader share. */
#pragma once

#include "io/mesh.h"
#include "io/report.h"
#include "io/urdf.h"
#include "io/urdf_names.h"

typedef enum {
    TAC_URDF_REVOLUTE,
    TAC_URDF_CONTINUOUS,
    TAC_URDF_PRISMATIC,
    TAC_URDF_FIXED,
    TAC_URDF_FLOATING,
    TAC_URDF_PLANAR,
    TAC_URDF_BALL,
    TAC_URDF_ORBITAL
} tacUrdfJointType;

/* Armature of a joint that moves no inertia, when loading leniently: small beside any real one; kg m^2 or kg. */
#define TAC_URDF_LEAST_ARMATURE 1e-9

typedef struct tacUrdfLink {
    const char *name;
    xmlNode *node;
    int joint;                         /* that holds it, or -1: a root */
    int first_child, last_child, next; /* links, in the order of the joints that hold them; -1: none */
    int body;                          /* model id */
    int weightless;                    /* a root whose free joint takes the least armature (lenient) */
} tacUrdfLink;

typedef struct tacUrdfJoint {
    const char *name;
    xmlNode *node;
    tacUrdfJointType type;
    int parent, child; /* links */
    int dropped;       /* closes a loop; kept out of the tree (lenient) */
    int id;            /* its first model joint, or -1 */
    int weightless;    /* moves no inertia: takes the least armature (lenient) */
} tacUrdfJoint;

/* A mesh file at one scale. */
typedef struct tacUrdfMesh {
    char *path, *name;
    tacVec3 scale;
    int id; /* model id */
} tacUrdfMesh;

/* An element name that was passed over: where first, how often. */
typedef struct tacUrdfIgnored {
    const xmlNode *node;
    int count;
} tacUrdfIgnored;

enum { TAC_URDF_MAX_IGNORED = 64 }; /* different ones; more are not listed */

/* Element that a builder id came from, by kind and id in order of adding. */
typedef struct tacUrdfOrigin {
    const xmlNode **node;
    int n;
} tacUrdfOrigin;

typedef struct tacUrdf {
    const tacFiles *files;
    const tacLoadOptions *options;
    tacReport *report;
    tacBuilder *builder;
    tacError *err;
    char folder[TAC_PATH];  /* of the file, as given */
    char package[TAC_PATH]; /* real path of the package the file lies in: files may be opened there */
    xmlNode *robot;
    tacUrdfLink *link;
    int nlink, nroot;
    tacUrdfJoint *joint;
    int njoint;
    tacUrdfMesh *mesh;
    int nmesh;
    long long nvert;          /* of all meshes */
    const xmlNode **material; /* <material> elements of the robot, by material_names */
    int nmaterial;
    tacUrdfNames link_names, joint_names, geom_names, mesh_names, material_names;
    tacUrdfOrigin origin[TAC_KIND_COUNT];
    tacUrdfIgnored ignored[TAC_URDF_MAX_IGNORED];
    int nignored;
    tacOptionDef option;
    const char *meshdir; /* from an embedded <mujoco><compiler>, or NULL */
    int strippath;
} tacUrdf;

/* --- urdf.c: reporting -------------------------------------------------------------------------------------------- */

/* Lists an element that does not change the motion. */
void tac_urdf_ignore(tacUrdf *urdf, const xmlNode *node);
/* "file:line: element <x>: text" to the report. */
void tac_urdf_warn(tacUrdf *urdf, const xmlNode *node, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* An error, or with `lenient` a warning that adds `instead` (TAC_OK then). Want of memory is always an error. */
tacStatus tac_urdf_refuse(tacUrdf *urdf, const xmlNode *node, tacStatus status, const char *instead, const char *format,
                          ...) __attribute__((format(printf, 5, 6)));
/* Remembers which element the builder's next id of a kind came from; passes id on. */
int tac_urdf_added(tacUrdf *urdf, tacKind kind, int id, const xmlNode *node);

/* --- urdf_tree.c: links and joints as a tree ---------------------------------------------------------------------- */

tacStatus tac_urdf_read_tree(tacUrdf *urdf);
/* The link after `link` in depth-first order below `root`, or -1. */
int tac_urdf_next_link(const tacUrdf *urdf, int root, int link);

/* --- urdf_link.c: bodies ------------------------------------------------------------------------------------------ */

/* <origin xyz rpy> of an element -> pose; identity when there is none. rpy: about the fixed x, y, then z axis. */
tacStatus tac_urdf_read_origin(const xmlNode *node, tacVec3 *pos, tacQuat *quat, tacError *err);
/* <inertial> of a link -> body, whose pose is set; a link without one weighs nothing. */
tacStatus tac_urdf_read_inertial(tacUrdf *urdf, const xmlNode *link, tacBodyDef *body);
/* <collision> elements of a link -> geoms of its body. */
tacStatus tac_urdf_add_geoms(tacUrdf *urdf, const tacUrdfLink *link);

/* --- urdf_mesh.c: mesh files -------------------------------------------------------------------------------------- */

/* Finds the package the file lies in. */
void tac_urdf_find_package(tacUrdf *urdf);
/* <mesh filename scale> -> model id of the mesh (-1: left out, lenient). */
tacStatus tac_urdf_add_mesh(tacUrdf *urdf, const xmlNode *node, int *id);

/* --- urdf_mujoco.c: settings for MuJoCo --------------------------------------------------------------------------- */

/* <mujoco>: how meshes are found and inertias mended, time step, gravity and the other options. */
tacStatus tac_urdf_read_mujoco(tacUrdf *urdf, const xmlNode *mujoco);

/* --- urdf_joint.c: joints, couplings, motors ---------------------------------------------------------------------- */

/* Type word -> joint->type. */
tacStatus tac_urdf_read_joint_type(tacUrdf *urdf, tacUrdfJoint *joint);
/* The joint that holds a link -> model joints of the link's body. */
tacStatus tac_urdf_add_joint(tacUrdf *urdf, tacUrdfJoint *joint);
/* A free joint for a root link. */
tacStatus tac_urdf_add_free_joint(tacUrdf *urdf, const tacUrdfLink *root);
/* <mimic> and <loop_joint> -> equality constraints. */
tacStatus tac_urdf_add_couplings(tacUrdf *urdf);
