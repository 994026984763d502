/* Tangents of a contact: orthonormal and right-handed for every normal, and their derivative on both sides of the
 * seam. */
#include "support/check.h"

#include "collide/touch.h"
#include "measure/differences.h"
#include "support/draw.h"

#include <math.h>

#define TOL_VALUE    1e-13 /* of unit vectors */
#define TOL_GRADIENT 1e-9
#define TOL_ALONG    1e-8 /* the direction may be near the normal */
#define FIRST_STEP   1e-3 /* rad */

enum { TRIALS = 2000, NUMBERS = 6 };

static tacVec3 draw_unit(tacDraw *d) { return tac_quat_rotate(draw_quat(d), tac_vec3(0, 0, 1)); }

static void check_frame(tacVec3 n) {
    tacVec3 t1, t2;
    tac_contact_frame(n, &t1, &t2);
    CHECK_NEAR(tac_norm3(t1), 1, TOL_VALUE);
    CHECK_NEAR(tac_norm3(t2), 1, TOL_VALUE);
    CHECK_NEAR(tac_dot3(t1, n), 0, TOL_VALUE);
    CHECK_NEAR(tac_dot3(t1, t2), 0, TOL_VALUE);
    tacVec3 c = tac_cross3(t1, t2);
    CHECK_ARRAY(3, &c, &n, TOL_VALUE);
}

static void frames_are_right_handed_everywhere(void **state) {
    (void)state;
    tacDraw d = {61, 0};
    for (int i = 0; i < TRIALS; i++)
        check_frame(draw_unit(&d));
    /* poles, axes, both sides of the seam */
    double up = sqrt(1 - TAC_FRAME_SEAM * TAC_FRAME_SEAM), nudge = 1e-9;
    tacVec3 special[] = {{0, 0, 1}, {0, 0, -1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {up, 0, TAC_FRAME_SEAM}};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        check_frame(special[i]);
    for (int sign = -1; sign <= 1; sign += 2) {
        double z = TAC_FRAME_SEAM + sign * nudge;
        check_frame(tac_vec3(0, sqrt(1 - z * z), z));
    }
}

static void axes_give_axes(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        double sign = k % 2 ? 1 : -1;
        tacVec3 t1, t2, n = {k / 2 == 0 ? sign : 0, k / 2 == 1 ? sign : 0, k / 2 == 2 ? sign : 0};
        tac_contact_frame(n, &t1, &t2);
        CHECK_NEAR(fmax(fabs(t1.x), fmax(fabs(t1.y), fabs(t1.z))), 1, 0);
        CHECK_NEAR(fmax(fabs(t2.x), fmax(fabs(t2.y), fabs(t2.z))), 1, 0);
    }
}

/* n turning about a fixed axis. */
typedef struct Turn {
    tacVec3 n, axis;
} Turn;
static int frame_along(void *context, double t, double *out) {
    const Turn *turn = context;
    tacVec3 t1, t2, n = tac_quat_rotate(tac_quat_exp(tac_scale3(t, turn->axis)), turn->n);
    tac_contact_frame(n, &t1, &t2);
    tac_store3(out, t1), tac_store3(out + 3, t2);
    return 0;
}

static int check_turn(Turn turn) {
    double work[4096], numeric[NUMBERS], exact[NUMBERS];
    CHECK(difference_work(NUMBERS) <= 4096);
    tacVec3 dt1, dt2, dn = tac_cross3(turn.axis, turn.n);
    tac_contact_frame_jvp(turn.n, dn, &dt1, &dt2);
    tac_store3(exact, dt1), tac_store3(exact + 3, dt2);
    CHECK_INT(difference_ridders(frame_along, &turn, NUMBERS, FIRST_STEP, numeric, NULL, work), 0);
    CHECK_ARRAY(NUMBERS, exact, numeric, TOL_GRADIENT);
    return tac_norm3(dt1) > 0;
}

static void frames_turn_with_the_normal_on_both_sides_of_the_seam(void **state) {
    (void)state;
    tacDraw d = {62, 0};
    int above = 0, below = 0, moved = 0;
    for (int i = 0; i < TRIALS; i++) {
        Turn turn = {draw_unit(&d), draw_unit(&d)};
        if (fabs(turn.n.z - TAC_FRAME_SEAM) < 2 * FIRST_STEP) continue;
        above += turn.n.z > TAC_FRAME_SEAM, below += turn.n.z < TAC_FRAME_SEAM;
        moved += check_turn(turn);
    }
    CHECK(above > TRIALS / 4 && below > TRIALS / 4 && moved == above + below);
    check_turn((Turn){{0, 0, 1}, {1, 0, 0}});
    check_turn((Turn){{0, 0, -1}, {0, 1, 0}});
    /* as near to the seam as the stencil allows */
    for (int sign = -1; sign <= 1; sign += 2) {
        double z = TAC_FRAME_SEAM + sign * 2 * FIRST_STEP;
        check_turn((Turn){{sqrt(1 - z * z), 0, z}, {0, 1, 0}});
    }
}

/* --- Along a direction -------------------------------------------------------------------------------------------- */

static int frame_beside(void *context, double t, double *out) {
    const Turn *turn = context; /* [0]: the normal, [1]: the direction */
    tacVec3 t1, t2, n = tac_quat_rotate(tac_quat_exp(tac_scale3(t, turn[0].axis)), turn[0].n);
    tac_contact_frame_along(n, tac_quat_rotate(tac_quat_exp(tac_scale3(t, turn[1].axis)), turn[1].n), &t1, &t2);
    tac_store3(out, t1), tac_store3(out + 3, t2);
    return 0;
}

static void frames_turn_with_the_normal_and_the_direction(void **state) {
    (void)state;
    tacDraw d = {63, 0};
    for (int i = 0; i < TRIALS; i++) {
        double work[4096], numeric[NUMBERS], exact[NUMBERS];
        Turn turn[2] = {{draw_unit(&d), draw_unit(&d)}, {draw_unit(&d), draw_unit(&d)}};
        tacVec3 n = turn[0].n, h = turn[1].n, t1, t2, dt1, dt2;
        if (fabs(tac_dot3(n, h)) > 0.95) continue;
        tac_contact_frame_along(n, h, &t1, &t2);
        CHECK_NEAR(tac_norm3(t1), 1, TOL_VALUE);
        CHECK_NEAR(tac_dot3(t1, n), 0, TOL_VALUE);
        CHECK_NEAR(tac_dot3(t2, h), 0, TOL_VALUE);
        CHECK(tac_dot3(t1, h) > 0);
        tac_contact_frame_along_jvp(n, h, tac_cross3(turn[0].axis, n), tac_cross3(turn[1].axis, h), &dt1, &dt2);
        tac_store3(exact, dt1), tac_store3(exact + 3, dt2);
        CHECK_INT(difference_ridders(frame_beside, turn, NUMBERS, FIRST_STEP, numeric, NULL, work), 0);
        CHECK_ARRAY(NUMBERS, exact, numeric, TOL_ALONG);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_right_handed_everywhere),
        cmocka_unit_test(axes_give_axes),
        cmocka_unit_test(frames_turn_with_the_normal_on_both_sides_of_the_seam),
        cmocka_unit_test(frames_turn_with_the_normal_and_the_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
