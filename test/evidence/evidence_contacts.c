/* Allocations in finding contacts, distances and their derivatives (none are allowed), and whether results depend on
 * what was found before. Random states of each model. One JSON line per model. */
#include "count_allocations.h"
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>

enum { STATES = 20, MAX_CONTACTS = 4096 };

typedef struct Buffers {
    tacContact *contact;
    double *q, *u, *theta; /* of a Jacobian */
    double rowbar[TAC_CONTACT_ROWS];
} Buffers;

static double *numbers(int n) {
    double *p = calloc((size_t)n + 1, sizeof *p);
    if (p == NULL) exit(2);
    return p;
}

/* Contacts, and the derivatives of each -> their number; *hash goes on. */
static int find(const Scene *s, tacSim *sim, Buffers *b, uint64_t *hash) {
    int n = 0, nv = s->model->nv, ninput = tac_ninput(s->model, &s->options), nparam = s->model->nparam;
    tacContactJac jac = {b->q, b->u, b->theta};
    tacContactGrad grad = {b->q, b->u, b->theta};
    if (tac_contacts(sim, s->x, s->u, b->contact, MAX_CONTACTS, &n) != TAC_OK) exit(2);
    for (int i = 0; i < n; i++) {
        const tacContact *c = &b->contact[i];
        *hash = tac_hash(&c->dist, sizeof c->dist, *hash);
        *hash = tac_hash(&c->pos, sizeof c->pos, *hash);
        *hash = tac_hash(&c->normal, sizeof c->normal, *hash);
        if (tac_contact_jac(sim, s->x, s->u, c, &jac) != TAC_OK) continue;
        *hash = tac_hash(b->q, (size_t)(TAC_CONTACT_ROWS * nv) * sizeof *b->q, *hash);
        *hash = tac_hash(b->u, (size_t)(TAC_CONTACT_ROWS * ninput) * sizeof *b->u, *hash);
        *hash = tac_hash(b->theta, (size_t)(TAC_CONTACT_ROWS * nparam) * sizeof *b->theta, *hash);
        if (tac_contact_vjp(sim, s->x, s->u, c, b->rowbar, &grad) != TAC_OK) exit(2);
        *hash = tac_hash(b->q, (size_t)nv * sizeof *b->q, *hash);
    }
    for (int g = 1; g < s->model->ngeom; g++) {
        tacContact c;
        if (tac_geom_distance(sim, s->x, s->u, g - 1, g, &c) == TAC_OK) *hash = tac_hash(&c.dist, sizeof c.dist, *hash);
    }
    return n;
}

static int run_model(const char *path) {
    Scene s = scene_load(path);
    int rows = TAC_CONTACT_ROWS, ninput = tac_ninput(s.model, &s.options);
    Buffers b = {.contact = malloc(MAX_CONTACTS * sizeof *b.contact),
                 .q = numbers(rows * s.model->nv),
                 .u = numbers(rows * ninput),
                 .theta = numbers(rows * s.model->nparam)};
    if (b.contact == NULL) exit(2);
    for (int k = 0; k < rows; k++)
        b.rowbar[k] = 1 + k;
    long counted_before = counted_allocations(), allocations = 0;
    int contacts = 0, differing = 0;
    for (uint64_t k = 0; k < STATES; k++) {
        uint64_t hash = 0, fresh_hash = 0;
        tacSim *fresh;
        scene_randomize(&s, k);
        long before = counted_allocations();
        contacts += find(&s, s.sim, &b, &hash);
        allocations += counted_allocations() - before;
        if (tac_sim_new(s.model, &s.options, &fresh, NULL) != TAC_OK) exit(2);
        find(&s, fresh, &b, &fresh_hash);
        tac_sim_free(fresh);
        differing += hash != fresh_hash;
    }
    printf("{\"model\":\"%s\",\"contacts\":%d,\"allocations\":%ld,\"counted\":%ld,\"differing\":%d}\n", path, contacts,
           allocations, counted_allocations() - counted_before, differing);
    free(b.contact);
    free(b.q);
    free(b.u);
    free(b.theta);
    scene_free(&s);
    return allocations != 0 || differing != 0;
}

int main(int argc, char **argv) {
    int code = 0;
    for (int i = 1; i < argc; i++)
        code |= run_model(argv[i]);
    return code;
}
