/* The filter of geoms that may touch, by MJCF's rules as in MuJoCo 3.x. The rules depend on the model's INDEX rows
 * alone. They are evaluated once, whatever the parameters.
 *
 * Two geoms may touch when all of this holds:
 *   - (contype1 & conaffinity2) or (contype2 & conaffinity1)
 *   - their bodies are not welded together, and not both without degrees of freedom (fixed or mocap)
 *   - neither body's weld group is the parent of the other's, unless that parent is the world or
 *     TAC_DISABLE_FILTERPARENT is set
 *   - no <exclude> names their two bodies
 *   - no <pair> names the two geoms: an explicit pair replaces them and ignores the rules above
 * Explicit pairs need this too: no geom is visual, a height field, or a mesh without hull; they are not both planes;
 * neither TAC_DISABLE_CONTACT nor TAC_DISABLE_CONSTRAINT is set. */
#pragma once

#include "base/arena.h"
#include "tactus/tactus.h"

/* Properties of a geom that the rules use. */
typedef struct tacGeomClass {
    int weld, parent; /* its weld group and the parent of that group */
    int contype, conaffinity;
    int body;
    int fixed; /* 1: the group has no degrees of freedom */
} tacGeomClass;

/* A <pair>, its geoms in the order of a contact. */
typedef struct tacExplicitPair {
    int geom[2];
    int pair;
} tacExplicitPair;

typedef struct tacFilter {
    tacGeomClass *geom; /* ngeom */
    int nbounded, nplane, nexplicit;
    int *bounded;                      /* geoms of finite size that may touch by the rules, ascending */
    int *plane;                        /* planes that may touch by the rules */
    tacExplicitPair *explicit_pair;    /* by id */
    uint64_t *excluded, *explicit_key; /* keys of pairs of bodies, of pairs of geoms; ascending */
    int nexcluded, keep_parent, disabled;
} tacFilter;

/* Takes the arrays from the arena; false: it is too small. */
int tac_filter_layout(tacFilter *f, const tacModel *m, tacArena *arena);
/* Fills the arrays. Needs a layout for this model. */
void tac_filter_init(tacFilter *f, const tacModel *m);
/* 1: the two may touch by the rules (0 for explicit pairs). */
int tac_filter_allows(const tacFilter *f, int geom1, int geom2);

/* 1: the geom has a shape that can touch another. */
int tac_geom_has_shape(const tacModel *m, int geom);
/* 1: the geom has a pad or a sum, which growth distances alone know. */
int tac_geom_grows(const tacModel *m, int geom);
/* The first geom that may touch another and has a pad, a sum, or a pad that is a parameter; -1: none. */
int tac_first_growing(const tacModel *m);
/* 1: a distance between the two is defined. */
int tac_geoms_have_distance(const tacModel *m, int geom1, int geom2);
/* 1: contacts name geom2 before geom1. The type decides, then the id. */
int tac_contact_swaps(const tacModel *m, int geom1, int geom2);

/* The distances at which a contact exists and at which its force begins. pair: explicit pair or -1. As in MuJoCo 3.9,
 * margins and gaps of two geoms add up, and the override option replaces the margin but not the gap. */
typedef struct tacReach {
    double include; /* m: margin; forces begin where dist falls below it */
    double reach;   /* m: margin + gap; contacts exist where dist does not exceed it */
} tacReach;
tacReach tac_pair_reach(const tacModel *m, int geom1, int geom2, int pair);
/* A geom's share of the reach of a pair without explicit parameters. */
double tac_geom_reach(const tacModel *m, int geom);
