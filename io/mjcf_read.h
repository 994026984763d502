/* What the parts of the MJCF reader share. Files are read into lists of definitions in document order (bodies depth
 * first), names are resolved, and the lists go to the builder. Nothing here outlives one load. */
#pragma once

#include "io/mesh.h"
#include "io/mjcf.h"
#include "io/orientation.h"
#include "io/xml.h"

#include <stddef.h>

enum { TAC_MJCF_AUTO = 2 }; /* limited="auto", until resolved */

/* --- Records: a definition and what only the file knows. Default classes hold the same records. ------------------- */

typedef struct tacMjcfJoint {
    tacJointDef def;
    double stiffness[3], damping[3]; /* polynomial coefficients; only the first is supported */
    int align;                       /* free joint: put the body frame at the centre of mass */
    int fixed;                       /* type "fixed": no freedom */
    int body;
    const xmlNode *node;
} tacMjcfJoint;

typedef struct tacMjcfGeom {
    tacGeomDef def;
    tacOrient orient;
    double fromto[6], fitscale, surfacevel[6], adhesion;
    int nfromto, nmass; /* 0: not given */
    int is_sdf;
    const char *mesh, *hfield, *sum;
    int body, fit; /* fit: mesh to take the size from, or -1 */
    int order;     /* place within its body */
    const xmlNode *node;
} tacMjcfGeom;

typedef struct tacMjcfSite {
    tacSiteDef def;
    tacOrient orient;
    double fromto[6];
    int nfromto;
    int body, order;
    const xmlNode *node;
} tacMjcfSite;

typedef struct tacMjcfMesh {
    tacMeshDef def;
    tacMeshData data;
    int maxhullvert, needs_hull, dropped;
    const xmlNode *node;
} tacMjcfMesh;

typedef struct tacMjcfTendon {
    tacTendonDef def;
    double stiffness[3], damping[3];
    int nspringlength;
    const xmlNode *node;
} tacMjcfTendon;

typedef struct tacMjcfActuator {
    tacActuatorDef def;
    int trntype; /* -1: not given */
    const char *target, *slidersite, *refsite;
    double inheritrange, damping[3], armature, delay;
    int nsample;
    const xmlNode *node;
} tacMjcfActuator;

typedef struct tacMjcfEquality {
    tacEqualityDef def;
    const xmlNode *node;
} tacMjcfEquality;

typedef struct tacMjcfPair {
    tacPairDef def;
    double adhesion;
    const xmlNode *node;
} tacMjcfPair;

typedef struct tacMjcfBody {
    tacBodyDef def;
    int parent, has_inertial, fused;
    int attached; /* of a <model>, finished there */
    const xmlNode *node;
} tacMjcfBody;

typedef struct tacMjcfHfield {
    const char *name;
    double size[4];
} tacMjcfHfield;

typedef struct tacMjcfExclude {
    const char *name;
    int body[2];
    const xmlNode *node;
} tacMjcfExclude;

typedef struct tacMjcfKey {
    tacKeyDef def;
    const xmlNode *node;
} tacMjcfKey;

typedef struct tacMjcfSensor {
    const char *name, *tag;
    const xmlNode *node;
} tacMjcfSensor;

/* A <model>: a file of its own. */
typedef struct tacMjcfModel {
    const char *name;
    tacModel *model;
    const xmlNode *node;
} tacMjcfModel;

/* An <attach> as the file has it, of which <replicate> makes copies. */
typedef struct tacMjcfPattern {
    const tacModel *source; /* of the <model> */
    tacModel *model;        /* what comes along, with the prefix */
    int body;               /* of the source; 0: all of it */
    int part;               /* the last copy, or -1; others by tacMjcfPart.next */
    int first_mesh;         /* in the list, shared by all copies; -1: not there yet */
} tacMjcfPattern;

/* What an <attach>, or a copy of it, adds: a model of that alone, and where its elements of each kind begin in the
 * lists. */
typedef struct tacMjcfPart {
    tacModel *model;
    const xmlNode *node;
    int body; /* stands for the part's world */
    int pattern, next;
    int first[TAC_KIND_COUNT];
} tacMjcfPart;

/* A default class: each record is its own or shared with the parent class. */
typedef struct tacMjcfClass {
    const char *name;
    const tacMjcfJoint *joint;
    const tacMjcfGeom *geom;
    const tacMjcfSite *site;
    const tacMjcfMesh *mesh;
    const tacMjcfTendon *tendon;
    const tacMjcfActuator *actuator;
    const tacMjcfEquality *equality;
    const tacMjcfPair *pair;
} tacMjcfClass;

/* --- Lists and names ---------------------------------------------------------------------------------------------- */

typedef struct tacMjcfList {
    void *data;
    int n, capacity;
} tacMjcfList;
#define TAC_AT(list, type, i) (&((type *)(list).data)[i])
/* Appends a copy; returns its index, or -1 when out of memory. */
int tac_mjcf_append(tacMjcfList *list, const void *element, size_t size);
void tac_mjcf_list_free(tacMjcfList *list);

/* Name -> index, open addressing. */
typedef struct tacMjcfNames {
    const char **name;
    int *id;
    int n, capacity;
} tacMjcfNames;
/* The first of two equal names is kept. Returns 0 when out of memory. */
int tac_mjcf_names_add(tacMjcfNames *names, const char *name, int id);
int tac_mjcf_names_find(const tacMjcfNames *names, const char *name); /* -1: not there */
void tac_mjcf_names_free(tacMjcfNames *names);

/* --- The load ----------------------------------------------------------------------------------------------------- */

typedef struct tacMjcfCompiler {
    tacAngles angles;
    int autolimits, strippath, inertiafromgeom, inertiagrouprange[2], fusestatic, discardvisual, alignfree, fitaabb;
    int exactmeshinertia; /* MuJoCo 2's way to ask for it */
    const char *meshdir;
} tacMjcfCompiler;

typedef struct tacMjcfIgnored {
    const char *tag, *why;
    const xmlNode *first;
    int count;
} tacMjcfIgnored;

typedef struct tacMjcf {
    struct tacMjcf *outer; /* the file that has this one as a <model>; NULL: the main file */
    long attached;         /* elements that <attach> made, counted in the main file */
    tacFiles *files;
    const tacLoadOptions *options;
    tacReport *report;
    tacError *err;
    tacXml xml;
    xmlNode *root;
    char folder[4096]; /* of the main file */
    int reading_defaults;
    tacMjcfCompiler compiler;
    tacOptionDef option;
    tacMjcfList memory, classes, ignored; /* void *; tacMjcfClass; tacMjcfIgnored */
    tacMjcfList body, joint, geom, mesh, hfield, site, tendon, actuator, equality, pair, exclude, key, sensor;
    tacMjcfList models, patterns, parts; /* tacMjcfModel; tacMjcfPattern; tacMjcfPart */
    tacMjcfNames names[TAC_KIND_COUNT], hfield_names, class_names, model_names, part_names;
} tacMjcf;

/* Zeroed memory that lives as long as the load; NULL sets the error. */
void *tac_mjcf_keep(tacMjcf *m, size_t bytes);
tacStatus tac_mjcf_no_memory(tacMjcf *m);
/* Adds a record to a list and its name (may be NULL) to the names of its kind; index or -1 with the error set. */
int tac_mjcf_add(tacMjcf *m, tacMjcfList *list, const void *record, size_t size, tacKind kind, const char *name);
/* name -> index of that kind; TAC_ERR_NAME with place and attribute when there is none. */
tacStatus tac_mjcf_find(tacMjcf *m, const xmlNode *node, const char *attr, tacKind kind, const char *name, int *id);

/* What is not supported and would change the motion: an error, or a warning when loading leniently (TAC_OK). */
tacStatus tac_mjcf_unsupported(tacMjcf *m, const xmlNode *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void tac_mjcf_warn(tacMjcf *m, const xmlNode *node, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Notes an element that has no part in the motion; reported once per tag. */
tacStatus tac_mjcf_ignore(tacMjcf *m, const xmlNode *node, const char *why);
void tac_mjcf_report_ignored(tacMjcf *m);

/* --- Attributes by table ------------------------------------------------------------------------------------------ */

typedef enum {
    TAC_ATTR_DOUBLE,  /* min to max numbers at offset */
    TAC_ATTR_FLOAT,   /* the same as float */
    TAC_ATTR_INT,     /* the same as int */
    TAC_ATTR_KEY,     /* keyword -> int */
    TAC_ATTR_BOOL,    /* false, true -> int */
    TAC_ATTR_TEXT,    /* const char * into the tree */
    TAC_ATTR_ELSE,    /* known, read elsewhere */
    TAC_ATTR_IGNORED, /* known, without effect on the motion */
    TAC_ATTR_DROPPED  /* of older versions: a warning */
} tacAttrType;

typedef struct tacAttr {
    const char *name;
    tacAttrType type;
    int min, max; /* numbers expected */
    size_t offset;
    const tacKeyword *keys;
    size_t count_offset; /* where the number of numbers read goes (int); 0: nowhere */
    int element_only;    /* not allowed inside <default> */
} tacAttr;

#define TAC_ATTR_END                                                                                                   \
    { .name = NULL }
/* Shorthands for rows: {"range", TAC_A_NUMBERS(2, 2), .offset = ...} */
#define TAC_A_NUMBERS(lo, hi) .type = TAC_ATTR_DOUBLE, .min = (lo), .max = (hi)
#define TAC_A_NUMBER          TAC_A_NUMBERS(1, 1)
#define TAC_A_WHOLE           .type = TAC_ATTR_INT, .min = 1, .max = 1
#define TAC_A_YESNO           .type = TAC_ATTR_BOOL
#define TAC_A_KEY(table)      .type = TAC_ATTR_KEY, .keys = (table)
#define TAC_A_TEXT            .type = TAC_ATTR_TEXT
#define TAC_A_ELSE            .type = TAC_ATTR_ELSE
#define TAC_A_UNUSED          .type = TAC_ATTR_IGNORED
#define TAC_A_OLD             .type = TAC_ATTR_DROPPED
#define TAC_A_NAME                                                                                                     \
    {"name", .type = TAC_ATTR_ELSE, .element_only = 1}, { "class", .type = TAC_ATTR_ELSE, .element_only = 1 }

/* Reads into record what the tables name; an attribute that no table names is an error. Tables end with a NULL name. */
tacStatus tac_mjcf_read(tacMjcf *m, const xmlNode *node, const tacAttr *table, void *record);
tacStatus tac_mjcf_read2(tacMjcf *m, const xmlNode *node, const tacAttr *table, void *record, const tacAttr *more,
                         void *more_record);

/* What to do with a child element. */
typedef struct tacMjcfChild {
    const char *name;
    tacStatus (*read)(tacMjcf *m, const xmlNode *node, void *scope);
} tacMjcfChild;
/* Hands each child element to its reader; an unknown one is an error that lists the known. Ends with a NULL name. */
tacStatus tac_mjcf_children(tacMjcf *m, const xmlNode *node, const tacMjcfChild *table, void *scope);
tacStatus tac_mjcf_ignore_looks(tacMjcf *m, const xmlNode *node, void *scope);

extern const tacKeyword TAC_MJCF_AUTOBOOL[];  /* false, true, auto */
extern const tacKeyword TAC_MJCF_GEOM_TYPE[]; /* 100: sdf */
enum { TAC_MJCF_SDF = 100 };

/* quat and its alternatives into *orient. */
tacStatus tac_mjcf_orient(tacMjcf *m, const xmlNode *node, tacOrient *orient);
/* Those attributes, for tables. */
#define TAC_MJCF_ORIENT_ATTRS                                                                                          \
    {.name = "quat", .type = TAC_ATTR_ELSE}, {.name = "axisangle", .type = TAC_ATTR_ELSE},                             \
        {.name = "xyaxes", .type = TAC_ATTR_ELSE}, {.name = "zaxis", .type = TAC_ATTR_ELSE}, {                         \
        .name = "euler", .type = TAC_ATTR_ELSE                                                                         \
    }
/* limited="auto" -> 0 or 1 by the range. */
tacStatus tac_mjcf_limited(tacMjcf *m, const xmlNode *node, const char *what, int *limited, const double *range);
/* Coefficients after the first must be zero. */
tacStatus tac_mjcf_linear(tacMjcf *m, const xmlNode *node, const char *attr, double *poly, double *out);

/* --- The parts ---------------------------------------------------------------------------------------------------- */

/* Replaces every <include> by the elements of its file. */
tacStatus tac_mjcf_include(tacMjcf *m);
/* Path of a file that an element names: beside the main file, or else beside the file of the element, as MuJoCo has it.
 * path has room for TAC_PATH bytes. */
tacStatus tac_mjcf_beside(tacMjcf *m, const xmlNode *node, const char *file, char *path);
/* 1: two paths lead to one file, as far as their text tells. */
int tac_mjcf_same_file(const char *a, const char *b);
/* Replaces every <replicate> by frames, copies what refers to their elements, and plans every <attach>. */
tacStatus tac_mjcf_replicate(tacMjcf *m);
tacStatus tac_mjcf_compiler(tacMjcf *m, const xmlNode *section);
tacStatus tac_mjcf_option(tacMjcf *m, const xmlNode *section);
tacStatus tac_mjcf_size(tacMjcf *m, const xmlNode *section);
/* The class "main", with MuJoCo's defaults. */
tacStatus tac_mjcf_defaults_begin(tacMjcf *m);
tacStatus tac_mjcf_default(tacMjcf *m, const xmlNode *section);
/* Class named by the element's attribute, or `inherited` when it has none (NULL: main). */
tacStatus tac_mjcf_class(tacMjcf *m, const xmlNode *node, const char *attr, int inherited, int *found);
tacStatus tac_mjcf_asset(tacMjcf *m, const xmlNode *section);
tacStatus tac_mjcf_worldbody(tacMjcf *m, const xmlNode *section);
tacStatus tac_mjcf_contact(tacMjcf *m, const xmlNode *section);
tacStatus tac_mjcf_equality(tacMjcf *m, const xmlNode *section);
tacStatus tac_mjcf_tendon(tacMjcf *m, const xmlNode *section);
tacStatus tac_mjcf_actuator(tacMjcf *m, const xmlNode *section);
tacStatus tac_mjcf_sensor(tacMjcf *m, const xmlNode *section);
tacStatus tac_mjcf_keyframe(tacMjcf *m, const xmlNode *section);
tacStatus tac_mjcf_deformable(tacMjcf *m, const xmlNode *section);
tacStatus tac_mjcf_custom(tacMjcf *m, const xmlNode *section);

/* A file that `outer` has as a <model> -> its model and the name it gives itself. */
tacStatus tac_mjcf_load_model(tacMjcf *outer, const tacMjcfFile *file, tacMjcfModel *model);
/* Reads every <model> of <asset>. */
tacStatus tac_mjcf_models(tacMjcf *m);
/* Finds out what an <attach> adds, and appends a section that stands for it to each kind of TAC_MJCF_ATTACHED. */
tacStatus tac_mjcf_plan_attach(tacMjcf *m, xmlNode *node);
extern const char *const TAC_MJCF_ATTACHED[]; /* ended by NULL */
/* The pattern of a planned <attach>, or of what stands for it in a section; -1: another element. */
int tac_mjcf_pattern(const xmlNode *node);
/* Attribute of such an element that no file has: what copies have behind their names. */
#define TAC_MJCF_SUFFIX ":(suffix)"
/* Appends an element to the last section of that name, or to a new one. The node is taken, on failure too. */
tacStatus tac_mjcf_append_to_section(tacMjcf *m, const char *section, xmlNode *node);
/* 1: the section stands for a part. */
int tac_mjcf_is_placed(const xmlNode *section);
/* Which one; NULL: its <attach> stands where nothing is read. */
tacStatus tac_mjcf_placed_part(tacMjcf *m, const xmlNode *section, tacMjcfPart **part);
/* The part of a planned <attach>, for tac_mjcf_placed_part. */
tacStatus tac_mjcf_note_part(tacMjcf *m, const xmlNode *node, int part);
/* Makes a model of the elements that an <attach> takes. Its world is the body that it is attached to. */
tacStatus tac_mjcf_make_part(tacMjcf *m, const xmlNode *node, const tacModel *model, const tacAttachDef *def,
                             tacModel **part);
/* Counts its elements: TAC_ERR_MODEL where all files put together attach too many. */
tacStatus tac_mjcf_charge_part(tacMjcf *m, const xmlNode *node, const tacModel *part);
/* <attach> in a body, standing in `frame`. */
tacStatus tac_mjcf_attach(tacMjcf *m, const xmlNode *node, int body, tacPose frame);
/* Adds what a part has of a section, after this file's own. */
tacStatus tac_mjcf_attached_contact(tacMjcf *m, tacMjcfPart *part);
tacStatus tac_mjcf_attached_tendon(tacMjcf *m, tacMjcfPart *part);
tacStatus tac_mjcf_attached_equality(tacMjcf *m, tacMjcfPart *part);
tacStatus tac_mjcf_attached_actuator(tacMjcf *m, tacMjcfPart *part);
tacStatus tac_mjcf_attached_sensor(tacMjcf *m, tacMjcfPart *part);
/* Keyframe of a pattern as one of the whole model: all its copies have the keyframe's numbers, all else has its
 * defaults. body: of the list -> there. */
tacStatus tac_mjcf_attached_key(tacMjcf *m, const tacMjcfPattern *pattern, int key, const tacModel *whole,
                                const int *body, tacKeyDef *out);
void tac_mjcf_free_models(tacMjcf *m);

/* One element into a record (shared by elements and default classes). */
tacStatus tac_mjcf_read_joint(tacMjcf *m, const xmlNode *node, tacMjcfJoint *joint);
tacStatus tac_mjcf_read_geom(tacMjcf *m, const xmlNode *node, tacMjcfGeom *geom);
tacStatus tac_mjcf_read_site(tacMjcf *m, const xmlNode *node, tacMjcfSite *site);
tacStatus tac_mjcf_read_mesh(tacMjcf *m, const xmlNode *node, tacMjcfMesh *mesh);
tacStatus tac_mjcf_read_tendon(tacMjcf *m, const xmlNode *node, tacMjcfTendon *tendon);
tacStatus tac_mjcf_read_actuator(tacMjcf *m, const xmlNode *node, tacMjcfActuator *actuator);
tacStatus tac_mjcf_read_equality(tacMjcf *m, const xmlNode *node, tacMjcfEquality *equality);
tacStatus tac_mjcf_read_pair(tacMjcf *m, const xmlNode *node, tacMjcfPair *pair);

/* A geom of class `class_id` in a body, standing in `frame`. */
tacStatus tac_mjcf_add_geom(tacMjcf *m, const xmlNode *node, int class_id, int body, tacPose frame);
/* fromto -> pos, quat, size (half length where the type has it). */
tacStatus tac_mjcf_fromto(tacMjcf *m, const xmlNode *node, const double *fromto, tacGeomType type, tacVec3 *pos,
                          tacQuat *quat, double *size);
/* Names of geoms in sums -> their ids; they give no mass. */
tacStatus tac_mjcf_sums(tacMjcf *m);
/* Sizes of geoms that are fitted to meshes. */
tacStatus tac_mjcf_fit_geoms(tacMjcf *m);
/* Hulls where something collides with a mesh or its inertia asks for it. */
tacStatus tac_mjcf_hulls(tacMjcf *m);
/* Where each body's mass comes from, which geoms count and which are only for looks. */
tacStatus tac_mjcf_inertias(tacMjcf *m);
/* fusestatic, alignfree, discardvisual. */
tacStatus tac_mjcf_simplify(tacMjcf *m);
/* Kind of an actuator's target. */
tacKind tac_mjcf_target(tacTransmission type);
/* The lists -> a model; bodies_only: of bodies, meshes and geoms alone, to measure masses. */
tacStatus tac_mjcf_emit(tacMjcf *m, const tacOptionDef *option, int bodies_only, tacModel **model);
