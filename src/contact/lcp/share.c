/* The share of restitution at which an island's impulses give no energy (docs/theory/contact.md, L17). */
#include "contact/lcp/share.h"

#include "math/scalar.h"
#include "solve/falling_root.h"

/* Relative to the sum of the powers' magnitudes. A smaller E is zero to rounding. */
#define ENERGY_ROUNDING 1e-13
/* Limit on the solves of a search. Classes change a few times on the way, and E is a parabola while they hold. A jump
 * of E takes halvings to the last bit. */
#define MOST_SOLVES 80

static double share_of(const tacLcp *lcp, int k) { return lcp->bounce[k] / lcp->restitution[k]; }

double tac_lcp_share_rate(const tacLcp *lcp, int k) {
    if (!(lcp->restitution[k] > 0)) return 0;
    double late = lcp->lag == NULL ? 0 : tac_row_velocity(&lcp->rows, k, lcp->lag);
    return lcp->restitution[k] * (tac_row_velocity(&lcp->rows, k, lcp->v) + late);
}

int tac_lcp_is_limited(const tacLcp *lcp, int island) {
    for (int i = lcp->island_adr[island]; lcp->limited > 0 && i < lcp->island_adr[island + 1]; i++) {
        int k = lcp->order[i];
        if (lcp->restitution[k] > 0) return share_of(lcp, k) < 1;
    }
    return 0;
}

/* Sets s and b of the rows that bounce. */
static void set_share(tacLcp *lcp, int island, double theta) {
    for (int i = lcp->island_adr[island]; i < lcp->island_adr[island + 1]; i++) {
        int k = lcp->order[i];
        if (!(lcp->restitution[k] > 0)) continue;
        double late = lcp->lag == NULL ? 0 : tac_row_velocity(&lcp->rows, k, lcp->lag);
        lcp->bounce[k] = theta * lcp->restitution[k];
        lcp->s[k] = theta * tac_lcp_share_rate(lcp, k) + late;
        lcp->b[k] = tac_row_velocity(&lcp->rows, k, lcp->v_free) + lcp->s[k];
    }
}

/* E of a solved island (L17), from the powers f u of its rows. *size: sum of their magnitudes. *push: sum of bouncing
 * forces where some row gives energy, else 0. */
static double spare_energy(const tacLcp *lcp, int island, double *size, double *push) {
    double E = 0, bouncing = 0;
    int gives = 0;
    *size = 0;
    for (int i = lcp->island_adr[island]; i < lcp->island_adr[island + 1]; i++) {
        int k = lcp->order[i];
        double f = lcp->f[k], before, after = lcp->w[k] - lcp->s[k] - lcp->eps[k] * f;
        if (f == 0) continue;
        before = tac_row_velocity(&lcp->rows, k, lcp->v);
        if (lcp->lag != NULL) before += 2 * tac_row_velocity(&lcp->rows, k, lcp->lag);
        int bounces = lcp->restitution[k] > 0;
        double power = f * (before + after) / 2, meant = bounces ? 0 : tac_max(0, f * after);
        E += meant - power;
        *size += tac_abs(f) * (tac_abs(before) + tac_abs(after)) / 2;
        gives |= power - meant > ENERGY_ROUNDING * *size;
        if (bounces) bouncing += f;
    }
    *push = gives ? bouncing : 0;
    return E;
}

/* E at a share. An unsolved island counts as giving energy. */
static tacStatus try_share(const tacModel *m, tacLcp *lcp, int island, double theta, tacArena *arena, double *E,
                           double *size) {
    double push;
    int unsolved = lcp->unsolved;
    set_share(lcp, island, theta);
    TAC_TRY(tac_lcp_solve_island(m, lcp, island, arena));
    *E = spare_energy(lcp, island, size, &push);
    if (lcp->unsolved > unsolved) *E = -*size;
    lcp->unsolved = unsolved;
    return TAC_OK;
}

/* Solves the island at the share where E ceases to be positive. */
static tacStatus search(const tacModel *m, tacLcp *lcp, int island, double E_whole, tacArena *arena) {
    double size, theta = TAC_LCP_LEAST_SHARE, E;
    int unsolved = lcp->unsolved;
    TAC_TRY(try_share(m, lcp, island, theta, arena, &E, &size));
    tacFallingRoot root = tac_falling_root(theta, E, 1, E_whole);
    for (int k = 0; k < MOST_SOLVES && root.value[0] > 0 && tac_abs(E) > ENERGY_ROUNDING * size; k++) {
        double next = tac_falling_root_next(&root);
        if (!(next > root.at[0] && next < root.at[1])) break;
        theta = next;
        TAC_TRY(try_share(m, lcp, island, theta, arena, &E, &size));
        tac_falling_root_take(&root, theta, E);
    }
    if (E < -ENERGY_ROUNDING * size) theta = root.at[0]; /* a jump: the side that gives no energy */
    set_share(lcp, island, theta);
    lcp->unsolved = unsolved;
    return tac_lcp_solve_island(m, lcp, island, arena);
}

static int bounces(const tacLcp *lcp, int island) {
    for (int i = lcp->island_adr[island]; i < lcp->island_adr[island + 1]; i++)
        if (lcp->restitution[lcp->order[i]] > 0) return 1;
    return 0;
}

tacStatus tac_lcp_limit_bounce(const tacModel *m, tacLcp *lcp, int island, int unsolved, tacArena *arena) {
    double size, push;
    if (lcp->bouncing == 0 || !bounces(lcp, island)) return TAC_OK;
    double E = spare_energy(lcp, island, &size, &push);
    if (push > 0) lcp->bounce_margin = tac_min(lcp->bounce_margin, tac_abs(E) / push);
    if (E >= -ENERGY_ROUNDING * size) return TAC_OK;
    lcp->limited++;
    lcp->unsolved = unsolved;
    return search(m, lcp, island, E, arena);
}
