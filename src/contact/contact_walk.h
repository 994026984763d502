/* A run of contacts prepared for derivatives. contact_run.c emits its columns one by one, contact_run_dofs.c all dofs
 * together. */
#pragma once

#include "contact/contact_run.h"

/* Change of a contact's rows and of the force on body[1], at fixed velocities of the bodies. */
typedef struct tacResponse {
    double row[TAC_CONTACT_MOST_ROWS];
    tacVec6 force; /* about the origin of body[0]'s tree */
} tacResponse;

/* A prepared contact: force and torque on geom[1]'s body, velocity of that body relative to the other at z, and the
 * contact's position from the origin of body[0]'s tree. */
typedef struct tacPreparedContact {
    tacContactSystem system;
    tacVec3 F, T, u, arm;
    tacVec6 measure[TAC_CONTACT_MOST_ROWS]; /* rows of J: of body[1]'s velocity relative to body[0], about that
                                             * origin */
} tacPreparedContact;

typedef struct tacContactWalk {
    const tacContactRun *run;
    tacVec3 turn; /* angular velocity of body[1] relative to body[0] at z */
    tacVec6 W[2]; /* sum of the forces on body[1], about the origin of each body's tree */
    tacVec3 away; /* the origin of body[0]'s tree from that of body[1]'s */
    tacPreparedContact contact[TAC_RUN];
} tacContactWalk;

/* Moves a wrench from the origin of body[0]'s tree to that of body[1]'s. */
static inline tacVec6 tac_contact_about_other(const tacContactWalk *walk, tacVec6 W) {
    return (tacVec6){tac_add3(W.ang, tac_cross3(walk->away, W.lin)), W.lin};
}

/* d(J z) + rate d(dist), and d(J^T f) before the axes of dofs turn   (R2, R3). */
static inline tacResponse tac_contact_respond(const tacContactWalk *walk, int i, const tacContactTangent *t) {
    const tacRunContact *r = &walk->run->contact[i];
    const tacPreparedContact *p = &walk->contact[i];
    const tacContact *c = &p->system.contact;
    tacVec3 du = tac_cross3(walk->turn, t->pos), turning = tac_cross3(t->pos, p->F);
    tacVec3 dF = tac_contact_combine(r->f, t->normal, t->tangent);
    tacResponse out;
    out.row[0] = tac_dot3(t->normal, p->u) + tac_dot3(c->normal, du) + r->rate * t->dist;
    out.row[1] = tac_dot3(t->tangent[0], p->u) + tac_dot3(c->tangent[0], du);
    out.row[2] = tac_dot3(t->tangent[1], p->u) + tac_dot3(c->tangent[1], du);
    if (r->n > 3) {
        out.row[3] = tac_dot3(t->normal, walk->turn);
        out.row[4] = tac_dot3(t->tangent[0], walk->turn);
        out.row[5] = tac_dot3(t->tangent[1], walk->turn);
        turning = tac_add3(turning, tac_contact_combine(r->f + 3, t->normal, t->tangent));
    }
    out.force = (tacVec6){tac_add3(turning, tac_cross3(p->arm, dF)), dF};
    return out;
}

/* Sides that dofs move. */
unsigned tac_contact_dof_sides(const tacContactRun *run);
/* Change of body[1]'s velocity relative to body[0] at fixed joint velocities, about the origin of body[0]'s tree.
 * which: body[0], body[1], or both may move. */
tacVec6 tac_contact_velocity_change(const tacContactWalk *walk, const tacDisplacement *d, int which);
/* Emits the columns of all dofs on the paths to the two bodies. Emits no wrenches. Needs: a run without `more`. */
void tac_contact_run_dofs(const tacContactWalk *walk, const tacContactSink *sink);
