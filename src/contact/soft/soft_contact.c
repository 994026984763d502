/* What contacts add to dG by moving (Z9): those that push, in runs of the same bodies and damping (contact_run.h). */
#include "contact/soft/soft.h"

static void add_contact(const tacSoft *soft, const tacSoftBlock *b, tacContactRun *run) {
    tacRunContact *r = tac_contact_run_add(run, soft->rows.row[b->row].id, b->row, b->n);
    r->rate = tac_soft_pull_rate(b);
    for (int i = 0; i < b->n; i++)
        r->f[i] = soft->f[b->row + i];
}

tacStatus tac_soft_contacts_jac(tacSoftPoint *p, const tacContactColumns *to) {
    const tacSoft *soft = p->soft;
    tacContactRun run = {.m = p->m,
                         .w = p->w,
                         .scene = p->scene,
                         .rows = &soft->rows,
                         .x = p->x,
                         .z = p->z,
                         .V = p->V,
                         .scale = -1,
                         .wrench_scale = 1};
    tacStatus status = TAC_OK;
    for (int id = 0; id < soft->nblock && status == TAC_OK; id++) {
        const tacSoftBlock *b = &soft->block[id];
        const tacRow *row = &soft->rows.row[b->row];
        if (row->kind != TAC_ROW_CONTACT || (tac_soft_is_idle(b) && !p->idle)) continue;
        if (b->z.B != p->B || !tac_contact_run_takes(&run, row->id)) status = tac_contact_run_jac(&run, to);
        tac_soft_aim(p, b->z.B);
        add_contact(soft, b, &run);
    }
    return status == TAC_OK ? tac_contact_run_jac(&run, to) : status;
}
