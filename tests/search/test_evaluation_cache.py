"""A network is asked once about what it sees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.small_network import write_network

from hansu.core import Limit, registry
from hansu.search.evaluation_cache import ENTRY_BYTES, EvaluationCache
from hansu.search.forest import Forest, packed
from hansu.search.network import Network, game_network
from hansu.search.players.puct import Puct


class Sums:
    """Answers with the sum of the planes, and counts the rows that it is asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def __call__(self, batch: Any) -> tuple[Any, Any]:
        self.asked.append(len(batch))
        total = batch.reshape(len(batch), -1).sum(1).astype(np.float32)
        return np.repeat(total[:, None], 4, 1), np.repeat(total[:, None], 3, 1)


BATCH = np.arange(5 * 6, dtype=np.uint8).reshape(5, 1, 2, 3)
BATCH[3] = BATCH[1]
EXPECTED = BATCH.reshape(5, -1).sum(1).tolist()


def told(remembered: EvaluationCache, compute: Any, batch: Any = BATCH) -> list[float]:
    policy, value = remembered.answer(batch, compute)
    assert policy[:, 0].tolist() == value[:, 0].tolist()
    return [float(number) for number in policy[:, 0]]


def test_the_same_planes_are_asked_once() -> None:
    remembered, sums = EvaluationCache(4, BATCH), Sums()
    assert told(remembered, sums) == told(remembered, sums) == EXPECTED and sums.asked == [4]
    more = np.concatenate([BATCH[2:4], BATCH[:2] + 100])
    assert told(remembered, sums, more) == more.reshape(4, -1).sum(1).tolist() and sums.asked == [4, 2]
    remembered.forget()
    assert told(remembered, sums) == EXPECTED and sums.asked == [4, 2, 4]


@pytest.mark.parametrize("room", [0, 1, 5, 7])
def test_a_small_room_is_emptied_and_the_answers_are_right(room: int) -> None:
    remembered, sums = EvaluationCache(4, BATCH, room * (ENTRY_BYTES + 6 + 4 * 7)), Sums()
    for k in range(6):
        batch = BATCH + np.uint8(7 * k)
        assert told(remembered, sums, batch) == batch.reshape(5, -1).sum(1).tolist()


def test_a_question_without_an_answer_is_asked_again() -> None:
    remembered = EvaluationCache(4, BATCH)
    with pytest.raises(ZeroDivisionError):
        remembered.answer(BATCH, lambda batch: (1 // 0, 0))
    assert told(remembered, Sums()) == EXPECTED


def test_a_search_finds_the_same_with_fewer_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a tree does whose leaves are all asked, in Connect Four, where many ways lead to a position."""
    path = write_network(tmp_path / "n.onnx", (2, 6, 7), 7, notes={"game": "connect_four"})
    first = registry.game("connect_four").first
    seen: list[bytes] = []
    network = game_network(path, first)
    forest = Forest(first, 1, 600)
    forest.plant(packed([first.state]))
    batch = forest.select()
    while batch is not None:
        seen.append(batch.tobytes())
        batch = forest.step(*network(batch))

    asked: list[int] = []
    plain = Network.__call__
    monkeypatch.setattr(Network, "__call__", lambda self, batch: asked.append(len(batch)) or plain(self, batch))
    decision = Puct(network=str(path), batch_size=1, simulations=600).decide(first, Limit())
    assert {move.action: move.visits for move in decision.report.moves} == dict(enumerate(forest.visits()[0]))
    assert sum(asked) == len(set(seen)) < len(seen)
