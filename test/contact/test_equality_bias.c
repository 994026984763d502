/* (dJ/dt) v of connects and welds, of bodies and of sites, between every kind of joint: against differences of J v
 * along the motion, and its derivatives against differences of itself. */
#include "contact/equality.h"
#include "dynamics/kinematics.h"
#include "io/mjcf_text.h"
#include "math/quat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of fourth-order differences with steps of 1e-3 s, relative to the largest entry. */
#define TOL_DIFFERENCE 1e-8
#define STEP           1e-3

enum { STATES = 5, MOST = 64 };

typedef struct Place {
    tacModel *m;
    tacWork w;
    void *memory;
    double q[MOST], v[MOST];
} Place;

static Place open_file(const char *path) {
    Place p = {.m = NULL};
    Loaded l = load_path(path, 0);
    if (l.status != TAC_OK) fail_msg("%s", l.err.text);
    tac_report_free(l.report);
    p.m = l.model;
    CHECK(p.m->nq <= MOST && p.m->neq > 0);
    size_t bytes = tac_work_bytes(p.m);
    tacArena arena;
    p.memory = aligned_alloc(TAC_ARENA_ALIGN, tac_arena_round(bytes));
    tac_arena_init(&arena, p.memory, bytes);
    CHECK(tac_work_layout(&p.w, p.m, &arena));
    return p;
}

static void end(Place *p) {
    free(p->memory);
    tac_model_free(p->m);
}

static void draw(Place *p, uint64_t state) {
    double move[MOST];
    for (int i = 0; i < p->m->nv; i++) {
        move[i] = 0.6 * tac_random_normal(11, state, (uint64_t)i);
        p->v[i] = tac_random_normal(12, state, (uint64_t)i);
    }
    tac_qpos_add(p->m, p->m->qpos_0, move, p->q);
}

/* A function of a place: rows of one equality. */
typedef void (*Rows)(Place *p, int eq, const double *q, const double *v, double out[TAC_EQUALITY_ROWS]);

/* J v */
static void velocity_rows(Place *p, int eq, const double *q, const double *v, double out[TAC_EQUALITY_ROWS]) {
    double J[MOST];
    tac_kinematics_q(p->m, &p->w, q, NULL);
    tacEquality e = tac_equality_at(p->m, &p->w, eq);
    for (int k = 0; k < e.n; k++) {
        memset(J, 0, sizeof J);
        tac_equality_gradient(p->m, &p->w, &e, k, J);
        out[k] = 0;
        for (int i = 0; i < p->m->nv; i++)
            out[k] += J[i] * v[i];
    }
}

static void bias_rows(Place *p, int eq, const double *q, const double *v, double out[TAC_EQUALITY_ROWS]) {
    tac_kinematics_q(p->m, &p->w, q, NULL);
    tac_kinematics_v(p->m, &p->w, v);
    tacEquality e = tac_equality_at(p->m, &p->w, eq);
    tac_equality_bias(p->m, &p->w, &e, v, out);
}

/* (8 (f(h) - f(-h)) - (f(2h) - f(-2h)))/(12 h) along q (+) t dq, v + t dv */
static void differences(Place *p, Rows rows, int eq, const double *dq, const double *dv,
                        double out[TAC_EQUALITY_ROWS]) {
    static const double at[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    memset(out, 0, TAC_EQUALITY_ROWS * sizeof *out);
    for (int s = 0; s < 4; s++) {
        double q[MOST], v[MOST], move[MOST], f[TAC_EQUALITY_ROWS] = {0};
        for (int i = 0; i < p->m->nv; i++) {
            move[i] = dq == NULL ? 0 : at[s] * STEP * dq[i];
            v[i] = p->v[i] + (dv == NULL ? 0 : at[s] * STEP * dv[i]);
        }
        tac_qpos_add(p->m, p->q, move, q);
        rows(p, eq, q, v, f);
        for (int k = 0; k < TAC_EQUALITY_ROWS; k++)
            out[k] += weight[s] * f[k] / (12 * STEP);
    }
}

static void check_value(Place *p, int eq) {
    double expected[TAC_EQUALITY_ROWS], found[TAC_EQUALITY_ROWS] = {0}, size = 0;
    differences(p, velocity_rows, eq, p->v, NULL, expected);
    bias_rows(p, eq, p->q, p->v, found);
    for (int k = 0; k < TAC_EQUALITY_ROWS; k++)
        size += fabs(found[k]);
    CHECK(size > 0);
    CHECK_ARRAY(TAC_EQUALITY_ROWS, found, expected, TOL_DIFFERENCE);
}

static void check_derivatives(Place *p, int eq) {
    double D[TAC_EQUALITY_ROWS * 2 * MOST] = {0}, largest[2] = {0};
    int nv = p->m->nv, ld = 2 * nv;
    bias_rows(p, eq, p->q, p->v, D);
    memset(D, 0, sizeof D);
    tacEquality e = tac_equality_at(p->m, &p->w, eq);
    tacRowSink sink = {{0}, {.matrix = D, .ld = ld}};
    tacEqualityWeights by = {.k = 0, .v = p->v};
    for (int j = 0; j < nv; j++) {
        tacMover mover = tac_dof_mover(p->m, &p->w, j);
        tac_equality_move(p->m, &p->w, &e, &mover, &by, j, &sink);
    }
    tac_equality_bias_velocity_jac(p->m, &p->w, &e, p->v, 0, &sink.row);
    for (int j = 0; j < ld; j++) {
        double unit[MOST] = {0}, expected[TAC_EQUALITY_ROWS], found[TAC_EQUALITY_ROWS];
        unit[j % nv] = 1;
        differences(p, bias_rows, eq, j < nv ? unit : NULL, j < nv ? NULL : unit, expected);
        for (int k = 0; k < TAC_EQUALITY_ROWS; k++) {
            found[k] = D[k * ld + j];
            largest[j / nv] = fmax(largest[j / nv], fabs(found[k]));
        }
        CHECK_ARRAY(TAC_EQUALITY_ROWS, found, expected, TOL_DIFFERENCE);
    }
    CHECK(largest[0] > 0 && largest[1] > 0);
}

static void rows_of_a_model(void **state) {
    (void)state;
    Place p = open_file("test/data/rows.xml");
    int poses = 0;
    for (int s = 0; s < STATES; s++) {
        draw(&p, (uint64_t)s);
        for (int eq = 0; eq < p.m->neq; eq++) {
            if (!tac_equality_is_pose(p.m, eq)) continue;
            check_value(&p, eq);
            check_derivatives(&p, eq);
            poses++;
        }
    }
    CHECK(poses >= 4 * STATES);
    end(&p);
}

/* A bar that turns at w about a hinge: its end, at r, is drawn to the hinge by w^2 r. */
static void an_end_is_drawn_inwards(void **state) {
    (void)state;
    Place p = open_file("models/four_bar.xml");
    const double w[3] = {3, 0, 0};
    double out[TAC_EQUALITY_ROWS];
    memcpy(p.q, p.m->qpos_0, (size_t)p.m->nq * sizeof *p.q);
    bias_rows(&p, 0, p.q, w, out);
    tacEquality e = tac_equality_at(p.m, &p.w, 0);
    tacVec3 hinge = p.w.joint_pos[0], r = tac_sub3(e.point[0], hinge);
    const double expected[3] = {-9 * r.x, 0, -9 * r.z};
    CHECK(tac_norm3(r) > 0.1);
    CHECK_ARRAY(3, out, expected, 1e-13);
    end(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_a_model), cmocka_unit_test(an_end_is_drawn_inwards)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
