/* One row an option of tacOptions: defaults, checks, the guide's table and flags of the command line are made of it.
 *
 *   X(name, KIND, default, range, contact models, words, flag, meaning)
 *
 * KIND: CHOICE (an enum; words in its order), INT, REAL. Default: a number; the model's where the meaning says so.
 * Range: R(least, most, bits of TAC_RANGE_*). Contact models: bits of TAC_FOR, 0 for all. Flag: of the command line, or
 * NULL. */
#pragma once

#define TAC_FOR(contact) (1u << (contact))

/* Bits of a range. */
enum {
    TAC_RANGE_ABOVE = 1,    /* the least is not in it */
    TAC_RANGE_BELOW = 2,    /* the most is not in it */
    TAC_RANGE_OR_ZERO = 4,  /* 0 is in it too */
    TAC_RANGE_INFINITE = 8, /* infinity is in it too */
    TAC_RANGE_OWN = 16      /* contact models that do not read it refuse all but the default */
};

#define TAC_OPTION_WORD(NAME, name, text) #name "|"

/* clang-format off */
#define TAC_OPTION_TABLE(X, R)                                                                                         \
    X(contact, CHOICE, TAC_SOFT, R(0, TAC_CONTACT_COUNT - 1, 0), 0, TAC_CONTACT_MODELS(TAC_OPTION_WORD), "--contact",  \
      "contact model")                                                                                                 \
    X(integrator, CHOICE, TAC_EULER, R(0, TAC_CORIOLIS, 0), 0,                                                        \
      "euler|rk4|implicit|implicitfast|rkmk4|spin|coriolis|", "--integrator",                                          \
      "time integration; default: the model's, or Euler's where the contact model does not have it")                   \
    X(dt, REAL, 0, R(0, TAC_MOST_REAL, TAC_RANGE_ABOVE), 0, NULL, "--dt", "time step, s; default: the model's")        \
    X(inputs, INT, 0, R(0, 7, 0), 0, NULL, NULL, "blocks of u after the controls: sum of TAC_INPUT_*")                 \
    X(max_contacts, INT, 0, R(0, 1 << 28, 0), 0, NULL, NULL, "contacts there is room for; default: tac_max_contacts")  \
    X(toi, INT, 0, R(0, 1, TAC_RANGE_OWN), TAC_FOR(TAC_LCP), NULL, "--toi",                                            \
      "steps stop at impacts, so that nothing overlaps")                                                               \
    X(toi_impacts, INT, 64, R(0, TAC_MOST_INT, 0), TAC_FOR(TAC_LCP), NULL, "--toi-impacts", "most impacts in a step")  \
    X(gradient, CHOICE, TAC_GRADIENT_EXACT, R(0, TAC_GRADIENT_COMPLEMENTARITY, TAC_RANGE_OWN), TAC_FOR(TAC_LCP),       \
      "exact|bounce|complementarity|", NULL, "which derivative a step returns; tactus grad --mode")                    \
    X(bounce_speed, REAL, 0.01, R(0, TAC_MOST_REAL, TAC_RANGE_INFINITE), TAC_FOR(TAC_LCP) | TAC_FOR(TAC_NCP), NULL,    \
      "--bounce-speed",                                                                                                \
      "contacts that close more slowly do not bounce, m/s")                                                            \
    X(lcp_dense_rows, INT, 288, R(0, 1 << 15, 0), TAC_FOR(TAC_LCP), NULL, "--dense-rows",                              \
      "most rows of a large island that may be solved with dense matrices; memory grows with the square")              \
    X(lcp_coriolis, INT, 0, R(0, 1, TAC_RANGE_OWN), TAC_FOR(TAC_LCP), NULL, "--coriolis",                              \
      "Coriolis forces of linked bodies are linearly implicit, so that they feed in no energy")                        \
    X(ncp_kappa, REAL, 1e-8, R(TAC_NCP_LEAST_KAPPA, TAC_MOST_REAL, 0), TAC_FOR(TAC_NCP), NULL, "--kappa",              \
      "softness of contact at which the step is solved and differentiated")                                            \
    X(ncp_gradient_kappa, REAL, 0, R(TAC_NCP_LEAST_KAPPA, TAC_MOST_REAL, TAC_RANGE_OR_ZERO), TAC_FOR(TAC_NCP), NULL,   \
      "--gradient-kappa", "softness of the derivatives alone; 0: that of the step")                                    \
    X(ncp_friction, CHOICE, TAC_NCP_CONE, R(0, TAC_NCP_FRICTIONLESS, 0), TAC_FOR(TAC_NCP), "cone|pyramid|none|",       \
      "--friction", "Coulomb's cone, its inscribed pyramid, or impact alone")                                          \
    X(ncp_tolerance, REAL, 1e-9, R(0, TAC_MOST_REAL, TAC_RANGE_ABOVE), TAC_FOR(TAC_NCP), NULL, "--ncp-tolerance",      \
      "residual at which the search may stop, N s, m, m/s")                                                            \
    X(ncp_iterations, INT, 200, R(1, TAC_MOST_INT, 0), TAC_FOR(TAC_NCP), NULL, "--ncp-iterations",                     \
      "most linear systems of a step")                                                                                 \
    X(ncp_polish, INT, 0, R(0, TAC_MOST_INT, 0), TAC_FOR(TAC_NCP), NULL, "--polish",                                   \
      "further Newton steps once it has stopped, while they help")                                                     \
    X(soft_solver, CHOICE, TAC_SOLVER_NEWTON, R(0, TAC_SOLVER_NEWTON, 0), TAC_FOR(TAC_SOFT), "pgs|cg|newton|",         \
      "--solver",                                                                                                      \
      "Newton's method or conjugate gradients; pgs stands for Newton's; default: the model's")                         \
    X(soft_tolerance, REAL, 0, R(0, 1, TAC_RANGE_BELOW), TAC_FOR(TAC_SOFT), NULL, "--tolerance",                       \
      "residual at which the solver stops; 0: it stops at rounding")                                                   \
    X(soft_iterations, INT, 0, R(0, TAC_MOST_INT, 0), TAC_FOR(TAC_SOFT), NULL, "--iterations",                         \
      "most iterations of the solver; 0: the larger of the model's number and 100 (cg: 1000)")                         \
    X(soft_ls_tolerance, REAL, 0, R(0, 1, TAC_RANGE_BELOW), TAC_FOR(TAC_SOFT), NULL, "--ls-tolerance",                 \
      "tolerance of the line search, relative to its first slope; 0: the smaller of the model's and 1e-3")             \
    X(soft_ls_iterations, INT, 0, R(0, TAC_MOST_INT, 0), TAC_FOR(TAC_SOFT), NULL, "--ls-iterations",                   \
      "most iterations of the line search; 0: the larger of the model's number and 50")
/* clang-format on */

#define TAC_MOST_REAL 1.7976931348623157e308
#define TAC_MOST_INT  2147483647
