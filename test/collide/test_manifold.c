#include "collide/manifold.h"

#include "collide/clip.h"
#include "collide/convex.h"
#include "pair_checks.h"
#include "solids.h"

#include <math.h>
#include <time.h>

/* Relative to the shapes' size: ties between features (TAC_FEATURE_TIE) and the accuracy of the nearest touch. */
static const double TOL = 1e-8;
/* Known manifolds. */
static const double TOL_KNOWN = 1e-9;
/* s of processor time for 1600 pairs of flat ends, some microseconds each; halving without end took 0.2 s for one. */
static const double MOST_SECONDS = 0.5;

/* --- What every manifold satisfies -------------------------------------------------------------------------------- */

/* The nearest touch by whatever search, and the manifold on it. Points are on the surfaces and follow from their
 * features; none is deeper seen along the first's normal. */
static int check_manifold(const Pair *p, double reach, int ties, tacTouch *out) {
    const tacShape *a = &p->shape[0], *b = &p->shape[1];
    tacTouch nearest;
    double tol = TOL * (pair_size(p) + 1);
    if (!tac_convex_nearest(a, &p->pose[0], b, &p->pose[1], reach, NULL, &nearest)) return 0;
    if (nearest.margin == 0 && !ties) return 0; /* found by its features or not */
    int n = tac_manifold(a, &p->pose[0], b, &p->pose[1], reach, &nearest, out);
    CHECK(n >= 1 && n <= TAC_MAX_TOUCH);
    for (int i = 0; i < n; i++) {
        check_touch(p, &out[i], tol);
        CHECK(out[i].dist < reach);
        CHECK(out[0].dist < out[i].dist * tac_dot3(out[0].normal, out[i].normal) + tol);
        for (int j = 0; j < i; j++)
            CHECK(tac_norm3(tac_sub3(out[i].point[0], out[j].point[0])) > 0 ||
                  tac_norm3(tac_sub3(out[i].point[1], out[j].point[1])) > 0);
    }
    return n;
}

static const tacGeomType TYPES[] = {TAC_GEOM_BOX, TAC_GEOM_MESH, TAC_GEOM_CYLINDER, TAC_GEOM_CONE, TAC_GEOM_CAPSULE};
enum { NTYPE = 5 };

static tacShape draw_any(tacDraw *d, tacGeomType type, Solid *solid) {
    if (type != TAC_GEOM_MESH) return draw_round_shape(d, type);
    int sides = 3 + draw_int(d, 10);
    make_prism(solid, sides, draw_uniform(d, 0.2, 1), draw_uniform(d, 0.2, 1), draw_uniform(d, 0.2, 1));
    place_solid(solid, tac_vec3(draw_uniform(d, 0.5, 1), 1, 1), draw_vec3(d, 0.1));
    return solid->shape;
}

/* Often a multiple of quarter turns and a tilt of any size. */
static tacPose draw_aligned_pose(tacDraw *d, double range) {
    const double quarter = 1.5707963267948966;
    tacVec3 turn = {quarter * draw_int(d, 4), 0, 0}, yaw = {0, 0, draw_uniform(d, -3, 3)};
    tacVec3 tilt = tac_scale3(pow(10, draw_uniform(d, -12, 0)), draw_vec3(d, 1));
    tacQuat q = tac_quat_mul(tac_quat_exp(tilt), tac_quat_mul(tac_quat_exp(yaw), tac_quat_exp(turn)));
    return (tacPose){draw_vec3(d, range), tac_quat_mat(q)};
}

static void every_pair(void **state) {
    (void)state;
    tacDraw d = {11, 0};
    for (int i = 0; i < NTYPE; i++)
        for (int j = 0; j < NTYPE; j++) {
            int most = 0;
            for (int k = 0; k < 1000; k++) {
                Solid solid[2] = {{.nvert = 0}, {.nvert = 0}};
                Pair p = {{draw_any(&d, TYPES[i], &solid[0]), draw_any(&d, TYPES[j], &solid[1])}, {pose_at(0, 0, 0)}};
                p.pose[0] = draw_aligned_pose(&d, 0.3), p.pose[1] = draw_aligned_pose(&d, 1.4);
                tacTouch t[TAC_MAX_TOUCH];
                int n = check_manifold(&p, draw_uniform(&d, 0, 1) + 0.1, 0, t);
                most = n > most ? n : most;
                free_solid(&solid[0]), free_solid(&solid[1]);
            }
            CHECK(most >= 2);
        }
}

/* --- Known manifolds ---------------------------------------------------------------------------------------------- */

/* Shape b above shape a, whose top is at z = top, given the nearest touch of two points with the normal up. */
static int on_top(const tacShape *a, const tacShape *b, const tacPose *B, const tacTouch *nearest, tacTouch *out) {
    Pair p = {{*a, *b}, {pose_at(0, 0, 0), *B}};
    int n = tac_manifold(a, &p.pose[0], b, B, 0.05, nearest, out);
    for (int i = 0; i < n; i++) {
        check_touch(&p, &out[i], TOL_KNOWN);
        CHECK_NEAR(out[i].dist, nearest->dist, TOL_KNOWN);
        CHECK_NEAR(out[i].normal.z, 1, TOL_KNOWN);
    }
    return n;
}

static tacFeature feature(tacFeatureKind kind, int a, int b) { return (tacFeature){.kind = (short)kind, .id = {a, b}}; }

static tacTouch touch_at(tacVec3 x0, double dist, tacFeature f0, tacFeature f1) {
    tacTouch t = {.dist = dist, .normal = {0, 0, 1}, .feature = {f0, f1}, .rule = TAC_RULE_NEAREST, .margin = 1};
    t.point[0] = x0, t.point[1] = tac_madd3(x0, dist, t.normal);
    return t;
}

static int count_rule(int n, const tacTouch *t, tacContactRule rule) {
    int found = 0;
    for (int i = 0; i < n; i++)
        found += t[i].rule == rule;
    return found;
}

/* A cylinder of radius 0.5 standing on a box of half-sizes 1: three points of the rim; over the box's edge: those
 * inside, and the two where its rim crosses the edge; over a corner: the corner too. */
static void cylinder_standing(void **state) {
    (void)state;
    tacShape box = shape_of(TAC_GEOM_BOX, 1, 1, 1), cylinder = shape_of(TAC_GEOM_CYLINDER, 0.5, 0.4, 0);
    const double dist = -0.01;
    tacFeature top = feature(TAC_FEATURE_PLANE, 5, 0), rim = feature(TAC_FEATURE_CIRCLE, 0, 0);
    tacTouch t[TAC_MAX_TOUCH];
    tacPose B = pose_at(0.2, 0, 1.4 + dist);
    tacTouch nearest = touch_at(tac_vec3(0.7, 0, 1), dist, top, rim);
    CHECK_INT(on_top(&box, &cylinder, &B, &nearest, t), 3);
    CHECK_INT(count_rule(3, t, TAC_RULE_RIM), 2);
    B = pose_at(-0.8, 0, 1.4 + dist);
    nearest = touch_at(tac_vec3(-0.3, 0, 1), dist, top, rim);
    CHECK_INT(on_top(&box, &cylinder, &B, &nearest, t), 3); /* the points at 120 degrees hang in the air */
    CHECK_INT(count_rule(3, t, TAC_RULE_CLIP), 2);
    for (int i = 1; i < 3; i++) {
        CHECK_NEAR(t[i].point[0].x, -1, TOL_KNOWN);
        CHECK_NEAR(fabs(t[i].point[0].y), sqrt(0.25 - 0.04), TOL_KNOWN);
    }
    B = pose_at(-0.9, -0.8, 1.4 + dist);
    nearest = touch_at(tac_vec3(-0.4, -0.8, 1), dist, top, rim);
    int n = on_top(&box, &cylinder, &B, &nearest, t);
    CHECK_INT(n, 4);
    CHECK_INT(count_rule(n, t, TAC_RULE_CORNER), 1);
    CHECK_INT(count_rule(n, t, TAC_RULE_CLIP), 2);
}

/* A small box on a cylinder's end: its corners, or where its edges cross the rim. */
static void box_on_cylinder(void **state) {
    (void)state;
    tacShape cylinder = shape_of(TAC_GEOM_CYLINDER, 1, 0.5, 0), box = shape_of(TAC_GEOM_BOX, 0.3, 0.4, 0.2);
    const double dist = -0.01;
    tacPose B = pose_at(0.1, 0, 0.7 + dist);
    tacTouch t[TAC_MAX_TOUCH];
    tacTouch nearest =
        touch_at(tac_vec3(-0.2, -0.4, 0.5), dist, feature(TAC_FEATURE_PLANE, 1, 0), feature(TAC_FEATURE_POINT, 0, 0));
    CHECK_INT(on_top(&cylinder, &box, &B, &nearest, t), 4);
    B = pose_at(0.9, 0, 0.7 + dist);
    nearest.point[0] = tac_vec3(0.6, -0.4, 0.5), nearest.point[1] = tac_vec3(0.6, -0.4, 0.49);
    int n = on_top(&cylinder, &box, &B, &nearest, t);
    CHECK_INT(n, 5); /* two corners, two crossings, one point of the rim under the box */
    CHECK_INT(count_rule(n, t, TAC_RULE_CLIP), 2);
    CHECK_INT(count_rule(n, t, TAC_RULE_CORNER), 1);
}

/* Lying on a box: both ends, or one and the edge it hangs over. */
static void lying(void **state) {
    (void)state;
    tacShape box = shape_of(TAC_GEOM_BOX, 1, 1, 1);
    const double dist = -0.01, quarter = 1.5707963267948966;
    tacFeature top = feature(TAC_FEATURE_PLANE, 5, 0);
    for (int k = 0; k < 2; k++) {
        tacShape s = shape_of(k ? TAC_GEOM_CYLINDER : TAC_GEOM_CAPSULE, 0.2, 0.6, 0);
        tacFeatureKind end = k ? TAC_FEATURE_CIRCLE : TAC_FEATURE_POINT;
        tacTouch t[TAC_MAX_TOUCH];
        for (int hang = 0; hang < 2; hang++) {
            double x = hang ? 0.7 : 0.1;
            tacPose B = pose_turned(tac_vec3(x, 0, 1.2 + dist), tac_vec3(0, quarter, 0)); /* its z axis along x */
            tacTouch nearest = touch_at(tac_vec3(x - 0.6, 0, 1), dist, top, feature(end, 0, 0));
            CHECK_INT(on_top(&box, &s, &B, &nearest, t), 2);
            CHECK_NEAR(t[1].point[0].x, hang ? 1 : 0.7, TOL_KNOWN);
            CHECK_INT(t[1].rule, hang ? TAC_RULE_CLIP : TAC_RULE_NEAREST);
        }
    }
    tacShape cone = shape_of(TAC_GEOM_CONE, 0.5, 0.5, 0);
    tacPose B = pose_at(0.1, 0.1, 1.5 + dist);
    tacTouch t[TAC_MAX_TOUCH];
    tacTouch nearest = touch_at(tac_vec3(0.6, 0.1, 1), dist, top, feature(TAC_FEATURE_CIRCLE, 0, 0));
    CHECK_INT(on_top(&box, &cone, &B, &nearest, t), 3); /* on its base */
}

/* Ends of two cylinders: three points, or those inside and where the rims cross. */
static void cylinder_on_cylinder(void **state) {
    (void)state;
    tacShape lower = shape_of(TAC_GEOM_CYLINDER, 1, 0.5, 0), upper = shape_of(TAC_GEOM_CYLINDER, 0.6, 0.5, 0);
    const double dist = -0.01;
    tacTouch t[TAC_MAX_TOUCH];
    tacFeature end = feature(TAC_FEATURE_PLANE, 1, 0), rim = feature(TAC_FEATURE_CIRCLE, 0, 0);
    tacPose B = pose_at(0.2, 0, 1 + dist);
    tacTouch nearest = touch_at(tac_vec3(0.8, 0, 0.5), dist, end, rim);
    CHECK_INT(on_top(&lower, &upper, &B, &nearest, t), 3);
    B = pose_turned(tac_vec3(0.8, 0, 1 + dist), tac_vec3(0, 0, 3.14159265358979323846));
    nearest = touch_at(tac_vec3(0.2, 0, 0.5), dist, end, rim);
    int n = on_top(&lower, &upper, &B, &nearest, t);
    CHECK_INT(n, 4); /* and the lower one's rim under the upper one, which its normal points to */
    CHECK_INT(count_rule(n, t, TAC_RULE_CLIP), 2);
    for (int i = 1; i < n; i++)
        if (t[i].rule == TAC_RULE_CLIP) CHECK_NEAR(t[i].point[0].x, 0.8 * 0.5 + (1 - 0.36) / 1.6, TOL_KNOWN);
    CHECK_NEAR(t[3].point[0].x, 1, TOL_KNOWN);
}

/* Two logs side by side: both ends of the stretch they share, at any small angle; equal ones and shifted ones. */
static void logs(void **state) {
    (void)state;
    const tacGeomType types[][2] = {{TAC_GEOM_CYLINDER, TAC_GEOM_CYLINDER},
                                    {TAC_GEOM_CAPSULE, TAC_GEOM_CYLINDER},
                                    {TAC_GEOM_CYLINDER, TAC_GEOM_CAPSULE}};
    for (int k = 0; k < 3; k++)
        for (int tilt = 0; tilt < 3; tilt++)
            for (int shift = 0; shift < 2; shift++) {
                Pair p = {{shape_of(types[k][0], 0.3, 1, 0), shape_of(types[k][1], 0.2, 1, 0)}, {pose_at(0, 0, 0)}};
                p.pose[1] = pose_turned(tac_vec3(0.499, 0, 0.5 * shift), tac_vec3(tilt * 1e-3, 0, 0));
                tacTouch t[TAC_MAX_TOUCH];
                int n = check_manifold(&p, 0.01, 1, t);
                double low = HUGE_VAL, high = -HUGE_VAL;
                for (int i = 0; i < n; i++) {
                    low = fmin(low, t[i].point[0].z), high = fmax(high, t[i].point[0].z);
                    CHECK_NEAR(t[i].dist, -1e-3, 1e-4);
                }
                CHECK(n >= 2 && n <= 5); /* the crossing, and up to four ends */
                CHECK_NEAR(low, shift ? -0.5 : -1, 2e-3);
                CHECK_NEAR(high, 1, 2e-3);
            }
}

/* Equal logs at the same height, turned so that rounding puts the ends of one beyond those of the other: both ends. */
static void flush_logs(void **state) {
    (void)state;
    const tacGeomType types[] = {TAC_GEOM_CYLINDER, TAC_GEOM_CAPSULE};
    for (int k = 0; k < 4; k++)
        for (int turn = 0; turn < 20; turn++) {
            Pair p = {{shape_of(types[k / 2], 0.1, 0.2, 0), shape_of(types[k % 2], 0.1, 0.2, 0)}, {pose_at(0, 0, 0)}};
            tacVec3 by = tac_vec3(0.7 * turn, 0.3, -0.1 * turn);
            p.pose[0] = pose_turned(tac_vec3(0.3, 0.1, 0.2), by);
            p.pose[1] = pose_turned(tac_madd3(p.pose[0].p, 0.1999, tac_mulmv3(p.pose[0].R, tac_vec3(1, 0, 0))), by);
            tacTouch t[TAC_MAX_TOUCH];
            int n = check_manifold(&p, 0.01, 1, t);
            double low = HUGE_VAL, high = -HUGE_VAL;
            for (int i = 0; i < n; i++) {
                double z = tac_pose_local(&p.pose[0], t[i].point[0]).z;
                low = fmin(low, z), high = fmax(high, z);
            }
            CHECK_NEAR(low, -0.2, 1e-9);
            CHECK_NEAR(high, 0.2, 1e-9);
        }
}

/* Meshes: a cube made of triangles is a box; of two 64-sided prisms eight points are kept, which span nearly all. */
static void meshes(void **state) {
    (void)state;
    const double dist = -0.01;
    Solid cube, disc;
    tacTouch t[TAC_MAX_TOUCH];
    make_prism(&cube, 4, sqrt(2), sqrt(2), 1);
    CHECK_INT(cube.hull.npolygon, 6);
    tacShape box = shape_of(TAC_GEOM_BOX, 0.5, 0.5, 0.5);
    tacPose B = pose_at(0.1, 0.2, 1.5 + dist);
    Pair p = {{cube.shape, box}, {pose_at(0, 0, 0), B}};
    CHECK_INT(check_manifold(&p, 0, 1, t), 4);
    make_prism(&disc, 64, 1, 1, 1);
    Pair q = {{disc.shape, disc.shape}, {pose_at(0, 0, 0), pose_at(0.01, 0.02, 2 + dist)}};
    tacTouch nearest;
    CHECK(tac_convex_nearest(&q.shape[0], &q.pose[0], &q.shape[1], &q.pose[1], 0, NULL, &nearest));
    int n = tac_manifold(&q.shape[0], &q.pose[0], &q.shape[1], &q.pose[1], 0, &nearest, t);
    CHECK_INT(n, TAC_MAX_TOUCH);
    double least = HUGE_VAL; /* extent along every direction, of 2 */
    for (double angle = 0; angle < 3.14; angle += 0.1) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int i = 0; i < n; i++) {
            double x = cos(angle) * t[i].point[0].x + sin(angle) * t[i].point[0].y;
            low = fmin(low, x), high = fmax(high, x);
        }
        least = fmin(least, high - low);
    }
    CHECK(least > 1.7);
    free_solid(&cube), free_solid(&disc);
}

/* --- Rims --------------------------------------------------------------------------------------------------------- */

/* How often the incident rim goes in or out of the tube on the reference, at 2048 of its points. */
static int count_crossings(const tacClip *c) {
    enum { POINTS = 2048 };
    double R = c->shape[0]->size.x, r = c->shape[1]->size.x, z = -c->shape[1]->size.y;
    int n = 0, last = 0;
    for (int i = 0; i <= POINTS; i++) {
        double a = 2 * 3.14159265358979323846 * i / POINTS;
        tacVec3 x = tac_pose_point(&c->rel, tac_vec3(r * cos(a), r * sin(a), z));
        int inside = hypot(x.x, x.y) < R;
        n += i > 0 && inside != last, last = inside;
    }
    return n;
}

/* Two flat ends at any tilt: every crossing of their rims is found, up to four, and lies on both. */
static void rims_that_cross(void **state) {
    (void)state;
    tacDraw d = {19, 0};
    int seen[5] = {0}, closer = 0;
    for (int i = 0; i < 5000; i++) {
        tacShape a = shape_of(TAC_GEOM_CYLINDER, draw_uniform(&d, 0.2, 1), 0.5, 0), b = a;
        b.size.x = draw_uniform(&d, 0.2, 1.5);
        tacClip c = {.shape = {&a, &b}, .rel = draw_pose(&d, 0.8), .reach = HUGE_VAL};
        c.facet[0] = (tacFacet){TAC_FACET_DISC, 1, 1, -1}, c.facet[1] = (tacFacet){TAC_FACET_DISC, 0, 1, -1};
        tacClipPoint mark[TAC_MAX_CLIP_POINT];
        int n = tac_clip(&c, mark), crossings = 0, expected = count_crossings(&c);
        for (int k = 0; k < n; k++) {
            if (mark[k].rule != TAC_RULE_CLIP) continue;
            tacVec3 x = tac_pose_local(&c.rel, mark[k].x);
            CHECK_NEAR(hypot(mark[k].x.x, mark[k].x.y), a.size.x, TOL_KNOWN);
            CHECK_NEAR(hypot(x.x, x.y), b.size.x, TOL_KNOWN);
            crossings++;
        }
        CHECK(crossings >= expected && crossings <= 4 && crossings % 2 == 0);
        seen[crossings]++, closer += crossings > expected; /* two between two of the points */
    }
    CHECK(seen[0] > 100 && seen[2] > 100 && seen[4] > 20 && closer < 50);
}

/* --- Rims that coincide ------------------------------------------------------------------------------------------- */

static const double CAN = 0.1, OVERLAP = 1e-4;

/* One can on another, shifted and tilted: cylinders, or the base of a cone on the lower one. */
static Pair cans(tacGeomType upper, double shift, double tilt, double yaw) {
    Pair p = {{shape_of(TAC_GEOM_CYLINDER, CAN, CAN, 0), shape_of(upper, CAN, CAN, 0)}, {pose_at(0, 0, 0)}};
    tacQuat turn = tac_quat_mul(tac_quat_exp(tac_vec3(0.6 * tilt, 0.8 * tilt, 0)), tac_quat_exp(tac_vec3(0, 0, yaw)));
    p.pose[1] = (tacPose){{0.8 * shift, -0.6 * shift, 2 * CAN - OVERLAP}, tac_quat_mat(turn)};
    return p;
}

/* What holds the upper can: points around the rim, apart from each other, as deep as the tilt lets them be, that reach
 * half a radius or more in every direction and have derivatives. */
static int check_cans(const Pair *p, double shift, double tilt, tacTouch *t) {
    int n = touches_of(p, 0.5 * OVERLAP, t);
    double least = HUGE_VAL;
    for (int i = 0; i < n; i++) {
        tacTouchSystem system;
        CHECK_NEAR(t[i].dist, -OVERLAP, TOL_KNOWN + 2 * CAN * tilt);
        CHECK_NEAR(t[i].normal.z, 1, TOL_KNOWN);
        CHECK_NEAR(hypot(t[i].point[0].x, t[i].point[0].y), CAN, TOL_KNOWN + shift + CAN * tilt);
        CHECK_INT(tac_touch_prepare(&p->shape[0], &p->pose[0], &p->shape[1], &p->pose[1], &t[i], &system), TAC_OK);
        for (int j = 0; j < i; j++)
            CHECK(tac_norm3(tac_sub3(t[i].point[0], t[j].point[0])) > 0.05 * CAN);
    }
    for (double angle = 0; angle < 6.28; angle += 0.1) {
        double most = -HUGE_VAL;
        for (int i = 0; i < n; i++)
            most = fmax(most, cos(angle) * t[i].point[0].x + sin(angle) * t[i].point[0].y);
        least = fmin(least, most);
    }
    CHECK(least > 0.49 * CAN);
    return n;
}

/* Equal rims on each other, and those that nearly are: what they touch in is there, as that of rims further apart, and
 * is found soon. */
static void rims_that_coincide(void **state) {
    (void)state;
    const double small[] = {0, 1e-15, 1e-12, 1e-9, 1e-8, 1e-7, 3e-7, 7e-7, 9e-7, 1e-6}, apart = 1e-5;
    const tacGeomType upper[] = {TAC_GEOM_CYLINDER, TAC_GEOM_CONE};
    clock_t start = clock();
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 10; i++)
            for (int j = 0; j < 10; j++)
                for (int turned = 0; turned < 4; turned++) {
                    tacTouch t[TAC_MAX_TOUCH], beside[TAC_MAX_TOUCH];
                    Pair p = cans(upper[k], small[i], small[j], turned), q = cans(upper[k], apart, small[j], turned);
                    int n = check_cans(&p, small[i], small[j], t);
                    CHECK(n >= 3 && n <= 6);
                    if (small[i] < 5e-7) CHECK_INT(n, 3);
                    if (small[i] < 5e-7) CHECK_INT(tac_touch_side(&t[0], TAC_FEATURE_PLANE) < 0, 0); /* no crossing */
                    CHECK(check_cans(&q, apart, small[j], beside) >= 4); /* with the crossings of the rims */
                    CHECK_NEAR(t[0].dist, beside[0].dist, TOL_KNOWN + apart * small[j]);
                    for (int m = 1; m < n && small[i] < 5e-7; m++)
                        CHECK(t[m].margin == 0); /* a shift by less than a micrometre makes others of them */
                }
    CHECK_LT((double)(clock() - start) / CLOCKS_PER_SEC, MOST_SECONDS);
}

/* Coaxial cans that wobble: rims that touch in two points, or in four. Soon, too. */
static void rims_that_touch(void **state) {
    (void)state;
    clock_t start = clock();
    tacTouch t[TAC_MAX_TOUCH];
    for (int i = 0; i < 400; i++) {
        double tilt = 1e-4 * pow(1e3, i / 400.0);
        tacShape a = shape_of(TAC_GEOM_CYLINDER, CAN, CAN, 0), b = a;
        if (i % 2) a.size.x = CAN / cos(tilt); /* as round as the ellipse that the tilted rim is seen as, where it is */
        Pair p = {{a, b}, {pose_at(0, 0, 0), pose_turned(tac_vec3(0, 0, 2 * CAN), tac_vec3(tilt, 0, 0))}};
        tacVec3 rim = tac_pose_point(&p.pose[1], tac_vec3(0, i % 2 ? -CAN : 0, -CAN));
        p.pose[1].p = tac_sub3(p.pose[1].p, tac_vec3(0, rim.y + (i % 2 ? a.size.x : 0), 0));
        int n = touches_of(&p, 0.1 * CAN, t);
        CHECK(n >= 1);
        for (int k = 0; k < n; k++)
            check_touch(&p, &t[k], 1e-5 * CAN);
    }
    CHECK_LT((double)(clock() - start) / CLOCKS_PER_SEC, MOST_SECONDS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rims_that_cross),      cmocka_unit_test(rims_that_coincide),
        cmocka_unit_test(rims_that_touch),

        cmocka_unit_test(every_pair),           cmocka_unit_test(cylinder_standing),
        cmocka_unit_test(box_on_cylinder),      cmocka_unit_test(lying),
        cmocka_unit_test(cylinder_on_cylinder), cmocka_unit_test(logs),
        cmocka_unit_test(flush_logs),           cmocka_unit_test(meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
