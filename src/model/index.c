/* Addresses and counts that follow from the ownership of elements. */
#include "model/layout.h"

#include <limits.h>

const int TAC_JOINT_NQ[] = {7, 4, 1, 1};
const int TAC_JOINT_NV[] = {6, 3, 1, 1};

/* Fills each body's first row and number of rows. Rows are sorted by body. */
static void index_rows(int nbody, int n, const int *body, int *adr, int *num) {
    for (int b = 0; b < nbody; b++)
        adr[b] = num[b] = 0;
    for (int i = 0; i < n; i++)
        num[body[i]]++;
    for (int b = 1; b < nbody; b++)
        adr[b] = adr[b - 1] + num[b - 1];
}

static void index_joints(tacModel *m) {
    m->nq = m->nv = 0;
    for (int j = 0; j < m->njnt; j++) {
        m->joint_qpos_adr[j] = m->nq;
        m->joint_dof_adr[j] = m->nv;
        m->nq += TAC_JOINT_NQ[m->joint_type[j]];
        m->nv += TAC_JOINT_NV[m->joint_type[j]];
    }
}

/* Roots, welds and the chain of dofs, body by body. A parent comes before its children. Returns the entries of the
 * sparse mass matrix. */
static int64_t index_bodies(tacModel *m) {
    int64_t entries = 0;
    m->nmocap = 0;
    int dof = 0;
    for (int b = 0; b < m->nbody; b++) {
        int parent = m->body_parent[b];
        int moves = m->body_joint_num[b] > 0 || m->body_mocap[b] >= 0;
        m->body_root[b] = b == 0 || parent == 0 ? b : m->body_root[parent];
        m->body_weld[b] = b == 0 || moves ? b : m->body_weld[parent];
        if (m->body_mocap[b] >= 0) m->body_mocap[b] = m->nmocap++;
        int last = b == 0 ? -1 : m->body_last_dof[parent];
        m->body_dof_adr[b] = dof;
        for (int k = 0; k < m->body_joint_num[b]; k++) {
            int joint = m->body_joint_adr[b] + k;
            for (int i = 0; i < TAC_JOINT_NV[m->joint_type[joint]]; i++, dof++) {
                m->dof_body[dof] = b;
                m->dof_joint[dof] = joint;
                m->dof_parent[dof] = last;
                m->dof_depth[dof] = last < 0 ? 1 : m->dof_depth[last] + 1;
                m->dof_M_adr[dof] = entries > INT_MAX ? 0 : (int)entries;
                entries += m->dof_depth[dof];
                last = dof;
            }
        }
        m->body_dof_num[b] = dof - m->body_dof_adr[b];
        m->body_last_dof[b] = last;
    }
    return entries;
}

static void index_actuators(tacModel *m) {
    m->na = 0;
    for (int i = 0; i < m->nu; i++) {
        m->actuator_act_adr[i] = m->actuator_act_num[i] > 0 ? m->na : -1;
        m->na += m->actuator_act_num[i];
    }
}

int tac_model_index(tacModel *m) {
    index_rows(m->nbody, m->njnt, m->joint_body, m->body_joint_adr, m->body_joint_num);
    index_rows(m->nbody, m->ngeom, m->geom_body, m->body_geom_adr, m->body_geom_num);
    index_rows(m->nbody, m->nsite, m->site_body, m->body_site_adr, m->body_site_num);
    index_joints(m);
    int64_t entries = index_bodies(m);
    index_actuators(m);
    for (int b = 0; b < m->nbody; b++)
        if (m->body_mocap[b] >= 0) m->mocap_body[m->body_mocap[b]] = b;
    m->nM = entries > INT_MAX ? 0 : (int)entries;
    return entries <= INT_MAX;
}
