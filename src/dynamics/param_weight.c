#include "dynamics/param_weight.h"

#include "dynamics/mass.h"

#include <string.h>

#define IS(t, row) (TAC_FIELDS[(t)->field].offset == offsetof(tacModel, row))

/* --- Places and masses at the reference pose ---------------------------------------------------------------------- */

/* At the reference pose the root of a free tree is at its pose in the file. So this pose moves the tree, along the free
 * joint's own coordinates. */
static int move_free_body(const tacModel *m, const tacWork *w, const tacParamTangent *t, tacMover *out) {
    int turned = IS(t, body_quat), per = turned ? 4 : 3, body = t->index / per, k = t->index % per;
    int dof = m->body_dof_adr[body];
    *out = (tacMover){.body = body, .first = dof + 3};
    if (!turned) {
        out->S = w->S[dof + k];
        return 1;
    }
    double turn[3];
    tac_store3(turn, tac_quat_component_turn(m->body_quat[body], k));
    for (int i = 0; i < 3; i++)
        out->S = tac_madd6(out->S, turn[i], w->S[dof + 3 + i]);
    return 1;
}

static int is_free(const tacModel *m, int body) {
    return m->body_joint_num[body] > 0 && m->joint_type[m->body_joint_adr[body]] == TAC_JOINT_FREE;
}

/* A joint's ref moves only qpos_0. */
int tac_reference_movers(const tacModel *m, const tacWork *w, const tacParamTangent *t, tacMover out[2]) {
    const tacSmoothPoint x = {.q = m->qpos_0};
    if (IS(t, joint_ref)) return 0;
    if ((IS(t, body_pos) && is_free(m, t->index / 3)) || (IS(t, body_quat) && is_free(m, t->index / 4)))
        return move_free_body(m, w, t, out);
    return tac_param_movers(m, w, t, &x, out);
}

double tac_reference_form_change(const tacMassForm *form, const tacParamTangent *t, int tendons) {
    tacMover movers[2];
    double sum = tac_mass_form_param(form, t, tendons);
    int n = tac_reference_movers(form->m, form->w, t, movers);
    for (int k = 0; k < n; k++)
        sum += tac_mass_form_move(form, &movers[k]);
    return sum;
}

/* --- Inverse weights: w = r.M^-1 r,  z = M^-1 r,  dw = 2 dr.z - z.dM z -------------------------------------------- */

/* r in w->vec[0] -> z there, and the form of z. */
static tacMassForm solve_row(const tacModel *m, tacWork *w) {
    tac_solve(m, w, w->vec[0]);
    return tac_mass_form(m, w, w->vec[0]);
}

/* d(1/mass) of a body that only slides. MuJoCo gives it these weights. */
static double sliding_change(const tacModel *m, const tacParamTangent *t, int body) {
    double mass = m->body_mass[body];
    return t->inertial == NULL ? 0 : -t->inertial[body].mass / (mass * mass);
}

/* Dofs first .. first + count - 1 share the mean of their diagonals of M^-1. */
static void average_dofs(const tacModel *m, tacWork *w, const tacParamTangent *t, int first, int count, double *rows) {
    int slides = tac_body_only_slides(m, m->dof_body[first]);
    for (int d = first; d < first + count; d++) {
        memset(w->vec[0], 0, (size_t)m->nv * sizeof(double));
        w->vec[0][d] = 1;
        tacMassForm form = solve_row(m, w);
        for (int p = 0; p < m->nmember; p++) {
            double change =
                slides ? sliding_change(m, &t[p], m->dof_body[d]) : -tac_reference_form_change(&form, &t[p], 1) / count;
            for (int i = first; i < first + count; i++)
                rows[(size_t)p * (size_t)m->nv + (size_t)i] += change;
        }
    }
}

void tac_dof_weight_tangents(const tacModel *m, tacWork *w, const tacParamTangent *t, double *rows) {
    memset(rows, 0, (size_t)m->nmember * (size_t)m->nv * sizeof *rows);
    for (int j = 0; j < m->njnt; j++) {
        int dof = m->joint_dof_adr[j], type = m->joint_type[j];
        average_dofs(m, w, t, dof, type == TAC_JOINT_FREE || type == TAC_JOINT_BALL ? 3 : 1, rows);
        if (type == TAC_JOINT_FREE) average_dofs(m, w, t, dof + 3, 3, rows);
    }
}

/* Change with a parameter of a body's velocity (angular; linear at its centre of mass) at fixed z. */
static tacVec6 velocity_change(const tacMassForm *form, const tacParamTangent *t, int body) {
    const tacModel *m = form->m;
    const tacWork *w = form->w;
    tacVec6 V = form->Z[body], dV = tac_zero6();
    tacVec3 com = w->xipos[body], dcom = tac_zero3();
    tacMover movers[2];
    int n = tac_reference_movers(m, w, t, movers);
    for (int k = 0; k < n; k++) {
        const tacMover *x = &movers[k];
        if (x->site > 0 || !tac_moves_body(m, x, body)) continue;
        tacVec6 before = form->Z[m->body_parent[x->body]];
        for (int i = m->body_dof_adr[x->body]; i < x->first; i++)
            before = tac_madd6(before, form->z[i], w->S[i]);
        dV = tac_add6(dV, tac_crossm6(x->S, tac_sub6(V, before)));
        dcom = tac_add3(dcom, tac_add3(x->S.lin, tac_cross3(x->S.ang, tac_sub3(com, w->origin[x->body]))));
    }
    if (t->inertial != NULL) dcom = tac_add3(dcom, tac_mulmv3(w->xmat[body], t->inertial[body].com));
    tacVec3 lever = tac_add3(tac_cross3(dV.ang, tac_sub3(com, w->origin[body])), tac_cross3(V.ang, dcom));
    return (tacVec6){dV.ang, tac_add3(dV.lin, lever)};
}

/* Means over three directions. */
static void body_weight(const tacModel *m, tacWork *w, const tacParamTangent *t, int body, int rotation, double *rows) {
    const tacVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++) {
        memset(w->vec[0], 0, (size_t)m->nv * sizeof(double));
        tac_add_point_row(m, w, body, w->xipos[body], rotation ? tac_zero3() : axes[k],
                          rotation ? axes[k] : tac_zero3(), 1, w->vec[0]);
        tacMassForm form = solve_row(m, w);
        for (int p = 0; p < m->nmember; p++) {
            tacVec6 d = velocity_change(&form, &t[p], body);
            double along = tac_get3(rotation ? d.ang : d.lin, k);
            rows[(size_t)p * 2 * (size_t)m->nbody + (size_t)(2 * body + rotation)] +=
                (2 * along - tac_reference_form_change(&form, &t[p], 1)) / 3;
        }
    }
}

void tac_body_weight_tangents(const tacModel *m, tacWork *w, const tacParamTangent *t, double *rows) {
    memset(rows, 0, (size_t)m->nmember * 2 * (size_t)m->nbody * sizeof *rows);
    for (int b = 1; b < m->nbody; b++) {
        if (m->body_last_dof[b] < 0) continue;
        if (!tac_body_only_slides(m, b)) {
            body_weight(m, w, t, b, 0, rows);
            body_weight(m, w, t, b, 1, rows);
            continue;
        }
        for (int p = 0; p < m->nmember; p++)
            rows[(size_t)p * 2 * (size_t)m->nbody + (size_t)(2 * b)] = sliding_change(m, &t[p], b);
    }
}

void tac_tendon_weight_tangents(const tacModel *m, tacWork *w, const tacParamTangent *t, double *rows) {
    for (int i = 0; i < m->ntendon; i++) {
        memset(w->vec[0], 0, (size_t)m->nv * sizeof(double));
        tac_add_tendon_row(m, i, 1, w->vec[0]);
        tacMassForm form = solve_row(m, w);
        int first = m->tendon_term_adr[i], last = first + m->tendon_term_num[i];
        for (int p = 0; p < m->nmember; p++) {
            int own = IS(&t[p], term_coef) && t[p].index >= first && t[p].index < last;
            double along = own ? form.z[m->joint_dof_adr[m->term_joint[t[p].index]]] : 0;
            rows[(size_t)p * (size_t)m->ntendon + (size_t)i] = 2 * along - tac_reference_form_change(&form, &t[p], 1);
        }
    }
}
