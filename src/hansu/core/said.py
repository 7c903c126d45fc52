"""Words for people in two languages: a `str` that is the English text and carries the Korean one."""

from __future__ import annotations


class Said(str):
    """English wherever a text is wanted; `ko` where somebody reads Korean."""

    __slots__ = ("ko",)
    ko: str

    def __new__(cls, en: str, ko: str) -> Said:
        made = super().__new__(cls, en)
        made.ko = ko
        return made

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return str(self), self.ko


def said(en: str, ko: str) -> Said:
    """A text in both languages."""
    return Said(en, ko)


def korean(text: str) -> str:
    """The Korean of a text; the text itself where it has none."""
    return text.ko if isinstance(text, Said) else str(text)
