"""The papers' experiments: each meets its criterion (tactus reproduce)."""

import json

from checks.registry import Failed, Result, check, last_line

SECONDS = 1800


def reproduce(context, name):
    """The document of one experiment, run once; exit code 1 says that its criterion does not hold and is not a failure to run."""
    return context.once(f"reproduce {name}", lambda context: reproduce_anew(context, name))


def reproduce_anew(context, name):
    done = context.run("taskset", "-c", "0", context.tactus, "reproduce", name, "--json", seconds=SECONDS)
    if done.returncode not in (0, 1) or not done.stdout.strip():
        raise Failed(f"{name}: exit {done.returncode}: {last_line(done.stderr)}")
    return json.loads(done.stdout)


def experiment(name, bar, figure, slow=False):
    """Registers the check reproduce-NAME; figure(paper, tactus) says in short what came out."""

    @check(f"reproduce-{name}", bar=bar, slow=slow)
    def run(context):
        got = reproduce(context, name)
        lines = [f"paper  {json.dumps(got['paper'])[:2000]}", f"tactus {json.dumps(got['tactus'])[:2000]}"]
        return Result(got["pass"] is True, figure(got["paper"], got["tactus"]), lines)

    return run


def jacobians_figure(paper, tactus):
    speedups = " / ".join(f"{tactus[scene]['speedup']:.1f}" for scene in paper)
    nimble = " / ".join(f"{tactus[scene]['times_faster_than_nimble_2025']:.1f}" for scene in paper)
    return f"speed-up {speedups}, errors at most {max(tactus[scene]['worst_error'] for scene in paper):.1e}; {nimble} times Nimble as measured"


experiment(
    "nimble-jacobians",
    "Atlas, half-cheetah, jump-worm, catapult: errors at most 1e-7, at least 45.8 / 8.6 / 6.4 / 6.4 times as fast as central differences",
    jacobians_figure,
)
NIMBLE_FASTER = {"atlas": 20, "half_cheetah": 10, "jumpworm": 10, "catapult": 10}
NIMBLE_RUNS = 3  # of which each scene's quietest counts
TOL_CATAPULT = 1e-7  # Nimble's own block by position is 20 % off where an edge lies across an edge


@check(
    "lcp-speed-nimble",
    bar="step with all five Jacobians at least 20 times as fast as Nimble on Atlas and 10 times on half-cheetah, jump-worm and catapult, as it was measured on a 2.8 GHz Xeon; the catapult's edge-edge block right",
    slow=True,
)
def speed_nimble(context):
    runs = [reproduce_anew(context, "nimble-jacobians")["tactus"] for _ in range(NIMBLE_RUNS)]
    best = {scene: max(run[scene]["times_faster_than_nimble_2025"] for run in runs) for scene in NIMBLE_FASTER}
    error = max(run["catapult"]["error"]["dv+/dq"] for run in runs)
    lines = [f"{scene}: {' '.join(format(run[scene]['us_analytic'], '.1f') for run in runs)} us" for scene in best]
    ok = all(best[scene] >= bar for scene, bar in NIMBLE_FASTER.items()) and error <= TOL_CATAPULT
    return Result(ok, ", ".join(f"{scene} {ratio:.1f}" for scene, ratio in best.items()) + f"; catapult's block off by {error:.0e}", lines)


experiment(
    "nimble-lcp-guess",
    "the last step's classes are right again in at least 0.95 of the steps in contact",
    lambda paper, tactus: f"{tactus['share']:.4f}",
)
experiment(
    "nimble-bounce",
    "the gradient of a bounce within 1e-6 of -e; two elastic balls give (1, 0, 1, 0)",
    lambda paper, tactus: f"off by {tactus['worst_ball']:.1e}; two balls off by {tactus['worst_two_balls']:.1e}",
)
experiment(
    "nimble-drone",
    "plain gradients move less than 1e-6; complementarity-aware ones end within 0.1 m of the target height",
    lambda paper, tactus: f"plain {tactus['exact']['moved']:.1e} m; aware ends {abs(paper['target'] - tactus['complementarity']['height_last']):.4f} m from the target, {abs(paper['target'] - tactus['complementarity']['height_after_50']):.3f} m after 50 iterations",
)
experiment(
    "nimble-mass-id",
    "the mass of a pushed box: 2.5 kg to 1e-7 in at most 20 iterations, without a prior",
    lambda paper, tactus: f"off by {tactus['worst']:.1e} kg, {tactus['iterations']} iterations",
)
experiment(
    "jade-sliding",
    "optimized pushes replayed in an analytic friction world: both targets within 1 mm",
    lambda paper, tactus: f"{1e3 * tactus['to_B']['replay_miss']:.3f} and {1e3 * tactus['to_C']['replay_miss']:.3f} mm; off the axes, without a bar, {1e3 * tactus['aslant']['replay_miss']:.0f} mm",
)
experiment(
    "jade-thin-plate",
    "plates of 20 and 2 mm lifted 5 cm with overlap at most 1e-9 m; with toi off not",
    lambda paper, tactus: "; ".join(f"{name} {1e2 * row['lifted']:.1f} cm, overlap {row['overlap']:.1e} m" for name, row in tactus.items()),
)
experiment(
    "jade-dantzig",
    "at least 1000 random frictional problems on which the uncorrected step length fails, all solved",
    lambda paper, tactus: f"{tactus['of_those_solved']} of {tactus['uncorrected_fails']} solved ({tactus['of_those_solved_by_corrected']} by the corrected length alone), worst violation {tactus['worst_violation']:.0e}",
)
experiment(
    "dojo-friction-cone",
    "a block slides less than 1e-6 m aside of a straight line with a cone, more than 1e-2 m with a pyramid",
    lambda paper, tactus: f"{tactus['cone']['aside']:.1e} and {tactus['pyramid']['aside']:.2f} m",
)
experiment(
    "dojo-energy",
    "momentum of an astronaut within 1e-8, energy of mechanisms within the tolerances of Dojo's tests",
    lambda paper, tactus: f"momentum {tactus['momentum']:.1e}; energy " + ", ".join(f"{k} {v:.0e}" for k, v in tactus["energy"].items()),
)
experiment(
    "dojo-dzhanibekov",
    "a handle turns over within 0.1 s of when Euler's equations say, momentum within 1e-8",
    lambda paper, tactus: "; ".join(f"{row['half_over']:.3f} of {row['half_over_by_euler']:.3f} s" for row in tactus.values()),
)
experiment(
    "dojo-tippe-top",
    "two tops turn over; Jellett's constant of the round one kept to 1e-2",
    lambda paper, tactus: f"axes down to {tactus['dojo_top']['axis_lowest']:.2f} and {tactus['round_top']['axis_lowest']:.2f}; Jellett's constant to {tactus['round_top']['jellett_change']:.1e}",
)
experiment(
    "dojo-gradients",
    "derivatives of pushes on a box at rest equal differences to 1e-6 at five softnesses",
    lambda paper, tactus: f"off by {tactus['worst']:.1e}; noise of smoothing {max(row['noise_from_values'] for row in tactus['friction']['smoothing']):.2f}",
)
experiment(
    "dojo-atlas-drop",
    "Atlas falls: penetration at most 1e-9 m at steps of 0.1, 0.01 and 0.001 s",
    lambda paper, tactus: "gaps at least " + ", ".join(f"{-row['penetration']:+.0e}" for row in tactus.values()) + " m",
)
experiment(
    "dojo-low-frequency",
    "heights of Atlas and A1 as they fall within 3 cm (root mean square) of 500 Hz from 50 Hz on",
    lambda paper, tactus: "; ".join(f"{name} {1e3 * row['rms_20']:.0f} / {1e3 * row['rms_50']:.0f} / {1e3 * row['rms_100']:.0f} / {1e3 * row['rms_200']:.0f} mm" for name, row in tactus.items()),
)
experiment(
    "dojo-timing",
    "1000 steps of 0.01 s with gradients of humanoid, A1, Panda, X2: at least 5 times as fast as Dojo's seconds, faster than MuJoCo's differences in the same run",
    lambda paper, tactus: "; ".join(f"{name} {row['seconds']:.3f} s: {row['times_dojo']:.1f} times Dojo, {row['times_mujoco']:.1f} times MuJoCo" for name, row in tactus.items()),
)
experiment(
    "dojo-convergence",
    "Atlas, A1, humanoid: at most 15 iterations on average, 30 at worst, at 1e-8; the last system better conditioned than that of a primal barrier method (median)",
    lambda paper, tactus: "; ".join(f"{name} {row['iterations']:.1f} and {row['most_iterations']}, {row['ratio']:.0f} times better conditioned" for name, row in tactus.items()),
)
experiment(
    "dojo-push-box",
    "an arm turns over a box at four of five distances, final distances within 3 cm of the paper's simulation",
    lambda paper, tactus: "; ".join(f"{100 * row['final']:.1f} cm ({100 * (row['final'] - paper[name]['final']):+.1f})" for name, row in tactus.items()),
)
experiment(
    "diffmjx-point-mass",
    "a point and a wall: with events within 1e-6 of the closed form at 2000 starts; small steps unrolled off by 0.127 in contact, of the wrong sign at the ideal wall",
    lambda paper, tactus: "; ".join(f"{name}: with events {row['miss_with_events']:.0e}, unrolled {row['miss_small_steps_in_contact']:.3f}" for name, row in tactus.items()),
)
experiment(
    "diffmjx-toss",
    "five bodies thrown down at 200 speeds: where differences agree (90 %), slopes with events right at 99 %; elsewhere flagged",
    lambda paper, tactus: "; ".join(f"{name} {row['with_events']} of {row['smooth']} (unrolled {row['unrolled']}, Euler {row['euler']}), {row['unflagged']} unflagged" for name, row in tactus.items()),
    slow=True,
)
experiment(
    "diffmjx-cost",
    "a cube's loss -0.260896 and slope 0.5758; a slope within 1 % at least 50 times as fast as MuJoCo's differences",
    lambda paper, tactus: f"{tactus['times_faster']:.0f} times as fast; loss off by {tactus['loss_off']:.1e}, slope by {tactus['slope_off']:.1e}",
    slow=True,
)
for planned, bar in (
    ("dojo-plan-box-right", "cost at most 14.6 (14.5), violation 3e-4, 30 iterations"),
    ("dojo-plan-box-up", "cost at most 14.7 (14.5), violation 3e-4, 40 iterations; above 20 with the hard derivative"),
    ("dojo-plan-hopper", "cost at most 7.9 (8.9), violation 1e-3, 80 iterations"),
    ("dojo-plan-quadruped", "cost at most 2e-2 (2e-2), violation 3e-4, 30 iterations"),
    ("dojo-plan-cartpole", "violation at most 1e-3"),
):
    experiment(planned, bar, lambda paper, tactus: f"cost {tactus['cost']:.4g}, violation {tactus['violation']:.1e}, {tactus['iterations']:.0f} iterations, {tactus['seconds']:.1f} s")
DIFFMJX = ("diffmjx-point-mass", "diffmjx-toss", "diffmjx-cost")


@check("adaptive-experiments", bar=f"the experiments {', '.join(DIFFMJX)} meet their criteria", slow=True)
def diffmjx(context):
    held = {name: reproduce(context, name)["pass"] is True for name in DIFFMJX}
    return Result(all(held.values()), ", ".join(f"{name}: {'holds' if ok else 'does not hold'}" for name, ok in held.items()))
