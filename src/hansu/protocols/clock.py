"""How long a move may take, from what a Gomocup manager says about time.

    timeout_turn    for each move; 0: as fast as possible
    timeout_match   for a whole game; 0: no limit
    time_left       of the game; 2147483647: no limit. Sent before each move where there is a limit

A margin is left for the way there and back. Whatever the manager does not say is worked out: without time_left, the
time of the game less what the moves took; without anything, some seconds a move.
"""

from __future__ import annotations

DEFAULT_TURN = 5.0  # seconds, where nobody says
UNLIMITED = 2_147_483_647  # milliseconds
MOST_SECONDS = 86_400.0 * 365
MARGIN, MARGIN_SHARE, MOST_MARGIN = 0.05, 0.02, 0.5  # seconds, and a part of the time; docs/gomocup.md has measurements
HURRIED_SECONDS = 0.05  # for a move that is to be as fast as possible
USUAL_MOVES, FEWEST_MOVES = 30, 14  # of one side in a game; those that are still expected in a long one
EXTRA = 3.0  # times what is meant for a move, if the search needs it


class Clock:
    """What is known of the time. Seconds inside, milliseconds outside."""

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

    def share(self, moves: int, spent: float = 0.0) -> tuple[float, float | None, float]:
        """For the next move of one who has made so many: the most seconds, how many are meant for it (None: all of
        them), and when it must be out whatever happens. `spent` of them are gone already."""
        most = HURRIED_SECONDS if self.hurried else MOST_SECONDS if self.turn is None else self.turn
        if self.turn is None and self.left is None:
            most = DEFAULT_TURN
        if self.left is not None:
            most = min(most, self.left)
        margin = min(MARGIN + MARGIN_SHARE * most, MOST_MARGIN, most / 2)
        hard, last = most - margin, most - margin / 2
        soft = None
        if self.left is not None:
            soft = self.left / max(USUAL_MOVES - moves, FEWEST_MOVES)
            hard = min(hard, EXTRA * soft)
            soft = max(min(soft, hard) - spent, 0.0)
        return max(hard - spent, 0.001), soft, max(last - spent, 0.002)


def _seconds(milliseconds: int) -> float:
    return min(max(milliseconds, 0) / 1000, MOST_SECONDS)
