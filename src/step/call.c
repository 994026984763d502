#include "step/call.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Room for the name of an element in a text. */
enum { LABEL = 256 };

/* --- Texts -------------------------------------------------------------------------------------------------------- */

const char *tac_sim_error(const tacSim *sim) { return sim == NULL ? "" : sim->error; }

tacStatus tac_sim_fail(tacSim *sim, tacStatus status, const char *call, const char *format, ...) {
    if (sim == NULL) return status;
    va_list args;
    int begin = snprintf(sim->error, sizeof sim->error, "%s: ", call);
    va_start(args, format);
    vsnprintf(sim->error + begin, sizeof sim->error - (size_t)begin, format, args);
    va_end(args);
    return status;
}

tacStatus tac_sim_null(tacSim *sim, const char *call, const char *argument) {
    return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "%s is NULL", argument);
}

/* "joint 'knee'", or "joint #3" where it has no name. */
static void label(const tacModel *m, tacKind kind, int id, char text[LABEL]) {
    const char *name = tac_model_name(m, kind, id);
    if (name[0] != '\0')
        snprintf(text, LABEL, "%s '%s'", tac_kind_text(kind), name);
    else
        snprintf(text, LABEL, "%s #%d", tac_kind_text(kind), id);
}

static void label_qpos(const tacModel *m, int i, char text[LABEL]) {
    int j = m->njnt - 1;
    while (j > 0 && m->joint_qpos_adr[j] > i)
        j--;
    label(m, TAC_KIND_JOINT, j, text);
}

static void label_act(const tacModel *m, int i, char text[LABEL]) {
    int a = m->nu - 1;
    while (a > 0 && (m->actuator_act_num[a] == 0 || m->actuator_act_adr[a] > i))
        a--;
    label(m, TAC_KIND_ACTUATOR, a, text);
}

/* Entry i of a state: "qvel[2] of joint 'knee'". */
static void describe_state(const tacModel *m, int i, char *text, size_t size) {
    char owner[LABEL];
    const char *block = i < m->nq ? "qpos" : i < m->nq + m->nv ? "qvel" : "act";
    int k = i < m->nq ? i : i < m->nq + m->nv ? i - m->nq : i - m->nq - m->nv;
    if (i < m->nq)
        label_qpos(m, k, owner);
    else if (i < m->nq + m->nv)
        label(m, TAC_KIND_JOINT, m->dof_joint[k], owner);
    else
        label_act(m, k, owner);
    snprintf(text, size, "%s[%d] of %s", block, k, owner);
}

/* Entry i of an input: "ctrl[0] of actuator 'push'". */
static void describe_input(const tacSim *sim, int i, char *text, size_t size) {
    const tacModel *m = sim->ctx.model;
    const tacInputLayout *in = &sim->ctx.inputs;
    const char *block = "ctrl";
    char owner[LABEL];
    int k = i;
    if (in->mocap >= 0 && i >= in->mocap) {
        block = "mocap";
        k = i - in->mocap;
        label(m, TAC_KIND_BODY, m->mocap_body[k / TAC_POSE_SIZE], owner);
    } else if (in->xfrc >= 0 && i >= in->xfrc) {
        block = "xfrc_applied";
        k = i - in->xfrc;
        label(m, TAC_KIND_BODY, k / 6, owner);
    } else if (in->qfrc >= 0 && i >= in->qfrc) {
        block = "qfrc_applied";
        k = i - in->qfrc;
        label(m, TAC_KIND_JOINT, m->dof_joint[k], owner);
    } else {
        label(m, TAC_KIND_ACTUATOR, i, owner);
    }
    snprintf(text, size, "%s[%d] of %s", block, k, owner);
}

static tacStatus fail_entry(tacSim *sim, const char *call, const char *name, tacEntries of, int i, double value) {
    char text[2 * LABEL] = "";
    const tacModel *m = sim->ctx.model;
    if (of == TAC_OF_STATE) describe_state(m, i, text, sizeof text);
    if (of == TAC_OF_INPUT) describe_input(sim, i, text, sizeof text);
    if (of == TAC_OF_QPOS) label_qpos(m, i, text);
    if (of == TAC_OF_DOFS) label(m, TAC_KIND_JOINT, m->dof_joint[i], text);
    return tac_sim_fail(sim, TAC_ERR_NONFINITE, call, "%s[%d] (%s) is %g, expected a finite number", name, i, text,
                        value);
}

/* --- Checks ------------------------------------------------------------------------------------------------------- */

tacStatus tac_check_array(tacSim *sim, const char *call, const char *name, int n, const double *x) {
    if (sim == NULL) return TAC_ERR_ARGUMENT;
    if (x == NULL) return tac_sim_null(sim, call, name);
    int bad = tac_first_nonfinite(n, x);
    if (bad < 0) return TAC_OK;
    return tac_sim_fail(sim, TAC_ERR_NONFINITE, call, "%s[%d] is %g, expected a finite number", name, bad, x[bad]);
}

tacStatus tac_check_entries(tacSim *sim, const char *call, const char *name, tacEntries of, const double *x) {
    if (sim == NULL) return TAC_ERR_ARGUMENT;
    if (x == NULL) return tac_sim_null(sim, call, name);
    const tacModel *m = sim->ctx.model;
    int n = of == TAC_OF_STATE ? tac_nx(m) : of == TAC_OF_QPOS ? m->nq : m->nv;
    if (of == TAC_OF_INPUT) n = tac_ninput(m, &sim->ctx.options);
    int bad = tac_first_nonfinite(n, x);
    return bad < 0 ? TAC_OK : fail_entry(sim, call, name, of, bad, x[bad]);
}

tacStatus tac_check_state(tacSim *sim, const char *call, const double *x, const double *u, int *bad) {
    *bad = -1;
    if (sim == NULL) return TAC_ERR_ARGUMENT;
    int nx = tac_nx(sim->ctx.model), ninput = tac_ninput(sim->ctx.model, &sim->ctx.options);
    if (x == NULL) return tac_sim_null(sim, call, "x");
    if (u == NULL && ninput > 0)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "u is NULL, expected %d numbers", ninput);
    int i = tac_first_nonfinite(nx, x);
    if (i >= 0) {
        *bad = i;
        return fail_entry(sim, call, "x", TAC_OF_STATE, i, x[i]);
    }
    i = tac_first_nonfinite(ninput, u);
    if (i >= 0) {
        *bad = nx + i;
        return fail_entry(sim, call, "u", TAC_OF_INPUT, i, u[i]);
    }
    return TAC_OK;
}

tacStatus tac_refuse_growing(tacSim *sim, const char *call, int geom) {
    if (geom < 0) return TAC_OK;
    return tac_sim_fail(sim, TAC_ERR_UNSUPPORTED, call, "geom '%s' has a pad or a sum, expected tac_geom_growth for it",
                        tac_model_name(sim->ctx.model, TAC_KIND_GEOM, geom));
}

tacStatus tac_check_list(tacSim *sim, const char *call, const void *out, int max, const int *n) {
    if (sim == NULL) return TAC_ERR_ARGUMENT;
    if (n == NULL) return tac_sim_null(sim, call, "n");
    if (max < 0) return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "max is %d, expected the capacity of out", max);
    if (out == NULL && max > 0)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "out is NULL, expected an array of %d", max);
    return TAC_OK;
}

/* --- Ends --------------------------------------------------------------------------------------------------------- */

tacStatus tac_sim_tell(tacSim *sim, const char *call, tacStatus status) {
    if (sim == NULL) return status;
    const tacStepInfo *info = &sim->ctx.info;
    const tacOptions *o = &sim->ctx.options;
    switch (status) {
    case TAC_ERR_UNSOLVED:
        return tac_sim_fail(sim, status, call, "contact %s was not solved%s%s; residual %g after %d iterations",
                            tac_contact_text(o->contact), info->reason == TAC_REASON_NONE ? "" : ": ",
                            info->reason == TAC_REASON_NONE ? "" : tac_reason_text(info->reason), info->residual,
                            info->iterations);
    case TAC_ERR_CONTACTS:
        if (sim->ctx.scene.nfound > o->max_contacts)
            return tac_sim_fail(sim, status, call, "the step has %d contacts, option max_contacts allows %d",
                                sim->ctx.scene.nfound, o->max_contacts);
        break;
    case TAC_ERR_IMPACTS:
        return tac_sim_fail(
            sim, status, call,
            "the step has %d impacts in %g s; option toi_impacts allows %d, or fewer if a body spins too fast",
            info->impacts, o->dt, o->toi_impacts);
    case TAC_ERR_NONFINITE:
        return tac_sim_fail(sim, status, call, "the result is not finite for finite x and u");
    default:
        break;
    }
    return tac_sim_fail(sim, status, call, "%s", tac_status_text(status));
}

tacStatus tac_end_list(tacSim *sim, const char *call, tacStatus status, int max, int n) {
    if (status == TAC_ERR_CONTACTS && n > max)
        return tac_sim_fail(sim, status, call, "the result has %d entries, out has room for %d", n, max);
    return tac_end_call(sim, call, status);
}
