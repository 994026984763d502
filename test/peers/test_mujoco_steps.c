/* Trajectories without constraints, against MuJoCo in the same process. */
#include "peers/mujoco_peer.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS           1000
#define STEPS_PER_INPUT 20
/* Applied forces, N and N m: small enough that the lightest body does not spin beyond what the step resolves. */
#define APPLIED 0.02
/* Of the state after each step, relative to its largest entry so far. */
#define TOL_STATE 1e-9

/* Largest difference of two states: positions in tangent coordinates, then velocities and activations. */
static double difference(const Peer *p, double *d) {
    const tacModel *m = p->model;
    double worst = 0;
    tac_qpos_sub(m, p->x, p->data->qpos, d);
    for (int i = 0; i < m->nv; i++) {
        worst = worse(worst, fabs(d[i]));
        worst = worse(worst, fabs(p->x[m->nq + i] - p->data->qvel[i]));
    }
    for (int i = 0; i < m->na; i++)
        worst = worse(worst, fabs(p->x[m->nq + m->nv + i] - p->data->act[i]));
    return worst;
}

static double largest(const Peer *p) {
    double most = 1;
    for (int i = 0; i < p->nx; i++)
        most = fmax(most, fabs(p->x[i]));
    return most;
}

/* The same random controls, forces and mocap poses for both, changed every few steps. */
static void check_steps(Peer *p) {
    double *d = calloc((size_t)p->model->nv + 1, sizeof *d), worst = 0, scale = 1;
    tacStepInfo info;
    CHECK(d != NULL);
    tac_default_state(p->model, p->x);
    peer_give_state(p);
    for (int k = 0; k < STEPS; k++) {
        if (k % STEPS_PER_INPUT == 0) peer_randomize_input(p, 11, (uint64_t)k, APPLIED);
        CHECK_INT(tac_step(p->sim, p->x, p->u, p->x, &info), TAC_OK);
        mj_step(p->mj, p->data);
        scale = fmax(scale, largest(p));
        worst = worse(worst, difference(p, d) / scale);
    }
    print_message("  %s: worst difference over %d steps %.2g\n", p->name, STEPS, worst);
    CHECK_LT(worst, TOL_STATE);
    free(d);
}

static void written_models_agree(void **state) {
    (void)state;
    for (const PeerText *t = PEER_TEXTS; t->name != NULL; t++) {
        Peer p = peer_open(t->name, t->xml);
        check_steps(&p);
        peer_close(&p);
    }
}

static void own_robots_agree(void **state) {
    (void)state;
    for (const char *const *path = PEER_ROBOTS; *path != NULL; path++) {
        Peer p = peer_open(*path, NULL);
        check_steps(&p);
        peer_close(&p);
    }
}

#ifdef PEER_WITH_IO
static void loaded_robots_agree(void **state) {
    (void)state;
    for (const char *const *path = PEER_ROBOTS; *path != NULL; path++) {
        Peer p = peer_load(*path, NULL);
        check_steps(&p);
        peer_close(&p);
    }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_models_agree),
        cmocka_unit_test(own_robots_agree),
#ifdef PEER_WITH_IO
        cmocka_unit_test(loaded_robots_agree),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
