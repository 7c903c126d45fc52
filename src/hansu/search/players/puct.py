"""`puct`: tree search that a network guides."""

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
from hansu.search.players.policy import NETWORK_HELP, OVERRIDES_HELP, by_tactic, chosen_network, percent, tactics_of
from hansu.search.players.repetition import minding_repetition
from hansu.search.visit_tree import Visited, move_name

if TYPE_CHECKING:
    from hansu.search.puct_search import PuctSearch
    from hansu.search.trees import TreeSettings

DEFAULT_SIMULATIONS = 400
MOST_SIMULATIONS = 1 << 30
LOOKED_INTO = 1 << 16  # moves of a tree that somebody watches growing


@dataclass
class Puct(Player):
    """PUCT or Gumbel's search with a network, or without."""

    kind: ClassVar[str] = "puct"
    title: ClassVar[str] = Message("Network with a tree (PUCT)")
    about: ClassVar[str] = Message("tree search guided by a network (AlphaZero's way)")
    compile_seconds: ClassVar[float] = 5.0
    heeds: ClassVar[frozenset[str]] = LIMITS - {"depth"}
    traced_as: ClassVar[str] = "visits"
    growth: ClassVar[float] = 0.4  # of the exploration, as visits grow
    network: str = option(
        "",
        Message(
            "{network_help}; none: even priors, a playout or the game's evaluation as value", network_help=NETWORK_HELP
        ),
        title=Message("network"),
    )
    simulations: int | None = option(
        None,
        Message(
            "a move at most; {default_simulations} where nothing else limits it",
            default_simulations=DEFAULT_SIMULATIONS,
        ),
        title=Message("simulations"),
        low=1,
        high=MOST_SIMULATIONS,
    )
    algorithm: str = option(
        "puct",
        Message("puct: as in AlphaZero; gumbel: better with few simulations, and these are planned ahead"),
        title=Message("algorithm"),
        choices=("puct", "gumbel"),
        choice_titles=("PUCT", "Gumbel"),
    )
    prune: int = option(
        0,
        Message("keep so many of the most probable moves; 0: all"),
        title=Message("moves that are kept"),
        low=0,
        high=10_000,
    )
    forced_moves: bool = option(False, OVERRIDES_HELP, title=Message("tactics first"), old="overrides")
    tactics: bool = option(
        True,
        Message("won and lost positions that the game itself recognises need no network"),
        title=Message("sees forced wins"),
        old="foresight",
    )
    batch_size: int = option(
        4,
        Message("positions that the network is asked at once"),
        title=Message("positions at once"),
        low=1,
        high=4096,
        old="leaves",
    )
    symmetries: str = option(
        "none",
        Message("none; one: the board is turned by chance for each question; all: the mean of every way to turn it"),
        title=Message("turning the board"),
        choices=("none", "one", "all"),
        choice_titles=(Message("not turned"), Message("one way, by chance"), Message("every way")),
    )
    exploration: float = option(
        1.2, Message("how much it tries moves that look worse"), title=Message("curiosity"), low=0, high=100
    )
    playout_plies: int = option(
        2_000,
        Message("without a network: a playout that is longer is judged by the evaluation; 0: the evaluation alone"),
        title=Message("longest playout"),
        low=0,
        high=1 << 30,
    )
    seed: int = option(1, Message("makes its draws repeatable"), title=Message("seed of chance"), low=0, high=1 << 62)
    max_nodes: int = option(
        1 << 19,
        Message("moves that the tree may have"),
        title=Message("tree size"),
        low=1_024,
        high=1 << 28,
        bytes_each=40,
        old="room",
    )
    interpreted: bool = option(False, Message("run as plain Python"), title=Message("plain Python"))

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
        """The tree for a position: with what is known of it from the moves before, or a new one."""
        if self._search is None or self._search.board != (position.game.spec, position.tables):
            self._search = self._new_search(position)
        else:
            self._search.come_to(position)
        return self._search

    def tree_settings(self, network: bool = True, foresight: bool = False, outcome: str = "win") -> TreeSettings:
        """How it searches, with a network or without, with a game's foresight or without; `outcome`: what a result is
        worth to the network."""
        from hansu.search.trees import TreeSettings

        return TreeSettings(
            self.algorithm, exploration=self.exploration, growth=self.growth, prune=self.prune,
            symmetries=self.symmetries, proofs=foresight, leaves=self.batch_size if network else 1,
            outcome=outcome if network else "score",
        )  # fmt: skip

    def _new_search(self, position: Position) -> PuctSearch:
        from hansu.search.puct_search import PuctSearch

        network, game = self._network_for(position), position.game
        foresight = game.tactics.solver(position) if self.tactics and game.tactics.solver and network else None
        outcome = network.notes.get("outcome", "win") if network else "score"
        settings = self.tree_settings(network is not None, foresight is not None, outcome)
        return PuctSearch(
            position, settings, network, max_nodes=self.max_nodes, seed=mix((self.seed, 0)),
            playout_plies=self.playout_plies, interpreted=self.interpreted, solver=foresight,
            forced_move=tactics_of(game) if self.forced_moves else None,
        )  # fmt: skip

    def _network_for(self, position: Position) -> Network | None:
        return None if self.network == "none" else chosen_network(self.network, position, self.network_class)

    @property
    def network_class(self) -> type[Network]:
        """Who reads the network's file and answers."""
        return Network

    def simulations_in(self, position: Position, most: int, control: Control) -> Iterator[tuple[Visited, ...]]:
        """One at a time, in a tree of their own."""
        if self.algorithm == "gumbel":
            raise HansuError(
                "gumbel plans its visits ahead, so they cannot be watched one by one", "look into puct instead"
            )
        search = replace(self, batch_size=1, max_nodes=min(self.max_nodes, LOOKED_INTO)).search_for(position)
        search.precompile(control)
        known: dict[int, int] = {}
        for number in range(min(most, self.simulations or most)):
            search.run(number + 1, control)
            if search.done <= number:
                return
            yield tuple(_way(search, position, known))

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        if position.mover == CHANCE:
            raise HansuError("a chance node has no player to decide for it")
        given = [n for n in (limit.nodes, self.simulations) if n is not None]
        timed = limit.time is not None and self.algorithm == "puct"  # gumbel has to know how many there will be
        simulations = min(given, default=MOST_SIMULATIONS if timed else DEFAULT_SIMULATIONS)
        search = self.search_for(position)
        search.precompile(control)
        started = time.perf_counter()
        tactic = search.forced_move(position)
        if tactic is not None:
            return by_tactic(position, tactic, time.perf_counter() - started)
        with control.deadline(limit.time):
            won = search.win(position, control)
            if won is not None:
                return won
            search.run(simulations, control)
        report = search.report(time.perf_counter() - started)
        if report.value is None:
            action = position.actions[0]
            return Decision(action=action, why=no_time(position, action), report=report)
        decision = Decision(action=report.line[0], why=_why(position, report), report=report)
        return minding_repetition(position, decision)


def _way(search: PuctSearch, position: Position, known: dict[int, int]) -> Iterator[Visited]:
    """The way of the last simulation: where visits are more than was known of them."""
    trees, state, slot = search.trees, search.root, 0
    total, value = search.done, float(trees.values()[0]) * trees.unit
    yield Visited(0, "", state, total, value)
    while True:
        branch = next((b for b in trees.branches(slot) if b.visits > known.get(b.slot, 0)), None)
        if branch is None:
            return
        move, slot = move_name(position.game, state, branch.action), branch.slot
        known[slot] = branch.visits
        state = play(state, branch.action)
        yield Visited(slot, move, state, branch.visits, branch.value, branch.prior)


def _why(position: Position, report: Report) -> Message:
    assert report.value is not None
    chosen = next(move for move in report.moves if move.action == report.line[0])
    total = sum(move.visits or 0 for move in report.moves)
    move = position.move_text(chosen.action)
    visits = Message("{visits:,} of {total:,} visits", visits=chosen.visits, total=total)
    thought, worth = _first_thought(position, report), value_text(position, report.value)
    if total == 0:  # nothing had to be tried
        return Message("{move}: {worth}", move=move, worth=worth)
    return Message("{move}: {visits}; {thought}; {worth}", move=move, visits=visits, thought=thought, worth=worth)


def _first_thought(position: Position, report: Report) -> Message:
    if report.chances is None:
        return Message("without a network")
    first = max(report.moves, key=lambda move: move.prior or 0.0)
    share, move = percent(first.prior or 0.0), position.move_text(first.action)
    if first.action == report.line[0]:
        return Message("the network's first thought, too ({share})", share=share)
    return Message("the network's first thought was {move} ({share})", move=move, share=share)
