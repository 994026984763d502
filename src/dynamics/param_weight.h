/* Changes of quantities at the reference pose qpos_0 with the parameters: poses, the mass matrix, and the inverse
 * weights that regularize soft constraints (parameters.md, PA15). */
#pragma once

#include "dynamics/param_mass.h"

/* A parameter's movers at the reference pose, where free bodies have their poses in the file. Returns their number.
 * Needs here and below: w at the reference pose, M factored. */
int tac_reference_movers(const tacModel *m, const tacWork *w, const tacParamTangent *t, tacMover out[2]);
/* d(z.M z) there. `tendons`: M has the armature of tendons. */
double tac_reference_form_change(const tacMassForm *form, const tacParamTangent *t, int tendons);

/* d(dof_invweight), d(body_invweight), d(tendon_invweight): rows of nv, 2 nbody, ntendon numbers, one a parameter.
 * Overwrites w->vec, w->Lambda, w->X. */
void tac_dof_weight_tangents(const tacModel *m, tacWork *w, const tacParamTangent *t, double *rows);
void tac_body_weight_tangents(const tacModel *m, tacWork *w, const tacParamTangent *t, double *rows);
void tac_tendon_weight_tangents(const tacModel *m, tacWork *w, const tacParamTangent *t, double *rows);
