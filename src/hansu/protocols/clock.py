"""How long a move may take, from what a manager says about time.

    UAI, with each `go`                    Gomocup, once or when it changes
    movetime     for this move             timeout_turn    for each move; 0: as fast as possible
    btime wtime  left of the game          timeout_match   for a whole game; 0: no limit
    binc winc    comes back each move      time_left       of the game; 2147483647: no limit
    movestogo    until there is more

Either way the time of a move is bounded by `hard` seconds, when the search is stopped, and where a clock has to last
for more moves by `soft` seconds, after which it begins no deeper look. Seconds inside, milliseconds outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

MOST_SECONDS = 86_400.0 * 365
LEAST_SECONDS = 0.001
MOVE_SHARE = 0.4  # of a clock, at most, for one move
GAIN_SHARE = 0.7  # of what comes back after it

# UAI
DEFAULT_MOVES_TO_GO = 22  # moves that a clock must last for, where nobody says
UAI_EXTRA = 2.0  # times what is meant for a move, if the search needs it

# Gomocup
DEFAULT_TURN = 5.0  # seconds, where nobody says
UNLIMITED = 2_147_483_647  # milliseconds
MARGIN, MARGIN_SHARE, MOST_MARGIN = (
    0.05,
    0.02,
    0.5,
)  # seconds, and a part of the time; docs/internals/gomocup.md has measurements
HURRIED_SECONDS = 0.05  # for a move that is to be as fast as possible
USUAL_MOVES, FEWEST_MOVES = 30, 14  # of one side in a game; those that are still expected in a long one
GOMOCUP_EXTRA = 3.0


class Allowance(NamedTuple):
    """The seconds of a move: the most, and those after which no deeper look is begun (None: it may use all)."""

    hard: float
    soft: float | None

    def less(self, spent: float) -> Allowance:
        """What is left of it."""
        soft = None if self.soft is None else max(self.soft - spent, 0.0)
        return Allowance(max(self.hard - spent, LEAST_SECONDS), soft)


def allowance(left: float, moves: int, extra: float, most: float = MOST_SECONDS, gain: float = 0.0) -> Allowance:
    """For a move with `left` on its clock, which must last for so many, `gain` coming back after each. The move may
    take `extra` times what is meant for it, but never more than `most`.

    A look that is begun late takes about as long again as all before it. So none is begun after half of what is meant
    for the move; later where `most` cuts the last one short; at any time where `most` is no more than is meant.
    """
    meant = min(left / moves + GAIN_SHARE * gain, MOVE_SHARE * left)
    hard = min(extra * meant, MOVE_SHARE * left, most)
    return Allowance(hard, None if meant >= hard else max(meant, 3 * meant - hard) / 2)


def allowance_of_go(numbers: Mapping[str, int], side: str, overhead: float) -> Allowance | None:
    """By the numbers of UAI's `go`, for the side b or w, with so many seconds lost on the way there and back."""
    clocked = f"{side}time" in numbers or f"{side}inc" in numbers
    if not clocked and "movetime" not in numbers:
        return None
    most = MOST_SECONDS
    if "movetime" in numbers:
        most = max(_seconds(numbers["movetime"]) - overhead, LEAST_SECONDS)
    if not clocked:
        return Allowance(most, None)
    left = max(_seconds(numbers.get(f"{side}time", 0)) - overhead, LEAST_SECONDS)
    moves = min(max(numbers.get("movestogo", DEFAULT_MOVES_TO_GO), 1) + 1, DEFAULT_MOVES_TO_GO)
    return allowance(left, moves, UAI_EXTRA, most, _seconds(numbers.get(f"{side}inc", 0)))


class Clock:
    """What a Gomocup manager has said of the time. Whatever it does not say is worked out: without time_left, the time
    of the game less what the moves took; without anything, some seconds a move."""

    def __init__(self) -> None:
        self.turn: float | None = None
        self.match: float | None = None
        self.left: float | None = None  # of this game
        self._no_match_limit = False  # it was said: whatever is then said of time_left means nothing

    def set_turn(self, milliseconds: int) -> None:
        self.turn = _seconds(milliseconds)

    def set_match(self, milliseconds: int) -> None:
        self._no_match_limit = not 0 < milliseconds < UNLIMITED
        self.match = self.left = None if self._no_match_limit else _seconds(milliseconds)

    def set_left(self, milliseconds: int) -> None:
        self.left = None if self._no_match_limit or milliseconds >= UNLIMITED else _seconds(milliseconds)

    def new_game(self) -> None:
        if self.match is not None:
            self.left = self.match

    def spend(self, seconds: float) -> None:
        if self.left is not None:
            self.left = max(self.left - seconds, 0.0)

    @property
    def hurried(self) -> bool:
        """As fast as possible?"""
        return self.turn == 0

    def share(self, moves: int) -> tuple[Allowance, float]:
        """For the next move of one who has made so many, and the seconds when it must be out whatever happens. A margin
        is left for the way there and back."""
        most = HURRIED_SECONDS if self.hurried else MOST_SECONDS if self.turn is None else self.turn
        if self.turn is None and self.left is None:
            most = DEFAULT_TURN
        if self.left is not None:
            most = min(most, self.left)
        margin = min(MARGIN + MARGIN_SHARE * most, MOST_MARGIN, most / 2)
        share = Allowance(most - margin, None)
        if self.left is not None:
            share = allowance(self.left, max(USUAL_MOVES - moves, FEWEST_MOVES), GOMOCUP_EXTRA, most - margin)
        return share, most - margin / 2


def _seconds(milliseconds: int) -> float:
    return min(max(milliseconds, 0) / 1000, MOST_SECONDS)
