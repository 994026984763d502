/* Contact soft: rest and stopping in closed form, derivatives against differences, every kind of cone and row. */
#include "tactus/tactus.h"

#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GRAVITY   9.81
#define TIME_STEP 0.002
#define STEP      1e-6
/* Of a state at rest, after seconds of damped motion. */
#define TOL_REST 1e-9
/* Of extrapolated central differences. */
#define TOL_GRADIENT 1e-6
#define TOL_REVERSE  1e-10

enum { MOST_STATE = 60, MOST_DX = 60 };

typedef struct World {
    tacModel *m;
    tacSim *sim;
    double x[MOST_STATE];
} World;

/* A block on a plane, and a capsule (arm > 0) on a limited, rough ball joint that leans on the block; arm = 2: with an
 * actuator that has an activation. */
static World world(tacCone cone, int condim, int arm) {
    tacBuilder *b = tac_model_begin();
    tacOptionDef option = tac_default_option();
    option.timestep = TIME_STEP, option.gravity = (tacVec3){0, 0, -GRAVITY}, option.cone = cone;
    tac_model_set_option(b, &option);
    tacGeomDef plane = tac_default_geom();
    plane.type = TAC_GEOM_PLANE, plane.size[0] = plane.size[1] = plane.size[2] = 1, plane.condim = condim;
    tac_model_add_geom(b, 0, &plane);
    for (int i = 0; i < 1 + (arm > 0); i++) {
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        tacGeomDef geom = tac_default_geom();
        body.pos = i == 0 ? (tacVec3){0, 0, 0.1} : (tacVec3){0.45, 0.02, 0.25};
        int id = tac_model_add_body(b, 0, &body);
        joint.type = i == 0 ? TAC_JOINT_FREE : TAC_JOINT_BALL, joint.damping = i == 0 ? 0 : 0.1;
        joint.frictionloss = i == 0 ? 0 : 0.05, joint.limited = i == 1, joint.range[1] = 0.3;
        tac_model_add_joint(b, id, &joint);
        geom.type = i == 0 ? TAC_GEOM_BOX : TAC_GEOM_CAPSULE, geom.has_mass = 1, geom.mass = i == 0 ? 2 : 0.5;
        geom.size[0] = i == 0 ? 0.1 : 0.04, geom.size[1] = i == 0 ? 0.12 : 0.3, geom.size[2] = 0.1;
        geom.friction[0] = 0.6, geom.friction[1] = 0.02, geom.friction[2] = 0.01, geom.condim = condim;
        if (i == 1) geom.quat = (tacQuat){0.8, 0, -0.6, 0};
        tac_model_add_geom(b, id, &geom);
    }
    tacActuatorDef filter = tac_default_actuator();
    filter.trnid[0] = 1, filter.dyntype = TAC_DYN_FILTER;
    if (arm == 2) tac_model_add_actuator(b, &filter);
    World w = {0};
    tacError err;
    if (tac_model_finish(b, &w.m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    tacOptions options = tac_default_options(w.m);
    options.contact = TAC_CONTACT_MODEL_SOFT;
    if (tac_sim_new(w.m, &options, &w.sim, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_default_state(w.m, w.x);
    return w;
}

static void end(World *w) {
    tac_sim_free(w->sim);
    tac_model_free(w->m);
}

static void run(World *w, int n) {
    tacStepInfo info;
    for (int k = 0; k < n; k++)
        CHECK_INT(tac_step(w->sim, w->x, NULL, w->x, &info), TAC_OK);
}

/* At rest each of n points carries m g/n = -D K d r: with A = 1/m, the elliptic cone's D = m d/(1 - d)  (Z4, Z5). */
static void rest_depth(void **state) {
    (void)state;
    const double d1 = 0.95, d0 = 0.9, width = 0.001, time = 0.02;
    World w = world(TAC_CONE_ELLIPTIC, 3, 0);
    run(&w, 4000);
    double r = w.x[2] - 0.1, x = fabs(r) / width,
           d = d0 + (x < 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x)) * (d1 - d0);
    double K = 1 / (d1 * d1 * time * time), carried = -4 * 2 * d / (1 - d) * K * d * r;
    print_message("rests %.3e m deep: the points carry %.9f of the weight\n", -r, carried / (2 * GRAVITY));
    CHECK_NEAR(carried, 2 * GRAVITY, 1e3 * TOL_REST);
    CHECK_NEAR(w.x[w.m->nq + 2], 0, TOL_REST);
    end(&w);
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

static void moved(World *w, const double *y0, int column, double t, double *out) {
    const tacModel *m = w->m;
    double x[MOST_STATE], y[MOST_STATE], d[MOST_DX] = {0};
    memcpy(x, w->x, sizeof x);
    if (column < m->nv) {
        d[column] = t;
        tac_qpos_add(m, w->x, d, x);
    } else {
        x[m->nq + column - m->nv] += t;
    }
    CHECK_INT(tac_step(w->sim, x, NULL, y, NULL), TAC_OK);
    tac_qpos_sub(m, y, y0, out);
    memcpy(out + m->nv, y + m->nq, (size_t)m->nv * sizeof *out);
}

/* Largest error of A against extrapolated differences, relative to its largest entry, and of reverse against it. */
static double check_jacobian(World *w, double *reverse) {
    const tacModel *m = w->m;
    int n = tac_ndx(m);
    static double A[MOST_DX * MOST_DX];
    double y[MOST_STATE], ybar[MOST_DX], g[MOST_DX], p[4][MOST_DX], worst = 0, largest = 1;
    CHECK_INT(tac_step_jac(w->sim, w->x, NULL, y, &(tacJac){A, NULL, NULL}, NULL), TAC_OK);
    for (int i = 0; i < n; i++)
        ybar[i] = tac_random_normal(5, 0, (uint64_t)i);
    CHECK_INT(tac_step_vjp(w->sim, w->x, NULL, ybar, &(tacGrad){g, NULL, NULL}, NULL), TAC_OK);
    *reverse = 0;
    for (int c = 0; c < n; c++) {
        double sum = 0, size = 1;
        const double steps[4] = {STEP, -STEP, STEP / 2, -STEP / 2};
        for (int k = 0; k < 4; k++)
            moved(w, y, c, steps[k], p[k]);
        for (int i = 0; i < n; i++) {
            double difference = (4 * (p[2][i] - p[3][i]) / STEP - (p[0][i] - p[1][i]) / (2 * STEP)) / 3;
            worst = fmax(worst, fabs(A[i * n + c] - difference));
            largest = fmax(largest, fabs(difference));
            sum += ybar[i] * A[i * n + c], size = fmax(size, fabs(ybar[i] * A[i * n + c]));
        }
        *reverse = fmax(*reverse, fabs(sum - g[c]) / size);
    }
    return worst / largest;
}

/* Sliding and turning, with all rows there are. */
static void gradients(void **state) {
    (void)state;
    const tacCone cones[] = {TAC_CONE_PYRAMIDAL, TAC_CONE_ELLIPTIC};
    const int dims[] = {1, 3, 4, 6};
    for (int i = 0; i < 8; i++) {
        World w = world(cones[i / 4], dims[i % 4], 1);
        double *v = w.x + w.m->nq, reverse;
        v[0] = 0.4, v[1] = -0.2, v[3] = 0.3, v[5] = 2, v[6] = 0.5, v[7] = -1, v[8] = 0.8;
        run(&w, 60);
        tacStepInfo info;
        double y[MOST_STATE], error = check_jacobian(&w, &reverse);
        CHECK_INT(tac_step(w.sim, w.x, NULL, y, &info), TAC_OK);
        print_message("cone %d, condim %d: %d contacts, error %.1e, reverse %.1e\n", (int)cones[i / 4], dims[i % 4],
                      info.contacts, error, reverse);
        CHECK(info.contacts >= 3);
        CHECK_LT(error, TOL_GRADIENT);
        CHECK_LT(reverse, TOL_REVERSE);
        end(&w);
    }
}

/* Contacts that carry a block at rest, by contact, on the body and on its dofs. */
static void forces(void **state) {
    (void)state;
    World w = world(TAC_CONE_ELLIPTIC, 6, 0);
    tacContactForce contact[8];
    double z[6 + 6], sum = 0;
    int n;
    run(&w, 4000);
    CHECK_INT(tac_step_contacts(w.sim, w.x, NULL, contact, 8, &n), TAC_OK);
    CHECK_INT(n, 4);
    for (int i = 0; i < n; i++) {
        sum += contact[i].force[0];
        CHECK_INT(contact[i].state, TAC_CONTACT_STICKING);
    }
    const tacOutput list[] = {{TAC_OUT_CONTACT_FORCE, 1}, {TAC_OUT_QFRC_CONSTRAINT, TAC_OUT_ALL}};
    tacOutputs outputs = {2, list};
    CHECK_INT(tac_outputs(w.sim, w.x, NULL, &outputs, z), TAC_OK);
    CHECK_NEAR(sum, 2 * GRAVITY, 1e-6);
    CHECK_NEAR(z[5], 2 * GRAVITY, 1e-6);
    CHECK_NEAR(z[8], 2 * GRAVITY, 1e-6);
    CHECK_NEAR(z[0], 0, 1e-6);
    end(&w);
}

/* Without damping a step is one of the acceleration, which has the constraints in it: v+ = v + h a. */
static void acceleration(void **state) {
    (void)state;
    World w = world(TAC_CONE_PYRAMIDAL, 4, 0);
    double a[MOST_DX], y[MOST_STATE];
    w.x[w.m->nq] = 0.7, w.x[w.m->nq + 5] = 2;
    run(&w, 60);
    CHECK_INT(tac_acceleration(w.sim, w.x, NULL, a), TAC_OK);
    CHECK_INT(tac_step(w.sim, w.x, NULL, y, NULL), TAC_OK);
    for (int i = 0; i < w.m->nv; i++)
        CHECK_NEAR(y[w.m->nq + i], w.x[w.m->nq + i] + TIME_STEP * a[i], 1e-15);
    CHECK(fabs(a[2] + GRAVITY) > 1); /* it does not fall freely */
    end(&w);
}

/* At rest the contacts are in proportion, the arm's friction holds or slips, its limit is out of reach; each says how
 * far it is from the next zone. */
static void zones(void **state) {
    (void)state;
    World w = world(TAC_CONE_ELLIPTIC, 3, 1);
    tacConstraint list[16];
    tacContactForce contact[16];
    tacStepInfo info = {0};
    double y[MOST_STATE], A[MOST_DX * MOST_DX];
    int n, ncontact, seen[6] = {0};
    w.m->geom_friction[0] = 0.5;
    w.x[w.m->nq] = -1.5, w.x[w.m->nq + 7] = -1; /* the block slides, the arm swings */
    run(&w, 60);
    CHECK_INT(tac_step_constraints(w.sim, w.x, NULL, list, 16, &n), TAC_OK);
    CHECK_INT(tac_step_contacts(w.sim, w.x, NULL, contact, 16, &ncontact), TAC_OK);
    CHECK_INT(tac_step_jac(w.sim, w.x, NULL, y, &(tacJac){A, NULL, NULL}, &info), TAC_OK);
    double least = (double)INFINITY;
    for (int i = 0; i < n; i++) {
        seen[list[i].kind]++;
        least = fmin(least, list[i].margin);
        if (list[i].kind != TAC_CONSTRAINT_CONTACT) continue;
        const tacContactForce *c = &contact[list[i].id];
        int slides = list[i].zone == TAC_ZONE_CONE;
        CHECK_INT(c->state, list[i].zone == TAC_ZONE_FREE ? TAC_CONTACT_OPEN
                            : slides                      ? TAC_CONTACT_SLIDING
                                                          : TAC_CONTACT_STICKING);
        CHECK_ARRAY(3, c->force, list[i].force, 0);
        if (slides) CHECK_NEAR(hypot(list[i].force[1], list[i].force[2]), 0.6 * list[i].force[0], 1e-9);
    }
    CHECK_INT(seen[TAC_CONSTRAINT_CONTACT], ncontact);
    CHECK_INT(seen[TAC_CONSTRAINT_JOINT_FRICTION], 3);
    CHECK(info.sliding > 0);
    CHECK(info.class_margin == least);
    CHECK(info.force_margin > 0 && info.feature_margin > 0 && info.conditioning >= 1);
    CHECK_INT(tac_step_constraints(w.sim, w.x, NULL, list, 2, &ncontact), TAC_ERR_CONTACTS);
    CHECK_INT(ncontact, n);
    end(&w);
}

/* A ball that will touch at the next micrometre has no contact, and says how near it is. */
static void touches_are_flagged(void **state) {
    (void)state;
    const double gap = 3e-7;
    World w = world(TAC_CONE_ELLIPTIC, 3, 0);
    double y[MOST_STATE], A[MOST_DX * MOST_DX];
    tacStepInfo info = {0};
    w.x[2] = 0.1 + gap;
    CHECK_INT(tac_step_jac(w.sim, w.x, NULL, y, &(tacJac){A, NULL, NULL}, &info), TAC_OK);
    CHECK_INT(info.contacts, 0);
    CHECK_NEAR(info.feature_margin, gap, 1e-12);
    w.x[2] = 0.1 - 0.001 - gap; /* impedance is flat beyond its width */
    CHECK_INT(tac_step_jac(w.sim, w.x, NULL, y, &(tacJac){A, NULL, NULL}, &info), TAC_OK);
    CHECK_INT(info.contacts, 4);
    CHECK_NEAR(info.feature_margin, gap, 1e-12);
    end(&w);
}

static const double STILL = 0; /* control */

/* What a step with derivatives says of the step is what the step says. */
static void check_info(World *w) {
    double y[MOST_STATE], A[MOST_DX * MOST_DX], g[MOST_DX], ybar[MOST_DX];
    tacStepInfo step, jac, vjp;
    for (int i = 0; i < tac_ndx(w->m); i++)
        ybar[i] = 1;
    CHECK_INT(tac_step(w->sim, w->x, &STILL, y, &step), TAC_OK);
    CHECK_INT(tac_step_jac(w->sim, w->x, &STILL, y, &(tacJac){A, NULL, NULL}, &jac), TAC_OK);
    CHECK_INT(tac_step_vjp(w->sim, w->x, &STILL, ybar, &(tacGrad){g, NULL, NULL}, &vjp), TAC_OK);
    CHECK(step.contacts > 0 && step.iterations > 0 && step.active_set != 0);
    CHECK(jac.conditioning >= 1 && jac.force_margin > 0 && vjp.conditioning == jac.conditioning);
    const tacStepInfo *both[2] = {&jac, &vjp};
    for (int k = 0; k < 2; k++) {
        CHECK(both[k]->active_set == step.active_set);
        CHECK_INT(both[k]->iterations, step.iterations);
        CHECK_INT(both[k]->ties, step.ties);
        CHECK_INT(both[k]->contacts, step.contacts);
        CHECK_INT(both[k]->sliding, step.sliding);
        CHECK(both[k]->residual == step.residual && both[k]->class_margin == step.class_margin);
    }
}

static void info_is_of_the_step(void **state) {
    (void)state;
    static const tacIntegrator INTEGRATORS[] = {TAC_INTEGRATOR_EULER, TAC_INTEGRATOR_IMPLICIT,
                                                TAC_INTEGRATOR_IMPLICITFAST, TAC_INTEGRATOR_RK4, TAC_INTEGRATOR_RKMK4};
    for (size_t i = 0; i < 2 * sizeof INTEGRATORS / sizeof *INTEGRATORS; i++) {
        World w = world(TAC_CONE_ELLIPTIC, 3, 1 + (int)(i % 2));
        tacOptions options = tac_default_options(w.m);
        tacError err;
        options.contact = TAC_CONTACT_MODEL_SOFT, options.integrator = INTEGRATORS[i / 2];
        tac_sim_free(w.sim);
        CHECK_INT(tac_sim_new(w.m, &options, &w.sim, &err), TAC_OK);
        CHECK_INT(w.m->na, (int)(i % 2));
        for (int k = 0; k < 50; k++)
            CHECK_INT(tac_step(w.sim, w.x, &STILL, w.x, NULL), TAC_OK);
        w.x[w.m->nq] += 0.3;
        check_info(&w);
        end(&w);
    }
}

/* The impedance is smooth in its power around 2, the default, where things touch; its midpoint is another piece. */
static void pieces(void **state) {
    (void)state;
    static const double POWERS[] = {2, 2 - 1e-9, 2 + 1e-9, 1.5, 3};
    World w = world(TAC_CONE_ELLIPTIC, 3, 0);
    tacStepInfo info;
    double y[MOST_STATE];
    uint64_t first = 0;
    w.x[2] = 0.1 - 0.0004;
    for (size_t k = 0; k < sizeof POWERS / sizeof *POWERS; k++) {
        for (int g = 0; g < w.m->ngeom; g++)
            w.m->geom_solimp[5 * g + 4] = POWERS[k];
        CHECK_INT(tac_step(w.sim, w.x, NULL, y, &info), TAC_OK);
        CHECK_INT(info.contacts, 4);
        if (k == 0) first = info.active_set;
        CHECK(info.active_set == first);
    }
    w.x[2] = 0.1 - 0.0006;
    CHECK_INT(tac_step(w.sim, w.x, NULL, y, &info), TAC_OK);
    CHECK(info.active_set != first);
    end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_depth),          cmocka_unit_test(gradients), cmocka_unit_test(forces),
        cmocka_unit_test(acceleration),        cmocka_unit_test(zones),     cmocka_unit_test(touches_are_flagged),
        cmocka_unit_test(info_is_of_the_step), cmocka_unit_test(pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
