/* Every public function with each of its arguments broken in turn: none ends in a signal. */
#include "first_day/box_on_floor.h"
#include "first_day/broken_argument.h"

#include "tactus/io.h"
#include "tactus/problem.h"

#include <stdlib.h>

enum { ROOM = 4096, STEPS = 3, MOST_CONTACTS = 64 };

/* Good arguments, as they are before each call. */
static struct {
    tacModel *m, *made;
    tacBuilder *b;
    tacReport *report;
    tacOptions options;
    tacSim *sim, *made_sim;
    tacBatch *batch, *made_batch;
    tacError err;
    tacStepInfo info;
    tacStatus status[1];
    tacContact contact[MOST_CONTACTS];
    tacContactForce force[MOST_CONTACTS];
    tacConstraint constraint[MOST_CONTACTS];
    tacIteration iteration[MOST_CONTACTS];
    double x[STEPS * BOX_NX + BOX_NX], u[STEPS], y[ROOM], z[ROOM], A[ROOM], B[ROOM], C[ROOM], value;
    char text[256];
    int n;
    void *memory; /* aligned */
    size_t bytes;
} w;

static const tacOutput LIST[] = {{TAC_OUT_SITE_POS, 0}, {TAC_OUT_CONTACT_FORCE, 1}, {TAC_OUT_PAIR_FORCE, 0, 1}};

/* What is allowed to come back: any status, -1, 0, a size. */
#define CASE(name)  static void call_##name(void)
#define STATUS(...) check_status(__VA_ARGS__)
#define TEXT(...)   check_text(__VA_ARGS__)
#define SIZE(...)   w.bytes = (size_t)(__VA_ARGS__)
#define MADE(model) STATUS(model), tac_model_free(w.made), w.made = NULL

static void check_status(tacStatus status) { CHECK((unsigned)status < TAC_STATUS_COUNT); }
static void check_text(const char *text) { CHECK(text != NULL && strlen(text) < ROOM); }

/* --- status.h, problem.h, random numbers -------------------------------------------------------------------------- */

CASE(tac_status_text) { TEXT(tac_status_text((tacStatus)I(1))); }
CASE(tac_kind_text) { TEXT(tac_kind_text((tacKind)I(1))); }
CASE(tac_reason_text) { TEXT(tac_reason_text((tacReason)I(1))); }
CASE(tac_contact_text) { TEXT(tac_contact_text((tacContactModel)I(1))); }
CASE(tac_version) { TEXT(tac_version()); }
CASE(tac_problem_bytes) { SIZE(tac_problem_bytes(I(1))); }
CASE(tac_problem_solve) {
    static const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0, 0}, mu[1] = {0.5};
    static tacProblemInfo info;
    tacProblem problem = {N(1), P(W), P(q), P(mu)};
    STATUS(
        tac_problem_solve(P(&problem), (tacFrictionForm)I(TAC_FRICTION_CONE), P(w.memory), P(w.y), P(w.z), P(&info)));
}

static int fall(void *user, const double *x, const double *theta, const unsigned char *on, double *f) {
    (void)user, (void)theta;
    f[0] = on[0] ? -x[0] : -1;
    return 0;
}
static int fall_jac(void *user, const double *x, const double *theta, const unsigned char *on, double *f_x,
                    double *f_theta) {
    (void)user, (void)x, (void)theta, (void)f_theta;
    if (f_x != NULL) f_x[0] = on[0] ? -1 : 0;
    return 0;
}
static int height(void *user, const double *x, const double *theta, double *gap, double *gap_x, double *gap_theta) {
    (void)user, (void)theta, (void)gap_theta;
    if (gap != NULL) gap[0] = x[0];
    if (gap_x != NULL) gap_x[0] = 1;
    return 0;
}
static tacOde *falling(void) {
    static tacOde ode;
    ode = (tacOde){.n = N(1), .ntheta = 0, .ngap = N(1), .f = fall, .f_jac = fall_jac, .gaps = height};
    return P(&ode);
}
static tacOdeOptions *few_states(void) {
    static tacOdeOptions options;
    options = tac_default_ode_options();
    options.inner_checkpoints = 1;
    options.integrator = (tacIntegrator)I(TAC_INTEGRATOR_STIFF);
    return P(&options);
}
CASE(tac_default_ode_options) { tac_default_ode_options(); }
CASE(tac_ode_bytes) { SIZE(tac_ode_bytes(falling(), few_states(), P(&w.err))); }
CASE(tac_ode_solve) {
    STATUS(tac_ode_solve(falling(), few_states(), D(1), P(w.z), P(w.u), P(w.y), P(w.memory), P(&w.info)));
}
CASE(tac_ode_jac) {
    tacOdeJac jac = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_ode_jac(falling(), few_states(), D(1), P(w.z), P(w.u), P(w.y), P(&jac), P(w.memory), P(&w.info)));
}
CASE(tac_ode_jvp) {
    tacOdeTangent along = {P(w.A), P(w.B), 0.5};
    STATUS(tac_ode_jvp(falling(), few_states(), D(1), P(w.z), P(w.u), P(&along), P(w.y), P(w.memory), P(&w.info)));
}
CASE(tac_ode_vjp) {
    tacOdeGrad grad = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_ode_vjp(falling(), few_states(), D(1), P(w.z), P(w.u), P(w.x), P(&grad), P(w.memory), P(&w.info)));
}
CASE(tac_random_bits) { tac_random_bits(1, 2, 3); }
CASE(tac_random_uniform) { w.value = tac_random_uniform(1, 2, 3); }
CASE(tac_random_normal) { w.value = tac_random_normal(1, 2, 3); }
CASE(tac_hash) { tac_hash(P(w.x), 8, 0); }

/* --- io.h --------------------------------------------------------------------------------------------------------- */

CASE(tac_default_load_options) { tac_default_load_options(); }
CASE(tac_report_name) { TEXT(tac_report_name(P(w.report))); }
CASE(tac_report_ignored_count) { w.n = tac_report_ignored_count(P(w.report)); }
CASE(tac_report_ignored) { TEXT(tac_report_ignored(P(w.report), I(0))); }
CASE(tac_report_warning_count) { w.n = tac_report_warning_count(P(w.report)); }
CASE(tac_report_warning) { TEXT(tac_report_warning(P(w.report), I(0))); }
CASE(tac_report_free) { tac_report_free(NULL); }
CASE(tac_load) { MADE(tac_load(P("models/box.xml"), P(&w.made), P(&w.err))); }
CASE(tac_load_with) {
    tacLoadOptions options = tac_default_load_options();
    tacReport *report = NULL;
    MADE(tac_load_with(P("models/box.xml"), P(&options), P(&w.made), P(&report), P(&w.err)));
    tac_report_free(report);
}
CASE(tac_save) { STATUS(tac_save(P(w.m), P("/nowhere/at/all.tac"), P(&w.err))); }
CASE(tac_default_page) { tac_default_page(); }
static tacPage broken_page(void) {
    tacPage page = tac_default_page();
    page.model = P(w.m), page.options = P(&w.options), page.nframe = N(1), page.x = P(w.x), page.u = P(w.u);
    return page;
}
CASE(tac_page_text) {
    tacPage page = broken_page();
    char *text = NULL;
    STATUS(tac_page_text(P(&page), P(&text), P(&w.err)));
    free(text);
}
CASE(tac_write_page) {
    tacPage page = broken_page();
    STATUS(tac_write_page(P(&page), P("/nowhere/at/all.html"), P(&w.err)));
}
CASE(tac_default_chain) { tac_default_chain(); }
CASE(tac_chain_model) {
    tacChain chain = {N(3), N(1), (tacChainJoint)I(TAC_CHAIN_HINGE), 0};
    free(tac_chain_model(P(&chain)));
}
CASE(tac_chain_build) {
    tacChain chain = {N(3), N(1), (tacChainJoint)I(TAC_CHAIN_HINGE), 0};
    MADE(tac_chain_build(P(&chain), P(&w.made), P(&w.err)));
}
CASE(tac_random_model) { free(tac_random_model(7)); }

/* --- Building ----------------------------------------------------------------------------------------------------- */

CASE(tac_default_body) { tac_default_body(); }
CASE(tac_default_joint) { tac_default_joint(); }
CASE(tac_default_geom) { tac_default_geom(); }
CASE(tac_default_mesh) { tac_default_mesh(); }
CASE(tac_default_site) { tac_default_site(); }
CASE(tac_default_tendon) { tac_default_tendon(); }
CASE(tac_default_actuator) { tac_default_actuator(); }
CASE(tac_default_equality) { tac_default_equality(); }
CASE(tac_default_pair) { tac_default_pair(); }
CASE(tac_default_key) { tac_default_key(); }
CASE(tac_default_option) { tac_default_option(); }
CASE(tac_default_attach) { tac_default_attach(); }
CASE(tac_model_begin) { tac_builder_free(tac_model_begin()); }

/* Adds and finishes: what adding takes, finishing must stand. */
#define ADD(def_type, def_name, change, add)                                                                           \
    tacBuilder *b = tac_model_begin();                                                                                 \
    tacBodyDef body = tac_default_body();                                                                              \
    tacJointDef joint = tac_default_joint();                                                                           \
    tacGeomDef ball = tac_default_geom();                                                                              \
    def_type def = def_name();                                                                                         \
    ball.size[0] = 0.1;                                                                                                \
    tac_model_add_body(b, 0, &body), tac_model_add_joint(b, 1, &joint), tac_model_add_geom(b, 1, &ball);               \
    change;                                                                                                            \
    add;                                                                                                               \
    MADE(tac_model_finish(b, &w.made, &w.err));                                                                        \
    tac_builder_free(b)

CASE(tac_model_add_body) {
    ADD(tacBodyDef, tac_default_body, def.inertial = (tacInertial)I(TAC_INERTIAL_GEOMS),
        tac_model_add_body(P(b), I(0), P(&def)));
}
CASE(tac_model_add_joint) {
    ADD(tacJointDef, tac_default_joint, def.type = (tacJointType)I(TAC_JOINT_HINGE),
        tac_model_add_joint(P(b), I(1), P(&def)));
}
CASE(tac_model_add_geom) {
    ADD(tacGeomDef, tac_default_geom,
        (def.size[0] = 0.1, def.type = (tacGeomType)I(TAC_GEOM_SPHERE), def.mesh = I(-1), def.condim = I(3)),
        tac_model_add_geom(P(b), I(1), P(&def)));
}
CASE(tac_model_add_mesh_faces) {
    static const tacVec3 normals[4] = {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {1, 1, 1}};
    static const double offsets[4] = {0, 0, 0, 1};
    ADD(tacMeshDef, tac_default_mesh, (void)def, tac_model_add_mesh_faces(P(b), P(&def), N(4), P(normals), P(offsets)));
}
CASE(tac_model_add_mesh) {
    static const tacVec3 vert[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}, all[4] = {0, 1, 2, 3};
    int face[12], hull[12], hullvert[4];
    memcpy(face, faces, sizeof face), memcpy(hull, faces, sizeof hull), memcpy(hullvert, all, sizeof all);
    ADD(tacMeshDef, tac_default_mesh,
        (def.nvert = N(4), def.vert = P(vert), def.nface = N(4), def.face = P(face), def.nhullvert = N(4),
         def.hullvert = P(hullvert), def.nhullface = N(4), def.hullface = P(hull), face[5] = I(3), hull[5] = I(3),
         hullvert[2] = I(2)),
        tac_model_add_mesh(P(b), P(&def)));
}
CASE(tac_model_add_site) {
    ADD(tacSiteDef, tac_default_site, def.type = (tacGeomType)I(TAC_GEOM_SPHERE),
        tac_model_add_site(P(b), I(1), P(&def)));
}
CASE(tac_model_add_tendon) {
    static const double coef[1] = {1};
    int joints[1] = {I(0)};
    ADD(tacTendonDef, tac_default_tendon, (def.nterm = N(1), def.joint = P(joints), def.coef = P(coef)),
        tac_model_add_tendon(P(b), P(&def)));
}
CASE(tac_model_add_actuator) {
    ADD(tacActuatorDef, tac_default_actuator,
        (def.trntype = (tacTransmission)I(TAC_TRN_JOINT), def.trnid[0] = I(0), def.trnid[1] = I(-1),
         def.dyntype = (tacDynType)I(TAC_DYN_NONE), def.gaintype = (tacGainType)I(0), def.biastype = (tacBiasType)I(0),
         def.actdim = N(0)),
        tac_model_add_actuator(P(b), P(&def)));
}
CASE(tac_model_add_equality) {
    ADD(tacEqualityDef, tac_default_equality,
        (def.type = (tacEqualityType)I(TAC_EQ_CONNECT), def.objkind = (tacKind)I(TAC_KIND_BODY), def.obj[0] = I(1),
         def.obj[1] = I(0)),
        tac_model_add_equality(P(b), P(&def)));
}
CASE(tac_model_add_pair) {
    ADD(tacPairDef, tac_default_pair, (def.geom[0] = I(0), def.geom[1] = I(0)), tac_model_add_pair(P(b), P(&def)));
}
CASE(tac_model_add_exclude) {
    ADD(tacKeyDef, tac_default_key, (void)def, tac_model_add_exclude(P(b), P("none"), I(0), I(1)));
}
CASE(tac_model_add_key) {
    static const double q[1] = {0.1};
    ADD(tacKeyDef, tac_default_key, (def.qpos = P(q), def.qvel = P(q)), tac_model_add_key(P(b), P(&def)));
}
CASE(tac_model_add_sensor) {
    ADD(tacKeyDef, tac_default_key, (void)def, tac_model_add_sensor(P(b), P("touch"), P("finger")));
}
CASE(tac_model_set_option) {
    ADD(tacOptionDef, tac_default_option,
        (def.timestep = D(0.1), def.integrator = I(0), def.cone = I(0), def.solver = I(0), def.iterations = I(10)),
        tac_model_set_option(P(b), P(&def)));
}
CASE(tac_model_finish) {
    tacBuilder *b = tac_model_begin();
    MADE(tac_model_finish(P(b), P(&w.made), P(&w.err)));
    tac_builder_free(b);
}
CASE(tac_builder_free) { tac_builder_free(NULL); }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
CASE(tac_model_abandon) { tac_model_abandon(NULL); }
#pragma GCC diagnostic pop
CASE(tac_model_edit) {
    tacBuilder *b = NULL;
    STATUS(tac_model_edit(P(w.m), P(&b), P(&w.err)));
    tac_builder_free(b);
}
CASE(tac_builder_find) { w.n = tac_builder_find(P(w.b), (tacKind)I(TAC_KIND_BODY), P("world")); }
CASE(tac_builder_count) { w.n = tac_builder_count(P(w.b), (tacKind)I(TAC_KIND_BODY)); }
CASE(tac_builder_option) {
    tacOptionDef def;
    STATUS(tac_builder_option(P(w.b), P(&def)));
}
CASE(tac_model_remove) {
    ADD(tacKeyDef, tac_default_key, (void)def,
        STATUS(tac_model_remove(P(b), (tacKind)I(TAC_KIND_GEOM), I(0), P(&w.err))));
}
CASE(tac_model_attach) {
    ADD(tacAttachDef, tac_default_attach, (def.prefix = P("a_"), def.body = I(0), def.pos.x = D(1), def.quat.w = D(1)),
        STATUS(tac_model_attach(P(b), I(0), P(w.m), P(&def), P(&w.err))));
}

/* --- A model ------------------------------------------------------------------------------------------------------ */

CASE(tac_model_free) { tac_model_free(NULL); }
CASE(tac_model_copy) { MADE(tac_model_copy(P(w.m), P(&w.made), P(&w.err))); }
CASE(tac_model_pack_bytes) { SIZE(tac_model_pack_bytes(P(w.m))); }
CASE(tac_model_pack) {
    size_t bytes = tac_model_pack_bytes(w.m);
    void *block = malloc(bytes);
    STATUS(tac_model_pack(P(w.m), P(block), (size_t)I(0) + bytes < bytes ? 0 : bytes, P(&w.err)));
    free(block);
}
CASE(tac_model_unpack) {
    size_t bytes = tac_model_pack_bytes(w.m);
    void *block = malloc(bytes);
    STATUS(tac_model_pack(w.m, block, bytes, NULL));
    MADE(tac_model_unpack(P(block), bytes, P(&w.made), P(&w.err)));
    free(block);
}
CASE(tac_model_hash) { tac_model_hash(P(w.m)); }
CASE(tac_model_find) { w.n = tac_model_find(P(w.m), (tacKind)I(TAC_KIND_SITE), P("site0")); }
CASE(tac_model_name) { TEXT(tac_model_name(P(w.m), (tacKind)I(TAC_KIND_SITE), I(0))); }
CASE(tac_model_label) { TEXT(tac_model_label(P(w.m), (tacKind)I(TAC_KIND_SITE), I(0), P(w.text), sizeof w.text)); }
CASE(tac_model_count) { w.n = tac_model_count(P(w.m), (tacKind)I(TAC_KIND_SITE)); }
CASE(tac_key_state) { STATUS(tac_key_state(P(w.m), O(&w.options), I(0), P(w.y), P(w.z), P(&w.err))); }
CASE(tac_param_count) { w.n = tac_param_count(P(w.m)); }
CASE(tac_param_path) { STATUS(tac_param_path(P(w.m), I(0), P(w.text), sizeof w.text)); }
CASE(tac_param_get) { STATUS(tac_param_get(P(w.m), P("body/arm.mass"), P(&w.value), P(&w.err))); }
CASE(tac_param_set) { STATUS(tac_param_set(P(w.m), P("geom/rod.density"), D(1000), P(&w.err))); }
CASE(tac_param_register) {
    tacModel *m = box_on_floor(TAC_INTEGRATOR_EULER);
    STATUS(tac_param_register(P(m), P("geom/rod.density"), P(&w.n), P(&w.err)));
    tac_model_free(m);
}
CASE(tac_param_register_group) {
    tacModel *m = box_on_floor(TAC_INTEGRATOR_EULER);
    const char *const paths[] = {P("geom/box.friction[0]"), P("geom/floor.friction[0]")};
    STATUS(tac_param_register_group(P(m), P(paths), N(2), P(&w.n), P(&w.err)));
    tac_model_free(m);
}
CASE(tac_param_registered) { STATUS(tac_param_registered(P(w.m), I(0), I(0), P(w.text), sizeof w.text)); }

/* --- Simulations -------------------------------------------------------------------------------------------------- */

CASE(tac_default_options) {
    const tacModel *m = P(w.m);
    tacOptions options = tac_default_options(m);
    CHECK_INT(tac_sim_bytes(w.m, &options) > 0, m != NULL); /* options of no model are none */
}
CASE(tac_option_info) { CHECK(tac_option_info(I(-1)) == NULL || tac_option_info(I(0))->name != NULL); }
CASE(tac_option_set) {
    tacOptions options = w.options;
    STATUS(tac_option_set(P(&options), P("contact"), P("lcp"), P(&w.err)));
}
CASE(tac_sim_bytes) { SIZE(tac_sim_bytes(P(w.m), O(&w.options))); }
CASE(tac_sim_create) {
    size_t bytes = tac_sim_bytes(w.m, &w.options);
    void *block = aligned_alloc(64, bytes);
    STATUS(tac_sim_create(P(w.m), O(&w.options), P(block), bytes, P(&w.made_sim), P(&w.err)));
    free(block);
    w.made_sim = NULL;
}
CASE(tac_sim_new) {
    STATUS(tac_sim_new(P(w.m), O(&w.options), P(&w.made_sim), P(&w.err)));
    tac_sim_free(w.made_sim);
    w.made_sim = NULL;
}
CASE(tac_sim_free) { tac_sim_free(NULL); }
CASE(tac_sim_options) { STATUS(tac_sim_options(P(w.sim), P(&(tacOptions){0}))); }
CASE(tac_sim_error) { TEXT(tac_sim_error(P(w.sim))); }
CASE(tac_nx) { w.n = tac_nx(P(w.m)); }
CASE(tac_ndx) { w.n = tac_ndx(P(w.m)); }
CASE(tac_ninput) { w.n = tac_ninput(P(w.m), O(&w.options)); }
CASE(tac_sim_peak) { SIZE(tac_sim_peak(P(w.sim))); }
CASE(tac_sim_get_params) { STATUS(tac_sim_get_params(P(w.sim), P(w.y))); }
CASE(tac_sim_set_gradient_kappa) { STATUS(tac_sim_set_gradient_kappa(P(w.sim), D(1e-4))); }
CASE(tac_sim_set_params) {
    STATUS(tac_sim_get_params(w.sim, w.y));
    STATUS(tac_sim_set_params(P(w.sim), P(w.y)));
}
CASE(tac_default_state) { tac_default_state(P(w.m), P(w.y)); }
CASE(tac_default_input) { tac_default_input(P(w.m), O(&w.options), P(w.y)); }
CASE(tac_input_forces) { w.n = tac_input_forces(P(w.m), O(&w.options), P(w.u)) != NULL; }
CASE(tac_free_twist) { w.n = tac_free_twist(P(w.m), I(0), P(w.y)) != NULL; }
CASE(tac_qpos_add) { tac_qpos_add(P(w.m), P(w.x), P(w.x + BOX_NQ), P(w.y)); }
CASE(tac_qpos_sub) { tac_qpos_sub(P(w.m), P(w.x), P(w.x), P(w.y)); }
CASE(tac_covector_down) { tac_covector_down(P(w.m), P(w.x), P(w.x), P(w.y)); }
CASE(tac_covector_up) { tac_covector_up(P(w.m), P(w.x), P(w.x), P(w.y)); }
CASE(tac_step) { STATUS(tac_step(P(w.sim), P(w.x), P(w.u), P(w.y), P(&w.info))); }
CASE(tac_step_jac) {
    tacJac jac = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_step_jac(P(w.sim), P(w.x), P(w.u), P(w.y), P(&jac), P(&w.info)));
}
CASE(tac_step_vjp) {
    tacGrad grad = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_step_vjp(P(w.sim), P(w.x), P(w.u), P(w.z), P(&grad), P(&w.info)));
}
CASE(tac_step_jvp) { STATUS(tac_step_jvp(P(w.sim), P(w.x), P(w.u), P(w.z), P(w.A), P(w.B), P(w.y), P(&w.info))); }
CASE(tac_rollout_jvp) {
    tacTangent along = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_rollout_jvp(P(w.sim), P(w.x), P(w.u), N(STEPS), P(&along), P(w.y), P(w.z), P(&w.info)));
}
CASE(tac_batch_rollout_jvp) {
    tacTangent along = {NULL, NULL, NULL};
    STATUS(
        tac_batch_rollout_jvp(P(w.m), O(&w.options), N(1), N(STEPS), P(w.x), P(w.u), P(&along), P(w.y), P(w.z), I(1)));
}
CASE(tac_batch_step_jvp) {
    tacTangent along = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_batch_step_jvp(P(w.m), O(&w.options), N(1), P(w.x), P(w.u), P(&along), P(w.y), I(1)));
}
CASE(tac_rollout) { STATUS(tac_rollout(P(w.sim), P(w.x), P(w.u), N(STEPS), P(w.y), P(&w.info))); }

static tacTrajectory broken_path(int n) { return (tacTrajectory){N(n), P(w.x), P(w.u), P(NULL), P(w.z), P(w.z)}; }
CASE(tac_rollout_vjp) {
    tacTrajectory path = broken_path(STEPS);
    tacGrad grad = {P(w.A), P(w.B), P(w.C)};
    tacCheckpoints memory = {I(1), P(w.memory), tac_rollout_vjp_bytes(w.m, STEPS, 1)};
    STATUS(tac_rollout_vjp(P(w.sim), P(&path), P(&memory), P(&grad), P(&w.info)));
}
CASE(tac_rollout_vjp_bytes) { SIZE(tac_rollout_vjp_bytes(P(w.m), I(STEPS), I(1))); }
CASE(tac_batch_step) { STATUS(tac_batch_step(P(w.m), O(&w.options), N(1), P(w.x), P(w.u), P(w.y), I(1))); }
CASE(tac_batch_rollout) {
    memcpy(w.y, w.x, sizeof w.x);
    STATUS(tac_batch_rollout(P(w.m), O(&w.options), N(1), N(STEPS), P(w.y), P(w.u), I(1)));
}
CASE(tac_batch_step_jac) {
    tacJac jac = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_batch_step_jac(P(w.m), O(&w.options), N(1), P(w.x), P(w.u), P(w.y), P(&jac), I(1)));
}
CASE(tac_batch_step_vjp) {
    tacGrad grad = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_batch_step_vjp(P(w.m), O(&w.options), N(1), P(w.x), P(w.u), P(w.z), P(&grad), I(1)));
}
CASE(tac_batch_rollout_vjp) {
    tacTrajectory path = broken_path(STEPS);
    tacGrad grad = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_batch_rollout_vjp(P(w.m), O(&w.options), N(1), P(&path), I(1), P(&grad), I(1)));
}

/* --- batch.h ------------------------------------------------------------------------------------------------------ */

CASE(tac_default_batch_options) { tac_default_batch_options(); }
CASE(tac_batch_new) {
    tacBatchOptions own = tac_default_batch_options();
    own.worlds = N(1);
    own.threads = N(1);
    own.chunk = I(0);
    own.steps = N(STEPS);
    own.checkpoints = N(1);
    STATUS(tac_batch_new(P(w.m), O(&w.options), P(&own), P(&w.made_batch), P(&w.err)));
    tac_batch_free(w.made_batch);
    w.made_batch = NULL;
}
CASE(tac_batch_free) { tac_batch_free(NULL); }
CASE(tac_batch_threads) { w.n = tac_batch_threads(P(w.batch)); }
CASE(tac_batch_set_params) {
    tac_sim_get_params(w.sim, w.z);
    STATUS(tac_batch_set_params(P(w.batch), P(w.z)));
}
CASE(tac_batch_active) {
    static const unsigned char mask[1] = {1};
    STATUS(tac_batch_active(P(w.batch), P(mask)));
}
CASE(tac_batch_set_policy) { STATUS(tac_batch_set_policy(P(w.batch), NULL, P(w.text))); }
CASE(tac_batch_run_step) { STATUS(tac_batch_run_step(P(w.batch), P(w.x), P(w.u), P(w.y), P(w.status))); }
CASE(tac_batch_run_jac) {
    tacJac jac = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_batch_run_jac(P(w.batch), P(w.x), P(w.u), P(w.y), P(&jac), P(w.status)));
}
CASE(tac_batch_run_jvp) {
    tacTangent along = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_batch_run_jvp(P(w.batch), P(w.x), P(w.u), P(&along), P(w.y), P(w.status)));
}
CASE(tac_batch_run_rollout_jvp) {
    tacTangent along = {NULL, NULL, NULL};
    STATUS(tac_batch_run_rollout_jvp(P(w.batch), N(STEPS), P(w.x), P(w.u), P(&along), P(w.y), P(w.z), P(w.status)));
}
CASE(tac_batch_run_vjp) {
    tacGrad grad = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_batch_run_vjp(P(w.batch), P(w.x), P(w.u), P(w.z), P(&grad), P(w.status)));
}
CASE(tac_batch_run_rollout) {
    memcpy(w.y, w.x, sizeof w.x);
    STATUS(tac_batch_run_rollout(P(w.batch), N(STEPS), P(w.y), P(w.u), P(w.status)));
}
CASE(tac_batch_run_rollout_vjp) {
    tacTrajectory path = broken_path(STEPS);
    tacGrad grad = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_batch_run_rollout_vjp(P(w.batch), P(&path), P(&grad), P(w.status)));
}

/* --- Quantities --------------------------------------------------------------------------------------------------- */

#define V (w.x + BOX_NQ)
CASE(tac_kinematics) {
    tacKinematics out = {.xpos = P(w.y), .subtree_com = P(w.z)};
    STATUS(tac_kinematics(P(w.sim), P(w.x), P(w.u), P(&out)));
}
CASE(tac_body_velocity) { STATUS(tac_body_velocity(P(w.sim), P(w.x), P(V), P(w.y))); }
CASE(tac_point_jacobian) { STATUS(tac_point_jacobian(P(w.sim), P(w.x), I(1), (tacVec3){D(1), 0, 0}, P(w.y), P(w.z))); }
CASE(tac_frame_jacobian) {
    STATUS(tac_frame_jacobian(P(w.sim), P(w.x), (tacKind)I(TAC_KIND_SITE), I(0), P(w.y), P(w.z)));
}
CASE(tac_mass_matrix) { STATUS(tac_mass_matrix(P(w.sim), P(w.x), P(w.y))); }
CASE(tac_mass_solve) { STATUS(tac_mass_solve(P(w.sim), P(w.x), P(V), P(w.y))); }
CASE(tac_bias) { STATUS(tac_bias(P(w.sim), P(w.x), P(V), P(w.y))); }
CASE(tac_inverse_dynamics) { STATUS(tac_inverse_dynamics(P(w.sim), P(w.x), P(V), P(V), P(w.y))); }
CASE(tac_forward_dynamics) { STATUS(tac_forward_dynamics(P(w.sim), P(w.x), P(V), P(V), P(w.y))); }
CASE(tac_inverse_dynamics_jac) {
    tacInverseJac jac = {P(w.y), P(w.A), P(w.B), P(w.C)};
    STATUS(tac_inverse_dynamics_jac(P(w.sim), P(w.x), P(V), P(V), P(&jac)));
}
CASE(tac_forward_dynamics_jac) {
    tacForwardJac jac = {P(w.y), P(w.A), P(w.B), P(w.C)};
    STATUS(tac_forward_dynamics_jac(P(w.sim), P(w.x), P(V), P(V), P(&jac)));
}
CASE(tac_inertial_regressor) { STATUS(tac_inertial_regressor(P(w.sim), P(w.x), P(V), P(V), P(w.A))); }
CASE(tac_inertial_params) { STATUS(tac_inertial_params(P(w.sim), P(w.y))); }
CASE(tac_momentum_matrix) { STATUS(tac_momentum_matrix(P(w.sim), P(w.x), P(w.A))); }
CASE(tac_frame_bias) {
    tacVec6 bias;
    STATUS(tac_frame_bias(P(w.sim), P(w.x), P(V), (tacKind)I(TAC_KIND_BODY), I(1), P(&bias)));
}
CASE(tac_passive) { STATUS(tac_passive(P(w.sim), P(w.x), P(V), P(w.y))); }
CASE(tac_actuation) {
    tacActuation out = {.length = P(w.y), .moment = P(w.z)};
    STATUS(tac_actuation(P(w.sim), P(w.x), P(w.u), P(&out)));
}
CASE(tac_tendons) { STATUS(tac_tendons(P(w.sim), P(w.x), P(V), P(w.y), P(w.z))); }
CASE(tac_acceleration) { STATUS(tac_acceleration(P(w.sim), P(w.x), P(w.u), P(w.y))); }
CASE(tac_energy) { STATUS(tac_energy(P(w.sim), P(w.x), P(V), P(w.y))); }
CASE(tac_momentum) { STATUS(tac_momentum(P(w.sim), P(w.x), P(V), P(w.y))); }

/* --- Maximal coordinates ------------------------------------------------------------------------------------------ */

CASE(tac_to_maximal) {
    tacMaximal z = {D(0), P(w.y), P(w.z)};
    tacJac jac = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_to_maximal(P(w.sim), P(w.x), P(w.u), P(&z), P(&jac)));
}
CASE(tac_to_minimal) {
    STATUS(tac_to_maximal(w.sim, w.x, w.u, &(tacMaximal){0, w.y, w.z}, NULL));
    tacMaximal z = {D(0), P(w.y), P(w.z)};
    tacMinimal out = {.q = P(w.A), .v = P(w.B), .jac = P(w.C)};
    memcpy(w.A, w.x, sizeof w.x);
    STATUS(tac_to_minimal(P(w.sim), P(&z), P(&out)));
}
CASE(tac_step_maximal_jac) {
    tacMaximalStep step = {D(0), P(w.y), P(w.A), P(w.B), P(w.C), P(w.memory), tac_step_maximal_bytes(w.m, &w.options)};
    STATUS(tac_step_maximal_jac(P(w.sim), P(w.x), P(w.u), P(&step), P(&w.info)));
}
CASE(tac_step_maximal_bytes) { SIZE(tac_step_maximal_bytes(P(w.m), O(&w.options))); }
CASE(tac_step_maximal_jvp) {
    tacMaximalTangent along = {D(0), P(w.A), P(w.B), P(w.C)};
    STATUS(tac_step_maximal_jvp(P(w.sim), P(w.x), P(w.u), P(&along), P(w.y), P(&w.info)));
}
CASE(tac_step_maximal_vjp) {
    tacMaximalGrad grad = {D(0), P(NULL), P(w.A), P(w.B), P(w.C)};
    STATUS(tac_step_maximal_vjp(P(w.sim), P(w.x), P(w.u), P(w.z), P(&grad), P(&w.info)));
}

/* --- Outputs, contacts -------------------------------------------------------------------------------------------- */

/* A list with one id that is broken. */
static const tacOutputs *outputs(void) {
    static tacOutput list[3];
    static tacOutputs all;
    memcpy(list, LIST, sizeof list);
    list[2].id2 = I(LIST[2].id2);
    list[1].kind = (tacOutputKind)I(LIST[1].kind), list[1].id = I(LIST[1].id);
    all = (tacOutputs){N(3), P(list)};
    return P(&all);
}
CASE(tac_outputs_size) { w.n = tac_outputs_size(P(w.m), outputs()); }
CASE(tac_batch_run_outputs) {
    STATUS(tac_batch_run_outputs(P(w.batch), P(w.x), P(w.u), outputs(), P(w.z), P(w.status)));
}
CASE(tac_outputs) { STATUS(tac_outputs(P(w.sim), P(w.x), P(w.u), outputs(), P(w.y))); }
CASE(tac_outputs_jac) {
    tacJac jac = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_outputs_jac(P(w.sim), P(w.x), P(w.u), outputs(), P(w.y), P(&jac)));
}
CASE(tac_outputs_vjp) {
    tacGrad grad = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_outputs_vjp(P(w.sim), P(w.x), P(w.u), outputs(), P(w.z), P(&grad)));
}
CASE(tac_outputs_jvp) {
    tacTangent along = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_outputs_jvp(P(w.sim), P(w.x), P(w.u), outputs(), P(&along), P(w.z)));
}
CASE(tac_max_contacts) { w.n = tac_max_contacts(P(w.m)); }
CASE(tac_contacts) { STATUS(tac_contacts(P(w.sim), P(w.x), P(w.u), P(w.contact), N(MOST_CONTACTS), P(&w.n))); }
CASE(tac_step_contacts) { STATUS(tac_step_contacts(P(w.sim), P(w.x), P(w.u), P(w.force), N(MOST_CONTACTS), P(&w.n))); }
CASE(tac_step_contacts_jac) {
    tacJac jac = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_step_contacts_jac(P(w.sim), P(w.x), P(w.u), P(&jac), N(8), P(&w.n)));
}
CASE(tac_step_constraints) {
    STATUS(tac_step_constraints(P(w.sim), P(w.x), P(w.u), P(w.constraint), N(MOST_CONTACTS), P(&w.n)));
}
CASE(tac_explain_step) { STATUS(tac_explain_step(P(w.sim), P(w.x), P(w.u), P(w.text), sizeof w.text)); }
CASE(tac_step_history) {
    STATUS(tac_step_history(P(w.sim), P(w.x), P(w.u), P(w.iteration), N(MOST_CONTACTS), P(&w.n)));
}
CASE(tac_default_ray) { tac_default_ray(); }
CASE(tac_ray) {
    tacRay ray = tac_default_ray();
    ray.from.z = D(1), ray.along.x = D(0), ray.excluded_body = I(-1), ray.ddist_dq = P(w.y);
    STATUS(tac_ray(P(w.sim), P(w.x), P(w.u), P(&ray)));
}
CASE(tac_geom_distance) { STATUS(tac_geom_distance(P(w.sim), P(w.x), P(w.u), I(0), I(1), P(w.contact))); }

CASE(tac_geom_growth) {
    static tacGrowth g;
    STATUS(tac_geom_growth(P(w.sim), P(w.x), P(w.u), I(0), I(1), D(0.01), P(&g)));
}
CASE(tac_body_growth) {
    static tacGrowth g;
    STATUS(tac_body_growth(P(w.sim), P(w.x), P(w.u), I(0), I(1), D(0.01), P(&g)));
}

static tacGrowth *growing(void) {
    static tacGrowth g;
    g.geom[0] = I(0), g.geom[1] = I(1), g.kappa = D(0.01);
    return P(&g);
}
CASE(tac_growth_jac) {
    tacGrowthJac jac = {.q = P(w.A), .u = P(w.B), .theta = P(w.C)};
    STATUS(tac_growth_jac(P(w.sim), P(w.x), P(w.u), growing(), P(&jac)));
}
CASE(tac_growth_vjp) {
    tacGrowthGrad grad = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_growth_vjp(P(w.sim), P(w.x), P(w.u), growing(), P(w.z), P(&grad)));
}

static tacContact *touching(void) {
    static tacContact c;
    STATUS(tac_geom_distance(w.sim, w.x, w.u, 0, 1, &c));
    c.geom[0] = I(c.geom[0]), c.geom[1] = I(c.geom[1]);
    return P(&c);
}
CASE(tac_contact_jac) {
    tacContactJac jac = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_contact_jac(P(w.sim), P(w.x), P(w.u), touching(), P(&jac)));
}
CASE(tac_contact_jvp) {
    tacTangent along = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_contact_jvp(P(w.sim), P(w.x), P(w.u), touching(), P(&along), P(w.y)));
}
CASE(tac_contact_vjp) {
    tacContactGrad grad = {P(w.A), P(w.B), P(w.C)};
    STATUS(tac_contact_vjp(P(w.sim), P(w.x), P(w.u), touching(), P(w.z), P(&grad)));
}
CASE(tac_project_state) {
    tacProjection out = {.tolerance = D(1e-6), .memory = P(w.memory), .bytes = tac_project_bytes(w.m, &w.options)};
    STATUS(tac_project_state(P(w.sim), P(w.x), P(w.u), P(w.y), P(&out)));
}
CASE(tac_project_bytes) { SIZE(tac_project_bytes(P(w.m), O(&w.options))); }
CASE(tac_first_impact) {
    static tacImpactPair pair[4];
    tacImpact out = {.gap = D(0), .max_pairs = N(4), .pair = P(pair), .dtime_dq = P(w.y), .dtime_dv = P(w.z)};
    STATUS(tac_first_impact(P(w.sim), P(w.x), P(V), P(w.u), D(0.1), P(&out)));
}

/* --- All of them -------------------------------------------------------------------------------------------------- */

#define CALL(name)                                                                                                     \
    { #name, call_##name }
static const struct {
    const char *name;
    void (*call)(void);
} CALLS[] = {CALL(tac_status_text),
             CALL(tac_kind_text),
             CALL(tac_reason_text),
             CALL(tac_contact_text),
             CALL(tac_version),
             CALL(tac_problem_bytes),
             CALL(tac_problem_solve),
             CALL(tac_default_ode_options),
             CALL(tac_ode_bytes),
             CALL(tac_ode_solve),
             CALL(tac_ode_jac),
             CALL(tac_ode_jvp),
             CALL(tac_ode_vjp),
             CALL(tac_random_bits),
             CALL(tac_random_uniform),
             CALL(tac_random_normal),
             CALL(tac_hash),
             CALL(tac_default_load_options),
             CALL(tac_report_name),
             CALL(tac_report_ignored_count),
             CALL(tac_report_ignored),
             CALL(tac_report_warning_count),
             CALL(tac_report_warning),
             CALL(tac_report_free),
             CALL(tac_load),
             CALL(tac_load_with),
             CALL(tac_save),
             CALL(tac_default_page),
             CALL(tac_page_text),
             CALL(tac_write_page),
             CALL(tac_default_chain),
             CALL(tac_chain_model),
             CALL(tac_chain_build),
             CALL(tac_random_model),
             CALL(tac_default_body),
             CALL(tac_default_joint),
             CALL(tac_default_geom),
             CALL(tac_default_mesh),
             CALL(tac_default_site),
             CALL(tac_default_tendon),
             CALL(tac_default_actuator),
             CALL(tac_default_equality),
             CALL(tac_default_pair),
             CALL(tac_default_key),
             CALL(tac_default_option),
             CALL(tac_model_begin),
             CALL(tac_model_add_body),
             CALL(tac_model_add_joint),
             CALL(tac_model_add_geom),
             CALL(tac_model_add_mesh),
             CALL(tac_model_add_mesh_faces),
             CALL(tac_model_add_site),
             CALL(tac_model_add_tendon),
             CALL(tac_model_add_actuator),
             CALL(tac_model_add_equality),
             CALL(tac_model_add_pair),
             CALL(tac_model_add_exclude),
             CALL(tac_model_add_key),
             CALL(tac_model_add_sensor),
             CALL(tac_model_set_option),
             CALL(tac_model_finish),
             CALL(tac_builder_free),
             CALL(tac_model_abandon),
             CALL(tac_default_attach),
             CALL(tac_model_edit),
             CALL(tac_builder_find),
             CALL(tac_builder_count),
             CALL(tac_builder_option),
             CALL(tac_model_remove),
             CALL(tac_model_attach),
             CALL(tac_model_free),
             CALL(tac_model_copy),
             CALL(tac_model_pack_bytes),
             CALL(tac_model_pack),
             CALL(tac_model_unpack),
             CALL(tac_model_hash),
             CALL(tac_model_find),
             CALL(tac_model_name),
             CALL(tac_model_label),
             CALL(tac_model_count),
             CALL(tac_key_state),
             CALL(tac_param_count),
             CALL(tac_param_path),
             CALL(tac_param_get),
             CALL(tac_param_set),
             CALL(tac_param_register),
             CALL(tac_param_register_group),
             CALL(tac_param_registered),
             CALL(tac_default_options),
             CALL(tac_option_info),
             CALL(tac_option_set),
             CALL(tac_sim_bytes),
             CALL(tac_sim_create),
             CALL(tac_sim_new),
             CALL(tac_sim_free),
             CALL(tac_sim_options),
             CALL(tac_sim_error),
             CALL(tac_nx),
             CALL(tac_ndx),
             CALL(tac_ninput),
             CALL(tac_sim_peak),
             CALL(tac_sim_get_params),
             CALL(tac_sim_set_gradient_kappa),
             CALL(tac_sim_set_params),
             CALL(tac_default_state),
             CALL(tac_default_input),
             CALL(tac_input_forces),
             CALL(tac_free_twist),
             CALL(tac_qpos_add),
             CALL(tac_qpos_sub),
             CALL(tac_covector_down),
             CALL(tac_covector_up),
             CALL(tac_step),
             CALL(tac_step_jac),
             CALL(tac_step_vjp),
             CALL(tac_step_jvp),
             CALL(tac_rollout),
             CALL(tac_rollout_vjp),
             CALL(tac_rollout_jvp),
             CALL(tac_rollout_vjp_bytes),
             CALL(tac_batch_step),
             CALL(tac_batch_rollout),
             CALL(tac_batch_step_jac),
             CALL(tac_batch_step_vjp),
             CALL(tac_batch_step_jvp),
             CALL(tac_batch_rollout_jvp),
             CALL(tac_batch_rollout_vjp),
             CALL(tac_default_batch_options),
             CALL(tac_batch_new),
             CALL(tac_batch_free),
             CALL(tac_batch_threads),
             CALL(tac_batch_set_params),
             CALL(tac_batch_active),
             CALL(tac_batch_set_policy),
             CALL(tac_batch_run_step),
             CALL(tac_batch_run_jac),
             CALL(tac_batch_run_jvp),
             CALL(tac_batch_run_rollout_jvp),
             CALL(tac_batch_run_vjp),
             CALL(tac_batch_run_rollout),
             CALL(tac_batch_run_rollout_vjp),
             CALL(tac_batch_run_outputs),
             CALL(tac_kinematics),
             CALL(tac_body_velocity),
             CALL(tac_point_jacobian),
             CALL(tac_frame_jacobian),
             CALL(tac_mass_matrix),
             CALL(tac_mass_solve),
             CALL(tac_bias),
             CALL(tac_inverse_dynamics),
             CALL(tac_forward_dynamics),
             CALL(tac_inverse_dynamics_jac),
             CALL(tac_forward_dynamics_jac),
             CALL(tac_inertial_regressor),
             CALL(tac_inertial_params),
             CALL(tac_momentum_matrix),
             CALL(tac_frame_bias),
             CALL(tac_passive),
             CALL(tac_actuation),
             CALL(tac_tendons),
             CALL(tac_acceleration),
             CALL(tac_energy),
             CALL(tac_momentum),
             CALL(tac_to_maximal),
             CALL(tac_to_minimal),
             CALL(tac_step_maximal_jac),
             CALL(tac_step_maximal_bytes),
             CALL(tac_step_maximal_jvp),
             CALL(tac_step_maximal_vjp),
             CALL(tac_outputs_size),
             CALL(tac_outputs),
             CALL(tac_outputs_jac),
             CALL(tac_outputs_vjp),
             CALL(tac_outputs_jvp),
             CALL(tac_max_contacts),
             CALL(tac_contacts),
             CALL(tac_step_contacts),
             CALL(tac_step_contacts_jac),
             CALL(tac_step_constraints),
             CALL(tac_explain_step),
             CALL(tac_step_history),
             CALL(tac_geom_distance),
             CALL(tac_geom_growth),
             CALL(tac_body_growth),
             CALL(tac_growth_jac),
             CALL(tac_growth_vjp),
             CALL(tac_default_ray),
             CALL(tac_ray),
             CALL(tac_contact_jac),
             CALL(tac_contact_jvp),
             CALL(tac_contact_vjp),
             CALL(tac_project_state),
             CALL(tac_project_bytes),
             CALL(tac_first_impact)};
enum { NCALLS = sizeof CALLS / sizeof *CALLS };

static void open_world(tacContactModel contact) {
    tacError err;
    w.m = box_on_floor(TAC_INTEGRATOR_EULER);
    CHECK_INT(tac_param_register(w.m, "geom/box.size[0]", NULL, NULL), TAC_OK);
    w.options = tac_default_options(w.m), w.options.contact = contact;
    if (tac_sim_new(w.m, &w.options, &w.sim, &err) != TAC_OK) fail_msg("%s", err.text);
    tacBatchOptions own = tac_default_batch_options();
    own.steps = STEPS;
    if (tac_batch_new(w.m, &w.options, &own, &w.batch, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_key_state(w.m, &w.options, 0, w.x, NULL, NULL);
    tacModel *loaded = NULL;
    CHECK_INT(tac_load_with("models/box.xml", NULL, &loaded, &w.report, NULL), TAC_OK);
    tac_model_free(loaded);
    size_t need = tac_project_bytes(w.m, &w.options), other = tac_step_maximal_bytes(w.m, &w.options);
    w.memory = aligned_alloc(64, (need > other ? need : other) + (1 << 16));
}

static void close_world(void) {
    free(w.memory);
    tac_report_free(w.report);
    tac_batch_free(w.batch);
    tac_sim_free(w.sim);
    tac_model_free(w.m);
}

/* Whatever one call was told, the next that is told the truth goes well. */
static void check_alive(const char *name) {
    if (tac_step(w.sim, w.x, w.u, w.y, NULL) != TAC_OK) fail_msg("after %s: %s", name, tac_sim_error(w.sim));
}

static void test_every_function(void **state) {
    (void)state;
    const tacContactModel contacts[] = {TAC_CONTACT_MODEL_NONE, TAC_CONTACT_MODEL_LCP, TAC_CONTACT_MODEL_NCP,
                                        TAC_CONTACT_MODEL_SOFT};
    int calls = 0;
    for (int c = 0; c < 4; c++) {
        open_world(contacts[c]);
        for (int i = 0; i < NCALLS; i++)
            for (int turn = 0, more = 1; more; turn++)
                for (int way = 0; way < BREAKS; way++, calls++) {
                    run.slot = 0, run.turn = turn, run.way = way, run.broke = 0;
                    CALLS[i].call();
                    more = run.broke;
                    if (!more) break; /* nothing was left to be broken: the call was a good one */
                }
        for (int i = 0; i < NCALLS; i++)
            check_alive(CALLS[i].name);
        close_world();
    }
    print_message("%d functions, %d calls\n", NCALLS, calls);
}

/* The table has every function that the headers have. */
static void test_table_is_complete(void **state) {
    (void)state;
    const char *const headers[] = {"tactus.h", "batch.h",   "io.h",      "problem.h", "ode.h",
                                   "status.h", "options.h", "contact.h", "types.h"};
    int found = 0;
    for (size_t h = 0; h < sizeof headers / sizeof *headers; h++) {
        char path[64], line[512], name[128];
        snprintf(path, sizeof path, "include/tactus/%s", headers[h]);
        FILE *file = fopen(path, "r");
        CHECK(file != NULL);
        while (fgets(line, sizeof line, file) != NULL) {
            char *at = strncmp(line, "TAC_API ", 8) == 0 ? strstr(line, "tac_") : NULL;
            if (at == NULL || sscanf(at, "%127[a-z0-9_](", name) != 1) continue;
            int i = 0;
            while (i < NCALLS && strcmp(CALLS[i].name, name) != 0)
                i++;
            if (i == NCALLS) fail_msg("%s has %s, which is not in the table", headers[h], name);
            found++;
        }
        fclose(file);
    }
    CHECK_INT(found, NCALLS);
}

/* More contacts than an int can count the rows of are refused, whatever the contact model. */
static void test_too_many_contacts(void **state) {
    (void)state;
    tacModel *m = box_on_floor(TAC_INTEGRATOR_EULER);
    tacOptions options = tac_default_options(m);
    for (int contact = TAC_CONTACT_MODEL_NONE; contact <= TAC_CONTACT_MODEL_SOFT; contact++) {
        tacSim *sim = NULL;
        options.contact = (tacContactModel)contact;
        options.max_contacts = INT_MAX;
        CHECK_INT(tac_sim_bytes(m, &options), 0);
        CHECK_INT(tac_sim_new(m, &options, &sim, NULL), TAC_ERR_ARGUMENT);
        CHECK(sim == NULL);
    }
    tac_model_free(m);
}

/* Parameters that are registered after a simulation was made are none of its own. */
static void test_registered_later(void **state) {
    (void)state;
    const char *const paths[] = {"geom/box.density", "geom/rod.density", "geom/box.friction[0]"};
    for (int before = 0; before < 2; before++) {
        tacModel *m = box_on_floor(TAC_INTEGRATOR_EULER);
        if (before) CHECK_INT(tac_param_register(m, paths[0], NULL, NULL), TAC_OK);
        tacOptions options = tac_default_options(m);
        tacSim *sim = NULL;
        double x[BOX_NX], u[1] = {0}, P0[2 * BOX_NDX], P1[2 * BOX_NDX];
        options.contact = TAC_CONTACT_MODEL_SOFT;
        CHECK_INT(tac_sim_new(m, &options, &sim, NULL), TAC_OK);
        CHECK_INT(tac_key_state(m, &options, 0, x, NULL, NULL), TAC_OK);
        for (int i = 0; i < 2 * BOX_NDX; i++)
            P0[i] = P1[i] = 7;
        CHECK_INT(tac_step_jac(sim, x, u, NULL, &(tacJac){.P = P0}, NULL), TAC_OK);
        for (int i = 0; i < 3; i++)
            CHECK_INT(tac_param_register(m, paths[i], NULL, NULL), TAC_OK);
        CHECK_INT(tac_step_jac(sim, x, u, NULL, &(tacJac){.P = P1}, NULL), TAC_OK);
        CHECK_INT(memcmp(P0, P1, sizeof P0), 0);
        CHECK(P1[before ? BOX_NDX : 0] == 7); /* as many columns as there were */
        tac_sim_free(sim);
        tac_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_function),
        cmocka_unit_test(test_table_is_complete),
        cmocka_unit_test(test_too_many_contacts),
        cmocka_unit_test(test_registered_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
