#include "box_scene.h"

#include "dynamics/contact_move.h"
#include "dynamics/kinematics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- Text --------------------------------------------------------------------------------------------------------- */

/* One body of a scene's file: its longest text. */
enum { BODY_TEXT = 256, HEAD_TEXT = 512, SCATTER_SEED = 5, PILE_SEED = 6 };

static int put_box(char *text, tacVec3 p, const double quat[4], tacVec3 half) {
    return snprintf(text, BODY_TEXT,
                    "<body pos='%.6f %.6f %.6f' quat='%.6f %.6f %.6f %.6f'><freejoint/>"
                    "<geom type='box' size='%.6f %.6f %.6f'/></body>\n",
                    p.x, p.y, p.z, quat[0], quat[1], quat[2], quat[3], half.x, half.y, half.z);
}

/* Room for the arrays that MuJoCo 2.2.2 sizes by hand is asked for. */
static int put_head(char *text) {
    return snprintf(text, HEAD_TEXT, "<mujoco><size nconmax='20000' njmax='1' nstack='4000000'/><worldbody>\n");
}

/* Where box i of n stands, and its half-sizes. */
typedef struct Place {
    tacVec3 pos, half;
    double quat[4];
} Place;

static Place scattered(int n, uint64_t seed, int i) {
    double side = 0.5 * cbrt((double)n), r[10];
    for (int k = 0; k < 10; k++)
        r[k] = tac_random_uniform(SCATTER_SEED + seed, (uint64_t)k, (uint64_t)i);
    double w = 1 + r[3], x = 2 * r[4] - 1, y = 2 * r[5] - 1, z = 2 * r[6] - 1,
           norm = sqrt(w * w + x * x + y * y + z * z);
    return (Place){{side * r[0], side * r[1], side * r[2]},
                   {0.05 + 0.1 * r[7], 0.05 + 0.1 * r[8], 0.05 + 0.1 * r[9]},
                   {w / norm, x / norm, y / norm, z / norm}};
}

char *bench_scattered_boxes(int n, uint64_t seed) {
    char *text = malloc((size_t)(n + 4) * BODY_TEXT + HEAD_TEXT);
    if (text == NULL) return NULL;
    int at = put_head(text);
    for (int i = 0; i < n; i++) {
        Place p = scattered(n, seed, i);
        at += put_box(text + at, p.pos, p.quat, p.half);
    }
    snprintf(text + at, BODY_TEXT, "</worldbody></mujoco>\n");
    return text;
}

tacModel *bench_build_scattered(int n, uint64_t seed) {
    tacBuilder *b = tac_model_begin();
    tacModel *m = NULL;
    tacError err;
    for (int i = 0; i < n; i++) {
        Place p = scattered(n, seed, i);
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        tacGeomDef geom = tac_default_geom();
        body.pos = p.pos;
        body.quat = (tacQuat){p.quat[0], p.quat[1], p.quat[2], p.quat[3]};
        joint.type = TAC_JOINT_FREE;
        geom.type = TAC_GEOM_BOX;
        geom.size[0] = p.half.x, geom.size[1] = p.half.y, geom.size[2] = p.half.z;
        int id = tac_model_add_body(b, 0, &body);
        tac_model_add_joint(b, id, &joint);
        tac_model_add_geom(b, id, &geom);
    }
    if (tac_model_finish(b, &m, &err) != TAC_OK) fprintf(stderr, "%s\n", err.text);
    tac_builder_free(b);
    return m;
}

char *bench_piled_boxes(int n) {
    char *text = malloc((size_t)(n + 4) * BODY_TEXT + HEAD_TEXT);
    if (text == NULL) return NULL;
    int at = put_head(text);
    at += snprintf(text + at, BODY_TEXT, "<geom type='plane' size='5 5 1'/>\n");
    for (int i = 0; i < n; i++) {
        int layer = i / 64, row = i / 8 % 8, column = i % 8;
        double turn = 0.02 * (tac_random_uniform(PILE_SEED, 0, (uint64_t)i) - 0.5), set_off = layer % 2 ? 0.07 : 0;
        double quat[4] = {cos(turn), 0, 0, sin(turn)};
        tacVec3 p = {0.21 * column + set_off, 0.21 * row + 0.6 * set_off, 0.1 - 1e-4 + (0.2 - 1e-4) * layer};
        at += put_box(text + at, p, quat, (tacVec3){0.1, 0.1, 0.1});
    }
    snprintf(text + at, BODY_TEXT, "</worldbody></mujoco>\n");
    return text;
}

/* --- The stage ---------------------------------------------------------------------------------------------------- */

int bench_scene_make(benchScene *s, tacModel *model, int max_contacts) {
    tacArena arena, dry = tac_arena_dry();
    tac_scene_layout(&s->scene, model, &dry);
    tac_scene_layout_scratch(&s->scene, model, max_contacts, &dry);
    s->model = model;
    s->memory = aligned_alloc(TAC_ARENA_ALIGN, dry.peak);
    s->contact = malloc((size_t)max_contacts * sizeof *s->contact);
    if (s->memory == NULL || s->contact == NULL) return fprintf(stderr, "out of memory\n");
    tac_arena_init(&arena, s->memory, dry.peak);
    if (!tac_scene_layout(&s->scene, model, &arena) ||
        !tac_scene_layout_scratch(&s->scene, model, max_contacts, &arena))
        return fprintf(stderr, "a scene does not fit its own memory\n");
    tac_scene_init(&s->scene, model);
    return 0;
}

int bench_scene_place(benchScene *s, const double *q) {
    tacWork w;
    tacArena arena;
    size_t bytes = tac_work_bytes(s->model);
    void *memory = aligned_alloc(TAC_ARENA_ALIGN, bytes);
    if (memory == NULL) return fprintf(stderr, "out of memory\n");
    tac_arena_init(&arena, memory, bytes);
    tac_work_layout(&w, s->model, &arena);
    tac_kinematics_q(s->model, &w, q, NULL);
    tacStatus status = tac_place_geoms(s->model, &w, &s->scene);
    free(memory);
    return status == TAC_OK ? 0 : fprintf(stderr, "%s\n", tac_status_text(status));
}

void bench_scene_collide(void *scene) {
    benchScene *s = scene;
    if (tac_scene_contacts(&s->scene, s->model, s->contact, s->scene.max_contacts, &s->ncontact) != TAC_OK)
        s->ncontact = -1;
}

void bench_scene_free(benchScene *s) {
    free(s->memory);
    free(s->contact);
    tac_model_free(s->model);
}
