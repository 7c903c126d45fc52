"""Texts for people, which can be told in any of the languages.

A `Message` is a `str`, the English text, and does wherever a text is wanted. It remembers the template and the parts
that it was made of; `to("ko")` puts the parts, themselves translated, into the template that `languages/ko.json` has in
place of the English one. Text that is not the package's, such as the title of a user's own game, brings its
translations with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

from hansu.core.errors import HansuError, shortened
from hansu.core.language import ENGLISH, languages


class Message(str):
    """English wherever a text is wanted; `to(language)` where somebody reads another one.

    Templates are written as `str.format` takes them; one without parts is the text as it stands, braces and all.

    >>> Message("{loser} resigns: {winner} wins", loser=Message("black"), winner=Message("white"))
    'black resigns: white wins'
    >>> Message("{loser} resigns: {winner} wins", loser=Message("black"), winner=Message("white")).to("ko")
    '흑 기권, 백 승리'
    >>> Message({"en": "{n} moves", "ko": "{n}수"}, n=3).to("ko")
    '3수'
    """

    __slots__ = ("_own", "parts", "template")
    template: str
    parts: dict[str, object]
    _own: dict[str, str]  # translations that it brings with it

    def __new__(cls, template: str | Mapping[str, str], /, **parts: object) -> Self:
        own = {} if isinstance(template, str) else dict(template)
        if isinstance(template, str):
            english = template
        elif ENGLISH in own:
            english = own.pop(ENGLISH)
        else:
            raise HansuError(f"a text has no English: {own}", 'write {"en": "...", "ko": "..."}')
        made = super().__new__(cls, _filled(english, parts))
        made.template, made.parts, made._own = english, parts, own
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[object], dict[str, object]]:
        return ({ENGLISH: self.template, **self._own} if self._own else self.template,), self.parts

    def to(self, language: str) -> str:
        """The text in a language; in English where that language has no such template."""
        template = self._own.get(language)
        if template is None and language in languages():
            template = languages()[language].messages.get(self.template)
        if template is None:
            return str(self)
        return _filled(template, {name: _translated(part, language) for name, part in self.parts.items()})

    @property
    def translations(self) -> dict[str, str]:
        """The text in every language but English."""
        return {language: self.to(language) for language in languages() if language != ENGLISH}


def in_language(text: str, language: str) -> str:
    """A text in a language; a plain `str` is the same in all of them."""
    return text.to(language) if isinstance(text, Message) else str(text)


def in_languages(text: str) -> dict[str, str]:
    """A text in every language, by its code."""
    return {language: in_language(text, language) for language in languages()}


def joined(separator: str, texts: Iterable[str]) -> Message:
    """Several texts as one, with something between them."""
    told = [in_languages(text) for text in texts]
    return Message({language: separator.join(each[language] for each in told) for language in languages()})


class MessageField:
    """A field of a dataclass that is a `Message`, and may be given as a text or as a mapping by language."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, holder: Any, owner: type | None = None) -> Message:
        if holder is None:
            raise AttributeError(self._name)  # so that a dataclass sees no default
        found: Message = holder.__dict__[self._name]
        return found

    def __set__(self, holder: Any, given: str | Mapping[str, str]) -> None:
        if not isinstance(given, str) and not _texts(given):
            what = f"{type(holder).__name__}({self._name}=...) is a text, or one for each language"
            raise HansuError(f"{what}, not {shortened(given)}", "write {'en': 'Nim', 'ko': '님'}")
        holder.__dict__[self._name] = given if isinstance(given, Message) else Message(given)


def _texts(given: object) -> bool:
    return isinstance(given, Mapping) and ENGLISH in given and all(isinstance(text, str) for text in given.values())


def _filled(template: str, parts: Mapping[str, object]) -> str:
    return template.format(**parts) if parts else str(template)


def _translated(part: object, language: str) -> object:
    return part.to(language) if isinstance(part, Message) else part
