/* The root of a function that falls through zero in an interval, and is a parabola in pieces: the root of the parabola
 * through the ends and the last point, with halvings where that does not halve the interval in three tries. */
#pragma once

typedef struct tacFallingRoot {
    double at[3], value[3]; /* lower end, value >= 0; upper end, value < 0; the last point that is no end any more */
    int n, tries;           /* points; since the beginning */
    double width;           /* of the interval three tries ago */
} tacFallingRoot;

tacFallingRoot tac_falling_root(double low, double value_low, double high, double value_high);
/* The next point to try. An end of the interval: the interval is used up. */
double tac_falling_root_next(tacFallingRoot *r);
/* Takes the value there. */
void tac_falling_root_take(tacFallingRoot *r, double at, double value);
