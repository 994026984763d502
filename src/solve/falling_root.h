/* The root of a piecewise parabolic function that falls through zero in an interval. Takes the root of the parabola
 * through the ends and the last point. Bisects if three tries do not halve the interval. */
#pragma once

typedef struct tacFallingRoot {
    double at[3], value[3]; /* lower end, value >= 0; upper end, value < 0; the last point that is no end any more */
    int n, tries;           /* points; since the beginning */
    double width;           /* of the interval three tries ago */
} tacFallingRoot;

tacFallingRoot tac_falling_root(double low, double value_low, double high, double value_high);
/* The next point to try. An end of the interval: the interval is exhausted. */
double tac_falling_root_next(tacFallingRoot *r);
/* Takes the value there. */
void tac_falling_root_take(tacFallingRoot *r, double at, double value);
