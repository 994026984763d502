/* Change of a quadratic form of the mass matrix, z.M z, with the model's numbers and with movers (parameters.md, PA10).
 * Kinetic energy is half of one. The diagonals that define springs and servos are others. */
#pragma once

#include "dynamics/param_deriv.h"

/* z.M z = sum over bodies of Z_b.(I_b Z_b) + armatures, Z_b = sum of S_i z_i inboard of the body. */
typedef struct tacMassForm {
    const tacModel *m;
    const tacWork *w;
    const double *z;   /* nv */
    const tacVec6 *Z;  /* nbody */
    const tacVec6 *IZ; /* nbody: sums of I_b Z_b over subtrees */
} tacMassForm;

/* z -> the form; Z and IZ go to w->Lambda and w->X. Needs: position. */
tacMassForm tac_mass_form(const tacModel *m, tacWork *w, const double *z);
/* d(z.M z) along a mover. */
double tac_mass_form_move(const tacMassForm *form, const tacMover *x);
/* d(z.M z) by inertias and armatures that move with a parameter, without poses. `tendons`: M has the armature of
 * tendons. */
double tac_mass_form_param(const tacMassForm *form, const tacParamTangent *t, int tendons);

/* The tendon that a term belongs to. */
int tac_tendon_of_term(const tacModel *m, int term);
/* 1: one of the dofs is inboard of the other, or both are the same. */
int tac_on_one_path(const tacModel *m, int i, int j);
