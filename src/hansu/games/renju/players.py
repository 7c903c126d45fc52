"""The players that only make sense here: `rule`, `engine`, and `gomocup` for an outside engine."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import ClassVar

from hansu.core import Control, Decision, Limit, Message, Position, Report, Value, option
from hansu.games.renju.engine.network import read_network
from hansu.games.renju.engine.pattern_scores import CLASS_WORTH
from hansu.games.renju.engine.searcher import RenjuSearcher
from hansu.games.renju.opening_choices import OpeningChoices
from hansu.games.renju.state import RULES, colour, rule_of, size_of, step_of
from hansu.games.renju.tactics import REASONS, Tactics, played_stones
from hansu.search.engine import PvsPlayer, SearcherPlayer
from hansu.search.players.explanations import value_text

NO_POINT = Message("no point is legal: pass")


def rule_and_size(position: Position) -> tuple[str, int]:
    """What a searcher is made for."""
    return RULES[rule_of(position.state)], size_of(position.state)


@dataclass
class RenjuRulePlayer(SearcherPlayer[RenjuSearcher]):
    """Tactics first, then the point whose lines are worth most."""

    kind: ClassVar[str] = "rule"
    title: ClassVar[str] = Message("Rules of thumb")
    about: ClassVar[str] = Message(
        "plays by rules: fives, fours, 4-3, wins by fours, open threes, then the best lines; no search"
    )
    heeds: ClassVar[frozenset[str]] = frozenset()
    seed: int | None = option(
        None, Message("a seed: chance decides between equal points"), title=Message("seed of chance")
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._chance = random.Random(self.seed)

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
        found = tactics.override()
        if found is not None:
            cell, reason = found
            words = REASONS[reason]
            why = Message("{move} {reason}", move=move(cell), reason=words)
            return Decision(action=cell, why=why, report=Report(line=(cell,)))
        line = tactics.win_by_fours(tactics.side, 5_000, control)
        if line:
            texts = " ".join(position.line_text(line))
            why = Message("{move} wins by fours: {line}", move=move(line[0]), line=texts)
            value = Value.seen_from(position.team, 1.0, proved=True, plies=len(line))
            return Decision(action=line[0], why=why, report=Report(value=value, line=line))
        return self._by_lines(position, tactics, searcher)

    def _by_lines(self, position: Position, tactics: Tactics, searcher: RenjuSearcher) -> Decision:
        searcher.set_board(tactics.stones)
        mine = tactics.side
        worth = {}
        threatened = tactics.must_answer()
        allowed = tactics.answers(threatened) if threatened else None
        for action in position.actions:
            if action >= searcher.size**2:  # black has no point: a pass
                return Decision(action=action, why=NO_POINT)
            if allowed is not None and action not in allowed:
                continue
            own, others = (int(CLASS_WORTH[list(searcher.classes_at(action, side))].sum()) for side in (mine, 1 - mine))
            worth[action] = 2 * own + int(1.4 * others)
        if not worth:
            worth = dict.fromkeys(position.actions, 0)
        best = max(worth.values())
        equal = [action for action, value in worth.items() if value == best]
        middle = (searcher.size - 1) / 2
        equal.sort(key=lambda c: (c // searcher.size - middle) ** 2 + (c % searcher.size - middle) ** 2)
        cell = equal[0] if self.seed is None else self._chance.choice(equal)
        text = position.move_text(cell)
        if threatened:
            why = Message("{move} answers the open three", move=text)
        else:
            why = Message("{move} has the best lines: worth {best}", move=text, best=best)
        return Decision(action=cell, why=why, report=Report(line=(cell,)))


@dataclass
class RenjuEnginePlayer(PvsPlayer[RenjuSearcher]):
    """Principal variation search over threats, with a network learnt from its own games."""

    compile_seconds: ClassVar[float] = 14.0
    about: ClassVar[str] = Message(
        "searches threats, then some million positions a second with a learned network; 1 s a move by default"
    )
    hash: int = option(
        32, Message("megabytes of its table"), title=Message("memory (MB)"), low=1, high=4096, bytes_each=1 << 20
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
        worth = 0.0 if report.value is None else report.value.to(position.team)
        if plies == 1:
            return Message("{move} {reason}", move=text, reason=REASONS["five"])
        if searcher.won_by:
            if searcher.won_by == "fours":
                return Message("{move} wins by fours in {plies} plies: {line}", move=text, plies=plies, line=line)
            return Message(
                "{move} wins by fours and threes in {plies} plies: {line}", move=text, plies=plies, line=line
            )
        if plies is not None:
            if worth > 0:
                return Message("{move} wins in {plies} plies: {line}", move=text, plies=plies, line=line)
            return Message("{move} holds out longest: lost in {plies} plies: {line}", move=text, plies=plies, line=line)
        if position.state.placed == 0:
            return Message("{move}: the middle of an empty board", move=text)
        if not report.depth or report.value is None:
            return Message("{move}: the first move; there was no time", move=text)
        told = value_text(position, report.value)
        return Message(
            "{move}: {worth}, {depth} plies deep: {line}", move=text, worth=told, depth=report.depth, line=line
        )
