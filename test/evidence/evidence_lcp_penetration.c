/* How deep things sink in 10 s of contact lcp at 20 to 500 steps a second: a ball and a flat box that fall and slide, a
 * box and a mesh that are thrown and tumble, on the plane and over the edges of a fixed box. One JSON line per thing
 * and rate, with the argument `toi` of steps that stop at impacts:
 *   {"thing":..., "hz":f, "toi":0|1, "depth":m, "bound":m, "unsolved":N}
 * depth is the largest overlap at the end of any step. bound is h^2 w^2 r for the fastest turning of the run, r the
 * radius about the centre: what a turning body's corner falls short of its tangent in a step. */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECONDS 10.0
enum { MOST_CONTACTS = 64 };

static const double RATES[] = {20, 50, 100, 200, 500};
enum { NRATE = sizeof RATES / sizeof *RATES };

typedef struct Thing {
    const char *name, *geom;
    double radius, height;
    double v[6]; /* at the start */
    int turns;
    const char *also; /* in its world */
} Thing;

#define STEP "<geom type='box' size='0.4 0.5 0.1' pos='0.5 0.4 0.1' euler='0 0 20' friction='0.5'/>"

static const Thing THINGS[] = {
    {"ball", "type='sphere' size='0.1'", 0.1, 0.6, {1, 0.5, 0, 0, 0, 0}, 0, ""},
    {"flat box", "type='box' size='0.2 0.15 0.1'", 0.27, 0.7, {1, 0.5, 0, 0, 0, 0}, 0, ""},
    {"tumbling box", "type='box' size='0.2 0.15 0.1'", 0.2692582403567252, 0.8, {1, 0.5, 1, 4, 7, 3}, 1, ""},
    {"tumbling mesh", "type='mesh' mesh='stone'", 0.25, 0.8, {1, 0.5, 1, 4, 7, 3}, 1, ""},
    {"box over edges", "type='box' size='0.2 0.15 0.1'", 0.2692582403567252, 0.8, {1, 0.5, 1, 4, 7, 3}, 1, STEP},
    {"mesh over edges", "type='mesh' mesh='stone'", 0.25, 0.8, {1, 0.5, 1, 4, 7, 3}, 1, STEP},
};
enum { NTHING = sizeof THINGS / sizeof *THINGS };

static const char *const MODEL =
    "<mujoco><asset><mesh name='stone' scale='0.2 0.22 0.18' vertex='0.9 0.1 -0.2  -0.8 0.4 0.1  0.1 1.0 0.2  0.2 -0.9 "
    "0.1  -0.1 0.2 1.1  0.1 -0.3 -0.8  0.6 0.6 0.5  -0.5 -0.6 0.6  0.5 -0.5 -0.6  -0.6 0.5 -0.5'/></asset><worldbody>"
    "<geom type='plane' size='5 5 1' friction='0.5'/>%s<body pos='0 0 %g'><freejoint/><geom %s friction='0.5'/></body>"
    "</worldbody></mujoco>";

static Scene open_thing(const Thing *t, double hz, int toi, const char *path) {
    FILE *file = fopen(path, "w");
    if (file == NULL || fprintf(file, MODEL, t->also, t->height, t->geom) < 0 || fclose(file) != 0) exit(2);
    Scene s = scene_load(path);
    tacError err;
    tac_sim_free(s.sim);
    s.options.contact = TAC_CONTACT_MODEL_LCP;
    s.options.dt = 1 / hz;
    s.options.toi = toi;
    if (tac_sim_new(s.model, &s.options, &s.sim, &err) != TAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(2);
    }
    memcpy(s.x + s.model->nq, t->v, sizeof t->v);
    return s;
}

static double depth_of(Scene *s) {
    tacContact contact[MOST_CONTACTS];
    int n = 0;
    double depth = 0;
    scene_require(s, "contacts", tac_contacts(s->sim, s->x, s->u, contact, MOST_CONTACTS, &n));
    for (int i = 0; i < n; i++)
        depth = fmax(depth, -contact[i].dist);
    return depth;
}

static void run_thing(const Thing *t, double hz, int toi, const char *path) {
    Scene s = open_thing(t, hz, toi, path);
    const double *w = s.x + s.model->nq + 3;
    double depth = 0, turning = 0, h = 1 / hz;
    long unsolved = 0;
    for (int k = 0; k < (int)(SECONDS * hz); k++) {
        tacStatus status = tac_step(s.sim, s.x, s.u, s.x, NULL);
        int went_on = status == TAC_ERR_UNSOLVED || status == TAC_ERR_IMPACTS;
        unsolved += went_on;
        if (!went_on) scene_require(&s, "step", status);
        turning = fmax(turning, w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        depth = fmax(depth, depth_of(&s));
    }
    printf("{\"thing\":\"%s\",\"hz\":%g,\"toi\":%d,\"depth\":%.3e,\"bound\":%.3e,\"unsolved\":%ld}\n", t->name, hz, toi,
           depth, t->turns ? h * h * turning * t->radius : 0, unsolved);
    scene_free(&s);
}

int main(int argc, char **argv) {
    int toi = argc > 1 && strcmp(argv[1], "toi") == 0;
    char path[] = "/tmp/tactus_thing_XXXXXX";
    int handle = mkstemp(path);
    if (handle < 0) return 2;
    close(handle);
    for (int i = 0; i < NTHING; i++)
        for (int k = 0; k < NRATE; k++)
            run_thing(&THINGS[i], RATES[k], toi, path);
    unlink(path);
    return 0;
}
