/* The numbers that decide how the interior point searches: value, unit, reason, and what gets worse without it. No
 * solution depends on them. Effects are as in contact/ncp/tuning.h, with the bases that it states; "before" is a
 * base older than its first. All are pure numbers. */
#pragma once

/* --- Progress ----------------------------------------------------------------------------------------------------- */

/* A search makes progress if E, or the merit, falls by this factor in STALL_WINDOW steps; a step goes well, and a
 * further step at the solution is worth taking, if it does so in one. A step along the path may lead to the largest
 * merit of as many steps. A window of 4 along the path: before, D 4. */
#define TAC_PROGRESS     0.5
#define TAC_STALL_WINDOW 5
/* Where E is below this share of that at the start it is small: falling products count as progress, systems are those
 * of Newton's method, and a search between the borders that ends continues along the path. 0 for all: 3, B 61, D 0,
 * no effect; 0 for the last: before, D 3, B grew by 5; for the first: before, B grew by 14. */
#define TAC_SMALL_RESIDUAL 3e-3
/* Maximum number of halvings: of a step which makes nothing smaller, of the reach where it holds too many contacts, of
 * the motion of an end that does harm. After ten, a thousandth is left. 6: first, B grows by 10. */
#define TAC_MAX_SHORTENINGS 10
/* Share of the geometric stiffness in the first system and after a step that did not go well. 1: 3, B 70,
 * 7 % more iterations of B; before, B doubled. */
#define TAC_GEOMETRIC_SHARE 0.5

/* --- What a step aims at ------------------------------------------------------------------------------------------ */

/* After a step shorter than this the next one aims at GROWTH times the mean product (or kappa), away from the borders.
 * 0: before, R fell by 6 and B by 9, but a finger at 0.01 s has a step without solution
 * (test_dojo_list). */
#define TAC_BLOCKED 0.1
#define TAC_GROWTH  2.0
/* The corrector aims at least at the mean product times this share of what the predictor falls short of a full step.
 * 0: before, B grew by 17. */
#define TAC_LEAST_SIGMA 0.3
/* Halvings of a step along the path that are tried before one is taken whose merit does not fall as it should. 0: a
 * humanoid at 1e-4 s has a step of 57 systems (test_ncp_robots); most systems in dojo-convergence 30, with it 24. */
#define TAC_TRIES 3

/* --- Between the borders ------------------------------------------------------------------------------------------ */

/* Largest share of the way to the border of a second-order cone that a step takes   [Howell2022, algorithm 2].
 * 1: before, 31 iterations in one step of a drop where 30 are allowed. */
#define TAC_SHARE_CURVED 0.99
/* Least length of a predictor whose second-order term is used. Never used: before, B grew by 19. */
#define TAC_SECOND_ORDER_REACH 0.5
