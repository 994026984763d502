/* The numbers that decide how the interior point searches: value, unit, reason, and what gets worse without it. No
 * solution depends on them. Effects are as in contact/ncp/tuning.h, relative to what it states: steps without solution
 * of random models (R), of robots (B) and of drops (D). All are pure numbers. */
#pragma once

/* --- Progress ----------------------------------------------------------------------------------------------------- */

/* A search makes progress if E, or the merit, falls by this factor in STALL_WINDOW steps; a step goes well, and a
 * further step at the solution is worth taking, if it does so in one. A window of 4 along the path, earlier: D 4. */
#define TAC_PROGRESS     0.5
#define TAC_STALL_WINDOW 5
/* Where E is below this share of that at the start it is small: falling products count as progress, systems are those
 * of Newton's method, and a search between the borders that ends continues along the path. 0 for the last,
 * earlier: D 3, B grows by 5; 0 for the first, earlier: B grows by 14. */
#define TAC_SMALL_RESIDUAL 3e-3
/* Maximum number of times that a step which makes nothing smaller is halved. 6: B grows by 10. */
#define TAC_MAX_SHORTENINGS 10
/* Share of the geometric stiffness in the first system and after a step that did not go well. 1, earlier: B doubles. */
#define TAC_GEOMETRIC_SHARE 0.5

/* After a step shorter than this the next one aims at GROWTH times the mean product (or kappa), away from the borders.
 * 0, earlier: R falls by 6 and B by 9, but a finger at 0.01 s has a step without solution
 * (test_dojo_list). */
#define TAC_BLOCKED 0.1

/* --- Between the borders ------------------------------------------------------------------------------------------ */

/* Largest share of the way to the border of a second-order cone that a step takes   [Howell2022, algorithm 2].
 * 1, earlier: 31 iterations in one step of a drop where 30 are allowed. */
#define TAC_SHARE_CURVED 0.99
/* The corrector aims at least at the mean product times this share of what the predictor falls short of a full step.
 * 0, earlier: B grows by 17. */
#define TAC_LEAST_SIGMA 0.3
/* Least length of a predictor whose second-order term is used. Never used, earlier: B grows by 19. */
#define TAC_SECOND_ORDER_REACH 0.5

/* --- Along the path ----------------------------------------------------------------------------------------------- */

/* A step whose merit exceeds this multiple of that before is shortened. 1: R grows by 36, B by 15, D 4. */
#define TAC_GROWTH 2.0
/* kappa falls by no more than this factor in one step, and no lower than this share of (E/E_0)^2 kappa_0. Not
 * measured by itself. */
#define TAC_FALL 0.001
