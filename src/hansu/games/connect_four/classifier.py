"""`mlp`, `svm`, `best`: alpha-beta whose leaves are judged by a classifier, P(win) - P(loss) for x.

The classifiers were trained on positions where x is to move and neither side could complete four at once, so leaves are
made to be such: where the depth ends with o to move, one more ply is searched; where x can win it does, and where
x must block it does, a few times at most. A model's answer is the mean of those for a position and for its mirror
image; the averaging is part of the ONNX file.

Leaves are judged in batches: where two plies are left, all leaves below are gathered, those not met before are judged
together, and then alpha-beta runs over them (measured in docs/lab/connect_four_classifiers.md).
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
MOST_FORCED = 4  # plies that forced moves may lengthen a line by
MOST_REMEMBERED = 1_000_000


class LeafClassifier:
    """A classifier's opinion of positions with x to move, remembered."""

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
                f"{path} wants the encoding {name!r}, which is not known", f"known: {', '.join(features.SIZES)}"
            )
        self._network, self._encode = network, features.ENCODINGS[name]
        self.known: dict[int, float] = {}

    def learn(self, positions: dict[int, tuple[int, int]]) -> None:
        """Judge (x, o) by key, all that are new in one batch."""
        import numpy as np

        new = [key for key in positions if key not in self.known]
        if not new:
            return
        if len(self.known) + len(new) > MOST_REMEMBERED:
            self.known.clear()
            new = list(positions)
        x = np.array([positions[key][0] for key in new], np.int64)
        o = np.array([positions[key][1] for key in new], np.int64)
        chances = self._network(self._encode(x, o))
        self.known.update(zip(new, (chances[:, 0] - chances[:, 2]).tolist(), strict=True))


class OutOfTime(Exception):
    """The limit was reached within a depth."""


@dataclass
class Classified(Player):
    """Alpha-beta over a classifier's answers."""

    judges_all: ClassVar[bool] = True
    depth: int = option(4, Message("plies to look ahead"), title=Message("look-ahead"), low=1, high=20)
    model: str = option("", Message("an ONNX file instead of the one that comes with hansu"), title=Message("network"))
    _judge: LeafClassifier | None = field(default=None, init=False, repr=False, compare=False)
    _nodes: int = field(default=0, init=False, repr=False, compare=False)

    @property
    def own_limit(self) -> Limit:
        return Limit(depth=self.depth)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        mine, mask = stones_of(position.state)
        if self._judge is None:
            self._judge = LeafClassifier(Path(self.model) if self.model else MODELS / f"{self.kind}.onnx")
        started = time.perf_counter()
        self._nodes = 0
        deepest = self.depth if limit.depth is None else min(self.depth, limit.depth)
        limited = limit.time is not None or limit.nodes is not None
        found: dict[int, float] = {}
        reached = 0
        with control.deadline(limit.time):
            for depth in range(1 if limited else deepest, deepest + 1):
                try:
                    found = self._root(mine, mask, position.actions, depth, limit, control)
                except OutOfTime:
                    break
                reached = depth
                control.tell(self._report(position, found, reached, started))
        report = self._report(position, found, reached, started)
        action, value = report.line[0], report.value
        if value is None:
            return Decision(action=action, why=no_time(position, action), report=report)
        seat = position.game.seats[0 if value >= 0 else 1]
        move = position.move_text(action)
        worth = value_text(position, value)
        why = Message("{move}: the classifier says {worth}, {depth} plies deep", move=move, worth=worth, depth=reached)
        if abs(value) >= 1:
            why = Message("{move}: {seat} completes four within {plies} plies", move=move, seat=seat, plies=reached + 1)
        return Decision(action=action, why=why, report=report)

    def _report(self, position: Position, found: dict[int, float], depth: int, started: float) -> Report:
        values = {a: Value.seen_from(position.team, found[a]) for a in sorted(found)}
        best = _first(found) if found else position.actions[0]
        return Report(
            value=values.get(best), line=(best,), moves=tuple(MoveValue(action=a, value=v) for a, v in values.items()),
            depth=depth, nodes=self._nodes, seconds=time.perf_counter() - started,
        )  # fmt: skip

    def _root(
        self, mine: int, mask: int, actions: tuple[int, ...], depth: int, limit: Limit, control: Control
    ) -> dict[int, float]:
        """Every column's value for the mover; exact, so that each can be shown."""
        found = {}
        for a in actions:
            if self._nodes and (control.stopped or (limit.nodes is not None and self._nodes >= limit.nodes)):
                raise OutOfTime
            found[a] = self._after(mine, mask, drop(mask, a), depth - 1, -inf, inf, control)
        return found

    def _after(self, mine: int, mask: int, cell: int, depth: int, alpha: float, beta: float, control: Control) -> float:
        """The mover's value of putting a stone in a cell."""
        if four(mine | cell, 6):
            return 1.0
        return -self._value(mine ^ mask, mask | cell, depth, -beta, -alpha, control)

    def _value(self, mine: int, mask: int, depth: int, alpha: float, beta: float, control: Control) -> float:
        self._nodes += 1
        if popcount(mask) == CELLS:
            return 0.0
        assert self._judge is not None
        cells = choices(mine, mask, depth)
        if not cells:
            key = key_of(mine, mask)
            if key not in self._judge.known:  # forgotten when the memory was full, or not deep enough for a batch
                self._judge.learn({key: (mine, mine ^ mask)})
            return self._judge.known[key]
        if depth == BATCH_PLIES:
            if control.stopped:
                raise OutOfTime
            self._judge.learn({key_of(x, x | o): (x, o) for x, o in leaves(mine, mask, depth)})
        best = -inf
        for cell in cells:
            best = max(best, self._after(mine, mask, cell, depth - 1, max(alpha, best), beta, control))
            if best >= beta:
                break
        return best


def choices(mine: int, mask: int, depth: int) -> list[int]:
    """The cells to try in a position, or none where the classifier is asked."""
    if depth <= 0 and popcount(mask) % 2 == 0:
        forced = wins_now(mine, mask) or wins_now(mine ^ mask, mask)
        return [forced & -forced] if forced and depth > -MOST_FORCED else []
    return [cell for column in CENTRE_FIRST if (cell := drop(mask, column))]


def leaves(mine: int, mask: int, depth: int) -> Iterator[tuple[int, int]]:
    """(x, o) of every unfinished position that a search to this depth judges."""
    if popcount(mask) == CELLS:
        return
    cells = choices(mine, mask, depth)
    if not cells:
        yield mine, mine ^ mask
    for cell in cells:
        if not four(mine | cell, 6):
            yield from leaves(mine ^ mask, mask | cell, depth - 1)


def _first(found: dict[int, float]) -> int:
    best = max(found.values())
    return min(a for a, value in found.items() if value == best)


@dataclass
class Mlp(Classified):
    """The course's network."""

    kind: ClassVar[str] = "mlp"
    title: ClassVar[str] = Message("Small network (MLP)")
    about: ClassVar[str] = Message("alpha-beta; leaves judged by a small network (50, 20)")


@dataclass
class Svm(Classified):
    """The course's support vector machine, with a kernel approximation."""

    kind: ClassVar[str] = "svm"
    title: ClassVar[str] = Message("Support vectors (SVM)")
    about: ClassVar[str] = Message(
        "alpha-beta; leaves judged by a support vector machine (Nystroem features, calibrated)"
    )


@dataclass
class Best(Classified):
    """The best classifier that the data allows."""

    kind: ClassVar[str] = "best"
    title: ClassVar[str] = Message("Best classifier")
    about: ClassVar[str] = Message("alpha-beta; leaves judged by the best classifier we could train on the UCI data")
    depth: int = option(2, Message("plies to look ahead"), title=Message("look-ahead"), low=1, high=20)
