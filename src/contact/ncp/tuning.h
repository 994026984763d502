/* The numbers that decide how contact ncp solves its problem: value, unit, reason, and what gets worse without it. No
 * solution depends on them, only whether and how fast it is found; those that define the problem are in problem.h and
 * rows.h, those of the interior point in solve/tuning.h.
 *
 * Effects are those of an ablation (tools/ablate.py): steps without solution of 240 random models, many of which start
 * in jams (R), of nine robots at time steps from 1e-4 to 5e-2 s (B), and runs with such a step of polytopes that fall
 * (D). Draws count by their number: draw 3 gives R 84 of 3600, B 62 of 1800, D 0 of 360.
 * R and B scatter from draw to draw by a quarter, so that less is no effect. The bases of effects:
 *   old    draws 0 and 1 when kappa started at 1e-2 and fell by 100 at most: R 89 of 7200 (60 models of 60 steps),
 *          B 147 of 3600, D 0 of 720
 *   path   draws 0, 1, 2 of the same: R 186 of 10800, B 203 of 5400, D 0 of 1080
 *   3      draw 3, with the numbers as they are but the second start at half the velocity
 *   first  one draw, before solve/interior.c had one loop: R 13 of 3600, B 41 of 1800, D 0 of 360 */
#pragma once

/* --- Features ----------------------------------------------------------------------------------------------------- */

/* m/s: speed beyond its own and that of free fall which a geom may reach within one step. Features within it are found
 * ahead; geoms that stay further apart have their nearest features alone. 0: 3, R 82, B 57, iterations of D grow by
 * 2 %; first, R and B grew by a sixth and a half, as contacts are found after a search, which starts over. */
#define TAC_NCP_SLACK_SPEED 0.5
/* Maximum number of times that a step changes its features: adds those that a solution penetrates, removes those that
 * are lost, or replaces them. 3: 3, B 61, D 0, no effect; first, B grew by a half. */
#define TAC_NCP_MAX_ROUNDS 6
/* m: at the end of a search without solution, smaller overlaps are ignored: it may be anywhere. 0: 3, B 52, no effect;
 * before first, B grew by a fifth. */
#define TAC_NCP_ROUGH_OVERLAP 1e-3
/* m: two computations of the same touch agree to this; a rim meets an edge in two places, which are further apart. 0:
 * old, R 195. Unbounded: a collision of a rim lacks a contact (test_ncp_contacts). */
#define TAC_NCP_SAME_PLACE 1e-6

/* --- Starts and order of searches --------------------------------------------------------------------------------- */

/* Share of the bodies' size: a motion that overlaps by more is rough, and its first searches are between the borders.
 * No motion: D 2 of 1440 (starts 0 to 39; else 0). All motions: old, iterations of R grow by 15 %. */
#define TAC_NCP_ROUGH_DEPTH 0.3
/* kappa of the first start; m/s, rad/s: its least gaps are what this speed covers in a step. Less of both is nearer to
 * contact: a standing ant takes 3 systems, with 1e-2 and 0.2 it takes 4. kappa 1e-4: path, D 6; 2e-2: path, R 209.
 * Speed 0.1: iterations of D grow by a third (starts 0 to 39). */
#define TAC_NCP_START_KAPPA 1e-3
#define TAC_NCP_START_SPEED 0.05
/* Share of the energy that must be stopped, in the products at the start: of a motion that overlaps in the first start,
 * of forces alone in the second. 0 in the first: first, R grows by 3, B by 13; in the second: old, B 165. */
#define TAC_NCP_START_ENERGY 0.1
/* Share of the depth of a motion that overlaps, in the least gaps of the first start. 0: first, R grows by
 * 5, B by 36. */
#define TAC_NCP_START_DEPTH 0.3
/* The second start: kappa, speed of its least gaps. At rest and far from the borders, for what the first one does not
 * solve. kappa 1e-2: old, R 63, B 143; speed 0.2: draw 1 of old, R 72 of 73, B 76 of 93: neither earns its place by
 * counts. */
#define TAC_NCP_OTHER_KAPPA 1.0
#define TAC_NCP_OTHER_SPEED 2.0
/* Share of the way to the border of the cones that a step takes at least: in searches from the first start, and in the
 * others, which are more careful. 0.8 for both: first, D 3, B grows by 11. 0.9 for both: 3, B 50;
 * before first, B grew by 21. */
#define TAC_NCP_SHARE_FIRST  0.9
#define TAC_NCP_SHARE_OTHERS 0.8
/* Searches with pairs that go slowly: the share of the way to the border, and of the mean product that a step aims at
 * least. A box that slides while it spins, and comes to stick, needs them: 8 of 11 steps that five fast starts do not
 * solve. */
#define TAC_NCP_SHARE_CAREFUL 0.7
#define TAC_NCP_AIM_CAREFUL   0.5

/* --- The end of a search ------------------------------------------------------------------------------------------ */

/* Products of cone variables count as central when they differ from kappa by at most this share of it, or of the
 * tolerance where kappa is larger: there the share of kappa would be a visible motion. 1e-3: first, a tenth more
 * iterations of robots, B grows by 10. */
#define TAC_NCP_CENTRING 1e-2
/* An end that is no solution does harm beyond this multiple of the speed from the velocity before, joint forces and
 * gravity. It decides which end is returned, not whether there is a solution. No bound: old, R 87, B 147. */
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
