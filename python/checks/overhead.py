"""Steps by Python over steps by C, interleaved, medians of CPU time; batches of rollouts."""

import time

import numpy as np
from ground import MODELS, finish, load_peer, open_peer, pointer, start_of

import tactus as tac

BARS = {"pendulum": 2.2, "panda": 1.25, "humanoid": 1.05}
OUT_BAR, BATCH_BAR = 0.25e-6, 1.03


def medians(*pieces, rounds=31):
    """The median time of each piece, taken in turn."""
    times = [[piece() for piece in pieces] for _ in range(rounds)]
    return np.median(times, axis=0)


def python_time(sim, x, u, y, n):
    step = sim.step
    start = time.thread_time()
    for _ in range(n):
        step(x, u, out=y)
    return time.thread_time() - start


def fresh_time(sim, x, u, n):
    step = sim.step
    start = time.thread_time()
    for _ in range(n):
        step(x, u)
    return time.thread_time() - start


def loop_time(n):
    start = time.thread_time()
    for _ in range(n):
        pass
    return time.thread_time() - start


def steps(lib, robot, n):
    model = tac.load(MODELS / f"{robot}.xml")
    sim = tac.Sim(model, contact="lcp")
    x, u = start_of(sim)
    y = np.empty(sim.nx)
    peer = open_peer(lib, robot, "lcp")
    c, out, fresh, loop = medians(
        lambda: lib.peer_step_time(peer, pointer(x), pointer(u), pointer(y), n),
        lambda: python_time(sim, x, u, y, n),
        lambda: fresh_time(sim, x, u, n),
        lambda: loop_time(n),
    )
    return (out - loop) / c, (fresh - out) / n


def batches(lib):
    worlds, steps_, threads = 64, 100, 1
    model = tac.load(MODELS / "quadruped.xml")
    batch = tac.Batch(model, worlds, threads=threads, contact="lcp")
    sim = tac.Sim(model, contact="lcp")
    peer = open_peer(lib, "quadruped", "lcp")
    starts = [start_of(sim, seed) for seed in range(worlds)]
    x = np.array([s[0] for s in starts])
    U = np.repeat(np.array([s[1] for s in starts])[:, None], steps_, axis=1).copy()
    X = np.empty((worlds, steps_ + 1, sim.nx))

    def by_python():
        start = time.process_time()
        batch.rollout(x, U, out=X)
        return time.process_time() - start

    c, p = medians(
        lambda: lib.peer_rollout_time(peer, worlds, threads, steps_, pointer(x), pointer(U), pointer(X)),
        by_python,
        rounds=11,
    )
    return p / c


def main():
    lib, details, ok, ratios = load_peer(), [], True, []
    for robot, n in (("pendulum", 20000), ("panda", 4000), ("humanoid", 300)):
        ratio, extra = steps(lib, robot, n)
        good = ratio <= BARS[robot] and (robot == "humanoid" or extra <= OUT_BAR)
        ok &= good
        ratios.append(f"{robot} {ratio:.2f}")
        details.append(f"{robot}: {ratio:.3f} times C (bar {BARS[robot]}); without out {1e6 * extra:.3f} us more")
    batch = batches(lib)
    details.append(f"Batch.rollout of 64 quadrupeds x 100 steps: {batch:.3f} times C (bar {BATCH_BAR})")
    finish(ok and batch <= BATCH_BAR, f"{', '.join(ratios)}, batch {batch:.3f}", details)


main()
