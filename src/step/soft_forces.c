/* Forces of constraints of contact soft: on bodies, on dofs, by contact. Their derivatives are not there yet. */
#include "step/soft_step.h"

#include "math/scalar.h"

#include <string.h>

/* Torque about the body's origin, then force; its opposite on the first geom's body. */
static void add_contact(const tacModel *m, const tacWork *w, const tacContact *c, const double *f, double *wrench) {
    tacVec3 F = tac_contact_combine(f, c->normal, c->tangent), T = tac_contact_combine(f + 3, c->normal, c->tangent);
    for (int side = 0; side < 2; side++) {
        int body = m->geom_body[c->geom[side]];
        double sign = side == 0 ? -1 : 1, *out = wrench + 6 * body;
        tacVec3 torque = tac_add3(T, tac_cross3(tac_sub3(c->pos, w->xpos[body]), F));
        tac_store3(out, tac_madd3(tac_load3(out), sign, torque));
        tac_store3(out + 3, tac_madd3(tac_load3(out + 3), sign, F));
    }
}

/* The forces of a contact's rows, those it has not zero. */
static void forces_of(const tacSoft *soft, const tacSoftBlock *b, double f[TAC_SOFT_MOST_ROWS]) {
    for (int i = 0; i < TAC_SOFT_MOST_ROWS; i++)
        f[i] = i < b->n ? soft->f[b->row + i] : 0;
}

static int is_contact(const tacSoft *soft, const tacSoftBlock *b) {
    return soft->rows.row[b->row].kind == TAC_ROW_CONTACT;
}

tacStatus tac_soft_forces(tacSim *sim, const double *x, const double *u, double *wrench, double *qfrc) {
    const tacModel *m = sim->model;
    tacSoftMotion move;
    size_t mark = tac_arena_mark(&sim->arena);
    tacStatus status = tac_soft_advance(sim, x, u, &move);
    const tacSoft *soft = &move.soft;
    if (status == TAC_OK) {
        memset(wrench, 0, 6 * (size_t)m->nbody * sizeof *wrench);
        memset(qfrc, 0, (size_t)m->nv * sizeof *qfrc);
        for (int k = 0; k < soft->rows.n; k++)
            tac_row_add_force(&soft->rows, k, soft->f[k], qfrc);
    }
    for (int k = 0; status == TAC_OK && k < soft->nblock; k++) {
        double f[TAC_SOFT_MOST_ROWS];
        if (!is_contact(soft, &soft->block[k])) continue;
        forces_of(soft, &soft->block[k], f);
        add_contact(m, &sim->work, &soft->rows.contact[soft->rows.row[soft->block[k].row].id], f, wrench);
    }
    tac_arena_release(&sim->arena, mark);
    return tac_soft_judge(soft, status);
}

/* --- Contacts ----------------------------------------------------------------------------------------------------- */

static tacContactState state_of(const tacSoftBlock *b) {
    if (tac_soft_is_idle(b)) return TAC_CONTACT_OPEN;
    return b->kind == TAC_SOFT_ELLIPTIC && b->zone == TAC_ZONE_CONE ? TAC_CONTACT_SLIDING : TAC_CONTACT_STICKING;
}

static tacContactForce describe(const tacSoft *soft, const tacSoftBlock *b, const double *v_next) {
    tacContactForce out = {.contact = soft->rows.contact[soft->rows.row[b->row].id], .state = state_of(b)};
    out.margin = tac_soft_margin(b, soft->D + b->row, soft->y + b->row);
    for (int axis = 0; axis < 3 && axis < b->n; axis++) {
        out.force[axis] = soft->f[b->row + axis];
        out.velocity[axis] = tac_row_velocity(&soft->rows, b->row + axis, v_next);
    }
    return out;
}

tacStatus tac_soft_contacts(tacSim *sim, const double *x, const double *u, tacContactForce *out, int max, int *n) {
    tacSoftMotion move;
    size_t mark = tac_arena_mark(&sim->arena);
    tacStatus status = tac_soft_advance(sim, x, u, &move);
    const tacSoft *soft = &move.soft;
    if (status == TAC_OK) *n = soft->rows.ncontact;
    if (status == TAC_OK && soft->rows.ncontact > max) status = TAC_ERR_CONTACTS;
    for (int k = 0; status == TAC_OK && k < soft->nblock; k++)
        if (is_contact(soft, &soft->block[k]))
            out[soft->rows.row[soft->block[k].row].id] =
                describe(soft, &soft->block[k], sim->work.next + sim->model->nq);
    tac_arena_release(&sim->arena, mark);
    return tac_soft_judge(soft, status);
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

tacStatus tac_soft_forces_jac(tacSim *sim, const double *x, const double *u, double *dwrench, double *dqfrc) {
    (void)sim, (void)x, (void)u, (void)dwrench, (void)dqfrc;
    return TAC_ERR_UNSUPPORTED;
}

tacStatus tac_soft_forces_vjp(tacSim *sim, const double *x, const double *u, const double *wrenchbar,
                              const double *qfrcbar, const tacGrad *bar) {
    (void)sim, (void)x, (void)u, (void)wrenchbar, (void)qfrcbar, (void)bar;
    return TAC_ERR_UNSUPPORTED;
}
