/* Which geoms of our robots touch, and how deep, against MuJoCo 2.2.2 in the same process: at random states, so that
 * limbs run into each other and into the ground. */
#include "peers/mujoco_peer.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two closed forms of one number. */
#define TOL_EXACT 1e-9
/* MuJoCo 2.2.2 finds convex pairs by portal refinement, which stops at 1e-6, and reports depths along the way it came
 * in from, which are no less than the least: what counts there is that both say they touch. */
#define CLEARLY 1e-3
#define STATES  20

/* 1: MuJoCo has a closed form that is exact. Of two boxes the deepest of its points is, of a capsule and a box not. */
static int is_exact(const tacModel *m, int a, int b) {
    int low = m->geom_type[a], high = m->geom_type[b];
    if (low == TAC_GEOM_PLANE) return high == TAC_GEOM_SPHERE || high == TAC_GEOM_CAPSULE || high == TAC_GEOM_BOX;
    return (low == TAC_GEOM_SPHERE || low == TAC_GEOM_CAPSULE) && (high == TAC_GEOM_SPHERE || high == TAC_GEOM_CAPSULE);
}

/* Deepest distance of a pair among MuJoCo's contacts; infinite: none. */
static double peer_distance(const mjData *d, int a, int b) {
    double deepest = HUGE_VAL;
    for (int i = 0; i < d->ncon; i++) {
        const mjContact *c = &d->contact[i];
        if (c->geom1 == a && c->geom2 == b) deepest = fmin(deepest, c->dist);
        CHECK(!(c->geom1 == b && c->geom2 == a)); /* one order in both */
    }
    return deepest;
}

typedef struct Tally {
    int exact, convex;
} Tally;

static void check_pair(const tacModel *m, const tacContact *c, double theirs, Tally *tally) {
    if (is_exact(m, c->geom[0], c->geom[1])) {
        tally->exact++;
        if (c->dist < -TOL_EXACT) CHECK_NEAR(c->dist, theirs, TOL_EXACT);
    } else if (c->dist < -CLEARLY) {
        tally->convex++;
        CHECK_LT(theirs, 0);
    }
}

/* Every contact of MuJoCo's that is clearly one is between geoms that touch here too. */
static void check_theirs(const tacModel *m, const mjData *d, int n, const tacContact *contact) {
    for (int i = 0; i < d->ncon; i++) {
        const mjContact *c = &d->contact[i];
        int found = 0;
        for (int j = 0; j < n && !found; j++)
            found = contact[j].geom[0] == c->geom1 && contact[j].geom[1] == c->geom2;
        if (c->dist < (is_exact(m, c->geom1, c->geom2) ? -TOL_EXACT : -CLEARLY)) CHECK(found);
    }
}

static void check_state(Peer *p, Tally *tally) {
    int most = tac_max_contacts(p->model), n = 0;
    tacContact *contact = calloc((size_t)most + 1, sizeof *contact);
    p->mj->opt.disableflags = 0;
    mj_kinematics(p->mj, p->data);
    mj_collision(p->mj, p->data);
    CHECK_INT(tac_contacts(p->sim, p->x, p->u, contact, most, &n), TAC_OK);
    for (int i = 0; i < n; i++) {
        const tacContact *c = &contact[i];
        if (i > 0 && c->geom[0] == c[-1].geom[0] && c->geom[1] == c[-1].geom[1]) continue; /* the deepest is first */
        check_pair(p->model, c, peer_distance(p->data, c->geom[0], c->geom[1]), tally);
    }
    check_theirs(p->model, p->data, n, contact);
    free(contact);
}

static void our_robots(void **state) {
    (void)state;
    Tally tally = {0};
    for (int i = 0; PEER_ROBOTS[i] != NULL; i++) {
        Peer p = peer_load(PEER_ROBOTS[i], NULL);
        for (uint64_t k = 0; k < STATES; k++) {
            peer_randomize_state(&p, 5, k);
            peer_give_state(&p);
            check_state(&p, &tally);
        }
        peer_close(&p);
    }
    print_message("%d exact pairs, %d convex ones\n", tally.exact, tally.convex);
    CHECK_LT(200, tally.exact);
    CHECK_LT(20, tally.convex);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(our_robots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
