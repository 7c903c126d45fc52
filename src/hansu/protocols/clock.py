"""Time management: the time of a move, from the clock of a manager.

    UAI, with each `go`                    Gomocup, once or when it changes
    movetime     for this move             timeout_turn    for each move; 0: as fast as possible
    btime wtime  left of the game          timeout_match   for a whole game; 0: no limit
    binc winc    increment per move        time_left       of the game; 2147483647: no limit
    movestogo    until the next control

The search is stopped after `hard` seconds. If the clock must last for more moves, the search starts no deeper iteration
after `soft` seconds. Times are seconds here, and milliseconds in the protocols.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

MAX_SECONDS = 86_400.0 * 365
MIN_SECONDS = 0.001
MOVE_SHARE = 0.4  # largest share of the clock for one move
INCREMENT_SHARE = 0.7  # share of the increment for one move

# UAI
DEFAULT_MOVES_TO_GO = 22  # moves that a clock must last for, by default
UAI_EXTRA = 2.0  # factor on the target time of a move, if the search needs it

# Gomocup
DEFAULT_TURN = 5.0  # seconds, by default
UNLIMITED = 2_147_483_647  # milliseconds
MARGIN, MARGIN_SHARE, MAX_MARGIN = (
    0.05,
    0.02,
    0.5,
)  # seconds, and a share of the time; measurements in docs/internals/gomocup.md
HURRIED_SECONDS = 0.05  # for a move as fast as possible
USUAL_MOVES, MIN_MOVES = 30, 14  # of one side in a game; still expected in a long game
GOMOCUP_EXTRA = 3.0


class Allowance(NamedTuple):
    """The time of a move in seconds: the hard limit, and the soft limit after which no deeper iteration starts (None:
    no soft limit)."""

    hard: float
    soft: float | None

    def less(self, spent: float) -> Allowance:
        """What is left after `spent` seconds."""
        soft = None if self.soft is None else max(self.soft - spent, 0.0)
        return Allowance(max(self.hard - spent, MIN_SECONDS), soft)


def allowance(left: float, moves: int, extra: float, most: float = MAX_SECONDS, increment: float = 0.0) -> Allowance:
    """The time of a move with `left` seconds on a clock that must last for `moves` moves, with an increment after each.
    The move may take `extra` times its target time, but never more than `most`.

    An iteration takes about as long as all iterations before it. So no iteration starts after half of the target time;
    it may start later if `most` cuts it short, and at any time if `most` is not above the target time.
    """
    target = min(left / moves + INCREMENT_SHARE * increment, MOVE_SHARE * left)
    hard = min(extra * target, MOVE_SHARE * left, most)
    return Allowance(hard, None if target >= hard else max(target, 3 * target - hard) / 2)


def allowance_of_go(numbers: Mapping[str, int], side: str, overhead: float) -> Allowance | None:
    """The time of a UAI `go` with these numbers, for the side b or w; None without a time limit. `overhead`: seconds
    lost in communication."""
    clocked = f"{side}time" in numbers or f"{side}inc" in numbers
    if not clocked and "movetime" not in numbers:
        return None
    most = MAX_SECONDS
    if "movetime" in numbers:
        most = max(_seconds(numbers["movetime"]) - overhead, MIN_SECONDS)
    if not clocked:
        return Allowance(most, None)
    left = max(_seconds(numbers.get(f"{side}time", 0)) - overhead, MIN_SECONDS)
    moves = min(max(numbers.get("movestogo", DEFAULT_MOVES_TO_GO), 1) + 1, DEFAULT_MOVES_TO_GO)
    return allowance(left, moves, UAI_EXTRA, most, _seconds(numbers.get(f"{side}inc", 0)))


class Clock:
    """The clock of a Gomocup manager. Missing values are computed: without time_left, the time of the game minus the
    time of the moves; without any value, `DEFAULT_TURN` seconds per move."""

    def __init__(self) -> None:
        self.turn: float | None = None
        self.match: float | None = None
        self.left: float | None = None  # of this game
        self._no_match_limit = False  # set by the manager; time_left is ignored then

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
        """Whether moves must be as fast as possible."""
        return self.turn == 0

    def share(self, moves: int) -> tuple[Allowance, float]:
        """The time of the next move after `moves` moves of this side, and the seconds after which the move must be
        sent. Both leave a margin for communication."""
        most = HURRIED_SECONDS if self.hurried else MAX_SECONDS if self.turn is None else self.turn
        if self.turn is None and self.left is None:
            most = DEFAULT_TURN
        if self.left is not None:
            most = min(most, self.left)
        margin = min(MARGIN + MARGIN_SHARE * most, MAX_MARGIN, most / 2)
        share = Allowance(most - margin, None)
        if self.left is not None:
            share = allowance(self.left, max(USUAL_MOVES - moves, MIN_MOVES), GOMOCUP_EXTRA, most - margin)
        return share, most - margin / 2


def _seconds(milliseconds: int) -> float:
    return min(max(milliseconds, 0) / 1000, MAX_SECONDS)
