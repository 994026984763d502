/* Runge-Kutta 4 and the integrator implicit in velocity, against MuJoCo in the same process: whole trajectories, and
 * single steps from random states far from rest. */
#include "peers/mujoco_peer.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 1000, STEPS_PER_INPUT = 20, STATES = 40 };
/* Applied forces, N and N m. */
#define APPLIED 0.02
/* Of the state after each step, relative to its largest entry so far. */
#define TOL_STATE 1e-9
/* Of one step, relative to the largest entry of the new state. */
#define TOL_STEP 1e-10

/* Largest difference of two states: positions in tangent coordinates, then velocities and activations. */
static double difference(const Peer *p) {
    const tacModel *m = p->model;
    double *d = calloc((size_t)m->nv + 1, sizeof *d), worst = 0;
    CHECK(d != NULL);
    tac_qpos_sub(m, p->x, p->data->qpos, d);
    for (int i = 0; i < m->nv; i++)
        worst = worse(worse(worst, fabs(d[i])), fabs(p->x[m->nq + i] - p->data->qvel[i]));
    for (int i = 0; i < m->na; i++)
        worst = worse(worst, fabs(p->x[m->nq + m->nv + i] - p->data->act[i]));
    free(d);
    return worst;
}

static double largest(const Peer *p) {
    double most = 1;
    for (int i = 0; i < p->nx; i++)
        most = fmax(most, fabs(p->x[i]));
    return most;
}

static void check_trajectory(Peer *p) {
    double worst = 0, scale = 1;
    tac_default_state(p->model, p->x);
    peer_give_state(p);
    for (int k = 0; k < STEPS; k++) {
        if (k % STEPS_PER_INPUT == 0) peer_randomize_input(p, 11, (uint64_t)k, APPLIED);
        CHECK_INT(tac_step(p->sim, p->x, p->u, p->x, NULL), TAC_OK);
        mj_step(p->mj, p->data);
        scale = fmax(scale, largest(p));
        worst = worse(worst, difference(p) / scale);
    }
    print_message("  %s: worst difference over %d steps %.2g\n", p->name, STEPS, worst);
    CHECK_LT(worst, TOL_STATE);
}

static void check_single_steps(Peer *p) {
    double worst = 0;
    for (uint64_t s = 0; s < STATES; s++) {
        peer_randomize_state(p, 5, s);
        peer_randomize_input(p, 7, s, 1);
        CHECK_INT(tac_step(p->sim, p->x, p->u, p->x, NULL), TAC_OK);
        mj_step(p->mj, p->data);
        worst = worse(worst, difference(p) / largest(p));
    }
    print_message("  %s: worst difference of %d single steps %.2g\n", p->name, STATES, worst);
    CHECK_LT(worst, TOL_STEP);
}

/* MuJoCo 2.2 takes the velocity gain of an actuator even while its range holds the force; 3.x, and Tactus, do not. */
static void lift_force_ranges(Peer *p) {
    for (int a = 0; a < p->model->nu; a++)
        p->model->actuator_forcelimited[a] = p->mj->actuator_forcelimited[a] = 0;
}

static void check_all(tacIntegrator integrator) {
    for (const PeerText *t = PEER_TEXTS; t->name != NULL; t++) {
        Peer p = peer_open(t->name, t->xml);
        if (integrator == TAC_IMPLICIT) lift_force_ranges(&p);
        peer_integrate(&p, integrator);
        check_single_steps(&p);
        check_trajectory(&p);
        peer_close(&p);
    }
    for (const char *const *path = PEER_ROBOTS; *path != NULL; path++) {
        Peer p = peer_open(*path, NULL);
        if (integrator == TAC_IMPLICIT) lift_force_ranges(&p);
        peer_integrate(&p, integrator);
        check_single_steps(&p);
        check_trajectory(&p);
        peer_close(&p);
    }
}

static void runge_kutta_agrees(void **state) { (void)state, check_all(TAC_RK4); }
static void implicit_agrees(void **state) { (void)state, check_all(TAC_IMPLICIT); }

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(runge_kutta_agrees), cmocka_unit_test(implicit_agrees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
