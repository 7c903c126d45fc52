"""The exercises of `hansu grade`: what a student's search must find, compared with hansu's own.

A student's file may define any of these; each is given a `lesson` that says the lecture's words and writes down
every successor that is made, in order:

    minimax(lesson, state)                    -> value, or (value, action)
    expectimax(lesson, state)                 -> the same
    alphabeta(lesson, state)                  -> the same; exactly the nodes that the cut rule leaves
    depth_limited(lesson, state, rounds)      -> minimax with lesson.evaluate(state) at depth 0
    agent(position), or a class Agent         -> a player for tic-tac-toe
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from hansu.core import generic
from hansu.core.control import Control
from hansu.core.errors import HansuError
from hansu.core.generic import Action, State
from hansu.core.limit import Limit
from hansu.core.position import Position
from hansu.games import game
from hansu.games.tree import Sketch, TreeNode, pack
from hansu.search.players import AlphaBeta, Expectimax, Minimax, TreeSearch
from hansu.search.watch import Trace, TraceNode


class Lesson:
    """The lecture's words over one game, with a record of every successor that was asked for."""

    def __init__(self) -> None:
        self.visited: list[str] = []

    def actions(self, s: State) -> list[Action]:
        return list(generic.actions(s))

    def play(self, s: State, a: Action) -> State:
        after = generic.play(s, a)
        self.visited.append(_node_name(after))
        return after

    def over(self, s: State) -> bool:
        return bool(generic.over(s))

    def score(self, s: State) -> float:
        return float(generic.score(s))

    def evaluate(self, s: State) -> float:
        """On these trees: the mean of the leaves below, a fair guess."""
        if generic.over(s):
            return self.score(s)
        children = [generic.play(s, a) for a in generic.actions(s)]
        return sum(self.evaluate(child) for child in children) / len(children)

    def mover(self, s: State) -> int:
        return int(generic.mover(s))

    def agents(self, s: State) -> int:
        return int(generic.agents(s))


@dataclass(frozen=True)
class Mark:
    """The result of one exercise."""

    exercise: str
    points: float
    out_of: float
    expected: str
    came: str


@dataclass(frozen=True)
class Exercise:
    name: str
    out_of: float
    seconds: float  # a student's program may take so long
    run: Callable[[Any], tuple[float, str, str]]  # module -> share of the points, expected, came


def _node_name(s: TreeNode) -> str:
    return f"n{s.node}"


@dataclass(frozen=True)
class GradedTree:
    """A tree that is kept alive together with its table."""

    name: str
    root: TreeNode
    table: Any


def lecture_tree() -> GradedTree:
    first = game("tree").first
    return GradedTree("the lecture's tree", first.state, first.tables)


def random_tree(seed: int, depth: int, players: int) -> GradedTree:
    """Two or three branches a node, small whole values, so that ties happen and the two cut rules differ."""
    chance = random.Random(seed)

    def grow(level: int) -> Sketch:
        if level == depth:
            return Sketch(0, value=float(chance.randint(-4, 4)))
        node = Sketch(0, player=level % players)
        node.children = [grow(level + 1) for _ in range(chance.randint(2, 3))]
        return node

    table, count = pack(grow(0))
    return GradedTree(f"random tree {seed}", TreeNode(table.handle, count, 0), table)


def expected_of(player: TreeSearch, tree: GradedTree, depth: int = -1) -> tuple[float, Action, list[str]]:
    """What hansu's own search finds: value, action and the successors in the order of visiting."""
    trace = Trace(100_000)
    position = Position(game("tree"), tree.root, tree.table)
    found = player.search(position, depth, Control(), trace=trace)
    assert trace.root is not None and found.value is not None
    return found.value, found.line[0], [_node_name(node.state) for node in _in_order(trace.root)][1:]


def _in_order(node: TraceNode) -> Iterator[TraceNode]:
    yield node
    for child in node.children:
        yield from _in_order(child)


def _answer(given: Any) -> tuple[float, Action | None]:
    """A student's answer: a value, or a pair of value and action."""
    if isinstance(given, tuple | list) and len(given) == 2:
        return float(given[0]), given[1]
    return float(given), None


def _function(module: Any, name: str) -> Callable[..., Any]:
    found = getattr(module, name, None)
    if not callable(found):
        raise HansuError(f"{name} is not defined")
    return found  # type: ignore[no-any-return]


def on_trees(name: str, reference: TreeSearch, trees: list[GradedTree], order: bool) -> Callable[[Any], Any]:
    """Value and action on every tree; with `order`, also exactly the nodes visited."""

    def run(module: Any) -> tuple[float, str, str]:
        search = _function(module, name)
        right = 0
        first_wrong: tuple[str, str] | None = None
        for tree in trees:
            value, action, visited = expected_of(reference, tree)
            lesson = Lesson()
            got_value, got_action = _answer(search(lesson, tree.root))
            same_order = not order or lesson.visited == visited
            if abs(got_value - value) < 1e-9 and got_action in (None, action) and same_order:
                right += 1
            elif first_wrong is None:
                if abs(got_value - value) >= 1e-9 or got_action not in (None, action):
                    first_wrong = f"{tree.name}: value {value:g}, action {action}", f"{got_value:g}, {got_action}"
                else:
                    first_wrong = f"{tree.name}: visits {' '.join(visited)}", " ".join(lesson.visited)
        if first_wrong is None:
            return 1.0, f"{len(trees)} tree(s) right", f"{right} right"
        return right / len(trees), *first_wrong

    return run


def limited(module: Any) -> tuple[float, str, str]:
    """Depth-limited minimax on three-agent trees, one and two rounds deep."""
    search = _function(module, "depth_limited")
    right, total, first_wrong = 0, 0, ("", "")
    for seed in range(4):
        tree = random_tree(100 + seed, 6, 3)
        for rounds in (1, 2):
            value = _limited_value(tree.root, rounds)
            got, _ = _answer(search(Lesson(), tree.root, rounds))
            total += 1
            if abs(got - value) < 1e-9:
                right += 1
            elif not first_wrong[0]:
                first_wrong = f"{tree.name}, {rounds} round(s): {value:g}", f"{got:g}"
    if right == total:
        return 1.0, f"{total} values right", f"{right} right"
    return right / total, *first_wrong


def _limited_value(s: State, rounds: int) -> float:
    """The definition, written out: depth drops after the last agent has moved."""
    lesson = Lesson()
    if lesson.over(s):
        return lesson.score(s)
    if rounds == 0:
        return lesson.evaluate(s)
    last = lesson.mover(s) == lesson.agents(s) - 1
    values = [_limited_value(lesson.play(s, a), rounds - last) for a in lesson.actions(s)]
    return max(values) if lesson.mover(s) == 0 else min(values)


def _agent(module: Any) -> Callable[[Position], Action]:
    from hansu.arena.guest_worker import asker

    found = getattr(module, "Agent", None) or getattr(module, "agent", None)
    if found is None:
        raise HansuError("neither agent(position) nor a class Agent is defined")
    ask = asker(found)
    known: dict[Any, Action] = {}

    def choose(position: Position) -> Action:
        if position.state not in known:
            given = ask(position, Limit())
            known[position.state] = position.game.action(position.state, given) if isinstance(given, str) else given
        return known[position.state]

    return choose


def never_loses(module: Any) -> tuple[float, str, str]:
    """Against every line the opponent can play, from both seats."""
    choose = _agent(module)
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
    return (0.0, "no loss", f"lost by {losses[0]}") if losses else (1.0, "no loss", "no loss")


def beats_random(module: Any) -> tuple[float, str, str]:
    """Twenty games against random moves, both seats; a draw counts half."""
    choose = _agent(module)
    chance = random.Random(1)
    points = 0.0
    for number in range(20):
        position, seat = game("tictactoe").first, number % 2
        while not position.over:
            mine = position.mover == seat
            position = position.play(choose(position) if mine else chance.choice(position.actions))
        points += (1 + position.score * (1 if seat == 0 else -1)) / 2
    return min(points / 17, 1.0), "17 points of 20 or more", f"{points:g}"


def exercises(cut_at_tie: bool) -> list[Exercise]:
    lecture = [lecture_tree()]
    trees = [random_tree(seed, 4, 2) for seed in range(6)]
    three = [random_tree(50 + seed, 6, 3) for seed in range(3)]
    pruning = AlphaBeta(ties=cut_at_tie)
    return [
        Exercise("minimax on the lecture's tree", 1, 10, on_trees("minimax", Minimax(), lecture, True)),
        Exercise("minimax on random trees", 2, 20, on_trees("minimax", Minimax(), trees, True)),
        Exercise("minimax with three agents", 2, 20, on_trees("minimax", Minimax(), three, True)),
        Exercise("expectimax on the lecture's tree", 1, 10, on_trees("expectimax", Expectimax(), lecture, False)),
        Exercise("expectimax on random trees", 2, 20, on_trees("expectimax", Expectimax(), trees + three, False)),
        Exercise("alphabeta: values", 2, 20, on_trees("alphabeta", Minimax(), lecture + trees, False)),
        Exercise("alphabeta: exactly the nodes", 3, 20, on_trees("alphabeta", pruning, lecture + trees + three, True)),
        Exercise("depth_limited in rounds", 3, 20, limited),
        Exercise("agent never loses at tic-tac-toe", 3, 300, never_loses),
        Exercise("agent beats random moves", 1, 300, beats_random),
    ]


def mark(exercise: Exercise, module: Any) -> dict[str, Any]:
    """Run one exercise; whatever the student's code raises is its own answer."""
    try:
        share, expected, came = exercise.run(module)
    except HansuError as error:
        share, expected, came = 0.0, "", str(error)
    except RecursionError:
        share, expected, came = 0.0, "", "never comes to an end (RecursionError)"
    except Exception as error:
        from hansu.arena.guest_worker import place_of

        share, expected, came = 0.0, "", f"raised {type(error).__name__}: {error} ({place_of(error)})"
    points = round(share * exercise.out_of, 2)
    return asdict(Mark(exercise.name, points, exercise.out_of, expected, came))
