#include "smooth/inputs.h"

/* Structs that lie in flat arrays of numbers. */
_Static_assert(sizeof(tacForceTorque) == 6 * sizeof(double) && sizeof(tacTwist) == 6 * sizeof(double) &&
                   sizeof(tacVec6) == 6 * sizeof(double) && sizeof(tacVec3) == 3 * sizeof(double),
               "no padding");

tacInputLayout tac_input_layout(const tacModel *model, const tacOptions *options) {
    tacInputLayout layout = {.n = model->nu, .qfrc = -1, .xfrc = -1, .mocap = -1};
    const struct {
        unsigned bit;
        int *first, n;
    } blocks[] = {{TAC_INPUT_QFRC, &layout.qfrc, model->nv},
                  {TAC_INPUT_XFRC, &layout.xfrc, 6 * model->nbody},
                  {TAC_INPUT_MOCAP, &layout.mocap, TAC_POSE_SIZE * model->nmocap}};
    for (int b = 0; b < 3; b++) {
        if (!(options->inputs & blocks[b].bit) || blocks[b].n == 0) continue;
        *blocks[b].first = layout.n;
        layout.n += blocks[b].n;
    }
    if (layout.mocap >= 0) layout.nmocap = TAC_POSE_SIZE * model->nmocap;
    return layout;
}

static const double *block(const double *u, int first) { return u == NULL || first < 0 ? NULL : u + first; }

tacInputs tac_inputs_of(const tacInputLayout *layout, const double *u) {
    return (tacInputs){.ctrl = u,
                       .qfrc = block(u, layout->qfrc),
                       .xfrc = (const tacForceTorque *)block(u, layout->xfrc),
                       .mocap = block(u, layout->mocap)};
}
