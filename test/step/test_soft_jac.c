/* Derivatives of steps with contact soft where paths to a contact are long, and by both ways that the damping of
 * Euler's step takes: with parameters, through two residuals; without, through the mass matrix alone. */
#include "dynamics/robots.h"
#include "support/check.h"

#include "measure/differences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DT 2e-3
/* Of Ridders' differences, relative to the largest entry of the column or 1. */
#define TOL_GRADIENT 1e-6
/* Of two ways to the same numbers, and of forward and reverse; relative to the largest entry. */
#define TOL_SAME 1e-11
/* Largest first step of the differences; how often it is divided by ten where zones change. */
#define FIRST_STEP 1e-4
enum { LINKS = 21, TRIES = 4, SETTLE = 6, MOST = 32 };

typedef struct Scene {
    tacModel *m;
    tacSim *sim;
    int nx, n, column;
    double *x, *y0, *y, *moved, *tangent, *A;
    uint64_t active_set;
} Scene;

/* A chain that hangs from `parent`, about axes in turn, with a ball at its end. */
static void add_chain(tacBuilder *b, int parent, tacVec3 pos, double slant) {
    static const tacVec3 axes[3] = {{0, 1, 0}, {1, 0, 0}, {0, 0.6, 0.8}};
    tacGeomDef ball = tac_default_geom();
    for (int i = 0; i < LINKS; i++) {
        parent = robot_body(b, parent, i == 0 ? pos : (tacVec3){slant, 0, -0.05}, 0.05, (tacVec3){0, 0, -0.02},
                            (tacVec3){1e-3, 1.2e-3, 9e-4});
        tacJointDef joint = tac_default_joint();
        joint.type = TAC_JOINT_HINGE, joint.axis = axes[i % 3], joint.damping = 0.02, joint.stiffness = 0.5;
        tac_model_add_joint(b, parent, &joint);
    }
    ball.type = TAC_GEOM_SPHERE, ball.size[0] = 0.08, ball.has_mass = 1, ball.mass = 0.2;
    tac_model_add_geom(b, parent, &ball);
}

/* Two chains from one body that swings, whose ends touch each other, the floor and a box that is free. */
static tacModel *build(void) {
    tacBuilder *b = tac_model_begin();
    tacOptionDef option = tac_default_option();
    option.timestep = DT, option.cone = TAC_CONE_ELLIPTIC;
    tac_model_set_option(b, &option);
    tacGeomDef plane = tac_default_geom(), box = tac_default_geom();
    plane.type = TAC_GEOM_PLANE, plane.size[0] = plane.size[1] = plane.size[2] = 2;
    tac_model_add_geom(b, 0, &plane);
    int base = robot_body(b, 0, (tacVec3){0, 0, 1.078}, 1, (tacVec3){0, 0, 0}, (tacVec3){0.01, 0.02, 0.015});
    robot_joint(b, base, TAC_JOINT_HINGE, (tacVec3){1, 0, 0});
    add_chain(b, base, (tacVec3){-0.07, 0, 0}, 0);
    add_chain(b, base, (tacVec3){0.07, 0, 0}, 0.00075);
    int crate = robot_body(b, 0, (tacVec3){0.22, 0.01, 0.1}, 1.5, (tacVec3){0, 0, 0}, (tacVec3){0.01, 0.012, 0.009});
    robot_joint(b, crate, TAC_JOINT_FREE, (tacVec3){0, 0, 1});
    box.type = TAC_GEOM_BOX, box.size[0] = 0.06, box.size[1] = 0.1, box.size[2] = 0.1;
    tac_model_add_geom(b, crate, &box);
    return robot_finish(b);
}

static Scene open_scene(const char *parameter) {
    Scene s = {.m = build()};
    tacError err;
    if (parameter != NULL) CHECK_INT(tac_param_register(s.m, parameter, NULL, NULL), TAC_OK);
    tacOptions options = tac_default_options(s.m);
    options.contact = TAC_CONTACT_MODEL_SOFT, options.integrator = TAC_INTEGRATOR_EULER;
    if (tac_sim_new(s.m, &options, &s.sim, &err) != TAC_OK) fail_msg("%s", err.text);
    s.nx = tac_nx(s.m), s.n = tac_ndx(s.m);
    s.x = robot_array(s.nx), s.y = robot_array(s.nx), s.y0 = robot_array(s.nx), s.moved = robot_array(s.nx);
    s.tangent = robot_array(s.m->nv), s.A = robot_array(s.n * s.n);
    tac_default_state(s.m, s.x);
    robot_random(s.m->nv, s.x + s.m->nq, 0.3, 5);
    for (int k = 0; k < SETTLE; k++)
        CHECK_INT(tac_step(s.sim, s.x, NULL, s.x, NULL), TAC_OK);
    return s;
}

static void close_scene(Scene *s) {
    double *all[] = {s->x, s->y, s->y0, s->moved, s->tangent, s->A};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    tac_sim_free(s->sim);
    tac_model_free(s->m);
}

/* The next state with one coordinate moved by t; fails where other zones hold there. */
static int step_along(void *context, double t, double *out) {
    Scene *s = context;
    const tacModel *m = s->m;
    tacStepInfo info;
    memcpy(s->moved, s->x, (size_t)s->nx * sizeof *s->x);
    memset(s->tangent, 0, (size_t)m->nv * sizeof *s->tangent);
    if (s->column < m->nv)
        s->tangent[s->column] = t, tac_qpos_add(m, s->x, s->tangent, s->moved);
    else
        s->moved[m->nq + s->column - m->nv] += t;
    if (tac_step(s->sim, s->moved, NULL, s->y, &info) != TAC_OK || info.active_set != s->active_set) return 1;
    tac_qpos_sub(m, s->y, s->y0, out);
    memcpy(out + m->nv, s->y + m->nq, (size_t)m->nv * sizeof *out);
    return 0;
}

static double column_error(Scene *s) {
    double *d = robot_array(s->n), *work = robot_array(difference_work(s->n)), best = (double)INFINITY, h = FIRST_STEP;
    for (int k = 0; k < TRIES && !(best < TOL_GRADIENT / 10); k++, h /= 10) {
        double error = 0, scale = 1;
        if (difference_ridders(step_along, s, s->n, h, d, NULL, work) != 0) continue;
        for (int i = 0; i < s->n; i++) {
            error = fmax(error, fabs(s->A[i * s->n + s->column] - d[i]));
            scale = fmax(scale, fabs(d[i]));
        }
        best = fmin(best, error / scale);
    }
    free(d), free(work);
    return best;
}

static int pushes(const Scene *s, int geom1, int geom2) {
    tacContactForce found[MOST];
    int n = 0;
    CHECK_INT(tac_step_contacts(s->sim, s->x, NULL, found, MOST, &n), TAC_OK);
    for (int i = 0; i < n; i++) {
        const int *geom = found[i].contact.geom;
        int same = (geom[0] == geom1 && geom[1] == geom2) || (geom[0] == geom2 && geom[1] == geom1);
        if (same && found[i].force[0] > 0) return 1;
    }
    return 0;
}

/* More dofs on a path than are taken together, and paths that meet below the world. */
static void long_paths_equal_differences(void **state) {
    (void)state;
    Scene s = open_scene(NULL);
    tacStepInfo info;
    double worst = 0;
    CHECK_INT(tac_step_jac(s.sim, s.x, NULL, s.y0, &(tacJac){s.A, NULL, NULL}, &info), TAC_OK);
    CHECK(pushes(&s, 0, 1) && pushes(&s, 0, 2) && pushes(&s, 1, 2) && pushes(&s, 2, 3)); /* ends, floor, box */
    s.active_set = info.active_set;
    for (s.column = 0; s.column < s.n; s.column++)
        worst = fmax(worst, column_error(&s));
    print_message("%d contacts, %d dofs: error %.1e\n", info.contacts, s.m->nv, worst);
    CHECK_LT(worst, TOL_GRADIENT);
    close_scene(&s);
}

static void reverse_equals_forward(void **state) {
    (void)state;
    Scene s = open_scene(NULL);
    double *ybar = robot_array(s.n), *found = robot_array(s.n), *sum = robot_array(s.n);
    robot_random(s.n, ybar, 1, 6);
    CHECK_INT(tac_step_jac(s.sim, s.x, NULL, s.y, &(tacJac){s.A, NULL, NULL}, NULL), TAC_OK);
    CHECK_INT(tac_step_vjp(s.sim, s.x, NULL, ybar, &(tacGrad){found, NULL, NULL}, NULL), TAC_OK);
    for (int i = 0; i < s.n * s.n; i++)
        sum[i % s.n] += ybar[i / s.n] * s.A[i];
    CHECK_ARRAY(s.n, found, sum, TOL_SAME);
    free(ybar), free(found), free(sum);
    close_scene(&s);
}

static void a_parameter_changes_nothing_else(void **state) {
    (void)state;
    Scene without = open_scene(NULL), with = open_scene("geom/#1.mass");
    double *P = robot_array(with.n);
    CHECK_INT(tac_step_jac(without.sim, without.x, NULL, without.y, &(tacJac){without.A, NULL, NULL}, NULL), TAC_OK);
    CHECK_INT(tac_step_jac(with.sim, with.x, NULL, with.y, &(tacJac){with.A, NULL, P}, NULL), TAC_OK);
    CHECK(memcmp(with.y, without.y, (size_t)with.nx * sizeof *with.y) == 0);
    CHECK_ARRAY(with.n * with.n, without.A, with.A, TOL_SAME);
    free(P);
    close_scene(&without), close_scene(&with);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_paths_equal_differences),
        cmocka_unit_test(reverse_equals_forward),
        cmocka_unit_test(a_parameter_changes_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
