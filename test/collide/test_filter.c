/* MJCF's rules of which geoms may touch, one world for all of them. */
#include "collide/filter.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

/* Bodies of the world below. */
enum { WORLD, POST, BASE, PLATE, ARM, HAND, BALL, GHOST, HELD, NBODY };

/* post: fixed in the world; base: free; plate: welded to base; arm: hinged to plate; hand: hinged to arm; ball: free;
 * ghost: mocap; held: welded to ghost. One sphere on each, and a floor. */
static tacBuilder *world_builder(void) {
    static const int PARENT[NBODY] = {0, WORLD, WORLD, BASE, PLATE, ARM, WORLD, WORLD, GHOST};
    static const int JOINT[NBODY] = {-1, -1, TAC_JOINT_FREE, -1, TAC_JOINT_HINGE, TAC_JOINT_HINGE, TAC_JOINT_FREE,
                                     -1, -1};
    tacBuilder *b = tac_model_begin();
    for (int i = 0; i < NBODY; i++) {
        if (i > 0) {
            tacBodyDef body = tac_default_body();
            body.mocap = i == GHOST;
            CHECK_INT(tac_model_add_body(b, PARENT[i], &body), i);
        }
        if (JOINT[i] >= 0) {
            tacJointDef joint = tac_default_joint();
            joint.type = (tacJointType)JOINT[i];
            CHECK(tac_model_add_joint(b, i, &joint) >= 0);
        }
        tacGeomDef geom = tac_default_geom();
        geom.size[0] = 0.1;
        CHECK_INT(tac_model_add_geom(b, i, &geom), i);
    }
    return b;
}

typedef struct World {
    tacModel *model;
    tacFilter filter;
    void *memory;
    int geom[NBODY]; /* the first of each body */
} World;

static World finish(tacBuilder *b) {
    World w;
    tacError err;
    tacArena arena;
    if (tac_model_finish(b, &w.model, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    tacArena dry = tac_arena_dry();
    CHECK(tac_filter_layout(&w.filter, w.model, &dry));
    size_t bytes = dry.peak;
    w.memory = aligned_alloc(TAC_ARENA_ALIGN, bytes);
    memset(w.memory, 0xFF, bytes);
    tac_arena_init(&arena, w.memory, bytes);
    CHECK(tac_filter_layout(&w.filter, w.model, &arena));
    CHECK_INT(arena.used, bytes);
    tac_filter_init(&w.filter, w.model);
    for (int i = 0; i < NBODY; i++)
        w.geom[i] = w.model->body_geom_adr[i];
    return w;
}

static void release(World *w) {
    free(w->memory);
    tac_model_free(w->model);
}

/* The same answer whichever geom is named first. */
static int allows(const World *w, int body1, int body2) {
    int a = tac_filter_allows(&w->filter, w->geom[body1], w->geom[body2]);
    CHECK_INT(tac_filter_allows(&w->filter, w->geom[body2], w->geom[body1]), a);
    return a;
}

/* Welds, parents, what is fixed. */
static void bodies(void **state) {
    (void)state;
    World w = finish(world_builder());
    CHECK_INT(allows(&w, BASE, PLATE), 0); /* welded */
    CHECK_INT(allows(&w, WORLD, POST), 0);
    CHECK_INT(allows(&w, GHOST, HELD), 0);
    CHECK_INT(allows(&w, WORLD, GHOST), 0); /* both without freedom */
    CHECK_INT(allows(&w, POST, HELD), 0);
    CHECK_INT(allows(&w, PLATE, ARM), 0); /* parent and child, by weld group: */
    CHECK_INT(allows(&w, BASE, ARM), 0);
    CHECK_INT(allows(&w, ARM, HAND), 0);
    CHECK_INT(allows(&w, BASE, HAND), 1);  /* grandparent */
    CHECK_INT(allows(&w, WORLD, BASE), 1); /* the world is no parent */
    CHECK_INT(allows(&w, POST, BASE), 1);
    CHECK_INT(allows(&w, BALL, HAND), 1);
    CHECK_INT(allows(&w, GHOST, BALL), 1);
    CHECK_INT(allows(&w, HELD, ARM), 1);
    CHECK_INT(w.filter.nbounded, NBODY);
    CHECK_INT(w.filter.nplane, 0);
    release(&w);
}

/* A chain whose first link is fixed in the world: the second is its child, but the world's group is no parent. */
static void fixed_base(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    tacGeomDef geom = tac_default_geom();
    geom.size[0] = 0.1;
    joint.type = TAC_JOINT_HINGE;
    int fixed = tac_model_add_body(b, 0, &body), link = tac_model_add_body(b, fixed, &body);
    CHECK(tac_model_add_joint(b, link, &joint) >= 0);
    int g0 = tac_model_add_geom(b, fixed, &geom), g1 = tac_model_add_geom(b, link, &geom);
    tacModel *m;
    CHECK_INT(tac_model_finish(b, &m, NULL), TAC_OK);
    tac_builder_free(b);
    tacArena arena, dry = tac_arena_dry();
    tacFilter f;
    CHECK(tac_filter_layout(&f, m, &dry));
    void *memory = aligned_alloc(TAC_ARENA_ALIGN, dry.peak);
    tac_arena_init(&arena, memory, dry.peak);
    CHECK(tac_filter_layout(&f, m, &arena));
    tac_filter_init(&f, m);
    CHECK_INT(tac_filter_allows(&f, g0, g1), 1);
    free(memory);
    tac_model_free(m);
}

static void parents_kept(void **state) {
    (void)state;
    tacBuilder *b = world_builder();
    tacOptionDef option = tac_default_option();
    option.disable = TAC_DISABLE_FILTERPARENT;
    tac_model_set_option(b, &option);
    World w = finish(b);
    CHECK_INT(allows(&w, ARM, HAND), 1);
    CHECK_INT(allows(&w, BASE, ARM), 1);
    CHECK_INT(allows(&w, BASE, PLATE), 0); /* welded all the same */
    release(&w);
}

static void contacts_disabled(void **state) {
    (void)state;
    static const int BITS[] = {TAC_DISABLE_CONTACT, TAC_DISABLE_CONSTRAINT};
    for (int i = 0; i < 2; i++) {
        tacBuilder *b = world_builder();
        tacOptionDef option = tac_default_option();
        tacPairDef pair = tac_default_pair();
        option.disable = BITS[i];
        pair.geom[0] = ARM, pair.geom[1] = HAND;
        tac_model_set_option(b, &option);
        CHECK(tac_model_add_pair(b, &pair) >= 0);
        World w = finish(b);
        CHECK_INT(allows(&w, BALL, HAND), 0);
        CHECK_INT(w.filter.nbounded, 0);
        CHECK_INT(w.filter.nexplicit, 0);
        release(&w);
    }
}

/* contype and conaffinity: either direction is enough. */
static void bits(void **state) {
    (void)state;
    static const int TABLE[][5] = {{1, 1, 1, 1, 1}, {1, 0, 0, 1, 1}, {0, 1, 1, 0, 1}, {2, 0, 0, 4, 0},
                                   {6, 0, 0, 4, 1}, {0, 0, 1, 1, 0}, {0, 1, 0, 1, 0}, {1, 0, 1, 0, 0}};
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++) {
        tacBuilder *b = world_builder();
        for (int k = 0; k < 2; k++) {
            tacGeomDef geom = tac_default_geom();
            geom.size[0] = 0.1, geom.contype = TABLE[i][2 * k], geom.conaffinity = TABLE[i][2 * k + 1];
            CHECK(tac_model_add_geom(b, k == 0 ? BALL : HAND, &geom) >= 0);
        }
        World w = finish(b);
        CHECK_INT(tac_filter_allows(&w.filter, w.geom[BALL] + 1, w.geom[HAND] + 1), TABLE[i][4]);
        release(&w);
    }
}

/* What <exclude> and <pair> say, whichever order they name things in. */
static void excluded_and_explicit(void **state) {
    (void)state;
    tacBuilder *b = world_builder();
    tacPairDef pair = tac_default_pair();
    CHECK(tac_model_add_exclude(b, "", HAND, BALL) >= 0);
    CHECK(tac_model_add_exclude(b, "", WORLD, BASE) >= 0);
    pair.geom[0] = HAND, pair.geom[1] = BASE, pair.margin = 0.2, pair.gap = 0.05;
    CHECK_INT(tac_model_add_pair(b, &pair), 0);
    pair.geom[0] = BASE, pair.geom[1] = PLATE; /* welded: an explicit pair passes by the rules */
    CHECK_INT(tac_model_add_pair(b, &pair), 1);
    World w = finish(b);
    CHECK_INT(allows(&w, BALL, HAND), 0);
    CHECK_INT(allows(&w, BASE, WORLD), 0);
    CHECK_INT(allows(&w, WORLD, PLATE), 1); /* an exclusion is by body, not by weld group */
    CHECK_INT(allows(&w, BASE, HAND), 0);   /* taken by the explicit pair */
    CHECK_INT(w.filter.nexplicit, 2);
    CHECK_INT(w.filter.explicit_pair[0].geom[0], w.geom[BASE]);
    CHECK_INT(w.filter.explicit_pair[0].geom[1], w.geom[HAND]);
    CHECK_INT(w.filter.explicit_pair[1].pair, 1);
    tacReach r = tac_pair_reach(w.model, w.geom[BASE], w.geom[HAND], 0);
    CHECK(r.include == 0.2);
    CHECK(r.reach == 0.2 + 0.05);
    release(&w);
}

/* Margins and gaps add; the override takes the place of the margin. */
static void margins(void **state) {
    (void)state;
    for (int override = 0; override < 2; override++) {
        tacBuilder *b = world_builder();
        tacGeomDef geom = tac_default_geom();
        tacOptionDef option = tac_default_option();
        option.o_margin = 0.5, option.enable = override ? TAC_ENABLE_OVERRIDE : 0;
        geom.size[0] = 0.1, geom.margin = 0.25, geom.gap = 0.125;
        CHECK(tac_model_add_geom(b, BALL, &geom) >= 0);
        geom.margin = 0.0625, geom.gap = 0.03125;
        CHECK(tac_model_add_geom(b, HAND, &geom) >= 0);
        tac_model_set_option(b, &option);
        World w = finish(b);
        int g0 = w.geom[BALL] + 1, g1 = w.geom[HAND] + 1;
        tacReach r = tac_pair_reach(w.model, g0, g1, -1);
        CHECK(r.include == (override ? 0.5 : 0.3125));
        CHECK(r.reach == r.include + 0.15625);
        CHECK(tac_geom_reach(w.model, g0) + tac_geom_reach(w.model, g1) == r.reach);
        release(&w);
    }
}

/* Geoms for looks, height fields and planes among themselves never touch, not even by explicit pair. */
static void without_shape(void **state) {
    (void)state;
    tacBuilder *b = world_builder();
    tacGeomDef geom = tac_default_geom();
    tacPairDef pair = tac_default_pair();
    geom.type = TAC_GEOM_PLANE, geom.size[0] = geom.size[1] = geom.size[2] = 1;
    int floor = tac_model_add_geom(b, WORLD, &geom), wall = tac_model_add_geom(b, GHOST, &geom);
    geom.type = TAC_GEOM_SPHERE, geom.size[0] = 0.1, geom.visual = 1;
    int looks = tac_model_add_geom(b, BALL, &geom);
    pair.geom[0] = floor, pair.geom[1] = wall;
    CHECK(tac_model_add_pair(b, &pair) >= 0);
    pair.geom[0] = floor, pair.geom[1] = looks;
    CHECK(tac_model_add_pair(b, &pair) >= 0);
    World w = finish(b);
    CHECK_INT(w.filter.nexplicit, 0);
    CHECK_INT(w.filter.nplane, 2);
    CHECK_INT(w.filter.nbounded, NBODY);
    int world_plane = w.geom[WORLD] + 1, ball_looks = w.geom[BALL] + 1;
    CHECK_INT(w.model->geom_type[world_plane], TAC_GEOM_PLANE);
    CHECK_INT(tac_geom_has_shape(w.model, ball_looks), 0);
    CHECK_INT(tac_geoms_have_distance(w.model, world_plane, w.geom[GHOST] + 1), 0);
    CHECK_INT(tac_geoms_have_distance(w.model, world_plane, world_plane), 0);
    CHECK_INT(tac_geoms_have_distance(w.model, world_plane, w.geom[BALL]), 1);
    CHECK_INT(tac_contact_swaps(w.model, w.geom[BALL], world_plane), 1); /* the plane comes first */
    CHECK_INT(tac_contact_swaps(w.model, w.geom[HAND], w.geom[BALL]), 0);
    CHECK_INT(tac_contact_swaps(w.model, w.geom[BALL], w.geom[HAND]), 1);
    release(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bodies),       cmocka_unit_test(fixed_base),
                                       cmocka_unit_test(parents_kept), cmocka_unit_test(contacts_disabled),
                                       cmocka_unit_test(bits),         cmocka_unit_test(excluded_and_explicit),
                                       cmocka_unit_test(margins),      cmocka_unit_test(without_shape)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
