/* Touches that are not isolated: parallel edges, coaxial shapes, a point on the axis of a round shape. There the system
 * (D4) of the common normal is singular, and its solutions form a curve or a surface. Minimum-norm Newton steps
 * [BenIsrael1966] go to the solution nearest to the start. */
#include "collide/nearest.h"

#include "collide/tolerance.h"
#include "math/dense.h"

/* Singular values below this times the largest are zero. */
#define RANK_TOL 1e-7
/* Steps shorter than this end the iteration at once. */
#define STEP_UNDERFLOW 1e-16
/* Residual that counts as solved, relative to scale and in rad. Directions of nearly zero singular values may leave
 * this much. */
#define RESIDUAL_MET 1e-8
enum { MOST_STEPS = 40, MOST_UNKNOWNS = 6 };

/* The conditions without units: lengths along tangents relative to `scale`, the normal in rad. */
typedef struct System {
    double scale;
    tacPatch patch[2];
    double length[2][2]; /* of the tangents; 1 for a zero tangent */
    tacVec3 n, e[2];
} System;

static void set_system(const tacCores *c, const tacTouch *t, const tacVec3 near[2], tacVec3 n, System *s) {
    s->scale = c->scale;
    s->n = n;
    tac_contact_frame(n, &s->e[0], &s->e[1]);
    for (int i = 0; i < 2; i++) {
        s->patch[i] = tac_feature_patch(c->shape[i], i == 0 ? &TAC_IDENTITY_POSE : &c->pose, t->feature[i], near[i]);
        for (int j = 0; j < s->patch[i].dim; j++) {
            double length = tac_norm3(s->patch[i].t[j]);
            s->length[i][j] = length > 0 ? length : 1;
        }
    }
}

/* (D10) with rows and columns divided by the lengths: K y = r for y = (s0, s1, rotation of n). */
static int assemble(const System *s, double *K, double *r) {
    int m = s->patch[0].dim + s->patch[1].dim, n = m + 2, first = 0;
    tacVec3 gap = tac_sub3(s->patch[1].x, s->patch[0].x);
    for (int i = 0; i < n * n; i++)
        K[i] = 0;
    for (int side = 0; side < 2; first += s->patch[side].dim, side++) {
        const tacPatch *p = &s->patch[side];
        const double *length = s->length[side];
        double sign = side ? -1 : 1;
        for (int i = 0; i < p->dim; i++) {
            for (int j = 0; j < p->dim; j++)
                K[(first + i) * n + first + j] =
                    sign * tac_dot3(s->n, p->c[i + j]) * s->scale / (length[i] * length[j]);
            for (int j = 0; j < 2; j++)
                K[(first + i) * n + m + j] = K[(m + j) * n + first + i] = sign * tac_dot3(s->e[j], p->t[i]) / length[i];
            r[first + i] = -sign * tac_dot3(s->n, p->t[i]) / length[i];
        }
    }
    for (int j = 0; j < 2; j++) {
        K[(m + j) * n + m + j] = tac_dot3(s->n, gap) / s->scale;
        r[m + j] = tac_dot3(s->e[j], gap) / s->scale;
    }
    return n;
}

/* The minimum-norm least-squares solution of K y = r. */
static void solve_least_norm(int n, double *K, const double *r, double *y) {
    double left[MOST_UNKNOWNS], right[MOST_UNKNOWNS], work[2 * MOST_UNKNOWNS];
    int column[MOST_UNKNOWNS];
    tacQr qr = {.m = n, .n = n, .A = K, .left = left, .right = right, .column = column, .work = work};
    tac_qr_factor(&qr, RANK_TOL);
    tac_qr_solve(&qr, r, y);
}

/* Moves the points and the normal. Returns the length of the step. */
static double take_step(const System *s, const double *y, tacVec3 near[2], tacVec3 *n) {
    int at = 0, m = s->patch[0].dim + s->patch[1].dim;
    double turn = tac_sqrt(y[m] * y[m] + y[m + 1] * y[m + 1]),
           share = turn > TAC_NEWTON_MAX_TURN ? TAC_NEWTON_MAX_TURN / turn : 1;
    double longest = share * turn;
    for (int i = 0; i < 2; i++) {
        near[i] = s->patch[i].x;
        for (int j = 0; j < s->patch[i].dim; j++, at++) {
            near[i] = tac_madd3(near[i], share * y[at] * s->scale / s->length[i][j], s->patch[i].t[j]);
            longest = tac_max(longest, share * tac_abs(y[at]));
        }
    }
    *n = tac_madd3(tac_madd3(*n, share * y[m], s->e[0]), share * y[m + 1], s->e[1]);
    *n = tac_scale3(1 / tac_norm3(*n), *n);
    return longest;
}

/* The touch where the steps ended. Returns 0 where least squares found no common normal. */
static int set_touch(const tacCores *c, const tacVec3 near[2], tacVec3 n, tacTouch *t) {
    double K[MOST_UNKNOWNS * MOST_UNKNOWNS], r[MOST_UNKNOWNS];
    System s;
    set_system(c, t, near, n, &s);
    int count = assemble(&s, K, r);
    for (int i = 0; i < count; i++)
        if (!(tac_abs(r[i]) <= RESIDUAL_MET)) return 0;
    double d = tac_dot3(n, tac_sub3(s.patch[1].x, s.patch[0].x));
    t->normal = n;
    t->dist = d - s.patch[0].pad - s.patch[1].pad;
    t->point[0] = tac_madd3(s.patch[0].x, s.patch[0].pad, n);
    t->point[1] = tac_madd3(t->point[0], t->dist, n);
    return 1;
}

int tac_nearest_degenerate(const tacCores *c, tacTouch *t) {
    tacVec3 near[2] = {t->point[0], t->point[1]}, n = t->normal;
    double last = 2, K[MOST_UNKNOWNS * MOST_UNKNOWNS], r[MOST_UNKNOWNS], y[MOST_UNKNOWNS];
    System s;
    for (int k = 0; k < MOST_STEPS; k++) {
        set_system(c, t, near, n, &s);
        solve_least_norm(assemble(&s, K, r), K, r, y);
        double step = take_step(&s, y, near, &n);
        if (!tac_finite(step)) return 0;
        if (step < TAC_NEWTON_ROUNDING && (step < STEP_UNDERFLOW || step >= 0.5 * last))
            return set_touch(c, near, n, t);
        last = step;
    }
    return 0;
}
