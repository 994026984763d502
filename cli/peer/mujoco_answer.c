/* MuJoCo as an answer: a function of the state alone, solved as tightly as it can. */
#include "cli/peer/answer.h"
#include "measure/mujoco_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TAC_WITH_MUJOCO
/* Its Newton method ends at rounding or here. */
#define TOLERANCE 1e-14
enum { ITERATIONS = 1000 };

struct tacMujocoSide {
    tacMujocoCalls call;
    const tacModel *m;
    unsigned inputs;
    mjModel *model;
    mjData *data;
    char version[TAC_MUJOCO_VERSION_TEXT];
};

static int set_up(tacMujocoSide *side, const tacOptions *options, char reason[TAC_ANSWER_REASON]) {
    mjModel *mj = side->model;
    const char *problem = NULL;
    if (mj->ngeom != side->m->ngeom || mj->nbody != side->m->nbody)
        problem = "MuJoCo reads a different number of bodies or geoms from this file";
    else if (options->integrator >= TAC_INTEGRATOR_IMPLICITFAST)
        problem = "MuJoCo 2.2 does not have this integrator";
    mj->opt.integrator = options->integrator == TAC_INTEGRATOR_RK4        ? mjINT_RK4
                         : options->integrator == TAC_INTEGRATOR_IMPLICIT ? mjINT_IMPLICIT
                                                                          : mjINT_EULER;
    mj->opt.cone = *side->m->option_cone == TAC_CONE_PYRAMIDAL ? mjCONE_PYRAMIDAL : mjCONE_ELLIPTIC;
    mj->opt.solver = mjSOL_NEWTON;
    if (options->contact == TAC_CONTACT_MODEL_NONE) mj->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT;
    mj->opt.tolerance = TOLERANCE;
    mj->opt.iterations = ITERATIONS;
    mj->opt.noslip_iterations = 0;
    side->data = problem == NULL ? side->call.make_data(mj) : NULL;
    if (side->data == NULL) snprintf(reason, TAC_ANSWER_REASON, "%s", problem != NULL ? problem : "out of memory");
    return side->data != NULL;
}

tacMujocoSide *cli_side_open(const char *path, const tacModel *m, const tacOptions *options,
                             char reason[TAC_ANSWER_REASON]) {
    tacMujocoSide *side = calloc(1, sizeof *side);
    snprintf(reason, TAC_ANSWER_REASON, "out of memory");
    if (side == NULL) return NULL;
    side->m = m;
    side->inputs = options->inputs;
    if (measure_mujoco_library(&side->call, side->version, reason, TAC_ANSWER_REASON))
        side->model = measure_mujoco_load(&side->call, path, m, options->dt, reason, TAC_ANSWER_REASON);
    if (side->model != NULL && set_up(side, options, reason)) return side;
    cli_side_close(side);
    return NULL;
}

void cli_side_close(tacMujocoSide *side) {
    if (side == NULL) return;
    if (side->data != NULL) side->call.free_data(side->data);
    if (side->model != NULL) side->call.free_model(side->model);
    free(side);
}

const char *cli_side_version(const tacMujocoSide *side) { return side->version; }

/* --- In ----------------------------------------------------------------------------------------------------------- */

static const double *take(double *to, const double *from, int n) {
    if (n > 0) memcpy(to, from, (size_t)n * sizeof *to);
    return from + n;
}

static void put(tacMujocoSide *side, const double *x, const double *u) {
    const tacModel *m = side->m;
    mjData *d = side->data;
    side->call.reset(side->model, d);
    x = take(d->qpos, x, m->nq);
    x = take(d->qvel, x, m->nv);
    take(d->act, x, m->na);
    u = take(d->ctrl, u, m->nu);
    if (side->inputs & TAC_INPUT_QFRC) u = take(d->qfrc_applied, u, m->nv);
    if (side->inputs & TAC_INPUT_XFRC) u = take(d->xfrc_applied, u, 6 * m->nbody);
    for (int k = 0; k < m->nmocap; k++) {
        int body = m->mocap_body[k];
        const double *pose = side->inputs & TAC_INPUT_MOCAP ? u + TAC_POSE_SIZE * k : NULL;
        take(d->mocap_pos + 3 * k, pose != NULL ? pose : &m->body_pos[body].x, 3);
        take(d->mocap_quat + 4 * k, pose != NULL ? pose + 3 : &m->body_quat[body].w, 4);
    }
}

/* --- Out ---------------------------------------------------------------------------------------------------------- */

/* The explicit pair of two geoms, or -1. */
static int pair_of(const tacModel *m, int a, int b) {
    for (int k = 0; k < m->npair; k++) {
        const int *geom = m->pair_geom + 2 * k;
        if ((geom[0] == a && geom[1] == b) || (geom[0] == b && geom[1] == a)) return k;
    }
    return -1;
}

static tacVec3 vec3(const mjtNum *p) { return (tacVec3){p[0], p[1], p[2]}; }

static void read_contact(const tacMujocoSide *side, int id, tacAnswerContact *out) {
    const mjContact *c = &side->data->contact[id];
    *out = (tacAnswerContact){.dim = c->dim};
    out->place = (tacContact){.geom = {c->geom1, c->geom2},
                              .pair = pair_of(side->m, c->geom1, c->geom2),
                              .dist = c->dist,
                              .include = c->includemargin,
                              .pos = vec3(c->pos),
                              .normal = vec3(c->frame),
                              .tangent = {vec3(c->frame + 3), vec3(c->frame + 6)}};
    memcpy(out->friction, c->friction, sizeof out->friction);
    memcpy(out->solref, c->solref, sizeof out->solref);
    memcpy(out->solimp, c->solimp, sizeof out->solimp);
    side->call.contact_force(side->model, side->data, id, out->force);
}

/* Contacts that have rows. */
static void read_answer(const tacMujocoSide *side, tacAnswer *out) {
    const mjData *d = side->data;
    out->ncontact = 0;
    for (int k = 0; k < d->ncon; k++)
        if (d->contact[k].exclude == 0) read_contact(side, k, &out->contact[out->ncontact++]);
    take(out->qacc, d->qacc, side->m->nv);
    take(out->qfrc, d->qfrc_constraint, side->m->nv);
}

static const char *problem_of(const tacMujocoSide *side) {
    const mjData *d = side->data;
    if (d->warning[mjWARN_CONTACTFULL].number > 0 || d->warning[mjWARN_CNSTRFULL].number > 0 ||
        d->ncon > TAC_ANSWER_CONTACTS)
        return "MuJoCo has too many contacts";
    if (d->warning[mjWARN_BADQPOS].number > 0 || d->warning[mjWARN_BADQVEL].number > 0 ||
        d->warning[mjWARN_BADQACC].number > 0)
        return "MuJoCo reports a non-finite or huge state";
    return NULL;
}

int cli_side_answer(tacMujocoSide *side, const double *x, const double *u, tacAnswer *out,
                    char reason[TAC_ANSWER_REASON]) {
    const tacModel *m = side->m;
    put(side, x, u);
    side->call.forward(side->model, side->data);
    const char *problem = problem_of(side);
    if (problem == NULL) {
        read_answer(side, out);
        put(side, x, u);
        side->call.step(side->model, side->data);
        problem = problem_of(side);
    }
    take(out->next, side->data->qpos, m->nq);
    take(out->next + m->nq, side->data->qvel, m->nv);
    take(out->next + m->nq + m->nv, side->data->act, m->na);
    if (problem != NULL) snprintf(reason, TAC_ANSWER_REASON, "%s", problem);
    return problem == NULL;
}

#else /* compiled where MuJoCo's headers are not */

struct tacMujocoSide {
    int none;
};

tacMujocoSide *cli_side_open(const char *path, const tacModel *m, const tacOptions *options,
                             char reason[TAC_ANSWER_REASON]) {
    (void)path;
    (void)m;
    (void)options;
    snprintf(reason, TAC_ANSWER_REASON, "compiled without MuJoCo's headers");
    return NULL;
}
void cli_side_close(tacMujocoSide *side) { (void)side; }
const char *cli_side_version(const tacMujocoSide *side) {
    (void)side;
    return "";
}
int cli_side_answer(tacMujocoSide *side, const double *x, const double *u, tacAnswer *out,
                    char reason[TAC_ANSWER_REASON]) {
    (void)side;
    (void)x;
    (void)u;
    (void)out;
    (void)reason;
    return 0;
}
#endif
