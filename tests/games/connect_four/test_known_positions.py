"""Positions with known values (`scripts/connect_four_network`), and how often the shipped network keeps the value."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from connect_four_network import known_positions, solver_teacher
from connect_four_network.known_positions import ExactValues, KnownPosition

from hansu.arena.roster import player
from hansu.core import HansuError, Position, registry
from hansu.games.connect_four.rules import STANDARD
from hansu.games.connect_four.solver.book import OpeningBook
from hansu.games.connect_four.solver.standard_board import key_of, stones_of
from hansu.search.network import network_of

GAME = registry.built_in("connect_four")


@pytest.fixture(scope="module")
def rows() -> list[KnownPosition]:
    return list(known_positions.sample(GAME, 100, seed=7))


@cache
def value(state: object) -> int:
    """For the mover, by exhaustive search."""
    at = Position(GAME, state)
    if at.over:
        return int(at.score) if at.mover == 0 else -int(at.score)
    return max(-value(at.play(a).state) for a in at.actions)


def test_moves_that_keep_the_value() -> None:
    exact, chance = ExactValues(), random.Random(3)
    results = []
    while len(results) < 60:
        at = GAME.first
        while not at.over and len(at.history) < 30:
            at = at.play(chance.choice(at.actions))
        if at.over:
            continue
        values = {a: -value(at.play(a).state) for a in at.actions}
        best = max(values.values())
        keep = {a for a, each in values.items() if each == best}
        results.append(exact.known(at))
        assert results[-1] == (None if len(keep) == len(values) else ("".join(at.moves), keep, best))
    assert sum(known is not None for known in results) > 10


def test_positions_differ_and_some_move_loses_value(rows: list[KnownPosition]) -> None:
    lengths = [len(row.moves) for row in rows]
    assert min(lengths) < 6 and max(lengths) > 24 and {row.value for row in rows} == {1, 0}  # every move keeps a loss
    for row in rows:
        assert 0 < len(row.keep) < len(GAME.position(" ".join(row.moves) or "start").actions)
    assert len({row.moves for row in rows}) == len(rows)


def test_labels_are_exact(rows: list[KnownPosition]) -> None:
    """Of early positions, which come from the book, and of later ones of all kinds."""
    apart = {key_of(*stones_of(GAME.position(" ".join(row.moves) or "start").state)) for row in rows}
    early = len(solver_teacher.opening_rows())
    result = solver_teacher.SolverTeacher(2, 64, apart, seed=3).labelled(early + 300, 600)
    words = [tuple(map(int, row)) for row in zip(result.mine, result.mask, result.label, strict=True)]
    keys = {key_of(mine, mask) for mine, mask, _ in words}
    assert len(words) == len(keys) == early + 300 and not keys & apart
    exact, stones = ExactValues(), []
    for mine, mask, label in [*words[:: early // 20], *words[early:]]:
        state = STANDARD._replace(mine=mine, theirs=mine ^ mask)
        known = exact.known(Position(GAME, state))
        value, keep = (label & 3) - 1, {a for a in range(7) if label >> solver_teacher.VALUE_BITS >> a & 1}
        stones.append(mask.bit_count())
        if known is None:  # every move keeps the value
            assert keep == set(Position(GAME, state).actions)
        else:
            assert (value, keep) == (known.value, known.keep)
    assert min(stones) < 4 and max(stones) > 30
    assert len(OpeningBook().keys) > early > 30_000


def test_files(rows: list[KnownPosition], tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"
    assert known_positions.write(path, rows) == len(rows) and known_positions.read(path) == rows
    path.write_text('{"moves": "4", "keep": "4", "value": 1}\n{"moves": "4"}\n')
    with pytest.raises(HansuError, match="line 2: not a position"):
        known_positions.read(path)


def test_the_shipped_network_keeps_the_value(rows: list[KnownPosition]) -> None:
    """On 6,000 other positions it does in 96.7 % alone, and in 98.7 % with 100 simulations."""
    alone = list(known_positions.keeps_value(player("policy", GAME), GAME, rows))
    searching = list(known_positions.keeps_value(player("puct:simulations=50", GAME), GAME, rows))
    assert sum(alone) >= 0.9 * len(rows) and sum(searching) >= max(0.95 * len(rows), sum(alone))


def test_the_shipped_network_treats_mirror_images_alike() -> None:
    """Only its training makes it do so; its evaluations are in `test_shipped_networks.py`."""
    network = network_of(GAME.first)
    assert network is not None
    planes = np.zeros((2, 2, 6, 7), np.float32)
    planes[1, 1, 0, 2] = 1.0
    policy, chances = network(planes)
    mirrored, same = network(planes[..., ::-1].copy())
    assert np.allclose(mirrored[:, ::-1], policy, atol=0.3) and np.allclose(same, chances, atol=0.03)
