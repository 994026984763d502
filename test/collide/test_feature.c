/* Patches of features: on the surface to third order, moving with it to second order; and the room a feature has, which
 * is positive for one feature alone: the nearest. */
#include "support/check.h"

#include "collide/closed_form.h"
#include "collide/touch_motion.h"
#include "support/draw.h"

#include <math.h>
#include <string.h>

/* Points and normals of known shapes, of order 1. */
#define TOL_VALUE 1e-13
/* Local coordinates of the order test, and what the term of third order may be: shapes have radii of 0.4 to 1.2. */
#define STEP        1e-3
#define THIRD_ORDER (20 * STEP * STEP * STEP)
/* Motion of the first-order test, and the terms of second order it leaves. */
#define MOVE         1e-5
#define SECOND_ORDER (100 * MOVE * MOVE)

enum { TRIALS = 40, POINTS = 4000 };

#define F(kind_, a, b)                                                                                                 \
    {                                                                                                                  \
        .kind = TAC_FEATURE_##kind_, .id = { a, b }                                                                    \
    }

typedef struct Kind {
    tacGeomType type;
    tacFeature feature;
} Kind;
static const Kind KINDS[] = {
    {TAC_GEOM_PLANE, F(PLANE, 0, 0)},     {TAC_GEOM_SPHERE, F(POINT, 0, 0)},
    {TAC_GEOM_CAPSULE, F(POINT, 0, 0)},   {TAC_GEOM_CAPSULE, F(POINT, 1, 0)},
    {TAC_GEOM_CAPSULE, F(LINE, 0, 1)},    {TAC_GEOM_CYLINDER, F(LINE, 0, 1)},
    {TAC_GEOM_CYLINDER, F(PLANE, 0, 0)},  {TAC_GEOM_CYLINDER, F(PLANE, 1, 0)},
    {TAC_GEOM_CYLINDER, F(CIRCLE, 0, 0)}, {TAC_GEOM_CYLINDER, F(CIRCLE, 1, 0)},
    {TAC_GEOM_CONE, F(POINT, 0, 0)},      {TAC_GEOM_CONE, F(SIDE, 0, 0)},
    {TAC_GEOM_CONE, F(CIRCLE, 0, 0)},     {TAC_GEOM_CONE, F(PLANE, 0, 0)},
    {TAC_GEOM_BOX, F(POINT, 3, 0)},       {TAC_GEOM_BOX, F(LINE, 4, 6)},
    {TAC_GEOM_BOX, F(PLANE, 3, 0)},       {TAC_GEOM_MESH, F(POINT, 2, 0)},
    {TAC_GEOM_MESH, F(LINE, 3, 5)},       {TAC_GEOM_MESH, F(PLANE, 0, 0)},
    {TAC_GEOM_MESH, F(PLANE, 4, 0)},      {TAC_GEOM_ELLIPSOID, F(ELLIPSOID, 0, 0)},
};
enum { NKIND = sizeof KINDS / sizeof *KINDS };

static const tacPose HERE = {{0, 0, 0}, {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};

static tacShape shape_of(tacDraw *d, tacGeomType type) {
    if (type == TAC_GEOM_MESH) return motion_prism();
    tacVec3 size = {draw_uniform(d, 0.4, 1.2), draw_uniform(d, 0.4, 1.2), draw_uniform(d, 0.4, 1.2)};
    return (tacShape){.type = type, .size = size};
}

static tacPose draw_pose(tacDraw *d) { return (tacPose){draw_vec3(d, 1), tac_quat_mat(draw_quat(d))}; }

/* --- Patches ------------------------------------------------------------------------------------------------------ */

/* x + t s + c s s/2 */
static tacVec3 along(const tacPatch *p, double s0, double s1) {
    tacVec3 x = tac_madd3(p->x, s0, p->t[0]);
    x = tac_madd3(tac_madd3(x, 0.5 * s0 * s0, p->c[0]), s1, p->t[1]);
    return tac_madd3(tac_madd3(x, s0 * s1, p->c[1]), 0.5 * s1 * s1, p->c[2]);
}

/* A cone's side has no tangents where it ends. */
static int at_apex(const tacPatch *p) { return p->dim == 2 && tac_norm3(p->t[1]) < 0.1; }

static void patches_follow_their_surface_to_third_order(void **state) {
    (void)state;
    tacDraw d = {51, 0};
    for (int k = 0; k < NKIND; k++)
        for (int trial = 0; trial < TRIALS; trial++) {
            tacShape s = shape_of(&d, KINDS[k].type);
            tacPose pose = draw_pose(&d);
            tacPatch p = tac_feature_patch(&s, &pose, KINDS[k].feature, draw_vec3(&d, 3));
            if (at_apex(&p)) continue;
            double s0 = p.dim > 0 ? draw_uniform(&d, -STEP, STEP) : 0,
                   s1 = p.dim > 1 ? draw_uniform(&d, -STEP, STEP) : 0;
            tacVec3 x = along(&p, s0, s1), again = tac_feature_patch(&s, &pose, KINDS[k].feature, x).x;
            CHECK_LT(tac_norm3(tac_sub3(x, again)), THIRD_ORDER);
        }
}

/* The same point comes back, wherever the patch lies. */
static void the_nearest_point_of_a_point_of_the_core_is_itself(void **state) {
    (void)state;
    tacDraw d = {52, 0};
    for (int k = 0; k < NKIND; k++)
        for (int trial = 0; trial < TRIALS; trial++) {
            tacShape s = shape_of(&d, KINDS[k].type);
            tacPose pose = draw_pose(&d);
            tacPatch p = tac_feature_patch(&s, &pose, KINDS[k].feature, draw_vec3(&d, 3));
            tacPatch q = tac_feature_patch(&s, &pose, KINDS[k].feature, p.x);
            CHECK_ARRAY(3, &q.x, &p.x, 100 * TOL_VALUE);
        }
}

/* --- How they move ------------------------------------------------------------------------------------------------ */

static tacVec3 across(const tacPatch *p, const tacPatchTangent *d, double h) {
    tacVec3 t[2];
    for (int i = 0; i < p->dim; i++)
        t[i] = d ? tac_madd3(p->t[i], h, d->t[i]) : p->t[i];
    tacVec3 n = p->dim == 2 ? tac_cross3(t[0], t[1]) : t[0];
    return tac_scale3(1 / tac_norm3(n), n);
}

/* x + h dx lies on the moved feature, and t + h dt spans its tangents there, both to h^2. */
static void check_moved(TouchMotion *m, tacFeature f, tacVec3 near) {
    tacShape shape[2];
    tacPose pose[2];
    tacVec3 corner[MOTION_MOST_CORNERS];
    tacPatch p = tac_feature_patch(&m->shape[0], &m->pose[0], f, near);
    tacShapeTangent move = motion_tangent(m, 0, corner);
    tacPatchTangent d = tac_feature_move(&m->shape[0], &m->pose[0], f, &p, &move);
    motion_at(m, MOVE, shape, pose);
    tacVec3 x = tac_madd3(p.x, MOVE, d.x);
    tacPatch q = tac_feature_patch(&shape[0], &pose[0], f, x);
    CHECK_LT(tac_norm3(tac_sub3(q.x, x)), SECOND_ORDER);
    CHECK_NEAR(q.pad, p.pad + MOVE * d.pad, SECOND_ORDER);
    if (p.dim == 0) return;
    tacVec3 a = across(&p, &d, MOVE), b = across(&q, NULL, 0);
    CHECK_LT(tac_norm3(tac_cross3(a, b)), SECOND_ORDER);
}

static void patches_move_with_twist_sizes_and_corners(void **state) {
    (void)state;
    tacDraw d = {53, 0};
    for (int k = 0; k < NKIND; k++)
        for (int trial = 0; trial < TRIALS; trial++) {
            TouchMotion m;
            memset(&m, 0, sizeof m);
            m.shape[0] = shape_of(&d, KINDS[k].type), m.pose[0] = draw_pose(&d), m.about = draw_vec3(&d, 1);
            tacVec3 near = draw_vec3(&d, 2);
            tacVec3 local = tac_pose_local(&m.pose[0], near);
            if (KINDS[k].feature.kind == TAC_FEATURE_SIDE && local.z > 0) continue; /* by the apex curvature grows */
            for (m.what = 0; m.what < motion_count(&m, 0); m.what++)
                check_moved(&m, KINDS[k].feature, near);
        }
}

/* --- Normals of faces --------------------------------------------------------------------------------------------- */

static void faces_look_outwards(void **state) {
    (void)state;
    tacShape prism = motion_prism(), box = {.type = TAC_GEOM_BOX, .size = {0.3, 0.5, 0.7}};
    for (int i = 0; i < 5; i++) {
        tacFeature f = F(PLANE, i, 0);
        tacVec3 n = tac_feature_normal(&prism, &HERE, f), x = tac_feature_patch(&prism, &HERE, f, tac_zero3()).x;
        CHECK_NEAR(tac_norm3(n), 1, TOL_VALUE);
        CHECK(tac_dot3(n, x) > 0); /* the origin is inside */
        tacVec3 newell = tac_shape_face_normal(&prism, i);
        CHECK_ARRAY(3, &n, &newell, TOL_VALUE);
    }
    for (int i = 0; i < 6; i++) {
        tacFeature f = F(PLANE, i, 0);
        tacVec3 n = tac_feature_normal(&box, &HERE, f), x = tac_feature_patch(&box, &HERE, f, tac_zero3()).x;
        CHECK_NEAR(tac_dot3(n, x), tac_get3(box.size, i / 2), TOL_VALUE);
    }
    tacShape cone = {.type = TAC_GEOM_CONE, .size = {1, 2, 0}}, rod = {.type = TAC_GEOM_CYLINDER, .size = {1, 2, 0}};
    tacFeature bottom = F(PLANE, 0, 0), top = F(PLANE, 1, 0);
    CHECK_NEAR(tac_feature_normal(&cone, &HERE, bottom).z, -1, TOL_VALUE);
    CHECK_NEAR(tac_feature_normal(&rod, &HERE, top).z, 1, TOL_VALUE);
}

/* A face without area has no normal; the answer is a unit vector all the same. */
static void a_flat_face_has_a_fixed_normal(void **state) {
    (void)state;
    tacVec3 line[6];
    for (int i = 0; i < 6; i++)
        line[i] = tac_vec3(i, 0, 0);
    tacShape s = motion_prism();
    s.hull.vert = line;
    tacFeature f = F(PLANE, 0, 0);
    CHECK_NEAR(tac_feature_normal(&s, &HERE, f).z, 1, TOL_VALUE);
    tacPatch p = tac_feature_patch(&s, &HERE, f, tac_vec3(1, 2, 3));
    tacShapeTangent move = {.vert = line};
    tacPatchTangent d = tac_feature_move(&s, &HERE, f, &p, &move);
    CHECK(isfinite(d.x.x) && isfinite(d.t[0].x) && isfinite(p.x.z));
}

/* --- Room --------------------------------------------------------------------------------------------------------- */

/* All features of a shape. */
static int features_of(const tacShape *s, tacFeature *f) {
    int n = 0;
    if (s->type != TAC_GEOM_BOX && s->type != TAC_GEOM_MESH) {
        for (int k = 0; k < NKIND; k++)
            if (KINDS[k].type == s->type) f[n++] = KINDS[k].feature;
        return n;
    }
    for (int i = 0; i < tac_shape_nface(s); i++)
        f[n++] = tac_feature(TAC_FEATURE_PLANE, i, 0);
    for (int i = 0; i < tac_shape_nvert(s); i++) {
        const int *neighbour;
        int count = tac_shape_neighbours(s, i, &neighbour);
        f[n++] = tac_feature(TAC_FEATURE_POINT, i, 0);
        for (int k = 0; k < count; k++)
            if (neighbour[k] > i) f[n++] = tac_feature(TAC_FEATURE_LINE, i, neighbour[k]);
    }
    return n;
}

/* Distance to a feature from outside with its margin; HUGE_VAL where the feature's own surface looks the other way. */
static double reach(const tacShape *s, const tacPose *pose, tacFeature f, tacVec3 x, double *margin) {
    tacPatch p = tac_feature_patch(s, pose, f, x);
    tacVec3 gap = tac_sub3(x, p.x);
    double dist = tac_norm3(gap);
    tacVec3 n = tac_scale3(1 / dist, gap);
    *margin = tac_feature_margin(s, pose, f, p.x, n);
    tacVec3 local = tac_pose_local(pose, p.x), m = tac_mulmtv3(pose->R, n);
    if (f.kind == TAC_FEATURE_PLANE && tac_dot3(n, tac_feature_normal(s, pose, f)) < 0) return HUGE_VAL;
    if (f.kind == TAC_FEATURE_SIDE && local.x * m.x + local.y * m.y < 0) return HUGE_VAL;
    return dist - p.pad;
}

/* Of all features of a shape one alone has room: the one nearest to a point outside. Faces whose inner side looks at
 * the point do not count. */
static void one_feature_alone_has_room(void **state) {
    (void)state;
    static const tacGeomType TYPES[] = {TAC_GEOM_CAPSULE, TAC_GEOM_CYLINDER, TAC_GEOM_CONE, TAC_GEOM_BOX,
                                        TAC_GEOM_MESH};
    tacDraw d = {54, 0};
    for (int type = 0; type < 5; type++) {
        int seen[6] = {0};
        for (int trial = 0; trial < POINTS; trial++) {
            tacShape s = shape_of(&d, TYPES[type]);
            if (s.type == TAC_GEOM_MESH && trial % 2) s.type = TAC_GEOM_BOX, s.size = tac_vec3(0.5, 0.7, 0.9);
            tacPose pose = draw_pose(&d);
            tacVec3 x = tac_add3(
                pose.p, tac_scale3(draw_uniform(&d, 1.8, 4), tac_quat_rotate(draw_quat(&d), tac_vec3(0, 0, 1))));
            tacFeature f[64];
            int n = features_of(&s, f), right = 0;
            for (int i = 0; i < n; i++) {
                double margin, dist = reach(&s, &pose, f[i], x, &margin);
                if (!(margin > TOL_VALUE) || isinf(dist)) continue;
                right++, seen[f[i].kind]++;
            }
            CHECK_INT(right, 1);
        }
        CHECK(seen[TAC_FEATURE_POINT] + seen[TAC_FEATURE_CIRCLE] > 0 &&
              seen[TAC_FEATURE_LINE] + seen[TAC_FEATURE_SIDE] > 0);
    }
}

static double margin_of(tacShape s, tacFeature f, tacVec3 x, tacVec3 n) {
    return tac_feature_margin(&s, &HERE, f, x, n);
}

static void room_of_known_touches(void **state) {
    (void)state;
    tacVec3 x = {1, 0, 0}, z = {0, 0, 1}, slant = {0.6, 0, 0.8};
    tacShape capsule = {.type = TAC_GEOM_CAPSULE, .size = {0.1, 2, 0}},
             cylinder = {.type = TAC_GEOM_CYLINDER, .size = {3, 2, 0}};
    tacShape box = {.type = TAC_GEOM_BOX, .size = {1, 2, 3}}, cone = {.type = TAC_GEOM_CONE, .size = {3, 2, 0}};
    tacFeature end = F(POINT, 1, 0), line = F(LINE, 0, 1), flat = F(PLANE, 1, 0), rim = F(CIRCLE, 1, 0);
    CHECK_NEAR(margin_of(capsule, line, tac_vec3(0, 0, 0.5), x), 1.5, TOL_VALUE);
    CHECK_NEAR(margin_of(capsule, end, tac_vec3(0, 0, 2), slant), 0.8 * 2, TOL_VALUE);
    CHECK_NEAR(margin_of(capsule, end, tac_vec3(0, 0, 2), tac_neg3(slant)), -0.8 * 2, TOL_VALUE);
    CHECK_NEAR(margin_of(cylinder, flat, tac_vec3(0, 1, 2), z), 2, TOL_VALUE);
    CHECK_NEAR(margin_of(cylinder, rim, tac_vec3(3, 0, 2), slant), 0.6 * sqrt(13), 10 * TOL_VALUE);
    CHECK_NEAR(margin_of(box, (tacFeature)F(PLANE, 5, 0), tac_vec3(0.25, -1.5, 3), z), 0.5, TOL_VALUE);
    CHECK_NEAR(margin_of(box, (tacFeature)F(LINE, 7, 6), tac_vec3(0.25, 2, 3), tac_vec3(0, 0.6, 0.8)), 0.75, TOL_VALUE);
    CHECK_NEAR(margin_of(box, (tacFeature)F(POINT, 7, 0), tac_vec3(1, 2, 3), tac_vec3(0, 0.6, 0.8)), 0, TOL_VALUE);
    CHECK_NEAR(margin_of(cone, (tacFeature)F(SIDE, 0, 0), tac_vec3(1.5, 0, 0), tac_vec3(0.8, 0, 0.6)), 2.5,
               10 * TOL_VALUE);
    CHECK(isinf(margin_of((tacShape){.type = TAC_GEOM_SPHERE, .size = {1, 0, 0}}, (tacFeature)F(POINT, 0, 0), x, x)));
    CHECK(isinf(margin_of((tacShape){.type = TAC_GEOM_PLANE}, (tacFeature)F(PLANE, 0, 0), x, z)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_follow_their_surface_to_third_order),
        cmocka_unit_test(the_nearest_point_of_a_point_of_the_core_is_itself),
        cmocka_unit_test(patches_move_with_twist_sizes_and_corners),
        cmocka_unit_test(faces_look_outwards),
        cmocka_unit_test(a_flat_face_has_a_fixed_normal),
        cmocka_unit_test(one_feature_alone_has_room),
        cmocka_unit_test(room_of_known_touches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
