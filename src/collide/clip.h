/* Clipping of two facets that face each other. One of them, the reference, gives the normal. The other, the incident
 * one, is clipped by the prism (or tube) that stands on the reference. Equations and the table of points:
 * docs/theory/collision.md. */
#pragma once

#include "collide/tolerance.h"
#include "collide/touch.h"

typedef enum {
    TAC_FACET_NONE,
    TAC_FACET_POLYGON, /* face of a box or mesh */
    TAC_FACET_DISC,    /* end of a cylinder, base of a cone */
    TAC_FACET_SEGMENT  /* side of a capsule, cylinder or cone along its axis */
} tacFacetKind;

typedef struct tacFacet {
    tacFacetKind kind;
    int id;       /* POLYGON: face; DISC: end */
    double align; /* POLYGON, DISC: cosine between its outward normal and the direction it faces */
    double next;  /* the same for the second best facet; -1: there is no other */
} tacFacet;

/* The facet that faces direction d best (unit, shape's frame), of those that meet at the feature `near`. */
tacFacet tac_facet_facing(const tacShape *s, tacVec3 d, tacFeature near);

/* Margin of a point whose margin is not computed yet. */
#define TAC_NO_MARGIN (-1.0)

/* A point of the incident facet above the reference's plane, in the reference's frame: a candidate for a touch. */
typedef struct tacClipPoint {
    tacVec3 x;   /* on the incident shape; its projection onto the plane is x - dist N */
    double dist; /* along N */
    tacContactRule rule;
    tacFeature feature[2]; /* of the reference and of the incident shape */
    tacFeature clip;
    double angle;
    double margin; /* m: tac_touch_margin of the point where clipping knows it; else TAC_NO_MARGIN */
} tacClipPoint;

/* The input of a clipping. */
typedef struct tacClip {
    const tacShape *shape[2]; /* reference and incident */
    tacFacet facet[2];        /* of the reference: POLYGON or DISC */
    tacPose rel;              /* the incident shape in the reference's frame */
    double reach;             /* points further than this are left out */
} tacClip;

/* Points nearer than this many ties are one. */
#define TAC_SAME_POINT 4

/* Maximum number of points. Of more, the most widely spread are kept (tac_clip_spread). */
enum { TAC_MAX_CLIP_POINT = 64 };
/* -> the points, in the order of their features, and their number. */
int tac_clip(const tacClip *c, tacClipPoint point[TAC_MAX_CLIP_POINT]);
/* The same for two boxes, by shorter formulas (clip_boxes.c). */
int tac_clip_boxes(const tacClip *c, tacClipPoint point[TAC_MAX_CLIP_POINT]);
/* Whether both facets are discs whose rims coincide, so that their crossings cannot be told apart. All points of the
 * incident rim then count as above the reference, and there are no crossings. */
int tac_clip_same_rims(const tacClip *c);
/* Keeps `keep` of n points, in their order, by farthest-point sampling: each next point is the farthest from `first`
 * and from those kept before, the first among equals. Returns how many are left. */
int tac_clip_spread(tacClipPoint *point, int n, int keep, tacVec3 first);
