"""Batches of games as arrays, and the PettingZoo environment."""

from __future__ import annotations

import doctest
import random
from pathlib import Path

import numpy as np
import pytest

import hansu
from hansu.core import CHANCE, Game, HansuError, IllegalMove, flat, generic, registry
from hansu.search import batch as batch_module

NAMES = (*registry.names(), "nim")


@pytest.fixture(params=NAMES)
def spec(request: pytest.FixtureRequest, nim_path: Path) -> str:
    return f"{nim_path}:heap=3" if request.param == "nim" else request.param


def test_batch_equals_positions(spec: str) -> None:
    batch = hansu.batch(spec, 5, seed=2)
    positions = [batch.position] * 5
    chance = random.Random(1)
    for _ in range(70):
        planes, legal, movers, teams = batch.planes(), batch.legal_mask(), batch.movers, batch.teams
        chosen = np.zeros(5, np.int64)
        for g, position in enumerate(positions):
            s = position.state
            assert batch.states[g].tolist() == list(flat(s)) and batch.state(g) == s
            assert bool(batch.over[g]) == position.over
            assert np.nonzero(legal[g])[0].tolist() == list(position.actions)
            out = np.zeros(batch.plane_shape, np.float32)
            generic.planes(s, out)
            assert np.array_equal(planes[g], out)
            if not position.over:
                assert (movers[g], teams[g]) == (position.mover, position.team)
                chosen[g] = chance.choice(position.actions)
        batch.step(chosen)
        for g, position in enumerate(positions):
            if position.over:
                assert batch.rewards[g].tolist() == [0, 0]
                continue
            positions[g] = position = position.play(int(chosen[g]))
            reward = position.score if position.over else 0
            assert batch.rewards[g].tolist() == [reward, -reward]
        again = np.array([position.over and chance.random() < 0.5 for position in positions])
        batch.reset(again)
        positions = [batch.position if again[g] else position for g, position in enumerate(positions)]


def test_threads_change_nothing() -> None:
    one, four = (hansu.batch("connect_four", 101, threads=threads, seed=3) for threads in (1, 4))
    for _ in range(60):
        chosen = one.random_actions()
        assert np.array_equal(chosen, four.random_actions())
        one.step(chosen)
        four.step(chosen)
        assert np.array_equal(one.states, four.states) and np.array_equal(one.rewards, four.rewards)
        assert np.array_equal(one.planes(), four.planes()) and np.array_equal(one.legal_mask(), four.legal_mask())
        one.reset(one.over)
        four.reset(four.over)


def dice(tmp_path: Path) -> Game:
    file = tmp_path / "dice.txt"
    file.write_text("A max\n  roll: B chance\n    six (0.25): 6\n    other (0.75): C min\n      x: 1\n      y: 2\n")
    return registry.game(f"tree:file={file}")


def test_chance_moves_are_played(tmp_path: Path) -> None:
    batch = hansu.batch(dice(tmp_path).spec, 4000, seed=1)
    batch.step(np.zeros(4000, np.int64))
    assert batch.over.mean() == pytest.approx(0.25, abs=0.03)
    assert set(batch.rewards[:, 0].tolist()) == {0, 6}
    assert set(batch.movers.tolist()) == {-1, 1}
    batch.step(np.ones(4000, np.int64))
    assert batch.over.all() and set(batch.rewards[:, 0].tolist()) == {0, 2}


def test_planes_as_int8() -> None:
    batch = hansu.batch("connect_four", 3)
    batch.step([3, 3, 4])
    small = batch.planes(np.zeros((3, 2, 6, 7), np.int8))
    assert small.dtype == np.int8 and np.array_equal(small, batch.planes())


def test_mistakes_are_rejected() -> None:
    batch = hansu.batch("connect_four", 3)
    for _ in range(6):
        batch.step([0, 1, 2])
    with pytest.raises(IllegalMove, match="game 1"):
        batch.step([3, 1, 3])
    with pytest.raises(IllegalMove, match="game 2"):
        batch.step([3, 3, -1])
    with pytest.raises(HansuError, match="actions have the shape"):
        batch.step([1, 2])
    with pytest.raises(HansuError, match="0 games"):
        hansu.batch("connect_four", 0)


def test_doctests() -> None:
    assert doctest.testmod(batch_module).failed == 0


def test_pettingzoo_api(spec: str) -> None:
    from pettingzoo.test import api_test

    env = hansu.environment(spec, longest=60)
    api_test(env, num_cycles=120)


def test_environment_rewards_are_scores() -> None:
    env = hansu.environment("tictactoe", render_mode="ansi")
    env.reset()
    for move in (0, 3, 1, 4, 2):
        observation, _, over, _, _ = env.last()
        assert not over and observation["action_mask"][move] == 1
        env.step(move)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0} and all(env.terminations.values())
    assert env.agent_selection == "player_1" and env.last()[1] == -1
    assert "X" in env.render()


def test_environment_rejects_chance(tmp_path: Path) -> None:
    env = hansu.environment(dice(tmp_path).spec)
    env.reset()
    assert env.position.mover != CHANCE
    with pytest.raises(HansuError, match="has chance moves"):
        env.step(0)
