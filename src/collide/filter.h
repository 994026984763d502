/* Which geoms may touch, by MJCF's rules as MuJoCo 3.x has them. A function of the model's INDEX rows alone: decided
 * once, whatever the parameters.
 *
 * Two geoms may touch when all of this holds:
 *   - (contype1 & conaffinity2) or (contype2 & conaffinity1)
 *   - their bodies are not welded together, and not both without degrees of freedom (fixed or mocap)
 *   - neither body's weld group hangs from the other's, unless that other is the world (what is fixed to the world has
 *     no filter) or TAC_DISABLE_FILTERPARENT is set
 *   - no <exclude> names their two bodies
 *   - no <pair> names the two geoms: an explicit pair takes their place and passes by every rule above
 * and for explicit pairs as well: neither is visual, a height field, or a mesh without hull; they are not both planes;
 * neither TAC_DISABLE_CONTACT nor TAC_DISABLE_CONSTRAINT is set. */
#pragma once

#include "base/arena.h"
#include "tactus/tactus.h"

/* What the rules ask of a geom. */
typedef struct tacGeomClass {
    int weld, parent; /* its weld group and the one that hangs from */
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
    tacGeomClass *geom;                /* ngeom */
    int nbounded, nplane, nexplicit;   /* */
    int *bounded;                      /* geoms of finite size that may touch by the rules, ascending */
    int *plane;                        /* planes that may */
    tacExplicitPair *explicit_pair;    /* by id */
    uint64_t *excluded, *explicit_key; /* pairs of bodies, pairs of geoms; ascending */
    int nexcluded, keep_parent, disabled;
} tacFilter;

/* Takes the arrays from the arena; false: it is too small. */
int tac_filter_layout(tacFilter *f, const tacModel *m, tacArena *arena);
/* Fills the arrays. Needs a layout for this model. */
void tac_filter_init(tacFilter *f, const tacModel *m);
/* 1: contacts between the two are to be looked for by the rules (explicit pairs: 0). */
int tac_filter_allows(const tacFilter *f, int geom1, int geom2);

/* 1: the geom has a shape that can touch another. */
int tac_geom_has_shape(const tacModel *m, int geom);
/* 1: a distance between the two is defined. */
int tac_geoms_have_distance(const tacModel *m, int geom1, int geom2);
/* 1: contacts name geom2 before geom1: the type decides, then the id. */
int tac_contact_swaps(const tacModel *m, int geom1, int geom2);

/* Where contacts are found and where forces begin; pair: explicit pair or -1. As of MuJoCo 3.9: margins and gaps of two
 * geoms add; the option's override takes the place of the margin, not of the gap. */
typedef struct tacReach {
    double include; /* m: margin: forces begin where dist falls below it */
    double reach;   /* m: margin + gap: contacts exist where dist does not exceed it */
} tacReach;
tacReach tac_pair_reach(const tacModel *m, int geom1, int geom2, int pair);
/* A geom's own share in the reach of a pair without parameters of its own. */
double tac_geom_reach(const tacModel *m, int geom);
