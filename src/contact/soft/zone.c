/* Signals: numbers whose signs tell the zone of a block and the piece of its impedance (docs/theory/soft.md, Z3,
 * Z5-Z7). Held signs fix both, so that forces are smooth functions of the state (docs/theory/adaptive.md,
 * AD14). */
#include "contact/soft/problem.h"

#include "math/scalar.h"

/* Borders of the impedance's pieces, where f_x or its derivative jumps; as accelerations. */
static int piece_signals(const tacSoftBlock *b, double *out) {
    if (b->kind == TAC_SOFT_LOSS) return 0;
    out[0] = b->z.K * b->z.past[0];
    out[1] = b->z.K * b->z.past[1];
    return 2;
}

static int elliptic_signals(const tacSoftBlock *b, const double *y, double *out) {
    double N = b->mu * y[0], T = 0;
    for (int k = 1; k < b->n; k++)
        T += b->friction[k - 1] * b->friction[k - 1] * y[k] * y[k];
    T = tac_sqrt(T);
    out[0] = N - b->mu * T;
    out[1] = b->mu * N + T;
    return 2;
}

static int law_signals(const tacSoftBlock *b, const double *D, const double *y, double *out) {
    switch (b->kind) {
    case TAC_SOFT_EQUALITY:
        return 0;
    case TAC_SOFT_LOSS:
        out[0] = y[0] - b->loss / D[0];
        out[1] = y[0] + b->loss / D[0];
        return 2;
    case TAC_SOFT_LIMIT:
        out[0] = y[0];
        return 1;
    case TAC_SOFT_PYRAMID:
        for (int k = 1; k < b->n; k++) {
            out[2 * k - 2] = y[0] + b->friction[k - 1] * y[k];
            out[2 * k - 1] = y[0] - b->friction[k - 1] * y[k];
        }
        return 2 * (b->n - 1);
    default:
        return elliptic_signals(b, y, out);
    }
}

int tac_soft_signals(const tacSoftBlock *b, const double *D, const double *y, double *out) {
    int n = piece_signals(b, out);
    return n + law_signals(b, D, y, out + n);
}

void tac_soft_hold_piece(tacSoftBlock *b, const unsigned char *sign) {
    if (b->kind == TAC_SOFT_LOSS) return;
    b->piece = sign[1] ? 3 : sign[0] ? 2 : 1;
    if (b->kind != TAC_SOFT_EQUALITY) b->piece = -b->piece; /* r < 0 while it acts */
}

int tac_soft_hold_law(tacSoftBlock *b, const unsigned char *sign) {
    int pieces = b->kind == TAC_SOFT_LOSS ? 0 : 2, zone = TAC_ZONE_QUADRATIC, n = 2;
    const unsigned char *s = sign + pieces;
    switch (b->kind) {
    case TAC_SOFT_EQUALITY:
        n = 0;
        break;
    case TAC_SOFT_LOSS: /* y above loss/D, or not above -loss/D */
        zone = s[0] ? TAC_ZONE_HIGH : s[1] ? TAC_ZONE_QUADRATIC : TAC_ZONE_LOW;
        break;
    case TAC_SOFT_LIMIT:
        zone = s[0] ? TAC_ZONE_FREE : TAC_ZONE_QUADRATIC;
        n = 1;
        break;
    case TAC_SOFT_PYRAMID:
        n = 2 * (b->n - 1);
        zone = 0;
        for (int k = 0; k < n; k++)
            zone |= s[k] ? 0 : 1 << k;
        break;
    default:
        zone = s[0] ? TAC_ZONE_FREE : s[1] ? TAC_ZONE_CONE : TAC_ZONE_QUADRATIC;
    }
    b->law = 1 + zone;
    return pieces + n;
}
