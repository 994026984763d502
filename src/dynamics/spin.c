#include "dynamics/spin.h"

#include "math/quat.h"

#include <string.h>

/* Relative to the trace: inertias that differ by less are those of a ball. */
#define ROUND 1e-14
/* Tolerated error of w* - w, relative to w in the energy norm: rounding. */
#define LEFT 1e-15
/* If a step is not shorter than the last by this factor, the matrix of Newton's method is recomputed. */
#define SHORTER 1e-2
/* rad: largest |w| h for which one matrix suffices. */
#define SLOW 0.1
/* Limit on Newton steps. Three or four suffice up to |w| h = 1. */
#define MOST_STEPS 30

/* --- Which bodies ------------------------------------------------------------------------------------------------- */

/* 1: a free or ball joint on a fixed body. */
static int is_root(const tacModel *m, int joint) {
    return (m->joint_type[joint] == TAC_JOINT_FREE || m->joint_type[joint] == TAC_JOINT_BALL) &&
           m->dof_parent[m->joint_dof_adr[joint]] < 0;
}

/* 1: the dof after those of the joint moves on them, as it does on the base of most robots. */
static int carries_next(const tacModel *m, int joint) {
    int next = m->joint_dof_adr[joint] + (m->joint_type[joint] == TAC_JOINT_FREE ? 6 : 3);
    return next < m->nv && m->dof_parent[next] == next - 1;
}

int tac_spin_any(const tacModel *m) {
    int j = 0;
    while (j < m->njnt && (!is_root(m, j) || carries_next(m, j)))
        j++;
    return j < m->njnt;
}

/* A joint comes before those that move on it. Going back, alone[j] is 1 at first where something moves on joint j. */
int tac_spin_find(const tacModel *m, unsigned char *alone) {
    int n = 0;
    memset(alone, 0, (size_t)m->njnt);
    for (int j = m->njnt - 1; j >= 0; j--) {
        int parent = m->dof_parent[m->joint_dof_adr[j]];
        alone[j] = !alone[j] && is_root(m, j);
        n += alone[j];
        if (parent >= 0) alone[m->dof_joint[parent]] = 1;
    }
    return n;
}

/* --- Numbers of one body ------------------------------------------------------------------------------------------ */

/* M(i, j) of the tree's own dofs, j <= i. Rows are consecutive, each from its diagonal to the root. */
static double entry(const double *M, int i, int j) { return M[i * (i + 1) / 2 + i - j]; }

/* M = [m 1, -R [p]; [p] R^T, I]. Column k of R^T M_lw is e_k x p, which has the numbers of p. */
static tacVec3 first_moment(const double *M, const tacMat3 *R) {
    tacVec3 x = {R->m[0], R->m[3], R->m[6]}, y = {R->m[1], R->m[4], R->m[7]}, z = {R->m[2], R->m[5], R->m[8]};
    tacVec3 turn_x = {entry(M, 3, 0), entry(M, 3, 1), entry(M, 3, 2)};
    tacVec3 turn_y = {entry(M, 4, 0), entry(M, 4, 1), entry(M, 4, 2)};
    tacVec3 turn_z = {entry(M, 5, 0), entry(M, 5, 1), entry(M, 5, 2)};
    return tac_vec3(tac_dot3(y, turn_z), tac_dot3(z, turn_x), tac_dot3(x, turn_y));
}

/* Block of three dofs from dof i on, less their armature. */
static inline tacSym3 block(const double *M, int i, tacVec3 armature) {
    return (tacSym3){entry(M, i, i) - armature.x,
                     entry(M, i + 1, i + 1) - armature.y,
                     entry(M, i + 2, i + 2) - armature.z,
                     entry(M, i + 1, i),
                     entry(M, i + 2, i),
                     entry(M, i + 2, i + 1)};
}

/* M: the tree's rows; armature: of its dofs. */
static void read_mass(const double *M, const double *armature, tacSpin *s) {
    tacVec3 turning = tac_load3(armature + (s->is_free ? 3 : 0));
    if (s->is_free)
        s->mass = (tacSpinMass){entry(M, 0, 0) - armature[0], first_moment(M, &s->R), block(M, 3, turning), turning};
    else
        s->mass = (tacSpinMass){0, tac_zero3(), block(M, 0, turning), turning};
}

static tacVec3 centre_of(const tacSpinMass *s) { return s->m > 0 ? tac_scale3(1 / s->m, s->p) : tac_zero3(); }

static tacSym3 add_diagonal(tacSym3 S, tacVec3 d) {
    S.xx += d.x;
    S.yy += d.y;
    S.zz += d.z;
    return S;
}

int tac_spin_is_beside(const tacSpin *s) {
    return s->is_free && (s->mass.p.x != 0 || s->mass.p.y != 0 || s->mass.p.z != 0);
}

void tac_spin_open(const tacModel *m, const tacWork *w, int joint, const double *v, double h, tacSpin *s) {
    s->dof = m->joint_dof_adr[joint];
    s->is_free = m->joint_type[joint] == TAC_JOINT_FREE;
    s->h = h;
    s->R = w->xmat[m->joint_body[joint]];
    s->w = s->next = tac_load3(v + s->dof + (s->is_free ? 3 : 0));
    s->steps = 0;
    read_mass(w->M + m->dof_M_adr[s->dof], m->dof_armature + s->dof, s);
    s->I = s->mass.I;
    if (tac_spin_is_beside(s)) s->I = tac_addsym3(s->I, tac_pointsym3(-s->mass.m, centre_of(&s->mass)));
    s->K = add_diagonal(s->I, s->mass.armature);
}

int tac_spin_is_round(const tacSpin *s) {
    double trace = s->I.xx + s->I.yy + s->I.zz, least = ROUND * trace, mean = trace / 3;
    return s->mass.p.x == 0 && s->mass.p.y == 0 && s->mass.p.z == 0 && tac_abs(s->I.xx - mean) <= least &&
           tac_abs(s->I.yy - mean) <= least && tac_abs(s->I.zz - mean) <= least && tac_abs(s->I.xy) <= least &&
           tac_abs(s->I.xz) <= least && tac_abs(s->I.yz) <= least;
}

/* --- The update --------------------------------------------------------------------------------------------------- */

/* g(w) = w x I w */
static tacVec3 gyroscopic(const tacSym3 *I, tacVec3 w) { return tac_cross3(w, tac_mulsv3(*I, w)); }

/* g'(w) = [w] I - [I w] */
static tacMat3 gyroscopic_jac(const tacSym3 *I, tacVec3 w) {
    tacVec3 L = tac_mulsv3(*I, w);
    tacVec3 c[3] = {tac_cross3(w, tac_vec3(I->xx, I->xy, I->xz)), tac_cross3(w, tac_vec3(I->xy, I->yy, I->yz)),
                    tac_cross3(w, tac_vec3(I->xz, I->yz, I->zz))};
    return (tacMat3){
        {c[0].x, c[1].x + L.z, c[2].x - L.y, c[0].y - L.z, c[1].y, c[2].y + L.x, c[0].z + L.y, c[1].z - L.x, c[2].z}};
}

/* K + s G */
static tacMat3 add_scaled(const tacSym3 *K, double s, const tacMat3 *G) {
    tacMat3 A = {{K->xx, K->xy, K->xz, K->xy, K->yy, K->yz, K->xz, K->yz, K->zz}};
    for (int i = 0; i < 9; i++)
        A.m[i] += s * G->m[i];
    return A;
}

/* A^-1 by cofactors; 0: A is singular. */
static int invert(const tacMat3 *A, tacMat3 *inverse) {
    tacVec3 a = tac_load3(A->m), b = tac_load3(A->m + 3), c = tac_load3(A->m + 6);
    tacVec3 x = tac_cross3(b, c), y = tac_cross3(c, a), z = tac_cross3(a, b);
    double det = tac_dot3(a, x), d = 1 / det;
    *inverse = (tacMat3){{d * x.x, d * y.x, d * z.x, d * x.y, d * y.y, d * z.y, d * x.z, d * y.z, d * z.z}};
    return det != 0 && tac_finite(d);
}

static tacVec3 mean_of(const tacSpin *s) { return tac_scale3(0.5, tac_add3(s->w, s->next)); }

/* F(w*) = K (w* - w) + h g(m) */
static tacVec3 residual(const tacSpin *s) {
    return tac_madd3(tac_mulsv3(s->K, tac_sub3(s->next, s->w)), s->h, gyroscopic(&s->I, mean_of(s)));
}

/* G = g'(m) and (K + h/2 G)^-1; 0: that is singular. */
static int linearize(const tacSpin *s, tacMat3 *G, tacMat3 *inverse) {
    *G = gyroscopic_jac(&s->I, mean_of(s));
    tacMat3 A = add_scaled(&s->K, 0.5 * s->h, G);
    return invert(&A, inverse);
}

/* K-norm, squared */
static double energy_of(const tacSpin *s, tacVec3 x) { return tac_dot3(x, tac_mulsv3(s->K, x)); }

/* Newton's method from w, with one matrix as long as it suffices. 0: it did not end. Near a solution a step of size
 * s has an error of |w| h s (the distance since the matrix was computed), all over |w|, by the bilinear form of
 * (ST13). */
static int search(tacSpin *s) {
    double own = energy_of(s, s->w), turn = s->h * s->h * tac_dot3(s->w, s->w), nearest = TAC_INFINITY, before = 0;
    tacVec3 best = s->w, made = s->w;
    tacMat3 G, inverse;
    s->next = s->w;
    for (s->steps = 0; s->steps < MOST_STEPS; s->steps++) {
        tacVec3 F = residual(s);
        double far = tac_dot3(F, F);
        if (far < nearest) {
            nearest = far;
            best = s->next;
        }
        if (far == 0) return 1;
        if (before == 0) made = s->next;
        if (!tac_finite(far) || (before == 0 && !linearize(s, &G, &inverse))) break;
        tacVec3 move = tac_mulmv3(inverse, F);
        s->next = tac_sub3(s->next, move);
        double size = energy_of(s, move), way = energy_of(s, tac_sub3(s->next, made));
        if (size <= LEFT * LEFT * own || size * turn * way <= LEFT * LEFT * own * own) return 1;
        before = before == 0 || size < SHORTER * SHORTER * before ? size : 0;
    }
    s->next = best;
    return 0;
}

/* 1: the initial forces would change w by more than itself in a step, h |K^-1 g(w)| > |w| in the energy norm. Up to |w|
 * h = 1 they do not. Such a step keeps the energy, but no longer follows the motion. */
static int is_too_fast(const tacSpin *s) {
    tacVec3 g = gyroscopic(&s->I, s->w);
    tacMat3 zero = {{0}}, K = add_scaled(&s->K, 0, &zero), inverse;
    if (s->h * s->h * tac_dot3(s->w, s->w) <= 1) return 0;
    if (!invert(&K, &inverse)) return 1;
    return s->h * s->h * tac_dot3(g, tac_mulmv3(inverse, g)) > energy_of(s, s->w);
}

/* Columns of an inverse matrix. */
typedef struct Inverse {
    tacVec3 x, y, z;
} Inverse;

/* Row of K + a (c + t): c in [w] I, t in -[L] */
static inline tacVec3 slope_row(tacVec3 K, double a, tacVec3 c, tacVec3 t) { return tac_madd3(K, a, tac_add3(c, t)); }

/* (K + h/2 g'(w))^-1 by cofactors, L = I w: linearize() in one go. 0: it is singular. */
static inline int invert_slope(const tacSpin *s, tacVec3 L, Inverse *out) {
    const tacSym3 *I = &s->I, *K = &s->K;
    double half = 0.5 * s->h;
    tacVec3 x = tac_cross3(s->w, tac_vec3(I->xx, I->xy, I->xz)), y = tac_cross3(s->w, tac_vec3(I->xy, I->yy, I->yz)),
            z = tac_cross3(s->w, tac_vec3(I->xz, I->yz, I->zz));
    tacVec3 a = slope_row(tac_vec3(K->xx, K->xy, K->xz), half, tac_vec3(x.x, y.x, z.x), tac_vec3(0, L.z, -L.y));
    tacVec3 b = slope_row(tac_vec3(K->xy, K->yy, K->yz), half, tac_vec3(x.y, y.y, z.y), tac_vec3(-L.z, 0, L.x));
    tacVec3 c = slope_row(tac_vec3(K->xz, K->yz, K->zz), half, tac_vec3(x.z, y.z, z.z), tac_vec3(L.y, -L.x, 0));
    tacVec3 bc = tac_cross3(b, c), ca = tac_cross3(c, a), ab = tac_cross3(a, b);
    double det = tac_dot3(a, bc), d = 1 / det;
    *out = (Inverse){tac_scale3(d, bc), tac_scale3(d, ca), tac_scale3(d, ab)};
    return det != 0 && tac_finite(d);
}

static inline tacVec3 apply(const Inverse *A, tacVec3 f) {
    return tac_vec3(A->x.x * f.x + A->y.x * f.y + A->z.x * f.z, A->x.y * f.x + A->y.y * f.y + A->z.y * f.z,
                    A->x.z * f.x + A->y.z * f.y + A->z.z * f.z);
}

/* The same for slow bodies, |w| h <= SLOW. With w* = w - D and A = K + h/2 g'(w), (ST13) is
 *
 *   A D = h g(w) + h/4 g(D)
 *
 * exactly, since g is quadratic. Each round leaves h^2 |w|^2 / 4 of the last error, which is |w| h at first, over |w|.
 * 0: it does not, for inertias that no body has. */
static int solve_slow(tacSpin *s, double turn) {
    tacVec3 L = tac_mulsv3(s->I, s->w), force = tac_scale3(s->h, tac_cross3(s->w, L)), change, D;
    Inverse inverse;
    s->next = s->w;
    if (!invert_slope(s, L, &inverse)) return 0;
    D = change = apply(&inverse, force);
    for (double error = tac_sqrt(turn) * turn / 4; error > LEFT / 8; error *= turn / 4) {
        tacVec3 last = D;
        D = apply(&inverse, tac_madd3(force, s->h / 4, gyroscopic(&s->I, D)));
        change = tac_sub3(D, last);
        s->steps++;
    }
    s->next = tac_sub3(s->w, D);
    return tac_dot3(change, change) * turn * turn <= 16 * LEFT * LEFT * tac_dot3(s->w, s->w);
}

int tac_spin_solve(tacSpin *s) {
    double turn = s->h * s->h * tac_dot3(s->w, s->w);
    s->steps = 0;
    if (turn <= SLOW * SLOW && solve_slow(s, turn)) return 1;
    int found = search(s);
    return found && !is_too_fast(s);
}

/* (R(q) - 1) x */
static tacVec3 turn_less_one(tacQuat q, tacVec3 x) {
    tacVec3 v = {q.x, q.y, q.z}, t = tac_scale3(2, tac_cross3(v, x));
    return tac_madd3(tac_cross3(v, t), q.w, t);
}

/* Part of c* due to the mass centre's path round the joint, (exp(h [w*]) - 1)(w* x p)/h, turn = exp(h [w*])
 * (ST15) */
static tacVec3 swing_of(const tacSpin *s, tacQuat turn) {
    return tac_scale3(1 / s->h, turn_less_one(turn, tac_cross3(s->next, s->mass.p)));
}
/* The same part of c: w x (w x p) */
static tacVec3 swing_now(const tacSpin *s) { return tac_cross3(s->w, tac_cross3(s->w, s->mass.p)); }

void tac_spin_force(const tacSpin *s, double delta[6]) {
    tacVec3 turning = tac_sub3(gyroscopic(&s->I, mean_of(s)), gyroscopic(&s->mass.I, s->w)), swing;
    if (s->is_free) tac_store3(delta, tac_zero3());
    if (tac_spin_is_beside(s)) {
        swing = swing_of(s, tac_quat_exp(tac_scale3(s->h, s->next)));
        tac_store3(delta, tac_mulmv3(s->R, tac_sub3(swing, swing_now(s))));
        turning = tac_add3(turning, tac_cross3(centre_of(&s->mass), swing));
    }
    tac_store3(delta + (s->is_free ? 3 : 0), turning);
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

int tac_spin_slope(const tacSpin *s, tacSpinSlope *slope) {
    if (!linearize(s, &slope->G, &slope->inverse)) return 0;
    slope->back = add_scaled(&s->K, -0.5 * s->h, &slope->G);
    slope->now = gyroscopic_jac(&s->mass.I, s->w);
    slope->swing = slope->swing_now = tac_zero3();
    if (!s->is_free) return 1;
    slope->turn = tac_quat_exp(tac_scale3(s->h, s->next));
    slope->right = tac_quat_right_jacobian(tac_scale3(s->h, s->next));
    slope->swing = swing_of(s, slope->turn);
    slope->swing_now = swing_now(s);
    return 1;
}

/* r = p/m:  dr = (dp - r dm)/m */
static tacVec3 centre_jvp(const tacSpin *s, const tacSpinMass *d) {
    if (!(s->mass.m > 0)) return tac_zero3();
    return tac_scale3(1 / s->mass.m, tac_madd3(d->p, -d->m, centre_of(&s->mass)));
}

/* (K + h/2 G) dw* = (K - h/2 G) dw - dK (w* - w) - h m x dI m - g(m) dh                                      (ST14) */
static tacVec3 next_jvp(const tacSpin *s, const tacSpinSlope *slope, const tacSpinChange *d, const tacSym3 *dI) {
    tacVec3 mean = mean_of(s), gain = tac_sub3(s->next, s->w), side = tac_mulmv3(slope->back, d->w);
    side = tac_sub3(side, tac_mulsv3(add_diagonal(*dI, d->mass.armature), gain));
    side = tac_madd3(side, -s->h, gyroscopic(dI, mean));
    side = tac_madd3(side, -d->h, gyroscopic(&s->I, mean));
    return tac_mulmv3(slope->inverse, side);
}

/* d((E - 1) s)/h with s = w* x p, E = exp(h [w*]):  dE s = E ((Jr h dw* + w* dh) x s),  Jr w* = w*           (ST16) */
static tacVec3 swing_jvp(const tacSpin *s, const tacSpinSlope *slope, const tacSpinChange *d, tacVec3 dnext) {
    tacVec3 arm = tac_cross3(s->next, s->mass.p);
    tacVec3 darm = tac_add3(tac_cross3(dnext, s->mass.p), tac_cross3(s->next, d->mass.p));
    tacVec3 turn = tac_mulmv3(slope->right, tac_scale3(s->h, dnext));
    tacVec3 swung = tac_cross3(tac_madd3(turn, d->h, s->next), arm);
    tacVec3 sum = tac_add3(turn_less_one(slope->turn, tac_add3(darm, swung)), swung);
    return tac_scale3(1 / s->h, tac_madd3(sum, -d->h, slope->swing));
}

void tac_spin_jvp(const tacSpin *s, const tacSpinSlope *slope, const tacSpinChange *d, double delta[6]) {
    tacVec3 r = centre_of(&s->mass), dr = centre_jvp(s, &d->mass), mean = mean_of(s);
    tacSym3 less = s->is_free ? tac_pointsym3_jvp(s->mass.m, r, d->mass.m, dr) : (tacSym3){0};
    tacSym3 dI = tac_addsym3(d->mass.I, tac_scalesym3(-1, less));
    tacVec3 dnext = next_jvp(s, slope, d, &dI), dmean = tac_scale3(0.5, tac_add3(d->w, dnext));
    tacVec3 turning = tac_add3(tac_mulmv3(slope->G, dmean), gyroscopic(&dI, mean));
    turning = tac_sub3(turning, tac_add3(tac_mulmv3(slope->now, d->w), gyroscopic(&d->mass.I, s->w)));
    if (!s->is_free) {
        tac_store3(delta, turning);
        return;
    }
    tacVec3 arm = tac_cross3(s->w, s->mass.p);
    tacVec3 darm = tac_add3(tac_cross3(d->w, s->mass.p), tac_cross3(s->w, d->mass.p));
    tacVec3 dswing = swing_jvp(s, slope, d, dnext), dnow = tac_add3(tac_cross3(d->w, arm), tac_cross3(s->w, darm));
    tac_store3(delta, tac_mulmv3(s->R, tac_sub3(dswing, dnow)));
    tac_store3(delta + 3, tac_add3(turning, tac_add3(tac_cross3(dr, slope->swing), tac_cross3(r, dswing))));
}

/* d(R x) = R (turn x x), x = R^T delta of translation */
void tac_spin_turn(const tacSpin *s, const tacSpinSlope *slope, tacVec3 turn, double delta[6]) {
    tac_store3(delta, tac_mulmv3(s->R, tac_cross3(turn, tac_sub3(slope->swing, slope->swing_now))));
    tac_store3(delta + 3, tac_zero3());
}

/* Forms: rotation about e_k, then about e_x + e_y, e_x + e_z, e_y + e_z. Then, for a free body, translation, and R e_j
 * with rotation about e_k, (j, k) = (y, z), (z, x), (x, y), whose mixed parts are p. */
int tac_spin_form(const tacSpin *s, int nv, int k, double *z) {
    static const double PAIR[3][3] = {{1, 1, 0}, {1, 0, 1}, {0, 1, 1}};
    double *turn = z + s->dof + (s->is_free ? 3 : 0);
    if (k >= (s->is_free ? TAC_SPIN_FORMS : 6)) return 0;
    memset(z, 0, (size_t)nv * sizeof *z);
    if (k < 3) turn[k] = 1;
    if (k >= 3 && k < 6) memcpy(turn, PAIR[k - 3], sizeof PAIR[0]);
    if (k == 6) z[s->dof] = 1;
    if (k > 6) {
        int j = (k - 6) % 3;
        turn[(j + 1) % 3] = 1;
        tac_store3(z + s->dof, tac_mulmv3(s->R, tac_vec3(j == 0, j == 1, j == 2)));
    }
    return 1;
}

tacSpinMass tac_spin_mass_change(const tacSpin *s, const double f[TAC_SPIN_FORMS]) {
    tacSpinMass d = {
        .I = {f[0], f[1], f[2], 0.5 * (f[3] - f[0] - f[1]), 0.5 * (f[4] - f[0] - f[2]), 0.5 * (f[5] - f[1] - f[2])}};
    if (!s->is_free) return d;
    d.m = f[6];
    /* form 7: j = y, k = z gives p_x; 8: z, x gives p_y; 9: x, y gives p_z */
    d.p = tac_vec3(0.5 * (f[7] - d.m - f[2]), 0.5 * (f[8] - d.m - f[0]), 0.5 * (f[9] - d.m - f[1]));
    return d;
}
