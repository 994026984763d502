"""What checks of the package share: the C peer, robots, the line that ./dev verify reads."""

import ctypes
import json
import os
import pathlib
import sys

import numpy as np

import tactus as tac

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
os.environ.setdefault("TACTUS_MODELS", str(MODELS))
ROBOTS = sorted(path.stem for path in MODELS.glob("*.xml"))
CONTACTS = ("none", "lcp", "ncp", "soft")


def load_peer():
    """The C functions of peer.c."""
    lib = ctypes.CDLL(os.environ["TACTUS_PEER"])
    lib.peer_open.restype = ctypes.c_void_p
    lib.peer_open.argtypes = [ctypes.c_char_p] * 3
    lib.peer_close.argtypes = [ctypes.c_void_p]
    lib.peer_hash.restype = ctypes.c_uint64
    pointer, whole = ctypes.c_void_p, ctypes.c_int
    lib.peer_hash.argtypes = [pointer, whole, pointer, pointer]
    for name, types in {
        "peer_step_time": [pointer, pointer, pointer, whole],
        "peer_rollout_time": [whole, whole, whole, pointer, pointer, pointer],
        "peer_gradient_time": [whole, pointer, pointer, pointer],
        "peer_batch_gradient_time": [whole, whole, pointer, pointer, pointer],
    }.items():
        getattr(lib, name).restype = ctypes.c_double
        getattr(lib, name).argtypes = [pointer, *types]
    return lib


def open_peer(lib, robot, contact, parameter=None):
    path = str(MODELS / f"{robot}.xml").encode()
    return lib.peer_open(path, contact.encode(), None if parameter is None else parameter.encode())


def start_of(sim, seed=1):
    """A state and input near the first keyframe."""
    m = sim.model
    key = 0 if m.nkey else None
    x, u = sim.state(key), sim.input(key)
    d = np.array([0.02 * tac.random_normal(seed, 1, i) for i in range(m.nv)])
    x[: m.nq] = m.qpos_add(x[: m.nq], d)
    x[m.nq : m.nq + m.nv] = 0.1 * tac.random_normal(seed, 2, 0, m.nv)
    u[: m.nu] += 0.1 * tac.random_normal(seed, 3, 0, m.nu)
    return x, u


def pointer(array):
    return array.ctypes.data


def finish(ok, figure, details=()):
    print(json.dumps({"ok": bool(ok), "figure": figure, "details": list(details)}))
    sys.exit(0)
