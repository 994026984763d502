#include "collide/epa.h"

#include "pair_checks.h"
#include "solids.h"

#include <math.h>

/* Of the shapes' size. */
static const double TOL = 1e-12;
/* What straight cores are asked for: the face itself. */
static const double EXACT = 0;

static tacEpa run(const Pair *p, double gap, tacCores *c) {
    tacGjk g;
    tacEpa e;
    *c = tac_cores(&p->shape[0], &p->pose[0], &p->shape[1], &p->pose[1]);
    tac_gjk_start(c, NULL, &g);
    tac_gjk(c, 1e-14, HUGE_VAL, &g);
    tac_epa(c, &g, gap, &e);
    return e;
}

/* n is a unit vector whose support is `lower`; the face kept has its weights. */
static void check_answer(tacCores *c, const tacEpa *e, double tol) {
    double total = 0;
    CHECK_NEAR(tac_norm3(e->n), 1, 1e-14);
    CHECK_NEAR(tac_dot3(e->n, tac_cores_support(c, e->n, (int[2]){-1, -1}).w), e->lower, tol);
    CHECK(e->lower <= e->upper + tol);
    for (int i = 0; i < 3; i++) {
        CHECK(e->weight[i] >= 0);
        total += e->weight[i];
    }
    CHECK_NEAR(total, 1, 1e-12);
}

/* --- Against every direction that can be the best ----------------------------------------------------------------- */

static double least_along(const tacCores *c, tacVec3 n) {
    double a = -HUGE_VAL, b = HUGE_VAL;
    for (int i = 0; i < c->shape[0]->hull.nvert; i++)
        a = fmax(a, tac_dot3(n, c->shape[0]->hull.vert[i]));
    for (int i = 0; i < c->shape[1]->hull.nvert; i++)
        b = fmin(b, tac_dot3(n, tac_pose_point(&c->pose, c->shape[1]->hull.vert[i])));
    return b - a;
}

static double try_direction(const tacCores *c, tacVec3 n, double best) {
    double length = tac_norm3(n);
    if (!(length > 1e-9)) return best;
    return fmax(best, fmax(least_along(c, tac_scale3(1 / length, n)), least_along(c, tac_scale3(-1 / length, n))));
}

/* Normals of the faces of the difference: of either polyhedron's faces, and across an edge of each. */
static double enumerated(const tacCores *c) {
    double best = -HUGE_VAL;
    const tacHull *a = &c->shape[0]->hull, *b = &c->shape[1]->hull;
    for (int f = 0; f < a->nface; f++)
        best = try_direction(c, tac_shape_face_normal(c->shape[0], f), best);
    for (int f = 0; f < b->nface; f++)
        best = try_direction(c, tac_mulmv3(c->pose.R, tac_shape_face_normal(c->shape[1], f)), best);
    for (int i = 0; i < a->nvert; i++)
        for (int k = 0; k < a->edge_num[i]; k++) {
            tacVec3 e = tac_sub3(a->vert[a->edge[a->edge_adr[i] + k]], a->vert[i]);
            for (int j = 0; j < b->nvert; j++)
                for (int m = 0; m < b->edge_num[j]; m++) {
                    tacVec3 f = tac_sub3(b->vert[b->edge[b->edge_adr[j] + m]], b->vert[j]);
                    best = try_direction(c, tac_cross3(e, tac_mulmv3(c->pose.R, f)), best);
                }
        }
    return best;
}

static void test_polyhedra(void **state) {
    (void)state;
    tacDraw d = {1, 0};
    int deep = 0;
    for (int k = 0; k < 300; k++) {
        Solid solid[2];
        for (int i = 0; i < 2; i++) {
            make_prism(&solid[i], 3 + draw_int(&d, 5), draw_uniform(&d, 0.1, 1), draw_uniform(&d, 0.1, 1),
                       draw_uniform(&d, 0.1, 1));
            place_solid(&solid[i], tac_vec3(draw_uniform(&d, 0.2, 1), 1, 1), draw_vec3(&d, 0.05));
        }
        Pair p = {{solid[0].shape, solid[1].shape}, {draw_pose(&d, 0.2), draw_pose(&d, 0.3)}};
        if (k % 10 == 0) p.pose[1] = p.pose[0]; /* all of it in one place */
        if (k % 10 == 1) p.pose[1].R = p.pose[0].R;
        tacCores c;
        tacEpa e = run(&p, EXACT, &c);
        double best = enumerated(&c);
        if (best < -1e-9) {
            CHECK_INT(e.status, TAC_EPA_DONE);
            CHECK_NEAR(e.lower, best, TOL);
            CHECK_NEAR(e.upper, best, TOL);
            CHECK(e.next <= e.lower + TOL);
            check_answer(&c, &e, TOL);
            deep++;
        }
        free_solid(&solid[0]), free_solid(&solid[1]);
    }
    CHECK(deep > 200);
}

/* Boxes that overlap by a known depth along an axis, from nothing to all. */
static void test_boxes(void **state) {
    (void)state;
    static const double DEPTH[] = {1e-12, 1e-9, 1e-6, 0.01, 0.5, 0.999};
    for (int k = 0; k < 6; k++) {
        Pair p = {{shape_of(TAC_GEOM_BOX, 1, 2, 3), shape_of(TAC_GEOM_BOX, 0.5, 1, 1)},
                  {pose_at(0, 0, 0), pose_at(1.5 - DEPTH[k], 0.1, 0.2)}};
        tacCores c;
        tacEpa e = run(&p, EXACT, &c);
        CHECK_INT(e.status, TAC_EPA_DONE);
        CHECK_NEAR(e.lower, -DEPTH[k], TOL);
        CHECK_NEAR(e.n.x, 1, TOL);
        check_answer(&c, &e, TOL);
    }
}

/* --- Curved ------------------------------------------------------------------------------------------------------- */

/* A point inside a ball, a box, a cylinder: the nearest way out is known. */
static void test_curved(void **state) {
    (void)state;
    tacDraw d = {2, 0};
    static const tacGeomType TYPES[] = {TAC_GEOM_ELLIPSOID, TAC_GEOM_CYLINDER, TAC_GEOM_BOX};
    for (int k = 0; k < 600; k++) {
        Pair p = draw_pair(&d, TAC_GEOM_SPHERE, TYPES[k % 3], 0.2);
        p.pose[0] = p.pose[1];
        p.pose[0].p = tac_add3(p.pose[1].p, draw_vec3(&d, 0.05));
        tacTouch t[TAC_MAX_TOUCH];
        CHECK(touches_of(&p, HUGE_VAL, t) > 0);
        double dist = t[0].dist + p.shape[0].size.x;
        tacCores c;
        tacEpa e = run(&p, 1e-7, &c);
        if (dist > -1e-3) continue;
        CHECK_INT(e.status, TAC_EPA_DONE);
        CHECK(e.lower <= dist + TOL && dist <= e.upper + TOL);
        CHECK_LT(e.upper - e.lower, 1e-7);
        check_answer(&c, &e, TOL);
    }
}

/* Every direction is equally good: the polytope fills up, and the depth is right all the same. */
static void test_concentric(void **state) {
    (void)state;
    Pair p = {{shape_of(TAC_GEOM_ELLIPSOID, 1, 1, 1), shape_of(TAC_GEOM_ELLIPSOID, 2, 2, 2)},
              {pose_at(0, 0, 0), pose_at(0, 0, 0)}};
    tacCores c;
    tacEpa e = run(&p, 1e-7, &c);
    CHECK_INT(e.status, TAC_EPA_FULL);
    CHECK_NEAR(e.lower, -3, TOL);
    CHECK(e.upper >= e.lower && e.upper < -2.9);
    check_answer(&c, &e, TOL);
}

/* --- Without volume ----------------------------------------------------------------------------------------------- */

/* Two plates in one plane, two rods in one line, two points in one place: across them the distance is zero. */
static void test_flat(void **state) {
    (void)state;
    Pair plates = {{shape_of(TAC_GEOM_BOX, 1, 1, 0), shape_of(TAC_GEOM_BOX, 1, 1, 0)},
                   {pose_at(0, 0, 0), pose_at(0.5, 0.5, 0)}};
    Pair rods = {{shape_of(TAC_GEOM_CAPSULE, 0.1, 1, 0), shape_of(TAC_GEOM_CAPSULE, 0.1, 1, 0)},
                 {pose_at(0, 0, 0), pose_at(0, 0, 0.5)}};
    Pair points = {{shape_of(TAC_GEOM_SPHERE, 1, 0, 0), shape_of(TAC_GEOM_SPHERE, 1, 0, 0)},
                   {pose_at(1, 2, 3), pose_at(1, 2, 3)}};
    tacCores c;
    tacEpa e = run(&plates, EXACT, &c);
    CHECK_INT(e.status, TAC_EPA_FLAT);
    CHECK_NEAR(fabs(e.n.z), 1, TOL);
    CHECK_NEAR(e.lower, 0, TOL);
    check_answer(&c, &e, TOL);
    e = run(&rods, EXACT, &c);
    CHECK_INT(e.status, TAC_EPA_FLAT);
    CHECK_NEAR(e.n.z, 0, TOL);
    check_answer(&c, &e, TOL);
    e = run(&points, EXACT, &c);
    CHECK_INT(e.status, TAC_EPA_FLAT);
    CHECK_NEAR(e.n.z, 1, TOL); /* the documented direction */
    check_answer(&c, &e, TOL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polyhedra),  cmocka_unit_test(test_boxes), cmocka_unit_test(test_curved),
        cmocka_unit_test(test_concentric), cmocka_unit_test(test_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
