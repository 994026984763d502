#include "collide/shape.h"

#include "pair_checks.h"
#include "solids.h"

#include <math.h>

/* Rounding of one product. */
static const double TOL = 1e-14;

/* How far x is outside a shape in its own frame; 0 on its surface. */
static double outside(const tacShape *s, tacVec3 x) {
    double flat = hypot(x.x, x.y);
    switch (s->type) {
    case TAC_GEOM_CAPSULE:
        return fmax(flat, fabs(x.z) - s->size.y);
    case TAC_GEOM_ELLIPSOID:
        return sqrt(pow(x.x / s->size.x, 2) + pow(x.y / s->size.y, 2) + pow(x.z / s->size.z, 2)) - 1;
    case TAC_GEOM_CYLINDER:
        return fmax(flat - s->size.x, fabs(x.z) - s->size.y);
    case TAC_GEOM_BOX:
        return fmax(fabs(x.x) - s->size.x, fmax(fabs(x.y) - s->size.y, fabs(x.z) - s->size.z));
    case TAC_GEOM_CONE:
        return fmax(flat - s->size.x * (s->size.y - x.z) / (2 * s->size.y), -s->size.y - x.z);
    default:
        return tac_norm3(x);
    }
}

/* A point inside: a random one drawn towards the origin until it is. */
static tacVec3 draw_inside(tacDraw *d, const tacShape *s) {
    tacVec3 x = tac_mul3(draw_vec3(d, 1), tac_vec3(1, 1, 1));
    if (s->type == TAC_GEOM_CONE) x.z -= 0.5 * s->size.y;
    for (int k = 0; k < 200 && outside(s, x) > 0; k++) {
        x = tac_scale3(0.9, x);
        if (s->type == TAC_GEOM_CONE) x.z -= 0.05 * s->size.y;
    }
    return x;
}

/* The point is one of the shape, and no other lies further. */
static void test_furthest(void **state) {
    (void)state;
    static const tacGeomType TYPES[] = {TAC_GEOM_SPHERE,   TAC_GEOM_CAPSULE, TAC_GEOM_ELLIPSOID,
                                        TAC_GEOM_CYLINDER, TAC_GEOM_BOX,     TAC_GEOM_CONE};
    tacDraw d = {1, 0};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 500; k++) {
            tacShape s = draw_round_shape(&d, TYPES[i]);
            int vertex = -1;
            tacVec3 n = draw_vec3(&d, pow(10, draw_uniform(&d, -9, 9)));
            if (k % 5 == 0) n = tac_vec3(k % 2 ? 0 : n.x, k % 3 ? 0 : n.y, n.z);
            tacVec3 x = tac_shape_support(&s, n, &vertex);
            CHECK_LT(fabs(outside(&s, x)), TOL * 10);
            for (int m = 0; m < 100; m++) {
                tacVec3 y = draw_inside(&d, &s);
                if (outside(&s, y) <= 0) CHECK(tac_dot3(n, y) <= tac_dot3(n, x) + TOL * tac_norm3(n));
            }
        }
}

/* From every corner to start from, climbing finds what looking at all corners finds. */
static void test_climbing(void **state) {
    (void)state;
    tacDraw d = {2, 0};
    for (int k = 0; k < 60; k++) {
        Solid solid;
        make_prism(&solid, 3 + draw_int(&d, 40), draw_uniform(&d, 0.2, 1), draw_uniform(&d, 0.2, 1),
                   draw_uniform(&d, 0.1, 1));
        const tacHull *h = &solid.shape.hull;
        for (int m = 0; m < 50; m++) {
            tacVec3 n = draw_vec3(&d, 1);
            if (m % 5 == 0) n = tac_vec3(0, 0, 1); /* a whole face is highest */
            double top = -HUGE_VAL;
            for (int i = 0; i < h->nvert; i++)
                top = fmax(top, tac_dot3(n, h->vert[i]));
            for (int start = -2; start <= h->nvert; start++) { /* from nothing, from nonsense, from each */
                int vertex = start;
                tacVec3 x = tac_shape_support(&solid.shape, n, &vertex);
                CHECK(vertex >= 0 && vertex < h->nvert);
                CHECK_NEAR(tac_dot3(n, x), top, TOL);
                CHECK(tac_norm3(tac_sub3(x, h->vert[vertex])) == 0);
            }
        }
        free_solid(&solid);
    }
}

/* The corner found is the one that is named. */
static void test_corners(void **state) {
    (void)state;
    tacShape box = shape_of(TAC_GEOM_BOX, 1, 2, 3), capsule = shape_of(TAC_GEOM_CAPSULE, 0.5, 2, 0);
    tacDraw d = {3, 0};
    for (int k = 0; k < 100; k++) {
        int vertex = -1;
        tacVec3 n = draw_vec3(&d, 1), x = tac_shape_support(&box, n, &vertex);
        CHECK(tac_norm3(tac_sub3(x, tac_shape_vertex(&box, vertex))) == 0);
        x = tac_shape_support(&capsule, n, &vertex);
        CHECK_INT(vertex, n.z > 0);
        CHECK(x.z == (n.z > 0 ? 2 : -2));
    }
}

/* Zero directions and sizes: a point of the shape, not a NaN. */
static void test_without_direction(void **state) {
    (void)state;
    static const tacGeomType TYPES[] = {TAC_GEOM_SPHERE, TAC_GEOM_CAPSULE, TAC_GEOM_ELLIPSOID, TAC_GEOM_CYLINDER,
                                        TAC_GEOM_BOX,    TAC_GEOM_CONE,    TAC_GEOM_MESH};
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 8; k++) {
            tacShape s = shape_of(TYPES[i], k & 1, k & 2, k & 4);
            int vertex = 0;
            tacVec3 x = tac_shape_support(&s, tac_zero3(), &vertex);
            CHECK(tac_finite(tac_norm3(x)));
            x = tac_shape_support(&s, tac_vec3(0, 0, 1), &vertex);
            CHECK(tac_finite(tac_norm3(x)));
            if (TYPES[i] != TAC_GEOM_SPHERE && TYPES[i] != TAC_GEOM_MESH)
                CHECK_NEAR(x.z, TYPES[i] == TAC_GEOM_BOX || TYPES[i] == TAC_GEOM_ELLIPSOID ? s.size.z : s.size.y, 0);
        }
}

/* Bounds touch the shape on all six sides. */
static void test_bounds(void **state) {
    (void)state;
    static const tacGeomType TYPES[] = {TAC_GEOM_SPHERE,   TAC_GEOM_CAPSULE, TAC_GEOM_ELLIPSOID,
                                        TAC_GEOM_CYLINDER, TAC_GEOM_BOX,     TAC_GEOM_CONE};
    tacDraw d = {4, 0};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 100; k++) {
            Pair p = draw_pair(&d, TYPES[i], TYPES[i], 1);
            tacVec3 low, high;
            tac_shape_bounds(&p.shape[0], &p.pose[0], &low, &high);
            for (int axis = 0; axis < 3; axis++) {
                const double *row = p.pose[0].R.m + 3 * (size_t)axis;
                tacVec3 n = tac_load3(row);
                int vertex = 0;
                double pad = tac_shape_pad(&p.shape[0]), at = tac_get3(p.pose[0].p, axis);
                double up = tac_dot3(n, tac_shape_support(&p.shape[0], n, &vertex)) + pad;
                double down = tac_dot3(n, tac_shape_support(&p.shape[0], tac_neg3(n), &vertex)) - pad;
                CHECK_NEAR(tac_get3(high, axis), at + up, TOL * 10);
                CHECK_NEAR(tac_get3(low, axis), at + down, TOL * 10);
                CHECK(up <= tac_shape_radius(&p.shape[0]) + TOL * 10);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_furthest),          cmocka_unit_test(test_climbing), cmocka_unit_test(test_corners),
        cmocka_unit_test(test_without_direction), cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
