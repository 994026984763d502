/* The numbers that decide how contact ncp solves its problem: value, unit, reason, and what gets worse without it. No
 * solution depends on them, only whether and how fast it is found; those that define the problem are in problem.h and
 * rows.h, those of the interior point in solve/tuning.h.
 *
 * Effects are those of an ablation (test/evidence/evidence_ncp_cost.c, evidence_ncp_drops.c): steps without solution of
 * 60 random models that start in jams (R, of 3600 steps), of nine robots at time steps from 1e-4 to 5e-2 s (B, of
 * 1800), and of polytopes that fall (D, of 360 runs). With all numbers as they are: R 12, B 41, D 0. B scatters by
 * about 10. Effects were measured one by one at R 13, B 41, D 0, before TAC_BLOCKED returned and with two replacements
 * at most; those marked "earlier" with other rules around them. */
#pragma once

/* --- Features ----------------------------------------------------------------------------------------------------- */

/* m/s: speed beyond its own and that of free fall which a geom may reach within one step. Features within it are found
 * ahead; geoms that stay further apart have their nearest features alone. 0, earlier: R and B grow by a
 * sixth and a half, as contacts are found after a search, which starts over. */
#define TAC_NCP_SLACK_SPEED 0.5
/* Maximum number of times that a step changes its features: adds those that a solution penetrates, removes those that
 * are lost, or replaces them. */
#define TAC_NCP_MAX_ROUNDS 6
/* m: at the end of a search without solution, smaller overlaps are ignored: it may be anywhere. 0, earlier: B
 * grows by a fifth. */
#define TAC_NCP_ROUGH_OVERLAP 1e-3
/* m: two computations of the same touch agree to this. Not measured by itself; at 0 a rim's contacts
 * would be added again in each round. */
#define TAC_NCP_SAME_PLACE 1e-6

/* --- Starts and order of searches --------------------------------------------------------------------------------- */

/* Share of the bodies' size: a motion that overlaps by more is rough, and its first searches are between the
 * borders. */
#define TAC_NCP_ROUGH_DEPTH 0.3
/* kappa of the first start; m/s, rad/s: its least gaps are what this speed covers in a step. */
#define TAC_NCP_START_KAPPA 1e-3
#define TAC_NCP_START_SPEED 0.05
/* Share of the energy that must be stopped, in the products at the start: of a motion that overlaps in the first start,
 * of forces that move a dof far in the second. 0 in the first: R grows by 3, B by 13; in the second: B grows by 14. */
#define TAC_NCP_START_ENERGY 0.1
/* Share of the depth of a motion that overlaps, in the least gaps of the first start. 0: R grows by
 * 5, B by 36. */
#define TAC_NCP_START_DEPTH 0.3
/* The second start: kappa, speed of its least gaps, share of the velocity. It is far from the borders, for what the
 * first one does not solve. Not measured by themselves. */
#define TAC_NCP_OTHER_KAPPA 1.0
#define TAC_NCP_OTHER_SPEED 2.0
#define TAC_NCP_OTHER_SHARE 0.5
/* Share of the way to the border of the cones that a step takes at least: in searches from the first start, and in the
 * others, which are more careful. 0.8 for both: D 3, B grows by 11; 0.9 for both, earlier: B grows by 21. */
#define TAC_NCP_SHARE_FIRST  0.9
#define TAC_NCP_SHARE_OTHERS 0.8

/* --- The end of a search ------------------------------------------------------------------------------------------ */

/* Products of cone variables count as central when they differ from kappa by at most this share of it, or of the
 * tolerance where kappa is larger: there the share of kappa would be a visible motion. 1e-3: a tenth more iterations of
 * robots, B grows by 10. */
#define TAC_NCP_CENTRING 1e-2
/* An end that is no solution does harm beyond this multiple of the speed from the velocity before, joint forces and
 * gravity. It decides which end is returned, not whether there is a solution. */
#define TAC_NCP_FASTER 3.0

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* Derivatives are those of a point of the central path. A solution that is further from it than the share FINE of the
 * tolerance and of the smallest gap, or FINE_CENTRING of kappa, is refined by Newton steps, the last of which goes at
 * most the share FINE of the way to the border of a cone: errors of gaps and products are errors of the derivative.
 * FINE_CENTRING is the finest centring of a search, too: below, products of small gaps are rounding. Without
 * refinement, products of dry friction that were a thousandth off made derivatives wrong by as much. */
#define TAC_NCP_FINE          1e-3
#define TAC_NCP_FINE_CENTRING 1e-7
/* Maximum number of Newton steps of the refinement, and of steps along the path before them. A step is taken if it is
 * at most half the last, and leaves about its square: after six, 2^-64 is below rounding. */
#define TAC_NCP_REFINEMENTS 6
