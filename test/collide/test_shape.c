#include "collide/shape.h"

#include "pair_checks.h"
#include "solids.h"

#include <math.h>

/* Rounding of a few products. */
static const double TOL = 1e-13;

static double local_extent(const tacShape *s, tacVec3 d) {
    Pair p = {{*s, shape_of(TAC_GEOM_SPHERE, 0, 0, 0)}, {pose_at(0, 0, 0), pose_at(0, 0, 0)}};
    return -gap_along(&p, d); /* the support function of s: the other shape is a point */
}

/* --- Boxes and meshes --------------------------------------------------------------------------------------------- */

/* Loops are plane, convex and counter-clockwise; each directed edge has one face to its left, the one it is said to
 * have; neighbours turn counter-clockwise; corners, edges and faces are those of a sphere. */
static void check_polyhedron(const tacShape *s, double tol) {
    int nedge = 0, nloop = 0;
    for (int f = 0; f < tac_shape_nface(s); f++) {
        const int *loop;
        int n = tac_shape_loop(s, f, &loop);
        tacVec3 normal = tac_shape_face_normal(s, f), first = tac_shape_vertex(s, loop[0]);
        CHECK(n >= 3);
        CHECK_NEAR(tac_norm3(normal), 1, TOL);
        CHECK_NEAR(local_extent(s, normal), tac_dot3(normal, first), tol);
        for (int k = 0; k < n; k++) {
            tacVec3 a = tac_shape_vertex(s, loop[k]), b = tac_shape_vertex(s, loop[(k + 1) % n]);
            tacVec3 c = tac_shape_vertex(s, loop[(k + 2) % n]);
            CHECK(loop[k] >= loop[0]);
            CHECK_NEAR(tac_dot3(normal, tac_sub3(a, first)), 0, tol);
            CHECK(tac_dot3(normal, tac_cross3(tac_sub3(b, a), tac_sub3(c, b))) > 0);
        }
        nloop += n;
    }
    for (int v = 0; v < tac_shape_nvert(s); v++) {
        const int *to, *face = tac_shape_faces(s, v);
        int n = tac_shape_neighbours(s, v, &to);
        for (int k = 0; k < n; k++) {
            const int *loop;
            int m = tac_shape_loop(s, face[k], &loop), at = -1;
            for (int i = 0; i < m; i++)
                if (loop[i] == v) at = i;
            CHECK(at >= 0 && loop[(at + 1) % m] == to[k]);
            CHECK_INT(loop[(at + m - 1) % m], to[(k + 1) % n]); /* across the face: the next neighbour */
            CHECK(to[k] >= to[0]);
        }
        nedge += n;
    }
    CHECK_INT(nedge, nloop);
    CHECK_INT(tac_shape_nvert(s) - nedge / 2 + tac_shape_nface(s), 2);
}

static void boxes(void **state) {
    (void)state;
    tacShape s = shape_of(TAC_GEOM_BOX, 0.5, 1, 2);
    check_polyhedron(&s, TOL);
    CHECK_INT(tac_shape_nvert(&s), 8);
    for (int i = 0; i < 8; i++) {
        tacVec3 v = tac_shape_vertex(&s, i);
        CHECK_NEAR(v.x, i & 1 ? 0.5 : -0.5, 0);
        CHECK_NEAR(v.y, i & 2 ? 1 : -1, 0);
        CHECK_NEAR(v.z, i & 4 ? 2 : -2, 0);
    }
    for (int f = 0; f < 6; f++) {
        tacVec3 n = tac_shape_face_normal(&s, f);
        CHECK_NEAR(tac_get3(n, f / 2), f % 2 ? 1 : -1, 0);
    }
}

static void prisms(void **state) {
    (void)state;
    for (int sides = 3; sides <= 20; sides++) {
        Solid s;
        make_prism(&s, sides, 1, 0.7, 0.5);
        CHECK_INT(s.hull.npolygon, sides + 2); /* triangles of a face are one polygon */
        CHECK_INT(s.hull.ncorner, 2 * sides);
        check_polyhedron(&s.shape, TOL);
        place_solid(&s, tac_vec3(3, 0.1, 2), tac_vec3(1, -2, 0.3)); /* an affine map keeps all that */
        check_polyhedron(&s.shape, 10 * TOL);
        free_solid(&s);
    }
}

/* --- Extent ------------------------------------------------------------------------------------------------------- */

static void check_extent(const tacShape *s, tacDraw *d) {
    for (int i = 0; i < 20; i++) {
        tacPose pose = draw_pose(d, 2);
        tacVec3 low, high;
        tac_shape_bounds(s, &pose, &low, &high);
        for (int k = 0; k < 3; k++) {
            tacVec3 axis = tac_vec3(k == 0, k == 1, k == 2), in_shape = tac_mulmtv3(pose.R, axis);
            CHECK_NEAR(tac_get3(high, k), tac_get3(pose.p, k) + local_extent(s, in_shape), TOL);
            CHECK_NEAR(tac_get3(low, k), tac_get3(pose.p, k) - local_extent(s, tac_neg3(in_shape)), TOL);
        }
    }
    double radius = tac_shape_radius(s), most = 0;
    for (int i = 0; i < 20000; i++) {
        tacVec3 n = tac_vec3(draw_normal(d), draw_normal(d), draw_normal(d));
        most = fmax(most, local_extent(s, tac_scale3(1 / tac_norm3(n), n)));
    }
    CHECK(most <= radius + TOL);
    CHECK(most > 0.97 * radius); /* and no larger than it need be */
}

static void extents(void **state) {
    (void)state;
    tacDraw d = {8, 0};
    const tacGeomType types[] = {TAC_GEOM_SPHERE,   TAC_GEOM_CAPSULE, TAC_GEOM_ELLIPSOID,
                                 TAC_GEOM_CYLINDER, TAC_GEOM_BOX,     TAC_GEOM_CONE};
    for (int i = 0; i < 6; i++) {
        tacShape s = draw_round_shape(&d, types[i]);
        check_extent(&s, &d);
        CHECK_NEAR(tac_shape_pad(&s), i < 2 ? s.size.x : 0, 0);
    }
    Solid s;
    make_prism(&s, 7, 0.5, 0.4, 0.3);
    check_extent(&s.shape, &d);
    free_solid(&s);
}

/* A plane's bounds end where its normal is a coordinate axis. */
static void planes(void **state) {
    (void)state;
    tacShape s = shape_of(TAC_GEOM_PLANE, 0, 0, 0);
    tacPose pose = pose_at(1, 2, 3);
    tacVec3 low, high;
    tac_shape_bounds(&s, &pose, &low, &high);
    CHECK(low.x == -HUGE_VAL && low.z == -HUGE_VAL && high.y == HUGE_VAL && high.z == 3);
    pose.R = (tacMat3){{1, 0, 0, 0, -1, 0, 0, 0, -1}}; /* upside down */
    tac_shape_bounds(&s, &pose, &low, &high);
    CHECK(low.z == 3 && high.z == HUGE_VAL && high.x == HUGE_VAL);
    pose = pose_turned(tac_vec3(0, 0, 0), tac_vec3(0.3, 0, 0));
    tac_shape_bounds(&s, &pose, &low, &high);
    CHECK(low.z == -HUGE_VAL && high.z == HUGE_VAL);
    CHECK(tac_shape_radius(&s) == HUGE_VAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes), cmocka_unit_test(prisms), cmocka_unit_test(extents),
                                       cmocka_unit_test(planes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
