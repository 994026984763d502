/* A ball on a plane in soft contact without friction (condim 1), in one dimension and 113-bit numbers: the law of
 * docs/theory/soft.md for one row whose inverse weight is exact, with none of the engine's code. Gap r, velocity v:
 *
 *   r >= 0:  v' = -g
 *   r <  0:  v' = max(-g, -(1 - d) g + d (-b v - k d r))     d = d(-r/width) of solimp, b and k of solref, solimp[1]
 *
 * Fixed tiny steps of the classical fourth-order method; a step ends where contact begins, where it ends and where its
 * force vanishes, to 2^-100 of a step. Derivatives are centred differences, which the digits allow. */
#pragma once

typedef struct SoftBall {
    const char *name;
    double solimp[3], solref[2]; /* d at the surface, most, width (midpoint 0.5, power 2); s, 1 */
    double gravity;              /* m/s^2 */
    double gap, speed;           /* at first; m, m/s */
    double time;                 /* s */
} SoftBall;

typedef struct SoftBallEnd {
    double gap, speed;             /* at the end */
    double gap_slope, speed_slope; /* by the speed at first */
} SoftBallEnd;

/* Solimp and solref of the billiard, MuJoCo's default ones, and those of the toss. */
enum { SOFT_BALLS = 3 };
extern const SoftBall SOFT_BALL[SOFT_BALLS];

SoftBallEnd soft_ball_end(const SoftBall *ball);
