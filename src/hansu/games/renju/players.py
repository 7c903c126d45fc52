"""The players `rule` (rules of thumb) and `engine` (the search engine)."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import ClassVar

from hansu.core import Control, Decision, Limit, Message, Position, Report, Value, option
from hansu.games.renju.engine.network import read_network
from hansu.games.renju.engine.pattern_scores import CLASS_SCORES
from hansu.games.renju.engine.searcher import RenjuSearcher
from hansu.games.renju.opening_choices import OpeningChoices
from hansu.games.renju.state import RULES, colour, rule_of, size_of, step_of
from hansu.games.renju.tactics import REASONS, Tactics, played_stones
from hansu.search.engine import PvsPlayer, SearcherPlayer
from hansu.search.players.explanations import value_text

NO_POINT = Message("passes, because no point is legal")


def rule_and_size(position: Position) -> tuple[str, int]:
    """The rule and the size that a searcher is built for."""
    return RULES[rule_of(position.state)], size_of(position.state)


@dataclass
class RenjuRulePlayer(SearcherPlayer[RenjuSearcher]):
    """Plays forced moves and wins by fours, else the point with the best line patterns."""

    kind: ClassVar[str] = "rule"
    title: ClassVar[str] = Message("Rules of thumb")
    about: ClassVar[str] = Message(
        "rules of thumb: fives, fours, 4-3, wins by fours, open threes, then the best line patterns; no tree search"
    )
    heeds: ClassVar[frozenset[str]] = frozenset()
    seed: int | None = option(
        None, Message("random seed for choosing between equal points"), title=Message("seed of chance")
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._random = random.Random(self.seed)

    def new_searcher(self, position: Position) -> RenjuSearcher:
        return RenjuSearcher(*rule_and_size(position), 1)

    def needs(self, position: Position) -> object:
        return rule_and_size(position)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        searcher = self.searcher(position)
        if step_of(position.state):
            return OpeningChoices(searcher, limit or Limit(), control or Control()).decide(position)
        tactics = Tactics.of(position, searcher)
        move = position.move_text
        forced = tactics.forced_move()
        if forced is not None:
            cell, reason = forced
            why = Message("{move} {reason}", move=move(cell), reason=REASONS[reason])
            return Decision(action=cell, why=why, report=Report(line=(cell,)))
        line = tactics.win_by_fours(tactics.side, 5_000, control)
        if line:
            texts = " ".join(position.line_text(line))
            why = Message("{move} wins by fours: {line}", move=move(line[0]), line=texts)
            value = Value.seen_from(position.team, 1.0, proved=True, plies=len(line))
            return Decision(action=line[0], why=why, report=Report(value=value, line=line))
        return self._best_pattern(position, tactics, searcher)

    def _best_pattern(self, position: Position, tactics: Tactics, searcher: RenjuSearcher) -> Decision:
        """The point with the best pattern score for both sides; if an open three must be stopped, the best defence."""
        searcher.set_board(tactics.stones)
        mine = tactics.side
        scores = {}
        threats = tactics.open_four_threats()
        allowed = tactics.defences(threats) if threats else None
        for action in position.actions:
            if action >= searcher.size**2:  # black has no legal point and must pass
                return Decision(action=action, why=NO_POINT)
            if allowed is not None and action not in allowed:
                continue
            own, other = (int(CLASS_SCORES[list(searcher.classes_at(action, c))].sum()) for c in (mine, 1 - mine))
            scores[action] = 2 * own + int(1.4 * other)
        if not scores:
            scores = dict.fromkeys(position.actions, 0)
        best = max(scores.values())
        equal = [action for action, value in scores.items() if value == best]
        middle = (searcher.size - 1) / 2
        equal.sort(key=lambda c: (c // searcher.size - middle) ** 2 + (c % searcher.size - middle) ** 2)
        cell = equal[0] if self.seed is None else self._random.choice(equal)
        text = position.move_text(cell)
        if threats:
            why = Message("{move} answers the open three", move=text)
        else:
            why = Message("{move} has the best line patterns: score {best}", move=text, best=best)
        return Decision(action=cell, why=why, report=Report(line=(cell,)))


@dataclass
class RenjuEnginePlayer(PvsPlayer[RenjuSearcher]):
    """Threat searches and principal variation search with an NNUE-like network."""

    compile_seconds: ClassVar[float] = 14.0
    about: ClassVar[str] = Message(
        "threat searches and alpha-beta with a trained network, about a million nodes a second; 1 s a move by default"
    )
    hash: int = option(
        32,
        Message("size of the transposition table in MB"),
        title=Message("memory (MB)"),
        low=1,
        high=4096,
        bytes_each=1 << 20,
    )

    def new_searcher(self, position: Position) -> RenjuSearcher:
        return self.set_up(RenjuSearcher(*rule_and_size(position), self.hash, self.network_file or True))

    def find_files(self, position: Position) -> None:
        if self.network_file is not None:
            read_network(self.network_file)

    def needs(self, position: Position) -> object:
        return rule_and_size(position)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        if step_of(position.state):
            return OpeningChoices(self.searcher(position), limit or Limit(), control or Control()).decide(position)
        if position.actions[0] >= size_of(position.state) ** 2:
            return Decision(action=position.actions[0], why=NO_POINT)
        return super().decide(position, limit, control)

    def think(self, searcher: RenjuSearcher, position: Position, limit: Limit, control: Control) -> Report:
        side = colour(position.state)
        return searcher.search(played_stones(position), side, limit, control, control.tell, team=position.team)

    def why(self, position: Position, searcher: RenjuSearcher, report: Report) -> str:
        text, plies = position.move_text(report.line[0]), report.plies
        line = " ".join(position.line_text(report.line[:15]))
        value = 0.0 if report.value is None else report.value.to(position.team)
        if plies == 1:
            return Message("{move} {reason}", move=text, reason=REASONS["five"])
        if searcher.won_by:
            if searcher.won_by == "fours":
                return Message("{move} wins by fours in {plies} plies: {line}", move=text, plies=plies, line=line)
            return Message(
                "{move} wins by fours and threes in {plies} plies: {line}", move=text, plies=plies, line=line
            )
        if plies is not None:
            if value > 0:
                return Message("{move} wins in {plies} plies: {line}", move=text, plies=plies, line=line)
            return Message("{move} delays the loss longest, {plies} plies: {line}", move=text, plies=plies, line=line)
        if position.state.placed == 0:
            return Message("{move}: the centre of the empty board", move=text)
        if not report.depth or report.value is None:
            return Message("{move}: the first candidate, because there was no time to search", move=text)
        return Message(
            "{move}: {value}, {depth} plies deep: {line}",
            move=text,
            value=value_text(position, report.value),
            depth=report.depth,
            line=line,
        )
