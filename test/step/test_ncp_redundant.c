/* Contacts that are nearly redundant: a quadruped's front thigh lies along its trunk while the hip is at the end of its
 * range. A gap that is off by 1e-12 m there moves the next velocity by 0.03 m/s, and doubles keep few digits of what
 * single contacts weigh. Both modes of the derivative have the same digits all the same. */
#include "tactus/io.h"
#include "tactus/tactus.h"

#include "support/check.h"
#include "support/draw.h"

#include <stdlib.h>

#define KAPPA       1e-8
#define TOL_REVERSE 1e-10

enum { NX = 37, NDX = 36, NU = 12 };

/* Of 1000 random states the one whose modes were furthest apart, 2e-9. */
static const double STATE[NX] = {
    -0.10125262818663841, 0.20056144533887177,  0.2699773349425997, 0.9549106677780542,  0.18717556878335073,
    -0.21784202351673423, -0.07520489215758913, 0.3372504634721185, 0.9093761400171847,  -2.088001778969892,
    -0.5600195799192378,  0.9733601684644511,   -1.533466671922449, 0.24835208745265794, 2.7158245377128245,
    -1.9599209520993415,  0.2285021545767138,   2.190315543482076,  -1.408078902320792,  -0.22441402624955334,
    0.39115915933284867,  -1.377614042516289,   4.595247175410451,  1.188130335042189,   0.18091551098059366,
    0.25490955916985597,  19.098018246449833,   1.8218089301284044, -7.89976162137458,   17.544387183710096,
    4.1073098778171,      9.40161255193577,     -4.425732537701129, -3.5083135601454485, -26.083978618651546,
    -18.42892272971661,   7.80904659126321};
static const double INPUT[NU] = {0.35216911762304937, 1.7682362184161287,  -2.021769521732777,  -0.40753357083008446,
                                 1.850138136101827,   -1.5563917642716156, 0.20032241023805927, 2.749252425187904,
                                 -1.9308457810969468, -0.3148462810621811, 1.1467700073730747,  -1.5681459391116062};

static void reverse_is_forward(void **state) {
    (void)state;
    tacModel *m;
    tacSim *sim;
    tacError err;
    if (tac_load("models/quadruped.xml", &m, &err) != TAC_OK) fail_msg("%s", err.text);
    CHECK_INT(tac_param_set(m, "geom/front_left_foot.friction[0]", 0.9, &err), TAC_OK);
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NCP, options.ncp_kappa = KAPPA, options.ncp_polish = 5;
    CHECK_INT(tac_sim_new(m, &options, &sim, &err), TAC_OK);
    CHECK(tac_nx(m) == NX && tac_ndx(m) == NDX && tac_ninput(m, &options) == NU);
    double y[NX], A[NDX * NDX], B[NDX * NU];
    tacStepInfo info;
    CHECK_INT(tac_step_jac(sim, STATE, INPUT, y, &(tacJac){A, B, NULL}, &info), TAC_OK);
    CHECK(info.contacts >= 2);
    tacDraw d = {71, 0};
    for (int k = 0; k < 20; k++) {
        double ybar[NDX], gx[NDX], gu[NU], want_x[NDX] = {0}, want_u[NU] = {0};
        draw_array(&d, NDX, ybar);
        CHECK_INT(tac_step_vjp(sim, STATE, INPUT, ybar, &(tacGrad){gx, gu, NULL}, NULL), TAC_OK);
        for (int i = 0; i < NDX; i++) {
            for (int j = 0; j < NDX; j++)
                want_x[j] += ybar[i] * A[i * NDX + j];
            for (int j = 0; j < NU; j++)
                want_u[j] += ybar[i] * B[i * NU + j];
        }
        CHECK_ARRAY(NDX, gx, want_x, TOL_REVERSE);
        CHECK_ARRAY(NU, gu, want_u, TOL_REVERSE);
    }
    tac_sim_free(sim);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(reverse_is_forward)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
