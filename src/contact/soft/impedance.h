/* Stiffness of a soft constraint: MuJoCo's solref and solimp (docs/theory/soft.md, Z2-Z4). */
#pragma once

/* Numbers of the model that define a constraint's stiffness. */
typedef struct tacSoftness {
    double solref[2]; /* time constant and damping ratio, both > 0; or -stiffness, -damping */
    double solimp[5]; /* impedance at the surface and inside, width of the transition, its midpoint and power */
    int piece;        /* of the impedance, whatever r is: 1, 2, 3, as a function of |r|, or negative, of -r; 0: by r */
} tacSoftness;

/* Impedance of a constraint at r = pos - margin: a_ref = -B vel - K d r. */
typedef struct tacImpedance {
    double K, B;    /* 1/s^2, 1/s */
    double d;       /* 0 < d < 1 */
    double rate;    /* dd/dr */
    double next;    /* change of r that leads to another smooth piece of d; infinite: none does */
    int piece;      /* index of the piece */
    double past[2]; /* m, rad: how far r is behind the midpoint, and behind the width; 0: d has no such border */
} tacImpedance;

/* Applies MuJoCo's bounds: impedances within [1e-4, 0.9999], width >= 0, power >= 1, and a time constant of at least
 * `shortest` (twice the step, or 0). A solref of two signs becomes the default. */
tacSoftness tac_soft_clamp(const double solref[2], const double solimp[5], double shortest);
/* pull: 0 for rows that hold a velocity alone (friction), K = 0. s has been clamped. */
tacImpedance tac_soft_impedance(const tacSoftness *s, double r, int pull);

/* --- Derivatives by the numbers themselves, r fixed --------------------------------------------------------------- */

/* Changes d of the numbers before the bounds -> changes after them. A number held by a bound does not move. */
tacSoftness tac_soft_clamp_jvp(const double solref[2], const double solimp[5], double shortest, const tacSoftness *d);
/* Sets the changes of K, B and d, but not of `rate`. */
tacImpedance tac_soft_impedance_jvp(const tacSoftness *s, double r, int pull, const tacSoftness *d);
