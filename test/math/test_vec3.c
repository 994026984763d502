#include "math/vec3.h"
#include "support/check.h"
#include "support/draw.h"

#define TOL 1e-14

enum { TRIALS = 100 };

static tacMat3 draw_mat3(tacDraw *d) {
    tacMat3 A;
    draw_array(d, 9, A.m);
    return A;
}

static tacMat3 full(tacSym3 S) { return (tacMat3){{S.xx, S.xy, S.xz, S.xy, S.yy, S.yz, S.xz, S.yz, S.zz}}; }

static void closed_forms(void **state) {
    (void)state;
    tacVec3 x = {1, 0, 0}, y = {0, 1, 0}, a = {1, 2, 3}, b = {4, -5, 6};
    CHECK(tac_cross3(x, y).z == 1);
    CHECK(tac_dot3(a, b) == 12);
    CHECK(tac_norm3((tacVec3){2, 3, 6}) == 7);
    tacVec3 cross = tac_cross3(a, b), expected = {27, 6, -13};
    CHECK_ARRAY(3, &cross, &expected, 0);
    tacVec3 sum = tac_sub3(tac_add3(a, b), tac_scale3(2, tac_neg3(a))), other = tac_madd3(b, 3, a);
    CHECK_ARRAY(3, &sum, &other, 0);
    tacVec3 product = tac_mul3(a, b), each = {4, -10, 18};
    CHECK_ARRAY(3, &product, &each, 0);
    CHECK(tac_get3(b, 0) == 4 && tac_get3(b, 1) == -5 && tac_get3(b, 2) == 6);
    double p[3];
    tac_store3(p, b);
    tacVec3 loaded = tac_load3(p);
    CHECK_ARRAY(3, &loaded, &b, 0);
    tacVec3 zero = tac_zero3(), made = tac_vec3(4, -5, 6);
    CHECK(zero.x == 0 && zero.y == 0 && zero.z == 0);
    CHECK_ARRAY(3, &made, &b, 0);
}

/* Products against sums written out by index. */
static void matrix_products(void **state) {
    (void)state;
    tacDraw d = {1, 0};
    for (int t = 0; t < TRIALS; t++) {
        tacMat3 A = draw_mat3(&d), B = draw_mat3(&d), AB = tac_mulmm3(A, B), At = tac_transpose3(A);
        tacVec3 x = draw_vec3(&d, 1), Ax = tac_mulmv3(A, x), Atx = tac_mulmtv3(A, x), other = tac_mulmv3(At, x);
        const double *v = &x.x;
        for (int i = 0; i < 3; i++) {
            double row = 0;
            for (int j = 0; j < 3; j++) {
                double entry = 0;
                for (int k = 0; k < 3; k++)
                    entry += A.m[3 * i + k] * B.m[3 * k + j];
                CHECK_NEAR(AB.m[3 * i + j], entry, TOL);
                CHECK(At.m[3 * j + i] == A.m[3 * i + j]);
                row += A.m[3 * i + j] * v[j];
            }
            CHECK_NEAR(tac_get3(Ax, i), row, TOL);
        }
        CHECK_ARRAY(3, &Atx, &other, TOL);
    }
}

static void symmetric_matrices(void **state) {
    (void)state;
    tacDraw d = {2, 0};
    for (int t = 0; t < TRIALS; t++) {
        tacSym3 S, T;
        draw_array(&d, 6, &S.xx);
        draw_array(&d, 6, &T.xx);
        tacVec3 x = draw_vec3(&d, 1), Sx = tac_mulsv3(S, x), other = tac_mulmv3(full(S), x);
        CHECK_ARRAY(3, &Sx, &other, TOL);
        tacMat3 R = draw_mat3(&d), RSRt = tac_mulmm3(tac_mulmm3(R, full(S)), tac_transpose3(R));
        tacMat3 rotated = full(tac_rotatesym3(R, S));
        CHECK_ARRAY(9, rotated.m, RSRt.m, TOL);
        tacMat3 sum = full(tac_addsym3(S, tac_scalesym3(2, T)));
        for (int i = 0; i < 9; i++)
            CHECK_NEAR(sum.m[i], full(S).m[i] + 2 * full(T).m[i], TOL);
    }
}

/* A point mass: I w = m r x (w x r). */
static void point_mass(void **state) {
    (void)state;
    tacDraw d = {3, 0};
    for (int t = 0; t < TRIALS; t++) {
        tacVec3 r = draw_vec3(&d, 2), w = draw_vec3(&d, 2);
        tacVec3 Iw = tac_mulsv3(tac_pointsym3(1.5, r), w), expected = tac_scale3(1.5, tac_cross3(r, tac_cross3(w, r)));
        CHECK_ARRAY(3, &Iw, &expected, TOL);
    }
}

/* The product rule against a central difference of a quadratic, which is exact; a turn against the commutator of full
 * matrices. */
static void changes_of_inertias(void **state) {
    (void)state;
    tacDraw d = {4, 0};
    for (int t = 0; t < TRIALS; t++) {
        tacVec3 r = draw_vec3(&d, 2), dr = draw_vec3(&d, 2), w = draw_vec3(&d, 2);
        tacSym3 fixed = tac_pointsym3_jvp(1.5, r, 0, dr);
        tacSym3 ahead = tac_pointsym3(1.5, tac_add3(r, dr)), behind = tac_pointsym3(1.5, tac_sub3(r, dr));
        tacSym3 central = tac_scalesym3(0.5, tac_addsym3(ahead, tac_scalesym3(-1, behind)));
        CHECK_ARRAY(6, &fixed, &central, TOL);
        tacSym3 heavier = tac_pointsym3_jvp(1.5, r, 0.7, tac_zero3()), S = tac_pointsym3(0.7, r);
        CHECK_ARRAY(6, &heavier, &S, TOL);
        tacSym3 own = {r.x, r.y, r.z, dr.x, dr.y, dr.z};
        tacMat3 W = {{0, -w.z, w.y, w.z, 0, -w.x, -w.y, w.x, 0}}, WS = tac_mulmm3(W, full(own)),
                SW = tac_mulmm3(full(own), W), turned = full(tac_turnsym3(w, own));
        for (int i = 0; i < 9; i++)
            CHECK_NEAR(turned.m[i], WS.m[i] - SW.m[i], 10 * TOL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms), cmocka_unit_test(matrix_products),     cmocka_unit_test(symmetric_matrices),
        cmocka_unit_test(point_mass),   cmocka_unit_test(changes_of_inertias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
