"""Models, simulations and batches of all robots through pickle, deepcopy, multiprocessing and concurrent.futures."""

import concurrent.futures
import copy
import multiprocessing
import pickle

import numpy as np
from ground import MODELS, ROBOTS, finish, start_of

import tactus as tac


def bits(thing, x, u):
    """What a simulation or batch computes, as bytes."""
    return b"".join(np.ascontiguousarray(a).tobytes() for a in thing.step_jac(x, u))


def work(item):
    thing, x, u = item
    return bits(thing, x, u)


def items():
    for robot in ROBOTS:
        model = tac.load(MODELS / f"{robot}.xml")
        model = model.register(model.paths("joint/*.damping")[0])
        for contact in ("none", "lcp", "soft"):
            try:
                sim = tac.Sim(model, contact=contact, on_unsolved="accept")
            except tac.Error:
                continue
            x, u = start_of(sim)
            sim.theta = sim.theta * 1.1 + 0.01
            yield f"{robot} {contact}", (sim, x, u)
            batch = tac.Batch(model, 2, threads=2, contact=contact, on_unsolved="accept", own_params=1)
            batch.theta = batch.theta * [[1.1], [1.2]]
            yield f"{robot} {contact} batch", (batch, np.tile(x, (2, 1)), np.tile(u, (2, 1)))


def main():
    named = dict(items())
    expected = {name: work(item) for name, item in named.items()}
    ways = {
        "pickle": lambda item: work(pickle.loads(pickle.dumps(item))),
        "deepcopy": lambda item: work(copy.deepcopy(item)),
    }
    wrong = [f"{name} by {way}" for way, go in ways.items() for name, item in named.items() if go(item) != expected[name]]
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            found = pool.map(work, named.values())
        wrong += [f"{name} by {method}" for (name, bits_), other in zip(expected.items(), found) if bits_ != other]
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        found = list(pool.map(work, named.values()))
    wrong += [f"{name} by futures" for (name, bits_), other in zip(expected.items(), found) if bits_ != other]
    count = 5 * len(named)
    finish(not wrong, f"{count - len(wrong)} of {count} copies have the same bits", wrong)


if __name__ == "__main__":
    main()
