#include "cli/input/project_start.h"

#include "cli/cli.h"
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME = 96, WORST = 256 };

/* geoms "foot" and #0 of the world; equality "loop" */
static void print_worst(const tacModel *m, const tacViolation *v, char *text, size_t size) {
    static const struct {
        const char *word;
        tacKind kind;
    } NAMES[] = {[TAC_CONSTRAINT_JOINT_LIMIT] = {"range of joint", TAC_KIND_JOINT},
                 [TAC_CONSTRAINT_TENDON_LIMIT] = {"range of tendon", TAC_KIND_TENDON},
                 [TAC_CONSTRAINT_EQUALITY] = {"equality", TAC_KIND_EQUALITY}};
    char name[2][NAME];
    if (v->kind == TAC_CONSTRAINT_CONTACT)
        snprintf(text, size, "geoms %s and %s", tac_model_label(m, TAC_KIND_GEOM, v->geom[0], name[0], NAME),
                 tac_model_label(m, TAC_KIND_GEOM, v->geom[1], name[1], NAME));
    else
        snprintf(text, size, "%s %s", NAMES[v->kind].word,
                 tac_model_label(m, NAMES[v->kind].kind, v->id, name[0], NAME));
}

void cli_start_json(tacJson *json, json_t *object, const tacModel *m, tacStatus start, const tacViolation *v) {
    char worst[WORST];
    int broken = start != TAC_OK;
    if (broken) print_worst(m, v, worst, sizeof worst);
    json_object_set_new(object, "start", measure_json_text(tac_status_text(start)));
    json_object_set_new(object, "infeasible_start", json_boolean(broken));
    json_object_set_new(object, "start_breaks", broken ? measure_json_text(worst) : json_null());
    json_object_set_new(object, "start_violation", measure_json_number(json, "start_violation", v->size));
}

void cli_warn_start(const char *verb, const tacModel *m, const tacViolation *v) {
    char worst[WORST];
    print_worst(m, v, worst, sizeof worst);
    fprintf(stderr,
            "tactus %s: warning: the initial state violates constraints (%s: %.3g); --project moves it to a feasible "
            "state\n",
            verb, worst, v->size);
}

static int report(const char *verb, const tacModel *m, tacStatus status, const tacProjection *p) {
    char worst[WORST];
    if (status != TAC_OK && status != TAC_ERR_UNSOLVED) return cli_fail(verb, "--project: %s", tac_status_text(status));
    if (p->id < 0) return CLI_GO_ON;
    print_worst(m, &(tacViolation){p->before, p->kind, p->id, {p->geom[0], p->geom[1]}}, worst, sizeof worst);
    if (status == TAC_ERR_UNSOLVED)
        return cli_fail(verb, "--project: found no feasible state nearby (%s: violation %.3g, after projection %.3g)",
                        worst, p->before, p->after);
    if (p->iterations > 0)
        fprintf(stderr, "tactus %s: --project moved the initial state (%s: violation %.3g, now %.1e)\n", verb, worst,
                p->before, p->after);
    return CLI_GO_ON;
}

int cli_project_start(const char *verb, const tacModel *model, const tacOptions *options, double *x, const double *u) {
    tacOptions plain = tac_default_options(model);
    plain.contact = TAC_CONTACT_MODEL_NONE;
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
