/* Contacts of a whole simulation: what is found, in which order, what is refused, and how it moves: derivatives against
 * Ridders' differences of tac_contacts itself, with parameters and mocap poses. */
#include "support/check.h"
#include "support/open_sim.h"
#include "support/random_tree.h"

#include "measure/differences.h"
#include "step/sim.h"
#include "tactus/io.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOL_VALUE    1e-12
#define TOL_GRADIENT 1e-6  /* of max(1, the derivative) */
#define TOL_REVERSE  1e-12 /* of max(1, the derivative) */
#define TOL_FORWARD  1e-12
#define FIRST_STEP   1e-4
/* A contact whose features are no closer to changing than this keeps them over the stencil. */
#define SAFE_MARGIN 5e-3

enum { MAX_CONTACTS = 200, MOST_PARAMS = 400, STATES = 12, DERIVATIVE_STATES = 2 };

typedef struct World {
    tacModel *m;
    tacOptions options;
    tacSim *sim;
    int ninput, ncontact;
    double *q, *u;
    tacContact contact[MAX_CONTACTS];
} World;

static World open_world(tacModel *m) {
    World w = {.m = m};
    w.sim = open_sim(m, TAC_INPUT_QFRC | TAC_INPUT_MOCAP, &w.options, &w.q);
    w.ninput = tac_ninput(m, &w.options);
    w.u = zeros(w.ninput);
    tac_default_input(m, &w.options, w.u);
    return w;
}

static tacModel *load(const char *path) {
    tacModel *m = NULL;
    tacError err;
    if (tac_load(path, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    return m;
}

static void close_world(World *w) {
    free(w->q);
    free(w->u);
    tac_sim_free(w->sim);
    tac_model_free(w->m);
}

static int find(World *w) {
    CHECK_INT(tac_contacts(w->sim, w->q, w->u, w->contact, MAX_CONTACTS, &w->ncontact), TAC_OK);
    return w->ncontact;
}

static void draw(World *w, uint64_t seed) {
    double *move = calloc((size_t)w->m->nv + 1, sizeof *move);
    for (int i = 0; i < w->m->nv; i++)
        move[i] = 0.15 * tac_random_normal(seed, 1, (uint64_t)i);
    tac_qpos_add(w->m, w->m->qpos_0, move, w->q);
    tac_default_input(w->m, &w->options, w->u);
    for (int i = w->ninput - 7 * w->m->nmocap; i < w->ninput; i++) /* quaternions of any length */
        w->u[i] += 0.05 * tac_random_normal(seed, 2, (uint64_t)i);
    free(move);
}

/* --- Values ------------------------------------------------------------------------------------------------------- */

static World spheres(int n, const tacVec3 *at, double margin, double gap) {
    return open_world(balls_over_floor(n, at, margin, gap));
}

static void values_and_order(void **state) {
    (void)state;
    World w = spheres(3, (tacVec3[]){{0, 0, 0.35}, {0, 0, 0.08}, {0.18, 0, 0.35}}, 0, 0);
    CHECK_INT(find(&w), 2);
    const tacContact *c = w.contact;
    CHECK_INT(c[0].geom[0], 0); /* the plane and the second sphere */
    CHECK_INT(c[0].geom[1], 2);
    CHECK_NEAR(c[0].dist, -0.02, TOL_VALUE);
    CHECK_NEAR(c[0].normal.z, 1, TOL_VALUE);
    CHECK_NEAR(c[0].pos.z, -0.01, TOL_VALUE);
    CHECK_INT(c[1].geom[0], 1);
    CHECK_INT(c[1].geom[1], 3);
    CHECK_NEAR(c[1].dist, -0.02, TOL_VALUE);
    CHECK_NEAR(c[1].normal.x, 1, TOL_VALUE);
    CHECK_NEAR(c[1].pos.x, 0.09, TOL_VALUE);
    for (int i = 0; i < 2; i++) {
        tacVec3 cross = tac_cross3(c[i].tangent[0], c[i].tangent[1]);
        CHECK_ARRAY(3, &cross, &c[i].normal, TOL_VALUE);
        CHECK_INT(c[i].pair, -1);
        CHECK(c[i].include == 0);
    }
    close_world(&w);
}

/* What just touches is a contact. */
static void just_touching(void **state) {
    (void)state;
    World w = spheres(2, (tacVec3[]){{0, 0, 0.1}, {0, 0, 0.25}}, 0, 0);
    w.q[9] = 0.1 + 0.2; /* 0.30000000000000004 */
    CHECK_INT(find(&w), 1);
    CHECK_NEAR(w.contact[0].dist, 0, 0);
    CHECK_INT(w.contact[0].geom[0], 0);
    w.q[9] = 0.3;
    w.q[2] = 0.1 + 1e-15;
    CHECK_INT(find(&w), 1);
    CHECK_INT(w.contact[0].geom[0], 1);
    close_world(&w);
}

/* Two margins of 0.02 and gaps of 0.01 add: contacts begin at 0.06, forces at 0.04. */
static void margin_and_gap(void **state) {
    (void)state;
    World w = spheres(2, (tacVec3[]){{0, 0, 1}, {0, 0, 1.2 + 0.059}}, 0.02, 0.01);
    CHECK_INT(find(&w), 1);
    CHECK_NEAR(w.contact[0].dist, 0.059, TOL_VALUE);
    CHECK_NEAR(w.contact[0].include, 0.04, TOL_VALUE);
    w.q[9] = 1.2 + 0.061;
    CHECK_INT(find(&w), 0);
    w.q[9] = 0.1 + 0.0599; /* the floor's margin as well */
    CHECK_INT(find(&w), 1);
    CHECK_INT(w.contact[0].geom[0], 0);
    close_world(&w);
}

static void distance_of_any_two(void **state) {
    (void)state;
    World w = spheres(2, (tacVec3[]){{0, 0, 5}, {3, 4, 5}}, 0, 0);
    tacContact c, d;
    CHECK_INT(tac_geom_distance(w.sim, w.q, w.u, 1, 2, &c), TAC_OK);
    CHECK_NEAR(c.dist, 4.8, TOL_VALUE);
    CHECK_NEAR(c.normal.x, 0.6, TOL_VALUE);
    CHECK_NEAR(c.point[0].x, 0.06, TOL_VALUE);
    CHECK_INT(tac_geom_distance(w.sim, w.q, w.u, 2, 1, &d), TAC_OK);
    CHECK_NEAR(d.normal.x, -0.6, TOL_VALUE);
    CHECK_INT(d.geom[0], 2);
    CHECK(memcmp(&c.point[0], &d.point[1], sizeof c.point[0]) == 0);
    CHECK_INT(tac_geom_distance(w.sim, w.q, NULL, 1, 0, &c), TAC_OK);
    CHECK_NEAR(c.dist, 4.9, TOL_VALUE);
    CHECK_NEAR(c.normal.z, -1, TOL_VALUE);
    CHECK_INT(tac_geom_distance(w.sim, w.q, w.u, 1, 1, &c), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_geom_distance(w.sim, w.q, w.u, 1, 3, &c), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_geom_distance(w.sim, w.q, w.u, -1, 1, &c), TAC_ERR_ARGUMENT);
    close_world(&w);
}

/* Spheres on a chain of `n` bodies with hinges, one hanging on the other; mocap and free bodies are in touching.xml. */
static tacModel *chain(int n) {
    tacBuilder *b = tac_model_begin();
    tacModel *m = NULL;
    for (int i = 0, id = 0; i < n; i++) {
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        tacGeomDef geom = tac_default_geom();
        body.pos = tac_vec3(0.3, 0.01 * i, 0);
        joint.axis = i % 2 ? tac_vec3(0, 1, 0) : tac_vec3(0, 0, 1);
        geom.type = TAC_GEOM_SPHERE, geom.size[0] = 0.1;
        id = tac_model_add_body(b, id, &body);
        CHECK(tac_model_add_joint(b, id, &joint) >= 0 && tac_model_add_geom(b, id, &geom) >= 0);
    }
    CHECK_INT(tac_model_finish(b, &m, NULL), TAC_OK);
    tac_builder_free(b);
    return m;
}

/* Placing two geoms alone, from scratch full of NaN, gives the bits that placing all of them gives. */
static void distance_places_what_it_needs(void **state) {
    (void)state;
    World world[2] = {open_world(load("test/data/touching.xml")), open_world(chain(100))};
    for (int k = 0; k < 2; k++) {
        World *w = &world[k];
        int compared = 0;
        draw(w, 5);
        for (int a = 0; a < w->m->ngeom; a += k == 0 ? 1 : 7)
            for (int b = a + 1; b < w->m->ngeom; b += k == 0 ? 1 : 13) {
                tacContact alone, all;
                tac_sim_poison(w->sim);
                if (tac_geom_distance(w->sim, w->q, w->u, a, b, &alone) != TAC_OK) continue;
                tac_contacts(w->sim, w->q, w->u, w->contact, MAX_CONTACTS, &w->ncontact);
                CHECK_INT(tac_scene_distance(&w->sim->ctx.scene, w->m, a, b, &all), TAC_OK);
                CHECK(alone.dist == all.dist && alone.pos.x == all.pos.x && alone.normal.z == all.normal.z);
                compared++;
            }
        CHECK(compared > 20);
        close_world(w);
    }
}

/* --- Refusals ----------------------------------------------------------------------------------------------------- */

static void too_many(void **state) {
    (void)state;
    World w = spheres(2, (tacVec3[]){{0, 0, 0.05}, {0.1, 0, 0.05}}, 0, 0);
    tacContact out[3];
    int n = 0;
    memset(out, 7, sizeof out);
    CHECK_INT(tac_contacts(w.sim, w.q, w.u, out, 2, &n), TAC_ERR_CONTACTS);
    CHECK_INT(n, 3);
    for (size_t i = 0; i < sizeof out; i++)
        CHECK(((unsigned char *)out)[i] == 7);
    CHECK_INT(tac_contacts(w.sim, w.q, w.u, NULL, 0, &n), TAC_ERR_CONTACTS);
    CHECK_INT(tac_contacts(w.sim, w.q, w.u, out, 3, &n), TAC_OK);
    /* room by the options */
    tacOptions options = w.options;
    options.max_contacts = 2;
    tacSim *small;
    CHECK_INT(tac_sim_new(w.m, &options, &small, NULL), TAC_OK);
    n = 0;
    CHECK_INT(tac_contacts(small, w.q, w.u, out, 3, &n), TAC_ERR_CONTACTS);
    CHECK_INT(n, 3);
    tac_sim_free(small);
    options.max_contacts = -1;
    CHECK_INT(tac_sim_new(w.m, &options, &small, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_max_contacts(w.m), 8 * 3); /* three geoms, three pairs */
    close_world(&w);
}

static void bad_input(void **state) {
    (void)state;
    World w = spheres(1, (tacVec3[]){{0, 0, 0.05}}, 0, 0);
    tacContact out[4];
    tacContactJac jac = {0};
    double bar[TAC_CONTACT_ROWS] = {1};
    int n;
    CHECK_INT(tac_contacts(NULL, w.q, w.u, out, 4, &n), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_contacts(w.sim, NULL, w.u, out, 4, &n), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_contacts(w.sim, w.q, w.u, NULL, 4, &n), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_contacts(w.sim, w.q, w.u, out, 4, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_contacts(w.sim, w.q, w.u, out, 4, &n), TAC_OK);
    CHECK_INT(n, 1);
    CHECK_INT(tac_contact_jac(w.sim, w.q, w.u, out, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_contact_jac(w.sim, w.q, w.u, NULL, &jac), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_contact_jac(w.sim, w.q, w.u, out, &jac), TAC_OK); /* nothing asked for */
    CHECK_INT(tac_contact_vjp(w.sim, w.q, w.u, out, NULL, &(tacContactGrad){0}), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_contact_vjp(w.sim, w.q, w.u, out, bar, NULL), TAC_ERR_ARGUMENT);
    tacContact wrong = out[0];
    wrong.geom[1] = 99;
    CHECK_INT(tac_contact_jac(w.sim, w.q, w.u, &wrong, &jac), TAC_ERR_ARGUMENT);
    wrong = out[0], wrong.feature[1].id[0] = 1000;
    CHECK_INT(tac_contact_jac(w.sim, w.q, w.u, &wrong, &jac), TAC_ERR_ARGUMENT);
    wrong = out[0], wrong.rule = (tacContactRule)17;
    CHECK_INT(tac_contact_jac(w.sim, w.q, w.u, &wrong, &jac), TAC_ERR_ARGUMENT);
    w.q[0] = (double)NAN;
    CHECK_INT(tac_contacts(w.sim, w.q, w.u, out, 4, &n), TAC_ERR_NONFINITE);
    CHECK_INT(tac_geom_distance(w.sim, w.q, w.u, 0, 1, out), TAC_ERR_NONFINITE);
    close_world(&w);
}

/* However far away a body is: a finite distance, or the status that says that there is none. */
static void too_far(void **state) {
    (void)state;
    World w = open_world(load("test/data/touching.xml"));
    int free_joint = 0, finite = 0, overflown = 0;
    while (free_joint < w.m->njnt && w.m->joint_type[free_joint] != TAC_JOINT_FREE)
        free_joint++;
    CHECK(free_joint < w.m->njnt);
    for (double x = 1e3; x < 1e305; x *= 1e9) {
        w.q[w.m->joint_qpos_adr[free_joint]] = x;
        for (int a = 0; a < w.m->ngeom; a++)
            for (int b = a + 1; b < w.m->ngeom; b++) {
                tacContact c;
                tacStatus status = tac_geom_distance(w.sim, w.q, w.u, a, b, &c);
                CHECK(status == TAC_OK || status == TAC_ERR_NONFINITE || status == TAC_ERR_ARGUMENT);
                if (status == TAC_OK) CHECK(isfinite(c.dist) && isfinite(c.normal.x + c.pos.x));
                finite += status == TAC_OK && c.dist > x / 2;
                overflown += status == TAC_ERR_NONFINITE;
            }
    }
    CHECK(finite > 0 && overflown > 0);
    close_world(&w);
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

static int same_feature(tacFeature a, tacFeature b) {
    return a.kind == b.kind && a.id[0] == b.id[0] && a.id[1] == b.id[1];
}

static int same_contact(const tacContact *a, const tacContact *b) {
    return a->geom[0] == b->geom[0] && a->geom[1] == b->geom[1] && a->pair == b->pair && a->rule == b->rule &&
           same_feature(a->feature[0], b->feature[0]) && same_feature(a->feature[1], b->feature[1]) &&
           (a->rule != TAC_RULE_CLIP || same_feature(a->clip, b->clip)) &&
           (a->rule != TAC_RULE_RIM || fabs(a->angle - b->angle) < 0.1);
}

/* The contact among n that has the same features; the nearest, for a rim crosses an edge's side twice. */
static const tacContact *find_match(const tacContact *c, int n, const tacContact *among) {
    const tacContact *best = NULL;
    for (int i = 0; i < n; i++)
        if (same_contact(c, &among[i]) &&
            (best == NULL || tac_norm3(tac_sub3(among[i].pos, c->pos)) < tac_norm3(tac_sub3(best->pos, c->pos))))
            best = &among[i];
    return best;
}

static void rows_of(const tacContact *c, double *rows) {
    rows[0] = c->dist;
    tac_store3(rows + 1, c->pos);
    tac_store3(rows + 4, c->normal);
    tac_store3(rows + 7, c->tangent[0]);
    tac_store3(rows + 10, c->tangent[1]);
}

/* What moves along one column, and the contacts that are followed. */
typedef struct Stencil {
    const World *w;
    int kind, column; /* kind 0: q, 1: u, 2: theta */
    double *q, *u, theta[MOST_PARAMS];
    tacContact moved[MAX_CONTACTS];
} Stencil;

/* Rows of all contacts; NaN where one has changed its features. */
static int contacts_along(void *context, double t, double *out) {
    Stencil *s = context;
    const World *w = s->w;
    int n;
    memcpy(s->q, w->q, (size_t)w->m->nq * sizeof *s->q);
    memcpy(s->u, w->u, (size_t)w->ninput * sizeof *s->u);
    if (s->kind == 0) {
        double *move = calloc((size_t)w->m->nv, sizeof *move);
        move[s->column] = t;
        tac_qpos_add(w->m, w->q, move, s->q);
        free(move);
    } else if (s->kind == 1) {
        s->u[s->column] += t;
    } else {
        double theta = s->theta[s->column];
        s->theta[s->column] += t;
        CHECK_INT(tac_sim_set_params(w->sim, s->theta), TAC_OK);
        s->theta[s->column] = theta;
    }
    CHECK_INT(tac_contacts(w->sim, s->q, s->u, s->moved, MAX_CONTACTS, &n), TAC_OK);
    for (int i = 0; i < w->ncontact; i++) {
        const tacContact *match = find_match(&w->contact[i], n, s->moved);
        for (int k = 0; k < TAC_CONTACT_ROWS; k++)
            out[i * TAC_CONTACT_ROWS + k] = (double)NAN;
        if (match != NULL) rows_of(match, out + i * TAC_CONTACT_ROWS);
    }
    return 0;
}

typedef struct Tally {
    int columns, switching, wrong, moving;
    double worst;
} Tally;

/* One column of all contacts against differences. */
static void check_column(Stencil *s, const double *jac, int ncolumn, Tally *tally) {
    const World *w = s->w;
    int m = w->ncontact * TAC_CONTACT_ROWS;
    double *expected = calloc((size_t)m, sizeof *expected), *work = calloc((size_t)difference_work(m), sizeof *work);
    CHECK_INT(difference_ridders(contacts_along, s, m, FIRST_STEP, expected, NULL, work), 0);
    for (int i = 0; i < w->ncontact; i++) {
        double worst = 0, largest = 0;
        for (int k = 0; k < TAC_CONTACT_ROWS; k++) {
            double F = expected[i * TAC_CONTACT_ROWS + k];
            double A = jac[(i * TAC_CONTACT_ROWS + k) * ncolumn + s->column];
            double error = fabs(A - F) / fmax(1, fabs(F));
            if (!(error <= worst)) worst = error;
            largest = fmax(largest, fabs(A));
        }
        tally->columns++;
        tally->moving += largest > 0;
        if (isnan(worst)) {
            tally->switching++;
            CHECK_LT(w->contact[i].switch_margin, SAFE_MARGIN);
            continue;
        }
        if (worst > TOL_GRADIENT) {
            tally->wrong++;
            print_error("geoms %d %d rule %d features %d %d: kind %d column %d: error %g, margin %g\n",
                        w->contact[i].geom[0], w->contact[i].geom[1], w->contact[i].rule, w->contact[i].feature[0].kind,
                        w->contact[i].feature[1].kind, s->kind, s->column, worst, w->contact[i].switch_margin);
        }
        tally->worst = fmax(tally->worst, worst);
    }
    free(expected);
    free(work);
}

/* The reverse mode is the transpose. */
static void check_reverse(const World *w, const tacContact *c, const tacContactJac *jac) {
    double bar[TAC_CONTACT_ROWS];
    int n[3] = {w->m->nv, w->ninput, w->m->nparam};
    double *g[3], *J[3] = {jac->q, jac->u, jac->theta};
    for (int k = 0; k < TAC_CONTACT_ROWS; k++)
        bar[k] = tac_random_normal(3, 0, (uint64_t)k);
    for (int b = 0; b < 3; b++)
        g[b] = calloc((size_t)n[b] + 1, sizeof(double));
    CHECK_INT(tac_contact_vjp(w->sim, w->q, w->u, c, bar, &(tacContactGrad){g[0], g[1], g[2]}), TAC_OK);
    for (int b = 0; b < 3; b++) {
        for (int j = 0; j < n[b]; j++) {
            double expected = 0;
            for (int k = 0; k < TAC_CONTACT_ROWS; k++)
                expected += bar[k] * J[b][k * n[b] + j];
            CHECK_NEAR(g[b][j], expected, TOL_REVERSE * fmax(1, fabs(expected)));
        }
        free(g[b]);
    }
}

/* Forward mode is the product. */
static void check_forward(const World *w, const tacContact *c, const tacContactJac *jac) {
    int n[3] = {w->m->nv, w->ninput, w->m->nparam}, room[3] = {tac_ndx(w->m), n[1], n[2]};
    double *d[3], rows[TAC_CONTACT_ROWS], *J[3] = {jac->q, jac->u, jac->theta};
    for (int b = 0; b < 3; b++) {
        d[b] = calloc((size_t)room[b] + 1, sizeof(double));
        for (int j = 0; j < room[b]; j++)
            d[b][j] = tac_random_normal(4, (uint64_t)b, (uint64_t)j);
    }
    CHECK_INT(tac_contact_jvp(w->sim, w->q, w->u, c, &(tacTangent){d[0], d[1], d[2]}, rows), TAC_OK);
    for (int k = 0; k < TAC_CONTACT_ROWS; k++) {
        double expected = 0, size = 1;
        for (int b = 0; b < 3; b++)
            for (int j = 0; j < n[b]; j++) {
                expected += J[b][k * n[b] + j] * d[b][j];
                size += fabs(J[b][k * n[b] + j] * d[b][j]);
            }
        CHECK_NEAR(rows[k], expected, TOL_FORWARD * size);
    }
    free(d[0]), free(d[1]), free(d[2]);
}

static const char *const PLACES[] = {"].pos", ".pos[",  ".quat[",  ".size[",   ".axis[",
                                     ".ref",  ".scale", ".refpos", ".refquat", ".density"};

/* Registers what moves geoms and their shapes, and densities, which do not. */
static void register_places(tacModel *m) {
    char path[256];
    for (int i = 0; i < tac_param_count(m) && m->nparam < MOST_PARAMS; i++) {
        CHECK_INT(tac_param_path(m, i, path, sizeof path), TAC_OK);
        for (size_t k = 0; k < sizeof PLACES / sizeof *PLACES; k++)
            if (strstr(path, PLACES[k]) != NULL) {
                tac_param_register(m, path, NULL, NULL); /* what has no derivative is refused */
                break;
            }
    }
}

static void check_all_columns(World *w, Tally tally[3]) {
    size_t rows = (size_t)(w->ncontact * TAC_CONTACT_ROWS);
    int n[3] = {w->m->nv, w->ninput, w->m->nparam};
    double *jac[3];
    static Stencil s;
    for (int b = 0; b < 3; b++)
        jac[b] = calloc(rows * (size_t)n[b] + 1, sizeof(double));
    for (int i = 0; i < w->ncontact; i++) {
        size_t at = (size_t)(i * TAC_CONTACT_ROWS);
        tacContactJac J = {jac[0] + at * (size_t)n[0], jac[1] + at * (size_t)n[1], jac[2] + at * (size_t)n[2]};
        CHECK_INT(tac_contact_jac(w->sim, w->q, w->u, &w->contact[i], &J), TAC_OK);
        check_reverse(w, &w->contact[i], &J);
        check_forward(w, &w->contact[i], &J);
    }
    s.w = w;
    s.q = calloc((size_t)w->m->nq + 1, sizeof *s.q), s.u = calloc((size_t)w->ninput + 1, sizeof *s.u);
    CHECK_INT(tac_sim_get_params(w->sim, s.theta), TAC_OK);
    for (s.kind = 0; s.kind < 3; s.kind++)
        for (s.column = s.kind == 1 ? n[1] - 7 * w->m->nmocap : 0; s.column < n[s.kind]; s.column++)
            check_column(&s, jac[s.kind], n[s.kind], &tally[s.kind]);
    CHECK_INT(tac_sim_set_params(w->sim, s.theta), TAC_OK);
    for (int b = 0; b < 3; b++)
        free(jac[b]);
    free(s.q);
    free(s.u);
}

static void derivatives(void **state) {
    (void)state;
    tacModel *m = load("test/data/touching.xml");
    register_places(m);
    CHECK_LT(100, m->nparam);
    World w = open_world(m);
    Tally tally[3] = {0};
    for (uint64_t seed = 1; seed <= DERIVATIVE_STATES; seed++) {
        draw(&w, seed);
        CHECK_LT(4, find(&w));
        check_all_columns(&w, tally);
    }
    for (int b = 0; b < 3; b++) {
        CHECK_INT(tally[b].wrong, 0);
        CHECK_LT(50, tally[b].moving);
        CHECK_LT(tally[b].switching, 0.05 * tally[b].columns);
        print_message("%d columns, %d move, %d switch, worst %.1e\n", tally[b].columns, tally[b].moving,
                      tally[b].switching, tally[b].worst);
    }
    close_world(&w);
}

/* --- A function of its arguments ---------------------------------------------------------------------------------- */

static uint64_t hash_contacts(World *w, uint64_t hash) {
    double rows[TAC_CONTACT_ROWS];
    find(w);
    for (int i = 0; i < w->ncontact; i++) {
        rows_of(&w->contact[i], rows);
        hash = tac_hash(rows, sizeof rows, hash);
        hash = tac_hash(w->contact[i].geom, sizeof w->contact[i].geom, hash);
    }
    return hash;
}

/* What was computed before, and what scratch held, change nothing. */
static void no_memory(void **state) {
    (void)state;
    World w = open_world(load("test/data/touching.xml"));
    uint64_t fresh[STATES];
    for (int i = 0; i < STATES; i++) {
        World one = open_world(load("test/data/touching.xml"));
        draw(&one, (uint64_t)i);
        fresh[i] = hash_contacts(&one, 0);
        close_world(&one);
    }
    for (int round = 0; round < 3; round++)
        for (int i = STATES - 1; i >= 0; i--) {
            if (round > 0) tac_sim_poison(w.sim);
            draw(&w, (uint64_t)i);
            CHECK(hash_contacts(&w, 0) == fresh[i]);
        }
    close_world(&w);
}

typedef struct Job {
    World w;
    uint64_t hash;
} Job;

static void *run_job(void *context) {
    Job *job = context;
    for (uint64_t i = 0; i < 50; i++) {
        draw(&job->w, i);
        job->hash = hash_contacts(&job->w, job->hash);
    }
    return NULL;
}

static void same_on_every_thread(void **state) {
    (void)state;
    Job job[3];
    pthread_t thread[2];
    for (int i = 0; i < 3; i++)
        job[i] = (Job){open_world(load("test/data/touching.xml")), 0};
    for (int i = 0; i < 2; i++)
        CHECK_INT(pthread_create(&thread[i], NULL, run_job, &job[i]), 0);
    run_job(&job[2]);
    for (int i = 0; i < 2; i++)
        CHECK_INT(pthread_join(thread[i], NULL), 0);
    CHECK(job[0].hash == job[2].hash && job[1].hash == job[2].hash);
    for (int i = 0; i < 3; i++)
        close_world(&job[i].w);
}

/* A size set as a parameter is a size in the file. */
static void parameters_count(void **state) {
    (void)state;
    tacModel *m = load("test/data/touching.xml"), *edited = load("test/data/touching.xml");
    tacError err;
    int index;
    CHECK_INT(tac_param_register(m, "geom/ball.size[0]", &index, &err), TAC_OK);
    CHECK_INT(tac_param_set(edited, "geom/ball.size[0]", 0.17, &err), TAC_OK);
    World a = open_world(m), b = open_world(edited);
    double theta = 0.17;
    uint64_t before = hash_contacts(&a, 0);
    CHECK_INT(tac_sim_set_params(a.sim, &theta), TAC_OK);
    CHECK(hash_contacts(&a, 0) == hash_contacts(&b, 0));
    CHECK(hash_contacts(&a, 0) != before);
    close_world(&a);
    close_world(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_and_order),
                                       cmocka_unit_test(just_touching),
                                       cmocka_unit_test(margin_and_gap),
                                       cmocka_unit_test(distance_of_any_two),
                                       cmocka_unit_test(distance_places_what_it_needs),
                                       cmocka_unit_test(too_many),
                                       cmocka_unit_test(bad_input),
                                       cmocka_unit_test(too_far),
                                       cmocka_unit_test(derivatives),
                                       cmocka_unit_test(no_memory),
                                       cmocka_unit_test(same_on_every_thread),
                                       cmocka_unit_test(parameters_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
