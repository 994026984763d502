/* The laws that steps of contact ncp are held against: they hold of its steps, and a step that is off by a little, or a
 * force that is not the one that acted, breaks them. */
#include "step_laws.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A box slides, an arm falls on the end of its range against dry friction, a ball joint swings. */
static const char WORLD[] =
    "<mujoco><compiler autolimits='true'/><option timestep='0.005'/><worldbody>"
    "<geom type='plane' size='5 5 1' friction='0.6'/>"
    "<body pos='0 0 0.1001'><freejoint/><geom type='box' size='.1 .1 .1' friction='0.6' mass='1'/></body>"
    "<body pos='1 0 0.6'><joint type='hinge' axis='0 1 0' range='-30 30' frictionloss='0.01' damping='0.1'/>"
    "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03' mass='0.5'/></body>"
    "<body pos='2 0 0.6'><joint type='ball' range='0 40' damping='0.01'/>"
    "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03' mass='0.5'/></body></worldbody></mujoco>";
/* Steps until the box slides while the arm and the ball lie at the ends of their ranges. */
enum { STEPS = 80, HINGE = 6, BALL = 7 };
#define SPEED 3.0 /* m/s */

typedef struct World {
    Scene scene;
    StepLaws laws;
} World;

static void open_world(World *w, double tolerance) {
    char path[] = "/tmp/tactus_laws_XXXXXX";
    int handle = mkstemp(path);
    CHECK(handle >= 0 && write(handle, WORLD, strlen(WORLD)) == (ssize_t)strlen(WORLD));
    close(handle);
    w->scene = scene_load(path);
    unlink(path);
    w->scene.path = "world of test_step_laws";
    w->scene.options.ncp_tolerance = tolerance;
    CHECK_INT(scene_set_contact(&w->scene, TAC_CONTACT_MODEL_NCP, NULL), TAC_OK);
    w->scene.x[w->scene.model->nq] = SPEED;
    w->laws = step_laws_new(&w->scene);
}

static void close_world(World *w) {
    step_laws_free(&w->laws);
    scene_free(&w->scene);
}

/* The next step: x, y of the scene, forces of laws. -> its faults over their bars. */
static double go(World *w, StepFaults *f) {
    Scene *s = &w->scene;
    const char *what;
    CHECK_INT(tac_step(s->sim, s->x, s->u, s->y, NULL), TAC_OK);
    CHECK(step_laws_forces(&w->laws, s->x, s->u));
    *f = step_laws_judge(&w->laws, s->x, s->u, s->y);
    return step_faults_worst(f, &what);
}

static void advance(World *w) { memcpy(w->scene.x, w->scene.y, (size_t)w->scene.nx * sizeof(double)); }

/* To the step that is then perturbed. */
static void open_sliding(World *w) {
    StepFaults f;
    open_world(w, 1e-9);
    for (int k = 0; k < STEPS; k++) {
        CHECK_LT(go(w, &f), 1);
        if (k + 1 < STEPS) advance(w);
    }
    CHECK(f.placed == 4 && f.lost == 0);
}

static StepFaults judge(World *w, const double *y) { return step_laws_judge(&w->laws, w->scene.x, w->scene.u, y); }

/* y with v+ along dof i more by `by`, and q+ where that leads. */
static void push(const World *w, int i, double by, double *y) {
    const Scene *s = &w->scene;
    const tacModel *m = s->model;
    double *step = scene_doubles((size_t)m->nv);
    memcpy(y, s->y, (size_t)s->nx * sizeof *y);
    y[m->nq + i] += by;
    for (int k = 0; k < m->nv; k++)
        step[k] = s->options.dt * y[m->nq + k];
    tac_qpos_add(m, s->x, step, y);
    free(step);
}

/* --- Steps -------------------------------------------------------------------------------------------------------- */

/* Of every dof, a velocity that is off by little either way: at the end of a range, where a step knows the gap to 1e-9
 * m and the impulse as kappa U over that, by more. */
static void states_beside_are_found(void **state) {
    (void)state;
    World w;
    open_sliding(&w);
    double *y = scene_doubles((size_t)w.scene.nx);
    for (int i = 0; i < w.scene.model->nv; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const char *what;
            push(&w, i, sign * (i < HINGE ? 1e-6 : 1e-4), y);
            StepFaults f = judge(&w, y);
            CHECK_LT(1, step_faults_worst(&f, &what));
        }
    free(y);
    close_world(&w);
}

static void overlap_and_range_are_found(void **state) {
    (void)state;
    World w;
    open_sliding(&w);
    double h = w.scene.options.dt, *y = scene_doubles((size_t)w.scene.nx);
    push(&w, 2, -1e-6 / h, y);
    CHECK_NEAR(judge(&w, y).overlap, 1e-6, 1e-7);
    push(&w, HINGE, 1e-6 / h, y);
    CHECK_NEAR(judge(&w, y).range, 1e-6, 1e-7);
    push(&w, BALL + 1, 1e-6 / h, y);
    CHECK_NEAR(judge(&w, y).range, 1e-6, 1e-7);
    memcpy(y, w.scene.y, (size_t)w.scene.nx * sizeof *y);
    y[w.scene.model->nq + BALL] += 1e-6;
    CHECK_NEAR(judge(&w, y).motion, h * 1e-6, 1e-12);
    y[w.scene.model->nq] = (double)NAN;
    CHECK(judge(&w, y).balance > LAW_BALANCE);
    free(y);
    close_world(&w);
}

/* A solver that stops early is found by its steps. */
static void loose_tolerance_is_found(void **state) {
    (void)state;
    World w;
    StepFaults f;
    double worst = 0;
    open_world(&w, 1e-3);
    for (int k = 0; k < STEPS; k++) {
        worst = worse(worst, go(&w, &f));
        advance(&w);
    }
    CHECK_LT(100, worst);
    close_world(&w);
}

/* --- Forces ------------------------------------------------------------------------------------------------------- */

static void forces_on_bodies_are_found(void **state) {
    (void)state;
    World w;
    open_sliding(&w);
    w.laws.forces.wrench[1].lin.x *= 1 + 1e-5;
    StepFaults f = judge(&w, w.scene.y);
    CHECK_LT(LAW_BALANCE, f.balance);
    CHECK_LT(LAW_IMPULSE, f.wrench);
    close_world(&w);
}

/* One contact's force is made another: what of it shows. */
static StepFaults with_force(World *w, const double force[3]) {
    double kept[3], *at = w->laws.forces.contact[0].force;
    memcpy(kept, at, sizeof kept);
    memcpy(at, force, sizeof kept);
    StepFaults f = judge(w, w->scene.y);
    memcpy(at, kept, sizeof kept);
    return f;
}

static void forces_of_contacts_are_found(void **state) {
    (void)state;
    World w;
    open_sliding(&w);
    const double *f = w.laws.forces.contact[0].force;
    double bound = 0.6 * f[0];
    CHECK_NEAR(sqrt(f[1] * f[1] + f[2] * f[2]), bound, 1e-5);
    CHECK_LT(LAW_IMPULSE, with_force(&w, (double[]){2 * f[0], f[1], f[2]}).distance);
    CHECK_LT(LAW_IMPULSE, with_force(&w, (double[]){f[0], 1.001 * f[1], 1.001 * f[2]}).cone);
    CHECK_LT(LAW_IMPULSE, with_force(&w, (double[]){-f[0], f[1], f[2]}).cone);
    CHECK_LT(LAW_IMPULSE, with_force(&w, (double[]){f[0], -f[1], -f[2]}).friction);
    CHECK_LT(LAW_IMPULSE, with_force(&w, (double[]){f[0], 0.99 * f[1], 0.99 * f[2]}).friction);
    CHECK_LT(LAW_IMPULSE, with_force(&w, (double[]){f[0], f[1], f[2] + 1e-5}).wrench);
    CHECK(with_force(&w, (double[]){f[0], (double)NAN, f[2]}).cone > LAW_IMPULSE);
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_beside_are_found),      cmocka_unit_test(overlap_and_range_are_found),
        cmocka_unit_test(loose_tolerance_is_found),     cmocka_unit_test(forces_on_bodies_are_found),
        cmocka_unit_test(forces_of_contacts_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
