"""One error class for everything a user can cause: what is wrong, and what to do next."""

from __future__ import annotations


class HansuError(Exception):
    """A mistake that a person can mend. Commands print it without a traceback and exit with code 2.

    >>> import hansu
    >>> try:
    ...     hansu.game("chess")
    ... except hansu.HansuError as error:
    ...     print(error.what)
    there is no game 'chess'
    """

    def __init__(self, what: str, hint: str = "", /, **parts: object) -> None:
        """Both texts are templates, as `Message` takes them, and `parts` fills them in."""
        from hansu.core.message import Message

        self.what = what if isinstance(what, Message) else Message(what, **parts)
        self.hint = hint if isinstance(hint, Message) else Message(hint, **parts)
        super().__init__(f"{self.what} ({self.hint})" if self.hint else self.what)


def shortened(value: object, most: int = 60) -> str:
    """What somebody gave, as a message shows it: its repr, or the beginning of that."""
    if isinstance(value, int) and abs(value) >= 10**most:
        return "such a number"  # too long a number cannot even be written
    text = repr(value)
    return text if len(text) <= most else text[:most] + " ..."


class IllegalMove(HansuError):
    """A move that the position does not allow, or that cannot be read.

    >>> import hansu
    >>> try:
    ...     hansu.game("tictactoe").position("1 1")
    ... except hansu.IllegalMove as error:
    ...     print(error.hint)
    legal: 2, 3, 4, 5, 6, 7, 8, 9
    """


class PlayerFault(HansuError):
    """A player that crashed, hung or answered nonsense: it loses the game at hand, and a match goes on."""
