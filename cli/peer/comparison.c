#include "cli/peer/comparison.h"

#include "cli/cli.h"
#include "measure/agreement.h"
#include "measure/draw_contact.h"
#include "measure/draw_state.h"
#include "measure/memory.h"
#include "measure/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* m/s, rad/s: nothing that is compared moves faster. */
#define FASTEST 1e3
/* Poses that are tried for one in which things touch. */
enum { MOST_POSES = 30 };

/* --- Room --------------------------------------------------------------------------------------------------------- */

int cli_comparison_begin(tacComparison *c) {
    tacError err;
    c->first = -1;
    c->x = calloc((size_t)tac_nx(c->model) + 1, sizeof(double));
    c->u = calloc((size_t)tac_ninput(c->model, &c->options) + 1, sizeof(double));
    if (c->x == NULL || c->u == NULL || !cli_answer_new(c->model, &c->ours) || !cli_answer_new(c->model, &c->peer) ||
        !cli_answer_new(c->model, &c->here))
        return cli_fail(c->verb, "out of memory");
    if (tac_sim_new(c->model, &c->options, &c->sim, &err) != TAC_OK) return cli_fail(c->verb, "%s", err.text);
    return CLI_GO_ON;
}

void cli_comparison_end(tacComparison *c) {
    free(c->x);
    free(c->u);
    cli_answer_free(&c->ours);
    cli_answer_free(&c->peer);
    cli_answer_free(&c->here);
    tac_sim_free(c->sim);
}

/* --- What came out ------------------------------------------------------------------------------------------------ */

static void note_pair(tacComparison *c, int geom1, int geom2, int ours, int theirs) {
    int a = c->model->geom_type[geom1], b = c->model->geom_type[geom2], k = 0;
    tacOddPair odd = {{a < b ? a : b, a < b ? b : a}, ours, theirs, 1};
    while (k < c->nodd && memcmp(&c->odd[k], &odd, offsetof(tacOddPair, states)) != 0)
        k++;
    if (k < c->nodd)
        c->odd[k].states++;
    else if (c->nodd < TAC_COMPARISON_ODD)
        c->odd[c->nodd++] = odd;
}

static int is_first(const tacAnswer *answer, int k) {
    const int *geom = answer->contact[k].place.geom;
    for (int i = 0; i < k; i++)
        if (memcmp(answer->contact[i].place.geom, geom, sizeof answer->contact[i].place.geom) == 0) return 0;
    return 1;
}

/* Pairs with other contacts. */
static void note_pairs(tacComparison *c, const tacAnswer *of) {
    for (int k = 0; k < of->ncontact; k++) {
        const int *geom = of->contact[k].place.geom;
        int ours = cli_answer_count(&c->ours, geom[0], geom[1]), theirs = cli_answer_count(&c->peer, geom[0], geom[1]);
        int once = of == &c->peer || theirs == 0; /* what both have is noted with theirs */
        if (is_first(of, k) && once && !cli_answer_same_pair(&c->ours, &c->peer, geom[0], geom[1]))
            note_pair(c, geom[0], geom[1], ours, theirs);
    }
}

static void take_worst(tacAnswerError *worst, const tacAnswerError *error) {
    worst->position = worse(worst->position, error->position);
    worst->velocity = worse(worst->velocity, error->velocity);
    worst->acceleration = worse(worst->acceleration, error->acceleration);
    worst->force = worse(worst->force, error->force);
    worst->mixing = worse(worst->mixing, error->mixing);
}

static void note_first(tacComparison *c, long k, const tacAnswerError *e) {
    const struct {
        const char *what;
        double error;
    } figures[] = {{"mixing", e->mixing},
                   {"acceleration", e->acceleration},
                   {"force", e->force},
                   {"velocity", e->velocity},
                   {"position", e->position}};
    if (c->first >= 0) return;
    for (size_t i = 0; i < sizeof figures / sizeof *figures && c->first < 0; i++)
        if (!(figures[i].error <= c->tol)) {
            c->first = k;
            c->what = figures[i].what;
            c->error = figures[i].error;
        }
}

static void judge(tacComparison *c, long k, int all) {
    tacAnswerError error = cli_answer_compare(c->model, &c->ours, &c->peer);
    c->count++;
    c->in_contact += c->peer.ncontact > 0;
    c->same += error.same;
    c->within += error.same && cli_answer_worst(&error) <= c->tol;
    if (!error.same) {
        note_pairs(c, &c->peer);
        note_pairs(c, &c->ours);
    }
    if (!error.same && c->first < 0) {
        c->first = k;
        c->what = "contact_set";
    }
    if (!error.same && !all) return;
    take_worst(&c->worst, &error);
    note_first(c, k, &error);
}

/* --- Random states ------------------------------------------------------------------------------------------------ */

/* 1: geoms touch, and the motion has not diverged, as it does with stiff servos and Euler's method. */
static int is_useful(tacComparison *c) {
    tacStepInfo info;
    for (int i = 0; i < c->model->nv; i++)
        if (!(fabs(c->x[c->model->nq + i]) < FASTEST)) return 0;
    return tac_step(c->sim, c->x, c->u, c->ours.next, &info) == TAC_OK && info.contacts > 0;
}

/* From a motion; where that does not lead to a contact, a pose in which things touch, or any. */
void cli_comparison_draw(tacComparison *c, uint64_t seed, long sample) {
    if (c->options.contact == TAC_CONTACT_MODEL_NONE) {
        measure_draw_state(c->model, &c->options, seed, (uint64_t)sample, c->x, c->u);
        return;
    }
    if (!measure_draw_contact_state(c->sim, c->model, &c->options, seed, (uint64_t)sample, c->x, c->u))
        measure_memory_ran_out();
    for (int k = 0; k < MOST_POSES && !is_useful(c); k++)
        measure_draw_state(c->model, &c->options, seed, (uint64_t)(sample * MOST_POSES + k), c->x, c->u);
}

static int stopped(const tacComparison *c, const char *what, long k, tacStatus status) {
    cli_fail(c->verb, "%s %ld: %s", what, k, tac_status_text(status));
    return CLI_NO;
}

int cli_compare_states(tacComparison *c, uint64_t seed, long samples) {
    tacProgress progress = measure_progress_begin("comparing");
    int result = CLI_GO_ON;
    for (long k = 0; k < samples && result == CLI_GO_ON; k++) {
        measure_progress_show(&progress, k, samples);
        if (c->file != NULL)
            result = cli_answers_read(c->verb, c->file, c->model, (int)k, c->x, c->u, &c->peer);
        else
            cli_comparison_draw(c, seed, k);
        if (result != CLI_GO_ON) break;
        if (c->side != NULL && !cli_side_answer(c->side, c->x, c->u, &c->peer, c->reason)) {
            c->unanswered++;
            continue;
        }
        tacStatus status = cli_soft_answer(c->sim, c->x, c->u, c->theirs ? &c->peer : NULL, &c->ours);
        c->unsolved += status == TAC_ERR_UNSOLVED;
        if (status == TAC_OK || status == TAC_ERR_UNSOLVED)
            judge(c, k, 0);
        else
            result = stopped(c, "state", k, status);
    }
    measure_progress_end(&progress);
    return result;
}

/* --- A motion ----------------------------------------------------------------------------------------------------- */

static int unanswered(tacComparison *c, long k) {
    cli_fail(c->verb, "step %ld: %s", k, c->reason);
    return CLI_NO;
}

/* One step of each from where it is. theirs: MuJoCo says what touches where we are. */
static int compare_step(tacComparison *c, long k, const double *x_peer) {
    if (!cli_side_answer(c->side, x_peer, c->u, &c->peer, c->reason)) return unanswered(c, k);
    if (c->theirs && !cli_side_answer(c->side, c->x, c->u, &c->here, c->reason)) return unanswered(c, k);
    tacStatus status = cli_soft_answer(c->sim, c->x, c->u, c->theirs ? &c->here : NULL, &c->ours);
    c->unsolved += status == TAC_ERR_UNSOLVED;
    if (status != TAC_OK && status != TAC_ERR_UNSOLVED) return stopped(c, "step", k, status);
    judge(c, k, 1);
    return CLI_GO_ON;
}

int cli_compare_motion(tacComparison *c, const double *x, const double *u, const tacControls *controls, long steps) {
    size_t bytes = (size_t)tac_nx(c->model) * sizeof(double);
    double *x_peer = malloc(bytes + sizeof(double));
    tacProgress progress = measure_progress_begin("comparing");
    int result = x_peer != NULL ? CLI_GO_ON : cli_fail(c->verb, "out of memory");
    memcpy(c->x, x, bytes);
    if (x_peer != NULL) memcpy(x_peer, x, bytes);
    memcpy(c->u, u, (size_t)tac_ninput(c->model, &c->options) * sizeof *u);
    for (long k = 0; k < steps && result == CLI_GO_ON; k++) {
        measure_progress_show(&progress, k, steps);
        cli_controls_at(controls, k, c->u);
        result = compare_step(c, k, x_peer);
        memcpy(c->x, c->ours.next, bytes);
        memcpy(x_peer, c->peer.next, bytes);
    }
    measure_progress_end(&progress);
    free(x_peer);
    return result;
}
