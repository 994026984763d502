/* Contact soft as an answer. Looks behind the public headers: contacts from elsewhere, and the acceleration in
 * continuous time, are not for users. */
#include "cli/peer/answer.h"

#include "contact/soft/step.h"
#include "step/sim.h"

#include <stdlib.h>
#include <string.h>

static void describe(const tacModel *m, const tacSoft *soft, int id, tacAnswerContact *out) {
    const tacContact *c = &soft->rows.contact[id];
    tacContactSoftness s = tac_contact_softness(m, c);
    *out = (tacAnswerContact){.place = *c, .dim = tac_contact_dimension(m, c)};
    memcpy(out->friction, s.friction, sizeof out->friction);
    memcpy(out->solref, s.solref, sizeof out->solref);
    memcpy(out->solreffriction, s.solreffriction, sizeof out->solreffriction);
    memcpy(out->solimp, s.solimp, sizeof out->solimp);
}

static void read_contacts(const tacModel *m, const tacSoft *soft, tacAnswer *out) {
    out->ncontact = soft->rows.ncontact;
    for (int id = 0; id < out->ncontact; id++)
        describe(m, soft, id, &out->contact[id]);
    for (int k = 0; k < soft->rows.n; k++) {
        const tacRow *row = &soft->rows.row[k];
        if (row->kind == TAC_ROW_CONTACT) out->contact[row->id].force[row->axis] = soft->f[k];
    }
}

static void read_forces(const tacModel *m, const tacSoft *soft, double *qfrc) {
    memset(qfrc, 0, (size_t)m->nv * sizeof *qfrc);
    for (int k = 0; k < soft->rows.n; k++)
        tac_row_add_force(&soft->rows, k, soft->f[k], qfrc);
}

static tacStatus evaluate(tacSim *sim, const double *x, const double *u, tacAnswer *out) {
    const tacModel *m = sim->ctx.model;
    tacSoft soft = {.unsolved = 0};
    size_t mark = tac_arena_mark(&sim->ctx.arena);
    tacStatus status = tac_soft_accelerate(&sim->ctx, x, u, &soft);
    if (status == TAC_OK && soft.rows.ncontact > TAC_ANSWER_CONTACTS) status = TAC_ERR_CONTACTS;
    if (status == TAC_OK) {
        memcpy(out->qacc, sim->ctx.work.qacc, (size_t)m->nv * sizeof(double));
        read_forces(m, &soft, out->qfrc);
        read_contacts(m, &soft, out);
    }
    tac_arena_release(&sim->ctx.arena, mark);
    return tac_end_step(&sim->ctx, status, soft.unsolved, NULL);
}

/* Contact none: no constraint of any kind. */
static tacStatus answer_free(tacSim *sim, const double *x, const double *u, tacAnswer *out) {
    out->ncontact = 0;
    memset(out->qfrc, 0, (size_t)sim->ctx.model->nv * sizeof *out->qfrc);
    tacStatus status = tac_acceleration(sim, x, u, out->qacc);
    return status == TAC_OK ? tac_step(sim, x, u, out->next, NULL) : status;
}

tacStatus cli_soft_answer(tacSim *sim, const double *x, const double *u, const tacAnswer *given, tacAnswer *out) {
    tacContact *contact = given != NULL ? malloc(((size_t)given->ncontact + 1) * sizeof *contact) : NULL;
    if (given != NULL && contact == NULL) return TAC_ERR_MEMORY;
    if (sim->ctx.options.contact == TAC_CONTACT_MODEL_NONE) {
        free(contact);
        return answer_free(sim, x, u, out);
    }
    for (int k = 0; given != NULL && k < given->ncontact; k++)
        contact[k] = given->contact[k].place;
    sim->ctx.given = contact;
    sim->ctx.ngiven = given != NULL ? given->ncontact : 0;
    tacStatus status = evaluate(sim, x, u, out);
    if (status == TAC_OK || status == TAC_ERR_UNSOLVED) status = tac_step(sim, x, u, out->next, NULL);
    sim->ctx.given = NULL;
    sim->ctx.ngiven = 0;
    free(contact);
    return status;
}
