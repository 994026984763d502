/* Constraint rows. Each has a velocity J_k v, the force f_k along it, and a position. Contacts, limits, dry friction
 * and equalities share this format for every solver.
 *
 *   contact   normal, then two tangents where condim > 1: velocity of geom[1] against geom[0] at the contact's pos;
 *             where asked for, turning about the normal (condim 4) and the tangents (condim 6)
 *   limit     of a joint or tendon: coordinate minus lower bound, or upper bound minus coordinate; of a ball: range
 *             minus angle
 *   friction  loss of a joint (one row a dof) or tendon
 *   equality  connect 3, weld 6 (equality.h), between two joints or two tendons 1 (coordinate.h)
 *
 * J is sparse. A row has the dofs on the paths to its bodies, in descending order. */
#pragma once

#include "dynamics/contact_move.h"
#include "dynamics/mass.h"

typedef enum {
    TAC_ROW_CONTACT,
    TAC_ROW_JOINT_LIMIT,
    TAC_ROW_TENDON_LIMIT,
    TAC_ROW_JOINT_FRICTION,
    TAC_ROW_TENDON_FRICTION,
    TAC_ROW_EQUALITY
} tacRowKind;

typedef struct tacRow {
    tacRowKind kind;
    int id;   /* contact; joint; tendon; dof; equality */
    int axis; /* contact: 0 normal, 1, 2 tangents, 3, 4, 5 turning about them; limit: 0 lower, 1 upper; equality: which
                     of its rows */
    int adr, num;     /* its numbers in dof[], J[] */
    int tree;         /* first dof's tree (a root body), for islands */
    double pos;       /* contact: dist; limit: distance to it; equality: its error */
    double curvature; /* equality: (pos(q (+) h v) - pos(q))/h - J v, from the row's own turning; else 0 */
} tacRow;

typedef struct tacRows {
    int n, max;       /* rows */
    int nnz, max_nnz; /* numbers of J */
    int overflow;     /* 1: there was no room for all */
    int meet;         /* 1: connects and welds act in the middle of their anchors; set after the layout */
    int turning;      /* 1: contacts of condim 4 and 6 have their rows of turning; set after the layout */
    const unsigned char *joint_acts, *tendon_acts; /* 2 njnt, 2 ntendon: limits with a row; NULL: those that are near;
                                                      set after the layout */
    tacRow *row;                                   /* max */
    int *dof;                                      /* max_nnz */
    double *J, *Y;                                 /* max_nnz: J, and D^-1/2 L^-T J^T, which has the same places */
    tacContact *contact;                           /* max_contacts */
    int ncontact, max_contacts;
    int *first_row; /* max_contacts: the contact's normal row, or -1 */
} tacRows;

/* Largest number of rows of a model: three for every contact, limits, dry friction, equalities. */
int tac_rows_max(const tacModel *m, int max_contacts);
/* Takes the arrays of tac_rows_max rows. 0: the arena is too small. */
int tac_rows_layout(tacRows *rows, const tacModel *m, int max_contacts, tacArena *arena);
/* Bytes of the layout. */
size_t tac_rows_bytes(const tacModel *m, int max_contacts);

/* Finds all rows and their J. Contacts were found before (rows->contact, ncontact). Removes those that no dof moves.
 * A limit has a row if it is nearer than `reach` times the speed of its coordinate at v. Needs: position, tendon
 * lengths. */
void tac_rows_find(const tacModel *m, const tacWork *w, const double *q, const double *v, double reach, tacRows *rows);
/* Adds the rows of all equalities that hold: pos is to be zero, J is its gradient by dofs. Needs: position. */
void tac_rows_add_equalities(const tacModel *m, const tacWork *w, const double *q, tacRows *rows);
/* The model at q (+) h v, its configuration without acceleration. */
typedef struct tacPrediction {
    double *q;
    tacWork w; /* position stage alone */
} tacPrediction;
/* 1: the model has an equality that holds. */
int tac_rows_any_equality(const tacModel *m);
/* Sets the curvature of the rows of equalities. v: velocity before the step. Needs: tac_rows_find. */
void tac_rows_set_curvature(const tacModel *m, const tacPrediction *at, const double *v, double h, tacRows *rows);
/* Sets it to -J v, so that these rows keep their velocity. */
void tac_rows_keep_velocity(tacRows *rows, const double *v);
/* out[nv] += J_k of an equality's row, evaluated at another configuration. */
void tac_row_gradient_at(const tacModel *m, const tacPrediction *at, const tacRow *row, double *out);
/* -> Y (rows_weigh.c). scratch: 3 nv. Needs: tac_factor. */
void tac_rows_weigh(const tacModel *m, const tacWork *w, tacRows *rows, double *scratch);
/* J_k v */
double tac_row_velocity(const tacRows *rows, int k, const double *v);
/* force[nv] += J_k^T f */
void tac_row_add_force(const tacRows *rows, int k, double f, double *force);
/* The same for n rows from k on that have the same dofs: rows of a contact, connect or weld. */
void tac_block_velocities(const tacRows *rows, int k, int n, const double *v, double *out);
void tac_block_add_forces(const tacRows *rows, int k, int n, const double *f, double *force);
/* J_k M^-1 J_l^T from Y */
double tac_row_product(const tacRows *rows, int k, int l);
/* The same for n rows of a list: A is n x n and symmetric to the bit. scratch (3 nv): zeros on entry and on return. */
void tac_rows_products(const tacRows *rows, int n, const int *list, double *scratch, double *A);

/* Sliding friction of a contact along its two tangents: the pair's own, or the larger of the geoms' (the one with
 * priority decides). */
void tac_contact_friction(const tacModel *m, const tacContact *c, double mu[2]);
/* Restitution of a contact by the same rule, also for an explicit pair. */
double tac_contact_restitution(const tacModel *m, const tacContact *c);
/* condim of a contact by the same rule. 1 has no friction. */
int tac_contact_dimension(const tacModel *m, const tacContact *c);
/* 1: the contact has a tangent and a coefficient above 0 along it. */
int tac_contact_has_friction(const tacModel *m, const tacContact *c);

/* Force of components f along the normal n and the two tangents t, or along their changes. */
static inline tacVec3 tac_contact_combine(const double f[3], tacVec3 n, const tacVec3 t[2]) {
    return tac_add3(tac_scale3(f[0], n), tac_add3(tac_scale3(f[1], t[0]), tac_scale3(f[2], t[1])));
}
/* Velocity of a body's point. V is about the origin of its tree. */
static inline tacVec3 tac_velocity_at(const tacWork *w, int body, tacVec6 V, tacVec3 point) {
    return tac_add3(V.lin, tac_cross3(V.ang, tac_sub3(point, w->origin[body])));
}
/* Hash of the geoms and features that touch, for hashes of active sets. */
uint64_t tac_contact_hash(const tacContact *c, uint64_t hash);

/* 1: some dof moves one of two geoms relative to the other. Otherwise (an explicit pair of one body) neither forces nor
 * states change their distance. */
int tac_may_part(const tacModel *m, const int geom[2]);
/* m, rad: violation of a row. It is the error of an equality, the overlap of a contact, the excess of a limited
 * coordinate, and 0 for friction. */
double tac_row_violation(const tacRow *row);
/* Keeps the larger of a row's violation and *most. geom: those of a contact, else NULL. */
void tac_note_violation(double size, const tacRow *row, const int *geom, tacViolation *most);
/* Fills in the part of a step's report that concerns its start. */
void tac_report_start(const tacViolation *most, tacStepInfo *info);
/* 1: the row is attached to a mocap body. The motion of that body is in no velocity. */
int tac_row_is_driven(const tacModel *m, const tacRows *rows, int k);
/* The two bodies (0: the world) that the row's force acts between, or whose trees it moves. */
void tac_row_bodies(const tacModel *m, const tacRows *rows, int k, int body[2]);

/* Wrench of a unit force along row k of a contact on its two bodies: torque about the body's origin, then force, world
 * axes. */
typedef struct tacRowWrench {
    int body[2];
    tacVec6 wrench[2];
} tacRowWrench;
/* 0: the row belongs to no contact. */
int tac_row_wrench(const tacModel *m, const tacWork *w, const tacRows *rows, int k, tacRowWrench *out);

/* --- Building them ------------------------------------------------------------------------------------------------ */

/* Appends a row without numbers. NULL: there is no room. */
tacRow *tac_rows_begin(tacRows *rows, tacRowKind kind, int id, int axis, double pos);
/* Adds a dof and its ancestors to the (last) row, with zeros, unless the row has them. */
void tac_rows_add_path(const tacModel *m, tacRows *rows, tacRow *row, int dof);
/* J of one of the row's dofs += value */
void tac_rows_add_value(tacRows *rows, const tacRow *row, int dof, double value);
/* Adds the paths of two last dofs (-1: none) to an empty row. J_i = S_i . W[0] on the first path, S_i . W[1] on the
 * second, and their sum on both. */
void tac_rows_add_paths(const tacModel *m, tacRows *rows, tacRow *row, const int last[2], const tacVec6 *S,
                        const tacVec6 W[2]);

/* --- Derivatives (rows_deriv.c) ----------------------------------------------------------------------------------- */

/* Weights of the change of one row. The emitted entries are  scale f dJ^T  over dofs and  dJ z + rate dpos  of the
 * row. */
typedef struct tacRowWeights {
    double f, scale, rate;
    const double *z; /* NULL: as zeros */
} tacRowWeights;
/* Destination of the entries. */
typedef struct tacRowSink {
    tacSink force, row;
} tacRowSink;

/* The displacement of a model's bodies by one column. */
typedef struct tacDisplacement {
    int nmover;
    tacMover mover[2];
} tacDisplacement;

/* V = velocities of all bodies for the joint velocities z, about their trees' origins. Needs: position. */
void tac_rows_body_velocity(const tacModel *m, const tacWork *w, const double *z, tacVec6 *V);
/* Change of (J_k z) of a contact's rows 0..2 when the model is displaced and the contact moves by t. V from
 * tac_rows_body_velocity. */
void tac_contact_velocity_move(const tacModel *m, const tacWork *w, const tacContact *c, const tacVec6 *V,
                               const double *z, const tacDisplacement *d, const tacContactTangent *t, double out[3]);
/* Change of a body's velocity at fixed joint velocities z when the model is displaced. */
tacVec6 tac_body_velocity_move(const tacModel *m, const tacWork *w, const tacVec6 *V, const double *z,
                               const tacDisplacement *d, int body);
/* Emits the change of a contact's force on its two bodies, times scale. f[6] is along normal and tangents, and about
 * them. Rows 6 body, 6 body + 1, ... of a column get the torque about the body's origin, then the force. */
void tac_contact_wrench_move(const tacModel *m, const tacWork *w, const tacContact *c, const double f[6],
                             const tacDisplacement *d, const tacContactTangent *t, double scale, int column,
                             const tacSink *sink);
/* d(friction)/d(parameter) of a contact along tangent `axis` (1, 2). If both geoms have the same friction, each gets
 * half: the mean of both sides of the kink, and the whole when both move. */
double tac_contact_friction_param(const tacModel *m, const tacParamTangent *t, const tacContact *c, int axis);
/* d(restitution)/d(parameter) of a contact. If both geoms have the same restitution, each gets half. */
double tac_contact_restitution_param(const tacModel *m, const tacParamTangent *t, const tacContact *c);
/* Emits a wrench as rows 6 body, 6 body + 1, ... of a column. */
static inline void tac_emit_wrench(const tacSink *sink, int body, int column, tacVec6 W) {
    const double *rows = &W.ang.x;
    for (int i = 0; i < 6; i++)
        tac_emit(sink, 6 * body + i, column, rows[i]);
}
