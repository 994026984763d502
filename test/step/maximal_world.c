#include "maximal_world.h"

#include "tactus/io.h"

#include "measure/differences.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIFFERENCE 3e-3

const double SPANS[NSPAN] = {0, SPAN};

double *numbers(size_t n) { return calloc(n + 1, sizeof(double)); }

World world_of(tacModel *m, tacContactModel contact, unsigned inputs) {
    World w = {.m = m};
    tacOptions options = tac_default_options(m);
    tacError err;
    options.contact = contact, options.inputs = inputs;
    if (contact == TAC_CONTACT_MODEL_NCP) options.dt = SPAN, options.ncp_kappa = 1e-4, options.ncp_polish = 5;
    if (tac_sim_new(m, &options, &w.sim, &err) != TAC_OK) fail_msg("%s", err.text);
    size_t nbody = (size_t)m->nbody, nx = (size_t)tac_nx(m);
    w.x = numbers(nx), w.back = numbers(nx), w.u = numbers((size_t)tac_ninput(m, &options));
    tac_default_state(m, w.x);
    tac_default_input(m, &options, w.u);
    w.z = (tacMaximal){0, numbers(7 * nbody), numbers(6 * nbody)};
    w.min = (tacMinimal){.q = w.back, .v = w.back + m->nq};
    return w;
}

World loaded(const char *path, tacContactModel contact) {
    tacModel *m;
    tacError err;
    if (tac_load(path, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    return world_of(m, contact, 0);
}

void release(World *w) {
    free(w->x), free(w->u), free(w->back), free(w->z.pose), free(w->z.twist);
    tac_sim_free(w->sim);
    tac_model_free(w->m);
}

tacModel *carried(void) {
    static const tacJointType STACK[] = {TAC_JOINT_HINGE, TAC_JOINT_SLIDE, TAC_JOINT_HINGE};
    static const char *const PARAMS[] = {"body/#2.pos[1]",   "body/#2.quat[2]",  "joint/#0.pos[0]",
                                         "joint/#0.axis[1]", "joint/#1.axis[0]", "joint/#0.ref"};
    tacBuilder *b = tac_model_begin();
    tacBodyDef hand = tac_default_body(), held = tac_default_body();
    hand.mocap = 1, hand.pos = (tacVec3){0.1, 0.2, 0.3};
    int body = tac_model_add_body(b, 0, &hand);
    held.inertial = TAC_INERTIAL_DIAG, held.mass = 1, held.inertia = (tacVec3){1, 1, 1};
    held.pos = (tacVec3){0, 0.3, 0};
    for (int i = 0; i < 2; i++) {
        body = tac_model_add_body(b, body, &held);
        for (int k = 0; k < 3; k++) {
            tacJointDef joint = tac_default_joint();
            joint.type = STACK[k], joint.pos = (tacVec3){0.1, 0, 0.2}, joint.axis = (tacVec3){1, 0.2 * k, 0.3};
            tac_model_add_joint(b, body, &joint);
        }
    }
    tacModel *m;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    for (size_t i = 0; i < sizeof PARAMS / sizeof *PARAMS; i++)
        if (tac_param_register(m, PARAMS[i], NULL, &err) != TAC_OK) fail_msg("%s", err.text);
    return m;
}

/* --- Along a column ----------------------------------------------------------------------------------------------- */

static int rows_of(const World *w, int map) {
    return map == TO_JOINTS ? 2 * w->m->nv : 12 * w->m->nbody + (map == STEP ? w->m->na : 0);
}

/* From the bodies of w to those of a trial: a displacement of the former. */
static void bodies_apart(const World *w, const World *trial, double *out) {
    int n = w->m->nbody;
    for (int b = 0; b < n; b++) {
        tacQuat from = tac_quat_load(w->z.pose + 7 * b + 3), to = tac_quat_load(trial->z.pose + 7 * b + 3);
        for (int i = 0; i < 3; i++)
            out[6 * b + i] = trial->z.pose[7 * b + i] - w->z.pose[7 * b + i];
        tac_store3(out + 6 * b + 3, tac_quat_log(tac_quat_mul(tac_quat_conj(from), to)));
    }
    for (int i = 0; i < 6 * n; i++)
        out[6 * n + i] = trial->z.twist[i] - w->z.twist[i];
}

/* Bodies of the trial: w's, displaced along a column. */
static void displace_bodies(const World *w, int column, double t, World *trial) {
    int n = w->m->nbody, body = column % (6 * n) / 6, i = column % 6;
    memcpy(trial->z.pose, w->z.pose, 7 * (size_t)n * sizeof(double));
    memcpy(trial->z.twist, w->z.twist, 6 * (size_t)n * sizeof(double));
    if (column >= 6 * n) {
        trial->z.twist[column - 6 * n] += t;
    } else if (i < 3) {
        trial->z.pose[7 * body + i] += t;
    } else {
        tacVec3 turn = {i == 3 ? t : 0, i == 4 ? t : 0, i == 5 ? t : 0};
        double *quat = trial->z.pose + 7 * body + 3;
        tac_quat_store(quat, tac_quat_mul(tac_quat_load(quat), tac_quat_exp(turn)));
    }
}

/* State and input of the trial: w's, displaced; parameters are set. */
static void displace_state(const Along *a, double t) {
    const tacModel *m = a->w->m;
    World *trial = a->trial;
    double *move = numbers((size_t)m->nv), *theta = numbers((size_t)m->nparam);
    memcpy(trial->x, a->w->x, (size_t)tac_nx(m) * sizeof *move);
    if (a->block == 0 && a->column < m->nv) {
        move[a->column] = t;
        tac_qpos_add(m, a->w->x, move, trial->x);
    } else if (a->block == 0) {
        trial->x[m->nq + a->column - m->nv] += t;
    } else if (a->block == 1) {
        trial->u[a->column] = a->w->u[a->column] + t;
    } else {
        memcpy(theta, a->theta, (size_t)m->nparam * sizeof *theta);
        theta[a->column] += t;
        CHECK_INT(tac_sim_set_params(trial->sim, theta), TAC_OK);
    }
    free(move), free(theta);
}

static void restore(const Along *a) {
    if (a->block == 1) a->trial->u[a->column] = a->w->u[a->column];
    if (a->block == 2) CHECK_INT(tac_sim_set_params(a->trial->sim, a->theta), TAC_OK);
}

static int joints_of_bodies(const Along *a, double *x) {
    a->trial->min.q = x, a->trial->min.v = x + a->w->m->nq;
    memcpy(x, a->w->x, (size_t)a->w->m->nq * sizeof *x);
    return tac_to_minimal(a->trial->sim, &a->trial->z, &a->trial->min) != TAC_OK;
}

int along(void *context, double t, double *out) {
    const Along *a = context;
    const tacModel *m = a->w->m;
    World *trial = a->trial;
    int nz = 12 * m->nbody, bodies = a->map == TO_JOINTS || (a->map == STEP && a->block == 0);
    int bad = 0;
    trial->z.span = a->w->z.span;
    if (bodies && a->column < nz) {
        memcpy(trial->x, a->w->x, (size_t)tac_nx(m) * sizeof *out);
        displace_bodies(a->w, a->column, t, trial);
        bad = joints_of_bodies(a, trial->x);
    } else if (bodies) {
        memcpy(trial->x, a->w->x, (size_t)tac_nx(m) * sizeof *out);
        trial->x[m->nq + m->nv + a->column - nz] += t;
    } else {
        displace_state(a, t);
    }
    if (a->map == TO_JOINTS) {
        tac_qpos_sub(m, trial->x, a->w->x, out);
        for (int i = 0; i < m->nv; i++)
            out[m->nv + i] = trial->x[m->nq + i] - a->w->x[m->nq + i];
        return bad;
    }
    if (a->map == STEP && !bad) bad = tac_step(trial->sim, trial->x, trial->u, trial->x, NULL) != TAC_OK;
    if (!bad) bad = tac_to_maximal(trial->sim, trial->x, trial->u, &trial->z, NULL) != TAC_OK;
    bodies_apart(a->base, trial, out);
    for (int i = 0; a->map == STEP && i < m->na; i++)
        out[nz + i] = trial->x[m->nq + m->nv + i];
    restore(a);
    return bad;
}

double block_error(Along *a, int columns, const double *J, double *most) {
    int rows = rows_of(a->w, a->map);
    double *want = numbers((size_t)rows), *work = numbers((size_t)difference_work(rows)), worst = 0;
    for (a->column = 0; a->column < columns; a->column++) {
        double scale = 1;
        CHECK_INT(difference_ridders(along, a, rows, a->map == STEP ? STEP_APART : DIFFERENCE, want, NULL, work), 0);
        for (int i = 0; i < rows; i++)
            scale = fmax(scale, fabs(want[i])), *most = fmax(*most, fabs(want[i]));
        for (int i = 0; i < rows; i++)
            worst = worse(worst, fabs(J[(size_t)i * (size_t)columns + (size_t)a->column] - want[i]) / scale);
    }
    free(want), free(work);
    return worst;
}

World trial_of(const World *w) {
    World trial = *w;
    size_t nbody = (size_t)w->m->nbody;
    trial.x = numbers((size_t)tac_nx(w->m)), trial.u = numbers(4000), trial.back = NULL;
    memcpy(trial.u, w->u, (size_t)(w->m->nu + 7 * w->m->nmocap) * sizeof(double));
    trial.z.pose = numbers(7 * nbody), trial.z.twist = numbers(6 * nbody);
    return trial;
}

void release_trial(World *trial) { free(trial->x), free(trial->u), free(trial->z.pose), free(trial->z.twist); }
