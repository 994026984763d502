/* Transposed solves of contact ncp: several right sides side by side have the answers of each by itself, and the same
 * bits with 128-bit and 256-bit registers. */
#include "tactus/io.h"
#include "tactus/tactus.h"

#include "base/lanes.h"
#include "contact/ncp/adjoint.h"
#include "contact/ncp/step_deriv.h"
#include "math/scalar.h"
#include "step/sim.h"

#include "support/check.h"

#include <stdlib.h>
#include <string.h>

#define TOL 1e-9

enum { MOST_DOFS = 64, MOST_INPUTS = 4096, SETTLING = 25 };

/* A standing robot: its problem, solved and differentiated, stays on the arena. */
typedef struct Case {
    tacModel *m;
    tacSim *sim;
    double *x, *u;
    tacNcp p;
    tacNcpDeriv d;
} Case;

static void open_case(const char *path, Case *c) {
    tacError err;
    if (tac_load(path, &c->m, &err) != TAC_OK) fail_msg("%s", err.text);
    tacOptions options = tac_default_options(c->m);
    options.contact = TAC_CONTACT_MODEL_NCP;
    CHECK_INT(tac_sim_new(c->m, &options, &c->sim, &err), TAC_OK);
    size_t nx = (size_t)tac_nx(c->m);
    double *x = c->x = calloc(nx, sizeof *x);
    double *u = c->u = calloc((size_t)tac_ninput(c->m, &options) + 1, sizeof *u);
    assert_non_null(x);
    assert_non_null(u);
    int key = tac_model_find(c->m, TAC_KIND_KEY, "home");
    CHECK_INT(tac_key_state(c->m, &options, key, x, u, &err), TAC_OK);
    for (int k = 0; k < SETTLING; k++)
        CHECK_INT(tac_step(c->sim, x, u, x, NULL), TAC_OK);
    CHECK_INT(tac_ncp_prepare(&c->sim->ctx, x, u, &c->p, &c->d), TAC_OK);
    CHECK(c->p.ncontact > 0 && c->m->nv <= MOST_DOFS && tac_ncp_inputs(&c->p) <= MOST_INPUTS);
}

static void close_case(Case *c) {
    free(c->x);
    free(c->u);
    tac_sim_free(c->sim);
    tac_model_free(c->m);
}

static double largest(int n, const double *x) {
    double most = 1;
    for (int i = 0; i < n; i++)
        most = tac_max(most, tac_abs(x[i]));
    return most;
}

static void check_lane(Case *c, int lane, int dof) {
    static double vbar[MOST_DOFS], lambda[MOST_DOFS], got[MOST_DOFS], mu[MOST_INPUTS], got_mu[MOST_INPUTS];
    int nv = c->m->nv, inputs = tac_ncp_inputs(&c->p);
    memset(vbar, 0, sizeof vbar);
    memset(mu, 0, sizeof mu);
    vbar[dof] = 1;
    tac_ncp_get_lane(nv, c->d.strip.lambda, lane, got);
    tac_ncp_get_lane(inputs, c->d.strip.mu, lane, got_mu);
    tac_ncp_adjoint(&c->p, &c->d, vbar, lambda, mu);
    CHECK_ARRAY(nv, got, lambda, TOL * largest(nv, lambda));
    CHECK_ARRAY(inputs, got_mu, mu, TOL * largest(inputs, mu));
}

static void check_robot(const char *path) {
    Case c;
    open_case(path, &c);
    for (int first = 0; first < c.m->nv; first += TAC_NCP_LANES) {
        int count = c.m->nv - first < TAC_NCP_LANES ? c.m->nv - first : TAC_NCP_LANES;
        tac_ncp_adjoint_of_dofs(&c.p, &c.d, first, count);
        for (int k = 0; k < count; k++)
            check_lane(&c, k, first + k);
    }
    close_case(&c);
}

static void side_by_side_is_one_by_one(void **state) {
    (void)state;
    check_robot("models/quadruped.xml");
    check_robot("models/humanoid.xml"); /* has limits of tendons: rows that border the system */
}

static void registers_do_not_matter(void **state) {
    (void)state;
    static double narrow[TAC_NCP_LANES * MOST_DOFS], narrow_mu[TAC_NCP_LANES * MOST_INPUTS];
    Case c;
    open_case("models/humanoid.xml", &c);
    size_t numbers = TAC_NCP_LANES * (size_t)c.m->nv, inputs = TAC_NCP_LANES * (size_t)tac_ncp_inputs(&c.p);
    tacNcpLanes *w = &c.d.strip;
    for (int wide = 0; wide < 2; wide++) {
        if (wide && !tac_has_wide()) break;
        memset(w->vbar, 0, numbers * sizeof *w->vbar);
        memset(w->mu, 0, inputs * sizeof *w->mu);
        for (int k = 0; k < TAC_NCP_LANES; k++)
            w->vbar[TAC_NCP_LANES * (5 * k) + k] = 1 + k;
        (wide ? tac_ncp_adjoint_wide : tac_ncp_adjoint_narrow)(&c.p, &c.d, w, 0);
        if (wide) {
            CHECK(memcmp(narrow, w->lambda, numbers * sizeof *narrow) == 0);
            CHECK(memcmp(narrow_mu, w->mu, inputs * sizeof *narrow_mu) == 0);
        }
        memcpy(narrow, w->lambda, numbers * sizeof *narrow);
        memcpy(narrow_mu, w->mu, inputs * sizeof *narrow_mu);
    }
    close_case(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(side_by_side_is_one_by_one),
                                       cmocka_unit_test(registers_do_not_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
