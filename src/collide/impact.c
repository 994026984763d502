#include "collide/impact.h"

#include "base/error.h"
#include "math/quat.h"

/* A step ends when at most this fraction of its initial excess is left. */
#define STEP_LEFTOVER 1e-3
/* Maximum trials for the end of one step. */
#define MOST_TRIALS 80
/* Times that differ by less than this, relative to h, are equal. */
#define TIME_ROUNDING 1e-16
/* After this many steps along fixed axes the search also tries a rotating axis. */
#define FIXED_AXIS_STEPS 6
/* Maximum Newton steps on the time of the impact. */
#define NEWTON_STEPS 6

/* --- Motions ------------------------------------------------------------------------------------------------------ */

static void twist_at(const void *data, double t, tacPose *pose, tacVec6 *velocity) {
    const tacTwistMotion *m = data;
    pose->p = tac_madd3(m->start.p, t, m->velocity.lin);
    pose->R = tac_mulmm3(tac_quat_mat(tac_quat_exp(tac_scale3(t, m->velocity.ang))), m->start.R);
    if (velocity) *velocity = m->velocity;
}

tacMotion tac_twist_motion(const tacTwistMotion *m) {
    return (tacMotion){twist_at, m, {.spin = tac_norm3(m->velocity.ang), .speed = tac_norm3(m->velocity.lin)}};
}

/* --- One search --------------------------------------------------------------------------------------------------- */

typedef struct Search {
    const tacShape *shape[2];
    const tacMotion *motion[2];
    double gap, h;
    int plane;     /* index of the shape that is a plane, or -1 */
    double far;    /* bound of |x_B - x_A| for any two points */
    double speed;  /* bound of |d/dt (x_B - x_A)| */
    double accel;  /* bound of |d2/dt2 (x_B - x_A)| */
    double near;   /* an excess up to this counts as reached */
    int vertex[2]; /* last support corners, where the next support search starts */
    tacPairCache cache;
} Search;

/* Poses and nearest touch at one time. */
typedef struct Instant {
    double t;
    tacPose pose[2];
    tacTouch touch;
} Instant;

/* A separating direction from time t on: n(s) = exp((s - t) turn) n. A plane's normal always rotates with the plane. */
typedef struct Axis {
    double t;
    tacVec3 n, turn;
    double accel;  /* bound of the second derivative of n(s) . (x_B - x_A): C of impact.h */
    double excess; /* D - gap at time t */
} Axis;

static void bound_motions(Search *s) {
    tacPose pose[2];
    s->plane = s->shape[0]->type == TAC_GEOM_PLANE ? 0 : s->shape[1]->type == TAC_GEOM_PLANE ? 1 : -1;
    s->far = s->near = s->speed = s->accel = 0;
    for (int i = 0; i < 2; i++) {
        const tacMotionBound *b = &s->motion[i]->bound;
        s->motion[i]->at(s->motion[i]->data, 0, &pose[i], 0);
        /* A plane is measured at its origin, because its points move within it. */
        double radius = i == s->plane ? 0 : tac_shape_radius(s->shape[i]);
        s->far += radius + s->h * b->speed;
        s->speed += b->speed + b->spin * radius;
        s->accel += b->accel + (b->spin_rate + b->spin * b->spin) * radius;
        s->near += TAC_IMPACT_TOUCH * (tac_norm3(pose[i].p) + radius + s->h * b->speed);
    }
    s->far += tac_norm3(tac_sub3(pose[1].p, pose[0].p));
}

/* For d = n . x: |d''| <= |n''| |x| + 2 |n'| |x'| + |x''| (I2). `spin` bounds the angular speed of n and `spin_rate`
 * its change. */
static double separation_accel(const Search *s, double spin, double spin_rate) {
    return (spin_rate + spin * spin) * s->far + 2 * spin * s->speed + s->accel;
}

/* n . x at the support point of shape i along sign n; n and the origin are in the world. */
static double extent(Search *s, int i, const tacPose *pose, tacVec3 n, double sign) {
    if (i == s->plane) return tac_dot3(n, pose->p);
    tacVec3 d = tac_scale3(sign, tac_mulmtv3(pose->R, n));
    tacVec3 x = tac_shape_support(s->shape[i], d, &s->vertex[i]);
    return tac_dot3(n, pose->p) + sign * (tac_dot3(d, x) + tac_shape_pad(s->shape[i]));
}

/* D - gap along n. A plane's own normal replaces n. */
static double excess_at(Search *s, const tacPose pose[2], tacVec3 n) {
    if (s->plane >= 0) {
        const double *R = pose[s->plane].R.m;
        n = tac_scale3(s->plane == 0 ? 1 : -1, tac_vec3(R[2], R[5], R[8]));
    }
    return extent(s, 1, &pose[1], n, -1) - extent(s, 0, &pose[0], n, 1) - s->gap;
}

static double excess_later(Search *s, const Axis *axis, double t) {
    tacPose pose[2];
    for (int i = 0; i < 2; i++)
        s->motion[i]->at(s->motion[i]->data, t, &pose[i], 0);
    tacQuat turn = tac_quat_exp(tac_scale3(t - axis->t, axis->turn));
    return excess_at(s, pose, tac_quat_rotate(turn, axis->n));
}

static tacStatus query(Search *s, double t, Instant *m) {
    m->t = t;
    for (int i = 0; i < 2; i++)
        s->motion[i]->at(s->motion[i]->data, t, &m->pose[i], 0);
    return tac_distance_pair(s->shape[0], &m->pose[0], s->shape[1], &m->pose[1], &s->cache, &m->touch);
}

/* The axis that starts as the normal of an instant. It stays fixed in the world, or in the plane. */
static Axis axis_of(Search *s, const Instant *m) {
    Axis axis = {.t = m->t, .n = m->touch.normal, .accel = s->accel};
    axis.excess = excess_at(s, m->pose, axis.n);
    if (s->plane < 0) return axis;
    const tacMotionBound *b = &s->motion[s->plane]->bound;
    axis.accel = separation_accel(s, b->spin, b->spin_rate);
    return axis;
}

/* d(dist)/dt = n . (velocity of point 1 - velocity of point 0). The points are fixed to their shapes (I4). */
static double rate_at(const Search *s, double t, const tacTouch *touch) {
    tacVec3 v[2];
    for (int i = 0; i < 2; i++) {
        tacPose pose;
        tacVec6 velocity;
        s->motion[i]->at(s->motion[i]->data, t, &pose, &velocity);
        v[i] = tac_add3(velocity.lin, tac_cross3(velocity.ang, tac_sub3(touch->point[i], pose.p)));
    }
    return tac_dot3(touch->normal, tac_sub3(v[1], v[0]));
}

/* --- Steps -------------------------------------------------------------------------------------------------------- */

/* Whether the shapes stay beyond the gap until `end`, where the excess is e. */
static int is_safe(const Axis *axis, double end, double e) {
    return e >= 0 && tac_sqrt(axis->excess) + tac_sqrt(e) >= (end - axis->t) * tac_sqrt(0.5 * axis->accel);
}

/* A trial time in (low, high): the root of the secant, or the midpoint every third time. */
static double between(double low, double at_low, double high, double at_high, int trial) {
    double x = low + (high - low) * at_low / (at_low - at_high);
    return trial % 3 == 2 || !(x > low && x < high) ? 0.5 * (low + high) : x;
}

/* End of a safe step along an axis, with a bounded number of trials. Within T of the beginning, T^2 C/2 <= d, every end
 * with a non-negative excess is safe. The last of them is a root of the excess. */
static double step_end(Search *s, const Axis *axis) {
    if (is_safe(axis, s->h, excess_later(s, axis, s->h))) return s->h;
    double reach = tac_sqrt(2 * axis->excess / axis->accel);
    double far = tac_min(axis->t + 2 * reach, s->h);
    if (far < s->h && is_safe(axis, far, excess_later(s, axis, far))) return far;
    double low = axis->t, at_low = axis->excess;
    double high = tac_min(axis->t + reach, s->h), at_high = excess_later(s, axis, high);
    if (at_high >= 0) return high;
    for (int trial = 0; trial < MOST_TRIALS && at_low > STEP_LEFTOVER * axis->excess; trial++) {
        double x = between(low, at_low, high, at_high, trial), e = excess_later(s, axis, x);
        if (e >= 0) {
            low = x;
            at_low = e;
        } else {
            high = x;
            at_high = e;
        }
        if (!(high - low > TIME_ROUNDING * s->h)) break;
    }
    return low;
}

/* Angular velocity that rotates n into m in a given time, the short way. */
static tacVec3 turn_between(tacVec3 n, tacVec3 m, double time) {
    tacVec3 axis = tac_cross3(n, m);
    double sine = tac_norm3(axis);
    return sine > 0 ? tac_scale3(tac_atan2(sine, tac_dot3(n, m)) / (sine * time), axis) : tac_zero3();
}

/* End of a safe step along an axis that rotates with the shapes' normal. The normal is queried at the time of the
 * expected impact, or as far ahead as a step can reach. A rotating face or edge leaves a fixed axis at once, by its
 * corners, and steps along that axis shrink only by a factor. Along the rotating axis they converge quadratically. */
static double step_along_rotating(Search *s, const Instant *m, const Axis *fixed) {
    Instant later;
    Axis axis = *fixed;
    double rate = rate_at(s, m->t, &m->touch), ahead_by = 2 * tac_sqrt(2 * axis.excess / axis.accel);
    if (s->plane >= 0) return m->t;
    if (rate < 0) ahead_by = tac_min(ahead_by, -axis.excess / rate);
    double t = tac_min(m->t + ahead_by, s->h);
    if (!(t > m->t) || query(s, t, &later) != TAC_OK) return m->t;
    axis.turn = turn_between(axis.n, later.touch.normal, t - m->t);
    axis.accel = separation_accel(s, tac_norm3(axis.turn), 0);
    return step_end(s, &axis);
}

/* --- The impact --------------------------------------------------------------------------------------------------- */

static void write_impact(const Search *s, tacImpactKind kind, const Instant *m, int steps, tacShapeImpact *out) {
    *out = (tacShapeImpact){.kind = kind, .time = m->t, .steps = steps, .touch = m->touch};
    out->rate = rate_at(s, m->t, &m->touch);
    out->pose[0] = m->pose[0];
    out->pose[1] = m->pose[1];
}

/* Newton's method on dist(t) = gap, from a time before which there is no impact. Keeps the time with the least
 * residual. */
static void refine_time(Search *s, Instant *m) {
    Instant at = *m;
    double first = m->t;
    for (int k = 0; k < NEWTON_STEPS; k++) {
        double residual = at.touch.dist - s->gap, rate = rate_at(s, at.t, &at.touch);
        if (tac_abs(residual) > tac_abs(m->touch.dist - s->gap)) return;
        *m = at;
        double t = at.t - residual / rate;
        if (residual == 0 || !(rate < 0) || !(t >= first && t <= s->h) || query(s, t, &at) != TAC_OK) return;
    }
}

/* Advances to a time before which there is no impact. *left: excess at that time. */
static tacStatus advance(Search *s, Instant *m, double *left, int *steps) {
    for (*steps = 0; *steps < TAC_IMPACT_STEPS; ++*steps) {
        Axis axis = axis_of(s, m);
        *left = axis.excess;
        if (axis.excess <= s->near || m->t >= s->h) return TAC_OK;
        double end = step_end(s, &axis);
        if (*steps > FIXED_AXIS_STEPS) end = tac_max(end, step_along_rotating(s, m, &axis));
        if (!(end > m->t)) { /* the root is within rounding of m->t */
            *left = 0;
            return TAC_OK;
        }
        TAC_TRY(query(s, end, m));
    }
    return TAC_OK;
}

tacStatus tac_impact(const tacShape *a, const tacMotion *A, const tacShape *b, const tacMotion *B, double h, double gap,
                     tacShapeImpact *out) {
    Search s = {.shape = {a, b}, .motion = {A, B}, .gap = gap, .h = h, .vertex = {-1, -1}};
    Instant m;
    double left;
    int steps;
    bound_motions(&s);
    TAC_TRY(query(&s, 0, &m));
    TAC_TRY(advance(&s, &m, &left, &steps));
    int hit = left <= s.near;
    if (hit && steps > 0) refine_time(&s, &m);
    tacImpactKind missed = m.t < h ? TAC_IMPACT_UNDECIDED : TAC_IMPACT_NONE;
    write_impact(&s, !hit ? missed : steps > 0 ? TAC_IMPACT_HIT : TAC_IMPACT_NEAR, &m, steps, out);
    return TAC_OK;
}

/* --- Derivative --------------------------------------------------------------------------------------------------- */

/* n . dx = n . dp + t n . dv + (r x n) . (t Jl dw + E dtheta), E = exp(t w); Jl^T = Jr (I4). */
static void twist_row(const tacShapeImpact *hit, int i, const tacTwistMotion *m, double scale, tacVec6 *start,
                      tacVec6 *velocity) {
    tacVec3 turn = tac_scale3(hit->time, m->velocity.ang), n = tac_scale3(scale, hit->touch.normal);
    tacVec3 moment = tac_cross3(tac_sub3(hit->touch.point[i], hit->pose[i].p), n);
    start->lin = n;
    start->ang = tac_mulmtv3(tac_quat_mat(tac_quat_exp(turn)), moment);
    velocity->lin = tac_scale3(hit->time, n);
    velocity->ang = tac_scale3(hit->time, tac_mulmv3(tac_quat_right_jacobian(turn), moment));
}

tacStatus tac_impact_twist_grad(const tacShapeImpact *hit, const tacTwistMotion *A, const tacTwistMotion *B,
                                tacTwistImpactGrad *grad) {
    if (hit->kind != TAC_IMPACT_HIT || !(hit->rate < 0)) return TAC_ERR_DEGENERATE;
    twist_row(hit, 0, A, 1 / hit->rate, &grad->start[0], &grad->velocity[0]);
    twist_row(hit, 1, B, -1 / hit->rate, &grad->start[1], &grad->velocity[1]);
    return TAC_OK;
}
