"""Equal planes are evaluated once."""

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
    """An evaluator that returns the sum of the planes and records the batch sizes."""

    def __init__(self) -> None:
        self.rows: list[int] = []

    def __call__(self, batch: Any) -> tuple[Any, Any]:
        self.rows.append(len(batch))
        total = batch.reshape(len(batch), -1).sum(1).astype(np.float32)
        return np.repeat(total[:, None], 4, 1), np.repeat(total[:, None], 3, 1)


BATCH = np.arange(5 * 6, dtype=np.uint8).reshape(5, 1, 2, 3)
BATCH[3] = BATCH[1]
EXPECTED = BATCH.reshape(5, -1).sum(1).tolist()


def evaluated(cache: EvaluationCache, compute: Any, batch: Any = BATCH) -> list[float]:
    policy, value = cache.answer(batch, compute)
    assert policy[:, 0].tolist() == value[:, 0].tolist()
    return [float(number) for number in policy[:, 0]]


def test_equal_planes_are_evaluated_once() -> None:
    cache, sums = EvaluationCache(4, BATCH), Sums()
    assert evaluated(cache, sums) == evaluated(cache, sums) == EXPECTED and sums.rows == [4]
    more = np.concatenate([BATCH[2:4], BATCH[:2] + 100])
    assert evaluated(cache, sums, more) == more.reshape(4, -1).sum(1).tolist() and sums.rows == [4, 2]
    cache.forget()
    assert evaluated(cache, sums) == EXPECTED and sums.rows == [4, 2, 4]


@pytest.mark.parametrize("entries", [0, 1, 5, 7])
def test_full_cache_is_cleared(entries: int) -> None:
    cache, sums = EvaluationCache(4, BATCH, entries * (ENTRY_BYTES + 6 + 4 * 7)), Sums()
    for k in range(6):
        batch = BATCH + np.uint8(7 * k)
        assert evaluated(cache, sums, batch) == batch.reshape(5, -1).sum(1).tolist()


def test_failed_evaluation_leaves_no_entry() -> None:
    cache = EvaluationCache(4, BATCH)
    with pytest.raises(ZeroDivisionError):
        cache.answer(BATCH, lambda batch: (1 // 0, 0))
    assert evaluated(cache, Sums()) == EXPECTED


def test_cache_does_not_change_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a tree without a cache, in Connect Four, where positions are reached in many ways."""
    path = write_network(tmp_path / "n.onnx", (2, 6, 7), 7, notes={"game": "connect_four"})
    first = registry.game("connect_four").first
    batches: list[bytes] = []
    network = game_network(path, first)
    forest = Forest(first, 1, 600)
    forest.plant(packed([first.state]))
    batch = forest.select()
    while batch is not None:
        batches.append(batch.tobytes())
        batch = forest.step(*network(batch))

    rows: list[int] = []
    plain = Network.__call__
    monkeypatch.setattr(Network, "__call__", lambda self, batch: rows.append(len(batch)) or plain(self, batch))
    decision = Puct(network=str(path), batch_size=1, simulations=600).decide(first, Limit())
    assert {move.action: move.visits for move in decision.report.moves} == dict(enumerate(forest.visits()[0]))
    assert sum(rows) == len(set(batches)) < len(batches)
