"""Errors that a user can cause. Each says what is wrong and what to do next."""

from __future__ import annotations


class HansuError(Exception):
    """A mistake that the user can correct. Commands print it without a traceback and exit with code 2.

    >>> import hansu
    >>> try:
    ...     hansu.game("chess")
    ... except hansu.HansuError as error:
    ...     print(error.what)
    there is no game 'chess'
    """

    def __init__(self, what: str, hint: str = "", /, **parts: object) -> None:
        """Both texts are templates of a `Message`; `parts` are their values."""
        from hansu.core.message import Message

        self.what = what if isinstance(what, Message) else Message(what, **parts)
        self.hint = hint if isinstance(hint, Message) else Message(hint, **parts)
        super().__init__(f"{self.what} ({self.hint})" if self.hint else self.what)


def shortened(value: object, most: int = 60) -> str:
    """The repr of a value for an error message, cut after `most` characters.

    >>> shortened("h8"), shortened("x" * 100, most=5)
    ("'h8'", "'xxxx ...")
    """
    if isinstance(value, int) and abs(value) >= 10**most:
        return "a number this large"  # Python refuses to print very long integers
    text = repr(value)
    return text if len(text) <= most else text[:most] + " ..."


class IllegalMove(HansuError):
    """A move that is illegal in the position or cannot be read.

    >>> import hansu
    >>> try:
    ...     hansu.game("tictactoe").position("1 1")
    ... except hansu.IllegalMove as error:
    ...     print(error.hint)
    legal: 2, 3, 4, 5, 6, 7, 8, 9
    """


class PlayerFault(HansuError):
    """A player crashed, hung or returned an invalid move. It loses this game; the match continues."""
