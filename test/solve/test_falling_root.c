/* The root of a function that falls through zero: parabolas end at rounding after few tries, pieces and jumps after a
 * few more, always inside the interval. */
#include "solve/falling_root.h"

#include "support/check.h"

#include <math.h>

static const double TOL_ROOT = 1e-14;
enum { MOST = 400 };

typedef double (*Function)(double);

static double parabola(double t) { return 0.3 - t + 0.4 * t * t; }
static double bent_down(double t) { return 0.3 - 0.1 * t - 0.9 * t * t; }
static double pieces(double t) {
    return t < 0.31 ? 1 - 0.1 * t : t < 0.64 ? 0.969 - 1.5 * (t - 0.31) : 0.474 - 3 * (t - 0.64);
}
static double jump(double t) { return t < 0.7 ? 1 - t : -0.2; }

/* Number of tries until |f| is at rounding, or the interval is used up. */
static int search(Function f, double *root) {
    tacFallingRoot r = tac_falling_root(0, f(0), 1, f(1));
    for (int k = 1; k < MOST; k++) {
        double low = r.at[0], high = r.at[1], next = tac_falling_root_next(&r);
        if (!(next > low && next < high)) return *root = low, k;
        CHECK(next > low && next < high);
        tac_falling_root_take(&r, next, f(next));
        CHECK(r.value[0] >= 0 && r.value[1] < 0);
        *root = next;
        if (fabs(f(next)) <= TOL_ROOT) return k;
    }
    return MOST;
}

static void known_roots(void **state) {
    (void)state;
    double root;
    CHECK(search(parabola, &root) <= 6);
    CHECK_NEAR(root, (1 - sqrt(1 - 0.48)) / 0.8, TOL_ROOT);
    CHECK(search(bent_down, &root) <= 6);
    CHECK_NEAR(root, (-0.1 + sqrt(0.01 + 1.08)) / 1.8, TOL_ROOT);
    CHECK(search(pieces, &root) <= 15);
    CHECK_NEAR(root, 0.64 + 0.474 / 3, TOL_ROOT);
}

/* The lower side of a jump, to the last bit. */
static void jumps(void **state) {
    (void)state;
    double root;
    CHECK(search(jump, &root) < MOST);
    CHECK(root < 0.7 && nextafter(root, 1) >= 0.7);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_roots), cmocka_unit_test(jumps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
