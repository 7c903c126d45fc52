"""The language that a terminal speaks: `--lang ko`, else HANSU_LANG, else the locale's, where hansu knows it.

It is here, and not with the terminal, for the commands that games bring.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from hansu.core.errors import HansuError
from hansu.core.language import ENGLISH, languages
from hansu.core.message import Message, in_language

_chosen: list[str] = []


def choose(language: str) -> None:
    """Speak this language from now on."""
    if language not in languages():
        hint = Message("one of: {names}", names=", ".join(languages()))
        raise HansuError("hansu does not speak {language!r}", hint, language=language)
    _chosen[:] = [language]


def chosen_from(words: list[str]) -> list[str]:
    """The command line without `--lang X`, which may stand anywhere on it; X is what is spoken from then on."""
    left: list[str] = []
    waiting = iter(words)
    for word in waiting:
        if word == "--":
            return [*left, word, *waiting]
        if word == "--lang":
            given = next(waiting, "")
        elif word.startswith("--lang="):
            given = word.removeprefix("--lang=")
        else:
            left.append(word)
            continue
        choose(given)
    return left


def language(environment: Mapping[str, str] = os.environ) -> str:
    """What is spoken now."""
    if _chosen:
        return _chosen[0]
    for name in ("HANSU_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if given := environment.get(name, ""):
            code = given.replace("_", "-").split(".")[0].lower()
            return next((known for known in (code, code.split("-")[0]) if known in languages()), ENGLISH)
    return ENGLISH


def localize(text: str) -> str:
    """A text for people, as the terminal says it."""
    return in_language(text, language())
