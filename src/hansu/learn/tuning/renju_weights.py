"""The Renju engine's weights, fitted to games (renju_games.py).

Two tables for each rule and colour to move, one for the mover's shapes and one for the other's. Their sums over all
empty points are fitted to the game's result and what the search thought (logistic regression: the evaluation) and,
point by point, to the move that was played (a softmax over the points: the order). A table is what its four classes
are worth, added up, and a correction for each shape, which is held small: so seldom shapes are judged by their
classes. Both problems are convex and solved by L-BFGS, so that nothing depends on chance. Where the rule treats the
colours alike, so do the tables.
Needs SciPy, which comes with the `train` extra.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hansu.core import kernel
from hansu.games.renju.engine.board import lift, place
from hansu.games.renju.engine.evaluation import ORDER_SCALE, SCALE, handmade
from hansu.games.renju.engine.patterns import CLASSES, FIVE, OPEN_FOUR, SHAPES
from hansu.games.renju.engine.search import new_memory
from hansu.games.renju.state import RULES
from hansu.learn.require import require
from hansu.learn.tuning.renju_games import CELLS, SIZE, read_games

NONE = len(SHAPES)  # the "shape" of a stone: its weight is held at 0
OPINION = 0.3  # how much the search's opinion counts beside the game's result, which depends on much that came later
CORRECTION = 1.0  # how dear a shape's correction is, against the classes: more keeps it smaller
VALIDATE = 15  # one game in so many is kept for measuring

COUNTS = np.zeros((len(SHAPES) + 1, CLASSES))
for _number, _shape in enumerate(SHAPES):
    for _class in _shape:
        COUNTS[_number, _class] += 1


class Samples(NamedTuple):
    shapes: Any  # int16[n, 2, CELLS]: the mover's and the other's shape at every cell, NONE where a stone lies
    side: Any  # int64[n]: the colour to move; 0 for both where the rule treats them alike
    won: Any  # float64[n]: the mover's chance to win, by the result and the search
    move: Any  # int64[n]: the cell that was played
    game: Any  # int64[n]


@kernel
def replay(mem: Any, moves: Any, laid: int, out: Any) -> None:
    """The shapes before every move that was not laid; the board is empty before and after."""
    for k in range(len(moves)):
        if k >= laid:
            for cell in range(CELLS):
                point = 32 * (cell // SIZE + 5) + cell % SIZE + 5
                for who in range(2):
                    empty = mem.stones[point] == 0
                    out[k - laid, who, cell] = mem.shapes[(k + who) & 1, point] if empty else NONE
        place(mem, 32 * (moves[k] // SIZE + 5) + moves[k] % SIZE + 5, k & 1)
    for k in range(len(moves) - 1, -1, -1):
        lift(mem, 32 * (moves[k] // SIZE + 5) + moves[k] % SIZE + 5)


def read_samples(files: list[Path], rule: int) -> Samples:
    mem = new_memory(RULES[rule], SIZE, *handmade())
    shapes: list[Any] = []
    sides: list[Any] = []
    results: list[Any] = []
    moves: list[Any] = []
    numbers: list[Any] = []
    for game in read_games(files, rule):
        played = len(game.moves) - game.laid
        made = np.empty((played, 2, CELLS), np.int16)
        replay(mem, game.moves, game.laid, made)
        side = np.arange(game.laid, len(game.moves)) & 1
        shapes.append(made)
        sides.append(side if RULES[rule] == "renju" else side * 0)
        result = np.where(side == 0, game.result, 1 - game.result)
        opinion = 1 / (1 + np.exp(-np.clip(game.scores[game.laid :] / SCALE, -10, 10)))
        results.append((1 - OPINION) * result + OPINION * opinion)
        moves.append(game.moves[game.laid :])
        numbers.append(np.full(played, len(numbers)))
    return Samples(*map(np.concatenate, (shapes, sides, results, moves, numbers)))


@kernel
def value_loss(shapes: Any, side: Any, won: Any, tables: Any, gradient: Any) -> float:
    """The cross-entropy of the results, summed, and its gradient. tables, gradient: float64[2, 2, NONE + 1]."""
    loss = 0.0
    for i in range(len(side)):
        logit = 0.0
        for who in range(2):
            for cell in range(CELLS):
                logit += tables[side[i], who, shapes[i, who, cell]]
        chance = 1 / (1 + np.exp(-logit))
        loss -= won[i] * np.log(chance + 1e-12) + (1 - won[i]) * np.log(1 - chance + 1e-12)
        for who in range(2):
            for cell in range(CELLS):
                gradient[side[i], who, shapes[i, who, cell]] += chance - won[i]
    return loss


@kernel
def order_loss(shapes: Any, side: Any, move: Any, tables: Any, gradient: Any) -> float:
    """The cross-entropy of the moves, summed, and its gradient."""
    loss = 0.0
    share = np.zeros(CELLS)
    for i in range(len(side)):
        total = 0.0
        for cell in range(CELLS):
            own, other = shapes[i, 0, cell], shapes[i, 1, cell]
            share[cell] = 0.0 if own == NONE else np.exp(tables[side[i], 0, own] + tables[side[i], 1, other])
            total += share[cell]
        loss -= np.log(share[move[i]] / total + 1e-12)
        for cell in range(CELLS):
            slope = share[cell] / total - (cell == move[i])
            gradient[side[i], 0, shapes[i, 0, cell]] += slope
            gradient[side[i], 1, shapes[i, 1, cell]] += slope
    return loss


def tables_of(parameters: Any) -> Any:
    """float64[2, 2, NONE + 1] from [2, 2, CLASSES + NONE + 1]: classes added up, and corrections."""
    tables = parameters[..., :CLASSES] @ COUNTS.T + parameters[..., CLASSES:]
    tables[..., NONE] = 0
    return tables


def fit(loss: Any, samples: Samples, target: Any, kept: Any, steps: int) -> tuple[Any, float, float]:
    """The tables, and the mean loss on what was learnt from and on what was kept back."""
    minimize = require("scipy.optimize").minimize
    learn = [np.ascontiguousarray(array[~kept]) for array in (samples.shapes, samples.side, target)]
    check = [np.ascontiguousarray(array[kept]) for array in (samples.shapes, samples.side, target)]
    form = (2, 2, CLASSES + NONE + 1)

    def objective(flat: Any) -> tuple[float, Any]:
        parameters = flat.reshape(form)
        slope = np.zeros((2, 2, NONE + 1))
        value = loss(*learn, tables_of(parameters), slope) / len(learn[1])
        slope[..., NONE] = 0
        slope /= len(learn[1])
        corrections = parameters[..., CLASSES:]
        full = np.concatenate([slope @ COUNTS, slope + CORRECTION * corrections / NONE], axis=-1)
        return value + CORRECTION / 2 * (corrections**2).sum() / NONE, full.ravel()

    found = minimize(objective, np.zeros(form).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": steps})
    tables = tables_of(found.x.reshape(form))
    unused = np.zeros_like(tables)
    return tables, loss(*learn, tables, unused) / len(learn[1]), loss(*check, tables, unused) / len(check[1])


class Losses(NamedTuple):
    """Mean losses of one rule's tables: on what was learnt from, and on games that were kept back."""

    positions: int
    quiet: int  # of them, where nobody is about to win: the value was fitted to these
    value: float
    value_unseen: float
    order: float
    order_unseen: float


def fit_rule(files: list[Path], rule: int, steps: int) -> tuple[dict[str, Any], Losses]:
    """The arrays of weights.npz for one rule."""
    samples = read_samples(files, rule)
    # Where the mover can make five or an open four, or the other five, nobody asks for an evaluation.
    decided = np.array([FIVE in shape or OPEN_FOUR in shape for shape in SHAPES] + [False])
    quiet = ~decided[samples.shapes].any(axis=(1, 2))
    kept = samples.game % VALIDATE == 0
    calm = Samples(*(array[quiet] for array in samples))
    value, *value_losses = fit(value_loss, calm, calm.won, kept[quiet], steps)
    order, *order_losses = fit(order_loss, samples, samples.move, kept, steps)
    if RULES[rule] != "renju":
        value[1], order[1] = value[0], order[0]
    weights = np.stack([np.stack([value[side, 0], -value[1 - side, 1]]) for side in range(2)])[..., :NONE]
    arrays = {
        f"{RULES[rule]}_weights": np.round(weights * SCALE).astype(np.int16),
        f"{RULES[rule]}_order": np.round(order[..., :NONE] * ORDER_SCALE).astype(np.int16),
    }
    return arrays, Losses(len(quiet), int(quiet.sum()), *value_losses, *order_losses)
