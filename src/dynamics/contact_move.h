/* Poses of geoms, and the motion of contacts with coordinates, mocap poses and the numbers of the model.
 *
 * A contact moves with the six twists of each of its two shapes, and with the shapes' own numbers. A chain of movers
 * (kinematics.h) gives all other changes. */
#pragma once

#include "collide/scene.h"
#include "dynamics/param_deriv.h"

/* Poses of all geoms that have a shape -> s->pose. TAC_ERR_NONFINITE: a geom has no finite position. Needs:
 * position. */
tacStatus tac_place_geoms(const tacModel *m, const tacWork *w, tacScene *s);
/* The same for one geom. */
tacStatus tac_place_geom(const tacModel *m, const tacWork *w, int geom, tacScene *s);

/* Change of a contact: TAC_CONTACT_ROWS numbers in the order of a public derivative's rows. */
typedef struct tacContactTangent {
    double dist;
    tacVec3 pos, normal, tangent[2];
} tacContactTangent;

/* A contact prepared for derivatives. */
typedef struct tacContactSystem {
    tacContact contact;
    int body[2];
    tacTouchSystem touch;
    tacContactTangent twist[3][6]; /* per twist about contact.pos, world axes, of shape 0, of shape 1, of both */
} tacContactSystem;

/* The contact at the scene's poses -> its system. TAC_ERR_ARGUMENT: no such geoms or features. TAC_ERR_DEGENERATE: it
 * has no derivative. TAC_ERR_NONFINITE: the derivative overflows. */
tacStatus tac_contact_prepare(const tacModel *m, const tacScene *s, const tacContact *c, tacContactSystem *out);
/* The same with only some of the twists: of shape 0, of shape 1, of both together. */
enum { TAC_SIDE_0 = 1, TAC_SIDE_1 = 2, TAC_SIDE_BOTH = 4 };
tacStatus tac_contact_prepare_sides(const tacModel *m, const tacScene *s, const tacContact *c, unsigned sides,
                                    tacContactSystem *out);
/* Change per unit of a twist about `origin`; which: of shape 0, of shape 1, of both. */
tacContactTangent tac_contact_twist(const tacContactSystem *c, int which, tacVec6 S, tacVec3 origin);
/* Change per unit of a mover. Needs: position. */
tacContactTangent tac_contact_along(const tacModel *m, const tacWork *w, const tacContactSystem *c,
                                    const tacMover *mover);
/* Change per unit of a parameter. 0: the contact does not move. corner_change: scratch, as many as the largest hull's
 * corners. Needs: position. */
int tac_contact_param(const tacModel *m, const tacWork *w, const tacContactSystem *c, const tacParamTangent *t,
                      const tacSmoothPoint *x, tacVec3 *corner_change, tacContactTangent *out);
/* Emits the changes per dof, columns [0, nv). Needs: position. */
void tac_contact_dofs(const tacModel *m, const tacWork *w, const tacContactSystem *c, const tacSink *sink);
/* Emits one change as a column. */
void tac_contact_emit(const tacContactTangent *t, int column, const tacSink *sink);
