#include "inner_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REVERSE_TOL 1e-11

tacModel *inner_finish(tacBuilder *b) {
    tacModel *m;
    tacError err = {.text = ""};
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    return m;
}

int inner_body(tacBuilder *b, int parent, tacVec3 pos, tacJointType type, tacVec3 axis) {
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    body.pos = pos;
    joint.type = type;
    joint.axis = axis;
    int id = tac_model_add_body(b, parent, &body);
    tac_model_add_joint(b, id, &joint);
    return id;
}

void inner_geom(tacBuilder *b, int body, tacGeomType type, tacVec3 size, const double *solref, const double *solimp,
                int condim, double density) {
    tacGeomDef g = tac_default_geom();
    g.type = type;
    g.size[0] = size.x, g.size[1] = size.y, g.size[2] = size.z;
    g.condim = condim;
    g.density = density;
    if (solref != NULL) memcpy(g.solref, solref, sizeof g.solref);
    if (solimp != NULL) memcpy(g.solimp, solimp, sizeof g.solimp);
    tac_model_add_geom(b, body, &g);
}

void inner_open(InnerWorld *w, tacModel *m, tacIntegrator integrator, tacContactModel contact) {
    *w = (InnerWorld){.m = m, .o = tac_default_options(m)};
    w->o.integrator = integrator;
    w->o.contact = contact;
    w->nx = tac_nx(m), w->nd = tac_ndx(m), w->nu = tac_ninput(m, &w->o);
    tac_default_state(m, w->x);
}

void inner_start(InnerWorld *w) {
    tacError err = {.text = ""};
    if (w->sim != NULL) tac_sim_free(w->sim);
    if (tac_sim_new(w->m, &w->o, &w->sim, &err) != TAC_OK) fail_msg("%s", err.text);
}

void inner_run(InnerWorld *w) {
    tacJac jac = {w->A, w->B, w->P};
    inner_start(w);
    assert_int_equal(tac_step_jac(w->sim, w->x, w->u, w->y, &jac, &w->info), TAC_OK);
    double plain[32];
    assert_int_equal(tac_step(w->sim, w->x, w->u, plain, NULL), TAC_OK);
    assert_memory_equal(plain, w->y, (size_t)w->nx * sizeof *plain);
}

void inner_close(InnerWorld *w) {
    tac_sim_free(w->sim);
    tac_model_free(w->m);
}

void inner_difference(const InnerWorld *w, const double *y2, const double *y1, double *d) {
    tac_qpos_sub(w->m, y2, y1, d);
    for (int i = 0; i < w->nd - w->m->nv; i++)
        d[w->m->nv + i] = y2[w->m->nq + i] - y1[w->m->nq + i];
}

void inner_displace(const InnerWorld *w, int column, double by, double *x) {
    double d[32] = {0};
    d[column] = by;
    tac_qpos_add(w->m, w->x, d, x);
    for (int i = 0; i < w->nd - w->m->nv; i++)
        x[w->m->nq + i] = w->x[w->m->nq + i] + d[w->m->nv + i];
}

void inner_check_columns(InnerWorld *w, double width, double tol) {
    inner_run(w);
    double A[32 * 32];
    memcpy(A, w->A, sizeof A);
    for (int c = 0; c < w->nd; c++) {
        double x[32], y[2][32], d[32];
        for (int side = 0; side < 2; side++) {
            inner_displace(w, c, side ? width : -width, x);
            assert_int_equal(tac_step(w->sim, x, w->u, y[side], NULL), TAC_OK);
        }
        inner_difference(w, y[1], y[0], d);
        for (int i = 0; i < w->nd; i++)
            CHECK_NEAR(A[i * w->nd + c], d[i] / (2 * width), tol * (1 + fabs(d[i] / (2 * width))));
    }
}

void inner_check_reverse(InnerWorld *w) {
    inner_run(w);
    double first[64], bar[32];
    const int budgets[] = {1, 3, 100};
    for (int b = 0; b < 3; b++) {
        double g[64] = {0};
        w->o.inner_checkpoints = budgets[b];
        inner_start(w);
        for (int i = 0; i < w->nd; i++)
            bar[i] = 1 - 0.3 * i;
        tacGrad grad = {g, g + w->nd, g + w->nd + w->nu};
        assert_int_equal(tac_step_vjp(w->sim, w->x, w->u, bar, &grad, NULL), TAC_OK);
        if (b == 0) memcpy(first, g, sizeof g);
        assert_memory_equal(first, g, sizeof g);
        for (int c = 0; c < w->nd + w->nu + w->m->nparam; c++) {
            double sum = 0;
            for (int i = 0; i < w->nd; i++)
                sum += bar[i] * (c < w->nd           ? w->A[i * w->nd + c]
                                 : c < w->nd + w->nu ? w->B[i * w->nu + c - w->nd]
                                                     : w->P[i * w->m->nparam + c - w->nd - w->nu]);
            CHECK_NEAR(g[c], sum, REVERSE_TOL * fmax(1, fabs(sum)));
        }
    }
}

void inner_check_parameters(InnerWorld *w, double width) {
    double theta[8], y[2][32], d[32];
    int n = w->m->nparam;
    assert_int_equal(tac_sim_get_params(w->sim, theta), TAC_OK);
    for (int k = 0; k < n; k++) {
        double most = 0;
        for (int side = 0; side < 2; side++) {
            double moved[8];
            memcpy(moved, theta, sizeof moved);
            moved[k] += side ? width : -width;
            assert_int_equal(tac_sim_set_params(w->sim, moved), TAC_OK);
            assert_int_equal(tac_step(w->sim, w->x, w->u, y[side], NULL), TAC_OK);
        }
        inner_difference(w, y[1], y[0], d);
        for (int i = 0; i < w->nd; i++) {
            d[i] /= 2 * width;
            most = fmax(most, fabs(d[i]));
            CHECK_NEAR(w->P[n * i + k], d[i], 1e-4 * (1 + fabs(d[i])));
        }
        assert_true(most > 1e-3);
    }
    assert_int_equal(tac_sim_set_params(w->sim, theta), TAC_OK);
}
