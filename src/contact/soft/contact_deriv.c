/* Terms of moving contacts in dG (Z9). Contacts that push are emitted in runs of the same bodies and damping
 * (contact_run.h). */
#include "base/error.h"
#include "contact/soft/problem.h"

/* Rows to emit: all with the normal's B, or friction with a B of its own, whose forces were emitted with the others. */
typedef enum { WITH_NORMAL, SLIP_ALONE } Pass;

static int is_in(const tacSoftPoint *p, const tacSoftBlock *b, Pass pass) {
    if (p->soft->rows.row[b->row].kind != TAC_ROW_CONTACT || (tac_soft_is_idle(b) && !p->idle)) return 0;
    return pass == WITH_NORMAL || b->slip != b->z.B;
}

static void add_contact(const tacSoft *soft, const tacSoftBlock *b, Pass pass, tacContactRun *run) {
    tacRunContact *r = tac_contact_run_add(run, soft->rows.row[b->row].id, b->row, b->n);
    if (pass == SLIP_ALONE) {
        r->from = 1;
        return;
    }
    if (b->slip != b->z.B) r->to = 1;
    r->rate = tac_soft_pull_rate(b);
    for (int i = 0; i < b->n; i++)
        r->f[i] = soft->f[b->row + i];
}

static tacStatus emit_pass(tacSoftPoint *p, Pass pass, tacContactRun *run, const tacContactColumns *to) {
    const tacSoft *soft = p->soft;
    for (int id = 0; id < soft->nblock; id++) {
        const tacSoftBlock *b = &soft->block[id];
        double B = tac_soft_damping(b, pass == SLIP_ALONE);
        if (!is_in(p, b, pass)) continue;
        if (B != p->B || !tac_contact_run_takes(run, soft->rows.row[b->row].id)) TAC_TRY(tac_contact_run_jac(run, to));
        tac_soft_set_damping(p, B);
        add_contact(soft, b, pass, run);
    }
    return tac_contact_run_jac(run, to);
}

tacStatus tac_soft_contacts_jac(tacSoftPoint *p, const tacContactColumns *to) {
    tacContactRun run = {.m = p->m,
                         .w = p->w,
                         .scene = p->scene,
                         .rows = &p->soft->rows,
                         .x = p->x,
                         .z = p->z,
                         .V = p->V,
                         .scale = -1,
                         .wrench_scale = 1};
    TAC_TRY(emit_pass(p, WITH_NORMAL, &run, to));
    return emit_pass(p, SLIP_ALONE, &run, to);
}
