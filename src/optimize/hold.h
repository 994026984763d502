/* Contact forces shared by least squares: inside their cones, as sums of edges
 * of the inscribed pyramid. */
#pragma once

#include "optimize/problem.h"

/* Edges of the cones of contacts: 1 for each without friction, otherwise 4. */
enum { TAC_MOST_EDGES = 4 };

typedef struct tacEdges {
    int ncontact, nedge;
    tacContact *contact; /* max_contacts */
    int *of;             /* of each edge: its contact */
    double (*along)[3];  /* its force along normal and tangents */
    double *G;           /* nv x nedge (room: 4 max_contacts): generalized force of each edge */
    double *jacp;        /* 2 x 3 nv */
} tacEdges;

int tac_edges_layout(tacEdges *e, const tacModel *m, int max_contacts, tacArena *arena);
/* Contacts at q that touch: their distance is at most the pair's margin or
 * `near`. */
tacStatus tac_edges_find(tacEdges *e, const tacModel *m, tacSim *sim, const double *q, const double *u,
                         int max_contacts, double near);
/* Sliding friction of a contact along its two tangents; 0: it has none. */
void tac_edges_friction(const tacModel *m, const tacContact *c, double mu[2]);

/* Least squares: min |M x - b|^2 over a box, of all solutions one near zero. M
 * is rows x n. */
typedef struct tacShare {
    int rows, n;
    const double *M, *b, *low, *high;
    double *x; /* out: n */
    int *free; /* out: n */
} tacShare;
/* 1: solved. */
int tac_share_solve(tacShare *share, tacArena *arena);
void tac_share_measure(int n, tacArena *dry);

/* Controls that hold the state at rest: least squares over controls inside
 * their bounds and forces of the contacts at x. u (nu): out. */
tacStatus tac_hold_pose(const tacPlan *plan, tacSim *sim, const double *x, double *u, tacError *err);
