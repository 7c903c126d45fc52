"""The guided search of a game in play: a tree that is kept from move to move, and who answers its questions."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from hansu.core.control import NODES, Control
from hansu.core.errors import HansuError
from hansu.core.game_extensions import ForcedMove, TacticalSolver
from hansu.core.generic import Action, State, symmetric_action
from hansu.core.player import Decision
from hansu.core.position import Position
from hansu.core.report import MoveValue, Report, Value
from hansu.search.evaluation_cache import EvaluationCache
from hansu.search.forest import Forest
from hansu.search.lone_tree import LoneTree
from hansu.search.network import Network
from hansu.search.tactical_leaves import TacticalLeaves
from hansu.search.trees import Branch, TreeSettings, packed

PORTION = 512  # simulations between two looks at the clock, where no network has to be waited for
FIRST_REPORT = 64  # simulations
BARRED = -1e9  # the logit of a move that tactics rule out


class GuidedSearch:
    """One tree. With a network it asks that, `settings.leaves` positions at once; without one it plays `plies` random
    plies and asks the game's evaluation if that goes on. `tactics` and `foresight` are asked before the network where
    there are any."""

    def __init__(
        self, position: Position, settings: TreeSettings, network: Network | None, *, room: int, seed: int, plies: int,
        tactics: Callable[[Position], ForcedMove | None] | None = None, foresight: TacticalSolver | None = None,
        interpreted: bool = False,
    ) -> None:  # fmt: skip
        self.position, self.network, self._tactics, self._foresight = position, network, tactics, foresight
        self.board = (position.game.spec, position.tables)
        self.trees: Forest | LoneTree
        if network is None:
            self.trees = LoneTree(position, settings, room=room, seed=seed, plies=plies, interpreted=interpreted)
        else:
            self.trees = Forest(position, 1, 1 << 20, settings, room=room, seed=seed, interpreted=interpreted)
            self._remembered = EvaluationCache(self.trees.actions, self.trees.inputs)

    def plant(self, position: Position) -> None:
        """Begin anew."""
        self.position = position
        if isinstance(self.trees, LoneTree):
            self.trees.plant(position.state)
        else:
            self.trees.plant(packed([position.state]))

    def come_to(self, position: Position) -> None:
        """Go on from the last root where the game has; else begin anew. (Gumbel's search plans its visits from the root
        on, so that it always begins anew.)"""
        since = moves_since(self.position, position)
        if since is None or self.trees.gumbel:
            self.plant(position)
            return
        self.position = position
        for action in since:
            if isinstance(self.trees, LoneTree):
                self.trees.advance(action)
            else:
                self.trees.advance([action])
        self.trees.begin(0)
        if self.trees.proved()[0] and not any(branch.visits for branch in self.trees.branches()):
            self.plant(position)  # foresight alone knew: what is worth playing was not looked at

    def precompile(self, control: Control) -> None:
        """Compile before the clock starts."""
        if self._foresight is not None:
            self._foresight.precompile()
        if isinstance(self.trees, LoneTree):
            control.clear()
            self.trees.precompile(control)
        else:
            self.trees.precompile()

    @property
    def root(self) -> State:
        """The state at the root, as the tree sees it."""
        return self.trees.root if isinstance(self.trees, LoneTree) else self.position.state

    @property
    def done(self) -> int:
        """Simulations since the tree came to its position."""
        return int(self.trees.done()[0])

    def run(self, simulations: int, control: Control) -> None:
        """So many simulations, or until the control says stop; but the root's moves are always known afterwards."""
        started, told = time.perf_counter(), FIRST_REPORT
        while True:
            left = simulations - self.done
            if self.trees.proved()[0] or left <= 0 or (control.stopped and self.trees.branches()):
                return
            self.trees.want(simulations if self.trees.gumbel else self.done + min(left, PORTION))
            if isinstance(self.trees, LoneTree):
                self.trees.grow(control)
            else:
                self._ask(self.trees, control)
            control.words[NODES] = self.done
            if self.done >= told:
                control.tell(self.report(time.perf_counter() - started))
                told = 2 * self.done

    def _ask(self, forest: Forest, control: Control) -> None:
        """Questions and answers, until as many simulations are done as are wanted."""
        batch = forest.select()
        while batch is not None:
            answers = self._answers(forest, batch)
            if control.stopped:  # no leaf may be left waiting
                forest.expand(*answers)
                return
            batch = forest.step(*answers)
            control.words[NODES] = self.done

    def _answers(self, forest: Forest, batch: Any) -> tuple[Any, Any]:
        if self._foresight is None:
            policy, value = self._ask_network(batch)
        else:
            seen = TacticalLeaves(forest, self._foresight)
            policy = np.zeros((len(batch), forest.actions), np.float32)
            value = np.zeros((len(batch), 3), np.float32)
            if len(seen.open_rows):
                policy[seen.open_rows], value[seen.open_rows] = self._ask_network(batch[seen.open_rows])
            seen.tell(policy, value)
        if self._tactics is not None:
            self._ask_tactics(forest, policy, value)
        return policy, value

    def _ask_network(self, batch: Any) -> tuple[Any, Any]:
        assert self.network is not None
        policy, value = self._remembered.answer(batch, self.network)
        if not (value == value).all():
            path = self.network.path
            raise HansuError("{path} answers no numbers", path=path)
        return policy, value

    def _ask_tactics(self, forest: Forest, policy: Any, value: Any) -> None:
        """Where tactics name a move it is the only one, and a win where they say so."""
        leaves, states = forest.waiting
        for (_, row, turn), words in zip(leaves, states, strict=True):
            s = forest.state(words)
            tactic = self.tactic(Position(self.position.game, s, self.position.tables))
            if tactic is None:
                continue
            for k in range(forest.rows):
                policy[row + k] = BARRED
                policy[row + k, symmetric_action(s, tactic.action, k if forest.rows > 1 else int(turn))] = 0.0
                if tactic.wins:
                    value[row + k] = (1.0, 0.0, 0.0)

    def win(self, position: Position, control: Control) -> Decision | None:
        """A win that the game sees in the position on the board."""
        return None if self._foresight is None else self._foresight.win(position, control)

    def tactic(self, position: Position) -> ForcedMove | None:
        return None if self._tactics is None else self._tactics(position)

    def branches(self, slot: int = 0) -> list[Branch]:
        """The moves of a node that are in the tree."""
        return self.trees.branches(slot)

    def report(self, seconds: float) -> Report:
        trees = self.trees
        line, branches = trees.line(), trees.branches()
        if not line:
            return Report(nodes=self.done, seconds=seconds)
        proved = bool(trees.proved()[0])
        best = next(branch for branch in branches if branch.action == line[0])
        value = float(trees.values()[0]) * trees.unit if proved else best.value or 0.0
        moves = tuple(
            MoveValue(
                action=self._named(branch.action),
                value=None if branch.value is None else Value(branch.value, proved=branch.proved),
                visits=branch.visits,
                prior=branch.prior,
            )
            for branch in branches
        )
        return Report(
            value=Value(value, proved=proved), line=tuple(self._named(action) for action in line), moves=moves,
            chances=self._chances(value, proved), depth=len(line), seldepth=trees.deepest(), nodes=self.done,
            seconds=seconds,
        )  # fmt: skip

    def _named(self, action: Action) -> Action:
        return self.trees.named(action) if isinstance(self.trees, LoneTree) else action

    def _chances(self, value: float, proved: bool) -> tuple[float, float, float] | None:
        """That player 0 wins, draws, loses: the value, with the share of draws that the network saw."""
        if self.network is None:
            return None
        value /= self.trees.unit
        draw = min(float(self.trees.draw_chances()[0]), 1.0 - abs(value))
        if proved and value in (-1.0, 0.0, 1.0):
            draw = 1.0 - abs(value)
        return (1.0 - draw + value) / 2, draw, (1.0 - draw - value) / 2


def moves_since(before: Position, now: Position) -> tuple[Action, ...] | None:
    """What was played between two positions of one game; None where the second does not follow from the first."""
    older, newer = before.history, now.history
    if newer[: len(older)] != older or before.origin.state != now.origin.state:
        return None
    return newer[len(older) :]
