"""The exercises of `hansu grade`, and the points: a student's results are compared with those of hansu's own search.

The student's code runs in another process, which only answers questions. It cannot reach these functions, and its
answers count only if they are correct.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hansu.arena.graded_tree import GradedTree, LectureTree, TreeName, node_name, tree_of
from hansu.arena.worker import Worker, printable_text, with_hint
from hansu.core.control import Control
from hansu.core.errors import HansuError, PlayerFault
from hansu.core.generic import Action, State
from hansu.core.message import Message
from hansu.core.position import Position
from hansu.core.registry import game
from hansu.search.players import AlphaBeta, Expectimax, Minimax, TreeSearch
from hansu.search.watch import Trace, TraceNode

START_SECONDS = 60.0

Ask = Callable[[dict[str, Any]], dict[str, Any]]
"""Sends a question to the student's process. Raises HansuError with the error of the student's code."""


@dataclass(frozen=True)
class Grade:
    """The result of one exercise."""

    exercise: str
    points: float
    out_of: float
    expected: str
    result: str

    def as_json(self) -> dict[str, Any]:
        """For programs. (The key of the result is `came`.)"""
        return {
            "exercise": self.exercise, "points": self.points, "out_of": self.out_of, "expected": self.expected,
            "came": self.result,
        }  # fmt: skip


@dataclass(frozen=True)
class Exercise:
    name: str
    out_of: float
    seconds: float  # time limit
    run: Callable[[Ask], tuple[float, str, str]]  # share of the points, expected, result


def expected_of(player: TreeSearch, tree: LectureTree, depth: int = -1) -> tuple[float, Action, list[str]]:
    """The result of hansu's own search: value, action, and the successors in visiting order."""
    trace = Trace(100_000)
    position = Position(game("tree"), tree.root, tree.table)
    result = player.search(position, depth, Control(), trace=trace)
    assert trace.root is not None and result.value is not None
    return result.value, result.line[0], [node_name(node.state) for node in _in_order(trace.root)][1:]


def _in_order(node: TraceNode) -> Iterator[TraceNode]:
    yield node
    for child in node.children:
        yield from _in_order(child)


def _answer(ask: Ask, search: str, tree: TreeName, **more: int) -> tuple[float, Any, list[str]]:
    """A student's value, action (None if not returned) and visited nodes on a tree."""
    answer = ask({"search": search, "tree": tree, **more})
    value, visited = answer.get("value"), answer.get("visited")
    if isinstance(value, bool) or not isinstance(value, int | float) or not isinstance(visited, list):
        raise HansuError("sent an unreadable answer")
    return float(value), answer.get("action"), [str(node) for node in visited]


def on_trees(name: str, reference: TreeSearch, trees: list[TreeName], order: bool) -> Callable[[Ask], Any]:
    """Compare value and action on every tree; with `order`, also the visited nodes."""

    def run(ask: Ask) -> tuple[float, str, str]:
        right = 0
        first_wrong: tuple[str, str] | None = None
        for tree in trees:
            value, action, visited = expected_of(reference, tree_of(tree))
            got_value, got_action, got_visited = _answer(ask, name, tree)
            right_value = abs(got_value - value) < 1e-9 and got_action in (None, action)
            if right_value and (not order or got_visited == visited):
                right += 1
            elif first_wrong is None and not right_value:
                expected = Message(
                    "{tree}: value {value:g}, action {action}", tree=tree.title, value=value, action=action
                )
                first_wrong = expected, f"{got_value:g}, {got_action}"
            elif first_wrong is None:
                expected = Message("{tree}: visits {nodes}", tree=tree.title, nodes=" ".join(visited))
                first_wrong = expected, " ".join(got_visited)
        if first_wrong is None:
            return 1.0, Message("{count} tree(s) right", count=len(trees)), Message("{count} right", count=right)
        return right / len(trees), *first_wrong

    return run


def limited(ask: Ask) -> tuple[float, str, str]:
    """Depth-limited minimax on three-agent trees, one and two rounds deep."""
    right, total = 0, 0
    first_wrong: tuple[str, str] = "", ""
    for seed in range(4):
        tree = TreeName(100 + seed, 6, 3)
        grown = tree_of(tree)  # holds the table of its states
        for rounds in (1, 2):
            value = _limited_value(grown.root, rounds)
            got, _, _ = _answer(ask, "depth_limited", tree, rounds=rounds)
            total += 1
            if abs(got - value) < 1e-9:
                right += 1
            elif not first_wrong[0]:
                expected = Message("{tree}, {rounds} round(s): {value:g}", tree=tree.title, rounds=rounds, value=value)
                first_wrong = expected, f"{got:g}"
    if right == total:
        return 1.0, Message("{count} values right", count=total), Message("{count} right", count=right)
    return right / total, *first_wrong


def _limited_value(s: State, rounds: int) -> float:
    """The definition: the depth decreases after the last agent has moved."""
    lesson = GradedTree()
    if lesson.over(s):
        return lesson.score(s)
    if rounds == 0:
        return lesson.evaluate(s)
    last = lesson.mover(s) == lesson.agents(s) - 1
    values = [_limited_value(lesson.play(s, a), rounds - last) for a in lesson.actions(s)]
    return max(values) if lesson.mover(s) == 0 else min(values)


def _chooser(ask: Ask) -> Callable[[Position], Action]:
    """The student's agent, with one question per position."""
    known: dict[State, Action] = {}

    def choose(position: Position) -> Action:
        if position.state not in known:
            move = str(ask({"moves": position.moves}).get("move"))
            known[position.state] = position.game.action(position.state, move)
        return known[position.state]

    return choose


def never_loses(ask: Ask) -> tuple[float, str, str]:
    """Play against every line of the opponent, from both seats."""
    choose = _chooser(ask)
    losses: list[str] = []

    def explore(position: Position, seat: int) -> None:
        if losses:
            return
        if position.over:
            if position.score == (-1 if seat == 0 else 1):
                losses.append(" ".join(position.moves))
        elif position.mover == seat:
            explore(position.play(choose(position)), seat)
        else:
            for action in position.actions:
                explore(position.play(action), seat)

    for seat in (0, 1):
        explore(game("tictactoe").first, seat)
    if losses:
        return 0.0, Message("no loss"), Message("lost by {moves}", moves=losses[0])
    return 1.0, Message("no loss"), Message("no loss")


def beats_random(ask: Ask) -> tuple[float, str, str]:
    """Play twenty games against random moves, from both seats; a draw counts 1/2."""
    choose = _chooser(ask)
    chance = random.Random(1)
    points = 0.0
    for number in range(20):
        position, seat = game("tictactoe").first, number % 2
        while not position.over:
            mine = position.mover == seat
            position = position.play(choose(position) if mine else chance.choice(position.actions))
        points += (1 + position.score * (1 if seat == 0 else -1)) / 2
    return min(points / 17, 1.0), Message("17 points of 20 or more"), f"{points:g}"


def exercises(cut_at_tie: bool) -> list[Exercise]:
    """All exercises. `cut_at_tie`: alpha-beta cuts at beta <= alpha."""
    lecture = [TreeName()]
    trees = [TreeName(seed, 4, 2) for seed in range(6)]
    three = [TreeName(50 + seed, 6, 3) for seed in range(3)]
    everything = lecture + trees + three
    values, means, pruning = Minimax(), Expectimax(), AlphaBeta(ties=cut_at_tie)
    return [
        Exercise(Message("minimax on the lecture's tree"), 1, 10, on_trees("minimax", values, lecture, True)),
        Exercise(Message("minimax on random trees"), 2, 20, on_trees("minimax", values, trees, True)),
        Exercise(Message("minimax with three agents"), 2, 20, on_trees("minimax", values, three, True)),
        Exercise(Message("expectimax on the lecture's tree"), 1, 10, on_trees("expectimax", means, lecture, False)),
        Exercise(Message("expectimax on random trees"), 2, 20, on_trees("expectimax", means, trees + three, False)),
        Exercise(Message("alphabeta: values"), 2, 20, on_trees("alphabeta", values, lecture + trees, False)),
        Exercise(Message("alphabeta: exactly the nodes"), 3, 20, on_trees("alphabeta", pruning, everything, True)),
        Exercise(Message("depth_limited in rounds"), 3, 20, limited),
        Exercise(Message("agent never loses at tic-tac-toe"), 3, 300, never_loses),
        Exercise(Message("agent beats random moves"), 1, 300, beats_random),
    ]


class Grader:
    """Grades one file. A failure of its code costs only the points of that exercise."""

    def __init__(self, file: Path, cut_at_tie: bool) -> None:
        self._file = file
        self._exercises = exercises(cut_at_tie)
        self._worker: Worker | None = None
        self._until = 0.0  # deadline of the current exercise

    def marks(self) -> list[Grade]:
        try:
            self._start()  # reports a file that cannot be loaded
            return [self._mark(exercise) for exercise in self._exercises]
        finally:
            if self._worker is not None:
                self._worker.kill()

    def _start(self) -> Worker:
        if self._worker is None or not self._worker.alive:
            if self._worker is not None:
                self._worker.kill()
            self._worker = Worker("hansu.arena.grade_worker", self._file.name)
            answer = self._worker.ask({"file": str(self._file.resolve())}, START_SECONDS)
            if "error" in answer:
                raise HansuError(answer["error"])
        return self._worker

    def _mark(self, exercise: Exercise) -> Grade:
        share, expected, result = 0.0, "", ""
        try:
            worker = self._start()
            self._until = time.monotonic() + exercise.seconds

            def ask(question: dict[str, Any]) -> dict[str, Any]:
                answer = worker.ask(question, self._until - time.monotonic())
                if "error" in answer:
                    raise HansuError(answer["error"])
                return answer

            share, expected, result = exercise.run(ask)
        except PlayerFault as fault:
            result = fault.what
        except HansuError as error:
            result = with_hint(error)
        points = round(share * exercise.out_of, 2)
        return Grade(exercise.name, points, exercise.out_of, expected, printable_text(result))
