/* Points where the flat pieces of two shapes face each other: one piece, the reference, gives the normal; the other,
 * the incident, is cut by the prism (or tube) that stands on the reference. Equations and the table of points:
 * docs/theory/collision.md. */
#pragma once

#include "collide/touch.h"

/* Two numbers closer than this share of the shapes' size count as equal where a choice between features hangs on them:
 * above the rounding of poses, below what a distance may be off by. */
#define TAC_CLIP_TIE 1e-10

typedef enum {
    TAC_FLAT_NONE,
    TAC_FLAT_POLYGON, /* face of a box or mesh */
    TAC_FLAT_DISC,    /* end of a cylinder, base of a cone */
    TAC_FLAT_SEGMENT  /* side of a capsule, cylinder or cone along its axis */
} tacFlatKind;

typedef struct tacFlat {
    tacFlatKind kind;
    int id;       /* POLYGON: face; DISC: end */
    double align; /* POLYGON, DISC: cosine between its outward normal and the direction it faces */
    double next;  /* the same of the piece that faces it second best; -1: there is no other */
} tacFlat;

/* The piece that faces most along direction d (unit, shape's frame), of those that meet at the feature `near`. */
tacFlat tac_flat_facing(const tacShape *s, tacVec3 d, tacFeature near);

/* The margin of a mark that has none. */
#define TAC_NO_MARGIN (-1.0)

/* A point of the incident piece above the reference's plane, in the reference's frame. */
typedef struct tacMark {
    tacVec3 x;   /* on the incident shape; its foot on the plane is x - dist N */
    double dist; /* along N */
    tacContactRule rule;
    tacFeature feature[2]; /* of the reference, of the incident shape */
    tacFeature clip;
    double angle;
    double margin; /* m: tac_touch_margin of it, where clipping has it already; else TAC_NO_MARGIN */
} tacMark;

/* One shape cut by another. */
typedef struct tacClip {
    const tacShape *shape[2]; /* reference, incident */
    tacFlat flat[2];          /* reference: POLYGON or DISC */
    tacPose rel;              /* the incident shape in the reference's frame */
    double reach;             /* only points nearer than this */
} tacClip;

/* Marks nearer than this many ties are one. */
#define TAC_SAME_MARK 4

/* Most marks at a time; where there are more, those are kept that spread widest (tac_marks_spread). */
enum { TAC_MAX_MARK = 64 };
/* -> marks, in the order of the features, and their number. */
int tac_clip(const tacClip *c, tacMark mark[TAC_MAX_MARK]);
/* The same for two boxes, which have shorter ways (clip_boxes.c). */
int tac_clip_boxes(const tacClip *c, tacMark mark[TAC_MAX_MARK]);
/* Whether these are two flat ends whose rims coincide, to less than their crossings would tell apart: all points of the
 * incident rim count as above the reference, and there are no crossings. */
int tac_clip_same_rims(const tacClip *c);
/* Keeps `keep` of n points in their order: each next one is that farthest from `first` and those kept before it, the
 * first of equals. -> how many are left. */
int tac_marks_spread(tacMark *mark, int n, int keep, tacVec3 first);
