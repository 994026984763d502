#include "math/scalar.h"

#include <math.h>

double tac_sin(double x) { return sin(x); }
double tac_cos(double x) { return cos(x); }
double tac_asin(double x) { return asin(x); }
double tac_acos(double x) { return acos(x); }
double tac_atan2(double y, double x) { return atan2(y, x); }
double tac_exp(double x) { return exp(x); }
double tac_log(double x) { return log(x); }
double tac_pow(double x, double y) { return pow(x, y); }
