#include "cli/input/named_state.h"

#include <stdio.h>
#include <string.h>

int cli_named_states(const tacModel *m) { return 1 + m->nkey; }

static void copy(double *to, const double *from, int n) {
    if (n > 0) memcpy(to, from, (size_t)n * sizeof *to);
}

void cli_named_state(const tacModel *m, const tacOptions *options, int k, double *x, double *u) {
    tac_default_state(m, x);
    tac_default_input(m, options, u);
    if (k == 0) return;
    size_t key = (size_t)k - 1;
    copy(x, m->key_qpos + key * (size_t)m->nq, m->nq);
    copy(x + m->nq, m->key_qvel + key * (size_t)m->nv, m->nv);
    copy(x + m->nq + m->nv, m->key_act + key * (size_t)m->na, m->na);
    copy(u, m->key_ctrl + key * (size_t)m->nu, m->nu);
    if (!(options->inputs & TAC_INPUT_MOCAP)) return;
    double *pose = u + tac_ninput(m, options) - TAC_POSE_SIZE * m->nmocap;
    for (int i = 0; i < m->nmocap; i++, pose += TAC_POSE_SIZE) {
        copy(pose, &m->key_mpos[key * (size_t)m->nmocap + (size_t)i].x, 3);
        copy(pose + 3, &m->key_mquat[key * (size_t)m->nmocap + (size_t)i].w, 4);
    }
}

const char *cli_state_name(const tacModel *m, int k, char *text, size_t size) {
    const char *name = k > 0 ? tac_model_name(m, TAC_KIND_KEY, k - 1) : NULL;
    if (k == 0)
        snprintf(text, size, "default");
    else if (name != NULL && name[0] != '\0')
        snprintf(text, size, "key %s", name);
    else
        snprintf(text, size, "key %d", k - 1);
    return text;
}
