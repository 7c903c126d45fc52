"""One error class for everything a user can cause: what is wrong, and what to do next."""

from __future__ import annotations


class HansuError(Exception):
    """A mistake that a person can mend. Commands print it without a traceback and exit with code 2."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(f"{what} ({hint})" if hint else what)
        self.what = what
        self.hint = hint


class IllegalMove(HansuError):
    """A move that the position does not allow, or that cannot be read."""


class PlayerFault(HansuError):
    """A player that crashed, hung or answered nonsense: it loses the game at hand, and a match goes on."""
