#include "cli/peer/answer.h"

#include "measure/agreement.h"

#include <stdlib.h>
#include <string.h>

/* m: contacts nearer than this, in place and distance, are the same; their normals to this many radians. */
#define SAME_PLACE 1e-9
/* Accelerations (m/s^2, rad/s^2) and forces (N, N m) below which nothing is relative: rounding of what balances. */
#define LEAST_ACCELERATION 1e-3
#define LEAST_FORCE        1e-6
/* A joint force is a sum of contact forces. Its error is relative to at least this share of the largest contact force,
 * so that the rounding of the sum is not counted as a difference. */
#define SUM_SHARE 1e-8

int cli_answer_new(const tacModel *m, tacAnswer *out) {
    *out = (tacAnswer){.next = calloc((size_t)tac_nx(m) + 1, sizeof(double)),
                       .qacc = calloc((size_t)m->nv + 1, sizeof(double)),
                       .qfrc = calloc((size_t)m->nv + 1, sizeof(double)),
                       .contact = calloc(TAC_ANSWER_CONTACTS, sizeof(tacAnswerContact))};
    return out->next != NULL && out->qacc != NULL && out->qfrc != NULL && out->contact != NULL;
}

void cli_answer_free(tacAnswer *answer) {
    free(answer->next);
    free(answer->qacc);
    free(answer->qfrc);
    free(answer->contact);
    *answer = (tacAnswer){0};
}

static int is_of(const tacContact *c, int geom1, int geom2) {
    return (c->geom[0] == geom1 && c->geom[1] == geom2) || (c->geom[0] == geom2 && c->geom[1] == geom1);
}

int cli_answer_count(const tacAnswer *answer, int geom1, int geom2) {
    int n = 0;
    for (int k = 0; k < answer->ncontact; k++)
        n += is_of(&answer->contact[k].place, geom1, geom2);
    return n;
}

/* --- Contacts ----------------------------------------------------------------------------------------------------- */

static double apart(tacVec3 a, tacVec3 b) { return hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z); }

static tacVec3 turned(tacVec3 v, int turn) { return turn ? (tacVec3){-v.x, -v.y, -v.z} : v; }

static int is_same(const tacContact *a, const tacContact *b) {
    if (!is_of(a, b->geom[0], b->geom[1])) return 0;
    tacVec3 normal = turned(b->normal, a->geom[0] != b->geom[0]);
    return fabs(a->dist - b->dist) < SAME_PLACE && apart(a->pos, b->pos) < SAME_PLACE &&
           apart(a->normal, normal) < SAME_PLACE;
}

/* The contact of an answer that is the same as c and was not taken before, or -1. */
static int find_same(const tacAnswer *answer, const tacContact *c, char taken[TAC_ANSWER_CONTACTS]) {
    for (int k = 0; k < answer->ncontact; k++)
        if (!taken[k] && is_same(&answer->contact[k].place, c)) {
            taken[k] = 1;
            return k;
        }
    return -1;
}

int cli_answer_same_pair(const tacAnswer *ours, const tacAnswer *theirs, int geom1, int geom2) {
    char taken[TAC_ANSWER_CONTACTS] = {0};
    int same = cli_answer_count(ours, geom1, geom2) == cli_answer_count(theirs, geom1, geom2);
    for (int k = 0; k < theirs->ncontact && same; k++)
        if (is_of(&theirs->contact[k].place, geom1, geom2))
            same = find_same(ours, &theirs->contact[k].place, taken) >= 0;
    return same;
}

/* f along the contact's frame, in the world's; of geom[0] where turn. */
static tacVec3 in_world(const tacContact *c, const double f[3], int turn) {
    const tacVec3 axis[3] = {c->normal, c->tangent[0], c->tangent[1]};
    tacVec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        sum = (tacVec3){sum.x + f[k] * axis[k].x, sum.y + f[k] * axis[k].y, sum.z + f[k] * axis[k].z};
    return turned(sum, turn);
}

/* Largest difference of the two contacts' forces and torques, which stand in different frames. */
static double force_apart(const tacAnswerContact *a, const tacAnswerContact *b) {
    int turn = a->place.geom[0] != b->place.geom[0];
    double force = apart(in_world(&a->place, a->force, 0), in_world(&b->place, b->force, turn));
    return worse(force, apart(in_world(&a->place, a->force + 3, 0), in_world(&b->place, b->force + 3, turn)));
}

/* The reference that friction goes by: solref where there is no other (MuJoCo before 2.3.6 has none). */
static const double *slip_reference(const tacAnswerContact *c) {
    return c->solreffriction[0] != 0 || c->solreffriction[1] != 0 ? c->solreffriction : c->solref;
}

static double mixed_apart(const tacAnswerContact *a, const tacAnswerContact *b) {
    if (a->dim != b->dim) return HUGE_VAL;
    int used = a->dim == 1 ? 0 : a->dim - 1;
    double error = relative_error(2, a->solref, b->solref);
    error = worse(error, relative_error(2, slip_reference(a), slip_reference(b)));
    error = worse(error, relative_error(5, a->solimp, b->solimp));
    error = worse(error, relative_error(used, a->friction, b->friction));
    return worse(error, fabs(a->place.include - b->place.include));
}

static double largest_force(const tacAnswer *answer) {
    double largest = LEAST_FORCE;
    for (int k = 0; k < answer->ncontact; k++)
        for (int i = 0; i < 6; i++)
            largest = fmax(largest, fabs(answer->contact[k].force[i]));
    return largest;
}

static void compare_contacts(const tacAnswer *ours, const tacAnswer *theirs, tacAnswerError *error) {
    char taken[TAC_ANSWER_CONTACTS] = {0};
    double largest = largest_force(theirs);
    error->same = ours->ncontact == theirs->ncontact;
    for (int k = 0; k < theirs->ncontact; k++) {
        const tacAnswerContact *c = &theirs->contact[k];
        int mine = find_same(ours, &c->place, taken);
        error->same &= mine >= 0;
        if (mine < 0) continue;
        error->force = worse(error->force, force_apart(&ours->contact[mine], c) / largest);
        error->mixing = worse(error->mixing, mixed_apart(&ours->contact[mine], c));
    }
}

/* --- All of it ---------------------------------------------------------------------------------------------------- */

/* max |a_i - b_i| / max(least, max |b_i|) */
static double relative_to(int n, const double *a, const double *b, double least) {
    double largest = least, worst = 0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(b[i]));
        worst = worse(worst, fabs(a[i] - b[i]));
    }
    return worst / largest;
}

tacAnswerError cli_answer_compare(const tacModel *m, const tacAnswer *ours, const tacAnswer *theirs) {
    tacAnswerError error = {
        .position = relative_error(m->nq, ours->next, theirs->next),
        .velocity = relative_error(m->nv, ours->next + m->nq, theirs->next + m->nq),
        .acceleration = relative_to(m->nv, ours->qacc, theirs->qacc, LEAST_ACCELERATION),
        .force = relative_to(m->nv, ours->qfrc, theirs->qfrc, fmax(LEAST_FORCE, SUM_SHARE * largest_force(theirs)))};
    compare_contacts(ours, theirs, &error);
    return error;
}

double cli_answer_worst(const tacAnswerError *error) { return worse(error->acceleration, error->force); }
