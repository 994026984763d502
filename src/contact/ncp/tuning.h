/* The numbers that decide how contact ncp solves its problem: value, unit, reason, and what gets worse without it. No
 * solution depends on them, only whether and how fast it is found; those that define the problem are in problem.h and
 * rows.h, those of the interior point in solve/.
 *
 * Effects are those of an ablation (test/evidence/evidence_ncp_cost.c, evidence_ncp_drops.c): steps without solution of
 * 60 random models that start in jams (R, of 3600 steps), of nine robots at time steps from 1e-4 to 5e-2 s (B, of
 * 1800), and of polytopes that fall (D, of 360 runs). With all numbers as they are: R 17, B 49, D 0. The effects below
 * are relative to R 158, B 42, D 0: they were measured with seven searches from five starts, before solve.c had its
 * four. B scatters by about 10. Numbers without an effect showed none, or concern derivatives. */
#pragma once

/* --- Features ----------------------------------------------------------------------------------------------------- */

/* m/s: speed beyond its own and that of free fall which a geom may reach within one step and still be found ahead.
 * 0: R and B grow by a sixth and a half, as contacts are found after a search, which starts over. */
#define TAC_NCP_SLACK_SPEED 0.5
/* Maximum number of times the reach is halved where it holds more contacts than there is room for. */
#define TAC_NCP_MAX_HALVINGS 6
/* Maximum rounds of adding features that the solution penetrates. 3: B grows by a half. */
#define TAC_NCP_MAX_ROUNDS 6
/* m: at the end of a search without solution, smaller overlaps are ignored: it may be anywhere. 0: B grows by a
 * fifth. */
#define TAC_NCP_ROUGH_OVERLAP 1e-3
/* Maximum number of times the features are replaced, and after which failed search. Never: B grows by two thirds. */
#define TAC_NCP_MAX_REPLACEMENTS 2
#define TAC_NCP_REPLACE_AFTER    1
/* kappa above which features are not replaced: every feature near q has a force there. */
#define TAC_NCP_SOFT 1e-8

/* --- The end of a search ------------------------------------------------------------------------------------------ */

/* Products of cone variables count as central when they differ from kappa by at most this share of it: the tolerance
 * times CENTRING_PER_TOLERANCE, at most CENTRING_MOST. At a large kappa that share would be a visible motion, so it is
 * also at most CENTRING_SHARE of the tolerance in units of the products. It is never below CENTRING_LEAST, where
 * products may be nothing but rounding. */
#define TAC_NCP_CENTRING_PER_TOLERANCE 1e6
#define TAC_NCP_CENTRING_MOST          1e-3
#define TAC_NCP_CENTRING_SHARE         1e-2
#define TAC_NCP_CENTRING_LEAST         1e-5
/* Relative rounding of positions. */
#define TAC_NCP_POSITION_ROUNDING 1e-15
/* Share of the way to the border of the cones that a step takes at least: in searches from the first start, and in the
 * others, which are more careful. The same for both: B grows by a quarter. */
#define TAC_NCP_SHARE_FIRST  0.9
#define TAC_NCP_SHARE_OTHERS 0.8

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* Derivatives are those of a point of the central path. A solution that is further from it than these shares of the
 * tolerance, of the smallest gap and of kappa is refined by at most REFINEMENTS Newton steps: errors of gaps and
 * products are errors of the derivative. */
#define TAC_NCP_FINE          1e-3
#define TAC_NCP_FINE_CENTRING 1e-7
/* Of the way to the border of a cone: Newton's next step is the square of it. */
#define TAC_NCP_FINE_STEP   1e-3
#define TAC_NCP_REFINEMENTS 6
