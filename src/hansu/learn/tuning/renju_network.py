"""The Renju engine's network, fitted to games (renju_games.py).

Two losses are minimised together: the cross entropy of the value with a blend of the game's result and what the search
thought, in positions where nobody is about to win, and that of the policy with the move played, in all.

A line's code is seldom, or common. So while training a row is a sum: of the code's own part, of parts that all codes
with the same inner eight or six cells share, and of a part of its class (patterns.py). What is shared is learnt first
and stands in for what was hardly seen; the file holds the sums. Gradients of a code and of the same read backwards are
added, so that their rows stay equal.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hansu.core import kernel
from hansu.core.machine import cores
from hansu.games.renju.engine.board import PLACES
from hansu.games.renju.engine.evaluation import SCALE
from hansu.games.renju.engine.network import ONE, PARTS, POLICY_ONE, VALUE_ONE, WIDTH
from hansu.games.renju.engine.patterns import CLASSES, CODES, DIGITS, FIVE, OPEN_FOUR, classes
from hansu.games.renju.state import RULES
from hansu.learn.tuning.fitting import Adam, summed, whole
from hansu.learn.tuning.renju_games import CELLS, SIZE, read_games
from hansu.learn.tuning.renju_weights import VALIDATE

FRAME = SIZE + 10  # five cells of border on each side
STEPS = np.array([1, FRAME, FRAME + 1, FRAME - 1])
BLACK, WHITE, BORDER = 1, 2, 3


class Samples(NamedTuple):
    boards: Any  # int8[n, CELLS]: 0 empty, 1 black, 2 white
    side: Any  # int64[n]: who moves
    won: Any  # float32[n]: the mover's chance to win, by the result and the search
    move: Any  # int64[n]: the cell that was played
    kept: Any  # bool[n]: of a game that is kept back


def read_samples(files: list[Path], rule: int, opinion: float) -> Samples:
    """Every position of a rule's games; `opinion` is the share of what the search thought in `won`. A game without
    scores counts by its result alone."""
    columns: list[list[Any]] = [[] for _ in Samples._fields]
    for number, game in enumerate(read_games(files, rule), 1):
        boards = np.zeros((len(game.moves), CELLS), np.int8)
        for k in range(1, len(game.moves)):
            boards[k] = boards[k - 1]
            boards[k, game.moves[k - 1]] = WHITE if k - 1 & 1 else BLACK
        side = np.arange(len(game.moves)) & 1
        result = np.where(side == 0, game.result, 1 - game.result)
        thought = 1 / (1 + np.exp(-np.clip(game.scores / SCALE, -10, 10)))
        share = opinion if game.scores.any() else 0.0
        won = ((1 - share) * result + share * thought).astype(np.float32)
        kept = np.full(len(side), number % VALIDATE == 0)
        for column, values in zip(columns, (boards, side, won, game.moves, kept), strict=True):
            column.append(values[game.laid :])
    return Samples(*(np.concatenate(column) for column in columns))


@kernel
def read_codes(board: Any, frame: Any, codes: Any) -> None:
    """Both colours' codes of every line of every empty point. frame: int8[FRAME * FRAME], its border set."""
    for cell in range(CELLS):
        frame[FRAME * (cell // SIZE + 5) + cell % SIZE + 5] = board[cell]
    for cell in range(CELLS):
        if board[cell]:
            continue
        point = FRAME * (cell // SIZE + 5) + cell % SIZE + 5
        for d in range(4):
            black, white, power = 0, 0, 1
            for i in range(DIGITS):
                stone = frame[point + PLACES[i] * STEPS[d]]
                if stone:
                    black += power if stone == BLACK else 2 * power
                    white += power if stone == WHITE else 2 * power
                power *= 3
            codes[cell, d], codes[cell, 4 + d] = black, white


@kernel
def gradient(
    rows: Any, bias: Any, values: Any, offsets: Any, policies: Any, decided: Any, boards: Any, side: Any, won: Any,
    move: Any, chosen: Any, batch: int, d_rows: Any, d_bias: Any, d_values: Any, d_offsets: Any, d_policies: Any,
) -> tuple[float, float, int, int]:  # fmt: skip
    """Add the gradients of a batch's mean losses over the chosen samples of it. Returns the summed losses of value and
    policy, how many positions were quiet, and how often the move played came first. decided: bool[2, CODES]."""
    value_loss, policy_loss, quiet_ones, found = 0.0, 0.0, 0, 0
    share = np.float32(1 / batch)
    zero = np.float32(0)
    frame = np.full(FRAME * FRAME, BORDER, np.int8)
    codes = np.zeros((CELLS, 8), np.int64)
    features, d_features = np.empty((CELLS, WIDTH), np.float32), np.empty(WIDTH, np.float32)
    pooled, logits = np.empty(WIDTH, np.float32), np.empty(CELLS, np.float32)
    for i in chosen:
        board, mover = boards[i], side[i]
        read_codes(board, frame, codes)

        # 1. Features, their positive parts' sum, and a logit for each move.
        pooled[:] = zero
        best, quiet = -1, True
        for cell in range(CELLS):
            if board[cell]:
                continue
            row = features[cell]
            row[:] = bias
            for d in range(8):
                code = codes[cell, d]
                own = rows[d >> 2, code]
                if decided[d >> 2, code]:
                    quiet = False
                for h in range(WIDTH):
                    row[h] += own[h]
            logit = zero
            for h in range(WIDTH):
                positive = max(row[h], zero)
                pooled[h] += positive
                logit += positive * policies[mover, h]
            logits[cell] = logit
            if best < 0 or logit > logits[best]:
                best = cell

        # 2. The losses.
        top, total = logits[best], 0.0
        for cell in range(CELLS):
            if board[cell] == 0:
                logits[cell] = np.exp(logits[cell] - top)
                total += logits[cell]
        policy_loss -= np.log(logits[move[i]] / total + 1e-12)
        found += int(best == move[i])
        d_value = zero
        if quiet:
            logit = offsets[mover]
            for h in range(WIDTH):
                logit += pooled[h] * values[mover, h]
            chance = 1 / (1 + np.exp(-logit))
            value_loss -= won[i] * np.log(chance + 1e-9) + (1 - won[i]) * np.log(1 - chance + 1e-9)
            quiet_ones += 1
            d_value = np.float32(chance - won[i]) * share
            d_offsets[mover] += d_value
            for h in range(WIDTH):
                d_values[mover, h] += d_value * pooled[h]

        # 3. Back to the rows.
        for cell in range(CELLS):
            if board[cell]:
                continue
            d_logit = np.float32(logits[cell] / total - (cell == move[i])) * share
            row = features[cell]
            for h in range(WIDTH):
                positive = max(row[h], zero)
                d_policies[mover, h] += d_logit * positive
                inside = np.float32(row[h] > zero)
                d_features[h] = inside * (d_value * values[mover, h] + d_logit * policies[mover, h])
                d_bias[h] += d_features[h]
            for d in range(8):
                own = d_rows[d >> 2, codes[cell, d]]
                for h in range(WIDTH):
                    own[h] += d_features[h]
    return value_loss, policy_loss, quiet_ones, found


def backwards(digits: int) -> Any:
    """Every code of so many digits, read from the other end."""
    codes, turned = np.arange(3**digits), np.zeros(3**digits, int)
    for i in range(digits):
        turned = turned * 3 + codes // 3**i % 3
    return turned


class Parts:
    """What the rows are the sums of."""

    def __init__(self, rule: int, chance: np.random.Generator) -> None:
        def drawn(*shape: int) -> Any:
            return chance.normal(0, 0.05, (2, *shape, WIDTH)).astype(np.float32)

        self.classes = np.stack([classes(RULES[rule], black) for black in (True, False)]).astype(int)
        self.of_class = np.eye(CLASSES, dtype=np.float32)[self.classes]
        self.own, self.class_part = np.zeros((2, CODES, WIDTH), np.float32), drawn(CLASSES)
        self.eight, self.six = drawn(3**8), drawn(3**6)
        self.eight += self.eight[:, backwards(8)]
        self.six += self.six[:, backwards(6)]
        codes = np.arange(CODES)
        self.inner_eight, self.inner_six = codes // 3 % 3**8, codes // 9 % 3**6
        self.backwards = backwards(DIGITS)

    @property
    def all(self) -> list[Any]:
        return [self.own, self.eight, self.six, self.class_part]

    def rows(self) -> Any:
        made = self.own + self.eight[:, self.inner_eight] + self.six[:, self.inner_six]
        for colour in range(2):
            made[colour] += self.class_part[colour, self.classes[colour]]
        return made

    def gradients(self, d_rows: Any) -> list[Any]:
        """Of each part, from those of the rows."""
        own = d_rows + d_rows[:, self.backwards]
        eight, of_class = inner_sum(own), [hot.T @ part for hot, part in zip(self.of_class, own, strict=True)]
        return [own, eight, inner_sum(eight), np.stack(of_class)]


def inner_sum(rows: Any) -> Any:
    """Of the rows of all codes with the same inner digits (all but the first and the last)."""
    parts = rows.reshape(2, 3, -1, 3, WIDTH)
    return sum(parts[:, i, :, j] for i in range(3) for j in range(3))


class Losses(NamedTuple):
    """Means of an epoch: of the value in quiet positions, of the policy, and how often the move played came first."""

    value: float
    policy: float
    found: float


def slope(threads: Executor, network: list[Any], decided: Any, samples: Samples, chosen: Any) -> tuple[Any, list[Any]]:
    """The summed losses and counts over the chosen samples, and the gradients, a part on each core."""

    def part(some: Any, slopes: list[Any]) -> Any:
        return np.array(gradient(*network, decided, *samples[:4], some, len(chosen), *slopes))

    return summed(threads, part, [chosen], network)


def means(told: Any, count: int) -> Losses:
    return Losses(told[0] / max(told[2], 1), told[1] / max(count, 1), told[3] / max(count, 1))


def fit(
    path: Path, files: list[Path], rule: int, epochs: int, batch: int, opinion: float, seed: int,
    tell: Callable[[int, Losses, Losses], None], rate: float = 2e-3,
) -> int:  # fmt: skip
    """Train and write the network's file; `tell` hears of each epoch's losses, and of those on games kept back. Returns
    the number of positions."""
    chance = np.random.default_rng(seed)
    samples = read_samples(files, rule, opinion)
    order, held = np.flatnonzero(~samples.kept), np.flatnonzero(samples.kept)
    parts = Parts(rule, chance)
    decided = np.isin(parts.classes, (FIVE, OPEN_FOUR))
    rest = [
        np.full(WIDTH, 0.1, np.float32), chance.normal(0, 0.02, (2, WIDTH)).astype(np.float32), np.zeros(2, np.float32),
        chance.normal(0, 0.2, (2, WIDTH)).astype(np.float32),
    ]  # fmt: skip
    adam = Adam([*parts.all, *rest], rate, epochs * max(len(order) // batch, 1))
    with ThreadPoolExecutor(cores()) as threads:
        for epoch in range(epochs):
            chance.shuffle(order)
            told = np.zeros(4)
            for place in range(0, max(len(order) - batch, 0) + 1, batch):
                lost, (d_rows, *d_rest) = slope(
                    threads, [parts.rows(), *rest], decided, samples, order[place : place + batch]
                )
                told += lost
                adam.step([*parts.gradients(d_rows), *d_rest])
            network = [parts.rows(), *rest]
            unseen, _ = slope(threads, network, decided, samples, held)
            tell(
                epoch + 1, means(told, min(len(order), len(order) // batch * batch or batch)), means(unseen, len(held))
            )
            np.savez_compressed(path, **quantised(*network))
    return len(samples.side)


def quantised(rows: Any, *rest: Any) -> dict[str, Any]:
    both_ways = (rows + rows[:, backwards(DIGITS)]) / 2  # equal but for what rounding did on the way
    arrays = (both_ways, *rest)
    units = (ONE, ONE, VALUE_ONE, ONE * VALUE_ONE, POLICY_ONE)
    parts = zip(PARTS.items(), arrays, units, strict=True)
    return {name: whole(array, unit, kind) for (name, (kind, _)), array, unit in parts}
