"""The Ataxx engine's weights, fitted to games (ataxx_games.py).

The cross entropy is minimised between the network's win probability, sigmoid(score / SCALE), and a blend of what the
searched score meant and the game's result. Every position is seen under a changing one of the eight symmetries. While
training, a pattern's weights are a part that all 36 windows share plus a part of the window's own; the file holds their
sums.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from hansu.core import HansuError, Phrase, kernel, lowest
from hansu.core.machine import cores
from hansu.games.ataxx.evaluation import (
    ANCHORS,
    HIDDEN,
    ONE,
    OUT,
    PHASES,
    ROWS,
    SCALE,
    pattern_row,
    phase,
    terms,
    write_weights,
)
from hansu.games.ataxx.rules import FULL, SQUARES, SYMMETRIES, turned_board
from hansu.learn.tuning.ataxx_games import COLUMNS
from hansu.learn.tuning.files import read_arrays
from hansu.learn.tuning.fitting import Adam, summed, whole


@kernel
def turned_boards(boards: Any, k: int) -> Any:
    """Each board of an array under symmetry k."""
    made = np.empty_like(boards)
    for i in range(len(boards)):
        made[i] = turned_board(boards[i], k)
    return made


@kernel
def gradient(
    weights: Any, bias: Any, heads: Any, offsets: Any, mine: Any, theirs: Any, targets: Any, batch: int,
    d_weights: Any, d_bias: Any, d_heads: Any, d_offsets: Any,
) -> float:  # fmt: skip
    """Add the gradients of a batch's mean cross entropy, over a part of it; returns the part's summed loss. `weights`
    are the full sums."""
    loss, share = 0.0, np.float32(1 / batch)
    sums, d_sums = np.empty((2, HIDDEN), np.float32), np.empty((2, HIDDEN), np.float32)
    rows = np.empty((2, 36), np.int64)
    for i in range(len(targets)):
        sums[0], sums[1] = bias, bias
        anchors = ANCHORS
        for w in range(36):
            anchor = lowest(anchors)
            anchors &= anchors - 1
            rows[0, w] = pattern_row(mine[i], theirs[i], anchor)
            rows[1, w] = pattern_row(theirs[i], mine[i], anchor)
            for side in range(2):
                for h in range(HIDDEN):
                    sums[side, h] += weights[rows[side, w], h]
        stage = phase(mine[i] & ~theirs[i], theirs[i] & ~mine[i])
        logit = offsets[stage]
        for side in range(2):
            for h in range(HIDDEN):
                clipped = min(max(sums[side, h], np.float32(0)), np.float32(1))
                logit += clipped * clipped * heads[stage, side, h]
        p = 1 / (1 + np.exp(-logit))
        loss -= targets[i] * np.log(p + 1e-9) + (1 - targets[i]) * np.log(1 - p + 1e-9)
        d_logit = np.float32(p - targets[i]) * share
        d_offsets[stage] += d_logit
        for side in range(2):
            for h in range(HIDDEN):
                clipped = min(max(sums[side, h], np.float32(0)), np.float32(1))
                inside = np.float32(1) if 0 < sums[side, h] < 1 else np.float32(0)
                d_sums[side, h] = d_logit * heads[stage, side, h] * 2 * clipped * inside
                d_heads[stage, side, h] += d_logit * clipped * clipped
                d_bias[h] += d_sums[side, h]
            for w in range(36):
                for h in range(HIDDEN):
                    d_weights[rows[side, w], h] += d_sums[side, h]
    return loss


def slope(threads: Executor, network: Any, mine: Any, theirs: Any, targets: Any) -> tuple[float, list[Any]]:
    """The summed loss and its gradients, a part of the batch on each core."""

    def part(mine: Any, theirs: Any, some: Any, slopes: list[Any]) -> Any:
        return gradient(*network, mine, theirs, some, len(targets), *slopes)

    return summed(threads, part, [mine, theirs, targets], network)


def logistic(terms: Any, results: Any) -> Any:
    """Weights w such that sigmoid(terms @ w) predicts the results -1..1 best, by Newton's method."""
    weights = np.zeros(terms.shape[1])
    for _ in range(12):
        p = 1 / (1 + np.exp(-terms @ weights))
        curvature = (terms * (p * (1 - p))[:, None]).T @ terms + np.eye(len(weights))
        weights += np.linalg.solve(curvature, terms.T @ ((results + 1) / 2 - p))
    return weights


def win_probability(scores: Any, results: Any) -> Any:
    """What a searched score meant for the result in these games."""
    terms = np.stack([scores / SCALE, np.ones(len(scores))], 1)
    return 1 / (1 + np.exp(-terms @ logistic(terms, results)))


def read_rows(path: Path) -> Any:
    """int64[n, 5]: mine, theirs, gaps, score, result."""
    rows = read_arrays(path, ("rows",))["rows"]
    if rows.ndim != 2 or rows.shape[1] != COLUMNS:
        raise HansuError(Phrase("{path} does not hold the engine's games", path=path))
    return rows


def fit_terms(path: Path, sample: int = 100_000) -> Any:
    """The weights of material, room, exposed, edges and the move in the hand-made evaluation, material being 100."""
    rows = np.random.default_rng(1).permutation(read_rows(path))[:sample]
    table = [(*terms(m, t, FULL ^ (m | t | g)), 1) for m, t, g, _, _ in rows.tolist()]
    weights = logistic(np.array(table, float), rows[:, 4])
    return np.rint(100 * weights / weights[0])


def load_games(paths: list[Path], share: float) -> list[Any]:
    """mine, theirs (both with the gaps), targets (results, blended with the scores by file and phase), and whether a
    position is kept back: each file's last in twenty, so that a game is (but for one) on one side only."""
    parts = []
    for path in paths:
        mine, theirs, gaps, scores, results = read_rows(path).T
        targets = np.empty(len(mine), np.float32)
        stages = np.bitwise_count(mine | theirs) * PHASES // (SQUARES + 1)
        for stage in range(PHASES):
            chosen = stages == stage
            searched = win_probability(scores[chosen], results[chosen])
            targets[chosen] = share * (results[chosen] + 1) / 2 + (1 - share) * searched
        kept = np.arange(len(mine)) >= len(mine) * 19 // 20
        parts.append((mine | gaps, theirs | gaps, targets, kept))
    return [np.concatenate(columns) for columns in zip(*parts, strict=True)]


def fit(
    path: Path, games: list[Path], epochs: int, batch: int, share: float, seed: int,
    tell: Callable[[int, float, float], None], rate: float = 2e-3,
) -> None:  # fmt: skip
    """Train and write the weight file. `tell` hears of each epoch's number, loss and loss on what is kept back."""
    rng, threads = np.random.default_rng(seed), ThreadPoolExecutor(cores())
    mine, theirs, targets, kept = load_games(games, share)
    held, order = np.flatnonzero(kept), np.flatnonzero(~kept)
    group = rng.integers(SYMMETRIES, size=len(targets))

    shared = np.zeros((256, HIDDEN), np.float32)
    own = rng.normal(0, 0.05, (ROWS // 256, 256, HIDDEN)).astype(np.float32)
    bias = np.full(HIDDEN, 0.3, np.float32)
    heads = rng.normal(0, 0.2, (PHASES, 2, HIDDEN)).astype(np.float32)
    offsets = np.zeros(PHASES, np.float32)
    adam = Adam([own, shared, bias, heads, offsets], rate, epochs * (len(order) // batch))
    for epoch in range(epochs):
        loss = 0.0
        turned = [np.empty_like(mine), np.empty_like(theirs)]
        for k in range(SYMMETRIES):
            chosen = (group + epoch) % SYMMETRIES == k
            for board, target in zip((mine, theirs), turned, strict=True):
                target[chosen] = turned_boards(board[chosen], k)
        rng.shuffle(order)
        for place in range(0, len(order) - batch + 1, batch):
            chosen = order[place : place + batch]
            network = ((own + shared).reshape(ROWS, HIDDEN), bias, heads, offsets)
            lost, (slopes, *rest) = slope(threads, network, turned[0][chosen], turned[1][chosen], targets[chosen])
            loss += lost
            d_own = slopes.reshape(own.shape)
            adam.step([d_own, d_own.sum(0) / 6, *rest])
            np.clip(heads, -1, 1, out=heads)  # as far as whole numbers go
        network = ((own + shared).reshape(ROWS, HIDDEN), bias, heads, offsets)
        held_loss, _ = slope(threads, network, mine[held], theirs[held], targets[held])
        seen = len(order) // batch * batch
        tell(epoch + 1, loss / seen, held_loss / len(held))
        write_weights(path, *quantised(*network))
    threads.shutdown()


def quantised(weights: Any, bias: Any, heads: Any, offsets: Any) -> tuple[Any, ...]:
    return (
        whole(weights, ONE, np.int16), whole(bias, ONE, np.int16), whole(heads, OUT, np.int16),
        whole(offsets, ONE * OUT, np.int64),
    )  # fmt: skip
