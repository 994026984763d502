/* Contact soft beside MuJoCo's own step, in the same process, at states in contact under the same controls. */
#include "measure/draw_contact.h"
#include "mujoco_reference.h"
#include "support/check.h"
#include "tactus/io.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 40, SEED = 3 };
/* Of the acceleration over a step, relative to its largest entry; MuJoCo's own tolerance is set below it. */
#define TOL_ACCELERATION 1e-9

/* Robots whose touching pairs both engines find alike (our manifolds have more points where faces meet), and the share
 * of states in which they do. */
typedef struct Robot {
    const char *path;
    mjtCone cone;
    double share;
    tacIntegrator integrator; /* MuJoCo 2.2.2 has no implicitfast */
} Robot;
static const Robot ROBOTS[] = {{"half_cheetah", mjCONE_PYRAMIDAL, 1, TAC_INTEGRATOR_EULER},
                               {"half_cheetah", mjCONE_ELLIPTIC, 1, TAC_INTEGRATOR_EULER},
                               {"hopper", mjCONE_PYRAMIDAL, 1, TAC_INTEGRATOR_EULER},
                               {"humanoid", mjCONE_ELLIPTIC, 0.95, TAC_INTEGRATOR_EULER},
                               {"ant", mjCONE_ELLIPTIC, 1, TAC_INTEGRATOR_EULER},
                               {"box", mjCONE_ELLIPTIC, 1, TAC_INTEGRATOR_EULER},
                               {"four_bar", mjCONE_PYRAMIDAL, 1, TAC_INTEGRATOR_EULER},
                               {"finger", mjCONE_PYRAMIDAL, 1, TAC_INTEGRATOR_EULER},
                               {"quadruped", mjCONE_ELLIPTIC, 0.85, TAC_INTEGRATOR_EULER},
                               {"half_cheetah", mjCONE_ELLIPTIC, 1, TAC_INTEGRATOR_IMPLICIT},
                               {"humanoid", mjCONE_ELLIPTIC, 0.9, TAC_INTEGRATOR_IMPLICIT},
                               {"ant", mjCONE_ELLIPTIC, 1, TAC_INTEGRATOR_IMPLICIT},
                               {"four_bar", mjCONE_PYRAMIDAL, 1, TAC_INTEGRATOR_IMPLICIT},
                               {"quadruped", mjCONE_ELLIPTIC, 0.85, TAC_INTEGRATOR_IMPLICIT},
                               {"half_cheetah", mjCONE_PYRAMIDAL, 1, TAC_INTEGRATOR_RK4},
                               {"humanoid", mjCONE_ELLIPTIC, 0.85, TAC_INTEGRATOR_RK4},
                               {"ant", mjCONE_ELLIPTIC, 1, TAC_INTEGRATOR_RK4},
                               {"box", mjCONE_ELLIPTIC, 1, TAC_INTEGRATOR_RK4},
                               {"finger", mjCONE_PYRAMIDAL, 1, TAC_INTEGRATOR_RK4}};

static mjtIntegrator theirs(tacIntegrator integrator) {
    return integrator == TAC_INTEGRATOR_RK4        ? mjINT_RK4
           : integrator == TAC_INTEGRATOR_IMPLICIT ? mjINT_IMPLICIT
                                                   : mjINT_EULER;
}

typedef struct Both {
    tacModel *m;
    tacSim *sim;
    mjModel *mj;
    mjData *d;
    double *x, *u, *y;
} Both;

static Both open_both(const Robot *robot) {
    char path[256], text[512];
    tacError err;
    Both b = {0};
    snprintf(path, sizeof path, "models/%s.xml", robot->path);
    if (tac_load(path, &b.m, &err) != TAC_OK) fail_msg("%s", err.text);
    b.mj = mj_loadXML(path, NULL, text, sizeof text);
    if (b.mj == NULL) fail_msg("%s", text);
    b.mj->opt.cone = robot->cone, b.mj->opt.tolerance = 1e-14, b.mj->opt.iterations = 200;
    b.mj->opt.integrator = theirs(robot->integrator);
    *b.m->option_cone = robot->cone == mjCONE_ELLIPTIC ? TAC_CONE_ELLIPTIC : TAC_CONE_PYRAMIDAL;
    /* 2.2.2 counts the velocity gain of actuators that are held at their bound, 3.x and we do not */
    for (int a = 0; a < b.m->nu && robot->integrator == TAC_INTEGRATOR_IMPLICIT; a++)
        if (b.mj->actuator_biasprm[mjNBIAS * a + 2] != 0)
            b.m->actuator_forcelimited[a] = b.mj->actuator_forcelimited[a] = 0;
    tacOptions options = tac_default_options(b.m);
    options.contact = TAC_CONTACT_MODEL_SOFT, options.integrator = robot->integrator;
    if (tac_sim_new(b.m, &options, &b.sim, &err) != TAC_OK) fail_msg("%s", err.text);
    b.d = mj_makeData(b.mj);
    reference_begin(b.mj); /* 3.7's, of loops */
    size_t nx = (size_t)tac_nx(b.m);
    b.x = calloc(nx, sizeof *b.x), b.y = calloc(nx, sizeof *b.y);
    b.u = calloc((size_t)tac_ninput(b.m, &options) + 1, sizeof *b.u);
    CHECK(b.x != NULL && b.y != NULL && b.u != NULL);
    return b;
}

static void close_both(Both *b) {
    free(b->x), free(b->u), free(b->y);
    reference_end();
    mj_deleteData(b->d);
    mj_deleteModel(b->mj);
    tac_sim_free(b->sim);
    tac_model_free(b->m);
}

/* Largest difference of the two steps' accelerations, relative. */
static double compare(Both *b, int sample) {
    const tacModel *m = b->m;
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_SOFT;
    measure_draw_contact_state(b->sim, m, &options, SEED, (uint64_t)sample, b->x, b->u);
    mj_resetData(b->mj, b->d);
    memcpy(b->d->qpos, b->x, (size_t)m->nq * sizeof *b->x);
    memcpy(b->d->qvel, b->x + m->nq, (size_t)m->nv * sizeof *b->x);
    memcpy(b->d->act, b->x + m->nq + m->nv, (size_t)m->na * sizeof *b->x);
    memcpy(b->d->ctrl, b->u, (size_t)m->nu * sizeof *b->x);
    CHECK_INT(tac_step(b->sim, b->x, b->u, b->y, NULL), TAC_OK);
    mj_step(b->mj, b->d);
    double worst = 0, largest = 0;
    for (int i = 0; i < m->nv; i++) {
        double before = b->x[m->nq + i], theirs = b->d->qvel[i] - before;
        worst = fmax(worst, fabs(b->y[m->nq + i] - before - theirs));
        largest = fmax(largest, fabs(theirs));
    }
    return worst / largest;
}

static void robots_agree(void **state) {
    (void)state;
    for (size_t r = 0; r < sizeof ROBOTS / sizeof *ROBOTS; r++) {
        Both b = open_both(&ROBOTS[r]);
        int same = 0;
        double worst = 0;
        for (int k = 0; k < STATES; k++) {
            double error = compare(&b, k);
            same += error < TOL_ACCELERATION;
            if (error < TOL_ACCELERATION) worst = fmax(worst, error);
        }
        print_message("  %s, cone %d, integrator %d: %d of %d, worst of them %.1e\n", ROBOTS[r].path,
                      (int)ROBOTS[r].cone, (int)ROBOTS[r].integrator, same, STATES, worst);
        CHECK(same >= ROBOTS[r].share * STATES);
        close_both(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(robots_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
