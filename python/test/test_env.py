"""Environments: the interface's rules, seeds, gradients of rewards, autoreset."""

import os

import numpy as np
import pytest
from conftest import MODELS

os.environ["TACTUS_MODELS"] = str(MODELS)
from tactus import env  # noqa: E402


@pytest.mark.parametrize("name", env.TASKS)
def test_every_task_keeps_the_rules(name):
    env.check(env.make(name, render_mode="rgb_array"), steps=5)


def test_a_world_is_the_same_in_any_number_of_them():
    many = env.VectorEnv("hopper", 5, threads=3, randomize={"body/*.mass": (0.8, 1.2)})
    few = env.VectorEnv("hopper", 2, randomize={"body/*.mass": (0.8, 1.2)})
    assert np.array_equal(few.reset(seed=4)[0], many.reset(seed=4)[0][:2])
    assert np.array_equal(few.batch.theta, many.batch.theta[:2]) and len(set(many.batch.theta[:, 0])) == 5
    for step in range(5):
        action = np.full((5, 3), 0.1 * step)
        one, all_ = few.step(action[:2]), many.step(action)
        assert np.array_equal(one[0], all_[0][:2]) and np.array_equal(one[1], all_[1][:2])


@pytest.mark.parametrize("name", ["hopper", "quadrotor_waypoint", "half_cheetah"])
def test_gradient_of_the_reward(name):
    """Against differences, in the air where nothing switches."""
    one = env.make(name)
    one.reset(seed=2)
    worlds = one.worlds
    worlds.x[0, 1 if name == "half_cheetah" else 2] += 0.5
    x = worlds.x.copy()
    action = 0.3 * np.ones(worlds.model.nu)

    def reward(state, a):
        worlds.x[:] = state
        return one.step(a)[1]

    value = reward(x, action)
    gx, ga = one.gradient()
    assert np.isfinite(value)
    h = 1e-5
    for i in range(len(action)):
        e = h * np.eye(len(action))[i]
        assert ga[i] == pytest.approx((reward(x, action + e) - reward(x, action - e)) / (2 * h), rel=1e-5, abs=1e-7)
    m = worlds.model
    for i in range(m.nv, 2 * m.nv):  # velocities are plain numbers
        e = np.zeros_like(x)
        e[0, m.nq + i - m.nv] = h
        assert gx[i] == pytest.approx((reward(x + e, action) - reward(x - e, action)) / (2 * h), rel=1e-5, abs=1e-6)


def test_same_step_autoreset_keeps_the_last_observation():
    worlds = env.VectorEnv("hopper", 2)
    worlds.reset(seed=1)
    worlds.x[0, 2] = 2.999
    worlds.x[0, worlds.model.nq + 2] = 20.0
    obs, reward, terminated, truncated, info = worlds.step(np.zeros((2, 3)))
    assert terminated.tolist() == [True, False] and info["final_obs"][0, 0] > 3 and obs[0, 0] < 1
    assert worlds.episode.tolist() == [1, 0]


def test_next_step_autoreset_waits():
    worlds = env.VectorEnv("hopper", 2, autoreset="next_step")
    worlds.reset(seed=1)
    worlds.x[0, 2] = 2.999
    worlds.x[0, worlds.model.nq + 2] = 20.0
    obs, _, terminated, _, _ = worlds.step(np.zeros((2, 3)))
    assert terminated[0] and obs[0, 0] > 3
    other = worlds.x[1].copy()
    obs, reward, terminated, _, _ = worlds.step(np.zeros((2, 3)))
    assert obs[0, 0] < 1 and reward[0] == 0 and not terminated[0] and not np.array_equal(worlds.x[1], other)


def test_truncation_and_unknown_names():
    one = env.make("pendulum")
    one.reset(seed=1)
    one.worlds.elapsed[:] = one.worlds.task.limit - 1
    assert one.step([0.0])[3]
    with pytest.raises(ValueError, match="nothing"):
        env.make("nothing")


def test_check_finds_what_is_wrong():
    class Forgetful(env.TaskEnv):
        def reset(self, *, seed=None, options=None):
            return super().reset(seed=None, options=options)

    with pytest.raises(AssertionError, match="seed"):
        env.check(Forgetful("cartpole"))
