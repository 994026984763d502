#include "dynamics/param_mass.h"

#define IS(t, row) (TAC_FIELDS[(t)->field].offset == offsetof(tacModel, row))

int tac_on_one_path(const tacModel *m, int i, int j) {
    int low = i < j ? i : j, high = i < j ? j : i;
    while (high > low)
        high = m->dof_parent[high];
    return high == low;
}

int tac_tendon_of_term(const tacModel *m, int term) {
    int t = 0;
    while (term >= m->tendon_term_adr[t] + m->tendon_term_num[t])
        t++;
    return t;
}

tacMassForm tac_mass_form(const tacModel *m, tacWork *w, const double *z) {
    w->Lambda[0] = tac_zero6();
    for (int b = 1; b < m->nbody; b++) {
        tacVec6 Z = w->Lambda[m->body_parent[b]];
        for (int i = m->body_dof_adr[b]; i < m->body_dof_adr[b] + m->body_dof_num[b]; i++)
            Z = tac_madd6(Z, z[i], w->S[i]);
        w->Lambda[b] = Z;
        w->X[b] = tac_inertia_mul(w->inertia[b], Z);
    }
    for (int b = m->nbody - 1; b > 0; b--)
        if (m->body_parent[b] > 0) w->X[m->body_parent[b]] = tac_add6(w->X[m->body_parent[b]], w->X[b]);
    return (tacMassForm){m, w, z, w->Lambda, w->X};
}

/* A mover x changes all that it moves rigidly, except for the motion inboard of it, Z_before:
 *   d(z.M z) = 2 (Z_before x S_x) . sum over the bodies it moves of I_b Z_b */
double tac_mass_form_move(const tacMassForm *form, const tacMover *x) {
    const tacModel *m = form->m;
    if (x->site > 0) return 0;
    tacVec6 before = form->Z[m->body_parent[x->body]];
    for (int i = m->body_dof_adr[x->body]; i < x->first; i++)
        before = tac_madd6(before, form->z[i], form->w->S[i]);
    return 2 * tac_dot6(tac_crossm6(before, x->S), form->IZ[x->body]);
}

/* Z.dI Z (docs/theory/parameters.md, PA9) */
static double inertia_change(const tacMassForm *form, const tacInertialTangent *inertial) {
    double sum = 0;
    for (int b = 1; inertial != NULL && b < form->m->nbody; b++) {
        if (tac_inertial_is_still(&inertial[b])) continue;
        tacInertia dI = tac_world_inertia_change(form->m, form->w, b, &inertial[b]);
        sum += tac_dot6(form->Z[b], tac_inertia_mul(dI, form->Z[b]));
    }
    return sum;
}

static double armature_change(const tacMassForm *form, int joint) {
    double sum = 0;
    for (int i = 0; i < form->m->nv; i++)
        if (form->m->dof_joint[i] == joint) sum += form->z[i] * form->z[i];
    return sum;
}

/* M has armature J^T J of tendons between a dof and its ancestors. term < 0: the armature moves, else a coefficient. */
static double tendon_change(const tacMassForm *form, int tendon, int term) {
    const tacModel *m = form->m;
    const double *z = form->z, *coef = m->term_coef;
    int first = m->tendon_term_adr[tendon], last = first + m->tendon_term_num[tendon];
    double sum = 0;
    for (int k = first; k < last; k++)
        for (int l = first; l < last; l++) {
            int i = m->joint_dof_adr[m->term_joint[k]], j = m->joint_dof_adr[m->term_joint[l]];
            double square = term < 0 ? coef[k] * coef[l]
                                     : m->tendon_armature[tendon] * ((k == term) * coef[l] + (l == term) * coef[k]);
            if (tac_on_one_path(m, i, j)) sum += square * z[i] * z[j];
        }
    return sum;
}

double tac_mass_form_param(const tacMassForm *form, const tacParamTangent *t, int tendons) {
    double sum = inertia_change(form, t->inertial);
    if (IS(t, joint_armature)) sum += armature_change(form, t->index);
    if (tendons && IS(t, tendon_armature)) sum += tendon_change(form, t->index, -1);
    if (tendons && IS(t, term_coef)) sum += tendon_change(form, tac_tendon_of_term(form->m, t->index), t->index);
    return sum;
}
