/* Included before every file of a build with TACTUS_QUAD: what the sources call double has 113 bits, 34 decimal digits.
 * The numbers that the sources spell out, and that files hold, stay those of doubles, so that both builds are of the
 * same model. Headers of others come first and keep their own doubles; meshes, which go through such, are not for this
 * build. */
#pragma once

#define _GNU_SOURCE /* what files ask for before headers of their own */

#include <assert.h>
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef double quadDouble; /* what others call double: to print and to read */

#define double __float128

double sqrtq(double);
double fabsq(double);
double fmaxq(double, double);
double fminq(double, double);
double sinq(double);
double cosq(double);
double asinq(double);
double acosq(double);
double atan2q(double, double);
double expq(double);
double logq(double);
double powq(double, double);

#define __builtin_sqrt sqrtq
#define __builtin_fabs fabsq
#define sqrt           sqrtq
#define fabs           fabsq
#define fmax           fmaxq
#define fmin           fminq
#define sin            sinq
#define cos            cosq
#define asin           asinq
#define acos           acosq
#define atan2          atan2q
#define exp            expq
#define log            logq
#define pow            powq
