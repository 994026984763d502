#include "solve/falling_root.h"

#include "math/scalar.h"

tacFallingRoot tac_falling_root(double low, double value_low, double high, double value_high) {
    return (tacFallingRoot){{low, high, 0}, {value_low, value_high, 0}, 2, 0, high - low};
}

/* f = f_0 + t (slope + curvature (t - width)), with t from the lower end. Returns the root at which f falls. */
static double parabola_root(const tacFallingRoot *r) {
    double low = r->at[0], high = r->at[1], slope = (r->value[1] - r->value[0]) / (high - low), curvature = 0;
    if (r->n == 3 && r->at[2] != low && r->at[2] != high)
        curvature = ((r->value[2] - r->value[1]) / (r->at[2] - high) - slope) / (r->at[2] - low);
    double b = slope - curvature * (high - low), inside = b * b - 4 * curvature * r->value[0];
    return inside >= 0 ? low + 2 * r->value[0] / (-b + tac_sqrt(inside)) : low;
}

double tac_falling_root_next(tacFallingRoot *r) {
    double low = r->at[0], high = r->at[1], middle = low + (high - low) / 2, next = parabola_root(r);
    int slow = ++r->tries % 3 == 0 && high - low > r->width / 2;
    if (r->tries % 3 == 0) r->width = high - low;
    return !slow && next > low && next < high ? next : middle;
}

void tac_falling_root_take(tacFallingRoot *r, double at, double value) {
    int end = !(value >= 0);
    r->at[2] = r->at[end];
    r->value[2] = r->value[end];
    r->at[end] = at;
    r->value[end] = value;
    r->n = 3;
}
