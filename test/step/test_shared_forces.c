/* Contact lcp: rows that share forces. Corners of a box that stands on another ask for different velocities where the
 * boxes turn, and compliance alone decides their forces: forward and reverse mode still agree to rounding
 * (docs/theory/contact.md, L6). */
#include "support/check.h"
#include "tactus/io.h"
#include "tactus/tactus.h"

#include <math.h>
#include <string.h>

/* Rounding of some terms, relative to the sum of their sizes. Without one matrix for both modes: 4e-10. */
#define TOL_MODES 1e-12

enum { NX = 52, NDX = 48 };

/* Boxes of test/data/box_pile.xml: a and c stand on faces, to 2e-10 m, and all slide and turn. */
static const double PILE[NX] = {
    -0.026335007080004937,   -0.0871554054950751,     0.10000085000549623,    0.9967393726932869,
    -4.984008301132817e-07,  -4.0351374481719676e-08, 0.08068843115801329,    0.31228559034139275,
    0.1505302027417528,      0.1438307628677356,      0.9761561007480946,     -0.004258153020891088,
    0.019228086520405193,    0.21617450310777048,     -0.016911924426054315,  -0.1111437522117347,
    0.3100018749283229,      0.9707775650989994,      -4.984194471858187e-07, 4.0349382119876386e-08,
    0.2399810807130628,      -0.43193684104827,       -0.0891017173449161,    0.5221355716485282,
    0.9747273320501258,      0.1934755299684751,      -0.003328088340351187,  -0.11163678285340968,
    0.00013303826439278364,  -0.0008163312475481382,  -0.0011406195926394538, 0.008270824757513472,
    -3.6838358614072474e-09, -3.109226963364698e-09,  -0.1413803081386418,    -0.06584804632913618,
    -0.10317777498983391,    5.779075984138718e-14,   -1.082808496979863,     2.574326649477747e-15,
    0.0004124155367751527,   0.006450655783895046,    -0.0013492637951771167, 0.00784274099335238,
    -0.002626366876143888,   -4.2719685915883673e-10, -1.3830701710344628,    -0.03792382227048528,
    -1.5751584514644654,     -0.9313866839856675,     -0.7886009661231765,    0.9985422880015764,
};

/* Largest |ybar . A_j - g_j| over the columns j of A, each over the sizes of its terms. */
static double apart(const double *A, const double *ybar, const double *g) {
    double worst = 0;
    for (int j = 0; j < NDX; j++) {
        double sum = 0, size = 1;
        for (int i = 0; i < NDX; i++) {
            sum += ybar[i] * A[i * NDX + j];
            size += fabs(ybar[i] * A[i * NDX + j]);
        }
        worst = fmax(worst, fabs(sum - g[j]) / size);
    }
    return worst;
}

static void modes_agree(void **state) {
    (void)state;
    static double A[NDX * NDX];
    double ybar[NDX], g[NDX];
    tacModel *m;
    tacSim *sim;
    tacError err;
    tacStepInfo info;
    if (tac_load("test/data/box_pile.xml", &m, &err) != TAC_OK) fail_msg("%s", err.text);
    CHECK(tac_nx(m) == NX && tac_ndx(m) == NDX && m->nu == 0);
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_LCP;
    options.toi = 1;
    options.dt = 0.002;
    if (tac_sim_new(m, &options, &sim, &err) != TAC_OK) fail_msg("%s", err.text);
    for (int i = 0; i < NDX; i++)
        ybar[i] = tac_random_normal(3, 34, (uint64_t)i);
    CHECK_INT(tac_step_jac(sim, PILE, NULL, NULL, &(tacJac){A, NULL, NULL}, &info), TAC_OK);
    CHECK_INT(tac_step_vjp(sim, PILE, NULL, ybar, &(tacGrad){g, NULL, NULL}, NULL), TAC_OK);
    CHECK(info.contacts > 3 && info.conditioning > 1e6);
    CHECK_LT(apart(A, ybar, g), TOL_MODES);
    tac_sim_free(sim);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(modes_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
