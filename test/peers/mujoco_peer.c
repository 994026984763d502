#include "peers/mujoco_peer.h"
#include "support/check.h"

#ifdef PEER_WITH_IO
#include "tactus/io.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(int condition, const char *name, const char *text) {
    if (condition) return;
    fprintf(stderr, "%s: %s\n", name, text);
    abort();
}

static tacVec3 vec3(const mjtNum *p) { return (tacVec3){p[0], p[1], p[2]}; }
static tacQuat quat(const mjtNum *p) { return (tacQuat){p[0], p[1], p[2], p[3]}; }

/* --- MuJoCo's compiled numbers -> builder ------------------------------------------------------------------------- */

static void add_options(const mjModel *mj, tacBuilder *b) {
    tacOptionDef def = tac_default_option();
    def.timestep = mj->opt.timestep;
    def.gravity = vec3(mj->opt.gravity);
    def.integrator = TAC_INTEGRATOR_EULER;
    if (mj->opt.disableflags & mjDSBL_GRAVITY) def.disable |= TAC_DISABLE_GRAVITY;
    if (mj->opt.disableflags & mjDSBL_CLAMPCTRL) def.disable |= TAC_DISABLE_CLAMPCTRL;
    if (mj->opt.disableflags & mjDSBL_ACTUATION) def.disable |= TAC_DISABLE_ACTUATION;
    if (mj->opt.disableflags & mjDSBL_PASSIVE) def.disable |= TAC_DISABLE_SPRING | TAC_DISABLE_DAMPER;
    def.literal_inertia = 1;
    tac_model_set_option(b, &def);
}

static void add_bodies(const mjModel *mj, tacBuilder *b) {
    for (int i = 1; i < mj->nbody; i++) {
        tacBodyDef def = tac_default_body();
        def.pos = vec3(mj->body_pos + 3 * i);
        def.quat = quat(mj->body_quat + 4 * i);
        def.mocap = mj->body_mocapid[i] >= 0;
        def.inertial = TAC_INERTIAL_DIAG;
        def.mass = mj->body_mass[i];
        def.ipos = vec3(mj->body_ipos + 3 * i);
        def.iquat = quat(mj->body_iquat + 4 * i);
        def.inertia = vec3(mj->body_inertia + 3 * i);
        tac_model_add_body(b, mj->body_parentid[i], &def);
    }
}

static void add_joints(const mjModel *mj, tacBuilder *b) {
    for (int i = 0; i < mj->njnt; i++) {
        tacJointDef def = tac_default_joint();
        int q = mj->jnt_qposadr[i], v = mj->jnt_dofadr[i];
        def.type = (tacJointType)mj->jnt_type[i];
        def.pos = vec3(mj->jnt_pos + 3 * i);
        def.axis = vec3(mj->jnt_axis + 3 * i);
        if (def.type == TAC_JOINT_HINGE || def.type == TAC_JOINT_SLIDE) {
            def.ref = mj->qpos0[q];
            def.springref = mj->qpos_spring[q];
        }
        def.stiffness = mj->jnt_stiffness[i];
        def.damping = mj->dof_damping[v];
        def.armature = mj->dof_armature[v];
        tac_model_add_joint(b, mj->jnt_bodyid[i], &def);
    }
}

static void add_sites(const mjModel *mj, tacBuilder *b) {
    for (int i = 0; i < mj->nsite; i++) {
        tacSiteDef def = tac_default_site();
        def.pos = vec3(mj->site_pos + 3 * i);
        def.quat = quat(mj->site_quat + 4 * i);
        tac_model_add_site(b, mj->site_bodyid[i], &def);
    }
}

static void add_tendons(const mjModel *mj, tacBuilder *b) {
    for (int i = 0; i < mj->ntendon; i++) {
        tacTendonDef def = tac_default_tendon();
        int adr = mj->tendon_adr[i];
        require(mj->wrap_type[adr] == mjWRAP_JOINT, "tendon", "only fixed tendons are compared");
        def.nterm = mj->tendon_num[i];
        def.joint = mj->wrap_objid + adr;
        def.coef = mj->wrap_prm + adr;
        def.stiffness = mj->tendon_stiffness[i];
        def.damping = mj->tendon_damping[i];
        def.springlength[0] = def.springlength[1] = mj->tendon_lengthspring[i];
        tac_model_add_tendon(b, &def);
    }
}

static tacDynType dynamics(int dyntype) {
    static const tacDynType MAP[] = {[mjDYN_NONE] = TAC_DYN_NONE,
                                     [mjDYN_INTEGRATOR] = TAC_DYN_INTEGRATOR,
                                     [mjDYN_FILTER] = TAC_DYN_FILTER,
                                     [mjDYN_MUSCLE] = TAC_DYN_MUSCLE,
                                     [mjDYN_USER] = TAC_DYN_USER};
    return MAP[dyntype];
}

static void add_actuators(const mjModel *mj, tacBuilder *b) {
    for (int i = 0; i < mj->nu; i++) {
        tacActuatorDef def = tac_default_actuator();
        def.trntype = (tacTransmission)mj->actuator_trntype[i];
        memcpy(def.trnid, mj->actuator_trnid + 2 * i, sizeof def.trnid);
        def.dyntype = dynamics(mj->actuator_dyntype[i]);
        def.gaintype = (tacGainType)mj->actuator_gaintype[i];
        def.biastype = (tacBiasType)mj->actuator_biastype[i];
        def.ctrllimited = mj->actuator_ctrllimited[i];
        def.forcelimited = mj->actuator_forcelimited[i];
        def.actlimited = mj->actuator_actlimited[i];
        memcpy(def.gear, mj->actuator_gear + 6 * i, sizeof def.gear);
        def.cranklength = mj->actuator_cranklength[i];
        memcpy(def.dynprm, mj->actuator_dynprm + mjNDYN * i, sizeof def.dynprm);
        memcpy(def.gainprm, mj->actuator_gainprm + mjNGAIN * i, sizeof def.gainprm);
        memcpy(def.biasprm, mj->actuator_biasprm + mjNBIAS * i, sizeof def.biasprm);
        memcpy(def.ctrlrange, mj->actuator_ctrlrange + 2 * i, sizeof def.ctrlrange);
        memcpy(def.forcerange, mj->actuator_forcerange + 2 * i, sizeof def.forcerange);
        memcpy(def.actrange, mj->actuator_actrange + 2 * i, sizeof def.actrange);
        tac_model_add_actuator(b, &def);
    }
}

static tacModel *translate(const char *name, const mjModel *mj) {
    tacBuilder *b = tac_model_begin();
    tacModel *model = NULL;
    tacError err = {.text = "out of memory"};
    require(b != NULL, name, err.text);
    add_options(mj, b);
    add_bodies(mj, b);
    add_joints(mj, b);
    add_sites(mj, b);
    add_tendons(mj, b);
    add_actuators(mj, b);
    require(tac_model_finish(b, &model, &err) == TAC_OK, name, err.text);
    tac_builder_free(b);
    return model;
}

/* --- Both together ------------------------------------------------------------------------------------------------ */

static mjModel *load(const char *name, const char *text) {
    char error[1000] = "could not load";
    mjModel *mj;
    if (text == NULL) {
        mj = mj_loadXML(name, NULL, error, sizeof error);
    } else {
        int size = (int)strlen(text) + 1;
        mjVFS *vfs = malloc(sizeof *vfs);
        require(vfs != NULL, name, "out of memory");
        mj_defaultVFS(vfs);
        mj_makeEmptyFileVFS(vfs, "text.xml", size);
        memcpy(vfs->filedata[mj_findFileVFS(vfs, "text.xml")], text, (size_t)size);
        mj = mj_loadXML("text.xml", vfs, error, sizeof error);
        mj_deleteVFS(vfs);
        free(vfs);
    }
    require(mj != NULL, name, error);
    return mj;
}

static Peer open_pair(const char *name, mjModel *mj, tacModel *model) {
    Peer peer = {.name = name, .mj = mj, .data = mj_makeData(mj), .model = model};
    tacError err;
    mj->opt.disableflags |= mjDSBL_CONSTRAINT;
    mj->opt.enableflags |= mjENBL_ENERGY;
    mj->opt.integrator = mjINT_EULER;
    peer.options = tac_default_options(model);
    peer.options.contact = TAC_CONTACT_MODEL_NONE;
    peer.options.integrator = TAC_INTEGRATOR_EULER;
    peer.options.inputs = TAC_INPUT_QFRC | TAC_INPUT_XFRC | TAC_INPUT_MOCAP;
    require(tac_sim_new(model, &peer.options, &peer.sim, &err) == TAC_OK, name, err.text);
    peer.nx = tac_nx(model);
    peer.ninput = tac_ninput(model, &peer.options);
    peer.x = calloc((size_t)peer.nx + 1, sizeof(double));
    peer.u = calloc((size_t)peer.ninput + 1, sizeof(double));
    require(peer.x != NULL && peer.u != NULL, name, "out of memory");
    require(model->nq == mj->nq && model->nv == mj->nv && model->nu == mj->nu && model->na == mj->na, name,
            "sizes differ");
    require(model->nbody == mj->nbody && model->nmocap == mj->nmocap, name, "numbers of bodies differ");
    return peer;
}

Peer peer_open(const char *name, const char *text) {
    mjModel *mj = load(name, text);
    return open_pair(name, mj, translate(name, mj));
}

void peer_integrate(Peer *peer, tacIntegrator integrator) {
    tacError err;
    require(integrator != TAC_INTEGRATOR_IMPLICITFAST, peer->name, "MuJoCo 2.2 has no implicitfast");
    peer->mj->opt.integrator = integrator == TAC_INTEGRATOR_RK4        ? mjINT_RK4
                               : integrator == TAC_INTEGRATOR_IMPLICIT ? mjINT_IMPLICIT
                                                                       : mjINT_EULER;
    peer->options.integrator = integrator;
    tac_sim_free(peer->sim);
    require(tac_sim_new(peer->model, &peer->options, &peer->sim, &err) == TAC_OK, peer->name, err.text);
}

#ifdef PEER_WITH_IO
/* Text -> a file of its own, since loaders read files; the caller removes it. */
static void write_text(const char *name, const char *text, char *path, size_t size) {
    const char *folder = getenv("TMPDIR");
    snprintf(path, size, "%s/tactus_peer_XXXXXX", folder != NULL ? folder : "/tmp");
    int descriptor = mkstemp(path);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    require(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0, name, "cannot write a temporary file");
}

Peer peer_load(const char *name, const char *text) {
    char path[4096];
    tacModel *model = NULL;
    tacError err;
    if (text != NULL) write_text(name, text, path, sizeof path);
    tacLoadOptions lenient =
        tac_default_load_options(); /* equality constraints are kept, and disabled in both engines */
    lenient.lenient = 1;
    tacStatus status = tac_load_with(text != NULL ? path : name, &lenient, &model, NULL, &err);
    if (text != NULL) remove(path);
    require(status == TAC_OK, name, err.text);
    return open_pair(name, load(name, text), model);
}
#endif

void peer_close(Peer *peer) {
    free(peer->x);
    free(peer->u);
    tac_sim_free(peer->sim);
    tac_model_free(peer->model);
    mj_deleteData(peer->data);
    mj_deleteModel(peer->mj);
}

/* --- States ------------------------------------------------------------------------------------------------------- */

typedef struct Stream {
    uint64_t seed, index, next;
} Stream;

static double draw(Stream *s, double scale) {
    return scale * (2 * tac_random_uniform(s->seed, s->index, s->next++) - 1);
}

void peer_randomize_state(Peer *peer, uint64_t seed, uint64_t index) {
    const tacModel *m = peer->model;
    Stream s = {seed, index, 0};
    double *d = calloc((size_t)m->nv + 1, sizeof *d);
    require(d != NULL, peer->name, "out of memory");
    for (int i = 0; i < m->nv; i++)
        d[i] = draw(&s, 1.2);
    tac_qpos_add(m, m->qpos_0, d, peer->x);
    free(d);
    for (int i = m->nq; i < peer->nx; i++)
        peer->x[i] = draw(&s, 1);
    peer_give_state(peer);
}

void peer_randomize_input(Peer *peer, uint64_t seed, uint64_t index, double applied) {
    const tacModel *m = peer->model;
    Stream s = {seed + 1, index, 0};
    tac_default_input(m, &peer->options, peer->u);
    for (int i = 0; i < peer->ninput; i++)
        peer->u[i] += draw(&s, i < m->nu || i >= peer->ninput - 7 * m->nmocap ? 1 : applied);
    for (int k = 0; k < m->nmocap; k++) /* unit quaternions: MuJoCo takes them as they are */
        mju_normalize4(peer->u + peer->ninput - 7 * (m->nmocap - k) + 3);
    peer_give_input(peer);
}

void peer_give_state(Peer *peer) {
    const tacModel *m = peer->model;
    mjData *d = peer->data;
    const double *x = peer->x;
    mj_resetData(peer->mj, d);
    memcpy(d->qpos, x, (size_t)m->nq * sizeof *x);
    memcpy(d->qvel, x + m->nq, (size_t)m->nv * sizeof *x);
    if (m->na > 0) memcpy(d->act, x + m->nq + m->nv, (size_t)m->na * sizeof *x);
}

void peer_give_input(Peer *peer) {
    const tacModel *m = peer->model;
    mjData *d = peer->data;
    const double *u = peer->u;
    if (m->nu > 0) memcpy(d->ctrl, u, (size_t)m->nu * sizeof *u);
    u += m->nu;
    memcpy(d->qfrc_applied, u, (size_t)m->nv * sizeof *u);
    u += m->nv;
    memcpy(d->xfrc_applied, u, 6 * (size_t)m->nbody * sizeof *u);
    u += 6 * m->nbody;
    for (int k = 0; k < m->nmocap; k++) {
        memcpy(d->mocap_pos + 3 * k, u + 7 * k, 3 * sizeof *u);
        memcpy(d->mocap_quat + 4 * k, u + 7 * k + 3, 4 * sizeof *u);
    }
}

/* --- Comparing ---------------------------------------------------------------------------------------------------- */

double peer_difference(const Peer *peer) {
    const tacModel *m = peer->model;
    double *d = calloc((size_t)m->nv + 1, sizeof *d), worst = 0;
    CHECK(d != NULL);
    tac_qpos_sub(m, peer->x, peer->data->qpos, d);
    for (int i = 0; i < m->nv; i++)
        worst = worse(worse(worst, fabs(d[i])), fabs(peer->x[m->nq + i] - peer->data->qvel[i]));
    for (int i = 0; i < m->na; i++)
        worst = worse(worst, fabs(peer->x[m->nq + m->nv + i] - peer->data->act[i]));
    free(d);
    return worst;
}

double peer_largest(const Peer *peer) {
    double most = 1;
    for (int i = 0; i < peer->nx; i++)
        most = fmax(most, fabs(peer->x[i]));
    return most;
}

double peer_trajectory(Peer *peer, int steps, double applied) {
    enum { STEPS_PER_INPUT = 20, SEED = 11 };
    double worst = 0, scale = 1;
    tac_default_state(peer->model, peer->x);
    peer_give_state(peer);
    for (int k = 0; k < steps; k++) {
        if (k % STEPS_PER_INPUT == 0) peer_randomize_input(peer, SEED, (uint64_t)k, applied);
        CHECK_INT(tac_step(peer->sim, peer->x, peer->u, peer->x, NULL), TAC_OK);
        mj_step(peer->mj, peer->data);
        scale = fmax(scale, peer_largest(peer));
        worst = worse(worst, peer_difference(peer) / scale);
    }
    return worst;
}

void peer_each_text(PeerOpen open, void (*check)(Peer *peer)) {
    for (const PeerText *t = PEER_TEXTS; t->name != NULL; t++) {
        Peer p = open(t->name, t->xml);
        check(&p);
        peer_close(&p);
    }
}

void peer_each_robot(PeerOpen open, void (*check)(Peer *peer)) {
    for (const char *const *path = PEER_ROBOTS; *path != NULL; path++) {
        Peer p = open(*path, NULL);
        check(&p);
        peer_close(&p);
    }
}
