/* Hard contact as a nonlinear complementarity problem over friction cones, on a variational integrator of bodies in
 * maximal coordinates [Howell2022; docs/theory/ncp.md, W1, W7, W13].
 *
 * Each body has three poses: at q (-) h v, at q, and at q+ = q (+) h v+. Its momenta are taken between them; joints,
 * contacts and limits change the momenta by impulses. The unknowns are the joint velocities v+, so all poses satisfy
 * all joints at every iterate. Joint impulses act at the pose q and drop out of the equations. Contacts keep their
 * features and are placed again at each q+. */
#pragma once

#include "contact/ncp/pair.h"
#include "contact/ncp/rows.h"
#include "math/scalar.h"
#include "solve/block_ldu.h"
#include "solve/friction_cone.h"
#include "solve/interior.h"

/* m/s, rad/s: a negative gap at q recovers at this speed, so the gap at q+ is at least min(0, gap + h times this). A
 * state that a step has left overlaps by at most the step's tolerance; a given state may overlap by any depth. Mocap
 * bodies are moved between steps, into the bodies that they push. Those follow as fast as welds do. */
#define TAC_NCP_CORRECTION 0.1
#define TAC_NCP_PUSH       TAC_NCP_CLOSING
/* s: at an infeasible start a bound yields to an impulse of mass times speed times h over this time. A body that rests
 * on the contact still separates at two thirds of the speed   (W48). */
#define TAC_NCP_YIELD 3e-3

/* s: a fixed time that makes kappa a pure number. Force times gap has the unit m L^2/T^2, force times slip m L^2/T^3,
 * whatever the time step. So gaps and creep at rest do not depend on the time step   (W8). */
#define TAC_NCP_TIME 0.05

/* Where a contact's impulse acts: where its features touch at q, where they touch at q+, or between   (W5a, W5c). */
typedef enum tacNcpPlace { TAC_NCP_PLACE_NEXT, TAC_NCP_PLACE_NOW, TAC_NCP_PLACE_BETWEEN } tacNcpPlace;

/* A contact: the features that were found, their geometry at the three poses, its law, and its cone variables. */
struct tacNcpContact {
    int body[2];
    tacNcpPair *pair; /* whose contact it is; NULL: of features */
    int cone, adr;    /* its first cone, and its place in a and b */
    struct {
        tacContact found;      /* where the features were found */
        tacVec3 own_point[2];  /* found.point, each in the frame of its geom */
        tacVec3 own_normal[2]; /* found.normal, in both frames */
        int lost;              /* 1: since the system was last factored, a trial motion led where they do not touch */
    } feature;
    struct { /* at q (-) h v; of a contact with restitution */
        tacContact contact;
        tacVec3 slide[2], spin[2]; /* velocities of its bodies between q (-) h v and q */
    } before;
    struct {                /* at q */
        tacContact start;   /* the contact whose gap the bound is taken from */
        tacContact contact; /* the same features at q, where they touch there too */
        int touches;        /* 1: they do */
    } now;
    struct {                /* at q+ of the iterate */
        tacContact contact; /* tangents are scaled by law.tangent_scale */
        double gap_slip[3]; /* gap (or h n . (u + bounce u_-)) less rest; slips u_1, u_2 along contact.tangent */
        double G[3][12];    /* d(gap_slip)/d(z_0, z_1), twists about the trees' origins at q+ */
    } next;
    struct {           /* where the impulse acts, at q   (impulse_place.h) */
        tacVec3 place; /* the point */
        tacNcpPlace rule;
        int side;                /* the one that moves beside what stays; -1: both move */
        double share[2];         /* of each body's displacement in that of the point at q+ */
        tacVec3 way;             /* from the point at q to that at q+ without the displacement */
        double weight;           /* of that way */
        tacVec3 by_now, by_next; /* its gradients by the arms at q and at q+ */
        tacVec3 arm[2];          /* from the trees' origins at q to the place */
    } impulse;
    struct {
        tacNcpGapBound bound;
        double bounce; /* > 0: restitution times its share. The bounded gap is then h n . (u + bounce u_-)   (W35) */
        double restitution;      /* of a contact that bounces, without the share; else 0 */
        double tangent_scale[2]; /* friction along each tangent over friction.mu: 1 for a round cone */
        int steady_frame; /* 1: tangent[0] follows that where the features were found, however the normal turns */
    } law;
    tacFrictionPoint friction;     /* cone variables of the iterate */
    tacFrictionPoint factored;     /* those at which the system was last factored */
    tacFrictionRhs residual;       /* residuals of the iterate; right sides while solving */
    tacFrictionRhs saved_residual; /* residuals when the system was last factored */
    struct {                       /* closed form of a point or ellipsoid above a fixed plane (plane_contact.h) */
        int kind;                  /* 0: the general form */
        tacVec3 core;              /* the point, or the middle, in its body */
        double pad, level;         /* radius around the point; n . x of the plane */
        tacMat3 slide;             /* how the lowest point moves within the body as the body turns; zero for a point */
    } plane;
};

struct tacNcp {
    const tacModel *m;
    const tacWork *w; /* at q */
    tacScene *scene;
    const double *q, *v, *mocap;
    tacSmoothPoint point;                 /* where forces are evaluated */
    int implicit;                         /* 1: forces are implicit in velocity */
    double h, damping_span, bounce_speed; /* bounce_speed: m/s, least approach speed that bounces */
    double tolerance;                     /* m, rad: by how much a feasible state may overlap */
    tacNcpFriction cone_kind;
    int turned;        /* > 0: a trial motion since the system was last factored turns this body too far */
    int started;       /* 1: a search was started, and nothing is evaluated yet */
    int turned_before; /* > 0: v turns this body too far between q (-) h v and q; there is no step */
    /* Bodies and dofs. */
    tacWork next; /* at q+: position stage alone */
    double *q_next, *hv;
    tacVec6 *before;        /* nbody: momentum before the step with the impulse of gravity, at the centre of mass */
    tacVec6 *f, *sum;       /* nbody: residual impulse about the tree's origin at q; its sums over subtrees */
    tacVec6 *rhs;           /* nbody, with g_rhs: right sides of the reduced system */
    tacSym3 *inertia;       /* nbody: about the centre of mass at q, world axes */
    tacVec3 *slide, *spin;  /* nbody: velocity of the centre of mass and angular velocity between q and q+ */
    tacVec3 *turning;       /* nbody: angular momentum between q and q+, world axes */
    tacMat3 *turning_block; /* nbody: its derivative as q+ turns; of the system */
    double *g_rhs;          /* nv */
    double *anchor;         /* nv: v+ at which features were last added */
    double *tau, *g;        /* nv: impulses of joint forces; residual impulse of the dofs themselves */
    /* Contacts and rows. */
    int ncontact, max_contacts, room; /* max_contacts: found at a time; room: length of `contact` */
    int nremoved;                     /* removed contacts that overlap at q, kept at the end of `contact` */
    int infeasible;                   /* 1: bounds of gaps yield   (W49) */
    int limited;                      /* sets of trees that touch whose share of restitution is below 1   (W51) */
    int *tree;                        /* nbody: union-find over root bodies, of these sets */
    double gap_unit;                  /* unit of the products of gaps   (W8) */
    tacNcpContact *contact;
    tacContact *found; /* max_contacts: what collision found last */
    tacNcpRows rows;
    tacNcpPairs pairs;
    /* Cones and unknowns. */
    int ncone, numbers;   /* numbers of a, and of b */
    int *dim;             /* ncone */
    double *unit, *ratio; /* ncone: unit of the products; size of b relative to a, about an inverse mass */
    double *x, *a, *b;    /* x: v+, then impulses of equalities, then numbers of pairs */
    struct {
        double violation, centring; /* as of tacInterior */
    } end;                          /* of the last search */
    double geometric_share;         /* share of the contacts' geometric stiffness that systems have */
    tacBlockLdu ldu;
};

/* --- Sizes and memory (setup.c) ----------------------------------------------------------------------------------- */

/* Length of `contact`: the contacts that may be found, and features added after a first solution. */
int tac_ncp_max_features(int max_contacts);
/* Numbers of a, and of x, at most. */
int tac_ncp_max_numbers(const tacModel *m, int max_contacts, tacNcpCollision collision);
int tac_ncp_max_unknowns(const tacModel *m, int max_contacts, tacNcpCollision collision);
/* Numbers of x. */
int tac_ncp_unknowns(const tacNcp *p);
/* Takes the problem's arrays. 0: the arena is too small. */
int tac_ncp_layout(tacNcp *p, const tacModel *m, int max_contacts, tacNcpCollision collision, tacArena *arena);
/* Takes the arrays of a workspace's position stage. 0: the arena is too small. */
int tac_ncp_kinematics_layout(tacWork *w, const tacModel *m, tacArena *arena);

/* --- The problem (setup.c) ---------------------------------------------------------------------------------------- */

/* The problem as the interior point takes it. */
tacInteriorProblem tac_ncp_problem(tacNcp *p);
/* Places bodies, contacts and rows at the motion v+. TAC_ERR_DEGENERATE: as of tac_ncp_place_bodies and
 * tac_ncp_place_contacts. */
tacStatus tac_ncp_place(tacNcp *p, const double *v_next);
/* The starting point of search number `start`: x (unchanged with `again`), and a, b on the central path. */
enum { TAC_NCP_STARTS = 7 };
tacStatus tac_ncp_start(tacNcp *p, int start, int again);
