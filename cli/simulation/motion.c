#include "cli/simulation/motion.h"

#include "cli/input/model_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_FRAMES = 256, LABEL = 128 };

tacMotion cli_motion_begin(const tacModel *model, int ninput, int keep_states) {
    return (tacMotion){.model = model, .nx = tac_nx(model), .ninput = ninput, .keep_states = keep_states};
}

static int grow(double **array, int rows, int columns) {
    double *more = realloc(*array, ((size_t)rows * (size_t)columns + 1) * sizeof *more);
    if (more == NULL) return 0;
    *array = more;
    return 1;
}

static int grow_all(tacMotion *m) {
    if (m->nframe < m->capacity) return 1;
    int rows = m->capacity > 0 ? 2 * m->capacity : FIRST_FRAMES;
    int grown = grow(&m->time, rows, 1) && grow(&m->kinetic, rows, 1) && grow(&m->potential, rows, 1);
    if (m->keep_states) grown = grown && grow(&m->x, rows, m->nx) && grow(&m->u, rows, m->ninput);
    if (grown) m->capacity = rows;
    return grown;
}

int cli_motion_add(tacMotion *m, double time, const double *x, const double *u, tacEnergy energy) {
    if (!grow_all(m)) return 0;
    size_t i = (size_t)m->nframe++;
    m->time[i] = time;
    m->kinetic[i] = energy.kinetic;
    m->potential[i] = energy.potential;
    if (!m->keep_states) return 1;
    memcpy(m->x + i * (size_t)m->nx, x, (size_t)m->nx * sizeof *x);
    memcpy(m->u + i * (size_t)m->ninput, u, (size_t)m->ninput * sizeof *u);
    return 1;
}

void cli_motion_free(tacMotion *m) {
    free(m->time);
    free(m->kinetic);
    free(m->potential);
    free(m->x);
    free(m->u);
    *m = (tacMotion){0};
}

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
    if (m->joint_type[joint] == TAC_FREE) suffix = position ? free_pos[part] : free_vel[part];
    if (m->joint_type[joint] == TAC_BALL) suffix = position ? free_pos[part + 3] : free_vel[part + 3];
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

const double *cli_column_values(const tacMotion *motion, tacColumn kind, int frame) {
    const double *x = motion->x + (size_t)frame * (size_t)motion->nx;
    const tacModel *m = motion->model;
    switch (kind) {
    case TAC_COLUMN_QPOS:
        return x;
    case TAC_COLUMN_QVEL:
        return x + m->nq;
    case TAC_COLUMN_ACT:
        return x + m->nq + m->nv;
    default:
        return motion->u + (size_t)frame * (size_t)motion->ninput;
    }
}
