#include "collide/impact.h"

#include "math/quat.h"

/* Of a step's excess over the gap: what a step may leave of it. */
#define TAC_IMPACT_LEFT 1e-3
/* Trials in looking for the end of a step. */
#define TAC_IMPACT_TRIALS 80
/* Relative to h: times nearer to each other are the same. */
#define TAC_IMPACT_CLOCK 1e-16
/* Steps after which the normal ahead is looked at as well. */
#define TAC_IMPACT_SLOW 6
/* Newton steps on the impact's time. */
#define TAC_IMPACT_POLISH 6

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
    int plane;     /* which shape is a plane, or -1 */
    double far;    /* |x_B - x_A| of any two points, at most */
    double speed;  /* of x_B - x_A, at most */
    double accel;  /* of x_B - x_A, at most */
    double near;   /* how near counts as there */
    int vertex[2]; /* corners last found, as starting points */
    tacPairCache cache;
} Search;

/* What is known at one time. */
typedef struct Moment {
    double t;
    tacPose pose[2];
    tacTouch touch;
} Moment;

/* A direction from a time on: n(s) = exp((s - t) turn) n; the normal of a plane always turns with the plane. */
typedef struct Axis {
    double t;
    tacVec3 n, turn;
    double bend;   /* of n(s) . (x_B - x_A): second derivative, at most; C of impact.h */
    double excess; /* of D over the gap at t */
} Axis;

static void prepare(Search *s) {
    tacPose pose[2];
    s->plane = s->shape[0]->type == TAC_PLANE ? 0 : s->shape[1]->type == TAC_PLANE ? 1 : -1;
    s->far = s->near = s->speed = s->accel = 0;
    for (int i = 0; i < 2; i++) {
        const tacMotionBound *b = &s->motion[i]->bound;
        s->motion[i]->at(s->motion[i]->data, 0, &pose[i], 0);
        /* a plane is measured at its origin: its points move within it */
        double radius = i == s->plane ? 0 : tac_shape_radius(s->shape[i]);
        s->far += radius + s->h * b->speed;
        s->speed += b->speed + b->spin * radius;
        s->accel += b->accel + (b->spin_rate + b->spin * b->spin) * radius;
        s->near += TAC_IMPACT_TOUCH * (tac_norm3(pose[i].p) + radius + s->h * b->speed);
    }
    s->far += tac_norm3(tac_sub3(pose[1].p, pose[0].p));
}

/* |d''| <= |n''| |x| + 2 |n'| |x'| + |x''| for d = n . x (I2), with n turning at a rate of at most `spin`, which
 * itself changes by `spin_rate`. */
static double bend_of(const Search *s, double spin, double spin_rate) {
    return (spin_rate + spin * spin) * s->far + 2 * spin * s->speed + s->accel;
}

/* n . x at the furthest point of shape i along sign n, with n and the origin in the world. */
static double extent(Search *s, int i, const tacPose *pose, tacVec3 n, double sign) {
    if (i == s->plane) return tac_dot3(n, pose->p);
    tacVec3 d = tac_scale3(sign, tac_mulmtv3(pose->R, n));
    tacVec3 x = tac_shape_support(s->shape[i], d, &s->vertex[i]);
    return tac_dot3(n, pose->p) + sign * (tac_dot3(d, x) + tac_shape_pad(s->shape[i]));
}

/* D - gap along n; a plane's own normal takes the place of n. */
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

static tacStatus look(Search *s, double t, Moment *m) {
    m->t = t;
    for (int i = 0; i < 2; i++)
        s->motion[i]->at(s->motion[i]->data, t, &m->pose[i], 0);
    return tac_distance_pair(s->shape[0], &m->pose[0], s->shape[1], &m->pose[1], &s->cache, &m->touch);
}

/* The normal of a moment, from then on fixed in the world or in the plane. */
static Axis axis_of(Search *s, const Moment *m) {
    Axis axis = {.t = m->t, .n = m->touch.normal, .bend = s->accel};
    axis.excess = excess_at(s, m->pose, axis.n);
    if (s->plane < 0) return axis;
    const tacMotionBound *b = &s->motion[s->plane]->bound;
    axis.bend = bend_of(s, b->spin, b->spin_rate);
    return axis;
}

/* d(dist)/dt = n . (velocity of point 1 - velocity of point 0), the points fixed to their shapes (I4). */
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

/* Until the end of the step, with excess e there, the shapes do not reach the gap. */
static int is_safe(const Axis *axis, double end, double e) {
    return e >= 0 && tac_sqrt(axis->excess) + tac_sqrt(e) >= (end - axis->t) * tac_sqrt(0.5 * axis->bend);
}

/* In (low, high): where the straight line through the excesses there is zero, or the middle every third time. */
static double between(double low, double at_low, double high, double at_high, int trial) {
    double x = low + (high - low) * at_low / (at_low - at_high);
    return trial % 3 == 2 || !(x > low && x < high) ? 0.5 * (low + high) : x;
}

/* The end of a safe step along an axis, as long as it is easily found. Ends within T of its beginning, T^2 C/2 <= d,
 * are safe if the excess there is not negative; the last such is a root of the excess. */
static double step_end(Search *s, const Axis *axis) {
    if (is_safe(axis, s->h, excess_later(s, axis, s->h))) return s->h;
    double reach = tac_sqrt(2 * axis->excess / axis->bend);
    double far = tac_min(axis->t + 2 * reach, s->h);
    if (far < s->h && is_safe(axis, far, excess_later(s, axis, far))) return far;
    double low = axis->t, at_low = axis->excess;
    double high = tac_min(axis->t + reach, s->h), at_high = excess_later(s, axis, high);
    if (at_high >= 0) return high;
    for (int trial = 0; trial < TAC_IMPACT_TRIALS && at_low > TAC_IMPACT_LEFT * axis->excess; trial++) {
        double x = between(low, at_low, high, at_high, trial), e = excess_later(s, axis, x);
        if (e >= 0)
            low = x, at_low = e;
        else
            high = x, at_high = e;
        if (!(high - low > TAC_IMPACT_CLOCK * s->h)) break;
    }
    return low;
}

/* Rate at which n turns into m over a time, the short way. */
static tacVec3 turn_between(tacVec3 n, tacVec3 m, double time) {
    tacVec3 axis = tac_cross3(n, m);
    double sine = tac_norm3(axis);
    return sine > 0 ? tac_scale3(tac_atan2(sine, tac_dot3(n, m)) / (sine * time), axis) : tac_zero3();
}

/* The end of a safe step along an axis that turns as the shapes' normal does, seen at the time at which they seem to
 * meet, or as far as a step can reach. A face or edge that turns leaves a fixed axis at once, by its corners; steps
 * along it shrink by a factor only. Along the axis that turns they go on converging quadratically. */
static double step_ahead(Search *s, const Moment *m, const Axis *fixed) {
    Moment ahead;
    Axis axis = *fixed;
    double rate = rate_at(s, m->t, &m->touch), ahead_by = 2 * tac_sqrt(2 * axis.excess / axis.bend);
    if (s->plane >= 0) return m->t;
    if (rate < 0) ahead_by = tac_min(ahead_by, -axis.excess / rate);
    double t = tac_min(m->t + ahead_by, s->h);
    if (!(t > m->t) || look(s, t, &ahead) != TAC_OK) return m->t;
    axis.turn = turn_between(axis.n, ahead.touch.normal, t - m->t);
    axis.bend = bend_of(s, tac_norm3(axis.turn), 0);
    return step_end(s, &axis);
}

/* --- The impact --------------------------------------------------------------------------------------------------- */

static void finish(const Search *s, tacImpactKind kind, const Moment *m, int steps, tacShapeImpact *out) {
    *out = (tacShapeImpact){.kind = kind, .time = m->t, .steps = steps, .touch = m->touch};
    out->rate = rate_at(s, m->t, &m->touch);
    out->pose[0] = m->pose[0], out->pose[1] = m->pose[1];
}

/* Newton on dist(t) = gap, from a time before which there is no impact. Keeps the time with the least residual. */
static void polish(Search *s, Moment *m) {
    Moment at = *m;
    double first = m->t;
    for (int k = 0; k < TAC_IMPACT_POLISH; k++) {
        double residual = at.touch.dist - s->gap, rate = rate_at(s, at.t, &at.touch);
        if (tac_abs(residual) > tac_abs(m->touch.dist - s->gap)) return;
        *m = at;
        double t = at.t - residual / rate;
        if (residual == 0 || !(rate < 0) || !(t >= first && t <= s->h) || look(s, t, &at) != TAC_OK) return;
    }
}

/* Steps to a time up to which there is no impact; *left: what is left of the distance then. */
static tacStatus advance(Search *s, Moment *m, double *left, int *steps) {
    for (*steps = 0; *steps < TAC_IMPACT_STEPS; ++*steps) {
        Axis axis = axis_of(s, m);
        *left = axis.excess;
        if (axis.excess <= s->near || m->t >= s->h) return TAC_OK;
        double end = step_end(s, &axis);
        if (*steps > TAC_IMPACT_SLOW) end = tac_max(end, step_ahead(s, m, &axis));
        if (!(end > m->t)) { /* the root is within rounding of here */
            *left = 0;
            return TAC_OK;
        }
        tacStatus status = look(s, end, m);
        if (status != TAC_OK) return status;
    }
    return TAC_OK;
}

tacStatus tac_impact(const tacShape *a, const tacMotion *A, const tacShape *b, const tacMotion *B, double h, double gap,
                     tacShapeImpact *out) {
    Search s = {.shape = {a, b}, .motion = {A, B}, .gap = gap, .h = h, .vertex = {-1, -1}};
    Moment m;
    double left;
    int steps;
    prepare(&s);
    tacStatus status = look(&s, 0, &m);
    if (status == TAC_OK) status = advance(&s, &m, &left, &steps);
    if (status != TAC_OK) return status;
    int hit = left <= s.near;
    if (hit && steps > 0) polish(&s, &m);
    tacImpactKind missed = m.t < h ? TAC_IMPACT_UNDECIDED : TAC_IMPACT_NONE;
    finish(&s, !hit ? missed : steps > 0 ? TAC_IMPACT_HIT : TAC_IMPACT_NEAR, &m, steps, out);
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
