"""The course's first two players: `rule` applies six rules in order, `heuristic` searches six plies with a hand-made
evaluation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

from hansu.core import Control, Decision, Limit, Message, Player, Position, Report, State, option, rules
from hansu.games.connect_four import rules as connect_four
from hansu.games.connect_four.patterns import lines_through, pattern_score, three_in_a_row
from hansu.games.connect_four.rules import ConnectFour, board_of, column_of, mover, playable, winning_cells
from hansu.search.players import AlphaBeta

OPENING = 2  # the rule player's first column, from 0
SCALE = 1000  # evaluation points of a won game


@dataclass
class ConnectFourRulePlayer(Player):
    """Applies the first rule that fits."""

    kind: ClassVar[str] = "rule"
    title: ClassVar[str] = Message("Rules of thumb")
    about: ClassVar[str] = Message("applies the first of six rules that fits, and names it")

    heeds: ClassVar[frozenset[str]] = frozenset()

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        action, why = first_rule(position.state, position.actions)
        return Decision(action=action, why=why, report=Report(line=(action,)))


def first_rule(s: ConnectFour, actions: tuple[int, ...]) -> tuple[int, Message]:
    """The action of the first rule that fits, and its explanation. Columns in texts count from 1."""
    if s.mine | s.theirs == 0 and OPENING in actions:
        return OPENING, Message("opening: column {column}", column=OPENING + 1)
    cells = [(a, playable(s) & column_of(s, a)) for a in actions]
    board = board_of(s)
    my_wins = winning_cells(s.mine, s.height, board)
    their_wins = winning_cells(s.theirs, s.height, board)
    for a, cell in cells:
        if cell & my_wins:
            return a, Message("rule 1: completes four in column {column}", column=a + 1)
    for a, cell in cells:
        if cell & their_wins:
            return a, Message("rule 2: blocks column {column}", column=a + 1)
    for a, cell in cells:
        if three_in_a_row(s.theirs | cell, cell, s.height):
            return a, Message(
                "rule 3: takes column {column}, where the opponent would have three in a row", column=a + 1
            )
    safe = [(a, cell) for a, cell in cells if not cell << 1 & their_wins]  # the double check: no four above
    for a, cell in safe:
        if three_in_a_row(s.mine | cell, cell, s.height):
            return a, Message("rule 4: three in a row with column {column}", column=a + 1)
    if safe:
        values = [(pattern_score(s.mine | cell, s.theirs, board, s.height), a) for a, cell in safe]
        best = max(value for value, _ in values)
        action = next(a for value, a in values if value == best)
        return action, Message("rule 5: column {column} has the highest score ({best})", column=action + 1, best=best)
    return actions[0], Message("rule 6: column {column}; the opponent wins above every column", column=actions[0] + 1)


class HeuristicState(NamedTuple):
    """A position and the side that searches: the course's evaluation differs between the sides."""

    mine: int
    theirs: int
    bottom: int
    height: int
    barred: int
    viewer: int


def play(s: State, a: int) -> HeuristicState:
    cell = (s.mine | s.theirs) + s.bottom & column_of(s, a)
    return HeuristicState(s.theirs, s.mine | cell, s.bottom, s.height, s.barred, s.viewer)


def evaluate(s: State) -> float:
    own, other = (s.mine, s.theirs) if mover(s) == s.viewer else (s.theirs, s.mine)
    board = board_of(s)
    value = lines_through(own, board, s.height) - lines_through(other, board, s.height)
    value += pattern_score(own, other, board, s.height)
    return value / SCALE if s.viewer == 0 else -value / SCALE


rules(
    HeuristicState, legal=connect_four.legal, next_action=connect_four.next_action, play=play, over=connect_four.over,
    score=connect_four.score, mover=mover, evaluate=evaluate, random_action=connect_four.random_action,
    action_count=connect_four.action_count,
)  # fmt: skip


@dataclass
class Heuristic(Player):
    """Alpha-beta with the course's evaluation."""

    kind: ClassVar[str] = "heuristic"
    title: ClassVar[str] = Message("Hand-made evaluation")
    about: ClassVar[str] = Message("alpha-beta to depth 6; the evaluation counts open lines of two and three")
    depth: int = option(6, Message("search depth in plies"), title=Message("look-ahead"), low=1, high=42)

    @property
    def own_limit(self) -> Limit:
        return Limit(depth=self.depth)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        s: ConnectFour = position.state
        root = Position(position.game, HeuristicState(s.mine, s.theirs, s.bottom, s.height, s.barred, position.mover))
        decision = AlphaBeta(depth=self.depth).decide(root, limit, control)
        why = Message("{why} (evaluation: lines, twos and threes)", why=decision.why)
        return replace(decision, why=why)
