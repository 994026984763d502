"""Tactus: a differentiable physics engine for articulated rigid bodies in contact.

>>> model = tac.load(models / "cartpole.xml")
>>> sim = tac.Sim(model, contact="lcp")
>>> y = sim.step(sim.state(), sim.input())
"""

from tactus._libraries import check as _check

_check()

from tactus import enums, errors, results  # noqa: E402
from tactus._core import (  # noqa: E402
    Constraint,
    Contact,
    ContactForce,
    Energy,
    Feature,
    Growth,
    ImpactPair,
    Iteration,
    Ode,
    ProblemInfo,
    Projection,
    StepInfo,
    Violation,
    chain_text,
    contact_text,
    hash_bytes,
    kind_text,
    option_info,
    random_bits,
    random_normal,
    random_text,
    random_uniform,
    reason_text,
    solve_problem,
    status_text,
    version,
)
from tactus.batch import Batch  # noqa: E402
from tactus.builder import Builder  # noqa: E402
from tactus.enums import *  # noqa: E402, F403
from tactus.errors import *  # noqa: E402, F403
from tactus.model import Model, chain, load  # noqa: E402
from tactus.outputs import Outputs  # noqa: E402
from tactus.results import *  # noqa: E402, F403
from tactus.sim import Page, Ray, Sim, State, page, write_page  # noqa: E402

__version__ = version()

__all__ = [
    *enums.__all__,
    *errors.__all__,
    *results.__all__,
    "Batch",
    "Builder",
    "Constraint",
    "Contact",
    "ContactForce",
    "Energy",
    "Feature",
    "Growth",
    "ImpactPair",
    "Iteration",
    "Model",
    "Ode",
    "Outputs",
    "Page",
    "ProblemInfo",
    "Projection",
    "Ray",
    "Sim",
    "State",
    "StepInfo",
    "Violation",
    "chain",
    "chain_text",
    "contact_text",
    "hash_bytes",
    "kind_text",
    "load",
    "option_info",
    "page",
    "random_bits",
    "random_normal",
    "random_text",
    "random_uniform",
    "reason_text",
    "solve_problem",
    "status_text",
    "version",
    "write_page",
]
