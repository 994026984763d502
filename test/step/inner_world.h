/* Small models whose steps have inner steps, and what their derivatives are compared with. */
#pragma once

#include "support/check.h"
#include "tactus/tactus.h"

/* A model, its simulation, one state and one input of it, and the step from there. */
typedef struct InnerWorld {
    tacModel *m;
    tacOptions o;
    tacSim *sim;
    int nx, nd, nu;
    double x[32], u[8], y[32], A[32 * 32], B[32 * 8], P[32 * 4];
    tacStepInfo info;
} InnerWorld;

static inline tacVec3 vec(double x, double y, double z) { return (tacVec3){x, y, z}; }
/* Parts of models: a body on one joint, a geom (solref, solimp NULL: the default), the model. */
int inner_body(tacBuilder *b, int parent, tacVec3 pos, tacJointType type, tacVec3 axis);
void inner_geom(tacBuilder *b, int body, tacGeomType type, tacVec3 size, const double *solref, const double *solimp,
                int condim, double density);
tacModel *inner_finish(tacBuilder *b);

/* At the model's default state. Owns the model. */
void inner_open(InnerWorld *w, tacModel *m, tacIntegrator integrator, tacContactModel contact);
/* The simulation, anew, by w->o. */
void inner_start(InnerWorld *w);
/* The same, and y, A, B, P; y has the bits of a step without derivatives. */
void inner_run(InnerWorld *w);
void inner_close(InnerWorld *w);

/* d = y2 (-) y1 */
void inner_difference(const InnerWorld *w, const double *y2, const double *y1, double *d);
/* x = w->x moved by so much along a coordinate */
void inner_displace(const InnerWorld *w, int column, double by, double *x);
/* A against central differences, relative to 1 + |entry|. */
void inner_check_columns(InnerWorld *w, double width, double tol);
/* P, whose columns are not zero, against central differences, to 1e-4. */
void inner_check_parameters(InnerWorld *w, double width);
/* Reverse mode against A, B, P to rounding; the same bits with 1, 3, 100 kept states. */
void inner_check_reverse(InnerWorld *w);
