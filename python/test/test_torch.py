"""Nodes of torch's graph: gradients by plain numbers, types, what is refused."""

import numpy as np
import pytest
from conftest import push, robot

import tactus as tac

torch = pytest.importorskip("torch")
from tactus import torch as tt  # noqa: E402


def leaves(*arrays, dtype=torch.float64):
    return [torch.tensor(a, dtype=dtype, requires_grad=True) for a in arrays]


@pytest.fixture
def sim():
    return tac.Sim(robot("quadruped").register("body/trunk.mass"), contact="lcp")


def high(sim):
    """A state in the air, with quaternions off unit length."""
    x, u = push(sim)
    x[2] += 1
    x[3:7] *= 1.3
    return x, u


@pytest.mark.parametrize("contact", ["none", "lcp", "soft"])
def test_gradcheck_of_a_step(contact):
    sim = tac.Sim(robot("quadruped").register("body/trunk.mass"), contact=contact)
    x, u = high(sim)
    tensors = leaves(x, u, sim.theta)
    assert torch.autograd.gradcheck(lambda *t: tt.step(sim, *t), tensors, eps=1e-6, atol=1e-5, rtol=1e-5)


def test_gradcheck_of_rollout_and_outputs(sim):
    x, u = high(sim)
    tensors = leaves(x, np.tile(u, (3, 1)), sim.theta)
    assert torch.autograd.gradcheck(lambda *t: tt.rollout(sim, *t), tensors, eps=1e-6, atol=1e-5, rtol=1e-5)
    assert torch.autograd.gradcheck(
        lambda *t: tt.rollout(sim, *t, checkpoints=0)[2:], tensors, eps=1e-6, atol=1e-5, rtol=1e-5
    )
    out = tac.Outputs(sim.model, body_pos=None, body_velocity="trunk", kinetic=True)
    tensors = leaves(np.tile(x, (2, 1)), np.tile(u, (2, 1)), sim.theta)
    assert torch.autograd.gradcheck(lambda *t: tt.outputs(out, sim, *t), tensors, eps=1e-6, atol=1e-5, rtol=1e-5)


def test_batches_have_the_gradients_of_their_worlds(sim):
    model = sim.model
    batch = tac.Batch(model, 3, threads=2, contact="lcp", own_params=1)
    x, u = (np.array(part) for part in zip(*[push(sim, seed) for seed in range(3)]))
    U = np.repeat(u[:, None], 4, axis=1)
    theta = np.array([[4.0], [4.5], [5.0]])
    xs, us, ts = leaves(x, U, theta)
    tt.rollout(batch, xs, us, ts).square().sum().backward()
    for i in range(3):
        one = leaves(x[i], U[i], theta[i])
        tt.rollout(sim, *one).square().sum().backward()
        for many, single in zip((xs, us, ts), one):
            assert torch.allclose(many.grad[i], single.grad, rtol=1e-12, atol=1e-12)
    y = tt.step(batch, xs, us[:, 0], ts[0])  # one theta for all
    y.sum().backward()
    assert y.shape == (3, batch.nx)


def test_float32_goes_in_and_out(sim):
    x, u = high(sim)
    xs, us = leaves(x, u, dtype=torch.float32)
    y = tt.step(sim, xs, us)
    y.sum().backward()
    assert y.dtype == torch.float32 and xs.grad.dtype == torch.float32
    double = leaves(x.astype(np.float32), u.astype(np.float32))
    tt.step(sim, *double).sum().backward()
    assert torch.allclose(xs.grad, double[0].grad.float(), rtol=1e-6)


def test_no_copy_on_the_way_in(sim):
    x = torch.zeros(sim.nx, dtype=torch.float64)
    assert tt._array(x, "x").__array_interface__["data"][0] == x.data_ptr()


def test_each_node_keeps_its_theta(sim):
    x, u = high(sim)
    xs, us = leaves(x, u)
    first = tt.step(sim, xs, us, torch.tensor([4.0], dtype=torch.float64))
    tt.step(sim, xs, us, torch.tensor([9.0], dtype=torch.float64))
    first.sum().backward()
    sim.theta = [4.0]
    again = leaves(x, u)
    tt.step(sim, *again).sum().backward()
    assert torch.equal(xs.grad, again[0].grad)


def test_changed_in_place_is_noticed(sim):
    xs, us = leaves(*high(sim))
    y = tt.step(sim, xs, us)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_what_is_refused(sim):
    x, u = high(sim)
    xs, us = leaves(x, u)
    with pytest.raises(TypeError, match="int64"):
        tt.step(sim, torch.zeros(sim.nx, dtype=torch.int64), us)
    with pytest.raises(TypeError, match="sparse"):
        tt.step(sim, xs.detach().to_sparse(), us)
    with pytest.raises(TypeError, match="meta"):
        tt.step(sim, torch.zeros(sim.nx, dtype=torch.float64, device="meta"), us)
    with pytest.raises(TypeError, match="Tensor"):
        tt.step(sim, x, us)
    with pytest.raises(tac.ShapeError):
        tt.step(sim, xs[:5], us)
    (g,) = torch.autograd.grad(tt.step(sim, xs, us).square().sum(), xs, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        g.sum().backward()


def test_vmap_is_refused_by_name(sim):
    functorch = pytest.importorskip("functorch")
    x, u = high(sim)
    with pytest.raises(Exception, match="vmap"):
        functorch.vmap(lambda a: tt.step(sim, a, torch.tensor(u)))(torch.tensor(np.tile(x, (2, 1))))
