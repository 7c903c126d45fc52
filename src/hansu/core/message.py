"""Texts for people that can be translated.

A `Message` is a `str` that holds the English text. It also keeps its template and the template's values: `to("ko")`
looks the template up in `languages/ko.json` and fills in the translated values. A text that is not part of the package,
such as the title of a user's own game, carries its translations itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Self

from hansu.core.errors import HansuError, shortened
from hansu.core.language import ENGLISH, languages


class Message(str):
    """An English text that `to(language)` translates.

    Templates follow `str.format`. A template without parts is used literally, including its braces.

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
    _own: dict[str, str]  # translations that it carries itself, by language

    def __new__(cls, template: str | Mapping[str, str], /, **parts: object) -> Self:
        own = {} if isinstance(template, str) else dict(template)
        if isinstance(template, str):
            english = template
        elif ENGLISH in own:
            english = own.pop(ENGLISH)
        else:
            raise HansuError(
                "the text {texts} has no English version", "add one under the key 'en'", texts=shortened(own)
            )
        message = super().__new__(cls, _filled(english, parts))
        message.template, message.parts, message._own = english, parts, own
        return message

    def __getnewargs_ex__(self) -> tuple[tuple[object], dict[str, object]]:
        return ({ENGLISH: self.template, **self._own} if self._own else self.template,), self.parts

    def to(self, language: str) -> str:
        """The text in a language, or in English if the template has no translation."""
        template = self._own.get(language)
        if template is None and language in languages():
            template = languages()[language].messages.get(self.template)
        if template is None:
            return str(self)
        return _filled(template, {name: _translated(part, language) for name, part in self.parts.items()})

    @property
    def translations(self) -> dict[str, str]:
        """The text in every language except English, by language code."""
        return {language: self.to(language) for language in languages() if language != ENGLISH}


def in_language(text: str, language: str) -> str:
    """A text in a language; a plain `str` is the same in all of them.

    >>> in_language(Message("a draw"), "ko"), in_language("1-0", "ko")
    ('무승부', '1-0')
    """
    return text.to(language) if isinstance(text, Message) else str(text)


def in_languages(text: str) -> dict[str, str]:
    """A text in every language, by language code."""
    return {language: in_language(text, language) for language in languages()}


def joined(separator: str, texts: Iterable[str]) -> Message:
    """`separator.join(texts)` in every language."""
    translated = [in_languages(text) for text in texts]
    return Message({language: separator.join(text[language] for text in translated) for language in languages()})


class MessageField:
    """A dataclass field that holds a `Message` and accepts a str or a mapping from language to text."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type | None = None) -> Message:
        if instance is None:
            raise AttributeError(self._name)  # so that the dataclass has no default
        message: Message = instance.__dict__[self._name]
        return message

    def __set__(self, instance: object, text: str | Mapping[str, str]) -> None:
        if not isinstance(text, str) and not _is_texts(text):
            raise HansuError(
                "{owner}({field}=...) must be a string or one string per language, not {value}",
                "write for example {{'en': 'Nim', 'ko': '님'}}",
                owner=type(instance).__name__, field=self._name, value=shortened(text),
            )  # fmt: skip
        instance.__dict__[self._name] = text if isinstance(text, Message) else Message(text)


def _is_texts(value: object) -> bool:
    return isinstance(value, Mapping) and ENGLISH in value and all(isinstance(text, str) for text in value.values())


def _filled(template: str, parts: Mapping[str, object]) -> str:
    return template.format(**parts) if parts else str(template)


def _translated(part: object, language: str) -> object:
    return part.to(language) if isinstance(part, Message) else part
