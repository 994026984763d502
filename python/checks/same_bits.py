"""1000 steps and A, B, P of all our robots and contact models: the bits of the C library."""

import numpy as np
from ground import CONTACTS, MODELS, ROBOTS, finish, load_peer, open_peer, pointer, start_of

import tactus as tac

STEPS = 1000


def python_hash(sim, x, u):
    value = 0
    for k in range(STEPS):
        try:
            if k % 100 == 0:
                x, A, B, P = sim.step_jac(x, u)
            else:
                x = sim.step(x, u)
            status = sim.info.status
        except tac.Error as error:
            status = error.status
            return tac.hash_bytes(np.int32(status).tobytes(), value)
        value = tac.hash_bytes(np.int32(status).tobytes(), value)
        value = tac.hash_bytes(x, value)
        if k % 100 == 0:
            value = tac.hash_bytes(np.concatenate([A.ravel(), B.ravel(), P.ravel()]), value)
    return value


def main():
    lib, same, count, details = load_peer(), 0, 0, []
    for robot in ROBOTS:
        bare = tac.load(MODELS / f"{robot}.xml")
        parameter = bare.paths("joint/*.damping")[0]
        model = bare.register(parameter)
        for contact in CONTACTS:
            try:
                sim = tac.Sim(model, contact=contact, on_unsolved="accept")
            except tac.Error as error:
                details.append(f"{robot} {contact}: {error}")
                continue
            x, u = start_of(sim)
            peer = open_peer(lib, robot, contact, parameter)
            equal = lib.peer_hash(peer, STEPS, pointer(x), pointer(u)) == python_hash(sim, x.copy(), u)
            lib.peer_close(peer)
            count += 1
            same += equal
            if not equal:
                details.append(f"{robot} {contact}: other bits")
    finish(same == count and count > 0, f"{same} of {count} runs", details)


main()
