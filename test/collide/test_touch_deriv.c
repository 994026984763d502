/* Touches rebuilt from their features, and how they move, against Ridders' differences of the rebuilding: every rule,
 * every pair of features, both twists, sizes and corners of meshes. */
#include "support/check.h"

#include "collide/closed_form.h"
#include "collide/touch_motion.h"
#include "measure/differences.h"
#include "support/draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Relative to the largest entry of a column, at least 1; Ridders' differences of a function exact to rounding reach
 * 1e-11 to 1e-9 here. */
#define TOL_GRADIENT 1e-8
/* The rebuilt touch against its rule's conditions; coordinates are of order 1 to 10. */
#define TOL_VALUE 1e-11
/* Exchanged sides, moved together: the same formulas in another order. */
#define TOL_ROUNDING 1e-11
/* First step of the differences: m, rad. */
#define FIRST_STEP 2e-3
/* Larger derivatives belong to features that are nearly parallel, whose differences have no digits left. */
#define MOST_SLOPE 10.0

enum { TRIALS = 6, ATTEMPTS = 400 };

/* --- Shapes, features and where they are -------------------------------------------------------------------------- */

typedef struct Kind {
    tacGeomType type;
    tacFeature feature;
} Kind;

#define F(kind_, a, b)                                                                                                 \
    {                                                                                                                  \
        .kind = TAC_FEATURE_##kind_, .id = { a, b }                                                                    \
    }
static const Kind KINDS[] = {
    {TAC_GEOM_PLANE, F(PLANE, 0, 0)},
    {TAC_GEOM_SPHERE, F(POINT, 0, 0)},
    {TAC_GEOM_CAPSULE, F(POINT, 1, 0)},
    {TAC_GEOM_CAPSULE, F(LINE, 0, 1)},
    {TAC_GEOM_CYLINDER, F(LINE, 0, 1)},
    {TAC_GEOM_CYLINDER, F(PLANE, 1, 0)},
    {TAC_GEOM_CYLINDER, F(CIRCLE, 0, 0)},
    {TAC_GEOM_CYLINDER, F(CIRCLE, 1, 0)},
    {TAC_GEOM_ELLIPSOID, F(ELLIPSOID, 0, 0)},
    {TAC_GEOM_CONE, F(POINT, 0, 0)},
    {TAC_GEOM_CONE, F(SIDE, 0, 0)},
    {TAC_GEOM_CONE, F(CIRCLE, 0, 0)},
    {TAC_GEOM_CONE, F(PLANE, 0, 0)},
    {TAC_GEOM_BOX, F(POINT, 5, 0)},
    {TAC_GEOM_BOX, F(LINE, 1, 3)},
    {TAC_GEOM_BOX, F(PLANE, 4, 0)},
    {TAC_GEOM_MESH, F(POINT, 4, 0)},
    {TAC_GEOM_MESH, F(LINE, 1, 4)},
    {TAC_GEOM_MESH, F(PLANE, 1, 0)},
    {TAC_GEOM_MESH, F(PLANE, 3, 0)},
};
enum { NKIND = sizeof KINDS / sizeof *KINDS };

static tacShape shape_of(tacDraw *d, tacGeomType type) {
    if (type == TAC_GEOM_MESH) return motion_prism();
    tacVec3 size = {draw_uniform(d, 0.4, 1.2), draw_uniform(d, 0.4, 1.2), draw_uniform(d, 0.4, 1.2)};
    return (tacShape){.type = type, .size = size};
}

/* Two shapes 2 to 4 apart, and a touch that says where to start. */
static void draw_pair(tacDraw *d, Kind a, Kind b, TouchMotion *m, tacTouch *t) {
    Kind kind[2] = {a, b};
    *t = (tacTouch){.rule = TAC_RULE_NEAREST};
    memset(m, 0, sizeof *m);
    for (int i = 0; i < 2; i++) {
        m->shape[i] = shape_of(d, kind[i].type);
        m->pose[i].p = draw_vec3(d, 0.5), m->pose[i].R = tac_quat_mat(draw_quat(d));
        t->feature[i] = kind[i].feature;
    }
    m->about = draw_vec3(d, 1);
    tacVec3 n = tac_quat_rotate(draw_quat(d), tac_vec3(0, 0, 1));
    m->pose[1].p = tac_madd3(m->pose[1].p, draw_uniform(d, 2, 4), n);
    t->normal = n;
    for (int i = 0; i < 2; i++)
        t->point[i] = tac_feature_patch(&m->shape[i], &m->pose[i], t->feature[i], m->pose[1 - i].p).x;
}

static tacStatus rebuild(const TouchMotion *m, tacTouch *t) {
    return tac_touch_rebuild(&m->shape[0], &m->pose[0], &m->shape[1], &m->pose[1], t);
}

/* --- Differences -------------------------------------------------------------------------------------------------- */

typedef struct Along {
    TouchMotion *m;
    const tacTouch *touch;
} Along;

static int rebuild_along(void *context, double h, double *out) {
    Along *a = context;
    tacShape shape[2];
    tacPose pose[2];
    tacTouch t = *a->touch;
    motion_at(a->m, h, shape, pose);
    if (tac_touch_rebuild(&shape[0], &pose[0], &shape[1], &pose[1], &t) != TAC_OK) return 1;
    motion_pack(&t, out);
    return 0;
}

/* Largest entry of the derivative in all directions: whether differences can follow it. */
static double steepest(TouchMotion *m, const tacTouchSystem *k) {
    double most = 0, column[MOTION_NUMBERS];
    tacVec3 corner[2][MOTION_MOST_CORNERS];
    for (m->side = 0; m->side < 2; m->side++)
        for (m->what = 0; m->what < motion_count(m, m->side); m->what++) {
            tacShapeTangent da = motion_tangent(m, 0, corner[0]), db = motion_tangent(m, 1, corner[1]);
            tacTouchTangent t = tac_touch_jvp(k, &da, &db);
            motion_pack_tangent(&t, column);
            for (int i = 0; i < MOTION_NUMBERS; i++)
                most = fmax(most, isfinite(column[i]) ? fabs(column[i]) : HUGE_VAL);
        }
    return most;
}

static void check_columns(TouchMotion *m, const tacTouch *touch, const tacTouchSystem *k) {
    double work[DIFFERENCE_ROWS * DIFFERENCE_ROWS * 4 * MOTION_NUMBERS], numeric[MOTION_NUMBERS], exact[MOTION_NUMBERS];
    CHECK(difference_work(MOTION_NUMBERS) <= (int)(sizeof work / sizeof *work));
    tacVec3 corner[2][MOTION_MOST_CORNERS];
    for (m->side = 0; m->side < 2; m->side++)
        for (m->what = 0; m->what < motion_count(m, m->side); m->what++) {
            Along along = {m, touch};
            tacShapeTangent da = motion_tangent(m, 0, corner[0]), db = motion_tangent(m, 1, corner[1]);
            tacTouchTangent t = tac_touch_jvp(k, &da, &db);
            motion_pack_tangent(&t, exact);
            CHECK_INT(difference_ridders(rebuild_along, &along, MOTION_NUMBERS, FIRST_STEP, numeric, NULL, work), 0);
            if (relative_error(MOTION_NUMBERS, exact, numeric) > TOL_GRADIENT)
                print_message("rule %d features %d %d side %d direction %d\n", (int)touch->rule, touch->feature[0].kind,
                              touch->feature[1].kind, m->side, m->what);
            CHECK_ARRAY(MOTION_NUMBERS, exact, numeric, TOL_GRADIENT);
        }
}

/* --- What a touch has to satisfy ---------------------------------------------------------------------------------- */

static void check_record(const tacTouch *t) {
    tacVec3 gap = tac_sub3(t->point[1], t->point[0]), want = tac_scale3(t->dist, t->normal);
    CHECK_NEAR(tac_norm3(t->normal), 1, TOL_VALUE);
    CHECK_ARRAY(3, &gap, &want, TOL_VALUE);
}

/* (D4): the normal is across both patches, the cores are d apart along it. */
static void check_nearest(const TouchMotion *m, const tacTouch *t) {
    tacPatch p[2];
    for (int i = 0; i < 2; i++) {
        p[i] = tac_feature_patch(&m->shape[i], &m->pose[i], t->feature[i], t->point[i]);
        tacVec3 surface = tac_madd3(p[i].x, i ? -p[i].pad : p[i].pad, t->normal);
        CHECK_ARRAY(3, &surface, &t->point[i], TOL_VALUE);
        for (int j = 0; j < p[i].dim; j++)
            CHECK_NEAR(tac_dot3(t->normal, p[i].t[j]), 0, TOL_VALUE);
    }
}

/* Column of shape 0 from that of shape 1, against the column itself. */
static void check_opposite(const TouchMotion *m, const tacTouchSystem *k) {
    tacTouchTangent column[6];
    tac_touch_jac(k, m->about, column);
    for (int i = 0; i < 6; i++) {
        TouchMotion here = *m;
        here.side = 0, here.what = i;
        tacShapeTangent da = motion_tangent(&here, 0, NULL), still = {.about = m->about};
        tacTouchTangent direct = tac_touch_jvp(k, &da, &still), other = tac_touch_opposite(k, m->about, i, &column[i]);
        double a[MOTION_NUMBERS], b[MOTION_NUMBERS];
        motion_pack_tangent(&direct, a), motion_pack_tangent(&other, b);
        CHECK_ARRAY(MOTION_NUMBERS, a, b, TOL_ROUNDING);
    }
}

/* By the apex of a cone, where its side ends within the stencil. */
static int at_apex(const tacTouchSystem *k) {
    int side = tac_touch_side(&k->touch, TAC_FEATURE_SIDE);
    if (side >= 0 && tac_norm3(k->patch[side].t[1]) < 0.1) return 1;
    return side == 0 && k->touch.feature[1].kind == TAC_FEATURE_SIDE && tac_norm3(k->patch[1].t[1]) < 0.1;
}

/* Whether the touch has a derivative that differences can follow; then everything about it is checked. */
static int check_touch(TouchMotion *m, const tacTouch *t) {
    tacTouchSystem k;
    memset(&k, 0xFF, sizeof k); /* NaN: what it held does not matter */
    if (tac_touch_prepare(&m->shape[0], &m->pose[0], &m->shape[1], &m->pose[1], t, &k) != TAC_OK) return 0;
    if (!(steepest(m, &k) < MOST_SLOPE) || at_apex(&k)) return 0;
    check_record(t);
    check_columns(m, t, &k);
    check_opposite(m, &k);
    return 1;
}

/* --- Rules -------------------------------------------------------------------------------------------------------- */

static int is_plane(Kind k) { return k.feature.kind == TAC_FEATURE_PLANE; }
/* A plane fixes the normal: against a line, another plane or the side of a cone there is no nearest point. */
static int has_nearest(Kind a, Kind b) {
    if (!is_plane(a) && !is_plane(b)) return 1;
    Kind other = is_plane(a) ? b : a;
    return other.feature.kind != TAC_FEATURE_LINE && other.feature.kind != TAC_FEATURE_SIDE && !is_plane(other);
}

static void nearest_points_of_every_pair_of_features(void **state) {
    (void)state;
    tacDraw d = {41, 0};
    for (int a = 0; a < NKIND; a++)
        for (int b = 0; b < NKIND; b++) {
            if (!has_nearest(KINDS[a], KINDS[b])) continue;
            int checked = 0;
            for (int attempt = 0; attempt < ATTEMPTS && checked < TRIALS; attempt++) {
                TouchMotion m;
                tacTouch t;
                draw_pair(&d, KINDS[a], KINDS[b], &m, &t);
                if (rebuild(&m, &t) != TAC_OK) continue;
                if (!check_touch(&m, &t)) continue;
                check_nearest(&m, &t);
                checked++;
            }
            if (checked < TRIALS) print_message("kinds %d %d: %d\n", a, b, checked);
            CHECK_INT(checked, TRIALS);
        }
}

/* An edge of a face: `clip` on the side of the face. */
typedef struct Edge {
    Kind face;
    tacFeature clip;
} Edge;
static const Edge EDGES[] = {
    {{TAC_GEOM_BOX, F(PLANE, 4, 0)}, F(LINE, 1, 3)},        {{TAC_GEOM_BOX, F(PLANE, 1, 0)}, F(LINE, 7, 5)},
    {{TAC_GEOM_MESH, F(PLANE, 1, 0)}, F(LINE, 3, 4)},       {{TAC_GEOM_MESH, F(PLANE, 3, 0)}, F(LINE, 2, 5)},
    {{TAC_GEOM_CYLINDER, F(PLANE, 1, 0)}, F(CIRCLE, 1, 0)}, {{TAC_GEOM_CONE, F(PLANE, 0, 0)}, F(CIRCLE, 0, 0)},
};
enum { NEDGE = sizeof EDGES / sizeof *EDGES };

static int crosses(Kind k) { return k.feature.kind == TAC_FEATURE_LINE || k.feature.kind == TAC_FEATURE_CIRCLE; }

static void crossings_of_side_planes(void **state) {
    (void)state;
    tacDraw d = {42, 0};
    for (int e = 0; e < NEDGE; e++)
        for (int b = 0; b < NKIND; b++)
            for (int side = 0; side < 2 && crosses(KINDS[b]); side++) {
                int checked = 0;
                for (int attempt = 0; attempt < ATTEMPTS && checked < TRIALS; attempt++) {
                    TouchMotion m;
                    tacTouch t;
                    draw_pair(&d, side ? KINDS[b] : EDGES[e].face, side ? EDGES[e].face : KINDS[b], &m, &t);
                    m.pose[1].p = tac_add3(m.pose[0].p, draw_vec3(&d, 1));
                    t.rule = TAC_RULE_CLIP, t.clip = EDGES[e].clip;
                    checked += rebuild(&m, &t) == TAC_OK && check_touch(&m, &t);
                }
                CHECK_INT(checked, TRIALS);
            }
}

static void corners_under_planes(void **state) {
    (void)state;
    static const struct {
        Kind corner;
        tacFeature face;
    } CORNERS[] = {{{TAC_GEOM_BOX, F(POINT, 5, 0)}, F(PLANE, 1, 0)},
                   {{TAC_GEOM_MESH, F(POINT, 4, 0)}, F(PLANE, 3, 0)},
                   {{TAC_GEOM_MESH, F(POINT, 0, 0)}, F(PLANE, 0, 0)}};
    tacDraw d = {43, 0};
    for (int c = 0; c < 3; c++)
        for (int b = 0; b < NKIND; b++)
            for (int side = 0; side < 2 && is_plane(KINDS[b]); side++) {
                int checked = 0;
                for (int attempt = 0; attempt < ATTEMPTS && checked < TRIALS; attempt++) {
                    TouchMotion m;
                    tacTouch t;
                    draw_pair(&d, side ? KINDS[b] : CORNERS[c].corner, side ? CORNERS[c].corner : KINDS[b], &m, &t);
                    t.rule = TAC_RULE_CORNER, t.clip = CORNERS[c].face;
                    checked += rebuild(&m, &t) == TAC_OK && check_touch(&m, &t);
                }
                CHECK_INT(checked, TRIALS);
            }
}

/* At an angle from the lowest, and every other one fixed to the rim. */
static void points_of_rims(void **state) {
    (void)state;
    tacDraw d = {44, 0};
    for (int a = 0; a < NKIND; a++)
        for (int b = 0; b < NKIND; b++) {
            if (!is_plane(KINDS[a]) || KINDS[b].feature.kind != TAC_FEATURE_CIRCLE) continue;
            for (int side = 0; side < 2; side++) {
                int checked = 0;
                for (int attempt = 0; attempt < ATTEMPTS && checked < TRIALS; attempt++) {
                    TouchMotion m;
                    tacTouch t;
                    draw_pair(&d, KINDS[side ? b : a], KINDS[side ? a : b], &m, &t);
                    t.rule = TAC_RULE_RIM, t.angle = draw_uniform(&d, -3, 3);
                    t.feature[side ? 0 : 1].id[1] = attempt % 2 ? 1 + draw_int(&d, TAC_RIM_POINTS) : 0;
                    checked += rebuild(&m, &t) == TAC_OK && check_touch(&m, &t);
                }
                CHECK_INT(checked, TRIALS);
            }
        }
}

/* --- Known values and edges --------------------------------------------------------------------------------------- */

static const tacMat3 UPRIGHT = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};

/* Two spheres: dist = |p1 - p0| - r0 - r1, its derivative the normal; moving sideways turns the normal by 1/d. */
static void two_spheres_by_hand(void **state) {
    (void)state;
    tacShape a = {.type = TAC_GEOM_SPHERE, .size = {0.5, 0, 0}}, b = {.type = TAC_GEOM_SPHERE, .size = {0.25, 0, 0}};
    tacPose A = {{0, 0, 0}, UPRIGHT}, B = {{0, 0, 2}, UPRIGHT};
    tacTouch t = {.feature = {F(POINT, 0, 0), F(POINT, 0, 0)}};
    CHECK_INT(tac_touch_rebuild(&a, &A, &b, &B, &t), TAC_OK);
    CHECK_NEAR(t.dist, 1.25, TOL_VALUE);
    CHECK_NEAR(t.point[0].z, 0.5, TOL_VALUE);
    CHECK_NEAR(t.point[1].z, 1.75, TOL_VALUE);
    tacTouchSystem k;
    CHECK_INT(tac_touch_prepare(&a, &A, &b, &B, &t, &k), TAC_OK);
    tacTouchTangent column[6];
    tac_touch_jac(&k, B.p, column);
    CHECK_NEAR(column[5].dist, 1, TOL_VALUE);
    CHECK_NEAR(column[3].normal.x, 0.5, TOL_VALUE);
    CHECK_NEAR(column[3].point[0].x, 0.25, TOL_VALUE);
    CHECK_NEAR(column[0].dist, 0, TOL_VALUE);
}

/* A cylinder standing flat on a plane: the rim's points are fixed to it, so that they have a derivative. */
static void a_flat_rim_moves_with_its_shape(void **state) {
    (void)state;
    tacShape a = {.type = TAC_GEOM_PLANE}, b = {.type = TAC_GEOM_CYLINDER, .size = {0.5, 1, 0}};
    tacPose A = {{0, 0, 0}, UPRIGHT}, B = {{0, 0, 1}, UPRIGHT};
    tacTouch t = {.rule = TAC_RULE_NEAREST, .feature = {F(PLANE, 0, 0), F(CIRCLE, 0, 0)}};
    CHECK_INT(tac_touch_rebuild(&a, &A, &b, &B, &t), TAC_OK);
    CHECK_NEAR(t.dist, 0, TOL_VALUE);
    CHECK_NEAR(t.point[1].x, 0.5, TOL_VALUE);
    tacTouchSystem k;
    CHECK_INT(tac_touch_prepare(&a, &A, &b, &B, &t, &k), TAC_OK);
    tacTouchTangent column[6];
    tac_touch_jac(&k, B.p, column);
    CHECK_NEAR(column[1].dist, -0.5, TOL_VALUE); /* about y: w x (0.5, 0, -1) = (-1, 0, -0.5) */
    CHECK_NEAR(column[1].point[1].x, -1, TOL_VALUE);
    CHECK_NEAR(column[5].dist, 1, TOL_VALUE);
}

static tacStatus status_of(const tacShape *a, const tacShape *b, tacPose B, tacTouch t) {
    tacPose A = {{0, 0, 0}, UPRIGHT};
    tacTouchSystem k;
    return tac_touch_prepare(a, &A, b, &B, &t, &k);
}

static void what_has_no_derivative(void **state) {
    (void)state;
    tacShape ball = {.type = TAC_GEOM_SPHERE, .size = {0.5, 0, 0}},
             rod = {.type = TAC_GEOM_CAPSULE, .size = {0.1, 1, 0}};
    tacShape box = {.type = TAC_GEOM_BOX, .size = {1, 1, 1}}, plane = {.type = TAC_GEOM_PLANE};
    tacPose here = {{0, 0, 0}, UPRIGHT}, aside = {{1, 0, 0}, UPRIGHT};
    tacFeature point = F(POINT, 0, 0), line = F(LINE, 0, 1), edge = F(LINE, 0, 4), face = F(PLANE, 0, 0);
    tacVec3 x = {1, 0, 0};
    /* coincident centres; a centre on an axis; parallel axes; parallel edges; a line in a plane; two planes */
    CHECK_INT(status_of(&ball, &ball, here, (tacTouch){.normal = x, .feature = {point, point}}), TAC_ERR_DEGENERATE);
    CHECK_INT(status_of(&ball, &rod, here, (tacTouch){.normal = x, .feature = {point, line}}), TAC_ERR_DEGENERATE);
    CHECK_INT(status_of(&rod, &rod, aside, (tacTouch){.normal = x, .feature = {line, line}}), TAC_ERR_DEGENERATE);
    CHECK_INT(status_of(&box, &rod, aside, (tacTouch){.normal = x, .feature = {edge, line}}), TAC_ERR_DEGENERATE);
    tacVec3 z = {0, 0, 1};
    tacPose lying = {{0, 0, 1}, {{0, 0, 1, 0, 1, 0, -1, 0, 0}}};
    CHECK_INT(status_of(&plane, &rod, lying, (tacTouch){.normal = z, .feature = {face, line}}), TAC_ERR_DEGENERATE);
    CHECK_INT(status_of(&plane, &plane, here, (tacTouch){.normal = z, .feature = {face, face}}), TAC_ERR_DEGENERATE);
    /* an edge along the side plane that should cut it; a corner beside a plane along its own normal */
    tacTouch clip = {.rule = TAC_RULE_CLIP, .normal = z, .feature = {F(PLANE, 5, 0), edge}, .clip = F(LINE, 4, 5)};
    clip.feature[1] = (tacFeature)F(LINE, 0, 1);
    CHECK_INT(status_of(&box, &box, (tacPose){{0, 0, 2}, UPRIGHT}, clip), TAC_ERR_DEGENERATE);
    tacTouch corner = {.rule = TAC_RULE_CORNER, .normal = z, .feature = {F(POINT, 7, 0), F(PLANE, 0, 0)}};
    corner.clip = (tacFeature)F(PLANE, 5, 0);
    CHECK_INT(status_of(&box, &box, (tacPose){{3, 0, 2}, UPRIGHT}, corner), TAC_ERR_DEGENERATE);
}

/* Where a rule has no solution, rebuilding says so and leaves the touch as it was. */
static void a_touch_that_cannot_be_rebuilt_is_left_alone(void **state) {
    (void)state;
    tacShape ball = {.type = TAC_GEOM_SPHERE, .size = {0.5, 0, 0}},
             rod = {.type = TAC_GEOM_CAPSULE, .size = {0.1, 1, 0}};
    tacPose A = {{0, 0, 0}, UPRIGHT}, B = {{1, 0, 0}, UPRIGHT};
    tacTouch t = {.dist = 7, .normal = {1, 0, 0}, .feature = {F(POINT, 0, 0), F(POINT, 0, 0)}};
    CHECK_INT(tac_touch_rebuild(&ball, &A, &ball, &A, &t), TAC_ERR_DEGENERATE);
    CHECK_NEAR(t.dist, 7, TOL_VALUE);
    t.feature[0] = t.feature[1] = (tacFeature)F(LINE, 0, 1);
    CHECK_INT(tac_touch_rebuild(&rod, &A, &rod, &B, &t), TAC_ERR_DEGENERATE);
    CHECK_NEAR(t.dist, 7, TOL_VALUE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_points_of_every_pair_of_features),
        cmocka_unit_test(crossings_of_side_planes),
        cmocka_unit_test(corners_under_planes),
        cmocka_unit_test(points_of_rims),
        cmocka_unit_test(two_spheres_by_hand),
        cmocka_unit_test(a_flat_rim_moves_with_its_shape),
        cmocka_unit_test(what_has_no_derivative),
        cmocka_unit_test(a_touch_that_cannot_be_rebuilt_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
