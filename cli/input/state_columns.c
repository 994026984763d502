#include "cli/input/state_columns.h"

#include "cli/input/model_file.h"

#include <stdio.h>

enum { LABEL = 128 };

int cli_column_count(const tacModel *m, tacColumn kind) {
    const int count[] = {m->nq, m->nv, m->na, m->nu};
    return count[kind];
}

/* The joint that coordinate (or dof) i belongs to, and which of its numbers i is. */
static int find_joint(const tacModel *m, const int *address, int i, int *part) {
    int joint = 0;
    while (joint + 1 < m->njnt && address[joint + 1] <= i)
        joint++;
    *part = i - address[joint];
    return joint;
}

static void joint_column(const tacModel *m, tacColumn kind, int i, char *text, size_t size) {
    static const char *const free_pos[] = {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"};
    static const char *const free_vel[] = {".vx", ".vy", ".vz", ".wx", ".wy", ".wz"};
    char label[LABEL];
    int part, position = kind == TAC_COLUMN_QPOS;
    int joint = find_joint(m, position ? m->joint_qpos_adr : m->joint_dof_adr, i, &part);
    const char *suffix = "";
    if (m->joint_type[joint] == TAC_JOINT_FREE) suffix = position ? free_pos[part] : free_vel[part];
    if (m->joint_type[joint] == TAC_JOINT_BALL) suffix = position ? free_pos[part + 3] : free_vel[part + 3];
    snprintf(text, size, "%s:%s%s", position ? "qpos" : "qvel",
             cli_label(m, TAC_KIND_JOINT, joint, label, sizeof label), suffix);
}

static void act_column(const tacModel *m, int i, char *text, size_t size) {
    char label[LABEL];
    for (int a = 0; a < m->nu; a++) {
        int part = i - m->actuator_act_adr[a];
        if (m->actuator_act_adr[a] < 0 || part < 0 || part >= m->actuator_act_num[a]) continue;
        cli_label(m, TAC_KIND_ACTUATOR, a, label, sizeof label);
        if (m->actuator_act_num[a] == 1)
            snprintf(text, size, "act:%s", label);
        else
            snprintf(text, size, "act:%s[%d]", label, part);
        return;
    }
    snprintf(text, size, "act:#%d", i);
}

void cli_column_name(const tacModel *m, tacColumn kind, int i, char *text, size_t size) {
    char label[LABEL];
    if (kind == TAC_COLUMN_CTRL)
        snprintf(text, size, "ctrl:%s", cli_label(m, TAC_KIND_ACTUATOR, i, label, sizeof label));
    else if (kind == TAC_COLUMN_ACT)
        act_column(m, i, text, size);
    else
        joint_column(m, kind, i, text, size);
}
