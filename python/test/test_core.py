"""Steps, derivatives, quantities, batches: the C library's numbers."""

import copy
import pickle

import numpy as np
import pytest
from conftest import CONTACTS, MODELS, make_sim, push, robot

import tactus as tac


# --- Models -------------------------------------------------------------------------------------------------------


def test_arrays_share_the_models_memory(quadruped):
    a, b = quadruped.body_mass, quadruped.body_mass
    assert np.shares_memory(a, b) and not a.flags.writeable
    with pytest.raises(ValueError):
        a[0] = 1


def test_arrays_outlive_the_name_of_the_model():
    mass = robot("panda").body_mass
    assert mass.sum() > 1


def test_key_arrays_have_one_row_a_keyframe(quadruped):
    assert quadruped.key_qpos.shape == (quadruped.nkey, quadruped.nq)


def test_values_make_another_model(quadruped):
    heavy = quadruped.with_values({"body/trunk.mass": 9.0})
    assert heavy["body/trunk.mass"] == 9 and quadruped["body/trunk.mass"] != 9
    assert heavy != quadruped and hash(heavy) != hash(quadruped)
    assert heavy.with_values({"body/trunk.mass": quadruped["body/trunk.mass"]}).body_mass[1] == quadruped.body_mass[1]


def test_models_compare_by_their_bytes(quadruped):
    assert quadruped == quadruped.copy() and len({quadruped, quadruped.copy()}) == 1
    assert quadruped != robot("panda")


def test_patterns_register_each_match(quadruped):
    model = quadruped.register("body/*.mass", ("joint/front_left_knee.damping", "joint/front_right_knee.damping"))
    names = [paths[0] for paths in model.registered()]
    assert "body/trunk.mass" in names and len(model.registered()[-1]) == 2
    with pytest.raises(tac.ElementError):
        quadruped.register("body/nothing*.mass")


def test_builder_makes_a_pendulum_like_the_files():
    b = tac.Builder()
    bob = b.body("bob", mass=1.0, inertia=[1e-3] * 3, ipos=[0, 0, -1])
    b.joint(bob, "hinge", "swing", axis=[0, 1, 0])
    b.key("up", qpos=[np.pi])
    model = b.finish()
    sim = tac.Sim(model, contact="none", dt=1e-3)
    assert sim.state("up")[0] == np.pi
    assert sim.acceleration([0.1, 0.0])[0] == pytest.approx(-9.81 * np.sin(0.1) / (1 + 1e-3), rel=1e-9)


def test_builder_refuses_wrong_lengths(quadruped):
    b = quadruped.edit()
    with pytest.raises(tac.ShapeError):
        b.key("short", qpos=[0.0])
    with pytest.raises(TypeError):
        b.body("odd", nothing=1)


# --- Steps --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("contact", CONTACTS)
def test_jacobian_agrees_with_both_modes(quadruped, contact):
    sim = make_sim(quadruped.register("body/trunk.mass"), contact)
    x, u = push(sim)
    y, A, B, P = sim.step_jac(x, u)
    assert np.array_equal(y, sim.step(x, u))
    ybar = np.arange(1.0, sim.ndx + 1)
    gx, gu, gt = sim.step_vjp(x, u, ybar)
    scale = np.abs(A.T @ ybar).max()
    assert np.allclose(gx, A.T @ ybar, atol=1e-9 * scale) and np.allclose(gu, B.T @ ybar, atol=1e-9 * scale)
    assert np.allclose(gt, P.T @ ybar, atol=1e-9 * scale) and np.any(gt != 0)
    dy = sim.step_jvp(x, u, dx=np.ones(sim.ndx), dtheta=[1.0])
    assert np.allclose(dy, A.sum(axis=1) + P[:, 0], atol=1e-8 * np.abs(A).max() * sim.ndx)


def test_only_what_is_wanted(quadruped):
    sim = tac.Sim(quadruped)
    x, u = push(sim)
    assert [a.shape for a in sim.step_jac(x, u, want="B")] == [(37,), (36, 12)]
    with pytest.raises(ValueError, match="Q"):
        sim.step_jac(x, u, want="Q")


def test_rollout_is_its_steps(quadruped):
    sim = tac.Sim(quadruped, contact="lcp")
    x, u = push(sim)
    U = np.tile(u, (6, 1))
    X = sim.rollout(x, U)
    for k in range(6):
        assert np.array_equal(X[k + 1], sim.step(X[k], U[k]))
    assert sim.rollout(x, U[:0]).shape == (1, sim.nx)


def test_rollout_gradient_for_any_checkpoints(quadruped):
    sim = tac.Sim(quadruped.register("body/trunk.mass"), contact="lcp")
    x, u = push(sim)
    U = np.tile(u, (12, 1))
    xbar = np.ones(sim.ndx)
    first = sim.rollout_vjp(x, U, xbar=xbar, checkpoints=3)
    again = sim.rollout_vjp(x, U, xbar=xbar, X=sim.rollout(x, U))
    assert all(np.array_equal(a, b) for a, b in zip(first, again)) and np.any(first[1] != 0)
    X, dX = sim.rollout_jvp(x, U, dtheta=[1.0])
    assert dX[-1] @ xbar == pytest.approx(first[2][0], rel=1e-6)


def test_out_is_written_and_returned(quadruped):
    sim = tac.Sim(quadruped)
    x, u = push(sim)
    y, z = np.empty(sim.nx), x.copy()
    assert sim.step(x, u, out=y) is y
    assert sim.step(z, u, out=z) is z and np.array_equal(y, z)
    M = np.empty((18, 18))
    assert sim.mass_matrix(x, out=M) is M and np.array_equal(M, M.T)


def test_split_shares_memory(quadruped):
    sim = tac.Sim(quadruped)
    x = sim.state()
    sim.split(x).qvel[0] = 3
    assert x[quadruped.nq] == 3


def test_theta_is_the_simulations_own(quadruped):
    model = quadruped.register("body/trunk.mass")
    one, two = tac.Sim(model), tac.Sim(model)
    one.theta = [7.0]
    assert one.theta[0] == 7 and two.theta[0] == model["body/trunk.mass"]


def test_unsolved_steps_raise_warn_or_pass(quadruped):
    tight = {"contact": "ncp", "ncp_iterations": 1}
    sim = tac.Sim(quadruped, **tight)
    x, u = push(sim)
    x[2] -= 0.05
    with pytest.raises(tac.UnsolvedError) as caught:
        sim.step(x, u)
    assert caught.value.state.shape == (sim.nx,) and caught.value.status == tac.Status.UNSOLVED
    with pytest.warns(tac.UnsolvedWarning):
        tac.Sim(quadruped, on_unsolved="warn", **tight).step(x, u)
    calm = tac.Sim(quadruped, on_unsolved="accept", **tight)
    assert np.array_equal(calm.step(x, u), caught.value.state) and calm.info.status == tac.Status.UNSOLVED


# --- Quantities ---------------------------------------------------------------------------------------------------


def test_quantities_agree_with_each_other(quadruped):
    sim = tac.Sim(quadruped)
    x, u = push(sim)
    v, M = sim.split(x).qvel, sim.mass_matrix(x)
    assert sim.energy(x).kinetic == pytest.approx(0.5 * v @ M @ v)
    assert np.allclose(sim.momentum_matrix(x) @ v, sim.momentum(x))
    jacp, jacr = sim.frame_jacobian(x, "body", "trunk")
    assert np.allclose(np.concatenate([jacr @ v, jacp @ v]), sim.body_velocity(x)[1])
    pi = sim.inertial_params()
    assert np.allclose(sim.inertial_regressor(x, v) @ pi, sim.inverse_dynamics(x, v) - quadruped.dof_armature * v)


def test_positions_alone_are_enough_for_positions(quadruped):
    sim = tac.Sim(quadruped)
    x, _ = push(sim)
    assert np.array_equal(sim.mass_matrix(x), sim.mass_matrix(x[: quadruped.nq]))


def test_contacts_have_forces_and_derivatives(quadruped):
    sim = tac.Sim(quadruped, contact="soft")
    x = sim.state("home")
    x[2] -= 2e-3
    contacts, (fx,) = sim.step_contacts_jac(x, sim.input("home"), want="x")
    assert contacts and fx.shape == (3 * len(contacts), sim.ndx)
    assert sum(c.force[0] for c in contacts) > 10
    near = sim.contacts(x)[0]
    (q,) = sim.contact_jac(x, near, want="q")
    assert q.shape == (13, 18) and q[0, 2] == pytest.approx(1)
    assert pickle.loads(pickle.dumps(near)).dist == near.dist


def test_outputs_have_parts(quadruped):
    sim = tac.Sim(quadruped)
    x, u = push(sim)
    out = tac.Outputs(quadruped, body_pos=["trunk", 2], kinetic=True, qfrc_passive=None)
    z, zx, zu = out.jac(sim, x, u, want="xu")
    trunk, second, kinetic, passive = out.split(z)
    assert np.array_equal(trunk, x[:3]) and np.array_equal(second, sim.kinematics(x).xpos[2])
    assert kinetic[0] == sim.energy(x).kinetic and np.array_equal(passive, sim.passive(x))
    assert np.allclose(out.vjp(sim, x, u, np.ones(len(z)), want="x")[0], zx.sum(axis=0))
    assert pickle.loads(pickle.dumps(out)).nz == out.nz and zu.shape == (len(z), sim.ninput)


def test_projection_and_rays_and_impacts(quadruped):
    sim = tac.Sim(quadruped)
    x = sim.state("home")
    x[2] -= 0.02
    y, done = sim.project_state(x, sim.input())
    assert done.before > 0.01 and done.after < 1e-6
    assert sim.project_state(y, sim.input(), want="").before < 1e-6
    assert sim.ray(x, [5.0, 5.0, 3.0]).dist == pytest.approx(3.0)
    x = sim.state()
    x[2] += 1
    x[quadruped.nq + 2] = -1
    impact = sim.first_impact(x, 2.0, want="qv")
    assert impact.kind == tac.ImpactKind.HIT and impact.dtime_dq[2] == pytest.approx(1) and impact.pairs


# --- Batches ------------------------------------------------------------------------------------------------------


def test_batch_has_the_bits_of_its_worlds(quadruped):
    model = quadruped.register("body/trunk.mass")
    sim, batch = tac.Sim(model, contact="lcp"), tac.Batch(model, 5, threads=3, contact="lcp")
    worlds = [push(sim, seed) for seed in range(5)]
    x, u = (np.array(part) for part in zip(*worlds))
    U = np.repeat(u[:, None], 8, axis=1)
    X, ybar = batch.rollout(x, U), np.ones((5, sim.ndx))
    grads, jac = batch.rollout_vjp(x, U, xbar=ybar), batch.step_jac(x, u)
    for i in range(5):
        assert np.array_equal(X[i], sim.rollout(x[i], U[i]))
        for mine, own in zip(grads, sim.rollout_vjp(x[i], U[i], xbar=ybar[i])):
            assert np.array_equal(mine[i], own)
        for mine, own in zip(jac, sim.step_jac(x[i], u[i])):
            assert np.array_equal(mine[i], own)
    assert len(batch.info) == 5 and batch.status == [0] * 5


def test_batch_theta_active_and_policy(quadruped):
    model = quadruped.register("body/trunk.mass")
    batch = tac.Batch(model, 3, threads=2, own_params=1, contact="none")
    batch.theta = [[4.0], [5.0], [6.0]]
    x, u = batch.state(), batch.input()
    y = batch.step_vjp(x, u, np.ones((3, batch.ndx)))
    assert len({float(g) for g in y[2][:, 0]}) == 3
    batch.active = [True, False, True]
    out = np.full((3, batch.nx), 7.0)
    batch.step(x, u, out=out)
    assert np.all(out[1] == 7) and not np.any(out[0] == 7)
    batch.active = None

    def policy(world, step, state, control):
        control[:] = world + 0.1 * step

    batch.policy = policy
    X, U = batch.rollout(x, np.zeros((3, 4, batch.ninput)))
    assert U[2, 3, 0] == pytest.approx(2.3) and X.shape == (3, 5, batch.nx)


def test_batch_failures_name_their_world(quadruped):
    batch = tac.Batch(quadruped, 2, threads=2)
    x, u = batch.state(), batch.input()
    x[1, 0] = np.nan
    with pytest.raises(tac.NonfiniteError, match="world 1"):
        batch.step(x, u)


# --- Copies, numbers, files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("contact", CONTACTS)
def test_pickled_simulations_have_the_same_bits(quadruped, contact):
    sim = make_sim(quadruped.register("body/trunk.mass"), contact, dt=0.004, inputs=("qfrc",))
    sim.theta = [4.5]
    x, u = push(sim)
    for twin in (pickle.loads(pickle.dumps(sim)), copy.copy(sim), copy.deepcopy(sim)):
        assert np.array_equal(twin.step(x, u), sim.step(x, u)) and twin.options == sim.options


def test_damaged_bytes_are_a_model_error(quadruped):
    data = quadruped.pack()
    for bad in (data[:100], data[:-1], bytes([data[0] ^ 1]) + data[1:], data[:999] + b"\0\1\2" + data[1002:]):
        with pytest.raises(tac.ModelError):
            tac.Model.unpack(bad)


def test_files_and_pages(tmp_path, quadruped):
    quadruped.save(tmp_path / "q.tac")
    assert tac.load(tmp_path / "q.tac").digest() == quadruped.digest()
    sim = tac.Sim(quadruped, contact="lcp")
    X = sim.rollout(sim.state("home"), np.zeros((5, sim.ninput)))
    page = tac.page(sim, X, title="five steps")
    assert "five steps" in page.html and "<iframe" in page._repr_html_()
    assert (MODELS / "quadruped.xml").exists() and "bodies" in quadruped._repr_html_()


def test_random_numbers_are_functions():
    assert np.array_equal(tac.random_normal(1, 2, 10, 5), [tac.random_normal(1, 2, 10 + i) for i in range(5)])


def test_problem_without_bodies():
    W = np.diag([1.0, 1.0, 1.0])
    r, v, info = tac.solve_problem(W, [-1.0, 0.2, 0.0], [0.5])
    assert info.solved and r[0] == pytest.approx(1) and np.allclose(v, W @ r + [-1, 0.2, 0])


def test_ode_with_a_bounce():
    def f(x, theta, on):
        return [x[1], -theta[0]]

    def jac(x, theta, on):
        return [[0, 1], [0, 0]], [[0], [-1]]

    def gaps(x, theta):
        return [x[0]], [[1, 0]], [[0]]

    def reset(i, x, theta):
        return [x[0], -0.5 * x[1]], [[1, 0], [0, -0.5]], [[0], [0]]

    ode = tac.Ode(f, 2, jac=jac, gaps=gaps, reset=reset, ntheta=1, ngap=1, rtol=1e-10, atol=1e-10)
    x, x_x, x_t, x_s = ode.jac(0.6, [1.0, 0.0], [9.81])
    fall = np.sqrt(2 / 9.81)
    assert x[1] == pytest.approx(0.5 * 9.81 * fall - 9.81 * (0.6 - fall), rel=1e-6)
    gx, gt, gs = ode.vjp(0.6, [1.0, 0.0], [1.0, 0.0], [9.81])
    assert np.allclose(gx, x_x[0]) and np.allclose(gt, x_t[0]) and gs[0] == pytest.approx(x_s[0])
    with pytest.raises(ZeroDivisionError):
        tac.Ode(lambda x, theta, on: 1 / 0, 1).solve(1.0, [1.0])
