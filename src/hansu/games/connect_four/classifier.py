"""`mlp`, `svm`, `best`: alpha-beta that evaluates leaves by a classifier: P(win) - P(loss) for x.

The classifiers were trained on positions in which x is to move and neither side can complete four at once. So the
search extends its leaves to such positions: if o is to move, by one ply; if x can win or must block, by these forced
moves, up to a limit. A model's output is the mean for a position and its mirror image; the averaging is part of the
ONNX file.

Leaves are evaluated in batches: when two plies are left, all leaves below are collected, the new ones are evaluated
together, and then alpha-beta runs over them. docs/games/connect_four.md compares this with a compiled network.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import ClassVar

from hansu.core import (
    Control,
    Decision,
    HansuError,
    Limit,
    Message,
    MoveValue,
    Player,
    Position,
    Report,
    Value,
    option,
    popcount,
)
from hansu.games.connect_four.rules import four
from hansu.games.connect_four.solver.standard_board import CELLS, CENTRE_FIRST, drop, key_of, stones_of, wins_now
from hansu.games.connect_four.training.data import RESULTS
from hansu.search.network import Network
from hansu.search.players.explanations import no_time, value_text

MODELS = Path(__file__).parent / "models"
BATCH_PLIES = 2
MAX_FORCED = 4  # plies of forced moves after the search depth
MAX_CACHED = 1_000_000


class LeafClassifier:
    """A classifier's evaluations of positions with x to move, cached by key."""

    def __init__(self, path: Path) -> None:
        from hansu.games.connect_four import features

        name = ""
        for encoding, size in features.SIZES.items():
            try:
                network = Network(path, {"x": (size,)}, {"chances": (len(RESULTS),)})
            except HansuError as error:
                if "another shape" not in error.what or encoding == list(features.SIZES)[-1]:
                    raise
                continue
            name = network.notes.get("encoding", encoding)
            break
        if features.SIZES.get(name) != size:
            raise HansuError(
                "{path} needs the unknown encoding {name!r}", "known encodings: {known}", path=path, name=name,
                known=", ".join(features.SIZES),
            )  # fmt: skip
        self._network, self._encode = network, features.ENCODINGS[name]
        self.known: dict[int, float] = {}

    def evaluate(self, positions: dict[int, tuple[int, int]]) -> None:
        """Evaluate the new ones of some positions (x, o), given by key, in one batch."""
        import numpy as np

        new = [key for key in positions if key not in self.known]
        if not new:
            return
        if len(self.known) + len(new) > MAX_CACHED:
            self.known.clear()
            new = list(positions)
        x = np.array([positions[key][0] for key in new], np.int64)
        o = np.array([positions[key][1] for key in new], np.int64)
        chances = self._network(self._encode(x, o))
        self.known.update(zip(new, (chances[:, 0] - chances[:, 2]).tolist(), strict=True))


class OutOfTime(Exception):
    """The limit was reached in the middle of an iteration."""


@dataclass
class Classified(Player):
    """Alpha-beta over a classifier's evaluations."""

    judges_all: ClassVar[bool] = True
    depth: int = option(4, Message("plies to look ahead"), title=Message("look-ahead"), low=1, high=20)
    model: str = option("", Message("an ONNX file to use instead of the shipped classifier"), title=Message("network"))
    _classifier: LeafClassifier | None = field(default=None, init=False, repr=False, compare=False)
    _nodes: int = field(default=0, init=False, repr=False, compare=False)

    @property
    def own_limit(self) -> Limit:
        return Limit(depth=self.depth)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        mine, mask = stones_of(position.state)
        if self._classifier is None:
            self._classifier = LeafClassifier(Path(self.model) if self.model else MODELS / f"{self.kind}.onnx")
        started = time.perf_counter()
        self._nodes = 0
        deepest = self.depth if limit.depth is None else min(self.depth, limit.depth)
        limited = limit.time is not None or limit.nodes is not None
        values: dict[int, float] = {}
        reached = 0
        with control.deadline(limit.time):
            for depth in range(1 if limited else deepest, deepest + 1):
                try:
                    values = self._root(mine, mask, position.actions, depth, limit, control)
                except OutOfTime:
                    break
                reached = depth
                control.tell(self._report(position, values, reached, started))
        report = self._report(position, values, reached, started)
        action, value = report.line[0], report.value
        if value is None:
            return Decision(action=action, why=no_time(position, action), report=report)
        seat = position.game.seats[0 if value >= 0 else 1]
        move = position.move_text(action)
        why = Message(
            "{move}: the classifier's evaluation is {value}, at depth {depth}", move=move,
            value=value_text(position, value), depth=reached,
        )  # fmt: skip
        if abs(value) >= 1:
            why = Message("{move}: {seat} completes four within {plies} plies", move=move, seat=seat, plies=reached + 1)
        return Decision(action=action, why=why, report=report)

    def _report(self, position: Position, for_mover: dict[int, float], depth: int, started: float) -> Report:
        values = {a: Value.seen_from(position.team, for_mover[a]) for a in sorted(for_mover)}
        best = _first_best(for_mover) if for_mover else position.actions[0]
        return Report(
            value=values.get(best), line=(best,), moves=tuple(MoveValue(action=a, value=v) for a, v in values.items()),
            depth=depth, nodes=self._nodes, seconds=time.perf_counter() - started,
        )  # fmt: skip

    def _root(
        self, mine: int, mask: int, actions: tuple[int, ...], depth: int, limit: Limit, control: Control
    ) -> dict[int, float]:
        """Every column's value for the mover, searched with a full window so that it can be shown."""
        values = {}
        for a in actions:
            if self._nodes and (control.stopped or (limit.nodes is not None and self._nodes >= limit.nodes)):
                raise OutOfTime
            values[a] = self._after(mine, mask, drop(mask, a), depth - 1, -inf, inf, control)
        return values

    def _after(self, mine: int, mask: int, cell: int, depth: int, alpha: float, beta: float, control: Control) -> float:
        """The mover's value after a stone in a cell."""
        if four(mine | cell, 6):
            return 1.0
        return -self._value(mine ^ mask, mask | cell, depth, -beta, -alpha, control)

    def _value(self, mine: int, mask: int, depth: int, alpha: float, beta: float, control: Control) -> float:
        self._nodes += 1
        if popcount(mask) == CELLS:
            return 0.0
        assert self._classifier is not None
        cells = choices(mine, mask, depth)
        if not cells:
            key = key_of(mine, mask)
            if key not in self._classifier.known:  # the cache was cleared, or the depth is too small for a batch
                self._classifier.evaluate({key: (mine, mine ^ mask)})
            return self._classifier.known[key]
        if depth == BATCH_PLIES:
            if control.stopped:
                raise OutOfTime
            self._classifier.evaluate({key_of(x, x | o): (x, o) for x, o in leaves(mine, mask, depth)})
        best = -inf
        for cell in cells:
            best = max(best, self._after(mine, mask, cell, depth - 1, max(alpha, best), beta, control))
            if best >= beta:
                break
        return best


def choices(mine: int, mask: int, depth: int) -> list[int]:
    """The cells to search in a position; none if the classifier evaluates it."""
    if depth <= 0 and popcount(mask) % 2 == 0:
        forced = wins_now(mine, mask) or wins_now(mine ^ mask, mask)
        return [forced & -forced] if forced and depth > -MAX_FORCED else []
    return [cell for column in CENTRE_FIRST if (cell := drop(mask, column))]


def leaves(mine: int, mask: int, depth: int) -> Iterator[tuple[int, int]]:
    """(x, o) of every unfinished leaf of a search to this depth."""
    if popcount(mask) == CELLS:
        return
    cells = choices(mine, mask, depth)
    if not cells:
        yield mine, mine ^ mask
    for cell in cells:
        if not four(mine | cell, 6):
            yield from leaves(mine ^ mask, mask | cell, depth - 1)


def _first_best(values: dict[int, float]) -> int:
    best = max(values.values())
    return min(a for a, value in values.items() if value == best)


@dataclass
class Mlp(Classified):
    """The course's network."""

    kind: ClassVar[str] = "mlp"
    title: ClassVar[str] = Message("Small network (MLP)")
    about: ClassVar[str] = Message("alpha-beta with a small neural network (50, 20) as evaluation")


@dataclass
class Svm(Classified):
    """The course's support vector machine, with a kernel approximation."""

    kind: ClassVar[str] = "svm"
    title: ClassVar[str] = Message("Support vectors (SVM)")
    about: ClassVar[str] = Message(
        "alpha-beta with a support vector machine (Nystroem features, calibrated) as evaluation"
    )


@dataclass
class Best(Classified):
    """The best classifier of the data."""

    kind: ClassVar[str] = "best"
    title: ClassVar[str] = Message("Best classifier")
    about: ClassVar[str] = Message("alpha-beta with the best classifier of the UCI data as evaluation")
    depth: int = option(2, Message("plies to look ahead"), title=Message("look-ahead"), low=1, high=20)
