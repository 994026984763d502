/* Steps in contact beside mj_step and DART's step, interleaved in one run. Each engine steps from states of its own
 * motion from the model's first keyframe under that keyframe's controls. CSV:
 *   model,nv,contacts,us_step,us_jac,us_vjp,contacts_mujoco,us_mujoco,contacts_dart,us_dart,mujoco,dart,
 *   contact,iterations,iterations_most,unsolved
 * an empty field: that engine is not installed, or cannot be given the model (then standard error says why).
 *
 * usage: bench_contact [lcp|ncp|soft] [-s STEPS] MODEL...   contact model, lcp; STEPS of the motion before the states
 * that are timed, 500 */
#include "measure/timing.h"
#include "motion_states.h"

#include "measure/mujoco_peer.h"
#ifdef BENCH_DART
#include "dart_peer.h"
#endif

#include "collide/filter.h"
#include "tactus/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 41, STATES = 64, SKIPPED = 500, MOST = 5 };
#define BATCH_SECONDS 4e-3

typedef struct Scene {
    tacModel *m;
    tacSim *free;  /* without contacts */
    double *start; /* of all motions */
    tacContactModel contact;
    int skipped;
    benchMotion ours;
    tacMujoco *mujoco;
    void *dart;
} Scene;

static int open_ours(Scene *s, const char *path) {
    tacError err;
    if (tac_load(path, &s->m, &err) != TAC_OK) return fprintf(stderr, "%s\n", err.text);
    tacOptions options = tac_default_options(s->m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    if (tac_sim_new(s->m, &options, &s->free, &err) != TAC_OK) return fprintf(stderr, "%s\n", err.text);
    options.contact = s->contact;
    if (bench_motion_open(&s->ours, s->m, &options, STATES, tac_ndx(s->m))) return 1;
    size_t nx = (size_t)tac_nx(s->m);
    s->start = calloc(nx + 1, sizeof *s->start);
    if (s->start == NULL) return fprintf(stderr, "out of memory\n");
    if (s->m->nkey > 0) {
        memcpy(s->ours.states, s->m->key_qpos, (size_t)s->m->nq * sizeof(double));
        memcpy(s->ours.u, s->m->key_ctrl, (size_t)s->m->nu * sizeof(double));
    }
    memcpy(s->start, s->ours.states, nx * sizeof *s->start);
    return bench_motion_run(&s->ours, s->skipped);
}

#ifdef BENCH_DART
/* nbody x nbody: 1: a geom of the one may touch a geom of the other, by our rules. */
static int find_pairs(const tacModel *m, unsigned char *may_touch) {
    tacArena arena, dry = tac_arena_dry();
    tacFilter filter;
    tac_filter_layout(&filter, m, &dry);
    void *memory = aligned_alloc(TAC_ARENA_ALIGN, dry.peak);
    if (memory != NULL) tac_arena_init(&arena, memory, dry.peak);
    int ok = memory != NULL && tac_filter_layout(&filter, m, &arena);
    if (ok) tac_filter_init(&filter, m);
    for (int a = 0; ok && a < m->ngeom; a++)
        for (int b = 0; b < m->ngeom; b++)
            may_touch[m->geom_body[a] * m->nbody + m->geom_body[b]] |= (unsigned char)tac_filter_allows(&filter, a, b);
    free(memory);
    return ok;
}

static dartPeer *open_dart(const Scene *s, char *reason, size_t size) {
    unsigned char *may_touch = calloc((size_t)s->m->nbody * (size_t)s->m->nbody, 1);
    dartPeer *peer = NULL;
    snprintf(reason, size, "out of memory");
    if (may_touch != NULL && find_pairs(s->m, may_touch))
        peer = dart_open(s->m, *s->m->option_timestep, may_touch, reason, size);
    if (peer != NULL && !dart_move(peer, s->free, s->start, s->ours.u, s->skipped, STATES)) {
        snprintf(reason, size, "its motion does not stay finite");
        dart_close(peer);
        peer = NULL;
    }
    free(may_touch);
    return peer;
}
#endif

static void open_peers(Scene *s, const char *path) {
    char reason[256] = "not installed";
    s->mujoco = measure_mujoco_open(path, s->m, *s->m->option_timestep, 1, reason, sizeof reason);
    if (s->mujoco == NULL || !measure_mujoco_move(s->mujoco, s->start, s->ours.u, s->skipped, STATES))
        fprintf(stderr, "%s: MuJoCo: %s\n", path, reason);
#ifdef BENCH_DART
    s->dart = open_dart(s, reason, sizeof reason);
    if (s->dart == NULL) fprintf(stderr, "%s: DART: %s\n", path, reason);
#endif
}

static void close_scene(Scene *s) {
    bench_motion_free(&s->ours);
    free(s->start);
    measure_mujoco_close(s->mujoco);
#ifdef BENCH_DART
    if (s->dart != NULL) dart_close(s->dart);
#endif
    tac_sim_free(s->free);
    tac_model_free(s->m);
}

static void print_peer(int there, double contacts, double seconds) {
    if (there)
        printf(",%.2f,%.3f", contacts, 1e6 * seconds);
    else
        printf(",,");
}

static void measure(Scene *s, const char *path) {
    benchWork work[MOST] = {bench_motion_step, bench_motion_jac, bench_motion_vjp};
    void *context[MOST] = {&s->ours, &s->ours, &s->ours};
    int n = 3, mujoco = n;
    if (s->mujoco != NULL) work[n] = measure_mujoco_step, context[n] = s->mujoco, n++;
    int dart = n;
#ifdef BENCH_DART
    if (s->dart != NULL) work[n] = dart_step, context[n] = s->dart, n++;
#endif
    benchTime t[MOST];
    bench_interleaved(n, work, context, BATCHES, BATCH_SECONDS, t);
    printf("%s,%d,%.2f,%.3f,%.3f,%.3f", path, s->m->nv, s->ours.contacts, 1e6 * t[0].median, 1e6 * t[1].median,
           1e6 * t[2].median);
    print_peer(s->mujoco != NULL, s->mujoco != NULL ? measure_mujoco_contacts(s->mujoco) : 0, t[mujoco].median);
#ifdef BENCH_DART
    print_peer(s->dart != NULL, s->dart != NULL ? dart_contacts(s->dart) : 0, t[dart].median);
    printf(",%s,%s", s->mujoco != NULL ? measure_mujoco_version(s->mujoco) : "", s->dart != NULL ? dart_version() : "");
#else
    (void)dart;
    printf(",,,%s,", s->mujoco != NULL ? measure_mujoco_version(s->mujoco) : "");
#endif
    printf(",%s,%.2f,%d,%d\n", bench_contact_word(s->contact), s->ours.iterations, s->ours.iterations_most,
           s->ours.unsolved);
    fflush(stdout);
}

int main(int argc, char **argv) {
    int code = 0, first = 1, skipped = SKIPPED;
    tacContactModel contact = TAC_CONTACT_MODEL_LCP;
    if (argc > 1 && bench_contact_named(argv[1], &contact)) first++;
    if (argc > first + 1 && strcmp(argv[first], "-s") == 0) skipped = atoi(argv[first + 1]), first += 2;
    printf("model,nv,contacts,us_step,us_jac,us_vjp,contacts_mujoco,us_mujoco,contacts_dart,us_dart,mujoco,dart,"
           "contact,iterations,iterations_most,unsolved\n");
    for (int i = first; i < argc && code == 0; i++) {
        Scene s = {.contact = contact, .skipped = skipped};
        code = open_ours(&s, argv[i]) != 0 ? 2 : 0;
        if (code == 0) {
            open_peers(&s, argv[i]);
            measure(&s, argv[i]);
        }
        close_scene(&s);
    }
    return code;
}
