#include "smooth/log_rate.h"

#include "math/scalar.h"

/* rad: below it k is a series in t^2, whose first omitted term is below 1e-16. */
#define SMALL_ANGLE 0.5
enum { TERMS = 8 };
/* |B_2n|/(2n)!, n = 1, 2, ... with the Bernoulli numbers */
static const double SERIES[TERMS] = {1.0 / 12,          1.0 / 720,
                                     1.0 / 30240,       1.0 / 1209600,
                                     1.0 / 47900160,    691.0 / 1307674368000,
                                     1.0 / 74724249600, 3617.0 / 10670622842880000};

/* k, and k'(t)/t. */
static double gain_of(double square, double *slope) {
    double t = tac_sqrt(square), k = 0;
    *slope = 0;
    if (t < SMALL_ANGLE) {
        for (int n = TERMS - 1; n >= 0; n--)
            k = k * square + SERIES[n];
        for (int n = TERMS - 1; n >= 1; n--)
            *slope = *slope * square + 2 * n * SERIES[n];
        return k;
    }
    double sine = tac_sin(t / 2), cot = tac_cos(t / 2) / sine;
    k = (1 - 0.5 * t * cot) / square;
    *slope = (-2 * k + 0.25 / (sine * sine) - 0.5 * cot / t) / square;
    return k;
}

tacVec3 tac_log_rate_exact(tacVec3 z, tacVec3 w) {
    double slope, k = gain_of(tac_dot3(z, z), &slope);
    tacVec3 turned = tac_cross3(z, w);
    return tac_madd3(tac_madd3(w, 0.5, turned), k, tac_cross3(z, turned));
}

/* N dz = dz x w / 2 + k (dz x (z x w) + z x (dz x w)) + (k'/t) (z . dz) z x (z x w) */
tacVec3 tac_log_rate_exact_jvp(tacVec3 z, tacVec3 w, tacVec3 dz) {
    double slope, k = gain_of(tac_dot3(z, z), &slope);
    tacVec3 turned = tac_cross3(z, w), across = tac_cross3(dz, w);
    tacVec3 second = tac_add3(tac_cross3(dz, turned), tac_cross3(z, across));
    return tac_madd3(tac_madd3(tac_scale3(0.5, across), k, second), slope * tac_dot3(z, dz), tac_cross3(z, turned));
}

/* b . (dz x y) = dz . (y x b),  b . (z x (dz x w)) = dz . (w x (b x z)) */
tacVec3 tac_log_rate_exact_vjp(tacVec3 z, tacVec3 w, tacVec3 b) {
    double slope, k = gain_of(tac_dot3(z, z), &slope);
    tacVec3 turned = tac_cross3(z, w);
    tacVec3 second = tac_add3(tac_cross3(turned, b), tac_cross3(w, tac_cross3(b, z)));
    return tac_madd3(tac_madd3(tac_scale3(0.5, tac_cross3(w, b)), k, second),
                     slope * tac_dot3(b, tac_cross3(z, turned)), z);
}
