/* Quantities of a state: one row each. */
#include "sim.h"

#include <string.h>

#define SIM    tacpy_sim_of(c)->sim
#define Q      tacpy_in(c, 0)
#define V      (tacpy_in(c, 0) + c->self->size[D_NQ])
#define IN(i)  tacpy_in(c, i)
#define OUT(i) tacpy_out(c, i)
#define POSITION                                                                                                       \
    {                                                                                                                  \
        "x", A_POSITION, 0, { 0 }                                                                                      \
    }
#define MOTION                                                                                                         \
    {                                                                                                                  \
        "x", A_MOTION, 0, { 0 }                                                                                        \
    }
#define STATE                                                                                                          \
    {                                                                                                                  \
        "x", A_ARRAY, 0, { D_NX }                                                                                      \
    }
#define INPUT                                                                                                          \
    {                                                                                                                  \
        "u", A_ARRAY, 1, { D_NINPUT }                                                                                  \
    }
#define DOFS(name)                                                                                                     \
    {                                                                                                                  \
        name, A_ARRAY, 0, { D_NV }                                                                                     \
    }
#define FRAME                                                                                                          \
    {"kind", A_KIND, 0, {0}}, {                                                                                        \
        "id", A_ELEMENT, 0, { 0 }                                                                                      \
    }
/* A row without a choice of results. */
#define ROW(row_name, class_name, arguments, results)                                                                  \
    static const tacpyRow row_##row_name = {#row_name, arguments, results, NULL, class_name, 0, 0, run_##row_name};    \
    TACPY_ROW_METHOD(row_name)
#define LIST(...)                                                                                                      \
    { __VA_ARGS__ }

static tacStatus run_kinematics(tacpyCall *c) {
    tacKinematics k = {.xpos = (tacVec3 *)OUT(0),
                       .xipos = (tacVec3 *)OUT(1),
                       .xquat = (tacQuat *)OUT(2),
                       .geom_pos = (tacVec3 *)OUT(3),
                       .geom_mat = (tacMat3 *)OUT(4),
                       .site_pos = (tacVec3 *)OUT(5),
                       .site_mat = (tacMat3 *)OUT(6),
                       .joint_pos = (tacVec3 *)OUT(7),
                       .joint_axis = (tacVec3 *)OUT(8),
                       .subtree_com = (tacVec3 *)OUT(9)};
    return tac_kinematics(SIM, Q, IN(1), &k);
}
ROW(kinematics, "Kinematics", LIST(POSITION, INPUT),
    LIST({"xpos", {D_NBODY, -3}, 0}, {"xipos", {D_NBODY, -3}, 0}, {"xquat", {D_NBODY, -4}, 0},
         {"geom_pos", {D_NGEOM, -3}, 0}, {"geom_mat", {D_NGEOM, -3, -3}, 0}, {"site_pos", {D_NSITE, -3}, 0},
         {"site_mat", {D_NSITE, -3, -3}, 0}, {"joint_pos", {D_NJNT, -3}, 0}, {"joint_axis", {D_NJNT, -3}, 0},
         {"subtree_com", {D_NBODY, -3}, 0}))

static tacStatus run_body_velocity(tacpyCall *c) { return tac_body_velocity(SIM, Q, V, (tacVec6 *)OUT(0)); }
ROW(body_velocity, NULL, LIST(MOTION), LIST({"velocity", {D_NBODY, -6}, 0}))

static tacStatus run_point_jacobian(tacpyCall *c) {
    const double *p = IN(2);
    return tac_point_jacobian(SIM, Q, c->whole[1], (tacVec3){p[0], p[1], p[2]}, OUT(0), OUT(1));
}
ROW(point_jacobian, NULL, LIST(POSITION, {"body", A_ELEMENT, 0, {TAC_KIND_BODY}}, {"point", A_ARRAY, 0, {-3}}),
    LIST({"jacp", {-3, D_NV}, 0}, {"jacr", {-3, D_NV}, 0}))

static tacStatus run_frame_jacobian(tacpyCall *c) {
    return tac_frame_jacobian(SIM, Q, (tacKind)c->whole[1], c->whole[2], OUT(0), OUT(1));
}
ROW(frame_jacobian, NULL, LIST(POSITION, FRAME), LIST({"jacp", {-3, D_NV}, 0}, {"jacr", {-3, D_NV}, 0}))

static tacStatus run_frame_bias(tacpyCall *c) {
    return tac_frame_bias(SIM, Q, V, (tacKind)c->whole[1], c->whole[2], (tacVec6 *)OUT(0));
}
ROW(frame_bias, NULL, LIST(MOTION, FRAME), LIST({"bias", {-6}, 0}))

static tacStatus run_mass_matrix(tacpyCall *c) { return tac_mass_matrix(SIM, Q, OUT(0)); }
ROW(mass_matrix, NULL, LIST(POSITION), LIST({"M", {D_NV, D_NV}, 0}))

static tacStatus run_mass_solve(tacpyCall *c) { return tac_mass_solve(SIM, Q, IN(1), OUT(0)); }
ROW(mass_solve, NULL, LIST(POSITION, DOFS("r")), LIST({"out", {D_NV}, 0}))

static tacStatus run_bias(tacpyCall *c) { return tac_bias(SIM, Q, V, OUT(0)); }
ROW(bias, NULL, LIST(MOTION), LIST({"bias", {D_NV}, 0}))

static tacStatus run_inverse_dynamics(tacpyCall *c) { return tac_inverse_dynamics(SIM, Q, V, IN(1), OUT(0)); }
ROW(inverse_dynamics, NULL, LIST(MOTION, DOFS("a")), LIST({"tau", {D_NV}, 0}))

static tacStatus run_forward_dynamics(tacpyCall *c) { return tac_forward_dynamics(SIM, Q, V, IN(1), OUT(0)); }
ROW(forward_dynamics, NULL, LIST(MOTION, DOFS("tau")), LIST({"a", {D_NV}, 0}))

static tacStatus run_inverse_dynamics_jac(tacpyCall *c) {
    tacInverseJac jac = {OUT(0), OUT(1), OUT(2), OUT(3)};
    return tac_inverse_dynamics_jac(SIM, Q, V, IN(1), &jac);
}
ROW(inverse_dynamics_jac, "InverseJac", LIST(MOTION, DOFS("a")),
    LIST({"tau", {D_NV}, 0}, {"q", {D_NV, D_NV}, 0}, {"v", {D_NV, D_NV}, 0}, {"a", {D_NV, D_NV}, 0}))

static tacStatus run_forward_dynamics_jac(tacpyCall *c) {
    tacForwardJac jac = {OUT(0), OUT(1), OUT(2), OUT(3)};
    return tac_forward_dynamics_jac(SIM, Q, V, IN(1), &jac);
}
ROW(forward_dynamics_jac, "ForwardJac", LIST(MOTION, DOFS("tau")),
    LIST({"a", {D_NV}, 0}, {"q", {D_NV, D_NV}, 0}, {"v", {D_NV, D_NV}, 0}, {"tau", {D_NV, D_NV}, 0}))

static tacStatus run_inertial_regressor(tacpyCall *c) { return tac_inertial_regressor(SIM, Q, V, IN(1), OUT(0)); }
ROW(inertial_regressor, NULL, LIST(MOTION, DOFS("a")), LIST({"Y", {D_NV, D_10NBODY}, 0}))

static tacStatus run_inertial_params(tacpyCall *c) { return tac_inertial_params(SIM, OUT(0)); }
ROW(inertial_params, NULL, LIST({NULL}), LIST({"pi", {D_10NBODY}, 0}))

static tacStatus run_passive(tacpyCall *c) { return tac_passive(SIM, Q, V, OUT(0)); }
ROW(passive, NULL, LIST(MOTION), LIST({"passive", {D_NV}, 0}))

static tacStatus run_actuation(tacpyCall *c) {
    tacActuation a = {OUT(0), OUT(1), OUT(2), OUT(3), OUT(4), OUT(5)};
    return tac_actuation(SIM, IN(0), IN(1), &a);
}
ROW(actuation, "Actuation", LIST(STATE, INPUT),
    LIST({"length", {D_NU}, 0}, {"velocity", {D_NU}, 0}, {"force", {D_NU}, 0}, {"moment", {D_NU, D_NV}, 0},
         {"act_dot", {D_NA}, 0}, {"qfrc", {D_NV}, 0}))

static tacStatus run_tendons(tacpyCall *c) { return tac_tendons(SIM, Q, V, OUT(0), OUT(1)); }
ROW(tendons, NULL, LIST(MOTION), LIST({"length", {D_NTENDON}, 0}, {"velocity", {D_NTENDON}, 0}))

static tacStatus run_acceleration(tacpyCall *c) { return tac_acceleration(SIM, IN(0), IN(1), OUT(0)); }
ROW(acceleration, NULL, LIST(STATE, INPUT), LIST({"qacc", {D_NV}, 0}))

static tacStatus run_momentum(tacpyCall *c) { return tac_momentum(SIM, Q, V, (tacVec6 *)OUT(0)); }
ROW(momentum, NULL, LIST(MOTION), LIST({"momentum", {-6}, 0}))

static tacStatus run_momentum_matrix(tacpyCall *c) { return tac_momentum_matrix(SIM, Q, OUT(0)); }
ROW(momentum_matrix, NULL, LIST(POSITION), LIST({"A", {-6, D_NV}, 0}))

/* --- Energy: a struct --------------------------------------------------------------------------------------------- */

static tacStatus run_energy(tacpyCall *c) {
    tacEnergy *energy = c->extra;
    return tac_energy(SIM, Q, V, energy);
}

static PyObject *finish_energy(tacpyCall *c, PyObject *none) {
    Py_DECREF(none);
    return tacpy_struct(&tacpy_table_tacEnergy, c->extra);
}

static const tacpyRow row_energy = {"energy", {MOTION}, {{NULL}}, NULL, NULL, 0, 0, run_energy};

static PyObject *call_energy(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    tacEnergy energy = {0, 0};
    tacpyCall with = {.finish = finish_energy, .extra = &energy};
    return tacpy_call((tacpyWorlds *)self, &row_energy, args, n, keywords, &with);
}

/* --- Maximal coordinates ------------------------------------------------------------------------------------------ */

static tacStatus run_to_maximal(tacpyCall *c) {
    tacMaximal z = {c->real[2], OUT(0), OUT(1)};
    tacJac jac = {OUT(2), OUT(3), OUT(4)};
    int any = jac.A != NULL || jac.B != NULL || jac.P != NULL;
    return tac_to_maximal(SIM, IN(0), IN(1), &z, any ? &jac : NULL);
}
static const tacpyRow row_to_maximal = {"to_maximal",
                                        {STATE, INPUT, {"span", A_REAL, 1, {0}}},
                                        {{"pose", {D_NBODY, -7}, 0},
                                         {"twist", {D_NBODY, -6}, 0},
                                         {"A", {D_12NBODY, D_NDX}, 'A'},
                                         {"B", {D_12NBODY, D_NINPUT}, 'B'},
                                         {"P", {D_12NBODY, D_NPARAM}, 'P'}},
                                        "",
                                        NULL,
                                        0,
                                        0,
                                        run_to_maximal};
TACPY_ROW_METHOD(to_maximal)

/* The results q, v, jac; then two residuals. q starts where the caller says. */
static tacStatus run_to_minimal(tacpyCall *c) {
    tacMaximal z = {c->real[3], c->in[0].data, c->in[1].data};
    tacMinimal out = {.q = OUT(0), .v = OUT(1), .jac = OUT(2)};
    const tacModel *m = tacpy_sim_model(tacpy_sim_of(c));
    memcpy(out.q, IN(2) != NULL ? IN(2) : m->qpos_0, (size_t)m->nq * sizeof *out.q);
    tacStatus status = tac_to_minimal(SIM, &z, &out);
    OUT(3)[0] = out.pose_residual;
    OUT(3)[1] = out.twist_residual;
    return status;
}
static const tacpyRow row_to_minimal = {
    "to_minimal",
    {{"pose", A_ARRAY, 0, {D_NBODY, -7}},
     {"twist", A_ARRAY, 0, {D_NBODY, -6}},
     {"near", A_POSITION, 1, {0}},
     {"span", A_REAL, 1, {0}}},
    {{"q", {D_NQ}, 0}, {"v", {D_NV}, 0}, {"jac", {D_2NV, D_12NBODY}, 'j'}, {"residual", {-2}, 0}},
    "",
    NULL,
    0,
    0,
    run_to_minimal};
TACPY_ROW_METHOD(to_minimal)

static tacStatus run_step_maximal_jac(tacpyCall *c) {
    tacpySim *s = tacpy_sim_of(c);
    size_t bytes = tac_step_maximal_bytes(tacpy_sim_model(s), &s->worlds.options);
    tacMaximalStep step = {c->real[2], OUT(0), OUT(1), OUT(2), OUT(3), tacpy_sim_memory(s, bytes), bytes};
    return step.memory == NULL ? TAC_ERR_MEMORY : tac_step_maximal_jac(s->sim, IN(0), IN(1), &step, &s->info);
}
static const tacpyRow row_step_maximal_jac = {"step_maximal_jac",
                                              {STATE, INPUT, {"span", A_REAL, 1, {0}}},
                                              {{"y", {D_NX}, 0},
                                               {"A", {D_NMAXIMAL, D_NMAXIMAL}, 'A'},
                                               {"B", {D_NMAXIMAL, D_NINPUT}, 'B'},
                                               {"P", {D_NMAXIMAL, D_NPARAM}, 'P'}},
                                              "ABP",
                                              NULL,
                                              0,
                                              0,
                                              run_step_maximal_jac};
TACPY_ROW_METHOD(step_maximal_jac)

static tacStatus run_step_maximal_jvp(tacpyCall *c) {
    tacMaximalTangent along = {c->real[5], IN(2), IN(3), IN(4)};
    tacpySim *s = tacpy_sim_of(c);
    return tac_step_maximal_jvp(s->sim, IN(0), IN(1), &along, OUT(0), &s->info);
}
ROW(step_maximal_jvp, NULL,
    LIST(STATE, {"u", A_ARRAY, 0, {D_NINPUT}}, {"dz", A_ARRAY, 1, {D_NMAXIMAL}}, {"du", A_ARRAY, 1, {D_NINPUT}},
         {"dtheta", A_ARRAY, 1, {D_NPARAM}}, {"span", A_REAL, 1, {0}}),
    LIST({"dz", {D_NMAXIMAL}, 0}))

static tacStatus run_step_maximal_vjp(tacpyCall *c) {
    tacMaximalGrad grad = {c->real[4], IN(3), OUT(0), OUT(1), OUT(2)};
    tacpySim *s = tacpy_sim_of(c);
    return tac_step_maximal_vjp(s->sim, IN(0), IN(1), IN(2), &grad, &s->info);
}
static const tacpyRow row_step_maximal_vjp = {
    "step_maximal_vjp",
    {STATE,
     {"u", A_ARRAY, 0, {D_NINPUT}},
     {"ybar", A_ARRAY, 0, {D_NMAXIMAL}},
     {"y", A_ARRAY, 1, {D_NX}},
     {"span", A_REAL, 1, {0}}},
    {{"z", {D_NMAXIMAL}, 'z'}, {"u", {D_NINPUT}, 'u'}, {"theta", {D_NPARAM}, 't'}},
    "zut",
    NULL,
    0,
    0,
    run_step_maximal_vjp};
TACPY_ROW_METHOD(step_maximal_vjp)

#define METHOD(row_name) TACPY_METHOD(#row_name, call_##row_name, DOC_Sim_##row_name)
PyMethodDef tacpy_quantity_methods[] = {
    METHOD(kinematics),
    METHOD(body_velocity),
    METHOD(point_jacobian),
    METHOD(frame_jacobian),
    METHOD(frame_bias),
    METHOD(mass_matrix),
    METHOD(mass_solve),
    METHOD(bias),
    METHOD(inverse_dynamics),
    METHOD(forward_dynamics),
    METHOD(inverse_dynamics_jac),
    METHOD(forward_dynamics_jac),
    METHOD(inertial_regressor),
    METHOD(inertial_params),
    METHOD(passive),
    METHOD(actuation),
    METHOD(tendons),
    METHOD(acceleration),
    METHOD(momentum),
    METHOD(momentum_matrix),
    METHOD(energy),
    METHOD(to_maximal),
    METHOD(to_minimal),
    METHOD(step_maximal_jac),
    METHOD(step_maximal_jvp),
    METHOD(step_maximal_vjp),
    {NULL, NULL, 0, NULL},
};
