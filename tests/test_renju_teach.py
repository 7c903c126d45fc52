"""The recipe of the Renju engine's weights, small: a few games, a few steps."""

import random

import numpy as np
import pytest

from hansu.core import Control, Limit
from hansu.games.renju.engine import teach
from hansu.games.renju.engine.search import new_memory
from hansu.games.renju.engine.searcher import Searcher
from hansu.games.renju.engine.self_play import play_game, save
from hansu.games.renju.state import RULES


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    """Some games by the rule of Renju."""
    chance, searcher = random.Random(5), Searcher("renju", 15, 1)
    played = [play_game(chance, searcher, 300) for _ in range(16)]
    path = tmp_path_factory.mktemp("games") / "games.npz"
    save(path, played)
    return path, played


def test_games_are_played_to_a_result(games):
    _, played = games
    for game in played:
        assert len(set(game.moves)) == len(game.moves) == len(game.scores)
        assert game.result in (0, 0.5, 1)
        assert not any(game.scores[: game.laid])


def test_gradients_are_slopes(games):
    """Both losses against differences of their values."""
    path, _ = games
    samples = teach.read_samples([path], RULES.index("renju"))
    some = teach.Samples(*(array[:40] for array in samples))
    chance = np.random.default_rng(1)
    tables = chance.normal(0, 0.05, (2, 2, teach.NONE + 1))
    tables[..., teach.NONE] = 0
    for loss, target in ((teach.value_loss, some.won), (teach.order_loss, some.move)):
        slope = np.zeros_like(tables)
        loss(some.shapes, some.side, target, tables, slope)
        for side, who in ((0, 0), (1, 1)):
            shape = int(np.argmax(np.abs(slope[side, who, : teach.NONE])))
            step = np.zeros_like(tables)
            step[side, who, shape] = 1e-5
            unused = np.zeros_like(tables)
            above = loss(some.shapes, some.side, target, tables + step, unused)
            below = loss(some.shapes, some.side, target, tables - step, unused)
            assert (above - below) / 2e-5 == pytest.approx(slope[side, who, shape], rel=1e-3, abs=1e-3)


def test_a_few_steps_learn_and_the_engine_plays_with_them(games):
    path, _ = games
    number = RULES.index("renju")
    samples = teach.read_samples([path], number)
    kept = samples.game % 4 == 0
    _, learnt, _ = teach.fit(teach.order_loss, samples, samples.move, kept, 8)
    zero = np.zeros((2, 2, teach.NONE + 1))
    chance = [np.ascontiguousarray(array[~kept]) for array in (samples.shapes, samples.side, samples.move)]
    assert learnt < teach.order_loss(*chance, zero, zero.copy()) / len(chance[1])
    arrays = teach.teach([path], number, 3)
    searcher = Searcher("renju", 15, 1)
    searcher.memory = new_memory("renju", 15, arrays["renju_weights"], arrays["renju_order"])
    report = searcher.search([(112, 0)], 1, Limit(nodes=500), Control())
    assert 0 <= report.line[0] < 225 and report.line[0] != 112
