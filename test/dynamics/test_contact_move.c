/* How contacts move: both shapes together rigidly, each alone as the other makes up for it; movers and parameters are
 * held against differences in test/step/test_contacts.c. */
#include "dynamics/contact_move.h"
#include "dynamics/kinematics.h"
#include "dynamics/robots.h"
#include "support/check.h"
#include "support/draw.h"

#include <stdlib.h>
#include <string.h>

#define TOL 1e-12
enum { MAX_CONTACTS = 64, STATES = 20, ROOT_DOFS = 6 };
/* Contacts in these states, and those between two geoms of one chain: fewer would show little. */
enum { LEAST_SEEN = 40, LEAST_WITHIN = 5 };

typedef struct Setting {
    tacModel *m;
    tacWork w;
    tacScene scene;
    void *memory;
    tacContact contact[MAX_CONTACTS];
    int n;
} Setting;

/* Two floating chains of three bodies close together; the ends of a chain may touch each other. */
static tacModel *build(void) {
    static const tacGeomType TYPES[] = {TAC_GEOM_BOX, TAC_GEOM_CAPSULE,   TAC_GEOM_SPHERE,
                                        TAC_GEOM_BOX, TAC_GEOM_ELLIPSOID, TAC_GEOM_CYLINDER};
    tacBuilder *b = tac_model_begin();
    int parent = 0;
    for (int i = 0; i < 6; i++) {
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        tacGeomDef geom = tac_default_geom();
        int root = i % 3 == 0;
        body.pos = root ? (tacVec3){0.05 * i, 0.1 * i, 0.3} : (tacVec3){0.35, 0.1, 0.05};
        joint.type = root ? TAC_JOINT_FREE : TAC_JOINT_HINGE;
        geom.type = TYPES[i], geom.size[0] = 0.3, geom.size[1] = 0.25, geom.size[2] = 0.2;
        geom.margin = 0.1;
        parent = tac_model_add_body(b, root ? 0 : parent, &body);
        CHECK(tac_model_add_joint(b, parent, &joint) >= 0 && tac_model_add_geom(b, parent, &geom) >= 0);
    }
    return robot_finish(b);
}

static Setting open_setting(void) {
    Setting s = {.m = build()};
    tacArena arena = tac_arena_dry();
    for (int dry = 1; dry >= 0; dry--) {
        CHECK(tac_work_layout(&s.w, s.m, &arena) && tac_scene_layout(&s.scene, s.m, &arena));
        CHECK(tac_scene_layout_scratch(&s.scene, s.m, MAX_CONTACTS, &arena));
        if (!dry) break;
        s.memory = aligned_alloc(TAC_ARENA_ALIGN, arena.peak);
        tac_arena_init(&arena, s.memory, arena.peak);
    }
    tac_scene_init(&s.scene, s.m);
    return s;
}

static void place(Setting *s, uint64_t seed) {
    double *x = robot_array(tac_nx(s->m));
    robot_state(s->m, x, seed);
    tac_kinematics_q(s->m, &s->w, x, NULL);
    CHECK_INT(tac_place_geoms(s->m, &s->w, &s->scene), TAC_OK);
    CHECK_INT(tac_scene_contacts(&s->scene, s->m, s->contact, MAX_CONTACTS, &s->n), TAC_OK);
    free(x);
}

static void close_setting(Setting *s) {
    free(s->memory);
    tac_model_free(s->m);
}

static void both_are_the_sum(void **state) {
    (void)state;
    Setting s = open_setting();
    int seen = 0;
    for (uint64_t seed = 0; seed < STATES; seed++) {
        place(&s, seed);
        for (int i = 0; i < s.n; i++) {
            tacContactSystem c;
            if (tac_contact_prepare(s.m, &s.scene, &s.contact[i], &c) != TAC_OK) continue;
            for (int k = 0; k < 6; k++) {
                double sum[TAC_CONTACT_ROWS];
                const double *first = &c.twist[0][k].dist, *second = &c.twist[1][k].dist;
                for (int r = 0; r < TAC_CONTACT_ROWS; r++)
                    sum[r] = first[r] + second[r];
                CHECK_ARRAY(TAC_CONTACT_ROWS, sum, &c.twist[2][k].dist, TOL);
            }
            seen++;
        }
    }
    CHECK_LT(LEAST_SEEN, seen);
    close_setting(&s);
}

/* The columns of one contact; 1: its two geoms belong to one tree. */
static int check_columns(const Setting *s, const tacContactSystem *c, double *jac) {
    size_t nv = (size_t)s->m->nv;
    memset(jac, 0, TAC_CONTACT_ROWS * nv * sizeof *jac);
    tac_contact_dofs(s->m, &s->w, c, &(tacSink){.matrix = jac, .ld = s->m->nv});
    for (int j = 0; j < s->m->nv; j++) {
        tacMover mover = tac_dof_mover(s->m, &s->w, j);
        tacContactTangent t = tac_contact_along(s->m, &s->w, c, &mover);
        const double *rows = &t.dist;
        for (size_t r = 0; r < TAC_CONTACT_ROWS; r++)
            CHECK_NEAR(jac[r * nv + (size_t)j], rows[r], TOL);
    }
    int root = s->m->body_root[c->body[0]];
    if (root != s->m->body_root[c->body[1]]) return 0;
    for (int j = 0; j < ROOT_DOFS; j++)
        CHECK_NEAR(jac[s->m->body_dof_adr[root] + j], 0, TOL);
    return 1;
}

/* Columns by walking up both paths at once are columns by asking each dof whom it moves; a dof of the whole tree leaves
 * the distance as it is. */
static void dofs_are_movers(void **state) {
    (void)state;
    Setting s = open_setting();
    double *jac = robot_array(TAC_CONTACT_ROWS * s.m->nv);
    int seen = 0, within = 0;
    for (uint64_t seed = 0; seed < STATES; seed++) {
        place(&s, seed);
        for (int i = 0; i < s.n; i++) {
            tacContactSystem c;
            if (tac_contact_prepare(s.m, &s.scene, &s.contact[i], &c) != TAC_OK) continue;
            within += check_columns(&s, &c, jac);
            seen++;
        }
    }
    CHECK_LT(LEAST_SEEN, seen);
    CHECK_LT(LEAST_WITHIN, within);
    free(jac);
    close_setting(&s);
}

/* What is no contact of the model is refused; a pose without end is too. */
static void refusals(void **state) {
    (void)state;
    Setting s = open_setting();
    tacContactSystem c;
    place(&s, 3);
    CHECK_LT(0, s.n);
    tacContact wrong = s.contact[0];
    wrong.geom[0] = wrong.geom[1];
    CHECK_INT(tac_contact_prepare(s.m, &s.scene, &wrong, &c), TAC_ERR_ARGUMENT);
    wrong = s.contact[0], wrong.geom[0] = -1;
    CHECK_INT(tac_contact_prepare(s.m, &s.scene, &wrong, &c), TAC_ERR_ARGUMENT);
    wrong = s.contact[0], wrong.feature[0].kind = 99;
    CHECK_INT(tac_contact_prepare(s.m, &s.scene, &wrong, &c), TAC_ERR_ARGUMENT);
    s.w.xpos[1].x = 1e200;
    CHECK_INT(tac_place_geoms(s.m, &s.w, &s.scene), TAC_ERR_NONFINITE);
    close_setting(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_are_the_sum), cmocka_unit_test(dofs_are_movers),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
