"""Texts in every language, for messages."""

from __future__ import annotations

from hansu.core.errors import HansuError
from hansu.core.message import in_languages
from hansu.ui.web.messages import Words


def words(text: str) -> Words:
    """A text in every language."""
    return in_languages(text)


class Refused(HansuError):
    """An error that the server reports with an `error` message; `code` is that message's."""

    def __init__(self, code: str, what: str, hint: str = "") -> None:
        super().__init__(what, hint)
        self.code = code
