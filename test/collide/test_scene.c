/* Contacts of random scenes: what filter, bounds and tree leave must be all that touches. */
#include "collide/scene.h"
#include "support/check.h"
#include "support/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 40, ROUNDS = 60, MAX_CONTACTS = 20000 };

typedef struct Stage {
    tacModel *model;
    tacScene scene;
    void *memory[2];
} Stage;

static const tacVec3 TETRA[4] = {{0.3, 0.2, -0.1}, {-0.2, 0.3, 0}, {0, -0.3, 0.1}, {0.05, 0.1, 0.4}};
static const int TETRA_FACE[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
static const int TETRA_HULL[4] = {0, 1, 2, 3};

static void add_random_geom(tacBuilder *b, int body, int mesh, double margins, tacDraw *d) {
    static const tacGeomType TYPES[] = {TAC_GEOM_SPHERE, TAC_GEOM_CAPSULE, TAC_GEOM_ELLIPSOID, TAC_GEOM_CYLINDER,
                                        TAC_GEOM_BOX,    TAC_GEOM_MESH,    TAC_GEOM_CONE};
    tacGeomDef geom = tac_default_geom();
    geom.type = TYPES[draw_int(d, 7)];
    geom.mesh = geom.type == TAC_GEOM_MESH ? mesh : -1;
    for (int k = 0; k < 3 && geom.type != TAC_GEOM_MESH; k++)
        geom.size[k] = draw_uniform(d, 0.05, 0.4);
    geom.pos = draw_vec3(d, 0.2), geom.quat = draw_quat(d);
    geom.margin = margins * draw_uniform(d, 0, 0.1), geom.gap = margins * draw_uniform(d, 0, 0.1);
    geom.contype = 1 + draw_int(d, 3), geom.conaffinity = draw_int(d, 4);
    CHECK(tac_model_add_geom(b, body, &geom) >= 0);
}

/* Free bodies with one or two geoms each, a floor and a tilted wall, an explicit pair. */
static tacModel *random_model(double margins, tacDraw *d) {
    tacBuilder *b = tac_model_begin();
    tacModel *m = NULL;
    tacError err;
    tacMeshDef mesh = tac_default_mesh();
    mesh.nvert = 4, mesh.vert = TETRA, mesh.nface = 4, mesh.face = TETRA_FACE;
    mesh.nhullvert = 4, mesh.hullvert = TETRA_HULL, mesh.nhullface = 4, mesh.hullface = TETRA_FACE;
    int mesh_id = tac_model_add_mesh(b, &mesh);
    for (int i = 0; i < 2; i++) {
        tacGeomDef plane = tac_default_geom();
        plane.type = TAC_GEOM_PLANE, plane.size[0] = plane.size[1] = plane.size[2] = 1;
        plane.quat = i == 0 ? tac_quat_identity() : draw_quat(d);
        plane.contype = plane.conaffinity = 3, plane.margin = margins * 0.02;
        CHECK(tac_model_add_geom(b, 0, &plane) >= 0);
    }
    for (int i = 0; i < BODIES; i++) {
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        joint.type = TAC_JOINT_FREE;
        int id = tac_model_add_body(b, 0, &body);
        CHECK(tac_model_add_joint(b, id, &joint) >= 0);
        for (int k = 0; k <= i % 2; k++)
            add_random_geom(b, id, mesh_id, margins, d);
    }
    tacPairDef pair = tac_default_pair();
    pair.geom[0] = 5, pair.geom[1] = 9, pair.margin = 3, pair.gap = 1;
    CHECK(tac_model_add_pair(b, &pair) >= 0);
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    return m;
}

static Stage make(tacModel *model, int max_contacts) {
    Stage s = {.model = model};
    tacArena arena[2], dry[2] = {tac_arena_dry(), tac_arena_dry()};
    CHECK(tac_scene_layout(&s.scene, model, &dry[0]));
    CHECK(tac_scene_layout_scratch(&s.scene, model, max_contacts, &dry[1]));
    size_t bytes[2] = {dry[0].peak, dry[1].peak};
    for (int i = 0; i < 2; i++) {
        s.memory[i] = aligned_alloc(TAC_ARENA_ALIGN, bytes[i]);
        memset(s.memory[i], 0xFF, bytes[i]);
        tac_arena_init(&arena[i], s.memory[i], bytes[i]);
    }
    CHECK(tac_scene_layout(&s.scene, model, &arena[0]));
    CHECK(tac_scene_layout_scratch(&s.scene, model, max_contacts, &arena[1]));
    CHECK_INT(arena[0].used, bytes[0]);
    CHECK_INT(arena[1].used, bytes[1]);
    tac_scene_init(&s.scene, model);
    return s;
}

static void destroy(Stage *s) {
    free(s->memory[0]);
    free(s->memory[1]);
    tac_model_free(s->model);
}

/* Bodies at random places about a point; geoms where their bodies have them. */
static void place(Stage *s, tacVec3 about, double spread, tacDraw *d) {
    const tacModel *m = s->model;
    tacVec3 p[BODIES + 1] = {{0, 0, 0}};
    tacQuat q[BODIES + 1] = {{1, 0, 0, 0}};
    for (int b = 1; b <= BODIES; b++)
        p[b] = tac_add3(about, draw_vec3(d, spread)), q[b] = draw_quat(d);
    for (int g = 0; g < m->ngeom; g++) {
        int b = m->geom_body[g];
        s->scene.pose[g].p = tac_add3(p[b], tac_quat_rotate(q[b], m->geom_pos[g]));
        s->scene.pose[g].R = tac_quat_mat(tac_quat_mul(q[b], m->geom_quat[g]));
    }
}

/* Each with each, by the rules and the narrow phase alone -> touches of the pair. */
static int touches_of(const Stage *s, int a, int b, tacTouch *touch) {
    const tacModel *m = s->model;
    const tacScene *c = &s->scene;
    int pair = -1, kept = 0;
    for (int i = 0; i < m->npair; i++)
        if ((m->pair_geom[2 * i] == a && m->pair_geom[2 * i + 1] == b) ||
            (m->pair_geom[2 * i] == b && m->pair_geom[2 * i + 1] == a))
            pair = i;
    if (!tac_geoms_have_distance(m, a, b) || (pair < 0 && !tac_filter_allows(&c->filter, a, b))) return 0;
    double reach = tac_pair_reach(m, a, b, pair).reach;
    int n = tac_touches(&c->shape[a], &c->pose[a], &c->shape[b], &c->pose[b], reach + 1e-9, NULL, touch);
    for (int i = 0; i < n; i++)
        if (touch[i].dist <= reach) touch[kept++] = touch[i];
    return kept;
}

/* -> number of contacts */
static int check_scene(Stage *s) {
    static tacContact contact[MAX_CONTACTS];
    const tacModel *m = s->model;
    int n = 0, next = 0;
    CHECK_INT(tac_scene_contacts(&s->scene, m, contact, MAX_CONTACTS, &n), TAC_OK);
    for (int a = 0; a < m->ngeom; a++)
        for (int b = 0; b < m->ngeom; b++) {
            tacTouch touch[TAC_MAX_TOUCH];
            if (a == b || tac_contact_swaps(m, a, b)) continue;
            int count = touches_of(s, a, b, touch);
            for (int i = 0; i < count; i++, next++) {
                CHECK(next < n);
                CHECK_INT(contact[next].geom[0], a);
                CHECK_INT(contact[next].geom[1], b);
                CHECK(contact[next].dist == touch[i].dist);
                CHECK(memcmp(&contact[next].normal, &touch[i].normal, sizeof touch[i].normal) == 0);
            }
        }
    CHECK_INT(next, n);
    return n;
}

/* Sparse and dense, with and without margins, near the origin and far from it, where numbers are coarse. */
static void all_that_touches(void **state) {
    (void)state;
    tacDraw d = {31, 0};
    int contacts = 0;
    for (int round = 0; round < ROUNDS; round++) {
        Stage s = make(random_model(round % 3, &d), MAX_CONTACTS);
        tacVec3 about = round % 4 == 3 ? tac_vec3(1e6, -3e5, 10) : tac_zero3();
        place(&s, about, round % 2 ? 1.2 : 3, &d);
        contacts += check_scene(&s);
        destroy(&s);
    }
    CHECK_LT(2000, contacts);
}

/* Shapes follow the model's numbers when they are told to. */
static void update(void **state) {
    (void)state;
    tacDraw d = {32, 0};
    Stage s = make(random_model(1, &d), MAX_CONTACTS);
    place(&s, tac_zero3(), 1.2, &d);
    int before = check_scene(&s);
    for (int g = 2; g < s.model->ngeom; g++)
        for (int k = 0; k < 3; k++)
            s.model->geom_size[3 * g + k] *= 0.5;
    tac_scene_update(&s.scene, s.model);
    CHECK_LT(check_scene(&s), before);
    destroy(&s);
}

/* A margin is a length: of every contact, whatever features it has. */
static void margins(void **state) {
    (void)state;
    static tacContact contact[MAX_CONTACTS];
    tacDraw d = {33, 0};
    int n;
    for (int round = 0; round < ROUNDS; round++) {
        Stage s = make(random_model(1, &d), MAX_CONTACTS);
        place(&s, tac_zero3(), 1.2, &d);
        CHECK_INT(tac_scene_contacts(&s.scene, s.model, contact, MAX_CONTACTS, &n), TAC_OK);
        for (int i = 0; i < n; i++)
            CHECK(contact[i].switch_margin >= 0);
        destroy(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_that_touches), cmocka_unit_test(update),
                                       cmocka_unit_test(margins)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
