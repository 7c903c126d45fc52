"""Train Ataxx's learned evaluation on games that the engine plays with itself, and write its weight file.

    python scripts/ataxx_tune.py play games.npy --minutes 5 --nodes 2000 [--handmade]
    python scripts/ataxx_tune.py fit weights.npz games.npy [more.npy ...] --epochs 8
    python scripts/ataxx_tune.py terms games.npy

`play` saves positions as rows (mine, theirs, gaps, score, result): openings are random moves, a third of the games
have random gaps (symmetric, as in tournaments), score and result are the mover's. `fit` minimises the cross entropy
between the network's win probability, sigmoid(score / SCALE), and a blend of what the searched score meant and the
game's result. Every position is seen under a changing one of the eight symmetries. While training, a pattern's weights
are a part that all 36 windows share plus a part of the window's own; the file holds their sums. `terms` prints weights
for the hand-made evaluation.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from hansu.core import Control, kernel, lowest
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
    read_weights,
    terms,
    write_weights,
)
from hansu.games.ataxx.rules import (
    FULL,
    PASS,
    SQUARES,
    SYMMETRIES,
    Ataxx,
    action_total,
    nth_action,
    over,
    play,
    score,
    start,
    turned_board,
)
from hansu.games.ataxx.search import new_memory, think
from hansu.search.pvs import SURE, new_table

COLUMNS = 5
LONGEST_GAME = 400
CORNERS = start().mine | start().theirs


def below(seed: int, n: int) -> tuple[int, int]:
    """A step of xorshift: the new seed, and a number in 0..n-1."""
    seed ^= seed << 13 & 0x7FFFFFFFFFFFFFFF
    seed ^= seed >> 7
    seed ^= seed << 17 & 0x7FFFFFFFFFFFFFFF
    return seed, (seed >> 20) % n


@kernel
def opening(seed: int, first: Ataxx) -> tuple[int, Ataxx]:
    """A position after some random moves, perhaps with gaps in up to three mirrored groups."""
    seed, groups = below(seed, 9)
    gaps = 0
    for _ in range(groups - 5):
        seed, square = below(seed, SQUARES)
        gaps |= 1 << square | turned_board(1 << square, 1)
        gaps |= turned_board(gaps, 2)
    s = Ataxx(first.mine, first.theirs, gaps & ~CORNERS, first.halfmove, first.turns, first.contest)
    seed, plies = below(seed, 8)
    for _ in range(plies + 4):
        if over(s):
            break
        seed, n = below(seed, action_total(s))
        s = play(s, nth_action(s, n))
    return seed, s


@kernel
def play_game(mem: Any, table: Any, first: Ataxx, seed: int, nodes: int, rows: Any) -> tuple[int, int]:
    """One game into rows; returns the seed and how many positions it gave. A proved end stops it."""
    seed, s = opening(seed, first)
    count, result = 0, 0
    while not over(s) and count < len(rows):
        mem.node_limit = nodes
        action = think(mem, table, s, 30)
        value = mem.score if mem.completed else 0
        if abs(value) > SURE:
            result = 1 if (value > 0) == (s.turns & 1 == 0) else -1
            break
        seed, chance = below(seed, 30)
        if chance == 0:  # a blunder now and then shows positions that good play avoids
            seed, n = below(seed, action_total(s))
            action = nth_action(s, n)
        elif mem.completed and action != PASS:
            rows[count, 0], rows[count, 1], rows[count, 2], rows[count, 3] = s.mine, s.theirs, s.gaps, value
            rows[count, 4] = s.turns & 1
            count += 1
        s = play(s, action)
    if over(s):
        result = score(s)
    for i in range(count):
        rows[i, 4] = -result if rows[i, 4] else result
    return seed, count


def play_games(path: Path, minutes: float, nodes: int, network: Any, seed: int) -> None:
    """Play for so many minutes of CPU time and save the positions."""
    mem, table, control = new_memory(network), new_table(4), Control()
    mem["flag"] = control.address
    rows = np.zeros((LONGEST_GAME, COLUMNS), np.int64)
    parts: list[Any] = []
    end: float | None = None
    games = total = 0
    while end is None or time.process_time() < end:
        seed, count = play_game(mem, table, start(), seed, nodes, rows)
        end = end or time.process_time() + 60 * minutes  # the clock starts after compiling
        parts.append(rows[:count].copy())
        games, total = games + 1, total + count
    np.save(path, np.concatenate(parts), allow_pickle=False)
    print(f"{games} games, {total} positions in {path}")


@kernel
def turned_boards(boards: Any, k: int) -> Any:
    """Each board of an array under symmetry k."""
    made = np.empty_like(boards)
    for i in range(len(boards)):
        made[i] = turned_board(boards[i], k)
    return made


@kernel
def gradient(
    weights: Any, bias: Any, heads: Any, offsets: Any, mine: Any, theirs: Any, targets: Any,
    d_weights: Any, d_bias: Any, d_heads: Any, d_offsets: Any,
) -> float:  # fmt: skip
    """Add the batch's gradients of the mean cross entropy; returns the summed loss. `weights` are the full sums."""
    loss, share = 0.0, np.float32(1 / len(targets))
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


class Adam:
    """Kingma and Ba 2015, over a list of arrays changed in place."""

    def __init__(self, parameters: list[Any]) -> None:
        self.parameters = parameters
        self.means = [np.zeros_like(p) for p in parameters]
        self.squares = [np.zeros_like(p) for p in parameters]
        self.steps = 0

    def step(self, gradients: list[Any], rate: float) -> None:
        self.steps += 1
        rate *= np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        for p, g, m, v in zip(self.parameters, gradients, self.means, self.squares, strict=True):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            p -= np.float32(rate) * m / (np.sqrt(v) + np.float32(1e-8))


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


def fit_terms(path: Path, sample: int = 100_000) -> None:
    """Print the weights of material, room, exposed, edges and the move, material being 100."""
    rows = np.random.default_rng(1).permutation(np.load(path, allow_pickle=False))[:sample]
    table = [(*terms(m, t, FULL ^ (m | t | g)), 1) for m, t, g, _, _ in rows.tolist()]
    weights = logistic(np.array(table, float), rows[:, 4])
    print(np.rint(100 * weights / weights[0]))


def load_games(paths: list[Path], share: float) -> list[Any]:
    """mine, theirs (both with the gaps) and targets: results, blended with the scores by file and phase."""
    parts = []
    for path in paths:
        mine, theirs, gaps, scores, results = np.load(path, allow_pickle=False).T
        targets = np.empty(len(mine), np.float32)
        stages = np.bitwise_count(mine | theirs) * PHASES // (SQUARES + 1)
        for stage in range(PHASES):
            chosen = stages == stage
            searched = win_probability(scores[chosen], results[chosen])
            targets[chosen] = share * (results[chosen] + 1) / 2 + (1 - share) * searched
        parts.append((mine | gaps, theirs | gaps, targets))
    return [np.concatenate(columns) for columns in zip(*parts, strict=True)]


def fit(path: Path, games: list[Path], epochs: int, batch: int, share: float, seed: int, rate: float = 2e-3) -> None:
    """Train and write the weight file; one position in twenty is kept apart to measure the loss."""
    rng = np.random.default_rng(seed)
    mine, theirs, targets = load_games(games, share)
    order = rng.permutation(len(targets))
    held, order = order[: len(order) // 20], order[len(order) // 20 :]
    group = rng.integers(SYMMETRIES, size=len(targets))

    shared = np.zeros((256, HIDDEN), np.float32)
    own = rng.normal(0, 0.05, (ROWS // 256, 256, HIDDEN)).astype(np.float32)
    bias = np.full(HIDDEN, 0.3, np.float32)
    heads = rng.normal(0, 0.2, (PHASES, 2, HIDDEN)).astype(np.float32)
    offsets = np.zeros(PHASES, np.float32)
    adam = Adam([own, shared, bias, heads, offsets])
    steps, total = 0, epochs * (len(order) // batch)
    for epoch in range(epochs):
        started, loss = time.process_time(), 0.0
        turned = [np.empty_like(mine), np.empty_like(theirs)]
        for k in range(SYMMETRIES):
            chosen = (group + epoch) % SYMMETRIES == k
            for board, target in zip((mine, theirs), turned, strict=True):
                target[chosen] = turned_boards(board[chosen], k)
        rng.shuffle(order)
        for place in range(0, len(order) - batch + 1, batch):
            chosen = order[place : place + batch]
            d_own, *rest = [np.zeros_like(p) for p in (own, bias, heads, offsets)]
            weights = (own + shared).reshape(ROWS, HIDDEN)
            loss += gradient(weights, bias, heads, offsets, *(b[chosen] for b in turned), targets[chosen],
                             d_own.reshape(ROWS, HIDDEN), *rest)  # fmt: skip
            decay = 0.5 * (1 + np.cos(np.pi * steps / total)) + 0.01
            adam.step([d_own, d_own.sum(0) / 6, *rest], rate * decay)
            steps += 1
        weights = (own + shared).reshape(ROWS, HIDDEN)
        unused = [np.zeros_like(p) for p in (weights, bias, heads, offsets)]
        kept = (mine[held], theirs[held], targets[held])
        held_loss = gradient(weights, bias, heads, offsets, *kept, *unused) / len(held)
        seen = len(order) // batch * batch
        spent = time.process_time() - started
        print(f"epoch {epoch + 1}: loss {loss / seen:.5f}, held {held_loss:.5f}, {spent:.0f} s", flush=True)
        write_weights(path, *quantised(weights, bias, heads, offsets))


def quantised(weights: Any, bias: Any, heads: Any, offsets: Any) -> tuple[Any, ...]:
    def whole(array: Any, unit: int, kind: Any) -> Any:
        limit = np.iinfo(kind).max
        return np.clip(np.rint(array * unit), -limit, limit).astype(kind)

    return (
        whole(weights, ONE, np.int16), whole(bias, ONE, np.int16), whole(heads, OUT, np.int16),
        whole(offsets, ONE * OUT, np.int64),
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    player = commands.add_parser("play")
    player.add_argument("games", type=Path)
    player.add_argument("--minutes", type=float, default=5)
    player.add_argument("--nodes", type=int, default=2000)
    player.add_argument("--handmade", action="store_true", help="play with the hand-made evaluation, as the first time")
    player.add_argument("--seed", type=int, default=1)
    fitter = commands.add_parser("fit")
    fitter.add_argument("weights", type=Path)
    fitter.add_argument("games", nargs="+", type=Path)
    fitter.add_argument("--epochs", type=int, default=8)
    fitter.add_argument("--share", type=float, default=0.4, help="of the result in the target; the rest is the score's")
    fitter.add_argument("--batch", type=int, default=8192)
    fitter.add_argument("--seed", type=int, default=1)
    commands.add_parser("terms").add_argument("games", type=Path)
    given = parser.parse_args()
    if given.command == "play":
        network = None if given.handmade else read_weights()
        play_games(given.games, given.minutes, given.nodes, network, 0x2545F4914F6CDD1D ^ given.seed)
    elif given.command == "terms":
        fit_terms(given.games)
    else:
        fit(given.weights, given.games, given.epochs, given.batch, given.share, given.seed)


if __name__ == "__main__":
    main()
