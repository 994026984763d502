/* What a step of contact ncp has to fulfil, found anew outside its solver: from the two states, from the forces that it
 * tells, and from public quantities of the model at both ends, by plain loops over bodies, dofs and geoms
 * (docs/theory/ncp.md, W5-W7, W9-W11, W29, W47-W49). Integrator Euler, inputs ctrl alone. */
#pragma once

#include "measure/discrete_motion.h"
#include "scene.h"

/* Bars, beside each why. The step's own tolerance is 1e-9 in every unit. */
#define LAW_BALANCE 2e-9  /* N s, N m s: the tolerance, and rounding of places, m |x|/h of 1e5 N s times 1e-16 */
#define LAW_IMPULSE 2e-9  /* N s: the tolerance, for xi_0 = mu gamma of W10 */
#define LAW_GAP     2e-9  /* m, rad: the tolerance, and as much for what two ways to a distance differ by */
#define LAW_SLIP    2e-9  /* m/s: the tolerance, and as much for rounding of places over h */
#define LAW_MOTION  1e-12 /* m, rad: rounding of coordinates of some hundreds */
/* Products of impulse and gap are within a thousandth of kappa U. */
#define LAW_CENTRING 1.01
/* m: at q+ contacts are looked for from here on. */
#define LAW_LOOK 1e-3
/* s: T of W8; m/s: the speed of W11. */
#define LAW_TIME       0.05
#define LAW_CORRECTION 0.1
#define LAW_PUSH       2.0 /* of what mocap bodies push */
enum { LAW_CONTACTS = 4096 };

/* What contacts did in the step, as the public API tells it. */
typedef struct StepForces {
    int n;
    tacContactForce *contact; /* tac_step_contacts */
    tacVec6 *wrench;          /* nbody: TAC_OUT_CONTACT_FORCE, about the bodies' origins at q+ */
} StepForces;

/* The most that a step is off by. What is not finite is infinite. */
typedef struct StepFaults {
    double balance;  /* N s, N m s: what no limit and no dry friction may exert on its dof is missing to W7 */
    double cone;     /* N s: friction beyond mu times the normal impulse, or a contact that pulls */
    double distance; /* N s: impulse of a contact beyond kappa U over its gap at q+ */
    double friction; /* N s: between that of a contact and the one that its slip gives */
    double wrench;   /* N s, N m s: between what contacts together do to a body and what it is told to feel */
    double overlap;  /* m: of two geoms at q+, beyond what they have left of that at q */
    double range;    /* m, rad: of a joint or tendon out of its range at q+, likewise */
    double motion;   /* m, rad: between q+ and q (+) h v+ */
    /* Contacts with more impulse than one at the distance LAW_LOOK may have: those whose features touch at q+, and
     * those that have left theirs, as corners that slide off a face, of which no gap is known. */
    long placed, lost;
} StepFaults;

typedef struct StepLaws {
    const Scene *scene;
    double unit;          /* kappa U of W8, N s m */
    tacPoses pose[3];     /* at q (-) h v, q, q+ */
    StepForces forces;    /* room */
    tacContact *touch[2]; /* at q, q+ */
    int ntouch[2];
    tacModel *wide;  /* with margins, so that contacts are found that are not closed to the last digit */
    tacSim *look;    /* of that */
    tacVec3 *origin; /* nbody, at q+ */
    tacVec6 *sum;    /* nbody: impulses of contacts, about the origins */
    double *unknown; /* nbody: size of those that are not in it */
    tacVec3 *carry;  /* nbody: torque that their place has beside their point at q+   (W5a, W5c) */
    double *adrift;  /* nbody: size of such torque that is not in it */
    double *before, *missing, *slack, *low, *high, *jacobian; /* nx; nv each; 6 nv */
    double *tendon[2];                                        /* lengths at q, q+ */
    int infeasible;                                           /* 1: what q breaks gives way   (W49) */
} StepLaws;

/* The scene stays the caller's. Ends the program when memory is short. */
StepLaws step_laws_new(const Scene *scene);
void step_laws_free(StepLaws *laws);
/* The forces of the step from x under u, in the room of laws. 0: the step has none to tell. */
int step_laws_forces(StepLaws *laws, const double *x, const double *u);
/* The step from x under u to y with laws->forces. */
StepFaults step_laws_judge(StepLaws *laws, const double *x, const double *u, const double *y);
/* Most of its figures over their bars: above 1 it is no solution. What that is, in words. */
double step_faults_worst(const StepFaults *f, const char **what);
/* Its part about contacts, poses being found. */
void step_laws_contacts(StepLaws *laws, const double *x, const double *u, const double *y, StepFaults *f);
/* The gap that counts as closed where it is `gap` at q and goes away at a speed, before it gives way   (W11). */
double step_laws_rest(const StepLaws *laws, double gap, double speed);
/* A gap at q, at which speed it is made good, and of which masses (step_laws_broken.c). */
typedef struct BrokenGap {
    double gap, speed, inverse_mass;
} BrokenGap;
BrokenGap step_laws_joint_gap(const tacModel *m, int joint, double gap);
BrokenGap step_laws_tendon_gap(const tacModel *m, int tendon, double gap);
double step_laws_inverse_mass(const tacModel *m, const tacContact *c);
/* Whether the start is infeasible. Needs: touches and tendons of q and q+. */
void step_laws_start(StepLaws *laws, const double *x, const double *y);
/* How far it gives way to an impulse; the most impulse at a gap less rest   (W48). */
double step_laws_gives(const StepLaws *laws, const BrokenGap *g, double impulse);
double step_laws_most(const StepLaws *laws, const BrokenGap *g, double gap);
/* Of two geoms: whether a dof moves one against the other, a mocap body pushes, and how fast overlap goes away. */
int step_laws_may_part(const tacModel *m, const tacContact *c);
int step_laws_pushed(const tacModel *m, const tacContact *c);
double step_laws_parting_speed(const tacModel *m, const tacContact *c);
/* Of a ball's limit   (W30). */
double step_laws_ball_gap(double range, const double *quat);
/* Impulse of a contact or limit at this gap, at most. */
double step_laws_push(const StepLaws *laws, double gap);
static inline int step_laws_still(const tacModel *m, int body) { return m->body_last_dof[body] < 0; }
/* *worst = the worse of both, figure by figure. */
void step_faults_grow(StepFaults *worst, const StepFaults *f);
