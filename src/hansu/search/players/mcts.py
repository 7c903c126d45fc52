"""`mcts`: UCT with random playouts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from hansu.compile import compiled
from hansu.core.bits import mix
from hansu.core.control import DEEPEST, Control
from hansu.core.generic import Action, play
from hansu.core.limit import Limit
from hansu.core.message import Message
from hansu.core.player import LIMITS, Decision, Player, option
from hansu.core.position import Position
from hansu.core.report import MoveValue, Report, Value
from hansu.search.mcts import mcts, new_tree, simulate
from hansu.search.object_state import Numbered, ObjectTable, is_foreign
from hansu.search.players.explanations import no_time, value_text
from hansu.search.players.repetition import minding_repetition
from hansu.search.tree import MAX_VISITS, Tree
from hansu.search.visit_tree import Visited, move_name
from hansu.search.watch import Watch

DEFAULT_SIMULATIONS = 10_000
LINE_LENGTH = 16  # plies of the best line that are told
LOOKED_INTO = 1 << 16  # nodes of a tree that somebody watches growing


@dataclass
class Mcts(Player):
    """UCT with random playouts."""

    kind: ClassVar[str] = "mcts"
    title: ClassVar[str] = Message("Monte Carlo tree (MCTS)")
    about: ClassVar[str] = Message("plays many random games and follows what wins (UCT)")
    heeds: ClassVar[frozenset[str]] = LIMITS - {"depth"}
    judges_all: ClassVar[bool] = True
    traced_as: ClassVar[str] = "visits"
    simulations: int | None = option(
        None,
        Message(
            "playouts a move at most; {default_simulations:,} where nothing else limits it",
            default_simulations=DEFAULT_SIMULATIONS,
        ),
        title=Message("simulations"),
        low=1,
        high=MAX_VISITS,
    )
    exploration: float = option(
        1.0, Message("how much it tries moves that look worse"), title=Message("curiosity"), low=0, high=100
    )
    playout_plies: int = option(
        2_000,
        Message("a playout that is longer is judged by the evaluation"),
        title=Message("longest playout"),
        low=0,
        high=1 << 30,
    )
    max_nodes: int = option(
        1 << 20,
        Message("nodes that the tree may have"),
        title=Message("tree size"),
        low=1_024,
        high=1 << 28,
        bytes_each=40,
        old="room",
    )
    seed: int = option(
        1, Message("makes its playouts repeatable"), title=Message("seed of chance"), low=0, high=1 << 62
    )
    interpreted: bool = option(False, Message("run as plain Python"), title=Message("plain Python"))

    @property
    def own_limit(self) -> Limit:
        return Limit(nodes=self.simulations)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        import numpy as np

        limit, control = limit or Limit(), control or Control()
        given = [n for n in (limit.nodes, self.simulations) if n is not None]
        simulations = min(given, default=MAX_VISITS if limit.time is not None else DEFAULT_SIMULATIONS)
        simulations = min(simulations, MAX_VISITS)
        s, book = position.state, None
        if is_foreign(s):
            book = ObjectTable()
            s = Numbered(s, book)
        tree = new_tree(self.max_nodes)
        first_seed = mix((self.seed, len(position.history)))
        run: Any
        seed: Any
        watch: Any
        if self.interpreted or book is not None:
            run, seed, watch = mcts, [first_seed], Watch(control)
        else:
            control.clear()
            run, seed, watch = compiled(mcts, type(s)), np.array([first_seed], dtype=np.int64), control.address
            run.precompile(
                s, tree.handle, 1, self.exploration, position.game.score_range, self.playout_plies, seed, watch
            )
        started = time.perf_counter()

        def report() -> Report:
            deepest = watch.deepest if isinstance(watch, Watch) else int(control.words[DEEPEST])
            return self._report(position, tree, book, deepest, time.perf_counter() - started)

        with control.deadline(limit.time):
            target, unit = min(1_000, simulations), position.game.score_range
            while True:  # in portions, so that there is something to report
                run(s, tree.handle, target, self.exploration, unit, self.playout_plies, seed, watch)
                if tree.visits[0] < target or target >= simulations:
                    break
                control.tell(report())
                target = min(2 * target, simulations)
        return minding_repetition(position, self._decision(position, report()))

    def simulations_in(self, position: Position, most: int, control: Control) -> Iterator[tuple[Visited, ...]]:
        """One at a time, by the very function that `decide` runs, interpreted."""
        s, unit = position.state, position.game.score_range
        root = Numbered(s, ObjectTable()) if is_foreign(s) else s
        tree, seed = new_tree(min(self.max_nodes, LOOKED_INTO)), [mix((self.seed, len(position.history)))]
        for _ in range(min(most, self.simulations or most)):
            if control.stopped:
                return
            length = int(simulate(root, tree.handle, self.exploration, unit, self.playout_plies, seed))
            way, state, move = [], root, ""
            for slot in map(int, tree.path[:length]):
                if slot:
                    move = move_name(position.game, state, int(tree.action[slot]))
                    state = play(state, int(tree.action[slot]))
                mean = float(tree.sign[slot] * tree.mean[slot]) * unit
                way.append(Visited(slot, move, state, int(tree.visits[slot]), mean))
            yield tuple(way)

    def _decision(self, position: Position, found: Report) -> Decision:
        if found.value is None:
            action = position.actions[0]
            return Decision(action=action, why=no_time(position, action), report=found)
        action = found.line[0]
        done, share = found.nodes, found.policy[action]
        move, worth = position.move_text(action), value_text(position, found.value)
        why = Message(
            "{move} had {share:.0%} of {done:,} playouts: {worth}", move=move, share=share, done=done, worth=worth
        )
        return Decision(action=action, why=why, report=found)

    def _report(self, position: Position, tree: Tree, book: ObjectTable | None, depth: int, seconds: float) -> Report:
        unit = position.game.score_range

        def value(node: int) -> Value:
            return Value(float(tree.sign[node] * tree.mean[node]) * unit)

        best = self._most_visited(tree, 0)
        if not best:
            return Report(nodes=int(tree.visits[0]), seconds=seconds)
        first = int(tree.first[0])
        moves = tuple(
            MoveValue(
                action=self._name(tree, child, book),
                value=value(child) if tree.visits[child] else None,
                visits=int(tree.visits[child]),
            )
            for child in range(first, first + int(tree.count[0]))
        )
        return Report(
            value=value(best), line=self._line(tree, book), moves=moves, depth=depth, seldepth=depth,
            nodes=int(tree.visits[0]), seconds=seconds,
        )  # fmt: skip

    @staticmethod
    def _name(tree: Tree, node: int, book: ObjectTable | None) -> Action:
        number = int(tree.action[node])
        return number if book is None else book.actions[number]

    @staticmethod
    def _most_visited(tree: Tree, node: int) -> int:
        start, count = int(tree.first[node]), int(tree.count[node])
        if start <= 0:
            return 0
        visits = tree.visits[start : start + count]
        return start + int(visits.argmax()) if visits.max() > 0 else 0

    def _line(self, tree: Tree, book: ObjectTable | None) -> tuple[Action, ...]:
        line: list[Action] = []
        node = self._most_visited(tree, 0)
        while node and len(line) < LINE_LENGTH:
            line.append(self._name(tree, node, book))
            node = self._most_visited(tree, node)
        return tuple(line)
