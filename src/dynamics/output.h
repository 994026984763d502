/* Quantities for losses, and their derivatives (outputs.md). Each kind has one row of a table: its size, the stages it
 * needs, its value, and its change with the state and with a pose or number that varies. Jacobian and reverse mode use
 * the same entries with different sinks. */
#pragma once

#include "dynamics/param_deriv.h"

/* Stages beyond the positions. */
enum {
    TAC_NEED_VELOCITY = 1 << 0,
    TAC_NEED_SUMS = 1 << 1,         /* sums over subtrees, below; with velocities */
    TAC_NEED_MASS = 1 << 2,         /* tac_crba */
    TAC_NEED_TENDONS = 1 << 3,      /* lengths and velocities */
    TAC_NEED_FORCES = 1 << 4,       /* tac_smooth_motion, tac_actuator_forces */
    TAC_NEED_ACCELERATION = 1 << 5, /* w->qacc */
    TAC_NEED_CONSTRAINTS = 1 << 6,  /* wrench, qfrc_constraint, below */
    TAC_NEED_PAIRS = 1 << 7         /* pair, npair, below */
};

/* Force between two geoms, summed over their contacts: along the normal and the tangents, on geom[1]. */
typedef struct tacPairForce {
    int geom[2];
    double force[3];
} tacPairForce;

/* The point at which outputs are evaluated. */
typedef struct tacOutputPoint {
    const tacModel *m;
    tacWork *w;
    tacSmoothPoint x;
    /* nbody each: centre of mass, momentum (about the tree's origin; of entry 0 the linear part alone) and inertia of
     * each subtree */
    tacVec3 *com;
    tacVec6 *momentum;
    tacInertia *composite;
    unsigned char *inside; /* nbody: scratch */
    /* 6 nbody, nv: forces of constraints in the step, from the stepper */
    double *wrench, *qfrc_constraint;
    tacPairForce *pair; /* those of the contacts of the step, from the stepper */
    int npair, max_pairs;
} tacOutputPoint;

/* A displacement of one number that is neither state nor control: a parameter, or a number of a mocap pose. */
typedef struct tacVariation {
    int n; /* places that it moves */
    tacMover mover[2];
    const tacParamTangent *t; /* NULL: mocap */
} tacVariation;

enum { TAC_OUTPUT_NUMBERS = 9 }; /* most numbers of one output */

typedef struct tacOutputRule {
    const char *name; /* for messages */
    int size;
    size_t count; /* offset in tacModel of the number of elements */
    unsigned needs;
    void (*value)(const tacOutputPoint *p, int id, double *z);
    /* The same of two elements of the kind (tacOutput.id2); NULL: value */
    void (*between)(const tacOutputPoint *p, const int id[2], double *z);
    /* Emits the derivatives with respect to q, v, act, ctrl as rows `row`, `row` + 1, ... NULL: step/outputs.c
     * differentiates all elements of the kind at once */
    void (*state)(const tacOutputPoint *p, int id, int row, const tacForceSink *sink);
    /* dz[size], which is zero, += derivative along the variation */
    void (*vary)(const tacOutputPoint *p, int id, const tacVariation *d, double *dz);
} tacOutputRule;

extern const tacOutputRule TAC_OUTPUT_RULES[TAC_OUTPUT_KINDS];

/* The sign of friction where two ids are those of a pair of geoms: 1; -1 in the other order; 0: they are not. */
int tac_pair_order(const int geom[2], const int id[2]);
/* -> com, momentum, composite. Needs: position, velocity. */
void tac_output_sums(const tacOutputPoint *p);

/* --- By file ------------------------------------------------------------------------------------------------------ */

#define TAC_OUTPUT_FUNCTIONS(name)                                                                                     \
    void tac_value_##name(const tacOutputPoint *p, int id, double *z);                                                 \
    void tac_state_##name(const tacOutputPoint *p, int id, int row, const tacForceSink *sink);                         \
    void tac_vary_##name(const tacOutputPoint *p, int id, const tacVariation *d, double *dz);

/* output_frame.c */
TAC_OUTPUT_FUNCTIONS(body_pos)
TAC_OUTPUT_FUNCTIONS(body_mat)
TAC_OUTPUT_FUNCTIONS(body_com)
TAC_OUTPUT_FUNCTIONS(geom_pos)
TAC_OUTPUT_FUNCTIONS(geom_mat)
TAC_OUTPUT_FUNCTIONS(site_pos)
TAC_OUTPUT_FUNCTIONS(site_mat)
TAC_OUTPUT_FUNCTIONS(joint_pos)
TAC_OUTPUT_FUNCTIONS(joint_axis)
TAC_OUTPUT_FUNCTIONS(body_velocity)
TAC_OUTPUT_FUNCTIONS(site_velocity)
/* output_mass.c */
TAC_OUTPUT_FUNCTIONS(subtree_com)
TAC_OUTPUT_FUNCTIONS(subtree_velocity)
TAC_OUTPUT_FUNCTIONS(momentum)
TAC_OUTPUT_FUNCTIONS(kinetic)
TAC_OUTPUT_FUNCTIONS(potential)
/* output_drive.c */
TAC_OUTPUT_FUNCTIONS(actuator_length)
TAC_OUTPUT_FUNCTIONS(actuator_velocity)
TAC_OUTPUT_FUNCTIONS(actuator_force)
TAC_OUTPUT_FUNCTIONS(tendon_length)
TAC_OUTPUT_FUNCTIONS(tendon_velocity)

/* Emits n numbers as rows `row`, `row` + 1, ... of a column. */
static inline void tac_emit_numbers(const tacSink *sink, int row, int column, int n, const double *dz) {
    for (int k = 0; k < n; k++)
        tac_emit(sink, row + k, column, dz[k]);
}

/* Residual of a mover's displacement after the rigid motion of all that it moves. The motion before it does not move
 * along: psi = V_before x S   (dynamics.md, ID2). Needs: velocity. */
tacVec6 tac_mover_drag(const tacOutputPoint *p, const tacMover *x);
