#include "solve/friction_cone.h"

#include "math/scalar.h"

#include <float.h>
#include <string.h>

#define HALF_ROOT tac_sqrt(0.5)

/* (x_1, x_2) along the tangents <-> along d_k = (t_1 +- t_2)/sqrt 2: the same map both ways. */
static void to_sides(const double x[2], double out[2]) {
    double sum = HALF_ROOT * (x[0] + x[1]), difference = HALF_ROOT * (x[0] - x[1]);
    out[0] = sum;
    out[1] = difference;
}

/* --- As numbers of cones ------------------------------------------------------------------------------------------ */

int tac_friction_cones(const tacFrictionPoint *p, int dim[TAC_FRICTION_CONES]) {
    dim[0] = 1;
    dim[1] = p->pyramid ? 2 : 3;
    dim[2] = 2;
    return p->mu == 0 ? 1 : p->pyramid ? 3 : 2;
}

static double evaluate_pyramid(tacFrictionPoint *p, tacFrictionRhs *e, const double u[2], const double *a,
                               const double *b) {
    double slip[2], x[2], worst = 0;
    to_sides(u, slip);
    for (int k = 0; k < 2; k++) {
        memcpy(p->side_xi[k], a + 2 * k, sizeof p->side_xi[k]);
        memcpy(p->side_eta[k], b + 2 * k, sizeof p->side_eta[k]);
        e->e_side[k][0] = p->side_xi[k][0] - HALF_ROOT * p->mu * p->gamma;
        e->e_side[k][1] = p->side_eta[k][1] - slip[k];
        x[k] = p->side_xi[k][1];
        worst = tac_max(worst, tac_max(tac_abs(e->e_side[k][0]), tac_abs(e->e_side[k][1])));
    }
    p->xi[0] = p->mu * p->gamma;
    to_sides(x, p->xi + 1);
    return worst;
}

static double evaluate_cone(tacFrictionPoint *p, tacFrictionRhs *e, const double u[2], const double *a,
                            const double *b) {
    memcpy(p->xi, a, sizeof p->xi);
    memcpy(p->eta, b, sizeof p->eta);
    e->e_xi = p->xi[0] - p->mu * p->gamma;
    double worst = tac_abs(e->e_xi);
    for (int i = 0; i < 2; i++) {
        e->e_eta[i] = p->eta[1 + i] - u[i];
        worst = tac_max(worst, tac_abs(e->e_eta[i]));
    }
    return worst;
}

double tac_friction_evaluate(tacFrictionPoint *p, tacFrictionRhs *e, const double gap_slip[3], const double *a,
                             const double *b) {
    p->gamma = a[0];
    p->s = b[0];
    *e = (tacFrictionRhs){.e_s = p->s - gap_slip[0] - tac_yield(&p->yield, p->gamma, &p->soft)};
    double worst = tac_abs(e->e_s);
    if (p->mu == 0) return worst;
    return tac_max(worst, (p->pyramid ? evaluate_pyramid : evaluate_cone)(p, e, gap_slip + 1, a + 1, b + 1));
}

void tac_friction_right_side(const tacFrictionPoint *p, const double *c, tacFrictionRhs *e) {
    e->c_normal = c[0];
    for (int i = 0; i < 3; i++)
        e->c_friction[i] = p->mu > 0 && !p->pyramid ? c[1 + i] : 0;
    for (int i = 0; i < 4; i++)
        e->c_side[i / 2][i % 2] = p->mu > 0 && p->pyramid ? c[1 + i] : 0;
}

void tac_friction_store(const tacFrictionPoint *p, const tacFrictionStep *d, double *da, double *db) {
    da[0] = d->gamma;
    db[0] = d->s;
    if (p->mu == 0) return;
    memcpy(da + 1, p->pyramid ? d->side_xi[0] : d->xi, p->pyramid ? sizeof d->side_xi : sizeof d->xi);
    memcpy(db + 1, p->pyramid ? d->side_eta[0] : d->eta, p->pyramid ? sizeof d->side_eta : sizeof d->eta);
}

/* A pair of one cone, n numbers of slip: eta_0^2 - (product/xi_0) eta_0 - |u|^2 = 0, xi_t = -(xi_0/eta_0) u. */
static void start_cone(int n, double bound, double product, const double *u, double *a, double *b) {
    double half = 0.5 * product / bound, square = half * half;
    for (int i = 0; i < n; i++)
        square += u[i] * u[i];
    a[0] = bound;
    b[0] = half + tac_sqrt(square);
    for (int i = 0; i < n; i++) {
        b[1 + i] = u[i];
        a[1 + i] = -bound / b[0] * u[i];
    }
}

void tac_friction_start(const tacFrictionPoint *p, double product, const double u[2], double *a, double *b) {
    double slip[2], bound = p->mu * a[0];
    to_sides(u, slip);
    if (p->mu == 0) return;
    if (!p->pyramid) start_cone(2, bound, product, u, a + 1, b + 1);
    for (int k = 0; k < 2 && p->pyramid; k++)
        start_cone(1, HALF_ROOT * bound, product, slip + k, a + 1 + 2 * k, b + 1 + 2 * k);
}

tacFrictionRhs tac_friction_by_mu(const tacFrictionPoint *p) {
    double side = -HALF_ROOT * p->gamma;
    return (tacFrictionRhs){.e_xi = -p->gamma, .e_side = {{side, 0}, {side, 0}}};
}

tacFrictionRhs tac_friction_by_unit(double kappa, double kappa_friction) {
    return (tacFrictionRhs){
        .c_normal = kappa, .c_friction = {kappa_friction, 0, 0}, .c_side = {{kappa_friction, 0}, {kappa_friction, 0}}};
}

double tac_friction_share(const tacFrictionPoint *p) {
    double most = 0;
    if (!p->pyramid) return tac_sqrt(p->xi[1] * p->xi[1] + p->xi[2] * p->xi[2]) / p->xi[0];
    for (int k = 0; k < 2; k++)
        most = tac_max(most, tac_abs(p->side_xi[k][1]) / p->side_xi[k][0]);
    return most;
}

/* --- Slip given --------------------------------------------------------------------------------------------------- */

/* One pair of a pyramid, with dxi_0 and deta_1 known:
 *   [xi_0  eta_1] [deta_0]   [c_0 - eta_0 dxi_0 - xi_1 deta_1]
 *   [xi_1  eta_0] [dxi_1 ] = [c_1 - eta_1 dxi_0 - xi_0 deta_1]
 * whose determinant xi_0 eta_0 - xi_1 eta_1 is positive inside. */
static void step_side(const double xi[2], const double eta[2], const double c[2], double dxi[2], double deta[2]) {
    double b0 = c[0] - eta[0] * dxi[0] - xi[1] * deta[1], b1 = c[1] - eta[1] * dxi[0] - xi[0] * deta[1];
    double det = xi[0] * eta[0] - xi[1] * eta[1];
    deta[0] = (eta[0] * b0 - eta[1] * b1) / det;
    dxi[1] = (xi[0] * b1 - xi[1] * b0) / det;
}

static void step_pyramid(const tacFrictionPoint *p, const tacFrictionRhs *z, const double du[2], tacFrictionStep *d) {
    double slip[2], x[2];
    to_sides(du, slip);
    for (int k = 0; k < 2; k++) {
        d->side_xi[k][0] = HALF_ROOT * p->mu * d->gamma - z->e_side[k][0];
        d->side_eta[k][1] = slip[k] - z->e_side[k][1];
        step_side(p->side_xi[k], p->side_eta[k], z->c_side[k], d->side_xi[k], d->side_eta[k]);
        x[k] = d->side_xi[k][1];
    }
    to_sides(x, d->xi + 1);
}

/* gamma ds + s dgamma = c_n with ds = dphi - e_s + soft dgamma, then with dxi_0 and deta_t known
 *   [xi_0  eta_t^T] [deta_0]   [c_0 - eta_0 dxi_0 - xi_t . deta_t   ]
 *   [xi_t  eta_0 1] [dxi_t ] = [c_t - eta_t dxi_0 - xi_0 deta_t     ]
 * whose determinant eta_0 (eta_0 xi_0 - eta_t . xi_t) is positive inside. */
tacFrictionStep tac_friction_step(const tacFrictionPoint *p, const tacFrictionRhs *sides, double dphi,
                                  const double du[2]) {
    static const tacFrictionRhs NONE;
    const tacFrictionRhs *z = sides == 0 ? &NONE : sides;
    double hard = dphi - z->e_s;
    tacFrictionStep d = {.gamma = (z->c_normal - p->gamma * hard) / (p->s + p->gamma * p->soft)};
    d.s = hard + p->soft * d.gamma;
    if (p->mu == 0) return d;
    if (p->pyramid) {
        step_pyramid(p, z, du, &d);
        return d;
    }
    const double *xi = p->xi, *eta = p->eta;
    d.xi[0] = p->mu * d.gamma - z->e_xi;
    d.eta[1] = du[0] - z->e_eta[0];
    d.eta[2] = du[1] - z->e_eta[1];
    double b0 = z->c_friction[0] - eta[0] * d.xi[0] - xi[1] * d.eta[1] - xi[2] * d.eta[2];
    double b1 = z->c_friction[1] - eta[1] * d.xi[0] - xi[0] * d.eta[1];
    double b2 = z->c_friction[2] - eta[2] * d.xi[0] - xi[0] * d.eta[2];
    d.eta[0] = (eta[0] * b0 - eta[1] * b1 - eta[2] * b2) / (eta[0] * xi[0] - eta[1] * xi[1] - eta[2] * xi[2]);
    d.xi[1] = (b1 - xi[1] * d.eta[0]) / eta[0];
    d.xi[2] = (b2 - xi[2] * d.eta[0]) / eta[0];
    return d;
}

/* K of a cone: tac_friction_step with zero right sides, for a unit of the gap and of each slip. */
static void cone_stiffness(const tacFrictionPoint *p, double K[9]) {
    const double *xi = p->xi, *eta = p->eta;
    double k = p->gamma / (p->s + p->gamma * p->soft), slide = p->mu * k, over = 1 / eta[0];
    double det = 1 / (eta[0] * xi[0] - eta[1] * xi[1] - eta[2] * xi[2]);
    double deta[3] = {slide * (eta[0] * eta[0] - eta[1] * eta[1] - eta[2] * eta[2]) * det,
                      (eta[1] * xi[0] - eta[0] * xi[1]) * det, (eta[2] * xi[0] - eta[0] * xi[2]) * det};
    K[0] = k;
    K[1] = K[2] = 0;
    for (int i = 1; i < 3; i++) {
        K[3 * i] = (xi[i] * deta[0] - slide * eta[i]) * over;
        for (int j = 1; j < 3; j++)
            K[3 * i + j] = (xi[i] * deta[j] + (i == j ? xi[0] : 0)) * over;
    }
}

void tac_friction_stiffness(const tacFrictionPoint *p, double K[9]) {
    if (p->mu > 0 && !p->pyramid) {
        cone_stiffness(p, K);
        return;
    }
    for (int j = 0; j < 3; j++) {
        double du[2] = {j == 1, j == 2};
        tacFrictionStep d = tac_friction_step(p, 0, j == 0, du);
        K[j] = -d.gamma;
        K[3 + j] = -d.xi[1];
        K[6 + j] = -d.xi[2];
    }
}

/* --- Impulses given ----------------------------------------------------------------------------------------------- */

/* x with xi o x = v: x_0 = (xi_0 v_0 - xi_t . v_t)/det, x_t = (v_t - x_0 xi_t)/xi_0, det = xi_0^2 - |xi_t|^2 as a
 * product that keeps its digits near the border. */
static void divide_by_xi(const double xi[3], const double v[3], double x[3]) {
    double tail = tac_sqrt(xi[1] * xi[1] + xi[2] * xi[2]), det = (xi[0] - tail) * (xi[0] + tail);
    x[0] = (xi[0] * v[0] - xi[1] * v[1] - xi[2] * v[2]) / det;
    x[1] = (v[1] - x[0] * xi[1]) / xi[0];
    x[2] = (v[2] - x[0] * xi[2]) / xi[0];
}

/* dphi = e_s + (c_n - s dgamma)/gamma - soft dgamma,   du = e_eta + [arrow(xi)^-1 (c - arrow(eta) dxi)]_t,
 * dxi = (mu dgamma - e_xi, dp_t) */
void tac_friction_compliance(const tacFrictionPoint *p, double C[9]) {
    double x[3];
    for (int i = 0; i < 9; i++)
        C[i] = 0;
    C[0] = p->s / p->gamma + p->soft;
    if (p->mu == 0) return;
    divide_by_xi(p->xi, p->eta, x);
    C[3] = p->mu * x[1];
    C[6] = p->mu * x[2];
    for (int j = 1; j < 3; j++) {
        double column[3] = {p->eta[j], j == 1 ? p->eta[0] : 0, j == 2 ? p->eta[0] : 0};
        divide_by_xi(p->xi, column, x);
        C[3 + j] = x[1];
        C[6 + j] = x[2];
    }
}

void tac_friction_offset(const tacFrictionPoint *p, const tacFrictionRhs *z, double w[3]) {
    double x[3], v[3];
    w[0] = z->e_s + z->c_normal / p->gamma;
    w[1] = 0;
    w[2] = 0;
    if (p->mu == 0) return;
    for (int i = 0; i < 3; i++)
        v[i] = z->c_friction[i] + z->e_xi * p->eta[i];
    divide_by_xi(p->xi, v, x);
    w[1] = z->e_eta[0] + x[1];
    w[2] = z->e_eta[1] + x[2];
}

/* eta_0 by the first row of the product: xi_0 deta_0 = c_0 - xi_t . deta_t - eta . dxi */
tacFrictionStep tac_friction_step_of_impulse(const tacFrictionPoint *p, const tacFrictionRhs *z, const double dp[3],
                                             const double dphi_du[3]) {
    tacFrictionStep d = {.gamma = dp[0], .s = dphi_du[0] - z->e_s + p->soft * dp[0]};
    if (p->mu == 0) return d;
    d.xi[0] = p->mu * dp[0] - z->e_xi;
    d.xi[1] = dp[1];
    d.xi[2] = dp[2];
    d.eta[1] = dphi_du[1] - z->e_eta[0];
    d.eta[2] = dphi_du[2] - z->e_eta[1];
    double rest = z->c_friction[0] - p->xi[1] * d.eta[1] - p->xi[2] * d.eta[2];
    for (int i = 0; i < 3; i++)
        rest -= p->eta[i] * d.xi[i];
    d.eta[0] = rest / p->xi[0];
    return d;
}

/* --- The central path --------------------------------------------------------------------------------------------- */

/* In a cone the tails are along w_t, |w_t| = t. With |a_t| = p and |b_t| = t - p, a o b = k e becomes
 *   (t - p) (a_0^2 - p^2) = k p,   0 < p < m = min(t, a_0)
 * For small k, p = m - d with a small d. Newton's method finds d between its bounds. It converges quadratically, so it
 * ends after a relative step below the square root of DBL_EPSILON. */
static double short_of(double t, double a_0, double k) {
    double m = tac_min(t, a_0), apart = tac_abs(t - a_0), low = 0, high = m, c = k * m / (a_0 + m);
    double d = tac_min(2 * c / (apart + tac_sqrt(apart * apart + 4 * c)), 0.5 * m), close = tac_sqrt(DBL_EPSILON);
    for (int i = 0; i < 2 * DBL_MANT_DIG; i++) {
        double f = (apart + d) * d * (a_0 + m - d) - k * (m - d);
        double slope = (apart + 2 * d) * (a_0 + m - d) - (apart + d) * d + k, next = d - f / slope;
        if (f > 0)
            high = d;
        else
            low = d;
        if (!(next >= low && next <= high)) next = 0.5 * (low + high);
        if (tac_abs(next - d) <= close * d) return next;
        d = next;
    }
    return d;
}

void tac_friction_project_to_path(int n, double ratio, double k, const double *u, double *a, double *b) {
    double r = tac_sqrt(ratio), a_0 = r * a[0], w[2] = {0, 0}, square = 0;
    for (int i = 0; i < n; i++) {
        w[i] = r * a[1 + i] - u[i] / r;
        square += w[i] * w[i];
    }
    double t = tac_sqrt(square), d = t > 0 ? short_of(t, a_0, k) : 0, p = tac_min(t, a_0) - d;
    double left = t <= a_0 ? d : t - a_0 + d; /* t - p */
    b[0] = (k + p * left) / a_0 * r;
    for (int i = 0; i < n; i++) {
        double along = t > 0 ? w[i] / t : 0;
        a[1 + i] = p * along / r;
        b[1 + i] = -left * along * r;
    }
}

void tac_friction_project_contact(const tacFrictionPoint *p, const tacFrictionPath *path, const double gap_slip[3],
                                  double *a, double *b) {
    const tacFrictionRhs *off = path->off;
    double u[2] = {gap_slip[1], gap_slip[2]};
    b[0] = gap_slip[0] + path->left * off->e_s;
    tac_yield_project_to_path(&p->yield, path->ratio[0], path->k[0], a, b);
    if (p->mu == 0) return;
    if (p->pyramid) to_sides(gap_slip + 1, u);
    for (int i = 0; i < 2; i++)
        u[i] += path->left * (p->pyramid ? off->e_side[i][1] : off->e_eta[i]);
    if (!p->pyramid) {
        a[1] = p->mu * a[0];
        tac_friction_project_to_path(2, path->ratio[1], path->k[1], u, a + 1, b + 1);
        return;
    }
    for (int i = 0; i < 2; i++) {
        a[1 + 2 * i] = HALF_ROOT * p->mu * a[0];
        tac_friction_project_to_path(1, path->ratio[1], path->k[1], u + i, a + 1 + 2 * i, b + 1 + 2 * i);
    }
}
