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
from hansu.search.object_state import ActionTable, ObjectState, needs_object_state
from hansu.search.players.explanations import no_time, value_text
from hansu.search.players.repetition import apply_repetition
from hansu.search.tree import MAX_VISITS, Tree
from hansu.search.visit_tree import Visited, move_name
from hansu.search.watch import Watch

DEFAULT_SIMULATIONS = 10_000
LINE_LENGTH = 16  # plies of the reported principal variation
WATCHED_NODES = 1 << 16  # maximum size of a tree that is drawn


@dataclass
class Mcts(Player):
    """UCT with random playouts."""

    kind: ClassVar[str] = "mcts"
    title: ClassVar[str] = Message("Monte Carlo tree search (MCTS)")
    about: ClassVar[str] = Message("Monte Carlo tree search with random playouts (UCT)")
    heeds: ClassVar[frozenset[str]] = LIMITS - {"depth"}
    judges_all: ClassVar[bool] = True
    traced_as: ClassVar[str] = "visits"
    simulations: int | None = option(
        None,
        Message(
            "maximum playouts per move; {default_simulations:,} if nothing else limits the search",
            default_simulations=DEFAULT_SIMULATIONS,
        ),
        title=Message("simulations"),
        low=1,
        high=MAX_VISITS,
    )
    exploration: float = option(
        1.0,
        Message("exploration constant: higher values try weaker-looking moves more often"),
        title=Message("exploration"),
        low=0,
        high=100,
    )
    playout_plies: int = option(
        2_000,
        Message("maximum plies of a playout; longer ones end with the game's evaluation"),
        title=Message("playout length"),
        low=0,
        high=1 << 30,
    )
    max_nodes: int = option(
        1 << 20,
        Message("maximum nodes in the tree"),
        title=Message("tree size"),
        low=1_024,
        high=1 << 28,
        bytes_each=40,
        old="room",
    )
    seed: int = option(
        1,
        Message("random seed; the same seed repeats the same moves"),
        title=Message("random seed"),
        low=0,
        high=1 << 62,
    )
    interpreted: bool = option(False, Message("run as plain Python (slow)"), title=Message("plain Python"))

    @property
    def own_limit(self) -> Limit:
        return Limit(nodes=self.simulations)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        import numpy as np

        limit, control = limit or Limit(), control or Control()
        limits = [n for n in (limit.nodes, self.simulations) if n is not None]
        simulations = min(limits, default=MAX_VISITS if limit.time is not None else DEFAULT_SIMULATIONS)
        simulations = min(simulations, MAX_VISITS)
        s, table = position.state, None
        if needs_object_state(s):
            table = ActionTable()
            s = ObjectState(s, table)
        tree = new_tree(self.max_nodes)
        first_seed = mix((self.seed, len(position.history)))
        run: Any
        seed: Any
        watch: Any
        if self.interpreted or table is not None:
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
            return self._report(position, tree, table, deepest, time.perf_counter() - started)

        with control.deadline(limit.time):
            target, unit = min(1_000, simulations), position.game.score_range
            while True:  # in chunks, with a report after each
                run(s, tree.handle, target, self.exploration, unit, self.playout_plies, seed, watch)
                if tree.visits[0] < target or target >= simulations:
                    break
                control.tell(report())
                target = min(2 * target, simulations)
        return apply_repetition(position, self._decision(position, report()))

    def simulations_in(self, position: Position, most: int, control: Control) -> Iterator[tuple[Visited, ...]]:
        """The simulations one at a time, by the same function as in `decide`, interpreted."""
        s, unit = position.state, position.game.score_range
        root = ObjectState(s, ActionTable()) if needs_object_state(s) else s
        tree, seed = new_tree(min(self.max_nodes, WATCHED_NODES)), [mix((self.seed, len(position.history)))]
        for _ in range(min(most, self.simulations or most)):
            if control.stopped:
                return
            length = int(simulate(root, tree.handle, self.exploration, unit, self.playout_plies, seed))
            path, state, move = [], root, ""
            for slot in map(int, tree.path[:length]):
                if slot:
                    move = move_name(position.game, state, int(tree.action[slot]))
                    state = play(state, int(tree.action[slot]))
                mean = float(tree.sign[slot] * tree.mean[slot]) * unit
                path.append(Visited(slot, move, state, int(tree.visits[slot]), mean))
            yield tuple(path)

    def _decision(self, position: Position, report: Report) -> Decision:
        if report.value is None:
            action = position.actions[0]
            return Decision(action=action, why=no_time(position, action), report=report)
        action = report.line[0]
        done, share = report.nodes, report.policy[action]
        move, worth = position.move_text(action), value_text(position, report.value)
        why = Message(
            "{move} had {share:.0%} of {done:,} playouts: {worth}", move=move, share=share, done=done, worth=worth
        )
        return Decision(action=action, why=why, report=report)

    def _report(self, position: Position, tree: Tree, table: ActionTable | None, depth: int, seconds: float) -> Report:
        unit = position.game.score_range

        def value(node: int) -> Value:
            return Value(float(tree.sign[node] * tree.mean[node]) * unit)

        best = self._most_visited(tree, 0)
        if not best:
            return Report(nodes=int(tree.visits[0]), seconds=seconds)
        first = int(tree.first[0])
        moves = tuple(
            MoveValue(
                action=self._action(tree, child, table),
                value=value(child) if tree.visits[child] else None,
                visits=int(tree.visits[child]),
            )
            for child in range(first, first + int(tree.count[0]))
        )
        return Report(
            value=value(best), line=self._line(tree, table), moves=moves, depth=depth, seldepth=depth,
            nodes=int(tree.visits[0]), seconds=seconds,
        )  # fmt: skip

    @staticmethod
    def _action(tree: Tree, node: int, table: ActionTable | None) -> Action:
        number = int(tree.action[node])
        return number if table is None else table.actions[number]

    @staticmethod
    def _most_visited(tree: Tree, node: int) -> int:
        start, count = int(tree.first[node]), int(tree.count[node])
        if start <= 0:
            return 0
        visits = tree.visits[start : start + count]
        return start + int(visits.argmax()) if visits.max() > 0 else 0

    def _line(self, tree: Tree, table: ActionTable | None) -> tuple[Action, ...]:
        line: list[Action] = []
        node = self._most_visited(tree, 0)
        while node and len(line) < LINE_LENGTH:
            line.append(self._action(tree, node, table))
            node = self._most_visited(tree, node)
        return tuple(line)
