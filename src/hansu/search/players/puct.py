"""`puct`: tree search guided by a network, as in AlphaZero."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from hansu.core.bits import mix
from hansu.core.control import Control
from hansu.core.errors import HansuError
from hansu.core.generic import CHANCE, play
from hansu.core.limit import Limit
from hansu.core.message import Message
from hansu.core.player import LIMITS, Decision, Player, option
from hansu.core.position import Position
from hansu.core.report import Report
from hansu.search.network import Network
from hansu.search.players.explanations import no_time, value_text
from hansu.search.players.policy import (
    FORCED_MOVES_HELP,
    NETWORK_HELP,
    forced_decision,
    forced_moves_of,
    network_named,
    percent,
)
from hansu.search.players.repetition import apply_repetition
from hansu.search.visit_tree import Visited, move_name

if TYPE_CHECKING:
    from hansu.search.puct_search import PuctSearch
    from hansu.search.trees import TreeSettings

DEFAULT_SIMULATIONS = 400
MAX_SIMULATIONS = 1 << 30
WATCHED_NODES = 1 << 16  # maximum size of a tree that is drawn


@dataclass
class Puct(Player):
    """PUCT or Gumbel AlphaZero, with or without a network."""

    kind: ClassVar[str] = "puct"
    title: ClassVar[str] = Message("Network with tree search (PUCT)")
    about: ClassVar[str] = Message("tree search guided by a network, as in AlphaZero (PUCT)")
    compile_seconds: ClassVar[float] = 5.0
    heeds: ClassVar[frozenset[str]] = LIMITS - {"depth"}
    traced_as: ClassVar[str] = "visits"
    growth: ClassVar[float] = 0.4  # of the exploration constant with the visits
    network: str = option(
        "",
        Message(
            "{network_help}; none: equal priors, and values from playouts or the game's evaluation",
            network_help=NETWORK_HELP,
        ),
        title=Message("network"),
    )
    simulations: int | None = option(
        None,
        Message(
            "maximum simulations per move; {default_simulations} if nothing else limits the search",
            default_simulations=DEFAULT_SIMULATIONS,
        ),
        title=Message("simulations"),
        low=1,
        high=MAX_SIMULATIONS,
    )
    algorithm: str = option(
        "puct",
        Message("puct: as in AlphaZero; gumbel: Gumbel AlphaZero, better with few simulations"),
        title=Message("algorithm"),
        choices=("puct", "gumbel"),
        choice_titles=("PUCT", "Gumbel"),
    )
    prune: int = option(
        0,
        Message("number of most probable moves to keep in each node; 0: all"),
        title=Message("moves per node"),
        low=0,
        high=10_000,
    )
    forced_moves: bool = option(False, FORCED_MOVES_HELP, title=Message("forced moves first"), old="overrides")
    tactics: bool = option(
        True,
        Message("let the game's tactical solver settle won and lost positions without the network"),
        title=Message("tactical solver"),
        old="foresight",
    )
    batch_size: int = option(
        4,
        Message("positions that the network evaluates at once"),
        title=Message("batch size"),
        low=1,
        high=4096,
        old="leaves",
    )
    symmetries: str = option(
        "none",
        Message("none; one: a random symmetry of the board for each evaluation; all: the mean over all symmetries"),
        title=Message("board symmetries"),
        choices=("none", "one", "all"),
        choice_titles=(Message("none"), Message("one at random"), Message("all")),
    )
    exploration: float = option(
        1.2,
        Message("exploration constant: higher values try weaker-looking moves more often"),
        title=Message("exploration"),
        low=0,
        high=100,
    )
    playout_plies: int = option(
        2_000,
        Message("without a network: maximum plies of a playout; 0: the game's evaluation instead of playouts"),
        title=Message("playout length"),
        low=0,
        high=1 << 30,
    )
    seed: int = option(
        1, Message("random seed; the same seed repeats the same moves"), title=Message("random seed"), low=0,
        high=1 << 62,
    )  # fmt: skip
    max_nodes: int = option(
        1 << 19,
        Message("maximum nodes in the tree"),
        title=Message("tree size"),
        low=1_024,
        high=1 << 28,
        bytes_each=40,
        old="room",
    )
    interpreted: bool = option(False, Message("run as plain Python (slow)"), title=Message("plain Python"))

    def __post_init__(self) -> None:
        self._search: PuctSearch | None = None

    def new_game(self) -> None:
        if self._search is not None:
            self._search.plant(self._search.position)

    def close(self) -> None:
        self._search = None

    def find_files(self, position: Position) -> None:
        self._network_for(position)

    @property
    def own_limit(self) -> Limit:
        return Limit(nodes=self.simulations)

    def search_for(self, position: Position) -> PuctSearch:
        """The search for a position: it keeps the subtree of the moves played since the last one where possible."""
        if self._search is None or self._search.board != (position.game.spec, position.tables):
            self._search = self._new_search(position)
        else:
            self._search.come_to(position)
        return self._search

    def tree_settings(self, network: bool = True, solver: bool = False, outcome: str = "win") -> TreeSettings:
        """The settings of the tree, with or without a network and a tactical solver.

        `outcome` is the kind of value that the network predicts.
        """
        from hansu.search.trees import TreeSettings

        return TreeSettings(
            self.algorithm, exploration=self.exploration, growth=self.growth, prune=self.prune,
            symmetries=self.symmetries, proofs=solver, leaves=self.batch_size if network else 1,
            outcome=outcome if network else "score",
        )  # fmt: skip

    def _new_search(self, position: Position) -> PuctSearch:
        from hansu.search.puct_search import PuctSearch

        network, game = self._network_for(position), position.game
        solver = game.tactics.solver(position) if self.tactics and game.tactics.solver and network else None
        outcome = network.notes.get("outcome", "win") if network else "score"
        settings = self.tree_settings(network is not None, solver is not None, outcome)
        return PuctSearch(
            position, settings, network, max_nodes=self.max_nodes, seed=mix((self.seed, 0)),
            playout_plies=self.playout_plies, interpreted=self.interpreted, solver=solver,
            forced_move=forced_moves_of(game) if self.forced_moves else None,
        )  # fmt: skip

    def _network_for(self, position: Position) -> Network | None:
        return None if self.network == "none" else network_named(self.network, position, self.network_class)

    @property
    def network_class(self) -> type[Network]:
        """The class that loads and evaluates the network."""
        return Network

    def simulations_in(self, position: Position, most: int, control: Control) -> Iterator[tuple[Visited, ...]]:
        """The simulations one at a time, in a new tree."""
        if self.algorithm == "gumbel":
            raise HansuError(
                "gumbel plans its visits in advance, so its simulations cannot be shown one by one",
                "use algorithm=puct instead",
            )
        search = replace(self, batch_size=1, max_nodes=min(self.max_nodes, WATCHED_NODES)).search_for(position)
        search.precompile(control)
        visits: dict[int, int] = {}
        for number in range(min(most, self.simulations or most)):
            search.run(number + 1, control)
            if search.done <= number:
                return
            yield tuple(_last_path(search, position, visits))

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        if position.mover == CHANCE:
            raise HansuError("no player chooses the move of a chance node", "play it with Position.play_random")
        limits = [n for n in (limit.nodes, self.simulations) if n is not None]
        timed = limit.time is not None and self.algorithm == "puct"  # gumbel needs the number in advance
        simulations = min(limits, default=MAX_SIMULATIONS if timed else DEFAULT_SIMULATIONS)
        search = self.search_for(position)
        search.precompile(control)
        started = time.perf_counter()
        forced = search.forced_move(position)
        if forced is not None:
            return forced_decision(position, forced, time.perf_counter() - started)
        with control.deadline(limit.time):
            win = search.win(position, control)
            if win is not None:
                return win
            search.run(simulations, control)
        report = search.report(time.perf_counter() - started)
        if report.value is None:
            action = position.actions[0]
            return Decision(action=action, why=no_time(position, action), report=report)
        decision = Decision(action=report.line[0], why=_why(position, report), report=report)
        return apply_repetition(position, decision)


def _last_path(search: PuctSearch, position: Position, visits: dict[int, int]) -> Iterator[Visited]:
    """The path of the last simulation: the slots whose visits increased."""
    trees, state, slot = search.trees, search.root, 0
    total, value = search.done, float(trees.values()[0]) * trees.unit
    yield Visited(0, "", state, total, value)
    while True:
        branch = next((b for b in trees.branches(slot) if b.visits > visits.get(b.slot, 0)), None)
        if branch is None:
            return
        move, slot = move_name(position.game, state, branch.action), branch.slot
        visits[slot] = branch.visits
        state = play(state, branch.action)
        yield Visited(slot, move, state, branch.visits, branch.value, branch.prior)


def _why(position: Position, report: Report) -> Message:
    assert report.value is not None
    chosen = next(move for move in report.moves if move.action == report.line[0])
    total = sum(move.visits or 0 for move in report.moves)
    move = position.move_text(chosen.action)
    visits = Message("{visits:,} of {total:,} visits", visits=chosen.visits, total=total)
    prior, worth = _prior_text(position, report), value_text(position, report.value)
    if total == 0:  # decided without simulations
        return Message("{move}: {worth}", move=move, worth=worth)
    return Message("{move}: {visits}; {prior}; {worth}", move=move, visits=visits, prior=prior, worth=worth)


def _prior_text(position: Position, report: Report) -> Message:
    if report.chances is None:
        return Message("without a network")
    first = max(report.moves, key=lambda move: move.prior or 0.0)
    share, move = percent(first.prior or 0.0), position.move_text(first.action)
    if first.action == report.line[0]:
        return Message("the network's first choice, too ({share})", share=share)
    return Message("the network's first choice was {move} ({share})", move=move, share=share)
