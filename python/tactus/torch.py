"""Steps, rollouts and outputs as nodes of torch's graph, with the exact derivatives of the C library.

States are plain numbers, quaternions with four. Tensors are float64 or float32 on the CPU; float32 is computed in double.

    from tactus import torch as tt
    y = tt.step(sim, x, u, theta)
    X = tt.rollout(sim, x0, U, theta)
    z = tt.outputs(out, sim, x, u, theta)
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

try:
    import torch
    from torch.autograd.function import once_differentiable
except ImportError as error:
    raise ImportError("tactus.torch needs torch: install python3-torch") from error

from tactus import _core
from tactus.errors import make

Array = npt.NDArray[np.float64]

__all__ = ["outputs", "rollout", "step"]


def _is_batched(tensor: torch.Tensor) -> bool:
    """Is the tensor one of vmap's, which have no memory of their own?"""
    for module, name in (("torch._C._functorch", "is_batchedtensor"), ("functorch._C", "is_batchedtensor")):
        ask = getattr(sys.modules.get(module), name, None)
        if ask is not None and ask(tensor):
            return True
    return False


def _refuse(tensor: Any, name: str) -> None:
    """Says why this is no tensor that a call can read."""
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{name} must be a torch.Tensor")
    if _is_batched(tensor):
        raise NotImplementedError(f"{name}: functorch.vmap over tactus is not possible; use a tactus.Batch")
    if tensor.layout != torch.strided:
        raise TypeError(f"{name} is sparse, expected a dense tensor")
    if tensor.device.type != "cpu":
        raise TypeError(f"{name} is on {tensor.device}, expected the CPU")
    raise TypeError(f"{name} holds {tensor.dtype}, expected float64 or float32")


def _array(tensor: torch.Tensor, name: str) -> Array:
    """The tensor's numbers as float64: its own memory where it has them so."""
    if not isinstance(tensor, torch.Tensor) or tensor.dtype not in (torch.float64, torch.float32):
        _refuse(tensor, name)
    try:
        found = tensor.detach().numpy()
    except (RuntimeError, TypeError):
        _refuse(tensor, name)
        raise
    return found if found.dtype == np.float64 else found.astype(np.float64)


def _tensor(array: Array, like: torch.Tensor) -> torch.Tensor:
    tensor = torch.from_numpy(array)
    return tensor if like.dtype is torch.float64 else tensor.to(like.dtype)


def _set_theta(sim: Any, theta: Array | None) -> None:
    if theta is not None and not np.array_equal(sim.theta, theta):
        sim.theta = theta


def _theta_of(sim: Any, theta: torch.Tensor | None) -> Array | None:
    """The parameters that this node is computed with; the simulation has them afterwards."""
    if theta is None:
        return sim.theta if sim.nparam else None
    array = _array(theta, "theta")
    own = getattr(sim, "own_params", 0)
    if own and array.ndim == 1:
        array = np.tile(array, (sim.worlds, 1))
    elif array.ndim == 2 and not own:
        what = "a Batch with own_params=1" if hasattr(sim, "worlds") else "a Batch"
        raise make(2, 0, -1, f"theta has shape {array.shape}: {what} has one row for each world")
    _set_theta(sim, array)
    return array


def _want(ctx: Any, first: int) -> str:
    """Letters of the gradients that torch asks for; inputs x, u, theta begin at `first`."""
    return "".join(letter for letter, needed in zip("xut", ctx.needs_input_grad[first : first + 3]) if needed)


def _gradients(ctx: Any, found: tuple[Array, ...], want: str) -> list[torch.Tensor | None]:
    """The gradients of x, u, theta in the shapes and types of the inputs."""
    by_letter, out = dict(zip(want, found)), []
    for letter, (shape, dtype) in zip("xut", ctx.forms):
        array = by_letter.get(letter)
        if array is None:
            out.append(None)
            continue
        if letter == "t" and array.ndim > len(shape):  # one theta for all worlds or rows
            array = array.sum(axis=0)
        tensor = torch.from_numpy(array).reshape(shape)
        out.append(tensor if dtype is torch.float64 else tensor.to(dtype))
    return out


def _form(tensor: torch.Tensor | None) -> Any:
    return ((), torch.float64) if tensor is None else (tensor.shape, tensor.dtype)


def _save(ctx: Any, inputs: tuple[torch.Tensor | None, ...], states: Array | None, result: torch.Tensor) -> None:
    """Keeps what the way back needs. Torch watches over tensors that are changed in between; states in double that the
    result does not share are kept beside them."""
    shared = states is not None and result.dtype is torch.float64
    ctx.save_for_backward(*inputs, result if shared else None)
    ctx.states = None if shared else states


def _saved(ctx: Any) -> tuple[tuple[torch.Tensor, ...], Any]:
    *inputs, result = ctx.saved_tensors
    return tuple(inputs), ctx.states if result is None else result.detach().numpy()


class _Step(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, sim: Any, x: torch.Tensor, u: torch.Tensor | None, theta: torch.Tensor | None) -> torch.Tensor:
        xs, us = _array(x, "x"), None if u is None else _array(u, "u")
        ctx.theta = _theta_of(sim, theta)
        y = sim.step(xs, us)
        ctx.sim, ctx.forms = sim, (_form(x), _form(u), _form(theta))
        result = _tensor(y, x)
        _save(ctx, (x, u), y, result)
        return result

    @staticmethod
    @once_differentiable  # type: ignore[misc]
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        (x, u), y = _saved(ctx)
        want = _want(ctx, 1)
        _set_theta(ctx.sim, ctx.theta)
        us = None if u is None else _array(u, "u")
        found = ctx.sim._step_pull(_array(x, "x"), us, y, _array(g, "gradient"), want=want)
        return (None, *_gradients(ctx, found, want))


class _Rollout(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, sim: Any, keep: bool, x0: torch.Tensor, U: torch.Tensor, theta: torch.Tensor | None
    ) -> torch.Tensor:
        xs, us = _array(x0, "x0"), _array(U, "U")
        ctx.theta = _theta_of(sim, theta)
        X = sim.rollout(xs, us)
        ctx.sim, ctx.forms = sim, (_form(x0), _form(U), _form(theta))
        result = _tensor(X, x0)
        _save(ctx, (x0, U), X if keep else None, result)
        return result

    @staticmethod
    @once_differentiable  # type: ignore[misc]
    def backward(ctx: Any, G: torch.Tensor) -> Any:
        (x0, U), X = _saved(ctx)
        xs, us, want = _array(x0, "x0"), _array(U, "U"), _want(ctx, 2)
        _set_theta(ctx.sim, ctx.theta)
        X = ctx.sim.rollout(xs, us) if X is None else X
        if hasattr(ctx.sim, "worlds") and X.shape[1] - 1 > ctx.sim.steps:
            ctx.sim.reserve(X.shape[1] - 1)
        found = ctx.sim._rollout_pull(xs, us, X, _array(G, "gradient"), want=want)
        return (None, None, *_gradients(ctx, found, want))


def _rows_of(sim: Any, u: torch.Tensor | None, n: int) -> Array:
    """Inputs of n rows; None: the default input."""
    return np.tile(sim._start(None)[1], (n, 1)) if u is None else _array(u, "u").reshape(-1, u.shape[-1])


class _Outputs(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, out: Any, sim: Any, x: torch.Tensor, u: torch.Tensor | None, theta: torch.Tensor | None
    ) -> torch.Tensor:
        xs = _array(x, "x").reshape(-1, x.shape[-1])
        us = _rows_of(sim, u, len(xs))
        ctx.theta = _theta_of(sim, theta)
        Z = sim._outputs_rows(out, xs, us)
        ctx.out, ctx.sim, ctx.forms = out, sim, (_form(x), _form(u), _form(theta))
        ctx.save_for_backward(x, u)
        return _tensor(Z.reshape(*x.shape[:-1], out.nz), x)

    @staticmethod
    @once_differentiable  # type: ignore[misc]
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        x, u = ctx.saved_tensors
        want = _want(ctx, 2)
        _set_theta(ctx.sim, ctx.theta)
        xs = _array(x, "x").reshape(-1, x.shape[-1])
        zbar = _array(g, "gradient").reshape(-1, ctx.out.nz)
        found = ctx.sim._outputs_pull(ctx.out, xs, _rows_of(ctx.sim, u, len(xs)), zbar, want=want)
        return (None, None, *_gradients(ctx, found, want))


def step(
    sim: _core.Sim | _core.Batch, x: torch.Tensor, u: torch.Tensor | None = None, theta: torch.Tensor | None = None
) -> torch.Tensor:
    """y = f(x, u; theta): (nx,) with a Sim, (worlds, nx) with a Batch. theta: (nparam,), or (worlds, nparam) with a Batch
    of own_params.

    >>> import torch
    >>> from tactus import torch as tt
    >>> start = torch.tensor(x, requires_grad=True)
    >>> tt.step(sim, start, torch.tensor(u)).sum().backward()
    >>> start.grad.shape
    torch.Size([37])
    """
    result: torch.Tensor = _Step.apply(sim, x, u, theta)
    return result


def rollout(
    sim: _core.Sim | _core.Batch,
    x0: torch.Tensor,
    U: torch.Tensor,
    theta: torch.Tensor | None = None,
    *,
    checkpoints: int | None = None,
) -> torch.Tensor:
    """All states (n + 1, nx) of a rollout, as one node; with a Batch (worlds, n + 1, nx). They are kept for the way back;
    with checkpoints=0 the way back computes them again. Other numbers of checkpoints keep them all.

    >>> import torch
    >>> from tactus import torch as tt
    >>> U = torch.zeros(5, sim.ninput, dtype=torch.float64, requires_grad=True)
    >>> tt.rollout(sim, torch.tensor(x), U)[-1].sum().backward()
    >>> U.grad.shape
    torch.Size([5, 12])
    """
    result: torch.Tensor = _Rollout.apply(sim, checkpoints != 0, x0, U, theta)
    return result


def outputs(
    out: _core.Outputs,
    sim: _core.Sim,
    x: torch.Tensor,
    u: torch.Tensor | None = None,
    theta: torch.Tensor | None = None,
) -> torch.Tensor:
    """z = g(x, u; theta) with any leading dimensions; the rows go through one Sim, one after the other. u None: the default
    input.

    >>> import torch
    >>> from tactus import torch as tt
    >>> tt.outputs(tac.Outputs(model, body_pos="trunk"), sim, torch.tensor(np.tile(x, (2, 1)))).shape
    torch.Size([2, 3])
    """
    if isinstance(sim, _core.Batch):
        raise TypeError("outputs takes a Sim; states may have any leading dimensions")
    result: torch.Tensor = _Outputs.apply(out, sim, x, u, theta)
    return result
