/* Values of every quantity at random states, against MuJoCo in the same process. */
#include "peers/mujoco_peer.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounding of two different orders of summation, relative to the largest entry. */
#define TOL_VALUE 1e-9
#define STATES    8

static double *array(int n) {
    double *p = calloc((size_t)n + 1, sizeof *p);
    CHECK(p != NULL);
    return p;
}

/* Quaternions of one rotation may differ in sign. */
static void align_quats(int n, tacQuat *a, const mjtNum *b) {
    for (int i = 0; i < n; i++) {
        double dot = a[i].w * b[4 * i] + a[i].x * b[4 * i + 1] + a[i].y * b[4 * i + 2] + a[i].z * b[4 * i + 3];
        if (dot < 0) a[i] = (tacQuat){-a[i].w, -a[i].x, -a[i].y, -a[i].z};
    }
}

static void check_kinematics(Peer *p) {
    const tacModel *m = p->model;
    const mjData *d = p->data;
    double *xpos = array(3 * m->nbody), *xipos = array(3 * m->nbody), *xquat = array(4 * m->nbody);
    double *site_pos = array(3 * m->nsite), *site_mat = array(9 * m->nsite), *com = array(3 * m->nbody);
    double *anchor = array(3 * m->njnt), *axis = array(3 * m->njnt);
    tacKinematics out = {.xpos = (tacVec3 *)xpos,
                         .xipos = (tacVec3 *)xipos,
                         .xquat = (tacQuat *)xquat,
                         .site_pos = (tacVec3 *)site_pos,
                         .site_mat = (tacMat3 *)site_mat,
                         .joint_pos = (tacVec3 *)anchor,
                         .joint_axis = (tacVec3 *)axis,
                         .subtree_com = (tacVec3 *)com};
    CHECK_INT(tac_kinematics(p->sim, p->x, p->u, &out), TAC_OK);
    align_quats(m->nbody, out.xquat, d->xquat);
    CHECK_ARRAY(3 * m->nbody, xpos, d->xpos, TOL_VALUE);
    CHECK_ARRAY(3 * m->nbody, xipos, d->xipos, TOL_VALUE);
    CHECK_ARRAY(4 * m->nbody, xquat, d->xquat, TOL_VALUE);
    CHECK_ARRAY(3 * m->nsite, site_pos, d->site_xpos, TOL_VALUE);
    CHECK_ARRAY(9 * m->nsite, site_mat, d->site_xmat, TOL_VALUE);
    CHECK_ARRAY(3 * m->nbody, com, d->subtree_com, TOL_VALUE);
    CHECK_ARRAY(3 * m->njnt, anchor, d->xanchor, TOL_VALUE);
    for (int j = 0; j < m->njnt; j++) /* a free joint's axis means nothing */
        if (m->joint_type[j] != TAC_JOINT_FREE) CHECK_ARRAY(3, axis + 3 * j, d->xaxis + 3 * j, TOL_VALUE);
    free(xpos), free(xipos), free(xquat), free(site_pos), free(site_mat), free(com), free(anchor), free(axis);
}

/* Geoms exist in both only when the loader made the model. */
static void check_geoms(Peer *p) {
    const tacModel *m = p->model;
    if (m->ngeom == 0) return;
    CHECK_INT(m->ngeom, p->mj->ngeom);
    double *pos = array(3 * m->ngeom), *mat = array(9 * m->ngeom);
    tacKinematics out = {.geom_pos = (tacVec3 *)pos, .geom_mat = (tacMat3 *)mat};
    CHECK_INT(tac_kinematics(p->sim, p->x, p->u, &out), TAC_OK);
    CHECK_ARRAY(3 * m->ngeom, pos, p->data->geom_xpos, TOL_VALUE);
    CHECK_ARRAY(9 * m->ngeom, mat, p->data->geom_xmat, TOL_VALUE);
    free(pos), free(mat);
}

static void check_velocities(Peer *p) {
    const tacModel *m = p->model;
    tacVec6 *velocity = calloc((size_t)m->nbody, sizeof *velocity);
    double *expected = array(6 * m->nbody);
    CHECK_INT(tac_body_velocity(p->sim, p->x, p->x + m->nq, velocity), TAC_OK);
    for (int b = 0; b < m->nbody; b++)
        mj_objectVelocity(p->mj, p->data, mjOBJ_XBODY, b, expected + 6 * b, 0);
    CHECK_ARRAY(6 * m->nbody, velocity, expected, TOL_VALUE);
    free(velocity), free(expected);
}

static void check_jacobians(Peer *p) {
    const tacModel *m = p->model;
    double *jacp = array(3 * m->nv), *jacr = array(3 * m->nv), *mjp = array(3 * m->nv), *mjr = array(3 * m->nv);
    for (int b = 0; b < m->nbody; b++) {
        const double point[3] = {0.3, -0.2, 0.5};
        CHECK_INT(tac_point_jacobian(p->sim, p->x, b, (tacVec3){0.3, -0.2, 0.5}, jacp, jacr), TAC_OK);
        mj_jac(p->mj, p->data, mjp, mjr, point, b);
        CHECK_ARRAY(3 * m->nv, jacp, mjp, TOL_VALUE);
        CHECK_ARRAY(3 * m->nv, jacr, mjr, TOL_VALUE);
        CHECK_INT(tac_frame_jacobian(p->sim, p->x, TAC_KIND_BODY, b, jacp, NULL), TAC_OK);
        mj_jacBody(p->mj, p->data, mjp, NULL, b);
        CHECK_ARRAY(3 * m->nv, jacp, mjp, TOL_VALUE);
    }
    for (int s = 0; s < m->nsite; s++) {
        CHECK_INT(tac_frame_jacobian(p->sim, p->x, TAC_KIND_SITE, s, jacp, jacr), TAC_OK);
        mj_jacSite(p->mj, p->data, mjp, mjr, s);
        CHECK_ARRAY(3 * m->nv, jacp, mjp, TOL_VALUE);
        CHECK_ARRAY(3 * m->nv, jacr, mjr, TOL_VALUE);
    }
    free(jacp), free(jacr), free(mjp), free(mjr);
}

static void check_forces(Peer *p) {
    const tacModel *m = p->model;
    const double *v = p->x + m->nq;
    int nv = m->nv;
    double *M = array(nv * nv), *mjM = array(nv * nv), *out = array(nv), *expected = array(nv);
    CHECK_INT(tac_mass_matrix(p->sim, p->x, M), TAC_OK);
    mj_fullM(p->mj, mjM, p->data->qM);
    CHECK_ARRAY(nv * nv, M, mjM, TOL_VALUE);
    CHECK_INT(tac_bias(p->sim, p->x, v, out), TAC_OK);
    CHECK_ARRAY(nv, out, p->data->qfrc_bias, TOL_VALUE);
    CHECK_INT(tac_passive(p->sim, p->x, v, out), TAC_OK);
    CHECK_ARRAY(nv, out, p->data->qfrc_passive, TOL_VALUE);
    CHECK_INT(tac_mass_solve(p->sim, p->x, v, out), TAC_OK);
    mj_solveM(p->mj, p->data, expected, v, 1);
    CHECK_ARRAY(nv, out, expected, TOL_VALUE);
    free(M), free(mjM), free(out), free(expected);
}

static void check_actuation(Peer *p) {
    const tacModel *m = p->model;
    const mjData *d = p->data;
    double *length = array(m->nu), *velocity = array(m->nu), *force = array(m->nu), *moment = array(m->nu * m->nv);
    double *act_dot = array(m->na), *qfrc = array(m->nv), *qacc = array(m->nv);
    tacActuation out = {length, velocity, force, moment, act_dot, qfrc};
    CHECK_INT(tac_actuation(p->sim, p->x, p->u, &out), TAC_OK);
    CHECK_ARRAY(m->nu, length, d->actuator_length, TOL_VALUE);
    CHECK_ARRAY(m->nu, velocity, d->actuator_velocity, TOL_VALUE);
    CHECK_ARRAY(m->nu * m->nv, moment, d->actuator_moment, TOL_VALUE);
    CHECK_ARRAY(m->nu, force, d->actuator_force, TOL_VALUE);
    CHECK_ARRAY(m->na, act_dot, d->act_dot, TOL_VALUE);
    CHECK_ARRAY(m->nv, qfrc, d->qfrc_actuator, TOL_VALUE);
    CHECK_INT(tac_acceleration(p->sim, p->x, p->u, qacc), TAC_OK);
    CHECK_ARRAY(m->nv, qacc, d->qacc, TOL_VALUE);
    free(length), free(velocity), free(force), free(moment), free(act_dot), free(qfrc), free(qacc);
}

static void check_tendons(Peer *p) {
    const tacModel *m = p->model;
    double *length = array(m->ntendon), *velocity = array(m->ntendon);
    CHECK_INT(tac_tendons(p->sim, p->x, p->x + m->nq, length, velocity), TAC_OK);
    CHECK_ARRAY(m->ntendon, length, p->data->ten_length, TOL_VALUE);
    CHECK_ARRAY(m->ntendon, velocity, p->data->ten_velocity, TOL_VALUE);
    free(length), free(velocity);
}

static void check_energy_and_momentum(Peer *p) {
    const tacModel *m = p->model;
    const double *v = p->x + m->nq;
    tacEnergy energy;
    tacVec6 momentum;
    CHECK_INT(tac_energy(p->sim, p->x, v, &energy), TAC_OK);
    double scale = fmax(1, fabs(p->data->energy[0]) + fabs(p->data->energy[1]));
    CHECK_NEAR(energy.potential, p->data->energy[0], TOL_VALUE * scale);
    CHECK_NEAR(energy.kinetic, p->data->energy[1], TOL_VALUE * scale);
    CHECK_INT(tac_momentum(p->sim, p->x, v, &momentum), TAC_OK);
    mj_subtreeVel(p->mj, p->data);
    double mass = m->body_subtree_mass[0], linear[3];
    for (int k = 0; k < 3; k++)
        linear[k] = mass * p->data->subtree_linvel[k];
    CHECK_ARRAY(3, &momentum.lin, linear, TOL_VALUE);
    CHECK_ARRAY(3, &momentum.ang, p->data->subtree_angmom, TOL_VALUE);
}

/* MuJoCo 3.x, and Tactus with it, weighs a childless body that only slides by its mass alone; 2.2.2 does not. */
static int weighed_by_mass(const mjModel *mj, int body) {
    for (int b = body + 1; b < mj->nbody; b++)
        if (mj->body_parentid[b] == body) return 0;
    for (int j = 0; j < mj->body_jntnum[body]; j++)
        if (mj->jnt_type[mj->body_jntadr[body] + j] != mjJNT_SLIDE) return 0;
    return mj->body_jntnum[body] > 0 && mj->body_rootid[body] == body && mj->body_sameframe[body];
}

static void check_weights(Peer *p) {
    const tacModel *m = p->model;
    const mjModel *mj = p->mj;
    for (int b = 0; b < m->nbody; b++) {
        int dof = m->body_dof_adr[b];
        if (weighed_by_mass(mj, b)) {
            CHECK_NEAR(m->body_invweight[2 * b] * mj->body_mass[b], 1, TOL_VALUE);
            CHECK_NEAR(m->dof_invweight[dof] * mj->body_mass[b], 1, TOL_VALUE);
        } else {
            CHECK_ARRAY(2, m->body_invweight + 2 * b, mj->body_invweight0 + 2 * b, TOL_VALUE);
            CHECK_ARRAY(m->body_dof_num[b], m->dof_invweight + dof, mj->dof_invweight0 + dof, TOL_VALUE);
        }
    }
}

/* What is derived at qpos_0. */
static void check_reference(Peer *p) {
    const tacModel *m = p->model;
    const mjModel *mj = p->mj;
    CHECK_ARRAY(m->nq, m->qpos_0, mj->qpos0, TOL_VALUE);
    CHECK_ARRAY(m->nq, m->qpos_spring, mj->qpos_spring, TOL_VALUE);
    CHECK_ARRAY(m->nv, m->dof_M0, mj->dof_M0, TOL_VALUE);
    check_weights(p);
    CHECK_ARRAY(m->ntendon, m->tendon_length0, mj->tendon_length0, TOL_VALUE);
    CHECK_ARRAY(m->ntendon, m->tendon_invweight, mj->tendon_invweight0, TOL_VALUE);
    CHECK_ARRAY(m->nu, m->actuator_length0, mj->actuator_length0, TOL_VALUE);
    CHECK_ARRAY(m->nv, m->dof_damping, mj->dof_damping, TOL_VALUE);
    CHECK_ARRAY(m->njnt, m->joint_stiffness_used, mj->jnt_stiffness, TOL_VALUE);
    for (int t = 0; t < m->ntendon; t++)
        CHECK_NEAR(m->tendon_springlength_used[2 * t], mj->tendon_lengthspring[t], TOL_VALUE);
}

static void check_peer(Peer *p) {
    print_message("  %s: nv %d, nu %d, na %d\n", p->name, p->model->nv, p->model->nu, p->model->na);
    check_reference(p);
    for (uint64_t i = 0; i < STATES; i++) {
        peer_randomize_state(p, 7, i);
        peer_randomize_input(p, 7, i, 1);
        mj_forward(p->mj, p->data);
        check_kinematics(p);
        check_geoms(p);
        check_actuation(p);
        check_tendons(p);
        /* the quantities of (q, v) alone have mocap bodies where the model puts them */
        tac_default_input(p->model, &p->options, p->u);
        peer_give_input(p);
        mj_forward(p->mj, p->data);
        check_velocities(p);
        check_jacobians(p);
        check_forces(p);
        check_energy_and_momentum(p);
    }
}

static void written_models_agree(void **state) {
    (void)state;
    peer_each_text(peer_open, check_peer);
}

static void own_robots_agree(void **state) {
    (void)state;
    peer_each_robot(peer_open, check_peer);
}

#ifdef PEER_WITH_IO
/* Equality constraints as completed at qpos_0; by body only, and without the torque scale of newer versions. */
static void check_equalities(const Peer *p) {
    CHECK_INT(p->model->neq, p->mj->neq);
    for (int i = 0; i < p->model->neq; i++) {
        int n = p->mj->eq_type[i] == mjEQ_CONNECT ? 6 : p->mj->eq_type[i] == mjEQ_WELD ? 10 : 5;
        CHECK_ARRAY(n, p->model->equality_data_used + 11 * i, p->mj->eq_data + mjNEQDATA * i, TOL_VALUE);
    }
}

static void check_loaded(Peer *p) {
    check_peer(p);
    check_equalities(p);
}

static void loaded_models_agree(void **state) {
    (void)state;
    peer_each_text(peer_load, check_loaded);
    peer_each_robot(peer_load, check_loaded);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_models_agree),
        cmocka_unit_test(own_robots_agree),
#ifdef PEER_WITH_IO
        cmocka_unit_test(loaded_models_agree),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
