/* Steps on scenes of growing size, beside mj_step in one run, interleaved: chains of 4 to 256 links that float, and 1
 * to 256 boxes apart on a floor where they have come to rest. Each engine steps from states of its own motion. CSV:
 *   contact,scene,count,nv,contacts,iterations,iterations_most,unsolved,us_step,us_jac,us_vjp,residual,
 *   contacts_peer,us_peer,us_peer_fd,ratio
 * contacts and iterations are means over the states that are timed, iterations_most and residual the largest, unsolved
 * a number of steps. us_jac is empty where a Jacobian has more than MOST_COLUMNS columns, us_peer_fd (mjd_transitionFD,
 * centred) where it has more than MOST_DIFFERENCES; all of the peer's are where MuJoCo is not installed.
 *
 * usage: bench_size [lcp|ncp|soft] [chain|boxes]   one contact model, one scene; all */
#include "floor_boxes.h"
#include "measure/timing.h"
#include "motion_states.h"

#include "measure/mujoco_peer.h"
#include "tactus/io.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BATCHES = 21, STATES = 16, SETTLING = 50, LEAST_LINKS = 4, MOST = 256, SEED = 3 };
enum { MOST_COLUMNS = 800, MOST_DIFFERENCES = 200, CONTACTS_A_BOX = 16, MOST_PIECES = 5 };
#define BATCH_SECONDS 2e-3
#define TIME_STEP     0.01
#define SPEED         2.0 /* rad/s, over the number of links: at the chain's joints at first */

typedef struct Scene {
    tacModel *m;
    benchMotion ours;
    tacMujoco *peer;
} Scene;

static char *chain_text(int links) {
    tacChain chain = tac_default_chain();
    chain.bodies = links, chain.free_root = 1;
    return tac_chain_model(&chain);
}

/* At rest, but for a chain's joints; then along the motion. */
static int open_ours(Scene *s, const char *path, tacContactModel contact, int chain) {
    tacError err;
    if (tac_load(path, &s->m, &err) != TAC_OK) return fprintf(stderr, "%s\n", err.text);
    tacOptions options = tac_default_options(s->m);
    options.contact = contact, options.dt = TIME_STEP, options.integrator = TAC_INTEGRATOR_EULER;
    if (!chain) options.max_contacts = CONTACTS_A_BOX * s->m->nbody;
    if (bench_motion_open(&s->ours, s->m, &options, STATES, MOST_COLUMNS)) return 1;
    for (int i = 6; chain && i < s->m->nv; i++)
        s->ours.states[s->m->nq + i] = SPEED / s->m->nbody * tac_random_normal(SEED, 0, (uint64_t)i);
    return 0;
}

static void open_peer(Scene *s, const char *path) {
    char reason[256] = "out of memory";
    s->peer = measure_mujoco_open(path, s->m, TIME_STEP, 1, reason, sizeof reason);
    if (s->peer != NULL && measure_mujoco_move(s->peer, s->ours.states, s->ours.u, SETTLING, STATES)) return;
    fprintf(stderr, "MuJoCo: %s\n", reason);
    measure_mujoco_close(s->peer);
    s->peer = NULL;
}

static void print_time(int there, double seconds) {
    if (there)
        printf(",%.3f", 1e6 * seconds);
    else
        printf(",");
}

static void measure(Scene *s, const char *contact, const char *scene, int count) {
    benchMotion *o = &s->ours;
    int jac = o->A != NULL, peer = s->peer != NULL, fd = peer && tac_ndx(s->m) <= MOST_DIFFERENCES, n = 0, at[5];
    const benchWork all[MOST_PIECES] = {bench_motion_step, bench_motion_vjp, bench_motion_jac, measure_mujoco_step,
                                        measure_mujoco_differences};
    const int there[MOST_PIECES] = {1, 1, jac, peer, fd};
    benchWork work[MOST_PIECES];
    void *context[MOST_PIECES];
    benchTime t[MOST_PIECES];
    for (int i = 0; i < MOST_PIECES; i++) {
        at[i] = n;
        if (there[i]) work[n] = all[i], context[n++] = i < 3 ? (void *)o : (void *)s->peer;
    }
    bench_interleaved(n, work, context, BATCHES, BATCH_SECONDS, t);
    printf("%s,%s,%d,%d,%.2f,%.2f,%d,%d", contact, scene, count, s->m->nv, o->contacts, o->iterations,
           o->iterations_most, o->unsolved);
    print_time(1, t[at[0]].median), print_time(jac, jac ? t[at[2]].median : 0), print_time(1, t[at[1]].median);
    printf(",%.1e", o->residual);
    if (peer) printf(",%.2f", measure_mujoco_contacts(s->peer));
    if (!peer) printf(",");
    print_time(peer, peer ? t[at[3]].median : 0), print_time(fd, fd ? t[at[4]].median : 0);
    if (peer) printf(",%.3f\n", t[at[0]].median / t[at[3]].median);
    if (!peer) printf(",\n");
    fflush(stdout);
}

static int bench(tacContactModel contact, int chain, int count) {
    char path[BENCH_PATH];
    Scene s = {0};
    if (bench_write_scene(chain ? chain_text(count) : bench_floor_boxes(BENCH_APART, count), path)) return 1;
    int bad = open_ours(&s, path, contact, chain);
    if (!bad) open_peer(&s, path);
    unlink(path);
    if (!bad) bad = bench_motion_run(&s.ours, SETTLING);
    if (!bad) measure(&s, bench_contact_word(contact), chain ? "chain" : "boxes", count);
    bench_motion_free(&s.ours);
    measure_mujoco_close(s.peer);
    tac_model_free(s.m);
    return bad;
}

int main(int argc, char **argv) {
    tacContactModel first = TAC_CONTACT_MODEL_LCP, last = TAC_CONTACT_MODEL_SOFT, named;
    if (argc > 1 && bench_contact_named(argv[1], &named)) first = last = named, argc--, argv++;
    const char *only = argc > 1 ? argv[1] : "";
    printf("contact,scene,count,nv,contacts,iterations,iterations_most,unsolved,us_step,us_jac,us_vjp,residual,"
           "contacts_peer,us_peer,us_peer_fd,ratio\n");
    for (int contact = (int)first; contact <= (int)last; contact++) {
        for (int n = LEAST_LINKS; n <= MOST && strcmp(only, "boxes") != 0; n *= 2)
            if (bench((tacContactModel)contact, 1, n)) return 2;
        for (int n = 1; n <= MOST && strcmp(only, "chain") != 0; n *= 4)
            if (bench((tacContactModel)contact, 0, n)) return 2;
    }
    return 0;
}
