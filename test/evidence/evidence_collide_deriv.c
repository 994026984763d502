/* Derivatives of the touches that collision finds between random pairs of shapes, against Ridders' differences of
 * collision itself: both twists, sizes, corners of meshes. One JSON document:
 *   {"configurations":N, "touches":N, "columns":N, "constant":N, "within":N, "switching":N, "unflagged":N,
 *    "degenerate":N, "worst":e, "share_within":s, "share_switching":s, "kinds":[...], "failures":[...]}
 * A configuration is switching when, in any direction, a touch loses its features within the stencil; flagged when that
 * touch's margin was below what the stencil moves. All others are constant, and within when every column of every touch
 * agrees to TOL. Corners of meshes move only where the mesh stays convex over the stencil; other directions are counted
 * as folded: a hull made again from the moved corners has other faces.
 * usage: evidence_collide_deriv CONFIGURATIONS [FIRST_SEED] */
#include "pair_case.h"

#include "collide/closed_form.h"
#include "collide/touch_motion.h"
#include "measure/differences.h"
#include "support/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* |A - F|/max(1, |F|), per column of the ten numbers of a touch. */
static const double TOL = 1e-6;
/* First steps of the differences: m per m of the larger radius (turns: so far at the surface). Where the estimated
 * error of the first is above ENOUGH, the next is tried, and the one with the least error kept. */
static const double STEP[] = {1e-4, 1e-5, 1e-6, 1e-7};
static const double ENOUGH = 1e-8;
/* A stencil of step h moves points of a shape by up to sqrt(3) h (a size of a box moves its corners, a turn its
 * surface); margins are lengths of such motions. */
static const double FLAG = 4;
/* Touches are looked for up to this distance beyond the nearest (or zero), relative to the size; those
 * within SLACK of the end are not examined: they may come and go by the reach alone. */
static const double REACH = 0.1, SLACK = 1e-3;
/* Of a mesh's planes, relative to the size. */
static const double ROUNDING = 1e-13;

enum { STEPS = 4, CORNERS_TRIED = 3, MOST_PRINTED = 40, POOL_SEED = 20, WORK = 4096 };

typedef struct Row {
    long configurations, touches, columns, constant, within, switching, unflagged, degenerate, without, folded;
    double worst;
} Row;

/* One configuration under examination. */
typedef struct Examined {
    const PairCase *c;
    TouchMotion m;
    tacTouch touch[TAC_MAX_TOUCH];
    int n;
    double reach;
    int switched[TAC_MAX_TOUCH]; /* in the stencil at work */
    int at;                      /* the touch at work */
    int bad, switching, unflagged, degenerate;
    double worst;
    int worst_touch, worst_side, worst_what;
    long columns, folded;
} Examined;

/* --- The function that is differentiated -------------------------------------------------------------------------- */

static int same_touch(const tacTouch *a, const tacTouch *b) {
    if (a->rule != b->rule || a->angle != b->angle) return 0;
    if (!tac_same_feature(a->feature[0], b->feature[0]) || !tac_same_feature(a->feature[1], b->feature[1])) return 0;
    return (a->rule != TAC_RULE_CLIP && a->rule != TAC_RULE_CORNER) || tac_same_feature(a->clip, b->clip);
}

/* The touch of the same features; of several (a rim crosses a side plane twice) the nearest. NULL: none. */
static const tacTouch *find_same(const tacTouch *all, int n, const tacTouch *t) {
    const tacTouch *best = NULL;
    double least = HUGE_VAL;
    for (int i = 0; i < n; i++) {
        double away = tac_norm3(tac_sub3(all[i].point[0], t->point[0]));
        if (same_touch(&all[i], t) && away < least) best = &all[i], least = away;
    }
    return best;
}

static int touch_along(void *context, double h, double *out) {
    Examined *e = context;
    tacShape shape[2];
    tacPose pose[2];
    tacTouch all[TAC_MAX_TOUCH];
    motion_at(&e->m, h, shape, pose);
    int n = tac_touches(&shape[0], &pose[0], &shape[1], &pose[1], e->reach, NULL, all);
    const tacTouch *t = find_same(all, n, &e->touch[e->at]);
    if (t == NULL) return e->switched[e->at] = 1;
    motion_pack(t, out);
    return 0;
}

/* --- One touch in one direction ----------------------------------------------------------------------------------- */

/* Least distance of a corner from the line through its two neighbours on a face: what turns the face when it moves. */
static double least_height(const tacShape *s, int corner) {
    double least = HUGE_VAL;
    for (int f = 0; f < tac_shape_nface(s); f++) {
        const int *loop;
        int n = tac_shape_loop(s, f, &loop);
        for (int i = 0; i < n; i++) {
            if (loop[i] != corner) continue;
            tacVec3 a = tac_shape_vertex(s, loop[(i + n - 1) % n]), b = tac_shape_vertex(s, loop[(i + 1) % n]);
            tacVec3 side = tac_sub3(b, a), x = tac_sub3(tac_shape_vertex(s, corner), a);
            least = fmin(least, tac_norm3(tac_cross3(side, x)) / tac_norm3(side));
        }
    }
    return least;
}

/* m or rad: a turn moves the shape's surface (a plane's point under the other shape) by as much as a shift; a corner
 * turns the faces it belongs to no more. */
static double step_of(const Examined *e, int k) {
    const tacShape *s = &e->m.shape[e->m.side];
    double h = STEP[k] * e->c->size, radius = slow_radius(s);
    int corner = (e->m.what - MOTION_POSE - MOTION_SIZE) / 3;
    if (e->m.what >= MOTION_POSE + MOTION_SIZE) return h * fmin(1, least_height(s, corner) / radius);
    if (e->m.what >= 3) return h;
    if (s->type == TAC_GEOM_PLANE) radius = e->c->size + tac_norm3(tac_sub3(e->c->pose[0].p, e->c->pose[1].p));
    return h / radius;
}

/* Whether a mesh is convex after a corner has moved by h: every corner below every face. Where an edge between two
 * faces folds inwards, the hull of the corners has other faces: another mesh. */
static int stays_convex(Examined *e, double h) {
    tacShape shape[2];
    tacPose pose[2];
    motion_at(&e->m, h, shape, pose);
    const tacShape *s = &shape[e->m.side];
    for (int f = 0; f < tac_shape_nface(s); f++) {
        const int *loop;
        tac_shape_loop(s, f, &loop);
        tacVec3 n = tac_shape_face_normal(s, f), on = tac_shape_vertex(s, loop[0]);
        for (int i = 0; i < tac_shape_nvert(s); i++)
            if (tac_dot3(n, tac_sub3(tac_shape_vertex(s, i), on)) > ROUNDING * e->c->size) return 0;
    }
    return 1;
}

/* The best of the differences -> 0; non-zero: the features change within the smallest stencil that was tried. */
static int differences(Examined *e, double *numeric) {
    double work[WORK], value[MOTION_NUMBERS], error[MOTION_NUMBERS], least = HUGE_VAL;
    for (int k = 0; k < STEPS && !(least < ENOUGH); k++) {
        if (difference_ridders(touch_along, e, MOTION_NUMBERS, step_of(e, k), value, error, work) != 0) {
            if (k == 0) return 1;
            break;
        }
        double most = 0, size = 1;
        for (int i = 0; i < MOTION_NUMBERS; i++)
            most = fmax(most, error[i]), size = fmax(size, fabs(value[i]));
        if (most / size < least) least = most / size, memcpy(numeric, value, sizeof value);
    }
    return 0;
}

static double column_error(const double *exact, const double *numeric) {
    double most = 0, size = 1;
    for (int i = 0; i < MOTION_NUMBERS; i++) {
        most = fmax(most, fabs(exact[i] - numeric[i])), size = fmax(size, fabs(numeric[i]));
        if (!isfinite(exact[i])) return HUGE_VAL;
    }
    return most / size;
}

static void examine_column(Examined *e, const tacTouchSystem *k) {
    tacVec3 corner[2][MOTION_MOST_CORNERS];
    double exact[MOTION_NUMBERS], numeric[MOTION_NUMBERS];
    tacShapeTangent da = motion_tangent(&e->m, 0, corner[0]), db = motion_tangent(&e->m, 1, corner[1]);
    tacTouchTangent t = tac_touch_jvp(k, &da, &db);
    motion_pack_tangent(&t, exact);
    int moves_corner = e->m.what >= MOTION_POSE + MOTION_SIZE;
    if (moves_corner && !(stays_convex(e, step_of(e, 0)) && stays_convex(e, -step_of(e, 0)))) {
        e->folded++;
        return;
    }
    if (differences(e, numeric)) {
        int flagged = e->touch[e->at].margin < FLAG * STEP[0] * e->c->size;
        if (!flagged && !e->unflagged) e->worst_touch = e->at, e->worst_side = e->m.side, e->worst_what = e->m.what;
        e->switching = 1, e->unflagged |= !flagged;
        return;
    }
    double error = column_error(exact, numeric);
    e->columns++;
    if (error > e->worst && !e->unflagged) e->worst_touch = e->at, e->worst_side = e->m.side, e->worst_what = e->m.what;
    e->worst = fmax(e->worst, error);
    e->bad |= error > TOL;
}

/* --- One configuration -------------------------------------------------------------------------------------------- */

/* A corner that the feature stands on, or any. */
static int some_corner(const tacShape *s, tacFeature f, tacDraw *d) {
    const int *loop;
    if (f.kind == TAC_FEATURE_POINT) return f.id[0];
    if (f.kind == TAC_FEATURE_LINE) return f.id[draw_int(d, 2)];
    int n = tac_shape_loop(s, f.id[0], &loop);
    return loop[draw_int(d, n)];
}

static void examine_touch(Examined *e, tacDraw *d) {
    tacTouchSystem k;
    TouchMotion *m = &e->m;
    const tacTouch *t = &e->touch[e->at];
    e->switched[e->at] = 0;
    if (tac_touch_prepare(&m->shape[0], &m->pose[0], &m->shape[1], &m->pose[1], t, &k) != TAC_OK) {
        e->degenerate = 1, e->switching = 1, e->unflagged |= !(t->margin < FLAG * STEP[0] * e->c->size);
        e->worst_touch = e->at;
        return;
    }
    for (m->side = 0; m->side < 2; m->side++) {
        const tacShape *s = &m->shape[m->side];
        m->about = m->pose[m->side].p;
        int directions = s->type == TAC_GEOM_MESH ? MOTION_POSE : motion_count(m, m->side);
        for (m->what = 0; m->what < directions; m->what++)
            examine_column(e, &k);
        for (int i = 0; i < CORNERS_TRIED && s->type == TAC_GEOM_MESH; i++) {
            m->what = MOTION_POSE + MOTION_SIZE + 3 * some_corner(s, t->feature[m->side], d) + draw_int(d, 3);
            examine_column(e, &k);
        }
    }
}

static void examine(const PairCase *c, Examined *e) {
    memset(e, 0, sizeof *e);
    e->c = c;
    memcpy(e->m.shape, c->shape, sizeof c->shape), memcpy(e->m.pose, c->pose, sizeof c->pose);
    tacTouch nearest;
    if (tac_distance_pair(&c->shape[0], &c->pose[0], &c->shape[1], &c->pose[1], NULL, &nearest) != TAC_OK) return;
    e->reach = fmax(nearest.dist, 0) + (REACH + SLACK) * c->size;
    e->n = tac_touches(&c->shape[0], &c->pose[0], &c->shape[1], &c->pose[1], e->reach, NULL, e->touch);
    tacDraw d = {c->seed, 5000};
    for (e->at = 0; e->at < e->n; e->at++)
        if (e->touch[e->at].dist < e->reach - SLACK * c->size) examine_touch(e, &d);
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

static void add(Row *row, const Examined *e) {
    if (e->c->kind == 0) return; /* two planes */
    row->without += e->n == 0;
    row->configurations++, row->touches += e->n, row->columns += e->columns;
    row->folded += e->folded, row->degenerate += e->degenerate, row->switching += e->switching,
        row->unflagged += e->unflagged;
    row->constant += !e->switching, row->within += !e->switching && !e->bad;
    if (!e->switching) row->worst = fmax(row->worst, e->worst);
}

static double finite(double x) { return isfinite(x) ? x : 1e300; }

static void print_row(const Row *r) {
    printf("\"configurations\":%ld,\"touches\":%ld,\"columns\":%ld,\"constant\":%ld,\"within\":%ld,\"switching\":%ld,"
           "\"unflagged\":%ld,\"degenerate\":%ld,\"without_touch\":%ld,\"folded_columns\":%ld,\"worst\":%.3g",
           r->configurations, r->touches, r->columns, r->constant, r->within, r->switching, r->unflagged, r->degenerate,
           r->without, r->folded, finite(r->worst));
}

static void print_failure(const Examined *e, const char *separator) {
    const tacTouch *t = &e->touch[e->worst_touch];
    printf("%s\n "
           "{\"seed\":%llu,\"kind\":\"%s\",\"place\":%d,\"why\":\"%s\",\"touch\":%d,\"of\":%d,\"side\":%d,\"what\":%d,"
           "\"error\":%.3g,\"rule\":%d,\"features\":[%d,%d],\"dist\":%.3g,\"margin\":%.3g}",
           separator, (unsigned long long)e->c->seed, kind_name(e->c->kind), (int)e->c->place,
           e->n == 0      ? "no touch"
           : e->unflagged ? (e->degenerate ? "degenerate" : "unflagged")
                          : "error",
           e->worst_touch, e->n, e->worst_side, e->worst_what, finite(e->worst), (int)t->rule, t->feature[0].kind,
           t->feature[1].kind, t->dist, finite(t->margin));
}

int main(int argc, char **argv) {
    if (argc < 2) return fprintf(stderr, "usage: evidence_collide_deriv CONFIGURATIONS [FIRST_SEED]\n"), 2;
    long count = atol(argv[1]);
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    MeshPool pool = pool_make(POOL_SEED);
    Row all = {0}, *row = calloc(PAIR_KINDS, sizeof *row);
    Examined *e = malloc(sizeof *e);
    if (row == NULL || e == NULL || difference_work(MOTION_NUMBERS) > WORK) return 2;
    int printed = 0;
    printf("{\"failures\":[");
    for (uint64_t seed = first; all.configurations < count && seed < first + 2 * (uint64_t)count; seed++) {
        PairCase c = draw_case(&pool, seed);
        examine(&c, e);
        add(&all, e), add(&row[c.kind], e);
        if (((!e->switching && e->bad) || e->unflagged || (c.kind > 0 && e->n == 0)) && printed < MOST_PRINTED)
            print_failure(e, printed++ ? "," : "");
    }
    printf("],\n\"kinds\":[");
    for (int k = 1; k < PAIR_KINDS; k++)
        printf("%s\n {\"kind\":\"%s\",", k > 1 ? "," : "", kind_name(k)), print_row(&row[k]), printf("}");
    printf("],\n\"tol\":%g,\"share_within\":%.6f,\"share_switching\":%.6f,", TOL,
           (double)all.within / (double)(all.constant ? all.constant : 1),
           (double)all.switching / (double)(all.configurations ? all.configurations : 1));
    print_row(&all), printf("}\n");
    free(row), free(e), pool_free(&pool);
    return 0;
}
