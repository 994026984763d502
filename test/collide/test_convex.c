#include "collide/convex.h"

#include "collide/pairs.h"
#include "pair_checks.h"
#include "solids.h"

#include <math.h>
#include <string.h>

/* Of the shapes' size. Newton ends at rounding; features that tie (nearest.c) differ by 1e-10 times the distance. */
static const double TOL = 1e-9;
/* Of features that are parallel but for a small tilt. */
static const double TOL_ALIGNED = 1e-8;
/* Where shapes touch along a whole circle, or from all sides, no pair of points is singled out: the search's own answer
 * stands, and says so by a margin of 0. 256 corners of a polytope are good for this. */
static const double TOL_SEARCH = 2e-5;
/* Shapes without volume, whose touches are found by bounds alone. */
static const double TOL_FLAT = 1e-7;
/* Of the largest size, for needles and plates of one to a million. */
static const double TOL_NEEDLE = 1e-7;
/* Against closed forms. */
static const double TOL_SAME = 1e-11;

static const tacGeomType TYPES[] = {TAC_GEOM_SPHERE, TAC_GEOM_CAPSULE, TAC_GEOM_ELLIPSOID, TAC_GEOM_CYLINDER,
                                    TAC_GEOM_BOX,    TAC_GEOM_MESH,    TAC_GEOM_CONE};
enum { NTYPE = 7 };

static tacShape draw_any(tacDraw *d, tacGeomType type, Solid *solid) {
    if (type != TAC_GEOM_MESH) return draw_round_shape(d, type);
    make_prism(solid, 3 + draw_int(d, 10), draw_uniform(d, 0.2, 1), draw_uniform(d, 0.2, 1), draw_uniform(d, 0.2, 1));
    place_solid(solid, tac_vec3(draw_uniform(d, 0.5, 1), 1, 1), draw_vec3(d, 0.1));
    return solid->shape;
}

/* One pair by the general method, whatever the table says. */
static int find(const Pair *p, double reach, tacPairCache *cache, tacTouch *t) {
    return tac_convex_nearest(&p->shape[0], &p->pose[0], &p->shape[1], &p->pose[1], reach, cache, t);
}

/* What may be asked of a touch. */
static double tolerance_of(const Pair *p, const tacTouch *t, double tol) {
    return t->margin > 0 ? tol : tac_max(tol, TOL_SEARCH * pair_size(p));
}

/* The touch is one of its features, on both surfaces, and along its normal the shapes are `dist` apart: together with
 * check_best that makes it the signed distance. */
static tacTouch check_nearest(const Pair *p, double tol) {
    tacTouch t;
    CHECK_INT(find(p, HUGE_VAL, NULL, &t), 1);
    tol = tolerance_of(p, &t, tol);
    check_touch(p, &t, tol);
    CHECK_NEAR(gap_along(p, t.normal), t.dist, tol);
    return t;
}
/* No other direction has more. */
static void check_best(const Pair *p, const tacTouch *t, tacDraw *d, double tol) {
    CHECK_LT(greatest_gap(p, d, 20), t->dist + tolerance_of(p, t, tol));
}
/* Exchanging the shapes, and moving both. */
static void check_moved(const Pair *p, const tacTouch *t, tacDraw *d, double tol) {
    Pair q = {{p->shape[1], p->shape[0]}, {p->pose[1], p->pose[0]}};
    tacPose by = draw_pose(d, 2);
    tacTouch other;
    CHECK_INT(find(&q, HUGE_VAL, NULL, &other), 1);
    CHECK_NEAR(other.dist, t->dist, tac_max(tolerance_of(p, t, tol), tolerance_of(p, &other, tol)));
    for (int k = 0; k < 2; k++)
        q.pose[k] = (tacPose){tac_pose_point(&by, q.pose[k].p), tac_mulmm3(by.R, q.pose[k].R)};
    CHECK_INT(find(&q, HUGE_VAL, NULL, &other), 1);
    CHECK_NEAR(other.dist, t->dist, tac_max(tolerance_of(p, t, tol), tolerance_of(p, &other, tol)));
    if (t->margin > 1e-3) CHECK_LT(tac_norm3(tac_add3(other.normal, tac_mulmv3(by.R, t->normal))), 1e-6);
}
static void check_reach(const Pair *p, const tacTouch *t, double tol) {
    tacTouch other;
    CHECK_INT(find(p, t->dist - tol, NULL, &other), 0);
    CHECK_INT(find(p, t->dist + tol, NULL, &other), 1);
    CHECK(memcmp(&other, t, sizeof other) == 0);
}

/* --- Random pairs ------------------------------------------------------------------------------------------------- */

static void test_random(void **state) {
    (void)state;
    tacDraw d = {3, 0};
    for (int i = 0; i < NTYPE; i++)
        for (int j = i; j < NTYPE; j++) {
            int overlaps = 0, sure = 0;
            for (int k = 0; k < 300; k++) {
                Solid solid[2] = {{.nvert = 0}, {.nvert = 0}};
                Pair p = {{draw_any(&d, TYPES[i], &solid[0]), draw_any(&d, TYPES[j], &solid[1])}, {pose_at(0, 0, 0)}};
                p.pose[0] = draw_pose(&d, 0.5), p.pose[1] = draw_pose(&d, 1.6);
                double tol = TOL * pair_size(&p);
                tacTouch t = check_nearest(&p, tol);
                if (k % 10 == 0) check_best(&p, &t, &d, tol);
                check_moved(&p, &t, &d, tol);
                check_reach(&p, &t, tol);
                overlaps += t.dist<0, sure += t.margin> 0;
                free_solid(&solid[0]), free_solid(&solid[1]);
            }
            CHECK(overlaps > 30 && overlaps < 270);
            CHECK(sure > 280);
        }
}

/* The general method on pairs that have closed forms. */
static void test_closed_forms(void **state) {
    (void)state;
    static const tacGeomType A[] = {TAC_GEOM_SPHERE, TAC_GEOM_SPHERE,  TAC_GEOM_SPHERE,  TAC_GEOM_SPHERE,
                                    TAC_GEOM_SPHERE, TAC_GEOM_CAPSULE, TAC_GEOM_CAPSULE, TAC_GEOM_BOX};
    static const tacGeomType B[] = {TAC_GEOM_SPHERE, TAC_GEOM_CAPSULE, TAC_GEOM_ELLIPSOID, TAC_GEOM_CYLINDER,
                                    TAC_GEOM_BOX,    TAC_GEOM_CAPSULE, TAC_GEOM_BOX,       TAC_GEOM_BOX};
    tacDraw d = {4, 0};
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 1000; k++) {
            Pair p = draw_pair(&d, A[i], B[i], 1.6);
            tacTouch closed[TAC_MAX_TOUCH], general;
            double tol = TOL_SAME * pair_size(&p);
            CHECK(touches_of(&p, HUGE_VAL, closed) > 0);
            CHECK_INT(find(&p, HUGE_VAL, NULL, &general), 1);
            CHECK_NEAR(general.dist, closed[0].dist, tol);
            if (!(closed[0].margin > 1e-6)) continue; /* another normal is as good */
            CHECK_LT(tac_norm3(tac_sub3(general.normal, closed[0].normal)), 1e-6);
            if (closed[0].feature[0].kind == general.feature[0].kind) CHECK_NEAR(general.dist, closed[0].dist, tol);
        }
}

/* --- Flat on flat ------------------------------------------------------------------------------------------------- */

/* Multiples of quarter turns, shifts by multiples of a quarter, and a tilt of any size or none. */
static tacPose draw_aligned_pose(tacDraw *d) {
    const double quarter = 1.5707963267948966;
    tacVec3 turn = {quarter * draw_int(d, 4), 0, 0}, yaw = {0, 0, quarter * draw_int(d, 4)};
    double tilt = draw_int(d, 2) ? 0 : pow(10, draw_uniform(d, -17, 0));
    tacQuat q = tac_quat_mul(tac_quat_exp(tac_scale3(tilt, draw_vec3(d, 1))),
                             tac_quat_mul(tac_quat_exp(yaw), tac_quat_exp(turn)));
    return (tacPose){tac_vec3(0.25 * draw_int(d, 9) - 1, 0.25 * draw_int(d, 9) - 1, 0.25 * draw_int(d, 9) - 1),
                     tac_quat_mat(q)};
}

static tacShape draw_plain(tacDraw *d, tacGeomType type, Solid *solid) {
    double x = 0.25 * (1 + draw_int(d, 3)), y = 0.25 * (1 + draw_int(d, 3)), z = 0.25 * (1 + draw_int(d, 3));
    if (type != TAC_GEOM_MESH) return shape_of(type, x, y, z);
    make_prism(solid, draw_int(d, 2) ? 4 : 6, x, x, y);
    return solid->shape;
}

/* Faces, edges, axes and rims that are parallel, coplanar or concentric: the distance is right whichever feature is
 * taken. */
static void test_aligned(void **state) {
    (void)state;
    tacDraw d = {5, 0};
    for (int i = 0; i < NTYPE; i++)
        for (int j = i; j < NTYPE; j++)
            for (int k = 0; k < 800; k++) {
                Solid solid[2] = {{.nvert = 0}, {.nvert = 0}};
                Pair p = {{draw_plain(&d, TYPES[i], &solid[0]), draw_plain(&d, TYPES[j], &solid[1])},
                          {draw_aligned_pose(&d), draw_aligned_pose(&d)}};
                double tol = TOL_ALIGNED * pair_size(&p);
                tacTouch t = check_nearest(&p, tol);
                check_moved(&p, &t, &d, tol);
                if (k % 20 == 0) check_best(&p, &t, &d, tol);
                free_solid(&solid[0]), free_solid(&solid[1]);
            }
}

/* A cylinder of radius r and half-length h standing on a box of half-size 1, its axis over x, y. */
static void expect_standing(double r, double x, double y, double dist) {
    Pair p = {{shape_of(TAC_GEOM_CYLINDER, r, 0.5, 0), shape_of(TAC_GEOM_BOX, 1, 1, 1)},
              {pose_at(x, y, 1.5 + dist), pose_at(0, 0, 0)}};
    tacTouch t = check_nearest(&p, TOL);
    CHECK_NEAR(t.dist, dist, TOL_SAME);
    CHECK_NEAR(t.normal.z, -1, TOL_SAME);
}
static void test_standing(void **state) {
    (void)state;
    static const double DIST[] = {0.5, 1e-3, 1e-9, 0, -1e-9, -1e-3, -0.1};
    for (int i = 0; i < 7; i++) {
        expect_standing(0.4, 0, 0, DIST[i]);      /* on the face */
        expect_standing(0.4, 0.3, -0.2, DIST[i]); /* beside its middle */
        expect_standing(0.4, 1.1, 0, DIST[i]);    /* over an edge, the axis outside */
        expect_standing(0.4, -0.9, 0.9, DIST[i]); /* over a corner */
        expect_standing(3, 0.5, 0, DIST[i]);      /* the box inside the rim */
        expect_standing(1.2, 0, 0, DIST[i]);      /* the rim crosses every edge */
        expect_standing(1.2, -1.8, 0, DIST[i]);
    }
}

/* --- History ------------------------------------------------------------------------------------------------------ */

/* Along a motion, what the frames before left in the cache changes no bit. */
static void test_cold_and_warm(void **state) {
    (void)state;
    tacDraw d = {6, 0};
    for (int i = 0; i < NTYPE; i++)
        for (int j = 0; j < NTYPE; j++) {
            Solid solid[2] = {{.nvert = 0}, {.nvert = 0}};
            Pair p = {{draw_any(&d, TYPES[i], &solid[0]), draw_any(&d, TYPES[j], &solid[1])}, {pose_at(0, 0, 0)}};
            tacPairCache cache = {.used = 0};
            tacVec3 way = draw_vec3(&d, 1), turn = draw_vec3(&d, 1);
            for (int k = 0; k < 200; k++) {
                double s = 0.01 * k - 1;
                p.pose[1] = pose_turned(tac_scale3(1.5 * s, way), tac_scale3(3 * s, turn));
                if (k % 7 == 3) p.pose[1] = draw_aligned_pose(&d);
                tacTouch cold, warm;
                CHECK_INT(find(&p, HUGE_VAL, NULL, &cold), 1);
                CHECK_INT(find(&p, HUGE_VAL, &cache, &warm), 1);
                CHECK_NEAR(warm.dist, cold.dist, 0);
                CHECK(memcmp(&cold, &warm, sizeof cold) == 0);
                cache.vertex[k % 2][k % 3] += k % 11 == 0; /* not even a wrong one */
            }
            free_solid(&solid[0]), free_solid(&solid[1]);
        }
}

/* --- Large, small, far, without extent ---------------------------------------------------------------------------- */

/* Both a million away, and the pair a million times larger or smaller. */
static void test_far_and_scaled(void **state) {
    (void)state;
    tacDraw d = {7, 0};
    for (int k = 0; k < 1000; k++) {
        tacGeomType a = TYPES[draw_int(&d, NTYPE)], b = TYPES[draw_int(&d, NTYPE)];
        if (a == TAC_GEOM_MESH || b == TAC_GEOM_MESH) continue;
        Pair p = draw_pair(&d, a, b, 1.6), q = p;
        tacTouch t, far;
        CHECK_INT(find(&p, HUGE_VAL, NULL, &t), 1);
        tacVec3 shift = {1048576, -524288, 2097152}; /* positions lose 21 bits and no more */
        for (int i = 0; i < 2; i++)
            q.pose[i].p = tac_add3(p.pose[i].p, shift);
        CHECK_INT(find(&q, HUGE_VAL, NULL, &far), 1);
        CHECK_NEAR(far.dist, t.dist, 2e-9);
        static const double SCALE[] = {1e6, 1e-6};
        for (int i = 0; i < 2; i++) {
            for (int m = 0; m < 2; m++)
                q.pose[m].p = tac_scale3(SCALE[i], p.pose[m].p),
                q.shape[m].size = tac_scale3(SCALE[i], p.shape[m].size);
            CHECK_INT(find(&q, HUGE_VAL, NULL, &far), 1);
            CHECK_NEAR(far.dist / SCALE[i], t.dist, TOL);
        }
    }
}

/* Small shapes 1e6 apart. */
static void test_far_apart(void **state) {
    (void)state;
    tacDraw d = {8, 0};
    for (int i = 0; i < NTYPE; i++)
        for (int j = 0; j < NTYPE; j++) {
            Solid solid[2] = {{.nvert = 0}, {.nvert = 0}};
            Pair p = {{draw_any(&d, TYPES[i], &solid[0]), draw_any(&d, TYPES[j], &solid[1])}, {draw_pose(&d, 1)}};
            p.pose[1] = draw_pose(&d, 1e6);
            tacTouch t = check_nearest(&p, 1e-8);
            CHECK_NEAR(t.dist, tac_norm3(tac_sub3(p.pose[1].p, p.pose[0].p)), 5);
            free_solid(&solid[0]), free_solid(&solid[1]);
        }
}

/* Sizes of zero make points, segments, discs and plates. The touch is finite, consistent, and right along its
 * normal. */
static void test_without_extent(void **state) {
    (void)state;
    tacDraw d = {9, 0};
    for (int k = 0; k < 20000; k++) {
        tacGeomType a = TYPES[draw_int(&d, NTYPE)], b = TYPES[draw_int(&d, NTYPE)];
        if (a == TAC_GEOM_MESH || b == TAC_GEOM_MESH) continue;
        Pair p = draw_pair(&d, a, b, 1);
        for (int i = 0; i < 2; i++) {
            int zero = draw_int(&d, 8);
            tacVec3 *s = &p.shape[i].size;
            *s = tac_vec3(zero & 1 ? 0 : s->x, zero & 2 ? 0 : s->y, zero & 4 ? 0 : s->z);
        }
        if (draw_int(&d, 2)) p.pose[0] = draw_aligned_pose(&d), p.pose[1] = draw_aligned_pose(&d);
        if (draw_int(&d, 4) == 0) p.pose[1].p = p.pose[0].p;
        tacTouch t;
        CHECK_INT(find(&p, HUGE_VAL, NULL, &t), 1);
        CHECK(tac_finite(t.dist) && t.margin >= 0);
        CHECK_NEAR(tac_norm3(t.normal), 1, 1e-14);
        CHECK_LT(tac_norm3(tac_sub3(t.point[1], tac_madd3(t.point[0], t.dist, t.normal))), 1e-12);
        CHECK_NEAR(gap_along(&p, t.normal), t.dist, TOL_FLAT);
    }
}

/* A mesh without corners touches nothing. */
static void test_nothing(void **state) {
    (void)state;
    Pair p = {{shape_of(TAC_GEOM_BOX, 1, 1, 1), {.type = TAC_GEOM_MESH}}, {pose_at(0, 0, 0), pose_at(0, 0, 0)}};
    tacTouch t[TAC_MAX_TOUCH];
    CHECK_INT(find(&p, HUGE_VAL, NULL, t), 0);
    CHECK_INT(touches_of(&p, HUGE_VAL, t), 0);
}

/* Nothing hangs, nothing is not a number: sizes over twelve decades, poses apart, nested, in one place. */
static void test_stress(void **state) {
    (void)state;
    tacDraw d = {10, 0};
    for (int k = 0; k < 30000; k++) {
        tacGeomType a = TYPES[draw_int(&d, NTYPE)], b = TYPES[draw_int(&d, NTYPE)];
        if (a == TAC_GEOM_MESH || b == TAC_GEOM_MESH) continue;
        Pair p = draw_pair(&d, a, b, pow(10, draw_uniform(&d, -6, 3)));
        double largest = 0;
        for (int i = 0; i < 2; i++) {
            p.shape[i].size =
                tac_mul3(p.shape[i].size, tac_vec3(pow(10, draw_uniform(&d, -6, 3)), pow(10, draw_uniform(&d, -6, 3)),
                                                   pow(10, draw_uniform(&d, -6, 3))));
            largest = fmax(largest, tac_norm3(p.shape[i].size) + tac_norm3(p.pose[i].p));
        }
        tacTouch t;
        CHECK_INT(find(&p, HUGE_VAL, NULL, &t), 1);
        CHECK(tac_finite(t.dist) && tac_finite(tac_norm3(t.point[0])) && tac_finite(tac_norm3(t.point[1])));
        CHECK_NEAR(tac_norm3(t.normal), 1, 1e-14);
        CHECK_NEAR(gap_along(&p, t.normal), t.dist, TOL_NEEDLE * largest);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),    cmocka_unit_test(test_closed_forms),   cmocka_unit_test(test_aligned),
        cmocka_unit_test(test_standing),  cmocka_unit_test(test_cold_and_warm),  cmocka_unit_test(test_far_and_scaled),
        cmocka_unit_test(test_far_apart), cmocka_unit_test(test_without_extent), cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_stress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
