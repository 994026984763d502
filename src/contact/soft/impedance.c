#include "contact/soft/impedance.h"

#include "math/scalar.h"

#define LEAST_IMPEDANCE 1e-4
#define MOST_IMPEDANCE  0.9999
/* Bounds of a piece outside its borders. */
#define LEAST_HELD 1e-5
#define MOST_HELD  0.99999
/* Lower bound of divisors. */
#define TINY 1e-15

static const double DEFAULT_SOLREF[2] = {0.02, 1};

tacSoftness tac_soft_clamp(const double solref[2], const double solimp[5], double shortest) {
    int mixed = (solref[0] > 0) != (solref[1] > 0);
    const double *ref = mixed ? DEFAULT_SOLREF : solref;
    tacSoftness s = {{ref[0], ref[1]}, {solimp[0], solimp[1], solimp[2], solimp[3], solimp[4]}};
    if (s.solref[0] > 0) s.solref[0] = tac_max(s.solref[0], shortest);
    s.solimp[0] = tac_clamp(solimp[0], LEAST_IMPEDANCE, MOST_IMPEDANCE);
    s.solimp[1] = tac_clamp(solimp[1], LEAST_IMPEDANCE, MOST_IMPEDANCE);
    s.solimp[2] = tac_max(solimp[2], 0);
    s.solimp[3] = tac_clamp(solimp[3], LEAST_IMPEDANCE, MOST_IMPEDANCE);
    s.solimp[4] = tac_max(solimp[4], 1);
    return s;
}

/* x^p, exact for the powers found in files. */
static double power(double x, double p) { return p == 1 ? x : p == 2 ? x * x : tac_pow(tac_abs(x), p); }

/* y(x) on [0, 1] from 0 to 1, with power p on both sides of the midpoint c. low: before it. *slope = dy/dx. */
static double transition(double x, int low, double c, double p, double *slope) {
    *slope = 1;
    if (p == 1) return x;
    double z = low ? x : 1 - x, scale = 1 / power(low ? c : 1 - c, p - 1), y = scale * power(z, p);
    *slope = p * scale * power(z, p - 1);
    return low ? y : 1 - y;
}

/* Finds the smooth piece of d(r). y has three: before its midpoint, after it (one piece if p = 1), and beyond the
 * width. At r = 0 it is smooth for p of 2 and more. For smaller p the pieces of the two signs differ. (No number per
 * piece is constant around the end of that border at p = 2. A run that stays on one side of r = 0 ignores the sign.) */
static void find_piece(const double solimp[5], double r, tacImpedance *out) {
    double c = solimp[3], p = solimp[4], width = solimp[2], x = tac_abs(r) / width, next = tac_abs(x - 1);
    out->piece = x >= 1 ? 3 : x > c && p != 1 ? 2 : 1;
    if (p != 1) next = tac_min(next, tac_abs(x - c));
    if (p < 2) next = tac_min(next, x);
    if (p < 2 && r < 0) out->piece = -out->piece;
    out->next = next * width;
    out->past[0] = p != 1 ? (x - c) * width : 0;
    out->past[1] = (x - 1) * width;
}

/* The fixed piece, or that of r: 1, 2 or 3; *x is r in widths. */
static int piece_at(const tacSoftness *s, double r, double *x) {
    double width = s->solimp[2];
    *x = (s->piece < 0 ? -r : tac_abs(r)) / width;
    if (s->piece != 0) return s->piece < 0 ? -s->piece : s->piece;
    return *x >= 1 ? 3 : *x > s->solimp[3] ? 2 : 1;
}

/* d = d_0 + y(|r|/width) (d_1 - d_0). A fixed piece goes on outside its borders, within bounds. */
static void find_impedance(const tacSoftness *s, double r, tacImpedance *out) {
    const double *solimp = s->solimp;
    double d0 = solimp[0], d1 = solimp[1], width = solimp[2];
    out->d = 0.5 * (d0 + d1);
    out->rate = 0;
    out->next = TAC_INFINITY;
    out->piece = 0;
    out->past[0] = out->past[1] = 0;
    if (d0 == d1 || width <= TINY) return;
    find_piece(solimp, r, out);
    double x, slope;
    int piece = piece_at(s, r, &x);
    out->d = piece == 3 ? d1 : d0;
    if (piece == 3 || (x <= 0 && s->piece == 0)) return;
    out->d = d0 + transition(x, piece == 1, solimp[3], solimp[4], &slope) * (d1 - d0);
    out->rate = (r < 0 || s->piece < 0 ? -slope : slope) * (d1 - d0) / width;
    if (out->d >= LEAST_HELD && out->d <= MOST_HELD) return;
    out->d = tac_clamp(out->d, LEAST_HELD, MOST_HELD);
    out->rate = 0;
}

tacImpedance tac_soft_impedance(const tacSoftness *s, double r, int pull) {
    tacImpedance out;
    double d1 = s->solimp[1], time = s->solref[0], ratio = s->solref[1];
    find_impedance(s, r, &out);
    out.K = time > 0 ? 1 / tac_max(TINY, d1 * d1 * time * time * ratio * ratio) : -time / tac_max(TINY, d1 * d1);
    out.B = ratio > 0 ? 2 / tac_max(TINY, d1 * time) : -ratio / tac_max(TINY, d1);
    if (!pull) out.K = 0;
    return out;
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

static int inside(double x, double low, double high) { return x > low && x < high; }

tacSoftness tac_soft_clamp_jvp(const double solref[2], const double solimp[5], double shortest, const tacSoftness *d) {
    tacSoftness out = *d;
    int mixed = (solref[0] > 0) != (solref[1] > 0);
    if (mixed || (solref[0] > 0 && solref[0] <= shortest)) out.solref[0] = 0;
    if (mixed) out.solref[1] = 0;
    for (int i = 0; i < 5; i++) {
        int held = i == 2   ? solimp[2] < 0
                   : i == 4 ? solimp[4] <= 1
                            : !inside(solimp[i], LEAST_IMPEDANCE, MOST_IMPEDANCE);
        if (held) out.solimp[i] = 0;
    }
    return out;
}

/* dy of the transition at x in (0, 1) by its numbers. Below the midpoint y = c^(1-p) x^p, above it 1 - y = (1-c)^(1-p)
 * (1-x)^p. */
static double transition_jvp(double x, int low, double c, double p, double dx, double dc, double dp) {
    double slope, y = transition(x, low, c, p, &slope);
    if (p == 1) return dx;
    if (low) return slope * dx + y * ((1 - p) * dc / c + tac_log(tac_abs(x) / c) * dp);
    return slope * dx + (1 - y) * ((1 - p) * dc / (1 - c) - tac_log(tac_abs(1 - x) / (1 - c)) * dp);
}

/* d = d_0 + y (d_1 - d_0). If d_0 = d_1, the shares are the limits of those beside it. */
static double impedance_jvp(const tacSoftness *s, double r, const double d[5]) {
    const double *solimp = s->solimp;
    double d0 = solimp[0], d1 = solimp[1], width = solimp[2];
    if (width <= TINY) return 0.5 * (d[0] + d[1]);
    double x, slope;
    int piece = piece_at(s, r, &x), low = piece == 1;
    if (piece == 3) return d[1];
    if (x <= 0) return d[0];
    double y = transition(x, low, solimp[3], solimp[4], &slope);
    double dy = transition_jvp(x, low, solimp[3], solimp[4], -x * d[2] / width, d[3], d[4]);
    return (1 - y) * d[0] + y * d[1] + dy * (d1 - d0);
}

tacImpedance tac_soft_impedance_jvp(const tacSoftness *s, double r, int pull, const tacSoftness *d) {
    tacImpedance at = tac_soft_impedance(s, r, pull), out = {.d = impedance_jvp(s, r, d->solimp)};
    double d1 = s->solimp[1], time = s->solref[0], ratio = s->solref[1], log_d1 = d->solimp[1] / d1;
    double square = d1 * d1 * time * time * ratio * ratio;
    if (time <= 0)
        out.K = -d->solref[0] / (d1 * d1) - 2 * at.K * log_d1;
    else if (square > TINY)
        out.K = -2 * at.K * (log_d1 + d->solref[0] / time + d->solref[1] / ratio);
    if (ratio <= 0)
        out.B = -d->solref[1] / d1 - at.B * log_d1;
    else if (d1 * time > TINY)
        out.B = -at.B * (log_d1 + d->solref[0] / time);
    if (!pull) out.K = 0;
    return out;
}
