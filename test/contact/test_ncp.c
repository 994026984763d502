/* The ncp problem's linear systems against differences of its residuals, in contact and at limits. */
#include "base/lanes.h"
#include "contact/ncp/bodies.h"
#include "contact/ncp/contact.h"
#include "contact/ncp/contact_system.h"
#include "contact/ncp/features.h"
#include "contact/ncp/turns.h"
#include "smooth/find_contacts.h"
#include "step/sim.h"

#include "math/cone.h"
#include "support/check.h"
#include "support/draw.h"
#include "support/random_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOL_MOMENTUM 1e-12
#define TOL_TURNS    1e-14 /* relative: rounding of two ways */
#define TOL_JAC      1e-7  /* central differences of a step 1e-5 */
#define TOL_FLAT     1e-11 /* rounding of two ways, and of the search for an ellipsoid's lowest point */
#define STEP         1e-5
#define TIME_STEP    0.02

/* --- Momentum of turning ------------------------------------------------------------------------------------------ */

/* The same momentum seen from both ends of the turn: R(r)^T after = before. Of a ball it is J w, whatever the turn. */
static void momentum_is_one(void **state) {
    (void)state;
    tacDraw d = {51, 0};
    for (int k = 0; k < 50; k++) {
        tacSym3 J = {2, 3, 4, 0.1, -0.2, 0.3}, ball = {2, 2, 2, 0, 0, 0};
        tacVec3 w = draw_vec3(&d, 50);
        tacQuat r = tac_quat_exp(tac_scale3(TIME_STEP, w));
        tacVec3 phi = tac_quat_log(r), after = tac_angular_momentum(J, phi, TIME_STEP, 1),
                before = tac_angular_momentum(J, phi, TIME_STEP, 0);
        tacVec3 turned = tac_mulmtv3(tac_quat_mat(r), after), of_ball = tac_angular_momentum(ball, phi, TIME_STEP, 1),
                twice = tac_scale3(2, w);
        CHECK_ARRAY(3, &turned.x, &before.x, TOL_MOMENTUM * (1 + tac_norm3(after)));
        if (TIME_STEP * tac_norm3(w) < 3) CHECK_ARRAY(3, &of_ball.x, &twice.x, TOL_MOMENTUM * (1 + tac_norm3(w)));
    }
}

/* Turns from nothing over both sides of the series' end to almost half a turn. */
static void momentum_derivative(void **state) {
    (void)state;
    static const double ANGLE[5] = {1e-9, 0.0499, 0.0501, 1, 2.9};
    tacDraw d = {52, 0};
    for (int k = 0; k < 50; k++) {
        tacSym3 J = {2, 3, 4, 0.1, -0.2, 0.3};
        tacVec3 axis = draw_vec3(&d, 1), t = draw_vec3(&d, 1), value[2];
        tacQuat r = tac_quat_exp(tac_scale3(ANGLE[k % 5] / tac_norm3(axis), axis));
        tacMat3 D = tac_angular_momentum_jac(J, tac_quat_log(r), TIME_STEP);
        tacVec3 want = tac_mulmv3(D, t);
        for (int side = 0; side < 2; side++)
            value[side] = tac_angular_momentum(
                J, tac_quat_log(tac_quat_mul(tac_quat_exp(tac_scale3(side ? STEP : -STEP, t)), r)), TIME_STEP, 1);
        tacVec3 got = tac_scale3(0.5 / STEP, tac_sub3(value[1], value[0]));
        CHECK(tac_norm3(want) > 1);
        CHECK_ARRAY(3, &got.x, &want.x, TOL_JAC);
    }
}

/* Bodies side by side turn as each alone, for any number of them and on both sides of the series' end. Both widths of
 * registers give the same bits. */
static void turns_side_by_side(void **state) {
    (void)state;
    enum { MOST = 7 };
    static const double ANGLE[6] = {0, 1e-9, 0.0499, 0.0501, 1, 3.1};
    tacDraw d = {53, 0};
    for (int k = 0; k < 60; k++) {
        int n = 1 + k % MOST;
        tacQuat from[MOST], to[MOST];
        tacSym3 J[MOST];
        tacVec3 spin[2][MOST], L[2][MOST];
        tacMat3 T[2][MOST];
        for (int i = 0; i < n; i++) {
            tacVec3 axis = draw_vec3(&d, 1);
            from[i] = tac_quat_exp(draw_vec3(&d, 2));
            to[i] = tac_quat_mul(tac_quat_exp(tac_scale3(ANGLE[(k + i) % 6] / tac_norm3(axis), axis)), from[i]);
            J[i] = (tacSym3){2, 3, 4 + i, 0.1, -0.2, 0.3};
        }
        for (int wide = 0; wide < 1 + tac_has_wide(); wide++) {
            (wide ? tac_ncp_turns_wide : tac_ncp_turns_narrow)(n, from, to, 1 / TIME_STEP, spin[wide]);
            (wide ? tac_ncp_momenta_wide : tac_ncp_momenta_narrow)(n, J, spin[wide], TIME_STEP, L[wide]);
            (wide ? tac_ncp_momenta_jac_wide : tac_ncp_momenta_jac_narrow)(n, J, spin[wide], TIME_STEP, T[wide]);
            CHECK(memcmp(spin[0], spin[wide], (size_t)n * sizeof **spin) == 0);
            CHECK(memcmp(L[0], L[wide], (size_t)n * sizeof **L) == 0);
            CHECK(memcmp(T[0], T[wide], (size_t)n * sizeof **T) == 0);
        }
        for (int i = 0; i < n; i++) {
            tacVec3 phi = tac_ncp_turn(from[i], to[i]), of = tac_scale3(1 / TIME_STEP, phi);
            tacVec3 momentum = tac_angular_momentum(J[i], phi, TIME_STEP, 1);
            tacMat3 jac = tac_angular_momentum_jac(J[i], phi, TIME_STEP);
            CHECK_ARRAY(3, &spin[0][i].x, &of.x, TOL_TURNS * (1 + 1 / TIME_STEP));
            CHECK_ARRAY(3, &L[0][i].x, &momentum.x, TOL_TURNS * (100 + 50 * tac_norm3(momentum)));
            CHECK_ARRAY(9, T[0][i].m, jac.m, TOL_TURNS * (1e3 + 1e3 * tac_norm3(momentum)));
        }
    }
}

/* --- Newton's direction ------------------------------------------------------------------------------------------- */

typedef struct Problem {
    tacModel *m;
    tacSim *sim;
    tacNcp p;
    double x[400];
} Problem;

/* Two boxes, a ball, a capsule and a hinged arm with limits, one above another on a plane. */
static tacModel *heap(void) {
    static const tacGeomType TYPE[4] = {TAC_GEOM_BOX, TAC_GEOM_CAPSULE, TAC_GEOM_BOX, TAC_GEOM_SPHERE};
    static const double SIZE[4][3] = {{0.2, 0.3, 0.1}, {0.1, 0.3, 0}, {0.1, 0.1, 0.1}, {0.15, 0, 0}};
    tacBuilder *b = tac_model_begin();
    tacGeomDef plane = tac_default_geom();
    plane.type = TAC_GEOM_PLANE, plane.size[0] = plane.size[1] = plane.size[2] = 1;
    tac_model_add_geom(b, 0, &plane);
    for (int i = 0, parent = 0; i < 6; i++) {
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        tacGeomDef geom = tac_default_geom();
        int linked = i >= 4; /* the last two hang on the ball: a limited hinge, then a slide and a ball joint */
        body.pos = linked ? (tacVec3){0.3, 0, 0.1} : (tacVec3){0.02 * i, 0.01 * i, 0.12 + 0.24 * i};
        parent = tac_model_add_body(b, linked ? parent : 0, &body);
        joint.type = linked ? TAC_JOINT_HINGE : TAC_JOINT_FREE, joint.axis = (tacVec3){0, 1, 0};
        if (i == 4) joint.limited = 1, joint.range[0] = -0.1, joint.range[1] = 0.2, joint.armature = 0.05;
        if (i == 5) joint.type = TAC_JOINT_SLIDE, joint.damping = 0.3;
        tac_model_add_joint(b, parent, &joint);
        if (i == 5) joint.type = TAC_JOINT_BALL, tac_model_add_joint(b, parent, &joint);
        geom.type = linked ? TAC_GEOM_CAPSULE : TYPE[i], geom.has_mass = 1, geom.mass = 1 + 0.3 * i;
        memcpy(geom.size, linked ? (double[3]){0.05, 0.1, 0} : SIZE[i], sizeof geom.size);
        tac_model_add_geom(b, parent, &geom);
    }
    tacModel *m;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    return m;
}

/* As the stepper poses it (contact/ncp/step.c), at a random state near the model's own. */
static void begin(Problem *k, tacDraw *d) {
    tacOptions options = tac_default_options(k->m);
    tacError err;
    int found = 0;
    options.contact = TAC_CONTACT_MODEL_NCP, options.dt = TIME_STEP;
    if (tac_sim_new(k->m, &options, &k->sim, &err) != TAC_OK) fail_msg("%s", err.text);
    tacSim *sim = k->sim;
    double dq[64];
    tac_sim_poison(sim);
    CHECK(tac_nx(k->m) <= 400 && k->m->nv <= 64);
    tac_default_state(k->m, k->x);
    for (int i = 0; i < k->m->nv; i++) {
        dq[i] = 0.05 * draw_normal(d);
        k->x[k->m->nq + i] = draw_normal(d);
    }
    memcpy(k->x + 300, k->x, (size_t)k->m->nq * sizeof(double));
    tac_qpos_add(k->m, k->x + 300, dq, k->x);
    CHECK(tac_ncp_layout(&k->p, k->m, options.max_contacts, TAC_NCP_FEATURES, &sim->ctx.arena));
    tacNcp *p = &k->p;
    p->w = &sim->ctx.work, p->scene = &sim->ctx.scene, p->q = k->x, p->v = k->x + k->m->nq, p->mocap = NULL;
    p->h = TIME_STEP, p->damping_span = TIME_STEP;
    tac_smooth_forces(k->m, &sim->ctx.work, p->q, p->v, NULL, (tacInputs){0}, TIME_STEP);
    for (int i = 0; i < k->m->nv; i++)
        p->tau[i] = TIME_STEP * (sim->ctx.work.qfrc[i] + sim->ctx.work.bias[i]);
    const tacContactReach reach = {.distance = 0.05};
    CHECK_INT(tac_find_contacts(&sim->ctx, &sim->ctx.work, &reach, p->found, p->max_contacts, &found), TAC_OK);
    tac_ncp_begin_bodies(p);
    tac_ncp_add_constraints(p, found);
    CHECK_INT(tac_ncp_start(p, 0, 0), TAC_OK);
}

static void draw_cones(const tacNcp *p, tacDraw *d, double *a) {
    for (int c = 0, adr = 0; c < p->ncone; adr += p->dim[c++]) {
        a[adr] = draw_uniform(d, 0.2, 1);
        for (int i = 1; i < p->dim[c]; i++)
            a[adr + i] = draw_uniform(d, -0.5, 0.5) * a[adr];
    }
}

/* All rows of E: balance of every dof, then of contacts and limits. */
static int rows_of(const Problem *k, double *E) {
    const tacNcp *p = &k->p;
    int n = 0;
    for (int i = 0; i < k->m->nv; i++)
        E[n++] = p->g[i] + tac_dot6(p->w->S[i], p->sum[k->m->dof_body[i]]);
    for (int i = 0; i < p->ncontact; i++) {
        E[n++] = p->contact[i].residual.e_s, E[n++] = p->contact[i].residual.e_xi;
        E[n++] = p->contact[i].residual.e_eta[0], E[n++] = p->contact[i].residual.e_eta[1];
    }
    for (int i = 0; i < p->rows.n; i++)
        E[n++] = p->rows.row[i].e[0];
    return n;
}

enum { MOST = 2048 };
static double E0[MOST], E1[MOST], E2[MOST], c[MOST], dx[MOST], da[MOST], db[MOST], trial[3][MOST];

static void evaluate(Problem *k, const tacInteriorProblem *problem, double alpha, double *E) {
    const double *from[3] = {k->p.x, k->p.a, k->p.b}, *along[3] = {dx, da, db};
    int size[3] = {k->m->nv, k->p.numbers, k->p.numbers};
    double violation;
    for (int s = 0; s < 3; s++)
        for (int i = 0; i < size[s]; i++)
            trial[s][i] = from[s][i] + alpha * along[s][i];
    CHECK_INT(problem->residual(&k->p, trial[0], trial[1], trial[2], &violation), TAC_OK);
    rows_of(k, E);
}

/* dE along the direction is -E, and the cones' products change by c. */
static void check_direction(Problem *k, tacDraw *d) {
    tacInteriorProblem problem = tac_ncp_problem(&k->p);
    double violation, size = 0;
    for (int i = 0; i < k->m->nv; i++)
        k->p.x[i] = k->p.v[i] + 0.3 * draw_normal(d);
    draw_cones(&k->p, d, k->p.a), draw_cones(&k->p, d, k->p.b);
    draw_array(d, k->p.numbers, c);
    CHECK_INT(problem.residual(&k->p, k->p.x, k->p.a, k->p.b, &violation), TAC_OK);
    CHECK(violation > 0.01);
    int n = rows_of(k, E0);
    CHECK(n <= MOST && k->p.numbers <= MOST);
    CHECK_INT(problem.factor(&k->p, k->p.x, k->p.a, k->p.b), TAC_OK);
    problem.solve(&k->p, c, dx, da, db);
    for (int i = 0; i < k->m->nv; i++)
        size = fmax(size, fabs(dx[i]));
    for (int i = 0; i < k->p.numbers; i++)
        size = fmax(size, fmax(fabs(da[i]), fabs(db[i])));
    CHECK(isfinite(size) && size > 0);
    evaluate(k, &problem, STEP / size, E1);
    evaluate(k, &problem, -STEP / size, E2);
    for (int i = 0; i < n; i++)
        CHECK_NEAR((E1[i] - E2[i]) / (2 * STEP), -E0[i] / size, TOL_JAC);
    for (int i = 0, adr = 0; i < k->p.ncone; adr += k->p.dim[i++]) {
        double one[3], two[3];
        tac_cone_product(k->p.dim[i], k->p.a + adr, db + adr, one);
        tac_cone_product(k->p.dim[i], k->p.b + adr, da + adr, two);
        for (int r = 0; r < k->p.dim[i]; r++)
            CHECK_NEAR((one[r] + two[r] - c[adr + r]) / size, 0, TOL_JAC);
    }
}

static void direction_in_contact(void **state) {
    (void)state;
    tacDraw d = {53, 0};
    int contacts = 0, between = 0;
    for (int k = 0; k < 30; k++) {
        Problem problem = {.m = heap()};
        begin(&problem, &d);
        check_direction(&problem, &d);
        contacts += problem.p.ncontact;
        between += problem.p.ldu.nedge;
        tac_sim_free(problem.sim);
        tac_model_free(problem.m);
    }
    CHECK(contacts > 200 && between > 100);
}

/* Trees with all kinds of joints, several on one body. */
static void direction_of_trees(void **state) {
    (void)state;
    tacDraw d = {54, 0};
    for (int k = 0; k < 30; k++) {
        Problem problem = {.m = random_tree(1000 + (uint64_t)k, 6)};
        begin(&problem, &d);
        check_direction(&problem, &d);
        tac_sim_free(problem.sim);
        tac_model_free(problem.m);
    }
}

/* --- Contacts that are left out ----------------------------------------------------------------------------------- */

static int same_geoms(const tacContact *a, const tacContact *b) {
    return a->geom[0] == b->geom[0] && a->geom[1] == b->geom[1];
}

/* What two geoms are found to touch by later has the rest of what was left out of theirs: without it they would come
 * apart in one step, however deep they were   (W15). */
static void rests_are_remembered(void **state) {
    (void)state;
    tacDraw d = {57, 0};
    int remembered = 0;
    for (int k = 0; k < 30; k++) {
        Problem problem = {.m = heap()};
        begin(&problem, &d);
        tacNcp *p = &problem.p;
        const tacNcpContact *deepest = &p->contact[0];
        for (int i = 1; i < p->ncontact; i++)
            if (p->contact[i].law.bound.rest < deepest->law.bound.rest) deepest = &p->contact[i];
        tacNcpGapBound closed = deepest->law.bound;
        tacContact found = deepest->feature.found;
        found.dist = closed.rest - 0.01;
        for (int i = 0; i < p->ncontact; i++)
            p->contact[i].feature.lost = same_geoms(&p->contact[i].feature.found, &found),
            p->contact[i].friction.gamma = 0;
        CHECK(tac_ncp_remove_lost(p) > 0);
        for (int i = 0; i < p->ncontact; i++)
            CHECK(!same_geoms(&p->contact[i].feature.found, &found));
        p->found[0] = found;
        CHECK_NEAR(tac_ncp_overlap(p, 1, 1e-9), 0.01, 1e-12); /* beyond what is left of it */
        CHECK_INT(tac_ncp_add_overlapping(p, 1, 1e-9), 1);
        const tacNcpContact *taken = &p->contact[p->ncontact - 1];
        CHECK(same_geoms(&taken->feature.found, &found) && memcmp(&taken->law.bound, &closed, sizeof closed) == 0);
        remembered += closed.rest < 0;
        tac_sim_free(problem.sim);
        tac_model_free(problem.m);
    }
    CHECK(remembered > 20);
}

/* --- Points and ellipsoids on a plane ----------------------------------------------------------------------------- */

/* Side by side on a slope. */
static tacModel *slope(void) {
    static const tacGeomType TYPE[4] = {TAC_GEOM_BOX, TAC_GEOM_CAPSULE, TAC_GEOM_ELLIPSOID, TAC_GEOM_SPHERE};
    static const double SIZE[4][3] = {{0.2, 0.3, 0.1}, {0.1, 0.3, 0}, {0.1, 0.2, 0.12}, {0.1, 0, 0}};
    tacBuilder *b = tac_model_begin();
    tacGeomDef plane = tac_default_geom();
    plane.type = TAC_GEOM_PLANE, plane.size[0] = plane.size[1] = plane.size[2] = 1;
    plane.quat = tac_quat_exp(tac_vec3(0.05, -0.1, 0));
    tac_model_add_geom(b, 0, &plane);
    for (int i = 0; i < 4; i++) {
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        tacGeomDef geom = tac_default_geom();
        body.pos = (tacVec3){0.8 * (i % 2) - 0.4, 0.8 * (i / 2) - 0.4, 0.12};
        int added = tac_model_add_body(b, 0, &body);
        joint.type = TAC_JOINT_FREE;
        tac_model_add_joint(b, added, &joint);
        geom.type = TYPE[i], geom.has_mass = 1, geom.mass = 1 + 0.3 * i;
        geom.pos = (tacVec3){0.02, 0.01, -0.03}, geom.quat = tac_quat_exp(tac_vec3(0.3, 0.1, -0.2));
        memcpy(geom.size, SIZE[i], sizeof geom.size);
        tac_model_add_geom(b, added, &geom);
    }
    tacModel *m;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    return m;
}

/* The closed form of each contact against what the features' general way gives. */
static void check_flat(Problem *k, int *count) {
    tacNcp *p = &k->p;
    double Gamma[2][2][6][12];
    for (int i = 0; i < p->ncontact; i++) {
        tacNcpContact *any = &p->contact[i], closed;
        if (!any->plane.kind) continue;
        CHECK_INT(tac_ncp_contact_jac(p, any, Gamma[0], NULL), TAC_OK);
        closed = *any;
        any->plane.kind = 0;
        CHECK_INT(tac_ncp_place_contacts(p), TAC_OK);
        CHECK_INT(tac_ncp_contact_jac(p, any, Gamma[1], NULL), TAC_OK);
        CHECK_NEAR(closed.next.contact.dist, any->next.contact.dist, TOL_FLAT);
        CHECK_ARRAY(3, &closed.next.contact.pos.x, &any->next.contact.pos.x, TOL_FLAT);
        CHECK_ARRAY(6, &closed.next.contact.point[0].x, &any->next.contact.point[0].x, TOL_FLAT);
        CHECK_ARRAY(36, closed.next.G[0], any->next.G[0], TOL_FLAT / TIME_STEP);
        CHECK_ARRAY(144, Gamma[0][0][0], Gamma[1][0][0], TOL_FLAT);
        count[any->feature.found.feature[1].kind]++;
    }
}

static void flat_is_the_general_way(void **state) {
    (void)state;
    tacDraw d = {55, 0};
    int count[TAC_FEATURE_SIDE + 1] = {0};
    for (int k = 0; k < 30; k++) {
        Problem problem = {.m = slope()};
        begin(&problem, &d);
        check_direction(&problem, &d);
        check_flat(&problem, count);
        tac_sim_free(problem.sim);
        tac_model_free(problem.m);
    }
    CHECK(count[TAC_FEATURE_POINT] > 100 && count[TAC_FEATURE_ELLIPSOID] > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(flat_is_the_general_way), cmocka_unit_test(momentum_is_one),
                                       cmocka_unit_test(momentum_derivative),     cmocka_unit_test(turns_side_by_side),
                                       cmocka_unit_test(direction_in_contact),    cmocka_unit_test(direction_of_trees),
                                       cmocka_unit_test(rests_are_remembered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
