/* A box resting and sliding slowly on a box: points of the manifold, named by their features, move continuously and
 * come and go only where features really change. */
#include "pair_checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FRAMES = 1000 };
/* A point moves at most this many times as far as the fastest corner does in a frame (the crossing of two edges: over
 * the sine of their angle): two corners' worth, and the tilt. */
static const double TOL_MOVE = 2;
/* m: a corner this near to a side of the other face may be on either side of it, because of the tilt. */
static const double BAND = 2e-3;

/* --- A point's name ----------------------------------------------------------------------------------------------- */

/* What a point is, whichever face gave the normal: a corner of one box, or the crossing of an edge of each. */
typedef struct Name {
    int what; /* 0, 1: corner of that box; 2: crossing */
    int id[4];
} Name;

static int same_name(Name a, Name b) { return memcmp(&a, &b, sizeof a) == 0; }

static Name crossing_of(tacFeature a, tacFeature b) { return (Name){2, {a.id[0], a.id[1], b.id[0], b.id[1]}}; }

static Name name_of(const tacTouch *t) {
    for (int k = 0; k < 2; k++)
        if (t->feature[k].kind == TAC_FEATURE_POINT) return (Name){k, {t->feature[k].id[0], 0, 0, 0}};
    if (t->rule == TAC_RULE_NEAREST) return crossing_of(t->feature[0], t->feature[1]);
    int face = t->feature[0].kind == TAC_FEATURE_PLANE ? 0 : 1;
    return face == 0 ? crossing_of(t->clip, t->feature[1]) : crossing_of(t->feature[0], t->clip);
}

typedef struct Frame {
    int n;
    Name name[TAC_MAX_TOUCH];
    tacVec3 pos[TAC_MAX_TOUCH];
    double sine[TAC_MAX_TOUCH]; /* of the angle of two edges; 1 for corners */
} Frame;

static double sine_of(const Pair *p, Name name) {
    if (name.what < 2) return 1;
    tacVec3 e[2];
    for (int k = 0; k < 2; k++) {
        tacVec3 v = tac_sub3(tac_shape_vertex(&p->shape[k], name.id[2 * k + 1]),
                             tac_shape_vertex(&p->shape[k], name.id[2 * k]));
        e[k] = tac_mulmv3(p->pose[k].R, tac_scale3(1 / tac_norm3(v), v));
    }
    return tac_norm3(tac_cross3(e[0], e[1]));
}

static Frame frame_of(const Pair *p, double reach) {
    tacTouch t[TAC_MAX_TOUCH];
    Frame f = {.n = touches_of(p, reach, t)};
    for (int i = 0; i < f.n; i++) {
        f.name[i] = name_of(&t[i]), f.sine[i] = sine_of(p, f.name[i]);
        f.pos[i] = tac_scale3(0.5, tac_add3(t[i].point[0], t[i].point[1]));
        for (int j = 0; j < i; j++)
            CHECK(!same_name(f.name[i], f.name[j]));
    }
    return f;
}

static int find(const Frame *f, Name name) {
    for (int i = 0; i < f->n; i++)
        if (same_name(f->name[i], name)) return i;
    return -1;
}

static double distance_to(const Frame *f, tacVec3 x) {
    double least = HUGE_VAL;
    for (int i = 0; i < f->n; i++)
        least = fmin(least, tac_norm3(tac_sub3(f->pos[i], x)));
    return least;
}

/* --- What there should be, worked out in the plane ---------------------------------------------------------------- */

/* Corner of box k. */
static tacVec3 corner_at(const Pair *p, int k, int corner) {
    tacVec3 h = p->shape[k].size;
    tacVec3 x = {corner & 1 ? h.x : -h.x, corner & 2 ? h.y : -h.y, corner & 4 ? h.z : -h.z};
    return tac_pose_point(&p->pose[k], x);
}

static const int FACE[2][4] = {{4, 5, 7, 6}, {0, 1, 3, 2}}; /* counter-clockwise seen from above */

/* Least distance of x inside the face of box k, seen from above. */
static double depth_inside(const Pair *p, int k, tacVec3 x) {
    double least = HUGE_VAL;
    for (int i = 0; i < 4; i++) {
        tacVec3 a = corner_at(p, k, FACE[k][i]), b = corner_at(p, k, FACE[k][(i + 1) % 4]);
        double ex = b.x - a.x, ey = b.y - a.y;
        least = fmin(least, (ex * (x.y - a.y) - ey * (x.x - a.x)) / sqrt(ex * ex + ey * ey));
    }
    return least;
}

/* Side of line a b on which x is, as a distance. */
static double beside(tacVec3 a, tacVec3 b, tacVec3 x) {
    double ex = b.x - a.x, ey = b.y - a.y;
    return (ex * (x.y - a.y) - ey * (x.x - a.x)) / sqrt(ex * ex + ey * ey);
}

typedef struct Expected {
    int n, sure;
    Name name[16];
} Expected;

static void expect_crossing(const Pair *p, int i, int j, Expected *e) {
    int v = FACE[0][i], w = FACE[0][(i + 1) % 4], r = FACE[1][j], s = FACE[1][(j + 1) % 4];
    tacVec3 a = corner_at(p, 0, v), b = corner_at(p, 0, w), c = corner_at(p, 1, r), d = corner_at(p, 1, s);
    if (beside(a, b, c) * beside(a, b, d) >= 0 || beside(c, d, a) * beside(c, d, b) >= 0) return;
    e->name[e->n++] = (Name){2, {v < w ? v : w, v < w ? w : v, r < s ? r : s, r < s ? s : r}};
}

static Expected expected(const Pair *p) {
    Expected e = {.sure = 1};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 4; i++) {
            tacVec3 x = corner_at(p, k, FACE[k][i]);
            double depth = depth_inside(p, 1 - k, x);
            if (fabs(depth) < BAND) e.sure = 0;
            if (depth > 0) e.name[e.n++] = (Name){k, {FACE[k][i], 0, 0, 0}};
        }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            expect_crossing(p, i, j, &e);
    return e;
}

/* --- A run -------------------------------------------------------------------------------------------------------- */

typedef struct Motion {
    tacVec3 half;  /* of the upper box */
    double x, y;   /* where it starts */
    double vx, vy; /* m per frame */
    double yaw, turn;
    double tilt; /* amplitude of a rocking motion */
} Motion;

typedef struct Outcome {
    int changes, sure, points;
    double move; /* largest, of the fastest corner's */
} Outcome;

static Pair pair_at(const Motion *m, int frame) {
    Pair p = {{shape_of(TAC_GEOM_BOX, 1, 1, 0.5), shape_of(TAC_GEOM_BOX, m->half.x, m->half.y, m->half.z)},
              {pose_at(0, 0, 0)}};
    double s = frame;
    tacVec3 rock = {m->tilt * sin(0.02 * s), m->tilt * cos(0.031 * s), 0}, yaw = {0, 0, m->yaw + m->turn * s};
    tacVec3 at = {m->x + m->vx * s, m->y + m->vy * s, 0.5 + m->half.z - 1e-4};
    tacQuat q = tac_quat_mul(tac_quat_exp(rock), tac_quat_exp(yaw));
    p.pose[1] = (tacPose){at, tac_quat_mat(q)};
    return p;
}

static double speed_of(const Motion *m) {
    double r = tac_norm3(m->half);
    return sqrt(m->vx * m->vx + m->vy * m->vy) + r * fabs(m->turn) + 0.04 * r * m->tilt + 1e-9;
}

/* Points that both frames name have moved little; one that only one of them names has come out of, or gone into,
 * another. */
static void compare(const Frame *before, const Frame *now, double speed, Outcome *out) {
    const Frame *f[2] = {before, now};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < f[k]->n; i++) {
            int j = find(f[1 - k], f[k]->name[i]);
            double move =
                j >= 0 ? tac_norm3(tac_sub3(f[k]->pos[i], f[1 - k]->pos[j])) : distance_to(f[1 - k], f[k]->pos[i]);
            if (j < 0) out->changes++;
            out->move = fmax(out->move, move * f[k]->sine[i] / speed);
        }
}

static Outcome run(const Motion *m) {
    Outcome out = {0};
    Frame before = {0};
    for (int i = 0; i < FRAMES; i++) {
        Pair p = pair_at(m, i);
        Frame now = frame_of(&p, 0.01);
        Expected e = expected(&p);
        if (e.sure) {
            CHECK_INT(now.n, e.n);
            for (int k = 0; k < e.n; k++)
                CHECK(find(&now, e.name[k]) >= 0);
        }
        out.sure += e.sure, out.points += now.n;
        if (i > 0) compare(&before, &now, speed_of(m), &out);
        before = now;
    }
    CHECK_LT(out.move, TOL_MOVE);
    return out;
}

/* --- Motions ------------------------------------------------------------------------------------------------------ */

/* Stays on top, turning and rocking: four corners, always the same. */
static void resting(void **state) {
    (void)state;
    const double tilts[] = {0, 1e-14, 1e-10, 1e-7, 1e-4};
    for (int i = 0; i < 5; i++) {
        Motion m = {.half = {0.3, 0.2, 0.1}, .x = -0.4, .vx = 6e-4, .vy = 2e-4, .turn = 5e-4, .tilt = tilts[i]};
        Outcome o = run(&m);
        CHECK_INT(o.changes, 0);
        CHECK_INT(o.sure, FRAMES);
        CHECK_INT(o.points, 4 * FRAMES);
    }
}

/* The same size and place to the last bit, and rounding in the pose: four points, always. */
static void flush(void **state) {
    (void)state;
    tacDraw d = {3, 0};
    for (int i = 0; i < FRAMES; i++) {
        Motion m = {.half = {1, 1, 0.3}, .x = draw_uniform(&d, -1, 1) * 1e-15, .y = draw_uniform(&d, -1, 1) * 1e-15};
        m.yaw = draw_uniform(&d, -1, 1) * 1e-15;
        Pair p = pair_at(&m, 0);
        Frame f = frame_of(&p, 0.01);
        CHECK_INT(f.n, 4);
        for (int k = 0; k < 4; k++)
            CHECK_INT(f.name[k].what, 1);
    }
}

/* Slides over the edge, over the corner, and turns all the way round on top of an equal box. */
static void sliding(void **state) {
    (void)state;
    const double tilts[] = {0, 1e-10, 1e-6, 1e-4};
    double move = 0;
    int changes = 0, sure = 0, runs = 0;
    for (int i = 0; i < 4; i++) {
        const Motion motions[] = {
            {.half = {0.3, 0.2, 0.1}, .x = 0.4, .y = 0.1, .vx = 7e-4, .turn = 2e-4, .tilt = tilts[i]},
            {.half = {0.5, 0.4, 0.1}, .x = 0.3, .y = 0.35, .vx = 7e-4, .vy = 6e-4, .turn = 3e-4, .tilt = tilts[i]},
            {.half = {1, 1, 0.3}, .x = 0.01, .yaw = 0.05, .turn = 1e-3, .tilt = tilts[i]},
            {.half = {0.2, 3, 0.1}, .x = -0.7, .yaw = 0.02, .vx = 7e-4, .turn = 2e-4, .tilt = tilts[i]},
        };
        for (int k = 0; k < 4; k++) {
            Outcome o = run(&motions[k]);
            move = fmax(move, o.move), changes += o.changes, sure += o.sure, runs++;
        }
    }
    CHECK(changes > 10);                 /* features did change */
    CHECK(sure > runs * FRAMES * 4 / 5); /* and mostly they were certain */
    printf(
        "%d runs of %d frames: %d changes of features, none without one; largest move of a point %.2f of the fastest "
        "corner's\n",
        runs, FRAMES, changes, move);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(resting), cmocka_unit_test(flush), cmocka_unit_test(sliding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
