#include "math/eig3.h"
#include "measure/differences.h"
#include "support/check.h"
#include "support/draw.h"

#include <math.h>
#include <time.h>

#define TOL 1e-14
/* MuJoCo 2.2.2 stops early: an angle of sqrt(2e-12), times the spread of the eigenvalues. */
#define TOL_AXES     3e-6
#define TOL_REFINED  1e-13 /* rounding of about ten rotations */
#define TOL_VALUES   5e-12 /* the square of that angle */
#define TOL_GRADIENT 1e-8  /* Ridders' differences */
#define TOL_JUMP     1e-2  /* entries that count as zero, of size TAC_EIG3_COARSE, move with its square root */

/* R diag(v) R^T */
static tacSym3 rebuild(tacVec3 v, tacQuat frame) {
    return tac_rotatesym3(tac_quat_mat(frame), (tacSym3){v.x, v.y, v.z, 0, 0, 0});
}

static void check_decomposition(tacSym3 A, double tol) {
    tacQuat frame;
    tacVec3 v = tac_eig3(A, &frame);
    CHECK_NEAR(tac_quat_norm(frame), 1, TOL);
    double size = tac_max(tac_abs(v.x), tac_abs(v.z)), gap = 2 * TAC_EIG3_COARSE * size;
    CHECK(v.x + gap >= v.y && v.y + gap >= v.z);
    tacSym3 back = rebuild(v, frame);
    for (int i = 0; i < 6; i++)
        CHECK_NEAR((&back.xx)[i], (&A.xx)[i], tol * size);
    CHECK_NEAR(v.x + v.y + v.z, A.xx + A.yy + A.zz, TOL * (1 + 3 * size));
}

/* Values and frames that MuJoCo 2.2.2 gives: the frame is a convention. Entries: xx, yy, zz, xy, xz, yz.
 * Some have off-diagonal entries of equal size: which goes first matters.
 * The last row, nearly equal eigenvalues in the wrong order, is by the rule of MuJoCo 3.x. */
static const struct {
    double A[6], value[3], frame[4];
} KNOWN[] = {
    {{1, 2, 3, 0, 0, 0}, {3, 2, 1}, {0, 0.70710678118654757, 0, 0.70710678118654757}},
    {{2, 3, 1, 0, 0, 0}, {3, 2, 1}, {0.70710678118654757, 0, 0, 0.70710678118654757}},
    {{3, 1, 2, 0, 0, 0}, {3, 2, 1}, {0.70710678118654757, 0.70710678118654757, 0, 0}},
    {{1, 3, 2, 0, 0, 0}, {3, 2, 1}, {0.5, 0.5, 0.5, 0.5}},
    {{2, 1, 3, 0, 0, 0}, {3, 2, 1}, {0.5, 0.5, -0.5, 0.5}},
    {{0.5, 0.7, 0.6, 0.1, -0.2, 0.05},
     {0.76837422715240811, 0.7188832922515731, 0.31274248059601883},
     {-0.16964226737873084, 0.39385742546327779, -0.23293331756681851, 0.87283440531028422}},
    {{1, 1, 2, 0, 0, 0.5},
     {2.2071067811865475, 1, 0.79289321881345254},
     {0.58793780120967931, 0.39284747919355112, -0.39284747919355112, 0.58793780120967931}},
    {{4, 1, -2, 2, 0, 1},
     {5.0291119200257617, 0.33625596321281848, -2.3653678832385783},
     {0.95430976975252912, 0.18151874672634627, 0.011068521231961592, 0.23711030298051008}},
    {{0.001, 0.002, 0.0025, 0.0001, -0.0003, 0.0002},
     {0.0026103394380025454, 0.0019649547548631747, 0.00092470580713427939},
     {0.15192353945824563, 0.63059376943209855, 0.042021993675236756, 0.75993742384452589}},
    {{1, 1, 1, 0.5, 0, 0},
     {1.5000000000000002, 1, 0.5},
     {0.65328148243818829, 0.65328148243818829, 0.27059805007309851, 0.27059805007309851}},
    {{1, 1, 1, 0, 0.25, 0}, {1.2500000000000002, 1, 0.75}, {0, 0.92387953251128674, 0, 0.38268343236508978}},
    {{1, 2, 3, 0.5, 0.5, 0.5},
     {3.389228559129197, 1.855415726775846, 0.7553557140949611},
     {0.2634527168676562, 0.7514810349591172, 0.06202967703258007, 0.6016820084056513}},
    {{1, 2, 3, 0.5, 0.5, 0.1},
     {3.160278506430784, 2.127190472327134, 0.7125310212420838},
     {0.1992045886799149, 0.7695546832894383, -0.03010244407456901, 0.6059677913362194}},
    {{1, 2, 3, 0.5, 0.1, 0.5},
     {3.245053777122618, 1.966863320938754, 0.7880829019386288},
     {0.3011294477806783, 0.6896035899018289, 0.01316172907725609, 0.6584790910587146}},
    {{1, 2, 3, 0.1, 0.5, 0.5},
     {3.315467214679305, 1.802874149138574, 0.8816586361821225},
     {0.1070052601486989, 0.7709732430910969, 0.149665625926781, 0.6097133204663078}},
    {{3, 1, 2, -0.5, 0.5, 0.1},
     {3.287468978757917, 1.872809527672866, 0.8397214935692171},
     {0.7723123096485093, 0.6032101648922474, -0.1964469624880435, 0.03286007098705097}},
    {{1, 1.0000000000005, 0.9999999999999, 0, 0, 0}, {1, 1.0000000000005, 0.9999999999999}, {1, 0, 0, 0}},
};
enum { NKNOWN = sizeof KNOWN / sizeof KNOWN[0] };

static void same_frames_as_mujoco(void **state) {
    (void)state;
    for (int i = 0; i < NKNOWN; i++) {
        const double *a = KNOWN[i].A;
        tacQuat frame;
        tacVec3 v = tac_eig3((tacSym3){a[0], a[1], a[2], a[3], a[4], a[5]}, &frame);
        CHECK_ARRAY(3, &v, KNOWN[i].value, TOL_VALUES);
        CHECK_ARRAY(4, &frame, KNOWN[i].frame, TOL_AXES);
    }
}

static void decreasing_diagonal_is_the_identity(void **state) {
    (void)state;
    tacQuat frame, one = tac_quat_identity();
    const tacSym3 cases[] = {
        {3, 2, 1, 0, 0, 0}, {2, 2, 2, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {2, 2, 1, 0, 0, 0}, {-1, -1, -4, 0, 0, 0}};
    for (int i = 0; i < 5; i++) {
        tacVec3 v = tac_eig3(cases[i], &frame);
        CHECK_ARRAY(3, &v, &cases[i], 0);
        CHECK_ARRAY(4, &frame, &one, 0);
    }
}

/* Random, of all sizes, with zeros in all places, with one, two or three equal eigenvalues. */
static void rebuilds_the_matrix(void **state) {
    (void)state;
    tacDraw d = {1, 0};
    enum { TRIALS = 3000 };
    for (int t = 0; t < TRIALS; t++) {
        double size = tac_exp(draw_uniform(&d, -10, 10));
        tacVec3 v = tac_scale3(size, draw_vec3(&d, 1));
        if (t % 4 == 1) v.y = v.x;
        if (t % 4 == 2) v.y = v.z = v.x;
        tacSym3 A = rebuild(v, draw_quat(&d));
        if (t % 8 == 7) A.xy = A.xz = 0;
        check_decomposition(A, TOL_AXES);
        if (t % 8 == 7) continue;
        tacQuat frame;
        tacVec3 found = tac_eig3(A, &frame);
        double least = tac_min(v.x, tac_min(v.y, v.z)), most = tac_max(v.x, tac_max(v.y, v.z));
        CHECK_NEAR(found.x, most, TOL_VALUES * (size + 1));
        CHECK_NEAR(found.y, v.x + v.y + v.z - least - most, TOL_VALUES * (size + 1));
        CHECK_NEAR(found.z, least, TOL_VALUES * (size + 1));
    }
}

/* Refined axes rebuild the matrix to rounding, whatever its size, and leave alone what is already exact. */
static void refined_axes_are_exact(void **state) {
    (void)state;
    tacDraw d = {2, 0};
    enum { TRIALS = 1000 };
    for (int t = 0; t < TRIALS; t++) {
        double size = tac_exp(draw_uniform(&d, -20, 10));
        tacVec3 v = tac_scale3(size, draw_vec3(&d, 1));
        if (t % 4 == 1) v.y = v.x;
        tacSym3 A = rebuild(v, draw_quat(&d));
        tacQuat frame;
        tac_eig3(A, &frame);
        tacSym3 back = rebuild(tac_eig3_refine(A, &frame), frame);
        for (int i = 0; i < 6; i++)
            CHECK_NEAR((&back.xx)[i], (&A.xx)[i], TOL_REFINED * size);
    }
    tacQuat frame = tac_quat_identity();
    tacVec3 same = tac_eig3_refine((tacSym3){2, 2, 2, 0, 0, 0}, &frame);
    CHECK(same.x == 2 && same.y == 2 && same.z == 2 && frame.w == 1);
    /* equal but for rounding: no axis is better than another, so the frame stays */
    same = tac_eig3_refine((tacSym3){2, 2, 2, 1e-13, 0, 0}, &frame);
    CHECK(frame.w == 1);
    same = tac_eig3_refine((tacSym3){1, nan(""), 3, 0, 0, 0}, &frame);
    CHECK(same.x == 1 && same.z == 3 && frame.w == 1);
}

static void tiny_and_huge(void **state) {
    (void)state;
    check_decomposition((tacSym3){1e-9, 2e-9, 3e-9, 1e-10, 0, 0}, TOL_AXES);
    check_decomposition((tacSym3){1e12, 2e12, 3e12, 1e11, -1e11, 2e11}, TOL_AXES);
    /* below the limit an off-diagonal entry counts as zero, whatever the size of the matrix */
    tacQuat frame;
    tacVec3 v = tac_eig3((tacSym3){3e-12, 2e-12, 1e-12, 2e-19, 0, 0}, &frame);
    CHECK(v.x == 3e-12 && v.y == 2e-12 && frame.w == 1);
    v = tac_eig3((tacSym3){3e-12, 2e-12, 1e-12, 4e-19, 0, 0}, &frame);
    CHECK(frame.z != 0);
}

static void not_finite_comes_back(void **state) {
    (void)state;
    tacQuat frame;
    tacVec3 v = tac_eig3((tacSym3){1, 2, 3, nan(""), 0, 0}, &frame);
    CHECK(v.x == 1 && v.y == 2 && v.z == 3 && frame.w == 1);
    v = tac_eig3((tacSym3){HUGE_VAL, 2, 3, 0, 0, 0}, &frame);
    CHECK(v.x == HUGE_VAL && frame.w == 1);
}

typedef struct Line {
    tacSym3 A, dA;
} Line;

static int rebuild_along(void *context, double t, double *out) {
    const Line *line = context;
    tacQuat frame;
    tacSym3 A = tac_addsym3(line->A, tac_scalesym3(t, line->dA)), back;
    tacVec3 v = tac_eig3(A, &frame);
    back = rebuild(v, frame);
    for (int i = 0; i < 6; i++)
        out[i] = (&back.xx)[i];
    return 0;
}

/* Random matrices and directions; diagonal ones that begin to turn. Where the number of rotations changes inside the
 * stencil, what is computed jumps and differences say nothing: rare, counted. */
static void rebuilt_derivative(void **state) {
    (void)state;
    tacDraw d = {5, 0};
    enum { CASES = 500 };
    int jumps = 0;
    for (int t = 0; t < CASES; t++) {
        tacVec3 v = {3 + draw_uniform(&d, -0.4, 0.4), 2 + draw_uniform(&d, -0.4, 0.4), 1 + draw_uniform(&d, -0.4, 0.4)};
        tacQuat turn = t % 5 == 0 ? tac_quat_identity() : draw_quat(&d);
        Line line = {rebuild(v, turn), rebuild(draw_vec3(&d, 1), draw_quat(&d))};
        double difference[6], error[6], work[6 * (2 + DIFFERENCE_ROWS * 2 + 1)];
        tacSym3 analytic = tac_eig3_rebuilt_jvp(line.A, line.dA);
        CHECK_INT(difference_ridders(rebuild_along, &line, 6, 1e-3, difference, error, work), 0);
        if (relative_error(6, &analytic.xx, difference) > TOL_GRADIENT) jumps++;
        CHECK_ARRAY(6, &analytic, &line.dA, TOL_JUMP); /* never far from the matrix itself */
    }
    print_message("%d of %d with a jump in the stencil\n", jumps, (int)CASES);
    CHECK(jumps < CASES / 20);
}

/* Tensors whose off-diagonal entries never fall below TAC_EIG3_ROUNDING, but wander above it: refining them ends, with
 * axes as good as any, and costs no more than a few times what finding the axes did. */
static void refining_ends(void **state) {
    (void)state;
    static const tacSym3 RESTLESS[] = {
        {0.59592650977099992, 0.47897987662567221, 0.24416040132929734, 0.22283725252394107, 0.028623155315058796,
         -0.23398221625218882},
        {0.86007615546501892, 2.0114560988994601, 5.2316001175512197, 0.39008959245027475, -1.8661660122231323,
         -1.0374029495331363},
        {8.5901246248656484, 48.915555150816466, 17.158715225308956, -16.122649705020986, -8.2278279461352053,
         22.630187670299406},
    };
    enum { TENSORS = sizeof RESTLESS / sizeof *RESTLESS, REPEATS = 2000, MOST_TIMES = 12 };
    clock_t find = 0, refine = 0;
    for (int t = 0; t < TENSORS; t++) {
        tacSym3 A = RESTLESS[t];
        tacQuat found, frame;
        tacVec3 v = tac_zero3();
        clock_t start = clock();
        for (int i = 0; i < REPEATS; i++)
            v = tac_eig3(A, &found);
        clock_t middle = clock();
        for (int i = 0; i < REPEATS; i++)
            frame = found, v = tac_eig3_refine(A, &frame);
        find += middle - start, refine += clock() - middle;
        tacSym3 back = rebuild(v, frame);
        for (int i = 0; i < 6; i++)
            CHECK_NEAR((&back.xx)[i], (&A.xx)[i], TOL * v.x);
    }
    print_message("refining takes %.1f times as long as finding\n", (double)refine / (double)(find + 1));
    CHECK(refine <= MOST_TIMES * (find + 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_frames_as_mujoco), cmocka_unit_test(decreasing_diagonal_is_the_identity),
        cmocka_unit_test(rebuilds_the_matrix),   cmocka_unit_test(tiny_and_huge),
        cmocka_unit_test(not_finite_comes_back), cmocka_unit_test(refined_axes_are_exact),
        cmocka_unit_test(rebuilt_derivative),    cmocka_unit_test(refining_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
