/* One row for each option of tacOptions. Defaults, checks, the guide's table and command-line flags come from it.
 *
 *   X(name, KIND, default, range, contact models, words, flag, meaning)
 *
 * KIND: CHOICE (an enum; words in its order), INT, REAL. Default: a number, or the model's value if the meaning says
 * so. Range: R(least, most, bits of TAC_RANGE_*). Contact models: bits of TAC_FOR; 0: all. Flag: command-line flag;
 * NULL: none. */
#pragma once

/* The bit of a contact model in tacOptionInfo.contacts: TAC_CONTACT_BIT(TAC_CONTACT_MODEL_LCP), or TAC_FOR(LCP). */
#define TAC_CONTACT_BIT(contact) (1u << (contact))
#define TAC_FOR(NAME)            TAC_CONTACT_BIT(TAC_CONTACT_MODEL_##NAME)

/* Bits of a range. Without them it is closed and finite. */
enum {
    TAC_RANGE_ABOVE = 1,    /* excludes the least value */
    TAC_RANGE_BELOW = 2,    /* excludes the most */
    TAC_RANGE_OR_ZERO = 4,  /* includes 0 */
    TAC_RANGE_INFINITE = 8, /* includes infinity */
    TAC_RANGE_OWN = 16      /* other contact models accept only the default */
};

#define TAC_OPTION_WORD(NAME, name, text) #name "|"

/* clang-format off */
#define TAC_OPTION_TABLE(X, R)                                                                                         \
    X(contact, CHOICE, TAC_CONTACT_MODEL_SOFT, R(0, TAC_CONTACT_MODEL_COUNT - 1, 0), 0,                                \
      TAC_CONTACT_MODELS(TAC_OPTION_WORD), "--contact",                                                                \
      "contact model")                                                                                                 \
    X(integrator, CHOICE, TAC_INTEGRATOR_EULER, R(0, TAC_INTEGRATOR_STIFF, 0), 0,                                      \
      "euler|rk4|implicit|implicitfast|rkmk4|spin|coriolis|"                                                           \
      "tsit5|dopri5|dopri8|bosh3|heun|ralston|midpoint|stiff|", "--integrator",                                        \
      "time integrator; default: the model's, or euler if the contact model does not support it")                      \
    X(dt, REAL, 0, R(0, TAC_MOST_REAL, TAC_RANGE_ABOVE), 0, NULL, "--dt", "time step, s; default: the model's value")  \
    X(inputs, INT, 0, R(0, 7, 0), 0, NULL, NULL, "blocks of u after ctrl: sum of TAC_INPUT_*")                         \
    X(max_contacts, INT, 0, R(0, 1 << 28, 0), 0, NULL, NULL, "maximum number of contacts; default: tac_max_contacts")  \
    X(toi, INT, 0, R(0, 1, TAC_RANGE_OWN), TAC_FOR(LCP), NULL, "--toi",                                                \
      "the step stops at impacts, so nothing overlaps")                                                                \
    X(toi_impacts, INT, 64, R(0, TAC_MOST_INT, 0), TAC_FOR(LCP), NULL, "--toi-impacts", "maximum impacts per step")    \
    X(gradient, CHOICE, TAC_GRADIENT_EXACT, R(0, TAC_GRADIENT_COMPLEMENTARITY, TAC_RANGE_OWN), TAC_FOR(LCP),           \
      "exact|bounce|complementarity|", NULL, "which derivative a step returns; tactus grad --mode")                    \
    X(bounce_speed, REAL, 0.01, R(0, TAC_MOST_REAL, TAC_RANGE_INFINITE), TAC_FOR(LCP) | TAC_FOR(NCP), NULL,            \
      "--bounce-speed",                                                                                                \
      "contacts that approach more slowly do not bounce, m/s")                                                         \
    X(lcp_dense_rows, INT, 288, R(0, 1 << 15, 0), TAC_FOR(LCP), NULL, "--dense-rows",                                  \
      "maximum rows of a large island for dense matrices; memory grows with the square")                               \
    X(lcp_coriolis, INT, 0, R(0, 1, TAC_RANGE_OWN), TAC_FOR(LCP), NULL, "--coriolis",                                  \
      "Coriolis forces of linked bodies from momenta, so they add no energy")                                 \
    X(ncp_kappa, REAL, 1e-8, R(TAC_NCP_LEAST_KAPPA, TAC_MOST_REAL, 0), TAC_FOR(NCP), NULL, "--kappa",                  \
      "softness of contact: point of the central path for the step and its derivatives")                               \
    X(ncp_gradient_kappa, REAL, 0, R(TAC_NCP_LEAST_KAPPA, TAC_MOST_REAL, TAC_RANGE_OR_ZERO), TAC_FOR(NCP), NULL,       \
      "--gradient-kappa", "softness for derivatives only; 0: the same as for the step")                                \
    X(ncp_friction, CHOICE, TAC_NCP_CONE, R(0, TAC_NCP_FRICTIONLESS, 0), TAC_FOR(NCP), "cone|pyramid|none|",           \
      "--friction", "friction: Coulomb's cone, its inscribed pyramid, or none")                                        \
    X(ncp_collision, CHOICE, TAC_NCP_FEATURES, R(0, TAC_NCP_SINGLE_LEVEL, TAC_RANGE_OWN), TAC_FOR(NCP),                \
      "features|single-level|", "--collision",                                                                         \
      "where shapes touch: by features, or one smooth contact a pair, solved with the impulses")                       \
    X(ncp_geometry_softness, REAL, 1, R(1, TAC_MOST_REAL, TAC_RANGE_OWN), TAC_FOR(NCP), NULL, "--geometry-softness",   \
      "with single-level collision: kappa of the shapes over that of contact, for derivatives only")                   \
    X(ncp_tolerance, REAL, 1e-9, R(0, TAC_MOST_REAL, TAC_RANGE_ABOVE), TAC_FOR(NCP), NULL, "--ncp-tolerance",          \
      "solver tolerance (residual), N s, m, m/s")                                                                      \
    X(ncp_iterations, INT, 200, R(1, TAC_MOST_INT, 0), TAC_FOR(NCP), NULL, "--ncp-iterations",                         \
      "maximum linear systems per step")                                                                               \
    X(ncp_polish, INT, 0, R(0, TAC_MOST_INT, 0), TAC_FOR(NCP), NULL, "--polish",                                       \
      "maximum Newton steps after convergence, while they help")                                                       \
    X(soft_solver, CHOICE, TAC_SOLVER_NEWTON, R(0, TAC_SOLVER_NEWTON, 0), TAC_FOR(SOFT), "pgs|cg|newton|",             \
      "--solver",                                                                                                      \
      "Newton's method or conjugate gradients; pgs selects Newton's; default: the model's")                            \
    X(soft_tolerance, REAL, 0, R(0, 1, TAC_RANGE_BELOW), TAC_FOR(SOFT), NULL, "--tolerance",                           \
      "solver tolerance (residual); 0: down to rounding")                                                              \
    X(soft_iterations, INT, 0, R(0, TAC_MOST_INT, 0), TAC_FOR(SOFT), NULL, "--iterations",                             \
      "maximum solver iterations; 0: the model's value, at least 100 (cg: 1000)")                                      \
    X(soft_ls_tolerance, REAL, 0, R(0, 1, TAC_RANGE_BELOW), TAC_FOR(SOFT), NULL, "--ls-tolerance",                     \
      "line-search tolerance (relative slope); 0: the model's value, at most 1e-3")                                    \
    X(soft_ls_iterations, INT, 0, R(0, TAC_MOST_INT, 0), TAC_FOR(SOFT), NULL, "--ls-iterations",                       \
      "maximum line-search iterations; 0: the model's value, at least 50")                                             \
    X(rtol, REAL, 1e-6, R(1e-14, 1, 0), TAC_FOR(NONE) | TAC_FOR(SOFT), NULL, "--rtol",                                 \
      "relative error tolerance of an inner step")                                                                     \
    X(atol, REAL, 1e-6, R(1e-14, 1, 0), TAC_FOR(NONE) | TAC_FOR(SOFT), NULL, "--atol",                                 \
      "absolute error tolerance of an inner step, SI units of tangent coordinates")                                    \
    X(inner_dt, REAL, 0, R(1e-14, TAC_MOST_REAL, TAC_RANGE_OR_ZERO), TAC_FOR(NONE) | TAC_FOR(SOFT), NULL, "--inner-dt",\
      "first inner step, s; 0: estimated from the state")                                                              \
    X(inner_steps, INT, 0, R(0, TAC_MOST_INT, 0), TAC_FOR(NONE) | TAC_FOR(SOFT), NULL, "--inner-steps",                \
      "fixed number of inner steps, without error control; 0: error control")                                          \
    X(inner_max, INT, 10000, R(1, TAC_MOST_INT, 0), TAC_FOR(NONE) | TAC_FOR(SOFT), NULL, "--inner-max",                \
      "maximum inner steps per step, accepted and rejected")                                                           \
    X(event_max, INT, 1000, R(-1, TAC_MOST_INT, 0), TAC_FOR(NONE) | TAC_FOR(SOFT), NULL, "--event-max",                \
      "maximum events per step with inner steps; -1: events are not looked for")                                       \
    X(inner_checkpoints, INT, 32, R(1, 1 << 20, 0), TAC_FOR(NONE) | TAC_FOR(SOFT), NULL, "--inner-checkpoints",        \
      "inner states that the reverse mode of a step keeps; the others are recomputed")
/* clang-format on */

#define TAC_MOST_REAL 1.7976931348623157e308
#define TAC_MOST_INT  2147483647
