#include "cli/project_start.h"

#include "cli/cli.h"
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>

/* "equality \"loop\"", "contact of \"foot\" and \"floor\"" */
static void print_worst(const tacModel *m, const tacProjection *p, char *text, size_t size) {
    static const struct {
        const char *word;
        tacKind kind;
    } NAMES[] = {[TAC_CONSTRAINT_JOINT_LIMIT] = {"range of joint", TAC_KIND_JOINT},
                 [TAC_CONSTRAINT_TENDON_LIMIT] = {"range of tendon", TAC_KIND_TENDON},
                 [TAC_CONSTRAINT_EQUALITY] = {"equality", TAC_KIND_EQUALITY}};
    if (p->kind == TAC_CONSTRAINT_CONTACT)
        snprintf(text, size, "geoms \"%s\" and \"%s\"", tac_model_name(m, TAC_KIND_GEOM, p->geom[0]),
                 tac_model_name(m, TAC_KIND_GEOM, p->geom[1]));
    else
        snprintf(text, size, "%s \"%s\"", NAMES[p->kind].word, tac_model_name(m, NAMES[p->kind].kind, p->id));
}

static int report(const char *verb, const tacModel *m, tacStatus status, const tacProjection *p) {
    char worst[256];
    if (status != TAC_OK && status != TAC_ERR_UNSOLVED) return cli_fail(verb, "--project: %s", tac_status_text(status));
    if (p->id < 0) return CLI_GO_ON;
    print_worst(m, p, worst, sizeof worst);
    if (status == TAC_ERR_UNSOLVED)
        return cli_fail(verb, "--project: no state near by satisfies the constraints: %s off by %.3g, at best %.3g",
                        worst, p->before, p->after);
    if (p->iterations > 0)
        fprintf(stderr, "tactus %s: the start was moved: %s off by %.3g, now %.1e\n", verb, worst, p->before, p->after);
    return CLI_GO_ON;
}

int cli_project_start(const char *verb, const tacModel *model, const tacOptions *options, double *x, const double *u) {
    tacOptions plain = tac_default_options(model);
    tacSim *sim;
    tacError err;
    plain.inputs = options->inputs;
    if (tac_sim_new(model, &plain, &sim, &err) != TAC_OK) return cli_fail(verb, "%s", err.text);
    tacProjection p = {.bytes = (tac_project_bytes(model, &plain) + 63) / 64 * 64};
    p.memory = aligned_alloc(64, p.bytes);
    int result = p.memory == NULL ? cli_fail(verb, "out of memory")
                                  : report(verb, model, tac_project_state(sim, x, u, x, &p), &p);
    free(p.memory);
    tac_sim_free(sim);
    return result;
}
