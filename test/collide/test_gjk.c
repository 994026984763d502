#include "collide/gjk.h"

#include "pair_checks.h"
#include "solids.h"

#include <math.h>
#include <string.h>

/* Of the simplex's extent from the origin. */
static const double TOL = 1e-13;
/* Of weights, of a simplex whose corners are near one another. */
static const double TOL_FLAT = 1e-9;
/* What straight cores are asked for. */
static const double GAP = 1e-14;

/* --- Simplices ---------------------------------------------------------------------------------------------------- */

static double largest(int n, const tacSupport *c) {
    double l = 0;
    for (int i = 0; i < n; i++)
        l = fmax(l, tac_norm3(c[i].w));
    return l;
}

/* v is in the simplex (weights are positive, sum to one, and make it) and no corner is on the near side of the plane
 * through v across v: by convexity v is the nearest point. */
static void check_simplex(int n, const tacSupport *given, double tol) {
    tacSupport c[4];
    double weight[4] = {0};
    tacVec3 v, sum = tac_zero3();
    double scale = largest(n, given), total = 0;
    memcpy(c, given, sizeof c);
    int kept = tac_simplex_nearest(n, HUGE_VAL, c, weight, &v);
    CHECK(kept >= 1 && kept <= n);
    if (kept == 4) {
        CHECK(tac_norm3(v) == 0);
        return;
    }
    for (int i = 0; i < kept; i++) {
        CHECK(weight[i] >= 0);
        total += weight[i], sum = tac_madd3(sum, weight[i], c[i].w);
    }
    CHECK_NEAR(total, 1, TOL);
    CHECK_LT(tac_norm3(tac_sub3(sum, v)), tol * scale);
    for (int i = 0; i < n; i++)
        CHECK(tac_dot3(v, given[i].w) >= tac_dot3(v, v) - tol * scale * tac_norm3(v));
}

static void draw_simplex(tacDraw *d, int n, tacVec3 about, double size, tacSupport *c) {
    memset(c, 0, 4 * sizeof *c);
    for (int i = 0; i < n; i++)
        c[i].w = tac_madd3(about, size, draw_vec3(d, 1));
}

static void test_simplices(void **state) {
    (void)state;
    tacDraw d = {1, 0};
    for (int k = 0; k < 20000; k++) {
        tacSupport c[4];
        int n = 1 + k % 4;
        draw_simplex(&d, n, draw_vec3(&d, 1), 1, c);
        check_simplex(n, c, TOL);
    }
}

/* Small and a thousand times its size away; corners that coincide; corners on a line or in a plane. */
static void test_bad_simplices(void **state) {
    (void)state;
    tacDraw d = {2, 0};
    for (int k = 0; k < 20000; k++) {
        tacSupport c[4];
        int n = 2 + k % 3, i = draw_int(&d, n), j = draw_int(&d, n);
        draw_simplex(&d, n, draw_vec3(&d, 1), pow(10, draw_uniform(&d, -3, 0)), c);
        check_simplex(n, c, TOL_FLAT);
        c[i].w = c[j].w;
        check_simplex(n, c, TOL_FLAT);
        for (int m = 0; m < n; m++)
            c[m].w.z = 0.5;
        check_simplex(n, c, TOL_FLAT);
        for (int m = 0; m < n; m++)
            c[m].w.y = k % 2;
        check_simplex(n, c, TOL_FLAT);
    }
}

static void test_simplex_around_origin(void **state) {
    (void)state;
    tacSupport c[4] = {{.w = {1, 1, 1}}, {.w = {-1, -1, 1}}, {.w = {-1, 1, -1}}, {.w = {1, -1, -1}}};
    double weight[4];
    tacVec3 v;
    CHECK_INT(tac_simplex_nearest(4, HUGE_VAL, c, weight, &v), 4);
    CHECK_INT(tac_simplex_nearest(3, 1e-3, c, weight, &v), 0); /* not near enough: nothing changes */
    CHECK(c[0].w.x == 1 && c[1].w.x == -1 && c[2].w.y == 1);
    CHECK_INT(tac_simplex_nearest(3, HUGE_VAL, c, weight, &v), 3);
    CHECK_NEAR(tac_norm3(v), 1 / sqrt(3), TOL);
}

/* --- Distance ----------------------------------------------------------------------------------------------------- */

static double least_along(const tacCores *c, tacVec3 n) {
    double least = HUGE_VAL;
    const tacHull *a = &c->shape[0]->hull, *b = &c->shape[1]->hull;
    for (int i = 0; i < a->nvert; i++)
        for (int j = 0; j < b->nvert; j++)
            least = fmin(least, tac_dot3(n, tac_sub3(tac_pose_point(&c->pose, b->vert[j]), a->vert[i])));
    return least;
}

/* Optimality by looking at every pair of corners: the points are in the bodies (weights of corners) and no pair of
 * corners is nearer along v. */
static void check_apart(const tacCores *c, const tacGjk *g) {
    tacVec3 x[2], n = tac_scale3(1 / g->upper, g->v);
    tac_gjk_points(g, x);
    for (int i = 0; i < g->n; i++) {
        const tacHull *a = &c->shape[0]->hull, *b = &c->shape[1]->hull;
        CHECK(tac_norm3(tac_sub3(g->corner[i].x[0], a->vert[g->corner[i].id[0]])) == 0);
        CHECK_LT(tac_norm3(tac_sub3(g->corner[i].x[1], tac_pose_point(&c->pose, b->vert[g->corner[i].id[1]]))), TOL);
    }
    CHECK_LT(tac_norm3(tac_sub3(tac_sub3(x[1], x[0]), g->v)), TOL);
    CHECK_NEAR(least_along(c, n), g->upper, 1e-12);
    CHECK_LT(g->upper - g->lower, 1e-12);
}

static void draw_solids(tacDraw *d, Solid solid[2]) {
    for (int i = 0; i < 2; i++)
        make_prism(&solid[i], 3 + draw_int(d, 12), draw_uniform(d, 0.1, 1), draw_uniform(d, 0.1, 1),
                   draw_uniform(d, 0.1, 1));
}

static void test_polyhedra(void **state) {
    (void)state;
    tacDraw d = {3, 0};
    int apart = 0, overlap = 0, most = 0;
    for (int k = 0; k < 3000; k++) {
        Solid solid[2];
        draw_solids(&d, solid);
        tacPose A = draw_pose(&d, 0.5), B = draw_pose(&d, 2);
        tacCores c = tac_cores(&solid[0].shape, &A, &solid[1].shape, &B);
        tacGjk g;
        tac_gjk_start(&c, NULL, &g);
        tac_gjk(&c, GAP, HUGE_VAL, &g);
        CHECK(g.status == TAC_GJK_APART || g.status == TAC_GJK_OVERLAP);
        apart += g.status == TAC_GJK_APART, overlap += g.status == TAC_GJK_OVERLAP;
        most = g.iterations > most ? g.iterations : most;
        if (g.status == TAC_GJK_APART) check_apart(&c, &g);
        free_solid(&solid[0]), free_solid(&solid[1]);
    }
    CHECK(apart > 1000 && overlap > 300 && most < 40);
}

/* One iteration when nothing has moved; the same distance when a little has. */
static void test_warm_start(void **state) {
    (void)state;
    tacDraw d = {4, 0};
    for (int k = 0; k < 300; k++) {
        Solid solid[2];
        draw_solids(&d, solid);
        tacPose A = draw_pose(&d, 0.1), B = draw_pose(&d, 1);
        B.p.x += 3;
        tacCores c = tac_cores(&solid[0].shape, &A, &solid[1].shape, &B);
        tacGjk cold, warm;
        tacPairCache cache = {.used = 0};
        tac_gjk_start(&c, NULL, &cold);
        tac_gjk(&c, GAP, HUGE_VAL, &cold);
        tac_gjk_store(&c, &cold, &cache);
        CHECK_INT(cache.used, cold.n);
        tac_gjk_start(&c, &cache, &warm);
        tac_gjk(&c, GAP, HUGE_VAL, &warm);
        CHECK_INT(warm.iterations, 1);
        CHECK_NEAR(warm.upper, cold.upper, TOL);
        B.p.y += 0.01;
        c = tac_cores(&solid[0].shape, &A, &solid[1].shape, &B);
        tac_gjk_start(&c, &cache, &warm);
        tac_gjk(&c, GAP, HUGE_VAL, &warm);
        check_apart(&c, &warm);
        free_solid(&solid[0]), free_solid(&solid[1]);
    }
}

/* Where a ball's core is a point, the distance from it to the other shape is known. */
static void test_curved(void **state) {
    (void)state;
    static const tacGeomType TYPES[] = {TAC_GEOM_BOX, TAC_GEOM_CYLINDER, TAC_GEOM_ELLIPSOID, TAC_GEOM_CAPSULE};
    tacDraw d = {5, 0};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 500; k++) {
            Pair p = draw_pair(&d, TAC_GEOM_SPHERE, TYPES[i], 2);
            tacTouch t[TAC_MAX_TOUCH];
            CHECK(touches_of(&p, HUGE_VAL, t) > 0);
            double dist = t[0].dist + p.shape[0].size.x + tac_shape_pad(&p.shape[1]);
            tacCores c = tac_cores(&p.shape[0], &p.pose[0], &p.shape[1], &p.pose[1]);
            tacGjk g;
            tac_gjk_start(&c, NULL, &g);
            for (double gap = 1e-2; gap > 1e-13; gap *= 0.01) { /* each goes on where the last ended */
                tac_gjk(&c, gap, HUGE_VAL, &g);
                if (dist < 1e-6) break;
                CHECK_INT(g.status, TAC_GJK_APART);
                CHECK(g.lower <= dist + TOL && dist <= g.upper + TOL);
                CHECK(g.upper - g.lower <= gap * g.upper + TOL);
            }
            if (dist < -1e-6) CHECK_INT(g.status, TAC_GJK_OVERLAP);
            if (dist > 1e-6) CHECK_NEAR(g.upper, dist, 1e-11);
        }
}

/* Beyond reach is said as soon as it is proved, and only when it is true. */
static void test_reach(void **state) {
    (void)state;
    tacDraw d = {6, 0};
    for (int k = 0; k < 1000; k++) {
        Solid solid[2];
        draw_solids(&d, solid);
        tacPose A = draw_pose(&d, 0.1), B = draw_pose(&d, 3);
        tacCores c = tac_cores(&solid[0].shape, &A, &solid[1].shape, &B);
        tacGjk all, some;
        tac_gjk_start(&c, NULL, &all);
        some = all;
        tac_gjk(&c, GAP, HUGE_VAL, &all);
        double reach = draw_uniform(&d, 0, 3);
        tac_gjk(&c, GAP, reach, &some);
        if (all.status == TAC_GJK_APART && fabs(all.upper - reach) > 1e-9)
            CHECK_INT(some.status == TAC_GJK_BEYOND, all.upper > reach);
        CHECK(some.iterations <= all.iterations);
        if (some.status == TAC_GJK_BEYOND) CHECK(some.lower > reach && some.lower <= all.upper + TOL);
        free_solid(&solid[0]), free_solid(&solid[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simplices),
        cmocka_unit_test(test_bad_simplices),
        cmocka_unit_test(test_simplex_around_origin),
        cmocka_unit_test(test_polyhedra),
        cmocka_unit_test(test_warm_start),
        cmocka_unit_test(test_curved),
        cmocka_unit_test(test_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
