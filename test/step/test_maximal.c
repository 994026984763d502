/* Joint coordinates to bodies and back: round trips, derivatives of both maps, bodies that do not agree with their
 * joints. */
#include "maximal_world.h"

#include "support/check.h"
#include "support/draw.h"
#include "support/joint_types.h"
#include "support/random_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOL_TRIP     1e-12 /* of coordinates and velocities of order one */
#define TOL_STACK    1e-11 /* of bodies with three hinges, two of which may come near each other */
#define TOL_GRADIENT 1e-8

/* Most that two states differ by, in tangent coordinates. */
static double apart(const tacModel *m, const double *x, const double *y) {
    double worst = 0, *d = numbers((size_t)m->nv);
    tac_qpos_sub(m, x, y, d);
    for (int i = 0; i < m->nv; i++)
        worst = worse(worst, fmax(fabs(d[i]), fabs(x[m->nq + i] - y[m->nq + i])));
    free(d);
    return worst;
}

/* --- Round trips -------------------------------------------------------------------------------------------------- */

/* x -> bodies -> w->back, the search begun at `start`; -> most that they differ by. */
static double trip(World *w, double span, const double *start) {
    w->z.span = span;
    CHECK_INT(tac_to_maximal(w->sim, w->x, w->u, &w->z, NULL), TAC_OK);
    memcpy(w->min.q, start, (size_t)w->m->nq * sizeof *start);
    CHECK_INT(tac_to_minimal(w->sim, &w->z, &w->min), TAC_OK);
    return worse(apart(w->m, w->back, w->x), worse(w->min.pose_residual, w->min.twist_residual * fmax(span, 1e-3)));
}

/* Chains of ten links on each of Dojo's fifteen joints, turned up to 3 rad, found from the reference pose. */
static void round_trip_of_joint_types(void **state) {
    (void)state;
    for (int type = 0; type < JOINT_TYPES; type++) {
        World w = world_of(joint_chain(type, 10, 0, 0), TAC_CONTACT_MODEL_NONE, 0);
        tacDraw d = {(uint64_t)(100 + type), 0};
        double *move = numbers((size_t)w.m->nv);
        for (int k = 0; k < 5; k++) {
            for (int i = 0; i < w.m->nv; i++)
                move[i] = draw_uniform(&d, -1, 1) * (w.m->joint_type[w.m->dof_joint[i]] == TAC_JOINT_BALL ? 1.7 : 3);
            tac_qpos_add(w.m, w.m->qpos_0, move, w.x);
            draw_array(&d, w.m->nv, w.x + w.m->nq);
            for (int s = 0; s < NSPAN; s++) {
                double off = trip(&w, SPANS[s], w.m->qpos_0);
                if (off > TOL_TRIP) print_error("%s, span %g: %.1e\n", joint_type_name(type), SPANS[s], off);
                CHECK_LT(off, TOL_TRIP);
            }
        }
        free(move);
        release(&w);
    }
}

static const char *const ROBOTS[] = {"models/hopper.xml",   "models/box.xml",       "models/pendulum.xml",
                                     "models/cartpole.xml", "models/jumpworm.xml",  "models/half_cheetah.xml",
                                     "models/ant.xml",      "models/quadruped.xml", "models/humanoid.xml",
                                     "models/atlas.xml",    "models/panda.xml",     "models/finger.xml"};

/* Robots in random poses, found from near by. */
static void round_trip_of_robots(void **state) {
    (void)state;
    for (size_t r = 0; r < sizeof ROBOTS / sizeof *ROBOTS; r++) {
        World w = loaded(ROBOTS[r], TAC_CONTACT_MODEL_NONE);
        tacDraw d = {200 + r, 0};
        double *move = numbers((size_t)w.m->nv), *start = numbers((size_t)w.m->nq);
        for (int k = 0; k < 10; k++) {
            random_state(w.m, 300 + 10 * r + (uint64_t)k, w.x, w.x + w.m->nq);
            for (int i = 0; i < w.m->nv; i++)
                move[i] = draw_uniform(&d, -0.05, 0.05);
            tac_qpos_add(w.m, w.x, move, start);
            for (int s = 0; s < NSPAN; s++)
                CHECK_LT(trip(&w, SPANS[s], start), TOL_STACK);
        }
        free(move), free(start);
        release(&w);
    }
}

/* Poses do not say how often a hinge went round: the start does. */
static void turns_of_a_hinge_are_the_start_s(void **state) {
    (void)state;
    World w = loaded("models/pendulum.xml", TAC_CONTACT_MODEL_NONE);
    w.x[0] = 7;
    double near_by = 7.5, far = 0.5, back = 7 - 2 * acos(-1.0);
    CHECK_LT(trip(&w, 0, &near_by), TOL_TRIP);
    trip(&w, 0, &far);
    CHECK_NEAR(w.back[0], back, TOL_TRIP);
    release(&w);
}

/* A body that is pulled off its joint: what it is off by is told, along what no joint of it moves. */
static void bodies_apart_are_told(void **state) {
    (void)state;
    World w = loaded("models/half_cheetah.xml", TAC_CONTACT_MODEL_NONE);
    const double off = 1e-3;
    CHECK_LT(trip(&w, 0, w.m->qpos_0), TOL_TRIP);
    w.z.pose[7 * (w.m->nbody - 1) + 1] += off; /* across the plane in which it moves */
    memcpy(w.min.q, w.m->qpos_0, (size_t)w.m->nq * sizeof(double));
    CHECK_INT(tac_to_minimal(w.sim, &w.z, &w.min), TAC_OK);
    CHECK_NEAR(w.min.pose_residual, off, 1e-9);
    CHECK_LT(w.min.twist_residual, TOL_TRIP);
    w.z.twist[6 * (w.m->nbody - 1) + 1] += off;
    CHECK_INT(tac_to_minimal(w.sim, &w.z, &w.min), TAC_OK);
    CHECK_NEAR(w.min.twist_residual, off, 1e-9);
    release(&w);
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* Both maps of a world at its state against differences; that their product is the identity. */
static void check_maps(World *w, int ninput) {
    tacModel *m = w->m;
    World trial = trial_of(w);
    size_t nz = 12 * (size_t)m->nbody, ndx = (size_t)tac_ndx(m), nd = 2 * (size_t)m->nv;
    double *A = numbers(nz * ndx), *B = numbers(nz * (size_t)ninput), *P = numbers(nz * (size_t)m->nparam);
    double *theta = numbers((size_t)m->nparam), *N = numbers(nd * nz), most = 0;
    tacJac jac = {A, B, P};
    CHECK_INT(tac_sim_get_params(w->sim, theta), TAC_OK);
    CHECK_INT(tac_to_maximal(w->sim, w->x, w->u, &w->z, &jac), TAC_OK);
    memcpy(w->min.q, w->x, (size_t)m->nq * sizeof *A);
    w->min.jac = N;
    CHECK_INT(tac_to_minimal(w->sim, &w->z, &w->min), TAC_OK);
    w->min.jac = NULL;
    const double *blocks[] = {A, B, P};
    const int columns[] = {(int)ndx, ninput, m->nparam};
    for (int block = 0; block < 3; block++) {
        Along a = {w, &trial, w, TO_BODIES, block, 0, theta};
        most = 0;
        CHECK_LT(block_error(&a, columns[block], blocks[block], &most), TOL_GRADIENT);
        CHECK(most > 0.1 || block > 0); /* no mocap bodies, no places among the parameters */
    }
    Along a = {w, &trial, w, TO_JOINTS, 0, 0, theta};
    CHECK_LT(block_error(&a, (int)nz, N, &most), TOL_GRADIENT);
    for (size_t i = 0; i < nd; i++)
        for (size_t j = 0; j < nd; j++) {
            double sum = 0;
            for (size_t k = 0; k < nz; k++)
                sum += N[i * nz + k] * A[k * ndx + j];
            CHECK_NEAR(sum, i == j ? 1 : 0, 1e-10);
        }
    free(A), free(B), free(P), free(theta), free(N);
    release_trial(&trial);
}

/* Half-cheetah and Atlas are the two that Dojo's own comparison leaves out as failing. */
static void derivatives_of_robots(void **state) {
    (void)state;
    static const char *const PATHS[] = {"models/half_cheetah.xml", "experiments/scenes/atlas.xml",
                                        "models/humanoid.xml"};
    for (size_t r = 0; r < sizeof PATHS / sizeof *PATHS; r++) {
        World w = loaded(PATHS[r], TAC_CONTACT_MODEL_NONE);
        random_state(w.m, 400 + r, w.x, w.x + w.m->nq);
        for (int s = 0; s < NSPAN; s++) {
            w.z.span = SPANS[s];
            check_maps(&w, w.m->nu);
        }
        release(&w);
    }
}

static void derivatives_of_joint_types(void **state) {
    (void)state;
    for (int type = 0; type < JOINT_TYPES; type++) {
        World w = world_of(joint_chain(type, 2, 0, 0), TAC_CONTACT_MODEL_NONE, 0);
        random_state(w.m, 500 + (uint64_t)type, w.x, w.x + w.m->nq);
        for (int s = 0; s < NSPAN; s++) {
            w.z.span = SPANS[s];
            check_maps(&w, 0);
        }
        release(&w);
    }
}

static void derivatives_by_inputs_and_places(void **state) {
    (void)state;
    World w = world_of(carried(), TAC_CONTACT_MODEL_NONE, TAC_INPUT_MOCAP);
    tacModel *m = w.m;
    World trial = trial_of(&w);
    size_t nz = 12 * (size_t)m->nbody;
    double *A = numbers(nz * (size_t)tac_ndx(m)), *B = numbers(nz * 7), *P = numbers(nz * (size_t)m->nparam), most = 0;
    double *theta = numbers((size_t)m->nparam);
    tacJac jac = {A, B, P};
    random_state(m, 600, w.x, w.x + m->nq);
    CHECK_INT(tac_sim_get_params(w.sim, theta), TAC_OK);
    for (int s = 0; s < NSPAN; s++) {
        const double *blocks[] = {A, B, P};
        const int columns[] = {tac_ndx(m), 7, m->nparam};
        w.z.span = SPANS[s];
        CHECK_INT(tac_to_maximal(w.sim, w.x, w.u, &w.z, &jac), TAC_OK);
        for (int block = 0; block < 3; block++) {
            Along a = {&w, &trial, &w, TO_BODIES, block, 0, theta};
            most = 0;
            CHECK_LT(block_error(&a, columns[block], blocks[block], &most), TOL_GRADIENT);
            CHECK(most > 0.1);
        }
    }
    free(A), free(B), free(P), free(theta);
    release_trial(&trial);
    release(&w);
}

/* The same bits after a workspace of NaN. */
static void workspace_does_not_matter(void **state) {
    (void)state;
    World w = loaded("models/humanoid.xml", TAC_CONTACT_MODEL_NONE);
    size_t nz = 12 * (size_t)w.m->nbody, ndx = (size_t)tac_ndx(w.m), bytes = nz * ndx * sizeof(double);
    double *A[2] = {numbers(nz * ndx), numbers(nz * ndx)}, *N[2] = {numbers(nz * ndx), numbers(nz * ndx)};
    random_state(w.m, 650, w.x, w.x + w.m->nq);
    for (int s = 0; s < NSPAN; s++) {
        w.z.span = SPANS[s];
        for (int k = 0; k < 2; k++) {
            tac_sim_poison(w.sim);
            CHECK_INT(tac_to_maximal(w.sim, w.x, w.u, &w.z, &(tacJac){.A = A[k]}), TAC_OK);
            memcpy(w.min.q, w.x, (size_t)w.m->nq * sizeof *w.x);
            if (k == 1) tac_sim_poison(w.sim);
            w.min.jac = N[k];
            CHECK_INT(tac_to_minimal(w.sim, &w.z, &w.min), TAC_OK);
        }
        CHECK(memcmp(A[0], A[1], bytes) == 0);
        CHECK(memcmp(N[0], N[1], 2 * (size_t)w.m->nv * nz * sizeof(double)) == 0);
    }
    for (int k = 0; k < 2; k++)
        free(A[k]), free(N[k]);
    release(&w);
}

static void bad_arguments(void **state) {
    (void)state;
    World w = loaded("models/pendulum.xml", TAC_CONTACT_MODEL_NONE);
    w.z.span = -1;
    CHECK_INT(tac_to_maximal(w.sim, w.x, w.u, &w.z, NULL), TAC_ERR_ARGUMENT);
    w.z.span = 0;
    CHECK_INT(tac_to_maximal(NULL, w.x, w.u, &w.z, NULL), TAC_ERR_ARGUMENT);
    w.x[0] = (double)NAN;
    CHECK_INT(tac_to_maximal(w.sim, w.x, w.u, &w.z, NULL), TAC_ERR_NONFINITE);
    w.z.pose[7] = (double)INFINITY;
    CHECK_INT(tac_to_minimal(w.sim, &w.z, &w.min), TAC_ERR_NONFINITE);
    w.min.q = NULL;
    CHECK_INT(tac_to_minimal(w.sim, &w.z, &w.min), TAC_ERR_ARGUMENT);
    release(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip_of_joint_types),
        cmocka_unit_test(round_trip_of_robots),
        cmocka_unit_test(turns_of_a_hinge_are_the_start_s),
        cmocka_unit_test(bodies_apart_are_told),
        cmocka_unit_test(derivatives_of_joint_types),
        cmocka_unit_test(derivatives_of_robots),
        cmocka_unit_test(derivatives_by_inputs_and_places),
        cmocka_unit_test(workspace_does_not_matter),
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests_name("maximal", tests, NULL, NULL);
}
