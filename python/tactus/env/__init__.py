"""Environments for learning: the five-tuple interface, twelve tasks on our models, many worlds on a Batch.

>>> from tactus import env
>>> sorted(env.TASKS)[:3]
['ant', 'cartpole', 'double_cartpole']
"""

from tactus.env.conformance import check
from tactus.env.single import TaskEnv, make
from tactus.env.spaces import HAVE_GYMNASIUM, Box, Env
from tactus.env.task import TASKS, Task, Term
from tactus.env.vector import VectorEnv, find_model

__all__ = ["TASKS", "Box", "Env", "Task", "TaskEnv", "Term", "VectorEnv", "check", "find_model", "make"]

if HAVE_GYMNASIUM:
    import gymnasium

    for _name in TASKS:
        gymnasium.register(f"tactus/{_name}-v0", entry_point="tactus.env:make", kwargs={"task": _name})
