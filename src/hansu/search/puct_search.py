"""PUCT in a game: one tree that is kept from move to move."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from hansu.core.control import NODES, Control
from hansu.core.game_extensions import ForcedMove, TacticalSolver
from hansu.core.generic import Action, State
from hansu.core.player import Decision
from hansu.core.position import Position
from hansu.core.report import MoveValue, Report, Value
from hansu.search.network import Network
from hansu.search.network_tree import NetworkTree
from hansu.search.playout_tree import PlayoutTree
from hansu.search.trees import Branch, Trees, TreeSettings

CHUNK = 512  # simulations between two checks of the report interval
FIRST_REPORT = 64  # simulations


class SearchTree(Protocol):
    """One tree, with what evaluates its leaves: a `NetworkTree` or a `PlayoutTree`."""

    root: State

    @property
    def trees(self) -> Trees:
        """The arrays; they hold one tree."""

    def plant(self, state: State) -> None:
        """Start a new tree at a state."""

    def advance(self, action: Action) -> None:
        """Play an action at the root and keep the subtree below it."""

    def precompile(self, control: Control) -> None:
        """Compile before a clock starts."""

    def grow(self, control: Control) -> None:
        """Simulate until the requested number of simulations is done, or the control stops."""

    def action_of(self, number: int) -> Action:
        """The game's action for a number in the tree."""

    def draw_rate(self) -> float | None:
        """The mean probability of a draw at the ends of the simulations; None if nothing estimates it."""


class PuctSearch:
    """Searches one tree. A network evaluates its leaves; without one, playouts do.

    `solver` and `forced_move` come from the game. They are consulted before the network.
    """

    def __init__(
        self, position: Position, settings: TreeSettings, network: Network | None, *, max_nodes: int, seed: int,
        playout_plies: int, forced_move: Callable[[Position], ForcedMove | None] | None = None,
        solver: TacticalSolver | None = None, interpreted: bool = False,
    ) -> None:  # fmt: skip
        self.position, self._forced_move, self._solver = position, forced_move, solver
        self.board = (position.game.spec, position.tables)
        self.tree: SearchTree
        if network is None:
            self.tree = PlayoutTree(
                position, settings, max_nodes=max_nodes, seed=seed, playout_plies=playout_plies,
                interpreted=interpreted,
            )  # fmt: skip
        else:
            self.tree = NetworkTree(
                position, settings, network, max_nodes=max_nodes, seed=seed, forced_move=forced_move, solver=solver,
                interpreted=interpreted,
            )  # fmt: skip
        self.trees = self.tree.trees

    def plant(self, position: Position) -> None:
        """Start a new tree at a position."""
        self.position = position
        self.tree.plant(position.state)

    def come_to(self, position: Position) -> None:
        """Continue in the subtree of a position that follows from the last one; otherwise start a new tree.

        Gumbel's search plans its visits from the root, so it always starts a new tree.
        """
        since = moves_since(self.position, position)
        if since is None or self.trees.gumbel:
            self.plant(position)
            return
        self.position = position
        for action in since:
            self.tree.advance(action)
        self.trees.begin(0)
        if self.trees.proved()[0] and not any(branch.visits for branch in self.trees.branches()):
            self.plant(position)  # only the solver knew the value, so no move was searched

    def precompile(self, control: Control) -> None:
        """Compile before the clock starts."""
        self.tree.precompile(control)

    @property
    def root(self) -> State:
        """The state at the root, as the tree sees it."""
        return self.tree.root

    @property
    def done(self) -> int:
        """Simulations since the tree came to its position."""
        return int(self.trees.done()[0])

    def run(self, simulations: int, control: Control) -> None:
        """Simulate until `simulations` are done or the control stops. The root always gets its children."""
        started, next_report = time.perf_counter(), FIRST_REPORT
        while True:
            left = simulations - self.done
            if self.trees.proved()[0] or left <= 0 or (control.stopped and self.trees.branches()):
                return
            self.trees.request(simulations if self.trees.gumbel else self.done + min(left, CHUNK))
            self.tree.grow(control)
            control.words[NODES] = self.done
            if self.done >= next_report:
                control.tell(self.report(time.perf_counter() - started))
                next_report = 2 * self.done

    def win(self, position: Position, control: Control) -> Decision | None:
        """A win that the game's solver proves for the position on the board."""
        return None if self._solver is None else self._solver.win(position, control)

    def forced_move(self, position: Position) -> ForcedMove | None:
        """The game's forced move, where there is one and the player asks for it."""
        return None if self._forced_move is None else self._forced_move(position)

    def branches(self, slot: int = 0) -> list[Branch]:
        """The children of a node."""
        return self.trees.branches(slot)

    def report(self, seconds: float) -> Report:
        """The current result, after a search of so many seconds."""
        trees = self.trees
        line, branches = trees.line(), trees.branches()
        if not line:
            return Report(nodes=self.done, seconds=seconds)
        proved = bool(trees.proved()[0])
        best = next(branch for branch in branches if branch.action == line[0])
        value = float(trees.values()[0]) * trees.unit if proved else best.value or 0.0
        moves = tuple(
            MoveValue(
                action=self.tree.action_of(branch.action),
                value=None if branch.value is None else Value(branch.value, proved=branch.proved),
                visits=branch.visits,
                prior=branch.prior,
            )
            for branch in branches
        )
        return Report(
            value=Value(value, proved=proved), line=tuple(map(self.tree.action_of, line)), moves=moves,
            chances=self._chances(value, proved), depth=len(line), seldepth=trees.deepest(), nodes=self.done,
            seconds=seconds,
        )  # fmt: skip

    def _chances(self, value: float, proved: bool) -> tuple[float, float, float] | None:
        """Probabilities that player 0 wins, draws and loses: the value, with the network's draw rate."""
        draw = self.tree.draw_rate()
        if draw is None:
            return None
        value /= self.trees.unit
        draw = min(draw, 1.0 - abs(value))
        if proved and value in (-1.0, 0.0, 1.0):
            draw = 1.0 - abs(value)
        return (1.0 - draw + value) / 2, draw, (1.0 - draw - value) / 2


def moves_since(before: Position, now: Position) -> tuple[Action, ...] | None:
    """The moves between two positions of one game; None where the second does not follow from the first."""
    older, newer = before.history, now.history
    if newer[: len(older)] != older or before.origin.state != now.origin.state:
        return None
    return newer[len(older) :]
