#include "model/polyhedron.h"
#include "pair_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TOL = 1e-12; /* of the shapes' size */

/* --- Hulls: balls of subdivided icosahedra, prisms ---------------------------------------------------------------- */

enum { MOST_VERTICES = 2600, MOST_FACES = 5200 };
typedef struct Solid {
    int nvert, nface;
    tacVec3 vert[MOST_VERTICES];
    int face[MOST_FACES][3];
    tacPolyhedron polyhedron;
    tacVec3 corner[MOST_VERTICES];
    tacShape shape;
} Solid;

static int add_vertex(Solid *s, tacVec3 v) {
    for (int i = 0; i < s->nvert; i++)
        if (tac_norm3(tac_sub3(s->vert[i], v)) < 1e-9) return i;
    s->vert[s->nvert] = v;
    return s->nvert++;
}
static tacVec3 on_ball(tacVec3 v) { return tac_scale3(1 / tac_norm3(v), v); }

static void split_faces(Solid *s) {
    int old = s->nface;
    for (int f = 0; f < old; f++) {
        int *t = s->face[f], m[3];
        for (int k = 0; k < 3; k++)
            m[k] = add_vertex(s, on_ball(tac_add3(s->vert[t[k]], s->vert[t[(k + 1) % 3]])));
        int parts[4][3] = {{t[0], m[0], m[2]}, {t[1], m[1], m[0]}, {t[2], m[2], m[1]}, {m[0], m[1], m[2]}};
        memcpy(s->face[f], parts[3], sizeof parts[3]);
        for (int k = 0; k < 3; k++)
            memcpy(s->face[s->nface++], parts[k], sizeof parts[k]);
    }
}

static void finish(Solid *s) {
    CHECK_INT(tac_polyhedron_new(s->vert, s->nface, s->face[0], 1, &s->polyhedron), TAC_OK);
    tacPolyhedron *p = &s->polyhedron;
    for (int i = 0; i < p->ncorner; i++)
        s->corner[i] = s->vert[p->corner[i]];
    s->shape = (tacShape){.type = TAC_GEOM_MESH};
    s->shape.hull = (tacHull){.nvert = p->ncorner,
                              .nface = p->npolygon,
                              .vert = s->corner,
                              .edge_adr = p->edge_adr,
                              .edge_num = p->edge_num,
                              .edge = p->edge,
                              .edge_face = p->edge_face,
                              .loop_adr = p->loop_adr,
                              .loop_num = p->loop_num,
                              .loop = p->loop};
}

/* An octahedron's faces split `times` times: 6, 18, 66, 258, 1026 corners. */
static Solid *ball(int times) {
    Solid *s = calloc(1, sizeof *s);
    for (int i = 0; i < 6; i++) {
        double v[3] = {0, 0, 0};
        v[i / 2] = i % 2 ? 1 : -1;
        s->vert[s->nvert++] = tac_load3(v);
    }
    for (int i = 0; i < 8; i++) { /* bit k: + on axis k */
        int t[3] = {i & 1, 2 + (i >> 1 & 1), 4 + (i >> 2 & 1)}, odd = ((i & 1) + (i >> 1 & 1) + (i >> 2 & 1)) % 2;
        int face[3] = {t[0], odd ? t[1] : t[2], odd ? t[2] : t[1]};
        memcpy(s->face[s->nface++], face, sizeof face);
    }
    for (int i = 0; i < times; i++)
        split_faces(s);
    finish(s);
    return s;
}

/* A prism on a regular n-gon of radius 1, of height 2. */
static Solid *prism(int n) {
    Solid *s = calloc(1, sizeof *s);
    for (int i = 0; i < n; i++) {
        double a = 6.2831853071795864769 * i / n;
        s->vert[i] = tac_vec3(cos(a), sin(a), -1), s->vert[n + i] = tac_vec3(cos(a), sin(a), 1);
    }
    s->nvert = 2 * n;
    for (int i = 0; i < n; i++) {
        int j = (i + 1) % n, sides[2][3] = {{i, j, n + j}, {i, n + j, n + i}};
        memcpy(s->face[s->nface], sides, sizeof sides), s->nface += 2;
        if (i < 1 || j == 0) continue;
        int ends[2][3] = {{0, j, i}, {n, n + i, n + j}};
        memcpy(s->face[s->nface], ends, sizeof ends), s->nface += 2;
    }
    finish(s);
    return s;
}

static void release(Solid *s) {
    tac_polyhedron_free(&s->polyhedron);
    free(s);
}

/* --- Tests -------------------------------------------------------------------------------------------------------- */

static Pair on_floor(const Solid *s, tacPose pose) {
    return (Pair){{shape_of(TAC_GEOM_PLANE, 0, 0, 0), s->shape}, {pose_at(0, 0, 0), pose}};
}

/* Heights of all corners by the definition. */
static int within(const Pair *p, double reach, double *lowest) {
    int n = 0;
    *lowest = HUGE_VAL;
    for (int i = 0; i < p->shape[1].hull.nvert; i++) {
        tacVec3 x = tac_pose_point(&p->pose[1], p->shape[1].hull.vert[i]);
        double z = tac_pose_local(&p->pose[0], x).z;
        n += z < reach, *lowest = fmin(*lowest, z);
    }
    return n;
}

static void check_solid(Solid *s, uint64_t seed) {
    tacDraw d = {seed, 0};
    for (int i = 0; i < 200; i++) {
        Pair p = on_floor(s, draw_pose(&d, 1));
        p.pose[0] = draw_pose(&d, 0.5);
        double lowest, reach = draw_uniform(&d, -1, 1) * (i % 2 ? 1 : 0.1);
        int expected = within(&p, reach, &lowest);
        tacTouch t[TAC_MAX_TOUCH];
        int n = check_touches(&p, reach, TOL, t);
        CHECK_INT(n > 0, expected > 0);
        CHECK_INT(n, expected < TAC_MAX_TOUCH ? expected : TAC_MAX_TOUCH); /* one more never makes them fewer */
        if (n > 0) CHECK_NEAR(t[0].dist, lowest, TOL);
        CHECK(check_touches(&p, HUGE_VAL, TOL, t) > 0);
        CHECK_NEAR(t[0].dist, lowest, TOL);
        check_invariance(&p, &d, reach, 10 * TOL);
        check_margin(&p, &d);
    }
    release(s);
}
static void test_hulls(void **state) {
    (void)state;
    for (int times = 0; times < 5; times++)
        check_solid(ball(times), (uint64_t)times);
    check_solid(prism(3), 10);
    check_solid(prism(40), 11);
    check_solid(prism(1000), 12);
}

/* What one query leaves makes no difference to the next, on flat faces too. */
static void test_cache(void **state) {
    (void)state;
    Solid *solid[2] = {ball(4), prism(500)};
    for (int k = 0; k < 2; k++) {
        tacDraw d = {30, 0};
        tacPairCache warm = {0};
        for (int i = 0; i < 400; i++) {
            Pair p = on_floor(solid[k], draw_pose(&d, 0.2));
            if (i % 4 == 0) p.pose[1].R = pose_turned(tac_zero3(), tac_vec3(0, 0, draw_uniform(&d, -3, 3))).R;
            if (i % 8 == 0) p.pose[1].R = pose_turned(tac_zero3(), tac_vec3(3.14159265358979, 0, 0)).R;
            double reach = i % 3 ? draw_uniform(&d, -1.5, 0.5) : HUGE_VAL;
            tacTouch t[TAC_MAX_TOUCH], u[TAC_MAX_TOUCH];
            int n = touches_of(&p, reach, t);
            CHECK_INT(tac_touches(&p.shape[0], &p.pose[0], &p.shape[1], &p.pose[1], reach, &warm, u), n);
            for (int j = 0; j < n; j++) {
                CHECK_INT(t[j].feature[1].id[0], u[j].feature[1].id[0]);
                CHECK_NEAR(t[j].dist, u[j].dist, 0);
            }
        }
        release(solid[k]);
    }
}

/* A prism of 40 corners below stands on eight of them, around its rim; they stay while it slides and turns. */
static void test_standing(void **state) {
    (void)state;
    Solid *s = prism(40);
    int first[TAC_MAX_TOUCH], count = 0;
    for (int i = 0; i < 200; i++) {
        Pair p = on_floor(s, pose_turned(tac_vec3(0.01 * i, 0.3, 0.99), tac_vec3(0, 0, 0.03 * i)));
        tacTouch t[TAC_MAX_TOUCH];
        int n = check_touches(&p, 0.1, TOL, t), corner[TAC_MAX_TOUCH];
        tacVec3 mean = tac_zero3();
        for (int j = 0; j < n; j++) {
            corner[j] = t[j].feature[1].id[0];
            mean = tac_madd3(mean, 1.0 / n, tac_sub3(t[j].point[1], p.pose[1].p));
        }
        CHECK_INT(n, TAC_MAX_TOUCH);
        CHECK_LT(hypot(mean.x, mean.y), 0.25);
        for (int a = 0; i > 0 && a < n; a++) { /* but for which is the deepest, by rounding */
            int kept = 0;
            for (int b = 0; b < count; b++)
                kept |= first[b] == corner[a];
            CHECK(kept || a == 0);
        }
        if (i == 0) memcpy(first, corner, sizeof corner), count = n;
    }
    release(s);
}

static void test_empty(void **state) {
    (void)state;
    Pair p = {{shape_of(TAC_GEOM_PLANE, 0, 0, 0), {.type = TAC_GEOM_MESH}}, {pose_at(0, 0, 0), pose_at(0, 0, 0)}};
    tacTouch t[TAC_MAX_TOUCH];
    CHECK_INT(touches_of(&p, HUGE_VAL, t), 0);
    tacVec3 dot = {1, 2, 3};
    int none = 0;
    p.shape[1].hull = (tacHull){.nvert = 1, .vert = &dot, .edge_adr = &none, .edge_num = &none};
    CHECK_INT(touches_of(&p, HUGE_VAL, t), 1);
    CHECK_NEAR(t[0].dist, 3, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hulls), cmocka_unit_test(test_cache),
                                       cmocka_unit_test(test_standing), cmocka_unit_test(test_empty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
