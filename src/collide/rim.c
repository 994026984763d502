/* The lowest points of rims, and the fixed points of rims that lie flat. */
#include "collide/rim.h"

#include "collide/closed_form.h"

/* Component of N across the shape's axis, in its frame. */
typedef struct Tilt {
    double x, y, sine;
} Tilt;

static Tilt tilt_of(const tacPose *pose, tacVec3 N) {
    tacVec3 n = tac_mulmtv3(pose->R, N);
    return (Tilt){n.x, n.y, tac_sqrt(n.x * n.x + n.y * n.y)};
}

tacVec3 tac_rim_lowest(const tacPose *pose, tacVec3 N, double flat) {
    Tilt t = tilt_of(pose, N);
    if (!(t.sine >= flat)) return tac_pose_axis(pose, 0);
    return tac_mulmv3(pose->R, tac_vec3(-t.x / t.sine, -t.y / t.sine, 0));
}

tacVec3 tac_rim_start(const tacPose *pose, tacFeature circle, tacVec3 N, double flat) {
    return tac_rim_is_fixed(circle) ? tac_pose_axis(pose, 0) : tac_rim_lowest(pose, N, flat);
}

/* Angle of the lowest point from the x axis. */
static double lowest_angle(Tilt t, double flat) { return t.sine >= flat ? tac_atan2(-t.y, -t.x) : 0; }

static double nearest_whole(double x) {
    double whole = (double)(long)x, rest = x - whole;
    return rest > 0.5 ? whole + 1 : rest < -0.5 ? whole - 1 : whole;
}

int tac_rim_fixed_point(const tacShape *s, const tacPose *pose, tacVec3 N, double flat, double angle) {
    Tilt t = tilt_of(pose, N);
    if (!(s->size.x > 0 && t.sine * s->size.x < TAC_RIM_LEVEL)) return 0;
    int which = (int)nearest_whole((lowest_angle(t, flat) + angle) / TAC_RIM_CELL) % TAC_RIM_POINTS;
    return 1 + (which < 0 ? which + TAC_RIM_POINTS : which);
}

double tac_rim_tilt_room(const tacShape *s, const tacPose *pose, tacVec3 N, double flat) {
    Tilt t = tilt_of(pose, N);
    double cells = lowest_angle(t, flat) / TAC_RIM_CELL, off = tac_abs(cells - nearest_whole(cells));
    if (t.sine < flat) return flat - t.sine;
    double level = TAC_RIM_LEVEL / s->size.x - t.sine;
    return tac_max(0, tac_min(tac_min(level, t.sine - flat), t.sine * tac_sin((0.5 - off) * TAC_RIM_CELL)));
}

/* --- Touches ------------------------------------------------------------------------------------------------------ */

/* Replaces a touch on a rim that lies flat by that of the nearest fixed point. Returns 0 where that is not over the
 * face. */
static int fix_rim_point(const tacShape *const shape[2], const tacPose *const pose[2], tacTouch *t) {
    int face = tac_touch_side(t, TAC_FEATURE_PLANE), rim = 1 - face;
    if (!tac_touch_on_rim(t)) return 0;
    tacVec3 N = face == 0 ? t->normal : tac_neg3(t->normal);
    double angle = t->rule == TAC_RULE_RIM ? t->angle : 0;
    int which = tac_rim_fixed_point(shape[rim], pose[rim], N, tac_rim_flat(shape[face]), angle);
    if (which == 0) return 0;
    tacTouch fixed = *t;
    fixed.rule = TAC_RULE_RIM;
    fixed.feature[rim].id[1] = which;
    fixed.angle = (which - 1) * TAC_RIM_CELL;
    if (tac_touch_rebuild(shape[0], pose[0], shape[1], pose[1], &fixed) != TAC_OK) return 0;
    double margin = tac_touch_margin(shape[0], pose[0], shape[1], pose[1], &fixed);
    if (margin < 0) return 0;
    fixed.margin = tac_min(t->margin, margin);
    *t = fixed;
    return 1;
}

static int has_rim(const tacShape *s) { return s->type == TAC_GEOM_CYLINDER || s->type == TAC_GEOM_CONE; }

int tac_fix_rims(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, int n, tacTouch *touch) {
    int fixed = 0;
    if (!has_rim(a) && !has_rim(b)) return n;
    for (int i = 0; i < n; i++)
        fixed += fix_rim_point((const tacShape *const[2]){a, b}, (const tacPose *const[2]){A, B}, &touch[i]);
    return fixed > 0 ? tac_deepest_first(n, touch) : n;
}
