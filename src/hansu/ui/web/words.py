"""Texts in both languages, as messages carry them."""

from __future__ import annotations

from collections.abc import Mapping

from hansu.core.errors import HansuError
from hansu.core.phrase import in_language
from hansu.ui.web.messages import Words


def words(text: str) -> Words:
    return Words(en=str(text), ko=in_language(text, "ko"))


def translated(text: Mapping[str, str]) -> Words:
    return Words(en=text["en"], ko=text.get("ko", text["en"]))


class Refused(HansuError):
    """What the server answers with an `error` message. `code` is the contract's."""

    def __init__(self, code: str, what: str, hint: str = "") -> None:
        super().__init__(what, hint)
        self.code = code
