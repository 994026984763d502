#include "measure/discrete_motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int measure_poses_new(const tacModel *model, tacPoses *poses) {
    size_t n = (size_t)model->nbody;
    *poses = (tacPoses){model->nbody, calloc(3 * n, sizeof(double)), calloc(9 * n, sizeof(double))};
    return poses->com != NULL && poses->turn != NULL;
}

void measure_poses_free(tacPoses *poses) {
    free(poses->com);
    free(poses->turn);
}

tacStatus measure_poses(tacSim *sim, const double *x, const double *u, tacPoses *poses) {
    static const tacOutput COM = {TAC_OUT_BODY_COM, TAC_OUT_ALL}, TURN = {TAC_OUT_BODY_MAT, TAC_OUT_ALL};
    tacStatus status = tac_outputs(sim, x, u, &(tacOutputs){1, &COM}, poses->com);
    return status == TAC_OK ? tac_outputs(sim, x, u, &(tacOutputs){1, &TURN}, poses->turn) : status;
}

/* --- Small matrices, row major ------------------------------------------------------------------------------------ */

static void multiply(const double *A, const double *B, double *C) {
    for (int i = 0; i < 9; i++)
        C[i] = A[i / 3 * 3] * B[i % 3] + A[i / 3 * 3 + 1] * B[i % 3 + 3] + A[i / 3 * 3 + 2] * B[i % 3 + 6];
}

static void transpose(const double *A, double *At) {
    for (int i = 0; i < 9; i++)
        At[i] = A[i % 3 * 3 + i / 3];
}

static void turn_vector(const double *A, const double *v, double *y) {
    for (int i = 0; i < 3; i++)
        y[i] = A[3 * i] * v[0] + A[3 * i + 1] * v[1] + A[3 * i + 2] * v[2];
}

static void cross(const double *a, const double *b, double *c) {
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* --- A body ------------------------------------------------------------------------------------------------------- */

/* J about its centre of mass, in the body's axes. */
static void inertia_of(const tacModel *m, int b, double *J) {
    tacSym3 I = m->body_icom[b];
    const double out[9] = {I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz};
    memcpy(J, out, sizeof out);
}

static void relative_turn(const double *first, const double *second, double *F) {
    double back[9];
    transpose(first, back);
    multiply(back, second, F);
}

/* log(F)/h */
static void spin_velocity(const double *F, double h, double *w) {
    double s[3] = {(F[7] - F[5]) / 2, (F[2] - F[6]) / 2, (F[3] - F[1]) / 2};
    double sine = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]), angle = atan2(sine, (F[0] + F[4] + F[8] - 1) / 2);
    for (int i = 0; i < 3; i++)
        w[i] = (sine > 0 ? angle / sine : 1) * s[i] / h;
}

/* Jr^-1(phi) J w with phi = h w = t n, body axes of the first pose: with s = t/2 and y = J w,
 *   s cot(s) y + (1 - s cot(s)) (n . y) n + s n x y */
static void spin_momentum(const double *J, const double *F, double h, double *L) {
    double w[3], y[3], across[3], along = 0, square = 0;
    spin_velocity(F, h, w);
    turn_vector(J, w, y);
    cross(w, y, across);
    for (int i = 0; i < 3; i++) {
        along += w[i] * y[i];
        square += w[i] * w[i];
    }
    double s = 0.5 * h * sqrt(square), shrink = s > 0 ? s / tan(s) : 1;
    for (int i = 0; i < 3; i++)
        L[i] = shrink * y[i] + (square > 0 ? (1 - shrink) * along / square * w[i] : 0) + 0.5 * h * across[i];
}

tacVec3 discrete_spin_momentum(const tacModel *model, const tacPoses *first, const tacPoses *second, double h, int b) {
    double J[9], F[9], L[3], own[3];
    inertia_of(model, b, J);
    relative_turn(first->turn + 9 * b, second->turn + 9 * b, F);
    spin_momentum(J, F, h, L);
    turn_vector(first->turn + 9 * b, L, own);
    return (tacVec3){own[0], own[1], own[2]};
}

double discrete_kinetic_of(const tacModel *model, const tacPoses *first, const tacPoses *second, double h, int b) {
    double J[9], F[9], w[3], Jw[3], sum = 0;
    inertia_of(model, b, J);
    relative_turn(first->turn + 9 * b, second->turn + 9 * b, F);
    spin_velocity(F, h, w);
    turn_vector(J, w, Jw);
    for (int i = 0; i < 3; i++) {
        double v = (second->com[3 * b + i] - first->com[3 * b + i]) / h;
        sum += 0.5 * (model->body_mass[b] * v * v + w[i] * Jw[i]);
    }
    return sum;
}

/* --- All bodies --------------------------------------------------------------------------------------------------- */

tacVec6 discrete_momentum(const tacModel *model, const tacPoses *first, const tacPoses *second, double h) {
    double linear[3] = {0}, angular[3] = {0};
    for (int b = 1; b < first->nbody; b++) {
        double p[3], about[3];
        for (int i = 0; i < 3; i++)
            p[i] = model->body_mass[b] * (second->com[3 * b + i] - first->com[3 * b + i]) / h;
        cross(first->com + 3 * b, p, about);
        tacVec3 own = discrete_spin_momentum(model, first, second, h, b);
        const double spin[3] = {own.x, own.y, own.z};
        for (int i = 0; i < 3; i++) {
            linear[i] += p[i];
            angular[i] += about[i] + spin[i];
        }
    }
    return (tacVec6){{angular[0], angular[1], angular[2]}, {linear[0], linear[1], linear[2]}};
}

double discrete_kinetic(const tacModel *model, const tacPoses *first, const tacPoses *second, double h) {
    double sum = 0;
    for (int b = 1; b < first->nbody; b++)
        sum += discrete_kinetic_of(model, first, second, h, b);
    return sum;
}
