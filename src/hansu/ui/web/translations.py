"""Texts in every language, as messages carry them."""

from __future__ import annotations

from hansu.core.errors import HansuError
from hansu.core.message import in_languages
from hansu.ui.web.messages import Words


def words(text: str) -> Words:
    return in_languages(text)


class Refused(HansuError):
    """What the server answers with an `error` message. `code` is the contract's."""

    def __init__(self, code: str, what: str, hint: str = "") -> None:
        super().__init__(what, hint)
        self.code = code
