/* How the optimum of contact soft is searched for: conjugate gradients beside Newton's method, early ends, what the
 * file and the options ask for. */
#include "tactus/io.h"
#include "tactus/tactus.h"

#include "measure/draw_contact.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

enum { STATES = 20, SEED = 5 };
/* Of the change of velocities, relative: conjugate gradients end within 1e-12 of the forces. */
#define TOL_SAME 1e-9
/* Of A and B, relative to the largest entry. */
#define TOL_JACOBIAN 1e-7

static const char *const FILES[] = {"models/humanoid.xml",    "models/quadruped.xml", "models/four_bar.xml",
                                    "test/data/box_pile.xml", "test/data/rows.xml",   "test/data/soft_terms.xml"};
enum { NFILES = sizeof FILES / sizeof *FILES };

typedef struct Case {
    tacModel *m;
    tacOptions options;
    double *x, *u, *y, *z, *A, *other;
} Case;

static Case open_case(const char *path) {
    Case c = {0};
    tacError err;
    if (tac_load(path, &c.m, &err) != TAC_OK) fail_msg("%s", err.text);
    c.options = tac_default_options(c.m);
    c.options.contact = TAC_CONTACT_MODEL_SOFT, c.options.integrator = TAC_INTEGRATOR_EULER;
    size_t nx = (size_t)tac_nx(c.m), ndx = (size_t)tac_ndx(c.m);
    double **all[] = {&c.x, &c.y, &c.z, &c.u, &c.A, &c.other};
    size_t sizes[] = {nx, nx, nx, (size_t)tac_ninput(c.m, &c.options) + 1, ndx * ndx, ndx * ndx};
    for (int i = 0; i < 6; i++)
        CHECK((*all[i] = calloc(sizes[i], sizeof(double))) != NULL);
    return c;
}

static void close_case(Case *c) {
    double *all[] = {c->x, c->y, c->z, c->u, c->A, c->other};
    for (int i = 0; i < 6; i++)
        free(all[i]);
    tac_model_free(c->m);
}

static tacSim *sim_of(const Case *c, const tacOptions *options) {
    tacSim *sim;
    tacError err;
    if (tac_sim_new(c->m, options, &sim, &err) != TAC_OK) fail_msg("%s", err.text);
    return sim;
}

static tacOptions by_gradients(const Case *c) {
    tacOptions options = c->options;
    options.soft_solver = TAC_SOLVER_CG;
    return options;
}

/* --- Conjugate gradients ------------------------------------------------------------------------------------------ */

static void compare_steps(Case *c, tacSim *newton, tacSim *gradients, int *most) {
    double change = 0, off = 0;
    tacStepInfo info;
    CHECK_INT(tac_step(newton, c->x, c->u, c->y, NULL), TAC_OK);
    CHECK_INT(tac_step(gradients, c->x, c->u, c->z, &info), TAC_OK);
    for (int i = c->m->nq; i < c->m->nq + c->m->nv; i++) {
        change = fmax(change, fabs(c->y[i] - c->x[i]));
        off = fmax(off, fabs(c->y[i] - c->z[i]));
    }
    CHECK(change > 0);
    CHECK_LT(off / change, TOL_SAME);
    if (info.iterations > *most) *most = info.iterations;
}

static void both_find_the_same(void **state) {
    (void)state;
    for (int f = 0; f < NFILES; f++) {
        Case c = open_case(FILES[f]);
        tacOptions options = by_gradients(&c);
        tacSim *newton = sim_of(&c, &c.options), *gradients = sim_of(&c, &options);
        int most = 0, ndx = tac_ndx(c.m);
        for (int k = 0; k < STATES; k++) {
            measure_draw_contact_state(newton, c.m, &c.options, SEED, (uint64_t)k, c.x, c.u);
            compare_steps(&c, newton, gradients, &most);
        }
        CHECK_INT(tac_step_jac(newton, c.x, c.u, c.y, &(tacJac){c.A, NULL, NULL}, NULL), TAC_OK);
        CHECK_INT(tac_step_jac(gradients, c.x, c.u, c.y, &(tacJac){c.other, NULL, NULL}, NULL), TAC_OK);
        CHECK_ARRAY(ndx * ndx, c.other, c.A, TOL_JACOBIAN);
        print_message("%s: at most %d steps of conjugate gradients\n", FILES[f], most);
        CHECK(most > 2);
        tac_sim_free(newton), tac_sim_free(gradients);
        close_case(&c);
    }
}

/* --- Ends --------------------------------------------------------------------------------------------------------- */

/* A tolerance ends it sooner and is kept; too few steps are told of, with a state and what is left. */
static void an_early_end_is_told(void **state) {
    (void)state;
    Case c = open_case("models/humanoid.xml");
    tacOptions tight = by_gradients(&c), loose = tight, brief = tight;
    loose.soft_tolerance = 1e-3, brief.soft_iterations = 2;
    tacSim *sims[3] = {sim_of(&c, &tight), sim_of(&c, &loose), sim_of(&c, &brief)};
    tacStepInfo info[3];
    tacStatus status[3];
    measure_draw_contact_state(sims[0], c.m, &c.options, SEED, 1, c.x, c.u);
    for (int i = 0; i < 3; i++)
        status[i] = tac_step(sims[i], c.x, c.u, c.y, &info[i]);
    CHECK(status[0] == TAC_OK && status[1] == TAC_OK && status[2] == TAC_ERR_UNSOLVED);
    CHECK_LT(info[1].iterations, info[0].iterations);
    CHECK_LT(info[1].residual, 1e-3);
    CHECK_LT(info[0].residual, 1e-12);
    CHECK(info[1].residual > 1e-10 && info[2].residual > 1e-8 && info[2].iterations == 2);
    for (int i = 0; i < tac_nx(c.m); i++)
        CHECK(isfinite(c.y[i]));
    for (int i = 0; i < 3; i++)
        tac_sim_free(sims[i]);
    close_case(&c);
}

/* Fewer points on a line, or a looser one, take more steps to the same end. */
static void a_loose_line_ends_the_same(void **state) {
    (void)state;
    Case c = open_case("test/data/box_pile.xml");
    tacOptions loose = by_gradients(&c), brief = loose;
    loose.soft_ls_tolerance = 0.3, brief.soft_ls_iterations = 2;
    const tacOptions *others[2] = {&loose, &brief};
    tacSim *newton = sim_of(&c, &c.options);
    measure_draw_contact_state(newton, c.m, &c.options, SEED, 2, c.x, c.u);
    for (int i = 0; i < 2; i++) {
        int most = 0;
        tacSim *gradients = sim_of(&c, others[i]);
        compare_steps(&c, newton, gradients, &most);
        tac_sim_free(gradients);
    }
    tac_sim_free(newton);
    close_case(&c);
}

/* --- Options ------------------------------------------------------------------------------------------------------ */

static void the_file_names_the_solver(void **state) {
    (void)state;
    Case c = open_case("models/box.xml");
    const tacSolver file[3] = {TAC_SOLVER_PGS, TAC_SOLVER_CG, TAC_SOLVER_NEWTON};
    const tacSolver taken[3] = {TAC_SOLVER_NEWTON, TAC_SOLVER_CG, TAC_SOLVER_NEWTON};
    for (int i = 0; i < 3; i++) {
        *c.m->option_solver = (int)file[i];
        CHECK_INT(tac_default_options(c.m).soft_solver, taken[i]);
    }
    close_case(&c);
}

static void nonsense_is_refused(void **state) {
    (void)state;
    Case c = open_case("models/box.xml");
    tacOptions bad[5] = {c.options, c.options, c.options, c.options, c.options};
    const char *names[5] = {"soft_solver", "soft_tolerance", "soft_iterations", "soft_ls_tolerance",
                            "soft_ls_iterations"};
    bad[0].soft_solver = (tacSolver)7, bad[1].soft_tolerance = -1, bad[2].soft_iterations = -1;
    bad[3].soft_ls_tolerance = (double)NAN, bad[4].soft_ls_iterations = -2;
    for (int i = 0; i < 5; i++) {
        tacSim *sim = NULL;
        tacError err;
        CHECK_INT(tac_sim_new(c.m, &bad[i], &sim, &err), TAC_ERR_ARGUMENT);
        CHECK_HAS(err.text, names[i]);
    }
    close_case(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_find_the_same),         cmocka_unit_test(an_early_end_is_told),
        cmocka_unit_test(a_loose_line_ends_the_same), cmocka_unit_test(the_file_names_the_solver),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
