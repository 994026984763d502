#include "solve/ode/flow.h"

#include "math/dense.h"

#include <string.h>

static void add(int n, const double *x, double *y) { tac_dense_axpy(n, 1, x, y); }

void tac_flow_place(const tacFlow *f, const double *x, const double *z, double *out) {
    if (f->call->place != NULL) {
        f->call->place(f->user, x, z, out);
        return;
    }
    for (int i = 0; i < f->nd; i++)
        out[i] = x[i] + z[i];
}

void tac_flow_place_jac(const tacFlow *f, const double *z, int n, const double *e, double *dz) {
    if (f->call->place_jac != NULL)
        f->call->place_jac(f->user, z, n, e, dz);
    else
        add(f->nd * n, e, dz);
}

void tac_flow_place_vjp(const tacFlow *f, const double *z, const double *bar, double *e, double *z_bar) {
    if (f->call->place_vjp != NULL) {
        f->call->place_vjp(f->user, z, bar, e, z_bar);
        return;
    }
    add(f->nd, bar, e);
    add(f->nd, bar, z_bar);
}

void tac_flow_correct(const tacFlow *f, const double *z, const double *rate, double *k) {
    memcpy(k, rate, (size_t)f->nd * sizeof *k);
    if (f->call->correct != NULL) f->call->correct(f->user, z, rate, k);
}

void tac_flow_correct_jac(const tacFlow *f, const double *z, const double *rate, int n, const double *df, double *dz) {
    if (f->call->correct_jac != NULL)
        f->call->correct_jac(f->user, z, rate, n, df, dz);
    else
        memcpy(dz, df, (size_t)f->nd * (size_t)n * sizeof *dz);
}

void tac_flow_correct_vjp(const tacFlow *f, const double *z, const double *rate, const double *bar, double *f_bar,
                          double *z_bar) {
    if (f->call->correct_vjp != NULL)
        f->call->correct_vjp(f->user, z, rate, bar, f_bar, z_bar);
    else
        add(f->nd, bar, f_bar);
}
