"""The old way to write a text in two languages; `core/phrase.py` is the new one."""

from __future__ import annotations

from hansu.core.phrase import Phrase, in_language


class Said(Phrase):
    """A phrase that brings its Korean with it."""

    __slots__ = ()

    @property
    def ko(self) -> str:
        return self.to("ko")


def said(en: str, ko: str) -> Said:
    """A text in both languages."""
    return Said({"en": en, "ko": ko})


def korean(text: str) -> str:
    """The Korean of a text; the text itself where it has none."""
    return in_language(text, "ko")
