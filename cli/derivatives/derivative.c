#include "cli/derivatives/derivative.h"

#include "cli/input/model_file.h"
#include "cli/simulation/motion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 64, WRENCH = 6 };

/* --- Arrays ------------------------------------------------------------------------------------------------------ */

tacDerivativeSize cli_derivative_size(const tacModel *m, const tacOptions *options) {
    return (tacDerivativeSize){m->nv, m->na, tac_ndx(m), tac_ninput(m, options), m->nparam};
}

static double *new_matrix(int rows, int columns) { return calloc((size_t)rows * (size_t)columns + 1, sizeof(double)); }

int cli_derivative_new(const tacModel *m, const tacOptions *options, tacDerivative *d) {
    tacDerivativeSize n = cli_derivative_size(m, options);
    *d = (tacDerivative){n, new_matrix(tac_nx(m), 1), new_matrix(n.ndx, n.ndx), new_matrix(n.ndx, n.nu),
                         new_matrix(n.ndx, n.np)};
    if (d->y != NULL && d->A != NULL && d->B != NULL && d->P != NULL) return 1;
    cli_derivative_free(d);
    return 0;
}

void cli_derivative_free(tacDerivative *d) {
    double *all[] = {d->y, d->A, d->B, d->P};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    *d = (tacDerivative){0};
}

tacStatus cli_derivative_at(tacSim *sim, const double *x, const double *u, tacDerivative *d, tacStepInfo *info) {
    tacJac jac = {d->A, d->B, d->size.np > 0 ? d->P : NULL};
    return tac_step_jac(sim, x, u, d->y, &jac, info);
}

static void negate(size_t n, double *a) {
    for (size_t i = 0; i < n; i++)
        a[i] = 0 - a[i]; /* and no -0 */
}

tacStatus cli_derivative_rows(tacSim *sim, const double *x, const double *u, tacDerivative *d, tacStepInfo *info) {
    size_t ndx = (size_t)d->size.ndx, nu = (size_t)d->size.nu, np = (size_t)d->size.np;
    double *ybar = calloc(ndx + 1, sizeof *ybar);
    tacStatus status = ybar == NULL ? TAC_ERR_MEMORY : TAC_OK;
    for (size_t i = 0; i < ndx && status == TAC_OK; i++) {
        ybar[i] = -1; /* the loss -y_i wants it larger */
        tacGrad row = {d->A + i * ndx, d->B + i * nu, np > 0 ? d->P + i * np : NULL};
        status = tac_step_vjp(sim, x, u, ybar, &row, info);
        negate(ndx, row.x);
        negate(nu, row.u);
        negate(np, row.theta);
        ybar[i] = 0;
    }
    free(ybar);
    return status;
}

/* --- Blocks ------------------------------------------------------------------------------------------------------ */

const char *cli_block_name(int row_block, int column_block) {
    static const char *const names[CLI_ROW_BLOCKS][CLI_COLUMN_BLOCKS] = {
        {"dq/dq", "dq/dv", "dq/da", "dq/du", "dq/dtheta"},
        {"dv/dq", "dv/dv", "dv/da", "dv/du", "dv/dtheta"},
        {"da/dq", "da/dv", "da/da", "da/du", "da/dtheta"},
    };
    return names[row_block][column_block];
}

tacBlock cli_block(const tacDerivative *d, int row_block, int column_block) {
    const tacDerivativeSize n = d->size;
    const int first[] = {0, n.nv, 2 * n.nv}, count[] = {n.nv, n.nv, n.na};
    size_t row = (size_t)first[row_block];
    int rows = count[row_block];
    if (column_block == CLI_COLUMN_U) return (tacBlock){d->B + row * (size_t)n.nu, rows, n.nu, n.nu};
    if (column_block == CLI_COLUMN_THETA) return (tacBlock){d->P + row * (size_t)n.np, rows, n.np, n.np};
    return (tacBlock){d->A + row * (size_t)n.ndx + first[column_block], rows, count[column_block], n.ndx};
}

/* --- Names ------------------------------------------------------------------------------------------------------- */

/* A dof by its joint's name, with one of six suffixes for a free joint, of the last three for a ball. */
static void dof_name(const tacModel *m, const char *prefix, int dof, const char *const suffixes[6], char *text,
                     size_t size) {
    char label[LABEL];
    int joint = m->dof_joint[dof], part = dof - m->joint_dof_adr[joint], type = m->joint_type[joint];
    const char *suffix = type == TAC_JOINT_FREE ? suffixes[part] : type == TAC_JOINT_BALL ? suffixes[part + 3] : "";
    snprintf(text, size, "%s:%s%s", prefix, cli_label(m, TAC_KIND_JOINT, joint, label, sizeof label), suffix);
}

void cli_tangent_name(const tacModel *m, int i, char *text, size_t size) {
    static const char *const moves[] = {".x", ".y", ".z", ".rx", ".ry", ".rz"};
    static const char *const rates[] = {".vx", ".vy", ".vz", ".wx", ".wy", ".wz"};
    char name[LABEL + 8];
    if (i < m->nv) {
        dof_name(m, "dq", i, moves, text, size);
    } else if (i < 2 * m->nv) {
        dof_name(m, "dv", i - m->nv, rates, text, size);
    } else {
        cli_column_name(m, TAC_COLUMN_ACT, i - 2 * m->nv, name, sizeof name);
        snprintf(text, size, "da:%s", strchr(name, ':') + 1);
    }
}

void cli_input_name(const tacModel *m, const tacOptions *options, int i, char *text, size_t size) {
    static const char *const forces[] = {".fx", ".fy", ".fz", ".mx", ".my", ".mz"};
    static const char *const places[] = {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"};
    char label[LABEL];
    if (i < m->nu) {
        cli_column_name(m, TAC_COLUMN_CTRL, i, text, size);
        return;
    }
    i -= m->nu;
    if (options->inputs & TAC_INPUT_QFRC) {
        if (i < m->nv) {
            dof_name(m, "qfrc", i, forces, text, size);
            return;
        }
        i -= m->nv;
    }
    if (options->inputs & TAC_INPUT_XFRC) {
        if (i < WRENCH * m->nbody) {
            cli_label(m, TAC_KIND_BODY, i / WRENCH, label, sizeof label);
            snprintf(text, size, "xfrc:%s%s", label, forces[i % WRENCH]);
            return;
        }
        i -= WRENCH * m->nbody;
    }
    cli_label(m, TAC_KIND_BODY, m->mocap_body[i / TAC_POSE_SIZE], label, sizeof label);
    snprintf(text, size, "mocap:%s%s", label, places[i % TAC_POSE_SIZE]);
}
