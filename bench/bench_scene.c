/* The collision stage of whole scenes beside MuJoCo's mj_collision, same model and state, in one run, interleaved;
 * kinematics excluded on both sides. CSV:
 *   scene,geoms,contacts,contacts_peer,us_tactus,us_peer,ratio,pairs,pairs_both,error
 * Our contacts come with their features and margins, which MuJoCo's have not. `pairs`: geom pairs that either finds;
 * `error`: largest difference of a pair's deepest distance among pairs_both. Robots stand on the floor, sunk in by a
 * millimetre. */
#include "box_scene.h"
#include "measure/timing.h"

#include "tactus/io.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BOXES = 256, MAX_CONTACTS = 20000, BATCHES = 41 };

typedef struct Scene {
    benchScene ours;
    mjModel *mj;
    mjData *d;
} Scene;

static void run_ours(void *context) {
    Scene *s = context;
    bench_scene_collide(&s->ours);
}

static void run_peer(void *context) {
    Scene *s = context;
    mj_collision(s->mj, s->d);
}

/* Deepest distance of a pair among MuJoCo's contacts; infinite: none. */
static double peer_distance(const mjData *d, int a, int b) {
    double deepest = HUGE_VAL;
    for (int i = 0; i < d->ncon; i++) {
        const mjContact *c = &d->contact[i];
        if ((c->geom1 == a && c->geom2 == b) || (c->geom1 == b && c->geom2 == a)) deepest = fmin(deepest, c->dist);
    }
    return deepest;
}

static int peer_pairs(const mjData *d) {
    int n = 0;
    for (int i = 0; i < d->ncon; i++) {
        int seen = 0;
        for (int j = 0; j < i && !seen; j++)
            seen = d->contact[j].geom1 == d->contact[i].geom1 && d->contact[j].geom2 == d->contact[i].geom2;
        n += !seen;
    }
    return n;
}

static void report(const Scene *s, const char *name, const benchTime t[2]) {
    const benchScene *o = &s->ours;
    int pairs = peer_pairs(s->d), both = 0;
    double error = 0;
    for (int i = 0; i < o->ncontact; i++) {
        const tacContact *c = &o->contact[i];
        if (i > 0 && c->geom[0] == c[-1].geom[0] && c->geom[1] == c[-1].geom[1]) continue; /* the deepest is first */
        double theirs = peer_distance(s->d, c->geom[0], c->geom[1]);
        if (isfinite(theirs)) {
            both++;
            error = fmax(error, fabs(theirs - c->dist));
        } else {
            pairs++;
        }
    }
    printf("%s,%d,%d,%d,%.4f,%.4f,%.4f,%d,%d,%.3g\n", name, o->model->ngeom, o->ncontact, s->d->ncon, 1e6 * t[0].median,
           1e6 * t[1].median, t[0].median / t[1].median, pairs, both, error);
}

/* How deep the lowest geom may stand in the floor (m). */
#define SUNK 1e-3

/* Height of the lowest geom above the plane that is geom 0; 0 where there is none. */
static double height_of(benchScene *s) {
    double lowest = HUGE_VAL;
    for (int g = 1; g < s->model->ngeom; g++) {
        tacContact c;
        if (tac_scene_distance(&s->scene, s->model, 0, g, &c) == TAC_OK) lowest = fmin(lowest, c.dist);
    }
    return s->model->geom_type[0] == TAC_GEOM_PLANE && isfinite(lowest) ? lowest : 0;
}

/* q where it stands: the first keyframe, or as the file draws it; a robot that floats is put on the floor. */
static int place_standing(benchScene *s, double *q) {
    const tacModel *m = s->model;
    memcpy(q, m->nkey > 0 ? m->key_qpos : m->qpos_0, (size_t)m->nq * sizeof *q);
    int code = bench_scene_place(s, q);
    if (code != 0 || m->nkey == 0 || m->joint_type[0] != TAC_JOINT_FREE) return code;
    q[2] -= height_of(s) + SUNK;
    return bench_scene_place(s, q);
}

static int run_file(const char *name, const char *path) {
    Scene s = {0};
    tacError err;
    tacModel *m;
    char text[1024];
    benchTime t[2];
    if (tac_load(path, &m, &err) != TAC_OK) return fprintf(stderr, "%s\n", err.text), 2;
    s.mj = mj_loadXML(path, NULL, text, sizeof text);
    if (s.mj == NULL) return fprintf(stderr, "MuJoCo: %s\n", text), 2;
    s.d = mj_makeData(s.mj);
    if (bench_scene_make(&s.ours, m, MAX_CONTACTS) || place_standing(&s.ours, s.d->qpos)) return 2;
    mj_kinematics(s.mj, s.d);
    run_ours(&s);
    if (s.ours.ncontact < 0) return fprintf(stderr, "%s: no contacts\n", name), 2;
    bench_interleaved(2, (benchWork[]){run_ours, run_peer}, (void *[]){&s, &s}, BATCHES, 2e-3, t);
    report(&s, name, t);
    mj_deleteData(s.d);
    mj_deleteModel(s.mj);
    bench_scene_free(&s.ours);
    return 0;
}

/* MuJoCo and we read the same file. */
static int run_text(const char *name, char *text) {
    char path[] = "/tmp/tactus_bench_XXXXXX";
    int file = mkstemp(path), code = 2;
    if (text != NULL && file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text))
        code = run_file(name, path);
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    free(text);
    return code;
}

int main(void) {
    printf("scene,geoms,contacts,contacts_peer,us_tactus,us_peer,ratio,pairs,pairs_both,error\n");
    int code = run_file("humanoid", "models/humanoid.xml");
    if (code == 0) code = run_file("quadruped", "models/quadruped.xml");
    if (code == 0) code = run_text("boxes_apart", bench_scattered_boxes(BOXES, 0));
    if (code == 0) code = run_text("boxes_pile", bench_piled_boxes(BOXES));
    return code;
}
